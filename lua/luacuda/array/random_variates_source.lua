-- random_variates_source.lua: CUDA text of the exponential, gamma, Poisson and binomial
-- distributions. Each element has a block of the generator for itself, and a new one for each
-- attempt of a method that rejects.

-- Uniform numbers between 0 and 1, both excluded.
local OPEN32 = "((float)(%s >> 8) + 0.5f) * 0x1p-24f"
local OPEN64 = "((double)(_lcu_pair(%s, %s) >> 12) + 0.5) * 0x1p-52"

local BODIES = {}

-- The inverse of the distribution function. For float32 from 32 bits, of which half a step is at
-- least 2^-33: at most 22.9.
function BODIES.exponential(dtype)
  if dtype == "float64" then
    return 2, [[
#pragma unroll
  for (int k = 0; k < 2; k++) _r.v[k] = _scale
    * _lcu_minus_log(_lcu_pair(_b.w[2 * k], _b.w[2 * k + 1]) >> 11 | 1ull);]], ", double _scale"
  end
  return 4, [[
#pragma unroll
  for (int k = 0; k < 4; k++)
    _r.v[k] = (T)(_lcu_minus_log(fmaf((float)_b.w[k], 0x1p-32f, 0x1p-33f)) * _scale);]],
    ", float _scale"
end

-- Marsaglia and Tsang, "A simple method for generating gamma variables" (2000), for _d = k - 1/3,
-- _c = 1 / sqrt(9 _d). For k < 1 their k + 1 is drawn and multiplied by a power of a uniform number
-- (_power = 1 / k; 0: none).
local GAMMA = [[
REAL y;
  for (unsigned t = 0;; t += 2) {
    const _lcu_block s = t == 0 ? _b : _lcu_philox(_offset + (unsigned long long)_u, t, _k0, _k1);
    const _lcu_block q = _lcu_philox(_offset + (unsigned long long)_u, t + 1, _k0, _k1);
    const REAL r = OPEN_S;
    const REAL x = sqrt(REAL(-2) * log(r)) * cospi(REAL(2) * (OPEN_A));
    const REAL one = REAL(1) + (REAL)_c * x, v = one * one * one;
    if (v <= 0) continue;
    const REAL u = OPEN_U;
    if (u < REAL(1) - REAL(0.0331) * (x * x) * (x * x)
        || log(u) < REAL(0.5) * x * x + (REAL)_d * (REAL(1) - v + log(v))) {
      y = (REAL)_d * v;
      if (_power > 0) y *= pow(OPEN_P, (REAL)_power);
      break;
    }
  }
  _r.v[0] = (T)(y * (REAL)_scale);]]

function BODIES.gamma(dtype)
  local wide = dtype == "float64"
  local function open(block, k)
    if wide then
      return OPEN64:format(("%s.w[%d]"):format(block, 2 * k), ("%s.w[%d]"):format(block, 2 * k + 1))
    end
    return OPEN32:format(("%s.w[%d]"):format(block, k))
  end
  local texts = { REAL = wide and "double" or "float", OPEN_S = open("s", 0),
    OPEN_A = open("s", 1), OPEN_U = open("q", 0), OPEN_P = open("q", 1) }
  return 1, (GAMMA:gsub("%u[%u_]+", texts)),
    ", double _d, double _c, double _power, double _scale"
end

-- Integers are stored as the nearest that the dtype holds (_most: the largest).
local STORE = "_r.v[0] = (T)(_k < _most ? (long long)_k : (long long)_most);"

-- The distribution function is summed up until it reaches a uniform number (Devroye, "Non-uniform
-- random variate generation", 1986, X.3.3).
local POISSON_SMALL = ([[
const double u = OPEN;
  double p = _p0, sum = p, _k = 0;
  while (u > sum && _k < 1000) {
    _k += 1;
    p *= _mean / _k;
    sum += p;
  }
  ]]):gsub("OPEN", OPEN64:format("_b.w[0]", "_b.w[1]")) .. STORE

-- The uniform numbers of each attempt of a rejection method.
local PROPOSAL = ([[
double _k;
  for (unsigned t = 0;; t++) {
    const _lcu_block s = t == 0 ? _b : _lcu_philox(_offset + (unsigned long long)_u, t, _k0, _k1);
    const double u = OPEN_U - 0.5;
    const double v = OPEN_V;
    const double us = 0.5 - fabs(u);
]]):gsub("OPEN_%u", { OPEN_U = OPEN64:format("s.w[0]", "s.w[1]"),
  OPEN_V = OPEN64:format("s.w[2]", "s.w[3]") })

-- PTRS, transformed rejection with squeeze: Hoermann, "The transformed rejection method for
-- generating Poisson random variables" (1993).
local POISSON_LARGE = PROPOSAL .. [[
    _k = floor((2.0 * _a / us + _c) * u + _mean + 0.43);
    if (us >= 0.07 && v <= _vr) break;
    if (_k < 0 || (us < 0.013 && v > us)) continue;
    if (log(v) + _alpha - log(_a / (us * us) + _c) <= _k * _log - _mean - lgamma(_k + 1.0)) break;
  }
  ]] .. STORE

function BODIES.poisson_small()
  return 1, POISSON_SMALL, ", double _mean, double _p0, double _most"
end

function BODIES.poisson_large()
  return 1, POISSON_LARGE, ", double _mean, double _log, double _a, double _c, double _vr,"
    .. " double _alpha, double _most"
end

-- The same sum for the binomial distribution; _p is at most 1/2, _flip: count the others.
local BINOMIAL_SMALL = ([[
const double u = OPEN;
  double p = _p0, sum = p, _k = 0;
  while (u > sum && _k < _count) {
    _k += 1;
    p *= (_count - _k + 1) / _k * _odds;
    sum += p;
  }
  if (_flip) _k = _count - _k;
  _r.v[0] = (T)(long long)_k;]]):gsub("OPEN", OPEN64:format("_b.w[0]", "_b.w[1]"))

-- BTRS: Hoermann, "The generation of binomial random variates" (1993).
local BINOMIAL_LARGE = PROPOSAL .. [[
    _k = floor((2.0 * _a / us + _c) * u + _center);
    if (_k < 0 || _k > _count) continue;
    if (us >= 0.07 && v <= _vr) break;
    if (log(v * _alpha / (_a / (us * us) + _c)) <= _h - lgamma(_k + 1.0)
        - lgamma(_count - _k + 1.0) + (_k - _mode) * _log) break;
  }
  if (_flip) _k = _count - _k;
  _r.v[0] = (T)(long long)_k;]]

function BODIES.binomial_small()
  return 1, BINOMIAL_SMALL, ", double _count, double _odds, double _p0, bool _flip"
end

function BODIES.binomial_large()
  return 1, BINOMIAL_LARGE, ", double _count, double _center, double _a, double _c, double _vr,"
    .. " double _alpha, double _h, double _mode, double _log, bool _flip"
end

return BODIES
