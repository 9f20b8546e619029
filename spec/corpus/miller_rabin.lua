-- Primes of 64 bits by the test of Miller and Rabin: products of 128 bits with __umul64hi and with
-- unsigned __int128, Montgomery's multiplication.
local N = 200

-- a * b % m for numbers below 2^62, by doubling.
local function multiply(a, b, m)
  local r = 0
  while b > 0 do
    if b & 1 == 1 then r = (r + a) % m end
    a, b = (a + a) % m, b >> 1
  end
  return r
end

local function is_prime(n)
  for _, p in ipairs { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37 } do
    if n % p == 0 then return n == p end
  end
  local d, s = n - 1, 0
  while d % 2 == 0 do d, s = d // 2, s + 1 end
  for _, a in ipairs { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37 } do
    local x, base, e = 1, a, d
    while e > 0 do
      if e & 1 == 1 then x = multiply(x, base, n) end
      base, e = multiply(base, base, n), e >> 1
    end
    local witness = x ~= 1 and x ~= n - 1
    for _ = 2, s do
      x = multiply(x, x, n)
      if x == n - 1 then witness = false end
    end
    if witness then return false end
  end
  return true
end

return {
  source = [[
    typedef unsigned long long word;
    __constant__ int bases[12] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37 };
    struct modulus {
      word n, inverse, one, square;
      __device__ modulus(word n) : n(n), inverse(1) {
        for (int i = 0; i < 6; i++) inverse *= 2 - n * inverse;
        one = (word)(((unsigned __int128)1 << 64) % n);
        square = (word)((unsigned __int128)one * one % n);
      }
      __device__ word multiply(word a, word b) const {
        word low = a * b, high = __umul64hi(a, b);
        word q = low * inverse, back = __umul64hi(q, n);
        return high >= back ? high - back : high - back + n;
      }
    };
    __global__ void primes(const word *numbers, int *prime, int count) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= count) return;
      word n = numbers[i];
      prime[i] = 1;
      for (int k = 0; k < 12; k++)
        if (n % bases[k] == 0) {
          prime[i] = n == bases[k];
          return;
        }
      modulus m(n);
      int s = __ffsll(n - 1) - 1;
      word d = (n - 1) >> s, minus_one = n - m.one;
      for (int k = 0; k < 12; k++) {
        word x = m.one, base = m.multiply(bases[k], m.square);
        for (word e = d; e != 0; e >>= 1, base = m.multiply(base, base))
          if (e & 1) x = m.multiply(x, base);
        bool witness = x != m.one && x != minus_one;
        for (int r = 1; r < s && witness; r++) {
          x = m.multiply(x, x);
          if (x == minus_one) witness = false;
        }
        if (witness) {
          prime[i] = 0;
          return;
        }
      }
    }]],
  run = function(kernels, t)
    local numbers = t.list(N, function(i)
      if i <= 30 then return i + 1 end
      return (t.random(1 << 31) << 31 | t.random(1 << 31)) >> t.random(50) | 3
    end)
    numbers[N], numbers[N - 1], numbers[N - 2] = 3825123056546413051, (1 << 61) - 1, 3215031751
    local prime = t.cuda.empty(N, "int32")
    kernels.primes({ threads = N, block = 64 }, t.cuda.array(numbers, "uint64"), prime, N)
    local want, some = {}, 0
    for i, n in ipairs(numbers) do
      want[i] = is_prime(n) and 1 or 0
      some = some + want[i]
    end
    assert(some > 20 and some < N - 20)
    t.same(want, prime)
  end,
}
