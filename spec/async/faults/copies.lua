-- cp.async, whose copies threads wait for in groups or by a barrier object. Threads copy 16 bytes.
local function rotated(kernels, t)
  local x, y = t.integers(512, 1000), t.poisoned(512, "int32")
  kernels.k({ grid = 2, block = 128 }, t.cuda.array(x, "int32"), y)
  t.same(t.list(512, function(i) return x[(127 - (i - 1) // 4) * 4 + (i - 1) % 4 + 1] end), y)
end

local function same(kernels, t)
  local x, y = t.integers(512, 1000), t.poisoned(512, "int32")
  kernels.k({ grid = 2, block = 128 }, t.cuda.array(x, "int32"), y)
  t.same(x, y)
end

-- The sums of four tiles.
local function summed(kernels, t)
  local x, y = t.integers(2048, 1000), t.poisoned(512, "int32")
  kernels.k({ grid = 1, block = 128 }, t.cuda.array(x, "int32"), y)
  t.same(t.list(512, function(i)
    local at, sum = (127 - (i - 1) // 4) * 4 + (i - 1) % 4 + 1, 0
    for tile = 0, 3 do sum = sum + x[tile * 512 + at] end
    return sum
  end), y)
end

local READ = { kind = "race", agents = { "thread", "copy engine" }, object = "group" }

return {
  {
    name = "reads a copy without a wait",
    from = "https://github.com/NVIDIA/Fuser/pull/3438",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int4 *in, int4 *out) {
  __shared__ int4 s[128];
  int i = threadIdx.x;
  copy_async(&s[i], &in[i]);  // THERE
  copy_commit();
  if (!FAULT) copy_wait<0>();
  out[i] = s[i];  // HERE
}]],
    run = same, report = READ, reported = true, tells = "other object",
    says = "race: read of the shared byte at offset 0x0 (byte 0 of `s`), without a wait "
      .. "(cp.async.wait_group) for the copy at <source>:",
  },
  {
    name = "waits for all groups but the one it reads",
    from = "https://github.com/triton-lang/triton/pull/7492",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int4 *in, int4 *out) {
  __shared__ int4 s[128], other[128];
  int i = threadIdx.x;
  copy_async(&other[i], &in[i]);
  copy_commit();
  copy_async(&s[i], &in[i]);  // THERE
  copy_commit();
  copy_wait<FAULT>();
  out[i] = s[i];  // HERE
}]],
    run = same, report = READ, reported = true, tells = "other object",
  },
  {
    name = "waits before it commits the copy",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int4 *in, int4 *out) {
  __shared__ int4 s[128];
  int i = threadIdx.x;
  copy_async(&s[i], &in[i]);  // THERE
  if (!FAULT) copy_commit();
  copy_wait<0>();
  out[i] = s[i];  // HERE
}]],
    run = same, report = READ, reported = true, tells = "other object",
  },
  {
    name = "reads another thread's copy without a barrier",
    from = "https://docs.nvidia.com/compute-sanitizer/ComputeSanitizer/index.html#racecheck-tool",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int4 *in, int4 *out) {
  __shared__ int4 s[128];
  int i = threadIdx.x;
  s[i] = make_int4(0, 0, 0, 0);
  __syncthreads();
  copy_async(&s[i], &in[i]);  // HERE
  copy_commit();
  copy_wait<0>();
  if (!FAULT) __syncthreads();
  out[i] = s[127 - i];  // HERE
}]],
    run = rotated,
    report = { kind = "race", agents = { "thread", "copy engine" }, object = "barrier" },
    reported = true, tells = "other object",
  },
  {
    name = "copies into a buffer that other threads still read",
    from = "https://github.com/triton-lang/triton/blob/main/python/test/gluon/test_consan.py",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int4 *in, int4 *out) {
  __shared__ int4 s[2][128];
  int i = threadIdx.x;
  int4 sum = {};
  copy_async(&s[0][i], &in[i]);
  copy_commit();
  for (int tile = 0; tile < 4; tile++) {
    if (tile < 3) copy_async(&s[(tile + 1) % 2][i], &in[(tile + 1) * 128 + i]);  // HERE
    copy_commit();
    copy_wait<1>();
    __syncthreads();
    int4 v = s[tile % 2][127 - i];  // HERE
    sum = { sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w };
    if (!FAULT) __syncthreads();
  }
  out[i] = sum;
}]],
    run = summed,
    report = { kind = "race", agents = { "copy engine", "thread" }, object = "barrier" },
    reported = true, tells = "other",
  },
  {
    name = "writes to the target of a copy in flight",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int4 *in, int4 *out) {
  __shared__ int4 s[128];
  int i = threadIdx.x;
  copy_async(&s[i], &in[i]);  // THERE
  copy_commit();
  if (!FAULT) copy_wait<0>();
  int4 v = in[i];
  s[i] = v;  // HERE
  copy_wait<0>();
  __syncthreads();
  out[i] = s[127 - i];
}]],
    run = rotated, report = READ, reported = true, tells = "other object",
  },
  {
    name = "overwrites the source of a copy in flight",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(int4 *in, int4 *out) {
  __shared__ int4 s[128];
  int i = threadIdx.x;
  copy_async(&s[i], &in[i]);  // THERE
  copy_commit();
  if (!FAULT) copy_wait<0>();
  in[i] = make_int4(0, 0, 0, 0);  // HERE
  copy_wait<0>();
  out[i] = s[i];
}]],
    run = function(kernels, t)
      local x, y = t.integers(512, 1000), t.poisoned(512, "int32")
      kernels.k({ grid = 1, block = 128 }, t.cuda.array(x, "int32"), y)
      t.same(x, y)
    end,
    report = READ, reported = true, tells = "other object",
    says = "race: write of 16 bytes at ADDRESS in global memory, 0 bytes into the allocation of "
      .. "2048 bytes at ADDRESS, without a wait (cp.async.wait_group) for the copy at <source>:",
  },
  {
    name = "hands copies to a barrier object that it does not wait for",
    from = "https://github.com/triton-lang/triton/pull/11626",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int4 *in, int4 *out) {
  __shared__ int4 s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 128);
    init_fence();
  }
  __syncthreads();
  copy_async(&s[i], &in[i]);  // THERE
  copy_arrive(&bar);
  if (FAULT) __syncthreads();
  else wait(&bar, 0);
  out[i] = s[127 - i];  // HERE
}]],
    run = rotated,
    report = { kind = "race", agents = { "thread", "copy engine" }, object = "mbarrier" },
    reported = true, tells = "other",
  },
}
