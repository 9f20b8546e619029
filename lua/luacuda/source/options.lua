-- options.lua: the argument forms of cuda.module, cuda.kernel and cuda.compile, made into one plain description.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local sorted_keys = require("luacuda.base.lists").sorted_keys
local number = require "luacuda.base.number"
local naming = require "luacuda.source.naming"
local origins = require "luacuda.source.origins"
local template = require "luacuda.source.template"

local fail = arguments.fail

local NAMES = { "source", "path", "binary", "name", "flags", "defines", "include_dirs", "headers", "std", "arch", "instances",
  "backend", "debug", "lineinfo", "fast_math", "rdc", "cache", "target" }
local KNOWN = {}
for _, name in ipairs(NAMES) do KNOWN[name] = true end
local ONLY = { target = "compile", name = "kernel" }       -- options that one function alone takes

local function check(what, options, key, kind)
  local v = options[key]
  if v ~= nil and type(v) ~= kind then fail(what, "option '%s': expected %s, got %s", key, kind, type(v)) end
  return v
end

-- An option that is one string, without zero bytes; or nil.
local function check_text(what, options, key)
  local v = check(what, options, key, "string")
  return v and arguments.whole_text(what, ("option '%s'"):format(key), v)
end

local function string_list(what, options, key)
  local v = options[key]
  if v == nil then return {} end
  if type(v) == "string" then v = { v } end
  if type(v) ~= "table" then fail(what, "option '%s': expected a list of strings, got %s", key, type(v)) end
  core.list_check(v, ("%s: option '%s'"):format(what, key))
  local strings = {}
  for i, item in ipairs(v) do
    if type(item) ~= "string" then fail(what, "option '%s': item %d: expected string, got %s", key, i, type(item)) end
    strings[i] = arguments.whole_text(what, ("option '%s': item %d"):format(key, i), item)
  end
  return strings
end

