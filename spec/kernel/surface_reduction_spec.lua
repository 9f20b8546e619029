-- sured: many threads change the same texels of a surface, against the same changes in Lua; and
-- istypep, which tells textures from surfaces.
local cuda = require "luacuda"
local helper = require "spec.helper"

local H, W, N = 3, 8, 400

local SOURCE = [[
extern "C" __global__ void k(cudaSurfaceObject_t s, const int *x, const int *y, const T *v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("sured.%s [%%0, {%%1, %%2}], %%3;"
    :: "l"(s), "r"(x[i]), "r"(y[i]), "%s"(v[i]) : "memory");
}]]

local OPS = {
  add = function(a, b) return a + b end,
  min = function(a, b) return a < b and a or b end,
  max = function(a, b) return a > b and a or b end,
  ["and"] = function(a, b) return a & b end,
  ["or"] = function(a, b) return a | b end
}
OPS["unsigned min"] = function(a, b) return math.ult(a, b) and a or b end
OPS["unsigned max"] = function(a, b) return math.ult(a, b) and b or a end

-- unit, operation, type of the instruction, dtype of the surface; what it computes
local FORMS = {
  { "b", "add", "u32", "uint32" }, { "b", "add", "s32", "int32" }, { "b", "min", "s32", "int32" },
  { "b", "max", "u32", "uint32" }, { "b", "and", "b32", "uint32" }, { "b", "or", "b32", "int32" },
  { "b", "add", "u64", "uint64" }, { "b", "min", "s64", "int64" },
  { "b", "max", "u64", "uint64", "unsigned max" }, { "p", "add", "b32", "int32" },
  { "p", "min", "b32", "int32" }, { "p", "max", "b32", "uint32" }, { "p", "or", "b32", "uint32" },
  { "p", "min", "b64", "uint64", "unsigned min" }
}

local CTYPES = { uint32 = "unsigned", int32 = "int", uint64 = "unsigned long long",
  int64 = "long long" }

local function any(dtype)
  if dtype == "int32" then return math.random(-0x80000000, 0x7fffffff) end
  return dtype == "uint32" and math.random(0, 0xffffffff) or math.random(0)
end

-- What a sum that wraps around is in 32 bits.
local function wrapped(v, dtype)
  if dtype == "uint32" then return v & 0xffffffff end
  if dtype == "int32" then return ((v + 0x80000000) & 0xffffffff) - 0x80000000 end
  return v
end

local function kernel(form, boundary)
  local text = ("%s.%s.2d.%s.%s"):format(form[1], form[2], form[3], boundary)
  local wide = form[4]:find "64" ~= nil
  return cuda.kernel((("typedef " .. CTYPES[form[4]] .. " T;\n" .. SOURCE)
    :format(text, wide and "l" or "r")))
end

-- Coordinates and values; the coordinates reach `beyond` texels over each edge.
local function draw(form, beyond)
  local x, y, v = {}, {}, {}
  for i = 1, N do
    x[i] = math.random(-beyond, W - 1 + beyond)
    y[i] = math.random(-beyond, H - 1 + beyond)
    v[i] = any(form[4])
  end
  return x, y, v
end

local function clamp(v, n) return v < 0 and 0 or v >= n and n - 1 or v end

local function reduce(start, form, boundary, x, y, v)
  local op, out = OPS[form[5] or form[2]], {}
  for r = 1, H do out[r] = table.move(start[r], 1, W, 1, {}) end
  for i = 1, N do
    local inside = clamp(x[i], W) == x[i] and clamp(y[i], H) == y[i]
    if inside or boundary == "clamp" then
      local r, c = clamp(y[i], H) + 1, clamp(x[i], W) + 1
      out[r][c] = wrapped(op(out[r][c], v[i]), form[4])
    end
  end
  return out
end

helper.for_each_device(function(device)
  describe("sured", function()
    for _, form in ipairs(FORMS) do
      it(("%s.%s of %s"):format(form[1], form[2], form[4]), function()
        math.randomseed(3)
        local unit = form[1] == "p" and 1 or form[4]:find "64" and 8 or 4
        for _, boundary in ipairs { "trap", "clamp", "zero" } do
          local start = {}
          for r = 1, H do
            start[r] = {}
            for c = 1, W do start[r][c] = any(form[4]) end
          end
          local a = cuda.cuda_array(cuda.array(start, form[4]), { surface = true })
          local s <close> = cuda.surface(a)
          local x, y, v = draw(form, boundary == "trap" and 0 or 2)
          local at = {}
          for i = 1, N do at[i] = x[i] * unit end
          kernel(form, boundary)({ grid = N // 20, block = 20 }, s, cuda.array(at, "int32"),
            cuda.array(y, "int32"), cuda.array(v, form[4]))
          assert.same(reduce(start, form, boundary, x, y, v), a:array():totable(), boundary)
        end
      end)
    end

    if device.kind ~= "cpu" then return end

    local function refused(form, dtype, x)
      local a = cuda.cuda_array({ H, W }, dtype, { surface = true })
      local s <close> = cuda.surface(a)
      local ok, e = pcall(function()
        kernel(form, "trap")({ grid = 1, block = 1 }, s, cuda.array({ x }, "int32"),
          cuda.zeros(1, "int32"), cuda.zeros(1, form[4]))
        cuda.synchronize()
      end)
      return not ok and tostring(e)
    end

    it("outside, not aligned or of another size is reported", function()
      assert.matches("reduction of 4 bytes at x = 32 of a surface whose rows have 32 bytes",
        refused(FORMS[1], "uint32", 32))
      assert.matches("reduction of 4 bytes of a surface at x = 2, which counts bytes",
        refused(FORMS[1], "uint32", 2))
      assert.matches("a reduction of texels of 4 bytes on a surface with texels of 8 bytes",
        refused(FORMS[12], "uint64", 2))
    end)
  end)

  -- GPUs test bits that only references have.
  if device.kind ~= "cpu" then return end

  it("istypep tells textures from surfaces", function()
    local k = cuda.kernel [[
      __global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s, unsigned *out) {
        unsigned long long handle = threadIdx.x == 0 ? t : threadIdx.x == 1 ? s : 12345;
        for (int i = 0; i < 3; i++) out[threadIdx.x * 3 + i] = 7;
        unsigned is[3];
        asm("{ .reg .pred p; istypep.texref p, %3; selp.u32 %0, 1, 0, p;"
            " istypep.surfref p, %3; selp.u32 %1, 1, 0, p;"
            " istypep.samplerref p, %3; selp.u32 %2, 1, 0, p; }"
            : "=r"(is[0]), "=r"(is[1]), "=r"(is[2]) : "l"(handle));
        for (int i = 0; i < 3; i++) out[threadIdx.x * 3 + i] = is[i];
      }]]
    local a = cuda.cuda_array({ 4, 4 }, { surface = true })
    local t <close> = cuda.texture(a)
    local s <close> = cuda.surface(a)
    local out = cuda.zeros({ 3, 3 }, "uint32")
    k({ grid = 1, block = 3 }, t, s, out)
    assert.same({ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 } }, out:totable())
  end)
end)
