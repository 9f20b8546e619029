-- device:partition and streams of partitions.
local helper = require "spec.helper"
local cuda = require "luacuda"

-- Which multiprocessor each of the blocks ran on.
local WHERE = [[
  __global__ void where(unsigned *sms, int spin) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    long long start = clock64();
    while (clock64() - start < spin) { }
    if (threadIdx.x == 0) sms[blockIdx.x] = sm;
  }
]]

local function set_of(list)
  local set, n = {}, 0
  for _, v in ipairs(list) do
    if not set[v] then set[v], n = true, n + 1 end
  end
  return set, n
end

helper.for_each_device(function(device)
  -- GPUs of before CUDA 12.5 have none.
  local most = device.multiprocessor_count
  local half = most // 2 > 0 and most // 2 or 1

  it("divides the multiprocessors", function()
    local parts, rest = device:partition { sms = half }
    assert.equal(1, #parts)
    assert.equal(device, parts[1].device)
    assert.is_true(parts[1].sm_count >= half)
    assert.equal(most, parts[1].sm_count + (rest and rest.sm_count or 0))
    assert.matches("Partition " .. parts[1].sm_count .. " of " .. most .. " multiprocessors of "
      .. device.label, tostring(parts[1]), 1, true)
    local whole, none = device:partition()
    assert.equal(most, whole[1].sm_count + (none and none.sm_count or 0))
  end)

  it("has streams that work as others do", function()
    local a = cuda.zeros(1000, "int32")
    local parts, rest = device:partition { sms = half }
    local s = cuda.stream { partition = parts[1], priority = -1 }
    local t = cuda.stream { partition = rest or parts[1] }
    assert.equal(parts[1].sm_count, s.partition.sm_count)
    assert.is_nil(cuda.stream().partition)
    assert.is_false(s.blocking)
    assert.is_true(s.priority <= 0)
    local sum = 0
    for i = 1, 20 do
      cuda.with_stream(i % 2 == 0 and s or t, function() a:add(i, { out = a }) end)
      sum = sum + i
    end
    local e = cuda.event():record(s)
    t:wait(e)
    assert.equal(sum, a:item(1000))
    cuda.with_stream(s, function() -- memory comes from the device's pool
      local b = cuda.arange(5000, "int64")
      assert.equal(4999 * 5000 // 2, b:sum())
    end)
  end)

  it("runs kernels in its own part of a GPU", function()
    if device.kind == "cpu" or device.name:find "CPU" then return end
    local k = cuda.kernel(WHERE)
    local parts = device:partition { count = 2 }
    local seen = {}
    for i, part in ipairs(parts) do
      local sms = cuda.zeros(4 * most, "uint32")
      k({ grid = 4 * most, block = 1024, stream = cuda.stream { partition = part } }, sms, 20000)
      local set, n = set_of(sms:totable())
      assert.is_true(n <= part.sm_count, n .. " multiprocessors of " .. part.sm_count)
      assert.is_true(n > part.sm_count // 2)
      seen[i] = set
    end
    for sm in pairs(seen[1]) do assert.is_nil(seen[2][sm], "both on " .. sm) end
  end)

  it("may be closed before its streams, and twice", function()
    local parts = device:partition { sms = half }
    local s = cuda.stream { partition = parts[1] }
    do local _ <close> = parts[1] end
    parts[1]:close()
    parts[1]:free()
    assert.equal("luacuda.Partition (closed)", tostring(parts[1]))
    assert.error_matches(function() return parts[1].sm_count end, "closed Partition")
    assert.error_matches(function() cuda.stream { partition = parts[1] } end, "closed Partition")
    parts = nil
    collectgarbage()
    local a = cuda.ones(10)
    cuda.with_stream(s, function() a:add(1, { out = a }) end)
    assert.equal(2, a:item(1))
    assert.is_true(s.partition.sm_count >= half)
    s:close()
    assert.equal(2, a:item(10))
  end)

  it("refuses wrong options", function()
    local p = device:partition({ sms = half })[1]
    local function refused(pattern, options)
      assert.error_matches(function() device:partition(options) end, pattern)
    end
    refused("did you mean 'sms'", { sm = 1 })
    refused("sms", { sms = 0 })
    refused("sms", { sms = most + 1 })
    refused("count", { count = 0 })
    refused("has room for %d+ partitions? ?of " .. half, { sms = half, count = 1000 })
    refused("too few for", { count = 1024 })
    local function no_stream(pattern, options)
      assert.error_matches(function() cuda.stream(options) end, pattern)
    end
    no_stream("option 'blocking' cannot be given with option 'partition'",
      { partition = p, blocking = true })
    no_stream("option 'pointer' cannot", { partition = p, pointer = cuda.ptr(1) })
    no_stream("expected a Partition, got integer", { partition = 1 })
    assert.no_error(function() cuda.stream { partition = p, device = device } end)
    for _, other in ipairs(cuda.devices()) do
      if other ~= device then
        no_stream("the partition is on " .. device.label, { partition = p, device = other })
      end
    end
  end)
end)
