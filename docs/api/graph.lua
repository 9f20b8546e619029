return {
  title = "Graphs",
  text = [[
    A graph is work that was recorded once and is launched as one operation. A launch costs about
    0.7 µs per kernel on an H200, a quarter of what launching each kernel costs. `cuda.graph` calls
    a function and records what it queues: launches of kernels, builders and fused functions,
    copies, fills, products, events, on any number of streams. Nothing runs while it is recorded.

    A graph keeps what it uses alive until it is closed and its launches have ended: arrays that
    the function uses or makes, kernels, modules, events, and data of the host, which is copied when
    it is recorded. Memory made inside is allocated once, not at each launch. A launch is ordered
    like any work on the same arrays: after earlier work on them, before later work.

    What waits for the device cannot be recorded: reading elements, `synchronize`, `elapsed_ms`,
    `nonzero` and every other call that `cuda.no_sync` forbids. Neither can work of another kind of
    device.]],
  parts = {
    { class = "luacuda", entries = {
      { "graph", params = { "fn: function, called with a Stream" },
        returns = { "Graph", "any, all results of `fn`" },
        raises = [[the errors of `fn`; `logic` from any call inside that would wait for a device,
          that launches a graph or records another one. The recording is then thrown away]],
        text = [[Calls `fn(stream)` and records the work that it queues on the current device. The
          stream is current during the call and stands for the null stream, and the program's other
          streams may be used too. Work that runs on them meanwhile is not touched. `fn` cannot
          yield.

          Random numbers that are drawn inside are the same at every launch. An event recorded
          inside is recorded at every launch; one that was recorded outside is waited for at every
          launch, as recorded last at that time. Other threads must not wait for the whole device
          while a graph is recorded.]] },
    } },
    { class = "Graph", text = "Recorded work.", entries = {
      { "device", kind = "field", returns = { "Device" }, text = "Its device." },
      { "launch", params = { "stream?: Stream (the device's current stream)" },
        returns = { "Graph, itself" }, raises = "`logic` while a graph is recorded",
        text = [[Queues all its work as one operation. Launches of one graph follow each other, also
          on different streams.]] },
      { "nodes", kind = "field", returns = { "table[]" },
        text = [[Its nodes in the order in which they were recorded, each a table: `index`, `kind`
          (`kernel`, `copy`, `fill`, `record`, `wait`, `condition`, ...), and for a kernel `name`,
          `grid`, `block`, `shared` and `settable`, which says whether `graph:set` can change its
          arguments. Kernels of cuBLAS have no name.

          For a conditional node, `condition` is `when`, `loop` or `switch`. The nodes of its
          functions follow it; their `within` is its index, and `body` the number of the function.
          The kernels named `condition` read its array.]] },
      { "set", params = { "node: integer|table, an index or an entry of `nodes`",
          "...: any, the arguments of the kernel" },
        returns = { "Graph, itself" },
        raises = "a message as for a launch, and for a node that is not `settable`",
        text = [[Gives a kernel other arguments, for later launches. They are checked as in a
          launch. The graph keeps new arrays alive, and no longer those that it does not use any
          more. Only kernels that were launched by a call of a Kernel or Prepared, without
          parameters of a class, can be changed; other work is changed by `graph:update`.]] },
      { "update", params = { "fn: function, called with a Stream" },
        returns = { "Graph, itself", "any, all results of `fn`" },
        raises = [[what `cuda.graph` raises, and an error where the work has other nodes or
          dependencies; the graph then stays as it was]],
        text = [[Records `fn(stream)` and replaces the work of the graph. That is faster than a new
          graph. The kernels and their order must be the same; arguments, grids and blocks may
          differ. Work under a condition makes it as slow as a new graph, and may differ in
          everything.]] },
      { "clone", returns = { "Graph" }, raises = "an error for work under a condition",
        text = [[Makes a second graph of the same work and memory, whose arguments can be changed
          independently.]] },
      { "dot", returns = { "string" },
        text = "Returns its nodes and dependencies in the language of Graphviz." },
      { "close",
        text = [[Releases it; launches that are queued are completed. A second call has no
          effect.]] },
      { "free", text = "The same as `graph:close`." },
    } },
  },
}
