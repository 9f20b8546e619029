-- take, put and putmask of arrays of any layout, and selection of few and of many elements, against
-- loops in Lua.
local helper = require "spec.helper"
local core = require "luacuda.core"
local cuda = require "luacuda"

local misuse = helper.misuse

-- Views of a new array of 3 x 4 elements from 0, each with its elements in C order.
local function layouts(dtype)
  local a = cuda.arange(12, "int32"):astype(dtype):reshape { 3, 4 }
  local wide = cuda.arange(24, "int32"):astype(dtype):reshape { 3, 8 }
  return { a, a:transpose(), a:slice({ -1, 1, -1 }, {}), wide:slice({}, { 2, 8, 2 }),
    a:slice({ 2, 3 }, { 2, 4 }) }
end

local function flat(a) return a:flatten():totable() end

-- The place of an index for n elements, from 1; nil outside of them.
local PLACES = {
  raise = function(i, n)
    if i < 0 then i = i + n + 1 end
    return i >= 1 and i <= n and i or nil
  end,
  clip = function(i, n) return math.max(1, math.min(n, i)) end,
  wrap = function(i, n) return (i - 1) % n + 1 end,
}

local function random_indices(rng, n, mode)
  local list = {}
  for k = 1, 7 do
    list[k] = mode == "raise" and (rng(2) == 0 and 1 + rng(n) or -1 - rng(n)) or rng(4 * n) - 2 * n
  end
  return list
end

-- The indices as an array of 7 elements without gaps, or one that is a view with steps.
local function index_views(list, dtype)
  local doubled = {}
  for k, i in ipairs(list) do doubled[2 * k - 1], doubled[2 * k] = i, 0 end
  return { cuda.array(list, dtype), cuda.array(doubled, dtype):slice { 1, -1, 2 } }
end

