-- elementwise_parts.lua: what all variants of an elementwise kernel share: numbers to tune,
-- parameters, the body as a function.

local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"
local raw_text = require "luacuda.builder.raw_text"
local struct_types = require "luacuda.builder.struct_types"
local origins = require "luacuda.source.origins"

-- Numbers to tune: everything about speed that the C engine does not choose.
local tuning = {
  block = 256,                  -- threads per block
  -- elements of a thread whose bodies are unrolled
  most_unrolled = 16,
  -- of short units, as of arrays that are not aligned: as many as make so many bytes
  flat_bytes = 16,
  most_units = 8,
  strided_units = 2,
  -- on the CPU device
  cpu_block = 32,
  cpu_units = 4,
  cpu_turns = 16,               -- of these units, one after the other
  cpu_tile_edge = 128,
  tile_edge = 32,               -- elements
  small_tile_edge = 64,         -- for elements of up to `small` bytes
  small = 2,
  tile_width = 32,              -- threads of a block side by side in a tile
  tile_bytes = 48 * 1024,       -- static shared memory of a block
}

-- Parameters --------------------------------------------------------------------------------------

-- The C++ type of a dtype; the name of a struct is its own type.
local function type_text(name)
  return dtypes.of(name) and prelude.cname(name) or name
end

-- Is a type defined before the preamble?
local function is_early(desc, name)
  return dtypes.of(name) ~= nil or desc.structs and desc.structs.defined[name] or false
end

-- The number of axes whose extents are passed for a raw array: the rank of its _lcu_raw. A use of
-- extents that was not detected does not compile.
local function raw_rank(state, given)
  return given.contiguous and not state.shaped and not given.hidden and -1 or given.ndim
end

-- One table per parameter: name, kind, class, rank (raw), type (C++ text), stored (the type that
-- loads use), size (bytes), plain (can it be in shared memory?), output, var (the kernel's
-- parameter), and j, the number of an array among the arrays.
local function parameters(state, desc)
  local list, arrays = {}, 0
  for k, given in ipairs(desc.params) do
    local row = dtypes.of(desc.types[k])
    local p = { name = state.params[k].variable or state.params[k].name, kind = given.kind,
      class = given.class,
      rank = raw_rank(state, given), contiguous = given.contiguous,
      type = state.params[k].handle or type_text(desc.types[k]),
      size = (row or given.struct or {}).size, output = k > state.nin and not given.hidden,
      var = "_p" .. k - 1 }
    p.stored = prelude.stored(p.type)
    p.qualified = p.output and p.type or "const " .. p.type
    p.plain = is_early(desc, desc.types[k])         -- a user's struct may have constructors
    if p.kind == "array" then
      p.j = arrays
      arrays = arrays + 1
    end
    list[k] = p
  end
  return list, arrays
end

