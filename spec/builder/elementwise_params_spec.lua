-- The parameter language of the kernel builders and the types of a call: none of it needs a device.
local cuda = require "luacuda"
local helper = require "spec.helper"
local params = require "luacuda.builder.params"
local types = require "luacuda.builder.types"

local function parsed(inputs, outputs)
  local list, nin, nout = params.parse("k", inputs, outputs or "float32 out")
  local words = {}
  for i, p in ipairs(list) do words[i] = params.declaration(p) end
  return table.concat(words, ", "), nin, nout
end

local function refused(inputs, outputs, reserved)
  return helper.misuse(function() params.parse("k", inputs, outputs or "float32 out", reserved) end)
end

describe("parameters", function()
  it("are declared by NumPy's names, short names and C names", function()
    local all = {}
    helper.for_all_dtypes(function(name, row)
      all[#all + 1] = name
      assert.equals(name .. " x, float32 out", parsed(name .. " x"))
      assert.equals(name .. " x, float32 out", parsed(row.short .. " x"))
    end)
    assert.equals(15, #all)
    for c, dtype in pairs {
      char = "int8", ["unsigned char"] = "uint8", short = "int16", unsigned = "uint32",
      ["long long"] = "int64", ["unsigned long long"] = "uint64", size_t = "uint64",
      float = "float32", double = "float64", uint16_t = "uint16",
      ["complex < float >"] = "complex64", half = "float16",
    } do
      assert.equals(dtype .. " x, float32 out", parsed(c .. " x"))
    end
  end)

  it("take raw, const, placeholders, structs and lists of names", function()
    local text, nin, nout = parsed("float32 x, T y, raw T z,\n const int32 n2", "T u, v")
    assert.equals("float32 x, T y, raw T z, int32 n2, T u, T v", text)
    assert.equals(4, nin)
    assert.equals(2, nout)
    assert.equals("raw struct Particle p, raw struct Particle q, float32 out",
      parsed "raw struct Particle p, q")
    assert.equals("struct Particle p, struct Particle q, float32 out",
      parsed "struct Particle p, q")
    assert.equals("T1 x, float32 out", parsed "const T1 x")
    assert.equals("float32 out", parsed "  ")
    assert.equals("raw float64 x, float32 out", parsed "const raw double x")
  end)

  it("are refused before anything is compiled", function()
    assert.equals("k: parameter 'i' has a name that bodies use for something else (the index)",
      refused("float32 x", "T i"))
    assert.equals("k: parameter 'a' has a name that bodies use for something else (the sum)",
      refused("T a", "T y", { a = "the sum" }))
    for _, name in ipairs { "__x", "_lcu_x", "_ind", "_j", "_plan", "_p0" } do
      assert.equals(("k: parameter '%s' is a name of CUDA or of generated code"):format(name),
        refused("float32 " .. name))
    end
    assert.equals("k: parameter 'class' is a keyword of C++", refused "float32 class")
    assert.equals("k: parameter 'threadIdx' is a name of CUDA or of generated code",
      refused "float32 threadIdx")
    assert.equals("k: parameter 'x' is declared twice", refused("float32 x", "float32 x"))
    assert.equals("k: 'T' is both a parameter and the type of parameter 'y'",
      refused("float32 T", "T y"))
    assert.equals("k: parameter 'x-y' is not a name (letters, digits and _)", refused "float32 x-y")
    assert.matches("^k: parameter 'x': unknown type 'flaot32'; did you mean 'float32'",
      refused "flaot32 x")
    assert.matches("^k: parameter 'x': unknown type 'TYPE' %(placeholders are single letters",
      refused "TYPE x")
    assert.matches("^k: parameter 'x': pointers cannot be declared: .* 'raw T x'$",
      refused "float *x")
    assert.equals("k: parameter 'x' has no type (or a type has no name)", refused "x")
    assert.equals("k: parameter 'x' has no type (or a type has no name)", refused "raw x")
    assert.equals("k: parameter 'float' is a keyword of C++", refused "float32 x, float")
    assert.equals("k: a parameter is missing between two commas", refused "float32 x,, float32 y")
    assert.equals("k: a parameter is missing between two commas", refused "float32 x,")
    assert.equals("k: expected input parameters (a string), got table", refused {})
  end)

  it("may have names that begin with _, and n", function()
    assert.equals("float32 _x, float32 n, float32 out", parsed "float32 _x, float32 n")
  end)

  it("exclude kernel names that the compiler would refuse", function()
    assert.equals("saxpy", params.check_kernel_name("k", "saxpy"))
    assert.equals("_saxpy", params.check_kernel_name("k", "_saxpy"))
    local function bad(name)
      return helper.misuse(function() params.check_kernel_name("k", name) end)
    end
    assert.equals("k: kernel name 'double' is a keyword of C++", bad "double")
    assert.equals("k: kernel name 'my kernel' is not a name (letters, digits and _)",
      bad "my kernel")
    assert.equals("k: kernel name 'main' is reserved by C++", bad "main")
    assert.equals("k: kernel name 'int32' is a name of CUDA or of generated code", bad "int32")
    assert.equals("k: expected a kernel name (string), got number", bad(5))
  end)
end)

local function types_of(inputs, outputs, kinds)
  local list, nin = params.parse("k", inputs, outputs)
  return types.resolve("k", list, nin, kinds)
end

describe("types of a call", function()
  it("are determined by outputs, then inputs, then Lua values", function()
    assert.same({ "float32", "float32", "float32" },
      types_of("T x, T y", "T z", { "int", "float32", false }))
    assert.same({ "float16", "float16" }, types_of("T x", "T y", { "float", "float16" }))
    assert.same({ "int32", "float64", "float64" },
      types_of("T x, U y", "U z", { "int32", "float64", false }))
    assert.same({ "int64", "int64" }, types_of("T x", "T y", { "int", false }))
    assert.same({ "float32", "float32" }, types_of("T x", "T y", { "float", false }))
    assert.same({ "bool", "bool" }, types_of("T x", "T y", { "bool", false }))
    assert.same({ "bool", "bool" }, types_of("T x", "T y", { "=bool", false }))
    assert.same({ "bool", "bool", "bool" }, types_of("T x, T y", "T z", { "bool", "int", false }))
    assert.same({ "complex128", "complex128" }, types_of("T x", "T y", { "complex", false }))
    assert.same({ "float32", "float32", "float32" },
      types_of("T x, T y", "T z", { "float", "int", false }))
    assert.same({ "uint8", "uint8" }, types_of("T x", "T y", { "=uint8", false }))
    assert.same({ "int16", "int16", "int16" },
      types_of("T x, T y", "T z", { "=uint8", "int16", false }))
    assert.same({ "bool", "bool" }, types_of("T x", "T y", { "int", "bool" }))
    assert.same({ "bool", "float32", "bool" },
      types_of("raw T x, float32 s", "T y", { "bool", "float", false }))
    assert.same({ "float32", "float32", "float32" },
      types_of("T x, T y", "T z", { "=bool", "float32", false }))
    assert.same({ "Particle", "float32" }, types_of("raw T x", "float32 y", { "Particle", false }))
  end)

  it("that conflict are reported with the arguments that bind them", function()
    local function bad(...)
      local args = { ... }
      return helper.misuse(function() types_of(table.unpack(args)) end)
    end
    assert.equals(
      "k: argument 2 'y': expected float32 array (T y, T as in argument 1 'x'), got int32 array",
      bad("T x, T y", "T z", { "float32", "int32", false }))
    assert.equals(
      "k: argument 2 'y': expected bool array (T y, T as in argument 1 'x'), got float32 array",
      bad("T x, T y", "T z", { "bool", "float32", false }))
    assert.equals("k: argument 1 'x': expected float32 array (float32 x), got bool array",
      bad("float32 x", "T z", { "bool", "float32" }))
    assert.equals(
      "k: argument 1 'x': expected float64 array (T x, T as in argument 2 'z'), got float32 array",
      bad("T x", "T z", { "float32", "float64" }))
    assert.equals("k: argument 1 'x': expected float32 array (float32 x), got float64 array",
      bad("float32 x", "T z", { "float64", "float64" }))
    assert.equals(
      "k: type T of 'z' is not determined by the arguments: give an array for output 'z'",
      bad("float32 x", "T z", { "float32", false }))
    local Particle = cuda.struct("Particle", { { "x", "int8" } })
    assert.equals("k: argument 2 'y': expected an array of the struct Particle (T y), got a Lua "
      .. "number", bad("T x, T y", "float32 z", { Particle, "int", false }))
    assert.equals("k: argument 1 'x': expected an array of the struct Particle (struct Particle "
      .. "x), got float32 scalar", bad("struct Particle x", "float32 z", { "=float32", false }))
    assert.equals("k: argument 1 'x': expected float32 array (T x, T as in argument 2 'z'), got "
      .. "Particle array", bad("T x", "T z", { Particle, "float32" }))
    assert.equals("k: argument 2 'z': expected float32 array (float32 z), got bool array",
      bad("T x", "float32 z", { "int", "bool" }))
    assert.equals(
      "k: argument 1 'p': expected Particle array (raw struct Particle p), got float32 array",
      bad("raw struct Particle p", "float32 z", { "float32", false }))
  end)
end)
