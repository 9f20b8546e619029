-- luacheck: ignore 631 (one entry, one line)
-- Reductions: cuda.reduction, and sum, mean, argmax and the like, which are functions of the module and methods of Array.
local A, STREAM = "a: Array", "stream?: Stream, in whose order (the device's current stream)"
local AXIS = "axis?: integer|integer[], from 1, or negative from the end (all)"
local KEEPDIMS = "keepdims?: boolean, reduced axes stay with one element (false)"
local OUT = "out?: Array, result of that shape and dtype to write into"
local DTYPE = "dtype?: string, of the result, in which is computed"
local RETURNS = { "Array|number|boolean|Complex, an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits" }
local PLAIN, TYPED = { AXIS, KEEPDIMS, OUT, STREAM }, { AXIS, KEEPDIMS, OUT, DTYPE, STREAM }
local SPREAD = { AXIS, KEEPDIMS, OUT, DTYPE, "ddof?: number, taken off the number of elements in the divisor (0)", STREAM }
local WIDE = "Booleans and integers make int64 or uint64 unless `dtype` is given; half types are computed in float."
local MEAN = "Booleans and integers make float64 unless `dtype` is given; half types are computed in float."
local NAN = "NaN wins. Complex numbers compare by real, then by imaginary part."
local NONE = "a string where there are no elements, for wrong axes and options"
local WRONG = "a string for wrong axes and options"

local METHODS = {
  { "sum", TYPED, WRONG, "Elements added. " .. WIDE .. " No elements make 0." },
  { "prod", TYPED, WRONG, "Elements multiplied. " .. WIDE .. " No elements make 1." },
  { "mean", TYPED, WRONG, "The sum divided by the number of elements. " .. MEAN .. " No elements make NaN." },
  { "var", SPREAD, WRONG, "The mean of the squared distances from the mean, which is found first (two passes: Chan, Golub and LeVeque 1983). " .. MEAN .. " Of complex numbers it is real." },
  { "std", SPREAD, WRONG, "The square root of `var`." },
  { "min", PLAIN, NONE, "The smallest element. " .. NAN },
  { "max", PLAIN, NONE, "The largest element. " .. NAN },
  { "argmin", PLAIN, NONE, "Where the smallest element is: int64, from 1 along the reduced axes in C order, the first of equal ones. " .. NAN },
  { "argmax", PLAIN, NONE, "Where the largest element is: int64, from 1 along the reduced axes in C order, the first of equal ones. " .. NAN },
  { "any", PLAIN, WRONG, "Is some element not zero? NaN is not. No elements make false." },
  { "all", PLAIN, WRONG, "Is every element not zero? No elements make true." },
  { "count_nonzero", PLAIN, WRONG, "How many elements are not zero: int64." },
}

local functions = {
  { "reduction", params = { "inputs: string|table, parameters as of `cuda.elementwise`; or one table of inputs, outputs, map, reduce, post, identity, name and the options", "outputs?: string, parameters, not raw",
      "map?: string, C++ expression of the inputs: an element's value", "reduce?: string, C++ expression of `a` and `b`: two values as one; associative and commutative", "post?: string, CUDA C++ that assigns the outputs from `a`, the value of all elements",
      "identity?: string|number|boolean, C++ expression that changes nothing: the value of no elements (nil: no elements raise)", "name?: string, of the kernel (\"reduction\")" },
    options = { "reduce_type?: string, type of a and b: a dtype, a C++ type, a placeholder or a struct of the preamble that is plain data and has a default constructor (that of the first output; float for half types)", "preamble?: string, CUDA C++ that stands before the kernel", "flags?: string|string[], for the compiler", "defines?: table, name to value: macros for the texts given here; generated code does not see them", "include_dirs?: string|string[]", "headers?: table, name to text", "std?: string",
      "debug?: boolean (false)", "lineinfo?: boolean (true)", "fast_math?: boolean (false)", "backend?: string", "cache?: boolean (true)" },
    returns = { "Reduction" }, raises = "a string for wrong declarations; expressions are compiled by the first call with its types",
    text = "Makes a kernel that reduces axes of arrays. `map` sees the inputs, `i` (index in C order in the common shape of the inputs), `_j` (index in C order along the reduced axes, from 0) and `n` (number of elements reduced to each result); `post` sees `a`, the outputs, `n`, raw inputs and those for which a call gives a number. No parameter may be called a or b." },
}
local methods = {}
for k, row in ipairs(METHODS) do
  local name, options, raises, text = table.unpack(row)
  functions[k + 1] = { name, params = { A }, options = options, returns = RETURNS, raises = raises, text = text }
  methods[k] = { name, options = options, returns = RETURNS, raises = raises, text = text }
end

return {
  { name = "luacuda", entries = functions },
  { name = "Reduction", title = "Reductions", text = "What `cuda.reduction` gives. One kernel is compiled for each combination of dtypes and each way in which the arrays lie, when it is first needed, and kept.",
    entries = {
      { "__call", kind = "call", params = { "...: Array|number|boolean|Complex|Scalar, the inputs; shapes broadcast", "(outputs)?: Array, behind the inputs" },
        options = { AXIS, KEEPDIMS, "out?: Array|Array[], the outputs, instead of arguments", "size?: integer, number of elements; needed and allowed only where every array is raw or there is none", STREAM },
        returns = { "Array, and one more for each further output" }, raises = "a string for arguments that do not fit, and for no elements without identity; compile; launch",
        text = "Reduces in one launch, or in two where few results come from many elements, and does not wait. Arrays may lie in any way, raw ones too; axes may be any. Outputs keep what `post` does not assign, and it may read them (a new output is not initialised). In which order values are joined depends on the shape, the dtypes and the way arrays lie, but not on timing: the same call gives the same bits." },
      { "name", kind = "field", returns = { "string" }, text = "Its name." },
      { "source", params = { "...: any, arguments as in a call" }, returns = { "string" }, raises = "a string when nothing is compiled yet", text = "CUDA text of the kernels, one or two, that a call with these arguments runs, which are compiled but not launched; without arguments of the kernel made last." },
      { "ptx", params = { "...: any, arguments as in a call" }, returns = { "string" }, raises = "a string when nothing is compiled yet; compile", text = "PTX of these kernels." },
      { "cached", returns = { "table[], per kernel: types (of the parameters), mode (\"rows\", \"columns\"), pass (\"whole\", or \"partial\" and \"final\"), vector (elements per access), kept and inner (numbers of axes), wide (64-bit indices), device" }, text = "What was made so far." },
    } },
  { name = "Array", entries = methods },
}
