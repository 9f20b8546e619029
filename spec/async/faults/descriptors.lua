-- Descriptors of matrices for wgmma, tensor maps and the addresses of bulk copies.
local async = require "spec.support.async"

local function multiplied(kernels, t)
  local tile, a, b = async.tile(t)
  local y = t.poisoned(512, "float32")
  kernels.k({ grid = 1, block = 128 }, t.cuda.array(tile, "float16"), y)
  t.same(async.add_product({}, a, b), y)
end

-- A product of tiles of 64 values along k, which tensor maps with a swizzle of 128 bytes bring.
local function swizzled(kernels, t)
  local function matrix(rows)
    local m = t.list(rows, function()
      return t.list(64, function() return t.random(5) - 2 end)
    end)
    return m, t.cuda.array(m, "float16")
  end
  local a, da = matrix(64)
  local b, db = matrix(8)
  local y = t.poisoned({ 64, 8 }, "float32")
  local function map(x, rows) return t.cuda.tensor_map(x, { box = { rows, 64 }, swizzle = 128 }) end
  kernels.k({ grid = 1, block = 128 }, map(da, 64), map(db, 8), y)
  t.same(t.list(64, function(r)
    return t.list(8, function(c)
      local sum = 0
      for k = 1, 64 do sum = sum + a[r][k] * b[c][k] end
      return sum
    end)
  end), y)
end

