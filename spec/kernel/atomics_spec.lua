-- atomicMin and atomicMax of all widths, saturation, and the ends of shared memory, on random input
-- and at the limits.
local helper = require "spec.helper"

local SOURCE = [[
template <typename T> __global__ void extremes (T *low, T *high, T *seen, const T *in, int n) {
  __shared__ T least, most;
  int i = threadIdx.x;
  if (i == 0) { least = in[0]; most = in[0]; }
  __syncthreads();
  for (int k = i; k < n; k += blockDim.x) {
    seen[k] = atomicMin(&low[0], in[k]);
    atomicMax(&high[0], in[k]);
    atomicMin(&least, in[k]);
    atomicMax(&most, in[k]);
  }
  __syncthreads();
  if (i == 0) { low[1] = least; high[1] = most; }
}
__global__ void saturate (long long *to, const double *d, const int *a, const int *b, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  int sum, difference;
  asm("add.sat.s32 %0, %1, %2;" : "=r"(sum) : "r"(a[i]), "r"(b[i]));
  asm("sub.sat.s32 %0, %1, %2;" : "=r"(difference) : "r"(a[i]), "r"(b[i]));
  to[6 * i] = sum;
  to[6 * i + 1] = difference;
  to[6 * i + 2] = __double2int_rz(d[i]);
  to[6 * i + 3] = __float2int_rz((float)d[i]);
  to[6 * i + 4] = __double2uint_rz(d[i]);
  to[6 * i + 5] = __float2uint_rz((float)d[i]);
}
]]

local TYPES = { { "int", "int32" }, { "unsigned", "uint32" }, { "long long", "int64" },
  { "unsigned long long", "uint64" } }
local INSTANCES = {}
for k, t in ipairs(TYPES) do INSTANCES[k] = "extremes<" .. t[1] .. ">" end

local function any(dtype)
  local v = math.random(0) >> (math.random(3) == 1 and math.random(0, 63) or 0)
  if dtype == "int32" then return (v & 0xFFFFFFFF ~ 0x80000000) - 0x80000000 end
  return dtype == "uint32" and v & 0xFFFFFFFF or v
end

local function clamp(v, low, high) return v < low and low or v > high and high or v end

helper.for_each_device(function()
  local cuda = require "luacuda"

  for k, t in ipairs(TYPES) do
    it("atomicMin and atomicMax of " .. t[1], function()
      local m = cuda.module { source = SOURCE, instances = INSTANCES }
      local less = t[2] == "uint64" and math.ult or function(a, b) return a < b end
      for _ = 1, 5 do
        local values, least, most = {}, nil, nil
        for i = 1, 200 do
          local v = any(t[2])
          values[i] = v
          least = (not least or less(v, least)) and v or least
          most = (not most or less(most, v)) and v or most
        end
        local low, high = cuda.array({ values[1], 0 }, t[2]), cuda.array({ values[1], 0 }, t[2])
        local seen = cuda.zeros(200, t[2])
        m:kernel(INSTANCES[k])({ grid = 1, block = 64 }, low, high, seen,
          cuda.array(values, t[2]), 200)
        assert.same({ least, least }, low:totable())
        assert.same({ most, most }, high:totable())
        for _, v in ipairs(seen:totable()) do assert.is_false(less(v, least)) end
      end
    end)
  end

  it("conversions and sums saturate at the limits", function()
    local m = cuda.module { source = SOURCE, instances = INSTANCES }
    local d, a, b = {}, {}, {}
    local EDGES = { 2 ^ 31, -2 ^ 31, 2 ^ 31 - 1, -2 ^ 31 - 1, 2 ^ 32, 2 ^ 32 - 1, 1e300, -1e300, 0,
      -1, 2147483520, -2147483904, 4294967040 }
    for i = 1, 500 do
      d[i] = EDGES[i] or (math.random() - 0.5) * 2 ^ math.random(1, 40)
      a[i], b[i] = any "int32", any "int32"
    end
    a[1], b[1], a[2], b[2], a[3], b[3] = 2147483647, 1, -2147483648, -1, -2147483648, 1
    local got = cuda.zeros(3000, "int64")
    m:kernel "saturate"({ grid = 1, block = 512 }, got, cuda.array(d, "float64"),
      cuda.array(a, "int32"), cuda.array(b, "int32"), 500)
    got = got:totable()
    local function whole(v, low, high)
      v = clamp(v, low, high)
      return math.tointeger(v < 0 and math.ceil(v) or math.floor(v))
    end
    for i = 1, 500 do
      local f = string.unpack("f",
        string.pack("f", d[i] > 3e38 and 3e38 or d[i] < -3e38 and -3e38 or d[i]))
      local want = { clamp(a[i] + b[i], -2147483648, 2147483647),
        clamp(a[i] - b[i], -2147483648, 2147483647), whole(d[i], -2147483648, 2147483647),
        whole(f, -2147483648, 2147483647), whole(d[i], 0, 4294967295), whole(f, 0, 4294967295) }
      assert.same(want, { table.unpack(got, 6 * i - 5, 6 * i) },
        ("of %s, %d and %d"):format(d[i], a[i], b[i]))
    end
  end)
end)

describe("The end of shared memory on the CPU device", function()
  local cuda = require "luacuda"
  local previous
  before_each(function() previous = cuda.use "cpu" end)
  after_each(function() cuda.use(previous) end)

  -- 24 static bytes, then the dynamic ones at offset 32.
  local ENDS = [[
    template <typename T> __global__ void touch (int *out, int from, int step) {
      __shared__ long long own[3];
      extern __shared__ __align__(16) char more[];
      own[threadIdx.x % 3] = 0;
      __syncthreads();
      T v = {};
      *(volatile char *)&more[from + step * (int)threadIdx.x] = 1;
      *(T *)&more[from + step * (int)threadIdx.x] = v;
      out[threadIdx.x] = (int)own[threadIdx.x % 3];
    }
  ]]

  it("is exact for every width, for one lane and for many, consecutive or not", function()
    local m = cuda.module { source = ENDS, instances = {
      "touch<char>", "touch<short>", "touch<int>", "touch<long long>", "touch<int4>",
    } }
    local out = cuda.zeros(64, "int32")
    local function runs(name, shared, block, from, step)
      return (pcall(function()
        m:kernel("touch<" .. name .. ">")({ grid = 1, block = block, shared = shared }, out, from,
          step)
        cuda.synchronize()
      end))
    end
    for name, bytes in pairs { char = 1, short = 2, int = 4, ["long long"] = 8, int4 = 16 } do
      for _, case in ipairs {
        { 1, bytes }, { 32, bytes }, { 32, 2 * bytes }, { 33, bytes }, { 32, 0 },
      } do
        local block, step = case[1], case[2]
        local needed = bytes + step * (block - 1)
        local what = ("%s, %d threads, step %d"):format(name, block, step)
        assert.is_true(runs(name, needed, block, 0, step), what)
        assert.is_false(runs(name, needed - 1, block, 0, step), what .. ", one byte less")
        assert.is_false(runs(name, needed, block, bytes, step), what .. ", one further")
        assert.is_false(runs(name, needed, block, -2048, step), what .. ", before the start")
      end
    end
  end)
end)
