-- scan_call.lua: the arguments of a scan's call: their kinds, their common shape, and arrays that
-- the kernels can take. Messages begin with `what`. A scan's state has list (parameters, inputs
-- first), nin and nout.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local type_text = require("luacuda.builder.elementwise_parts").type_text
local params = require "luacuda.builder.params"
local prelude = require "luacuda.builder.prelude"
local plan = require "luacuda.builder.scan_plan"

local fail, describe, same_list, shape_text = arguments.fail, arguments.describe, lists.same,
  lists.shape_text

local OPTIONS = { "axis", "out", "stream", "exclusive", "segments" }

-- Reading -----------------------------------------------------------------------------------------

local function dtype_name(array)
  return type(array.dtype) == "string" and array.dtype or array.dtype.name
end

-- The kind of an argument, for types.resolve.
local function kind_of(what, k, p, v)
  local class = arguments.open_type(v)
  if class == "array" then return v.dtype end
  if p.raw then
    fail(what, "argument %d '%s': expected an Array (%s), got %s", k, p.name, params.declaration(p),
      describe(v))
  end
  if class == "scalar" then return "=" .. v.dtype end
  if class == "complex" then return "complex" end
  local kind = math.type(v) == "integer" and "int" or math.type(v)
    or type(v) == "boolean" and "=bool"
  return kind or fail(what, "argument %d '%s': expected an Array or a number, got %s", k, p.name,
    describe(v))
end

