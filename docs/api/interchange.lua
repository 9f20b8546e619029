return {
  title = "Interchange",
  text = [[
    Arrays share memory with other libraries as [DLPack](https://dmlc.github.io/dlpack) tensors.
    Nothing is copied. A tensor is used once: its consumer calls its deleter when it needs the
    memory no longer.]],
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
      { "poll", returns = { "integer, the number of functions that ran" },
        text = [[Runs the functions of `stream:call` that are ready. For programs with a loop of
          their own.]] },
    } },
    { class = "Array", entries = {
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
