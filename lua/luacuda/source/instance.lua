-- instance.lua: descriptions (options.lua) with one more instance.

local naming = require "luacuda.source.naming"

local with_instance

-- Those sources of a linked module that mention the name are asked; where none does, all are.
local function link_with_instance(spec, name)
  local units, mentioned = {}, naming.is_mentioned(spec.text or "", name)
  for i, unit in ipairs(spec.link.units) do
    local asked = not mentioned or naming.is_mentioned(unit.text, name)
    units[i] = asked and with_instance(unit, name) or unit
  end
  return { units = units, objects = spec.link.objects, libraries = spec.link.libraries }
end

-- instance.with(spec, name) -> a description with one more template instance (or other name) to ask
-- the compiler about
function with_instance(spec, name)
  local copy = {}
  for key, value in pairs(spec) do copy[key] = value end
  copy.instances = table.move(spec.instances, 1, #spec.instances, 1, {})
  copy.instances[#copy.instances + 1] = naming.normalize(name)
  if spec.link then copy.link = link_with_instance(spec, name) end
  return copy
end

return { with = with_instance }
