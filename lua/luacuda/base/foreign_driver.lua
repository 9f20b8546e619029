-- foreign_driver.lua: names of PyCUDA's driver and tools and of CuPy's runtime, memory and random
-- modules: rows of foreign.lua.

local DISTRIBUTIONS = "LuaCUDA draws uniform, normal, exponential, gamma, poisson and binomial "
  .. "numbers; compute others from cuda.random.uniform(shape), for example -scale * cuda.log(u)"
local STATES = "cuda.random.generator(seed) makes a separate generator, generator:seed(n) sets "
  .. "its state"
local BITS = "cuda.random.bits(shape) gives random bits"
local POOL = "the pool of a device allocates all memory: cuda.pool() returns it, cuda.alloc(bytes) "
  .. "takes raw memory from it"
local TEXTURES = "texture references are gone from CUDA 12: cuda.texture(source, { filter =, "
  .. "address =, normalized = }) makes a texture"
local LIMITS = "device:limit(name, value) sets a limit by its name, such as stack_size"
local ATTRIBUTES = "device:attribute(name) and kernel:attributes() return attributes by their "
  .. "lower-case names"
local HANDLES = "array:ipc_handle() gives a handle to memory made with the option 'ipc', "
  .. "cuda.open_ipc(handle) opens it"

return {
  -- modules and memory of CuPy
  { "cuda", "BaseMemory Memory MemoryAsync malloc_async mallocAsync mallocFromPoolAsync "
    .. "MemoryAsyncPool PythonFunctionAllocator CFunctionAllocator get_allocator using_allocator "
    .. "set_pinned_memory_allocator get_default_pinned_memory_pool PinnedMemoryPool memPoolCreate "
    .. "memPoolDestroy memPoolTrimTo deviceGetDefaultMemPool deviceGetMemPool deviceSetMemPool "
    .. "PageLockedAllocator PooledDeviceAllocation PooledHostAllocation", POOL },
  { "cuda", "PinnedMemory PinnedMemoryPointer hostAlloc freeHost", "cuda.pinned(shape, dtype) "
    .. "makes a page-locked array, array:close() frees it" },
  { "cuda", "hostUnregister", "array:close() ends the registration that cuda.register(array) "
    .. "made" },
  { "cuda", "ManagedMemory mallocManaged", "cuda.managed(shape, dtype) makes an array in managed "
    .. "memory" },
  { "cuda", "MemoryHook memory_hook memory_hooks DebugPrintHook LineProfileHook DebugMemoryPool",
    "cuda.debug{ allocations = true } records where memory is allocated, and cuda.allocations() "
    .. "lists it" },
  { "cuda", "freeAsync freeArray", "array:close() frees an array in the order of its streams" },
  { "cuda", "mallocArray malloc3DArray", "cuda.cuda_array(shape, dtype) makes a CUDA array" },
  { "cuda", "memcpyAsync memcpyPeerAsync", "cuda.copy(dst, src, { stream = }) queues a copy "
    .. "between arrays of any memory and device" },
  { "cuda", "memcpy2DAsync memcpy2DFromArrayAsync memcpy2DToArrayAsync", "cuda.copy2d{ dst =, src "
    .. "=, stream = } copies rows at a pitch, cuda.copy also from and to CUDA arrays" },
  { "cuda", "memcpy3DAsync", "cuda.copy3d{ dst =, src =, stream = } copies boxes of bytes" },
  { "cuda", "memsetAsync", "cuda.memset(array, value, n, { stream = }) queues it" },
  { "cuda", "get_device_id", "device.ordinal is the number of a GPU, and cuda.device() the current "
    .. "device" },
  { "cuda", "get_cublas_handle", "cuda.matmul(a, b) calls cuBLAS by itself" },
  { "cuda", "get_cuda_path get_nvcc_path get_hipcc_path get_rocm_path get_local_runtime_version "
    .. "get_runtime_info", "cuda.diagnose() reports every path tried and every version found" },
  { "cuda", "function", "cuda.kernel(source, name) makes one kernel, cuda.module(source) a module "
    .. "of several" },
  { "cuda", "memoize clear_memo context_dependent_memoize", "a table in Lua keeps "
    .. "results, and cuda.cache keeps compiled code" },
  { "cuda", "allow_synchronize DeviceSynchronized", "cuda.no_sync(fn) raises an error if fn "
    .. "waits for the device" },
  { "cuda", "Mark MarkC RangePushC", "cuda.range(name) names a part of the program" },
  -- the runtime of CUDA
  { "cuda", "deviceGetAttribute", "device:attribute(name) is an attribute" },
  { "cuda", "deviceGetByPCIBusId deviceGetPCIBusId", "cuda.device(selector) takes a PCI bus id, "
    .. "device.pci_bus_id is one" },
  { "cuda", "deviceGetLimit deviceSetLimit limit", LIMITS },
  { "cuda", "eventCreate eventCreateWithFlags", "cuda.event{ timing =, blocking = } makes an "
    .. "event" },
  { "cuda", "eventDestroy eventElapsedTime eventQuery eventRecord eventSynchronize", "events have "
    .. "methods: event:record(stream), event:synchronize(), event:is_done(), "
    .. "event:elapsed_ms(start), event:close()" },
  { "cuda", "streamCreate streamCreateWithFlags streamCreateWithPriority", "cuda.stream{ blocking "
    .. "=, priority = } makes a stream" },
  { "cuda", "streamDestroy streamQuery streamSynchronize streamWaitEvent streamAddCallback "
    .. "launchHostFunc", "streams have methods: stream:wait(event), stream:synchronize(), "
    .. "stream:is_done(), stream:call(fn), stream:close()" },
  { "cuda", "graphInstantiate graphLaunch graphUpload graphDestroy graphExecDestroy "
    .. "graphDebugDotPrint", "cuda.graph(fn) makes a graph with the methods graph:launch(), "
    .. "graph:dot() and graph:close()" },
  { "cuda", "ipcGetMemHandle ipcOpenMemHandle ipcCloseMemHandle mem_get_ipc_handle IPCMemoryHandle "
    .. "ipc_mem_flags", HANDLES },
  { "cuda", "ipcGetEventHandle ipcOpenEventHandle", "event:ipc_handle() gives a handle to an event "
    .. "made with the option 'interprocess', cuda.open_ipc(handle) opens it" },
  -- PyCUDA
  { "cuda", "VERSION_STATUS", "cuda.VERSION is the version" },
  { "cuda", "CudaModule", "cuda.module(source) compiles CUDA C++ or loads PTX and machine code" },
  { "cuda", "compile_plain", "cuda.compile(source, { target = \"ptx\" }) returns compiled code" },
  { "cuda", "preprocess_source", "cuda.preprocess(source) returns the preprocessed text" },
  { "cuda", "DEFAULT_NVCC_FLAGS", "cuda.default_flags(flags) sets flags for every source" },
  { "cuda", "jit_option jit_target jit_fallback jit_input_type", "the option 'jit' of cuda.module "
    .. "is a table of options of the driver's PTX compiler, such as max_registers" },
  { "cuda", "characterize has_double_support has_stack platform_bits sizeof",
    "device:supports(name) returns whether a device has a feature, and module:sizeof(type) the "
    .. "size of a type" },
  { "cuda", "device_attribute function_attribute compute_mode", ATTRIBUTES },
  { "cuda", "event_flags", "cuda.event{ timing =, blocking =, interprocess = } sets flags by "
    .. "name" },
  { "cuda", "host_alloc_flags mem_host_register_flags", "cuda.pinned(shape, dtype, { "
    .. "write_combined = true }) sets a flag by name; memory is always portable and mapped" },
  { "cuda", "mem_attach_flags", "array:attach(stream) reserves managed memory for one stream, the "
    .. "option 'attach' of cuda.managed says who may use it at first" },
  { "cuda", "memory_type", "array.memory says what memory an array has, cuda.pointer_info(address) "
    .. "what an address is" },
  { "cuda", "mem_get_address_range", "cuda.pointer_info(address) says where the memory of an "
    .. "address begins" },
  { "cuda", "graphics_register_flags have_gl_ext gl", "LuaCUDA shares no memory with OpenGL: "
    .. "array:save_png(path) writes a picture, array:tobytes() gives its bytes" },
  { "cuda", "TRSA_OVERRIDE_FORMAT TRSF_NORMALIZED_COORDINATES TRSF_READ_AS_INTEGER TR_DEFAULT "
    .. "matrix_to_texref", TEXTURES },
  { "cuda", "Array array_cubemap_face dtype_to_array_format", "cuda.cuda_array(shape or array, "
    .. "dtype) makes a CUDA array, cuda.array(data, dtype) an array for kernels" },
  { "cuda", "profiler_output_mode", "cuda.profile(fn) records a timeline, cuda.profiler controls "
    .. "nsys and ncu" },
  { "cuda", "set_debugging", "cuda.debug{ sync = true } waits after each launch" },
  { "cuda", "multi_take multi_put multi_take_put", "cuda.take(a, indices) and cuda.put(a, indices, "
    .. "values) take one array each" },
  { "cuda", "subset_dot subset_max subset_min subset_sum", "cuda.take(a, indices) selects the "
    .. "elements that cuda.sum and other reductions then read" },
  { "cuda", "splay", "kernel({ threads = n }, ...) covers n threads: grid and block are chosen, "
    .. "also by kernel:suggested_block()" },
  { "cuda", "vec", "a last axis of 2, 3 or 4 elements holds vectors: cuda.empty({ n, 4 }) fits "
    .. "float4 *" },
  { "cuda", "Argument dtype_to_ctype get_arg_type parse_c_arg register_dtype", "kernel.signature "
    .. "has the types of parameters, as the compiler sees them; cuda.struct(name, fields) makes a "
    .. "dtype" },
  { "cuda", "get_default_device", "cuda.device() is the current device" },
  { "cuda", "XORWOWRandomNumberGenerator MRG32k3aRandomNumberGenerator "
    .. "Sobol32RandomNumberGenerator Sobol64RandomNumberGenerator "
    .. "ScrambledSobol32RandomNumberGenerator ScrambledSobol64RandomNumberGenerator "
    .. "direction_vector_set generate_direction_vectors generate_scramble_constants32 "
    .. "generate_scramble_constants64 get_curand_version seed_getter_uniform seed_getter_unique",
    STATES },

  -- random numbers
  { "random", "beta chisquare dirichlet f geometric gumbel hypergeometric laplace logistic "
    .. "logseries multinomial multivariate_normal negative_binomial noncentral_chisquare "
    .. "noncentral_f pareto power rayleigh standard_cauchy standard_t triangular vonmises wald "
    .. "weibull zipf", DISTRIBUTIONS },
  { "random", "lognormal", "cuda.exp(cuda.random.normal(shape)) is lognormal" },
  { "random", "standard_exponential", "use cuda.random.exponential(shape)" },
  { "random", "standard_gamma", "use cuda.random.gamma(k, shape)" },
  { "random", "sample ranf", "cuda.random.uniform(shape) gives numbers from 0 to 1" },
  { "random", "random_integers", "cuda.random.integers(low, high, shape) gives integers, both ends "
    .. "included" },
  { "random", "bytes tomaxint", BITS },
  { "random", "BitGenerator Generator MRG32k3a Philox4x3210 XORWOW get_random_state "
    .. "set_random_state reset_states", STATES },
  { "Generator", "beta chisquare dirichlet f geometric gumbel hypergeometric laplace logistic "
    .. "logseries multinomial multivariate_normal negative_binomial noncentral_chisquare "
    .. "noncentral_f pareto power rayleigh standard_cauchy standard_t triangular vonmises wald "
    .. "weibull zipf gen_log_normal fill_log_normal", DISTRIBUTIONS },
  { "Generator", "lognormal", "cuda.exp(generator:normal(shape)) is lognormal" },
  { "Generator", "standard_exponential", "use generator:exponential(shape)" },
  { "Generator", "standard_gamma", "use generator:gamma(k, shape)" },
  { "Generator", "rand random random_sample gen_uniform fill_uniform", "generator:uniform(shape) "
    .. "gives numbers from 0 to 1; the option 'out' fills an array" },
  { "Generator", "randn standard_normal gen_normal fill_normal", "generator:normal(shape) gives "
    .. "normal numbers; the option 'out' fills an array" },
  { "Generator", "gen_poisson fill_poisson", "generator:poisson(mean, shape) gives Poisson "
    .. "numbers; the option 'out' fills an array" },
  { "Generator", "randint", "generator:integers(low, high, shape) gives integers, both ends "
    .. "included" },
  { "Generator", "bytes tomaxint", "generator:bits(shape) gives random bits" },
  { "Generator", "call_skip_ahead call_skip_ahead_array call_skip_ahead_sequence "
    .. "call_skip_ahead_sequence_array call_skip_ahead_subsequence "
    .. "call_skip_ahead_subsequence_array", "cuda.random.generator(seed) with another seed "
    .. "gives another sequence" },

  -- objects
  { "Device", "cublas_handle cusolver_handle cusolver_sp_handle cusparse_handle cutensor_handle",
    "LuaCUDA keeps handles of libraries to itself: cuda.matmul calls cuBLAS; device.stream and "
    .. "stream.pointer serve other libraries" },
  { "Device", "from_pci_bus_id", "cuda.device(selector) takes a PCI bus id" },
  { "Graph", "debug_dot_str debug_dot_print", "graph:dot() draws the graph" },
  { "Stream", "from_external", "cuda.stream{ pointer = } wraps a foreign stream" },
  { "Stream", "is_non_blocking", "stream.blocking says whether a stream waits for the null "
    .. "stream" },
  { "Event", "from_ipc_handle", "cuda.open_ipc(handle) opens an event of another process" },
  { "Kernel", "kernel", "it is a kernel already: kernel(launch, ...) launches it" },
  { "Module", "module", "it is a module already: module:kernel(name) is one of its kernels" },
  { "Pool", "malloc allocate", "cuda.alloc(bytes) takes raw memory from the pool" },
  { "Pool", "free_all_blocks free_all_free free_held stop_holding", "pool:trim() returns what is "
    .. "unused to the driver" },
  { "Pool", "set_limit get_limit", "pool:limit(bytes) sets a limit, pool:limit() returns it" },
  { "Pool", "used_bytes free_bytes total_bytes n_free_blocks active_blocks active_bytes "
    .. "held_blocks managed_bytes", "pool:stats() returns the numbers" },
}
