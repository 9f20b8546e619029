-- Tensor maps in im2col mode: copies of pixels that follow each other, against plain Lua. The CPU
-- device has them from compute capability 9.0 on, which is chosen per process.
local helper = require "spec.helper"

-- load_N: block b copies pixels from the coordinates at[b] on, with the offsets after[b], to shared
-- memory, and what is there to out. store_N: the other way. Coordinates begin with the last axis.
local SOURCE = [==[
  struct alignas(128) Map { char bytes[128]; };
  typedef unsigned long long u64;
  __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
  __device__ void wait(u64 *bar) {
    asm volatile("{\n\t.reg .pred done;\nagain:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n\t"
                 "@!done bra again;\n\t}" :: "r"(at(bar)) : "memory");
  }
  #define C3 "r"(c[0]), "r"(c[1]), "r"(c[2])
  #define C4 C3, "r"(c[3])
  #define C5 C4, "r"(c[4])
  #define O3 "h"(o[0])
  #define O4 O3, "h"(o[1])
  #define O5 O4, "h"(o[2])
  #define LOAD(n, list, offsets, ...) \
    extern "C" __global__ void load_##n(const __grid_constant__ Map map, const int *places, \
                                        const unsigned short *after, unsigned char *out, \
                                        int bytes) { \
      extern __shared__ __align__(1024) unsigned char s[]; \
      __shared__ u64 bar; \
      const int *c = places + n * blockIdx.x; \
      const unsigned short *o = after + (n - 2) * blockIdx.x; \
      if (threadIdx.x == 0) { \
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&bar)) : "memory"); \
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); \
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" \
                     :: "r"(at(&bar)), "r"(bytes) : "memory"); \
        asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.im2col" \
                     ".mbarrier::complete_tx::bytes [%0], [%1, {" list "}], [%2], {" offsets "};" \
                     :: "r"(at(s)), "l"(&map), "r"(at(&bar)), __VA_ARGS__ : "memory"); \
      } \
      __syncthreads(); \
      wait(&bar); \
      for (int i = threadIdx.x; i < bytes; i += blockDim.x) out[blockIdx.x * bytes + i] = s[i]; \
    }
  #define STORE(n, list, ...) \
    extern "C" __global__ void store_##n(const __grid_constant__ Map map, const int *places, \
                                         const unsigned char *in, int bytes) { \
      extern __shared__ __align__(1024) unsigned char s[]; \
      const int *c = places + n * blockIdx.x; \
      for (int i = threadIdx.x; i < bytes; i += blockDim.x) s[i] = in[blockIdx.x * bytes + i]; \
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); \
      __syncthreads(); \
      if (threadIdx.x == 0) { \
        asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.im2col_no_offs.bulk_group " \
                     "[%1, {" list "}], [%0];" \
                     :: "r"(at(s)), "l"(&map), "r"(0), __VA_ARGS__ : "memory"); \
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory"); \
      } \
    }
  LOAD(3, "%3, %4, %5", "%6", C3, O3)
  LOAD(4, "%3, %4, %5, %6", "%7, %8", C4, O4)
  LOAD(5, "%3, %4, %5, %6, %7", "%8, %9, %10", C5, O5)
  STORE(3, "%3, %4, %5", C3)
  STORE(4, "%3, %4, %5, %6", C4)
  STORE(5, "%3, %4, %5, %6, %7", C5)
]==]

