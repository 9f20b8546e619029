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

  -- One worker runs the blocks in order.
  it("take a wait for news of other blocks within a cluster only", function()
    check({ "race", "none", "race:27", "race:27", "none" }, faults([[
typedef unsigned long long u64;
__device__ unsigned at(void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(u64 *b, int n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;\n"
  "fence.mbarrier_init.release.cluster;" :: "r"(at(b)), "r"(n) : "memory"); }
__device__ void arrive(u64 *b) { asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}"
  :: "r"(at(b)) : "memory"); }
__device__ void arrive_at(u64 *b, int rank) {
  asm volatile("{.reg .b32 p; mapa.shared::cluster.u32 p, %0, %1;\n"
    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [p];}" :: "r"(at(b)), "r"(rank)
    : "memory");
}
__device__ void wait(u64 *b) {
  asm volatile("{.reg .pred p;\nw: mbarrier.test_wait.parity.shared.b64 p, [%0], 0;\n"
    "@!p bra w;}" :: "r"(at(b)) : "memory");
}
__global__ void apart(int *data, volatile int *flag, int *o, int how) {
  __shared__ u64 b;
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 7;
    __threadfence();
  } else {
    if (threadIdx.x == 0) init(&b, 64);
    __syncthreads();
    if (how == 0) { arrive(&b); wait(&b); }
    if (how == 1) asm volatile("bar.sync 1, 64;" ::: "memory");
    if (how == 2 && *flag == 7) return;
    o[threadIdx.x] = data[threadIdx.x];
  }
}
__global__ void __cluster_dims__(2, 1, 1) peers(int *data, volatile int *flag, int *o, int told) {
  __shared__ u64 b;
  if (blockIdx.x == 0) {
    while (*flag == 0) ;
    data[threadIdx.x] = 7;
    __threadfence();
    arrive_at(&b, 1);
  } else {
    if (threadIdx.x == 0) init(&b, 64);
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
    if (told) wait(&b);
    if (threadIdx.x >= 32) o[threadIdx.x] = data[threadIdx.x];
    wait(&b);
  }
}
]], [[
  for _, how in ipairs { { "peers", 0 }, { "peers", 1 }, { "apart", 0 }, { "apart", 1 },
    { "apart", 2 } } do
    launch(how[1], { grid = 2, block = 64 }, cuda.zeros(64, "int32"), cuda.zeros(1, "int32"),
      cuda.zeros(64, "int32"), how[2])
  end
]], { LUACUDA_CPU_ARCH = "90", LUACUDA_CPU_THREADS = "1" }))
  end)
end)
