-- settings.lua: reads the options of the compiler that a call gives (options.lua).

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local sorted_keys = require("luacuda.base.lists").sorted_keys
local number = require "luacuda.base.number"
local given = require "luacuda.source.given"
local naming = require "luacuda.source.naming"

local fail, whole_text = arguments.fail, arguments.whole_text
local typed, read_text = arguments.typed, arguments.text_option

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
  local flags, values = {}, typed(what, options, "defines", "table") or {}
  for _, name in ipairs(sorted_keys(values)) do
    if type(name) ~= "string" or not name:find "^[%a_][%w_]*$" then
      fail(what, "option 'defines': '%s' is not a name", tostring(name))
    end
    flags[#flags + 1] = ("-D%s=%s"):format(name, define_value(what, name, values[name]))
  end
  return flags
end

local function read_headers(what, options)
  local copy = {}
  for name, text in pairs(typed(what, options, "headers", "table") or {}) do
    text = given.is_source(text) and tostring(text) or text
    if type(name) ~= "string" or type(text) ~= "string" then
      fail(what, "option 'headers': expected name = text, both strings")
    end
    whole_text(what, "option 'headers': a name", name)
    copy[name] = whole_text(what, ("option 'headers': the text of '%s'"):format(name), text)
  end
  return copy
end

-- What may be meant by a text that is no architecture, and what NVRTC supports.
local function arch_hint(arch)
  local compiler = core.nvrtc()
  if not compiler then return "" end
  local meant = ""
  for _, known in ipairs(compiler.archs) do
    if known == tonumber(arch:match "%d+") then
      meant = ("; did you mean 'sm_%d'?"):format(known)
    end
  end
  return ("%s (NVRTC %d.%d supports %s)"):format(meant, compiler.major, compiler.minor,
    table.concat(compiler.archs, " "))
end

local function is_arch(text)
  return text:find "^sm_%d+[af]?$" or text:find "^compute_%d+[af]?$" or text == "native"
end

local function read_arch(what, options)
  local arch = options.arch
  if type(arch) == "number" then arch = tostring(arch)
  else arch = read_text(what, options, "arch") end
  if arch == nil or is_arch(arch) then return arch end
  fail(what, "option 'arch': expected 'sm_NN', 'compute_NN' or 'native', got '%s'%s", arch,
    arch_hint(arch))
end

local function read_backend(what, options, default)
  local backend = read_text(what, options, "backend") or default
  if what == "preprocess" and backend == "nvrtc" then
    fail(what, "option 'backend': NVRTC does not show the preprocessed text: leave the option out")
  end
  if backend ~= "nvrtc" and backend ~= "nvcc" then
    fail(what, "option 'backend': expected 'nvrtc' or 'nvcc', got '%s'", backend)
  end
  if options.nvcc ~= nil and backend ~= "nvcc" then
    fail(what, "option 'nvcc': needs backend = 'nvcc'")
  end
  return backend
end

-- What becomes of host code: nil, or "strip".
local function read_host(what, options, backend)
  local host = read_text(what, options, "host")
  if host ~= nil and host ~= "strip" then
    fail(what, "option 'host': expected 'strip', got '%s'", host)
  end
  if host and backend == "nvcc" then
    fail(what, "option 'host': nvcc also compiles host code: leave the option out")
  end
  return host
end

local function read_include_dirs(what, options)
  return read_strings(what, options, "include_dirs")
end

local function read_instances(what, options)
  local names = read_strings(what, options, "instances")
  for i, name in ipairs(names) do names[i] = naming.normalize(name) end
  return names
end

-- Option -> function of the caller's name and the options (and the default backend, or the backend
-- for `host`).
return {
  flags = read_flags, defines = read_defines, include_dirs = read_include_dirs,
  headers = read_headers, instances = read_instances, arch = read_arch, backend = read_backend,
  host = read_host,
}