local PRELUDE = [[
  local cuda = require "luacuda"
  cuda.use(tonumber((...):match "%d+") or ...)
  local m = cuda.module(SOURCE)
  local state = 7
  local function random(n)
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return (state >> 8) % n
  end
  local SIZE = { uint8 = 1, int16 = 2, int32 = 4, float32 = 4 }
  local PACK = { uint8 = "B", int16 = "<h", int32 = "<i4", float32 = "<f" }

  -- The coordinates that pixels have along spatial axis a, the first one is 2.
  local function positions(t, a)
    local list = {}
    local high = t.shape[a] - 1 + (t.high and t.high[a - 1] or 0)
    for c = t.low and t.low[a - 1] or 0, high, t.steps and t.steps[a] or 1 do
      list[#list + 1] = c
    end
    return list
  end

  -- Calls each(offset in shared memory, index into the elements or nil) for what a copy moves from
  -- pixel number `first` on, counted from the first image.
  local function walk(t, first, channel, offsets, each)
    local rank, lists, per_image = #t.shape, {}, 1
    for a = 2, rank - 1 do
      lists[a] = positions(t, a)
      per_image = per_image * #lists[a]
    end
    for p = 0, t.pixels - 1 do
      local image, rest = (first + p) // per_image, (first + p) % per_image
      local inside, index, stride = image < t.shape[1], 0, t.shape[rank]
      for a = rank - 1, 2, -1 do
        local c = lists[a][rest % #lists[a] + 1] + offsets[rank - a]
        rest = rest // #lists[a]
        inside = inside and c >= 0 and c < t.shape[a]
        index, stride = index + c * stride, stride * t.shape[a]
      end
      index = index + image * stride
      for k = 0, t.channels - 1 do
        local at = (p * t.channels + k) * SIZE[t.dtype]
        local mask = t.swizzle and t.swizzle // 16 - 1 or 0
        local there = inside and channel + k < t.shape[rank]
        each(at ~ ((at >> 7 & mask) << 4), there and index + channel + k or nil)
      end
    end
    return per_image
  end

  -- The coordinates of a pixel, last axis first.
  local function coordinates(t, first, channel)
    local rank, out = #t.shape, { channel }
    for a = rank - 1, 2, -1 do
      local list = positions(t, a)
      out[#out + 1] = list[first % #list + 1]
      first = first // #list
    end
    out[#out + 1] = first
    return out
  end

  local function check(t)
    local rank, count = #t.shape, 1
    for a = 1, rank do count = count * t.shape[a] end
    local v = {}
    for i = 1, count do v[i] = random(100) end
    local all = cuda.array(v, t.dtype):reshape(t.shape)
    local map = cuda.tensor_map(all, { channels = t.channels, pixels = t.pixels, low = t.low,
      high = t.high, steps = t.steps, swizzle = t.swizzle, nan = t.nan })
    assert(#map == 128)
    local zeros = { 0, 0, 0 }
    local per_image = walk(t, 0, 0, zeros, function() end)
    local places, after, starts = {}, {}, {}
    for b = 1, t.blocks do
      local first = random(per_image * t.shape[1])
      local unit = 16 // SIZE[t.dtype] -- copies begin at a multiple of 16 bytes of a row
      local channel = random(t.shape[rank] // unit) * unit
      local offsets = {}
      for k = 1, rank - 2 do offsets[k] = random(3) end
      starts[b] = { first, channel, offsets }
      for _, c in ipairs(coordinates(t, first, channel)) do places[#places + 1] = c end
      for _, c in ipairs(offsets) do after[#after + 1] = c end
    end
    local bytes = t.pixels * t.channels * SIZE[t.dtype]
    local launch = { grid = t.blocks, block = 64, shared = bytes + 1024 }
    local at = cuda.array(places, "int32")
    local out = cuda.zeros(t.blocks * bytes, "uint8")
    m.kernels["load_" .. rank](launch, map, at, cuda.array(after, "uint16"), out, bytes)
    local got = string.char(table.unpack(out:totable()))
    for b = 1, t.blocks do
      walk(t, starts[b][1], starts[b][2], starts[b][3], function(offset, index)
        local x = string.unpack(PACK[t.dtype], got, (b - 1) * bytes + offset + 1)
        local want = index and v[index + 1] or 0
        if not index and t.nan then assert(x ~= x) else
          assert(x == want, ("%dd, %d: %s, not %s"):format(rank, offset, x, want))
        end
      end)
    end
    if t.loads then return end
    -- back: the first block only, since others may write the same pixels
    local text = {}
    for i = 1, bytes do text[i] = random(50) end
    launch.grid = 1
    m.kernels["store_" .. rank](launch, map, at, cuda.array(text, "uint8"), bytes)
    text = string.char(table.unpack(text))
    walk(t, starts[1][1], starts[1][2], zeros, function(offset, index)
      if index then v[index + 1] = (string.unpack(PACK[t.dtype], text, offset + 1)) end
    end)
    cuda.synchronize() -- the launch does not know that it writes the array
    local now = all:flatten():totable()
    for i = 1, #v do
      if now[i] ~= v[i] then
        error(("%dd, element %d: %s, not %s"):format(rank, i, now[i], v[i]))
      end
    end
  end
]]

local function run(label, code, env)
  env = env or {}
  env.LUACUDA_CPU_ARCH = env.LUACUDA_CPU_ARCH or "90"
  local ok, out = helper.lua(("local SOURCE = [===[%s]===]\n"):format(SOURCE) .. PRELUDE .. code,
    { env = env, args = { label } })
  assert.is_true(ok, out)
  return out
end

local PIXELS = [[
  check { shape = { 5, 20, 8 }, channels = 4, pixels = 16, dtype = "int32", blocks = 12 }
  check { shape = { 3, 30, 8 }, channels = 8, pixels = 24, low = { -2 }, high = { 1 },
    dtype = "float32", nan = true, blocks = 12, loads = true }
  check { shape = { 3, 30, 8 }, channels = 8, pixels = 24, low = { 1 }, high = { -2 },
    dtype = "float32", blocks = 12 }
  check { shape = { 3, 9, 10, 16 }, channels = 16, pixels = 40, low = { -1, -2 }, high = { -1, 0 },
    dtype = "int16", blocks = 16, loads = true }
  check { shape = { 3, 9, 10, 16 }, channels = 16, pixels = 40, low = { 0, 2 }, high = { -1, 0 },
    dtype = "int16", blocks = 16 }
  check { shape = { 2, 12, 14, 32 }, channels = 16, pixels = 32, low = { -1, -1 },
    high = { -1, -1 }, steps = { 1, 2, 3, 1 }, dtype = "uint8", blocks = 16, loads = true }
  check { shape = { 2, 8, 8, 32 }, channels = 32, pixels = 64, low = { 1, 0 }, high = { -1, -1 },
    dtype = "int32", swizzle = 128, blocks = 4 }
  check { shape = { 2, 4, 5, 6, 4 }, channels = 4, pixels = 50, low = { 1, 0, 0 },
    high = { 0, -1, -1 }, steps = { 1, 1, 2, 1, 1 }, dtype = "float32", blocks = 16 }
]]

helper.for_each_device(function(device, label)
  if label ~= "cpu" and (device.cc < 90 or helper.fake_gpu) then return end

  describe("tensor maps of pixels", function()
    it("copy them to and from shared memory", function() run(label, PIXELS) end)

    if label == "cpu" then
      it("do so with all checks", function() run(label, PIXELS, { LUACUDA_CPU_CHECK = "all" }) end)
    end

    it("are checked", function()
      run(label, [[
        local a = cuda.zeros({ 2, 5, 16, 16 }, "float32")
        local function fails(text, ...)
          local ok, e = pcall(cuda.tensor_map, ...)
          assert(not ok and tostring(e):find(text, 1, true), e)
        end
        fails("'channels' and 'pixels' stand in its place", a, { box = { 1, 1, 4, 4 },
          channels = 4 })
        fails("option 'low' goes with 'channels'", a, { box = { 1, 1, 4, 4 }, low = { 0, 0 } })
        fails("need 3 to 5 axes, got 2", cuda.zeros({ 8, 8 }), { channels = 4 })
        fails("option 'low': expected 2 integers, one per spatial axis, got 1", a,
          { channels = 4, low = { 0 } })
        fails("expected integers from -32768 to 32767", a, { channels = 4, high = { 0, 40000 } })
        fails("channels", a, { channels = 257 })
        fails("pixels", a, { channels = 4, pixels = 1025 })
        fails("cuTensorMapEncodeIm2col", a, { channels = 4, low = { -129, 0 } })
        fails("cuTensorMapEncodeIm2col", a, { channels = 3 })
      ]])
    end)
  end)
end)

-- Faults, which GPUs do not explain.
describe("a fault of a copy of pixels", function()
  local function fault(code)
    local ok, out = helper.lua(("local SOURCE = [===[%s]===]\n"):format(SOURCE) .. PRELUDE .. [[
      local a = cuda.zeros({ 2, 5, 16, 16 }, "float32")
      local bytes = cuda.zeros(1024, "uint8")
      local at, after = cuda.zeros(5, "int32"), cuda.zeros(3, "uint16")
      local ok, e = pcall(function()
        local launch = { grid = 1, block = 32, shared = 4096 }
        ]] .. code .. [[
        cuda.synchronize()
      end)
      print(ok, tostring(e))]], { env = { LUACUDA_CPU_ARCH = "90" }, args = { "cpu" } })
    assert.is_true(ok and out:find("^false") ~= nil, out)
    return out
  end

  it("whose map is for boxes", function()
    helper.contains(fault [[
      m.kernels.load_4(launch, cuda.tensor_map(a, { box = { 1, 1, 4, 4 } }), at, after, bytes, 64)
    ]], "the tensor map is of mode tile, the instruction is not")
  end)

  it("whose map has other dimensions", function()
    helper.contains(fault [[
      m.kernels.load_3(launch, cuda.tensor_map(a, { channels = 4 }), at, after, bytes, 16)
    ]], "the tensor map has 4 dimensions, the instruction 3")
  end)

  it("back whose pixels begin outside the tensor", function()
    helper.contains(fault [[
      m.kernels.store_4(launch, cuda.tensor_map(a, { channels = 4, pixels = 4, low = { 0, -1 } }),
        at, bytes, 64)
    ]], "lower corner -1 of dimension 1: GPUs do not write boxes that begin outside the tensor")
    helper.contains(fault [[
      m.kernels.store_4(launch, cuda.tensor_map(a, { channels = 4, pixels = 4, high = { 2, 0 } }),
        at, bytes, 64)
    ]], "upper corner 2 of dimension 2: GPUs do not write boxes that begin outside the tensor")
  end)

  it("of an array that is gone", function()
    helper.contains(fault [[
      local map = cuda.tensor_map(a, { channels = 4, pixels = 4 })
      a:free()
      cuda.pool():trim()
      m.kernels.load_4(launch, map, at, after, bytes, 64)
    ]], "use after free")
  end)
end)
