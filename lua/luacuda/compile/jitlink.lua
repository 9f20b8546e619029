-- jitlink.lua: which nvJitLink links. Like NVRTC's, its version is recorded, because opening it
-- takes milliseconds.

local core = require "luacuda.core"
local cache = require "luacuda.compile.cache"
local toolchain = require "luacuda.compile.toolchain"

local FORMAT = "nvjitlink 1" -- increase the number when the fields of the record change

-- jitlink.text() -> text that stands for nvJitLink: its file and version
local function text()
  local key = toolchain.search_key(FORMAT)
  local it = cache.get_record("nvjitlink", key)
  if not it or it.stamp ~= toolchain.stamp(it.path) then
    local path, major, minor = core.jitlink()
    it = { path = path, major = major, minor = minor, stamp = toolchain.stamp(path) }
    cache.put_record("nvjitlink", key, it)
  end
  return ("%s %s %d.%d"):format(it.path, it.stamp, it.major, it.minor)
end

return { text = text }
