-- c_types.lua: names of element types in C and C++.

local dtypes = require "luacuda.base.dtypes"

-- name -> dtype
local names = {
  char = "int8", ["short int"] = "int16", ["unsigned short int"] = "uint16",
  signed = "int32", ["signed int"] = "int32", unsigned = "uint32", long = "int64",
  ["long int"] = "int64", ["unsigned long"] = "uint64", ["unsigned long int"] = "uint64",
  ["long long int"] = "int64", ["unsigned long long int"] = "uint64", size_t = "uint64",
  ptrdiff_t = "int64", half = "float16",
}
for _, row in ipairs(dtypes.list) do
  if row.kind ~= "complex" then names[row.cuda] = row.name end
  if row.kind == "complex" then names[row.ctype] = row.name end
  if row.kind:find "int" then names[row.name .. "_t"] = row.name end
end

-- Vector types of CUDA's vector_types.h without the number of lanes: dtype, alignment of 2 and of 4
-- lanes; types of 3 lanes are aligned like one lane.
local vectors = {
  char = { "int8", 2, 4 }, uchar = { "uint8", 2, 4 }, short = { "int16", 4, 8 },
  ushort = { "uint16", 4, 8 }, int = { "int32", 8, 16 }, uint = { "uint32", 8, 16 },
  long = { "int64", 16, 16 }, ulong = { "uint64", 16, 16 }, longlong = { "int64", 16, 16 },
  ulonglong = { "uint64", 16, 16 }, float = { "float32", 8, 16 }, double = { "float64", 16, 16 },
}

-- dtype -> its vector type
local vector_of = {}
for name, row in pairs(vectors) do vector_of[row[1]] = name end
vector_of.int64, vector_of.uint64 = "longlong", "ulonglong"

return { names = names, vectors = vectors, vector_of = vector_of }
