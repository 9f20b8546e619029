-- What LUACUDA_CPU_CHECK=all finds in code that uses asynchronous copies and barrier objects: a
-- planted mistake and the nearest correct kernel.
local planted = require "spec.support.planted"

local faults, check = planted.faults, planted.check

describe("all checks of the CPU device", function()
  it("find accesses of asynchronous copies that nobody has waited for", function()
    local without = "without a wait (cp.async.wait_group) for the copy"
    check({ "race:9 race: read", without, without, "none", without, "none", "race:28", "none",
      "race:41 race: write" }, faults([[
#include <cuda_pipeline.h>
#include <cuda/barrier>
#include <cuda/pipeline>
__global__ void one(const float *g, float *o, int groups, int across, int wait, int sync) {
  __shared__ float s[128];
  __pipeline_memcpy_async(&s[threadIdx.x], &g[threadIdx.x], 4);
  if (groups) __pipeline_commit();
  if (wait == 1) __pipeline_wait_prior(0); else if (wait == 2) __pipeline_wait_prior(1);
  if (sync) __syncthreads(); o[threadIdx.x] = s[threadIdx.x ^ across];
}
__global__ void buffers(const int *in, int *o, int all) {
  __shared__ int s[2][128];
  int sum = 0, i = threadIdx.x;
  __pipeline_memcpy_async(&s[0][i], &in[i], 4);
  __pipeline_commit();
  for (int t = 0; t < 4; t++) {
    if (t < 3) {
      __pipeline_memcpy_async(&s[(t + 1) & 1][i], &in[(t + 1) * 128 + i], 4);
      __pipeline_commit();
    }
    if (t < 3)
      __pipeline_wait_prior(1);
    else if (all)
      __pipeline_wait_prior(0);
    else
      __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[t & 1][127 - i];
    __syncthreads();
  }
  o[i] = sum;
}
__global__ void handed_over(const int *in, int *o, int early) {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int s[128];
  int i = threadIdx.x;
  if (i == 0) init(&ready, blockDim.x);
  __syncthreads();
  if (early) {
    __pipeline_memcpy_async(&s[i], &in[i], 4);
    s[i] = 0;
    return;
  }
  cuda::memcpy_async(&s[i], &in[i], sizeof(int), ready);
  ready.arrive_and_wait();
  o[i] = s[127 - i];
}
]], [[
  local shape = { grid = 2, block = 128 }
  local x, y = cuda.ones(128), cuda.zeros(128)
  launch("one", shape, x, y, 1, 0, 0, 0)
  launch("one", shape, x, y, 1, 64, 0, 1)
  launch("one", shape, x, y, 1, 64, 2, 1)
  launch("one", shape, x, y, 1, 0, 1, 0)
  launch("one", shape, x, y, 0, 64, 1, 1)
  launch("one", shape, x, y, 1, 64, 1, 1)
  local many = cuda.ones(512, "int32")
  launch("buffers", shape, many, cuda.zeros(128, "int32"), 0)
  launch("buffers", shape, many, cuda.zeros(128, "int32"), 1)
  launch("handed_over", shape, many, cuda.zeros(128, "int32"), 1)
]]))
  end)

  it("leave out pipelines and copies of groups", function()
    check({ "none", "none", "none", "none" }, faults([[
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
__global__ void group(const int *in, int *o) {
  __shared__ int s[2][128];
  auto b = cg::this_thread_block();
  int sum = 0;
  cg::memcpy_async(b, s[0], in, sizeof(int) * 128);
  for (int t = 0; t < 4; t++) {
    if (t < 3) {
      cg::memcpy_async(b, s[(t + 1) & 1], in + (t + 1) * 128, sizeof(int) * 128);
      cg::wait_prior<1>(b);
    } else cg::wait(b);
    sum += s[t & 1][127 - threadIdx.x];
    b.sync();
  }
  o[threadIdx.x] = sum;
}
__global__ void block_pipeline(const int *in, int *o) {
  __shared__ int s[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto b = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(b, &state);
  int sum = 0;
  for (int f = 0, t = 0; t < 4; t++) {
    for (; f < 4 && f < t + 2; f++) {
      pipe.producer_acquire();
      cuda::memcpy_async(b, s[f & 1], in + f * 128, sizeof(int) * 128, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += s[t & 1][127 - threadIdx.x];
    pipe.consumer_release();
  }
  o[threadIdx.x] = sum;
}
__global__ void thread_pipeline(const int *in, int *o) {
  __shared__ int s[2][128];
  auto pipe = cuda::make_pipeline();
  int sum = 0, i = threadIdx.x;
  for (int f = 0, t = 0; t < 4; t++) {
    for (; f < 4 && f < t + 2; f++) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[f & 1][i], in + f * 128 + i, sizeof(int), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    sum += s[t & 1][127 - i];
    __syncthreads();
    pipe.consumer_release();
  }
  o[i] = sum;
}
__global__ void barrier(const int *in, int *o) {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&ready, blockDim.x);
  __syncthreads();
  int sum = 0, i = threadIdx.x;
  for (int t = 0; t < 4; t++) {
    cuda::memcpy_async(&s[i], in + t * 128 + i, sizeof(int), ready);
    ready.arrive_and_wait();
    sum += s[127 - i];
    ready.arrive_and_wait();
  }
  o[i] = sum;
}
]], [[
  local shape = { grid = 2, block = 128 }
  local x, y = cuda.ones(512, "int32"), cuda.zeros(128, "int32")
  for _, name in ipairs { "group", "block_pipeline", "thread_pipeline", "barrier" } do
    launch(name, shape, x, y)
  end
]]))
  end)

  it("find barrier objects that are used before they are initialized", function()
    check({ "race:7 race: use of the barrier object at offset 0x0 of shared memory", "none",
      "barrier:16 barrier: write of 8 bytes", "init at spec" }, faults([[
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void unsynchronized(int *o, int sync) {
  __shared__ barrier b;
  if (threadIdx.x == 0) init(&b, blockDim.x);
  if (sync) __syncthreads();
  b.arrive_and_wait();
  o[threadIdx.x] = 1;
}
__global__ void never(int *o) {
  __shared__ int s[128];
  __shared__ barrier b;
  int i = threadIdx.x;
  s[i] = i;
  if (o[0] == 7) init(&b, blockDim.x);
  b.arrive_and_wait();
  o[i] = s[127 - i];
}
]], [[
  local shape = { grid = 1, block = 128 }
  local o = cuda.zeros(128, "int32")
  launch("unsynchronized", shape, o, 0)
  launch("unsynchronized", shape, o, 1)
  launch("never", shape, o)
  local _, e = pcall(function()
    m:kernel "unsynchronized"(shape, o, 0)
    cuda.synchronize()
  end)
  print("init at spec", e.report.other.access, e.report.other.line)
]]))
  end)

  it("say what a barrier object lacks for which threads wait", function()
    check({ "threads 0-63 wait for the barrier object at 0x400, which lacks 1 arrival" }, faults([[
#include <cuda/barrier>
__global__ void k(int *o) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  if (threadIdx.x == 0) init(&b, blockDim.x + 1);
  __syncthreads();
  b.arrive_and_wait();
  o[threadIdx.x] = 1;
}
]], [[launch("k", { grid = 1, block = 64 }, cuda.zeros(64, "int32"))]],
      { LUACUDA_CPU_LIVELOCK_MS = "300" }))
  end)

  it("leave out the padding of structures", function()
    check({ "none", "uninitialized:9" }, faults([[
struct P { char c; double d; short s; };
__global__ void k(P *out, int all) {
  __shared__ P s[32];
  int i = threadIdx.x;
  P p;
  p.c = 1; p.d = 2; p.s = 3;
  if (all) s[i] = p; else s[i].c = 1;
  __syncthreads();
  if (all) out[i] = s[31 - i]; else out[i].d = s[31 - i].d;
}
]], [[
  local out = cuda.empty(32 * 24, "uint8")
  launch("k", { grid = 1, block = 32 }, out, 1)
  launch("k", { grid = 1, block = 32 }, out, 0)
]]))
  end)
end)
