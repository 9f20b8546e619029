-- Programmatic dependent launch: a grid may begin before the previous one has ended. It must wait
-- (griddepcontrol.wait) before it writes what that one accesses, or reads what that one writes.
local function chain(kernels, t)
  local x, between, y = t.integers(256, 1000), t.poisoned(256, "int32"), t.poisoned(256, "int32")
  kernels.first({ grid = 2, block = 128 }, t.cuda.array(x, "int32"), between)
  kernels.second({ grid = 2, block = 128, programmatic = true }, between, y)
  t.same(t.list(256, function(i) return 2 * x[257 - i] end), y)
  t.same(t.list(256, function(i) return 2 * x[i] end), between)
end

local GRID = { kind = "race", agents = { "thread" }, object = "grid" }

return {
  {
    name = "reads what the grid before writes",
    from = "https://github.com/flashinfer-ai/flashinfer/pull/5081",
    source = [[
#include "hopper.h"
extern "C" __global__ void first(const int *in, int *between) {
  ASM("griddepcontrol.launch_dependents;" ::);
  int i = blockIdx.x * 128 + threadIdx.x;
  between[i] = 2 * in[i];  // THERE
}
extern "C" __global__ void second(const int *between, int *out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (!FAULT) ASM("griddepcontrol.wait;" ::);
  out[i] = ((volatile const int *)between)[255 - i];  // HERE
}]],
    run = chain, report = GRID, reported = true, tells = "other agents object",
    says = "without a wait (griddepcontrol.wait) for the grid before, after its write at <source>:",
  },
  {
    name = "reads before it waits for the grid before",
    from = "https://github.com/flashinfer-ai/flashinfer/pull/5081",
    source = [[
#include "hopper.h"
extern "C" __global__ void first(const int *in, int *between) {
  ASM("griddepcontrol.launch_dependents;" ::);
  int i = blockIdx.x * 128 + threadIdx.x;
  between[i] = 2 * in[i];  // THERE
}
extern "C" __global__ void second(const int *between, int *out) {
  int i = blockIdx.x * 128 + threadIdx.x, v = 0;
  if (FAULT) v = ((volatile const int *)between)[255 - i];  // HERE
  ASM("griddepcontrol.wait;" ::);
  if (!FAULT) v = ((volatile const int *)between)[255 - i];
  out[i] = v;
}]],
    run = chain, report = GRID, reported = true, tells = "other agents object",
  },
  {
    name = "writes what the grid before reads",
    from = "https://github.com/NVIDIA/cccl/issues/3131",
    source = [[
#include "hopper.h"
extern "C" __global__ void first(int *x, int *out) {
  ASM("griddepcontrol.launch_dependents;" ::);
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = 2 * x[255 - i];  // THERE
}
extern "C" __global__ void second(int *x, int *other) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (!FAULT) ASM("griddepcontrol.wait;" ::);
  x[i] = 0;  // HERE
  other[i] = 1;
}]],
    run = function(kernels, t)
      local x, y, z = t.integers(256, 1000), t.poisoned(256, "int32"), t.poisoned(256, "int32")
      local a = t.cuda.array(x, "int32")
      kernels.first({ grid = 2, block = 128 }, a, y)
      kernels.second({ grid = 2, block = 128, programmatic = true }, a, z)
      t.same(t.list(256, function(i) return 2 * x[257 - i] end), y)
    end,
    report = GRID, reported = true, tells = "other agents object",
    says = "without a wait (griddepcontrol.wait) for the grid before, after its read at <source>:",
  },
  {
    name = "some warps do not wait for the grid before",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#griddepcontrol",
    source = [[
#include "hopper.h"
extern "C" __global__ void first(const int *in, int *between) {
  int i = blockIdx.x * 128 + threadIdx.x;
  between[i] = 2 * in[i];  // THERE
  ASM("griddepcontrol.launch_dependents;" ::);
}
extern "C" __global__ void second(const int *between, int *out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i % 128 < 32) ASM("griddepcontrol.wait;" ::);
  if (FAULT) __syncwarp();
  else __syncthreads();
  out[i] = between[255 - i];  // HERE
}]],
    run = chain, report = GRID, reported = true, tells = "other agents object",
  },
  {
    name = "tells others by a barrier object, without having waited for the grid before",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#griddepcontrol",
    source = [[
#include "hopper.h"
extern "C" __global__ void first(const int *in, int *between) {
  int i = blockIdx.x * 128 + threadIdx.x;
  between[i] = 2 * in[i];  // THERE
  ASM("griddepcontrol.launch_dependents;" ::);
}
extern "C" __global__ void second(const int *between, int *out) {
  __shared__ u64 ready;
  int i = blockIdx.x * 128 + threadIdx.x;
  if (threadIdx.x == 0) init(&ready, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    if (!FAULT) ASM("griddepcontrol.wait;" ::);
    arrive(&ready);
  }
  wait(&ready, 0);
  out[i] = between[255 - i];  // HERE
}]],
    run = chain, report = GRID, reported = true, tells = "other agents object",
  },
  {
    name = "tells others by a named barrier, without having waited for the grid before",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#griddepcontrol",
    source = [[
#include "hopper.h"
extern "C" __global__ void first(const int *in, int *between) {
  int i = blockIdx.x * 128 + threadIdx.x;
  between[i] = 2 * in[i];  // THERE
  ASM("griddepcontrol.launch_dependents;" ::);
}
extern "C" __global__ void second(const int *between, int *out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (threadIdx.x < 32) {
    if (!FAULT) ASM("griddepcontrol.wait;" ::);
    pass(1, 128);
  } else {
    sync(1, 128);
  }
  out[i] = between[255 - i];  // HERE
}]],
    run = chain, report = GRID, reported = true, tells = "other agents object",
  },
  {
    name = "adds to what the grid before writes",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#griddepcontrol",
    source = [[
#include "hopper.h"
extern "C" __global__ void first(const int *in, int *between) {
  int i = blockIdx.x * 128 + threadIdx.x;
  between[i] = in[i];  // THERE
  if (!FAULT) __threadfence();
  ASM("griddepcontrol.launch_dependents;" ::);
}
extern "C" __global__ void second(int *between, int *out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  atomicAdd(between + i, 1);  // HERE
  ASM("griddepcontrol.wait;" ::);
  atomicAdd(between + i, atomicSub(between + i, 1) - 1);
  out[i] = ((volatile const int *)between)[i];
}]],
    run = function(kernels, t)
      local x, between = t.integers(256, 1000), t.poisoned(256, "int32")
      local y = t.poisoned(256, "int32")
      kernels.first({ grid = 2, block = 128 }, t.cuda.array(x, "int32"), between)
      kernels.second({ grid = 2, block = 128, programmatic = true }, between, y)
      t.same(t.list(256, function(i) return 2 * x[i] end), y)
    end,
    report = GRID, reported = true, tells = "other agents object",
  },
  {
    name = "reads what the grid before adds to",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#griddepcontrol",
    source = [[
#include "hopper.h"
extern "C" __global__ void first(const int *in, int *between) {
  ASM("griddepcontrol.launch_dependents;" ::);
  int i = blockIdx.x * 128 + threadIdx.x;
  atomicAdd(between + i, 2 * in[i] + 1);  // THERE
}
extern "C" __global__ void second(const int *between, int *out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (!FAULT) ASM("griddepcontrol.wait;" ::);
  out[i] = between[255 - i];  // HERE
}]],
    run = chain, report = GRID, reported = true, tells = "other agents object",
    says = "without a wait (griddepcontrol.wait) for the grid before, after its atomic at "
      .. "<source>:",
  },
  {
    name = "writes what the grid before reads when it has let the next one begin",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#griddepcontrol",
    source = [[
#include "hopper.h"
extern "C" __global__ void first(int *x, int *out) {
  int i = blockIdx.x * 128 + threadIdx.x, v = 0;
  if (!FAULT) v = x[i];
  ASM("griddepcontrol.launch_dependents;" ::);
  if (FAULT) v = x[i];  // THERE
  out[i] = 2 * v;
}
extern "C" __global__ void second(int *x, int *other) {
  int i = blockIdx.x * 128 + threadIdx.x;
  x[i] = 0;  // HERE
  other[i] = 1;
}]],
    run = function(kernels, t)
      local x, y, z = t.integers(256, 1000), t.poisoned(256, "int32"), t.poisoned(256, "int32")
      local a = t.cuda.array(x, "int32")
      kernels.first({ grid = 2, block = 128 }, a, y)
      kernels.second({ grid = 2, block = 128, programmatic = true }, a, z)
      t.same(t.list(256, function(i) return 2 * x[i] end), y)
    end,
    report = GRID, reported = true, tells = "other agents object",
  },
}
