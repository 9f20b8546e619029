-- options.lua: the argument forms of cuda.module, cuda.kernel and cuda.compile, made into one plain
-- description, called spec:
--
--   what                                     "kernel", "module" or "compile", which begins messages
--   text, origin, callers, path              source, or
--   binary, binary_kind                      code: "ptx" or "cubin"
--   name, instances                          normalized names
--   flags, defines, include_dirs             lists of strings; headers: name -> text
--   std, arch, backend, target               strings
--   debug, lineinfo, fast_math, rdc, cache   booleans

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local sorted_keys = require("luacuda.base.lists").sorted_keys
local number = require "luacuda.base.number"
local naming = require "luacuda.source.naming"
local origins = require "luacuda.source.origins"
local template = require "luacuda.source.template"

local fail, whole_text = arguments.fail, arguments.whole_text

local NAMES = { "source", "path", "binary", "name", "flags", "defines", "include_dirs", "headers",
  "std",
  "arch", "instances", "backend", "debug", "lineinfo", "fast_math", "rdc", "cache", "target" }
local ONLY = { target = "compile", name = "kernel" }       -- options of one function only

-- Single options ----------------------------------------------------------------------------------

-- An option of a Lua type, or nil.
local function typed(what, options, key, kind)
  local v = options[key]
  if v ~= nil and type(v) ~= kind then
    fail(what, "option '%s': expected %s, got %s", key, kind, type(v))
  end
  return v
end

-- An option that is one string, without zero bytes; or nil.
local function read_text(what, options, key)
  local v = typed(what, options, key, "string")
  return v and whole_text(what, ("option '%s'"):format(key), v)
end

-- An option that is a string or a list of them.
local function read_strings(what, options, key)
  local v = options[key]
  if v == nil then return {} end
  if type(v) == "string" then v = { v } end
  if type(v) ~= "table" then
    fail(what, "option '%s': expected a list of strings, got %s", key, type(v))
  end
  core.list_check(v, ("%s: option '%s'"):format(what, key))
  local strings = {}
  for i, item in ipairs(v) do
    if type(item) ~= "string" then
      fail(what, "option '%s': item %d: expected string, got %s", key, i, type(item))
    end
    strings[i] = whole_text(what, ("option '%s': item %d"):format(key, i), item)
  end
  return strings
end

