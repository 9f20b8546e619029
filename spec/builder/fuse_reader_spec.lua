-- cuda.fuse reads functions: decisions by elements, against the same operators and cuda.where on
-- arrays; what follows a reduction; what a fused function depends on; functions without text.
local helper = require "spec.helper"
local cuda = require "luacuda"

helper.compile_quickly()

local misuse = helper.misuse

-- Are both values equal, NaN to NaN?
local function assert_same(want, got, what)
  assert.equals(cuda.type(want) or math.type(want), cuda.type(got) or math.type(got), what)
  if cuda.type(want) ~= "array" then return assert.equals(want, got, what) end
  assert.equals(want.dtype, got.dtype, what)
  assert.same(want.shape, got.shape, what)
  if want:tobytes() == got:tobytes() then return end
  local a, b = want:ravel():totable(), got:ravel():totable()
  for k, v in ipairs(a) do
    if v ~= b[k] and (v == v or b[k] == b[k]) then
      error(("%s: element %d is %s, expected %s"):format(what, k, b[k], v), 2)
    end
  end
end

-- fused(...) must give what `oracle` gives for arrays.
local function check(fn, oracle, ...)
  local fused = cuda.fuse(fn)
  local want, got = table.pack(oracle(...)), table.pack(fused(...))
  assert.equals(want.n, got.n)
  for k = 1, want.n do assert_same(want[k], got[k], "result " .. k) end
  return fused
end

local function stripped(fn) return load(string.dump(fn, true), "=stripped", "b") end

-- Random functions --------------------------------------------------------------------------------
-- An expression is { text = in Lua, value = function of x, y, s on arrays }.

local OPERATORS = {
  { "(%s + %s)", cuda.add }, { "(%s - %s)", cuda.subtract }, { "(%s * %s)", cuda.multiply },
  { "(%s / %s)", cuda.divide }, { "(%s // %s)", cuda.floor_divide }, { "(%s %% %s)", cuda.mod },
  { "cuda.maximum(%s, %s)", cuda.maximum }, { "%s:minimum(%s)", cuda.minimum },
}
local FUNCTIONS = {
  { "(-%s)", cuda.negative }, { "%s:abs()", cuda.abs }, { "cuda.sqrt(%s)", cuda.sqrt },
  { "cuda.square(%s)", cuda.square }, { "(%s ^ 2)", function(x) return x ^ 2 end },
  { "%s:floor()", cuda.floor },
}
local COMPARISONS = {
  { "%s < %s", cuda.lt }, { "%s <= %s", cuda.le }, { "%s > %s", cuda.gt }, { "%s >= %s", cuda.ge },
  { "%s == %s", cuda.eq }, { "%s ~= %s", cuda.ne },
}
local CONSTANTS = { 0, 1, 2, 3, 0.5, 2.5 }

