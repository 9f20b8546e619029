-- Statistics and searching: functions of the module and methods of Array.
local A, STREAM = "a: Array", "stream?: Stream (the device's current stream), stream of the work"
local OUT = "out?: Array, array of the result's shape and dtype to write to"
local KEEPDIMS = "keepdims?: boolean (false), keep the reduced axes, with one element"
local AXES = "axis?: integer|integer[] (all), axes to reduce"
local DTYPE = "dtype?: Dtype, dtype of the result, also used for the computation"
local DDOF = "ddof?: number (0), subtracted from the number of elements in the divisor"
local VALUE = [[Array|number|boolean|Complex, an array if `axis`, `out` or `keepdims` is given, else
  a Lua value, for which the call waits]]
local X = "a: Array|number|boolean|Complex|Scalar, one of them an array"
local Y = "b: Array|number|boolean|Complex|Scalar, broadcast against `a`"
local RTOL, ATOL = "rtol?: number (1e-5), tolerance relative to `b`",
  "atol?: number (1e-8), absolute tolerance"
local EQUAL_NAN = "equal_nan?: boolean (false), whether NaN equals NaN"
local MISFIT = "a string for shapes that do not fit"

local ASCENDING = "a: Array, of one axis, in ascending order"
local PLACES = [[Array|integer, int64 places from 1; for a number a Lua integer, for which the call
  waits]]
local WEIGHTS = [[weights?: Array, real numbers in the shape of the first argument, added instead
  of 1]]

local AXIS = "axis?: integer (-1)"
local KTH = "kth: integer|integer[], places from 1 or negative from the end"
local OUTSIDE = "a string for a place outside of the axis"

local M = "m: Array, a variable in each row and an observation in each column, or one variable"
local Y_TOO = "y?: Array, in place of the parameter"
local M_TOO = "y?: Array, more variables of the same observations"
local ROWVAR = "rowvar?: boolean (true), whether the variables are the rows; false: the columns"
local COV_DTYPE = [[dtype?: Dtype (that of the arguments, joined with float64), dtype of the result
  and of the computation]]
local SQUARE = "Array, of the shape {variables, variables}; without axes for one variable"

local function quantile(name, most, plural)
  return { name, method = true,
    params = { A, ("q: number|number[]|Array, from 0 to %d"):format(most) },
    options = { AXES, KEEPDIMS,
      [[method?: "linear"|"lower"|"higher"|"nearest"|"midpoint" ("linear"), the value between two
        elements: interpolated, the lower one, the higher one, the nearer one (of two equally near
        ones that with the even index from 0), or their mean]], OUT, STREAM },
    returns = { [[Array|number, an array if `axis`, `out`, `keepdims` or several ]] .. plural
      .. [[ are given, else a Lua value, for which the call waits]] },
    raises = "a string for no elements, for complex numbers and for a `q` outside",
    text = [[Returns the elements at fractions of the way from the least to the greatest. The shape
      is that of `q`, then that of the reduction. Interpolated values have a's float dtype, or
      float64, joined with the dtype of `q` if it is an Array; the others a's own. NaN where an
      element is NaN. The elements are sorted in a copy. An Array `q` is read, for which the call
      waits.]] }
end

local function nan_reductions(options, text, rows)
  local entries = {}
  for i, row in ipairs(rows) do entries[i] = { row[1], params = { A }, text = row[2] } end
  return { class = "luacuda", title = rows.title, rows = true, method = true, reduces = true,
    text = text, options = options, returns = { VALUE }, raises = rows.raises, entries = entries }
end

