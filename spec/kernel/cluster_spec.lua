-- Clusters of thread blocks and their shared memory, against plain Lua. The CPU device has them
-- from compute capability 9.0 on, which is chosen per process.
local helper = require "spec.helper"

local SOURCE = [==[
  #include <cooperative_groups.h>
  namespace cg = cooperative_groups;

  // What a block knows about its cluster.
  extern "C" __global__ void places(int *out) {
    cg::cluster_group c = cg::this_cluster();
    unsigned explicitly;
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }"
        : "=r"(explicitly));
    dim3 at = c.block_index(), size = c.dim_blocks();
    int *o = out + 16 * (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));
    unsigned v[16] = { blockIdx.x, blockIdx.y, blockIdx.z, c.block_rank(), c.num_blocks(), at.x,
      at.y, at.z, size.x, size.y, size.z, explicitly };
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(v[12]));
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(v[13]));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(v[14]));
    asm("mov.u32 %0, %%nclusterid.z;" : "=r"(v[15]));
    if (threadIdx.x == 0) for (int k = 0; k < 16; k++) o[k] = v[k];
  }

  // Every block gives its values to the next one, by all kinds of access. `wide`: 64-bit atomics
  // are atomic there, too. On GPUs they are not: for addresses that are neither global nor in the
  // block's own shared memory, ptxas 13.0 makes a load, a comparison and a store of atom.max.u64,
  // and so of all 64-bit operations but exch and cas (sm_90 to sm_120a; updates were lost on an
  // H100).
  extern "C" __global__ void ring(const int *in, int *out, int rounds, bool wide) {
    __shared__ alignas(16) int here[64], sums[4];
    __shared__ int largest;
    __shared__ unsigned long long most;
    cg::cluster_group c = cg::this_cluster();
    unsigned n = c.num_blocks(), rank = c.block_rank(), next = (rank + 1) % n, t = threadIdx.x;
    int i = blockIdx.x * 64 + t;
    here[t] = in[i];
    if (t < 4) sums[t] = 0;
    if (t == 0) largest = most = 0;
    c.sync();
    for (int r = 0; r < rounds; r++) {
      int v = here[t];
      c.sync();
      c.map_shared_rank(here, next)[t] = v + 1;  // a store to the other block
      c.sync();
    }
    int *other = c.map_shared_rank(here, next);
    int4 four = *reinterpret_cast<int4 *>(other + t / 4 * 4);
    __syncwarp();  // four lanes have read what each of them changes below
    atomicAdd(c.map_shared_rank(sums, next) + t % 4, here[t]);
    atomicMax(c.map_shared_rank(&largest, 0), here[t]);
    if (wide) atomicMax(c.map_shared_rank(&most, 0), (unsigned long long)here[t] << 20 | rank);
    unsigned at, loaded;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at)
                 : "r"((unsigned)__cvta_generic_to_shared(here + t)), "r"(next));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(loaded) : "r"(at) : "memory");
    c.sync();  // all plain reads of `here` are done
    asm volatile("atom.shared::cluster.add.u32 %0, [%1], 0;" : "=r"(at) : "r"(at) : "memory");
    c.barrier_wait(c.barrier_arrive());
    int *o = out + 8 * i;
    o[0] = here[t];
    o[1] = (t & 3) == 0 ? four.x : (t & 3) == 1 ? four.y : (t & 3) == 2 ? four.z : four.w;
    o[2] = sums[t % 4];
    o[3] = *c.map_shared_rank(&largest, 0);
    if (wide && *c.map_shared_rank(&most, 0) >> 20 != o[3]) o[3] = -1;
    o[4] = loaded;
    o[5] = at;
    o[6] = c.query_shared_rank(other) * 100 + c.query_shared_rank(here);
    o[7] = __isShared(here) && !__isGlobal(other) && __isClusterShared(other)
           && __isShared(c.map_shared_rank(here, rank));
    if (n > 1 && __isShared(other)) o[7] = -1;
    c.sync();
  }

  // Threads arrive apart from each other, some work between arrival and wait, some end early.
  extern "C" __global__ void __cluster_dims__(2, 1, 1) phases(int *out, int rounds) {
    __shared__ int turn;
    cg::cluster_group c = cg::this_cluster();
    unsigned rank = c.block_rank(), t = threadIdx.x;
    if (t == 0) turn = 0;
    c.sync();
    int *first = c.map_shared_rank(&turn, 0);
    for (int r = 0; r < rounds; r++) {
      if (t >= 70 && r == t - 70) return;
      if (t % 3 == 0) {
        if (t == 0 && rank == r % 2) atomicAdd(first, 1);
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
      } else {
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        if (t == 1) out[rank * rounds * 2 + rounds + r] = t;
      }
      asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
      if (t == 31) out[rank * rounds * 2 + r] = *first;
      c.sync();
    }
  }

  // The compiler asks for the addresses in the blocks beside this one before it has tested whether
  // they are there.
  extern "C" __global__ void halo(const int *in, int *out) {
    __shared__ int s[34];
    cg::cluster_group c = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 32 + t, r = c.block_rank(), n = c.num_blocks();
    s[t + 1] = in[i];
    if (t == 0) s[0] = s[33] = 0;
    c.sync();
    if (t == 0 && r > 0) c.map_shared_rank(s, r - 1)[33] = s[1];
    if (t == 31 && r < n - 1) c.map_shared_rank(s, r + 1)[0] = s[32];
    c.sync();
    out[i] = s[t] + 10 * s[t + 1] + 100 * s[t + 2];
  }

  // Lanes in any order, some off, several blocks at a time if `spread`; generic atomics on words of
  // this block, of another one and of global memory.
  extern "C" __global__ void scattered(const int *in, int *out, unsigned *sums,
                                       bool spread) {
    __shared__ int s[256];
    __shared__ unsigned own[4];
    cg::cluster_group c = cg::this_cluster();
    int t = threadIdx.x, r = c.block_rank(), n = c.num_blocks();
    s[t] = in[blockIdx.x * 256 + t];
    if (t < 4) own[t] = 0;
    c.sync();
    int to = (r + 1 + (spread ? t : 0)) % n, at = t * 37 % 256;
    int v = c.map_shared_rank(s, to)[at];
    c.sync();
    if (t % 3 != 0) c.map_shared_rank(s, to)[at] = v * 2 + 1;
    unsigned *all[3] = { own, c.map_shared_rank(own, to), sums };
    for (int k = 0; k < 3; k++) atomicAdd(all[(k + (spread ? t : 0)) % 3] + t % 4, v);
    c.sync();
    out[blockIdx.x * 256 + t] = s[t];
    if (t < 4) atomicAdd(sums + 4 + t, own[t]);
  }

  extern "C" __global__ void __cluster_dims__(4, 1, 1) fixed(int *out) {
    if (threadIdx.x == 0) out[blockIdx.x] = cg::this_cluster().num_blocks();
  }
]==]

