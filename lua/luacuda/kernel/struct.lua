-- struct.lua: struct types with C's layout, declared by cuda.struct or reported by the compiler.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local c_types = require "luacuda.base.c_types"
local dtypes = require "luacuda.base.dtypes"
local reflect = require "luacuda.compile.reflect"
local struct_source = require "luacuda.kernel.struct_source"
local fields_of = require("luacuda.source.fields").of

local fail = arguments.fail

local VECTORS = c_types.vectors

local function dtype_row(name) return dtypes.of(c_types.names[name] or name) end

local function known_types()
  local names = { "pointer" }
  for _, row in ipairs(dtypes.list) do
    names[#names + 1], names[#names + 2] = row.name, row.short
  end
  for name in pairs(VECTORS) do
    for lanes = 2, 4 do names[#names + 1] = name .. lanes end
  end
  return names
end

-- "float4" -> the parts of a field with size and alignment in bytes; nil for other names.
local function vector_type(name)
  local base, lanes = name:match("^(%l+)([234])$")
  local row = base and VECTORS[base]
  if not row then return nil end
  lanes = tonumber(lanes)
  local element = dtype_row(row[1])
  local align = lanes == 2 and row[2] or lanes == 4 and row[3] or element.size
  return { dtype = row[1], lanes = lanes, size = element.size * lanes, align = align }
end

local function pointer_type(name)
  local target = name:match("^(.-)%s*%*$")
  if name ~= "pointer" and not target then return nil end
  local plain, const = target or "void", false
  plain = plain:gsub("^const%s+", function() const = true return "" end):gsub("%s+$", "")
  local row = plain ~= "void" and dtype_row(plain) or nil
  return { dtype = "uint64", pointer = true, const = const, pointee = row and row.name, size = 8,
    align = 8 }
end

-- The type of a field: a dtype, a vector type, "pointer" or "T *", or another Struct.
local function field_type(what, name, given)
  if core.type(given) == "struct" then
    return { dtype = given, size = given.size, align = given.align }
  end
  if type(given) ~= "string" then
    fail(what, "field '%s': expected a type (a name or a Struct), got %s", name, type(given))
  end
  local row = dtype_row(given)
  if row then return { dtype = row.name, size = row.size, align = row.align or row.size } end
  local found = vector_type(given) or pointer_type(given)
  if found then return found end
  fail(what, "field '%s': unknown type '%s'%s", name, given, core.near(given, known_types()))
end

local function field_dims(what, name, given)
  if given == nil then return nil end
  local list = type(given) == "table" and given or { given }
  core.list_check(list, ("%s: field '%s'"):format(what, name))
  if #list == 0 or #list > 4 then
    fail(what, "field '%s': expected 1 to 4 extents", name)
  end
  local dims = {}
  for i, n in ipairs(list) do
    dims[i] = math.type(n) and math.tointeger(n)
    if not dims[i] or dims[i] < 1 or dims[i] > 0x7fffffff then
      fail(what, "field '%s': expected positive integers as extents, got %s", name, tostring(n))
    end
  end
  return dims
end

-- { "x", "float32" }, { "m", "float32", { 3, 4 } } or { name = "x", dtype = "float32", count = 4 }
local function read_field(what, i, given)
  if type(given) ~= "table" then
    fail(what, "field %d: expected { name, type }, got %s", i, type(given))
  end
  local name, kind, count = given[1] or given.name, given[2] or given.dtype, given[3] or given.count
  if type(name) ~= "string" or name == "" then
    fail(what, "field %d: expected a name (string), got %s", i, type(name))
  end
  arguments.whole_text(what, ("field %d: the name"):format(i), name)
  return name, field_type(what, name, kind), field_dims(what, name, count)
end

local function round_up(n, align) return (n + align - 1) // align * align end

-- Adds a field to the list that core.struct_new takes; returns its whole size in bytes.
local function add_field(list, name, kind, dims, offset)
  local all = dims and table.move(dims, 1, #dims, 1, {}) or {}
  local size = kind.size
  for _, n in ipairs(all) do size = size * n end
  if kind.lanes then all[#all + 1] = kind.lanes end
  list[#list + 1] = { name = name, dtype = kind.dtype, offset = offset, dims = #all > 0 and all
    or nil, lanes = kind.lanes,
    pointer = kind.pointer, const = kind.const, pointee = kind.pointee }
  return size
end

local MAX_SIZE = 0x7fffffff

local function layout_fields(what, fields)
  core.list_check(fields, what .. ": fields")
  local list, seen, at, align = {}, {}, 0, 1
  for i, given in ipairs(fields) do
    local name, kind, dims = read_field(what, i, given)
    if seen[name] then fail(what, "field '%s' is declared twice", name) end
    seen[name] = true
    at = round_up(at, kind.align)
    align = math.max(align, kind.align)
    at = at + add_field(list, name, kind, dims, at)
    if at > MAX_SIZE then fail(what, "the struct is too large") end
  end
  if #list == 0 then
    fail(what, "expected a list of fields such as { \"x\", \"float32\" }")
  end
  return list, round_up(at, align), align
end

-- Declared structs by name, for parameters of that class.
local declared = {}

-- cuda.struct([name,] { { "x", "float32" }, { "v", "float4" }, { "m", "float32", { 3, 4 } }, {
-- "next", "pointer" }, ... }) -> Struct
local function struct(name, fields)
  if fields == nil then name, fields = nil, name end
  if name ~= nil and type(name) ~= "string" then
    core.misuse(("struct: expected a name (string), got %s"):format(type(name)))
  end
  if name then arguments.whole_text("struct", "the name", name) end
  if type(fields) ~= "table" then
    core.misuse(("struct: expected a list of fields, got %s"):format(type(fields)))
  end
  local what = name and "struct " .. name or "struct"
  local list, size, align = layout_fields(what, fields)
  local made = core.struct_new(name or "struct", size, align, list)
  if name then declared[name] = made end
  return made
end

-- Values ------------------------------------------------------------------------------------------

local methods, _, Struct = core.class "Struct"

methods.source = struct_source.source

-- struct(value) -> a new Record in host memory, from a table or bytes
function Struct.__call(made, value, ...)
  if select("#", ...) > 0 then fail(made.name, "expected one value, a table or bytes") end
  local bytes = type(value) == "string" and #value == made.size and value or made:pack(value)
  return core.array(bytes, made, { device = "cpu" })[1]
end

-- Layouts from the compiler -----------------------------------------------------------------------

local from_compiler

local function reported_type(spec, info, inner)
  if info.kind == "pointer" then
    local plain = info.indirections == 1 and info.lanes == 1
    return { dtype = "uint64", pointer = true, const = info.const, pointee = plain and info.dtype
      or nil, size = 8 }
  end
  if info.kind == "number" then
    return { dtype = info.dtype, lanes = info.lanes > 1 and info.lanes or nil, size = info.size }
  end
  inner = inner or { class = info.class }
  local made = from_compiler(spec, inner.class, inner.names)
  return made and { dtype = made, size = made.size }
end

-- The integers of that size, for enumerations.
local BY_SIZE = { [1] = "int8", [2] = "int16", [4] = "int32", [8] = "int64" }

local ENUMS = { "enum%s+class%s+", "enum%s+struct%s+", "enum%s+" }

-- Does the text define the enumeration, and does it give its type (`enum E : short`)?
local function is_enum(text, class)
  local plain = class:match("([%w_]+)$")
  if not plain then return false end
  for _, head in ipairs(ENUMS) do
    local colon = text:match(head .. plain .. "%f[^%w_]%s*(:?)")
    if colon then return true, colon == ":" end
  end
  return text:find("typedef%s+enum[^;]-{[^}]*}%s*" .. plain .. "%s*;") ~= nil, false
end

-- enum(spec, class) -> the dtype of the enumeration as the compiler lays it out, nil where it is
-- not known; does the source choose that type? Others are at least as wide as int.
local function enum(spec, class)
  local carrier = reflect.enum(spec, class)
  local info = carrier and core.type_info(carrier)
  if not info or info.kind ~= "number" then return nil, false end
  local _, chosen = is_enum(spec.text or "", class)
  return info.dtype, chosen or info.size < 4
end

-- The dtype for a field of an enumeration of that size.
local function enum_of_field(spec, class, size)
  local known, chosen = is_enum(spec.text, class)
  if not known then return nil end
  return chosen and enum(spec, class) or BY_SIZE[size]
end

local function reported_field(spec, list, field)
  local info = core.type_info(field.type)
  if not info or #info.dims > 3 then return false end
  local kind = reported_type(spec, info, field.inner)
  if not kind then
    local count = 1
    for _, n in ipairs(info.dims) do count = count * n end
    local dtype = enum_of_field(spec, info.class, field.size // count)
    if not dtype then return false end
    kind = { dtype = dtype, size = field.size // count }
  end
  return add_field(list, field.name, kind, #info.dims > 0 and info.dims or nil, field.offset)
    == field.size
end

local reported = setmetatable({}, { __mode = "k" }) -- spec -> class -> Struct or false

-- The struct of that name, or with the fields of those names, as the compiler lays it out; nil
-- where it cannot be read.
function from_compiler(spec, class, names)
  if not spec.text then return nil end
  local known = reported[spec]
  if not known then
    known = {}
    reported[spec] = known
  end
  if known[class] ~= nil then return known[class] or nil end
  known[class] = false
  local layout = reflect.struct(spec, class, names)
  if not layout then return nil end
  local list = {}
  for _, field in ipairs(layout.fields) do
    if not reported_field(spec, list, field) then return nil end
  end
  local name = class:gsub("luacuda_unnamed<decltype%(", ""):gsub("%)>::type", "")      -- "S::field"
  local made = core.struct_new(name, layout.size, layout.align, list)
  known[class] = made
  return made
end

-- layout(spec, class) -> Struct; "enum" and what enum returns; nil when neither the compiler nor a
-- declaration describes the class. A declaration applies to all modules by its name; where the
-- layout of the compiler differs, it describes the struct of another module.
local function layout(spec, class)
  if spec.text and is_enum(spec.text, class) then return "enum", enum(spec, class) end
  local theirs = from_compiler(spec, class)
  local mine = declared[class] or declared[class:match "[%w_]+$"]
  if mine and theirs and core.struct_difference(mine, theirs) then return theirs end
  return mine or theirs
end

-- of_variable(spec, name) -> the Struct of a variable whose struct has no name; nil when it is not
-- such a variable
local function of_variable(spec, name)
  local names = spec.text and fields_of(spec.text, name)
  return names and from_compiler(spec, ("luacuda_unnamed<decltype(%s)>::type"):format(name), names)
end

return { struct = struct, layout = layout, enum = enum, of_variable = of_variable }