local function map(list, fn)
  local out = {}
  for _, item in ipairs(list) do out[#out + 1] = fn(item) end
  return out
end

-- What the function of a text calls the number of elements. A parameter may hide `n`.
local function count_name(list)
  for _, p in ipairs(list) do
    if p.name == "n" then return "_lcu_n" end
  end
  return "n"
end

local function arrays_of(list)
  return map(list, function(p) return p.kind == "array" and p or nil end)
end

local function outputs_of(list)
  return map(list, function(p) return p.kind == "array" and p.output and p or nil end)
end

-- Text before the kernel --------------------------------------------------------------------------

local NO_STRUCTS = { definitions = "", checks = "", dtypes = {} }

local function uses(text, word) return text:find("%f[%w_]" .. word .. "%f[^%w_]") ~= nil end

-- The typedefs of placeholders: `early` ones before the preamble, which may use them; those of
-- structs that it defines after it. For a texture, the type is that of its handle.
local function placeholder_typedefs(state, desc, early)
  local lines, seen = {}, {}
  for k, p in ipairs(state.params) do
    local name, placeholder = desc.types[k], p.placeholder or p.alias
    if placeholder and not seen[placeholder] and is_early(desc, name) == early then
      seen[placeholder] = true
      lines[#lines + 1] = ("typedef %s %s;\n"):format(p.handle or type_text(name), placeholder)
    end
  end
  return table.concat(lines)
end

local NO_MACROS = { first = "", show = "", hide = "", last = "" }

-- A text of the user between the macros of the state (macros.lua), followed by what ends it. A
-- string is text of the library.
local function quoted(state, origin, after)
  if type(origin) == "string" then return origin .. (after or "") end
  local macros = state.macros or NO_MACROS
  return macros.show .. origins.quoted(origin, after) .. macros.hide
end

-- The preamble, the first of the user's texts, if any.
local function preamble(state)
  if type(state.preamble) == "string" then return state.preamble end
  local macros = state.macros or NO_MACROS
  return macros.first .. (state.preamble and origins.quoted(state.preamble) or "") .. macros.hide
end

-- user_types(state, desc) -> the text from the functions in Lua on: structs, placeholders, preamble
local function user_types(state, desc)
  local structs = desc.structs or NO_STRUCTS
  return table.concat { state.functions or "", structs.definitions,
    placeholder_typedefs(state, desc, true), preamble(state), structs.checks,
    placeholder_typedefs(state, desc, false) }
end

-- Ends the macros after the last of the user's texts.
local function last_macros(state) return (state.macros or NO_MACROS).last end

-- A C++ type that the user wrote, as `name`.
local function typedef(state, text, name)
  local macros = state.macros or NO_MACROS
  return ("%stypedef %s %s;\n%s"):format(macros.show, text, name, macros.hide)
end

local function raw_type(p)
  return ("_lcu_raw<%s%s, %d, %s>"):format(p.output and "" or "const ", p.stored, p.rank,
    p.contiguous)
end

local function kernel_parameter(p)
  if p.kind == "array" then return ("%s *%s"):format(p.qualified, p.var) end
  if p.kind == "raw" then return ("const %s %s"):format(raw_type(p), p.var) end
  return ("const %s %s"):format(p.type, p.var)
end

local function kernel_head(state, list, threads)
  local parts = map(list, kernel_parameter)
  parts[#parts + 1] = "const _lcu_plan _plan"
  return ("__global__ void __launch_bounds__(%d) %s(%s) {\n"):format(threads, state.name,
    table.concat(parts, ", "))
end

-- all_types(state, desc) -> the dtypes of the parameters and of fields, and those that the text
-- uses besides; the library's own kernels list these in `mentioned`.
local function all_types(state, desc)
  local list = table.move(desc.types, 1, #desc.types, 1, {})
  for _, more in ipairs { state.mentioned or {}, (desc.structs or NO_STRUCTS).dtypes } do
    table.move(more, 1, #more, #list + 1, list)
  end
  return list
end

-- name_structs(state, desc) puts the C++ names of structs into the types of a description, and
-- `structs` (struct_types.lua), which declares them.
local function name_structs(state, desc)
  local given = {}
  for k, p in ipairs(desc.params) do given[k] = p.struct end
  local structs = state.texts and struct_types.of(state, desc.types, given, function()
    return prelude.text(all_types(state, desc)) .. placeholder_typedefs(state, desc, true)
      .. preamble(state) .. last_macros(state)
  end)
  if structs then desc.types, desc.structs = structs.types, structs end
end

-- The numbers of the layout, then the extents of the call where the body asks for them. The
-- functions are for code between macros of the user.
local function plan_type(desc, size)
  local axes = desc.axes or 0
  return ("struct _lcu_plan {\n  long long v[%d];\n"
    .. "  __device__ __forceinline__ long long _n() const { return v[0]; }\n"
    .. "  __device__ __forceinline__ const long long *_shape() const { return v + %d; }\n};\n")
    :format(size + axes, size)
end

local function index_type(state, desc)
  if not state.uses_ind then return "" end
  return desc.axes and raw_text.INDEX or raw_text.SIZE
end

-- The text before the body.
local function head(state, desc, list, plan_size)
  local has_raw = false
  for _, p in ipairs(list) do has_raw = has_raw or p.kind == "raw" end
  return table.concat {
    prelude.text(all_types(state, desc)), has_raw and raw_text.RAW or "", index_type(state, desc),
    plan_type(desc, plan_size), user_types(state, desc),
  }
end

return {
  tuning = tuning, parameters = parameters, map = map, count_name = count_name,
  arrays_of = arrays_of, outputs_of = outputs_of, kernel_head = kernel_head, head = head,
  uses = uses, raw_rank = raw_rank, RAW = raw_text.RAW, type_text = type_text, raw_type = raw_type,
  quoted = quoted, preamble = preamble, last_macros = last_macros, typedef = typedef,
  user_types = user_types, all_types = all_types, name_structs = name_structs,
}
