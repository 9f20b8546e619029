-- variants.lua: the kernels of a builder's object, one for each way of calling it, and the methods
-- that show them: source, ptx and cached. A state has `variants`: a list of { desc = what the
-- kernel was made for, kernel = Kernel }, the latest last.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail

-- The devices on which the kernel is loaded, as keys.
local function module_of(kernel) return core.module_state(core.kernel_state(kernel).module) end
local function places_of(kernel) return module_of(kernel).loaded end

-- variants.add(state, desc, kernel) -> the variant, whose kernel is compiled later. Adding drops
-- the latest variant if that did not compile. A kernel that is there becomes the latest one.
local function add(state, desc, kernel)
  local list = state.variants
  for k, known in ipairs(list) do
    if known.kernel == kernel then
      table.insert(list, table.remove(list, k))
      return known
    end
  end
  if #list > 0 and not next(module_of(list[#list].kernel).artifacts) then table.remove(list) end
  list[#list + 1] = { desc = desc, kernel = kernel }
  return list[#list]
end

-- The kernels that a call with these arguments launches; without arguments the latest one.
local function kernels_for(row, state, object, ...)
  if select("#", ...) > 0 then return { row.kernels(object, ...) } end
  local latest = state.variants[#state.variants]
  return { latest and latest.kernel }
end

local function texts_of(row, method, object, ...)
  local state, list = row.state(object, method), {}
  for k, kernel in ipairs(kernels_for(row, state, object, ...)) do
    list[k] = kernel[method](kernel)
  end
  if #list > 0 then return table.concat(list, "\n") end
  local ahead = method == "source" and row.ahead and row.ahead(state)
  if ahead then return ahead end
  fail(state.name, "%s: %s", method, select("#", ...) > 0 and "such a call launches nothing"
    or "nothing is compiled yet: pass the arguments of a call")
end

-- The types by the names that the user gave them.
local function type_names(desc)
  local list = table.move(desc.types, 1, #desc.types, 1, {})
  for k, p in ipairs(desc.params or {}) do list[k] = p.struct and p.struct.name or list[k] end
  return list
end

local function cached(row, object)
  local list = {}
  for _, variant in ipairs(row.state(object, "cached").variants) do
    local desc, places = variant.desc, places_of(variant.kernel)
    for _, device in ipairs(next(places) and core.devices() or {}) do
      local line = { types = type_names(desc), device = device }
      for _, key in ipairs(row.columns) do line[key] = desc[key] end
      if places[device] then list[#list + 1] = line end
    end
  end
  return list
end

-- variants.add_methods(methods, row): row has state(object, method), kernels(object, ...) -> the
-- Kernels of a call, columns (fields of desc that `cached` lists), and may have ahead(state) ->
-- text of a kernel before there is one, or nil.
local function add_methods(methods, row)
  -- object:source(...) -> CUDA text of the kernels that a call with these arguments runs
  function methods.source(object, ...) return texts_of(row, "source", object, ...) end

  -- object:ptx(...) -> PTX of these kernels
  function methods.ptx(object, ...) return texts_of(row, "ptx", object, ...) end

  -- object:cached() -> list of compiled variants: { types =, device =, and the columns }
  function methods.cached(object, ...)
    if select("#", ...) > 0 then fail("cached", "too many arguments") end
    return cached(row, object)
  end
end

return { add = add, add_methods = add_methods }
