-- Textures and surfaces that are closed while work is queued: the CPU device does not wait for it,
-- and the work goes on with them.
local helper = require "spec.helper"
local cuda = require "luacuda"

local SOURCE = [[
  __device__ long long now() {
    long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
  }
  // What is in the word as soon as it is not 0; 0 after two seconds.
  extern "C" __global__ void gate(volatile int *word, int *seen) {
    for (long long start = now(); word[0] == 0 && now() - start < 2000000000;) ;
    *seen = word[0];
  }
  // The handles of a texture and a surface are in memory, where a launch does not see them.
  extern "C" __global__ void shift(const unsigned long long *handles) {
    int x = threadIdx.x;
    surf2Dwrite(tex2D<float>(handles[0], x, 0) + 1, handles[1], x * 4, 0);
  }
]]

helper.for_each_device(function(device)
  if device.kind ~= "cpu" then return end

  local kernels

  setup(function() kernels = cuda.module(SOURCE).kernels end)

  -- A texture and a surface, and a stream that waits at the gate.
  local function begin()
    local t = { word = cuda.pinned(1, "int32"):fill(0), seen = cuda.zeros(1, "int32"),
      a = cuda.cuda_array({ 1, 32 }, { surface = true }):set(1), stream = cuda.stream() }
    t.tex, t.surface = cuda.texture(t.a), cuda.surface(t.a)
    t.handles = cuda.array({ t.tex.handle, t.surface.handle }, "uint64")
    cuda.synchronize()
    kernels.gate({ grid = 1, block = 1, stream = t.stream }, cuda.ptr(t.word.pointer), t.seen)
    return t
  end

  local function close(t)
    t.tex:close()
    t.surface:close()
  end

  local function shift(t)
    kernels.shift({ grid = 1, block = 32, stream = t.stream }, t.handles)
  end

  local function open_gate(t)
    t.word[1] = 7
    t.stream:close()
    cuda.synchronize()
  end

  it("do not wait", function()
    local t = begin()
    close(t)
    open_gate(t)
    assert.equal(7, t.seen:item(1))
  end)

  it("are kept by the work before", function()
    local t = begin()
    shift(t)
    close(t)
    local others = {}
    for i = 1, 200 do others[i] = cuda.texture(cuda.full(8, i, "float32")) end
    open_gate(t)
    assert.equal(64, t.a:array():sum())
  end)

  it("are gone for the work after", function()
    local t = begin()
    close(t)
    shift(t)
    helper.contains(helper.error_of(open_gate, t),
      ("the handle 0x%x is a destroyed texture"):format(t.handles:item(1)))
  end)
end)
