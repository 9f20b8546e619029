-- Promotion against NumPy: the tables below hold the results of numpy.result_type in NumPy 2.4.
local helper = require "spec.helper"
local cuda = require "luacuda"
local dtypes = require "luacuda.base.dtypes"

local PAIRS = [[
     b1   i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  c64  c128
b1   b1   i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  c64  c128
i8   i8   i8   i16  i32  i64  i16  i32  i64  f64  f16  f32  f64  c64  c128
i16  i16  i16  i16  i32  i64  i16  i32  i64  f64  f32  f32  f64  c64  c128
i32  i32  i32  i32  i32  i64  i32  i32  i64  f64  f64  f64  f64  c128 c128
i64  i64  i64  i64  i64  i64  i64  i64  i64  f64  f64  f64  f64  c128 c128
u8   u8   i16  i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  c64  c128
u16  u16  i32  i32  i32  i64  u16  u16  u32  u64  f32  f32  f64  c64  c128
u32  u32  i64  i64  i64  i64  u32  u32  u32  u64  f64  f64  f64  c128 c128
u64  u64  f64  f64  f64  f64  u64  u64  u64  u64  f64  f64  f64  c128 c128
f16  f16  f16  f32  f64  f64  f16  f32  f64  f64  f16  f32  f64  c64  c128
f32  f32  f32  f32  f64  f64  f32  f32  f64  f64  f32  f32  f64  c64  c128
f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  c128 c128
c64  c64  c64  c64  c128 c128 c64  c64  c128 c128 c64  c64  c128 c64  c128
c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128
]]
local WEAK = [[
     int  float complex
b1   i64  f64   c128
i8   i8   f64   c128
i16  i16  f64   c128
i32  i32  f64   c128
i64  i64  f64   c128
u8   u8   f64   c128
u16  u16  f64   c128
u32  u32  f64   c128
u64  u64  f64   c128
f16  f16  f16   c64
f32  f32  f32   c64
f64  f64  f64   c128
c64  c64  c64   c64
c128 c128 c128  c128
]]
-- Three types for which promotion in pairs depends on the order.
local TRIPLES = {
  { "int8", "uint8", "float16", "float16" },
  { "int8", "uint16", "float16", "float32" },
  { "int8", "uint16", "float32", "float32" },
  { "int8", "uint16", "complex64", "complex64" },
  { "int16", "uint16", "float16", "float32" },
  { "int16", "uint16", "float32", "float32" },
  { "int16", "uint16", "complex64", "complex64" },
}

local function long(short) return dtypes.of(short).name end

