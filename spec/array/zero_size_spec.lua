-- Arrays without elements but with a long axis: no operation may iterate over that axis.
local helper = require "spec.helper"
local cuda = require "luacuda"

local LONG = 1 << 40

helper.for_each_device(function()
  describe("arrays of 2^40 times 0 elements", function()
    for name, shape in pairs { last = { LONG, 0 }, first = { 0, LONG }, middle = { LONG, 0, 8 } } do
      it("take no time, the empty axis " .. name, function()
        local a, b = cuda.zeros(shape), cuda.zeros(shape)
        assert.is_true(a:equals(b))
        assert.is_true(a:transpose():equals(b:transpose()))
        assert.is_true(a:equals(b:astype "int32"))
        assert.is_false(a:equals(cuda.zeros { LONG, 0, 1 }))
        assert.same(shape, (a + b).shape)
        assert.same(shape, a:copy().shape)
        assert.same(shape, a:fill(1):set(b).shape)
        assert.same(shape, cuda.where(a:lt(b), a, b).shape)
        assert.same(shape, cuda.sort(a).shape)
        assert.same(shape, cuda.random.uniform(shape).shape)
        assert.equal("", a:tobytes())
        assert.equal(0, a:sum())
        assert.equal(0, #cuda.nonzero(a))
        assert.equal(shape[1] + shape[1], cuda.concatenate({ a, b }).shape[1])
        assert.matches("luacuda.Array float32 {", tostring(a), 1, true)
      end)
    end
  end)

  it("empty arrays of structs are equal if their type is", function()
    local S, T = cuda.struct { { "x", "int32" } }, cuda.struct { { "x", "int32" } }
    assert.is_true(cuda.zeros(0, S):equals(cuda.zeros(0, S)))
    assert.is_false(cuda.zeros(0, S):equals(cuda.zeros(0, T)))
  end)
end)
