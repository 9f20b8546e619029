-- Threads that do not reach a barrier: what LUACUDA_CPU_CHECK=all reports does not depend on which
-- warps of the block run first.
local planted = require "spec.support.planted"

-- The threads below n skip a barrier, or those from n on (`up`); MISSING: whether this one does.
local SOURCE = [[
#define MISSING (up ? i >= n : i < n)
__global__ void early(int *o, int n, int up) {  // writes the same words in both ways
  __shared__ int s[128]; int i = threadIdx.x;
  if (MISSING) { o[i] = 0; return; }
  s[i] = i;
  __syncthreads();
  o[i] = s[up ? n - 1 - i : 127 - i + n];
}
__global__ void around(int *o, int n, int up) {
  __shared__ int s[128]; int i = threadIdx.x, v = 0;
  if (!MISSING) {
    s[i] = i;
    __syncthreads();
    v = s[up ? n - 1 - i : 127 - i + n];
  }
  o[i] = v;
}
__global__ void one_more(int *o, int n, int up) {
  int i = threadIdx.x;
  if (!MISSING) __syncthreads();
  o[i] = i;
  __syncthreads();
  o[i] += 1;
}
__global__ void reads(int *o, int n, int up) {
  __shared__ int s[128]; int i = threadIdx.x;
  s[i] = i;
  if (!MISSING) __syncthreads();
  o[i] = s[127 - i];
}
__global__ void overwrites(int *o, int n, int up) {
  __shared__ int s[128]; int i = threadIdx.x;
  s[i] = i;
  __syncthreads();
  int v = s[127 - i];
  if (!MISSING) __syncthreads();
  s[i] = v;
  o[i] = s[i];
}
]]

local CODE = [[
  for _, up in ipairs { 0, 1 } do
    for _, n in ipairs { 32, 40, 64, 96 } do
      launch("%s", { grid = 1, block = 128 }, cuda.zeros(128, "int32"), n, up)
    end
  end
]]

local function finds(kernel, want)
  local list = {}
  for k = 1, 8 do list[k] = want end
  planted.check(list, planted.faults(SOURCE, CODE:format(kernel)))
end

describe("all checks of the CPU device", function()
  it("accept threads that end without waiting", function()
    finds("early", "none")
    finds("around", "none")
  end)

  it("find threads that wait at another barrier than they should", function()
    finds("one_more", "barrier:2")
  end)

  it("find what threads that skip a barrier read or write too early", function()
    finds("reads", " of the shared byte ")
    finds("overwrites", "race:3")
  end)
end)
