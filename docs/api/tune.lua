-- Options of a search.
local SEARCH = {
  [[check?: function, `function(parameters)`, called after the first run of each candidate: it
    raises or returns false if the results are wrong]],
  [[reset?: function, `function(parameters)`, called before a candidate runs for the first time, so
    that results of an earlier one cannot pass for its own]],
  [[key?: any, a string, a number, a boolean or a list of them that tells searches of one name
    apart, such as the shape of the data]],
  [[metrics?: function, `function(parameters, ms)` that returns a table of numbers by name, such as
    `{ gflops = 2e-6 * n / ms }`]],
  "minimize?: string (the time), name of the metric that decides; less is better",
  "maximize?: string, name of the metric that decides; more is better",
  [[budget_ms?: number (no limit), milliseconds by the clock after which no further measurement is
    begun]],
  [[strategy?: "all"|"halving"|"random", by default `"all"` up to 256 points and `"halving"`
    above]],
  "candidates?: integer (256), the most candidates of `\"halving\"` and `\"random\"`",
  "seed?: integer (1), of the random numbers: the same seed gives the same candidates",
  [[runs?: integer, timed runs of each measurement; by default 1 to 100, as many as take about 40
    ms]],
  "warmup?: integer (1), runs before those",
  "refresh?: boolean (false), measure again although a winner is kept",
  "cache?: boolean (true), use the winner on disk and keep the new one",
  "cache_dir?: string (that of the cache), folder to keep winners in",
  [[observe?: function, `function(row, done, total)`, called after each measurement with its row,
    the number of candidates so far and of those there may be]],
  "stream?: Stream (the current one), current while candidates run, and timed",
}

local function options(...)
  local list = { ... }
  return table.move(SEARCH, 1, #SEARCH, #list + 1, list)
end

local RAISES = "`runtime` if no candidate could be measured, with the reasons; the errors of "
  .. "`where`, `reset`, `metrics` and `observe`"

return {
  title = "Tuning kernels",
  text = [[
    A search measures variants of a piece of work, called candidates, and keeps the fastest one on
    disk for each device. The next search with the same name, key, space and code takes it from
    there.]],
  parts = {
    { class = "luacuda", entries = {
      { "tune", needed = true,
        options = options(
          "name: string, name of the search",
          [[space: table, lists of values by name of the parameter: `{ BLOCK = { 64, 128 } }`.
            Values are numbers, strings, booleans or lists of these]],
          [[make: function, `function(parameters)` that returns the function to time. That function
            queues work on the current stream. `nil` and a text skip a candidate]],
          [[where?: function, `function(parameters)`: false leaves a point out]]),
        returns = { "Tuning" }, raises = RAISES,
        text = [[Searches a space of parameters for the fastest candidate. Times are taken by events
          on the stream, as in `cuda.benchmark`. Candidates that cannot be made or run, or whose
          results are wrong, are rows with the reason. A measurement whose runs vary by more than
          a fifth of their median is repeated up to twice. A candidate more than four times as slow
          as the best one is run twice. Those within a tenth of the best, at most three, are
          measured again with more runs. Waits for the device, and shows at a terminal how far it
          is.

          `"all"` measures every point. `"halving"` (successive halving, Jamieson and Talwalkar
          2016) looks at random points, measures the best third of them again, and goes from the
          best ones to neighbors as long as these are faster. `"random"` measures random points.

          What is kept belongs to the device, driver, compiler and version of the library, and to
          the name, key, space and code of `make` and `where`. It is measured again if the sources
          of the kernels that `make` makes have changed. Rows are kept while the search runs, so
          that one that was interrupted goes on where it ended; so does one with a larger
          `budget_ms` or more `candidates`.

          On a GPU a fault in a kernel ends CUDA for the process, and so the search: `stopped` says
          so, and the next process continues after that candidate.]] },
    } },
    { class = "Kernel", entries = {
      { "tune",
        params = {
          [[launch: table, `threads` and other keys of a launch table without `grid` and `block`;
            `blocks`, a list of blocks to try (by default those of 32 to 1024 threads that suit the
            axes of `threads`); and the options of `cuda.tune` except for `name`, `space`, `where`
            and `make`]],
          "...: any, arguments of the kernel" },
        returns = { "Tuning, whose `best.block` is the fastest block" }, raises = RAISES,
        text = [[Searches for the fastest block. Runs the kernel many times with the same arguments.
          The kernel's source, `threads` and the types and shapes of the arguments are part of the
          key. `result.run()` launches the kernel with the fastest block and these arguments.]] },
    } },
    { class = "Tuning",
      text = "What `cuda.tune` has found. `tostring` gives a table.",
      entries = {
        { "name", kind = "field", returns = { "string" }, text = "The name of the search." },
        { "key", kind = "field", returns = { "string|boolean" },
          text = "The option `key` as text, or false." },
        { "device", kind = "field", returns = { "string" }, text = 'The device: `"gpu0"`.' },
        { "best", kind = "field", returns = { "table" },
          text = "The parameters of the best candidate, by name." },
        { "ms", kind = "field", returns = { "number" }, text = "Its median time in milliseconds." },
        { "run", kind = "field", returns = { "function|boolean" },
          text = "The function that `make` returned for `best`; false if the device is lost." },
        { "rows", kind = "field",
          returns = { [[table[], the best candidate first: `parameters`, `state` (`"ok"`,
            `"failed"`, `"wrong"`, `"skipped"`), `reason` unless it is ok, `ms` (median), `min_ms`,
            `spread_ms` (the distance between the quartiles), `runs`, `repeats` (of a measurement
            that varied), `metrics`]] },
          text = "All candidates." },
        { "size", kind = "field", returns = { "integer" },
          text = [[The number of points of the space. Those that `where` leaves out do not count,
            unless there are more than 100000 points.]] },
        { "cached", kind = "field", returns = { "boolean" },
          text = "Was it taken from the disk?" },
        { "stopped", kind = "field", returns = { "string|boolean" },
          text = "Why the search ended early, or false." },
        { "elapsed_ms", kind = "field", returns = { "number" },
          text = "How long the search took, by the clock." },
        { "text", returns = { "string" }, text = "Returns a table of the candidates." },
        { "json", returns = { "string" }, text = "Returns everything as JSON." },
        { "svg", returns = { "string" },
          text = [[Returns a picture: for each parameter the times of all candidates over its
            values, a line through the best time of each value, and the winner.]] },
        { "save", params = { "path: string, ending in `.svg`, `.json` or `.txt`" },
          returns = { "Tuning, itself" }, raises = "`runtime` if the file cannot be written",
          text = "Writes the picture, the JSON or the text to a file." },
      } },
  },
}
