-- cache_public.lua: cuda.cache.

local core = require "luacuda.core"
local arity = require "luacuda.base.arity"
local cache = require "luacuda.compile.cache"

-- Calls fn(path, bytes) for every entry on disk.
local function each_file(fn)
  local d = cache.dir()
  for _, sub in ipairs(d and core.file_list(d) or {}) do
    if sub:find("^%x%x$") then
      for _, name in ipairs(core.file_list(d .. "/" .. sub) or {}) do
        local path = ("%s/%s/%s"):format(d, sub, name)
        local size = core.file_stat(path)
        if size then fn(path, size) end
      end
    end
  end
end

local public = {}

-- cuda.cache.dir() -> the directory in use, or nil when caching on disk is off
public.dir = cache.dir

-- cuda.cache.clear() removes every entry, in memory and on disk; returns the number of bytes freed.
function public.clear()
  cache.forget()
  local bytes = 0
  each_file(function(path, size)
    if core.file_remove(path) then bytes = bytes + size end
  end)
  return bytes
end

-- cuda.cache.stats() -> { hits, misses, damaged, written, failed, files, bytes }: the counts of
-- this process and what is on disk
function public.stats()
  local s = { files = 0, bytes = 0 }
  for k, v in pairs(cache.stats) do s[k] = v end
  each_file(function(_, size)
    s.files, s.bytes = s.files + 1, s.bytes + size
  end)
  return s
end

for name, fn in pairs(public) do public[name] = arity.limited(name, fn, "Cache." .. name) end

return { cache = public }
