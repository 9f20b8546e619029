-- luacheck: ignore 631 (one entry, one line)
-- Scans: cuda.scan, and cumulative sums and the like, which are functions of the module and methods of Array.
local A, STREAM = "a: Array", "stream?: Stream, in whose order (the device's current stream)"
local AXIS = "axis?: integer, from 1, or negative from the end (all elements in C order, as one axis)"
local OUT = "out?: Array, result of that shape and dtype to write into; a itself will do"
local DTYPE = "dtype?: string, of the result, in which is computed"
local OPTIONS = { AXIS, DTYPE, OUT, STREAM }
local WIDE = "Integers and booleans make int64 or uint64 unless `dtype` is given; half types are computed in float."
local ORDER = "NaN stays once it is there. Complex numbers raise."
local REPEATABLE = "The same array gives the same bits each time."

local SUM = "Every element with all before it added. " .. WIDE .. " " .. REPEATABLE
local PRODUCT = "Every element with all before it multiplied. " .. WIDE .. " " .. REPEATABLE
local MAXIMUM = "The largest element so far. " .. ORDER
local MINIMUM = "The smallest element so far. " .. ORDER
local SUMS, ORDERED = "a string for complex numbers with a real `dtype`", "a string for complex numbers"

return {
  { name = "luacuda", entries = {
    { "scan", params = { "inputs: string|table, parameters as of `cuda.elementwise`, one of them not raw; or one table of inputs, outputs, map, scan, identity, name and the options", "outputs?: string, parameters",
        "map?: string, C++ expression of the inputs: an element's value", "scan?: string, associative C++ expression of `a` and `b`: two neighbours as one, a before b", "identity?: string|number|boolean, C++ expression: what is before the first element; needed by exclusive scans alone", "name?: string, of the kernel (\"scan\")" },
      options = { "post?: string, CUDA C++ that assigns the outputs from `a`, the value at an element (the first output is a)", "exclusive?: boolean, each element gets what comes before it, the first the identity (false)", "scan_type?: string, type of a and b: a dtype, a placeholder or a struct of the preamble that is plain data (that of the first output; float for half types)",
        "preamble?: string, CUDA C++ that stands before the kernel", "flags?: string|string[], for the compiler", "defines?: table, name to value: macros for the texts given here; generated code does not see them", "include_dirs?: string|string[]", "headers?: table, name to text", "std?: string", "debug?: boolean (false)", "lineinfo?: boolean (true)", "fast_math?: boolean (false)", "backend?: string", "cache?: boolean (true)" },
      returns = { "Scan" }, raises = "a string for wrong declarations; expressions are compiled by the first call with its types",
      text = "Makes a kernel that gives every element what it and all before it come to: prefix sums with any associative operator, commutative or not. `map` sees the inputs, `i` (index in C order) and `n` (number of elements); `post` sees `a`, the outputs, raw parameters, `i` and `n`, so that raw outputs can be written anywhere (`if (keep[i]) y[a - 1] = v[i]`). No parameter may be called a or b." },
    { "cumsum", params = { A }, options = OPTIONS, returns = { "Array" }, raises = SUMS, text = SUM },
    { "cumprod", params = { A }, options = OPTIONS, returns = { "Array" }, raises = SUMS, text = PRODUCT },
    { "cummax", params = { A }, options = OPTIONS, returns = { "Array" }, raises = ORDERED, text = MAXIMUM },
    { "cummin", params = { A }, options = OPTIONS, returns = { "Array" }, raises = ORDERED, text = MINIMUM },
  } },
  { name = "Scan", title = "Scans", text = "What `cuda.scan` gives. One kernel is compiled for each combination of dtypes and each way in which the arrays lie, when it is first needed, and kept.",
    entries = {
      { "__call", kind = "call", params = { "...: Array|number|boolean|Complex|Scalar, the inputs; shapes broadcast", "(outputs)?: Array, behind the inputs, all of them; raw ones have to be given" },
        options = { "axis?: integer, from 1, or negative from the end (all elements in C order, as one axis)", "exclusive?: boolean, as declared unless given", "segments?: Array, bool or integers of the inputs' shape: a new sequence begins where it is not 0", "out?: Array|Array[], the outputs, instead of arguments", STREAM },
        returns = { "Array, and one more for each further output" }, raises = "a string for arguments that do not fit; compile; launch",
        text = "Computes in one pass and does not wait. Outputs have the inputs' shape, or {n} without an axis when there are several, and may be inputs. What lies unfavourably (elements more than 32 bytes apart along the last axis, as when transposed; overlapping outputs) is copied first. How values are grouped depends on the shape, the dtypes and the way arrays lie, but not on timing: the same call gives the same bits." },
      { "name", kind = "field", returns = { "string" }, text = "Its name." },
      { "source", params = { "...: any, arguments as in a call" }, returns = { "string" }, raises = "a string when nothing is compiled yet", text = "CUDA text of the kernel that a call with these arguments runs, which is compiled but not launched; without arguments of the kernel made last." },
      { "ptx", params = { "...: any, arguments as in a call" }, returns = { "string" }, raises = "a string when nothing is compiled yet; compile", text = "PTX of that kernel for the current device." },
      { "cached", returns = { "table[], per kernel: types (of the parameters), mode (\"flat\", \"columns\"), vector (elements per access), exclusive, segments (dtype), device" }, text = "What was made so far." },
    } },
  { name = "Array", entries = {
    { "cumsum", options = OPTIONS, returns = { "Array" }, raises = SUMS, text = SUM },
    { "cumprod", options = OPTIONS, returns = { "Array" }, raises = SUMS, text = PRODUCT },
    { "cummax", options = OPTIONS, returns = { "Array" }, raises = ORDERED, text = MAXIMUM },
    { "cummin", options = OPTIONS, returns = { "Array" }, raises = ORDERED, text = MINIMUM },
  } },
}
