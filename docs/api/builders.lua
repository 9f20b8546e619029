-- Kernel builders: functions that make kernels from a few lines of CUDA C++ or from a Lua function.
local STREAM = "stream?: Stream (the device's current stream), stream of the work"
local DEVICE = "device?: Device|integer|string (that of the arrays, else the current device)"
local AXIS = "axis?: integer|integer[] (all), axes to reduce"
local OUT = "out?: Array|Array[], the outputs, in place of arguments"
local SIZE = [[size?: integer, number of elements; needed, and allowed, only if no array is without
  `raw`]]
local DECLARATION = [[a string for wrong declarations; at the first call with its types `compile`,
  or a string for a Lua function that cannot run on a device, with the file and line]]
local PREAMBLE = "preamble?: string, CUDA C++ before the kernel: functions, macros, structs"
local ALL_AXES = [[reduce_dims?: boolean, without effect: an index has a part for every axis of the
  call]]
local COMPILER = {
  "flags?: string|string[], flags for the compiler",
  "options?: string|string[], the same as `flags`",
  [[defines?: table, macros for the texts given here (generated code does not see them): name to
    value]],
  "include_dirs?: string|string[], folders of included files",
  "headers?: table, included files in memory: name to text", 'std?: string ("c++17"), C++ standard',
  "debug?: boolean (false), compile for debuggers", "lineinfo?: boolean (true), keep source lines",
  "fast_math?: boolean (false), faster and less exact arithmetic",
  'backend?: string ("nvrtc"), compiler',
  "cache?: boolean (true), look up the compiled code and keep it",
}
local ARGUMENTS = "...: any, arguments as in a call"
local INPUTS = [[...: Array|number|boolean|Complex|Scalar, the inputs, whose shapes broadcast, then
  optionally the outputs]]
local RESULTS = { "Array", "...: Array, further outputs" }
local RUN = "a string for arguments that do not fit; `compile`; `launch`"
local KEPT = [[One kernel is compiled, when it is first needed, for each combination of dtypes and
  each memory layout of the arrays, and kept.]]
local SAME_BITS = [[The order in which values are combined depends on shape, dtypes and strides,
  never on timing: the same call gives the same bits.]]

