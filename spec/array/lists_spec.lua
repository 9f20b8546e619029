-- Lists from Lua (shapes, axes, arrays, indices): every function refuses holes and options among
-- the items. Lists to Lua: a shape is read-only.
local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse

local random = cuda.random
-- Name -> call with a shape, and the position of the shape among the arguments.
local TAKERS = {
  empty = { cuda.empty, 1 }, zeros = { cuda.zeros, 1 }, ones = { cuda.ones, 1 },
  full = { function(shape) return cuda.full(shape, 7) end, 1 },
  pinned = { cuda.pinned, 1 }, managed = { cuda.managed, 1 }, host = { cuda.host, 1 },
  uniform = { random.uniform, 1 }, normal = { random.normal, 1 }, bits = { random.bits, 1 },
  integers = { function(shape) return random.integers(1, 6, shape) end, 3 },
  wrap = { function(shape) return cuda.wrap(64, shape, "float32") end, 2 },
  array = { function(shape) return cuda.array(("\0"):rep(24), "float32", { shape = shape }) end, 1,
    true },
  reshape = { function(shape) return cuda.zeros(6):reshape(shape) end, 1, true },
  broadcast_to = { function(shape) return cuda.zeros(3):broadcast_to(shape) end, 1, true },
}

describe("lists", function()
  for name, taker in pairs(TAKERS) do
    local call, at, plain = table.unpack(taker)
    local head = ("%s: argument %d 'shape': "):format(name, at)

    it("that are a shape for " .. name .. " contain its extents and nothing else", function()
      for _, option in ipairs { "dtype", "device", "low", "order", "shape" } do
        local message = misuse(call, { 2, 3, [option] = "int32" })
        assert.equal(head, message:sub(1, #head))
        assert.matches("'" .. option .. "'", message, 1, true)
        local advice = ("options go in a separate table: %s(..., { %s = ... })"):format(name,
          option)
        assert.equal(not plain, message:find(advice, 1, true) ~= nil)
      end
      assert.equal(head .. "expected a list, got a table with [0] as a key",
        misuse(call, { [0] = 1, 2, 3 }))
      assert.equal(head .. "expected a list, got a table with a number as a key",
        misuse(call, { 2, 3, [1.5] = 2 }))
      for _, holes in ipairs {
        { 2, nil, 3 }, { 2, [3] = 3 }, { [1] = 2, [1 << 40] = 3 }, table.pack(2, nil),
      } do
        assert.equal(head .. "[2] of the list is missing (nil)", misuse(call, holes))
      end
      assert.equal(head .. "[1] of the list is missing (nil)", misuse(call, { nil, 3 }))
    end)
  end

  it("from table.pack and from metamethods are lists", function()
    assert.same({ 2, 3 }, cuda.zeros(table.pack(2, 3)).shape)
    local proxy = setmetatable({},
      { __len = function() return 2 end, __index = function(_, i) return i + 1 end })
    assert.same({ 2, 3 }, cuda.zeros(proxy).shape)
    assert.matches("length of the list is negative",
      misuse(cuda.zeros, setmetatable({}, { __len = function() return -1 end })))
    assert.same({ 2, 3 }, cuda.zeros(setmetatable({ 2, 3 }, { __name = "Pair" })).shape)
    for name, object in pairs { Generator = cuda.random.generator(1), Template = cuda.template "x" }
    do
      for _, call in ipairs { cuda.zeros, cuda.ones, cuda.empty } do
        assert.matches(": argument 1 'shape': expected a list, got " .. name .. "$",
          misuse(call, object))
      end
    end
  end)

  it("of arrays have no holes", function()
    local a = cuda.zeros { 2, 2 }
    for _, name in ipairs { "concatenate", "stack" } do
      local head = name .. ": argument 1 'arrays': "
      assert.equal(head .. "[2] of the list is missing (nil)", misuse(cuda[name], { a, nil, a }))
      assert.equal(head .. "[1] of the list is missing (nil)", misuse(cuda[name], { nil, a }))
      assert.equal(head
        .. ("the list contains 'axis'; options go in a separate table: %s(..., { axis = ... })")
        :format(name), misuse(cuda[name], { a, a, axis = 2 }))
      assert.equal(
        head .. ("expected a list of Arrays, got array: %s({ a, b }), with options after the list")
        :format(name), misuse(cuda[name], a, a))
    end
  end)

  it("of axes, indices, rows and blocks have no holes", function()
    local a = cuda.zeros { 2, 2, 2 }
    local missing = "[2] of the list is missing (nil)"
    assert.equal("transpose: argument 1 'axes': " .. missing, misuse(a.transpose, a, { 2, nil, 1 }))
    assert.equal("sum: option 'axis': " .. missing, misuse(a.sum, a, { axis = { 1, nil, 2 } }))
    assert.equal("norm: option 'axis': " .. missing, misuse(cuda.norm, a, { axis = { 1, nil, 2 } }))
    assert.equal("take: argument 2 'indices': " .. missing, misuse(a.take, a, { 1, nil, 2 }))
    assert.equal("take: argument 2 'indices': the list contains 'axis'; options go in a "
      .. "separate table: take(..., { axis = ... })", misuse(a.take, a, { 1, axis = 1 }))
    assert.equal(
      "array: argument 1 'data': [2]: [4] is after the end of the list of 2 elements",
      misuse(cuda.array, { { 1, 2 }, { 1, 2, [4] = 3 } }))
    local late = {}
    late[1], late[2], late[5] = 1, 2, 3
    assert.equal("array: argument 1 'data': [5] is after the end of the list of 2 elements",
      misuse(cuda.array, late))
    local k = cuda.kernel("__global__ void holes() {}", "holes")
    assert.equal("holes: launch: 'grid': " .. missing,
      misuse(k, { grid = { 1, nil, 2 }, block = 1 }))
    assert.equal("holes: launch: 'block': " .. missing,
      misuse(k, { grid = 1, block = { 1, [3] = 2 } }))
  end)
end)

describe("a.shape and a.strides", function()
  it("cannot be written", function()
    local a = cuda.zeros { 2, 3 }
    for _, list in ipairs { a.shape, a.strides } do
      for _, key in ipairs { 1, 3, 0, "x" } do
        assert.is_false((pcall(function() list[key] = 5 end)))
      end
      assert.is_false((pcall(rawset, list, 1, 5)))
      assert.is_false((pcall(table.insert, list, 5)))
      assert.is_false((pcall(table.remove, list)))
    end
    assert.matches("cannot be written.*table.unpack", misuse(function() a.shape[1] = 5 end))
    assert.same({ 2, 3 }, a.shape)
    assert.same({ 12, 4 }, a.strides)
  end)

  it("read like lists", function()
    local shape = cuda.zeros { 2, 3, 4 }.shape
    assert.equal(3, #shape)
    assert.equal("2x3x4", table.concat(shape, "x"))
    assert.same({ 3, 4 }, { table.unpack(shape, 2) })
    assert.same({ 2, 3, 4 }, table.move(shape, 1, 3, 1, {}))
    assert.is_nil(shape[0])
    assert.is_nil(shape[4])
    assert.is_nil(shape[1.5])
    assert.equal(3, shape[2.0])
    assert.equal(4, shape[-1])
    assert.equal(2, shape[-3])
    assert.is_nil(shape[-4])
    assert.is_nil(shape[math.mininteger])
    assert.equal(4, cuda.zeros { 2, 3, 4 }.strides[-1])
    local by_ipairs, by_pairs = {}, {}
    for i, n in ipairs(shape) do by_ipairs[i] = n end
    for i, n in pairs(shape) do by_pairs[i] = n end
    assert.same({ 2, 3, 4 }, by_ipairs)
    assert.same({ 2, 3, 4 }, by_pairs)
    assert.equal("{2, 3, 4}", tostring(shape))
    assert.equal("{}", tostring(cuda.zeros({}).shape))
    assert.equal("shape", cuda.type(shape))
    assert.is_true(shape == cuda.ones { 2, 3, 4 }.shape)
    assert.is_false(shape == cuda.ones { 2, 3 }.shape)
    assert.is_false(shape == cuda.ones { 2, 3, 5 }.shape)
  end)

  it("can be used for lists of integers", function()
    local a = cuda.zeros { 2, 3 }
    assert.same({ 2, 3 }, cuda.zeros(a.shape).shape)
    assert.same({ 2, 3 }, random.uniform(a.shape).shape)
    assert.same({ 2, 3 }, cuda.arange(6):reshape(a.shape).shape)
    assert.same({ 2, 3 }, cuda.array(("\0"):rep(24), "float32", { shape = a.shape }).shape)
    assert.same({ 2, 3 }, cuda.array(a.shape, "int32"):totable())
    assert.same({ 2, 3 }, cuda.zeros(2):set(a.shape):totable())
    assert.equal("2 {2, 3}",
      tostring(cuda.template "$(s[1]) $(s)" { s = a.shape }):match "2 {2, 3}")
    local k = cuda.kernel [[struct Extents { int n[2]; };
      __global__ void extents(int2 a, Extents b, int *out) {
        out[2 * threadIdx.y + threadIdx.x] = a.x * 1000 + a.y * 100 + b.n[0] * 10 + b.n[1];
      }]]
    local out = cuda.zeros(6, "int32")
    k({ grid = 1, block = a.shape }, a.shape, { n = a.shape }, out)
    k({ threads = a.shape, block = { 1, 1 } }, a.shape, { a.shape }, cuda.zeros(8, "int32"))
    assert.same({ 2323, 2323, 2323, 2323, 2323, 2323 }, out:totable())
  end)
end)
