-- Misuse of Lua functions in kernel builders: each message names the builder, the file and the line
-- of the function, and says what to do.
local cuda = require "luacuda"
local helper = require "spec.helper"

local function add(a, b) return a + b end
local function same(v) return v end

-- The message of fn(...), without the builder's name, whose line is that of the function `at`, or
-- `more` lines after it.
local function message_at(at, more, fn, ...)
  local line = debug.getinfo(at, "S").linedefined + more
  local message = helper.misuse(fn, ...)
  local head, words = message:match "^%l+: [^:]*bodies_errors_spec%.lua:(%d+): (.*)$"
  assert.equal(line, math.tointeger(head), message)
  return words
end

describe("A declaration with a Lua function", function()
  it("refuses parameters that take nothing, or something else than their names say", function()
    local cases = {
      { function(x, q) return x + q end, "body: parameter 2 'q' takes nothing: the function takes "
        .. "x, then by these names i, n and ind" },
      { function(x, z) return x + z end, "body: parameter 2 'z' takes nothing" },
      { function(i) return i end, "body: parameter 1 'i' takes 'x': 'i' comes after x" },
      { function(...) return ... end,
        "body: '...' cannot run on a device: name the parameters" },
    }
    for _, case in ipairs(cases) do
      local words = message_at(case[1], 0, cuda.elementwise, "T x", "T z", case[1])
      assert.equal(case[2], words:sub(1, #case[2]))
    end
    local function swapped(y, x) return x - y end
    assert.equal("body: parameter 1 'y' takes 'x': parameters take x and y in this order; give it "
      .. "another name", message_at(swapped, 0, cuda.elementwise, "T x, T y", "T z", swapped))
    local function raw(x, out, i) out[i] = x end
    assert.is_truthy(cuda.elementwise("T x", "raw T out", raw))
    local function single(a) return a end
    assert.equal("reduce: the function takes the two values that it combines",
      message_at(single, 0, cuda.reduction, "T x", "T y", same, single, same, 0))
    assert.equal("scan: the function takes the two values that it combines",
      message_at(single, 0, cuda.scan, "T x", "T y", same, single, 0))
    local function third(a, b, n) return a + b + n end
    assert.equal("reduce: parameter 3 'n' takes nothing: the function takes a and b, then by these "
      .. "names nothing", message_at(third, 0, cuda.reduction, "T x", "T y", same, third, same, 0))
    local function post(a, x) return a + x[1] end
    assert.equal("post: parameter 2 'x' takes nothing: the function takes a, then by these names "
      .. "i and n", message_at(post, 0, cuda.scan, "T x", "T y", same, add, 0, "s",
      { post = post }))
  end)

  it("refuses functions without a text, and functions in other places", function()
    local message = helper.misuse(cuda.elementwise, "T x", "T z", math.sin)
    assert.matches("^elementwise: expected a Lua function, got one that is written in C", message)
    assert.matches("write function%(x%) %.%.%. end around it", message)
    local stripped = load(string.dump(same, true))
    assert.matches("^elementwise: the text of the function is not known: .*; load it from a file$",
      helper.misuse(cuda.elementwise, "T x", "T z", stripped))
    assert.matches("^reduction: expected the identity %(a string%), got function",
      helper.misuse(cuda.reduction, "T x", "T z", same, add, same, add))
    assert.matches("^elementwise: expected option 'preamble' %(a string%), got function",
      helper.misuse(cuda.elementwise, "T x", "T z", same, "f", { preamble = same }))
    local cube = cuda.device_function("__device__ float cube(float v) { return v * v * v; }")
    assert.equal("elementwise: body: expected C++ (a string) or a Lua function, got "
      .. "DeviceFunction: write function(x) ... end, which may call functions in Lua and "
      .. "cuda.device_function", (helper.misuse(cuda.elementwise, "T x", "T z", cube)))
    assert.equal("reduction: map: expected C++ (a string) or a Lua function, got table",
      (helper.misuse(cuda.reduction, "T x", "T z", {}, add, same)))
    assert.matches("^scan: scan: expected C%+%+ %(a string%) or a Lua function, got Vectorized: ",
      (helper.misuse(cuda.scan, "T x", "T z", same, cuda.vectorize(add))))
    assert.matches("^elementwise: unknown type 'Q9x'", helper.misuse(cuda.elementwise, "Q9x x",
      "T z", same):gsub("parameter 'x': ", ""))
    assert.matches("^elementwise: expected input parameters %(a string%), got function",
      helper.misuse(cuda.elementwise, same, "T z", same))
  end)
end)

helper.for_each_device(function()
  describe("A Lua function of a builder", function()
    local w, points
    before_each(function()
      w = cuda.zeros(3)
      points = cuda.zeros(2, cuda.struct("P", { { "x", "float32" } }))
    end)
    after_each(function() w, points = nil, nil end)

    it("refuses what a device cannot do, with the line", function()
      local cases = {
        { function(x) return x:sum() end, "method 'sum' cannot be called on a device" },
        { function(x) for _ in pairs(w) do x = 1 end return x end,
          "'pairs' cannot run on a device: write for i = 1, #x" },
        { function(x) return "v" .. x end, "" },
        { function() return "text" end, "a string cannot be an element of float32" },
        { function(x) return threadIdx.x + x end, "'threadIdx' is about threads, and the function "
          .. "computes one element: write a kernel with cuda.jit" },
        { function(x) return { x } end, "a table cannot be made on a device" },
        { function(x) return nothing + x end, "'nothing' is nil" },
        { function(x) return x + points[1].y end, "the struct 'P' has no field 'y'" },
        { function(x) w[1] = x return x end, "the function writes to 'w': it is an upvalue; "
          .. "declare a raw output for it" },
        { function(x, ind) ind[1] = 2 return x end, "the function writes to 'ind': it is the "
          .. "element's index" },
      }
      for _, case in ipairs(cases) do
        local f = cuda.elementwise("T x", "T z", case[1])
        local words = message_at(case[1], 0, f, cuda.zeros(3))
        assert.equal(case[2], words:sub(1, #case[2]))
      end
    end)

    it("refuses results that do not fit the outputs, with the line", function()
      local cases = {
        { function(x) return x / 2 end, "float64 cannot be an element of int32: write "
          .. "math.floor(v), or int32(v) to cut off the fraction" },
        { function(x) return x > 1 end,
          "a boolean cannot be an element of int32: write c and 1 or 0" },
        { function(x) return x, x end, "the function returns 2 values here, and it computes z" },
        { function(x) if x > 1 then return end return x end,
          "the function returns 0 values here, and it computes z" },
        { function(x) if x > 1 then return x end end, "the function returns a value at " },
        { function(x) local _ = x end, "the function returns nothing" },
        { function() return 3000000000 end, "" },
        { function() return w end, "" },
      }
      for _, case in ipairs(cases) do
        local f = cuda.elementwise("int32 x", "int32 z", case[1])
        local words = message_at(case[1], 0, f, cuda.zeros(3, "int32"))
        assert.equal(case[2], words:sub(1, #case[2]))
      end
      local function number(x) return x end
      local f = cuda.elementwise("int32 x", "bool z", number)
      assert.equal("int32 cannot be an element of a boolean: compare it, as in v ~= 0",
        message_at(number, 0, f, cuda.zeros(3, "int32")))
      local function value(x) return x end
      local g = cuda.elementwise("T x", "raw T out", value)
      assert.equal("the function returns 1 value here, and there are only raw outputs, which the "
        .. "function writes to", message_at(value, 0, g, cuda.zeros(3), cuda.zeros(3)))
      local function half(a) return a / 2 end
      local r = cuda.reduction("int64 x", "int64 y", same, add, half, 0)
      assert.equal("float64 cannot be an element of int64: write math.floor(v), or int64(v) to cut "
        .. "off the fraction", message_at(half, 0, r, cuda.zeros(3, "int64")))
    end)

    it("refuses writes to inputs", function()
      local function write(x, v, i) v[i] = x return x end
      local f = cuda.elementwise("T x, raw T v", "T z", write)
      assert.equal("the function writes to 'v': it is an input; declare a raw output for it",
        message_at(write, 0, f, cuda.zeros(3), cuda.zeros(3)))
    end)

    it("refuses arrays where two values are combined, and types that are no dtype", function()
      local function weighted(a, b) return a + w[1] * b end
      local f = cuda.reduction("T x", "T y", same, weighted, same, 0)
      assert.equal("'w' is an array, and a function that combines two values takes no arrays: use "
        .. "it in map or post", message_at(weighted, 0, f, cuda.zeros(3)))
      local g = cuda.reduction("T x", "T y", same, "a", "y = a.x", "P{}", "g",
        { reduce_type = "P", preamble = "struct P { float x; };" })
      assert.equal("map: the function combines values whose type is no dtype: give option "
        .. "'reduce_type' dtypes, as in \"float32 value, int64 at\", or write map, reduce and post "
        .. "in C++",
        message_at(same, 0, g, cuda.zeros(3)))
      local s = cuda.scan("T x", "T y", "P{x}", add, nil, "s", { scan_type = "P",
        post = "y = a.x", preamble = "struct P { float x; };" })
      assert.equal("scan: the function combines values whose type is no dtype: give option "
        .. "'scan_type' dtypes, as in \"float32 value, int64 at\", or write map, scan and post "
        .. "in C++",
        message_at(add, 0, s, cuda.zeros(3)))
    end)

    it("refuses arrays in functions that are called where two values are combined", function()
      local function weight(v) return v * w[1] end
      local function weighted(a, b) return a + weight(b) end
      local f = cuda.reduction("T x", "T y", function(x) return weight(x) end, weighted, same, 0)
      assert.matches("^'w' is an array, and a function that combines two values",
        message_at(weighted, 0, f, cuda.zeros(3)))
    end)

    it("refuses wrong lists of values", function()
      local function refused(words, given, ...)
        for key, v in pairs{ inputs = "T x", outputs = "T y", map = function(x) return x, 1 end,
          reduce = function(v, i, w2, j) return v + w2, i + j end, post = function(v) return v end,
        } do
          given[key] = given[key] or v
        end
        given.reduce_type = given.reduce_type or "T value, int64 at"
        local message = helper.misuse(function(...) return cuda.reduction(given)(...) end, ...)
        assert.equal("reduction: " .. words, (message:gsub("[^ ]*_spec.lua:%d+: ", "")))
      end
      local x = cuda.zeros(3)
      refused("option 'reduce_type': 'at' is no number: its type is a dtype or a placeholder",
        { reduce_type = "T value, raw int64 at" }, x)
      refused("option 'reduce_type': no parameter has the type Q of 'at'",
        { reduce_type = "T value, Q at" }, x)
      refused("the identity has no number or boolean for 'at', value 2 of 2", { identity = { 1 } },
        x)
      refused("the identity has 3 values, and 2 are combined", { identity = { 1, 2, 3 } }, x)
      refused("the identity is a list, and one value is combined: give a number, or option "
        .. "'reduce_type' the types of several values", { identity = { 1 }, reduce_type = "T" }, x)
      refused("the function returns 1 value here, and map gives 2 values",
        { map = function(v) return v end }, x)
      refused("reduce: the function takes the two values that it combines: a.value, a.at, b.value "
        .. "and b.at", { reduce = function(v, u) return v, u end }, x)
      refused("post: parameter 1 'at' takes 'value': parameters take value and at in this order; "
        .. "give it another name", { post = function(at, value) return at + value end }, x)
    end)

    it("refuses parameters that functions in Lua cannot have", function()
      local function first(t) return t + 1 end
      local f = cuda.elementwise("float32 x, cudaTextureObject_t t", "float32 z",
        function(x, t) return x + first(t) end)
      local texture = cuda.texture(cuda.zeros{ 8, 8 })
      assert.matches("'t' is a texture or surface, which Lua functions of builders do not take: "
        .. "write a kernel in C%+%+$", (helper.misuse(f, cuda.zeros(3), texture)))
      texture:close()
      local function post(a, x) return a + x end
      local r = cuda.reduction("T x", "T y", same, add, post, 0)
      assert.equal("'x' has many elements here: the function sees raw inputs and inputs for which "
        .. "a call gives a number", message_at(post, 0, r, cuda.zeros(3)))
    end)

    it("may read upvalues by metamethods, which may do anything", function()
      local x, count, what = cuda.ones(2), 0, "nothing"
      local f
      local config = setmetatable({}, { __index = function()
        count = count + 1
        if what == "change" then return count end
        if what == "raise" then error "no value" end
        if what == "close" then x:close() end
        if what == "call" then
          what = "nothing"
          f(cuda.ones(3))
          what = "call"
        end
        return 2
      end })
      f = cuda.elementwise("T x", "T z", function(v) return v * config.scale end, "f")
      assert.same({ 2.0, 2.0 }, f(x):totable())
      what = "call"
      assert.same({ 2.0, 2.0 }, f(x):totable())
      what = "change"
      assert.equal("f: upvalues have another value each time they are read", (helper.misuse(f, x)))
      what = "raise"
      assert.matches("no value$", helper.error_of(f, x))
      what = "close"
      assert.equal("f: attempt to use a closed Array", (helper.misuse(f, x)))
      what = "nothing"
      assert.same({ 2.0 }, f(cuda.ones(1)):totable())
    end)

    it("still raises what builders raise for arguments", function()
      local f = cuda.elementwise("T x, T y", "T z", function(x, y) return x + y + w[1] end, "f")
      assert.equal("f: expected 2 inputs, got 1", (helper.misuse(f, cuda.zeros(3))))
      assert.equal("f: argument 2 'y': shape {2} does not broadcast with {3}",
        (helper.misuse(f, cuda.zeros(3), cuda.zeros(2))))
      assert.matches("^f: argument 2 'y': expected float32 array",
        (helper.misuse(f, cuda.zeros(3), cuda.zeros(3, "int8"))))
    end)
  end)
end)
