-- Arrays of one shape share their extents in the kernel. The oracle is plain Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"

local function combine(y, x, z)
  local function at(i, j) return x[i][j] * x.shape[2] + z.shape[1] end
  for i, j in grid(y.shape) do
    y[i][j] = at(i, j) + 100 * z[1 + i % #z][1 + j % z.shape[2]] + 1000 * y.shape[2]
  end
end

-- What combine() computes, for lists of rows.
local function expected(shape, x, z)
  local rows = {}
  for i = 1, shape[1] do
    rows[i] = {}
    for j = 1, shape[2] do
      rows[i][j] = x[i][j] * #x[1] + #z + 100 * z[1 + i % #z][1 + j % #z[1]] + 1000 * shape[2]
    end
  end
  return rows
end

-- A random array of a shape, sometimes the transpose of another.
local function matrix(rng, shape)
  local rows, columns = shape[1], shape[2]
  if rng(4) == 0 then return matrix(rng, { columns, rows }):transpose() end
  local list = helper.random_list(rng, rows * columns, helper.random_integer)
  return cuda.array(list, "int32"):reshape(shape)
end

-- How often the text of a kernel uses a name besides its declaration.
local function uses(k, name)
  local count = -1
  for _ in k:source():gmatch("%f[%w_]" .. name .. "%f[^%w_]") do count = count + 1 end
  return count
end

helper.for_each_device(function()
  describe("the extents of arrays in a kernel written in Lua", function()
    it("are those of each array, whichever of them have one shape", function()
      local rng, k = helper.random(5), cuda.jit(combine)
      for round = 1, 60 do
        local shape = { rng(5) + 1, rng(5) + 1 }
        local larger = { shape[1] + rng(2), shape[2] + rng(2) }
        local other = ({ shape, larger, { rng(4) + 1, rng(4) + 1 } })[rng(3) + 1]
        local y, x, z = cuda.zeros(shape, "int32"), matrix(rng, larger), matrix(rng, other)
        k({ threads = { shape[2], shape[1] } }, y, x, z)
        assert.same(expected(shape, x:totable(), z:totable()), y:totable(), "round " .. round)
      end
    end)

    it("are passed once for those of one shape", function()
      local k = cuda.jit(function(y, x)
        for i, j in grid(y.shape) do y[i][j] = x[i][j] end
      end)
      local y, x = cuda.zeros({ 3, 4 }), cuda.ones({ 3, 4 })
      k({ threads = { 4, 3 } }, y, x)
      assert.equal(0, uses(k, "x_n2"))
      assert.is_true(uses(k, "y_n2") > 1)
      k({ threads = { 4, 3 } }, y, cuda.ones({ 3, 5 }))
      assert.is_true(uses(k, "x_n2") > 0)
      k({ threads = { 4, 3 } }, y, cuda.ones({ 4, 4 }):slice({ 1, 3 }))
      assert.equal(0, uses(k, "x_n2"))
    end)

    it("follow a parameter that is assigned another array", function()
      local k = cuda.jit(function(y, x, z)
        if z[1][1] > 0 then x = z end
        for i, j in grid(y.shape) do y[i][j] = x[i][j] + 10 * x.shape[2] end
      end)
      local y, x, z = cuda.zeros({ 2, 2 }, "int32"), cuda.ones({ 2, 2 }, "int32"),
        cuda.full({ 3, 4 }, 2, "int32")
      k({ threads = { 2, 2 } }, y, x, z)
      assert.same({ { 42, 42 }, { 42, 42 } }, y:totable())
    end)
  end)
end)
