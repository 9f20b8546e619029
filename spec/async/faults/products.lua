-- Products by wgmma: what orders the tensor cores' accesses to registers and to shared memory.
local async = require "spec.support.async"

-- `tiles` products, added up.
local function check(tiles, block)
  return function(kernels, t)
    local list, sums = {}, {}
    for _ = 1, tiles do
      local tile, a, b = async.tile(t)
      table.move(tile, 1, #tile, #list + 1, list)
      async.add_product(sums, a, b)
    end
    local y = t.poisoned(512, "float32")
    kernels.k({ grid = 1, block = block or 128 }, t.cuda.array(list, "float16"), y)
    t.same(sums, y)
  end
end

local SUMS = { kind = "race", agents = { "thread", "tensor core" }, object = "group" }
local WRITTEN = { kind = "race", agents = { "thread", "tensor core" }, object = "barrier" }
local REGISTERS = { kind = "race", agents = { "thread", "tensor core" }, object = "registers" }

return {
  {
    name = "reads the sums before the wait",
    from = "https://github.com/triton-lang/triton/pull/8964",
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
  Mma<8>::f16(d, a_of(s), b_of(s));  // THERE
  mma_commit();
  if (!FAULT) mma_wait<0>();
  pin(d);  // HERE
  put(out, d);  // HERE
  mma_wait<0>();
}]],
    run = check(1), report = SUMS, reported = true, tells = "other agents object",
  },
  {
    name = "waits for the products before the last one",
    from = "https://github.com/NVIDIA/cutlass/issues/1852",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[2 * TILE];
  float d[4] = {};
  pin(d);
  bring(s, in);
  bring(s + TILE, (const byte *)in + TILE);
  proxy_fence();
  __syncthreads();
  mma_fence();
  Mma<8>::f16(d, a_of(s), b_of(s));
  mma_commit();
  Mma<8>::f16(d, a_of(s + TILE), b_of(s + TILE));  // THERE
  mma_commit();
  mma_wait<FAULT>();
  pin(d);  // HERE
  put(out, d);  // HERE
  mma_wait<0>();
}]],
    run = check(2), report = SUMS, reported = true, tells = "other agents object",
  },
  {
    name = "waits for a product that it has not committed",
    from = "https://github.com/NVIDIA/Fuser/issues/3561",
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
  Mma<8>::f16(d, a_of(s), b_of(s));  // THERE
  if (!FAULT) mma_commit();
  mma_wait<0>();
  pin(d);  // HERE
  put(out, d);  // HERE
}]],
    run = check(1), report = SUMS, reported = true, tells = "other agents object",
  },
  {
    name = "multiplies without a fence after it has set the sums",
    from = "https://github.com/NVIDIA/Fuser/pull/3680",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[TILE];
  float d[4] = {};
  pin(d);
  bring(s, in);
  proxy_fence();
  __syncthreads();
  if (!FAULT) mma_fence();
  Mma<8>::f16(d, a_of(s), b_of(s));  // HERE
  mma_commit();
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = check(1), report = REGISTERS, reported = true, tells = "agents",
  },
  {
    name = "multiplies without any fence, onto sums that nothing has set",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[TILE];
  float d[4];
  bring(s, in);
  proxy_fence();
  __syncthreads();
  if (!FAULT) mma_fence();
  Mma<8>::f16(d, a_of(s), b_of(s), 0);  // HERE
  mma_commit();
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = check(1), report = REGISTERS, reported = true, tells = "agents object",
    says = "race: first product of the tensor cores by a warp that has not fenced its registers "
      .. "(wgmma.fence), at <source>:",
  },
  {
    name = "multiplies without a fence after it has changed the sums",
    from = "https://github.com/NVIDIA/Fuser/pull/3139",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[2 * TILE];
  float d[4] = {};
  pin(d);
  bring(s, in);
  bring(s + TILE, (const byte *)in + TILE);
  proxy_fence();
  __syncthreads();
  mma_fence();
  Mma<8>::f16(d, a_of(s), b_of(s));
  mma_commit();
  mma_wait<0>();
  pin(d);
  for (int i = 0; i < 4; i++) d[i] *= 2;
  for (int i = 0; i < 4; i++) d[i] *= 0.5f;
  pin(d);  // THERE
  if (!FAULT) mma_fence();
  Mma<8>::f16(d, a_of(s + TILE), b_of(s + TILE));  // HERE
  mma_commit();
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = check(2), report = REGISTERS, reported = true, tells = "agents",
  },
  {
    name = "changes sums in flight",
    from = "https://github.com/NVIDIA/TensorRT-LLM/issues/2116",
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
  Mma<8>::f16(d, a_of(s), b_of(s));  // THERE
  mma_commit();
  if (!FAULT) mma_wait<0>();
  for (int i = 0; i < 4; i++) ASM("neg.f32 %0, %0;" : "+f"(d[i]) :);  // HERE
  mma_wait<0>();
  for (int i = 0; i < 4; i++) d[i] = -d[i];
  put(out, d);
}]],
    run = check(1), report = SUMS, reported = true, tells = "other agents object",
  },
  {
    name = "overwrites registers of a in flight",
    from = "https://github.com/triton-lang/triton/pull/8964",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[TILE];
  float d[4] = {};
  pin(d);
  u32 a[4];
  bring(s, in);
  proxy_fence();
  __syncthreads();
  // Rows l / 4 and l / 4 + 8 of the warp's 16, words l % 4 and l % 4 + 4.
  for (int i = 0; i < 4; i++) {
    int row = sum_row() + i % 2 * 8, word = sum_column() / 2;
    a[i] = *(u32 *)(s + row / 8 * 256 + i / 2 * 128 + row % 8 * 16 + word * 4);
  }
  pin(a);
  mma_fence();
  ASM("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3},"  // THERE
      " {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+r"(a[0]), "+r"(a[1]), "+r"(a[2]),
        "+r"(a[3]) : "l"(b_of(s)));
  mma_commit();
  if (!FAULT) mma_wait<0>();
  for (int i = 0; i < 4; i++) ASM("mov.b32 %0, 0;" : "+r"(a[i]) :);  // HERE
  mma_wait<0>();
  pin(d);
  put(out, d);
  if (a[0] + a[1] + a[2] + a[3] != 0) out[0] = -1;
}]],
    run = check(1), report = REGISTERS, reported = true, tells = "other agents",
  },
  {
    name = "writes registers of a without a fence",
    from = "https://github.com/HPMLL/NVIDIA-Hopper-Benchmark/issues/1",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[TILE];
  float d[4] = {};
  pin(d);
  u32 a[4];
  bring(s, in);
  proxy_fence();
  __syncthreads();
  if (FAULT) mma_fence();
  for (int i = 0; i < 4; i++) {
    int row = sum_row() + i % 2 * 8, word = sum_column() / 2;
    a[i] = *(u32 *)(s + row / 8 * 256 + i / 2 * 128 + row % 8 * 16 + word * 4);  // THERE
  }
  pin(a);
  if (!FAULT) mma_fence();
  Mma<8>::f16_regs<0>(d, a[0], a[1], a[2], a[3], b_of(s));  // HERE
  mma_commit();
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = check(1), report = REGISTERS, reported = true, tells = "other agents",
  },
  {
    name = "threads overwrite shared operands in flight",
    from = "https://github.com/NVIDIA/Fuser/pull/3863",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[TILE];
  float d[4] = {};
  pin(d);
  for (int tile = 0; tile < 3; tile++) {
    bring(s, (const byte *)in + tile * TILE);  // HERE
    proxy_fence();
    __syncthreads();
    mma_fence();
    Mma<8>::f16(d, a_of(s), b_of(s));  // THERE
    mma_commit();
    if (!FAULT) mma_wait<0>();
    __syncthreads();
  }
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = check(3), report = SUMS, reported = true, tells = "other agents object",
    says = "race: write of 16 bytes at offset 0x400 of shared memory (byte 1024 of `s`), without "
      .. "a wait (wgmma.wait_group) for the product of the tensor cores at <source>:",
  },
  {
    name = "threads overwrite operands that another warp group has yet to multiply",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[TILE];
  float d[4] = {};
  pin(d);
  for (int tile = 0; tile < 3; tile++) {
    if (threadIdx.x < 128) bring(s, (const byte *)in + tile * TILE);  // HERE
    proxy_fence();
    __syncthreads();
    mma_fence();
    Mma<8>::f16(d, a_of(s), b_of(s));  // HERE
    mma_commit();
    mma_wait<0>();
    pin(d);
    if (!FAULT) __syncthreads();
  }
  if (threadIdx.x >= 128) put(out, d);
}]],
    run = check(3, 256), report = WRITTEN, reported = true, tells = "other agents",
  },
  {
    name = "threads overwrite operands without a barrier after another warp group's wait",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[TILE];
  __shared__ volatile int multiplied;
  float d[4] = {};
  pin(d);
  if (threadIdx.x < 128) bring(s, in);
  multiplied = 0;
  proxy_fence();
  __syncthreads();
  if (threadIdx.x >= 128) {
    mma_fence();
    Mma<8>::f16(d, a_of(s), b_of(s));  // THERE
    mma_commit();
    mma_wait<0>();
    pin(d);
    put(out, d);
    multiplied = 1;
  }
  while (multiplied == 0) {}
  if (!FAULT) __syncthreads();
  if (threadIdx.x < 128) bring(s, in);  // HERE
  proxy_fence();
}]],
    run = check(1, 256), report = WRITTEN, reported = true, tells = "other agents object",
    says = "race: write of the shared byte at offset 0x0 (byte 0 of `s`), of the tensor cores, "
      .. "which no arrival (mbarrier.arrive) or barrier orders after its wait at <source>:",
  },
  {
    name = "a copy overwrites shared operands in flight",
    from = "https://github.com/NVIDIA/cutlass/issues/2508",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[TILE];
  __shared__ u64 bar;
  float d[4] = {};
  pin(d);
  if (threadIdx.x == 0) {
    init(&bar, 1);
    init_fence();
  }
  __syncthreads();
  for (int tile = 0; tile < 3; tile++) {
    if (threadIdx.x == 0) {
      expect(&bar, TILE);
      bulk_load(s, (const byte *)in + tile * TILE, TILE, &bar);  // HERE
    }
    __syncwarp();
    wait(&bar, tile & 1);
    mma_fence();
    Mma<8>::f16(d, a_of(s), b_of(s));  // THERE
    mma_commit();
    if (!FAULT) mma_wait<0>();
    __syncthreads();
  }
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = check(3),
    report = { kind = "race", agents = { "copy engine", "tensor core" }, object = "group" },
    reported = true, tells = "other object",
  },
  {
    name = "multiplies a copy in flight",
    from = "https://github.com/triton-lang/triton/blob/main/python/test/gluon/test_consan.py",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[TILE];
  __shared__ u64 bar;
  float d[4] = {};
  pin(d);
  if (threadIdx.x == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, TILE);
    bulk_load(s, in, TILE, &bar);  // THERE
  }
  __syncthreads();
  if (!FAULT) wait(&bar, 0);
  mma_fence();
  Mma<8>::f16(d, a_of(s), b_of(s));  // HERE
  mma_commit();
  mma_wait<0>();
  pin(d);
  wait(&bar, 0);
  put(out, d);
}]],
    run = check(1),
    report = { kind = "race", agents = { "tensor core", "copy engine" }, object = "mbarrier" },
    reported = true, tells = "other object",
  },
  {
    name = "three warps of a warp group multiply",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#wgmma-mma-async",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[TILE];
  float d[4] = {};
  pin(d);
  bring(s, in);
  proxy_fence();
  __syncthreads();
  if (!FAULT || threadIdx.x < 96) {
    mma_fence();  // HERE
    Mma<8>::f16(d, a_of(s), b_of(s));  // HERE
    mma_commit();
    mma_wait<0>();
    pin(d);
  }
  put(out, d);
}]],
    run = check(1),
    report = { kind = { "barrier", "deadlock" }, agents = { "thread" }, object = "warp group" },
    reported = true, tells = "agents object",
    says = "barrier: the block has ended, and the warps of a warp group have executed products of "
      .. "the tensor cores (wgmma) different numbers of times: warp 0 1, warp 3 0, at <source>:",
  },
  {
    name = "the warps of a warp group multiply different matrices",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#wgmma-mma-async",
    source = [[
#include "small.h"
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[2 * TILE];
  float d[4] = {};
  pin(d);
  bring(s, in);
  bring(s + TILE, in);
  proxy_fence();
  __syncthreads();
  int part = FAULT && threadIdx.x >= 64 ? TILE : 0;
  mma_fence();
  Mma<8>::f16(d, a_of(s + part), b_of(s + part));  // HERE
  mma_commit();
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = check(1),
    report = { kind = "barrier", agents = { "thread" }, object = "descriptor" },
    reported = true, tells = "other agents object",
    says = "barrier: product of the tensor cores (wgmma) with another matrix descriptor than that "
      .. "of warp 3 of the warp group, at <source>:",
  },
  {
    name = "the warps of a warp group multiply matrices of different types",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#wgmma-mma-async",
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
  if (FAULT && threadIdx.x >= 64) Mma<8>::e4m3(d, a_of(s), b_of(s));  // HERE
  else Mma<8>::f16(d, a_of(s), b_of(s));  // HERE
  mma_commit();
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = check(1),
    report = { kind = "barrier", agents = { "thread" }, object = "group" },
    reported = true, tells = "other agents object",
    says = "barrier: product of the tensor cores (wgmma), a different one than that of warp 3 of "
      .. "the warp group, at <source>:",
  },
}
