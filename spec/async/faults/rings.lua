-- Rings of slots between a producer, which starts copies, and consumers: the barrier objects `full`
-- and `empty`. 160 threads: four warps consume, thread 128 produces.
local async = require "spec.support.async"

local TILES = 6

-- The consumers add up six tiles of 128 whole numbers.
local function summed(kernels, t)
  local x, y = t.integers(128 * TILES, 1000), t.poisoned(128, "int32")
  kernels.k({ grid = 1, block = 160 }, t.cuda.array(x, "int32"), y)
  t.same(t.list(128, function(i)
    local sum = 0
    for tile = 1, TILES do sum = sum + x[tile * 128 + 1 - i] end
    return sum
  end), y)
end

-- They multiply six tiles. The second warp group consumes, thread 0 produces.
local function multiplied(kernels, t)
  local list, sums = {}, {}
  for _ = 1, TILES do
    local tile, a, b = async.tile(t)
    table.move(tile, 1, #tile, #list + 1, list)
    async.add_product(sums, a, b)
  end
  local y = t.poisoned(512, "float32")
  kernels.k({ grid = 1, block = 256 }, t.cuda.array(list, "float16"), y)
  t.same(sums, y)
end

-- They pass on six tiles.
local function passed_on(kernels, t)
  local x, y = t.integers(128 * TILES, 1000), t.poisoned(128 * TILES, "int32")
  kernels.k({ grid = 1, block = 160 }, t.cuda.array(x, "int32"), y)
  t.same(x, y)
end

-- A ring of two slots. A case replaces the words in capitals.
local RING = [[
#include "hopper.h"
enum { TILES = 6 };
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[2][128];
  __shared__ u64 full[2], empty[2];
  int i = threadIdx.x;
  if (i == 0) {
    for (int slot = 0; slot < 2; slot++) {
      init(full + slot, 1);
      init(empty + slot, COUNT);
    }
    init_fence();
  }
  __syncthreads();
  if (i >= 128) {
    if (i == 128)
      for (int tile = 0; tile < TILES; tile++) {
        int slot = tile % 2, round = tile / 2 & 1;
        ACQUIRE;  // HANGS
        expect(full + slot, 512);  // HANGS
        bulk_load(s[slot], in + tile * 128, 512, full + slot);  // HERE
      }
    return;
  }
  int sum = 0;
  for (int tile = 0; tile < TILES; tile++) {
    int slot = tile % 2, round = tile / 2 & 1;
    EARLY;
    wait(full + slot, round);  // HANGS
    sum += s[slot][127 - i];  // HERE
    proxy_fence();
    LATE;  // HANGS
  }
  out[i] = sum;
}]]
local USUAL = { COUNT = "128", ACQUIRE = "wait(empty + slot, round ^ 1)", EARLY = "",
  LATE = "arrive(empty + slot)" }

-- The ring with some edits. hangs: the fault may also end in a wait, so at a line HANGS.
local function ring(edits, hangs)
  return (RING:gsub("%u[%u]+%f[%A]", function(word)
    return edits[word] or USUAL[word]
  end):gsub("  // HANGS", hangs and "  // HERE" or ""))
end

local SLOT = { kind = "race", agents = { "copy engine", "thread" }, object = "mbarrier" }
local SLOT_OR_HANG = { kind = { "race", "barrier", "deadlock", "livelock" }, agents = SLOT.agents,
  object = "mbarrier" }
local PRODUCT = { kind = "race", agents = { "copy engine", "tensor core" }, object = "mbarrier" }

