-- fuse.lua: cuda.fuse: a function of arrays becomes one kernel. trace.lua records what the function
-- does to arguments of certain kinds; this file makes kernels from the record and keeps them. Once
-- there is a plan for the kinds of the arguments, C makes the calls (lcul_fuse.c).

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
if not debug then
  core.misuse "fuse: needs Lua's debug library, to read the upvalues of functions"
end

local params = require "luacuda.builder.params"
local decisions = require "luacuda.fuse.decisions"
local plans_of = require "luacuda.fuse.plan"
local trace = require "luacuda.fuse.trace"
local tree = require "luacuda.fuse.tree"
local watch = require "luacuda.fuse.guards"

local fail = arguments.fail
local methods = core.class "Fused"

local MOST_VARIANTS = 100               -- traces of one function before a warning
local MOST_FAMILIES = 1000              -- combinations of upvalues that kernels are kept for

-- Families ----------------------------------------------------------------------------------------
-- Functions with the same code that depend on equal values share their plans.

local codes = {} -- code of a function -> { count = families, traces =, [key] = plans }

local hooks = {}

-- -> what is watched: owners, numbers, keys and values (guards.lua); and the plans for the function
-- with these values
function hooks.family(state, fn)
  local seen, whole, code = watch.of(fn, state.name)
  local families = codes[code]
  if not families or families.count > MOST_FAMILIES then
    families = { count = 0, traces = 0 }
    codes[code] = families
  end
  if not families[whole] then
    families[whole] = { families = families, unwatched = seen.unwatched }
    families.count = families.count + 1
  end
  return seen.owners, seen.numbers, seen.keys, seen.values, families[whole]
end

local TRACED = "// traced: decisions of Lua and changes of globals and fields are not seen, "
  .. "because %s"
local UNWATCHED = "// changes of '%s' are not noticed, because it has more than 1000 fields"

-- The plan of a trace; `why`: the reason why the function was not read first.
local function traced(state, fn, kinds, why)
  local plan = plans_of.of_trace(state.name, kinds, trace.run(state.name, fn, kinds, why))
  plan.remark = why and TRACED:format(why)
  return plan
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

-- A function that decides by elements is compiled; any other is traced, which sees all that it
-- does.
local function make(state, fn, kinds)
  if not watch.is_open(fn) then return traced(state, fn, kinds) end
  local source, why = tree.source_of(fn)
  if not source then return traced(state, fn, kinds, why) end
  local read = decisions.of(source, kinds)
  if read.decision then
    return require("luacuda.fuse.compiled").plan(state.name, source, kinds)
  end
  if read.unseen then why = "a function that it calls: " .. read.unseen end
  return traced(state, fn, kinds, why)
end

function hooks.plan(state, fn, kinds, plans)
  count_trace(state, fn, plans)
  local plan = make(state, fn, kinds)
  if plans.unwatched and not plan.remark then plan.remark = UNWATCHED:format(plans.unwatched) end
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

-- Arrays in place of those that stages make, for the text of a kernel.
local function stage_arrays(plan)
  return setmetatable({}, { __index = function(_, k)
    return core.zeros({}, plan.parts[k].dtype)
  end })
end

local NUMBERS = setmetatable({}, { __index = function() return 0 end })

-- The arguments of a part's kernel for arguments of the function; nothing for none.
local function arguments_of(plan, part, ...)
  if select("#", ...) == 0 then return end
  local list = table.pack(part.inputs(stage_arrays(plan), NUMBERS, ...))
  list[list.n + 1] = part.reduction
  return table.unpack(list, 1, list.n + (part.reduction and 1 or 0))
end

local function texts_of(f, method, ...)
  local plan = plan_for(f, method, ...)
  local texts = { method == "source" and plan.remark or nil }
  for _, part in ipairs(plan.parts) do
    local text = part.target[method](part.target, arguments_of(plan, part, ...))
    texts[#texts + 1] = method == "source" and text:gsub('#line %d+ "[^\n]*\n', "") or text
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
    if key ~= "latest" and key ~= "families" and key ~= "unwatched" then
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