return {
  title = "Statistics and searching",
  parts = {
    { class = "luacuda", entries = {
      { "isclose", method = true, params = { X, Y },
        options = { RTOL, ATOL, EQUAL_NAN, OUT, STREAM },
        returns = { "Array, bool" }, raises = MISFIT,
        text = [[Returns where two values are equal or close: where `|a - b| <= atol + rtol * |b|`.
          Integers are compared as float64; floats of 8 and 16 bits are computed in float32. An
          infinity is close to itself only.]] },
      { "allclose", method = true, params = { X, Y }, options = { RTOL, ATOL, EQUAL_NAN, STREAM },
        returns = { "boolean" }, raises = MISFIT,
        text = [[Returns whether all elements are close, as [cuda.isclose](#cudaisclose) defines it;
          true for no elements. Reads both arrays once, and waits.]] },
      { "array_equal", params = { A, "b: Array" }, options = { EQUAL_NAN, STREAM },
        returns = { "boolean" },
        text = [[Returns whether two arrays have the same shape and equal elements. The dtypes may
          differ; integers are compared exactly. The elements are compared on the device, which
          the call waits for; [array:equals](#arrayequals) compares them on the host.]] },
      { "nan_to_num", method = true, params = { A },
        options = { "nan?: number (0), replaces NaN",
          "posinf?: number, replaces infinity (the largest number of the dtype)",
          "neginf?: number, replaces -infinity (the smallest number of the dtype)",
          OUT .. "; may be the argument", STREAM },
        returns = { "Array, of the shape and dtype of `a`" },
        text = [[Returns the array with numbers in place of NaN and infinity. The parts of complex
          numbers are replaced separately; booleans and integers stay as they are.]] },
      { "average", method = true, params = { A },
        options = { AXES, [[weights?: Array|number[] (1), in the shape of `a` or of its reduced
          axes in the order given; a list has a's float dtype]], KEEPDIMS,
          "returned?: boolean (false), also return the sum of the weights", OUT, STREAM },
        returns = { VALUE, "Array|number|Complex?, the sum of the weights, if `returned`" },
        raises = "a string for weights whose shape does not fit",
        text = [[Returns the sum of the products with the weights, divided by the sum of the
          weights; without weights the mean. The dtype is the common one, for booleans and
          integers joined with float64. Reads the elements once. Weights that add up to 0 give NaN
          or an infinity.]] },
      { "ptp", method = true, params = { A }, options = { AXES, KEEPDIMS, OUT, STREAM },
        returns = { VALUE },
        raises = "a string for a reduction of no elements, for booleans and for complex numbers",
        text = [[Returns the greatest element less the least ("peak to peak"), in a's dtype, in
          which integers wrap around; NaN where an element is NaN.]] },
      { "cov", params = { M, M_TOO },
        options = { ROWVAR, "bias?: boolean (false), use `ddof` 0",
          "ddof?: integer (1), subtracted from the number of observations in the divisor",
          "fweights?: Array|integer[], how often each observation counts",
          "aweights?: Array|number[], weights of the observations", Y_TOO, COV_DTYPE, STREAM },
        returns = { SQUARE }, raises = "a string for numbers of observations that differ",
        text = [[Returns the covariances of all pairs of variables. The divisor is that of NumPy.
          Weights are not checked for negative ones.]] },
      { "corrcoef", params = { M, M_TOO }, options = { ROWVAR, Y_TOO, COV_DTYPE, STREAM },
        returns = { SQUARE }, raises = "a string for numbers of observations that differ",
        text = [[Returns the correlation of all pairs of variables: the covariance over both
          standard deviations, from -1 to 1; NaN for a variable that does not vary.]] },
      { "median", method = true, params = { A }, options = { AXES, KEEPDIMS, OUT, STREAM },
        returns = { VALUE }, raises = "a string for an axis that does not exist",
        text = [[Returns the middle element in ascending order, or the mean of the two in the
          middle; NaN where an element is NaN or there are none. Booleans and integers give float64.
          The elements are sorted in a copy.]] },
      quantile("quantile", 1, "quantiles"), quantile("percentile", 100, "percentiles"),
      { "partition", params = { A, KTH }, options = { AXIS, OUT, STREAM }, returns = { "Array" },
        raises = OUTSIDE,
        text = [[Returns a copy in which the element at each place of `kth` is the one that is there
          in ascending order, no element before it is greater, and none after it is less. NaN counts
          as greater than every number. The copy is sorted completely, as by [cuda.sort](#cudasort);
          [array:partition](#arraypartition) works in place.]] },
      { "argpartition", method = true, params = { A, KTH }, options = { AXIS, OUT, STREAM },
        returns = { "Array, int64 indices from 1, of the shape of `a`" }, raises = OUTSIDE,
        text = [[Returns the indices that partition an array as [cuda.partition](#cudapartition)
          does. They are those of [cuda.argsort](#cudaargsort).]] },
      { "topk", method = true, params = { A, "k: integer, from 0 to the elements of the axis" },
        options = { AXIS, "largest?: boolean (true), the greatest elements instead of the least",
          STREAM },
        returns = { "Array, of the shape of `a` with `k` elements along the axis",
          "Array, int64 indices from 1, of the same shape" },
        raises = "a string for a `k` outside",
        text = [[Returns the `k` greatest elements along an axis, the greatest first, and where they
          are; or the least ones, the least first. Equal elements keep their order. NaN counts as
          greater than every number. Sorts indices with [cuda.argsort](#cudaargsort).]] },
      { "searchsorted", method = true,
        params = { ASCENDING, "v: Array|number|boolean|Complex|Scalar, values to find",
          [[side?: "left"|"right" ("left"), the place before or after the elements that are
            equal]] },
        options = { "side?: string, in place of the parameter",
          [[sorter?: Array, integers from 1 or negative from the end that sort `a`, as from
            [cuda.argsort](#cudaargsort); indices outside take the nearest element]], OUT, STREAM },
        returns = { PLACES }, raises = "a string for an array that has not one axis",
        text = [[Returns where values belong in a sorted array: the index, from 1 to `#a + 1`, of
          the element before which a value is inserted so that the order stays. NumPy's place counts
          from 0: it is one less. With side "left" the elements before the place are less than
          the value, with "right" they are not greater. NaN comes after all numbers. Integers
          of any two dtypes are compared exactly, other values in the common dtype, a Lua float as
          float64. Does not check that `a` is sorted. Runs a binary search for each value.]] },
      { "digitize",
        params = { "x: Array|number|boolean|Scalar, values",
          [[bins: Array|number[], edges that ascend or descend, where NaN is the greatest; only a
            list is checked]] },
        options = { "right?: boolean (false), whether a bin contains its right edge instead of its "
          .. "left one", OUT, STREAM },
        returns = { PLACES }, raises = "a string for complex numbers",
        text = [[Returns the bin of each value: 1 before the first edge, `k + 1` after edge `k`, up
          to `#bins + 1` after the last edge. NumPy's number of a bin counts from 0: it is one
          less.]] },
      { "bincount", params = { "x: Array, integers from 1, of one axis" },
        options = { WEIGHTS, "minlength?: integer (0), least number of bins", STREAM },
        returns = { "Array, of one axis: int64 counts, or float64 sums of weights" },
        raises = "a string for an element below 1",
        text = [[Returns how often each integer occurs: element `k` of the result counts the
          elements that are `k`. `cuda.bincount(x + 1)` counts integers from 0 as NumPy's bincount
          does. Waits for the greatest element, which is the number of bins. Sums of weights may
          differ in the last bits from call to call.]] },
      { "histogram", params = { A, [[bins?: integer|number[]|Array (10), number of bins of equal
          width, or the edges in ascending order]] },
        options = { "bins?: integer|number[]|Array, in place of the parameter",
          "range?: number[] (the least and the greatest element), first and last edge", WEIGHTS,
          [[density?: boolean (false), divide by the width of each bin and the sum of all, which
            gives float64]], STREAM },
        returns = { "Array, of one axis: int64 counts, or sums of weights in their dtype",
          "Array, the edges, one more than there are bins" },
        raises = [[a string for complex numbers, for a range that is not finite, and for bins of
          equal width so narrow that edges coincide]],
        text = [[Counts the elements in bins. A bin contains its left edge and not its right one,
          the last bin both. NaN and elements outside are left out. Edges computed here have a's
          float dtype, or float64. With a number of bins and no `range` the call waits for the
          least and the greatest element. The order of edges in an array is not checked. Sums of
          weights are added in float64 and may differ in the last bits from call to call.]] },
    } },
    nan_reductions({ AXES, KEEPDIMS, OUT, DTYPE, STREAM }, [[
      These leave NaN out. A complex number is NaN if one of its parts is. Dtypes are those of
      [cuda.sum](#cudasum) and [cuda.mean](#cudamean).]], {
      title = "Sums and means without NaN", raises = "a string for an axis that does not exist",
      { "nansum", "The sum; 0 where all elements are NaN." },
      { "nanprod", "The product; 1 where all elements are NaN." },
      { "nanmean", "The mean; NaN where all elements are NaN." },
    }),
    nan_reductions({ AXES, KEEPDIMS, OUT, DTYPE, DDOF, STREAM }, [[
      Computed as [cuda.var](#cudavar) is. For floats and complex numbers the result is NaN where
      `ddof` or fewer elements are no NaN.]], {
      title = "Variance without NaN", raises = "a string for an axis that does not exist",
      { "nanvar", "The mean of the squared distances from the mean." },
      { "nanstd", "The square root of `nanvar`." },
    }),
    nan_reductions({ AXES, KEEPDIMS, OUT, STREAM }, [[
      Complex numbers are ordered by their real, then their imaginary parts. Indices are int64 and
      start at 1, along the reduced axes in C order; among equal elements the first counts.]], {
      title = "Extremes without NaN", raises = [[a string for an axis that does not exist and for a
        reduction of no elements; `nanargmin` and `nanargmax` over all axes also where all elements
        are NaN]],
      { "nanmin", "The least element; NaN where all elements are NaN." },
      { "nanmax", "The greatest element; NaN where all elements are NaN." },
      { "nanargmin", "The index of the least element; 0 where all elements are NaN." },
      { "nanargmax", "The index of the greatest element; 0 where all elements are NaN." },
    }),
    { class = "Array", entries = {
      { "partition", params = { KTH }, options = { AXIS, STREAM }, returns = { "Array, itself" },
        raises = OUTSIDE,
        text = [[Partitions the array in place along an axis, as [cuda.partition](#cudapartition)
          does a copy.]] },
    } },
  },
}
