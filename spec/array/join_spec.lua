-- concatenate and stack of random parts, against assignments to slices and loops in Lua.
local helper = require "spec.helper"
local cuda = require "luacuda"
local source = require "luacuda.array.join_source"

local DTYPES = { "bool", "uint8", "int16", "float16", "float32", "float64", "complex128" }

-- A contiguous array of this shape whose memory starts `skip` elements after an aligned address.
local function part_of(shape, dtype, skip, seed)
  local n = helper.size_of(shape)
  local values = cuda.arange(seed, seed + skip + n, "int32")
  if dtype == "bool" then values = values:bitwise_and(1) end
  return values:astype(dtype):slice { skip + 1, skip + n }:reshape(shape)
end

-- The parts assigned one by one.
local function assigned(parts, axis, out, is_stack)
  local at = 1
  for j, a in ipairs(parts) do
    local ranges = {}
    for d = 1, axis - 1 do ranges[d] = {} end
    if is_stack then ranges[axis] = j
    else
      ranges[axis] = { at, at + a.shape[axis] - 1 }
      at = at + a.shape[axis]
    end
    if a.size > 0 then out:slice(table.unpack(ranges, 1, axis)):set(a) end
  end
  return out
end

-- A random case: parts, axis, stacked or not.
local function random_case(rng)
  local shape, parts, is_stack = {}, {}, rng(2) == 0
  local ndim, dtype = 1 + rng(3), DTYPES[1 + rng(#DTYPES)]
  for d = 1, ndim do shape[d] = 1 + rng(d == ndim and 40 or 6) end
  local axis = 1 + rng(is_stack and ndim + 1 or ndim)
  for j = 1, 1 + rng(rng(4) == 0 and 20 or 4) do
    local own = { table.unpack(shape) }
    if not is_stack then own[axis] = rng(6) end
    parts[j] = part_of(own, dtype, rng(2) * rng(4), j)
  end
  return parts, axis, is_stack
end

-- A block of tests for the kernel on every device, and one as the library chooses.
local function for_each_way(fn)
  helper.for_each_device(function(device)
    local slow_on = source.SLOW_ON
    for what, kinds in pairs { ["as chosen"] = slow_on, ["by the kernel"] = {} } do
      if what == "as chosen" or slow_on[device.kind] then
        describe(what, function()
          before_each(function() source.SLOW_ON = kinds end)
          after_each(function() source.SLOW_ON = slow_on end)
          fn()
        end)
      end
    end
  end)
end

describe("joining", function()
  for_each_way(function()
    it("random parts, of any alignment", function()
      local rng = helper.random(11)
      for case = 1, 60 do
        local parts, axis, is_stack = random_case(rng)
        local got = (is_stack and cuda.stack or cuda.concatenate)(parts, { axis = axis })
        local want = assigned(parts, axis, cuda.zeros(got.shape, got.dtype), is_stack)
        assert.same(want:totable(), got:totable(), case)
      end
    end)

    it("short rows of more than one block", function()
      for _, widths in ipairs { { 1, 1 }, { 1, 1, 1 }, { 3, 5 }, { 4, 4, 8 }, { 1, 0, 2 } } do
        local parts, total = {}, 0
        for j, w in ipairs(widths) do
          parts[j] = part_of({ 5003, w }, "uint8", 0, 7 * j)
          total = total + w
        end
        local got = cuda.concatenate(parts, { axis = 2 })
        assert.same({ 5003, total }, { table.unpack(got.shape) })
        local want = assigned(parts, 2, cuda.zeros(got.shape, "uint8"))
        assert.is_true(cuda.array_equal(want, got))
      end
    end)

    it("with 64-bit numbers of words", function()
      local narrow <const> = source.NARROW
      finally(function() source.NARROW = narrow end)
      source.NARROW = 1
      local parts = { part_of({ 300, 3 }, "int16", 1, 1), part_of({ 300, 2 }, "int16", 0, 2) }
      local want = assigned(parts, 2, cuda.zeros({ 300, 5 }, "int16"))
      assert.same(want:totable(), cuda.concatenate(parts, { axis = 2 }):totable())
    end)

    it("views with gaps, other dtypes and structs", function()
      local a = cuda.arange(12, "float32"):reshape { 3, 4 }
      local b = cuda.arange(6, "int16"):reshape { 2, 3 }:transpose()
      assert.same({ { 0, 1, 2, 3, 0, 3 }, { 4, 5, 6, 7, 1, 4 }, { 8, 9, 10, 11, 2, 5 } },
        cuda.concatenate({ a, b }, { axis = 2 }):totable())
      local back = a:slice({}, { -1, 1, -1 })
      assert.same({ { { 0, 3 }, { 1, 2 }, { 2, 1 }, { 3, 0 } } },
        cuda.stack({ a, back }, { axis = -1 }):slice({ 1, 1 }):totable())
      local point = cuda.struct("point", { { "x", "float32" }, { "y", "float64" } })
      local p, q = cuda.full(3, { x = 1, y = 2 }, point), cuda.full(3, { x = 3, y = 4 }, point)
      local both = cuda.stack({ p, q }, { axis = 2 })
      assert.equal(4, both:item(3, 2).y)
      assert.equal(1, both:item(3, 1).x)
    end)

    it("into an array, also one that a part shares", function()
      local a, out = cuda.arange(6, "float32"), cuda.zeros(13, "float32")
      local there = out:slice { 2, 13 }
      assert.equal(there, cuda.concatenate({ a, a }, { out = there }))
      assert.same({ 0, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5 }, out:totable())
      local all = cuda.arange(8, "float32")
      cuda.concatenate({ all:slice { 5, 8 }, all:slice { 1, 4 } }, { out = all })
      assert.same({ 4, 5, 6, 7, 0, 1, 2, 3 }, all:totable())
    end)

    it("on a stream", function()
      local s <close> = cuda.stream()
      local a = cuda.ones(5, { stream = s })
      local got = cuda.stack({ a, a }, { axis = 2, stream = s })
      s:synchronize()
      assert.same({ 1, 1 }, got[5]:totable())
    end)
  end)
end)
