-- Bulk copies and reductions from shared memory. The issuing thread waits for groups of them: until
-- their sources are read, or until their results are written.
local GROUP = { kind = "race", agents = { "thread", "copy engine" }, object = "group" }

-- Four tiles of 128 whole numbers, times three.
local function tripled(kernels, t)
  local x, y = t.integers(512, 1000), t.poisoned(512, "int32")
  kernels.k({ grid = 1, block = 128 }, t.cuda.array(x, "int32"), y)
  t.same(t.list(512, function(i) return x[i] * 3 end), y)
end

-- One tile, which comes back as the sum of pairs.
local function read_back(kernels, t)
  local x, y = t.integers(128, 1000), t.poisoned(128, "float32")
  kernels.k({ grid = 1, block = 128 }, t.cuda.array(x, "float32"), t.cuda.zeros(128, "float32"), y)
  t.same(t.list(128, function(i) return x[129 - i] end), y)
end

-- Whole numbers copied into a tensor with boxes of 4 rows of 32.
local function boxes(named)
  return function(kernels, t)
    local x, y = t.integers(256, 1000), t.poisoned({ 8, 32 }, "int32")
    local more = named and { y } or {}
    kernels.k({ grid = 2, block = 128 }, t.cuda.array(x, "int32"),
      t.cuda.tensor_map(y, { box = { 4, 32 } }), table.unpack(more))
    t.same(x, y:reshape{ 256 })
  end
end

local GRID = { kind = "race", agents = { "thread" }, object = "grid" }

