-- struct_source.lua: struct types as C++ text.

local core = require "luacuda.core"
local c_types = require "luacuda.base.c_types"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local fail = require("luacuda.base.arguments").fail

local M = {}

-- dtype -> its name in C++, and the prefix of its vector types.
M.TYPES = {}
for _, row in ipairs(dtypes.list) do
  local vector = c_types.vector_of[dtypes.part_of(row.name)]
  M.TYPES[row.name] = row.kind == "complex" and { vector .. 2 } or { row.cuda, vector }
end

-- The fields as core.struct_new was given them: { name, dtype (a name or a Struct), offset, dims,
-- lanes, pointer, const, pointee }.
function M.fields(struct) return debug.getuservalue(struct, 1)[2] end

local function round_up(n, by) return (n + by - 1) // by * by end

-- The specifier that puts a member after `at` bytes at its offset, "" if the alignment of its type
-- does; nil where no greater alignment does either.
local function alignment(at, own, offset)
  if round_up(at, own) == offset then return "" end
  for _, align in ipairs{ 2, 4, 8, 16 } do
    if align > own and round_up(at, align) == offset then return ("alignas(%d) "):format(align) end
  end
end

-- The texts before the members of a struct that aligns them; nil where it cannot.
local function aligned(struct, natural)
  local before, at = {}, 0
  for k, field in ipairs(M.fields(struct)) do
    local own, size = natural(field)
    before[k] = own <= struct.align and alignment(at, own, field.offset)
    if not before[k] then return nil end
    at = field.offset + size
  end
  return round_up(at, struct.align) == struct.size and before or nil
end

local function gap(bytes) return ("unsigned char : 8; "):rep(bytes) end

-- placement(struct, natural) -> the texts before the members of the struct's definition, those
-- before its name and after its members. natural(field) -> the alignment and the size of a member's
-- type.
function M.placement(struct, natural)
  local before, at = aligned(struct, natural), 0
  local head = ("struct %%salignas(%d) "):format(struct.align)
  if before then return before, head:format "", "" end
  before = {}
  for k, field in ipairs(M.fields(struct)) do
    before[k], at = gap(field.offset - at), field.offset + select(2, natural(field))
  end
  return before, head:format "__attribute__((packed)) ", gap(struct.size - at)
end

local function pointer_text(field, types)
  return (field.const and "const " or "") .. (field.pointee and types[field.pointee][1] or "void")
    .. " *"
end

-- The C++ type of one element, and the extents around it.
local function element(field, own)
  local dims = lists.copy(field.dims or {})
  if field.pointer then return pointer_text(field, own.types), dims end
  if type(field.dtype) ~= "string" then
    return own.inner .. own.names[field.dtype] .. " ", dims
  end
  if not field.lanes then return own.types[field.dtype][1] .. " ", dims end
  return ("%s%d "):format(own.types[field.dtype][2], table.remove(dims)), dims
end

local function member(field, name, own)
  local ctype, dims = element(field, own)
  local extents = #dims > 0 and "[" .. table.concat(dims, "][") .. "]" or ""
  return ("%s%s%s;\n"):format(ctype, name, extents)
end

-- The alignment of a field's C++ type, and the size of all its elements.
local function natural(field)
  local count = lists.product(field.dims or {}, 1, #(field.dims or {}))
  if type(field.dtype) ~= "string" then return field.dtype.align, count * field.dtype.size end
  local size = dtypes.of(field.dtype).size
  local lanes = (field.lanes or 3) == 3 and 1 or field.lanes
  return math.min(16, lanes * size), count * size
end

-- define(struct, list, own) appends the definitions of a struct and of nested structs, each once.
-- own: names (Struct -> C++ name of those already defined), name(struct) -> the C++ name for a new
-- one, tag and inner (what comes before the name of a struct, and of one in another), field(name,
-- k) -> the C++ name of field k, types (as TYPES).
function M.define(struct, list, own)
  if own.names[struct] then return end
  own.names[struct] = own.name(struct)
  local before, head, tail = M.placement(struct, natural)
  local lines = {}
  for k, field in ipairs(M.fields(struct)) do
    if type(field.dtype) ~= "string" then M.define(field.dtype, list, own) end
    lines[k] = "  " .. before[k] .. member(field, own.field(field.name, k), own)
  end
  local name = own.names[struct]
  list[#list + 1] = ("%s%s {\n%s%s};\n"):format(head, name, table.concat(lines), tail)
  list[#list + 1] = ("static_assert(sizeof(%s%s) == %d, \"size of %s\");\n"):format(own.tag, name,
    struct.size, name)
end

local function check_name(struct)
  if struct.name:find "^[%a_][%w_]*$" and struct.name ~= "struct" then return struct.name end
  fail(struct.name, "source: the struct has no name in C++: give cuda.struct one")
end

-- struct:source() -> its definition in C++, preceded by those of nested structs
function M.source(struct, ...)
  if core.type(struct) ~= "struct" then
    fail("source", "expected a Struct before the ':'")
  elseif select("#", ...) > 0 then fail(struct.name, "source: too many arguments") end
  local list = {}
  M.define(struct, list, { names = {}, name = check_name, types = M.TYPES, inner = "", tag = "",
    field = function(name) return name end })
  return table.concat(list)
end

return M
