-- What LUACUDA_CPU_CHECK=all finds in shared memory beside races: accesses through one array that
-- meet another one; and the names of arrays in its reports.
local helper = require "spec.helper"
local planted = require "spec.support.planted"

local faults, check = planted.faults, planted.check

describe("all checks of the CPU device", function()
  it("find accesses through a shared array that miss it", function()
    check({ "out of bounds:7", "none", "out of bounds:15", "none", "out of bounds:24", "none",
      "out of bounds:32", "none", "out of bounds:39", "none" }, faults([[
__global__ void past_the_end(float *o, int d) {
  extern __shared__ float s[];
  __shared__ float t[32];
  int i = threadIdx.x;
  s[i] = i;
  __syncthreads();
  t[i + d] = 7;
  __syncthreads();
  o[i] = s[31 - i] + t[3];
}
__global__ void before(float *o, int d) {
  extern __shared__ float s[];
  __shared__ float t[32];
  t[threadIdx.x] = 1;
  s[(int)threadIdx.x - d] = 2;
  __syncthreads();
  o[threadIdx.x] = s[31] + t[3];
}
__device__ void put(float *p, int i, float v) { p[i] = v; }
__global__ void both_sides(float *o, int d) {
  __shared__ float a[32], b[32];
  put(a, threadIdx.x, 1);
  put(b, threadIdx.x, 2);
  float *p = b + d; float v = p[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = a[31 - threadIdx.x] + v;
}
__global__ void wide(float *o, int d) {
  __shared__ __align__(16) float a[32]; __shared__ __align__(16) float b[128];
  for (int k = 0; k < 4; k++) b[4 * threadIdx.x + k] = 1;
  a[threadIdx.x] = 1; __syncthreads();
  float4 v = ((float4 *)a)[threadIdx.x / d];
  o[threadIdx.x] = v.x + v.w + b[127 - threadIdx.x];
}
__global__ void counted(int *o, int d) {
  __shared__ int bins[16], n[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = n[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x / d], 1);
  __syncthreads();
  o[threadIdx.x] = bins[threadIdx.x % 16] + n[threadIdx.x % 16];
}
]], [[
  local shape = { grid = 1, block = 32, shared = 128 }
  for name, arguments in ("past_the_end 1 0 before 1 0 both_sides -1 0 wide 1 4 "):gmatch
    "([%a_]+)([- %d]+)" do
    for d in arguments:gmatch "%S+" do
      launch(name, shape, cuda.zeros(32), math.tointeger(d))
    end
  end
  launch("counted", shape, cuda.zeros(32, "int32"), 1)
  launch("counted", shape, cuda.zeros(32, "int32"), 2)
]]))
  end)

  it("leave out pointers that may point to several shared arrays", function()
    check({ "none", "none", "none" }, faults([[
__global__ void exchanged(const float *in, float *o, int n) {
  __shared__ float a[64], b[64];
  float *from = a, *to = b;
  a[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int k = 0; k < n; k++) {
    to[threadIdx.x] = from[63 - threadIdx.x];
    __syncthreads();
    float *t = from; from = to; to = t;
  }
  o[threadIdx.x] = from[threadIdx.x];
}
__device__ float sum(const float *p, int n) {
  float s = 0;
  for (int k = 0; k < n; k++) s += p[k];
  return s;
}
__global__ void chosen(const float *in, float *o, int n) {
  __shared__ float a[64], b[32];
  a[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 32) b[threadIdx.x] = 1;
  __syncthreads();
  o[threadIdx.x] = sum(n > 4 ? a + n : b, 32 - n);
}
__global__ void carved(const float *in, float *o, int n) {
  extern __shared__ char raw[];
  __shared__ float one[4];
  double *d = (double *)raw;
  float *f = (float *)(d + 64);
  if (threadIdx.x < 4) one[threadIdx.x] = 1;
  d[threadIdx.x] = in[threadIdx.x];
  f[threadIdx.x] = 2;
  __syncthreads();
  o[threadIdx.x] = d[63 - threadIdx.x] + f[63 - threadIdx.x] + one[n & 3];
}
]], [[
  local x, y = cuda.ones(64), cuda.zeros(64)
  for _, name in ipairs { "exchanged", "chosen", "carved" } do
    launch(name, { grid = 2, block = 64, shared = name == "carved" and 64 * 12 or 0 }, x, y, 5)
  end
]]))
  end)

  it("name the shared array", function()
    check({ "just past the end of `t`, which has 128 bytes from 0x400 on, at ",
      "read of the shared byte at offset 0x84 (byte 4 of the dynamic part), which no",
      "read of the shared byte at offset 0x40 (byte 64 of `t`), which no thread of" }, faults([[
namespace lib {
  __global__ void k(float *o, int what) {
    extern __shared__ float s[];
    __shared__ float t[32];
    int i = threadIdx.x;
    if (what == 0) t[i + 1] = 1;
    if (what != 2 || i != 16) t[i] = 1;
    s[i] = i;
    if (what != 1) __syncthreads();
    o[i] = s[i ^ (what == 1)] + t[i];
  }
}
]], [[
  for what = 0, 2 do
    launch("lib::k", { grid = 1, block = 32, shared = 128 }, cuda.zeros(32), what)
  end
]]))
  end)

  -- Arrays of these bytes, the last of them dynamic; accesses of these types.
  local NAMES, BYTES = { "a", "b", "c", "raw" }, { 4, 7, 24, 48 }
  local TYPES = { "uchar1", "ushort1", "uint1", "ulonglong1", "uint4" }
  local SIZES = { 1, 2, 4, 8, 16 }

  local function kernels()
    local list = { [[
#define KERNELS(NAME, V, T) \
  __global__ void NAME##_write(uint4 *o, int d) { \
    ARRAYS \
    *(T *)(V + ((int)threadIdx.x + d)) = T{7}; \
    __syncthreads(); \
    o[0].x = a[1] + b[1] + c[1] + raw[1]; \
  } \
  __global__ void NAME##_read(uint4 *o, int d) { \
    ARRAYS \
    *(T *)&o[1] = *(T *)(V + ((int)threadIdx.x + d)); \
    o[0].x = a[1] + b[1] + c[1] + raw[1]; \
  }
#define ARRAYS \
  extern __shared__ __align__(16) unsigned char raw[]; \
  __shared__ __align__(16) unsigned char a[4], b[7], c[24]; \
  for (int i = 0; i < 48; i++) raw[i] = i; \
  for (int i = 0; i < 4; i++) a[i] = i; \
  for (int i = 0; i < 7; i++) b[i] = i; \
  for (int i = 0; i < 24; i++) c[i] = i; \
  __syncthreads();
__global__ void addresses(unsigned *o) {
  ARRAYS
  void *all[] = { a, b, c, raw };
  for (int k = 0; k < 4; k++) o[k] = (unsigned)__cvta_generic_to_shared(all[k]);
}
]] }
    for _, name in ipairs(NAMES) do
      for i, type_name in ipairs(TYPES) do
        list[#list + 1] = ("KERNELS(%s%d, %s, %s)\n"):format(name, SIZES[i], name, type_name)
      end
    end
    return table.concat(list)
  end

  -- What the report must say of an access to the kth array; nil: nothing is wrong.
  local function sentence(k, first, at, bytes)
    local name, n = NAMES[k], BYTES[k]
    local last, where = first + n
    if at < first then where = ("%d bytes before"):format(first - at)
    elseif at == last then where = "just past the end of"
    elseif at > last then where = ("%d bytes past the end of"):format(at - last)
    elseif at + bytes > last then where = "partly past the end of"
    else return end
    return ("%s %s, which has %d bytes from 0x%x on,"):format(where,
      name == "raw" and "the dynamic part" or "`" .. name .. "`", n, first)
  end

  it("tell where an access is beside a shared array", function()
    local lines = faults(kernels(), [[
  local o = cuda.zeros(4, "uint32")
  launch("addresses", { grid = 1, block = 1, shared = 48 }, o)
  print(table.concat(o:totable(), " "))
]])
    local first = {}
    for address in lines[2]:gmatch "%d+" do
      table.insert(first, math.tointeger(address))
    end
    local random, wanted, launches = helper.random(3), {}, {}
    for i = 1, 300 do
      local k, bytes = random(4) + 1, SIZES[random(5) + 1]
      local d = (random(BYTES[k] + 60) - 30) // bytes * bytes
      local verb = random(2) == 0 and "read" or "write"
      local text = sentence(k, first[k], first[k] + d, bytes)
      wanted[i] = text and ("out of bounds: %s of %d byte%s at 0x%x in shared memory, %s"):format(
        verb, bytes, bytes == 1 and "" or "s", first[k] + d, text) or "none"
      launches[i] = ("go('%s%d_%s', %d)"):format(NAMES[k], bytes, verb, d)
    end
    local got = faults(kernels(), [[
  local o = cuda.zeros({ 2, 4 }, "uint32")
  local function go(name, d) launch(name, { grid = 1, block = 1, shared = 48 }, o, d) end
]] .. table.concat(launches, "\n"))
    check(wanted, got)
  end)
end)
