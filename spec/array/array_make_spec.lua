local helper = require "spec.helper"
local numpy = require "spec.support.numpy_oracle"
local cuda = require "luacuda"

local misuse = helper.misuse

describe("making arrays", function()
  helper.for_each_device(function(device)
    describe("from tables", function()
      it("takes numbers as float32", function()
        local a = cuda.array { 1, 2.5, -3 }
        assert.equal("float32", a.dtype)
        assert.same({ 3 }, a.shape)
        assert.same({ 1.0, 2.5, -3.0 }, a:totable())
        assert.equal(device, a.device)
        assert.equal("device", a.memory)
      end)

      it("takes booleans as bool and complex values as complex64", function()
        assert.equal("bool", cuda.array { true, false }.dtype)
        assert.same({ true, false }, cuda.array({ true, false }):totable())
        local z = cuda.array { cuda.complex(1, 2), 3 }
        assert.equal("complex64", z.dtype)
        assert.equal(cuda.complex(1, 2), z[1])
        assert.equal(cuda.complex(3, 0), z[2])
      end)

      it("takes the dtype of typed scalars", function()
        assert.equal("int16", cuda.array { cuda.int16(3), 4 }.dtype)
      end)

      it("nests to any depth up to 16 axes", function()
        local deep, want = 7, {}
        for _ = 1, 16 do deep = { deep } end
        for i = 1, 16 do want[i] = 1 end
        local a = cuda.array(deep, "int32")
        assert.same(want, a.shape)
        assert.same(deep, a:totable())
        assert.matches("nested deeper than 16 axes", misuse(cuda.array, { deep }))
      end)

      it("makes empty arrays", function()
        assert.same({ 0 }, cuda.array({}).shape)
        assert.same({ 2, 0 }, cuda.array({ {}, {} }).shape)
        assert.same({ {}, {} }, cuda.array({ {}, {} }):totable())
        assert.equal(0, #cuda.array {})
      end)

      it("reads tables through their metamethods", function()
        local proxy = setmetatable({},
          { __index = function(_, i) return i * 10 end, __len = function() return 3 end })
        assert.same({ 10.0, 20.0, 30.0 }, cuda.array(proxy):totable())
      end)

      it("names the position of a value that does not fit", function()
        assert.equal(
          "array: argument 1 'data': [2]: ragged: a list of 1 elements where the others have 2",
          misuse(cuda.array, { { 1, 2 }, { 3 } }))
        assert.equal(
          "array: argument 1 'data': [2]: ragged: expected a list of 1 elements, got integer",
          misuse(cuda.array, { { 1 }, 2 }))
        assert.equal("array: argument 1 'data': [2][1]: expected a number (float32), got table",
          misuse(cuda.array, { { 1 }, { {} } }))
        assert.equal("array: argument 1 'data': [2]: expected a number (float32), got string",
          misuse(cuda.array, { 1, "2" }))
        assert.equal(
          "array: argument 1 'data': [2]: expected a number (float32), got boolean; give a dtype",
          misuse(cuda.array, { 1, true }))
        assert.equal("array: argument 1 'data': [3]: 300 is out of range for int8 (-128 to 127)",
          misuse(cuda.array, { 1, 2, 300 }, "int8"))
        assert.equal("array: argument 1 'data': [1]: expected an integer (int32), got 2.5",
          misuse(cuda.array, { 2.5 }, "int32"))
        assert.equal("array: argument 1 'data': expected a list, got a table without [1]",
          misuse(cuda.array, { x = 1 }))
        local cycle = {}
        cycle[1] = cycle
        assert.matches("nested deeper", misuse(cuda.array, cycle))
      end)

      it("requires a dtype if float32 cannot hold an integer", function()
        assert.matches(
          "%[2%]: float32, the default, cannot hold the integer 16777217; give a dtype",
          misuse(cuda.array, { 1, 16777217 }))
        assert.equal(16777216.0, cuda.array({ 16777216 })[1])
        assert.equal(16777217, cuda.array({ 16777217 }, "int64")[1])
        assert.equal(16777216.0, cuda.array({ 16777217 }, "float32")[1])
        assert.matches("cannot hold", misuse(cuda.full, 3, math.maxinteger))
      end)
    end)

    it("rounds large integers once", function()
      -- 2^60 + 2^36 + 1 is just above the midpoint of two floats; as a double it would be the
      -- midpoint
      local n = (1 << 60) + (1 << 36) + 1
      assert.equal(2.0 ^ 60 + 2.0 ^ 37, cuda.array({ n }, "float32")[1])
    end)

    it("takes bytes with a dtype and a shape", function()
      local bytes = ("<i4i4i4i4"):pack(1, -2, 3, 4)
      assert.same({ 1, -2, 3, 4 }, cuda.array(bytes, "int32"):totable())
      assert.same({ { 1, -2 }, { 3, 4 } },
        cuda.array(bytes, "int32", { shape = { 2, -1 } }):totable())
      assert.equal(bytes, cuda.array(bytes, "int32"):tobytes())
      assert.equal(0, cuda.array("", "float64").size)
      assert.matches("argument 2 'dtype': bytes need a dtype", misuse(cuda.array, "abc"))
      assert.matches("15 bytes are not whole elements of int32",
        misuse(cuda.array, bytes:sub(2), "int32"))
      assert.matches("4 elements do not fill option 'shape' {3}",
        misuse(cuda.array, bytes, "int32", { shape = 3 }))
    end)

    it("takes arrays, converted", function()
      local a = cuda.array({ 1, 2, 3 }, "int32")
      local b = cuda.array(a)
      b[1] = 9
      assert.same({ 1, 2, 3 }, a:totable())
      assert.same({ 9, 2, 3 }, b:totable())
      assert.equal("float64", cuda.array(a, "float64").dtype)
      assert.same({ { 1 }, { 2 }, { 3 } }, cuda.array(a, { shape = { 3, 1 } }):totable())
    end)

    it("takes single values as arrays without axes", function()
      local a = cuda.array(5)
      assert.same({}, a.shape)
      assert.equal(1, a.size)
      assert.equal(5.0, a:item())
      assert.equal(5.0, a:totable())
      assert.equal("bool", cuda.array(true).dtype)
      assert.has_error(function() return #a end)
    end)

    helper.for_all_dtypes(function(name, row)
      it("fills " .. name, function()
        local zero, one = cuda.zeros({ 2, 3 }, name), cuda.ones(5, name)
        assert.equal(name, zero.dtype)
        assert.equal(row.size * 6, zero.nbytes)
        assert.equal(("\0"):rep(row.size * 6), zero:tobytes())
        local want = row.kind == "bool" and true or row.kind == "complex" and cuda.complex(1) or 1
        for _, v in ipairs(one) do assert.is_true(v == want) end
        assert.same({ 2, 3 }, cuda.empty_like(zero).shape)
        assert.equal(name, cuda.zeros_like(one).dtype)
        assert.is_true(cuda.ones_like(zero):reshape(-1):slice({ 1, 5 }):equals(one))
        if row.kind ~= "bool" then
          assert.is_true(
            cuda.full(3, 7, name)[2] == (row.kind == "complex" and cuda.complex(7) or 7))
        end
      end)
    end, { coarse = true })

    it("makes ranges as NumPy does", function()
      assert.same({ 0, 1, 2 }, cuda.arange(3):totable())
      assert.equal("int64", cuda.arange(3).dtype)
      assert.same({ 5, 3, 1 }, cuda.arange(5, 0, -2):totable())
      assert.same({}, cuda.arange(3, 3):totable())
      assert.same({}, cuda.arange(3, 8, -1):totable())
      assert.same({ 0, 0.25, 0.5, 0.75 }, cuda.arange(0, 1, 0.25):totable())
      assert.equal("float32", cuda.arange(0.0, 1).dtype)
      assert.same({ 0.0, 1.0 }, cuda.arange(2, "float64"):totable())
      assert.same({ 0, 1, 2 }, cuda.arange(2.5, "int32"):totable())
      assert.same({ math.maxinteger - 1 },
        cuda.arange(math.maxinteger - 1, math.maxinteger):totable())
      assert.same({ math.mininteger },
        cuda.arange(math.mininteger, math.maxinteger, math.maxinteger):slice({ 1, 1 }):totable())
      assert.matches("the step cannot be 0", misuse(cuda.arange, 1, 5, 0))
      assert.matches("255 is out of range for int8", misuse(cuda.arange, 256, "int8"))
      assert.matches("steps with a fraction", misuse(cuda.arange, 0, 1, 0.5, "int32"))
      assert.matches("finite", misuse(cuda.arange, 0, 1 / 0))
      assert.matches("more than any memory", misuse(cuda.arange, 0, 1e300))
      assert.matches("'stop': expected a number", misuse(cuda.arange, "3"))
    end)

    it("makes evenly spaced numbers", function()
      assert.same({ 0, 0.25, 0.5, 0.75, 1 }, cuda.linspace(0, 1, 5):totable())
      assert.same({ 0, 0.25, 0.5, 0.75 }, cuda.linspace(0, 1, 4, { endpoint = false }):totable())
      assert.same({ 3 }, cuda.linspace(3, 5, 1):totable())
      assert.equal(50, cuda.linspace(0, 1).size)
      assert.equal(0, cuda.linspace(0, 1, 0).size)
      local many = cuda.linspace(0, 0.1, 3000, "float64")
      assert.equal(0.1, many[-1])
      assert.matches("expected 0 or more", misuse(cuda.linspace, 0, 1, -1))
    end)

    local by_numpy = numpy.found and it or pending
    by_numpy("makes the numbers of NumPy's linspace, also with steps that underflow", function()
      local rng, cases = helper.random(8), {}
      local function small() return (rng(41) - 20) * 5e-324 end
      local function plain() return (rng(2001) - 1000) / 8 end
      for k = 1, 200 do
        local number, n = k % 2 == 0 and small or plain, rng(30)
        local first, last, ends = number(), number(), rng(2) == 0
        local dtype = ({ "float64", "float32", "int16" })[rng(3) + 1]
        cases[#cases + 1] = { ("np.linspace(%.17g, %.17g, %d, endpoint=%s, dtype='%s')"):format(
          first, last, n, ends and "True" or "False", dtype),
          function() return cuda.linspace(first, last, n, dtype, { endpoint = ends }) end,
          rtol = 0, atol = 0 }
      end
      numpy.check({}, cases)
    end)

    it("makes ones on a diagonal", function()
      assert.same({ { 1, 0 }, { 0, 1 } }, cuda.eye(2, "int8"):totable())
      assert.same({ { 0, 1, 0 }, { 0, 0, 1 } },
        cuda.eye(2, "int8", { columns = 3, offset = 1 }):totable())
      assert.same({ { 0, 0 }, { 1, 0 } }, cuda.eye(2, { offset = -1 }):totable())
      assert.same({ { 0, 0 }, { 0, 0 } }, cuda.eye(2, { offset = 5 }):totable())
      assert.same({}, cuda.eye(0):totable())
    end)

    it("writes into option out", function()
      local out = cuda.empty({ 2, 2 }, "int32")
      assert.equal(out, cuda.array({ { 1, 2 }, { 3, 4 } }, "int32", { out = out }))
      assert.same({ { 1, 2 }, { 3, 4 } }, out:totable())
      assert.equal(out, cuda.zeros({ 2, 2 }, "int32", { out = out }))
      assert.same({ { 0, 0 }, { 0, 0 } }, out:totable())
      cuda.arange(2, "int32", { out = out:slice({}, 2) })
      assert.same({ { 0, 0 }, { 0, 1 } }, out:totable())
      assert.matches("option 'out': expected Array int32 {2}, got Array int32 {2, 2}",
        misuse(cuda.arange, 2, { out = out }))
      assert.matches("option 'out': expected Array, got integer",
        misuse(cuda.zeros, 2, { out = 3 }))
    end)

    it("runs on the stream given", function()
      local s = cuda.stream {}
      local a = cuda.full(1000, 3, "int32", { stream = s })
      assert.equal(3, a[1000])
      assert.equal(device, a.device)
    end)

    it("refuses invalid shapes", function()
      assert.equal("empty: argument 2 'dtype': expected a dtype, got a number; a shape of several "
        .. "axes is a list: {2, 3}", misuse(cuda.empty, 2, 3))
      assert.matches("cannot have %-1 elements", misuse(cuda.empty, -1))
      assert.matches("cannot have %-2 elements", misuse(cuda.empty, { 3, -2 }))
      assert.matches("expected an integer, got 2.5", misuse(cuda.empty, 2.5))
      assert.matches("expected an integer, got %-?nan", misuse(cuda.empty, { 0 / 0 }))
      assert.matches("got string", misuse(cuda.empty, "3"))
      assert.matches("got string", misuse(cuda.empty, { "3" }))
      assert.matches("the list contains 'x'", misuse(cuda.empty, { x = 3 }))
      assert.matches("17 axes are too many",
        misuse(cuda.empty, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }))
      assert.matches("more than any memory", misuse(cuda.empty, { 1 << 40, 1 << 40 }))
      assert.matches("more than any memory", misuse(cuda.empty, { 0, 1 << 40, 1 << 40 }))
      assert.matches("more than any memory", misuse(cuda.empty, math.maxinteger))
      assert.same({ 4 }, cuda.empty(4.0).shape)
    end)

    it("refuses unknown dtypes, options and arguments", function()
      assert.matches("unknown dtype 'flaot32'; did you mean 'float32'",
        misuse(cuda.empty, 3, "flaot32"))
      assert.matches("unknown option 'steam'; did you mean 'stream'",
        misuse(cuda.empty, 3, "float32", { steam = 1 }))
      assert.matches("too many arguments", misuse(cuda.empty, 3, "float32", {}, 4))
      assert.matches("the dtype is given twice",
        misuse(cuda.empty, 3, "float32", { dtype = "int8" }))
      assert.matches("got boolean", misuse(cuda.empty, 3, true))
      assert.matches("expected a table, an Array, bytes or a number, got function",
        misuse(cuda.array, print))
      assert.equal("int8", cuda.empty(3, { dtype = "i8" }).dtype)
    end)

    it("raises an error object when out of memory", function()
      local ok, e = pcall(cuda.empty, 1 << 56, "uint8")
      assert.is_false(ok)
      assert.is_true(cuda.is_error(e, "memory"))
      assert.equal(3, cuda.zeros(3).size)
    end)
  end)
end)
