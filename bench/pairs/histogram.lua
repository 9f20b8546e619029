-- histogram: of bytes, with atomic operations on counts of the block in shared memory.
local cuda = require "luacuda"

local pair = { name = "histogram", gpu = 1 << 26, cpu = 1 << 19, tolerance = 0 }

function pair.lua(counts, bytes)
  local mine = shared("int32", 256)
  for v = threadIdx.x + 1, 256, blockDim.x do mine[v] = 0 end
  syncthreads()
  for i in grid(#bytes) do atomic_add(mine, int32(bytes[i]) + 1, 1) end
  syncthreads()
  for v = threadIdx.x + 1, 256, blockDim.x do atomic_add(counts, v, mine[v]) end
end

pair.cuda = [==[
  __global__ void histogram(int *__restrict__ counts, const unsigned char *__restrict__ bytes,
                            int n) {
    __shared__ int mine[256];
    for (int v = threadIdx.x; v < 256; v += blockDim.x) mine[v] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      atomicAdd(&mine[bytes[i]], 1);
    __syncthreads();
    for (int v = threadIdx.x; v < 256; v += blockDim.x) atomicAdd(&counts[v], mine[v]);
  }]==]

function pair.arrays(n)
  return { bytes = cuda.random.integers(0, 255, n, { dtype = "uint8" }),
    out = cuda.zeros(256, "int32") }
end

function pair.launch(n) return { grid = math.min(1024, (n + 1023) // 1024), block = 256 } end
function pair.for_lua(t) return t.out, t.bytes end
function pair.for_cuda(t, n) return t.out, t.bytes, n end

return pair
