-- device_function.lua: cuda.device_function: a function in CUDA C++ that kernels written in Lua
-- call. Its types are those of its declaration, as the compiler reports them.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"
local forms = require "luacuda.source.given"
local options_of = require "luacuda.source.options"
local outline = require "luacuda.source.outline"
local mentions = require "luacuda.builder.mentions"
local prelude = require "luacuda.builder.prelude"
local host = require "luacuda.jit.cpp.one_thread"

local fail = arguments.fail

local WHAT = "device_function"
local OPTIONS = { "source", "path", "name", "flags", "defines", "include_dirs", "headers", "std" }
local COMPILER = { "flags", "defines", "include_dirs", "headers", "std" }

local M = {}

local states = setmetatable({}, { __mode = "k" })

-- The text ----------------------------------------------------------------------------------------

local function is_options(value)
  return type(value) == "table" and not forms.is_source(value)
    and not forms.is_template(value)
end

-- The table of options among the arguments, whose names are checked.
local function given_options(...)
  for k = 1, 3 do
    local value = select(k, ...)
    if is_options(value) then
      arguments.check_names(WHAT, value, OPTIONS)
      return value
    end
  end
  return {}
end

local function copy(value)
  if type(value) ~= "table" then return value end
  local own = {}
  for key, item in pairs(value) do own[key] = item end
  return own
end

-- The options that a kernel needs that calls the function.
local function compiler_options(given)
  local own = {}
  for _, name in ipairs(COMPILER) do own[name] = copy(given[name]) end
  return own
end

-- The user's text, with marks that name its lines, and the dtypes that it names.
local function parts_of(spec, given)
  local named = mentions.named({ text = spec.text, headers = given.headers,
    defines = given.defines }, { "text" })
  return ('#line 1 "%s"\n%s\n#line 1 "luacuda"\n'):format(spec.origin.token, spec.text), named
end

-- The function ------------------------------------------------------------------------------------

local function names_of(list)
  local names = {}
  for k, entry in ipairs(list) do names[k] = entry.name end
  return names
end

-- The only function of a text.
local function only_one(found)
  local list = found.functions
  if #list == 1 then return list[1].name, list[1] end
  if #list == 0 then
    fail(WHAT, "the source has no function marked __device__%s",
      #found.kernels > 0 and ": it has a kernel, which cuda.kernel takes" or "")
  end
  fail(WHAT, "the source has several functions: give the name of one, as in device_function(source,"
    .. " %q); it has: %s", list[1].name, table.concat(names_of(list), ", "))
end

-- A function by name, which may be an instance of a template.
local function named(found, name)
  local plain = name:match "^[%w_:]+" or name
  local entry = found.by_function[plain]
  if entry then return name, entry end
  local names = names_of(found.functions)
  fail(WHAT, "the source has no __device__ function '%s'%s (it has: %s)", name,
    core.near(plain, names), #names > 0 and table.concat(names, ", ") or "none")
end

local function check_entry(found, name, entry)
  if entry.template and not name:find "<" then
    fail(WHAT, "'%s' is a template: name an instance of it, such as '%s<float>'", name, name)
  end
  if entry.definitions > 1 and not entry.template and not found.conditional then
    fail(WHAT, "'%s' is overloaded: give each function a name of its own", name)
  end
  if not entry.param_names then
    fail(WHAT, "'%s' has declarations whose parameters differ: give each function a name of its "
      .. "own", name)
  end
end

-- The object --------------------------------------------------------------------------------------

local methods = {}
local DeviceFunction = class.new("DeviceFunction", methods, { "source" })

-- f(...) -> its result, computed by one thread of the CPU device
function DeviceFunction.__call(f, ...)
  return host.call(states[f], ...)
end

function DeviceFunction.__tostring(f) return "luacuda.DeviceFunction " .. states[f].name end

-- f:source() -> the CUDA C++ that it was made of
function methods.source(f, ...)
  if select("#", ...) > 0 then fail("device_function:source", "too many arguments") end
  local state = states[f]
    or fail(WHAT, "source: expected a DeviceFunction before the ':', got %s", arguments.describe(f))
  return state.text
end

-- device_function(source [, name] [, options]) -> DeviceFunction
function M.device_function(...)
  local given = given_options(...)
  local spec = options_of.read(WHAT, ...)
  if not spec.text then fail(WHAT, "expected source in CUDA C++, got code that is compiled") end
  local found = outline.declarations(spec.text)
  local name, entry
  if spec.name then name, entry = named(found, spec.name) else name, entry = only_one(found) end
  check_entry(found, name, entry)
  local state = { what = WHAT, name = name, entry = entry, text = spec.text,
    options = compiler_options(given) }
  state.definition, state.named = parts_of(spec, given)
  state.origin = spec.origin
  spec.text, spec.name = prelude.text(state.named) .. state.definition, nil
  state.spec = spec
  local f = setmetatable({}, DeviceFunction)
  states[f] = state
  return f
end

-- state_of(value) -> what a DeviceFunction is made of; nil for other values
function M.state_of(value) return states[value] end

return M
