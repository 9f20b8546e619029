local core = require "luacuda.core"
local cuda = require "luacuda"
local helper = require "spec.helper"
local plans = require "luacuda.base.plans"

-- A matrix as a table, and functions of it in plain Lua -------------------------------------------

local function matrix(rows, columns, fn)
  local m = {}
  for i = 1, rows do
    m[i] = {}
    for j = 1, columns do m[i][j] = fn(i, j) end
  end
  return m
end

local function turned(m)
  return matrix(#m[1], #m, function(i, j) return m[j][i] end)
end

-- fn(list) -> list for each row of m (axis 2), or column (axis 1)
local function along(m, axis, fn)
  if axis == 1 then return turned(along(turned(m), 2, fn)) end
  local out = {}
  for i, row in ipairs(m) do out[i] = fn(row) end
  return out
end

local function sums(list)
  local out, total = {}, 0
  for i, x in ipairs(list) do
    total = total + x
    out[i] = total
  end
  return out
end

local function greatest(list)
  local out, most = {}, list[1]
  for i, x in ipairs(list) do
    most = math.max(most, x)
    out[i] = most
  end
  return out
end

local function sorted(descending)
  return function(list)
    local out = { table.unpack(list) }
    table.sort(out, descending and function(a, b) return a > b end or nil)
    return out
  end
end

local function order_of(list)
  local out = {}
  for i = 1, #list do out[i] = i end
  table.sort(out, function(a, b)
    if list[a] ~= list[b] then return list[a] < list[b] end
    return a < b
  end)
  return out
end

local function rolled(shift)
  return function(list)
    local out, n = {}, #list
    for i, x in ipairs(list) do out[(i - 1 + shift) % n + 1] = x end
    return out
  end
end

local function tiled(list)
  local out = {}
  for i = 1, 2 * #list do out[i] = list[(i - 1) % #list + 1] end
  return out
end

local function shares(list)
  local out, sum = {}, 0
  for _, x in ipairs(list) do sum = sum + math.exp(x) end
  for i, x in ipairs(list) do out[i] = math.exp(x) / sum end
  return out
end

local function taken(places)
  return function(list)
    local out = {}
    for i, at in ipairs(places) do out[i] = list[at] end
    return out
  end
end

-- Calls: of the array, with an axis -> the result and what is wanted.
local CALLS = {
  function(a, m, axis) return a:cumsum { axis = axis }, along(m, axis, sums) end,
  function(a, m, axis) return cuda.sort(a, { axis = axis }), along(m, axis, sorted(false)) end,
  function(a, m, axis)
    return cuda.sort(a, { axis = axis, descending = true }), along(m, axis, sorted(true))
  end,
  function(a, m, axis) return a:argsort { axis = axis }, along(m, axis, order_of) end,
  function(a, m, axis) return a:roll(1, { axis = axis }), along(m, axis, rolled(1)) end,
  function(a, m, axis) return a:roll(-2, { axis = axis }), along(m, axis, rolled(-2)) end,
  function(a, m, axis) return a:tile(axis == 1 and { 2, 1 } or 2), along(m, axis, tiled) end,
  function(a, m, axis) return a:softmax { axis = axis }, along(m, axis, shares) end,
}
-- fn(list) of the elements of m in order
local function of_line(m, fn)
  local line = {}
  for _, row in ipairs(m) do table.move(row, 1, #row, #line + 1, line) end
  return fn(line)
end

-- Calls without an axis.
table.move({
  function(a, m) return a:cumsum(), of_line(m, sums) end,
  function(a, m) return a:cummax { axis = 1 }:cumsum(), of_line(along(m, 1, greatest), sums) end,
  function(a, m) return a:roll(1):ravel(), of_line(m, rolled(1)) end,
  function(a, m) return a:take { 2, 1 }, of_line(m, taken { 2, 1 }) end,
}, 1, 4, #CALLS + 1, CALLS)
for _, dtype in ipairs { "int32", "int64" } do
  for _, places in ipairs { { 1, 1, 2 }, { 2, 1 } } do
    CALLS[#CALLS + 1] = function(a, m, axis)
      return a:take(cuda.array(places, dtype), { axis = axis }), along(m, axis, taken(places))
    end
  end
end

local DTYPES = { "float32", "float64", "int32", "int8", "int64" }

-- An array with the elements of m: m itself, at another alignment, a transposed view, or every
-- second column of an array in reverse.
local function array_of(m, dtype, layout)
  if layout == "transposed" then return cuda.array(turned(m), dtype):transpose() end
  if layout == "stepped" then
    local view = cuda.zeros({ #m, 2 * #m[1] }, dtype):slice({}, { -1, 1, -2 })
    return view:set(cuda.array(m, dtype))
  end
  local a = cuda.array(m, dtype)
  if layout == "plain" then return a end
  local room = cuda.zeros(#m * #m[1] + 3, dtype)
  local view = room:slice { 4, -1 }:reshape { #m, #m[1] }
  return view:set(a)
end

-- The elements of an array in C order, rolled.
local function flat_roll(a, shift) return rolled(shift)(a:copy():ravel():totable()) end

local LAYOUTS = { "plain", "moved", "transposed", "stepped" }

describe("calls that come again", function()
  helper.for_each_device(function()
    it("give the result of their own array, layout and options", function()
      local rng = helper.random(3)
      for case = 1, 600 do
        local m = matrix(2 + rng(2), 2 + rng(2), function() return rng(7) - 3 end)
        local dtype, layout = DTYPES[1 + rng(#DTYPES)], LAYOUTS[1 + rng(#LAYOUTS)]
        local a, axis = array_of(m, dtype, layout), 1 + rng(2)
        local got, want = CALLS[1 + rng(#CALLS)](a, m, axis)
        helper.assert_close(want, got:totable(),
          { dtype = got.dtype, message = ("case %d, %s %s"):format(case, dtype, layout) })
      end
    end)

    it("roll and tile correctly when one part of the call differs from the last", function()
      -- For a list of places, rolled by `by` along each axis.
      local function turn(list, shape, by)
        local out, steps, step = {}, {}, 1
        for d = #shape, 1, -1 do steps[d], step = step, step * shape[d] end
        for k = 0, #list - 1 do
          local at = 0
          for d, n in ipairs(shape) do at = at + (k // steps[d] % n + by[d]) % n * steps[d] end
          out[at + 1] = list[k + 1]
        end
        return out
      end
      local list = {}
      for k = 1, 24 do list[k] = k end
      local calls = {
        { { 2, 3, 4 }, "int32", 1, 1, { 1, 0, 0 } }, { { 2, 3, 4 }, "int32", 1, 2, { 0, 1, 0 } },
        { { 2, 3, 4 }, "int32", 1, 3, { 0, 0, 1 } }, { { 2, 3, 4 }, "int32", 2, 3, { 0, 0, 2 } },
        { { 2, 3, 4 }, "int32", -1, 3, { 0, 0, -1 } }, { { 2, 3, 4 }, "int64", 1, 3, { 0, 0, 1 } },
        { { 4, 3, 2 }, "int32", 1, 3, { 0, 0, 1 } },
        { { 2, 3, 4 }, "int32", { 1 }, 3, { 0, 0, 1 } },
        { { 2, 3, 4 }, "int32", { 1, 2 }, { 2, 3 }, { 0, 1, 2 } },
        { { 2, 3, 4 }, "int32", { 1, 2 }, { 3, 2 }, { 0, 2, 1 } },
        { { 2, 3, 4 }, "int32", { 2, 1 }, { 2, 3 }, { 0, 2, 1 } },
        { { 2, 3, 4 }, "int32", 1, { 1, 3 }, { 1, 0, 1 } },
        { { 2, 3, 4 }, "int32", { 1, 2 }, 3, { 0, 0, 3 } },
        { { 24 }, "int32", 1, nil, { 1 } }, { { 24 }, "int32", 7, nil, { 7 } },
        { { 24 }, "int32", { 3, 4 }, nil, { 7 } },
      }
      local function check(call)
        local shape, dtype, shift, axis, by = table.unpack(call, 1, 5)
        local a = cuda.array(list, dtype):reshape(shape)
        assert.same(turn(list, shape, by), a:roll(shift, { axis = axis }):ravel():totable())
        local out = cuda.zeros(shape, dtype)
        assert.equals(out, a:roll(shift, { axis = axis, out = out }))
        assert.same(turn(list, shape, by), out:ravel():totable())
        local view = a:transpose()
        local back = a:transpose():copy():transpose()
        assert.same(turn(list, shape, by), back:roll(shift, { axis = axis }):ravel():totable())
        assert.same(flat_roll(view, 5), view:roll(5):ravel():totable())
      end
      for _, first in ipairs(calls) do
        for _, second in ipairs(calls) do
          check(first)
          check(second)
        end
      end
    end)

    it("do not hide the errors of other calls", function()
      local a = cuda.ones { 3, 4 }
      for _ = 1, 2 do
        cuda.sort(a, { axis = 2 })
        a:cumsum { axis = 2 }
        a:take(cuda.array({ 1, 3 }, "int64"), { axis = 1 })
      end
      assert.matches("sort: option 'axis': 3 is not an axis",
        helper.misuse(cuda.sort, a, { axis = 3 }))
      assert.matches("unknown option 'axes'", helper.misuse(cuda.sort, a, { axis = 2, axes = 1 }))
      assert.matches("take: argument 2 'indices': 4 %(element 2%) is outside",
        helper.misuse(cuda.take, a, cuda.array({ 1, 4 }, "int64"), { axis = 1 }))
    end)

    it("scan by an operator of the user's, also empty and long arrays", function()
      local scan = cuda.scan("T x", "T y", "x", "a + b", "0", "plain_sum")
      for _ = 1, 2 do
        for _, n in ipairs { 0, 1, 70000 } do
          local y = scan(cuda.ones(n, "int32"))
          assert.equal(n, y.size)
          assert.is_true(n == 0 or cuda.array_equal(y, cuda.arange(1, n + 1, 1, "int32")))
        end
      end
    end)
  end)

  it("have keys that differ where their arguments do", function()
    local a = cuda.zeros { 4, 6 }
    local keys, count = {}, 0
    local function add(...)
      local key = core.call_key(...)
      assert.is_nil(keys[key])
      keys[key], count = true, count + 1
    end
    for _, x in ipairs { a, a:transpose(), a:reshape { 6, 4 }, a:reshape(24), a:slice { 1, 3 },
      a:slice({}, { 2, 5 }), a:slice({ 2 }), a:astype "int32" } do
      add(x)
      add(x, 1)
    end
    for _, v in ipairs { 1.0, "1", true, { 1 }, {}, { 1, 1 }, "", 0x31 } do add(a, v) end
    add(a, nil)
    add(a, false)
    add(a, 1, 2)
    add(a, { 1, 2 })
    add(a, a)
    assert.equal(29, count)
    assert.equal(core.call_key(a, 1), core.call_key(cuda.ones { 4, 6 }, 1))
  end)

  it("have no key for structs, closed arrays, other tables and long texts", function()
    local point = cuda.struct("point", { { "x", "float32" } })
    local closed = cuda.zeros(3)
    closed:free()
    for _, v in ipairs { cuda.zeros(2, point), closed, { x = 1 }, { 1, "a" }, { 1.5 },
      setmetatable({}, {}), ("x"):rep(1000), print } do
      assert.is_nil(core.call_key(v))
    end
  end)

  it("are forgotten when there are many", function()
    local kept = plans.new()
    for i = 1, 1000 do kept:keep("key " .. i, { i }) end
    local n = 0
    for i = 1, 1000 do
      local plan = kept:find("key " .. i)
      if plan then
        n = n + 1
        assert.equal(i, plan[1])
      end
    end
    assert.is_true(n > 0 and n <= 256)
  end)
end)
