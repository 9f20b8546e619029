-- cuda.random and the class of its generators; their methods are also functions of cuda.random.
local SHAPE = "shape?: integer|integer[]|nil (that of `out`), elements per axis"
local STREAM = "stream?: Stream (the device's current stream), stream of the work"
local DEVICE = "device?: Device|integer|string (that of `out`, else the current device)"
local OUT = "out?: Array, array of that shape to write to; its dtype is that of the result"
local FLOAT = 'dtype?: "float32"|"float64"|"float16"|"bfloat16" ("float32")'
local MEMORY = "`memory` if the allocation fails"
local HELD = "a string for numbers that the dtype does not hold; "
local COUNTS = { "dtype?: Dtype (int64), an integer dtype", OUT, STREAM, DEVICE }

local draws = {
  { "uniform", fixed = true, params = { SHAPE },
    options = { "low?: number (0), least value",
      "high?: number (1), upper end, excluded; not below `low`", FLOAT,
      OUT,
      STREAM, DEVICE },
    returns = { "Array" }, raises = HELD .. MEMORY,
    text = [[Returns uniformly distributed numbers `low + (high - low) * u`, where u is one of 2^24
      (for float32), 2^53 (float64), 2^11 (float16) or 2^8 (bfloat16) numbers at equal distances
      from 0 up to, not including, 1. If `low` and `high` are not 0 and 1, rounding may give
      `high`.]] },
  { "normal", fixed = true, params = { SHAPE },
    options = { "mean?: number (0)", "std?: number (1), standard deviation", FLOAT, OUT, STREAM,
      DEVICE },
    returns = { "Array" }, raises = HELD .. MEMORY,
    text = [[Returns normally distributed numbers (Box and Muller, 1958), at most 5.8 standard
      deviations from the mean (float64: 8.6). All dtypes but float64 use the device's
      approximations of logarithm, sine and cosine, so the last bits may differ between
      devices.]] },
  { "integers", fixed = true,
    params = { "low: integer", "high: integer, included, as in `math.random`", SHAPE },
    options = { "dtype?: Dtype (int64), an integer dtype that can hold `low` and `high`", OUT,
      STREAM,
      DEVICE },
    returns = { "Array" }, raises = "a string if `low` is more than `high`; " .. MEMORY,
    text = [[Returns integers from `low` to `high`, all of them equally likely (Lemire, 2019). For
      uint64 both are taken as bits: 0 to -1 is the whole range. An element takes one 32-bit word of
      the generator if at most 2^20 of the 2^32 words have to be refused for that, as for all ranges
      of up to 2^20 integers, else two words. Dtypes of one byte take half a word
      (Brackett-Rozinsky and Lemire, 2024).]] },
  { "exponential", fixed = true, params = { SHAPE },
    options = { "scale?: number (1), the mean", FLOAT, OUT, STREAM, DEVICE },
    returns = { "Array" },
    raises = "a string if `scale` is negative or too large for the dtype; " .. MEMORY,
    text = [[Returns exponentially distributed numbers, as `-log(u) * scale` for a uniform u of 32
      bits (float64: 52 bits).]] },
  { "gamma", fixed = true,
    params = { "k: number, 0 or more, the shape of the distribution", SHAPE },
    options = { "scale?: number (1)", FLOAT, OUT, STREAM, DEVICE },
    returns = { "Array" },
    raises = "a string if `k` or `scale` is negative or too large for the dtype; " .. MEMORY,
    text = [[Returns numbers of the gamma distribution of mean `k * scale` by the rejection method
      of Marsaglia and Tsang (2000). For `k` below 1 it draws those of `k + 1` and multiplies them
      by a power of a uniform number, as that paper says.]] },
  { "poisson", fixed = true,
    params = { "mean: number, from 0 to 2^62, NumPy's `lam`", SHAPE }, options = COUNTS,
    returns = { "Array" }, raises = "a string if `mean` is negative; " .. MEMORY,
    text = [[Returns integers of the Poisson distribution, by inversion for means below 10
      (Devroye, 1986), else by transformed rejection (PTRS; Hörmann, 1993). A value that the dtype
      does not hold becomes its largest one.]] },
  { "binomial", fixed = true,
    params = { "n: integer, from 0 to 2^53, number of trials",
      "p: number, probability of a success", SHAPE }, options = COUNTS,
    returns = { "Array" }, raises = "a string if the dtype does not hold `n`; " .. MEMORY,
    text = [[Returns numbers of successes, by inversion if `n * min(p, 1 - p)` is below 10
      (Devroye, 1986), else by transformed rejection (BTRS; Hörmann, 1993).]] },
  { "choice", fixed = true,
    params = { "from: integer|Array, n, or an array of one or more axes",
      "shape: integer|integer[], number of draws per axis" },
    options = { "replace?: boolean (true), may an element be drawn again",
      "p?: Array|number[] (all equal), weights, which need not add up to 1", STREAM,
      "device?: Device|integer|string (the current device), for an integer" },
    returns = { "Array, integers from 1 to n (int64), or rows of the array" },
    raises = [[a string for weights below 0, or for more draws without replacement than there are
      elements with a weight above 0, or from more than 2^62; ]] .. MEMORY,
    text = [[Draws from 1 to n, or from the rows of an array along the first axis. With weights each
      draw is a binary search in their cumulative sums. Draws without replacement are the first
      elements of `permutation`; with weights all n are sorted by the random keys of Efraimidis and
      Spirakis (2006). A call with `p` waits, to check the weights.]] },
  { "shuffle", params = { "array: Array, of one or more axes" }, options = { STREAM },
    returns = { "Array, the argument" }, raises = MEMORY,
    text = [[Puts the rows of an array, along the first axis, in random order, in place, as
      `permutation` does for a copy.]] },
  { "bits", fixed = true, params = { SHAPE },
    options = { 'dtype?: "uint32"|"uint64" ("uint32")', OUT, STREAM, DEVICE },
    returns = { "Array" }, raises = MEMORY,
    text = [[Returns the generator's 32-bit words in order; two give a uint64, the lower half
      first.]] },
  { "permutation", params = { "what: integer|Array, n, or an array of one or more axes" },
    options = { STREAM, "device?: Device|integer|string (the current device), for an integer" },
    returns = { "Array" }, raises = MEMORY,
    text = [[Returns the integers from 1 to n in random order (int64), or a copy of an array with
      its rows, along the first axis, in random order. Nothing is sorted: a one-to-one function of
      the integers below n gives each element its place, a Feistel network over two digits (Black
      and Rogaway, 2002) with 32-bit keys from the generator, one for each of its 32 rounds (16 for
      more than 4096 elements). The orders have the statistics of uniformly random ones: of few
      elements all are equally often, of many the places, distances, cycles and parity agree.]] },
}

