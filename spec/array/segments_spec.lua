local cuda = require "luacuda"
local helper = require "spec.helper"

-- name -> the value of a list, plainly
local PLAIN = {
  sum = function(list)
    local y = 0
    for _, x in ipairs(list) do y = y + x end
    return y
  end,
  prod = function(list)
    local y = 1
    for _, x in ipairs(list) do y = y * x end
    return y
  end,
  min = function(list) return math.min(table.unpack(list)) end,
  max = function(list) return math.max(table.unpack(list)) end,
  mean = function(list)
    local y = 0
    for _, x in ipairs(list) do y = y + x end
    return y / #list
  end,
}

-- Random offsets of n segments of up to `most` elements; the last one is the number of elements.
local function offsets_of(rng, n, most, least)
  local list = { 0 }
  for i = 1, n do list[i + 1] = list[i] + (least or 0) + rng(most) end
  return list
end

-- The segments of a list.
local function cut(list, offsets)
  local parts = {}
  for s = 1, #offsets - 1 do parts[s] = table.move(list, offsets[s] + 1, offsets[s + 1], 1, {}) end
  return parts
end

describe("reductions of segments", function()
  helper.for_each_device(function()
    it("reduce each segment by itself", function()
      local v = cuda.array { 1, 2, 3, 4, 5, 6 }
      local offsets = cuda.array({ 2, 0, 3, 1 }, "int32"):cumsum { include_initial = true }
      assert.same({ 3, 0, 12, 6 }, v:sum { segments = offsets }:totable())
      assert.same({ 2, 1, 60, 6 }, cuda.prod(v, { segments = { 0, 2, 2, 5, 6 } }):totable())
      local inf = math.huge
      assert.same({ 1, inf, 3, 6 }, v:min { segments = offsets }:totable())
      assert.same({ 2, -inf, 5, 6 }, v:max { segments = offsets }:totable())
      helper.assert_close({ 1.5, 0 / 0, 4, 6 }, v:mean { segments = offsets })
      assert.same({ true, false, true, true }, v:any { segments = offsets }:totable())
      assert.same({ true, true, false, true },
        (v - 4):all { segments = offsets }:totable())
      assert.same({ 2, 0, 2, 1 }, (v - 4):count_nonzero { segments = offsets }:totable())
      -- part of the elements
      assert.same({ 5, 4 }, v:sum { segments = { 1, 3, 4 } }:totable())
    end)

    helper.for_all_dtypes(function(dtype, row)
      it("agree with a plain loop for " .. dtype, function()
        local rng = helper.random(5)
        local offsets = offsets_of(rng, 40, 9, 1)
        local values = {}
        for i = 1, offsets[#offsets] do values[i] = rng(3) end
        local a = cuda.array(values, "int32"):astype(dtype)
        for name, plain in pairs(PLAIN) do
          local got = a[name](a, { segments = offsets })
          assert.equal(a[name](a, { axis = 1 }).dtype, got.dtype)
          if row.kind ~= "bool" then
            local want = {}
            for s, list in ipairs(cut(values, offsets)) do want[s] = plain(list) end
            local precision = got.dtype
            helper.assert_close(want, got, { dtype = precision })
          else
            for s = 1, 40 do
              local one = a:slice { offsets[s] + 1, offsets[s + 1] }
              assert.equal(one[name](one), got:item(s))
            end
          end
        end
      end)
    end)

    it("take segments of any length", function()
      local rng = helper.random(6)
      -- segments per call, and the most elements of one: 1 to 256 threads per result
      for _, row in ipairs { { 3000, 2 }, { 500, 9 }, { 200, 40 }, { 60, 300 }, { 3, 40000 },
        { 1, 70000 } } do
        local offsets = offsets_of(rng, row[1], row[2])
        local n = offsets[#offsets]
        local values = {}
        for i = 1, n do values[i] = rng(1000) - 500 end
        local a, by = cuda.array(values, "int64"), { segments = cuda.array(offsets, "int32") }
        local sums, most = {}, {}
        for s, list in ipairs(cut(values, offsets)) do
          sums[s], most[s] = PLAIN.sum(list), math.mininteger
          for _, x in ipairs(list) do most[s] = math.max(most[s], x) end
        end
        assert.same(sums, a:sum(by):totable())
        assert.same(most, a:max(by):totable())
      end
      local ones = cuda.ones(100000, "complex128")
      assert.equal(cuda.complex(100000, 0), ones:sum({ segments = { 0, 100000 } }):item(1))
    end)

    it("reduce along any axis, with out and dtype", function()
      local rng = helper.random(7)
      local a = cuda.arange(7 * 6 * 5, "int32"):reshape { 7, 6, 5 }
      local view = a:transpose(2, 3, 1):slice({ 6, 1, -1 })
      for axis = 1, 3 do
        local n = view.shape[axis]
        local offsets = { 0, 1 + rng(n - 1), n, n }
        local got = view:sum { segments = offsets, axis = axis }
        for s = 1, 3 do
          local slices, place = {}, {}
          for i = 1, 3 do
            slices[i] = i == axis and { offsets[s] + 1, offsets[s + 1] } or {}
            place[i] = i == axis and s or {}
          end
          assert.same(view:slice(table.unpack(slices)):sum({ axis = axis }):totable(),
            got:slice(table.unpack(place)):totable())
        end
        assert.is_true(got:equals(view:sum { segments = offsets, axis = axis - 4 }))
      end
      local out = cuda.empty({ 2, 4 }, "float32"):slice({}, { 4, 1, -2 })
      local b = cuda.arange(8, "int8"):reshape { 2, 4 }
      assert.equal(out, b:sum { segments = { 0, 1, 4 }, axis = 2, dtype = "float32", out = out })
      assert.same({ { 0, 6 }, { 4, 18 } }, out:totable())
      local c = cuda.arange(6, "float32")
      c:max { segments = { 0, 3, 6 }, out = c:slice { 2, 3 } }
      assert.same({ 0, 2, 5, 3, 4, 5 }, c:totable())
    end)

    it("propagate NaN, and keep inside of the array with wrong offsets", function()
      local nan = 0 / 0
      local a = cuda.array({ 1, nan, 3, 4 }, "float32")
      helper.assert_close({ nan, 3 }, a:min { segments = { 0, 2, 4 } })
      helper.assert_close({ nan, 7 }, a:sum { segments = { 0, 2, 4 } })
      local b = cuda.ones(4, "int32")
      assert.same({ 4, 0, 1, 0 }, b:sum { segments = { -5, 99, 3, 4, 1 } }:totable())
    end)

    it("take no segments and no elements", function()
      local a = cuda.zeros(3)
      assert.same({ 0 }, a:sum { segments = { 0 } }.shape)
      assert.same({ 0, 0 }, cuda.zeros(0):sum { segments = { 0, 0, 0 } }:totable())
      assert.same({ 2, 0 }, cuda.zeros { 4, 0 }:mean { segments = { 0, 2, 4 } }.shape)
      assert.same({ 127 }, cuda.zeros(0, "int8"):min { segments = { 0, 0 } }:totable())
    end)

    it("can be captured", function()
      local a, y = cuda.arange(10, "float32"), cuda.empty(2)
      local offsets = cuda.array({ 0, 4, 10 }, "int64")
      cuda.graph(function() a:sum { segments = offsets, out = y } end):launch()
      assert.same({ 6, 39 }, y:totable())
    end)

    it("refuse what they cannot take", function()
      local a = cuda.zeros { 2, 3 }
      helper.contains(helper.misuse(a.sum, a, { segments = 3 }),
        "sum: option 'segments': expected an Array of offsets, got 3")
      helper.contains(helper.misuse(a.max, a, { segments = cuda.zeros(3) }),
        "max: option 'segments': expected integers, got float32")
      helper.contains(helper.misuse(a.sum, a, { segments = {} }), "one offset more than segments")
      helper.contains(helper.misuse(a.sum, a, { segments = { 0.5 } }), "option 'segments'")
      helper.contains(helper.misuse(a.sum, a, { segments = { 0, 1 }, axis = { 1, 2 } }),
        "option 'axis'")
      helper.contains(helper.misuse(a.sum, a, { segments = { 0, 1 }, keepdims = true }),
        "unknown option 'keepdims'")
      helper.contains(helper.misuse(a.max, a, { segments = { 0, 1 }, dtype = "int8" }),
        "unknown option 'dtype'")
      helper.contains(helper.misuse(a.sum, a, { segments = { 0, 1 }, out = a }), "option 'out'")
      helper.contains(helper.misuse(a.argmax, a, { segments = { 0, 1 } }), "segments")
      helper.contains(helper.misuse(a.var, a, { segments = { 0, 1 } }), "segments")
      helper.contains(helper.misuse(cuda.sum, cuda.array(1, "int8"), { segments = { 0 } }),
        "has no axes")
      local fused = cuda.fuse(function(x) return x:sum { segments = { 0, 2 } } end)
      assert.is_false((pcall(fused, a)))
    end)
  end)
end)
