-- The life of a barrier object, and its counts of arrivals.
local HANG = require "spec.support.async".HANG

-- Threads exchange whole numbers by a barrier object.
local function mirrored(kernels, t)
  local x, y = t.integers(128, 1000), t.poisoned(128, "int32")
  kernels.k({ grid = 1, block = 128 }, t.cuda.array(x, "int32"), y)
  t.same(t.list(128, function(i) return x[129 - i] end), y)
end

-- The sums of two tiles.
local function summed(kernels, t)
  local x, y = t.integers(256, 1000), t.poisoned(128, "int32")
  kernels.k({ grid = 1, block = 128 }, t.cuda.array(x, "int32"), y)
  t.same(t.list(128, function(i) return x[129 - i] + x[257 - i] end), y)
end

local function report(kind)
  return { kind = kind, agents = { "thread" }, object = "mbarrier" }
end

return {
  {
    name = "more arrivals than the phase counts",
    from = "https://github.com/triton-lang/triton/pull/8285",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, FAULT ? 127 : 128);
    init_fence();
  }
  __syncthreads();
  s[i] = in[i];  // HERE
  arrive(&bar);  // HERE
  wait(&bar, 0);
  out[i] = s[127 - i];  // HERE
}]],
    run = mirrored, report = report { "barrier", "race", "uninitialized" },
    reported = true, tells = "other agents",
  },
  {
    name = "fewer arrivals than the phase counts",
    from = "https://github.com/NVIDIA/cutlass/issues/2404",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, FAULT ? 129 : 128);
    init_fence();
  }
  __syncthreads();
  s[i] = in[i];
  arrive(&bar);
  wait(&bar, 0);  // HERE
  out[i] = s[127 - i];
}]],
    run = mirrored, report = report(HANG), reported = true, tells = "agents object",
  },
  {
    name = "arrives before the init",
    from = "https://github.com/triton-lang/triton/pull/11244",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (!FAULT && i == 0) {
    init(&bar, 128);
    init_fence();
  }
  __syncthreads();
  s[i] = in[i];
  arrive(&bar);  // HERE
  if (!FAULT) wait(&bar, 0);
  __syncthreads();
  out[i] = s[127 - i];
}]],
    run = mirrored, report = report "barrier", reported = true, tells = "agents object",
  },
  {
    name = "arrives without a barrier after the init",
    from = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/#asynchronous-barrier",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 128);  // THERE
    if (!FAULT) init_fence();
  }
  if (!FAULT) __syncthreads();
  s[i] = in[i];
  arrive(&bar);  // HERE
  wait(&bar, 0);
  out[i] = s[127 - i];
}]],
    run = mirrored, report = report { "race", "barrier" }, reported = true,
    tells = "other agents object",
  },
  {
    name = "arrives without a barrier after the init and its fence",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 128);  // THERE
    init_fence();
  }
  if (!FAULT) __syncthreads();
  s[i] = in[i];
  arrive(&bar);  // HERE
  wait(&bar, 0);
  out[i] = s[127 - i];
}]],
    run = mirrored, report = report { "race", "barrier" },
    reported = true, tells = "other agents object",
  },
  {
    name = "arrives after the object was invalidated",
    from = "https://github.com/triton-lang/triton/pull/11244",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 128);
    init_fence();
  }
  __syncthreads();
  if (FAULT && i == 0) inval(&bar);  // THERE
  __syncthreads();
  s[i] = in[i];
  arrive(&bar);  // HERE
  wait(&bar, 0);
  __syncthreads();
  if (!FAULT && i == 0) inval(&bar);
  out[i] = s[127 - i];
}]],
    run = mirrored, report = report "barrier", reported = true, tells = "agents object",
  },
  {
    name = "invalidates while a copy is to complete on it",
    from = "https://github.com/triton-lang/triton/pull/11244",
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
    if (FAULT) inval(&bar);  // HERE
    else wait(&bar, 0);
  }
  __syncthreads();
  out[i] = s[127 - i];
}]],
    run = mirrored,
    report = { kind = { "barrier", "race" }, agents = { "thread", "copy engine" },
      object = "mbarrier" },
    reported = true, tells = "other agents object",
    says = "barrier: mbarrier.inval of the barrier object (mbarrier) at offset 0x200 of shared "
      .. "memory (byte 0 of `bar`), at which a copy in flight is to complete: the bulk copy at "
      .. "<source>:",
  },
  {
    name = "all threads initialize one object",
    from = "https://github.com/NVIDIA/Fuser/pull/1990",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (FAULT || i == 0) {
    init(&bar, 128);  // HERE
    init_fence();
  }
  __syncthreads();
  s[i] = in[i];
  arrive(&bar);
  wait(&bar, 0);
  out[i] = s[127 - i];
}]],
    run = mirrored, report = report { "barrier", "race" }, reported = true,
    tells = "other agents object",
    says = "barrier: initialization of the barrier object (mbarrier) at offset 0x200 of shared "
      .. "memory (byte 0 of `bar`), without mbarrier.inval since the init at <source>:7 by thread "
      .. "(0,0,0) of the same block, at <source>:7",
  },
  {
    name = "initializes a live object in a loop",
    from = "https://sweetapi.com/biondizzle/nvfp4-megamoe-kernel",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x, sum = 0;
  for (int tile = 0; tile < 2; tile++) {
    if (i == 0) {
      init(&bar, 1);  // HERE
      init_fence();
      expect(&bar, 512);
      bulk_load(s, in + tile * 128, 512, &bar);
    }
    __syncthreads();
    wait(&bar, 0);
    sum += s[127 - i];
    proxy_fence();
    __syncthreads();
    if (!FAULT && i == 0) inval(&bar);
  }
  out[i] = sum;
}]],
    run = summed, report = report "barrier", reported = true, tells = "other agents object",
  },
  {
    name = "data overlap the object",
    from = "https://github.com/triton-lang/triton/pull/11244",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(16) int s[132];
  u64 *bar = (u64 *)(s + 128);
  int i = threadIdx.x;
  if (i == 0) {
    init(bar, 128);  // THERE
    init_fence();
  }
  __syncthreads();
  for (int j = i; j < 128 + FAULT; j += 128) s[j] = 0;  // HERE
  __syncthreads();
  s[i] = in[i];
  arrive(bar);
  if (!FAULT) wait(bar, 0);
  __syncthreads();
  out[i] = s[127 - i];
}]],
    run = mirrored, report = report { "barrier", "race" }, reported = true, tells = "agents object",
    says = "barrier: write of the shared byte at offset 0x200 (byte 512 of `s`), which is in a "
      .. "barrier object (mbarrier) that is in use, at <source>:",
  },
  {
    name = "waits for a phase two phases ago",
    from = "https://github.com/triton-lang/triton/pull/8285",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar, taken;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 64);
    init(&taken, 64);
    init_fence();
  }
  __syncthreads();
  if (i < 64) {
    s[i] = in[i];
    arrive(&bar);
    if (!FAULT) wait(&taken, 0);
    s[64 + i] = in[64 + i];
    arrive(&bar);
    if (!FAULT) wait(&bar, 1);
  } else {
    if (FAULT) __nanosleep(100000);
    wait(&bar, 0);  // HERE
    int v = s[127 - i];
    arrive(&taken);
    wait(&bar, 1);
    out[127 - i] = s[127 + 64 - i];
    out[i] = v;
  }
}]],
    run = function(kernels, t)
      local x, y = t.integers(128, 1000), t.poisoned(128, "int32")
      kernels.k({ grid = 1, block = 128 }, t.cuda.array(x, "int32"), y)
      t.same(t.list(128, function(i) return i > 64 and x[129 - i] or x[i + 64] end), y)
    end,
    report = report(HANG), reported = true, tells = "agents object",
  },
  {
    name = "two groups wait for each other",
    from = "https://github.com/triton-lang/triton/pull/8285",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 low, high;
  int i = threadIdx.x;
  if (i == 0) {
    init(&low, 64);
    init(&high, 64);
    init_fence();
  }
  __syncthreads();
  s[i] = in[i];
  if (i < 64) {
    if (!FAULT) arrive(&low);
    wait(&high, 0);  // HERE
    if (FAULT) arrive(&low);
  } else {
    wait(&low, 0);  // HERE
    arrive(&high);
  }
  if (i < 64) out[i] = s[127 - i];
  else out[i] = s[127 - i];
}]],
    run = mirrored, report = report(HANG), reported = true, tells = "agents object",
  },
  {
    name = "more bytes complete than a barrier object can count",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 128);
    init_fence();
  }
  __syncthreads();
  s[i] = in[i];
  if (i == 0 && FAULT) {
    for (int n = 0; n < 2; n++) expect_only(&bar, 1 << 19);  // HERE
  }
  arrive(&bar);
  wait(&bar, 0);
  out[i] = s[127 - i];
}]],
    run = mirrored, report = report "barrier", reported = true, tells = "agents object",
  },
  {
    name = "waits with the number of the phase as parity",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(int *out) {
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    init(&bar, 128);
    init_fence();
  }
  __syncthreads();
  for (int phase = 0; phase < 4; phase++) {
    arrive(&bar);
    wait(&bar, FAULT ? phase : phase & 1);  // HERE
  }
  out[threadIdx.x] = threadIdx.x;
}]],
    run = function(kernels, t)
      local y = t.poisoned(128, "int32")
      kernels.k({ grid = 1, block = 128 }, y)
      t.same(t.list(128, function(i) return i - 1 end), y)
    end,
    report = { kind = "barrier", agents = { "thread" }, object = "mbarrier" },
    reported = true, tells = "agents object",
    says = "barrier: wait with a parity that is neither 0 nor 1 for the barrier object (mbarrier) "
      .. "at offset 0x0 of shared memory (byte 0 of `bar`) at <source>:",
  },
}
