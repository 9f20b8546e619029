local SHAPE = "shape: integer|integer[], elements per axis"
local DTYPE = "dtype?: Dtype (float32), element type"
local DTYPE_OPTION = "dtype?: Dtype, in place of the parameter"
local ZEROS = "zeros?: boolean (false), clear the memory before the call returns"
local DRIVER = "device?: Device|integer|string (the current device), device whose driver "
local STREAM = "stream?: Stream (the device's current stream), stream of the work"
local DST_PITCH = "dst_pitch?: integer (that of its rows, else `width`), bytes from row to row"
local SRC_PITCH = "src_pitch?: integer (that of its rows, else `width`), bytes from row to row"
local HOST = "Array, on the CPU device"
local MEMORY = "`memory` if the allocation fails"
local WORD = "width?: integer (1), bytes of a word: 1, 2, 4 or 8"

return {
  title = "Memory",
  text = [[
    Arrays of host memory are arrays of the CPU device: Lua reads and writes their elements
    directly, after waiting for device work that uses them. `cuda.pinned`, `cuda.managed` and
    `cuda.host` take neither `out` nor `stream`, since they allocate; the contents are undefined
    unless `zeros` is set.]],
  parts = {
    { class = "luacuda", entries = {
      { "pinned", params = { SHAPE, DTYPE },
        options = { DTYPE_OPTION, ZEROS,
          "write_combined?: boolean (false), fast to write, slow to read from the host",
          DRIVER .. "pins it" },
        returns = { HOST }, raises = MEMORY,
        text = [[Allocates page-locked host memory. Copies between it and a GPU run at full speed
          and at the same time as kernels.]] },
      { "managed", params = { SHAPE, DTYPE },
        options = { DTYPE_OPTION, ZEROS,
          'attach?: "global"|"host" ("global"), which streams may use it (CU_MEM_ATTACH)',
          DRIVER .. "allocates it" },
        returns = { HOST }, raises = MEMORY,
        text = "Allocates memory that the GPU and the host can both access." },
      { "host", params = { SHAPE, DTYPE },
        options = { DTYPE_OPTION, ZEROS, "align?: integer (64), alignment in bytes" },
        returns = { HOST }, raises = MEMORY, text = "Allocates plain host memory." },
      { "pinned_like", params = { "a: Array", "dtype?: Dtype (that of a)" },
        options = { DTYPE_OPTION, ZEROS,
          "write_combined?: boolean (false), fast to write, slow to read from the host",
          DRIVER .. "pins it" },
        returns = { HOST }, raises = MEMORY,
        text = "As `cuda.pinned`, with the shape of an array." },
      { "managed_like", params = { "a: Array", "dtype?: Dtype (that of a)" },
        options = { DTYPE_OPTION, ZEROS,
          'attach?: "global"|"host" ("global"), which streams may use it (CU_MEM_ATTACH)',
          DRIVER .. "allocates it" },
        returns = { HOST }, raises = MEMORY,
        text = "As `cuda.managed`, with the shape of an array." },
      { "host_like", params = { "a: Array", "dtype?: Dtype (that of a)" },
        options = { DTYPE_OPTION, ZEROS, "align?: integer (64), alignment in bytes" },
        returns = { HOST }, raises = MEMORY, text = "As `cuda.host`, with the shape of an array." },
      { "pointer_info", params = { "address: integer|Pointer|Array" },
        returns = { [[table?, `memory` ("device", "pinned", "registered", "managed", "array"),
          `device`, `address`, `base` and `size` of the allocation, `offset` from its base, and the
          booleans `managed`, `host` (the host can use the address), `read_only`, `pooled`; nil for
          an address that is no memory of a device in use]] },
        text = [[Asks the driver what an address is. On the CPU device, memory of `cuda.host` is
          pinned.]] },
      { "register",
        params = { [[a: Array, contiguous host memory that is not page-locked: of `cuda.host`, of
          the CPU device, or of other code (`cuda.wrap` with `memory = "host"`)]] },
        options = { DRIVER .. "pins it",
          "read_only?: boolean (false), devices only read the memory",
          "iomemory?: boolean (false), the memory is that of a device (a mapped PCI region)" },
        returns = { HOST .. ", over the same memory" },
        raises = "a string if the memory is registered already",
        text = [[Page-locks memory for as long as the new array lives, for all GPUs. The array that
          is passed in stays valid. Each of the two arrays waits only for work on itself: read
          through the one that was used last, or synchronize first.]] },
      { "wrap",
        params = { "address: integer|Pointer|lightuserdata, of the first element", SHAPE, DTYPE },
        forms = { { "object: any, an object of another library with `__cuda`" } },
        options = { DTYPE_OPTION, "owner?: any, a value kept alive as long as the array",
          "device?: Device|integer|string (the current device), device of the memory",
          'memory?: "device"|"host" ("device"), kind of memory',
          "strides?: integer[] (C order without gaps), bytes from element to element on each axis",
          "readonly?: boolean (false), the memory may not be written",
          "stream?: Stream, its work so far comes before every use of the memory" },
        returns = { "Array" },
        text = [[Makes an array over memory that other code allocated. Memory of a device must be
          known to its driver. Otherwise the address is not checked: it must be valid for the whole
          shape and as long as the array lives.

          An object of another library can describe its memory itself. Its metamethod `__cuda`, or
          field `__cuda` if it is a table, is a function of the object that returns a table: the
          options above and `pointer`, `shape` and `dtype`. Such an object is accepted in place of
          an array: by kernels and kernel builders, operators, reductions, and the other functions,
          also as option `out` and in lists of arrays. `cuda.array` copies it. To index with it, or
          for views, textures and `cuda.register`, wrap it first. It lives as long as the array.
          Every use makes a new array; to have work on several streams ordered, wrap the object
          once.]] },
      { "alloc", params = { "bytes: integer" },
        options = { "device?: Device|integer|string (the current device)", STREAM },
        returns = { "Array, uint8 of one axis" }, raises = MEMORY,
        text = [[Allocates bytes with undefined contents. A kernel takes them for a pointer
          parameter of any type.]] },
      { "alloc_pitch",
        options = { "width: integer, bytes of a row", "height?: integer (1), rows",
          "device?: Device|integer|string (the current device)", STREAM },
        returns = { "Array, uint8 of shape {height, width}",
          "integer, pitch: bytes from row to row" },
        raises = MEMORY,
        text = [[Allocates a matrix of bytes whose rows are aligned for the device. A kernel takes
          it for a pointer parameter of any type, and needs the pitch as another argument.]] },
      { "copy", params = { "dst: Array|CuArray", "src: Array|CuArray|string" },
        options = { STREAM },
        returns = { "Array|CuArray, dst" },
        raises = [[a string if the dtypes, the sizes or, for views with gaps or in another order,
          the shapes differ]],
        text = [[Copies all elements between arrays of the same dtype and size, on any devices. A
          string has the bytes of the elements in C order. `dst:set(src)` also converts. A CUDA
          array has the shape of its texels, and its channels as last axis if there are
          several.]] },
      { "copy2d",
        options = { "dst: Array|CuArray", "src: Array|CuArray",
          "width: integer, bytes of a row; not needed with a CUDA array",
          "height: integer, rows; not needed with a CUDA array", DST_PITCH, SRC_PITCH,
          "dst_x?: integer (0), bytes", "dst_y?: integer (0), rows", "src_x?: integer (0), bytes",
          "src_y?: integer (0), rows", STREAM },
        text = [[Copies a rectangle of bytes. Without `width` and `height` it is what the CUDA array
          has from x and y on.]] },
      { "copy3d",
        options = { "dst: Array|CuArray", "src: Array|CuArray",
          "width: integer, bytes of a row; not needed with a CUDA array",
          "height: integer, rows; not needed with a CUDA array",
          "depth?: integer (1, or that of the CUDA array), slices or layers", DST_PITCH, SRC_PITCH,
          "dst_height?: integer (that of its slices, else `height`), rows from slice to slice",
          "src_height?: integer (that of its slices, else `height`), rows from slice to slice",
          "dst_x?: integer (0), bytes", "dst_y?: integer (0), rows", "dst_z?: integer (0), slices",
          "src_x?: integer (0), bytes", "src_y?: integer (0), rows", "src_z?: integer (0), slices",
          STREAM },
        text = [[Copies a box of bytes between any memory: of one device, of several, of the host,
          and of CUDA arrays, where x counts bytes as well. Pitches and heights of memory are those
          of the array if it has rows and slices without gaps.]] },
      { "memset",
        params = { "a: Array", "value: integer",
          "count?: integer (as many as there are after `offset`), words" },
        options = { WORD, "offset?: integer (0), bytes",
          "count?: integer, in place of the parameter", STREAM }, returns = { "Array, a" },
        text = "Fills memory with a word." },
      { "memset2d", params = { "a: Array", "value: integer" },
        options = { "columns: integer, words of a row", "height: integer, rows",
          "pitch?: integer (that of the array's rows), bytes from row to row", WORD,
          "offset?: integer (0), bytes", STREAM },
        returns = { "Array, a" }, text = "Fills a rectangle with a word." },
      { "pool", params = { "device?: Device|integer|string (the current device)" },
        returns = { "Pool" }, text = "Returns the memory pool of a device." },
    } },
    { class = "Array", entries = {
      { "flags", kind = "field", returns = { "table?" },
        text = [[Of pinned memory: the booleans `portable`, `mapped` and `write_combined`; nil for
          other memory.]] },
      { "capacity", kind = "field", returns = { "integer?" },
        text = [[The first extent that the array can grow to; nil without
          `cuda.empty(shape, { reserve = n })`.]] },
      { "resize", params = { "n: integer, extent of the first axis, 0 to `capacity`" },
        returns = { "Array, itself" },
        raises = "`memory`; a string for an array without `reserve`, or a view of one",
        text = [[Changes the first axis in place: nothing is copied, the address and the elements
          stay, and new elements are undefined. Other arrays over the memory keep their shape. What
          is cut off goes back to the driver, in its units (2 MB on GPUs), after the work that uses
          the array; while other arrays can reach it, it stays.]] },
      { "advise",
        params = { 'what: "read_mostly"|"preferred_location"|"accessed_by"|"unset_read_mostly"'
          .. '|"unset_preferred_location"|"unset_accessed_by"',
          [[device?: Device|integer|string (the device that manages the memory), for
            "preferred_location", "accessed_by" and "unset_accessed_by"; "cpu" is the host]] },
        returns = { "Array, itself" },
        raises = "`runtime` if the device cannot use managed memory while the host does",
        text = [[Tells the driver how managed memory will be used (cuMemAdvise): pages that overlap
          the elements are copied to each reader, kept at a place, or mapped for a device.]] },
      { "prefetch",
        params = { "device?: Device|integer|string (the device that manages the memory)" },
        options = { STREAM }, returns = { "Array, itself" },
        raises = "`runtime` if the device cannot use managed memory while the host does",
        text = [[Queues a move of managed memory to a device, or to the host ("cpu"), so that work
          after it finds the pages there.]] },
      { "attach",
        params = { 'to: Stream|"single"|"global"|"host"',
          [[stream?: Stream (the current one), the stream that "single" names, or in whose order the
            memory changes hands]] },
        returns = { "Array, itself" },
        text = [[Says who may use the whole managed allocation: one stream, all streams, or only the
          host. Waits for the stream. On devices that cannot use managed memory while the host does
          (`dev.concurrent_managed_access` is 0), Lua waits for all work of the device before it
          reads or writes the elements; for attached memory it waits for that stream, or for
          nothing.]] },
    } },
    { class = "Pool",
      text = [[
        The memory that arrays of a device use. Freed memory stays in the pool for the next array
        until the pool is trimmed.]],
      entries = {
        { "device", kind = "field", returns = { "Device" }, text = "Its device." },
        { "stats",
          returns = { [[table, in bytes: `used`, `reserved`, `used_high`, `reserved_high`, `limit`;
            counts: `allocations`, `frees`]] },
          text = "Returns the pool's current numbers." },
        { "trim", params = { "keep?: integer (0), bytes to keep" }, returns = { "Pool, itself" },
          text = "Returns unused memory to the system." },
        { "limit",
          params = { "bytes?: integer, 0 for no limit; without it the limit is only read" },
          returns = { "integer, the limit in bytes" },
          text = [[Reads or sets the number of bytes that arrays may use together. An allocation
            above the limit raises a `memory` error.]] },
      } },
  },
}
