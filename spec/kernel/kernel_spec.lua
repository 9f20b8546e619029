-- Kernels: names, fields, attributes and lifetime.
local helper = require "spec.helper"
local cuda = require "luacuda"

local SAXPY = [==[
  __global__ void saxpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
  }]==]

local error_of, contains = helper.error_of, helper.contains

helper.for_each_device(function(device)
  it("takes the only kernel of a source, or one by name", function()
    local two = "__global__ void one(int *p) { *p = 1; } __global__ void two(int *p) { *p = 2; }"
    local out = cuda.zeros(1, "int32")
    cuda.kernel "__global__ void k(int *p) { *p = 7; }"({ grid = 1, block = 1 }, out)
    assert.are.equal(7, out:item(1))
    cuda.kernel(two, "two")({ grid = 1, block = 1 }, out)
    assert.are.equal(2, out:item(1))
    cuda.kernel { source = two, name = "one" }({ grid = 1, block = 1 }, out)
    assert.are.equal(1, out:item(1))
    contains(error_of(cuda.kernel(two), { grid = 1, block = 1 }, out),
      "the source has 2 kernels (one, two): give the name of one")
    contains(error_of(cuda.kernel "__device__ int x;", { grid = 1, block = 1 }, out),
      "the source has no kernel")
  end)

  it("compiles at first use only", function()
    local k = cuda.kernel "__global__ void broken(int *p) { *p = nothing; }"
    assert.are.equal("luacuda.Kernel", tostring(k))
    local ok, e = pcall(k, { grid = 1, block = 1 }, cuda.null)
    assert.is_false(ok)
    assert.is_true(cuda.is_error(e, "compile"))
  end)

  it("compiles immediately on request", function()
    local k = cuda.kernel(SAXPY)
    assert.are.equal(k, k:compile())
    assert.are.equal("luacuda.Kernel saxpy(float a, const float *x, float *y, int n)", tostring(k))
    assert.are.equal("kernel", cuda.type(k))
  end)

  it("prints its parameters as the compiler knows them", function()
    local m <close> = cuda.module [==[
      struct P { int a; };
      template <typename T> __global__ void generic(T *const *list, P p, float4 &&) {}
      __global__ void none() {}
      __global__ void texture(cudaTextureObject_t t, unsigned char) {}]==]
    local none = m:kernel "none"
    assert.are.equal("luacuda.Kernel none", tostring(none))
    none({ block = 1 })
    assert.are.equal("luacuda.Kernel none()", tostring(none))
    assert.are.equal("luacuda.Kernel texture(unsigned long long t, unsigned char)",
      tostring(m.kernels.texture))
    local binary = cuda.module { binary = (cuda.compile 'extern "C" __global__ void f(int *p) {}') }
    assert.are.equal("luacuda.Kernel f", tostring(binary:kernel "f"):match "^luacuda.Kernel f")
  end)

  it("has its log without a module of its own", function()
    local ok, output = helper.lua [[
      local cuda = require "luacuda"
      cuda.use "cpu"
      local k = cuda.kernel "__global__ void k(int *p) { int unused; *p = 1; }"
      print(k.log:match "warning.*\"unused\"")
    ]]
    assert.is_true(ok, output)
    contains(output, 'warning')
  end)

  it("has its name, source and PTX", function()
    local k = cuda.kernel(SAXPY)
    assert.are.equal("saxpy", k.name)
    assert.are.equal(SAXPY, k:source())
    contains(k:ptx(), ".entry _Z5saxpyfPKfPfi")
  end)

  it("returns its signature as data", function()
    local s = cuda.kernel(SAXPY).signature
    assert.are.equal(4, #s)
    assert.are.same({ name = "x", type = "const float *", kind = "pointer", dtype = "float32",
      known = true, const = true, lanes = 1, size = 8, offset = 8 }, s[2])
    assert.are.equal("n", s[4].name)
    assert.are.equal(24, s[4].offset)
    assert.is_false(s[3].const)
  end)

  it("reports names and types of extern \"C\" kernels", function()
    local k = cuda.kernel [==[
      struct P { int a; };
      extern "C" __global__ void plain(P p, const double *x, unsigned char, float4 v[]) {}
    ]==]
    local types, names = {}, {}
    for i, p in ipairs(k.signature) do types[i], names[i] = p.type, p.name or "-" end
    assert.are.same({ "P", "const double *", "unsigned char", "float4 *" }, types)
    assert.are.same({ "p", "x", "-", "v" }, names)
  end)

  it("has the driver's attributes as fields", function()
    local k = cuda.kernel [==[__global__ void k(float *p) {
      __shared__ float s[100];
      s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[0] = s[5];
    }]==]
    assert.are.equal(400, k.shared_size_bytes)
    assert.are.equal(1024, k.max_threads_per_block)
    assert.is_true(k.num_regs > 0 and k.ptx_version > 0 and k.binary_version > 0)
    local all = k:attributes()
    assert.are.equal(400, all.shared_size_bytes)
    assert.are.equal(k.num_regs, all.num_regs)
    contains(error_of(function() return k.num_rgs end),
      "Kernel has no field or method 'num_rgs'; did you mean 'num_regs'?")
    contains(error_of(function() return k[1] end), "a Kernel cannot be indexed with a number")
  end)

  it("has settable attributes", function()
    local k = cuda.kernel(SAXPY)
    k.max_dynamic_shared_size_bytes = 20000
    assert.are.equal(20000, k.max_dynamic_shared_size_bytes)
    contains(error_of(function() k.num_regs = 3 end),
      "field 'num_regs' of a Kernel can only be read")
    contains(error_of(function() k.nothing = 3 end), "Kernel has no settable field 'nothing'")
    contains(error_of(function() k.max_dynamic_shared_size_bytes = "x" end), "expected an integer")
    contains(error_of(function() k.max_dynamic_shared_size_bytes = 1.5 end), "expected an integer")
  end)

  it("checks the range of an attribute before calling the driver", function()
    local k = cuda.kernel [==[
      __global__ void f(float *p) {
        __shared__ float s[100];
        s[threadIdx.x] = *p; __syncthreads(); p[0] = s[5];
      }]==]
    local most = math.max(device.max_shared_memory_per_block_optin,
      device.max_shared_memory_per_block) - 400
    for value, range in pairs { [1 << 24] = most, [most + 1] = most, [-1] = most } do
      assert.are.equal(("f: max_dynamic_shared_size_bytes: %d is outside the range 0 to %d "
        .. "of this kernel on %s"):format(value, range, device.label),
        helper.misuse(function() k.max_dynamic_shared_size_bytes = value end))
    end
    assert.are.equal("f: preferred_shared_memory_carveout: 101 is outside the range -1 to 100 of "
      .. "this kernel on " .. device.label,
      helper.misuse(function() k.preferred_shared_memory_carveout = 101 end))
    k.max_dynamic_shared_size_bytes = most
    assert.are.equal(most, k.max_dynamic_shared_size_bytes)
    k.preferred_shared_memory_carveout = 50
  end)

  it("keeps settings for devices used later", function()
    local others = {}
    for _, d in ipairs(cuda.devices()) do
      if d ~= device then others[#others + 1] = d end
    end
    local k = cuda.kernel(SAXPY)
    k.max_dynamic_shared_size_bytes = 12345
    for _, d in ipairs(others) do
      local previous = cuda.use(d)
      assert.are.equal(12345, k.max_dynamic_shared_size_bytes)
      cuda.use(previous)
    end
  end)

  it("computes occupancy", function()
    local k = cuda.kernel(SAXPY)
    local blocks, share = k:occupancy(256)
    assert.is_true(blocks >= 1 and share > 0 and share <= 1)
    local fewer = k:occupancy(256, 40000)
    assert.is_true(fewer <= blocks)
    assert.are.equal(k:occupancy(256), (k:occupancy { 16, 16 }))
    assert.has_error(function() k:occupancy "x" end)
    assert.has_error(function() k:occupancy() end)
    assert.are.equal("occupancy: argument 2 'shared': -1 is outside 0 to 2147483647 bytes",
      helper.misuse(k.occupancy, k, 256, -1))
    assert.has_error(function() k:occupancy { 1 << 30, 1 << 30, 1 << 30 } end)
  end)

  it("suggests a block", function()
    local m <close> = cuda.module [==[
      __global__ void plain(float *p) { p[threadIdx.x] += 1; }
      __global__ void __launch_bounds__(96) narrow(float *p) { p[threadIdx.x] += 1; }
      __global__ void wide(float *p) {
        __shared__ float s[10000];
        s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[threadIdx.x ^ 1];
      }]==]
    local k = m.kernels
    local function resident(kernel, block, shared)
      return kernel:occupancy(block, shared or 0) * block
    end
    for _, kernel in ipairs { k.plain, k.narrow, k.wide } do
      local threads, blocks = kernel:suggested_block()
      local most = 0
      for n = 32, kernel.max_threads_per_block, 32 do
        most = math.max(most, resident(kernel, n))
      end
      assert.are.equal(most, resident(kernel, threads))
      assert.are.equal(device.multiprocessor_count * kernel:occupancy(threads), blocks)
      assert.are.same({ threads, 1, 1 }, kernel:prepare { threads = 5000 }.block)
    end
    assert.are.equal(256, (k.plain:suggested_block()))
    assert.is_true(k.narrow:suggested_block() <= 96)
    assert.is_true(k.wide:suggested_block() > 256)
    -- dynamic shared memory counts too
    local threads = k.plain:suggested_block(40000)
    assert.is_true(resident(k.plain, threads, 40000) >= resident(k.plain, 256, 40000))
    assert.are.same({ threads, 1, 1 }, k.plain:prepare { threads = 5000, shared = 40000 }.block)
    assert.are.equal(256, (k.plain:suggested_block()))
    contains(helper.misuse(k.plain.suggested_block, k.plain, 1 << 24), "shared memory exceed the")
    assert.has_error(function() k.plain:suggested_block(-1) end)
    assert.has_error(function() k.plain:suggested_block(1, 2) end)
  end)

  it("knows the largest cooperative grid", function()
    local k = cuda.kernel "__global__ void f(int *p) { *p = gridDim.x; }"
    local most = k:max_cooperative_blocks(128)
    assert.are.equal(device.multiprocessor_count * k:occupancy(128), most)
    local out = cuda.zeros(1, "int32")
    k({ grid = most, block = 128, cooperative = true }, out)
    assert.are.equal(most, out:item(1))
    contains(helper.misuse(k, { grid = most + 1, block = 128, cooperative = true }, out),
      ("exceeds the %d blocks"):format(most))
    assert.is_true(k:max_cooperative_blocks({ 16, 8 }, 40000) <= most)
    contains(helper.misuse(k.max_cooperative_blocks, k, 128, 1 << 24), "shared memory exceed the")
    assert.has_error(function() k:max_cooperative_blocks() end)
    assert.has_error(function() k:max_cooperative_blocks(128, 0, 0) end)
  end)

  it("knows the largest cluster", function()
    local k = cuda.kernel "__global__ void f(int *p) { *p = gridDim.x; }"
    if device.cc >= 90 then return end -- cluster_spec.lua
    assert.equal(0, k:max_cluster_size(128))
    contains(helper.misuse(k.max_active_clusters, k, 128, 2), "does not support clusters")
    assert.has_error(function() k:max_cluster_size() end)
    assert.has_error(function() k:max_cluster_size(128, 0, 0) end)
    assert.has_error(function() k:max_active_clusters(128, 2, 0, 0) end)
  end)

  it("has a cache preference", function()
    local k = cuda.kernel(SAXPY)
    assert.are.equal("none", k.cache_config)
    for _, config in ipairs { "shared", "l1", "equal", "none", "l1" } do
      k.cache_config = config
      assert.are.equal(config, k.cache_config)
    end
    local y = cuda.ones(4)
    k({ threads = 4 }, 1, y, y, 4)
    assert.are.same({ 2, 2, 2, 2 }, y:totable())
    contains(error_of(function() k.cache_config = "L1" end),
      "kernel.cache_config: expected 'shared', 'l1', 'equal' or 'none', got string")
    contains(error_of(function() k.cache_config = nil end), "got nil")
    k:close()
    contains(error_of(function() k.cache_config = "l1" end), "attempt to use a closed Kernel")
    contains(error_of(function() return k.cache_config end), "attempt to use a closed Kernel")
  end)

  it("has the options that it was compiled with", function()
    local k = cuda.kernel("__global__ void f(int *p) { *p = N; }", { defines = { N = 40 + 2 },
      fast_math = true, flags = "-w", std = "c++17" })
    local o = k.options
    assert.are.same({ N = "42" }, o.defines)
    assert.are.same({ "-w" }, o.flags)
    assert.is_true(o.fast_math)
    assert.are.equal("c++17", o.std)
    assert.is_false(o.debug)
    o.flags[1] = "changed"
    assert.are.same({ "-w" }, k.options.flags)
    -- they can be given again
    local out = cuda.zeros(1, "int32")
    cuda.kernel(k:source(), k.options)({ threads = 1 }, out)
    assert.are.equal(42, out:item(1))
    assert.are.same({}, cuda.kernel { binary = k:ptx() }.options)
    contains(error_of(function() k.options = {} end),
      "field 'options' of a Kernel can only be read")
  end)

  it("says which of its fields can be assigned", function()
    local k = cuda.kernel(SAXPY)
    local settable = { max_dynamic_shared_size_bytes = 1024, preferred_shared_memory_carveout = 50 }
    for name in pairs(k:attributes()) do
      local ok, why = pcall(function() k[name] = settable[name] or 0 end)
      assert.is_true(ok or not settable[name])
      if type(why) == "string" then contains(why, "of a Kernel can only be read") end
    end
  end)

  it("is freed once and for all", function()
    local k = cuda.kernel(SAXPY):compile()
    k:free()
    k:close()
    assert.are.equal("closed kernel", cuda.type(k))
    assert.are.equal("luacuda.Kernel (closed)", tostring(k))
    contains(error_of(k, { threads = 1 }), "attempt to use a closed Kernel")
    contains(error_of(function() return k.num_regs end), "attempt to use a closed Kernel")
    contains(error_of(function() return k.name end), "attempt to use a closed Kernel")
    contains(error_of(function() return k:prepare { threads = 1 } end),
      "attempt to use a closed Kernel")
    do
      local c <close> = cuda.kernel(SAXPY)
      assert.are.equal("saxpy", c.name)
    end
  end)

  it("outlives the module it came from", function()
    local m = cuda.module(SAXPY)
    local k = m:kernel "saxpy":compile()
    m:free()
    local y = cuda.ones(4)
    k({ threads = 4 }, 1, y, y, 4)
    assert.are.same({ 2.0, 2.0, 2.0, 2.0 }, y:totable())
  end)

  it("checks its source", function()
    contains(error_of(cuda.kernel, 5), "kernel: expected source (a string), got number")
    contains(error_of(cuda.kernel), "kernel: expected source")
    contains(error_of(cuda.kernel, "x", { nam = 1 }), "unknown option 'nam'; did you mean 'name'?")
    contains(error_of(cuda.kernel, {}), "expected exactly one of source, path and binary")
    contains(error_of(cuda.kernel, SAXPY, "a\0b"), "")
    for _, method in ipairs {
      "prepare", "time_ms", "benchmark", "occupancy", "attributes", "source", "ptx", "compile",
      "max_active_clusters", "max_cluster_size",
    } do
      local k = cuda.kernel(SAXPY)
      assert.has_error(function() k[method](5) end)
      assert.has_error(function() k[method]() end)
    end
  end)

  it("is compiled once for equal names", function()
    local m = cuda.module(SAXPY)
    assert.are.equal(m:kernel "saxpy", m.kernels.saxpy)
  end)
end)