-- Runs code in a process in which the CPU device has clusters. It gets `cuda` and `m`, the module.
local function run(device, code, env)
  env = env or {}
  env.LUACUDA_CPU_ARCH = env.LUACUDA_CPU_ARCH or "90"
  local ok, out = helper.lua(("local SOURCE = [===[%s]===]\n"):format(SOURCE) .. [[
    local cuda = require "luacuda"
    cuda.use(tonumber((...):match "%d+") or ...)
    local m = cuda.module(SOURCE)
    local function same(got, want, what)
      for i, v in ipairs(want) do
        if got[i] ~= v then error(("%s %d: %s, not %s"):format(what, i, got[i], v), 2) end
      end
      assert(#got == #want, what)
    end
    ]] .. code, { env = env, args = { device.label } })
  assert.is_true(ok, out)
  return out
end

helper.for_each_device(function(device, label)
  if label ~= "cpu" and device.cc < 90 then return end
  if helper.fake_gpu and label ~= "cpu" then return end

  describe("clusters", function()
    it("number their blocks", function()
      run(device, [[
        local g, c = { 4, 6, 2 }, { 2, 3, 1 }
        local out = cuda.zeros(16 * 48, "int32")
        m.kernels.places({ grid = g, block = 32, cluster = c }, out)
        local want = {}
        for z = 0, 1 do for y = 0, 5 do for x = 0, 3 do
          local cx, cy, cz = x % 2, y % 3, 0
          for _, v in ipairs { x, y, z, cx + 2 * cy, 6, cx, cy, cz, 2, 3, 1, 1, x // 2, y // 3,
            2, 2 } do want[#want + 1] = v end
        end end end
        same(out:totable(), want, "word")
        m.kernels.places({ grid = 3, block = 32 }, out)
        same(out:slice { 1, 48 }:totable(), { 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 3, 1,
          1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 3, 1,
          2, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 2, 0, 3, 1 }, "without")
      ]])
    end)

    it("read, write and change each other's shared memory", function()
      local code = [[
        for _, n in ipairs { 1, 2, 5, 8 } do
          local rounds, blocks = 3, 4 * n
          local values = {}
          for i = 1, 64 * blocks do values[i] = (i * 7919) % 1009 end
          local out = cuda.zeros(8 * 64 * blocks, "int32")
          local launch = { grid = blocks, block = 64, cluster = n }
          local given = cuda.array(values, "int32")
          m.kernels.ring(launch, given, out, rounds, cuda.device().kind == "cpu")
          local want = {}
          for b = 0, blocks - 1 do
            local base, rank = b // n * n, b % n
            local function after(r, t)  -- what block r has after all rounds
              return values[(base + (r - rounds) % n) * 64 + t + 1] + rounds
            end
            local most = 0
            for r = 0, n - 1 do for t = 0, 63 do most = math.max(most, after(r, t)) end end
            for t = 0, 63 do
              local sum, next = 0, (rank + 1) % n
              for k = t % 4, 63, 4 do sum = sum + after((rank - 1) % n, k) end
              for _, v in ipairs { after(rank, t), after(next, t), sum, most, after(next, t),
                after(next, t), next * 100 + rank, 1 } do want[#want + 1] = v end
            end
          end
          same(out:totable(), want, n .. " blocks, word")
        end
      ]]
      run(device, code)
      if label == "cpu" then
        run(device, code, { LUACUDA_CPU_CHECK = "all", LUACUDA_CPU_THREADS = 1 })
        run(device, code, { LUACUDA_CPU_ARCH = 100, LUACUDA_CPU_JIT = "force" })
        run(device, code, { LUACUDA_CPU_ARCH = 120 })
      end
    end)

    it("give their edges to the blocks beside them", function()
      local code = [[
        local values, want = { [0] = 0, [257] = 0 }, {}
        for i = 1, 256 do values[i] = i * 7919 % 1009 end
        local out = cuda.zeros(256, "int32")
        m.kernels.halo({ grid = 8, block = 32, cluster = 4 }, cuda.array(values, "int32"), out)
        for i = 1, 256 do
          want[i] = (i % 128 == 1 and 0 or values[i - 1]) + 10 * values[i]
            + 100 * (i % 128 == 0 and 0 or values[i + 1])
        end
        same(out:totable(), want, "element")
      ]]
      run(device, code)
      if label == "cpu" then
        run(device, code, { LUACUDA_CPU_CHECK = "all" })
        run(device, code, { LUACUDA_CPU_JIT = "force", LUACUDA_CPU_ARCH = "100" })
      end
    end)

    it("are accessed by lanes in any order", function()
      local code = [[
        for _, spread in ipairs { false, true } do
          local values, want, sums = {}, {}, { 0, 0, 0, 0, 0, 0, 0, 0 }
          for i = 1, 1024 do values[i] = i * 7919 % 1009 end
          for b = 0, 3 do
            for t = 0, 255 do
              local i = (b + 1 + (spread and t or 0)) % 4 * 256 + t * 37 % 256 + 1
              want[i] = t % 3 ~= 0 and values[i] * 2 + 1 or values[i]
              sums[t % 4 + 1] = sums[t % 4 + 1] + values[i]
              sums[t % 4 + 5] = sums[t % 4 + 5] + 2 * values[i]
            end
          end
          local out, sum = cuda.zeros(1024, "int32"), cuda.zeros(8, "uint32")
          m.kernels.scattered({ grid = 4, block = 256, cluster = 4 }, cuda.array(values, "int32"),
            out, sum, spread)
          same(out:totable(), want, "element")
          same(sum:totable(), sums, "sum")
        end
      ]]
      run(device, code)
      if label == "cpu" then
        run(device, code, { LUACUDA_CPU_CHECK = "all" })
        run(device, code, { LUACUDA_CPU_JIT = "force" })
      end
    end)

    it("wait for all threads that have not ended", function()
      run(device, [[
        local rounds = 40
        local out = cuda.zeros(4 * rounds, "int32")
        m.kernels.phases({ grid = 2, block = 100 }, out, rounds)
        local got = out:totable()
        for rank = 0, 1 do
          for r = 1, rounds do
            assert(got[rank * rounds * 2 + r] == r, r)
            assert(got[rank * rounds * 2 + rounds + r] == 1)
          end
        end
      ]])
    end)

    it("have the size that the kernel was compiled for", function()
      run(device, [[
        local out = cuda.zeros(8, "int32")
        m.kernels.fixed({ grid = 8, block = 32 }, out)
        same(out:totable(), { 4, 4, 4, 4, 4, 4, 4, 4 }, "block")
        assert(m.kernels.fixed.required_cluster_width == 4)
        assert(m.kernels.places.required_cluster_width == 0)
        local ok, e = pcall(m.kernels.fixed, { grid = 6, block = 32 }, out)
        assert(not ok and tostring(e):find("grid of 6 along x is not a multiple"))
      ]])
    end)

    it("are complete where the launch counts threads", function()
      run(device, [[
        local out = cuda.zeros(8, "int32")
        m.kernels.fixed({ threads = 160, block = 32 }, out)
        same(out:totable(), { 4, 4, 4, 4, 4, 4, 4, 4 }, "block")
        m.kernels.fixed:prepare { threads = 33, block = 32 }(out:fill(0))
        same(out:totable(), { 4, 4, 4, 4, 0, 0, 0, 0 }, "block")
        out = cuda.zeros(16 * 6, "int32")
        m.kernels.places({ threads = 100, block = 32, cluster = 3 }, out)
        assert(out:item(16 * 5 + 1) == 5 and out:item(16 * 5 + 5) == 3)
      ]])
    end)

    it("of more than 8 blocks need a permission", function()
      run(device, [[
        local k, out = m.kernels.places, cuda.zeros(16 * 32, "int32")
        local ok, e = pcall(k, { grid = 32, block = 32, cluster = 16 }, out)
        assert(not ok and tostring(e):find("non_portable_cluster_size_allowed", 1, true), e)
        k.non_portable_cluster_size_allowed = 1
        k({ grid = 32, block = 32, cluster = 16 }, out)
        assert(out:item(16 * 31 + 4) == 15 and out:item(16 * 31 + 5) == 16)
      ]])
    end)

    it("that run at the same time are counted", function()
      run(device, [[
        local k, d = m.kernels, cuda.device()
        local function active(...) return k.places:max_active_clusters(...) end
        local blocks = k.places:occupancy(128) * d.multiprocessor_count
        local last = active(128, 1)
        assert(last >= 1 and last <= blocks and (d.kind ~= "cpu" or last == blocks), last)
        for _, n in ipairs { 2, 4, 8 } do
          local now = active(128, n)
          assert(now >= 1 and now * n <= blocks and now <= last, now)
          last = now
        end
        assert(active({ 16, 8 }, { 2, 2, 2 }) == active(128, 8))
        assert(active(1024, 4) <= active(128, 4) and active(128, 4, 40000) <= active(128, 4))
        assert(k.fixed:max_active_clusters(128) == k.fixed:max_active_clusters(128, 4))
        assert(k.fixed:max_active_clusters(128) > 0)
        same({ k.places:max_cluster_size(128), k.places:max_cluster_size({ 16, 8 }, 40000),
          k.fixed:max_cluster_size(128) }, { 8, 8, 4 }, "largest cluster")
        local function fails(text, method, ...)
          local ok, e = pcall(k.places[method], k.places, ...)
          assert(not ok and tostring(e):find(text, 1, true), e)
        end
        fails("places: max_active_clusters: the cluster is missing", "max_active_clusters", 128)
        fails("cluster of 16 blocks is more than the 8", "max_active_clusters", 128, 16)
        fails("launch: 'cluster': expected", "max_active_clusters", 128, "x")
        fails("shared memory exceed the", "max_cluster_size", 128, 1 << 24)
        fails("shared", "max_cluster_size", 128, -1)
        fails("block of 4096", "max_cluster_size", 4096)
        k.places.non_portable_cluster_size_allowed = 1
        assert(active(128, 16) >= 1 and k.places:max_cluster_size(128) >= 8)
      ]])
    end)
  end)
end)

-- Faults, which GPUs do not explain.
describe("a fault of a cluster", function()
  local FAULTS = [==[
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void past(int *out, int rank, int index) {
      __shared__ int s[8];
      cg::cluster_group c = cg::this_cluster();
      s[threadIdx.x % 8] = 0;
      c.sync();
      unsigned at;
      asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at)
                   : "r"((unsigned)__cvta_generic_to_shared(s + index)), "r"(rank));
      asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(at), "r"(1) : "memory");
      c.sync();
    }
    extern "C" __global__ void global(int *out) {
      *cg::this_cluster().map_shared_rank(out, 1) = 1;
    }
    extern "C" __global__ void row(int *out, int from, bool add) {
      __shared__ int s[64];
      cg::cluster_group c = cg::this_cluster();
      s[threadIdx.x] = s[threadIdx.x + 32] = 0;
      c.sync();
      int *other = c.map_shared_rank(s, 1) + from + threadIdx.x;
      if (add) atomicAdd(other, 1);
      else out[threadIdx.x] = *other;
      c.sync();
    }
    extern "C" __global__ void own(int *out) {
      __shared__ int s[8];
      s[threadIdx.x % 8] = 0;
      unsigned at;
      asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(at)
                   : "r"((unsigned)__cvta_generic_to_shared(s)));
      asm volatile("ld.shared::cta.u32 %0, [%0];" : "+r"(at) :: "memory");
      *out = at;
    }
    extern "C" __global__ void ended(int *out) {
      __shared__ int s[8];
      cg::cluster_group c = cg::this_cluster();
      s[threadIdx.x % 8] = 0;
      c.sync();
      if (c.block_rank() == 1) return;
      __nanosleep(1000);
      for (volatile int k = 0; k < 100; k++) ;
      *out = *c.map_shared_rank(s, 1);
    }
    extern "C" __global__ void twice() {
      asm volatile("barrier.cluster.arrive;");
      if (threadIdx.x == 5) asm volatile("barrier.cluster.arrive;");
      asm volatile("barrier.cluster.wait;");
    }
    extern "C" __global__ void early() {
      asm volatile("barrier.cluster.wait;");
    }
    extern "C" __global__ void hangs() {
      if (cg::this_cluster().block_rank() == 0) asm volatile("bar.sync 1, 64;");
      cg::this_cluster().sync();
    }]==]

  local function fault(call)
    local ok, out = helper.lua(("local SOURCE = [===[%s]===]\n"):format(FAULTS) .. [[
      local cuda = require "luacuda"
      cuda.use "cpu"
      local k, out = cuda.module(SOURCE).kernels, cuda.zeros(4, "int32")
      local ok, e = pcall(function() ]] .. call .. [[; cuda.synchronize() end)
      print(ok, tostring(e))]], { env = { LUACUDA_CPU_ARCH = "90" } })
    assert.is_true(ok and out:find("^false") ~= nil, out)
    return out
  end

  local cases = {
    { "past the end of a block", "k.past({ grid = 2, block = 32, cluster = 2 }, out, 1, 8)",
      "out of bounds: write of 4 bytes at 0x420 in shared memory, "
        .. "block 1 of the cluster has 32 bytes from 0x400 on" },
    { "whose row passes the end of a block",
      "k.row({ grid = 2, block = 32, cluster = 2 }, cuda.zeros(32, 'int32'), 40, false)",
      "read of 4 bytes at 0x500 in shared memory, "
        .. "block 1 of the cluster has 256 bytes from 0x400 on" },
    { "whose atomics pass the end of a block",
      "k.row({ grid = 2, block = 32, cluster = 2 }, cuda.zeros(32, 'int32'), 40, true)",
      "atomic of 4 bytes at 0x500 in shared memory, "
        .. "block 1 of the cluster has 256 bytes from 0x400 on" },
    { "with a rank that is not there", "k.past({ grid = 2, block = 32, cluster = 2 }, out, 2, 0)",
      "the cluster has 2 blocks, the address is in block 2" },
    { "with a negative rank", "k.past({ grid = 2, block = 32, cluster = 2 }, out, -1, 0)",
      "mapa got a rank that the cluster of 2 blocks does not have" },
    { "with an address that is not shared",
      "k.global({ grid = 2, block = 32, cluster = 2 }, out)",
      "mapa got an address that is not in shared memory" },
    { "with an access to the own block", "k.own({ grid = 2, block = 32, cluster = 2 }, out)",
      "the address is in block 1 of the cluster: shared::cluster" },
    { "with a block that has ended", "k.ended({ grid = 2, block = 32, cluster = 2 }, out)",
      "use after free: read of 4 bytes at 0x400 in shared memory, "
        .. "block 1 of the cluster has ended" },
    { "that arrives twice", "k.twice({ grid = 2, block = 32, cluster = 2 })",
      "arrives at the barrier of the cluster twice without a wait" },
    { "that did not arrive", "k.early({ grid = 2, block = 32, cluster = 2 })",
      "waits at the barrier of the cluster without having arrived" },
    { "that is a deadlock", "k.hangs({ grid = 2, block = 32, cluster = 2 })",
      "deadlock in kernel 'hangs': block (0,0,0): threads 0-31 wait at barrier 1 for 64 threads" },
  }
  for _, case in ipairs(cases) do
    it(case[1], function() helper.contains(fault(case[2]), case[3]) end)
  end

  it("names the blocks of a deadlock that wait for each other", function()
    helper.contains(fault(cases[#cases][2]),
      "block (1,0,0): threads 0-31 wait at the barrier of the cluster")
  end)
end)
