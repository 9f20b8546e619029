-- sum, mean, argmax and the like: functions of the module and methods of Array.
local function entries_of(rows)
  local entries = {}
  for i, row in ipairs(rows) do entries[i] = { row[1], params = { "a: Array" }, text = row[2] } end
  return entries
end

local AXIS = "axis?: integer|integer[] (all), axes to reduce"
local KEEPDIMS = "keepdims?: boolean (false), keep the reduced axes, with one element"
local OUT = "out?: Array, array of the result's shape and dtype to write to"
local STREAM = "stream?: Stream (the device's current stream), stream of the work"
local DTYPE = "dtype?: Dtype, dtype of the result, also used for the computation"
local RETURNS = { [[Array|number|boolean|Complex, an array if `axis`, `out` or `keepdims` is given,
  else a Lua value, for which the call waits]] }
local SEGMENTS = [[segments?: Array|integer[], offsets of segments of one axis (the first unless
  `axis` is given), each reduced by itself; not for `argmin` and `argmax`, and not with `keepdims`]]
local PLAIN = { AXIS, KEEPDIMS, OUT, SEGMENTS, STREAM }
local TYPED = { AXIS, KEEPDIMS, OUT, DTYPE, SEGMENTS, STREAM }
local SPREAD = { AXIS, KEEPDIMS, OUT, DTYPE,
  "ddof?: number (0), subtracted from the number of elements in the divisor", STREAM }
local WRONG = "a string for an axis that does not exist"

local function group(title, options, raises, text, rows)
  return { class = "luacuda", title = title, rows = true, method = true, reduces = true,
    text = text, options = options, returns = RETURNS, raises = raises, entries = entries_of(rows) }
end

return {
  title = "Reductions",
  text = [[
    A reduction combines the elements along one axis, several axes or all of them. The order in
    which elements are combined depends on shape, dtype and strides, never on timing: the same call
    gives the same bits. [cuda.reduction](#cudareduction) makes reductions from an expression.

    Option `segments` gives a result for each segment of one axis, as an array that has the
    segments in place of the axis. It holds n + 1 integers for n segments, as the row pointers of
    CSR matrices: `segments[s]` elements of the axis come before segment s, and segment n ends
    after `segments[n + 1]`. These are numbers of elements, not indices, so they begin with 0:
    `counts:cumsum { include_initial = true }` makes them from the sizes. A segment without elements
    gives what an array without elements gives; its `min` is the largest value of the dtype and its
    `max` the smallest (infinities for floats). The offsets stay on the device and are not checked:
    where they are outside of the axis or fall, a segment is cut off or empty. The call runs one
    kernel, in which 1 to 256 threads share a segment, as the average length asks for.]],
  parts = {
    group("Sums and means", TYPED, WRONG, [[
      Booleans and integers give int64 (uint64 for unsigned ones) in `sum` and `prod` and float64 in
      `mean`, unless `dtype` is given. Floats of 8 and 16 bits are computed in float32. A
      sum is a tree of partial sums, so rounding errors grow more slowly than in a plain loop.]], {
      { "sum", "The sum; 0 for no elements." },
      { "prod", "The product; 1 for no elements." },
      { "mean", "The sum divided by the number of elements; NaN for no elements." },
    }),
    group("Variance", SPREAD, WRONG, [[
      The elements are read once. Parts of the elements are merged with their numbers, means and
      sums of squared distances, relative to an element of the part, so that an offset that is large
      against the spread costs no digits (Chan, Golub and LeVeque, 1979 and 1983). Booleans and
      integers give float64 unless `dtype` is given; complex numbers give a real result.]], {
      { "var", "The mean of the squared distances from the mean." },
      { "std", "The square root of `var`." },
    }),
    group("Extremes", PLAIN, WRONG .. " and for a reduction of no elements", [[
      NaN counts as the extreme where there is one. `min` and `max` rank -0.0 below 0.0;
      `argmin` and `argmax` treat the two as equal. Complex numbers are ordered by their real, then
      their imaginary parts. `argmin` and `argmax` give int64 indices from 1 along the reduced axes
      in C order, of the first element among equal ones.]], {
      { "min", "The least element." }, { "max", "The greatest element." },
      { "argmin", "The index of the least element." },
      { "argmax", "The index of the greatest element." },
    }),
    group("Truth", PLAIN, WRONG, "NaN counts as not zero.", {
      { "any", "Whether any element is not zero; false for no elements." },
      { "all", "Whether all elements are not zero; true for no elements." },
      { "count_nonzero", "The number of elements that are not zero (int64)." },
    }),
  },
}
