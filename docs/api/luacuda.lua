-- luacheck: ignore 631 (one entry, one line)
local DEVICE = "device?: Device|integer|string, where (that of out or of the stream, else the current device)"
local STREAM = "stream?: Stream, in whose order (the device's current stream)"
local OUT = "out?: Array, result of that shape and dtype to write into"
local DTYPE_OPTION = "dtype?: string|Struct, instead of the parameter"
local LOAD = { DEVICE, STREAM, OUT }
local MAKE = { DTYPE_OPTION, DEVICE, STREAM, OUT }
local LIKE = { DTYPE_OPTION, "device?: Device|integer|string, where (that of a)", STREAM, OUT }
local SHAPE = "shape: integer|integer[], elements per axis"
local DTYPE = "dtype?: string|Struct, element type (that of out, else float32)"
local PLAIN_DTYPE = "dtype?: string|Struct, element type (float32)"
local LIKE_DTYPE = "dtype?: string|Struct, element type (that of a)"
local AT_ONCE = "what is made is the memory itself, new and, with `zeros`, cleared when the call returns; to fill one that is there: `a:fill`, `a:set`."
local VALUE = "value: number|boolean|Complex|Scalar|table, a table being a struct"

local function scalar(name, what)
  return { name, params = { "value: number|boolean|Complex|Scalar, the value" }, returns = { "Scalar, immutable" },
    raises = "a string when the value does not fit", text = "A typed scalar: " .. what .. "." }
end

