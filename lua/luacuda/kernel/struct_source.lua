-- struct_source.lua: struct types as C++ text.

local core = require "luacuda.core"
local lists = require "luacuda.base.lists"
local fail = require("luacuda.base.arguments").fail

local M = {}

-- dtype -> its name in C++, and the prefix of its vector types.
local NAMES = {
  bool = { "bool" }, int8 = { "signed char", "char" }, uint8 = { "unsigned char", "uchar" },
  int16 = { "short", "short" }, uint16 = { "unsigned short", "ushort" }, int32 = { "int", "int" },
  uint32 = { "unsigned int", "uint" }, int64 = { "long long", "longlong" },
  uint64 = { "unsigned long long", "ulonglong" }, float16 = { "__half" },
  bfloat16 = { "__nv_bfloat16" }, float32 = { "float", "float" }, float64 = { "double", "double" },
  complex64 = { "float2" }, complex128 = { "double2" },
}

-- The fields as core.struct_new was given them: { name, dtype (a name or a Struct), offset, dims,
-- lanes, pointer, const, pointee }.
function M.fields(struct) return debug.getuservalue(struct, 1)[2] end

local function round_up(n, by) return (n + by - 1) // by * by end

-- alignment(at, own, offset) -> the specifier that puts a member at its offset, or "" if the
-- alignment of its type does
function M.alignment(at, own, offset)
  if round_up(at, own) == offset then return "" end
  for _, align in ipairs{ 2, 4, 8, 16 } do
    if round_up(at, align) == offset then return ("alignas(%d) "):format(align) end
  end
  return ""
end

local function pointer_text(field)
  return (field.const and "const " or "") .. (field.pointee and NAMES[field.pointee][1] or "void")
    .. " *"
end

-- The C++ type of one element, and the extents around it.
local function element(field, names)
  local dims = lists.copy(field.dims or {})
  if field.pointer then return pointer_text(field), dims end
  if type(field.dtype) ~= "string" then return names[field.dtype] .. " ", dims end
  if not field.lanes then return NAMES[field.dtype][1] .. " ", dims end
  return ("%s%d "):format(NAMES[field.dtype][2], table.remove(dims)), dims
end

local function member(field, names)
  local ctype, dims = element(field, names)
  local extents = #dims > 0 and "[" .. table.concat(dims, "][") .. "]" or ""
  return ("  %s%s%s;\n"):format(ctype, field.name, extents)
end

local function check_name(struct)
  if struct.name:find "^[%a_][%w_]*$" and struct.name ~= "struct" then return struct.name end
  fail(struct.name, "source: the struct has no name in C++: give cuda.struct one")
end

-- Appends the definitions of a struct and of those in it, each once.
local function define(struct, list, names)
  if names[struct] then return end
  names[struct] = check_name(struct)
  local lines = {}
  for k, field in ipairs(M.fields(struct)) do
    if type(field.dtype) ~= "string" then define(field.dtype, list, names) end
    lines[k] = member(field, names)
  end
  list[#list + 1] = ("struct alignas(%d) %s {\n%s};\n"):format(struct.align, struct.name,
    table.concat(lines))
  list[#list + 1] = ("static_assert(sizeof(%s) == %d, \"size of %s\");\n"):format(struct.name,
    struct.size, struct.name)
end

-- struct:source() -> its definition in C++, preceded by those of nested structs
function M.source(struct, ...)
  if core.type(struct) ~= "struct" then
    fail("source", "expected a Struct before the ':'")
  elseif select("#", ...) > 0 then fail(struct.name, "source: too many arguments") end
  local list = {}
  define(struct, list, {})
  return table.concat(list)
end

return M
