-- Bulk copies, barrier objects that count bytes, and asynchronous stores to other blocks, against
-- plain Lua. The CPU device has them from compute capability 9.0 on, which is chosen per process.
local helper = require "spec.helper"

local HEAD = [==[
  typedef unsigned long long u64;
  __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
  __device__ unsigned map(unsigned a, unsigned rank) {
    unsigned r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(rank));
    return r;
  }
  __device__ unsigned rank() {
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
  }
  __device__ void sync() {
    asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
  }
  __device__ void start(u64 *bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(bar)), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __device__ void expect(u64 *bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;"
                 :: "r"(at(bar)), "r"(bytes) : "memory");
  }
  __device__ void wait(u64 *bar, unsigned parity) {
    asm volatile("{\n\t.reg .pred done;\nagain:\n\t"
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n\t"
                 "@!done bra again;\n\t}" :: "r"(at(bar)), "r"(parity) : "memory");
  }
  __device__ void load(void *to, const void *from, unsigned bytes, u64 *bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];"
                 :: "r"(at(to)), "l"(from), "r"(bytes), "r"(at(bar)) : "memory");
  }
  __device__ void store(void *to, const void *from, unsigned bytes) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :: "l"(to), "r"(at(from)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
  }
]==]

local SOURCE = HEAD .. [==[
  // Two buffers in turn: while one is summed, the other is filled.
  extern "C" __global__ void pipeline(const int *in, int *out, int tiles) {
    __shared__ __align__(16) int buffer[2][128];
    __shared__ u64 full[2], empty[2];
    unsigned t = threadIdx.x;
    if (t == 0) for (int k = 0; k < 2; k++) { start(full + k, 1); start(empty + k, 96); }
    __syncthreads();
    if (t >= 96) {
      if (t == 96) for (int i = 0; i < tiles; i++) {
        if (i >= 2) wait(empty + i % 2, (i / 2 - 1) & 1);
        expect(full + i % 2, 512);
        load(buffer[i % 2], in + i * 128, 512, full + i % 2);
      }
      return;
    }
    int sum = 0;
    for (int i = 0; i < tiles; i++) {
      wait(full + i % 2, (i / 2) & 1);
      for (int k = t; k < 128; k += 96) sum += buffer[i % 2][k] * (i + 1);
      asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];"
                   :: "r"(at(empty + i % 2)) : "memory");
    }
    atomicAdd(out, sum);
  }

  // The bytes arrive before they are expected; policies and hints change nothing.
  extern "C" __global__ void early(const int *in, int *out, int n) {
    extern __shared__ __align__(16) int s[];
    __shared__ u64 bar;
    u64 policy;
    if (threadIdx.x == 0) start(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 0.5;" : "=l"(policy));
      asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" :: "l"(in), "r"(4 * n));
      asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;" :: "r"(at(&bar)));
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                   ".L2::cache_hint [%0], [%1], %2, [%3], %4;" :: "r"(at(s)), "l"(in), "r"(4 * n),
                   "r"(at(&bar)), "l"(policy) : "memory");
      expect(&bar, 4 * n - 16);
    }
    wait(&bar, 0);
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = 3 * s[i] + 1;
    __syncthreads();
    if (threadIdx.x == 0) store(out, s, 4 * n);
  }

  // Each block sends a row to the next one, block 0 sends one to all odd blocks; then values one by
  // one, and arrivals without data.
  extern "C" __global__ void send(const int *in, int *out) {
    __shared__ __align__(16) int mine[32], next[32], all[32], async[32], sums[2];
    __shared__ u64 bar, arrived;
    unsigned t = threadIdx.x, r = rank(), n, to;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    to = (r + 1) % n;
    mine[t] = in[blockIdx.x * 32 + t];
    all[t] = -1;
    if (t < 2) sums[t] = 0;
    if (t == 0) { start(&bar, 1); start(&arrived, 32); }
    sync();
    if (t == 0) {
      expect(&bar, 128 + (r & 1) * 128 + 128 + 32 * 4);
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                   "[%0], [%1], 128, [%2];"
                   :: "r"(map(at(next), to)), "r"(at(mine)), "r"(map(at(&bar), to)) : "memory");
      if (r == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".multicast::cluster [%0], [%1], 128, [%2], %3;"
                     :: "r"(at(all)), "l"(in), "r"(at(&bar)), "h"((short)(0xaa & ((1 << n) - 1)))
                     : "memory");
    }
    __syncwarp();
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                 :: "r"(map(at(async + t), to)), "r"(mine[t] * 2), "r"(map(at(&bar), to))
                 : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                 "[%0], %1, [%2];" :: "r"(map(at(sums + t % 2), to)), "r"(mine[t]),
                 "r"(map(at(&bar), to)) : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
                 :: "r"(map(at(&arrived), to)) : "memory");
    wait(&bar, 0);
    wait(&arrived, 0);
    int *o = out + (blockIdx.x * 32 + t) * 4;
    o[0] = next[t];
    o[1] = all[t];
    o[2] = async[t];
    o[3] = sums[t % 2];
    sync();
  }

  #define REDUCE(name, op, T) \
    extern "C" __global__ void name(const T *in, T *out, int n) { \
      extern __shared__ __align__(16) char memory[]; \
      T *s = (T *)memory; \
      for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[i]; \
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); \
      __syncthreads(); \
      if (threadIdx.x == 0) { \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." op " [%0], [%1], %2;" \
                     :: "l"(out), "r"(at(s)), "r"(n * (int)sizeof(T)) : "memory"); \
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory"); \
      } \
    }
  REDUCE(add_u32, "add.u32", unsigned)
  REDUCE(add_s32, "add.s32", int)
  REDUCE(min_s32, "min.s32", int)
  REDUCE(max_u32, "max.u32", unsigned)
  REDUCE(and_b32, "and.b32", unsigned)
  REDUCE(or_b32, "or.b32", unsigned)
  REDUCE(xor_b64, "xor.b64", u64)
  REDUCE(inc_u32, "inc.u32", unsigned)
  REDUCE(dec_u32, "dec.u32", unsigned)
  REDUCE(add_u64, "add.u64", u64)
  REDUCE(min_s64, "min.s64", long long)
  REDUCE(add_f32, "add.f32", float)
  REDUCE(add_f64, "add.f64", double)

  // libcu++'s own way.
  #ifdef LIBRARY
  #include <cuda/barrier>
  #include <cuda/ptx>
  extern "C" __global__ void library(const int *in, int *out) {
    __shared__ __align__(16) int s[256];
    #pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) {
      init(&bar, blockDim.x);
      cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    }
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
      cuda::memcpy_async(s, in, cuda::aligned_size_t<16>(sizeof s), bar);
      token = cuda::device::barrier_arrive_tx(bar, 1, 0);
    } else token = bar.arrive();
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] += 5;
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
      cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out, s, sizeof s);
      cuda::ptx::cp_async_bulk_commit_group();
      cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>{});
    }
  }
  #endif
]==]

