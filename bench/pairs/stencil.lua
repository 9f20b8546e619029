-- stencil: a step of heat in a plate, from the four neighbors of each point.
local cuda = require "luacuda"

local RATE = 0.2

local pair = { name = "stencil", gpu = 8192, cpu = 512 }

function pair.lua(later, now)
  for row, column in grid(#now - 2, now.shape[2] - 2) do
    local i, j = row + 1, column + 1
    local around = now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]
    later[i][j] = now[i][j] + RATE * (around - 4 * now[i][j])
  end
end

pair.cuda = [==[
  __global__ void stencil(float *__restrict__ later, const float *__restrict__ now, int rows,
                          int columns) {
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int i = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i >= rows - 1 || j >= columns - 1) return;
    int at = i * columns + j;
    float around = now[at - columns] + now[at + columns] + now[at - 1] + now[at + 1];
    later[at] = now[at] + 0.2f * (around - 4 * now[at]);
  }]==]

function pair.arrays(n)
  return { now = cuda.random.uniform { n, n }, out = cuda.zeros { n, n } }
end
function pair.launch(n) return { threads = { n - 2, n - 2 }, block = { 32, 8 } } end
function pair.for_lua(t) return t.out, t.now end
function pair.for_cuda(t, n) return t.out, t.now, n, n end

return pair
