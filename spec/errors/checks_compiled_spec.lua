-- Kernels that are compiled with LUACUDA_CPU_CHECK=all get the reports of interpreted ones. Here:
-- what warps tell each other without a barrier of the whole block, and loads that a store follows.
local planted = require "spec.support.planted"
local assert = require "luassert"

local SOURCE = [[
enum { ATOMIC, ATOMIC_GLOBAL, VOLATILE, NOTHING, NAMED, NAMED_OTHERS, WAYS };

// The first warp reads what the second has stored, which goes on first behind the barrier.
__global__ void told(int *out, int *count, int *data, int way, int fence, int shared) {
  __shared__ int here[64], number, flag;
  int me = threadIdx.x, lane = me % 32, stores = me >= 32, old = 1;
  here[me] = me;
  if (me == 0) number = flag = 0;
  __syncthreads();
  if (stores) {
    if (shared) here[me] = 3 * me;
    else data[lane] = 3 * me;
    if (fence) __threadfence();
    __syncwarp();
    if (way == VOLATILE && lane == 0) *(volatile int *)&flag = 1;
  }
  if (way == ATOMIC && lane == 0) old = atomicAdd(&number, 1);
  if (way == ATOMIC_GLOBAL && lane == 0) old = atomicAdd(count, 1);
  if (way == VOLATILE && me == 0) old = *(volatile int *)&flag;
  if (way == NAMED) asm volatile("bar.sync 1, 64;" ::: "memory");
  if (way == NAMED_OTHERS) asm volatile("bar.sync %0, 32;" :: "r"(1 + stores) : "memory");
  old = __shfl_sync(0xffffffff, old, 0);
  if (!stores && old == 1) out[me] = shared ? here[me + 32] : data[me];
}

// Threads look at a value, and those of the first warp change it if it is still that.
__device__ __forceinline__ void raise(int *p) {
  int old = *p;
  if (threadIdx.x < 32 || old == 9) atomicCAS(p, old, old + 1);
}
__global__ void guesses(int *out, int *value) {
  raise(value);
  __syncthreads();
  out[threadIdx.x] = *value;
}
__global__ void guesses_here(int *out, int *value) {
  __shared__ int here;
  if (threadIdx.x == 0) here = *value;
  __syncthreads();
  raise(&here);
  __syncthreads();
  out[threadIdx.x] = here;
}

// Threads read words, one or some of them in two places, and one thread stores to a word.
__global__ void follows(int *out, int times, int own, int turn, int by, int at) {
  __shared__ int here[64];
  int me = threadIdx.x, sum = 0;
  here[me] = me;
  __syncthreads();
  for (int k = 0; k < times; k++) {
    sum += here[(me * own + k * turn) % 64];
    if (k == 7 && me % 5 == 0) sum += here[me];
  }
  if (me == by) here[at] = sum;
  __syncthreads();
  out[me] = here[me] + sum;
}
]]

local CODE = [[
  local out, data = cuda.zeros(64, "int32"), cuda.zeros(32, "int32")
  for way = 0, 5 do
    for fence = 0, 1 do
      for shared = 0, 1 do
        launch("told", { grid = 1, block = 64 }, out, cuda.zeros(1, "int32"), data, way, fence,
          shared)
      end
    end
  end
  launch("guesses", { grid = 1, block = 64 }, out, cuda.zeros(1, "int32"))
  launch("guesses_here", { grid = 1, block = 64 }, out, cuda.zeros(1, "int32"))
]]

local STORES = [[
  math.randomseed(%d)
  local function pick(...) return (select(math.random(select("#", ...)), ...)) end
  for _ = 1, 40 do
    local by = math.random(0, 63)
    launch("follows", { grid = 1, block = 64 }, cuda.zeros(64, "int32"), pick(1, 1, 9, 3000),
      pick(0, 1, 1, 3, 8, 33), pick(0, 0, 0, 1), by, pick(by, math.random(0, 63)))
  end
]]

-- Without addresses, and where arrays were made.
local function reports(how, code)
  local list = planted.faults(SOURCE, code, { LUACUDA_CPU_JIT = how })
  for k, text in ipairs(list) do
    list[k] = text:gsub("0x%x%x%x%x+", "#"):gsub(", made at.*", "")
  end
  return list
end

describe("all checks of the CPU device", function()
  it("report the same in compiled code about warps that tell each other", function()
    local want, got = reports("off", CODE), reports("force", CODE)
    assert.same(want, got)
    local race, none = "race", "none"
    planted.check({
      race, race, none, none, race, race, none, none, race, race, none, none, -- what is read
      race, race, race, race, -- nothing
      none, none, none, none, race, race, none, none, -- barriers, of both warps and of each
      none, none, -- guesses
    }, want)
  end)

  it("report the same in compiled code about loads that a store follows", function()
    local code = STORES:format(os.time())
    local want, got = reports("off", code), reports("force", code)
    assert.same(want, got, code)
    assert.matches("read at", table.concat(want))
  end)
end)
