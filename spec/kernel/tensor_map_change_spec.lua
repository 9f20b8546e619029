-- tensormap.replace and tensormap.cp_fenceproxy: kernels that change a tensor map, field by field,
-- before they copy by it, against the tensor in Lua.
local helper = require "spec.helper"

local SOURCE = [==[
  struct alignas(128) Map { char bytes[128]; };
  typedef unsigned long long u64;
  __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

  #define FIELD(text, value) \
    asm volatile("tensormap.replace.tile." text ", %1;" :: "r"(at(&map)), value : "memory")
  #define KNOWN(text) \
    asm volatile("tensormap.replace.tile." text ";" :: "r"(at(&map)) : "memory")

  // Block b gets a box of 6 rows of 8 floats, every other row, of the tensor at p, of h x w floats
  // in rows of `pitch` bytes, with NaN outside. Its map is made of one for something else.
  extern "C" __global__ void boxes(const __grid_constant__ Map given, Map *made, const float *p,
                                   int w, int h, u64 pitch, const int *places, float *out) {
    __shared__ Map map;
    __shared__ alignas(128) float box[3][8];
    __shared__ alignas(8) u64 bar;
    Map *mine = made + blockIdx.x;
    const int *c = places + 2 * blockIdx.x;
    if (threadIdx.x < 32) ((int *)&map)[threadIdx.x] = ((const int *)&given)[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
      FIELD("global_address.shared::cta.b1024.b64 [%0]", "l"(p));
      FIELD("rank.shared::cta.b1024.b32 [%0]", "r"(1));
      FIELD("global_dim.shared::cta.b1024.b32 [%0], 0", "r"(w));
      FIELD("global_dim.shared::cta.b1024.b32 [%0], 1", "r"(h));
      FIELD("global_stride.shared::cta.b1024.b64 [%0], 0", "l"(pitch));
      FIELD("box_dim.shared::cta.b1024.b32 [%0], 0", "r"(8));
      FIELD("box_dim.shared::cta.b1024.b32 [%0], 1", "r"(6));
      FIELD("element_stride.shared::cta.b1024.b32 [%0], 0", "r"(1));
      FIELD("element_stride.shared::cta.b1024.b32 [%0], 1", "r"(2));
      KNOWN("elemtype.shared::cta.b1024.b32 [%0], 7");
      KNOWN("interleave_layout.shared::cta.b1024.b32 [%0], 0");
      KNOWN("swizzle_mode.shared::cta.b1024.b32 [%0], 0");
      KNOWN("fill_mode.shared::cta.b1024.b32 [%0], 1");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&bar)) : "memory");
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x < 32)
      asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu"
                   ".sync.aligned [%0], [%1], 128;" :: "l"(mine), "r"(at(&map)) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" :: "l"(mine)
                   : "memory");
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                   :: "r"(at(&bar)), "n"(sizeof box) : "memory");
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                   ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                   :: "r"(at(box)), "l"(mine), "r"(c[0]), "r"(c[1]), "r"(at(&bar)) : "memory");
    }
    asm volatile("{\n\t.reg .pred done;\nagain:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n\t"
                 "@!done bra again;\n\t}" :: "r"(at(&bar)) : "memory");
    if (threadIdx.x < 24) out[24 * blockIdx.x + threadIdx.x] = (&box[0][0])[threadIdx.x];
  }
  // Gives a map for rows of 32 bytes a swizzle of 128.
  extern "C" __global__ void twist(const __grid_constant__ Map given, Map *made) {
    __shared__ Map map;
    __shared__ alignas(128) float box[8];
    __shared__ alignas(8) u64 bar;
    map = given;
    KNOWN("swizzle_mode.shared::cta.b1024.b32 [%0], 3");
    *made = map;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&bar)) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];"
                 :: "r"(at(box)), "l"(made), "r"(0), "r"(at(&bar)) : "memory");
  }
]==]

local function run(label, gpu, env)
  env.LUACUDA_CPU_ARCH = "90"
  local ok, out = helper.lua(("local SOURCE, GPU = [===[%s]===], %s\n"):format(SOURCE, gpu) .. [[
    local cuda = require "luacuda"
    cuda.use(tonumber((...):match "%d+") or ...)
    local k = cuda.kernel { source = SOURCE, name = "boxes", arch = GPU and "sm_90a" or nil }
    math.randomseed(5)
    local W, H, PITCH, BLOCKS = 21, 13, 24, 40
    local v = {}
    for i = 1, H * PITCH do v[i] = math.random(1, 1000) end
    local places = {}
    for i = 1, BLOCKS do
      places[2 * i - 1], places[2 * i] = 4 * math.random(-2, W // 4), math.random(-7, H)
    end
    local other = cuda.zeros({ 3, 4, 32 }, "uint8")
    local given = cuda.tensor_map(other, { box = { 1, 2, 32 }, swizzle = 32 })
    local made = cuda.zeros(BLOCKS * 128, "uint8")
    local out = cuda.zeros({ BLOCKS, 3, 8 }, "float32")
    k({ grid = BLOCKS, block = 64 }, given, made, cuda.array(v, "float32"), W, H, PITCH * 4,
      cuda.array(places, "int32"), out)
    for b, box in ipairs(out:totable()) do
      for r, row in ipairs(box) do
        for c, got in ipairs(row) do
          local x, y = places[2 * b - 1] + c - 1, places[2 * b] + 2 * (r - 1)
          if x < 0 or x >= W or y < 0 or y >= H then assert(got ~= got, got)
          else assert(got == v[y * PITCH + x + 1], got) end
        end
      end
    end
  ]], { env = env, args = { label } })
  assert.is_true(ok, out)
end

helper.for_each_device(function(device, label)
  if label ~= "cpu" and (device.cc ~= 90 or helper.fake_gpu) then return end

  describe("tensor maps", function()
    it("are changed by kernels", function() run(label, label ~= "cpu", {}) end)
    if label == "cpu" then
      it("are changed by kernels, with all checks", function()
        run(label, false, { LUACUDA_CPU_CHECK = "all" })
      end)

      it("whose swizzle does not fit any more are refused", function()
        local ok, out = helper.lua(("local SOURCE = [===[%s]===]\n"):format(SOURCE) .. [[
          local cuda = require "luacuda"
          cuda.use "cpu"
          local map = cuda.tensor_map(cuda.zeros({ 4, 8 }, "float32"), { box = { 1, 8 } })
          cuda.kernel(SOURCE, "twist")({ grid = 1, block = 1 }, map, cuda.zeros(128, "uint8"))
          cuda.synchronize()]], { env = { LUACUDA_CPU_ARCH = "90" } })
        assert.is_false(ok)
        helper.contains(out, "a row of the box has 32 bytes, which its swizzle does not fit")
      end)
    end
  end)
end)
