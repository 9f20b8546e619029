-- luacheck: ignore 631 (one entry, one line)
-- cuda.random: random numbers, and the class of their generators.
local SHAPE = "shape?: integer|integer[], of the result; that of `out`, where it is left out"
local STREAM = "stream?: Stream, in whose order (the device's current stream)"
local DEVICE = "device?: Device|integer|string, where (the current one)"
local OUT = "out?: Array, of that shape, to write into, any strides; its dtype is the result's"
local FLOAT = "dtype?: string, float32, float64, float16 or bfloat16 (float32)"

return {
  { name = "luacuda", entries = {
    { "random", kind = "value", returns = { "table, generator([seed]) -> Generator, and the methods of one generator, made with a random seed when it is first needed: uniform, normal, integers, bits, permutation, seed" },
      text = "Random numbers made on the device. `cuda.random.generator(seed)` makes a Generator, `cuda.random.uniform(shape, options)` and so on draw from the default one, `cuda.random.seed(n)` sets that one's seed." },
  } },
  { name = "Generator", title = "Random numbers",
    text = "What `cuda.random.generator` gives: a seed and a position in its sequence, which is Philox4x32-10's. A draw depends on the seed and on the draws before it (how many, of which sizes), not on the device, the stream or the launch: all devices give the same bits, but for `normal`. It runs one kernel, which computes and writes each element once, and does not wait. Kernels are compiled at the first use for a dtype.",
    entries = {
      { "uniform", params = { SHAPE }, options = { "low?: number (0)", "high?: number (1)", FLOAT, OUT, STREAM, DEVICE }, returns = { "Array" }, raises = "a string for arguments that do not fit; memory",
        text = "Numbers from `low` up to, not with, `high`, at equal distances: 2^24 of them for float32, 2^53 for float64, 2^11 for float16, 2^8 for bfloat16. Where `low` and `high` are not 0 and 1, low + (high - low) * u is rounded, which may give `high`." },
      { "normal", params = { SHAPE }, options = { "mean?: number (0)", "std?: number, the standard deviation (1)", FLOAT, OUT, STREAM, DEVICE }, returns = { "Array" }, raises = "a string for arguments that do not fit; memory",
        text = "Numbers of the normal distribution, by Box and Muller's method, at most 5.8 standard deviations from the mean (float64: 8.6). All but float64 are computed with the device's approximations of logarithm, sine and cosine, so that the last bits may differ between devices." },
      { "integers", params = { "low: integer", "high: integer", SHAPE }, options = { "dtype?: string, an integer type that holds both (int64)", OUT, STREAM, DEVICE }, returns = { "Array" }, raises = "a string for arguments that do not fit; memory",
        text = "Integers from `low` to `high`, both included, as Lua's math.random has them; all are equally likely." },
      { "bits", params = { SHAPE }, options = { "dtype?: string, uint32 or uint64 (uint32)", OUT, STREAM, DEVICE }, returns = { "Array" }, raises = "a string for arguments that do not fit; memory",
        text = "The generator's words in their order; two make a uint64, the lower first." },
      { "permutation", params = { "what: integer|Array, n or an array with at least one axis" }, options = { STREAM, "device?: Device|integer|string, where, for an n (the current one)" }, returns = { "Array" }, raises = "a string for arguments that do not fit; memory",
        text = "The integers from 1 to n in random order as int64, or an array's rows (along its first axis) in random order, as a copy. Costs a sort of n random 64-bit keys with their indices, and for an array the copy." },
      { "seed", params = { "seed: integer, all 64 bits count" }, returns = { "Generator, itself" }, raises = "a string for what is no integer", text = "Starts again, as a new generator of that seed does. (`cuda.random.seed` returns nothing.)" },
    } },
}
