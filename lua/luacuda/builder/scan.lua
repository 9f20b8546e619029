-- scan.lua: cuda.scan: kernels that combine each element with all those before it by an associative
-- operator (prefix sums, for example), made from a few C++ expressions.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"
local dtypes = require "luacuda.base.dtypes"
local number = require "luacuda.base.number"
local plans = require "luacuda.base.plans"
local compiler = require "luacuda.builder.compiler_options"
local declaration = require "luacuda.builder.declaration"
local params = require "luacuda.builder.params"
local call = require "luacuda.builder.scan_call"
local plan = require "luacuda.builder.scan_plan"
local variant = require "luacuda.builder.scan_variant"
local types_of_call = require "luacuda.builder.types"
local variants = require "luacuda.builder.variants"
local origins = require "luacuda.source.origins"

local fail = arguments.fail

local WHAT = "scan"
local POSITIONS = { "inputs", "outputs", "map", "scan", "identity", "name" }
local OPTIONS = compiler.known("post", "exclusive", "scan_type", "preamble")
local RESERVED = { a = "the value so far", b = "the value after it" }
local USER_TEXTS = { "map", "scan", "identity", "post", "preamble", "scan_type" }      -- C++

-- Declarations ------------------------------------------------------------------------------------

-- The text `key` as an origin; nil where it is missing and not needed.
local function read_text(given, key, needed)
  local text = given[key]
  if text == nil and not needed then return nil end
  if type(text) ~= "string" then
    fail(WHAT, "'%s': expected a string, got %s", key, core.type(text) or type(text))
  end
  arguments.whole_text(WHAT, ("'%s'"):format(key), text)
  if needed and not text:find "[^%s;]" then fail(WHAT, "'%s' is empty", key) end
  return origins.register(text, ("%s of %s"):format(key, given.name))
end

local function has_elements(list, first, last)
  for k = first, last do
    if not list[k].raw then return true end
  end
  return false
end

-- Raises unless the parameters give the number of elements and say what to do with the values.
local function check_parameters(s, given)
  if not has_elements(s.list, 1, s.nin) then
    fail(WHAT, "no input is taken element by element")
  end
  if s.nout == 0 then fail(WHAT, "there are no output parameters") end
  local first = s.list[s.nin + 1]
  if not s.post and (s.nout > 1 or first.raw) then
    fail(WHAT, "without 'post' a scan writes a single output that is not raw")
  end
  if not given.scan_type and first.raw then
    fail(WHAT, "output '%s' is raw: 'scan_type' has to give the type of the values", first.name)
  end
end

