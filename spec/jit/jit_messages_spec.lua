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
    "a string cannot be a result: return numbers, booleans or parts of structs",
  ["local function f() return a end local p = f()"] =
    "an array (int64, one axis) cannot be a result: return numbers, booleans or parts of structs",
  ["for i = 1, 2 do local function f() break end end"] = "break outside a loop near 'break'",
  ["local function f() goto x end ::x:: f()"] = "no visible label 'x' for goto",
  ["local p <const> = 1 local function f() p = 2 end f()"] =
    "attempt to assign to const variable 'p'",
  ["a[1] = float32('x')"] = "float32: argument 1: expected a number, got a string",
  ["a[1] = float32(z[1])"] =
    "float32: argument 1 is complex: take its part with cuda.real(z)",
  ["z[1] = complex64(z[1], 1)"] =
    "complex64: argument 1 is complex: take its part with cuda.real(z)",
  ["a[1] = syncthreads.x"] = "'syncthreads' has no field 'x'",
  ["a[1] = (nil).x"] = "nil has no fields",
  ["local d = dynamic_shared('float32', 2)"] =
    "dynamic_shared: argument 2: 2 is no multiple of the 4 bytes of a float32",
  ["if syncthreads_or(a[1]) then end"] =
    "syncthreads_or: argument 1: expected a boolean, got int64",
  ["if any_sync(1, 2) then end"] =
    "any_sync: argument 2: expected a boolean, got a Lua integer",
  ["z[1] = shfl_sync(0xffffffff, z[1], 0)"] =
    "shfl_sync: argument 2: expected a real number, got complex64",
  ["local function f() return 1 end f = a a[1] = f()"] =
    "function 'f' is assigned more than once",
  ["local function f(...) return 1 end a[1] = f(1)"] =
    "'f' has '...', which cannot run on a device",
  ["for i, j in unroll(1, 4) do end"] =
    "unroll gives one index, and 2 variables are given",
  ["for i in a do end"] = "only 'for ... in grid(n)' and in unroll(1, n) run on a device: pairs, "
    .. "ipairs and other iterators need Lua; write for i = 1, #x",
  ["for i in math.floor(2) do end"] =
    "only 'for ... in grid(n)' and in unroll(1, n) run on a device",
  ["if a[1] == true then end"] = "int64 and a boolean cannot be compared",
  ["if a == a then end"] =
    "an array (int64, one axis) and an array (int64, one axis) cannot be compared",
  ["a[1] = 'x' + 1"] = "'+' takes numbers, and this is a string",
  ["a[1] = ~float32(a[1])"] = "'~' takes integers, and this is float32: write math.floor(x)",
  ["if 'x' then end"] = "a condition is a boolean, and this is a string",
  ["while a do end"] = "a condition is a boolean, and this is an array (int64, one axis)",
  ["if print then end"] = "a condition is a boolean, and this is the function 'print'",
  ["local function f() if a[1] > 0 then return 1 end return true end a[1] = f()"] =
    "result 1 is a boolean here, and a Lua integer at ",
  ["local p = [=x]"] = "invalid long string delimiter near '[='",
  ["for i in unroll(1, 4, 1, 0) do end"] =
    "unroll: argument 4: expected how many rounds to write out, 1 to 1024, known when the kernel "
    .. "is made",
  ["for i in unroll(1, a[1]) do end"] = "unroll: the bounds are known when the kernel is made, or "
    .. "a factor is given, as in unroll(1, n, 1, 4)",
  ["for i in unroll(1, 100000) do end"] = "unroll: the loop has 100000 rounds, and at most 1024 "
    .. "are written out: give a factor, as in unroll(1, n, 1, 4)",
  ["a[1] = math.sin('x')"] = "math.sin: argument 1: expected a number, got a string",
  ["a[1] = math.fmod(1, 0)"] = "math.fmod: argument 2 (zero)",
  ["atomic_add(1, 1, 1)"] = "atomic_add: argument 1: expected an array, got a Lua integer",
  ["atomic_and(z, 1, 1)"] =
    "atomic_and: expected an array of int32, uint32, int64 or uint64, got complex64",
  ["print(a)"] = "print: argument 1: expected a number, a boolean or a text, got an array (int64, "
    .. "one axis)",
  ["error(a[1])"] = "error: the message is a text that is known when the kernel is made",
  ["assert(a[1] > 0, a[1])"] =
    "assert: the message is a text that is known when the kernel is made",
  ["local t = tile(a[1])"] =
    "tile: argument 1: expected 1, 2, 4, 8, 16 or 32 lanes, known when the kernel is made",
  ["a[1] = tile(4):reduce(a[1], 'foo')"] =
    "reduce: argument 2: expected 'add', 'mul', 'min', 'max', 'and', 'or' or 'xor'",
  ["a[1] = tile(4):reduce(float32(a[1]), 'and')"] = "reduce: 'and' takes integers, got float32",
  ["a[1] = threadIdx[1]"] = "'threadIdx.1': it has x, y and z",
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

    it("is refused where a parenthesis is not closed", function()
      helper.contains(refused "a[1] = (1 + 2", ":3: ')' expected (to close '(' at line 2)")
    end)

    it("is refused with items of tables that no kernel can use", function()
      local list, long, nested = { 1, 2, 3 }, {}, {}
      for k = 1, 70000 do long[k] = k * 0.5 end
      local function refuses(fn, message)
        helper.contains(helper.misuse(function() fn({ threads = 1 }, a) end), message)
      end
      refuses(cuda.jit(function(x) x[1] = list[x] end),
        "'list' is a Lua table: its index is an integer")
      refuses(cuda.jit(function(x) x[1] = list[x[1] * 1.5] end),
        "'list' is a Lua table: its index is an integer")
      refuses(cuda.jit(function(x) x[1] = long[x[1]] end),
        "'long' has 70000 numbers, and constant memory holds 8000: pass an array")
      refuses(cuda.jit(function(x) x[1] = nested.y.z end), "'nested.y' is nil")
      local lfs = require "lfs"
      refuses(cuda.jit(function(x) x[1] = lfs.currentdir() end),
        "'lfs.currentdir' cannot run on a device: it is a function of a library in C")
    end)

    it("is refused with functions of arrays that get whole arrays", function()
      local k = cuda.jit(function(x) x[1] = cuda.sqrt(x) end)
      helper.contains(helper.misuse(function() k({ threads = 1 }, a) end),
        "sqrt: argument 1: expected a number, got an array (int64, one axis)")
    end)

    it("is refused with options that do not fit", function()
      local function refuses(options, message)
        local said = helper.misuse(function() cuda.jit(function(x) x[1] = 1 end, options) end)
        helper.contains(said, message)
      end
      refuses({ max_threads = 2000 },
        "option 'max_threads': expected an integer from 1 to 1024, got 2000")
      refuses({ max_threads = 128, min_blocks = "x" },
        "option 'min_blocks': expected an integer from 1 to 1024, got string")
      refuses({ max_threads = 128, max_registers = 32 },
        "option 'max_registers': the compiler ignores it if max_threads is given")
    end)

    it("is refused by run_in_lua with the arguments of generators, tiles and textures", function()
      local host = cuda.array({ 1.5, 2, 3 }, "float64", { device = "cpu" })
      local function refuses(fn, message, ...)
        local arguments = table.pack(...)
        helper.contains(helper.misuse(function()
          cuda.jit(fn):run_in_lua({ threads = 1 }, host, table.unpack(arguments))
        end), message)
      end
      refuses(function(x) local r = random(1, 2) x[1] = r:integer(3, 1) end,
        "integer: expected two integers, the lower one first, got 3 and 1")
      refuses(function(x) local r = random(x[1], 2) x[1] = r:uniform() end,
        "random: argument 1: expected an integer, got 1.5")
      refuses(function(x) local r = random(1, 2) x[1] = r:uniform("int8") end,
        "uniform: argument 1: expected float32 or float64, got int8")
      refuses(function(x) local t = tile(x[3]) x[1] = t:rank() end,
        "tile: argument 1: expected 1, 2, 4, 8, 16 or 32 lanes, got 3.0")
      refuses(function(x, t) x[1] = tex(t, 1) end,
        "tex: argument 1: expected a texture, got number", 5)
    end)

    it("is refused as a part of what it is not", function()
      local f = cuda.device_function("__device__ int f(int *p, int n) { return p[n]; }")
      local k = cuda.jit(function(x) x[1] = f(3, 1) end)
      helper.contains(helper.misuse(function() k({ threads = 1 }, a) end),
        "argument 1 'p' of f (int *): expected an array, got a Lua integer")
      helper.contains(helper.misuse(function() f(3, 1) end),
        "f: argument 1 'p': expected an array, got number")
      helper.contains(helper.misuse(function() f.source(3) end),
        "device_function: source: expected a DeviceFunction before the ':', got 3")
      helper.contains(helper.misuse(function() f:source(3) end),
        "device_function:source: too many arguments")
      local v = cuda.vectorize(function(x) return x end)
      helper.contains(helper.misuse(function() v.source(3) end),
        "vectorize: source: expected a Vectorized before the ':', got 3")
      helper.contains(helper.misuse(function()
        cuda.device_function("#ifdef A\n__device__ int f(int a) { return a; }\n#else\n"
          .. "__device__ int f(float b, int c) { return c; }\n#endif", "f"):source()
      end), "'f' has declarations whose parameters differ: give each function a name of its own")
    end)

    it("is refused as a fused function", function()
      local x = a:astype "float32"
      helper.contains(helper.misuse(function()
        cuda.fuse(function(p) local s = 1 if p > 0 then s = 2 end return p * 1e300 * s end)(x)
      end), "1e+300 is out of range for float32")
      helper.contains(helper.misuse(function()
        cuda.fuse(function(p, q) if p > 0 then q = 1 end return p * q end)(x)
      end), "argument 'q' is missing, and the function assigns it in a branch or loop")
    end)
  end)
end)
