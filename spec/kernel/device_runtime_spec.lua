-- The functions of CUDA's device runtime that kernels may call beside launches.
local helper = require "spec.helper"
local cuda = require "luacuda"

local ONE = { grid = 1, block = 1 }

local SOURCE = [[
  __global__ void add(int *p, int by) { p[threadIdx.x] += by; }
  __global__ void ordered(int *p, const int *q, int n, int byte) {
    cudaMemcpyAsync(p, q, n * sizeof(int), cudaMemcpyDeviceToDevice, 0);
    add<<<1, n>>>(p, 3);
    cudaMemcpyAsync(p + n, p, n * sizeof(int), cudaMemcpyDeviceToDevice, 0);
    cudaMemsetAsync(p, byte, 2 * sizeof(int), 0);
    add<<<1, n>>>(p, 1);
  }
  __global__ void rows(char *p, const char *q, int byte) {
    cudaMemcpy2DAsync(p + 1, 8, q, 5, 3, 2, cudaMemcpyDeviceToDevice, 0);
    cudaMemset2DAsync(p + 16, 8, byte, 2, 3, 0);
  }
  __global__ void failures(int *codes) {
    if (threadIdx.x % 2 == 1) add<<<1, 2000>>>(codes, 1);
    codes[threadIdx.x * 2] = cudaPeekAtLastError();
    codes[threadIdx.x * 2 + 1] = cudaGetLastError() + cudaGetLastError();
  }
  __global__ void heap(int *out) {
    int *p;
    out[0] = cudaMalloc((void **)&p, 4 * sizeof(int));
    for (int i = 0; i < 4; i++) p[i] = i * i;
    out[1] = p[3];
    out[2] = cudaFree(p);
  }
  __global__ void ask(int *out) {
    cudaDeviceGetAttribute(&out[0], cudaDevAttrWarpSize, 0);
    cudaDeviceGetAttribute(&out[1], cudaDevAttrMaxThreadsPerBlock, 0);
    out[2] = cudaGetDevice(&out[3]);
    size_t n = 0;
    out[4] = cudaDeviceGetLimit(&n, cudaLimitMallocHeapSize);
    out[5] = n > 0;
    cudaRuntimeGetVersion(&out[6]);
  }
  __global__ void words(char *out, int error) {
    const char *name = cudaGetErrorName((cudaError_t)error);
    while ((*out++ = *name++) != 0) ;
  }
  __global__ void many(int *p, int *refused, int n) {
    for (int i = 0; i < n; i++) add<<<1, 1>>>(p, 1);
    *refused = cudaGetLastError();
  }
  __global__ void chain(int *p, int n) {
    *p = *p * 2 + 1;
    if (n > 1) chain<<<1, 1, 0, cudaStreamTailLaunch>>>(p, n - 1);
    add<<<1, 1>>>(p, 1);
  }
  __global__ void outside(int *p) {
    cudaMemsetAsync(p, 0, 41 * sizeof(int), 0); // here
  }
]]

helper.for_each_device(function(device)
  describe("the device runtime", function()
    -- On an H100, the device runtime of CUDA 13.0 fills with zeros, whatever the byte.
    local byte = device.kind == "cpu" and 7 or 0
    local m

    before_each(function()
      m = cuda.module(SOURCE, { rdc = true })
      local ok, e = pcall(m.compile, m)
      if not ok and tostring(e):find("libcudadevrt", 1, true) then pending "no cudadevrt" end
      assert(ok, tostring(e))
    end)
    after_each(function() m:close() end)

    it("copies and fills in the order of the launches", function()
      local x, y = cuda.zeros(8, "int32"), cuda.array({ 5, 6, 7, 8 }, "int32")
      m.kernels.ordered(ONE, x, y, 4, byte)
      local filled = byte * 0x01010101 + 1
      assert.are.same({ filled, filled, 11, 12, 8, 9, 10, 11 }, x:totable())
    end)

    it("copies and fills rows", function()
      local x, y = cuda.full(40, 3, "int8"), cuda.arange(1, 10, "int8")
      m.kernels.rows(ONE, x, y, byte)
      local expected = {}
      for i = 1, 40 do expected[i] = 3 end
      for i = 0, 2 do
        expected[2 + i], expected[10 + i] = y[1 + i], y[6 + i]
        expected[17 + 8 * i], expected[18 + 8 * i] = byte, byte
      end
      assert.are.same(expected, x:totable())
    end)

    it("keeps an error for the thread whose launch failed", function()
      local x = cuda.zeros(128, "int32")
      m.kernels.failures({ grid = 1, block = 64 }, x)
      for i, v in ipairs(x:totable()) do assert.are.equal((i - 1) // 2 % 2 * 9, v) end
    end)

    it("allocates memory", function()
      local x = cuda.zeros(3, "int32")
      m.kernels.heap(ONE, x)
      assert.are.same({ 0, 9, 0 }, x:totable())
    end)

    it("answers questions about the device", function()
      local x = cuda.zeros(7, "int32")
      m.kernels.ask(ONE, x)
      local got = x:totable()
      assert.are.same({ 32, 1024, 0 }, { got[1], got[2], got[3] })
      assert.are.same({ 0, 1 }, { got[5], got[6] })
      assert.is_true(got[7] >= (device.kind == "cpu" and 12000 or 6000), got[7])
    end)

    it("names errors", function()
      local function name_of(error)
        local x = cuda.zeros(64, "int8")
        m.kernels.words(ONE, x, error)
        local t = x:totable()
        local n = 1
        while t[n] ~= 0 do n = n + 1 end
        return string.char(table.unpack(t, 1, n - 1))
      end
      assert.are.equal("cudaErrorInvalidConfiguration", name_of(9))
      assert.are.equal("cudaErrorLaunchPendingCountExceeded", name_of(69))
    end)

    it("runs tail launches after the grid and what it launched", function()
      local x, expected = cuda.zeros(1, "int32"), 0
      m.kernels.chain(ONE, x, 5)
      for _ = 1, 5 do expected = expected * 2 + 2 end
      assert.are.equal(expected, x[1])
    end)

    if device.kind ~= "cpu" then return end

    it("refuses more launches than may be pending", function()
      local x, e = cuda.zeros(1, "int32"), cuda.zeros(1, "int32")
      m.kernels.many(ONE, x, e, 2048)
      assert.are.same({ 2048, 0 }, { x[1], e[1] })
      m.kernels.many(ONE, x, e, 2049)
      assert.are.same({ 2048 * 2, 69 }, { x[1], e[1] })
    end)

    it("reports a fill past the end of an array at its line", function()
      local ok, e = pcall(function()
        m.kernels.outside(ONE, cuda.zeros(40, "int32"))
        cuda.synchronize()
      end)
      assert.is_false(ok)
      helper.contains(tostring(e), "out of bounds: write")
      helper.contains(tostring(e), "just past the end of the allocation of 160 bytes")
      assert.are.equal("outside", cuda.last_error(e).kernel)
      local line = SOURCE:find("// here", 1, true)
      local _, before = SOURCE:sub(1, line):gsub("\n", "")
      helper.contains(tostring(e), ("device_runtime_spec.lua:%d"):format(before + 8))
    end)
  end)
end)
