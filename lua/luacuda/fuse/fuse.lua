-- fuse.lua: cuda.fuse: a function of arrays becomes one kernel. trace.lua records what the function
-- does to arguments of certain kinds; this file makes kernels from the record and keeps them. Once
-- there is a plan for the kinds of the arguments, C makes the calls (lcul_fuse.c).

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
if not debug then
  core.misuse "fuse: needs Lua's debug library, to read the upvalues of functions"
end

local params = require "luacuda.builder.params"
local plans_of = require "luacuda.fuse.plan"
local trace = require "luacuda.fuse.trace"
require "luacuda.builder.elementwise"

local fail = arguments.fail
local methods = core.class "Fused"

local MOST_VARIANTS = 100               -- traces of one function before a warning
local MOST_FAMILIES = 1000              -- combinations of upvalues that kernels are kept for

-- Families ----------------------------------------------------------------------------------------
-- Functions with the same code and equal upvalues share their plans.

local identities, last_identity = setmetatable({}, { __mode = "k" }), 0

local function identity(v)
  if identities[v] == nil then
    last_identity = last_identity + 1
    identities[v] = last_identity
  end
  return ("%s %d"):format(type(v), identities[v])
end

local HOME = debug.getinfo(1, "S").source:match "^(@.*[/\\])fuse[/\\]"

-- Can the upvalues of a function change what it does? Those of C functions and of this library
-- cannot.
local function is_open(fn)
  local info = debug.getinfo(fn, "S")
  return info.what ~= "C" and not (HOME and info.source:sub(1, #HOME) == HOME)
end

local function key_of(v)
  if math.type(v) == "float" then return string.pack("<zd", "float", v) end
  if v == nil or type(v) == "boolean" or type(v) == "number" then return tostring(v) end
  return type(v) == "string" and string.pack("<zs8", "string", v) or identity(v)
end

-- Appends the code of a function to `key`, and its upvalues, and those of the functions among them,
-- to `key` and to the lists `seen.owners`, `seen.numbers` (of the upvalue in its owner) and
-- `seen.values`.
local function look_at(fn, seen, key)
  if seen[fn] then
    key[#key + 1] = "function again " .. seen[fn]
    return
  end
  seen.functions = seen.functions + 1
  seen[fn] = seen.functions
  if not is_open(fn) then
    key[#key + 1] = identity(fn)
    return
  end
  key[#key + 1] = string.pack("<s8", string.dump(fn, true))
  for k = 1, 255 do
    local name, value = debug.getupvalue(fn, k)
    if not name then break end
    local at = #seen.owners + 1
    seen.owners[at], seen.numbers[at], seen.values[at] = fn, k, value
    if type(value) == "function" then look_at(value, seen, key)
    else key[#key + 1] = key_of(value) end
  end
end

local codes = {} -- code of a function -> { count = families, traces =, [key] = plans }

local hooks = {}

-- -> the functions whose upvalues count, the numbers of these upvalues, their values; and the plans
-- for the function with these upvalues
function hooks.family(state, fn)
  local seen, key = { functions = 0, owners = {}, numbers = {}, values = {} }, { state.name }
  look_at(fn, seen, key)
  local code = key[2]
  local families = codes[code]
  if not families or families.count > MOST_FAMILIES then
    families = { count = 0, traces = 0 }
    codes[code] = families
  end
  local whole = table.concat(key, "\0")
  if not families[whole] then
    families[whole] = { families = families }
    families.count = families.count + 1
  end
  return seen.owners, seen.numbers, seen.values, families[whole]
end

local function count_trace(state, fn, plans)
  local families = plans.families
  families.traces = families.traces + 1
  if families.traces ~= MOST_VARIANTS or not warn then return end
  local info = debug.getinfo(fn, "S")
  warn(("luacuda: %s (%s:%d) was traced %d times: it needs a kernel for every value of its number, "
    .. "boolean and string upvalues and boolean arguments, and for every combination of argument "
    .. "types; pass numbers that change as arguments"):format(state.name,
    info.short_src, info.linedefined, MOST_VARIANTS))
end

function hooks.plan(state, fn, kinds, plans)
  count_trace(state, fn, plans)
  local plan = plans_of.new(state.name, kinds, trace.run(state.name, fn, kinds))
  plans.latest = plan
  return plan
end

core.hooks("fuse", hooks)

-- cuda.fuse ---------------------------------------------------------------------------------------

-- fuse(fn [, { name = }]) -> Fused
local function fuse(fn, options)
  local kind = core.type(fn)
  if type(fn) ~= "function" then fail("fuse", "expected a function, got %s", kind or type(fn)) end
  if options ~= nil and type(options) ~= "table" then
    fail("fuse", "expected options (a table), got %s", core.type(options) or type(options))
  end
  arguments.check_names("fuse", options or {}, { "name" })
  local name = options and options.name
  if name ~= nil then params.check_kernel_name("fuse", name) end
  return core.fused_new({ name = name or "fused" }, fn)
end

-- The plan for the arguments; without arguments the latest one.
local function plan_for(f, method, ...)
  if select("#", ...) > 0 then return core.fused_plan(f, ...) end
  local plan = core.fused_plans(f).latest
  return plan or fail(f.name, "%s: nothing is traced yet: pass the arguments of a call", method)
end

-- The arguments of a part's kernel for arguments of the function; nothing for none.
local function arguments_of(part, ...)
  if select("#", ...) == 0 then return end
  local list = table.pack(part.inputs(...))
  list[list.n + 1] = part.reduction
  return table.unpack(list, 1, list.n + (part.reduction and 1 or 0))
end

local function texts_of(f, method, ...)
  local plan, texts = plan_for(f, method, ...), {}
  for k, part in ipairs(plan.parts) do
    texts[k] = part.target[method](part.target, arguments_of(part, ...))
  end
  return table.concat(texts, "\n")
end

-- f:source(...) -> CUDA text of the kernels that a call with these arguments runs; without
-- arguments, of the kernels traced last
function methods.source(f, ...) return texts_of(f, "source", ...) end

-- f:ptx(...) -> PTX of these kernels
function methods.ptx(f, ...) return texts_of(f, "ptx", ...) end

-- f:cached() -> list of what was traced for the function with its current upvalues: { arguments =,
-- results =, kernels = }
function methods.cached(f, ...)
  if select("#", ...) > 0 then fail("cached", "too many arguments") end
  local list = {}
  for key, plan in pairs(core.fused_plans(f)) do
    if key ~= "latest" and key ~= "families" then
      local kernels = {}
      for _, part in ipairs(plan.parts) do
        local rows = part.target:cached()
        table.move(rows, 1, #rows, #kernels + 1, kernels)
      end
      list[#list + 1] = { arguments = table.move(plan.kinds, 1, #plan.kinds, 1, {}),
        results = table.move(plan.results, 1, #plan.results, 1, {}), kernels = kernels }
    end
  end
  table.sort(list, function(a, b)
    return table.concat(a.arguments, " ") < table.concat(b.arguments, " ")
  end)
  return list
end

return { fuse = fuse }
