-- The specs that cover a source file. They are found by name: the specs whose names begin with the
-- longest possible run of words of the file's name, so that lua/luacuda/files/npy_format.lua has
-- npy_spec.lua, and src/lua/array/lcul_array_copy.c has array_copy_spec.lua; likewise for
-- spec/c/test_*.c. The rows below add others, and the general specs come last for every file.
local M = {}

-- Pattern of the path -> names. "c:NAME" is spec/c/test_NAME.c; a "*" at the end selects all names
-- with this prefix.
M.rows = {
  { "^src/base/", "c:base dtypes" },
  { "^src/base/lcu_dtype", "dtype array_copy array_access" },
  { "^src/base/lcu_file", "cache npy npz" },
  { "^src/base/lcu_sha256", "hash" },
  { "^lua/luacuda/tuning/", "tune search store output ahead" },
  { "^src/base/lcu_crc32", "hash npz" },
  { "^src/base/lcu_thread", "states c:ptx_launch" },
  { "^src/cuda/", "c:cuda device error compile" },
  { "^src/cuda/cu_driver", "c:shim" },
  { "^src/cuda/cu_blas", "c:blas linalg" },
  { "^src/cuda/cu_hostblas", "host_gemm" },
  { "^src/gemm/", "host_gemm" },
  { "^src/sort/", "host_sort c:sort" },
  { "^src/ptx/", "c:ptx_* hostile math operators" },
  { "^src/ptx/exec/ptx_check", "c:ptx_races c:ptx_check checks" },
  { "^src/ptx/exec/ptx_count", "line_profile" },
  { "^src/ptx/exec/ptx_profile", "line_profile step" },
  { "^src/ptx/exec/ptx_traffic", "line_profile" },
  { "^src/ptx/exec/ptx_trace", "step" },
  { "^src/ptx/exec/ptx_children", "device_runtime" },
  { "^src/ptx/exec/ptx_transfer", "device_runtime" },
  { "^src/ptx/exec/ptx_device_", "device_runtime" },
  { "^src/cpu/", "c:cpu_driver hostile stream event memory fault process" },
  { "/lcu_blas", "linalg" },
  { "/lcu_hostgemm", "host_gemm" },
  { "/lcu_hostsort", "host_sort" },
  { "/lcu_routine", "host_gemm host_sort" },
  { "/lcu_block", "memory gc array_host" },
  { "/lcu_compile", "compile module" },
  { "/lcu_copy", "array_copy array_host" },
  { "/lcu_copy_box", "cuda_array" },
  { "/lcu_cuda_array", "cuda_array texture texture_kinds" },
  { "/lcu_device", "stream process fault" },
  { "/lcu_entry", "kernel launch launch_args" },
  { "/lcu_fill", "array_make" },
  { "/lcu_function", "kernel launch launch_args" },
  { "^src/plan/lcu_gemm", "linalg" },
  { "/lcu_image", "module compile" },
  { "/lcu_limbo", "memory gc" },
  { "^src/plan/lcu_layout", "elementwise_layout elementwise array_copy array_view" },
  { "^src/types/lcu_demangle", "c:signature module" },
  { "^src/types/lcu_parser", "c:signature module" },
  { "/lcu_object", "gc" },
  { "/lcu_order", "c:order stream" },
  { "/lcu_peers", "peers" },
  { "/lcu_pending", "unraised owner fault" },
  { "/lcu_pool", "memory" },
  { "/lcu_process", "device process states" },
  { "/lcu_scope", "process states" },
  { "/lcu_stage", "array_copy c:order" },
  { "/lcu_state_hooks", "memory gc interrupt" },
  { "/lcu_wait", "stream event" },
  { "/lcu_work", "c:order stream" },
  { "^src/plan/lcu_reduce", "reduction array_reductions linalg" },
  { "^src/types/lcu_signature", "module launch_args" },
  { "^src/lua/state/", "array_options names" },
  { "^src/lua/value/", "dtypes dtype scalars lists launch_args array_access limits" },
  { "^src/lua/value/lcul_struct", "struct record" },
  { "^src/lua/device/", "device memory stream event" },
  { "^src/lua/array/", "array_options" },
  { "^src/lua/array/lcul_element", "struct" },
  { "^src/core/object/lcu_pointer", "managed" },
  { "/lcul_pointer_info", "managed" },
  { "/lcu_managed", "managed" },
  { "/lcu_growth", "resize" },
  { "^src/cpu/cpu_gemm", "host_gemm" },
  { "^src/cpu/cpu_routine", "host_gemm host_sort" },
  { "^src/cpu/cpu_sort", "host_sort" },
  { "^src/cpu/cpu_range", "resize c:cpu_driver" },
  { "^src/cpu/cpu_managed", "managed" },
  { "^src/cpu/cpu_pointer", "managed" },
  { "^src/cpu/cpu_profile", "line_profile step" },
  { "^src/cpu/cpu_trace", "step" },
  { "^src/lua/array/lcul_ma", "array_make" },
  { "^src/lua/array/lcul_table", "array_make array_access struct" },
  { "^src/lua/texture/", "cuda_array texture* hostile" },
  { "^src/lua/kernel/", "launch launch_args limits struct" },
  { "^src/lua/kernel/lcul_blas", "linalg" },
  { "^src/mpi/", "nccl" },
  { "^src/cuda/cu_mpi", "nccl" },
  { "^src/cuda/cu_nccl", "nccl" },
  { "^src/cuda/cu_collective", "nccl" },
  { "^src/cpu/cpu_collective", "nccl" },
  { "/lcul?_comm", "nccl" },
  { "/lcu_collective", "nccl" },
  { "^lua/luacuda/nccl/", "nccl" },
  { "^src/lua/kernel/lcul_hostsort", "host_sort" },
  { "^src/lua/kernel/lcul_suggest", "kernel launch" },
  { "^src/lua/kernel/lcul_occupancy", "kernel" },
  { "^src/lua/kernel/lcul_prepared", "prepared" },
  { "^src/lua/kernel/lcul_compile", "compile cache" },
  { "^src/lua/kernel/lcul_file", "cache npy npz" },
  { "^src/lua/kernel/lcul_global", "module" },
  { "^src/lua/builder/lcul_reduction", "array_reductions" },
  { "/array/", "arguments_intact" },
  { "/base/arguments", "array_options sort select scan linalg" },
  { "/array/conver", "array_copy operators" },
  { "/array/elements", "elements select" },
  { "/array/indices", "elements select scatter" },
  { "/array/join", "join views" },
  { "/lcul_array_join", "join" },
  { "/lcul_call_key", "plans" },
  { "/array/reductions", "array_reductions" },
  { "/array/scans", "scan" },
  { "/array/selection", "select" },
  { "/array/take", "select elements" },
  { "/array/window", "window repeats" },
  { "/array/ufunc", "operators math" },
  { "/array/unique", "select" },
  { "/files/", "npy npz" },
  { "^src/base/lcu_inflate", "c:packed npz png" },
  { "^src/base/lcu_deflate", "c:packed png" },
  { "^src/base/lcu_zlib", "npz png" },
  { "^src/base/lcu_png", "c:packed png" },
  { "lcul_packed", "npz png" },
  { "^src/base/lcu_csv", "csv" },
  { "/builder/mentions", "elementwise reduction" },
  { "/builder/params", "elementwise_params" },
  { "/builder/types", "elementwise_params elementwise" },
  { "/array/words", "select sort array_copy" },
  { "/base/lists", "elementwise fuse cache" },
  { "/base/operands", "array_options sort select linalg" },
  { "/kernel/loading", "module kernel" },
  { "/kernel/lookup", "module kernel link" },
  { "/kernel/code", "module targets link" },
  { "/builder/declaration", "elementwise" },
  { "/builder/compiler_options", "elementwise" },
  { "/fuse/", "fuse fuse_statistics" },
  { "/jit/lexer", "lexer" },
  { "/jit/literals", "lexer" },
  { "/jit/cursor", "parser" },
  { "/jit/scopes", "parser" },
  { "/jit/expressions", "parser" },
  { "/jit/statements", "parser" },
  { "/jit/declarations", "parser" },
  { "/jit/chunks", "text" },
  { "/jit/code", "text" },
  { "/jit/constants", "text" },
  { "/jit/names", "text" },
  { "/builder/variants", "elementwise reduction scan" },
  { "^lua/luacuda/[^/]*$", "compile module kernel cache" },
  { "/source/", "compile module kernel cache" },
  { "/compile/", "compile module kernel kernel_source cache" },
  { "/kernel/", "compile module kernel cache" },
  { "/linalg/", "linalg" },
  { "/base/number", "elementwise template" },
  { "/source/options", "names" },
  { "/source/plain", "names template" },
  { "/source/instance", "module link" },
  { "/compile/arch", "targets nvcc" },
  { "/compile/included", "cache headers strip" },
  { "/compile/ahead", "nvcc ahead" },
  { "/lcul_later", "names" },
  { "/source/settings", "compile module nvcc" },
  { "/source/origins", "kernel_source fault_place" },
  { "/source/positions", "kernel_source fault_place template" },
  { "/source/linking", "link" },
  { "/source/includes", "cache headers" },
  { "/source/outline", "module struct" },
  { "/source/fields", "struct kernel_source" },
  { "/source/strip", "strip" },
  { "/base/arity", "surplus surplus_names" },
  { "/source/tokens", "struct kernel_source signature_random" },
  { "/source/logs", "compile kernel_source error" },
  { "/source/faults", "fault fault_place fault_words" },
  { "^lua/luacuda/runtime", "memory device" },
}

