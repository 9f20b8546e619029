local DEVICE = "device?: Device|integer|string (the current device), device of the "
local CLOSED = "Releases the handle. A second call has no effect."

return {
  title = "Streams and events",
  text = [[
    Work on one stream runs in order. Work on one array from two streams is ordered automatically:
    the later work waits for everything the other stream had queued on that array before.]],
  parts = {
    { class = "luacuda", entries = {
      { "stream",
        options = {
          "priority?: integer (0), lower runs first; the driver clamps it to its range",
          "blocking?: boolean (false), synchronize with the null stream (`CU_STREAM_DEFAULT`)",
          DEVICE .. "stream",
          [[partition?: Partition, run kernels on its multiprocessors only; not with `blocking` or
            `pointer`]],
          [[pointer?: Pointer|lightuserdata, a `CUstream` of the host program, which LuaCUDA uses
            but never destroys. It must be a stream and outlive this handle: a driver does not check
            the address and may end the process]],
        },
        returns = { "Stream" }, text = "Makes a stream." },
      { "event",
        options = {
          "timing?: boolean (true), record times",
          "blocking?: boolean (false), waiting for it sleeps instead of spinning",
          "interprocess?: boolean (false), other processes may open it; it then records no times",
          DEVICE .. "event",
        },
        returns = { "Event" }, text = "Makes an event." },
      { "with_stream",
        params = { "stream: Stream, current during the call", "fn: function",
          "...: any, arguments of `fn`" },
        returns = { "any, all results of `fn`" }, raises = "the errors of `fn`",
        text = [[Calls `fn(...)` with the stream as the current one of its device and restores the
          stream that was current before, also after an error. `fn` cannot yield.]] },
      { "no_sync", params = { "fn: function", "...: any, arguments of `fn`" },
        returns = { "any, all results of `fn`" },
        raises = "`logic` from any call inside `fn` that would wait for a device",
        text = "Calls `fn(...)` and forbids waiting during the call, to find hidden waits." },
    } },
    { class = "Stream", text = "A queue of work on one device.", entries = {
      { "device", kind = "field", returns = { "Device" }, text = "Its device." },
      { "priority", kind = "field", returns = { "integer" },
        text = "Its priority as the driver clamped it; lower runs first." },
      { "blocking", kind = "field", returns = { "boolean" },
        text = "Whether it synchronizes with the null stream." },
      { "partition", kind = "field", returns = { "Partition?" },
        text = "Where its kernels run, as a new handle; nil on the whole device." },
      { "is_null", kind = "field", returns = { "boolean" },
        text = "Whether it is the null stream." },
      { "pointer", kind = "field", returns = { "integer" }, text = "The driver's `CUstream`." },
      { "synchronize", returns = { "Stream, itself" },
        raises = "`launch`, and any other error of queued work", text = "Waits for all its work." },
      { "call", params = { "fn: function, called without arguments" },
        returns = { "Stream, itself" },
        raises = "`logic` while the stream is captured for a graph",
        text = [[Queues a Lua function. When the stream gets there, the function becomes ready. It
          runs on the thread of this Lua state, never on one of the driver: at the end of the next
          `synchronize` or `is_done` (of a stream or an event), `cuda.synchronize` or `cuda.poll`.
          Ready functions run in the order in which they became ready. An error of a function is
          raised there, and the functions after it wait for the next time. Functions that are not
          ready when the state closes never run.]] },
      { "is_done", returns = { "boolean" },
        text = [[Returns whether all queued work has ended, with or without a fault. Does not
          wait and does not raise the fault: the next call that waits does.]] },
      { "wait", params = { "what: Event|Stream" }, returns = { "Stream, itself" },
        text = [[Makes work that is queued from now on wait for the event, or for everything that
          the other stream has queued so far. Lua does not wait.]] },
      { "when", params = { "condition: Array|integer, one integer or boolean element",
          "fn: function, called with the stream",
          "otherwise?: function, called with the stream" },
        returns = { "Stream, itself" },
        raises = [[`logic` outside of `cuda.graph`; an error for a driver older than CUDA 12.4, or
          12.8 with `otherwise`; the errors of the functions]],
        text = [[Inside `cuda.graph`: calls both functions and records their work apart. Each launch
          of the graph reads the condition at this point and runs the work of `fn` where it is not
          0, else that of `otherwise`. It comes after everything recorded before it, and before
          later work on the same arrays.

          The functions may queue kernels of all kinds, fills, copies between arrays, and conditions
          again, on any stream of the device. They may not record events, wait for events that the
          graph has not recorded before, or copy CUDA arrays. An array made inside exists whether
          the work runs or not. An error that leaves one of the functions ends the whole recording,
          even if it is caught.

          `condition` may also be a number from `stream:condition`.]] },
      { "loop", params = { "condition: Array|integer, one integer or boolean element",
          "fn: function, called with the stream" },
        returns = { "Stream, itself" }, raises = "what `stream:when` raises",
        text = [[The same for work that a launch repeats as long as the condition is not 0. The
          condition is read before each round, so the work must change it: on a GPU, a loop that
          never ends hangs the device. The CPU device ends a loop after a fault of its kernels, and
          after `LUACUDA_CPU_TIMEOUT_MS`.]] },
      { "switch", params = { "condition: Array|integer, one integer element",
          "functions: function[], 1 to 64, called with the stream" },
        returns = { "Stream, itself" },
        raises = "what `stream:when` raises; the driver must support CUDA 12.8",
        text = [[The same for one of several functions: a launch runs the work of the function whose
          number the condition is, counted from 1, and nothing for any other number.]] },
      { "condition", params = { "value?: integer (0), 0 to 2^32 - 1" }, returns = { "integer" },
        raises = "`logic` outside of `cuda.graph`; an error for a driver older than CUDA 12.4",
        text = [[Makes a condition that kernels set, for one call of `stream:when`, `stream:loop` or
          `stream:switch` in the same function. Each launch gives it the value. A kernel takes it as
          an `unsigned long long` and calls `cudaGraphSetConditional(condition, value)`, which the
          source declares as `extern "C" __device__ void cudaGraphSetConditional(unsigned long long,
          unsigned);`. For `stream:switch` such values count from 0.]] },
      { "use", returns = { "Stream, the stream that was current before" },
        text = "Makes it the current stream of its device in this Lua state." },
      { "close",
        text = "Releases the handle; queued work continues. A second call has no effect." },
      { "free", text = "The same as `stream:close`." },
    } },
    { class = "Partition",
      text = [[A part of a device's multiprocessors, made by `device:partition`. Kernels on its
        streams leave the other multiprocessors alone. Arrays, events and kernels belong to the
        device and are used as elsewhere.]],
      entries = {
        { "sm_count", kind = "field", returns = { "integer" },
          text = "The number of its multiprocessors." },
        { "device", kind = "field", returns = { "Device" }, text = "The device." },
        { "close", text = [[Releases the handle. Streams of the partition go on. A second call has
          no effect.]] },
        { "free", text = "The same as `partition:close`." },
      } },
    { class = "Event",
      text = "A mark in a stream. An event that was never recorded counts as complete.", entries = {
      { "device", kind = "field", returns = { "Device" }, text = "Its device." },
      { "timing", kind = "field", returns = { "boolean" }, text = "Whether it records times." },
      { "blocking", kind = "field", returns = { "boolean" },
        text = "Whether waiting for it sleeps instead of spinning." },
      { "interprocess", kind = "field", returns = { "boolean" },
        text = "Whether other processes can open it." },
      { "recorded", kind = "field", returns = { "boolean" },
        text = "Whether it was ever recorded." },
      { "pointer", kind = "field", returns = { "integer" }, text = "The driver's `CUevent`." },
      { "record", params = { "stream?: Stream (the device's current stream)" },
        returns = { "Event, itself" },
        text = "Marks the end of everything queued on the stream so far." },
      { "synchronize", returns = { "Event, itself" },
        raises = "`launch`, and any other error of queued work",
        text = "Waits until the stream reaches the mark." },
      { "is_done", returns = { "boolean" },
        text = [[Returns whether the stream has reached the mark. Does not wait and does not raise
          the fault of work before it.]] },
      { "elapsed_ms", params = { "start: Event" }, returns = { "number, milliseconds" },
        raises = "`logic` if one of the two was never recorded or records no times",
        text = "Waits for both events and returns the time from `start` to this event." },
      { "fd", returns = { "integer, a file descriptor" },
        raises = [[`logic` if the event was never recorded, or if its stream is captured for a
          graph; `runtime` if the process can open no more descriptors]],
        text = [[Returns a file descriptor for programs with a loop of their own: poll(2), epoll, or
          luv's `new_poll`. It becomes readable when the stream reaches the last record, and stays
          so until the next record or until the program reads its 8 bytes. Every call returns the
          same descriptor. It belongs to the event, which closes it; stop watching it before you
          close the event, and keep the event while you watch. If a kernel faults on a GPU, the
          descriptor may never become readable.]] },
      { "ipc_handle", returns = { "string, bytes to be passed on as they are" },
        raises = [[a string for an event made without `{ interprocess = true }`, and for one that
          `cuda.open_ipc` opened]],
        text = [[Describes the event to other processes, which pass the string to `cuda.open_ipc`.
          A stream or a process that waits for the event waits for the last record made before.
          Use one event for each direction: one process records it, the others wait for it. Keep
          the event until the others have closed theirs. It cannot be part of a graph.]] },
      { "close", text = CLOSED }, { "free", text = "The same as `event:close`." },
    } },
  },
}
