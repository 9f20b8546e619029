local cuda = require "luacuda"
local helper = require "spec.helper"

local JOIN = {
  scatter_add = function(x, v) return x + v end,
  scatter_max = function(x, v) return (v > x or v ~= v) and v or x end,
  scatter_min = function(x, v) return (v < x or v ~= v) and v or x end,
}

describe("scatter", function()
  helper.for_each_device(function()
    local rng = helper.random(3)

    local function draw(n, high)
      local list = {}
      for i = 1, n do list[i] = rng(high) end
      return list
    end

    helper.for_all_dtypes(function(dtype)
      it("updates repeated indices of " .. dtype, function()
        local start, indices, values = draw(13, 5), draw(700, 13), draw(700, 4)
        for i = 1, #indices do indices[i] = indices[i] + 1 end
        local host = cuda.array(start, "int64")
        local a = host:to(cuda.device()):astype(dtype)
        for name, join in pairs(JOIN) do
          if not (dtype:find "complex" and name ~= "scatter_add") and dtype ~= "bool" then
            local want = { table.unpack(start) }
            for j, i in ipairs(indices) do want[i] = join(want[i], values[j]) end
            local expected = cuda.array(want, "int64"):astype(dtype)
            local got = a:copy()
            local v = cuda.array(values, "int64"):astype(dtype)
            assert.equal(got, got[name](got, indices, v))
            helper.assert_close(expected:totable(), got, { dtype = dtype })
          end
        end
      end)
    end)

    it("takes booleans as or, any and all", function()
      local a = cuda.array { false, true, false }
      local values = cuda.array { false, true, false, false }
      assert.same({ true, true, false }, a:copy():scatter_add({ 1, 1, 2, 3 }, values):totable())
      assert.same({ true, true, false }, a:copy():scatter_max({ 1, 1, 2, 3 }, values):totable())
      assert.same({ false, false, false },
        a:copy():scatter_min({ 1, 1, 2, 2 }, values):totable())
    end)

    it("wraps integers around and propagates NaN", function()
      local a = cuda.full(2, 100, "int8"):scatter_add({ 1, 1, 1 }, 90)
      assert.same({ 114, 100 }, a:totable())
      a = cuda.full(2, 65535, "uint16"):scatter_add({ 2, 2 }, 3)
      assert.same({ 65535, 5 }, a:totable())
      local nan = 0 / 0
      for _, name in ipairs { "scatter_max", "scatter_min", "scatter_add" } do
        for _, dtype in ipairs { "float32", "float16", "float64" } do
          local x = cuda.array({ nan, 1, 1 }, dtype)
          x[name](x, { 1, 2, 2, 2 }, cuda.array({ 7, nan, 3, 4 }, dtype))
          helper.assert_close({ nan, nan, 1 }, x)
        end
      end
    end)

    it("counts elements in C order without an axis", function()
      local a = cuda.zeros { 2, 3 }
      assert.same({ { 1, 0, 2 }, { 0, 0, 4 } }, a:scatter_add({ 1, 3, -1 }, { 1, 2, 4 }):totable())
      assert.same({ { 9, 0, 2 }, { 0, 0, 4 } }, cuda.scatter_max(a, { 1 }, 9):totable())
    end)

    -- few and many indices, contiguous arrays and others
    it("takes one value, one for each index, or what broadcasts to them", function()
      local function start(n, layout)
        local a = cuda.arange(2 * n, "float32")
        return layout == "dense" and a:slice({ 1, n }):copy():reshape { n // 5, 5 }
          or a:reshape({ 2, n // 5, 5 }):transpose(2, 3, 1):slice({}, {}, 1)
      end
      for _, n in ipairs { 40, 12000 } do
        local indices = (cuda.arange(n, "int64") * 7 % n + 1):reshape { n // 4, 4 }
        for _, layout in ipairs { "dense", "stepped" } do
          for _, name in ipairs { "put", "scatter_add", "scatter_max", "scatter_min" } do
            for _, shape in ipairs { { 1 }, { 1, 1 }, { n }, { 4, n // 4 }, { 4 },
              { n // 4, 1 } } do
              local a, want = start(n, layout), start(n, layout)
              local v = cuda.arange(helper.size_of(shape)):reshape(shape):astype "float32" - 3
              local full = v.size == n and v:reshape(n)
                or v:broadcast_to({ n // 4, 4 }):contiguous():reshape(n)
              a[name](a, indices, v)
              want[name](want, indices:reshape(n), full)
              assert.same(want:totable(), a:totable())
            end
            for _, shape in ipairs { { 0 }, { 2 }, { 3 }, { n - 1 }, { n + 1 }, { 2 * n },
              { n // 4 }, { 4, 4 }, { n // 4, 2 } } do
              local a, v = start(n, layout), cuda.zeros(shape)
              helper.contains(helper.misuse(a[name], a, indices, v), ("%s: argument 3 'values': %d "
                .. "values of shape {%s} for %d indices of shape {%d, 4}; expected one value, one "
                .. "for each index, or a shape that broadcasts to that of the indices"):format(name,
                v.size, table.concat(shape, ", "), n, n // 4))
              assert.same(start(n, layout):totable(), a:totable())
            end
          end
        end
      end
    end)

    it("names the option for rows if the values are rows", function()
      local sums = cuda.zeros { 3, 2 }
      local labels, points = cuda.array({ 1, 3, 1, 2 }, "int64"), cuda.ones { 4, 2 }
      helper.contains(helper.misuse(sums.scatter_add, sums, labels, points),
        "; option 'axis' updates whole rows instead of elements in C order")
      assert.same({ { 2, 2 }, { 1, 1 }, { 1, 1 } },
        sums:scatter_add(labels, points, { axis = 1 }):totable())
    end)

    it("puts structs by the same rule", function()
      local pair = cuda.struct("pair", { { "x", "float32" }, { "y", "int32" } })
      local a = cuda.zeros(5, pair)
      local two = cuda.array({ { x = 1, y = 2 }, { x = 3, y = 4 } }, pair)
      a:put({ 2, 5 }, two)
      assert.same({ 0, 1, 0, 0, 3 }, a:field("x"):totable())
      local places, s = cuda.array({ 1, 3 }, "int32"), cuda.stream()
      a:put(places, two, { stream = s })
      s:synchronize()
      assert.same({ 1, 1, 3, 0, 3 }, a:field("x"):totable())
      assert.same({ 1, 3 }, places:totable()) -- the caller's array stays open
      helper.contains(helper.misuse(a.put, a, { 1, 2, 3 }, two), "2 values of shape {2} for 3")
    end)

    it("updates along an axis", function()
      for axis = 1, 3 do
        local shape = { 4, 5, 3 }
        local a = cuda.arange(60, "float64"):reshape(shape)
        local indices, count = draw(6, shape[axis]), { 4, 5, 3 }
        for i = 1, 6 do indices[i] = indices[i] + 1 end
        count[axis] = 6
        local v = cuda.arange(360, "int32"):slice { 1, helper.size_of(count) }:reshape(count)
        local want, values = a:totable(), v:totable()
        for i = 1, count[1] do
          for j = 1, count[2] do
            for k = 1, count[3] do
              local at = { i, j, k }
              at[axis] = indices[at[axis]]
              local row = want[at[1]][at[2]]
              row[at[3]] = row[at[3]] + values[i][j][k]
            end
          end
        end
        assert.same(want, a:copy():scatter_add(indices, v, { axis = axis }):totable())
        assert.same(want, a:copy():scatter_add(indices, v, { axis = axis - 4 }):totable())
        local turned = a:transpose(3, 1, 2):copy():transpose(2, 3, 1)
        assert.is_false(turned.is_contiguous)
        assert.same(want, turned:scatter_add(indices, v, { axis = axis }):totable())
      end
      local a = cuda.zeros { 3, 2 }
      a:scatter_add(cuda.array({ { 1, 1 }, { 3, 1 } }, "int32"), cuda.array { 1, 2 }, { axis = 1 })
      assert.same({ { 3, 6 }, { 0, 0 }, { 1, 2 } }, a:totable())
    end)

    it("writes through views and reads overlapping operands", function()
      local a = cuda.zeros { 3, 4 }
      a:slice({}, { 4, 2, -2 }):scatter_add({ 1, 1, 4 }, { 1, 2, 5 })
      assert.same({ { 0, 0, 0, 3 }, { 0, 5, 0, 0 }, { 0, 0, 0, 0 } }, a:totable())
      local b = cuda.arange(1, 5, "int64")
      assert.same({ 2, 4, 6, 8 }, b:scatter_add(b, b):totable())
    end)

    it("takes indices outside of the array by mode", function()
      local a = cuda.zeros(3)
      helper.contains(helper.misuse(a.scatter_add, a, { 1, 4 }, 1),
        "scatter_add: argument 2 'indices': 4 (element 2) is outside an axis of 3 elements")
      assert.same({ 0, 0, 0 }, a:totable())
      assert.same({ 1, 0, 1 }, a:scatter_add({ -9, 4 }, 1, { mode = "clip" }):totable())
      assert.same({ 2, 0, 1 }, a:scatter_add({ 4 }, 1, { mode = "wrap" }):totable())
    end)

    it("takes no indices and no elements", function()
      assert.same({ 0, 0 }, cuda.zeros(2):scatter_add({}, {}):totable())
      assert.same({ 0, 3 }, cuda.zeros { 0, 3 }:scatter_add({ 2 }, 1, { axis = 2 }).shape)
      helper.contains(helper.misuse(cuda.scatter_add, cuda.zeros(0), { 1 }, 1), "axis is empty")
      helper.contains(helper.misuse(cuda.scatter_add, cuda.zeros(2), { 1 }, {}),
        "0 values of shape {0} for 1 indices")
      assert.equal(7, cuda.array(3, "float32"):scatter_add({ 1, 1 }, 2):item())
    end)

    it("can be captured with a mode that does not wait", function()
      local a, indices = cuda.zeros(3), cuda.array({ 1, 3, 3 }, "int64")
      local values = cuda.array { 1, 2, 3 }
      local graph = cuda.graph(function() a:scatter_add(indices, values, { mode = "clip" }) end)
      graph:launch()
      graph:launch()
      assert.same({ 2, 0, 10 }, a:totable())
    end)

    it("refuses what it cannot take", function()
      local a = cuda.zeros { 2, 3 }
      helper.contains(helper.misuse(cuda.scatter_max, cuda.zeros(2, "complex64"), { 1 }, 1),
        "scatter_max: argument 1 'a': complex numbers have no order")
      helper.contains(helper.misuse(a.scatter_add, a:broadcast_to { 4, 2, 3 }, { 1 }, 1),
        "a broadcast view cannot be written")
      helper.contains(helper.misuse(a.scatter_add, a, { 1, 2 }, { 1, 2 }, { axis = 1 }),
        "shape {2} does not broadcast to that of the elements, {2, 3}")
      helper.contains(helper.misuse(a.scatter_add, a, { 1.5 }, 1), "argument 2 'indices'")
      helper.contains(helper.misuse(a.scatter_add, a, { 1 }, 1, { ax = 1 }), "unknown option 'ax'")
    end)
  end)
end)
