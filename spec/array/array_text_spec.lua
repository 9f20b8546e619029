local helper = require "spec.helper"
local cuda = require "luacuda"

describe("tostring of arrays", function()
  helper.for_each_device(function(_, name)
    local function text(array) return (tostring(array):gsub(" on " .. name, " on DEV")) end

    it("shows the ends of long rows", function()
      assert.equal("luacuda.Array float32 {1048576} on DEV: 0 1 2 ... 1048574 1048575",
        text(cuda.arange(1 << 20, "float32")))
      assert.equal("luacuda.Array int64 {8} on DEV: 0 1 2 3 4 5 6 7", text(cuda.arange(8)))
      assert.equal("luacuda.Array int64 {9} on DEV: 0 1 2 ... 7 8", text(cuda.arange(9)))
      assert.equal("luacuda.Array int64 {20} on DEV: 38 36 34 ... 2 0",
        text(cuda.arange(40):slice({ -2, 1, -2 })))
    end)

    it("nests rows", function()
      assert.equal("luacuda.Array int32 {2, 3} on DEV:\n  {1 2 3}\n  {4 5 6}",
        text(cuda.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "int32")))
      assert.equal("luacuda.Array int8 {2, 1, 2} on DEV:\n  {\n    {1 1}\n  }\n  {\n    {1 1}\n  }",
        text(cuda.ones({ 2, 1, 2 }, "int8")))
      local big = cuda.arange(10000):reshape { 100, 100 }
      assert.equal(
        "luacuda.Array int64 {100, 100} on DEV:\n  {0 1 2 ... 98 99}\n  {100 101 102 ... 198 199}\n"
        .. "  {200 201 202 ... 298 299}\n  ...\n  {9900 9901 9902 ... 9998 9999}", text(big))
    end)

    it("stays short for many axes", function()
      assert.is_true(#text(cuda.zeros { 9, 9, 9, 9, 9, 9 }) < 1000)
      assert.is_true(#text(cuda.zeros { 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2 }) < 1000)
      assert.is_true(#text(cuda.ones(1, "int8"):broadcast_to { 1 << 30, 1 << 20 }) < 1000)
    end)

    it("has the significant digits", function()
      assert.equal("luacuda.Array float32 {3} on DEV: 0.1 1e+20 16777216",
        text(cuda.array { 0.1, 1e20, 16777216.0 }))
      assert.equal("luacuda.Array float64 {2} on DEV: 0.1 0.3333333333333333",
        text(cuda.array({ 0.1, 1 / 3 }, "float64")))
      assert.equal("luacuda.Array float16 {2} on DEV: 0.1 0.3333",
        text(cuda.array({ 0.1, 1 / 3 }, "float16")))
      assert.equal("luacuda.Array float32 {3} on DEV: inf -inf nan",
        text(cuda.array { 1 / 0, -1 / 0, 0 / 0 }))
      assert.equal("luacuda.Array bool {2} on DEV: true false", text(cuda.array { true, false }))
      assert.equal("luacuda.Array complex64 {2} on DEV: 1+0.5i 0-1i",
        text(cuda.array { cuda.complex(1, 0.5), cuda.complex(0, -1) }))
      assert.equal("luacuda.Array uint64 {1} on DEV: 18446744073709551615",
        text(cuda.array({ -1 }, "uint64")))
    end)

    it("shows arrays without elements and without axes", function()
      assert.equal("luacuda.Array float32 {0} on DEV", text(cuda.zeros(0)))
      assert.equal("luacuda.Array float32 {2, 0} on DEV", text(cuda.zeros { 2, 0 }))
      assert.equal("luacuda.Array float32 {} on DEV: 5", text(cuda.array(5)))
    end)

    it("shows the fields of structs", function()
      local P = cuda.struct { { "id", "int32" }, { "mass", "float32" }, { "pos", "float32", 3 } }
      local a = cuda.zeros(2, P)
      a[2] = { id = 5, mass = 1.5, pos = { 1, 2, 3 } }
      assert.equals("luacuda.Array struct {2} on DEV: {id = 0, mass = 0, pos = {...}} {id = 5, "
        .. "mass = 1.5, pos = {...}}", text(a))
      local fields = {}
      for i = 1, 9 do fields[i] = { "f" .. i, "uint8" } end
      local many = cuda.zeros(1, cuda.struct(fields))
      assert.matches(": {f1 = 0, .*, f8 = 0, %.%.%.}$", tostring(many))
      local large = cuda.zeros(2, cuda.struct { { "x", "float64", 9 } })
      assert.matches(": {%.%.%.} {%.%.%.}$", tostring(large))
    end)

    it("does not raise", function()
      local a = cuda.zeros(3)
      a:free()
      assert.equal("luacuda.Array (closed)", tostring(a))
      assert.has_error(function() getmetatable(a).__tostring {} end)
    end)
  end)
end)
