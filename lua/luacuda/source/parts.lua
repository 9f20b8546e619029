-- parts.lua: what a linked module is made of: the options sources, binaries and libraries.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local given = require "luacuda.source.given"

local fail, whole_text = arguments.fail, arguments.whole_text

-- What the driver's linker calls the kinds (CUjitInputType); only nvJitLink takes the last.
local KINDS = { cubin = 0, ptx = 1, fatbin = 2, object = 3, library = 4, ltoir = 5 }
local IMAGES = { cubin = true, ptx = true, fatbin = true }
local KIND_NAMES = "'cubin', 'fatbin', 'library', 'ltoir', 'object' or 'ptx'"


local M = { kinds = KINDS, kind_names = KIND_NAMES }

-- ELF: machine code of a GPU (machine 190), or an object of the host with device code in it. No
-- machine is a damaged file, for check_code to refuse.
local function elf_kind(bytes)
  local machine = #bytes >= 20 and string.unpack("<I2", bytes, 19) or 0
  return (machine == 190 or machine == 0) and "cubin" or "object"
end

-- parts.kind(bytes) -> the kind of code: a key of KINDS; nil for anything else
function M.kind(bytes)
  if bytes:sub(1, 4) == "\127ELF" then return elf_kind(bytes) end
  if bytes:sub(1, 4) == "\80\237\85\186" then return "fatbin" end
  if bytes:sub(1, 8) == "!<arch>\n" then return "library" end
  if bytes:sub(1, 4) == "\237CN\127" then return "ltoir" end
  return given.is_ptx(bytes) and "ptx" or nil
end

local function as_list(what, key, v)
  if v == nil then return {} end
  if type(v) == "string" or given.is_source(v) then return { v } end
  if type(v) ~= "table" then fail(what, "option '%s': expected a list, got %s", key, type(v)) end
  core.list_check(v, ("%s: option '%s'"):format(what, key))
  return v
end

local function check_item(what, label, item, names)
  if type(item) ~= "table" then
    fail(what, "%s: expected a string or a table, got %s", label, type(item))
  end
  arguments.check_names(what .. ": " .. label, item, names)
end

local function read_path(what, label, path)
  if type(path) ~= "string" then
    fail(what, "%s: expected a path (string), got %s", label, type(path))
  end
  return given.read_file(what, whole_text(what, label, path))
end

-- parts.source(what, label, item) -> { text, path }, with the origin of a template; `label` names
-- it
local function read_source(what, label, item)
  if given.is_source(item) then
    return { text = item.text, origin = item.origin, callers = item.callers }
  end
  if type(item) == "string" and given.is_file_name(item) then item = { path = item } end
  if type(item) == "string" then return { text = item } end
  check_item(what, label, item, { "source", "path" })
  if (item.source == nil) == (item.path == nil) then
    fail(what, "%s: expected exactly one of source and path", label)
  end
  if item.source ~= nil then return read_source(what, label, item.source) end
  return { text = read_path(what, label, item.path), path = item.path }
end

M.source = read_source

-- parts.sources(what, list) -> list of { text, path, origin, callers }
function M.sources(what, list)
  local sources = {}
  for i, item in ipairs(as_list(what, "sources", list)) do
    local label = ("option 'sources': item %d"):format(i)
    sources[i] = read_source(what, label, item)
    whole_text(what, label, sources[i].text)
  end
  return sources
end

-- An item of code: its bytes, kind and name.
local function read_code(what, label, item, name)
  if type(item) == "string" then
    item = given.is_file_name(item) and { path = item } or { binary = item }
  end
  check_item(what, label, item, { "binary", "path", "kind", "name" })
  if (item.binary == nil) == (item.path == nil) then
    fail(what, "%s: expected exactly one of binary and path", label)
  end
  local bytes = item.binary or read_path(what, label, item.path)
  if type(bytes) ~= "string" then
    fail(what, "%s: expected a string, got %s", label, type(bytes))
  end
  return bytes, item.kind, item.name or item.path or name
end

-- parts.object(what, label, item, name) -> { data, kind, name }, ready for the driver's linker
function M.object(what, label, item, name)
  local bytes, kind
  bytes, kind, name = read_code(what, label, item, name)
  kind = kind or M.kind(bytes)
  if not kind then
    fail(what, "%s: neither PTX nor machine code nor a library (%d bytes)", label, #bytes)
  end
  if not KINDS[kind] then
    fail(what, "%s: kind: expected %s, got '%s'", label, KIND_NAMES, tostring(kind))
  end
  if IMAGES[kind] then given.check_code(what, label, bytes) end
  return { data = bytes, kind = KINDS[kind], kind_name = kind,
    name = whole_text(what, label .. ": the name", tostring(name)) }
end

-- parts.objects(what, list) -> list of { data, kind, name }
function M.objects(what, list)
  local objects = {}
  for i, item in ipairs(as_list(what, "binaries", list)) do
    objects[i] = M.object(what, ("option 'binaries': item %d"):format(i), item, "binary " .. i)
  end
  return objects
end

-- parts.libraries(what, list) -> list of names and paths
function M.libraries(what, list)
  local libraries = {}
  for i, item in ipairs(as_list(what, "libraries", list)) do
    if type(item) ~= "string" then
      fail(what, "option 'libraries': item %d: expected string, got %s", i, type(item))
    end
    libraries[i] = whole_text(what, ("option 'libraries': item %d"):format(i), item)
  end
  return libraries
end

return M
