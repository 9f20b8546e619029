-- AES-128 of many blocks in counter mode: the S-box computed from inverses in GF(256), byte
-- permutations and shared tables.
local BLOCKS = 50

local function times2(a) return (a << 1 ~ (a >> 7) * 0x11b) & 255 end
local function times(a, b)
  local p = 0
  while b > 0 do
    if b & 1 == 1 then p = p ~ a end
    a, b = times2(a), b >> 1
  end
  return p
end

local SBOX = {}
for a = 0, 255 do
  local inverse = 0
  for b = 1, 255 do if times(a, b) == 1 then inverse = b end end
  local s = 0x63
  for k = 0, 4 do s = s ~ ((inverse << k | inverse >> 8 - k) & 255) end
  SBOX[a] = s
end

local function expand(key)
  local w, rcon = { table.unpack(key) }, 1
  for i = 17, 176, 4 do
    local last = { table.unpack(w, i - 4, i - 1) }
    if (i - 1) % 16 == 0 then
      last = { SBOX[last[2]] ~ rcon, SBOX[last[3]], SBOX[last[4]], SBOX[last[1]] }
      rcon = times2(rcon)
    end
    for k = 0, 3 do w[i + k] = w[i + k - 16] ~ last[k + 1] end
  end
  return w
end

local function encrypt(w, block)
  local s = {}
  for i = 1, 16 do s[i] = block[i] ~ w[i] end
  for round = 1, 10 do
    local r = {}
    for c = 0, 3 do
      local column = {}
      for k = 0, 3 do column[k + 1] = SBOX[s[(c + k) % 4 * 4 + k + 1]] end
      for k = 0, 3 do
        local a, b, x, y = column[k + 1], column[(k + 1) % 4 + 1], column[(k + 2) % 4 + 1],
          column[(k + 3) % 4 + 1]
        if round < 10 then a = times2(a) ~ times2(b) ~ b ~ x ~ y end
        r[4 * c + k + 1] = a ~ w[16 * round + 4 * c + k + 1]
      end
    end
    s = r
  end
  return s
end

return {
  source = [[
    typedef unsigned char byte;
    __constant__ byte round_keys[176];
    __device__ byte multiply(byte a, byte b) {
      byte p = 0;
      for (; b != 0; b >>= 1, a = a << 1 ^ (a >> 7) * 0x1b) if (b & 1) p ^= a;
      return p;
    }
    __device__ byte substitute(byte a) {
      byte inverse = 1, square = a; // the inverse is a to the power of 254
      for (int i = 1; i < 8; i++) {
        square = multiply(square, square);
        inverse = multiply(inverse, square);
      }
      unsigned v = inverse * 0x101u;
      return v ^ v >> 4 ^ v >> 5 ^ v >> 6 ^ v >> 7 ^ 0x63;
    }
    __global__ void counter_mode(const uint4 *in, uint4 *out, uint4 counter, int n) {
      __shared__ byte sbox[256];
      __shared__ unsigned mixed[256];
      for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        byte s = substitute(i), two = multiply(s, 2);
        sbox[i] = s;
        mixed[i] = two | s << 8 | s << 16 | (unsigned)(byte)(two ^ s) << 24;
      }
      __syncthreads();
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      const unsigned *keys = (const unsigned *)round_keys;
      unsigned s[4] = { counter.x, counter.y, counter.z,
                        __byte_perm(__byte_perm(counter.w, 0, 0x0123) + i, 0, 0x0123) };
      for (int c = 0; c < 4; c++) s[c] ^= keys[c];
      for (int round = 1; round <= 10; round++) {
        unsigned r[4];
        for (int c = 0; c < 4; c++) {
          r[c] = keys[4 * round + c];
          for (int k = 0; k < 4; k++) {
            unsigned b = s[(c + k) % 4] >> 8 * k & 255;
            unsigned v = round < 10 ? mixed[b] : sbox[b];
            r[c] ^= __funnelshift_l(v, v, 8 * k);
          }
        }
        for (int c = 0; c < 4; c++) s[c] = r[c];
      }
      uint4 text = in[i];
      out[i] = make_uint4(text.x ^ s[0], text.y ^ s[1], text.z ^ s[2], text.w ^ s[3]);
    }]],
  run = function(kernels, t)
    local key, text, nonce = t.integers(16, 256), t.integers(16 * BLOCKS, 256), t.integers(16, 256)
    local known = encrypt(expand(t.list(16, function(i) return i - 1 end)),
      t.list(16, function(i) return (i - 1) * 17 end))
    t.same({ 0x69, 0xc4, 0xe0, 0xd8, 0x6a }, { table.unpack(known, 1, 5) }, "the oracle")
    nonce[13], nonce[14], nonce[15], nonce[16] = 0, 0, 0, 250
    local w, want = expand(key), {}
    for i = 0, BLOCKS - 1 do
      local counter = table.move(nonce, 1, 16, 1, {})
      counter[15], counter[16] = (250 + i) >> 8, (250 + i) & 255
      local stream = encrypt(w, counter)
      for k = 1, 16 do want[16 * i + k] = text[16 * i + k] ~ stream[k] end
    end
    t.module:global "round_keys":set(w)
    local out = t.cuda.empty(16 * BLOCKS, "uint8")
    local words = { ("<I4I4I4I4"):unpack(string.char(table.unpack(nonce))) }
    kernels.counter_mode({ threads = BLOCKS, block = 32 },
      t.cuda.array(text, "uint8"):view "uint32", out:view "uint32",
      { words[1], words[2], words[3], words[4] }, BLOCKS)
    t.same(want, out)
  end,
}
