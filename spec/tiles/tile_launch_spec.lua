-- Launches of kernels over tiles: calls that alternate, whose arrays change, move or end, with
-- other options, and launches that are refused.
local cuda = require "luacuda"
local helper = require "spec.helper"
local sm90 = require "spec.support.sm90"

-- Tensor maps are kept for the next call: products of other arrays in the same kernel.
local MAPS = [[
local product = cuda.tiled(function(c, a, b)
  local i, j = program(1), program(2)
  local total = zeros("float32", 64, 64)
  for k = 1, tiles(a, 2, 64) do
    total = dot(load(a, { i, k }, { 64, 64 }), load(b, { k, j }, { 64, 64 }), total)
  end
  store(c, { i, j }, total)
end)
local function halves(...) return cuda.random.normal({ ... }):astype "float16" end
local function check(c, a, b)
  c:fill(777)
  product({ tiles = c }, c, a, b)
  local off = cuda.abs(wide(c) - cuda.matmul(wide(a), wide(b))):max()
  assert(off < 0.1, off)
end
local sets = {}
for k, s in ipairs{ { 64, 64, 64 }, { 64, 64, 64 }, { 136, 64, 200 }, { 64, 200, 136 } } do
  sets[k] = { cuda.empty({ s[1], s[3] }, "float16"), halves(s[1], s[2]), halves(s[2], s[3]) }
end
for _ = 1, 12 do check(table.unpack(sets[math.random(#sets)])) end
-- one allocation as arrays of several shapes
local memory = halves(128 * 64)
for _ = 1, 6 do
  local rows = 8 * math.random(1, 15)
  local a = memory:slice{ 1, rows * 64 }:reshape(rows, 64)
  check(cuda.empty({ rows, 64 }, "float16"), a, sets[1][3])
  a = memory:slice{ 1, rows * 64 }:reshape(64, rows)
  check(cuda.empty({ 64, 64 }, "float16"), a, halves(rows, 64))
end
-- more arrays than maps are kept for
local many = {}
for k = 1, 90 do many[k] = halves(64, 64) end
for _ = 1, 120 do check(sets[1][1], many[math.random(90)], many[math.random(90)]) end
for rows = 1, 128 do
  local a = memory:slice{ 1, rows * 64 }:reshape(rows, 64)
  check(cuda.empty({ rows, 64 }, "float16"), a, many[1])
end
-- an array that gets other memory
local a, c = cuda.empty({ 64, 64 }, "float16", { reserve = 2048 * 64 }), sets[1][1]
a:set(halves(64, 64))
check(c, a, sets[1][3])
for _, rows in ipairs{ 2048, 8, 64 } do
  a:resize(rows)
  a:set(halves(rows, 64))
  check(cuda.empty({ rows, 64 }, "float16"), a, sets[1][3])
end
-- arrays that nothing else keeps
for _ = 1, 8 do
  local m = 8 * math.random(1, 20)
  check(cuda.empty({ m, 64 }, "float16"), halves(m, 64), halves(64, 64))
  collectgarbage()
end
assert(product:pipeline().reason == nil)
-- a graph has the maps of its own arrays
local graph = cuda.graph(function() product({ tiles = c }, c, many[1], many[2]) end)
check(sets[2][1], many[3], many[4])
many[1]:set(many[5])
graph:launch()
assert(cuda.abs(wide(c) - cuda.matmul(wide(many[5]), wide(many[2]))):max() < 0.1)
graph:close()
-- calls that alternate make no maps, unless two arrays have one place
local launch, kept = { tiles = c }, 0
collectgarbage "stop"
for k = 1, 10 do
  local function alternate()
    product(launch, c, many[k], many[k + 10])
    product(launch, c, many[k + 10], many[k])
  end
  alternate()
  local before = collectgarbage "count"
  for _ = 1, 9 do alternate() end
  if collectgarbage "count" == before then kept = kept + 1 end
end
assert(kept >= 5, kept)
print "right"
]]

sm90.for_each_device(function(device)
  describe("a kernel with tensor maps", function()
    it("copies from the arrays of each call", function()
      assert.matches("right", sm90.run(device, MAPS))
    end)
  end)
end)

local plus = cuda.tiled(function(y, x, n)
  local i = program(1)
  store(y, { i }, load(x, { i }, { 16 }) + n)
end)

local sums = cuda.tiled(function(y, x, n)
  local i, j = program(1), program(2)
  store(y, { i, j }, load(x, { i, j }, { 8, 16 }) + n)
end)

local DTYPES = { "float32", "int32", "float16", "int8" }

local function numbers(dtype, ...) return cuda.random.integers(0, 100, { ... }):astype(dtype) end

local LAYOUTS = {
  function(rows, columns, dtype) return numbers(dtype, rows, columns) end,
  function(rows, columns, dtype) return numbers(dtype, columns, rows):transpose() end,
  function(rows, columns, dtype) return numbers(dtype, 2 * rows, columns):slice{ 1, -1, 2 } end,
  function(rows, columns, dtype)
    return numbers(dtype, rows, columns + 3):slice({}, { 2, columns + 1 })
  end,
  function(rows, columns, dtype) -- rows from an element on that no vector begins with
    local n = rows * columns
    return numbers(dtype, n + 1):slice{ 2, n + 1 }:reshape(rows, columns)
  end,
}

helper.for_each_device(function()
  describe("a launch of a kernel over tiles", function()
    it("takes other arrays, numbers and dtypes in any order", function()
      local calls = {}
      for k, dtype in ipairs{ "float32", "int32", "float16", "float32" } do
        calls[k] = { cuda.arange(1, 8 * k, dtype), k == 4 and 0.5 or k }
      end
      for _ = 1, 20 do
        local x, n = table.unpack(calls[math.random(#calls)])
        local y = cuda.zeros(x.size, x.dtype)
        plus({ tiles = y }, y, x, n)
        assert.is_true(cuda.allclose(y, (x + n):astype(x.dtype)))
        local z = cuda.zeros(x.size, x.dtype)
        plus({ programs = (x.size + 15) // 16 }, z, x, n)
        plus({ programs = { (x.size + 15) // 16 } }, z, x, n)
        assert.is_true(cuda.array_equal(y, z))
      end
    end)

    it("takes arrays of any layout in any order", function()
      for _ = 1, 60 do
        local rows, columns = math.random(0, 20), math.random(0, 40)
        if math.random(3) == 1 then rows, columns = 12, 32 end
        local dtype = DTYPES[math.random(#DTYPES)]
        local x = LAYOUTS[math.random(#LAYOUTS)](rows, columns, dtype)
        local y = math.random(4) == 1 and x or LAYOUTS[math.random(#LAYOUTS)](rows, columns, dtype)
        local n = math.random(9)
        local want = x:copy():add(n)
        if math.random(2) == 1 then sums({ tiles = y }, y, x, n)
        else sums({ programs = { rows // 8 + 1, columns // 16 + 1 } }, y, x, n) end
        assert.same({ rows, columns }, y.shape)
        assert.is_true(cuda.array_equal(y, want))
        if math.random(2) == 1 and x ~= y then x:free() end
      end
    end)

    it("is recorded in a graph and in a profile", function()
      local x, y, other = cuda.arange(1, 41, "float32"), cuda.zeros(40), cuda.zeros(40)
      plus({ tiles = y }, y, x, 1)
      local graph <close> = cuda.graph(function()
        for _ = 1, 3 do plus({ tiles = y }, y, x, 2) end
        plus({ tiles = x }, x, y, 2)
      end)
      plus({ tiles = other }, other, x, 5)
      assert.is_true(cuda.array_equal(y, x + 1))
      for k = 0, 1 do
        graph:launch()
        assert.is_true(cuda.array_equal(y, other + 4 * k - 3))
        assert.is_true(cuda.array_equal(x, y + 2))
      end
      local profile = cuda.profile(function()
        for _ = 1, 3 do plus({ tiles = y }, y, x, 2) end
      end)
      local count = 0
      for _, entry in ipairs(profile.entries) do
        if entry.name == "plus" then count = count + 1 end
      end
      assert.equal(3, count)
    end)

    it("takes a view again as the array of tiles", function()
      local x, y = cuda.random.normal{ 3, 40 }, cuda.zeros{ 3, 40 }
      for k = 1, 3 do plus({ tiles = y[k] }, y[k], x[k], k) end
      assert.is_true(cuda.array_equal(y, x + cuda.arange(1, 4, "float32"):reshape(3, 1)))
      for _, other in ipairs{ y[2], y[1]:slice{ 1, 39 }, y[1]:view "int32" } do
        assert.matches("expected one of the arguments", helper.misuse(function()
          plus({ tiles = other }, y[1], x[1], 1)
        end))
      end
    end)

    it("takes the options of a launch", function()
      local x, y, stream = cuda.arange(1, 41, "float32"), cuda.zeros(40), cuda.stream{}
      cuda.synchronize()
      plus({ tiles = y, stream = stream, priority = 0 }, y, x, 2)
      stream:synchronize()
      assert.is_true(cuda.array_equal(y, x + 2))
      assert.matches("unknown key 'streams'", helper.misuse(function()
        plus({ tiles = y, streams = stream }, y, x, 2)
      end))
      local prepared = plus:prepare({ tiles = y, stream = stream }, y, x, 3)
      assert.equal(3, prepared.grid[1])
      prepared()
      stream:synchronize()
      assert.is_true(cuda.array_equal(y, x + 3))
    end)

    it("leaves the launch table as it is", function()
      local x, y = cuda.arange(1, 41, "float32"), cuda.zeros(40)
      local launch = { tiles = y, priority = 0 }
      plus(launch, y, x, 2)
      plus:prepare(launch, y, x, 2)
      assert.same({ "priority", "tiles" }, (function()
        local names = {}
        for name in pairs(launch) do names[#names + 1] = name end
        table.sort(names)
        return names
      end)())
      assert.equal(y, launch.tiles)
    end)

    it("is refused with the reason", function()
      local x, y = cuda.zeros(40), cuda.zeros(40)
      local many = cuda.zeros{ 1, 1, 1, 2, 40 }
      local last = cuda.tiled(function(z, v)
        store(z, { 1, 1, 1, 1, 1 }, load(v, { 1 }, { 8 }))
      end)
      local wide = cuda.zeros{ 2, 1, 1, 40, 40 }
      for words, fn in pairs{
        ["argument 1: expected { tiles = array } or { programs = { n, m } }, got nil"] = function()
          plus(nil, y, x, 1)
        end,
        ["argument 1: expected { tiles = array } or { programs = { n, m } }"] = function()
          plus({}, y, x, 1)
        end,
        ["argument 1: a kernel over tiles chooses 'block' itself"] = function()
          plus({ tiles = y, block = 32 }, y, x, 1)
        end,
        ["tiles: expected one of the arguments"] = function() plus({ tiles = 3 }, y, x, 1) end,
        ["tiles: the kernel stores no tile in argument 2: give { programs = { n } }"] = function()
          plus({ tiles = x }, y, x, 1)
        end,
        ["tiles: the kernel stores no tile in argument 3: give { programs = { n } }"] = function()
          plus({ tiles = 1 }, y, x, 1)
        end,
        ["tiles: a launch has 3 axes, and the array 5: give { programs = { n } }"] = function()
          last({ tiles = wide }, wide, x)
          last({ tiles = many }, many, x)
        end,
        ["programs: expected integers from 1"] = function() plus({ programs = 0 }, y, x, 1) end,
        ["the function takes 3 arguments, and 2 are given after the launch table"] = function()
          plus({ tiles = y }, y, x)
        end,
      } do
        local message = helper.misuse(fn)
        assert.is_truthy(message:find("tiled: " .. words, 1, true), message)
      end
      assert.equal(0, y:max())
    end)
  end)
end)
