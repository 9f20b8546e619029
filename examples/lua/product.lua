-- A matrix product, one thread for each element. lua/matmul.lua is faster.
--   Arguments: [M N K]: M x K times K x N
local cuda = require "luacuda"

local m, n, k = ...
m, n = math.tointeger(tonumber(m) or 60), math.tointeger(tonumber(n) or 70)
k = math.tointeger(tonumber(k) or 23)

local product = cuda.jit(function(C, A, B)
  for i, j in grid(#C, C.shape[2]) do
    local sum = float32(0) -- `0.0` would add up in the dtype of the elements as well
    for l = 1, #B do sum = sum + A[i][l] * B[l][j] end
    C[i][j] = sum
  end
end)

local A = cuda.arange(m * k, "float32"):reshape { m, k } % 16
local B = cuda.arange(k * n, "float32"):reshape { k, n } % 7
local C, D = cuda.empty { m, n }, cuda.empty { n, m }
product({ threads = { n, m } }, C, A, B)
product({ threads = { m, n } }, D, B:transpose(), A:transpose()) -- views of the same memory
assert(C:allclose(A:matmul(B)) and cuda.array_equal(D, C:transpose()))
print(("%d x %d x %d on %s: %s"):format(m, n, k, C.device.name, tostring(C[1])))

return A, B, C
