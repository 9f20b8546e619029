-- Text files of numbers. The first byte of an input selects the options.
local helper = require "spec.support.fuzz"
local cuda = require "luacuda"

cuda.use "cpu"
local path = helper.path "fuzz.csv"
local DELIMITERS, DTYPES = { ",", ";", " ", "\t" }, { "float64", "float32", "int64", "uint8" }

local M = { seeds = {
  "\0x,\"y \"\"z\"\"\"\n1,2.5e-3\n\n-3,\"4\"\r\n", "\5#c\n1;NA\n;3\n", "\2 1  2\n3\t4 \n",
  "\12" .. "1,2\n300,4\n", "\16a,b\n\"c\nd\",2\n",
} }

function M.read(bytes)
  local kind = bytes:byte() or 0
  helper.write(path, bytes:sub(2))
  local options = { delimiter = DELIMITERS[(kind & 3) + 1],
    dtype = DTYPES[(kind >> 2 & 3) + 1], comment = "#",
    columns = kind & 16 ~= 0 and { 2 } or nil }
  local array = helper.attempt(nil, cuda.load_csv, path, options)
  if not array then return end
  if array.size > 0 then
    array:save_csv(path)
    local again = cuda.load_csv(path, { dtype = array.dtype, header = false })
    assert(again:allclose(array, { equal_nan = true, rtol = 0, atol = 0 }),
      "written and read again it is another array")
  end
  array:close()
end

return M
