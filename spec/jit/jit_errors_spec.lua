-- What cuda.jit refuses, with the message and the line.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- The message for a function's text, called with these arguments; the text is one line.
local function refused(body, ...)
  local args = { ... }
  if #args == 0 then args = { cuda.zeros(4) } end
  local k = cuda.jit("function(x) " .. body .. " end")
  local message = helper.misuse(function() k({ threads = 4 }, table.unpack(args)) end)
  local head = '^jit: %[string "function%(x%) .-"%]:1: '
  assert.matches(head, message)
  return (message:gsub(head, ""))
end

local CASES = {
  { "for i, v in pairs(x) do end", "'pairs' cannot run on a device: write for i = 1, #x" },
  { "local t = {}", "a table cannot be made on a device: write array(\"float32\", n) for an array "
    .. "of each thread, or shared(\"float32\", n) for one of the thread block" },
  { "x[0] = 1", "index 0: arrays begin at 1" },
  { "x[1.5] = 1", "1.5 is not an index: write math.floor(i)" },
  { "x[x[1]] = 1", "an index is an integer, and this is float32: use // in place of /, or "
    .. "math.floor(i)" },
  { "local s if x[1] > 0 then s = 1 end x[1] = s",
    "'s' may have no value here: give it one where it is declared, line 1" },
  { "while x[1] > 0 do local s x[1] = s end",
    "'s' may have no value here: give it one where it is declared, line 1" },
  { "if x[1] then x[1] = 0 end", "a condition is a boolean, and this is float32: in Lua every "
    .. "number is true, also 0; write x ~= 0 if that is meant" },
  { "x[1] = x[1] and 1 or 0", "a condition is a boolean, and this is float32: in Lua every "
    .. "number is true, also 0; write x ~= 0 if that is meant" },
  { "x[1] = x[1] or 1", "'or' takes booleans, and this is float32, which is always true: the right "
    .. "side is never used" },
  { "x[1] = x[1] > 0 and 1", "'and' gives false or a Lua integer here, which have no type in "
    .. "common: write c and a or b" },
  { "x[1] = x + 1", "'+' takes numbers, and this is an array (float32, one axis): a kernel "
    .. "computes element by element, x[i]" },
  { "x[1] = (x[1] > 0) + 1", "'+' takes numbers, and this is a boolean: write c and 1 or 0" },
  { "x[1] = x[1] & 1", "'&' takes integers, and this is float32: write math.floor(x)" },
  { "x[1] = x.siz", "arrays have no field 'siz' in kernels; did you mean 'size'?" },
  { "x[1] = threadIdz.x", "'threadIdz' is nil: a kernel knows its parameters, locals, upvalues and "
    .. "globals; did you mean 'threadIdx'?" },
  { "glob = 1", "'glob' is not a variable of the kernel: a kernel can assign its own locals and "
    .. "elements of arrays" },
  { "x[1] = string.len('a')", "'string.len' cannot run on a device: text cannot be made on a "
    .. "device: give print several arguments" },
  { "os.exit()", "'os.exit' cannot run on a device: do it outside of the kernel" },
  { "x[1] = math.random()", "'math.random' cannot run on a device: local r = random(seed, i) makes "
    .. "a generator, and r:uniform() draws" },
  { "return 1", "a kernel returns nothing: write results to arrays" },
  { "x:fill(1)", "method 'fill' cannot be called on a device: write for i in grid(#x) do x[i] = v "
    .. "end" },
  { "x[1] = x:size()", "method 'size' cannot be called on a device: it is a field, x.size" },
  { "x:walk()", "method 'walk' cannot be called on a device: a kernel computes element by "
    .. "element" },
  { "print(('%d'):format(x[1]))", "method 'format' cannot be called on a device: text cannot be "
    .. "made on a device: give print several arguments" },
  { "for i = 1, 10, 0 do x[i] = 1 end", "the step of a for loop is 0" },
  { "x[1] = 1 .. x[1]", "text cannot be made on a device: give print several arguments" },
  { "x[1] = nil", "kernels have no nil" },
  { "local function f(v) return f(v) end x[1] = f(1)", "'f' calls itself: f (line 1) calls f; a "
    .. "device function cannot, so write a loop" },
  { "local function f(v) return v end x[1] = f(1, 2)",
    "'f' takes 1 argument, and got 2: kernels have no nil" },
  { "x[1] = x[1] > 0", "a boolean cannot be an element of float32: write c and 1 or 0" },
  { "local s = shared('float32', #x)", "shared: argument 2: expected an extent that is known when "
    .. "the kernel is made (a number or an upvalue); dynamic_shared takes its size from the "
    .. "launch" },
  { "atomic_add(x, 1)", "atomic_add: expected the array, 1 indices and 1 values, got 2 arguments" },
  { "local s = x.shape",
    "a variable cannot be the shape of an array, of which a kernel takes items: x.shape[1]" },
  { "local i = grid(#x)", "a variable cannot be grid(...), which gives a thread its indices in a "
    .. "loop: for i in grid(#x)" },
  { "if grid(1) < 3 then x[1] = 0 end", "'<' compares numbers, and this is grid(...), which gives "
    .. "a thread its indices in a loop: for i in grid(#x)" },
  { "x[threadIdx] = 1", "an index is an integer, and this is 'threadIdx', of which a kernel takes "
    .. ".x, .y and .z" },
  { "x[1] = threadIdx.w", "'threadIdx.w': it has x, y and z" },
  { "x[1] = laneid()", "'laneid' is a number, no function: write it without ()" },
  { "x[1] = warpSize()", "'warpSize' is a number, no function: write it without ()" },
  { "x[x.shape[1]]()", "this cannot be called: it is float32" },
  { "x[1] = x.shape[0]", "there is no axis 0: axes are counted from 1 to 1" },
  { "x[1] = x.shape[threadIdx.x]", "the number of an axis is known when the kernel is made: a "
    .. "number from 1 to 1, or an upvalue" },
  { "if x.dtype == float32 then x[1] = 0 end",
    "dtypes are strings in a comparison: write x.dtype == \"float32\"" },
  { "x[1] = x.length", "arrays have no field 'length' in kernels: write #x, or x.size for all "
    .. "axes" },
  { "x[1] = sqrtf(x[1])", "'sqrtf': write math.sqrt(...)" },
  { "x[1] = math.exp2(x[1])", "'math.exp2': write cuda.exp2(...)" },
  { "local s = shared(4, float32)", "shared: argument 1: expected the name of a dtype, as in "
    .. "shared(\"float32\", 16), got a Lua integer" },
  { "atomic_add(x, 0, 1)", "index 0: arrays begin at 1" },
  { "atomic_add(x, x[1], 1)", "an index is an integer, and this is float32: use // in place of /, "
    .. "or math.floor(i)" },
  { "math.floor()", "math.floor takes 1 argument, and got 0" },
  { "x[{ 1, 2 }] = 1", "indices follow each other: write x[i][j]" },
  { "x[1][2] = 1", "this cannot be indexed: it is float32" },
  { "local f function f(v) return v end x[1] = f(1)", "a function is the value of one variable: "
    .. "declare it with local function" },
  { "local s = 'a' s = 'b'", "'s' is assigned more than once, so it can only be a number, a "
    .. "boolean or an array" },
  { "x.y[1] = 1", "arrays have no field 'y' in kernels" },
  { "x = 1", "'x' becomes a Lua integer here, and is an array (float32, one axis) at [string "
    .. "\"function(x) x = 1 end\"]:1: a variable has one type; use another variable" },
  { "local a <close> = nil", "'a': variables that are closed need Lua" },
}

