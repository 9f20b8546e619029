-- SHA-256 of messages of many lengths, one thread each, with the constants in constant memory.
local N, MOST = 40, 150

-- The fractions of the square and cube roots of the first primes.
local function fractions(count, power)
  local list, n = {}, 2
  while #list < count do
    local prime = true
    for d = 2, math.floor(math.sqrt(n)) do prime = prime and n % d ~= 0 end
    if prime then list[#list + 1] = math.floor(n ^ power % 1 * 2 ^ 32) end
    n = n + 1
  end
  return list
end

local K, H = fractions(64, 1 / 3), fractions(8, 1 / 2)

local function rotate(x, n) return (x >> n | x << 32 - n) & 0xffffffff end

local function compress(h, block)
  local w = { (">I4I4I4I4I4I4I4I4I4I4I4I4I4I4I4I4"):unpack(block) }
  for i = 17, 64 do
    local p, q = w[i - 15], w[i - 2]
    w[i] = w[i - 16] + (rotate(p, 7) ~ rotate(p, 18) ~ p >> 3) + w[i - 7]
      + (rotate(q, 17) ~ rotate(q, 19) ~ q >> 10) & 0xffffffff
  end
  local v = table.move(h, 1, 8, 1, {})
  for i = 1, 64 do
    local a, e = v[1], v[5]
    local one = v[8] + (rotate(e, 6) ~ rotate(e, 11) ~ rotate(e, 25)) + (e & v[6] ~ ~e & v[7])
      + K[i] + w[i]
    local two = (rotate(a, 2) ~ rotate(a, 13) ~ rotate(a, 22))
      + (a & v[2] ~ a & v[3] ~ v[2] & v[3])
    v = { one + two & 0xffffffff, a, v[2], v[3], v[4] + one & 0xffffffff, e, v[6], v[7] }
  end
  for i = 1, 8 do h[i] = h[i] + v[i] & 0xffffffff end
end

local function sha256(text)
  local h = table.move(H, 1, 8, 1, {})
  local padded = text .. "\x80" .. ("\0"):rep(-(#text + 9) % 64) .. (">I8"):pack(8 * #text)
  for at = 1, #padded, 64 do compress(h, padded:sub(at, at + 63)) end
  return h
end

return {
  source = [[
    __constant__ unsigned K[64], H[8];
    __device__ unsigned rotate(unsigned x, int n) { return __funnelshift_r(x, x, n); }
    __device__ unsigned byte_at(const unsigned char *text, int size, int total, int i) {
      if (i < size) return text[i];
      if (i == size) return 0x80;
      int from_end = total - 1 - i;
      return from_end < 4 ? (unsigned)size * 8 >> 8 * from_end & 255 : 0;
    }
    __global__ void sha256(const unsigned char *texts, const int *starts, unsigned *digests,
                           int n) {
      int t = blockIdx.x * blockDim.x + threadIdx.x;
      if (t >= n) return;
      const unsigned char *text = texts + starts[t];
      int size = starts[t + 1] - starts[t], total = (size + 9 + 63) / 64 * 64;
      unsigned h[8];
      for (int i = 0; i < 8; i++) h[i] = H[i];
      for (int at = 0; at < total; at += 64) {
        unsigned w[64];
        for (int i = 0; i < 16; i++) {
          w[i] = 0;
          for (int b = 0; b < 4; b++)
            w[i] = w[i] << 8 | byte_at(text, size, total, at + 4 * i + b);
        }
        for (int i = 16; i < 64; i++) {
          unsigned p = w[i - 15], q = w[i - 2];
          w[i] = w[i - 16] + (rotate(p, 7) ^ rotate(p, 18) ^ p >> 3) + w[i - 7]
            + (rotate(q, 17) ^ rotate(q, 19) ^ q >> 10);
        }
        unsigned v[8];
        for (int i = 0; i < 8; i++) v[i] = h[i];
        for (int i = 0; i < 64; i++) {
          unsigned one = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25))
            + ((v[4] & v[5]) ^ (~v[4] & v[6])) + K[i] + w[i];
          unsigned two = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22))
            + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
          for (int j = 7; j > 0; j--) v[j] = v[j - 1];
          v[4] += one;
          v[0] = one + two;
        }
        for (int i = 0; i < 8; i++) h[i] += v[i];
      }
      for (int i = 0; i < 8; i++) digests[8 * t + i] = h[i];
    }]],
  run = function(kernels, t)
    assert(("%08x%08x"):format(sha256 "abc"[1], sha256 "abc"[8]) == "ba7816bff20015ad")
    local texts, starts, want = {}, { 0 }, {}
    for i = 1, N do
      local size = i <= 4 and 53 + i or t.random(MOST)
      texts[i] = string.char(table.unpack(t.integers(size, 256)))
      starts[i + 1] = starts[i] + size
      table.move(sha256(texts[i]), 1, 8, 8 * i - 7, want)
    end
    t.module:global "K":set(K)
    t.module:global "H":set(H)
    local got = t.cuda.empty(8 * N, "uint32")
    kernels.sha256({ threads = N, block = 32 }, t.cuda.array(table.concat(texts), "uint8"),
      t.cuda.array(starts, "int32"), got, N)
    t.same(want, got)
  end,
}
