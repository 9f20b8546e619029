-- hints.lua: what to write instead of something that the compiler has refused, where it stems from
-- another library or an older CUDA.

-- The name in foreign.lua, a pattern of the log, one of the text, and an option that was given.
local SIGNS = {
  { "texture", "texture is not a template" },
  { "surface", "surface is not a template" },
  { "cub/device", "/cub/device/[%w_/]+%.cuh%(%d+%): error" },
  { "<<<>>>", "device%-side kernel launch could not be processed" },
  { "cudaDeviceSynchronize", 'identifier "cudaDeviceSynchronize" is undefined' },
  { "cudaGridDependencySynchronize", 'identifier "cudaGridDependencySynchronize" is undefined' },
  { "cudaTriggerProgrammaticLaunchCompletion",
    'identifier "cudaTriggerProgrammaticLaunchCompletion" is undefined' },
  { "cudaGraphSetConditional", 'identifier "cudaGraphSetConditional" is undefined' },
  { "__cluster_dims__", "__cluster_dims__ is not supported for this" },
  { "this_cluster", 'has no member "this_cluster"' },
  { "${name}", "unrecognized token", "%${[%a_][%w_]*}" },
  { "extern_c", "linkage specification is incompatible", "", "extern_c" },
}

local function applies(spec, log, refused, written, option)
  return log:find(refused) and (not written or spec.text:find(written))
    and (not option or spec[option])
end

local MOST = 4

-- hints.of(spec, log) -> the lines to add to the errors of a source, "" where there are none
local function of(spec, log)
  local foreign = require "luacuda.base.foreign"
  local lines, said = {}, {}
  local function add(...)
    local sentence = (...):format(select(2, ...))
    if not said[sentence] and #lines < MOST then lines[#lines + 1] = "\n" .. sentence end
    said[sentence] = true
  end
  for _, sign in ipairs(SIGNS) do
    local name = sign[1]
    if applies(spec, log, table.unpack(sign, 2)) then
      local sentence = foreign.sentence("source", name)
      if not said[sentence] then lines[#lines + 1] = ("\n'%s': %s"):format(name, sentence) end
      said[sentence] = true
    end
  end
  require "luacuda.source.advice"(spec, log, add)
  return table.concat(lines)
end

return { of = of }
