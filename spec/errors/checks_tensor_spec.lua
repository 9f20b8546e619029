-- Stores of boxes into tensors with LUACUDA_CPU_CHECK=all, at random places: two blocks race if
-- their boxes overlap in the tensor and hold different values, and what they have stored counts as
-- written.
local helper = require "spec.helper"

local PROGRAM = [==[
local cuda = require "luacuda"
local random = require("spec.support.data").random(tonumber(arg[1]))
local ROWS, COLUMNS, HEIGHT, WIDTH, UNIT = 7, 12, 3, 8, 4
local m = cuda.module([[
  #include "hopper.h"
  extern "C" __global__ void put(const __grid_constant__ Map map, int x0, int y0, int v0, int x1,
                                 int y1, int v1) {
    __shared__ alignas(128) int s[24];
    int first = blockIdx.x == 0;
    if (threadIdx.x < 24) s[threadIdx.x] = first ? v0 : v1;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      store(&map, first ? x0 : x1, first ? y0 : y1, s);
      commit();
      stored<0>();
    }
  }
  extern "C" __global__ void get(const int *p, int at, int *o) { *o = p[at]; }
]], require("spec.support.hopper").options({}, {}))
local put, get, out = m:kernel "put", m:kernel "get", cuda.zeros(1, "int32")

-- The elements of a box that are in the tensor, as a set of indices.
local function cells(x, y)
  local set = {}
  for r = y, math.min(y + HEIGHT, ROWS) - 1 do
    for c = x, math.min(x + WIDTH, COLUMNS) - 1 do set[r * COLUMNS + c] = true end
  end
  return set
end

local function meet(a, b)
  for at in pairs(a) do
    if b[at] then return true end
  end
  return false
end

local function fault_of(kernel, ...)
  local ok, e = pcall(function(...)
    kernel(...)
    cuda.synchronize()
  end, ...)
  return ok and "none" or type(e) == "table" and e.fault or tostring(e)
end

local function expect(want, got, what)
  if want ~= got then print(("%s: expected %s, got %s"):format(what, want, got)) end
end

for round = 1, 25 do
  local a = cuda.empty({ ROWS, COLUMNS }, "int32")
  local map = cuda.tensor_map(a, { box = { HEIGHT, WIDTH } })
  local x0, y0 = random(4) * UNIT, random(ROWS + 1)
  local x1, y1 = random(4) * UNIT, random(ROWS + 1)
  local v0, v1 = random(2), random(2)
  local first, second = cells(x0, y0), cells(x1, y1)
  local races = v0 ~= v1 and meet(first, second)
  local what = ("round %d: %d,%d=%d %d,%d=%d"):format(round, x0, y0, v0, x1, y1, v1)
  expect(races and "race" or "none",
    fault_of(put, { grid = 2, block = 32 }, map, x0, y0, v0, x1, y1, v1), what)
  for at = 0, races and -1 or ROWS * COLUMNS - 1 do
    expect((first[at] or second[at]) and "none" or "uninitialized",
      fault_of(get, { grid = 1, block = 1 }, a, at, out), what .. " at " .. at)
  end
end
print "done"
]==]

-- Two blocks copy some bytes of every 16 to one place.
local MASKS = [==[
local cuda = require "luacuda"
local random = require("spec.support.data").random(tonumber(arg[1]))
local put = cuda.module({ arch = "compute_100a", source = [[
  __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
  extern "C" __global__ void put(unsigned char *out, int m0, int m1) {
    __shared__ alignas(128) unsigned char s[64];
    for (int k = threadIdx.x; k < 64; k += 32) s[k] = k + blockIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%0], [%1], 64, %2;"
                   :: "l"(out), "r"(at(s)), "h"((short)(blockIdx.x == 0 ? m0 : m1)) : "memory");
      asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
    }
  }]] }).kernels.put
for _ = 1, 20 do
  local m0 = random(65536)
  local m1 = ~m0 & 65535 & random(65536)
  if random(2) == 0 then m1 = m1 | (m0 & random(65536)) end
  local ok, e = pcall(function()
    put({ grid = 2, block = 32 }, cuda.zeros(64, "uint8"), m0, m1)
    cuda.synchronize()
  end)
  local got, want = ok and "none" or e.fault or e, m0 & m1 ~= 0 and "race" or "none"
  if got ~= want then print(("%x %x: expected %s, got %s"):format(m0, m1, want, got)) end
end
print "done"
]==]

local function says_done(program, arch)
  local ok, text = helper.lua(program, { args = { tostring(os.time() // 86400) },
    env = { LUACUDA_DEVICE = "cpu", LUACUDA_CPU_ARCH = arch, LUACUDA_CPU_CHECK = "all" } })
  assert.is_true(ok, text)
  assert.equal("done\n", text)
end

describe("all checks of the CPU device", function()
  it("follow stores of boxes into tensors", function() says_done(PROGRAM, "90") end)
  it("follow bulk copies of some bytes", function() says_done(MASKS, "100") end)
end)
