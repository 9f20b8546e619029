-- options.lua: the argument forms of cuda.module, cuda.kernel and cuda.compile, made into one plain
-- description, called spec:
--
--   what                                     "kernel", "module", "compile", "linker", "preprocess"
--                                            or "device_function", which begins messages
--   text, origin, callers, path              source, or
--   binary, binary_kind                      code: "ptx" or "cubin"
--   name, instances                          normalized names
--   flags, defines, include_dirs             lists of strings; headers: name -> text
--   std, arch, backend, nvcc, target         strings
--   host                                     "strip": without host code; or nil
--   debug, lineinfo, fast_math, rdc, cache, lto, extern_c   booleans
--   jit                                      options of the driver's compiler (driver_options.lua)
--   on_message                               function that receives its messages
--   on_load                                  function of the module and the device it is loaded on
--   keep, cache_dir                          folders, or nil
--   link                                     what is linked: { units = list of descriptions, one
--                                            for each source, objects =, libraries = }
--                                            (parts.lua); text is then that of all sources

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local later = require "luacuda.base.later"
local given = require "luacuda.source.given"
local driver_options = later "luacuda.source.driver_options"
local naming = require "luacuda.source.naming"
local origins = require "luacuda.source.origins"
local plain = require "luacuda.source.plain"
local linking = later "luacuda.source.linking"
local settings = later "luacuda.source.settings"

local fail, whole_text = arguments.fail, arguments.whole_text
local typed, read_text = arguments.typed, arguments.text_option

local NAMES = { "source", "path", "binary", "name", "flags", "defines", "include_dirs", "headers",
  "std",
  "arch", "instances", "backend", "debug", "lineinfo", "fast_math", "rdc", "cache", "target",
  "sources", "binaries", "libraries", "jit", "on_message", "lto",
  "on_load", "keep", "cache_dir", "nvcc", "extern_c",
  "host" }
-- Functions that load nothing.
local UNLOADED = { compile = true, preprocess = true }
-- Options that not every function has.
local LOADED = { module = true, kernel = true }
local LINKED = { module = true, kernel = true, linker = true }
local NAMED = { kernel = true, device_function = true }
local ONLY = { target = { compile = true }, name = NAMED, sources = LOADED,
  binaries = LOADED, libraries = LOADED, jit = LINKED, on_message = LINKED,
  lto = LINKED, on_load = LOADED }

-- Source or code ----------------------------------------------------------------------------------

local function check_source(what, source)
  if given.is_template(source) then
    fail(what, "expected source, got a template: call it with its values first, as in tpl{ N = 4 }")
  end
  if type(source) ~= "string" then
    fail(what, "expected source (a string), got %s", type(source))
  end
  if given.is_file_name(source) then
    fail(what, "expected source, got what looks like a file name: { path = %q } reads the file",
      source)
  end
  return source
end

