-- random_permutation_source.lua: CUDA text of the kernel that makes permutations.
--
-- A keyed one-to-one function of 0 .. n - 1 gives each element its place, so nothing is sorted. It
-- is a Feistel network over two digits, x = left * b + right, left below a and right below b (Black
-- and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002): each round adds a hash of one
-- digit to the other, modulo a or b. A place outside 0 .. n - 1 is permuted again until it is
-- inside, which is rare: a * b is at most n + 2a. Both a and b are even, since a round over an odd
-- one would be an even permutation.
--
-- Rounds: of 5 to 8 elements, orders are equally likely as far as 4 * 10^6 permutations show from
-- 24 rounds on. From 8 on, 64 elements have the places, distances, patterns, cycles, inversions and
-- parity of uniformly random permutations; from 6 on, 5000 to 100000 elements have their pairs at
-- 40 distances and their triples.

local philox = require("luacuda.array.random_source").philox "gpu"
local prelude = require "luacuda.builder.prelude"

local M = { BLOCK = 256, EACH = 8 }

local FEW = 4096                -- elements up to which rounds cost nothing

-- The rounds for n elements, a multiple of 4.
function M.rounds(n) return n <= FEW and 32 or 16 end

-- The hash has the steps of MurmurHash3's finalizer (Appleby, 2011) between its multiplications;
-- its upper bits count.
local KERNEL = [[
__device__ __forceinline__ unsigned _lcu_moved(unsigned digit, unsigned other, unsigned key,
    unsigned limit) {
  unsigned hash = (other ^ key) * 0x85ebca6bu;
  hash = (hash ^ hash >> 15) * 0xc2b2ae35u;
  digit += __umulhi(hash, limit);
  return min(digit, digit - limit);
}
__global__ void NAME(long long *_out, long long _count, INDEX _n, unsigned _a, unsigned _b,
    unsigned long long _offset, unsigned _k0, unsigned _k1) {
  __shared__ _lcu_block _blocks[ROUNDS / 4];
  if (threadIdx.x < ROUNDS / 4)
    _blocks[threadIdx.x] = _lcu_philox(_offset + threadIdx.x, 0u, _k0, _k1);
  __syncthreads();
  const long long _step = (long long)gridDim.x * blockDim.x;
  for (long long _i = (long long)blockIdx.x * blockDim.x + threadIdx.x; _i < _count; _i += _step) {
    INDEX _x = (INDEX)_i;
    do {
      unsigned _left = (unsigned)(_x / _b), _right = (unsigned)(_x % _b);
#pragma unroll
      for (int _r = 0; _r < ROUNDS; _r += 2) {
        _left = _lcu_moved(_left, _right, _blocks[_r / 4].w[_r % 4], _a);
        _right = _lcu_moved(_right, _left, _blocks[_r / 4].w[_r % 4 + 1], _b);
      }
      _x = (INDEX)_left * _b + _right;
    } while (_x >= _n);
    _out[_i] = (long long)_x + 1;
  }
}
]]

-- source.text(index, rounds), index "unsigned" or "unsigned long long" -> CUDA text, the kernel's
-- name
function M.text(index, rounds)
  local name = ("random_permutation_%d_%d"):format(rounds, index == "unsigned" and 32 or 64)
  local kernel = KERNEL:gsub("%f[%w_]%u%u+%f[^%w_]",
    { NAME = name, INDEX = index, ROUNDS = tostring(rounds) })
  return prelude.text {} .. philox .. kernel, name
end

return M
