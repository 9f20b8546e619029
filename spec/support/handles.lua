-- Handles of arrays and events (docs: array:ipc_handle), as text for command lines and as fields.
local M = {}

function M.hex(bytes)
  return (bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

-- The handle with the right checksum.
function M.with_sum(bytes)
  if #bytes < 16 then return bytes end
  local sum = require("luacuda.core").crc32(bytes:sub(17))
  return bytes:sub(1, 12) .. ("<I4"):pack(sum) .. bytes:sub(17)
end

-- The handle with other bytes from offset `at` on, and the right checksum.
function M.patched(bytes, at, new)
  return M.with_sum(bytes:sub(1, at) .. new .. bytes:sub(at + #new + 1))
end

-- Lua code for a child process: `arg` as bytes.
M.PRELUDE = [[
  local cuda = require "luacuda"
  local given = {}
  for i, text in ipairs(arg) do
    given[i] = text:gsub("%x%x", function(c) return string.char(tonumber(c, 16)) end)
  end
  local function raises(part, fn, ...)
    local ok, e = pcall(fn, ...)
    assert(not ok, "nothing was raised")
    assert(tostring(e):find(part, 1, true), tostring(e))
  end
]]

return M
