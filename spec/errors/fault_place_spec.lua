-- Where a fault occurred, in the user's terms, even if the kernel is gone or the library wrote it.
local helper = require "spec.helper"
local cuda = require "luacuda"
local origins = require "luacuda.source.origins"

local THIS = helper.this_file()

-- Only on the CPU device: a GPU does not report the place.
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
    local line = helper.line_of(mark)
    assert.equal(kernel, e.kernel)
    assert.equal(line, e.line)
    assert.matches(THIS .. "$", e.file)
    local said = e.message:gsub(" %(called from .-%)", "")
    assert.truthy(said:find((" at %s:%d in kernel '%s'"):format(e.file, line, kernel), 1, true),
      e.message)
  end

  local function collect()
    collectgarbage()
    collectgarbage()
  end

  it("is reported after the kernel was collected", function()
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

  it("is reported after the module was closed and many others were made", function()
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

  it("is reported for a builder that was collected", function()
    local x, y = cuda.zeros(4), cuda.zeros(4)
    do
      local f = cuda.elementwise("raw T x", "T y", "y = x[i - (1 << 29)]", "astray") -- builder
      f(x, y)
    end
    collect()
    local e = raised()
    assert.equal(("%s:%d"):format(THIS, helper.line_of("f(x, y)")), e.called_at)
    assert.equal(helper.line_of("-- builder"), e.line)
    assert.matches(THIS .. ":%d+ in kernel 'astray', called at ", e.message)
  end)

  it("is reported for a template", function()
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

  it("names the calls of device functions that lead to it", function()
    local source = [[
      __device__ int pick(const int *a, int i) { return a[i]; }         // reads
      __device__ int sum(const int *a, int i) {
        return pick(a, i) +
               pick(a, i + 256);                                        // calls pick
      }
      __global__ void k(const int *a, int *out) {
        out[1] = sum(a, 0) +
          sum(a, 0);
        out[0] = sum(out, threadIdx.x);                                 // calls sum
      }]]
    for _, debug in ipairs { false, true } do
      local k = cuda.kernel(source, { debug = debug })
      local ok, e = pcall(function()
        k({ grid = 1, block = 1 }, cuda.zeros(512, "int32"), cuda.zeros(128, "int32"))
        cuda.synchronize()
      end)
      assert.is_false(ok)
      assert.equal(helper.line_of "// reads", e.line)
      local callers = e.report.callers
      assert.equal(2, #callers)
      assert.equal(helper.line_of "// calls pick", callers[1].line)
      assert.equal(helper.line_of "// calls sum", callers[2].line)
      local text = ("_spec.lua:%d (called from "):format(e.line)
      assert.matches(text, tostring(e), 1, true)
      text = ("_spec.lua:%d, from "):format(callers[1].line)
      assert.matches(text, tostring(e), 1, true)
      text = ("_spec.lua:%d) in kernel 'k', block (0,0,0)"):format(callers[2].line)
      assert.matches(text, tostring(e), 1, true)
    end
  end)

  it("is reported for a template in a header", function()
    local x = cuda.zeros(4)
    do
      local header = cuda.template [[
        __device__ __noinline__ void inner(float *x) {
          if (x) *(float *)$(address) = 1; // header
        }]]
      local m = cuda.module("#include \"inner.h\"\n__global__ void outer(float *x) { inner(x); }",
        { headers = { ["inner.h"] = header { address = 8 } } })
      m:kernel "outer"({ grid = 1, block = 1 }, x)
      m:close()
    end
    collect()
    expect(raised(), "outer", "1; // header")
  end)

  it("needs the sources of the latest 64 modules that ended, and no older ones", function()
    local alive = setmetatable({}, { __mode = "k" })
    for _ = 1, 70 do
      local origin = {}
      alive[origin] = true
      origins.hold { origin = origin }
      collect()
    end
    local count = 0
    for _ in pairs(alive) do count = count + 1 end
    assert.equal(64, count)
  end)

  -- An array over memory that was freed.
  local function stale()
    local a = cuda.ones(1 << 12)
    local view = cuda.wrap(a.pointer, { 1 << 12 }, "float32")
    a:free()
    return view
  end

  local function called(e, kernel, mark)
    local place = ("%s:%d"):format(THIS, helper.line_of(mark))
    assert.equal(kernel, e.kernel)
    assert.equal(place, e.called_at)
    assert.truthy(e.message:find((" in kernel '%s', called at %s, block ("):format(kernel, place),
      1, true), e.message)
    return e
  end

  it("is the line of the call if the library wrote the source", function()
    local view, out, flat = stale(), cuda.empty(1 << 12), cuda.ones { 4, 1024 }
    local fused = cuda.fuse(function(x) return cuda.exp(x) + x end)
    local running = cuda.scan("T x", "T y", "x", "a + b", 0, "running")
    local reduced = cuda.reduction("T x", "T y", "x", "a + b", "y = a", 0, "reduced")
    for kernel, fn in pairs {
      luacuda_add = function() return view + 1 end, -- add
      luacuda_sum = function() return (view:sum { axis = 1 }) end, -- sum
      luacuda_sort = function() return (cuda.sort(view)) end, -- sort
      luacuda_matmul = function() return (view:reshape { 1024, 4 }:matmul(flat)) end, -- matmul
      luacuda_take = function() view:take { 1, 2 } end, -- take
      fused = function() fused(view, { out = out }) end, -- fused
      running = function() running(view, { out = out }) end, -- running
      reduced = function() reduced(view) end, -- reduced
    } do
      local ok, e = pcall(fn)
      e = not ok and e or raised()
      called(e, kernel, "-- " .. kernel:gsub("luacuda_", ""))
      assert.is_nil(e.file)
      assert.is_nil(e.line)
      pcall(cuda.synchronize)
    end
  end)

  it("has no call if the user's code launched the kernel", function()
    local shape = { grid = 1, block = 1 }
    cuda.kernel "__global__ void mine(float *x) { *(float *)8 = 1; }"(shape, cuda.zeros(4)) -- mine
    local e = raised()
    expect(e, "mine", "-- mine")
    assert.is_nil(e.called_at)
    assert.is_nil(e.message:find("called at", 1, true))
  end)

  it("is the line of the call if launches wait", function()
    local view = stale()
    local before = cuda.debug { sync = true }
    local e = raised(function() return (view * 2) end) -- waits
    cuda.debug(before)
    assert.equal(("%s:%d: "):format(THIS, helper.line_of("-- waits")), e.where)
    assert.equal("luacuda_multiply", e.kernel)
  end)

  it("is the line of a function called in tail position", function()
    local k = cuda.kernel [[
      __device__ __noinline__ void put(float *a, int i) {
        a[i] = 1;  // in tail position
      }
      __device__ __noinline__ void between(float *a, int i) { return put(a, i + 7); }
      __global__ void tailed(float *a) { between(a, threadIdx.x); }]]
    k({ grid = 1, block = 1 }, cuda.zeros(4))
    expect(raised(), "tailed", "= 1;  // in tail position")
  end)

  it("of a launch by a tail call is its own line", function()
    local k = cuda.kernel "__global__ void k(float *a, int n) { a[n] = 1; }"
    local function launch(a, n)
      return k({ grid = 1, block = 1 }, a, n)  -- the launch
    end
    local where = ("^%s:%d: k: argument 2 'n'"):format(THIS:gsub("%p", "%%%0"),
      helper.line_of("-- the launch"))
    local ok, text = pcall(launch, cuda.zeros(4), "x")
    assert.is_false(ok)
    assert.matches(where, text)
  end)
end)
