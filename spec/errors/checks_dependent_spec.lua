-- Launches with `programmatic` whose kernels do not wait for the one before
-- (griddepcontrol.wait): when LUACUDA_CPU_CHECK=all reports that.
local planted = require "spec.support.planted"

local SOURCE = [[
#define HEAD int i = blockIdx.x * blockDim.x + threadIdx.x
__global__ void first(int *x) { HEAD; x[i] = i; asm volatile("griddepcontrol.launch_dependents;"); }
__global__ void whole(int *x) { HEAD; x[i] = i; }
__global__ void fenced(int *x) {
  HEAD;
  x[i] = i;
  __threadfence();
  asm volatile("griddepcontrol.launch_dependents;");
}
__global__ void second(const int *x, int *y) { HEAD; y[i] = x[i] + 1; }
__global__ void same(int *x) { HEAD; x[i] = i; }
__global__ void late(const int *x, int *y) {
  HEAD;
  y[i] = i;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  y[i] = x[i] + 1;
}
]]

local CODE = [[
  local shape, soon = { grid = 2, block = 64 }, { grid = 2, block = 64, programmatic = true }
  local x, y = cuda.zeros(128, "int32"), cuda.zeros(128, "int32")
  local function chain(name, between, how, next)
    m:kernel(name)(shape, x)
    between()
    if next == "same" then launch(next, how or soon, x)
    else launch(next or "second", how or soon, x, y) end
    cuda.synchronize()
  end
  local function nothing() end
  chain("first", nothing)
  chain("first", nothing, shape)                                -- it waits for the end
  chain("whole", nothing)                                       -- nobody lets it begin
  chain("fenced", nothing)                                      -- may have been announced
  chain("first", nothing, nil, "late")
  chain("first", nothing, nil, "same")                          -- the value that is there
  chain("first", function() y:fill(0) end)                      -- waits for the fill
  chain("first", function() m:kernel "whole"(shape, y) end)     -- the one before is another one
  chain("first", function() launch("whole", soon, y) end)
  local other = cuda.module(source .. "// another module")
  other:kernel "first"(shape, x)
  launch("second", soon, x, y)
]]

describe("all checks of the CPU device", function()
  it("find kernels that do not wait for the one before", function()
    local got = planted.faults(SOURCE, CODE, { LUACUDA_CPU_ARCH = "90" })
    planted.check({ "race:10 race: read of 4 bytes", "none", "none", "none", "none", "none", "none",
      "none", "none", "none", "race:10 race: read of 4 bytes" }, got)
    assert.truthy(got[1]:find("without a wait (griddepcontrol.wait) for the grid before, after its "
      .. "write at <source>:2 by thread (0,0,0) of its block (0,0,0), at", 1, true), got[1])
    assert.truthy(got[11]:find("after its write by thread (0,0,0) of its block (0,0,0), at", 1,
      true), got[11])
  end)
end)
