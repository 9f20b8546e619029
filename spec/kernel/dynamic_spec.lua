-- Dynamic parallelism: kernels that launch kernels.
local helper = require "spec.helper"
local cuda = require "luacuda"

local SOURCE = [[
  __global__ void child(int *p, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = p[i] * 2 + by;
  }
  __global__ void ordered(int *p, int n) {
    int blocks = (n + 31) / 32;
    if (threadIdx.x != 0) return;
    child<<<blocks, 32, 0, cudaStreamTailLaunch>>>(p, n, 5);
    child<<<blocks, 32>>>(p, n, 1);
    child<<<blocks, 32>>>(p, n, 2);
  }
  __global__ void errors(int *p, int *error) {
    child<<<1, 2000>>>(p, 1, 1);
    error[0] = cudaPeekAtLastError();
    error[1] = cudaGetLastError();
    error[2] = cudaGetLastError();
    child<<<1, dim3(1, 1, 65)>>>(p, 1, 1);
    error[3] = cudaGetLastError();
  }
  __global__ void put(int *p, int value) { p[blockIdx.x] = value; }
  __global__ void each(int *p) { put<<<1, 1>>>(p + blockIdx.x * 32 + threadIdx.x, blockIdx.x + 1); }
  __global__ void nested(int *p, int depth) {
    atomicAdd(p, 1);
    if (depth > 1) for (int i = 0; i < 2; i++) nested<<<1, 1>>>(p, depth - 1);
  }
  __global__ void own_stream(int *p) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    put<<<1, 1, 0, s>>>(p, 7);
    put<<<1, 1, 0, cudaStreamFireAndForget>>>(p + 1, 8);
    cudaStreamDestroy(s);
  }
  __global__ void dynamic(int *p) {
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
  }
  __global__ void shared(int *p) { dynamic<<<1, 64, 64 * sizeof(int)>>>(p); }
  __global__ void deep(int *p) {
    p[0]++;
    deep<<<1, 1>>>(p);
    int e = cudaGetLastError();
    if (e != 0) p[1] = e;
  }
  __global__ void tree(int *p, int depth) {
    atomicAdd(p, 1);
    if (depth == 0) return;
    tree<<<1, 1>>>(p, depth - 1);
    tree<<<1, 1>>>(p, depth - 1);
    if (cudaGetLastError() != 0) p[1] = 1;
  }
  __global__ void chain(int *p, int n) {
    p[0] = p[0] * 3 + n;
    if (n > 0) chain<<<1, 1, 0, cudaStreamTailLaunch>>>(p, n - 1);
    p[1] |= cudaGetLastError();
  }
  __global__ void endless(int *p) { endless<<<1, 1, 0, cudaStreamTailLaunch>>>(p); }
  __global__ void append(int *p, int v) { int n = ++p[0]; p[n] = v; }
  __global__ void family(int *p, int v) {
    append<<<1, 1, 0, cudaStreamTailLaunch>>>(p, v + 2);
    append<<<1, 1>>>(p, v + 1);
    append<<<1, 1, 0, cudaStreamTailLaunch>>>(p, v + 3);
  }
  __global__ void families(int *p) {
    family<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 30);
    family<<<1, 1>>>(p, 10);
    append<<<1, 1>>>(p, 20);
    family<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 40);
  }
  __global__ void bad(int *p) { p[100000] = 1; }
  __global__ void read(const int *p, int *to) { *to = *p; }
  __global__ void gives_local(int *p) {
    int mine[4] = { 1, 2, 3, 4 };
    read<<<1, 1>>>(mine + p[0], p + 1);
  }
  __global__ void gives_shared(int *p) {
    __shared__ int ours[4];
    ours[threadIdx.x] = 1;
    read<<<1, 1>>>(ours + p[0], p + 1);
  }
  __global__ void launches_bad(int *p) { bad<<<1, 1>>>(p); }
]]