-- A box of 4 rows of 32 whole numbers, from the column `first`.
local function boxed(kernels, t)
  local x = t.list(4, function() return t.integers(64, 1000) end)
  local a, y = t.cuda.array(x, "int32"), t.poisoned(128, "int32")
  kernels.k({ grid = 1, block = 128 }, t.cuda.tensor_map(a, { box = { 4, 32 } }), y)
  t.same(t.list(128, function(i) return x[(i - 1) // 32 + 1][(i - 1) % 32 + 5] end), y)
end

local function mirrored(kernels, t)
  local x, y = t.integers(256, 1000), t.poisoned(128, "int32")
  kernels.k({ grid = 1, block = 128 }, t.cuda.array(x, "int32"), y)
  t.same(t.list(128, function(i) return x[129 - i] end), y)
end

local function report(kind, agent, object)
  return { kind = kind, agents = { agent }, object = object }
end

return {
  {
    name = "offsets in bytes, not in units of 16 bytes",
    from = "https://github.com/tile-ai/tilelang/pull/813",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[TILE];
  float d[4] = {};
  pin(d);
  bring(s, in);
  proxy_fence();
  __syncthreads();
  int unit = FAULT ? 16 : 1;
  mma_fence();
  Mma<8>::f16(d, matrix(at(s), 0, 256 * unit, 128 * unit), b_of(s));  // HERE
  mma_commit();
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = multiplied, report = report("out of bounds", "tensor core", "descriptor"),
    reported = true, tells = "",
  },
  {
    name = "a stride that leads past the tile",
    from = "https://github.com/KnowingNothing/MatmulTutorial/issues/10",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[2 * TILE];
  float d[4] = {};
  pin(d);
  bring(s, in);
  proxy_fence();
  __syncthreads();
  mma_fence();
  Mma<8>::f16(d, matrix(at(s), 0, FAULT ? 512 : 256, 128), b_of(s));  // HERE
  mma_commit();
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = multiplied, report = report("uninitialized", "tensor core", "descriptor"),
    reported = true, tells = "",
  },
  {
    name = "leading and stride offset exchanged",
    from = "https://github.com/NVIDIA/Fuser/pull/1501",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[TILE];
  float d[4] = {};
  pin(d);
  bring(s, in);
  proxy_fence();
  __syncthreads();
  mma_fence();
  Mma<8>::f16(d, matrix(at(s), 0, FAULT ? 128 : 256, FAULT ? 256 : 128), b_of(s));  // HERE
  mma_commit();
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = multiplied, report = report("layout", "tensor core", "descriptor"), reported = false,
  },
  {
    name = "another swizzle than that of the tensor map",
    from = "https://github.com/KnowingNothing/MatmulTutorial/issues/14",
    source = [[
#include "small.h"
extern "C" __global__ void k(const __grid_constant__ Map a, const __grid_constant__ Map b,
                             float *out) {
  __shared__ alignas(1024) byte s[9216];
  __shared__ u64 bar;
  float d[4] = {};
  pin(d);
  if (threadIdx.x == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, 9216);
    load(s, &a, 0, 0, &bar);  // THERE
    load(s + 8192, &b, 0, 0, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  mma_fence();
  u64 tile = matrix(at(s), FAULT ? 0 : 128, 1024, 16);
  for (int i = 0; i < 4; i++) Mma<8>::f16(d, tile + 2 * i, rows(s + 8192) + 2 * i);  // HERE
  mma_commit();
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = swizzled, report = report("layout", "tensor core", "descriptor"), reported = true,
    tells = "other object",
    says = "layout: read of the shared byte at offset 0x1800 (byte 6144 of `s`), through a "
      .. "descriptor with another swizzle than the tensor map of the bulk copy at <source>:",
  },
  {
    name = "a descriptor that ends before the tile does",
    from = "https://github.com/KnowingNothing/MatmulTutorial/issues/10",
    source = [[
#include "small.h"
extern "C" __global__ void k(const __grid_constant__ Map a, const __grid_constant__ Map b,
                             float *out) {
  __shared__ alignas(1024) byte s[9216];
  __shared__ u64 bar;
  float d[4] = {};
  pin(d);
  if (threadIdx.x == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, 9216);
    load(s, &a, 0, 0, &bar);
    load(s + 8192, &b, 0, 0, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  mma_fence();
  u64 tile = matrix(at(s), 128, FAULT ? 64 : 1024, 16);
  for (int i = 0; i < 4; i++) Mma<8>::f16(d, tile + 2 * i, rows(s + 8192) + 2 * i);  // HERE
  mma_commit();
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = swizzled, report = report("layout", "tensor core", "descriptor"), reported = false,
  },
  {
    name = "a coordinate that is no multiple of 16 bytes",
    from = "https://github.com/triton-lang/triton/issues/7385",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const __grid_constant__ Map map, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, 512);
    load(s, &map, FAULT ? 5 : 4, 0, &bar);  // HERE
  }
  __syncthreads();
  wait(&bar, 0);
  out[i] = s[i];
}]],
    run = boxed, report = report("misaligned", "copy engine", "tensor map"), reported = true,
    tells = "",
  },
  {
    name = "a store that begins outside the tensor",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#tensor-tiled-mode",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, const __grid_constant__ Map map) {
  __shared__ alignas(128) int s[128];
  int i = threadIdx.x;
  s[i] = in[127 - i];
  proxy_fence();
  __syncthreads();
  if (i == 0) {
    store(&map, 0, FAULT ? -1 : 0, s);  // HERE
    commit();
    stored<0>();
  }
}]],
    run = function(kernels, t)
      local x, y = t.integers(128, 1000), t.poisoned({ 4, 32 }, "int32")
      kernels.k({ grid = 1, block = 128 }, t.cuda.array(x, "int32"),
        t.cuda.tensor_map(y, { box = { 4, 32 } }))
      t.cuda.synchronize()
      t.same(t.list(128, function(i) return x[129 - i] end), y:reshape(128))
    end,
    report = report("out of bounds", "copy engine", "tensor map"), reported = true, tells = "",
  },
  {
    name = "a box in shared memory that is not aligned to 128 bytes",
    from = "https://github.com/NVIDIA/Fuser/pull/3023",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const __grid_constant__ Map map, int *out) {
  __shared__ alignas(128) int s[160];
  __shared__ u64 bar;
  int i = threadIdx.x, first = FAULT ? 4 : 0;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, 512);
    load(s + first, &map, 4, 0, &bar);  // HERE
  }
  __syncthreads();
  wait(&bar, 0);
  out[i] = s[first + i];
}]],
    run = boxed, report = report("misaligned", "copy engine", "tensor map"), reported = true,
    tells = "",
  },
  {
    name = "a bulk copy from an address that is no multiple of 16 bytes",
    from = "https://github.com/tile-ai/tilelang/issues/2528",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, 512);
    bulk_load(s, in + FAULT, 512, &bar);  // HERE
  }
  __syncthreads();
  wait(&bar, 0);
  out[i] = s[127 - i];
}]],
    run = mirrored, report = report("misaligned", "copy engine", "bulk"), reported = true,
    tells = "",
  },
  {
    name = "a bulk copy past the end of an array",
    from = "https://docs.nvidia.com/compute-sanitizer/ComputeSanitizer/index.html#memcheck-tool",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, 512);
    bulk_load(s, in + (FAULT ? 192 : 0), 512, &bar);  // HERE
  }
  __syncthreads();
  wait(&bar, 0);
  out[i] = s[127 - i];
}]],
    run = mirrored, report = report("out of bounds", "copy engine", "bulk"), reported = true,
    tells = "",
  },
}
