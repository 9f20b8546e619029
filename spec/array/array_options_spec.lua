-- Options of functions that make arrays: none is ignored, wherever it appears.
local cuda = require "luacuda"
local helper = require "spec.helper"

local misuse = helper.misuse

helper.for_each_device(function(device)
  describe("out", function()
    it("without a dtype also sets the dtype", function()
      local x = cuda.zeros(3, "int32")
      assert.equal(x, cuda.ones(3, { out = x }))
      assert.same({ 1, 1, 1 }, x:totable())
      assert.same({ 5, 5, 5 }, cuda.full(3, 5, { out = x }):totable())
      assert.same({ 0, 1, 2 }, cuda.arange(3, { out = x }):totable())
      assert.same({ 7, 8, 9 }, cuda.array({ 7, 8, 9 }, { out = x }):totable())
      assert.same({ 1, 2, 3 }, cuda.array(cuda.array { 1, 2, 3 }, { out = x }):totable())
      assert.same({ 4, 5, 6 }, cuda.array("\4\0\0\0\5\0\0\0\6\0\0\0", { out = x }):totable())
      assert.same({ 0, 0, 0 }, cuda.zeros_like(cuda.ones(3), { out = x }):totable())
      assert.equal("int32", x.dtype)
      local y = cuda.zeros(3)
      assert.same({ 0.0, 1.0, 2.0 }, cuda.arange(3, { out = y }):totable())
      assert.same({ { 1, 0 }, { 0, 1 } },
        cuda.eye(2, { out = cuda.zeros({ 2, 2 }, "int8") }):totable())
      assert.equal("full: argument 2 'value': expected an integer (int32), got 2.5",
        misuse(cuda.full, 3, 2.5, { out = x }))
    end)

    it("must match the `device` option", function()
      local x = cuda.zeros(3)
      assert.equal(x, cuda.ones(3, { out = x, device = device }))
      assert.is_false(pcall(cuda.ones, 3, { out = x, device = 99 }))
      if device.kind ~= "cpu" then
        assert.matches(
          ("^ones: option 'out': the array is on %s, option 'device' names another"):format(
            device.label),
          misuse(cuda.ones, 3, { out = x, device = "cpu" }))
      end
    end)
  end)

  describe("data", function()
    it("are refused if they contain options", function()
      assert.equal("array: argument 1 'data': 'dtype' is among the elements; options go "
        .. "in a separate table: array(data, { dtype = ... })",
        misuse(cuda.array, { 1, 2, dtype = "int32" }))
      assert.matches("'out' is among the elements",
        misuse(cuda.array, { 1, out = cuda.zeros(1) }), 1, true)
    end)

    it("after a hole are not dropped", function()
      assert.matches("[4] is after the end of the list of 2 elements",
        misuse(cuda.array, { 1, 2, [4] = 4 }), 1, true)
      assert.matches("[1]", misuse(cuda.array, { { 1, 2, [4] = 4 }, { 1, 2 } }), 1, true)
    end)
  end)

  describe("sequences", function()
    it("of integers round down and stay inside the dtype", function()
      assert.same({ 0, 2, 5 }, cuda.linspace(0, 5, 3, "int8"):totable())
      assert.same({ -5, -3, 0 }, cuda.linspace(-5, 0, 3, "int32"):totable())
      assert.equal("linspace: 500 is out of range for int8 (-128 to 127)",
        misuse(cuda.linspace, 0, 500, 3, "int8"))
      assert.matches("^linspace: %-1 is out of range for uint8",
        misuse(cuda.linspace, -1, 5, 3, "uint8"))
    end)

    it("too long for any memory are refused", function()
      assert.equal("arange: 1152921504606846976 elements of int64 are more than any memory holds",
        misuse(cuda.arange, 1 << 60))
      assert.matches("^linspace: %d+ elements of float32 are more than",
        misuse(cuda.linspace, 0, 1, 1 << 62))
      assert.equal("arange: argument 1 'stop': expected a finite number, got nan",
        misuse(cuda.arange, -(0 / 0)))
    end)
  end)

  describe("copies", function()
    it("fill `out`", function()
      local a, out = cuda.array { { 1, 2 }, { 3, 4 } }, cuda.zeros { 2, 2 }
      assert.equal(out, a:copy { out = out })
      assert.same({ { 1, 2 }, { 3, 4 } }, out:totable())
      assert.equal(out, a:transpose():contiguous { out = out })
      assert.same({ { 1, 3 }, { 2, 4 } }, out:totable())
      assert.equal(out, a:contiguous { out = out })
      assert.same({ { 1, 2 }, { 3, 4 } }, out:totable())
      assert.equal(out, a:transpose():to(device, { out = out, stream = cuda.stream() }))
      assert.same({ { 1, 3 }, { 2, 4 } }, out:totable())
      assert.matches("^copy: option 'out': expected Array float32 {2, 2}, got Array float32 {4}",
        misuse(a.copy, a, { out = cuda.zeros(4) }))
      assert.matches("^to: option 'out': expected Array, got integer",
        misuse(a.to, a, device, { out = 5 }))
      if device.kind ~= "cpu" then
        assert.equal("to: option 'out': the array is not on cpu",
          misuse(a.to, a, "cpu", { out = out }))
      end
    end)
  end)

  describe("host memory", function()
    it("also takes the dtype as an option", function()
      for _, kind in ipairs { "pinned", "managed", "host" } do
        assert.equal("int8", cuda[kind](3, { dtype = "int8", zeros = true }).dtype)
        assert.equal(kind .. ": the dtype is given twice",
          misuse(cuda[kind], 3, "int8", { dtype = "int8" }))
        assert.matches("^" .. kind .. ": unknown dtype 'int9'",
          misuse(cuda[kind], 3, { dtype = "int9" }))
      end
      local a = cuda.array({ 1, 2 }, "int32")
      assert.same({ 1, 2 }, cuda.wrap(a.pointer, 2, { dtype = "int32", owner = a }):totable())
    end)
  end)

  describe("bytes", function()
    it("of pitched memory are set row by row", function()
      local a, pitch = cuda.alloc_pitch { width = 4, height = 2 }
      assert.is_true(pitch >= 4)
      cuda.memset2d(a, 7, { columns = 3, height = 2 })
      cuda.memset2d(a, 9, { columns = 1, height = 2, offset = 3 })
      assert.same({ { 7, 7, 7, 9 }, { 7, 7, 7, 9 } }, a:totable())
      assert.matches(
        "^memset2d: argument 1 'array': expected a contiguous array or one of whole rows",
        misuse(cuda.memset2d, cuda.zeros({ 4, 4 }):transpose(), 0, { columns = 1, height = 1 }))
    end)

    it("outside the array are refused with the wrong option", function()
      local a = cuda.alloc(8)
      assert.equal("memset: option 'offset': 9 is past the end of the array (8 bytes)",
        misuse(cuda.memset, a, 1, { offset = 9 }))
      assert.equal("copy2d: option 'width': expected 0 or more, got -2",
        misuse(cuda.copy2d, { dst = a, src = a, width = -2, height = 1 }))
      assert.equal("copy2d: option 'height' is missing",
        misuse(cuda.copy2d, { dst = a, src = a, width = 2 }))
    end)
  end)

  describe("a shape", function()
    it("can be a list with metamethods", function()
      local list = setmetatable({},
        { __len = function() return 2 end, __index = function(_, i) return i + 1 end })
      assert.same({ 2, 3 }, cuda.zeros(list).shape)
      assert.same({ 2, 3 }, cuda.zeros(6):reshape(list).shape)
      assert.matches("^zeros: argument 1 'shape'",
        misuse(cuda.zeros, setmetatable({}, { __len = function() return -1 end })))
    end)
  end)
end)

describe("cuda.type", function()
  it("recognizes the classes written in Lua", function()
    assert.equal("pool", cuda.type(cuda.pool "cpu"))
    assert.equal("template", cuda.type(cuda.template "x"))
    assert.equal("source", cuda.type(cuda.template "x" {}))
    assert.equal("error", cuda.type(select(2, pcall(cuda.device, 999))))
    assert.is_nil(cuda.type {})
    assert.is_nil(cuda.type(setmetatable({}, { __name = "other" })))
  end)
end)
