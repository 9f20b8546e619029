return {
  title = "Profiling",
  text = [[
    A profile shows what a function makes the devices do and where it waits. Times of devices come
    from events, on the CPU device as on a GPU, and cost a few microseconds for each piece of work.
    While nothing is profiled they cost nothing.]],
  parts = {
    { class = "luacuda", entries = {
      { "profile", params = { "fn: function" },
        options = { "limit?: integer (1000000), the most entries to keep" },
        returns = { "Profile" }, raises = "the errors of `fn`, and of the work that it queues",
        text = [[Waits for the current device, calls `fn()`, and waits for its work. Returns the
          timeline of the kernels, copies, fills, waits, compilations and [ranges](#range) of this
          thread. Work captured into a graph and work that other libraries queue is not part of it.
          `fn` cannot yield.]] },
      { "benchmark", params = { "fn: function",
          [[...: any, arguments of `fn`, then optionally a table of the options `runs` (20), the
            number of timed calls, `warmup` (3), the number of calls before them, and `stream` (the
            current one), current during the calls]] },
        returns = { [[table, `min_ms`, `median_ms`, `mean_ms` and `spread_ms` (the distance between
          the quartiles) by the clock, `runs`, and `gpu`, a table of the same by events on the
          stream]] },
        raises = "the errors of `fn`",
        text = [[Times calls of `fn(...)`. A table of named values at the end is taken for the
          options: if the last argument of `fn` is such a table, put `{}` after it. The clock runs
          from the call until the device is idle, the events from the first work of the call to its
          last on the stream. `fn` cannot yield. `kernel:benchmark` times one kernel without the
          cost of calling it.]] },
      { "range", params = { "name: string", "fn?: function", "...: any, arguments of `fn`" },
        returns = { "Range|any, an open range; with `fn` all results of `fn`" },
        raises = "the errors of `fn`",
        text = [[Names a part of the program, for `cuda.profile` and for profilers that understand
          NVTX, such as nsys. `local r <close> = cuda.range(name)` ends with the block,
          `cuda.range(name, fn, ...)` with the call of `fn`. Calls nest; range objects may overlap,
          and nsys shows them as ranges of the process. The profiler's library is the one that
          `NVTX_INJECTION64_PATH` names, which nsys sets. `fn` cannot yield.]] },
      { "profiler", kind = "value", returns = { "Profiler" },
        text = "Control of an attached profiler." },
    } },
    { class = "Profile", text = "What `cuda.profile` has recorded. `tostring` gives a table.",
      entries = {
        { "entries", kind = "field",
          returns = { [[table[], in the order of the start: `kind` (`"kernel"`,
            `"copy"`, `"fill"`, `"wait"`, `"compile"`, `"range"`), `name`, `device` (`"gpu0"`,
            `"cpu"`, `"host"`), `stream` (0: the null stream), `start_ms`, `duration_ms`; of copies
            and fills `bytes` and `gb_per_s`, of kernels `grid` and `block`]] },
          text = "The timeline." },
        { "totals", kind = "field",
          returns = { [[table[], the longest first: `kind`, `name`, `device`,
            `count`, `total_ms`, `mean_ms`, `min_ms`, `max_ms`, `bytes`, `gb_per_s`]] },
          text = "The sums of the entries of each name and device." },
        { "length_ms", kind = "field", returns = { "number" },
          text = "How long the function ran, by the clock." },
        { "wait_ms", kind = "field", returns = { "number" },
          text = "How long the host waited for devices." },
        { "dropped", kind = "field", returns = { "integer" },
          text = "The number of entries beyond the option `limit`." },
        { "chrome", returns = { "string" },
          text = [[Returns the timeline as JSON in the trace event format, for
            [Perfetto](https://ui.perfetto.dev) and `chrome://tracing`: a process for each device, a
            row for each stream.]] },
        { "save", params = { "path: string" }, returns = { "Profile, itself" },
          raises = "`runtime` if the file cannot be written",
          text = "Writes the text of `profile:chrome` to a file." },
      } },
    { class = "Range", text = "A named part of a program, made by `cuda.range`.", entries = {
      { "name", kind = "field", returns = { "string" }, text = "Its name." },
      { "close", text = "Ends the range. A second call has no effect." },
    } },
    { class = "Profiler",
      text = [[
        Tells a profiler that watches the current device where to look, as `cuProfilerStart` does:
        `nsys profile --capture-range=cudaProfilerApi` records between the two calls. Nothing
        happens without a profiler.]],
      entries = {
        { "start", kind = "function", text = "Starts recording." },
        { "stop", kind = "function", text = "Stops recording." },
      } },
  },
}
