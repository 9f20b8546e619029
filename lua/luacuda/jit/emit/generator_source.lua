-- generator_source.lua: CUDA text of random(seed, sequence): the words of Philox4x32-10 and the
-- numbers made of them. generator.lua computes the same in Lua, bit for bit: so every operation
-- on floats is one that rounds to nearest, and none is contracted.

local philox = require("luacuda.array.random_source").philox

-- Word p of a sequence is word p % 4 of block p / 4, whose counter is the block's number and the
-- sequence, as in CURAND.
local GENERATOR = [[
struct _lcu_generator {
  unsigned long long at;
  unsigned s0, s1, k0, k1;
  _lcu_block block;
  float spare;
  double wide_spare;
  bool has_spare, has_wide_spare;
};
__device__ __forceinline__ void _lcu_refill(_lcu_generator *g) {
  const unsigned long long b = g->at >> 2;
  g->block = _lcu_philox4((unsigned)b, (unsigned)(b >> 32), g->s0, g->s1, g->k0, g->k1);
}
__device__ __forceinline__ _lcu_generator _lcu_random(uint64 seed, uint64 sequence,
    uint64 offset) {
  _lcu_generator g;
  g.at = offset;
  g.s0 = (unsigned)sequence, g.s1 = (unsigned)(sequence >> 32);
  g.k0 = (unsigned)seed, g.k1 = (unsigned)(seed >> 32);
  g.has_spare = g.has_wide_spare = false;
  if ((offset & 3) != 0) _lcu_refill(&g);
  return g;
}
__device__ __forceinline__ uint32 _lcu_word(_lcu_generator *g) {
  const unsigned k = (unsigned)g->at & 3;
  if (k == 0) _lcu_refill(g);
  g->at++;
  return k < 2 ? k == 0 ? g->block.w[0] : g->block.w[1] : k == 2 ? g->block.w[2] : g->block.w[3];
}
__device__ __forceinline__ uint64 _lcu_two_words(_lcu_generator *g) {
  const unsigned lo = _lcu_word(g);
  return _lcu_pair(lo, _lcu_word(g));
}
]]

local UNIFORM = [[
__device__ __forceinline__ float32 _lcu_uniform32(_lcu_generator *g) {
  return (float)(_lcu_word(g) >> 8) * 0x1p-24f;
}
__device__ __forceinline__ float64 _lcu_uniform64(_lcu_generator *g) {
  return (double)(_lcu_two_words(g) >> 11) * 0x1p-53;
}
]]

-- Lemire's method, as in array/random_integers_source.lua; refused words are followed by the next
-- ones. A range of 2^32 or more takes two words.
local INTEGER = [[
__device__ __forceinline__ int64 _lcu_integer(_lcu_generator *g, int64 low, int64 high) {
  const uint64 range = (uint64)high - (uint64)low + 1;
  if (high < low) return low;
  if (range - 1 < 0xffffffffull) {
    const unsigned n = (unsigned)range;
    unsigned x = _lcu_word(g);
    if (x * n < n) for (const unsigned refused = (0u - n) % n; x * n < refused;) x = _lcu_word(g);
    return (int64)((uint64)low + __umulhi(x, n));
  }
  uint64 x = _lcu_two_words(g);
  if (range == 0) return (int64)((uint64)low + x);
  if (x * range < range)
    for (const uint64 refused = (0ull - range) % range; x * range < refused;)
      x = _lcu_two_words(g);
  return (int64)((uint64)low + __umul64hi(x, range));
}
]]

