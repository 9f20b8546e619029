-- indices.lua: arguments that are indices of elements: checks, conversion to arrays, and reports of
-- kernels about wrong ones.

local core = require "luacuda.core"
local elements = require "luacuda.array.elements"
local FEW = require("luacuda.array.take_source").FEW
local MODES = require("luacuda.array.take_source").MODES
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local notes = require "luacuda.base.notes"
local operands = require "luacuda.base.operands"

local fail = arguments.fail

local INTEGER = {}
for _, name in ipairs(dtypes.of_kinds("int", "uint")) do INTEGER[name] = true end

-- uint64 indices as int64: no axis has 2^63 elements, so larger indices may become the largest
-- int64, or are wrapped here already.
local function narrow(given, m, mode, stream)
  local opts = { stream = stream }
  local fits = mode == "wrap" and given:mod(m, opts)
    or given:minimum(math.maxinteger, opts)
  local indices = fits:astype("int64", opts)
  fits:free()
  return indices
end

-- An integer array on the device of `a` for indices into m elements. `owned`: it was made here.
local function integers(what, arg, given, a, m, mode, stream)
  given = core.foreign(given) or given
  local kind = core.type(given)
  if kind == nil then
    local ok, made
    local list = type(given) == "table"
    if list then core.list_check(given, ("%s: argument %d 'indices'"):format(what, arg), what) end
    if list and next(given) == nil then
      ok, made = true, core.new(a, 0, "int64", stream)
    else ok, made = pcall(core.array, given, "int64", { device = a.device, stream = stream }) end
    if ok then return made, true end
    if type(made) ~= "string" or core.is_error(made) then error(made, 0) end
    fail(what, "argument %d 'indices': expected integers%s %s", arg, list and ":" or ", got",
      list and operands.reason(made) or arguments.describe(given))
  end
  given = arguments.array(what, arg, "indices", given)
  local dtype = given.dtype
  if not INTEGER[dtype] then
    fail(what, "argument %d 'indices': expected integers, got an array of %s", arg, tostring(dtype))
  end
  if not core.same_device(given, a) then
    arguments.apart(what, ("argument %d 'indices': they are"):format(arg), given.device,
      "the array", a.device)
  end
  if dtype == "uint64" then return narrow(given, m, mode, stream), true end
  return given, false
end

-- Integers as a contiguous int32 or int64 array.
local function dense(given, owned, stream)
  if given.dtype ~= "int32" and given.dtype ~= "int64" then
    return given:astype("int64", { stream = stream }), true
  end
  local made = operands.dense(given, stream)
  return made, owned or not rawequal(made, given)
end

-- Indices into m elements as a contiguous int32 or int64 array on the device of `a`. `owned`: it
-- was made here.
local function index_array(what, arg, given, a, m, mode, stream)
  local made, owned = integers(what, arg, given, a, m, mode, stream)
  return dense(made, owned, stream)
end

local function check_mode(what, mode)
  if mode == nil then return "raise" end
  if not MODES[mode] then
    fail(what, "option 'mode': expected 'raise', 'clip' or 'wrap', got %s",
      type(mode) == "string" and "'" .. mode .. "'" or type(mode))
  end
  return mode
end

-- Where mode "raise" stores a wrong index: 0, or its position from 1.
local function new_bad(mode, a)
  if mode ~= "raise" then return core.null end
  return notes.new(a.device, 0, "mode 'raise'")
end

-- Waits; raises when an index was outside of the axis.
local function check_bad(what, arg, bad, indices, owned, m)
  if rawequal(bad, core.null) then return end
  local at = notes.read(bad, indices.device)
  if at == 0 then return end
  local index = indices:reshape(indices.size):item(at)
  if owned then indices:free() end
  fail(what, "argument %d 'indices': %d (element %d) is outside an axis of %d elements (1 to "
    .. "%d, or -%d to -1); see option 'mode'",
    arg, index, at, m, m, m)
end

local function check_empty(what, arg, indices, m)
  if m == 0 and indices.size > 0 then
    fail(what, "argument %d 'indices': the axis is empty", arg)
  end
end

-- Raises for indices that are wrong for m elements.
local function check(what, indices, owned, m, stream)
  local bad = new_bad("raise", indices)
  elements.check(m, indices, bad, stream)
  check_bad(what, 2, bad, indices, owned, m)
end

-- The values of an update, as v or a copy of it: one, or one for each index in C order. `hint`:
-- advice to add to the error for any other number.
local function match_values(what, v, indices, hint, stream)
  if v.size == 1 or v.size == indices.size then return v end
  local ok, view = pcall(v.broadcast_to, v, indices.shape)
  if ok then return view:contiguous { stream = stream } end
  fail(what, "argument 3 'values': %d values of shape %s for %d indices of shape %s; expected one "
    .. "value, one for each index, or a shape that broadcasts to that of the indices%s", v.size,
    lists.shape_text(v.shape), indices.size, lists.shape_text(indices.shape), hint)
end

-- Does one block check these indices into `a` and write, both contiguous? Streams of other devices
-- are left to the general way, which refuses them.
local function is_few(indices, a, stream)
  local dtype = indices.dtype
  if stream ~= nil and stream.device ~= a.device then return false end
  return indices.size <= FEW and (dtype == "int64" or dtype == "int32") and indices.is_contiguous
    and a.is_contiguous and not a.is_readonly
end

return { is_few = is_few, integers = integers, dense = dense, array = index_array,
  check_mode = check_mode, match_values = match_values,
  check_empty = check_empty, check = check, new_bad = new_bad, check_bad = check_bad }
