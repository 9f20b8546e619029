-- Only real() and astype turn complex numbers into real ones: all other calls that would drop
-- imaginary parts raise an error and write nothing.
local helper = require "spec.helper"
local cuda = require "luacuda"

local REAL = { "int8", "int64", "uint16", "float16", "bfloat16", "float32", "float64" }

-- Calls that write or make elements of a dtype from those of z. `into` is an array of the dtype.
local CONVERSIONS = {
  set = function(z, into) into:set(z) end,
  ["set of a view"] = function(z, into) into:slice({ -1, 1, -1 }):set(z) end,
  ["set of one row"] = function(z, into) into:reshape({ 1, 4 }):broadcast_to { 1, 4 }:set(z) end,
  ["a[i]"] = function(z, into) into:reshape({ 1, 4 })[1] = z end,
  ["a[mask]"] = function(z, into) into[cuda.ones(4, "bool")] = z end,
  ["a[indices]"] = function(z, into) into[cuda.arange(1, 5, 1, "int64")] = z end,
  array = function(z, _, dtype) return cuda.array(z, dtype) end,
  concatenate = function(z, _, dtype) return cuda.concatenate({ z, z }, { dtype = dtype }) end,
  stack = function(z, _, dtype) return cuda.stack({ z:real(), z }, { dtype = dtype }) end,
  put = function(z, into) into:put({ 1, 2, 3, 4 }, z) end,
  putmask = function(z, into) into:putmask(cuda.ones(4, "bool"), z) end,
  place = function(z, into) into:place(cuda.ones(4, "bool"), z) end,
  scatter_add = function(z, into) into:scatter_add({ 1, 2, 3, 4 }, z) end,
  scatter_max = function(z, into) into:scatter_max({ 1, 2, 3, 4 }, z) end,
  sum = function(z, _, dtype) return z:sum { dtype = dtype } end,
  prod = function(z, _, dtype) return z:prod { dtype = dtype } end,
  trace = function(z, _, dtype) return z:reshape({ 2, 2 }):trace { dtype = dtype } end,
}

-- Calls that take one complex value, or an `out` of the dtype.
local OTHERS = {
  function(_, into, _, c) into:fill(c) end,
  function(_, into, _, c) into:setitem(c, 1) end,
  function(_, into, _, c) into[1] = c end,
  function(_, into, _, c) into:set { c, c, c, c } end,
  function(_, _, dtype, c) return cuda.array({ c }, dtype) end,
  function(_, _, dtype, c) return cuda.full(4, c, dtype) end,
  function(_, into, _, c) return cuda.full_like(into, c) end,
  function(_, into, _, c) into:put({ 1 }, c) end,
  function(_, into, _, c) into:put({ 1, 2 }, { c, c }) end,
  function(_, into, _, c) into:place(cuda.ones(4, "bool"), c) end,
  function(_, into, _, c) into:scatter_add({ 1 }, c) end,
  function(_, into, _, c) return cuda.pad(into, 1, "constant", { constant_values = c }) end,
  function(_, _, dtype, c) return cuda.linspace(0, c, 3, dtype) end,
  function(_, _, dtype, c) return cuda[dtype](c) end,
  function(z, into) return cuda.where(cuda.ones(4, "bool"), z, into, { out = into }) end,
  function(z, into) return cuda.add(z, into, { out = into }) end,
  function(z, into) return cuda.copy(into, z) end,
  function(z, into) return cuda.take(z, { 1, 2, 3, 4 }, { out = into }) end,
  function(z, into)
    return cuda.concatenate({ z:slice { 1, 2 }, z:slice { 1, 2 } }, { out = into })
  end,
  function(z, into) return cuda.roll(z, 1, { out = into }) end,
  function(z, _, dtype) return cuda.cumsum(z, { dtype = dtype }) end,
  function(z, _, dtype) return cuda.cov(z, { dtype = dtype }) end,
}

describe("imaginary parts", function()
  helper.for_each_device(function()
    for _, complex in ipairs { "complex64", "complex128" } do
      local function numbers()
        return cuda.array({ 1, 2, 3, cuda.complex(4, 5) }, complex)
      end

      for name, call in pairs(CONVERSIONS) do
        it(("of %s are not dropped by %s"):format(complex, name), function()
          for _, dtype in ipairs(REAL) do
            local z, into = numbers(), cuda.full(4, 7, dtype)
            helper.contains(helper.error_of(call, z, into, dtype),
              ("%s loses the imaginary part of %s"):format(dtype, complex))
            assert.same({ 7, 7, 7, 7 }, into:totable(), dtype)
          end
        end)
      end

      it(("of %s are not dropped by other calls"):format(complex), function()
        for k, call in ipairs(OTHERS) do
          for _, dtype in ipairs { "int32", "float32", "float64" } do
            local into = cuda.full(4, 7, dtype)
            assert.is_false(pcall(call, numbers(), into, dtype, cuda.complex(1, 2)),
              ("call %d, %s"):format(k, dtype))
            assert.same({ 7, 7, 7, 7 }, into:totable())
          end
        end
      end)

      it(("of %s are dropped by astype and real"):format(complex), function()
        local z = numbers()
        assert.same({ 1, 2, 3, 4 }, z:real():totable())
        for _, dtype in ipairs(REAL) do assert.same({ 1, 2, 3, 4 }, z:astype(dtype):totable()) end
      end)

      it(("of %s count for bool, and are kept in complex arrays"):format(complex), function()
        local z = cuda.array({ 0, cuda.complex(0, 5) }, complex)
        assert.same({ false, true }, cuda.zeros(2, "bool"):set(z):totable())
        assert.same({ false, true }, cuda.array(z, "bool"):totable())
        assert.equal(5, cuda.zeros(2, "complex64"):put({ 1, 2 }, z):item(2).im)
        assert.equal(5, cuda.concatenate({ z }, { dtype = "complex128" }):item(2).im)
      end)
    end
  end)
end)