-- fn(row name, column name, result) for each cell of a table
local function each_cell(text, fn)
  local columns
  for line in text:gmatch "[^\n]+" do
    local words = {}
    for word in line:gmatch "%S+" do words[#words + 1] = word end
    if not columns then
      columns = words
    else
      for i, column in ipairs(columns) do fn(words[1], column, words[i + 1]) end
    end
  end
end

describe("promotion", function()
  it("of two dtypes is NumPy's", function()
    local cells = 0
    each_cell(PAIRS, function(a, b, want)
      assert.equal(long(want), dtypes.promote(long(a), long(b)), a .. " with " .. b)
      assert.equal(long(want), dtypes.result { long(a), long(b) })
      assert.equal(long(want), dtypes.result { "=" .. long(a), long(b) })
      cells = cells + 1
    end)
    assert.equal(14 * 14, cells)
  end)

  it("of a dtype with a Lua number is NumPy's for a Python number", function()
    local cells = 0
    each_cell(WEAK, function(a, kind, want)
      assert.equal(long(want), dtypes.result { long(a), kind }, a .. " with " .. kind)
      assert.equal(long(want), dtypes.result { kind, "=" .. long(a) })
      assert.equal(long(want), dtypes.result { kind, false, long(a), "bool" })
      cells = cells + 1
    end)
    assert.equal(14 * 3, cells)
  end)

  it("of three dtypes does not depend on their order", function()
    for _, row in ipairs(TRIPLES) do
      local a, b, c, want = table.unpack(row)
      for _, kinds in ipairs {
        { a, b, c }, { a, c, b }, { b, a, c }, { b, c, a }, { c, a, b }, { c, b, a },
      } do
        assert.equal(want, dtypes.result(kinds))
      end
    end
  end)

  it("treats bfloat16 like float16", function()
    local wants = { bool = "bfloat16", int8 = "bfloat16", uint8 = "bfloat16", int16 = "float32",
      uint16 = "float32", int32 = "float64", uint64 = "float64", float16 = "float32",
      bfloat16 = "bfloat16", float32 = "float32", float64 = "float64", complex64 = "complex64",
      complex128 = "complex128" }
    for name, want in pairs(wants) do
      assert.equal(want, dtypes.promote("bfloat16", name), name)
      assert.equal(want, dtypes.promote(name, "bfloat16"), name)
    end
    assert.equal("bfloat16", dtypes.result { "bfloat16", "int" })
    assert.equal("bfloat16", dtypes.result { "bfloat16", "float" })
    assert.equal("complex64", dtypes.result { "bfloat16", "complex" })
  end)

  it("of floats of 8 bits is the smallest dtype that holds both", function()
    local wants = { bool = false, int8 = "float16", uint8 = "float16", int16 = "float32",
      uint16 = "float32", int32 = "float64", uint64 = "float64", float16 = "float16",
      bfloat16 = "bfloat16", float32 = "float32", float64 = "float64", complex64 = "complex64",
      complex128 = "complex128" }
    for _, own in ipairs { "float8_e4m3fn", "float8_e5m2" } do
      for name, want in pairs(wants) do
        assert.equal(want or own, dtypes.promote(own, name), name)
        assert.equal(want or own, dtypes.promote(name, own), name)
      end
      assert.equal(own, dtypes.result { own, "int" })
      assert.equal(own, dtypes.result { own, "float" })
      assert.equal("complex64", dtypes.result { own, "complex" })
    end
    assert.equal("float16", dtypes.promote("float8_e4m3fn", "float8_e5m2"))
  end)

  it("of Lua values alone gives our defaults", function()
    assert.equal("int64", dtypes.result { "int" })
    assert.equal("float32", dtypes.result { "int", "float" })
    assert.equal("complex128", dtypes.result { "complex", "int" })
    assert.equal("bool", dtypes.result { "bool", "bool" })
    assert.equal("int64", dtypes.result { "bool", "int" })
  end)
end)

describe("dtypes", function()
  it("normal gives long names and suggests similar ones", function()
    helper.for_all_dtypes(function(name, row)
      assert.equal(name, dtypes.normal(name))
      assert.equal(name, dtypes.normal(row.short))
    end, { coarse = true })
    assert.matches("^sum: option 'dtype': unknown dtype 'flaot32'; did you mean 'float32'",
      helper.misuse(function() dtypes.normal("flaot32", "sum: option 'dtype'") end))
    assert.matches("^expected the name of a dtype, got number",
      helper.misuse(function() dtypes.normal(3) end))
  end)

  it("min and max are the smallest and largest values of a dtype", function()
    helper.for_all_dtypes(function(name, row)
      local least, most = dtypes.min(name), dtypes.max(name)
      if row.kind == "complex" then
        assert.is_nil(least)
        assert.is_nil(most)
        return
      end
      local values = cuda.host({ 2 }, name)
      values[1], values[2] = least, most
      assert.same({ least, most }, values:totable())
      if row.kind == "bool" then return assert.same({ false, true }, { least, most }) end
      if row.kind == "float" then
        assert.is_true(most < math.huge)
        assert.equal(-most, least)
        if name ~= "float64" then
          assert.matches("out of range",
            helper.misuse(function() values[1] = most * (1 + 2 ^ -(row.mantissa - 1)) end))
        end
      elseif row.size < 8 then
        assert.matches("out of range", helper.misuse(function() values[1] = least - 1 end))
        assert.matches("out of range", helper.misuse(function() values[1] = most + 1 end))
      end
    end, { coarse = true })
  end)
end)
