-- luacheck: ignore 631 (one entry, one line)
-- Linear algebra: functions of the module and methods of Array.
local A, B = "a: Array", "b: Array, on the same device"
local STREAM = "stream?: Stream, in whose order (the device's current stream)"
local OUT = "out?: Array, result of that shape and dtype to write into, any strides; may be one of the operands"
local BACKEND = "backend?: string, \"cublas\" or \"kernel\" (cuBLAS where it is there and has the dtype; no faster for vectors, whose sums of products are reductions)"
local TF32 = "tf32?: boolean, cuBLAS may round float32 and complex64 to TF32 before it multiplies (false)"
local OPTIONS = { OUT, STREAM, BACKEND, TF32 }
local MISFIT = "a string with both shapes when they do not fit"

local TYPES = "dtypes are promoted as by `a * b`; float16 and bfloat16 are summed in float32, integers wrap in their own dtype, of booleans it is the or of ands."
local VALUE = "A result without axes is a Lua value (and is waited for), or with `out` an array."
local MATMUL = "The matrix product. The last two axes are the matrices, the axes before them broadcast; a vector is a row on the left and a column on the right, and its axis is not in the result. " .. VALUE .. " Views are taken as they lie wherever that is possible, transposed ones always. Dtypes: " .. TYPES .. " On GPUs float and complex products use cuBLAS where it is found; other dtypes, the CPU device and GPUs without it (or with `LUACUDA_LIBCUBLAS=off`) use LuaCUDA's own kernel, which is compiled at the first use for a dtype."
local DOT = "The sum of products over the last axis of a and the last but one of b (its only one, if it has one): for vectors the scalar product, for matrices what matmul gives. " .. VALUE .. " With an array of no axes: a * b."
local TRACE = "The sum of the diagonal of a matrix."
local TRACE_OPTIONS = { "out?: Array", "dtype?: string, of the sum (int64 or uint64 for integers, else a's)", STREAM }
local NORM = "Norms, computed in float32 for 16-bit types, with a result of a's float type (float64 for integers). Without `axis` and `ord`: the root of the sum of all squares. For vectors (one axis) `ord` is 2, 1, math.huge (the largest absolute value, 0 without elements), -math.huge (the smallest), 0 (how many are not zero) or any p; for matrices (two axes) \"fro\", 1, -1 (the largest, smallest sum of a column), math.huge or -math.huge (of a row). Over everything without `out`, `axis` or `keepdims`: a Lua number (waits)."
local NORM_OPTIONS = { "ord?: number|string (2, of matrices \"fro\")", "axis?: integer|integer[], one axis of vectors or two of matrices (those of a vector or matrix; without ord all)", "keepdims?: boolean, keep the axes with one element (false)", "out?: Array, result of that shape and dtype to write into", STREAM }
local NUMBER = "Array|number|boolean|Complex"

return {
  {
    name = "luacuda",
    entries = {
      { "matmul", params = { A, B }, options = OPTIONS, returns = { NUMBER }, raises = MISFIT, text = MATMUL },
      { "dot", params = { A, B }, options = OPTIONS, returns = { NUMBER }, raises = MISFIT, text = DOT },
      { "inner", params = { A, B }, options = OPTIONS, returns = { NUMBER }, raises = MISFIT, text = "The sum of products over the last axes of both. " .. VALUE },
      { "outer", params = { A, B }, options = OPTIONS, returns = { "Array, {a.size, b.size}" }, text = "All elements of a times all elements of b." },
      { "vdot", params = { A, B }, options = OPTIONS, returns = { NUMBER }, raises = "a string when the sizes differ", text = "The sum of products over all elements of both in C order, a conjugated. " .. VALUE },
      { "trace", params = { A }, options = TRACE_OPTIONS, returns = { NUMBER }, raises = "a string for what is no matrix", text = TRACE },
      { "norm", params = { A }, options = NORM_OPTIONS, returns = { "Array|number" }, raises = "a string for an ord that the number of axes does not have", text = NORM },
    },
  },
  {
    name = "Array",
    entries = {
      { "matmul", params = { B }, options = OPTIONS, returns = { NUMBER }, raises = MISFIT, text = MATMUL },
      { "dot", params = { B }, options = OPTIONS, returns = { NUMBER }, raises = MISFIT, text = DOT },
      { "trace", options = TRACE_OPTIONS, returns = { NUMBER }, raises = "a string for what is no matrix", text = TRACE },
      { "norm", options = NORM_OPTIONS, returns = { "Array|number" }, raises = "a string for an ord that the number of axes does not have", text = NORM },
    },
  },
}
