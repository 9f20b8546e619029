-- luacheck: ignore 631 (one entry, one line)
-- Kernel builders: functions that make kernels from a few lines of CUDA C++.
local COMPILER = { "preamble?: string, CUDA C++ that stands before the kernel (functions, macros, structs)", "flags?: string|string[], for the compiler", "defines?: table, name to value: macros for the texts given here; generated code does not see them",
  "include_dirs?: string|string[]", "headers?: table, name to text", "std?: string, such as \"c++20\"", "debug?: boolean (false)", "lineinfo?: boolean (true)", "fast_math?: boolean (false)",
  "backend?: string, \"nvrtc\"", "cache?: boolean, look up and keep compiled code (true)" }

return {
  { name = "luacuda", entries = {
    { "elementwise", params = { "inputs: string|table, parameters such as \"float32 x, T y, raw T z\"; or one table of inputs, outputs, body, name and the options", "outputs?: string, parameters that the body assigns",
        "body?: string, CUDA C++ for one element", "name?: string, of the kernel (\"elementwise\")" }, options = COMPILER,
      returns = { "Elementwise" }, raises = "a string for wrong declarations; the body is compiled by the first call with its types",
      text = "Makes a kernel that computes element by element, with broadcasting, for any strides. A parameter is `[raw] [const] type name`; types are dtypes (`float32`, `f32`), C's names (`float`, `unsigned char`), `struct Name` (raw only) or placeholders (a capital, as `T`), which the arrays of a call bind and which the body may use as types. "
        .. "In the body every parameter is one element, `i` its index in C order, `n` the number of elements, and `return`, or `continue` outside of its own loops, ends this element. A `raw` parameter is the whole array: `x[k]` by index in C order, `x.size()`, `x.shape(d)` (d from 0), and where it is contiguous a pointer. Half types compute in float (`T(0)` beside them in `?:`), complex ones have the functions of C++'s complex; `atomicAdd` takes int64 and half types, too." },
    { "fuse", params = { "fn: function, of arrays and numbers" }, options = { "name?: string, of the kernel (\"fused\")" }, returns = { "Fused" }, raises = "a string for what is no function",
      text = "Makes one kernel of a Lua function: the function runs once on values that stand for its arguments, what it does to them is recorded, and later calls with arguments of the same kinds run the kernel alone. It may use operators, the functions and methods that work element by element, `astype`, `where` and `clip`; results may be several, and a result may be a reduction (`sum`, `prod`, `min`, `max`, `mean`, `any`, `all`, `argmin`, `argmax`, `count_nonzero`), which is a kernel of its own. Every intermediate value has the dtype that the operator gives outside, and is rounded to it. "
        .. "Numbers passed as arguments are parameters. Booleans passed as arguments, numbers in the function, and numbers, booleans and strings among its upvalues are constants: for another boolean, and when an upvalue changes (also one of a Lua function among the upvalues), the function is traced again. Not seen: fields of tables and globals, once traced; that `if x` and `x and y` take every array and number that is an argument as true; and that `x == 0` is false. `<`, `<=`, `==` between traced values, `#`, indexing and text of them raise." },
  } },
  { name = "Elementwise", title = "Elementwise kernels", text = "What `cuda.elementwise` gives. One kernel is compiled for each combination of dtypes and each way in which the arrays lie, when it is first needed, and kept.",
    entries = {
      { "__call", kind = "call", params = { "...: Array|number|boolean|Complex|Scalar, the inputs", "(outputs)?: Array, behind the inputs; nil or left out where one is to be made" },
        options = { "size?: integer, number of elements, also of raw outputs that are to be made; needed and allowed only where every array is raw or there is none", "out?: Array|Array[], the outputs, instead of arguments", "stream?: Stream, in whose order (the device's current stream)", "device?: Device|integer|string, where, when no array tells" },
        returns = { "Array, and one more for each further output" }, raises = "a string for arguments that do not fit; compile; launch",
        text = "Computes and does not wait. Shapes of inputs broadcast; outputs are not broadcast, may be views, may be inputs, and keep what the body does not assign (a new output is not initialised). Lua numbers take the types that arrays bind; alone they are int64, float32, bool or complex128." },
      { "name", kind = "field", returns = { "string" }, text = "Its name." },
      { "source", params = { "...: any, arguments as in a call" }, returns = { "string" }, raises = "a string when nothing is compiled yet and the types are open", text = "CUDA text of the kernel that a call with these arguments runs, which is compiled but not launched; without arguments of the kernel made last, or of one for contiguous arrays." },
      { "ptx", params = { "...: any, arguments as in a call" }, returns = { "string" }, raises = "a string when nothing is compiled yet; compile", text = "PTX of that kernel." },
      { "cached", returns = { "table[], per kernel: types (of the parameters), mode (\"flat\", \"strided\", \"tile\"), vector (elements per access), ndim, wide (64-bit indices), device" }, text = "What was made so far." },
    } },
  { name = "Fused", title = "Fused functions", text = "What `cuda.fuse` gives. Functions with the same code and equal upvalues share their kernels.",
    entries = {
      { "__call", kind = "call", params = { "...: Array|number|boolean|Complex|Scalar, the arguments; shapes broadcast" },
        options = { "out?: Array|Array[], the results, of their shapes and dtypes", "stream?: Stream, in whose order (the device's current stream)" },
        returns = { "Array, and one more for each further result; for a reduction over everything a number, boolean or Complex, for which it waits" },
        raises = "a string for arguments that do not fit and for what cannot be traced; errors of the function; compile; launch",
        text = "Computes and does not wait. Without arrays among the arguments, and inside another fused function, the function itself runs. A result that is an argument is a copy of it, one that is a constant an array filled with it. Calls that need neither computed numbers nor several kernels cost what an elementwise kernel costs." },
      { "name", kind = "field", returns = { "string" }, text = "Its name." },
      { "source", params = { "...: any, arguments as in a call" }, returns = { "string" }, raises = "a string when nothing is traced yet", text = "CUDA text of the kernels that a call with these arguments runs, which are not launched; without arguments of those traced last." },
      { "ptx", params = { "...: any, arguments as in a call" }, returns = { "string" }, raises = "a string when nothing is traced or compiled yet; compile", text = "PTX of these kernels." },
      { "cached", returns = { "table[], per trace: arguments (kinds: a dtype, \"=dtype\" for a typed scalar, \"int\", \"float\", \"complex\", \"false\", \"true\"), results (dtypes), kernels (as `cached` of the builders lists them)" }, text = "What was traced for the function with its upvalues as they are." },
    } },
}
