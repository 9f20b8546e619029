-- What LUACUDA_CPU_CHECK=all takes for an order between threads: a fence counts for those that have
-- heard of it since, and an arrival for those that wait. Each mistake is beside the nearest correct
-- kernel.
local planted = require "spec.support.planted"

local faults, check = planted.faults, planted.check

describe("all checks of the CPU device", function()
  it("count a fence for warps that read a flag after it", function()
    check({ "race:8", "none", "race:20", "none", "none" }, faults([[
__global__ void told_block(const int *x, int *o, int listen) {
  __shared__ int data, flag;
  volatile int *f = &flag;
  if (threadIdx.x == 0) data = flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) { data = x[0]; __threadfence_block(); *f = 1; }
  if (threadIdx.x >= 32) for (int k = 0; listen ? *f == 0 : k < 9; k++) __nanosleep(100);
  if (threadIdx.x == 32) o[0] = data;
}
__global__ void told_grid(int *data, int *flag, int *o, int meet) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 7;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(flag, 1);
  } else {
    if (threadIdx.x == 0) while (atomicAdd(flag, 0) == 0) ;
    if (meet == 1) __syncwarp();
    if (meet == 2 && threadIdx.x != 0) return;
    o[threadIdx.x] = data[threadIdx.x];
  }
}
]], [[
  local x, o = cuda.ones(32, "int32"), cuda.zeros(32, "int32")
  for listen = 0, 1 do launch("told_block", { grid = 1, block = 64 }, x, o, listen) end
  for meet = 0, 2 do
    launch("told_grid", { grid = 2, block = 32 }, cuda.zeros(32, "int32"), cuda.zeros(1, "int32"),
      o, meet)
  end
]]))
  end)

  it("count an arrival for those that wait for it", function()
    check({ "race:20", "none", "race:20", "none", "race:37", "none" }, faults([[
typedef unsigned long long u64;
__device__ unsigned at(void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(u64 *b, int n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;"
  :: "r"(at(b)), "r"(n) : "memory"); }
__device__ void arrive(u64 *b) { asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}"
  :: "r"(at(b)) : "memory"); }
__device__ void wait(u64 *b) {
  asm volatile("{.reg .pred p;\nw: mbarrier.test_wait.parity.shared.b64 p, [%0], 0;\n"
    "@!p bra w;}" :: "r"(at(b)) : "memory");
}
__global__ void passed_on(const int *x, int *o, int other, int all) {
  __shared__ int data[32];
  __shared__ u64 b[3];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x < 3) init(b + threadIdx.x, 32);
  __syncthreads();
  if (warp == 0) { data[lane] = x[lane]; arrive(b); }
  if (warp == 1) { if (all) wait(b); arrive(b + 1); }
  if (warp == 3) arrive(b + 2);
  if (warp == 2) { wait(b + 1 + other); o[lane] = data[31 - lane]; }
}
__global__ void of_the_warp(const int *x, int *o, int meet) {
  __shared__ int data[32];
  __shared__ u64 b;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) init(&b, 1);
  __syncthreads();
  if (warp == 0) {
    data[lane] = x[lane];
    if (meet) __syncwarp();
    if (lane == 0) arrive(&b);
  }
  if (warp == 1) {
    wait(&b);
    if (lane == 0) o[0] = data[0];
    __syncwarp();
    o[lane] = data[lane];
  }
}
]], [[
  local x, o = cuda.ones(32, "int32"), cuda.zeros(32, "int32")
  for _, how in ipairs { { 1, 1 }, { 0, 1 }, { 0, 0 }, { 0, 1 } } do
    launch("passed_on", { grid = 1, block = 128 }, x, o, how[1], how[2])
  end
  launch("of_the_warp", { grid = 1, block = 64 }, x, o, 0)
  launch("of_the_warp", { grid = 1, block = 64 }, x, o, 1)
]]))
  end)
end)
