-- The messages of faults on the CPU device.
describe("A fault on the CPU device", function()
  local cuda = require "luacuda"
  local previous
  before_each(function() previous = cuda.use "cpu" end)
  after_each(function() cuda.use(previous) end)

  local function fault_of(body, options)
    options = options or {}
    local k = cuda.kernel { source = (options.before or "")
      .. "\n__global__ void k(int *a, long long n) {\n" .. body .. "\n}" }
    local a = cuda.zeros(256, "int32")
    local shape = { grid = options.grid or 1, block = options.block or 1, shared = options.shared,
      cooperative = options.cooperative }
    local ok, e = pcall(function()
      k(shape, a, options.n or 0)
      cuda.synchronize()
    end)
    assert.is_false(ok)
    return e
  end

  local function says(text, body, options)
    local e = fault_of(body, options)
    assert.matches(text, tostring(e), 1, true)
    return e
  end

  local function never_says(text, e) assert.is_nil(tostring(e):find(text, 1, true), tostring(e)) end

  it("through a null pointer says so, and names no array", function()
    for _, n in ipairs { 0, 1, 1000, 16383 } do
      local e = says(("null pointer: write of 4 bytes at 0x%x, "):format(4 * n),
        "*(int *)n = 1;", { n = 4 * n })
      never_says("allocation", e)
      never_says("array", e)
    end
    says("null pointer: read of 16 bytes at 0x10, ",
      "int4 v = *(const int4 *)n; a[0] = v.x + v.y + v.z + v.w;", { n = 16 })
    never_says("null pointer", fault_of("*(int *)n = 1;", { n = 65536 }))
  end)

  it("far from all arrays names none", function()
    for _, n in ipairs { 1 << 40, -(1 << 40) } do
      local e = says(", far from any allocation, at ", "*(int *)n = 1;", { n = n })
      never_says("array", e)
    end
    says((" %d bytes past the end of array int32 {256}"):format((1 << 42) - 1024), "a[n] = 1;",
      { n = 1 << 40 })
  end)

  it("near an array names it and the distance", function()
    says("; just past the end of array int32 {256}", "a[n] = 1;", { n = 256 })
    says("; 4 bytes past the end of array int32 {256}", "a[n] = 1;", { n = 257 })
    says("; 4 bytes before array int32 {256}", "a[n] = 1;", { n = -1 })
  end)

  -- Two arrays beside each other, and the index in the first of a place right before the second.
  local function neighbors(dtype)
    local arrays = {}
    for i = 1, 200 do arrays[i] = cuda.zeros(1000, dtype) end
    table.sort(arrays, function(a, b) return a.pointer < b.pointer end)
    local x, y = arrays[1], arrays[2]
    for i = 2, #arrays - 1 do
      local gap = arrays[i + 1].pointer - arrays[i].pointer
      if gap < y.pointer - x.pointer then x, y = arrays[i], arrays[i + 1] end
    end
    assert.is_true(y.pointer - x.pointer < 7000)
    return x, y, (y.pointer - x.pointer) // 4 - 4
  end

  it("names the array that the launch got, although another is nearer", function()
    local x, y, index = neighbors "int32"
    local m = cuda.module [[
      __global__ void direct(int *x, int *y, int i) { y[0] = 1; x[i] = 1; }
      __device__ __noinline__ void put(int *x, int i) { x[i] = 1; }
      __global__ void called(int *x, int i) { put(x, i); }
      __device__ int totals[10];
      __global__ void variable(int i) { totals[i] = 1; }
      __global__ void listed(int **list, int i) { list[1][i] = 1; }]]
    local function error_of(name, ...)
      local ok, e = pcall(function(...)
        m:kernel(name)({ grid = 1, block = 1 }, ...)
        cuda.synchronize()
      end, ...)
      assert.is_false(ok)
      return e
    end
    local distance = 4 * index - 4000
    for _, e in ipairs { error_of("direct", x, y, index), error_of("called", x, index) } do
      assert.equal(x.pointer, e.report.array.address)
      assert.matches(("%d bytes past the end of array int32 {1000}"):format(distance), e.message,
        1, true)
    end
    local far = 1 << 29 -- nothing is there
    local e = error_of("direct", x, y, -far)
    assert.equal(x.pointer, e.report.array.address)
    e = error_of("variable", far)
    assert.matches(("%d bytes past the end of the allocation of 40 bytes"):format(4 * far - 40),
      e.message, 1, true)
    assert.equal("totals", e.report.variable)
    local list = cuda.array({ x.pointer, y.pointer }, "uint64")
    e = error_of("listed", list, 1002)
    assert.equal(y.pointer, e.report.array.address)
  end)

  it("outside of local memory says how much of it the thread has", function()
    says("write of 4 bytes at 0x400000 in local memory, which has 16 bytes, at ",
      "int b[4] = { a[0], a[1], a[2], a[3] }; b[n] = 1; a[0] = b[a[1]];", { n = 1 << 20 })
  end)

  it("names the array's place before counting other launches", function()
    local k = cuda.kernel { source = "__global__ void k(int *a) { a[256] = 1; }" }
    local a = cuda.zeros(256, "int32")
    k({ grid = 1, block = 1 }, a)
    k({ grid = 1, block = 1 }, a)
    k({ grid = 1, block = 1 }, a)
    local _, e = pcall(cuda.synchronize)
    assert.matches("; just past the end of array int32 {256}\n(2 more launches",
      tostring(e), 1, true)
  end)

  it("of a misaligned vector gives its whole width", function()
    local cases = { { "int2", 8 }, { "int4", 16 }, { "double2", 16 }, { "double", 8 },
      { "short", 2, 1 } }
    for _, case in ipairs(cases) do
      local name, bytes, at = case[1], case[2], case[3] or 4
      local text = (" of %d bytes at 0x"):format(bytes)
      local store = ("*(volatile char *)a = 0; %s v = {}; *(%s *)((char *)a + n) = v;"):format(name,
        name)
      local load = ("%s v = *(%s *)((char *)a + n); *(%s *)a = v;"):format(name, name, name)
      for word, body in pairs { write = store, read = load } do
        local e = says("misaligned: " .. word .. text, body, { n = at })
        assert.matches(("not a multiple of %d, at "):format(bytes), tostring(e), 1, true)
        assert.matches(("at byte %d of array int32 {256}"):format(at), tostring(e), 1, true)
      end
    end
  end)

  it("of a vector that is partly outside gives its whole width", function()
    says("read of 16 bytes at",
      "int4 v = *(int4 *)(a + n); a[0] = v.x + v.y + v.z + v.w;", { n = 256 })
    says("write of 16 bytes at", "*(int4 *)(a + n) = make_int4(1, 2, 3, 4);", { n = 256 })
  end)

  it("in shared memory gives the size of the block's memory", function()
    says("write of 4 bytes at 0x428 in shared memory, the block has 40 bytes from 0x400 on, "
        .. "0 of them dynamic, at ",
      "__shared__ int s[10]; s[n] = 1; __syncthreads(); a[0] = s[n - 1];", { n = 10 })
    says("write of 4 bytes at 0x3fc in shared memory",
      "__shared__ int s[10]; s[n] = 1; __syncthreads(); a[0] = s[n + 1];", { n = -1 })
    says("at 0x464 in shared memory, the block has 100 bytes from 0x400 on, "
        .. "100 of them dynamic, at ",
      "extern __shared__ int s[]; s[n] = 1; __syncthreads(); a[0] = s[0];",
      { n = 25, shared = 100 })
  end)

  it("of a grid that cannot synchronize names the missing launch option", function()
    local before = "#include <cooperative_groups.h>"
    says("grid.sync() needs a launch with cooperative = true",
      "cooperative_groups::this_grid().sync(); a[0] = 1;", { before = before, grid = 2 })
    never_says("cooperative", fault_of("__trap();"))
    never_says("cooperative", fault_of(
      "if (n == 1) cooperative_groups::this_grid().sync(); __trap();", { before = before }))
    never_says("lacks", fault_of("cooperative_groups::this_grid().sync(); __trap();", {
      before = before, cooperative = true,
    }))
  end)
end)
