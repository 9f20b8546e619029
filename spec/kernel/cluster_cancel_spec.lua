-- clusterlaunchcontrol: blocks that take over clusters which have not started. Every block of the
-- grid must be done once, by itself or by another one.
local helper = require "spec.helper"

local SOURCE = [==[
  // Who did a block, and how often: out[0] and out[1] of it. One thread asks; ALL: the first block
  // of the cluster does, for all blocks of it.
  __device__ unsigned place(unsigned x, unsigned y, unsigned z) {
    return x + gridDim.x * (y + gridDim.y * z);
  }
  extern "C" __global__ void k(unsigned *out, int all) {
    __shared__ alignas(16) unsigned answer[4];
    __shared__ alignas(8) unsigned long long bar;
    unsigned here = (unsigned)__cvta_generic_to_shared(&bar), rank, own[3], most, done;
    unsigned to = (unsigned)__cvta_generic_to_shared(answer);
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(own[0]));
    asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(own[1]));
    asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(own[2]));
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(here) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    unsigned me = place(blockIdx.x, blockIdx.y, blockIdx.z), x = blockIdx.x, y = blockIdx.y,
             z = blockIdx.z;
    for (unsigned phase = 0;; phase ^= 1) {
      if (threadIdx.x == 0) {
        out[2 * place(x, y, z)] = me;
        atomicAdd(&out[2 * place(x, y, z) + 1], 1);
      }
      asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
      if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" :: "r"(here)
                     : "memory");
        if (all && rank == 0)
          asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta"
                       ".mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%0], [%1];"
                       :: "r"(to), "r"(here) : "memory");
        else if (!all)
          asm volatile("clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 "
                       "[%0], [%1];" :: "l"(answer), "l"(&bar) : "memory");
      }
      do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
                     " selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(here), "r"(phase) : "memory");
      while (!done);
      unsigned first[4];
      asm volatile("{ .reg .pred p; .reg .b128 a; ld.shared.b128 a, [%5];"
                   " clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, a;"
                   " selp.u32 %0, 1, 0, p;"
                   " clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128"
                   "   {%1, %2, %3, _}, a;"
                   " clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %4, a; }"
                   : "=r"(most), "=r"(first[0]), "=r"(first[1]), "=r"(first[2]), "=r"(first[3])
                   : "r"(to) : "memory");
      if (!most) return;
      if (first[1] != first[3]) __trap();
      x = first[0] + own[0];
      y = first[1] + own[1];
      z = first[2] + own[2];
    }
  }
]==]

helper.for_each_device(function(device, label)
  if label ~= "cpu" and device.cc < 100 then return end
  if helper.fake_gpu and label ~= "cpu" then return end

  describe("clusters that have not started", function()
    local function run(env)
      env.LUACUDA_CPU_ARCH = "100"
      local ok, out = helper.lua(("local SOURCE = [===[%s]===]\n"):format(SOURCE) .. [[
        local cuda = require "luacuda"
        cuda.use(tonumber((...):match "%d+") or ...)
        local k = cuda.kernel(SOURCE, "k")
        for _, form in ipairs { { { 500 }, 1, 0 }, { { 7, 5, 3 }, 1, 0 }, { { 7, 5, 3 }, 1, 1 },
          { { 40, 6, 2 }, { 2, 3, 1 }, 1 }, { { 1, 1, 300 }, { 1, 1, 4 }, 1 } } do
          local grid, cluster, all = form[1], form[2], form[3]
          local n = grid[1] * (grid[2] or 1) * (grid[3] or 1)
          local out = cuda.zeros({ n, 2 }, "uint32")
          k({ grid = grid, block = 32, cluster = cluster }, out, all)
          local taken = 0
          for i, row in ipairs(out:totable()) do
            assert(row[2] == 1, ("block %d of %d: done %d times"):format(i, n, row[2]))
            if row[1] ~= i - 1 then taken = taken + 1 end
          end
          assert(cuda.device().kind ~= "cpu" or taken > 0, "nothing was taken over")
        end
      ]], { env = env, args = { device.label } })
      assert.is_true(ok, out)
    end

    it("are taken over, and all blocks are done once", function() run {} end)
    if label ~= "cpu" then return end
    it("with all checks", function() run { LUACUDA_CPU_CHECK = "all" } end)
    it("with one thread, compiled", function()
      run { LUACUDA_CPU_THREADS = "1", LUACUDA_CPU_JIT = "force" }
    end)
  end)
end)
