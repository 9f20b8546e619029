-- Edit distance of pairs of words along antidiagonals in shared memory, and the longest common
-- subsequence with its letters by bit vectors of 32 lanes.
local PAIRS, MOST = 12, 60

return {
  source = [[
    #define MOST 64
    __global__ void distance(const char *words, const int *starts, int *out) {
      __shared__ int d[3][MOST + 1];
      const char *a = words + starts[2 * blockIdx.x], *b = words + starts[2 * blockIdx.x + 1];
      int n = b - a, m = words + starts[2 * blockIdx.x + 2] - b, i = threadIdx.x;
      for (int k = 0; k <= n + m; k++) {
        int *now = d[k % 3], *one = d[(k + 2) % 3], *two = d[(k + 1) % 3];
        int j = k - i;
        if (i <= n && j >= 0 && j <= m) {
          now[i] = i == 0 ? j : j == 0 ? i
            : min(min(one[i], one[i - 1]) + 1, two[i - 1] + (a[i - 1] != b[j - 1]));
          if (i == n && j == m) out[blockIdx.x] = now[i];
        }
        __syncthreads();
      }
    }
    __global__ void common(const char *words, const int *starts, int *table, int *length,
                           char *letters) {
      const char *a = words + starts[2 * blockIdx.x], *b = words + starts[2 * blockIdx.x + 1];
      int n = b - a, m = words + starts[2 * blockIdx.x + 2] - b;
      int (*t)[MOST] = (int (*)[MOST])(table + blockIdx.x * MOST * MOST);
      for (int k = 0; k <= n + m; k++) {
        for (int i = threadIdx.x; i <= n; i += blockDim.x) {
          int j = k - i;
          if (j < 0 || j > m) continue;
          t[i][j] = i == 0 || j == 0 ? 0 : a[i - 1] == b[j - 1] ? t[i - 1][j - 1] + 1
            : max(t[i - 1][j], t[i][j - 1]);
        }
        __syncthreads();
      }
      if (threadIdx.x != 0) return;
      char *out = letters + blockIdx.x * MOST;
      int at = t[n][m];
      length[blockIdx.x] = at;
      for (int i = n, j = m; at > 0; ) {
        if (a[i - 1] == b[j - 1]) {
          out[--at] = a[i - 1];
          i--, j--;
        } else if (t[i - 1][j] >= t[i][j - 1]) {
          i--;
        } else {
          j--;
        }
      }
    }]],
  run = function(kernels, t)
    local words, starts, distances, lengths = {}, { 0 }, {}, {}
    for w = 1, 2 * PAIRS do
      words[w] = string.char(table.unpack(t.list(1 + t.random(MOST - 1), function()
        return 97 + t.random(4)
      end)))
      starts[w + 1] = starts[w] + #words[w]
    end
    for p = 1, PAIRS do
      local a, b = words[2 * p - 1], words[2 * p]
      local d, c = {}, {}
      for i = 0, #a do
        d[i], c[i] = {}, {}
        for j = 0, #b do
          if i == 0 or j == 0 then
            d[i][j], c[i][j] = i + j, 0
          else
            local same = a:byte(i) == b:byte(j)
            d[i][j] = math.min(d[i - 1][j] + 1, d[i][j - 1] + 1,
              d[i - 1][j - 1] + (same and 0 or 1))
            c[i][j] = same and c[i - 1][j - 1] + 1 or math.max(c[i - 1][j], c[i][j - 1])
          end
        end
      end
      distances[p], lengths[p] = d[#a][#b], c[#a][#b]
    end
    local cuda = t.cuda
    local text, at = cuda.array(table.concat(words), "int8"), cuda.array(starts, "int32")
    local out, letters = cuda.empty(PAIRS, "int32"), cuda.zeros({ PAIRS, 64 }, "int8")
    kernels.distance({ grid = PAIRS, block = 64 }, text, at, out)
    t.same(distances, out, "distance")
    kernels.common({ grid = PAIRS, block = 32 }, text, at, cuda.empty(PAIRS * 4096, "int32"), out,
      letters)
    t.same(lengths, out, "length")
    for p = 1, PAIRS do
      local subsequence = string.char(table.unpack(letters[p]:totable(), 1, lengths[p]))
      for w = 2 * p - 1, 2 * p do
        assert(words[w]:find((subsequence:gsub(".", "%0.-"))), "not a subsequence")
      end
    end
  end,
}
