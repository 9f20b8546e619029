-- Two groups of warps that run programs in turn: what follows their products, and the loops that
-- they can have. The plans are those of sm_90a.
local sm90 = require "spec.support.sm90"

local HEAD = [[
local TEXT = "function(c, a, b)\n"
  .. "  local i, j = program(1), program(2)\n"
  .. "  local total = zeros('float32', 64, 64)\n"
  .. "  for k = 1, tiles(a, 2, 64), STEP do\n"
  .. "    total = dot(load(a, { i, k }, { 64, 64 }), load(b, { k, j }, { 64, 64 }), total)\n"
  .. "  end\n"
  .. "  AFTER\n"
  .. "  store(c, { i, j }, total)\n"
  .. "end"
local ROWS, SUMMED, COLUMNS = 776, 456, 136
local a = cuda.random.normal{ ROWS, SUMMED }:astype "float16"
local b = cuda.random.normal{ SUMMED, COLUMNS }:astype "float16"
local c = cuda.empty({ ROWS, COLUMNS }, "float32")
local function multiply(step, after, options)
  local kernel = cuda.tiled(TEXT:gsub("STEP", step):gsub("AFTER", after), options)
  kernel({ tiles = c }, c, a, b)
  cuda.synchronize()
  return kernel:pipeline()
end
local function check(expected, first, last)
  local off = cuda.abs(wide(c):slice{ first or 1, last or ROWS } - expected):max()
  assert(off < 1e-3, off)
end
]]

local function run(device, code) return sm90.run(device, HEAD .. code) end

sm90.for_each_device(function(device)
  describe("groups of warps that run programs in turn", function()
    it("reduce rows of what they multiplied", function()
      run(device, [[
        local r = multiply(1, "total = total - max(total, 1)")
        assert(r.in_turn, r.reason)
        local product = cuda.matmul(wide(a), wide(b))
        for first = 1, ROWS, 64 do
          local last = math.min(first + 63, ROWS)
          local part = product:slice{ first, last }
          local most = part:max{ axis = 1 }
          -- rows outside of the array are 0
          if last == ROWS then most = cuda.maximum(most, 0) end
          check(part - most, first, last)
        end
      ]])
    end)

    it("print once for each program", function()
      local out = run(device, [[assert(multiply(1, "print('program', i, j)").in_turn)]])
      local seen, count = {}, 0
      for line in out:gmatch "program\t[^\n]*" do
        assert.is_nil(seen[line])
        seen[line], count = true, count + 1
      end
      assert.equal(13 * 3, count)
    end)

    it("may count to a number that is an argument", function()
      run(device, [[
        local text = TEXT:gsub("c, a, b", "c, a, b, n"):gsub("tiles%(a, 2, 64%)", "n")
        local kernel = cuda.tiled((text:gsub("STEP", "1"):gsub("AFTER", "")))
        for _, n in ipairs{ 8, 3, 0, 1, -4, math.mininteger, 7 } do
          c:fill(777)
          kernel({ tiles = c }, c, a, b, n)
          assert(kernel:pipeline().in_turn)
          local last = math.max(math.min(64 * n, SUMMED), 0)
          local kept = (cuda.arange(SUMMED)):lt(last):astype "float64"
          check(cuda.matmul(wide(a) * kept, wide(b)))
        end
      ]])
    end)

    it("are none if a function that knows the program counts the rounds", function()
      run(device, [[
        local text = TEXT:gsub("tiles%(a, 2, 64%)", "last(tiles(a, 2, 64))")
          :gsub("local total", "local function last(q) return q - (i - 1) end\n%0")
        local kernel = cuda.tiled((text:gsub("STEP", "1"):gsub("AFTER", "")))
        kernel({ tiles = c }, c, a, b)
        assert(not kernel:pipeline().in_turn)
        local rounds = 8 - cuda.arange(ROWS):reshape(ROWS, 1) // 64
        local kept = (cuda.arange(SUMMED) // 64):lt(rounds):astype "float64"
        check(cuda.matmul(wide(a) * kept, wide(b)))
      ]])
    end)

    it("have no tile that is loaded before the loop", function()
      run(device, [[
        local kernel = cuda.tiled(function(c, a, b)
          local i = program(1)
          local before, total = load(a, { i, 1 }, { 64, 64 }), zeros("float32", 64, 64)
          for k = 1, tiles(b, 1, 64) do
            total = dot(before, load(b, { k, 1 }, { 64, 64 }), total)
          end
          store(c, { i, 1 }, total)
        end)
        local sums = cuda.empty({ ROWS, 64 }, "float32")
        kernel({ tiles = sums }, sums, a, b)
        local expected = cuda.zeros({ 64, 64 }, "float64")
        for k = 1, SUMMED, 64 do
          local last = math.min(k + 63, SUMMED)
          local part = wide(b):slice({ k, last }, { 1, 64 })
          expected:slice{ 1, last - k + 1 }:set(expected:slice{ 1, last - k + 1 } + part)
        end
        local off = wide(sums) - cuda.matmul(wide(a):slice({}, { 1, 64 }), expected)
        assert(cuda.abs(off):max() < 1e-2)
        local r = kernel:pipeline()
        assert(r.persistent and not r.in_turn, r.reason)
      ]])
    end)

    it("are those of a loop that counts by 1", function()
      run(device, [[
        for step = 2, 3 do
          local r = multiply(step, "")
          assert(r.persistent and r.in_turn == false)
          local kept = (cuda.arange(SUMMED) // 64 % step):eq(0):astype "float64"
          check(cuda.matmul(wide(a) * kept, wide(b)))
        end
      ]])
    end)
  end)
end)
