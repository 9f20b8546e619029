return {
  title = "Interchange",
  text = [[
    Arrays share memory with other libraries as [DLPack](https://dmlc.github.io/dlpack) tensors.
    Nothing is copied. A tensor is used once: its consumer calls its deleter when it needs the
    memory no longer. Processes share arrays by handles, which are strings.]],
  parts = {
    { class = "luacuda", entries = {
      { "from_dlpack",
        params = { [[tensor: Capsule|lightuserdata|any, a tensor: a capsule, a pointer, or an object
          with `__dlpack`]],
          [[name?: "dltensor_versioned"|"dltensor", what a pointer points to: a
          DLManagedTensorVersioned of version 1.x, or a DLManagedTensor]] },
        options = { [[stream?: Stream (the current stream of the tensor's device), the work queued
          on it so far comes before every use of the memory]] },
        returns = { "Array, over the tensor's memory" },
        raises = [[a string if the tensor cannot be an array: a type without a dtype, a device that
          does not exist, more than 16 axes; the tensor is not consumed then]],
        text = [[Makes an array of a tensor and takes the tensor over. Its deleter is called when
          the array and all its views are gone and no queued work uses the memory, on whichever
          thread notices. Memory of the host (also page-locked and managed memory) becomes an array
          of the CPU device, and GPUs that can reach the memory may use it.

          A tensor that an array of LuaCUDA was made into gives back the same memory, so that work
          on both arrays is ordered.

          An object of another library has a metamethod `__dlpack`, or a field if it is a table: a
          function of the object and of a table with `max_version`, a list of two integers, and
          `stream`, the handle of the stream on which the memory will be used, as a light userdata.
          It returns a capsule, or a pointer and its name.]] },
    } },
    { class = "luacuda", entries = {
      { "open_ipc", params = { "handle: string, of `array:ipc_handle` or `event:ipc_handle`" },
        options = { "dtype?: Dtype (that of the handle), the struct; each process declares it" },
        returns = { "Array|Event" },
        raises = [[a string for a string that is not a whole handle; `runtime` if this process does
          not see the device, or if the process that made the handle has ended or has freed the
          memory; `logic` for an array that this process has closed itself]],
        text = [[Opens an array or an event of another process: both processes use the same memory.
          The array has the shape, strides and dtype of the one that the handle was made of. A
          second array over the same memory has the same address, and work on both is ordered. In
          the process that made the array, the result is one more array over its memory. An event
          cannot be opened in the process that made it.

          The memory is closed with the last array over it, after the work that uses it. Work of
          other processes is not ordered automatically: use an event of both.]] },
    } },
    { class = "luacuda", entries = {
      { "poll", returns = { "integer, the number of functions that ran" },
        text = [[Runs the functions of `stream:call` that are ready. For programs with a loop of
          their own.]] },
    } },
    { class = "Array", entries = {
      { "ipc_handle", returns = { "string, bytes to be passed on as they are" },
        raises = "a string for an array made without `{ ipc = true }`",
        text = [[Describes the array to other processes, which pass the string to `cuda.open_ipc`.
          A driver shares only memory outside its pools, so the array must be made with the option
          `ipc`; `cuda.array(a, { ipc = true })` makes a copy. On a GPU such memory comes in units
          of 2 MB. Keep the array until the others have closed theirs: on a GPU it is undefined what
          they read once it is freed. The CPU device keeps the memory until the last process has
          closed it, and shares it on Linux only, between processes of one user.]] },
      { "dlpack",
        options = { "versioned?: boolean (true), a tensor of version 1.1; `false`: the old form",
          [[stream?: Stream|Pointer|lightuserdata (the array's current stream), stream of the
          consumer, which follows earlier work on a GPU's memory; host memory is waited for]] },
        returns = { "Capsule" },
        raises = [[a string for arrays of structs, and for read-only arrays in the old form]],
        text = [[Makes a tensor of the array's memory, views included. The memory lives until the
          deleter is called, which any thread may do, also after the Lua state is closed; the owner
          of wrapped memory (`cuda.wrap`) lives at most as long as its state. LuaCUDA does not see
          the consumer's work: later work here is ordered after the work that the consumer had
          queued on `stream` when it called the deleter. Arrays have the metamethod `__dlpack` for
          other libraries.]] },
    } },
    { class = "Capsule",
      text = [[A DLPack tensor that nothing has consumed yet. A capsule that is collected or closed
        calls the tensor's deleter.]],
      entries = {
        { "name", kind = "field", returns = { '"dltensor_versioned"|"dltensor"' },
          text = "The form of the tensor." },
        { "consumed", kind = "field", returns = { "boolean" },
          text = "Whether the tensor has been taken out." },
        { "release", returns = { "lightuserdata", '"dltensor_versioned"|"dltensor"' },
          text = [[Takes the tensor out and returns the pointer and its name, for code in C or for
            another Lua state. Whoever receives it has to call its deleter.]] },
      } },
  },
}
