-- Copies of boxes of tensors by tensor maps, against plain Lua. The CPU device has them from
-- compute capability 9.0 on, which is chosen per process.
local helper = require "spec.helper"

-- load_N: block b copies the box at the coordinates at[b] to shared memory, and what is there to
-- out. store_N: the other way. The coordinates begin with the last axis.
local SOURCE = [==[
  struct alignas(128) Map { char bytes[128]; };
  typedef unsigned long long u64;
  __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
  __device__ void wait(u64 *bar) {
    asm volatile("{\n\t.reg .pred done;\nagain:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n\t"
                 "@!done bra again;\n\t}" :: "r"(at(bar)) : "memory");
  }
  #define C1 "r"(c[0])
  #define C2 C1, "r"(c[1])
  #define C3 C2, "r"(c[2])
  #define C4 C3, "r"(c[3])
  #define C5 C4, "r"(c[4])
  #define LOAD(n, list, ...) \
    extern "C" __global__ void load_##n(const __grid_constant__ Map map, const int *places, \
                                        unsigned char *out, int bytes) { \
      extern __shared__ __align__(1024) unsigned char s[]; \
      __shared__ u64 bar; \
      const int *c = places + n * blockIdx.x; \
      if (threadIdx.x == 0) { \
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&bar)) : "memory"); \
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); \
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" \
                     :: "r"(at(&bar)), "r"(bytes) : "memory"); \
        asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile" \
                     ".mbarrier::complete_tx::bytes [%0], [%1, {" list "}], [%2];" \
                     :: "r"(at(s)), "l"(&map), "r"(at(&bar)), __VA_ARGS__ : "memory"); \
      } \
      __syncthreads(); \
      wait(&bar); \
      for (int i = threadIdx.x; i < bytes; i += blockDim.x) out[blockIdx.x * bytes + i] = s[i]; \
    } \
    extern "C" __global__ void store_##n(const __grid_constant__ Map map, const int *places, \
                                         const unsigned char *in, int bytes) { \
      extern __shared__ __align__(1024) unsigned char s[]; \
      const int *c = places + n * blockIdx.x; \
      for (int i = threadIdx.x; i < bytes; i += blockDim.x) s[i] = in[blockIdx.x * bytes + i]; \
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); \
      __syncthreads(); \
      if (threadIdx.x == 0) { \
        asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.tile.bulk_group " \
                     "[%1, {" list "}], [%0];" \
                     :: "r"(at(s)), "l"(&map), "r"(0), __VA_ARGS__ : "memory"); \
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory"); \
      } \
    }
  LOAD(1, "%3", C1)
  LOAD(2, "%3, %4", C2)
  LOAD(3, "%3, %4, %5", C3)
  LOAD(4, "%3, %4, %5, %6", C4)
  LOAD(5, "%3, %4, %5, %6, %7", C5)

  // Combines a box of words, or of one word over and over, with what is there.
  #define REDUCE(op, name) \
    extern "C" __global__ void name(const __grid_constant__ Map map, int x, int y, int words, \
                                    const unsigned *in, int step) { \
      extern __shared__ __align__(1024) unsigned box[]; \
      for (int i = threadIdx.x; i < words; i += blockDim.x) box[i] = in[i * step]; \
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); \
      __syncthreads(); \
      if (threadIdx.x == 0) { \
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." op ".tile.bulk_group " \
                     "[%1, {%2, %3}], [%0];" \
                     :: "r"(at(box)), "l"(&map), "r"(x), "r"(y) : "memory"); \
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory"); \
      } \
    }
  REDUCE("add", add)
  REDUCE("min", least)
  REDUCE("max", most)
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
  local SIZE = { uint8 = 1, int16 = 2, uint32 = 4, int32 = 4, float32 = 4, int64 = 8, float64 = 8 }
  local PACK = { uint8 = "B", int16 = "<h", uint32 = "<I4", int32 = "<i4", float32 = "<f",
    int64 = "<i8", float64 = "<d" }

  -- Calls each(offset in shared memory, index into the tensor's elements or nil) for a box. Copies
  -- back write whole units of 16 bytes of a row.
  local function walk(t, place, each, back)
    local rank, k = #t.shape, {}
    local count, unit = 1, back and 16 // SIZE[t.dtype] or 1
    for a = 1, rank do count = count * math.ceil(t.box[a] / (t.steps and t.steps[a] or 1)) end
    for i = 0, count - 1 do
      local rest, index, inside, stride = i, 0, true, 1
      for a = rank, 1, -1 do
        local n = math.ceil(t.box[a] / (t.steps and t.steps[a] or 1))
        local c = place[rank + 1 - a] + rest % n * (t.steps and t.steps[a] or 1)
        rest = rest // n
        local extent = a < rank and t.shape[a] or (t.shape[a] + unit - 1) // unit * unit
        inside = inside and c >= 0 and c < extent
        index = index + c * stride
        stride = stride * (a == rank and t.pitch or t.shape[a])
      end
      local at = i * SIZE[t.dtype]
      local mask = t.swizzle and t.swizzle // 16 - 1 or 0
      each(at ~ ((at >> 7 & mask) << 4), inside and index or nil)
    end
    return count * SIZE[t.dtype]
  end

  -- A tensor with rows of `pitch` elements, and a view of it without the gaps.
  local function make(t)
    local rows = 1
    for a = 1, #t.shape - 1 do rows = rows * t.shape[a] end
    local v = {}
    for i = 1, rows * t.pitch do v[i] = random(100) end
    local all = cuda.array(v, t.dtype)
    local shape = table.move(t.shape, 1, #t.shape, 1, {})
    shape[#shape] = t.pitch
    local ranges = {}
    for a = 1, #t.shape do ranges[a] = { 1, t.shape[a] } end
    return v, all, all:reshape(shape):slice(table.unpack(ranges))
  end

  local function check(t)
    local rank = #t.shape
    local v, all, view = make(t)
    local map = cuda.tensor_map(view,
      { box = t.box, steps = t.steps, swizzle = t.swizzle, nan = t.nan })
    assert(#map == 128)
    local places, bytes = {}, 0
    for b = 1, t.blocks do
      for k = 1, rank do
        local a = rank + 1 - k
        local c = random(t.shape[a] + t.box[a]) - t.box[a] + 1
        -- the first one is copied back, and begins inside
        if b == 1 then c = t.first and t.first[k] or random(t.shape[a]) end
        -- boxes begin at a multiple of 16 bytes of a row
        places[#places + 1] = k > 1 and c or c - c % (16 // SIZE[t.dtype])
      end
    end
    bytes = walk(t, places, function() end)
    local launch = { grid = t.blocks, block = 64, shared = bytes + 1024 }
    local at = cuda.array(places, "int32")
    local out = cuda.zeros(t.blocks * bytes, "uint8")
    m.kernels["load_" .. rank](launch, map, at, out, bytes)
    local got = string.char(table.unpack(out:totable()))
    for b = 0, t.blocks - 1 do
      local place = table.move(places, b * rank + 1, (b + 1) * rank, 1, {})
      walk(t, place, function(offset, index)
        local x = string.unpack(PACK[t.dtype], got, b * bytes + offset + 1)
        local want = index and v[index + 1] or 0
        if not index and t.nan then assert(x ~= x) else
          assert(x == want, ("%s %d: %s, not %s"):format(t.dtype, offset, x, want))
        end
      end)
    end
    -- back: the first box only, since boxes may overlap
    local bytes_in = {}
    for i = 1, bytes do bytes_in[i] = random(50) end
    launch.grid = 1
    m.kernels["store_" .. rank](launch, map, at, cuda.array(bytes_in, "uint8"), bytes)
    local text = string.char(table.unpack(bytes_in))
    walk(t, places, function(offset, index)
      if index then v[index + 1] = (string.unpack(PACK[t.dtype], text, offset + 1)) end
    end, true)
    cuda.synchronize() -- the launch does not know that it writes the array
    local now = all:totable()
    for i = 1, #v do
      if now[i] ~= v[i] then
        error(("element %d of %s: %s, not %s"):format(i, t.dtype, now[i], v[i]))
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

local BOXES = [[
  check { shape = { 1000 }, pitch = 1000, box = { 64 }, dtype = "float32", blocks = 9 }
  check { shape = { 30, 40 }, pitch = 48, box = { 8, 16 }, dtype = "int32", blocks = 20 }
  check { shape = { 30, 40 }, pitch = 48, box = { 5, 32 }, dtype = "uint8", blocks = 20 }
  check { shape = { 30, 40 }, pitch = 48, box = { 5, 16 }, dtype = "uint8", blocks = 20,
    first = { 32, 2 } } -- rows end within its unit of 16 bytes
  check { shape = { 9, 10, 20 }, pitch = 24, box = { 3, 4, 8 }, dtype = "int16", blocks = 20 }
  check { shape = { 4, 5, 6, 10 }, pitch = 12, box = { 2, 3, 2, 4 }, dtype = "float64",
    blocks = 20 }
  check { shape = { 3, 3, 4, 5, 12 }, pitch = 12, box = { 2, 2, 2, 3, 4 }, dtype = "uint32",
    blocks = 20 }
  check { shape = { 30, 40 }, pitch = 40, box = { 8, 16 }, dtype = "float32", blocks = 9,
    nan = true }
  check { shape = { 60, 40 }, pitch = 40, box = { 24, 8 }, steps = { 3, 1 }, dtype = "int32",
    blocks = 9 }
  check { shape = { 60, 64 }, pitch = 64, box = { 40, 32 }, dtype = "int32", swizzle = 128,
    blocks = 6 }
  check { shape = { 60, 64 }, pitch = 64, box = { 40, 16 }, dtype = "int32", swizzle = 64,
    blocks = 6 }
  check { shape = { 60, 64 }, pitch = 64, box = { 40, 16 }, dtype = "int16", swizzle = 32,
    blocks = 6 }
]]

helper.for_each_device(function(device, label)
  if label ~= "cpu" and (device.cc < 90 or helper.fake_gpu) then return end

  describe("tensor maps", function()
    it("copy boxes to and from shared memory", function() run(label, BOXES) end)

    if label == "cpu" then
      it("do so with all checks, and for 12.0", function()
        run(label, BOXES, { LUACUDA_CPU_CHECK = "all", LUACUDA_CPU_ARCH = "120" })
      end)
    end

    it("change what is there", function()
      run(label, [[
        local a = cuda.zeros({ 20, 16 }, "uint32")
        local map = cuda.tensor_map(a, { box = { 8, 8 } })
        local one = cuda.array({ 1 }, "uint32")
        for _ = 1, 3 do
          m.kernels.add({ grid = 5, block = 32, shared = 2048 }, map, 12, 14, 64, one, 0)
        end
        cuda.synchronize()
        for y, row in ipairs(a:totable()) do
          for x, v in ipairs(row) do assert(v == ((y > 14 and x > 12) and 15 or 0)) end
        end
      ]])
    end)

    it("compare numbers as those of their dtype", function()
      run(label, [[
        local SIZES = { uint32 = 4, int32 = 4, uint64 = 8, int64 = 8, float16 = 2, bfloat16 = 2 }
        for dtype, size in pairs(SIZES) do
          local function bits(n)
            local list = {}
            for i = 1, n do list[i] = random(256) end
            local a = cuda.array(list, "uint8"):view(dtype)
            return size > 2 and a or cuda.where(cuda.isnan(a), cuda.zeros(1, dtype), a)
          end
          local before, box = bits(8 * 16 * size), bits(8 * 16 * size)
          for name, reduce in pairs { least = cuda.minimum, most = cuda.maximum } do
            local a = before:copy():reshape(8, 16)
            local map = cuda.tensor_map(a, { box = { 8, 16 } })
            m.kernels[name]({ grid = 1, block = 32, shared = 2048 }, map, 0, 0, 32 * size,
              box:view "uint32", 1)
            cuda.synchronize()
            assert(cuda.array_equal(a, reduce(before, box):reshape(8, 16)), dtype .. " " .. name)
          end
        end
      ]])
    end)

    it("round float32 to TF32", function()
      run(label, [[
        local a = cuda.random.normal{ 4, 32 } * 1000
        a[1][1], a[1][2], a[1][3], a[1][4] = math.huge, -math.huge, 0 / 0, 1 + 2 ^ -11
        local map = cuda.tensor_map(a, { box = { 4, 32 }, tf32 = true })
        local out = cuda.zeros(512, "uint8")
        m.kernels.load_2({ grid = 1, block = 64, shared = 2048 }, map, cuda.zeros(2, "int32"), out,
          512)
        local got = out:view("float32"):reshape { 4, 32 }
        assert(((got:view "uint32" & 0x1fff):eq(0) | cuda.isnan(got)):all())
        local finite = cuda.isfinite(a)
        assert(cuda.array_equal(got[1]:slice{ 1, 2 }, a[1]:slice{ 1, 2 }) and got:item(1, 3) ~= 0)
        local off = cuda.where(finite, cuda.abs(got - a) / cuda.abs(a), 0):max()
        assert(off > 0 and off <= 2.0 ^ -10, off)
      ]])
    end)

    it("are checked", function()
      run(label, [[
        local a = cuda.zeros({ 20, 16 }, "float32")
        local function fails(text, ...)
          local ok, e = pcall(cuda.tensor_map, ...)
          assert(not ok and tostring(e):find(text, 1, true), e)
        end
        fails("option 'box' is missing", a)
        fails("expected 2 integers, one per axis, got 1", a, { box = { 4 } })
        fails("expected integers from 1 to 256", a, { box = { 4, 300 } })
        fails("expected 0, 32, 64 or 128, got 16", a, { box = { 4, 4 }, swizzle = 16 })
        fails("its last axis has gaps", a:transpose(), { box = { 4, 4 } })
        fails("no elements of type complex64", cuda.zeros(4, "complex64"), { box = { 4 } })
        fails("option 'tf32': the elements are int32, and not float32", cuda.zeros(4, "int32"),
          { box = { 4 }, tf32 = true })
        fails("cuTensorMapEncodeTiled", a, { box = { 4, 3 } })
      ]])
    end)
  end)
end)

-- Faults, which GPUs do not explain.
describe("a fault of a copy by a tensor map", function()
  local cases = {
    { "of another rank", [[local a = cuda.zeros({ 20, 16 }, "float32")
      local map = cuda.tensor_map(a, { box = { 4, 4 } })
      m.kernels.load_1({ grid = 1, block = 32, shared = 2048 }, map, cuda.zeros(4, "int32"),
        cuda.zeros(64, "uint8"), 64)]], "the tensor map has 2 dimensions, the instruction 1" },
    { "that is none", [[m.kernels.load_1({ grid = 1, block = 32, shared = 2048 },
      ("\0"):rep(128), cuda.zeros(4, "int32"), cuda.zeros(64, "uint8"), 64)]],
      "there is no tensor map" },
    { "past the end of shared memory", [[local a = cuda.zeros(1000, "float32")
      m.kernels.load_1({ grid = 1, block = 32, shared = 128 },
        cuda.tensor_map(a, { box = { 256 } }), cuda.zeros(4, "int32"), cuda.zeros(2048, "uint8"),
        64)]],
      "out of bounds: write of 1024 bytes" },
    { "back that begins outside the tensor", [[local a = cuda.zeros({ 20, 16 }, "uint32")
      m.kernels.add({ grid = 1, block = 32, shared = 2048 }, cuda.tensor_map(a, { box = { 8, 8 } }),
        4, -2, 64, a, 0)]],
      "coordinate -2 of dimension 1: GPUs do not write boxes that begin outside the tensor" },
    { "that begins within a unit of 16 bytes", [[local a = cuda.zeros(1000, "int16")
      m.kernels.load_1({ grid = 1, block = 32, shared = 2048 },
        cuda.tensor_map(a, { box = { 64 } }), cuda.array({ -12 }, "int32"),
        cuda.zeros(128, "uint8"), 128)]],
      "coordinate -12 of the innermost dimension is at byte -24, not a multiple of 16" },
  }
  for _, case in ipairs(cases) do
    it(case[1], function()
      helper.contains(run("cpu", "print(pcall(function()\n" .. case[2]
        .. "\ncuda.synchronize() end))"), case[3])
    end)
  end
end)
