-- The game of life on a torus, 32 cells in a word: neighbors are counted with adders made of
-- logical operations, generations alternate between two buffers.
local WORDS, ROWS, STEPS = 3, 40, 10

return {
  source = [[
    __device__ void add3(unsigned a, unsigned b, unsigned c, unsigned &sum, unsigned &carry) {
      sum = a ^ b ^ c;
      carry = (a & b) | (c & (a ^ b));
    }
    __global__ void step(const unsigned *from, unsigned *to, int words, int rows) {
      int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
      if (y >= rows) return;
      unsigned s[3], c[3], center = 0, side_sum = 0, side_carry = 0;
      for (int k = 0; k < 3; k++) {
        const unsigned *row = from + (y + k - 1 + rows) % rows * words;
        unsigned w = row[x];
        unsigned left = __funnelshift_l(row[(x + words - 1) % words], w, 1);
        unsigned right = __funnelshift_r(w, row[(x + 1) % words], 1);
        if (k == 1) {
          center = w;
          side_sum = left ^ right;
          side_carry = left & right;
        } else {
          add3(left, w, right, s[k], c[k]);
        }
      }
      unsigned ones, carry, twos, fours, more;
      add3(s[0], s[2], side_sum, ones, carry);
      add3(c[0], c[2], side_carry, twos, fours);
      more = twos & carry;
      twos ^= carry;
      unsigned two_or_three = twos & ~fours & ~more;
      to[y * words + x] = two_or_three & (ones | center);
    }]],
  run = function(kernels, t)
    local columns = 32 * WORDS
    local cells = t.list(columns * ROWS, function() return t.random(3) == 0 and 1 or 0 end)
    local function packed()
      return t.list(WORDS * ROWS, function(i)
        local w = 0
        for b = 0, 31 do w = w | cells[32 * (i - 1) + b + 1] << b end
        return w
      end)
    end
    local a, b = t.cuda.array(packed(), "uint32"), t.cuda.empty(WORDS * ROWS, "uint32")
    for _ = 1, STEPS do
      kernels.step({ grid = 5, block = { WORDS, 8 } }, a, b, WORDS, ROWS)
      a, b = b, a
      local old = cells
      cells = t.list(columns * ROWS, function(i)
        local x, y, n = (i - 1) % columns, (i - 1) // columns, -old[i]
        for dy = -1, 1 do
          for dx = -1, 1 do
            n = n + old[(y + dy) % ROWS * columns + (x + dx) % columns + 1]
          end
        end
        return (n == 3 or n == 2 and old[i] == 1) and 1 or 0
      end)
    end
    t.same(packed(), a)
  end,
}
