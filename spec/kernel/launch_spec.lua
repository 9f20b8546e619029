-- The launch table: its keys, the resulting grid, the limits in messages; devices, streams, timing.
local helper = require "spec.helper"
local cuda = require "luacuda"

local SOURCE = [==[
  __global__ void where(int *out, int n) {
    int w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z, i = (z * h + y) * w + x;
    if (i < n) out[i] = i;
  }
  __global__ void shape(int *out) {
    out[0] = gridDim.x; out[1] = gridDim.y; out[2] = gridDim.z;
    out[3] = blockDim.x; out[4] = blockDim.y; out[5] = blockDim.z;
  }
  __global__ void last(int *out, int n) {
    extern __shared__ int room[];
    room[n - 1] = 7;
    __syncthreads();
    out[0] = room[n - 1];
  }
  __global__ void __launch_bounds__(128) bounded(int *out) { out[threadIdx.x] = threadIdx.x; }
  __global__ void __launch_bounds__(64) narrow(int *out) { *out = 1; }
  __global__ void __launch_bounds__(20) tiny(int *out) { *out = 1; }
  __global__ void add(float *y, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
  }]==]

local error_of = helper.error_of

helper.for_each_device(function(device, label)
  local m, out

  local function fails(text, kernel, ...)
    helper.contains(error_of(kernel, ...), text)
  end

  -- The shape that results from a launch table.
  local function shape(launch)
    m.kernels.shape(launch, out)
    return table.concat(out:slice({ 1, 6 }):totable(), " ")
  end

  before_each(function()
    m, out = cuda.module(SOURCE), cuda.zeros(64, "int32")
  end)
  after_each(function()
    m:free()
    out:free()
  end)

  describe("grid and block", function()
    it("takes integers and lists of up to three; the rest is 1", function()
      assert.are.equal("2 1 1 3 1 1", shape { grid = 2, block = 3 })
      assert.are.equal("2 3 1 4 5 1", shape { grid = { 2, 3 }, block = { 4, 5 } })
      assert.are.equal("2 3 4 1 2 3", shape { grid = { 2, 3, 4 }, block = { 1, 2, 3 } })
      assert.are.equal("2 1 1 3 1 1", shape { grid = 2.0, block = { 3 } })
    end)

    it("refuses invalid grids", function()
      local k = m.kernels.shape
      fails("shape: launch: 'grid' is 0 along x", k, { grid = 0, block = 1 }, out)
      fails("shape: launch: 'block' is 0 along y", k, { grid = 1, block = { 1, 0 } }, out)
      fails("'grid': -1 is outside 0..4294967295", k, { grid = -1, block = 1 }, out)
      fails("'grid': expected an integer, got number", k, { grid = 1.5, block = 1 }, out)
      fails("'grid': expected an integer or a list of up to 3, got string", k,
        { grid = "1", block = 1 }, out)
      fails("'grid': expected 1 to 3 integers, got 4", k, { grid = { 1, 1, 1, 1 }, block = 1 }, out)
      fails("'grid': expected 1 to 3 integers, got 0", k, { grid = {}, block = 1 }, out)
      fails("'block': expected an integer, got string", k, { grid = 1, block = { "1" } }, out)
      fails("'grid' needs 'block'", k, { grid = 1 }, out)
      fails("expected 'grid' and 'block', or 'threads'", k, {}, out)
      fails("expected 'grid' and 'block', or 'threads'", k, { shared = 1 }, out)
      fails("'grid' and 'threads' exclude each other", k, { grid = 1, block = 1, threads = 1 }, out)
    end)

    it("suggests a similar key", function()
      local k = m.kernels.shape
      fails("unknown key 'blok'; did you mean 'block'", k, { grid = 1, blok = 1 }, out)
      fails("unknown key 'runs'", k, { grid = 1, block = 1, runs = 3 }, out)
      fails("expected names such as grid, block or threads as keys, got a number", k, { 1, 2 }, out)
    end)

    it("requires a table first", function()
      fails("shape: expected a launch table such as { threads = n } first, got Array int32 {64}",
        m.kernels.shape:compile(), out)
      fails("first, got nothing", m.kernels.shape)
      fails("first, got integer", m.kernels.shape, 64, out)
    end)

    it("names axis, value and limit", function()
      local k = m.kernels.shape
      fails(("shape: block of 2000 along x is more than the 1024 that %s allows"):format(label), k,
        { grid = 1, block = 2000 }, out)
      fails("block of 65 along z is more than the 64", k, { grid = 1, block = { 1, 1, 65 } }, out)
      fails("grid of 70000 along y is more than the 65535", k,
        { grid = { 1, 70000 }, block = 1 }, out)
      fails("block of 32 x 64 x 1 = 2048 threads is more than the 1024", k,
        { grid = 1, block = { 32, 64 } }, out)
      fails("block of 256 x 1 x 1 = 256 threads is more than the 128 this kernel was compiled for",
        m.kernels.bounded, { grid = 1, block = 256 }, out)
    end)
  end)

  it("takes a block alone as a grid of 1", function()
    assert.are.equal("1 1 1 8 1 1", shape { block = 8 })
    assert.are.equal("1 1 1 4 3 2", shape { block = { 4, 3, 2 } })
    local f = m.kernels.shape:prepare { block = 16 }
    f(out)
    assert.are.equal("1 1 1 16 1 1", shape { block = f.block, grid = f.grid })
    f:with { grid = 3 } (out)
    assert.are.equal(3, out:item(1))
    fails("'block' is 0 along x", m.kernels.shape, { block = 0 }, out)
  end)

  describe("threads", function()
    it("chooses a block by the number of axes", function()
      assert.are.equal("4 1 1 256 1 1", shape { threads = 1000 })
      assert.are.equal("7 2 1 16 16 1", shape { threads = { 100, 20 } })
      assert.are.equal("2 1 3 8 8 4", shape { threads = { 9, 8, 9 } })
      for dims, want in pairs { [{ 900 }] = { 64, 1, 1 }, [{ 9, 9 }] = { 16, 4, 1 },
        [{ 9, 9, 9 }] = { 8, 8, 1 } } do
        assert.are.same(want, m.kernels.narrow:prepare { threads = dims }.block)
      end
      for dims, want in pairs { [{ 90 }] = { 20, 1, 1 }, [{ 9, 9 }] = { 16, 1, 1 },
        [{ 9, 9, 9 }] = { 8, 2, 1 } } do
        assert.are.same(want, m.kernels.tiny:prepare { threads = dims }.block)
      end
      assert.are.equal("10 1 1 100 1 1", shape { threads = 1000, block = 100 })
    end)

    it("below 256 are one block", function()
      for _, n in ipairs { 1, 31, 33, 100, 255 } do
        assert.are.equal(("1 1 1 %d 1 1"):format(n), shape { threads = n })
      end
      assert.are.equal("1 1 1 256 1 1", shape { threads = 256 })
      assert.are.equal("2 1 1 256 1 1", shape { threads = 257 })
      assert.are.equal("1 1 1 10 20 1", shape { threads = { 10, 20 } })
      assert.are.equal("1 1 1 3 5 7", shape { threads = { 3, 5, 7 } })
      assert.are.equal("1 1 25 8 8 4", shape { threads = { 1, 1, 100 } })
      assert.are.same({ 64, 1, 1 }, m.kernels.narrow:prepare { threads = 64 }.block)
      assert.are.same({ 64, 1, 1 }, m.kernels.narrow:prepare { threads = 65 }.block)
      assert.are.same({ 9, 1, 1 }, m.kernels.tiny:prepare { threads = 9 }.block)
    end)

    it("stays within the kernel's limits", function()
      local big = cuda.zeros(1000, "int32")
      m.kernels.bounded({ threads = 128 }, big)
      assert.are.equal(127, big:item(128))
    end)

    it("covers every element once", function()
      for _, n in ipairs { 1, 255, 256, 257 } do
        local a = cuda.full(n, -1, "int32")
        m.kernels.where({ threads = n }, a, n)
        for i, v in ipairs(a:totable()) do assert.are.equal(i - 1, v) end
      end
    end)

    it("of 0 launches nothing, but checks its arguments", function()
      m.kernels.where({ threads = 0 }, cuda.null, 0)
      m.kernels.where({ threads = { 3, 0 } }, cuda.null, 0)
      fails("expected 2 arguments after the launch table, got 1", m.kernels.where,
        { threads = 0 }, out)
      assert.are.equal(0, m.kernels.where:time_ms({ threads = 0 }, out, 0))
    end)

    it("are limited by the grid", function()
      fails("threads along y make 4375001 blocks of 16, more than the 65535", m.kernels.where,
        { threads = { 1, 70000001 } }, out, 0)
    end)
  end)

  describe("shared memory", function()
    it("above 48 KB is enabled automatically", function()
      if device.max_shared_memory_per_block_optin <= 60000 then return end
      m.kernels.last({ grid = 1, block = 1, shared = 60000 }, out, 15000)
      assert.are.equal(7, out:item(1))
    end)

    it("above the limit of a block is refused", function()
      fails("bytes of dynamic and 0 of static shared memory exceed the", m.kernels.last,
        { grid = 1, block = 1, shared = 1 << 24 }, out, 1)
      fails("'shared': -4 is outside", m.kernels.last, { grid = 1, block = 1, shared = -4 }, out, 1)
    end)
  end)

  describe("cooperative launches", function()
    it("run while all blocks fit", function()
      m.kernels.shape({ grid = 1, block = 32, cooperative = true }, out)
      assert.are.equal(32, out:item(4))
    end)

    it("name the largest grid", function()
      fails("cooperative launch of 10000000 blocks exceeds the", m.kernels.shape,
        { grid = 10000000, block = 1024, cooperative = true }, out)
      fails("'cooperative': expected a boolean, got integer", m.kernels.shape,
        { grid = 1, block = 1, cooperative = 1 }, out)
    end)
  end)

  it("checks clusters", function()
    local e = tostring(error_of(m.kernels.shape, { grid = 3, block = 1, cluster = 2 }, out))
    assert.is_truthy(e:find("does not support clusters", 1, true)
      or e:find("grid of 3 along x is not a multiple of the cluster size 2", 1, true), e)
  end)

  describe("launch attributes", function()
    it("change nothing that a kernel computes", function()
      for _, launch in ipairs {
        { programmatic = true }, { programmatic = false }, { priority = -1 }, { priority = 1000 },
        { sync_domain = "remote" }, { sync_domain = "default" },
        { programmatic = true, priority = 0, sync_domain = "remote", cooperative = true },
      } do
        launch.grid, launch.block = 3, 32
        assert.are.equal("3 1 1 32 1 1", shape(launch))
      end
    end)

    it("let a kernel begin while the one before it ends", function()
      if device.kind ~= "cpu" and device.cc < 90 then return end
      assert.are.same({ true, "265720\n", 0 }, { helper.lua([==[
        local cuda = require "luacuda"
        cuda.use(tonumber((...):match "%d+") or ...)
        local chain = cuda.kernel [=[
          __global__ void chain(int *p, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            asm volatile("griddepcontrol.wait;" ::: "memory");
            if (i < n) p[i] = 3 * p[i] + 1;
            asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
          }]=]
        local p = cuda.zeros(5000, "int32")
        for _ = 1, 12 do chain({ threads = 5000, programmatic = true }, p, 5000) end
        assert(p:min() == p:max())
        print(p:item(5000))
      ]==], { env = { LUACUDA_CPU_ARCH = "90" }, args = { label } }) })
    end)

    it("are checked", function()
      fails("'programmatic': expected a boolean, got integer", m.kernels.shape,
        { grid = 1, block = 1, programmatic = 1 }, out)
      fails("'priority': expected an integer, got string", m.kernels.shape,
        { grid = 1, block = 1, priority = "high" }, out)
      fails("'priority': 2000 is outside -1000..1000", m.kernels.shape,
        { grid = 1, block = 1, priority = 2000 }, out)
      fails("'sync_domain': expected 'default' or 'remote', got ", m.kernels.shape,
        { grid = 1, block = 1, sync_domain = "far" }, out)
      fails("unknown key 'programatic'; did you mean 'programmatic'?", m.kernels.shape,
        { grid = 1, block = 1, programatic = true }, out)
    end)
  end)

  describe("streams", function()
    it("are taken from the table; otherwise the current one is used", function()
      local out = cuda.zeros(64, "int32") -- luacheck: ignore (its memory marks the stream)
      local s <close> = cuda.stream()
      m.kernels.shape({ grid = 5, block = 1, stream = s }, out)
      s:synchronize()
      assert.are.equal(5, out:item(1))
      cuda.with_stream(s, function() m.kernels.shape({ grid = 6, block = 1 }, out) end)
      assert.are.equal(6, out:item(1))
      fails("'stream': expected a Stream, got integer", m.kernels.shape,
        { grid = 1, block = 1, stream = 1 }, out)
    end)

    it("are ordered by the arrays they share", function()
      local s <close> = cuda.stream()
      local t <close> = cuda.stream()
      local n = 100000
      local x, y = cuda.ones(n, "float32"), cuda.zeros(n, "float32")
      for _ = 1, 10 do
        m.kernels.add({ threads = n, stream = s }, y, x, n)
        m.kernels.add({ threads = n, stream = t }, y, x, n)
      end
      local got = y:totable()
      for i = 1, n, 997 do assert.are.equal(20, got[i]) end
    end)

    it("may be unordered", function()
      local out = cuda.zeros(64, "int32") -- luacheck: ignore (its memory marks the stream)
      local s <close> = cuda.stream()
      m.kernels.shape({ grid = 5, block = 1, stream = s, ordered = false }, out)
      s:synchronize()
      assert.are.equal(5, out:item(1))
    end)

    it("refuses a closed stream", function()
      local s = cuda.stream()
      s:free()
      fails("attempt to use a closed Stream", m.kernels.shape,
        { grid = 1, block = 1, stream = s }, out)
    end)
  end)

  describe("prepared launches", function()
    it("copy the table and keep the device", function()
      local launch = { grid = 2, block = 3 }
      local f = m.kernels.shape:prepare(launch)
      launch.grid = 9
      f(out)
      assert.are.equal("2 1 1 3 1 1", table.concat(out:slice({ 1, 6 }):totable(), " "))
      assert.are.same({ 2, 1, 1 }, f.grid)
      assert.are.same({ 3, 1, 1 }, f.block)
      assert.are.equal(device, f.device)
      assert.are.equal(m.kernels.shape, f.kernel)
      assert.is_truthy(tostring(f):find("luacuda.Prepared shape grid {2, 1, 1} block {3, 1, 1} on "
        .. label, 1, true))
    end)

    it("check their arguments", function()
      local f = m.kernels.where:prepare { threads = 10 }
      fails("where: expected 2 arguments, got 0", f)
      fails("where: argument 2 'n': expected an integer (int32), got 1.5", f, out, 1.5)
      fails("where: argument 1 'out': expected int32 array (int *), got float32 array",
        f, cuda.zeros(3), 3)
    end)

    it("check the table immediately", function()
      fails("'block' is 0 along x", m.kernels.shape.prepare, m.kernels.shape,
        { grid = 1, block = 0 })
      fails("expected only a launch table", m.kernels.shape.prepare, m.kernels.shape,
        { grid = 1, block = 1 }, out)
    end)

    it("of 0 threads launch nothing", function()
      m.kernels.where:prepare { threads = 0 }(cuda.null, 0)
      out:fill(-1)
      m.kernels.where:prepare { threads = 0 }(out, 64)
      for _, v in ipairs(out:totable()) do assert.are.equal(-1, v) end
    end)

    it("use their stream, or the current one", function()
      local out = cuda.zeros(64, "int32") -- luacheck: ignore (its memory marks the stream)
      local s <close> = cuda.stream()
      local f = m.kernels.shape:prepare { grid = 4, block = 1, stream = s }
      f(out)
      s:synchronize()
      assert.are.equal(4, out:item(1))
    end)

    it("can be freed", function()
      local f = m.kernels.shape:prepare { grid = 1, block = 1 }
      f:free()
      f:free()
      fails("attempt to use a closed Prepared", f, out)
      assert.are.equal("closed prepared", cuda.type(f))
      local k = m:kernel "shape"
      local g = k:prepare { grid = 1, block = 1 }
      k:free()
      fails("attempt to use a closed Kernel", g, out)
      fails("attempt to use a closed Kernel", k, { grid = 1, block = 1 }, out)
    end)
  end)

  describe("timing", function()
    it("waits and returns milliseconds", function()
      local ms = m.kernels.where:time_ms({ threads = 64 }, out, 64)
      assert.is_true(math.type(ms) == "float" and ms >= 0)
      assert.are.equal(63, out:item(64))
    end)

    it("sums up several runs", function()
      local r = m.kernels.where:benchmark({ threads = 64, runs = 5, warmup = 1 }, out, 64)
      assert.are.equal(5, r.runs)
      assert.is_true(r.min_ms <= r.median_ms and r.min_ms <= r.mean_ms)
      fails("'runs': 0 is outside 1..1000000", m.kernels.where.benchmark, m.kernels.where,
        { threads = 1, runs = 0 }, out, 0)
      fails("benchmark of 0 threads", m.kernels.where.benchmark, m.kernels.where,
        { threads = 0 }, out, 0)
    end)
  end)

  it("takes kernels with many parameters", function()
    local params, sums, values = {}, {}, {}
    for i = 1, 100 do
      params[i], sums[i], values[i] = ("int p%d"):format(i), ("p%d"):format(i), i
    end
    local k = cuda.kernel(("__global__ void many(int *out, %s) { *out = %s; }")
      :format(table.concat(params, ", "), table.concat(sums, " + ")))
    k({ grid = 1, block = 1 }, out, table.unpack(values))
    assert.are.equal(5050, out:item(1))
    values[77] = "x"
    fails("many: argument 78 'p77': expected", k, { grid = 1, block = 1 }, out,
      table.unpack(values))
  end)
end)
