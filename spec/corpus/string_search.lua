-- All places of several words in a text: comparison letter by letter, rolling hashes of parts with
-- a check, and a state machine of Knuth, Morris and Pratt that overlaps parts.
local SIZE = 3000

return {
  source = [[
    __global__ void plain(const char *text, int n, const char *word, int m, int *found) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i + m > n) return;
      int k = 0;
      while (k < m && text[i + k] == word[k]) k++;
      if (k == m) found[i] = 1;
    }
    __global__ void rolling(const char *text, int n, const char *word, int m, int part,
                            int *found) {
      const unsigned base = 257;
      int from = (blockIdx.x * blockDim.x + threadIdx.x) * part, to = min(from + part, n - m + 1);
      if (from >= to) return;
      unsigned wanted = 0, hash = 0, power = 1;
      for (int k = 0; k < m; k++) {
        wanted = wanted * base + word[k];
        hash = hash * base + text[from + k];
        if (k > 0) power *= base;
      }
      for (int i = from; i < to; i++) {
        if (hash == wanted) {
          bool same = true;
          for (int k = 0; k < m; k++) same = same && text[i + k] == word[k];
          if (same) found[i] = 1;
        }
        if (i + 1 < to) hash = (hash - text[i] * power) * base + text[i + m];
      }
    }
    __global__ void automaton(const char *text, int n, const char *word, int m, int part,
                              int *found) {
      __shared__ int back[65];
      if (threadIdx.x == 0) {
        back[0] = -1;
        for (int i = 0, k = -1; i < m; back[++i] = ++k)
          while (k >= 0 && word[i] != word[k]) k = back[k];
      }
      __syncthreads();
      int from = (blockIdx.x * blockDim.x + threadIdx.x) * part;
      int to = min(from + part + m - 1, n);
      for (int i = from, k = 0; i < to; i++) {
        while (k >= 0 && (k == m || text[i] != word[k])) k = back[k];
        if (++k == m) found[i - m + 1] = 1;
      }
    }]],
  run = function(kernels, t)
    local text = string.char(table.unpack(t.list(SIZE, function() return 97 + t.random(2) end)))
    local x = t.cuda.array(text, "int8")
    for _, word in ipairs { "ab", "aabaab", "bbbbb", text:sub(-30), "c" } do
      local want, at = t.list(SIZE, function() return 0 end), 0
      repeat
        at = text:find(word, at + 1, true)
        if at then want[at] = 1 end
      until not at
      local w = t.cuda.array(word, "int8")
      local function check(name, shape, ...)
        local found = t.cuda.zeros(SIZE, "int32")
        local arguments = { ... }
        arguments[#arguments + 1] = found
        kernels[name](shape, x, SIZE, w, #word, table.unpack(arguments))
        t.same(want, found, name)
      end
      check("plain", { threads = SIZE })
      check("rolling", { threads = 64, block = 32 }, SIZE // 64 + 1)
      check("automaton", { grid = 2, block = 32 }, SIZE // 64 + 1)
    end
  end,
}
