-- foreign.lua: names that PyCUDA, CuPy, Numba and the CUDA runtime have, and names that CUDA no
-- longer has, each with one sentence that names the modern form. The file is loaded when a lookup
-- has failed, so it costs correct programs nothing.

-- Rows { place, names, sentence }. The place is "cuda", a class, "random", "launch" (the launch
-- table), "options" (any table of options), "dtype" (a name of a dtype), "source" (CUDA C++ that
-- does not compile), or "kernel" and "kernel array" (foreign_kernel.lua). `cuda.name`,
-- `class:method` and `class.field` in a sentence are names of this library;
-- spec/errors/foreign_spec.lua looks each of them up.
local TEXTURES = "texture and surface references are gone from CUDA 12: cuda.texture(source) and "
  .. "cuda.surface(cuda_array) make arguments for parameters of type cudaTextureObject_t and "
  .. "cudaSurfaceObject_t"
local CUDA_ARRAYS = "cuda.cuda_array(shape or array, dtype) makes a CUDA array, "
  .. "cuda.texture(source) a texture over it"
local BANKS = "the shared memory of today's GPUs has one bank size, so there is nothing to set"
local STATEFUL = "launches keep no state: call kernel(launch, ...) with grid, block and shared in "
  .. "the launch table, or make a kernel:prepare(launch)"
local CONTEXTS = "each device has a primary context, made and kept current for you: "
  .. "cuda.use(device) selects the device; device:context{ schedule = } makes another context, "
  .. "with push, pop and close"
local DETACH = "device:context() returns a context, which close() ends"
local IMPLICIT = "require \"luacuda\" is all that is needed: a device is opened when it is first "
  .. "used, and cuda.use(device) selects it"
local PREPARED = "kernel:prepare(launch) returns a function of the arguments; "
  .. "prepared:with{ grid =, stream = } changes it, prepared:time_ms(...) times it"
local TRACE = "kernel:benchmark(launch, ...) measures a kernel, cuda.benchmark(fn) a function, and "
  .. "cuda.profile(fn) records a timeline"
local ARGUMENTS = "numbers are converted to the types of the kernel's parameters; "
  .. "cuda.float32(x) and the like fix a type"

local GRADIENTS = "arrays record no gradients: array:copy() is a copy of its own"

