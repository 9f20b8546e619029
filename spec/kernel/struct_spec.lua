-- Struct types: C's layout, values to bytes and back.
local helper = require "spec.helper"
local cuda = require "luacuda"

local error_of, contains = helper.error_of, helper.contains

describe("cuda.struct", function()
  it("lays out fields like C", function()
    local s = cuda.struct("S", { { "a", "int8" }, { "b", "float64" }, { "c", "int16" },
      { "d", "float3" }, { "e", "float4" }, { "f", "bool", 3 } })
    local at = {}
    for i, f in ipairs(s.fields) do at[i] = ("%s@%d:%d"):format(f.name, f.offset, f.size) end
    assert.are.equal("a@0:1 b@8:8 c@16:2 d@20:12 e@32:16 f@48:3", table.concat(at, " "))
    assert.are.equal(64, s.size)
    assert.are.equal(16, s.align)
    assert.are.equal("S", s.name)
    assert.are.equal("struct", cuda.type(s))
  end)

  it("takes C's type names, pointers and other structs", function()
    local inner = cuda.struct { { "x", "unsigned char" }, { "y", "long long" } }
    local s = cuda.struct { { "p", "const float *" }, { "q", "pointer" }, { "i", inner, 2 },
      { "m", "float", { 2, 3 } }, { name = "z", dtype = "half", count = 2 } }
    assert.are.equal(16, inner.size)
    assert.are.equal(16 + 32 + 24 + 8, s.size)
    assert.are.equal("luacuda.Struct struct {uint8 x, int64 y}", tostring(inner))
  end)

  it("packs and unpacks", function()
    local inner = cuda.struct("Inner", { { "a", "int16" }, { "v", "float2" } })
    local s = cuda.struct("S", { { "tag", "int8" }, { "inner", inner }, { "m", "int32", { 2, 2 } },
      { "name", "int8", 8 }, { "next", "pointer" } })
    local value = { tag = -1, inner = { a = 7, v = { 1.5, 2.5 } }, m = { { 1, 2 }, { 3, 4 } },
      name = "hello", next = cuda.ptr(4096) }
    local bytes = s:pack(value)
    assert.are.equal(s.size, #bytes)
    local back, after = s:unpack(bytes)
    assert.are.equal(#bytes + 1, after)
    assert.are.equal(-1, back.tag)
    assert.are.same({ 1.5, 2.5 }, back.inner.v)
    assert.are.same({ { 1, 2 }, { 3, 4 } }, back.m)
    assert.are.same({ 104, 101, 108, 108, 111, 0, 0, 0 }, back.name)
    assert.are.equal(4096, back.next.address)
    assert.are.equal(bytes, s:pack(back))
    assert.are.equal(bytes, s:pack(bytes))
    assert.are.equal(-1, s:unpack("xx" .. bytes, 3).tag)
  end)

  it("fills padding with zeros", function()
    local s = cuda.struct { { "a", "int8" }, { "b", "int32" } }
    assert.are.equal("\1\0\0\0\2\0\0\0", s:pack { 1, 2 })
  end)

  it("refuses wrong declarations", function()
    contains(error_of(cuda.struct), "expected a list of fields, got nil")
    contains(error_of(cuda.struct, {}), "expected a list of fields such as")
    contains(error_of(cuda.struct, 5, {}), "expected a name (string), got number")
    contains(error_of(cuda.struct, { "x" }), "field 1: expected { name, type }, got string")
    contains(error_of(cuda.struct, { { 1, "int8" } }),
      "field 1: expected a name (string), got number")
    contains(error_of(cuda.struct, { { "x" } }),
      "field 'x': expected a type (a name or a Struct), got nil")
    contains(error_of(cuda.struct, { { "x", "flot32" } }),
      "field 'x': unknown type 'flot32'; did you mean 'float32'")
    contains(error_of(cuda.struct, { { "x", "int8" }, { "x", "int8" } }),
      "field 'x' is declared twice")
    contains(error_of(cuda.struct, { { "x", "int8", 0 } }),
      "expected positive integers as extents, got 0")
    contains(error_of(cuda.struct, { { "x", "int8", 1 << 40 } }),
      "expected positive integers as extents")
    contains(error_of(cuda.struct, { { "x", "int32", { 1 << 20, 1 << 20 } } }),
      "the struct is too large")
    contains(error_of(cuda.struct, { { "x", "int8", { 1, 1, 1, 1, 1 } } }),
      "expected 1 to 4 extents")
  end)

  it("refuses wrong values", function()
    local s = cuda.struct("S", { { "a", "int8" }, { "v", "float4" }, { "p", "pointer" } })
    contains(error_of(s.pack, s, 5), "S: expected a table or bytes (S), got integer")
    contains(error_of(s.pack, s, "abc"), "S: expected 48 bytes (S), got 3")
    contains(error_of(s.pack, s, { a = 1, v = { 1, 2, 3, 4 }, w = 1 }), "S: S has no field 'w'")
    contains(error_of(s.pack, s, { a = 1, v = { 1, 2, 3, 4 } }), "S: field 'p': is missing (S)")
    contains(error_of(s.pack, s, { 128, { 1, 2, 3, 4 }, cuda.null }),
      "S: field 'a': 128 is out of range for int8")
    contains(error_of(s.pack, s, { 1, { 1, 2, 3 }, cuda.null }),
      "S: field 'v': expected 4 values (a vector of 4 float32), got 3")
    contains(error_of(s.pack, s, { 1, 5, cuda.null }),
      "S: field 'v': expected a list of 4 values, got integer")
    contains(error_of(s.unpack, s, "abc"),
      "S:unpack: expected 48 bytes from position 1, got a string of 3 bytes")
    contains(error_of(s.unpack, s, 5), "S:unpack: expected bytes (a string), got integer")
    assert.has_error(function() s:unpack(("x"):rep(48), 0) end)
    assert.has_error(function() return s.nothing end)
    assert.has_error(function() s.size = 3 end)
  end)
end)

helper.for_each_device(function()
  local source = [==[
    struct Particle { float x, y; double mass; int id; };
    template<class T> struct Pair { T a, b; };
    class Hidden { int secret; public: __device__ int get() const { return secret; } };
    __global__ void move(Particle *list, int n, float dx) {
      int i = threadIdx.x;
      if (i < n) list[i].x += dx * list[i].id;
    }
    __global__ void pair(Pair<float> p, float *out) { *out = p.a + p.b; }
    __global__ void hidden(Hidden h, int *out) { *out = h.get(); }
  ]==]

  it("makes arrays of structs", function()
    local Particle = cuda.struct("Particle",
      { { "x", "float" }, { "y", "float" }, { "mass", "double" }, { "id", "int" } })
    local list = cuda.array({ { 1, 2, 3, 4 }, { x = 5, y = 6, mass = 7, id = 8 } }, Particle)
    cuda.module(source).kernels.move({ threads = 2 }, list, 2, 0.5)
    assert.are.equal(3.0, list:item(1).x)
    assert.are.same({ x = 9.0, y = 6.0, mass = 7.0, id = 8 }, list:item(2))
  end)

  it("passes arrays in lists of pointers", function()
    local k = cuda.kernel [==[
      struct Levels { const float *at[3]; float *out[2][1]; };
      __global__ void k(Levels l) {
        for (int i = 0; i < 3; i++) l.out[i % 2][0][i] = l.at[i] ? l.at[i][0] : -1;
      }]==]
    local a, b, even, odd = cuda.full(1, 5, "float32"), cuda.full(1, 6, "float32"), cuda.zeros(3),
      cuda.zeros(3)
    k({ grid = 1, block = 1 }, { at = { a, b, cuda.null }, out = { { even }, { odd } } })
    assert.same({ 5, 0, -1 }, even:totable())
    assert.same({ 0, 6, 0 }, odd:totable())
    contains(error_of(k, { grid = 1, block = 1 }, { at = a, out = { { even }, { odd } } }),
      "k: argument 1 'l': field 'at': expected a list of 3 values, got float32 array")
    contains(error_of(k, { grid = 1, block = 1 }, { at = { a, 5, b }, out = { { odd }, { odd } } }),
      "k: argument 1 'l': field 'at'[2]: expected an array or cuda.ptr, got integer")
  end)

  it("packs and unpacks lists of pointers", function()
    local s = cuda.struct { { "p", "float *", { 2, 2 } } }
    local list = {}
    for i = 1, 4 do list[i] = cuda.ptr(i * 16) end
    local bytes = s:pack { p = { { list[1], list[2] }, { list[3], list[4] } } }
    assert.equal(("i8i8i8i8"):pack(16, 32, 48, 64), bytes)
    assert.equal(48, s:unpack(bytes).p[2][1].address)
  end)

  it("uses declarations if the compiler provides none", function()
    local out, answer = cuda.zeros(1), cuda.zeros(1, "int32")
    local m = cuda.module(source)
    contains(error_of(m.kernels.hidden, { grid = 1, block = 1 }, { 5 }, answer),
      "the fields of Hidden are not known: declare them with cuda.struct(\"Hidden\"")
    cuda.struct("Pair<float>", { { "a", "float32" }, { "b", "float32" } })
    m.kernels.pair({ grid = 1, block = 1 }, { a = 1, b = 2 }, out)
    assert.are.equal(3.0, out:item(1))
    m.kernels.hidden({ grid = 1, block = 1 }, ("i4"):pack(9), answer)
    assert.are.equal(9, answer:item(1))
  end)

  it("uses declarations by the whole name, or by the name without its namespace", function()
    local m <close> = cuda.module [==[
      namespace one { class Veiled { short a, b; public: __device__ int get() { return b; } }; }
      namespace two { class Veiled { short a, b; public: __device__ int get() { return b; } }; }
      __global__ void one_k(one::Veiled v, int *out) { *out = v.get(); }
      __global__ void two_k(two::Veiled v, int *out) { *out = v.get(); }
    ]==]
    local out = cuda.zeros(1, "int32")
    contains(error_of(m.kernels.one_k, { grid = 1, block = 1 }, { 5, 6 }, out),
      "the fields of one::Veiled are not known")
    cuda.struct("Veiled", { { "a", "int16" }, { "b", "int16" } })
    cuda.struct("two::Veiled", { { "both", "int32" } })
    m.kernels.one_k({ grid = 1, block = 1 }, { a = 5, b = 6 }, out)
    assert.equal(6, out:item(1))
    m.kernels.two_k({ grid = 1, block = 1 }, { both = 7 * 65536 + 8 }, out)
    assert.equal(7, out:item(1))
  end)

  it("trusts the compiler if a declaration disagrees", function()
    local Wrong = cuda.struct("Wrong", { { "a", "int32" }, { "b", "int32" }, { "c", "int32" } })
    local m = cuda.module [==[
      struct Wrong { char a; int b; short c; };
      namespace ns { struct Wrong { int a, b, c; }; }
      __global__ void value(Wrong w, int *out) { *out = w.a + 10 * w.b + 100 * w.c; }
      __global__ void list(const Wrong *w, int *out) { *out = w->a + 10 * w->b + 100 * w->c; }
      __global__ void other(const ns::Wrong *w, int *out) { *out = w->a + 10 * w->b + 100 * w->c; }
      __device__ Wrong global;
    ]==]
    local out, one = cuda.zeros(1, "int32"), { grid = 1, block = 1 }
    m.kernels.value(one, { a = 1, b = 2, c = 3 }, out)
    assert.equals(321, out:item(1))
    contains(error_of(m.kernels.list, one, cuda.array({ { 1, 2, 3 } }, Wrong), out),
      "list: argument 1 'w': the array's struct Wrong is not the kernel's: field 'a' is declared "
      .. "at bytes 0 to 3, the compiler has 'a' at 0 to 0")
    m.kernels.other(one, cuda.array({ { 4, 5, 6 } }, Wrong), out)
    assert.equals(654, out:item(1))
    local global = m:global "global"
    global:set { a = 7, b = 8, c = 9 }
    m.kernels.list(one, global:reshape(1), out)
    assert.equals(987, out:item(1))
    local Shorter = cuda.struct("Wrong", { { "a", "int8" }, { "b", "int32" } })
    contains(error_of(cuda.kernel(m:source(), "list"), one, cuda.zeros(2, Shorter), out),
      "2 fields are declared, the compiler has 3")
    assert.is_nil(require("luacuda.core").struct_difference(Wrong, Wrong))
  end)
end)

helper.for_each_device(function()
  it("tells structs of one name in several scopes apart", function()
    local m <close> = cuda.module [==[
      namespace before { namespace deep { struct Same { short other; }; } }
      struct Same { int first, second; };
      namespace ns { struct Same { double third; }; }
      __device__ int unrelated() { struct Same { char d[3]; } s = {}; return s.d[0]; }
      __global__ void k(Same a, ns::Same b, before::deep::Same c, double *out) {
        out[0] = a.first; out[1] = a.second; out[2] = b.third; out[3] = c.other + unrelated();
      }
    ]==]
    local out = cuda.zeros(4, "float64")
    m.kernels.k({ grid = 1, block = 1 }, { first = 1, second = 2 }, { third = 3.5 }, { other = 4 },
      out)
    assert.same({ 1, 2, 3.5, 4 }, out:totable())
  end)

  it("finds the fields of structs defined inside a struct", function()
    local m = cuda.module [==[
      namespace ns { struct In { char wrong[5]; }; }
      struct A {
        struct In { int x, y[2]; } in;
        struct { int a; struct { char c; } deep[2]; struct Last final { int z; } last; } u;
        short direct;
        void (*call)(float *, float *), *next;
        float (*rows)[3];
        enum E { X, Y } e;
      };
      struct Base { int b; };
      struct Derived : Base { int d; };
      struct Both { union { int i; float f; }; };
      __global__ void k(A a, int *out) {
        out[0] = a.in.y[1]; out[1] = a.u.deep[1].c; out[2] = a.direct; out[3] = a.e;
        out[4] = a.call == 0 && a.next == 0 && a.rows == 0; out[5] = a.u.last.z;
      }
      __global__ void derived(Derived v) {}
      __global__ void both(Both v) {}
    ]==]
    local out, null = cuda.zeros(6, "int32"), cuda.null
    m.kernels.k({ grid = 1, block = 1 }, {
      ["in"] = { x = 1, y = { 2, 3 } },
      u = { a = 4, deep = { { c = 5 }, { c = 6 } }, last = { z = 8 } },
      direct = 7, call = null, next = null, rows = null, e = 1,
    }, out)
    assert.same({ 3, 6, 7, 1, 1, 8 }, out:totable())
    contains(error_of(m.kernels.derived, { grid = 1, block = 1 }, { b = 1, d = 2 }),
      "the fields of Derived are not known")
    contains(error_of(m.kernels.both, { grid = 1, block = 1 }, { i = 1 }),
      "the fields of Both are not known")
  end)

  it("gives the source of a struct, which the compiler lays out as declared", function()
    local rng, types = helper.random(5), { "pointer", "const float *", "double *" }
    for _, row in ipairs(require("luacuda.base.dtypes").list) do types[#types + 1] = row.name end
    for _, base in ipairs{ "char", "uchar", "short", "ushort", "int", "uint", "longlong",
      "ulonglong", "float", "double" } do
      for n = 2, 4 do types[#types + 1] = base .. n end
    end
    local function random_struct(name, more)
      local fields = {}
      for k = 1, 8 do
        fields[k] = { "f" .. k, types[rng(#types) + 1], rng(3) == 0 and { 2, rng(3) + 1 } or nil }
      end
      for k, inner in ipairs(more) do fields[8 + k] = { "s" .. k, inner, k == 1 and 3 or nil } end
      return cuda.struct(name, fields)
    end
    for round = 1, 8 do
      local one = random_struct("One", {})
      local two = random_struct("Two", { one })
      local all = random_struct("All", { two, one, two })
      local lines = {}
      for k, field in ipairs(all.fields) do
        lines[k] = ("at[%d] = (int)((char *)&all->%s - (char *)all);"):format(k - 1, field.name)
      end
      local k = cuda.kernel(("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        .. "#include <cuda_fp8.h>\n%s\n"
        .. "__global__ void offsets(int *at, All *all) { %s at[%d] = (int)sizeof(All); }"):format(
        all:source(), table.concat(lines, " "), #lines))
      local at = cuda.zeros(#lines + 1, "int32")
      k({ grid = 1, block = 1 }, at, cuda.zeros(1, all))
      for j, field in ipairs(all.fields) do assert.equal(field.offset, at[j], round) end
      assert.equal(all.size, at[#lines + 1])
    end
  end)

  it("gives the source of a packed struct, with the same layout", function()
    local rng = helper.random(9)
    local ctypes = { "char", "short", "int", "long long", "float", "double", "float2", "float4",
      "Inner", "Loose" }
    local forms = { { "struct __attribute__((packed)) Tight {", "};" },
      { "#pragma pack(push, 1)\nstruct Tight {", "};\n#pragma pack(pop)" },
      { "#pragma pack(push, 2)\nstruct Tight {", "};\n#pragma pack(pop)" },
      { "#pragma pack(push, 4)\nstruct Tight {", "};\n#pragma pack(pop)" },
      { "struct alignas(8) __attribute__((packed)) Tight {", "};" }, { "struct Tight {", "};" } }
    local inner = "struct __attribute__((packed)) Inner { char a; int b; };\n"
      .. "struct Loose { char a; double b; };\n"
    for _, form in ipairs(forms) do
      local members = {}
      for k = 1, 9 do
        members[k] = ("%s f%d%s;"):format(ctypes[rng(#ctypes) + 1], k, rng(4) == 0 and "[3]" or "")
      end
      local text = inner .. form[1] .. table.concat(members, " ") .. form[2]
      local Tight = cuda.module(text .. "\n__device__ Tight kept[2];"):global "kept".dtype
      local lines = {}
      for k, field in ipairs(Tight.fields) do
        lines[k] = ("at[%d] = (int)((char *)&t->%s - (char *)t);"):format(k - 1, field.name)
      end
      local k = cuda.kernel(("%s\n__global__ void offsets(int *at, Tight *t) { %s at[%d] = "
        .. "(int)sizeof(Tight); at[%d] = (int)alignof(Tight); }"):format(Tight:source(),
        table.concat(lines, " "), #lines, #lines + 1))
      local at = cuda.zeros(#lines + 2, "int32")
      k({ grid = 1, block = 1 }, at, cuda.zeros(1, Tight))
      for j, field in ipairs(Tight.fields) do assert.equal(field.offset, at[j], text) end
      assert.same({ Tight.size, Tight.align }, { at[#lines + 1], at[#lines + 2] })
    end
  end)

  it("gives a source that a builder takes as its preamble", function()
    local P = cuda.struct("P", { { "x", "float32" }, { "v", "float2" } })
    local f = cuda.elementwise("raw struct P p", "float32 y", "y = p[i].x * p[i].v.y", nil,
      { preamble = P:source() })
    assert.same({ 6.0 }, f(cuda.array({ { 2, { 1, 3 } } }, P), { size = 1 }):totable())
    assert.matches("the struct has no name in C%+%+",
      error_of(function() cuda.struct{ { "x", "int32" } }:source() end))
  end)
end)
