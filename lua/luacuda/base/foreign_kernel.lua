-- foreign_kernel.lua: names that people who know Numba, CuPy's jit, CUDA C++, Python or OpenCL
-- write in a Lua function that becomes a kernel: rows of foreign.lua.
--
-- The place "kernel" has names and fields of names, "kernel array" fields and methods of arrays,
-- "kernel tiles" names in kernels over tiles.

local ATOMICS = "atomic operations take the array, its indices and the value: atomic_add(x, i, v)"
local ALL = "a kernel computes element by element: combine x[i] in a loop, or call it for the "
  .. "whole array outside"
local LOOP = "write a loop, for i = 1, n do"
local VIEWS = "kernels take views: call it outside, and pass what array:slice(ranges), "
  .. "array:reshape(shape) and the like return"
local OUTSIDE = "it is known outside: pass it as a number"

return {
  -- loops and indices
  { "kernel", "range arange xrange prange enumerate zip", LOOP },
  { "kernel", "gridsize", "write gridDim.x * blockDim.x; a loop over grid(n) steps by itself" },
  { "kernel", "get_global_id get_local_id get_group_id thread_position_in_grid tid",
    "for i in grid(n) gives a thread its indices; threadIdx.x and blockIdx.x count from 0" },
  { "kernel", "len", "write #x, or x.shape[2] for another axis" },
  { "kernel", "warpsize warp_size WARP_SIZE", "write warpSize" },
  { "kernel", "lane_id laneId lane", "write laneid" },
  -- memory
  { "kernel", "cuda.grid", "write for i in grid(#x) do, a loop over the indices of a thread" },
  { "kernel", "cuda.shared shared.array shared_memory shared_array __shared__ smem",
    "write shared(\"float32\", n), the dtype first" },
  { "kernel", "const", "tables of numbers around the kernel are constants, weights[i]" },
  { "kernel", "local_array local_memory zeros empty ones full",
    "write array(\"float32\", n), whose elements begin as 0" },
  { "kernel", "atomic atomicAdd atomicSub atomicMax atomicMin atomicExch atomicCAS atomicAnd "
    .. "atomicOr atomicXor", ATOMICS },
  { "kernel", "atomicInc atomicDec atomic_inc atomic_dec",
    "write atomic_add(x, i, 1); one that wraps around is made with atomic_cas(x, i, old, new)" },
  { "kernel", "cg this_grid sync_grid gridsync grid_sync", "write syncgrid()" },
  { "kernel", "this_thread_block __syncthreads barrier", "write syncthreads()" },
  { "kernel", "tiled_partition coalesced_threads WarpReduce BlockReduce cub",
    "write tile(32), whose methods are shfl, reduce and others" },
  { "kernel", "thrust", ALL },
  { "kernel", "xoroshiro128p_uniform_float32 xoroshiro128p_uniform_float64 "
    .. "xoroshiro128p_normal_float32 xoroshiro128p_normal_float64 curand_init curand_uniform "
    .. "curand_normal",
    "write local r = random(seed, i); its methods are uniform, normal and integer" },
  { "kernel", "lanemask_lt", "write (1 << laneid) - 1" },
  { "kernel", "eq_sync", "write match_all_sync(mask, v) == mask" },
  { "kernel", "brev __brev byte_perm",
    "cuda.device_function(source) takes a function in CUDA C++" },
  -- numbers
  { "kernel", "float double single float_ f32 f64", "write float32(v) or float64(v)" },
  { "kernel", "int long short char uint unsigned int_ i8 i16 i32 i64 u8 u16 u32 u64",
    "write int32(v), uint8(v) and so on; math.floor(v) gives a Lua integer" },
  { "kernel", "inf infinity Infinity INFINITY", "write math.huge" },
  { "kernel", "nan NaN NAN", "write 0 / 0" },
  { "kernel", "pi M_PI PI", "write math.pi" },
  { "kernel", "pow powf", "write x ^ y" },
  { "kernel", "selp", "write c and x or y" },
  { "kernel", "None NULL null nullptr", "kernels have no nil" },
  { "kernel", "True", "write true" },
  { "kernel", "False", "write false" },
  { "kernel", "isnan", "write x ~= x, or cuda.isnan(x)" },
  -- others
  { "kernel", "printf println console puts", "write print(a, b)" },
  { "kernel", "breakpoint set_trace pdb", "jit:run_in_lua runs the function as ordinary Lua, where "
    .. "debuggers work" },

  -- arrays
  { "kernel array", "T transpose permute swapaxes", "write x[j][i], or pass array:transpose()" },
  { "kernel array", "len length numel count n", "write #x, or x.size for all axes" },
  { "kernel array", "sum mean prod min max any all argmin argmax var std norm dot matmul sort "
    .. "cumsum", ALL },
  { "kernel array", "fill zero_ fill_", "write for i in grid(#x) do x[i] = v end" },
  { "kernel array", "item get at load", "write x[i], of two axes x[i][j]" },
  { "kernel array", "set setitem put store", "write x[i] = v" },
  { "kernel array", "astype to type", "elements are converted one by one: int32(x[i])" },
  { "kernel array", "slice reshape ravel view flatten squeeze expand_dims broadcast_to", VIEWS },
  { "kernel array", "copy clone contiguous", "write a loop, or call array:copy() outside" },
  { "kernel array", "add subtract multiply divide", "write x[i] + y[i]" },
  { "kernel array", "device pointer ptr data memory stream is_contiguous strides nbytes itemsize",
    OUTSIDE },
  { "kernel tiles", "program_id", "write program(1), which counts from 1" },
  { "kernel tiles", "num_programs", "write programs(1)" },
  { "kernel tiles", "cdiv", "write tiles(x, axis, extent), or (a + b - 1) // b" },
  { "kernel tiles", "arange", "write iota(n), which counts from 1" },
  { "kernel tiles", "mean", "write sum(t, axis) / n" },
  { "kernel tiles", "prod xor_sum reduce", "sum, max, min, any and all reduce a tile" },
  { "kernel tiles", "argmax", "write min(where(t == max(t, 2), iota(N), N), 2)" },
  { "kernel tiles", "argmin", "write min(where(t == min(t, 2), iota(N), N), 2)" },
  { "kernel tiles", "softmax", "write e / sum(e, 2) with e = math.exp(t - max(t, 2))" },
  { "kernel tiles", "cumsum", "write dot(t, float32(transpose(iota(N)) <= iota(N)))" },
  { "kernel tiles", "sigmoid", "write 1 / (1 + math.exp(-t))" },
  { "kernel tiles", "maximum fmax", "write math.max(a, b)" },
  { "kernel tiles", "minimum fmin", "write math.min(a, b)" },
  { "kernel tiles", "clamp clip", "write math.min(math.max(t, a), b)" },
  { "kernel tiles", "trans permute", "write transpose(t)" },
  { "kernel tiles", "ones", "write full(\"float32\", 1, M, N)" },
  { "kernel tiles", "cast", "write float16(t)" },
  { "kernel tiles", "rand randn", "write a function of one element: random(seed, i):uniform()" },
  { "kernel tiles", "reshape view ravel expand_dims broadcast_to", "a tile keeps its extents; "
    .. "those of 1 are spread, and transpose(t) makes a row a column" },
  { "kernel array", "totable tobytes tolist", "print(x[i]) shows an element" },
}
