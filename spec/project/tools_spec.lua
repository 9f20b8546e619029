-- tools/run and tools/test, called from elsewhere.
local helper = require "spec.helper"

-- The output of the tool, called through a symbolic link in another folder, before it sets up or
-- builds anything.
local function answer(tool, argument)
  local link = helper.tmpdir() .. "/" .. tool
  assert(os.execute(("ln -s \"$PWD/tools/%s\" %s"):format(tool, link)))
  local pipe = assert(io.popen(("cd / && %s %s 2>&1"):format(link, argument)))
  local out = pipe:read "a"
  pipe:close()
  return out
end

describe("through a symbolic link", function()
  it("tools/run finds its parts", function()
    assert.matches("^tools/run %[SCRIPT %[ARGS%]%]: ", answer("run", "--help"))
  end)
  it("tools/test finds its parts", function()
    assert.matches("^luacuda: no such spec: nothing\n", answer("test", "nothing"))
  end)
end)