local function check_one_given(what, options)
  local keys = {}
  for _, key in ipairs { "source", "path", "binary" } do
    if options[key] ~= nil then keys[#keys + 1] = key end
  end
  if #keys == 1 then return end
  fail(what, "expected exactly one of source, path and binary, got %s",
    #keys == 0 and "none" or table.concat(keys, " and "))
end

-- The text that source, path or binary gives. Fills spec.path, or spec.origin and spec.callers.
local function read_given(what, spec, options)
  check_one_given(what, options)
  if options.path then
    spec.path = read_text(what, options, "path")
    return given.read_file(what, spec.path)
  end
  if options.binary then return typed(what, options, "binary", "string") end
  local source = options.source
  if not given.is_source(source) then return check_source(what, source) end
  spec.origin, spec.callers = source.origin, source.callers
  return source.text
end

local function take_text(what, spec, options)
  local text = read_given(what, spec, options)
  local kind = given.is_cubin(text) and "cubin" or given.is_ptx(text) and "ptx"
  if kind then
    given.check_code(what, spec.path or "the code", text)
    spec.binary, spec.binary_kind = text, kind
  elseif options.binary then
    fail(what, "option 'binary': neither PTX nor a cubin (%d bytes)", #text)
  else
    spec.text = whole_text(what, "the source", text)
    if not spec.origin then
      spec.origin, spec.callers = origins.register(text, "source", spec.path)
    end
  end
end

-- Linked modules ----------------------------------------------------------------------------------

local function has_parts(options)
  return options.sources ~= nil or options.binaries ~= nil or options.libraries ~= nil
end

-- All options -------------------------------------------------------------------------------------

local function backend_of(what, options)
  local default = plain.backend(what)
  if options.backend == nil and options.nvcc == nil then return default end
  return settings.backend(what, options, default)
end

-- Fills spec[key] with the list or table that settings.lua makes of an option that is given.
local function take(what, spec, options, key)
  if options[key] ~= nil then spec[key] = settings[key](what, options) end
end

local function take_flags(what, spec, options)
  if options.flags == nil then return end
  local flags = settings.flags(what, options)
  table.move(flags, 1, #flags, #spec.flags + 1, spec.flags)
end

local function take_settings(what, spec, options, linked)
  plain.settings(what, spec)
  take_flags(what, spec, options)
  spec.keep = read_text(what, options, "keep")
  spec.cache_dir = read_text(what, options, "cache_dir")
  take(what, spec, options, "defines")
  take(what, spec, options, "include_dirs")
  take(what, spec, options, "headers")
  spec.std = read_text(what, options, "std")
  spec.arch = options.arch ~= nil and settings.arch(what, options) or nil
  spec.backend = backend_of(what, options)
  spec.nvcc = read_text(what, options, "nvcc")
  spec.host = options.host ~= nil and settings.host(what, options, spec.backend) or nil
  for key in pairs(plain.switches) do
    if options[key] ~= nil then spec[key] = typed(what, options, key, "boolean") end
  end
  if linked and options.rdc == false then
    fail(what, "option 'rdc': what is linked is relocatable: leave it out")
  end
  spec.rdc = spec.rdc or spec.lto or linked ~= nil
  if spec.rdc and not UNLOADED[what] and spec.arch and spec.arch:find "^sm_" then
    fail(what, "option 'rdc': relocatable code is loaded as PTX: expected arch = 'compute_%s' or "
      .. "none",
      spec.arch:match "%d+%l?")
  end
  take(what, spec, options, "instances")
  spec.target = read_text(what, options, "target")
  if options.jit ~= nil then spec.jit = driver_options.read(what, options.jit) end
  if spec.lto then driver_options.check_lto(what, options.jit or {}) end
  if linked then driver_options.check_linked(what, options.jit or {}) end
  spec.on_message = typed(what, options, "on_message", "function")
  spec.on_load = typed(what, options, "on_load", "function")
end

local function check_names(what, options)
  arguments.check_names(what, options, NAMES)
  for key, only in pairs(ONLY) do
    if options[key] ~= nil and not only[what] then
      fail(what, "unknown option '%s'%s", key, core.near(key, NAMES, "options"))
    end
  end
end

-- The options of a call that does not give everything in one table: source, perhaps a name,
-- options.
local function join_options(what, first, second, third)
  local name
  if NAMED[what] and type(second) == "string" then name, second = second, third
  elseif third ~= nil then fail(what, "too many arguments") end
  if second ~= nil and type(second) ~= "table" then
    fail(what, "expected options (a table), got %s", type(second))
  end
  local options = {}
  for key, value in pairs(second or {}) do options[key] = value end
  if options.source ~= nil then fail(what, "option 'source' is given twice") end
  if first == nil and options.path == nil and options.binary == nil and not has_parts(options) then
    fail(what, "expected source (a string), got nil")
  end
  options.source = first
  if name then options.name = name end
  return options
end

local function is_one_table(first)
  return type(first) == "table" and not given.is_source(first)
    and not given.is_template(first)
end

-- options.read(what, ...) -> spec. `what` is "kernel", "module", "compile", "preprocess" or
-- "device_function"; the arguments are the user's own. Raises strings that start with `what`, at
-- the user's position.
local function read(what, first, second, third, ...)
  if select("#", ...) > 0 then fail(what, "too many arguments") end
  local options = first
  if not is_one_table(first) then options = join_options(what, first, second, third)
  elseif second ~= nil then
    fail(what, "with everything in one table there is no second argument")
  end
  check_names(what, options)
  local spec, linked = { what = what }, nil
  if has_parts(options) then linked = linking.read(what, spec, options, take_text)
  else take_text(what, spec, options) end
  take_settings(what, spec, options, linked)
  if not linked and spec.rdc and spec.text and not UNLOADED[what] then
    linked = { sources = { spec }, objects = {}, libraries = {} }
  end
  if linked then linking.take(spec, linked) end
  local name = read_text(what, options, "name")
  spec.name = name and naming.normalize(name)
  return spec
end

local function copy(t)
  local new = {}
  for key, value in pairs(t) do new[key] = value end
  return new
end

-- options.given(spec) -> the options for the compiler in a new table, in the form in which they are
-- given; empty for code that was not compiled here
local function given_options(spec)
  if not spec.text then return {} end
  local t = { std = spec.std, arch = spec.arch, backend = spec.backend, nvcc = spec.nvcc,
    host = spec.host, defines = {} }
  for key in pairs(plain.switches) do t[key] = spec[key] end
  for _, key in ipairs { "flags", "include_dirs", "headers", "instances" } do
    t[key] = copy(spec[key])
  end
  for _, flag in ipairs(spec.defines) do
    local name, value = flag:match "^%-D([%w_]+)=(.*)$"
    t.defines[name] = value
  end
  return t
end

-- options.linked(what, options, parts) -> spec of what a Linker has collected: { sources, objects,
-- libraries }, as parts.lua reads them
local function linked(what, options, collected)
  local spec = { what = what }
  take_settings(what, spec, options, collected)
  linking.take(spec, collected)
  return spec
end

-- options.check(what, options) raises for options that are wrong in themselves.
local function check(what, options)
  for _, key in ipairs { "source", "path", "binary", "sources", "binaries", "libraries" } do
    if options[key] ~= nil then
      fail(what, "option '%s': add what is linked with linker:add", key)
    end
  end
  check_names(what, options)
  take_settings(what, {}, options, true)
end

-- options.compiler(what, options) -> a description with only the compiler, { backend =, nvcc = }
local function compiler_of(what, options)
  if options ~= nil and type(options) ~= "table" then
    fail(what, "expected options (a table), got %s", type(options))
  end
  options = options or {}
  arguments.check_names(what, options, { "backend", "nvcc" })
  return { backend = backend_of(what, options), nvcc = read_text(what, options, "nvcc") }
end

-- options.no_more(what, ...) raises for further arguments of a method that takes none.
local function no_more(what, ...)
  if type((...)) == "table" then
    fail(what, "unknown options: give options of the compiler to cuda.module or cuda.kernel")
  end
  if select("#", ...) > 0 then fail(what, "too many arguments") end
end

return {
  read = read, compiler = compiler_of, given = given_options,
  linked = linked, check = check, no_more = no_more,
}
