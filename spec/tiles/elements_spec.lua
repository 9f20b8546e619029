-- Elements of arrays in kernels over tiles: numbers, and tiles of elements at a tile of indices,
-- also of arrays that the program stores.
local helper = require "spec.helper"

local CODE = [==[
local cuda = require "luacuda"
cuda.use(arg[1] == "cpu" and "cpu" or tonumber(arg[1]))
local N = 64
local function plus(v, a, j) return v + a[j] end

-- Each gets x and y of N elements: the kernel, and what it leaves in them.
local CASES = {
  { "numbers", function(y, x)
    local t = load(x, { 1 }, { N })
    store(x, { 1 }, t * 2)
    local s = x[N] + x[1]
    store(y, { 1 }, t + s)
  end, function(x) return x * 2, x + (x[N] + x[1]) * 2 end },
  { "a number before a store", function(y, x)
    local n = x[N]
    store(x, { 1 }, zeros("float32", N) + n)
    store(y, { 1 }, full("float32", n, N))
  end, function(x) return cuda.full(N, x[N]), cuda.full(N, x[N]) end },
  { "operands of elements", function(y, x)
    local t = load(x, { 1 }, { N })
    store(x, { 1 }, t * 2)
    store(y, { 1 }, where(t > 0.5, x[N], t) + x[1])
  end, function(x) return x * 2, cuda.where(x:gt(0.5), x[N] * 2, x) + x[1] * 2 end },
  { "a condition of a loop", function(y, x)
    local n = 0
    while x[1] < 100 do
      store(x, { 1 }, load(x, { 1 }, { N }) * 2 + 1)
      n = n + 1
    end
    store(y, { 1 }, full("float32", n, N))
  end, function(x)
    local n = 0
    while x[1] < 100 do
      x = x * 2 + 1
      n = n + 1
    end
    return x, cuda.full(N, n)
  end },
  { "a choice", function(y, x, n)
    store(x, { 1 }, load(x, { 1 }, { N }) * 2)
    local v = n > 0 and x[n] or x[N]
    store(y, { 1 }, full("float32", v, N))
  end, function(x) return x * 2, cuda.full(N, x[3] * 2) end },
  { "an argument of a function of elements", function(y, x)
    store(x, { 1 }, load(x, { 1 }, { N }) * 2)
    store(y, { 1 }, plus(zeros("float32", N), x, N))
    store(x, { 1 }, full("float32", 1, N))
  end, function(x) return cuda.ones(N), cuda.full(N, x[N] * 2) end },
  { "an array around a function of elements", function(y, x)
    store(x, { 1 }, load(x, { 1 }, { N }) * 2)
    local function last(v) return v + x[N] end
    store(y, { 1 }, last(zeros("float32", N)))
    store(x, { 1 }, full("float32", 1, N))
  end, function(x) return cuda.ones(N), cuda.full(N, x[N] * 2) end },
  { "a tile of indices", function(y, x)
    store(x, { 1 }, load(x, { 1 }, { N }) * 2)
    store(y, { 1 }, x[N + 1 - iota(N)])
    store(x, { 1 }, full("float32", 1, N))
  end, function(x) return cuda.ones(N), x:flip() * 2 end },
}
for _, case in ipairs(CASES) do
  for _, warps in ipairs{ 1, 4 } do
    local x, y = cuda.random.uniform{ N }, cuda.zeros(N)
    local left, out = case[3](x:copy())
    local kernel = cuda.tiled(case[2], { warps = warps })
    if debug.getinfo(case[2], "u").nparams == 3 then kernel({ programs = 1 }, y, x, 3)
    else kernel({ programs = 1 }, y, x) end
    assert(cuda.allclose(x, left), case[1])
    assert(cuda.allclose(y, out), case[1])
  end
end

-- in the mask of a store, of which some threads write no part
local masked = cuda.tiled(function(y, x)
  store(x, { 1 }, load(x, { 1 }, { 8 }) * 2)
  store(y, { 1 }, iota(8), x[9 - iota(8)] > 1)
end)
local a, b = cuda.random.uniform{ 8 }, cuda.zeros(8)
local some = cuda.where((a:flip() * 2):gt(1), cuda.arange(1, 9, "float32"), 0)
masked({ programs = 1 }, b, a)
assert(cuda.allclose(b, some))

-- one array as both parameters
local kernel = cuda.tiled(function(y, x)
  store(y, { 1 }, load(x, { 1 }, { N }) * 2)
  store(y, { 1 }, x[N + 1 - iota(N)] + x[1])
end)
local x = cuda.random.uniform{ N }
local expected = (x:flip() + x[1]) * 2
kernel({ programs = 1 }, x, x)
assert(cuda.allclose(x, expected))

-- rows that a tile of indices chooses, from one column of each
local embed = cuda.tiled(function(y, flat, ids, width)
  local i = program(1)
  local id = load(ids, { i }, { 8 })
  store(y, { i, 1 }, flat[(transpose(id) - 1) * width + iota(32)])
end)
local table_of = cuda.random.normal{ 20, 32 }
local ids = cuda.random.integers(1, 20, { 24 }):astype "int32"
local y = cuda.empty{ 24, 32 }
embed({ tiles = y }, y, table_of:reshape(-1), ids, 32)
local list = ids:totable()
for k = 1, 24 do assert(cuda.allclose(y[k], table_of[list[k]])) end
print "right"
]==]

helper.for_each_device(function(device)
  describe("an element of an array in a kernel over tiles", function()
    it("is read after what the program stored, and before what it stores", function()
      local ok, out = helper.lua(CODE, { env = { LUACUDA_CPU_CHECK = "all" }, timeout = 300,
        args = { device.kind == "cpu" and "cpu" or tostring(device.ordinal) } })
      assert.is_true(ok, out)
      assert.matches("right", out)
    end)
  end)
end)
