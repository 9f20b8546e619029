-- operands.lua: arrays that array functions read and write: the result, option `out`, values to
-- store.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"

local fail, describe = arguments.fail, arguments.describe
local same, shape_text = lists.same, lists.shape_text

-- Do several positions of the array share an element?
local function is_broadcast(a)
  if a.is_contiguous then return false end
  local shape = a.shape
  for d, stride in ipairs(a.size > 0 and a.strides or {}) do
    if stride == 0 and shape[d] > 1 then return true end
  end
  return false
end

-- An array without gaps: `a` itself, or a copy.
local function dense(a, stream)
  return a.is_contiguous and a or a:contiguous { stream = stream }
end

-- opts.out, which must have this shape (that of an array, or a list) and dtype, and be on the
-- device of `like`; without it a new array.
local function result(what, opts, shape, dtype, like)
  local out = opts.out
  if out == nil then return core.new(like, shape, dtype, opts.stream) end
  if core.type(shape) == "array" then shape = shape.shape end
  if arguments.open_type(out) ~= "array" then
    out = core.foreign(out) or fail(what, "option 'out': expected an Array, got %s", describe(out))
  end
  if out.dtype ~= dtype or not same(out.shape, shape) then
    fail(what, "option 'out': expected %s array of shape %s, got %s of shape %s", tostring(dtype),
      shape_text(shape), tostring(out.dtype), shape_text(out.shape))
  end
  if out.device ~= like.device then
    arguments.apart(what, "option 'out': it is", out.device, "the work", like.device)
  end
  if is_broadcast(out) then fail(what, "option 'out': a broadcast view cannot be written") end
  return out
end

-- Do two arrays overlap in memory? Decided by the ranges of bytes that they span.
local overlap = core.overlap

-- Calls fn(dst), which writes to `dst`: `out` itself or, where `out` has gaps or overlaps one of
-- `sources`, a temporary array that is then copied to `out`.
local function into(out, sources, stream, fn)
  local direct = out.is_contiguous
  for _, source in ipairs(sources) do direct = direct and not overlap(out, source) end
  if direct then return fn(out) end
  local temporary = core.new(out, out, out.dtype, stream)
  fn(temporary)
  out:set(temporary, { stream = stream })
  temporary:free()
end

-- The reason in a message of core, without position and name: the words after the argument.
local function reason(message)
  return message:match "'[%w_]+': (.*)$" or (message:gsub("^[^\n]-:%d+: ", ""))
end

-- Raises an error if elements of dtype `from` would lose imaginary parts as elements of `to`.
-- `label`: the subject of the message. Only astype drops imaginary parts.
local function keep_parts(what, label, from, to)
  local kind = dtypes.of(to).kind
  if dtypes.of(from).kind == "complex" and kind ~= "complex" and kind ~= "bool" then
    fail(what, "%s: %s loses the imaginary part of %s; a:real() returns the real parts", label, to,
      from)
  end
end

-- Values for the elements of `a`, argument `arg` called 'values': an array, a table, or one value.
-- Returns a contiguous array of a's dtype on its device; for one value its shape is {1}.
local function values(what, arg, given, a, stream)
  given = core.foreign(given) or given
  if arguments.open_type(given) == "array" then
    if not core.same_device(given, a) then
      arguments.apart(what, ("argument %d 'values': they are"):format(arg), given.device,
        "the array", a.device)
    end
    if given.dtype == a.dtype then
      return overlap(given, a) and given:copy { stream = stream } or dense(given, stream)
    end
    if type(a.dtype) ~= "string" or type(given.dtype) ~= "string" then
      fail(what, "argument %d 'values': %s elements do not convert to %s", arg,
        tostring(given.dtype), tostring(a.dtype))
    end
    keep_parts(what, ("argument %d 'values'"):format(arg), given.dtype, a.dtype)
    return given:astype(a.dtype, { stream = stream })
  end
  local ok, made
  if type(given) == "table" and type(a.dtype) == "string" then
    ok, made = pcall(core.array, given, a.dtype, { device = a.device, stream = stream })
  else
    made = core.new(a, 1, a.dtype, stream)
    local one = made
    ok, made = pcall(one.fill, one, given, { stream = stream })
  end
  if ok then return made end
  if type(made) ~= "string" or core.is_error(made) then error(made, 0) end
  fail(what, "argument %d 'values': %s", arg, reason(made))
end

return { is_broadcast = is_broadcast, dense = dense, result = result,
  overlap = overlap, into = into, reason = reason, keep_parts = keep_parts,
  values = values }
