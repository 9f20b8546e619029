-- cuda.tune: what is measured, how, and what comes back. Most tests make the times up
-- (spec/support/tuning.lua).
local helper = require "spec.helper"
local cuda = require "luacuda"
local tuning = require "spec.support.tuning"

local with_times, misuse = tuning.with_times, helper.misuse

local SOURCE = [[
__global__ void twice(const float *x, float *y, int n) {
  for (int k = 0; k < PER; k++) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * PER + k;
    if (i < n) y[i] = FACTOR * x[i];
  }
}]]

-- cuda.tune without the disk.
local function tune(options)
  options.cache = false
  options.name = options.name or "test"
  return cuda.tune(options)
end

-- Row of a result with these parameters.
local function row_of(result, p)
  local text = table.concat(tuning.words(p), " ")
  for _, row in ipairs(result.rows) do
    if table.concat(tuning.words(row.parameters), " ") == text then return row end
  end
end

helper.for_each_device(function(device, name)
  it("measures kernels, and keeps failures with their reasons", function()
    local n = 5000
    local x, y = cuda.arange(n, "float32"), cuda.zeros(n)
    local resets, checks = 0, 0
    local r = tune{ name = "twice",
      space = { BLOCK = { 64, 128, 4096 }, PER = { 1, 2 }, KIND = { "good", "wrong", "broken" } },
      where = function(p) return p.KIND == "good" or p.BLOCK == 64 end,
      make = function(p)
        if p.KIND == "broken" and p.PER == 2 then return nil, "not for two" end
        local k = cuda.kernel(p.KIND == "broken" and "__global__ void twice() { wrong; }" or SOURCE,
          { defines = { PER = p.PER, FACTOR = p.KIND == "good" and 2 or 3 } })
        local f = k:prepare{ threads = (n + p.PER - 1) // p.PER, block = p.BLOCK }
        return function() f(x, y, n) end
      end,
      reset = function()
        resets = resets + 1
        y:fill(0)
      end,
      check = function(p)
        checks = checks + 1
        if p.PER == 1 then return y:equals(x * 2) end
        assert(y:equals(x * 2), "not twice")
      end }
    assert.equal("twice", r.name)
    assert.equal(name, r.device)
    assert.equal(10, r.size)
    assert.equal(10, #r.rows)
    assert.is_false(r.cached)
    assert.is_false(r.stopped)
    assert.equal("good", r.best.KIND)
    assert.equal(r.rows[1].ms, r.ms)
    assert.same(r.rows[1].parameters, r.best)
    for i = 1, 4 do
      local row = r.rows[i]
      assert.equal("ok", row.state)
      assert.is_true(row.ms >= row.min_ms and row.min_ms >= 0 and row.runs >= 1)
      if i > 1 then assert.is_true(row.ms >= r.rows[i - 1].ms) end
    end
    local wrong = row_of(r, { BLOCK = 64, PER = 1, KIND = "wrong" })
    assert.same({ "wrong", "check returned false" }, { wrong.state, wrong.reason })
    helper.contains(row_of(r, { BLOCK = 64, PER = 2, KIND = "wrong" }).reason, "not twice")
    local broken = row_of(r, { BLOCK = 64, PER = 1, KIND = "broken" })
    assert.equal("failed", broken.state)
    helper.contains(broken.reason, "wrong")
    local declined = row_of(r, { BLOCK = 64, PER = 2, KIND = "broken" })
    assert.same({ "skipped", "not for two" }, { declined.state, declined.reason })
    local large = row_of(r, { BLOCK = 4096, PER = 1, KIND = "good" })
    assert.equal("failed", large.state)
    helper.contains(large.reason, "4096")
    assert.equal(6, checks)
    assert.is_true(resets >= 6)
    y:fill(0)
    r.run()
    assert.is_true(y:equals(x * 2))
  end)

  it("runs everything on its stream", function()
    local s <close> = cuda.stream()
    local seen = {}
    local function note(what) seen[what] = device.stream == s end
    tune{ space = { A = { 1 } }, stream = s, make = function()
      note "make"
      return function() note "run" end
    end, reset = function() note "reset" end, check = function() note "check" end }
    assert.same({ make = true, run = true, reset = true, check = true }, seen)
    assert.not_equal(s, device.stream)
  end)

  it("kernel:tune finds a block", function()
    local k = cuda.kernel(SOURCE, { defines = { PER = 1, FACTOR = 2 } })
    local n = 3000
    local x, y = cuda.arange(n, "float32"), cuda.zeros(n)
    local r = k:tune({ threads = n, cache = false, check = function() return y:equals(x * 2) end },
      x, y, n)
    assert.equal("twice", r.name)
    assert.is_true(math.type(r.best.block) == "integer")
    assert.is_true(#r.rows >= 8)
    for _, row in ipairs(r.rows) do assert.equal("ok", row.state, row.reason) end
    y:fill(0)
    r.run()
    k({ threads = n, block = r.best.block }, x, y, n)
    assert.is_true(y:equals(x * 2))
    local bounded = cuda.kernel("__launch_bounds__(128) " .. SOURCE:gsub("PER", "1")
      :gsub("FACTOR", "2"))
    for _, threads in ipairs { n, { n, 1 }, { n, 1, 1 } } do
      local few = bounded:tune({ threads = threads, cache = false, runs = 1, warmup = 0 }, x, y, n)
      assert.is_true(#few.rows >= 4)
      for _, row in ipairs(few.rows) do
        local block = row.parameters.block
        if type(block) == "table" then
          assert.equal(#threads, #block)
          assert.is_true(block[1] >= 8)
          block = block[1] * block[2] * (block[3] or 1)
        end
        assert.is_true(block <= 128 and block >= 32)
        assert.equal("ok", row.state, row.reason)
      end
    end
    local square = k:tune({ threads = { n, 1 }, cache = false, runs = 1, warmup = 0,
      blocks = { { 64, 2 }, { 32, 4 } } }, x, y, n)
    assert.equal(2, #square.rows)
    assert.equal(2, #square.best.block)
  end)

  it("kernel:tune finds a block for a kernel written in Lua", function()
    local factor = 2
    local k = cuda.jit(function(x, y)
      for i in grid(#x) do y[i] = factor * x[i] end -- luacheck: ignore grid
    end)
    local x, y = cuda.arange(3000, "float32"), cuda.zeros(3000)
    local launch = { threads = #x, cache = false, runs = 1, blocks = { 64, 128, 256 },
      reset = function() y:fill(0) end, check = function() return y:equals(x * factor) end }
    local r = k:tune(launch, x, y)
    assert.equal("k", r.name)
    assert.equal(3, #r.rows)
    for _, row in ipairs(r.rows) do assert.equal("ok", row.state, row.reason) end
    y:fill(0)
    r.run()
    assert.is_true(y:equals(x * 2))
    assert.equal("kernel:tune: launch: 'threads' is missing", misuse(k.tune, k, {}, x, y))
    helper.contains(misuse(k.tune, k, { threads = 1 }, x), "the function takes 2 arguments")
  end)
end)

describe("measurements", function()
  before_each(function() cuda.use "cpu" end)

  it("decide: the candidate with the lowest median wins", function()
    with_times(function(p) return 1 + math.abs(p.A - 4) + p.B / 10 end, function(made)
      local r = tune{ space = { A = { 1, 2, 3, 4, 5 }, B = { 3, 1, 2 } }, make = made.candidate }
      assert.same({ A = 4, B = 1 }, r.best)
      assert.equal(1.1, r.ms)
      assert.equal(15, #r.rows)
      for _, row in ipairs(r.rows) do
        local want = 1 + math.abs(row.parameters.A - 4) + row.parameters.B / 10
        assert.is_true(math.abs(row.ms - want) < 1e-12)
      end
    end)
  end)

  it("run on the stream of the search, and warm up only on request", function()
    local s <close> = cuda.stream()
    with_times(function() return 1 end, function(made)
      tune{ space = { A = { 1 } }, make = made.candidate, stream = s }
      for _, one in ipairs(made.series) do
        assert.equal(s, one.stream)
        assert.equal(0, one.warmup)
      end
      assert.equal(2, #made.series)
    end)
  end)

  it("are as many as the time allows, or as many as asked for", function()
    local function runs(ms, options)
      local row
      with_times(function() return ms end, function(made)
        options.space, options.make = { A = { 1 } }, made.candidate
        row = tune(options).rows[1]
      end)
      return row.runs
    end
    assert.equal(3, runs(1000, {}))
    assert.equal(4, runs(10, {}))
    assert.equal(40, runs(1, {}))
    assert.equal(50, runs(0.1, {}))
    assert.equal(7, runs(1, { runs = 7 }))
    assert.equal(7, runs(1000, { runs = 7 }))
  end)

  it("of short work are of several calls in a row", function()
    with_times(function() return 0.002 end, function(made)
      local r = tune{ space = { A = { 1 } }, make = made.candidate }
      assert.equal(1, made.series[1].in_a_row)
      assert.equal(25, made.series[2].in_a_row)
      assert.is_true(math.abs(r.ms - 0.002) < 1e-9)
      assert.equal(50 * 25, r.rows[1].runs)
    end)
  end)

  it("that vary are repeated, and the lower median counts", function()
    with_times(function(_, number)
      if number == 2 then return 9, 5 end
      return number == 3 and 6 or 7, number == 3 and 0.1 or 0
    end, function(made)
      local r = tune{ space = { A = { 1 } }, make = made.candidate }
      assert.equal(6, r.ms)
      assert.equal(1, r.rows[1].repeats)
      assert.equal(3, #made.series)
    end)
    with_times(function() return 9, 5 end, function(made)
      assert.equal(2, tune{ space = { A = { 1 } }, make = made.candidate }.rows[1].repeats)
    end)
  end)

  it("of hopeless candidates are two runs", function()
    with_times(function(p, number) return p.A == 2 and number == 1 and 100 or p.A end,
      function(made)
        local r = tune{ space = { A = { 1, 2, 3.9, 4.1, 50 } }, make = made.candidate }
        local runs = {}
        for i, row in ipairs(r.rows) do runs[i] = row.runs end
        assert.same({ 40, 20, 10, 2, 2 }, runs)
      end)
  end)

  it("of candidates that are nearly the best are repeated with care", function()
    with_times(function(p, number)
      if p.A == 1 then return number > 2 and 2 or 1 end
      return p.A == 2 and 1.05 or 3
    end, function(made)
      local r = tune{ space = { A = { 1, 2, 3 } }, make = made.candidate }
      assert.same({ A = 2 }, r.best)
      assert.equal(100, row_of(r, { A = 2 }).runs)
      assert.equal(2, row_of(r, { A = 1 }).ms)
    end)
  end)

  it("give metrics, one of which may decide", function()
    local function run(options)
      local r
      with_times(function(p) return p.A end, function(made)
        options.space, options.make = { A = { 1, 2, 3, 4 } }, made.candidate
        options.metrics = function(p, ms)
          return { rate = ms == p.A and (ms == 3 and 100 or ms) or -1, watts = (p.A - 2) ^ 2 }
        end
        r = tune(options)
      end)
      return r
    end
    assert.same({ A = 1 }, run({}).best)
    local most = run { maximize = "rate" }
    assert.same({ A = 3 }, most.best)
    assert.equal(100, most.rows[1].metrics.rate)
    assert.equal(3, most.ms)
    assert.same({ A = 4 }, most.rows[2].parameters)
    assert.same({ A = 2 }, run { minimize = "watts" }.best)
  end)

  it("are told to an observer", function()
    with_times(function(p) return p.A end, function(made)
      local seen = {}
      tune{ space = { A = { 3, 5, 9 } }, make = made.candidate, observe = function(row, done, total)
        seen[#seen + 1] = { row.parameters.A, row.ms, done, total }
      end }
      assert.same({ { 3, 3, 1, 3 }, { 5, 5, 2, 3 }, { 9, 9, 3, 3 } }, seen)
    end)
  end)
end)

describe("a large search", function()
  before_each(function() cuda.use "cpu" end)

  local function range(n)
    local list = {}
    for i = 1, n do list[i] = i end
    return list
  end
  local SPACE = { A = range(30), B = range(30), C = range(10) }
  local function cost(p) return 1 + (p.A - 20) ^ 2 + (p.B - 5) ^ 2 + (p.C - 3) ^ 2 end

  it("finds the best with few candidates, the same for a seed", function()
    local function found(seed)
      local r
      with_times(cost, function(made)
        r = tune{ space = SPACE, make = made.candidate, candidates = 120, seed = seed }
      end)
      return r
    end
    local r = found(1)
    assert.same({ A = 20, B = 5, C = 3 }, r.best)
    assert.is_true(#r.rows <= 120)
    assert.equal(9000, r.size)
    assert.equal(r:text():gsub(" in [%d.]+ s", ""), found(1):text():gsub(" in [%d.]+ s", ""))
    assert.not_same(r.rows[#r.rows].parameters, found(2).rows[120].parameters)
  end)

  it("has the winner first, whatever a lucky look may have said", function()
    with_times(function(p, _, runs) -- of looks there are at most 10 runs
      if runs <= 10 and p.B % 2 == 0 then return 0.5 end
      return cost(p)
    end, function(made)
      local r = tune{ space = SPACE, make = made.candidate, candidates = 90 }
      assert.same(r.best, r.rows[1].parameters)
      assert.equal(cost(r.best), r.ms)
      local lucky = 0
      for _, row in ipairs(r.rows) do if row.ms == 0.5 then lucky = lucky + 1 end end
      assert.is_true(lucky > 0)
    end)
  end)

  it("ends when its time is used up, with what it has", function()
    for _, strategy in ipairs { "halving", "random" } do
      with_times(cost, function(made)
        local r = tune{ space = SPACE, make = made.candidate, budget_ms = 20000,
          strategy = strategy }
        assert.matches("budget of 20000 ms", r.stopped)
        assert.is_true(made.now >= 18000 and made.now < 25000)
        assert.is_table(r.best)
        for _, row in ipairs(r.rows) do assert.equal("ok", row.state) end
        local careful = false -- looks do not use up all the time
        for _, it in ipairs(made.series) do careful = careful or it.runs > 1 end
        assert.is_true(careful)
      end)
    end
  end)

  it("says which candidates the time did not suffice for", function()
    with_times(function() return 100 end, function(made)
      local r = tune{ space = { A = range(20) }, make = made.candidate, budget_ms = 1000 }
      local counts = { ok = 0, skipped = 0 }
      for _, row in ipairs(r.rows) do
        counts[row.state] = counts[row.state] + 1
        if row.state == "skipped" then assert.equal(r.stopped, row.reason) end
      end
      assert.equal(20, counts.ok + counts.skipped)
      assert.is_true(counts.ok >= 2 and counts.ok <= 4)
      helper.contains(r:text(), "the budget of 1000 ms was used up")
      assert.is_nil(r:text():find("skipped", 1, true))
    end)
  end)

  it("measures one candidate whatever the time", function()
    with_times(function() return 100 end, function(made)
      local r = tune{ space = { A = range(20) }, make = made.candidate, budget_ms = 1e-3 }
      assert.equal("ok", r.rows[1].state)
    end)
  end)
end)

describe("failures", function()
  before_each(function() cuda.use "cpu" end)

  it("of all candidates are an error that lists them", function()
    local ok, e = pcall(tune, { name = "none", space = { A = { 1, 2 } }, make = function(p)
      if p.A == 1 then return nil, "too small" end
      error("no A = 2", 0)
    end })
    assert.is_false(ok)
    assert.is_true(cuda.is_error(e, "runtime"))
    assert.equal("LUACUDA_ERROR_TUNE", e.name)
    assert.equal("tune: none: none of 2 candidates could be measured:\n  A=1: skipped: too small\n"
      .. "  A=2: failed: no A = 2", e.message)
  end)

  it("of the best candidate at its second measurement leave the others", function()
    for _, how in ipairs { "failed", "skipped" } do
      with_times(function(p) return 1 + p.A / 50 end, function(made)
        local makes = 0
        local r = tune{ space = { A = { 1, 2, 3 } }, make = function(p)
          if p.A == 1 then makes = makes + 1 end
          if makes == 1 or p.A > 1 then return made.candidate(p) end
          if how == "skipped" then return nil, "no longer" end
          error("no longer", 0)
        end }
        assert.equal(2, makes)
        assert.same({ A = 2 }, r.best)
        assert.equal(1.04, r.ms)
        local lost = row_of(r, { A = 1 })
        assert.same({ how, "no longer" }, { lost.state, lost.reason })
        assert.is_nil(lost.ms)
      end)
    end
  end)

  it("in a kernel do not stop the others on the CPU device", function()
    local k = cuda.kernel [[__global__ void k(float *x, int at) { x[at + threadIdx.x] = 1; }]]
    local x = cuda.zeros(64)
    local r = tune{ space = { AT = { 0, 64, 1 << 20, 32 } }, make = function(p)
      return function() k({ grid = 1, block = 32 }, x, p.AT) end
    end }
    assert.equal("ok", row_of(r, { AT = 0 }).state)
    assert.equal("ok", row_of(r, { AT = 32 }).state)
    for _, at in ipairs { 64, 1 << 20 } do
      assert.equal("failed", row_of(r, { AT = at }).state)
      helper.contains(row_of(r, { AT = at }).reason, "kernel")
    end
    x:fill(0)
    cuda.synchronize()
  end)

  it("do not hide a request to stop the program", function()
    local made = 0
    local ok, e = pcall(tune, { space = { A = { 1, 2, 3 } }, make = function()
      made = made + 1
      error "interrupted!"
    end })
    assert.is_false(ok)
    assert.matches("interrupted!$", e)
    assert.equal(1, made)
  end)

  it("of a GPU end the search there, and what was measured is kept", function()
    if not helper.fake_gpu then return end
    local dir = helper.tmpdir()
    local code = [[
      local cuda = require "luacuda"
      cuda.use(0)
      local k = cuda.kernel "__global__ void k(float *x, int at) { x[at + threadIdx.x] = 1; }"
      local x = cuda.zeros(64)
      local measured = 0
      local r = cuda.tune{ name = "fault", space = { AT = { 0, 1 << 28, 32 } }, make = function(p)
        return function() k({ grid = 1, block = 32 }, x, p.AT) end
      end, observe = function() measured = measured + 1 end }
      print(r.best.AT, r.stopped and "stopped" or "whole", r.run and "run" or "no run", measured)
      for _, row in ipairs(r.rows) do print(row.parameters.AT, row.state) end
    ]]
    local env = { LUACUDA_CACHE_DIR = dir }
    local ok, out = helper.lua(code, { env = env })
    assert.is_true(ok, out)
    assert.equal("0\tstopped\tno run\t2\n0\tok\n268435456\tfailed\n32\tskipped\n", out)
    ok, out = helper.lua(code, { env = env })
    assert.is_true(ok, out)
    assert.matches("\twhole\trun\t", out)
    helper.contains(out, "268435456\tfailed")
    helper.contains(out, "32\tok")
  end)
end)

describe("wrong arguments", function()
  before_each(function() cuda.use "cpu" end)

  local function make() return function() end end
  local function says(text, options, ...)
    assert.equal("tune: " .. text, misuse(cuda.tune, options, ...))
  end
  local function with(options)
    options.name, options.space = options.name or "x", options.space or { A = { 1 } }
    options.make, options.cache = options.make or make, false
    return options
  end

  it("of cuda.tune are refused", function()
    says("expected a table of options, got nil", nil)
    says("too many arguments", with {}, 1)
    says("unknown option 'spaces'; did you mean 'space'?", with { spaces = {} })
    says("option 'name' is missing", { space = { A = { 1 } }, make = make })
    says("option 'space' is missing", { name = "x", make = make })
    says("option 'make' is missing", { name = "x", space = { A = { 1 } } })
    says("option 'name': expected a string, got 3", with { name = 3 })
    says("option 'name': expected a string, got an empty one", with { name = "" })
    says("option 'where': expected a function, got integer", with { where = 3 })
    says("option 'make': expected a function, got integer", with { make = 3 })
    says("option 'where': it allows none of the 1 points", with { where = function() end })
    says("option 'runs': 0 is outside 1 to 1000000", with { runs = 0 })
    says("option 'seed': expected an integer, got 1.5", with { seed = 1.5 })
    says("option 'candidates': 0 is outside 1 to 1000000", with { candidates = 0 })
    says("option 'budget_ms': expected milliseconds above 0, got 0", with { budget_ms = 0 })
    says("option 'strategy': expected 'all', 'halving' or 'random', got 'best'",
      with { strategy = "best" })
    says("option 'key': expected strings, numbers or booleans, got function", with { key = print })
    says("options 'minimize' and 'maximize' exclude each other",
      with { minimize = "a", maximize = "b", metrics = function() return {} end })
    says("option 'maximize' needs the option 'metrics'", with { maximize = "a" })
    says("option 'refresh': expected a boolean, got 1", with { refresh = 1 })
    says("option 'stream': expected a Stream, got 1", with { stream = 1 })
  end)

  it("that functions return are refused", function()
    says("option 'make': expected a function as its result, got nil for A=1; return nil and a "
      .. "reason to skip a candidate", with { make = function() end })
    says("option 'metrics': expected a table as its result, got 3",
      with { metrics = function() return 3 end })
    says("option 'metrics': expected name = number, got a = string",
      with { metrics = function() return { a = "b" } end })
    says("option 'maximize': metrics gave no number 'rate'",
      with { maximize = "rate", metrics = function() return { rat = 1 } end })
  end)

  it("of large spaces are refused", function()
    local axes = {}
    for i = 1, 8 do axes["P" .. i] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } end
    says("option 'strategy': 'all' is for small spaces, and this one has 100000000 points: use "
      .. "'halving'", with { space = axes, strategy = "all" })
    says("option 'where': it allows none of the points drawn from 100000000",
      with { space = axes, where = function() return false end })
  end)

  it("of kernel:tune are refused", function()
    local k = cuda.kernel "__global__ void k(float *x) { x[0] = 1; }"
    local x = cuda.zeros(1)
    local function refuses(text, launch)
      assert.equal("kernel:tune: " .. text, misuse(k.tune, k, launch, x))
    end
    refuses("expected a launch table such as { threads = n } first, got nil", nil)
    refuses("launch: 'threads' is missing", {})
    refuses("launch: 'grid' is what the search chooses: give 'threads', and blocks to try in "
      .. "'blocks'", { grid = 1, block = 1 })
    refuses("launch: unknown option 'block_sizes'", { threads = 1, block_sizes = {} })
    refuses("option 'space': 'block': expected a list of values, got 3: { 3 } has one value",
      { threads = 1, blocks = 3 })
  end)

  it("are told inside cuda.no_sync", function()
    local ok, e = pcall(cuda.no_sync, function() cuda.tune(with {}) end)
    assert.is_false(ok)
    assert.matches("waits for the device, which cuda.no_sync forbids", tostring(e))
  end)
end)
