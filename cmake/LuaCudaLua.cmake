# Finds Lua's headers: LUA_INCDIR (given, or searched), LUA_VERSION_SHORT ("5.4") and, only with
# LUACUDA_LINK_LUA, LUA_LIBRARY. find_package(Lua) is not used: it insists on a library.

if(NOT LUA_INCDIR)
  find_path(LUA_INCDIR lua.h
    PATH_SUFFIXES lua5.4 lua-5.4 lua54 lua5.5 lua-5.5 lua55 lua
    DOC "Folder with lua.h of Lua 5.4 or later")
endif()
if(NOT EXISTS "${LUA_INCDIR}/lua.h")
  message(FATAL_ERROR "lua.h of Lua 5.4 not found: install liblua5.4-dev, or set LUA_INCDIR")
endif()

# 5.4 has '#define LUA_VERSION_MAJOR "5"', 5.5 has '#define LUA_VERSION_MAJOR_N 5'.
file(STRINGS "${LUA_INCDIR}/lua.h" _luacuda_lua_lines
  REGEX "^#define[ \t]+LUA_VERSION_(MAJOR|MINOR)(_N)?[ \t]+\"?[0-9]+")
foreach(_luacuda_line IN LISTS _luacuda_lua_lines)
  string(REGEX REPLACE "^#define[ \t]+LUA_VERSION_(MAJOR|MINOR)(_N)?[ \t]+\"?([0-9]+).*" "\\1;\\3"
    _luacuda_pair "${_luacuda_line}")
  list(GET _luacuda_pair 0 _luacuda_part)
  list(GET _luacuda_pair 1 _luacuda_lua_${_luacuda_part})
endforeach()
set(LUA_VERSION_SHORT "${_luacuda_lua_MAJOR}.${_luacuda_lua_MINOR}")
if(LUA_VERSION_SHORT VERSION_LESS 5.4)
  message(FATAL_ERROR "LuaCUDA needs Lua 5.4 or later; ${LUA_INCDIR}/lua.h is ${LUA_VERSION_SHORT}")
endif()

if(LUACUDA_LINK_LUA)
  find_library(LUA_LIBRARY NAMES lua${LUA_VERSION_SHORT} lua-${LUA_VERSION_SHORT} lua REQUIRED)
endif()
