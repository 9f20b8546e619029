-- luacheck: ignore 631 (one entry, one line)
local LAUNCH = "launch: table, { grid =, block = } or { threads = }, and shared =, stream =, cooperative =, cluster =, ordered ="
local function number(name, text) return { name, kind = "field", returns = { "integer" }, text = text } end
return {
  name = "Kernel", title = "Kernels",
  text = "Called with a launch table and the arguments, which are checked and converted before anything is launched. Numbers of the driver are fields of the current device; those it lets one set are set by assignment, for every device.",
  entries = {
    { "__call", kind = "call", params = { LAUNCH, "...: any, the kernel's arguments" }, raises = "a string for wrong arguments or limits; launch", text = "Launches and does not wait (unless an argument is `cuda.output` or `cuda.inout` of a table)." },
    { "name", kind = "field", returns = { "string" }, text = "Its name." },
    { "signature", kind = "field", returns = { "table[], per parameter: name, type, kind, dtype, class, known, const, lanes, size and offset (bytes)" }, text = "What it takes. `known` is false where a loaded binary does not say what the parameter's type is: PTX gives the size of a parameter of an `extern \"C\"` kernel, but not to what type a pointer points, so an array of any dtype is taken there." },
    number("max_threads_per_block", "The largest block it can have."), number("num_regs", "Registers per thread."),
    number("shared_size_bytes", "Static shared memory."), number("const_size_bytes", "Constant memory."), number("local_size_bytes", "Local memory per thread."),
    number("ptx_version", "PTX version, 80 for 8.0."), number("binary_version", "Architecture of the machine code."), number("cache_mode_ca", "Caching mode."),
    number("max_dynamic_shared_size_bytes", "Largest dynamic shared memory (settable)."), number("preferred_shared_memory_carveout", "Percent of L1 kept for shared memory (settable)."),
    number("cluster_size_must_be_set", "Does a launch need a cluster size?"), number("required_cluster_width", "Cluster size it was compiled for, x."),
    number("required_cluster_height", "The same, y."), number("required_cluster_depth", "The same, z."),
    number("non_portable_cluster_size_allowed", "Are clusters of 16 allowed (settable)?"), number("cluster_scheduling_policy_preference", "How clusters are spread (settable)."),
    { "prepare", params = { LAUNCH }, returns = { "Prepared, call it with the arguments" }, text = "Checks the launch once; the table is copied, the device fixed." },
    { "time_ms", params = { LAUNCH, "...: any, arguments" }, returns = { "number, milliseconds" }, text = "Launches, waits, and tells how long it took on the device." },
    { "benchmark", params = { LAUNCH .. ", runs =, warmup = (20 and 3)", "...: any, arguments" }, returns = { "table, min_ms, median_ms, mean_ms, runs" }, text = "Launches many times and waits." },
    { "occupancy", params = { "block: integer|integer[]", "shared?: integer, bytes of dynamic shared memory (0)" }, returns = { "integer, blocks per multiprocessor", "number, share of the threads it can hold, 0 to 1" }, text = "How full a multiprocessor gets." },
    { "attributes", returns = { "table, name to integer" }, text = "All the driver's numbers." },
    { "source", returns = { "string" }, raises = "a string when it was made from a binary", text = "What was given to the compiler." },
    { "ptx", returns = { "string" }, raises = "a string when it was made from machine code; compile", text = "PTX of its module for the current device." },
    { "compile", returns = { "Kernel, itself" }, raises = "compile", text = "Compiles and loads now." },
    { "close", text = "Ends the handle." },
    { "free", text = "The same as close." },
  },
}
