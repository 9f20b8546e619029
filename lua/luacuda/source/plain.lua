-- plain.lua: sources that are given without options, and what every option of the compiler is where
-- it is not given. options.lua reads everything else.

local core = require "luacuda.core"
local given = require "luacuda.source.given"
local naming = require "luacuda.source.naming"
local origins = require "luacuda.source.origins"
local settings = require("luacuda.base.later") "luacuda.source.settings"

local program_flags = {} -- set by the program, for every source of this state

-- Flags for every source, from the environment and the program, before those of the call.
local function default_flags()
  local flags = {}
  for flag in (core.getenv "LUACUDA_FLAGS" or ""):gmatch "%S+" do flags[#flags + 1] = flag end
  if #flags > 0 then flags = settings.flags("LUACUDA_FLAGS", { flags = flags }) end
  return table.move(program_flags, 1, #program_flags, #flags + 1, flags)
end

-- plain.set_flags(what, flags) sets the flags for every source that is given from now on; nil
-- leaves them. Returns the previous ones.
local function set_flags(what, flags)
  local before = program_flags
  if flags ~= nil then program_flags = settings.flags(what, { flags = flags }) end
  return table.move(before, 1, #before, 1, {})
end

-- Switch -> its default.
local SWITCHES = { debug = false, lineinfo = true, fast_math = false, rdc = false, cache = true,
  lto = false, extern_c = false }

-- plain.backend(what) -> the backend that compiles for a function of that name
local function default_backend(what) return what == "preprocess" and "nvcc" or "nvrtc" end

-- plain.settings(what, spec) fills a description (options.lua) with the defaults.
local function default_settings(what, spec)
  spec.flags = default_flags()
  spec.defines, spec.include_dirs, spec.headers, spec.instances = {}, {}, {}, {}
  spec.backend = default_backend(what)
  for key, default in pairs(SWITCHES) do spec[key] = default end
end

local function is_plain(source, name)
  return type(source) == "string" and (name == nil or type(name) == "string")
    and not source:find("\0", 1, true) and not given.is_file_name(source)
    and not given.is_cubin(source) and not given.is_ptx(source)
end

-- plain.read(what, source [, name]) -> spec; nil for everything else that options.read reads or
-- refuses
local function read(what, source, name, ...)
  if select("#", ...) > 0 or not is_plain(source, name) then return nil end
  if name and name:find("\0", 1, true) then return nil end
  local spec = { what = what, text = source, name = name and naming.normalize(name) }
  spec.origin, spec.callers = origins.register(source, "source")
  default_settings(what, spec)
  return spec
end

return {
  read = read, settings = default_settings, backend = default_backend, set_flags = set_flags,
  switches = SWITCHES,
}