local SEED = "seed: integer, all 64 bits are used"

return {
  title = "Random numbers",
  text = [[
    Random numbers are made on the device by Philox4x32-10 (Salmon, Moraes, Dror and Shaw, 2011). A
    draw depends on the seed and on the draws before it (their number and sizes), but not on the
    device, the stream or the launch: all devices give the same bits, except for `normal` and
    `gamma`. Where the text does not say otherwise, it runs one kernel, which computes and writes
    each element once, and does not wait. Pass nil for the shape to fill an array:
    `generator:uniform(nil, { out = a })`. A new version may make other numbers of the same words
    where a method gets better, as `integers`, `permutation`, `shuffle` and `choice` did.]],
  parts = {
    { class = "luacuda", entries = {
      { "random", kind = "value", returns = { "Random" },
        text = [[The functions below, which draw from the default generator. It is made with a
          random seed when it is first needed.]] },
    } },
    { class = "Random", entries = {
      { "generator", kind = "function",
        params = { "seed?: integer (a random one), all 64 bits are used" },
        returns = { "Generator" }, text = "Makes a generator." },
      { "seed", kind = "function", params = { SEED },
        text = "Restarts the default generator with a seed." },
    } },
    { class = "Generator", twins = "Random",
      text = [[
        A seed and a position in its sequence. Each method is also a function of `cuda.random`,
        which uses the default generator.]],
      entries = draws },
    { class = "Generator", entries = {
      { "seed", params = { SEED }, returns = { "Generator, itself" },
        text = "Restarts the generator with a seed, as a new generator begins." },
    } },
  },
}
