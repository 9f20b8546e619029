# Runs while installing: writes an example of a .luarc.json that names the folder of the installed
# types. Set before: LUACUDA_DATADIR, LUACUDA_TEMPLATE, LUACUDA_SCRATCH (a folder to write to).
cmake_path(ABSOLUTE_PATH LUACUDA_DATADIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
set(LUACUDA_TYPES "${LUACUDA_DATADIR}/types")
configure_file("${LUACUDA_TEMPLATE}" "${LUACUDA_SCRATCH}/luarc.json" @ONLY)
file(INSTALL "${LUACUDA_SCRATCH}/luarc.json" DESTINATION "${LUACUDA_DATADIR}")
