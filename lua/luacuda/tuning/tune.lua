-- tune.lua: cuda.tune: measures candidates and keeps the winner on disk.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local lists = require "luacuda.base.lists"
local measure = require "luacuda.tuning.measure"
local result = require "luacuda.tuning.result"
local search = require "luacuda.tuning.search"
local session = require "luacuda.tuning.session"
local spaces = require "luacuda.tuning.space"
local store = require "luacuda.tuning.store"
local text = require "luacuda.tuning.result_text"

local fail = arguments.fail

-- Options -----------------------------------------------------------------------------------------

-- Those of a search, which kernel:tune has as well.
local COMMON = { "check", "reset", "key", "metrics", "minimize", "maximize", "budget_ms",
  "strategy", "candidates", "seed", "runs", "warmup", "refresh", "cache", "cache_dir", "observe",
  "stream" }
local OPTIONS = table.move(COMMON, 1, #COMMON, 5, { "name", "space", "where", "make" })

local FEW = 256 -- points of which all are measured, and candidates of other searches

local function function_option(what, opts, name)
  if opts[name] ~= nil then
    core._check_callable(opts[name], ("%s: option '%s'"):format(what, name))
  end
  return opts[name]
end

local function text_option(what, opts, name)
  local value = opts[name]
  if value == nil then return nil end
  if type(value) ~= "string" or value == "" then
    fail(what, "option '%s': expected a string, got %s", name,
      value == "" and "an empty one" or arguments.describe(value))
  end
  return arguments.whole_text(what, ("option '%s'"):format(name), value)
end

local function budget_of(what, opts)
  local value = opts.budget_ms
  if value == nil then return nil end
  if math.type(value) == nil or value ~= value or value <= 0 then
    fail(what, "option 'budget_ms': expected milliseconds above 0, got %s",
      arguments.describe(value))
  end
  return value + 0.0
end

-- The option key as text: a string, a number, a boolean or a list of them.
local function key_of(what, opts)
  local key = opts.key
  if key == nil then return nil end
  local items = type(key) == "table" and key or { key }
  core.list_check(items, what .. ": option 'key'")
  for _, item in ipairs(items) do
    local kind = type(item)
    if kind ~= "string" and kind ~= "number" and kind ~= "boolean" then
      fail(what, "option 'key': expected strings, numbers or booleans, got %s",
        arguments.describe(item))
    end
  end
  return spaces.text_of(key)
end

local function read_objective(what, opts, job)
  local least, most = text_option(what, opts, "minimize"), text_option(what, opts, "maximize")
  if least and most then fail(what, "options 'minimize' and 'maximize' exclude each other") end
  job.objective, job.maximize = least or most, most ~= nil
  if job.objective and not job.metrics then
    fail(what, "option '%s' needs the option 'metrics'", most and "maximize" or "minimize")
  end
end

local function read_strategy(what, opts, job)
  local strategy, list = text_option(what, opts, "strategy"), job.space:list()
  if list and #list == 0 then
    fail(what, "option 'where': it allows none of the %d points", job.space.size)
  end
  local few = list and #list <= FEW
  job.strategy = strategy or (few and not opts.candidates) and "all" or "halving"
  local known = search.STRATEGIES
  if not (lists.same({ job.strategy }, { known[1] }) or job.strategy == known[2]
    or job.strategy == known[3]) then
    fail(what, "option 'strategy': expected 'all', 'halving' or 'random', got '%s'", strategy)
  end
  if job.strategy ~= "all" then return end
  if not list then
    fail(what, "option 'strategy': 'all' is for small spaces, and this one has %d points: use "
      .. "'halving'", job.space.size)
  end
  job.candidates = math.maxinteger
end

local function stream_of(what, opts, device)
  local stream = opts.stream or device.stream
  if stream.device ~= device then
    fail(what, "option 'stream': the stream belongs to %s, the work to %s", stream.device.label,
      device.label)
  end
  return stream
end

-- Options of searches -> job, without name, space and make.
local function read_common(what, opts)
  local device = core.device()
  local job = { what = what, device = device, stream = stream_of(what, opts, device),
    budget_ms = budget_of(what, opts), key = key_of(what, opts),
    candidates = arguments.count(what, opts, "candidates", 1, 1000000) or FEW,
    seed = arguments.count(what, opts, "seed", math.mininteger, math.maxinteger) or 1,
    runs = arguments.count(what, opts, "runs", 1, 1000000),
    warmup = arguments.count(what, opts, "warmup", 0, 1000000) or 1,
    refresh = arguments.boolean(what, opts, "refresh"),
    cache = arguments.boolean(what, opts, "cache"),
    cache_dir = text_option(what, opts, "cache_dir") }
  for _, name in ipairs { "check", "reset", "metrics", "observe" } do
    job[name] = function_option(what, opts, name)
  end
  read_objective(what, opts, job)
  return job
end

-- Searching ---------------------------------------------------------------------------------------

-- The result on disk; nil where it is missing, is of a smaller search, or of other kernels.
local function kept_result(job, record)
  if not record or not store.covers(record, job) then return nil end
  local winner = record.rows[record.winner]
  if type(winner) ~= "table" or winner.state ~= "ok" then return nil end
  local probe = { parameters = winner.parameters }
  local run = measure.make(job, probe)
  if not run or probe.code ~= winner.code then return nil end
  return result.new(job, { rows = record.rows, winner = winner, run = run, cached = true,
    elapsed_ms = 0 })
end

local function fail_all(job, found)
  if #found.rows == 0 then
    fail(job.what, "option 'where': it allows none of the points drawn from %d", job.space.size)
  end
  local lines = text.failures(found.rows, function(row) return job.space:text(row.parameters) end)
  error(core.error{ kind = "runtime", name = "LUACUDA_ERROR_TUNE", call = job.what,
    message = ("%s: %s: none of %d candidates could be measured:\n  %s"):format(job.what, job.name,
      #found.rows, table.concat(lines, "\n  ")) }, 0)
end

local function search_now(job, record)
  local found = session.run(job, record and record.rows)
  if not found.winner then fail_all(job, found) end
  if found.lost and warn then warn("luacuda: ", job.what, ": ", found.stopped) end
  found.cached = false
  found.run = not found.lost and measure.make(job, { parameters = found.winner.parameters })
  return result.new(job, found)
end

-- run(job) -> Tuning; job: of read_common, with name, space, make and identity (text of what else
-- the winner depends on, or nil)
local function run(job)
  core.check_wait(job.what)
  local record = store.load(job)
  local function go() return kept_result(job, record) or search_now(job, record) end
  return core.with_stream(job.stream, go)
end

-- complete(job, opts, axes, where) adds the space and the strategy.
local function complete(job, opts, axes, where)
  job.space = spaces.read(job.what, axes, where)
  read_strategy(job.what, opts, job)
  return job
end

-- cuda.tune{ name =, space =, make =, ... } -> Tuning
local function tune(opts, ...)
  if select("#", ...) > 0 then fail("tune", "too many arguments") end
  if type(opts) ~= "table" then
    fail("tune", "expected a table of options, got %s", arguments.describe(opts))
  end
  opts = arguments.options("tune", opts, OPTIONS)
  for _, name in ipairs { "name", "space", "make" } do
    if opts[name] == nil then fail("tune", "option '%s' is missing", name) end
  end
  local job = read_common("tune", opts)
  job.name = text_option("tune", opts, "name")
  job.make = function_option("tune", opts, "make")
  return run(complete(job, opts, opts.space, function_option("tune", opts, "where")))
end

return { tune = tune, run = run, read_common = read_common, complete = complete, COMMON = COMMON }
