-- reduced.lua: reductions of traced values, which are results of a fused function.

local arguments = require "luacuda.base.arguments"
local number = require "luacuda.base.number"
local record = require "luacuda.fuse.trace_record"

local fail = arguments.fail

local nodes, value_of, shown, call_text = record.nodes, record.value_of, record.shown,
  record.call_text
local trace_of, check_operand, node_of = record.trace_of, record.check_operand, record.node_of

-- name -> the file that has it
local FILES = {}
for file, names in pairs {
  ["luacuda.array.reductions"] = "sum prod min max mean var std any all count_nonzero argmin "
    .. "argmax",
  ["luacuda.array.average"] = "ptp",
  ["luacuda.array.nan_reductions"] = "nansum nanprod nanmin nanmax nanmean nanvar nanstd nanargmin "
    .. "nanargmax",
} do
  for name in names:gmatch "%S+" do FILES[name] = file end
end

local function keys_of(reduction)
  local keys = { "axis", "keepdims" }
  if reduction.typed then keys[#keys + 1] = "dtype" end
  if reduction.ddof_of then keys[#keys + 1] = "ddof" end
  return keys
end

local function check_options(reduction, options)
  if options ~= nil and type(options) ~= "table" or nodes[options] then
    fail(reduction.name, "expected a table of options such as { axis = 1 }")
  end
  local kept, keys = {}, keys_of(reduction)
  for key, value in pairs(options or {}) do
    if key == "out" or key == "stream" then
      fail(reduction.name,
        "option '%s' is not possible inside a fused function: give it to the fused function itself",
        key)
    end
    if nodes[value] then
      fail(reduction.name,
        "option '%s': %s is an argument of the fused function; make it an upvalue or a constant",
        key, shown(value))
    end
    kept[key] = value
  end
  arguments.check_names(reduction.name, kept, keys)
  return kept
end

-- The declaration with ddof as a constant: a kernel takes only the arguments of the fused function.
local function with_ddof(made, ddof)
  made.post = made.post:gsub("%f[%w_]ddof%f[^%w_]", number.float_text(ddof))
  return made
end

-- describe(reduction, dtype, options) -> the declaration of a reduction (reductions.lua) of
-- elements of that dtype, and the options that remain for its call
local function describe(reduction, dtype, options)
  local what, kept = reduction.name, check_options(reduction, options)
  local made = reduction.make(what, dtype, kept.dtype, reduction.indexed)
  if reduction.ddof_of then made = with_ddof(made, reduction.ddof_of(what, kept)) end
  kept.dtype, kept.ddof = nil, nil
  return made, kept
end

-- The reduction of a traced value; `reduction` is its description in reductions.lua.
local function reduce(reduction, x, options)
  local what = reduction.name
  local trace = trace_of(what, { x }, 1)
  check_operand(what, 1, "a", x)
  local node = node_of(x)
  if node.host_kind then
    fail(what, "argument 1: expected an array, got the number %s", shown(x))
  end
  local made, kept = describe(reduction, node.dtype, options)
  return value_of { trace = trace, reduced = made, of = node, options = kept,
    shown = call_text(what, { x }) }
end

return { reduce = reduce, describe = describe, FILES = FILES }
