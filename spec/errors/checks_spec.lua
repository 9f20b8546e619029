-- What LUACUDA_CPU_CHECK=all finds, mostly in global memory: a planted mistake and the nearest
-- correct kernel. Each runs in a process of its own, because the setting is read once.
local planted = require "spec.support.planted"

local faults, check = planted.faults, planted.check

describe("all checks of the CPU device", function()
  it("find races in global memory", function()
    check({ "race:3", "none", "race:14", "none", "race:20", "none", "race:26", "none", "none" },
      faults([[
__global__ void neighbor(float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[(i + 32) % n] + 1;
}
__global__ void last_block(const float *x, float *part, unsigned *count, int fence) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = x[blockIdx.x];
    if (fence) __threadfence();
    last = atomicAdd(count, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0)
    for (int b = 1; b < gridDim.x; b++) part[0] += part[b];
}
__global__ void counted(int *count, int *out, int wait) {
  if (threadIdx.x < 32) atomicAdd(count, 1);
  if (wait) __syncthreads();
  if (threadIdx.x == 40)
    *out = *count;
}
__global__ void locked(int *lock, int *sum, int fence) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) ;
    if (fence) __threadfence();
    *sum += blockIdx.x;
    if (fence) __threadfence();
    atomicExch(lock, 0);
  }
}
__global__ void same_flag(int *found) { *found = 1; }
]], [[
  local x, y = cuda.ones(1000), cuda.zeros(1000)
  local wide = { grid = 8, block = 128 }
  launch("neighbor", wide, x, x, 1000)
  launch("neighbor", wide, x, y, 1000)
  launch("last_block", wide, x, y, cuda.zeros(1, "uint32"), 0)
  launch("last_block", wide, x, y, cuda.zeros(1, "uint32"), 1)
  launch("counted", { grid = 1, block = 64 }, cuda.zeros(1, "int32"), cuda.empty(1, "int32"), 0)
  launch("counted", { grid = 1, block = 64 }, cuda.zeros(1, "int32"), cuda.empty(1, "int32"), 1)
  launch("locked", wide, cuda.zeros(1, "int32"), cuda.zeros(1, "int32"), 0)
  launch("locked", wide, cuda.zeros(1, "int32"), cuda.zeros(1, "int32"), 1)
  launch("same_flag", wide, cuda.zeros(1, "int32"))
]]))
  end)

  it("find races between the lanes of a warp", function()
    check({ "race:5 race: read of the shared byte at offset 0x4", "none",
      "race:12 race: write of the shared byte at offset 0x0", "none",
      "race:19", "none", "race:24", "none", "race:31", "none", "race:50", "none", "none",
      "race:57", "none", "none", "race:64", "none", "race:72" },
      faults([[
__global__ void rotate(int *out, int sync) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  if (sync) __syncwarp();
  out[threadIdx.x] = s[(threadIdx.x + 1) % 32];
}
__global__ void one_flag(int *out, int differ) {
  __shared__ int flag;
  int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncwarp();
  if (t > 20) flag = differ ? t : 7;
  __syncwarp();
  out[t] = flag;
}
__global__ void scatter(int *out, const int *to) {
  int t = threadIdx.x;
  int at = to[t];
  out[at] = t;
}
__global__ void reverse(int *x, int sync) {
  int t = threadIdx.x, value = x[31 - t];
  if (sync) __syncwarp();
  x[t] = value;
}
__global__ void halves(int *out, int mask) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  if (t / 16 == 0 || mask != 0) __syncwarp(t / 16 == 0 ? 0xffffu : 0xffff0000u);
  out[t] = s[t ^ 8];
}
__global__ void by_shuffle(int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  int from = __shfl_xor_sync(~0u, t, 5);
  out[t] = s[from];
}
__global__ void by_volatile(int *out) {
  __shared__ volatile int s[64];
  int t = threadIdx.x;
  s[t] = t;
  s[t + 32] = 0;
  for (int d = 16; d > 0; d /= 2) s[t] += s[t + d];
  out[t] = s[t];
}
__global__ void pairs_of_doubles(int *out, int differ) {
  __shared__ double2 s;
  s = make_double2(1, differ ? threadIdx.x : 2);
  __syncwarp();
  *(double2 *)out = s;
}
__global__ void own_value(int *out, int lane) {
  if ((int)threadIdx.x >= lane) out[0] = 1;
  int seen;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(seen) : "l"(out) : "memory");
  out[32] = seen;
}
__global__ void own_shared_value(int *out, int lane) {
  __shared__ int s;
  if ((int)threadIdx.x >= lane) s = 1;
  int seen, at = (int)__cvta_generic_to_shared(&s);
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(seen) : "r"(at) : "memory");
  out[0] = seen;
}
__global__ void one_half_waits(int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 16) __syncwarp(0xffffu);
  out[t] = s[t ^ 16];
}
]], [[
  local shape, out = { grid = 1, block = 32 }, cuda.zeros(32, "int32")
  local function both(name, first, second)
    launch(name, shape, out, first)
    launch(name, shape, out, second)
  end
  local function targets(of)
    local list = {}
    for i = 1, 32 do list[i] = of(i - 1) end
    return cuda.array(list, "int32")
  end
  both("rotate", 0, 1)
  both("one_flag", 1, 0)
  both("scatter", targets(function(i) return i // 2 end), targets(function(i) return i ~ 1 end))
  both("reverse", 0, 1)
  both("halves", 0, 1)
  both("pairs_of_doubles", 1, 0)
  launch("by_shuffle", shape, out)
  out = cuda.zeros(33, "int32")
  both("own_value", 1, 0)
  both("own_shared_value", 0, 1)
  launch("by_volatile", shape, out)
  launch("one_half_waits", shape, out)
]]))
  end)

  it("leave out the load before a loop around atomicCAS", function()
    check({ "none", "none", "race:16" }, faults([[
__device__ double atomic_max(double *at, double value) {
  unsigned long long *word = (unsigned long long *)at, old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed,
      __double_as_longlong(fmax(value, __longlong_as_double(assumed))));
  } while (assumed != old);
  return __longlong_as_double(old);
}
__global__ void most(double *x, double *y) { atomic_max(x, y[threadIdx.x]); }
__global__ void most_shared(double *x, double *y, int early) {
  __shared__ double s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomic_max(&s, x[0]);
  if (early) y[threadIdx.x] = s;
}
]], [[
  local shape = { grid = 2, block = 64 }
  launch("most", shape, cuda.zeros(1, "float64"), cuda.ones(64, "float64"))
  launch("most_shared", shape, cuda.ones(1, "float64"), cuda.ones(64, "float64"), 0)
  launch("most_shared", shape, cuda.ones(1, "float64"), cuda.ones(64, "float64"), 1)
]]))
  end)

  it("look at every line of a matrix", function()
    check({ "none", "uninitialized:9", "uninitialized:9", "race:" }, faults([[
__global__ void load(unsigned *out, int first, int last) {
  __shared__ __align__(16) unsigned s[128];
  int l = threadIdx.x % 32;
  if (threadIdx.x < 32)
    for (int i = first + l; i < last; i += 32) s[i] = i;
  __syncwarp();
  unsigned at = (unsigned)__cvta_generic_to_shared(s + 4 * l), a, b, c, d;
  if (threadIdx.x < 32) asm("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at) : "memory");
  else if (l == 0) s[125] = 1;
  if (threadIdx.x < 32)
    for (int i = 0; i < 4; i++) out[i * 32 + l] = i == 0 ? a : i == 1 ? b : i == 2 ? c : d;
}
]], [[
  local out = cuda.zeros(128, "uint32")
  launch("load", { grid = 1, block = 32 }, out, 0, 128)
  for i = 1, 128 do assert(out[i] == i - 1) end
  launch("load", { grid = 1, block = 32 }, out, 0, 124)
  launch("load", { grid = 1, block = 32 }, out, 4, 128)
  launch("load", { grid = 1, block = 64 }, out, 0, 128)
]]))
  end)

  it("tell atomics of 1 and 2 bytes from what is beside them", function()
    check({ "none", "race:10 race: write of 1 byte", "none",
      "race:16 race: atomic of the shared byte at offset 0x6",
      "out of bounds:6 out of bounds: read of 4 bytes", "uninitialized:6" }, faults([==[
#include <cuda/atomic>
typedef unsigned char byte;
using global_ref = cuda::atomic_ref<byte, cuda::thread_scope_device>;
using shared_ref = cuda::atomic_ref<byte, cuda::thread_scope_block>;
__device__ void add(byte *x) {
  global_ref(*x).fetch_add(1, cuda::memory_order_relaxed);
}
__global__ void global(byte *x, int step) {
  if (threadIdx.x != 33) add(x + 6);
  else x[6 - step] = 1;
}
__global__ void shared(byte *x, int step) {
  __shared__ byte s[7];
  if (threadIdx.x < 7) s[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 32) shared_ref(s[6]).fetch_add(1, cuda::memory_order_relaxed);
  else s[6 - step] = 1;
  __syncthreads();
  x[threadIdx.x % 7] = s[6];
}
__global__ void one(byte *x, int at) { add(x + at); }
]==], [[
  local shape = { grid = 1, block = 64 }
  launch("global", shape, cuda.zeros(7, "uint8"), 1)
  launch("global", shape, cuda.zeros(7, "uint8"), 0)
  launch("shared", shape, cuda.zeros(7, "uint8"), 1)
  launch("shared", shape, cuda.zeros(7, "uint8"), 0)
  launch("one", shape, cuda.zeros(8, "uint8"), 8)
  launch("one", shape, cuda.empty(8, "uint8"), 7)
]]))
  end)

  it("order the steps of a cooperative grid", function()
    check({ "race:", "none" }, faults([[
#include <cooperative_groups.h>
__global__ void steps(float *x, float *y, int sync) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  y[i] = x[i] + 1;
  if (sync) cooperative_groups::this_grid().sync();
  x[i] = y[n - 1 - i];
}
]], [[
  local shape = { grid = 2, block = 64, cooperative = true }
  launch("steps", shape, cuda.ones(128), cuda.zeros(128), 0)
  launch("steps", shape, cuda.ones(128), cuda.empty(128), 1)
]]))
  end)

  it("find reads of memory that nothing has written", function()
    check({ "uninitialized:2", "none", "none", "none", "none", "uninitialized:2", "none",
      "uninitialized:2", "uninitialized:4 uninitialized: read", "none", "none" }, faults([[
__global__ void add(const float *x, float *y) {
  y[threadIdx.x] = x[threadIdx.x] + 1;
}
__global__ void count(int *n) { atomicAdd(n, 1); }
struct pair { char c; int i; };
__global__ void make(pair *p) { p[threadIdx.x].c = 1; p[threadIdx.x].i = 2; }
__global__ void copy(pair *to, const pair *from) { to[threadIdx.x] = from[threadIdx.x]; }
]], [[
  local shape, y = { grid = 1, block = 32 }, cuda.empty(32)
  local function add(x) launch("add", shape, x, y) end
  add(cuda.empty(32))
  add(cuda.zeros(32))
  add(cuda.array(string.rep("\0", 128), "float32"))
  add(y)
  local x = cuda.empty(32)
  x:fill(1)
  add(x)
  local part = cuda.empty(33)
  part:slice { 1, 31 }:fill(1) -- the thread of element 32 reads what nothing wrote
  launch("add", shape, part, y)
  part:slice { 32, 33 }:fill(1)
  launch("add", shape, part, y)
  add(cuda.empty(32):copy()) -- a copy writes nothing that its source does not have
  launch("count", shape, cuda.empty(1, "int32"))
  local pairs_ = cuda.empty(256, "uint8")
  launch("make", shape, pairs_)
  launch("copy", shape, cuda.empty(256, "uint8"), pairs_)
]]))
  end)

  it("keep what was written by copies, fills and conversions of views", function()
    check({ "none", "uninitialized:2", "none", "uninitialized:2", "none", "uninitialized:2", "none",
      "uninitialized:2", "uninitialized:2", "none" }, faults([[
__global__ void read(const float *x, float *y, int n) {
  for (int i = 0; i < n; i++) y[i] = x[i];
}
]], [[
  local function read(x, n) launch("read", { grid = 1, block = 1 }, x, cuda.zeros(n), n) end
  local e = cuda.empty { 4, 6 }
  e:slice({ 1, 2 }):fill(1)  -- two rows
  read(e, 12)
  read(e, 13)
  read(e:transpose():copy():transpose():copy(), 12)
  read(e:transpose():copy(), 4)
  read(e:transpose():astype("float64"):transpose():astype("float32"), 12)
  local columns = cuda.empty { 4, 6 }
  columns:transpose():slice({ 1, 2 }):fill(1)
  read(columns, 3)
  read(columns:slice({ 1, 4 }, { 1, 2 }):copy(), 8)
  read(columns:slice({ 1, 4 }, { 2, 3 }):copy(), 2)
  local one = cuda.empty(3)
  one[1] = 5
  read(one, 3)
  one[2], one[3] = 6, 7
  read(one, 3)
]]))
  end)

  it("find sorts and products of values that nothing has written", function()
    local lines = faults("__global__ void none() {}", [[
  local function try(fn)
    local ok, e = pcall(function()
      fn()
      cuda.synchronize()
    end)
    print(ok and "none" or ("%s of %d bytes at byte %d of %s"):format(e.fault, e.report.bytes,
      e.report.array.offset, e.report.array.label))
  end
  local part, nothing = cuda.empty(100), cuda.empty(5000, "float64")
  local matrix = cuda.empty { 40, 20 }
  part:slice { 1, 99 }:fill(2)
  try(function() cuda.sort(nothing) end)
  try(function() cuda.argsort(part) end)
  try(function() cuda.sort(part:slice { 1, 99 }) end)
  part = cuda.zeros(100)
  part:slice({ 41, 42 }):set(cuda.empty(2))
  try(function() cuda.sort(part) end)
  part = cuda.zeros { 30, 40 }
  try(function() part:matmul(matrix) end)
  local turned = cuda.empty { 20, 40 }
  try(function() part:matmul(turned:transpose()) end)
  try(function() part:matmul(part:transpose()) end)
  local wide = cuda.empty { 30, 80 } -- what is between the rows of a view is not read
  wide:slice({ 1, 30 }, { 1, 40 }):fill(1)
  try(function() wide:slice({ 1, 30 }, { 1, 40 }):matmul(part:transpose()) end)
]])
    assert.same({ "uninitialized of 8 bytes at byte 0 of float64 {5000}",
      "uninitialized of 4 bytes at byte 396 of float32 {100}", "none",
      "uninitialized of 4 bytes at byte 160 of float32 {100}",
      "uninitialized of 4 bytes at byte 0 of float32 {40, 20}",
      "uninitialized of 4 bytes at byte 0 of float32 {20, 40}", "none", "none" }, lines)
  end)

  it("leave out what merge sorts of CUB read past the end of their data", function()
    check({ "uninitialized:", "none" }, faults([[
#line 1 "/include/cub/merge.cuh"
__device__ int own(const int *s) { return s[threadIdx.x]; }
#line 1 "/include/cub/block/block_merge_sort.cuh"
__device__ int cub(const int *s) { return s[threadIdx.x]; }
#line 20 "source"
#define ENDS(name) \
__global__ void name##_ends(int *out) { \
  __shared__ int s[33]; \
  s[threadIdx.x + 1] = 0; \
  __syncthreads(); \
  out[threadIdx.x] = name(s); \
}
ENDS(own)
ENDS(cub)
]], [[
  local shape = { grid = 1, block = 32 }
  launch("own_ends", shape, cuda.empty(32, "int32"))
  launch("cub_ends", shape, cuda.empty(32, "int32"))
]]))
  end)

  it("find shuffles that read from lanes which do not take part", function()
    check({ "lane 16 reads from lane 0, which the member mask 0xffff0000 leaves out", "none",
      "lane 0 reads from lane 16, which the block does not have", "none",
      "lane 0 reads from lane 16, which has ended", "none" }, faults([[
__global__ void first(int *out, int from) {
  int t = threadIdx.x;
  if (t >= 16) out[t] = __shfl_sync(0xffff0000u, t, from);
}
__global__ void sum(int *out, int width) {
  int t = threadIdx.x, s = t;
  for (int d = width / 4; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d, width / 2);
  out[t] = s;
}
__global__ void half_returns(int *out, int from) {
  int t = threadIdx.x;
  if (t >= 16) return;
  __syncthreads();
  out[t] = __shfl_sync(0xffffffffu, t, from);
}
]], [[
  local out = cuda.empty(64, "int32")
  launch("first", { grid = 1, block = 32 }, out, 0)
  launch("first", { grid = 1, block = 32 }, out, 16)
  launch("sum", { grid = 1, block = 16 }, out, 64)
  launch("sum", { grid = 1, block = 16 }, out, 32)
  launch("half_returns", { grid = 1, block = 32 }, out, 16)
  launch("half_returns", { grid = 1, block = 32 }, out, 15)
]]))
  end)

  it("report where the array was made and who accessed it before", function()
    local lines = faults([[
__global__ void shift(float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  x[i + 40] = value;
}]], [[
  local x = cuda.ones(1000) -- made here
  local ok, e = pcall(function()
    m:kernel "shift"({ grid = 1, block = 64 }, x)
    cuda.synchronize()
  end)
  local r = e.report
  print(ok, r.fault, r.kernel, r.line, r.access, r.bytes, r.space, r.array.label, r.array.bytes,
    r.array.offset, r.address - r.array.address, r.array.made_at:match ":(%d+)$")
  print(r.thread[1], r.other.access, r.other.line, r.other.thread[1], r.other.block[1])
  print(e.message)
]])
    assert.equal("false\trace\tshift\t3\tread\t4\tglobal\tfloat32 {1000}\t4000\t160\t160\t15",
      lines[1])
    assert.equal("40\twrite\t4\t0\t0", lines[2])
    assert.matches("; at byte 160 of array float32 {1000}, made at .*:15$", lines[3])
  end)

  it("report where an array was made that is gone", function()
    check({ "use after free:2", "made in line 20", "made in line 19",
      "; the freed array was made at " },
      faults("__global__ void k(float *a) { a[3] = 1; }", [[

  local function write(a)
    local _, e = pcall(function()
      m:kernel "k"({ grid = 1, block = 1 }, cuda.ptr(a))
      cuda.synchronize()
    end)
    return e
  end
  local function gone() return cuda.zeros(1000).pointer end
  local closed = cuda.zeros(1000)
  local address = closed.pointer
  closed:close()
  launch("k", { grid = 1, block = 1 }, cuda.ptr(address))
  local function made(e) print("made in line " .. e.report.array.made_at:match "%d+$") end
  made(write(address))
  address = gone()
  collectgarbage()
  local e = write(address)
  made(e)
  print(e)
]]))
  end)

  it("find addresses whose arithmetic wrapped around", function()
    check({ "overflow:2", "overflow:5", "overflow:8", "overflow:11", "overflow:15",
      "overflow:19", "overflow:24", "28 in kernel 'one_lane', block (0,0,0), thread (5,0,0)",
      "overflow:31 overflow: read of 16 bytes", "overflow:34" }, faults([[
__global__ void row(const float *x, float *y, int i, int n) {
  y[threadIdx.x] = x[i * n + threadIdx.x];
}
__global__ void row_unsigned(const float *x, float *y, unsigned i, unsigned n) {
  y[threadIdx.x] = x[i * n + threadIdx.x];
}
__global__ void sum(const float *x, float *y, int i, int n) {
  y[threadIdx.x] = x[i + n];
}
__global__ void shift(const float *x, float *y, int i, int n) {
  y[threadIdx.x] = x[(i << n) + threadIdx.x];
}
__global__ void store(const float *x, float *y, int i, int n) {
  int at = i * n;
  y[at] = x[threadIdx.x];
}
__global__ void in_64_bits(const float *x, float *y, int i, int n) {
  size_t at = (size_t)i * i * i * n + threadIdx.x;
  y[threadIdx.x] = x[at];
}
__global__ void in_shared(const float *x, float *y, int i, int n) {
  extern __shared__ float s[];
  for (int k = threadIdx.x; k < 64; k += 32) s[k] = x[k];
  __syncwarp(); y[threadIdx.x] = s[i * n + threadIdx.x];
}
__global__ void one_lane(const float *x, float *y, unsigned i, unsigned n) {
  unsigned k = threadIdx.x == 5 ? i : 1;
  y[threadIdx.x] = x[k * n + threadIdx.x];
}
__global__ void vectors(const float4 *x, float4 *y, int i, int n) {
  y[threadIdx.x % 8] = x[i * n + threadIdx.x % 8];
}
__global__ void backwards(const float *x, float *y, int i, int n) {
  y[threadIdx.x] = x[i * n + 40];
}
]], [[
  local x, y, shape = cuda.ones(64), cuda.zeros(64), { grid = 1, block = 32, shared = 256 }
  launch("row", shape, x, y, 65536, 65536)
  launch("row_unsigned", shape, x, y, 65536, 65536)
  launch("sum", shape, x, y, 2^31 - 10, 20)
  launch("shift", shape, x, y, 65537, 16)
  launch("store", shape, x, y, 65536, 65536)
  launch("in_64_bits", shape, x, y, 65536, 65536)
  launch("in_shared", shape, x, y, 65536, 65536)
  launch("one_lane", shape, x, y, 2^28, 16)
  launch("vectors", shape, x, y, 65536, 65536)
  launch("backwards", shape, x:slice({ 9, 64 }), y, 4, 2^30 - 11)
]]))
  end)

  it("leave out numbers that wrap around on purpose", function()
    check({ "none", "none", "none", "none", "none", "none", "none", "none" }, faults([[
// The registers of one function are where those of another were.
__device__ __noinline__ unsigned hash(const unsigned *v) {
  unsigned r = 0, t[8];
  for (int i = 0; i < 8; i++) t[i] = v[i] * v[i + 1];
  for (int i = 0; i < 8; i++) r = (r ^ t[i]) * t[(i * 5) % 8];
  return r;
}
__device__ __noinline__ float get(const float3 *p, int i) { return p[i].y; }
__global__ void calls(float *y, const float3 *p, const unsigned *v) {
  unsigned h = hash(v);
  y[threadIdx.x] = h + get(p, threadIdx.x);
}
__global__ void hashes(float *y, unsigned factor, unsigned n) {
  unsigned h = (threadIdx.x + 12345) * factor + 1013904223u;
  int g = (int)(h * 31u);
  unsigned long long w = h * 0x9e3779b97f4a7c15ull;
  atomicAdd(&y[h % 10], 1.f);
  atomicAdd(&y[h % n], 1.f);
  atomicAdd(&y[h - h / n * n], 1.f);
  atomicAdd(&y[h & 63], 1.f);
  atomicAdd(&y[h >> 26], 1.f);
  atomicAdd(&y[(unsigned char)h >> 2], 1.f);
  atomicAdd(&y[(g % 10 + 10) % 10], 1.f);
  atomicAdd(&y[(g % (int)n + (int)n) % (int)n], 1.f);
  atomicAdd(&y[abs(g % 10)], 1.f);
  atomicAdd(&y[w % 10], 1.f);
  atomicAdd(&y[w >> 58], 1.f);
  atomicAdd(&y[__umulhi(h, n)], 1.f);
  atomicAdd(&y[(unsigned long long)h * n >> 32], 1.f);
}
// A remainder of a number below the divisor: nothing is subtracted.
__global__ void small_remainder(float *y, int i, int n) {
  int h = i * n + threadIdx.x % 8, minus, at, same;
  asm volatile("mul.lo.s32 %0, %1, -10;" : "=r"(minus) : "r"(h / 10));
  asm volatile("add.s32 %0, %1, %2;" : "=r"(at) : "r"(h), "r"(minus));
  asm volatile("add.s32 %0, %1, %2;" : "=r"(same) : "r"(minus), "r"(h));
  y[at] = 1;
  y[same] = 2;
}
__global__ void back(float *y, int i, unsigned one) {
  const float *end = y + 64;
  float left = end[-(int)threadIdx.x - 1], right = y[threadIdx.x - one + i];
  y[32 + threadIdx.x] = left + right;
}
__global__ void not_used(float *y, int i, int n) {
  int at = i * n + threadIdx.x;
  if ((long long)i * n < 64) y[at] = 1;
}
__global__ void wide(float *y, int i, int n) {
  long long at = (long long)i * n + threadIdx.x;
  y[at % 64] = 1;
}
]], [[
  local y, shape = cuda.zeros(64), { grid = 64, block = 32 }
  launch("hashes", shape, y, 1664525, 60)
  launch("hashes", shape, y, 2654435761, 64)
  launch("small_remainder", { grid = 1, block = 8 }, y, 65536, 65536)
  launch("back", { grid = 1, block = 16 }, y, 1, 1)
  launch("not_used", { grid = 1, block = 32 }, y, 65536, 65537)
  launch("not_used", { grid = 1, block = 32 }, y, 4, 8)
  launch("wide", { grid = 1, block = 32 }, y, 65536, 65537)
  local v = {}
  for i = 1, 9 do v[i] = 0x50000000 + i * 7919 end
  launch("calls", { grid = 1, block = 32 }, y, cuda.zeros { 32, 3 }, cuda.array(v, "uint32"))
]]))
  end)

  it("say in the report what wrapped around", function()
    local lines = faults([[
__device__ int place(int i, int n) {
  return i * n;
}
__global__ void row(const float *x, float *y, int i, int n) {
  int at = place(i, n);
  y[threadIdx.x] = x[at + 1];
}]], [[
  local x, y = cuda.ones(64), cuda.zeros(64)
  local ok, e = pcall(function()
    m:kernel "row"({ grid = 1, block = 32 }, x, y, 65536, 65536)
    cuda.synchronize()
  end)
  local r = e.report
  print(ok, r.fault, r.kernel, r.line, r.access, r.bytes, r.space, r.array.label, r.array.offset)
  print(r.thread[1], r.other.access, r.other.line, r.other.thread[1], r.other.block[1])
  print(e.message)
]])
    assert.equal("false\toverflow\trow\t6\tread\t4\tglobal\tfloat32 {64}\t4", lines[1])
    assert.equal("0\tproduct\t2\t0\t0", lines[2])
    assert.matches("^overflow: read of 4 bytes at 0x%x+ in global memory, 4 bytes into the "
      .. "allocation of 256 bytes at 0x%x+, computed with a product at [^ ]*:2 that wrapped "
      .. "around, at [^ ]*:6 in kernel 'row', block %(0,0,0%), thread %(0,0,0%);", lines[3])
  end)

  it("name the line of an expression whose arithmetic the compiler moved", function()
    local lines = faults("__global__ void unused() {}", [[
  local x, z = cuda.ones(64), cuda.ones(5)
  local sum = cuda.reduction { inputs = "raw T x, T z, int32 m", outputs = "T y",
    map = "i == 4 ? x[(int)i * m] + z : z", reduce = "a + b", identity = "0", post = "y = a" }
  local ok, e = pcall(function()
    sum(x, z, 1 << 30)
    cuda.synchronize()
  end)
  local r = e.report
  print(ok, r.fault, r.other.access, r.other.file == r.file, r.other.line == r.line)
  print(e.message)
]])
    assert.equal("false\toverflow\tshift\ttrue\ttrue", lines[1])
    assert.matches(", computed with a shift at ([^ ]*:%d+) that wrapped around, at %1 in kernel "
      .. "'reduction', called at ", lines[2])
  end)

  it("find writes to memory that is read as constant", function()
    check({ "restrict:", "none", "restrict:", "none", "restrict:", "none" }, faults([[
__global__ void shift(const float *__restrict__ x, float *__restrict__ y, int by) {
  int i = threadIdx.x;
  y[i + by] = x[i];
}
__global__ void later(const float *x, float *y) {
  if (threadIdx.x == 0) y[1] = 5;
  __syncthreads();
  y[2 + threadIdx.x] = __ldg(x + 1);
}
__constant__ float factors[64];
__global__ void scale(float *f, float *y, int by) {
  y[threadIdx.x] = 2 * factors[threadIdx.x];
  f[threadIdx.x ^ by] = 3;
}
]], [[
  local shape, x = { grid = 1, block = 64 }, cuda.ones(70)
  launch("shift", shape, x, x, 1)
  launch("shift", shape, x, x, 0) -- each thread writes only what it alone has read
  launch("later", shape, x, x)
  launch("later", shape, x, cuda.empty(70))
  launch("scale", shape, m:global "factors", cuda.empty(64), 1)
  launch("scale", shape, cuda.empty(64), cuda.empty(64), 1)
]]))
  end)
end)
