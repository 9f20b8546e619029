-- Winners of cuda.tune on disk: when they are used, when measured again, and damaged files.
local helper = require "spec.helper"
local cuda = require "luacuda"
local tuning = require "spec.support.tuning"

local function cost(p) return 1 + math.abs(p.A - 3) end

-- Searches in a folder with made-up times; returns the result and the number of measured
-- candidates. `make`: in place of the usual one, given the usual one.
local function search(dir, options, make)
  local result, measured = nil, 0
  options.name, options.cache_dir = options.name or "test", dir
  options.space = options.space or { A = { 1, 2, 3, 4, 5, 6 } }
  local observe = options.observe
  options.observe = function(...)
    measured = measured + 1
    if observe then observe(...) end
  end
  tuning.with_times(options.cost or cost, function(made)
    options.cost = nil
    options.make = make and make(made.candidate) or made.candidate
    result = cuda.tune(options)
  end)
  return result, measured
end

local function files_of(dir)
  local list = {}
  local pipe = assert(io.popen("find '" .. dir .. "' -type f"))
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

helper.for_each_device(function()
  local dir
  before_each(function() dir = helper.tmpdir() end)

  it("is kept with its whole table", function()
    local first, count = search(dir, {})
    assert.equal(6, count)
    assert.is_false(first.cached)
    local again, none = search(dir, {})
    assert.equal(0, none)
    assert.is_true(again.cached)
    assert.same({ A = 3 }, again.best)
    assert.equal(first.ms, again.ms)
    assert.same(first.rows, again.rows)
    assert.is_function(again.run)
    assert.equal(1, #files_of(dir))
  end)

  it("is measured again for another name, key, space, objective or code", function()
    local metrics = function(_, ms) return { rate = ms } end
    search(dir, { metrics = metrics })
    for _, options in ipairs {
      { name = "other" }, { key = "k" }, { key = { 3, 4 } }, { key = { 3, 5 } }, { refresh = true },
      { space = { A = { 1, 2, 3, 4, 5 } } }, { space = { A = { 1, 2, 3, 4, 5, 6.0 } } },
      { where = function(p) return p.A > 1 end }, { where = function(p) return p.A > 2 end },
      { metrics = metrics, maximize = "rate" }, { metrics = metrics, minimize = "rate" },
    } do
      local text = next(options)
      local result, count = search(dir, options)
      assert.is_false(result.cached, text)
      assert.is_true(count > 0)
      options.refresh = nil
      assert.is_true(search(dir, options).cached, text)
    end
    local function other(candidate)
      return function(p)
        local unused = "another text"
        return unused and candidate(p)
      end
    end
    assert.is_false(search(dir, {}, other).cached)
    assert.is_true(search(dir, {}, other).cached)
  end)

  it("is measured again when the kernels that make makes have changed", function()
    local source, header, define = "__global__ void k() { }", "int a;", 1
    local function with_kernel(candidate)
      return function(p)
        cuda.kernel{ source = '#include "h.h"\n' .. source, headers = { ["h.h"] = header },
          defines = { B = define } }
        return candidate(p)
      end
    end
    local function is_new()
      local result, count = search(dir, {}, with_kernel)
      assert.equal(result.cached and 0 or 6, count)
      assert.is_true(search(dir, {}, with_kernel).cached)
      return not result.cached
    end
    assert.is_true(is_new())
    assert.is_false(is_new())
    source = source .. " // changed"
    assert.is_true(is_new())
    header = "int b;"
    assert.is_true(is_new())
    define = 2
    assert.is_true(is_new())
    assert.equal(1, #files_of(dir))
  end)

  it("of kernel:tune is measured again for another kernel, launch or shape", function()
    local x, y = cuda.zeros(64), cuda.zeros{ 8, 8 }
    local function is_new(text, launch, argument)
      local k = cuda.kernel("__global__ void k(float *x, int n) { " .. text .. " }")
      launch.blocks, launch.cache_dir, launch.runs, launch.warmup = { 32, 64 }, dir, 1, 0
      local first = k:tune(launch, argument, 3)
      assert.is_true(k:tune(launch, argument, 3).cached)
      return not first.cached
    end
    assert.is_true(is_new("x[0] = n;", { threads = 64 }, x))
    assert.is_false(is_new("x[0] = n;", { threads = 64 }, x))
    assert.is_true(is_new("x[1] = n;", { threads = 64 }, x))
    assert.is_true(is_new("x[0] = n;", { threads = 60 }, x))
    assert.is_true(is_new("x[0] = n;", { threads = { 64, 1 } }, x))
    assert.is_true(is_new("x[0] = n;", { threads = 64, shared = 64 }, x))
    assert.is_true(is_new("x[0] = n;", { threads = 64 }, y))
    assert.is_true(is_new("x[0] = n;", { threads = 64, key = "other" }, x))
  end)

  it("has no rows that a later search did not reach", function()
    local values = {}
    for i = 1, 300 do values[i] = i end
    local function with(strategy, candidates)
      return search(dir, { space = { A = values }, strategy = strategy, candidates = candidates,
        cost = function(p) return 1000 + p.A end })
    end
    with("random", 50)
    local result = with("halving", 60)
    assert.is_false(result.cached)
    assert.is_true(#result.rows <= 60)
  end)

  it("is kept in parts while the search runs, now and then", function()
    local function costs(unit) return function(p) return unit * p.A end end
    local copy = helper.tmpdir()
    search(dir, { cost = costs(3000), observe = function(_, done)
      if done == 5 then os.execute(("cp -r %s/. %s"):format(dir, copy)) end
    end })
    assert.equal(2, select(2, search(copy, { cost = costs(3000) })))
    local quick, early = helper.tmpdir(), nil
    search(quick, { cost = costs(0.01), observe = function() early = #files_of(quick) end })
    assert.equal(0, early)
    assert.equal(1, #files_of(quick))
  end)

  it("is not kept where that is not wanted", function()
    search(dir, { cache = false })
    assert.same({}, files_of(dir))
    search(dir, {})
    assert.equal(6, select(2, search(dir, { cache = false })))
  end)

  it("is looked for on with more time or more candidates", function()
    local values = {}
    for i = 1, 40 do values[i] = i end
    local function run(budget, observe)
      return search(dir, { space = { A = values }, budget_ms = budget, observe = observe,
        cost = function(p) return 100 + p.A end })
    end
    local small = run(5000)
    assert.matches("5000 ms was used up", small.stopped)
    assert.is_true(run(5000).cached)
    assert.is_true(run(4000).cached)
    local known, again, new = {}, 0, 0
    for _, row in ipairs(small.rows) do known[row.parameters.A] = row.state == "ok" end
    assert.is_false(run(12000, function(row)
      if known[row.parameters.A] then again = again + 1 else new = new + 1 end
    end).cached)
    assert.is_true(new > 10 and again <= 3) -- those that are nearly the best
    local whole = run(nil)
    assert.is_false(whole.cached)
    assert.same({ A = 1 }, whole.best)
    assert.equal(40, #whole.rows)
    assert.is_true(run(nil).cached)
    assert.is_true(run(1).cached)

    local function wide(candidates)
      return search(dir, { name = "wide", space = { A = values }, candidates = candidates,
        cost = function(p) return 100 + p.A end })
    end
    local _, ten = wide(10)
    assert.is_true(wide(10).cached)
    assert.is_true(wide(5).cached)
    local more_of_them, twenty = wide(20)
    assert.is_false(more_of_them.cached)
    assert.is_true(ten > 0 and twenty > 0)
  end)

  it("is continued after an interruption", function()
    local ok = pcall(search, dir, { observe = function(_, done)
      if done == 4 then error("interrupted!", 0) end
    end })
    assert.is_false(ok)
    local result, count = search(dir, {})
    assert.is_false(result.cached)
    assert.equal(6, #result.rows)
    assert.is_true(count < 6)
    assert.same({ A = 3 }, result.best)
    assert.is_true(search(dir, {}).cached)
  end)

  it("does not survive damage, and damage breaks nothing", function()
    local rng = helper.random(1)
    search(dir, {})
    local path = files_of(dir)[1]
    local whole = helper.read_file(path)
    for i = 1, 40 do
      local bytes
      if i % 2 == 0 then bytes = whole:sub(1, rng(#whole))
      else
        local at = 1 + rng(#whole)
        bytes = whole:sub(1, at - 1) .. string.char(whole:byte(at) ~ (1 << rng(8)))
          .. whole:sub(at + 1)
      end
      helper.write_file(path, bytes)
      local result, count = search(dir, {})
      assert.is_false(result.cached)
      assert.equal(6, count)
      assert.same({ A = 3 }, result.best)
      assert.is_true(search(dir, {}).cached)
    end
  end)

  it("is not taken from files that hold something else", function()
    local cache = require "luacuda.compile.cache"
    search(dir, {})
    local path = files_of(dir)[1]
    local key = path:match "(%x%x/%x+)$":gsub("/", "")
    for _, value in ipairs { 1, "x", {}, { rows = 3 }, { rows = { 1, 2 } },
      { rows = { { parameters = 1, state = "ok" } } },
      { rows = {}, winner = 1, finished = true, candidates = 1 << 40, budget_ms = math.huge },
      { rows = { { parameters = {}, state = "ok" } }, winner = 1, finished = true,
        candidates = math.maxinteger, budget_ms = math.huge },
      { rows = {}, winner = "x", finished = 1, candidates = "x", budget_ms = {} },
    } do
      cache.write(key, value, dir)
      local result = search(dir, {})
      assert.is_false(result.cached)
      assert.same({ A = 3 }, result.best)
      assert.equal(6, #result.rows)
    end
  end)

  it("does not matter where nothing can be written", function()
    helper.write_file(dir .. "/file", "")
    local result = search(dir .. "/file", {})
    assert.same({ A = 3 }, result.best)
  end)

  it("measures failures again only when it is told to", function()
    local broken = true
    local function sometimes(candidate)
      return function(p)
        return function()
          if p.A == 5 and broken then error("broken", 0) end
          candidate(p)()
        end
      end
    end
    local result = search(dir, {}, sometimes)
    assert.equal("failed", result.rows[6].state)
    broken = false
    assert.equal("failed", search(dir, {}, sometimes).rows[6].state)
    assert.equal("ok", search(dir, { refresh = true }, sometimes).rows[6].state)
  end)
end)

describe("the folder of the cache", function()
  it("has winners of other processes, and cuda.cache.clear removes them", function()
    local dir = helper.tmpdir()
    local function run(after)
      local ok, out = helper.lua([[
        local cuda = require "luacuda"
        cuda.use "cpu"
        local k = cuda.kernel "__global__ void k(float *x, int n) { if (n > 0) x[0] = 1; }"
        local r = k:tune({ threads = 64, blocks = { 32, 64 } }, cuda.zeros(1), 64)
        print(r.cached, #r.rows)
      ]] .. (after or ""), { env = { LUACUDA_CACHE_DIR = dir } })
      assert.is_true(ok, out)
      return out
    end
    assert.equal("false\t2\n", run())
    assert.equal("true\t2\n", run())
    assert.equal("true\t2\n", run "cuda.cache.clear()")
    assert.equal("false\t2\n", run())
  end)
end)