describe("cuda.jit refuses", function()
  it("names of kernels that are looked up in the library", function()
    local k = cuda.jit(function(x)
      cuda.syncthreads()
      x[1] = 0
    end)
    helper.contains(helper.misuse(function() k({ threads = 1 }, cuda.zeros(1)) end),
      "'cuda.syncthreads': write syncthreads, or cuda.gpu.syncthreads")
  end)

  it("text with an error of syntax, with Lua's words", function()
    assert.equals("jit: [string \"function(x) x[1] += 1 end\"]:1: syntax error near '+'",
      helper.misuse(cuda.jit, "function(x) x[1] += 1 end"))
    assert.matches("near 'x'; expected the text of one function, such as ",
      helper.misuse(cuda.jit, "x[1] = 1"))
  end)

  it("functions of whole arrays", function()
    local words = "' is a function of whole arrays or of the host: call it outside of the kernel"
    local linspace = cuda.linspace
    for name, fn in pairs {
      ["cuda.zeros"] = function(x) x[1] = cuda.zeros(1)[1] end,
      ["cuda.random.uniform"] = function(x) x[1] = cuda.random.uniform() end,
      linspace = function(x) x[1] = linspace(0, 1, 3)[1] end,
    } do
      local k = cuda.jit(fn)
      helper.contains(helper.misuse(function() k({ threads = 1 }, cuda.zeros(1)) end),
        "'" .. name .. words)
    end
  end)

  for _, case in ipairs(CASES) do
    it(case[1], function() assert.equals(case[2], refused(case[1])) end)
  end

  it("values that an integer dtype does not hold", function()
    local x = cuda.zeros(3, "int8")
    assert.equals("300 does not fit int8", refused("x[1] = 300", x))
    assert.equals("300 does not fit int8: convert the other operand first, as in int64(x)",
      refused("x[1] = x[1] + 300", x))
    assert.equals("a Lua float cannot be an element of int8: write math.floor(v), or int8(v) to "
      .. "cut off the fraction", refused("x[1] = 1.5", x))
  end)

  it("indices that are computed in narrow integers", function()
    for _, index in ipairs { "x[1] + 1", "x[1] - 1", "2 * x[2]", "-x[1]", "x[1] + x[2]" } do
      local signed = index == "-x[1]"
      local bytes = cuda.ones(4, signed and "int8" or "uint8")
      local words = ("this index is computed in %s, where it wraps around: convert first, as in "
        .. "int32(v) + 1"):format(bytes.dtype)
      assert.equals(words, refused("x[" .. index .. "] = 1", bytes))
    end
    for _, index in ipairs { "x[1]", "int32(x[1]) + 1", "x[1] + #x - 3" } do
      local k = cuda.jit(("function(x) x[%s] = 7 end"):format(index))
      k({ threads = 1 }, cuda.ones(4, "uint8"))
    end
  end)

  it("variables of two types, with both lines", function()
    local k = cuda.jit(function(x)
      local s = 1       -- first
      if #x > 1 then s = true end     -- second
      x[1] = s
    end)
    local message = helper.misuse(function() k({ threads = 1 }, cuda.zeros(3)) end)
    assert.matches("jit_errors_spec.lua:" .. helper.line_of "-- second" .. ": 's' becomes a "
      .. "boolean here, and is a Lua integer at .-jit_errors_spec.lua:"
      .. helper.line_of "-- first" .. ": ", message)
  end)

  it("functions that call each other, with the cycle", function()
    local f, g
    function f(v) return g(v) + 1 end           -- calls g
    function g(v) return f(v) end               -- calls f
    local k = cuda.jit(function(x) x[1] = f(1) end)
    local at_f, at_g = helper.line_of "-- calls g", helper.line_of "-- calls f"
    local message = helper.misuse(function() k({ threads = 1 }, cuda.zeros(1)) end)
    helper.contains(message, ("jit_errors_spec.lua:%d: 'f' calls itself: f (line %d) calls g "
      .. "(line %d) calls f; a device function cannot, so write a loop"):format(at_g, at_f, at_g))
  end)

  it("wrong arguments", function()
    local k = cuda.jit(function(x) x[1] = 0 end)
    assert.equals("jit: argument 1: expected a launch table such as { threads = n }, got number",
      helper.misuse(function() k(4, cuda.zeros(4)) end))
    assert.equals("jit: the function takes 1 arguments, and 0 are given after the launch table",
      helper.misuse(function() k{ threads = 4 } end))
    assert.equals("jit: argument 1 'x': expected an array, a number, a boolean or a struct, got "
      .. "string",
      helper.misuse(function() k({ threads = 4 }, "x") end))
    assert.matches("^jit: argument 1 'x': expected an array, a number, a boolean or a struct, got "
      .. "a table: ",
      helper.misuse(function() k({ threads = 4 }, { 1 }) end))
    assert.equals("jit: unknown option 'nam'; did you mean 'name'?",
      helper.misuse(function() cuda.jit(function() end, { nam = "x" }) end))
    assert.matches("^jit: .-:%d+: '...' cannot run on a device: name the parameters$",
      helper.misuse(function() cuda.jit(function(...) return ... end) end))
  end)
end)