local function pick(rng, list) return list[rng(#list) + 1] end

local expression

-- An operand: an array, or now and then a constant beside one.
local function leaf(rng, names)
  local name = pick(rng, names)
  return { text = name, value = function(env) return env[name] end }
end

local function constant(rng)
  local v = pick(rng, CONSTANTS)
  return { text = tostring(v), value = function() return v end }
end

local function apply(row, ...)
  local args, texts = { ... }, {}
  for k, arg in ipairs(args) do texts[k] = arg.text end
  return { text = row[1]:format(table.unpack(texts)), value = function(env)
    local values = {}
    for k, arg in ipairs(args) do values[k] = arg.value(env) end
    return row[2](table.unpack(values))
  end }
end

local function comparison(rng, depth, names)
  local right = rng(2) == 0 and constant(rng) or expression(rng, depth, names)
  return apply(pick(rng, COMPARISONS), expression(rng, depth, names), right)
end

local LOGIC = { { "(%s and %s)", cuda.logical_and }, { "(%s or %s)", cuda.logical_or },
  { "not (%s)", cuda.logical_not } }

local function condition(rng, depth, names)
  local row = LOGIC[rng(6) + 1]
  local c = comparison(rng, depth, names)
  if not row then return c end
  if row == LOGIC[3] then return apply(row, c) end
  return apply(row, { text = "(" .. c.text .. ")", value = c.value },
    apply({ "(%s)", function(v) return v end }, comparison(rng, depth, names)))
end

function expression(rng, depth, names)
  if depth == 0 then return leaf(rng, names) end
  local kind = rng(8)
  if kind < 4 then
    local right = rng(3) == 0 and constant(rng) or expression(rng, depth - 1, names)
    return apply(pick(rng, OPERATORS), expression(rng, depth - 1, names), right)
  elseif kind < 6 then return apply(pick(rng, FUNCTIONS), expression(rng, depth - 1, names))
  elseif kind == 6 then return leaf(rng, names) end
  local other = rng(2) == 0 and constant(rng) or expression(rng, depth - 1, names)
  return apply({ "(%s and %s or %s)", cuda.where }, condition(rng, 0, names),
    expression(rng, depth - 1, names), other)
end

-- The text of a function of x, y and s with branches, and a function of arrays that gives the same.
local function program(rng)
  local names, lines, steps = { "x", "y" }, {}, {}
  for k = 1, 2 do
    local name = "v" .. k
    local c, a, b = condition(rng, 1, names), expression(rng, 2, names), expression(rng, 1, names)
    lines[k] = ("  local %s\n  if %s then %s = %s else %s = %s end"):format(name, c.text, name,
      a.text, name, b.text)
    steps[k] = function(env) env[name] = cuda.where(c.value(env), a.value(env), b.value(env)) end
    names[#names + 1] = name
  end
  local first, second = expression(rng, 2, names), condition(rng, 1, names)
  local text = ("local cuda = ...\nreturn function(x, y)\n%s\n  return %s, %s\nend"):format(
    table.concat(lines, "\n"), first.text, second.text)
  return text, function(x, y)
    local env = { x = x, y = y }
    for _, step in ipairs(steps) do step(env) end
    return first.value(env), second.value(env)
  end
end

-- Without decisions: the function as it is, which is traced, and one with a decision that changes
-- nothing, which is compiled.
local function plain_program(rng)
  local e
  repeat e = expression(rng, 3, { "x", "y" }) until not e.text:find " and "
  local text = "local cuda = ...\nreturn function(x, y) %s return %s end"
  return load(text:format("", e.text))(cuda),
    load(text:format("local _ = x < 1", e.text))(cuda), e.text
end

local VALUES = {
  int = { -128, -7, -2, -1, 0, 1, 2, 3, 7, 100, 127 },
  uint = { 0, 1, 2, 3, 5, 7, 16, 100, 200, 254, 255 },
  float = { -100.5, -2.5, -1, -0.3, -0.0, 0.5, 1, 1.5, 3.25, 0 / 0, 1 / 0 },
}
local PAIRS = { { "float32", "float32" }, { "int8", "float32" }, { "float64", "int32" },
  { "int32", "int32" }, { "uint8", "int8" }, { "float16", "float32" } }

local function sample(dtype)
  local list = VALUES[dtype:match "^%a+"]
  return cuda.array(list, dtype)
end

local function arrays(types)
  local x, y = sample(types[1]), sample(types[2])
  return x, y:slice { -1, 1, -1 }
end

-- Both raise, or both give the same.
local function compare(want, got, text)
  assert(want[1] == got[1], ("%s\narrays: %s\nfused: %s"):format(text, want[2], got[2]))
  if not want[1] then return false end
  for k = 2, want.n do assert_same(want[k], got[k], ("%s\nresult %d"):format(text, k - 1)) end
  return true
end

helper.for_each_device(function()
  describe("a random function", function()
    for seed, types in ipairs(PAIRS) do
      it("with decisions gives what cuda.where gives: " .. table.concat(types, ", "), function()
        local rng, ran = helper.random(seed), 0
        local x, y = arrays(types)
        for _ = 1, 4 do
          local text, oracle = program(rng)
          local fused = cuda.fuse(load(text)(cuda))
          if compare(table.pack(pcall(oracle, x, y)), table.pack(pcall(fused, x, y)), text) then
            ran = ran + 1
          end
        end
        assert(ran >= 1, "no function ran")
      end)

      it("gives the same traced and compiled: " .. table.concat(types, ", "), function()
        local rng = helper.random(100 + seed)
        local x, y = arrays(types)
        for _ = 1, 4 do
          local traced, compiled, text = plain_program(rng)
          compare(table.pack(pcall(cuda.fuse(traced), x, y)),
            table.pack(pcall(cuda.fuse(compiled), x, y)), text)
        end
      end)
    end
  end)

  describe("decisions by elements", function()
    local x

    before_each(function() x = cuda.array({ -2, -1, 0, 1, 2 }, "float32") end)

    it("in branches and loops", function()
      local f = cuda.fuse(function(a)
        local count = 0
        while a > 1 do
          a = a / 2
          count = count + 1
        end
        if count == 0 then return 0, a end
        return count, a
      end)
      local n, rest = f(cuda.array({ 0.5, 1, 3, 100 }, "float64"))
      assert.equals("int64", n.dtype)
      assert.same({ 0, 0, 2, 7 }, n:totable())
      assert.same({ 0.5, 1, 0.75, 0.78125 }, rest:totable())
    end)

    it("with numbers, booleans and missing arguments", function()
      local f = check(function(a, lo, hi, up)
        hi = hi or 1.5
        if up then a = a + 1 end
        return a < lo and lo or a > hi and hi or a
      end, function(a, lo, hi, up)
        a = up and a + 1 or a
        return cuda.where(a:lt(lo), lo, cuda.where(a:gt(hi or 1.5), hi or 1.5, a))
      end, x, -1)
      assert.same({ -1, -1, 0, 0.5, 0.5 }, f(x, -1, 0.5):totable())
      assert.same({ -1, 0, 1, 2, 2 }, f(x, -1, 2, true):totable())
      assert.matches("1000 is out of range for int8", misuse(f, x:astype "int8", -1, 1000))
    end)

    it("keep numbers weak", function()
      local i8 = cuda.array({ -3, 0, 3 }, "int8")
      local a, b, c = cuda.fuse(function(v)
        return v < 0 and 1 or v, v < 0 and 1 or 0, v < 0 and 0.5 or 1.5
      end)(i8)
      assert.same({ "int8", "int64", "float32" }, { a.dtype, b.dtype, c.dtype })
      assert.same({ 1, 0, 3 }, a:totable())
    end)

    it("with numbers that Lua computes from arguments", function()
      local i8 = cuda.array({ -3, 0, 3 }, "int8")
      local f = check(function(v, n)
        local k = n * 2 - 1
        return v < 0 and v * k or v + (n // 2), v < 0 and v / n ^ 2 or v
      end, function(v)
        return cuda.where(v:lt(0), v * 5, v + 1), cuda.where(v:lt(0), v / 9.0, v)
      end, i8, 3)
      assert.matches("199 is out of range for int8", misuse(f, i8, 100))
    end)

    it("refuse numbers that a dtype does not hold", function()
      local function raised(fn, ...) return misuse(cuda.fuse(fn), ...) end
      local i8 = x:astype "int8"
      assert.matches("300 does not fit int8",
        raised(function(a) return a < 0 and a + 300 or a end, i8))
      assert.matches("300 does not fit int8", raised(function(a) return a < 0 and 300 or a end, i8))
      assert.matches("1e%+300 is out of range for float32",
        raised(function(a) return a < 0 and a * 1e300 or a end, x))
      for _, fn in ipairs{ function(a, n) return a < 0 and a + n or a end,
        function(a, n) return a < 0 and n or a end,
        function(a, n) local k = n return a < 0 and a - k or a end,
        function(a, n)
          local function add(v, m) return v + m end
          return a < 0 and add(a, n) or a
        end } do
        assert.matches("300 is out of range for int8", raised(fn, i8, 300))
        assert.matches("1e%+300 is out of range for float32", raised(fn, x, 1e300))
      end
    end)

    it("compare missing arguments with nil", function()
      local f = cuda.fuse(function(a, y)
        if y ~= nil then a = a * 2 end
        if y == nil then a = a * 10 end
        return a < 0 and 0 or a
      end)
      assert.same({ 0, 0, 0, 10, 20 }, f(x):totable())
      assert.same({ 0, 0, 0, 2, 4 }, f(x, 1):totable())
    end)

    it("take elements of boolean arrays, and numbers for true", function()
      local mask = cuda.array({ true, false, true, false, true })
      check(function(a, m) return m and a or -a, not m, a and 1 or 0 end,
        function(a, m) return cuda.where(m, a, -a), m:logical_not(), cuda.ones(5, "int64") end,
        x, mask)
    end)

    it("in local functions, upvalues, other fused functions and math", function()
      local relu = cuda.fuse(function(v) return v < 0 and 0 or v end)
      local function step(v) return v < 0 and -1 or 1 end
      check(function(a)
        local function twice(v) if v < 1 then return v end return 2 * v end
        return relu(a) + step(a) * twice(a), math.floor(a * 0.7), math.max(a, 0.0)
      end, function(a)
        local twice = cuda.where(a:lt(1), a, a * 2)
        return cuda.where(a:lt(0), 0, a) + cuda.where(a:lt(0), -twice, twice),
          cuda.floor(a * 0.7):astype "int64", cuda.maximum(a, 0.0)
      end, x)
    end)

    it("in functions and methods of arrays that give booleans", function()
      local nan = cuda.array({ -1, 0 / 0, 1, 2, 3 }, "float32")
      check(function(a)
        if a:lt(0) then return 5 end
        if cuda.isnan(a) then return 7 end
        return cuda.logical_and(a > 1, a < 3) and a or 0
      end, function(a)
        local last = cuda.where(a:gt(1) & a:lt(3), a, 0)
        return cuda.where(a:lt(0), 5, cuda.where(a:isnan(), 7, last))
      end, nan)
    end)

    it("in functions that locals stand for", function()
      local function relu(v) return v < 0 and 0 or v end
      local function twice(v) return 2 * v end
      local acts = { relu = relu, deep = { relu = relu, twice = twice }, list = { twice, relu } }
      for name, fn in pairs {
        ["an upvalue"] = function(a) local f = relu return f(a) end,
        ["a field"] = function(a) local f = acts.relu return f(a) end,
        ["a field of a local"] = function(a) local t = acts local f = t.deep.relu return f(a) end,
        ["a table"] = function(a) local t = acts.deep return t.relu(a) end,
        ["an item"] = function(a) local f = acts.list[2] return f(a) end,
        ["a function"] = function(a)
          local f = function(v) return v < 0 and 0 or v end
          return f(a)
        end,
        ["a local"] = function(a) local f = relu local g = (f) return g(a) end,
        ["one of several"] = function(a) local n, f, g = 1, relu, twice return g(f(a)) / 2 * n end,
        ["one that is not called first"] = function(a)
          local f, g = twice, relu
          return g(f(a)) / 2
        end,
        ["a second one"] = function(a) local f = twice f = relu return f(a) end,
        ["a late one"] = function(a) local f f = relu return f(a) end,
        ["a function of a function"] = function(a)
          local f = relu
          local function g(v) local h = f return h(v) end
          return g(a)
        end,
      } do
        local f = cuda.fuse(fn)
        assert.same({ 0, 0, 0, 1, 2 }, f(x):totable(), name)
        assert.is_nil(f:source(x):find("^// traced"), name)
      end
      -- decisions by constants are left to a trace, which takes reductions in functions
      local function times(v, n) if n > 1 then v = v * n end return v:sum() end
      local y = x + 3
      local config = { times = times, deep = { times = times }, n = 2 }
      for name, fn in pairs {
        ["an upvalue"] = function(a) local f = times return f(a, 2) end,
        ["a field"] = function(a) local f = config.deep.times return f(a, config.n) end,
        ["a table"] = function(a) local t = config return t.deep.times(a, t.n) end,
        ["a function"] = function(a)
          local f = function(v, n) return times(n > 1 and v * n or v, 1) end
          return f(a, 2)
        end,
        ["a local function"] = function(a)
          local function f(v, n) return times(n > 1 and v * n or v, 1) end
          local g = f
          return g(a, 2)
        end,
        ["a number"] = function(a) local n = config.n return times(a, n) end,
      } do
        assert.equal((y * 2):sum(), cuda.fuse(fn)(y), name)
      end
    end)

    it("in functions that are known through parameters and metatables", function()
      local function relu(v) return v < 0 and 0 or v end
      local function call(f, v) return f(v) end
      local model = setmetatable({ bias = 1 }, { __index = {
        act = function(_, v) return v < 0 and 0 or v end,
        forward = function(self, v) return self:act(v + self.bias) end,
      }, __call = function(self, v) return self:forward(v) end })
      assert.same({ 0, 0, 0, 1, 2 }, cuda.fuse(function(a) return call(relu, a) end)(x):totable())
      local function raised(fn) return misuse(cuda.fuse(fn), x) end
      -- a kernel has no methods of tables, but decisions in them are seen
      assert.matches("'forward' is called as a method of a Lua table",
        raised(function(a) return model:forward(a) end))
      assert.matches("this cannot be called", raised(function(a) return model(a) end))
    end)

    it("with astype, which converts as for arrays", function()
      local wide = cuda.array({ -300.7, -1.5, 2.9, 1e6, 0 / 0 }, "float32")
      check(function(a) return a < 0 and a:astype "int8" or 1, a:astype("bool") == true end,
        function(a)
          return cuda.where(a:lt(0), a:astype "int8", 1), a:astype "bool"
        end, wide)
    end)

    it("of different shapes", function()
      local row = cuda.array({ -1, 1 }, "float32")
      local col = cuda.array({ -2, 0, 3 }, "float32"):reshape { 3, 1 }
      check(function(a, b) return a < 0 and 0 or a, a < b, b < 0, 7 end, function(a, b)
        return cuda.where(a:lt(0), 0, a), cuda.lt(a, b), cuda.lt(b, 0),
          cuda.full({ 3, 2 }, 7, "int64")
      end, row, col)
    end)

    it("know sizes of arguments", function()
      check(function(a, b)
        local n, m = #a, b.shape[2]
        if a < n - 4 then return n, m * b.ndim, a.size end
        return 0, 1, 2
      end, function(a)
        local c = cuda.lt(a, 1)
        return cuda.where(c, 5, 0), cuda.where(c, 10, 1), cuda.where(c, 5, 2)
      end, x, cuda.ones { 3, 5 })
      check(function(a) return a / #a, #a, a.shape[1] * 2 end,
        function(a) return a / 5, 5, 10 end, x)
    end)
  end)

  describe("after a reduction", function()
    local x, y

    before_each(function()
      x = cuda.arange(60, "float32"):divide(7):sin():reshape { 3, 4, 5 }
      y = cuda.arange(20, "int32"):reshape { 4, 5 }
    end)

    it("numbers are those that Lua computes", function()
      check(function(a) return a:max() * 2 + 1, (a < 0 and 0 or a):max() / 3, a:argmax() // 2 end,
        function(a) return a:max() * 2 + 1, cuda.maximum(a, 0):max() / 3, a:argmax() // 2 end, x)
      check(function(a) return cuda.sqrt(a:max()), -a:min(), a:max() - a:min() end,
        function(a) return cuda.sqrt(a:max()), -a:min(), a:max() - a:min() end, x)
      check(function(a) return cuda.sqrt((a * a):sum() / #a) end,
        function(a) return cuda.sqrt((a * a):sum() / #a) end, y)
    end)

    it("kernels go on with its value", function()
      local softmax = check(function(a)
        local e = cuda.exp(a - a:max { axis = -1, keepdims = true })
        return e / e:max { axis = -1, keepdims = true }
      end, function(a)
        local e = cuda.exp(a - a:max { axis = -1, keepdims = true })
        return e / e:max { axis = -1, keepdims = true }
      end, x)
      local _, kernels = softmax:source(x):gsub("__global__", "")
      assert.is_true(kernels >= 3, kernels .. " kernels")
      check(function(a, b) return a - a:max(), b - b:min(), b * b:sum(), b + b:max { axis = 1 } end,
        function(a, b) return a - a:max(), b - b:min(), b * b:sum(), b + b:max { axis = 1 } end,
        x, y)
      check(function(a) local m = a:max() return m, a / m, m end,
        function(a) return a:max(), a / a:max(), a:max() end, x)
    end)

    it("decisions go on with its value", function()
      check(function(a, b)
        local m = a:max()
        if a == m then return 1.0, 0 end
        return a / m, b
      end, function(a, b)
        local c = a:eq(a:max())
        return cuda.where(c, 1.0, a / a:max()), cuda.where(c, 0, b)
      end, x, y)
      check(function(a)
        local positive = a > 0 and a or 0
        local m, s = positive:max(), cuda.min(positive + 1)
        return positive / m, m, m * 2 + s, cuda.sqrt(m), (a > 0):any()
      end, function(a)
        local positive = cuda.maximum(a, 0)
        local m = positive:max()
        return positive / m, m, m * 2 + 1, cuda.sqrt(m), true
      end, x)
      check(function(a)
        if a:max() > 0.5 then a = -a end
        local low = a < a:max { axis = 1, keepdims = true } and a or 0
        return low, low:min { axis = { 1, 2 } }
      end, function(a)
        local b = -a
        local low = cuda.where(b:lt(b:max { axis = 1, keepdims = true }), b, 0)
        return low, low:min { axis = { 1, 2 } }
      end, x)
    end)

    it("results are written to out", function()
      local out, m = cuda.empty({ 3, 4, 5 }, "float32"), cuda.empty({}, "float32")
      local f = cuda.fuse(function(a)
        local most = a:max()
        return a - most, most, most < a
      end)
      local a, b = f(x, { out = { out, m } })
      assert.equals(out, a)
      assert.equals(m, b)
      assert_same(x - x:max(), out, "out")
      assert.equals(x:max(), m:item())
      assert.matches("result 1 is a number, computed from reduced values",
        misuse(cuda.fuse(function(v) return v:max() + 1 end), x, { out = m }))
    end)

    it("integers do not wrap around", function()
      local f = cuda.fuse(function(a) return a - a:sum() end)
      assert.matches("out of range for int8", misuse(f, cuda.full(100, 100, "int8")))
      local g = cuda.fuse(function(a) local s = a:sum() return a < 0 and a or a - s end)
      assert.matches("out of range for int8", misuse(g, cuda.full(100, 100, "int8")))
    end)

    it("a reduction cannot depend on a decision", function()
      local function raised(fn) return misuse(cuda.fuse(fn), x) end
      local line = helper.line_of("the mark " .. "of a branch")
      assert.matches(("^fuse: .*fuse_reader_spec.lua:%d: 'sum' cannot be called here"):format(line),
        raised(function(a)
          if a > 0 then return a:sum() end -- the mark of a branch
          return a
        end))
      assert.matches("'max' cannot be called here", raised(function(a)
        local function norm(v) return v / v:max() end
        return a < 0 and norm(a) or a
      end))
      assert.matches("an option of a reduction is a constant",
        raised(function(a) local k = 1 return a < a:max { axis = k } end))
    end)
  end)

  describe("a fused function depends on", function()
    local x

    before_each(function() x = cuda.array({ -1, 2 }, "float32") end)

    it("globals and fields of tables", function()
      local config = { scale = 2, inner = { shift = 1 } }
      local env = setmetatable({ cuda = cuda, config = config, gain = 3 }, { __index = _G })
      local f = cuda.fuse(load([[return function(a)
        return a * config.scale * gain + config.inner.shift
      end]], "=(load)", "t", env)())
      local g = cuda.fuse(function(a) return a < 0 and config.scale or config["inner"].shift end)
      assert.same({ -5, 13 }, f(x):totable())
      assert.same({ 2, 1 }, g(x):totable())
      config.scale = 4
      assert.same({ 4, 1 }, g(x):totable())
      config.inner = { shift = 0.5 }
      assert.same({ 4, 0.5 }, g(x):totable())
    end)

    it("globals of a chunk whose text is known", function()
      local text = "gain = 3\nreturn function(a) return a * gain, a < 0 and gain or 0 end"
      local env = {}
      local f = cuda.fuse(load(text, text, "t", env)())
      assert.same({ -3, 6 }, f(x):totable())
      env.gain = 5
      assert.same({ -5, 10 }, f(x):totable())
      assert.same({ 5, 0 }, select(2, f(x)):totable())
      assert.is_nil((f:source():find "// traced"))
    end)

    it("tables that it reads as a whole", function()
      local weights = { 1, 2, deep = { 3 } }
      local f = cuda.fuse(function(a)
        local sum = 0
        for k = 1, #weights do sum = sum + a * weights[k] end
        local own = weights.deep
        return sum + own[1]
      end)
      assert.same({ 0, 9 }, f(x):totable())
      weights[2] = 4
      assert.same({ -2, 13 }, f(x):totable())
      weights[3] = 1
      assert.same({ -3, 15 }, f(x):totable())
      weights.deep[1] = 0
      assert.same({ -6, 12 }, f(x):totable())
    end)

    it("not on large tables as a whole, and says so", function()
      local large = {}
      for k = 1, 1001 do large[k] = k end
      local f = cuda.fuse(function(a) return a * large[#large] end)
      f(x)
      assert.matches("^// changes of 'large' are not noticed", f:source())
      local g = cuda.fuse(function(a) return a < 0 and 0 or a * large[3] end)
      assert.same({ 0, 6 }, g(x):totable())
      large[3] = 4
      assert.same({ 0, 8 }, g(x):totable())
    end)

    it("each field of nested tables that it reads", function()
      local deep = { a = { b = { c = 2, [3] = 4 } }, list = { { 5 }, { 6 } }, name = "sin" }
      local function plain(v)
        local sum = v * deep.a.b.c + deep.a.b[3] - deep.list[2][1]
        for k = 1, #deep.list do sum = sum + deep.list[k][1] * v end
        return v < 0 and math[deep.name](sum) or sum
      end
      local f = cuda.fuse(plain)
      local x64 = cuda.array({ -1, 2 }, "float64")
      local function agree(label)
        for _ = 1, 2 do
          helper.assert_close({ plain(-1.0), plain(2.0) }, f(x64):totable(),
            { dtype = "float64", message = label })
        end
      end
      agree "first"
      for _, change in ipairs{
        function() deep.a.b.c = 3 end,
        function() deep.a.b[3] = 5 end,
        function() deep.a.b = { c = 7, [3] = 4 } end,
        function() deep.a = { b = { c = 7.5, [3] = 4 } } end,
        function() deep.list[2][1] = 9 end,
        function() deep.list[2] = { 11 } end,
        function() deep.list[3] = { 13 } end,
        function() deep.list[3][1] = 14 end,
        function() deep.list[3] = nil end,
        function() deep.name = "cos" end,
        function() deep = { a = deep.a, list = { { 1 }, { 2 } }, name = "sin" } end,
        function() deep.list[1][1] = 1.5 end,
      } do
        change()
        agree "changed"
      end
    end)

    it("functions in tables and their upvalues", function()
      local k = 2
      local ops = { act = function(v) return v < 0 and 0 or v * k end }
      local f = cuda.fuse(function(a) return ops.act(a) end)
      assert.same({ 0, 4 }, f(x):totable())
      k = 3
      assert.same({ 0, 6 }, f(x):totable())
      function ops.act(v) return v > 0 and 0 or v end
      assert.same({ -1, 0 }, f(x):totable())
    end)

    it("no more than it reads, and not on what it writes", function()
      local state = { used = 1, other = 1, log = {} }
      local f = cuda.fuse(function(a)
        state.log[#state.log + 1] = "traced"
        return a * 2
      end)
      f(x)
      f(x)
      assert.equals(1, #f:cached())
      local g = cuda.fuse(function(a) return a * state.used end)
      g(x)
      local source = g:source()
      state.other = 2
      g(x)
      assert.equals(source, g:source())
    end)
  end)

  describe("a function without text", function()
    it("is traced, and says so", function()
      local x = cuda.arange(3, "float32")
      local f = cuda.fuse(stripped(function(a) return a * 2 + 1 end))
      assert.same({ 1, 3, 5 }, f(x):totable())
      local first = f:source():match "^[^\n]*"
      assert.matches("^// traced: decisions of Lua and changes of globals and fields are not ",
        first)
      assert.matches("compiled without line numbers", first)
      local inner = stripped(function(v) return v * v end)
      local g = cuda.fuse(function(a) return inner(a) end)
      g(x)
      assert.matches("^// traced: .*a function that it calls", g:source())
    end)

    it("of the library says nothing", function()
      local f = cuda.fuse(cuda.sqrt)
      f(cuda.ones(3))
      assert.is_nil((f:source():find "// traced"))
    end)
  end)

  describe("errors of compiled functions", function()
    it("name the line of Lua", function()
      local x = cuda.ones(3)
      local function raised(fn, ...) return misuse(cuda.fuse(fn), ...) end
      local HERE = "^fuse: .*fuse_reader_spec.lua:%d+: "
      assert.matches(HERE .. "'type' cannot run", raised(function(a) return type(a) == "x" end, x))
      assert.matches(HERE .. "'reshape' cannot be called here",
        raised(function(a) return a:reshape(3) < 2 end, x))
      assert.matches(HERE .. "'cuda.cumsum' cannot be called here",
        raised(function(a) return cuda.cumsum(a) < 2 end, x))
      assert.matches(HERE .. "arrays have no 'sqr'", raised(function(a) return a:sqr() < 2 end, x))
      assert.matches("argument 2 'z': .* cuda.complex64",
        raised(function(a, z) return a < 0 and a * z or a end, x, cuda.complex(1, 2)))
    end)
  end)
end)
