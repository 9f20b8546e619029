-- How many calls of the driver work takes.
local helper = require "spec.helper"

local PROGRAM = [==[
  local core = require "luacuda.core"
  local cuda = require "luacuda"
  local k = cuda.kernel [[ __global__ void slow(int *x, int n) {
    int v = 0;
    for (int i = 0; i < n; i++) v = v * 3 + i;
    x[2] = v == 12345 ? 1 : 99;
  } ]]:compile()
  local a, s = cuda.arange(10, "int32"), cuda.stream()
  assert(a[3] == 2)

  -- fn's driver calls, and its result
  local function calls(fn, ...)
    core._fail_at(0)
    local result = fn(...)
    return core._calls(), result
  end

  local n, v = calls(function() return a[3] end)
  assert(n == 0 and v == 2, n)
  n = calls(function() a[3] = 7 end)
  assert(n == 0 and a[3] == 7, n)
  n, v = calls(a.item, a, 4)
  assert(n == 0 and v == 3, n)
  n, v = calls(a.totable, a)
  assert(n == 0 and v[3] == 7 and #v == 10, n)
  n, v = calls(function() return a:slice { 2, 8, 2 }:totable() end)
  assert(n == 0 and v[1] == 1 and v[4] == 7, n)

  -- the read waits for running work
  for _, stream in ipairs { cuda.device().null_stream, s } do
    a[3] = 0
    k({ grid = 1, block = 1, stream = stream }, a, 100000)
    n, v = calls(function() return a[3] end)
    assert(n > 0 and v == 99, v)
    assert(calls(function() return a[3] end) == 0)
  end
  print "done"
]==]

it("elements of the CPU device are read and written in place", function()
  local ok, out = helper.lua(PROGRAM, { env = { LUACUDA_DEVICE = "cpu", LUACUDA_SHIM = "1" } })
  assert.is_true(ok and out == "done\n", out)
end)

-- A handle of the null stream that was collected ended a segment of staging memory each time, and
-- pinning the next one takes a millisecond.
it("small copies share staging memory while handles of the null stream are collected", function()
  local support = require "spec.support.ranks" (pending)
  local ok, out = helper.lua([[
    local cuda = require "luacuda"
    local a = cuda.zeros(4, "int32")
    for i = 1, 200 do
      a:set { i, 2, 3, 4 }
      local _ = cuda.device().stream
      _ = nil
      collectgarbage()
    end
    assert(a:item(1) == 200)
  ]], { env = support.fake_gpus { LUACUDA_DEBUG = "api" } })
  assert.is_true(ok, out)
  local pinned = 0
  for _ in out:gmatch "api cuMemHostAlloc" do pinned = pinned + 1 end
  assert.equal(1, pinned)
end)
