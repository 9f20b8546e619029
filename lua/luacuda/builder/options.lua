-- options.lua: what the kernel builders tell the compiler.

-- Options of cuda.kernel that the builders pass on.
local NAMES = { "flags", "defines", "include_dirs", "headers", "std", "debug", "lineinfo", "fast_math", "backend", "cache" }

local function copy(t)
  local own = {}
  for key, value in pairs(t) do own[key] = value end
  return own
end

-- read(what, given) -> those among `given`, taken once: equal for all kernels, whatever becomes of the caller's tables. Raises for
-- wrong ones.
local function read(what, given)
  local options = {}
  for _, key in ipairs(NAMES) do
    local value = given[key]
    options[key] = type(value) == "table" and copy(value) or value
  end
  require("luacuda.options").read(what, "void f();", options)
  return options
end

-- known(first, ...) -> a list of the names `first, ...` and NAMES
local function known(...)
  local list = { ... }
  return table.move(NAMES, 1, #NAMES, #list + 1, list)
end

return { read = read, known = known }
