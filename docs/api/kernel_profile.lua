local ARGUMENTS = "...: any, what a call takes: of a kernel the launch table and its arguments"

local function profile(more)
  return { "profile", params = { ARGUMENTS }, returns = { "LineProfile" },
    raises = [[a string if the current device is a GPU; the errors of the call and of its kernels]],
    text = "Calls it on the CPU device and waits, and counts what each line of the source costs: "
      .. "`LineProfile`." .. more }
end

local function line(name, text)
  return { name, kind = "field", returns = { "integer" }, text = text }
end

local function step(more)
  return { "step", params = { "watch: table, what to stop at; {} for each line of the first thread",
      ARGUMENTS },
    returns = { "function, iterator over Stop" },
    raises = [[a string if the current device is a GPU; a string for a `line` without code and a
      `when` without debug information; the loop raises the errors of the call and of its kernels,
      after the stops before them or when the loop is left early, and a string if no launch has the
      thread or there are more stops than `limit`; after the stops before it, the error of
      `when`]],
    text = [[Runs the call on the CPU device and records one thread: a stop each time the thread
      reaches another line, or jumps back to the same. The kernel has finished when the loop
      starts, so arrays already hold its results. Variables need code that was compiled with
      `debug = true`. `watch` may hold `thread` and `block` (x, y and z from 0; an integer stands
      for x), `line` (stops at this line only),
      `when` (a function that takes the variables: stops only where it returns true) and `limit`
      (stops to keep at most, 10000; those where `when` does not hold do not count). `when` runs
      while the kernel waits; if it waits for the device itself, by reading an array for example,
      the kernel finishes first.]] .. more }
end

