-- cuda.fuse: a fused function gives the results of its operators applied one by one, bit for bit;
-- when it is traced again; misuse.
local helper = require "spec.helper"
local cuda = require "luacuda"
local dtypes = require "luacuda.base.dtypes"

helper.compile_quickly()

local misuse = helper.misuse

-- The bits of a NaN are the processor's choice, and differ between compiled and interpreted code.
local function bytes_of(x)
  if dtypes.of(x.dtype).kind == "float" then x = cuda.where(cuda.isnan(x), 0 / 0, x) end
  return x:tobytes()
end

local function assert_bits(want, got, what)
  if type(want) ~= "userdata" or cuda.type(want) ~= "array" then
    assert.equals(math.type(want), math.type(got), what)
    assert.equals(tostring(want), tostring(got), what)
    return
  end
  assert.equals("array", cuda.type(got), what)
  assert.equals(want.dtype, got.dtype, what)
  assert.same(want.shape, got.shape, what)
  if bytes_of(want) ~= bytes_of(got) then
    error(("%s:\n  one by one %s\n  fused      %s"):format(what, want, got), 2)
  end
end

-- The fused fn must give the same results as fn for these arguments. Returns the fused function.
local function check(fn, ...)
  local fused = cuda.fuse(fn)
  local want, got = table.pack(fn(...)), table.pack(fused(...))
  assert.equals(want.n, got.n)
  for k = 1, want.n do assert_bits(want[k], got[k], ("result %d"):format(k)) end
  return fused
end

local VALUES = {
  bool = { true, false, true, true, false },
  int = { -128, -7, -1, 0, 1, 2, 3, 7, 100, 127 },
  uint = { 0, 1, 2, 3, 7, 16, 100, 200, 255 },
  float = { -100.5, -2.5, -1, -0.3, -0.0, 0.0, 0.1, 0.5, 0.7, 1, 1.5, 2, 3.25, 100.7,
    1 / 0, -1 / 0, 0 / 0 },
}

