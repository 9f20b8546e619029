-- Textures and surfaces in structs that kernels take by value: what they read, hold and order.
local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse

local SOURCE = [[
  struct Scene {
    float scale;
    cudaTextureObject_t image;
    cudaSurfaceObject_t target;
  };
  struct Layer { cudaTextureObject_t image; float weight; };
  struct Stack { Layer layers[3]; cudaTextureObject_t masks[2][2]; };
  struct Atlas { cudaTextureObject_t pages[24]; };

  extern "C" __global__ void draw(Scene s) {
    int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(s.scale * tex2D<float>(s.image, x, y), s.target, x * 4, y);
  }
  extern "C" __global__ void blend(Stack s, float *out) {
    float sum = 0;
    for (int i = 0; i < 3; i++) sum += s.layers[i].weight * tex2D<float>(s.layers[i].image, 0, 0);
    for (int i = 0; i < 4; i++) sum += 1000 * (i + 1) * tex1Dfetch<float>(s.masks[i / 2][i % 2], i);
    *out = sum;
  }
  extern "C" __global__ void page(Atlas a, float *out) {
    out[threadIdx.x] = tex1Dfetch<float>(a.pages[threadIdx.x], 0);
  }
  extern "C" __global__ void wait(Scene s, volatile int *word) {
    while (word[0] == 0) ;
    surf2Dwrite(5.f, s.target, 0, 0);
  }
]]

local function filled(v) return cuda.cuda_array({ 4, 4 }, { surface = true }):set(v) end

helper.for_each_device(function()
  local kernels, one

  setup(function()
    kernels = cuda.module(SOURCE).kernels
    one = { grid = 1, block = 1 }
  end)

  it("are read and written", function()
    local image, target = filled(3), filled(0)
    local scene = { scale = 2, image = cuda.texture(image), target = cuda.surface(target) }
    kernels.draw({ grid = 1, block = { 4, 4 } }, scene)
    assert.equal(6, target:array():item(4, 4))
    image:set(4)
    kernels.draw:prepare { grid = 1, block = { 4, 4 } }({ 3, scene.image, scene.target })
    assert.equal(12, target:array():item(1, 1))
  end)

  it("are elements of lists and of structs in lists", function()
    local function layer(v, weight) return { image = cuda.texture(filled(v)), weight = weight } end
    local masks = {}
    for i = 0, 3 do masks[i] = cuda.texture(cuda.full(4, i + 1, "float32")) end
    local out = cuda.zeros(1)
    kernels.blend(one, { layers = { layer(1, 1), layer(2, 10), layer(3, 100) },
      masks = { { masks[0], masks[1] }, { masks[2], masks[3] } } }, out)
    assert.equal(321 + 1000 * (1 + 4 + 9 + 16), out:item(1))
  end)

  it("may be many", function()
    local pages, out = {}, cuda.zeros(24)
    for i = 1, 24 do pages[i] = cuda.texture(cuda.full(1, i, "float32")) end
    kernels.page({ grid = 1, block = 24 }, { pages = pages }, out)
    assert.equal(300, out:sum())
  end)

  it("are kept by work that uses them", function()
    local s <close> = cuda.stream()
    local target = filled(0)
    for i = 1, 20 do
      kernels.draw({ grid = 1, block = { 4, 4 }, stream = s }, { scale = 1,
        image = cuda.texture(filled(i)), target = cuda.surface(target) })
      if i % 3 == 0 then collectgarbage() end
    end
    assert.equal(20, target:array():item(2, 2))
  end)

  it("order streams", function()
    collectgarbage "stop" -- freeing small arrays waits for the device
    local word = cuda.pinned(1, "int32"):fill(0)
    local target = filled(1)
    local s <close> = cuda.stream()
    local t <close> = cuda.stream()
    local image, surface = cuda.texture(target), cuda.surface(target)
    local copy = filled(0)
    kernels.wait({ grid = 1, block = 1, stream = s }, { 0, image, surface },
      cuda.ptr(word.pointer))
    kernels.draw({ grid = 1, block = { 4, 4 }, stream = t },
      { scale = 1, image = image, target = cuda.surface(copy) })
    word[1] = 1
    assert.equal(5, copy:array():item(1, 1))
  end)

  after_each(function() collectgarbage "restart" end)

  it("are handles outside of launches", function()
    local image = cuda.texture(filled(1))
    local Pair = cuda.struct("Pair", { { "image", "uint64" }, { "n", "int32" } })
    local words = "a %s can only be passed in an argument of a launch; here use its field handle"
    assert.equal("Pair: field 'image': " .. words:format "texture",
      misuse(Pair.pack, Pair, { image, 1 }))
    assert.equal("Pair: field 'image': " .. words:format "surface",
      misuse(Pair.pack, Pair, { cuda.surface(filled(1)), 1 }))
    assert.equal(image.handle, Pair:unpack(Pair:pack { image.handle, 1 }).image)
  end)

  it("say what is wrong", function()
    local image = cuda.texture(filled(1))
    local surface = cuda.surface(filled(1))
    image:close()
    assert.equal("draw: argument 1 's': field 'image': attempt to use a closed Texture",
      misuse(kernels.draw, one, { scale = 1, image = image, target = surface }))
    assert.equal("draw: argument 1 's': field 'scale': expected a number (float32), got Surface",
      misuse(kernels.draw, one, { scale = surface, image = 0, target = surface }))
    assert.equal("draw: argument 1 's': field 'image': expected an integer (uint64), got Array "
      .. "float32 {1}",
      misuse(kernels.draw, one, { scale = 1, image = cuda.zeros(1), target = surface }))
  end)
end)
