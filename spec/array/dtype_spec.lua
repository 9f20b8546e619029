local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse

describe("dtypes", function()
  it("are one table", function()
    local names = {}
    for i, row in ipairs(cuda.dtypes()) do names[i] = row.name end
    assert.equal("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float8_e4m3fn "
      .. "float8_e5m2 float16 bfloat16 float32 float64 complex64 complex128",
      table.concat(names, " "))
  end)

  helper.for_all_dtypes(function(name, row)
    it(name .. " has two names", function()
      assert.equal(name, cuda.empty(0, row.short).dtype)
      assert.equal(name, cuda.empty(0, name).dtype)
    end)

    it(name .. " makes typed scalars", function()
      local value = row.kind == "bool" or 1
      local s = cuda[name](value)
      assert.equal("scalar", cuda.type(s))
      assert.equal(name, s.dtype)
      assert.is_true(s.value == (row.kind == "complex" and cuda.complex(1) or value))
      assert.is_true(s == cuda[name](value))
      assert.equal(name .. "(" .. (row.kind == "bool" and "true" or row.kind == "complex" and "1+0i"
        or "1") .. ")", tostring(s))
    end)

    it(name .. " refuses values out of range", function()
      local wrong = row.kind == "bool" and 1 or "1"
      assert.matches("^" .. name .. ": argument 1 'value': expected", misuse(cuda[name], wrong))
      assert.matches("argument 1 'value'", misuse(cuda[name], nil))
      if row.kind == "int" or row.kind == "uint" then
        assert.matches("expected an integer %(" .. name .. "%), got 0.5", misuse(cuda[name], 0.5))
        assert.matches("expected an integer", misuse(cuda[name], 0 / 0))
        assert.matches("out of range", misuse(cuda[name], 1e300))
        if row.size < 8 then
          assert.matches("out of range", misuse(cuda[name], 1 << row.size * 8))
        end
      end
    end)
  end, { coarse = true })

  it("round when a scalar is made", function()
    assert.equal(("<f"):unpack(("<f"):pack(0.1)), cuda.float32(0.1).value)
    assert.equal(2048.0, cuda.float16(2049).value)
    assert.equal("float32(0.1)", tostring(cuda.float32(0.1)))
    assert.equal(-1, cuda.uint64(-1).value)
    assert.equal("uint64(18446744073709551615)", tostring(cuda.uint64(-1)))
  end)

  it("convert between typed scalars by the same rules", function()
    assert.equal(5, cuda.int8(cuda.float64(5)).value)
    assert.matches("int32(300) is out of range for int8", misuse(cuda.int8, cuda.int32(300)), 1,
      true)
    assert.matches("1e+39+2i is out of range for complex64",
      misuse(cuda.complex64, cuda.complex(1e39, 2)), 1, true)
    assert.matches("out of range for int64", misuse(cuda.int64, cuda.uint64(-1)))
    assert.matches("got bool(true)", misuse(cuda.int8, cuda.bool(true)), 1, true)
    assert.equal(1, cuda.array({ cuda.float32(1), 2 }, "int8")[1])
  end)
end)

describe("complex values", function()
  local z = cuda.complex(3, 4)

  it("have parts and arithmetic", function()
    assert.equal(3.0, z.re)
    assert.equal(4.0, z.im)
    assert.equal(cuda.complex(4, 4), z + 1)
    assert.equal(cuda.complex(-2, -4), 1 - z)
    assert.equal(cuda.complex(-7, 24), z * z)
    assert.equal(cuda.complex(1, 0), z / z)
    assert.equal(cuda.complex(0.5, 0), cuda.complex(1e308, 0) / cuda.complex(2e308 / 1, 0) + 0.5)
    assert.equal(cuda.complex(-3, -4), -z)
    assert.equal(5.0, z:abs())
    assert.equal(cuda.complex(3, -4), z:conj())
    assert.is_false(z == cuda.complex(3, 5))
    assert.is_false(z == 3)
    assert.equal("complex", cuda.type(z))
  end)

  it("divide without overflow", function()
    local big = cuda.complex(1e300, 1e300)
    assert.equal(cuda.complex(1, 0), big / big)
  end)

  it("print as they are written", function()
    assert.equal("3+4i", tostring(z))
    assert.equal("0.1-2i", tostring(cuda.complex(0.1, -2)))
    assert.equal("0.5+0i", tostring(cuda.complex(0.5)))
  end)

  it("are immutable", function()
    assert.matches("Complex has no settable field 're'", misuse(function() z.re = 1 end))
    assert.matches("no field or method 'real'", misuse(function() return z.real end))
    assert.matches("argument 1 're': expected a number, got string", misuse(cuda.complex, "1"))
    assert.matches("complex %+: expected a number or complex value %(complex128%), got string",
      misuse(function() return z + "1" end))
  end)
end)

describe("addresses", function()
  it("are values", function()
    assert.equal("luacuda.Pointer 0xff", tostring(cuda.ptr(255)))
    assert.equal(cuda.ptr(255), cuda.ptr(255))
    assert.equal(255, cuda.ptr(255).address)
    assert.equal(cuda.null, cuda.ptr(0))
    assert.equal("luacuda.null", tostring(cuda.null))
    assert.equal("pointer", cuda.type(cuda.null))
    assert.equal(-1, cuda.ptr(-1).address)
    assert.matches("argument 1 'address': expected an integer", misuse(cuda.ptr, "1"))
    assert.matches("argument 1 'address'", misuse(cuda.ptr, 1.5))
    assert.matches("argument 1 'address'", misuse(cuda.ptr, nil))
  end)
end)
