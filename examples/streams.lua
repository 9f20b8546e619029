-- Two streams: while one copies a piece, the other computes on the previous piece.
--   Arguments: [PIECES [PIECE SIZE]]
local cuda = require "luacuda"

local pieces, size = ...
pieces, size = math.tointeger(tonumber(pieces) or 8), math.tointeger(tonumber(size) or 100000)

local cube = cuda.kernel [==[
  __global__ void cube(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * x[i] * x[i];
  }]==]

-- Pinned host memory: copies from and to it run at the same time as kernels.
local input, output = cuda.pinned(pieces * size, "float32"), cuda.pinned(pieces * size, "float32")
for i = 1, pieces * size do input[i] = i % 50 end

local streams, buffers = {}, {}
for i = 1, 2 do
  streams[i] = cuda.stream()
  buffers[i] = cuda.empty(size, "float32", { stream = streams[i] })
end

local start, stop = cuda.event(), cuda.event()
start:record(streams[1])
streams[2]:wait(start)
for piece = 1, pieces do
  local stream, buffer = streams[piece % 2 + 1], buffers[piece % 2 + 1]
  local range = { (piece - 1) * size + 1, piece * size }
  cuda.copy(buffer, input:slice(range), { stream = stream })
  cube({ threads = size, stream = stream }, buffer, size)
  cuda.copy(output:slice(range), buffer, { stream = stream })
end
streams[1]:wait(streams[2])
stop:record(streams[1])
print(("%d pieces of %d numbers in %.3f ms"):format(pieces, size, stop:elapsed_ms(start)))

return input, output
