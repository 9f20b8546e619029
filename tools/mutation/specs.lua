-- The specs that cover a source file. They are found by name: the specs whose names begin with the
-- longest possible run of words of the file's name, so that lua/luacuda/files/npy_format.lua has
-- files/npy_spec.lua, and src/lua/array/lcul_array_copy.c has array/array_copy_spec.lua; likewise
-- for C tests, test_*.c. Where several rooms have a spec of that name, that of the source's room
-- counts. The rows below add others, and the general specs come last for every file.
--
-- A spec is named by its path in spec, "device/memory"; "gpu:device/memory" is the same on the fake
-- GPU, for what the CPU device does without kernels; "c:NAME" is test_NAME.c.
local M = {}

-- Pattern of the path -> names. A name without a room selects the spec of that name, of which there
-- may be only one; a "*" at the end selects all names with this prefix.
M.rows = {
  { "^shared/base/", "c:base dtypes" },
  { "^shared/base/lcu_dtype", "dtype array_copy array_access" },
  { "^shared/base/lcu_file", "cache npy npz" },
  { "^shared/base/lcu_sha256", "hash c:sha256" },
  { "^lua/luacuda/tuning/", "tune search store output chart ahead" },
  { "^src/system/lcu_crc32", "hash npz" },
  { "^shared/base/lcu_thread", "states c:ptx_launch" },
  { "^shared/cuda/", "c:cuda device error compile" },
  { "^shared/cuda/cu_driver", "c:shim" },
  { "^src/libraries/", "c:cuda named_library" },
  { "^src/libraries/cu_dtype", "cuda_array dlpack tensor_map" },
  { "^lua/luacuda/base/c_types", "struct elementwise_params" },
  { "^src/libraries/cu_hostblas", "host_gemm" },
  { "^src/libraries/cu_shim", "c:shim" },
  { "^src/libraries/cu_blas", "c:blas linalg" },
  { "^shared/cuda/cu_hostblas", "host_gemm" },
  { "^cpu/src/gemm/", "host_gemm" },
  { "^cpu/src/sort/", "host_sort c:sort" },
  { "^cpu/src/ptx/", "c:ptx_* hostile math operators" },
  { "^cpu/src/ptx/isa/ptx_select", "device/levels" },
  { "^cpu/src/ptx/check/", "c:ptx_races c:ptx_check checks checks_shared checks_order "
    .. "async/faults" },
  { "^cpu/src/ptx/observe/ptx_count", "line_profile" },
  { "^cpu/src/ptx/observe/ptx_profile", "line_profile step" },
  { "^cpu/src/ptx/observe/ptx_traffic", "line_profile" },
  { "^cpu/src/ptx/observe/ptx_trace", "step" },
  { "^cpu/src/ptx/children/", "device_runtime" },
  { "^cpu/src/device/", "c:cpu_driver hostile stream event device/memory fault process" },
  { "/lcu_blas", "linalg" },
  { "/lcu_hostgemm", "host_gemm" },
  { "/lcu_hostsort", "host_sort" },
  { "/lcu_routine", "host_gemm host_sort" },
  { "/lcu_block", "device/memory gc array_host" },
  { "/lcu_compile", "compile module" },
  { "/lcu_copy", "array_copy array_host" },
  { "/lcu_copy_box", "cuda_array" },
  { "/lcu_cuda_array", "cuda_array texture texture_kinds" },
  { "/lcu_device", "stream process fault" },
  { "/lcu_entry", "kernel launch launch_args" },
  { "/lcu_fill", "array_make" },
  { "/lcu_function", "kernel launch launch_args cluster" },
  { "^shared/base/lcu_gemm", "linalg" },
  { "/lcu_image", "module compile" },
  { "/lcu_limbo", "device/memory gc" },
  { "^src/plan/lcu_layout", "elementwise_layout elementwise array_copy array_view" },
  { "^src/types/lcu_demangle", "c:signature module" },
  { "^src/types/lcu_parser", "c:signature module" },
  { "^cpu/src/llvm/", "compiler_process compiled c:ptx_jit" },
  { "/lcu_object", "gc" },
  { "/lcu_order", "c:order stream" },
  { "/lcu_caller", "owner fault_place" },
  { "/lcu_peers", "peers" },
  { "/lcu_pending", "unraised owner fault" },
  { "/lcu_pool", "device/memory" },
  { "/lcu_process", "device process states" },
  { "/lcu_scope", "process states" },
  { "/lcu_stage", "array_copy c:order" },
  { "/lcu_state_hooks", "device/memory gc interrupt" },
  { "/lcu_wait", "stream event" },
  { "/lcu_work", "c:order stream" },
  { "^src/plan/lcu_reduce", "reduction array_reductions linalg reductions_numpy" },
  { "^src/types/lcu_signature", "module launch_args" },
  { "^src/lua/state/", "array_options errors/names" },
  { "^src/lua/value/", "dtypes dtype scalars lists launch_args array_access limits" },
  { "^src/lua/value/lcul_struct", "struct record" },
  { "^src/lua/device/", "device device/memory stream event" },
  { "^src/lua/array/", "array_options" },
  { "^src/lua/array/lcul_element", "struct" },
  { "^src/core/stream/lcu_pointer", "managed" },
  { "/lcul_pointer_info", "managed" },
  { "/lcu_managed", "managed" },
  { "/lcu_growth", "resize" },
  { "^cpu/src/face/", "c:cuda cuda_program" },
  { "^cpu/src/gpus/", "cuda_program gpu:peers gpu:peer_memory gpu:ipc gpu:device/memory" },
  { "^cpu/src/device/code/cpu_library", "cuda_program" },
  { "^cpu/src/device/code/cpu_graph", "cuda_program graph_change" },
  { "^cpu/src/device/data/cpu_word", "cuda_program" },
  { "^cpu/src/device/graph/", "cuda_program graph_change graph_capture" },
  { "^cpu/src/device/order/cpu_user_object", "cuda_program" },
  { "^cpu/src/device/routine/cpu_gemm", "host_gemm" },
  { "^cpu/src/device/routine/cpu_routine", "host_gemm host_sort" },
  { "^cpu/src/device/routine/cpu_sort", "host_sort" },
  { "^cpu/src/device/memory/cpu_range", "resize c:cpu_driver" },
  { "^cpu/src/device/data/cpu_managed", "managed" },
  { "^cpu/src/device/memory/cpu_pointer", "managed" },
  { "^cpu/src/device/code/cpu_profile", "line_profile step" },
  { "^cpu/src/device/order/cpu_trace", "step" },
  { "^src/lua/array/lcul_ma", "array_make" },
  { "^src/lua/array/lcul_table", "array_make array_access struct" },
  { "^src/lua/texture/", "cuda_array texture* hostile" },
  { "^src/lua/kernel/", "launch launch_args limits struct" },
  { "^src/lua/kernel/lcul_blas", "linalg" },
  { "^src/mpi/", "nccl" },
  { "^src/libraries/cu_mpi", "nccl" },
  { "^src/libraries/cu_nccl", "nccl" },
  { "^shared/cuda/cu_collective", "nccl" },
  { "^cpu/src/device/routine/cpu_collective", "nccl" },
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
  { "/array/axes", "views matrices window" },
  { "/array/diagonal", "matrices" },
  { "/array/diff", "matrices" },
  { "/array/extremes", "histogram average" },
  { "/array/first_source", "gpu:array/partition gpu:select" },
  { "/array/grids", "matrices" },
  { "/array/index", "array/elements select wrap" },
  { "/array/interp", "calculus" },
  { "/array/pad", "window" },
  { "/array/ranks", "array/partition quantile select" },
  { "/array/rep", "repeats" },
  { "/array/roll", "repeats window plans" },
  { "/array/split", "views" },
  { "/array/values", "histogram average searching close quantile" },
  { "/base/arguments", "array_options sort select scan linalg" },
  { "/array/conver", "array_copy operators" },
  { "/array/elements", "array/elements select" },
  { "/array/indices", "array/elements select scatter" },
  { "/array/join", "join views imaginary" },
  { "/lcul_array_join", "join" },
  { "/lcul_array_index", "record" },
  { "/lcul_assign", "gpu:device/peer_memory gpu:device/spread checks checks_written" },
  { "/lcu_wait", "checks_written" },
  { "^cpu/src/device/data/cpu_[bcf]", "checks_written" },
  { "^cpu/src/device/memory/cpu_map", "checks_written" },
  { "/lcu_module%.", "module states" },
  { "/lcu_tensor_map", "tensor_map" },
  { "/lcul_range", "device/profile" },
  { "/ptx_parse_taken", "handwritten_ptx" },
  { "/lcul_call_key", "plans" },
  { "/array/reductions", "array_reductions reductions_numpy" },
  { "/array/nan_reductions", "reductions_numpy" },
  { "/array/moments", "reductions_numpy" },
  { "/array/operators", "comparisons bool_bytes" },
  { "/builder/prelude", "bool_bytes comparisons complex_range complex_special" },
  { "/array/scans", "scan" },
  { "/array/selection", "select" },
  { "/array/take", "select array/elements" },
  { "/array/window", "window repeats" },
  { "/array/ufunc", "operators math" },
  { "/array/unique", "select" },
  { "/files/", "npy npz" },
  { "^src/system/lcu_inflate", "c:packed npz png" },
  { "^src/system/lcu_deflate", "c:packed png" },
  { "^src/libraries/cu_zlib", "npz png" },
  { "^src/system/lcu_png", "c:packed png" },
  { "lcul_packed", "npz png" },
  { "^src/system/lcu_csv", "csv" },
  { "/builder/mentions", "elementwise reduction" },
  { "/builder/params", "elementwise_params" },
  { "/builder/types", "elementwise_params elementwise builder/structs" },
  { "/builder/struct_types", "builder/structs builder/struct_elements" },
  { "/array/words", "select sort array_copy" },
  { "/base/lists", "elementwise fuse cache" },
  { "/base/operands", "array_options sort select linalg" },
  { "/kernel/loading", "module kernel" },
  { "/kernel/lookup", "module kernel link" },
  { "/kernel/code", "module targets link" },
  { "/builder/declaration", "elementwise" },
  { "/builder/compiler_options", "elementwise" },
  { "/fuse/", "fuse fuse_statistics" },
  { "/jit/cpp/", "jit/device_function" },
  { "/jit/read/", "jit/parser jit/text" },
  { "/jit/read/free_names", "jit/names" },
  { "/jit/emit/generator_source", "jit/generators array/random*" },
  { "/jit/emit/grid_text", "jit/loops" },
  { "/jit/names/warp_parts", "jit/groups" },
  { "/jit/names/texture_calls", "jit/textures" },
  { "/jit/run_in_lua/", "jit/host" },
  { "/jit/element_kernel", "jit/vectorize array/elements" },
  { "^lua/luacuda/jit/", "jit/*" },
  { "^lua/luacuda/tiles/", "tiles/*" },
  { "/tuning/tile_tuning", "tiles/tile_tuning" },
  { "/builder/variants", "elementwise reduction scan" },
  { "^lua/luacuda/[^/]*$", "compile module kernel cache" },
  { "/source/", "compile module kernel cache" },
  { "/compile/", "compile module kernel kernel_source cache" },
  { "/kernel/", "compile module kernel cache" },
  { "/linalg/", "linalg einsum matrices" },
  { "/linalg/gemm", "gpu:array/linalg" },
  { "/array/sort", "gpu:array/sort" },
  { "/base/number", "elementwise template" },
  { "/source/options", "errors/names" },
  { "/source/driver_options", "link kernel_source" },
  { "/source/plain", "errors/names template" },
  { "/source/instance", "module link" },
  { "/compile/arch", "targets nvcc" },
  { "/compile/included", "cache headers strip" },
  { "/compile/ahead", "nvcc ahead" },
  { "/lcul_later", "errors/names" },
  { "/source/settings", "compile module nvcc" },
  { "/source/origins", "kernel_source fault_place" },
  { "/source/positions", "kernel_source fault_place template" },
  { "/source/linking", "link" },
  { "/source/includes", "cache headers" },
  { "/source/outline", "module struct" },
  { "/source/fields", "struct kernel_source" },
  { "/source/strip", "strip" },
  { "/base/arity", "surplus surplus_names forms" },
  { "/base/either", "forms" },
  { "/base/foreign", "errors/foreign other_libraries" },
  { "^lua/luacuda/help", "project/api other_libraries" },
  { "^lua/luacuda/manual/", "project/api docgen types" },
  { "/source/tokens", "struct kernel_source signature_random" },
  { "/source/logs", "compile kernel_source error" },
  { "/source/faults", "fault fault_place fault_words" },
  { "/base/class", "misuse kernel template" },
  { "/base/columns", "output line_profile device" },
  { "/base/json", "profile store" },
  { "/base/later", "module link" },
  { "/base/notes", "select sort" },
  { "/builder/instances", "jit/bodies_*" },
  { "/builder/macros", "builder_macros" },
  { "/builder/raw_text", "elementwise jit/bodies_elementwise" },
  { "^lua/luacuda/profiling/", "line_profile device/profile step estimate listing" },
  { "/profiling/dwarf", "fault_report" },
  { "/lcu_capture", "graph_capture graph_change" },
  { "/lcu_kept", "graph_capture gc" },
  { "/lcu_pool", "device/memory graph_capture" },
  { "/lcu_recent", "fault unraised" },
  { "/lcu_recording", "graph_capture" },
  { "/lcu_stream", "stream order" },
  { "/lcu_timeline", "profile" },
  { "/lcu_launch", "launch launch_args cluster" },
  { "/lcu_lto", "link" },
  { "^src/lua/builder/", "elementwise reduction scan" },
  { "/lcul_family", "jit/jit jit/jit_calls jit/host" },
  { "/lcul_guards", "fuse jit/host jit/jit_values" },
  { "/lcul_upvalues", "fuse jit/host jit/jit_values" },
  { "/lcul_from_dlpack", "dlpack" },
  { "/lcul_handle", "dlpack wrap owner" },
  { "/lcul_core", "api process" },
  { "/lcu_type_print", "c:signature signature signature_random" },
  { "^lua/luacuda/runtime", "device/memory device" },
}

