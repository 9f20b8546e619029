local SELECTOR = "device?: Device|integer|string (the current device)"

return {
  title = "Devices",
  text = [[
    GPUs have ordinals from 0, as in `nvidia-smi`. The CPU device runs the same kernels where there
    is no GPU.]],
  parts = {
    { class = "luacuda", entries = {
      { "devices", returns = { "Device[], GPUs by ordinal, then the CPU device" },
        raises = "`logic` in a child process forked after CUDA was used",
        text = "Lists all devices." },
      { "device",
        params = { [[selector?: integer|string|Device (the current device), an ordinal (also as a
          string), `"cpu"`, `"gpu"` (the first GPU), `"gpu0"` or a PCI bus id]] },
        returns = { "Device" }, raises = "`runtime` if there is no such device",
        text = [[Returns a device. Until `cuda.use` or `device:use` selects another, the current
          device is the one that `LUACUDA_DEVICE` names, else GPU 0, else the CPU device.]] },
      { "use", params = { "selector: integer|string|Device, as in `cuda.device`" },
        returns = { "Device, the device that was current before" },
        raises = "`runtime` if there is no such device",
        text = "Makes a device the current one of this Lua state." },
      { "synchronize", params = { SELECTOR },
        raises = "`launch`, and any other error of queued work",
        text = "Waits for all work of a device." },
      { "mem_info", params = { SELECTOR }, returns = { "integer, free bytes",
        "integer, total bytes" },
        text = "Returns the free and the total memory of a device." },
    } },
    { class = "Device",
      text = [[
        Each device has one handle, so `==` compares devices and a device can be a table key. Every
        attribute of the driver is also a field, by its name in lower case: `device.warp_size`.]],
      entries = {
        { "name", kind = "field", returns = { "string" }, text = "The driver's name for it." },
        { "label", kind = "field", returns = { "string" },
          text = "Its name in messages: `\"gpu0\"`, `\"cpu\"`." },
        { "kind", kind = "field", returns = { '"gpu"|"cpu"' }, text = "The kind of device." },
        { "ordinal", kind = "field", returns = { "integer" }, text = "Its number, from 0." },
        { "arch", kind = "field", returns = { "string" },
          text = "The architecture to compile for: `\"sm_90\"`." },
        { "cc", kind = "field", returns = { "integer" },
          text = "The compute capability as one number: 90." },
        { "compute_capability", kind = "field", returns = { "integer[]" },
          text = "The compute capability as a list: `{ 9, 0 }`." },
        { "total_memory", kind = "field", returns = { "integer" }, text = "Its memory in bytes." },
        { "pci_bus_id", kind = "field", returns = { "string?" },
          text = "Its PCI bus id, `\"0000:3b:00.0\"`; nil on the CPU device." },
        { "uuid", kind = "field", returns = { "string?" }, text = "Its UUID." },
        { "api_version", kind = "field", returns = { "integer" },
          text = "The version of the driver API that its context was made with: 3020 is 3.2." },
        { "stream", kind = "field", returns = { "Stream" },
          text = "Its current stream in this Lua state." },
        { "null_stream", kind = "field", returns = { "Stream" }, text = "Its null stream." },
        { ".ATTRIBUTE", kind = "index", key = "string", returns = { "integer?" },
          text = "An attribute of the driver; nil if the driver does not have it." },
        { "attribute",
          params = { "name: string, in any case, with or without `CU_DEVICE_ATTRIBUTE_`" },
          returns = { "integer?, nil if the driver does not have it" },
          raises = "a string for an unknown name", text = "Returns an attribute of the driver." },
        { "attributes", returns = { "table, name to integer" },
          text = "Returns all attributes that the driver has." },
        { "supports",
          params = { "name: string, an attribute; `_supported` may be left out" },
          returns = { "boolean" },
          text = "Returns whether the driver has the attribute and it is not 0." },
        { "memory_info", returns = { "integer, free bytes", "integer, total bytes" },
          text = "Returns its free and its total memory." },
        { "synchronize", returns = { "Device, itself" },
          raises = "`launch`, and any other error of queued work",
          text = "Waits for all work of the device." },
        { "use", returns = { "Device, the device that was current before" },
          text = "Makes it the current device of this Lua state." },
        { "reset",
          options = { [[force?: boolean (false), reset it although other Lua states use the
            library]] },
          raises = [[`logic` in a finalizer, and while the program has arrays, streams, events,
            modules or kernels on the device]],
          text = [[Releases everything that the driver holds for the device; the next use
            initializes it again. Kernels of operators, array functions and builders are unloaded
            now and loaded again when they are next used.]] },
        { "limit",
          params = {
            [[name: string, `"stack_size"`, `"printf_fifo_size"`, `"malloc_heap_size"`,
              `"dev_runtime_sync_depth"`, `"dev_runtime_pending_launch_count"`,
              `"max_l2_fetch_granularity"` or `"persisting_l2_cache_size"`]],
            "value?: integer, bytes or a count; without it the limit is only read" },
          returns = { "integer, the limit as the driver rounded it" },
          text = "Reads or sets a limit of the driver." },
        { "parent", kind = "field", returns = { "Device?" },
          text = "The device that a context belongs to; nil for a device." },
        { "context",
          options = {
            [[schedule?: string, how a thread waits for its work, as in `device:flags`]],
            [[lmem_resize?: boolean (false), keep local memory at its largest size after a
              kernel]],
            [[map_host?: boolean (false), accepted for older programs: every context can use pinned
              memory]] },
          returns = { "Device, the context, which is not current" },
          raises = [[`logic` while there are 63 devices and contexts; what the driver says, for
            example that it has no memory]],
          text = [[Makes another context of the device, separate from its primary one, with its own
            limits, cache preference, flags, memory pool and null stream. It is a Device, which
            `cuda.use`, `device =` and all methods accept: the arrays, streams, events and modules
            made for it belong to it. Memory is reachable from all contexts of one device: a kernel
            takes the arrays of one of them, which decides where it runs, and `cuda.copy` and
            `a:to(context)` copy directly. An array, stream or kernel of one context otherwise
            counts as one of another device. `context.parent` is the device.

            Closing a context ends everything made in it and frees its memory. Contexts can be
            closed in any order. A context whose handle and objects have been collected is closed
            when the next one is made. On a GPU, a fault in a kernel ends all contexts of the
            process, so a context does not isolate faults.]] },
        { "push", returns = { "Device, itself" },
          text = [[Makes it the current device of this Lua state until `device:pop`. What was
            current is below it on a stack; `cuda.use` replaces the top of the stack.]] },
        { "pop", returns = { "Device, that is current from now on" },
          raises = "`logic` unless the device is current and was pushed",
          text = "Undoes `device:push`: the device below it on the stack is current again." },
        { "close",
          raises = [[a string for a device that is not a context; `logic` while a graph records work
            of the context, and inside `cuda.no_sync`]],
          text = [[Ends a context: waits for its work, frees its memory and removes it from the
            stack of `device:push`. Every later use of what was made in it raises an error of kind
            `logic` that names the context. A failure of its work that no call has raised is raised
            by the next call for its device. A variable with `<close>` closes it as well. A second
            call has no effect.]] },
        { "free", text = "The same as `device:close`." },
        { "partition",
          options = {
            [[sms?: integer, multiprocessors of each partition (the largest equal share); the
              driver rounds the number up to what the device can separate]],
            "count?: integer (1), the number of partitions" },
          returns = { "Partition[]", "Partition?, of the multiprocessors that are left" },
          raises = [[a string if the device has no room for that many; `runtime` if the driver has
            no green contexts (CUDA 12.5)]],
          text = [[Divides the device's multiprocessors, so that a long kernel leaves room for short
            ones: `cuda.stream{ partition = }` makes a stream whose kernels run in one part. Each
            call divides the whole device, so partitions of two calls overlap. On the CPU device the
            parts are only counted: every kernel may use all cores.]] },
        { "flags",
          options = {
            [[schedule?: string, how a thread waits for the device: `"auto"`, `"spin"` (fastest),
              `"yield"` (to other threads) or `"blocking"` (without using a CPU core)]],
            [[lmem_resize?: boolean, keep local memory at its largest size after a kernel]] },
          returns = { "table, with `schedule` and `lmem_resize` as they are now" },
          raises = "a string for an unknown option or way to wait",
          text = [[Reads or sets the flags of the device's context. They take effect at once; what
            is not given stays. On the CPU device they have no effect.]] },
        { "cache_config",
          params = { [[preference?: string, `"none"`, `"shared"`, `"l1"` or `"equal"`; without it
            the preference is only read]] },
          returns = { "string, the preference in effect" },
          raises = "a string for an unknown preference",
          text = [[Reads or sets how kernels that say nothing themselves want on-chip memory to be
            divided between shared memory and the L1 cache. The driver treats it as a hint. On the
            CPU device it has no effect.]] },
        { "can_access_peer", params = { "other: Device|integer|string" }, returns = { "boolean" },
          text = "Returns whether its kernels can access the other device's memory directly." },
        { "enable_peer", params = { "other: Device|integer|string" },
          returns = { "Device, itself" },
          raises = "`logic` for a GPU and the CPU device",
          text = [[Lets its kernels access the other device's memory. The first copy between two
            GPUs, and the first launch with an array of another GPU, enable it automatically where
            the hardware allows it. A second call has no effect.]] },
        { "disable_peer", params = { "other: Device|integer|string" },
          returns = { "Device, itself" },
          text = [[Turns direct access off until `enable_peer` is called; copies then take another
            route.]] },
      } },
  },
}
