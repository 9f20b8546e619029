-- refusals.lua: messages about kernels that a module does not have.

local core = require "luacuda.core"
local names_of = require("luacuda.kernel.loading").names_of

-- "; template scale: name an instance such as 'scale<float>'", for sources with kernel templates
local function of_templates(artifact)
  local list = artifact.templates or {}
  if #list == 0 then return "" end
  return ("; template%s %s: name an instance such as '%s<float>'"):format(#list > 1 and "s" or "",
    table.concat(list, ", "), list[1])
end

-- Raises for a name that no kernel has.
local function unknown_kernel(artifact, name)
  local names = names_of(artifact)
  if artifact.overloaded and artifact.overloaded[name] then
    core.misuse(("kernel '%s' is overloaded: select one by a cast, as in '(void (*)(int *)) %s'")
      :format(name, name))
  end
  core.misuse(("the module has no kernel '%s'%s (it has: %s%s)"):format(name,
    core.near(name, names), #names > 0 and table.concat(names, ", ") or "none",
    of_templates(artifact)))
end

-- Raises for a kernel without a name, where a module does not have exactly one.
local function not_one(artifact)
  local names = names_of(artifact)
  if #names == 0 then
    core.misuse("kernel: the source has no kernel" .. of_templates(artifact))
  end
  core.misuse(("kernel: the source has %d kernels (%s): give the name of one"):format(#names,
    table.concat(names, ", ")))
end

return { unknown_kernel = unknown_kernel, not_one = not_one }
