-- The examples of kernels over tiles, and tiles at the edges of arrays.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- The largest error of an example: sums of products of halves, or float32.
local EXAMPLES = {
  product = 0.1, epilogue = 2e-3, softmax = 1e-6, layer_norm = 1e-4, attention = 1e-2,
  attention_backward = 5e-2, mlp = 2e-2, split_k = 5e-3, segments = 1e-3, convolution = 1e-3,
  layout = 1e-4,
}

-- Runs examples/tiles/NAME.lua with kernels of so many warps, or as it is.
local function example(name, warps)
  local own = setmetatable({ tiled = function(fn, options)
    local all = { warps = warps }
    for key, value in pairs(options or {}) do all[key] = all[key] or value end
    return cuda.tiled(fn, all)
  end }, { __index = cuda })
  local env = setmetatable({ print = function() end, require = function() return own end },
    { __index = _G })
  return assert(loadfile("examples/tiles/" .. name .. ".lua", "t", env))()
end

local function largest(x) return cuda.abs(x):max() end

helper.for_each_device(function()
  describe("a kernel over tiles", function()
    for name, most in pairs(EXAMPLES) do
      for _, warps in ipairs{ false, 1, 8 } do
        it(("is right: %s, %s warps"):format(name, warps or "its own"), function()
          cuda.random.seed(1)
          local got, expected = example(name, warps or nil)
          local e = largest(got:astype "float64" - expected)
          assert(e <= most, e)
        end)
      end
    end

    local twice = cuda.tiled(function(y, x)
      local i, j = program(1), program(2)
      store(y, { i, j }, load(x, { i, j }, { 16, 32 }) * 2)
    end)
    local rows = cuda.tiled(function(y, x)
      local i = program(1)
      store(y, { i }, load(x, { i }, { 32 }) * 2)
    end)

    local function check(x)
      local y = cuda.full(x.shape, -1, "float32")
      local kernel = #x.shape == 1 and rows or twice
      kernel({ tiles = y }, y, x)
      assert.same((x * 2):totable(), y:totable())
    end

    it("covers arrays of any size and nothing outside", function()
      local shapes = { { 1, 1 }, { 15, 31 }, { 16, 32 }, { 17, 33 }, { 1, 64 }, { 40, 1 } }
      for _, shape in ipairs(shapes) do
        check(cuda.random.normal(shape))
        -- Around the array of the result stand numbers that must stay.
        local n, m = table.unpack(shape)
        local whole = cuda.full({ n + 2, m + 2 }, 7, "float32")
        local x, y = cuda.random.normal(shape), whole:slice({ 2, n + 1 }, { 2, m + 1 })
        twice({ programs = { 4, 3 } }, y, x)
        local expected = cuda.full({ n + 2, m + 2 }, 7, "float32")
        expected:slice({ 2, n + 1 }, { 2, m + 1 }):set(x * 2)
        assert.same(expected:totable(), whole:totable())
      end
      for _, n in ipairs{ 1, 31, 32, 33, 100 } do check(cuda.random.normal{ n }) end
    end)

    it("takes transposed, sliced and unaligned arrays", function()
      check(cuda.random.normal{ 40, 50 }:transpose())
      check(cuda.random.normal{ 40, 100 }:slice({}, { 1, 99, 2 }))
      check(cuda.random.normal{ 80, 64 }:slice({ 2, 80, 3 }, {}))
      check(cuda.random.normal{ 40, 65 }:slice({}, { 2, 65 }))
      check(cuda.random.normal{ 129 }:slice({ 2, 129 }))
      check(cuda.random.normal{ 41, 64 }:slice({ 2, 41 }, {}))
    end)

    it("runs no programs for an empty array", function()
      local y = cuda.zeros{ 0, 5 }
      twice({ tiles = y }, y, cuda.zeros{ 0, 5 })
      local none = cuda.zeros(0)
      rows({ tiles = none }, none, cuda.zeros(0))
    end)

    it("runs more programs along an axis than a grid has blocks", function()
      local moved = cuda.tiled(function(y, x)
        local i, j = program(1), program(2)
        store(y, { i, j }, load(x, { i, j }, { 1, 8 }) + (programs(1) * 10 + programs(2)))
      end, { warps = 1 })
      local x = cuda.random.integers(0, 9, { 2, 65537 * 8 - 3 }):astype "float32"
      local y = cuda.empty_like(x)
      for _, launch in ipairs{ { tiles = y }, { programs = { 2, 65537 } }, { tiles = y } } do
        y:fill(0)
        moved(launch, y, x)
        assert(cuda.array_equal(y, x + 65557))
      end
      -- and fewer again
      local few = cuda.empty{ 2, 20 }
      moved({ tiles = few }, few, x:slice({}, { 1, 20 }))
      assert(cuda.array_equal(few, x:slice({}, { 1, 20 }) + 23))
    end)

    it("refuses numbers of programs that no launch has", function()
      local x = cuda.zeros(8)
      for programs, words in pairs{ [{ 2, 1 << 20, 1 << 12 }] = "2 x 1048576 x 4096 programs are "
        .. "more than the 2%^31 %- 1 of a launch", [{ 1, 2.5 }] = "programs: expected an integer",
        [{ 1, 1, 1, 1 }] = "programs: expected an integer", x = "programs: expected an integer",
        [{}] = "programs: expected an integer" } do
        local message = helper.misuse(function() rows({ programs = programs }, x, x) end)
        assert.matches("^tiled: " .. words, message)
      end
    end)

    it("takes parts of arrays of three and four axes", function()
      local three = cuda.tiled(function(y, x)
        local h, i, j = program(1), program(2), program(3)
        store(y, { h, i, j }, load(x, { at(h), i, j }, { 8, 16 }) + 1)
      end)
      local x = cuda.random.normal{ 3, 13, 21 }
      local y = cuda.zeros{ 3, 13, 21 }
      three({ tiles = y }, y, x)
      assert.same((x + 1):totable(), y:totable())

      -- Moved by one row up and two columns to the left; what is outside is -5.
      local four = cuda.tiled(function(to, from)
        local h, i = program(1), program(2)
        local first = (i - 1) * 8
        local part = load(from, { at(1), at(h), at(first + 2), at(3) }, { 8, 16 }, -5)
        store(to, { at(2), h, i, 1 }, part)
      end)
      x, y = cuda.random.normal{ 2, 3, 12, 16 }, cuda.zeros{ 2, 3, 12, 16 }
      four({ programs = { 3, 2 } }, y, x)
      local want = cuda.full({ 2, 3, 12, 16 }, 0, "float32"):totable()
      local old = x:totable()
      for h = 1, 3 do
        for r = 1, 12 do
          for c = 1, 16 do
            want[2][h][r][c] = (old[1][h][r + 1] or {})[c + 2] or -5
          end
        end
      end
      assert.same(want, y:totable())
    end)

    it("assigns several tiles at once", function()
      local swap = cuda.tiled(function(y, x)
        local a, b = load(x, { 1, 1 }, { 8, 8 }), load(y, { 1, 1 }, { 8, 8 })
        for _ = 1, 3 do a, b = b, a + transpose(b) end
        store(x, { 1, 1 }, a)
        store(y, { 1, 1 }, b)
      end)
      local x, y = cuda.random.normal{ 8, 8 }, cuda.random.normal{ 8, 8 }
      local a, b = x:copy(), y:copy()
      for _ = 1, 3 do a, b = b, a + b:transpose() end
      swap({ programs = { 1 } }, y, x)
      assert.same(a:totable(), x:totable())
      assert.same(b:totable(), y:totable())
    end)

    it("keeps elements of different dtypes where they were loaded", function()
      local pair = math.random(2) == 1 and { "float16", "int8" } or { "float64", "bfloat16" }
      local scaled = cuda.tiled(function(y, x, z)
        local i = program(1)
        local tile = load(x, { i, 1 }, { 8, 64 })
        local own = float32(tile) * 2
        local other = load(z, { i, 1 }, { 8, 64 })
        store(y, { i, 1 }, own + other - max(own, 2))
      end)
      local n, columns = math.random(1, 40), math.random(1, 64)
      local shape = { n, math.random(2) == 1 and columns or 64 }
      local x = cuda.random.normal(shape):astype "bfloat16"
      local z = cuda.random.integers(-9, 9, shape):astype(pair[2])
      local y = cuda.full(shape, -1, pair[1])
      scaled({ tiles = y }, y, x, z)
      local own = x:astype "float64" * 2
      local most = cuda.maximum(own:max{ axis = 2, keepdims = true }, shape[2] < 64 and 0
        or -math.huge)
      local e = largest(y:astype "float64" - (own + z - most))
      assert(e <= (pair[1] == "float16" and 0.05 or 1e-5), e)
      local text = scaled:source()
      assert.is_nil(text:find("_shared", 1, true))
    end)

    it("says where its function is, and is collected after a call", function()
      local weak = setmetatable({}, { __mode = "v" })
      local ones = cuda.tiled(function(y) store(y, { program() }, full("float32", 1, 8)) end)
      assert.matches("^luacuda.Tiled ones %(.*programs_spec.lua:%d+%)$", tostring(ones))
      local function call()
        local x = cuda.empty(8)
        weak[1] = cuda.tiled(function(y) store(y, { program() }, full("float32", 1, 8)) end)
        weak[1]({ tiles = x }, x)
      end
      call()
      collectgarbage()
      collectgarbage()
      assert.is_nil(weak[1])
    end)

    it("keeps order where one array is two parameters", function()
      local add = cuda.tiled(function(y, x)
        local i = program()
        store(y, { i }, load(x, { i }, { 64 }) + 1)
      end)
      local x, y = cuda.arange(200, "float32"), cuda.empty(200)
      add({ tiles = y }, y, x)
      assert.is_nil(add:source():find "__syncthreads")
      add({ tiles = x }, x, x)
      assert.matches("__syncthreads", add:source())
      assert.same(y:totable(), x:totable())
    end)

    it("reads what other threads stored in the array before", function()
      local turned = cuda.tiled(function(x)
        store(x, { 1, 1 }, transpose(load(x, { 1, 1 }, { 32, 32 })))
        store(x, { 1, 1 }, transpose(load(x, { 1, 1 }, { 32, 32 })) + 1)
      end)
      local x = cuda.random.normal{ 32, 32 }
      local expected = (x + 1):totable()
      turned({ programs = { 1 } }, x)
      assert.same(expected, x:totable())
    end)
  end)
end)
