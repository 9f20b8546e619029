-- .npy files.
local helper = require "spec.support.fuzz"
local core = require "luacuda.core"
local cuda = require "luacuda"

cuda.use "cpu"
local path = helper.path "fuzz.npy"

local function saved(array)
  array:save_npy(path)
  return assert(core.file_read(path))
end

local M = { seeds = {} }
for _, row in ipairs(core.dtypes()) do
  local ok, bytes = pcall(saved, cuda.ones({ 2, 3 }, row.name)) -- the format lacks some dtypes
  if ok then M.seeds[#M.seeds + 1] = bytes end
end
M.seeds[#M.seeds + 1] = saved(cuda.zeros { 0 })
M.seeds[#M.seeds + 1] = (saved(cuda.arange(4, "int16")):gsub("False", "True "):gsub("<i2", ">i2"))
M.seeds[#M.seeds + 1] = (saved(cuda.arange(4, "int16")):gsub("NUMPY\1\0(..)", "NUMPY\2\0%1\0\0"))

-- The elements as bytes. In a bool array every nonzero byte is true, and files contain 1 for it.
local function contents(array)
  return (array.dtype == "bool" and array:astype "uint8" or array):tobytes()
end

function M.read(bytes)
  helper.write(path, bytes)
  local array = helper.attempt(nil, cuda.load_npy, path)
  if not array then return end
  local again = cuda.load_npy(path, { out = array })
  assert(rawequal(array, again))
  assert(array.nbytes <= #bytes, "more elements than bytes")
  local copy = saved(array)
  helper.write(path, copy)
  assert(contents(cuda.load_npy(path)) == contents(array),
    "written and read again it is another array")
  array:close()
end

return M
