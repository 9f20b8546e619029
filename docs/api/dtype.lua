local NAMES = {
  { "bool", "True or false; in an array, every nonzero byte is true" },
  { "int8", "An integer of 8 bits" }, { "int16", "An integer of 16 bits" },
  { "int32", "An integer of 32 bits" }, { "int64", "An integer of 64 bits" },
  { "uint8", "An unsigned integer of 8 bits" }, { "uint16", "An unsigned integer of 16 bits" },
  { "uint32", "An unsigned integer of 32 bits" },
  { "uint64", "An unsigned integer of 64 bits; any Lua integer is accepted and gives its bits" },
  { "float8_e4m3fn", "A float of 8 bits with 3 bits of mantissa: up to 448, without infinities" },
  { "float8_e5m2", "A float of 8 bits with 2 bits of mantissa: up to 57344" },
  { "float16", "Half precision (IEEE 754 binary16)" },
  { "bfloat16", "The upper 16 bits of a float32" },
  { "float32", "Single precision" }, { "float64", "Double precision" },
  { "complex64", "Two float32" }, { "complex128", "Two float64" },
}

local scalars = {}
for i, row in ipairs(NAMES) do scalars[i] = { row[1], text = row[2] .. "." } end

return {
  title = "Element types and values",
  text = [[
    A `Dtype` is one of the names in the table of scalars, one of their short forms (`i8` to `i64`,
    `u8` to `u64`, `e4m3`, `e5m2`, `f16`, `bf16`, `f32`, `f64`, `c64`, `c128`, `b1`), or a
    [Struct](#struct). An array without a dtype is float32. Which dtype an operation gives is
    described in [promotion.md](../design/promotion.md).]],
  parts = {
    { class = "luacuda", title = "Typed scalars", rows = true, dtypes = true,
      text = [[
        A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an
        array does, and as a kernel's argument it must have the parameter's type.]],
      params = { "value: number|boolean|Complex|Scalar" }, returns = { "Scalar" },
      raises = "a string if the dtype cannot hold the value", entries = scalars },
    { class = "luacuda", entries = {
      { "complex", params = { "re: number", "im?: number (0)" }, returns = { "Complex" },
        text = "Makes a complex number." },
      { "struct",
        params = { "name: string, the type's name in kernels",
          "fields: table, in the order of C: { name, type [, extents] } each" },
        forms = { { "fields: table" } },
        returns = { "Struct" }, raises = "a string that names the field whose type is unknown",
        text = [[Declares a struct type with the layout of C. Types are dtypes, C's names and
          structs; extents (an integer or a list) make the field an array.]] },
      { "dtypes",
        returns = { [[table[], a table for each element type: `name`, `short`, `kind`, `size` and
          `align` (bytes), `cuda` (its C++ name), `header`, `pack` (for string.pack), `ptx`; for
          floats and the parts of complex numbers `mantissa` (its bits), `exponent` (the greatest)
          and `finite` (has it no infinities?)]] },
        text = "Lists the element types." },
    } },
    { class = "Scalar", text = "A typed scalar, made by `cuda.float32(2)` and the like. Immutable.",
      entries = {
        { "dtype", kind = "field", returns = { "string" }, text = "Its type." },
        { "value", kind = "field", returns = { "number|boolean|Complex" },
          text = "Its value, rounded to the type." },
      } },
    { class = "Complex",
      text = [[A complex number in double precision, with `+ - * /`, unary minus and `==`.
        Immutable.]],
      operators = { "unm: Complex", "add(any): Complex", "sub(any): Complex", "mul(any): Complex",
        "div(any): Complex" },
      entries = {
        { "re", kind = "field", returns = { "number" }, text = "The real part." },
        { "im", kind = "field", returns = { "number" }, text = "The imaginary part." },
        { "abs", returns = { "number" }, text = "Returns the absolute value." },
        { "conj", returns = { "Complex" }, text = "Returns the complex conjugate." },
      } },
    { class = "Struct",
      text = "A struct type, made by `cuda.struct`: also a dtype. Its layout is that of C.",
      entries = {
        { "name", kind = "field", returns = { "string" }, text = "Its name." },
        { "size", kind = "field", returns = { "integer" }, text = "Its size in bytes (`sizeof`)." },
        { "align", kind = "field", returns = { "integer" },
          text = "Its alignment in bytes (`alignof`)." },
        { "fields", kind = "field", returns = { "table[]" },
          text = [[A table for each field: `name`, `dtype` and `count` of its elements, `offset` and
            `size` in bytes.]] },
        { "__call", kind = "call",
          params = { "value: table|Record|string, fields by name or by position, or bytes" },
          returns = { "Record" },
          raises = "a string if a field is missing, unknown or does not fit",
          text = [[Makes a value of the struct in host memory. `p.dt = 0.1` changes a field. Kernels
            written in Lua take it as a struct by value.]] },
        { "source", returns = { "string" }, raises = "a string if the struct has no name",
          text = [[Returns the definition in C++, preceded by those of nested structs. Put it before
            a kernel. Fields of half types need the headers `cuda_fp16.h` and `cuda_bf16.h`. The
            texts of [builders](#kernel-builders) need no definition.]] },
        { "pack", params = { "value: table|Record, fields by name or by position" },
          returns = { "string, `size` bytes" },
          raises = "a string if a field is missing, unknown or does not fit",
          text = "Converts a table to the bytes of the struct." },
        { "unpack", params = { "bytes: string", "position?: integer (1), first byte to read" },
          returns = { "table, fields by name", "integer, position of the next byte" },
          raises = "a string if fewer than `size` bytes are left",
          text = "Converts bytes to a table." },
      } },
    { class = "Record",
      text = [[
        An element of an array of structs, where it is: `b[i]` is a Record, not a copy. `b[i].id`
        reads a field and `b[i].id = 5` writes it to the array. A field that is a struct is a Record
        again; one of several elements is an Array over them (`b[i].pos.x = 3`, `b[i].m[2][1] = 1`).
        The Array of a vector such as `float3` also has the fields `x`, `y`, `z` and `w`
        (`b[i].v.x = 1`).

        On a GPU every access to a field is a copy; `b:totable()` and `b:set(data)` copy everything
        in one step. `b:item(i)` and `b:totable()` give plain tables, which are copies. `pairs`
        visits copies of all fields, `==` compares bytes, and a Record is accepted wherever a value
        of the struct is.]],
      entries = {
        { ".FIELD", kind = "index", key = "string", returns = { "any" }, text = "A field." },
      } },
  },
}