describe("elements by indices", function()
  helper.for_each_device(function()
    for mode, place in pairs(PLACES) do
      it("are taken from and put into any layout, mode " .. mode, function()
        local rng = helper.random(#mode)
        for _, dtype in ipairs { "uint8", "float32", "complex128" } do
          local nine = cuda.array({ 9 }, dtype)
          for number, a in ipairs(layouts(dtype)) do
            local list = random_indices(rng, a.size, mode)
            for _, indices in ipairs(index_views(list, rng(2) == 0 and "int64" or "int16")) do
              local before, want = flat(a), {}
              for k, i in ipairs(list) do want[k] = before[place(i, a.size)] end
              local what = ("%s %d"):format(dtype, number)
              assert.same(want, a:take(indices, { mode = mode }):totable(), what)
            end
            local want = flat(a)
            for _, i in ipairs(list) do want[place(i, a.size)] = nine:item(1) end
            local copy = a:copy():put(cuda.array(list, "int64"), nine, { mode = mode })
            assert.same(want, flat(copy))
            assert.equal(a, a:put(cuda.array(list, "int32"), 9, { mode = mode }))
            assert.same(want, flat(a))
          end
        end
      end)
    end

    it("take values in C order", function()
      local a = cuda.zeros({ 2, 4 }, "float32"):transpose()
      a:put({ 1, 3, 5, 7, 8 }, cuda.array { 1, 2, 1, 2, 1 })
      assert.same({ 1, 0, 2, 0, 1, 0, 2, 1 }, flat(a))
    end)

    it("report the wrong index, and write nothing", function()
      local a = cuda.arange(6, "float32"):reshape { 2, 3 }:transpose()
      for _, indices in ipairs { { 1, 7 }, { 1, -7 }, { 1, 0 } } do
        local at = indices[2]
        local text = (": argument 2 'indices': %d (element 2) is outside an axis of 6 elements (1 "
          .. "to 6, or -6 to -1); see option 'mode'"):format(at)
        assert.equal("take" .. text, misuse(a.take, a, indices))
        assert.equal("put" .. text, misuse(a.put, a, indices, 1))
        assert.equal("put" .. text, misuse(a.put, a, indices, cuda.ones(2)))
      end
      assert.same({ 0, 3, 1, 4, 2, 5 }, flat(a))
      assert.same({ 5 }, a:take({ 6 }):totable())            -- the report is gone
    end)

    it("are checked before the first write, also where they are many", function()
      for _, n in ipairs { 4096, 4097, 9000 } do
        local a, indices = cuda.zeros(10, "int32"), {}
        for i = 1, n do indices[i] = 1 + i % 10 end
        local good, v = cuda.array(indices, "int32"), cuda.ones(n, "int32")
        indices[n] = 11
        local text = ("indices': 11 (element %d) is outside an axis of 10 elements"):format(n)
        for _, name in ipairs { "put", "scatter_add" } do
          helper.contains(misuse(cuda[name], a, cuda.array(indices, "int64"), v), text)
          assert.same({ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, a:totable())
        end
        cuda.scatter_add(a, good, v)
        local want = {}
        for i = 1, 10 do want[i] = 0 end
        for i = 1, n do want[1 + i % 10] = want[1 + i % 10] + 1 end
        assert.same(want, a:totable())
        a:put(good, v)
        assert.same({ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, a:totable())
      end
    end)

    it("are written to an array given, also one that shares memory", function()
      local a = cuda.arange(6, "float32")
      local out = cuda.zeros(12, "float32"):slice { 1, 12, 4 }
      assert.equal(out, a:take({ 6, 1, -2 }, { out = out }))
      assert.same({ 5, 0, 4 }, out:totable())
      a:take({ 6, 5, 4, 3, 2, 1 }, { out = a })
      assert.same({ 5, 4, 3, 2, 1, 0 }, a:totable())
      local i = cuda.array({ 3, 1, 2 }, "int64")
      i:put(i, cuda.array({ 10, 20, 30 }, "int64"))
      assert.same({ 20, 30, 10 }, i:totable())
    end)

    it("refuse numbers that do not fit", function()
      local a, mask = cuda.zeros(3, "uint8"), cuda.ones(3, "bool")
      assert.matches("^put: argument 3 'values': 300 ", misuse(a.put, a, { 1 }, 300))
      assert.matches("^put: argument 3 'values': expected an integer .*0.5",
        misuse(a.put, a, { 1 }, 0.5))
      assert.matches("^putmask: argument 3 'values': %-1 ", misuse(a.putmask, a, mask, -1))
      assert.same({ 0, 0, 0 }, a:totable())
    end)
  end)
end)

describe("elements by masks", function()
  helper.for_each_device(function()
    it("are written in any layout", function()
      for _, dtype in ipairs { "bool", "float16", "float32", "complex128" } do
        for _, a in ipairs(layouts(dtype)) do
          local ones = cuda.array({ 1 }, "int32"):astype(dtype)
          local mask = cuda.arange(a.size, "int32"):mod(3):eq(0):reshape(a.shape)
          local want, values = flat(a), a:copy():flip()
          local other = flat(values)
          for i = 1, #want, 3 do want[i] = ones:item(1) end
          a:putmask(mask, dtype == "bool" and true or 1)
          assert.same(want, flat(a), dtype)
          for i = 1, #want, 3 do want[i] = other[i] end
          a:putmask(mask, values)
          assert.same(want, flat(a), dtype)
        end
      end
    end)

    it("of rows apply to views", function()
      local a = cuda.zeros({ 4, 2 }, "float32"):transpose()
      a[cuda.array({ false, true }, "bool")] = 7
      assert.same({ { 0, 0, 0, 0 }, { 7, 7, 7, 7 } }, a:totable())
    end)

    it("are selected by one block and by many", function()
      local few = require("luacuda.array.select_source").FEW
      local rng = helper.random(5)
      for _, n in ipairs { 1, 31, 1023, 1024, 1025, 2048, few - 1, few, few + 1 } do
        local flags, places = {}, {}
        for i = 1, n do
          flags[i] = rng(3) == 0
          if flags[i] then places[#places + 1] = i end
        end
        local mask, a = cuda.array(flags, "bool"), cuda.arange(1, n + 1, "float64")
        assert.same(places, mask:nonzero():totable(), n)
        assert.same(places, a[mask]:totable(), n)
        local out = cuda.zeros(#places + 1, "float64"):slice { 2, #places + 1 }
        if #places > 0 then
          assert.equal(out, cuda.compress(a, mask, { out = out }))
          assert.same(places, out:totable(), n)
        end
      end
    end)
  end)
end)

describe("a note", function()
  local notes = require "luacuda.base.notes"

  helper.for_each_device(function(device)
    it("is its caller's alone until it is read", function()
      notes.read(notes.new(device, 0, "a note"), device)
      local one, two = notes.new(device, 3, "a note"), notes.new(device, 4, "a note")
      assert.is_false(rawequal(one, two))
      assert.equal(3, notes.read(one, device))
      assert.equal(4, notes.read(two, device))
      assert.is_true(rawequal(two, notes.new(device, 0, "a note")))
    end)

    it("is kept for the next call, and freed with all others", function()
      local one = notes.new(device, 1, "a note")
      notes.read(one, device)
      notes.forget()
      assert.equal("closed array", core.type(one))
    end)

    it("serves calls inside others", function()
      local a, inner = cuda.arange(4, "float32"), 0
      for _ = 1, 20 do
        setmetatable({}, { __gc = function() inner = inner + a:take({ 2 }):item(1) end })
        a:take({ 1, 2 })
        collectgarbage()
      end
      assert.equal(20, inner)
    end)
  end)
end)
