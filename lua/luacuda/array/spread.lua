-- spread.lua: split_to and gather: an array in parts on several devices, and one array of parts
-- wherever they are. Each copy is work of a stream of the device that it goes to, and waits only
-- for work that uses its arrays.

local axes = require "luacuda.array.axes"
local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local split = require "luacuda.array.split"

local fail = arguments.fail

-- A list without holes of objects of a class, or nil.
local function is_list(value, class)
  if type(value) ~= "table" or #value == 0 then return false end
  for i = 1, #value do
    if core.type(value[i]) ~= class then return false end
  end
  return true
end

local function check_devices(devices)
  if not is_list(devices, "device") then
    fail("split_to", "argument 2 'devices': expected a list of Devices, got %s",
      arguments.describe(devices))
  end
  return devices
end

local function check_streams(streams, devices)
  if streams == nil then return {} end
  if not is_list(streams, "stream") or #streams ~= #devices then
    fail("split_to", "option 'streams': expected a list of %d Streams, one for each device",
      #devices)
  end
  for i, stream in ipairs(streams) do
    if stream.device ~= devices[i] then
      arguments.apart("split_to", ("option 'streams': item %d is"):format(i), stream.device,
        "the device", devices[i])
    end
  end
  return streams
end

-- What comes from a GPU into the CPU device's memory is work of the GPU, whose current stream does
-- it.
local function copy(dst, src, stream)
  if dst.size == 0 then return end
  local foreign = dst.device.kind == "cpu" and src.device ~= dst.device
  core.copy(dst, src, { stream = not foreign and stream or nil })
end

-- cuda.split_to(a, devices [, options]) -> a new array on each device
local function split_to(a, devices, given)
  a = arguments.array("split_to", 1, "a", a)
  check_devices(devices)
  local opts = arguments.options("split_to", given, { "axis", "streams" })
  local streams = check_streams(opts.streams, devices)
  if a.ndim == 0 then fail("split_to", "an array without axes cannot be split") end
  local axis = arguments.axis("split_to", opts.axis or 1, a.ndim)
  local parts = split.array_split(a, #devices, { axis = axis })
  for i, part in ipairs(parts) do
    local stream = streams[i]
    local own = core.empty(part.shape, a.dtype, { device = devices[i], stream = stream })
    copy(own, part, stream)
    parts[i] = own
  end
  return parts
end

-- The shape of all parts together.
local function joined_shape(parts, axis)
  local first, rows = parts[1], 0
  for i, part in ipairs(parts) do
    if part.dtype ~= first.dtype then
      fail("gather", "argument 1 'parts': item %d is %s, item 1 %s; convert it with :astype()", i,
        tostring(part.dtype), tostring(first.dtype))
    end
    local fits = part.ndim == first.ndim
    for d = 1, first.ndim do fits = fits and (d == axis or part.shape[d] == first.shape[d]) end
    if not fits then
      fail("gather", "argument 1 'parts': item %d of shape %s does not fit item 1 of shape %s", i,
        lists.shape_text(part.shape), lists.shape_text(first.shape))
    end
    rows = rows + part.shape[axis]
  end
  local shape = lists.copy(first.shape)
  shape[axis] = rows
  return shape
end

-- Option `out`, or a new array on the device of the option `device`, else of `stream`, else the
-- current one.
local function result(opts, shape, dtype)
  local out = opts.out
  if out == nil then
    return core.empty(shape, dtype, { device = opts.device, stream = opts.stream })
  end
  if arguments.open_type(out) ~= "array" or out.dtype ~= dtype
    or not lists.same(out.shape, shape) then
    fail("gather", "option 'out': expected an Array, %s %s, got %s", tostring(dtype),
      lists.shape_text(shape), arguments.describe(out))
  end
  if opts.device ~= nil and out.device ~= core.device(opts.device) then
    arguments.apart("gather", "option 'out' is", out.device, "option 'device'",
      core.device(opts.device))
  end
  return out
end

-- The parts, copies of those that share memory with `out`: it is written before all are read.
local function apart(parts, out, stream)
  local list = {}
  for i, part in ipairs(parts) do
    list[i] = operands.overlap(out, part) and part:copy { stream = stream } or part
  end
  return list
end

-- cuda.gather(parts [, options]) -> one array
local function gather(parts, given)
  parts = arguments.array_list("gather", 1, "parts", parts)
  local opts = arguments.options("gather", given, { "axis", "device", "out", "stream" })
  if parts[1].ndim == 0 then fail("gather", "arrays without axes cannot be joined") end
  local axis = arguments.axis("gather", opts.axis or 1, parts[1].ndim)
  local out = result(opts, joined_shape(parts, axis), parts[1].dtype)
  local first = 1
  for _, part in ipairs(apart(parts, out, opts.stream)) do
    local n = part.shape[axis]
    copy(axes.part(out, axis, { first, first + n - 1 }), part, opts.stream)
    first = first + n
  end
  return out
end

return { split_to = split_to, gather = gather }
