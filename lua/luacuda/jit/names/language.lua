-- language.lua: loads the names of the kernel's language, a file for each family.

require "luacuda.jit.names.memory"
require "luacuda.jit.names.dynamic"
require "luacuda.jit.names.loops"
require "luacuda.jit.names.math_functions"
require "luacuda.jit.names.generators"
require "luacuda.jit.names.texture_calls"
require "luacuda.jit.names.warp_parts"
require "luacuda.jit.names.time"

return require "luacuda.jit.names.gpu"
