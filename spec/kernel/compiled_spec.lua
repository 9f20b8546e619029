-- Kernels that the CPU device compiles: when, and that its results stay the same.
local core = require "luacuda.core"
local cuda = require "luacuda"
local helper = require "spec.helper"

local SOURCE = [[
__global__ void rounds(unsigned *x, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = i;
  for (int k = 0; k < n; k++) v = v * 1664525u + 1013904223u;
  x[i] = v;
}
]]

-- Launches it until the cache has compiled code, or for a time, and checks every result.
local CODE = [[
  local cuda = require "luacuda"
  local source, cache, seconds = ...
  local k = cuda.kernel(source)
  local x, want = cuda.zeros(6400, "uint32"), 77
  for _ = 1, 2000 do want = (want * 1664525 + 1013904223) & 0xffffffff end
  local latest = os.time() + tonumber(seconds)
  local function is_there()
    return os.execute("grep -rqs '^LUACUDA-JIT' " .. cache) == true
  end
  local compiled
  repeat
    x:fill(0)
    k({ grid = 100, block = 64 }, x, 2000)
    assert(x:item(78) == want)
    compiled = is_there()
  until compiled or os.time() > latest
  print(compiled and "compiled" or "interpreted")
]]

-- Threads leave the inner loop in different rounds, and the outer one goes on with all of them.
local UNTIL = [[
__global__ void until_small(unsigned *x, int n, unsigned limit) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    unsigned v = i, rounds = 0;
    do {
      v = v * 1664525u + 1013904223u;
      rounds++;
    } while (v >= limit);
    x[i] = v ^ rounds;
  }
}
]]

local UNTIL_CODE = [[
  local cuda = require "luacuda"
  local k, n = cuda.kernel((...)), 20000
  for _, part in ipairs { 0.98, 0.7, 0.3 } do
    local x, limit = cuda.zeros(n, "uint32"), (part * 2 ^ 32) // 1 | 0
    k({ grid = 3, block = 96 }, x, n, limit)
    local got = x:totable()
    for i = 1, n do
      local v, rounds = i - 1, 0
      repeat
        v, rounds = (v * 1664525 + 1013904223) & 0xffffffff, rounds + 1
      until v < limit
      assert(got[i] == v ~ rounds, i)
    end
  end
]]

-- Some warps wait at a barrier while others have not begun: the block is interpreted from there.
local PARTLY = [[
__global__ void partly(unsigned *total) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (threadIdx.x < 136) atomicAdd(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, sum);
}
]]

-- The first thread of a grid works alone for some microseconds, which end anywhere in a block.
local PARTLY_CODE = [[
  local cuda = require "luacuda"
  local k, total = cuda.kernel((...)), cuda.zeros(1, "uint32")
  for _ = 1, 400 do
    k({ grid = 64, block = 256 }, total)
    cuda.synchronize()
  end
  assert(total:item() == 400 * 64 * 136)
]]

-- Ends without closing its state, some milliseconds after it began to compile.
local END_CODE = [[
  local cuda = require "luacuda"
  local source, delay = ...
  local k, x = cuda.kernel(source), cuda.zeros(6400, "uint32")
  local latest = os.clock() + tonumber(delay) / 1000
  repeat k({ grid = 100, block = 64 }, x, 500) cuda.synchronize() until os.clock() > latest
  os.exit(true)
]]

-- how: the setting, or "" for none.
local function run(how, seconds)
  local cache = helper.tmpdir()
  local ok, out = helper.lua(CODE, {
    args = { SOURCE, cache, seconds },
    env = { LUACUDA_CPU_JIT = how, LUACUDA_CACHE_DIR = cache, LUACUDA_DEVICE = "cpu",
      LUACUDA_DISABLE_CACHE = "" },
  })
  assert.is_true(ok, out)
  return out:match "%w+"
end

describe("The compiler of the CPU device", function()
  local present

  setup(function() present = run("force", "0") == "compiled" end)

  local function needs_llvm()
    if not present then pending "no libLLVM 15 or later" end
  end

  it("takes kernels that run for some time, if nothing else is asked for", function()
    needs_llvm()
    assert.equal("compiled", run("", "30"))
  end)

  it("has all threads of a warp leave a loop together", function()
    for _, how in ipairs { "off", "force" } do
      local env = { LUACUDA_CPU_JIT = how, LUACUDA_DEVICE = "cpu" }
      local ok, out = helper.lua(UNTIL_CODE, { args = { UNTIL }, env = env })
      assert.is_true(ok, out)
    end
  end)

  it("takes no block for one that cannot go on when others join in", function()
    for _, how in ipairs { "off", "force" } do
      local env = { LUACUDA_CPU_JIT = how, LUACUDA_DEVICE = "cpu", LUACUDA_CPU_THREADS = "2" }
      local ok, out = helper.lua(PARTLY_CODE, { args = { PARTLY }, env = env })
      assert.is_true(ok, out)
    end
  end)

  it("does not disturb a process that ends meanwhile", function()
    needs_llvm()
    for i = 1, 25 do
      local ok, out, status = helper.lua(END_CODE, {
        args = { SOURCE, tostring(20 + 3 * i) },
        env = { LUACUDA_CPU_JIT = "on", LUACUDA_DEVICE = "cpu" },
      })
      assert.is_true(ok, ("process %d: status %d: %s"):format(i, status, out))
    end
  end)

  -- A library that the environment names is for that run only.
  it("does not keep the library that LUACUDA_LLVM named", function()
    needs_llvm()
    local cache = helper.tmpdir()
    local function note()
      local file = io.open(cache .. "/llvm")
      return file and file:read "l"
    end
    local function once(library)
      local ok, out = helper.lua(CODE, { args = { SOURCE, cache, "0" }, env = {
        LUACUDA_CPU_JIT = "force", LUACUDA_CACHE_DIR = cache, LUACUDA_DEVICE = "cpu",
        LUACUDA_DISABLE_CACHE = "", LUACUDA_LLVM = library,
      } })
      assert.is_true(ok, out)
    end
    cuda.devices()
    local _, file = core.llvm()
    once(file)
    assert.is_nil(note())
    once ""
    local found = note()
    assert.is_string(found)
    once(file)
    assert.equal(found, note())
  end)

  it("takes none where it is off", function() assert.equal("interpreted", run("off", "1")) end)
end)
