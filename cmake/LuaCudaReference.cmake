# Installs what comes from docs/api: the files that cuda.help reads, and, for editors, types for the
# Lua language server and an example of a .luarc.json that names their folder. A Lua program makes
# the types, LUA_PROGRAM (given, or searched); without one they are left out.

set(_luacuda_root "${CMAKE_CURRENT_LIST_DIR}/..")
install(DIRECTORY "${_luacuda_root}/docs/api/" DESTINATION "${INSTALL_LUADIR}/luacuda/api"
  FILES_MATCHING PATTERN "*.lua")

if(NOT LUA_PROGRAM)
  find_program(LUA_PROGRAM NAMES lua${LUA_VERSION_SHORT} lua-${LUA_VERSION_SHORT} lua5.4 lua
    DOC "A program of Lua 5.4 or later")
endif()
set(_luacuda_lua_says "")
if(LUA_PROGRAM)
  execute_process(COMMAND "${LUA_PROGRAM}" -e "io.write(_VERSION)"
    OUTPUT_VARIABLE _luacuda_lua_says ERROR_QUIET)
endif()
string(REPLACE "Lua " "" _luacuda_lua_says "${_luacuda_lua_says}")
if(_luacuda_lua_says VERSION_LESS 5.4)
  message(STATUS "LUA_PROGRAM is '${LUA_PROGRAM}', not a program of Lua 5.4 or later: "
    "the types for editors are left out")
  return()
endif()

set(_luacuda_types "${CMAKE_CURRENT_BINARY_DIR}/types/luacuda.lua")
file(GLOB _luacuda_sources CONFIGURE_DEPENDS
  "${_luacuda_root}/docs/api/*.lua" "${_luacuda_root}/lua/luacuda/manual/*.lua"
  "${_luacuda_root}/tools/docgen.lua" "${_luacuda_root}/tools/docgen/types.lua")
file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/types")
add_custom_command(OUTPUT "${_luacuda_types}"
  COMMAND "${LUA_PROGRAM}" "${_luacuda_root}/tools/docgen.lua" --types "${_luacuda_types}"
  DEPENDS ${_luacuda_sources} COMMENT "Making the types for editors" VERBATIM)
add_custom_target(luacuda_editor_types ALL DEPENDS "${_luacuda_types}")
install(FILES "${_luacuda_types}" DESTINATION "${INSTALL_DATADIR}/types")
install(CODE "
  set(LUACUDA_DATADIR \"${INSTALL_DATADIR}\")
  set(LUACUDA_TEMPLATE \"${_luacuda_root}/cmake/luarc.json.in\")
  set(LUACUDA_SCRATCH \"${CMAKE_CURRENT_BINARY_DIR}\")")
install(SCRIPT "${_luacuda_root}/cmake/install_luarc.cmake")
