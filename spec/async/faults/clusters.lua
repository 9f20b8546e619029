-- Copies and stores to other blocks of a cluster. Clusters have two blocks of 128 threads.
local async = require "spec.support.async"

-- Each block gets the other one's whole numbers.
local function exchanged(kernels, t)
  local x, y = t.integers(256, 1000), t.poisoned(256, "int32")
  kernels.k({ grid = 2, block = 128 }, t.cuda.array(x, "int32"), y)
  t.same(t.list(256, function(i) return x[(i + 127) % 256 + 1] end), y)
end

-- Both blocks get all `tiles` tiles of 128 whole numbers, added up.
local function multicast(tiles, threads)
  return function(kernels, t)
    local x = t.list(4 * tiles, function() return t.integers(32, 1000) end)
    local y, a = t.poisoned(256, "int32"), t.cuda.array(x, "int32")
    kernels.k({ grid = 2, block = threads or 128 }, t.cuda.tensor_map(a, { box = { 4, 32 } }), y)
    t.same(t.list(256, function(i)
      local at, sum = 127 - (i - 1) % 128, 0
      for tile = 0, tiles - 1 do sum = sum + x[tile * 4 + at // 32 + 1][at % 32 + 1] end
      return sum
    end), y)
  end
end

local function report(kind, agents, object)
  return { kind = kind, agents = agents, object = object or "mbarrier" }
end

-- The second block copies over what the first one has read, when that has set its flag.
local FLAG = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ alignas(128) int s[128], other[128];
  __shared__ u64 full;
  __shared__ volatile int read;
  int i = threadIdx.x, got = 0, seen;
  s[i] = in[128 + i];
  other[i] = in[i] - 5;
  if (i == 0) {
    read = 0;
    init(&full, 1);
    init_fence();
    expect(&full, 512);
  }
  proxy_fence();
  cluster_sync();
  if (rank() == 0) {
    got = s[i];  // HERE
    __syncthreads();
    ASM("fence.acq_rel.cluster;" ::);
    if (i == 0) read = 1;
    wait_cluster(&full, 0);
    out[i] = got;
    out[128 + i] = s[i] + 5;
  } else if (i == 0) {
    if (!FAULT) {
      do ASM(LOOK : "=r"(seen) : "r"(peer((const void *)&read, 0)));
      while (seen == 0);
      ASM("fence.acq_rel.cluster;" ::);
    }
    bulk_send(peer(s, 0), other, 512, peer(&full, 0));  // HERE
  }
  __syncwarp();
  cluster_sync();
}]]

return {
  {
    name = "multicast to a block that has not initialized its barrier object",
    from = "https://github.com/inclusionAI/humming/pull/53",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1)
k(const __grid_constant__ Map map, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);  // THERE
    init_fence();
  }
  if (FAULT) __syncthreads();
  else cluster_sync();
  if (i == 0) {
    expect(&bar, 512);
    if (rank() == 0) load_to(s, &map, 0, 0, &bar, 3);  // HERE
  }
  wait_cluster(&bar, 0);
  out[blockIdx.x * 128 + i] = s[127 - i];
  __syncwarp();
  cluster_sync();
}]],
    run = multicast(1), report = report({ "barrier", "race" }, { "copy engine", "thread" }),
    reported = true, tells = "other agents object",
    says = "race: bulk copy with the barrier object (mbarrier) at offset 0x200 of shared memory "
      .. "(byte 0 of `bar`), in another block of the cluster, without a barrier (barrier.cluster) "
      .. "after its init at <source>:",
  },
  {
    name = "another block arrives without a fence after the init",
    from = "https://github.com/facebookexperimental/triton/pull/1240",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  u32 other = rank() ^ 1;
  if (i == 0) {
    init(&bar, 128);  // THERE
    if (!FAULT) init_fence();
  }
  __syncwarp();
  ASM("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.aligned;" ::);
  put_at(peer(&s[i], other), in[blockIdx.x * 128 + i]);
  arrive_at(&bar, other);  // HERE
  wait_cluster(&bar, 0);
  out[blockIdx.x * 128 + i] = s[i];
  cluster_sync();
}]],
    run = exchanged, report = report({ "barrier", "race" }, { "thread" }),
    reported = true, tells = "other agents object",
    says = "race: use of the barrier object (mbarrier) at offset 0x200 of shared memory (byte 0 "
      .. "of `bar`), in another block of the cluster, without a barrier (barrier.cluster) after "
      .. "its init at <source>:",
  },
  {
    name = "a block ends while another one reads its memory",
    from = "https://github.com/facebookexperimental/triton/pull/1105",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  int i = threadIdx.x;
  s[i] = in[blockIdx.x * 128 + i];
  cluster_sync();
  if (FAULT && rank() == 1) __nanosleep(1000);
  out[blockIdx.x * 128 + i] = get_at(peer(&s[i], rank() ^ 1));  // HERE
  if (!FAULT) cluster_sync();
}]],
    run = exchanged,
    report = report({ "race", "use after free", "barrier" }, { "thread" }, "cluster"),
    reported = true, tells = "agents object",
  },
  {
    name = "arrives at a block that has ended",
    from = "https://github.com/rchardx/hopper-gemm/issues/3",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  u32 other = rank() ^ 1;
  if (i == 0) {
    init(&bar, 128);
    init_fence();
  }
  s[i] = in[blockIdx.x * 128 + i];
  cluster_sync();
  int v = get_at(peer(&s[i], other));
  cluster_sync();
  out[blockIdx.x * 128 + i] = v;
  if (rank() == 1) arrive_at(&bar, 0);  // HERE
  else if (!FAULT) wait_cluster(&bar, 0);
}]],
    run = exchanged,
    report = report({ "race", "use after free", "barrier" }, { "thread" }, "cluster"),
    reported = true, tells = "agents object",
  },
  {
    name = "ends while a multicast to it is in flight",
    from = "https://github.com/rchardx/hopper-gemm/issues/3",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1)
