-- driver_options.lua: the option jit: options of the driver's PTX compiler and linker, by name.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"

local fail = arguments.fail

-- "sm_80", "compute_90a" -> CUjit_target: the number, plus the variant in the upper half.
local VARIANTS = { [""] = 0, a = 0x10000, f = 0x20000 }

local function target_value(v)
  local number, variant = tostring(v):match "^%l+_(%d+)(%l?)$"
  return number and VARIANTS[variant] and tonumber(number) + VARIANTS[variant]
end

local function choice(words)
  local names = {}
  for name in pairs(words) do names[#names + 1] = "'" .. name .. "'" end
  table.sort(names)
  return { expected = table.concat(names, " or "), value = function(v) return words[v] end }
end

local function integer(least, most)
  return { expected = ("an integer of %d to %d"):format(least, most), value = function(v)
    v = math.type(v) and math.tointeger(v)
    return v and v >= least and v <= most and v or nil
  end }
end

local SWITCH = { expected = "a boolean", value = function(v)
  if type(v) == "boolean" then return v and 1 or 0 end
end }

-- Name -> the number of the CUjit_option, and which values it takes.
local OPTIONS = {
  max_registers = { 0, integer(1, 255) },
  threads_per_block = { 1, integer(1, 1024) },
  optimization = { 7, integer(0, 4) },
  target = { 9, { expected = "an architecture such as 'sm_80'", value = target_value } },
  fallback = { 10, choice{ ptx = 0, binary = 1 } },
  debug = { 11, SWITCH },
  verbose = { 12, SWITCH },
  lineinfo = { 13, SWITCH },
  cache_mode = { 14, choice{ none = 0, cg = 1, ca = 2 } },
}

local names = {}
for name in pairs(OPTIONS) do names[#names + 1] = name end
table.sort(names)

-- driver_options.read(what, given) -> the list { id, value, id, value, ... } that the core takes;
-- nil for nil
local function read(what, given)
  if given == nil then return nil end
  if type(given) ~= "table" then
    fail(what, "option 'jit': expected a table, got %s", type(given))
  end
  arguments.check_names(what .. ": option 'jit'", given, names)
  local list = {}
  for _, name in ipairs(names) do
    local v, row = given[name], OPTIONS[name]
    if v ~= nil then
      local value = row[2].value(v)
      if not value then
        fail(what, "option 'jit': %s: expected %s, got %s", name, row[2].expected,
          type(v) == "string" and ("'%s'"):format(v) or tostring(v))
      end
      table.move({ row[1], value }, 1, 2, #list + 1, list)
    end
  end
  if given.target ~= nil and given.threads_per_block ~= nil then
    core.misuse(what .. ": option 'jit': target and threads_per_block exclude each other")
  end
  return list
end

-- driver_options.check_lto(what, given) raises for options that nvJitLink does not have.
local function check_lto(what, given)
  for _, name in ipairs { "threads_per_block", "target", "fallback", "cache_mode" } do
    if given[name] ~= nil then
      fail(what, "option 'jit': %s has no effect with lto: leave it out", name)
    end
  end
end

-- driver_options.check_linked(what, given) raises for what the linker of the driver does not take.
local function check_linked(what, given)
  if given.fallback ~= nil then
    fail(what, "option 'jit': fallback: code that is linked must fit the device: leave it out")
  end
end

return { read = read, check_lto = check_lto, check_linked = check_linked }
