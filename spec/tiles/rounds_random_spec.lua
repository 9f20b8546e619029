-- Random loops of products over tiles (spec/support/tile_rounds.lua), compared with plain Lua. The
-- plans are those of sm_90a.
--
--   LUACUDA_TILE_ROUNDS=N+M     those with the seeds N to N + M - 1
local helper = require "spec.helper"

local first, count = (os.getenv "LUACUDA_TILE_ROUNDS" or ""):match "^(%d+)%+(%d+)$"
first, count = first or 1, count or helper.sanitized and 3 or 10

helper.for_each_device(function(device)
  if device.kind ~= "cpu" and device.cc ~= 90 then return end
  describe("random loops of products", function()
    it("compute what plain Lua computes", function()
      local ok, out = helper.lua("dofile 'spec/support/tile_rounds.lua'", { timeout = 7200,
        env = { LUACUDA_CPU_ARCH = "90", LUACUDA_CPU_CHECK = "all" },
        args = { device.kind == "cpu" and "cpu" or tostring(device.ordinal), tostring(first),
          tostring(count) } })
      assert.is_true(ok, out)
      assert.matches(count .. " kernels, %d+ with a plan", out)
    end)
  end)
end)
