return {
  title = "The module",
  text = [[
    `local cuda = require "luacuda"` makes no CUDA call and needs no GPU, driver or toolkit. These
    rules apply to every function.

    - **Calls.** In `cuda.zeros(shape [, dtype] [, { device =, out = }])` brackets mark optional
      arguments. Options are the fields of one table, the last argument; if you omit optional
      parameters, the table takes their place: `cuda.zeros(3, { device = "cpu" })`.
    - **Types.** Names with a capital, such as `Array`, are classes of this reference. `Dtype` is
      the name of an element type or a [Struct](#struct), `integer[]` is a list, and `string?` may
      be nil.
    - **Shapes and axes.** A shape is an integer or a list of integers. Indices and axes start at 1;
      negative ones count from the end.
    - **Units.** Sizes, offsets and strides are in bytes unless the entry counts elements; times are
      in milliseconds.
    - **Waiting.** A call queues its work on a stream and returns. A call that returns array
      elements as a Lua number, boolean, string or table waits for the work on that array. Unless
      the array is in host memory, it also waits for the work queued so far on the current stream.
    - **Errors.** A wrong argument (type, range, unknown option, closed object, too few or too many)
      raises a string with the position of the call, before LuaCUDA launches anything. A failure of
      the driver, the compiler or memory raises an [Error](#error) of the kind that the entry names:
      `compile`, `memory`, `launch`, `logic` or `runtime`. Entries list only errors that these rules
      do not cover. A call that waits also raises the `launch` errors of the work it waits for.]],
  parts = { {
    class = "luacuda",
    entries = {
      { "VERSION", kind = "value", returns = { "string" }, text = "The version of the library." },
      { "available", returns = { "boolean", "string?, why no GPU can be used" },
        text = "Returns whether a GPU can be used. Never raises an error." },
      { "versions", returns = { [[table, `luacuda` (string); `driver`, `nvrtc`, `cublas`,
          `nccl` and `mpi` ({ major, minor }) if found]] },
        text = [[Returns the version of the library and of each library it found. `tostring` formats
          them as one line.]] },
      { "diagnose", returns = { "string, several lines" },
        text = [[Reports versions, devices and every path tried for the driver and the compiler, and
          says if the versions of NVRTC and the headers differ. In a child process forked after CUDA
          was used, it lists what still works there.]] },
      { "debug", needed = true,
        options = {
          [[sync?: boolean (false), every launch waits, so the launch that caused a fault raises the
            error]],
          [[launch?: boolean|function (false), a line for every launch: kernel, arguments, grid,
            block, device and stream]],
          [[api?: boolean|function (false), a line for every call of the driver: name, result and
            time. Cannot be turned on while other Lua states of the process use the devices]],
          [[allocations?: boolean (false), record where arrays are made, for `cuda.allocations`; a
            change discards the records]],
          [[errors?: "object"|"string" ("object"), what this Lua state raises: [Error](#error)
            objects, or only their text, for host programs that call `lua_tostring` on errors;
            `LUACUDA_ERRORS` sets the default of all states]],
        },
        returns = { "table, the settings before the call, to be passed to `cuda.debug` again" },
        text = [[Sets debugging aids. Omitted options keep their values. `sync`, `launch` and `api`
          apply to the whole process; `LUACUDA_DEBUG` turns them on from the start.

          With `true`, LuaCUDA writes lines to stderr. A function instead receives the lines of its
          own Lua state, as `fn(line)`, without the prefix `luacuda: ` and without a line break. The
          function runs on the thread of the Lua state, at the end of a launch or operator, where
          Lua waits, in `cuda.poll` and in `cuda.debug`. While `cuda.graph` records, lines wait for
          its end. The call that ran the function raises its error, and the next call delivers the
          remaining lines. Launches inside the function produce no lines. Closing the Lua state
          discards lines that still wait.]] },
      { "allocations",
        returns = { [[table[], the largest first: `bytes`, `dtype`, `shape`, `device` (`"gpu0"`),
          `memory` (as `array.memory`) and `where`, the file and line that made the array]] },
        raises = "a string before `cuda.debug{ allocations = true }`",
        text = [[Lists the live arrays that this Lua state has made since `cuda.debug{
          allocations = true }`. Views and other handles of the same memory share one row. An array
          that nothing refers to counts until it is collected.]] },
      { "type", params = { "value: any" },
        returns = { [[string?, `"array"`, `"stream"`, `"closed array"` and so on; nil for values
          that do not belong to LuaCUDA]] },
        text = "Returns the class of a value in lower case, as `io.type` does for files." },
      { "help",
        params = { [[name?: any (the module), a name (`"zeros"`, `"Array.slice"`) or an object]] },
        returns = { "string" },
        raises = [[a string if there is no such entry, with similar names; for a name of CuPy,
          PyCUDA or Numba, with what to use instead]],
        text = "Returns an entry of this reference as text." },
      { "has", params = { [[name: string, `"matmul"`, `"random.uniform"`, `"Array.slice"`]] },
        returns = { "boolean" },
        text = [[Returns whether LuaCUDA has a name: whether `cuda.name` can be read, or a class has
          the field or method. It returns false for names of other libraries, such as
          `"linalg.solve"`; reading such a name raises an error that says what to use. It never
          loads a kernel or opens a device.]] },
    },
  } },
}
