-- Parameters that can be given by position or as options, like NumPy's keyword arguments: both
-- calls return the same. Messages about surplus values say where they belong.
local cuda = require "luacuda"
local helper = require "spec.helper"

local misuse = helper.misuse

-- Name, the parameter, its position, values, and the arguments before it.
local function forms(x, m, k)
  return {
    { "diff", "n", 2, { 0, 1, 2, 3 }, m },
    { "pad", "mode", 3, { "edge", "wrap", "reflect" }, m, 2 },
    { "rot90", "k", 2, { -1, 0, 2, 5 }, m }, { "diagonal", "offset", 2, { -1, 0, 2 }, m },
    { "diag", "k", 2, { -1, 0, 2 }, x }, { "diag", "k", 2, { 1 }, m },
    { "tril", "k", 2, { -1, 0, 2 }, m }, { "triu", "k", 2, { -1, 0, 2 }, m },
    { "round", "decimals", 2, { -1, 0, 1, 2 }, x },
    { "expand_dims", "axis", 2, { 1, -1, { 1, 3 } }, m },
    { "cov", "y", 2, { x * x }, x }, { "corrcoef", "y", 2, { x * x }, x },
    { "histogram", "bins", 2, { 1, 10, { -1, 0, 0.5, 2 }, cuda.array { 0, 1, 3 } }, x },
    { "convolve", "mode", 3, { "full", "same", "valid" }, x, k },
    { "correlate", "mode", 3, { "full", "same", "valid" }, x, k },
    { "tensordot", "axes", 3, { 0, 1, 2, { { 1, 2 }, { 1, 2 } } }, m, m },
    { "searchsorted", "side", 3, { "left", "right" }, x, k },
    { "clip", "lo", 2, { 0, 0.5 }, x }, { "clip", "hi", 3, { 0.75, k:slice { 1, 1 } }, x, 0.5 },
    { "norm", "ord", 2, { 1, 2, 3, math.huge }, x }, { "norm", "ord", 2, { 1, "fro" }, m },
    { "linspace", "n", 3, { 0, 1, 7 }, 1, 5 }, { "logspace", "n", 3, { 0, 1, 7 }, 0, 2 },
    { "memset", "count", 3, { 0, 8, 24 }, x:copy(), 3 },
  }
end

-- Further options, to test both forms together with them.
local MORE = { diff = { axis = 1 }, convolve = {}, histogram = { density = true },
  tensordot = {}, norm = { keepdims = true }, linspace = { endpoint = false, dtype = "float64" },
  logspace = { base = 2 }, memset = { offset = 4 }, pad = {} }

local function results(...)
  local list = table.pack(...)
  for i = 1, list.n do
    local v = list[i]
    if cuda.type(v) == "array" then list[i] = { v.shape, v.dtype, v:totable() } end
    if cuda.type(v) == "array" then list[i][1] = tostring(v.shape) end
  end
  return list
end

local function with(options, name, value)
  local copy = { [name] = value }
  for k, v in pairs(options or {}) do copy[k] = v end
  return copy
end

