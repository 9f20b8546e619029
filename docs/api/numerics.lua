-- Softmax and other numerical methods: functions of the module, and most are methods of Array.
local A = "a: Array"
local AXIS = "axis?: integer|integer[] (all), axes to reduce"
local OUT = "out?: Array, array of the result's shape and dtype to write to"
local STREAM = "stream?: Stream (the device's current stream), stream of the work"
local REAL = "a string for complex numbers"

local SOFTMAX = { "axis?: integer|integer[] (all), axes along which the results add up to 1",
  OUT .. "; may be the argument", STREAM }
local SCATTER = {
  [[axis?: integer (all elements in C order, as one axis), axis of the indices; the values then
    broadcast to `a:take(indices, { axis = axis })`]],
  'mode?: "raise"|"clip"|"wrap" ("raise"), what to do with indices outside of the axis', STREAM }

local function scatter(name, text)
  return { name, method = true,
    params = { A, "indices: Array|table, integers, from 1 or negative from the end",
      [[values: Array|table|number|boolean, one value, one for each index (both in C order), or
        values whose shape broadcasts to that of the indices; any other number of values is an
        error]] },
    options = SCATTER, returns = { "Array, `a` itself" },
    raises = "a string for wrong indices, before anything is written", text = text }
end

local function convolution(name, mode, text)
  return { name, params = { "a: Array, of one axis", "v: Array, of one axis, on the same device",
      ('mode?: "full"|"same"|"valid" ("%s"), the shifts'):format(mode) },
    options = { "mode?: string, in place of the parameter", OUT, STREAM },
    returns = { "Array" }, raises = "a string for arrays of more axes or without elements",
    text = text }
end

return {
  title = "Numerical methods",
  text = [[
    Results have NumPy's dtypes; integers and booleans give float64.]],
  parts = { {
    class = "luacuda",
    entries = {
      { "softmax", method = true, params = { A }, options = SOFTMAX,
        returns = { "Array, of the shape of `a`" }, raises = REAL,
        text = [[Returns `exp(a)` divided by its sum, computed from the distances to the greatest
          element, so that nothing overflows. Floats of 8 and 16 bits are computed in float32. The
          greatest element and the sum come from one pass (Milakov and Gimelshein, 2018), the result
          from a second one. Along axes with a NaN or +inf, or with -inf only, it is NaN.]] },
      { "log_softmax", method = true, params = { A }, options = SOFTMAX,
        returns = { "Array, of the shape of `a`" }, raises = REAL,
        text = [[Returns the logarithm of [softmax](#cudasoftmax), without the underflow of small
          probabilities.]] },
      { "logsumexp", method = true, reduces = true, params = { A },
        options = { AXIS, "keepdims?: boolean (false), keep the reduced axes, with one element",
          OUT, STREAM },
        returns = { [[Array|number, an array if `axis`, `out` or `keepdims` is given, else a number,
          for which the call waits]] }, raises = REAL,
        text = [[Returns `log(sum(exp(a)))` in one pass without overflow; -inf for no
          elements.]] },
      scatter("scatter_add", [[
        Adds values to the elements at the indices; where an index repeats, all its values count. An
        integer wraps around; for booleans it is `or`. Threads add in no fixed order, so the last
        bits of float sums may change from call to call; sums of integers and results of
        `scatter_max` and `scatter_min` do not. With mode "raise" the call waits for the check of
        the indices, with the others it does not.]]),
      scatter("scatter_max", [[
        Replaces the elements at the indices by the greatest of them and their values; NaN counts as
        the greatest. Complex numbers raise.]]),
      scatter("scatter_min", [[
        Replaces the elements at the indices by the least of them and their values; NaN counts as
        the least. Complex numbers raise.]]),
      { "interp", params = { "x: Array, real numbers",
          "xp: Array|table, coordinates of the samples, ascending unless `period` is given",
          "fp: Array|table, the samples" },
        options = { "left?: number|Complex (`fp[1]`), value below `xp[1]`",
          "right?: number|Complex (`fp[-1]`), value above `xp[-1]`",
          "period?: number, the coordinates repeat after it; `left` and `right` are not used",
          OUT, STREAM },
        returns = { "Array, float64 or complex128, of the shape of `x`" },
        raises = "a string if `xp` and `fp` differ in size or are empty",
        text = [[Returns the values at `x` of straight lines between the samples, each found by
          binary search. NaN gives NaN. Samples that are not in ascending order give values without
          meaning.]] },
      { "gradient", method = true, params = { A },
        options = {
          [[spacing?: number|Array|table (1), distance between samples, for all axes; or the
            coordinates of the samples of one axis; or a list with one of these per axis]],
          "axis?: integer|integer[] (all), axes to differentiate along",
          "edge_order?: integer (1), 2 takes three samples for a derivative at an end", STREAM },
        returns = { "Array, the derivative along the first axis, of the shape of `a`",
          "...: Array, those along the other axes" },
        raises = "a string for an axis of `edge_order` elements or fewer",
        text = [[Returns derivatives: from the neighbours on both sides, of second order for any
          spacing (Fornberg, 1988), and at the ends from one side. Differences of coordinates are
          computed in float64, and floats of 8 and 16 bits in float32.]] },
      { "trapezoid", method = true, params = { A },
        options = { "x?: Array, coordinates of the samples, as many as the axis has elements",
          "dx?: number (1), distance between samples",
          "axis?: integer (-1), axis to integrate along", OUT, STREAM },
        returns = { [[Array|number|Complex, a Lua value if the result has no axes and `out` is not
          given]] },
        raises = "a string for an array without axes",
        text = "Returns the integral by the trapezoidal rule, in one pass; 0 for one sample." },
      convolution("convolve", "full", [[
        Returns the discrete convolution of two sequences, `sum(a[j] * v[k - j])` for every shift k:
        for mode "full" all shifts at which they overlap, for "valid" those at which they overlap
        completely, for "same" the middle ones, as many as the longer sequence has elements. Each
        place is a sum of min(n, m) products; no Fourier transform is used.]]),
      convolution("correlate", "valid", [[
        Returns the cross-correlation `sum(a[j + k] * conj(v[j]))` for the shifts k that `mode`
        names, as [convolve](#cudaconvolve).]]),
    } } },
}
