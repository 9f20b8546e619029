-- types/luacuda.lua contains annotations that the Lua language server can read. `.ci/run types`
-- runs that server where it is installed; this spec reads them by their grammar.
local helper = require "spec.helper"
local annotations = require "spec.support.annotations"

describe("types/luacuda.lua", function()
  it("is Lua", function() assert.is_function(loadfile "types/luacuda.lua") end)

  it("has only valid annotations, of types that are defined", function()
    assert.equal("", table.concat(annotations.faults(helper.read_file "types/luacuda.lua"), "\n"))
  end)

  it("names the module that it describes", function()
    assert.equal("---@meta luacuda", helper.read_file("types/luacuda.lua"):match "^[^\n]*")
  end)
end)

describe("the reader of annotations", function()
  local WRONG = {
    ["there is no type luacuda.Nope"] = "---@class A: luacuda.Nope\nlocal A = {}\n",
    ["expected a type"] = "---@param a\nfunction f(a) end\n",
    ["'%) words' after a type"] = "---@return string) words\nfunction f() end\n",
    ["after a type"] = "---@param a Array,integer\nfunction f(a) end\n",
    ["defined twice"] = "---@class A\n---@field x integer\n---@field x? string\nlocal A = {}\n",
    ["class A is defined twice"] = "---@class A\nlocal A = {}\n---@class A\nlocal B = {}\n",
    ["parameters %(a, b%), annotations %(b, a%)"] =
      "---@param b integer\n---@param a integer\nfunction f(a, b) end\n",
    ["parameters %(a%), annotations %(%)"] = "function f(a) end\n",
    ["expected '%)'"] = "---@overload fun(a: integer b: integer): nil\nfunction f() end\n",
    ["unknown annotation @parm"] = "---@parm a integer\n",
    ["no operator plus"] = "---@class A\n---@operator plus(any): A\nlocal A = {}\n",
    ["a field without a class"] = "---@field x integer\n",
    ["expected ':'"] = "---@overload fun(): integer, ... integer\nfunction f() end\n",
  }

  for message, text in pairs(WRONG) do
    it("finds: " .. message, function()
      assert.matches(message, table.concat(annotations.faults(text), "\n"))
    end)
  end

  it("accepts valid annotations", function()
    assert.same({}, annotations.faults [[
---@class m.A: integer[]
---@field [integer] any
---@field x? "a"|"b"? words
---@operator add(any): m.A
---@overload fun(a: integer, ...: any): m.A, ...: m.A
local A = {}
---@param a? table<any, any>|m.A[] words, and more: (of them)
---@param ... any
---@return m.A? ... # words
---@overload fun(f: fun(x?: integer): (m.A)): nil
function A:f(a, ...) end
]])
  end)
end)
