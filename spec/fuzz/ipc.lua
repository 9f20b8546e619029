-- Handles of arrays and events of other processes. Unless the last byte of an input is odd, its
-- checksum is corrected first; otherwise hardly any input would pass it.
local helper = require "spec.support.fuzz"
local handles = require "spec.support.handles"
local cuda = require "luacuda"

cuda.use "cpu"
local whole = cuda.arange(24, "int32", { ipc = true })
local cube = whole:reshape { 2, 3, 4 }

local M = { seeds = { whole:ipc_handle(), cube:transpose():ipc_handle(),
  cube:slice({}, 2, { 4, 1, -2 }):ipc_handle(), cube:view("uint8"):ipc_handle() } }

function M.read(bytes)
  if (bytes:byte(-1) or 0) % 2 == 0 then bytes = handles.with_sum(bytes) end
  local array = helper.attempt(nil, cuda.open_ipc, bytes)
  if not array then return end
  if array.nbytes < 1e6 then assert(array.nbytes == #array:tobytes()) end -- broadcast: any size
  array:close()
end

return M
