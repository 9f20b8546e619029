std = "lua54"
max_line_length = 100
exclude_files = { "build", "build.luarocks", "out" }
-- Files of data may be one long table; a method need not use its receiver.
self = false
-- Specs hold values only to keep them alive, and drop them to see what the collector does.
files["spec"] = { std = "+busted", ignore = { "241", "311", "331" } }
-- Kernels in Lua use the names of their own language.
stds.kernel = { read_globals = { "grid", "shared", "array", "threadIdx", "blockIdx", "blockDim",
  "gridDim", "warpSize", "laneid", "syncthreads", "syncthreads_and",
  "syncthreads_count", "syncthreads_or", "syncwarp", "threadfence", "atomic_add", "atomic_sub",
  "atomic_max", "atomic_min", "atomic_and", "atomic_or", "atomic_xor", "atomic_exch",
  "atomic_cas", "shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync", "any_sync",
  "all_sync", "ballot_sync", "match_any_sync", "activemask", "popc", "clz", "float32", "float64",
  "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float16", "complex64", "nothing",
  "threadIdz", "random", "unroll", "tile", "syncgrid", "match_all_sync", "dynamic_shared", "tex",
  "surf_read", "surf_write", "fma", "rsqrt", "exp10", "sinpi", "cospi", "ffs", "clock",
  "nanosleep" } }
-- So do kernels over tiles; `load` is also one of Lua's.
stds.tiles = { read_globals = { "program", "programs", "tiles", "at", "store", "zeros", "full",
  "iota", "transpose", "where", "dot", "sum", "max", "min", "any", "all", "atomic_add",
  "float16", "bfloat16", "float32", "float64", "int8", "uint8", "int16", "int32", "int64", "fma",
  "rsqrt", "unroll" } }
files["examples/lua"] = { std = "lua54+kernel" }
files["examples/tiles"] = { std = "lua54+tiles" }
files["bench"] = { std = "lua54+kernel" }
files["bench/tiles*.lua"] = { std = "lua54+kernel+tiles" }
files["spec/tiles"] = { std = "+busted+tiles", ignore = { "211", "241", "311", "331" } }
files["spec/support/array_uses.lua"] = { std = "+tiles" }
files["spec/jit"] = { std = "+busted+kernel", ignore = { "211", "241", "311", "331" } }
-- The settings files of tools assign globals.
files["*.rockspec"] = { std = "+rockspec" }
files[".luacheckrc"] = { std = "+luacheckrc" }