-- c1 + c2 x + c3 x^2 + ... by Horner's rule, with a rounding after each operation.
local function horner(x, list, add, mul, literal)
  local text = literal(list[#list])
  for k = #list - 1, 1, -1 do
    text = ("%s(%s(%s, %s), %s)"):format(add, mul, text, x, literal(list[k]))
  end
  return text
end

local function as_float(v) return (("<f"):unpack(("<f"):pack(v))) end
local function as_double(v) return v end

-- The coefficients in z = s^2 of log((1 + s) / (1 - s)) / s, and in y = x^2 of sin(x) / x and
-- cos(x); log(2); pi in the units of an angle of so many bits; each rounded.
local function numbers(terms, bits, round)
  local log, sine, cosine, term = {}, {}, {}, 1.0
  for k = 1, terms do
    log[k] = round(2 / (2 * k - 1))
    cosine[k], sine[k] = round(term), round(term / (2 * k - 1))
    term = -term / ((2 * k - 1) * (2 * k))
  end
  return { log = log, sine = sine, cosine = cosine, ln2 = round(math.log(2)),
    step = round(math.pi / 2.0 ^ (bits - 1)), round = round }
end

local M = {}

-- As many terms as count for floats and doubles.
M.numbers32, M.numbers64 = numbers(5, 32, as_float), numbers(10, 64, as_double)

-- Box and Muller (1958). u is a number from 1 to 2^N, for u / 2^N = 2^e m with m from sqrt(1/2) to
-- sqrt(2): log(m) = log((1 + s) / (1 - s)). The angle is pi times a signed fraction, of which two
-- bits are the quadrant.
local NORMAL = [[
__device__ __forceinline__ REAL _lcu_normal_pair(_lcu_generator *g, REAL *spare, REAL) {
  REAL u = WORD_U, e = ZERO, x, m, s, z, r, y;
  const UINT a = WORD_A;
  SPLIT
  s = DIV(ADD(m, -ONE), ADD(m, ONE));
  z = MUL(s, s);
  r = ADD(MUL(e, LN2), MUL(s, LOG));
  r = SQRT(MUL(-TWO, r > ZERO ? ZERO : r));
  const UINT turn = a + HALF_QUADRANT;
  x = MUL((REAL)(INT)((turn & QUADRANT_MASK) - HALF_QUADRANT), STEP);
  y = MUL(x, x);
  REAL sine = MUL(x, SINE), cosine = COSINE;
  if (turn >> TOP & 1) { const REAL t = sine; sine = cosine; cosine = -t; }
  if (turn >> TOP & 2) { sine = -sine; cosine = -cosine; }
  *spare = MUL(r, sine);
  return MUL(r, cosine);
}
__device__ __forceinline__ REAL NAME(_lcu_generator *g) {
  g->HAS = !g->HAS;
  if (!g->HAS) return g->SPARE;
  return _lcu_normal_pair(g, &g->SPARE, ZERO);
}
]]

local function with_point(text) return (text:gsub("^-?%d+$", "%0.0")) end
local function float_literal(v) return with_point(("%.9g"):format(v)) .. "f" end
local function double_literal(v) return with_point(("%.17g"):format(v)) end

local function normal(parts, own)
  local add, mul, literal = parts.ADD, parts.MUL, parts.literal
  parts.LOG = horner("z", own.log, add, mul, literal)
  parts.SINE = horner("y", own.sine, add, mul, literal)
  parts.COSINE = horner("y", own.cosine, add, mul, literal)
  parts.LN2, parts.STEP = literal(own.ln2), literal(own.step)
  local function fill(text) return (text:gsub("%f[%w_]%u[%u%d_]*%f[^%w_]", parts)) end
  return fill((fill(NORMAL)))
end

local NORMAL32 = normal({ REAL = "float", UINT = "unsigned", INT = "int", NAME = "_lcu_normal32",
  HAS = "has_spare", SPARE = "spare", ZERO = "0.0f", ONE = "1.0f", TWO = "2.0f",
  ADD = "__fadd_rn", MUL = "__fmul_rn", DIV = "__fdiv_rn", SQRT = "__fsqrt_rn",
  WORD_U = "(float)((_lcu_word(g) >> 8) + 1u)", WORD_A = "_lcu_word(g)",
  SPLIT = [[const int bits = __float_as_int(u), up = (bits & 0x7fffff) > 0x3504f3;
  e = (float)((bits >> 23) - 127 - 24 + up);
  m = __int_as_float((bits & 0x7fffff) | (127 - up) << 23);]],
  HALF_QUADRANT = "0x20000000u", QUADRANT_MASK = "0x3fffffffu", TOP = "30",
  literal = float_literal }, M.numbers32)

local NORMAL64 = normal({ REAL = "double", UINT = "unsigned long long", INT = "long long",
  NAME = "_lcu_normal64", HAS = "has_wide_spare", SPARE = "wide_spare", ZERO = "0.0", ONE = "1.0",
  TWO = "2.0", ADD = "__dadd_rn", MUL = "__dmul_rn", DIV = "__ddiv_rn", SQRT = "__dsqrt_rn",
  WORD_U = "(double)((_lcu_two_words(g) >> 11) + 1ull)",
  WORD_A = "_lcu_two_words(g)",
  SPLIT = [[const long long bits = __double_as_longlong(u), part = bits & 0xfffffffffffffll;
  const int up = part > 0x6a09e667f3bcdll;
  e = (double)((int)(bits >> 52) - 1023 - 53 + up);
  m = __longlong_as_double(part | (long long)(1023 - up) << 52);]],
  HALF_QUADRANT = "0x2000000000000000ull", QUADRANT_MASK = "0x3fffffffffffffffull", TOP = "62",
  literal = double_literal }, M.numbers64)

M.generator = philox "gpu" .. GENERATOR
M.uniform, M.integer, M.normal32, M.normal64 = UNIFORM, INTEGER, NORMAL32, NORMAL64

return M
