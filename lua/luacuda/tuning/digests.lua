-- digests.lua: digests of what a candidate consists of: the code of Lua functions, and the sources
-- of the modules that a function makes. Winners on disk are forgotten when these change.

local core = require "luacuda.core"
local lists = require "luacuda.base.lists"
local dependencies = require "luacuda.compile.dependencies"
local toolchain = require "luacuda.compile.toolchain"
local watch = require "luacuda.kernel.watch"

-- The code of a Lua function, without its upvalues; "" for other callable values.
local function of_function(fn)
  local ok, text = pcall(string.dump, fn, true)
  return ok and text or ""
end

-- What stands for a compiler that is installed: its version and file.
local function compiler_text(spec)
  local ok, tools = pcall(toolchain.known, spec)
  if not ok then return "none" end
  return ("%s %s %s"):format(tools.major, tools.minor, tools.path_stamp)
end

local function add_files(parts, spec)
  for _, texts in ipairs { spec.headers, (dependencies.of(spec)) } do
    for _, name in ipairs(lists.sorted_keys(texts)) do
      parts[#parts + 1] = name
      parts[#parts + 1] = texts[name]
    end
  end
end

local function add_unit(parts, spec)
  if not spec.text then
    parts[#parts + 1] = spec.binary or ""
    return
  end
  parts[#parts + 1] = spec.text
  parts[#parts + 1] = table.concat(spec.flags, "\0")
  parts[#parts + 1] = table.concat(spec.defines, "\0")
  parts[#parts + 1] = table.concat(spec.instances, "\0")
  parts[#parts + 1] = ("%s %s %s %s"):format(spec.arch, spec.std, spec.fast_math, spec.debug)
  if spec.backend == "nvcc" then parts[#parts + 1] = compiler_text(spec) end
  add_files(parts, spec)
end

local function of_states(states)
  local parts = {}
  for _, state in ipairs(states) do
    local link = state.base.link
    for _, unit in ipairs(link and link.units or { state.base }) do add_unit(parts, unit) end
  end
  return core.sha256(table.unpack(parts))
end

-- digest_of(make, p) -> the digest of the modules that make(p) makes, its first two results, and
-- the states of these modules
local function digest_of(make, p)
  local states, result, more = watch.run(make, p)
  return of_states(states), result, more, states
end

return { of_function = of_function, compiler_text = compiler_text, digest_of = digest_of }
