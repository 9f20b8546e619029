-- One kernel over tiles on devices of two kinds in one process: each has a text of its own. The
-- other device is a fake GPU, from a copy of the CPU device's library.
local helper = require "spec.helper"

local CODE = [[
local cuda = require "luacuda"
local kernel = cuda.tiled(function(c, a, b)
  store(c, { 1, 1 }, dot(load(a, { 1, 1 }, { 32, 32 }), load(b, { 1, 1 }, { 32, 32 })))
end)
for _, name in ipairs{ 0, "cpu", 0 } do
  cuda.use(name)
  local a, c = cuda.zeros({ 32, 32 }, "float16"), cuda.full({ 32, 32 }, 7)
  if name == "cpu" then kernel({ tiles = c }, c, a, a) assert(c:max() == 0) end
  print(cuda.device().cc, kernel:source(c, a, a):find "mma%.sync" ~= nil)
  local pinned = cuda.pinned({ 32, 32 }, "float32") -- memory of the CPU device
  assert(kernel:source(pinned, a, a) == kernel:source(c, a, a))
end
]]

describe("a kernel over tiles", function()
  it("is made again for a device of another kind", function()
    local core = package.searchpath("luacuda.core", package.cpath)
    local library = io.open((core:gsub("core%.so$", "libluacuda_cpu.so")), "rb")
    local copy = os.tmpname()
    local file = assert(io.open(copy, "wb"))
    file:write(library:read "a")
    file:close()
    library:close()
    local ok, out = helper.lua(CODE, { env = { LUACUDA_LIBCUDA = copy, LUACUDA_CPU_GPUS = "1",
      LUACUDA_LIBCUBLAS = "off", LUACUDA_CPU_ARCH = "75", LUACUDA_DEVICE = "" } })
    os.remove(copy)
    assert.is_true(ok, out)
    assert.equal("81\ttrue\n75\tfalse\n81\ttrue\n", out)
  end)
end)