local function complex_values()
  local list = {}
  for _, re in ipairs { -1.5, 0.0, 0.3, 2 } do
    for _, im in ipairs { -0.7, 0.0, 1.25 } do list[#list + 1] = cuda.complex(re, im) end
  end
  return list
end

local function sample(dtype)
  local kind = dtypes.of(dtype).kind
  return cuda.array(kind == "complex" and complex_values() or VALUES[kind], dtype)
end

-- All pairs of two samples, as arrays of shapes {n, 1} and {m}.
local function pairs_of(x, y)
  local a, b = sample(x), sample(y)
  return a:reshape { a.size, 1 }, b
end

local UNARY = [[ negative bitwise_not logical_not sqrt cbrt square reciprocal exp exp2 expm1 log
  log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh deg2rad rad2deg floor
  ceil trunc rint round abs sign real imag conj angle isnan isinf isfinite signbit erf erfc tgamma
  lgamma ]]
local BINARY = [[ add subtract multiply divide floor_divide mod power maximum minimum fmax fmin
  bitwise_and bitwise_or bitwise_xor left_shift right_shift eq ne lt le gt ge logical_and logical_or
  logical_xor hypot atan2 copysign fmod ]]

-- The functions among `names` that accept these arguments, with their results.
local function taken(names, ...)
  local list = {}
  for name in names:gmatch "%S+" do
    local ok, want = pcall(cuda[name], ...)
    if ok then list[#list + 1] = { name = name, want = want } end
  end
  return list
end

-- CUDA's own functions with these names may round differently in a kernel that contains others of
-- them.
local NEARLY = { erf = true, erfc = true, tgamma = true, lgamma = true }

local function assert_near(want, got)
  helper.assert_close(want:totable(), got:totable(), { dtype = want.dtype })
end

-- Checks all functions of a list, many in one fused function.
local function check_functions(names, ...)
  local list, at, args = taken(names, ...), 1, { ... }
  assert(#list > 0)
  while at <= #list do
    local last = math.min(at + 15, #list)
    local fused = cuda.fuse(function(...)
      local results = {}
      for k = at, last do results[#results + 1] = cuda[list[k].name](...) end
      return table.unpack(results)
    end)
    local got = { fused(table.unpack(args)) }
    for k = at, last do
      local name = list[k].name
      local compare = NEARLY[name] and assert_near or assert_bits
      compare(list[k].want, got[k - at + 1], name)
    end
    at = last + 1
  end
end

helper.for_each_device(function(device)
  describe("fused functions agree with", function()
    for _, dtype in ipairs {
      "bool", "int8", "uint64", "float16", "float32", "float64", "complex64",
    } do
      it("functions of one argument: " .. dtype, function()
        check_functions(UNARY, sample(dtype))
      end)
    end

    for _, types in ipairs { { "int8", "int8" }, { "int8", "uint8" }, {
      "float32", "float32",
    }, { "float16", "bfloat16" }, { "float16", "int8" }, { "complex64", "float32" } } do
      it("functions of two: " .. table.concat(types, " and "), function()
        check_functions(BINARY, pairs_of(types[1], types[2]))
      end)
    end

    it("functions of an array and a Lua number", function()
      for _, row in ipairs { { "uint8", 3 }, { "int32", 2.5 }, { "float16", 7 }, { "bool", 2 } } do
        local x, s = sample(row[1]), row[2]
        check_functions(BINARY, x, s)
        check(function(a) return a + s, s - a, a * s, s / a end, x)
      end
    end)

    it("the operators", function()
      local x, y = cuda.array({ 5, -7, 9, 2 }, "int32"), cuda.array({ 2, 3, -4, 1 }, "int32")
      check(function(a, b) return a + b, a - b, a * b, a / b, a // b, a % b, a ^ 2, -a end, x, y)
      check(function(a, b)
        return a & b, a | b, a ~ b, ~a, a << b, a >> 1, 3 - a, 7 // a, 1 << b
      end, x, y)
      local c = cuda.array({ cuda.complex(1, 2), cuda.complex(-1, 0.5) }, "complex64")
      check(function(a)
        return a * cuda.complex(0, 1) + 2, cuda.complex(1, 1) - a, a / (a + 1), -a
      end, c)
    end)

    it("powers with constant exponents", function()
      for _, dtype in ipairs { "float16", "float32", "float64", "complex64", "int16" } do
        check(function(a) return a ^ 2, a ^ 3, a ^ 0, a ^ 1 end,
          sample(dtype == "int16" and "int8" or dtype):astype(dtype))
      end
      check(function(a) return a ^ 0.5, a ^ 0.3, a ^ -1, a / 3, a % 0.7, 2 ^ a end,
        sample "float32")
    end)

    it("methods", function()
      local x, y = sample "float32", cuda.full(#VALUES.float, 0.75)
      check(function(a, b) return a:sin():abs(), a:maximum(b), a:lt(b), a:eq(b):logical_not() end,
        x, y)
      check(function(a) return a:round(1), a:round(-1), a:round(0), a:round() end, x)
      check(function(a, b)
        return a:gt(b):where(a, b), a:hypot(b), a:atan2(b), a:copysign(b), a:fmod(b)
      end, x, y)
    end)

    it("where and clip", function()
      local x, y = sample "float32", cuda.full(#VALUES.float, 3, "int32")
      check(function(a, b)
        return cuda.where(a:gt(0), a, b), cuda.where(a, 1, 0), cuda.where(a:isnan(), 0.5, a)
      end, x, y)
      check(function(a) return cuda.clip(a, -1, 1), a:clip(0, nil), a:clip(nil, 2.5) end, x)
    end)

    it("astype", function()
      for _, from in ipairs { "int16", "float32", "bool", "complex64" } do
        check(function(a)
          return a:astype "float16", a:astype "int8", a:astype "f64", a:astype "uint64",
            a:astype "bool", a:astype "bf16", a:astype "c128"
        end, sample(from == "int16" and "int8" or from):astype(from))
      end
    end)

    it("rounding between the operations", function()
      local n = 1000
      for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64", "complex64" } do
        local x = cuda.arange(n, "float64"):divide(37):sin():astype(dtype)
        local y = cuda.arange(n, "float64"):divide(11):cos():astype(dtype)
        check(function(a, b)
          return a * b + a, a * b - b * b, (a * a - b) * b + 1, a:square() + b:exp()
        end, x, y)
      end
      local i8 = cuda.arange(-128, 128, "int8")
      check(function(a)
        return a * a + a, (a + a) // 3, (a << 3) >> 1, (a * 7):astype "int32" * 300
      end, i8)
      check(function(a) return a * 2.5, a / 3, (a + 0.1):astype "float16" end, i8)
    end)

    it("any layout", function()
      local x = cuda.arange(24, "float32"):reshape { 2, 3, 4 }
      local y = cuda.arange(12, "int16"):reshape { 4, 3 }:transpose()
      check(function(a, b) return a * 2 + b, a:gt(b) end, x, y)
      check(function(a) return a / a.shape[-1] + a.shape[-3] * a.size end, x)
      check(function(a, b) return a - b end, x:slice({}, { -1, 1, -1 }), x)
      check(function(a, b) return a + b end, cuda.zeros { 0, 3 }, cuda.ones { 3 })
      check(function(a, b) return a + b end, cuda.full({}, 3), cuda.full({}, 4))
    end)

    it("results of different shapes", function()
      local x, y = cuda.arange(3, "float32"), cuda.arange(6, "float32"):reshape { 2, 3 }
      local fused = check(function(a, b) return a + 1, a * b, b - 1 end, x, y)
      local a, b, c = fused(y, y)
      assert_bits(y + 1, a, "a")
      assert_bits(y * y, b, "b")
      assert_bits(y - 1, c, "c")
      assert_bits(x + 1, (cuda.fuse(function(a1, _) return a1 + 1 end)(x, y)), "unused")
    end)

    it("boolean arguments, which the function may test", function()
      local x = cuda.arange(4, "float32")
      local function step(a, up, s)
        return (up and a + s or a - s), up == true, cuda.where(up, a, s), a:eq(0) & up, not up
      end
      local fused = cuda.fuse(step)
      for _, up in ipairs { false, true, false } do
        local got, want = { fused(x, up, 2) }, { step(x, up, 2) }
        assert_bits(want[1], got[1], "chosen by Lua")
        assert.same({ up, up, up, up }, got[2]:totable())
        assert_bits(want[3], got[3], "chosen by where")
        assert_bits(want[4], got[4], "a constant of an operator")
        assert.is_equal(not up, got[5]:item(1))
      end
      assert.equals(2, #fused:cached())
      assert.same({ "float32", "false", "int" }, fused:cached()[1].arguments)
    end)

    it("number arguments", function()
      local x = cuda.arange(5, "float32")
      local fused = check(function(a, s, t) return a * s + t, a ^ (s * 2 - t), (a + s) // t end, x,
        3, 2)
      for _, values in ipairs { { 4, 3 }, { 0.5, -2 }, { -1, 0.3 }, { 2, 2.5 } } do
        local s, t = values[1], values[2]
        local a, b, c = fused(x, s, t)
        assert_bits(x * s + t, a, "sum")
        assert_bits(x ^ (s * 2 - t), b, "power")
        assert_bits((x + s) // t, c, "quotient")
      end
      check(function(a, flag) return cuda.where(flag, a, 0) end, x, true)
      check(function(a, z) return a * z + z * 2 end, x, cuda.complex(1, -2))
      check(function(a, s) return a + s end, cuda.arange(5, "int8"), cuda.int16(1000))
      check(function(a, b, s) return a + s, b * s end, cuda.arange(3, "uint8"),
        cuda.arange(3, "float64"), 7)
    end)
  end)

  describe("fused functions with constants", function()
    it("of dtypes that no argument has", function()
      local x = cuda.arange(4, "float32")
      for _, s in ipairs {
        cuda.float16(1), cuda.bfloat16(1), cuda.complex(1, 0), cuda.complex128(1),
      } do
        check(function(a)
          return a + s, a:eq(s), cuda.where(a:gt(1), s, s):eq(a), cuda.any(a:lt(s))
        end, x)
        check(function(a) return cuda.lt(s, a) end, x)
      end
    end)
  end)

  describe("fused reductions", function()
    local function input()
      return cuda.arange(60, "float32"):divide(7):sin():reshape { 3, 4, 5 },
        cuda.arange(60, "float32"):divide(5):cos():reshape { 3, 4, 5 }
    end

    it("end a function", function()
      local x, y = input()
      for name in ("sum prod min max mean any all argmin argmax count_nonzero"):gmatch "%S+" do
        check(function(a, b) return cuda[name](a * b, { axis = -1 }) end, x, y)
        check(function(a, b) return (a - b)[name](a - b, { axis = { 1, 3 }, keepdims = true }) end,
          x, y)
      end
    end)

    it("over all elements are Lua values", function()
      local x, y = input()
      check(function(a, b)
        return cuda.max(a * b), cuda.argmin(a - b), cuda.any(a:gt(2)), a:lt(b):count_nonzero()
      end, x, y)
      helper.assert_close(cuda.sum(x * y),
        cuda.fuse(function(a, b) return cuda.sum(a * b) end)(x, y))
      local out = cuda.empty({}, "float32")
      assert.equals(out, (cuda.fuse(function(a) return (a + 1):sum() end)(x, { out = out })))
      helper.assert_close((x + 1):sum(), out:item())
    end)

    it("over all elements can be false", function()
      local x = cuda.arange(4, "float32")
      for name in ("any all max min"):gmatch "%S+" do
        check(function(a) return a:lt(-1)[name](a:lt(-1)) end, x)
      end
    end)

    it("take dtype, numbers and other types", function()
      local x = cuda.arange(100, "int8")
      local fused = check(function(a, s)
        return (a * s):sum { dtype = "float64" }, (a * s):sum(), cuda.sum(a:sqrt(), { axis = 1 })
      end, x, 3)
      assert_bits((x * 5):sum(), (select(2, fused(x, 5))), "s = 5")
      check(function(a) return cuda.sum(a) end, x)
      local c = cuda.array(complex_values(), "complex64")
      check(function(a) return cuda.max(a * a, { axis = 1 }) end, c)
    end)

    it("combine with other results", function()
      local x, y = input()
      check(function(a, b) return a + b, cuda.max(a, { axis = 1 }), a - b, cuda.min(b) end, x, y)
    end)

    it("take options that are known before", function()
      local x = cuda.ones(3)
      assert.matches("^sum: option 'out' is not possible inside a fused function",
        misuse(function() cuda.fuse(function(a) return a:sum { out = a } end)(x) end))
      assert.matches("^sum: option 'axis': k is an argument of the fused function",
        misuse(function() cuda.fuse(function(a, k) return a:sum { axis = k } end)(x, 1) end))
    end)
  end)

  describe("results", function()
    it("have the number that the function returns", function()
      local x = cuda.arange(4, "float32")
      local a, b, c, d = cuda.fuse(function(v) return v + 1, v, 3, 2.5 end)(x)
      helper.assert_close({ 1, 2, 3, 4 }, a)
      helper.assert_close({ 0, 1, 2, 3 }, b)
      assert.not_equals(x, b)
      helper.assert_close({ 3, 3, 3, 3 }, c)
      assert.same({ "int64", "float32" }, { c.dtype, d.dtype })
      local t, s = cuda.fuse(function(_, k) return true, k end)(x, 7)
      assert.same({ true, true, true, true }, t:totable())
      assert.same({ 7, 7, 7, 7 }, s:totable())
    end)

    it("are written to out", function()
      local x, out, more = cuda.arange(4, "float32"), cuda.empty(4), cuda.empty(4, "bool")
      local f = cuda.fuse(function(a, s) return a * s, a:gt(1) end)
      local a, b = f(x, 2, { out = { out, more } })
      assert.equals(out, a)
      assert.equals(more, b)
      helper.assert_close({ 0, 2, 4, 6 }, out)
      assert.same({ false, false, true, true }, more:totable())
      local g = cuda.fuse(function(v) return v + 1 end)
      assert.equals(x, (g(x, { out = x })))
      helper.assert_close({ 1, 2, 3, 4 }, x)
      assert.matches("'out'", misuse(g, x, { out = cuda.empty(4, "int32") }))
      assert.matches("shape", misuse(g, x, { out = cuda.empty(5) }))
      local h = cuda.fuse(function(v, w, s) return v + s * 2, w * 2 end)
      local y, o1, o2 = cuda.ones { 2, 4 }, cuda.empty(4), cuda.empty { 2, 4 }
      h(x, y, 3, { out = { o1, o2 } })
      helper.assert_close({ 7, 8, 9, 10 }, o1)
      assert.matches("^fused: option 'out': expected a list of 2 arrays",
        misuse(h, x, y, 3, { out = o1 }))
      assert.matches("^fused: unknown option 'ouf'; did you mean 'out'",
        misuse(h, x, y, 3, { ouf = o1 }))
    end)

    it("follow a stream", function()
      local s, x = cuda.stream(), cuda.arange(1000, "float32")
      local y = cuda.fuse(function(a) return a * 2 + 1 end)(x, { stream = s })
      local z = cuda.fuse(function(a, k) return (a * (k + 1)):sum { axis = 1 } end)(x,
        1, { stream = s })
      s:synchronize()
      assert.equals(1999, y[1000])
      assert.equals(999000, z:item())
    end)

    it("for numbers alone come from the function itself", function()
      local f = cuda.fuse(function(a, b) return a * b, math.type(a) end)
      assert.same({ 6, "integer" }, { f(2, 3) })
      assert.same({ 5.0, "float" }, { f(2.5, 2) })
      assert.matches("^fused: options were given, but no argument is an array",
        misuse(f, 2, 3, { out = cuda.ones(1) }))
      local yielding = coroutine.wrap(function(a)
        return cuda.fuse(function(b) return coroutine.yield(b + 1) end)(a)
      end)
      assert.equals(2, yielding(1))
      assert.equals("x", yielding "x")
    end)

    it("of host arrays are computed by the CPU device", function()
      local x = cuda.host(4)
      x:fill(3)
      local y = cuda.fuse(function(a) return a * a end)(x)
      assert.equals("cpu", y.device.name:lower():match "cpu" or y.device.kind)
      helper.assert_close({ 9, 9, 9, 9 }, y)
    end)
  end)

  describe("a function is traced", function()
    -- Returns a function of x, and a table whose first element counts the calls of `body`.
    local function counted(body)
      local count = { 0 }
      return cuda.fuse(function(...)
        count[1] = count[1] + 1
        return body(...)
      end), count
    end

    it("once for each combination of argument kinds", function()
      local f, count = counted(function(a, b) return a + b end)
      local x, i = cuda.arange(3, "float32"), cuda.arange(3, "int32")
      for _ = 1, 3 do
        f(x, x)
        f(x, i)
        f(x, 2)
        f(x, 3)
        f(x, 2.5)
        f(x, cuda.float32(2))
      end
      assert.equals(5, count[1])
      f(cuda.ones { 2, 3 }, x:slice { 1, 3, 1 })
      assert.equals(5, count[1])
      assert.equals(5, #f:cached())
      assert.same({ "float32", "=float32" }, f:cached()[1].arguments)
    end)

    it("again when an upvalue changes", function()
      local scale, name, flag, nothing = 2, "sin", true, nil
      local f, count = counted(function(a)
        if nothing then return a * 0 end
        return flag and cuda[name](a) * scale or a
      end)
      local x = cuda.arange(3, "float32")
      assert_bits(cuda.sin(x) * 2, f(x), "first")
      scale = 3
      assert_bits(cuda.sin(x) * 3, f(x), "scale")
      name = "cos"
      assert_bits(cuda.cos(x) * 3, f(x), "name")
      flag = false
      assert_bits(x, f(x), "flag")
      nothing = 1
      assert_bits(x * 0, f(x), "nothing")
      assert.equals(5, count[1])
      scale, name, flag, nothing = 2, "sin", true, nil
      assert_bits(cuda.sin(x) * 2, f(x), "as before")
      assert.equals(5, count[1])
    end)

    it("again when a number changes its type or sign", function()
      local v = 1
      local f, count = counted(function(a) return a * v end)
      local x = cuda.array({ 1, 2 }, "int32")
      assert.equals("int32", f(x).dtype)
      v = 1.0
      assert.equals("float64", f(x).dtype)
      v = 0.0
      assert.equals("inf", tostring(1 / f(x)[1]))
      v = -0.0
      assert.equals("-inf", tostring(1 / f(x)[1]))
      v = 0 / 0
      f(x)
      f(x)
      assert.equals(5, count[1])
    end)

    it("again when an upvalue becomes a neighboring float", function()
      local rng = helper.random(12)
      for _ = 1, 12 do
        local low = (rng(2001) - 1000.5) * 2.0 ^ (rng(200) - 100)
        local high = ("<d"):unpack(("<i8"):pack(("<i8"):unpack(("<d"):pack(low)) + 1))
        local v, t = low, { inner = { v = low } }
        local f, count = counted(function(a) return a * v, a + t.inner.v end)
        local x = cuda.array({ 1, 0 }, "float64")
        for k, value in ipairs{ low, high, low, high } do
          v, t.inner.v = value, value
          local product, total = f(x)
          assert.equals(value, product[1])
          assert.equals(value, total[2])
          assert.equals(math.min(k, 2), count[1])
        end
        local text = "return function(a) return a * %a end"
        for _, value in ipairs{ low, high } do
          local g = cuda.fuse(load(text:format(value))())
          assert.equals(value, g(x)[1])
        end
      end
    end)

    it("again when an upvalue of a function among its upvalues changes", function()
      local factor = 2
      local function inner(a) return a * factor end
      local function middle(a) return inner(a) + 1 end
      local f = cuda.fuse(function(a) return middle(a) end)
      local x = cuda.arange(3, "float32")
      assert_bits(x * 2 + 1, f(x), "2")
      factor = 5
      assert_bits(x * 5 + 1, f(x), "5")
      function inner(a) return a - factor end
      assert_bits(x - 5 + 1, f(x), "function")
    end)

    it("with functions of the module among its upvalues", function()
      local sum, where, round, gt = cuda.sum, cuda.where, cuda.round, cuda.gt
      check(function(a) return where(gt(a, 1), round(a * 1.26, 1), 0), sum(a) end,
        cuda.arange(3, "float32"))
    end)

    it("once for equal closures", function()
      local count = { 0 }
      local x = cuda.arange(3, "float32")
      for i = 1, 10 do
        local k = i % 2
        local f = cuda.fuse(function(a)
          count[1] = count[1] + 1
          return a + k
        end)
        assert_bits(x + k, f(x), "closure")
      end
      assert.equals(2, count[1])
    end)

    it("also if it was loaded from text or belongs to the module", function()
      local x = cuda.arange(3, "float32")
      assert_bits(x * x + 1, cuda.fuse(load "local a = ... return a * a + 1")(x), "chunk")
      assert_bits(x * 3,
        cuda.fuse(load("return function(a) return a * 3 end", "=stdin")())(x), "stdin")
      assert_bits(cuda.sqrt(x), cuda.fuse(cuda.sqrt)(x), "cuda.sqrt")
    end)

    it("with a warning if it happens very often", function()
      local said, k = {}, 0
      local ok, out = helper.lua([[
        local cuda = require "luacuda"
        cuda.use "cpu"
        local k = 0
        local f = cuda.fuse(function(a) return a + k end, { name = "creeping" })
        local x = cuda.ones(0)
        warn "@on"
        for i = 1, 120 do k = i; f(x) end
      ]])
      assert.is_true(ok, out)
      local _, times = out:gsub("creeping %(.-%) was traced 100 times", "")
      assert.equals(1, times, out)
      assert.same({ {}, 0 }, { said, k })
    end)

    it("inside another, which inlines it", function()
      local x = cuda.arange(4, "float32")
      local square = cuda.fuse(function(a) return a * a end)
      local f = cuda.fuse(function(a, b) return square(a) + square(b) - square(3) end)
      assert_bits(x * x + (x + 1) * (x + 1) - 9, f(x, x + 1), "squares")
      assert.equals(1, #f:cached())
      assert.equals(0, #square:cached())
      local function power(a, n) return n == 0 and 1 or a * power(a, n - 1) end
      local cube = cuda.fuse(function(a) return power(a, 3) end)
      assert_bits(x * (x * x), cube(x), "recursive")
    end)

    it("with inner functions that change elements, globals and variables around them", function()
      local x = sample "float32"
      check(function(a)
        local parts, sum = {}, 0
        local function put(i, v) parts[i] = v end
        local function add(v) sum = sum + v end
        put(1, a * 2)
        add(parts[1])
        put(1, a - 1)
        add(parts[1] * a)
        return sum, parts[1]
      end, x)
      check(function(a)
        local function put(v) fuse_spec_global = v end -- luacheck: ignore
        put(a * 3)
        local got = fuse_spec_global -- luacheck: ignore
        fuse_spec_global = nil -- luacheck: ignore
        return got + a
      end, x)
    end)

    it("with each expression once", function()
      local f = cuda.fuse(function(a, b)
        local d = (a - b) * (a - b)
        return d + (a - b), d * 2
      end)
      local x = cuda.arange(4, "float32")
      f(x, x)
      local _, times = f:source():gsub("= _lcu_subtract_f32_f32_f32%(", "")
      assert.equals(1, times)
    end)
  end)

  describe("a fused function", function()
    local x

    before_each(function() x = cuda.arange(3, "float32") end)

    local function stripped(body) return load(string.dump(body, true), "=stripped", "b") end

    local function raised(body, ...)
      local f, args = cuda.fuse(body), table.pack(...)
      return misuse(function() f(table.unpack(args, 1, args.n)) end)
    end

    it("has a name, source and PTX", function()
      local where = device.label -- an upvalue, so that a trace from another device is not reused
      local f = cuda.fuse(function(a, s) return where and a * (s + 1) end, { name = "scaled" })
      assert.equals("scaled", f.name)
      assert.equals("luacuda.Fused scaled", tostring(f))
      assert.matches("^scaled: source: nothing is traced yet", misuse(f.source, f))
      assert.matches("__global__ void __launch_bounds__%(%d+%) scaled%(", f:source(x, 2))
      assert.matches("_lcu_multiply_f32", f:source())
      assert.matches("_lcu_multiply_i32", f:source(x:astype "int32", 2))
      assert.matches("_lcu_multiply_i32", f:source())
      f(x, 2)
      assert.matches("%.entry", f:ptx())
      local rows = f:cached()
      assert.same({ "float32", "int" }, rows[1].arguments)
      assert.same({ "float32" }, rows[1].results)
      assert.is_true(#rows[1].kernels >= 1)
      assert.equals(device, rows[1].kernels[1].device)
      local r = cuda.fuse(function(a) return cuda.sum(a * a) end)
      assert.matches("_lcu_fused", r:source(x))
      assert.matches("%.entry", r:ptx(x))
    end)

    it("takes parameter names reserved in C++, and more arguments than it names", function()
      check(function(int, n, i, out, class, float32) return int + n * i - out / class + float32 end,
        x, x + 1, 2, x + 3, x + 4, 6)
      check(function(NULL, assert, min, T, t4) return NULL + assert * min - T + t4 end, x, x, x, x,
        x)
      check(function(...)
        local a, b = ...
        return a + b
      end, x, x)
      check(function(a, b) return cuda.sum(a - b, { axis = 1 }) end, x, x)
    end)

    it("reports what cannot be traced", function()
      -- functions whose text is not known
      assert.matches(
        "^fuse: arg1 has no value yet: '<' or '>' makes one boolean of all elements; use cuda.lt",
        raised(stripped(function(a) return a < 1 and a or -a end), x))
      assert.matches("use cuda.lt", raised(stripped(function(a) return 1 < a end), x))
      assert.matches("use cuda.le", raised(stripped(function(a, b) return a >= b end), x, x))
      assert.matches("use cuda.eq", raised(stripped(function(a, b) return a == b end), x, x))
      assert.matches("^fuse: add%(a, 1%) has no length", raised(function(a) return #(a + 1) end, x))
      assert.matches("^fuse: a cannot be indexed", raised(function(a) return a[1] end, x))
      assert.matches("^fuse: a cannot be indexed",
        raised(function(a) return ipairs(a)(a, 0) end, x))
      assert.matches("^fuse: a cannot be iterated over",
        raised(function(a) return pairs(a) end, x))
      assert.matches("^fuse: a cannot become text", raised(function(a) return "v" .. a end, x))
      assert.matches("^fuse: a cannot be assigned to", raised(function(a) a[1] = 3 return a end, x))
      assert.matches("^fuse: negative%(a%) has no 'shape' while a function is fused",
        raised(function(a) return (-a).shape[1] end, x))
      assert.matches("^fuse: the shape of an argument has only numbers here",
        raised(function(a) return a.shape.n end, x))
      assert.matches("^fuse: reshape cannot be fused",
        raised(function(a) return a:reshape(3) end, x))
      assert.matches("^fuse: matmul cannot be fused", raised(function(a) return a:matmul(a) end, x))
      assert.matches("^fuse: cumsum cannot be fused", raised(function(a) return a:cumsum() end, x))
      assert.matches("^fuse: a has no 'sqr'; did you mean 'sqrt'",
        raised(function(a) return a:sqr() end, x))
      assert.equals("luacuda.Traced float32 multiply(a, 2)", (function()
        local text, where = nil, device.label
        cuda.fuse(function(a) text = where and tostring(a * 2) return a end)(x)
        return text
      end)())
    end)

    it("reports errors of operations inside", function()
      local bytes, truth = x:astype "uint8", x:gt(1)
      assert.equals("add: argument 2 'y': 300 is out of range for uint8 (0 to 255)",
        raised(function(a) return a + 300 end, bytes))
      assert.matches("^negative: argument 1 'x': booleans have no negative",
        raised(function(a) return -a end, truth))
      assert.matches("^add: argument 2 'y': expected an array or a number, got string",
        raised(function(a) return a + "1" end, x))
      assert.matches("^multiply: argument 2 'y': the array is not an argument of the fused "
        .. "function: pass it as one", raised(function(a) return a * x end, x))
      assert.matches("^multiply: argument 1 'x': the array is not an argument",
        raised(function(a) return x * a end, x))
      assert.matches("^sqrt: options are not possible inside a fused function",
        raised(function(a) return cuda.sqrt(a, { out = x }) end, x))
      assert.matches("^sqrt: .*numbers, not arrays",
        raised(function(a, s) return a + cuda.sqrt(s) end, x, 2))
      local kernel = cuda.elementwise("T a", "T b", "b = a", "own")
      assert.matches("^own: .*cannot be fused", raised(function(a) return kernel(a) end, x))
      assert.matches("^fused: the fused function returned nothing", raised(function() end, x))
      assert.matches("^fused: result 2 of the fused function is nil",
        raised(function(a) return a, nil end, x))
      assert.matches("^fused: result 1 of the fused function is a table; return several values",
        raised(function(a) return { a } end, x))
    end)

    it("refuses wrong options before the function is traced", function()
      local f = cuda.fuse(function(a, settings) return a * settings.gain end)
      assert.equals("fused: unknown option 'gain'; options are out, stream",
        misuse(f, cuda.ones(3), { gain = 2 }))
      local double = cuda.fuse(function(a) return a + a end)
      for _ = 1, 2 do -- before the kernel exists, and after
        assert.matches("unknown option 'device'", misuse(double, cuda.ones(3), { device = "cpu" }))
        double(cuda.ones(3))
      end
    end)

    it("takes arrays and numbers only", function()
      local f = cuda.fuse(function(a, b) return a + b end)
      assert.equals("fused: argument 2: expected an array or a number, got nil", misuse(f, x, nil))
      assert.equals("fused: argument 1: expected an array or a number, got string",
        misuse(f, "x", x))
      assert.equals("fuse: expected a function, got nil", misuse(cuda.fuse))
      assert.matches("^fuse: unknown option 'nam'; did you mean 'name'",
        misuse(cuda.fuse, print, { nam = "x" }))
      assert.matches("^fuse: kernel name 'a b' is not a name",
        misuse(cuda.fuse, print, { name = "a b" }))
      local closed = cuda.ones(2)
      closed:free()
      assert.matches("closed Array", misuse(f, closed, 2))
      assert.equals("fused: argument 2 'b': shape {2} does not broadcast with {3}",
        misuse(f, x, cuda.ones(2)))
      local g = cuda.fuse(function(a, s) return a + 7 // s end)
      local ok, message = pcall(g, x, 0)
      assert.is_false(ok)
      assert.matches("^fused:1: attempt to ", message)
      local OUTSIDE = ": cannot be fused: .*call it outside of the fused function"
      assert.matches("^matmul" .. OUTSIDE, raised(function(a) return cuda.matmul(a, a) end, x))
      assert.matches("^cumsum" .. OUTSIDE, raised(function(a) return cuda.cumsum(a) end, x))
      assert.matches("^stack" .. OUTSIDE, raised(function(a) return cuda.stack { a, a } end, x))
      assert.matches("^nan_to_num" .. OUTSIDE,
        raised(function(a) return cuda.nan_to_num(a) end, x))
    end)

    it("passes errors on and leaks nothing", function()
      local kept, fails = nil, true
      local f = cuda.fuse(function(a)
        kept = a * 2
        if fails then error "on purpose" end
        return kept
      end)
      local ok, message = pcall(f, x)
      assert.is_false(ok)
      assert.matches("fuse_spec.lua:%d+: on purpose$", message)
      fails = false
      assert_bits(x * 2, f(x), "afterwards")
      local thrown = {}
      local _, got = pcall(cuda.fuse(function() error(thrown) end), x)
      assert.equals(thrown, got)
      assert.matches("stood for an argument while its function was fused",
        misuse(function() return kept + 1 end))
      assert.matches("belongs to another fused function", raised(function(a)
        local inner, where = nil, device.label
        cuda.fuse(function(b)
          inner = where and b + 1
          return b
        end)(x:astype "int8")
        return inner + a
      end, x))
      local yielding = cuda.fuse(function(a) return coroutine.yield(a) end)
      assert.is_false(pcall(coroutine.wrap(function() return yielding(x) end)))
    end)
  end)
end)
