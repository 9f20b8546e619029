-- Memory of two GPUs, real or fake (tools/test --fake-gpu): CUDA arrays and textures of both,
-- arrays that are resized while the other GPU uses them, and memory of the second GPU described,
-- exported and registered.
local helper = require "spec.helper"
local cuda = require "luacuda"

local SOURCE = [==[
extern "C" __global__ void add(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}
extern "C" __global__ void fetch(cudaTextureObject_t t, float *y, int w) {
  y[threadIdx.y * w + threadIdx.x] = tex2D<float>(t, threadIdx.x, threadIdx.y);
}]==]

local SHAPES = { { 7 }, { 5, 7 }, { 3, 5, 7 } }
local N = 1 << 18

helper.for_each_pair("memory of two GPUs", function(here, there)
  local function numbers(shape, device, dtype)
    return cuda.arange(helper.size_of(shape), dtype or "float32", { device = device })
      :reshape(shape)
  end

  it("is copied between CUDA arrays", function()
    for _, dtype in ipairs { "float32", "uint8", "float64" } do
      for _, shape in ipairs(SHAPES) do
        local from = cuda.cuda_array(numbers(shape, here, dtype))
        local to = cuda.cuda_array(shape, dtype, { device = there })
        assert.same({ here, there }, { from.device, to.device })
        cuda.copy(to, from)
        assert.same(from:totable(), to:totable())
        assert.equal(there, to:array().device)
      end
    end
  end)

  it("is copied between arrays and CUDA arrays, views too", function()
    for _, shape in ipairs(SHAPES) do
      local mine, theirs = numbers(shape, here), numbers(shape, there)
      local want = mine:totable()
      local c = cuda.cuda_array(shape, "float32")
      cuda.copy(c, theirs)
      assert.same(want, c:totable())
      local back = cuda.zeros(shape, "float32", { device = there })
      cuda.copy(back, c)
      assert.same(want, back:totable())
      assert.same(want, cuda.cuda_array(shape, "float32", { device = there }):set(mine):totable())
      assert.equal(there, cuda.cuda_array(theirs).device)
      local moved = cuda.cuda_array(theirs, { device = here })
      assert.equal(here, moved.device)
      assert.same(want, moved:totable())
    end
    local flipped = numbers({ 7, 5 }, there):transpose()
    local c = cuda.cuda_array { 5, 7 }
    cuda.copy(c, flipped)
    assert.same(flipped:totable(), c:totable())
  end)

  it("is copied as boxes, by copy2d and copy3d", function()
    local from, to = numbers({ 4, 6, 8 }, here), cuda.zeros({ 4, 6, 8 }, "float32",
      { device = there })
    cuda.copy3d { dst = to, src = from, width = 5 * 4, height = 3, depth = 2, src_pitch = 32,
      src_height = 6, dst_pitch = 32, dst_height = 6, src_x = 4, src_y = 1, src_z = 1,
      dst_x = 8, dst_y = 2, dst_z = 2 }
    local want = cuda.zeros { 4, 6, 8 }
    cuda.copy(want:slice({ 3, 4 }, { 3, 5 }, { 3, 7 }), from:slice({ 2, 3 }, { 2, 4 }, { 2, 6 }))
    assert.same(want:totable(), to:totable())
    local c = cuda.cuda_array(from:slice(1))
    local rows = cuda.zeros({ 6, 8 }, "float32", { device = there })
    cuda.copy2d { dst = rows, src = c, width = 12, height = 4, src_x = 4, src_y = 1,
      dst_pitch = 32 }
    want = cuda.zeros { 6, 8 }
    cuda.copy(want:slice({ 1, 4 }, { 1, 3 }), from:slice(1, { 2, 5 }, { 2, 4 }))
    assert.same(want:totable(), rows:totable())
  end)

  it("is read through textures on its own GPU only", function()
    local c = cuda.cuda_array(numbers({ 4, 8 }, there))
    local t <close> = cuda.texture(c)
    assert.equal(there, t.device)
    local k, y = cuda.kernel(SOURCE, "fetch"), cuda.zeros({ 4, 8 }, "float32", { device = there })
    k({ grid = 1, block = { 8, 4 } }, t, y, 8)
    assert.same(c:totable(), y:totable())
    helper.assert_raises(function()
      k({ grid = 1, block = { 8, 4 } }, t, cuda.zeros { 4, 8 }, 8)
    end, "is on " .. there.label .. ".* on " .. here.label)
    local s <close> = cuda.stream()
    helper.assert_raises(function()
      k({ grid = 1, block = { 8, 4 }, stream = s }, t, cuda.zeros { 4, 8 }, 8)
    end, "belongs to " .. there.label .. ", the launch is on " .. here.label)
  end)

  it("is resized after the work of the other", function()
    local a = cuda.empty(1000, "float32", { reserve = N }):fill(3)
    local out = cuda.zeros(N, "float32", { device = there })
    local s <close> = cuda.stream { device = there }
    cuda.copy(out:slice { 1, 1000 }, a, { stream = s })
    a:resize(N):fill(5)
    assert.equal(3000, out:sum())
    cuda.copy(out, a, { stream = s })
    a:resize(10)
    a:resize(N):fill(7)
    assert.equal(5 * N, out:sum())
    assert.same({ 7, 7 }, { a:min(), a:max() })
    assert.same({ 7, 7 }, { a:to(there):min(), a:to(there):max() })
    local b = cuda.empty(1, "float32", { reserve = N, device = there }):fill(1)
    assert.equal(there, b:resize(N).device)
    b:fill(2)
    assert.equal(2 * N, b:to(here):sum())
  end)

  it("is reached in kernels after it was resized", function()
    if not there:can_access_peer(here) then return end
    there:enable_peer(here)
    local a = cuda.empty(1000, "float32", { reserve = N }):fill(3)
    local k, y = cuda.kernel(SOURCE, "add"), cuda.zeros(N, "float32", { device = there })
    local s <close> = cuda.stream { device = there }
    k({ threads = 1000, stream = s }, a, y, 1000)
    a:resize(N):fill(5)
    assert.equal(4000, y:sum())
    k({ threads = N, stream = s }, a, y, N)
    assert.same({ 6, 6 }, { y:min(), y:max() })
  end)

  it("is described with its GPU", function()
    local a = cuda.arange(100, "float32", { device = there })
    for _, v in ipairs { a:slice { 11, 20 }, cuda.ptr(a:slice { 11, 20 }.pointer) } do
      local info = cuda.pointer_info(v)
      assert.same({ there, "device", a.pointer + 40, false, false },
        { info.device, info.memory, info.address, info.host, info.managed })
    end
  end)

  it("is exported and imported where it lies", function()
    local a = cuda.arange(100, "float32", { device = there })
    local b = cuda.from_dlpack(a:dlpack())
    assert.same({ there, a.pointer }, { b.device, b.pointer })
    b:fill(2)
    assert.equal(200, a:sum())
    local s <close> = cuda.stream()
    local wrong = "option 'stream': the stream belongs to " .. here.label .. ", the work to "
      .. there.label
    helper.assert_raises(function() return a:dlpack { stream = s } end, wrong)
    helper.assert_raises(function() cuda.from_dlpack(a:dlpack(), { stream = s }) end, wrong)
  end)

  it("is registered for both", function()
    local h = cuda.register(cuda.host(1000, "float32", { align = 4096 })):fill(2)
    local k = cuda.kernel(SOURCE, "add")
    local s <close> = cuda.stream { device = there }
    k({ threads = 1000, stream = s }, h, h, 1000)
    k({ threads = 1000 }, h, h, 1000)
    cuda.synchronize()
    assert.same({ 4, 4 }, { h:min(), h:max() })
    assert.equal(4000, h:to(there):sum())
    assert.equal("registered", cuda.pointer_info(h).memory)
    h:close()
  end)
end)
