-- Measures array operations of LuaCUDA on GPU 0 and prints "name value" lines. Rows that
-- bench/arrays.lua shows as a share of the copy bandwidth are in GB/s, where each input counts as
-- read once and each output as written once. Others say their unit there.
--   array_rows.lua [NAME...]: only these rows
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local cuda = require "luacuda"
local measure = require "measure"

cuda.use(0)
measure.row("copy", function()
  local x, z = measure.empty "float32", measure.empty "float32"
  return measure.rate(8 * measure.N, function() cuda.copy(z, x) end)
end)
require "rows_elementwise"
require "rows_reductions"
require "rows_shapes"
require "rows_random"
require "rows_sort"
require "rows_calls"
