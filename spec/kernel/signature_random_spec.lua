-- Signatures of random kernels, checked by the compiler: it compiles the same source again with
-- assertions about the types that LuaCUDA printed and with tables of sizes. LUACUDA_SEED=N repeats
-- a run.
local core = require "luacuda.core"
local cuda = require "luacuda"
local helper = require "spec.helper"
local naming = require "luacuda.source.naming"

local SEED = math.tointeger(tonumber(os.getenv "LUACUDA_SEED")) or 20260119
local KERNELS = 150
local FLAGS = { "--device-int128" }

-- Random numbers: the same everywhere.
local state
local function below(n)
  state = (state * 6364136223846793005 + 1442695040888963407)
  return (state >> 33) % n
end
local function pick(list) return list[below(#list) + 1] end
local function chance(percent) return below(100) < percent end

-- Types. cpp: the type as the generated source writes it (through aliases, never as LuaCUDA prints
-- it). kind, dtype, lanes, and const of a pointee: the properties that LuaCUDA must find. `plain`:
-- usable as a template argument of the classes below.

local PRELUDE = [==[
#include <cuda_fp16.h>
#include <cuda_bf16.h>
template<class T> using Id = T;
template<class T> using Ptr = T *;
template<class T> using Ref = T &;
template<class T> using Const = const T;
template<class T> using Volatile = volatile T;
template<class T, int N> using Arr = T[N];
template<class R, class... A> using Fn = R(A...);
struct P { float a, b; };
struct Odd { char c[3]; };
struct alignas(32) Wide { double d[3]; };
struct Empty {};
union Either { int i; double d; };
enum Color { RED };
enum class Small : unsigned char { A };
template<class T> struct Outer { struct In { T t; }; T t; };
template<class A, class B> struct Pair { A a; B b; };
namespace ns {
  struct V { double x; struct In { short s; struct In2 { P p[2]; } n; } in; };
  namespace deep { template<class T, int N> struct Box { T v[N]; }; struct V { char c; }; }
  inline namespace v1 { struct Hidden { long long q; }; }
  template<class T> struct complex2 { T re, im; };
}
]==]

local LEAVES = {}
local function leaf(cpp, kind, dtype, lanes)
  LEAVES[#LEAVES + 1] = { cpp = cpp, kind = kind, dtype = dtype, lanes = lanes or 1 }
end
for cpp, dtype in pairs {
  bool = "bool", char = "int8", ["signed char"] = "int8",
  ["unsigned char"] = "uint8", short = "int16", ["unsigned short"] = "uint16", int = "int32",
  unsigned = "uint32", long = "int64", ["unsigned long"] = "uint64", ["long long"] = "int64",
  ["unsigned long long"] = "uint64", float = "float32", double = "float64", __half = "float16",
  __nv_bfloat16 = "bfloat16", wchar_t = "int32", char16_t = "uint16", char32_t = "uint32",
} do
  leaf(cpp, "number", dtype)
end
for base, dtype in pairs {
  char = "int8", uchar = "uint8", short = "int16", ushort = "uint16", int = "int32",
  uint = "uint32", long = "int64", ulong = "uint64", longlong = "int64", ulonglong = "uint64",
  float = "float32", double = "float64",
} do
  for lanes = 1, 4 do
    -- deprecated: these names need an alignment
    local old = lanes == 4 and (base:find "long" or base == "double")
    if not old then leaf(base .. lanes, lanes > 1 and "vector" or "number", dtype, lanes) end
  end
end
leaf("__half2", "vector", "float16", 2)
leaf("__nv_bfloat162", "vector", "bfloat16", 2)
leaf("dim3", "vector", "uint32", 3)
leaf("__int128", "struct")
leaf("unsigned __int128", "struct")
for _, cpp in ipairs {
  "P", "Odd", "Wide", "Empty", "Either", "ns::V", "ns::V::In", "ns::V::In::In2",
  "ns::deep::V", "ns::Hidden",
} do
  leaf(cpp, "struct")
end
leaf("Color", "enum")
leaf("Small", "enum")
table.sort(LEAVES, function(a, b) return a.cpp < b.cpp end)

local any

-- Instances of class templates, over leaves or pointers.
local function instance(pool)
  local a, b = pick(pool), pick(pool)
  return { kind = "struct", lanes = 1, cpp = pick {
    ("Outer<%s>"):format(a.cpp), ("Outer<%s>::In"):format(a.cpp),
    ("Pair<%s, %s>"):format(a.cpp, b.cpp),
    ("Pair<%s, Ptr<%s>>"):format(a.cpp, a.cpp),
    ("ns::deep::Box<%s, %d>"):format(a.cpp, 1 + below(4)),
    ("Pair<Outer<%s>, ns::deep::Box<Outer<%s>, 2>>"):format(a.cpp, b.cpp),
    ("ns::complex2<%s>"):format(a.cpp),
  } }
end

local function value(pool)
  if chance(20) then return instance(pool) end
  return pick(pool)
end

local function pointer_to(t)
  return { cpp = ("Ptr<%s>"):format(t.cpp), kind = "pointer", lanes = 1,
    dtype = "uint64", level = 1 }
end

-- T *, T const *, T (*)[3], T **: the properties that LuaCUDA finds for the element.
local function pointer(pool)
  local t = value(pool)
  local cpp, const = t.cpp, chance(40)
  if chance(8) then t, cpp = { kind = "void", lanes = 1 }, "void" end
  if const then cpp = ("Const<%s>"):format(cpp) end
  if chance(10) then cpp = ("Volatile<%s>"):format(cpp) end
  if cpp ~= "void" and t.kind ~= "void" and chance(15) then
    cpp = ("Arr<%s, %d>"):format(cpp, 1 + below(9))
    if chance(30) then cpp = ("Arr<%s, %d>"):format(cpp, 1 + below(9)) end
  end
  local p = { cpp = ("Ptr<%s>"):format(cpp), kind = "pointer", lanes = t.lanes,
    dtype = t.dtype, const = const }
  if chance(15) then
    local inner = chance(30) and ("Const<%s>"):format(p.cpp) or p.cpp
    p = pointer_to { cpp = inner }
    p.const = inner:find "^Const" ~= nil
  end
  return p
end

local function function_pointer(pool)
  local args = {}
  for i = 1, below(4) do args[i] = any(pool).cpp end
  return { cpp = ("Ptr<Fn<%s>>"):format(table.concat({ chance(50) and "void" or any(pool).cpp,
    table.unpack(args) }, ", ")), kind = "pointer", lanes = 1, const = false }
end

-- The compiler passes references as pointers.
local function reference(pool)
  local t, const = value(pool), chance(50)
  return { cpp = ("Ref<%s>"):format(const and ("Const<%s>"):format(t.cpp) or t.cpp),
    stored = "void *", kind = "pointer", lanes = t.lanes, dtype = t.dtype, const = const }
end

function any(pool)
  local n = below(100)
  if n < 35 then return value(pool) end
  if n < 93 then return pointer(pool) end
  return function_pointer(pool)
end

-- Few leaves for each kernel, so that types repeat.
local function some_leaves()
  local pool = {}
  for i = 1, 1 + below(4) do pool[i] = pick(LEAVES) end
  return pool
end

local function parameters(pool)
  local list = {}
  for i = 1, below(8) do
    local repeated = #list > 0 and chance(30)
    list[i] = repeated and list[below(#list) + 1] or chance(5) and reference(pool) or any(pool)
  end
  return list
end

local FORMS = { "c", "c", "plain", "namespace", "template" }

-- { form, name, params, declaration }: params as written in the source; a template is requested
-- with its arguments.
local function make_kernel(i)
  local form, pool = pick(FORMS), some_leaves()
  local params = parameters(pool)
  local words = {}
  for k, p in ipairs(params) do
    local top = chance(15) and "const " or ""
    words[k] = ("%sId<%s> p%d"):format(top, p.cpp, k)
  end
  local text, name = table.concat(words, ", "), "k" .. i
  local kernel = { form = form, name = name, params = params }
  if form == "c" then kernel.text = ('extern "C" __global__ void %s(%s) {}'):format(name, text)
  elseif form == "plain" then kernel.text = ("__global__ void %s(%s) {}"):format(name, text)
  elseif form == "namespace" then
    kernel.text = ("namespace ns { namespace deep%d { __global__ void %s(%s) {} } }"):format(i % 3,
      name, text)
    kernel.name = ("ns::deep%d::%s"):format(i % 3, name)
  else
    local t = pool[1]
    kernel.text = ("template<class T, int N> __global__ void %s(T *x, const T *y, T *z, Pair<T, "
      .. "T> w, ns::deep::Box<T, N> v%s) {}")
      :format(name, text == "" and "" or ", " .. text)
    kernel.name = ("%s<%s, %d>"):format(name, t.cpp, 1 + i % 3)
    local pointee = { kind = "pointer", lanes = t.lanes, dtype = t.dtype }
    local function over(pattern, const)
      return { cpp = pattern:format(t.cpp, t.cpp), kind = "pointer", lanes = pointee.lanes,
        dtype = pointee.dtype, const = const }
    end
    kernel.params = { over("Ptr<%s>", false), over("Ptr<Const<%s>>", true), over("Ptr<%s>", false),
      { cpp = ("Pair<%s, %s>"):format(t.cpp, t.cpp), kind = "struct", lanes = 1 },
      { cpp = ("ns::deep::Box<%s, %d>"):format(t.cpp, 1 + i % 3), kind = "struct", lanes = 1 },
      table.unpack(params) }
  end
  return kernel
end

local function make_module()
  local kernels, lines, instances = {}, {}, {}
  state = SEED
  for i = 1, KERNELS do
    kernels[i] = make_kernel(i)
    lines[i] = kernels[i].text
    if kernels[i].form == "template" then instances[#instances + 1] = kernels[i].name end
  end
  return kernels, PRELUDE .. table.concat(lines, "\n") .. "\n", instances
end

-- A translation unit that compiles only if the types that LuaCUDA printed are the kernels' own. A
-- variable contains the sizes and alignments of the parameters as written in the source.
local PROBE = [==[
template<class A, class B> struct Same { static constexpr bool value = false; };
template<class A> struct Same<A, A> { static constexpr bool value = true; };
]==]

local function probe_of(kernels, signatures, source)
  local lines, numbers = {}, {}
  for i, kernel in ipairs(kernels) do
    local types = {}
    for k, p in ipairs(signatures[i]) do types[k] = p.type end
    lines[i] = ('static_assert(Same<decltype(&%s), void (*)(%s)>::value, "%s");')
      :format(kernel.name, table.concat(types, ", "), kernel.name)
    for _, p in ipairs(kernel.params) do
      local stored = p.stored or p.cpp
      numbers[#numbers + 1] = ("sizeof(%s), alignof(%s)"):format(stored, stored)
    end
  end
  return source .. PROBE .. table.concat(lines, "\n")
    .. "\nextern \"C\" __constant__ unsigned long long layout[] = {\n"
    .. table.concat(numbers, ",\n") .. " };\n"
end

-- Sizes and alignments of the parameters in the PTX of each kernel, in order: lowered name -> list.
local BYTES = { ["8"] = 1, ["16"] = 2, ["32"] = 4, ["64"] = 8 }
local function ptx_params(ptx)
  local entries = {}
  for name, list in ptx:gmatch "%.entry%s+([%w_$]+)(%b())" do
    local params = {}
    for words, rest in list:gmatch "%.param%s+([^,%)]-)([%w_$%[%]]+)%s*[,%)]" do
      local align, count = words:gsub("%.ptr.*", ""):match "%.align (%d+)", rest:match "%[(%d+)%]$"
      local bytes = BYTES[words:match "^[^%d]-%.[usbf](%d+)" or words:match "%.b(%d+)"]
      params[#params + 1] = { size = count and tonumber(count) or bytes,
        align = align and tonumber(align) or bytes }
    end
    entries[name] = params
  end
  return entries
end

local function check_kernel(device, kernel, signature, layout, ptx)
  local where = kernel.text
  assert.equals(#kernel.params, #signature, where)
  assert.equals(ptx and #ptx or #signature, #signature, where)
  local at, wide = 0, false
  for i, want in ipairs(kernel.params) do
    local got, size, align = signature[i], layout[i][1], layout[i][2]
    local what = ("parameter %d (%s) of %s"):format(i, got.type, where)
    at = (at + align - 1) // align * align
    local kind = got.kind
    -- machine code contains sizes alone
    if want.kind == "enum" and kind == "struct" and device.kind ~= "cpu" then kind = "enum" end
    assert.equals(want.kind, kind, what)
    assert.equals(want.dtype, got.dtype, what)
    assert.equals(want.lanes, got.lanes, what)
    assert.equals(want.const or false, got.const, what)
    assert.equals(size, got.size, what)
    -- Machine code aligns addresses in its constant bank, where parameters begin at a multiple of
    -- 16, not the offsets.
    wide = wide or (align > 16 and device.kind ~= "cpu")
    if wide then assert.is_true(got.offset >= at, what) else assert.equals(at, got.offset, what) end
    assert.same({ size = size, align = align },
      ptx and ptx[i] or { size = size, align = align }, what)
    at = got.offset + size
  end
end

-- The numbers of the probe, parameter by parameter.
local function layouts(kernels, numbers)
  local list, at = {}, 1
  for i, kernel in ipairs(kernels) do
    list[i] = {}
    for k in ipairs(kernel.params) do
      list[i][k] = { numbers[at], numbers[at + 1] }
      at = at + 2
    end
  end
  return list
end

local function lowered_name(m, device, name)
  for _, entry in ipairs(core.module_state(m).loaded[device].kernels) do
    if entry.name == naming.normalize(name) then return entry.lowered end
  end
end

-- Structs: fields of known types, arrays of them, pointers, and structs defined in place, named and
-- unnamed.

local FIELD_TYPES = {}
for _, t in ipairs(LEAVES) do
  if t.dtype and t.cpp ~= "bool" then FIELD_TYPES[#FIELD_TYPES + 1] = t.cpp end
end
for _, cpp in ipairs {
  "P", "Wide", "ns::deep::V", "ns::V", "Color", "Outer<double>", "ns::deep::Box<float3, 2>",
} do
  FIELD_TYPES[#FIELD_TYPES + 1] = cpp
end

-- earlier versions ignore a struct without any name
local ANONYMOUS = core.nvrtc().major >= 13

local make_fields

-- The text of one member, and the names of its fields.
local function make_member(name, depth)
  local extent = pick { "", "", "", "[3]", "[2][2]" }
  local n = below(depth > 0 and 10 or 6)
  if n < 4 then return ("%s %s%s;"):format(pick(FIELD_TYPES), name, extent), { name } end
  if n == 4 then
    return pick { "const float *%s, *%s2;", "void (*%s)(float *, float *); int %s2;",
      "P (*%s)[3]; short %s2;" }:format(name, name),
      { name, name .. "2" }
  end
  if n == 5 then
    return ("unsigned char %s%s, %s2;"):format(name, extent, name), { name, name .. "2" }
  end
  local text, names = make_fields(name, depth - 1)
  if n == 6 and ANONYMOUS then return ("struct { %s };"):format(text), names end
  if n <= 7 then return ("struct { %s } %s%s;"):format(text, name, extent), { name } end
  return ("struct In_%s { %s __device__ int get() const { return 1; } typedef int word; } %s%s;")
    :format(name, text, name, extent), { name }
end

function make_fields(prefix, depth)
  local text, names = {}, {}
  for i = 1, 1 + below(5) do
    local member, made = make_member(prefix .. pick { "a", "b_", "C" } .. i, depth)
    text[i] = member
    table.move(made, 1, #made, #names + 1, names)
  end
  return table.concat(text, " "), names
end

local STRUCTS = 4

-- Source with a kernel for each struct that writes its size and alignment, and the offset and size
-- of each field.
local function make_structs()
  local lines, list = {}, {}
  state = SEED
  for i = 1, STRUCTS do
    local body, names = make_fields("f", 2)
    local class = ("S%d"):format(i)
    local numbers = { ("sizeof(%s), alignof(%s)"):format(class, class) }
    for _, name in ipairs(names) do
      numbers[#numbers + 1] = ("(unsigned long long)&s->%s - 4096, sizeof(s->%s)"):format(name,
        name)
    end
    lines[i] = (
      "struct %s { %s };\n__global__ void n%d(unsigned long long *out) { %s *s = (%s *)4096;\n"
      .. "  unsigned long long n[] = { %s }; for (int i = 0; i < %d; i++) out[i] = n[i]; }\n")
      :format(class, body, i, class, class, table.concat(numbers, ", "), 2 + 2 * #names)
    list[i] = { class = class, names = names, text = lines[i], count = 2 + 2 * #names }
  end
  return list, PRELUDE .. table.concat(lines)
end

local function check_struct(want, made, numbers)
  assert.is_truthy(made, "no fields are known of " .. want.text)
  assert.same({ numbers[1], numbers[2] }, { made.size, made.align }, want.text)
  for k, name in ipairs(want.names) do
    local f = made.fields[k]
    assert.same({ name, numbers[2 * k + 1], numbers[2 * k + 2] },
      { f.name, f.offset, f.size }, want.text)
  end
  assert.equals(#want.names, #made.fields, want.text)
end

helper.for_each_device(function(device)
  it("sizes and alignments of element types match the compiler's, whatever the PTX says", function()
    local lines, numbers = {}, {}
    for i, t in ipairs(LEAVES) do
      lines[i] = ("__device__ Id<%s> v%d;\n"):format(t.cpp, i)
      numbers[i] = ("sizeof(%s), alignof(%s)"):format(t.cpp, t.cpp)
    end
    local m = cuda.module(PRELUDE .. table.concat(lines)
      .. ("__constant__ unsigned long long layout[] = { %s };"):format(table.concat(numbers, ", ")),
      { flags = FLAGS })
    local layout, known = m:global "layout":totable(), 0
    for _, v in ipairs(core.module_state(m).loaded[device].variables) do
      local info, i = core.type_info(v.type), math.tointeger(tonumber(v.name:match "^v(%d+)$"))
      if i and info.size > 0 then
        known = known + 1
        assert.same({ LEAVES[i].cpp, layout[2 * i - 1], layout[2 * i] },
          { LEAVES[i].cpp, info.size, info.align })
      end
    end
    assert.is_true(known > 60)
  end)

  it(("fields of %d random structs match the compiler's (LUACUDA_SEED=%d)")
    :format(STRUCTS, SEED), function()
    local list, source = make_structs()
    local m = cuda.module(source)
    local spec = core.module_state(m).base
    for i, want in ipairs(list) do
      local numbers = cuda.zeros(want.count, "uint64")
      m:kernel("n" .. i)({ grid = 1, block = 1 }, numbers)
      local layout = require("luacuda.kernel.struct").layout(spec, want.class)
      check_struct(want, layout, numbers:totable())
    end
  end)

  it(("signatures of %d random kernels match the compiler's (LUACUDA_SEED=%d)")
    :format(KERNELS, SEED), function()
    local kernels, source, instances = make_module()
    local m = cuda.module(source, { instances = instances, flags = FLAGS })
    local signatures = {}
    for i, kernel in ipairs(kernels) do signatures[i] = m:kernel(kernel.name).signature end
    local probe = cuda.module(probe_of(kernels, signatures, source), { flags = FLAGS })
    local layout = layouts(kernels, probe:global "layout":totable())
    local entries = ptx_params(m:kernel(kernels[1].name):ptx())
    for i, kernel in ipairs(kernels) do
      local ptx = entries[lowered_name(m, device, kernel.name)]
      -- a GPU's PTX has only some of them
      assert.is_true(ptx ~= nil or device.kind ~= "cpu", "no kernel in the PTX: " .. kernel.text)
      check_kernel(device, kernel, signatures[i], layout[i], ptx)
    end
  end)
end)