-- Targets that a spec needs besides the module and its own program; "gpu": that of the fake GPU.
M.targets = { gpu = "luacuda_cpu_for_programs", ["c:cuda"] = "fake_cublas",
  ["c:blas"] = "fake_cublas",
  ["array/linalg"] = "fake_cublas", ["device/nccl"] = "fake_nccl luacuda_cpu_for_programs",
  ["device/profile"] = "fake_nvtx" }

-- Specs of a whole layer, which come after those of a file.
M.layers = {
  { "^lua/luacuda/array/", "arguments_intact" },
}

M.general = "array/array_make array/array_view array/array_access array/array_copy "
  .. "array/array_host kernel/launch_args kernel/launch device/stream errors/error device/memory"

-- The names of all specs ("array/array_copy") and C tests ("c:base").
function M.names(root)
  local names = {}
  local pipe = assert(io.popen(
    ("cd '%s' && find spec shared cpu/test -name '*_spec.lua' -o -name 'test_*.c' 2>/dev/null")
      :format(root)))
  for path in pipe:lines() do
    names[#names + 1] = path:match "^spec/(.*)_spec%.lua$" or "c:" .. path:match "test_(.*)%.c$"
  end
  pipe:close()
  table.sort(names)
  return names
end

-- "array/array_copy" -> "array_copy"; "c:base" -> "base"
local function bare(name) return name:match "[^/:]*$" end

-- The words of a source's name that specs share:
-- "src/lua/array/lcul_array_copy.c" -> "array_copy".
local function stem(path)
  return (path:match "([^/]*)%.%w+$":gsub("^lcul?_", ""):gsub("^cu_", ""):gsub("^cpu_", "")
    :gsub("^ptx_", ""))
end

-- Those of the names that are in a room of the source, or all if none is.
local function of_room(names, path)
  local found = {}
  for _, name in ipairs(names) do
    local room = name:match "^(.*)/"
    if not room or path:find("/" .. room .. "/", 1, true) then found[#found + 1] = name end
  end
  return #found > 0 and found or names
end

-- The names equal to `words` or beginning with it and "_"; if there are none, those for the words
-- without the last one.
local function named_like(names, words)
  while words do
    local found = {}
    for _, name in ipairs(names) do
      if (bare(name) .. "_"):sub(1, #words + 1) == words .. "_" then found[#found + 1] = name end
    end
    if #found > 0 then return found end
    words = words:match "^(.*)_[^_]*$"
  end
  return {}
end

-- The names that a word of a row selects: "memory", "device/memory", "c:ptx_*", "jit/*",
-- "gpu:array/sort".
function M.expand(names, word)
  local on_gpu = word:match "^gpu:(.*)"
  if on_gpu then
    local list = M.expand(names, on_gpu)
    for i, name in ipairs(list) do list[i] = "gpu:" .. name end
    return list
  end
  local found, start = {}, word:match "^(.*)%*$"
  for _, name in ipairs(names) do
    local subject = (word:find "[/:]" or name:find "^c:") and name or bare(name)
    if subject == word or (start and subject:sub(1, #start) == start) then
      found[#found + 1] = name
    end
  end
  return found
end

-- A list without duplicates.
local function set()
  local list, seen = {}, {}
  local function add(names)
    for _, name in ipairs(names) do
      if not seen[name] then list[#list + 1] = name end
      seen[name] = true
    end
  end
  return list, add
end

-- The words of the rows whose pattern the path matches.
local function rows_of(rows, path)
  local words = {}
  for _, row in ipairs(rows) do
    if path:find(row[1]) then words[#words + 1] = row[2] end
  end
  return table.concat(words, " "):gmatch "%S+"
end

-- The specs of one source: by its name and by the rows.
function M.special(names, path)
  local list, add = set()
  add(of_room(named_like(names, stem(path)), path))
  for word in rows_of(M.rows, path) do add(M.expand(names, word)) end
  return list
end

-- The names of the specs that cover a source, special ones first, and how many those are; with
-- `all`, they include every other spec.
function M.of(root, path, all)
  local names = M.names(root)
  local list, add = set()
  add(M.special(names, path))
  local special = #list
  for word in rows_of(M.layers, path) do add(M.expand(names, word)) end
  for word in M.general:gmatch "%S+" do add(M.expand(names, word)) end
  if all then add(names) end
  return list, special
end

return M