local PRELUDE = [[
  local cuda = require "luacuda"
  cuda.use(tonumber((...):match "%d+") or ...)
  local function same(got, want, what)
    assert(#got == #want, what)
    for i, v in ipairs(want) do
      if got[i] ~= v then error(("%s %d: %s, not %s"):format(what, i, got[i], v), 2) end
    end
  end
  local function random(n, range, seed)
    local t, x = {}, seed or 1
    for i = 1, n do
      x = (x * 1103515245 + 12345) & 0x7fffffff
      t[i] = (x >> 8) % range
    end
    return t
  end
]]

local function run(source, label, code, env)
  env = env or {}
  env.LUACUDA_CPU_ARCH = env.LUACUDA_CPU_ARCH or "90"
  local ok, out = helper.lua(("local SOURCE = [===[%s]===]\n"):format(source) .. PRELUDE .. code,
    { env = env, args = { label } })
  assert.is_true(ok, out)
  return out
end

-- What the reductions do, on integers below 2^20.
local REDUCTIONS = [[
  local m = cuda.module(SOURCE)
  local n = 64
  local a, b = random(n, 1 << 20, 3), random(n, 1 << 20, 5)
  a[1], a[2], a[3], b[3] = 0, b[2], b[3] + 1, b[3]
  local ways = {
    { "add_u32", "uint32", function(x, y) return x + y end },
    { "add_s32", "int32", function(x, y) return x + y end },
    { "min_s32", "int32", math.min }, { "max_u32", "uint32", math.max },
    { "and_b32", "uint32", function(x, y) return x & y end },
    { "or_b32", "uint32", function(x, y) return x | y end },
    { "xor_b64", "uint64", function(x, y) return x ~ y end },
    { "inc_u32", "uint32", function(x, y) return x >= y and 0 or x + 1 end },
    { "dec_u32", "uint32", function(x, y) return (x == 0 or x > y) and y or x - 1 end },
    { "add_u64", "uint64", function(x, y) return x + y end },
    { "min_s64", "int64", math.min },
    { "add_f32", "float32", function(x, y) return x + y end },
    { "add_f64", "float64", function(x, y) return x + y end },
  }
  for _, way in ipairs(ways) do
    local name, dtype, f = table.unpack(way)
    local out, want = cuda.array(a, dtype), {}
    m.kernels[name]({ grid = 1, block = 32, shared = 8 * n }, cuda.array(b, dtype), out, n)
    for i = 1, n do want[i] = f(a[i], b[i]) end
    same(out:totable(), want, name)
  end
]]

local SENDS = [[
  local m = cuda.module(SOURCE)
  for _, n in ipairs { 2, 4, 8 } do
    local blocks = 2 * n
    local v = random(32 * blocks, 1000, n)
    local out = cuda.zeros(4 * 32 * blocks, "int32")
    m.kernels.send({ grid = blocks, block = 32, cluster = n }, cuda.array(v, "int32"), out)
    local want = {}
    for b = 0, blocks - 1 do
      local r = b % n
      local before = (b - r + (r - 1) % n) * 32
      for t = 1, 32 do
        local sum = 0
        for k = (t - 1) % 2 + 1, 32, 2 do sum = sum + v[before + k] end
        for _, x in ipairs { v[before + t], r % 2 == 1 and v[t] or -1, 2 * v[before + t], sum } do
          want[#want + 1] = x
        end
      end
    end
    same(out:totable(), want, n .. " blocks, word")
  end
]]

local COPIES = [[
  local m = cuda.module(SOURCE)
  for _, tiles in ipairs { 1, 2, 3, 17 } do
    local v, sum = random(128 * tiles, 1000, tiles), 0
    local out = cuda.zeros(1, "int32")
    m.kernels.pipeline({ grid = 1, block = 128 }, cuda.array(v, "int32"), out, tiles)
    for i, x in ipairs(v) do sum = sum + x * ((i - 1) // 128 + 1) end
    assert(out:item(1) == sum)
  end
  for _, n in ipairs { 4, 100, 4096 } do
    local v = random(n, 100000, n)
    local out, want = cuda.zeros(n, "int32"), {}
    m.kernels.early({ grid = 1, block = 64, shared = 4 * n }, cuda.array(v, "int32"), out, n)
    for i = 1, n do want[i] = 3 * v[i] + 1 end
    same(out:totable(), want, "element")
  end
]]

helper.for_each_device(function(device, label)
  if label ~= "cpu" and (device.cc < 90 or helper.fake_gpu) then return end

  local ways = { { "" } }
  if label == "cpu" then
    ways[2] = { ", with all checks", { LUACUDA_CPU_CHECK = "all" } }
    ways[3] = { ", for 10.0", { LUACUDA_CPU_ARCH = "100" } }
  end
  for _, way in ipairs(ways) do
    local how, env = table.unpack(way)
    describe("bulk copies" .. how, function()
      it("between global and shared memory", function() run(SOURCE, label, COPIES, env) end)
      it("and stores to other blocks", function() run(SOURCE, label, SENDS, env) end)
      it("that change what is there", function() run(SOURCE, label, REDUCTIONS, env) end)
    end)
  end

  if label == "cpu" then
    for _, how in ipairs { "off", "force" } do
      it("fill shared memory with zeros, compiler " .. how, function()
        run([==[
          extern "C" __global__ void fill(int *out) {
            __shared__ __align__(16) int s[64];
            s[threadIdx.x] = threadIdx.x;
            __syncthreads();
            if (threadIdx.x == 3)
              asm volatile("st.bulk.weak.shared::cta [%0], %1, 0;"
                           :: "r"((unsigned)__cvta_generic_to_shared(s + 4)), "l"(128ull)
                           : "memory");
            __syncthreads();
            out[threadIdx.x] = s[threadIdx.x];
          }]==], label, [[
          local out, want = cuda.zeros(64, "int32"), {}
          cuda.module(SOURCE).kernels.fill({ grid = 1, block = 64 }, out)
          for i = 0, 63 do want[i + 1] = (i >= 4 and i < 36) and 0 or i end
          same(out:totable(), want, "word")
        ]], { LUACUDA_CPU_ARCH = "100", LUACUDA_CPU_JIT = how })
      end)
    end
  end

  it("copies as libcu++ does", function()
    run("#define LIBRARY\n" .. SOURCE, label, [=[
      local m = cuda.module(SOURCE)
      local out, want = cuda.zeros(256, "int32"), {}
      local v = random(256, 1000)
      m.kernels.library({ grid = 1, block = 64 }, cuda.array(v, "int32"), out)
      for i = 1, 256 do want[i] = v[i] + 5 end
      same(out:totable(), want, "element")
    ]=])
  end)
end)

-- Faults, which GPUs do not explain.
describe("a fault of a bulk copy", function()
  local FAULTS = HEAD .. [==[
    extern "C" __global__ void copy(const char *in, int from, int to, int bytes, int expected) {
      __shared__ __align__(16) char s[64];
      __shared__ u64 bar;
      if (threadIdx.x == 0) {
        start(&bar, 1);
        load(s + to, in + from, bytes, &bar);
        expect(&bar, expected);
      }
      __syncthreads();
      wait(&bar, 0);
    }
    extern "C" __global__ void nowhere(const char *in) {
      __shared__ __align__(16) char s[64];
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                   ".multicast::cluster [%0], [%1], 16, [%0], 6;"
                   :: "r"(at(s)), "l"(in) : "memory");
    }]==]

  local cases = {
    { "with another size", "k.copy(one, a, 0, 0, 20, 20)",
      "misaligned: write of 20 bytes at 0x400 in shared memory, "
        .. "the size 20 is not a multiple of 16" },
    { "at another address", "k.copy(one, a, 4, 0, 16, 16)",
      "misaligned: read of 16 bytes" },
    { "past the end of shared memory", "k.copy(one, a, 0, 64, 32, 32)",
      "out of bounds: write of 32 bytes at 0x440 in shared memory" },
    { "past the end of an array", "k.copy(one, a, 80, 0, 64, 64)",
      "out of bounds: read of 64 bytes" },
    { "that lacks bytes", "k.copy(one, a, 0, 0, 32, 48)",
      "wait for the barrier object at 0x440, which lacks 16 bytes" },
    { "that nobody expects", "k.copy(one, a, 0, 0, 32, 0)",
      "race: the block has ended, and 32 bytes are on their way to 0x400 in shared memory "
        .. "(byte 0 of `s`): no thread has waited for them at the barrier object at 0x440 in "
        .. "shared memory (byte 0 of `bar`), at" },
    { "to a block that is not there", "k.nowhere(one, a)",
      "the cluster has 1 block, the address is in block 1" },
  }
  for _, case in ipairs(cases) do
    it(case[1], function()
      local out = run(FAULTS, "cpu", [[
        local k, a = cuda.module(SOURCE).kernels, cuda.zeros(100, "uint8")
        local one = { grid = 1, block = 32 }
        local ok, e = pcall(function() ]] .. case[2] .. [[; cuda.synchronize() end)
        print(ok, tostring(e))]], { LUACUDA_CPU_LIVELOCK_MS = "100" })
      helper.contains(out, case[3])
    end)
  end
end)
