-- structs.lua: elements of arrays of structs. Such an element is an array without axes, a reference
-- as a Record is. Its fields are values or references: nested structs, vectors and arrays.

local core = require "luacuda.core"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local struct_source = require "luacuda.kernel.struct_source"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local unfolded = nodes.unfolded

local M = {}

-- Is it an element of an array of structs?
function M.is_record(t)
  return types.is_array(t) and t.ndim == 0 and type(t.dtype) ~= "string"
end

-- The struct itself, as a value.
function M.value(e)
  if not M.is_record(e.type) then return e end
  return nodes.load(types.struct(e.type.dtype), unfolded(e))
end

local function field_named(ctx, node, struct, name)
  local names = {}
  for k, field in ipairs(struct_source.fields(struct)) do
    if field.name == name then return field end
    names[k] = field.name
  end
  report.fail(ctx, node, "the struct '%s' has no field '%s'%s", struct.name, name,
    core.near(name, names, struct.name))
end

-- Does a packed struct, or one around it, put a member where its type is not aligned?
local function is_loose(e, field)
  local struct, own = e.type.dtype, field.dtype
  local align = type(own) == "string" and dtypes.of(own).size or own.align
  return field.offset % align ~= 0 or struct.align % align ~= 0 or unfolded(e).loose ~= nil
end

-- A pointer to such a member would be used as if it were aligned; its elements are not.
function M.check_pointer(e)
  if e.loose then
    report.fail(e.loose.ctx, e.loose.node, "'%s' of a packed struct is not aligned for its type, "
      .. "so only its elements can be used: write them one by one", e.loose.name)
  end
end

-- field(ctx, node, e, name) -> the field of an element of an array of structs
function M.field(ctx, node, e, name)
  local field = field_named(ctx, node, e.type.dtype, name)
  if field.pointer then
    report.fail(ctx, node, "'%s' is a pointer, which kernels in Lua cannot follow", name)
  end
  local place = M.value(e)
  if not field.dims and type(field.dtype) == "string" then
    return nodes.field(field.dtype, place, name .. "_")
  end
  local t = types.array{ dtype = field.dtype, ndim = #(field.dims or {}), layout = "contiguous",
    shape = field.dims, space = field.lanes and "vector" or "member" }
  return { op = "member", type = t, a = place, name = name .. "_", origin = e.origin,
    effect = place.effect,
    loose = is_loose(e, field) and { ctx = ctx, node = node, name = name } or nil }
end

local LANES = { x = 1, y = 2, z = 3, w = 4 }

-- lane(e, name) -> the element that `v.x` stands for where v is a vector in a struct, or nil
function M.lane(e, name)
  local at = e.type.space == "vector" and LANES[name]
  if not at or e.type.ndim > 1 or at > e.type.shape[1] then return nil end
  local array, indices = unfolded(e)
  indices[#indices + 1] = nodes.literal(at)
  return nodes.load(types.element(e.type.dtype), array, indices)
end

-- C++ ---------------------------------------------------------------------------------------------

local function count_of(field) return lists.product(field.dims or {}, 1, #(field.dims or {})) end

-- The alignment and the size of a field's type here: lanes are elements of a list.
local function natural(field)
  if type(field.dtype) ~= "string" then
    return field.dtype.align, count_of(field) * field.dtype.size
  end
  local size = dtypes.of(field.dtype).size
  return size, count_of(field) * size
end

-- text(unit, struct, name) -> its definition in C++
function M.text(unit, struct, name)
  local before, head, tail = struct_source.placement(struct, natural)
  local lines = {}
  for k, field in ipairs(struct_source.fields(struct)) do
    unit:mention(field.dtype)
    local ctype = type(field.dtype) == "string" and field.dtype or unit:struct_name(field.dtype)
    local count = count_of(field)
    lines[k] = ("  %s%s %s_%s;\n"):format(before[k], ctype, field.name,
      count > 1 and ("[%d]"):format(count) or "")
  end
  return ("%s%s {\n%s%s};\n"):format(head, name, table.concat(lines), tail)
end

return M
