-- Warp groups with roles: registers, named barriers, and which threads start copies.
local HANG = require "spec.support.async".HANG

-- Groups of 128 threads reverse their whole numbers.
local function reversed(groups, more)
  return function(kernels, t)
    local n = 128 * groups
    local x, y = t.integers(n, 1000), t.poisoned(n, "int32")
    kernels.k({ grid = 1, block = n + (more or 0) }, t.cuda.array(x, "int32"), y)
    t.same(t.list(n, function(i) return x[(i - 1) // 128 * 128 + 128 - (i - 1) % 128] end), y)
  end
end

local function report(kind, object, agents)
  return { kind = kind, agents = agents or { "thread" }, object = object }
end

return {
  {
    name = "asks for more registers than the block has",
    from = "https://github.com/tile-ai/tilelang/pull/2406",
    source = [[
#include "hopper.h"
extern "C" __global__ void __launch_bounds__(384, 1) k(const int *in, int *out) {
  __shared__ int s[384];
  int i = threadIdx.x;
  if (i < 128) few_registers();
  else if (FAULT) ASM("setmaxnreg.inc.sync.aligned.u32 240;" ::);  // HERE
  else many_registers();
  s[i] = in[i];
  sync(1 + i / 128, 128);
  out[i] = s[i / 128 * 128 + 127 - i % 128];
}]],
    run = reversed(3), report = report({ "deadlock", "livelock", "barrier" }, "registers"),
    reported = true, tells = "agents object",
  },
  {
    name = "asks for registers that nobody has released",
    from = "https://github.com/tile-ai/tilelang/issues/2559",
    source = [[
#include "hopper.h"
extern "C" __global__ void __launch_bounds__(384, 1) k(const int *in, int *out) {
  __shared__ int s[384];
  int i = threadIdx.x;
  if (i >= 128) many_registers();  // HERE
  else if (!FAULT) few_registers();
  s[i] = in[i];
  sync(1 + i / 128, 128);
  out[i] = s[i / 128 * 128 + 127 - i % 128];
}]],
    run = reversed(3), report = report({ "deadlock", "livelock", "barrier" }, "registers"),
    reported = true, tells = "agents object",
    says = "barrier: setmaxnreg asks for 59392 registers in all, and the 8 warps that ask have at "
      .. "most 43008: a block of 384 threads begins with at most 168 in each, at <source>:",
  },
  {
    name = "one warp of a warp group releases registers",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#setmaxnreg",
    source = [[
#include "hopper.h"
extern "C" __global__ void __launch_bounds__(384, 1) k(const int *in, int *out) {
  __shared__ int s[384];
  int i = threadIdx.x;
  if (i < (FAULT ? 32 : 128)) few_registers();  // HERE
  s[i] = in[i];
  sync(1 + i / 128, 128);
  out[i] = s[i / 128 * 128 + 127 - i % 128];
}]],
    run = reversed(3), report = report({ "barrier", "deadlock" }, "warp group"),
    reported = true, tells = "agents object",
    says = "barrier: the block has ended, and the warps of a warp group have executed setmaxnreg "
      .. "different numbers of times: warp 0 1, warp 1 0, at <source>:",
  },
  {
    name = "a named barrier counts more threads than come",
    from = "https://github.com/deepseek-ai/FlashMLA/pull/57",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[256];
  int i = threadIdx.x;
  s[i] = in[i];
  if (i < 128) {
    sync(1, FAULT ? 256 : 128);  // HERE
    out[i] = s[127 - i];
  } else {
    sync(2, 128);
    out[i] = s[128 + 255 - i];
  }
}]],
    run = reversed(2), report = report(HANG, "barrier"), reported = true, tells = "agents object",
  },
  {
    name = "a named barrier counts fewer threads than come",
    from = "https://github.com/Dao-AILab/flash-attention/issues/1389",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[256];
  int i = threadIdx.x;
  s[i] = in[i];  // HERE
  sync(1 + i / 128, FAULT ? 64 : 128);  // HERE
  out[i] = s[i / 128 * 128 + 127 - i % 128];  // HERE
}]],
    run = reversed(2), report = report({ "barrier", "race", "uninitialized" }, "barrier"),
    reported = true, tells = "agents",
  },
  {
    name = "two warp groups use one named barrier",
    from = "https://github.com/flashinfer-ai/flashinfer/pull/4533",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[256];
  int i = threadIdx.x;
  s[i] = in[i];  // HERE
  sync(FAULT ? 1 : 1 + i / 128, 128);  // HERE
  out[i] = s[i / 128 * 128 + 127 - i % 128];  // HERE
}]],
    run = reversed(2), report = report({ "barrier", "race" }, "barrier"),
    reported = true, tells = "other agents object",
    says = "barrier: arrival at barrier 1, which nothing orders after the latest time that others "
      .. "waited there: it might have counted for them, too, at <source>:",
  },
  {
    name = "the count of bar.arrive differs from that of bar.sync",
    from = "https://github.com/Dao-AILab/flash-attention/issues/1370",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[256];
  int i = threadIdx.x;
  if (i < 128) {
    for (int j = i; j < 256; j += 128) s[j] = in[j];
    __threadfence_block();
    pass(1, FAULT ? 128 : 256);  // HERE
    sync(2, 128);
  } else {
    sync(1, 256);  // HERE
  }
  out[i] = s[i / 128 * 128 + 127 - i % 128];
}]],
    run = reversed(2), report = report({ "barrier", "deadlock" }, "barrier"), reported = true,
    tells = "agents object",
  },
  {
    name = "waits at a named barrier whose other half goes to another one",
    from = "https://github.com/tile-ai/tilelang/pull/605",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[256];
  int i = threadIdx.x;
  if (i < 128) {
    for (int j = i; j < 256; j += 128) s[j] = in[j];
    __threadfence_block();
    pass(FAULT ? 3 : 1, 256);
    sync(2, 128);
  } else {
    sync(1, 256);  // HERE
  }
  out[i] = s[i / 128 * 128 + 127 - i % 128];
}]],
    run = reversed(2), report = report(HANG, "barrier"), reported = true, tells = "agents object",
  },
  {
    name = "a role waits for the whole block",
    from = "https://github.com/triton-lang/triton/pull/9786",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 full, read;
  int i = threadIdx.x;
  if (i == 0) {
    init(&full, 1);
    init(&read, 128);
    init_fence();
  }
  __syncthreads();
  if (i >= 128) {
    if (i == 128) {
      expect(&full, 512);
      bulk_load(s, in, 512, &full);
      wait(&read, 0);  // HERE
    }
  } else {
    wait(&full, 0);
    int v = s[127 - i];
    if (FAULT) __syncthreads();  // HERE
    else sync(1, 128);
    arrive(&read);
    out[i] = v;
  }
}]],
    run = reversed(1, 32), report = report({ "deadlock", "livelock", "barrier" }, "barrier"),
    reported = true, tells = "agents object",
  },
  {
    name = "two threads start the copy that one expects",
    from = "https://github.com/facebookexperimental/triton/pull/26",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
  }
  __syncthreads();
  bool leader = i < 32 && elect();
  if (leader) expect(&bar, 512);
  if (leader || FAULT && i == 32) bulk_load(s, in, 512, &bar);  // HERE
  __syncwarp();
  wait(&bar, 0);
  out[i] = s[127 - i];  // HERE
}]],
    run = reversed(1),
    report = report({ "race", "barrier" }, "mbarrier", { "copy engine" }), reported = true,
    tells = "other agents object",
  },
  {
    name = "each warp elects a thread that starts the copy",
    from = "https://github.com/facebookexperimental/triton/pull/26",
    source = [[
#include "hopper.h"
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
  }
  __syncthreads();
  if ((FAULT || i < 32) && elect()) {
    expect(&bar, 512);  // HERE
    bulk_load(s, in, 512, &bar);  // HERE
  }
  __syncwarp();
  wait(&bar, 0);
  out[i] = s[127 - i];  // HERE
}]],
    run = reversed(1),
    report = report({ "barrier", "race" }, "mbarrier", { "thread" }), reported = true,
    tells = "other agents object",
  },
}
