-- Threads access memory through the generic proxy, the copy engine and the tensor cores through the
-- async proxy. Between the two there must be a proxy fence, in addition to barriers.
local async = require "spec.support.async"

local function mirrored(kernels, t)
  local x, y = t.integers(128, 1000), t.poisoned(128, "int32")
  kernels.k({ grid = 1, block = 128 }, t.cuda.array(x, "int32"), y)
  t.same(t.list(128, function(i) return x[129 - i] end), y)
end

local FENCE = { kind = "race", agents = { "async proxy", "generic proxy" }, object = "proxy fence" }

return {
  {
    name = "stores what threads wrote",
    from = "https://github.com/NVIDIA/Fuser/pull/1967",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  int i = threadIdx.x;
  s[127 - i] = in[i];  // THERE
  if (!FAULT) proxy_fence();
  __syncthreads();
  if (i == 0) {
    bulk_store(out, s, 512);  // HERE
    commit();
    stored<0>();
  }
}]],
    run = mirrored, report = FENCE, reported = true, tells = "other agents object",
    says = "race: read of the shared byte at offset 0x0 (byte 0 of `s`), through the async proxy, "
      .. "without a proxy fence (fence.proxy.async) after the write through the generic proxy at "
      .. "<source>:",
  },
  {
    name = "stores a tile of a tensor that threads wrote",
    from = "https://github.com/NVIDIA/Fuser/issues/4814",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, const __grid_constant__ Map out) {
  __shared__ alignas(128) int s[128];
  int i = threadIdx.x;
  s[127 - i] = in[i];  // THERE
  if (!FAULT) proxy_fence();
  __syncthreads();
  if (i == 0) {
    store(&out, 0, 0, s);  // HERE
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
    report = FENCE, reported = true, tells = "other agents object",
  },
  {
    name = "fences only in some of the threads that wrote",
    from = "https://github.com/MoonshotAI/FlashKDA/issues/24",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  int i = threadIdx.x;
  s[127 - i] = in[i];  // THERE
  if (!FAULT || i < 32) proxy_fence();
  __syncthreads();
  if (i == 0) {
    bulk_store(out, s, 512);  // HERE
    commit();
    stored<0>();
  }
}]],
    run = mirrored, report = FENCE, reported = true, tells = "other agents object",
    unsure = "thread 0 fences before the barrier; a fence of its own after it may be enough",
  },
  {
    name = "multiplies what threads wrote",
    from = "https://github.com/triton-lang/triton/pull/10668",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[TILE];
  float d[4] = {};
  pin(d);
  bring(s, in);  // THERE
  if (!FAULT) proxy_fence();
  __syncthreads();
  mma_fence();
  Mma<8>::f16(d, a_of(s), b_of(s));  // HERE
  mma_commit();
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = function(kernels, t)
      local tile, a, b = async.tile(t)
      local y = t.poisoned(512, "float32")
      kernels.k({ grid = 1, block = 128 }, t.cuda.array(tile, "float16"), y)
      t.same(async.add_product({}, a, b), y)
    end,
    report = FENCE, reported = true, tells = "other agents object",
  },
  {
    name = "copies over what threads wrote",
    from = "https://github.com/MoonshotAI/FlashKDA/issues/24",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  s[i] = -1;  // THERE
  if (!FAULT) proxy_fence();
  if (i == 0) {
    init(&bar, 1);
    init_fence();
  }
  __syncthreads();
  if (i == 0) {
    expect(&bar, 512);
    bulk_load(s, in, 512, &bar);  // HERE
  }
  wait(&bar, 0);
  out[i] = s[127 - i];
}]],
    run = mirrored, report = FENCE, reported = true, tells = "other agents object",
  },
  {
    name = "copies over what threads read",
    from = "https://github.com/NVIDIA/TransformerEngine/pull/2695",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x, sum = 0;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
  }
  __syncthreads();
  for (int tile = 0; tile < 4; tile++) {
    if (i == 0) {
      expect(&bar, 512);
      bulk_load(s, in + tile * 128, 512, &bar);  // HERE
    }
    wait(&bar, tile & 1);
    sum += s[127 - i];  // THERE
    if (!FAULT) proxy_fence();
    __syncthreads();
  }
  out[i] = sum;
}]],
    run = function(kernels, t)
      local x, y = t.integers(512, 1000), t.poisoned(128, "int32")
      kernels.k({ grid = 1, block = 128 }, t.cuda.array(x, "int32"), y)
      t.same(t.list(128, function(i)
        return x[129 - i] + x[257 - i] + x[385 - i] + x[513 - i]
      end), y)
    end,
    report = FENCE, reported = false,
    unsure = "the values were used before the barrier; libraries for Hopper do without the fence",
  },
  {
    name = "copies from global memory what threads wrote there",
    from = "https://github.com/deepseek-ai/DeepEP/pull/642",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  out[i] = in[127 - i] - 1;  // THERE
  if (!FAULT) proxy_fence();
  if (i == 0) {
    init(&bar, 1);
    init_fence();
  }
  __syncthreads();
  if (i == 0) {
    expect(&bar, 512);
    bulk_load(s, out, 512, &bar);  // HERE
  }
  wait(&bar, 0);
  out[i] = s[i] + 1;
}]],
    run = mirrored, report = FENCE, reported = true, tells = "other agents object",
  },
  {
    name = "copies with a barrier object whose init has no fence",
    from = "https://github.com/MoonshotAI/FlashKDA/issues/24",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);  // THERE
    if (!FAULT) init_fence();
  }
  __syncthreads();
  if (i == 0) {
    expect(&bar, 512);
    bulk_load(s, in, 512, &bar);  // HERE
  }
  wait(&bar, 0);
  out[i] = s[127 - i];
}]],
    run = mirrored,
    report = { kind = { "race", "barrier" }, agents = { "async proxy", "generic proxy" },
      object = "mbarrier" },
    reported = true, tells = "other agents object",
    unsure = "whether fence.mbarrier_init suffices for the async proxy, or fence.proxy.async; "
      .. "here both lack",
    says = "race: bulk copy with the barrier object (mbarrier) at offset 0x200 of shared memory "
      .. "(byte 0 of `bar`), through the async proxy, without a fence (fence.mbarrier_init) after "
      .. "its init through the generic proxy at <source>:",
  },
}
