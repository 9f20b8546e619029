-- random_integers_source.lua: CUDA text of uniformly distributed integers.
--
-- Lemire, "Fast random integer generation in an interval" (2019): the high half of word times range
-- is uniform if low halves below 2^bits mod range are refused; a refused element is taken from the
-- next attempt's words. _range 0 stands for 2^bits.

local BODIES = {}

local function unrolled(per, statement)
  return ("#pragma unroll\n  for (int k = 0; k < %d; k++) %s"):format(per, statement)
end

-- From two words each.
function BODIES.integers_wide()
  return 2, unrolled(2, [[{
    unsigned long long x = _lcu_pair(_b.w[2 * k], _b.w[2 * k + 1]);
    for (unsigned t = 1; _range != 0 && x * _range < _refused; t++) {
      const _lcu_block again = _lcu_philox(_offset + (unsigned long long)_u, t, _k0, _k1);
      x = _lcu_pair(again.w[2 * k], again.w[2 * k + 1]);
    }
    _r.v[k] = (T)((_range == 0 ? x : __umul64hi(x, _range)) + (unsigned long long)_low);
  }]]), ", long long _low, unsigned long long _range, unsigned long long _refused"
end

-- From a word each.
function BODIES.integers()
  return 4, unrolled(4, [[{
    unsigned x = _b.w[k];
    for (unsigned t = 1; x * _range < _refused; t++)
      x = _lcu_philox(_offset + (unsigned long long)_u, t, _k0, _k1).w[k];
    _r.v[k] = (T)((_range == 0 ? x : __umulhi(x, _range)) + (unsigned long long)_low);
  }]]), ", long long _low, unsigned _range, unsigned _refused"
end

-- Two from a word, for ranges of at most 2^16: the second from the low half of the first's product
-- (Brackett-Rozinsky and Lemire, "Batched ranged random integer generation", 2024). The words that
-- are refused are those of the product of both ranges.
function BODIES.integers_half()
  return 8, unrolled(4, [[{
    unsigned x = _b.w[k];
    for (unsigned t = 1; x * _range * _range < _refused; t++)
      x = _lcu_philox(_offset + (unsigned long long)_u, t, _k0, _k1).w[k];
    _r.v[2 * k] = (T)(__umulhi(x, _range) + (unsigned)_low);
    _r.v[2 * k + 1] = (T)(__umulhi(x * _range, _range) + (unsigned)_low);
  }]]), ", long long _low, unsigned _range, unsigned _refused"
end

return BODIES