return {
  {
    name = "overwrites the source of a store in flight",
    from = "https://github.com/NVIDIA/Fuser/pull/5448",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  int i = threadIdx.x;
  for (int tile = 0; tile < 4; tile++) {
    s[i] = in[tile * 128 + i] * 3;  // HERE
    proxy_fence();
    __syncthreads();
    if (i == 0) {
      bulk_store(out + tile * 128, s, 512);  // THERE
      commit();
      if (!FAULT) sources_read<0>();
    }
    __syncthreads();
  }
  if (i == 0) stored<0>();
}]],
    run = tripled, report = GROUP, reported = true, tells = "other agents object",
    says = "race: write of 4 bytes at offset 0x100 of shared memory (byte 256 of `s`), without a "
      .. "wait (cp.async.bulk.wait_group.read) for the bulk copy at <source>:",
  },
  {
    name = "waits for the stores before the last one",
    from = "https://github.com/deepseek-ai/DeepEP/issues/657",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  int i = threadIdx.x;
  for (int tile = 0; tile < 4; tile++) {
    s[i] = in[tile * 128 + i] * 3;  // HERE
    proxy_fence();
    __syncthreads();
    if (i == 0) {
      bulk_store(out + tile * 128, s, 512);  // THERE
      commit();
      sources_read<FAULT>();
    }
    __syncthreads();
  }
  if (i == 0) stored<0>();
}]],
    run = tripled, report = GROUP, reported = true, tells = "other agents object",
  },
  {
    name = "waits for a store that it has not committed",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  int i = threadIdx.x;
  for (int tile = 0; tile < 4; tile++) {
    s[i] = in[tile * 128 + i] * 3;  // HERE
    proxy_fence();
    __syncthreads();
    if (i == 0) {
      bulk_store(out + tile * 128, s, 512);  // THERE
      if (!FAULT) commit();
      sources_read<0>();
    }
    __syncthreads();
  }
  if (i == 0) {
    commit();
    stored<0>();
  }
}]],
    run = tripled, report = GROUP, reported = true, tells = "other agents object",
  },
  {
    name = "waits in a thread that has not issued the store",
    from = "https://github.com/deepseek-ai/DeepEP/issues/549",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  int i = threadIdx.x;
  for (int tile = 0; tile < 4; tile++) {
    s[i] = in[tile * 128 + i] * 3;  // HERE
    proxy_fence();
    __syncthreads();
    if (i == 0) {
      bulk_store(out + tile * 128, s, 512);  // THERE
      commit();
    }
    if (i == (FAULT ? 32 : 0)) sources_read<0>();
    __syncthreads();
  }
  if (i == 0) stored<0>();
}]],
    run = tripled, report = GROUP, reported = true, tells = "other agents object",
  },
  {
    name = "reads back a store of which only the source was read",
    from = "https://github.com/HazyResearch/ThunderKittens/issues/194",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const float *in, float *there, float *out) {
  __shared__ alignas(128) float s[128];
  int i = threadIdx.x;
  s[i] = in[i];
  proxy_fence();
  __syncthreads();
  if (i == 0) {
    bulk_store(there, s, 512);  // THERE
    commit();
    if (FAULT) sources_read<0>();
    else stored<0>();
  }
  __syncthreads();
  out[i] = there[127 - i];  // HERE
}]],
    run = read_back, report = GROUP, reported = true, tells = "other agents object",
    says = "race: read of 4 bytes at ADDRESS in global memory, 252 bytes into the allocation of "
      .. "512 bytes at ADDRESS, without a wait (cp.async.bulk.wait_group) for the bulk copy at "
      .. "<source>:",
  },
  {
    name = "reads the result of a reduction without a wait",
    from = "https://github.com/NVIDIA/Fuser/issues/3383",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const float *in, float *there, float *out) {
  __shared__ alignas(128) float s[128];
  int i = threadIdx.x;
  s[i] = in[i];
  proxy_fence();
  __syncthreads();
  if (i == 0) {
    bulk_add(there, s, 512);  // THERE
    commit();
    if (!FAULT) stored<0>();
  }
  __syncthreads();
  out[i] = there[127 - i];  // HERE
  if (i == 0) stored<0>();
}]],
    run = read_back, report = GROUP, reported = true, tells = "other agents object",
  },
  {
    name = "tells another block of a store in flight",
    from = "https://github.com/HazyResearch/ThunderKittens/issues/194",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const float *in, float *there, float *out, int *flag) {
  __shared__ alignas(128) float s[128];
  int i = threadIdx.x;
  if (blockIdx.x == 0) {
    s[i] = in[i];
    proxy_fence();
    __syncthreads();
    if (i == 0) {
      bulk_store(there, s, 512);  // THERE
      commit();
      if (FAULT) sources_read<0>();
      else stored<0>();
      __threadfence();
      atomicExch(flag, 1);
    }
  } else {
    if (i == 0)
      while (atomicAdd(flag, 0) == 0);
    __syncthreads();
    __threadfence();
    out[i] = there[127 - i];  // HERE
  }
}]],
    run = function(kernels, t)
      local x, y = t.integers(128, 1000), t.poisoned(128, "float32")
      kernels.k({ grid = 2, block = 128 }, t.cuda.array(x, "float32"),
        t.cuda.zeros(128, "float32"), y, t.cuda.zeros(1, "int32"))
      t.same(t.list(128, function(i) return x[129 - i] end), y)
    end,
    report = GROUP, reported = true, tells = "other agents object",
    says = "race: read of 4 bytes at ADDRESS in global memory, 124 bytes into the allocation of "
      .. "512 bytes at ADDRESS, without a wait (cp.async.bulk.wait_group) for the bulk copy at "
      .. "<source>:",
  },
  {
    name = "ends while a store reads shared memory",
    from = "https://github.com/NVIDIA/cutlass/issues/2002",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[512];
  int i = threadIdx.x;
  for (int tile = 0; tile < 4; tile++) s[tile * 128 + i] = in[tile * 128 + i] * 3;
  proxy_fence();
  __syncthreads();
  if (i == 0) {
    bulk_store(out, s, 2048);  // HERE
    commit();
    if (!FAULT) sources_read<0>();
  }
}]],
    run = tripled, report = GROUP, reported = true, tells = "agents object",
  },
  {
    name = "other warps overwrite the source without a barrier after the wait",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ volatile int read;
  int i = threadIdx.x;
  s[i] = in[i];
  read = 0;
  proxy_fence();
  __syncthreads();
  if (i == 0) {
    bulk_store(out, s, 512);  // THERE
    commit();
    sources_read<0>();
    read = 1;
  }
  while (read == 0) {}
  if (!FAULT) __syncthreads();
  s[i] = in[128 + i];  // HERE
  proxy_fence();
  __syncthreads();
  if (i == 0) {
    bulk_store(out + 128, s, 512);
    commit();
  }
  if (i == 0) stored<0>();
}]],
    run = function(kernels, t)
      local x, y = t.integers(256, 1000), t.poisoned(256, "int32")
      kernels.k({ grid = 1, block = 128 }, t.cuda.array(x, "int32"), y)
      t.same(x, y)
    end,
    report = { kind = "race", agents = { "thread", "copy engine" }, object = "barrier" },
    reported = true, tells = "other object",
  },
  {
    name = "one thread waits for another block's store, and the others reduce",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(volatile int *turn, float *out) {
  __shared__ alignas(128) float s[128];
  int i = threadIdx.x;
  for (int k = i; k < 128; k += 32) s[k] = k + 1;
  proxy_fence();
  __syncwarp();
  if (i == 0)
    while (*turn != 1 - blockIdx.x) {}  // the second block is the first
  __threadfence();
  if (!FAULT) __syncwarp();
  float *to = out + i * 4;
  if (blockIdx.x == 1) bulk_store(to, s + i * 4, 16);  // HERE
  else bulk_add(to, s + i * 4, 16);  // HERE
  commit();
  stored<0>();
  __syncwarp();
  if (i == 0) {
    __threadfence();
    *turn = 1;
  }
}]],
    run = function(kernels, t)
      local turn, y = t.cuda.zeros(1, "int32"), t.poisoned(128, "float32")
      kernels.k({ grid = 2, block = 32 }, turn, y)
      t.same(t.list(128, function(i) return 2 * i end), y)
    end,
    report = { kind = "race", agents = { "copy engine" }, object = "grid" },
    reported = true, tells = "other",
  },
  {
    name = "stores two boxes of a tensor to one place",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#cp-async-bulk-tensor",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, const __grid_constant__ Map map) {
  __shared__ alignas(128) int s[128];
  int i = threadIdx.x, row = FAULT ? 0 : 4 * blockIdx.x;
  s[i] = in[blockIdx.x * 128 + i];
  proxy_fence();
  __syncthreads();
  if (i == 0) {
    store(&map, 0, row, s);  // HERE
    commit();
    stored<0>();
  }
}]],
    run = boxes(false), report = GRID, reported = true, tells = "other agents",
  },
  {
    name = "reads a box of a tensor that another thread stores",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#cp-async-bulk-tensor",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, const __grid_constant__ Map map, const int *out) {
  __shared__ alignas(128) int s[128];
  int i = threadIdx.x, sum = 0;
  s[i] = in[blockIdx.x * 128 + i];
  proxy_fence();
  __syncthreads();
  if (i == 0) {
    store(&map, 0, 4 * blockIdx.x, s);  // HERE
    commit();
    stored<0>();
  }
  if (FAULT) __syncwarp();
  else __syncthreads();
  sum += out[blockIdx.x * 128 + 127 - i];  // HERE
  if (sum == 12345) __trap();
}]],
    run = boxes(true), report = GRID, reported = true, tells = "other agents",
  },
  {
    name = "tells another block of a box in flight",
    from = "https://github.com/HazyResearch/ThunderKittens/issues/194",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, const __grid_constant__ Map map, int *out,
                             int *flag) {
  __shared__ alignas(128) int s[128];
  int i = threadIdx.x;
  if (blockIdx.x == 0) {
    s[i] = in[i];
    proxy_fence();
    __syncthreads();
    if (i == 0) {
      store(&map, 0, 0, s);  // THERE
      commit();
      if (FAULT) sources_read<0>();
      else stored<0>();
      __threadfence();
      atomicExch(flag, 1);
    }
  } else {
    if (i == 0)
      while (atomicAdd(flag, 0) == 0);
    __syncthreads();
    __threadfence();
    out[128 + i] = in[128 + i] + out[127 - i] - in[127 - i];  // HERE
  }
}]],
    run = function(kernels, t)
      local x, y = t.integers(256, 1000), t.poisoned({ 8, 32 }, "int32")
      kernels.k({ grid = 2, block = 128 }, t.cuda.array(x, "int32"),
        t.cuda.tensor_map(y, { box = { 4, 32 } }), y, t.cuda.zeros(1, "int32"))
      t.same(x, y:reshape{ 256 })
    end,
    report = GROUP, reported = true, tells = "other agents object",
    says = "without a wait (cp.async.bulk.wait_group) for the bulk copy at <source>:",
  },
  {
    name = "reads a box of a tensor without a barrier after the wait",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, const __grid_constant__ Map map, const int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ volatile int ready;
  int i = threadIdx.x, sum = 0;
  s[i] = in[blockIdx.x * 128 + i];
  ready = 0;
  proxy_fence();
  __syncthreads();
  if (i == 0) {
    store(&map, 0, 4 * blockIdx.x, s);  // THERE
    commit();
  }
  __syncthreads();
  if (i == 0) {
    stored<0>();
    ready = 1;
  }
  while (ready == 0) {}
  if (!FAULT) __syncthreads();
  sum += out[blockIdx.x * 128 + 127 - i];  // HERE
  if (sum == 12345) __trap();
}]],
    run = boxes(true), report = GRID, reported = true, tells = "other agents",
    says = ", which nothing orders after the write at <source>:",
  },
  {
    name = "adds a box to a tensor where a thread stores",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#cp-reduce-async-bulk-tensor",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, const __grid_constant__ Map map, int *out) {
  __shared__ alignas(128) int s[128];
  int i = threadIdx.x, from = blockIdx.x * 128;
  for (int k = i; k < 128 && i < 32; k += 32) s[k] = in[from + k];
  out[from + i] = 0;  // HERE
  proxy_fence();
  if (FAULT) __syncwarp();
  else __syncthreads();
  if (i == 0) {
    ASM("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group"  // HERE
        " [%0, {%1, %2}], [%3];" :: "l"(&map), "r"(0), "r"((int)blockIdx.x * 4), "r"(at(s)));
    commit();
    stored<0>();
  }
}]],
    run = boxes(true), report = GRID, reported = true, tells = "other agents",
  },
  {
    name = "copies a box of a tensor that threads have written",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#async-proxy",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, const __grid_constant__ Map map, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x, at = blockIdx.x * 128 + i;
  if (i == 0) init(&bar, 1);
  out[at] = in[at];  // THERE
  ASM("fence.mbarrier_init.release.cluster;" ::);
  if (!FAULT) proxy_fence();
  __syncthreads();
  if (i == 0) {
    expect(&bar, 512);
    load(s, &map, 0, 4 * blockIdx.x, &bar);  // HERE
  }
  wait(&bar, 0);
  out[at] = s[i];
}]],
    run = boxes(true), report = { kind = "race", agents = { "thread" }, object = "proxy fence" },
    reported = true, tells = "other agents object",
  },
  {
    name = "copies back what it has stored, which a thread has changed",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#async-proxy",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[256];
  __shared__ u64 bar;
  int i = threadIdx.x;
  s[i] = in[i];
  if (i == 0) {
    init(&bar, 1);
    init_fence();
  }
  proxy_fence();
  __syncthreads();
  if (i == 0) {
    bulk_store(out, s, 512);
    commit();
    stored<0>();
    if (FAULT) out[0] = in[0];  // THERE
    expect(&bar, 512);
    bulk_load(s + 128, out, 512, &bar);  // HERE
  }
  wait(&bar, 0);
  out[i] = s[128 + i];
}]],
    run = function(kernels, t)
      local x, y = t.integers(128, 1000), t.poisoned(128, "int32")
      kernels.k({ grid = 1, block = 128 }, t.cuda.array(x, "int32"), y)
      t.same(x, y)
    end,
    report = { kind = "race", agents = { "thread" }, object = "proxy fence" },
    reported = true, tells = "other agents object",
  },
}
