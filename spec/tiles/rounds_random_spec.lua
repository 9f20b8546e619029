-- Random loops of products over tiles (spec/support/tile_rounds.lua), compared with plain Lua. The
-- plans are those of sm_90a.
--
--   LUACUDA_TILE_ROUNDS=N+M     those with the seeds N to N + M - 1
local helper = require "spec.helper"
local sm90 = require "spec.support.sm90"

local first, count = (os.getenv "LUACUDA_TILE_ROUNDS" or ""):match "^(%d+)%+(%d+)$"
first, count = first or 1, count or helper.sanitized and 3 or 10

sm90.for_each_device(function(device)
  describe("random loops of products", function()
    it("compute what plain Lua computes", function()
      local out = sm90.run(device, "dofile 'spec/support/tile_rounds.lua'", nil, tostring(first),
        tostring(count))
      assert.matches(count .. " kernels, %d+ with a plan", out)
    end)
  end)
end)
