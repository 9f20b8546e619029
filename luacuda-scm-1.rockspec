rockspec_format = "3.0"
package = "luacuda"
version = "scm-1"
-- For `luarocks make luacuda-scm-1.rockspec` in a checkout; it needs no network.
source = { url = "git+file://." }
description = {
  summary = "CUDA for Lua: compile, launch and check kernels, on a GPU or on the CPU",
  detailed = [[
    LuaCUDA lets a Lua script compile CUDA C++ source, template it, manage device memory and launch kernels on an
    NVIDIA GPU or, where there is none, on a CPU device that executes the same PTX. Building needs CMake, a C compiler
    and Lua's headers; neither a CUDA toolkit nor a GPU.]],
  license = "MIT",
  labels = { "cuda", "gpu", "arrays", "numeric" },
}
supported_platforms = { "linux" }
dependencies = { "lua >= 5.4" }
build = {
  type = "cmake",
  variables = {
    CMAKE_BUILD_TYPE = "Release",
    CMAKE_C_FLAGS = "$(CFLAGS)",
    CMAKE_INSTALL_PREFIX = "$(PREFIX)",
    LUA_INCDIR = "$(LUA_INCDIR)",
    LUA_PROGRAM = "$(LUA)",
    LUACUDA_ISA = "native",
    LUACUDA_LINK_LUA = "$(LUACUDA_LINK_LUA)", -- luarocks make LUACUDA_LINK_LUA=ON
    INSTALL_LUADIR = "$(LUADIR)",
    INSTALL_LIBDIR = "$(LIBDIR)",
    INSTALL_INCDIR = "$(PREFIX)/include",
    INSTALL_DATADIR = "$(PREFIX)",
    INSTALL_DOCDIR = "$(PREFIX)/doc",
  },
}
test = { type = "command", command = "tools/test" }
