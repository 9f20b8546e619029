-- var, std, nanvar and nanstd against NumPy in double precision: large offsets, outliers, layouts.
-- In most cases a run takes two of the four, others in every run.
local helper = require "spec.helper"
local numpy = require "spec.support.numpy_oracle"
local cuda = require "luacuda"

helper.compile_quickly()

local NAMES = { "var", "std", "nanvar", "nanstd" }
local function drawn() return { NAMES[math.random(1, 2)], NAMES[math.random(3, 4)] } end

-- in which NumPy computes; it squares distances from a rounded mean
local WIDER = { complex64 = "complex128", float64 = "longdouble" }

-- Noise of deviation 1 about `offset`, some of it NaN if asked.
local function noise(shape, offset, dtype, with_nan)
  local rng = cuda.random.generator(11)
  local a = (rng:normal(shape, { dtype = "float64" }) + offset):astype(dtype)
  if with_nan then a = cuda.where(rng:uniform(shape):lt(0.2), 0 / 0, a):astype(dtype) end
  return a
end

-- Cases for an array called `x`, in the precision of `wide`.
local function add_cases(cases, x, a, axes, wide, options)
  for _, axis in ipairs(axes) do
    for _, name in ipairs(drawn()) do
      local opts = { axis = axis }
      local list = {}
      for k, d in ipairs(type(axis) == "table" and axis or { axis }) do list[k] = d - 1 end
      local more = ""
      for key, value in pairs(options or {}) do
        opts[key] = value
        if key ~= "rtol" then more = more .. (", %s=%s"):format(key, value) end
      end
      local rtol = opts.rtol
      opts.rtol = nil
      cases[#cases + 1] = {
        ("np.%s(%s.astype('%s'), axis=(%s,)%s).astype(np.%s(%s).dtype)"):format(name, x, wide,
          table.concat(list, ", "), more, name, x),
        function() return cuda[name](a, opts) end, rtol = rtol }
    end
  end
end

describe("Variances", function()
  if not numpy.found then
    pending "Python has no NumPy"
    return
  end

  helper.for_each_device(function()
    it("lose nothing to an offset", function()
      local arrays, cases = {}, {}
      for _, case in ipairs { { "float32", 1e6, 1e-4 }, { "float32", -3e7, 1e-3 },
        { "float64", 1e12, 1e-7 }, { "complex64", 1e5, 1e-4 } } do
        local dtype, offset, rtol = table.unpack(case)
        for _, shape in ipairs { { 40, 500 }, { 3, 9001 }, { 6000, 3 }, { 13, 5, 70 } } do
          local x = ("x%d"):format(#cases)
          arrays[x] = noise(shape, offset, dtype)
          local axes = { 1, 2, { 1, 2 }, #shape > 2 and { 1, 3 } or nil }
          add_cases(cases, x, arrays[x], axes, WIDER[dtype] or "float64",
            { rtol = rtol, ddof = 1 })
        end
      end
      numpy.check(arrays, cases)
    end)

    it("take an outlier anywhere", function()
      local arrays, cases = {}, {}
      for k, at in ipairs { 1, 2, 17, 700, 5000 } do
        local x = noise(5000, 3, "float32")
        x[at] = 1e6
        arrays["x" .. k] = x
        add_cases(cases, "x" .. k, x, { 1 }, "float64", { rtol = 1e-5 })
      end
      numpy.check(arrays, cases)
    end)

    it("leave out NaN only if asked", function()
      local arrays, cases = {}, {}
      for _, dtype in ipairs { "float32", "float16", "float64" } do
        local x = "x_" .. dtype
        arrays[x] = noise({ 60, 301 }, 50, dtype, true)
        add_cases(cases, x, arrays[x], { 1, 2, { 1, 2 } }, "float64",
          { rtol = dtype == "float16" and 2e-3 or 1e-5 })
      end
      numpy.check(arrays, cases)
    end)

    it("of integers", function()
      local arrays, cases = {}, {}
      helper.for_all_dtypes(function(dtype, row)
        if row.kind ~= "int" and row.kind ~= "uint" and row.kind ~= "bool" then return end
        local x, options = "x_" .. dtype, { dtype = dtype }
        options.low, options.high = row.kind == "int" and -100 or 0, row.kind == "bool" and 2 or 128
        if row.kind == "bool" then options.dtype = "uint8" end
        local a = cuda.random.generator(3):integers(options.low, options.high - 1, { 50, 303 },
          { dtype = options.dtype })
        arrays[x] = row.kind == "bool" and a:astype "bool" or a
        add_cases(cases, x, arrays[x], { 1, 2, { 1, 2 } }, "float64", { rtol = 1e-13, ddof = 2 })
      end)
      local same = cuda.full(5001, -128, "int8")
      same[5001] = 127
      arrays.same = same
      add_cases(cases, "same", same, { 1 }, "float64", { rtol = 1e-13 })
      numpy.check(arrays, cases)
    end)

    it("of views, infinities, single elements and none", function()
      local a, cases = noise({ 30, 44 }, 7, "float32"), {}
      local inf = cuda.array({ 1, 2, math.huge, 4 }, "float32")
      local arrays = { a = a, inf = inf }
      for _, name in ipairs(NAMES) do
        local function add(text, fn, rtol)
          cases[#cases + 1] = { ("np.%s(%s)"):format(name, text), fn, rtol = rtol or 1e-5 }
        end
        add("a[::-2, 3:40:3], 1",
          function() return cuda[name](a:slice({ 30, 1, -2 }, { 4, 40, 3 }), { axis = 2 }) end)
        add("a.T, 1", function() return cuda[name](a:transpose(), { axis = 2 }) end)
        add("np.broadcast_to(a[0], (9, 44)), 1",
          function() return cuda[name](a[1]:broadcast_to { 9, 44 }, { axis = 2 }) end)
        add("inf", function() return cuda[name](inf) end)
        add("inf[2:3], 0", function() return cuda[name](inf:slice { 3, 3 }, { axis = 1 }) end)
        add("a[:1], 0", function() return cuda[name](a:slice { 1, 1 }, { axis = 1 }) end)
        add("a[:0], 0", function() return cuda[name](a:slice { 1, 0 }, { axis = 1 }) end)
        add("a[:, :0], 0", function() return cuda[name](a:slice({}, { 1, 0 }), { axis = 1 }) end)
      end
      numpy.check(arrays, cases)
    end)

    it("give the same bits each time", function()
      local a = noise({ 300, 700 }, 1e5, "float32")
      local first = a:var { axis = 1 }:tobytes()
      for _ = 1, 3 do assert.equal(first, a:var { axis = 1 }:tobytes()) end
      assert.equal(a:std { axis = { 1, 2 } }:item(), a:std())
    end)
  end)
end)
