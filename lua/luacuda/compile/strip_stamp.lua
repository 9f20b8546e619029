-- strip_stamp.lua: what stands in keys of the cache for the code behind host = "strip": a digest of
-- its files, so that none of its changes goes unnoticed. Where there are no files to read, as in a
-- bundle, the version of the library has to do.

local core = require "luacuda.core"

-- Its text is read, not its table: it requires what uses this file.
local ROOT = "luacuda.compile." .. "strip_host"

-- Adds the text of a module, and of those of luacuda.source that it requires.
local function collect(name, texts, seen)
  if seen[name] then return end
  seen[name] = true
  local path = package and package.searchpath(name, package.path)
  local text = path and core.file_read(path) or ""
  texts[#texts + 1] = text
  for other in text:gmatch "require[ (]*\"(luacuda%.source%.[%w_]+)\"" do
    collect(other, texts, seen)
  end
end

local stamp

-- strip_stamp() -> the digest; the second result has the names of the modules as a set
return function()
  if stamp == nil then
    local texts, seen = {}, {}
    collect(ROOT, texts, seen)
    stamp = { digest = core.sha256(table.unpack(texts)), names = seen }
  end
  return stamp.digest, stamp.names
end