local ROWS = {
  -- compiling
  { "cuda", "SourceModule RawModule DynamicModule DynamicSourceModule module_from_buffer "
    .. "module_from_file load_module Module", "cuda.module(source) compiles CUDA C++ or loads PTX "
    .. "and machine code; the option path reads a file" },
  { "cuda", "Linker LinkerOptions JitOptions add_data add_file", "cuda.linker(options) collects "
    .. "code to link, cuda.module(source) with sources links it" },
  { "cuda", "RawKernel Kernel Function kernel_from_source get_function",
    "cuda.kernel(source, name) makes one kernel, cuda.module(source) a module of several" },
  { "cuda", "ElementwiseKernel UFunc ufunc", "cuda.elementwise(inputs, outputs, body, name) makes "
    .. "an elementwise kernel" },
  { "cuda", "ReductionKernel reduce Reduce", "cuda.reduction(inputs, outputs, map, reduce, post, "
    .. "identity, name) makes a reduction" },
  { "cuda", "ScanKernel InclusiveScanKernel ExclusiveScanKernel GenericScanKernel",
    "cuda.scan(inputs, outputs, map, scan, identity, name) makes a scan" },
  { "cuda", "guvectorize", "a kernel of cuda.jit loops over the outer axes and takes rows, x[i]" },
  { "cuda", "declare_device libdevice", "cuda.device_function(source) takes a function in CUDA C++ "
    .. "for kernels in Lua" },
  { "cuda", "selp", "cuda.jit knows c and x or y" },
  { "cuda", "cg cooperative_groups", "cuda.jit knows syncgrid() and tile(n) in its functions" },
  { "cuda", "fp16", "cuda.zeros(n, \"float16\") is an array of halves, which operators and kernels "
    .. "take" },
  { "cuda", "thrust cub", "sorting, scans and reductions are functions: cuda.sort, cuda.cumsum, "
    .. "cuda.reduction, cuda.scan; kernels in cuda.kernel can include <cub/block/...>" },
  { "cuda", "const", "tables of numbers around a function of cuda.jit are constant memory" },
  { "cuda", "autojit njit rawkernel numba", "cuda.jit(fn) makes a kernel of a Lua function" },
  { "cuda", "triton tl", "cuda.tiled(fn) makes a kernel over tiles of a Lua function" },
  { "cuda", "jitify", "C++ standard headers need no jitify: cuda.kernel and cuda.module include "
    .. "them as they are" },
  { "cuda", "compile_with_cache compile_to_ptx compiler nvrtc compile_ptx",
    "cuda.compile(source, { target = \"ptx\" }) returns compiled code" },
  { "cuda", "clear_kernel_cache clear_cache clear_context_caches",
    "cuda.cache.clear() empties the cache of compiled code" },
  { "cuda", "get_nvcc_version get_version get_driver_version runtimeGetVersion driverGetVersion "
    .. "version nvrtc_version driver_version __version__ VERSION_TEXT show_config",
    "cuda.versions() has the versions of the driver and the compiler, cuda.VERSION is the "
    .. "library's" },
  { "cuda", "Link jit_options DeviceLinker", "cuda.module links what "
    .. "its option 'sources', its option 'binaries' and its option 'libraries' list" },
  -- memory
  { "cuda", "mem_alloc malloc cudaMalloc cuMemAlloc MemoryPointer alloc_device DeviceAllocation "
    .. "mem_alloc_like", "cuda.alloc(bytes) gives raw device memory, cuda.empty(shape, dtype) an "
    .. "array" },
  { "cuda", "mem_alloc_pitch malloc_pitch cudaMallocPitch",
    "cuda.alloc_pitch{ width =, height = } gives rows at a pitch" },
  { "cuda", "free mem_free cudaFree cuMemFree free_async",
    "array:close() frees an array, and so does the garbage collector" },
  { "cuda", "defer_cleanup", "nothing waits when memory is freed; cuda.pool() has the memory" },
  { "cuda", "open_ipc_handle", "cuda.open_ipc(handle) opens memory of another process" },
  { "cuda", "to_device to_gpu to_gpu_async asarray gpuarray GPUArray ndarray ascontiguousarray "
    .. "Tensor tensor CudaTensor FloatTensor from_numpy asanyarray matrix_from",
    "cuda.array(data, dtype) makes an array from tables, bytes or another array" },
  { "cuda", "from_device from_device_like asnumpy copy_to_host to_host to_cpu get",
    "array:totable() and array:tobytes() read an array, array:to(\"cpu\") moves it" },
  { "cuda", "is_cuda_array", "cuda.type(value) says what a value is" },
  { "cuda", "device_array device_array_like empty_array new_array", "cuda.empty(shape, dtype) "
    .. "makes an uninitialized array, cuda.zeros one of zeros" },
  { "cuda", "memcpy_htod memcpy_htod_async memcpy_dtoh memcpy_dtoh_async memcpy_dtod "
    .. "memcpy_dtod_async memcpy memcpy_async memcpy_peer memcpy_peer_async memcpyPeer cudaMemcpy "
    .. "cudaMemcpyAsync copyto",
    "cuda.copy(dst, src) copies between arrays of any memory and device; array:set(data) takes "
    .. "tables and bytes" },
  { "cuda", "Memcpy2D memcpy2D cudaMemcpy2D memcpy_2d memcpy2d",
    "cuda.copy2d{ dst =, src =, width =, height = } copies rows at a pitch" },
  { "cuda", "Memcpy3D memcpy3D cudaMemcpy3D memcpy_3d memcpy3d Memcpy3DPeer",
    "cuda.copy3d{ dst =, src =, width =, height =, depth = } copies boxes of bytes, also between "
      .. "devices; cuda.copy(dst, src) copies between views of any number of axes" },
  { "cuda", "memcpy_atoh memcpy_htoa memcpy_dtoa memcpy_atod memcpy_atoa memcpy2DToArray "
    .. "memcpy2DFromArray", "cuda.copy(dst, src) copies from and to CUDA arrays as well, "
    .. "cuda.copy3d{ dst =, src = } a part of one" },
  { "cuda", "fromDlpack", "cuda.from_dlpack takes a DLPack tensor" },
  { "cuda", "toDlpack to_dlpack", "array:dlpack() gives a DLPack tensor" },
  { "cuda", "launch_host_func", "stream:call(fn) queues a function" },
  { "cuda", "memset_d8 memset_d16 memset_d32 memset_d8_async memset_d16_async memset_d32_async "
    .. "cudaMemset memset_async",
    "cuda.memset(array, value) writes bytes, array:fill(value) elements" },
  { "cuda", "memset_d2d8 memset_d2d16 memset_d2d32 memset_d2d8_async memset_d2d16_async "
    .. "memset_d2d32_async memset_2d cudaMemset2D", "cuda.memset2d fills rows at a pitch" },
  { "cuda", "mem_get_info memGetInfo cudaMemGetInfo memory_info memory mem",
    "cuda.mem_info() returns the free and the total bytes" },
  { "cuda", "MemoryPool DeviceMemoryPool PageLockedMemoryPool memory_pool get_default_memory_pool "
    .. "set_allocator mempool", "cuda.pool() is the memory pool of a device" },
  { "cuda", "pagelocked_empty pagelocked_zeros pagelocked_empty_like pagelocked_zeros_like "
    .. "empty_pinned zeros_pinned empty_like_pinned zeros_like_pinned alloc_pinned_memory "
    .. "pinned_array pinned_array_like mapped mapped_array mapped_array_like mem_host_alloc "
    .. "cudaMallocHost cudaHostAlloc HostAllocation "
    .. "PagelockedHostAllocation pinned_empty pinned_memory pin_memory",
    "cuda.pinned(shape, dtype) makes a page-locked array, cuda.pinned_like(a) one like another" },
  { "cuda", "managed_empty managed_zeros managed_empty_like managed_zeros_like managed_array "
    .. "malloc_managed cudaMallocManaged ManagedAllocation",
    "cuda.managed(shape, dtype) makes an array in managed memory" },
  { "cuda", "mem_advise memAdvise cudaMemAdvise", "array:advise(what, device) gives advice on "
    .. "managed memory" },
  { "cuda", "mem_prefetch_async memPrefetchAsync cudaMemPrefetchAsync",
    "array:prefetch(device) moves managed memory" },
  { "cuda", "streamAttachMemAsync cudaStreamAttachMemAsync", "array:attach(stream) reserves "
    .. "managed memory for a stream" },
  { "cuda", "pointer_attribute pointer_get_attributes pointerGetAttributes "
    .. "cudaPointerGetAttributes PointerAttributes",
    "cuda.pointer_info(address) says what an address is" },
  { "cuda", "aligned_empty aligned_zeros aligned_empty_like aligned_zeros_like "
    .. "AlignedHostAllocation host_array",
    "cuda.host(shape, dtype, { align = 4096 }) makes an array in host memory" },
  { "cuda", "register_host_memory hostRegister cudaHostRegister RegisteredHostMemory host_register",
    "cuda.register(array) makes host memory reachable by GPUs" },
  { "cuda", "UnownedMemory PointerHolderBase from_pointer as_cuda_array",
    "cuda.wrap(address, shape, dtype) makes an array over foreign memory" },
  -- arguments of kernels
  { "cuda", "In", "cuda.input(value) passes a table or array to one launch" },
  { "cuda", "Out", "cuda.output(value) fills a table or array after one launch" },
  { "cuda", "InOut", "cuda.inout(value) passes a table or array and fills it after the launch" },
  { "cuda", "NULL nullptr None", "cuda.null is the null pointer" },
  { "cuda", "single intc uintc longlong ulonglong double float int long short char half int_ "
    .. "float_ f32 f64 i32 i64 u8 u32 u64", ARGUMENTS },
  { "cuda", "dtype dtypes_by_name can_cast result_type",
    "dtypes are strings such as \"float32\"; cuda.dtypes lists them" },
  -- devices and contexts
  { "cuda", "Device select_device setDevice cudaSetDevice set_device",
    "cuda.device(selector) is a device, cuda.use(selector) makes it current" },
  { "cuda", "detect", "cuda.diagnose() reports what was found, cuda.devices() lists the devices" },
  { "cuda", "close", "device:reset() ends all work of a device and its memory" },
  { "cuda", "device_count getDeviceCount cudaGetDeviceCount gpus list_devices get_device_count "
    .. "num_devices", "cuda.devices() is the list of devices" },
  { "cuda", "get_current_device getDevice current_device cudaGetDevice",
    "cuda.device() is the current device" },
  { "cuda", "Context make_context make_default_context current_context Context_pop attach detach "
    .. "push pop retain_primary_context ctxCreate ctxDestroy require_context context", CONTEXTS },
  { "cuda", "ctx_flags setDeviceFlags set_flags", "device:flags{ schedule = } sets how the host "
    .. "waits" },
  { "cuda", "set_cache_config get_cache_config func_cache", "device:cache_config(preference) sets "
    .. "it for a device, kernel.cache_config = preference for a kernel" },
  { "cuda", "get_api_version", "device.api_version is the version" },
  { "cuda", "init autoinit autoprimaryctx driver drv cudadrv tools runtime cuda cuInit", IMPLICIT },
  { "cuda", "is_available", "cuda.available() returns whether a GPU can be used" },
  { "cuda", "device_synchronize deviceSynchronize cudaDeviceSynchronize synchronizeAll",
    "cuda.synchronize() waits for the device" },
  { "cuda", "DeviceData OccupancyRecord occupancy",
    "kernel:occupancy(block) gives the blocks of one multiprocessor" },
  { "cuda", "can_access_peer deviceCanAccessPeer enable_peer_access disable_peer_access "
    .. "deviceEnablePeerAccess deviceDisablePeerAccess", "peers are reached without a call; "
    .. "device:can_access_peer, device:enable_peer and device:disable_peer control it" },
  { "cuda", "shared_config set_shared_config get_shared_config", BANKS },
  -- streams and events
  { "cuda", "Stream ExternalStream external_stream stream_create",
    "cuda.stream() makes a stream, cuda.stream{ pointer = } wraps a foreign one" },
  { "cuda", "Event event_create", "cuda.event() makes an event" },
  { "cuda", "default_stream get_current_stream current_stream null_stream legacy_default_stream "
    .. "per_thread_default_stream",
    "device.stream is the current stream of a device, device.null_stream its default one" },
  { "cuda", "get_elapsed_time event_elapsed_time elapsed_time time_since time_till",
    "stop:elapsed_ms(start) is the time between two events: event:elapsed_ms" },
  -- profiling
  { "cuda", "initialize_profiler", "the profiler that it configured is gone from CUDA: "
    .. "cuda.profile(fn) records a timeline, cuda.profiler controls nsys and ncu" },
  { "cuda", "start_profiler profile_start profiling profilerStart cudaProfilerStart",
    "cuda.profiler.start() starts an attached profiler" },
  { "cuda", "stop_profiler profile_stop profilerStop cudaProfilerStop",
    "cuda.profiler.stop() stops an attached profiler" },
  { "cuda", "nvtx RangePush RangePop time_range mark", "cuda.range(name) names a part of the "
    .. "program" },
  { "cuda", "timeit gpu_timeit ScopedTimer repeat time", TRACE },
  -- removed features
  { "cuda", "TextureReference SurfaceReference get_texref get_surfref bind_array_to_texref",
    TEXTURES },
  { "cuda", "matrix_to_array make_multichannel_2d_array np_to_array gpuarray_to_array "
    .. "matrix_to_texture CUDAarray ArrayDescriptor ArrayDescriptor3D ChannelFormatDescriptor "
    .. "ResourceDescriptor TextureDescriptor array_format array3d_flags", CUDA_ARRAYS },
  { "cuda", "TextureObject SurfaceObject cudaTextureObject_t cudaSurfaceObject_t address_mode "
    .. "filter_mode cudaCreateTextureObject", "cuda.texture(source, { filter =, address = }) makes "
    .. "a texture, cuda.surface(cuda_array) a surface" },
  { "cuda", "translate_cucomplex", "complex parameters need no translation: cuda.complex and "
    .. "complex64 arrays fit cuComplex, float2 and the complex class of C++" },
  -- errors
  { "cuda", "Error LogicError LaunchError RuntimeError MemoryError CompileError CompileException "
    .. "OutOfMemoryError CUDARuntimeError CudaAPIError CUDADriverError",
    "errors are objects with a kind: cuda.is_error(e, \"compile\") tests it" },
  -- arrays
  { "cuda", "absolute fabs", "cuda.abs(x)" .. " is the absolute value" },
  { "cuda", "remainder floor_mod", "cuda.mod(x, y) has the sign of y, cuda.fmod(x, y) that of x" },
  { "cuda", "true_divide div sub mul neg", "the operators are cuda.add, cuda.subtract, "
    .. "cuda.multiply, cuda.divide and cuda.negative" },
  { "cuda", "pow", "cuda.power(x, y) is the power" },
  { "cuda", "equal not_equal less less_equal greater greater_equal",
    "comparisons are cuda.eq, cuda.ne, cuda.lt, cuda.le, cuda.gt and cuda.ge" },
  { "cuda", "if_positive", "cuda.where(condition, x, y) chooses by a condition" },
  { "cuda", "invert bitwise_invert", "cuda.bitwise_not(x) inverts bits" },
  { "cuda", "arcsin arccos arctan arctan2 arcsinh arccosh arctanh",
    "inverse functions are cuda.asin, cuda.acos, cuda.atan, cuda.atan2, cuda.asinh, cuda.acosh "
    .. "and cuda.atanh" },
  { "cuda", "degrees radians", "cuda.rad2deg(x) and cuda.deg2rad(x) convert angles" },
  { "cuda", "conjugate", "cuda.conj(x) is the complex conjugate" },
  { "cuda", "gamma lgam gammaln", "cuda.tgamma(x) is the gamma function, cuda.lgamma(x) its "
    .. "logarithm" },
  { "cuda", "amax amin", "cuda.max(a) and cuda.min(a) are the extremes" },
  { "cuda", "concat hstack vstack cat append", "cuda.concatenate({ a, b }) joins along an axis, "
    .. "cuda.stack({ a, b }) along a new one" },
  { "cuda", "mm gemm sgemm bmm cublas skcuda",
    "cuda.matmul(a, b) is the matrix product, cuda.dot, cuda.inner and cuda.outer are other "
    .. "products" },
  { "cuda", "fill_like identity", "cuda.full_like(a, value) and cuda.eye(n) make such arrays" },
  { "cuda", "rand randn curandom curand RandomState default_rng manualSeed seed",
    "cuda.random.uniform(shape), cuda.random.normal(shape) and cuda.random.seed(n) make random "
    .. "numbers" },
  { "cuda", "load save savez savez_compressed load_file", "cuda.load_npy, cuda.load_npz and "
    .. "cuda.save_npz read and write files; array:save_npy writes one array" },
  { "cuda", "loadtxt genfromtxt savetxt read_csv from_csv to_csv",
    "cuda.load_csv(path) and array:save_csv(path) read and write text files of numbers" },
  { "Array", "savetxt to_csv", "array:save_csv(path) writes a text file" },
  { "cuda", "imread imsave imwrite imload Image PIL cv2 read_image write_image save_image",
    "cuda.load_png(path) and array:save_png(path) read and write pictures" },
  { "Array", "imsave imwrite save_image", "array:save_png(path) writes a picture" },
  { "Array", "save tofile dump", "array:save_npy(path) writes a file that NumPy reads, "
    .. "array:tobytes() gives the bytes" },
  { "cuda", "cumath math umath", "functions are in the module itself, such as cuda.sqrt(a)" },
  { "cuda", "permute_dims", "array:transpose(axes) orders the axes" },
  { "cuda", "fliplr flipud", "array:flip{ axis = 2 } and array:flip{ axis = 1 } reverse an axis" },
  { "cuda", "grid gridsize threadIdx blockIdx blockDim gridDim syncthreads syncwarp shared laneid "
    .. "warpsize atomic atomic_add atomic_sub atomic_max atomic_min atomic_exch atomic_cas "
    .. "shared_memory threadfence popc clz shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync "
    .. "ballot_sync any_sync all_sync match_any_sync activemask ffs fma nanosleep syncgrid",
    "these are names of kernels: globals in the function of cuda.jit, or fields of cuda.gpu, and "
    .. "of CUDA C++ in cuda.kernel" },
  { "cuda", "texref TexRef texrefs", TEXTURES },
  { "cuda", "randint randint_like", "cuda.random.integers(low, high, shape) gives random "
    .. "integers" },
  { "cuda", "randperm", "cuda.random.permutation(n) is a random order" },
  { "cuda", "manual_seed manual_seed_all set_seed", "cuda.random.seed(n) sets the seed" },
  { "cuda", "as_tensor as_array fromfile frombuffer fromstring",
    "cuda.array(data, dtype) makes an array from tables, bytes or another array" },
  { "cuda", "transpose permute reshape astype broadcast_to item tolist tobytes",
    "arrays have methods for it, such as array:transpose(axes), array:reshape(shape), "
    .. "array:broadcast_to(shape), array:astype(dtype), array:item(i) and array:totable()" },
  { "cuda", "view narrow", "array:view(dtype), array:slice(ranges) and array:reshape(shape) make "
    .. "views" },
  { "cuda", "to", "array:to(device) moves an array, array:astype(dtype) converts it" },
  { "cuda", "cpu", "cuda.use(\"cpu\") selects the CPU device, array:to(\"cpu\") moves an array" },
  { "cuda", "get_array_module", "the same code runs without a GPU: cuda.use(\"cpu\") selects the "
    .. "CPU device" },
  { "cuda", "numel size shape ndim", "array.size, array.shape and array.ndim are fields" },
  { "cuda", "is_tensor isinstance", "cuda.type(value) says what a value is" },
  { "cuda", "empty_cache memory_allocated memory_reserved max_memory_allocated memory_stats "
    .. "free_all_blocks", "cuda.pool() is the memory pool of a device, with stats and trim" },
  { "cuda", "get_device_name get_device_properties get_device_capability getDeviceProperties "
    .. "cudaGetDeviceProperties", "cuda.device() is the current device: device.name and device.cc "
    .. "are fields, device:attributes() has the rest" },
  { "cuda", "masked_select", "cuda.compress(mask, a) selects elements" },
  { "cuda", "masked_fill", "array:putmask(mask, value) writes where a mask is true" },
  { "cuda", "index_select", "cuda.take(a, indices, { axis = }) selects along an axis" },
  { "cuda", "rsqrt", "cuda.reciprocal(cuda.sqrt(x)) is it; cuda.fuse(fn) makes it one kernel" },
  { "cuda", "sigmoid relu gelu silu lerp", "cuda.fuse(fn) makes such a function one kernel, as of "
    .. "cuda.maximum(x, 0) or cuda.reciprocal(1 + cuda.exp(-x))" },
  { "cuda", "newaxis", "array:reshape(shape) changes the axes" },
  { "cuda", "pi e inf nan", "Lua has math.pi and math.huge; 0/0 is a NaN" },

  -- dtypes
  { "dtype", "double f8 d float_ float64_t", "a double is \"float64\"" },
  { "dtype", "float", "a float of CUDA C is \"float32\", one of Python \"float64\"" },
  { "dtype", "number", "a Lua number that is no integer is \"float64\"" },
  { "dtype", "single f4 f float32_t", "it is \"float32\"" },
  { "dtype", "half f2 e __half half_t float16_t", "it is \"float16\"" },
  { "dtype", "bfloat nv_bfloat16 __nv_bfloat16 bfloat16_t", "it is \"bfloat16\"" },
  { "dtype", "float8_e4m3 float8e4nv e4m3fn f8e4m3 f8e4m3fn fp8e4nv __nv_fp8_e4m3 fp8_e4m3",
    "it is \"float8_e4m3fn\"" },
  { "dtype", "fp8 float8", "floats of 8 bits are \"float8_e4m3fn\" and \"float8_e5m2\"" },
  { "dtype", "float8e5 f8e5m2 fp8e5 __nv_fp8_e5m2 fp8_e5m2", "it is \"float8_e5m2\"" },
  { "dtype", "int", "an int of CUDA C is \"int32\", one of NumPy \"int64\"" },
  { "dtype", "i i4 intc int32_t signed", "it is \"int32\"" },
  { "dtype", "long longlong int_ intp q l integer int64_t ptrdiff_t ssize_t", "it is \"int64\"" },
  { "dtype", "short h i2 int16_t", "it is \"int16\"" },
  { "dtype", "char schar b i1 int8_t", "it is \"int8\"" },
  { "dtype", "byte", "a byte is \"uint8\", with a sign \"int8\"" },
  { "dtype", "uchar ubyte B u1 uint8_t", "it is \"uint8\"" },
  { "dtype", "ushort H u2 uint16_t", "it is \"uint16\"" },
  { "dtype", "uint unsigned I u4 uintc uint32_t", "it is \"uint32\"" },
  { "dtype", "ulong ulonglong uintp size_t uint64_t Q L", "it is \"uint64\"" },
  { "dtype", "boolean bool_ logical", "it is \"bool\"" },
  { "dtype", "complex", "\"complex64\" has parts of float32, \"complex128\" parts of float64" },
  { "dtype", "csingle singlecomplex c8 F cuComplex cuFloatComplex", "it is \"complex64\"" },
  { "dtype", "cdouble c16 D cuDoubleComplex", "it is \"complex128\"" },
  { "dtype", "float2 float3 float4", "a last axis of 2, 3 or 4 elements of \"float32\" holds "
    .. "vectors: cuda.empty({ n, 4 }) fits float4 *" },
  { "dtype", "double2 double3 double4 int2 int3 int4 uint2 uint3 uint4 short2 short4 uchar3 uchar4 "
    .. "char4", "a last axis of 2, 3 or 4 elements, as in cuda.empty({ n, 4 }, \"uint8\"), holds "
    .. "vectors" },
  { "dtype", "object string str void record struct",
    "cuda.struct(fields) makes a dtype with fields" },

  -- Module
  { "Module", "get_function getFunction function", "module:kernel(name) is a kernel" },
  { "Module", "get_global getGlobal", "module:global(name) is a variable as an array" },
  { "Module", "get_texref get_surfref texref", TEXTURES },
  { "Module", "compile_kernel add_function add_source link",
    "a module's text is complete when cuda.module(source) makes it; cuda.template(text) builds "
    .. "texts, cuda.linker(options) links several" },

  -- Kernel
  { "Kernel", "param_set param_set_size param_seti param_setf param_setv launch launch_grid "
    .. "launch_grid_async set_block_shape set_shared_size", STATEFUL },
  { "Kernel", "param_set_texref set_texref get_texref", TEXTURES },
  { "Kernel", "texref texrefs", TEXTURES },
  { "Kernel", "get_function", "kernel(launch, ...) launches it; module:kernel(name) is one of a "
    .. "module" },
  { "Kernel", "set_shared_config", BANKS },
  { "Kernel", "prepared_call prepared_async_call set_params", PREPARED },
  { "Kernel", "prepared_timed_call", "kernel:prepare(launch) makes a Prepared, whose "
    .. "prepared:time_ms(...) measures a launch" },
  { "Kernel", "set_cache_config", "kernel.cache_config = preference sets it" },
  { "Kernel", "suggest_block launch_configuration max_potential_block_size",
    "kernel:suggested_block() is the block that the driver suggests" },
  { "Kernel", "lmem", "kernel.local_size_bytes is the local memory of a thread" },
  { "Kernel", "smem", "kernel.shared_size_bytes is the static shared memory of a block" },
  { "Kernel", "registers", "kernel.num_regs is the number of registers of a thread" },
  { "Kernel", "set_attribute", "settable attributes are assigned, as in "
    .. "kernel.max_dynamic_shared_size_bytes = n" },
  { "Kernel", "get_attribute attribute", "attributes are fields such as kernel.num_regs; "
    .. "kernel:attributes() has all" },
  { "Kernel", "code", "kernel:source() is the CUDA C++ text" },
  { "Kernel", "inspect_asm inspect_llvm ptx_code asm", "kernel:ptx() is the PTX" },
  { "Kernel", "forall", "kernel({ threads = n }, ...) covers n threads; kernel:prepare takes the "
    .. "same table" },
  { "Kernel", "time timed", TRACE },

  -- Jit
  { "Jit", "forall", "jit({ threads = n }, ...) covers n threads; jit:prepare takes the same "
    .. "table" },
  { "Jit", "[integer] [table] configure", "the launch table comes first: jit({ grid = 4, block = "
    .. "256 }, ...), and jit:prepare keeps it" },
  { "Jit", "inspect_asm inspect_sass asm", "jit:ptx(...) is the PTX" },
  { "Jit", "inspect_llvm code cached_code", "jit:source(...) is the CUDA C++" },
  { "Jit", "inspect_types signatures nopython_signatures", "jit:types(...) is a table of types" },
  { "Jit", "overloads specialize specialized compile", "jit:kernel(...) is the kernel for the "
    .. "types of these arguments, jit:prepare a launch with them" },
  { "Jit", "get_regs_per_thread get_shared_mem_per_block get_max_threads_per_block "
    .. "get_const_mem_size get_local_mem_per_thread num_regs attributes "
    .. "max_cooperative_grid_blocks occupancy", "jit:kernel(...) is a kernel with such fields: "
    .. "kernel.num_regs, kernel:attributes() and kernel:occupancy(block)" },
  { "Jit", "py_func", "jit:run_in_lua(launch, ...) runs the function as ordinary Lua" },
  { "Jit", "run launch call", "jit({ threads = n }, ...) launches; jit:prepare keeps a launch" },

  -- Tiled
  { "Tiled", "[integer] [table]", "the launch table comes first: tiled({ tiles = y }, ...)" },
  { "Tiled", "run launch call warmup", "tiled({ tiles = y }, ...) launches; tiled:prepare keeps a "
    .. "launch" },
  { "Tiled", "asm", "tiled:ptx(...) is the PTX, tiled:source(...) the CUDA C++" },
  { "Tiled", "n_regs n_spills num_regs attributes occupancy", "tiled:pipeline(...) has the "
    .. "registers and the occupancy, tiled:kernel(...) is a kernel with kernel:attributes()" },
  { "Tiled", "autotune", "tiled:tune(launch, ...) chooses among the options that are lists" },
  { "Tiled", "run_in_lua", "cuda.use \"cpu\" selects the CPU device, which runs kernels over "
    .. "tiles" },

  -- Prepared
  { "Prepared", "prepared_call prepared_async_call", "a Prepared is called with the arguments; "
    .. "prepared:with(changes) has another grid or stream" },
  { "Prepared", "prepared_timed_call", "prepared:time_ms(...) measures a launch" },

  -- Device
  { "Device", "make_context retain_primary_context", CONTEXTS },
  { "Device", "attach detach", DETACH },
  { "Device", "get_device", "device.parent is the device that a context belongs to" },
  { "Device", "make_current set_current", "device:use() makes it current, device:push() until "
    .. "device:pop()" },
  { "Device", "get_attribute", "device:attribute(name) is an attribute" },
  { "Device", "get_attributes", "device:attributes() is a table of all attributes" },
  { "Device", "set_limit get_limit", "device:limit(name, value) sets a limit, device:limit(name) "
    .. "returns it" },
  { "Device", "mem_info mem_get_info memory", "device:memory_info() returns the free and the total "
    .. "bytes" },
  { "Device", "get_shared_config set_shared_config shared_config", BANKS },
  { "Device", "set_cache_config get_cache_config", "device:cache_config(preference) sets it, "
    .. "device:cache_config() returns it" },
  { "Device", "set_flags get_flags", "device:flags{ schedule = } sets how the host waits" },
  { "Device", "get_api_version", "device.api_version is the version" },
  { "Device", "enable_peer_access", "device:enable_peer(other) allows access" },
  { "Device", "disable_peer_access", "device:disable_peer(other) ends access" },
  { "Device", "id index", "device.ordinal is the number of a GPU" },
  { "Device", "count", "cuda.devices() is the list of devices" },

  -- Stream
  { "Stream", "begin_capture end_capture is_capturing capture", "cuda.graph(fn) records the work "
    .. "that fn(stream) queues, and graph:launch() runs it" },
  { "cuda", "tune_kernel autotune Autotuner run_kernel", "cuda.tune(options) finds the fastest of "
    .. "several variants, kernel:tune(launch, ...) the fastest block" },
  { "cuda", "Graph CUDAGraph begin_capture end_capture capture", "cuda.graph(fn) records the work "
    .. "that fn(stream) queues, and graph:launch() runs it" },
  { "Graph", "replay upload instantiate run", "graph:launch() queues all work of the graph" },
  { "Stream", "wait_for_event wait_event wait_stream", "stream:wait(event_or_stream) waits" },
  { "Stream", "done query is_ready", "stream:is_done() returns whether all work is done" },
  { "Stream", "ptr handle", "stream.pointer is the driver's handle" },
  { "Stream", "record record_event", "event:record(stream) records an event" },
  { "Stream", "add_callback launch_host_func", "stream:call(fn) queues a function" },
  { "Stream", "auto_synchronize", "stream:synchronize() waits" },

  -- Event
  { "Event", "time_since", "stop:elapsed_ms(start) is the time since another event: "
    .. "event:elapsed_ms" },
  { "Event", "time_till elapsed_time get_elapsed_time", "stop:elapsed_ms(start) is called on the "
    .. "later event: event:elapsed_ms" },
  { "Stream", "fd", "event:record(stream) marks a point of the stream, and event:fd() is its file "
    .. "descriptor" },
  { "Event", "fileno file_descriptor async_done", "event:fd() is a file descriptor that becomes "
    .. "readable when the event is reached" },
  { "Event", "query done", "event:is_done() returns whether the event was reached" },
  { "Event", "wait", "stream:wait(event) makes a stream wait, event:synchronize() the program" },
  { "Event", "ptr handle", "event.pointer is the driver's handle" },

  -- Array
  { "Array", "get get_async asnumpy numpy tolist to_host copy_to_host",
    "array:totable() gives a table, array:tobytes() a string" },
  { "Array", "cpu", "array:to(\"cpu\") moves it to the CPU device" },
  { "Array", "cuda gpu", "array:to(\"gpu0\") moves it to a GPU" },
  { "Array", "set_async copy_to_device", "array:set(data, { stream = }) queues the copy" },
  { "Array", "gpudata ptr data data_ptr device_ptr get_device_pointer device_ctypes_pointer",
    "array.pointer is the address" },
  { "Array", "mem_size itemsize element_size", "array.nbytes and array.size give the sizes" },
  { "Array", "numel", "array.size is the number of elements" },
  { "Array", "T permute", "array:transpose(axes) orders the axes" },
  { "Array", "unsqueeze", "array:expand_dims(axis) or array:reshape(shape) changes the axes" },
  { "Array", "type", "array:astype(dtype) converts, array.dtype is the element type" },
  { "Array", "clone", "array:copy() is a copy" },
  { "Array", "prefetch_async prefetch_to", "array:prefetch(device) moves managed memory" },
  { "Array", "unregister", "array:close() ends the registration" },
  { "Array", "equal not_equal less less_equal greater greater_equal", "comparisons are array:eq, "
    .. "array:ne, array:lt, array:le, array:gt and array:ge" },
  { "Array", "pow", "array:power(y) is the power" },
  { "Array", "conjugate", "array:conj() is the complex conjugate" },
  { "Array", "mm gemm", "array:matmul(b) is the matrix product" },

  { "Array", "t mT H", "array:transpose() is the transposed view, array:conj() conjugates" },
  { "Array", "dim ndimension", "array.ndim is the number of axes" },
  { "Array", "nelement", "array.size is the number of elements" },
  { "Array", "stride", "array.strides has the bytes between elements along each axis" },
  { "Array", "float double half bfloat16 bool byte char short int long type_as as_type",
    "array:astype(dtype) converts" },
  { "Array", "expand expand_as", "array:broadcast_to(shape) repeats axes of one element" },
  { "Array", "narrow select", "array:slice(ranges) is a view of a part" },
  { "Array", "add_ sub_ mul_ div_", "the option 'out' makes it work in place: "
    .. "array:add(b, { out = a }), array:multiply(b, { out = a })" },
  { "Array", "zero_ fill_", "array:fill(value) sets all elements" },
  { "Array", "copy_", "array:set(source) copies into an array" },
  { "Array", "masked_fill masked_fill_",
    "array:putmask(mask, value) writes where a mask is true" },
  { "Array", "masked_select", "array:compress(mask) selects elements" },
  { "Array", "index_select", "array:take(indices, { axis = }) selects along an axis" },
  { "Array", "new_zeros new_ones new_empty new_full", "cuda.zeros(shape, array.dtype), "
    .. "cuda.zeros_like(a) and the like make arrays" },
  { "Array", "is_cuda get_device", "array.device is the device" },
  { "Array", "pin_memory is_pinned", "cuda.pinned_like(a) makes a page-locked array, array.memory "
    .. "says what memory an array has" },
  { "Array", "storage untyped_storage", "array.pointer is the address" },
  { "Array", "record_stream", "an array stays alive until all streams are done with it: "
    .. "array:close() may be called at any time" },
  { "Array", "detach detach_ requires_grad requires_grad_ backward grad", GRADIENTS },
  { "Array", "toDlpack to_dlpack __dlpack__", "array:dlpack() gives a DLPack tensor" },
  { "Array", "__cuda_array_interface__", "array.pointer, array.shape and array.strides describe "
    .. "it; array:dlpack() hands it on" },

  -- CuArray
  { "CuArray", "copy_from fill", "cuarray:set(value) or cuda.copy(cuarray, array) fills it" },
  { "CuArray", "copy_to get to copy tobytes", "cuarray:array() copies it to an Array; "
    .. "cuda.cuda_array(array, { device = }) makes a CUDA array of one" },
  { "CuArray", "get_descriptor get_descriptor_3d desc", "cuarray.shape, cuarray.dtype and "
    .. "cuarray.channels describe it" },
  { "CuArray", "pointer ptr", "a CUDA array has no address: cuarray.handle is the driver's handle, "
    .. "cuda.texture and cuda.surface make arguments for kernels" },
  { "CuArray", "width height depth", "cuarray.shape has the extents, the width last" },

  -- cuda.random
  { "random", "create_xoroshiro128p_states init_xoroshiro128p_states",
    "cuda.random.generator(seed) fills arrays; kernels need no states: random(seed, sequence)" },
  { "random", "rand random random_sample", "cuda.random.uniform(shape) gives numbers from 0 to 1" },
  { "random", "randn standard_normal", "cuda.random.normal(shape) gives normal numbers" },
  { "random", "randint", "cuda.random.integers gives integers" },
  { "random", "default_rng RandomState", "cuda.random.generator(seed) is a generator of its own" },

  -- sources
  { "source", "texture surface", TEXTURES },
  { "source", "cub/device", "its functions are host code: include what is needed of cub/block and "
    .. "cub/warp, or compile with the option 'backend' = \"nvcc\"" },
  { "source", "<<<>>>", "cuda.module(source, { rdc = true }) compiles kernels that launch "
    .. "others" },
  { "source", "cudaDeviceSynchronize", "since CUDA 12 kernels cannot wait for grids that they "
    .. "launch: one launched into cudaStreamTailLaunch runs after them, and cuda.synchronize() in "
    .. "Lua waits for all" },
  { "source", "cudaGridDependencySynchronize cudaTriggerProgrammaticLaunchCompletion "
    .. "cudaGraphSetConditional", "in cuda.kernel and cuda.module #include "
    .. "<cuda_device_runtime_api.h> declares it" },
  { "source", "__cluster_dims__ this_cluster", "clusters came with compute capability 9.0 "
    .. "(device.cc), which the CPU device has with LUACUDA_CPU_ARCH=90" },
  { "source", "extern_c", "the option 'extern_c' gives C linkage to the source but not to headers: "
    .. "declare the function extern \"C\" there, or leave the option out" },
  { "source", "${name}", "cuda.template(text) inserts a value where the text has $(name)" },

  -- the launch table
  { "launch", "shared_mem shared_size sharedmem smem shared_memory dynamic_shared",
    "the option 'shared' is the dynamic shared memory in bytes" },
  { "launch", "args arguments params", "arguments follow the launch table, as in "
    .. "kernel(launch, a, n)" },
  { "launch", "block_size blockDim block_dim threads_per_block nthreads",
    "the option 'block' is the number of threads of a block" },
  { "launch", "grid_size gridDim grid_dim blocks nblocks",
    "the option 'grid' is the number of blocks" },
  { "launch", "size n dim", "the option 'threads' is the number of threads in all" },
  { "launch", "texrefs", TEXTURES },
  { "launch", "time_kernel", TRACE },
  { "launch", "enable_cooperative_groups", "the option 'cooperative' starts all blocks together" },

  -- options
  { "options", "options compiler_options nvcc_options", "the option 'flags' is a list of compiler "
    .. "flags" },
  { "options", "code", "the option 'source' is the text" },
  { "options", "opt", "the option 'debug' makes code for debuggers, without optimization" },
  { "options", "nopython nogil forceobj parallel signature",
    "cuda.jit compiles the whole function, for each set of argument types" },
  { "options", "kernel_name func_name function", "the option 'name' is the name of the kernel" },
  { "options", "in_params out_params operation", "the table of cuda.elementwise has inputs, "
    .. "outputs, body and name" },
  { "options", "map_expr reduce_expr post_map_expr neutral", "the table of cuda.reduction has "
    .. "inputs, outputs, map, reduce, post, identity and name" },
  { "options", "tune_params params_space search_space", "cuda.tune takes the option 'space': lists "
    .. "of values by name" },
  { "options", "restrictions constraints", "cuda.tune takes the option 'where', a function that "
    .. "says whether a point is allowed" },
  { "options", "answer verify", "cuda.tune takes the option 'check', a function that says whether "
    .. "results are right" },
  { "options", "max_fevals n_trials", "cuda.tune takes the option 'candidates', the most of them" },
  { "options", "time_limit", "cuda.tune takes the option 'budget_ms'" },
  { "options", "objective objective_higher_is_better", "cuda.tune takes the options 'minimize' and "
    .. "'maximize', each the name of a metric" },
  { "options", "iterations", "the option 'runs' is the number of timed runs" },
  { "options", "scan_expr", "the table of cuda.scan has inputs, outputs, map, scan, identity and "
    .. "name" },
  { "options", "dim", "the option 'axis' is the axis, counted from 1" },
  { "options", "keepdim", "the option 'keepdims' keeps axes of one element" },
  { "options", "1", "options have names, such as option 'axis' of sums or option 'flags' of "
    .. "kernels" },
  { "options", "name_expressions", "the option 'instances' is a list of template instances" },
  { "options", "no_extern_c", "sources are compiled as they are, and kernels need no extern \"C\": "
    .. "cuda.kernel finds them" },
  { "options", "jitify", "C++ standard headers need no jitify: cuda.kernel and cuda.module include "
    .. "them as they are" },
  { "options", "translate_cucomplex", "complex parameters need no translation: cuda.complex and "
    .. "complex64 arrays fit cuComplex, float2 and the complex class of C++" },
  { "options", "enable_cooperative_groups", "the option 'cooperative' of a launch starts all "
    .. "blocks together" },
  { "options", "texrefs", TEXTURES },
  { "options", "non_blocking", "the option 'blocking' = false makes a stream that does not wait "
    .. "for the null stream" },
  { "options", "disable_timing enable_timing", "the option 'timing' says whether an event measures "
    .. "time" },
  { "options", "order", "arrays are in C order; array:transpose() views them in the other" },
  { "options", "alignment", "the option 'align' is the alignment in bytes" },
  { "options", "allocator", "memory comes from the pool of the device: cuda.pool()" },
  { "options", "mem_flags", "flags of memory are options of their own: 'write_combined' of "
    .. "cuda.pinned, 'attach' of cuda.managed" },
}

for _, rows in ipairs { require "luacuda.base.foreign_kernel",
  require "luacuda.base.foreign_arrays", require "luacuda.base.foreign_driver" } do
  for _, row in ipairs(rows) do ROWS[#ROWS + 1] = row end
end

-- place -> name -> sentence, filled by the first lookup
local sentences

local function load_rows()
  sentences = {}
  for _, row in ipairs(ROWS) do
    local place = sentences[row[1]] or {}
    sentences[row[1]] = place
    for name in row[2]:gmatch "%S+" do place[name] = row[3] end
  end
end

-- foreign.sentence(place, name) -> the sentence for a name, or nil
local function sentence(place, name)
  if not sentences then load_rows() end
  return sentences[place] and sentences[place][name]
end

return { rows = ROWS, sentence = sentence }