-- The names of dtypes in the user's texts: the prelude declares these.
local function dtypes_in(s)
  local found = {}
  for _, key in ipairs { "map", "scan", "identity", "post", "preamble" } do
    local text = s[key] and s[key].text or ""
    for word in (text .. " " .. (s.scan_type or "")):gmatch "[%a_][%w_]*" do
      local row = dtypes.of(word == "complex" and "complex64" or word)
      if row and row.name ~= row.short then found[#found + 1] = row.name end
    end
  end
  return found
end

-- The state of a Scan: name, list, nin, nout, map, scan, identity, post, preamble (origins),
-- exclusive, scan_type, options (for the compiler), dtypes (named in texts), variants (see
-- variants.lua), by_key (key -> variant), with_structs (descriptions of calls with structs), simple
-- (one input and one output by element), kept (of `remember`), bodies (what makes texts for the
-- types of a call, instances.lua, or nil).
local function new_state(given, bodies)
  given.name = params.check_kernel_name(WHAT, given.name)
  given.identity = number.text(given.identity) or given.identity
  local s = { name = given.name, bodies = bodies, exclusive = given.exclusive or false,
    scan_type = given.scan_type, variants = {}, by_key = {}, with_structs = {} }
  s.list, s.nin, s.nout = params.parse(WHAT, given.inputs, given.outputs, RESERVED)
  params.refuse_handles(WHAT, s.list)
  for _, key in ipairs { "map", "scan" } do s[key] = read_text(given, key, true) end
  for _, key in ipairs { "identity", "post", "preamble" } do s[key] = read_text(given, key) end
  read_text(given, "scan_type")
  if type(s.exclusive) ~= "boolean" then
    fail(WHAT, "option 'exclusive': expected a boolean, got %s", type(s.exclusive))
  end
  if s.exclusive and not s.identity then
    fail(WHAT, "an exclusive scan needs an identity: the first element has none before it")
  end
  check_parameters(s, given)
  s.options, s.macros, s.texts = compiler.read(WHAT, given, USER_TEXTS)
  s.dtypes = dtypes_in(s)
  s.simple = s.nin == 1 and s.nout == 1 and not s.list[1].raw and not s.list[2].raw
  s.kept = plans.new()
  return s
end

-- Launches ----------------------------------------------------------------------------------------

-- How a variant is launched by a plan: kernel, grid, words (of the scratch array, or false), bytes
-- (the kernel's last parameter).
local function launch_of(v, p)
  return { kernel = v.kernel, grid = p.tiles, bytes = p.bytes .. v.padding,
    words = p.looks_back and plan.scratch(p, v.bytes) }
end

-- The scratch array of a launch, or null.
local function scratch(l, device, stream)
  return l.words and core.zeros(l.words, "uint64", { device = device, stream = stream })
    or core.null
end

local function launch(l, list, job)
  local words, args = scratch(l, job.device, job.stream), {}
  for _, q in ipairs(list) do
    if q.array then args[#args + 1] = core.raw(q.array) end
  end
  args[#args + 1], args[#args + 2] = words, l.bytes
  l.kernel({ grid = l.grid, block = plan.threads, stream = job.stream }, table.unpack(args))
  if l.words then words:free() end
end

-- Calls -------------------------------------------------------------------------------------------

local function is_exclusive(what, s, options)
  local exclusive = options.exclusive
  if exclusive == nil then return s.exclusive end
  if type(exclusive) ~= "boolean" then
    fail(what, "option 'exclusive': expected a boolean, got %s", type(exclusive))
  end
  if exclusive and not s.identity then
    core.misuse(what .. ": an exclusive scan needs an identity, which it was made without")
  end
  return exclusive
end

-- The arrays that the instance takes, as parameters of the kernel.
local function add_hidden(s, c)
  if #c.instance.hiddens == 0 then return end
  local values = { s.bodies:values(c.instance.number) }
  call.add_hidden(c.list, c.instance.hiddens, table.move(values, 2, #values, 1, {}))
end

-- Prepares a call. options, values and kinds are those of call.read; the kind of an output that is
-- to be made may give its dtype. -> { job =, list =, results =, copies = (of call.stage), and
-- where there are elements instance =, plan =, variant = }
local function prepare(what, s, options, values, kinds)
  local types = types_of_call.resolve(what, s.list, s.nin, kinds)
  local desc = variant.described(s, types)
  local exclusive = is_exclusive(what, s, options)
  local c = { job = call.job(what, s, values, options) }
  c.list, c.results, c.copies = call.stage(what, s, values, types, desc.types, options.segments,
    c.job)
  if c.job.size == 0 then return c end
  c.instance = variant.instance_of(s, desc, c.list)
  add_hidden(s, c)
  c.plan = plan.make(c.list, c.job.extents, variant.accumulator_bytes(s, desc))
  if not c.plan then
    fail(what, "values of %d bytes are too large to be combined along this axis: at most %d",
      variant.accumulator_bytes(s, desc), plan.most_bytes)
  end
  c.variant = variant.find(s, desc, c, exclusive, options.segments)
  return c
end

-- Calls that take one contiguous array, `given`, and make one result differ only in addresses if
-- they have the same core.call_key. `kept`: plans of such calls (plans.lua).
local function remember(kept, key, c, given, bodies)
  local a, out = c.list[1], c.list[2]
  if not (a.array and c.variant and #c.list == 2) then return end
  if not given.is_contiguous or a.array.pointer ~= given.pointer then return end
  local l = launch_of(c.variant, c.plan)
  l.shape, l.dtype = c.job.out_shape, out.array.dtype
  if c.instance.number > 0 then l.bodies, l.number = bodies, c.instance.number end
  kept:keep(key, l)
end

-- The result of a call that is like an earlier one; nil for others.
local function again(kept, key, a, stream)
  local l = kept:find(key)
  if not l or l.bodies and not l.bodies:values(l.number) then return nil end
  local out, words = core.new(a, l.shape, l.dtype, stream), scratch(l, a.device, stream)
  l.kernel({ grid = l.grid, block = plan.threads, stream = stream }, a, out, words, l.bytes)
  if l.words then words:free() end
  return out
end

-- Runs the scan of a state under the name `what`; returns its results. With `kept` and `key` the
-- call, of one array that makes the result, is remembered for `again`.
local function run(what, s, options, values, kinds, kept, key)
  local c = prepare(what, s, options, values, kinds)
  if kept then remember(kept, key, c, values[1], s.bodies) end
  if c.variant then
    launch(launch_of(c.variant, c.plan), c.list, c.job)
    for _, pair in ipairs(c.copies) do core.copy(pair[1], pair[2], { stream = c.job.stream }) end
  end
  return table.unpack(c.results)
end

-- The class ---------------------------------------------------------------------------------------

local states = setmetatable({}, { __mode = "k" })
local methods = {}
local Scan = class.new("Scan", methods, { "name", "profile", "source", "ptx",
  "cached" })

local function state_of(self, method)
  return states[self]
    or fail(method, "expected Scan before the ':', got %s", core.type(self) or type(self))
end

function Scan.__call(self, ...)
  local s = states[self]
  local key = s.simple and select("#", ...) == 1 and core.call_key(...)
  local found = again(s.kept, key, (...))
  if found then return found end
  local options, values, kinds = call.read(s.name, s, ...)
  return run(s.name, s, options, values, kinds, s.kept, key)
end

function Scan.__tostring(self) return "luacuda.Scan " .. states[self].name end

local function kernels(self, ...)
  local s = states[self]
  local used = prepare(s.name, s, call.read(s.name, s, ...)).variant
  return used and used.kernel
end

variants.add_methods(methods,
  { state = state_of, kernels = kernels, columns = { "mode", "vector", "exclusive", "segments" } })

local function read(...) return declaration.read(WHAT, POSITIONS, OPTIONS, ...) end

-- make(given [, bodies]) -> Scan, as elementwise.make
local function make(given, bodies)
  local state = new_state(given, bodies)
  local self = setmetatable({ name = state.name }, Scan)
  states[self] = state
  return self
end

-- cuda.scan(inputs, outputs, map, scan, identity, name [, options]), or all in one table
local function scan(...) return make(read(...)) end

return { scan = scan, read = read, make = make, new_state = new_state, run = run, again = again }
