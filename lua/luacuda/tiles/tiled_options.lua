-- tiled_options.lua: the options of cuda.tiled. An option that is a list has several values, among
-- which k:tune chooses.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"

local fail = arguments.fail

local M = {}

-- Checks of one value: check(value) -> nil, or what is expected -----------------------------------

local WARPS = { [1] = true, [2] = true, [4] = true, [8] = true, [12] = true, [16] = true }

local function is_integer(n, least, most)
  return math.type(n) == "integer" and n >= least and n <= most
end

local checks = {}

function checks.warps(n)
  if math.type(n) ~= "integer" or not WARPS[n] then return "1, 2, 4, 8, 12 or 16" end
end

function checks.stages(n)
  if not is_integer(n, 2, 16) then return "an integer from 2 to 16" end
end

function checks.persistent(b)
  if type(b) ~= "boolean" then return "a boolean" end
end

function checks.cluster(n)
  if n ~= 1 and n ~= 2 then return "1 or 2" end
end

local function constant(v)
  local kind = type(v)
  if kind ~= "string" and kind ~= "boolean" and math.type(v) == nil then
    return "a number, a string or a boolean"
  end
end

local function is_constant(name) return type(name) == "string" and name:find "^%u" ~= nil end

local function check_of(what, name)
  local check = is_constant(name) and constant or checks[name]
  return check or fail(what, "unknown option '%s': there are name, warps, stages, persistent, "
    .. "cluster, and constants in capitals", tostring(name))
end

-- Options -----------------------------------------------------------------------------------------

local function is_list(v) return type(v) == "table" and core.type(v) == nil end

local function check_list(what, name, list, check)
  local label = ("%s: option '%s'"):format(what, name)
  core.list_check(list, label)
  if #list == 0 then fail(label, "the list is empty") end
  for i, v in ipairs(list) do
    local expected = check(v)
    if expected then
      fail(label, "value %d: expected %s, got %s", i, expected, arguments.describe(v))
    end
  end
end

-- read(what, options) -> { values = by name, lists = by name }, without the option `name`
function M.read(what, options)
  local own = { values = {}, lists = {} }
  for name, v in pairs(options) do
    if name ~= "name" then
      local check = check_of(what, name)
      if is_list(v) then
        check_list(what, name, v, check)
        own.lists[name] = table.move(v, 1, #v, 1, {})
      else
        local expected = check(v)
        if expected then
          fail(what, "option '%s': expected %s, got %s", name, expected, arguments.describe(v))
        end
        own.values[name] = v
      end
    end
  end
  return own
end

-- with(own, chosen) -> the values by name, with those that are chosen from lists
function M.with(own, chosen)
  local values = { warps = own.lists.warps == nil and 4 or nil }
  for name, v in pairs(own.values) do values[name] = v end
  for name, v in pairs(chosen) do values[name] = v end
  return values
end

-- check_complete(what, own, values): raises if a list is left of which no value is chosen.
function M.check_complete(what, own, values)
  for name in pairs(own.lists) do
    if values[name] == nil then
      fail(what, "option '%s' is a list of values: k:tune(launch, ...) chooses the fastest", name)
    end
  end
end

-- constants(values) -> those that are constants of the kernel
function M.constants(values)
  local list = {}
  for name, v in pairs(values) do
    if is_constant(name) then list[name] = v end
  end
  return list
end

return M
