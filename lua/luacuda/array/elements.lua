-- elements.lua: take, put, putmask and the scatter functions for numbers, element by element:
-- elementwise kernels, which take arrays of any layout and start at little cost.

local updates = require("luacuda.array.scatter_source").updates
local source = require "luacuda.array.take_source"
local elementwise = require "luacuda.builder.elementwise"

-- A parameter of the call, numbered as for the user.
local function given(name) return { name = name } end
local function raw(name) return { name = name, raw = true } end

-- The Elementwise of the body `text`. preamble(dtype) -> the text before it, for the dtype of the
-- first parameter; resolve(kinds) -> dtypes of the parameters.
local function new(name, params, nin, preamble, text, resolve)
  local flags = {}
  for k, p in ipairs(params) do flags[k] = p.raw end
  local function variant(_, types)
    return { name = "luacuda_" .. name, params = params, nin = nin, preamble = preamble(types[1]),
      body = text, uses_i = true, mentioned = { "atomicAdd" } }
  end
  local state = { name = name, params = params, nin = nin, variants = {}, variant = variant,
    resolve = function(_, kinds) return resolve(kinds) end }
  return elementwise.new(state, { inputs = nin, outputs = #params - nin, raw = flags,
    indexed = true })
end

local function normal(mode)
  return function() return source.normal(mode) end
end

-- A table with make(key) for each key, made at its first use.
local function each(make)
  return setmetatable({}, { __index = function(list, key)
    local one = make(key)
    list[key] = one
    return one
  end })
end

-- The table of options, or nothing.
local function options(stream)
  if stream then return { stream = stream } end
end

-- take --------------------------------------------------------------------------------------------

-- Reading an element in any case is faster than a branch.
local TAKE = "long long at = indices;\nconst bool found = normal(at, a.size());\n"
  .. "out = a[found ? at : 0];\n%s"
local REPORT = "if (!found) bad[0] = i + 1;\n"

local takes = each(function(mode)
  local reports = mode == "raise"
  local params = { raw "a", given "indices" }
  if reports then params[3] = raw "bad" end
  params[#params + 1] = given "out"
  return new("take", params, 2, normal(mode), TAKE:format(reports and REPORT or ""),
    function(kinds) return { kinds[1], kinds[2], reports and "int64" or kinds[1], kinds[1] } end)
end)

-- take(a, indices, out, bad, mode, stream) -> out, by default a new array of the shape of the
-- indices: the elements of a in C order at these integers. `bad`: see take.lua.
local function take(a, indices, out, bad, mode, stream)
  local run = takes[mode]
  if mode ~= "raise" then return run(a, indices, out, options(stream)) end
  return select(2, run(a, indices, bad, out, options(stream)))
end

-- put ---------------------------------------------------------------------------------------------

local CHECK = "long long at = indices;\nif (!normal(at, m)) bad[0] = i + 1;\n"

local function new_check()
  return new("put", { given "m", given "indices", raw "bad" }, 2, normal "raise", CHECK,
    function(kinds) return { "int64", kinds[2], "int64" } end)
end

local checking -- made at the first use

-- Reports the position of an index that is wrong for m elements in `bad`.
local function check(m, indices, bad, stream)
  checking = checking or new_check()
  checking(m, indices, bad, options(stream))
end

local PUT = "long long at = indices;\nif (normal(at, a.size())) dst[at] = %s;\n"
local EACH = "values[values.size() == 1 ? 0 : i]"

local function new_put(mode, single)
  local params = { raw "a", given "indices", single and given "values" or raw "values", raw "dst" }
  return new("put", params, 3, normal(mode), PUT:format(single and "values" or EACH),
    function(kinds) return { kinds[1], kinds[2], kinds[1], kinds[1] } end)
end

local puts = each(function(mode) return new_put(mode, false) end)
local puts_of_one = each(function(mode) return new_put(mode, true) end)

-- a[indices] = values: a number, or an array of a's dtype with one element or, in C order, one for
-- each index. Mode "raise" skips wrong indices.
local function put(a, indices, values, mode, stream)
  local run = (type(values) == "number" and puts_of_one or puts)[mode]
  run(a, indices, values, a, options(stream))
end

-- scatter -----------------------------------------------------------------------------------------

local SCATTER = "long long at = indices;\nif (normal(at, a.size())) _lcu_update(&dst[at], "
  .. EACH .. ");\n"

local function new_scatter(what, mode)
  local params = { raw "a", given "indices", raw "values", raw "dst" }
  local function preamble(dtype) return source.normal(mode) .. updates(what, dtype) end
  return new(what, params, 3, preamble, SCATTER,
    function(kinds) return { kinds[1], kinds[2], kinds[1], kinds[1] } end)
end

local scatters = each(function(what)
  return each(function(mode) return new_scatter(what, mode) end)
end)

-- The same for scatter_add and the like, called `what`, and an array of values.
local function scatter(what, a, indices, values, mode, stream)
  scatters[what][mode](a, indices, values, a, options(stream))
end

-- putmask -----------------------------------------------------------------------------------------

local function new_putmask()
  local params = { raw "a", given "mask", given "values", given "dst" }
  return new("putmask", params, 3, function() return "" end, "dst = mask ? values : dst;",
    function(kinds) return { kinds[1], "bool", kinds[1], kinds[1] } end)
end

local masking -- made at the first use

-- a[mask] = values, a number or an array of a's dtype; both broadcast to the shape of a.
local function putmask(a, mask, values, stream)
  masking = masking or new_putmask()
  masking(a, mask, values, a, options(stream))
end

return { take = take, check = check, put = put, scatter = scatter, putmask = putmask }
