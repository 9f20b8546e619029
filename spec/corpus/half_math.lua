-- Arithmetic of halves: conversions, pairs, fused products, comparisons, atomics on half2,
-- functions, against exact rounding in Lua.
local N = 128

-- To the nearest half, ties to even.
local function to_half(x)
  if x == 0 or x ~= x then return x end
  local a = math.abs(x)
  if a >= 65520 then return x > 0 and math.huge or -math.huge end
  local exponent = -14
  while exponent < 15 and a >= 2.0 ^ (exponent + 1) do exponent = exponent + 1 end
  local unit = 2.0 ^ (exponent - 10)
  local whole = a // unit
  local rest = a / unit - whole
  if rest > 0.5 or rest == 0.5 and whole % 2 == 1 then whole = whole + 1 end
  return (x > 0 and 1 or -1) * whole * unit
end

return {
  source = [[
    #include <cuda_fp16.h>
    __global__ void arithmetic(const float *x, const float *y, float *out, int n) {
      int i = threadIdx.x;
      half a = __float2half(x[i]), b = __float2half(y[i]);
      float *o = out + 8 * i;
      o[0] = a + b;
      o[1] = a * b;
      o[2] = __hfma(a, b, a);
      o[3] = __hsub_sat(a, b);
      o[4] = a > b ? 1 : 0;
      o[5] = __half2float(__hmax(a, __habs(b)));
      o[6] = (float)__half2int_rn(a);
      o[7] = __half2float(hfloor(a)) + __half2float(hceil(b));
    }
    __global__ void pairs(const half2 *x, half2 *out, half2 *sum, unsigned *mask) {
      int i = threadIdx.x;
      half2 a = x[i], b = x[(i + 1) % blockDim.x];
      half2 r = __hfma2(a, __lowhigh2highlow(b), __float2half2_rn(0.5f));
      out[i] = __hadd2(r, __halves2half2(__high2half(a), __low2half(b)));
      atomicAdd(sum, __floats2half2_rn(1, -0.5f));
      mask[i] = __hlt2_mask(a, b);
    }]],
  run = function(kernels, t)
    local cuda = t.cuda
    local x = t.list(N, function() return (t.random(20001) - 10000) / 977 end)
    local y = t.list(N, function(i)
      return (t.random(20001) - 10000) / (i % 3 == 0 and 3 or 1013)
    end)
    local out = cuda.empty({ N, 8 })
    kernels.arithmetic({ grid = 1, block = N }, cuda.array(x), cuda.array(y), out, N)
    local function single(v) return (("f"):unpack(("f"):pack(v))) end
    local want = t.list(N, function(i)
      local a, b = to_half(single(x[i])), to_half(single(y[i]))
      local nearest = math.floor(a + 0.5)
      if a + 0.5 == nearest and nearest % 2 == 1 then nearest = nearest - 1 end
      return {
        to_half(a + b), to_half(a * b), to_half(a * b + a),
        math.max(0, math.min(1, to_half(a - b))),
        a > b and 1 or 0, math.max(a, math.abs(b)), nearest, math.floor(a) + math.ceil(b),
      }
    end)
    t.same(want, out, "arithmetic")
    local p = t.list(2 * N, function() return (t.random(129) - 64) / 16 end)
    local pairs_, sum, mask = cuda.empty(2 * N, "float16"), cuda.zeros(2, "float16"),
      cuda.empty(N, "uint32")
    kernels.pairs({ grid = 1, block = N }, cuda.array(p, "float16"), pairs_, sum, mask)
    local masks = {}
    t.same(t.list(2 * N, function(k)
      local i, high = (k - 1) // 2, (k - 1) % 2
      local j = (i + 1) % N
      local r = to_half(p[k] * p[2 * j + 2 - high] + 0.5)
      local low_less, high_less = p[2 * i + 1] < p[2 * j + 1], p[2 * i + 2] < p[2 * j + 2]
      masks[i + 1] = (low_less and 0xffff or 0) | (high_less and 0xffff0000 or 0)
      return to_half(r + (high == 0 and p[2 * i + 2] or p[2 * j + 1]))
    end), pairs_, "pairs")
    t.same({ N, -N / 2 }, sum, "sum")
    t.same(masks, mask, "masks")
  end,
}
