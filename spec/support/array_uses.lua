-- The model of spec/device/order_spec.lua: uses of an array, each a row that states its effect on
-- the array's value, and hence the expected result of a sequence of uses.
local assert = require "luassert"
local cuda = require "luacuda"

local M = {}

local N = 8192 -- int32: above the size that the pool serves without stream order
M.N = N

-- `gate` holds a stream back until a word is set, or the time is over; `spin` takes a time.
M.SOURCE = [==[
__device__ static long long now() {
  long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
extern "C" {
__global__ void gate(volatile int *word, long long limit) {
  long long start = now();
  while (word[0] == 0) if (now() - start > limit) { word[1] = 1; return; }
}
__global__ void spin(volatile int *word, long long ns) {
  long long start = now();
  while (now() - start < ns) ;
  if (word) word[0] = 1;
}
__global__ void read(const int *x, int *y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i];
}
__global__ void write(int *x, int v, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = v;
}
__global__ void update(int *x, int v, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = x[i] * 3 + v;
}
__global__ void part(int *x, int v, int first, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[first + i] = v;
}
__global__ void peek(const int *x, int *y, int first, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[first + i];
}
}]==]

local running = cuda.scan("int32 x", "int32 y", "x", "a + b", 0, "running")
local tripled = cuda.tiled(function(x, v)
  local i = program(1)
  store(x, { i }, load(x, { i }, { 1024 }) * 3 + v)
end)

-- Uses of an array `c.x`. run(c, s, v, out, src): queues the use on stream s; v: a number to write;
-- out: receives what it reads; src: an array of v. value(old, v): the array's value afterwards.
-- `reads`: out receives the array's value.
local USES = {
  { name = "kernel that reads", reads = true,
    run = function(c, s, _, out) c.k.read({ grid = 1, block = 32, stream = s }, c.x, out, N) end },
  { name = "kernel that writes", writes = true, value = function(_, v) return v end,
    run = function(c, s, v) c.k.write({ grid = 1, block = 32, stream = s }, c.x, v, N) end },
  { name = "kernel that updates", writes = true, value = function(old, v) return old * 3 + v end,
    run = function(c, s, v) c.k.update({ grid = 1, block = 32, stream = s }, c.x, v, N) end },
  { name = "fill", writes = true, value = function(_, v) return v end,
    run = function(c, s, v) c.x:fill(v, { stream = s }) end },
  { name = "copy in", writes = true, value = function(_, v) return v end,
    run = function(c, s, _, _, src) cuda.copy(c.x, src, { stream = s }) end },
  { name = "copy out", reads = true,
    run = function(c, s, _, out) cuda.copy(out, c.x, { stream = s }) end },
  { name = "operator on it", reads = true,
    run = function(c, s, _, out) cuda.add(c.x, 0, { out = out, stream = s }) end },
  { name = "operator into it", writes = true, value = function(_, v) return v end,
    run = function(c, s, _, _, src) cuda.add(src, 0, { out = c.x, stream = s }) end },
  { name = "reduction", reads = true, small = true,
    run = function(c, s, _, out) c.x:max { axis = 1, out = out:slice(1), stream = s } end },
  { name = "reduction into it", writes = true, value = function(_, v) return v end,
    run = function(c, s, _, _, src)
      src:reshape { 1, N }:max { axis = 1, out = c.x, stream = s }
    end },
  { name = "scan", reads = true, small = true,
    run = function(c, s, _, out) running(c.x, out, { stream = s }) end },
  { name = "kernel over tiles", writes = true, value = function(old, v) return old * 3 + v end,
    run = function(c, s, v) cuda.with_stream(s, tripled, { tiles = c.x }, c.x, v) end },
}

-- Uses by the host wait before they return, so only the second of two uses may be one.
local HOST_USES = {
  { name = "totable", reads = true, host = true,
    run = function(c, _, _, out) out:set(c.x:totable()) end },
  { name = "item", reads = true, host = true,
    run = function(c, _, _, out) out:fill(c.x:item(N)) end },
  { name = "sum", reads = true, host = true,
    run = function(c, _, _, out) out:fill(c.x:sum() // N) end },
  { name = "equals", reads = true, host = true, run = function(c, _, _, out)
    out:fill(c.x:item(1))
    assert.is_true(c.x:equals(cuda.full(N, out:item(1), "int32")))
  end },
  { name = "selection", reads = true, host = true, small = true, -- it reads the indices
    run = function(c, s, _, out) c.x:take(c.one, { out = out:slice { 1, 1 }, stream = s }) end },
  { name = "set", writes = true, host = true, value = function(_, v) return v end,
    run = function(c, _, v) c.x:set(v) end },
  { name = "set from bytes", writes = true, host = true, value = function(_, v) return v end,
    run = function(c, _, v) c.x:set(string.pack("<i4", v):rep(N)) end },
  { name = "elements written", writes = true, host = true, value = function(_, v) return v end,
    run = function(c, _, v) for i = 1, N do c.x[i] = v end end },
}

function M.named(...)
  local found = {}
  for _, name in ipairs { ... } do
    for _, list in ipairs { USES, HOST_USES } do
      for _, use in ipairs(list) do
        if use.name == name then found[#found + 1] = use end
      end
    end
  end
  assert(#found == select("#", ...))
  return found
end

M.USES, M.HOST_USES = USES, HOST_USES

return M
