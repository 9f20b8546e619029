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

    it("reach over the whole range of doubles", function()
      local most, eps = 1.7976931348623157e308, 2.3e-16
      for _, ends in ipairs { { -most, most }, { most, -most }, { -1.2e308, 1.7e308 },
        { -most, 1e307 } } do
        local first, last = ends[1], ends[2]
        for _, n in ipairs { 2, 3, 10, 1025 } do
          local a = cuda.linspace(first, last, n, "float64")
          local b = cuda.linspace(first, last, n, "float64", { endpoint = false })
          assert.same({ first, last, first }, { a[1], a[n], b[1] })
          for i = 1, n do -- half of each number stays in the range
            local x, y = (i - 1) / (n - 1), (i - 1) / n
            assert.near(0.5 * first + x * (0.5 * last - 0.5 * first), 0.5 * a[i], 4 * eps * most)
            assert.near(0.5 * first + y * (0.5 * last - 0.5 * first), 0.5 * b[i], 4 * eps * most)
          end
        end
        assert.same({ first }, cuda.linspace(first, last, 1, "float64"):totable())
        local step = first < last and 1e308 or -1e308
        local c = cuda.arange(first, last, step, "float64")
        assert.equal(math.ceil(last / step - first / step), c.size)
        for i = 1, c.size do assert.near(first / 4 + (i - 1) * (step / 4), c[i] / 4, eps * most) end
      end
    end)

    it("of powers stay inside the dtype", function()
      for _, case in ipairs { { "int32", 0, 30, "1e+30" }, { "int8", 0, 3, "1000" },
        { "int32", 30, 0, "1e+30" }, { "uint8", 0, 3, "-8", -2 }, { "float32", 0, 39, "1e+39" },
        { "float16", -3, 5, "100000" }, { "complex64", 0, 39, "1e+39" } } do
        local dtype, first, last, value, base = table.unpack(case)
        helper.contains(misuse(cuda.logspace, first, last, 4, dtype, { base = base }),
          ("logspace: %s is out of range for %s"):format(value, dtype))
      end
      assert.same({ 1, 4, 16, 64 },
        cuda.logspace(0, 8, 4, "int8", { base = 2, endpoint = false }):totable())
      helper.contains(misuse(cuda.logspace, 0, 8, 4, "int8", { base = 2 }), "256 is out of range")
      helper.contains(misuse(cuda.logspace, 0, 400, 3, "int64"), "logspace: expected an integer")
      helper.contains(misuse(cuda.logspace, 0, 1, 3, "bool"), "a dtype of numbers, got bool")
      for name, arguments in pairs { first = { 0 / 0, 1 }, last = { 1, math.huge } } do
        helper.contains(misuse(cuda.logspace, table.unpack(arguments)), ("'%s'"):format(name))
        helper.contains(misuse(cuda.logspace, table.unpack(arguments)), "logspace: argument")
      end
      helper.contains(misuse(cuda.logspace, 0, 1, 3, { base = 0 / 0 }),
        "logspace: option 'base': expected a finite number, got nan")
      helper.contains(misuse(cuda.logspace, 0, 1, 3, "int8", { base = -2 }),
        "logspace: exponents with a fraction of a negative base do not make int8 elements")
      assert.same({ 3 }, cuda.logspace(1, 40, 1, "int8", { base = 3 }):totable())
      assert.same({}, cuda.logspace(100, 200, 0, "int8"):totable())
    end)

    it("of powers are exact where doubles hold them", function()
      for base = 2, 60 do
        local most = math.floor(math.log(2 ^ 53, base))
        local powers = { 1 }
        for i = 2, most do powers[i] = powers[i - 1] * base end
        for _, dtype in ipairs { "int64", "float64" } do
          assert.same(powers, cuda.logspace(0, most - 1, most, dtype, { base = base }):totable())
          assert.same(powers, cuda.logspace(0, most, most,
            { base = base, dtype = dtype, endpoint = false }):totable())
        end
      end
    end)

    it("take a dtype after a number of elements that is nil", function()
      for _, name in ipairs { "linspace", "logspace" } do
        local a = cuda[name](0, 1, nil, "float64")
        assert.same({ "float64", 50 }, { a.dtype, a.size })
        a = cuda[name](0, 1, nil, "float64", { n = 7 })
        assert.same({ "float64", 7 }, { a.dtype, a.size })
        a = cuda[name](0, 1, nil, nil, { n = 7 })
        assert.same({ "float32", 7 }, { a.dtype, a.size })
      end
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
