-- elementwise_source.lua: CUDA text of one variant of an elementwise kernel, for the types and the
-- layout class that the C engine (lcul_elementwise.c) describes. docs/design/elementwise.md lists
-- the parameters and the plan of each mode.

local body = require "luacuda.builder.elementwise_body"
local linear = require "luacuda.builder.elementwise_linear"
local parts = require "luacuda.builder.elementwise_parts"
local tile = require "luacuda.builder.elementwise_tile"

local function plan_size(desc, arrays)
  if desc.mode == "flat" then return 1 end
  if desc.mode == "tile" then return 5 + (desc.ndim - 2) + arrays * desc.ndim end
  return 2 + 2 * (desc.ndim - 1) + arrays * desc.ndim
end

-- source.text(state, desc) -> CUDA text, threads per block, and units per thread (mode "tile": edge
-- of a tile). `desc` is the engine's description of the variant; `state` has name, params, nin,
-- body, preamble, loop_prep, after_loop (origins or strings; all but the body may be nil), macros,
-- uses_i, uses_ind, by_value (are raw arrays passed by value?).
local function text(state, desc)
  local list, arrays = parts.parameters(state, desc)
  local kernel, threads, per = (desc.mode == "tile" and tile or linear).kernel(state, desc, list)
  return parts.head(state, desc, list, plan_size(desc, arrays)) .. body.before(state, desc, list)
    .. kernel, threads, per
end

return { text = text, uses = parts.uses }
