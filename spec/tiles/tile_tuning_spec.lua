-- k:tune: the fastest values of options that are lists.
local cuda = require "luacuda"
local helper = require "spec.helper"

local AHEAD = [[
local cuda = require "luacuda"
cuda.use(arg[1] == "cpu" and "cpu" or tonumber(arg[1]))
local product = cuda.tiled(function(c, a, b)
  local total = zeros("float32", 64, 64)
  for k = 1, tiles(a, 2, 64) do
    total = dot(load(a, { program(1), k }, { 64, 64 }), load(b, { k, program(2) }, { 64, 64 }),
      total)
  end
  store(c, { program(1), program(2) }, total)
end, { stages = { 2, 3 }, persistent = { true, false }, warps = { 4, 8 } })
local a, b = cuda.ones({ 128, 128 }, "float16"), cuda.ones({ 128, 64 }, "float16")
local c = cuda.empty({ 128, 64 }, "float16")
local found = product:tune({ tiles = c, cache = false, runs = 1, warmup = 0 }, c, a, b)
-- 8 warps compute 128 rows in a plan, so there all four are one kernel
local ok = {}
for _, row in ipairs(found.rows) do
  if row.state == "ok" then ok[row.parameters.warps] = (ok[row.parameters.warps] or 0) + 1 end
end
assert(ok[4] == 4 and ok[8] == 1, found:text())
c:fill(0)
product({ tiles = c }, c, a, b)
assert(c:min() == 128 and c:max() == 128)
local r = product:pipeline()
assert(r.warps == (r.in_turn and 8 or found.best.warps))
assert(found.best.warps == 8
  or r.stages == found.best.stages and r.persistent == found.best.persistent)
print "done"
]]

helper.for_each_device(function(device)
  describe("a search among the options of a kernel over tiles", function()
    local function kernel(options)
      return cuda.tiled("function(y, x)\n  local i = program()\n"
        .. "  store(y, { i }, load(x, { i }, { N }) * FACTOR)\nend", options)
    end

    local x, y = cuda.random.normal{ 1000 }, cuda.zeros(1000)

    local function check(factor)
      assert.same((x * factor):totable(), y:totable())
      y:fill(0)
    end

    local function states(found)
      local count = {}
      for _, row in ipairs(found.rows) do count[row.state] = (count[row.state] or 0) + 1 end
      return count
    end

    it("leaves the kernel with the fastest, and out what cannot be", function()
      local dir = helper.tmpdir()
      local options = { N = { 24, 20, 256, 131072 }, warps = { 1, 4 }, FACTOR = 3 }
      local launch = { tiles = y, cache_dir = dir, runs = 2 }
      local k = kernel(options)
      assert.matches("^tiled: option '%w+' is a list of values: k:tune%(launch, ...%) chooses the "
        .. "fastest$", helper.misuse(function() k({ tiles = y }, y, x) end))
      local found = k:tune(launch, y, x)
      assert.is_false(found.cached)
      assert.same({ ok = 4, skipped = 4 }, states(found))
      assert.matches("a tile of 1 x 131072 elements is too large", found:text())
      assert.matches("multiple of 8 or a power of two, and this is 20", found:text())
      assert(found.best.N == 24 or found.best.N == 256)
      found.run()
      check(3)
      k({ tiles = y }, y, x)
      check(3)
      assert.equal(32 * found.best.warps, k:prepare({ tiles = y }, y, x).block[1])

      -- The winner is on disk, for this function, its other options and arguments of these shapes.
      local again = kernel(options)
      local kept = again:tune(launch, y, x)
      assert.is_true(kept.cached)
      assert.same(found.best, kept.best)
      again({ tiles = y }, y, x)
      check(3)
      launch.tiles = y:slice{ 1, 500 }
      assert.is_false(again:tune(launch, launch.tiles, x).cached)
      launch.tiles = y
      options.FACTOR = 4
      assert.is_false(kernel(options):tune(launch, y, x).cached)
    end)

    it("measures one of kernels that are the same", function()
      local k = kernel{ N = 64, FACTOR = { 2 }, stages = { 2, 3, 4 }, persistent = { true, false } }
      local found = k:tune({ tiles = y, cache = false, runs = 1 }, y, x)
      assert.same({ ok = 1, skipped = 5 }, states(found))
      assert.matches("the same kernel as with FACTOR = 2, persistent = true, stages = 2",
        found:text())
    end)

    it("takes the options of cuda.tune", function()
      local k, seen = kernel{ N = { 8, 16, 32, 64 }, FACTOR = 2 }, {}
      local found = k:tune({ programs = 125, cache = false, runs = 1,
        where = function(p) return p.N < 32 end,
        check = function(p) return p.N ~= 16 end,
        observe = function(row) seen[row.parameters.N] = row.state end }, y, x)
      assert.same({ [8] = "ok", [16] = "wrong" }, seen)
      assert.equal(8, found.best.N)
    end)

    it("fails where no values make a kernel, and leaves it as it was", function()
      local k = kernel{ N = { 20, 28 }, FACTOR = 2 }
      local ok, problem = pcall(k.tune, k, { tiles = y, cache = false }, y, x)
      local message = tostring(problem)
      assert.is_false(ok)
      assert.matches("none of 2 candidates could be measured", message)
      assert.matches("N=20: skipped: .*this is 20", message)
      assert.matches("is a list of values", helper.misuse(function() k({ tiles = y }, y, x) end))
    end)

    it("is refused where it makes no sense", function()
      local function message(options, ...)
        local k, args = kernel(options), table.pack(...)
        return helper.misuse(function() k:tune(table.unpack(args, 1, args.n)) end)
      end
      assert.equal("tiled:tune: there is nothing to choose: make the kernel with an option that is "
        .. "a list, as in cuda.tiled(fn, { warps = { 4, 8 } })",
        message({ N = 8, FACTOR = 2 }, { tiles = y }, y, x))
      assert.equal("tiled:tune: expected a launch table such as { tiles = array } first, got array",
        message({ N = { 8 }, FACTOR = 2 }, y, x))
      assert.matches("^tiled:tune: launch: unknown option 'tile'",
        message({ N = { 8 }, FACTOR = 2 }, { tile = y }, y, x))
      local lists = { [{ N = {} }] = "option 'N': the list is empty",
        [{ warps = { 4, 3 } }] = "option 'warps': value 2: expected 1, 2, 4, 8, 12 or 16, got 3",
        [{ N = { {} } }] = "option 'N': value 1: expected a number, a string or a boolean",
        [{ N = cuda.zeros(2) }] = "option 'N': expected a number, a string or a boolean" }
      for options, words in pairs(lists) do
        assert.matches("tiled: " .. words, helper.misuse(function() kernel(options) end))
      end
    end)

    if device.kind == "cpu" or device.cc == 90 then
      it("tries stages, and programs in one block, where copies run ahead", function()
        local ok, out = helper.lua(AHEAD, { env = { LUACUDA_CPU_ARCH = "90" }, timeout = 300,
          args = { device.kind == "cpu" and "cpu" or tostring(device.ordinal) } })
        assert.is_true(ok, out)
      end)
    end
  end)
end)
