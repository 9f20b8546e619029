-- Tests of the suite itself: spec/support/leaks.lua, tools/busted_output.lua and
-- spec/support/pending.lua, on test files run in a child process; and the comparison of numbers.
local helper = require "spec.helper"

-- Runs the tests of a file as tools/test does; returns passed, failed, output.
local function run(device, code)
  local dir = helper.tmpdir()
  helper.write_file(dir .. "/child_spec.lua",
    'local cuda = require "luacuda"\nlocal helper = require "spec.helper"\n' .. code)
  local pipe = assert(io.popen(
    ("LUACUDA_DEVICES=%s LUACUDA_DEVICE=%s LUACUDA_TEST_COUNTS=%s/counts timeout 100 busted "
    .. "--output=tools/busted_output.lua %s/child_spec.lua 2>&1"):format(device,
    device:gsub("^gpu", ""), dir, dir)))
  local out = pipe:read "a"
  pipe:close()
  local passed, failed = helper.read_file(dir .. "/counts"):match "^(%d+) (%d+)\n$"
  return tonumber(passed), tonumber(failed), out
end

local ASTRAY = [=[
  local function astray()
    local k = cuda.kernel [[ __global__ void astray(float *p) { p[1 << 20] = 1; } ]]
    k({ grid = 1, block = 1 }, cuda.zeros(4))
  end
]=]

describe("a fault that no call waits for", function()
  it("fails the test that caused it, and no other", function()
    local passed, failed, out = run("cpu", ASTRAY .. [[
      it("first", function() assert.equal(1, cuda.ones(3)[1]) end)
      it("second", function() astray() end)
      it("third", function() assert.equal(1, cuda.ones(3)[1]) end)
    ]])
    assert.same({ 2, 1 }, { passed, failed }, out)
    assert.matches(
      "FAILED second .-no call reported this failure:.-out of bounds: write of 4 bytes", out)
  end)

  it("is found on every stream, and if its memory waits to be freed", function()
    local passed, failed, out = run("cpu", ASTRAY .. [[
      it("first", function()
        cuda.with_stream(cuda.stream { blocking = false }, astray)
        collectgarbage()
        collectgarbage()
      end)
    ]])
    assert.same({ 0, 1 }, { passed, failed }, out)
    assert.matches("FAILED first .-out of bounds", out)
  end)

  it("does not fail the test after a failed one", function()
    local passed, failed, out = run("cpu", ASTRAY .. [[
      it("first", function() astray() error "for another reason" end)
      it("second", function() assert.equal(1, cuda.ones(3)[1]) end)
    ]])
    assert.same({ 1, 1 }, { passed, failed }, out)
    assert.matches("FAILED first .-for another reason", out)
  end)

  it("fails the file if it happens after the last test", function()
    local passed, failed, out = run("cpu", ASTRAY .. [[
      describe("some", function()
        after_each(astray)
        it("first", function() assert.equal(1, cuda.ones(3)[1]) end)
      end)
    ]])
    assert.same({ 1, 1 }, { passed, failed }, out)
    assert.matches("FAILED .-child_spec.lua .-no call reported this failure:.-out of bounds", out)
  end)

  it("may be reported by a call of the test", function()
    local passed, failed, out = run("cpu", ASTRAY .. [[
      it("first", function()
        astray()
        assert.is_false((pcall(cuda.synchronize)))
      end)
    ]])
    assert.same({ 1, 0 }, { passed, failed }, out)
  end)

  -- The device is then lost; tests that do not use it continue.
  it("fails the test that caused it on a GPU", function()
    if not helper.fake_gpu then pending "no fake GPU (tools/test --fake-gpu)" end
    local passed, failed, out = run("gpu0", ASTRAY .. [[
      it("first", function() astray() end)
      it("second", function() assert.equal(1, cuda.ones(3, "float32", { device = "cpu" })[1]) end)
    ]])
    assert.same({ 1, 1 }, { passed, failed }, out)
    assert.matches("FAILED first .-no call reported this failure:.-CUDA_ERROR_ILLEGAL_ADDRESS", out)
  end)
end)

describe("a test that leaves objects", function()
  it("fails", function()
    local passed, failed, out = run("cpu", [[
      local kept
      it("first", function() kept = cuda.zeros(3) end)
      it("second", function() assert.equal(0, kept[1]) end)
    ]])
    assert.same({ 1, 1 }, { passed, failed }, out)
    assert.matches("FAILED first .-1 live block object%(s%) left", out)
  end)
end)

describe("a pending test", function()
  it("is reported with its reason if that is listed and true", function()
    local passed, failed, out = run("cpu", [[
      local list = dofile "spec/support/pending.lua"
      for reason, is_so in pairs(list) do
        if is_so() then
          it("a test", function() pending(reason) end)
          describe("a group", function() pending(reason) end)
        end
      end
      it("another", function() end)
    ]])
    assert.same({ 1, 0 }, { passed, failed }, out)
    for reason, is_so in pairs(dofile "spec/support/pending.lua") do
      if is_so() then
        assert.matches("PENDING a test: " .. reason .. "\n", out, 1, true)
        assert.matches("PENDING a group " .. reason .. ": " .. reason .. "\n", out, 1, true)
      end
    end
  end)

  it("fails if its reason is not listed or not true", function()
    local passed, failed, out = run("cpu", [[
      it("a test", function() pending "some day" end)
      it("another", function() pending "Lua is not installed" end)
      pending("without a reason", function() end)
      local list = dofile "spec/support/pending.lua"
      local reason
      for text, is_so in pairs(list) do if not is_so() then reason = text end end
      if reason then
        it("untrue", function() pending(reason) end)
      else
        it("untrue", function() error "" end)
      end
    ]])
    assert.same({ 0, 4 }, { passed, failed }, out)
    assert.matches("FAILED a test .-pending: 'some day' is not a reason", out)
    assert.matches("FAILED without a reason ", out)
  end)
end)

describe("the comparison of numbers", function()
  it("allows a few units in the last place, and no other value for infinity and NaN", function()
    local huge, nan = math.huge, 0 / 0
    local equal = { { 1, 1 + 1e-15 }, { huge, huge }, { -huge, -huge }, { nan, nan },
      { 0.0, -0.0 } }
    local unequal = { { 1, 1 + 1e-13 }, { huge, 1 }, { -3.5, -huge }, { huge, -huge },
      { huge, nan }, { 1, nan } }
    for _, pair in ipairs(equal) do
      assert.equals(true, helper.close(pair[1], pair[2], "float64"))
      helper.assert_close({ pair[1] }, { pair[2] }, { dtype = "float64" })
    end
    for _, pair in ipairs(unequal) do
      assert.equals(false, helper.close(pair[1], pair[2], "float64"))
      assert.equals(false, helper.close(pair[2], pair[1], "float64"))
      assert.equals(false, pcall(helper.assert_close, { pair[1] }, { pair[2] },
        { dtype = "float64" }))
    end
  end)
end)
