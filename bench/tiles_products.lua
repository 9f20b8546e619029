-- tiles_products.lua: the products of matrices that bench/tiles*.lua measure.
local cuda = require "luacuda"

-- products(M, N, K, warps [, cluster]) -> kernels for c = a b by the layouts of a and b: n as they
-- are, t transposed
local function products(M, N, K, warps, cluster)
  local made = {}
  function made.nn(c, a, b)
    local i, j = program(1), program(2)
    local sum = zeros("float32", M, N)
    for k = 1, tiles(a, 2, K) do
      sum = dot(load(a, { i, k }, { M, K }), load(b, { k, j }, { K, N }), sum)
    end
    store(c, { i, j }, sum)
  end
  function made.nt(c, a, b)
    local i, j = program(1), program(2)
    local sum = zeros("float32", M, N)
    for k = 1, tiles(a, 2, K) do
      sum = dot(load(a, { i, k }, { M, K }), transpose(load(b, { j, k }, { N, K })), sum)
    end
    store(c, { i, j }, sum)
  end
  function made.tn(c, a, b)
    local i, j = program(1), program(2)
    local sum = zeros("float32", M, N)
    for k = 1, tiles(a, 1, K) do
      sum = dot(transpose(load(a, { k, i }, { K, M })), load(b, { k, j }, { K, N }), sum)
    end
    store(c, { i, j }, sum)
  end
  local list = {}
  for name, fn in pairs(made) do
    list[name] = cuda.tiled(fn, { warps = warps, cluster = cluster })
  end
  return list
end

return { products = products }
