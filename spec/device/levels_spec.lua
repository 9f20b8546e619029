-- The instruction set that the CPU device uses, of those that are compiled (LUACUDA_ISA of CMake).
local helper = require "spec.helper"
local levels = require "spec.support.levels"

-- What a build says that lacks the level, or has it where the processor lacks it.
local REFUSED = "LUACUDA_CPU_ISA is '%s', expected a level of this processor among"
local OLDER = "this build is for x86%-64 v[34], which this processor lacks: build it here, or with "
  .. "%-DLUACUDA_ISA=portable"

describe("the CPU device's instruction set", function()
  it("is the level that is asked for, or a sentence says why it cannot be", function()
    local count = 0
    for _, name in ipairs { "v2", "v3", "v4", "v9", "4" } do
      local ok, output = levels.take(name)
      if ok then
        count = count + 1
        assert.equal("3.0\n", output)
        assert.is_true(name:find "^v[234]$" ~= nil)
      else
        helper.contains(output, REFUSED:format(name))
      end
    end
    assert.is_true(count >= 1)
  end)

  -- The sanitizer's library does not run in the emulator.
  if helper.sanitized then return end
  it("is found on an older processor, or the build says that it is not for it", function()
    if not os.execute "command -v qemu-x86_64 >/dev/null" then pending "no qemu-x86_64" end
    local ok, output = levels.take("", { before = "qemu-x86_64 -cpu Nehalem",
      env = { LUACUDA_DEVICE = "cpu" } })
    if ok then assert.equal("3.0\n", output) else assert.matches(OLDER, output, 1, false) end
  end)
end)
