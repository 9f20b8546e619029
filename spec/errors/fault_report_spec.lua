-- What e.report holds of a fault, as data, on the CPU device.
local planted = require "spec.support.planted"

-- Prints the report of a launch as Lua text, without the names of files.
local WRITER = [==[
  local function text(v)
    if type(v) ~= "table" then return ("%q"):format(v) end
    local parts = {}
    for key, value in pairs(v) do
      if key ~= "file" then parts[#parts + 1] = ("[%q]=%s"):format(key, text(value)) end
    end
    return "{" .. table.concat(parts, ",") .. "}"
  end
  local function report(name, shape, ...)
    local ok, e = pcall(function(...)
      m:kernel(name)(shape, ...)
      cuda.synchronize()
    end, ...)
    print(text(ok and {} or e.report))
  end
]==]

-- The reports of a process's launches.
local function reports(source, code, env)
  local list = planted.faults(source, WRITER .. code, env)
  for i, line in ipairs(list) do list[i] = assert(load("return " .. line, line))() end
  return list
end

-- Compares the fields that `wanted` has.
local function has(wanted, report)
  for name, value in pairs(wanted) do assert.same(value, report[name], name) end
end

describe("The report of a fault", function()
  it("has the access, its bytes and the variable of shared memory", function()
    local got = reports([[
__global__ void rotate(int *out) {
  __shared__ int s[32];
  s[threadIdx.x] = 1;
  out[threadIdx.x] = s[(threadIdx.x + 1) % 32];
}
__global__ void added(int *out) {
  __shared__ int s[2];
  if (threadIdx.x >= 32) atomicAdd(&s[1], 1);
  else s[1] = 5;
  __syncthreads();
  out[threadIdx.x] = s[1];
}
__global__ void unwritten(int *out) {
  __shared__ short t[2];
  if (threadIdx.x == 0) t[*out] = 1;
  __syncthreads();
  int i = blockDim.x / 32;
  out[threadIdx.x] = t[i];
}
__global__ void past(int *out, int i) {
  __shared__ int s[4], more[4];
  s[threadIdx.x + i] = more[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[3 - threadIdx.x] + more[3 - threadIdx.x];
}]], [[
  local out = cuda.zeros(64, "int32")
  report("rotate", { grid = 1, block = 32 }, out)
  report("added", { grid = 1, block = 33 }, out)
  report("unwritten", { grid = 1, block = 32 }, out)
  report("past", { grid = 1, block = 4 }, out, 1)
]])
    assert.equal(4, #got)
    for _, report in ipairs(got) do assert.equal("shared", report.space) end
    has({ fault = "race", access = "read", bytes = 4, address = 0x404, variable = "s", line = 4 },
      got[1])
    has({ access = "write", line = 3, block = { 0, 0, 0 }, thread = { 1, 0, 0 } }, got[1].other)
    has({ fault = "race", access = "atomic", bytes = 4, address = 0x404, variable = "s" }, got[2])
    has({ access = "write", line = 9 }, got[2].other)
    has({ fault = "uninitialized", access = "read", bytes = 2, address = 0x402, variable = "t" },
      got[3])
    has({ fault = "out of bounds", access = "write", bytes = 4, variable = "s" }, got[4])
  end)

  it("calls an atomic one, in global memory too", function()
    local got = reports([[
__global__ void late(int *x) {
  if (threadIdx.x < 32) x[0] = 1;
  else atomicAdd(x, 1);
}
__global__ void past(int *x) { atomicAdd(x + 4, 1); }
__global__ void unwritten(int *x) { atomicAdd(x, 1); }]], [[
  report("late", { grid = 1, block = 64 }, cuda.zeros(4, "int32"))
  report("past", { grid = 1, block = 1 }, cuda.zeros(4, "int32"))
  report("unwritten", { grid = 1, block = 1 }, cuda.empty(4, "int32"))
]])
    has({ fault = "race", access = "atomic", bytes = 4, space = "global" }, got[1])
    has({ fault = "out of bounds", access = "atomic", bytes = 4, space = "global" }, got[2])
    has({ fault = "uninitialized", access = "read", bytes = 4, space = "global" }, got[3])
  end)

  it("names null pointers, variables and what was freed before", function()
    local got = reports([[
__constant__ int limits[4];
__device__ int totals[4];
__global__ void null(int *x) { x[0] = 1; }
__global__ void misaligned(int *x) { *(int *)((char *)x + 6) = 1; }
__global__ void constant(int *x, int i) { x[0] = limits[i]; }
__global__ void device(int i) { totals[i] = 1; }
__global__ void twice() { void *p = malloc(8); free(p); free(p); }]], [[
  report("null", { grid = 1, block = 1 }, cuda.null)
  report("misaligned", { grid = 1, block = 1 }, cuda.null)
  report("constant", { grid = 1, block = 1 }, cuda.zeros(4, "int32"), 4)
  report("device", { grid = 1, block = 1 }, 5)
  report("twice", { grid = 1, block = 1 })
]])
    has({ fault = "null pointer", access = "write", bytes = 4, space = "global", address = 0 },
      got[1])
    has({ fault = "null pointer", address = 6 }, got[2])
    has({ fault = "out of bounds", access = "read", space = "const", variable = "limits" }, got[3])
    has({ bytes = 16, offset = 16 }, got[3].array)
    has({ fault = "out of bounds", access = "write", space = "global", variable = "totals" },
      got[4])
    has({ bytes = 16, offset = 20 }, got[4].array)
    has({ fault = "invalid free" }, got[5])
    assert.is_nil(got[5].access)
  end)

  it("has the array whose index wrapped around, not the one it leads to", function()
    local got = reports([[
__global__ void wraps(int *x, int a, int b) { x[a * b] = 1; }]], [[
  local x, y = cuda.zeros(1000, "int32"), cuda.zeros(1000, "float32")
  local there = (y.pointer - x.pointer) // 4 + 500
  report("wraps", { grid = 1, block = 1 }, x, (1 << 30) + there // 4, 4)
]])
    has({ fault = "overflow" }, got[1])
    assert.equal("int32 {1000}", got[1].array.label)
  end)

  it("has the place of the others at a barrier", function()
    local got = reports([[
__global__ void apart(int *x) {
  if (threadIdx.x < 32) __syncthreads();
  else
    __syncthreads();
  x[threadIdx.x] = 1;
}]], [[report("apart", { grid = 2, block = 64 }, cuda.zeros(64, "int32"))]])
    has({ fault = "barrier", line = 4, thread = { 32, 0, 0 } }, got[1])
    assert.same({ access = "barrier", line = 2, block = { 0, 0, 0 }, thread = { 0, 0, 0 } },
      got[1].other)
  end)

  local HANGS = [[
__global__ void dead() {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
  else asm volatile("bar.sync 2, 64;");
}
__global__ void stuck(volatile int *flag) {
  if (threadIdx.x == 3 || blockIdx.x == 0)
    while (flag[0] == 0) ;
}]]

  local function hang(block, count, state, threads, line)
    return { block = { block, 0, 0 }, count = count, state = state, threads = threads,
      line = line }
  end

  it("lists the threads that hang, whichever worker runs them", function()
    for _, workers in ipairs { "1", "2", "5" } do
      local got = reports(HANGS, [[
  report("dead", { grid = 1, block = 64 })
  report("stuck", { grid = 3, block = 32 }, cuda.zeros(1, "int32"))
]], { LUACUDA_CPU_THREADS = workers, LUACUDA_CPU_LIVELOCK_MS = "200" })
      has({ fault = "deadlock", line = 2, waiting = {
        hang(0, 32, "wait at barrier 1 for 64 threads", "0-31", 2),
        hang(0, 32, "wait at barrier 2 for 64 threads", "32-63", 3) } }, got[1])
      has({ fault = "livelock", line = 7, block = { 0, 0, 0 }, waiting = {
        hang(0, 32, "loop", "0-31", 7), hang(1, 1, "loop", "3", 7),
        hang(1, 31, "ended", "0-2, 4-31"), hang(2, 1, "loop", "3", 7),
        hang(2, 31, "ended", "0-2, 4-31") } }, got[2])
    end
  end)

  it("counts the blocks of a livelock that it does not name", function()
    for _, workers in ipairs { "1", "4" } do
      local got = planted.faults(HANGS, [[
  for _, n in ipairs { 5, 20, 30 } do
    launch("stuck", { grid = n, block = 32 }, cuda.zeros(1, "int32"))
  end
]], { LUACUDA_CPU_THREADS = workers, LUACUDA_CPU_LIVELOCK_MS = "200" })
      for i, more in ipairs { "1 more block", "16 more blocks", "26 more blocks" } do
        for block = 0, 3 do
          assert.matches(("block (%d,0,0): thread"):format(block), got[i], 1, true)
        end
        assert.matches("; and " .. more .. "$", got[i])
      end
    end
  end)
end)