return {
  name = "luacuda",
  title = "The module",
  text = "`local cuda = require \"luacuda\"` makes no CUDA call and needs no GPU, driver or toolkit.",
  entries = {
    { "VERSION", kind = "value", returns = { "string" }, text = "The version of the library." },

    -- devices
    { "devices", returns = { "Device[], GPUs by ordinal, then the CPU device" }, raises = "logic after fork()",
      text = "Lists all devices." },
    { "device", params = { "selector?: integer|string|Device, ordinal (also as a string), \"cpu\", \"gpu\", \"gpu0\" or a PCI bus id" },
      returns = { "Device" }, raises = "runtime when there is no such device",
      text = "The device named, or the current one. Unless `use` said otherwise that is what LUACUDA_DEVICE names, else GPU 0, else the CPU device." },
    { "use", params = { "selector: integer|string|Device, as in device" }, returns = { "Device, the one current before" },
      raises = "runtime when there is no such device", text = "Makes a device current in this Lua state." },
    { "available", returns = { "boolean", "string?, why there is no GPU" }, text = "Is there a GPU that can be used? Never raises." },
    { "diagnose", returns = { "string, several lines" }, text = "Reports versions, devices and every path tried for the driver and the compiler; in a child made by fork after CUDA was used, what still works there." },
    { "versions", returns = { "table, luacuda (string), driver, nvrtc and cublas ({ major, minor }) where found" }, text = "Versions of what was found." },
    { "synchronize", params = { "device?: Device|integer|string, the current one" }, raises = "launch, and whatever queued work ran into",
      text = "Waits for all work of a device." },
    { "mem_info", params = { "device?: Device|integer|string, the current one" }, returns = { "integer, free bytes", "integer, total bytes" },
      text = "The device's memory." },
    { "pool", params = { "device?: Device|integer|string, the current one" }, returns = { "Pool" }, text = "The device's memory pool." },

    -- streams and events
    { "stream", options = { "priority?: integer, lower runs first (0); the driver clamps it", "blocking?: boolean, wait for and block the null stream (false)",
        "device?: Device|integer|string, the current one", "pointer?: Pointer|lightuserdata, a CUstream of the host program, used but never destroyed; a driver cannot tell other memory from a stream and may end the process, so see that it is one, and outlives this handle" },
      returns = { "Stream" }, text = "Makes a stream." },
    { "event", options = { "timing?: boolean, takes times (true)", "blocking?: boolean, waits without spinning (false)",
        "interprocess?: boolean, other processes may open it (false); takes no times", "device?: Device|integer|string, the current one" },
      returns = { "Event" }, text = "Makes an event." },
    { "with_stream", params = { "stream: Stream, current inside", "fn: function", "...: any, arguments of fn" }, returns = { "any, what fn returns" },
      text = "Calls `fn` with the stream current on its device. What was current before is put back, also on error; no yield passes." },
    { "no_sync", params = { "fn: function", "...: any, arguments of fn" }, returns = { "any, what fn returns" },
      raises = "logic, inside fn, from whatever would wait for a device", text = "Calls `fn` and forbids hidden waits inside." },

    -- errors and questions
    { "is_error", params = { "value: any", "kind?: string, compile, memory, launch, logic or runtime" }, returns = { "boolean" },
      text = "Is the value an error of this library (of that kind)? Under `cuda.debug{ errors = \"string\" }` a text that ends with that of one of the latest sixteen errors is one, too." },
    { "last_error", params = { "error?: any, an error as it was caught" }, returns = { "Error?, the object; nil for what is not one or too old" },
      text = "The object of an error that was raised as its text (or of an object: itself); without argument that of the state's latest error." },
    { "type", params = { "value: any" }, returns = { "string?, \"array\", \"stream\", \"closed array\", ...; nil for what is not ours" },
      text = "What a value is, as io.type answers." },
    { "debug", options = { "sync?: boolean, every launch waits for its end, so a fault is raised by the launch that caused it (false)",
        "errors?: string, what is raised in this Lua state: \"object\" (the default), or \"string\", the text alone, for hosts that call lua_tostring on errors; LUACUDA_ERRORS sets it for all states of a process" },
      returns = { "table, the settings before" }, text = "Sets debugging aids." },
    { "help", params = { "name?: any, a public name (\"array\", \"Array.slice\"), or an object" }, returns = { "string" }, text = "The manual's entry." },
    { "dtypes", returns = { "table[], one per element type: name, short, kind, size and align (bytes), cuda, header, pack, ptx" }, text = "The element types." },

    -- making arrays
    { "array", params = { "data: table|string|Array|number|boolean|Complex|Scalar, nested tables, bytes (which need a dtype), an array or one value", DTYPE }, options = { "shape?: integer|integer[], of the result; one extent may be -1", table.unpack(MAKE) }, returns = { "Array" },
      raises = "a string for ragged tables or values that do not fit", text = "An array from data. Booleans make `bool`; numbers float32 unless a dtype is given." },
    { "empty", params = { SHAPE, DTYPE }, options = MAKE, returns = { "Array" }, raises = "memory", text = "An array whose contents are not defined." },
    { "zeros", params = { SHAPE, DTYPE }, options = MAKE, returns = { "Array" }, raises = "memory", text = "An array of zeros." },
    { "ones", params = { SHAPE, DTYPE }, options = MAKE, returns = { "Array" }, raises = "memory", text = "An array of ones." },
    { "full", params = { SHAPE, VALUE, "dtype?: string|Struct, element type (float32; bool and complex64 for such values, a scalar's own)" }, options = MAKE,
      returns = { "Array" }, raises = "a string when the value does not fit; memory",
      text = "An array filled with one value." },
    { "empty_like", params = { "a: Array", LIKE_DTYPE }, options = LIKE, returns = { "Array" }, raises = "memory", text = "Like `empty`, shape and dtype of `a`." },
    { "zeros_like", params = { "a: Array", LIKE_DTYPE }, options = LIKE, returns = { "Array" }, raises = "memory", text = "Like `zeros`, shape and dtype of `a`." },
    { "ones_like", params = { "a: Array", LIKE_DTYPE }, options = LIKE, returns = { "Array" }, raises = "memory", text = "Like `ones`, shape and dtype of `a`." },
    { "full_like", params = { "a: Array", VALUE, LIKE_DTYPE }, options = LIKE, returns = { "Array" }, raises = "a string when the value does not fit; memory",
      text = "Like `full`, shape and dtype of `a`." },
    { "arange", params = { "first?: number, 0", "stop: number, excluded", "step?: number, 1", "dtype?: string, element type (int64 where all are integers, else float32)" }, options = MAKE,
      returns = { "Array" }, text = "Numbers from `first` up to, not with, `stop`." },
    { "linspace", params = { "first: number", "last: number", "n?: integer, 50", DTYPE },
      options = { "endpoint?: boolean, with `last` (true)", table.unpack(MAKE) }, returns = { "Array" }, text = "n numbers at equal distances." },
    { "eye", params = { "n: integer, rows", DTYPE }, options = { "columns?: integer, n", "offset?: integer, which diagonal (0)", table.unpack(MAKE) },
      returns = { "Array" }, text = "Ones on a diagonal, zeros elsewhere." },
    { "load_npy", params = { "path: string" }, options = LOAD, returns = { "Array" }, raises = "runtime when the file cannot be read",
      text = "An array from a NumPy file (.npy)." },
    { "load_npz", params = { "path: string" }, options = { "names?: string[], what to read (all arrays)", "device?: Device|integer|string, where (that of the stream, else the current device)", STREAM }, returns = { "table, name to Array" },
      raises = "a string for what is compressed, damaged (CRC-32) or no array; runtime when the file cannot be read",
      text = "The arrays of a NumPy archive (.npz) as numpy.savez writes them. Those of numpy.savez_compressed cannot be read." },
    { "save_npz", params = { "path: string", "arrays: table, name to Array" }, raises = "a string for bfloat16 and structs; runtime when the file cannot be written",
      text = "Writes a NumPy archive, not compressed. Equal arrays make equal files. The old file is replaced when the new one is complete." },

    -- other memory
    { "pinned", params = { SHAPE, PLAIN_DTYPE }, options = { DTYPE_OPTION, "zeros?: boolean, cleared (false)", "write_combined?: boolean", "device?: Device, whose driver pins it" },
      returns = { "Array, on the CPU device" }, text = "Page-locked host memory: copies to and from a GPU at full speed and without waiting. No `out` and no `stream`: " .. AT_ONCE },
    { "managed", params = { SHAPE, PLAIN_DTYPE }, options = { DTYPE_OPTION, "zeros?: boolean, cleared (false)", "attach?: string, \"global\" (that unless given) or \"host\"", "device?: Device" },
      returns = { "Array, on the CPU device" }, text = "Memory that the GPU and the host both reach. No `out` and no `stream`: " .. AT_ONCE },
    { "host", params = { SHAPE, PLAIN_DTYPE }, options = { DTYPE_OPTION, "zeros?: boolean, cleared (false)", "align?: integer, bytes (64)" }, returns = { "Array, on the CPU device" },
      text = "Plain host memory. No `out` and no `stream`: " .. AT_ONCE },
    { "register", params = { "a: Array, contiguous memory of cuda.host" }, options = { "device?: Device, whose driver pins it" }, returns = { "Array, the same memory" },
      text = "Page-locks memory while the new array lives. Each of the two arrays waits for its own work alone: read through the one that was used last, or synchronize first." },
    { "wrap", params = { "address: integer|Pointer", SHAPE, PLAIN_DTYPE }, options = { DTYPE_OPTION, "owner?: any, kept alive as long as the array", "device?: Device", "memory?: string, \"device\" (that unless given) or \"host\"" },
      returns = { "Array" }, text = "An array over memory of somebody else." },
    { "alloc", params = { "bytes: integer" }, options = { "device?: Device", "stream?: Stream" }, returns = { "Array, uint8" }, raises = "memory", text = "Raw memory." },
    { "alloc_pitch", options = { "width: integer, bytes of a row", "height?: integer, rows (1)", "device?: Device", "stream?: Stream" },
      returns = { "Array, { height, width } of uint8", "integer, pitch: bytes from row to row" }, text = "Memory with aligned rows." },
    { "copy", params = { "dst: Array", "src: Array" }, options = { "stream?: Stream" }, returns = { "Array, dst" },
      text = "Copies between arrays of the same dtype and size, on any devices. Views with gaps, or in another order, must have the same shape, too." },
    { "copy2d", options = { "dst: Array", "src: Array", "width: integer, bytes of a row", "height: integer, rows", "dst_pitch?: integer", "src_pitch?: integer",
        "dst_x?: integer, bytes", "dst_y?: integer, rows", "src_x?: integer, bytes", "src_y?: integer, rows", "stream?: Stream" },
      text = "Copies a rectangle of bytes." },
    { "memset", params = { "a: Array", "value: integer", "count?: integer, words (all behind the offset)" }, options = { "width?: integer, bytes of a word: 1, 2, 4 or 8 (1)", "offset?: integer, bytes (0)", "stream?: Stream" },
      returns = { "Array, a" }, text = "Fills memory with a word." },
    { "memset2d", params = { "a: Array", "value: integer" }, options = { "columns: integer, words of a row", "height: integer, rows", "pitch?: integer, bytes from row to row (those of the array's own rows)", "width?: integer, bytes of a word: 1, 2, 4 or 8 (1)",
        "offset?: integer, bytes (0)", "stream?: Stream" }, returns = { "Array, a" }, text = "Fills a rectangle with a word." },

    -- compiling and launching
    { "kernel", params = { "source: string|table, CUDA C++ (or one table with everything)", "name?: string, which kernel; not needed when there is one" },
      options = { "source?: string, CUDA C++; exactly one of source and path and binary", "path?: string, a file", "binary?: string, PTX or machine code", "name?: string", "flags?: string|string[], for the compiler: one flag, or a list with an item for each", "defines?: table, name to number or string or boolean", "include_dirs?: string|string[]",
        "headers?: table, name to text", "std?: string, \"c++17\"", "arch?: string, \"sm_NN\" (machine code: runs on devices of the same major and no earlier minor version), \"compute_NN\" (PTX: runs on those and all later ones) or \"native\" (the device's)", "instances?: string|string[], template instances to compile with it", "backend?: string, \"nvrtc\"",
        "debug?: boolean, code that debuggers can follow (false)", "lineinfo?: boolean, source lines in messages (true)",
        "fast_math?: boolean, faster and less exact arithmetic (false)", "rdc?: boolean, relocatable device code, loaded as PTX: what it names has to be in the source; excludes arch = \"sm_NN\" (false)",
        "cache?: boolean, look up and keep the compiled code (true)" },
      returns = { "Kernel" }, raises = "a string for wrong options; runtime when the file at path cannot be read; compile at first use", text = "A kernel, compiled at its first use." },
    { "module", params = { "source: string|table, as in kernel" }, options = { "(the options of kernel)?: table" }, returns = { "Module" },
      raises = "a string for wrong options; runtime when the file at path cannot be read; compile at first use", text = "Several kernels and variables of one source." },
    { "compile", params = { "source: string|table, as in kernel" }, options = { "target?: string, \"ptx\" (that unless given) or \"cubin\" or \"ltoir\"", "arch?: string, what to compile for (the current device's)", "(the options of kernel)?: table" }, returns = { "string, bytes", "string, the compiler's log" },
      raises = "compile", text = "Compiles to bytes without loading them." },
    { "template", params = { "text: string, with $(expression) and lines that begin with @" }, returns = { "Template, call it with a table of names" },
      raises = "a string with the template's line for Lua that does not compile and, when called, for names that are not set",
      text = "A template of kernel source. Its Lua sees the given names and assert, error, ipairs, math, next, pairs, select, string, table, tonumber, tostring, type, utf8." },
    { "struct", params = { "name?: string, that of the kernel's type", "fields: table, in C's order: { name, type [, extents] } each" }, returns = { "Struct" },
      raises = "a string for types that are none", text = "A struct type, laid out as C does." },
    { "input", params = { "value: table|string|Array" }, returns = { "Argument" }, text = "Copies a host value to the device for one launch. Bytes and tables get the parameter's dtype." },
    { "output", params = { "value: table|Array" }, returns = { "Argument" }, text = "Copies what a launch wrote back into a host value." },
    { "inout", params = { "value: table|Array" }, returns = { "Argument" }, text = "Both of `input` and `output`." },
    { "raw", params = { "a: Array" }, returns = { "Argument" }, text = "Passes a view's first address, whatever its strides." },
    { "ptr", params = { "address: integer" }, returns = { "Pointer" }, text = "An address as a kernel argument." },
    { "null", kind = "value", returns = { "Pointer" }, text = "The NULL pointer as a kernel argument." },
    { "cache", kind = "value", returns = { "table, dir() -> path or nil, clear() -> bytes given back, stats() -> table of counts, files and bytes" }, text = "The disk cache of compiled code." },

    -- scalars
    { "complex", params = { "re: number", "im?: number, 0" }, returns = { "Complex" }, text = "A complex number." },
    scalar("bool", "true or false"), scalar("int8", "8-bit integer"), scalar("int16", "16-bit integer"), scalar("int32", "32-bit integer"),
    scalar("int64", "64-bit integer"), scalar("uint8", "8-bit unsigned"), scalar("uint16", "16-bit unsigned"), scalar("uint32", "32-bit unsigned"),
    scalar("uint64", "64-bit unsigned; takes any Lua integer as its bits"), scalar("float16", "half precision"), scalar("bfloat16", "bfloat16"),
    scalar("float32", "single precision"), scalar("float64", "double precision"), scalar("complex64", "complex of float32"),
    scalar("complex128", "complex of float64"),
  },
}
