-- text.lua: what tostring says of a Kernel.

local core = require "luacuda.core"

-- "(float a, const float *x)"; "" where it is not known without compiling
local function parameters_text(k, state)
  if next(core.module_state(state.module).artifacts) == nil then return "" end
  local ok, signature = pcall(function() return k.signature end)
  if not ok then return "" end
  local list = {}
  for i, p in ipairs(signature) do
    local kind = p.known and p.type or p.kind
    list[i] = p.name and kind .. (kind:find "[*&]$" and "" or " ") .. p.name or kind
  end
  return "(" .. table.concat(list, ", ") .. ")"
end

-- text.of(k) -> "luacuda.Kernel scale(float a, float *x)"
local function text_of(k)
  local state = core.kernel_state(k)
  local name = state.shown or state.name
  if not name then return "luacuda.Kernel" end
  return "luacuda.Kernel " .. name .. parameters_text(k, state)
end

return { of = text_of }
