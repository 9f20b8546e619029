-- Accesses of two blocks of a cluster to the same shared memory, which nothing orders. Clusters
-- have two blocks of 128 threads, or four.

local FROM = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/#distributed-shared-memory"

-- Block b gets the whole numbers of block (b + 1) % blocks.
local function rotated(blocks)
  return function(kernels, t)
    local n = blocks * 128
    local x, y = t.integers(n, 1000), t.poisoned(n, "int32")
    kernels.k({ grid = blocks, block = 128 }, t.cuda.array(x, "int32"), y)
    t.same(t.list(n, function(i) return x[(i + 127) % n + 1] end), y)
  end
end

-- Of `blocks` blocks, each adds its whole numbers to those of the first one.
local function added(blocks)
  return function(kernels, t)
    local x, y = t.integers(blocks * 128, 1000), t.poisoned(128, "int32")
    kernels.k({ grid = blocks, block = 128 }, t.cuda.array(x, "int32"), y)
    t.same(t.list(128, function(i)
      local sum = 0
      for b = 0, blocks - 1 do sum = sum + x[b * 128 + i] end
      return sum
    end), y)
  end
end

local RACE = { kind = "race", agents = { "thread" }, object = "cluster" }

return {
  {
    name = "reads what another block writes",
    from = FROM,
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  int i = threadIdx.x;
  s[i] = -1;
  cluster_sync();
  s[i] = in[blockIdx.x * 128 + i];  // HERE
  if (FAULT) __syncthreads();
  else cluster_sync();
  out[blockIdx.x * 128 + i] = get_at(peer(&s[i], rank() ^ 1));  // HERE
  cluster_sync();
}]],
    run = rotated(2), report = RACE, reported = true, tells = "other agents object",
    says = "race: read of the byte at offset 0x180 of the shared memory of block 1 of the cluster "
      .. "(byte 384 of `s`), which no barrier of the cluster orders after the write at <source>:",
  },
  {
    name = "overwrites what another block reads",
    from = FROM,
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(4, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  int i = threadIdx.x;
  s[i] = in[blockIdx.x * 128 + i];
  cluster_sync();
  int v = get_at(peer(&s[i], (rank() + 1) % 4));  // HERE
  if (FAULT) __syncthreads();
  else cluster_sync();
  s[i] = v;  // HERE
  __syncwarp();
  out[blockIdx.x * 128 + i] = s[i];
  cluster_sync();
}]],
    run = rotated(4), report = RACE, reported = true, tells = "other agents object",
  },
  {
    name = "reads what another block has stored here",
    from = FROM,
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  int i = threadIdx.x;
  s[i] = -1;
  cluster_sync();
  put_at(peer(&s[i], rank() ^ 1), in[blockIdx.x * 128 + i]);  // HERE
  if (FAULT) __syncthreads();
  else cluster_sync();
  out[blockIdx.x * 128 + i] = s[i];  // HERE
  cluster_sync();
}]],
    run = rotated(2), report = RACE, reported = true, tells = "other agents object",
  },
  {
    name = "stores to another block between its arrival and its wait",
    from = FROM,
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  int i = threadIdx.x, v = in[blockIdx.x * 128 + i];
  s[i] = -1;
  cluster_sync();
  if (!FAULT) put_at(peer(&s[i], rank() ^ 1), v);
  ASM("barrier.cluster.arrive.release.aligned;" ::);
  __syncthreads();
  if (FAULT) put_at(peer(&s[i], rank() ^ 1), v);  // HERE
  ASM("barrier.cluster.wait.acquire.aligned;" ::);
  out[blockIdx.x * 128 + i] = s[i];  // HERE
  __syncwarp();
  cluster_sync();
}]],
    run = rotated(2), report = RACE, reported = true, tells = "other agents object",
  },
  {
    name = "several blocks add to a place of another one without atomics",
    from = FROM,
    source = [[
#include "hopper.h"
INLINE void add_at(u32 to, int v) {
  if (FAULT) put_at(to, get_at(to) + v);  // HERE
  else ASM("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" :: "r"(to), "r"(v));
}
extern "C" __global__ void __cluster_dims__(4, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  int i = threadIdx.x;
  s[i] = 0;
  cluster_sync();
  add_at(peer(&s[i], 0), in[blockIdx.x * 128 + i]);  // HERE
  cluster_sync();
  if (rank() == 0) out[i] = s[i];
}]],
    run = added(4), report = RACE, reported = true, tells = "other agents object",
  },
  {
    name = "reads a sum while other blocks add to it",
    from = FROM,
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(4, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  int i = threadIdx.x;
  s[i] = 0;
  cluster_sync();
  ASM("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;"  // HERE
      :: "r"(peer(&s[127 - i], 0)), "r"(in[blockIdx.x * 128 + 127 - i]));
  if (FAULT) __syncthreads();
  else cluster_sync();
  if (rank() == 0) out[i] = s[i];  // HERE
  cluster_sync();
}]],
    run = added(4), report = RACE, reported = true, tells = "other agents object",
  },
  {
    name = "reads a sum to which another block has added without a barrier",
    from = FROM,
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  int i = threadIdx.x;
  s[i] = 0;
  cluster_sync();
  ASM("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;"  // HERE
      :: "r"(peer(&s[127 - i], 1)), "r"(in[blockIdx.x * 128 + 127 - i]));
  if (FAULT) __syncthreads();
  else cluster_sync();
  if (rank() == 1) out[i] = s[i];  // HERE
  cluster_sync();
}]],
    run = added(2), report = RACE, reported = true, tells = "other agents object",
    says = "race: read of the byte at offset 0x100 of the shared memory of block 1 of the cluster "
      .. "(byte 256 of `s`), which no barrier of the cluster orders after the atomic at <source>:",
  },
  {
    name = "two threads of a block store to one place of another block",
    from = FROM,
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  int i = threadIdx.x, v = in[blockIdx.x * 128 + i];
  u32 other = rank() ^ 1;
  s[i] = -1;
  cluster_sync();
  put_at(peer(&s[127 - i], other), -2);  // HERE
  if (!FAULT) __syncthreads();
  put_at(peer(&s[i], other), v);  // HERE
  __syncthreads();
  cluster_sync();
  out[blockIdx.x * 128 + i] = s[i];
}]],
    run = rotated(2), report = { kind = "race", agents = { "thread" }, object = "barrier" },
    reported = true, tells = "other agents object",
  },
  {
    name = "announces data in another block without a fence",
    from = FROM,
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128], ready;
  int i = threadIdx.x, seen;
  u32 other = rank() ^ 1;
  s[i] = -1;
  if (i == 0) ready = 0;
  cluster_sync();
  put_at(peer(&s[127 - i], other), in[blockIdx.x * 128 + 127 - i]);  // HERE
  if (!FAULT) ASM("fence.acq_rel.cluster;" ::);
  ASM("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" :: "r"(peer(&ready, other)));
  do ASM("ld.relaxed.cluster.shared::cta.u32 %0, [%1];" : "=r"(seen) : "r"(at(&ready)));
  while (seen != 128);
  if (!FAULT) ASM("fence.acq_rel.cluster;" ::);
  out[blockIdx.x * 128 + i] = s[i];  // HERE
  __syncwarp();
  cluster_sync();
}]],
    run = rotated(2), report = RACE, reported = true, tells = "other agents object",
  },
  {
    name = "a bulk copy overwrites what another block reads",
    from = FROM,
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 full[2];
  int i = threadIdx.x;
  if (i == 0) {
    init(full, 1);
    init(full + 1, 1);
    init_fence();
    expect(full, 512);
    bulk_load(s, in + blockIdx.x * 128, 512, full);
  }
  __syncthreads();
  wait(full, 0);
  cluster_sync();
  int v = get_at(peer(&s[i], rank() ^ 1));  // HERE
  if (FAULT) __syncthreads();
  else cluster_sync();
  if (i == 0) {
    expect(full + 1, 512);
    bulk_load(s, in + blockIdx.x * 128, 512, full + 1);  // HERE
  }
  wait(full + 1, 0);
  out[blockIdx.x * 128 + i] = v + s[i] - s[i];
  cluster_sync();
}]],
    run = rotated(2), report = RACE, reported = true, tells = "other agents object",
    says = "race: write by a bulk copy of the byte at offset 0x0 of the shared memory of block 0 "
      .. "of the cluster (byte 0 of `s`), which no barrier of the cluster orders after the read "
      .. "at <source>:",
  },
  {
    name = "st.async overwrites what the block itself reads",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#st-async",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 full;
  int i = threadIdx.x, v = in[blockIdx.x * 128 + i], got = 1;
  if (i == 0) {
    init(&full, 1);
    init_fence();
    expect(&full, 512);
  }
  s[i] = 1;
  cluster_sync();
  if (!FAULT && rank() == 0) got = s[127 - i];
  ASM("barrier.cluster.arrive.release.aligned;" ::);
  if (FAULT && rank() == 0) got = s[127 - i];  // THERE
  ASM("barrier.cluster.wait.acquire.aligned;" ::);
  if (rank() == 1) {
    send(peer(&s[i], 0), v, peer(&full, 0));  // HERE
    out[128 + i] = in[i];
  } else {
    wait_cluster(&full, 0);
    out[i] = s[i] + got - 1;
  }
  __syncwarp();
  cluster_sync();
}]],
    run = rotated(2), report = RACE, reported = true, tells = "other agents object",
    says = "race: write by an asynchronous store (st.async) of the byte at offset 0x0 of the "
      .. "shared memory of block 0 of the cluster (byte 0 of `s`), which no barrier of the "
      .. "cluster orders after the read at <source>:",
  },
}
