local LAUNCH = "launch: Launch"
local ARGUMENTS = "...: any, the kernel's arguments"
local WRONG = [[a string for wrong arguments, or limits that the launch exceeds; `launch` if it
  fails]]
local CLOSE = "Releases the handle. A second call has no effect."

local function number(name, text)
  return { name, kind = "field", returns = { "integer" }, text = text }
end

local function dimensions(name, text)
  return { name, kind = "field", returns = { "integer|integer[]|nil" }, text = text }
end

return {
  title = "Kernels and launches",
  text = [[
    A kernel is called with a launch table and its arguments. Every argument is checked against the
    kernel's parameter and converted before anything is launched:

    - an integer takes a number without fraction that is in range (`unsigned long long` any Lua
      integer, as its bits); a float any number, but not a finite one that would become infinite;
      `bool` a boolean. Strings are never numbers, and nil is never an argument.
    - `T *` takes a contiguous array of that dtype on the device of the launch, `cuda.null`,
      `cuda.ptr(address)` or a wrapped argument; `void *` an array of any dtype, and any pointer the
      memory of `cuda.alloc` and `cuda.alloc_pitch`; `float4 *` and the like a float32 array whose
      last axis is divisible by 4.
    - a struct or a vector type takes a table by names or by positions, or bytes of its size.]],
  parts = {
    { class = "Launch",
      text = [[
        The launch table: either `threads`, or `block` and, unless it is 1, `grid`. Extents are an
        integer or a list of up to three, x first (the reverse of a shape).]],
      entries = {
        dimensions("threads", [[Total threads per axis. LuaCUDA chooses the grid and, unless `block`
          is given, the block. Fewer than 256 threads are one block, where the kernel can have so
          many. Else a block has as many as `kernel:suggested_block` returns, in a row or near a
          square or a cube (256 are 256, 16 by 16, or 8 by 8 by 4), and the last block may have more
          threads than needed, so kernels test their index. Where blocks form clusters, the last
          cluster may have more blocks than needed. 0 launches nothing.]]),
        dimensions("grid", "Blocks per axis, at least 1 (1)."),
        dimensions("block", "Threads of a block per axis."),
        { "shared", kind = "field", returns = { "integer?" },
          text = [[Dynamic shared memory in bytes (0). Above 48 KB the kernel's limit is raised
            automatically.]] },
        { "stream", kind = "field", returns = { "Stream?" },
          text = "Stream of the launch (the current stream of the arrays' device)." },
        { "cooperative", kind = "field", returns = { "boolean?" },
          text = [[Launch cooperatively: all blocks run at the same time and can synchronize
            (false).]] },
        dimensions("cluster", "Blocks of a cluster per axis, on devices that have clusters."),
        { "programmatic", kind = "field", returns = { "boolean?" },
          text = [[Let the kernel begin before the one queued before it on the stream has ended
            (false). It must wait by `griddepcontrol.wait` (`cudaGridDependencySynchronize`) before
            it uses what that one writes. Without effect on GPUs before compute capability 9.0 and
            on the CPU device, where `LUACUDA_CPU_CHECK=all` reports a missing wait.]] },
        { "priority", kind = "field", returns = { "integer?" },
          text = [[Priority of this launch: smaller numbers first, as those of streams. The nearest
            that the device has is taken (the stream's).]] },
        { "sync_domain", kind = "field", returns = { '"default"|"remote"|nil' },
          text = [[Memory synchronization domain: fences of kernels in one domain need not wait for
            writes of kernels in the other ("default").]] },
        { "ordered", kind = "field", returns = { "boolean?" },
          text = [[Order the launch automatically after work of other streams on its arrays
            (true).]] },
        { "runs", kind = "field", returns = { "integer?" },
          text = "For `kernel:benchmark`: the number of timed launches (20)." },
        { "warmup", kind = "field", returns = { "integer?" },
          text = "For `kernel:benchmark`: the number of launches before those (3)." },
      } },
    { class = "Kernel",
      text = [[
        A kernel, made by `cuda.kernel` or `module:kernel`. The driver's numbers are fields; they
        are those of the current device. Fields marked "settable" can be assigned, which holds for
        every device.]],
      entries = {
        { "name", kind = "field", returns = { "string" }, text = "Its name." },
        { "log", kind = "field", returns = { "string" },
          text = "The compiler's warnings about its source: `module.log`." },
        { "signature", kind = "field", returns = { "table[]" },
          text = [[A table for each parameter: `name`, `type` (in C++), `kind`, `dtype`, `class`,
            `known`, `const`, `lanes`, `size` and `offset` (bytes). `known` is false if a loaded
            binary does not give the parameter's type: PTX gives only the size of the parameters of
            an `extern "C"` kernel, so a pointer takes an array of any dtype there.]] },
        number("max_threads_per_block", "Threads of the largest block that it can run with."),
        number("num_regs", "Registers per thread."),
        number("shared_size_bytes", "Static shared memory per block, in bytes."),
        number("const_size_bytes", "Constant memory in bytes."),
        number("local_size_bytes", "Local memory per thread, in bytes."),
        number("ptx_version", "PTX version that it was compiled for: 80 for 8.0."),
        number("binary_version", "Architecture of the machine code: 90 for sm_90."),
        number("cache_mode_ca", "1 if it was compiled with global loads cached in L1, else 0."),
        number("max_dynamic_shared_size_bytes",
          "Limit of dynamic shared memory in bytes; settable."),
        number("preferred_shared_memory_carveout",
          "Share of L1 kept for shared memory, in percent, -1 for the driver's choice; settable."),
        number("cluster_size_must_be_set", "1 if a launch needs `cluster`, else 0."),
        number("required_cluster_width", [[Cluster size along x that it was compiled for, or 0;
          settable on GPUs where none was.]]),
        number("required_cluster_height", "The same along y."),
        number("required_cluster_depth", "The same along z."),
        number("non_portable_cluster_size_allowed",
          "1 if clusters of more than 8 blocks are allowed, else 0; settable."),
        number("cluster_scheduling_policy_preference",
          "How blocks of clusters are spread (CUclusterSchedulingPolicy); settable."),
        { "cache_config", kind = "field", returns = { '"none"|"shared"|"l1"|"equal"' },
          text = [[What it prefers to have more of: shared memory, L1 cache, or the same of both
            ("none": the device's default); settable. A hint, which recent GPUs may ignore.]] },
        { "options", kind = "field", returns = { "table" },
          text = [[The options that it was compiled with, in the form in which `cuda.kernel` takes
            them; empty for a binary.]] },
        { "__call", kind = "call", params = { LAUNCH, ARGUMENTS }, raises = WRONG,
          text = [[Launches the kernel. Does not wait, unless an argument is `cuda.output` or
            `cuda.inout`, which copy to a host value.]] },
        { "prepare", params = { LAUNCH }, returns = { "Prepared" }, raises = WRONG,
          text = [[Checks a launch table once, for launches that are repeated. The table is copied
            and the device fixed. Types of the arguments need not be declared: they come from the
            kernel's signature.]] },
        { "time_ms", params = { LAUNCH, ARGUMENTS }, returns = { "number, milliseconds" },
          raises = WRONG,
          text = "Launches, waits, and returns the time that the launch took on the device." },
        { "benchmark", params = { LAUNCH, ARGUMENTS },
          returns = { [[table, `min_ms`, `median_ms`, `mean_ms`, `spread_ms` (the distance between
            the quartiles) and `runs`]] }, raises = WRONG,
          text = "Launches many times, waits, and returns times per launch." },
        { "occupancy",
          params = { "block: integer|integer[]",
            "shared?: integer (0), dynamic shared memory in bytes" },
          returns = { "integer, blocks that a multiprocessor runs at the same time",
            "number, their threads as a share of what it can hold, 0 to 1" },
          text = "Returns how many blocks of a size fit on a multiprocessor." },
        { "suggested_block", params = { "shared?: integer (0), dynamic shared memory in bytes" },
          returns = { "integer, threads of a block", "integer, blocks that fill the device" },
          raises = "a string if a block cannot have so much shared memory",
          text = [[Returns the block with which most threads of the kernel are resident: the
            driver's suggestion, or 256 where they keep as many resident. Asked once per kernel and
            device.]] },
        { "max_cooperative_blocks",
          params = { "block: integer|integer[]",
            "shared?: integer (0), dynamic shared memory in bytes" },
          returns = { "integer" }, raises = "a string if a block cannot have so much shared memory",
          text = [[Returns how many blocks a cooperative launch may have: those that the device runs
            at the same time. 0 where there are no cooperative launches.]] },
        { "max_active_clusters",
          params = { "block: integer|integer[]",
            "cluster?: integer|integer[] (the one that the kernel was compiled for)",
            "shared?: integer (0), dynamic shared memory in bytes" },
          returns = { "integer" }, raises = "a string if such a launch is not possible",
          text = "Returns how many clusters of this shape the device runs at the same time." },
        { "max_cluster_size",
          params = { "block: integer|integer[]",
            "shared?: integer (0), dynamic shared memory in bytes" },
          returns = { "integer" }, raises = "a string if such a launch is not possible",
          text = [[Returns the largest number of blocks in a cluster of the kernel: the number that
            it was compiled for, else 8, or more if `non_portable_cluster_size_allowed` is set; 0 on
            devices without clusters.]] },
        { "attributes", returns = { "table, name to integer" },
          text = "Returns all the driver's numbers, those of the fields above." },
        { "source", returns = { "string" }, raises = "a string if it was made from a binary",
          text = "Returns the source." },
        { "ptx", returns = { "string" },
          raises = "a string if it was made from machine code; `compile`",
          text = "Returns the PTX of its module for the current device." },
        { "compile",
          options = { "log?: any, function or open file that receives the log" },
          returns = { "Kernel, itself" }, raises = "`compile`",
          text = "Compiles and loads it for the current device now, instead of at the first use." },
        { "close", text = CLOSE }, { "free", text = "The same as `kernel:close`." },
      } },
    { class = "Prepared", text = "A launch made by `kernel:prepare`.",
      entries = {
        { "kernel", kind = "field", returns = { "Kernel" }, text = "Its kernel." },
        { "device", kind = "field", returns = { "Device" },
          text = "The device that it launches on." },
        { "grid", kind = "field", returns = { "integer[]" }, text = "Blocks: x, y, z." },
        { "block", kind = "field", returns = { "integer[]" },
          text = "Threads of a block: x, y, z." },
        { "__call", kind = "call", params = { ARGUMENTS }, raises = WRONG,
          text = [[Launches the kernel with these arguments, or without any with those that `keep`
            or `set` kept.]] },
        { "with", params = { "changes: Launch" }, returns = { "Prepared" }, raises = WRONG,
          text = [[Makes another prepared launch of the kernel, for another grid or stream, say.
            What the table leaves out stays as it is, the block and the kept arguments too;
            `threads` makes a grid of that block, or of another one where the block was chosen. A
            new `block` needs `grid` or `threads`.]] },
        { "keep", params = { ARGUMENTS }, returns = { "Prepared, itself" }, raises = WRONG,
          text = [[Checks arguments and keeps them for calls without arguments. Each launch converts
            them again, so a table is read as it is then.]] },
        { "set", params = { "i: integer, from 1", "value: any" },
          returns = { "Prepared, itself" }, raises = WRONG,
          text = "Replaces one kept argument, or keeps it as the first." },
        { "time_ms", params = { ARGUMENTS }, returns = { "number, milliseconds" }, raises = WRONG,
          text = "Launches, waits, and returns the time that the launch took on the device." },
        { "close", text = CLOSE }, { "free", text = "The same as `prepared:close`." },
      } },
    { class = "luacuda", entries = {
      { "input", params = { "value: table|string|Array" }, returns = { "Argument" },
        text = [[Wraps a host value for one launch, which copies it to the device. Tables and bytes
          get the parameter's dtype.]] },
      { "output", params = { "value: table|Array" }, returns = { "Argument" },
        text = [[Wraps a host value for one launch, which fills it with what the kernel wrote. The
          launch returns when the table or the array in host memory is complete. An array in device
          memory is passed as it is, and the launch does not wait.]] },
      { "inout", params = { "value: table|Array" }, returns = { "Argument" },
        text = "Wraps a host value for one launch as both `cuda.input` and `cuda.output` do." },
      { "raw", params = { "a: Array" }, returns = { "Argument" },
        text = "Passes the address of a view's first element, whatever its strides." },
      { "ptr", params = { "address: integer" }, returns = { "Pointer" },
        text = "Makes an address that can be an argument. It is not checked." },
      { "null", kind = "value", returns = { "Pointer" },
        text = "The null pointer as an argument." },
    } },
    { class = "Argument",
      text = [[What `cuda.raw`, `cuda.input`, `cuda.output` and `cuda.inout` return, for one
        launch.]],
      entries = {} },
    { class = "Pointer", text = "What `cuda.ptr` returns, and `cuda.null`.", entries = {
      { "address", kind = "field", returns = { "integer" }, text = "The address." },
    } },
  },
}
