local DEVICE = "device?: Device|integer|string (that of `out` or `stream`, else the current device)"
local LIKE_DEVICE = "device?: Device|integer|string (that of `a`), device of the result"
local STREAM = "stream?: Stream (the device's current stream), stream of the work"
local OUT = "out?: Array, array of that shape and dtype to write to, instead of a new one"
local DTYPE_OPTION = "dtype?: Dtype, in place of the parameter"
local IPC = "ipc?: boolean (false), other processes may open the memory (`array:ipc_handle`)"
local MAKE = { DTYPE_OPTION, DEVICE, STREAM, OUT, IPC }
local LIKE = { DTYPE_OPTION, LIKE_DEVICE, STREAM, OUT, IPC }
local SHAPE = "shape: integer|integer[], elements per axis"
local DTYPE = "dtype?: Dtype (that of `out`, else float32), element type"
local LIKE_DTYPE = "dtype?: Dtype (that of `a`), element type"
local VALUE = "value: number|boolean|Complex|Scalar|table|Record, a table for a struct"
local MEMORY = "`memory` if the allocation fails"
local FIT = "a string if the dtype cannot hold a value; " .. MEMORY

local function with(...)
  local options = { ... }
  return table.move(MAKE, 1, #MAKE, #options + 1, options)
end

local function like(name, what)
  return { name, params = { "a: Array", LIKE_DTYPE }, options = LIKE, returns = { "Array" },
    raises = MEMORY, text = "Like `cuda." .. what .. "`, with the shape and the dtype of `a`." }
end

local function made(name, what)
  return { name, params = { SHAPE, DTYPE }, options = MAKE, returns = { "Array" }, raises = MEMORY,
    text = what }
end

local creation = {
  { "array",
    params = {
      [[data: table|string|Array|number|boolean|Complex|Scalar|Record, nested tables, bytes (which
        need a dtype), an array or one value]],
      "dtype?: Dtype (that of `out`, an array or a scalar; bool for booleans; else float32)" },
    options = with "shape?: integer|integer[], shape of the result; one extent may be -1",
    returns = { "Array" }, raises = "a string if the tables are ragged; " .. FIT,
    text = "Makes an array from data." },
  { "empty", params = { SHAPE, DTYPE },
    options = with "reserve?: integer, the first extent that the array can grow to by `resize`",
    returns = { "Array" }, raises = MEMORY, text = "Makes an array with undefined contents." },
  made("zeros", "Makes an array of zeros."),
  made("ones", "Makes an array of ones."),
  { "full",
    params = { SHAPE, VALUE,
      [[dtype?: Dtype (that of `out`, else a scalar's own, bool for a boolean, complex64 for a
        complex number, float32), element type]] },
    options = MAKE, returns = { "Array" }, raises = FIT,
    text = "Makes an array filled with one value." },
  like("empty_like", "empty"), like("zeros_like", "zeros"), like("ones_like", "ones"),
  { "full_like", params = { "a: Array", VALUE, LIKE_DTYPE }, options = LIKE, returns = { "Array" },
    raises = FIT, text = "Like `cuda.full`, with the shape and the dtype of `a`." },
  { "arange",
    params = { "first: number", "stop: number, excluded", "step?: number (1), not 0",
      "dtype?: Dtype (int64 if all numbers are integers, else float32), element type" },
    forms = { { "stop: number", "dtype?: Dtype" },
      { "first: number", "stop: number", "dtype?: Dtype" } },
    options = MAKE, returns = { "Array, of one axis" }, raises = FIT,
    text = [[Makes an array of the numbers `first`, `first + step` and so on that lie before `stop`.
      Without `first` it starts at 0. Their number is `(stop - first) / step`, rounded up, as in
      NumPy: where steps have a fraction, rounding may add an element at `stop`; use `linspace` for
      a fixed number of elements.]] },
  { "linspace",
    params = { "first: number", "last: number", "n?: integer (50), number of elements", DTYPE },
    options = with("endpoint?: boolean (true), include `last`",
      "n?: integer, in place of the parameter"), returns = { "Array, of one axis" },
    raises = FIT,
    text = [[Makes an array of `n` numbers at equal distances, `first + i * (last - first) / (n -
      1)` for i from 0; without `last` the divisor is `n`. They are computed in float64; for integer
      dtypes they are rounded down, as in NumPy.]] },
  { "logspace",
    params = { "first: number", "last: number", "n?: integer (50), number of elements", DTYPE },
    options = with("base?: number (10)", "endpoint?: boolean (true), include `last`",
      "n?: integer, in place of the parameter"), returns = { "Array, of one axis" },
    raises = FIT,
    text = [[Makes an array of the powers `base ^ x` of the numbers x that `linspace` gives. They
      are computed in float64; for integer dtypes the digits after the point are dropped, as in
      NumPy.]] },
  { "eye", params = { "n: integer, rows", DTYPE },
    options = with("columns?: integer (n)",
      "offset?: integer (0), of the diagonal; above 0 to the right"),
    returns = { "Array, of shape {n, columns}" }, raises = MEMORY,
    text = "Makes a matrix of ones on a diagonal and zeros elsewhere." },
}

local reading = {
  { "[i]", kind = "index", key = "integer", returns = { "any" },
    text = [[The i-th element of an array of one axis (a [Record](#record) for structs), else the
      i-th row, a view. Can be assigned a value, a table or an array. -1 is the last; `a[#a + 1]` is
      nil; other indices outside raise.]] },
  { "[mask]", kind = "index", key = "Array", returns = { "any" },
    text = [[A bool array selects elements or rows as `compress` does, an array of integers takes
      rows as `take` does with `axis = 1`. Assignment writes to the selected elements.]] },
  { "shape", kind = "field", returns = { "Shape" }, text = "The number of elements per axis." },
  { "strides", kind = "field", returns = { "Shape" },
    text = "The distance from element to element along each axis, in bytes." },
  { "dtype", kind = "field", returns = { "Dtype" }, text = "The element type." },
  { "size", kind = "field", returns = { "integer" }, text = "The number of elements." },
  { "nbytes", kind = "field", returns = { "integer" },
    text = "The size of all elements in bytes." },
  { "ndim", kind = "field", returns = { "integer" }, text = "The number of axes." },
  { "device", kind = "field", returns = { "Device" }, text = "The device that runs work on it." },
  { "memory", kind = "field",
    returns = { '"device"|"pinned"|"managed"|"host"|"registered"|"foreign"|"module"' },
    text = "The kind of memory." },
  { "pointer", kind = "field", returns = { "integer" },
    text = "The address of the first element. Work through it is not ordered automatically." },
  { "is_contiguous", kind = "field", returns = { "boolean" },
    text = "Whether the elements are in C order without gaps." },
  { "is_readonly", kind = "field", returns = { "boolean" },
    text = [[Whether the memory is read-only: memory of other code (`cuda.wrap`) or memory
      registered for reading only. Any call that would write it raises an error.]] },
}

local ITEM = "...: integer, one index for each axis; "

local elements = {
  { "same_shape", params = { "other: Array" }, returns = { "boolean" },
    text = "Returns whether the shapes are equal." },
  { "equals", params = { "other: Array" }, returns = { "boolean" },
    text = [[Returns whether shape and elements are equal. The dtypes may differ; NaN equals
      nothing. Waits for both arrays.]] },
  { "totable", params = { "reuse?: table, filled and returned instead of a new table" },
    returns = { "table, nested as the axes are; a value for an array without axes" },
    text = [[Returns all elements. Complex numbers are Complex objects, structs are tables, and
      uint64 elements are the Lua integers of the same bits. Waits for work on the array.]] },
  { "tobytes", returns = { "string, `a.nbytes` bytes" },
    text = "Returns all elements as bytes, in C order. Waits for work on the array." },
  { "item", params = { ITEM .. "none if the array has one element" },
    returns = { "number|boolean|Complex|table" },
    raises = "a string for an index outside its axis",
    text = "Returns one element. Waits for work on the array." },
  { "setitem", params = { "value: any", ITEM .. "none if the array has one element" },
    returns = { "Array, itself" },
    raises = "a string for an index outside its axis or if the dtype cannot hold the value",
    text = "Writes one element. Waits for work on the array." },
  { "set",
    params = { [[data: table|string|number|boolean|Complex|Scalar|Record|Array, of the array's shape
      or one that broadcasts to it; bytes of the array's size; or one value]] },
    options = { STREAM }, returns = { "Array, itself" },
    raises = [[a string if shapes do not fit, the dtype cannot hold a value, or complex elements
      would lose their imaginary part]],
    text = "Writes all elements, converted to the dtype." },
  { "fill", params = { VALUE }, options = { STREAM }, returns = { "Array, itself" },
    raises = "a string if the dtype cannot hold the value",
    text = "Writes one value to all elements." },
}

local views = {
  { "slice",
    params = { [[...: integer|table, for each axis {first, last, step}, {} for all of it, or an
      integer, which drops the axis; further axes stay whole]] },
    returns = { "Array, a view" }, raises = "a string for an integer outside its axis",
    text = [[Selects a part. Both ends are included and clipped to the axis, as in `string.sub`;
      last is -1 and step 1 unless given.]] },
  { "transpose",
    params = { "...: integer|integer[] (reversed), the axes in their new order" },
    returns = { "Array, a view" }, text = "Reorders the axes." },
  { "broadcast_to", params = { "...: integer|integer[], the extents, or one list of them" },
    returns = { "Array, a view" },
    raises = "a string if the array does not broadcast to the shape",
    text = "Repeats axes of one element, and adds axes in front, without a copy." },
  { "reshape",
    params = { "...: integer|integer[], the extents, or one list of them; one may be -1" },
    returns = { "Array, a view" },
    raises = "a string that names `contiguous` if no view has this shape",
    text = "Returns the elements, in C order, as another shape of the same size." },
  { "view", params = { "dtype: Dtype" }, returns = { "Array, a view" },
    raises = [[a string if the last axis is not a whole number of elements of the dtype, or the
      memory is not aligned for it]],
    text = [[Reinterprets the same bytes as another dtype. If the sizes of the dtypes differ, the
      last axis changes. An array without elements needs no alignment and may have gaps.]] },
  { "field", params = { "name: string, name of a field" }, returns = { "Array, a view" },
    raises = [[a string if the elements are not structs, if the struct has no such field, or if a
      packed struct holds the field at an address that is not aligned for its dtype]],
    text = [[Returns a field of all elements of an array of structs. A field that is a list or a
      vector such as `float4` adds its extents as axes after those of the array. A field that is a
      struct gives an array of that struct, so `a:field("at"):field("x")` goes on. Writing to the
      view writes to the structs.]] },
}

local COPY = { STREAM, "out?: Array, array to write to, instead of a new one" }

local copies = {
  { "copy", options = COPY, returns = { "Array" }, raises = MEMORY,
    text = "Makes a contiguous copy." },
  { "contiguous", options = COPY, returns = { "Array, itself if it is contiguous" },
    raises = MEMORY,
    text = "Returns an array with these elements in C order without gaps." },
  { "to", params = { "device: Device|integer|string" },
    options = { STREAM, "out?: Array, array on that device to write to" },
    returns = { "Array, itself if it is on the device" }, raises = MEMORY,
    text = "Returns an array with these elements on a device." },
  { "astype", params = { "dtype: Dtype, not a struct" }, options = COPY, returns = { "Array" },
    raises = MEMORY,
    text = [[Converts the elements. Floats become integers by truncation, clamped to the range of
      the dtype; integers wrap around; complex numbers lose their imaginary part when they become
      real. Other functions raise an error instead of dropping it: `array:set`, `cuda.concatenate`,
      `array:put` and the like.]] },
  { "close",
    text = [[Releases this handle. The memory is freed when its last view is closed or collected and
      the work that uses it has ended. A second call has no effect.]] },
  { "free", text = "The same as `array:close`." },
}

local UNREADABLE = "`runtime` if the file cannot be read, a string if its contents cannot"
local UNWRITABLE = "a string for bfloat16, floats of 8 bits and structs; `runtime` if the file "
  .. "cannot be written"
local NOT_WRITTEN = "`runtime` if the file cannot be written"
local NEEDS_ZLIB = "; `runtime` for compressed data where there is no zlib (`LUACUDA_LIBZ`)"
local REPLACED = " An existing file is replaced when the new one is complete."

local files = {
  { "load_npy", params = { "path: string" }, options = { DEVICE, STREAM, OUT },
    returns = { "Array" },
    raises = UNREADABLE, text = "Reads a NumPy file (.npy)." },
  { "load_npz", params = { "path: string" },
    options = { "names?: string[] (all), the arrays to read",
      "device?: Device|integer|string (that of `stream`, else the current device)", STREAM },
    returns = { "table, name to Array" },
    raises = [[a string for members that are damaged (CRC-32), that are not arrays, or that hold
      more than 64 KB beyond the array that their header describes; ]] .. UNREADABLE
      .. NEEDS_ZLIB,
    text = [[Reads a NumPy archive (.npz) as `numpy.savez` and `numpy.savez_compressed` write
      it.]] },
  { "save_npz", params = { "path: string", "arrays: table, name to Array" }, raises = UNWRITABLE,
    text = "Writes a NumPy archive (.npz) without compression. Equal arrays give equal files."
      .. REPLACED },
  { "load_csv", params = { "path: string" },
    options = {
      [[dtype?: Dtype (that of `out`, else float32), an integer or a real float]],
      [[delimiter?: string (","), the character between fields; `" "` stands for any number of
        blanks and tabs]],
      [[header?: boolean, whether the first row has names (default: it has text, and no field of it
        is a number, also not with another delimiter or a decimal comma)]],
      "columns?: string[]|integer[] (all), the columns to read, by name or number",
      [[missing?: string[] ({ "", "NA", "N/A", "NaN", "nan", "null", "NULL" }), fields that are
        NaN, compared as text; numbers are possible, such as `"-999"`]],
      "comment?: string, a character: lines that begin with it are skipped",
      "skip?: integer (0), lines to skip first", DEVICE, STREAM, OUT },
    returns = { "Array, of shape {rows, columns}",
      "string[]?, the names of these columns; nil if the file has none" },
    raises = UNREADABLE .. [[: with the number of the line and of the field, and the delimiter that
      the text seems to have]],
    text = [[Reads a text file of numbers (CSV, RFC 4180). Fields may be in quotes, and have blanks
      around them. Rows must have equally many fields. Empty lines are skipped. Columns that are not
      read may hold any text. Numbers are decimal, with a point in any locale, and give the nearest
      float64, which is then rounded to the dtype; integer dtypes take integers without a point.
      A number outside the dtype's range (`1e400` for every dtype) is an error, and so is a missing
      value for an integer dtype.

      As in [array](#cudaarray), the default float32 refuses an integer that it cannot hold exactly,
      such as `123456789` or `123456789.00`: give `dtype = "int64"` or `"float64"`. It rounds all
      other numbers, including those with an exponent, to the nearest float32. A float dtype that
      you give rounds every number.]] },
  { "save_csv", method = true,
    params = { "array: Array, of 1 axis (a column) or 2 (rows and columns)", "path: string" },
    options = { "header?: string[], names of the columns, for the first line",
      [[delimiter?: string (","), the character between fields]] },
    returns = { "Array, itself" },
    raises = "a string for other shapes, complex numbers and structs; " .. NOT_WRITTEN,
    text = [[Writes a text file of numbers (CSV, RFC 4180). Each number has as many digits as it
      takes to read the same element back. false and true become 0 and 1.]] .. REPLACED },
  { "load_png", params = { "path: string" }, options = { DEVICE, STREAM, OUT },
    returns = { "Array, of uint8, or of uint16 where the file has 16 bits a sample" },
    raises = UNREADABLE .. [[ (damaged or cut off, or colors that its palette lacks)]]
      .. NEEDS_ZLIB,
    text = [[Reads a PNG picture (ISO/IEC 15948). The shape is {height, width} for gray pictures,
      else {height, width, channels}: 2 are gray and alpha, 3 red, green and blue, 4 these and
      alpha. Gray levels of 1, 2 or 4 bits become 0 to 255. Colors of a palette become red, green
      and blue, and a transparent color becomes an alpha channel. Interlaced pictures are read as
      well. Levels are as in the file: gamma and color profiles are not applied.]] },
  { "save_png", method = true,
    params = { [[array: Array, of shape {height, width} or {height, width, channels}: 1 is gray, 2
      gray and alpha, 3 red, green and blue, 4 these and alpha]], "path: string" },
    returns = { "Array, itself" },
    raises = "a string for other shapes and dtypes; " .. NOT_WRITTEN,
    text = [[Writes a PNG picture, which is compressed if there is zlib. uint8 and uint16 are
      written as they are, with 8 or 16 bits a sample. false and true become 0 and 255. Floats
      become 8 bits: 0 is 0, 1 is 255, values outside are cut off, NaN is 0, and values between are
      rounded to the nearest level.]] .. REPLACED },
}

local function join(...)
  local all = {}
  for _, list in ipairs { ... } do table.move(list, 1, #list, #all + 1, all) end
  return all
end

return {
  title = "Arrays",
  parts = {
    { class = "luacuda", entries = creation },
    { class = "luacuda", entries = files },
    { class = "Array",
      text = [[
        One class for the memory of GPUs, of the CPU device and of the host. `#a` is `a.shape[1]`,
        `==` compares handles (`a:equals(b)` compares elements), and the operators are those of
        [arithmetic](#arithmetic) and [bits](#bits).]],
      operators = { "unm: Array", "bnot: Array", "add(any): Array", "sub(any): Array",
        "mul(any): Array", "div(any): Array", "idiv(any): Array", "mod(any): Array",
        "pow(any): Array", "band(any): Array", "bor(any): Array", "bxor(any): Array",
        "shl(any): Array", "shr(any): Array", "len: integer" },
      entries = join(reading, elements, views, copies, {
        { "save_npy", params = { "path: string" }, returns = { "Array, itself" },
          raises = UNWRITABLE,
          text = "Writes a NumPy file (.npy)." .. REPLACED },
      }) },
    { class = "Shape", extends = "integer[]",
      text = [[
        The class of `a.shape` and `a.strides`: a list of integers that cannot be written.
        `shape[i]`, `#shape`, `ipairs`, `pairs`, `table.unpack` and `table.concat` read it as they
        read a table, and `shape[-1]` is the last integer. `==` compares the integers, and every
        function that takes a list of integers takes a Shape.
        `{ table.unpack(a.shape) }` is a table, which can be changed; code that reads tables raw
        (`next`, `assert.same` of luassert, JSON libraries) needs one.]],
      entries = {} },
  },
}
