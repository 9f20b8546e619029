-- What LuaCUDA finds out about kernels' parameters.
local cuda = require "luacuda"
local helper = require "spec.helper"

local function types_of(kernel)
  local types = {}
  for i, p in ipairs(kernel.signature) do types[i] = p.type end
  return table.concat(types, " | ")
end

helper.for_each_device(function()
  it("reads types that occur twice, in extern \"C\" kernels and template instances", function()
    local m = cuda.module([==[
      struct P { float a, b; };
      extern "C" __global__ void late(float *c, const float *a, float *b) {}
      extern "C" __global__ void first(const float *x, const float *y, float *z, int n) {}
      extern "C" __global__ void value(P *o, P in) { o[0] = in; }
      template<class T> __global__ void any(T *x, const T *y, T *z) {}
      template<class T, class U> struct Pair { T a; U b; };
      __constant__ Pair<P, P> table[3];
      __constant__ void (*calls[2])(float *, float *);
    ]==], { instances = { "any<float>", "any<P>" } })
    assert.equals("float * | const float * | float *", types_of(m.kernels.late))
    assert.equals("const float * | const float * | float * | int", types_of(m.kernels.first))
    assert.equals("P * | P", types_of(m.kernels.value))
    assert.equals("float * | const float * | float *", types_of(m:kernel "any<float>"))
    assert.equals("P * | const P * | P *", types_of(m:kernel "any<P>"))
    cuda.struct("Pair<P, P>", { { "a", "float2" }, { "b", "float2" } })
    assert.equals("Pair<P, P>", m:global "table".dtype.name)
    assert.same({ 3 }, m:global "table".shape)
    assert.equals("uint64", m:global "calls".dtype)
  end)

  it("launches a kernel that takes a struct after a pointer to it", function()
    local k = cuda.kernel [==[
      struct P { float a, b; };
      extern "C" __global__ void k(P *o, P in) { o->a = in.b; o->b = in.a; }
    ]==]
    local out = cuda.zeros(8, "uint8")
    assert.matches("argument 2 'in': expected a table or bytes %(P%), got uint8 array",
      helper.misuse(k, { grid = 1, block = 1 }, out, out))
    k({ grid = 1, block = 1 }, out, { a = 1, b = 2 })
    assert.same({ 0, 0, 0, 0x40, 0, 0, 0x80, 0x3f }, out:totable())
  end)

  it("reads types that occur twice in the fields of structs", function()
    local k = cuda.kernel [==[
      struct V { float x; };
      template<class T, class U> struct Pair { T a; U b; };
      struct S { Pair<V, V> *p, both; int n; };
      __global__ void k(S s, int *out) { *out = s.n; }
    ]==]
    local out = cuda.zeros(1, "int32")
    k({ grid = 1, block = 1 }, { p = cuda.null, both = { { 1 }, { 2 } }, n = 7 }, out)
    assert.equals(7, out:item(1))
  end)
end)

describe("the kernels of PTX", function()
  local HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"

  it("are listed by name, whatever the name", function()
    local ptx = HEAD .. "/* .entry hidden() */ .entry _Z1kPiZS_E2ab() { ret; }\n.entry\n_Z1fT2 () "
      .. "{ ret; } // .entry noted()\n"
      .. ".entry plain() { ret; }\n.entry " .. ("_Z" .. ("Z1aE"):rep(50000))
        .. "() { ret; }\n.entry unread(.param .q9 x) { ret; }\n"
    local names = cuda.module(ptx):kernels()
    assert.same({ "_Z1kPiZS_E2ab", "_Z1fT2", "plain" }, { names[1], names[2], names[3] })
    assert.equals(200002, #names[4])
    assert.same({ 5, "unread" }, { #names, names[5] })
  end)

  it("are distinguished by names of any length", function()
    local long = ("a"):rep(2000)
    local ptx = HEAD
      .. (".entry _Z2001%sbv() { ret; }\n.entry _Z2001%scv() { ret; }\n"):format(long, long)
    assert.same({ long .. "b", long .. "c" }, cuda.module(ptx):kernels())
  end)
end)

it("a kernel that is only declared does not belong to a module", function()
  local source = [==[
    __global__ void only(int *p);
    extern "C" __global__ void plain(int *p);
    template<class T> __global__ void any(T *p);
    __global__ void later(int *p);
    __global__ void k(int *p) { *p = 1; }
    __global__ void later(int *p) { *p = 2; }
  ]==]
  local m = cuda.module(source)
  assert.same({ "later", "k" }, m:kernels())
  assert.matches("the module has no kernel 'only'",
    helper.misuse(function() return m.kernels.only.num_regs end))
  assert.matches("the template 'any' has no instance 'any<int>'",
    tostring(select(2, pcall(function() return m:kernel "any<int>" end))))
  assert.equals("k", cuda.kernel("__global__ void only(int *); __global__ void k() {}").name)
  local asked = cuda.module(source, { instances = { "plain" } })
  local ok, e = pcall(asked.compile, asked)
  assert.is_true(not ok and cuda.is_error(e, "compile"))
  assert.matches("the source has no kernel 'plain', it only declares it %(it has: later, k%)",
    tostring(e))
end)

helper.for_each_device(function()
  it("of a kernel from PTX says which type is missing: that of a pointer's target", function()
    local ptx = cuda.compile(
      'extern "C" __global__ void k(float *x, int n, double d, float4 v) { x[n] = d + v.x; }',
      { target = "ptx" })
    local k = cuda.kernel { binary = ptx }
    local kinds = {}
    for i, p in ipairs(k.signature) do
      kinds[i] = ("%s, %s, %s, %s, %d"):format(p.kind, p.type, p.dtype, p.known, p.size)
    end
    assert.same({ "unknown, 64-bit integer or pointer to an unknown type, uint64, false, 8",
      "unknown, 32-bit integer, uint32, false, 4", "number, double, float64, false, 8",
      "unknown, bytes of an unknown type, nil, false, 16" }, kinds)
    local marked = cuda.kernel {
      binary = (ptx:gsub("%.u64 k_param_0", ".u64 .ptr .global .align 4 k_param_0")),
    }
    assert.equals("pointer to an unknown type", marked.signature[1].type)
    assert.same({ "pointer", false }, { marked.signature[1].kind, marked.signature[1].known })
    assert.matches("argument 1: expected an array, cuda.ptr or bytes %(pointer to an unknown "
      .. "type%), got a number",
      helper.misuse(marked, { grid = 1, block = 1 }, 1, 2, 3, ("f"):rep(16)))
    local x = cuda.zeros(4)
    k({ grid = 1, block = 1 }, x, 2, 1.5, ("ffff"):pack(1, 0, 0, 0))
    assert.same({ 0, 0, 2.5, 0 }, x:totable())
    local mangled = cuda.kernel { binary = (ptx:gsub("%f[%w_]k%f[^%w_]", "_Z1kPfid6float4")) }
    assert.is_true(mangled.signature[1].known)
    assert.equals("float *", mangled.signature[1].type)
  end)
end)
