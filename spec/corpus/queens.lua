-- The number of ways to place n queens: a thread per pair of first rows, a stack of bit masks in
-- local memory, deeply divergent.
return {
  source = [[
    __global__ void queens(int n, unsigned long long *count) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      int first = i / n, second = i % n;
      unsigned found = 0;
      if (first < n && abs(first - second) > 1) {
        unsigned all = (1u << n) - 1, a = 1u << first, b = 1u << second;
        unsigned columns[32], left[32], right[32], open[32];
        int row = 2;
        columns[2] = a | b;
        left[2] = (a << 1 | b) << 1;
        right[2] = (a >> 1 | b) >> 1;
        open[2] = all & ~(columns[2] | left[2] | right[2]);
        while (row >= 2) {
          if (open[row] == 0) {
            row--;
            continue;
          }
          unsigned place = open[row] & -open[row];
          open[row] ^= place;
          if (row == n - 1) {
            found++;
            continue;
          }
          columns[row + 1] = columns[row] | place;
          left[row + 1] = (left[row] | place) << 1;
          right[row + 1] = (right[row] | place) >> 1;
          row++;
          open[row] = all & ~(columns[row] | left[row] | right[row]);
        }
      }
      for (int d = 16; d > 0; d /= 2) found += __shfl_down_sync(~0u, found, d);
      if (threadIdx.x % 32 == 0) atomicAdd(count, (unsigned long long)found);
    }]],
  run = function(kernels, t)
    local function solve(n, row, columns, left, right)
      if row == n then return 1 end
      local found = 0
      local open = (1 << n) - 1 & ~(columns | left | right)
      while open ~= 0 do
        local place = open & -open
        open = open ~ place
        found = found + solve(n, row + 1, columns | place, (left | place) << 1,
          (right | place) >> 1)
      end
      return found
    end
    for n = 5, 8 do
      local count = t.cuda.zeros(1, "uint64")
      kernels.queens({ threads = n * n, block = 64 }, n, count)
      t.same(solve(n, 0, 0, 0, 0), count[1], "n = " .. n)
    end
  end,
}
