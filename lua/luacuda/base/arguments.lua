-- arguments.lua: arguments of the array functions that are written in Lua: arrays, axes, options, `out`.

local core = require "luacuda.core"

-- fail("sort", "axis %d ...", 3) raises "sort: axis 3 ..." at the user's position.
local function fail(what, ...) core.misuse(what .. ": " .. (...):format(select(2, ...))) end

local function describe(value)
  local kind = core.type(value)
  if kind then return kind end
  if type(value) == "number" or type(value) == "boolean" then return tostring(value) end
  return type(value)
end

-- An open array, argument `arg` called `name` (0: that before the ':'); returns it.
local function array(what, arg, name, value)
  local kind = core.type(value)
  if kind == "array" then return value end
  if kind == "closed array" then core.misuse "attempt to use a closed Array" end
  if arg == 0 then fail(what, "expected Array before the ':', got %s", describe(value)) end
  fail(what, "argument %d '%s': expected an Array, got %s", arg, name, describe(value))
end

-- The list of arrays `value`, argument `arg` called `name`, of the function `what`: without holes, and no options among them.
local function array_list(what, arg, name, value)
  local label = ("argument %d '%s'"):format(arg, name)
  if type(value) ~= "table" then
    fail(what, "%s: expected a list of Arrays, got %s: %s({ a, b }), with options after the list", label, describe(value), what)
  end
  if core.list_check(value, what .. ": " .. label, what) == 0 then fail(what, "%s: the list is empty", label) end
  for i = 1, #value do
    local kind = core.type(value[i])
    if kind == "closed array" then core.misuse "attempt to use a closed Array" end
    if kind ~= "array" then fail(what, "%s: item %d: expected an Array, got %s", label, i, describe(value[i])) end
  end
  return value
end

-- The options table `given` (nil: none), whose keys must be in the list `names`; `stream` is a stream.
local function options(what, given, names)
  if given == nil then return {} end
  if type(given) ~= "table" then fail(what, "expected a table of options, got %s", describe(given)) end
  for key in pairs(given) do
    local known = false
    for _, name in ipairs(names) do known = known or name == key end
    if not known then fail(what, "unknown option '%s'%s", tostring(key), core.near(tostring(key), names)) end
  end
  local kind = core.type(given.stream)
  if given.stream ~= nil and kind ~= "stream" and kind ~= "closed stream" then
    fail(what, "option 'stream': expected a Stream, got %s", describe(given.stream))
  end
  return given
end

local function boolean(what, opts, name)
  local value = opts[name]
  if value ~= nil and type(value) ~= "boolean" then fail(what, "option '%s': expected a boolean, got %s", name, describe(value)) end
  return value
end

-- An axis of `ndim`, from 1 or negative from the end -> from 1.
local function axis(what, value, ndim)
  local at = math.type(value) == "integer" and value or type(value) == "number" and math.tointeger(value)
  if not at then fail(what, "option 'axis': expected an integer, got %s", describe(value)) end
  if at < 0 then at = at + ndim + 1 end
  if at < 1 or at > ndim then fail(what, "option 'axis': %d is not an axis of an array of %d axes", value, ndim) end
  return at
end

-- The product of list[first] to list[last].
local function product(list, first, last)
  local n = 1
  for i = first, last do n = n * list[i] end
  return n
end

local function same_list(a, b)
  if #a ~= #b then return false end
  for i = 1, #a do
    if a[i] ~= b[i] then return false end
  end
  return true
end

-- A list of one's own, to be changed.
local function copy(list) return { table.unpack(list) } end

local function shape_text(shape) return "{" .. table.concat(shape, ", ") .. "}" end

-- opts.out, which must have this shape, dtype and device, or a new array.
local function result(what, opts, shape, dtype, device)
  local out = opts.out
  if out == nil then return core.empty(shape, dtype, { device = device, stream = opts.stream }) end
  local kind = core.type(out)
  if kind == "closed array" then core.misuse "attempt to use a closed Array" end
  if kind ~= "array" then fail(what, "option 'out': expected an Array, got %s", describe(out)) end
  if out.dtype ~= dtype or not same_list(out.shape, shape) then
    fail(what, "option 'out': expected a %s array of shape %s, got %s of shape %s", tostring(dtype), shape_text(shape),
      tostring(out.dtype), shape_text(out.shape))
  end
  if out.device ~= device then fail(what, "option 'out': it is on %s, the work on %s", tostring(out.device), tostring(device)) end
  for d, stride in ipairs(out.size > 0 and out.strides or {}) do
    if stride == 0 and shape[d] > 1 then fail(what, "option 'out': a broadcast view cannot be written") end
  end
  return out
end

-- Do two arrays reach into the same bytes? (By the ranges they span.)
local function overlap(a, b)
  local function range(x)
    local low, high = x.pointer, x.pointer
    for i, n in ipairs(x.shape) do
      local reach = (n - 1) * x.strides[i]
      if reach < 0 then low = low + reach else high = high + reach end
    end
    return low, high + x.nbytes // x.size
  end
  if a.size == 0 or b.size == 0 then return false end
  local a0, a1 = range(a)
  local b0, b1 = range(b)
  return a0 < b1 and b0 < a1
end

-- Calls fn(dst) with `out`, or where that has gaps or shares memory with one of `sources`, with an array of the same kind that
-- is copied to `out` afterwards.
local function into(out, sources, stream, fn)
  local direct = out.is_contiguous
  for _, source in ipairs(sources) do direct = direct and not overlap(out, source) end
  if direct then return fn(out) end
  local temporary = core.empty(out.shape, out.dtype, { device = out.device, stream = stream })
  fn(temporary)
  out:set(temporary, { stream = stream })
  temporary:free()
end

-- What a failed call of core says, without position and name: the words behind the argument.
local function reason(message)
  return message:match "'[%w_]+': (.*)$" or (message:gsub("^[^\n]-:%d+: ", ""))
end

-- Values for the elements of `a`, argument `arg` called 'values': an array, a table, or one value -> a contiguous array of a's
-- dtype on its device; one value has shape {1}.
local function values(what, arg, given, a, stream)
  local kind = core.type(given)
  if kind == "closed array" then core.misuse "attempt to use a closed Array" end
  if kind == "array" then
    if given.device ~= a.device then
      fail(what, "argument %d 'values': they are on %s, the array on %s", arg, tostring(given.device), tostring(a.device))
    end
    if given.dtype == a.dtype then
      return overlap(given, a) and given:copy { stream = stream } or given:contiguous { stream = stream }
    end
    if type(a.dtype) ~= "string" or type(given.dtype) ~= "string" then
      fail(what, "argument %d 'values': %s elements do not convert to %s", arg, tostring(given.dtype), tostring(a.dtype))
    end
    return given:astype(a.dtype, { stream = stream })
  end
  local ok, made
  if type(given) == "table" and type(a.dtype) == "string" then
    ok, made = pcall(core.array, given, a.dtype, { device = a.device, stream = stream })
  else
    made = core.empty(1, a.dtype, { device = a.device, stream = stream })
    local one = made
    ok, made = pcall(one.fill, one, given, { stream = stream })
  end
  if ok then return made end
  if type(made) ~= "string" or core.is_error(made) then error(made, 0) end
  fail(what, "argument %d 'values': %s", arg, reason(made))
end

return {
  fail = fail, describe = describe, array = array, options = options, boolean = boolean, axis = axis, result = result, into = into,
  array_list = array_list, reason = reason, values = values, product = product, copy = copy,
  same_list = same_list, shape_text = shape_text, overlap = overlap,
}
