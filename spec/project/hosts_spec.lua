-- Programs that cannot load the C library: another Lua, and one that hides Lua's functions.
local helper = require "spec.helper"

-- The output of a command that has the library's folders in its paths.
local function output_of(command)
  local pipe = assert(io.popen(("LUA_PATH='%s' LUA_CPATH='%s' %s 2>&1"):format(package.path,
    package.cpath, command)))
  local text = pipe:read "a"
  return text, pipe:close()
end

local HOST = [[
import ctypes, sys
lua = ctypes.CDLL("liblua5.4.so.0", mode=ctypes.RTLD_LOCAL)
lua.luaL_newstate.restype = ctypes.c_void_p
lua.lua_tolstring.restype = ctypes.c_char_p
state = ctypes.c_void_p(lua.luaL_newstate())
lua.luaL_openlibs(state)
lua.luaL_loadstring(state, b"require 'luacuda'")
if lua.lua_pcallk(state, 0, 0, 0, ctypes.c_ssize_t(0), None):
    print(lua.lua_tolstring(state, -1, None).decode())
]]

local PROBE = "python3 -c 'import ctypes; ctypes.CDLL(\"liblua5.4.so.0\"); print(1)'"

describe("the error when the library cannot be loaded", function()
  it("names the Lua version that is needed", function()
    if output_of "lua5.1 -v":match "^Lua 5.1" == nil then pending "lua5.1 is not installed" end
    local text = output_of [[lua5.1 -e 'print(select(2, pcall(require, "luacuda")))']]
    assert.equal("luacuda needs Lua 5.4 or later, and this is Lua 5.1\n", text)
  end)

  if not helper.sanitized then -- Python would need the preloaded library
    it("says what to build for a host that hides Lua's symbols", function()
      local found = output_of(PROBE)
      if found ~= "1\n" then
        pending "no Python with liblua5.4.so.0"
      end
      local script = os.tmpname()
      helper.write_file(script, HOST)
      local text = output_of("python3 " .. script)
      os.remove(script)
      helper.contains(text, "undefined symbol: lua")
      helper.contains(text, "Build luacuda with -DLUACUDA_LINK_LUA=ON")
    end)
  end
end)
