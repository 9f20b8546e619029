-- Made by tools/docgen.lua from docs/api/*.lua: change those.
local manual = {
  ["VERSION"] = "cuda.VERSION\
  The version of the library.\
\
- type (string)",
  ["available"] = "cuda.available()\
  Returns whether a GPU can be used. Never raises.\
\
- returns (boolean)\
- returns (string?): why no GPU can be used",
  ["versions"] = "cuda.versions()\
  Returns the version of the library and of each library it found. tostring\
  makes one line of them.\
\
- returns (table): luacuda (string); driver, nvrtc, cublas, nccl and\
  mpi ({ major, minor }) if found",
  ["diagnose"] = "cuda.diagnose()\
  Reports versions, devices and every path tried for the driver and the\
  compiler, and says when NVRTC and the headers are of different versions. In\
  a child process forked after CUDA was used, it lists what still works there.\
\
- returns (string): several lines",
  ["debug"] = "cuda.debug{ sync =, launch =, api =, allocations =, errors = }\
  Sets debugging aids. Options that are left out keep their values. sync,\
  launch and api hold for the whole process; LUACUDA_DEBUG turns them on from\
  the start.\
\
  With true, lines go to stderr. A function gets the lines of its own Lua\
  state instead, as fn(line), where line has neither luacuda: before it nor a\
  line break after it. The function runs on the thread of the Lua state, at\
  the end of a launch or operator, where Lua waits, in cuda.poll and in\
  cuda.debug. While cuda.graph records, lines wait for its end. An error in\
  the function is raised by the call that ran it, and the lines after it come\
  with the next one. What the function itself launches gives it no lines.\
  Lines that wait when the Lua state closes are dropped.\
\
- options:\
  - sync (boolean, default false): every launch waits, so that the launch at\
    fault raises the error\
  - launch (boolean|function, default false): a line for every launch:\
    kernel, arguments, grid, block, device and stream\
  - api (boolean|function, default false): a line for every call of the\
    driver: name, result and time. Cannot be turned on while other Lua states\
    of the process use the devices\
  - allocations (boolean, default false): note where arrays are made, for\
    cuda.allocations; a change forgets what was noted before\
  - errors (\"object\"|\"string\", default \"object\"): what this Lua state\
    raises: Error objects, or only their text, for host programs\
    that call lua_tostring on errors; LUACUDA_ERRORS sets the default of\
    all states\
- returns (table): the settings before the call, to be passed to cuda.debug\
  again",
  ["allocations"] = "cuda.allocations()\
  Lists the live arrays of this Lua state that were made since cuda.debug{\
  allocations = true }. Views and other handles of the same memory are one\
  row. An array that nothing refers to counts until it is collected.\
\
- returns (table[]): the largest first: bytes, dtype, shape, device\
  (\"gpu0\"), memory (as array.memory) and where, the file and line that\
  made the array\
- raises a string before cuda.debug{ allocations = true }",
  ["type"] = "cuda.type(value)\
  Returns the class of a value in lower case, as io.type does for files.\
\
- value (any)\
- returns (string?): \"array\", \"stream\", \"closed array\" and so on; nil\
  for values that do not belong to LuaCUDA",
  ["help"] = "cuda.help([name])\
  Returns an entry of this reference as text.\
\
- name (any, default the module): a name (\"zeros\", \"Array.slice\") or an\
  object\
- returns (string)\
- raises a string if there is no such entry, with similar names; for a name of\
  CuPy, PyCUDA or Numba, with what to use instead",
  ["has"] = "cuda.has(name)\
  Returns whether LuaCUDA has a name: whether cuda.name can be read, or a\
  class has the field or method. It returns false for names of other\
  libraries, such as \"linalg.solve\"; reading such a name raises an error that\
  says what to use. It never loads a kernel or opens a device.\
\
- name (string): \"matmul\", \"random.uniform\", \"Array.slice\"\
- returns (boolean)",
  ["devices"] = "cuda.devices()\
  Lists all devices.\
\
- returns (Device[]): GPUs by ordinal, then the CPU device\
- raises logic in a child process forked after CUDA was used",
  ["device"] = "cuda.device([selector])\
  Returns a device. Until cuda.use or device:use selects another, the current\
  device is the one that LUACUDA_DEVICE names, else GPU 0, else the CPU\
  device.\
\
- selector (integer|string|Device, default the current device): an ordinal\
  (also as a string), \"cpu\", \"gpu\" (the first GPU), \"gpu0\" or a PCI bus\
  id\
- returns (Device)\
- raises runtime if there is no such device",
  ["use"] = "cuda.use(selector)\
  Makes a device the current one of this Lua state.\
\
- selector (integer|string|Device): as in cuda.device\
- returns (Device): the device that was current before\
- raises runtime if there is no such device",
  ["synchronize"] = "cuda.synchronize([device])\
  Waits for all work of a device.\
\
- device (Device|integer|string, default the current device)\
- raises launch, and any other error of queued work",
  ["mem_info"] = "cuda.mem_info([device])\
  Returns the free and the total memory of a device.\
\
- device (Device|integer|string, default the current device)\
- returns (integer): free bytes\
- returns (integer): total bytes",
  ["stream"] = "cuda.stream([{ priority =, blocking =, device =, partition =, pointer = }])\
  Makes a stream.\
\
- options:\
  - priority (integer, default 0): lower runs first; the driver clamps it to\
    its range\
  - blocking (boolean, default false): synchronize with the null stream\
    (CU_STREAM_DEFAULT)\
  - device (Device|integer|string, default the current device): device of\
    the stream\
  - partition (Partition): run kernels on its multiprocessors only; not with\
    blocking or pointer\
  - pointer (Pointer|lightuserdata): a CUstream of the host program, which\
    LuaCUDA uses but never destroys. It must be a stream and outlive this\
    handle: a driver does not check the address and may end the process\
- returns (Stream)",
  ["event"] = "cuda.event([{ timing =, blocking =, interprocess =, device = }])\
  Makes an event.\
\
- options:\
  - timing (boolean, default true): record times\
  - blocking (boolean, default false): waiting for it sleeps instead of\
    spinning\
  - interprocess (boolean, default false): other processes may open it; it\
    then records no times\
  - device (Device|integer|string, default the current device): device of\
    the event\
- returns (Event)",
  ["with_stream"] = "cuda.with_stream(stream, fn, ...)\
  Calls fn(...) with the stream as the current one of its device and restores\
  the stream that was current before, also after an error. fn cannot yield.\
\
- stream (Stream): current during the call\
- fn (function)\
- ... (any): arguments of fn\
- returns (any): all results of fn\
- raises the errors of fn",
  ["no_sync"] = "cuda.no_sync(fn, ...)\
  Calls fn(...) and forbids waiting during the call, to find hidden waits.\
\
- fn (function)\
- ... (any): arguments of fn\
- returns (any): all results of fn\
- raises logic from any call inside fn that would wait for a device",
  ["bool"] = "cuda.bool(value)\
  True or false; in an array, every nonzero byte is true.\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["int8"] = "cuda.int8(value)\
  An integer of 8 bits.\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["int16"] = "cuda.int16(value)\
  An integer of 16 bits.\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["int32"] = "cuda.int32(value)\
  An integer of 32 bits.\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["int64"] = "cuda.int64(value)\
  An integer of 64 bits.\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["uint8"] = "cuda.uint8(value)\
  An unsigned integer of 8 bits.\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["uint16"] = "cuda.uint16(value)\
  An unsigned integer of 16 bits.\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["uint32"] = "cuda.uint32(value)\
  An unsigned integer of 32 bits.\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["uint64"] = "cuda.uint64(value)\
  An unsigned integer of 64 bits; any Lua integer is accepted and gives its\
  bits.\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["float16"] = "cuda.float16(value)\
  Half precision (IEEE 754 binary16).\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["bfloat16"] = "cuda.bfloat16(value)\
  The upper 16 bits of a float32.\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["float32"] = "cuda.float32(value)\
  Single precision.\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["float64"] = "cuda.float64(value)\
  Double precision.\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["complex64"] = "cuda.complex64(value)\
  Two float32.\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["complex128"] = "cuda.complex128(value)\
  Two float64.\
\
  A typed scalar has a dtype where a Lua number has none: it takes part in\
  promotion as an array does, and as a kernel's argument it must have the\
  parameter's type.\
\
- value (number|boolean|Complex|Scalar)\
- returns (Scalar)\
- raises a string if the dtype cannot hold the value",
  ["complex"] = "cuda.complex(re [, im])\
  Makes a complex number.\
\
- re (number)\
- im (number, default 0)\
- returns (Complex)",
  ["struct"] = "cuda.struct(name, fields)\
cuda.struct(fields)\
  Declares a struct type with the layout of C. Types are dtypes, C's names and\
  structs; extents (an integer or a list) make the field an array.\
\
- name (string): the type's name in kernels\
- fields (table): in the order of C: { name, type [, extents] } each\
- returns (Struct)\
- raises a string that names the field whose type is unknown",
  ["dtypes"] = "cuda.dtypes()\
  Lists the element types.\
\
- returns (table[]): a table for each element type: name, short, kind,\
  size and align (bytes), cuda (its C++ name), header, pack (for\
  string.pack), ptx",
  ["array"] = "cuda.array(data [, dtype] [, { shape =, dtype =, device =, stream =, out =,\
    ipc = }])\
  Makes an array from data.\
\
- data (table|string|Array|number|boolean|Complex|Scalar|Record): nested\
  tables, bytes (which need a dtype), an array or one value\
- dtype (Dtype, default that of out, an array or a scalar; bool for\
  booleans; else float32)\
- options:\
  - shape (integer|integer[]): shape of the result; one extent may be -1\
  - dtype (Dtype): in place of the parameter\
  - device (Device|integer|string, default that of out or stream, else\
    the current device)\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
  - ipc (boolean, default false): other processes may open the memory\
    (array:ipc_handle)\
- returns (Array)\
- raises a string if the tables are ragged; a string if the dtype cannot hold\
  a value; memory if the allocation fails",
  ["empty"] = "cuda.empty(shape [, dtype] [, { reserve =, dtype =, device =, stream =, out =,\
    ipc = }])\
  Makes an array with undefined contents.\
\
- shape (integer|integer[]): elements per axis\
- dtype (Dtype, default that of out, else float32): element type\
- options:\
  - reserve (integer): the first extent that the array can grow to by\
    resize\
  - dtype (Dtype): in place of the parameter\
  - device (Device|integer|string, default that of out or stream, else\
    the current device)\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
  - ipc (boolean, default false): other processes may open the memory\
    (array:ipc_handle)\
- returns (Array)\
- raises memory if the allocation fails",
  ["zeros"] = "cuda.zeros(shape [, dtype] [, { dtype =, device =, stream =, out =, ipc = }])\
  Makes an array of zeros.\
\
- shape (integer|integer[]): elements per axis\
- dtype (Dtype, default that of out, else float32): element type\
- options:\
  - dtype (Dtype): in place of the parameter\
  - device (Device|integer|string, default that of out or stream, else\
    the current device)\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
  - ipc (boolean, default false): other processes may open the memory\
    (array:ipc_handle)\
- returns (Array)\
- raises memory if the allocation fails",
  ["ones"] = "cuda.ones(shape [, dtype] [, { dtype =, device =, stream =, out =, ipc = }])\
  Makes an array of ones.\
\
- shape (integer|integer[]): elements per axis\
- dtype (Dtype, default that of out, else float32): element type\
- options:\
  - dtype (Dtype): in place of the parameter\
  - device (Device|integer|string, default that of out or stream, else\
    the current device)\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
  - ipc (boolean, default false): other processes may open the memory\
    (array:ipc_handle)\
- returns (Array)\
- raises memory if the allocation fails",
  ["full"] = "cuda.full(shape, value [, dtype] [, { dtype =, device =, stream =, out =,\
    ipc = }])\
  Makes an array filled with one value.\
\
- shape (integer|integer[]): elements per axis\
- value (number|boolean|Complex|Scalar|table|Record): a table for a struct\
- dtype (Dtype, default that of out, else a scalar's own, bool for a\
  boolean, complex64 for a complex number, float32): element type\
- options:\
  - dtype (Dtype): in place of the parameter\
  - device (Device|integer|string, default that of out or stream, else\
    the current device)\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
  - ipc (boolean, default false): other processes may open the memory\
    (array:ipc_handle)\
- returns (Array)\
- raises a string if the dtype cannot hold a value; memory if the allocation\
  fails",
  ["empty_like"] = "cuda.empty_like(a [, dtype] [, { dtype =, device =, stream =, out =, ipc = }])\
  Like cuda.empty, with the shape and the dtype of a.\
\
- a (Array)\
- dtype (Dtype, default that of a): element type\
- options:\
  - dtype (Dtype): in place of the parameter\
  - device (Device|integer|string, default that of a): device of the\
    result\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
  - ipc (boolean, default false): other processes may open the memory\
    (array:ipc_handle)\
- returns (Array)\
- raises memory if the allocation fails",
  ["zeros_like"] = "cuda.zeros_like(a [, dtype] [, { dtype =, device =, stream =, out =, ipc = }])\
  Like cuda.zeros, with the shape and the dtype of a.\
\
- a (Array)\
- dtype (Dtype, default that of a): element type\
- options:\
  - dtype (Dtype): in place of the parameter\
  - device (Device|integer|string, default that of a): device of the\
    result\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
  - ipc (boolean, default false): other processes may open the memory\
    (array:ipc_handle)\
- returns (Array)\
- raises memory if the allocation fails",
  ["ones_like"] = "cuda.ones_like(a [, dtype] [, { dtype =, device =, stream =, out =, ipc = }])\
  Like cuda.ones, with the shape and the dtype of a.\
\
- a (Array)\
- dtype (Dtype, default that of a): element type\
- options:\
  - dtype (Dtype): in place of the parameter\
  - device (Device|integer|string, default that of a): device of the\
    result\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
  - ipc (boolean, default false): other processes may open the memory\
    (array:ipc_handle)\
- returns (Array)\
- raises memory if the allocation fails",
  ["full_like"] = "cuda.full_like(a, value [, dtype] [, { dtype =, device =, stream =, out =,\
    ipc = }])\
  Like cuda.full, with the shape and the dtype of a.\
\
- a (Array)\
- value (number|boolean|Complex|Scalar|table|Record): a table for a struct\
- dtype (Dtype, default that of a): element type\
- options:\
  - dtype (Dtype): in place of the parameter\
  - device (Device|integer|string, default that of a): device of the\
    result\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
  - ipc (boolean, default false): other processes may open the memory\
    (array:ipc_handle)\
- returns (Array)\
- raises a string if the dtype cannot hold a value; memory if the allocation\
  fails",
  ["arange"] = "cuda.arange(first, stop [, step] [, dtype] [, { dtype =, device =, stream =,\
    out =, ipc = }])\
cuda.arange(stop [, dtype])\
cuda.arange(first, stop [, dtype])\
  Makes an array of the numbers first, first + step and so on that lie before\
  stop. Without first it starts at 0. Their number is (stop - first) / step,\
  rounded up, as in NumPy: where steps have a fraction, rounding may add an\
  element at stop; use linspace for a fixed number of elements.\
\
- first (number)\
- stop (number): excluded\
- step (number, default 1): not 0\
- dtype (Dtype, default int64 if all numbers are integers, else float32):\
  element type\
- options:\
  - dtype (Dtype): in place of the parameter\
  - device (Device|integer|string, default that of out or stream, else\
    the current device)\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
  - ipc (boolean, default false): other processes may open the memory\
    (array:ipc_handle)\
- returns (Array): of one axis\
- raises a string if the dtype cannot hold a value; memory if the allocation\
  fails",
  ["linspace"] = "cuda.linspace(first, last [, n] [, dtype] [, { endpoint =, n =, dtype =,\
    device =, stream =, out =, ipc = }])\
  Makes an array of n numbers at equal distances, first + i * (last - first) /\
  (n - 1) for i from 0; without last the divisor is n. They are computed in\
  float64; for integer dtypes they are rounded down, as in NumPy.\
\
- first (number)\
- last (number)\
- n (integer, default 50): number of elements\
- dtype (Dtype, default that of out, else float32): element type\
- options:\
  - endpoint (boolean, default true): include last\
  - n (integer): in place of the parameter\
  - dtype (Dtype): in place of the parameter\
  - device (Device|integer|string, default that of out or stream, else\
    the current device)\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
  - ipc (boolean, default false): other processes may open the memory\
    (array:ipc_handle)\
- returns (Array): of one axis\
- raises a string if the dtype cannot hold a value; memory if the allocation\
  fails",
  ["logspace"] = "cuda.logspace(first, last [, n] [, dtype] [, { base =, endpoint =, n =,\
    dtype =, device =, stream =, out =, ipc = }])\
  Makes an array of the powers base ^ x of the numbers x that linspace gives.\
  They are computed in float64; for integer dtypes the digits after the point\
  are dropped, as in NumPy.\
\
- first (number)\
- last (number)\
- n (integer, default 50): number of elements\
- dtype (Dtype, default that of out, else float32): element type\
- options:\
  - base (number, default 10)\
  - endpoint (boolean, default true): include last\
  - n (integer): in place of the parameter\
  - dtype (Dtype): in place of the parameter\
  - device (Device|integer|string, default that of out or stream, else\
    the current device)\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
  - ipc (boolean, default false): other processes may open the memory\
    (array:ipc_handle)\
- returns (Array): of one axis\
- raises a string if the dtype cannot hold a value; memory if the allocation\
  fails",
  ["eye"] = "cuda.eye(n [, dtype] [, { columns =, offset =, dtype =, device =, stream =,\
    out =, ipc = }])\
  Makes a matrix of ones on a diagonal and zeros elsewhere.\
\
- n (integer): rows\
- dtype (Dtype, default that of out, else float32): element type\
- options:\
  - columns (integer, default n)\
  - offset (integer, default 0): of the diagonal; above 0 to the right\
  - dtype (Dtype): in place of the parameter\
  - device (Device|integer|string, default that of out or stream, else\
    the current device)\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
  - ipc (boolean, default false): other processes may open the memory\
    (array:ipc_handle)\
- returns (Array): of shape {n, columns}\
- raises memory if the allocation fails",
  ["load_npy"] = "cuda.load_npy(path [, { device =, stream =, out = }])\
  Reads a NumPy file (.npy).\
\
- path (string)\
- options:\
  - device (Device|integer|string, default that of out or stream, else\
    the current device)\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
- returns (Array)\
- raises runtime if the file cannot be read, a string if its contents cannot",
  ["load_npz"] = "cuda.load_npz(path [, { names =, device =, stream = }])\
  Reads a NumPy archive (.npz) as numpy.savez and numpy.savez_compressed write\
  it.\
\
- path (string)\
- options:\
  - names (string[], default all): the arrays to read\
  - device (Device|integer|string, default that of stream, else the\
    current device)\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (table): name to Array\
- raises a string for members that are damaged (CRC-32), that are not arrays,\
  or that hold more than 64 KB beyond the array that their header describes;\
  runtime if the file cannot be read, a string if its contents cannot;\
  runtime for compressed data where there is no zlib (LUACUDA_LIBZ)",
  ["save_npz"] = "cuda.save_npz(path, arrays)\
  Writes a NumPy archive (.npz) without compression. Equal arrays give equal\
  files. An existing file is replaced when the new one is complete.\
\
- path (string)\
- arrays (table): name to Array\
- raises a string for bfloat16 and structs; runtime if the file cannot be\
  written",
  ["load_csv"] = "cuda.load_csv(path [, { dtype =, delimiter =, header =, columns =, missing =,\
    comment =, skip =, device =, stream =, out = }])\
  Reads a text file of numbers (CSV, RFC 4180). Fields may be in quotes, and\
  have blanks around them. Rows must have equally many fields. Empty lines are\
  skipped. Columns that are not read may hold any text. Numbers are decimal,\
  with a point in any locale, and give the nearest float64, which is then\
  rounded to the dtype; integer dtypes take integers without a point. A number\
  outside the dtype's range (1e400 for every dtype) is an error, and so is a\
  missing value for an integer dtype.\
\
  As in array, the default float32 refuses an integer that it cannot hold\
  exactly, such as 123456789 or 123456789.00: give dtype = \"int64\" or\
  \"float64\". It rounds all other numbers, including those with an exponent, to\
  the nearest float32. A float dtype that you give rounds every number.\
\
- path (string)\
- options:\
  - dtype (Dtype, default that of out, else float32): an integer or a real\
    float\
  - delimiter (string, default \",\"): the character between fields; \" \"\
    stands for any number of blanks and tabs\
  - header (boolean): whether the first row has names (default: it has text,\
    and no field of it is a number, also not with another delimiter or a\
    decimal comma)\
  - columns (string[]|integer[], default all): the columns to read, by name\
    or number\
  - missing (string[], default { \"\", \"NA\", \"N/A\", \"NaN\", \"nan\", \"null\",\
    \"NULL\" }): fields that are NaN, compared as text; numbers are possible,\
    such as \"-999\"\
  - comment (string): a character: lines that begin with it are skipped\
  - skip (integer, default 0): lines to skip first\
  - device (Device|integer|string, default that of out or stream, else\
    the current device)\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
- returns (Array): of shape {rows, columns}\
- returns (string[]?): the names of these columns; nil if the file has none\
- raises runtime if the file cannot be read, a string if its contents\
  cannot: with the number of the line and of the field, and the delimiter that\
  the text seems to have",
  ["save_csv"] = "cuda.save_csv(array, path [, { header =, delimiter = }])\
array:save_csv(path [, { header =, delimiter = }])\
  Writes a text file of numbers (CSV, RFC 4180). Each number has as many\
  digits as it takes to read the same element back. false and true become 0\
  and 1. An existing file is replaced when the new one is complete.\
\
- array (Array): of 1 axis (a column) or 2 (rows and columns)\
- path (string)\
- options:\
  - header (string[]): names of the columns, for the first line\
  - delimiter (string, default \",\"): the character between fields\
- returns (Array): itself\
- raises a string for other shapes, complex numbers and structs; runtime if\
  the file cannot be written",
  ["load_png"] = "cuda.load_png(path [, { device =, stream =, out = }])\
  Reads a PNG picture (ISO/IEC 15948). The shape is {height, width} for gray\
  pictures, else {height, width, channels}: 2 are gray and alpha, 3 red, green\
  and blue, 4 these and alpha. Gray levels of 1, 2 or 4 bits become 0 to 255.\
  Colors of a palette become red, green and blue, and a transparent color\
  becomes an alpha channel. Interlaced pictures are read as well. Levels are\
  as in the file: gamma and color profiles are not applied.\
\
- path (string)\
- options:\
  - device (Device|integer|string, default that of out or stream, else\
    the current device)\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array of that shape and dtype to write to, instead of a new\
    one\
- returns (Array): of uint8, or of uint16 where the file has 16 bits a sample\
- raises runtime if the file cannot be read, a string if its contents cannot\
  (damaged or cut off, or colors that its palette lacks); runtime for\
  compressed data where there is no zlib (LUACUDA_LIBZ)",
  ["save_png"] = "cuda.save_png(array, path)\
array:save_png(path)\
  Writes a PNG picture, which is compressed if there is zlib. uint8 and uint16\
  are written as they are, with 8 or 16 bits a sample. false and true become 0\
  and 255. Floats become 8 bits: 0 is 0, 1 is 255, values outside are cut off,\
  NaN is 0, and values between are rounded to the nearest level. An existing\
  file is replaced when the new one is complete.\
\
- array (Array): of shape {height, width} or {height, width, channels}: 1 is\
  gray, 2 gray and alpha, 3 red, green and blue, 4 these and alpha\
- path (string)\
- returns (Array): itself\
- raises a string for other shapes and dtypes; runtime if the file cannot be\
  written",
  ["flip"] = "cuda.flip(a [, { axis = }])\
array:flip([{ axis = }])\
  Reverses the order of the elements along axes.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reverse\
- returns (Array): a view",
  ["rot90"] = "cuda.rot90(a [, k] [, { axes =, k = }])\
array:rot90([k] [, { axes =, k = }])\
  Rotates in a plane, from its first axis towards its second.\
\
- a (Array)\
- k (integer, default 1): quarter turns; negative ones turn back\
- options:\
  - axes (integer[], default {1, 2}): the two axes of the plane\
  - k (integer): in place of the parameter\
- returns (Array): a view\
- raises a string if the array has fewer than two axes",
  ["squeeze"] = "cuda.squeeze(a [, { axis = }])\
array:squeeze([{ axis = }])\
  Drops axes of one element.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all of one element): axes to drop\
- returns (Array): a view\
- raises a string if an axis does not have one element",
  ["expand_dims"] = "cuda.expand_dims(a, axis [, { axis = }])\
array:expand_dims(axis [, { axis = }])\
  Adds axes of one element.\
\
- a (Array)\
- axis (integer|integer[]): where the new axes are in the result\
- options:\
  - axis (integer|integer[]): in place of the parameter\
- returns (Array): a view",
  ["ravel"] = "cuda.ravel(a [, { stream = }])\
array:ravel([{ stream = }])\
  Returns the elements, in C order, as one axis. reshape(-1) raises instead of\
  copying.\
\
- a (Array)\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): a view if the array is contiguous, else a copy",
  ["flatten"] = "cuda.flatten(a [, { stream = }])\
array:flatten([{ stream = }])\
  Returns a copy of the elements, in C order, as one axis.\
\
- a (Array)\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): a copy",
  ["swapaxes"] = "cuda.swapaxes(a, axis1, axis2)\
array:swapaxes(axis1, axis2)\
  Exchanges two axes.\
\
- a (Array)\
- axis1 (integer)\
- axis2 (integer)\
- returns (Array): a view",
  ["moveaxis"] = "cuda.moveaxis(a, source, destination)\
array:moveaxis(source, destination)\
  Moves axes to other places; the others keep their order.\
\
- a (Array)\
- source (integer|integer[]): the axes to move\
- destination (integer|integer[]): where each of them is in the result\
- returns (Array): a view",
  ["split"] = "cuda.split(a, parts [, { axis = }])\
array:split(parts [, { axis = }])\
  Cuts an array into parts along an axis. A list of indices has the first\
  index of each part after the first: a:split { 3, 5 } gives the elements 1 to\
  2, 3 to 4 and 5 to the last one. Negative indices count from the end, and\
  those past the end give empty parts.\
\
- a (Array)\
- parts (integer|integer[]): number of parts, or the index that begins each\
  part after the first\
- options:\
  - axis (integer, default 1): axis to split\
- returns (Array[]): views\
- raises a string if a number of parts does not divide the axis",
  ["array_split"] = "cuda.array_split(a, parts [, { axis = }])\
array:array_split(parts [, { axis = }])\
  Like cuda.split, but a number of parts need not divide the axis: the first\
  parts have one element more than the others.\
\
- a (Array)\
- parts (integer|integer[]): number of parts, or the index that begins each\
  part after the first\
- options:\
  - axis (integer, default 1): axis to split\
- returns (Array[]): views",
  ["split_to"] = "cuda.split_to(a, devices [, { axis =, streams = }])\
array:split_to(devices [, { axis =, streams = }])\
  Divides an array among devices as array_split does. Each part is copied by\
  the stream of its device, after earlier work on a and before later work on\
  the part. With streams of their own the copies overlap with kernels that use\
  other arrays.\
\
- a (Array)\
- devices (Device[]): one for each part\
- options:\
  - axis (integer, default 1): axis to split\
  - streams (Stream[], default the devices' current streams): stream of the\
    copy to each device\
- returns (Array[]): a new one on each device\
- raises memory",
  ["roll"] = "cuda.roll(a, shift [, { axis =, out =, stream = }])\
array:roll(shift [, { axis =, out =, stream = }])\
  Moves elements along axes; those that leave at one end come in at the other.\
  With several axes each has its own shift, or all have the same. An axis\
  named twice moves by the sum.\
\
- a (Array)\
- shift (integer|integer[]): places that elements move towards the end\
- options:\
  - axis (integer|integer[], default all elements in C order, as one axis):\
    axes along which they move\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of the shape of a",
  ["tile"] = "cuda.tile(a, reps [, { out =, stream = }])\
array:tile(reps [, { out =, stream = }])\
  Repeats an array as a whole. The shorter of a.shape and reps is extended\
  with ones in front.\
\
- a (Array)\
- reps (integer|integer[]): copies along each axis\
- options:\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array)",
  ["rep"] = "cuda.rep(a, repeats [, { axis =, out =, stream = }])\
array:rep(repeats [, { axis =, out =, stream = }])\
  Repeats each element; NumPy's repeat, which is a keyword of Lua. If the\
  numbers are an array, the call waits for their sum.\
\
- a (Array)\
- repeats (integer|integer[]|Array): how often: for all elements, or\
  integers for each one along the axis\
- options:\
  - axis (integer, default all elements in C order, as one axis)\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array)\
- raises a string for negative numbers",
  ["pad"] = "cuda.pad(a, pad_width [, mode] [, { constant_values =, mode =, out =, stream =\
    }])\
array:pad(pad_width [, mode] [, { constant_values =, mode =, out =, stream =\
    }])\
  Adds elements before and after those of each axis.\
\
  - \"constant\": a value. At corners it is that of the last axis.\
\
  - \"edge\": the nearest element.\
\
  - \"reflect\": the elements in reverse, without the one at the edge: 3 2 | 1 2\
    3 | 2 1.\
\
  - \"symmetric\": the elements in reverse: 2 1 | 1 2 3 | 3 2.\
\
  - \"wrap\": the elements from the other end: 2 3 | 1 2 3 | 1 2.\
\
  All modes but \"constant\" repeat the array as often as the width needs, in\
  one launch.\
\
- a (Array)\
- pad_width (integer|table): elements to add: on all sides; as {before,\
  after} for all axes; or as {{before, after}, ...} for each axis\
- mode (\"constant\"|\"edge\"|\"reflect\"|\"symmetric\"|\"wrap\", default \"constant\"):\
  what they are\
- options:\
  - constant_values (any, default 0): for mode \"constant\": one value, or\
    values for sides in the forms of pad_width\
  - mode (string): in place of the parameter\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array)\
- raises a string for an empty axis that is to be extended by a mode other\
  than constant",
  ["diagonal"] = "cuda.diagonal(a [, offset] [, { axis1 =, axis2 =, offset = }])\
array:diagonal([offset] [, { axis1 =, axis2 =, offset = }])\
  Returns the elements of a diagonal. In the result one axis, the last, takes\
  the place of the two.\
\
- a (Array)\
- offset (integer, default 0): of the diagonal; above 0 to the right of the\
  main one\
- options:\
  - axis1 (integer, default 1): axis of the rows\
  - axis2 (integer, default 2): of the columns\
  - offset (integer): in place of the parameter\
- returns (Array): a view\
- raises a string if the array has fewer than two axes",
  ["diag"] = "cuda.diag(a [, k] [, { out =, k =, stream = }])\
array:diag([k] [, { out =, k =, stream = }])\
  Returns a diagonal of a matrix, or a matrix of zeros with a vector on a\
  diagonal.\
\
- a (Array)\
- k (integer, default 0): the diagonal; above 0 to the right of the main one\
- options:\
  - out (Array): matrix to write to, if the array has one axis\
  - k (integer): in place of the parameter\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of a matrix a view of its diagonal\
- raises a string if the array does not have one or two axes",
  ["tril"] = "cuda.tril(a [, k] [, { out =, k =, stream = }])\
array:tril([k] [, { out =, k =, stream = }])\
  Returns the elements on and below a diagonal of each matrix (the last two\
  axes), and 0 above it. A vector is the rows of a matrix.\
\
- a (Array)\
- k (integer, default 0): the diagonal; above 0 to the right of the main one\
- options:\
  - out (Array): array of the result's shape and dtype to write to\
  - k (integer): in place of the parameter\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array)\
- raises a string for structs and for arrays without axes",
  ["triu"] = "cuda.triu(a [, k] [, { out =, k =, stream = }])\
array:triu([k] [, { out =, k =, stream = }])\
  Likewise the elements on and above a diagonal, and 0 below it.\
\
- a (Array)\
- k (integer, default 0): the diagonal; above 0 to the right of the main one\
- options:\
  - out (Array): array of the result's shape and dtype to write to\
  - k (integer): in place of the parameter\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array)\
- raises a string for structs and for arrays without axes",
  ["diff"] = "cuda.diff(a [, n] [, { axis =, prepend =, append =, n =, out =, stream = }])\
array:diff([n] [, { axis =, prepend =, append =, n =, out =, stream = }])\
  Returns the difference of each element and the one before along an axis; for\
  booleans whether they differ. Integers wrap around. A Lua number takes the\
  dtype of the array, or the next that holds numbers of its kind.\
\
- a (Array)\
- n (integer, default 1): how often\
- options:\
  - axis (integer, default -1)\
  - prepend (Array|number): what goes before the array\
  - append (Array|number): what goes after it: an array that differs in this\
    axis only, or one value\
  - n (integer): in place of the parameter\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): with n elements less along the axis; a itself if n is\
  0\
- raises a string for arrays without axes and of structs",
  ["meshgrid"] = "cuda.meshgrid(...)\
  Returns the coordinates of all points of a grid. The options are\
\
  - indexing: \"xy\" (the default), with which the first array goes along the\
    second axis and the second along the first, or \"ij\";\
\
  - sparse (false): arrays of one element along all other axes;\
\
  - copy (true): false gives views that repeat the elements, where that is\
    possible;\
\
  - stream: stream of the work.\
\
- ... (Array|table): the coordinates along each axis, in C order; after them\
  a table of options may follow\
- returns ... (Array): one for each array",
  ["indices"] = "cuda.indices(dimensions [, dtype] [, { dtype =, sparse =, device =, stream =\
    }])\
  Returns the indices, from 1, of all elements of an array: r[d] has those of\
  axis d.\
\
- dimensions (integer|integer[]): the shape of the grid\
- dtype (Dtype, default int64): element type\
- options:\
  - dtype (Dtype): in place of the parameter\
  - sparse (boolean, default false): one array for each axis, of one element\
    along all others\
  - device (Device|integer|string, default that of stream, else the\
    current device)\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of shape {number of axes, dimensions...}\
- returns ... (Array): with sparse",
  ["pinned"] = "cuda.pinned(shape [, dtype] [, { dtype =, zeros =, write_combined =, device =\
    }])\
  Allocates page-locked host memory. Copies between it and a GPU run at full\
  speed beside kernels.\
\
- shape (integer|integer[]): elements per axis\
- dtype (Dtype, default float32): element type\
- options:\
  - dtype (Dtype): in place of the parameter\
  - zeros (boolean, default false): clear the memory before the call returns\
  - write_combined (boolean, default false): fast to write, slow to read\
    from the host\
  - device (Device|integer|string, default the current device): device whose\
    driver pins it\
- returns (Array): on the CPU device\
- raises memory if the allocation fails",
  ["managed"] = "cuda.managed(shape [, dtype] [, { dtype =, zeros =, attach =, device = }])\
  Allocates memory that the GPU and the host can both access.\
\
- shape (integer|integer[]): elements per axis\
- dtype (Dtype, default float32): element type\
- options:\
  - dtype (Dtype): in place of the parameter\
  - zeros (boolean, default false): clear the memory before the call returns\
  - attach (\"global\"|\"host\", default \"global\"): which streams may use it\
    (CU_MEM_ATTACH)\
  - device (Device|integer|string, default the current device): device whose\
    driver allocates it\
- returns (Array): on the CPU device\
- raises memory if the allocation fails",
  ["host"] = "cuda.host(shape [, dtype] [, { dtype =, zeros =, align = }])\
  Allocates plain host memory.\
\
- shape (integer|integer[]): elements per axis\
- dtype (Dtype, default float32): element type\
- options:\
  - dtype (Dtype): in place of the parameter\
  - zeros (boolean, default false): clear the memory before the call returns\
  - align (integer, default 64): alignment in bytes\
- returns (Array): on the CPU device\
- raises memory if the allocation fails",
  ["pinned_like"] = "cuda.pinned_like(a [, dtype] [, { dtype =, zeros =, write_combined =, device =\
    }])\
  As cuda.pinned, with the shape of an array.\
\
- a (Array)\
- dtype (Dtype, default that of a)\
- options:\
  - dtype (Dtype): in place of the parameter\
  - zeros (boolean, default false): clear the memory before the call returns\
  - write_combined (boolean, default false): fast to write, slow to read\
    from the host\
  - device (Device|integer|string, default the current device): device whose\
    driver pins it\
- returns (Array): on the CPU device\
- raises memory if the allocation fails",
  ["managed_like"] = "cuda.managed_like(a [, dtype] [, { dtype =, zeros =, attach =, device = }])\
  As cuda.managed, with the shape of an array.\
\
- a (Array)\
- dtype (Dtype, default that of a)\
- options:\
  - dtype (Dtype): in place of the parameter\
  - zeros (boolean, default false): clear the memory before the call returns\
  - attach (\"global\"|\"host\", default \"global\"): which streams may use it\
    (CU_MEM_ATTACH)\
  - device (Device|integer|string, default the current device): device whose\
    driver allocates it\
- returns (Array): on the CPU device\
- raises memory if the allocation fails",
  ["host_like"] = "cuda.host_like(a [, dtype] [, { dtype =, zeros =, align = }])\
  As cuda.host, with the shape of an array.\
\
- a (Array)\
- dtype (Dtype, default that of a)\
- options:\
  - dtype (Dtype): in place of the parameter\
  - zeros (boolean, default false): clear the memory before the call returns\
  - align (integer, default 64): alignment in bytes\
- returns (Array): on the CPU device\
- raises memory if the allocation fails",
  ["pointer_info"] = "cuda.pointer_info(address)\
  Asks the driver what an address is. On the CPU device, memory of cuda.host\
  is pinned.\
\
- address (integer|Pointer|Array)\
- returns (table?): memory (\"device\", \"pinned\", \"registered\", \"managed\",\
  \"array\"), device, address, base and size of the allocation, offset\
  from its base, and the booleans managed, host (the host can use the\
  address), read_only, pooled; nil for an address that is no memory of a\
  device in use",
  ["register"] = "cuda.register(a [, { device =, read_only =, iomemory = }])\
  Page-locks memory for as long as the new array lives, for all GPUs. The\
  array that is passed in stays valid. Each of the two arrays waits only for\
  work on itself: read through the one that was used last, or synchronize\
  first.\
\
- a (Array): contiguous host memory that is not page-locked: of cuda.host,\
  of the CPU device, or of other code (cuda.wrap with memory = \"host\")\
- options:\
  - device (Device|integer|string, default the current device): device whose\
    driver pins it\
  - read_only (boolean, default false): devices only read the memory\
  - iomemory (boolean, default false): the memory is that of a device (a\
    mapped PCI region)\
- returns (Array): on the CPU device, over the same memory\
- raises a string if the memory is registered already",
  ["wrap"] = "cuda.wrap(address, shape [, dtype] [, { dtype =, owner =, device =, memory =,\
    strides =, readonly =, stream = }])\
cuda.wrap(object)\
  Makes an array over memory that other code allocated. Memory of a device\
  must be known to its driver. Otherwise the address is not checked: it must\
  be valid for the whole shape and as long as the array lives.\
\
  An object of another library can describe its memory itself. Its metamethod\
  __cuda, or field __cuda if it is a table, is a function of the object that\
  returns a table: the options above and pointer, shape and dtype. Such an\
  object is accepted in place of an array: by kernels and kernel builders,\
  operators, reductions, and the other functions, also as option out and in\
  lists of arrays. cuda.array copies it. To index with it, or for views,\
  textures and cuda.register, wrap it first. It lives as long as the array.\
  Every use makes a new array; to have work on several streams ordered, wrap\
  the object once.\
\
- address (integer|Pointer|lightuserdata): of the first element\
- shape (integer|integer[]): elements per axis\
- dtype (Dtype, default float32): element type\
- options:\
  - dtype (Dtype): in place of the parameter\
  - owner (any): a value kept alive as long as the array\
  - device (Device|integer|string, default the current device): device of\
    the memory\
  - memory (\"device\"|\"host\", default \"device\"): kind of memory\
  - strides (integer[], default C order without gaps): bytes from element to\
    element on each axis\
  - readonly (boolean, default false): the memory may not be written\
  - stream (Stream): its work so far comes before every use of the memory\
- returns (Array)",
  ["alloc"] = "cuda.alloc(bytes [, { device =, stream = }])\
  Allocates bytes with undefined contents. A kernel takes them for a pointer\
  parameter of any type.\
\
- bytes (integer)\
- options:\
  - device (Device|integer|string, default the current device)\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): uint8 of one axis\
- raises memory if the allocation fails",
  ["alloc_pitch"] = "cuda.alloc_pitch{ width =, height =, device =, stream = }\
  Allocates a matrix of bytes whose rows are aligned for the device. A kernel\
  takes it for a pointer parameter of any type, and needs the pitch as another\
  argument.\
\
- options:\
  - width (integer): bytes of a row\
  - height (integer, default 1): rows\
  - device (Device|integer|string, default the current device)\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): uint8 of shape {height, width}\
- returns (integer): pitch: bytes from row to row\
- raises memory if the allocation fails",
  ["copy"] = "cuda.copy(dst, src [, { stream = }])\
  Copies all elements between arrays of the same dtype and size, on any\
  devices. A string has the bytes of the elements in C order. dst:set(src)\
  also converts. A CUDA array has the shape of its texels, and its channels as\
  last axis if there are several.\
\
- dst (Array|CuArray)\
- src (Array|CuArray|string)\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|CuArray): dst\
- raises a string if the dtypes, the sizes or, for views with gaps or in\
  another order, the shapes differ",
  ["copy2d"] = "cuda.copy2d{ dst =, src =, width =, height =, dst_pitch =, src_pitch =,\
    dst_x =, dst_y =, src_x =, src_y =, stream = }\
  Copies a rectangle of bytes. Without width and height it is what the CUDA\
  array has from x and y on.\
\
- options:\
  - dst (Array|CuArray)\
  - src (Array|CuArray)\
  - width (integer): bytes of a row; not needed with a CUDA array\
  - height (integer): rows; not needed with a CUDA array\
  - dst_pitch (integer, default that of its rows, else width): bytes from\
    row to row\
  - src_pitch (integer, default that of its rows, else width): bytes from\
    row to row\
  - dst_x (integer, default 0): bytes\
  - dst_y (integer, default 0): rows\
  - src_x (integer, default 0): bytes\
  - src_y (integer, default 0): rows\
  - stream (Stream, default the device's current stream): stream of the work",
  ["copy3d"] = "cuda.copy3d{ dst =, src =, width =, height =, depth =, dst_pitch =,\
    src_pitch =, dst_height =, src_height =, dst_x =, dst_y =, dst_z =,\
    src_x =, src_y =, src_z =, stream = }\
  Copies a box of bytes between any memory: of one device, of several, of the\
  host, and of CUDA arrays, where x counts bytes as well. Pitches and heights\
  of memory are those of the array if it has rows and slices without gaps.\
\
- options:\
  - dst (Array|CuArray)\
  - src (Array|CuArray)\
  - width (integer): bytes of a row; not needed with a CUDA array\
  - height (integer): rows; not needed with a CUDA array\
  - depth (integer, default 1, or that of the CUDA array): slices or layers\
  - dst_pitch (integer, default that of its rows, else width): bytes from\
    row to row\
  - src_pitch (integer, default that of its rows, else width): bytes from\
    row to row\
  - dst_height (integer, default that of its slices, else height): rows\
    from slice to slice\
  - src_height (integer, default that of its slices, else height): rows\
    from slice to slice\
  - dst_x (integer, default 0): bytes\
  - dst_y (integer, default 0): rows\
  - dst_z (integer, default 0): slices\
  - src_x (integer, default 0): bytes\
  - src_y (integer, default 0): rows\
  - src_z (integer, default 0): slices\
  - stream (Stream, default the device's current stream): stream of the work",
  ["memset"] = "cuda.memset(a, value [, count] [, { width =, offset =, count =, stream = }])\
  Fills memory with a word.\
\
- a (Array)\
- value (integer)\
- count (integer, default as many as there are after offset): words\
- options:\
  - width (integer, default 1): bytes of a word: 1, 2, 4 or 8\
  - offset (integer, default 0): bytes\
  - count (integer): in place of the parameter\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): a",
  ["memset2d"] = "cuda.memset2d(a, value, { columns =, height =, pitch =, width =, offset =,\
    stream = })\
  Fills a rectangle with a word.\
\
- a (Array)\
- value (integer)\
- options:\
  - columns (integer): words of a row\
  - height (integer): rows\
  - pitch (integer, default that of the array's rows): bytes from row to row\
  - width (integer, default 1): bytes of a word: 1, 2, 4 or 8\
  - offset (integer, default 0): bytes\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): a",
  ["pool"] = "cuda.pool([device])\
  Returns the memory pool of a device.\
\
- device (Device|integer|string, default the current device)\
- returns (Pool)",
  ["tensor_map"] = "cuda.tensor_map(array, { box =, channels =, pixels =, low =, high =, steps =,\
    swizzle =, nan = })\
  The bytes of a CUtensorMap, for kernels that copy boxes of the array to and\
  from shared memory (cp.async.bulk.tensor). A kernel takes it as const\
  __grid_constant__ CUtensorMap, or as a struct of 128 bytes, aligned to 128.\
  Lists are in the order of the array's axes; the coordinates in the kernel\
  begin with the last one. That one, times the size of an element, must be a\
  multiple of 16 bytes: a copy from another place is a fault (on a GPU, an\
  illegal instruction).\
\
  In im2col mode a copy has pixels one after the other, from the coordinates\
  that it gives: along the last spatial axis, then the one before, within low\
  and high, then of the next image. steps are between pixels. The copy adds\
  its offsets to all of them.\
\
  Copies from shared memory write whole units of 16 bytes: where a row of the\
  array ends within one, the gap after it is overwritten up to the unit's end.\
  They may not begin at a negative coordinate, and in im2col mode not have low\
  below 0 or high above 0: that is a fault, too (on a GPU, an illegal\
  instruction).\
\
  The string is an address, not a reference: keep the array, and pass it to\
  the kernel, too, or synchronize, where several streams use it.\
\
- array (Array): of one to five axes, the last without gaps\
- options:\
  - box (integer[]): elements per axis that one copy spans, 1 to 256 each;\
    those of the last axis are a multiple of 16 bytes; needed, unless\
    channels is given\
  - channels (integer): im2col mode: elements of the last axis that one copy\
    takes of each pixel, 1 to 256; the array has a first axis of images, one\
    to three spatial axes and a last axis of channels\
  - pixels (integer, default 1): im2col mode: pixels of one copy, 1 to 1024\
  - low (integer[]): im2col mode: the lowest coordinate of pixels per\
    spatial axis (0)\
  - high (integer[]): im2col mode: how far pixels go beyond the last one per\
    spatial axis, or less far if negative (0)\
  - steps (integer[]): elements between those that are copied, 1 to 8 per\
    axis (all 1)\
  - swizzle (integer, default 0): bytes of shared memory in which units of\
    16 bytes are exchanged: 32, 64 or 128, at least those of a row of the box;\
    on the CPU device equal to it\
  - nan (boolean, default false): elements of floats outside the array read\
    as NaN, not 0\
- returns (string)\
- raises unsupported below compute capability 9.0; driver for strides that\
  are not multiples of 16 bytes",
  ["cuda_array"] = "cuda.cuda_array(shape [, dtype] [, { channels =, surface =, layered =,\
    cubemap =, gather =, mipmaps =, device =, stream =, dtype = }])\
  Allocates a CUDA array with undefined contents, or one with the contents of\
  an array. The shape is that of an array in C order: {width}, {height, width}\
  or {depth, height, width}, with layers {layers, width} or {layers, height,\
  width}. Channels are not part of it; an array to copy has them as its last\
  axis if channels is given.\
\
  The dtype is any but a struct. The hardware has no elements of 64 bits: it\
  stores float64, int64 and uint64 as two channels of 32 bits, complex128 as\
  four, complex64 as two of float32, and bfloat16 as uint16. #include\
  <luacuda/texture.h> gives kernels luacuda::tex2D<double>(t, x, y),\
  luacuda::surf2Dwrite(v, s, x, y) and the like for double, long long,\
  unsigned long long and vectors of two of them, with CUDA's names and\
  arguments: with a level (tex2DLod), layers, cubemaps and boundary modes.\
\
- shape (integer|integer[]|Array): texels per axis, or an array to copy\
- dtype (string, default float32, or that of the array): element type\
- options:\
  - channels (integer, default 1): elements of a texel: 1, 2 or 4, at most\
    16 bytes together\
  - surface (boolean, default false): kernels may write it through a surface\
  - layered (boolean, default false): the first axis counts layers\
  - cubemap (boolean, default false): the first axis counts the faces of\
    cubemaps: six, or with layered a multiple\
  - gather (boolean, default false): kernels may use tex2Dgather\
  - mipmaps (boolean|integer, default false): all levels, or their number\
  - device (Device|integer|string, default that of the array, else the\
    current device)\
  - stream (Stream, default the device's current stream): stream of the work\
  - dtype (string): in place of the parameter\
- returns (CuArray)\
- raises memory if the allocation fails; a string for extents beyond the\
  limits of the device",
  ["texture"] = "cuda.texture(source [, { filter =, address =, read =, normalized =, border =,\
    srgb =, anisotropy =, mipmap_filter =, mipmap_bias =, min_level =,\
    max_level =, seamless =, channels = }])\
  Makes a texture over a CUDA array, over a contiguous array of one axis,\
  which kernels read by index (tex1Dfetch), or over an array of two axes,\
  whose rows have to be a multiple of texture_pitch_alignment bytes apart, as\
  those of cuda.alloc_pitch are. The memory is not copied: later writes to it\
  are visible. Closing the array or CUDA array leaves the memory to the\
  texture.\
\
- source (CuArray|Array)\
- options:\
  - filter (\"point\"|\"linear\", default \"point\"): the nearest texel, or a mean\
    of those around\
  - address (string|string[], default \"clamp\"): what lies outside, for all\
    axes or x, y and z: \"clamp\", \"border\", \"wrap\" or \"mirror\"; the last two\
    need normalized\
  - read (\"element\"|\"normalized\", default \"element\"): integers of 8 and 16\
    bits as they are, or as floats from 0 (signed: -1) to 1\
  - normalized (boolean, default false; true for mipmaps and cubemaps):\
    coordinates from 0 to 1\
  - border (number|number[], default 0): what \"border\" reads, for all\
    channels or for each; in the type that kernels read\
  - srgb (boolean, default false): decode sRGB (uint8 read as normalized)\
  - anisotropy (integer, default 0): greatest ratio of anisotropic\
    filtering, up to 16\
  - mipmap_filter (\"point\"|\"linear\", default that of filter): filter\
    between levels\
  - mipmap_bias (number, default 0): added to the level\
  - min_level (number, default 0): lowest level that is read; 0 is the\
    largest\
  - max_level (number, default the last): highest level that is read\
  - seamless (boolean, default false): filter across the edges of a cubemap\
  - channels (integer, default 1): elements of a texel in an Array, whose\
    last axis holds them\
- returns (Texture)",
  ["surface"] = "cuda.surface(cuda_array)\
  Makes a surface, through which kernels read and write texels without\
  filtering. The x coordinate of surf2Dwrite and the like counts bytes.\
\
- cuda_array (CuArray): made with surface = true\
- returns (Surface)",
  ["add"] = "cuda.add(x, y [, { size =, out =, stream =, device = }])\
array:add(y [, { out =, stream =, device = }])\
  The sum; for booleans or.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["subtract"] = "cuda.subtract(x, y [, { size =, out =, stream =, device = }])\
array:subtract(y [, { out =, stream =, device = }])\
  The difference.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["multiply"] = "cuda.multiply(x, y [, { size =, out =, stream =, device = }])\
array:multiply(y [, { out =, stream =, device = }])\
  The product; for booleans and.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["divide"] = "cuda.divide(x, y [, { size =, out =, stream =, device = }])\
array:divide(y [, { out =, stream =, device = }])\
  The quotient; float64 for integers.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["floor_divide"] = "cuda.floor_divide(x, y [, { size =, out =, stream =, device = }])\
array:floor_divide(y [, { out =, stream =, device = }])\
  The quotient rounded down.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["mod"] = "cuda.mod(x, y [, { size =, out =, stream =, device = }])\
array:mod(y [, { out =, stream =, device = }])\
  The remainder with the sign of y.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["power"] = "cuda.power(x, y [, { size =, out =, stream =, device = }])\
array:power(y [, { out =, stream =, device = }])\
  x to the power of y. Integers raise for a negative Lua integer y; negative\
  elements of y give 0, or 1 and -1 for the bases 1 and -1. The Lua numbers 2,\
  3, 0.5 and -1 as y multiply, take the root or divide.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["negative"] = "cuda.negative(x [, { size =, out =, stream =, device = }])\
array:negative([{ out =, stream =, device = }])\
  The negative; booleans raise.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["maximum"] = "cuda.maximum(x, y [, { size =, out =, stream =, device = }])\
array:maximum(y [, { out =, stream =, device = }])\
  The greater of two; NaN if one is NaN. 0.0 is greater than -0.0.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["minimum"] = "cuda.minimum(x, y [, { size =, out =, stream =, device = }])\
array:minimum(y [, { out =, stream =, device = }])\
  The lesser of two; NaN if one is NaN. -0.0 is less than 0.0.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["fmax"] = "cuda.fmax(x, y [, { size =, out =, stream =, device = }])\
array:fmax(y [, { out =, stream =, device = }])\
  The greater of two; of a number and NaN the number.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["fmin"] = "cuda.fmin(x, y [, { size =, out =, stream =, device = }])\
array:fmin(y [, { out =, stream =, device = }])\
  The lesser of two; of a number and NaN the number.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["clip"] = "cuda.clip(x [, lo] [, hi] [, { size =, out =, stream =, device = }])\
array:clip([lo] [, hi] [, { out =, stream =, device = }])\
  x, limited to the range from lo to hi; either may be nil or an option. NaN\
  stays, and so does a zero that equals a bound.\
\
- x (Array|number|boolean|Complex|Scalar)\
- lo (Array|number|boolean|Complex|Scalar)\
- hi (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["square"] = "cuda.square(x [, { size =, out =, stream =, device = }])\
array:square([{ out =, stream =, device = }])\
  x * x.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["reciprocal"] = "cuda.reciprocal(x [, { size =, out =, stream =, device = }])\
array:reciprocal([{ out =, stream =, device = }])\
  1 / x; truncated for integers.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["abs"] = "cuda.abs(x [, { size =, out =, stream =, device = }])\
array:abs([{ out =, stream =, device = }])\
  The absolute value; real for complex numbers. The least integer stays.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["sign"] = "cuda.sign(x [, { size =, out =, stream =, device = }])\
array:sign([{ out =, stream =, device = }])\
  -1, 0 or 1; NaN stays; z / abs(z) for complex numbers.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["bitwise_and"] = "cuda.bitwise_and(x, y [, { size =, out =, stream =, device = }])\
array:bitwise_and(y [, { out =, stream =, device = }])\
  And, of integers or booleans.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["bitwise_or"] = "cuda.bitwise_or(x, y [, { size =, out =, stream =, device = }])\
array:bitwise_or(y [, { out =, stream =, device = }])\
  Or, of integers or booleans.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["bitwise_xor"] = "cuda.bitwise_xor(x, y [, { size =, out =, stream =, device = }])\
array:bitwise_xor(y [, { out =, stream =, device = }])\
  Exclusive or, of integers or booleans.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["bitwise_not"] = "cuda.bitwise_not(x [, { size =, out =, stream =, device = }])\
array:bitwise_not([{ out =, stream =, device = }])\
  Complement, of integers or booleans.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["left_shift"] = "cuda.left_shift(x, y [, { size =, out =, stream =, device = }])\
array:left_shift(y [, { out =, stream =, device = }])\
  Shift to the left, of integers; 0 if y is negative or not less than the\
  number of bits.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["right_shift"] = "cuda.right_shift(x, y [, { size =, out =, stream =, device = }])\
array:right_shift(y [, { out =, stream =, device = }])\
  Arithmetic shift to the right, of integers; 0, or -1 for negative x, if y is\
  negative or not less than the number of bits.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["eq"] = "cuda.eq(x, y [, { size =, out =, stream =, device = }])\
array:eq(y [, { out =, stream =, device = }])\
  Equal.\
\
  The results are bool arrays. Lua's operators ==, < and <= give one boolean\
  and cannot compare elements. Integers of any dtype are compared exactly with\
  integers, floats and Lua numbers: every element of a uint64 array is greater\
  than -1, and cuda.uint64(-1) is the greatest uint64. Complex numbers are\
  ordered by their real, then their imaginary parts; comparisons with NaN are\
  false.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["ne"] = "cuda.ne(x, y [, { size =, out =, stream =, device = }])\
array:ne(y [, { out =, stream =, device = }])\
  Not equal; true for NaN.\
\
  The results are bool arrays. Lua's operators ==, < and <= give one boolean\
  and cannot compare elements. Integers of any dtype are compared exactly with\
  integers, floats and Lua numbers: every element of a uint64 array is greater\
  than -1, and cuda.uint64(-1) is the greatest uint64. Complex numbers are\
  ordered by their real, then their imaginary parts; comparisons with NaN are\
  false.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["lt"] = "cuda.lt(x, y [, { size =, out =, stream =, device = }])\
array:lt(y [, { out =, stream =, device = }])\
  Less than.\
\
  The results are bool arrays. Lua's operators ==, < and <= give one boolean\
  and cannot compare elements. Integers of any dtype are compared exactly with\
  integers, floats and Lua numbers: every element of a uint64 array is greater\
  than -1, and cuda.uint64(-1) is the greatest uint64. Complex numbers are\
  ordered by their real, then their imaginary parts; comparisons with NaN are\
  false.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["le"] = "cuda.le(x, y [, { size =, out =, stream =, device = }])\
array:le(y [, { out =, stream =, device = }])\
  Less than or equal.\
\
  The results are bool arrays. Lua's operators ==, < and <= give one boolean\
  and cannot compare elements. Integers of any dtype are compared exactly with\
  integers, floats and Lua numbers: every element of a uint64 array is greater\
  than -1, and cuda.uint64(-1) is the greatest uint64. Complex numbers are\
  ordered by their real, then their imaginary parts; comparisons with NaN are\
  false.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["gt"] = "cuda.gt(x, y [, { size =, out =, stream =, device = }])\
array:gt(y [, { out =, stream =, device = }])\
  Greater than.\
\
  The results are bool arrays. Lua's operators ==, < and <= give one boolean\
  and cannot compare elements. Integers of any dtype are compared exactly with\
  integers, floats and Lua numbers: every element of a uint64 array is greater\
  than -1, and cuda.uint64(-1) is the greatest uint64. Complex numbers are\
  ordered by their real, then their imaginary parts; comparisons with NaN are\
  false.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["ge"] = "cuda.ge(x, y [, { size =, out =, stream =, device = }])\
array:ge(y [, { out =, stream =, device = }])\
  Greater than or equal.\
\
  The results are bool arrays. Lua's operators ==, < and <= give one boolean\
  and cannot compare elements. Integers of any dtype are compared exactly with\
  integers, floats and Lua numbers: every element of a uint64 array is greater\
  than -1, and cuda.uint64(-1) is the greatest uint64. Complex numbers are\
  ordered by their real, then their imaginary parts; comparisons with NaN are\
  false.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["logical_and"] = "cuda.logical_and(x, y [, { size =, out =, stream =, device = }])\
array:logical_and(y [, { out =, stream =, device = }])\
  Both are not zero.\
\
  The results are bool arrays. Lua's operators ==, < and <= give one boolean\
  and cannot compare elements. Integers of any dtype are compared exactly with\
  integers, floats and Lua numbers: every element of a uint64 array is greater\
  than -1, and cuda.uint64(-1) is the greatest uint64. Complex numbers are\
  ordered by their real, then their imaginary parts; comparisons with NaN are\
  false.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["logical_or"] = "cuda.logical_or(x, y [, { size =, out =, stream =, device = }])\
array:logical_or(y [, { out =, stream =, device = }])\
  At least one is not zero.\
\
  The results are bool arrays. Lua's operators ==, < and <= give one boolean\
  and cannot compare elements. Integers of any dtype are compared exactly with\
  integers, floats and Lua numbers: every element of a uint64 array is greater\
  than -1, and cuda.uint64(-1) is the greatest uint64. Complex numbers are\
  ordered by their real, then their imaginary parts; comparisons with NaN are\
  false.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["logical_xor"] = "cuda.logical_xor(x, y [, { size =, out =, stream =, device = }])\
array:logical_xor(y [, { out =, stream =, device = }])\
  Exactly one is not zero.\
\
  The results are bool arrays. Lua's operators ==, < and <= give one boolean\
  and cannot compare elements. Integers of any dtype are compared exactly with\
  integers, floats and Lua numbers: every element of a uint64 array is greater\
  than -1, and cuda.uint64(-1) is the greatest uint64. Complex numbers are\
  ordered by their real, then their imaginary parts; comparisons with NaN are\
  false.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["logical_not"] = "cuda.logical_not(x [, { size =, out =, stream =, device = }])\
array:logical_not([{ out =, stream =, device = }])\
  Zero.\
\
  The results are bool arrays. Lua's operators ==, < and <= give one boolean\
  and cannot compare elements. Integers of any dtype are compared exactly with\
  integers, floats and Lua numbers: every element of a uint64 array is greater\
  than -1, and cuda.uint64(-1) is the greatest uint64. Complex numbers are\
  ordered by their real, then their imaginary parts; comparisons with NaN are\
  false.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["isnan"] = "cuda.isnan(x [, { size =, out =, stream =, device = }])\
array:isnan([{ out =, stream =, device = }])\
  NaN; for complex numbers in either part.\
\
  The results are bool arrays. Lua's operators ==, < and <= give one boolean\
  and cannot compare elements. Integers of any dtype are compared exactly with\
  integers, floats and Lua numbers: every element of a uint64 array is greater\
  than -1, and cuda.uint64(-1) is the greatest uint64. Complex numbers are\
  ordered by their real, then their imaginary parts; comparisons with NaN are\
  false.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["isinf"] = "cuda.isinf(x [, { size =, out =, stream =, device = }])\
array:isinf([{ out =, stream =, device = }])\
  Infinite; for complex numbers in either part.\
\
  The results are bool arrays. Lua's operators ==, < and <= give one boolean\
  and cannot compare elements. Integers of any dtype are compared exactly with\
  integers, floats and Lua numbers: every element of a uint64 array is greater\
  than -1, and cuda.uint64(-1) is the greatest uint64. Complex numbers are\
  ordered by their real, then their imaginary parts; comparisons with NaN are\
  false.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["isfinite"] = "cuda.isfinite(x [, { size =, out =, stream =, device = }])\
array:isfinite([{ out =, stream =, device = }])\
  Neither infinite nor NaN.\
\
  The results are bool arrays. Lua's operators ==, < and <= give one boolean\
  and cannot compare elements. Integers of any dtype are compared exactly with\
  integers, floats and Lua numbers: every element of a uint64 array is greater\
  than -1, and cuda.uint64(-1) is the greatest uint64. Complex numbers are\
  ordered by their real, then their imaginary parts; comparisons with NaN are\
  false.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["signbit"] = "cuda.signbit(x [, { size =, out =, stream =, device = }])\
array:signbit([{ out =, stream =, device = }])\
  The sign bit is set, as in -0.0; complex numbers raise.\
\
  The results are bool arrays. Lua's operators ==, < and <= give one boolean\
  and cannot compare elements. Integers of any dtype are compared exactly with\
  integers, floats and Lua numbers: every element of a uint64 array is greater\
  than -1, and cuda.uint64(-1) is the greatest uint64. Complex numbers are\
  ordered by their real, then their imaginary parts; comparisons with NaN are\
  false.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["where"] = "cuda.where(condition [, x] [, y] [, { size =, out =, stream =, device = }])\
array:where([x] [, y] [, { out =, stream =, device = }])\
  x where the condition is not zero, else y. An array alone gives the indices\
  of its elements that are not zero, as nonzero does.\
\
- condition (Array|number|boolean|Complex|Scalar)\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["hypot"] = "cuda.hypot(x, y [, { size =, out =, stream =, device = }])\
array:hypot(y [, { out =, stream =, device = }])\
  sqrt(x * x + y * y) without overflow in between.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["atan2"] = "cuda.atan2(y, x [, { size =, out =, stream =, device = }])\
array:atan2(x [, { out =, stream =, device = }])\
  The angle of the point (x, y) in radians, from -pi to pi.\
\
- y (Array|number|boolean|Complex|Scalar)\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["copysign"] = "cuda.copysign(x, y [, { size =, out =, stream =, device = }])\
array:copysign(y [, { out =, stream =, device = }])\
  x with the sign of y.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["fmod"] = "cuda.fmod(x, y [, { size =, out =, stream =, device = }])\
array:fmod(y [, { out =, stream =, device = }])\
  The remainder with the sign of x, as in C.\
\
- x (Array|number|boolean|Complex|Scalar)\
- y (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["sqrt"] = "cuda.sqrt(x [, { size =, out =, stream =, device = }])\
array:sqrt([{ out =, stream =, device = }])\
  The square root.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["cbrt"] = "cuda.cbrt(x [, { size =, out =, stream =, device = }])\
array:cbrt([{ out =, stream =, device = }])\
  The cube root; complex numbers raise.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["exp"] = "cuda.exp(x [, { size =, out =, stream =, device = }])\
array:exp([{ out =, stream =, device = }])\
  e to the power of x.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["exp2"] = "cuda.exp2(x [, { size =, out =, stream =, device = }])\
array:exp2([{ out =, stream =, device = }])\
  2 to the power of x.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["expm1"] = "cuda.expm1(x [, { size =, out =, stream =, device = }])\
array:expm1([{ out =, stream =, device = }])\
  exp(x) - 1, accurate near 0.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["log"] = "cuda.log(x [, { size =, out =, stream =, device = }])\
array:log([{ out =, stream =, device = }])\
  The natural logarithm.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["log2"] = "cuda.log2(x [, { size =, out =, stream =, device = }])\
array:log2([{ out =, stream =, device = }])\
  The logarithm to base 2.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["log10"] = "cuda.log10(x [, { size =, out =, stream =, device = }])\
array:log10([{ out =, stream =, device = }])\
  The logarithm to base 10.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["log1p"] = "cuda.log1p(x [, { size =, out =, stream =, device = }])\
array:log1p([{ out =, stream =, device = }])\
  log(1 + x), accurate near 0.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["sin"] = "cuda.sin(x [, { size =, out =, stream =, device = }])\
array:sin([{ out =, stream =, device = }])\
  The sine.\
\
  Angles are in radians.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["cos"] = "cuda.cos(x [, { size =, out =, stream =, device = }])\
array:cos([{ out =, stream =, device = }])\
  The cosine.\
\
  Angles are in radians.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["tan"] = "cuda.tan(x [, { size =, out =, stream =, device = }])\
array:tan([{ out =, stream =, device = }])\
  The tangent.\
\
  Angles are in radians.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["asin"] = "cuda.asin(x [, { size =, out =, stream =, device = }])\
array:asin([{ out =, stream =, device = }])\
  The inverse sine.\
\
  Angles are in radians.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["acos"] = "cuda.acos(x [, { size =, out =, stream =, device = }])\
array:acos([{ out =, stream =, device = }])\
  The inverse cosine.\
\
  Angles are in radians.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["atan"] = "cuda.atan(x [, { size =, out =, stream =, device = }])\
array:atan([{ out =, stream =, device = }])\
  The inverse tangent.\
\
  Angles are in radians.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["sinh"] = "cuda.sinh(x [, { size =, out =, stream =, device = }])\
array:sinh([{ out =, stream =, device = }])\
  The hyperbolic sine.\
\
  Angles are in radians.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["cosh"] = "cuda.cosh(x [, { size =, out =, stream =, device = }])\
array:cosh([{ out =, stream =, device = }])\
  The hyperbolic cosine.\
\
  Angles are in radians.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["tanh"] = "cuda.tanh(x [, { size =, out =, stream =, device = }])\
array:tanh([{ out =, stream =, device = }])\
  The hyperbolic tangent.\
\
  Angles are in radians.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["asinh"] = "cuda.asinh(x [, { size =, out =, stream =, device = }])\
array:asinh([{ out =, stream =, device = }])\
  The inverse hyperbolic sine.\
\
  Angles are in radians.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["acosh"] = "cuda.acosh(x [, { size =, out =, stream =, device = }])\
array:acosh([{ out =, stream =, device = }])\
  The inverse hyperbolic cosine.\
\
  Angles are in radians.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["atanh"] = "cuda.atanh(x [, { size =, out =, stream =, device = }])\
array:atanh([{ out =, stream =, device = }])\
  The inverse hyperbolic tangent.\
\
  Angles are in radians.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["deg2rad"] = "cuda.deg2rad(x [, { size =, out =, stream =, device = }])\
array:deg2rad([{ out =, stream =, device = }])\
  Degrees converted to radians.\
\
  Angles are in radians.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["rad2deg"] = "cuda.rad2deg(x [, { size =, out =, stream =, device = }])\
array:rad2deg([{ out =, stream =, device = }])\
  Radians converted to degrees.\
\
  Angles are in radians.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["floor"] = "cuda.floor(x [, { size =, out =, stream =, device = }])\
array:floor([{ out =, stream =, device = }])\
  Rounded down; integers stay.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["ceil"] = "cuda.ceil(x [, { size =, out =, stream =, device = }])\
array:ceil([{ out =, stream =, device = }])\
  Rounded up; integers stay.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["trunc"] = "cuda.trunc(x [, { size =, out =, stream =, device = }])\
array:trunc([{ out =, stream =, device = }])\
  Rounded towards zero; integers stay.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["rint"] = "cuda.rint(x [, { size =, out =, stream =, device = }])\
array:rint([{ out =, stream =, device = }])\
  Rounded to the nearest integer, halves to the even one; integers become\
  floats.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["round"] = "cuda.round(x [, decimals] [, { size =, out =, stream =, device = }])\
array:round([decimals] [, { out =, stream =, device = }])\
  Rounded to so many decimals, halves to the even digit. Integers stay; -1\
  rounds them to tens, -2 to hundreds. decimals may be an option.\
\
- x (Array|number|boolean|Complex|Scalar)\
- decimals (integer, default 0): from -18 to 18\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["real"] = "cuda.real(x [, { size =, out =, stream =, device = }])\
array:real([{ out =, stream =, device = }])\
  The real part; real arrays stay.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["imag"] = "cuda.imag(x [, { size =, out =, stream =, device = }])\
array:imag([{ out =, stream =, device = }])\
  The imaginary part; 0 for real arrays.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["conj"] = "cuda.conj(x [, { size =, out =, stream =, device = }])\
array:conj([{ out =, stream =, device = }])\
  The complex conjugate; real arrays stay.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["angle"] = "cuda.angle(x [, { size =, out =, stream =, device = }])\
array:angle([{ out =, stream =, device = }])\
  The angle in radians, from -pi to pi.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["erf"] = "cuda.erf(x [, { size =, out =, stream =, device = }])\
array:erf([{ out =, stream =, device = }])\
  The error function.\
\
  Complex numbers raise.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["erfc"] = "cuda.erfc(x [, { size =, out =, stream =, device = }])\
array:erfc([{ out =, stream =, device = }])\
  1 - erf(x), accurate for large x.\
\
  Complex numbers raise.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["tgamma"] = "cuda.tgamma(x [, { size =, out =, stream =, device = }])\
array:tgamma([{ out =, stream =, device = }])\
  The gamma function.\
\
  Complex numbers raise.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["lgamma"] = "cuda.lgamma(x [, { size =, out =, stream =, device = }])\
array:lgamma([{ out =, stream =, device = }])\
  log(abs(tgamma(x))).\
\
  Complex numbers raise.\
\
- x (Array|number|boolean|Complex|Scalar)\
- options:\
  - size (integer): elements of the result, if no argument is an array; not\
    for methods\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an argument\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- raises a string if the shapes do not broadcast, the dtype does not have the\
  function, or the dtype cannot hold a Lua number",
  ["sum"] = "cuda.sum(a [, { axis =, keepdims =, out =, dtype =, segments =, stream = }])\
array:sum([{ axis =, keepdims =, out =, dtype =, segments =, stream = }])\
  The sum; 0 for no elements.\
\
  Booleans and integers give int64 (uint64 for unsigned ones) in sum and prod\
  and float64 in mean, unless dtype is given. float16 and bfloat16 are\
  computed in float32. A sum is a tree of partial sums, so rounding errors\
  grow more slowly than in a plain loop.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - dtype (Dtype): dtype of the result, also used for the computation\
  - segments (Array|integer[]): offsets of segments of one axis (the first\
    unless axis is given), each reduced by itself; not for argmin and\
    argmax, and not with keepdims\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist",
  ["prod"] = "cuda.prod(a [, { axis =, keepdims =, out =, dtype =, segments =, stream = }])\
array:prod([{ axis =, keepdims =, out =, dtype =, segments =, stream = }])\
  The product; 1 for no elements.\
\
  Booleans and integers give int64 (uint64 for unsigned ones) in sum and prod\
  and float64 in mean, unless dtype is given. float16 and bfloat16 are\
  computed in float32. A sum is a tree of partial sums, so rounding errors\
  grow more slowly than in a plain loop.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - dtype (Dtype): dtype of the result, also used for the computation\
  - segments (Array|integer[]): offsets of segments of one axis (the first\
    unless axis is given), each reduced by itself; not for argmin and\
    argmax, and not with keepdims\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist",
  ["mean"] = "cuda.mean(a [, { axis =, keepdims =, out =, dtype =, segments =, stream = }])\
array:mean([{ axis =, keepdims =, out =, dtype =, segments =, stream = }])\
  The sum divided by the number of elements; NaN for no elements.\
\
  Booleans and integers give int64 (uint64 for unsigned ones) in sum and prod\
  and float64 in mean, unless dtype is given. float16 and bfloat16 are\
  computed in float32. A sum is a tree of partial sums, so rounding errors\
  grow more slowly than in a plain loop.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - dtype (Dtype): dtype of the result, also used for the computation\
  - segments (Array|integer[]): offsets of segments of one axis (the first\
    unless axis is given), each reduced by itself; not for argmin and\
    argmax, and not with keepdims\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist",
  ["var"] = "cuda.var(a [, { axis =, keepdims =, out =, dtype =, ddof =, stream = }])\
array:var([{ axis =, keepdims =, out =, dtype =, ddof =, stream = }])\
  The mean of the squared distances from the mean.\
\
  The elements are read once. Parts of the elements are merged with their\
  numbers, means and sums of squared distances, relative to an element of the\
  part, so that an offset that is large against the spread costs no digits\
  (Chan, Golub and LeVeque, 1979 and 1983). Booleans and integers give float64\
  unless dtype is given; complex numbers give a real result.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - dtype (Dtype): dtype of the result, also used for the computation\
  - ddof (number, default 0): subtracted from the number of elements in the\
    divisor\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist",
  ["std"] = "cuda.std(a [, { axis =, keepdims =, out =, dtype =, ddof =, stream = }])\
array:std([{ axis =, keepdims =, out =, dtype =, ddof =, stream = }])\
  The square root of var.\
\
  The elements are read once. Parts of the elements are merged with their\
  numbers, means and sums of squared distances, relative to an element of the\
  part, so that an offset that is large against the spread costs no digits\
  (Chan, Golub and LeVeque, 1979 and 1983). Booleans and integers give float64\
  unless dtype is given; complex numbers give a real result.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - dtype (Dtype): dtype of the result, also used for the computation\
  - ddof (number, default 0): subtracted from the number of elements in the\
    divisor\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist",
  ["min"] = "cuda.min(a [, { axis =, keepdims =, out =, segments =, stream = }])\
array:min([{ axis =, keepdims =, out =, segments =, stream = }])\
  The least element.\
\
  NaN counts as the extreme where there is one. min and max rank -0.0 below\
  0.0; argmin and argmax treat the two as equal. Complex numbers are ordered\
  by their real, then their imaginary parts. argmin and argmax give int64\
  indices from 1 along the reduced axes in C order, of the first element among\
  equal ones.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - segments (Array|integer[]): offsets of segments of one axis (the first\
    unless axis is given), each reduced by itself; not for argmin and\
    argmax, and not with keepdims\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist and for a reduction of no\
  elements",
  ["max"] = "cuda.max(a [, { axis =, keepdims =, out =, segments =, stream = }])\
array:max([{ axis =, keepdims =, out =, segments =, stream = }])\
  The greatest element.\
\
  NaN counts as the extreme where there is one. min and max rank -0.0 below\
  0.0; argmin and argmax treat the two as equal. Complex numbers are ordered\
  by their real, then their imaginary parts. argmin and argmax give int64\
  indices from 1 along the reduced axes in C order, of the first element among\
  equal ones.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - segments (Array|integer[]): offsets of segments of one axis (the first\
    unless axis is given), each reduced by itself; not for argmin and\
    argmax, and not with keepdims\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist and for a reduction of no\
  elements",
  ["argmin"] = "cuda.argmin(a [, { axis =, keepdims =, out =, segments =, stream = }])\
array:argmin([{ axis =, keepdims =, out =, segments =, stream = }])\
  The index of the least element.\
\
  NaN counts as the extreme where there is one. min and max rank -0.0 below\
  0.0; argmin and argmax treat the two as equal. Complex numbers are ordered\
  by their real, then their imaginary parts. argmin and argmax give int64\
  indices from 1 along the reduced axes in C order, of the first element among\
  equal ones.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - segments (Array|integer[]): offsets of segments of one axis (the first\
    unless axis is given), each reduced by itself; not for argmin and\
    argmax, and not with keepdims\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist and for a reduction of no\
  elements",
  ["argmax"] = "cuda.argmax(a [, { axis =, keepdims =, out =, segments =, stream = }])\
array:argmax([{ axis =, keepdims =, out =, segments =, stream = }])\
  The index of the greatest element.\
\
  NaN counts as the extreme where there is one. min and max rank -0.0 below\
  0.0; argmin and argmax treat the two as equal. Complex numbers are ordered\
  by their real, then their imaginary parts. argmin and argmax give int64\
  indices from 1 along the reduced axes in C order, of the first element among\
  equal ones.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - segments (Array|integer[]): offsets of segments of one axis (the first\
    unless axis is given), each reduced by itself; not for argmin and\
    argmax, and not with keepdims\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist and for a reduction of no\
  elements",
  ["any"] = "cuda.any(a [, { axis =, keepdims =, out =, segments =, stream = }])\
array:any([{ axis =, keepdims =, out =, segments =, stream = }])\
  Whether any element is not zero; false for no elements.\
\
  NaN counts as not zero.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - segments (Array|integer[]): offsets of segments of one axis (the first\
    unless axis is given), each reduced by itself; not for argmin and\
    argmax, and not with keepdims\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist",
  ["all"] = "cuda.all(a [, { axis =, keepdims =, out =, segments =, stream = }])\
array:all([{ axis =, keepdims =, out =, segments =, stream = }])\
  Whether all elements are not zero; true for no elements.\
\
  NaN counts as not zero.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - segments (Array|integer[]): offsets of segments of one axis (the first\
    unless axis is given), each reduced by itself; not for argmin and\
    argmax, and not with keepdims\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist",
  ["count_nonzero"] = "cuda.count_nonzero(a [, { axis =, keepdims =, out =, segments =, stream = }])\
array:count_nonzero([{ axis =, keepdims =, out =, segments =, stream = }])\
  The number of elements that are not zero (int64).\
\
  NaN counts as not zero.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - segments (Array|integer[]): offsets of segments of one axis (the first\
    unless axis is given), each reduced by itself; not for argmin and\
    argmax, and not with keepdims\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist",
  ["cumsum"] = "cuda.cumsum(a [, { axis =, dtype =, out =, include_initial =, stream = }])\
array:cumsum([{ axis =, dtype =, out =, include_initial =, stream = }])\
  The sum of each element and all before it.\
\
  Booleans and integers give int64 (uint64 for unsigned ones) unless dtype is\
  given. float16 and bfloat16 are computed in float32. With include_initial,\
  counts:cumsum gives the offsets of segments of these sizes, as option\
  segments of sum takes them.\
\
- a (Array)\
- options:\
  - axis (integer, default all elements in C order, as one axis)\
  - dtype (Dtype): dtype of the result, also used for the computation\
  - out (Array): array of the result's shape and dtype to write to; may be\
    the argument\
  - include_initial (boolean, default false): begin with the value of no\
    elements, 0 or 1; the result has one element more along the axis\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of the shape of a, or of one axis if axis is not given\
- raises a string for complex numbers with a real dtype",
  ["cumprod"] = "cuda.cumprod(a [, { axis =, dtype =, out =, include_initial =, stream = }])\
array:cumprod([{ axis =, dtype =, out =, include_initial =, stream = }])\
  The product of each element and all before it.\
\
  Booleans and integers give int64 (uint64 for unsigned ones) unless dtype is\
  given. float16 and bfloat16 are computed in float32. With include_initial,\
  counts:cumsum gives the offsets of segments of these sizes, as option\
  segments of sum takes them.\
\
- a (Array)\
- options:\
  - axis (integer, default all elements in C order, as one axis)\
  - dtype (Dtype): dtype of the result, also used for the computation\
  - out (Array): array of the result's shape and dtype to write to; may be\
    the argument\
  - include_initial (boolean, default false): begin with the value of no\
    elements, 0 or 1; the result has one element more along the axis\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of the shape of a, or of one axis if axis is not given\
- raises a string for complex numbers with a real dtype",
  ["cummax"] = "cuda.cummax(a [, { axis =, dtype =, out =, stream = }])\
array:cummax([{ axis =, dtype =, out =, stream = }])\
  The greatest element so far.\
\
  From the first NaN on, every result is NaN. -0.0 is less than 0.0.\
\
- a (Array)\
- options:\
  - axis (integer, default all elements in C order, as one axis)\
  - dtype (Dtype): dtype of the result, also used for the computation\
  - out (Array): array of the result's shape and dtype to write to; may be\
    the argument\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of the shape of a, or of one axis if axis is not given\
- raises a string for complex numbers",
  ["cummin"] = "cuda.cummin(a [, { axis =, dtype =, out =, stream = }])\
array:cummin([{ axis =, dtype =, out =, stream = }])\
  The least element so far.\
\
  From the first NaN on, every result is NaN. -0.0 is less than 0.0.\
\
- a (Array)\
- options:\
  - axis (integer, default all elements in C order, as one axis)\
  - dtype (Dtype): dtype of the result, also used for the computation\
  - out (Array): array of the result's shape and dtype to write to; may be\
    the argument\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of the shape of a, or of one axis if axis is not given\
- raises a string for complex numbers",
  ["sort"] = "cuda.sort(a [, { axis =, descending =, out =, stream = }])\
  Sorts a copy along an axis; array:sort works in place. NaN counts as greater\
  than every number; complex numbers are ordered by their real, then their\
  imaginary parts. -0.0 comes before 0.0.\
\
  The CPU device sorts in host memory, on all its threads. On GPUs, rows of up\
  to 4096 elements are sorted in one launch without scratch memory (a bitonic\
  network); longer ones by a radix sort (Onesweep; Adinets and Merrill, 2022),\
  which reads them once and then reads and writes them at most once per byte\
  of the dtype, with scratch memory for a copy. Other axes than the last, and\
  arrays with gaps, are copied first.\
\
- a (Array)\
- options:\
  - axis (integer, default -1)\
  - descending (boolean, default false): greatest first\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): a sorted copy\
- raises a string for structs",
  ["argsort"] = "cuda.argsort(a [, { axis =, descending =, out =, stream = }])\
array:argsort([{ axis =, descending =, out =, stream = }])\
  Returns the indices that sort an array along an axis. The sort is stable,\
  also when descending: equal elements keep their order, as do -0.0 and 0.0,\
  and NaNs. NaN counts as greater than every number; complex numbers are\
  ordered by their real, then their imaginary parts.\
\
  The CPU device sorts in host memory, on all its threads. On GPUs, rows of up\
  to 4096 elements are sorted in one launch without scratch memory (a bitonic\
  network); longer ones by a radix sort (Onesweep; Adinets and Merrill, 2022),\
  which reads them once and then reads and writes them at most once per byte\
  of the dtype, with scratch memory for the keys and their 32-bit indices (two\
  copies of each for dtypes of 4 and 8 bytes).\
\
- a (Array)\
- options:\
  - axis (integer, default -1)\
  - descending (boolean, default false): greatest first\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): int64 indices from 1, of the shape of a\
- raises a string for structs",
  ["unique"] = "cuda.unique(a [, { return_index =, return_inverse =, return_counts =, stream =\
    }])\
array:unique([{ return_index =, return_inverse =, return_counts =, stream =\
    }])\
  Returns the distinct values in ascending order. Indices start at 1 and count\
  in C order. -0.0 and 0.0 are one value, and so are all NaNs. Waits for the\
  number of values.\
\
- a (Array)\
- options:\
  - return_index (boolean, default false): also return where each value\
    occurs first\
  - return_inverse (boolean, default false): also return, in the shape of\
    a, the index of each element's value\
  - return_counts (boolean, default false): also return how often each value\
    occurs\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): the values, of one axis\
- returns ... (Array): int64: the index, the inverse and the counts, as\
  requested\
- raises a string for structs",
  ["compress"] = "cuda.compress(a, mask [, { axis =, out =, stream = }])\
array:compress(mask [, { axis =, out =, stream = }])\
  Returns the elements where the mask is true, in C order; a mask of fewer\
  axes than the array selects rows. a[mask] does the same. Reads the mask\
  once, waits for the number of elements, then reads and writes only what is\
  selected.\
\
- a (Array)\
- mask (Array): bool, of the shape of the array's first axes\
- options:\
  - axis (integer): axis that a mask of one axis selects from\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array)\
- raises a string if the mask's shape does not fit",
  ["nonzero"] = "cuda.nonzero(a [, { stream = }])\
array:nonzero([{ stream = }])\
  Returns where elements are not zero, in C order. Waits for their number. The\
  results share one block of memory.\
\
- a (Array)\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): int64 indices from 1, along the first axis\
- returns ... (Array): the same for each further axis\
- raises a string for an array without axes",
  ["putmask"] = "cuda.putmask(a, mask, values [, { stream = }])\
array:putmask(mask, values [, { stream = }])\
  Writes where the mask is true: one value, or the element at the same place\
  of an array of the same shape. NumPy's putmask repeats a shorter array; this\
  one raises an error.\
\
- a (Array)\
- mask (Array): bool, of the shape of the array's first axes\
- values (Array|table|number|boolean|Complex|Scalar): converted to the\
  array's dtype\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): the array that was written\
- raises a string if the mask's shape does not fit",
  ["place"] = "cuda.place(a, mask, values [, { stream = }])\
array:place(mask, values [, { stream = }])\
  Writes where the mask is true: one value, or one value for each selected\
  element, in C order. Unless there is one value, the call waits for the\
  number of selected elements. a[mask] = values does the same, and takes an\
  array of the same shape as putmask does.\
\
- a (Array)\
- mask (Array): bool, of the shape of the array's first axes\
- values (Array|table|number|boolean|Complex|Scalar): converted to the\
  array's dtype\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): the array that was written\
- raises a string if the mask's shape does not fit, or the number of values",
  ["take"] = "cuda.take(a, indices [, { axis =, out =, mode =, stream = }])\
array:take(indices [, { axis =, out =, mode =, stream = }])\
  Returns elements by index along an axis. a[indices] takes along the first\
  axis.\
\
- a (Array)\
- indices (Array|integer|table): integers of any shape, from 1 or negative\
  from the end\
- options:\
  - axis (integer, default all elements in C order, as one axis)\
  - out (Array): array of the result's shape and dtype to write to\
  - mode (\"raise\"|\"clip\"|\"wrap\", default \"raise\"): treatment of indices\
    outside: raise an error, which waits for the check; take the nearest\
    element (negative indices are outside, too); or take (i - 1) % n + 1, so\
    that 0 is the last\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of the shape of a with the axis replaced by the shape of\
  indices; an integer drops the axis\
- raises a string for an index outside, with mode = \"raise\"",
  ["put"] = "cuda.put(a, indices, values [, { mode =, stream = }])\
array:put(indices, values [, { mode =, stream = }])\
  Writes elements by index, in C order as one axis: one value, one for each\
  index, or values whose shape broadcasts to that of the indices. Any other\
  number of values is an error. If an index occurs twice, it is undefined\
  which of its values stays. With mode = \"raise\" all indices are checked\
  before anything is written.\
\
- a (Array)\
- indices (Array|integer|table): integers of any shape, from 1 or negative\
  from the end\
- values (Array|table|number|boolean|Complex|Scalar): converted to the\
  array's dtype\
- options:\
  - mode (\"raise\"|\"clip\"|\"wrap\", default \"raise\"): treatment of indices\
    outside: raise an error, which waits for the check; take the nearest\
    element (negative indices are outside, too); or take (i - 1) % n + 1, so\
    that 0 is the last\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): the array that was written\
- raises a string for an index outside, with mode = \"raise\"",
  ["concatenate"] = "cuda.concatenate(arrays [, { axis =, out =, dtype =, stream = }])\
  Joins arrays along an axis.\
\
- arrays (Array[]): at least one\
- options:\
  - axis (integer, default 1)\
  - out (Array): array of the result's shape and dtype to write to\
  - dtype (Dtype, default the common dtype of all): dtype of the result\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array)\
- raises a string if the shapes differ in another axis",
  ["stack"] = "cuda.stack(arrays [, { axis =, out =, dtype =, stream = }])\
  Joins arrays along a new axis.\
\
- arrays (Array[]): at least one, of one shape\
- options:\
  - axis (integer, default 1)\
  - out (Array): array of the result's shape and dtype to write to\
  - dtype (Dtype, default the common dtype of all): dtype of the result\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array)\
- raises a string if the shapes differ",
  ["gather"] = "cuda.gather(parts [, { axis =, device =, out =, stream = }])\
  Joins arrays along an axis, wherever they are: the reverse of cuda.split_to.\
\
- parts (Array[]): at least one, of one dtype, on any devices\
- options:\
  - axis (integer, default 1): axis along which they are joined\
  - device (Device|integer|string, default that of out or stream, else\
    the current device)\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the\
    copies\
- returns (Array)\
- raises a string if the dtypes differ, or the shapes otherwise",
  ["isclose"] = "cuda.isclose(a, b [, { rtol =, atol =, equal_nan =, out =, stream = }])\
array:isclose(b [, { rtol =, atol =, equal_nan =, out =, stream = }])\
  Returns where two values are equal or close: where |a - b| <= atol + rtol *\
  |b|. Integers are compared as float64; float16 and bfloat16 are computed in\
  float32. An infinity is close to itself only.\
\
- a (Array|number|boolean|Complex|Scalar): one of them an array\
- b (Array|number|boolean|Complex|Scalar): broadcast against a\
- options:\
  - rtol (number, default 1e-5): tolerance relative to b\
  - atol (number, default 1e-8): absolute tolerance\
  - equal_nan (boolean, default false): whether NaN equals NaN\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): bool\
- raises a string for shapes that do not fit",
  ["allclose"] = "cuda.allclose(a, b [, { rtol =, atol =, equal_nan =, stream = }])\
array:allclose(b [, { rtol =, atol =, equal_nan =, stream = }])\
  Returns whether all elements are close, as cuda.isclose defines it; true for\
  no elements. Reads both arrays once, and waits.\
\
- a (Array|number|boolean|Complex|Scalar): one of them an array\
- b (Array|number|boolean|Complex|Scalar): broadcast against a\
- options:\
  - rtol (number, default 1e-5): tolerance relative to b\
  - atol (number, default 1e-8): absolute tolerance\
  - equal_nan (boolean, default false): whether NaN equals NaN\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (boolean)\
- raises a string for shapes that do not fit",
  ["array_equal"] = "cuda.array_equal(a, b [, { equal_nan =, stream = }])\
  Returns whether two arrays have the same shape and equal elements. The\
  dtypes may differ; integers are compared exactly. The elements are compared\
  on the device, which the call waits for; array:equals compares them on the\
  host.\
\
- a (Array)\
- b (Array)\
- options:\
  - equal_nan (boolean, default false): whether NaN equals NaN\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (boolean)",
  ["nan_to_num"] = "cuda.nan_to_num(a [, { nan =, posinf =, neginf =, out =, stream = }])\
array:nan_to_num([{ nan =, posinf =, neginf =, out =, stream = }])\
  Returns the array with numbers in place of NaN and infinity. The parts of\
  complex numbers are replaced separately; booleans and integers stay as they\
  are.\
\
- a (Array)\
- options:\
  - nan (number, default 0): replaces NaN\
  - posinf (number): replaces infinity (the largest number of the dtype)\
  - neginf (number): replaces -infinity (the smallest number of the dtype)\
  - out (Array): array of the result's shape and dtype to write to; may be\
    the argument\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of the shape and dtype of a",
  ["average"] = "cuda.average(a [, { axis =, weights =, keepdims =, returned =, out =, stream =\
    }])\
array:average([{ axis =, weights =, keepdims =, returned =, out =, stream =\
    }])\
  Returns the sum of the products with the weights, divided by the sum of the\
  weights; without weights the mean. The dtype is the common one, for booleans\
  and integers joined with float64. Reads the elements once. Weights that add\
  up to 0 give NaN or an infinity.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - weights (Array|number[], default 1): in the shape of a or of its\
    reduced axes in the order given; a list has a's float dtype\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - returned (boolean, default false): also return the sum of the weights\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- returns (Array|number|Complex?): the sum of the weights, if returned\
- raises a string for weights whose shape does not fit",
  ["ptp"] = "cuda.ptp(a [, { axis =, keepdims =, out =, stream = }])\
array:ptp([{ axis =, keepdims =, out =, stream = }])\
  Returns the greatest element less the least (\"peak to peak\"), in a's dtype,\
  in which integers wrap around; NaN where an element is NaN.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for a reduction of no elements, for booleans and for complex\
  numbers",
  ["cov"] = "cuda.cov(m [, y] [, { rowvar =, bias =, ddof =, fweights =, aweights =, y =,\
    dtype =, stream = }])\
  Returns the covariances of all pairs of variables. The divisor is that of\
  NumPy. Weights are not checked for negative ones.\
\
- m (Array): a variable in each row and an observation in each column, or\
  one variable\
- y (Array): more variables of the same observations\
- options:\
  - rowvar (boolean, default true): whether the variables are the rows;\
    false: the columns\
  - bias (boolean, default false): use ddof 0\
  - ddof (integer, default 1): subtracted from the number of observations in\
    the divisor\
  - fweights (Array|integer[]): how often each observation counts\
  - aweights (Array|number[]): weights of the observations\
  - y (Array): in place of the parameter\
  - dtype (Dtype, default that of the arguments, joined with float64): dtype\
    of the result and of the computation\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of the shape {variables, variables}; without axes for one\
  variable\
- raises a string for numbers of observations that differ",
  ["corrcoef"] = "cuda.corrcoef(m [, y] [, { rowvar =, y =, dtype =, stream = }])\
  Returns the correlation of all pairs of variables: the covariance over both\
  standard deviations, from -1 to 1; NaN for a variable that does not vary.\
\
- m (Array): a variable in each row and an observation in each column, or\
  one variable\
- y (Array): more variables of the same observations\
- options:\
  - rowvar (boolean, default true): whether the variables are the rows;\
    false: the columns\
  - y (Array): in place of the parameter\
  - dtype (Dtype, default that of the arguments, joined with float64): dtype\
    of the result and of the computation\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of the shape {variables, variables}; without axes for one\
  variable\
- raises a string for numbers of observations that differ",
  ["median"] = "cuda.median(a [, { axis =, keepdims =, out =, stream = }])\
array:median([{ axis =, keepdims =, out =, stream = }])\
  Returns the middle element in ascending order, or the mean of the two in the\
  middle; NaN where an element is NaN or there are none. Booleans and integers\
  give float64. The elements are sorted in a copy.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist",
  ["quantile"] = "cuda.quantile(a, q [, { axis =, keepdims =, method =, out =, stream = }])\
array:quantile(q [, { axis =, keepdims =, method =, out =, stream = }])\
  Returns the elements at fractions of the way from the least to the greatest.\
  The shape is that of q, then that of the reduction. Interpolated values have\
  a's float dtype, or float64, joined with the dtype of q if it is an Array;\
  the others a's own. NaN where an element is NaN. The elements are sorted in\
  a copy. An Array q is read, for which the call waits.\
\
- a (Array)\
- q (number|number[]|Array): from 0 to 1\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - method (\"linear\"|\"lower\"|\"higher\"|\"nearest\"|\"midpoint\", default\
    \"linear\"): the value between two elements: interpolated, the lower one,\
    the higher one, the nearer one (of two equally near ones that with the\
    even index from 0), or their mean\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number): an array if axis, out, keepdims or several\
  quantiles are given, else a Lua value, for which the call waits\
- raises a string for no elements, for complex numbers and for a q outside",
  ["percentile"] = "cuda.percentile(a, q [, { axis =, keepdims =, method =, out =, stream = }])\
array:percentile(q [, { axis =, keepdims =, method =, out =, stream = }])\
  Returns the elements at fractions of the way from the least to the greatest.\
  The shape is that of q, then that of the reduction. Interpolated values have\
  a's float dtype, or float64, joined with the dtype of q if it is an Array;\
  the others a's own. NaN where an element is NaN. The elements are sorted in\
  a copy. An Array q is read, for which the call waits.\
\
- a (Array)\
- q (number|number[]|Array): from 0 to 100\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - method (\"linear\"|\"lower\"|\"higher\"|\"nearest\"|\"midpoint\", default\
    \"linear\"): the value between two elements: interpolated, the lower one,\
    the higher one, the nearer one (of two equally near ones that with the\
    even index from 0), or their mean\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number): an array if axis, out, keepdims or several\
  percentiles are given, else a Lua value, for which the call waits\
- raises a string for no elements, for complex numbers and for a q outside",
  ["partition"] = "cuda.partition(a, kth [, { axis =, out =, stream = }])\
  Returns a copy in which the element at each place of kth is the one that is\
  there in ascending order, no element before it is greater, and none after it\
  is less. NaN counts as greater than every number. The copy is sorted\
  completely, as by cuda.sort; array:partition works in place.\
\
- a (Array)\
- kth (integer|integer[]): places from 1 or negative from the end\
- options:\
  - axis (integer, default -1)\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array)\
- raises a string for a place outside of the axis",
  ["argpartition"] = "cuda.argpartition(a, kth [, { axis =, out =, stream = }])\
array:argpartition(kth [, { axis =, out =, stream = }])\
  Returns the indices that partition an array as cuda.partition does. They are\
  those of cuda.argsort.\
\
- a (Array)\
- kth (integer|integer[]): places from 1 or negative from the end\
- options:\
  - axis (integer, default -1)\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): int64 indices from 1, of the shape of a\
- raises a string for a place outside of the axis",
  ["topk"] = "cuda.topk(a, k [, { axis =, largest =, stream = }])\
array:topk(k [, { axis =, largest =, stream = }])\
  Returns the k greatest elements along an axis, the greatest first, and where\
  they are; or the least ones, the least first. Equal elements keep their\
  order. NaN counts as greater than every number. Sorts indices with\
  cuda.argsort.\
\
- a (Array)\
- k (integer): from 0 to the elements of the axis\
- options:\
  - axis (integer, default -1)\
  - largest (boolean, default true): the greatest elements instead of the\
    least\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of the shape of a with k elements along the axis\
- returns (Array): int64 indices from 1, of the same shape\
- raises a string for a k outside",
  ["searchsorted"] = "cuda.searchsorted(a, v [, side] [, { side =, sorter =, out =, stream = }])\
array:searchsorted(v [, side] [, { side =, sorter =, out =, stream = }])\
  Returns where values belong in a sorted array: the index, from 1 to #a + 1,\
  of the element before which a value is inserted so that the order stays.\
  NumPy's place counts from 0: it is one less. With side \"left\" the elements\
  before the place are less than the value, with \"right\" they are not greater.\
  NaN comes after all numbers. Integers of any two dtypes are compared\
  exactly, other values in the common dtype, a Lua float as float64. Does not\
  check that a is sorted. Runs a binary search for each value.\
\
- a (Array): of one axis, in ascending order\
- v (Array|number|boolean|Complex|Scalar): values to find\
- side (\"left\"|\"right\", default \"left\"): the place before or after the\
  elements that are equal\
- options:\
  - side (string): in place of the parameter\
  - sorter (Array): integers from 1 or negative from the end that sort a,\
    as from cuda.argsort; indices outside take the nearest\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|integer): int64 places from 1; for a number a Lua integer,\
  for which the call waits\
- raises a string for an array that has not one axis",
  ["digitize"] = "cuda.digitize(x, bins [, { right =, out =, stream = }])\
  Returns the bin of each value: 1 before the first edge, k + 1 after edge k,\
  up to #bins + 1 after the last edge. NumPy's number of a bin counts from 0:\
  it is one less.\
\
- x (Array|number|boolean|Scalar): values\
- bins (Array|number[]): edges that ascend or descend, where NaN is the\
  greatest; only a list is checked\
- options:\
  - right (boolean, default false): whether a bin contains its right edge\
    instead of its left one\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|integer): int64 places from 1; for a number a Lua integer,\
  for which the call waits\
- raises a string for complex numbers",
  ["bincount"] = "cuda.bincount(x [, { weights =, minlength =, stream = }])\
  Returns how often each integer occurs: element k of the result counts the\
  elements that are k. cuda.bincount(x + 1) counts integers from 0 as NumPy's\
  bincount does. Waits for the greatest element, which is the number of bins.\
  Sums of weights may differ in the last bits from call to call.\
\
- x (Array): integers from 1, of one axis\
- options:\
  - weights (Array): real numbers in the shape of the first argument, added\
    instead of 1\
  - minlength (integer, default 0): least number of bins\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of one axis: int64 counts, or float64 sums of weights\
- raises a string for an element below 1",
  ["histogram"] = "cuda.histogram(a [, bins] [, { bins =, range =, weights =, density =, stream =\
    }])\
  Counts the elements in bins. A bin contains its left edge and not its right\
  one, the last bin both. NaN and elements outside are left out. Edges\
  computed here have a's float dtype, or float64. With a number of bins and no\
  range the call waits for the least and the greatest element. The order of\
  edges in an array is not checked. Sums of weights are added in float64 and\
  may differ in the last bits from call to call.\
\
- a (Array)\
- bins (integer|number[]|Array, default 10): number of bins of equal width,\
  or the edges in ascending order\
- options:\
  - bins (integer|number[]|Array): in place of the parameter\
  - range (number[], default the least and the greatest element): first and\
    last edge\
  - weights (Array): real numbers in the shape of the first argument, added\
    instead of 1\
  - density (boolean, default false): divide by the width of each bin and\
    the sum of all, which gives float64\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of one axis: int64 counts, or sums of weights in their\
  dtype\
- returns (Array): the edges, one more than there are bins\
- raises a string for complex numbers, for a range that is not finite, and for\
  bins of equal width so narrow that edges coincide",
  ["nansum"] = "cuda.nansum(a [, { axis =, keepdims =, out =, dtype =, stream = }])\
array:nansum([{ axis =, keepdims =, out =, dtype =, stream = }])\
  The sum; 0 where all elements are NaN.\
\
  These leave NaN out. A complex number is NaN if one of its parts is. Dtypes\
  are those of cuda.sum and cuda.mean.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - dtype (Dtype): dtype of the result, also used for the computation\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist",
  ["nanprod"] = "cuda.nanprod(a [, { axis =, keepdims =, out =, dtype =, stream = }])\
array:nanprod([{ axis =, keepdims =, out =, dtype =, stream = }])\
  The product; 1 where all elements are NaN.\
\
  These leave NaN out. A complex number is NaN if one of its parts is. Dtypes\
  are those of cuda.sum and cuda.mean.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - dtype (Dtype): dtype of the result, also used for the computation\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist",
  ["nanmean"] = "cuda.nanmean(a [, { axis =, keepdims =, out =, dtype =, stream = }])\
array:nanmean([{ axis =, keepdims =, out =, dtype =, stream = }])\
  The mean; NaN where all elements are NaN.\
\
  These leave NaN out. A complex number is NaN if one of its parts is. Dtypes\
  are those of cuda.sum and cuda.mean.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - dtype (Dtype): dtype of the result, also used for the computation\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist",
  ["nanvar"] = "cuda.nanvar(a [, { axis =, keepdims =, out =, dtype =, ddof =, stream = }])\
array:nanvar([{ axis =, keepdims =, out =, dtype =, ddof =, stream = }])\
  The mean of the squared distances from the mean.\
\
  Computed as cuda.var is. For floats and complex numbers the result is NaN\
  where ddof or fewer elements are no NaN.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - dtype (Dtype): dtype of the result, also used for the computation\
  - ddof (number, default 0): subtracted from the number of elements in the\
    divisor\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist",
  ["nanstd"] = "cuda.nanstd(a [, { axis =, keepdims =, out =, dtype =, ddof =, stream = }])\
array:nanstd([{ axis =, keepdims =, out =, dtype =, ddof =, stream = }])\
  The square root of nanvar.\
\
  Computed as cuda.var is. For floats and complex numbers the result is NaN\
  where ddof or fewer elements are no NaN.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - dtype (Dtype): dtype of the result, also used for the computation\
  - ddof (number, default 0): subtracted from the number of elements in the\
    divisor\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist",
  ["nanmin"] = "cuda.nanmin(a [, { axis =, keepdims =, out =, stream = }])\
array:nanmin([{ axis =, keepdims =, out =, stream = }])\
  The least element; NaN where all elements are NaN.\
\
  Complex numbers are ordered by their real, then their imaginary parts.\
  Indices are int64 and start at 1, along the reduced axes in C order; among\
  equal elements the first counts.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist and for a reduction of no\
  elements; nanargmin and nanargmax over all axes also where all elements\
  are NaN",
  ["nanmax"] = "cuda.nanmax(a [, { axis =, keepdims =, out =, stream = }])\
array:nanmax([{ axis =, keepdims =, out =, stream = }])\
  The greatest element; NaN where all elements are NaN.\
\
  Complex numbers are ordered by their real, then their imaginary parts.\
  Indices are int64 and start at 1, along the reduced axes in C order; among\
  equal elements the first counts.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist and for a reduction of no\
  elements; nanargmin and nanargmax over all axes also where all elements\
  are NaN",
  ["nanargmin"] = "cuda.nanargmin(a [, { axis =, keepdims =, out =, stream = }])\
array:nanargmin([{ axis =, keepdims =, out =, stream = }])\
  The index of the least element; 0 where all elements are NaN.\
\
  Complex numbers are ordered by their real, then their imaginary parts.\
  Indices are int64 and start at 1, along the reduced axes in C order; among\
  equal elements the first counts.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist and for a reduction of no\
  elements; nanargmin and nanargmax over all axes also where all elements\
  are NaN",
  ["nanargmax"] = "cuda.nanargmax(a [, { axis =, keepdims =, out =, stream = }])\
array:nanargmax([{ axis =, keepdims =, out =, stream = }])\
  The index of the greatest element; 0 where all elements are NaN.\
\
  Complex numbers are ordered by their real, then their imaginary parts.\
  Indices are int64 and start at 1, along the reduced axes in C order; among\
  equal elements the first counts.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): an array if axis, out or\
  keepdims is given, else a Lua value, for which the call waits\
- raises a string for an axis that does not exist and for a reduction of no\
  elements; nanargmin and nanargmax over all axes also where all elements\
  are NaN",
  ["softmax"] = "cuda.softmax(a [, { axis =, out =, stream = }])\
array:softmax([{ axis =, out =, stream = }])\
  Returns exp(a) divided by its sum, computed from the distances to the\
  greatest element, so that nothing overflows. float16 and bfloat16 are\
  computed in float32. The greatest element and the sum come from one pass\
  (Milakov and Gimelshein, 2018), the result from a second one. Along axes\
  with a NaN or +inf, or with -inf only, it is NaN.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes along which the results add\
    up to 1\
  - out (Array): array of the result's shape and dtype to write to; may be\
    the argument\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of the shape of a\
- raises a string for complex numbers",
  ["log_softmax"] = "cuda.log_softmax(a [, { axis =, out =, stream = }])\
array:log_softmax([{ axis =, out =, stream = }])\
  Returns the logarithm of softmax, without the underflow of small\
  probabilities.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes along which the results add\
    up to 1\
  - out (Array): array of the result's shape and dtype to write to; may be\
    the argument\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): of the shape of a\
- raises a string for complex numbers",
  ["logsumexp"] = "cuda.logsumexp(a [, { axis =, keepdims =, out =, stream = }])\
array:logsumexp([{ axis =, keepdims =, out =, stream = }])\
  Returns log(sum(exp(a))) in one pass without overflow; -inf for no elements.\
\
- a (Array)\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number): an array if axis, out or keepdims is given,\
  else a number, for which the call waits\
- raises a string for complex numbers",
  ["scatter_add"] = "cuda.scatter_add(a, indices, values [, { axis =, mode =, stream = }])\
array:scatter_add(indices, values [, { axis =, mode =, stream = }])\
  Adds values to the elements at the indices; where an index repeats, all its\
  values count. An integer wraps around; for booleans it is or. Threads add in\
  no fixed order, so the last bits of float sums may change from call to call;\
  sums of integers and results of scatter_max and scatter_min do not. With\
  mode \"raise\" the call waits for the check of the indices, with the others it\
  does not.\
\
- a (Array)\
- indices (Array|table): integers, from 1 or negative from the end\
- values (Array|table|number|boolean): one value, one for each index (both\
  in C order), or values whose shape broadcasts to that of the indices; any\
  other number of values is an error\
- options:\
  - axis (integer, default all elements in C order, as one axis): axis of\
    the indices; the values then broadcast to a:take(indices, { axis = axis\
    })\
  - mode (\"raise\"|\"clip\"|\"wrap\", default \"raise\"): what to do with indices\
    outside of the axis\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): a itself\
- raises a string for wrong indices, before anything is written",
  ["scatter_max"] = "cuda.scatter_max(a, indices, values [, { axis =, mode =, stream = }])\
array:scatter_max(indices, values [, { axis =, mode =, stream = }])\
  Replaces the elements at the indices by the greatest of them and their\
  values; NaN counts as the greatest. Complex numbers raise.\
\
- a (Array)\
- indices (Array|table): integers, from 1 or negative from the end\
- values (Array|table|number|boolean): one value, one for each index (both\
  in C order), or values whose shape broadcasts to that of the indices; any\
  other number of values is an error\
- options:\
  - axis (integer, default all elements in C order, as one axis): axis of\
    the indices; the values then broadcast to a:take(indices, { axis = axis\
    })\
  - mode (\"raise\"|\"clip\"|\"wrap\", default \"raise\"): what to do with indices\
    outside of the axis\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): a itself\
- raises a string for wrong indices, before anything is written",
  ["scatter_min"] = "cuda.scatter_min(a, indices, values [, { axis =, mode =, stream = }])\
array:scatter_min(indices, values [, { axis =, mode =, stream = }])\
  Replaces the elements at the indices by the least of them and their values;\
  NaN counts as the least. Complex numbers raise.\
\
- a (Array)\
- indices (Array|table): integers, from 1 or negative from the end\
- values (Array|table|number|boolean): one value, one for each index (both\
  in C order), or values whose shape broadcasts to that of the indices; any\
  other number of values is an error\
- options:\
  - axis (integer, default all elements in C order, as one axis): axis of\
    the indices; the values then broadcast to a:take(indices, { axis = axis\
    })\
  - mode (\"raise\"|\"clip\"|\"wrap\", default \"raise\"): what to do with indices\
    outside of the axis\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): a itself\
- raises a string for wrong indices, before anything is written",
  ["interp"] = "cuda.interp(x, xp, fp [, { left =, right =, period =, out =, stream = }])\
  Returns the values at x of straight lines between the samples, each found by\
  binary search. NaN gives NaN. Samples that are not in ascending order give\
  values without meaning.\
\
- x (Array): real numbers\
- xp (Array|table): coordinates of the samples, ascending unless period is\
  given\
- fp (Array|table): the samples\
- options:\
  - left (number|Complex, default fp[1]): value below xp[1]\
  - right (number|Complex, default fp[-1]): value above xp[-1]\
  - period (number): the coordinates repeat after it; left and right are\
    not used\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): float64 or complex128, of the shape of x\
- raises a string if xp and fp differ in size or are empty",
  ["gradient"] = "cuda.gradient(a [, { spacing =, axis =, edge_order =, stream = }])\
array:gradient([{ spacing =, axis =, edge_order =, stream = }])\
  Returns derivatives: from the neighbours on both sides, of second order for\
  any spacing (Fornberg, 1988), and at the ends from one side. Differences of\
  coordinates are computed in float64, and float16 and bfloat16 in float32.\
\
- a (Array)\
- options:\
  - spacing (number|Array|table, default 1): distance between samples, for\
    all axes; or the coordinates of the samples of one axis; or a list with\
    one of these per axis\
  - axis (integer|integer[], default all): axes to differentiate along\
  - edge_order (integer, default 1): 2 takes three samples for a derivative\
    at an end\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): the derivative along the first axis, of the shape of a\
- returns ... (Array): those along the other axes\
- raises a string for an axis of edge_order elements or fewer",
  ["trapezoid"] = "cuda.trapezoid(a [, { x =, dx =, axis =, out =, stream = }])\
array:trapezoid([{ x =, dx =, axis =, out =, stream = }])\
  Returns the integral by the trapezoidal rule, in one pass; 0 for one sample.\
\
- a (Array)\
- options:\
  - x (Array): coordinates of the samples, as many as the axis has elements\
  - dx (number, default 1): distance between samples\
  - axis (integer, default -1): axis to integrate along\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|Complex): a Lua value if the result has no axes and\
  out is not given\
- raises a string for an array without axes",
  ["convolve"] = "cuda.convolve(a, v [, mode] [, { mode =, out =, stream = }])\
  Returns the discrete convolution of two sequences, sum(a[j] * v[k - j]) for\
  every shift k: for mode \"full\" all shifts at which they overlap, for \"valid\"\
  those at which they overlap completely, for \"same\" the middle ones, as many\
  as the longer sequence has elements. Each place is a sum of min(n, m)\
  products; no Fourier transform is used.\
\
- a (Array): of one axis\
- v (Array): of one axis, on the same device\
- mode (\"full\"|\"same\"|\"valid\", default \"full\"): the shifts\
- options:\
  - mode (string): in place of the parameter\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array)\
- raises a string for arrays of more axes or without elements",
  ["correlate"] = "cuda.correlate(a, v [, mode] [, { mode =, out =, stream = }])\
  Returns the cross-correlation sum(a[j + k] * conj(v[j])) for the shifts k\
  that mode names, as convolve.\
\
- a (Array): of one axis\
- v (Array): of one axis, on the same device\
- mode (\"full\"|\"same\"|\"valid\", default \"valid\"): the shifts\
- options:\
  - mode (string): in place of the parameter\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array)\
- raises a string for arrays of more axes or without elements",
  ["matmul"] = "cuda.matmul(a, b [, { out =, stream =, backend =, tf32 = }])\
array:matmul(b [, { out =, stream =, backend =, tf32 = }])\
  Returns the matrix product: {..., m, k} by {..., k, n} gives {..., m, n}.\
  The axes before the last two broadcast. A vector is a row on the left and a\
  column on the right, and its axis is not in the result.\
\
- a (Array)\
- b (Array): on the same device\
- options:\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an operand\
  - stream (Stream, default the device's current stream): stream of the work\
  - backend (\"cublas\"|\"kernel\", default the fastest): what multiplies\
    matrices: cuBLAS, which GPUs and float and complex dtypes have, or the\
    tiled kernel\
  - tf32 (boolean, default false): let cuBLAS round float32 and complex64 to\
    TF32 before it multiplies\
- returns (Array|number|boolean|Complex): a Lua value if the result has no\
  axes and out is not given\
- raises a string with both shapes if they do not fit",
  ["dot"] = "cuda.dot(a, b [, { out =, stream =, backend =, tf32 = }])\
array:dot(b [, { out =, stream =, backend =, tf32 = }])\
  Returns the sum of products over the last axis of a and the last but one of\
  b (its only axis if it has one): the scalar product of vectors, the matrix\
  product of matrices. If one of the two has no axes, the result is a * b.\
\
- a (Array)\
- b (Array): on the same device\
- options:\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an operand\
  - stream (Stream, default the device's current stream): stream of the work\
  - backend (\"cublas\"|\"kernel\", default the fastest): what multiplies\
    matrices: cuBLAS, which GPUs and float and complex dtypes have, or the\
    tiled kernel\
  - tf32 (boolean, default false): let cuBLAS round float32 and complex64 to\
    TF32 before it multiplies\
- returns (Array|number|boolean|Complex): a Lua value if the result has no\
  axes and out is not given\
- raises a string with both shapes if they do not fit",
  ["inner"] = "cuda.inner(a, b [, { out =, stream =, backend =, tf32 = }])\
array:inner(b [, { out =, stream =, backend =, tf32 = }])\
  Returns the sum of products over the last axes of both.\
\
- a (Array)\
- b (Array): on the same device\
- options:\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an operand\
  - stream (Stream, default the device's current stream): stream of the work\
  - backend (\"cublas\"|\"kernel\", default the fastest): what multiplies\
    matrices: cuBLAS, which GPUs and float and complex dtypes have, or the\
    tiled kernel\
  - tf32 (boolean, default false): let cuBLAS round float32 and complex64 to\
    TF32 before it multiplies\
- returns (Array|number|boolean|Complex): a Lua value if the result has no\
  axes and out is not given\
- raises a string with both shapes if they do not fit",
  ["outer"] = "cuda.outer(a, b [, { out =, stream =, backend =, tf32 = }])\
array:outer(b [, { out =, stream =, backend =, tf32 = }])\
  Returns the products of all elements of a with all elements of b.\
\
- a (Array)\
- b (Array): on the same device\
- options:\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an operand\
  - stream (Stream, default the device's current stream): stream of the work\
  - backend (\"cublas\"|\"kernel\", default the fastest): what multiplies\
    matrices: cuBLAS, which GPUs and float and complex dtypes have, or the\
    tiled kernel\
  - tf32 (boolean, default false): let cuBLAS round float32 and complex64 to\
    TF32 before it multiplies\
- returns (Array): of shape {a.size, b.size}",
  ["vdot"] = "cuda.vdot(a, b [, { out =, stream =, backend =, tf32 = }])\
array:vdot(b [, { out =, stream =, backend =, tf32 = }])\
  Returns the sum of conj(a) * b over all elements in C order.\
\
- a (Array)\
- b (Array): on the same device\
- options:\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an operand\
  - stream (Stream, default the device's current stream): stream of the work\
  - backend (\"cublas\"|\"kernel\", default the fastest): what multiplies\
    matrices: cuBLAS, which GPUs and float and complex dtypes have, or the\
    tiled kernel\
  - tf32 (boolean, default false): let cuBLAS round float32 and complex64 to\
    TF32 before it multiplies\
- returns (Array|number|boolean|Complex): a Lua value if the result has no\
  axes and out is not given\
- raises a string if the sizes differ",
  ["tensordot"] = "cuda.tensordot(a, b [, axes] [, { axes =, out =, stream =, backend =, tf32 =\
    }])\
  Returns the sum of products over pairs of axes. The result has the other\
  axes of a, then those of b. It is one product of matrices.\
\
- a (Array)\
- b (Array): on the same device\
- axes (integer|table, default 2): how many of the last axes of a and the\
  first of b to sum over, or a list of axes of each: { { 2, 1 }, { 1, 2 }\
  }\
- options:\
  - axes (integer|table): in place of the parameter\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an operand\
  - stream (Stream, default the device's current stream): stream of the work\
  - backend (\"cublas\"|\"kernel\", default the fastest): what multiplies\
    matrices: cuBLAS, which GPUs and float and complex dtypes have, or the\
    tiled kernel\
  - tf32 (boolean, default false): let cuBLAS round float32 and complex64 to\
    TF32 before it multiplies\
- returns (Array|number|boolean|Complex): a Lua value if the result has no\
  axes and out is not given\
- raises a string with both shapes if they do not fit",
  ["kron"] = "cuda.kron(a, b [, { out =, stream = }])\
  Returns the Kronecker product: b times each element of a, as blocks. Each\
  extent of the result is the product of theirs; missing axes in front have\
  one element.\
\
- a (Array)\
- b (Array): on the same device\
- options:\
  - out (Array): array of the result's shape and dtype to write to; may be\
    an operand\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): a Lua value if the result has no\
  axes and out is not given",
  ["einsum"] = "cuda.einsum(subscripts, ...)\
  Returns the sum of products over all letters that the result lacks:\
  cuda.einsum(\"bij,bjk->bik\", a, b) multiplies batches of matrices. ... stands\
  for any further axes, which broadcast, as axes of one element do. A letter\
  twice in one operand takes its diagonal. Without -> the result has the axes\
  of ... and then the letters that occur once, in alphabetical order.\
\
  Operands are contracted two at a time, the pair with the smallest result\
  first. A pair becomes a product of matrices, a reduction or a product of\
  elements. One operand that is only transposed, or whose diagonal is taken,\
  gives a view where its strides allow it.\
\
- subscripts (string): a letter for each axis of each operand, with commas\
  between operands, and optionally -> with the letters of the result\
- ... (Array|table): the operands, then optionally a table of the options\
  out, stream, backend and tf32\
- returns (Array|number|boolean|Complex): a Lua value if the result has no\
  axes and out is not given\
- raises a string for subscripts that do not fit the operands",
  ["trace"] = "cuda.trace(a [, { out =, dtype =, stream = }])\
array:trace([{ out =, dtype =, stream = }])\
  Returns the sum of the diagonal.\
\
- a (Array): a matrix\
- options:\
  - out (Array): array without axes to write to\
  - dtype (Dtype, default int64 for integers, uint64 for unsigned ones, else\
    that of a)\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): a Lua value if out is not given\
- raises a string if a is not a matrix",
  ["norm"] = "cuda.norm(a [, ord] [, { ord =, axis =, keepdims =, out =, stream = }])\
array:norm([ord] [, { ord =, axis =, keepdims =, out =, stream = }])\
  Returns norms. Without axis and ord it is the root of the sum of all\
  squares.\
\
  - For vectors ord is 2, 1, math.huge (the largest absolute value),\
    -math.huge (the smallest), 0 (the number of elements that are not zero) or\
    any other p.\
\
  - For matrices it is \"fro\", 1 or -1 (the largest or smallest sum of a\
    column), math.huge or -math.huge (of a row), of absolute values.\
\
  The result has the float dtype of a (float64 for integers, the real dtype\
  for complex numbers); 16-bit dtypes are computed in float32.\
\
- a (Array)\
- ord (number|string, default 2, for matrices \"fro\"): the norm\
- options:\
  - ord (number|string): in place of the parameter\
  - axis (integer|integer[], default all; with ord those of a vector or\
    matrix): one axis of vectors or two axes of matrices\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array): array of the result's shape and dtype to write to\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number): an array if axis, out or keepdims is given\
- raises a string if ord is not a norm of vectors or matrices",
  ["random"] = "cuda.random\
  The functions below, which draw from the default generator. It is made with\
  a random seed when it is first needed.\
\
- type (Random)",
  ["from_dlpack"] = "cuda.from_dlpack(tensor [, name] [, { stream = }])\
  Makes an array of a tensor and takes the tensor over. Its deleter is called\
  when the array and all its views are gone and no queued work uses the\
  memory, on whichever thread notices. Memory of the host (also page-locked\
  and managed memory) becomes an array of the CPU device, and GPUs that can\
  reach the memory may use it.\
\
  A tensor that an array of LuaCUDA was made into gives back the same memory,\
  so that work on both arrays is ordered.\
\
  An object of another library has a metamethod __dlpack, or a field if it is\
  a table: a function of the object and of a table with max_version, a list of\
  two integers, and stream, the handle of the stream on which the memory will\
  be used, as a light userdata. It returns a capsule, or a pointer and its\
  name.\
\
- tensor (Capsule|lightuserdata|any): a tensor: a capsule, a pointer, or an\
  object with __dlpack\
- name (\"dltensor_versioned\"|\"dltensor\"): what a pointer points to: a\
  DLManagedTensorVersioned of version 1.x, or a DLManagedTensor\
- options:\
  - stream (Stream, default the current stream of the tensor's device): the\
    work queued on it so far comes before every use of the memory\
- returns (Array): over the tensor's memory\
- raises a string if the tensor cannot be an array: a type without a dtype, a\
  device that does not exist, more than 16 axes; the tensor is not consumed\
  then",
  ["open_ipc"] = "cuda.open_ipc(handle [, { dtype = }])\
  Opens an array or an event of another process: both processes use the same\
  memory. The array has the shape, strides and dtype of the one that the\
  handle was made of. A second array over the same memory has the same\
  address, and work on both is ordered. In the process that made the array,\
  the result is one more array over its memory. An event cannot be opened in\
  the process that made it.\
\
  The memory is closed with the last array over it, after the work that uses\
  it. Work of other processes is not ordered automatically: use an event of\
  both.\
\
- handle (string): of array:ipc_handle or event:ipc_handle\
- options:\
  - dtype (Dtype, default that of the handle): the struct; each process\
    declares it\
- returns (Array|Event)\
- raises a string for a string that is not a whole handle; runtime if this\
  process does not see the device, or if the process that made the handle has\
  ended or has freed the memory; logic for an array that this process has\
  closed itself",
  ["poll"] = "cuda.poll()\
  Runs the functions of stream:call that are ready. For programs with a loop\
  of their own.\
\
- returns (integer): the number of functions that ran",
  ["input"] = "cuda.input(value)\
  Wraps a host value for one launch, which copies it to the device. Tables and\
  bytes get the parameter's dtype.\
\
- value (table|string|Array)\
- returns (Argument)",
  ["output"] = "cuda.output(value)\
  Wraps a host value for one launch, which fills it with what the kernel\
  wrote. The launch returns when the table or the array in host memory is\
  complete. An array in device memory is passed as it is, and the launch does\
  not wait.\
\
- value (table|Array)\
- returns (Argument)",
  ["inout"] = "cuda.inout(value)\
  Wraps a host value for one launch as both cuda.input and cuda.output do.\
\
- value (table|Array)\
- returns (Argument)",
  ["raw"] = "cuda.raw(a)\
  Passes the address of a view's first element, whatever its strides.\
\
- a (Array)\
- returns (Argument)",
  ["ptr"] = "cuda.ptr(address)\
  Makes an address that can be an argument. It is not checked.\
\
- address (integer)\
- returns (Pointer)",
  ["null"] = "cuda.null\
  The null pointer as an argument.\
\
- type (Pointer)",
  ["kernel"] = "cuda.kernel(source [, name] [, { source =, path =, binary =, flags =,\
    defines =, include_dirs =, headers =, std =, arch =, backend =, nvcc =,\
    extern_c =, host =, debug =, lineinfo =, fast_math =, rdc =, cache =,\
    cache_dir =, keep =, name =, instances =, sources =, binaries =,\
    libraries =, jit =, lto =, on_message =, on_load = }])\
cuda.kernel{ source =, name =, ... }\
  Makes a kernel from source.\
\
- source (string|Source): CUDA C++ (PTX and machine code are recognized)\
- name (string, default the only kernel): kernel to return\
- options:\
  - source (string|Source): in a call with one table; exactly one of\
    source, path and binary\
  - path (string): file with the source\
  - binary (string): PTX or machine code; damaged or padded code raises\
  - flags (string|string[]): flags for the compiler: one, or a list with an\
    item for each\
  - defines (table): macros: name to number, string or boolean\
  - include_dirs (string|string[]): folders of included files\
  - headers (table): included files in memory: name to text\
  - std (string, default \"c++17\"): C++ standard\
  - arch (string, default \"native\"): \"sm_NN\": machine code, for devices of\
    that major and this or a later minor version; \"compute_NN\": PTX, for\
    those and all later devices; \"native\": the device's\
  - backend (\"nvrtc\"|\"nvcc\", default \"nvrtc\"): compiler: NVRTC is a library;\
    nvcc is a program of the CUDA toolkit, which runs once for each source and\
    whose headers are those of the host's C++\
  - nvcc (string, default found): with that backend the program: its path,\
    or its name in PATH\
  - extern_c (boolean, default false): give the source C linkage, as with\
    extern \"C\" { } around it: includes that are in no braces stay outside\
  - host (\"strip\"): take host code out before compiling, as in a .cu file\
    written for nvcc: functions, variables and classes that are not for\
    devices, the headers they need, and using std. It becomes spaces, so\
    lines keep their numbers. The user's headers that the source includes are\
    treated the same way. Types, templates, constants and __host__\
    __device__ functions stay if kernels, device functions or names in\
    instances use them. NVRTC only\
  - debug (boolean, default false): compile for debuggers\
  - lineinfo (boolean, default true): keep source lines, for messages and\
    profilers\
  - fast_math (boolean, default false): faster and less exact arithmetic\
  - rdc (boolean, default false): relocatable device code, which is linked:\
    what it declares extern must be defined in it or in what is linked with\
    it; excludes arch = \"sm_NN\"\
  - cache (boolean, default true): look up the compiled code and keep it\
  - cache_dir (string): folder to keep compiled code in, in place of the\
    common one\
  - keep (string): folder that receives each source, its code and the\
    compiler's log, as files named after the source\
  - name (string): in place of the parameter\
  - instances (string|string[]): template instances to compile with it\
  - sources (any[]): further sources, each compiled by itself and linked: a\
    text, the name of a file, { source = } or { path = }\
  - binaries (any[]): code to link: PTX, relocatable machine code, object\
    files and libraries as bytes or names of files, or { binary =, path =,\
    kind =, name = }; kinds are \"ptx\", \"cubin\", \"fatbin\", \"object\",\
    \"library\" and \"ltoir\"\
  - libraries (string[]): device libraries to link: paths, or names such as\
    \"cudadevrt\", which is searched in the CUDA toolkit\
  - jit (table): options of the driver's PTX compiler and linker:\
    max_registers, threads_per_block, optimization (0 to 4), target\
    (\"sm_NN\"), fallback (\"ptx\" or \"binary\"; not where code is linked),\
    cache_mode (\"none\", \"cg\" or \"ca\"), debug, lineinfo, verbose;\
    source is then compiled to PTX\
  - lto (boolean, default false): optimize across sources when linking, with\
    nvJitLink; so does code of the kind \"ltoir\" among binaries\
  - on_message (function): called with whether the driver accepted the code,\
    its messages and its errors: function(ok, info, errors)\
  - on_load (function): called with the module and the device after the code\
    is loaded there, before the first launch; for example to set variables\
- returns (Kernel)\
- raises runtime if the file at path cannot be read; compile at the\
  first use",
  ["module"] = "cuda.module(source [, { source =, path =, binary =, flags =, defines =,\
    include_dirs =, headers =, std =, arch =, backend =, nvcc =, extern_c =,\
    host =, debug =, lineinfo =, fast_math =, rdc =, cache =, cache_dir =,\
    keep =, instances =, sources =, binaries =, libraries =, jit =, lto =,\
    on_message =, on_load = }])\
cuda.module{ source =, ... }\
  Makes a module: the kernels and variables of one source, or of several\
  sources and compiled code that are linked.\
\
- source (string|Source): CUDA C++ (PTX and machine code are recognized)\
- options:\
  - source (string|Source): in a call with one table; exactly one of\
    source, path and binary\
  - path (string): file with the source\
  - binary (string): PTX or machine code; damaged or padded code raises\
  - flags (string|string[]): flags for the compiler: one, or a list with an\
    item for each\
  - defines (table): macros: name to number, string or boolean\
  - include_dirs (string|string[]): folders of included files\
  - headers (table): included files in memory: name to text\
  - std (string, default \"c++17\"): C++ standard\
  - arch (string, default \"native\"): \"sm_NN\": machine code, for devices of\
    that major and this or a later minor version; \"compute_NN\": PTX, for\
    those and all later devices; \"native\": the device's\
  - backend (\"nvrtc\"|\"nvcc\", default \"nvrtc\"): compiler: NVRTC is a library;\
    nvcc is a program of the CUDA toolkit, which runs once for each source and\
    whose headers are those of the host's C++\
  - nvcc (string, default found): with that backend the program: its path,\
    or its name in PATH\
  - extern_c (boolean, default false): give the source C linkage, as with\
    extern \"C\" { } around it: includes that are in no braces stay outside\
  - host (\"strip\"): take host code out before compiling, as in a .cu file\
    written for nvcc: functions, variables and classes that are not for\
    devices, the headers they need, and using std. It becomes spaces, so\
    lines keep their numbers. The user's headers that the source includes are\
    treated the same way. Types, templates, constants and __host__\
    __device__ functions stay if kernels, device functions or names in\
    instances use them. NVRTC only\
  - debug (boolean, default false): compile for debuggers\
  - lineinfo (boolean, default true): keep source lines, for messages and\
    profilers\
  - fast_math (boolean, default false): faster and less exact arithmetic\
  - rdc (boolean, default false): relocatable device code, which is linked:\
    what it declares extern must be defined in it or in what is linked with\
    it; excludes arch = \"sm_NN\"\
  - cache (boolean, default true): look up the compiled code and keep it\
  - cache_dir (string): folder to keep compiled code in, in place of the\
    common one\
  - keep (string): folder that receives each source, its code and the\
    compiler's log, as files named after the source\
  - instances (string|string[]): template instances to compile with it\
  - sources (any[]): further sources, each compiled by itself and linked: a\
    text, the name of a file, { source = } or { path = }\
  - binaries (any[]): code to link: PTX, relocatable machine code, object\
    files and libraries as bytes or names of files, or { binary =, path =,\
    kind =, name = }; kinds are \"ptx\", \"cubin\", \"fatbin\", \"object\",\
    \"library\" and \"ltoir\"\
  - libraries (string[]): device libraries to link: paths, or names such as\
    \"cudadevrt\", which is searched in the CUDA toolkit\
  - jit (table): options of the driver's PTX compiler and linker:\
    max_registers, threads_per_block, optimization (0 to 4), target\
    (\"sm_NN\"), fallback (\"ptx\" or \"binary\"; not where code is linked),\
    cache_mode (\"none\", \"cg\" or \"ca\"), debug, lineinfo, verbose;\
    source is then compiled to PTX\
  - lto (boolean, default false): optimize across sources when linking, with\
    nvJitLink; so does code of the kind \"ltoir\" among binaries\
  - on_message (function): called with whether the driver accepted the code,\
    its messages and its errors: function(ok, info, errors)\
  - on_load (function): called with the module and the device after the code\
    is loaded there, before the first launch; for example to set variables\
- returns (Module)\
- raises runtime if the file at path cannot be read; compile at the\
  first use",
  ["linker"] = "cuda.linker([{ flags =, defines =, include_dirs =, headers =, std =, arch =,\
    backend =, nvcc =, extern_c =, host =, debug =, lineinfo =, fast_math =,\
    rdc =, cache =, cache_dir =, keep =, jit =, lto =, on_message = }])\
  Makes a linker, which collects code one by one.\
\
- options:\
  - flags (string|string[]): flags for the compiler: one, or a list with an\
    item for each\
  - defines (table): macros: name to number, string or boolean\
  - include_dirs (string|string[]): folders of included files\
  - headers (table): included files in memory: name to text\
  - std (string, default \"c++17\"): C++ standard\
  - arch (string, default \"native\"): \"sm_NN\": machine code, for devices of\
    that major and this or a later minor version; \"compute_NN\": PTX, for\
    those and all later devices; \"native\": the device's\
  - backend (\"nvrtc\"|\"nvcc\", default \"nvrtc\"): compiler: NVRTC is a library;\
    nvcc is a program of the CUDA toolkit, which runs once for each source and\
    whose headers are those of the host's C++\
  - nvcc (string, default found): with that backend the program: its path,\
    or its name in PATH\
  - extern_c (boolean, default false): give the source C linkage, as with\
    extern \"C\" { } around it: includes that are in no braces stay outside\
  - host (\"strip\"): take host code out before compiling, as in a .cu file\
    written for nvcc: functions, variables and classes that are not for\
    devices, the headers they need, and using std. It becomes spaces, so\
    lines keep their numbers. The user's headers that the source includes are\
    treated the same way. Types, templates, constants and __host__\
    __device__ functions stay if kernels, device functions or names in\
    instances use them. NVRTC only\
  - debug (boolean, default false): compile for debuggers\
  - lineinfo (boolean, default true): keep source lines, for messages and\
    profilers\
  - fast_math (boolean, default false): faster and less exact arithmetic\
  - rdc (boolean, default false): relocatable device code, which is linked:\
    what it declares extern must be defined in it or in what is linked with\
    it; excludes arch = \"sm_NN\"\
  - cache (boolean, default true): look up the compiled code and keep it\
  - cache_dir (string): folder to keep compiled code in, in place of the\
    common one\
  - keep (string): folder that receives each source, its code and the\
    compiler's log, as files named after the source\
  - jit (table): options of the driver's PTX compiler and linker:\
    max_registers, threads_per_block, optimization (0 to 4), target\
    (\"sm_NN\"), fallback (\"ptx\" or \"binary\"; not where code is linked),\
    cache_mode (\"none\", \"cg\" or \"ca\"), debug, lineinfo, verbose;\
    source is then compiled to PTX\
  - lto (boolean, default false): optimize across sources when linking, with\
    nvJitLink; so does code of the kind \"ltoir\" among binaries\
  - on_message (function): called with whether the driver accepted the code,\
    its messages and its errors: function(ok, info, errors)\
- returns (Linker)",
  ["compile"] = "cuda.compile(source [, { source =, path =, binary =, flags =, defines =,\
    include_dirs =, headers =, std =, arch =, backend =, nvcc =, extern_c =,\
    host =, debug =, lineinfo =, fast_math =, rdc =, cache =, cache_dir =,\
    keep =, target =, instances = }])\
cuda.compile{ source =, ... }\
  Compiles source without loading it.\
\
- source (string|Source): CUDA C++ (PTX and machine code are recognized)\
- options:\
  - source (string|Source): in a call with one table; exactly one of\
    source, path and binary\
  - path (string): file with the source\
  - binary (string): PTX or machine code; damaged or padded code raises\
  - flags (string|string[]): flags for the compiler: one, or a list with an\
    item for each\
  - defines (table): macros: name to number, string or boolean\
  - include_dirs (string|string[]): folders of included files\
  - headers (table): included files in memory: name to text\
  - std (string, default \"c++17\"): C++ standard\
  - arch (string, default \"native\"): \"sm_NN\": machine code, for devices of\
    that major and this or a later minor version; \"compute_NN\": PTX, for\
    those and all later devices; \"native\": the device's\
  - backend (\"nvrtc\"|\"nvcc\", default \"nvrtc\"): compiler: NVRTC is a library;\
    nvcc is a program of the CUDA toolkit, which runs once for each source and\
    whose headers are those of the host's C++\
  - nvcc (string, default found): with that backend the program: its path,\
    or its name in PATH\
  - extern_c (boolean, default false): give the source C linkage, as with\
    extern \"C\" { } around it: includes that are in no braces stay outside\
  - host (\"strip\"): take host code out before compiling, as in a .cu file\
    written for nvcc: functions, variables and classes that are not for\
    devices, the headers they need, and using std. It becomes spaces, so\
    lines keep their numbers. The user's headers that the source includes are\
    treated the same way. Types, templates, constants and __host__\
    __device__ functions stay if kernels, device functions or names in\
    instances use them. NVRTC only\
  - debug (boolean, default false): compile for debuggers\
  - lineinfo (boolean, default true): keep source lines, for messages and\
    profilers\
  - fast_math (boolean, default false): faster and less exact arithmetic\
  - rdc (boolean, default false): relocatable device code, which is linked:\
    what it declares extern must be defined in it or in what is linked with\
    it; excludes arch = \"sm_NN\"\
  - cache (boolean, default true): look up the compiled code and keep it\
  - cache_dir (string): folder to keep compiled code in, in place of the\
    common one\
  - keep (string): folder that receives each source, its code and the\
    compiler's log, as files named after the source\
  - target (\"ptx\"|\"cubin\"|\"ltoir\"|\"fatbin\", default \"ptx\"): kind of code; a\
    fat binary needs backend = \"nvcc\", and flags such as\
    \"-gencode=arch=compute_90,code=sm_90\" list what is in it\
  - instances (string|string[]): template instances to compile with it\
- returns (string): the compiled code\
- returns (string): the compiler's log\
- raises compile; runtime if the file at path cannot be read",
  ["preprocess"] = "cuda.preprocess(source [, { source =, path =, binary =, flags =, defines =,\
    include_dirs =, headers =, std =, arch =, backend =, nvcc =, extern_c =,\
    host =, debug =, lineinfo =, fast_math =, rdc =, cache =, cache_dir =,\
    keep =, instances = }])\
cuda.preprocess{ source =, ... }\
  Returns the source as it is after the preprocessor, with nvcc, which has to\
  be installed: NVRTC does not show this text.\
\
- source (string|Source): CUDA C++ (PTX and machine code are recognized)\
- options:\
  - source (string|Source): in a call with one table; exactly one of\
    source, path and binary\
  - path (string): file with the source\
  - binary (string): PTX or machine code; damaged or padded code raises\
  - flags (string|string[]): flags for the compiler: one, or a list with an\
    item for each\
  - defines (table): macros: name to number, string or boolean\
  - include_dirs (string|string[]): folders of included files\
  - headers (table): included files in memory: name to text\
  - std (string, default \"c++17\"): C++ standard\
  - arch (string, default \"native\"): \"sm_NN\": machine code, for devices of\
    that major and this or a later minor version; \"compute_NN\": PTX, for\
    those and all later devices; \"native\": the device's\
  - backend (\"nvrtc\"|\"nvcc\", default \"nvrtc\"): compiler: NVRTC is a library;\
    nvcc is a program of the CUDA toolkit, which runs once for each source and\
    whose headers are those of the host's C++\
  - nvcc (string, default found): with that backend the program: its path,\
    or its name in PATH\
  - extern_c (boolean, default false): give the source C linkage, as with\
    extern \"C\" { } around it: includes that are in no braces stay outside\
  - host (\"strip\"): take host code out before compiling, as in a .cu file\
    written for nvcc: functions, variables and classes that are not for\
    devices, the headers they need, and using std. It becomes spaces, so\
    lines keep their numbers. The user's headers that the source includes are\
    treated the same way. Types, templates, constants and __host__\
    __device__ functions stay if kernels, device functions or names in\
    instances use them. NVRTC only\
  - debug (boolean, default false): compile for debuggers\
  - lineinfo (boolean, default true): keep source lines, for messages and\
    profilers\
  - fast_math (boolean, default false): faster and less exact arithmetic\
  - rdc (boolean, default false): relocatable device code, which is linked:\
    what it declares extern must be defined in it or in what is linked with\
    it; excludes arch = \"sm_NN\"\
  - cache (boolean, default true): look up the compiled code and keep it\
  - cache_dir (string): folder to keep compiled code in, in place of the\
    common one\
  - keep (string): folder that receives each source, its code and the\
    compiler's log, as files named after the source\
  - instances (string|string[]): template instances to compile with it\
- returns (string): the text\
- returns (string): the compiler's log\
- raises compile; runtime if the file at path cannot be read",
  ["architectures"] = "cuda.architectures([{ backend =, nvcc = }])\
  Lists the compute capabilities that the compiler has targets for: \"sm_75\"\
  and \"compute_75\" for 75, and so on.\
\
- options:\
  - backend (\"nvrtc\"|\"nvcc\", default \"nvrtc\"): compiler\
  - nvcc (string, default found): its path\
- returns (integer[]): such as { 75, 80, 90 }\
- raises compile if there is no such compiler",
  ["default_flags"] = "cuda.default_flags([flags])\
  Sets flags for every source that this Lua state compiles from then on. They\
  come after those of LUACUDA_FLAGS and before the option flags.\
\
- flags (string|string[], default unchanged): new flags\
- returns (string[]): the previous flags",
  ["nvcc_version"] = "cuda.nvcc_version([path])\
  Returns the version of nvcc.\
\
- path (string, default found): the program\
- returns (integer?): major version, or nil where there is no nvcc\
- returns (integer|string): minor version, or the reason\
- returns (string?): what nvcc --version prints",
  ["template"] = "cuda.template(text)\
  Makes a template of kernel source. $(expression) inserts a value; a line\
  whose first character other than a space is @ is a line of Lua; $$( and @@\
  stand for themselves. The Lua code sees the names that the template is\
  called with and assert, error, ipairs, math, next, pairs, select, string,\
  table, tonumber, tostring, type, utf8.\
\
- text (string): source with $(expression) and lines that begin with @\
- returns (Template)\
- raises a string with the template's line for Lua that does not compile",
  ["cache"] = "cuda.cache\
  The disk cache of compiled code.\
\
- type (Cache)",
  ["elementwise"] = "cuda.elementwise(inputs, outputs, body [, name] [, { preamble =, loop_prep =,\
    after_loop =, no_return =, return_tuple =, reduce_dims =, flags =,\
    options =, defines =, include_dirs =, headers =, std =, debug =,\
    lineinfo =, fast_math =, backend =, cache = }])\
cuda.elementwise{ inputs =, outputs =, body =, name =, ... }\
  Makes a kernel that computes element by element. In the body every parameter\
  that is not raw is one element, i its index in C order from 0 and n (or\
  _ind.size()) the number of elements; _ind.get()[d] is its index along axis d\
  (from 0) of _ind.ndim axes. return, or continue outside of the body's own\
  loops, ends this element. An empty body leaves the outputs as they are.\
  Numbers alone give an array without axes. The strings of CuPy's\
  ElementwiseKernel work unchanged.\
\
- inputs (string): parameters\
- outputs (string): parameters that the body assigns\
- body (string|function): computes one element\
- name (string, default \"elementwise\"): name of the kernel\
- options:\
  - preamble (string): CUDA C++ before the kernel: functions, macros,\
    structs\
  - loop_prep (string): code that each thread runs before its elements: it\
    may declare variables for the body, and sees raw parameters and inputs for\
    which a call gives a number\
  - after_loop (string): code that each thread runs after its elements\
  - no_return (boolean, default false): return nothing\
  - return_tuple (boolean, default false): return a list of the outputs\
  - reduce_dims (boolean): without effect: an index has a part for every\
    axis of the call\
  - flags (string|string[]): flags for the compiler\
  - options (string|string[]): the same as flags\
  - defines (table): macros for the texts given here (generated code does\
    not see them): name to value\
  - include_dirs (string|string[]): folders of included files\
  - headers (table): included files in memory: name to text\
  - std (string, default \"c++17\"): C++ standard\
  - debug (boolean, default false): compile for debuggers\
  - lineinfo (boolean, default true): keep source lines\
  - fast_math (boolean, default false): faster and less exact arithmetic\
  - backend (string, default \"nvrtc\"): compiler\
  - cache (boolean, default true): look up the compiled code and keep it\
- returns (Elementwise)\
- raises a string for wrong declarations; at the first call with its types\
  compile, or a string for a Lua function that cannot run on a device, with\
  the file and line",
  ["reduction"] = "cuda.reduction(inputs, outputs, map, reduce, post [, identity] [, name] [, {\
    reduce_type =, preamble =, reduce_dims =, flags =, options =, defines =,\
    include_dirs =, headers =, std =, debug =, lineinfo =, fast_math =,\
    backend =, cache = }])\
cuda.reduction{ inputs =, outputs =, map =, reduce =, post =, identity =,\
    name =, ... }\
  Makes a kernel that reduces axes of arrays. map sees the inputs, i (the\
  index in C order in the common shape of the inputs), _j (the index in C\
  order along the reduced axes) and n (the number of elements reduced to each\
  result); all count from 0. post sees a, the outputs, n, raw inputs and\
  inputs for which a call gives a number. No parameter may be called a or b.\
  Without an identity a reduction of no elements raises.\
\
- inputs (string): parameters\
- outputs (string): parameters, not raw\
- map (string|function): expression of the inputs: the value of an element\
- reduce (string|function): associative and commutative expression that\
  combines the values a and b\
- post (string|function): assigns the outputs from a, the combined value\
- identity (string|number|boolean|table): expression: the value of no\
  elements\
- name (string, default \"reduction\"): name of the kernel\
- options:\
  - reduce_type (string, default that of the first output; float for half\
    types): type of a and b: a dtype, a C++ type, a placeholder, or the\
    name of a struct that is plain data and has a default constructor; or\
    several values with names\
  - preamble (string): CUDA C++ before the kernel: functions, macros,\
    structs\
  - reduce_dims (boolean): without effect: an index has a part for every\
    axis of the call\
  - flags (string|string[]): flags for the compiler\
  - options (string|string[]): the same as flags\
  - defines (table): macros for the texts given here (generated code does\
    not see them): name to value\
  - include_dirs (string|string[]): folders of included files\
  - headers (table): included files in memory: name to text\
  - std (string, default \"c++17\"): C++ standard\
  - debug (boolean, default false): compile for debuggers\
  - lineinfo (boolean, default true): keep source lines\
  - fast_math (boolean, default false): faster and less exact arithmetic\
  - backend (string, default \"nvrtc\"): compiler\
  - cache (boolean, default true): look up the compiled code and keep it\
- returns (Reduction)\
- raises a string for wrong declarations; at the first call with its types\
  compile, or a string for a Lua function that cannot run on a device, with\
  the file and line",
  ["scan"] = "cuda.scan(inputs, outputs, map, scan [, identity] [, name] [, { post =,\
    exclusive =, scan_type =, preamble =, flags =, options =, defines =,\
    include_dirs =, headers =, std =, debug =, lineinfo =, fast_math =,\
    backend =, cache = }])\
cuda.scan{ inputs =, outputs =, map =, scan =, identity =, name =, ... }\
  Makes a kernel that combines each element with all those before it: prefix\
  sums with any associative operator, commutative or not. map sees the inputs,\
  i (the index in C order from 0) and n (the number of elements); post sees a,\
  the outputs, raw parameters, i and n, and may write raw outputs anywhere (if\
  (keep[i]) y[a - 1] = v[i]). No parameter may be called a or b.\
\
- inputs (string): parameters, at least one of them not raw\
- outputs (string): parameters\
- map (string|function): expression of the inputs: the value of an element\
- scan (string|function): associative expression that combines the values\
  a and b, a before b\
- identity (string|number|boolean|table): expression: the value before the\
  first element\
- name (string, default \"scan\"): name of the kernel\
- options:\
  - post (string|function, default the first output is a): assigns the\
    outputs from a, the value at an element\
  - exclusive (boolean, default false): combine only what is before the\
    element; needs an identity\
  - scan_type (string, default that of the first output; float for half\
    types): type of a and b: a dtype, a placeholder, or the name of a\
    struct that is plain data; or several values with names\
  - preamble (string): CUDA C++ before the kernel: functions, macros,\
    structs\
  - flags (string|string[]): flags for the compiler\
  - options (string|string[]): the same as flags\
  - defines (table): macros for the texts given here (generated code does\
    not see them): name to value\
  - include_dirs (string|string[]): folders of included files\
  - headers (table): included files in memory: name to text\
  - std (string, default \"c++17\"): C++ standard\
  - debug (boolean, default false): compile for debuggers\
  - lineinfo (boolean, default true): keep source lines\
  - fast_math (boolean, default false): faster and less exact arithmetic\
  - backend (string, default \"nvrtc\"): compiler\
  - cache (boolean, default true): look up the compiled code and keep it\
- returns (Scan)\
- raises a string for wrong declarations; at the first call with its types\
  compile, or a string for a Lua function that cannot run on a device, with\
  the file and line",
  ["fuse"] = "cuda.fuse(fn [, { name = }])\
  Makes one kernel of a Lua function, for each combination of argument kinds.\
\
  - It may use operators, the functions and methods that compute element by\
    element, astype, where, clip and isclose. Every intermediate value has the\
    dtype that the operator gives outside, and is rounded to it.\
\
  - Comparisons, if, and, or, not and loops decide for each element. The text\
    of the function and of those that it calls is read for that, and compiled\
    as by cuda.jit; all that its functions may use is allowed then, but for\
    arrays among upvalues. A number as a condition is true. A variable that is\
    assigned in branches or loops has one type, as in kernels.\
\
  - It may use reductions, each a kernel of its own, and go on with what they\
    give: sum, prod, min, max, ptp, mean, var, std, any, all, argmin, argmax,\
    count_nonzero, and those that leave out NaN. In a function that decides by\
    elements they stand in its own statements, outside of branches and loops.\
\
  - Numbers passed as arguments, #x, x.size, x.ndim and x.shape[k] are\
    parameters of the kernel. Booleans passed as arguments, upvalues, globals\
    and fields of tables are constants; for another value another kernel is\
    made.\
\
  - A function that decides nothing by elements runs once on values that stand\
    for its arguments; what it does to them is recorded and compiled. So does\
    a function whose text is not known: source then begins with a comment that\
    says why. Such a trace does not notice changes of fields and globals. In\
    it, if x and x and y treat an array as true, and x == 0 is false; <, <=\
    and == between traced values raise.\
\
  - Indexing, functions of whole arrays and tostring raise.\
\
- fn (function): of arrays and numbers\
- options:\
  - name (string, default \"fused\"): name of the kernel\
- returns (Fused)",
  ["jit"] = "cuda.jit(fn [, { name =, max_threads =, min_blocks =, max_registers =,\
    fast_math =, flags =, debug =, lineinfo = }])\
  Makes a kernel of a Lua function. Nothing is compiled before it is called.\
\
- fn (function|string): of arrays and numbers, or its text\
- options:\
  - name (string, default that of its variable): name of the kernel\
  - max_threads (integer): most threads of a block (__launch_bounds__)\
  - min_blocks (integer): blocks that a multiprocessor can run at once;\
    needs max_threads\
  - max_registers (integer): most registers of a thread, in place of\
    max_threads: the compiler ignores one beside the other\
  - fast_math (boolean, default false): fast approximations of division and\
    functions\
  - flags (string|string[]): further compiler flags\
  - debug (boolean, default false): code for debuggers\
  - lineinfo (boolean, default true): line numbers in machine code\
- returns (Jit)\
- raises a string if the function's text cannot be found",
  ["vectorize"] = "cuda.vectorize(fn [, { name =, fast_math =, debug =, lineinfo = }])\
  Makes a function of arrays that runs a Lua function for each element.\
  Nothing is compiled before it is called. The rules are those of kernels;\
  arrays among its upvalues are read whole, by index. An element of an array\
  of structs is a reference with fields, p.mass, which the function only\
  reads.\
\
- fn (function|string): of numbers, the elements of its arguments, or its\
  text\
- options:\
  - name (string, default that of its variable): name in messages and\
    profiles\
  - fast_math (boolean, default false): fast approximations of division and\
    functions, and products that are not rounded before something is added\
  - debug (boolean, default false): code for debuggers\
  - lineinfo (boolean, default true): line numbers in machine code\
- returns (Vectorized)\
- raises a string if the function's text cannot be found, or if it has no\
  parameters",
  ["device_function"] = "cuda.device_function([source] [, name] [, { path =, flags =, defines =,\
    include_dirs =, headers =, std =, source = }])\
cuda.device_function{ source =, name =, ... }\
  Takes a function in CUDA C++ for kernels written in Lua, for cuda.vectorize,\
  and for all other functions in Lua that run on a device. Its types are those\
  of its declaration. A parameter is a number, a boolean, or a pointer to\
  numbers, which takes a contiguous array, a row, or an array of the block or\
  of the thread. Arguments are converted as elements are that are stored. The\
  result is a number, a boolean or nothing; a function returns more through\
  pointers. The compiler sees the whole source in each kernel that calls the\
  function, so sources that one kernel uses together must not define the same\
  name. C++ types of dtypes (float32, complex64) are known.\
\
- source (string): CUDA C++, or the text that a template makes; nil with\
  path\
- name (string, default the only function): the function meant; an instance\
  of a template is named like \"f<float>\"\
- options:\
  - path (string): file with the source\
  - flags (string|string[]): compiler flags\
  - defines (table): name to value\
  - include_dirs (string|string[]): folders for #include\
  - headers (table): name to text, headers in memory\
  - std (string): as in \"c++17\"\
  - source (string): in place of the parameter\
- returns (DeviceFunction)\
- raises a string if the source has no such function marked __device__, or\
  an overloaded one",
  ["gpu"] = "cuda.gpu\
  The names of the kernel's language as fields, for scripts that prefer not to\
  use globals: local gpu = cuda.gpu and, in the kernel, gpu.syncthreads().\
  Outside of kernels they raise.\
\
- type (Gpu)",
  ["profile"] = "cuda.profile(fn [, { limit = }])\
  Waits for the current device, calls fn(), and waits for its work. Returns\
  the timeline of the kernels, copies, fills, waits, compilations and ranges\
  of this thread. Work captured into a graph and work that other libraries\
  queue is not part of it. fn cannot yield.\
\
- fn (function)\
- options:\
  - limit (integer, default 1000000): the most entries to keep\
- returns (Profile)\
- raises the errors of fn, and of the work that it queues",
  ["benchmark"] = "cuda.benchmark(fn, ...)\
  Times calls of fn(...). A table of named values at the end is taken for the\
  options: if the last argument of fn is such a table, put {} after it. The\
  clock runs from the call until the device is idle, the events from the first\
  work of the call to its last on the stream. fn cannot yield.\
  kernel:benchmark times one kernel without the cost of calling it.\
\
- fn (function)\
- ... (any): arguments of fn, then optionally a table of the options\
  runs (20), the number of timed calls, warmup (3), the number of calls\
  before them, and stream (the current one), current during the calls\
- returns (table): min_ms, median_ms, mean_ms and spread_ms (the\
  distance between the quartiles) by the clock, runs, and gpu, a table of\
  the same by events on the stream\
- raises the errors of fn",
  ["range"] = "cuda.range(name [, fn], ...)\
  Names a part of the program, for cuda.profile and for profilers that\
  understand NVTX, such as nsys. local r <close> = cuda.range(name) ends with\
  the block, cuda.range(name, fn, ...) with the call of fn. Calls nest; range\
  objects may overlap, and nsys shows them as ranges of the process. The\
  profiler's library is the one that NVTX_INJECTION64_PATH names, which nsys\
  sets. fn cannot yield.\
\
- name (string)\
- fn (function)\
- ... (any): arguments of fn\
- returns (Range|any): an open range; with fn all results of fn\
- raises the errors of fn",
  ["profiler"] = "cuda.profiler\
  Control of an attached profiler.\
\
- type (Profiler)",
  ["tune"] = "cuda.tune{ name =, space =, make =, where =, check =, reset =, key =,\
    metrics =, minimize =, maximize =, budget_ms =, strategy =, candidates =,\
    seed =, runs =, warmup =, refresh =, cache =, cache_dir =, observe =,\
    stream = }\
  Searches a space of parameters for the fastest candidate. Times are taken by\
  events on the stream, as in cuda.benchmark. Candidates that cannot be made\
  or run, or whose results are wrong, are rows with the reason. A measurement\
  whose runs vary by more than a fifth of their median is repeated up to\
  twice. A candidate more than four times as slow as the best one is run\
  twice. Those within a tenth of the best, at most three, are measured again\
  with more runs. Waits for the device, and shows at a terminal how far it is.\
\
  \"all\" measures every point. \"halving\" (successive halving, Jamieson and\
  Talwalkar 2016) looks at random points, measures the best third of them\
  again, and goes from the best ones to neighbors as long as these are faster.\
  \"random\" measures random points.\
\
  What is kept belongs to the device, driver, compiler and version of the\
  library, and to the name, key, space and code of make and where. It is\
  measured again if the sources of the kernels that make makes have changed.\
  Rows are kept while the search runs, so that one that was interrupted goes\
  on where it ended; so does one with a larger budget_ms or more candidates.\
\
  On a GPU a fault in a kernel ends CUDA for the process, and so the search:\
  stopped says so, and the next process continues after that candidate.\
\
- options:\
  - name (string): name of the search\
  - space (table): lists of values by name of the parameter: { BLOCK = {\
    64, 128 } }. Values are numbers, strings, booleans or lists of these\
  - make (function): function(parameters) that returns the function to\
    time. That function queues work on the current stream. nil and a text\
    skip a candidate\
  - where (function): function(parameters): false leaves a point out\
  - check (function): function(parameters), called after the first run of\
    each candidate: it raises or returns false if the results are wrong\
  - reset (function): function(parameters), called before a candidate runs\
    for the first time, so that results of an earlier one cannot pass for its\
    own\
  - key (any): a string, a number, a boolean or a list of them that tells\
    searches of one name apart, such as the shape of the data\
  - metrics (function): function(parameters, ms) that returns a table of\
    numbers by name, such as { gflops = 2e-6 * n / ms }\
  - minimize (string, default the time): name of the metric that decides;\
    less is better\
  - maximize (string): name of the metric that decides; more is better\
  - budget_ms (number, default no limit): milliseconds by the clock after\
    which no further measurement is begun\
  - strategy (\"all\"|\"halving\"|\"random\"): by default \"all\" up to 256 points\
    and \"halving\" above\
  - candidates (integer, default 256): the most candidates of \"halving\"\
    and \"random\"\
  - seed (integer, default 1): of the random numbers: the same seed gives\
    the same candidates\
  - runs (integer): timed runs of each measurement; by default 1 to 100, as\
    many as take about 40 ms\
  - warmup (integer, default 1): runs before those\
  - refresh (boolean, default false): measure again although a winner is\
    kept\
  - cache (boolean, default true): use the winner on disk and keep the new\
    one\
  - cache_dir (string, default that of the cache): folder to keep winners in\
  - observe (function): function(row, done, total), called after each\
    measurement with its row, the number of candidates so far and of those\
    there may be\
  - stream (Stream, default the current one): current while candidates run,\
    and timed\
- returns (Tuning)\
- raises runtime if no candidate could be measured, with the reasons; the\
  errors of where, reset, metrics and observe",
  ["graph"] = "cuda.graph(fn)\
  Calls fn(stream) and records the work that it queues on the current device.\
  The stream is current during the call and stands for the null stream, and\
  the program's other streams may be used too. Work that runs on them\
  meanwhile is not touched. fn cannot yield.\
\
  Random numbers that are drawn inside are the same at every launch. An event\
  recorded inside is recorded at every launch; one that was recorded outside\
  is waited for at every launch, as recorded last at that time. Other threads\
  must not wait for the whole device while a graph is recorded.\
\
- fn (function): called with a Stream\
- returns (Graph)\
- returns (any): all results of fn\
- raises the errors of fn; logic from any call inside that would wait for\
  a device, that launches a graph or records another one. The recording is\
  then thrown away",
  ["nccl"] = "cuda.nccl\
  Communicators.\
\
- type (Nccl)",
  ["is_error"] = "cuda.is_error(value [, kind])\
  Returns whether the value is an error of this library, of that kind. With\
  cuda.debug{ errors = \"string\" } this also recognizes the texts of the latest\
  sixteen errors, with or without a position in front.\
\
- value (any)\
- kind (\"compile\"|\"memory\"|\"launch\"|\"logic\"|\"communication\"|\"runtime\",\
  default any)\
- returns (boolean)",
  ["last_error"] = "cuda.last_error([error])\
  Returns the object of an error that was raised as its text.\
\
- error (any, default the latest error of this Lua state): an error as\
  caught\
- returns (Error?): nil for other values and for texts that are too old",
  ["luacuda"] = "The module: local cuda = require \"luacuda\" makes no CUDA call and needs no\
GPU, driver or toolkit. The following holds for every function.\
\
- **Calls.** In cuda.zeros(shape [, dtype] [, { device =, out = }]) brackets\
  mark what may be left out. Options are the fields of one table, the last\
  argument; it may follow immediately where optional parameters are left out:\
  cuda.zeros(3, { device = \"cpu\" }).\
\
- **Types.** Array and other names with a capital are the classes below, Dtype\
  is the name of an element type or a Struct, integer[] is a list, and string?\
  may be nil.\
\
- **Shapes and axes.** A shape is an integer or a list of integers. Indices\
  and axes start at 1; negative ones count from the end.\
\
- **Units.** Sizes, offsets and strides are in bytes unless the entry counts\
  elements; times are in milliseconds.\
\
- **Waiting.** Work is queued on a stream and the call returns. A call that\
  returns array elements as a Lua number, boolean, string or table waits for\
  the work on that array. Unless the array is in host memory, it also waits\
  for the work queued so far on the current stream.\
\
- **Errors.** A wrong argument (type, range, unknown option, closed object,\
  too few or too many) raises a string with the position of the call, before\
  anything is launched. A failure of the driver, the compiler or memory raises\
  an Error, whose kind the entries name: compile, memory, launch, logic or\
  runtime. Entries list only what this does not cover. A call that waits also\
  raises the launch errors of the work it waits for.\
\
VERSION available versions diagnose debug allocations type help has devices\
device use synchronize mem_info stream event with_stream no_sync bool int8\
int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64\
complex64 complex128 complex struct dtypes array empty zeros ones full\
empty_like zeros_like ones_like full_like arange linspace logspace eye\
load_npy load_npz save_npz load_csv save_csv load_png save_png flip rot90\
squeeze expand_dims ravel flatten swapaxes moveaxis split array_split split_to\
roll tile rep pad diagonal diag tril triu diff meshgrid indices pinned managed\
host pinned_like managed_like host_like pointer_info register wrap alloc\
alloc_pitch copy copy2d copy3d memset memset2d pool tensor_map cuda_array\
texture surface add subtract multiply divide floor_divide mod power negative\
maximum minimum fmax fmin clip square reciprocal abs sign bitwise_and\
bitwise_or bitwise_xor bitwise_not left_shift right_shift eq ne lt le gt ge\
logical_and logical_or logical_xor logical_not isnan isinf isfinite signbit\
where hypot atan2 copysign fmod sqrt cbrt exp exp2 expm1 log log2 log10 log1p\
sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh deg2rad rad2deg\
floor ceil trunc rint round real imag conj angle erf erfc tgamma lgamma sum\
prod mean var std min max argmin argmax any all count_nonzero cumsum cumprod\
cummax cummin sort argsort unique compress nonzero putmask place take put\
concatenate stack gather isclose allclose array_equal nan_to_num average ptp\
cov corrcoef median quantile percentile partition argpartition topk\
searchsorted digitize bincount histogram nansum nanprod nanmean nanvar nanstd\
nanmin nanmax nanargmin nanargmax softmax log_softmax logsumexp scatter_add\
scatter_max scatter_min interp gradient trapezoid convolve correlate matmul\
dot inner outer vdot tensordot kron einsum trace norm random from_dlpack\
open_ipc poll input output inout raw ptr null kernel module linker compile\
preprocess architectures default_flags nvcc_version template cache elementwise\
reduction scan fuse jit vectorize device_function gpu profile benchmark range\
profiler tune graph nccl is_error last_error",
  ["Device.name"] = "device.name\
  The driver's name for it.\
\
- returns (string)",
  ["Device.label"] = "device.label\
  Its name in messages: \"gpu0\", \"cpu\".\
\
- returns (string)",
  ["Device.kind"] = "device.kind\
  The kind of device.\
\
- returns (\"gpu\"|\"cpu\")",
  ["Device.ordinal"] = "device.ordinal\
  Its number, from 0.\
\
- returns (integer)",
  ["Device.arch"] = "device.arch\
  The architecture to compile for: \"sm_90\".\
\
- returns (string)",
  ["Device.cc"] = "device.cc\
  The compute capability as one number: 90.\
\
- returns (integer)",
  ["Device.compute_capability"] = "device.compute_capability\
  The compute capability as a list: { 9, 0 }.\
\
- returns (integer[])",
  ["Device.total_memory"] = "device.total_memory\
  Its memory in bytes.\
\
- returns (integer)",
  ["Device.pci_bus_id"] = "device.pci_bus_id\
  Its PCI bus id, \"0000:3b:00.0\"; nil on the CPU device.\
\
- returns (string?)",
  ["Device.uuid"] = "device.uuid\
  Its UUID.\
\
- returns (string?)",
  ["Device.api_version"] = "device.api_version\
  The version of the driver API that its context was made with: 3020 is 3.2.\
\
- returns (integer)",
  ["Device.stream"] = "device.stream\
  Its current stream in this Lua state.\
\
- returns (Stream)",
  ["Device.null_stream"] = "device.null_stream\
  Its null stream.\
\
- returns (Stream)",
  ["Device..ATTRIBUTE"] = "device.ATTRIBUTE\
  An attribute of the driver; nil if the driver does not have it.\
\
- returns (integer?)",
  ["Device.attribute"] = "device:attribute(name)\
  Returns an attribute of the driver.\
\
- name (string): in any case, with or without CU_DEVICE_ATTRIBUTE_\
- returns (integer?): nil if the driver does not have it\
- raises a string for an unknown name",
  ["Device.attributes"] = "device:attributes()\
  Returns all attributes that the driver has.\
\
- returns (table): name to integer",
  ["Device.supports"] = "device:supports(name)\
  Returns whether the driver has the attribute and it is not 0.\
\
- name (string): an attribute; _supported may be left out\
- returns (boolean)",
  ["Device.memory_info"] = "device:memory_info()\
  Returns its free and its total memory.\
\
- returns (integer): free bytes\
- returns (integer): total bytes",
  ["Device.synchronize"] = "device:synchronize()\
  Waits for all work of the device.\
\
- returns (Device): itself\
- raises launch, and any other error of queued work",
  ["Device.use"] = "device:use()\
  Makes it the current device of this Lua state.\
\
- returns (Device): the device that was current before",
  ["Device.reset"] = "device:reset([{ force = }])\
  Releases everything that the driver holds for the device; the next use\
  initializes it again. Kernels of operators, array functions and builders are\
  unloaded now and loaded again when they are next used.\
\
- options:\
  - force (boolean, default false): reset it although other Lua states use\
    the library\
- raises logic in a finalizer, and while the program has arrays, streams,\
  events, modules or kernels on the device",
  ["Device.limit"] = "device:limit(name [, value])\
  Reads or sets a limit of the driver.\
\
- name (string): \"stack_size\", \"printf_fifo_size\", \"malloc_heap_size\",\
  \"dev_runtime_sync_depth\", \"dev_runtime_pending_launch_count\",\
  \"max_l2_fetch_granularity\" or \"persisting_l2_cache_size\"\
- value (integer): bytes or a count; without it the limit is only read\
- returns (integer): the limit as the driver rounded it",
  ["Device.parent"] = "device.parent\
  The device that a context belongs to; nil for a device.\
\
- returns (Device?)",
  ["Device.context"] = "device:context([{ schedule =, lmem_resize =, map_host = }])\
  Makes another context of the device beside its primary one, with its own\
  limits, cache preference, flags, memory pool and null stream. It is a\
  Device, which cuda.use, device = and all methods accept: the arrays,\
  streams, events and modules made for it belong to it. Memory is reachable\
  from all contexts of one device: a kernel takes the arrays of one of them,\
  which decides where it runs, and cuda.copy and a:to(context) copy directly.\
  An array, stream or kernel of one context otherwise counts as one of another\
  device. context.parent is the device.\
\
  Closing a context ends everything made in it and frees its memory. Contexts\
  can be closed in any order. A context whose handle and objects have been\
  collected is closed when the next one is made. On a GPU, a fault in a kernel\
  ends all contexts of the process, so a context does not isolate faults.\
\
- options:\
  - schedule (string): how a thread waits for its work, as in device:flags\
  - lmem_resize (boolean, default false): keep local memory at its largest\
    size after a kernel\
  - map_host (boolean, default false): accepted for older programs: every\
    context can use pinned memory\
- returns (Device): the context, which is not current\
- raises logic while there are 63 devices and contexts; what the driver\
  says, for example that it has no memory",
  ["Device.push"] = "device:push()\
  Makes it the current device of this Lua state until device:pop. What was\
  current is below it on a stack; cuda.use replaces the top of the stack.\
\
- returns (Device): itself",
  ["Device.pop"] = "device:pop()\
  Undoes device:push: the device below it on the stack is current again.\
\
- returns (Device): that is current from now on\
- raises logic unless the device is current and was pushed",
  ["Device.close"] = "device:close()\
  Ends a context: waits for its work, frees its memory and removes it from the\
  stack of device:push. Every later use of what was made in it raises an error\
  of kind logic that names the context. A failure of its work that no call has\
  raised is raised by the next call for its device. A variable with <close>\
  closes it as well. A second call has no effect.\
\
- raises a string for a device that is not a context; logic while a graph\
  records work of the context, and inside cuda.no_sync",
  ["Device.free"] = "device:free()\
  The same as device:close.",
  ["Device.partition"] = "device:partition([{ sms =, count = }])\
  Divides the device's multiprocessors, so that a long kernel leaves room for\
  short ones: cuda.stream{ partition = } makes a stream whose kernels run in\
  one part. Each call divides the whole device, so partitions of two calls\
  overlap. On the CPU device the parts are only counted: every kernel may use\
  all cores.\
\
- options:\
  - sms (integer): multiprocessors of each partition (the largest equal\
    share); the driver rounds the number up to what the device can separate\
  - count (integer, default 1): the number of partitions\
- returns (Partition[])\
- returns (Partition?): of the multiprocessors that are left\
- raises a string if the device has no room for that many; runtime if the\
  driver has no green contexts (CUDA 12.5)",
  ["Device.flags"] = "device:flags([{ schedule =, lmem_resize = }])\
  Reads or sets the flags of the device's context. They take effect at once;\
  what is not given stays. On the CPU device they have no effect.\
\
- options:\
  - schedule (string): how a thread waits for the device: \"auto\", \"spin\"\
    (fastest), \"yield\" (to other threads) or \"blocking\" (without using a\
    CPU core)\
  - lmem_resize (boolean): keep local memory at its largest size after a\
    kernel\
- returns (table): with schedule and lmem_resize as they are now\
- raises a string for an unknown option or way to wait",
  ["Device.cache_config"] = "device:cache_config([preference])\
  Reads or sets how kernels that say nothing themselves want on-chip memory to\
  be divided between shared memory and the L1 cache. The driver treats it as a\
  hint. On the CPU device it has no effect.\
\
- preference (string): \"none\", \"shared\", \"l1\" or \"equal\"; without it\
  the preference is only read\
- returns (string): the preference in effect\
- raises a string for an unknown preference",
  ["Device.can_access_peer"] = "device:can_access_peer(other)\
  Returns whether its kernels can access the other device's memory directly.\
\
- other (Device|integer|string)\
- returns (boolean)",
  ["Device.enable_peer"] = "device:enable_peer(other)\
  Lets its kernels access the other device's memory. The first copy between\
  two GPUs, and the first launch with an array of another GPU, enable it\
  automatically where the hardware allows it. A second call has no effect.\
\
- other (Device|integer|string)\
- returns (Device): itself\
- raises logic for a GPU and the CPU device",
  ["Device.disable_peer"] = "device:disable_peer(other)\
  Turns direct access off until enable_peer is called; copies then take\
  another route.\
\
- other (Device|integer|string)\
- returns (Device): itself",
  ["Device"] = "Device: Each device has one handle, so == compares devices and a device can be\
a table key. Every attribute of the driver is also a field, by its name in\
lower case: device.warp_size.\
\
name label kind ordinal arch cc compute_capability total_memory pci_bus_id\
uuid api_version stream null_stream .ATTRIBUTE attribute attributes supports\
memory_info synchronize use reset limit parent context push pop close free\
partition flags cache_config can_access_peer enable_peer disable_peer",
  ["Stream.device"] = "stream.device\
  Its device.\
\
- returns (Device)",
  ["Stream.priority"] = "stream.priority\
  Its priority as the driver clamped it; lower runs first.\
\
- returns (integer)",
  ["Stream.blocking"] = "stream.blocking\
  Whether it synchronizes with the null stream.\
\
- returns (boolean)",
  ["Stream.partition"] = "stream.partition\
  Where its kernels run, as a new handle; nil on the whole device.\
\
- returns (Partition?)",
  ["Stream.is_null"] = "stream.is_null\
  Whether it is the null stream.\
\
- returns (boolean)",
  ["Stream.pointer"] = "stream.pointer\
  The driver's CUstream.\
\
- returns (integer)",
  ["Stream.synchronize"] = "stream:synchronize()\
  Waits for all its work.\
\
- returns (Stream): itself\
- raises launch, and any other error of queued work",
  ["Stream.call"] = "stream:call(fn)\
  Queues a Lua function. When the stream gets there, the function becomes\
  ready. It runs on the thread of this Lua state, never on one of the driver:\
  at the end of the next synchronize or is_done (of a stream or an event),\
  cuda.synchronize or cuda.poll. Ready functions run in the order in which\
  they became ready. An error of a function is raised there, and the functions\
  after it wait for the next time. Functions that are not ready when the state\
  closes never run.\
\
- fn (function): called without arguments\
- returns (Stream): itself\
- raises logic while the stream is captured for a graph",
  ["Stream.is_done"] = "stream:is_done()\
  Returns whether all queued work has ended, with or without a fault. Does not\
  wait and does not raise the fault: the next call that waits does.\
\
- returns (boolean)",
  ["Stream.wait"] = "stream:wait(what)\
  Makes work that is queued from now on wait for the event, or for everything\
  that the other stream has queued so far. Lua does not wait.\
\
- what (Event|Stream)\
- returns (Stream): itself",
  ["Stream.when"] = "stream:when(condition, fn [, otherwise])\
  Inside cuda.graph: calls both functions and records their work apart. Each\
  launch of the graph reads the condition at this point and runs the work of\
  fn where it is not 0, else that of otherwise. It comes after everything\
  recorded before it, and before later work on the same arrays.\
\
  The functions may queue kernels of all kinds, fills, copies between arrays,\
  and conditions again, on any stream of the device. They may not record\
  events, wait for events that the graph has not recorded before, or copy CUDA\
  arrays. An array made inside exists whether the work runs or not. An error\
  that leaves one of the functions ends the whole recording, even if it is\
  caught.\
\
  condition may also be a number from stream:condition.\
\
- condition (Array|integer): one integer or boolean element\
- fn (function): called with the stream\
- otherwise (function): called with the stream\
- returns (Stream): itself\
- raises logic outside of cuda.graph; an error for a driver older than\
  CUDA 12.4, or 12.8 with otherwise; the errors of the functions",
  ["Stream.loop"] = "stream:loop(condition, fn)\
  The same for work that a launch repeats as long as the condition is not 0.\
  The condition is read before each round, so the work must change it: on a\
  GPU, a loop that never ends hangs the device. The CPU device ends a loop\
  after a fault of its kernels, and after LUACUDA_CPU_TIMEOUT_MS.\
\
- condition (Array|integer): one integer or boolean element\
- fn (function): called with the stream\
- returns (Stream): itself\
- raises what stream:when raises",
  ["Stream.switch"] = "stream:switch(condition, functions)\
  The same for one of several functions: a launch runs the work of the\
  function whose number the condition is, counted from 1, and nothing for any\
  other number.\
\
- condition (Array|integer): one integer element\
- functions (function[]): 1 to 64, called with the stream\
- returns (Stream): itself\
- raises what stream:when raises; the driver must support CUDA 12.8",
  ["Stream.condition"] = "stream:condition([value])\
  Makes a condition that kernels set, for one call of stream:when, stream:loop\
  or stream:switch in the same function. Each launch gives it the value. A\
  kernel takes it as an unsigned long long and calls\
  cudaGraphSetConditional(condition, value), which the source declares as\
  extern \"C\" __device__ void cudaGraphSetConditional(unsigned long long,\
  unsigned);. For stream:switch such values count from 0.\
\
- value (integer, default 0): 0 to 2^32 - 1\
- returns (integer)\
- raises logic outside of cuda.graph; an error for a driver older than\
  CUDA 12.4",
  ["Stream.use"] = "stream:use()\
  Makes it the current stream of its device in this Lua state.\
\
- returns (Stream): the stream that was current before",
  ["Stream.close"] = "stream:close()\
  Releases the handle; queued work continues. A second call has no effect.",
  ["Stream.free"] = "stream:free()\
  The same as stream:close.",
  ["Stream"] = "Stream: A queue of work on one device.\
\
device priority blocking partition is_null pointer synchronize call is_done\
wait when loop switch condition use close free",
  ["Partition.sm_count"] = "partition.sm_count\
  The number of its multiprocessors.\
\
- returns (integer)",
  ["Partition.device"] = "partition.device\
  The device.\
\
- returns (Device)",
  ["Partition.close"] = "partition:close()\
  Releases the handle. Streams of the partition go on. A second call has no\
  effect.",
  ["Partition.free"] = "partition:free()\
  The same as partition:close.",
  ["Partition"] = "Partition: A part of a device's multiprocessors, made by device:partition.\
Kernels on its streams leave the other multiprocessors alone. Arrays, events\
and kernels belong to the device and are used as elsewhere.\
\
sm_count device close free",
  ["Event.device"] = "event.device\
  Its device.\
\
- returns (Device)",
  ["Event.timing"] = "event.timing\
  Whether it records times.\
\
- returns (boolean)",
  ["Event.blocking"] = "event.blocking\
  Whether waiting for it sleeps instead of spinning.\
\
- returns (boolean)",
  ["Event.interprocess"] = "event.interprocess\
  Whether other processes can open it.\
\
- returns (boolean)",
  ["Event.recorded"] = "event.recorded\
  Whether it was ever recorded.\
\
- returns (boolean)",
  ["Event.pointer"] = "event.pointer\
  The driver's CUevent.\
\
- returns (integer)",
  ["Event.record"] = "event:record([stream])\
  Marks the end of everything queued on the stream so far.\
\
- stream (Stream, default the device's current stream)\
- returns (Event): itself",
  ["Event.synchronize"] = "event:synchronize()\
  Waits until the stream reaches the mark.\
\
- returns (Event): itself\
- raises launch, and any other error of queued work",
  ["Event.is_done"] = "event:is_done()\
  Returns whether the stream has reached the mark. Does not wait and does not\
  raise the fault of work before it.\
\
- returns (boolean)",
  ["Event.elapsed_ms"] = "event:elapsed_ms(start)\
  Waits for both events and returns the time from start to this event.\
\
- start (Event)\
- returns (number): milliseconds\
- raises logic if one of the two was never recorded or records no times",
  ["Event.fd"] = "event:fd()\
  Returns a file descriptor for programs with a loop of their own: poll(2),\
  epoll, or luv's new_poll. It becomes readable when the stream reaches the\
  last record, and stays so until the next record or until the program reads\
  its 8 bytes. Every call returns the same descriptor. It belongs to the\
  event, which closes it; stop watching it before you close the event, and\
  keep the event while you watch. If a kernel faults on a GPU, the descriptor\
  may never become readable.\
\
- returns (integer): a file descriptor\
- raises logic if the event was never recorded, or if its stream is captured\
  for a graph; runtime if the process can open no more descriptors",
  ["Event.ipc_handle"] = "event:ipc_handle()\
  Describes the event to other processes, which pass the string to\
  cuda.open_ipc. A stream or a process that waits for the event waits for the\
  last record made before. Use one event for each direction: one process\
  records it, the others wait for it. Keep the event until the others have\
  closed theirs. It cannot be part of a graph.\
\
- returns (string): bytes to be passed on as they are\
- raises a string for an event made without { interprocess = true }, and for\
  one that cuda.open_ipc opened",
  ["Event.close"] = "event:close()\
  Releases the handle. A second call has no effect.",
  ["Event.free"] = "event:free()\
  The same as event:close.",
  ["Event"] = "Event: A mark in a stream. An event that was never recorded counts as\
complete.\
\
device timing blocking interprocess recorded pointer record synchronize\
is_done elapsed_ms fd ipc_handle close free",
  ["Scalar.dtype"] = "scalar.dtype\
  Its type.\
\
- returns (string)",
  ["Scalar.value"] = "scalar.value\
  Its value, rounded to the type.\
\
- returns (number|boolean|Complex)",
  ["Scalar"] = "Scalar: A typed scalar, made by cuda.float32(2) and the like. Immutable.\
\
dtype value",
  ["Complex.re"] = "complex.re\
  The real part.\
\
- returns (number)",
  ["Complex.im"] = "complex.im\
  The imaginary part.\
\
- returns (number)",
  ["Complex.abs"] = "complex:abs()\
  Returns the absolute value.\
\
- returns (number)",
  ["Complex.conj"] = "complex:conj()\
  Returns the complex conjugate.\
\
- returns (Complex)",
  ["Complex"] = "Complex: A complex number in double precision, with + - * /, unary minus and\
==. Immutable.\
\
re im abs conj",
  ["Struct.name"] = "struct.name\
  Its name.\
\
- returns (string)",
  ["Struct.size"] = "struct.size\
  Its size in bytes (sizeof).\
\
- returns (integer)",
  ["Struct.align"] = "struct.align\
  Its alignment in bytes (alignof).\
\
- returns (integer)",
  ["Struct.fields"] = "struct.fields\
  A table for each field: name, dtype and count of its elements, offset and\
  size in bytes.\
\
- returns (table[])",
  ["Struct.__call"] = "struct(value)\
  Makes a value of the struct in host memory. p.dt = 0.1 changes a field.\
  Kernels written in Lua take it as a struct by value.\
\
- value (table|Record|string): fields by name or by position, or bytes\
- returns (Record)\
- raises a string if a field is missing, unknown or does not fit",
  ["Struct.source"] = "struct:source()\
  Returns the definition in C++, preceded by those of nested structs. Put it\
  before a kernel. Fields of half types need the headers cuda_fp16.h and\
  cuda_bf16.h. The texts of builders need no definition.\
\
- returns (string)\
- raises a string if the struct has no name",
  ["Struct.pack"] = "struct:pack(value)\
  Converts a table to the bytes of the struct.\
\
- value (table|Record): fields by name or by position\
- returns (string): size bytes\
- raises a string if a field is missing, unknown or does not fit",
  ["Struct.unpack"] = "struct:unpack(bytes [, position])\
  Converts bytes to a table.\
\
- bytes (string)\
- position (integer, default 1): first byte to read\
- returns (table): fields by name\
- returns (integer): position of the next byte\
- raises a string if fewer than size bytes are left",
  ["Struct"] = "Struct: A struct type, made by cuda.struct: also a dtype. Its layout is that\
of C.\
\
name size align fields __call source pack unpack",
  ["Record..FIELD"] = "record.FIELD\
  A field.\
\
- returns (any)",
  ["Record"] = "Record: An element of an array of structs, where it is: b[i] is a Record, not\
a copy. b[i].id reads a field and b[i].id = 5 writes it to the array. A field\
that is a struct is a Record again; one of several elements is an Array over\
them (b[i].pos.x = 3, b[i].m[2][1] = 1). The Array of a vector such as float3\
also has the fields x, y, z and w (b[i].v.x = 1).\
\
On a GPU every access to a field is a copy; b:totable() and b:set(data) copy\
everything in one step. b:item(i) and b:totable() give plain tables, which are\
copies. pairs visits copies of all fields, == compares bytes, and a Record is\
accepted wherever a value of the struct is.\
\
.FIELD",
  ["Array.[i]"] = "array[i]\
  The i-th element of an array of one axis (a Record for structs), else the\
  i-th row, a view. Can be assigned a value, a table or an array. -1 is the\
  last; a[#a + 1] is nil; other indices outside raise.\
\
- returns (any)",
  ["Array.[mask]"] = "array[mask]\
  A bool array selects elements or rows as compress does, an array of integers\
  takes rows as take does with axis = 1. Assignment writes to the selected\
  elements.\
\
- returns (any)",
  ["Array.shape"] = "array.shape\
  The number of elements per axis.\
\
- returns (Shape)",
  ["Array.strides"] = "array.strides\
  The distance from element to element along each axis, in bytes.\
\
- returns (Shape)",
  ["Array.dtype"] = "array.dtype\
  The element type.\
\
- returns (Dtype)",
  ["Array.size"] = "array.size\
  The number of elements.\
\
- returns (integer)",
  ["Array.nbytes"] = "array.nbytes\
  The size of all elements in bytes.\
\
- returns (integer)",
  ["Array.ndim"] = "array.ndim\
  The number of axes.\
\
- returns (integer)",
  ["Array.device"] = "array.device\
  The device that runs work on it.\
\
- returns (Device)",
  ["Array.memory"] = "array.memory\
  The kind of memory.\
\
- returns (\"device\"|\"pinned\"|\"managed\"|\"host\"|\"registered\"|\"foreign\"|\"module\")",
  ["Array.pointer"] = "array.pointer\
  The address of the first element. Work through it is not ordered\
  automatically.\
\
- returns (integer)",
  ["Array.is_contiguous"] = "array.is_contiguous\
  Whether the elements are in C order without gaps.\
\
- returns (boolean)",
  ["Array.is_readonly"] = "array.is_readonly\
  Whether the memory may not be written: memory of other code (cuda.wrap) or\
  registered for reading only. Every call that would write it raises.\
\
- returns (boolean)",
  ["Array.same_shape"] = "array:same_shape(other)\
  Returns whether the shapes are equal.\
\
- other (Array)\
- returns (boolean)",
  ["Array.equals"] = "array:equals(other)\
  Returns whether shape and elements are equal. The dtypes may differ; NaN\
  equals nothing. Waits for both arrays.\
\
- other (Array)\
- returns (boolean)",
  ["Array.totable"] = "array:totable([reuse])\
  Returns all elements. Complex numbers are Complex objects, structs are\
  tables, and uint64 elements are the Lua integers of the same bits. Waits for\
  work on the array.\
\
- reuse (table): filled and returned instead of a new table\
- returns (table): nested as the axes are; a value for an array without axes",
  ["Array.tobytes"] = "array:tobytes()\
  Returns all elements as bytes, in C order. Waits for work on the array.\
\
- returns (string): a.nbytes bytes",
  ["Array.item"] = "array:item(...)\
  Returns one element. Waits for work on the array.\
\
- ... (integer): one index for each axis; none if the array has one element\
- returns (number|boolean|Complex|table)\
- raises a string for an index outside its axis",
  ["Array.setitem"] = "array:setitem(value, ...)\
  Writes one element. Waits for work on the array.\
\
- value (any)\
- ... (integer): one index for each axis; none if the array has one element\
- returns (Array): itself\
- raises a string for an index outside its axis or if the dtype cannot hold\
  the value",
  ["Array.set"] = "array:set(data [, { stream = }])\
  Writes all elements, converted to the dtype.\
\
- data (table|string|number|boolean|Complex|Scalar|Record|Array): of the\
  array's shape or one that broadcasts to it; bytes of the array's size; or\
  one value\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): itself\
- raises a string if shapes do not fit, the dtype cannot hold a value, or\
  complex elements would lose their imaginary part",
  ["Array.fill"] = "array:fill(value [, { stream = }])\
  Writes one value to all elements.\
\
- value (number|boolean|Complex|Scalar|table|Record): a table for a struct\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): itself\
- raises a string if the dtype cannot hold the value",
  ["Array.slice"] = "array:slice(...)\
  Selects a part. Both ends are included and clipped to the axis, as in\
  string.sub; last is -1 and step 1 unless given.\
\
- ... (integer|table): for each axis {first, last, step}, {} for all of it,\
  or an integer, which drops the axis; further axes stay whole\
- returns (Array): a view\
- raises a string for an integer outside its axis",
  ["Array.transpose"] = "array:transpose(...)\
  Reorders the axes.\
\
- ... (integer|integer[], default reversed): the axes in their new order\
- returns (Array): a view",
  ["Array.broadcast_to"] = "array:broadcast_to(...)\
  Repeats axes of one element, and adds axes in front, without a copy.\
\
- ... (integer|integer[]): the extents, or one list of them\
- returns (Array): a view\
- raises a string if the array does not broadcast to the shape",
  ["Array.reshape"] = "array:reshape(...)\
  Returns the elements, in C order, as another shape of the same size.\
\
- ... (integer|integer[]): the extents, or one list of them; one may be -1\
- returns (Array): a view\
- raises a string that names contiguous if no view has this shape",
  ["Array.view"] = "array:view(dtype)\
  Reinterprets the same bytes as another dtype. If the sizes of the dtypes\
  differ, the last axis changes. An array without elements needs no alignment\
  and may have gaps.\
\
- dtype (Dtype)\
- returns (Array): a view\
- raises a string if the last axis is not a whole number of elements of the\
  dtype, or the memory is not aligned for it",
  ["Array.field"] = "array:field(name)\
  Returns a field of all elements of an array of structs. A field that is a\
  list or a vector such as float4 adds its extents as axes after those of the\
  array. A field that is a struct gives an array of that struct, so\
  a:field(\"at\"):field(\"x\") goes on. Writing to the view writes to the structs.\
\
- name (string): name of a field\
- returns (Array): a view\
- raises a string if the elements are not structs, if the struct has no such\
  field, or if a packed struct holds the field at an address that is not\
  aligned for its dtype",
  ["Array.copy"] = "array:copy([{ stream =, out = }])\
  Makes a contiguous copy.\
\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array to write to, instead of a new one\
- returns (Array)\
- raises memory if the allocation fails",
  ["Array.contiguous"] = "array:contiguous([{ stream =, out = }])\
  Returns an array with these elements in C order without gaps.\
\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array to write to, instead of a new one\
- returns (Array): itself if it is contiguous\
- raises memory if the allocation fails",
  ["Array.to"] = "array:to(device [, { stream =, out = }])\
  Returns an array with these elements on a device.\
\
- device (Device|integer|string)\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array on that device to write to\
- returns (Array): itself if it is on the device\
- raises memory if the allocation fails",
  ["Array.astype"] = "array:astype(dtype [, { stream =, out = }])\
  Converts the elements. Floats become integers by truncation, clamped to the\
  range of the dtype; integers wrap around; complex numbers lose their\
  imaginary part when they become real. Other functions raise an error instead\
  of dropping it: array:set, cuda.concatenate, array:put and the like.\
\
- dtype (Dtype): not a struct\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
  - out (Array): array to write to, instead of a new one\
- returns (Array)\
- raises memory if the allocation fails",
  ["Array.close"] = "array:close()\
  Releases this handle. The memory is freed when its last view is closed or\
  collected and the work that uses it has ended. A second call has no effect.",
  ["Array.free"] = "array:free()\
  The same as array:close.",
  ["Array.save_npy"] = "array:save_npy(path)\
  Writes a NumPy file (.npy). An existing file is replaced when the new one is\
  complete.\
\
- path (string)\
- returns (Array): itself\
- raises a string for bfloat16 and structs; runtime if the file cannot be\
  written",
  ["Array.flags"] = "array.flags\
  Of pinned memory: the booleans portable, mapped and write_combined; nil for\
  other memory.\
\
- returns (table?)",
  ["Array.capacity"] = "array.capacity\
  The first extent that the array can grow to; nil without cuda.empty(shape, {\
  reserve = n }).\
\
- returns (integer?)",
  ["Array.resize"] = "array:resize(n)\
  Changes the first axis in place: nothing is copied, the address and the\
  elements stay, and new elements are undefined. Other arrays over the memory\
  keep their shape. What is cut off goes back to the driver, in its units (2\
  MB on GPUs), after the work that uses the array; while other arrays can\
  reach it, it stays.\
\
- n (integer): extent of the first axis, 0 to capacity\
- returns (Array): itself\
- raises memory; a string for an array without reserve, or a view of one",
  ["Array.advise"] = "array:advise(what [, device])\
  Tells the driver how managed memory will be used (cuMemAdvise): pages that\
  overlap the elements are copied to each reader, kept at a place, or mapped\
  for a device.\
\
- what\
  (\"read_mostly\"|\"preferred_location\"|\"accessed_by\"|\"unset_read_mostly\"|\"unset_preferred_location\"|\"unset_accessed_by\")\
- device (Device|integer|string, default the device that manages the\
  memory): for \"preferred_location\", \"accessed_by\" and \"unset_accessed_by\";\
  \"cpu\" is the host\
- returns (Array): itself\
- raises runtime if the device cannot use managed memory while the host does",
  ["Array.prefetch"] = "array:prefetch([device] [, { stream = }])\
  Queues a move of managed memory to a device, or to the host (\"cpu\"), so that\
  work after it finds the pages there.\
\
- device (Device|integer|string, default the device that manages the memory)\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): itself\
- raises runtime if the device cannot use managed memory while the host does",
  ["Array.attach"] = "array:attach(to [, stream])\
  Says who may use the whole managed allocation: one stream, all streams, or\
  only the host. Waits for the stream. On devices that cannot use managed\
  memory while the host does (dev.concurrent_managed_access is 0), Lua waits\
  for all work of the device before it reads or writes the elements; for\
  attached memory it waits for that stream, or for nothing.\
\
- to (Stream|\"single\"|\"global\"|\"host\")\
- stream (Stream, default the current one): the stream that \"single\" names,\
  or in whose order the memory changes hands\
- returns (Array): itself",
  ["Array.sort"] = "array:sort([{ axis =, descending =, stream = }])\
  Sorts the array in place along an axis, as cuda.sort does a copy.\
\
- options:\
  - axis (integer, default -1)\
  - descending (boolean, default false): greatest first\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): itself\
- raises a string for structs",
  ["Array.partition"] = "array:partition(kth [, { axis =, stream = }])\
  Partitions the array in place along an axis, as cuda.partition does a copy.\
\
- kth (integer|integer[]): places from 1 or negative from the end\
- options:\
  - axis (integer, default -1)\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): itself\
- raises a string for a place outside of the axis",
  ["Array.ipc_handle"] = "array:ipc_handle()\
  Describes the array to other processes, which pass the string to\
  cuda.open_ipc. A driver shares only memory outside its pools, so the array\
  must be made with the option ipc; cuda.array(a, { ipc = true }) makes a\
  copy. On a GPU such memory comes in units of 2 MB. Keep the array until the\
  others have closed theirs: on a GPU it is undefined what they read once it\
  is freed. The CPU device keeps the memory until the last process has closed\
  it, and shares it on Linux only, between processes of one user.\
\
- returns (string): bytes to be passed on as they are\
- raises a string for an array made without { ipc = true }",
  ["Array.dlpack"] = "array:dlpack([{ versioned =, stream = }])\
  Makes a tensor of the array's memory, views included. The memory lives until\
  the deleter is called, which any thread may do, also after the Lua state is\
  closed; the owner of wrapped memory (cuda.wrap) lives at most as long as its\
  state. LuaCUDA does not see the consumer's work: later work here is ordered\
  after the work that the consumer had queued on stream when it called the\
  deleter. Arrays have the metamethod __dlpack for other libraries.\
\
- options:\
  - versioned (boolean, default true): a tensor of version 1.1; false: the\
    old form\
  - stream (Stream|Pointer|lightuserdata, default the array's current\
    stream): stream of the consumer, which follows earlier work on a GPU's\
    memory; host memory is waited for\
- returns (Capsule)\
- raises a string for arrays of structs, and for read-only arrays in the old\
  form",
  ["Array"] = "Array: One class for the memory of GPUs, of the CPU device and of the host. #a\
is a.shape[1], == compares handles (a:equals(b) compares elements), and the\
operators are those of arithmetic and bits.\
\
save_csv save_png [i] [mask] shape strides dtype size nbytes ndim device\
memory pointer is_contiguous is_readonly same_shape equals totable tobytes\
item setitem set fill slice transpose broadcast_to reshape view field copy\
contiguous to astype close free save_npy flip rot90 squeeze expand_dims ravel\
flatten swapaxes moveaxis split array_split split_to roll tile rep pad\
diagonal diag tril triu diff flags capacity resize advise prefetch attach add\
subtract multiply divide floor_divide mod power negative maximum minimum fmax\
fmin clip square reciprocal abs sign bitwise_and bitwise_or bitwise_xor\
bitwise_not left_shift right_shift eq ne lt le gt ge logical_and logical_or\
logical_xor logical_not isnan isinf isfinite signbit where hypot atan2\
copysign fmod sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin\
acos atan sinh cosh tanh asinh acosh atanh deg2rad rad2deg floor ceil trunc\
rint round real imag conj angle erf erfc tgamma lgamma sum prod mean var std\
min max argmin argmax any all count_nonzero cumsum cumprod cummax cummin\
argsort unique compress nonzero putmask place take put sort isclose allclose\
nan_to_num average ptp median quantile percentile argpartition topk\
searchsorted nansum nanprod nanmean nanvar nanstd nanmin nanmax nanargmin\
nanargmax partition softmax log_softmax logsumexp scatter_add scatter_max\
scatter_min gradient trapezoid matmul dot inner outer vdot trace norm\
ipc_handle dlpack",
  ["Shape"] = "Shape: The class of a.shape and a.strides: a list of integers that cannot be\
written. shape[i], #shape, ipairs, pairs, table.unpack and table.concat read\
it as they read a table, and shape[-1] is the last integer. == compares the\
integers, and every function that takes a list of integers takes a Shape. {\
table.unpack(a.shape) } is a table, which can be changed; code that reads\
tables raw (next, assert.same of luassert, JSON libraries) needs one.\
\
",
  ["Pool.device"] = "pool.device\
  Its device.\
\
- returns (Device)",
  ["Pool.stats"] = "pool:stats()\
  Returns the pool's current numbers.\
\
- returns (table): in bytes: used, reserved, used_high, reserved_high,\
  limit; counts: allocations, frees",
  ["Pool.trim"] = "pool:trim([keep])\
  Returns unused memory to the system.\
\
- keep (integer, default 0): bytes to keep\
- returns (Pool): itself",
  ["Pool.limit"] = "pool:limit([bytes])\
  Reads or sets the number of bytes that arrays may use together. An\
  allocation above the limit raises a memory error.\
\
- bytes (integer): 0 for no limit; without it the limit is only read\
- returns (integer): the limit in bytes",
  ["Pool"] = "Pool: The memory that arrays of a device use. Freed memory stays in the pool\
for the next array until the pool is trimmed.\
\
device stats trim limit",
  ["CuArray.shape"] = "cuarray.shape\
  Texels per axis, without the channels.\
\
- returns (Shape)",
  ["CuArray.ndim"] = "cuarray.ndim\
  The number of axes, without the channels.\
\
- returns (integer)",
  ["CuArray.dtype"] = "cuarray.dtype\
  The element type.\
\
- returns (string)",
  ["CuArray.channels"] = "cuarray.channels\
  Elements of a texel.\
\
- returns (integer)",
  ["CuArray.nbytes"] = "cuarray.nbytes\
  Bytes of all texels, mipmaps included.\
\
- returns (integer)",
  ["CuArray.levels"] = "cuarray.levels\
  The number of levels; 1 without mipmaps.\
\
- returns (integer)",
  ["CuArray.device"] = "cuarray.device\
  Its device.\
\
- returns (Device)",
  ["CuArray.surface"] = "cuarray.surface\
  Whether kernels may write it through a surface.\
\
- returns (boolean)",
  ["CuArray.layered"] = "cuarray.layered\
  Whether the first axis counts layers.\
\
- returns (boolean)",
  ["CuArray.cubemap"] = "cuarray.cubemap\
  Whether the first axis counts faces.\
\
- returns (boolean)",
  ["CuArray.gather"] = "cuarray.gather\
  Whether kernels may use tex2Dgather.\
\
- returns (boolean)",
  ["CuArray.handle"] = "cuarray.handle\
  The driver's CUarray; of mipmaps that of the largest level.\
\
- returns (integer)",
  ["CuArray.level"] = "cuarray:level(i)\
  Returns one level of a CUDA array with mipmaps, for copies and surfaces. It\
  shares the memory. Level i is level i - 1 in kernels.\
\
- i (integer): from 1, the largest\
- returns (CuArray)",
  ["CuArray.set"] = "cuarray:set(value [, { stream = }])\
  Assigns all elements, as array:set does; several channels are the last axis.\
  With mipmaps: those of the largest level, as in every copy.\
\
- value (any): a nested table, an Array, bytes, or one value for all\
  elements\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (CuArray): itself",
  ["CuArray.array"] = "cuarray:array([{ out =, stream = }])\
  Copies all elements to an array on the same device; several channels are the\
  last axis.\
\
- options:\
  - out (Array): array to fill\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): new or out",
  ["CuArray.totable"] = "cuarray:totable([reuse])\
  Waits and returns all elements as nested tables.\
\
- reuse (table): table to fill\
- returns (table)\
- raises launch if earlier work failed",
  ["CuArray.close"] = "cuarray:close()\
  Releases the handle. Work that is queued continues. A second call has no\
  effect.",
  ["CuArray.free"] = "cuarray:free()\
  The same as cuarray:close.",
  ["CuArray"] = "CuArray: Memory in the layout of the texture hardware.\
\
shape ndim dtype channels nbytes levels device surface layered cubemap gather\
handle level set array totable close free",
  ["Texture.source"] = "texture.source\
  What it was made of.\
\
- returns (CuArray|Array)",
  ["Texture.device"] = "texture.device\
  Its device.\
\
- returns (Device)",
  ["Texture.handle"] = "texture.handle\
  The driver's CUtexObject, for arrays of uint64.\
\
- returns (integer)",
  ["Texture.filter"] = "texture.filter\
  The filter.\
\
- returns (\"point\"|\"linear\")",
  ["Texture.address"] = "texture.address\
  What lies outside, for x, y and z.\
\
- returns (string[])",
  ["Texture.read"] = "texture.read\
  How integers are read.\
\
- returns (\"element\"|\"normalized\")",
  ["Texture.normalized"] = "texture.normalized\
  Whether coordinates go from 0 to 1.\
\
- returns (boolean)",
  ["Texture.close"] = "texture:close()\
  Releases the handle. Work that is queued continues. A second call has no\
  effect.",
  ["Texture.free"] = "texture:free()\
  The same as texture:close.",
  ["Texture"] = "Texture: How kernels read an array or a CUDA array.\
\
source device handle filter address read normalized close free",
  ["Surface.source"] = "surface.source\
  What it was made of.\
\
- returns (CuArray)",
  ["Surface.device"] = "surface.device\
  Its device.\
\
- returns (Device)",
  ["Surface.handle"] = "surface.handle\
  The driver's CUsurfObject, for arrays of uint64.\
\
- returns (integer)",
  ["Surface.close"] = "surface:close()\
  Releases the handle. Work that is queued continues. A second call has no\
  effect.",
  ["Surface.free"] = "surface:free()\
  The same as surface:close.",
  ["Surface"] = "Surface: How kernels write a CUDA array.\
\
source device handle close free",
  ["Random.generator"] = "cuda.random.generator([seed])\
  Makes a generator.\
\
- seed (integer, default a random one): all 64 bits are used\
- returns (Generator)",
  ["Random.seed"] = "cuda.random.seed(seed)\
  Restarts the default generator with a seed.\
\
- seed (integer): all 64 bits are used",
  ["Random"] = "Random:\
\
generator seed uniform normal integers exponential gamma poisson binomial\
choice shuffle bits permutation",
  ["Generator.uniform"] = "generator:uniform([shape] [, { low =, high =, dtype =, out =, stream =,\
    device = }])\
cuda.random.uniform([shape] [, { low =, high =, dtype =, out =, stream =,\
    device = }])\
  Returns uniformly distributed numbers low + (high - low) * u, where u is one\
  of 2^24 (for float32), 2^53 (float64), 2^11 (float16) or 2^8 (bfloat16)\
  numbers at equal distances from 0 up to, not including, 1. If low and high\
  are not 0 and 1, rounding may give high.\
\
- shape (integer|integer[]|nil, default that of out): elements per axis\
- options:\
  - low (number, default 0): least value\
  - high (number, default 1): upper end, excluded; not below low\
  - dtype (\"float32\"|\"float64\"|\"float16\"|\"bfloat16\", default \"float32\")\
  - out (Array): array of that shape to write to; its dtype is that of the\
    result\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of out, else the current\
    device)\
- returns (Array)\
- raises a string for numbers that the dtype does not hold; memory if the\
  allocation fails",
  ["Generator.normal"] = "generator:normal([shape] [, { mean =, std =, dtype =, out =, stream =,\
    device = }])\
cuda.random.normal([shape] [, { mean =, std =, dtype =, out =, stream =,\
    device = }])\
  Returns normally distributed numbers (Box and Muller, 1958), at most 5.8\
  standard deviations from the mean (float64: 8.6). All dtypes but float64 use\
  the device's approximations of logarithm, sine and cosine, so the last bits\
  may differ between devices.\
\
- shape (integer|integer[]|nil, default that of out): elements per axis\
- options:\
  - mean (number, default 0)\
  - std (number, default 1): standard deviation\
  - dtype (\"float32\"|\"float64\"|\"float16\"|\"bfloat16\", default \"float32\")\
  - out (Array): array of that shape to write to; its dtype is that of the\
    result\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of out, else the current\
    device)\
- returns (Array)\
- raises a string for numbers that the dtype does not hold; memory if the\
  allocation fails",
  ["Generator.integers"] = "generator:integers(low, high [, shape] [, { dtype =, out =, stream =, device =\
    }])\
cuda.random.integers(low, high [, shape] [, { dtype =, out =, stream =,\
    device = }])\
  Returns integers from low to high, all of them equally likely (Lemire,\
  2019). For uint64 both are taken as bits: 0 to -1 is the whole range. An\
  element takes one 32-bit word of the generator if at most 2^20 of the 2^32\
  words have to be refused for that, as for all ranges of up to 2^20 integers,\
  else two words. Dtypes of one byte take half a word (Brackett-Rozinsky and\
  Lemire, 2024).\
\
- low (integer)\
- high (integer): included, as in math.random\
- shape (integer|integer[]|nil, default that of out): elements per axis\
- options:\
  - dtype (Dtype, default int64): an integer dtype that can hold low and\
    high\
  - out (Array): array of that shape to write to; its dtype is that of the\
    result\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of out, else the current\
    device)\
- returns (Array)\
- raises a string if low is more than high; memory if the allocation\
  fails",
  ["Generator.exponential"] = "generator:exponential([shape] [, { scale =, dtype =, out =, stream =, device =\
    }])\
cuda.random.exponential([shape] [, { scale =, dtype =, out =, stream =,\
    device = }])\
  Returns exponentially distributed numbers, as -log(u) * scale for a uniform\
  u of 32 bits (float64: 52 bits).\
\
- shape (integer|integer[]|nil, default that of out): elements per axis\
- options:\
  - scale (number, default 1): the mean\
  - dtype (\"float32\"|\"float64\"|\"float16\"|\"bfloat16\", default \"float32\")\
  - out (Array): array of that shape to write to; its dtype is that of the\
    result\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of out, else the current\
    device)\
- returns (Array)\
- raises a string if scale is negative or too large for the dtype; memory\
  if the allocation fails",
  ["Generator.gamma"] = "generator:gamma(k [, shape] [, { scale =, dtype =, out =, stream =, device =\
    }])\
cuda.random.gamma(k [, shape] [, { scale =, dtype =, out =, stream =, device =\
    }])\
  Returns numbers of the gamma distribution of mean k * scale by the rejection\
  method of Marsaglia and Tsang (2000). For k below 1 it draws those of k + 1\
  and multiplies them by a power of a uniform number, as that paper says.\
\
- k (number): 0 or more, the shape of the distribution\
- shape (integer|integer[]|nil, default that of out): elements per axis\
- options:\
  - scale (number, default 1)\
  - dtype (\"float32\"|\"float64\"|\"float16\"|\"bfloat16\", default \"float32\")\
  - out (Array): array of that shape to write to; its dtype is that of the\
    result\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of out, else the current\
    device)\
- returns (Array)\
- raises a string if k or scale is negative or too large for the dtype;\
  memory if the allocation fails",
  ["Generator.poisson"] = "generator:poisson(mean [, shape] [, { dtype =, out =, stream =, device = }])\
cuda.random.poisson(mean [, shape] [, { dtype =, out =, stream =, device = }])\
  Returns integers of the Poisson distribution, by inversion for means below\
  10 (Devroye, 1986), else by transformed rejection (PTRS; Hörmann, 1993). A\
  value that the dtype does not hold becomes its largest one.\
\
- mean (number): from 0 to 2^62, NumPy's lam\
- shape (integer|integer[]|nil, default that of out): elements per axis\
- options:\
  - dtype (Dtype, default int64): an integer dtype\
  - out (Array): array of that shape to write to; its dtype is that of the\
    result\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of out, else the current\
    device)\
- returns (Array)\
- raises a string if mean is negative; memory if the allocation fails",
  ["Generator.binomial"] = "generator:binomial(n, p [, shape] [, { dtype =, out =, stream =, device = }])\
cuda.random.binomial(n, p [, shape] [, { dtype =, out =, stream =, device =\
    }])\
  Returns numbers of successes, by inversion if n * min(p, 1 - p) is below 10\
  (Devroye, 1986), else by transformed rejection (BTRS; Hörmann, 1993).\
\
- n (integer): from 0 to 2^53, number of trials\
- p (number): probability of a success\
- shape (integer|integer[]|nil, default that of out): elements per axis\
- options:\
  - dtype (Dtype, default int64): an integer dtype\
  - out (Array): array of that shape to write to; its dtype is that of the\
    result\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of out, else the current\
    device)\
- returns (Array)\
- raises a string if the dtype does not hold n; memory if the allocation\
  fails",
  ["Generator.choice"] = "generator:choice(from, shape [, { replace =, p =, stream =, device = }])\
cuda.random.choice(from, shape [, { replace =, p =, stream =, device = }])\
  Draws from 1 to n, or from the rows of an array along the first axis. With\
  weights each draw is a binary search in their cumulative sums. Draws without\
  replacement are the first elements of permutation; with weights all n are\
  sorted by the random keys of Efraimidis and Spirakis (2006). A call with p\
  waits, to check the weights.\
\
- from (integer|Array): n, or an array of one or more axes\
- shape (integer|integer[]): number of draws per axis\
- options:\
  - replace (boolean, default true): may an element be drawn again\
  - p (Array|number[], default all equal): weights, which need not add up to\
    1\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default the current device): for an\
    integer\
- returns (Array): integers from 1 to n (int64), or rows of the array\
- raises a string for weights below 0, or for more draws without replacement\
  than there are elements with a weight above 0, or from more than 2^62;\
  memory if the allocation fails",
  ["Generator.shuffle"] = "generator:shuffle(array [, { stream = }])\
cuda.random.shuffle(array [, { stream = }])\
  Puts the rows of an array, along the first axis, in random order, in place,\
  as permutation does for a copy.\
\
- array (Array): of one or more axes\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): the argument\
- raises memory if the allocation fails",
  ["Generator.bits"] = "generator:bits([shape] [, { dtype =, out =, stream =, device = }])\
cuda.random.bits([shape] [, { dtype =, out =, stream =, device = }])\
  Returns the generator's 32-bit words in order; two give a uint64, the lower\
  half first.\
\
- shape (integer|integer[]|nil, default that of out): elements per axis\
- options:\
  - dtype (\"uint32\"|\"uint64\", default \"uint32\")\
  - out (Array): array of that shape to write to; its dtype is that of the\
    result\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of out, else the current\
    device)\
- returns (Array)\
- raises memory if the allocation fails",
  ["Generator.permutation"] = "generator:permutation(what [, { stream =, device = }])\
cuda.random.permutation(what [, { stream =, device = }])\
  Returns the integers from 1 to n in random order (int64), or a copy of an\
  array with its rows, along the first axis, in random order. Nothing is\
  sorted: a one-to-one function of the integers below n gives each element its\
  place, a Feistel network over two digits (Black and Rogaway, 2002) with\
  32-bit keys from the generator, one for each of its 32 rounds (16 for more\
  than 4096 elements). The orders have the statistics of uniformly random\
  ones: of few elements all are equally often, of many the places, distances,\
  cycles and parity agree.\
\
- what (integer|Array): n, or an array of one or more axes\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default the current device): for an\
    integer\
- returns (Array)\
- raises memory if the allocation fails",
  ["Generator.seed"] = "generator:seed(seed)\
  Restarts the generator with a seed, as a new generator begins.\
\
- seed (integer): all 64 bits are used\
- returns (Generator): itself",
  ["Generator"] = "Generator: A seed and a position in its sequence. Each method is also a\
function of cuda.random, which uses the default generator.\
\
uniform normal integers exponential gamma poisson binomial choice shuffle bits\
permutation seed",
  ["Capsule.name"] = "capsule.name\
  The form of the tensor.\
\
- returns (\"dltensor_versioned\"|\"dltensor\")",
  ["Capsule.consumed"] = "capsule.consumed\
  Whether the tensor has been taken out.\
\
- returns (boolean)",
  ["Capsule.release"] = "capsule:release()\
  Takes the tensor out and returns the pointer and its name, for code in C or\
  for another Lua state. Whoever receives it has to call its deleter.\
\
- returns (lightuserdata)\
- returns (\"dltensor_versioned\"|\"dltensor\")",
  ["Capsule"] = "Capsule: A DLPack tensor that nothing has consumed yet. A capsule that is\
collected or closed calls the tensor's deleter.\
\
name consumed release",
  ["Launch.threads"] = "launch.threads\
  Total threads per axis. LuaCUDA chooses the grid and, unless block is given,\
  the block. Fewer than 256 threads are one block, where the kernel can have\
  so many. Else a block has as many as kernel:suggested_block returns, in a\
  row or near a square or a cube (256 are 256, 16 by 16, or 8 by 8 by 4), and\
  the last block may have more threads than needed, so kernels test their\
  index. Where blocks form clusters, the last cluster may have more blocks\
  than needed. 0 launches nothing.\
\
- returns (integer|integer[]|nil)",
  ["Launch.grid"] = "launch.grid\
  Blocks per axis, at least 1 (1).\
\
- returns (integer|integer[]|nil)",
  ["Launch.block"] = "launch.block\
  Threads of a block per axis.\
\
- returns (integer|integer[]|nil)",
  ["Launch.shared"] = "launch.shared\
  Dynamic shared memory in bytes (0). Above 48 KB the kernel's limit is raised\
  automatically.\
\
- returns (integer?)",
  ["Launch.stream"] = "launch.stream\
  Stream of the launch (the current stream of the arrays' device).\
\
- returns (Stream?)",
  ["Launch.cooperative"] = "launch.cooperative\
  Launch cooperatively: all blocks run at the same time and can synchronize\
  (false).\
\
- returns (boolean?)",
  ["Launch.cluster"] = "launch.cluster\
  Blocks of a cluster per axis, on devices that have clusters.\
\
- returns (integer|integer[]|nil)",
  ["Launch.programmatic"] = "launch.programmatic\
  Let the kernel begin before the one queued before it on the stream has ended\
  (false). It must wait by griddepcontrol.wait (cudaGridDependencySynchronize)\
  before it uses what that one writes. Without effect on GPUs before compute\
  capability 9.0 and on the CPU device.\
\
- returns (boolean?)",
  ["Launch.priority"] = "launch.priority\
  Priority of this launch: smaller numbers first, as those of streams. The\
  nearest that the device has is taken (the stream's).\
\
- returns (integer?)",
  ["Launch.sync_domain"] = "launch.sync_domain\
  Memory synchronization domain: fences of kernels in one domain need not wait\
  for writes of kernels in the other (\"default\").\
\
- returns (\"default\"|\"remote\"|nil)",
  ["Launch.ordered"] = "launch.ordered\
  Order the launch automatically after work of other streams on its arrays\
  (true).\
\
- returns (boolean?)",
  ["Launch.runs"] = "launch.runs\
  For kernel:benchmark: the number of timed launches (20).\
\
- returns (integer?)",
  ["Launch.warmup"] = "launch.warmup\
  For kernel:benchmark: the number of launches before those (3).\
\
- returns (integer?)",
  ["Launch"] = "Launch: The launch table: either threads, or block and, unless it is 1, grid.\
Extents are an integer or a list of up to three, x first (the reverse of a\
shape).\
\
threads grid block shared stream cooperative cluster programmatic priority\
sync_domain ordered runs warmup",
  ["Kernel.name"] = "kernel.name\
  Its name.\
\
- returns (string)",
  ["Kernel.log"] = "kernel.log\
  The compiler's warnings about its source: module.log.\
\
- returns (string)",
  ["Kernel.signature"] = "kernel.signature\
  A table for each parameter: name, type (in C++), kind, dtype, class, known,\
  const, lanes, size and offset (bytes). known is false if a loaded binary\
  does not give the parameter's type: PTX gives only the size of the\
  parameters of an extern \"C\" kernel, so a pointer takes an array of any dtype\
  there.\
\
- returns (table[])",
  ["Kernel.max_threads_per_block"] = "kernel.max_threads_per_block\
  Threads of the largest block that it can run with.\
\
- returns (integer)",
  ["Kernel.num_regs"] = "kernel.num_regs\
  Registers per thread.\
\
- returns (integer)",
  ["Kernel.shared_size_bytes"] = "kernel.shared_size_bytes\
  Static shared memory per block, in bytes.\
\
- returns (integer)",
  ["Kernel.const_size_bytes"] = "kernel.const_size_bytes\
  Constant memory in bytes.\
\
- returns (integer)",
  ["Kernel.local_size_bytes"] = "kernel.local_size_bytes\
  Local memory per thread, in bytes.\
\
- returns (integer)",
  ["Kernel.ptx_version"] = "kernel.ptx_version\
  PTX version that it was compiled for: 80 for 8.0.\
\
- returns (integer)",
  ["Kernel.binary_version"] = "kernel.binary_version\
  Architecture of the machine code: 90 for sm_90.\
\
- returns (integer)",
  ["Kernel.cache_mode_ca"] = "kernel.cache_mode_ca\
  1 if it was compiled with global loads cached in L1, else 0.\
\
- returns (integer)",
  ["Kernel.max_dynamic_shared_size_bytes"] = "kernel.max_dynamic_shared_size_bytes\
  Limit of dynamic shared memory in bytes; settable.\
\
- returns (integer)",
  ["Kernel.preferred_shared_memory_carveout"] = "kernel.preferred_shared_memory_carveout\
  Share of L1 kept for shared memory, in percent, -1 for the driver's choice;\
  settable.\
\
- returns (integer)",
  ["Kernel.cluster_size_must_be_set"] = "kernel.cluster_size_must_be_set\
  1 if a launch needs cluster, else 0.\
\
- returns (integer)",
  ["Kernel.required_cluster_width"] = "kernel.required_cluster_width\
  Cluster size along x that it was compiled for, or 0; settable on GPUs where\
  none was.\
\
- returns (integer)",
  ["Kernel.required_cluster_height"] = "kernel.required_cluster_height\
  The same along y.\
\
- returns (integer)",
  ["Kernel.required_cluster_depth"] = "kernel.required_cluster_depth\
  The same along z.\
\
- returns (integer)",
  ["Kernel.non_portable_cluster_size_allowed"] = "kernel.non_portable_cluster_size_allowed\
  1 if clusters of more than 8 blocks are allowed, else 0; settable.\
\
- returns (integer)",
  ["Kernel.cluster_scheduling_policy_preference"] = "kernel.cluster_scheduling_policy_preference\
  How blocks of clusters are spread (CUclusterSchedulingPolicy); settable.\
\
- returns (integer)",
  ["Kernel.cache_config"] = "kernel.cache_config\
  What it prefers to have more of: shared memory, L1 cache, or the same of\
  both (\"none\": the device's default); settable. A hint, which recent GPUs may\
  ignore.\
\
- returns (\"none\"|\"shared\"|\"l1\"|\"equal\")",
  ["Kernel.options"] = "kernel.options\
  The options that it was compiled with, in the form in which cuda.kernel\
  takes them; empty for a binary.\
\
- returns (table)",
  ["Kernel.__call"] = "kernel(launch, ...)\
  Launches the kernel. Does not wait, unless an argument is cuda.output or\
  cuda.inout, which copy to a host value.\
\
- launch (Launch)\
- ... (any): the kernel's arguments\
- raises a string for wrong arguments, or limits that the launch exceeds;\
  launch if it fails",
  ["Kernel.prepare"] = "kernel:prepare(launch)\
  Checks a launch table once, for launches that are repeated. The table is\
  copied and the device fixed. Types of the arguments need not be declared:\
  they come from the kernel's signature.\
\
- launch (Launch)\
- returns (Prepared)\
- raises a string for wrong arguments, or limits that the launch exceeds;\
  launch if it fails",
  ["Kernel.time_ms"] = "kernel:time_ms(launch, ...)\
  Launches, waits, and returns the time that the launch took on the device.\
\
- launch (Launch)\
- ... (any): the kernel's arguments\
- returns (number): milliseconds\
- raises a string for wrong arguments, or limits that the launch exceeds;\
  launch if it fails",
  ["Kernel.benchmark"] = "kernel:benchmark(launch, ...)\
  Launches many times, waits, and returns times per launch.\
\
- launch (Launch)\
- ... (any): the kernel's arguments\
- returns (table): min_ms, median_ms, mean_ms, spread_ms (the distance\
  between the quartiles) and runs\
- raises a string for wrong arguments, or limits that the launch exceeds;\
  launch if it fails",
  ["Kernel.occupancy"] = "kernel:occupancy(block [, shared])\
  Returns how many blocks of a size fit on a multiprocessor.\
\
- block (integer|integer[])\
- shared (integer, default 0): dynamic shared memory in bytes\
- returns (integer): blocks that a multiprocessor runs at the same time\
- returns (number): their threads as a share of what it can hold, 0 to 1",
  ["Kernel.suggested_block"] = "kernel:suggested_block([shared])\
  Returns the block with which most threads of the kernel are resident: the\
  driver's suggestion, or 256 where they keep as many resident. Asked once per\
  kernel and device.\
\
- shared (integer, default 0): dynamic shared memory in bytes\
- returns (integer): threads of a block\
- returns (integer): blocks that fill the device\
- raises a string if a block cannot have so much shared memory",
  ["Kernel.max_cooperative_blocks"] = "kernel:max_cooperative_blocks(block [, shared])\
  Returns how many blocks a cooperative launch may have: those that the device\
  runs at the same time. 0 where there are no cooperative launches.\
\
- block (integer|integer[])\
- shared (integer, default 0): dynamic shared memory in bytes\
- returns (integer)\
- raises a string if a block cannot have so much shared memory",
  ["Kernel.max_active_clusters"] = "kernel:max_active_clusters(block [, cluster] [, shared])\
  Returns how many clusters of this shape the device runs at the same time.\
\
- block (integer|integer[])\
- cluster (integer|integer[], default the one that the kernel was compiled\
  for)\
- shared (integer, default 0): dynamic shared memory in bytes\
- returns (integer)\
- raises a string if such a launch is not possible",
  ["Kernel.max_cluster_size"] = "kernel:max_cluster_size(block [, shared])\
  Returns how many blocks a cluster of the kernel may have: those that it was\
  compiled for, or 8, or more if non_portable_cluster_size_allowed is set. 0\
  where there are no clusters.\
\
- block (integer|integer[])\
- shared (integer, default 0): dynamic shared memory in bytes\
- returns (integer)\
- raises a string if such a launch is not possible",
  ["Kernel.attributes"] = "kernel:attributes()\
  Returns all the driver's numbers, those of the fields above.\
\
- returns (table): name to integer",
  ["Kernel.source"] = "kernel:source()\
  Returns the source.\
\
- returns (string)\
- raises a string if it was made from a binary",
  ["Kernel.ptx"] = "kernel:ptx()\
  Returns the PTX of its module for the current device.\
\
- returns (string)\
- raises a string if it was made from machine code; compile",
  ["Kernel.compile"] = "kernel:compile([{ log = }])\
  Compiles and loads it for the current device now, instead of at the first\
  use.\
\
- options:\
  - log (any): function or open file that receives the log\
- returns (Kernel): itself\
- raises compile",
  ["Kernel.close"] = "kernel:close()\
  Releases the handle. A second call has no effect.",
  ["Kernel.free"] = "kernel:free()\
  The same as kernel:close.",
  ["Kernel.profile"] = "kernel:profile(...)\
  Calls it on the CPU device and waits, and counts what each line of the\
  source costs: LineProfile. On a GPU it raises: switch with cuda.use 'cpu'.\
\
- ... (any): what a call takes: of a kernel the launch table and its\
  arguments\
- returns (LineProfile)\
- raises a string if the current device is a GPU; the errors of the call and\
  of its kernels",
  ["Kernel.step"] = "kernel:step(watch, ...)\
  Runs the call on the CPU device and records one thread: a stop each time the\
  thread reaches another line, or jumps back to the same. The kernel has\
  finished when the loop starts, so arrays already hold its results. Variables\
  need code that was compiled with debug = true. watch may hold thread and\
  block (x, y and z from 0; an integer stands for x), line (stops at this line\
  only), when (a function that takes the variables: stops only where it\
  returns true) and limit (stops to keep at most, 10000; those where when does\
  not hold do not count). when runs while the kernel waits; if it waits for\
  the device itself, by reading an array for example, the kernel finishes\
  first.\
\
- watch (table): what to stop at; {} for each line of the first thread\
- ... (any): what a call takes: of a kernel the launch table and its\
  arguments\
- returns (function): iterator over Stop\
- raises a string if the current device is a GPU; a string for a line\
  without code and a when without debug information; the loop raises the\
  errors of the call and of its kernels, after the stops before them or when\
  the loop is left early, and a string if no launch has the thread or there\
  are more stops than limit; after the stops before it, the error of when",
  ["Kernel.tune"] = "kernel:tune(launch, ...)\
  Searches for the fastest block. Runs the kernel many times with the same\
  arguments. The kernel's source, threads and the types and shapes of the\
  arguments are part of the key. result.run() launches the kernel with the\
  fastest block and these arguments.\
\
- launch (table): threads and other keys of a launch table without grid\
  and block; blocks, a list of blocks to try (by default those of 32 to\
  1024 threads that suit the axes of threads); and the options of\
  cuda.tune except for name, space, where and make\
- ... (any): arguments of the kernel\
- returns (Tuning): whose best.block is the fastest block\
- raises runtime if no candidate could be measured, with the reasons; the\
  errors of where, reset, metrics and observe",
  ["Kernel"] = "Kernel: A kernel, made by cuda.kernel or module:kernel. The driver's numbers\
are fields; they are those of the current device. Fields marked \"settable\" can\
be assigned, which holds for every device.\
\
name log signature max_threads_per_block num_regs shared_size_bytes\
const_size_bytes local_size_bytes ptx_version binary_version cache_mode_ca\
max_dynamic_shared_size_bytes preferred_shared_memory_carveout\
cluster_size_must_be_set required_cluster_width required_cluster_height\
required_cluster_depth non_portable_cluster_size_allowed\
cluster_scheduling_policy_preference cache_config options __call prepare\
time_ms benchmark occupancy suggested_block max_cooperative_blocks\
max_active_clusters max_cluster_size attributes source ptx compile close free\
profile step tune",
  ["Prepared.kernel"] = "prepared.kernel\
  Its kernel.\
\
- returns (Kernel)",
  ["Prepared.device"] = "prepared.device\
  The device that it launches on.\
\
- returns (Device)",
  ["Prepared.grid"] = "prepared.grid\
  Blocks: x, y, z.\
\
- returns (integer[])",
  ["Prepared.block"] = "prepared.block\
  Threads of a block: x, y, z.\
\
- returns (integer[])",
  ["Prepared.__call"] = "prepared(...)\
  Launches the kernel with these arguments, or without any with those that\
  keep or set kept.\
\
- ... (any): the kernel's arguments\
- raises a string for wrong arguments, or limits that the launch exceeds;\
  launch if it fails",
  ["Prepared.with"] = "prepared:with(changes)\
  Makes another prepared launch of the kernel, for another grid or stream,\
  say. What the table leaves out stays as it is, the block and the kept\
  arguments too; threads makes a grid of that block, or of another one where\
  the block was chosen. A new block needs grid or threads.\
\
- changes (Launch)\
- returns (Prepared)\
- raises a string for wrong arguments, or limits that the launch exceeds;\
  launch if it fails",
  ["Prepared.keep"] = "prepared:keep(...)\
  Checks arguments and keeps them for calls without arguments. Each launch\
  converts them again, so a table is read as it is then.\
\
- ... (any): the kernel's arguments\
- returns (Prepared): itself\
- raises a string for wrong arguments, or limits that the launch exceeds;\
  launch if it fails",
  ["Prepared.set"] = "prepared:set(i, value)\
  Replaces one kept argument, or keeps it as the first.\
\
- i (integer): from 1\
- value (any)\
- returns (Prepared): itself\
- raises a string for wrong arguments, or limits that the launch exceeds;\
  launch if it fails",
  ["Prepared.time_ms"] = "prepared:time_ms(...)\
  Launches, waits, and returns the time that the launch took on the device.\
\
- ... (any): the kernel's arguments\
- returns (number): milliseconds\
- raises a string for wrong arguments, or limits that the launch exceeds;\
  launch if it fails",
  ["Prepared.close"] = "prepared:close()\
  Releases the handle. A second call has no effect.",
  ["Prepared.free"] = "prepared:free()\
  The same as prepared:close.",
  ["Prepared"] = "Prepared: A launch made by kernel:prepare.\
\
kernel device grid block __call with keep set time_ms close free",
  ["Argument"] = "Argument: What cuda.raw, cuda.input, cuda.output and cuda.inout return, for\
one launch.\
\
",
  ["Pointer.address"] = "pointer.address\
  The address.\
\
- returns (integer)",
  ["Pointer"] = "Pointer: What cuda.ptr returns, and cuda.null.\
\
address",
  ["Module.kernels"] = "module.kernels\
  Kernels by name: module.kernels.saxpy. pairs visits names and kernels, and\
  the call module:kernels() returns the list of names.\
\
- returns (table)",
  ["Module.log"] = "module.log\
  The compiler's warnings, and what the driver's PTX compiler and linker\
  wrote.\
\
- returns (string)",
  ["Module.jit"] = "module.jit\
  What the driver's PTX compiler or linker reported; loads the module.\
\
- returns (table): info_log and error_log (string), wall_ms (number, if\
  options were given or code was linked), threads_per_block (integer, if the\
  option was given) and registers (table, kernel name to 32-bit registers\
  per thread)\
- raises compile",
  ["Module.kernel"] = "module:kernel(name)\
  Returns a kernel. A template instance that is not among the option instances\
  is compiled with the module if it is named before the module is first used.\
  Later it is compiled by itself; that raises a string if the module has\
  variables, which a second copy of the code would not share.\
\
- name (string): plain, with namespaces, or a template instance\
  (\"scale<float>\")\
- returns (Kernel)\
- raises a string if there is no such kernel; compile",
  ["Module.global"] = "module:global(name [, { dtype = }])\
  Returns an array over a __device__, __constant__ or __managed__ variable, or\
  an instance of a variable template that a kernel of the module uses\
  (\"table<float>\").\
\
- name (string)\
- options:\
  - dtype (Dtype, default the compiler's): type of its elements\
- returns (Array): over the variable\
- raises a string if there is no such variable; compile",
  ["Module.sizeof"] = "module:sizeof(type)\
  Asks the compiler for the size of a type, so that a program can allocate\
  memory for it. Needs no device.\
\
- type (string): a type of the source or its headers: \"curandState\"\
- returns (integer): its size in bytes\
- returns (integer): its alignment\
- raises a string if the source has no such type, or only declares it, or the\
  module was made from a binary; compile",
  ["Module.compile"] = "module:compile([{ log = }])\
  Compiles and loads the module and all its kernels for the current device\
  now.\
\
- options:\
  - log (any): function or open file that receives the module's log\
- returns (Module): itself\
- raises compile",
  ["Module.source"] = "module:source()\
  Returns the source.\
\
- returns (string)\
- raises a string if it was made from a binary",
  ["Module.close"] = "module:close()\
  Releases the handle; the code is unloaded with its last kernel.",
  ["Module.free"] = "module:free()\
  The same as module:close.",
  ["Module"] = "Module: Kernels and variables.\
\
kernels log jit kernel global sizeof compile source close free",
  ["Linker.add"] = "linker:add(item [, { kind =, name = }])\
  Adds something to link. Ignores the log that cuda.compile returns as its\
  second result, so you can pass a call: l:add(cuda.compile(source, { rdc =\
  true })).\
\
- item (string|Source): source, PTX, machine code, an object file or a\
  library as bytes, the name of a file, or the name of a library such as\
  \"cudadevrt\"\
- options:\
  - kind (\"source\"|\"ptx\"|\"cubin\"|\"fatbin\"|\"object\"|\"library\"|\"ltoir\",\
    default recognized): what it is\
  - name (string, default the file's): name of code in messages\
- returns (Linker): itself\
- raises runtime if a file cannot be read",
  ["Linker.complete"] = "linker:complete()\
  Compiles the sources and links everything for the current device. More may\
  be added afterwards.\
\
- returns (string): the linked code\
- returns (string): the driver's log\
- raises compile; a string if nothing was added",
  ["Linker.module"] = "linker:module()\
  Makes a module from everything, as cuda.module{ sources = ... } does.\
\
- returns (Module)\
- raises a string if nothing was added",
  ["Linker.close"] = "linker:close()\
  Forgets what was added.",
  ["Linker.free"] = "linker:free()\
  The same as linker:close.",
  ["Linker"] = "Linker: Collects sources, code and libraries; made by cuda.linker.\
\
add complete module close free",
  ["Template.__call"] = "template([names])\
  Fills the template in. Numbers are inserted so that they read back exactly,\
  negative ones in parentheses; lists as {1, 2}.\
\
- names (table): values by name\
- returns (Source)\
- raises a string with the template's line for a name that is not set, and\
  errors of its Lua code",
  ["Template"] = "Template: A template of source, made by cuda.template.\
\
__call",
  ["Source"] = "Source: Filled-in source, for cuda.kernel and the like; tostring gives the\
text.\
\
",
  ["Cache.dir"] = "cuda.cache.dir()\
  Returns the folder.\
\
- returns (string?): nil if nothing is kept on disk",
  ["Cache.stats"] = "cuda.cache.stats()\
  Returns numbers of the cache.\
\
- returns (table): counts of this Lua state: hits, misses, written,\
  damaged, failed; in the folder: files and bytes",
  ["Cache.clear"] = "cuda.cache.clear()\
  Removes all files of the cache.\
\
- returns (integer): bytes freed",
  ["Cache"] = "Cache: Compiled code and what cuda.tune has measured, on disk, in\
LUACUDA_CACHE_DIR, else $XDG_CACHE_HOME/luacuda, else ~/.cache/luacuda. The\
key covers everything that can change the result, so there is nothing to clear\
after an edit.\
\
dir stats clear",
  ["Elementwise.__call"] = "elementwise(... [, { size =, out =, stream =, device = }])\
  Computes the outputs. Does not wait. Outputs do not broadcast; they may be\
  views and inputs, and keep what the body does not assign. An output that is\
  nil or left out is made, uninitialized.\
\
- ... (Array|number|boolean|Complex|Scalar): the inputs, whose shapes\
  broadcast, then optionally the outputs\
- options:\
  - size (integer): number of elements; needed, and allowed, only if no\
    array is without raw\
  - out (Array|Array[]): the outputs, in place of arguments\
  - stream (Stream, default the device's current stream): stream of the work\
  - device (Device|integer|string, default that of the arrays, else the\
    current device)\
- returns (Array)\
- returns ... (Array): further outputs\
- raises a string for arguments that do not fit; compile; launch",
  ["Elementwise.name"] = "elementwise.name\
  Its name.\
\
- returns (string)",
  ["Elementwise.source"] = "elementwise:source(...)\
  Returns the CUDA C++ text of the kernel that a call with these arguments\
  runs, without launching; without arguments that of the latest call.\
\
- ... (any): arguments as in a call\
- returns (string)\
- raises a string without arguments if no kernel was made yet",
  ["Elementwise.ptx"] = "elementwise:ptx(...)\
  Returns the PTX of the kernel that a call with these arguments runs.\
\
- ... (any): arguments as in a call\
- returns (string)\
- raises a string without arguments if no kernel was made yet; compile",
  ["Elementwise.cached"] = "elementwise:cached()\
  Lists what was made so far.\
\
- returns (table[]): a table for each kernel: types (of the parameters),\
  mode (\"flat\", \"strided\", \"tile\" or \"rows\"), vector (elements per\
  access), ndim, wide (64-bit indices), device",
  ["Elementwise.profile"] = "elementwise:profile(...)\
  Calls it on the CPU device and waits, and counts what each line of the\
  source costs: LineProfile.\
\
- ... (any): what a call takes: of a kernel the launch table and its\
  arguments\
- returns (LineProfile)\
- raises a string if the current device is a GPU; the errors of the call and\
  of its kernels",
  ["Elementwise"] = "Elementwise: A kernel made by cuda.elementwise. One kernel is compiled, when\
it is first needed, for each combination of dtypes and each memory layout of\
the arrays, and kept.\
\
__call name source ptx cached profile",
  ["Reduction.__call"] = "reduction(... [, { axis =, keepdims =, out =, size =, stream = }])\
  Reduces in one launch, or in two if few results come from many elements.\
  Does not wait. Arrays may have any strides. Outputs keep what post does not\
  assign, and post may read them; an output that is made is uninitialized. The\
  order in which values are combined depends on shape, dtypes and strides,\
  never on timing: the same call gives the same bits.\
\
- ... (Array|number|boolean|Complex|Scalar): the inputs, whose shapes\
  broadcast, then optionally the outputs\
- options:\
  - axis (integer|integer[], default all): axes to reduce\
  - keepdims (boolean, default false): keep the reduced axes, with one\
    element\
  - out (Array|Array[]): the outputs, in place of arguments\
  - size (integer): number of elements; needed, and allowed, only if no\
    array is without raw\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array)\
- returns ... (Array): further outputs\
- raises a string for no elements without an identity; a string for arguments\
  that do not fit; compile; launch",
  ["Reduction.name"] = "reduction.name\
  Its name.\
\
- returns (string)",
  ["Reduction.source"] = "reduction:source(...)\
  Returns the CUDA C++ text of the kernels that a call with these arguments\
  runs, without launching; without arguments that of the latest call.\
\
- ... (any): arguments as in a call\
- returns (string)\
- raises a string without arguments if no kernel was made yet",
  ["Reduction.ptx"] = "reduction:ptx(...)\
  Returns the PTX of the kernels that a call with these arguments runs.\
\
- ... (any): arguments as in a call\
- returns (string)\
- raises a string without arguments if no kernel was made yet; compile",
  ["Reduction.cached"] = "reduction:cached()\
  Lists what was made so far.\
\
- returns (table[]): a table for each kernel: types (of the parameters),\
  mode (\"rows\" or \"columns\"), pass (\"whole\", or \"partial\" and \"final\"),\
  vector (elements per access), rows (that a thread loads at once), kept\
  and inner (numbers of axes), wide (64-bit indices), device",
  ["Reduction.profile"] = "reduction:profile(...)\
  Calls it on the CPU device and waits, and counts what each line of the\
  source costs: LineProfile.\
\
- ... (any): what a call takes: of a kernel the launch table and its\
  arguments\
- returns (LineProfile)\
- raises a string if the current device is a GPU; the errors of the call and\
  of its kernels",
  ["Reduction"] = "Reduction: A kernel made by cuda.reduction. One kernel is compiled, when it is\
first needed, for each combination of dtypes and each memory layout of the\
arrays, and kept.\
\
__call name source ptx cached profile",
  ["Scan.__call"] = "scan(... [, { axis =, exclusive =, segments =, out =, stream = }])\
  Computes in one pass. Does not wait. Outputs have the inputs' shape, or one\
  axis if there are several axes and axis is not given, and may be inputs.\
  Inputs whose elements are more than 32 bytes apart along the last axis, and\
  overlapping outputs, are copied first. The order in which values are\
  combined depends on shape, dtypes and strides, never on timing: the same\
  call gives the same bits.\
\
- ... (Array|number|boolean|Complex|Scalar): the inputs, whose shapes\
  broadcast, then optionally the outputs, all of them; raw ones must be given\
- options:\
  - axis (integer, default all elements in C order, as one axis)\
  - exclusive (boolean, default as declared): combine only what is before\
    the element\
  - segments (Array): bool or integers of the inputs' shape: a new sequence\
    begins where it is not 0\
  - out (Array|Array[]): the outputs, in place of arguments\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array)\
- returns ... (Array): further outputs\
- raises a string for arguments that do not fit; compile; launch",
  ["Scan.name"] = "scan.name\
  Its name.\
\
- returns (string)",
  ["Scan.source"] = "scan:source(...)\
  Returns the CUDA C++ text of the kernel that a call with these arguments\
  runs, without launching; without arguments that of the latest call.\
\
- ... (any): arguments as in a call\
- returns (string)\
- raises a string without arguments if no kernel was made yet",
  ["Scan.ptx"] = "scan:ptx(...)\
  Returns the PTX of the kernel that a call with these arguments runs.\
\
- ... (any): arguments as in a call\
- returns (string)\
- raises a string without arguments if no kernel was made yet; compile",
  ["Scan.cached"] = "scan:cached()\
  Lists what was made so far.\
\
- returns (table[]): a table for each kernel: types (of the parameters),\
  mode (\"flat\" or \"columns\"), vector (elements per access), exclusive,\
  segments (dtype), device",
  ["Scan.profile"] = "scan:profile(...)\
  Calls it on the CPU device and waits, and counts what each line of the\
  source costs: LineProfile.\
\
- ... (any): what a call takes: of a kernel the launch table and its\
  arguments\
- returns (LineProfile)\
- raises a string if the current device is a GPU; the errors of the call and\
  of its kernels",
  ["Scan"] = "Scan: A kernel made by cuda.scan. One kernel is compiled, when it is first\
needed, for each combination of dtypes and each memory layout of the arrays,\
and kept.\
\
__call name source ptx cached profile",
  ["Fused.__call"] = "fused(... [, { out =, stream = }])\
  Computes the results. Without arrays among the arguments, and inside another\
  fused function, the function itself runs. A result that is an argument is a\
  copy of it; one that is a constant is an array filled with it.\
\
- ... (Array|number|boolean|Complex|Scalar): arguments, whose shapes\
  broadcast\
- options:\
  - out (Array|Array[]): the results' arrays\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array|number|boolean|Complex): a Lua value for a reduction over\
  everything and what Lua computes from it, for which the call waits\
- returns ... (any): further results\
- raises a string for what cannot be fused; errors of the function; a string\
  for arguments that do not fit; compile; launch",
  ["Fused.name"] = "fused.name\
  Its name.\
\
- returns (string)",
  ["Fused.source"] = "fused:source(...)\
  Returns the CUDA C++ text of the kernels that a call with these arguments\
  runs, without launching; without arguments that of the latest call.\
\
- ... (any): arguments as in a call\
- returns (string)\
- raises a string without arguments if no kernel was made yet",
  ["Fused.ptx"] = "fused:ptx(...)\
  Returns the PTX of the kernels that a call with these arguments runs.\
\
- ... (any): arguments as in a call\
- returns (string)\
- raises a string without arguments if no kernel was made yet; compile",
  ["Fused.cached"] = "fused:cached()\
  Lists what was made so far.\
\
- returns (table[]): a table for each trace: arguments (kinds: a dtype,\
  \"=dtype\" for a typed scalar, \"int\", \"float\", \"complex\", \"false\" or\
  \"true\"), results (dtypes) and kernels (as other builders list them)",
  ["Fused"] = "Fused: A function made by cuda.fuse. Functions with the same code that depend\
on equal values share their kernels.\
\
__call name source ptx cached",
  ["Jit.__call"] = "jit(launch, ...)\
  Launches the kernel for arguments of these types, and makes it if there is\
  none. Arrays may be strided views. Does not wait.\
\
- launch (Launch)\
- ... (Array|number|boolean|Scalar|Complex|Record|Texture|Surface): the\
  arguments\
- raises a string for wrong arguments, for a function that cannot run on a\
  device, with the file and line of what is wrong; compile",
  ["Jit.prepare"] = "jit:prepare(launch, ...)\
  Checks a launch and its arguments once. The result is called without\
  arguments, and its methods keep and set raise an error: to change an\
  argument, prepare another launch. It keeps the arrays that are upvalues now.\
  Its method with raises an error for a grid so large that it needs another\
  kernel: prepare another launch.\
\
- launch (Launch)\
- ... (Array|number|boolean|Scalar|Complex|Record|Texture|Surface): the\
  arguments\
- returns (Prepared)\
- raises a string for wrong arguments, for a function that cannot run on a\
  device, with the file and line of what is wrong; compile",
  ["Jit.time_ms"] = "jit:time_ms(launch, ...)\
  Launches, waits, and returns the time that the launch took on the device.\
\
- launch (Launch)\
- ... (Array|number|boolean|Scalar|Complex|Record|Texture|Surface): the\
  arguments\
- returns (number): milliseconds\
- raises a string for wrong arguments, for a function that cannot run on a\
  device, with the file and line of what is wrong; compile",
  ["Jit.benchmark"] = "jit:benchmark(launch, ...)\
  Launches many times, waits, and returns times per launch.\
\
- launch (Launch)\
- ... (Array|number|boolean|Scalar|Complex|Record|Texture|Surface): the\
  arguments\
- returns (table): as kernel:benchmark returns it\
- raises a string for wrong arguments, for a function that cannot run on a\
  device, with the file and line of what is wrong; compile",
  ["Jit.tune"] = "jit:tune(launch, ...)\
  Searches for the fastest block, as kernel:tune does, with the same keys of\
  the launch table.\
\
- launch (Launch)\
- ... (Array|number|boolean|Scalar|Complex|Record|Texture|Surface): the\
  arguments\
- returns (Tuning)\
- raises a string for wrong arguments, for a function that cannot run on a\
  device, with the file and line of what is wrong; compile",
  ["Jit.run_in_lua"] = "jit:run_in_lua(launch, ...)\
  Runs the function as ordinary Lua, one thread after the other, with threads\
  that wait at barriers as coroutines: slow, for a debugger, for print, and as\
  a second opinion about the compiled kernel. Arrays of a GPU are copied to\
  the host and back. Arithmetic is Lua's, in double precision and with 64-bit\
  integers; stores raise for values that do not fit. Upvalues are used as they\
  are. Of the launch, grid, block and threads count.\
\
- launch (Launch)\
- ... (Array|number|boolean|Scalar|Complex|Record|Texture|Surface): the\
  arguments\
- raises a string for wrong arguments, and what the function raises, with its\
  block and thread",
  ["Jit.source"] = "jit:source(...)\
  Returns the CUDA C++ of the kernel, to read. That of k:kernel(...) has #line\
  marks.\
\
- ... (any): arguments of a call; none for the kernel made last\
- returns (string)\
- raises a string for wrong arguments, for a function that cannot run on a\
  device, with the file and line of what is wrong; compile",
  ["Jit.ptx"] = "jit:ptx(...)\
  Returns the PTX of the kernel.\
\
- ... (any): arguments of a call; none for the kernel made last\
- returns (string)\
- raises a string for wrong arguments, for a function that cannot run on a\
  device, with the file and line of what is wrong; compile",
  ["Jit.types"] = "jit:types(...)\
  Returns the inferred types: a dtype, \"int\" and \"float\" for Lua's numbers\
  (\"int!\" for an integer that adapts to dtypes), \"float32[,]\" for an array of\
  two axes. Of variables with one name the last one counts.\
\
- ... (any): arguments of a call; none for the kernel made last\
- returns (table): name of a variable to its type\
- raises a string for wrong arguments, for a function that cannot run on a\
  device, with the file and line of what is wrong; compile",
  ["Jit.kernel"] = "jit:kernel(...)\
  Returns the kernel, with the driver's numbers. Its parameters are pointers,\
  extents and scalars.\
\
- ... (any): arguments of a call; none for the kernel made last\
- returns (Kernel)\
- raises a string for wrong arguments, for a function that cannot run on a\
  device, with the file and line of what is wrong; compile",
  ["Jit.profile"] = "jit:profile(...)\
  Calls it on the CPU device and waits, and counts what each line of the\
  source costs: LineProfile. Lines are those of the Lua function.\
\
- ... (any): what a call takes: of a kernel the launch table and its\
  arguments\
- returns (LineProfile)\
- raises a string if the current device is a GPU; the errors of the call and\
  of its kernels",
  ["Jit.step"] = "jit:step(watch, ...)\
  Runs the call on the CPU device and records one thread: a stop each time the\
  thread reaches another line, or jumps back to the same. The kernel has\
  finished when the loop starts, so arrays already hold its results. Variables\
  need code that was compiled with debug = true. watch may hold thread and\
  block (x, y and z from 0; an integer stands for x), line (stops at this line\
  only), when (a function that takes the variables: stops only where it\
  returns true) and limit (stops to keep at most, 10000; those where when does\
  not hold do not count). when runs while the kernel waits; if it waits for\
  the device itself, by reading an array for example, the kernel finishes\
  first. Lines are those of the Lua function; variables have the names of its\
  CUDA C++.\
\
- watch (table): what to stop at; {} for each line of the first thread\
- ... (any): what a call takes: of a kernel the launch table and its\
  arguments\
- returns (function): iterator over Stop\
- raises a string if the current device is a GPU; a string for a line\
  without code and a when without debug information; the loop raises the\
  errors of the call and of its kernels, after the stops before them or when\
  the loop is left early, and a string if no launch has the thread or there\
  are more stops than limit; after the stops before it, the error of when",
  ["Jit"] = "Jit: A kernel written in Lua, made by cuda.jit.\
\
__call prepare time_ms benchmark tune run_in_lua source ptx types kernel\
profile step",
  ["DeviceFunction.__call"] = "devicefunction(...)\
  Computes the function with one thread, on the CPU device or on the device of\
  an array among the arguments, and waits: to test it, and for jit:run_in_lua.\
  It is slow. Values that do not fit a parameter's type raise.\
\
- ... (Array|number|boolean|Scalar|Complex)\
- returns (number|boolean|Complex|nil): its result\
- raises a string for wrong arguments, or if the source uses other threads\
  (threadIdx, __syncthreads); compile",
  ["DeviceFunction.source"] = "devicefunction:source()\
  Returns the source that it was made of.\
\
- returns (string)",
  ["DeviceFunction"] = "DeviceFunction: A function in CUDA C++, made by cuda.device_function, for\
kernels written in Lua.\
\
__call source",
  ["Vectorized.__call"] = "vectorized(... [, { out =, stream =, device = }])\
  Computes the function for each element of the arguments, which broadcast.\
  Does not wait. The dtypes of the results follow from those of the arguments:\
  Lua numbers adapt to the dtypes that they meet, and a complex value is a\
  complex128. Integers that are Lua's own give int64, floats float64.\
\
- ... (Array|number|boolean|Scalar|Complex): one for each parameter\
- options:\
  - out (Array|Array[]): arrays of the results' dtypes and shape\
  - stream (Stream)\
  - device (Device): for numbers alone\
- returns ... (Array): one for each result of the function\
- raises a string for wrong arguments, for a function that cannot run on a\
  device, with the file and line of what is wrong; compile; shapes that do\
  not broadcast",
  ["Vectorized.source"] = "vectorized:source(...)\
  Returns the CUDA C++ of the kernel.\
\
- ... (any): arguments of a call; none for the kernel made last\
- returns (string)\
- raises a string for wrong arguments, for a function that cannot run on a\
  device, with the file and line of what is wrong; compile",
  ["Vectorized.ptx"] = "vectorized:ptx(...)\
  Returns the PTX of the kernel.\
\
- ... (any): arguments of a call; none for the kernel made last\
- returns (string)\
- raises a string for wrong arguments, for a function that cannot run on a\
  device, with the file and line of what is wrong; compile",
  ["Vectorized.types"] = "vectorized:types(...)\
  Returns the inferred types, as jit:types does.\
\
- ... (any): arguments of a call; none for the kernel made last\
- returns (table): name of a variable to its type\
- raises a string for wrong arguments, for a function that cannot run on a\
  device, with the file and line of what is wrong; compile",
  ["Vectorized.profile"] = "vectorized:profile(...)\
  Calls it on the CPU device and waits, and counts what each line of the\
  source costs: LineProfile.\
\
- ... (any): what a call takes: of a kernel the launch table and its\
  arguments\
- returns (LineProfile)\
- raises a string if the current device is a GPU; the errors of the call and\
  of its kernels",
  ["Vectorized"] = "Vectorized: A function of arrays, made by cuda.vectorize.\
\
__call source ptx types profile",
  ["Gpu.threadIdx"] = "cuda.gpu.threadIdx\
  Place of the thread in its block: .x, .y, .z, from 0.\
\
- returns (table)",
  ["Gpu.blockIdx"] = "cuda.gpu.blockIdx\
  Place of the block in the grid, from 0.\
\
- returns (table)",
  ["Gpu.blockDim"] = "cuda.gpu.blockDim\
  Threads of a block.\
\
- returns (table)",
  ["Gpu.gridDim"] = "cuda.gpu.gridDim\
  Blocks of the grid.\
\
- returns (table)",
  ["Gpu.warpSize"] = "cuda.gpu.warpSize\
  Lanes of a warp: 32.\
\
- returns (integer)",
  ["Gpu.laneid"] = "cuda.gpu.laneid\
  Lane of the thread, from 0.\
\
- returns (integer)",
  ["Gpu.grid"] = "cuda.gpu.grid(n [, m] [, k])\
  In for ... in: the indices that the thread takes of 1 to n (m, k); the last\
  one is along x. grid(x.shape) gives those of all elements of an array.\
\
- n (integer|integer[])\
- m (integer)\
- k (integer)\
- returns (function)",
  ["Gpu.unroll"] = "cuda.gpu.unroll(first, last [, step] [, factor])\
  In for ... in: a numeric loop that the compiler writes out.\
\
- first (integer)\
- last (integer)\
- step (integer, default 1)\
- factor (integer): rounds written out at a time (all, of constant bounds,\
  up to 1024)\
- returns (function)",
  ["Gpu.shared"] = "cuda.gpu.shared(dtype, ...)\
  An array of the thread block, with undefined elements.\
\
  Arrays besides those that are passed.\
\
- dtype (string)\
- ... (integer|integer[]): extents that are constants\
- returns (Array)",
  ["Gpu.dynamic_shared"] = "cuda.gpu.dynamic_shared(dtype [, offset])\
  The shared memory of which the launch gives the bytes (shared = 4096), from\
  a byte on, as an array of one axis.\
\
  Arrays besides those that are passed.\
\
- dtype (string)\
- offset (integer, default 0): first byte\
- returns (Array)",
  ["Gpu.array"] = "cuda.gpu.array(dtype, ...)\
  An array of the thread, of zeros.\
\
  Arrays besides those that are passed.\
\
- dtype (string)\
- ... (integer|integer[]): extents that are constants\
- returns (Array)",
  ["Gpu.tex"] = "cuda.gpu.tex(t, ...)\
  Reads a texture, an argument or upvalue, at C's coordinates: the center of\
  the first texel at 0.5 (normalized: 0 to 1), layers from 0, an array of one\
  axis by index from 0. A value for each channel: float32 for float16 and read\
  = \"normalized\", else the texture's dtype. Cubemaps and mipmaps need a\
  function in C++ with a cudaTextureObject_t.\
\
  Arrays besides those that are passed.\
\
- t (Texture)\
- ... (number): coordinates: x, y, z, layer\
- returns ... (number): one for each channel",
  ["Gpu.surf_read"] = "cuda.gpu.surf_read(s, ...)\
  Reads a texel of a surface, a value for each channel.\
\
  Arrays besides those that are passed.\
\
- s (Surface)\
- ... (integer): coordinates of a texel, from 0\
- returns ... (number): one for each channel",
  ["Gpu.surf_write"] = "cuda.gpu.surf_write(s, ...)\
  Writes a texel; x, too, counts texels.\
\
  Arrays besides those that are passed.\
\
- s (Surface)\
- ... (number): a value for each channel, then the coordinates",
  ["Gpu.syncthreads"] = "cuda.gpu.syncthreads()\
  Waits for the threads of the block.",
  ["Gpu.syncthreads_and"] = "cuda.gpu.syncthreads_and(c)\
  Waits as syncthreads does, and returns whether c is true in all threads of\
  the block.\
\
\
\
- c (boolean)\
- returns (boolean)",
  ["Gpu.syncthreads_or"] = "cuda.gpu.syncthreads_or(c)\
  Waits as syncthreads does, and returns whether c is true in any thread of\
  the block.\
\
\
\
- c (boolean)\
- returns (boolean)",
  ["Gpu.syncthreads_count"] = "cuda.gpu.syncthreads_count(c)\
  Waits as syncthreads does, and returns the number of threads of the block in\
  which c is true.\
\
\
\
- c (boolean)\
- returns (integer)",
  ["Gpu.syncwarp"] = "cuda.gpu.syncwarp([mask])\
  Waits for lanes of the warp.\
\
\
\
- mask (integer, default all lanes)",
  ["Gpu.syncgrid"] = "cuda.gpu.syncgrid()\
  Waits for the threads of all blocks. The launch is then cooperative: at most\
  as many blocks as kernel:max_cooperative_blocks tells for k:kernel().",
  ["Gpu.threadfence"] = "cuda.gpu.threadfence()\
  Earlier writes are seen by all threads of the device before later ones.",
  ["Gpu.threadfence_block"] = "cuda.gpu.threadfence_block()\
  The same for the threads of the block.",
  ["Gpu.threadfence_system"] = "cuda.gpu.threadfence_system()\
  The same for other devices and the host.",
  ["Gpu.atomic_add"] = "cuda.gpu.atomic_add(array, ...)\
  Adds.\
\
  One access to an element of an int32, uint32, int64, uint64, float32 or\
  float64 array. atomic_add and atomic_sub also take 16-bit floats; the\
  bitwise ones take only integers.\
\
- array (Array)\
- ... (integer): the indices, one for each axis, then the value\
- returns (number): the old value",
  ["Gpu.atomic_and"] = "cuda.gpu.atomic_and(array, ...)\
  Bitwise and.\
\
  One access to an element of an int32, uint32, int64, uint64, float32 or\
  float64 array. atomic_add and atomic_sub also take 16-bit floats; the\
  bitwise ones take only integers.\
\
- array (Array)\
- ... (integer): the indices, one for each axis, then the value\
- returns (number): the old value",
  ["Gpu.atomic_exch"] = "cuda.gpu.atomic_exch(array, ...)\
  Stores.\
\
  One access to an element of an int32, uint32, int64, uint64, float32 or\
  float64 array. atomic_add and atomic_sub also take 16-bit floats; the\
  bitwise ones take only integers.\
\
- array (Array)\
- ... (integer): the indices, one for each axis, then the value\
- returns (number): the old value",
  ["Gpu.atomic_max"] = "cuda.gpu.atomic_max(array, ...)\
  Keeps the larger.\
\
  One access to an element of an int32, uint32, int64, uint64, float32 or\
  float64 array. atomic_add and atomic_sub also take 16-bit floats; the\
  bitwise ones take only integers.\
\
- array (Array)\
- ... (integer): the indices, one for each axis, then the value\
- returns (number): the old value",
  ["Gpu.atomic_min"] = "cuda.gpu.atomic_min(array, ...)\
  Keeps the smaller.\
\
  One access to an element of an int32, uint32, int64, uint64, float32 or\
  float64 array. atomic_add and atomic_sub also take 16-bit floats; the\
  bitwise ones take only integers.\
\
- array (Array)\
- ... (integer): the indices, one for each axis, then the value\
- returns (number): the old value",
  ["Gpu.atomic_or"] = "cuda.gpu.atomic_or(array, ...)\
  Bitwise or.\
\
  One access to an element of an int32, uint32, int64, uint64, float32 or\
  float64 array. atomic_add and atomic_sub also take 16-bit floats; the\
  bitwise ones take only integers.\
\
- array (Array)\
- ... (integer): the indices, one for each axis, then the value\
- returns (number): the old value",
  ["Gpu.atomic_sub"] = "cuda.gpu.atomic_sub(array, ...)\
  Subtracts.\
\
  One access to an element of an int32, uint32, int64, uint64, float32 or\
  float64 array. atomic_add and atomic_sub also take 16-bit floats; the\
  bitwise ones take only integers.\
\
- array (Array)\
- ... (integer): the indices, one for each axis, then the value\
- returns (number): the old value",
  ["Gpu.atomic_xor"] = "cuda.gpu.atomic_xor(array, ...)\
  Bitwise exclusive or.\
\
  One access to an element of an int32, uint32, int64, uint64, float32 or\
  float64 array. atomic_add and atomic_sub also take 16-bit floats; the\
  bitwise ones take only integers.\
\
- array (Array)\
- ... (integer): the indices, one for each axis, then the value\
- returns (number): the old value",
  ["Gpu.atomic_cas"] = "cuda.gpu.atomic_cas(array, ...)\
  Stores the new value if the old one is that expected.\
\
  One access to an element of an int32, uint32, int64, uint64, float32 or\
  float64 array. atomic_add and atomic_sub also take 16-bit floats; the\
  bitwise ones take only integers.\
\
- array (Array)\
- ... (integer): the indices, then the expected value and the new one\
- returns (number): the old value",
  ["Gpu.shfl_down_sync"] = "cuda.gpu.shfl_down_sync(mask, value, lane [, width])\
  The value of the lane so many above; the lane's own value if that is outside\
  the part.\
\
  Values go from lane to lane.\
\
- mask (integer): the lanes that take part, a bit for each\
- value (number)\
- lane (integer): lane, distance or bits\
- width (integer, default 32): lanes of a part of the warp\
- returns (number)",
  ["Gpu.shfl_sync"] = "cuda.gpu.shfl_sync(mask, value, lane [, width])\
  The value of the lane; the lane's own value if that is outside the part.\
\
  Values go from lane to lane.\
\
- mask (integer): the lanes that take part, a bit for each\
- value (number)\
- lane (integer): lane, distance or bits\
- width (integer, default 32): lanes of a part of the warp\
- returns (number)",
  ["Gpu.shfl_up_sync"] = "cuda.gpu.shfl_up_sync(mask, value, lane [, width])\
  The value of the lane so many below; the lane's own value if that is outside\
  the part.\
\
  Values go from lane to lane.\
\
- mask (integer): the lanes that take part, a bit for each\
- value (number)\
- lane (integer): lane, distance or bits\
- width (integer, default 32): lanes of a part of the warp\
- returns (number)",
  ["Gpu.shfl_xor_sync"] = "cuda.gpu.shfl_xor_sync(mask, value, lane [, width])\
  The value of the lane of the exclusive or; the lane's own value if that is\
  outside the part.\
\
  Values go from lane to lane.\
\
- mask (integer): the lanes that take part, a bit for each\
- value (number)\
- lane (integer): lane, distance or bits\
- width (integer, default 32): lanes of a part of the warp\
- returns (number)",
  ["Gpu.any_sync"] = "cuda.gpu.any_sync(mask, c)\
  Does c hold in a lane?\
\
  mask has a bit for each lane that takes part.\
\
- mask (integer)\
- c (boolean)\
- returns (boolean)",
  ["Gpu.all_sync"] = "cuda.gpu.all_sync(mask, c)\
  Does c hold in all lanes?\
\
  mask has a bit for each lane that takes part.\
\
- mask (integer)\
- c (boolean)\
- returns (boolean)",
  ["Gpu.ballot_sync"] = "cuda.gpu.ballot_sync(mask, c)\
  The lanes where c holds, as bits.\
\
  mask has a bit for each lane that takes part.\
\
- mask (integer)\
- c (boolean)\
- returns (integer)",
  ["Gpu.match_any_sync"] = "cuda.gpu.match_any_sync(mask, value)\
  The lanes with the same value, as bits.\
\
  mask has a bit for each lane that takes part.\
\
- mask (integer)\
- value (number)\
- returns (integer)",
  ["Gpu.match_all_sync"] = "cuda.gpu.match_all_sync(mask, value)\
  The mask if all lanes have the same value, else 0.\
\
  mask has a bit for each lane that takes part.\
\
- mask (integer)\
- value (number)\
- returns (integer)",
  ["Gpu.activemask"] = "cuda.gpu.activemask()\
  The lanes that run at present, as bits.\
\
  mask has a bit for each lane that takes part.\
\
- returns (integer)",
  ["Gpu.tile"] = "cuda.gpu.tile(n)\
  The part of n neighboring lanes of a warp to which the thread belongs. All\
  of its lanes call a method together: t:sync(), t:shfl(v, rank), t:shfl_up(v,\
  distance), t:shfl_down, t:shfl_xor(v, bits); t:any(c), t:all(c),\
  t:ballot(c), t:match_any(v), whose bits count from the tile's first lane;\
  t:reduce(v, op), the same in all lanes, and t:inclusive_scan(v, op), op\
  \"add\" (the default), \"mul\", \"min\", \"max\", \"and\", \"or\" or \"xor\".\
  t:thread_rank() counts from 0, as does t:meta_group_rank() among the block's\
  t:meta_group_size() tiles; t:size() is n. Blocks have a multiple of n\
  threads.\
\
  mask has a bit for each lane that takes part.\
\
- n (integer): 1, 2, 4, 8, 16 or 32, a constant\
- returns (table)",
  ["Gpu.random"] = "cuda.gpu.random(seed, sequence [, offset])\
  A generator, Philox4x32-10, with the words of CURAND's curand_init(seed,\
  sequence, offset); those of sequence 0 are also the words of\
  cuda.random.generator(seed). It stays in its variable, and functions draw\
  from the same one. r:bits() is the next word (uint32). r:uniform() is (word\
  >> 8) * 2^-24, a float32 from 0 up to, not including, 1;\
  r:uniform(\"float64\") takes two words for 53 bits. r:normal() makes two\
  numbers of two words (\"float64\": of four) by the method of Box and Muller\
  and keeps the second for the next call. r:integer(low, high) is a Lua\
  integer, all equally likely (Lemire, 2019), from one word, two for a range\
  of 2^32 or more, or further ones with a probability below range / 2^32\
  (2^64). All devices, jit:run_in_lua and fast_math give the same bits.\
\
  Besides Lua's math and this library's functions of elements.\
\
- seed (integer)\
- sequence (integer): another one for each thread\
- offset (integer, default 0): words to skip\
- returns (table)",
  ["Gpu.fma"] = "cuda.gpu.fma(x, y, z)\
  x * y + z, rounded once.\
\
  Besides Lua's math and this library's functions of elements.\
\
- x (number)\
- y (number)\
- z (number)\
- returns (number)",
  ["Gpu.rsqrt"] = "cuda.gpu.rsqrt(x)\
  1 / sqrt(x).\
\
  Besides Lua's math and this library's functions of elements.\
\
- x (number)\
- returns (number)",
  ["Gpu.exp10"] = "cuda.gpu.exp10(x)\
  10^x.\
\
  Besides Lua's math and this library's functions of elements.\
\
- x (number)\
- returns (number)",
  ["Gpu.sinpi"] = "cuda.gpu.sinpi(x)\
  The sine of pi x.\
\
  Besides Lua's math and this library's functions of elements.\
\
- x (number)\
- returns (number)",
  ["Gpu.cospi"] = "cuda.gpu.cospi(x)\
  The cosine of pi x.\
\
  Besides Lua's math and this library's functions of elements.\
\
- x (number)\
- returns (number)",
  ["Gpu.popc"] = "cuda.gpu.popc(v)\
  The number of bits that are set.\
\
  Besides Lua's math and this library's functions of elements.\
\
- v (integer)\
- returns (integer)",
  ["Gpu.clz"] = "cuda.gpu.clz(v)\
  The number of leading zeros.\
\
  Besides Lua's math and this library's functions of elements.\
\
- v (integer)\
- returns (integer)",
  ["Gpu.ffs"] = "cuda.gpu.ffs(v)\
  The place of the lowest bit set, from 1; or 0.\
\
  Besides Lua's math and this library's functions of elements.\
\
- v (integer)\
- returns (integer)",
  ["Gpu.clock"] = "cuda.gpu.clock()\
  A count of the multiprocessor's cycles.\
\
  Besides Lua's math and this library's functions of elements.\
\
- returns (integer)",
  ["Gpu.nanosleep"] = "cuda.gpu.nanosleep(ns)\
  Waits for about so many nanoseconds.\
\
  Besides Lua's math and this library's functions of elements.\
\
- ns (integer)",
  ["Gpu"] = "Gpu: The names, as fields of cuda.gpu.\
\
threadIdx blockIdx blockDim gridDim warpSize laneid grid unroll shared\
dynamic_shared array tex surf_read surf_write syncthreads syncthreads_and\
syncthreads_or syncthreads_count syncwarp syncgrid threadfence\
threadfence_block threadfence_system atomic_add atomic_and atomic_exch\
atomic_max atomic_min atomic_or atomic_sub atomic_xor atomic_cas\
shfl_down_sync shfl_sync shfl_up_sync shfl_xor_sync any_sync all_sync\
ballot_sync match_any_sync match_all_sync activemask tile random fma rsqrt\
exp10 sinpi cospi popc clz ffs clock nanosleep",
  ["Profile.entries"] = "profile.entries\
  The timeline.\
\
- returns (table[]): in the order of the start: kind (\"kernel\", \"copy\",\
  \"fill\", \"wait\", \"compile\", \"range\"), name, device (\"gpu0\",\
  \"cpu\", \"host\"), stream (0: the null stream), start_ms,\
  duration_ms; of copies and fills bytes and gb_per_s, of kernels grid\
  and block",
  ["Profile.totals"] = "profile.totals\
  The sums of the entries of each name and device.\
\
- returns (table[]): the longest first: kind, name, device, count,\
  total_ms, mean_ms, min_ms, max_ms, bytes, gb_per_s",
  ["Profile.length_ms"] = "profile.length_ms\
  How long the function ran, by the clock.\
\
- returns (number)",
  ["Profile.wait_ms"] = "profile.wait_ms\
  How long the host waited for devices.\
\
- returns (number)",
  ["Profile.dropped"] = "profile.dropped\
  The number of entries beyond the option limit.\
\
- returns (integer)",
  ["Profile.chrome"] = "profile:chrome()\
  Returns the timeline as JSON in the trace event format, for\
  [Perfetto](https://ui.perfetto.dev) and chrome://tracing: a process for each\
  device, a row for each stream.\
\
- returns (string)",
  ["Profile.save"] = "profile:save(path)\
  Writes the text of profile:chrome to a file.\
\
- path (string)\
- returns (Profile): itself\
- raises runtime if the file cannot be written",
  ["Profile"] = "Profile: What cuda.profile has recorded. tostring gives a table.\
\
entries totals length_ms wait_ms dropped chrome save",
  ["Range.name"] = "range.name\
  Its name.\
\
- returns (string)",
  ["Range.close"] = "range:close()\
  Ends the range. A second call has no effect.",
  ["Range"] = "Range: A named part of a program, made by cuda.range.\
\
name close",
  ["Profiler.start"] = "cuda.profiler.start()\
  Starts recording.",
  ["Profiler.stop"] = "cuda.profiler.stop()\
  Stops recording.",
  ["Profiler"] = "Profiler: Tells a profiler that watches the current device where to look, as\
cuProfilerStart does: nsys profile --capture-range=cudaProfilerApi records\
between the two calls. Nothing happens without a profiler.\
\
start stop",
  ["Stop.file"] = "stop.file\
  The file.\
\
- returns (string)",
  ["Stop.line"] = "stop.line\
  The line that the thread is about to run. At the line of a function its\
  parameters have values.\
\
- returns (integer)",
  ["Stop.text"] = "stop.text\
  The source of that line.\
\
- returns (string?)",
  ["Stop.fn"] = "stop.fn\
  The innermost function, also where it is inlined.\
\
- returns (string)",
  ["Stop.depth"] = "stop.depth\
  The number of calls that lead there, with those that are inlined; 0 in the\
  kernel itself.\
\
- returns (integer)",
  ["Stop.block"] = "stop.block\
  The block: x, y, z from 0.\
\
- returns (integer[])",
  ["Stop.thread"] = "stop.thread\
  The thread in its block: x, y, z from 0.\
\
- returns (integer[])",
  ["Stop.variables"] = "stop.variables\
  What the debug information finds in that function: numbers, booleans,\
  pointers and references as addresses, structs as tables of their fields,\
  arrays as lists. Unsigned integers of 64 bits are the Lua integers of the\
  same bits. A variable without a value yet holds what its place held before.\
  Shared and global variables are not listed.\
\
- returns (table): name to value",
  ["Stop.registers"] = "stop.registers\
  The bits of the registers of the function's PTX.\
\
- returns (table): name to integer",
  ["Stop"] = "Stop: A place where kernel:step stopped. tostring gives the line and the\
variables.\
\
file line text fn depth block thread variables registers",
  ["LineProfile.lines"] = "lineprofile.lines\
  The lines that have a cost, of all kernels together. Code of the user's\
  functions counts for its own lines, also where it is inlined; code of\
  headers counts for the user's line that called it. Code that the library\
  generates around the user's is one item without file and line.\
\
- returns (Costs[]): by file and line",
  ["LineProfile.kernels"] = "lineprofile.kernels\
  The kernels that ran. Launches of one kernel with another grid or block are\
  an item of their own, and so are kernels that a kernel launches.\
\
- returns (Costs[]): in the order of the first launch: also name, grid,\
  block, shared_bytes, launches, registers (an estimate from PTX) and\
  global_bytes (the size of the sectors that were touched, once per launch)",
  ["LineProfile.totals"] = "lineprofile.totals\
  The sums of all lines.\
\
- returns (Costs)",
  ["LineProfile.files"] = "lineprofile.files\
  The source around the lines, as tostring and html show it.\
\
- returns (table[]): one per file: file and rows, a list of line, text\
  and cost (nil for a line without cost); an empty row stands for lines left\
  out",
  ["LineProfile.estimate"] = "lineprofile:estimate(arch [, { registers =, kernel = }])\
  Estimates the occupancy on a GPU and what bounds the kernel there, from the\
  counts and the published figures of the GPU.\
\
- arch (\"sm_75\"|\"sm_80\"|\"sm_86\"|\"sm_89\"|\"sm_90\"|\"sm_120\"): a GPU: T4, A100,\
  RTX 3090, RTX 4090, H100 SXM or RTX 5090\
- options:\
  - registers (integer, default those of machine code that NVRTC makes for\
    arch, or an estimate from PTX): per thread\
  - kernel (integer, default 1): which of kernels\
- returns (Estimate)",
  ["LineProfile.html"] = "lineprofile:html(path [, { arch = }])\
  Writes one page without links to other files: the source coloured by cost,\
  and what the columns mean.\
\
- path (string)\
- options:\
  - arch (string): adds profile:estimate(arch)\
- returns (LineProfile): itself\
- raises runtime if it cannot be written",
  ["LineProfile"] = "LineProfile: What kernel:profile has counted. tostring gives the source with\
the costs of each line beside it.\
\
lines kernels totals files estimate html",
  ["Costs.file"] = "costs.file\
  Of a line: its file.\
\
- returns (string?)",
  ["Costs.line"] = "costs.line\
  Of a line: its number.\
\
- returns (integer?)",
  ["Costs.text"] = "costs.text\
  Of a line: the source.\
\
- returns (string?)",
  ["Costs.instructions"] = "costs.instructions\
  PTX instructions, once for each warp. An instruction that a predicate\
  switches off counts as well; a jump to the next instruction is none.\
\
- returns (integer)",
  ["Costs.thread_instructions"] = "costs.thread_instructions\
  The lanes that were on in these, together.\
\
- returns (integer)",
  ["Costs.lane_use"] = "costs.lane_use\
  thread_instructions / (32 * instructions).\
\
- returns (number): 0 to 1",
  ["Costs.share"] = "costs.share\
  Its part of the clocks of all lines: a quarter for an instruction and for a\
  sector, one for a pass over the banks of shared memory.\
\
- returns (number): 0 to 1",
  ["Costs.branches"] = "costs.branches\
  Conditional branches of warps.\
\
- returns (integer)",
  ["Costs.divergent_branches"] = "costs.divergent_branches\
  Those at which the lanes parted.\
\
- returns (integer)",
  ["Costs.barriers"] = "costs.barriers\
  Warps that came to __syncthreads() and its kin.\
\
- returns (integer)",
  ["Costs.global_accesses"] = "costs.global_accesses\
  Loads, stores and atomics in global memory.\
\
- returns (integer)",
  ["Costs.global_sectors"] = "costs.global_sectors\
  The sectors of 32 bytes that each access touched: the transactions of a GPU.\
  Caches are not modelled.\
\
- returns (integer)",
  ["Costs.global_sectors_least"] = "costs.global_sectors_least\
  The sectors that would hold as many different bytes: what the same access\
  costs if its bytes lie side by side.\
\
- returns (integer)",
  ["Costs.sectors_per_access"] = "costs.sectors_per_access\
  global_sectors / global_accesses.\
\
- returns (number?)",
  ["Costs.shared_accesses"] = "costs.shared_accesses\
  Loads, stores and atomics in shared memory.\
\
- returns (integer)",
  ["Costs.shared_wavefronts"] = "costs.shared_wavefronts\
  Passes over its 32 banks of 4 bytes. Lanes that use one word share a pass,\
  except in atomics. With 8 bytes per lane 16 lanes go together, with 16 bytes\
  8.\
\
- returns (integer)",
  ["Costs.bank_conflicts"] = "costs.bank_conflicts\
  Passes beyond those that such accesses need at least.\
\
- returns (integer)",
  ["Costs.local_accesses"] = "costs.local_accesses\
  Loads and stores in local memory, of arrays in registers' place.\
\
- returns (integer)",
  ["Costs.local_sectors"] = "costs.local_sectors\
  The sectors of these.\
\
- returns (integer)",
  ["Costs.f16_operations"] = "costs.f16_operations\
  Floating-point operations of lanes in half precision; a fused multiply-add\
  is two.\
\
- returns (integer)",
  ["Costs.f32_operations"] = "costs.f32_operations\
  The same in single precision.\
\
- returns (integer)",
  ["Costs.f64_operations"] = "costs.f64_operations\
  The same in double precision.\
\
- returns (integer)",
  ["Costs.tensor_operations"] = "costs.tensor_operations\
  Multiplications and additions of products of matrices.\
\
- returns (integer)",
  ["Costs"] = "Costs: What a line, a kernel or all of them cost. Sums over all warps.\
\
file line text instructions thread_instructions lane_use share branches\
divergent_branches barriers global_accesses global_sectors\
global_sectors_least sectors_per_access shared_accesses shared_wavefronts\
bank_conflicts local_accesses local_sectors f16_operations f32_operations\
f64_operations tensor_operations",
  ["Estimate.bound"] = "estimate.bound\
  What takes longest. \"latency\": too few warps are resident to hide the waits,\
  if a warp waits for each result. \"too_large\": a block needs more than a\
  multiprocessor has.\
\
- returns (\"memory\"|\"compute\"|\"latency\"|\"too_large\")",
  ["Estimate.limits"] = "estimate.limits\
  The least time of a launch for each part of the GPU.\
\
- returns (table[]): the longest first: name, kind (as bound),\
  milliseconds",
  ["Estimate.milliseconds"] = "estimate.milliseconds\
  The longest of these.\
\
- returns (number)",
  ["Estimate.occupancy"] = "estimate.occupancy\
  Resident warps of those that a multiprocessor can hold.\
\
- returns (number): 0 to 1",
  ["Estimate.blocks_per_multiprocessor"] = "estimate.blocks_per_multiprocessor\
  Blocks that a multiprocessor holds.\
\
- returns (integer)",
  ["Estimate.occupancy_limit"] = "estimate.occupancy_limit\
  What there is too little of for another block.\
\
- returns (\"blocks\"|\"warps\"|\"registers\"|\"shared\")",
  ["Estimate.registers"] = "estimate.registers\
  Per thread.\
\
- returns (integer)",
  ["Estimate.registers_from"] = "estimate.registers_from\
  Where their number comes from.\
\
- returns (\"cubin\"|\"ptx\"|\"given\"): machine code, an estimate from PTX, or the\
  option",
  ["Estimate.intensity"] = "estimate.intensity\
  Floating-point operations per byte of device memory.\
\
- returns (number)",
  ["Estimate.balance"] = "estimate.balance\
  The intensity at which the GPU's memory and its arithmetic in single\
  precision take the same time: the ridge of its roofline.\
\
- returns (number)",
  ["Estimate.gpu"] = "estimate.gpu\
  The name of the GPU.\
\
- returns (string)",
  ["Estimate.arch"] = "estimate.arch\
  Its architecture.\
\
- returns (string)",
  ["Estimate.kernel"] = "estimate.kernel\
  The name of the kernel.\
\
- returns (string)",
  ["Estimate"] = "Estimate: What profile:estimate returns. Each part of the GPU has a time that\
it needs at least, if it is alone and always busy; the longest is the bound.\
Device memory moves every sector once, as with caches that are large enough.\
tostring gives all of it as text.\
\
bound limits milliseconds occupancy blocks_per_multiprocessor occupancy_limit\
registers registers_from intensity balance gpu arch kernel",
  ["Tuning.name"] = "tuning.name\
  The name of the search.\
\
- returns (string)",
  ["Tuning.key"] = "tuning.key\
  The option key as text, or false.\
\
- returns (string|boolean)",
  ["Tuning.device"] = "tuning.device\
  The device: \"gpu0\".\
\
- returns (string)",
  ["Tuning.best"] = "tuning.best\
  The parameters of the best candidate, by name.\
\
- returns (table)",
  ["Tuning.ms"] = "tuning.ms\
  Its median time in milliseconds.\
\
- returns (number)",
  ["Tuning.run"] = "tuning.run\
  The function that make returned for best; false if the device is lost.\
\
- returns (function|boolean)",
  ["Tuning.rows"] = "tuning.rows\
  All candidates.\
\
- returns (table[]): the best candidate first: parameters, state (\"ok\",\
  \"failed\", \"wrong\", \"skipped\"), reason unless it is ok, ms\
  (median), min_ms, spread_ms (the distance between the quartiles),\
  runs, repeats (of a measurement that varied), metrics",
  ["Tuning.size"] = "tuning.size\
  The number of points of the space. Those that where leaves out do not count,\
  unless there are more than 100000 points.\
\
- returns (integer)",
  ["Tuning.cached"] = "tuning.cached\
  Was it taken from the disk?\
\
- returns (boolean)",
  ["Tuning.stopped"] = "tuning.stopped\
  Why the search ended early, or false.\
\
- returns (string|boolean)",
  ["Tuning.elapsed_ms"] = "tuning.elapsed_ms\
  How long the search took, by the clock.\
\
- returns (number)",
  ["Tuning.text"] = "tuning:text()\
  Returns a table of the candidates.\
\
- returns (string)",
  ["Tuning.json"] = "tuning:json()\
  Returns everything as JSON.\
\
- returns (string)",
  ["Tuning.svg"] = "tuning:svg()\
  Returns a picture: for each parameter the times of all candidates over its\
  values, a line through the best time of each value, and the winner.\
\
- returns (string)",
  ["Tuning.save"] = "tuning:save(path)\
  Writes the picture, the JSON or the text to a file.\
\
- path (string): ending in .svg, .json or .txt\
- returns (Tuning): itself\
- raises runtime if the file cannot be written",
  ["Tuning"] = "Tuning: What cuda.tune has found. tostring gives a table.\
\
name key device best ms run rows size cached stopped elapsed_ms text json svg\
save",
  ["Graph.device"] = "graph.device\
  Its device.\
\
- returns (Device)",
  ["Graph.launch"] = "graph:launch([stream])\
  Queues all its work as one operation. Launches of one graph follow each\
  other, also on different streams.\
\
- stream (Stream, default the device's current stream)\
- returns (Graph): itself\
- raises logic while a graph is recorded",
  ["Graph.nodes"] = "graph.nodes\
  Its nodes in the order in which they were recorded, each a table: index,\
  kind (kernel, copy, fill, record, wait, condition, ...), and for a kernel\
  name, grid, block, shared and settable, which says whether graph:set can\
  change its arguments. Kernels of cuBLAS have no name.\
\
  For a conditional node, condition is when, loop or switch. The nodes of its\
  functions follow it; their within is its index, and body the number of the\
  function. The kernels named condition read its array.\
\
- returns (table[])",
  ["Graph.set"] = "graph:set(node, ...)\
  Gives a kernel other arguments, for later launches. They are checked as in a\
  launch. The graph keeps new arrays alive, and no longer those that it does\
  not use any more. Only kernels that were launched by a call of a Kernel or\
  Prepared, without parameters of a class, can be changed; other work is\
  changed by graph:update.\
\
- node (integer|table): an index or an entry of nodes\
- ... (any): the arguments of the kernel\
- returns (Graph): itself\
- raises a message as for a launch, and for a node that is not settable",
  ["Graph.update"] = "graph:update(fn)\
  Records fn(stream) and replaces the work of the graph. That is faster than a\
  new graph. The kernels and their order must be the same; arguments, grids\
  and blocks may differ. Work under a condition makes it as slow as a new\
  graph, and may differ in everything.\
\
- fn (function): called with a Stream\
- returns (Graph): itself\
- returns (any): all results of fn\
- raises what cuda.graph raises, and an error where the work has other nodes\
  or dependencies; the graph then stays as it was",
  ["Graph.clone"] = "graph:clone()\
  Makes a second graph of the same work and memory, whose arguments can be\
  changed independently.\
\
- returns (Graph)\
- raises an error for work under a condition",
  ["Graph.dot"] = "graph:dot()\
  Returns its nodes and dependencies in the language of Graphviz.\
\
- returns (string)",
  ["Graph.close"] = "graph:close()\
  Releases it; launches that are queued are completed. A second call has no\
  effect.",
  ["Graph.free"] = "graph:free()\
  The same as graph:close.",
  ["Graph"] = "Graph: Recorded work.\
\
device launch nodes set update clone dot close free",
  ["Nccl.init"] = "nccl.init([{ file =, timeout_ms = }])\
  Joins the processes that the launcher started; all of them have to call it.\
  Rank and size are read from the variables of torchrun, Open MPI, MPICH or\
  Slurm; without any there is one rank, which needs no library. Unless\
  LUACUDA_DEVICE is set, the GPU of the local rank becomes the current device.\
\
  GPUs meet at an address: that of NCCL_COMM_ID, else MASTER_ADDR and\
  MASTER_PORT (under torchrun the port after it, as torchrun listens there\
  itself), else in a job of Slurm the first node, else with Open MPI on one\
  machine that machine. A second call returns the same communicator while that\
  is open.\
\
- options:\
  - file (string): for GPUs: a path that all ranks see and that does not\
    exist yet, through which they meet instead of at an address\
  - timeout_ms (number, default 600000): time limit of every operation of\
    the communicator, from its beginning after the work queued before it, and\
    of this call; 0: none\
- returns (Communicator)\
- raises communication where a rank does not come, a string where the\
  launcher and MPI count differently",
  ["Nccl.init_all"] = "nccl.init_all(devices [, { timeout_ms = }])\
  Makes the communicators of several GPUs of this process, without a launcher.\
  Their operations wait for each other, so they belong into cuda.nccl.group.\
  Graphs with operations are for one GPU a process: NCCL warns that launches\
  of several may wait for each other for ever. (NCCL calls it\
  ncclCommInitAll.)\
\
- devices (Device[]): GPUs, each one once\
- options:\
  - timeout_ms (number, default 600000): as above\
- returns (Communicator[]): one for each GPU, with ranks from 0\
- raises communication, and runtime without NCCL",
  ["Nccl.group"] = "nccl.group(comms, fn [, { streams = }])\
  Calls fn(), and queues the operations of all these communicators together\
  when it returns.\
\
- comms (Communicator[]): of this process\
- fn (function)\
- options:\
  - streams (Stream[], default the current ones): one for each communicator\
- returns (any): all results of fn\
- raises the errors of fn; then nothing is queued",
  ["Nccl.environment"] = "nccl.environment()\
  Returns what the launcher says, without joining: launcher (\"torchrun\", \"Open\
  MPI\", \"MPICH\", \"Slurm\" or \"none\"), rank, size and local_rank.\
\
- returns (table)",
  ["Nccl"] = "Nccl: The functions of cuda.nccl.\
\
init init_all group environment",
  ["Communicator.rank"] = "communicator.rank\
  This rank, from 0.\
\
- returns (integer)",
  ["Communicator.size"] = "communicator.size\
  The number of ranks.\
\
- returns (integer)",
  ["Communicator.device"] = "communicator.device\
  Where its arrays are.\
\
- returns (Device)",
  ["Communicator.timeout_ms"] = "communicator.timeout_ms\
  Its time limit; 0: none.\
\
- returns (number)",
  ["Communicator.all_reduce"] = "communicator:all_reduce(x [, { op =, out =, stream =, check = }])\
  Returns the elements of all ranks combined. A number gives a number, and\
  waits.\
\
- x (Array|number): an array that is contiguous and on the communicator's\
  device\
- options:\
  - op (\"sum\"|\"prod\"|\"min\"|\"max\"|\"avg\", default \"sum\"): how elements are\
    combined\
  - out (Array, default a new one): array like x; may be x\
  - stream (Stream, default the device's current stream): stream of the work\
  - check (boolean, default false): the ranks first tell each other what\
    they call, and all of them raise where that differs; this waits\
- returns (Array|number)\
- raises communication, later like the fault of a kernel: when ranks call\
  different things, a rank is missing after the time limit, or the connection\
  fails",
  ["Communicator.reduce"] = "communicator:reduce(x [, { op =, root =, out =, stream =, check = }])\
  The same with the result on the root only.\
\
- x (Array|number): an array that is contiguous and on the communicator's\
  device\
- options:\
  - op (\"sum\"|\"prod\"|\"min\"|\"max\"|\"avg\", default \"sum\"): how elements are\
    combined\
  - root (integer, default 0): the rank of the root\
  - out (Array, default a new one): array like x; may be x\
  - stream (Stream, default the device's current stream): stream of the work\
  - check (boolean, default false): the ranks first tell each other what\
    they call, and all of them raise where that differs; this waits\
- returns (Array|number|nil): nil on all ranks but the root\
- raises communication, later like the fault of a kernel: when ranks call\
  different things, a rank is missing after the time limit, or the connection\
  fails",
  ["Communicator.broadcast"] = "communicator:broadcast(x [, { root =, out =, stream =, check = }])\
  Gives all ranks the elements of the root: in place, so that x of the others\
  is overwritten, unless out is given. A number gives a number, and waits.\
\
- x (Array|number): an array that is contiguous and on the communicator's\
  device\
- options:\
  - root (integer, default 0): the rank of the root\
  - out (Array, default x): array like x\
  - stream (Stream, default the device's current stream): stream of the work\
  - check (boolean, default false): the ranks first tell each other what\
    they call, and all of them raise where that differs; this waits\
- returns (Array|number)\
- raises communication, later like the fault of a kernel: when ranks call\
  different things, a rank is missing after the time limit, or the connection\
  fails",
  ["Communicator.all_gather"] = "communicator:all_gather(x [, { counts =, out =, stream =, check = }])\
  Returns the rows of all ranks, in the order of ranks.\
\
- x (Array): contiguous, on the communicator's device\
- options:\
  - counts (integer[]): rows of each rank, where they are not equal\
  - out (Array, default a new one): array of the rows of all ranks\
  - stream (Stream, default the device's current stream): stream of the work\
  - check (boolean, default false): the ranks first tell each other what\
    they call, and all of them raise where that differs; this waits\
- returns (Array)\
- raises communication, later like the fault of a kernel: when ranks call\
  different things, a rank is missing after the time limit, or the connection\
  fails",
  ["Communicator.gather"] = "communicator:gather(x [, { root =, counts =, out =, stream =, check = }])\
  The same with the result on the root only.\
\
- x (Array): contiguous, on the communicator's device\
- options:\
  - root (integer, default 0): the rank of the root\
  - counts (integer[]): rows of each rank, where they are not equal\
  - out (Array, default a new one): array of the rows of all ranks\
  - stream (Stream, default the device's current stream): stream of the work\
  - check (boolean, default false): the ranks first tell each other what\
    they call, and all of them raise where that differs; this waits\
- returns (Array?): nil on all ranks but the root\
- raises communication, later like the fault of a kernel: when ranks call\
  different things, a rank is missing after the time limit, or the connection\
  fails",
  ["Communicator.scatter"] = "communicator:scatter([x] [, { root =, counts =, out =, stream =, check = }])\
  Divides the rows of the root's array among the ranks.\
\
- x (Array): contiguous; needed on the root\
- options:\
  - root (integer, default 0): the rank of the root\
  - counts (integer[]): rows of each rank, where they are not equal\
  - out (Array, default a new one): needed on all ranks but the root\
  - stream (Stream, default the device's current stream): stream of the work\
  - check (boolean, default false): the ranks first tell each other what\
    they call, and all of them raise where that differs; this waits\
- returns (Array)\
- raises communication, later like the fault of a kernel: when ranks call\
  different things, a rank is missing after the time limit, or the connection\
  fails",
  ["Communicator.reduce_scatter"] = "communicator:reduce_scatter(x [, { op =, out =, stream =, check = }])\
  Combines the elements of all ranks; each rank gets its part of the rows. The\
  number of rows is a multiple of the number of ranks.\
\
- x (Array): contiguous, on the communicator's device\
- options:\
  - op (\"sum\"|\"prod\"|\"min\"|\"max\"|\"avg\", default \"sum\"): how elements are\
    combined\
  - out (Array, default a new one): array of this rank's rows\
  - stream (Stream, default the device's current stream): stream of the work\
  - check (boolean, default false): the ranks first tell each other what\
    they call, and all of them raise where that differs; this waits\
- returns (Array)\
- raises communication, later like the fault of a kernel: when ranks call\
  different things, a rank is missing after the time limit, or the connection\
  fails",
  ["Communicator.all_to_all"] = "communicator:all_to_all(x [, { counts =, from =, out =, stream =, check = }])\
  Sends each rank its part of the rows, and returns the parts from all ranks.\
\
- x (Array): contiguous, on the communicator's device\
- options:\
  - counts (integer[]): rows for each rank\
  - from (integer[]): rows from each rank\
  - out (Array, default a new one): array of the rows received\
  - stream (Stream, default the device's current stream): stream of the work\
  - check (boolean, default false): the ranks first tell each other what\
    they call, and all of them raise where that differs; this waits\
- returns (Array)\
- raises communication, later like the fault of a kernel: when ranks call\
  different things, a rank is missing after the time limit, or the connection\
  fails",
  ["Communicator.send"] = "communicator:send(x, to [, { stream = }])\
  Sends an array, which recv of the other rank receives.\
\
- x (Array): contiguous, on the communicator's device\
- to (integer): a rank\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): x\
- raises communication, later like the fault of a kernel: when ranks call\
  different things, a rank is missing after the time limit, or the connection\
  fails",
  ["Communicator.recv"] = "communicator:recv(x, from [, { stream = }])\
  Receives into an array of the size that is sent.\
\
- x (Array): contiguous, on the communicator's device\
- from (integer): a rank\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (Array): x\
- raises communication, later like the fault of a kernel: when ranks call\
  different things, a rank is missing after the time limit, or the connection\
  fails",
  ["Communicator.group"] = "communicator:group(fn [, { stream = }])\
  Calls fn(), and queues the operations that it calls together when it\
  returns: a send and a recv among them may wait for each other. Their results\
  have no contents before.\
\
- fn (function)\
- options:\
  - stream (Stream, default the device's current stream): stream of the work\
- returns (any): all results of fn\
- raises the errors of fn; then nothing is queued",
  ["Communicator.barrier"] = "communicator:barrier()\
  Waits until all ranks have called it and all earlier operations are done.\
\
- raises communication",
  ["Communicator.split"] = "communicator:split([color] [, { key = }])\
  Makes a communicator of the ranks with the same color. All ranks have to\
  call it; waits for the operations queued before.\
\
- color (integer): from 0; nil: this rank is in no part\
- options:\
  - key (integer, default the rank): order within the part\
- returns (Communicator?): nil without a color\
- raises communication",
  ["Communicator.close"] = "communicator:close()\
  Waits for its operations and ends it. Communicators close in any order, and\
  also when they are collected or leave the scope of a <close> variable.\
  Graphs with operations of a closed communicator cannot be launched.\
\
- raises errors of operations that were queued",
  ["Communicator"] = "Communicator: Ranks that exchange the contents of arrays.\
\
rank size device timeout_ms all_reduce reduce broadcast all_gather gather\
scatter reduce_scatter all_to_all send recv group barrier split close",
  ["Error.kind"] = "error.kind\
  compile: the compiler or the driver refused code; memory: out of memory;\
  launch: a kernel failed; logic: a use that cannot work (after fork, on a\
  dead device, where cuda.no_sync forbids waiting); runtime: everything else.\
\
- returns (\"compile\"|\"memory\"|\"launch\"|\"logic\"|\"communication\"|\"runtime\")",
  ["Error.message"] = "error.message\
  The message without the position.\
\
- returns (string)",
  ["Error.name"] = "error.name\
  A stable name for programs: \"CUDA_ERROR_OUT_OF_MEMORY\", or one of the\
  library's own names.\
\
- returns (string?)",
  ["Error.code"] = "error.code\
  The driver's number of the error.\
\
- returns (integer?)",
  ["Error.call"] = "error.call\
  The function that failed: \"cuMemAlloc\".\
\
- returns (string?)",
  ["Error.device"] = "error.device\
  The device: \"gpu0\".\
\
- returns (string?)",
  ["Error.where"] = "error.where\
  The position in the script: \"file:line: \".\
\
- returns (string)",
  ["Error.traceback"] = "error.traceback\
  The Lua stack at the error.\
\
- returns (string)",
  ["Error.log"] = "error.log\
  compile: the messages of the compiler, or of the driver for PTX.\
\
- returns (string?)",
  ["Error.source"] = "error.source\
  compile: the source.\
\
- returns (string?)",
  ["Error.flags"] = "error.flags\
  compile: the compiler's flags.\
\
- returns (string[]?)",
  ["Error.fault"] = "error.fault\
  CPU device: what the kernel did: \"out of bounds\", \"null pointer\",\
  \"misaligned\", \"use after free\", \"invalid free\", \"race\", \"deadlock\" and so\
  on, as the message begins. The fields below describe it.\
\
- returns (string?)",
  ["Error.kernel"] = "error.kernel\
  The kernel at fault.\
\
- returns (string?)",
  ["Error.called_at"] = "error.called_at\
  The position in the script of the call that launched a kernel of the library\
  or a builder.\
\
- returns (string?)",
  ["Error.file"] = "error.file\
  The kernel's source file.\
\
- returns (string?)",
  ["Error.line"] = "error.line\
  The line of the access.\
\
- returns (integer?)",
  ["Error.block"] = "error.block\
  blockIdx of the thread.\
\
- returns (integer[]?)",
  ["Error.thread"] = "error.thread\
  threadIdx of the thread.\
\
- returns (integer[]?)",
  ["Error.array"] = "error.array\
  The array that was accessed or missed: \"float32 {1000}\".\
\
- returns (string?)",
  ["Error.address"] = "error.address\
  The address.\
\
- returns (integer?)",
  ["Error.report"] = "error.report\
  CPU device: all that is known about the fault, as data: fault, kernel,\
  called_at, file, line, block, thread and address as above; access (\"read\",\
  \"write\" or \"atomic\"), its bytes and space (\"global\", \"shared\" and so on);\
  variable, the name of the variable of the module or in shared memory; array,\
  the memory that was accessed or missed: { label, address, bytes, offset,\
  made_at }, where offset is that of the access from its start and made_at the\
  position in the script that made it, also of an array that is gone, known\
  with LUACUDA_CPU_CHECK=all or cuda.debug{ allocations = true }; callers, the\
  calls of device functions that lead to the line, inlined ones too, the\
  innermost first: { file, line }; for races and constants other, the access\
  that came before: { access, file, line, block, thread }, where access is\
  also \"copy\" (asynchronous, not waited for) or \"init\" (of a barrier object).\
  For barriers other is a thread that waits at another place, and its access\
  is \"barrier\"; for overflow it is the arithmetic of the thread itself, and\
  its access is \"sum\", \"product\" or \"shift\". For deadlocks and livelocks\
  waiting lists which threads of which blocks hang where, eight entries at\
  most: { block, threads, count, state, file, line }, where threads is text\
  like \"0-31, 64\", and state like \"wait at barrier 1\", \"loop\" or \"ended\".\
\
- returns (table?)",
  ["Error"] = "Error: Raised for failures of the driver, the compiler or memory. tostring(e)\
and .. give the position and the message. A launch returns before its kernel\
runs, so a later call, the next one that waits, raises the kernel's fault. An\
error that no call raised is written to stderr when the Lua state closes. With\
cuda.debug{ errors = \"string\" } or LUACUDA_ERRORS=string the text alone is\
raised.\
\
On the CPU device a fault is raised once and the device stays usable. On a GPU\
a fault inside a kernel ends CUDA for the whole process.\
\
kind message name code call device where traceback log source flags fault\
kernel called_at file line block thread array address report",
}
manual["Array.save_csv"] = manual["save_csv"]
manual["Array.save_png"] = manual["save_png"]
manual["Array.flip"] = manual["flip"]
manual["Array.rot90"] = manual["rot90"]
manual["Array.squeeze"] = manual["squeeze"]
manual["Array.expand_dims"] = manual["expand_dims"]
manual["Array.ravel"] = manual["ravel"]
manual["Array.flatten"] = manual["flatten"]
manual["Array.swapaxes"] = manual["swapaxes"]
manual["Array.moveaxis"] = manual["moveaxis"]
manual["Array.split"] = manual["split"]
manual["Array.array_split"] = manual["array_split"]
manual["Array.split_to"] = manual["split_to"]
manual["Array.roll"] = manual["roll"]
manual["Array.tile"] = manual["tile"]
manual["Array.rep"] = manual["rep"]
manual["Array.pad"] = manual["pad"]
manual["Array.diagonal"] = manual["diagonal"]
manual["Array.diag"] = manual["diag"]
manual["Array.tril"] = manual["tril"]
manual["Array.triu"] = manual["triu"]
manual["Array.diff"] = manual["diff"]
manual["Array.add"] = manual["add"]
manual["Array.subtract"] = manual["subtract"]
manual["Array.multiply"] = manual["multiply"]
manual["Array.divide"] = manual["divide"]
manual["Array.floor_divide"] = manual["floor_divide"]
manual["Array.mod"] = manual["mod"]
manual["Array.power"] = manual["power"]
manual["Array.negative"] = manual["negative"]
manual["Array.maximum"] = manual["maximum"]
manual["Array.minimum"] = manual["minimum"]
manual["Array.fmax"] = manual["fmax"]
manual["Array.fmin"] = manual["fmin"]
manual["Array.clip"] = manual["clip"]
manual["Array.square"] = manual["square"]
manual["Array.reciprocal"] = manual["reciprocal"]
manual["Array.abs"] = manual["abs"]
manual["Array.sign"] = manual["sign"]
manual["Array.bitwise_and"] = manual["bitwise_and"]
manual["Array.bitwise_or"] = manual["bitwise_or"]
manual["Array.bitwise_xor"] = manual["bitwise_xor"]
manual["Array.bitwise_not"] = manual["bitwise_not"]
manual["Array.left_shift"] = manual["left_shift"]
manual["Array.right_shift"] = manual["right_shift"]
manual["Array.eq"] = manual["eq"]
manual["Array.ne"] = manual["ne"]
manual["Array.lt"] = manual["lt"]
manual["Array.le"] = manual["le"]
manual["Array.gt"] = manual["gt"]
manual["Array.ge"] = manual["ge"]
manual["Array.logical_and"] = manual["logical_and"]
manual["Array.logical_or"] = manual["logical_or"]
manual["Array.logical_xor"] = manual["logical_xor"]
manual["Array.logical_not"] = manual["logical_not"]
manual["Array.isnan"] = manual["isnan"]
manual["Array.isinf"] = manual["isinf"]
manual["Array.isfinite"] = manual["isfinite"]
manual["Array.signbit"] = manual["signbit"]
manual["Array.where"] = manual["where"]
manual["Array.hypot"] = manual["hypot"]
manual["Array.atan2"] = manual["atan2"]
manual["Array.copysign"] = manual["copysign"]
manual["Array.fmod"] = manual["fmod"]
manual["Array.sqrt"] = manual["sqrt"]
manual["Array.cbrt"] = manual["cbrt"]
manual["Array.exp"] = manual["exp"]
manual["Array.exp2"] = manual["exp2"]
manual["Array.expm1"] = manual["expm1"]
manual["Array.log"] = manual["log"]
manual["Array.log2"] = manual["log2"]
manual["Array.log10"] = manual["log10"]
manual["Array.log1p"] = manual["log1p"]
manual["Array.sin"] = manual["sin"]
manual["Array.cos"] = manual["cos"]
manual["Array.tan"] = manual["tan"]
manual["Array.asin"] = manual["asin"]
manual["Array.acos"] = manual["acos"]
manual["Array.atan"] = manual["atan"]
manual["Array.sinh"] = manual["sinh"]
manual["Array.cosh"] = manual["cosh"]
manual["Array.tanh"] = manual["tanh"]
manual["Array.asinh"] = manual["asinh"]
manual["Array.acosh"] = manual["acosh"]
manual["Array.atanh"] = manual["atanh"]
manual["Array.deg2rad"] = manual["deg2rad"]
manual["Array.rad2deg"] = manual["rad2deg"]
manual["Array.floor"] = manual["floor"]
manual["Array.ceil"] = manual["ceil"]
manual["Array.trunc"] = manual["trunc"]
manual["Array.rint"] = manual["rint"]
manual["Array.round"] = manual["round"]
manual["Array.real"] = manual["real"]
manual["Array.imag"] = manual["imag"]
manual["Array.conj"] = manual["conj"]
manual["Array.angle"] = manual["angle"]
manual["Array.erf"] = manual["erf"]
manual["Array.erfc"] = manual["erfc"]
manual["Array.tgamma"] = manual["tgamma"]
manual["Array.lgamma"] = manual["lgamma"]
manual["Array.sum"] = manual["sum"]
manual["Array.prod"] = manual["prod"]
manual["Array.mean"] = manual["mean"]
manual["Array.var"] = manual["var"]
manual["Array.std"] = manual["std"]
manual["Array.min"] = manual["min"]
manual["Array.max"] = manual["max"]
manual["Array.argmin"] = manual["argmin"]
manual["Array.argmax"] = manual["argmax"]
manual["Array.any"] = manual["any"]
manual["Array.all"] = manual["all"]
manual["Array.count_nonzero"] = manual["count_nonzero"]
manual["Array.cumsum"] = manual["cumsum"]
manual["Array.cumprod"] = manual["cumprod"]
manual["Array.cummax"] = manual["cummax"]
manual["Array.cummin"] = manual["cummin"]
manual["Array.argsort"] = manual["argsort"]
manual["Array.unique"] = manual["unique"]
manual["Array.compress"] = manual["compress"]
manual["Array.nonzero"] = manual["nonzero"]
manual["Array.putmask"] = manual["putmask"]
manual["Array.place"] = manual["place"]
manual["Array.take"] = manual["take"]
manual["Array.put"] = manual["put"]
manual["Array.isclose"] = manual["isclose"]
manual["Array.allclose"] = manual["allclose"]
manual["Array.nan_to_num"] = manual["nan_to_num"]
manual["Array.average"] = manual["average"]
manual["Array.ptp"] = manual["ptp"]
manual["Array.median"] = manual["median"]
manual["Array.quantile"] = manual["quantile"]
manual["Array.percentile"] = manual["percentile"]
manual["Array.argpartition"] = manual["argpartition"]
manual["Array.topk"] = manual["topk"]
manual["Array.searchsorted"] = manual["searchsorted"]
manual["Array.nansum"] = manual["nansum"]
manual["Array.nanprod"] = manual["nanprod"]
manual["Array.nanmean"] = manual["nanmean"]
manual["Array.nanvar"] = manual["nanvar"]
manual["Array.nanstd"] = manual["nanstd"]
manual["Array.nanmin"] = manual["nanmin"]
manual["Array.nanmax"] = manual["nanmax"]
manual["Array.nanargmin"] = manual["nanargmin"]
manual["Array.nanargmax"] = manual["nanargmax"]
manual["Array.softmax"] = manual["softmax"]
manual["Array.log_softmax"] = manual["log_softmax"]
manual["Array.logsumexp"] = manual["logsumexp"]
manual["Array.scatter_add"] = manual["scatter_add"]
manual["Array.scatter_max"] = manual["scatter_max"]
manual["Array.scatter_min"] = manual["scatter_min"]
manual["Array.gradient"] = manual["gradient"]
manual["Array.trapezoid"] = manual["trapezoid"]
manual["Array.matmul"] = manual["matmul"]
manual["Array.dot"] = manual["dot"]
manual["Array.inner"] = manual["inner"]
manual["Array.outer"] = manual["outer"]
manual["Array.vdot"] = manual["vdot"]
manual["Array.trace"] = manual["trace"]
manual["Array.norm"] = manual["norm"]
manual["Random.uniform"] = manual["Generator.uniform"]
manual["Random.normal"] = manual["Generator.normal"]
manual["Random.integers"] = manual["Generator.integers"]
manual["Random.exponential"] = manual["Generator.exponential"]
manual["Random.gamma"] = manual["Generator.gamma"]
manual["Random.poisson"] = manual["Generator.poisson"]
manual["Random.binomial"] = manual["Generator.binomial"]
manual["Random.choice"] = manual["Generator.choice"]
manual["Random.shuffle"] = manual["Generator.shuffle"]
manual["Random.bits"] = manual["Generator.bits"]
manual["Random.permutation"] = manual["Generator.permutation"]
return manual
