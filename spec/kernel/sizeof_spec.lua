-- module:sizeof: sizes of types as the compiler lays them out.
local cuda = require "luacuda"
local helper = require "spec.helper"

local SOURCE = [==[
struct Mixed { char c; double d; };
struct Opaque;
namespace space { template <class T, int N> struct Vector { T v[N]; }; }
union Either { int i; char c[9]; };
typedef float Matrix[3][4];
class alignas(32) Aligned { int x; };
__device__ int variable;
// the sizes, as a kernel sees them
__global__ void sizes(unsigned long long *to) {
  to[0] = sizeof(char), to[1] = sizeof(Mixed), to[2] = sizeof(space::Vector<float, 3>);
  to[3] = sizeof(Either), to[4] = sizeof(Matrix), to[5] = sizeof(Aligned), to[6] = sizeof(float4);
  to[7] = sizeof(unsigned long long), to[8] = sizeof(int *), to[9] = sizeof(short[5]);
}
]==]
local NAMES = { "char", "Mixed", "space::Vector<float, 3>", "Either", "Matrix", "Aligned",
  "float4", "unsigned long long", "int *", "short[5]" }

describe("module:sizeof", function()
  local m = cuda.module(SOURCE)

  it("gives size and alignment of any type of the source", function()
    local to = cuda.zeros(#NAMES, "uint64")
    m:kernel "sizes"({ grid = 1, block = 1 }, to)
    for k, name in ipairs(NAMES) do assert.equals(to:item(k), (m:sizeof(name))) end
    assert.same({ 16, 8 }, { m:sizeof "Mixed" })
    assert.same({ 32, 32 }, { m:sizeof "Aligned" })
    assert.same({ 16, 8 }, { m:sizeof "const struct Mixed &" })
  end)

  it("says what is wrong with a name", function()
    local function wrong(...) return helper.misuse(m.sizeof, m, ...) end
    assert.equals("module:sizeof: 'Opaque' is only declared in this source, so it has no size",
      wrong "Opaque")
    assert.equals("module:sizeof: the source has no type 'Mixd' (identifier \"Mixd\" is undefined)",
      wrong "Mixd")
    assert.matches("^module:sizeof: the source has no type 'space::Vec'", wrong "space::Vec")
    for _, name in ipairs { "variable", "1", "void()", "int, int", "int>",
      "space::Vector<int>" } do
      assert.matches("' is not a type with a size: ", wrong(name), 1, true)
    end
    for _, name in ipairs { "", " ", "void", "int; int", "int\n#error", "{}" } do
      assert.matches("' is not the name of a type", wrong(name), 1, true)
    end
    assert.equals("module:sizeof: expected a name (string), got number", wrong(5))
    assert.equals("module:sizeof: the name holds a zero byte", wrong "int\0")
    assert.equals("module:sizeof: too many arguments", wrong("int", "char"))
  end)

  it("raises the compiler's errors of the source itself", function()
    local bad = cuda.module "__global__ void k() { nonsense }"
    local e = helper.error_of(bad.sizeof, bad, "int")
    assert.is_true(cuda.is_error(e, "compile"))
    assert.matches('identifier "nonsense" is undefined', e.message, 1, true)
  end)

  it("is refused for binaries, and finds the types of linked sources", function()
    local binary = cuda.module{ binary = cuda.compile "__global__ void k() {}" }
    assert.equals("module:sizeof: the module was made from a binary, which has no types",
      helper.misuse(binary.sizeof, binary, "int"))
    local linked = cuda.module{ sources = { "struct A { int x[3]; }; __global__ void k() {}",
      "struct B { double x[5]; }; __global__ void l() {}" } }
    assert.same({ 12, 40 }, { (linked:sizeof "A"), (linked:sizeof "B") })
    assert.matches("the source has no type 'C'", helper.misuse(linked.sizeof, linked, "C"), 1, true)
  end)

  it("knows the types of CUDA's headers", function()
    local random = cuda.module [[
      #include <curand_kernel.h>
      __global__ void size(int *to) { *to = sizeof(curandState); }]]
    local to = cuda.zeros(1, "int32")
    random:kernel "size"({ grid = 1, block = 1 }, to)
    assert.equals(to:item(1), (random:sizeof "curandState"))
  end)

  it("knows macros and headers of the options", function()
    local own = cuda.module{ source = '#include "own.h"\n__global__ void k(Own *x) {}',
      headers = { ["own.h"] = "struct Own { int x[N]; };" }, defines = { N = 7 } }
    assert.equals(28, (own:sizeof "Own"))
  end)
end)
