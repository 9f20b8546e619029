-- luacheck: ignore 631 (one entry, one line)
return {
  { name = "Prepared", title = "Prepared launches", text = "What `kernel:prepare` gives.", entries = {
    { "__call", kind = "call", params = { "...: any, the kernel's arguments" }, raises = "a string for wrong arguments; launch", text = "Launches." },
    { "kernel", kind = "field", returns = { "Kernel" }, text = "Of which kernel." },
    { "device", kind = "field", returns = { "Device" }, text = "On which device." },
    { "grid", kind = "field", returns = { "integer[]" }, text = "Blocks, x y z." },
    { "block", kind = "field", returns = { "integer[]" }, text = "Threads of a block, x y z." },
    { "close", text = "Ends the handle." },
    { "free", text = "The same as close." },
  } },
  { name = "Struct", title = "Struct types", text = "Laid out as C does; also an element type.", entries = {
    { "name", kind = "field", returns = { "string" }, text = "Its name." },
    { "size", kind = "field", returns = { "integer, bytes" }, text = "sizeof." },
    { "align", kind = "field", returns = { "integer, bytes" }, text = "alignof." },
    { "fields", kind = "field", returns = { "table[], name, dtype (of the elements), count (of elements), offset and size (bytes)" }, text = "In C's order." },
    { "pack", params = { "value: table, by name or position" }, returns = { "string" }, raises = "a string when a field is missing or does not fit", text = "Bytes as C lays them out." },
    { "unpack", params = { "bytes: string", "position?: integer, 1" }, returns = { "table", "integer, position behind it" }, text = "The other way." },
  } },
  { name = "Complex", title = "Complex numbers", text = "Immutable, with + - * / and ==.", entries = {
    { "re", kind = "field", returns = { "number" }, text = "Real part." },
    { "im", kind = "field", returns = { "number" }, text = "Imaginary part." },
    { "abs", returns = { "number" }, text = "Absolute value." },
    { "conj", returns = { "Complex" }, text = "Conjugate." },
  } },
  { name = "Scalar", title = "Typed scalars", text = "What `cuda.float32(2)` and the like give.", entries = {
    { "dtype", kind = "field", returns = { "string" }, text = "Its type." },
    { "value", kind = "field", returns = { "number|boolean|Complex" }, text = "Its value." },
  } },
  { name = "Pointer", title = "Addresses", text = "What `cuda.ptr` gives; `cuda.null` is one.", entries = {
    { "address", kind = "field", returns = { "integer" }, text = "The address." },
  } },
  { name = "Record", title = "Elements of struct arrays", text = "What `b[i]` gives where the elements of `b` are structs: the element where it is, not a copy. `b[i].id` reads a field and `b[i].id = 5` writes it into the array; a field that is a struct is a Record again, one of several elements an Array over them (`b[i].pos.x = 3`, `b[i].m[2][1] = 1`). On a GPU each field is a copy of its own: `b:totable()` and `b:set(data)` move all at once. `b:item(i)` and `b:totable()` give plain tables, which are copies. Every name is a field; `pairs` goes through copies of all, `==` compares bytes, and what takes a value of the struct takes a Record.", entries = {} },
  { name = "Shape", title = "Shapes", extends = "integer[]", text = "What `a.shape` and `a.strides` give: a list of integers that cannot be written. `shape[i]`, `#shape`, `ipairs`, `pairs`, `table.unpack` and `table.concat` read it as a table, `==` compares extents, and what takes a list of integers takes a Shape. `{ table.unpack(a.shape) }` is a table to change; code that reads tables raw (`next`, `assert.same` of luassert, JSON libraries) needs that, too.", entries = {} },
  { name = "Argument", title = "Wrapped arguments", text = "What `cuda.raw`, `cuda.input`, `cuda.output` and `cuda.inout` give, for one launch.", entries = {} },
}