-- Targets that a spec needs besides the module and its own program.
M.targets = { ["c:cuda"] = "fake_cublas", ["c:blas"] = "fake_cublas", linalg = "fake_cublas",
  nccl = "fake_nccl fake_libcuda" }

M.general = "array_make array_view array_access array_copy array_host launch_args launch stream "
  .. "error memory"

-- The names of all specs ("array_copy") and C tests ("c:base").
local function all_names(root)
  local names = {}
  local pipe = assert(io.popen(
    ("cd '%s' && find spec -name '*_spec.lua' -o -path 'spec/c/test_*.c'"):format(root)))
  for path in pipe:lines() do
    local name = path:match "([^/]*)_spec%.lua$" or "c:" .. path:match "test_(.*)%.c$"
    names[#names + 1] = name
  end
  pipe:close()
  table.sort(names)
  return names
end

-- The words of a source's name that specs share:
-- "src/lua/array/lcul_array_copy.c" -> "array_copy".
local function stem(path)
  return (path:match "([^/]*)%.%w+$":gsub("^lcul?_", ""):gsub("^cu_", ""):gsub("^cpu_", "")
    :gsub("^ptx_", ""))
end

-- The names equal to `stem` or beginning with it and "_"; if there are none, those for the stem
-- without its last word.
local function named_like(names, words)
  while words do
    local found = {}
    for _, name in ipairs(names) do
      local bare = name:gsub("^c:", "")
      if bare == words or bare:sub(1, #words + 1) == words .. "_" then found[#found + 1] = name end
    end
    if #found > 0 then return found end
    words = words:match "^(.*)_[^_]*$"
  end
  return {}
end

local function expand(names, word, add)
  local start = word:match "^(.*)%*$"
  for _, name in ipairs(names) do
    if name == word or (start and name:sub(1, #start) == start) then add(name) end
  end
end

-- The names of the specs that cover a source, C tests first; with `all`, every other one too.
function M.of(root, path, all)
  local names, list, seen = all_names(root), {}, {}
  local function add(name)
    if not seen[name] then list[#list + 1] = name end
    seen[name] = true
  end
  for _, name in ipairs(named_like(names, stem(path))) do add(name) end
  for _, row in ipairs(M.rows) do
    if path:find(row[1]) then
      for word in row[2]:gmatch "%S+" do expand(names, word, add) end
    end
  end
  for word in M.general:gmatch "%S+" do expand(names, word, add) end
  if all then expand(names, "*", add) end
  table.sort(list, function(a, b) return a:find "^c:" ~= nil and b:find "^c:" == nil end)
  return list
end

return M
