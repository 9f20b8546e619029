-- partition, argpartition and topk: the element at each place, and what lies before and after it.
local helper = require "spec.helper"
local cuda = require "luacuda"

local NAN = 0 / 0

local function numbers(dtype, n, seed)
  local rng, list = helper.random(seed), {}
  for i = 1, n do
    list[i] = dtype == "bool" and rng(2) == 1 or dtype ~= "bool" and rng(90) or false
    if dtype:find "float" and rng(15) == 0 then list[i] = NAN end
  end
  return cuda.array(list, dtype)
end

local function before(x, y)
  if type(x) == "boolean" then return not x and y end
  if x ~= x or y ~= y then return x == x and y ~= y end
  return x < y
end

-- The k elements of a list that come first, with their indices; equal ones in their order.
local function first_of(list, k, largest)
  local order = {}
  for i = 1, #list do order[i] = i end
  table.sort(order, function(i, j)
    local x, y = list[i], list[j]
    if largest then x, y = y, x end
    if before(x, y) then return true end
    return not before(y, x) and i < j
  end)
  local values, places = {}, {}
  for i = 1, k do values[i], places[i] = list[order[i]], order[i] end
  return values, places
end

helper.for_each_device(function()
  describe("Partitions", function()
    it("put the element of a place there, and lesser ones before it", function()
      for _, dtype in ipairs { "bool", "uint8", "int32", "float16", "float32", "float64" } do
        for _, n in ipairs { 1, 7, 300, 5000 } do
          local a = numbers(dtype, n, n)
          local list, k = a:totable(), n // 3 + 1
          local want = first_of(list, n)
          for _, got in ipairs { cuda.partition(a, k), a:copy():partition(-(n - k + 1)) } do
            local t = got:totable()
            helper.assert_close(want[k], t[k], { dtype = dtype })
            for i = 1, k - 1 do assert.is_false(before(t[k], t[i])) end
            for i = k + 1, n do assert.is_false(before(t[i], t[k])) end
            helper.assert_close(want, (first_of(t, n)), { dtype = dtype })
          end
          local places = a:argpartition(k):totable()
          helper.assert_close(want[k], list[places[k]], { dtype = dtype })
          table.sort(places)
          for i = 1, n do assert.equal(i, places[i]) end
        end
      end
    end)

    it("find places among the greatest digits of long rows", function()
      for _, of in ipairs { { "uint8", 256, 1 }, { "uint16", 256, 0x101 }, { "int32", 3, 1 } } do
        local dtype, values, step = of[1], of[2], of[3]
        local rng, list = helper.random(values), {}
        for i = 1, 20000 do list[i] = (values - 1 - rng(math.min(values, 40))) * step end
        local a = cuda.array(list, dtype)
        table.sort(list)
        for _, k in ipairs { 9000, 19600 } do
          assert.equal(list[k], cuda.partition(a, k):item(k))
          assert.same({ list[20000], list[20001 - k] }, cuda.topk(a, k):take { 1, k }:totable())
        end
      end
    end)

    it("work along axes, in place, and into `out`", function()
      local a = cuda.array { { 3, 1, 2 }, { 1, 2, 3 }, { 2, 3, 1 } }
      assert.same({ 1, 1, 1 }, cuda.partition(a, 1, { axis = 1 }):slice(1):totable())
      local out = cuda.empty({ 3, 3 }, "int64")
      assert.equal(out, cuda.argpartition(a, { 1, 3 }, { out = out }))
      assert.same({ { 2, 3, 1 }, { 1, 2, 3 }, { 3, 1, 2 } }, out:totable())
      local column = a:slice({}, 2)
      assert.equal(column, column:partition(2))
      assert.same({ { 3, 1, 2 }, { 1, 2, 3 }, { 2, 3, 1 } }, a:totable())
      assert.same({ 0, 3 }, cuda.partition(cuda.zeros { 0, 3 }, 1).shape)
    end)

    it("refuse places outside", function()
      local a = cuda.zeros(3)
      assert.matches("^partition: argument 2 'kth': the list contains 'kth'",
        helper.misuse(a.partition, a, { kth = 2 }))
      assert.matches("^argpartition: argument 2 'kth': .*missing",
        helper.misuse(a.argpartition, a, { 1, nil, 2 }))
      assert.equal("partition: argument 2 'kth': 4 is outside an axis of 3 elements",
        helper.misuse(cuda.partition, a, 4))
      assert.equal("argpartition: argument 2 'kth': 0 is outside an axis of 3 elements",
        helper.misuse(cuda.argpartition, a, { 1, 0 }))
      assert.equal("partition: argument 2 'kth': expected an integer or a list of integers, got "
        .. "nil", helper.misuse(cuda.partition, a))
      helper.contains(helper.misuse(a.partition, a, 1, { out = a }), "unknown option 'out'")
      assert.equal("partition: option 'axis': 1 is not an axis of an array of 0 axes",
        helper.misuse(cuda.partition, cuda.array(3), 1, { axis = 1 }))
      assert.matches("^partition: a broadcast view cannot be written",
        helper.misuse(a.partition, cuda.zeros(1):broadcast_to(3), 1))
    end)
  end)

  describe("topk", function()
    it("gives the greatest or least elements in order, and where they are", function()
      for _, dtype in ipairs { "bool", "uint8", "int64", "bfloat16", "float32", "float64" } do
        for _, n in ipairs { 1, 6, 300, 5000 } do
          local a = numbers(dtype, n, n + 1)
          for _, k in ipairs { 1, n // 2, n } do
            for _, largest in ipairs { true, false } do
              local values, places = a:topk(k, { largest = largest })
              local want, at = first_of(a:totable(), k, largest)
              assert.equal(dtype, values.dtype)
              helper.assert_close(want, values:totable(), { dtype = dtype })
              assert.same(at, places:totable())
            end
          end
        end
      end
    end)

    it("selects from long rows, with few and many equal elements", function()
      for _, dtype in ipairs { "bool", "int8", "int64", "float16", "float64" } do
        for _, values in ipairs { 3, 90 } do
          local m = 8500 + values
          local rng, list = helper.random(m), {}
          for i = 1, 2 * m do
            list[i] = dtype == "bool" and rng(values) == 1 or dtype ~= "bool" and rng(values)
          end
          if dtype:find "float" then
            for i = 1, 2 * m, 501 do list[i] = i % 2 == 0 and -0.0 or 0.0 end
            for i = 7, 2 * m, 997 do list[i] = NAN end
          end
          local a = cuda.array(list, dtype):reshape { 2, m }
          for _, largest in ipairs { true, false } do
            local want, at = first_of(table.move(list, m + 1, 2 * m, 1, {}), m // 4, largest)
            for _, k in ipairs { 1, 10, m // 4 } do
              local elements, places = a:topk(k, { largest = largest })
              assert.same(table.move(at, 1, k, 1, {}), places:slice(2):totable())
              helper.assert_close(table.move(want, 1, k, 1, {}), elements:slice(2):totable(),
                { dtype = dtype })
            end
          end
        end
      end
    end)

    it("works along every axis of views", function()
      local a = numbers("float32", 4 * 5 * 6, 9):reshape { 4, 5, 6 }
      local view = a:transpose(3, 1, 2):slice({ -1, 1, -2 })
      for axis = 1, 3 do
        local values, places = cuda.topk(view, 2, { axis = axis })
        local order = cuda.argsort(view, { axis = axis, descending = true })
        local ranges = { {}, {}, {} }
        ranges[axis] = { 1, 2 }
        assert.same(order:slice(table.unpack(ranges)):totable(), places:totable())
        local sorted = cuda.sort(view, { axis = axis, descending = true })
        helper.assert_close(sorted:slice(table.unpack(ranges)):totable(), values:totable())
        assert.is_true(values.is_contiguous and places.is_contiguous)
      end
      local z = cuda.array { cuda.complex(1, 2), cuda.complex(1, 3), cuda.complex(0, 9) }
      assert.same({ 2, 1 }, (select(2, z:topk(2))):totable())
    end)

    it("of nothing", function()
      local values, places = cuda.topk(cuda.zeros { 2, 3 }, 0)
      assert.same({ 2, 0 }, values.shape)
      assert.same({ 2, 0 }, places.shape)
      values = cuda.topk(cuda.zeros { 0, 3 }, 2)
      assert.same({ 0, 2 }, values.shape)
    end)

    it("refuses what it does not take", function()
      local a = cuda.zeros(3)
      assert.equal("topk: argument 2 'k': expected 0 to 3, the elements of the axis, got 4",
        helper.misuse(cuda.topk, a, 4))
      assert.equal("topk: argument 2 'k': expected an integer, got nil",
        helper.misuse(cuda.topk, a))
      assert.equal("topk: an array without axes has no order; a:reshape(1) has one",
        helper.misuse(cuda.topk, cuda.zeros {}, 1))
    end)
  end)
end)
