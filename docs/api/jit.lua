local LAUNCH = "launch: Launch"
local ARGUMENTS = "...: Array|number|boolean|Scalar|Complex|Record|Texture|Surface, the arguments"
local WRONG = [[a string for wrong arguments, for a function that cannot run on a device, with the
  file and line of what is wrong; `compile`]]
local GIVEN = "...: any, arguments of a call; none for the kernel made last"

return {
  title = "Kernels written in Lua",
  text = [[
    `cuda.jit` compiles a Lua function for the device. The function's text is read from its file;
    types are inferred, and for each set of argument types there is one kernel.

        local saxpy = cuda.jit(function(a, x, y)
          for i in grid(#x) do y[i] = a * x[i] + y[i] end
        end)
        saxpy({ threads = #x }, 2, x, y)

    [design/jit.md](../design/jit.md) has the rules of types. In short:

    - A kernel has numbers, booleans and arrays; locals, `if`, `while`, `repeat`, numeric `for`,
      `break`, `goto`; functions, which become device functions. It has no tables, strings, nil,
      methods, coroutines, and no recursion.
    - Indices begin at 1. `x[i][j]` is an element, `x[i]` of two axes a row; a constant negative
      index counts from the end. `#x`, `x.shape[k]`, `x.size` and `x.ndim` are known.
    - Every variable has one type. Lua's own numbers follow Lua, with 64 bits; elements and typed
      scalars follow [promotion.md](../design/promotion.md), as operators of arrays do.
    - A condition is a boolean. `c and a or b` chooses, between arrays also.
    - A Lua float is a float64 until it meets another float dtype: `local s = 0.0` becomes float32
      when float32 elements are added to it. Where speed matters, pass `cuda.float32(v)` or write
      `float32(v)`: on many GPUs float64 is far slower.
    - An element of an array of structs is a reference to it, as a Record is. So is a field that is
      a struct, a vector or an array. `v.x`, `v.y`, `v.z` and `v.w` are the elements of a vector.
      Of a list or vector that a packed struct holds at an unaligned address, a kernel can use only
      the elements.
      `q[i].pos = q[1].pos` copies the value.
    - A Record that is an argument or an upvalue is a struct by value. The kernel can only read it:
      `step({ threads = n }, q, Params{ dt = 0.1, n = 3 })`.
    - Upvalues and globals that are numbers, booleans or strings are constants of the kernel, which
      is made again when they change; so are tables of numbers and of lists of equally many numbers
      (`t[i][j]`), and the fields of other tables. Arrays among them are arguments. Functions may be
      Lua's `math`, functions of this library that compute one element (`cuda.exp`), dtypes as
      conversions (`float32(v)`), functions in Lua, those of `cuda.vectorize`, which compute one
      element there, and functions in C++ that `cuda.device_function` takes.
    - A variable that holds `math.floor(v)` or `math.ceil(v)` is an integer, even where Lua gives a
      float: the nearest 64-bit integer, or `math.mininteger` for NaN.
    - A complex value `z` has the parts `z.re` and `z.im`.

    [Names of kernels written in Lua](#names-of-kernels-written-in-lua) lists the names of the
    kernel's language: places of threads, shared memory, barriers, atomic operations, exchanges,
    textures, random numbers. `print` works. `assert` and `error` end the kernel with a
    fault (`CUDA_ERROR_ASSERT`). On the CPU device, the error gives the text, file, line, block and
    thread. On a GPU, CUDA prints these to stderr, as it does for `assert` in CUDA C++, and the
    error names only the kernel.

    For products of matrices and work on whole rows, [kernels over tiles](#kernels-over-tiles) are
    shorter and faster.

    `cuda.vectorize` makes a function of arrays from a function of numbers, which it runs once for
    each element:

        local collatz = cuda.vectorize(function(n)
          local steps = 0
          while n ~= 1 do
            n = n % 2 == 0 and n // 2 or 3 * n + 1
            steps = steps + 1
          end
          return steps
        end)
        local steps = collatz(cuda.array({ 6, 7, 27 }, "int64"))     -- {8 16 111}

    The function has what kernels have, without threads. Arrays among its upvalues are whole arrays,
    which it reads.]],
  parts = {
    { class = "luacuda", entries = {
      { "jit", params = { "fn: function|string, of arrays and numbers, or its text" },
        options = { "name?: string (that of its variable), name of the kernel",
          "max_threads?: integer, most threads of a block (`__launch_bounds__`)",
          "min_blocks?: integer, blocks that a multiprocessor can run at once; needs max_threads",
          [[max_registers?: integer, most registers of a thread, instead of max_threads: the
            compiler ignores one of them if both are given]],
          "fast_math?: boolean (false), fast approximations of division and functions",
          "flags?: string|string[], further compiler flags",
          "debug?: boolean (false), code for debuggers",
          "lineinfo?: boolean (true), line numbers in machine code" },
        returns = { "Jit" }, raises = "a string if the function's text cannot be found",
        text = [[Makes a kernel of a Lua function. Nothing is compiled before it is called.]] },
      { "vectorize",
        params = { "fn: function|string, of numbers, the elements of its arguments, or its text" },
        options = { "name?: string (that of its variable), name in messages and profiles",
          [[fast_math?: boolean (false), fast approximations of division and functions, and products
            that are not rounded before something is added]],
          "debug?: boolean (false), code for debuggers",
          "lineinfo?: boolean (true), line numbers in machine code" },
        returns = { "Vectorized" },
        raises = "a string if the function's text cannot be found, or if it has no parameters",
        text = [[Makes a function of arrays that runs a Lua function for each element. Nothing is
          compiled before it is called. The rules are those of kernels; arrays among its
          upvalues are read whole, by index. An element of an array of structs is a reference with
          fields, `p.mass`, which the function only reads.]] },
      { "device_function", everything = true,
        params = { [[source?: string, CUDA C++, or the text that a template makes; nil with
          `path`]], [[name?: string (the only function), the function meant; an instance of a
          template is named like "f<float>"]] },
        options = { "path?: string, file with the source",
          "flags?: string|string[], compiler flags", "defines?: table, name to value",
          "include_dirs?: string|string[], folders for #include",
          "headers?: table, name to text, headers in memory", 'std?: string, as in "c++17"',
          "source?: string, in place of the parameter" },
        returns = { "DeviceFunction" },
        raises = [[a string if the source has no such function marked `__device__`, or an overloaded
          one]],
        text = [[Takes a function in CUDA C++ for kernels written in Lua, for `cuda.vectorize`, and
          for all other functions in Lua that run on a device. Its types are those of its
          declaration. A parameter is a number, a boolean, or a pointer to numbers, which takes a
          contiguous array, a row, or an array of the block or of the thread. Arguments are
          converted as elements are that are stored. The result is a number, a boolean or nothing;
          a function returns more through pointers. The compiler sees the whole source in each
          kernel that calls the function, so sources that one kernel uses together must not define
          the same name. C++ types of dtypes (`float32`, `complex64`) are known.]] },
      { "gpu", kind = "value", returns = { "Gpu" },
        text = [[The names of the kernel's language as fields, for scripts that prefer not to use
          globals: `local gpu = cuda.gpu` and, in the kernel, `gpu.syncthreads()`. Outside of
          kernels they raise.]] },
    } },
    { class = "Jit", text = "A kernel written in Lua, made by `cuda.jit`.", entries = {
      { "__call", kind = "call", params = { LAUNCH, ARGUMENTS }, raises = WRONG,
        text = [[Launches the kernel for arguments of these types, and makes it if there is none.
          Arrays may be strided views. Does not wait.]] },
      { "prepare", params = { LAUNCH, ARGUMENTS }, returns = { "Prepared" }, raises = WRONG,
        text = [[Checks a launch and its arguments once. The result is called without arguments, and
          its methods `keep` and `set` raise an error: to change an argument, prepare another
          launch. It keeps the arrays that are upvalues now. Its method `with` raises an error for a
          grid so large that it needs another kernel: prepare another launch.]] },
      { "time_ms", params = { LAUNCH, ARGUMENTS }, returns = { "number, milliseconds" },
        raises = WRONG,
        text = "Launches, waits, and returns the time that the launch took on the device." },
      { "benchmark", params = { LAUNCH, ARGUMENTS },
        returns = { "table, as `kernel:benchmark` returns it" }, raises = WRONG,
        text = "Launches many times, waits, and returns times per launch." },
      { "tune", params = { LAUNCH, ARGUMENTS }, returns = { "Tuning" }, raises = WRONG,
        text = [[Searches for the fastest block, as `kernel:tune` does, with the same keys of the
          launch table.]] },
      { "run_in_lua", params = { LAUNCH, ARGUMENTS },
        raises = [[a string for wrong arguments, and what the function raises, with its block and
          thread]],
        text = [[Runs the function as ordinary Lua, one thread after the other, with threads that
          wait at barriers as coroutines: slow, for a debugger, for `print`, and as a second opinion
          about the compiled kernel. Arrays of a GPU are copied to the host and back. Arithmetic is
          Lua's, in double precision and with 64-bit integers; stores raise for values that do not
          fit. Upvalues are used as they are. Of the launch, `grid`, `block` and `threads` count.]]
      },
      { "source", params = { GIVEN }, returns = { "string" }, raises = WRONG,
        text = [[Returns the CUDA C++ of the kernel, to read. That of `k:kernel(...)` has `#line`
          marks.]] },
      { "ptx", params = { GIVEN }, returns = { "string" }, raises = WRONG,
        text = "Returns the PTX of the kernel." },
      { "types", params = { GIVEN }, returns = { "table, name of a variable to its type" },
        raises = WRONG,
        text = [[Returns the inferred types: a dtype, `"int"` and `"float"` for Lua's numbers
          (`"int!"` for an integer that adapts to dtypes), `"float32[,]"` for an array of two axes.
          Of variables with one name the last one counts.]] },
      { "kernel", params = { GIVEN }, returns = { "Kernel" }, raises = WRONG,
        text = [[Returns the kernel, with the driver's numbers. Its parameters are pointers,
          extents and scalars.]] },
    } },
    { class = "DeviceFunction", text = [[A function in CUDA C++, made by `cuda.device_function`,
      for kernels written in Lua.]], entries = {
      { "__call", kind = "call", params = { "...: Array|number|boolean|Scalar|Complex" },
        returns = { "number|boolean|Complex|nil, its result" },
        raises = [[a string for wrong arguments, or if the source uses other threads (`threadIdx`,
          `__syncthreads`); `compile`]],
        text = [[Computes the function with one thread, on the CPU device or on the device of an
          array among the arguments, and waits: to test it, and for `jit:run_in_lua`. It is slow.
          Values that do not fit a parameter's type raise.]] },
      { "source", returns = { "string" }, text = "Returns the source that it was made of." },
    } },
    { class = "Vectorized", text = "A function of arrays, made by `cuda.vectorize`.", entries = {
      { "__call", kind = "call",
        params = { "...: Array|number|boolean|Scalar|Complex, one for each parameter" },
        options = { "out?: Array|Array[], arrays of the results' dtypes and shape",
          "stream?: Stream", "device?: Device, for numbers alone" },
        returns = { "...: Array, one for each result of the function" },
        raises = WRONG .. "; shapes that do not broadcast",
        text = [[Computes the function for each element of the arguments, which broadcast. Does not
          wait. The dtypes of the results follow from those of the arguments: Lua numbers adapt to
          the dtypes that they meet, and a complex value is a complex128. Integers that are Lua's
          own give int64, floats float64.]] },
      { "source", params = { GIVEN }, returns = { "string" }, raises = WRONG,
        text = "Returns the CUDA C++ of the kernel." },
      { "ptx", params = { GIVEN }, returns = { "string" }, raises = WRONG,
        text = "Returns the PTX of the kernel." },
      { "types", params = { GIVEN }, returns = { "table, name of a variable to its type" },
        raises = WRONG,
        text = "Returns the inferred types, as `jit:types` does." },
    } },
  },
}
