-- linker.lua: cuda.linker: collects sources, code and libraries one by one, and links them.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local loading = require "luacuda.kernel.loading"
local modules = require "luacuda.kernel.module"
local given = require "luacuda.source.given"
local options = require "luacuda.source.options"
local origins = require "luacuda.source.origins"
local parts = require "luacuda.source.parts"

local fail = arguments.fail

local methods = core.class "Linker"

-- cuda.linker([options]) -> Linker
local function linker(opts, ...)
  if select("#", ...) > 0 then fail("linker", "too many arguments") end
  if opts ~= nil and type(opts) ~= "table" then
    fail("linker", "expected options (a table), got %s", type(opts))
  end
  local copy = {}
  for key, value in pairs(opts or {}) do copy[key] = value end
  options.check("linker", copy)
  return core.linker_new{ options = copy, sources = {}, objects = {}, libraries = {} }
end

-- Keeps a source, with the place of its text.
local function add_source(state, source)
  if not source.origin then
    source.origin, source.callers = origins.register(source.text, "source", source.path)
  end
  state.sources[#state.sources + 1] = source
end

local function add_object(state, item, kind, name)
  state.objects[#state.objects + 1] = parts.object("linker:add", "argument 1",
    { binary = item, kind = kind, name = name }, "object " .. #state.objects + 1)
end

-- What a text is: code of some kind, the name of a library, or source.
local function kind_of(item)
  return parts.kind(item) or item:find "^[%w_]+$" and "library" or "source"
end

-- The bytes of an item that may be the name of a file, that name, and its kind.
local function read_item(item, kind)
  if kind == "library" and not item:find("^!<arch>") then return item, nil, "library" end
  if not given.is_file_name(item) then return item, nil, kind or kind_of(item) end
  local bytes = given.read_file("linker:add", item)
  return bytes, item, kind or parts.kind(bytes) or "source"
end

local KINDS = { source = true, library = true }
for kind in pairs(parts.kinds) do KINDS[kind] = true end

local function read_options(opts)
  if opts ~= nil and type(opts) ~= "table" then
    fail("linker:add", "expected options (a table), got %s", type(opts))
  end
  opts = opts or {}
  arguments.check_names("linker:add", opts, { "kind", "name" })
  if opts.kind ~= nil and not KINDS[opts.kind] then
    fail("linker:add", "option 'kind': expected 'source' or %s, got '%s'", parts.kind_names,
      tostring(opts.kind))
  end
  if opts.name ~= nil and type(opts.name) ~= "string" then
    fail("linker:add", "option 'name': expected string, got %s", type(opts.name))
  end
  return opts.kind, opts.name
end

local function add(state, item, kind, name)
  if given.is_source(item) then
    return add_source(state, parts.source("linker:add", "argument 1", item))
  end
  if type(item) ~= "string" then
    fail("linker:add", "expected source, code or a file name (a string), got %s", type(item))
  end
  local bytes, path, found = read_item(item, kind)
  if found == "library" and not bytes:find "^!<arch>" then
    state.libraries[#state.libraries + 1] = arguments.whole_text("linker:add", "the library", bytes)
  elseif found == "source" then
    arguments.whole_text("linker:add", "the source", bytes)
    add_source(state, { text = bytes, path = path })
  else
    add_object(state, bytes, found, name or path)
  end
end

-- Is it the log that cuda.compile returns after the code?
local function is_log(item, opts)
  return type(opts) == "string" and type(item) == "string" and parts.kind(item) ~= nil
end

-- linker:add(item [, { kind =, name = }]) -> Linker
function methods.add(self, item, opts, ...)
  local state = core.linker_state(self)
  if select("#", ...) > 0 then fail("linker:add", "too many arguments") end
  if is_log(item, opts) then opts = nil end
  add(state, item, read_options(opts))
  return self
end

local function spec_of(what, self)
  local state = core.linker_state(self)
  if #state.sources + #state.objects == 0 then fail(what, "nothing was added") end
  local function copy(list) return table.move(list, 1, #list, 1, {}) end
  return options.linked(what, state.options, { sources = copy(state.sources),
    objects = copy(state.objects), libraries = copy(state.libraries) })
end

-- linker:complete() -> the linked code, the driver's log
function methods.complete(self, ...)
  options.no_more("linker:complete", ...)
  local spec = spec_of("linker:complete", self)
  local artifact = loading.link(spec, core.device())
  return artifact.code, artifact.report.info_log
end

-- linker:module() -> Module
function methods.module(self, ...)
  options.no_more("linker:module", ...)
  return modules.new(spec_of("linker:module", self))
end

return { linker = linker }
