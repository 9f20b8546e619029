-- language.lua: loads the names of the kernel's language, a file for each family.

require "luacuda.jit.memory"
require "luacuda.jit.dynamic_names"
require "luacuda.jit.loop_names"
require "luacuda.jit.math_names"
require "luacuda.jit.random_names"
require "luacuda.jit.texture_names"
require "luacuda.jit.tile_names"
require "luacuda.jit.time_names"

return require "luacuda.jit.gpu"
