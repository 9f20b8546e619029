-- join.lua: concatenate and stack. The parts are assigned to slices of the result, which converts
-- them and runs at the speed of copies.

local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"

local fail = arguments.fail

-- The dtype of the result.
local function result_dtype(what, list, opts)
  local kinds, struct = {}, nil
  for i, a in ipairs(list) do
    if a.device ~= list[1].device then
      fail(what, "argument 1 'arrays': item %d is on %s, item 1 on %s", i, tostring(a.device),
        tostring(list[1].device))
    end
    if type(a.dtype) == "string" then kinds[#kinds + 1] = a.dtype
    else struct = a.dtype end
  end
  if struct == nil then
    if opts.dtype ~= nil then return dtypes.normal(opts.dtype, what .. ": option 'dtype'") end
    return dtypes.result(kinds)
  end
  for i, a in ipairs(list) do
    if a.dtype ~= struct then
      fail(what, "argument 1 'arrays': item %d: %s does not combine with %s", i, tostring(a.dtype),
        tostring(struct))
    end
  end
  if opts.dtype ~= nil and opts.dtype ~= struct then
    fail(what, "option 'dtype': structs do not convert")
  end
  return struct
end

-- Checks that shapes are equal except in one axis (nil: in all). Returns a copy of the first.
local function check_shapes(what, list, axis)
  local first = list[1].shape
  for i = 2, #list do
    local shape = list[i].shape
    local fits = #shape == #first
    for d = 1, #first do fits = fits and (d == axis or shape[d] == first[d]) end
    if not fits then
      fail(what, "argument 1 'arrays': item %d of shape %s does not fit item 1 of shape %s", i,
        lists.shape_text(shape), lists.shape_text(first))
    end
  end
  return lists.copy(first)
end

-- The slice of `out` for a part along an axis: { first, last } or an index, as slice takes it.
local function part(out, axis, range)
  local ranges = {}
  for i = 1, axis - 1 do ranges[i] = {} end
  ranges[axis] = range
  return out:slice(table.unpack(ranges, 1, axis))
end

-- Assigns each array to its part; into a temporary array where `out` shares memory with a part.
local function assemble(out, list, stream, part_of)
  operands.into(out, list, stream, function(dst)
    for i, a in ipairs(list) do
      if a.size > 0 then
        local place = part_of(dst, i)
        place:set(a, { stream = stream })
        place:free()
      end
    end
  end)
  return out
end

local OPTIONS = { "axis", "out", "dtype", "stream" }

-- cuda.concatenate(arrays [, options])
local function concatenate(list, given)
  list = arguments.array_list("concatenate", 1, "arrays", list)
  local opts = arguments.options("concatenate", given, OPTIONS)
  local dtype = result_dtype("concatenate", list, opts)
  local ndim = list[1].ndim
  if ndim == 0 then
    fail("concatenate", "arrays without axes cannot be joined; cuda.stack adds an axis")
  end
  local axis = arguments.axis("concatenate", opts.axis or 1, ndim)
  local shape, ends, total = check_shapes("concatenate", list, axis), {}, 0
  for i, a in ipairs(list) do
    total = total + a.shape[axis]
    ends[i] = total
  end
  shape[axis] = total
  local out = operands.result("concatenate", opts, shape, dtype, list[1].device)
  return assemble(out, list, opts.stream,
    function(dst, i) return part(dst, axis, { (ends[i - 1] or 0) + 1, ends[i] }) end)
end

-- cuda.stack(arrays [, options])
local function stack(list, given)
  list = arguments.array_list("stack", 1, "arrays", list)
  local opts = arguments.options("stack", given, OPTIONS)
  local dtype = result_dtype("stack", list, opts)
  local shape = check_shapes("stack", list)
  local axis = arguments.axis("stack", opts.axis or 1, #shape + 1)
  table.insert(shape, axis, #list)
  local out = operands.result("stack", opts, shape, dtype, list[1].device)
  return assemble(out, list, opts.stream, function(dst, i) return part(dst, axis, i) end)
end

return { concatenate = concatenate, stack = stack }
