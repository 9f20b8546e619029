local helper = require "spec.helper"
local cuda = require "luacuda"

describe("devices", function()
  it("are listed GPUs first, the CPU device last", function()
    local list = cuda.devices()
    local lines = {}
    for i, d in ipairs(list) do lines[i] = tostring(d) end
    assert.equal(table.concat(lines, "\n"), tostring(list))
    local versions = cuda.versions()
    assert.equal("integer", math.type(versions.nvrtc[1]))
    assert.matches(("^luacuda %s.*, nvrtc %d%%.%d"):format(cuda.VERSION, versions.nvrtc[1],
      versions.nvrtc[2]), tostring(versions))
    assert.is_true(#list >= 1)
    assert.equal("cpu", list[#list].kind)
    for i = 1, #list - 1 do
      assert.equal("gpu", list[i].kind)
      assert.equal(i - 1, list[i].ordinal)
    end
  end)

  it("have one handle each", function()
    assert.equal(cuda.device "cpu", cuda.device "cpu")
    assert.equal(cuda.devices()[1], cuda.devices()[1])
    local seen = { [cuda.device "cpu"] = true }
    assert.is_true(seen[cuda.device "cpu"])
  end)

  it("are found by handle; wrong names are refused", function()
    local cpu = cuda.device "cpu"
    assert.equal(cpu, cuda.device(cpu))
    local ok, e = pcall(cuda.device, "tpu")
    assert.is_false(ok)
    assert.is_true(cuda.is_error(e, "runtime"))
    assert.matches("there is no device 'tpu'", tostring(e), 1, true)
    assert.error_matches(function() cuda.device(true) end, "expected a device .* got boolean")
    assert.is_false((pcall(cuda.device, 1.5)))
    assert.is_false((pcall(cuda.device, 99)))
    assert.is_false((pcall(cuda.device, -1)))
  end)

  it("can be named by an ordinal as a string, as in LUACUDA_DEVICE", function()
    for _, d in ipairs(cuda.devices()) do
      if d.kind == "gpu" then
        local before = cuda.use(tostring(d.ordinal))
        assert.are.equal(d, cuda.device())
        assert.are.equal(d, cuda.device(tostring(d.ordinal)))
        cuda.use(before)
      end
    end
    local ok, e = pcall(cuda.use, "77")
    assert.is_false(ok)
    assert.is_true(cuda.is_error(e, "runtime"))
    assert.truthy(tostring(e):find("GPU 77", 1, true), tostring(e))
  end)

  it("become current by use, which returns the previous one", function()
    local before = cuda.device()
    local previous = cuda.use "cpu"
    assert.equal(before, previous)
    assert.equal(cuda.device "cpu", cuda.device())
    assert.equal(cuda.device "cpu", before:use())
    assert.equal(before, cuda.device())
  end)

  it("say whether a GPU is available, and why not", function()
    local ok, why = cuda.available()
    assert.is_boolean(ok)
    if ok then assert.is_nil(why) else assert.is_true(#why > 0) end
    assert.equal(ok, cuda.devices()[1].kind == "gpu")
  end)

  it("report versions", function()
    local versions = cuda.versions()
    assert.equal(cuda.VERSION, versions.luacuda)
    if cuda.available() then assert.equal("integer", math.type(versions.driver[1])) end
  end)

  it("appear in diagnose", function()
    local report = cuda.diagnose()
    assert.matches("luacuda " .. cuda.VERSION, report, 1, true)
    assert.matches("libcuda", report, 1, true)
    assert.matches("cpu: ", report, 1, true)
  end)

  it("have peers; the CPU device only itself", function()
    local cpu = cuda.device "cpu"
    assert.is_true(cpu:can_access_peer(cpu))
    assert.equal(cpu, cpu:enable_peer(cpu))
    for _, other in ipairs(cuda.devices()) do
      if other ~= cpu then
        assert.is_false(cpu:can_access_peer(other))
        assert.error(function() cpu:enable_peer(other) end)
      end
    end
  end)
end)

helper.for_each_device(function(device)
  it("has the fields every device has", function()
    assert.is_true(#device.name > 0)
    assert.equal("sm_" .. device.cc, device.arch)
    assert.same({ device.cc // 10, device.cc % 10 }, device.compute_capability)
    assert.is_true(device.total_memory > 0)
    assert.equal(device.kind == "cpu" and "cpu" or "gpu" .. device.ordinal, device.label)
    if device.kind == "gpu" then
      assert.matches("^%x+:%x+:%x+%.%x$", device.pci_bus_id)
    else
      assert.is_nil(device.pci_bus_id)
    end
    assert.matches(device.label, tostring(device), 1, true)
  end)

  it("has attributes as fields, in any spelling", function()
    assert.equal(32, device.warp_size)
    assert.equal(32, device:attribute "WARP_SIZE")
    assert.equal(32, device:attribute "CU_DEVICE_ATTRIBUTE_WARP_SIZE")
    assert.equal(device.max_shared_memory_per_block, device.shared_memory_per_block)
    local all = device:attributes()
    assert.equal(device.multiprocessor_count, all.multiprocessor_count)
    assert.is_true(all.max_threads_per_block >= 1024)
    assert.is_nil(all.shared_memory_per_block) -- aliases are not listed twice
  end)

  it("says which features it supports", function()
    assert.is_boolean(device:supports "managed_memory")
    assert.equal(device.memory_pools_supported ~= 0, device:supports "memory_pools")
    assert.error_matches(function() device:supports "magic" end, "no device attribute 'magic'")
  end)

  it("suggests similar fields", function()
    assert.error_matches(function() return device.max_thread_per_block end,
      "did you mean .*'max_threads_per_block'")
    assert.error_matches(function() return device.synchronise end, "did you mean 'synchronize'")
    assert.error_matches(function() return device[1] end, "cannot be indexed with a number")
    assert.error_matches(function() device.name = "x" end, "no settable field 'name'")
  end)

  it("reports its memory", function()
    local free, total = device:memory_info()
    assert.is_true(free > 0 and free <= total)
    local free2, total2 = cuda.mem_info()
    assert.equal(total, total2)
    assert.is_true(free2 > 0)
  end)

  it("has flags that read back", function()
    local before = device:flags()
    finally(function() device:flags(before) end)
    for _, way in ipairs { "spin", "yield", "blocking", "auto" } do
      assert.same({ schedule = way, lmem_resize = before.lmem_resize },
        device:flags { schedule = way })
      assert.equal(way, device:flags().schedule)
      assert.equal(3, cuda.full(4, 3, "int32"):item(4)) -- it waits
    end
    assert.same({ schedule = "auto", lmem_resize = true }, device:flags { lmem_resize = true })
    assert.equal("spin", device:flags({ schedule = "spin" }).schedule)
    assert.is_true(device:flags().lmem_resize)
    assert.is_false(device:flags({ lmem_resize = false }).lmem_resize)
    assert.error_matches(function() device:flags { schedule = "block" } end,
      "did you mean 'blocking'")
    assert.error_matches(function() device:flags { sched = "spin" } end,
      "did you mean 'schedule'")
    assert.equal("spin", device:flags().schedule)
  end)

  it("has a preference for its caches that reads back", function()
    local before = device:cache_config()
    finally(function() device:cache_config(before) end)
    for _, name in ipairs { "shared", "l1", "equal", "none" } do
      assert.equal(name, device:cache_config(name))
      assert.equal(name, device:cache_config())
    end
    assert.error_matches(function() device:cache_config "big" end,
      "there is no preference 'big'; names are none, shared, l1, equal")
    assert.error(function() device:cache_config(1) end)
  end)

  it("has the version of the API of its context", function()
    assert.equal("integer", math.type(device.api_version))
    assert.is_true(device.api_version >= 3020)
  end)

  it("has limits that read back", function()
    local before = device:limit "stack_size"
    assert.is_true(before > 0)
    local now = device:limit("stack_size", 4096)
    assert.is_true(now >= 4096)
    assert.equal(now, device:limit "stack_size")
    device:limit("stack_size", before)
    assert.error_matches(function() device:limit "stack_siz" end, "did you mean 'stack_size'")
    assert.error(function() device:limit("stack_size", -1) end)
  end)

  it("waits", function()
    assert.equal(device, device:synchronize())
    cuda.synchronize()
    cuda.synchronize(device)
    assert.error_matches(function() cuda.no_sync(function() device:synchronize() end) end,
      "no_sync forbids")
  end)

  it("refuses a reset while its objects are alive", function()
    local stream = cuda.stream()
    local ok, e = pcall(device.reset, device)
    assert.is_false(ok)
    assert.is_true(cuda.is_error(e, "logic"))
    stream:close()
  end)
end)

describe("the default device", function()
  local code = [[
    local cuda = require "luacuda"
    warn "@on"
    print(cuda.device().label)
  ]]

  it("is the CPU device on request", function()
    local ok, out = helper.lua(code, { env = { LUACUDA_DEVICE = "cpu" } })
    assert.is_true(ok, out)
    assert.equal("cpu\n", out)
  end)

  it("without a driver is the CPU device, silently", function()
    local ok, out = helper.lua(code,
      { env = { LUACUDA_LIBCUDA = "off", LUACUDA_DEVICE = "" } })
    assert.is_true(ok, out)
    assert.equal("cpu\n", out)
  end)

  it("is never the CPU device when a GPU is demanded", function()
    local ok, out = helper.lua(code,
      { env = { LUACUDA_LIBCUDA = "off", LUACUDA_DEVICE = "gpu" } })
    assert.is_false(ok)
    assert.matches("LUACUDA_DEVICE: GPU 0 was requested, but there is no GPU", out, 1, true)
  end)

  it("is reported with the name of the variable", function()
    for _, value in ipairs { "bogus", "cpu ", "-1", "0x0", "99999999999999999999" } do
      local ok, out = helper.lua(code, { env = { LUACUDA_DEVICE = value } })
      assert.is_false(ok)
      assert.matches("LUACUDA_DEVICE: there is no device '" .. value .. "'", out, 1, true)
    end
  end)

  -- The folder of a library that writes to stderr when loaded, and fails as a driver with
  -- CUDA_ERROR_STUB_LIBRARY.
  local function useless_driver()
    if cuda.available() and not helper.fake_gpu then pending "the search finds a GPU's driver" end
    local folder = helper.tmpdir()
    local lib = folder .. "/libcuda.so.1"
    helper.write_file(lib .. ".c", [[
      #include <stdio.h>
      __attribute__((constructor)) static void loaded (void) { fputs("driver loaded\n", stderr); }
      int cuDriverGetVersion (int *v);
      int cuDriverGetVersion (int *v) { *v = 0; return 34; }
    ]])
    if not os.execute(("cc -shared -fPIC -o %s %s.c 2>/dev/null"):format(lib, lib)) then
      pending "no C compiler"
    end
    return folder
  end

  it("falls back with one warning if the driver is unusable", function()
    local ok, out = helper.lua(code .. "cuda.use(cuda.device())",
      { env = { LUACUDA_LIBCUDA = "", LD_LIBRARY_PATH = useless_driver(), LUACUDA_DEVICE = "" } })
    assert.is_true(ok, out)
    local _, warnings = out:gsub("Lua warning: luacuda: using the CPU device", "")
    assert.equal(1, warnings, out)
    assert.matches("cpu\n$", out)
  end)

  it("is not searched for by require", function()
    local ok, out = helper.lua([[
      io.stdout:setvbuf "no"
      local cuda = require "luacuda"
      print("required", require "luacuda.core"._live().device)
      print(cuda.device().label)
    ]], { env = { LUACUDA_LIBCUDA = "", LD_LIBRARY_PATH = useless_driver(), LUACUDA_DEVICE = "" } })
    assert.is_true(ok, out)
    assert.equal("required\t0\ndriver loaded\ncpu\n", out)
  end)
end)
