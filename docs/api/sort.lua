-- Sorting, selection and joining: functions of the module and methods of Array.
local A, STREAM = "a: Array", "stream?: Stream (the device's current stream), stream of the work"
local AXIS = "axis?: integer (-1)"
local DESCENDING = "descending?: boolean (false), greatest first"
local OUT = "out?: Array, array of the result's shape and dtype to write to"
local MASK = "mask: Array, bool, of the shape of the array's first axes"
local INDICES = [[indices: Array|integer|table, integers of any shape, from 1 or negative from the
  end]]
local MODE = [[mode?: "raise"|"clip"|"wrap" ("raise"), treatment of indices outside: raise an error,
  which waits for the check; take the nearest element (negative indices are also outside); or take
  `(i - 1) % n + 1`, so that 0 is the last]]
local VALUES = "values: Array|table|number|boolean|Complex|Scalar, converted to the array's dtype"
local NO_ORDER = "a string for structs"
local BAD_MASK = "a string if the mask's shape does not fit"
local OUTSIDE = 'a string for an index outside, with `mode = "raise"`'
local ITSELF = "Array, the array that was written"
local COPY = "dtype?: Dtype (the common dtype of all), dtype of the result"
local JOIN = { "axis?: integer (1)", OUT, COPY, STREAM }

local ORDER = [[NaN counts as greater than every number; complex numbers are ordered by their real,
  then their imaginary parts.]]
local COST = [[
  The CPU device sorts in host memory, on all its threads. On GPUs, rows of up to 4096 elements are
  sorted in one launch without scratch memory (a bitonic network);
  longer ones by a radix sort (Onesweep; Adinets and Merrill, 2022), which reads them once and then
  reads and writes them at most once per byte of the dtype]]

return {
  title = "Sorting and selection",
  parts = {
    { class = "luacuda", entries = {
      { "sort", params = { A }, options = { AXIS, DESCENDING, OUT, STREAM },
        returns = { "Array, a sorted copy" }, raises = NO_ORDER,
        text = "Sorts a copy along an axis; [array:sort](#arraysort) works in place. " .. ORDER
          .. " -0.0 comes before 0.0.\n\n" .. COST .. [[, with scratch memory for a copy. Other
            axes than the last, and arrays with gaps, are copied first.]] },
      { "argsort", method = true, params = { A }, options = { AXIS, DESCENDING, OUT, STREAM },
        returns = { "Array, int64 indices from 1, of the shape of `a`" }, raises = NO_ORDER,
        text = [[Returns the indices that sort an array along an axis. The sort is stable, also when
          descending: equal elements keep their order, as do -0.0 and 0.0, and
          NaNs. ]] .. ORDER .. "\n\n"
          .. COST .. [[, with scratch memory for the keys and their 32-bit indices (two copies of
            each for dtypes of 4 and 8 bytes).]] },
      { "unique", method = true, params = { A },
        options = { "return_index?: boolean (false), also return where each value occurs first",
          [[return_inverse?: boolean (false), also return, in the shape of `a`, the index of each
            element's value]],
          "return_counts?: boolean (false), also return how often each value occurs", STREAM },
        returns = { "Array, the values, of one axis",
          "...: Array, int64: the index, the inverse and the counts, as requested" },
        raises = NO_ORDER,
        text = [[Returns the distinct values in ascending order. Indices start at 1 and count in C
          order. -0.0 and 0.0 are one value, and so are all NaNs. Waits for the number of
          values.]] },
      { "compress", method = true, params = { A, MASK },
        options = { "axis?: integer, axis that a mask of one axis selects from", OUT, STREAM },
        returns = { "Array" }, raises = BAD_MASK,
        text = [[Returns the elements where the mask is true, in C order; a mask of fewer axes than
          the array selects rows. `a[mask]` does the same. Reads the mask once, waits for the number
          of elements, then reads and writes only what is selected.]] },
      { "nonzero", method = true, params = { A }, options = { STREAM },
        returns = { "Array, int64 indices from 1, along the first axis",
          "...: Array, the same for each further axis" },
        raises = "a string for an array without axes",
        text = [[Returns where elements are not zero, in C order. Waits for their number. The
          results share one block of memory.]] },
      { "putmask", method = true, params = { A, MASK, VALUES }, options = { STREAM },
        returns = { ITSELF }, raises = BAD_MASK,
        text = [[Writes where the mask is true: one value, or the element at the same place of an
          array of the same shape. NumPy's `putmask` repeats a shorter array; this one raises an
          error.]] },
      { "place", method = true, params = { A, MASK, VALUES }, options = { STREAM },
        returns = { ITSELF }, raises = BAD_MASK .. ", or the number of values",
        text = [[Writes where the mask is true: one value, or one value for each selected element,
          in C order. Unless there is one value, the call waits for the number of selected elements.
          `a[mask] = values` does the same, and takes an array of the same shape as
          [putmask](#cudaputmask) does.]] },
      { "take", method = true, params = { A, INDICES },
        options = { "axis?: integer (all elements in C order, as one axis)", OUT, MODE, STREAM },
        returns = { [[Array, of the shape of `a` with the axis replaced by the shape of `indices`;
          an integer drops the axis]] },
        raises = OUTSIDE,
        text = [[Returns elements by index along an axis. `a[indices]` takes along the first
          axis.]] },
      { "put", method = true, params = { A, INDICES, VALUES }, options = { MODE, STREAM },
        returns = { ITSELF }, raises = OUTSIDE,
        text = [[Writes elements by index, in C order as one axis: one value, one for each index, or
          values whose shape broadcasts to that of the indices. Any other number of values is an
          error. If an index occurs twice, it is undefined which of its values stays. With
          `mode = "raise"` all indices are checked before anything is written.]] },
      { "concatenate", params = { "arrays: Array[], at least one" }, options = JOIN,
        returns = { "Array" }, raises = "a string if the shapes differ in another axis",
        text = "Joins arrays along an axis." },
      { "stack", params = { "arrays: Array[], at least one, of one shape" }, options = JOIN,
        returns = { "Array" }, raises = "a string if the shapes differ",
        text = "Joins arrays along a new axis." },
      { "gather", params = { "parts: Array[], at least one, of one dtype, on any devices" },
        options = { "axis?: integer (1), axis along which they are joined",
          "device?: Device|integer|string (that of `out` or `stream`, else the current device)",
          "out?: Array, array of the result's shape and dtype to write to",
          "stream?: Stream (the device's current stream), stream of the copies" },
        returns = { "Array" }, raises = "a string if the dtypes differ, or the shapes otherwise",
        text = [[Joins arrays along an axis, wherever they are: the reverse of
          [cuda.split_to](#cudasplit_to).]] },
    } },
    { class = "Array", entries = {
      { "sort", options = { AXIS, DESCENDING, STREAM }, returns = { "Array, itself" },
        raises = NO_ORDER,
        text = "Sorts the array in place along an axis, as [cuda.sort](#cudasort) does a copy." },
    } },
  },
}