-- "-DZ=3 -DY=2" would be one flag that defines Z as "3 -DY=2".
local function check_one_flag(what, flag)
  if not flag:find "%s%-%-?%a" then return end
  local items = {}
  for word in flag:gmatch "%S+" do items[#items + 1] = ("%q"):format(word) end
  fail(what, "option 'flags': '%s' is more than one flag: give a list with an item for each, as in "
    .. "flags = { %s }", flag, table.concat(items, ", "))
end

-- The option to use instead of a flag whose effect LuaCUDA has to control; nil for other flags.
local function option_for(flag)
  local name = flag:match "^%-%-?([%w%-]+)" or ""
  if name:find "^gpu%-arch" or name == "arch" then return "arch" end
  local is_rdc = name == "rdc" or name == "relocatable-device-code" or name == "dc"
    or name == "device-c"
  return is_rdc and "rdc" or nil
end

local function read_flags(what, options)
  local flags = read_strings(what, options, "flags")
  for _, flag in ipairs(flags) do
    check_one_flag(what, flag)
    local option = option_for(flag)
    if option then fail(what, "flag '%s': use the option %s", flag, option) end
  end
  return flags
end

local function define_value(what, name, v)
  if type(v) == "boolean" then return v and "1" or "0" end
  if type(v) == "number" then return number.text(v) end
  local label = ("option 'defines': value of '%s'"):format(name)
  if type(v) == "string" then return whole_text(what, label, v) end
  fail(what, "%s: expected number, string or boolean, got %s", label, type(v))
end

-- Option `defines` as flags.
local function read_defines(what, options)
  local flags, given = {}, typed(what, options, "defines", "table") or {}
  for _, name in ipairs(sorted_keys(given)) do
    if type(name) ~= "string" or not name:find "^[%a_][%w_]*$" then
      fail(what, "option 'defines': '%s' is not a name", tostring(name))
    end
    flags[#flags + 1] = ("-D%s=%s"):format(name, define_value(what, name, given[name]))
  end
  return flags
end

local function read_headers(what, options)
  local copy = {}
  for name, text in pairs(typed(what, options, "headers", "table") or {}) do
    text = template.is_source(text) and tostring(text) or text
    if type(name) ~= "string" or type(text) ~= "string" then
      fail(what, "option 'headers': expected name = text, both strings")
    end
    whole_text(what, "option 'headers': a name", name)
    copy[name] = whole_text(what, ("option 'headers': the text of '%s'"):format(name), text)
  end
  return copy
end

local function read_arch(what, options)
  local arch = read_text(what, options, "arch")
  if not arch or arch:find "^sm_%d+%l?$" or arch:find "^compute_%d+%l?$" or arch == "native" then
    return arch
  end
  fail(what, "option 'arch': expected 'sm_NN', 'compute_NN' or 'native', got '%s'", arch)
end

local function read_backend(what, options)
  local backend = read_text(what, options, "backend") or "nvrtc"
  if backend ~= "nvrtc" then fail(what, "option 'backend': expected 'nvrtc', got '%s'", backend) end
  return backend
end

-- Source or code ----------------------------------------------------------------------------------

-- Machine code: ELF, or a fat binary (magic 0xBA55ED50).
local function is_cubin(text)
  return text:sub(1, 4) == "\127ELF" or text:sub(1, 4) == "\80\237\85\186"
end

local function is_ptx(text)
  if text:find "^%s*%.version%s+%d" then return true end
  return text:find "^[%s]*//[^\n]*\n[%s/]*[^\n]*" and text:find "\n%s*%.version%s+%d"
    and text:find "\n%s*%.target%s+sm_" ~= nil
end

local function read_file(what, path)
  local bytes, why = core.file_read(path)
  if bytes then return bytes end
  error(core.error{ kind = "runtime", name = "LUACUDA_ERROR_IO", call = what,
    message = ("%s: %s"):format(what, why) }, 0)
end

-- Is a text the name of a file rather than a program: one word with the ending of a code file?
local function is_file_name(text) return text:find "^[^%s;{}()]+%.%l+$" ~= nil end

local function check_source(what, source)
  if template.is_template(source) then
    fail(what, "expected source, got a template: call it with its values first, as in tpl{ N = 4 }")
  end
  if type(source) ~= "string" then
    fail(what, "expected source (a string), got %s", type(source))
  end
  if is_file_name(source) then
    fail(what, "expected source, got what looks like a file name: { path = %q } reads the file",
      source)
  end
  return source
end

local function check_one_given(what, options)
  local given = {}
  for _, key in ipairs { "source", "path", "binary" } do
    if options[key] ~= nil then given[#given + 1] = key end
  end
  if #given == 1 then return end
  fail(what, "expected exactly one of source, path and binary, got %s",
    #given == 0 and "none" or table.concat(given, " and "))
end

-- The text that source, path or binary gives. Fills spec.path, or spec.origin and spec.callers.
local function read_given(what, spec, options)
  check_one_given(what, options)
  if options.path then
    spec.path = read_text(what, options, "path")
    return read_file(what, spec.path)
  end
  if options.binary then return typed(what, options, "binary", "string") end
  local source = options.source
  if not template.is_source(source) then return check_source(what, source) end
  spec.origin, spec.callers = source.origin, source.callers
  return source.text
end

local function take_text(what, spec, options)
  local text = read_given(what, spec, options)
  if is_cubin(text) then
    spec.binary, spec.binary_kind = text, "cubin"
  elseif is_ptx(text) then
    spec.binary, spec.binary_kind = text, "ptx"
  elseif options.binary then
    fail(what, "option 'binary': neither PTX nor a cubin (%d bytes)", #text)
  else
    spec.text = whole_text(what, "the source", text)
    if not spec.origin then
      spec.origin, spec.callers = origins.register(text, "source", spec.path)
    end
  end
end

-- All options -------------------------------------------------------------------------------------

-- Switch -> its default.
local SWITCHES = { debug = false, lineinfo = true, fast_math = false, rdc = false, cache = true }

local function take_settings(what, spec, options)
  spec.flags = read_flags(what, options)
  spec.defines = read_defines(what, options)
  spec.include_dirs = read_strings(what, options, "include_dirs")
  spec.headers = read_headers(what, options)
  spec.std = read_text(what, options, "std")
  spec.arch = read_arch(what, options)
  spec.backend = read_backend(what, options)
  for key, default in pairs(SWITCHES) do
    spec[key] = typed(what, options, key, "boolean")
    if spec[key] == nil then spec[key] = default end
  end
  if spec.rdc and what ~= "compile" and spec.arch and spec.arch:find "^sm_" then
    fail(what, "option 'rdc': relocatable code is loaded as PTX: expected arch = 'compute_%s' or "
      .. "none",
      spec.arch:match "%d+%l?")
  end
  spec.instances = {}
  for i, name in ipairs(read_strings(what, options, "instances")) do
    spec.instances[i] = naming.normalize(name)
  end
  spec.target = read_text(what, options, "target")
end

local function check_names(what, options)
  arguments.check_names(what, options, NAMES)
  for key, only in pairs(ONLY) do
    if options[key] ~= nil and what ~= only then
      fail(what, "unknown option '%s'%s", key, core.near(key, NAMES))
    end
  end
end

-- The options of a call that does not give everything in one table: source, perhaps a name,
-- options.
local function join_options(what, first, second, third)
  local name
  if what == "kernel" and type(second) == "string" then name, second = second, third
  elseif third ~= nil then fail(what, "too many arguments") end
  if second ~= nil and type(second) ~= "table" then
    fail(what, "expected options (a table), got %s", type(second))
  end
  local options = {}
  for key, value in pairs(second or {}) do options[key] = value end
  if options.source ~= nil then fail(what, "option 'source' is given twice") end
  if first == nil and options.path == nil and options.binary == nil then
    fail(what, "expected source (a string), got nil")
  end
  options.source = first
  if name then options.name = name end
  return options
end

local function is_one_table(first)
  return type(first) == "table" and not template.is_source(first)
    and not template.is_template(first)
end

-- options.read(what, ...) -> spec. `what` is "kernel", "module" or "compile"; the arguments are the
-- user's own. Raises strings that start with `what`, at the user's position.
local function read(what, first, second, third, ...)
  if select("#", ...) > 0 then fail(what, "too many arguments") end
  local options = first
  if not is_one_table(first) then options = join_options(what, first, second, third)
  elseif second ~= nil then
    fail(what, "with everything in one table there is no second argument")
  end
  check_names(what, options)
  local spec = { what = what }
  take_text(what, spec, options)
  take_settings(what, spec, options)
  local name = read_text(what, options, "name")
  spec.name = name and naming.normalize(name)
  return spec
end

-- options.no_more(what, ...) raises for further arguments of a method that takes none.
local function no_more(what, ...)
  if type((...)) == "table" then
    fail(what, "unknown options: give options of the compiler to cuda.module or cuda.kernel")
  end
  if select("#", ...) > 0 then fail(what, "too many arguments") end
end

return { read = read, no_more = no_more }
