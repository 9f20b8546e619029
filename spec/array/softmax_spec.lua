local cuda = require "luacuda"
local helper = require "spec.helper"
local evaluate = require "spec.support.evaluate"

-- Random numbers of a shape, between -span and span.
local function numbers(shape, dtype, span)
  return cuda.random.generator(5):uniform(shape, { low = -span, high = span }):astype(dtype)
end

describe("softmax", function()
  helper.for_each_device(function()
    for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int8", "uint16",
      "int64" } do
      it("agrees with the plain formula for " .. dtype, function()
        local span = dtype:find "16" and 8 or 60
        local a = numbers({ 7, 5 }, dtype, span):abs()
        local rows, most, sum = a:astype("float64"):totable(), {}, {}
        local soft, logs = {}, {}
        for i, row in ipairs(rows) do
          most[i], sum[i] = math.max(table.unpack(row)), 0
          for _, x in ipairs(row) do sum[i] = sum[i] + math.exp(x - most[i]) end
          soft[i], logs[i] = {}, {}
          for j, x in ipairs(row) do
            soft[i][j] = math.exp(x - most[i]) / sum[i]
            logs[i][j] = x - most[i] - math.log(sum[i])
          end
          sum[i] = most[i] + math.log(sum[i])
        end
        local out = a.dtype:find "float" and a.dtype or "float64"
        local near = { dtype = out, rtol = out == "float32" and 4e-6 or nil }
        assert.equal(out, a:softmax().dtype)
        helper.assert_close(soft, a:softmax { axis = 2 }, near)
        helper.assert_close(soft, a:transpose():softmax { axis = 1 }:transpose(), near)
        helper.assert_close(logs, cuda.log_softmax(a, { axis = -1 }), near)
        helper.assert_close(sum, a:logsumexp { axis = 2 }, near)
      end)
    end

    it("takes integers at any address", function()
      for shift = 1, 8 do
        local a = cuda.zeros(16, "int8"):slice { shift, shift + 7 }
        assert.same({ 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125 },
          a:softmax():totable())
      end
    end)

    it("does not overflow, and keeps small probabilities in log_softmax", function()
      local a = cuda.array({ 1e30, 0, -1e30 }, "float32")
      assert.same({ 1, 0, 0 }, a:softmax():totable())
      helper.assert_close({ 0, -1e30, -2e30 }, a:log_softmax():totable())
      assert.near(1000 + math.log(3), cuda.full(3, 1000, "float32"):logsumexp(), 1e-4)
    end)

    it("follows the formula for infinities and NaN", function()
      local inf, nan = math.huge, 0 / 0
      local a = cuda.array({ { inf, 1, 2 }, { -inf, -inf, -inf }, { nan, 1, 2 }, { -inf, 1, 1 },
        { 1, 2, nan } }, "float64")
      helper.assert_close({ { nan, nan, nan }, { nan, nan, nan }, { nan, nan, nan },
        { 0, 0.5, 0.5 }, { nan, nan, nan } }, a:softmax { axis = 2 })
      local half = math.log(0.5)
      helper.assert_close({ { nan, -inf, -inf }, { nan, nan, nan }, { nan, nan, nan },
        { -inf, half, half }, { nan, nan, nan } }, a:log_softmax { axis = 2 })
      helper.assert_close({ inf, -inf, nan, 1 - half, nan }, a:logsumexp { axis = 2 })
    end)

    it("takes several axes, keepdims, out and views", function()
      local a = numbers({ 3, 4, 10 }, "float32", 3)
      local view = a:slice({}, {}, { 10, 2, -3 })
      local all = view:softmax()
      assert.near(1, all:sum(), 1e-6)
      assert.same({ 3, 4, 3 }, all.shape)
      local some = view:softmax { axis = { 1, 3 } }
      helper.assert_close({ 1, 1, 1, 1 }, some:sum { axis = { 1, 3 } })
      assert.same({ 1, 4, 1 }, view:logsumexp { axis = { 1, 3 }, keepdims = true }.shape)
      local want = view:softmax { axis = 2 }:totable()
      assert.equal(view, view:softmax { axis = 2, out = view })
      assert.same(want, view:totable())
      -- an overlapping result
      local row = cuda.arange(11, "float32")
      want = row:slice { 1, 10 }:log_softmax():totable()
      row:slice { 1, 10 }:log_softmax { out = row:slice { 2, 11 } }
      helper.assert_close(want, row:slice { 2, 11 })
    end)

    it("takes arrays without elements and without axes", function()
      assert.same({ 3, 0 }, cuda.empty { 3, 0 }:softmax { axis = 2 }.shape)
      assert.same({ 0, 3 }, cuda.empty { 0, 3 }:log_softmax { axis = 1 }.shape)
      assert.same({ -math.huge, -math.huge }, cuda.empty { 2, 0 }:logsumexp { axis = 2 }:totable())
      assert.equal(-math.huge, cuda.empty(0):logsumexp())
      assert.equal(1, cuda.array(5, "float32"):softmax():item())
      assert.equal(5, cuda.array(5, "float32"):logsumexp())
    end)

    it("sums many elements", function()
      local n = 300001
      assert.near(2 + math.log(n), cuda.full(n, 2, "float32"):logsumexp(), 1e-4)
      assert.near(1, cuda.random.generator(1):normal(n):softmax():sum(), 1e-4)
    end)

    it("can be captured", function()
      local a, y = numbers(100, "float32", 2), cuda.empty(100)
      local graph = cuda.graph(function() a:softmax { out = y } end)
      graph:launch()
      helper.assert_close(a:softmax():totable(), y)
    end)

    it("refuses what it cannot take", function()
      local a = cuda.zeros { 2, 2 }
      assert.equal("softmax: argument 1 'a': expected real numbers, got complex64",
        helper.misuse(cuda.softmax, cuda.zeros(2, "complex64")))
      helper.contains(helper.misuse(a.softmax, a, { axis = 3 }), "axis")
      helper.contains(helper.misuse(a.softmax, a, { keepdims = true }),
        "softmax: unknown option 'keepdims'")
      helper.contains(helper.misuse(cuda.logsumexp, 3), "expected an Array")
      helper.contains(helper.misuse(a.softmax, a, { out = cuda.zeros(2) }), "option 'out'")
      helper.contains(helper.misuse(a.logsumexp, a, { keepdims = 1 }), "option 'keepdims'")
    end)

    if evaluate.available() then
      it("agrees with NumPy on contiguous rows of any length, in place too", function()
        for _, dtype in ipairs { "float32", "float64", "float16", "int8" } do
          local near = dtype == "float16" and { rtol = 2e-3, atol = 1e-5 }
            or { rtol = dtype == "float32" and 1e-4 or 1e-12, atol = 1e-7 }
          for _, n in ipairs { 1, 3, 31, 64, 250, 1001, 8191, 16390, 33000 } do
            local a = numbers({ n > 5000 and 2 or 11, 1, n }, dtype, 9)
            a[1][1][n] = 20
            local want = evaluate.run({ a = a:astype "float64" }, [[
e = np.exp(a - a.max(axis=(1, 2), keepdims=True)); s = e.sum(axis=(1, 2), keepdims=True)
r_soft = e / s; r_log = np.log(e) - np.log(s)
]])
            local soft, logs = a:softmax { axis = { 2, 3 } }, a:log_softmax { axis = 3 }
            helper.assert_close(want.soft:totable(), soft:astype "float64", near)
            helper.assert_close(want.log:totable(), logs:astype "float64", near)
            if soft.dtype == dtype then
              local bytes = soft:tobytes()
              assert.equal(bytes, a:softmax({ axis = -1, out = a }):tobytes())
            end
          end
        end
      end)

      it("agrees with NumPy on large rows", function()
        local a = numbers({ 20, 1000 }, "float64", 300)
        local want = evaluate.run({ a = a }, [[
m = a.max(axis=1, keepdims=True); e = np.exp(a - m); s = e.sum(axis=1, keepdims=True)
r_soft = e / s; r_log = a - m - np.log(s); r_lse = (m + np.log(s))[:, 0]
]])
        helper.assert_close(want.soft:totable(), a:softmax { axis = 2 }, { rtol = 1e-12 })
        helper.assert_close(want.log:totable(), a:log_softmax { axis = 2 }, { rtol = 1e-12 })
        helper.assert_close(want.lse:totable(), a:logsumexp { axis = 2 }, { rtol = 1e-12 })
      end)
    else
      pending "Python has no NumPy"
    end
  end)
end)
