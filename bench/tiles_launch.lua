-- tiles_launch.lua: launches of kernels over tiles: the same again, with two pairs of arrays in
-- turn, with tensor maps.
local cuda = require "luacuda"

local M = {}

-- rows() -> a list of { name, the function that launches }
function M.rows()
  local saxpy = cuda.tiled(function(y, x, a)
    local i = program(1)
    store(y, { i }, a * load(x, { i }, { 256 }) + load(y, { i }, { 256 }))
  end)
  local product = cuda.tiled(function(c, a, b)
    local sum = zeros("float32", 64, 64)
    for k = 1, tiles(a, 2, 64) do
      sum = dot(load(a, { 1, k }, { 64, 64 }), load(b, { k, 1 }, { 64, 64 }), sum)
    end
    store(c, { 1, 1 }, sum)
  end)
  local x, y, z = cuda.zeros(256), cuda.zeros(256), cuda.zeros(256)
  local a, b = cuda.zeros({ 64, 64 }, "float16"), cuda.zeros({ 64, 64 }, "float16")
  local c = cuda.zeros({ 64, 64 }, "float16")
  local first, second, one, of_c = { tiles = y }, { tiles = z }, { programs = 1 }, { tiles = c }
  local turn = false
  return {
    { "cuda.tiled, tiles", function() saxpy(first, y, x, 2) end },
    { "cuda.tiled, programs", function() saxpy(one, y, x, 2) end },
    { "  arrays in turn", function()
      turn = not turn
      if turn then saxpy(first, y, x, 2) else saxpy(second, z, x, 2) end
    end },
    { "  with three tensor maps", function() product(of_c, c, a, b) end },
    { "    arrays in turn", function()
      turn = not turn
      if turn then product(of_c, c, a, b) else product(of_c, c, b, a) end
    end },
  }
end

return M
