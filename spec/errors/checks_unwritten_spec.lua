-- Reads of shared memory that no thread of the block has written, with LUACUDA_CPU_CHECK=all:
-- whatever an earlier block, or an earlier launch, has left there.
local planted = require "spec.support.planted"

-- Each kernel leaves word MISSING of its array unwritten and then uses it in one way; with MISSING
-- 64 it uses only what it has written.
local SOURCE = [==[
#define KERNEL(name) __global__ void name(int *o, int missing)
#define FILL int i = threadIdx.x; if (i != missing) s[i] = i; __syncthreads()
#define STATIC __shared__ __align__(16) int s[64]; FILL
#define DYNAMIC extern __shared__ int s[]; FILL
KERNEL(all) {
  __shared__ int s[64];
  s[threadIdx.x] = 7;
  __syncthreads();
  if (s[63 - threadIdx.x] == 8) o[0] = 1;
}
KERNEL(loads) { STATIC; o[i] = s[63 - i]; }
KERNEL(dynamic) { DYNAMIC; o[i] = s[63 - i]; }
KERNEL(volatiles) { STATIC; o[i] = ((volatile int *)s)[63 - i]; }
KERNEL(again) { STATIC; o[i] = ((volatile int *)s)[i]; o[i] += s[i]; }
KERNEL(adds) { STATIC; o[i] = atomicAdd(&s[i], 1); }
KERNEL(counts) { STATIC; atomicOr(&s[i], 1); }
KERNEL(compares) { STATIC; o[i] = atomicCAS(&s[i], 3, 4); }
KERNEL(exchanges) { STATIC; o[i] = atomicExch(&s[i], 3); }
KERNEL(vectors) { STATIC; if (i < 32) { int2 v = ((int2 *)s)[i]; o[i] = v.x + v.y; } }
KERNEL(bytes) { STATIC; o[i] = ((char *)s)[4 * i + 2]; }
]==]

local CODE = [[
  local function run(name, missing, grid)
    launch(name, { grid = grid or 1, block = 64, shared = 256 }, cuda.zeros(64, "int32"), missing)
  end
  for _, name in ipairs { NAMES } do
    run("all", 64, 3)  -- writes everything that is there
    run(name, 64)
    run(name, 5)
  end
]]

describe("all checks of the CPU device", function()
  it("find uses of unwritten shared memory, whatever was there before", function()
    local names, wanted = {}, {}
    for name in ("loads dynamic volatiles again adds counts compares"):gmatch "%S+" do
      names[#names + 1] = ("%q"):format(name)
      for _, want in ipairs { "none", "none", "uninitialized:" } do wanted[#wanted + 1] = want end
    end
    planted.check(wanted, planted.faults(SOURCE,
      (CODE:gsub("NAMES", table.concat(names, ", "))), { LUACUDA_CPU_THREADS = "1" }))
  end)

  it("accept exchanges and structures with unwritten parts", function()
    planted.check({ "none", "none", "none", "none", "none", "none", "none", "none",
      "uninitialized:" }, planted.faults(SOURCE,
        (CODE:gsub("NAMES", '"exchanges", "vectors", "bytes"')), { LUACUDA_CPU_THREADS = "1" }))
  end)
end)