-- "-DZ=3 -DY=2" would be one flag, and Z "3 -DY=2".
local function check_one_flag(what, flag)
  if not flag:find "%s%-%-?%a" then return end
  local items = {}
  for word in flag:gmatch "%S+" do items[#items + 1] = ("%q"):format(word) end
  fail(what, "option 'flags': '%s' is more than one flag: give a list with an item for each, as in flags = { %s }", flag,
    table.concat(items, ", "))
end

local function define_value(what, name, v)
  if type(v) == "boolean" then return v and "1" or "0" end
  if type(v) == "number" then return number.text(v) end
  if type(v) == "string" then return arguments.whole_text(what, ("option 'defines': value of '%s'"):format(name), v) end
  fail(what, "option 'defines': value of '%s': expected number, string or boolean, got %s", name, type(v))
end

local function defines(what, options)
  local flags = {}
  local t = check(what, options, "defines", "table") or {}
  for _, name in ipairs(sorted_keys(t)) do
    if type(name) ~= "string" or not name:find("^[%a_][%w_]*$") then
      fail(what, "option 'defines': '%s' is not a name", tostring(name))
    end
    flags[#flags + 1] = ("-D%s=%s"):format(name, define_value(what, name, t[name]))
  end
  return flags
end

local function headers(what, options)
  local t = check(what, options, "headers", "table") or {}
  local copy = {}
  for name, text in pairs(t) do
    text = template.is_source(text) and tostring(text) or text
    if type(name) ~= "string" or type(text) ~= "string" then fail(what, "option 'headers': expected name = text, both strings") end
    arguments.whole_text(what, "option 'headers': a name", name)
    copy[name] = arguments.whole_text(what, ("option 'headers': the text of '%s'"):format(name), text)
  end
  return copy
end

local function is_binary(text)
  return text:sub(1, 4) == "\127ELF" or text:sub(1, 4) == "\80\237\85\186"       -- ELF, or a fat binary (magic 0xBA55ED50)
end

local function is_ptx(text)
  return text:find("^[%s]*//[^\n]*\n[%s/]*[^\n]*") and text:find("\n%s*%.version%s+%d") and text:find("\n%s*%.target%s+sm_") ~= nil
    or text:find("^%s*%.version%s+%d") ~= nil
end

local function read_path(what, path)
  local bytes, why = core.file_read(path)
  if not bytes then
    error(core.error{ kind = "runtime", name = "LUACUDA_ERROR_IO", call = what, message = ("%s: %s"):format(what, why) }, 0)
  end
  return bytes
end

-- One word that ends as files of code do is no program.
local function names_file(text) return text:find "^[^%s;{}()]+%.%l+$" ~= nil end

-- Exactly one of source, path, binary -> spec.text with its origin, or spec.binary.
local function take_text(what, spec, options)
  local given = {}
  for _, key in ipairs { "source", "path", "binary" } do
    if options[key] ~= nil then given[#given + 1] = key end
  end
  if #given ~= 1 then
    fail(what, "expected exactly one of source, path and binary, got %s", #given == 0 and "none" or table.concat(given, " and "))
  end
  local text
  if options.path then
    spec.path = check_text(what, options, "path")
    text = read_path(what, spec.path)
  elseif options.binary then
    text = check(what, options, "binary", "string")
  elseif template.is_template(options.source) then
    fail(what, "expected source, got a template: call it with its values first, as in tpl{ N = 4 }")
  elseif template.is_source(options.source) then
    text, spec.origin, spec.callers = options.source.text, options.source.origin, options.source.callers
    spec.marked = true
  else
    text = options.source
    if type(text) ~= "string" then fail(what, "expected source (a string), got %s", type(text)) end
    if names_file(text) then fail(what, "expected source, got what looks like a file's name: { path = %q } reads it", text) end
  end
  if is_binary(text) then
    spec.binary, spec.binary_kind = text, "cubin"
  elseif options.binary or is_ptx(text) then
    if not is_ptx(text) then fail(what, "option 'binary': neither PTX nor a cubin (%d bytes)", #text) end
    spec.binary, spec.binary_kind = text, "ptx"
  else
    spec.text = arguments.whole_text(what, "the source", text)
    if not spec.origin then spec.origin, spec.callers = origins.register(text, "source", spec.path) end
  end
end

-- The option to be used instead of a flag that LuaCUDA has to know of.
local function option_for(flag)
  local name = flag:match "^%-%-?([%w%-]+)" or ""
  if name:find "^gpu%-arch" or name == "arch" then return "arch" end
  return (name == "rdc" or name == "relocatable-device-code" or name == "dc" or name == "device-c") and "rdc" or nil
end

local BACKENDS = { nvrtc = true }

local function take_settings(what, spec, options)
  spec.flags = string_list(what, options, "flags")
  for _, flag in ipairs(spec.flags) do
    check_one_flag(what, flag)
    local option = option_for(flag)
    if option then fail(what, "flag '%s': use the option %s", flag, option) end
  end
  spec.defines = defines(what, options)
  spec.include_dirs = string_list(what, options, "include_dirs")
  spec.headers = headers(what, options)
  spec.std = check_text(what, options, "std")
  spec.arch = check_text(what, options, "arch")
  if spec.arch and not spec.arch:find("^sm_%d+%l?$") and not spec.arch:find("^compute_%d+%l?$") and spec.arch ~= "native" then
    fail(what, "option 'arch': expected 'sm_NN', 'compute_NN' or 'native', got '%s'", spec.arch)
  end
  spec.backend = check_text(what, options, "backend") or "nvrtc"
  if not BACKENDS[spec.backend] then fail(what, "option 'backend': expected 'nvrtc', got '%s'", spec.backend) end
  for _, key in ipairs { "debug", "lineinfo", "fast_math", "rdc", "cache" } do
    local v = check(what, options, key, "boolean")
    if v == nil then spec[key] = key == "lineinfo" or key == "cache" else spec[key] = v end
  end
  if spec.rdc and what ~= "compile" and spec.arch and spec.arch:find "^sm_" then
    fail(what, "option 'rdc': relocatable code is loaded as PTX: expected arch = 'compute_%s' or none", spec.arch:match "%d+%l?")
  end
  spec.instances = {}
  for i, name in ipairs(string_list(what, options, "instances")) do spec.instances[i] = naming.normalize(name) end
  spec.target = check_text(what, options, "target")
end

local function check_keys(what, options)
  for key in pairs(options) do
    if not KNOWN[key] or (ONLY[key] or what) ~= what then
      fail(what, "unknown option '%s'%s", tostring(key), core.near(tostring(key), NAMES))
    end
  end
end

-- no_more(what, ...): for methods that take nothing more; `...` is what they were given.
local function no_more(what, ...)
  local first = ...
  if type(first) == "table" then fail(what, "unknown options: what is compiled and how is said to cuda.module or cuda.kernel") end
  if select("#", ...) > 0 then fail(what, "too many arguments") end
end

-- options.read(what, ...) -> spec. `what` is "kernel", "module" or "compile"; the arguments are the user's own.
-- Raises strings that start with `what`, at the user's position.
local function read(what, first, second, third, ...)
  local options
  if select("#", ...) > 0 then fail(what, "too many arguments") end
  if type(first) == "table" and not template.is_source(first) and not template.is_template(first) then
    if second ~= nil then fail(what, "with everything in one table there is no second argument") end
    options = first
  else
    local name
    if what == "kernel" and type(second) == "string" then name, second = second, third
    elseif third ~= nil then fail(what, "too many arguments") end
    if second ~= nil and type(second) ~= "table" then fail(what, "expected options (a table), got %s", type(second)) end
    options = {}
    for k, v in pairs(second or {}) do options[k] = v end
    if options.source ~= nil then fail(what, "option 'source' is given twice") end
    options.source = first
    if options.source == nil and options.path == nil and options.binary == nil then fail(what, "expected source (a string), got nil") end
    if name then options.name = name end
  end
  check_keys(what, options)
  local spec = { what = what }
  take_text(what, spec, options)
  take_settings(what, spec, options)
  local name = check_text(what, options, "name")
  spec.name = name and naming.normalize(name)
  return spec
end

return { read = read, no_more = no_more }
