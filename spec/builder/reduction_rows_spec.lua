-- Reductions of many short rows, of which a thread loads several, of rows that are not aligned, and
-- of narrow columns, several of whose rows make vectors, against NumPy.
local helper = require "spec.helper"
local python = require "spec.support.evaluate"
local cuda = require "luacuda"

-- Integers, so sums are exact in any order.
local function integers(shape, dtype)
  return cuda.random.generator(shape[2]):integers(-9, 9, shape, { dtype = "int8" }):astype(dtype)
end

-- { rows, elements of a row, dtype, rows of a thread }
local SHORT = {
  { 275003, 3, "int8", 2 }, { 270347, 8, "float32", 4 }, { 67601, 32, "float32", 4 },
  { 70001, 32, "float64", 2 }, { 550001, 2, "float16", 4 }, { 200001, 5, "float32", 1 },
  { 70001, 12, "int16", 1 },
}
local NARROW = {
  { 30000, 3, "float32", 4 }, { 30001, 3, "float32", 1 }, { 40004, 10, "int16", 8 },
  { 60000, 1, "float32", 4 }, { 20000, 7, "float64", 2 }, { 30000, 33, "int8", 8 },
}

-- Without an identity, and with an index.
local product_sum = cuda.reduction("T x, T y", "float64 z", "(double)x * y", "a + b", "z = a", nil,
  "product_sum")
local weighted = cuda.reduction("T x", "float64 z", "(double)x * (_j + 1)", "a + b", "z = a", 0,
  "weighted")

-- Compares reductions along an axis, for each case { whole =, view =, x =, axis = }: x is what the
-- Python expression `view` gives for an array called W.
local function check(cases)
  local arrays, got, lines = {}, {}, {}
  for c, case in ipairs(cases) do
    local x, axis, options = case.x, case.axis, { axis = case.axis }
    local function add(code, y)
      got[#got + 1] = y
      lines[#lines + 1] = ("r_%d = %s"):format(#got, code:gsub("%f[%w]A%f[%W]", case.view or "W")
        :gsub("%f[%w]D%f[%W]", axis - 1):gsub("W", "w" .. c))
    end
    arrays["w" .. c] = case.whole or x
    add("A.sum(D, dtype='f8')", x:sum { axis = axis, dtype = "float64" })
    add("A.max(D)", x:max(options))
    add("A.argmin(D) + 1", x:argmin(options))
    add("(A != 0).sum(D)", x:count_nonzero(options))
    add("(A > 8).any(D)", x:gt(8):any(options))
    add("A.var(D, dtype='f8')", x:var { axis = axis, dtype = "float64" })
    add("(A.astype('f8') * A).sum(D)", product_sum(x, x, options))
    add(axis == 2 and "(A * np.arange(1., A.shape[1] + 1)).sum(D)"
      or "(A * np.arange(1., A.shape[0] + 1)[:, None]).sum(D)", weighted(x, options))
  end
  local want = python.run(arrays, table.concat(lines, "\n"))
  for k, y in ipairs(got) do
    local wanted = want[tostring(k)]:to(y.device)
    assert.equal(wanted.dtype, y.dtype, lines[k])
    local off = (wanted:astype "float64" - y:astype "float64"):abs() / (wanted:abs() + 1)
    assert.is_true(off:max() < 1e-9, lines[k])
  end
end

local function latest(reduction)
  local list = reduction:cached()
  return list[#list]
end

describe("Reductions of", function()
  if not python.available() then
    pending "Python has no NumPy"
    return
  end

  helper.for_each_device(function(_, name)
    local cpu = name == "cpu" -- a warp there has whole rows, or 32 columns

    it("short rows", function()
      local cases = {}
      for k, case in ipairs(SHORT) do
        local rows, n, dtype, each = table.unpack(case)
        local x = integers({ rows, n }, dtype)
        cases[k] = { x = x, axis = 2 }
        local one = cuda.reduction("T x", "float64 y", "x", "a + b", "y = a", "0", "one")
        one(x, { axis = 2 })
        assert.equal(cpu and 1 or each, latest(one).rows)
        assert.equal(cpu, latest(one).lanes > 0)
      end
      check(cases)
    end)

    it("short rows with gaps and in reverse", function()
      local x = integers({ 275000, 4 }, "float32")
      check { { whole = x, view = "W[:, :3]", x = x:slice({}, { 1, 3 }), axis = 2 },
        { whole = x, view = "W[::-1, ::-1]", x = x:slice({ -1, 1, -1 }, { -1, 1, -1 }), axis = 2 } }
      local y = x:reshape { 275, 1000, 4 }:slice({}, { 2, 1000 })
      local want = python.run({ x = x }, "r_y = x.reshape(275, 1000, 4)[:, 1:].sum(2)").y
      assert.equal(want:tobytes(), y:sum { axis = 3 }:tobytes())
    end)

    it("rows that begin between two vectors", function()
      local cases = {}
      for _, dtype in ipairs { "float32", "int8", "float64", "float16" } do
        for _, n in ipairs { 40, 259, 1001, 70001 } do
          local whole = integers({ n > 5000 and 3 or 33, n + 4 }, dtype)
          for first = 1, n > 5000 and 2 or 4 do
            cases[#cases + 1] = { whole = whole, view = ("W[:, %d:%d]"):format(first, first + n),
              x = whole:slice({}, { first + 1, first + n }), axis = 2 }
          end
        end
      end
      check(cases)
      local one = cuda.reduction("T x", "float64 y", "x", "a + b", "y = a", "0", "one")
      one(cuda.ones { 5, 1001 }, { axis = 2 })
      assert.equal(4, latest(one).vector)
    end)

    it("narrow columns", function()
      local cases = {}
      for k, case in ipairs(NARROW) do
        local rows, n, dtype, parts = table.unpack(case)
        local x = integers({ rows, n }, dtype)
        cases[k] = { x = x, axis = 1 }
        local one = cuda.reduction("T x", "float64 y", "x", "a + b", "y = a", "0", "one")
        one(x, { axis = 1 })
        assert.equal("final", latest(one).pass)
        local first = one:cached()[1]
        assert.equal(cpu, first.lanes > 0)
        if not cpu then assert.equal(parts > 1, first.vector > 1) end
      end
      check(cases)
    end)

    it("narrow columns, where the map expression asks for their length", function()
      local share = cuda.reduction("T x", "float64 y", "(double)x / n", "a + b", "y = a / n", "0",
        "share")
      local y = share(cuda.ones { 40000, 3 }, { axis = 1 })
      helper.assert_close({ 1 / 40000, 1 / 40000, 1 / 40000 }, y, { rtol = 1e-9 })
    end)
  end)
end)