-- The outputs that are given, after the inputs or as option `out`.
local function outputs_given(what, state, args, count, options)
  if count > state.nin then
    if options.out ~= nil then
      fail(what, "outputs are given twice: as arguments and as option 'out'")
    end
    return table.move(args, state.nin + 1, count, 1, {})
  end
  local out = options.out
  if out == nil then return {} end
  if type(out) ~= "table" then out = { out } end
  if #out ~= state.nout then
    fail(what, "option 'out': expected %s, got %d",
      state.nout == 1 and "an Array" or ("a list of %d Arrays"):format(state.nout), #out)
  end
  return out
end

local function output_kind(what, k, p, v)
  if v == nil and p.raw then fail(what, "output '%s' is raw: give an Array for it", p.name) end
  if v == nil then return false end
  if core.type(v) ~= "array" then
    fail(what, "output '%s': expected an Array, got %s", p.name, describe(v))
  end
  return kind_of(what, k, p, v)
end

local function check_count(what, state, count)
  if count == state.nin or count == state.nin + state.nout then return end
  fail(what, "expected %d argument%s (with outputs %d) and a table of options, got %d arguments",
    state.nin, state.nin == 1 and "" or "s", state.nin + state.nout, count)
end

-- The options with arrays in place of objects of other libraries.
local function with_arrays(options)
  local out, segments = core.foreign(options.out), core.foreign(options.segments)
  if not out and not segments then return options end
  local copy = {}
  for k, v in pairs(options) do copy[k] = v end
  copy.out, copy.segments = out or options.out, segments or options.segments
  return copy
end

-- call.read(what, state, ...) -> options, the values of all parameters (false: an output to make),
-- their kinds
local function read(what, state, ...)
  local args, options = table.pack(...), nil
  local count = args.n
  for k = 1, count do args[k] = core.foreign(args[k]) or args[k] end
  if count > state.nin and (args[count] == nil or type(args[count]) == "table") then
    options, count = args[count], count - 1
  end
  options = with_arrays(arguments.options(what, options, OPTIONS))
  check_count(what, state, count)
  local values, kinds = {}, {}
  for k = 1, state.nin do
    values[k], kinds[k] = args[k], kind_of(what, k, state.list[k], args[k])
  end
  local out = outputs_given(what, state, args, count, options)
  for k = state.nin + 1, state.nin + state.nout do
    local v = out[k - state.nin]
    v = core.foreign(v) or v
    values[k], kinds[k] = v or false, output_kind(what, k, state.list[k], v)
  end
  return options, values, kinds
end

-- Shape -------------------------------------------------------------------------------------------

-- The shape that two shapes broadcast to, or nil.
local function join(a, b)
  if #a < #b then a, b = b, a end
  local joined, shift = {}, #a - #b
  for d, x in ipairs(a) do
    local y = d > shift and b[d - shift] or 1
    if x ~= y and x ~= 1 and y ~= 1 then return nil end
    joined[d] = x == 1 and y or x
  end
  return joined
end

-- The shape that the inputs broadcast to.
local function broadcast(what, state, values)
  local shape
  for k = 1, state.nin do
    local p, v = state.list[k], values[k]
    if not p.raw and core.type(v) == "array" then
      local own = v.shape
      shape = join(shape or own, own)
        or fail(what, "argument %d '%s': shape %s does not broadcast with %s", k, p.name,
        shape_text(own), shape_text(shape))
    end
  end
  return shape or fail(what, "all inputs are numbers: at least one must be an Array")
end

local function check_segments(what, segments, shape)
  if segments == nil then return end
  local kind = core.type(segments) == "array" and dtypes.of(dtype_name(segments))
  if not kind or kind.kind == "float" or kind.kind == "complex" then
    fail(what, "option 'segments': expected an Array of bool or integers, got %s",
      kind and kind.name .. " array" or describe(segments))
  end
  if not same_list(segments.shape, shape) then
    fail(what, "option 'segments': expected shape %s, got %s", shape_text(shape),
      shape_text(segments.shape))
  end
end

-- The device of all arrays; raises where they are on different ones.
local function find_device(what, state, values, segments)
  local device, by
  local function visit(label, v)
    if core.type(v) ~= "array" then return end
    if device and v.device ~= device then
      arguments.apart(what, ("'%s' is"):format(label), v.device, ("'%s'"):format(by), device)
    end
    device, by = device or v.device, by or label
  end
  for k, v in ipairs(values) do visit(state.list[k].name, v) end
  visit("segments", segments)
  return device
end

-- call.job(what, state, values, options) -> { shape (of the inputs), out_shape, size, axis, flatten
-- (inputs are taken as one axis), extents (scan_plan), device, stream }
local function job(what, state, values, options)
  local shape = broadcast(what, state, values)
  check_segments(what, options.segments, shape)
  local axis = options.axis and arguments.axis(what, options.axis, #shape)
  local j = { shape = shape, stream = options.stream, size = 1,
    flatten = axis == nil and #shape ~= 1, axis = axis or 1 }
  for _, extent in ipairs(shape) do j.size = j.size * extent end
  j.out_shape = j.flatten and { j.size } or shape
  j.extents = plan.extents(j.out_shape, j.axis)
  j.device = find_device(what, state, values, options.segments)
  return j
end

-- Arrays for the kernels --------------------------------------------------------------------------

-- Does writing `out` change elements of `input` that are read later? It does not where each element
-- has the same address in both.
local function disturbs(out, input)
  if not operands.overlap(out, input) then return false end
  return not (out.pointer == input.pointer and out.nbytes == input.nbytes
    and same_list(out.shape, input.shape)
    and same_list(out.strides, input.strides))
end

-- An input of the full shape, and its layout: a view of the given array, or a copy where the
-- kernels cannot take the view.
local function stage_input(array, j, outs)
  array = array:broadcast_to(j.shape)
  if j.flatten then
    if not array.is_contiguous then array = array:copy { stream = j.stream } end
    array = array:reshape { j.size }
  end
  local lay, copy_first = plan.layout(array, j.axis, j.extents)
  for _, out in ipairs(outs) do copy_first = copy_first or disturbs(out, array) end
  if not copy_first then return array, lay end
  array = array:copy { stream = j.stream }
  return array, plan.layout(array, j.axis, j.extents)
end

local function check_output(what, name, array, shape)
  if not same_list(array.shape, shape) then
    fail(what, "output '%s': expected shape %s, got %s", name, shape_text(shape),
      shape_text(array.shape))
  end
  for d, stride in ipairs(array.strides) do
    if stride == 0 and shape[d] > 1 then
      fail(what, "output '%s': a broadcast view cannot be written", name)
    end
  end
end

-- The array that an output is written to, and its layout: the given array where the kernels can
-- write it directly, else a new one.
local function stage_output(what, p, given, dtype, j)
  if given then
    check_output(what, p.name, given, j.out_shape)
    local lay = plan.layout(given, j.axis, j.extents)
    if lay then return given, lay end
  end
  local array = core.empty(j.out_shape, dtype, { device = j.device, stream = j.stream })
  return array, plan.layout(array, j.axis, j.extents)
end

-- The two numbers of the plan that hold a scalar.
local function scalar_bytes(what, k, p, dtype, value)
  local ok, typed = pcall(core[dtype], value)
  if not ok then
    local message = tostring(typed)
    fail(what, "argument %d '%s': %s", k, p.name, message:match "'value': (.*)$" or message)
  end
  local v, kind = typed.value, dtypes.of(dtype).kind
  if kind == "float" then return ("di8"):pack(v, 0) end
  if kind == "complex" then return ("dd"):pack(v.re, v.im) end
  if kind == "bool" then v = v and 1 or 0 end
  return ("i8i8"):pack(v, 0)
end

-- A raw array: its rank and, as numbers of the plan, its size, extents and strides.
local function raw_parameter(q, array)
  local numbers = { array.size, table.unpack(array.shape) }
  table.move(array.strides, 1, array.ndim, #numbers + 1, numbers)
  q.array, q.class, q.rank, q.contiguous = array, "raw", array.ndim, array.is_contiguous
  q.bytes = ("i8"):rep(#numbers):pack(table.unpack(numbers))
  return q
end

local function output_parameter(what, p, given, dtype, ctype, j)
  local q = { name = p.name, ctype = ctype, output = true }
  if p.raw then return raw_parameter(q, given) end
  q.array, q.lay = stage_output(what, p, given, dtype, j)
  return q
end

local function input_parameter(what, k, p, given, dtype, ctype, j, outs)
  local q = { name = p.name, ctype = ctype }
  if p.raw then return raw_parameter(q, given) end
  if core.type(given) == "array" then q.array, q.lay = stage_input(given, j, outs)
  else
    q.class, q.kind, q.bytes = "scalar", dtypes.of(dtype).kind,
      scalar_bytes(what, k, p, dtype, given)
  end
  return q
end

local function size_of(dtype)
  return type(dtype) == "string" and dtypes.of(dtype).size or dtype.size
end

-- call.stage(what, state, values, types, names, segments, j) -> the parameters of the kernel (for
-- scan_plan and scan_source; `array` is what to pass, `bytes` what the plan holds of a scalar or
-- raw array), the arrays that the call returns, and copies to make afterwards: { to, from }.
-- names: the types, with the C++ names of structs
local function stage(what, state, values, types, names, segments, j)
  local list, results, copies, outs = {}, {}, {}, {}
  for k = 1, state.nout do
    local at = state.nin + k
    local given = values[at] or nil
    list[at] = output_parameter(what, state.list[at], given, types[at], type_text(names[at]), j)
    outs[k], results[k] = list[at].array, given or list[at].array
    if results[k] ~= outs[k] then copies[#copies + 1] = { results[k], outs[k] } end
  end
  for k = 1, state.nin do
    list[k] = input_parameter(what, k, state.list[k], values[k], types[k], type_text(names[k]), j,
      outs)
  end
  if segments then
    local q = { name = "segments", segments = true, ctype = prelude.cname(segments.dtype) }
    q.array, q.lay = stage_input(segments, j, outs)
    list[#list + 1] = q
  end
  for index, q in ipairs(list) do
    q.index = index
    if q.lay then q.pointer, q.size = q.array.pointer, size_of(q.array.dtype) end
  end
  return list, results, copies
end

-- call.add_hidden(list, hiddens, arrays) appends the arrays that an instance (instances.lua) takes
-- to the parameters of the kernel.
local function add_hidden(list, hiddens, arrays)
  for k, hidden in ipairs(hiddens) do
    local q = { name = hidden.name, ctype = type_text(hidden.dtype), index = #list + 1 }
    list[q.index] = raw_parameter(q, arrays[k])
  end
end

return { read = read, job = job, stage = stage, add_hidden = add_hidden }
