-- bfloat16 and 8-bit floats: conversions, pairs, products with float sums, stochastic bits.
local N = 96

local function to_bfloat(x)
  local bits = ("I4"):unpack(("f"):pack(x))
  local rest = bits & 0xffff
  bits = bits & 0xffff0000
  if rest > 0x8000 or rest == 0x8000 and bits & 0x10000 ~= 0 then bits = bits + 0x10000 end
  return (("f"):unpack(("I4"):pack(bits)))
end

-- To the nearest number with 4 bits of exponent and 3 of fraction, ties to even, at most 448.
local function to_e4m3(x)
  local a = math.min(math.abs(x), 448)
  if a == 0 then return 0 end
  local exponent = -6
  while a >= 2.0 ^ (exponent + 1) do exponent = exponent + 1 end
  local unit = 2.0 ^ (exponent - 3)
  local whole = a // unit
  local rest = a / unit - whole
  if rest > 0.5 or rest == 0.5 and whole % 2 == 1 then whole = whole + 1 end
  return math.min(whole * unit, 448) * (x < 0 and -1 or 1)
end

return {
  arch = 80,
  source = [[
    #include <cuda_bf16.h>
    #include <cuda_fp8.h>
    __global__ void arithmetic(const float *x, const float *y, float *out) {
      int i = threadIdx.x;
      __nv_bfloat16 a = __float2bfloat16(x[i]), b = __float2bfloat16(y[i]);
      float *o = out + 6 * i;
      o[0] = __bfloat162float(a + b);
      o[1] = __bfloat162float(__hmul(a, b));
      o[2] = __bfloat162float(__hfma(a, b, b));
      o[3] = __bfloat162float(__hmin(a, b));
      o[4] = float(__nv_fp8_e4m3(x[i]));
      o[5] = __bfloat162float(__float2bfloat16_rz(x[i]));
    }
    __global__ void dot(const __nv_bfloat162 *x, const __nv_bfloat162 *y, float *out, int n) {
      float sum = 0;
      for (int i = threadIdx.x; i < n; i += 32) {
        float2 a = __bfloat1622float2(x[i]), b = __bfloat1622float2(y[i]);
        sum += a.x * b.x + a.y * b.y;
      }
      for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
      if (threadIdx.x == 0) *out = sum;
    }]],
  run = function(kernels, t)
    local cuda = t.cuda
    local x = t.list(N, function() return (t.random(20001) - 10000) / 1024 end)
    local y = t.list(N, function() return (t.random(20001) - 10000) / 64 end)
    local out = cuda.empty({ N, 6 })
    kernels.arithmetic({ grid = 1, block = N }, cuda.array(x), cuda.array(y), out)
    t.same(t.list(N, function(i)
      local a, b = to_bfloat(x[i]), to_bfloat(y[i])
      local bits = ("I4"):unpack(("f"):pack(x[i])) & 0xffff0000
      return { to_bfloat(a + b), to_bfloat(a * b), to_bfloat(a * b + b), math.min(a, b),
        to_e4m3(x[i]), (("f"):unpack(("I4"):pack(bits))) }
    end), out, "arithmetic")
    local a = t.list(N, function() return (t.random(65) - 32) / 4 end)
    local b = t.list(N, function() return (t.random(65) - 32) / 4 end)
    local dot, want = cuda.empty(1), 0
    for i = 1, N do want = want + a[i] * b[i] end
    kernels.dot({ grid = 1, block = 32 }, cuda.array(a, "bfloat16"), cuda.array(b, "bfloat16"), dot,
      N // 2)
    t.same({ want }, dot, "dot")
  end,
}