k(const __grid_constant__ Map map, int *out) {
  __shared__ alignas(128) int s[256];
  __shared__ u64 bar, last;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init(&last, 1);
    init_fence();
  }
  cluster_sync();
  if (i == 0) {
    expect(&bar, 512);
    expect(&last, 512);
    if (rank() == 0) {
      load_to(s, &map, 0, 0, &bar, 3);
      load_to(s + 128, &map, 0, 0, &last, 3);  // HERE
    }
  }
  wait_cluster(&bar, 0);
  out[blockIdx.x * 128 + i] = s[127 - i];
  if (!FAULT || rank() == 0) wait_cluster(&last, 0);
  __syncwarp();
  if (!FAULT) cluster_sync();
}]],
    run = multicast(1),
    report = report({ "race", "use after free", "barrier" }, { "copy engine" }),
    reported = true, tells = "object",
  },
  {
    name = "reads what st.async sent without a wait",
    from = "https://github.com/facebookexperimental/triton/pull/758",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  u32 other = rank() ^ 1;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, 512);
  }
  __syncwarp();
  cluster_sync();
  send(peer(&s[i], other), in[blockIdx.x * 128 + i], peer(&bar, other));  // THERE
  if (!FAULT) wait_cluster(&bar, 0);
  cluster_sync();
  out[blockIdx.x * 128 + i] = s[i];  // HERE
}]],
    run = exchanged, report = report("race", { "thread", "copy engine" }), reported = true,
    tells = "other object",
    says = "race: read of 4 bytes at offset 0x100 of shared memory (byte 256 of `s`), without a "
      .. "wait (mbarrier.try_wait) for the asynchronous store at <source>:",
  },
  {
    name = "st.async sends fewer bytes than are expected",
    from = "https://github.com/triton-lang/triton/blob/main/python/test/gluon/test_consan.py",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  u32 other = rank() ^ 1;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, FAULT ? 516 : 512);
  }
  __syncwarp();
  cluster_sync();
  send(peer(&s[i], other), in[blockIdx.x * 128 + i], peer(&bar, other));
  wait_cluster(&bar, 0);  // HERE
  cluster_sync();
  out[blockIdx.x * 128 + i] = s[i];
}]],
    run = exchanged, report = report(require "spec.support.async".HANG, { "thread" }),
    reported = true, tells = "agents object",
  },
  {
    name = "reads what red.async adds without a wait",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#red-async",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  u32 other = rank() ^ 1;
  s[i] = 0;
  proxy_fence();
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, 512);
  }
  __syncwarp();
  cluster_sync();
  send_sum(peer(&s[i], other), in[blockIdx.x * 128 + i], peer(&bar, other));  // THERE
  if (!FAULT) wait_cluster(&bar, 0);
  cluster_sync();
  out[blockIdx.x * 128 + i] = s[i];  // HERE
}]],
    run = exchanged, report = report("race", { "thread", "copy engine" }), reported = true,
    tells = "other object",
  },
  {
    name = "overwrites the source of a copy to another block",
    from = "https://docs.nvidia.com/cuda/parallel-thread-execution/#cp-async-bulk",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ alignas(128) int s[128], got[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  u32 other = rank() ^ 1;
  s[i] = in[blockIdx.x * 128 + i];
  proxy_fence();
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, 512);
  }
  __syncwarp();
  cluster_sync();
  if (i == 0) bulk_send(peer(got, other), s, 512, peer(&bar, other));  // THERE
  __syncthreads();
  if (!FAULT) wait_cluster(&bar, 0);
  __syncwarp();
  if (!FAULT) cluster_sync();
  s[i] = -1;  // HERE
  wait_cluster(&bar, 0);
  out[blockIdx.x * 128 + i] = got[i];
  cluster_sync();
}]],
    run = exchanged, report = report("race", { "thread", "copy engine" }), reported = true,
    tells = "other agents object",
  },
  {
    name = "invalidates an object at which another block's copy is to complete",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ alignas(128) int s[128], got[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  s[i] = in[i];
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    expect(&bar, 512);
  }
  proxy_fence();
  cluster_sync();
  if (rank() == 0) {
    if (i == 0) bulk_send(peer(got, 1), s, 512, peer(&bar, 1));  // THERE
    out[i] = in[128 + i];
  }
  cluster_sync();
  if (rank() == 1) {
    if (!FAULT) wait_cluster(&bar, 0);
    __syncthreads();
    if (i == 0) inval(&bar);  // HERE
    __syncthreads();
    out[128 + i] = got[i];
  }
  __syncwarp();
  cluster_sync();
}]],
    run = exchanged, report = report("barrier", { "thread", "copy engine" }), reported = true,
    tells = "other agents object",
    says = ", at which a copy in flight is to complete: the bulk copy at <source>:15 by thread "
      .. "(0,0,0) of block (0,0,0), at <source>:",
  },
  {
    name = "stores to a block that may not have begun",
    from = "https://github.com/facebookexperimental/triton/pull/2292",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  int i = threadIdx.x;
  s[i] = -1;  // HERE
  if (!FAULT) cluster_sync();
  put_at(peer(&s[i], rank() ^ 1), in[blockIdx.x * 128 + i]);  // HERE
  cluster_sync();
  out[blockIdx.x * 128 + i] = s[i];
  cluster_sync();
}]],
    run = exchanged, report = report("race", { "thread" }, "cluster"), reported = true,
    tells = "agents object",
    says = "race: write at offset 0x0 of the shared memory of block 1 of the cluster (byte 0 of "
      .. "`s`), a block that may not have begun (barrier.cluster), at <source>:",
  },
  {
    name = "arrives at a block that may not have begun",
    from = "https://github.com/facebookexperimental/triton/pull/2292",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);  // HERE
    init_fence();
  }
  if (!FAULT) cluster_sync();
  if (i == 0) arrive_at(&bar, rank() ^ 1);  // HERE
  cluster_sync();
  wait_cluster(&bar, 0);
  s[i] = in[blockIdx.x * 128 + i];
  cluster_sync();
  out[blockIdx.x * 128 + i] = get_at(peer(&s[i], rank() ^ 1));
  cluster_sync();
}]],
    run = exchanged, report = report("race", { "thread" }), reported = true,
    tells = "agents object",
    says = "race: use of a barrier object (mbarrier) at offset 0x200 of the shared memory of block "
      .. "1 of the cluster (byte 0 of `bar`), a block that may not have begun (barrier.cluster), "
      .. "at <source>:",
  },
  {
    name = "a receiver of a multicast expects no bytes",
    from = "https://github.com/inclusionAI/humming/pull/53",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1)
