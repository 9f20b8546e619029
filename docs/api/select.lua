-- luacheck: ignore 631 (one entry, one line)
-- Sorting and selection: functions of the module and methods of Array.
local A, STREAM = "a: Array", "stream?: Stream, in whose order (the device's current stream)"
local AXIS = "axis?: integer, from 1, or negative from the end (-1)"
local DESCENDING = "descending?: boolean, greatest first (false)"
local OUT = "out?: Array, result of that shape and dtype to write into"
local MASK = "mask: Array, bool, of the shape of a's first axes"
local INDICES = "indices: Array|integer|table, of integers from 1, or negative from the end; any shape"
local MODE = "mode?: string, indices outside: \"raise\" (waits for the check), \"clip\" to the nearest (negative ones are outside, too), \"wrap\" round (\"raise\")"
local VALUES = "values: Array|table|number|boolean|Complex|Scalar, converted to a's dtype"
local ORDER = "NaN counts as greater than everything; complex numbers go by real, then imaginary part."
local COST = "Rows of up to 4096 elements are sorted in one launch without memory of their own; longer ones by a radix sort, one read and one write per byte of an element after one more read, with memory for a copy"
local NO_ORDER = "a string for structs"

local SORT = "Sorts along an axis. " .. ORDER .. " -0.0 comes before 0.0. " .. COST .. ". Axes other than the last and arrays with gaps are copied first."
local ARGSORT = "Indices, from 1, that sort along an axis; elements that are equal (as are -0.0 and 0.0, and NaNs) keep their order, also when descending. " .. ORDER .. " " .. COST .. " of keys and of 32-bit indices (two of each for 4 and 8 bytes)."
local COMPRESS = "Elements where the mask is set, in C order; a mask of fewer axes selects rows, `axis` along another axis. `a[mask]` is the same. Reads the mask once, waits for the number of elements, then reads and writes what is selected; rows are taken by indices."
local NONZERO = "Where elements are not zero: indices from 1, in C order. Waits for their number. The arrays share memory."
local PUTMASK = "Writes where the mask is set: one value, or from an array of a's shape the element of the same place, or else values in order, as many as are selected (waits for their number). `a[mask] = values` is the same. An array with gaps is copied and written back."
local TAKE = "Elements by index along an axis, without `axis` of a seen as one row; the indices' shape takes the axis's place. An integer drops the axis. `a[indices]` takes along the first axis. Mode \"raise\" waits; \"clip\" and \"wrap\" do not, and wrap takes (i - 1) % n + 1, so that 0 is the last."
local PUT = "Writes elements by index of a seen as one row; values are repeated as often as needed. Which of several values for one element stays is not defined. Mode \"raise\" checks all indices first and waits."

local COMPRESS_OPTIONS = { "axis?: integer, of a mask of one axis", OUT, STREAM }
local TAKE_OPTIONS = { "axis?: integer", OUT, MODE, STREAM }
local JOIN_OPTIONS = { "axis?: integer (1)", OUT, "dtype?: string, of the result (NumPy's promotion of all)", STREAM }
local BAD_MASK = "a string for a mask that does not fit"
local OUTSIDE = "a string for an index outside, in mode \"raise\""

return {
  {
    name = "luacuda",
    entries = {
      { "sort", params = { A }, options = { AXIS, DESCENDING, OUT, STREAM }, returns = { "Array, a sorted copy" }, raises = NO_ORDER, text = SORT .. " `a:sort()` works in place." },
      { "argsort", params = { A }, options = { AXIS, DESCENDING, OUT, STREAM }, returns = { "Array, int64" }, raises = NO_ORDER, text = ARGSORT },
      { "unique", params = { A }, options = { "return_index?: boolean, also where each value is first", "return_inverse?: boolean, also an array of a's shape: which value each element is", "return_counts?: boolean, also how often each is there", STREAM },
        returns = { "Array, the values", "Array?, int64 each: index, inverse, counts, as asked for" }, raises = NO_ORDER, text = "The values, each once, in order; indices start at 1. -0.0 and 0.0 are one value, and so are NaNs. A sort (with index or inverse an argsort), a mask, a selection; waits for the number of values." },
      { "compress", params = { A, MASK }, options = COMPRESS_OPTIONS, returns = { "Array" }, raises = BAD_MASK, text = COMPRESS },
      { "nonzero", params = { A }, options = { STREAM }, returns = { "Array, int64, one for each axis" }, raises = "a string for an array without axes", text = NONZERO },
      { "putmask", params = { A, MASK, VALUES }, options = { STREAM }, returns = { "Array, a" }, raises = BAD_MASK, text = PUTMASK },
      { "take", params = { A, INDICES }, options = TAKE_OPTIONS, returns = { "Array" }, raises = OUTSIDE, text = TAKE },
      { "put", params = { A, INDICES, VALUES }, options = { MODE, STREAM }, returns = { "Array, a" }, raises = OUTSIDE, text = PUT },
      { "concatenate", params = { "arrays: Array[], at least one" }, options = JOIN_OPTIONS, returns = { "Array" }, raises = "a string for shapes that differ in another axis", text = "Joins along an axis: one copy per array." },
      { "stack", params = { "arrays: Array[], at least one, of one shape" }, options = JOIN_OPTIONS, returns = { "Array" }, raises = "a string for shapes that differ", text = "Joins along a new axis: one copy per array." },
    },
  },
  {
    name = "Array",
    entries = {
      { "sort", options = { AXIS, DESCENDING, STREAM }, returns = { "Array, itself" }, raises = NO_ORDER, text = SORT .. " In place; `cuda.sort(a)` gives a copy." },
      { "argsort", options = { AXIS, DESCENDING, OUT, STREAM }, returns = { "Array, int64" }, raises = NO_ORDER, text = ARGSORT },
      { "compress", params = { MASK }, options = COMPRESS_OPTIONS, returns = { "Array" }, raises = BAD_MASK, text = COMPRESS },
      { "nonzero", options = { STREAM }, returns = { "Array, int64, one for each axis" }, raises = "a string for an array without axes", text = NONZERO },
      { "putmask", params = { MASK, VALUES }, options = { STREAM }, returns = { "Array, itself" }, raises = BAD_MASK, text = PUTMASK },
      { "take", params = { INDICES }, options = TAKE_OPTIONS, returns = { "Array" }, raises = OUTSIDE, text = TAKE },
      { "put", params = { INDICES, VALUES }, options = { MODE, STREAM }, returns = { "Array, itself" }, raises = OUTSIDE, text = PUT },
    },
  },
}
