-- No function of the core module ends the process or hangs, whatever its arguments. Fresh processes
-- call every function that is reachable from it (spec/support/core_calls.lua).
local helper = require "spec.helper"

local ROUNDS = (helper.sanitized or os.getenv "LUACUDA_TEST_GC" == "1") and 3 or 8

local function root()
  local pipe <close> = assert(io.popen "pwd")
  return pipe:read "l"
end

-- Only on the CPU device: addresses made up by the test would make every GPU unusable, and each
-- opening of one takes a while.
describe("functions of the core module", function()
  local function survive(seed)
    local here, folder = root(), helper.tmpdir()
    local log = folder .. "/log"
    local code = ("dofile(%q)"):format(here .. "/spec/support/core_calls.lua")
    local ok, out, status = helper.lua(code, {
      args = { "cpu", tostring(seed), tostring(ROUNDS), log },
      -- they may write files and take memory
      before = "env -C " .. helper.shell_quote(folder)
        .. (helper.sanitized and "" or " prlimit --data=1500000000"),
      -- OpenBLAS asks for its memory until it gets it
      env = { LUACUDA_SHIM = 1, LUACUDA_LIBCUDA = not helper.fake_gpu and "off" or nil,
        LUACUDA_LIBBLAS = "off",
        LUA_PATH = ("%s/lua/?.lua;%s/lua/?/init.lua;;"):format(here, here) },
      timeout = 300,
    })
    local last = io.open(log)
    assert(ok and out:find "done%s+%d+\n", ("seed %d, status %d, in %s\n%s"):format(seed, status,
      last and last:read "l" or "no call", out:sub(-2000)))
  end

  for seed = 1, 2 do
    it(("survive random arguments of seed %d"):format(seed), function() survive(seed) end)
  end

  it("survive random arguments of a new seed", function() survive(os.time() % 1000000) end)
end)