k(const __grid_constant__ Map map, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  if (i == 0) {
    init(&bar, 1);
    init_fence();
    if (FAULT && rank() == 1) arrive(&bar);
    else expect(&bar, 512);
  }
  __syncwarp();
  cluster_sync();
  if (i == 0 && rank() == 0) load_to(s, &map, 0, 0, &bar, 3);  // HERE
  wait_cluster(&bar, 0);
  out[blockIdx.x * 128 + i] = s[127 - i];  // HERE
  __syncwarp();
  cluster_sync();
}]],
    run = multicast(1),
    report = report({ "race", "barrier", "uninitialized" }, { "thread", "copy engine" }),
    reported = true, tells = "",
  },
  {
    name = "refills a slot that another block still reads",
    from = "https://github.com/inclusionAI/humming/pull/53",
    source = [[
#include "hopper.h"
enum { TILES = 6 };
extern "C" __global__ void __cluster_dims__(2, 1, 1)
k(const __grid_constant__ Map map, int *out) {
  __shared__ alignas(128) int s[2][128];
  __shared__ u64 full[2], empty[2];
  int i = threadIdx.x, sum = 0;
  if (i == 0) {
    for (int slot = 0; slot < 2; slot++) {
      init(full + slot, 1);
      init(empty + slot, FAULT ? 128 : 256);
    }
    init_fence();
  }
  cluster_sync();
  if (i == 128)
    for (int tile = 0; tile < TILES; tile++) {
      int slot = tile % 2, round = tile / 2 & 1;
      if (rank() == 0) wait_cluster(empty + slot, round ^ 1);
      else wait_cluster(full + slot, round ^ 1);
      expect(full + slot, 512);
      if (rank() == 0) load_to(s[slot], &map, 0, tile * 4, full + slot, 3);  // HERE
    }
  if (i < 128) {
    for (int tile = 0; tile < TILES; tile++) {
      int slot = tile % 2, round = tile / 2 & 1;
      wait_cluster(full + slot, round);
      sum += s[slot][127 - i];  // HERE
      proxy_fence();
      if (!FAULT || rank() == 0) arrive_at(empty + slot, 0);
    }
    out[blockIdx.x * 128 + i] = sum;
  }
  __syncwarp();
  cluster_sync();
}]],
    run = multicast(6, 160), report = report("race", { "copy engine", "thread" }),
    reported = true, tells = "other agents object",
    says = "race: write by a bulk copy at offset 0x0 of the shared memory of block 1 of the "
      .. "cluster (byte 0 of `s`), a block that has read it, and has not arrived "
      .. "(mbarrier.arrive) at another block's barrier since the read at <source>:",
  },
  {
    name = "copies over what another block reads, without a look at its flag",
    source = FLAG:gsub("LOOK", [["ld.relaxed.cluster.shared::cluster.u32 %%0, [%%1];"]]),
    run = exchanged, report = report("race", { "copy engine", "thread" }, "cluster"),
    reported = true, tells = "other agents object",
  },
  {
    name = "copies over what another block reads, without an addition of 0 to its flag",
    source = FLAG:gsub("LOOK", [["atom.relaxed.cluster.shared::cluster.add.u32 %%0, [%%1], 0;"]]),
    run = exchanged, report = report("race", { "copy engine", "thread" }, "cluster"),
    reported = true, tells = "other agents object",
  },
  {
    name = "copies over what two warps of another block read, of which one has said so",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ alignas(128) int s[128], other[128];
  __shared__ u64 full, empty;
  int i = threadIdx.x, got = 0;
  s[i] = in[128 + i];
  other[i] = in[i];
  if (i == 0) {
    init(&full, 1);
    init(&empty, FAULT ? 32 : 64);
    init_fence();
    expect(&full, 512);
  }
  proxy_fence();
  cluster_sync();
  if (rank() == 0) {
    if (i < 64) {
      if (i >= 32) sync(1, 64);
      got = s[i % 32];  // HERE
      if (i < 32 || !FAULT) arrive_at(&empty, 1);
      if (i < 32) sync(1, 64);
    }
    wait_cluster(&full, 0);
    if (got == 12345) __trap();
    out[i] = in[128 + i];
    out[128 + i] = s[i];
  } else if (i == 0) {
    wait_cluster(&empty, 0);
    bulk_send(peer(s, 0), other, 512, peer(&full, 0));  // HERE
  }
  __syncwarp();
  cluster_sync();
}]],
    run = exchanged, report = report("race", { "copy engine", "thread" }),
    reported = true, tells = "other agents object",
  },
  {
    name = "copies over the matrices of another block's product",
    source = [[
#include "small.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const void *in, float *out) {
  __shared__ alignas(1024) byte s[TILE];
  __shared__ u64 full, empty;
  float d[4] = {};
  pin(d);
  bring(s, in);
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&empty, 128);
    init_fence();
    expect(&full, TILE);
  }
  proxy_fence();
  cluster_sync();
  if (rank() == 0) {
    mma_fence();
    Mma<8>::f16(d, a_of(s), b_of(s));  // HERE
    mma_commit();
    mma_wait<0>();
    pin(d);
    if (!FAULT) arrive_at(&empty, 1);
    wait_cluster(&full, 0);
    put(out, d);
  } else if (threadIdx.x == 0) {
    if (!FAULT) wait_cluster(&empty, 0);
    bulk_send(peer(s, 0), s, TILE, peer(&full, 0));  // HERE
  }
  __syncwarp();
  cluster_sync();
}]],
    run = function(kernels, t)
      local tile, a, b = async.tile(t)
      local y = t.poisoned(512, "float32")
      kernels.k({ grid = 2, block = 128 }, t.cuda.array(tile, "float16"), y)
      t.same(async.add_product({}, a, b), y)
    end,
    report = report("race", { "copy engine", "thread" }), reported = true,
    tells = "other agents object",
  },
  {
    name = "waits in the scope of the block for another block's data",
    from = "https://github.com/NVIDIA/cutlass/issues/3324",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  u32 other = rank() ^ 1;
  if (i == 0) {
    init(&bar, 128);
    init_fence();
  }
  __syncwarp();
  cluster_sync();
  put_at(peer(&s[127 - i], other), in[blockIdx.x * 128 + i]);  // THERE
  arrive_at(&bar, other);
  if (FAULT) wait(&bar, 0);
  else wait_cluster(&bar, 0);
  out[blockIdx.x * 128 + 127 - i] = s[i];  // HERE
  cluster_sync();
}]],
    run = function(kernels, t)
      local x, y = t.integers(256, 1000), t.poisoned(256, "int32")
      kernels.k({ grid = 2, block = 128 }, t.cuda.array(x, "int32"), y)
      t.same(t.list(256, function(i) return x[(i + 127) % 256 + 1] end), y)
    end,
    report = report("race", { "thread" }), reported = false,
  },
  {
    name = "arrives locally at another block's barrier object",
    from = "https://github.com/apache/tvm/pull/20074",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ int s[128];
  __shared__ u64 bar;
  int i = threadIdx.x;
  u32 other = rank() ^ 1;
  if (i == 0) {
    init(&bar, 128);
    init_fence();
  }
  __syncwarp();
  cluster_sync();
  put_at(peer(&s[i], other), in[blockIdx.x * 128 + i]);
  if (FAULT) ASM("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(peer(&bar, other)));  // HERE
  else arrive_at(&bar, other);
  wait_cluster(&bar, 0);
  out[blockIdx.x * 128 + i] = s[i];
  cluster_sync();
}]],
    run = exchanged,
    report = report({ "out of bounds", "barrier" }, { "thread" }, "cluster"), reported = true,
    tells = "agents object",
  },
  {
    name = "the second block reads before the wait, while the first one has yet to wait",
    source = [[
#include "hopper.h"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  __shared__ u64 full;
  int i = threadIdx.x, early = 0;
  if (i == 0) {
    init(&full, 1);
    init_fence();
    expect(&full, 512);
    bulk_load(s, in, 512, &full);  // THERE
  }
  cluster_sync();
  if (FAULT && rank() == 1) early = s[i];  // HERE
  cluster_sync();
  wait(&full, 0);
  out[blockIdx.x * 128 + i] = s[i] + early;
}]],
    run = function(kernels, t)
      local x, y = t.integers(128, 1000), t.poisoned(256, "int32")
      kernels.k({ grid = 2, block = 128 }, t.cuda.array(x, "int32"), y)
      t.same(t.list(256, function(i) return x[(i - 1) % 128 + 1] end), y)
    end,
    report = { kind = "race", agents = { "thread", "copy engine" }, object = "mbarrier" },
    reported = true, tells = "other agents object",
  },
}