helper.for_each_device(function(device)
  describe("a kernel that launches kernels", function()
    local m

    before_each(function()
      m = cuda.module(SOURCE, { rdc = true })
      local ok, e = pcall(m.compile, m)
      if not ok and tostring(e):find("libcudadevrt", 1, true) then
        pending "no cudadevrt"
      end
      assert(ok, tostring(e))
    end)
    after_each(function() m:close() end)

    it("is complete when they are, in the order of the launches, tail launches last", function()
      local x = cuda.array({ 1, 10, 100 }, "int32")
      m.kernels.ordered({ grid = 1, block = 32 }, x, 3)
      assert.are.same({ 21, 93, 813 }, x:totable())
    end)

    it("may launch one from every thread", function()
      local x = cuda.zeros(16 * 32, "int32")
      m.kernels.each({ grid = 16, block = 32 }, x)
      for i, v in ipairs(x:totable()) do assert.are.equal((i - 1) // 32 + 1, v) end
    end)

    it("may launch itself", function()
      local x = cuda.zeros(1, "int32")
      m.kernels.nested({ grid = 1, block = 1 }, x, 6)
      assert.are.equal(63, x[1])
    end)

    it("may launch itself as deep as launches may be pending", function()
      local x = cuda.zeros(2, "int32")
      m.kernels.deep({ grid = 1, block = 1 }, x)
      assert.are.same({ 2049, 69 }, x:totable())
    end)

    it("may launch itself deeper with another limit", function()
      local before = device:limit "dev_runtime_pending_launch_count"
      local limit = device:limit("dev_runtime_pending_launch_count", 20000)
      finally(function() device:limit("dev_runtime_pending_launch_count", before) end)
      local x = cuda.zeros(2, "int32")
      m.kernels.deep({ grid = 1, block = 1 }, x)
      assert.are.same({ limit + 1, 69 }, x:totable())
    end)

    it("may launch any number of grids, one after the other", function()
      if device.kind ~= "cpu" then return end -- a GPU runs many of them at a time
      local x = cuda.zeros(2, "int32")
      m.kernels.tree({ grid = 1, block = 1 }, x, 11)
      assert.are.same({ 2 ^ 12 - 1, 0 }, x:totable())
    end)

    it("may launch itself as its successor any number of times", function()
      local x, expected = cuda.zeros(2, "int32"), 0
      m.kernels.chain({ grid = 1, block = 1 }, x, 3000)
      for n = 3000, 0, -1 do expected = expected * 3 + n & 0xffffffff end
      assert.are.same({ expected, 0 }, { x[1] & 0xffffffff, x[2] })
    end)

    it("is followed by its tail launches and all that they launch", function()
      local x = cuda.zeros(11, "int32")
      m.kernels.families({ grid = 1, block = 1 }, x)
      assert.are.same({ 10, 11, 12, 13, 20, 31, 32, 33, 41, 42, 43 }, x:totable())
    end)

    it("may use streams and shared memory", function()
      local x, y = cuda.zeros(2, "int32"), cuda.zeros(64, "int32")
      m.kernels.own_stream({ grid = 1, block = 1 }, x)
      assert.are.same({ 7, 8 }, x:totable())
      m.kernels.shared({ grid = 1, block = 1 }, y)
      for i, v in ipairs(y:totable()) do assert.are.equal((64 - i) * 3, v) end
    end)

    it("learns why a launch is refused", function()
      local x, e = cuda.zeros(1, "int32"), cuda.zeros(4, "int32")
      m.kernels.errors({ grid = 1, block = 1 }, x, e)
      assert.are.same({ 9, 9, 0, 9 }, e:totable())
      assert.are.equal(0, x[1])
    end)

    it("is ordered before later work", function()
      local x = cuda.zeros(1, "int32")
      for _ = 1, 20 do m.kernels.ordered({ grid = 1, block = 32 }, x, 1) end
      local expected = 0
      for _ = 1, 20 do expected = ((expected * 2 + 1) * 2 + 2) * 2 + 5 & 0xffffffff end
      assert.are.equal(expected, x[1] & 0xffffffff)
    end)

    it("does not count what the child needs as its own", function()
      if device.kind ~= "cpu" then return end
      local one = cuda.kernel([[
        __global__ void child(int *p) { __shared__ int s[1000]; s[threadIdx.x] = *p; *p = s[0]; }
        __global__ void parent(int *p) { child<<<1, 1>>>(p); }
      ]], "parent", { rdc = true })
      assert.are.equal(0, one.shared_size_bytes)
    end)

    it("cannot give a child the address of memory that is its own", function()
      if device.kind ~= "cpu" then return end
      for name, text in pairs { gives_local = "an address of a thread's local memory",
        gives_shared = "an address of shared memory" } do
        local ok, e = pcall(function()
          m.kernels[name]({ grid = 1, block = 4 }, cuda.zeros(2, "int32"))
          cuda.synchronize()
        end)
        assert.is_false(ok)
        helper.contains(e, text)
        helper.contains(e, "in kernel 'read'")
      end
    end)

    it("reports a fault of a child with its name", function()
      if device.kind ~= "cpu" then return end
      local ok, e = pcall(function()
        m.kernels.launches_bad({ grid = 1, block = 1 }, cuda.zeros(1, "int32"))
        cuda.synchronize()
      end)
      assert.is_false(ok)
      assert.is_true(cuda.is_error(e, "launch"), tostring(e))
      assert.are.equal("bad", cuda.last_error(e).kernel)
    end)
  end)

  if device.kind == "cpu" then
    it("tail launches without end are stopped", function()
      local ok, out = helper.lua(("local SOURCE = [===[%s]===]\n"):format(SOURCE) .. [[
        local cuda = require "luacuda"
        cuda.use "cpu"
        local m = cuda.module(SOURCE, { rdc = true })
        print(pcall(function()
          m.kernels.endless({ grid = 1, block = 1 }, cuda.zeros(1, "int32"))
          cuda.synchronize()
        end))]], { env = { LUACUDA_CPU_TIMEOUT_MS = "200" } })
      assert.is_true(ok, out)
      helper.contains(out, "launches by kernels were not done after 200 ms in kernel 'endless'")
    end)
  end

  describe("without rdc", function()
    it("a launch by a kernel is refused", function()
      local ok, e = pcall(function() cuda.module(SOURCE):compile() end)
      assert.is_false(ok)
      assert.is_true(cuda.is_error(e, "compile"), tostring(e))
    end)
  end)
end)
