-- Bulk copies to shared memory, which complete on a barrier object that counts bytes.
local HANG = require "spec.support.async".HANG

-- The sums of pairs, of 128 whole numbers.
local function mirrored(kernels, t)
  local x, y = t.integers(128, 1000), t.poisoned(128, "int32")
  kernels.k({ grid = 1, block = 128 }, t.cuda.array(x, "int32"), y)
  t.same(t.list(128, function(i) return x[i] + x[129 - i] end), y)
end

-- The same of two arrays.
local function both(kernels, t)
  local a, b, y = t.integers(128, 1000), t.integers(128, 1000), t.poisoned(128, "int32")
  kernels.k({ grid = 1, block = 128 }, t.cuda.array(a, "int32"), t.cuda.array(b, "int32"), y)
  t.same(t.list(128, function(i) return a[129 - i] + b[129 - i] end), y)
end

local BYTES = { agents = { "thread", "copy engine" }, object = "mbarrier" }
local function report(kind)
  return { kind = kind, agents = BYTES.agents, object = BYTES.object }
end

return {
  {
    name = "does not wait for the barrier object",
    from = "https://github.com/triton-lang/triton/blob/main/python/test/gluon/test_consan.py",
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
    bulk_load(s, in, 512, &bar);  // THERE
  }
  __syncthreads();
  if (!FAULT) wait(&bar, 0);
  out[i] = s[i] + s[127 - i];  // HERE
}]],
    run = mirrored, report = report "race", reported = true, tells = "other agents object",
    says = "race: read of 4 bytes at offset 0x7c of shared memory (byte 124 of `s`), without a "
      .. "wait (mbarrier.try_wait) for the bulk copy at <source>:",
  },
  {
    name = "waits for the phase before",
    from = "https://github.com/tile-ai/tilelang/pull/3087",
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
    bulk_load(s, in, 512, &bar);  // THERE
  }
  __syncthreads();
  wait(&bar, FAULT ? 1 : 0);  // HERE
  out[i] = s[i] + s[127 - i];  // HERE
}]],
    -- It passes while the copy is in flight, and never after that.
    run = mirrored, report = report { "race", "deadlock", "livelock" }, reported = true,
    tells = "other agents object",
  },
  {
    name = "one thread waits, and the others read without a barrier",
    from = "https://github.com/NVIDIA/Fuser/pull/4151",
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
    bulk_load(s, in, 512, &bar);  // THERE
  }
  __syncthreads();
  if (i == 127) wait(&bar, 0);
  if (!FAULT) __syncthreads();
  out[i] = s[i] + s[127 - i];  // HERE
}]],
    run = mirrored, report = report "race", reported = true, tells = "other agents object",
    says = "race: read of the shared byte at offset 0x7c (byte 124 of `s`), by a thread that has "
      .. "not waited (mbarrier.try_wait) for the bulk copy at <source>:",
  },
  {
    name = "expects too few bytes",
    from = "https://github.com/triton-lang/triton/pull/9046",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, FAULT ? 128 : 128 * sizeof(int));
    for (int part = 0; part < 4; part++)
      bulk_load(s + part * 32, in + part * 32, 128, &bar);  // HERE
  }
  __syncthreads();
  wait(&bar, 0);
  out[i] = s[i] + s[127 - i];  // HERE
}]],
    run = mirrored, report = report { "race", "barrier" }, reported = true,
    tells = "other agents object",
  },
  {
    name = "expects too many bytes",
    from = "https://github.com/triton-lang/triton/blob/main/python/test/gluon/test_consan.py",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, FAULT ? 512 + 16 : 512);
    bulk_load(s, in, 512, &bar);
  }
  __syncthreads();
  wait(&bar, 0);  // HERE
  out[i] = s[i] + s[127 - i];
}]],
    run = mirrored, report = report(HANG), reported = true, tells = "object",
  },
  {
    name = "expects no bytes",
    from = "https://sweetapi.com/biondizzle/nvfp4-megamoe-kernel",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    if (FAULT) arrive(&bar);
    else expect(&bar, 512);
    bulk_load(s, in, 512, &bar);  // HERE
  }
  __syncthreads();
  wait(&bar, 0);
  out[i] = s[i] + s[127 - i];  // HERE
}]],
    run = mirrored, report = report { "race", "barrier" }, reported = true,
    tells = "other agents object",
  },
  {
    name = "expects bytes without arriving",
    from = "https://github.com/tile-ai/tilelang/issues/2566",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    if (FAULT) expect_only(&bar, 512);
    else expect(&bar, 512);
    bulk_load(s, in, 512, &bar);
  }
  __syncthreads();
  wait(&bar, 0);  // HERE
  out[i] = s[i] + s[127 - i];
}]],
    run = mirrored, report = report(HANG), reported = true, tells = "object",
  },
  {
    name = "two copies on one barrier object, of which one is expected",
    from = "https://github.com/triton-lang/triton/pull/9046",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *a, const int *b, int *out) {
  __shared__ alignas(128) int sa[128], sb[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, FAULT ? sizeof sa : sizeof sa + sizeof sb);
    bulk_load(sa, a, sizeof sa, &bar);  // HERE
    bulk_load(sb, b, sizeof sb, &bar);  // HERE
  }
  __syncthreads();
  wait(&bar, 0);
  out[i] = sa[127 - i] + sb[127 - i];  // HERE
}]],
    run = both, report = report { "race", "barrier" }, reported = true,
    tells = "other agents object",
  },
  {
    name = "expects only the bytes of a box that are inside the tensor",
    from = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/#tensor-memory-access",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const __grid_constant__ Map map, int *out, int columns) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, FAULT ? 4 * columns * sizeof(int) : sizeof s);
    load(s, &map, 0, 0, &bar);  // HERE
  }
  __syncthreads();
  wait(&bar, 0);  // HERE
  out[i] = s[127 - i];  // HERE
}]],
    -- Boxes of 4 rows of 32, of a matrix of 20 columns.
    run = function(kernels, t)
      local x = t.list(4, function() return t.integers(20, 1000) end)
      local a, y = t.cuda.array(x, "int32"), t.poisoned(128, "int32")
      kernels.k({ grid = 1, block = 128 }, t.cuda.tensor_map(a, { box = { 4, 32 } }), y, 20)
      t.same(t.list(128, function(i) return x[(128 - i) // 32 + 1][(128 - i) % 32 + 1] or 0 end), y)
    end,
    report = report { "race", "barrier", "deadlock", "livelock" }, reported = true,
    tells = "object",
  },
  {
    name = "overwrites the source in global memory",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, 512);
    bulk_load(s, in, 512, &bar);  // THERE
  }
  __syncthreads();
  if (!FAULT) wait(&bar, 0);
  in[i] = -1;  // HERE
  wait(&bar, 0);
  out[i] = s[i] + s[127 - i];
}]],
    run = mirrored, report = report "race", reported = true, tells = "other agents object",
  },
  {
    name = "writes to the target in flight",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[256];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, 512);
    bulk_load(s, in, 512, &bar);  // THERE
  }
  __syncthreads();
  s[FAULT ? i : 128 + i] = 0;  // HERE
  wait(&bar, 0);
  __syncthreads();
  out[i] = s[i] + s[127 - i];
}]],
    run = mirrored, report = report "race", reported = true, tells = "other agents object",
  },
  {
    name = "two copies in flight write to one buffer",
    from = "https://github.com/triton-lang/triton/blob/main/python/test/gluon/test_consan.py",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *a, const int *b, int *out) {
  __shared__ alignas(128) int s[256];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, 1024);
    bulk_load(s, a, 512, &bar);  // THERE
    bulk_load(s + (FAULT ? 0 : 128), b, 512, &bar);  // HERE
  }
  __syncthreads();
  wait(&bar, 0);
  out[i] = s[127 - i] + s[FAULT ? 127 - i : 255 - i];
}]],
    run = both,
    report = { kind = "race", agents = { "copy engine" }, object = "mbarrier" },
    reported = true, tells = "other agents object",
  },
}
