local cuda = require "luacuda"
local helper = require "spec.helper"
local evaluate = require "spec.support.evaluate"

local function numbers(shape, dtype, seed)
  return cuda.random.generator(seed or 5):uniform(shape, { low = 0, high = 100, dtype = "float64" })
    :astype(dtype)
end

describe("interp, gradient, trapezoid", function()
  helper.for_each_device(function()
    it("interpolate between samples", function()
      local x = cuda.array({ { 0, 1, 1.5 }, { 2.75, 3, 3.5 } }, "float32")
      local y = cuda.interp(x, { 1, 2, 3 }, { 3, 2, 0 })
      assert.equal("float64", y.dtype)
      assert.same({ { 3, 3, 2.5 }, { 0.5, 0, 0 } }, y:totable())
      y = cuda.interp(x, { 1, 2, 3 }, { 3, 2, 0 }, { left = -1, right = 9 })
      assert.same({ { -1, 3, 2.5 }, { 0.5, 0, 9 } }, y:totable())
      assert.same({ 7, 5, 7 }, cuda.interp(cuda.array { 0, 1, 2 }, { 1 }, { 5 },
        { left = 7, right = 7 }):totable())
      assert.same({ 0 }, cuda.interp(cuda.empty(0), { 1 }, { 5 }).shape)
    end)

    it("integrate and differentiate by hand", function()
      local a = cuda.array({ 1, 2, 4, 7, 11, 16 }, "int32")
      assert.equal(32.5, a:trapezoid())
      assert.equal(16.25, cuda.trapezoid(a, { dx = 0.5 }))
      assert.equal(0, cuda.zeros(1):trapezoid())
      assert.equal(0, cuda.zeros(0):trapezoid())
      assert.same({ 1, 1.5, 2.5, 3.5, 4.5, 5 }, a:gradient():totable())
      local down, across = cuda.array { { 1, 2, 6 }, { 3, 4, 5 } }:gradient()
      assert.same({ { 2, 2, -1 }, { 2, 2, -1 } }, down:totable())
      assert.same({ { 1, 2.5, 4 }, { 1, 1, 1 } }, across:totable())
      assert.same({ 3, 0 }, (cuda.zeros { 3, 0 }:gradient { axis = 1 }).shape)
    end)

    it("refuse what they cannot take", function()
      local a, x = cuda.zeros(4), cuda.array { 1, 2 }
      helper.contains(helper.misuse(cuda.interp, a, { 1, 2 }, { 1 }),
        "interp: 'xp' has 2 elements, 'fp' has 1")
      helper.contains(helper.misuse(cuda.interp, a, {}, {}), "there are no samples")
      helper.contains(helper.misuse(cuda.interp, a, cuda.zeros { 2, 2 }, x), "expected one axis")
      helper.contains(helper.misuse(cuda.interp, cuda.zeros(2, "complex64"), x, x),
        "argument 1 'x': complex numbers have no order")
      helper.contains(helper.misuse(cuda.interp, a, x, x, { period = 0 }), "option 'period'")
      helper.contains(helper.misuse(cuda.interp, a, x, x, { left = "a" }), "option 'left'")
      helper.contains(helper.misuse(cuda.interp, 3, x, x), "argument 1 'x': expected an Array")
      helper.contains(helper.misuse(cuda.gradient, cuda.zeros(1)),
        "gradient: axis 1 has 1 elements; edge_order 1 takes 2 or more")
      helper.contains(helper.misuse(a.gradient, a, { edge_order = 3 }), "option 'edge_order'")
      helper.contains(helper.misuse(a.gradient, a, { spacing = x }),
        "expected 4 coordinates, one per element of axis 1")
      helper.contains(helper.misuse(a.gradient, a, { spacing = { 1, 2 } }), "2 for 1 axes")
      helper.contains(helper.misuse(a.gradient, a, { axis = { 1, 1 } }), "named twice")
      helper.contains(helper.misuse(a.gradient, cuda.array(1, "float32")), "without axes")
      helper.contains(helper.misuse(a.trapezoid, a, { dx = "a" }), "option 'dx'")
      helper.contains(helper.misuse(a.trapezoid, a, { x = a, dx = 1 }), "got both")
      helper.contains(helper.misuse(a.trapezoid, a, { x = 3 }), "option 'x': expected an Array")
    end)

    it("can be captured", function()
      local x, xp, fp = numbers(50, "float64"), cuda.arange(0, 100, 10), numbers(10, "float64", 2)
      local y, z = cuda.empty(50, "float64"), cuda.empty({}, "float64")
      local graph = cuda.graph(function()
        cuda.interp(x, xp, fp, { out = y, period = 90 })
        x:gradient():trapezoid { out = z }
      end)
      graph:launch()
      assert.same(cuda.interp(x, xp, fp, { period = 90 }):totable(), y:totable())
      assert.equal(x:gradient():trapezoid(), z:item())
    end)

    if not evaluate.available() then
      pending "Python has no NumPy"
      return
    end

    it("interpolate as NumPy", function()
      local inf, nan = math.huge, 0 / 0
      local x = numbers({ 40, 7 }, "float64")
      local xp, fp = numbers(30, "float32", 2):sort(), numbers(30, "float64", 3)
      local edge = cuda.array({ -inf, -3, 0, 1, 1.5, 2, 2.5, 3, 3.5, 4, 9, inf, nan }, "float64")
      local ep = cuda.array({ 0, 1, 2, 3, 4 }, "float64")
      local ef = cuda.array({ 1, inf, inf, 2, nan }, "float64")
      local want = evaluate.run({ x = x, xp = xp, fp = fp, edge = edge, ep = ep, ef = ef }, [[
r_plain = np.interp(x, xp, fp)
r_turned = np.interp(x.T[::2], xp, fp, left=-1, right=1e300)
r_complex = np.interp(x, xp, fp + 1j * fp[::-1])
r_period = np.interp(x - 50, xp, fp, period=-17.5)
r_edge = np.interp(edge, ep, ef)
r_same = np.interp(xp, xp, fp)
]])
      assert.same(want.plain:totable(), cuda.interp(x, xp, fp):totable())
      assert.same(want.turned:totable(), cuda.interp(x:transpose():slice({ 1, -1, 2 }), xp, fp,
        { left = -1, right = 1e300 }):totable())
      local backwards = fp:slice { -1, 1, -1 }
      local both = fp:astype "complex128" + backwards * cuda.complex(0, 1)
      helper.assert_close(want.complex:totable(), cuda.interp(x, xp, both),
        { dtype = "complex128" })
      assert.same(want.period:totable(), cuda.interp(x - 50, xp, fp, { period = -17.5 }):totable())
      helper.assert_close(want.edge:totable(), cuda.interp(edge, ep, ef), { rtol = 0, atol = 0 })
      assert.same(want.same:totable(), cuda.interp(xp, xp, fp):totable())
    end)

    for _, dtype in ipairs { "float64", "float32", "float16", "int16", "uint8", "complex64",
      "complex128", "bool" } do
      it("differentiate and integrate " .. dtype .. " as NumPy", function()
        local a = numbers({ 6, 5, 4 }, dtype)
        local p, q = numbers(6, "float64", 7):sort(), numbers(5, "float32", 8):sort()
        local want = evaluate.run({ a = a, p = p, q = q }, [[
a = a.astype("f4") if a.dtype == np.float16 else a.astype("f8") if a.dtype == bool else a
q = q.astype("f8")                # differences of coordinates are not rounded to float32
r_x, r_y, r_z = np.gradient(a)
r_x2, r_y2, r_z2 = np.gradient(a, 0.5, edge_order=2)
r_xp, r_yq = np.gradient(a, p, q, axis=(0, 1))
r_yq2 = np.gradient(a, q, axis=-2, edge_order=2)
r_mixed, _ = np.gradient(a[::2], 2, q, axis=(0, 1))
r_t = np.trapezoid(a.astype("f8") if a.dtype.kind in "iu" else a)
r_t2 = np.trapezoid(a.astype("f8") if a.dtype.kind in "iu" else a, x=p, axis=0)
]])
        local out = (dtype:find "float" or dtype:find "complex") and dtype or "float64"
        local near = { rtol = 2e-6, atol = 2e-5 }
        if out == "float16" then near = { rtol = 2e-3, atol = 1e-2 } end
        if out == "float64" or out == "complex128" then near = { rtol = 1e-12, atol = 1e-12 } end
        local function close(name, got)
          assert.equal(out, got.dtype)
          helper.assert_close(want[name]:totable(), got, near)
        end
        local x, y, z = a:gradient()
        close("x", x)
        close("y", y)
        close("z", z)
        x, y, z = cuda.gradient(a, { spacing = 0.5, edge_order = 2 })
        close("x2", x)
        close("y2", y)
        close("z2", z)
        x, y = a:gradient { spacing = { p, q }, axis = { 1, 2 } }
        close("xp", x)
        close("yq", y)
        close("yq2", (a:gradient { spacing = q, axis = -2, edge_order = 2 }))
        close("mixed", (a:slice({ 1, -1, 2 }):gradient { spacing = { 2, q }, axis = { 1, 2 } }))
        close("t", a:trapezoid())
        local t = a:trapezoid { x = p, axis = 1 }
        assert.equal(out:find "complex" and "complex128" or "float64", t.dtype)
        helper.assert_close(want.t2:totable(), t, near)
      end)
    end
  end)
end)
