-- arguments.lua: checks of arguments: arrays, lists of arrays, texts, options and axes. `what` is
-- the name of the function; every message begins with it.

local core = require "luacuda.core"

-- fail("sort", "axis %d ...", 3) raises "sort: axis 3 ..." at the user's position.
local function fail(what, text, ...) core.misuse(what .. ": " .. text:format(...)) end

-- What a value is, for messages.
local function describe(value)
  local kind = core.type(value)
  if kind then return kind end
  if type(value) == "number" or type(value) == "boolean" then return tostring(value) end
  return type(value)
end

-- The type of a value as core.type gives it; raises for a closed array.
local function open_type(value)
  local kind = core.type(value)
  if kind == "closed array" then core.misuse "attempt to use a closed Array" end
  return kind
end

-- The function that handles the call for a traced value (fuse/traced.lua); nil for other values.
local function traced_by(value)
  local meta = type(value) == "table" and getmetatable(value)
  return type(meta) == "table" and meta.__traced or nil
end

-- Raises for a value that should be an array; `text` says what is expected of which argument.
local function no_array(what, value, text, ...)
  if traced_by(value) then
    fail(what, "cannot be fused: only element-wise operations and a reduction at the end can; call "
      .. "it outside of the fused function")
  end
  fail(what, text .. ", got %s", ...)
end

-- An open array, argument `arg` called `name` (0: the one before the ':'); returns it. An object of
-- another library that describes its memory (`__cuda`) becomes an array.
local function array(what, arg, name, value)
  if open_type(value) == "array" then return value end
  local wrapped = core.foreign(value)
  if wrapped then return wrapped end
  local got = describe(value)
  if arg == 0 then no_array(what, value, "expected Array before the ':'", got) end
  no_array(what, value, "argument %d '%s': expected an Array", arg, name, got)
end

-- Raises for things on two devices, or because one of these is a context that was closed: "option
-- 'p': it is" on x, "the array" on y.
local function apart(what, subject, x, other, y)
  for _, device in ipairs { x, y } do device:memory_info() end       -- raises for a closed one
  fail(what, "%s on %s, %s on %s; copy one with :to()", subject, x.label, other, y.label)
end

local labels = {} -- function -> how messages about its list of arrays begin

local function label_of(what, arg, name)
  local label = labels[what]
  if not label then
    label = ("%s: argument %d '%s'"):format(what, arg, name)
    labels[what] = label
  end
  return label
end

-- The list of arrays `value`, argument `arg` called `name`. It may not have holes or contain
-- options. Returns it, or a list with arrays in place of objects of other libraries.
local function array_list(what, arg, name, value)
  if core.are_arrays(value) then return value end
  local label = label_of(what, arg, name)
  if type(value) ~= "table" then
    fail(label, "expected a list of Arrays, got %s: %s({ a, b }), with options after the list",
      describe(value), what)
  end
  if core.list_check(value, label, what) == 0 then fail(label, "the list is empty") end
  local list = {}
  for i = 1, #value do
    local item = value[i]
    list[i] = open_type(item) == "array" and item or core.foreign(item)
      or no_array(traced_by(item) and what or label, item, "item %d: expected an Array", i,
        describe(item))
  end
  return list
end

local function is_among(name, names)
  for i = 1, #names do
    if names[i] == name then return true end
  end
  return false
end

-- Raises for a key of the table `given` that is not in the list `names`.
local function check_names(what, given, names)
  for key in pairs(given) do
    if not is_among(key, names) then
      fail(what, "unknown option '%s'%s", tostring(key), core.near(tostring(key), names, "options"))
    end
  end
end

-- A text without zero bytes, at which C would cut it; `label` names it in messages.
local function whole_text(what, label, text)
  if text:find("\0", 1, true) then fail(what, "%s holds a zero byte", label) end
  return text
end

-- An option of a Lua type, or nil.
local function typed(what, given, key, kind)
  local v = given[key]
  if v ~= nil and type(v) ~= kind then
    fail(what, "option '%s': expected %s, got %s", key, kind, type(v))
  end
  return v
end

-- An option that is one string, without zero bytes; or nil.
local function text_option(what, given, key)
  local v = typed(what, given, key, "string")
  return v and whole_text(what, ("option '%s'"):format(key), v)
end

-- Options that take an array if they are the first in the list of a function.
local TAKES_ARRAY = { weights = true, x = true, spacing = true, p = true }

-- The option that a value in the place of the options is probably meant for.
local function option_for(value, names)
  local kind, first, meant = core.type(value), names[1], nil
  if kind == "stream" then meant = "stream"
  elseif kind == "array" and not TAKES_ARRAY[first] then meant = "out"
  elseif type(value) == "string" and first == "axis" then meant = "dtype"
  end
  return meant and is_among(meant, names) and meant or first
end

-- "dtype = 'float64'"; axes are not shown, because those of other libraries count from 0
local function example_of(value, names)
  local name, kind, shown = option_for(value, names), type(value), "..."
  if name == "axis" then return "axis = ..." end
  if kind == "string" and #value <= 20 and not value:find "[%c']" then
    shown = ("'%s'"):format(value)
  elseif kind == "number" or kind == "boolean" then shown = tostring(value)
  end
  return ("%s = %s"):format(name, shown)
end

-- Raises an error for any other value in the place of the options.
local function check_table(what, given, names)
  if type(given) == "table" then return end
  fail(what, "expected a table of options%s, got %s",
    names[1] and (" such as { %s }"):format(example_of(given, names)) or "", describe(given))
end

-- The options table `given` (nil: none). Its keys must be in the list `names`; `stream` must be a
-- stream.
local function options(what, given, names)
  if given == nil then return {} end
  check_table(what, given, names)
  check_names(what, given, names)
  local stream = given.stream
  local kind = stream ~= nil and core.type(stream)
  if stream ~= nil and kind ~= "stream" and kind ~= "closed stream" then
    fail(what, "option 'stream': expected a Stream, got %s", describe(stream))
  end
  return given
end

-- An option that is true, false or nil; `expected` says what else the caller takes.
local function boolean(what, opts, name, expected)
  local value = opts[name]
  if value ~= nil and type(value) ~= "boolean" then
    fail(what, "option '%s': expected %s, got %s", name, expected or "a boolean", describe(value))
  end
  return value
end

-- An axis of `ndim`, counted from 1 or from the end (-1) -> counted from 1.
local function axis(what, value, ndim)
  local at = type(value) == "number" and math.tointeger(value)
  if not at then fail(what, "option 'axis': expected an integer, got %s", describe(value)) end
  if at < 0 then at = at + ndim + 1 end
  if at < 1 or at > ndim then
    fail(what, "option 'axis': %d is not an axis of an array of %d axes", value, ndim)
  end
  return at
end

-- An option that is an integer from `least` to `most`, or nil.
local function count(what, opts, name, least, most)
  local value = opts[name]
  if value == nil then return nil end
  local n = math.type(value) and math.tointeger(value)
  if not n then fail(what, "option '%s': expected an integer, got %s", name, describe(value)) end
  if n < least or n > most then
    fail(what, "option '%s': %d is outside %d to %d", name, n, least, most)
  end
  return n
end

return {
  fail = fail, describe = describe, open_type = open_type, traced_by = traced_by,
  no_array = no_array, apart = apart, array = array, array_list = array_list,
  check_table = check_table, check_names = check_names, whole_text = whole_text, typed = typed,
  text_option = text_option, options = options, boolean = boolean, axis = axis, count = count,
}
