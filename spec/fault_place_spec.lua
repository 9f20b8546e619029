-- Where a fault was, in the user's words: whatever became of the kernel, and whoever wrote it.
local helper = require "spec.helper"
local cuda = require "luacuda"

local THIS = "spec/fault_place_spec.lua"

-- Only on the CPU device: a GPU does not tell.
describe("the place of a fault", function()
  local previous
  before_each(function() previous = cuda.use "cpu" end)
  after_each(function() cuda.use(previous) end)

  local function raised(fn, ...)
    local ok, e = pcall(fn or cuda.synchronize, ...)
    assert.is_false(ok)
    assert.equal("launch", e.kind)
    assert.is_nil(tostring(e):find("/luacuda/", 1, true), tostring(e))
    assert.is_nil(tostring(e):find("_Z", 1, true), tostring(e))
    return e
  end

  local function expect(e, kernel, mark)
    local line = helper.line_of(THIS, mark)
    assert.equal(kernel, e.kernel)
    assert.equal(line, e.line)
    assert.matches(THIS .. "$", e.file)
    assert.truthy(e.message:find((" at %s:%d in kernel '%s'"):format(e.file, line, kernel), 1, true), e.message)
  end

  local function collect()
    collectgarbage()
    collectgarbage()
  end

  it("is known after the kernel was collected", function()
    local x = cuda.zeros(4)
    do
      local k = cuda.kernel [[__global__ void gone(float *x) {
        if (x) *(float *)8 = 1; // gone
      }]]
      k({ grid = 1, block = 1 }, x)
    end
    collect()
    expect(raised(), "gone", "1; // gone")
  end)

  it("is known after the module was closed, and many others were made", function()
    local x = cuda.zeros(4)
    local m = cuda.module [[template<class T> __global__ void closed(T *x) {
      if (x) *(T *)8 = 1; // closed
    }]]
    m:kernel "closed<float>"({ grid = 1, block = 1 }, x)
    m:close()
    m = nil -- luacheck: ignore 311
    for i = 1, 40 do cuda.module(("__global__ void other%d(int *p) {}"):format(i)) end
    local _ = m
    collect()
    expect(raised(), "closed<float>", "1; // closed")
  end)

  it("is known for a builder that was collected", function()
    local x, y = cuda.zeros(4), cuda.zeros(4)
    do
      local f = cuda.elementwise("raw T x", "T y", "y = x[i - (1 << 29)]", "astray") -- builder
      f(x, y)
    end
    collect()
    expect(raised(), "astray", "-- builder")
  end)

  it("is known for a template", function()
    local x = cuda.zeros(4)
    do
      local text = cuda.template [[
        __global__ void made(float *x) {
          if (x) *(float *)$(address) = 1; // template
        }]]
      cuda.kernel(text { address = 8 })({ grid = 1, block = 1 }, x)
    end
    collect()
    expect(raised(), "made", "1; // template")
  end)

  -- An array over memory that was freed meanwhile.
  local function stale()
    local a = cuda.ones(1 << 12)
    local view = cuda.wrap(a.pointer, { 1 << 12 }, "float32")
    a:free()
    return view
  end

  it("is the name alone where the library wrote the text, and the line of the call", function()
    local view = stale()
    local _ = view + 1
    local e = raised()
    assert.equal("luacuda_add", e.kernel)
    assert.is_nil(e.file)
    assert.is_nil(e.line)
    assert.matches("at 0x%x+ in kernel 'luacuda_add', block", e.message)
    e = raised(function() return (view:sum()) end) -- sum
    assert.equal("luacuda_sum", e.kernel)
    assert.equal(("%s:%d: "):format(THIS, helper.line_of(THIS, "-- sum")), e.where)
    local fused = cuda.fuse(function(x) return cuda.exp(x) + x end)
    fused(view)
    assert.equal("fused", raised().kernel)
  end)

  it("is that of the call where launches wait", function()
    local view = stale()
    local before = cuda.debug { sync = true }
    local e = raised(function() return (view * 2) end) -- waits
    cuda.debug(before)
    assert.equal(("%s:%d: "):format(THIS, helper.line_of(THIS, "-- waits")), e.where)
    assert.equal("luacuda_multiply", e.kernel)
  end)
end)
