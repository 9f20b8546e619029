-- What fuzz targets (spec/fuzz) share.
--
--   helper.attempt(allowed, fn, ...)   calls fn and returns its results, or nothing if it raised
--                                      an error meant for users: an error object, or a message
--                                      with the caller's position. An error from inside the
--                                      library ("...luacuda/cache.lua:12: attempt to index a nil
--                                      value") is raised again. `allowed`: a pattern of other
--                                      messages to accept, or nil
--   helper.path(name)                  a file in the folder for temporary files
--   helper.write(path, bytes)          writes a file, not atomically
local core = require "luacuda.core"

local function is_meant(e, allowed)
  if core.is_error(e) then return true end
  if type(e) ~= "string" then return false end
  if allowed and e:find(allowed) then return true end
  local place = e:match "^([^\n:]*):%d+: "
  return not (place and place:find "lua/luacuda/") and not e:find "^not enough memory"
    and not e:find "^bad argument"
end

local M = {}

function M.attempt(allowed, fn, ...)
  local results = table.pack(pcall(fn, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  if not is_meant(results[2], allowed) then
    error("not an error for users: " .. tostring(results[2]), 0)
  end
end

function M.path(name) return (os.getenv "TMPDIR" or "/tmp") .. "/" .. name end

function M.write(path, bytes)
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(bytes))
end

return M
