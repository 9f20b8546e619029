-- Messages about one of several equal texts in a script name the text that was meant, in a Lua of
-- the version of the child processes (LUACUDA_LUA): before 5.4.7 a call with a long string has the
-- line where the string begins, and later the one where it ends.
local helper = require "spec.helper"

-- What a script prints with line(kernel): the line of the error in a kernel's text. Line 1 of the
-- script defines it.
local function lines_in(script)
  local ok, output = helper.lua("local cuda = require 'luacuda' local function line(k) "
    .. "return (tostring(select(2, pcall(k.compile, k))):match ':(%d+): error') end\n" .. script)
  assert.is_true(ok, output)
  return (output:gsub("%s+", " "):match "^(.-) ?$")
end

local TEXT = "[[\n__global__ void k(float *x) { *x = y; }\n]]"

describe("equal texts", function()
  it("one behind the other are told apart", function()
    assert.equal("3 5 7", lines_in("local a = cuda.kernel " .. TEXT
      .. "; print(line(a)); a = cuda.kernel " .. TEXT .. "; print(line(a)); local b = cuda.kernel "
      .. TEXT .. " print(line(b))"))
    assert.equal("3", lines_in("local a = cuda.kernel " .. TEXT .. "; print(line(a)) a = "
      .. "cuda.kernel " .. TEXT))
  end)

  it("in lists and functions are told apart", function()
    assert.equal("5", lines_in("local a = { cuda.kernel " .. TEXT .. ", cuda.kernel " .. TEXT
      .. " } print(line(a[2]))"))
    assert.equal("3", lines_in("local a = { cuda.kernel " .. TEXT .. ", (function() return "
      .. TEXT .. " end)() } print(line(a[1]))"))
  end)

  it("in parentheses are told apart", function()
    assert.equal("3 7", lines_in("local a = cuda.kernel(" .. TEXT
      .. ",\n  { debug = true }) print(line(a)) local b = cuda.kernel(\n" .. TEXT
      .. ",\n  { debug = true }\n) print(line(b))"))
  end)
end)