return {
  title = "Profiles of kernels",
  text = [[
    The CPU device can count what a kernel does, for each line of its source: CUDA C++, a template,
    or Lua. The counts are those of the PTX and do not depend on the machine. They say where a
    kernel wastes work on a GPU: lanes that are off, addresses that are scattered, bank conflicts.
    While nothing is profiled, counting costs nothing; a profiled kernel runs on one thread and
    takes longer.]],
  parts = {
    { class = "Kernel", entries = { profile(
      " On a GPU it raises: switch with `cuda.use 'cpu'`."), step "" } },
    { class = "Jit", entries = { profile " Lines are those of the Lua function.",
      step " Lines are those of the Lua function; variables have the names of its CUDA C++." } },
    { class = "Tiled", entries = { profile " Lines are those of the Lua function.",
      step " Lines are those of the Lua function." } },
    { class = "Stop",
      text = "A place where `kernel:step` stopped. `tostring` gives the line and the variables.",
      entries = {
        { "file", kind = "field", returns = { "string" }, text = "The file." },
        { "line", kind = "field", returns = { "integer" },
          text = [[The line that the thread is about to run. At the
            line of a function its parameters have values.]] },
        { "text", kind = "field", returns = { "string?" }, text = "The source of that line." },
        { "fn", kind = "field", returns = { "string" }, text = [[The innermost function, also
            where it is inlined.]] },
        { "depth", kind = "field", returns = { "integer" },
          text = [[The number of calls that lead there, with those
            that are inlined; 0 in the kernel itself.]] },
        { "block", kind = "field", returns = { "integer[]" }, text = "The block: x, y, z from 0." },
        { "thread", kind = "field", returns = { "integer[]" },
          text = "The thread in its block: x, y, z from 0." },
        { "variables", kind = "field", returns = { "table, name to value" },
          text = [[What the debug information finds in that function: numbers, booleans, pointers
            and references as addresses, structs as tables of their fields, arrays as lists.
            Unsigned integers of 64 bits are the Lua integers of the same bits. A variable without a
            value yet holds what its place held before. Shared and global variables are not
            listed.]] },
        { "registers", kind = "field", returns = { "table, name to integer" },
          text = "The bits of the registers of the function's PTX." },
      } },
    { class = "Vectorized", entries = { profile "" } },
    { class = "Elementwise", entries = { profile "" } },
    { class = "Reduction", entries = { profile "" } },
    { class = "Scan", entries = { profile "" } },
    { class = "LineProfile",
      text = [[The counts of `kernel:profile`. `tostring` returns the source with the costs of each
        line next to it.]],
      entries = {
        { "lines", kind = "field", returns = { "Costs[], by file and line" },
          text = [[The lines that have a cost, of all kernels together. Code of the user's functions
            counts for its own lines, also where it is inlined; code of headers counts for the
            user's line that called it. Code that the library generates around the user's is one
            item without `file` and `line`.]] },
        { "kernels", kind = "field", returns = { [[Costs[], in the order of the first launch: also
            `name`, `grid`, `block`, `shared_bytes`, `launches`, `registers` (an estimate from PTX)
            and `global_bytes` (the size of the sectors that were touched, once per launch)]] },
          text = [[The kernels that ran. Launches of one kernel with another grid or block are an
            item of their own, and so are kernels that a kernel launches.]] },
        { "totals", kind = "field", returns = { "Costs" }, text = "The sums of all lines." },
        { "files", kind = "field",
          returns = { [[table[], one per file: `file` and `rows`, a list of `line`, `text` and
            `cost` (nil for a line without cost); an empty row stands for lines left out]] },
          text = "The source around the lines, as `tostring` and `html` show it." },
        { "estimate", params = { [[arch: "sm_75"|"sm_80"|"sm_86"|"sm_89"|"sm_90"|"sm_120", a GPU:
            T4, A100, RTX 3090, RTX 4090, H100 SXM or RTX 5090]] },
          options = { [[registers?: integer (those of machine code that NVRTC makes for `arch`, or
              an estimate from PTX), per thread]], "kernel?: integer (1), which of `kernels`" },
          returns = { "Estimate" },
          text = [[Estimates the occupancy on a GPU and what bounds the kernel there, from the
            counts and the published figures of the GPU.]] },
        { "html", params = { "path: string" },
          options = { "arch?: string, adds `profile:estimate(arch)`" },
          returns = { "LineProfile, itself" }, raises = "`runtime` if it cannot be written",
          text = [[Writes one page without links to other files: the source coloured by cost, and
            what the columns mean.]] },
      } },
    { class = "Costs",
      text = "What a line, a kernel or all of them cost. Sums over all warps.",
      entries = {
        { "file", kind = "field", returns = { "string?" }, text = "Of a line: its file." },
        { "line", kind = "field", returns = { "integer?" }, text = "Of a line: its number." },
        { "text", kind = "field", returns = { "string?" }, text = "Of a line: the source." },
        line("instructions", [[PTX instructions, once for each warp. An instruction that a predicate
          switches off counts as well; a jump to the next instruction is none.]]),
        line("thread_instructions", "The lanes that were on in these, together."),
        { "lane_use", kind = "field", returns = { "number, 0 to 1" },
          text = "`thread_instructions / (32 * instructions)`." },
        { "share", kind = "field", returns = { "number, 0 to 1" },
          text = [[Its part of the clocks of all lines: a quarter for an instruction and for a
            sector, one for a pass over the banks of shared memory.]] },
        line("branches", "Conditional branches of warps."),
        line("divergent_branches", "Those at which the lanes parted."),
        line("barriers", "Warps that came to `__syncthreads()` and its kin."),
        line("global_accesses", "Loads, stores and atomics in global memory."),
        line("global_sectors", [[The sectors of 32 bytes that each access touched: the transactions
          of a GPU. Caches are not modelled.]]),
        line("global_sectors_least", [[The sectors that would hold as many different bytes: what the
          same access costs if its bytes lie side by side.]]),
        { "sectors_per_access", kind = "field", returns = { "number?" },
          text = "`global_sectors / global_accesses`." },
        line("shared_accesses", "Loads, stores and atomics in shared memory."),
        line("shared_wavefronts", [[Passes over its 32 banks of 4 bytes. Lanes that use one word
          share a pass, except in atomics. With 8 bytes per lane 16 lanes go together, with 16
          bytes 8.]]),
        line("bank_conflicts", "Passes beyond those that such accesses need at least."),
        line("local_accesses", "Loads and stores in local memory, of arrays in registers' place."),
        line("local_sectors", "The sectors of these."),
        line("f16_operations", [[Floating-point operations of lanes in half precision; a fused
          multiply-add is two.]]),
        line("f32_operations", "The same in single precision."),
        line("f64_operations", "The same in double precision."),
        line("tensor_operations", "Multiplications and additions of products of matrices."),
      } },
    { class = "Estimate",
      text = [[What `profile:estimate` returns. Each part of the GPU has a time that it needs at
        least, if it is alone and always busy; the longest is the bound. Device memory moves every
        sector once, as with caches that are large enough. `tostring` gives all of it as text.]],
      entries = {
        { "bound", kind = "field",
          returns = { '"memory"|"compute"|"latency"|"too_large"' },
          text = [[What takes longest. "latency": too few warps are resident to hide the waits, if a
            warp waits for each result. "too_large": a block needs more than a multiprocessor
            has.]] },
        { "limits", kind = "field",
          returns = { "table[], the longest first: `name`, `kind` (as `bound`), `milliseconds`" },
          text = "The least time of a launch for each part of the GPU." },
        { "milliseconds", kind = "field", returns = { "number" }, text = "The longest of these." },
        { "occupancy", kind = "field", returns = { "number, 0 to 1" },
          text = "Resident warps of those that a multiprocessor can hold." },
        { "blocks_per_multiprocessor", kind = "field", returns = { "integer" },
          text = "Blocks that a multiprocessor holds." },
        { "occupancy_limit", kind = "field",
          returns = { '"blocks"|"warps"|"registers"|"shared"' },
          text = "What there is too little of for another block." },
        { "registers", kind = "field", returns = { "integer" }, text = "Per thread." },
        { "registers_from", kind = "field",
          returns = { '"cubin"|"ptx"|"given", machine code, an estimate from PTX, or the option' },
          text = "Where their number comes from." },
        { "intensity", kind = "field", returns = { "number" },
          text = "Floating-point operations per byte of device memory." },
        { "balance", kind = "field", returns = { "number" },
          text = [[The intensity at which the GPU's memory and its arithmetic in single precision
            take the same time: the ridge of its roofline.]] },
        { "gpu", kind = "field", returns = { "string" }, text = "The name of the GPU." },
        { "arch", kind = "field", returns = { "string" }, text = "Its architecture." },
        { "kernel", kind = "field", returns = { "string" }, text = "The name of the kernel." },
      } },
  },
}
