-- Huffman coding: lengths of codes scanned for their places in the bit stream, words put together
-- with atomics; decoding by one thread per chunk through a tree in shared memory.
local N, CHUNK = 1200, 50

-- A tree over the counts: code and length of each symbol, and the tree as pairs of children.
local function tree_of(counts)
  local nodes, children = {}, {}
  for symbol, count in pairs(counts) do
    nodes[#nodes + 1] = { count = count, symbol = symbol, order = symbol }
  end
  while #nodes > 1 do
    table.sort(nodes, function(a, b)
      if a.count ~= b.count then return a.count > b.count end
      return a.order > b.order
    end)
    local a, b = table.remove(nodes), table.remove(nodes)
    nodes[#nodes + 1] = { count = a.count + b.count, left = a, right = b, order = 1000 + #children }
    children[#children + 1] = nodes[#nodes]
  end
  local codes, lengths, flat = {}, {}, {}
  local function visit(node, code, length)
    if node.symbol then
      codes[node.symbol], lengths[node.symbol] = code, length
      return -1 - node.symbol
    end
    local at = #flat // 2
    flat[2 * at + 1], flat[2 * at + 2] = 0, 0
    local left = visit(node.left, code, length + 1)
    local right = visit(node.right, code | 1 << length, length + 1)
    flat[2 * at + 1], flat[2 * at + 2] = left, right
    return at
  end
  visit(nodes[1], 0, 0)
  return codes, lengths, flat
end

return {
  source = [=[
    __constant__ unsigned codes[32];
    __constant__ int lengths[32];
    __global__ void places(const unsigned char *text, int n, int *place) { // one block
      __shared__ int sums[32];
      int carry = 0, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
      for (int base = 0; base < n; base += blockDim.x) {
        int i = base + threadIdx.x, own = i < n ? lengths[text[i]] : 0, v = own;
        for (int d = 1; d < 32; d *= 2) {
          int u = __shfl_up_sync(~0u, v, d);
          if (lane >= d) v += u;
        }
        if (lane == 31) sums[warp] = v;
        __syncthreads();
        int before = 0, all = 0;
        for (int w = 0; w < blockDim.x / 32; w++) {
          if (w < warp) before += sums[w];
          all += sums[w];
        }
        if (i < n) place[i] = carry + before + v - own;
        if (i == n - 1) place[n] = carry + before + v;
        carry += all;
        __syncthreads();
      }
    }
    __global__ void encode(const unsigned char *text, int n, const int *place, unsigned *words) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      unsigned long long code = (unsigned long long)codes[text[i]] << place[i] % 32;
      atomicOr(&words[place[i] / 32], (unsigned)code);
      if (code >> 32) atomicOr(&words[place[i] / 32 + 1], (unsigned)(code >> 32));
    }
    __global__ void decode(const unsigned *words, const int *place, const int2 *tree, int nodes,
                           unsigned char *text, int n, int chunk) {
      __shared__ int2 s[32];
      if (threadIdx.x < nodes) s[threadIdx.x] = tree[threadIdx.x];
      __syncthreads();
      int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
      if (first >= n) return;
      int bit = place[first], end = place[min(first + chunk, n)];
      while (bit < end) {
        int at = 0;
        do {
          at = words[bit / 32] >> bit % 32 & 1 ? s[at].y : s[at].x;
          bit++;
        } while (at >= 0);
        text[first++] = -1 - at;
      }
    }]=],
  run = function(kernels, t)
    local text, counts = t.list(N, function() return t.random(6) * t.random(6) end), {}
    for _, v in ipairs(text) do counts[v] = (counts[v] or 0) + 1 end
    local codes, lengths, tree = tree_of(counts)
    local place, bits = {}, 0
    for i = 1, N do
      place[i] = bits
      bits = bits + lengths[text[i]]
    end
    place[N + 1] = bits
    t.module:global "codes":set(t.list(32, function(i) return codes[i - 1] or 0 end))
    t.module:global "lengths":set(t.list(32, function(i) return lengths[i - 1] or 0 end))
    local cuda = t.cuda
    local x, at = cuda.array(text, "uint8"), cuda.empty(N + 1, "int32")
    kernels.places({ grid = 1, block = 128 }, x, N, at)
    t.same(place, at, "places")
    local words = cuda.zeros(bits // 32 + 2, "uint32")
    kernels.encode({ threads = N, block = 128 }, x, N, at, words)
    local want = t.list(bits // 32 + 2, function() return 0 end)
    for i = 1, N do
      for k = 0, lengths[text[i]] - 1 do
        local bit = place[i] + k
        want[bit // 32 + 1] = want[bit // 32 + 1] | (codes[text[i]] >> k & 1) << bit % 32
      end
    end
    t.same(want, words, "words")
    local back = cuda.zeros(N, "uint8")
    kernels.decode({ grid = 1, block = 32 }, words, at, cuda.array(tree, "int32"), #tree // 2, back,
      N, CHUNK)
    t.same(text, back, "text")
  end,
}
