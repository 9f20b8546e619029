-- tile_tuning.lua: k:tune: the fastest values of the options of cuda.tiled that are lists.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local attempt = require "luacuda.tuning.attempt"
local block_size = require "luacuda.tuning.block_size"
local lists = require "luacuda.base.lists"
local tiled = require "luacuda.tiles.tiled"
local tuning = require "luacuda.tuning.tune"

local fail = arguments.fail

local WHAT = "tiled:tune"

local LAUNCH = { "tiles", "programs", "stream", "ordered", "cooperative", "cluster", "programmatic",
  "priority", "sync_domain" }
local SEARCH = table.move(tuning.COMMON, 1, #tuning.COMMON, 2, { "where" })
local KEYS = table.move(SEARCH, 1, #SEARCH, #LAUNCH + 1, lists.copy(LAUNCH))

local function check(setup, launch)
  if type(launch) ~= "table" then
    fail(WHAT, "expected a launch table such as { tiles = array } first, got %s",
      arguments.describe(launch))
  end
  if next(setup.options.lists) == nil then
    fail(WHAT, "there is nothing to choose: make the kernel with an option that is a list, as in "
      .. "cuda.tiled(fn, { warps = { 4, 8 } })")
  end
  arguments.check_names(WHAT .. ": launch", launch, KEYS)
  if launch.where ~= nil then core._check_callable(launch.where, WHAT .. ": option 'where'") end
end

-- The keys of the launch table that are options of the search, and those of the launch.
local function split(launch)
  local options, rest = {}, {}
  for _, name in ipairs(SEARCH) do options[name] = launch[name] end
  for _, name in ipairs(LAUNCH) do rest[name] = launch[name] end
  return options, rest
end

-- What else decides which values are best: the function, the other options, the programs and the
-- arguments.
local function identity_of(setup, rest, args)
  local parts = { setup.source.text }
  for _, name in ipairs(lists.sorted_keys(setup.options.values)) do
    parts[#parts + 1] = ("%s=%s"):format(name, setup.options.values[name])
  end
  local programs = rest.programs
  parts[#parts + 1] = type(programs) == "table" and table.concat(programs, " ")
    or tostring(programs)
  block_size.add_arguments(parts, args)
  return core.sha256(table.unpack(parts))
end

-- A launch with these values, and a text that differs for launches that differ.
local function prepared(k, values, rest, args)
  local own = tiled.with(k, values)
  local launch = own:prepare(rest, table.unpack(args, 1, args.n))
  return launch, ("%d %s"):format(launch.grid[1], own:source())
end

local function text_of(values)
  local words = {}
  for k, name in ipairs(lists.sorted_keys(values)) do
    words[k] = ("%s = %s"):format(name, values[name])
  end
  return table.concat(words, ", ")
end

-- A function of values that returns a launch with them; nil and a text where they make no kernel,
-- such as one that needs too much shared memory, or the same as others.
local function maker(k, rest, args)
  local first = {} -- text of a launch -> its values
  return function(values)
    local ok, result, text = attempt.call(prepared, k, values, rest, args)
    if not ok and type(result) == "string" then return nil, result end
    if not ok then error(result, 0) end
    local own = text_of(values)
    first[text] = first[text] or own
    if first[text] ~= own then return nil, "the same kernel as with " .. first[text] end
    return result
  end
end

-- k:tune(launch, ...) -> Tuning, whose values the kernel has from now on
local function tune(k, launch, ...)
  local state, args = tiled.state_of(k, "tune"), table.pack(...)
  local setup = state.setup
  check(setup, launch)
  local options, rest = split(launch)
  local job = tuning.read_common(WHAT, options)
  job.name, job.make = state.name, maker(k, rest, args)
  job.identity = identity_of(setup, rest, args)
  local result = tuning.run(tuning.complete(job, options, setup.options.lists, options.where))
  tiled.choose(k, result.best)
  return result
end

return { tune = tune }
