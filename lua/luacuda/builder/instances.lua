-- instances.lua: builders whose texts are made for the types of a call, as those of Lua functions
-- are (jit/bodies.lua). The state of such a builder has `bodies`:
--
--   bodies:find(desc)      -> the instance for the types and raw arrays of a description, made if
--                             there is none that holds
--   bodies:values(number)  -> does instance `number` still hold? Then: the arrays that its kernels
--                             take besides those of the declaration
--   bodies.guards          number of an instance without arrays -> what C compares before a launch
--                             (lcul_guards.h); the state has the same table as `guards`
--
-- An instance: serial (no other of these bodies has this number), texts (key -> CUDA text),
-- functions (CUDA text before the preamble), dtypes (names for prelude.lua), hiddens (list of {
-- name =, dtype =, ndim =, contiguous = }: the arrays), number (0: it always holds and has no
-- arrays), options (a function: those of the compiler, from those of the declaration), kernels (key
-- -> what was made for it).

local core = require "luacuda.core"
local sorted_keys = require("luacuda.base.lists").sorted_keys
local params_of = require "luacuda.builder.params"

local function joined(a, b)
  return table.move(b, 1, #b, #a + 1, table.move(a, 1, #a, 1, {}))
end

-- The state and the description as the generators see them: with the texts and arrays of an
-- instance.
local function applied(state, desc, instance)
  local params, types, given = {}, {}, {}
  for k, hidden in ipairs(instance.hiddens) do
    params[k] = { name = hidden.name, raw = true, dtype = hidden.dtype }
    types[k] = hidden.dtype
    given[k] = { kind = "raw", hidden = true, ndim = hidden.ndim, contiguous = hidden.contiguous }
  end
  local own = setmetatable({ params = joined(state.params, params), functions = instance.functions,
    mentioned = joined(state.mentioned or {}, instance.dtypes),
    options = instance.options(state.options) }, { __index = state })
  params_of.check_count(state.name, #own.params)
  for key, text in pairs(instance.texts) do own[key] = text end
  return own, setmetatable({ types = joined(desc.types, types),
    params = joined(desc.params, given) }, { __index = desc })
end

-- A text that is equal for descriptions of one instance that can share a kernel.
local function key_of(desc)
  local parts = {}
  for _, name in ipairs(sorted_keys(desc)) do
    if type(desc[name]) ~= "table" and type(desc[name]) ~= "userdata" then
      parts[#parts + 1] = ("%s=%s"):format(name, desc[name])
    end
  end
  for _, p in ipairs(desc.params) do parts[#parts + 1] = p.class or p.kind end
  return table.concat(parts, " ")
end

-- build(state, desc, make) -> what make(state, desc) returns for the texts of this description, and
-- the number of their instance, 0 where nothing can change
local function build(state, desc, make)
  local bodies = state.bodies
  if not bodies then return make(state, desc) end
  local instance, key = bodies:find(desc), key_of(desc)
  local made = instance.kernels[key]
  if not made then
    made = table.pack(make(applied(state, desc, instance)))
    made[made.n + 1] = instance.number
    instance.kernels[key] = made
  end
  return table.unpack(made, 1, made.n + 1)
end

local hooks = {}

-- C asks before each launch of a kernel that takes arrays besides those of the declaration.
function hooks.upvalues(state, number) return state.bodies:values(number) end

core.hooks("builder", hooks)

return { build = build, applied = applied }
