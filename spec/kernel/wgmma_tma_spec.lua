-- A product of matrices in CUDA C++ as programs for sm_90a write it: tensor maps copy tiles into
-- swizzled shared memory, four warps multiply them by wgmma. Against sums in Lua.
local helper = require "spec.helper"

local function list(n, form)
  local t = {}
  for i = 0, n - 1 do t[i + 1] = form:format(i) end
  return table.concat(t, ", ")
end

-- Block (x, y): rows 64 y of a, 64 x of b, which are k values of f16 each; steps of 64 along k.
local SOURCE = [==[
  struct alignas(128) Map { char bytes[128]; };
  typedef unsigned long long u64;
  __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
  __device__ void load(unsigned to, const Map *map, u64 *bar, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4}], [%2];"
                 :: "r"(to), "l"(map), "r"(at(bar)), "r"(x), "r"(y) : "memory");
  }
  __device__ void wait(u64 *bar, int phase) {
    asm volatile("{\n\t.reg .pred done;\nagain:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
                 "@!done bra again;\n\t}" :: "r"(at(bar)), "r"(phase) : "memory");
  }
  // Rows of 128 bytes, swizzled; eight of them are 1024 bytes.
  __device__ u64 describe(unsigned address) {
    return (u64)((address & 0x3ffff) >> 4) | 1ull << 16 | (u64)(1024 >> 4) << 32 | 1ull << 62;
  }
  __device__ void multiply(float (&d)[32], u64 a, u64 b) {
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %34, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {]==]
  .. list(32, "%%%d") .. [==[}, %32, %33, p, 1, 1, 0, 0;\n\t}"
                 : ]==] .. list(32, '"+f"(d[%d])') .. [==[
                 : "l"(a), "l"(b), "r"(1));
  }
  extern "C" __global__ void __launch_bounds__(128)
  gemm(const __grid_constant__ Map a, const __grid_constant__ Map b, float *c, int n, int k) {
    extern __shared__ unsigned char raw[];
    __shared__ u64 bar;
    unsigned ta = (at(raw) + 1023) & ~1023u, tb = ta + 8192;
    float d[32] = {};
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&bar)) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int step = 0; step < k / 64; step++) {
      if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16384;"
                     :: "r"(at(&bar)) : "memory");
        load(ta, &a, &bar, step * 64, blockIdx.y * 64);
        load(tb, &b, &bar, step * 64, blockIdx.x * 64);
      }
      wait(&bar, step & 1);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      for (int i = 0; i < 4; i++) multiply(d, describe(ta + i * 32), describe(tb + i * 32));
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      __syncthreads();
    }
    int lane = threadIdx.x % 32, row = blockIdx.y * 64 + threadIdx.x / 32 * 16 + lane / 4;
    for (int i = 0; i < 32; i++)
      c[(row + i / 2 % 2 * 8) * n + blockIdx.x * 64 + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
  }
]==]

local function run(label, env)
  env.LUACUDA_CPU_ARCH = "90"
  local ok, out = helper.lua(("local SOURCE = [===[%s]===]\n"):format(SOURCE) .. [[
    local cuda = require "luacuda"
    cuda.use(tonumber((...):match "%d+") or ...)
    local gemm = cuda.kernel { source = SOURCE, name = "gemm", arch = "compute_90a" }
    local M, N, K = 128, 64, 192
    math.randomseed(3)
    local function draw(rows)
      local m = {}
      for r = 1, rows do
        m[r] = {}
        for k = 1, K do m[r][k] = math.random(-8, 8) end
      end
      return m, cuda.array(m, "float16")
    end
    local a, da = draw(M)
    local b, db = draw(N)
    local c = cuda.zeros({ M, N }, "float32")
    local tile = { box = { 64, 64 }, swizzle = 128 }
    gemm({ grid = { N // 64, M // 64 }, block = 128, shared = 16384 + 1024 },
      cuda.tensor_map(da, tile), cuda.tensor_map(db, tile), c, N, K)
    local got = c:totable()
    for r = 1, M do
      for col = 1, N do
        local sum = 0
        for k = 1, K do sum = sum + a[r][k] * b[col][k] end
        assert(got[r][col] == sum, ("[%d, %d]: %s, not %s"):format(r, col, got[r][col], sum))
      end
    end
  ]], { env = env, args = { label } })
  assert.is_true(ok, out)
end

helper.for_each_device(function(device, label)
  if label ~= "cpu" and (device.cc ~= 90 or helper.fake_gpu) then return end

  describe("wgmma with tensor maps", function()
    it("multiplies matrices", function() run(label, {}) end)
    if label ~= "cpu" then return end
    it("does so with all checks", function() run(label, { LUACUDA_CPU_CHECK = "all" }) end)
    it("does so compiled", function() run(label, { LUACUDA_CPU_JIT = "force" }) end)
  end)
end)
