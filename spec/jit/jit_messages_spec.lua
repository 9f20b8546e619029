-- Messages about Lua functions that cannot be kernels, beside those of jit_errors_spec: each names
-- the line.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- the second line of function(a, z, b, m): int64, complex64 and int8 arrays, and an int64 matrix ->
-- the message
local CASES = {
  ["for i, j, k in grid(2, 2) do end"] =
    "grid of 2 extents gives 2 indices, and 3 variables are given",
  ["for i in grid(2, 2) do end"] = "grid of 2 extents gives 2 indices, and 1 variables are given",
  ["local function f() end local p = f()"] = "this call returns no value",
  ["local p, q = 1, 2 p, q = 1"] = "there are 2 variables and 1 values, and a kernel has no nil",
  ["local function f(g) g = 1 return 2 end a[1] = f(math.abs)"] =
    "parameter 'g' is a function or a text and cannot be assigned",
  ["a[1] = #1"] = "'#' takes an array, and this is a Lua integer",
  ["a[1] = #true"] = "'#' takes an array, and this is a boolean",
  ["if a[1] == nil then end"] = "values of a kernel are never nil",
  ["if nil ~= a[1] then end"] = "values of a kernel are never nil",
  ["for i = true, 2 do end"] = "the start of a for loop is a number, and this is a boolean",
  ["for i = 1, 2, 'x' do end"] = "the step of a for loop is a number, and this is a string",
  ["for i = 1, a do end"] =
    "the limit of a for loop is a number, and this is an array (int64, one axis)",
  ["a[1] = math.max(z[1], 2)"] = "math.max takes real numbers",
  ["a[1] = math.floor(z[1])"] =
    "math.floor: argument 1 is complex: take its part with cuda.real(z)",
  ["atomic_add(b, 1, 1)"] =
    "atomic_add: there is no such operation for int8: use int32 or float32",
  ["a.shape = 1"] = "this cannot be assigned",
  ["break"] = "break outside a loop near 'break'",
  ["goto x"] = "no visible label 'x' for goto",
  ["do goto x local p = 1 ::x:: p = 2 end"] = "jumps into the scope of",
  ["::x:: ::x:: a[1] = 1"] = "label 'x' already defined on line 2",
  ["local p <const> = 1 p = 2"] = "attempt to assign to const variable 'p'",
  ["local p <foo> = 1"] = "unknown attribute 'foo'",
  ["for i 1 do end"] = "'=' or 'in' expected",
  ["local p = ... "] = "cannot use '...' outside a vararg function",
  ["local p = '\\q'"] = "invalid escape sequence",
  ["local p = '\\xg'"] = "hexadecimal digit expected",
  ["local p = '\\u{ffffffff}'"] = "UTF-8 value too large",
  ["local p = '\\u12'"] = "expected '{', hexadecimal digits and '}' near",
  ["local p = '\\300'"] = "decimal escape too large near '\\300'",
  ["local p <close>, q <close> = 1, 2;"] = "multiple to-be-closed variables in local list",
  ["a:f;"] = "function arguments expected near ';'",
  ["m[1] = 1"] = "a row cannot be assigned: assign its elements, with one more index",
  ["local p = 1 p = 'x'"] =
    "this value cannot be assigned: a kernel assigns numbers, booleans and arrays",
  ["a[1] = math.tointeger(1.5)"] = "math.tointeger gives nil for other numbers",
  ["local function f() return 'x' end local p = f()"] =
    "a string cannot be a result: return numbers or booleans",
  ["local function f() return a end local p = f()"] =
    "an array (int64, one axis) cannot be a result: return numbers or booleans",
  ["for i = 1, 2 do local function f() break end end"] = "break outside a loop near 'break'",
  ["local function f() goto x end ::x:: f()"] = "no visible label 'x' for goto",
  ["local p <const> = 1 local function f() p = 2 end f()"] =
    "attempt to assign to const variable 'p'",
  ["a[1] = " .. ("("):rep(230) .. "1" .. (")"):rep(230)] =
    "too many constructs inside each other",
}

-- p1, p2 ... with this text between them
local function names(letter, count, between)
  local list = {}
  for k = 1, count do list[k] = letter .. k end
  return table.concat(list, between)
end

CASES["local " .. names("p", 150, ",") .. " local " .. names("q", 51, ",") .. " = 1"] =
  "too many local variables (limit is 200)"
CASES[("local %s local function f() local %s local function g() return %s + %s end end"):format(
  names("p", 140, ","), names("q", 140, ","), names("p", 140, "+"), names("q", 140, "+"))] =
  "too many upvalues (limit is 255)"

helper.for_each_device(function()
  local a, z, b, m

  before_each(function()
    a, z, b = cuda.zeros(4, "int64"), cuda.zeros(4, "complex64"), cuda.zeros(4, "int8")
    m = cuda.zeros({ 2, 2 }, "int64")
  end)
  after_each(function() a, z, b, m = nil, nil, nil, nil end)

  local function refused(text)
    return helper.misuse(function()
      cuda.jit("function(a, z, b, m)\n" .. text .. "\nend")({ threads = 1 }, a, z, b, m)
    end)
  end

  describe("a Lua function that cannot be a kernel", function()
    for text, message in pairs(CASES) do
      it("is refused: " .. text:sub(1, 60), function()
        local said = refused(text)
        helper.contains(said, message)
        helper.contains(said, ":2: ")
      end)
    end

    it("is refused where a function may end without a value", function()
      local said = refused "local function f(p) if p > 0 then return 1 end end a[1] = f(a[1])"
      assert.truthy(said:find "'f' returns a value at .*:2, and may also end without one", said)
    end)

    it("is refused with values that kernels have not", function()
      local file, thread = io.stdout, coroutine.create(print)
      local function refuses(fn, message)
        helper.contains(helper.misuse(function() fn({ threads = 1 }, a) end), message)
      end
      refuses(cuda.jit(function(x) x[1] = file end), "'file' is a userdata, which a kernel")
      refuses(cuda.jit(function(x) x[1] = thread end), "'thread' is a thread, which a kernel")
      local strict = setmetatable({}, { __index = function(_, k) error("no item " .. k) end })
      local said = helper.misuse(function()
        cuda.jit(function(x) x[1] = strict[x[1]] end)({ threads = 1 }, a)
      end)
      assert.truthy(said:find("jit: .*jit_messages_spec.lua:%d+: no item 1"), said)
      local struct = cuda.struct("S", { { "n", "int32" }, { "p", "pointer" } })
      local k = cuda.jit(function(x, list) x[1] = list[1].p end)
      helper.contains(helper.misuse(function() k({ threads = 1 }, a, cuda.zeros(2, struct)) end),
        "'p' is a pointer, which kernels in Lua cannot follow")
    end)
  end)
end)
