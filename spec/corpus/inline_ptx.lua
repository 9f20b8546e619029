-- Inline PTX and the intrinsics of integers: bit fields, permutes, three-operand logic, sums of
-- absolute differences, dot products of bytes, predicates, special registers, video instructions.
local N = 96

return {
  source = [[
    typedef unsigned u;
    __global__ void bits(const u *x, const u *y, u *out) {
      int i = threadIdx.x;
      u a = x[i], b = y[i], r[14];
      asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r[0]) : "r"(a), "r"(b), "r"(i % 20), "r"(i % 13));
      asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r[1]) : "r"(a), "r"(i % 20), "r"(i % 13));
      asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(r[2]) : "r"(a), "r"(b), "r"(a >> 7));
      asm("prmt.b32 %0, %1, %2, 0x5206;" : "=r"(r[3]) : "r"(a), "r"(b));
      r[4] = __brev(a) ^ __popc(b);
      r[5] = __clz(a) * 64 + __ffs(b);
      r[6] = __usad(a, b, 5);
      r[7] = __dp4a(a, b, 7u);
      r[8] = __vabsdiffu4(a, b);
      r[9] = __vaddus2(a, b);
      asm("{ .reg .pred p, q; setp.lt.u32 p|q, %1, %2; selp.u32 %0, 1, 2, p; "
          "@q add.u32 %0, %0, 8; }" : "=r"(r[10]) : "r"(a), "r"(b));
      r[11] = __mulhi((int)a, (int)b);
      r[12] = __umul24(a, b);
      u lane, warp;
      asm("mov.u32 %0, %%laneid;" : "=r"(lane));
      asm("mov.u32 %0, %%lanemask_lt;" : "=r"(warp));
      r[13] = lane + __popc(warp) * 100;
      for (int k = 0; k < 14; k++) out[14 * i + k] = r[k];
    }]],
  run = function(kernels, t)
    local x, y = t.integers(N, 1 << 32), t.integers(N, 1 << 32)
    local function u32(list) return t.cuda.array(list, "uint32") end
    local out = t.cuda.empty({ N, 14 }, "uint32")
    kernels.bits({ grid = 1, block = N }, u32(x), u32(y), out)
    local function byte(v, k) return v >> 8 * k & 255 end
    local function signed(v) return v >= 1 << 31 and v - (1 << 32) or v end
    t.same(t.list(N, function(k)
      local i, a, b = k - 1, x[k], y[k]
      local from, length = i % 20, i % 13
      local mask = (1 << length) - 1
      local reversed, ones, zeros, first = 0, 0, 32, 0
      for bit = 31, 0, -1 do
        reversed = reversed | (a >> bit & 1) << 31 - bit
        ones = ones + (b >> bit & 1)
        if zeros == 32 and a >> bit & 1 == 1 then zeros = 31 - bit end
        if b >> bit & 1 == 1 then first = bit + 1 end
      end
      local dot, differences, halves = 7, 0, 0
      for j = 0, 3 do
        dot = dot + byte(a, j) * byte(b, j)
        differences = differences | math.abs(byte(a, j) - byte(b, j)) << 8 * j
      end
      for j = 0, 16, 16 do
        halves = halves | math.min((a >> j & 0xffff) + (b >> j & 0xffff), 0xffff) << j
      end
      return {
        (b & ~(mask << from) | (a & mask) << from) & 0xffffffff, a >> from & mask,
        (a & b | ~a & a >> 7) & 0xffffffff,
        byte(b, 2) | byte(a, 0) << 8 | byte(a, 2) << 16 | byte(b, 1) << 24,
        reversed ~ ones, zeros * 64 + first, math.abs(a - b) + 5 & 0xffffffff, dot, differences,
        halves, a < b and 1 or 10, (signed(a) * signed(b) >> 32) & 0xffffffff,
        (a & 0xffffff) * (b & 0xffffff) & 0xffffffff, i % 32 * 101,
      }
    end), out)
  end,
}