local function options(...)
  local list = { ... }
  return table.move(COMPILER, 1, #COMPILER, #list + 1, list)
end

-- What kernels of all builders have: name, source, ptx and cached.
local function inspection(what, cached)
  return {
    { "name", kind = "field", returns = { "string" }, text = "Its name." },
    { "source", params = { ARGUMENTS }, returns = { "string" },
      raises = "a string without arguments if no kernel was made yet",
      text = "Returns the CUDA C++ text of the " .. what .. [[ that a call with these arguments
        runs,
        without launching; without arguments that of the latest call.]] },
    { "ptx", params = { ARGUMENTS }, returns = { "string" },
      raises = "a string without arguments if no kernel was made yet; `compile`",
      text = "Returns the PTX of the " .. what .. " that a call with these arguments runs." },
    { "cached", returns = { "table[], " .. cached }, text = "Lists what was made so far." },
  }
end

local function with(entry, rest)
  return table.move(rest, 1, #rest, 2, { entry })
end

return {
  title = "Kernel builders",
  text = [[
    A builder makes a function of arrays from what is to be computed, without indices and launches.
    What is computed is CUDA C++ or a Lua function. Declarations of parameters are lists such as
    `"float32 x, T y, raw T z"`, each `[raw] [const] type name`. A type is a dtype (`float32`,
    `f32`), a C++ name (`float`, `unsigned char`), `struct Name`, or a placeholder: a letter (`T`,
    also `T1`), which the arrays of a call bind and which the texts may use as a type.
    A raw parameter is the whole array: `x[k]` by index in C order from 0, `x[ind]` by an array of
    integers, one index per axis, `x.size()`, `x.ndim`, `x.shape(d)` or `x.shape()[d]`,
    `x.strides(d)` or `x.strides()[d]` (bytes; d from 0), and a pointer if it is contiguous. For a
    raw input of a reduction or an elementwise kernel a call may give a number, which the texts then
    see as a number. An input `cudaTextureObject_t t` or `cudaSurfaceObject_t s` of an elementwise
    kernel is a texture or surface. So is an input of placeholder type (`U tex`) if the first call
    passes one. A parameter may have any name except C++ keywords, `i`, and the `a` and `b` of
    reductions and scans. A parameter called `n` hides the number of elements.

    Elements can be structs. `struct Particle p` takes arrays of a `cuda.struct("Particle", ...)`,
    `T p` takes those of any struct, and `T` names it; with `raw`, `p[k]` is an element. The texts
    need no definition: LuaCUDA takes it from the arrays of a call and puts it before the preamble.
    Its fields have the types of elements: `float16`, `bfloat16` and `complex<float>`, not those of
    CUDA's headers. If the preamble, a header or CUDA itself defines a struct of that name, LuaCUDA
    adds no definition, and that struct must have the size of the elements. The texts can name only
    one of several structs that have the same name. An output that a call does not pass has the
    struct of an input. Reductions and scans along axes combine values of at most 184 bytes.

    Half types compute in float; in `c ? x : T(0)` both sides need the type. Complex types have the
    functions of C++'s `complex`, also as `thrust::complex` and so on, and `atomicAdd` also takes
    int64 and half types. The constants of C's `math.h` (`M_PI`) are known. Lua numbers take the
    types that arrays bind; alone they are int64, float32, bool or complex128. Pass nil for optional
    parameters before the options, or give everything in one table with these names.

    A Lua function can replace any of `body`, `map`, `reduce`, `scan` and `post`, even if the others
    are C++:

        local relu = cuda.elementwise("T x, T slope", "T y", function(x, slope)
          if x > 0 then return x end
          return slope * x
        end)
        local y = relu(x, 0.1)

    - The function follows the rules of [cuda.jit](#cudajit), without threads. LuaCUDA compiles it
      for each set of types that a call gives to the parameters. A Lua number in a call takes the
      declared type.
    - Its first parameters take the inputs in their order, or `a` and `b`. LuaCUDA matches further
      parameters by name: `i`, `n`, `ind` (`_ind`) and `j` (`_j`), and raw parameters; those of
      `post` may also name inputs for which a call gives a number. It may have fewer parameters.
    - All indices count from 1, including those of raw arrays. Index a raw array of several axes by
      axis, `x[i][j]`; `#x`, `x.shape[k]`, `x.size` and `x.ndim` are available. Elements of arrays
      of structs are references with fields, `x[i].mass`. An input whose elements are structs
      is also a reference, `p.mass`, but a function can write only raw outputs. It cannot return a
      struct.
    - It returns a value for each output that is not raw, or the one value of `map`, `reduce` and
      `scan`. A result converts as in a store: a float for an integer output, or a boolean for a
      number, is an error that says what to write. The function must set every output.
    - `reduce_type` and `scan_type` name a dtype, or several values that are combined together, such
      as `"T value, int64 at"`. `map` then returns these, `reduce` and `scan` take those of `a`,
      then those of `b`, and `post` takes them first; the identity is a list of numbers. C++ in the
      other places uses `a.value` and `a.at`.
    - Numbers, booleans, strings, tables and functions among upvalues are constants. They are read
      at each call, and a kernel is made for new values. Arrays among upvalues are arguments, except
      in `reduce` and `scan`.]],
  parts = {
    { class = "luacuda", entries = {
      { "elementwise", fixed = true,
        params = { "inputs: string, parameters",
          "outputs: string, parameters that the body assigns",
          "body: string|function, computes one element",
          'name?: string ("elementwise"), name of the kernel' },
        everything = true, options = options(PREAMBLE,
          [[loop_prep?: string, code that each thread runs before its elements: it may declare
            variables for the body, and sees raw parameters and inputs for which a call gives a
            number]],
          "after_loop?: string, code that each thread runs after its elements",
          "no_return?: boolean (false), return nothing",
          "return_tuple?: boolean (false), return a list of the outputs", ALL_AXES),
        returns = { "Elementwise" }, raises = DECLARATION,
        text = [[Makes a kernel that computes element by element. In the body every parameter that
          is not raw is one element, `i` its index in C order from 0 and `n` (or `_ind.size()`) the
          number of elements; `_ind.get()[d]` is its index along axis `d` (from 0) of `_ind.ndim`
          axes. `return`, or `continue` outside of the body's own loops, ends this element. An empty
          body leaves the outputs as they are. Numbers alone give an array without axes. The strings
          of CuPy's `ElementwiseKernel` work unchanged.]] },
      { "reduction", fixed = true,
        params = { "inputs: string, parameters", "outputs: string, parameters, not raw",
          "map: string|function, expression of the inputs: the value of an element",
          [[reduce: string|function, associative and commutative expression that combines the values
            `a` and `b`]],
          "post: string|function, assigns the outputs from `a`, the combined value",
          "identity?: string|number|boolean|table, expression: the value of no elements",
          'name?: string ("reduction"), name of the kernel' },
        everything = true,
        options = options([[reduce_type?: string (that of the first output; float for half types),
          type of `a` and `b`: a dtype, a C++ type, a placeholder, or the name of a struct that
          is plain data and has a default constructor; or several values with names]],
          PREAMBLE, ALL_AXES),
        returns = { "Reduction" }, raises = DECLARATION,
        text = [[Makes a kernel that reduces axes of arrays. `map` sees the inputs, `i` (the index
          in C order in the common shape of the inputs), `_j` (the index in C order along the
          reduced axes) and `n` (the number of elements reduced to each result); all count from 0.
          `post` sees `a`, the outputs, `n`, raw inputs and inputs for which a call gives a number.
          No parameter may be called `a` or `b`. Without an identity, reducing no elements raises an
          error.]] },
      { "scan", fixed = true,
        params = { "inputs: string, parameters, at least one of them not raw",
          "outputs: string, parameters",
          "map: string|function, expression of the inputs: the value of an element",
          [[scan: string|function, associative expression that combines the values `a` and `b`, `a`
            before `b`]],
          [[identity?: string|number|boolean|table, expression: the value before the first
            element]],
          'name?: string ("scan"), name of the kernel' },
        everything = true,
        options = options([[post?: string|function (the first output is `a`), assigns the
          outputs from `a`, the value at an element]],
          "exclusive?: boolean (false), combine only what is before the element; needs an identity",
          [[scan_type?: string (that of the first output; float for half types), type of `a` and
            `b`: a dtype, a placeholder, or the name of a struct that is plain data; or several
            values with names]], PREAMBLE),
        returns = { "Scan" }, raises = DECLARATION,
        text = [[Makes a kernel that combines each element with all those before it: prefix sums
          with any associative operator, commutative or not. `map` sees the inputs, `i` (the index
          in C order from 0) and `n` (the number of elements); `post` sees `a`, the outputs, raw
          parameters, `i` and `n`, and may write raw outputs anywhere (`if (keep[i]) y[a - 1] =
          v[i]`). No parameter may be called `a` or `b`.]] },
      { "fuse", params = { "fn: function, of arrays and numbers" },
        options = { 'name?: string ("fused"), name of the kernel' }, returns = { "Fused" },
        text = [[Makes one kernel of a Lua function, for each combination of argument kinds.

          - It may use operators, the functions and methods that compute element by element,
            `astype`, `where`, `clip` and `isclose`. Every intermediate value has the dtype that the
            operator gives outside, and is rounded to it.
          - Comparisons, `if`, `and`, `or`, `not` and loops decide for each element. The text of the
            function and of those that it calls is read for that, and compiled as by `cuda.jit`; all
            that its functions may use is allowed then, but for arrays among upvalues. A number as a
            condition is true. A variable that is assigned in branches or loops has one type, as in
            kernels.
          - It may use reductions, each a kernel of its own, and go on with what they give: `sum`,
            `prod`, `min`, `max`, `ptp`, `mean`, `var`, `std`, `any`, `all`, `argmin`, `argmax`,
            `count_nonzero`, and those that leave out NaN. In a function that decides by elements
            they stand in its own statements, outside of branches and loops.
          - Numbers passed as arguments, `#x`, `x.size`, `x.ndim` and `x.shape[k]` are parameters of
            the kernel. Booleans passed as arguments, upvalues, globals and fields of tables are
            constants; for another value another kernel is made.
          - A function that does not branch on elements runs once on placeholders for its arguments;
            LuaCUDA records and compiles the operations on them. It does the same if it cannot read
            the function's text: `source` then begins with a comment that gives the reason. Such a
            trace does not detect changes of fields and globals. In it, `if x` and `x and y` treat
            an array as true, and `x == 0` is false; `<`, `<=` and `==` between traced values raise
            an error.
          - Indexing, functions of whole arrays and `tostring` raise an error.]] },
    } },
    { class = "Elementwise", text = "A kernel made by `cuda.elementwise`. " .. KEPT, entries = with(
      { "__call", kind = "call", params = { INPUTS }, options = { SIZE, OUT, STREAM, DEVICE },
        returns = RESULTS, raises = RUN,
        text = [[Computes the outputs. Does not wait. Outputs do not broadcast; they may be views
          and inputs, and keep what the body does not assign. An output that is nil or left out is
          made, uninitialized.]] },
      inspection("kernel", [[a table for each kernel: `types` (of the parameters), `mode` ("flat",
        "strided", "tile" or "rows"), `vector` (elements per access), `ndim`, `wide` (64-bit
        indices), `device`]])) },
    { class = "Reduction", text = "A kernel made by `cuda.reduction`. " .. KEPT, entries = with(
      { "__call", kind = "call", params = { INPUTS },
        options = { AXIS, "keepdims?: boolean (false), keep the reduced axes, with one element",
          OUT, SIZE,
          STREAM },
        returns = RESULTS, raises = "a string for no elements without an identity; " .. RUN,
        text = [[Reduces in one launch, or in two if few results come from many elements. Does not
          wait. Arrays may have any strides. Outputs keep what `post` does not assign, and `post`
          may read them; an output that is made is uninitialized. ]] .. SAME_BITS },
      inspection("kernels", [[a table for each kernel: `types` (of the parameters), `mode` ("rows"
        or "columns"), `pass` ("whole", or "partial" and "final"), `vector` (elements per access),
        `rows` (that a thread loads at once), `kept` and `inner` (numbers of axes), `wide` (64-bit
        indices), `device`]])) },
    { class = "Scan", text = "A kernel made by `cuda.scan`. " .. KEPT, entries = with(
      { "__call", kind = "call", params = { INPUTS .. ", all of them; raw ones must be given" },
        options = { "axis?: integer (all elements in C order, as one axis)",
          "exclusive?: boolean (as declared), combine only what is before the element",
          [[segments?: Array, bool or integers of the inputs' shape: a new sequence begins where it
            is not 0]], OUT, STREAM },
        returns = RESULTS, raises = RUN,
        text = [[Computes in one pass. Does not wait. Outputs have the inputs' shape, or one axis if
          there are several axes and `axis` is not given, and may be inputs. Inputs whose elements
          are more than 32 bytes apart along the last axis, and overlapping outputs, are copied
          first. ]]
          .. SAME_BITS },
      inspection("kernel", [[a table for each kernel: `types` (of the parameters), `mode` ("flat" or
        "columns"), `vector` (elements per access), `exclusive`, `segments` (dtype), `device`]])) },
    { class = "Fused",
      text = [[
        A function made by `cuda.fuse`. Functions with the same code that depend on equal values
        share their kernels.]],
      entries = with(
        { "__call", kind = "call",
          params = { [[...: Array|number|boolean|Complex|Scalar, arguments, whose shapes
            broadcast]] },
          options = { "out?: Array|Array[], the results' arrays", STREAM },
          returns = { [[Array|number|boolean|Complex, a Lua value for a reduction over everything
            and what Lua computes from it, for which the call waits]],
            "...: any, further results" },
          raises = "a string for what cannot be fused; errors of the function; " .. RUN,
          text = [[Computes the results. Without arrays among the arguments, and inside another
            fused function, the function itself runs. A result that is an argument is a copy of it;
            one that is a constant is an array filled with it.]] },
        inspection("kernels", [[a table for each trace: `arguments` (kinds: a dtype, `"=dtype"` for
          a typed scalar, `"int"`, `"float"`, `"complex"`, `"false"` or `"true"`), `results`
          (dtypes) and `kernels` (as other builders list them)]])) },
  },
}
