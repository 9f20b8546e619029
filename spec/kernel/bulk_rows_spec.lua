-- Copies of sm_100: four rows of a tensor that a kernel names (tile::gather4, tile::scatter4), and
-- some bytes of every 16 (cp_mask), against plain Lua.
local helper = require "spec.helper"

local SOURCE = [==[
  struct alignas(128) Map { char bytes[128]; };
  typedef unsigned long long u64;
  __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

  // Block b: the columns from places[5 b] on of rows places[5 b + 1] ..., as they are in shared
  // memory, to out; then the bytes of in to the same rows, if `store`.
  extern "C" __global__ void rows(const __grid_constant__ Map map, const int *places,
                                  unsigned char *out, const unsigned char *in, int bytes,
                                  int store) {
    extern __shared__ __align__(1024) unsigned char s[];
    __shared__ u64 bar;
    const int *c = places + 5 * blockIdx.x;
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&bar)) : "memory");
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                   :: "r"(at(&bar)), "r"(bytes) : "memory");
      asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4"
                   ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5, %6}], [%7];"
                   :: "r"(at(s)), "l"(&map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]),
                      "r"(at(&bar)) : "memory");
    }
    __syncthreads();
    asm volatile("{\n\t.reg .pred done;\nagain:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n\t"
                 "@!done bra again;\n\t}" :: "r"(at(&bar)) : "memory");
    for (int i = threadIdx.x; i < bytes; i += blockDim.x) {
      out[blockIdx.x * bytes + i] = s[i];
      s[i] = in[i];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0 && store) {
      asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
                   "[%0, {%1, %2, %3, %4, %5}], [%6];"
                   :: "l"(&map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]),
                      "r"(at(s)) : "memory");
      asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
    }
  }
  extern "C" __global__ void some(unsigned char *out, int bytes, int mask) {
    extern __shared__ __align__(1024) unsigned char s[];
    for (int i = threadIdx.x; i < bytes; i += blockDim.x) s[i] = i + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%0], [%1], %2, %3;"
                   :: "l"(out), "r"(at(s)), "r"(bytes), "h"((short)mask) : "memory");
      asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
    }
  }
]==]

local function run(label, code)
  local ok, out = helper.lua(("local SOURCE = [===[%s]===]\n"):format(SOURCE) .. [[
    local cuda = require "luacuda"
    cuda.use(tonumber((...):match "%d+") or ...)
    local m = cuda.module { source = SOURCE, arch = "compute_100a" }
    math.randomseed(4)
  ]] .. code, { env = { LUACUDA_CPU_ARCH = "100" }, args = { label } })
  return ok, out
end

helper.for_each_device(function(device, label)
  if label ~= "cpu" and (device.cc ~= 100 or helper.fake_gpu) then return end

  describe("copies of sm_100", function()
    it("take four rows of a tensor", function()
      assert(run(label, [[
        local W, H, BOX, BLOCKS = 40, 30, 32, 12
        for _, swizzle in ipairs { 0, 128 } do
          local v, places, text = {}, {}, {}
          for i = 1, W * H do v[i] = math.random(1, 1000) end
          local a = cuda.array(v, "int32"):reshape { H, W }
          for b = 0, BLOCKS - 1 do
            places[5 * b + 1] = 4 * math.random(-2, W // 4 - 1)
            for k = 2, 5 do places[5 * b + k] = math.random(-3, H + 3) end
          end
          for i = 1, 16 * BOX do text[i] = math.random(0, 255) end
          local map = cuda.tensor_map(a, { box = { 1, BOX }, swizzle = swizzle })
          local bytes, at = 16 * BOX, cuda.array(places, "int32")
          local out = cuda.zeros(BLOCKS * bytes, "uint8")
          local launch = { grid = BLOCKS, block = 64, shared = bytes }
          m.kernels.rows(launch, map, at, out, cuda.array(text, "uint8"), bytes, 0)
          local got = string.char(table.unpack(out:totable()))
          local mask = swizzle == 0 and 0 or 7
          local function walk(b, each)
            for r = 0, 3 do
              for c = 0, BOX - 1 do
                local x, y = places[5 * b + 1] + c, places[5 * b + 2 + r]
                local offset = (r * BOX + c) * 4
                local inside = x >= 0 and x < W and y >= 0 and y < H
                each(offset ~ ((offset >> 7 & mask) << 4), inside and y * W + x + 1)
              end
            end
          end
          for b = 0, BLOCKS - 1 do
            walk(b, function(offset, index)
              local x = string.unpack("<i4", got, b * bytes + offset + 1)
              local want = index and v[index] or 0
              assert(x == want, ("swizzle %d, %d: %d, not %d"):format(swizzle, offset, x, want))
            end)
          end
          launch.grid = 1
          m.kernels.rows(launch, map, at, out, cuda.array(text, "uint8"), bytes, 1)
          local written = string.char(table.unpack(text))
          walk(0, function(offset, index)
            if index then v[index] = string.unpack("<i4", written, offset + 1) end
          end)
          cuda.synchronize()
          local now = a:flatten():totable()
          for i = 1, W * H do assert(now[i] == v[i], i) end
        end
      ]]))
    end)

    it("take some bytes", function()
      assert(run(label, [[
        for _, mask in ipairs { 0, 0xffff, 1, 0x8000, 0x5a3c } do
          local out = cuda.full(96, 200, "uint8")
          m.kernels.some({ grid = 1, block = 32, shared = 128 }, out, 80, mask)
          for i, got in ipairs(out:totable()) do
            local on = i <= 80 and mask >> (i - 1) % 16 & 1 == 1
            assert(got == (on and i or 200), i)
          end
        end
      ]]))
    end)

    if label ~= "cpu" then return end
    it("refuse maps for more rows", function()
      local ok, out = run(label, [[
        local a = cuda.zeros({ 8, 32 }, "int32")
        local map = cuda.tensor_map(a, { box = { 2, 32 } })
        local bytes = cuda.zeros(512, "uint8")
        m.kernels.rows({ grid = 1, block = 32, shared = 1024 }, map, cuda.zeros(5, "int32"), bytes,
          bytes, 512, 0)
        cuda.synchronize()
      ]])
      assert.is_false(ok)
      helper.contains(out, "the box has 2 rows; copies of four rows need one of one row")
    end)
  end)
end)
