-- Code compiled with `debug`, where atomics are calls of functions: LUACUDA_CPU_CHECK=all finds and
-- accepts there what it does in other code.
local planted = require "spec.support.planted"

local SOURCE = [[
typedef unsigned long long u64;
__device__ double add(double *p, double v) {  // as in the CUDA C++ programming guide
  u64 *a = (u64 *)p, old = *a, assumed;
  do {
    assumed = old;
    old = atomicCAS(a, assumed, __double_as_longlong(v + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
__device__ void raise(int *p, int v) {
  int old = *p;
  while (v > old) {
    int was = old;
    old = atomicCAS(p, was, v);
    if (old == was) break;
  }
}
__device__ int swap_if(int *p, int was, int v) { return atomicCAS(p, was, v); }
#define KERNEL(name) __global__ void name(double *d, int *p)
#define SHARED __shared__ double s; if (threadIdx.x == 0) s = 0; __syncthreads()
KERNEL(adds) { add(d, threadIdx.x); }
KERNEL(adds_shared) { SHARED; add(&s, 1); __syncthreads(); if (threadIdx.x == 0) *d = s; }
KERNEL(raises) { raise(p, threadIdx.x); }
KERNEL(swaps) { int old = *p; while (swap_if(p, old, old + 1) != old) old = atomicAdd(p, 0); }
KERNEL(counts) { atomicAdd(p + threadIdx.x % 4, 1); }
KERNEL(looks) { if (*p == 0) atomicCAS(p, 0, 1); }
KERNEL(reads) { atomicAdd(p, 1); p[1 + threadIdx.x] = *p; }
KERNEL(reads_shared) { SHARED; add(&s, 1); d[threadIdx.x] = s; }
KERNEL(stores) { atomicMax(p, 3); if (threadIdx.x == 40) *p = 4; }
]]

local CODE = [[
  m = cuda.module(source, { debug = DEBUG })
  local names = "adds adds_shared raises swaps counts looks reads reads_shared stores"
  for name in names:gmatch "%S+" do
    launch(name, { grid = 1, block = 64 }, cuda.zeros(64, "float64"), cuda.zeros(80, "int32"))
  end
]]

describe("all checks of the CPU device", function()
  for _, debug in ipairs { "false", "true" } do
    it("follow atomics, debug = " .. debug, function()
      planted.check({ "none", "none", "none", "none", "none", "race:26", "race:27", "race:28",
        "race:29" }, planted.faults(SOURCE, (CODE:gsub("DEBUG", debug))))
    end)
  end
end)
