-- Arrays in parts on several devices. Where there is one device, it is named several times.
local helper = require "spec.helper"
local cuda = require "luacuda"

local function three_devices()
  local all, list = cuda.devices(), {}
  for i = 1, 3 do list[i] = all[(i - 1) % #all + 1] end
  return list
end

local function numbers(shape, dtype, device)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return cuda.arange(0, n, dtype, { device = device }):reshape(shape)
end

-- What array_split gives, on the first device.
local function check_parts(parts, whole, axis, devices)
  local want = whole:array_split(#devices, { axis = axis })
  for i, part in ipairs(parts) do
    assert.equal(devices[i], part.device)
    assert.is_true(part.is_contiguous)
    assert.is_true(part:to(whole.device):equals(want[i]), "part " .. i)
  end
end

helper.for_each_device(function(device)
  describe("split_to and gather", function()
    local devices = three_devices()

    it("join parts of the array that they are written to", function()
      local x = cuda.arange(12, "int32"):reshape { 6, 2 }
      local want = cuda.concatenate { x:slice { 5, 6 }, x:slice { 1, 4 } }
      local last, first = x:slice { 5, 6 }, x:slice { 1, 4 }
      assert.equal(x, cuda.gather({ last, first }, { out = x }))
      assert.is_true(x:equals(want))
    end)

    for _, case in ipairs { { { 7 }, 1 }, { { 2, 3 }, 1 }, { { 4, 5, 3 }, 2 }, { { 3, 8 }, -1 },
      { { 0, 4 }, 1 } } do
      local shape, axis = table.unpack(case)
      it(("divide and join {%s} along %d"):format(table.concat(shape, ", "), axis), function()
        for _, dtype in ipairs { "float64", "int16", "bool" } do
          local x = numbers(shape, "float64", device):astype(dtype)
          local parts = x:split_to(devices, { axis = axis })
          check_parts(parts, x, axis, devices)
          local joined = cuda.gather(parts, { axis = axis, device = device })
          assert.equal(device, joined.device)
          assert.is_true(joined:equals(x))
          local out = cuda.zeros(shape, dtype, { device = devices[3] })
          assert.equal(out, cuda.gather(parts, { axis = axis, out = out }))
          assert.is_true(out:to(device):equals(x))
        end
      end)
    end

    it("copy views, and parts that are new", function()
      local x = numbers({ 6, 6 }, "int32", device)
      local before = x:copy()
      local parts = cuda.split_to(x:transpose(), devices)
      check_parts(parts, x:transpose(), 1, devices)
      for _, part in ipairs(parts) do part:fill(-1) end
      assert.is_true(x:equals(before))
    end)

    it("follow earlier work, and are followed by later work, on other streams", function()
      local streams = {}
      for i, d in ipairs(devices) do streams[i] = cuda.stream { device = d } end
      local other <close> = cuda.stream { device = device }
      local x = cuda.zeros({ 30000 }, "float32", { device = device })
      for round = 1, 10 do
        x:fill(round, { stream = other })
        local parts = x:split_to(devices, { streams = streams })
        x:fill(-1)
        for _, part in ipairs(parts) do cuda.add(part, part, { out = part }) end
        local sum = cuda.gather(parts, { device = device, stream = other })
        for _, part in ipairs(parts) do part:fill(0) end
        assert.equal(2 * round, sum:min())
        assert.equal(2 * round, sum:max())
      end
      for _, s in ipairs(streams) do s:close() end
    end)

    it("refuse what does not fit", function()
      local x = numbers({ 4, 3 }, "float32", device)
      local parts = x:split_to { device, device }
      for message, fn in pairs {
        ["split_to: argument 2 'devices': expected a list of Devices, got device"] = function()
          x:split_to(device)
        end,
        ["expected a list of Devices, got table"] = function() x:split_to {} end,
        ["option 'streams': expected a list of 2 Streams, one for each device"] = function()
          x:split_to({ device, device }, { streams = { 1, 2 } })
        end,
        ["option 'axis': 3 is not an axis"] = function() x:split_to({ device }, { axis = 3 }) end,
        ["split_to: an array without axes"] = function() cuda.full({}, 1):split_to { device } end,
        ["item 2 is int32, item 1 float32"] = function()
          cuda.gather { x, x:astype "int32" }
        end,
        ["item 2 of shape {2, 2} does not fit item 1 of shape {2, 3}"] = function()
          cuda.gather { parts[1], parts[2]:slice({}, { 1, 2 }) }
        end,
        ["option 'out': expected an Array, float32 {4, 3}, got"] = function()
          cuda.gather(parts, { out = x:slice { 1, 3 } })
        end,
        ["gather: unknown option 'dtype'"] = function() cuda.gather(parts, { dtype = "int8" }) end,
        ["the list is empty"] = function() cuda.gather {} end,
      } do
        assert.matches(message, helper.misuse(fn), 1, true)
      end
    end)
  end)
end)
