-- cuda.vectorize: functions of arrays from Lua functions of numbers. The oracle is the same
-- function, called by Lua for each element; for types it is cuda.fuse.
local cuda = require "luacuda"
local helper = require "spec.helper"

local ENV = { math = math, cuda = cuda }

-- The function of a text, run by Lua.
local function host(text) return assert(load("return " .. text, "=host", "t", ENV))() end

local random_list, integer = helper.random_list, helper.random_integer
local float = helper.random_float
local function positive(rng) return rng(60) + 1 end

-- The results of a text for lists of elements, as lists.
local function expected(text, lists)
  local fn, results = host(text), {}
  for i = 1, #lists[1] do
    local args = {}
    for k, list in ipairs(lists) do args[k] = list[i] end
    for k, v in ipairs{ fn(table.unpack(args)) } do
      results[k] = results[k] or {}
      results[k][i] = v
    end
  end
  return results
end

-- Compares the vectorized text with Lua, for arrays of these dtypes.
local function agree(text, dtypes, lists)
  local arrays = {}
  for k, list in ipairs(lists) do
    arrays[k] = cuda.array(list, dtypes[k])
    lists[k] = arrays[k]:totable()
  end
  local got = { cuda.vectorize(text)(table.unpack(arrays)) }
  local want = expected(text, lists)
  assert.equal(#want, #got)
  for k, array in ipairs(got) do
    helper.assert_close(want[k], array:totable(), { dtype = array.dtype })
  end
end

helper.for_each_device(function()
  describe("cuda.vectorize", function()
    it("runs loops and branches for each element", function()
      local text = [[function(n)
        local steps = 0
        while n ~= 1 do
          n = n % 2 == 0 and n // 2 or 3 * n + 1
          steps = steps + 1
        end
        return steps
      end]]
      for seed, n in ipairs{ 1, 7, 1000 } do
        agree(text, { "int64" }, { random_list(helper.random(seed), n, positive) })
      end
    end)

    it("computes as Lua does, element by element", function()
      local rng = helper.random(11)
      local function floats() return random_list(rng, 333, float) end
      local function integers() return random_list(rng, 333, integer) end
      agree("function(x, lo, hi) if x < lo then return lo end return x > hi and hi or x end",
        { "float64", "float64", "float64" }, { floats(), floats(), floats() })
      agree("function(x, y) return math.sqrt(math.abs(x)) + math.sin(y) * x - y // 3 end",
        { "float64", "float64" }, { floats(), floats() })
      agree("function(x, y) return math.floor(x) + math.max(x, y), x % 2.5 end",
        { "float32", "float32" }, { floats(), floats() })
      agree("function(a, b) return a // (b * b + 1) ~ (a & 7) | b % 5, a < b, a == b or b > 3 end",
        { "int64", "int64" }, { integers(), integers() })
      agree([[function(a, n)
        local s = 0
        for k = 1, n do if k % 3 == 0 then goto continue end s = s + a * k ::continue:: end
        return s
      end]], { "int32", "int64" }, { integers(), random_list(rng, 333, positive) })
    end)

    it("rounds NaN, infinities and huge numbers to themselves where a float is wanted", function()
      local list = { 0 / 0, math.huge, -math.huge, 1e300, -1e19, 2.0 ^ 63, -0.5, -0.0, 2.5, -2.5 }
      for _, name in ipairs { "floor", "ceil" } do
        local round = cuda.vectorize(load(("return function(x) return math.%s(x) * 1.0 end")
          :format(name))())
        local got = round(cuda.array(list, "float64"))
        for k, x in ipairs(list) do
          local want, y = math[name](x) * 1.0, got[k]
          assert.is_true(want == y and 1 / want == 1 / y or want ~= want and y ~= y, name .. x)
        end
      end
    end)

    it("gives several results, booleans among them", function()
      local order = cuda.vectorize(function(a, b)
        if a < b then return a, b, true end
        return b, a, false
      end)
      local lo, hi, sorted = order(cuda.array({ 1, 5, 3 }, "int32"), cuda.array{ 4, 2, 3 })
      assert.same({ 1.0, 2.0, 3.0 }, lo:totable())
      assert.same({ 4.0, 5.0, 3.0 }, hi:totable())
      assert.same({ true, false, false }, sorted:totable())
      assert.same({ "float64", "float64" }, { lo.dtype, hi.dtype })
    end)

    it("broadcasts, and takes views and arrays without elements", function()
      local f = cuda.vectorize(function(x, y) return 10 * x + y end)
      local x = cuda.array({ { 1 }, { 2 } }, "int32")
      local y = cuda.array({ 1, 2, 3 }, "int32")
      assert.same({ { 11, 12, 13 }, { 21, 22, 23 } }, f(x, y):totable())
      local across, down = x:transpose(), y:reshape{ 3, 1 }
      assert.same({ { 11, 21 }, { 12, 22 }, { 13, 23 } }, f(across, down):totable())
      assert.same({ 33, 31 }, f(3, y:slice{ 3, 1, -2 }):totable())
      assert.same({ 0, 3 }, f(cuda.zeros({ 0, 1 }), y).shape)
      assert.equal(52, f(5, 2):item())
      assert.equal(12, f(cuda.int32(1), y[2]):item())
    end)

    it("writes to the arrays of out, and to its inputs", function()
      local f = cuda.vectorize(function(x, y) return x + y, x - y end)
      local x, y = cuda.array{ 1, 2, 3 }, cuda.array{ 10, 20, 30 }
      local sum, stream = cuda.zeros(3), cuda.stream()
      local a, b = f(x, y, { out = { sum, x }, stream = stream })
      stream:synchronize()
      assert.is_true(rawequal(a, sum) and rawequal(b, x))
      assert.same({ 11.0, 22.0, 33.0 }, sum:totable())
      assert.same({ -9.0, -18.0, -27.0 }, x:totable())
      local g = cuda.vectorize(function(v) return 2 * v end)
      local grid = cuda.zeros{ 3, 2 }
      g(y, { out = grid:transpose()[2] })
      assert.same({ { 0.0, 20.0 }, { 0.0, 40.0 }, { 0.0, 60.0 } }, grid:totable())
    end)

    it("has the dtypes and values of fused functions", function()
      local texts = { "x + y", "x * y - 2", "x / y", "x // y", "x % y", "y - x", "x * 2.5", "-x",
        "cuda.lt(x, y)", "x ^ 2" }
      local values = { 3, 2.5, cuda.float32(3), cuda.int8(5) }
      local arrays = {}
      for _, dtype in ipairs{ "int8", "uint8", "int32", "uint64", "float16", "bfloat16", "float32",
        "float64" } do
        arrays[#arrays + 1] = cuda.array({ 1, 2, 7 }, dtype)
      end
      local rng = helper.random(5)
      for _, text in ipairs(texts) do
        local whole = ("function(x, y) return %s end"):format(text)
        local fused = cuda.fuse(host(whole))
        local vectorized = cuda.vectorize((whole:gsub("cuda.lt%(x, y%)", "x < y")))
        for _ = 1, 3 do
          local x = arrays[rng(#arrays) + 1]
          local y = rng(2) == 0 and values[rng(#values) + 1] or arrays[rng(#arrays) + 1]
          local got, want = vectorized(x, y), fused(x, y)
          local label = ("%s: %s, %s"):format(text, x.dtype, tostring(y))
          assert.equal(want.dtype, got.dtype, label)
          helper.assert_close(want:totable(), got:totable(), { dtype = want.dtype })
        end
      end
    end)

    it("computes with complex numbers and functions of the library", function()
      local f = cuda.vectorize(function(z, c)
        local n = 0
        while n < 20 and cuda.abs(z) < 2 do
          z = z * z + c
          n = n + 1
        end
        return n, z
      end)
      local c = cuda.array({ cuda.complex(0, 1), cuda.complex(0.5, 0.5), 2 }, "complex64")
      local n, z = f(cuda.zeros(3, "complex64"), c)
      assert.same({ 20, 5, 1 }, n:totable())
      assert.equal("complex64", z.dtype)
      assert.equal(cuda.complex(2, 0), z[3])
    end)

    it("reads upvalues at each call, and calls their functions", function()
      local scale, config, list = 3, { offset = 1 }, { 10, 20, 30 }
      local function shifted(v) return v + config.offset end
      local f = cuda.vectorize(function(x) return scale * shifted(x) + list[x] end)
      local x = cuda.array({ 1, 3 }, "int64")
      assert.same({ 16, 42 }, f(x):totable())
      scale, config.offset = 2.5, 0
      local y = f(x)
      assert.same({ 12.5, 37.5 }, y:totable())
      assert.equal("float64", y.dtype)
      scale, config.offset = 3, 1
      assert.same({ 16, 42 }, f(x):totable())
    end)

    it("reads arrays among upvalues", function()
      local w, table_of = cuda.array{ 10, 20, 30 }, { bias = cuda.array({ 1, 2 }, "int32") }
      local function weight(k) return w[k] + table_of.bias[2] end
      local f = cuda.vectorize(function(k) return 2 * weight(k), #w end)
      local k = cuda.array({ 3, 1 }, "int64")
      local got, n = f(k)
      assert.same({ 64.0, 24.0 }, got:totable())
      assert.same({ 3, 3 }, n:totable())
      w[1] = 100
      assert.same({ 64.0, 204.0 }, f(k):totable())
      w = cuda.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "float64"):slice(2)
      table_of.bias = table_of.bias:slice{ 2, 1, -1 }
      got = f(k)
      assert.same({ 14.0, 10.0 }, got:totable())
      assert.equal("float64", got.dtype)
      w:close()
      assert.matches("'w' is a closed array", (helper.misuse(f, k)))
    end)

    it("shows its text and types", function()
      local twice = cuda.vectorize(function(x) local y = 2 * x return y end)
      local message = helper.misuse(function() return twice:source() end)
      assert.equal("twice: source: nothing is compiled yet: pass the arguments of a call", message)
      assert.matches(" luacuda_twice%(", twice:source(cuda.zeros(4)))
      assert.matches("%.entry [%w_]*luacuda_twice", twice:ptx())
      assert.same({ x = "float32", y = "float32" }, twice:types())
      assert.same({ x = "int!", y = "int!" }, twice:types(5))
      assert.matches("^luacuda.Vectorized twice %(.*vectorize_spec.lua:%d+%)$", tostring(twice))
      assert.matches(" luacuda_own%(",
        cuda.vectorize("function(x) return x end", { name = "own" }):source(1))
    end)

    it("refuses what it cannot compute, with the line", function()
      local array = cuda.zeros(2)
      local cases = {
        { function(x) return x + array end, "'+' takes numbers, and this is an array (float32, "
          .. "one axis)" },
        { function(x) return x + threadIdx.x end, "'threadIdx' is about threads, and the function "
          .. "computes one element: write a kernel with cuda.jit" },
        { function(x) return x + cuda.gpu.laneid end, "'cuda.gpu.laneid' is about threads, and "
          .. "the function computes one element: write a kernel with cuda.jit" },
        { function(x) if x > 0 then return x end end, "the function returns a value at " },
        { function(x) local _ = x end, "the function returns nothing: it computes one element of "
          .. "each result" },
        { function(x) if x > 0 then return x, 1 end return x end,
          "the function returns 1 values here, and 2 at " },
        { function(x) return x and 1 or 2 end, "a condition is a boolean, and this is float32" },
        { function(x) return x[1] end, "" },
      }
      for _, case in ipairs(cases) do
        local line = debug.getinfo(case[1], "S").linedefined
        local message = helper.misuse(cuda.vectorize(case[1]), cuda.zeros(3))
        local head, words = message:match "^vectorize: .-vectorize_spec%.lua:(%d+): (.*)$"
        assert.equal(line, math.tointeger(head), message)
        assert.equal(case[2], words:sub(1, #case[2]))
      end
    end)

    it("refuses wrong arguments", function()
      local f = cuda.vectorize(function(x, y) return x + y end)
      local x = cuda.zeros(3)
      local function refused(words, ...)
        assert.equal("f: " .. words, (helper.misuse(f, ...)))
      end
      refused("the function takes 2 arguments, got 1", x)
      refused("expected 2 inputs and at most 1 output, got 4 arguments", x, x, x, x)
      refused("argument 2 'y': expected an array, a number or a boolean, got a table: pass an "
        .. "array, made by cuda.array", x, { 1, 2, 3 })
      refused("argument 2 'y': expected an array, a number or a boolean, got nil", x, nil)
      refused("argument 2 'y': shape {2} does not broadcast with {3}", x, cuda.zeros(2))
      refused("argument 3 'out': expected float32 array, got int8 array", x, x,
        { out = cuda.zeros(3, "int8") })
      local closed = cuda.zeros(3)
      closed:close()
      assert.equal("attempt to use a closed Array", (helper.misuse(f, x, closed)))
      local s = cuda.struct("P", { { "x", "float32" } })
      assert.matches("'%+' takes numbers, and this is a struct 'P': name one of its fields$",
        helper.misuse(f, x, cuda.zeros(3, s)))
      assert.same({ 2.0, 2.0 }, cuda.vectorize(function(p, y) return p.x + y end)(
        cuda.ones(2):view(s), 1):totable())
      assert.matches("^f: cannot be a part of a fused function",
        helper.misuse(cuda.fuse(function(v) return f(v, v) end), x))
    end)

    it("refuses wrong declarations", function()
      local function refused(words, ...)
        assert.matches("^vectorize: .*" .. words, (helper.misuse(cuda.vectorize, ...)))
      end
      refused("expected a function or its text, got 5", 5)
      refused("'%.%.%.' cannot run on a device: name the parameters", "function(...) return 1 end")
      refused("the function has no parameters, so nothing gives the shape",
        "function() return 1 end")
      refused("expected a table of options such as { name = 5 }, got 5",
        "function(x) return x end", 5)
      refused("unknown option 'nam'", "function(x) return x end", { nam = "x" })
      refused("kernel name", "function(x) return x end", { name = "a b" })
      refused("too many arguments", "function(x) return x end", {}, 1)
    end)
  end)
end)
