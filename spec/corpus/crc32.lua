-- CRC-32 of a long text: a table made in shared memory, parts by threads, combined by products of
-- polynomials over GF(2).
local SIZE, PARTS = 6000, 60

local function crc32(text)
  local crc = 0xffffffff
  for i = 1, #text do
    crc = crc ~ text:byte(i)
    for _ = 1, 8 do crc = crc >> 1 ~ (crc & 1) * 0xedb88320 end
  end
  return crc ~ 0xffffffff
end

return {
  source = [[
    #define POLYNOMIAL 0xedb88320u
    __device__ unsigned multiply(unsigned a, unsigned b) { // bit 31 is x^0
      unsigned product = 0;
      for (int i = 31; i >= 0; i--) {
        if (a >> i & 1) product ^= b;
        b = b & 1 ? b >> 1 ^ POLYNOMIAL : b >> 1;
      }
      return product;
    }
    __device__ unsigned power_of_x(unsigned n) {
      unsigned result = 1u << 31, square = 1u << 30;
      for (; n != 0; n >>= 1, square = multiply(square, square))
        if (n & 1) result = multiply(result, square);
      return result;
    }
    __global__ void parts(const unsigned char *text, int size, int part, unsigned *crc) {
      __shared__ unsigned table[256];
      for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        unsigned c = i;
        for (int bit = 0; bit < 8; bit++) c = c & 1 ? c >> 1 ^ POLYNOMIAL : c >> 1;
        table[i] = c;
      }
      __syncthreads();
      int from = threadIdx.x * part, to = min(from + part, size);
      if (from >= size) return;
      unsigned c = from == 0 ? ~0u : 0;
      for (int i = from; i < to; i++) c = table[(c ^ text[i]) & 255] ^ c >> 8;
      atomicXor(crc, multiply(c, power_of_x(8 * (size - to))));
    }]],
  run = function(kernels, t)
    assert(crc32 "123456789" == 0xcbf43926)
    local text = string.char(table.unpack(t.integers(SIZE, 256)))
    local crc = t.cuda.zeros(1, "uint32")
    kernels.parts({ grid = 1, block = PARTS + 4 }, t.cuda.array(text, "uint8"), SIZE, SIZE // PARTS,
      crc)
    t.same(crc32(text), crc[1] ~ 0xffffffff)
  end,
}
