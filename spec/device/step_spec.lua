-- kernel:step: where a thread stops and what its variables hold, against a model in Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"

local contains, line_of, misuse = helper.contains, helper.line_of, helper.misuse

local SOURCE = [==[
struct Pair { int n; float w[2]; };
__device__ __noinline__ int square(int a) {
  int b = a * a;
  return b + 1;                                    // in square
}
extern "C" __global__ void k(int *out, int n, Pair p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int last[3] = { i, i + 1, i + 2 };
  long long sum = 0;
  for (int j = 0; j < n; j++) {
    int s = square(j + i);
    last[j % 3] = s;
    sum += s;                                      // in the loop
  }
  p.w[1] += 0.5f;
  { int s = n - 100; p.w[0] += s - s; }            // another s
  out[i] = (int)sum + p.n + last[1];               // at the end
}
extern "C" __global__ void wild(int *out, int n) {
  int i = threadIdx.x;
  int far = n + i;                                 // before the fault
  out[far] = 1;
}
]==]

describe("kernel:step", function()
  local before, k, wild, out

  setup(function() before = cuda.use "cpu" end)
  teardown(function() cuda.use(before) end)
  before_each(function()
    local module = cuda.module(SOURCE, { debug = true })
    k, wild = module:kernel "k", module:kernel "wild"
    out = cuda.zeros(128, "int32")
  end)

  local function stops(watch, n, pair)
    local list = {}
    for stop in k:step(watch, { grid = 2, block = 64 }, out, n, pair) do list[#list + 1] = stop end
    return list
  end

  local function pair(n, a, b) return { n = n, w = { a, b } } end

  it("stops at each turn of a loop with the values of that thread", function()
    for _ = 1, 3 do
      local n, x, y = math.random(2, 9), math.random(0, 1), math.random(0, 63)
      local i, sum = 64 * x + y, 0
      local list = stops({ block = x, thread = y, line = line_of "in the loop" }, n, pair(7, 1, 2))
      assert.equal(n, #list)
      for j = 0, n - 1 do
        local v, s = list[j + 1].variables, (j + i) ^ 2 + 1
        assert.same({ i, j, s, sum }, { v.i, v.j, v.s, v.sum })
        assert.equal(s, v.last[j % 3 + 1])
        sum = sum + s
      end
    end
  end)

  it("knows structs, pointers and what the kernel wrote into them", function()
    local list = stops({ thread = { 5 }, line = line_of "at the end" }, 2, pair(-3, 0.25, 2))
    assert.equal(1, #list)
    assert.same({ n = -3, w = { 0.25, 2.5 } }, list[1].variables.p)
    assert.equal(out.pointer, list[1].variables.out)
    assert.equal("k", list[1].fn)
  end)

  it("knows bit-fields", function()
    local fields = cuda.kernel([[
struct Fields { unsigned a : 3; unsigned b : 5; int c : 7; long long d : 40; bool e : 1; };
__global__ void k(long long *out, unsigned a, unsigned b, int c, long long d, bool e) {
  Fields f;
  f.a = a; f.b = b; f.c = c; f.d = d; f.e = e;
  *out = f.a + f.b + f.c + f.d + f.e;
}]], { debug = true })
    for n = 0, 9 do
      local wanted = { a = math.random(0, 7), b = math.random(0, 31), c = math.random(-64, 63),
        d = math.random(-(1 << 39), (1 << 39) - 1), e = n % 2 == 1 }
      local seen
      for stop in fields:step({}, { grid = 1, block = 1 }, cuda.zeros(1, "int64"), wanted.a,
        wanted.b, wanted.c, wanted.d, wanted.e) do
        seen = stop.variables.f or seen
      end
      assert.same(wanted, seen)
    end
  end)

  it("knows numbers of 16 bits, and unsigned ones of 64", function()
    local small = cuda.kernel([[
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void k(float *out, __half h, __nv_bfloat16 b, unsigned long long u) {
  __half pair[2] = { __float2half(-1.5f), h };
  __half2 both = __halves2half2(pair[1], pair[0]);
  out[u & 1] = __half2float(both.x) + __bfloat162float(b);
}]], { debug = true })
    local function last(h, b)
      local found
      for stop in small:step({}, { grid = 1, block = 1 }, cuda.zeros(2, "float32"), h, b, -1) do
        if stop.fn == "k" then found = stop.variables end
      end
      return found
    end
    for _, h in ipairs { 0.0, 1.0, -2.75, 65504.0, 2.0 ^ -24, -math.huge } do
      local v = last(h, -3.5)
      assert.same({ h, -3.5, { -1.5, h }, { x = h, y = -1.5 }, -1 },
        { v.h, v.b, v.pair, v.both, v.u })
    end
    local nan = last(0.0 / 0.0, 1).h
    assert.not_equal(nan, nan)
  end)

  it("goes into functions that are called", function()
    local list = stops({ thread = 3, line = line_of "in square" }, 4, pair(0, 0, 0))
    assert.equal(4, #list)
    for j = 0, 3 do
      local v = list[j + 1].variables
      assert.same({ a = j + 3, b = (j + 3) ^ 2 }, v)
      assert.equal(list[j + 1].fn, "square")
    end
  end)

  it("knows the parameters at the line of the function", function()
    local nested = cuda.kernel([[
struct Twice {
  int by;
  __device__ __noinline__ Twice(int n) : by(2 * n) {}
  __device__ __noinline__ int operator()(int a) const { return a * by; }
};
__device__ __noinline__ long long sum(int a, int b) { return a + b; }
__global__ void k(long long *out, int n, short m) { out[threadIdx.x] = sum(Twice(n)(3), m); }
]], { debug = true })
    local seen = {}
    for stop in nested:step({}, { grid = 1, block = 1 }, cuda.zeros(1, "int64"), 7, -2) do
      local v = stop.variables
      seen[#seen + 1] = { stop.fn, v.n, v.m, v.a, v.b }
    end
    assert.same({ { "k", 7, -2 }, { "Twice", 7 }, { "k", 7, -2 }, { "operator()", nil, nil, 3 },
      { "k", 7, -2 }, { "sum", nil, nil, 42, -2 }, { "k", 7, -2 } }, seen)
  end)

  it("tells inlined functions from those around them", function()
    local inlined = [[
struct Sum {
  int v;
  __device__ __forceinline__ void add(int d);
  static __device__ __forceinline__ int twice(int t) { return 2 * t; }
};
__device__ __forceinline__ void Sum::add(int d) {
  int i = v;
  v = i + twice(d);
}
__device__ __noinline__ int outer(int a) {
  Sum sum = { 1 };
  sum.add(a);
  return sum.v;
}
extern "C" __global__ void k(int *out, int i) {
  out[0] = outer(i);
}]]
    local seen, places = {}, {}
    for stop in cuda.module(inlined, { debug = true }):kernel "k":step({}, { grid = 1, block = 1 },
      out, 5) do
      local v = stop.variables
      v.this, v.out, v.sum = nil, nil, v.sum and v.sum.v
      seen[#seen + 1] = { stop.text:match "%S.*", stop.fn, stop.depth, v }
    end
    local body = { "v = i + twice(d);", "add", 2, { d = 5, i = 1 } }
    assert.same({ body, { "static __device__ __forceinline__ int twice(int t) { return 2 * t; }",
      "twice", 3, { t = 5 } }, body }, { table.unpack(seen, 7, 9) })
    assert.same({ "return sum.v;", "outer", 1, { a = 5, sum = 11 } }, seen[10])
    for stop in cuda.module(inlined, { lineinfo = true }):kernel "k":step({}, { grid = 1,
      block = 1 }, out, 5) do
      places[stop.fn] = stop.depth
    end
    assert.equal(0, places.k)
    assert.equal(1, places["outer(int)"] or places.outer)
    assert.equal(2, places["Sum::add(int)"] or places["Sum::add"])
  end)

  it("stops only where the condition holds", function()
    local seen = {}
    for stop in k:step({ thread = 1, line = line_of "in the loop",
      when = function(v) return v.s > 50 end }, { grid = 2, block = 64 }, out, 12, pair(0, 0, 0)) do
      seen[#seen + 1] = stop.variables.s
    end
    assert.same({ 65, 82, 101, 122, 145 }, seen)
  end)

  describe("the condition", function()
    local LONG = [[
extern "C" __global__ void k(int *out, int n) {
  unsigned x = 12345;
  for (int i = 0; i < n; i++) {
    x = x * 1664525u + 1013904223u;
    out[0] = x >> 16;                              // in a long loop
  }
}]]
    local long, result

    before_each(function()
      long = cuda.module(LONG, { debug = true }):kernel "k"
      result = cuda.zeros(1, "int32")
    end)

    local function turns(watch, n, argument)
      local list = {}
      for stop in long:step(watch, { grid = 1, block = 1 }, argument or result, n) do
        list[#list + 1] = stop.variables.i
      end
      return list
    end

    it("may hold late", function()
      assert.same({ 11998 }, turns({ line = line_of "in a long loop", limit = 1,
        when = function(v) return v.i == 11998 end }, 12000))
      assert.same({ 4999 }, turns({ limit = 1, when = function(v) return v.i == 4999 end,
        line = line_of "in a long loop" }, 5000))
      contains(misuse(turns, { limit = 2, when = function(v) return v.i and v.i > 4000 end }, 5000),
        "the thread stopped more than 2 times: give `line` or `when`, or a larger `limit`")
    end)

    it("lets the kernel finish before it reads what the kernel writes", function()
      local last = turns({ line = line_of "in a long loop", when = function(v)
        return v.i % 1000 == 0 and result[1] ~= 0
      end }, 5000)
      assert.same({ 0, 1000, 2000, 3000, 4000 }, last)
    end)

    it("sees the stops of calls that wait for the kernel", function()
      local debugging = cuda.debug { sync = true }
      local ok, seen = pcall(turns, { limit = 5, when = function(v) return v.i % 500 == 0 end,
        line = line_of "in a long loop" }, 2500)
      cuda.debug(debugging)
      assert.same({ true, { 0, 500, 1000, 1500, 2000 } }, { ok, seen })
      local held = { 0 }
      seen = turns({ line = line_of "in a long loop", when = function(v) return v.i == 2400 end },
        2500, cuda.inout(held))
      assert.same({ 2400 }, seen)
      assert.not_equal(0, held[1])
    end)

    it("leaves the kernel to finish when it fails", function()
      for _, inside in ipairs { coroutine.wrap(turns), turns } do
        assert.has_error(function()
          inside({ when = function(v) if v.i == 3000 then error("mine", 0) end end }, 5000)
        end, "mine")
        long({ grid = 1, block = 1 }, result, 1)
        assert.equal(((12345 * 1664525 + 1013904223) & 0xffffffff) >> 16, result[1])
      end
    end)

    it("may step itself", function()
      local inner = 0
      local outer = turns({ line = line_of "in a long loop", when = function(v)
        if v.i == 3 then inner = #turns({ line = line_of "in a long loop" }, 4000) end
        return v.i < 5
      end }, 3000)
      assert.same({ 0, 1, 2, 3, 4 }, outer)
      assert.equal(4000, inner)
    end)
  end)

  it("steps through every line", function()
    local lines = {}
    for _, stop in ipairs(stops({ thread = 0 }, 1, pair(0, 0, 0))) do lines[stop.line] = true end
    for _, text in ipairs { "int i =", "long long", "int b =", "in square", "in the loop",
      "at the end" } do
      assert.is_true(lines[line_of(text)], text)
    end
  end)

  it("gives the stops before a fault, then the fault", function()
    local seen
    local ok, e = pcall(function()
      for stop in wild:step({ thread = 2, line = line_of "before the fault" },
        { block = 4 }, out, 1000000) do
        seen = stop.variables.i
      end
    end)
    assert.is_false(ok)
    assert.equal(2, seen)
    assert.matches("out", tostring(e))
  end)

  it("raises the fault of a loop that is left early", function()
    local function leave(how)
      return pcall(function()
        for stop in wild:step({ thread = 2 }, { block = 4 }, out, 1000000) do
          if how == "error" then error("mine", 0) end
          if how == "return" then return stop end
          if how == "break" then break end
        end
      end)
    end
    for _, how in ipairs { "break", "return" } do
      local ok, e = leave(how)
      assert.is_false(ok)
      assert.matches("out", tostring(e))
    end
    assert.same({ false, "mine" }, { leave "error" })
    cuda.synchronize()
  end)

  it("knows variables of every kind of type", function()
    local kinds = cuda.kernel([[
class Both { public: int a; float b; };
union Either { int i; float f; };
typedef short Small;
enum Color { RED, GREEN = 5 };
__global__ void k(int *__restrict__ out, int n) {
  Both both; both.a = n; both.b = n / 2.0f;
  Either either; either.i = n;
  const Small small = (Small)(n + 1);
  volatile int shaky = n + 2;
  const volatile int both_ways = n + 3;
  int &other = *out;
  int table[2][3] = { { n, 1, 2 }, { 3, 4, n } };
  Color color = GREEN;
  out[0] = both.a + (int)both.b + either.i + small + shaky + both_ways;
  out[1] = other + table[n & 1][n % 3] + color;  // all are set
}]], { debug = true })
    for _ = 1, 4 do
      local n, list = math.random(0, 1000), cuda.zeros(2, "int32")
      local v
      for stop in kinds:step({ line = line_of "all are set" }, { grid = 1, block = 1 }, list, n) do
        v = stop.variables
      end
      assert.same({ { a = n, b = n / 2 }, n, n + 1, n + 2, n + 3, { { n, 1, 2 }, { 3, 4, n } } },
        { v.both, v.either.i, v.small, v.shaky, v.both_ways, v.table })
      assert.equal(("f"):unpack(("i4"):pack(n)), v.either.f)
      assert.equal(list.pointer, v.out)
      assert.equal(list.pointer, v.other)
      assert.equal(5, v.color)
    end
  end)

  it("prints a stop", function()
    local stop = stops({ thread = 9, line = line_of "at the end" }, 1, pair(1, 0, 0))[1]
    local text = tostring(stop)
    assert.matches("thread %(9,0,0%)", text)
    local three = cuda.kernel([[__global__ void of_three_axes(int *out) {
  int linear = threadIdx.x + 4 * (threadIdx.y + 3 * threadIdx.z);
  out[linear] = blockIdx.x;                        // of three axes
}]], { debug = true })
    local at = { block = { 1, 2, 3 }, thread = { 3, 1, 4 }, line = line_of "// of three axes" }
    for one in three:step(at, { grid = { 2, 3, 4 }, block = { 4, 3, 5 } }, out) do
      assert.equal(("%s:%d: of_three_axes, block (1,2,3), thread (3,1,4)"):format(
        helper.this_file(), at.line), tostring(one):match "^[^\n]*")
      assert.equal(3 + 4 * (1 + 3 * 4), one.variables.linear)
    end
    assert.matches("\n    i = 9\n", text)
    assert.matches("at the end", text)
  end)

  it("steps through kernels written in Lua", function()
    local double = cuda.jit([[function(a, n)
      local i = threadIdx.x + 1
      local y = i * 3
      a[i] = y + n
    end]], { debug = true })
    local found
    for stop in double:step({ thread = 4 }, { block = 8 }, out, 5) do
      for _, v in pairs(stop.variables) do found = found or v == 15 end
    end
    assert.is_true(found)
    assert.equal(20, out[5])
  end)

  it("stops once at a line of Lua, and again where it repeats", function()
    local sum = cuda.jit([[function(a, n)
      local k = 0
      while k < n do
        k = k + 1
        if k % 2 == 0 then a[k] = math.floor(k / 3) end
      end
      for j = 1, n do a[1] = a[1] + j end
      a[2] = n
    end]], { debug = true })
    local lines = {}
    for stop in sum:step({}, { block = 1 }, out, 3) do
      lines[#lines + 1] = stop.text:match "%w+.*"
    end
    local turn = { "while k < n do", "k = k + 1",
      "if k % 2 == 0 then a[k] = math.floor(k / 3) end" }
    local wanted = { "local k = 0" }
    for _ = 1, 3 do table.move(turn, 1, 3, #wanted + 1, wanted) end
    wanted[#wanted + 1] = turn[1]
    for _ = 1, 3 do wanted[#wanted + 1] = "for j = 1, n do a[1] = a[1] + j end" end
    table.move({ "a[2] = n", "end" }, 1, 2, #wanted + 1, wanted)
    assert.same(wanted, lines)
  end)

  it("passes errors of the condition on and lets a loop end early", function()
    assert.has_error(function()
      for _ in k:step({ when = function() error("mine", 0) end }, { grid = 2, block = 64 }, out, 1,
        pair(0, 0, 0)) do end
    end, "mine")
    local first = k:step({}, { grid = 2, block = 64 }, out, 1, pair(0, 0, 0))()
    assert.equal("k", first.fn)
    k({ grid = 2, block = 64 }, out, 1, pair(4, 0, 0))
    assert.equal(1 + 4 + 1, out[1])                -- 0 * 0 + 1, p.n, last[1]
  end)

  it("says when there are too many stops", function()
    contains(misuse(function() stops({ limit = 5 }, 9, pair(0, 0, 0)) end),
      "step: the thread stopped more than 5 times")
  end)

  it("says that a line has no code, and which lines near it have", function()
    contains(misuse(function()
      stops({ line = line_of "struct Pair" }, 1, pair(0, 0, 0))
    end), ("option 'line': line %d has no code; the nearest that has is %d"):format(
      line_of "struct Pair", line_of "__noinline__ int square"))
  end)

  it("says that a condition needs debug information", function()
    local plain = cuda.module(SOURCE):kernel "k"
    contains(misuse(function()
      plain:step({ when = function(v) return v.i > 3 end }, { grid = 1, block = 1 }, out, 1,
        pair(0, 0, 0))
    end), "option 'when': the kernel has no variables: compile it with debug = true")
  end)

  it("says when no launch has the thread", function()
    contains(misuse(function() stops({ thread = 64 }, 1, pair(0, 0, 0)) end),
      "step: no launch has thread (64,0,0) in block (0,0,0)")
    contains(misuse(function() stops({ block = { 0, 1 } }, 1, pair(0, 0, 0)) end),
      "step: no launch has thread (0,0,0) in block (0,1,0)")
  end)

  it("refuses what it does not understand", function()
    local launch = { grid = 1, block = 1 }
    contains(misuse(function() k:step({ thread = "x" }, launch) end), "option 'thread'")
    contains(misuse(function() k:step({ block = { 0, 0, 0, 1 } }, launch) end),
      "option 'block': expected up to three integers from 0, got 4")
    contains(misuse(function() k:step({ when = 1 }, launch) end), "option 'when'")
    contains(misuse(function() k:step({ lines = 3 }, launch) end), "lines")
  end)
end)

helper.for_each_device(function(device)
  if device.kind == "cpu" then return end
  it("kernel:step runs on the CPU device only", function()
    local kernel = cuda.kernel "__global__ void k(int *a) { a[0] = 1; }"
    contains(misuse(kernel.step, kernel, {}, { grid = 1, block = 1 }, cuda.zeros(1, "int32")),
      "the CPU device does: cuda.use 'cpu'")
  end)
end)