describe("parameters given as options", function()
  helper.for_each_device(function()
    local function samples()
      local g = cuda.random.generator(5)
      return g:normal(12):sort(), g:normal { 4, 4 }, g:normal(3)
    end

    it("have the same effect as by position", function()
      for _, row in ipairs(forms(samples())) do
        local name, param, _, values = table.unpack(row, 1, 4)
        local fn, before = cuda[name], { table.unpack(row, 5) }
        for _, value in ipairs(values) do
          for _, more in ipairs { false, MORE[name] or {} } do
            local list = table.move(before, 1, #before, 1, {})
            list[#list + 1] = value
            if more then list[#list + 1] = more end
            local want = results(fn(table.unpack(list)))
            local kept = with(more or nil, param, value)
            list = table.move(before, 1, #before, 1, {})
            list[#list + 1] = kept
            assert.same(want, results(fn(table.unpack(list))), name)
            assert.is_true(kept[param] ~= nil, "the caller's table is left as it is")
          end
        end
      end
    end)

    it("work in methods", function()
      local x, m = samples()
      assert.same(x:diff(2):totable(), x:diff({ n = 2 }):totable())
      assert.same(x:pad(1, "edge"):totable(), x:pad(1, { mode = "edge" }):totable())
      assert.same(m:expand_dims({ axis = -1 }).shape, m:expand_dims(-1).shape)
      assert.same(x:round(1):totable(), x:round({ decimals = 1 }):totable())
      assert.same(x:norm(1), x:norm { ord = 1 })
      assert.same(x:clip(-1, 1):totable(), x:clip({ lo = -1, hi = 1 }):totable())
      assert.same(x:clip(nil, 1):totable(), x:clip({ hi = 1 }):totable())
      local out = cuda.empty_like(x)
      assert.equal(out, x:clip(0, { out = out }))
      assert.same(x:clip(0):totable(), out:totable())
    end)

    it("can be given only once", function()
      for _, row in ipairs(forms(samples())) do
        local name, param, at, values = table.unpack(row, 1, 4)
        local list = { table.unpack(row, 5) }
        list[#list + 1] = values[1]
        list[#list + 1] = { [param] = values[1] }
        local text = "%s: '%s' is given twice, as argument %d and as an option"
        assert.equal(text:format(name, param, at), misuse(cuda[name], table.unpack(list)))
      end
    end)

    it("are called options in messages", function()
      local x, m = samples()
      local function refused(text, name, ...)
        assert.equal(name .. ": " .. text, misuse(cuda[name], ...))
      end
      refused("argument 2 'n': expected an integer, got string", "diff", x, "1")
      refused("option 'n': expected an integer, got string", "diff", x, { n = "1" })
      refused("option 'n': -1 is negative", "diff", x, { n = -1 })
      refused("option 'k': expected an integer, got 1.5", "rot90", m, { k = 1.5 })
      refused("option 'k': expected an integer, got true", "tril", m, { k = true })
      refused("option 'offset': expected an integer, got string", "diagonal", m, { offset = "1" })
      refused("option 'axis': 4 is not an axis of an array of 3 axes", "expand_dims", m,
        { axis = 4 })
      refused("option 'n': expected 0 or more, got -1", "logspace", 0, 1, { n = -1 })
      refused("option 'n': expected 0 or more, got -1", "linspace", 0, 1, { n = -1 })
      refused("option 'count': expected 0 or more, got -1", "memset", x, 1, { count = -1 })
      refused("option 'decimals': expected an integer from -18 to 18, got 1.5", "round", x,
        { decimals = 1.5 })
      refused("option 'decimals': expected an integer from -18 to 18, got string", "round", x,
        { decimals = "1" })
      refused("argument 2 'bins': expected an integer from 1 on, got 0", "histogram", x, 0)
      assert.matches("^pad: option 'mode': expected 'constant'", misuse(cuda.pad, x, 1,
        { mode = "mean" }))
      assert.matches("^pad: argument 3 'mode': expected 'constant'", misuse(cuda.pad, x, 1, "mean"))
      assert.matches("^convolve: argument 3 'mode': expected 'full'", misuse(cuda.convolve, x, x,
        "all"))
      assert.matches("^searchsorted: argument 3 'side': expected", misuse(cuda.searchsorted, x, 1,
        "up"))
      assert.matches("^tensordot: argument 3 'axes': ", misuse(cuda.tensordot, m, m, 5))
      assert.matches("^norm: argument 2 'ord': ", misuse(cuda.norm, m, 7))
    end)
  end)
end)

describe("values that belong in the options", function()
  before_each(function() cuda.use "cpu" end)

  it("raise an error that shows where they belong", function()
    local x, m, s = cuda.arange(5, "float32"), cuda.ones { 3, 4 }, cuda.stream()
    local i = cuda.array({ 1, 2 }, "int64")
    local function told(example, got, name, ...)
      assert.equal(("%s: expected a table of options such as { %s }, got %s"):format(name, example,
        got), misuse(cuda[name], ...))
    end
    for name in ("sum mean var max argmax any cumsum sort argsort flip squeeze median average ptp "
      .. "softmax logsumexp nansum count_nonzero"):gmatch "%S+" do
      told("axis = ...", "1", name, m, 1)
    end
    told("axis = ...", "2", "concatenate", { m, m }, 2)
    told("axis = ...", "1", "stack", { m, m }, 1)
    told("axis = ...", "1", "split", m, 3, 1)
    told("axis = ...", "1", "roll", x, 1, 1)
    told("axis = ...", "1", "rep", x, 2, 1)
    told("axis = ...", "1", "take", x, i, 1)
    told("axis = ...", "1", "compress", x, x:gt(1), 1)
    told("axis = ...", "1", "quantile", x, 0.5, 1)
    told("axis = ...", "1", "partition", x, 2, 1)
    told("axis = ...", "1", "topk", x, 2, 1)
    told("axis = ...", "1", "diff", x, 1, 1)
    told("axis = ...", "1", "scatter_add", x, i, 1, 1)
    told("weights = ...", "array", "bincount", i, x)
    told("spacing = 2", "2", "gradient", x, 2)
    told("x = ...", "array", "trapezoid", x, x)
    told("right = true", "true", "digitize", x, { 1, 2 }, true)
    told("rtol = 0.5", "0.5", "allclose", x, x, 0.5)
    told("nan = 0", "0", "nan_to_num", x, 0)
    told("return_index = true", "true", "unique", x, true)
    told("constant_values = 3", "3", "pad", x, 1, "constant", 3)
    told("out = ...", "array", "dot", x, x, x)
    told("out = ...", "array", "sum", x, x)
    told("dtype = 'float64'", "string", "sum", x, "float64")
    told("stream = ...", "stream", "sort", x, s)
    told("stream = ...", "Stream", "copy", x, x, s)
    told("rowvar = true", "true", "cov", x, x, true)
    told("delimiter = ','", "string", "load_csv", "no.csv", ",")
    told("limit = 3", "3", "profile", print, 3)
    told("timing = ...", "boolean", "event", true)
  end)

  it("raise an error that shows the call after the last parameter", function()
    local m = cuda.ones { 3, 4 }
    for text, call in pairs {
      ["mean: too many arguments: cuda.mean(a [, { axis =, keepdims =, out =, dtype =, segments =, "
        .. "stream = }])"] = { cuda.mean, m, 1, "float64" },
      ["mean: too many arguments: array:mean([{ axis =, keepdims =, out =, dtype =, segments =, "
        .. "stream = }])"] = { m.mean, m, 1, "float64" },
      ["isclose: too many arguments: cuda.isclose(a, b [, { rtol =, atol =, equal_nan =, out =, "
        .. "stream = }])"] = { cuda.isclose, m, m, 1e-3, 1e-3 },
      ["diagonal: too many arguments: array:diagonal([offset] [, { axis1 =, axis2 =, offset = "
        .. "}])"] = { m.diagonal, m, 0, 1, 2 },
      ["swapaxes: too many arguments: cuda.swapaxes(a, axis1, axis2)"] =
        { cuda.swapaxes, m, 1, 2, 3 },
    } do
      assert.equal(text, misuse(table.unpack(call)))
    end
  end)

  it("get an answer for the names of NumPy and CuPy", function()
    local x = cuda.arange(5, "float32")
    for text, call in pairs {
      ["load_csv: unknown option 'usecols': the option 'columns'"] =
        { cuda.load_csv, "no.csv", { usecols = { 1 } } },
      ["linspace: unknown option 'num': the option 'n'"] = { cuda.linspace, 0, 1, { num = 5 } },
      ["sort: unknown option 'kind': "] = { cuda.sort, x, { kind = "stable" } },
      ["normal: unknown option 'loc': the option 'mean'"] =
        { cuda.random.normal, 5, { loc = 1 } },
      ["benchmark: unknown option 'n_repeat': the option 'runs'"] =
        { cuda.benchmark, print, { n_repeat = 3 } },
    } do
      helper.contains(misuse(table.unpack(call)), text)
    end
  end)
end)