return {
  {
    name = "refills a slot without waiting for the consumers",
    from = "https://github.com/NVIDIA/Fuser/pull/3446",
    source = ring({ ACQUIRE = "if (!FAULT) wait(empty + slot, round ^ 1)" }, true),
    run = summed, report = SLOT_OR_HANG, reported = true, tells = "object",
  },
  {
    name = "waits for a release before the first round",
    from = "https://github.com/Dao-AILab/flash-attention/issues/1317",
    source = ring({ ACQUIRE = "wait(empty + slot, round ^ (FAULT ? 0 : 1))" }, true),
    run = summed,
    report = { kind = async.HANG, agents = { "thread" }, object = "mbarrier" },
    reported = true, tells = "agents object",
  },
  {
    name = "keeps the first round's parity for the empty slots",
    from = "https://github.com/tile-ai/tilelang/pull/2674",
    source = ring({ ACQUIRE = "wait(empty + slot, FAULT ? 1 : round ^ 1)" }, true),
    run = summed, report = SLOT_OR_HANG, reported = true, tells = "object",
  },
  {
    name = "keeps the first round's parity for the full slots",
    from = "https://github.com/tile-ai/tilelang/pull/3087",
    source = (ring({}, true):gsub("wait%(full %+ slot, round%)",
      "wait(full + slot, FAULT ? 0 : round)")),
    run = summed, report = SLOT_OR_HANG, reported = true, tells = "object",
  },
  {
    name = "counts one of four warps of consumers",
    from = "https://github.com/NVIDIA/cutlass/issues/2404",
    source = ring({ COUNT = "FAULT ? 1 : 4",
      LATE = "__syncwarp(); if (i % 32 == 0) arrive(empty + slot)" }, true),
    run = summed, report = SLOT_OR_HANG, reported = true, tells = "object",
  },
  {
    name = "one thread releases for four warps",
    from = "https://github.com/NVIDIA/Fuser/pull/3446",
    source = ring { COUNT = "FAULT ? 1 : 128",
      LATE = "if (!FAULT || i == 0) arrive(empty + slot)" },
    run = summed, report = SLOT, reported = true, tells = "other agents object",
    says = "race: write by a bulk copy of the shared byte at offset 0x0 (byte 0 of `s`), which no "
      .. "arrival (mbarrier.arrive) or barrier orders after the read at <source>:",
  },
  {
    name = "releases the slot before it reads",
    from = "https://github.com/facebookexperimental/triton/pull/430",
    source = ring({ EARLY = "if (FAULT) { wait(full + slot, round); arrive(empty + slot); }",
      LATE = "if (!FAULT) arrive(empty + slot)" }),
    run = summed, report = SLOT, reported = true, tells = "other agents object",
  },
  {
    name = "counts three of four warps of consumers",
    source = ring({ COUNT = "FAULT ? 3 : 4",
      LATE = "__syncwarp(); if (i % 32 == 0) arrive(empty + slot)" }, true),
    run = summed, report = SLOT_OR_HANG, reported = true, tells = "other agents object",
  },
  {
    name = "reads the slot after it has released it",
    source = ring { LATE = "arrive(empty + slot); if (FAULT) sum += s[slot][i]" },
    run = summed, report = SLOT, reported = true, tells = "agents object",
  },
  {
    name = "one lane releases before the others of its warp have read",
    source = ring { COUNT = "4", EARLY = "int lane = i % 32",
      LATE = "if (!FAULT) __syncwarp(); if (lane == 0) arrive(empty + slot)" },
    run = summed, report = SLOT, reported = true, tells = "other agents object",
  },
  {
    name = "never releases a slot",
    from = "https://github.com/triton-lang/triton/pull/8285",
    source = ring({ LATE = "if (!FAULT) arrive(empty + slot)" }, true),
    run = summed,
    report = { kind = async.HANG, agents = { "thread" }, object = "mbarrier" },
    reported = true, tells = "agents object",
  },
  {
    name = "releases the slot of a product in flight",
    from = "https://github.com/NVIDIA/cutlass/issues/2508",
    source = [[
#include "small.h"
enum { TILES = 6 };
// Other warps of the group go on meanwhile, as far as the product lets them.
__device__ void be_late() {
#pragma unroll 1
  for (int k = 0; k < 150000; k++) asm volatile("" : "+r"(k));
}
extern "C" __global__ void k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[2][TILE];
  __shared__ u64 full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < 2; slot++) {
      init(full + slot, 1);
      init(empty + slot, 1);
    }
    init_fence();
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    if (threadIdx.x == 0)
      for (int tile = 0; tile < TILES; tile++) {
        int slot = tile % 2, round = tile / 2 & 1;
        wait(empty + slot, round ^ 1);
        expect(full + slot, TILE);
        bulk_load(s[slot], (const byte *)in + tile * TILE, TILE, full + slot);  // HERE
      }
    return;
  }
  float d[4] = {};
  pin(d);
  for (int tile = 0; tile < TILES; tile++) {
    int slot = tile % 2, round = tile / 2 & 1;
    wait(full + slot, round);
    if (tile == 0 && threadIdx.x / 32 == 6) be_late();
    mma_fence();
    Mma<8>::f16(d, a_of(s[slot]), b_of(s[slot]));  // THERE
    mma_commit();
    mma_wait<FAULT>();
    if (threadIdx.x == 128) arrive(empty + slot);
    __syncwarp();
  }
  mma_wait<0>();
  pin(d);
  put(out, d);
}]],
    run = multiplied, report = PRODUCT, reported = true, tells = "other",
  },
  {
    name = "releases the slot of a store in flight",
    from = "https://github.com/facebookexperimental/triton/pull/430",
    source = [[
#include "hopper.h"
enum { TILES = 6 };
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[2][128];
  __shared__ u64 full[2], empty[2];
  int i = threadIdx.x;
  if (i == 0) {
    for (int slot = 0; slot < 2; slot++) {
      init(full + slot, 1);
      init(empty + slot, 1);
    }
    init_fence();
  }
  __syncthreads();
  if (i == 128)
    for (int tile = 0; tile < TILES; tile++) {
      int slot = tile % 2, round = tile / 2 & 1;
      wait(empty + slot, round ^ 1);
      expect(full + slot, 512);
      bulk_load(s[slot], in + tile * 128, 512, full + slot);  // HERE
    }
  if (i == 0) {
    for (int tile = 0; tile < TILES; tile++) {
      int slot = tile % 2, round = tile / 2 & 1;
      wait(full + slot, round);
      bulk_store(out + tile * 128, s[slot], 512);  // THERE
      commit();
      sources_read<FAULT>();
      arrive(empty + slot);
    }
    stored<0>();
  }
}]],
    run = passed_on,
    report = { kind = "race", agents = { "copy engine" }, object = "group" },
    reported = true, tells = "other agents",
  },
}
