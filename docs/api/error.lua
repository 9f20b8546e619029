local function field(name, type, text)
  return { name, kind = "field", returns = { type }, text = text }
end

return {
  title = "Errors",
  parts = {
    { class = "luacuda", entries = {
      { "is_error",
        params = { "value: any",
          [[kind?: "compile"|"memory"|"launch"|"logic"|"communication"|"runtime" (any)]] },
        returns = { "boolean" },
        text = [[Returns whether the value is an error of this library, of that kind. With
          `cuda.debug{ errors = "string" }` this also recognizes the texts of the latest sixteen
          errors, with or without a position in front.]] },
      { "last_error",
        params = { "error?: any (the latest error of this Lua state), an error as caught" },
        returns = { "Error?, nil for other values and for texts that are too old" },
        text = "Returns the object of an error that was raised as its text." },
    } },
    { class = "Error",
      text = [[
        Raised for failures of the driver, the compiler or memory. `tostring(e)` and `..` give the
        position and the message. A launch returns before its kernel runs, so a later call, the next
        one that waits, raises the kernel's fault. An error that no call raised is written to stderr
        when the Lua state closes. With `cuda.debug{ errors = "string" }` or `LUACUDA_ERRORS=string`
        the text alone is raised.

        On the CPU device a fault is raised once and the device stays usable. On a GPU a fault
        inside a kernel ends CUDA for the whole process.]],
      entries = {
        field("kind", '"compile"|"memory"|"launch"|"logic"|"communication"|"runtime"',
          [[`compile`: the compiler or the driver refused code; `memory`: out of memory; `launch`: a
            kernel failed; `logic`: a use that cannot work (after fork, on a dead device, where
            `cuda.no_sync` forbids waiting); `runtime`: everything else.]]),
        field("message", "string", "The message without the position."),
        field("name", "string?",
          [[A stable name for programs: `"CUDA_ERROR_OUT_OF_MEMORY"`, or one of the library's own
            [names](#names-of-errors).]]),
        field("code", "integer?", "The driver's number of the error."),
        field("call", "string?", "The function that failed: `\"cuMemAlloc\"`."),
        field("device", "string?", "The device: `\"gpu0\"`."),
        field("where", "string", "The position in the script: `\"file:line: \"`."),
        field("traceback", "string", "The Lua stack at the error."),
        field("log", "string?",
          "`compile`: the messages of the compiler, or of the driver for PTX."),
        field("source", "string?", "`compile`: the source."),
        field("flags", "string[]?", "`compile`: the compiler's flags."),
        field("fault", "string?",
          [[CPU device: what the kernel did: `"out of bounds"`, `"null pointer"`, `"misaligned"`,
            `"use after free"`, `"invalid free"`, `"race"`, `"deadlock"` and so on, as the
            message begins. The fields below describe it.]]),
        field("kernel", "string?", "The kernel at fault."),
        field("called_at", "string?",
          [[The position in the script of the call that launched a kernel of the library or a
            builder.]]),
        field("file", "string?", "The kernel's source file."),
        field("line", "integer?", "The line of the access."),
        field("block", "integer[]?", "`blockIdx` of the thread."),
        field("thread", "integer[]?", "`threadIdx` of the thread."),
        field("array", "string?", "The array that was accessed or missed: `\"float32 {1000}\"`."),
        field("address", "integer?", "The address."),
        field("report", "table?",
          [[CPU device: all that is known about the fault, as data: `fault`, `kernel`, `called_at`,
            `file`, `line`, `block`, `thread` and `address` as above; `access` (`"read"`, `"write"`
            or `"atomic"`), its `bytes` and `space` (`"global"`, `"shared"` and so on); `variable`,
            the name of the variable of the module or in shared memory; `array`, the memory that
            was accessed or missed: `{ label, address, bytes, offset, made_at }`, where `offset` is
            that of the access from its start and `made_at` the position in the script that made
            it, also of an array that is gone, known with `LUACUDA_CPU_CHECK=all` or `cuda.debug{
            allocations = true }`; `callers`, the calls of device functions that lead to the line,
            inlined ones too, the innermost first: `{ file, line }`; for races and constants
            `other`, the access that came before: `{ access, file, line, block, thread }`, where
            `access` is also `"copy"` or `"product"` (asynchronous, not waited for) or `"init"`
            (of a barrier object). For barriers `other` is a thread that waits at another place,
            and its `access` is `"barrier"`; for overflow it is the arithmetic of the thread
            itself, and its `access` is `"sum"`, `"product"` or `"shift"`. For deadlocks and
            livelocks `waiting` lists which threads of which blocks hang where, eight entries at
            most: `{ block, threads, count, state, file, line }`, where `threads` is text like
            `"0-31, 64"`, and
            `state` like `"wait at barrier 1"`, `"loop"` or `"ended"`.]]),
      } },
  },
}
