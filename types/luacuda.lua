---@meta luacuda
-- luacheck: ignore
-- Made by tools/docgen.lua from docs/api/*.lua: change those.

---The name of an element type, or a struct type.
---@alias luacuda.Dtype
---| "bool"
---| "int8"
---| "int16"
---| "int32"
---| "int64"
---| "uint8"
---| "uint16"
---| "uint32"
---| "uint64"
---| "float16"
---| "bfloat16"
---| "float32"
---| "float64"
---| "complex64"
---| "complex128"
---| string
---| luacuda.Struct

---@class luacuda.options.device_reset
---@field force? boolean reset it although other Lua states use the library (default false)

---@class luacuda.options.device_context
---@field schedule? string how a thread waits for its work, as in `device:flags`
---@field lmem_resize? boolean keep local memory at its largest size after a kernel (default false)
---accepted for older programs: every context can use pinned memory (default false)
---@field map_host? boolean

---@class luacuda.options.device_partition
---multiprocessors of each partition (the largest equal share); the driver rounds the number up to
---what the device can separate
---@field sms? integer
---@field count? integer the number of partitions (default 1)

---@class luacuda.options.device_flags
---how a thread waits for the device: `"auto"`, `"spin"` (fastest), `"yield"` (to other threads) or
---`"blocking"` (without using a CPU core)
---@field schedule? string
---@field lmem_resize? boolean keep local memory at its largest size after a kernel

---@class luacuda.options.array_save_csv
---@field header? string[] names of the columns, for the first line
---@field delimiter? string the character between fields (default ",")

---@class luacuda.options.array_set
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_copy
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field out? luacuda.Array array to write to, instead of a new one

---@class luacuda.options.array_to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field out? luacuda.Array array on that device to write to

---@class luacuda.options.array_flip
---@field axis? integer|integer[] axes to reverse (default all)

---@class luacuda.options.array_rot90
---@field axes? integer[] the two axes of the plane (default {1, 2})
---@field k? integer in place of the parameter

---@class luacuda.options.array_squeeze
---@field axis? integer|integer[] axes to drop (default all of one element)

---@class luacuda.options.array_expand_dims
---@field axis? integer|integer[] in place of the parameter

---@class luacuda.options.array_split
---@field axis? integer axis to split (default 1)

---@class luacuda.options.array_split_to
---@field axis? integer axis to split (default 1)
---stream of the copy to each device (default the devices' current streams)
---@field streams? luacuda.Stream[]

---@class luacuda.options.array_roll
---axes along which they move (default all elements in C order, as one axis)
---@field axis? integer|integer[]
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_tile
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_rep
---@field axis? integer default: all elements in C order, as one axis
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_pad
---for mode "constant": one value, or values for sides in the forms of `pad_width` (default 0)
---@field constant_values? any
---@field mode? string in place of the parameter
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_diagonal
---@field axis1? integer axis of the rows (default 1)
---@field axis2? integer of the columns (default 2)
---@field offset? integer in place of the parameter

---@class luacuda.options.array_diag
---@field out? luacuda.Array matrix to write to, if the array has one axis
---@field k? integer in place of the parameter
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_tril
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field k? integer in place of the parameter
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_diff
---@field axis? integer default: -1
---@field prepend? luacuda.Array|number what goes before the array
---what goes after it: an array that differs in this axis only, or one value
---@field append? luacuda.Array|number
---@field n? integer in place of the parameter
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_add
---@field out? luacuda.Array array of the result's shape and dtype to write to; may be an argument
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field device? luacuda.Device|integer|string default: that of the arrays, else the current device

---@class luacuda.options.array_sum
---@field axis? integer|integer[] axes to reduce (default all)
---@field keepdims? boolean keep the reduced axes, with one element (default false)
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field dtype? luacuda.Dtype dtype of the result, also used for the computation
---offsets of segments of one axis (the first unless `axis` is given), each reduced by itself; not
---for `argmin` and `argmax`, and not with `keepdims`
---@field segments? luacuda.Array|integer[]
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_var
---@field axis? integer|integer[] axes to reduce (default all)
---@field keepdims? boolean keep the reduced axes, with one element (default false)
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field dtype? luacuda.Dtype dtype of the result, also used for the computation
---@field ddof? number subtracted from the number of elements in the divisor (default 0)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_min
---@field axis? integer|integer[] axes to reduce (default all)
---@field keepdims? boolean keep the reduced axes, with one element (default false)
---@field out? luacuda.Array array of the result's shape and dtype to write to
---offsets of segments of one axis (the first unless `axis` is given), each reduced by itself; not
---for `argmin` and `argmax`, and not with `keepdims`
---@field segments? luacuda.Array|integer[]
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_cumsum
---@field axis? integer default: all elements in C order, as one axis
---@field dtype? luacuda.Dtype dtype of the result, also used for the computation
---@field out? luacuda.Array array of the result's shape and dtype to write to; may be the argument
---begin with the value of no elements, 0 or 1; the result has one element more along the axis
---(default false)
---@field include_initial? boolean
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_cummax
---@field axis? integer default: all elements in C order, as one axis
---@field dtype? luacuda.Dtype dtype of the result, also used for the computation
---@field out? luacuda.Array array of the result's shape and dtype to write to; may be the argument
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_argsort
---@field axis? integer default: -1
---@field descending? boolean greatest first (default false)
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_unique
---@field return_index? boolean also return where each value occurs first (default false)
---also return, in the shape of `a`, the index of each element's value (default false)
---@field return_inverse? boolean
---@field return_counts? boolean also return how often each value occurs (default false)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_compress
---@field axis? integer axis that a mask of one axis selects from
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_take
---@field axis? integer default: all elements in C order, as one axis
---@field out? luacuda.Array array of the result's shape and dtype to write to
---treatment of indices outside: raise an error, which waits for the check; take the nearest element
---(negative indices are outside, too); or take `(i - 1) % n + 1`, so that 0 is the last (default
---"raise")
---@field mode? "raise"|"clip"|"wrap"
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_put
---treatment of indices outside: raise an error, which waits for the check; take the nearest element
---(negative indices are outside, too); or take `(i - 1) % n + 1`, so that 0 is the last (default
---"raise")
---@field mode? "raise"|"clip"|"wrap"
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_sort
---@field axis? integer default: -1
---@field descending? boolean greatest first (default false)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_isclose
---@field rtol? number tolerance relative to `b` (default 1e-5)
---@field atol? number absolute tolerance (default 1e-8)
---@field equal_nan? boolean whether NaN equals NaN (default false)
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_allclose
---@field rtol? number tolerance relative to `b` (default 1e-5)
---@field atol? number absolute tolerance (default 1e-8)
---@field equal_nan? boolean whether NaN equals NaN (default false)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_nan_to_num
---@field nan? number replaces NaN (default 0)
---@field posinf? number replaces infinity (the largest number of the dtype)
---@field neginf? number replaces -infinity (the smallest number of the dtype)
---@field out? luacuda.Array array of the result's shape and dtype to write to; may be the argument
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_average
---@field axis? integer|integer[] axes to reduce (default all)
---in the shape of `a` or of its reduced axes in the order given; a list has a's float dtype
---(default 1)
---@field weights? luacuda.Array|number[]
---@field keepdims? boolean keep the reduced axes, with one element (default false)
---@field returned? boolean also return the sum of the weights (default false)
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_ptp
---@field axis? integer|integer[] axes to reduce (default all)
---@field keepdims? boolean keep the reduced axes, with one element (default false)
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_quantile
---@field axis? integer|integer[] axes to reduce (default all)
---@field keepdims? boolean keep the reduced axes, with one element (default false)
---the value between two elements: interpolated, the lower one, the higher one, the nearer one (of
---two equally near ones that with the even index from 0), or their mean (default "linear")
---@field method? "linear"|"lower"|"higher"|"nearest"|"midpoint"
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_argpartition
---@field axis? integer default: -1
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_topk
---@field axis? integer default: -1
---@field largest? boolean the greatest elements instead of the least (default true)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_searchsorted
---@field side? string in place of the parameter
---integers from 1 or negative from the end that sort `a`, as from [cuda.argsort](#cudaargsort);
---indices outside take the nearest element
---@field sorter? luacuda.Array
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_nansum
---@field axis? integer|integer[] axes to reduce (default all)
---@field keepdims? boolean keep the reduced axes, with one element (default false)
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field dtype? luacuda.Dtype dtype of the result, also used for the computation
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_partition
---@field axis? integer default: -1
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_softmax
---@field axis? integer|integer[] axes along which the results add up to 1 (default all)
---@field out? luacuda.Array array of the result's shape and dtype to write to; may be the argument
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_scatter_add
---axis of the indices; the values then broadcast to `a:take(indices, { axis = axis })` (default all
---elements in C order, as one axis)
---@field axis? integer
---@field mode? "raise"|"clip"|"wrap" what to do with indices outside of the axis (default "raise")
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_gradient
---distance between samples, for all axes; or the coordinates of the samples of one axis; or a list
---with one of these per axis (default 1)
---@field spacing? number|luacuda.Array|table<any, any>
---@field axis? integer|integer[] axes to differentiate along (default all)
---@field edge_order? integer 2 takes three samples for a derivative at an end (default 1)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_trapezoid
---@field x? luacuda.Array coordinates of the samples, as many as the axis has elements
---@field dx? number distance between samples (default 1)
---@field axis? integer axis to integrate along (default -1)
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_matmul
---@field out? luacuda.Array array of the result's shape and dtype to write to; may be an operand
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---what multiplies matrices: cuBLAS, which GPUs and float and complex dtypes have, or the tiled
---kernel (default the fastest)
---@field backend? "cublas"|"kernel"
---let cuBLAS round float32 and complex64 to TF32 before it multiplies (default false)
---@field tf32? boolean

---@class luacuda.options.array_trace
---@field out? luacuda.Array array without axes to write to
---default: int64 for integers, uint64 for unsigned ones, else that of `a`
---@field dtype? luacuda.Dtype
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_norm
---@field ord? number|string in place of the parameter
---one axis of vectors or two axes of matrices (default all; with `ord` those of a vector or matrix)
---@field axis? integer|integer[]
---@field keepdims? boolean keep the reduced axes, with one element (default false)
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.array_dlpack
---@field versioned? boolean a tensor of version 1.1; `false`: the old form (default true)
---stream of the consumer, which follows earlier work on a GPU's memory; host memory is waited for
---(default the array's current stream)
---@field stream? luacuda.Stream|luacuda.Pointer|lightuserdata

---@class luacuda.options.cuarray_array
---@field out? luacuda.Array array to fill
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.random_uniform
---@field low? number least value (default 0)
---@field high? number upper end, excluded; not below `low` (default 1)
---@field dtype? "float32"|"float64"|"float16"|"bfloat16" default: "float32"
---@field out? luacuda.Array array of that shape to write to; its dtype is that of the result
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field device? luacuda.Device|integer|string default: that of `out`, else the current device

---@class luacuda.options.random_normal
---@field mean? number default: 0
---@field std? number standard deviation (default 1)
---@field dtype? "float32"|"float64"|"float16"|"bfloat16" default: "float32"
---@field out? luacuda.Array array of that shape to write to; its dtype is that of the result
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field device? luacuda.Device|integer|string default: that of `out`, else the current device

---@class luacuda.options.random_integers
---@field dtype? luacuda.Dtype an integer dtype that can hold `low` and `high` (default int64)
---@field out? luacuda.Array array of that shape to write to; its dtype is that of the result
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field device? luacuda.Device|integer|string default: that of `out`, else the current device

---@class luacuda.options.random_exponential
---@field scale? number the mean (default 1)
---@field dtype? "float32"|"float64"|"float16"|"bfloat16" default: "float32"
---@field out? luacuda.Array array of that shape to write to; its dtype is that of the result
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field device? luacuda.Device|integer|string default: that of `out`, else the current device

---@class luacuda.options.random_gamma
---@field scale? number default: 1
---@field dtype? "float32"|"float64"|"float16"|"bfloat16" default: "float32"
---@field out? luacuda.Array array of that shape to write to; its dtype is that of the result
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field device? luacuda.Device|integer|string default: that of `out`, else the current device

---@class luacuda.options.random_poisson
---@field dtype? luacuda.Dtype an integer dtype (default int64)
---@field out? luacuda.Array array of that shape to write to; its dtype is that of the result
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field device? luacuda.Device|integer|string default: that of `out`, else the current device

---@class luacuda.options.random_choice
---@field replace? boolean may an element be drawn again (default true)
---@field p? luacuda.Array|number[] weights, which need not add up to 1 (default all equal)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field device? luacuda.Device|integer|string for an integer (default the current device)

---@class luacuda.options.random_bits
---@field dtype? "uint32"|"uint64" default: "uint32"
---@field out? luacuda.Array array of that shape to write to; its dtype is that of the result
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field device? luacuda.Device|integer|string default: that of `out`, else the current device

---@class luacuda.options.random_permutation
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field device? luacuda.Device|integer|string for an integer (default the current device)

---@class luacuda.options.kernel_compile
---@field log? any function or open file that receives the log

---@class luacuda.options.module_global
---@field dtype? luacuda.Dtype type of its elements (default the compiler's)

---@class luacuda.options.module_compile
---@field log? any function or open file that receives the module's log

---@class luacuda.options.linker_add
---what it is (default recognized)
---@field kind? "source"|"ptx"|"cubin"|"fatbin"|"object"|"library"|"ltoir"
---@field name? string name of code in messages (default the file's)

---@class luacuda.options.elementwise_call
---@field size? integer number of elements; needed, and allowed, only if no array is without `raw`
---@field out? luacuda.Array|luacuda.Array[] the outputs, in place of arguments
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field device? luacuda.Device|integer|string default: that of the arrays, else the current device

---@class luacuda.options.reduction_call
---@field axis? integer|integer[] axes to reduce (default all)
---@field keepdims? boolean keep the reduced axes, with one element (default false)
---@field out? luacuda.Array|luacuda.Array[] the outputs, in place of arguments
---@field size? integer number of elements; needed, and allowed, only if no array is without `raw`
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.scan_call
---@field axis? integer default: all elements in C order, as one axis
---@field exclusive? boolean combine only what is before the element (default as declared)
---bool or integers of the inputs' shape: a new sequence begins where it is not 0
---@field segments? luacuda.Array
---@field out? luacuda.Array|luacuda.Array[] the outputs, in place of arguments
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.fused_call
---@field out? luacuda.Array|luacuda.Array[] the results' arrays
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.vectorized_call
---@field out? luacuda.Array|luacuda.Array[] arrays of the results' dtypes and shape
---@field stream? luacuda.Stream
---@field device? luacuda.Device for numbers alone

---@class luacuda.options.lineprofile_estimate
---per thread (default those of machine code that NVRTC makes for `arch`, or an estimate from PTX)
---@field registers? integer
---@field kernel? integer which of `kernels` (default 1)

---@class luacuda.options.lineprofile_html
---@field arch? string adds `profile:estimate(arch)`

---@class luacuda.options.nccl_init
---for GPUs: a path that all ranks see and that does not exist yet, through which they meet instead
---of at an address
---@field file? string
---time limit of every operation of the communicator, from its beginning after the work queued
---before it, and of this call; 0: none (default 600000)
---@field timeout_ms? number

---@class luacuda.options.nccl_init_all
---@field timeout_ms? number as above (default 600000)

---@class luacuda.options.nccl_group
---@field streams? luacuda.Stream[] one for each communicator (default the current ones)

---@class luacuda.options.communicator_all_reduce
---@field op? "sum"|"prod"|"min"|"max"|"avg" how elements are combined (default "sum")
---@field out? luacuda.Array array like `x`; may be `x` (default a new one)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---the ranks first tell each other what they call, and all of them raise where that differs; this
---waits (default false)
---@field check? boolean

---@class luacuda.options.communicator_reduce
---@field op? "sum"|"prod"|"min"|"max"|"avg" how elements are combined (default "sum")
---@field root? integer the rank of the root (default 0)
---@field out? luacuda.Array array like `x`; may be `x` (default a new one)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---the ranks first tell each other what they call, and all of them raise where that differs; this
---waits (default false)
---@field check? boolean

---@class luacuda.options.communicator_broadcast
---@field root? integer the rank of the root (default 0)
---@field out? luacuda.Array array like `x` (default `x`)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---the ranks first tell each other what they call, and all of them raise where that differs; this
---waits (default false)
---@field check? boolean

---@class luacuda.options.communicator_all_gather
---@field counts? integer[] rows of each rank, where they are not equal
---@field out? luacuda.Array array of the rows of all ranks (default a new one)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---the ranks first tell each other what they call, and all of them raise where that differs; this
---waits (default false)
---@field check? boolean

---@class luacuda.options.communicator_gather
---@field root? integer the rank of the root (default 0)
---@field counts? integer[] rows of each rank, where they are not equal
---@field out? luacuda.Array array of the rows of all ranks (default a new one)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---the ranks first tell each other what they call, and all of them raise where that differs; this
---waits (default false)
---@field check? boolean

---@class luacuda.options.communicator_scatter
---@field root? integer the rank of the root (default 0)
---@field counts? integer[] rows of each rank, where they are not equal
---@field out? luacuda.Array needed on all ranks but the root (default a new one)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---the ranks first tell each other what they call, and all of them raise where that differs; this
---waits (default false)
---@field check? boolean

---@class luacuda.options.communicator_reduce_scatter
---@field op? "sum"|"prod"|"min"|"max"|"avg" how elements are combined (default "sum")
---@field out? luacuda.Array array of this rank's rows (default a new one)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---the ranks first tell each other what they call, and all of them raise where that differs; this
---waits (default false)
---@field check? boolean

---@class luacuda.options.communicator_all_to_all
---@field counts? integer[] rows for each rank
---@field from? integer[] rows from each rank
---@field out? luacuda.Array array of the rows received (default a new one)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---the ranks first tell each other what they call, and all of them raise where that differs; this
---waits (default false)
---@field check? boolean

---@class luacuda.options.communicator_split
---@field key? integer order within the part (default the rank)

---@class luacuda.options.debug
---every launch waits, so that the launch at fault raises the error (default false)
---@field sync? boolean
---a line for every launch: kernel, arguments, grid, block, device and stream (default false)
---@field launch? boolean|function
---a line for every call of the driver: name, result and time. Cannot be turned on while other Lua
---states of the process use the devices (default false)
---@field api? boolean|function
---note where arrays are made, for `cuda.allocations`; a change forgets what was noted before
---(default false)
---@field allocations? boolean
---what this Lua state raises: [Error](#error) objects, or only their text, for host programs that
---call `lua_tostring` on errors; `LUACUDA_ERRORS` sets the default of all states (default "object")
---@field errors? "object"|"string"

---@class luacuda.options.stream
---@field priority? integer lower runs first; the driver clamps it to its range (default 0)
---@field blocking? boolean synchronize with the null stream (`CU_STREAM_DEFAULT`) (default false)
---@field device? luacuda.Device|integer|string device of the stream (default the current device)
---run kernels on its multiprocessors only; not with `blocking` or `pointer`
---@field partition? luacuda.Partition
---a `CUstream` of the host program, which LuaCUDA uses but never destroys. It must be a stream and
---outlive this handle: a driver does not check the address and may end the process
---@field pointer? luacuda.Pointer|lightuserdata

---@class luacuda.options.event
---@field timing? boolean record times (default true)
---@field blocking? boolean waiting for it sleeps instead of spinning (default false)
---other processes may open it; it then records no times (default false)
---@field interprocess? boolean
---@field device? luacuda.Device|integer|string device of the event (default the current device)

---@class luacuda.options.array
---@field shape? integer|integer[] shape of the result; one extent may be -1
---@field dtype? luacuda.Dtype in place of the parameter
---default: that of `out` or `stream`, else the current device
---@field device? luacuda.Device|integer|string
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field out? luacuda.Array array of that shape and dtype to write to, instead of a new one
---@field ipc? boolean other processes may open the memory (`array:ipc_handle`) (default false)

---@class luacuda.options.empty
---@field reserve? integer the first extent that the array can grow to by `resize`
---@field dtype? luacuda.Dtype in place of the parameter
---default: that of `out` or `stream`, else the current device
---@field device? luacuda.Device|integer|string
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field out? luacuda.Array array of that shape and dtype to write to, instead of a new one
---@field ipc? boolean other processes may open the memory (`array:ipc_handle`) (default false)

---@class luacuda.options.zeros
---@field dtype? luacuda.Dtype in place of the parameter
---default: that of `out` or `stream`, else the current device
---@field device? luacuda.Device|integer|string
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field out? luacuda.Array array of that shape and dtype to write to, instead of a new one
---@field ipc? boolean other processes may open the memory (`array:ipc_handle`) (default false)

---@class luacuda.options.empty_like
---@field dtype? luacuda.Dtype in place of the parameter
---@field device? luacuda.Device|integer|string device of the result (default that of `a`)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field out? luacuda.Array array of that shape and dtype to write to, instead of a new one
---@field ipc? boolean other processes may open the memory (`array:ipc_handle`) (default false)

---@class luacuda.options.linspace
---@field endpoint? boolean include `last` (default true)
---@field n? integer in place of the parameter
---@field dtype? luacuda.Dtype in place of the parameter
---default: that of `out` or `stream`, else the current device
---@field device? luacuda.Device|integer|string
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field out? luacuda.Array array of that shape and dtype to write to, instead of a new one
---@field ipc? boolean other processes may open the memory (`array:ipc_handle`) (default false)

---@class luacuda.options.logspace
---@field base? number default: 10
---@field endpoint? boolean include `last` (default true)
---@field n? integer in place of the parameter
---@field dtype? luacuda.Dtype in place of the parameter
---default: that of `out` or `stream`, else the current device
---@field device? luacuda.Device|integer|string
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field out? luacuda.Array array of that shape and dtype to write to, instead of a new one
---@field ipc? boolean other processes may open the memory (`array:ipc_handle`) (default false)

---@class luacuda.options.eye
---@field columns? integer default: n
---@field offset? integer of the diagonal; above 0 to the right (default 0)
---@field dtype? luacuda.Dtype in place of the parameter
---default: that of `out` or `stream`, else the current device
---@field device? luacuda.Device|integer|string
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field out? luacuda.Array array of that shape and dtype to write to, instead of a new one
---@field ipc? boolean other processes may open the memory (`array:ipc_handle`) (default false)

---@class luacuda.options.load_npy
---default: that of `out` or `stream`, else the current device
---@field device? luacuda.Device|integer|string
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field out? luacuda.Array array of that shape and dtype to write to, instead of a new one

---@class luacuda.options.load_npz
---@field names? string[] the arrays to read (default all)
---@field device? luacuda.Device|integer|string default: that of `stream`, else the current device
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.load_csv
---@field dtype? luacuda.Dtype an integer or a real float (default that of `out`, else float32)
---the character between fields; `" "` stands for any number of blanks and tabs (default ",")
---@field delimiter? string
---whether the first row has names (default: it has text, and no field of it is a number, also not
---with another delimiter or a decimal comma)
---@field header? boolean
---@field columns? string[]|integer[] the columns to read, by name or number (default all)
---fields that are NaN, compared as text; numbers are possible, such as `"-999"` (default { "",
---"NA", "N/A", "NaN", "nan", "null", "NULL" })
---@field missing? string[]
---@field comment? string a character: lines that begin with it are skipped
---@field skip? integer lines to skip first (default 0)
---default: that of `out` or `stream`, else the current device
---@field device? luacuda.Device|integer|string
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field out? luacuda.Array array of that shape and dtype to write to, instead of a new one

---@class luacuda.options.indices
---@field dtype? luacuda.Dtype in place of the parameter
---@field sparse? boolean one array for each axis, of one element along all others (default false)
---@field device? luacuda.Device|integer|string default: that of `stream`, else the current device
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.pinned
---@field dtype? luacuda.Dtype in place of the parameter
---@field zeros? boolean clear the memory before the call returns (default false)
---@field write_combined? boolean fast to write, slow to read from the host (default false)
---device whose driver pins it (default the current device)
---@field device? luacuda.Device|integer|string

---@class luacuda.options.managed
---@field dtype? luacuda.Dtype in place of the parameter
---@field zeros? boolean clear the memory before the call returns (default false)
---@field attach? "global"|"host" which streams may use it (CU_MEM_ATTACH) (default "global")
---device whose driver allocates it (default the current device)
---@field device? luacuda.Device|integer|string

---@class luacuda.options.host
---@field dtype? luacuda.Dtype in place of the parameter
---@field zeros? boolean clear the memory before the call returns (default false)
---@field align? integer alignment in bytes (default 64)

---@class luacuda.options.register
---device whose driver pins it (default the current device)
---@field device? luacuda.Device|integer|string
---@field read_only? boolean devices only read the memory (default false)
---@field iomemory? boolean the memory is that of a device (a mapped PCI region) (default false)

---@class luacuda.options.wrap
---@field dtype? luacuda.Dtype in place of the parameter
---@field owner? any a value kept alive as long as the array
---@field device? luacuda.Device|integer|string device of the memory (default the current device)
---@field memory? "device"|"host" kind of memory (default "device")
---bytes from element to element on each axis (default C order without gaps)
---@field strides? integer[]
---@field readonly? boolean the memory may not be written (default false)
---@field stream? luacuda.Stream its work so far comes before every use of the memory

---@class luacuda.options.alloc
---@field device? luacuda.Device|integer|string default: the current device
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.alloc_pitch
---@field width integer bytes of a row
---@field height? integer rows (default 1)
---@field device? luacuda.Device|integer|string default: the current device
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.copy2d
---@field dst luacuda.Array|luacuda.CuArray
---@field src luacuda.Array|luacuda.CuArray
---@field width integer bytes of a row; not needed with a CUDA array
---@field height integer rows; not needed with a CUDA array
---@field dst_pitch? integer bytes from row to row (default that of its rows, else `width`)
---@field src_pitch? integer bytes from row to row (default that of its rows, else `width`)
---@field dst_x? integer bytes (default 0)
---@field dst_y? integer rows (default 0)
---@field src_x? integer bytes (default 0)
---@field src_y? integer rows (default 0)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.copy3d
---@field dst luacuda.Array|luacuda.CuArray
---@field src luacuda.Array|luacuda.CuArray
---@field width integer bytes of a row; not needed with a CUDA array
---@field height integer rows; not needed with a CUDA array
---@field depth? integer slices or layers (default 1, or that of the CUDA array)
---@field dst_pitch? integer bytes from row to row (default that of its rows, else `width`)
---@field src_pitch? integer bytes from row to row (default that of its rows, else `width`)
---@field dst_height? integer rows from slice to slice (default that of its slices, else `height`)
---@field src_height? integer rows from slice to slice (default that of its slices, else `height`)
---@field dst_x? integer bytes (default 0)
---@field dst_y? integer rows (default 0)
---@field dst_z? integer slices (default 0)
---@field src_x? integer bytes (default 0)
---@field src_y? integer rows (default 0)
---@field src_z? integer slices (default 0)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.memset
---@field width? integer bytes of a word: 1, 2, 4 or 8 (default 1)
---@field offset? integer bytes (default 0)
---@field count? integer in place of the parameter
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.memset2d
---@field columns integer words of a row
---@field height integer rows
---@field pitch? integer bytes from row to row (default that of the array's rows)
---@field width? integer bytes of a word: 1, 2, 4 or 8 (default 1)
---@field offset? integer bytes (default 0)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.tensor_map
---elements per axis that one copy spans, 1 to 256 each; those of the last axis are a multiple of 16
---bytes; needed, unless `channels` is given
---@field box? integer[]
---im2col mode: elements of the last axis that one copy takes of each pixel, 1 to 256; the array has
---a first axis of images, one to three spatial axes and a last axis of channels
---@field channels? integer
---@field pixels? integer im2col mode: pixels of one copy, 1 to 1024 (default 1)
---@field low? integer[] im2col mode: the lowest coordinate of pixels per spatial axis (0)
---im2col mode: how far pixels go beyond the last one per spatial axis, or less far if negative (0)
---@field high? integer[]
---@field steps? integer[] elements between those that are copied, 1 to 8 per axis (all 1)
---bytes of shared memory in which units of 16 bytes are exchanged: 32, 64 or 128, at least those of
---a row of the box; on the CPU device equal to it (default 0)
---@field swizzle? integer
---@field nan? boolean elements of floats outside the array read as NaN, not 0 (default false)

---@class luacuda.options.cuda_array
---@field channels? integer elements of a texel: 1, 2 or 4, at most 16 bytes together (default 1)
---@field surface? boolean kernels may write it through a surface (default false)
---@field layered? boolean the first axis counts layers (default false)
---the first axis counts the faces of cubemaps: six, or with `layered` a multiple (default false)
---@field cubemap? boolean
---@field gather? boolean kernels may use `tex2Dgather` (default false)
---@field mipmaps? boolean|integer all levels, or their number (default false)
---@field device? luacuda.Device|integer|string default: that of the array, else the current device
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field dtype? string in place of the parameter

---@class luacuda.options.texture
---@field filter? "point"|"linear" the nearest texel, or a mean of those around (default "point")
---what lies outside, for all axes or x, y and z: "clamp", "border", "wrap" or "mirror"; the last
---two need `normalized` (default "clamp")
---@field address? string|string[]
---integers of 8 and 16 bits as they are, or as floats from 0 (signed: -1) to 1 (default "element")
---@field read? "element"|"normalized"
---@field normalized? boolean coordinates from 0 to 1 (default false; true for mipmaps and cubemaps)
---what "border" reads, for all channels or for each; in the type that kernels read (default 0)
---@field border? number|number[]
---@field srgb? boolean decode sRGB (uint8 read as normalized) (default false)
---@field anisotropy? integer greatest ratio of anisotropic filtering, up to 16 (default 0)
---@field mipmap_filter? "point"|"linear" filter between levels (default that of `filter`)
---@field mipmap_bias? number added to the level (default 0)
---@field min_level? number lowest level that is read; 0 is the largest (default 0)
---@field max_level? number highest level that is read (default the last)
---@field seamless? boolean filter across the edges of a cubemap (default false)
---@field channels? integer elements of a texel in an Array, whose last axis holds them (default 1)

---@class luacuda.options.add
---@field size? integer elements of the result, if no argument is an array; not for methods
---@field out? luacuda.Array array of the result's shape and dtype to write to; may be an argument
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---@field device? luacuda.Device|integer|string default: that of the arrays, else the current device

---@class luacuda.options.concatenate
---@field axis? integer default: 1
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field dtype? luacuda.Dtype dtype of the result (default the common dtype of all)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.gather
---@field axis? integer axis along which they are joined (default 1)
---default: that of `out` or `stream`, else the current device
---@field device? luacuda.Device|integer|string
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the copies (default the device's current stream)

---@class luacuda.options.array_equal
---@field equal_nan? boolean whether NaN equals NaN (default false)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.cov
---@field rowvar? boolean whether the variables are the rows; false: the columns (default true)
---@field bias? boolean use `ddof` 0 (default false)
---@field ddof? integer subtracted from the number of observations in the divisor (default 1)
---@field fweights? luacuda.Array|integer[] how often each observation counts
---@field aweights? luacuda.Array|number[] weights of the observations
---@field y? luacuda.Array in place of the parameter
---dtype of the result and of the computation (default that of the arguments, joined with float64)
---@field dtype? luacuda.Dtype
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.corrcoef
---@field rowvar? boolean whether the variables are the rows; false: the columns (default true)
---@field y? luacuda.Array in place of the parameter
---dtype of the result and of the computation (default that of the arguments, joined with float64)
---@field dtype? luacuda.Dtype
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.digitize
---whether a bin contains its right edge instead of its left one (default false)
---@field right? boolean
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.bincount
---@field weights? luacuda.Array real numbers in the shape of the first argument, added instead of 1
---@field minlength? integer least number of bins (default 0)
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.histogram
---@field bins? integer|number[]|luacuda.Array in place of the parameter
---@field range? number[] first and last edge (default the least and the greatest element)
---@field weights? luacuda.Array real numbers in the shape of the first argument, added instead of 1
---divide by the width of each bin and the sum of all, which gives float64 (default false)
---@field density? boolean
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.interp
---@field left? number|luacuda.Complex value below `xp[1]` (default `fp[1]`)
---@field right? number|luacuda.Complex value above `xp[-1]` (default `fp[-1]`)
---@field period? number the coordinates repeat after it; `left` and `right` are not used
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.convolve
---@field mode? string in place of the parameter
---@field out? luacuda.Array array of the result's shape and dtype to write to
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.tensordot
---@field axes? integer|table<any, any> in place of the parameter
---@field out? luacuda.Array array of the result's shape and dtype to write to; may be an operand
---@field stream? luacuda.Stream stream of the work (default the device's current stream)
---what multiplies matrices: cuBLAS, which GPUs and float and complex dtypes have, or the tiled
---kernel (default the fastest)
---@field backend? "cublas"|"kernel"
---let cuBLAS round float32 and complex64 to TF32 before it multiplies (default false)
---@field tf32? boolean

---@class luacuda.options.kron
---@field out? luacuda.Array array of the result's shape and dtype to write to; may be an operand
---@field stream? luacuda.Stream stream of the work (default the device's current stream)

---@class luacuda.options.from_dlpack
---the work queued on it so far comes before every use of the memory (default the current stream of
---the tensor's device)
---@field stream? luacuda.Stream

---@class luacuda.options.open_ipc
---@field dtype? luacuda.Dtype the struct; each process declares it (default that of the handle)

---@class luacuda.options.kernel
---in a call with one table; exactly one of `source`, `path` and `binary`
---@field source? string|luacuda.Source
---@field path? string file with the source
---@field binary? string PTX or machine code; damaged or padded code raises
---@field flags? string|string[] flags for the compiler: one, or a list with an item for each
---@field defines? table<any, any> macros: name to number, string or boolean
---@field include_dirs? string|string[] folders of included files
---@field headers? table<any, any> included files in memory: name to text
---@field std? string C++ standard (default "c++17")
---`"sm_NN"`: machine code, for devices of that major and this or a later minor version;
---`"compute_NN"`: PTX, for those and all later devices; `"native"`: the device's (default "native")
---@field arch? string
---compiler: NVRTC is a library; nvcc is a program of the CUDA toolkit, which runs once for each
---source and whose headers are those of the host's C++ (default "nvrtc")
---@field backend? "nvrtc"|"nvcc"
---with that backend the program: its path, or its name in `PATH` (default found)
---@field nvcc? string
---give the source C linkage, as with `extern "C" { }` around it: includes that are in no braces
---stay outside (default false)
---@field extern_c? boolean
---take host code out before compiling, as in a `.cu` file written for nvcc: functions, variables
---and classes that are not for devices, the headers they need, and `using std`. It becomes spaces,
---so lines keep their numbers. The user's headers that the source includes are treated the same
---way. Types, templates, constants and `__host__ __device__` functions stay if kernels, device
---functions or names in `instances` use them. NVRTC only
---@field host? "strip"
---@field debug? boolean compile for debuggers (default false)
---@field lineinfo? boolean keep source lines, for messages and profilers (default true)
---@field fast_math? boolean faster and less exact arithmetic (default false)
---relocatable device code, which is linked: what it declares `extern` must be defined in it or in
---what is linked with it; excludes `arch = "sm_NN"` (default false)
---@field rdc? boolean
---@field cache? boolean look up the compiled code and keep it (default true)
---@field cache_dir? string folder to keep compiled code in, in place of the common one
---folder that receives each source, its code and the compiler's log, as files named after the
---source
---@field keep? string
---@field name? string in place of the parameter
---@field instances? string|string[] template instances to compile with it
---further sources, each compiled by itself and linked: a text, the name of a file, `{ source = }`
---or `{ path = }`
---@field sources? any[]
---code to link: PTX, relocatable machine code, object files and libraries as bytes or names of
---files, or `{ binary =, path =, kind =, name = }`; kinds are `"ptx"`, `"cubin"`, `"fatbin"`,
---`"object"`, `"library"` and `"ltoir"`
---@field binaries? any[]
---device libraries to link: paths, or names such as `"cudadevrt"`, which is searched in the CUDA
---toolkit
---@field libraries? string[]
---options of the driver's PTX compiler and linker: `max_registers`, `threads_per_block`,
---`optimization` (0 to 4), `target` (`"sm_NN"`), `fallback` (`"ptx"` or `"binary"`; not where code
---is linked), `cache_mode` (`"none"`, `"cg"` or `"ca"`), `debug`, `lineinfo`, `verbose`; source is
---then compiled to PTX
---@field jit? table<any, any>
---optimize across sources when linking, with nvJitLink; so does code of the kind `"ltoir"` among
---`binaries` (default false)
---@field lto? boolean
---called with whether the driver accepted the code, its messages and its errors: `function(ok,
---info, errors)`
---@field on_message? function
---called with the module and the device after the code is loaded there, before the first launch;
---for example to set variables
---@field on_load? function

---@class luacuda.options.module
---in a call with one table; exactly one of `source`, `path` and `binary`
---@field source? string|luacuda.Source
---@field path? string file with the source
---@field binary? string PTX or machine code; damaged or padded code raises
---@field flags? string|string[] flags for the compiler: one, or a list with an item for each
---@field defines? table<any, any> macros: name to number, string or boolean
---@field include_dirs? string|string[] folders of included files
---@field headers? table<any, any> included files in memory: name to text
---@field std? string C++ standard (default "c++17")
---`"sm_NN"`: machine code, for devices of that major and this or a later minor version;
---`"compute_NN"`: PTX, for those and all later devices; `"native"`: the device's (default "native")
---@field arch? string
---compiler: NVRTC is a library; nvcc is a program of the CUDA toolkit, which runs once for each
---source and whose headers are those of the host's C++ (default "nvrtc")
---@field backend? "nvrtc"|"nvcc"
---with that backend the program: its path, or its name in `PATH` (default found)
---@field nvcc? string
---give the source C linkage, as with `extern "C" { }` around it: includes that are in no braces
---stay outside (default false)
---@field extern_c? boolean
---take host code out before compiling, as in a `.cu` file written for nvcc: functions, variables
---and classes that are not for devices, the headers they need, and `using std`. It becomes spaces,
---so lines keep their numbers. The user's headers that the source includes are treated the same
---way. Types, templates, constants and `__host__ __device__` functions stay if kernels, device
---functions or names in `instances` use them. NVRTC only
---@field host? "strip"
---@field debug? boolean compile for debuggers (default false)
---@field lineinfo? boolean keep source lines, for messages and profilers (default true)
---@field fast_math? boolean faster and less exact arithmetic (default false)
---relocatable device code, which is linked: what it declares `extern` must be defined in it or in
---what is linked with it; excludes `arch = "sm_NN"` (default false)
---@field rdc? boolean
---@field cache? boolean look up the compiled code and keep it (default true)
---@field cache_dir? string folder to keep compiled code in, in place of the common one
---folder that receives each source, its code and the compiler's log, as files named after the
---source
---@field keep? string
---@field instances? string|string[] template instances to compile with it
---further sources, each compiled by itself and linked: a text, the name of a file, `{ source = }`
---or `{ path = }`
---@field sources? any[]
---code to link: PTX, relocatable machine code, object files and libraries as bytes or names of
---files, or `{ binary =, path =, kind =, name = }`; kinds are `"ptx"`, `"cubin"`, `"fatbin"`,
---`"object"`, `"library"` and `"ltoir"`
---@field binaries? any[]
---device libraries to link: paths, or names such as `"cudadevrt"`, which is searched in the CUDA
---toolkit
---@field libraries? string[]
---options of the driver's PTX compiler and linker: `max_registers`, `threads_per_block`,
---`optimization` (0 to 4), `target` (`"sm_NN"`), `fallback` (`"ptx"` or `"binary"`; not where code
---is linked), `cache_mode` (`"none"`, `"cg"` or `"ca"`), `debug`, `lineinfo`, `verbose`; source is
---then compiled to PTX
---@field jit? table<any, any>
---optimize across sources when linking, with nvJitLink; so does code of the kind `"ltoir"` among
---`binaries` (default false)
---@field lto? boolean
---called with whether the driver accepted the code, its messages and its errors: `function(ok,
---info, errors)`
---@field on_message? function
---called with the module and the device after the code is loaded there, before the first launch;
---for example to set variables
---@field on_load? function

---@class luacuda.options.linker
---@field flags? string|string[] flags for the compiler: one, or a list with an item for each
---@field defines? table<any, any> macros: name to number, string or boolean
---@field include_dirs? string|string[] folders of included files
---@field headers? table<any, any> included files in memory: name to text
---@field std? string C++ standard (default "c++17")
---`"sm_NN"`: machine code, for devices of that major and this or a later minor version;
---`"compute_NN"`: PTX, for those and all later devices; `"native"`: the device's (default "native")
---@field arch? string
---compiler: NVRTC is a library; nvcc is a program of the CUDA toolkit, which runs once for each
---source and whose headers are those of the host's C++ (default "nvrtc")
---@field backend? "nvrtc"|"nvcc"
---with that backend the program: its path, or its name in `PATH` (default found)
---@field nvcc? string
---give the source C linkage, as with `extern "C" { }` around it: includes that are in no braces
---stay outside (default false)
---@field extern_c? boolean
---take host code out before compiling, as in a `.cu` file written for nvcc: functions, variables
---and classes that are not for devices, the headers they need, and `using std`. It becomes spaces,
---so lines keep their numbers. The user's headers that the source includes are treated the same
---way. Types, templates, constants and `__host__ __device__` functions stay if kernels, device
---functions or names in `instances` use them. NVRTC only
---@field host? "strip"
---@field debug? boolean compile for debuggers (default false)
---@field lineinfo? boolean keep source lines, for messages and profilers (default true)
---@field fast_math? boolean faster and less exact arithmetic (default false)
---relocatable device code, which is linked: what it declares `extern` must be defined in it or in
---what is linked with it; excludes `arch = "sm_NN"` (default false)
---@field rdc? boolean
---@field cache? boolean look up the compiled code and keep it (default true)
---@field cache_dir? string folder to keep compiled code in, in place of the common one
---folder that receives each source, its code and the compiler's log, as files named after the
---source
---@field keep? string
---options of the driver's PTX compiler and linker: `max_registers`, `threads_per_block`,
---`optimization` (0 to 4), `target` (`"sm_NN"`), `fallback` (`"ptx"` or `"binary"`; not where code
---is linked), `cache_mode` (`"none"`, `"cg"` or `"ca"`), `debug`, `lineinfo`, `verbose`; source is
---then compiled to PTX
---@field jit? table<any, any>
---optimize across sources when linking, with nvJitLink; so does code of the kind `"ltoir"` among
---`binaries` (default false)
---@field lto? boolean
---called with whether the driver accepted the code, its messages and its errors: `function(ok,
---info, errors)`
---@field on_message? function

---@class luacuda.options.compile
---in a call with one table; exactly one of `source`, `path` and `binary`
---@field source? string|luacuda.Source
---@field path? string file with the source
---@field binary? string PTX or machine code; damaged or padded code raises
---@field flags? string|string[] flags for the compiler: one, or a list with an item for each
---@field defines? table<any, any> macros: name to number, string or boolean
---@field include_dirs? string|string[] folders of included files
---@field headers? table<any, any> included files in memory: name to text
---@field std? string C++ standard (default "c++17")
---`"sm_NN"`: machine code, for devices of that major and this or a later minor version;
---`"compute_NN"`: PTX, for those and all later devices; `"native"`: the device's (default "native")
---@field arch? string
---compiler: NVRTC is a library; nvcc is a program of the CUDA toolkit, which runs once for each
---source and whose headers are those of the host's C++ (default "nvrtc")
---@field backend? "nvrtc"|"nvcc"
---with that backend the program: its path, or its name in `PATH` (default found)
---@field nvcc? string
---give the source C linkage, as with `extern "C" { }` around it: includes that are in no braces
---stay outside (default false)
---@field extern_c? boolean
---take host code out before compiling, as in a `.cu` file written for nvcc: functions, variables
---and classes that are not for devices, the headers they need, and `using std`. It becomes spaces,
---so lines keep their numbers. The user's headers that the source includes are treated the same
---way. Types, templates, constants and `__host__ __device__` functions stay if kernels, device
---functions or names in `instances` use them. NVRTC only
---@field host? "strip"
---@field debug? boolean compile for debuggers (default false)
---@field lineinfo? boolean keep source lines, for messages and profilers (default true)
---@field fast_math? boolean faster and less exact arithmetic (default false)
---relocatable device code, which is linked: what it declares `extern` must be defined in it or in
---what is linked with it; excludes `arch = "sm_NN"` (default false)
---@field rdc? boolean
---@field cache? boolean look up the compiled code and keep it (default true)
---@field cache_dir? string folder to keep compiled code in, in place of the common one
---folder that receives each source, its code and the compiler's log, as files named after the
---source
---@field keep? string
---kind of code; a fat binary needs `backend = "nvcc"`, and flags such as
---`"-gencode=arch=compute_90,code=sm_90"` list what is in it (default "ptx")
---@field target? "ptx"|"cubin"|"ltoir"|"fatbin"
---@field instances? string|string[] template instances to compile with it

---@class luacuda.options.preprocess
---in a call with one table; exactly one of `source`, `path` and `binary`
---@field source? string|luacuda.Source
---@field path? string file with the source
---@field binary? string PTX or machine code; damaged or padded code raises
---@field flags? string|string[] flags for the compiler: one, or a list with an item for each
---@field defines? table<any, any> macros: name to number, string or boolean
---@field include_dirs? string|string[] folders of included files
---@field headers? table<any, any> included files in memory: name to text
---@field std? string C++ standard (default "c++17")
---`"sm_NN"`: machine code, for devices of that major and this or a later minor version;
---`"compute_NN"`: PTX, for those and all later devices; `"native"`: the device's (default "native")
---@field arch? string
---compiler: NVRTC is a library; nvcc is a program of the CUDA toolkit, which runs once for each
---source and whose headers are those of the host's C++ (default "nvrtc")
---@field backend? "nvrtc"|"nvcc"
---with that backend the program: its path, or its name in `PATH` (default found)
---@field nvcc? string
---give the source C linkage, as with `extern "C" { }` around it: includes that are in no braces
---stay outside (default false)
---@field extern_c? boolean
---take host code out before compiling, as in a `.cu` file written for nvcc: functions, variables
---and classes that are not for devices, the headers they need, and `using std`. It becomes spaces,
---so lines keep their numbers. The user's headers that the source includes are treated the same
---way. Types, templates, constants and `__host__ __device__` functions stay if kernels, device
---functions or names in `instances` use them. NVRTC only
---@field host? "strip"
---@field debug? boolean compile for debuggers (default false)
---@field lineinfo? boolean keep source lines, for messages and profilers (default true)
---@field fast_math? boolean faster and less exact arithmetic (default false)
---relocatable device code, which is linked: what it declares `extern` must be defined in it or in
---what is linked with it; excludes `arch = "sm_NN"` (default false)
---@field rdc? boolean
---@field cache? boolean look up the compiled code and keep it (default true)
---@field cache_dir? string folder to keep compiled code in, in place of the common one
---folder that receives each source, its code and the compiler's log, as files named after the
---source
---@field keep? string
---@field instances? string|string[] template instances to compile with it

---@class luacuda.options.architectures
---@field backend? "nvrtc"|"nvcc" compiler (default "nvrtc")
---@field nvcc? string its path (default found)

---@class luacuda.options.elementwise
---@field preamble? string CUDA C++ before the kernel: functions, macros, structs
---code that each thread runs before its elements: it may declare variables for the body, and sees
---raw parameters and inputs for which a call gives a number
---@field loop_prep? string
---@field after_loop? string code that each thread runs after its elements
---@field no_return? boolean return nothing (default false)
---@field return_tuple? boolean return a list of the outputs (default false)
---@field reduce_dims? boolean without effect: an index has a part for every axis of the call
---@field flags? string|string[] flags for the compiler
---@field options? string|string[] the same as `flags`
---macros for the texts given here (generated code does not see them): name to value
---@field defines? table<any, any>
---@field include_dirs? string|string[] folders of included files
---@field headers? table<any, any> included files in memory: name to text
---@field std? string C++ standard (default "c++17")
---@field debug? boolean compile for debuggers (default false)
---@field lineinfo? boolean keep source lines (default true)
---@field fast_math? boolean faster and less exact arithmetic (default false)
---@field backend? string compiler (default "nvrtc")
---@field cache? boolean look up the compiled code and keep it (default true)

---@class luacuda.options.elementwise_table
---@field inputs string parameters
---@field outputs string parameters that the body assigns
---@field body string|function computes one element
---@field name? string name of the kernel (default "elementwise")
---@field preamble? string CUDA C++ before the kernel: functions, macros, structs
---code that each thread runs before its elements: it may declare variables for the body, and sees
---raw parameters and inputs for which a call gives a number
---@field loop_prep? string
---@field after_loop? string code that each thread runs after its elements
---@field no_return? boolean return nothing (default false)
---@field return_tuple? boolean return a list of the outputs (default false)
---@field reduce_dims? boolean without effect: an index has a part for every axis of the call
---@field flags? string|string[] flags for the compiler
---@field options? string|string[] the same as `flags`
---macros for the texts given here (generated code does not see them): name to value
---@field defines? table<any, any>
---@field include_dirs? string|string[] folders of included files
---@field headers? table<any, any> included files in memory: name to text
---@field std? string C++ standard (default "c++17")
---@field debug? boolean compile for debuggers (default false)
---@field lineinfo? boolean keep source lines (default true)
---@field fast_math? boolean faster and less exact arithmetic (default false)
---@field backend? string compiler (default "nvrtc")
---@field cache? boolean look up the compiled code and keep it (default true)

---@class luacuda.options.reduction
---type of `a` and `b`: a dtype, a C++ type, a placeholder, or the name of a struct that is plain
---data and has a default constructor; or several values with names (default that of the first
---output; float for half types)
---@field reduce_type? string
---@field preamble? string CUDA C++ before the kernel: functions, macros, structs
---@field reduce_dims? boolean without effect: an index has a part for every axis of the call
---@field flags? string|string[] flags for the compiler
---@field options? string|string[] the same as `flags`
---macros for the texts given here (generated code does not see them): name to value
---@field defines? table<any, any>
---@field include_dirs? string|string[] folders of included files
---@field headers? table<any, any> included files in memory: name to text
---@field std? string C++ standard (default "c++17")
---@field debug? boolean compile for debuggers (default false)
---@field lineinfo? boolean keep source lines (default true)
---@field fast_math? boolean faster and less exact arithmetic (default false)
---@field backend? string compiler (default "nvrtc")
---@field cache? boolean look up the compiled code and keep it (default true)

---@class luacuda.options.reduction_table
---@field inputs string parameters
---@field outputs string parameters, not raw
---@field map string|function expression of the inputs: the value of an element
---associative and commutative expression that combines the values `a` and `b`
---@field reduce string|function
---@field post string|function assigns the outputs from `a`, the combined value
---@field identity? string|number|boolean|table<any, any> expression: the value of no elements
---@field name? string name of the kernel (default "reduction")
---type of `a` and `b`: a dtype, a C++ type, a placeholder, or the name of a struct that is plain
---data and has a default constructor; or several values with names (default that of the first
---output; float for half types)
---@field reduce_type? string
---@field preamble? string CUDA C++ before the kernel: functions, macros, structs
---@field reduce_dims? boolean without effect: an index has a part for every axis of the call
---@field flags? string|string[] flags for the compiler
---@field options? string|string[] the same as `flags`
---macros for the texts given here (generated code does not see them): name to value
---@field defines? table<any, any>
---@field include_dirs? string|string[] folders of included files
---@field headers? table<any, any> included files in memory: name to text
---@field std? string C++ standard (default "c++17")
---@field debug? boolean compile for debuggers (default false)
---@field lineinfo? boolean keep source lines (default true)
---@field fast_math? boolean faster and less exact arithmetic (default false)
---@field backend? string compiler (default "nvrtc")
---@field cache? boolean look up the compiled code and keep it (default true)

---@class luacuda.options.scan
---assigns the outputs from `a`, the value at an element (default the first output is `a`)
---@field post? string|function
---combine only what is before the element; needs an identity (default false)
---@field exclusive? boolean
---type of `a` and `b`: a dtype, a placeholder, or the name of a struct that is plain data; or
---several values with names (default that of the first output; float for half types)
---@field scan_type? string
---@field preamble? string CUDA C++ before the kernel: functions, macros, structs
---@field flags? string|string[] flags for the compiler
---@field options? string|string[] the same as `flags`
---macros for the texts given here (generated code does not see them): name to value
---@field defines? table<any, any>
---@field include_dirs? string|string[] folders of included files
---@field headers? table<any, any> included files in memory: name to text
---@field std? string C++ standard (default "c++17")
---@field debug? boolean compile for debuggers (default false)
---@field lineinfo? boolean keep source lines (default true)
---@field fast_math? boolean faster and less exact arithmetic (default false)
---@field backend? string compiler (default "nvrtc")
---@field cache? boolean look up the compiled code and keep it (default true)

---@class luacuda.options.scan_table
---@field inputs string parameters, at least one of them not raw
---@field outputs string parameters
---@field map string|function expression of the inputs: the value of an element
---associative expression that combines the values `a` and `b`, `a` before `b`
---@field scan string|function
---expression: the value before the first element
---@field identity? string|number|boolean|table<any, any>
---@field name? string name of the kernel (default "scan")
---assigns the outputs from `a`, the value at an element (default the first output is `a`)
---@field post? string|function
---combine only what is before the element; needs an identity (default false)
---@field exclusive? boolean
---type of `a` and `b`: a dtype, a placeholder, or the name of a struct that is plain data; or
---several values with names (default that of the first output; float for half types)
---@field scan_type? string
---@field preamble? string CUDA C++ before the kernel: functions, macros, structs
---@field flags? string|string[] flags for the compiler
---@field options? string|string[] the same as `flags`
---macros for the texts given here (generated code does not see them): name to value
---@field defines? table<any, any>
---@field include_dirs? string|string[] folders of included files
---@field headers? table<any, any> included files in memory: name to text
---@field std? string C++ standard (default "c++17")
---@field debug? boolean compile for debuggers (default false)
---@field lineinfo? boolean keep source lines (default true)
---@field fast_math? boolean faster and less exact arithmetic (default false)
---@field backend? string compiler (default "nvrtc")
---@field cache? boolean look up the compiled code and keep it (default true)

---@class luacuda.options.fuse
---@field name? string name of the kernel (default "fused")

---@class luacuda.options.jit
---@field name? string name of the kernel (default that of its variable)
---@field max_threads? integer most threads of a block (`__launch_bounds__`)
---@field min_blocks? integer blocks that a multiprocessor can run at once; needs max_threads
---most registers of a thread, in place of max_threads: the compiler ignores one beside the other
---@field max_registers? integer
---@field fast_math? boolean fast approximations of division and functions (default false)
---@field flags? string|string[] further compiler flags
---@field debug? boolean code for debuggers (default false)
---@field lineinfo? boolean line numbers in machine code (default true)

---@class luacuda.options.vectorize
---@field name? string name in messages and profiles (default that of its variable)
---fast approximations of division and functions, and products that are not rounded before something
---is added (default false)
---@field fast_math? boolean
---@field debug? boolean code for debuggers (default false)
---@field lineinfo? boolean line numbers in machine code (default true)

---@class luacuda.options.device_function
---@field path? string file with the source
---@field flags? string|string[] compiler flags
---@field defines? table<any, any> name to value
---@field include_dirs? string|string[] folders for #include
---@field headers? table<any, any> name to text, headers in memory
---@field std? string as in "c++17"
---@field source? string in place of the parameter

---@class luacuda.options.device_function_table
---the function meant; an instance of a template is named like "f<float>" (default the only
---function)
---@field name? string
---@field path? string file with the source
---@field flags? string|string[] compiler flags
---@field defines? table<any, any> name to value
---@field include_dirs? string|string[] folders for #include
---@field headers? table<any, any> name to text, headers in memory
---@field std? string as in "c++17"
---@field source? string in place of the parameter

---@class luacuda.options.profile
---@field limit? integer the most entries to keep (default 1000000)

---@class luacuda.options.tune
---@field name string name of the search
---lists of values by name of the parameter: `{ BLOCK = { 64, 128 } }`. Values are numbers, strings,
---booleans or lists of these
---@field space table<any, any>
---`function(parameters)` that returns the function to time. That function queues work on the
---current stream. `nil` and a text skip a candidate
---@field make function
---@field where? function `function(parameters)`: false leaves a point out
---`function(parameters)`, called after the first run of each candidate: it raises or returns false
---if the results are wrong
---@field check? function
---`function(parameters)`, called before a candidate runs for the first time, so that results of an
---earlier one cannot pass for its own
---@field reset? function
---a string, a number, a boolean or a list of them that tells searches of one name apart, such as
---the shape of the data
---@field key? any
---`function(parameters, ms)` that returns a table of numbers by name, such as `{ gflops = 2e-6 * n
---/ ms }`
---@field metrics? function
---@field minimize? string name of the metric that decides; less is better (default the time)
---@field maximize? string name of the metric that decides; more is better
---milliseconds by the clock after which no further measurement is begun (default no limit)
---@field budget_ms? number
---by default `"all"` up to 256 points and `"halving"` above
---@field strategy? "all"|"halving"|"random"
---@field candidates? integer the most candidates of `"halving"` and `"random"` (default 256)
---@field seed? integer of the random numbers: the same seed gives the same candidates (default 1)
---timed runs of each measurement; by default 1 to 100, as many as take about 40 ms
---@field runs? integer
---@field warmup? integer runs before those (default 1)
---@field refresh? boolean measure again although a winner is kept (default false)
---@field cache? boolean use the winner on disk and keep the new one (default true)
---@field cache_dir? string folder to keep winners in (default that of the cache)
---`function(row, done, total)`, called after each measurement with its row, the number of
---candidates so far and of those there may be
---@field observe? function
---@field stream? luacuda.Stream current while candidates run, and timed (default the current one)

---Each device has one handle, so `==` compares devices and a device can be a table key. Every
---attribute of the driver is also a field, by its name in lower case: `device.warp_size`.
---@class luacuda.Device
---@field name string The driver's name for it.
---@field label string Its name in messages: `"gpu0"`, `"cpu"`.
---@field kind "gpu"|"cpu" The kind of device.
---@field ordinal integer Its number, from 0.
---@field arch string The architecture to compile for: `"sm_90"`.
---@field cc integer The compute capability as one number: 90.
---@field compute_capability integer[] The compute capability as a list: `{ 9, 0 }`.
---@field total_memory integer Its memory in bytes.
---@field pci_bus_id string? Its PCI bus id, `"0000:3b:00.0"`; nil on the CPU device.
---@field uuid string? Its UUID.
---The version of the driver API that its context was made with: 3020 is 3.2.
---@field api_version integer
---@field stream luacuda.Stream Its current stream in this Lua state.
---@field null_stream luacuda.Stream Its null stream.
---@field [string] integer? An attribute of the driver; nil if the driver does not have it.
---@field parent luacuda.Device? The device that a context belongs to; nil for a device.
local Device = {}

---Returns an attribute of the driver.
---
---Raises a string for an unknown name.
---@param name string in any case, with or without `CU_DEVICE_ATTRIBUTE_`
---@return integer? # nil if the driver does not have it
function Device:attribute(name) end

---Returns all attributes that the driver has.
---@return table # name to integer
function Device:attributes() end

---Returns whether the driver has the attribute and it is not 0.
---@param name string an attribute; `_supported` may be left out
---@return boolean
function Device:supports(name) end

---Returns its free and its total memory.
---@return integer # free bytes
---@return integer # total bytes
function Device:memory_info() end

---Waits for all work of the device.
---
---Raises `launch`, and any other error of queued work.
---@return luacuda.Device # itself
function Device:synchronize() end

---Makes it the current device of this Lua state.
---@return luacuda.Device # the device that was current before
function Device:use() end

---Releases everything that the driver holds for the device; the next use initializes it again.
---Kernels of operators, array functions and builders are unloaded now and loaded again when they
---are next used.
---
---Raises `logic` in a finalizer, and while the program has arrays, streams, events, modules or
---kernels on the device.
---@param options? luacuda.options.device_reset
function Device:reset(options) end

---Reads or sets a limit of the driver.
---@param name string `"stack_size"`, `"printf_fifo_size"`, `"malloc_heap_size"`, `"dev_runtime_sync_depth"`, `"dev_runtime_pending_launch_count"`, `"max_l2_fetch_granularity"` or `"persisting_l2_cache_size"`
---@param value? integer bytes or a count; without it the limit is only read
---@return integer # the limit as the driver rounded it
function Device:limit(name, value) end

---Makes another context of the device beside its primary one, with its own limits, cache
---preference, flags, memory pool and null stream. It is a Device, which `cuda.use`, `device =` and
---all methods accept: the arrays, streams, events and modules made for it belong to it. Memory is
---reachable from all contexts of one device: a kernel takes the arrays of one of them, which
---decides where it runs, and `cuda.copy` and `a:to(context)` copy directly. An array, stream or
---kernel of one context otherwise counts as one of another device. `context.parent` is the device.
---
---Closing a context ends everything made in it and frees its memory. Contexts can be closed in any
---order. A context whose handle and objects have been collected is closed when the next one is
---made. On a GPU, a fault in a kernel ends all contexts of the process, so a context does not
---isolate faults.
---
---Raises `logic` while there are 63 devices and contexts; what the driver says, for example that it
---has no memory.
---@param options? luacuda.options.device_context
---@return luacuda.Device # the context, which is not current
function Device:context(options) end

---Makes it the current device of this Lua state until `device:pop`. What was current is below it on
---a stack; `cuda.use` replaces the top of the stack.
---@return luacuda.Device # itself
function Device:push() end

---Undoes `device:push`: the device below it on the stack is current again.
---
---Raises `logic` unless the device is current and was pushed.
---@return luacuda.Device # that is current from now on
function Device:pop() end

---Ends a context: waits for its work, frees its memory and removes it from the stack of
---`device:push`. Every later use of what was made in it raises an error of kind `logic` that names
---the context. A failure of its work that no call has raised is raised by the next call for its
---device. A variable with `<close>` closes it as well. A second call has no effect.
---
---Raises a string for a device that is not a context; `logic` while a graph records work of the
---context, and inside `cuda.no_sync`.
function Device:close() end

---The same as `device:close`.
function Device:free() end

---Divides the device's multiprocessors, so that a long kernel leaves room for short ones:
---`cuda.stream{ partition = }` makes a stream whose kernels run in one part. Each call divides the
---whole device, so partitions of two calls overlap. On the CPU device the parts are only counted:
---every kernel may use all cores.
---
---Raises a string if the device has no room for that many; `runtime` if the driver has no green
---contexts (CUDA 12.5).
---@param options? luacuda.options.device_partition
---@return luacuda.Partition[]
---@return luacuda.Partition? # of the multiprocessors that are left
function Device:partition(options) end

---Reads or sets the flags of the device's context. They take effect at once; what is not given
---stays. On the CPU device they have no effect.
---
---Raises a string for an unknown option or way to wait.
---@param options? luacuda.options.device_flags
---@return table # with `schedule` and `lmem_resize` as they are now
function Device:flags(options) end

---Reads or sets how kernels that say nothing themselves want on-chip memory to be divided between
---shared memory and the L1 cache. The driver treats it as a hint. On the CPU device it has no
---effect.
---
---Raises a string for an unknown preference.
---@param preference? string `"none"`, `"shared"`, `"l1"` or `"equal"`; without it the preference is only read
---@return string # the preference in effect
function Device:cache_config(preference) end

---Returns whether its kernels can access the other device's memory directly.
---@param other luacuda.Device|integer|string
---@return boolean
function Device:can_access_peer(other) end

---Lets its kernels access the other device's memory. The first copy between two GPUs, and the first
---launch with an array of another GPU, enable it automatically where the hardware allows it. A
---second call has no effect.
---
---Raises `logic` for a GPU and the CPU device.
---@param other luacuda.Device|integer|string
---@return luacuda.Device # itself
function Device:enable_peer(other) end

---Turns direct access off until `enable_peer` is called; copies then take another route.
---@param other luacuda.Device|integer|string
---@return luacuda.Device # itself
function Device:disable_peer(other) end

---A queue of work on one device.
---@class luacuda.Stream
---@field device luacuda.Device Its device.
---@field priority integer Its priority as the driver clamped it; lower runs first.
---@field blocking boolean Whether it synchronizes with the null stream.
---Where its kernels run, as a new handle; nil on the whole device.
---@field partition luacuda.Partition?
---@field is_null boolean Whether it is the null stream.
---@field pointer integer The driver's `CUstream`.
local Stream = {}

---Waits for all its work.
---
---Raises `launch`, and any other error of queued work.
---@return luacuda.Stream # itself
function Stream:synchronize() end

---Queues a Lua function. When the stream gets there, the function becomes ready. It runs on the
---thread of this Lua state, never on one of the driver: at the end of the next `synchronize` or
---`is_done` (of a stream or an event), `cuda.synchronize` or `cuda.poll`. Ready functions run in
---the order in which they became ready. An error of a function is raised there, and the functions
---after it wait for the next time. Functions that are not ready when the state closes never run.
---
---Raises `logic` while the stream is captured for a graph.
---@param fn function called without arguments
---@return luacuda.Stream # itself
function Stream:call(fn) end

---Returns whether all queued work has ended, with or without a fault. Does not wait and does not
---raise the fault: the next call that waits does.
---@return boolean
function Stream:is_done() end

---Makes work that is queued from now on wait for the event, or for everything that the other stream
---has queued so far. Lua does not wait.
---@param what luacuda.Event|luacuda.Stream
---@return luacuda.Stream # itself
function Stream:wait(what) end

---Inside `cuda.graph`: calls both functions and records their work apart. Each launch of the graph
---reads the condition at this point and runs the work of `fn` where it is not 0, else that of
---`otherwise`. It comes after everything recorded before it, and before later work on the same
---arrays.
---
---The functions may queue kernels of all kinds, fills, copies between arrays, and conditions again,
---on any stream of the device. They may not record events, wait for events that the graph has not
---recorded before, or copy CUDA arrays. An array made inside exists whether the work runs or not.
---An error that leaves one of the functions ends the whole recording, even if it is caught.
---
---`condition` may also be a number from `stream:condition`.
---
---Raises `logic` outside of `cuda.graph`; an error for a driver older than CUDA 12.4, or 12.8 with
---`otherwise`; the errors of the functions.
---@param condition luacuda.Array|integer one integer or boolean element
---@param fn function called with the stream
---@param otherwise? function called with the stream
---@return luacuda.Stream # itself
function Stream:when(condition, fn, otherwise) end

---The same for work that a launch repeats as long as the condition is not 0. The condition is read
---before each round, so the work must change it: on a GPU, a loop that never ends hangs the device.
---The CPU device ends a loop after a fault of its kernels, and after `LUACUDA_CPU_TIMEOUT_MS`.
---
---Raises what `stream:when` raises.
---@param condition luacuda.Array|integer one integer or boolean element
---@param fn function called with the stream
---@return luacuda.Stream # itself
function Stream:loop(condition, fn) end

---The same for one of several functions: a launch runs the work of the function whose number the
---condition is, counted from 1, and nothing for any other number.
---
---Raises what `stream:when` raises; the driver must support CUDA 12.8.
---@param condition luacuda.Array|integer one integer element
---@param functions function[] 1 to 64, called with the stream
---@return luacuda.Stream # itself
function Stream:switch(condition, functions) end

---Makes a condition that kernels set, for one call of `stream:when`, `stream:loop` or
---`stream:switch` in the same function. Each launch gives it the value. A kernel takes it as an
---`unsigned long long` and calls `cudaGraphSetConditional(condition, value)`, which the source
---declares as `extern "C" __device__ void cudaGraphSetConditional(unsigned long long, unsigned);`.
---For `stream:switch` such values count from 0.
---
---Raises `logic` outside of `cuda.graph`; an error for a driver older than CUDA 12.4.
---@param value? integer 0 to 2^32 - 1 (default 0)
---@return integer
function Stream:condition(value) end

---Makes it the current stream of its device in this Lua state.
---@return luacuda.Stream # the stream that was current before
function Stream:use() end

---Releases the handle; queued work continues. A second call has no effect.
function Stream:close() end

---The same as `stream:close`.
function Stream:free() end

---A part of a device's multiprocessors, made by `device:partition`. Kernels on its streams leave
---the other multiprocessors alone. Arrays, events and kernels belong to the device and are used as
---elsewhere.
---@class luacuda.Partition
---@field sm_count integer The number of its multiprocessors.
---@field device luacuda.Device The device.
local Partition = {}

---Releases the handle. Streams of the partition go on. A second call has no effect.
function Partition:close() end

---The same as `partition:close`.
function Partition:free() end

---A mark in a stream. An event that was never recorded counts as complete.
---@class luacuda.Event
---@field device luacuda.Device Its device.
---@field timing boolean Whether it records times.
---@field blocking boolean Whether waiting for it sleeps instead of spinning.
---@field interprocess boolean Whether other processes can open it.
---@field recorded boolean Whether it was ever recorded.
---@field pointer integer The driver's `CUevent`.
local Event = {}

---Marks the end of everything queued on the stream so far.
---@param stream? luacuda.Stream default: the device's current stream
---@return luacuda.Event # itself
function Event:record(stream) end

---Waits until the stream reaches the mark.
---
---Raises `launch`, and any other error of queued work.
---@return luacuda.Event # itself
function Event:synchronize() end

---Returns whether the stream has reached the mark. Does not wait and does not raise the fault of
---work before it.
---@return boolean
function Event:is_done() end

---Waits for both events and returns the time from `start` to this event.
---
---Raises `logic` if one of the two was never recorded or records no times.
---@param start luacuda.Event
---@return number # milliseconds
function Event:elapsed_ms(start) end

---Returns a file descriptor for programs with a loop of their own: poll(2), epoll, or luv's
---`new_poll`. It becomes readable when the stream reaches the last record, and stays so until the
---next record or until the program reads its 8 bytes. Every call returns the same descriptor. It
---belongs to the event, which closes it; stop watching it before you close the event, and keep the
---event while you watch. If a kernel faults on a GPU, the descriptor may never become readable.
---
---Raises `logic` if the event was never recorded, or if its stream is captured for a graph;
---`runtime` if the process can open no more descriptors.
---@return integer # a file descriptor
function Event:fd() end

---Describes the event to other processes, which pass the string to `cuda.open_ipc`. A stream or a
---process that waits for the event waits for the last record made before. Use one event for each
---direction: one process records it, the others wait for it. Keep the event until the others have
---closed theirs. It cannot be part of a graph.
---
---Raises a string for an event made without `{ interprocess = true }`, and for one that
---`cuda.open_ipc` opened.
---@return string # bytes to be passed on as they are
function Event:ipc_handle() end

---Releases the handle. A second call has no effect.
function Event:close() end

---The same as `event:close`.
function Event:free() end

---A typed scalar, made by `cuda.float32(2)` and the like. Immutable.
---@class luacuda.Scalar
---@field dtype string Its type.
---@field value number|boolean|luacuda.Complex Its value, rounded to the type.
local Scalar = {}

---A complex number in double precision, with `+ - * /`, unary minus and `==`. Immutable.
---@class luacuda.Complex
---@field re number The real part.
---@field im number The imaginary part.
---@operator unm: luacuda.Complex
---@operator add(any): luacuda.Complex
---@operator sub(any): luacuda.Complex
---@operator mul(any): luacuda.Complex
---@operator div(any): luacuda.Complex
local Complex = {}

---Returns the absolute value.
---@return number
function Complex:abs() end

---Returns the complex conjugate.
---@return luacuda.Complex
function Complex:conj() end

---A struct type, made by `cuda.struct`: also a dtype. Its layout is that of C.
---@class luacuda.Struct
---@field name string Its name.
---@field size integer Its size in bytes (`sizeof`).
---@field align integer Its alignment in bytes (`alignof`).
---A table for each field: `name`, `dtype` and `count` of its elements, `offset` and `size` in
---bytes.
---@field fields table<any, any>[]
---@overload fun(value: table<any, any>|luacuda.Record|string): luacuda.Record
local Struct = {}

---Returns the definition in C++, preceded by those of nested structs. Put it before a kernel.
---Fields of half types need the headers `cuda_fp16.h` and `cuda_bf16.h`. The texts of
---[builders](#kernel-builders) need no definition.
---
---Raises a string if the struct has no name.
---@return string
function Struct:source() end

---Converts a table to the bytes of the struct.
---
---Raises a string if a field is missing, unknown or does not fit.
---@param value table<any, any>|luacuda.Record fields by name or by position
---@return string # `size` bytes
function Struct:pack(value) end

---Converts bytes to a table.
---
---Raises a string if fewer than `size` bytes are left.
---@param bytes string
---@param position? integer first byte to read (default 1)
---@return table # fields by name
---@return integer # position of the next byte
function Struct:unpack(bytes, position) end

---An element of an array of structs, where it is: `b[i]` is a Record, not a copy. `b[i].id` reads a
---field and `b[i].id = 5` writes it to the array. A field that is a struct is a Record again; one
---of several elements is an Array over them (`b[i].pos.x = 3`, `b[i].m[2][1] = 1`). The Array of a
---vector such as `float3` also has the fields `x`, `y`, `z` and `w` (`b[i].v.x = 1`).
---
---On a GPU every access to a field is a copy; `b:totable()` and `b:set(data)` copy everything in
---one step. `b:item(i)` and `b:totable()` give plain tables, which are copies. `pairs` visits
---copies of all fields, `==` compares bytes, and a Record is accepted wherever a value of the
---struct is.
---@class luacuda.Record
---@field [string] any A field.
local Record = {}

---One class for the memory of GPUs, of the CPU device and of the host. `#a` is `a.shape[1]`, `==`
---compares handles (`a:equals(b)` compares elements), and the operators are those of
---[arithmetic](#arithmetic) and [bits](#bits).
---@class luacuda.Array
---The i-th element of an array of one axis (a [Record](#record) for structs), else the i-th row, a
---view. Can be assigned a value, a table or an array. -1 is the last; `a[#a + 1]` is nil; other
---indices outside raise.
---@field [integer] any
---A bool array selects elements or rows as `compress` does, an array of integers takes rows as
---`take` does with `axis = 1`. Assignment writes to the selected elements.
---@field [luacuda.Array] any
---@field shape luacuda.Shape The number of elements per axis.
---@field strides luacuda.Shape The distance from element to element along each axis, in bytes.
---@field dtype luacuda.Dtype The element type.
---@field size integer The number of elements.
---@field nbytes integer The size of all elements in bytes.
---@field ndim integer The number of axes.
---@field device luacuda.Device The device that runs work on it.
---The kind of memory.
---@field memory "device"|"pinned"|"managed"|"host"|"registered"|"foreign"|"module"
---The address of the first element. Work through it is not ordered automatically.
---@field pointer integer
---@field is_contiguous boolean Whether the elements are in C order without gaps.
---Whether the memory may not be written: memory of other code (`cuda.wrap`) or registered for
---reading only. Every call that would write it raises.
---@field is_readonly boolean
---Of pinned memory: the booleans `portable`, `mapped` and `write_combined`; nil for other memory.
---@field flags table<any, any>?
---The first extent that the array can grow to; nil without `cuda.empty(shape, { reserve = n })`.
---@field capacity integer?
---@operator unm: luacuda.Array
---@operator bnot: luacuda.Array
---@operator add(any): luacuda.Array
---@operator sub(any): luacuda.Array
---@operator mul(any): luacuda.Array
---@operator div(any): luacuda.Array
---@operator idiv(any): luacuda.Array
---@operator mod(any): luacuda.Array
---@operator pow(any): luacuda.Array
---@operator band(any): luacuda.Array
---@operator bor(any): luacuda.Array
---@operator bxor(any): luacuda.Array
---@operator shl(any): luacuda.Array
---@operator shr(any): luacuda.Array
---@operator len: integer
local Array = {}

---Writes a text file of numbers (CSV, RFC 4180). Each number has as many digits as it takes to read
---the same element back. false and true become 0 and 1. An existing file is replaced when the new
---one is complete.
---
---Raises a string for other shapes, complex numbers and structs; `runtime` if the file cannot be
---written.
---@param path string
---@param options? luacuda.options.array_save_csv
---@return luacuda.Array # itself
function Array:save_csv(path, options) end

---Writes a PNG picture, which is compressed if there is zlib. uint8 and uint16 are written as they
---are, with 8 or 16 bits a sample. false and true become 0 and 255. Floats become 8 bits: 0 is 0, 1
---is 255, values outside are cut off, NaN is 0, and values between are rounded to the nearest
---level. An existing file is replaced when the new one is complete.
---
---Raises a string for other shapes and dtypes; `runtime` if the file cannot be written.
---@param path string
---@return luacuda.Array # itself
function Array:save_png(path) end

---Returns whether the shapes are equal.
---@param other luacuda.Array
---@return boolean
function Array:same_shape(other) end

---Returns whether shape and elements are equal. The dtypes may differ; NaN equals nothing. Waits
---for both arrays.
---@param other luacuda.Array
---@return boolean
function Array:equals(other) end

---Returns all elements. Complex numbers are Complex objects, structs are tables, and uint64
---elements are the Lua integers of the same bits. Waits for work on the array.
---@param reuse? table<any, any> filled and returned instead of a new table
---@return table # nested as the axes are; a value for an array without axes
function Array:totable(reuse) end

---Returns all elements as bytes, in C order. Waits for work on the array.
---@return string # `a.nbytes` bytes
function Array:tobytes() end

---Returns one element. Waits for work on the array.
---
---Raises a string for an index outside its axis.
---@param ... integer one index for each axis; none if the array has one element
---@return any
function Array:item(...) end

---Writes one element. Waits for work on the array.
---
---Raises a string for an index outside its axis or if the dtype cannot hold the value.
---@param value any
---@param ... integer one index for each axis; none if the array has one element
---@return luacuda.Array # itself
function Array:setitem(value, ...) end

---Writes all elements, converted to the dtype.
---
---Raises a string if shapes do not fit, the dtype cannot hold a value, or complex elements would
---lose their imaginary part.
---@param data table<any, any>|string|number|boolean|luacuda.Complex|luacuda.Scalar|luacuda.Record|luacuda.Array of the array's shape or one that broadcasts to it; bytes of the array's size; or one value
---@param options? luacuda.options.array_set
---@return luacuda.Array # itself
function Array:set(data, options) end

---Writes one value to all elements.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar|table<any, any>|luacuda.Record a table for a struct
---@param options? luacuda.options.array_set
---@return luacuda.Array # itself
function Array:fill(value, options) end

---Selects a part. Both ends are included and clipped to the axis, as in `string.sub`; last is -1
---and step 1 unless given.
---
---Raises a string for an integer outside its axis.
---@param ... integer|table<any, any> for each axis {first, last, step}, {} for all of it, or an integer, which drops the axis; further axes stay whole
---@return luacuda.Array # a view
function Array:slice(...) end

---Reorders the axes.
---@param ... integer|integer[] the axes in their new order (default reversed)
---@return luacuda.Array # a view
function Array:transpose(...) end

---Repeats axes of one element, and adds axes in front, without a copy.
---
---Raises a string if the array does not broadcast to the shape.
---@param ... integer|integer[] the extents, or one list of them
---@return luacuda.Array # a view
function Array:broadcast_to(...) end

---Returns the elements, in C order, as another shape of the same size.
---
---Raises a string that names `contiguous` if no view has this shape.
---@param ... integer|integer[] the extents, or one list of them; one may be -1
---@return luacuda.Array # a view
function Array:reshape(...) end

---Reinterprets the same bytes as another dtype. If the sizes of the dtypes differ, the last axis
---changes. An array without elements needs no alignment and may have gaps.
---
---Raises a string if the last axis is not a whole number of elements of the dtype, or the memory is
---not aligned for it.
---@param dtype luacuda.Dtype
---@return luacuda.Array # a view
function Array:view(dtype) end

---Returns a field of all elements of an array of structs. A field that is a list or a vector such
---as `float4` adds its extents as axes after those of the array. A field that is a struct gives an
---array of that struct, so `a:field("at"):field("x")` goes on. Writing to the view writes to the
---structs.
---
---Raises a string if the elements are not structs, if the struct has no such field, or if a packed
---struct holds the field at an address that is not aligned for its dtype.
---@param name string name of a field
---@return luacuda.Array # a view
function Array:field(name) end

---Makes a contiguous copy.
---
---Raises `memory` if the allocation fails.
---@param options? luacuda.options.array_copy
---@return luacuda.Array
function Array:copy(options) end

---Returns an array with these elements in C order without gaps.
---
---Raises `memory` if the allocation fails.
---@param options? luacuda.options.array_copy
---@return luacuda.Array # itself if it is contiguous
function Array:contiguous(options) end

---Returns an array with these elements on a device.
---
---Raises `memory` if the allocation fails.
---@param device luacuda.Device|integer|string
---@param options? luacuda.options.array_to
---@return luacuda.Array # itself if it is on the device
function Array:to(device, options) end

---Converts the elements. Floats become integers by truncation, clamped to the range of the dtype;
---integers wrap around; complex numbers lose their imaginary part when they become real. Other
---functions raise an error instead of dropping it: `array:set`, `cuda.concatenate`, `array:put` and
---the like.
---
---Raises `memory` if the allocation fails.
---@param dtype luacuda.Dtype not a struct
---@param options? luacuda.options.array_copy
---@return luacuda.Array
function Array:astype(dtype, options) end

---Releases this handle. The memory is freed when its last view is closed or collected and the work
---that uses it has ended. A second call has no effect.
function Array:close() end

---The same as `array:close`.
function Array:free() end

---Writes a NumPy file (.npy). An existing file is replaced when the new one is complete.
---
---Raises a string for bfloat16 and structs; `runtime` if the file cannot be written.
---@param path string
---@return luacuda.Array # itself
function Array:save_npy(path) end

---Reverses the order of the elements along axes.
---@param options? luacuda.options.array_flip
---@return luacuda.Array # a view
function Array:flip(options) end

---Rotates in a plane, from its first axis towards its second.
---
---Raises a string if the array has fewer than two axes.
---@param k? integer quarter turns; negative ones turn back (default 1)
---@param options? luacuda.options.array_rot90
---@return luacuda.Array # a view
---@overload fun(options: luacuda.options.array_rot90): luacuda.Array
function Array:rot90(k, options) end

---Drops axes of one element.
---
---Raises a string if an axis does not have one element.
---@param options? luacuda.options.array_squeeze
---@return luacuda.Array # a view
function Array:squeeze(options) end

---Adds axes of one element.
---@param axis integer|integer[] where the new axes are in the result
---@param options? luacuda.options.array_expand_dims
---@return luacuda.Array # a view
function Array:expand_dims(axis, options) end

---Returns the elements, in C order, as one axis. `reshape(-1)` raises instead of copying.
---@param options? luacuda.options.array_set
---@return luacuda.Array # a view if the array is contiguous, else a copy
function Array:ravel(options) end

---Returns a copy of the elements, in C order, as one axis.
---@param options? luacuda.options.array_set
---@return luacuda.Array # a copy
function Array:flatten(options) end

---Exchanges two axes.
---@param axis1 integer
---@param axis2 integer
---@return luacuda.Array # a view
function Array:swapaxes(axis1, axis2) end

---Moves axes to other places; the others keep their order.
---@param source integer|integer[] the axes to move
---@param destination integer|integer[] where each of them is in the result
---@return luacuda.Array # a view
function Array:moveaxis(source, destination) end

---Cuts an array into parts along an axis. A list of indices has the first index of each part after
---the first: `a:split { 3, 5 }` gives the elements 1 to 2, 3 to 4 and 5 to the last one. Negative
---indices count from the end, and those past the end give empty parts.
---
---Raises a string if a number of parts does not divide the axis.
---@param parts integer|integer[] number of parts, or the index that begins each part after the first
---@param options? luacuda.options.array_split
---@return luacuda.Array[] # views
function Array:split(parts, options) end

---Like [cuda.split](#cudasplit), but a number of parts need not divide the axis: the first parts
---have one element more than the others.
---@param parts integer|integer[] number of parts, or the index that begins each part after the first
---@param options? luacuda.options.array_split
---@return luacuda.Array[] # views
function Array:array_split(parts, options) end

---Divides an array among devices as `array_split` does. Each part is copied by the stream of its
---device, after earlier work on `a` and before later work on the part. With streams of their own
---the copies overlap with kernels that use other arrays.
---
---Raises `memory`.
---@param devices luacuda.Device[] one for each part
---@param options? luacuda.options.array_split_to
---@return luacuda.Array[] # a new one on each device
function Array:split_to(devices, options) end

---Moves elements along axes; those that leave at one end come in at the other. With several axes
---each has its own shift, or all have the same. An axis named twice moves by the sum.
---@param shift integer|integer[] places that elements move towards the end
---@param options? luacuda.options.array_roll
---@return luacuda.Array # of the shape of `a`
function Array:roll(shift, options) end

---Repeats an array as a whole. The shorter of `a.shape` and `reps` is extended with ones in front.
---@param reps integer|integer[] copies along each axis
---@param options? luacuda.options.array_tile
---@return luacuda.Array
function Array:tile(reps, options) end

---Repeats each element; NumPy's `repeat`, which is a keyword of Lua. If the numbers are an array,
---the call waits for their sum.
---
---Raises a string for negative numbers.
---@param repeats integer|integer[]|luacuda.Array how often: for all elements, or integers for each one along the axis
---@param options? luacuda.options.array_rep
---@return luacuda.Array
function Array:rep(repeats, options) end

---Adds elements before and after those of each axis.
---
---- `"constant"`: a value. At corners it is that of the last axis.
---
---- `"edge"`: the nearest element.
---
---- `"reflect"`: the elements in reverse, without the one at the edge: 3 2 | 1 2 3 | 2 1.
---
---- `"symmetric"`: the elements in reverse: 2 1 | 1 2 3 | 3 2.
---
---- `"wrap"`: the elements from the other end: 2 3 | 1 2 3 | 1 2.
---
---All modes but `"constant"` repeat the array as often as the width needs, in one launch.
---
---Raises a string for an empty axis that is to be extended by a mode other than constant.
---@param pad_width integer|table<any, any> elements to add: on all sides; as {before, after} for all axes; or as {{before, after}, ...} for each axis
---@param mode? "constant"|"edge"|"reflect"|"symmetric"|"wrap" what they are (default "constant")
---@param options? luacuda.options.array_pad
---@return luacuda.Array
---@overload fun(pad_width: integer|table<any, any>, options: luacuda.options.array_pad): luacuda.Array
function Array:pad(pad_width, mode, options) end

---Returns the elements of a diagonal. In the result one axis, the last, takes the place of the two.
---
---Raises a string if the array has fewer than two axes.
---@param offset? integer of the diagonal; above 0 to the right of the main one (default 0)
---@param options? luacuda.options.array_diagonal
---@return luacuda.Array # a view
---@overload fun(options: luacuda.options.array_diagonal): luacuda.Array
function Array:diagonal(offset, options) end

---Returns a diagonal of a matrix, or a matrix of zeros with a vector on a diagonal.
---
---Raises a string if the array does not have one or two axes.
---@param k? integer the diagonal; above 0 to the right of the main one (default 0)
---@param options? luacuda.options.array_diag
---@return luacuda.Array # of a matrix a view of its diagonal
---@overload fun(options: luacuda.options.array_diag): luacuda.Array
function Array:diag(k, options) end

---Returns the elements on and below a diagonal of each matrix (the last two axes), and 0 above it.
---A vector is the rows of a matrix.
---
---Raises a string for structs and for arrays without axes.
---@param k? integer the diagonal; above 0 to the right of the main one (default 0)
---@param options? luacuda.options.array_tril
---@return luacuda.Array
---@overload fun(options: luacuda.options.array_tril): luacuda.Array
function Array:tril(k, options) end

---Likewise the elements on and above a diagonal, and 0 below it.
---
---Raises a string for structs and for arrays without axes.
---@param k? integer the diagonal; above 0 to the right of the main one (default 0)
---@param options? luacuda.options.array_tril
---@return luacuda.Array
---@overload fun(options: luacuda.options.array_tril): luacuda.Array
function Array:triu(k, options) end

---Returns the difference of each element and the one before along an axis; for booleans whether
---they differ. Integers wrap around. A Lua number takes the dtype of the array, or the next that
---holds numbers of its kind.
---
---Raises a string for arrays without axes and of structs.
---@param n? integer how often (default 1)
---@param options? luacuda.options.array_diff
---@return luacuda.Array # with `n` elements less along the axis; `a` itself if `n` is 0
---@overload fun(options: luacuda.options.array_diff): luacuda.Array
function Array:diff(n, options) end

---Changes the first axis in place: nothing is copied, the address and the elements stay, and new
---elements are undefined. Other arrays over the memory keep their shape. What is cut off goes back
---to the driver, in its units (2 MB on GPUs), after the work that uses the array; while other
---arrays can reach it, it stays.
---
---Raises `memory`; a string for an array without `reserve`, or a view of one.
---@param n integer extent of the first axis, 0 to `capacity`
---@return luacuda.Array # itself
function Array:resize(n) end

---Tells the driver how managed memory will be used (cuMemAdvise): pages that overlap the elements
---are copied to each reader, kept at a place, or mapped for a device.
---
---Raises `runtime` if the device cannot use managed memory while the host does.
---@param what "read_mostly"|"preferred_location"|"accessed_by"|"unset_read_mostly"|"unset_preferred_location"|"unset_accessed_by"
---@param device? luacuda.Device|integer|string for "preferred_location", "accessed_by" and "unset_accessed_by"; "cpu" is the host (default the device that manages the memory)
---@return luacuda.Array # itself
function Array:advise(what, device) end

---Queues a move of managed memory to a device, or to the host ("cpu"), so that work after it finds
---the pages there.
---
---Raises `runtime` if the device cannot use managed memory while the host does.
---@param device? luacuda.Device|integer|string default: the device that manages the memory
---@param options? luacuda.options.array_set
---@return luacuda.Array # itself
---@overload fun(options: luacuda.options.array_set): luacuda.Array
function Array:prefetch(device, options) end

---Says who may use the whole managed allocation: one stream, all streams, or only the host. Waits
---for the stream. On devices that cannot use managed memory while the host does
---(`dev.concurrent_managed_access` is 0), Lua waits for all work of the device before it reads or
---writes the elements; for attached memory it waits for that stream, or for nothing.
---@param to luacuda.Stream|"single"|"global"|"host"
---@param stream? luacuda.Stream the stream that "single" names, or in whose order the memory changes hands (default the current one)
---@return luacuda.Array # itself
function Array:attach(to, stream) end

---The sum; for booleans `or`.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:add(y, options) end

---The difference.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:subtract(y, options) end

---The product; for booleans `and`.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:multiply(y, options) end

---The quotient; float64 for integers.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:divide(y, options) end

---The quotient rounded down.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:floor_divide(y, options) end

---The remainder with the sign of `y`.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:mod(y, options) end

---`x` to the power of `y`. Integers raise for a negative Lua integer `y`; negative elements of `y`
---give 0, or 1 and -1 for the bases 1 and -1. The Lua numbers 2, 3, 0.5 and -1 as `y` multiply,
---take the root or divide.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:power(y, options) end

---The negative; booleans raise.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:negative(options) end

---The greater of two; NaN if one is NaN. 0.0 is greater than -0.0.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:maximum(y, options) end

---The lesser of two; NaN if one is NaN. -0.0 is less than 0.0.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:minimum(y, options) end

---The greater of two; of a number and NaN the number.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:fmax(y, options) end

---The lesser of two; of a number and NaN the number.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:fmin(y, options) end

---`x`, limited to the range from `lo` to `hi`; either may be nil or an option. NaN stays, and so
---does a zero that equals a bound.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param lo? luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param hi? luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
---@overload fun(options: luacuda.options.array_add): luacuda.Array
---@overload fun(lo: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar, options: luacuda.options.array_add): luacuda.Array
function Array:clip(lo, hi, options) end

---`x * x`.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:square(options) end

---`1 / x`; truncated for integers.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:reciprocal(options) end

---The absolute value; real for complex numbers. The least integer stays.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:abs(options) end

----1, 0 or 1; NaN stays; `z / abs(z)` for complex numbers.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:sign(options) end

---And, of integers or booleans.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:bitwise_and(y, options) end

---Or, of integers or booleans.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:bitwise_or(y, options) end

---Exclusive or, of integers or booleans.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:bitwise_xor(y, options) end

---Complement, of integers or booleans.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:bitwise_not(options) end

---Shift to the left, of integers; 0 if `y` is negative or not less than the number of bits.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:left_shift(y, options) end

---Arithmetic shift to the right, of integers; 0, or -1 for negative `x`, if `y` is negative or not
---less than the number of bits.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:right_shift(y, options) end

---Equal.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:eq(y, options) end

---Not equal; true for NaN.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:ne(y, options) end

---Less than.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:lt(y, options) end

---Less than or equal.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:le(y, options) end

---Greater than.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:gt(y, options) end

---Greater than or equal.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:ge(y, options) end

---Both are not zero.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:logical_and(y, options) end

---At least one is not zero.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:logical_or(y, options) end

---Exactly one is not zero.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:logical_xor(y, options) end

---Zero.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:logical_not(options) end

---NaN; for complex numbers in either part.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:isnan(options) end

---Infinite; for complex numbers in either part.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:isinf(options) end

---Neither infinite nor NaN.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:isfinite(options) end

---The sign bit is set, as in -0.0; complex numbers raise.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:signbit(options) end

---`x` where the condition is not zero, else `y`. An array alone gives the indices of its elements
---that are not zero, as `nonzero` does.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x? luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y? luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
---@overload fun(options: luacuda.options.array_add): luacuda.Array
---@overload fun(x: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar, options: luacuda.options.array_add): luacuda.Array
function Array:where(x, y, options) end

---`sqrt(x * x + y * y)` without overflow in between.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:hypot(y, options) end

---The angle of the point (`x`, `y`) in radians, from -pi to pi.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:atan2(x, options) end

---`x` with the sign of `y`.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:copysign(y, options) end

---The remainder with the sign of `x`, as in C.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:fmod(y, options) end

---The square root.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:sqrt(options) end

---The cube root; complex numbers raise.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:cbrt(options) end

---e to the power of `x`.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:exp(options) end

---2 to the power of `x`.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:exp2(options) end

---`exp(x) - 1`, accurate near 0.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:expm1(options) end

---The natural logarithm.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:log(options) end

---The logarithm to base 2.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:log2(options) end

---The logarithm to base 10.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:log10(options) end

---`log(1 + x)`, accurate near 0.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:log1p(options) end

---The sine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:sin(options) end

---The cosine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:cos(options) end

---The tangent.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:tan(options) end

---The inverse sine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:asin(options) end

---The inverse cosine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:acos(options) end

---The inverse tangent.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:atan(options) end

---The hyperbolic sine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:sinh(options) end

---The hyperbolic cosine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:cosh(options) end

---The hyperbolic tangent.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:tanh(options) end

---The inverse hyperbolic sine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:asinh(options) end

---The inverse hyperbolic cosine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:acosh(options) end

---The inverse hyperbolic tangent.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:atanh(options) end

---Degrees converted to radians.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:deg2rad(options) end

---Radians converted to degrees.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:rad2deg(options) end

---Rounded down; integers stay.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:floor(options) end

---Rounded up; integers stay.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:ceil(options) end

---Rounded towards zero; integers stay.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:trunc(options) end

---Rounded to the nearest integer, halves to the even one; integers become floats.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:rint(options) end

---Rounded to so many decimals, halves to the even digit. Integers stay; -1 rounds them to tens, -2
---to hundreds. `decimals` may be an option.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param decimals? integer from -18 to 18 (default 0)
---@param options? luacuda.options.array_add
---@return luacuda.Array
---@overload fun(options: luacuda.options.array_add): luacuda.Array
function Array:round(decimals, options) end

---The real part; real arrays stay.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:real(options) end

---The imaginary part; 0 for real arrays.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:imag(options) end

---The complex conjugate; real arrays stay.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:conj(options) end

---The angle in radians, from -pi to pi.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:angle(options) end

---The error function.
---
---Complex numbers raise.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:erf(options) end

---`1 - erf(x)`, accurate for large `x`.
---
---Complex numbers raise.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:erfc(options) end

---The gamma function.
---
---Complex numbers raise.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:tgamma(options) end

---`log(abs(tgamma(x)))`.
---
---Complex numbers raise.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param options? luacuda.options.array_add
---@return luacuda.Array
function Array:lgamma(options) end

---The sum; 0 for no elements.
---
---Booleans and integers give int64 (uint64 for unsigned ones) in `sum` and `prod` and float64 in
---`mean`, unless `dtype` is given. float16 and bfloat16 are computed in float32. A sum is a tree of
---partial sums, so rounding errors grow more slowly than in a plain loop.
---
---Raises a string for an axis that does not exist.
---@param options luacuda.options.array_sum
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:sum(options) end

---The product; 1 for no elements.
---
---Booleans and integers give int64 (uint64 for unsigned ones) in `sum` and `prod` and float64 in
---`mean`, unless `dtype` is given. float16 and bfloat16 are computed in float32. A sum is a tree of
---partial sums, so rounding errors grow more slowly than in a plain loop.
---
---Raises a string for an axis that does not exist.
---@param options luacuda.options.array_sum
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:prod(options) end

---The sum divided by the number of elements; NaN for no elements.
---
---Booleans and integers give int64 (uint64 for unsigned ones) in `sum` and `prod` and float64 in
---`mean`, unless `dtype` is given. float16 and bfloat16 are computed in float32. A sum is a tree of
---partial sums, so rounding errors grow more slowly than in a plain loop.
---
---Raises a string for an axis that does not exist.
---@param options luacuda.options.array_sum
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:mean(options) end

---The mean of the squared distances from the mean.
---
---The elements are read once. Parts of the elements are merged with their numbers, means and sums
---of squared distances, relative to an element of the part, so that an offset that is large against
---the spread costs no digits (Chan, Golub and LeVeque, 1979 and 1983). Booleans and integers give
---float64 unless `dtype` is given; complex numbers give a real result.
---
---Raises a string for an axis that does not exist.
---@param options luacuda.options.array_var
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:var(options) end

---The square root of `var`.
---
---The elements are read once. Parts of the elements are merged with their numbers, means and sums
---of squared distances, relative to an element of the part, so that an offset that is large against
---the spread costs no digits (Chan, Golub and LeVeque, 1979 and 1983). Booleans and integers give
---float64 unless `dtype` is given; complex numbers give a real result.
---
---Raises a string for an axis that does not exist.
---@param options luacuda.options.array_var
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:std(options) end

---The least element.
---
---NaN counts as the extreme where there is one. `min` and `max` rank -0.0 below 0.0; `argmin` and
---`argmax` treat the two as equal. Complex numbers are ordered by their real, then their imaginary
---parts. `argmin` and `argmax` give int64 indices from 1 along the reduced axes in C order, of the
---first element among equal ones.
---
---Raises a string for an axis that does not exist and for a reduction of no elements.
---@param options luacuda.options.array_min
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:min(options) end

---The greatest element.
---
---NaN counts as the extreme where there is one. `min` and `max` rank -0.0 below 0.0; `argmin` and
---`argmax` treat the two as equal. Complex numbers are ordered by their real, then their imaginary
---parts. `argmin` and `argmax` give int64 indices from 1 along the reduced axes in C order, of the
---first element among equal ones.
---
---Raises a string for an axis that does not exist and for a reduction of no elements.
---@param options luacuda.options.array_min
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:max(options) end

---The index of the least element.
---
---NaN counts as the extreme where there is one. `min` and `max` rank -0.0 below 0.0; `argmin` and
---`argmax` treat the two as equal. Complex numbers are ordered by their real, then their imaginary
---parts. `argmin` and `argmax` give int64 indices from 1 along the reduced axes in C order, of the
---first element among equal ones.
---
---Raises a string for an axis that does not exist and for a reduction of no elements.
---@param options luacuda.options.array_min
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:argmin(options) end

---The index of the greatest element.
---
---NaN counts as the extreme where there is one. `min` and `max` rank -0.0 below 0.0; `argmin` and
---`argmax` treat the two as equal. Complex numbers are ordered by their real, then their imaginary
---parts. `argmin` and `argmax` give int64 indices from 1 along the reduced axes in C order, of the
---first element among equal ones.
---
---Raises a string for an axis that does not exist and for a reduction of no elements.
---@param options luacuda.options.array_min
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:argmax(options) end

---Whether any element is not zero; false for no elements.
---
---NaN counts as not zero.
---
---Raises a string for an axis that does not exist.
---@param options luacuda.options.array_min
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:any(options) end

---Whether all elements are not zero; true for no elements.
---
---NaN counts as not zero.
---
---Raises a string for an axis that does not exist.
---@param options luacuda.options.array_min
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:all(options) end

---The number of elements that are not zero (int64).
---
---NaN counts as not zero.
---
---Raises a string for an axis that does not exist.
---@param options luacuda.options.array_min
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:count_nonzero(options) end

---The sum of each element and all before it.
---
---Booleans and integers give int64 (uint64 for unsigned ones) unless `dtype` is given. float16 and
---bfloat16 are computed in float32. With `include_initial`, `counts:cumsum` gives the offsets of
---segments of these sizes, as option `segments` of [sum](#cudasum) takes them.
---
---Raises a string for complex numbers with a real `dtype`.
---@param options? luacuda.options.array_cumsum
---@return luacuda.Array # of the shape of `a`, or of one axis if `axis` is not given
function Array:cumsum(options) end

---The product of each element and all before it.
---
---Booleans and integers give int64 (uint64 for unsigned ones) unless `dtype` is given. float16 and
---bfloat16 are computed in float32. With `include_initial`, `counts:cumsum` gives the offsets of
---segments of these sizes, as option `segments` of [sum](#cudasum) takes them.
---
---Raises a string for complex numbers with a real `dtype`.
---@param options? luacuda.options.array_cumsum
---@return luacuda.Array # of the shape of `a`, or of one axis if `axis` is not given
function Array:cumprod(options) end

---The greatest element so far.
---
---From the first NaN on, every result is NaN. -0.0 is less than 0.0.
---
---Raises a string for complex numbers.
---@param options? luacuda.options.array_cummax
---@return luacuda.Array # of the shape of `a`, or of one axis if `axis` is not given
function Array:cummax(options) end

---The least element so far.
---
---From the first NaN on, every result is NaN. -0.0 is less than 0.0.
---
---Raises a string for complex numbers.
---@param options? luacuda.options.array_cummax
---@return luacuda.Array # of the shape of `a`, or of one axis if `axis` is not given
function Array:cummin(options) end

---Returns the indices that sort an array along an axis. The sort is stable, also when descending:
---equal elements keep their order, as do -0.0 and 0.0, and NaNs. NaN counts as greater than every
---number; complex numbers are ordered by their real, then their imaginary parts.
---
---The CPU device sorts in host memory, on all its threads. On GPUs, rows of up to 4096 elements are
---sorted in one launch without scratch memory (a bitonic network); longer ones by a radix sort
---(Onesweep; Adinets and Merrill, 2022), which reads them once and then reads and writes them at
---most once per byte of the dtype, with scratch memory for the keys and their 32-bit indices (two
---copies of each for dtypes of 4 and 8 bytes).
---
---Raises a string for structs.
---@param options? luacuda.options.array_argsort
---@return luacuda.Array # int64 indices from 1, of the shape of `a`
function Array:argsort(options) end

---Returns the distinct values in ascending order. Indices start at 1 and count in C order. -0.0 and
---0.0 are one value, and so are all NaNs. Waits for the number of values.
---
---Raises a string for structs.
---@param options? luacuda.options.array_unique
---@return luacuda.Array # the values, of one axis
---@return luacuda.Array ... # int64: the index, the inverse and the counts, as requested
function Array:unique(options) end

---Returns the elements where the mask is true, in C order; a mask of fewer axes than the array
---selects rows. `a[mask]` does the same. Reads the mask once, waits for the number of elements,
---then reads and writes only what is selected.
---
---Raises a string if the mask's shape does not fit.
---@param mask luacuda.Array bool, of the shape of the array's first axes
---@param options? luacuda.options.array_compress
---@return luacuda.Array
function Array:compress(mask, options) end

---Returns where elements are not zero, in C order. Waits for their number. The results share one
---block of memory.
---
---Raises a string for an array without axes.
---@param options? luacuda.options.array_set
---@return luacuda.Array # int64 indices from 1, along the first axis
---@return luacuda.Array ... # the same for each further axis
function Array:nonzero(options) end

---Writes where the mask is true: one value, or the element at the same place of an array of the
---same shape. NumPy's `putmask` repeats a shorter array; this one raises an error.
---
---Raises a string if the mask's shape does not fit.
---@param mask luacuda.Array bool, of the shape of the array's first axes
---@param values luacuda.Array|table<any, any>|number|boolean|luacuda.Complex|luacuda.Scalar converted to the array's dtype
---@param options? luacuda.options.array_set
---@return luacuda.Array # the array that was written
function Array:putmask(mask, values, options) end

---Writes where the mask is true: one value, or one value for each selected element, in C order.
---Unless there is one value, the call waits for the number of selected elements. `a[mask] = values`
---does the same, and takes an array of the same shape as [putmask](#cudaputmask) does.
---
---Raises a string if the mask's shape does not fit, or the number of values.
---@param mask luacuda.Array bool, of the shape of the array's first axes
---@param values luacuda.Array|table<any, any>|number|boolean|luacuda.Complex|luacuda.Scalar converted to the array's dtype
---@param options? luacuda.options.array_set
---@return luacuda.Array # the array that was written
function Array:place(mask, values, options) end

---Returns elements by index along an axis. `a[indices]` takes along the first axis.
---
---Raises a string for an index outside, with `mode = "raise"`.
---@param indices luacuda.Array|integer|table<any, any> integers of any shape, from 1 or negative from the end
---@param options? luacuda.options.array_take
---@return luacuda.Array # of the shape of `a` with the axis replaced by the shape of `indices`; an integer drops the axis
function Array:take(indices, options) end

---Writes elements by index, in C order as one axis: one value, one for each index, or values whose
---shape broadcasts to that of the indices. Any other number of values is an error. If an index
---occurs twice, it is undefined which of its values stays. With `mode = "raise"` all indices are
---checked before anything is written.
---
---Raises a string for an index outside, with `mode = "raise"`.
---@param indices luacuda.Array|integer|table<any, any> integers of any shape, from 1 or negative from the end
---@param values luacuda.Array|table<any, any>|number|boolean|luacuda.Complex|luacuda.Scalar converted to the array's dtype
---@param options? luacuda.options.array_put
---@return luacuda.Array # the array that was written
function Array:put(indices, values, options) end

---Sorts the array in place along an axis, as [cuda.sort](#cudasort) does a copy.
---
---Raises a string for structs.
---@param options? luacuda.options.array_sort
---@return luacuda.Array # itself
function Array:sort(options) end

---Returns where two values are equal or close: where `|a - b| <= atol + rtol * |b|`. Integers are
---compared as float64; float16 and bfloat16 are computed in float32. An infinity is close to itself
---only.
---
---Raises a string for shapes that do not fit.
---@param b luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar broadcast against `a`
---@param options? luacuda.options.array_isclose
---@return luacuda.Array # bool
function Array:isclose(b, options) end

---Returns whether all elements are close, as [cuda.isclose](#cudaisclose) defines it; true for no
---elements. Reads both arrays once, and waits.
---
---Raises a string for shapes that do not fit.
---@param b luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar broadcast against `a`
---@param options? luacuda.options.array_allclose
---@return boolean
function Array:allclose(b, options) end

---Returns the array with numbers in place of NaN and infinity. The parts of complex numbers are
---replaced separately; booleans and integers stay as they are.
---@param options? luacuda.options.array_nan_to_num
---@return luacuda.Array # of the shape and dtype of `a`
function Array:nan_to_num(options) end

---Returns the sum of the products with the weights, divided by the sum of the weights; without
---weights the mean. The dtype is the common one, for booleans and integers joined with float64.
---Reads the elements once. Weights that add up to 0 give NaN or an infinity.
---
---Raises a string for weights whose shape does not fit.
---@param options? luacuda.options.array_average
---@return any # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@return any # the sum of the weights, if `returned`
function Array:average(options) end

---Returns the greatest element less the least ("peak to peak"), in a's dtype, in which integers
---wrap around; NaN where an element is NaN.
---
---Raises a string for a reduction of no elements, for booleans and for complex numbers.
---@param options? luacuda.options.array_ptp
---@return any # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
function Array:ptp(options) end

---Returns the middle element in ascending order, or the mean of the two in the middle; NaN where an
---element is NaN or there are none. Booleans and integers give float64. The elements are sorted in
---a copy.
---
---Raises a string for an axis that does not exist.
---@param options? luacuda.options.array_ptp
---@return any # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
function Array:median(options) end

---Returns the elements at fractions of the way from the least to the greatest. The shape is that of
---`q`, then that of the reduction. Interpolated values have a's float dtype, or float64, joined
---with the dtype of `q` if it is an Array; the others a's own. NaN where an element is NaN. The
---elements are sorted in a copy. An Array `q` is read, for which the call waits.
---
---Raises a string for no elements, for complex numbers and for a `q` outside.
---@param q number|number[]|luacuda.Array from 0 to 1
---@param options? luacuda.options.array_quantile
---@return any # an array if `axis`, `out`, `keepdims` or several quantiles are given, else a Lua value, for which the call waits
function Array:quantile(q, options) end

---Returns the elements at fractions of the way from the least to the greatest. The shape is that of
---`q`, then that of the reduction. Interpolated values have a's float dtype, or float64, joined
---with the dtype of `q` if it is an Array; the others a's own. NaN where an element is NaN. The
---elements are sorted in a copy. An Array `q` is read, for which the call waits.
---
---Raises a string for no elements, for complex numbers and for a `q` outside.
---@param q number|number[]|luacuda.Array from 0 to 100
---@param options? luacuda.options.array_quantile
---@return any # an array if `axis`, `out`, `keepdims` or several percentiles are given, else a Lua value, for which the call waits
function Array:percentile(q, options) end

---Returns the indices that partition an array as [cuda.partition](#cudapartition) does. They are
---those of [cuda.argsort](#cudaargsort).
---
---Raises a string for a place outside of the axis.
---@param kth integer|integer[] places from 1 or negative from the end
---@param options? luacuda.options.array_argpartition
---@return luacuda.Array # int64 indices from 1, of the shape of `a`
function Array:argpartition(kth, options) end

---Returns the `k` greatest elements along an axis, the greatest first, and where they are; or the
---least ones, the least first. Equal elements keep their order. NaN counts as greater than every
---number. Sorts indices with [cuda.argsort](#cudaargsort).
---
---Raises a string for a `k` outside.
---@param k integer from 0 to the elements of the axis
---@param options? luacuda.options.array_topk
---@return luacuda.Array # of the shape of `a` with `k` elements along the axis
---@return luacuda.Array # int64 indices from 1, of the same shape
function Array:topk(k, options) end

---Returns where values belong in a sorted array: the index, from 1 to `#a + 1`, of the element
---before which a value is inserted so that the order stays. NumPy's place counts from 0: it is one
---less. With side "left" the elements before the place are less than the value, with "right" they
---are not greater. NaN comes after all numbers. Integers of any two dtypes are compared exactly,
---other values in the common dtype, a Lua float as float64. Does not check that `a` is sorted. Runs
---a binary search for each value.
---
---Raises a string for an array that has not one axis.
---@param v luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar values to find
---@param side? "left"|"right" the place before or after the elements that are equal (default "left")
---@param options? luacuda.options.array_searchsorted
---@return luacuda.Array|integer # int64 places from 1; for a number a Lua integer, for which the call waits
---@overload fun(v: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar, options: luacuda.options.array_searchsorted): luacuda.Array|integer
function Array:searchsorted(v, side, options) end

---The sum; 0 where all elements are NaN.
---
---These leave NaN out. A complex number is NaN if one of its parts is. Dtypes are those of
---[cuda.sum](#cudasum) and [cuda.mean](#cudamean).
---
---Raises a string for an axis that does not exist.
---@param options luacuda.options.array_nansum
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:nansum(options) end

---The product; 1 where all elements are NaN.
---
---These leave NaN out. A complex number is NaN if one of its parts is. Dtypes are those of
---[cuda.sum](#cudasum) and [cuda.mean](#cudamean).
---
---Raises a string for an axis that does not exist.
---@param options luacuda.options.array_nansum
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:nanprod(options) end

---The mean; NaN where all elements are NaN.
---
---These leave NaN out. A complex number is NaN if one of its parts is. Dtypes are those of
---[cuda.sum](#cudasum) and [cuda.mean](#cudamean).
---
---Raises a string for an axis that does not exist.
---@param options luacuda.options.array_nansum
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:nanmean(options) end

---The mean of the squared distances from the mean.
---
---Computed as [cuda.var](#cudavar) is. For floats and complex numbers the result is NaN where
---`ddof` or fewer elements are no NaN.
---
---Raises a string for an axis that does not exist.
---@param options luacuda.options.array_var
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:nanvar(options) end

---The square root of `nanvar`.
---
---Computed as [cuda.var](#cudavar) is. For floats and complex numbers the result is NaN where
---`ddof` or fewer elements are no NaN.
---
---Raises a string for an axis that does not exist.
---@param options luacuda.options.array_var
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:nanstd(options) end

---The least element; NaN where all elements are NaN.
---
---Complex numbers are ordered by their real, then their imaginary parts. Indices are int64 and
---start at 1, along the reduced axes in C order; among equal elements the first counts.
---
---Raises a string for an axis that does not exist and for a reduction of no elements; `nanargmin`
---and `nanargmax` over all axes also where all elements are NaN.
---@param options luacuda.options.array_ptp
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:nanmin(options) end

---The greatest element; NaN where all elements are NaN.
---
---Complex numbers are ordered by their real, then their imaginary parts. Indices are int64 and
---start at 1, along the reduced axes in C order; among equal elements the first counts.
---
---Raises a string for an axis that does not exist and for a reduction of no elements; `nanargmin`
---and `nanargmax` over all axes also where all elements are NaN.
---@param options luacuda.options.array_ptp
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:nanmax(options) end

---The index of the least element; 0 where all elements are NaN.
---
---Complex numbers are ordered by their real, then their imaginary parts. Indices are int64 and
---start at 1, along the reduced axes in C order; among equal elements the first counts.
---
---Raises a string for an axis that does not exist and for a reduction of no elements; `nanargmin`
---and `nanargmax` over all axes also where all elements are NaN.
---@param options luacuda.options.array_ptp
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:nanargmin(options) end

---The index of the greatest element; 0 where all elements are NaN.
---
---Complex numbers are ordered by their real, then their imaginary parts. Indices are int64 and
---start at 1, along the reduced axes in C order; among equal elements the first counts.
---
---Raises a string for an axis that does not exist and for a reduction of no elements; `nanargmin`
---and `nanargmax` over all axes also where all elements are NaN.
---@param options luacuda.options.array_ptp
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(): any
function Array:nanargmax(options) end

---Partitions the array in place along an axis, as [cuda.partition](#cudapartition) does a copy.
---
---Raises a string for a place outside of the axis.
---@param kth integer|integer[] places from 1 or negative from the end
---@param options? luacuda.options.array_partition
---@return luacuda.Array # itself
function Array:partition(kth, options) end

---Returns `exp(a)` divided by its sum, computed from the distances to the greatest element, so that
---nothing overflows. float16 and bfloat16 are computed in float32. The greatest element and the sum
---come from one pass (Milakov and Gimelshein, 2018), the result from a second one. Along axes with
---a NaN or +inf, or with -inf only, it is NaN.
---
---Raises a string for complex numbers.
---@param options? luacuda.options.array_softmax
---@return luacuda.Array # of the shape of `a`
function Array:softmax(options) end

---Returns the logarithm of [softmax](#cudasoftmax), without the underflow of small probabilities.
---
---Raises a string for complex numbers.
---@param options? luacuda.options.array_softmax
---@return luacuda.Array # of the shape of `a`
function Array:log_softmax(options) end

---Returns `log(sum(exp(a)))` in one pass without overflow; -inf for no elements.
---
---Raises a string for complex numbers.
---@param options luacuda.options.array_ptp
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a number, for which the call waits
---@overload fun(): any
function Array:logsumexp(options) end

---Adds values to the elements at the indices; where an index repeats, all its values count. An
---integer wraps around; for booleans it is `or`. Threads add in no fixed order, so the last bits of
---float sums may change from call to call; sums of integers and results of `scatter_max` and
---`scatter_min` do not. With mode "raise" the call waits for the check of the indices, with the
---others it does not.
---
---Raises a string for wrong indices, before anything is written.
---@param indices luacuda.Array|table<any, any> integers, from 1 or negative from the end
---@param values luacuda.Array|table<any, any>|number|boolean one value, one for each index (both in C order), or values whose shape broadcasts to that of the indices; any other number of values is an error
---@param options? luacuda.options.array_scatter_add
---@return luacuda.Array # `a` itself
function Array:scatter_add(indices, values, options) end

---Replaces the elements at the indices by the greatest of them and their values; NaN counts as the
---greatest. Complex numbers raise.
---
---Raises a string for wrong indices, before anything is written.
---@param indices luacuda.Array|table<any, any> integers, from 1 or negative from the end
---@param values luacuda.Array|table<any, any>|number|boolean one value, one for each index (both in C order), or values whose shape broadcasts to that of the indices; any other number of values is an error
---@param options? luacuda.options.array_scatter_add
---@return luacuda.Array # `a` itself
function Array:scatter_max(indices, values, options) end

---Replaces the elements at the indices by the least of them and their values; NaN counts as the
---least. Complex numbers raise.
---
---Raises a string for wrong indices, before anything is written.
---@param indices luacuda.Array|table<any, any> integers, from 1 or negative from the end
---@param values luacuda.Array|table<any, any>|number|boolean one value, one for each index (both in C order), or values whose shape broadcasts to that of the indices; any other number of values is an error
---@param options? luacuda.options.array_scatter_add
---@return luacuda.Array # `a` itself
function Array:scatter_min(indices, values, options) end

---Returns derivatives: from the neighbours on both sides, of second order for any spacing
---(Fornberg, 1988), and at the ends from one side. Differences of coordinates are computed in
---float64, and float16 and bfloat16 in float32.
---
---Raises a string for an axis of `edge_order` elements or fewer.
---@param options? luacuda.options.array_gradient
---@return luacuda.Array # the derivative along the first axis, of the shape of `a`
---@return luacuda.Array ... # those along the other axes
function Array:gradient(options) end

---Returns the integral by the trapezoidal rule, in one pass; 0 for one sample.
---
---Raises a string for an array without axes.
---@param options? luacuda.options.array_trapezoid
---@return any # a Lua value if the result has no axes and `out` is not given
function Array:trapezoid(options) end

---Returns the matrix product: {..., m, k} by {..., k, n} gives {..., m, n}. The axes before the
---last two broadcast. A vector is a row on the left and a column on the right, and its axis is not
---in the result.
---
---Raises a string with both shapes if they do not fit.
---@param b luacuda.Array on the same device
---@param options? luacuda.options.array_matmul
---@return any # a Lua value if the result has no axes and `out` is not given
function Array:matmul(b, options) end

---Returns the sum of products over the last axis of `a` and the last but one of `b` (its only axis
---if it has one): the scalar product of vectors, the matrix product of matrices. If one of the two
---has no axes, the result is `a * b`.
---
---Raises a string with both shapes if they do not fit.
---@param b luacuda.Array on the same device
---@param options? luacuda.options.array_matmul
---@return any # a Lua value if the result has no axes and `out` is not given
function Array:dot(b, options) end

---Returns the sum of products over the last axes of both.
---
---Raises a string with both shapes if they do not fit.
---@param b luacuda.Array on the same device
---@param options? luacuda.options.array_matmul
---@return any # a Lua value if the result has no axes and `out` is not given
function Array:inner(b, options) end

---Returns the products of all elements of `a` with all elements of `b`.
---@param b luacuda.Array on the same device
---@param options? luacuda.options.array_matmul
---@return luacuda.Array # of shape {a.size, b.size}
function Array:outer(b, options) end

---Returns the sum of `conj(a) * b` over all elements in C order.
---
---Raises a string if the sizes differ.
---@param b luacuda.Array on the same device
---@param options? luacuda.options.array_matmul
---@return any # a Lua value if the result has no axes and `out` is not given
function Array:vdot(b, options) end

---Returns the sum of the diagonal.
---
---Raises a string if `a` is not a matrix.
---@param options luacuda.options.array_trace
---@return luacuda.Array # a Lua value if `out` is not given
---@overload fun(): any
function Array:trace(options) end

---Returns norms. Without `axis` and `ord` it is the root of the sum of all squares.
---
---- For vectors `ord` is 2, 1, `math.huge` (the largest absolute value), `-math.huge` (the
---  smallest), 0 (the number of elements that are not zero) or any other p.
---
---- For matrices it is `"fro"`, 1 or -1 (the largest or smallest sum of a column), `math.huge` or
---  `-math.huge` (of a row), of absolute values.
---
---The result has the float dtype of `a` (float64 for integers, the real dtype for complex numbers);
---16-bit dtypes are computed in float32.
---
---Raises a string if `ord` is not a norm of vectors or matrices.
---@param ord? number|string the norm (default 2, for matrices "fro")
---@param options luacuda.options.array_norm
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given
---@overload fun(ord?: number|string): any
---@overload fun(options: luacuda.options.array_norm): any
function Array:norm(ord, options) end

---Describes the array to other processes, which pass the string to `cuda.open_ipc`. A driver shares
---only memory outside its pools, so the array must be made with the option `ipc`; `cuda.array(a, {
---ipc = true })` makes a copy. On a GPU such memory comes in units of 2 MB. Keep the array until
---the others have closed theirs: on a GPU it is undefined what they read once it is freed. The CPU
---device keeps the memory until the last process has closed it, and shares it on Linux only,
---between processes of one user.
---
---Raises a string for an array made without `{ ipc = true }`.
---@return string # bytes to be passed on as they are
function Array:ipc_handle() end

---Makes a tensor of the array's memory, views included. The memory lives until the deleter is
---called, which any thread may do, also after the Lua state is closed; the owner of wrapped memory
---(`cuda.wrap`) lives at most as long as its state. LuaCUDA does not see the consumer's work: later
---work here is ordered after the work that the consumer had queued on `stream` when it called the
---deleter. Arrays have the metamethod `__dlpack` for other libraries.
---
---Raises a string for arrays of structs, and for read-only arrays in the old form.
---@param options? luacuda.options.array_dlpack
---@return luacuda.Capsule
function Array:dlpack(options) end

---The class of `a.shape` and `a.strides`: a list of integers that cannot be written. `shape[i]`,
---`#shape`, `ipairs`, `pairs`, `table.unpack` and `table.concat` read it as they read a table, and
---`shape[-1]` is the last integer. `==` compares the integers, and every function that takes a list
---of integers takes a Shape. `{ table.unpack(a.shape) }` is a table, which can be changed; code
---that reads tables raw (`next`, `assert.same` of luassert, JSON libraries) needs one.
---@class luacuda.Shape: integer[]
local Shape = {}

---The memory that arrays of a device use. Freed memory stays in the pool for the next array until
---the pool is trimmed.
---@class luacuda.Pool
---@field device luacuda.Device Its device.
local Pool = {}

---Returns the pool's current numbers.
---@return table # in bytes: `used`, `reserved`, `used_high`, `reserved_high`, `limit`; counts: `allocations`, `frees`
function Pool:stats() end

---Returns unused memory to the system.
---@param keep? integer bytes to keep (default 0)
---@return luacuda.Pool # itself
function Pool:trim(keep) end

---Reads or sets the number of bytes that arrays may use together. An allocation above the limit
---raises a `memory` error.
---@param bytes? integer 0 for no limit; without it the limit is only read
---@return integer # the limit in bytes
function Pool:limit(bytes) end

---Memory in the layout of the texture hardware.
---@class luacuda.CuArray
---@field shape luacuda.Shape Texels per axis, without the channels.
---@field ndim integer The number of axes, without the channels.
---@field dtype string The element type.
---@field channels integer Elements of a texel.
---@field nbytes integer Bytes of all texels, mipmaps included.
---@field levels integer The number of levels; 1 without mipmaps.
---@field device luacuda.Device Its device.
---@field surface boolean Whether kernels may write it through a surface.
---@field layered boolean Whether the first axis counts layers.
---@field cubemap boolean Whether the first axis counts faces.
---@field gather boolean Whether kernels may use `tex2Dgather`.
---@field handle integer The driver's `CUarray`; of mipmaps that of the largest level.
local CuArray = {}

---Returns one level of a CUDA array with mipmaps, for copies and surfaces. It shares the memory.
---Level `i` is level `i - 1` in kernels.
---@param i integer from 1, the largest
---@return luacuda.CuArray
function CuArray:level(i) end

---Assigns all elements, as `array:set` does; several channels are the last axis. With mipmaps:
---those of the largest level, as in every copy.
---@param value any a nested table, an Array, bytes, or one value for all elements
---@param options? luacuda.options.array_set
---@return luacuda.CuArray # itself
function CuArray:set(value, options) end

---Copies all elements to an array on the same device; several channels are the last axis.
---@param options? luacuda.options.cuarray_array
---@return luacuda.Array # new or `out`
function CuArray:array(options) end

---Waits and returns all elements as nested tables.
---
---Raises `launch` if earlier work failed.
---@param reuse? table<any, any> table to fill
---@return table
function CuArray:totable(reuse) end

---Releases the handle. Work that is queued continues. A second call has no effect.
function CuArray:close() end

---The same as `cuarray:close`.
function CuArray:free() end

---How kernels read an array or a CUDA array.
---@class luacuda.Texture
---@field source luacuda.CuArray|luacuda.Array What it was made of.
---@field device luacuda.Device Its device.
---@field handle integer The driver's `CUtexObject`, for arrays of `uint64`.
---@field filter "point"|"linear" The filter.
---@field address string[] What lies outside, for x, y and z.
---@field read "element"|"normalized" How integers are read.
---@field normalized boolean Whether coordinates go from 0 to 1.
local Texture = {}

---Releases the handle. Work that is queued continues. A second call has no effect.
function Texture:close() end

---The same as `texture:close`.
function Texture:free() end

---How kernels write a CUDA array.
---@class luacuda.Surface
---@field source luacuda.CuArray What it was made of.
---@field device luacuda.Device Its device.
---@field handle integer The driver's `CUsurfObject`, for arrays of `uint64`.
local Surface = {}

---Releases the handle. Work that is queued continues. A second call has no effect.
function Surface:close() end

---The same as `surface:close`.
function Surface:free() end

---@class luacuda.Random
local Random = {}

---Makes a generator.
---@param seed? integer all 64 bits are used (default a random one)
---@return luacuda.Generator
function Random.generator(seed) end

---Restarts the default generator with a seed.
---@param seed integer all 64 bits are used
function Random.seed(seed) end

---Returns uniformly distributed numbers `low + (high - low) * u`, where u is one of 2^24 (for
---float32), 2^53 (float64), 2^11 (float16) or 2^8 (bfloat16) numbers at equal distances from 0 up
---to, not including, 1. If `low` and `high` are not 0 and 1, rounding may give `high`.
---
---Raises a string for numbers that the dtype does not hold; `memory` if the allocation fails.
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_uniform
---@return luacuda.Array
function Random.uniform(shape, options) end

---Returns normally distributed numbers (Box and Muller, 1958), at most 5.8 standard deviations from
---the mean (float64: 8.6). All dtypes but float64 use the device's approximations of logarithm,
---sine and cosine, so the last bits may differ between devices.
---
---Raises a string for numbers that the dtype does not hold; `memory` if the allocation fails.
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_normal
---@return luacuda.Array
function Random.normal(shape, options) end

---Returns integers from `low` to `high`, all of them equally likely (Lemire, 2019). For uint64 both
---are taken as bits: 0 to -1 is the whole range. An element takes one 32-bit word of the generator
---if at most 2^20 of the 2^32 words have to be refused for that, as for all ranges of up to 2^20
---integers, else two words. Dtypes of one byte take half a word (Brackett-Rozinsky and Lemire,
---2024).
---
---Raises a string if `low` is more than `high`; `memory` if the allocation fails.
---@param low integer
---@param high integer included, as in `math.random`
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_integers
---@return luacuda.Array
function Random.integers(low, high, shape, options) end

---Returns exponentially distributed numbers, as `-log(u) * scale` for a uniform u of 32 bits
---(float64: 52 bits).
---
---Raises a string if `scale` is negative or too large for the dtype; `memory` if the allocation
---fails.
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_exponential
---@return luacuda.Array
function Random.exponential(shape, options) end

---Returns numbers of the gamma distribution of mean `k * scale` by the rejection method of
---Marsaglia and Tsang (2000). For `k` below 1 it draws those of `k + 1` and multiplies them by a
---power of a uniform number, as that paper says.
---
---Raises a string if `k` or `scale` is negative or too large for the dtype; `memory` if the
---allocation fails.
---@param k number 0 or more, the shape of the distribution
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_gamma
---@return luacuda.Array
function Random.gamma(k, shape, options) end

---Returns integers of the Poisson distribution, by inversion for means below 10 (Devroye, 1986),
---else by transformed rejection (PTRS; Hörmann, 1993). A value that the dtype does not hold
---becomes its largest one.
---
---Raises a string if `mean` is negative; `memory` if the allocation fails.
---@param mean number from 0 to 2^62, NumPy's `lam`
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_poisson
---@return luacuda.Array
function Random.poisson(mean, shape, options) end

---Returns numbers of successes, by inversion if `n * min(p, 1 - p)` is below 10 (Devroye, 1986),
---else by transformed rejection (BTRS; Hörmann, 1993).
---
---Raises a string if the dtype does not hold `n`; `memory` if the allocation fails.
---@param n integer from 0 to 2^53, number of trials
---@param p number probability of a success
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_poisson
---@return luacuda.Array
function Random.binomial(n, p, shape, options) end

---Draws from 1 to n, or from the rows of an array along the first axis. With weights each draw is a
---binary search in their cumulative sums. Draws without replacement are the first elements of
---`permutation`; with weights all n are sorted by the random keys of Efraimidis and Spirakis
---(2006). A call with `p` waits, to check the weights.
---
---Raises a string for weights below 0, or for more draws without replacement than there are
---elements with a weight above 0, or from more than 2^62; `memory` if the allocation fails.
---@param from integer|luacuda.Array n, or an array of one or more axes
---@param shape integer|integer[] number of draws per axis
---@param options? luacuda.options.random_choice
---@return luacuda.Array # integers from 1 to n (int64), or rows of the array
function Random.choice(from, shape, options) end

---Puts the rows of an array, along the first axis, in random order, in place, as `permutation` does
---for a copy.
---
---Raises `memory` if the allocation fails.
---@param array luacuda.Array of one or more axes
---@param options? luacuda.options.array_set
---@return luacuda.Array # the argument
function Random.shuffle(array, options) end

---Returns the generator's 32-bit words in order; two give a uint64, the lower half first.
---
---Raises `memory` if the allocation fails.
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_bits
---@return luacuda.Array
function Random.bits(shape, options) end

---Returns the integers from 1 to n in random order (int64), or a copy of an array with its rows,
---along the first axis, in random order. Nothing is sorted: a one-to-one function of the integers
---below n gives each element its place, a Feistel network over two digits (Black and Rogaway, 2002)
---with 32-bit keys from the generator, one for each of its 32 rounds (16 for more than 4096
---elements). The orders have the statistics of uniformly random ones: of few elements all are
---equally often, of many the places, distances, cycles and parity agree.
---
---Raises `memory` if the allocation fails.
---@param what integer|luacuda.Array n, or an array of one or more axes
---@param options? luacuda.options.random_permutation
---@return luacuda.Array
function Random.permutation(what, options) end

---A seed and a position in its sequence. Each method is also a function of `cuda.random`, which
---uses the default generator.
---@class luacuda.Generator
local Generator = {}

---Returns uniformly distributed numbers `low + (high - low) * u`, where u is one of 2^24 (for
---float32), 2^53 (float64), 2^11 (float16) or 2^8 (bfloat16) numbers at equal distances from 0 up
---to, not including, 1. If `low` and `high` are not 0 and 1, rounding may give `high`.
---
---Raises a string for numbers that the dtype does not hold; `memory` if the allocation fails.
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_uniform
---@return luacuda.Array
function Generator:uniform(shape, options) end

---Returns normally distributed numbers (Box and Muller, 1958), at most 5.8 standard deviations from
---the mean (float64: 8.6). All dtypes but float64 use the device's approximations of logarithm,
---sine and cosine, so the last bits may differ between devices.
---
---Raises a string for numbers that the dtype does not hold; `memory` if the allocation fails.
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_normal
---@return luacuda.Array
function Generator:normal(shape, options) end

---Returns integers from `low` to `high`, all of them equally likely (Lemire, 2019). For uint64 both
---are taken as bits: 0 to -1 is the whole range. An element takes one 32-bit word of the generator
---if at most 2^20 of the 2^32 words have to be refused for that, as for all ranges of up to 2^20
---integers, else two words. Dtypes of one byte take half a word (Brackett-Rozinsky and Lemire,
---2024).
---
---Raises a string if `low` is more than `high`; `memory` if the allocation fails.
---@param low integer
---@param high integer included, as in `math.random`
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_integers
---@return luacuda.Array
function Generator:integers(low, high, shape, options) end

---Returns exponentially distributed numbers, as `-log(u) * scale` for a uniform u of 32 bits
---(float64: 52 bits).
---
---Raises a string if `scale` is negative or too large for the dtype; `memory` if the allocation
---fails.
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_exponential
---@return luacuda.Array
function Generator:exponential(shape, options) end

---Returns numbers of the gamma distribution of mean `k * scale` by the rejection method of
---Marsaglia and Tsang (2000). For `k` below 1 it draws those of `k + 1` and multiplies them by a
---power of a uniform number, as that paper says.
---
---Raises a string if `k` or `scale` is negative or too large for the dtype; `memory` if the
---allocation fails.
---@param k number 0 or more, the shape of the distribution
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_gamma
---@return luacuda.Array
function Generator:gamma(k, shape, options) end

---Returns integers of the Poisson distribution, by inversion for means below 10 (Devroye, 1986),
---else by transformed rejection (PTRS; Hörmann, 1993). A value that the dtype does not hold
---becomes its largest one.
---
---Raises a string if `mean` is negative; `memory` if the allocation fails.
---@param mean number from 0 to 2^62, NumPy's `lam`
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_poisson
---@return luacuda.Array
function Generator:poisson(mean, shape, options) end

---Returns numbers of successes, by inversion if `n * min(p, 1 - p)` is below 10 (Devroye, 1986),
---else by transformed rejection (BTRS; Hörmann, 1993).
---
---Raises a string if the dtype does not hold `n`; `memory` if the allocation fails.
---@param n integer from 0 to 2^53, number of trials
---@param p number probability of a success
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_poisson
---@return luacuda.Array
function Generator:binomial(n, p, shape, options) end

---Draws from 1 to n, or from the rows of an array along the first axis. With weights each draw is a
---binary search in their cumulative sums. Draws without replacement are the first elements of
---`permutation`; with weights all n are sorted by the random keys of Efraimidis and Spirakis
---(2006). A call with `p` waits, to check the weights.
---
---Raises a string for weights below 0, or for more draws without replacement than there are
---elements with a weight above 0, or from more than 2^62; `memory` if the allocation fails.
---@param from integer|luacuda.Array n, or an array of one or more axes
---@param shape integer|integer[] number of draws per axis
---@param options? luacuda.options.random_choice
---@return luacuda.Array # integers from 1 to n (int64), or rows of the array
function Generator:choice(from, shape, options) end

---Puts the rows of an array, along the first axis, in random order, in place, as `permutation` does
---for a copy.
---
---Raises `memory` if the allocation fails.
---@param array luacuda.Array of one or more axes
---@param options? luacuda.options.array_set
---@return luacuda.Array # the argument
function Generator:shuffle(array, options) end

---Returns the generator's 32-bit words in order; two give a uint64, the lower half first.
---
---Raises `memory` if the allocation fails.
---@param shape? integer|integer[]|nil elements per axis (default that of `out`)
---@param options? luacuda.options.random_bits
---@return luacuda.Array
function Generator:bits(shape, options) end

---Returns the integers from 1 to n in random order (int64), or a copy of an array with its rows,
---along the first axis, in random order. Nothing is sorted: a one-to-one function of the integers
---below n gives each element its place, a Feistel network over two digits (Black and Rogaway, 2002)
---with 32-bit keys from the generator, one for each of its 32 rounds (16 for more than 4096
---elements). The orders have the statistics of uniformly random ones: of few elements all are
---equally often, of many the places, distances, cycles and parity agree.
---
---Raises `memory` if the allocation fails.
---@param what integer|luacuda.Array n, or an array of one or more axes
---@param options? luacuda.options.random_permutation
---@return luacuda.Array
function Generator:permutation(what, options) end

---Restarts the generator with a seed, as a new generator begins.
---@param seed integer all 64 bits are used
---@return luacuda.Generator # itself
function Generator:seed(seed) end

---A DLPack tensor that nothing has consumed yet. A capsule that is collected or closed calls the
---tensor's deleter.
---@class luacuda.Capsule
---@field name "dltensor_versioned"|"dltensor" The form of the tensor.
---@field consumed boolean Whether the tensor has been taken out.
local Capsule = {}

---Takes the tensor out and returns the pointer and its name, for code in C or for another Lua
---state. Whoever receives it has to call its deleter.
---@return lightuserdata
---@return "dltensor_versioned"|"dltensor"
function Capsule:release() end

---The launch table: either `threads`, or `block` and, unless it is 1, `grid`. Extents are an
---integer or a list of up to three, x first (the reverse of a shape).
---@class luacuda.Launch
---Total threads per axis. LuaCUDA chooses the grid and, unless `block` is given, the block. Fewer
---than 256 threads are one block, where the kernel can have so many. Else a block has as many as
---`kernel:suggested_block` returns, in a row or near a square or a cube (256 are 256, 16 by 16, or
---8 by 8 by 4), and the last block may have more threads than needed, so kernels test their index.
---Where blocks form clusters, the last cluster may have more blocks than needed. 0 launches
---nothing.
---@field threads integer|integer[]|nil
---@field grid integer|integer[]|nil Blocks per axis, at least 1 (1).
---@field block integer|integer[]|nil Threads of a block per axis.
---Dynamic shared memory in bytes (0). Above 48 KB the kernel's limit is raised automatically.
---@field shared integer?
---@field stream luacuda.Stream? Stream of the launch (the current stream of the arrays' device).
---Launch cooperatively: all blocks run at the same time and can synchronize (false).
---@field cooperative boolean?
---@field cluster integer|integer[]|nil Blocks of a cluster per axis, on devices that have clusters.
---Let the kernel begin before the one queued before it on the stream has ended (false). It must
---wait by `griddepcontrol.wait` (`cudaGridDependencySynchronize`) before it uses what that one
---writes. Without effect on GPUs before compute capability 9.0 and on the CPU device.
---@field programmatic boolean?
---Priority of this launch: smaller numbers first, as those of streams. The nearest that the device
---has is taken (the stream's).
---@field priority integer?
---Memory synchronization domain: fences of kernels in one domain need not wait for writes of
---kernels in the other ("default").
---@field sync_domain "default"|"remote"|nil
---Order the launch automatically after work of other streams on its arrays (true).
---@field ordered boolean?
---@field runs integer? For `kernel:benchmark`: the number of timed launches (20).
---@field warmup integer? For `kernel:benchmark`: the number of launches before those (3).
local Launch = {}

---A kernel, made by `cuda.kernel` or `module:kernel`. The driver's numbers are fields; they are
---those of the current device. Fields marked "settable" can be assigned, which holds for every
---device.
---@class luacuda.Kernel
---@field name string Its name.
---@field log string The compiler's warnings about its source: `module.log`.
---A table for each parameter: `name`, `type` (in C++), `kind`, `dtype`, `class`, `known`, `const`,
---`lanes`, `size` and `offset` (bytes). `known` is false if a loaded binary does not give the
---parameter's type: PTX gives only the size of the parameters of an `extern "C"` kernel, so a
---pointer takes an array of any dtype there.
---@field signature table<any, any>[]
---@field max_threads_per_block integer Threads of the largest block that it can run with.
---@field num_regs integer Registers per thread.
---@field shared_size_bytes integer Static shared memory per block, in bytes.
---@field const_size_bytes integer Constant memory in bytes.
---@field local_size_bytes integer Local memory per thread, in bytes.
---@field ptx_version integer PTX version that it was compiled for: 80 for 8.0.
---@field binary_version integer Architecture of the machine code: 90 for sm_90.
---@field cache_mode_ca integer 1 if it was compiled with global loads cached in L1, else 0.
---@field max_dynamic_shared_size_bytes integer Limit of dynamic shared memory in bytes; settable.
---Share of L1 kept for shared memory, in percent, -1 for the driver's choice; settable.
---@field preferred_shared_memory_carveout integer
---@field cluster_size_must_be_set integer 1 if a launch needs `cluster`, else 0.
---Cluster size along x that it was compiled for, or 0; settable on GPUs where none was.
---@field required_cluster_width integer
---@field required_cluster_height integer The same along y.
---@field required_cluster_depth integer The same along z.
---1 if clusters of more than 8 blocks are allowed, else 0; settable.
---@field non_portable_cluster_size_allowed integer
---How blocks of clusters are spread (CUclusterSchedulingPolicy); settable.
---@field cluster_scheduling_policy_preference integer
---What it prefers to have more of: shared memory, L1 cache, or the same of both ("none": the
---device's default); settable. A hint, which recent GPUs may ignore.
---@field cache_config "none"|"shared"|"l1"|"equal"
---The options that it was compiled with, in the form in which `cuda.kernel` takes them; empty for a
---binary.
---@field options table<any, any>
---@overload fun(launch: luacuda.Launch, ...: any)
local Kernel = {}

---Checks a launch table once, for launches that are repeated. The table is copied and the device
---fixed. Types of the arguments need not be declared: they come from the kernel's signature.
---
---Raises a string for wrong arguments, or limits that the launch exceeds; `launch` if it fails.
---@param launch luacuda.Launch
---@return luacuda.Prepared
function Kernel:prepare(launch) end

---Launches, waits, and returns the time that the launch took on the device.
---
---Raises a string for wrong arguments, or limits that the launch exceeds; `launch` if it fails.
---@param launch luacuda.Launch
---@param ... any the kernel's arguments
---@return number # milliseconds
function Kernel:time_ms(launch, ...) end

---Launches many times, waits, and returns times per launch.
---
---Raises a string for wrong arguments, or limits that the launch exceeds; `launch` if it fails.
---@param launch luacuda.Launch
---@param ... any the kernel's arguments
---@return table # `min_ms`, `median_ms`, `mean_ms`, `spread_ms` (the distance between the quartiles) and `runs`
function Kernel:benchmark(launch, ...) end

---Returns how many blocks of a size fit on a multiprocessor.
---@param block integer|integer[]
---@param shared? integer dynamic shared memory in bytes (default 0)
---@return integer # blocks that a multiprocessor runs at the same time
---@return number # their threads as a share of what it can hold, 0 to 1
function Kernel:occupancy(block, shared) end

---Returns the block with which most threads of the kernel are resident: the driver's suggestion, or
---256 where they keep as many resident. Asked once per kernel and device.
---
---Raises a string if a block cannot have so much shared memory.
---@param shared? integer dynamic shared memory in bytes (default 0)
---@return integer # threads of a block
---@return integer # blocks that fill the device
function Kernel:suggested_block(shared) end

---Returns how many blocks a cooperative launch may have: those that the device runs at the same
---time. 0 where there are no cooperative launches.
---
---Raises a string if a block cannot have so much shared memory.
---@param block integer|integer[]
---@param shared? integer dynamic shared memory in bytes (default 0)
---@return integer
function Kernel:max_cooperative_blocks(block, shared) end

---Returns how many clusters of this shape the device runs at the same time.
---
---Raises a string if such a launch is not possible.
---@param block integer|integer[]
---@param cluster? integer|integer[] default: the one that the kernel was compiled for
---@param shared? integer dynamic shared memory in bytes (default 0)
---@return integer
function Kernel:max_active_clusters(block, cluster, shared) end

---Returns how many blocks a cluster of the kernel may have: those that it was compiled for, or 8,
---or more if `non_portable_cluster_size_allowed` is set. 0 where there are no clusters.
---
---Raises a string if such a launch is not possible.
---@param block integer|integer[]
---@param shared? integer dynamic shared memory in bytes (default 0)
---@return integer
function Kernel:max_cluster_size(block, shared) end

---Returns all the driver's numbers, those of the fields above.
---@return table # name to integer
function Kernel:attributes() end

---Returns the source.
---
---Raises a string if it was made from a binary.
---@return string
function Kernel:source() end

---Returns the PTX of its module for the current device.
---
---Raises a string if it was made from machine code; `compile`.
---@return string
function Kernel:ptx() end

---Compiles and loads it for the current device now, instead of at the first use.
---
---Raises `compile`.
---@param options? luacuda.options.kernel_compile
---@return luacuda.Kernel # itself
function Kernel:compile(options) end

---Releases the handle. A second call has no effect.
function Kernel:close() end

---The same as `kernel:close`.
function Kernel:free() end

---Calls it on the CPU device and waits, and counts what each line of the source costs:
---`LineProfile`. On a GPU it raises: switch with `cuda.use 'cpu'`.
---
---Raises a string if the current device is a GPU; the errors of the call and of its kernels.
---@param ... any what a call takes: of a kernel the launch table and its arguments
---@return luacuda.LineProfile
function Kernel:profile(...) end

---Runs the call on the CPU device and records one thread: a stop each time the thread reaches
---another line, or jumps back to the same. The kernel has finished when the loop starts, so arrays
---already hold its results. Variables need code that was compiled with `debug = true`. `watch` may
---hold `thread` and `block` (x, y and z from 0; an integer stands for x), `line` (stops at this
---line only), `when` (a function that takes the variables: stops only where it returns true) and
---`limit` (stops to keep at most, 10000; those where `when` does not hold do not count). `when`
---runs while the kernel waits; if it waits for the device itself, by reading an array for example,
---the kernel finishes first.
---
---Raises a string if the current device is a GPU; a string for a `line` without code and a `when`
---without debug information; the loop raises the errors of the call and of its kernels, after the
---stops before them or when the loop is left early, and a string if no launch has the thread or
---there are more stops than `limit`; after the stops before it, the error of `when`.
---@param watch table<any, any> what to stop at; {} for each line of the first thread
---@param ... any what a call takes: of a kernel the launch table and its arguments
---@return function # iterator over Stop
function Kernel:step(watch, ...) end

---Searches for the fastest block. Runs the kernel many times with the same arguments. The kernel's
---source, `threads` and the types and shapes of the arguments are part of the key. `result.run()`
---launches the kernel with the fastest block and these arguments.
---
---Raises `runtime` if no candidate could be measured, with the reasons; the errors of `where`,
---`reset`, `metrics` and `observe`.
---@param launch table<any, any> `threads` and other keys of a launch table without `grid` and `block`; `blocks`, a list of blocks to try (by default those of 32 to 1024 threads that suit the axes of `threads`); and the options of `cuda.tune` except for `name`, `space`, `where` and `make`
---@param ... any arguments of the kernel
---@return luacuda.Tuning # whose `best.block` is the fastest block
function Kernel:tune(launch, ...) end

---A launch made by `kernel:prepare`.
---@class luacuda.Prepared
---@field kernel luacuda.Kernel Its kernel.
---@field device luacuda.Device The device that it launches on.
---@field grid integer[] Blocks: x, y, z.
---@field block integer[] Threads of a block: x, y, z.
---@overload fun(...: any)
local Prepared = {}

---Makes another prepared launch of the kernel, for another grid or stream, say. What the table
---leaves out stays as it is, the block and the kept arguments too; `threads` makes a grid of that
---block, or of another one where the block was chosen. A new `block` needs `grid` or `threads`.
---
---Raises a string for wrong arguments, or limits that the launch exceeds; `launch` if it fails.
---@param changes luacuda.Launch
---@return luacuda.Prepared
function Prepared:with(changes) end

---Checks arguments and keeps them for calls without arguments. Each launch converts them again, so
---a table is read as it is then.
---
---Raises a string for wrong arguments, or limits that the launch exceeds; `launch` if it fails.
---@param ... any the kernel's arguments
---@return luacuda.Prepared # itself
function Prepared:keep(...) end

---Replaces one kept argument, or keeps it as the first.
---
---Raises a string for wrong arguments, or limits that the launch exceeds; `launch` if it fails.
---@param i integer from 1
---@param value any
---@return luacuda.Prepared # itself
function Prepared:set(i, value) end

---Launches, waits, and returns the time that the launch took on the device.
---
---Raises a string for wrong arguments, or limits that the launch exceeds; `launch` if it fails.
---@param ... any the kernel's arguments
---@return number # milliseconds
function Prepared:time_ms(...) end

---Releases the handle. A second call has no effect.
function Prepared:close() end

---The same as `prepared:close`.
function Prepared:free() end

---What `cuda.raw`, `cuda.input`, `cuda.output` and `cuda.inout` return, for one launch.
---@class luacuda.Argument
local Argument = {}

---What `cuda.ptr` returns, and `cuda.null`.
---@class luacuda.Pointer
---@field address integer The address.
local Pointer = {}

---Kernels and variables.
---@class luacuda.Module
---Kernels by name: `module.kernels.saxpy`. `pairs` visits names and kernels, and the call
---`module:kernels()` returns the list of names.
---@field kernels table<any, any>
---@field log string The compiler's warnings, and what the driver's PTX compiler and linker wrote.
---@field jit table<any, any> What the driver's PTX compiler or linker reported; loads the module.
local Module = {}

---Returns a kernel. A template instance that is not among the option `instances` is compiled with
---the module if it is named before the module is first used. Later it is compiled by itself; that
---raises a string if the module has variables, which a second copy of the code would not share.
---
---Raises a string if there is no such kernel; `compile`.
---@param name string plain, with namespaces, or a template instance (`"scale<float>"`)
---@return luacuda.Kernel
function Module:kernel(name) end

---Returns an array over a `__device__`, `__constant__` or `__managed__` variable, or an instance of
---a variable template that a kernel of the module uses (`"table<float>"`).
---
---Raises a string if there is no such variable; `compile`.
---@param name string
---@param options? luacuda.options.module_global
---@return luacuda.Array # over the variable
function Module:global(name, options) end

---Asks the compiler for the size of a type, so that a program can allocate memory for it. Needs no
---device.
---
---Raises a string if the source has no such type, or only declares it, or the module was made from
---a binary; `compile`.
---@param type string a type of the source or its headers: "curandState"
---@return integer # its size in bytes
---@return integer # its alignment
function Module:sizeof(type) end

---Compiles and loads the module and all its kernels for the current device now.
---
---Raises `compile`.
---@param options? luacuda.options.module_compile
---@return luacuda.Module # itself
function Module:compile(options) end

---Returns the source.
---
---Raises a string if it was made from a binary.
---@return string
function Module:source() end

---Releases the handle; the code is unloaded with its last kernel.
function Module:close() end

---The same as `module:close`.
function Module:free() end

---Collects sources, code and libraries; made by `cuda.linker`.
---@class luacuda.Linker
local Linker = {}

---Adds something to link. Ignores the log that `cuda.compile` returns as its second result, so you
---can pass a call: `l:add(cuda.compile(source, { rdc = true }))`.
---
---Raises `runtime` if a file cannot be read.
---@param item string|luacuda.Source source, PTX, machine code, an object file or a library as bytes, the name of a file, or the name of a library such as `"cudadevrt"`
---@param options? luacuda.options.linker_add
---@return luacuda.Linker # itself
function Linker:add(item, options) end

---Compiles the sources and links everything for the current device. More may be added afterwards.
---
---Raises `compile`; a string if nothing was added.
---@return string # the linked code
---@return string # the driver's log
function Linker:complete() end

---Makes a module from everything, as `cuda.module{ sources = ... }` does.
---
---Raises a string if nothing was added.
---@return luacuda.Module
function Linker:module() end

---Forgets what was added.
function Linker:close() end

---The same as `linker:close`.
function Linker:free() end

---A template of source, made by `cuda.template`.
---@class luacuda.Template
---@overload fun(names?: table<any, any>): luacuda.Source
local Template = {}

---Filled-in source, for `cuda.kernel` and the like; `tostring` gives the text.
---@class luacuda.Source
local Source = {}

---Compiled code and what `cuda.tune` has measured, on disk, in `LUACUDA_CACHE_DIR`, else
---`$XDG_CACHE_HOME/luacuda`, else `~/.cache/luacuda`. The key covers everything that can change the
---result, so there is nothing to clear after an edit.
---@class luacuda.Cache
local Cache = {}

---Returns the folder.
---@return string? # nil if nothing is kept on disk
function Cache.dir() end

---Returns numbers of the cache.
---@return table # counts of this Lua state: `hits`, `misses`, `written`, `damaged`, `failed`; in the folder: `files` and `bytes`
function Cache.stats() end

---Removes all files of the cache.
---@return integer # bytes freed
function Cache.clear() end

---A kernel made by `cuda.elementwise`. One kernel is compiled, when it is first needed, for each
---combination of dtypes and each memory layout of the arrays, and kept.
---@class luacuda.Elementwise
---@overload fun(...: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar|luacuda.options.elementwise_call): luacuda.Array, ...: luacuda.Array
---@field name string Its name.
local Elementwise = {}

---Returns the CUDA C++ text of the kernel that a call with these arguments runs, without launching;
---without arguments that of the latest call.
---
---Raises a string without arguments if no kernel was made yet.
---@param ... any arguments as in a call
---@return string
function Elementwise:source(...) end

---Returns the PTX of the kernel that a call with these arguments runs.
---
---Raises a string without arguments if no kernel was made yet; `compile`.
---@param ... any arguments as in a call
---@return string
function Elementwise:ptx(...) end

---Lists what was made so far.
---@return table[] # a table for each kernel: `types` (of the parameters), `mode` ("flat", "strided", "tile" or "rows"), `vector` (elements per access), `ndim`, `wide` (64-bit indices), `device`
function Elementwise:cached() end

---Calls it on the CPU device and waits, and counts what each line of the source costs:
---`LineProfile`.
---
---Raises a string if the current device is a GPU; the errors of the call and of its kernels.
---@param ... any what a call takes: of a kernel the launch table and its arguments
---@return luacuda.LineProfile
function Elementwise:profile(...) end

---A kernel made by `cuda.reduction`. One kernel is compiled, when it is first needed, for each
---combination of dtypes and each memory layout of the arrays, and kept.
---@class luacuda.Reduction
---@overload fun(...: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar|luacuda.options.reduction_call): luacuda.Array, ...: luacuda.Array
---@field name string Its name.
local Reduction = {}

---Returns the CUDA C++ text of the kernels that a call with these arguments runs, without
---launching; without arguments that of the latest call.
---
---Raises a string without arguments if no kernel was made yet.
---@param ... any arguments as in a call
---@return string
function Reduction:source(...) end

---Returns the PTX of the kernels that a call with these arguments runs.
---
---Raises a string without arguments if no kernel was made yet; `compile`.
---@param ... any arguments as in a call
---@return string
function Reduction:ptx(...) end

---Lists what was made so far.
---@return table[] # a table for each kernel: `types` (of the parameters), `mode` ("rows" or "columns"), `pass` ("whole", or "partial" and "final"), `vector` (elements per access), `rows` (that a thread loads at once), `kept` and `inner` (numbers of axes), `wide` (64-bit indices), `device`
function Reduction:cached() end

---Calls it on the CPU device and waits, and counts what each line of the source costs:
---`LineProfile`.
---
---Raises a string if the current device is a GPU; the errors of the call and of its kernels.
---@param ... any what a call takes: of a kernel the launch table and its arguments
---@return luacuda.LineProfile
function Reduction:profile(...) end

---A kernel made by `cuda.scan`. One kernel is compiled, when it is first needed, for each
---combination of dtypes and each memory layout of the arrays, and kept.
---@class luacuda.Scan
---@overload fun(...: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar|luacuda.options.scan_call): luacuda.Array, ...: luacuda.Array
---@field name string Its name.
local Scan = {}

---Returns the CUDA C++ text of the kernel that a call with these arguments runs, without launching;
---without arguments that of the latest call.
---
---Raises a string without arguments if no kernel was made yet.
---@param ... any arguments as in a call
---@return string
function Scan:source(...) end

---Returns the PTX of the kernel that a call with these arguments runs.
---
---Raises a string without arguments if no kernel was made yet; `compile`.
---@param ... any arguments as in a call
---@return string
function Scan:ptx(...) end

---Lists what was made so far.
---@return table[] # a table for each kernel: `types` (of the parameters), `mode` ("flat" or "columns"), `vector` (elements per access), `exclusive`, `segments` (dtype), `device`
function Scan:cached() end

---Calls it on the CPU device and waits, and counts what each line of the source costs:
---`LineProfile`.
---
---Raises a string if the current device is a GPU; the errors of the call and of its kernels.
---@param ... any what a call takes: of a kernel the launch table and its arguments
---@return luacuda.LineProfile
function Scan:profile(...) end

---A function made by `cuda.fuse`. Functions with the same code that depend on equal values share
---their kernels.
---@class luacuda.Fused
---@overload fun(...: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar|luacuda.options.fused_call): any, ...: any
---@field name string Its name.
local Fused = {}

---Returns the CUDA C++ text of the kernels that a call with these arguments runs, without
---launching; without arguments that of the latest call.
---
---Raises a string without arguments if no kernel was made yet.
---@param ... any arguments as in a call
---@return string
function Fused:source(...) end

---Returns the PTX of the kernels that a call with these arguments runs.
---
---Raises a string without arguments if no kernel was made yet; `compile`.
---@param ... any arguments as in a call
---@return string
function Fused:ptx(...) end

---Lists what was made so far.
---@return table[] # a table for each trace: `arguments` (kinds: a dtype, `"=dtype"` for a typed scalar, `"int"`, `"float"`, `"complex"`, `"false"` or `"true"`), `results` (dtypes) and `kernels` (as other builders list them)
function Fused:cached() end

---A kernel written in Lua, made by `cuda.jit`.
---@class luacuda.Jit
---@overload fun(launch: luacuda.Launch, ...: luacuda.Array|number|boolean|luacuda.Scalar|luacuda.Complex|luacuda.Record|luacuda.Texture|luacuda.Surface)
local Jit = {}

---Checks a launch and its arguments once. The result is called without arguments, and its methods
---`keep` and `set` raise an error: to change an argument, prepare another launch. It keeps the
---arrays that are upvalues now. Its method `with` raises an error for a grid so large that it needs
---another kernel: prepare another launch.
---
---Raises a string for wrong arguments, for a function that cannot run on a device, with the file
---and line of what is wrong; `compile`.
---@param launch luacuda.Launch
---@param ... luacuda.Array|number|boolean|luacuda.Scalar|luacuda.Complex|luacuda.Record|luacuda.Texture|luacuda.Surface the arguments
---@return luacuda.Prepared
function Jit:prepare(launch, ...) end

---Launches, waits, and returns the time that the launch took on the device.
---
---Raises a string for wrong arguments, for a function that cannot run on a device, with the file
---and line of what is wrong; `compile`.
---@param launch luacuda.Launch
---@param ... luacuda.Array|number|boolean|luacuda.Scalar|luacuda.Complex|luacuda.Record|luacuda.Texture|luacuda.Surface the arguments
---@return number # milliseconds
function Jit:time_ms(launch, ...) end

---Launches many times, waits, and returns times per launch.
---
---Raises a string for wrong arguments, for a function that cannot run on a device, with the file
---and line of what is wrong; `compile`.
---@param launch luacuda.Launch
---@param ... luacuda.Array|number|boolean|luacuda.Scalar|luacuda.Complex|luacuda.Record|luacuda.Texture|luacuda.Surface the arguments
---@return table # as `kernel:benchmark` returns it
function Jit:benchmark(launch, ...) end

---Searches for the fastest block, as `kernel:tune` does, with the same keys of the launch table.
---
---Raises a string for wrong arguments, for a function that cannot run on a device, with the file
---and line of what is wrong; `compile`.
---@param launch luacuda.Launch
---@param ... luacuda.Array|number|boolean|luacuda.Scalar|luacuda.Complex|luacuda.Record|luacuda.Texture|luacuda.Surface the arguments
---@return luacuda.Tuning
function Jit:tune(launch, ...) end

---Runs the function as ordinary Lua, one thread after the other, with threads that wait at barriers
---as coroutines: slow, for a debugger, for `print`, and as a second opinion about the compiled
---kernel. Arrays of a GPU are copied to the host and back. Arithmetic is Lua's, in double precision
---and with 64-bit integers; stores raise for values that do not fit. Upvalues are used as they are.
---Of the launch, `grid`, `block` and `threads` count.
---
---Raises a string for wrong arguments, and what the function raises, with its block and thread.
---@param launch luacuda.Launch
---@param ... luacuda.Array|number|boolean|luacuda.Scalar|luacuda.Complex|luacuda.Record|luacuda.Texture|luacuda.Surface the arguments
function Jit:run_in_lua(launch, ...) end

---Returns the CUDA C++ of the kernel, to read. That of `k:kernel(...)` has `#line` marks.
---
---Raises a string for wrong arguments, for a function that cannot run on a device, with the file
---and line of what is wrong; `compile`.
---@param ... any arguments of a call; none for the kernel made last
---@return string
function Jit:source(...) end

---Returns the PTX of the kernel.
---
---Raises a string for wrong arguments, for a function that cannot run on a device, with the file
---and line of what is wrong; `compile`.
---@param ... any arguments of a call; none for the kernel made last
---@return string
function Jit:ptx(...) end

---Returns the inferred types: a dtype, `"int"` and `"float"` for Lua's numbers (`"int!"` for an
---integer that adapts to dtypes), `"float32[,]"` for an array of two axes. Of variables with one
---name the last one counts.
---
---Raises a string for wrong arguments, for a function that cannot run on a device, with the file
---and line of what is wrong; `compile`.
---@param ... any arguments of a call; none for the kernel made last
---@return table # name of a variable to its type
function Jit:types(...) end

---Returns the kernel, with the driver's numbers. Its parameters are pointers, extents and scalars.
---
---Raises a string for wrong arguments, for a function that cannot run on a device, with the file
---and line of what is wrong; `compile`.
---@param ... any arguments of a call; none for the kernel made last
---@return luacuda.Kernel
function Jit:kernel(...) end

---Calls it on the CPU device and waits, and counts what each line of the source costs:
---`LineProfile`. Lines are those of the Lua function.
---
---Raises a string if the current device is a GPU; the errors of the call and of its kernels.
---@param ... any what a call takes: of a kernel the launch table and its arguments
---@return luacuda.LineProfile
function Jit:profile(...) end

---Runs the call on the CPU device and records one thread: a stop each time the thread reaches
---another line, or jumps back to the same. The kernel has finished when the loop starts, so arrays
---already hold its results. Variables need code that was compiled with `debug = true`. `watch` may
---hold `thread` and `block` (x, y and z from 0; an integer stands for x), `line` (stops at this
---line only), `when` (a function that takes the variables: stops only where it returns true) and
---`limit` (stops to keep at most, 10000; those where `when` does not hold do not count). `when`
---runs while the kernel waits; if it waits for the device itself, by reading an array for example,
---the kernel finishes first. Lines are those of the Lua function; variables have the names of its
---CUDA C++.
---
---Raises a string if the current device is a GPU; a string for a `line` without code and a `when`
---without debug information; the loop raises the errors of the call and of its kernels, after the
---stops before them or when the loop is left early, and a string if no launch has the thread or
---there are more stops than `limit`; after the stops before it, the error of `when`.
---@param watch table<any, any> what to stop at; {} for each line of the first thread
---@param ... any what a call takes: of a kernel the launch table and its arguments
---@return function # iterator over Stop
function Jit:step(watch, ...) end

---A function in CUDA C++, made by `cuda.device_function`, for kernels written in Lua.
---@class luacuda.DeviceFunction
---@overload fun(...: luacuda.Array|number|boolean|luacuda.Scalar|luacuda.Complex): any
local DeviceFunction = {}

---Returns the source that it was made of.
---@return string
function DeviceFunction:source() end

---A function of arrays, made by `cuda.vectorize`.
---@class luacuda.Vectorized
---@overload fun(...: luacuda.Array|number|boolean|luacuda.Scalar|luacuda.Complex|luacuda.options.vectorized_call): ...: luacuda.Array
local Vectorized = {}

---Returns the CUDA C++ of the kernel.
---
---Raises a string for wrong arguments, for a function that cannot run on a device, with the file
---and line of what is wrong; `compile`.
---@param ... any arguments of a call; none for the kernel made last
---@return string
function Vectorized:source(...) end

---Returns the PTX of the kernel.
---
---Raises a string for wrong arguments, for a function that cannot run on a device, with the file
---and line of what is wrong; `compile`.
---@param ... any arguments of a call; none for the kernel made last
---@return string
function Vectorized:ptx(...) end

---Returns the inferred types, as `jit:types` does.
---
---Raises a string for wrong arguments, for a function that cannot run on a device, with the file
---and line of what is wrong; `compile`.
---@param ... any arguments of a call; none for the kernel made last
---@return table # name of a variable to its type
function Vectorized:types(...) end

---Calls it on the CPU device and waits, and counts what each line of the source costs:
---`LineProfile`.
---
---Raises a string if the current device is a GPU; the errors of the call and of its kernels.
---@param ... any what a call takes: of a kernel the launch table and its arguments
---@return luacuda.LineProfile
function Vectorized:profile(...) end

---The names, as fields of `cuda.gpu`.
---@class luacuda.Gpu
---@field threadIdx table<any, any> Place of the thread in its block: `.x`, `.y`, `.z`, from 0.
---@field blockIdx table<any, any> Place of the block in the grid, from 0.
---@field blockDim table<any, any> Threads of a block.
---@field gridDim table<any, any> Blocks of the grid.
---@field warpSize integer Lanes of a warp: 32.
---@field laneid integer Lane of the thread, from 0.
local Gpu = {}

---In `for ... in`: the indices that the thread takes of 1 to n (m, k); the last one is along x.
---`grid(x.shape)` gives those of all elements of an array.
---@param n integer|integer[]
---@param m? integer
---@param k? integer
---@return function
function Gpu.grid(n, m, k) end

---In `for ... in`: a numeric loop that the compiler writes out.
---@param first integer
---@param last integer
---@param step? integer default: 1
---@param factor? integer rounds written out at a time (all, of constant bounds, up to 1024)
---@return function
function Gpu.unroll(first, last, step, factor) end

---An array of the thread block, with undefined elements.
---
---Arrays besides those that are passed.
---@param dtype string
---@param ... integer|integer[] extents that are constants
---@return luacuda.Array
function Gpu.shared(dtype, ...) end

---The shared memory of which the launch gives the bytes (`shared = 4096`), from a byte on, as an
---array of one axis.
---
---Arrays besides those that are passed.
---@param dtype string
---@param offset? integer first byte (default 0)
---@return luacuda.Array
function Gpu.dynamic_shared(dtype, offset) end

---An array of the thread, of zeros.
---
---Arrays besides those that are passed.
---@param dtype string
---@param ... integer|integer[] extents that are constants
---@return luacuda.Array
function Gpu.array(dtype, ...) end

---Reads a texture, an argument or upvalue, at C's coordinates: the center of the first texel at 0.5
---(`normalized`: 0 to 1), layers from 0, an array of one axis by index from 0. A value for each
---channel: float32 for float16 and `read = "normalized"`, else the texture's dtype. Cubemaps and
---mipmaps need a function in C++ with a `cudaTextureObject_t`.
---
---Arrays besides those that are passed.
---@param t luacuda.Texture
---@param ... number coordinates: x, y, z, layer
---@return number ... # one for each channel
function Gpu.tex(t, ...) end

---Reads a texel of a surface, a value for each channel.
---
---Arrays besides those that are passed.
---@param s luacuda.Surface
---@param ... integer coordinates of a texel, from 0
---@return number ... # one for each channel
function Gpu.surf_read(s, ...) end

---Writes a texel; x, too, counts texels.
---
---Arrays besides those that are passed.
---@param s luacuda.Surface
---@param ... number a value for each channel, then the coordinates
function Gpu.surf_write(s, ...) end

---Waits for the threads of the block.
---
---
function Gpu.syncthreads() end

---Waits as `syncthreads` does, and returns whether c is true in all threads of the block.
---
---
---@param c boolean
---@return boolean
function Gpu.syncthreads_and(c) end

---Waits as `syncthreads` does, and returns whether c is true in any thread of the block.
---
---
---@param c boolean
---@return boolean
function Gpu.syncthreads_or(c) end

---Waits as `syncthreads` does, and returns the number of threads of the block in which c is true.
---
---
---@param c boolean
---@return integer
function Gpu.syncthreads_count(c) end

---Waits for lanes of the warp.
---
---
---@param mask? integer default: all lanes
function Gpu.syncwarp(mask) end

---Waits for the threads of all blocks. The launch is then cooperative: at most as many blocks as
---`kernel:max_cooperative_blocks` tells for `k:kernel()`.
---
---
function Gpu.syncgrid() end

---Earlier writes are seen by all threads of the device before later ones.
---
---
function Gpu.threadfence() end

---The same for the threads of the block.
---
---
function Gpu.threadfence_block() end

---The same for other devices and the host.
---
---
function Gpu.threadfence_system() end

---Adds.
---
---One access to an element of an int32, uint32, int64, uint64, float32 or float64 array.
---`atomic_add` and `atomic_sub` also take 16-bit floats; the bitwise ones take only integers.
---@param array luacuda.Array
---@param ... integer the indices, one for each axis, then the value
---@return number # the old value
function Gpu.atomic_add(array, ...) end

---Bitwise and.
---
---One access to an element of an int32, uint32, int64, uint64, float32 or float64 array.
---`atomic_add` and `atomic_sub` also take 16-bit floats; the bitwise ones take only integers.
---@param array luacuda.Array
---@param ... integer the indices, one for each axis, then the value
---@return number # the old value
function Gpu.atomic_and(array, ...) end

---Stores.
---
---One access to an element of an int32, uint32, int64, uint64, float32 or float64 array.
---`atomic_add` and `atomic_sub` also take 16-bit floats; the bitwise ones take only integers.
---@param array luacuda.Array
---@param ... integer the indices, one for each axis, then the value
---@return number # the old value
function Gpu.atomic_exch(array, ...) end

---Keeps the larger.
---
---One access to an element of an int32, uint32, int64, uint64, float32 or float64 array.
---`atomic_add` and `atomic_sub` also take 16-bit floats; the bitwise ones take only integers.
---@param array luacuda.Array
---@param ... integer the indices, one for each axis, then the value
---@return number # the old value
function Gpu.atomic_max(array, ...) end

---Keeps the smaller.
---
---One access to an element of an int32, uint32, int64, uint64, float32 or float64 array.
---`atomic_add` and `atomic_sub` also take 16-bit floats; the bitwise ones take only integers.
---@param array luacuda.Array
---@param ... integer the indices, one for each axis, then the value
---@return number # the old value
function Gpu.atomic_min(array, ...) end

---Bitwise or.
---
---One access to an element of an int32, uint32, int64, uint64, float32 or float64 array.
---`atomic_add` and `atomic_sub` also take 16-bit floats; the bitwise ones take only integers.
---@param array luacuda.Array
---@param ... integer the indices, one for each axis, then the value
---@return number # the old value
function Gpu.atomic_or(array, ...) end

---Subtracts.
---
---One access to an element of an int32, uint32, int64, uint64, float32 or float64 array.
---`atomic_add` and `atomic_sub` also take 16-bit floats; the bitwise ones take only integers.
---@param array luacuda.Array
---@param ... integer the indices, one for each axis, then the value
---@return number # the old value
function Gpu.atomic_sub(array, ...) end

---Bitwise exclusive or.
---
---One access to an element of an int32, uint32, int64, uint64, float32 or float64 array.
---`atomic_add` and `atomic_sub` also take 16-bit floats; the bitwise ones take only integers.
---@param array luacuda.Array
---@param ... integer the indices, one for each axis, then the value
---@return number # the old value
function Gpu.atomic_xor(array, ...) end

---Stores the new value if the old one is that expected.
---
---One access to an element of an int32, uint32, int64, uint64, float32 or float64 array.
---`atomic_add` and `atomic_sub` also take 16-bit floats; the bitwise ones take only integers.
---@param array luacuda.Array
---@param ... integer the indices, then the expected value and the new one
---@return number # the old value
function Gpu.atomic_cas(array, ...) end

---The value of the lane so many above; the lane's own value if that is outside the part.
---
---Values go from lane to lane.
---@param mask integer the lanes that take part, a bit for each
---@param value number
---@param lane integer lane, distance or bits
---@param width? integer lanes of a part of the warp (default 32)
---@return number
function Gpu.shfl_down_sync(mask, value, lane, width) end

---The value of the lane; the lane's own value if that is outside the part.
---
---Values go from lane to lane.
---@param mask integer the lanes that take part, a bit for each
---@param value number
---@param lane integer lane, distance or bits
---@param width? integer lanes of a part of the warp (default 32)
---@return number
function Gpu.shfl_sync(mask, value, lane, width) end

---The value of the lane so many below; the lane's own value if that is outside the part.
---
---Values go from lane to lane.
---@param mask integer the lanes that take part, a bit for each
---@param value number
---@param lane integer lane, distance or bits
---@param width? integer lanes of a part of the warp (default 32)
---@return number
function Gpu.shfl_up_sync(mask, value, lane, width) end

---The value of the lane of the exclusive or; the lane's own value if that is outside the part.
---
---Values go from lane to lane.
---@param mask integer the lanes that take part, a bit for each
---@param value number
---@param lane integer lane, distance or bits
---@param width? integer lanes of a part of the warp (default 32)
---@return number
function Gpu.shfl_xor_sync(mask, value, lane, width) end

---Does c hold in a lane?
---
---`mask` has a bit for each lane that takes part.
---@param mask integer
---@param c boolean
---@return boolean
function Gpu.any_sync(mask, c) end

---Does c hold in all lanes?
---
---`mask` has a bit for each lane that takes part.
---@param mask integer
---@param c boolean
---@return boolean
function Gpu.all_sync(mask, c) end

---The lanes where c holds, as bits.
---
---`mask` has a bit for each lane that takes part.
---@param mask integer
---@param c boolean
---@return integer
function Gpu.ballot_sync(mask, c) end

---The lanes with the same value, as bits.
---
---`mask` has a bit for each lane that takes part.
---@param mask integer
---@param value number
---@return integer
function Gpu.match_any_sync(mask, value) end

---The mask if all lanes have the same value, else 0.
---
---`mask` has a bit for each lane that takes part.
---@param mask integer
---@param value number
---@return integer
function Gpu.match_all_sync(mask, value) end

---The lanes that run at present, as bits.
---
---`mask` has a bit for each lane that takes part.
---@return integer
function Gpu.activemask() end

---The part of n neighboring lanes of a warp to which the thread belongs. All of its lanes call a
---method together: `t:sync()`, `t:shfl(v, rank)`, `t:shfl_up(v, distance)`, `t:shfl_down`,
---`t:shfl_xor(v, bits)`; `t:any(c)`, `t:all(c)`, `t:ballot(c)`, `t:match_any(v)`, whose bits count
---from the tile's first lane; `t:reduce(v, op)`, the same in all lanes, and `t:inclusive_scan(v,
---op)`, op `"add"` (the default), `"mul"`, `"min"`, `"max"`, `"and"`, `"or"` or `"xor"`.
---`t:thread_rank()` counts from 0, as does `t:meta_group_rank()` among the block's
---`t:meta_group_size()` tiles; `t:size()` is n. Blocks have a multiple of n threads.
---
---`mask` has a bit for each lane that takes part.
---@param n integer 1, 2, 4, 8, 16 or 32, a constant
---@return table
function Gpu.tile(n) end

---A generator, Philox4x32-10, with the words of CURAND's `curand_init(seed, sequence, offset)`;
---those of sequence 0 are also the words of `cuda.random.generator(seed)`. It stays in its
---variable, and functions draw from the same one. `r:bits()` is the next word (uint32).
---`r:uniform()` is `(word >> 8) * 2^-24`, a float32 from 0 up to, not including, 1;
---`r:uniform("float64")` takes two words for 53 bits. `r:normal()` makes two numbers of two words
---(`"float64"`: of four) by the method of Box and Muller and keeps the second for the next call.
---`r:integer(low, high)` is a Lua integer, all equally likely (Lemire, 2019), from one word, two
---for a range of 2^32 or more, or further ones with a probability below range / 2^32 (2^64). All
---devices, `jit:run_in_lua` and `fast_math` give the same bits.
---
---Besides Lua's `math` and this library's functions of elements.
---@param seed integer
---@param sequence integer another one for each thread
---@param offset? integer words to skip (default 0)
---@return table
function Gpu.random(seed, sequence, offset) end

---x * y + z, rounded once.
---
---Besides Lua's `math` and this library's functions of elements.
---@param x number
---@param y number
---@param z number
---@return number
function Gpu.fma(x, y, z) end

---1 / sqrt(x).
---
---Besides Lua's `math` and this library's functions of elements.
---@param x number
---@return number
function Gpu.rsqrt(x) end

---10^x.
---
---Besides Lua's `math` and this library's functions of elements.
---@param x number
---@return number
function Gpu.exp10(x) end

---The sine of pi x.
---
---Besides Lua's `math` and this library's functions of elements.
---@param x number
---@return number
function Gpu.sinpi(x) end

---The cosine of pi x.
---
---Besides Lua's `math` and this library's functions of elements.
---@param x number
---@return number
function Gpu.cospi(x) end

---The number of bits that are set.
---
---Besides Lua's `math` and this library's functions of elements.
---@param v integer
---@return integer
function Gpu.popc(v) end

---The number of leading zeros.
---
---Besides Lua's `math` and this library's functions of elements.
---@param v integer
---@return integer
function Gpu.clz(v) end

---The place of the lowest bit set, from 1; or 0.
---
---Besides Lua's `math` and this library's functions of elements.
---@param v integer
---@return integer
function Gpu.ffs(v) end

---A count of the multiprocessor's cycles.
---
---Besides Lua's `math` and this library's functions of elements.
---@return integer
function Gpu.clock() end

---Waits for about so many nanoseconds.
---
---Besides Lua's `math` and this library's functions of elements.
---@param ns integer
function Gpu.nanosleep(ns) end

---What `cuda.profile` has recorded. `tostring` gives a table.
---@class luacuda.Profile
---@field entries table<any, any>[] The timeline.
---@field totals table<any, any>[] The sums of the entries of each name and device.
---@field length_ms number How long the function ran, by the clock.
---@field wait_ms number How long the host waited for devices.
---@field dropped integer The number of entries beyond the option `limit`.
local Profile = {}

---Returns the timeline as JSON in the trace event format, for [Perfetto](https://ui.perfetto.dev)
---and `chrome://tracing`: a process for each device, a row for each stream.
---@return string
function Profile:chrome() end

---Writes the text of `profile:chrome` to a file.
---
---Raises `runtime` if the file cannot be written.
---@param path string
---@return luacuda.Profile # itself
function Profile:save(path) end

---A named part of a program, made by `cuda.range`.
---@class luacuda.Range
---@field name string Its name.
local Range = {}

---Ends the range. A second call has no effect.
function Range:close() end

---Tells a profiler that watches the current device where to look, as `cuProfilerStart` does: `nsys
---profile --capture-range=cudaProfilerApi` records between the two calls. Nothing happens without a
---profiler.
---@class luacuda.Profiler
local Profiler = {}

---Starts recording.
function Profiler.start() end

---Stops recording.
function Profiler.stop() end

---A place where `kernel:step` stopped. `tostring` gives the line and the variables.
---@class luacuda.Stop
---@field file string The file.
---The line that the thread is about to run. At the line of a function its parameters have values.
---@field line integer
---@field text string? The source of that line.
---@field fn string The innermost function, also where it is inlined.
---The number of calls that lead there, with those that are inlined; 0 in the kernel itself.
---@field depth integer
---@field block integer[] The block: x, y, z from 0.
---@field thread integer[] The thread in its block: x, y, z from 0.
---What the debug information finds in that function: numbers, booleans, pointers and references as
---addresses, structs as tables of their fields, arrays as lists. Unsigned integers of 64 bits are
---the Lua integers of the same bits. A variable without a value yet holds what its place held
---before. Shared and global variables are not listed.
---@field variables table<any, any>
---@field registers table<any, any> The bits of the registers of the function's PTX.
local Stop = {}

---What `kernel:profile` has counted. `tostring` gives the source with the costs of each line beside
---it.
---@class luacuda.LineProfile
---The lines that have a cost, of all kernels together. Code of the user's functions counts for its
---own lines, also where it is inlined; code of headers counts for the user's line that called it.
---Code that the library generates around the user's is one item without `file` and `line`.
---@field lines luacuda.Costs[]
---The kernels that ran. Launches of one kernel with another grid or block are an item of their own,
---and so are kernels that a kernel launches.
---@field kernels luacuda.Costs[]
---@field totals luacuda.Costs The sums of all lines.
---@field files table<any, any>[] The source around the lines, as `tostring` and `html` show it.
local LineProfile = {}

---Estimates the occupancy on a GPU and what bounds the kernel there, from the counts and the
---published figures of the GPU.
---@param arch "sm_75"|"sm_80"|"sm_86"|"sm_89"|"sm_90"|"sm_120" a GPU: T4, A100, RTX 3090, RTX 4090, H100 SXM or RTX 5090
---@param options? luacuda.options.lineprofile_estimate
---@return luacuda.Estimate
function LineProfile:estimate(arch, options) end

---Writes one page without links to other files: the source coloured by cost, and what the columns
---mean.
---
---Raises `runtime` if it cannot be written.
---@param path string
---@param options? luacuda.options.lineprofile_html
---@return luacuda.LineProfile # itself
function LineProfile:html(path, options) end

---What a line, a kernel or all of them cost. Sums over all warps.
---@class luacuda.Costs
---@field file string? Of a line: its file.
---@field line integer? Of a line: its number.
---@field text string? Of a line: the source.
---PTX instructions, once for each warp. An instruction that a predicate switches off counts as
---well; a jump to the next instruction is none.
---@field instructions integer
---@field thread_instructions integer The lanes that were on in these, together.
---@field lane_use number `thread_instructions / (32 * instructions)`.
---Its part of the clocks of all lines: a quarter for an instruction and for a sector, one for a
---pass over the banks of shared memory.
---@field share number
---@field branches integer Conditional branches of warps.
---@field divergent_branches integer Those at which the lanes parted.
---@field barriers integer Warps that came to `__syncthreads()` and its kin.
---@field global_accesses integer Loads, stores and atomics in global memory.
---The sectors of 32 bytes that each access touched: the transactions of a GPU. Caches are not
---modelled.
---@field global_sectors integer
---The sectors that would hold as many different bytes: what the same access costs if its bytes lie
---side by side.
---@field global_sectors_least integer
---@field sectors_per_access number? `global_sectors / global_accesses`.
---@field shared_accesses integer Loads, stores and atomics in shared memory.
---Passes over its 32 banks of 4 bytes. Lanes that use one word share a pass, except in atomics.
---With 8 bytes per lane 16 lanes go together, with 16 bytes 8.
---@field shared_wavefronts integer
---@field bank_conflicts integer Passes beyond those that such accesses need at least.
---@field local_accesses integer Loads and stores in local memory, of arrays in registers' place.
---@field local_sectors integer The sectors of these.
---Floating-point operations of lanes in half precision; a fused multiply-add is two.
---@field f16_operations integer
---@field f32_operations integer The same in single precision.
---@field f64_operations integer The same in double precision.
---@field tensor_operations integer Multiplications and additions of products of matrices.
local Costs = {}

---What `profile:estimate` returns. Each part of the GPU has a time that it needs at least, if it is
---alone and always busy; the longest is the bound. Device memory moves every sector once, as with
---caches that are large enough. `tostring` gives all of it as text.
---@class luacuda.Estimate
---What takes longest. "latency": too few warps are resident to hide the waits, if a warp waits for
---each result. "too_large": a block needs more than a multiprocessor has.
---@field bound "memory"|"compute"|"latency"|"too_large"
---@field limits table<any, any>[] The least time of a launch for each part of the GPU.
---@field milliseconds number The longest of these.
---@field occupancy number Resident warps of those that a multiprocessor can hold.
---@field blocks_per_multiprocessor integer Blocks that a multiprocessor holds.
---What there is too little of for another block.
---@field occupancy_limit "blocks"|"warps"|"registers"|"shared"
---@field registers integer Per thread.
---@field registers_from "cubin"|"ptx"|"given" Where their number comes from.
---@field intensity number Floating-point operations per byte of device memory.
---The intensity at which the GPU's memory and its arithmetic in single precision take the same
---time: the ridge of its roofline.
---@field balance number
---@field gpu string The name of the GPU.
---@field arch string Its architecture.
---@field kernel string The name of the kernel.
local Estimate = {}

---What `cuda.tune` has found. `tostring` gives a table.
---@class luacuda.Tuning
---@field name string The name of the search.
---@field key string|boolean The option `key` as text, or false.
---@field device string The device: `"gpu0"`.
---@field best table<any, any> The parameters of the best candidate, by name.
---@field ms number Its median time in milliseconds.
---The function that `make` returned for `best`; false if the device is lost.
---@field run function|boolean
---@field rows table<any, any>[] All candidates.
---The number of points of the space. Those that `where` leaves out do not count, unless there are
---more than 100000 points.
---@field size integer
---@field cached boolean Was it taken from the disk?
---@field stopped string|boolean Why the search ended early, or false.
---@field elapsed_ms number How long the search took, by the clock.
local Tuning = {}

---Returns a table of the candidates.
---@return string
function Tuning:text() end

---Returns everything as JSON.
---@return string
function Tuning:json() end

---Returns a picture: for each parameter the times of all candidates over its values, a line through
---the best time of each value, and the winner.
---@return string
function Tuning:svg() end

---Writes the picture, the JSON or the text to a file.
---
---Raises `runtime` if the file cannot be written.
---@param path string ending in `.svg`, `.json` or `.txt`
---@return luacuda.Tuning # itself
function Tuning:save(path) end

---Recorded work.
---@class luacuda.Graph
---@field device luacuda.Device Its device.
---Its nodes in the order in which they were recorded, each a table: `index`, `kind` (`kernel`,
---`copy`, `fill`, `record`, `wait`, `condition`, ...), and for a kernel `name`, `grid`, `block`,
---`shared` and `settable`, which says whether `graph:set` can change its arguments. Kernels of
---cuBLAS have no name. For a conditional node, `condition` is `when`, `loop` or `switch`. The nodes
---of its functions follow it; their `within` is its index, and `body` the number of the function.
---The kernels named `condition` read its array.
---@field nodes table<any, any>[]
local Graph = {}

---Queues all its work as one operation. Launches of one graph follow each other, also on different
---streams.
---
---Raises `logic` while a graph is recorded.
---@param stream? luacuda.Stream default: the device's current stream
---@return luacuda.Graph # itself
function Graph:launch(stream) end

---Gives a kernel other arguments, for later launches. They are checked as in a launch. The graph
---keeps new arrays alive, and no longer those that it does not use any more. Only kernels that were
---launched by a call of a Kernel or Prepared, without parameters of a class, can be changed; other
---work is changed by `graph:update`.
---
---Raises a message as for a launch, and for a node that is not `settable`.
---@param node integer|table<any, any> an index or an entry of `nodes`
---@param ... any the arguments of the kernel
---@return luacuda.Graph # itself
function Graph:set(node, ...) end

---Records `fn(stream)` and replaces the work of the graph. That is faster than a new graph. The
---kernels and their order must be the same; arguments, grids and blocks may differ. Work under a
---condition makes it as slow as a new graph, and may differ in everything.
---
---Raises what `cuda.graph` raises, and an error where the work has other nodes or dependencies; the
---graph then stays as it was.
---@param fn function called with a Stream
---@return luacuda.Graph # itself
---@return any # all results of `fn`
function Graph:update(fn) end

---Makes a second graph of the same work and memory, whose arguments can be changed independently.
---
---Raises an error for work under a condition.
---@return luacuda.Graph
function Graph:clone() end

---Returns its nodes and dependencies in the language of Graphviz.
---@return string
function Graph:dot() end

---Releases it; launches that are queued are completed. A second call has no effect.
function Graph:close() end

---The same as `graph:close`.
function Graph:free() end

---The functions of `cuda.nccl`.
---@class luacuda.Nccl
local Nccl = {}

---Joins the processes that the launcher started; all of them have to call it. Rank and size are
---read from the variables of torchrun, Open MPI, MPICH or Slurm; without any there is one rank,
---which needs no library. Unless `LUACUDA_DEVICE` is set, the GPU of the local rank becomes the
---current device.
---
---GPUs meet at an address: that of `NCCL_COMM_ID`, else `MASTER_ADDR` and `MASTER_PORT` (under
---torchrun the port after it, as torchrun listens there itself), else in a job of Slurm the first
---node, else with Open MPI on one machine that machine. A second call returns the same communicator
---while that is open.
---
---Raises `communication` where a rank does not come, a string where the launcher and MPI count
---differently.
---@param options? luacuda.options.nccl_init
---@return luacuda.Communicator
function Nccl.init(options) end

---Makes the communicators of several GPUs of this process, without a launcher. Their operations
---wait for each other, so they belong into `cuda.nccl.group`. Graphs with operations are for one
---GPU a process: NCCL warns that launches of several may wait for each other for ever. (NCCL calls
---it `ncclCommInitAll`.)
---
---Raises `communication`, and `runtime` without NCCL.
---@param devices luacuda.Device[] GPUs, each one once
---@param options? luacuda.options.nccl_init_all
---@return luacuda.Communicator[] # one for each GPU, with ranks from 0
function Nccl.init_all(devices, options) end

---Calls `fn()`, and queues the operations of all these communicators together when it returns.
---
---Raises the errors of `fn`; then nothing is queued.
---@param comms luacuda.Communicator[] of this process
---@param fn function
---@param options? luacuda.options.nccl_group
---@return any # all results of `fn`
function Nccl.group(comms, fn, options) end

---Returns what the launcher says, without joining: `launcher` ("torchrun", "Open MPI", "MPICH",
---"Slurm" or "none"), `rank`, `size` and `local_rank`.
---@return table
function Nccl.environment() end

---Ranks that exchange the contents of arrays.
---@class luacuda.Communicator
---@field rank integer This rank, from 0.
---@field size integer The number of ranks.
---@field device luacuda.Device Where its arrays are.
---@field timeout_ms number Its time limit; 0: none.
local Communicator = {}

---Returns the elements of all ranks combined. A number gives a number, and waits.
---
---Raises `communication`, later like the fault of a kernel: when ranks call different things, a
---rank is missing after the time limit, or the connection fails.
---@param x luacuda.Array|number an array that is contiguous and on the communicator's device
---@param options? luacuda.options.communicator_all_reduce
---@return any
function Communicator:all_reduce(x, options) end

---The same with the result on the root only.
---
---Raises `communication`, later like the fault of a kernel: when ranks call different things, a
---rank is missing after the time limit, or the connection fails.
---@param x luacuda.Array|number an array that is contiguous and on the communicator's device
---@param options? luacuda.options.communicator_reduce
---@return any # nil on all ranks but the root
function Communicator:reduce(x, options) end

---Gives all ranks the elements of the root: in place, so that `x` of the others is overwritten,
---unless `out` is given. A number gives a number, and waits.
---
---Raises `communication`, later like the fault of a kernel: when ranks call different things, a
---rank is missing after the time limit, or the connection fails.
---@param x luacuda.Array|number an array that is contiguous and on the communicator's device
---@param options? luacuda.options.communicator_broadcast
---@return any
function Communicator:broadcast(x, options) end

---Returns the rows of all ranks, in the order of ranks.
---
---Raises `communication`, later like the fault of a kernel: when ranks call different things, a
---rank is missing after the time limit, or the connection fails.
---@param x luacuda.Array contiguous, on the communicator's device
---@param options? luacuda.options.communicator_all_gather
---@return luacuda.Array
function Communicator:all_gather(x, options) end

---The same with the result on the root only.
---
---Raises `communication`, later like the fault of a kernel: when ranks call different things, a
---rank is missing after the time limit, or the connection fails.
---@param x luacuda.Array contiguous, on the communicator's device
---@param options? luacuda.options.communicator_gather
---@return luacuda.Array? # nil on all ranks but the root
function Communicator:gather(x, options) end

---Divides the rows of the root's array among the ranks.
---
---Raises `communication`, later like the fault of a kernel: when ranks call different things, a
---rank is missing after the time limit, or the connection fails.
---@param x? luacuda.Array contiguous; needed on the root
---@param options? luacuda.options.communicator_scatter
---@return luacuda.Array
---@overload fun(options: luacuda.options.communicator_scatter): luacuda.Array
function Communicator:scatter(x, options) end

---Combines the elements of all ranks; each rank gets its part of the rows. The number of rows is a
---multiple of the number of ranks.
---
---Raises `communication`, later like the fault of a kernel: when ranks call different things, a
---rank is missing after the time limit, or the connection fails.
---@param x luacuda.Array contiguous, on the communicator's device
---@param options? luacuda.options.communicator_reduce_scatter
---@return luacuda.Array
function Communicator:reduce_scatter(x, options) end

---Sends each rank its part of the rows, and returns the parts from all ranks.
---
---Raises `communication`, later like the fault of a kernel: when ranks call different things, a
---rank is missing after the time limit, or the connection fails.
---@param x luacuda.Array contiguous, on the communicator's device
---@param options? luacuda.options.communicator_all_to_all
---@return luacuda.Array
function Communicator:all_to_all(x, options) end

---Sends an array, which `recv` of the other rank receives.
---
---Raises `communication`, later like the fault of a kernel: when ranks call different things, a
---rank is missing after the time limit, or the connection fails.
---@param x luacuda.Array contiguous, on the communicator's device
---@param to integer a rank
---@param options? luacuda.options.array_set
---@return luacuda.Array # `x`
function Communicator:send(x, to, options) end

---Receives into an array of the size that is sent.
---
---Raises `communication`, later like the fault of a kernel: when ranks call different things, a
---rank is missing after the time limit, or the connection fails.
---@param x luacuda.Array contiguous, on the communicator's device
---@param from integer a rank
---@param options? luacuda.options.array_set
---@return luacuda.Array # `x`
function Communicator:recv(x, from, options) end

---Calls `fn()`, and queues the operations that it calls together when it returns: a `send` and a
---`recv` among them may wait for each other. Their results have no contents before.
---
---Raises the errors of `fn`; then nothing is queued.
---@param fn function
---@param options? luacuda.options.array_set
---@return any # all results of `fn`
function Communicator:group(fn, options) end

---Waits until all ranks have called it and all earlier operations are done.
---
---Raises `communication`.
function Communicator:barrier() end

---Makes a communicator of the ranks with the same color. All ranks have to call it; waits for the
---operations queued before.
---
---Raises `communication`.
---@param color? integer from 0; nil: this rank is in no part
---@param options? luacuda.options.communicator_split
---@return luacuda.Communicator? # nil without a color
---@overload fun(options: luacuda.options.communicator_split): luacuda.Communicator?
function Communicator:split(color, options) end

---Waits for its operations and ends it. Communicators close in any order, and also when they are
---collected or leave the scope of a `<close>` variable. Graphs with operations of a closed
---communicator cannot be launched.
---
---Raises errors of operations that were queued.
function Communicator:close() end

---Raised for failures of the driver, the compiler or memory. `tostring(e)` and `..` give the
---position and the message. A launch returns before its kernel runs, so a later call, the next one
---that waits, raises the kernel's fault. An error that no call raised is written to stderr when the
---Lua state closes. With `cuda.debug{ errors = "string" }` or `LUACUDA_ERRORS=string` the text
---alone is raised.
---
---On the CPU device a fault is raised once and the device stays usable. On a GPU a fault inside a
---kernel ends CUDA for the whole process.
---@class luacuda.Error
---`compile`: the compiler or the driver refused code; `memory`: out of memory; `launch`: a kernel
---failed; `logic`: a use that cannot work (after fork, on a dead device, where `cuda.no_sync`
---forbids waiting); `runtime`: everything else.
---@field kind "compile"|"memory"|"launch"|"logic"|"communication"|"runtime"
---@field message string The message without the position.
---A stable name for programs: `"CUDA_ERROR_OUT_OF_MEMORY"`, or one of the library's own
---[names](#names-of-errors).
---@field name string?
---@field code integer? The driver's number of the error.
---@field call string? The function that failed: `"cuMemAlloc"`.
---@field device string? The device: `"gpu0"`.
---@field where string The position in the script: `"file:line: "`.
---@field traceback string The Lua stack at the error.
---@field log string? `compile`: the messages of the compiler, or of the driver for PTX.
---@field source string? `compile`: the source.
---@field flags string[]? `compile`: the compiler's flags.
---CPU device: what the kernel did: `"out of bounds"`, `"null pointer"`, `"misaligned"`, `"use after
---free"`, `"invalid free"`, `"race"`, `"deadlock"` and so on, as the message begins. The fields
---below describe it.
---@field fault string?
---@field kernel string? The kernel at fault.
---The position in the script of the call that launched a kernel of the library or a builder.
---@field called_at string?
---@field file string? The kernel's source file.
---@field line integer? The line of the access.
---@field block integer[]? `blockIdx` of the thread.
---@field thread integer[]? `threadIdx` of the thread.
---@field array string? The array that was accessed or missed: `"float32 {1000}"`.
---@field address integer? The address.
---CPU device: all that is known about the fault, as data: `fault`, `kernel`, `called_at`, `file`,
---`line`, `block`, `thread` and `address` as above; `access` (`"read"`, `"write"` or `"atomic"`),
---its `bytes` and `space` (`"global"`, `"shared"` and so on); `variable`, the name of the variable
---of the module or in shared memory; `array`, the memory that was accessed or missed: `{ label,
---address, bytes, offset, made_at }`, where `offset` is that of the access from its start and
---`made_at` the position in the script that made it, also of an array that is gone, known with
---`LUACUDA_CPU_CHECK=all` or `cuda.debug{ allocations = true }`; `callers`, the calls of device
---functions that lead to the line, inlined ones too, the innermost first: `{ file, line }`; for
---races and constants `other`, the access that came before: `{ access, file, line, block, thread
---}`, where `access` is also `"copy"` (asynchronous, not waited for) or `"init"` (of a barrier
---object). For barriers `other` is a thread that waits at another place, and its `access` is
---`"barrier"`; for overflow it is the arithmetic of the thread itself, and its `access` is `"sum"`,
---`"product"` or `"shift"`. For deadlocks and livelocks `waiting` lists which threads of which
---blocks hang where, eight entries at most: `{ block, threads, count, state, file, line }`, where
---`threads` is text like `"0-31, 64"`, and `state` like `"wait at barrier 1"`, `"loop"` or
---`"ended"`.
---@field report table<any, any>?
local Error = {}

---`local cuda = require "luacuda"` makes no CUDA call and needs no GPU, driver or toolkit. The
---following holds for every function.
---
---- **Calls.** In `cuda.zeros(shape [, dtype] [, { device =, out = }])` brackets mark what may be
---  left out. Options are the fields of one table, the last argument; it may follow immediately
---  where optional parameters are left out: `cuda.zeros(3, { device = "cpu" })`.
---
---- **Types.** `Array` and other names with a capital are the classes below, `Dtype` is the name of
---  an element type or a [Struct](#struct), `integer[]` is a list, and `string?` may be nil.
---
---- **Shapes and axes.** A shape is an integer or a list of integers. Indices and axes start at 1;
---  negative ones count from the end.
---
---- **Units.** Sizes, offsets and strides are in bytes unless the entry counts elements; times are
---  in milliseconds.
---
---- **Waiting.** Work is queued on a stream and the call returns. A call that returns array
---  elements as a Lua number, boolean, string or table waits for the work on that array. Unless the
---  array is in host memory, it also waits for the work queued so far on the current stream.
---
---- **Errors.** A wrong argument (type, range, unknown option, closed object, too few or too many)
---  raises a string with the position of the call, before anything is launched. A failure of the
---  driver, the compiler or memory raises an [Error](#error), whose kind the entries name:
---  `compile`, `memory`, `launch`, `logic` or `runtime`. Entries list only what this does not
---  cover. A call that waits also raises the `launch` errors of the work it waits for.
---@class luacuda
---@field VERSION string The version of the library.
---The functions below, which draw from the default generator. It is made with a random seed when it
---is first needed.
---@field random luacuda.Random
---@field null luacuda.Pointer The null pointer as an argument.
---@field cache luacuda.Cache The disk cache of compiled code.
---The names of the kernel's language as fields, for scripts that prefer not to use globals: `local
---gpu = cuda.gpu` and, in the kernel, `gpu.syncthreads()`. Outside of kernels they raise.
---@field gpu luacuda.Gpu
---@field profiler luacuda.Profiler Control of an attached profiler.
---@field nccl luacuda.Nccl Communicators.
local cuda = {}

---Returns whether a GPU can be used. Never raises.
---@return boolean
---@return string? # why no GPU can be used
function cuda.available() end

---Returns the version of the library and of each library it found. `tostring` makes one line of
---them.
---@return table # `luacuda` (string); `driver`, `nvrtc`, `cublas`, `nccl` and `mpi` ({ major, minor }) if found
function cuda.versions() end

---Reports versions, devices and every path tried for the driver and the compiler, and says when
---NVRTC and the headers are of different versions. In a child process forked after CUDA was used,
---it lists what still works there.
---@return string # several lines
function cuda.diagnose() end

---Sets debugging aids. Options that are left out keep their values. `sync`, `launch` and `api` hold
---for the whole process; `LUACUDA_DEBUG` turns them on from the start.
---
---With `true`, lines go to stderr. A function gets the lines of its own Lua state instead, as
---`fn(line)`, where `line` has neither `luacuda: ` before it nor a line break after it. The
---function runs on the thread of the Lua state, at the end of a launch or operator, where Lua
---waits, in `cuda.poll` and in `cuda.debug`. While `cuda.graph` records, lines wait for its end. An
---error in the function is raised by the call that ran it, and the lines after it come with the
---next one. What the function itself launches gives it no lines. Lines that wait when the Lua state
---closes are dropped.
---@param options luacuda.options.debug
---@return table # the settings before the call, to be passed to `cuda.debug` again
function cuda.debug(options) end

---Lists the live arrays of this Lua state that were made since `cuda.debug{ allocations = true }`.
---Views and other handles of the same memory are one row. An array that nothing refers to counts
---until it is collected.
---
---Raises a string before `cuda.debug{ allocations = true }`.
---@return table[] # the largest first: `bytes`, `dtype`, `shape`, `device` (`"gpu0"`), `memory` (as `array.memory`) and `where`, the file and line that made the array
function cuda.allocations() end

---Returns the class of a value in lower case, as `io.type` does for files.
---@param value any
---@return string? # `"array"`, `"stream"`, `"closed array"` and so on; nil for values that do not belong to LuaCUDA
function cuda.type(value) end

---Returns an entry of this reference as text.
---
---Raises a string if there is no such entry, with similar names; for a name of CuPy, PyCUDA or
---Numba, with what to use instead.
---@param name? any a name (`"zeros"`, `"Array.slice"`) or an object (default the module)
---@return string
function cuda.help(name) end

---Returns whether LuaCUDA has a name: whether `cuda.name` can be read, or a class has the field or
---method. It returns false for names of other libraries, such as `"linalg.solve"`; reading such a
---name raises an error that says what to use. It never loads a kernel or opens a device.
---@param name string `"matmul"`, `"random.uniform"`, `"Array.slice"`
---@return boolean
function cuda.has(name) end

---Lists all devices.
---
---Raises `logic` in a child process forked after CUDA was used.
---@return luacuda.Device[] # GPUs by ordinal, then the CPU device
function cuda.devices() end

---Returns a device. Until `cuda.use` or `device:use` selects another, the current device is the one
---that `LUACUDA_DEVICE` names, else GPU 0, else the CPU device.
---
---Raises `runtime` if there is no such device.
---@param selector? integer|string|luacuda.Device an ordinal (also as a string), `"cpu"`, `"gpu"` (the first GPU), `"gpu0"` or a PCI bus id (default the current device)
---@return luacuda.Device
function cuda.device(selector) end

---Makes a device the current one of this Lua state.
---
---Raises `runtime` if there is no such device.
---@param selector integer|string|luacuda.Device as in `cuda.device`
---@return luacuda.Device # the device that was current before
function cuda.use(selector) end

---Waits for all work of a device.
---
---Raises `launch`, and any other error of queued work.
---@param device? luacuda.Device|integer|string default: the current device
function cuda.synchronize(device) end

---Returns the free and the total memory of a device.
---@param device? luacuda.Device|integer|string default: the current device
---@return integer # free bytes
---@return integer # total bytes
function cuda.mem_info(device) end

---Makes a stream.
---@param options? luacuda.options.stream
---@return luacuda.Stream
function cuda.stream(options) end

---Makes an event.
---@param options? luacuda.options.event
---@return luacuda.Event
function cuda.event(options) end

---Calls `fn(...)` with the stream as the current one of its device and restores the stream that was
---current before, also after an error. `fn` cannot yield.
---
---Raises the errors of `fn`.
---@param stream luacuda.Stream current during the call
---@param fn function
---@param ... any arguments of `fn`
---@return any # all results of `fn`
function cuda.with_stream(stream, fn, ...) end

---Calls `fn(...)` and forbids waiting during the call, to find hidden waits.
---
---Raises `logic` from any call inside `fn` that would wait for a device.
---@param fn function
---@param ... any arguments of `fn`
---@return any # all results of `fn`
function cuda.no_sync(fn, ...) end

---True or false; in an array, every nonzero byte is true.
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.bool(value) end

---An integer of 8 bits.
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.int8(value) end

---An integer of 16 bits.
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.int16(value) end

---An integer of 32 bits.
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.int32(value) end

---An integer of 64 bits.
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.int64(value) end

---An unsigned integer of 8 bits.
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.uint8(value) end

---An unsigned integer of 16 bits.
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.uint16(value) end

---An unsigned integer of 32 bits.
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.uint32(value) end

---An unsigned integer of 64 bits; any Lua integer is accepted and gives its bits.
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.uint64(value) end

---Half precision (IEEE 754 binary16).
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.float16(value) end

---The upper 16 bits of a float32.
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.bfloat16(value) end

---Single precision.
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.float32(value) end

---Double precision.
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.float64(value) end

---Two float32.
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.complex64(value) end

---Two float64.
---
---A typed scalar has a dtype where a Lua number has none: it takes part in promotion as an array
---does, and as a kernel's argument it must have the parameter's type.
---
---Raises a string if the dtype cannot hold the value.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar
---@return luacuda.Scalar
function cuda.complex128(value) end

---Makes a complex number.
---@param re number
---@param im? number default: 0
---@return luacuda.Complex
function cuda.complex(re, im) end

---Declares a struct type with the layout of C. Types are dtypes, C's names and structs; extents (an
---integer or a list) make the field an array.
---
---Raises a string that names the field whose type is unknown.
---@param name string the type's name in kernels
---@param fields table<any, any> in the order of C: { name, type [, extents] } each
---@return luacuda.Struct
---@overload fun(fields: table<any, any>): luacuda.Struct
function cuda.struct(name, fields) end

---Lists the element types.
---@return table[] # a table for each element type: `name`, `short`, `kind`, `size` and `align` (bytes), `cuda` (its C++ name), `header`, `pack` (for string.pack), `ptx`
function cuda.dtypes() end

---Makes an array from data.
---
---Raises a string if the tables are ragged; a string if the dtype cannot hold a value; `memory` if
---the allocation fails.
---@param data table<any, any>|string|luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar|luacuda.Record nested tables, bytes (which need a dtype), an array or one value
---@param dtype? luacuda.Dtype default: that of `out`, an array or a scalar; bool for booleans; else float32
---@param options? luacuda.options.array
---@return luacuda.Array
---@overload fun(data: table<any, any>|string|luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar|luacuda.Record, options: luacuda.options.array): luacuda.Array
function cuda.array(data, dtype, options) end

---Makes an array with undefined contents.
---
---Raises `memory` if the allocation fails.
---@param shape integer|integer[] elements per axis
---@param dtype? luacuda.Dtype element type (default that of `out`, else float32)
---@param options? luacuda.options.empty
---@return luacuda.Array
---@overload fun(shape: integer|integer[], options: luacuda.options.empty): luacuda.Array
function cuda.empty(shape, dtype, options) end

---Makes an array of zeros.
---
---Raises `memory` if the allocation fails.
---@param shape integer|integer[] elements per axis
---@param dtype? luacuda.Dtype element type (default that of `out`, else float32)
---@param options? luacuda.options.zeros
---@return luacuda.Array
---@overload fun(shape: integer|integer[], options: luacuda.options.zeros): luacuda.Array
function cuda.zeros(shape, dtype, options) end

---Makes an array of ones.
---
---Raises `memory` if the allocation fails.
---@param shape integer|integer[] elements per axis
---@param dtype? luacuda.Dtype element type (default that of `out`, else float32)
---@param options? luacuda.options.zeros
---@return luacuda.Array
---@overload fun(shape: integer|integer[], options: luacuda.options.zeros): luacuda.Array
function cuda.ones(shape, dtype, options) end

---Makes an array filled with one value.
---
---Raises a string if the dtype cannot hold a value; `memory` if the allocation fails.
---@param shape integer|integer[] elements per axis
---@param value number|boolean|luacuda.Complex|luacuda.Scalar|table<any, any>|luacuda.Record a table for a struct
---@param dtype? luacuda.Dtype element type (default that of `out`, else a scalar's own, bool for a boolean, complex64 for a complex number, float32)
---@param options? luacuda.options.zeros
---@return luacuda.Array
---@overload fun(shape: integer|integer[], value: number|boolean|luacuda.Complex|luacuda.Scalar|table<any, any>|luacuda.Record, options: luacuda.options.zeros): luacuda.Array
function cuda.full(shape, value, dtype, options) end

---Like `cuda.empty`, with the shape and the dtype of `a`.
---
---Raises `memory` if the allocation fails.
---@param a luacuda.Array
---@param dtype? luacuda.Dtype element type (default that of `a`)
---@param options? luacuda.options.empty_like
---@return luacuda.Array
---@overload fun(a: luacuda.Array, options: luacuda.options.empty_like): luacuda.Array
function cuda.empty_like(a, dtype, options) end

---Like `cuda.zeros`, with the shape and the dtype of `a`.
---
---Raises `memory` if the allocation fails.
---@param a luacuda.Array
---@param dtype? luacuda.Dtype element type (default that of `a`)
---@param options? luacuda.options.empty_like
---@return luacuda.Array
---@overload fun(a: luacuda.Array, options: luacuda.options.empty_like): luacuda.Array
function cuda.zeros_like(a, dtype, options) end

---Like `cuda.ones`, with the shape and the dtype of `a`.
---
---Raises `memory` if the allocation fails.
---@param a luacuda.Array
---@param dtype? luacuda.Dtype element type (default that of `a`)
---@param options? luacuda.options.empty_like
---@return luacuda.Array
---@overload fun(a: luacuda.Array, options: luacuda.options.empty_like): luacuda.Array
function cuda.ones_like(a, dtype, options) end

---Like `cuda.full`, with the shape and the dtype of `a`.
---
---Raises a string if the dtype cannot hold a value; `memory` if the allocation fails.
---@param a luacuda.Array
---@param value number|boolean|luacuda.Complex|luacuda.Scalar|table<any, any>|luacuda.Record a table for a struct
---@param dtype? luacuda.Dtype element type (default that of `a`)
---@param options? luacuda.options.empty_like
---@return luacuda.Array
---@overload fun(a: luacuda.Array, value: number|boolean|luacuda.Complex|luacuda.Scalar|table<any, any>|luacuda.Record, options: luacuda.options.empty_like): luacuda.Array
function cuda.full_like(a, value, dtype, options) end

---Makes an array of the numbers `first`, `first + step` and so on that lie before `stop`. Without
---`first` it starts at 0. Their number is `(stop - first) / step`, rounded up, as in NumPy: where
---steps have a fraction, rounding may add an element at `stop`; use `linspace` for a fixed number
---of elements.
---
---Raises a string if the dtype cannot hold a value; `memory` if the allocation fails.
---@param first number
---@param stop number excluded
---@param step? number not 0 (default 1)
---@param dtype? luacuda.Dtype element type (default int64 if all numbers are integers, else float32)
---@param options? luacuda.options.zeros
---@return luacuda.Array # of one axis
---@overload fun(first: number, stop: number, options: luacuda.options.zeros): luacuda.Array
---@overload fun(first: number, stop: number, step: number, options: luacuda.options.zeros): luacuda.Array
---@overload fun(stop: number, dtype?: luacuda.Dtype): luacuda.Array
---@overload fun(stop: number, options: luacuda.options.zeros): luacuda.Array
---@overload fun(stop: number, dtype: luacuda.Dtype, options: luacuda.options.zeros): luacuda.Array
---@overload fun(first: number, stop: number, dtype?: luacuda.Dtype): luacuda.Array
---@overload fun(first: number, stop: number, options: luacuda.options.zeros): luacuda.Array
---@overload fun(first: number, stop: number, dtype: luacuda.Dtype, options: luacuda.options.zeros): luacuda.Array
function cuda.arange(first, stop, step, dtype, options) end

---Makes an array of `n` numbers at equal distances, `first + i * (last - first) / (n - 1)` for i
---from 0; without `last` the divisor is `n`. They are computed in float64; for integer dtypes they
---are rounded down, as in NumPy.
---
---Raises a string if the dtype cannot hold a value; `memory` if the allocation fails.
---@param first number
---@param last number
---@param n? integer number of elements (default 50)
---@param dtype? luacuda.Dtype element type (default that of `out`, else float32)
---@param options? luacuda.options.linspace
---@return luacuda.Array # of one axis
---@overload fun(first: number, last: number, options: luacuda.options.linspace): luacuda.Array
---@overload fun(first: number, last: number, n: integer, options: luacuda.options.linspace): luacuda.Array
function cuda.linspace(first, last, n, dtype, options) end

---Makes an array of the powers `base ^ x` of the numbers x that `linspace` gives. They are computed
---in float64; for integer dtypes the digits after the point are dropped, as in NumPy.
---
---Raises a string if the dtype cannot hold a value; `memory` if the allocation fails.
---@param first number
---@param last number
---@param n? integer number of elements (default 50)
---@param dtype? luacuda.Dtype element type (default that of `out`, else float32)
---@param options? luacuda.options.logspace
---@return luacuda.Array # of one axis
---@overload fun(first: number, last: number, options: luacuda.options.logspace): luacuda.Array
---@overload fun(first: number, last: number, n: integer, options: luacuda.options.logspace): luacuda.Array
function cuda.logspace(first, last, n, dtype, options) end

---Makes a matrix of ones on a diagonal and zeros elsewhere.
---
---Raises `memory` if the allocation fails.
---@param n integer rows
---@param dtype? luacuda.Dtype element type (default that of `out`, else float32)
---@param options? luacuda.options.eye
---@return luacuda.Array # of shape {n, columns}
---@overload fun(n: integer, options: luacuda.options.eye): luacuda.Array
function cuda.eye(n, dtype, options) end

---Reads a NumPy file (.npy).
---
---Raises `runtime` if the file cannot be read, a string if its contents cannot.
---@param path string
---@param options? luacuda.options.load_npy
---@return luacuda.Array
function cuda.load_npy(path, options) end

---Reads a NumPy archive (.npz) as `numpy.savez` and `numpy.savez_compressed` write it.
---
---Raises a string for members that are damaged (CRC-32), that are not arrays, or that hold more
---than 64 KB beyond the array that their header describes; `runtime` if the file cannot be read, a
---string if its contents cannot; `runtime` for compressed data where there is no zlib
---(`LUACUDA_LIBZ`).
---@param path string
---@param options? luacuda.options.load_npz
---@return table # name to Array
function cuda.load_npz(path, options) end

---Writes a NumPy archive (.npz) without compression. Equal arrays give equal files. An existing
---file is replaced when the new one is complete.
---
---Raises a string for bfloat16 and structs; `runtime` if the file cannot be written.
---@param path string
---@param arrays table<any, any> name to Array
function cuda.save_npz(path, arrays) end

---Reads a text file of numbers (CSV, RFC 4180). Fields may be in quotes, and have blanks around
---them. Rows must have equally many fields. Empty lines are skipped. Columns that are not read may
---hold any text. Numbers are decimal, with a point in any locale, and give the nearest float64,
---which is then rounded to the dtype; integer dtypes take integers without a point. A number
---outside the dtype's range (`1e400` for every dtype) is an error, and so is a missing value for an
---integer dtype.
---
---As in [array](#cudaarray), the default float32 refuses an integer that it cannot hold exactly,
---such as `123456789` or `123456789.00`: give `dtype = "int64"` or `"float64"`. It rounds all other
---numbers, including those with an exponent, to the nearest float32. A float dtype that you give
---rounds every number.
---
---Raises `runtime` if the file cannot be read, a string if its contents cannot: with the number of
---the line and of the field, and the delimiter that the text seems to have.
---@param path string
---@param options? luacuda.options.load_csv
---@return luacuda.Array # of shape {rows, columns}
---@return string[]? # the names of these columns; nil if the file has none
function cuda.load_csv(path, options) end

---Writes a text file of numbers (CSV, RFC 4180). Each number has as many digits as it takes to read
---the same element back. false and true become 0 and 1. An existing file is replaced when the new
---one is complete.
---
---Raises a string for other shapes, complex numbers and structs; `runtime` if the file cannot be
---written.
---@param array luacuda.Array of 1 axis (a column) or 2 (rows and columns)
---@param path string
---@param options? luacuda.options.array_save_csv
---@return luacuda.Array # itself
function cuda.save_csv(array, path, options) end

---Reads a PNG picture (ISO/IEC 15948). The shape is {height, width} for gray pictures, else
---{height, width, channels}: 2 are gray and alpha, 3 red, green and blue, 4 these and alpha. Gray
---levels of 1, 2 or 4 bits become 0 to 255. Colors of a palette become red, green and blue, and a
---transparent color becomes an alpha channel. Interlaced pictures are read as well. Levels are as
---in the file: gamma and color profiles are not applied.
---
---Raises `runtime` if the file cannot be read, a string if its contents cannot (damaged or cut off,
---or colors that its palette lacks); `runtime` for compressed data where there is no zlib
---(`LUACUDA_LIBZ`).
---@param path string
---@param options? luacuda.options.load_npy
---@return luacuda.Array # of uint8, or of uint16 where the file has 16 bits a sample
function cuda.load_png(path, options) end

---Writes a PNG picture, which is compressed if there is zlib. uint8 and uint16 are written as they
---are, with 8 or 16 bits a sample. false and true become 0 and 255. Floats become 8 bits: 0 is 0, 1
---is 255, values outside are cut off, NaN is 0, and values between are rounded to the nearest
---level. An existing file is replaced when the new one is complete.
---
---Raises a string for other shapes and dtypes; `runtime` if the file cannot be written.
---@param array luacuda.Array of shape {height, width} or {height, width, channels}: 1 is gray, 2 gray and alpha, 3 red, green and blue, 4 these and alpha
---@param path string
---@return luacuda.Array # itself
function cuda.save_png(array, path) end

---Reverses the order of the elements along axes.
---@param a luacuda.Array
---@param options? luacuda.options.array_flip
---@return luacuda.Array # a view
function cuda.flip(a, options) end

---Rotates in a plane, from its first axis towards its second.
---
---Raises a string if the array has fewer than two axes.
---@param a luacuda.Array
---@param k? integer quarter turns; negative ones turn back (default 1)
---@param options? luacuda.options.array_rot90
---@return luacuda.Array # a view
---@overload fun(a: luacuda.Array, options: luacuda.options.array_rot90): luacuda.Array
function cuda.rot90(a, k, options) end

---Drops axes of one element.
---
---Raises a string if an axis does not have one element.
---@param a luacuda.Array
---@param options? luacuda.options.array_squeeze
---@return luacuda.Array # a view
function cuda.squeeze(a, options) end

---Adds axes of one element.
---@param a luacuda.Array
---@param axis integer|integer[] where the new axes are in the result
---@param options? luacuda.options.array_expand_dims
---@return luacuda.Array # a view
function cuda.expand_dims(a, axis, options) end

---Returns the elements, in C order, as one axis. `reshape(-1)` raises instead of copying.
---@param a luacuda.Array
---@param options? luacuda.options.array_set
---@return luacuda.Array # a view if the array is contiguous, else a copy
function cuda.ravel(a, options) end

---Returns a copy of the elements, in C order, as one axis.
---@param a luacuda.Array
---@param options? luacuda.options.array_set
---@return luacuda.Array # a copy
function cuda.flatten(a, options) end

---Exchanges two axes.
---@param a luacuda.Array
---@param axis1 integer
---@param axis2 integer
---@return luacuda.Array # a view
function cuda.swapaxes(a, axis1, axis2) end

---Moves axes to other places; the others keep their order.
---@param a luacuda.Array
---@param source integer|integer[] the axes to move
---@param destination integer|integer[] where each of them is in the result
---@return luacuda.Array # a view
function cuda.moveaxis(a, source, destination) end

---Cuts an array into parts along an axis. A list of indices has the first index of each part after
---the first: `a:split { 3, 5 }` gives the elements 1 to 2, 3 to 4 and 5 to the last one. Negative
---indices count from the end, and those past the end give empty parts.
---
---Raises a string if a number of parts does not divide the axis.
---@param a luacuda.Array
---@param parts integer|integer[] number of parts, or the index that begins each part after the first
---@param options? luacuda.options.array_split
---@return luacuda.Array[] # views
function cuda.split(a, parts, options) end

---Like [cuda.split](#cudasplit), but a number of parts need not divide the axis: the first parts
---have one element more than the others.
---@param a luacuda.Array
---@param parts integer|integer[] number of parts, or the index that begins each part after the first
---@param options? luacuda.options.array_split
---@return luacuda.Array[] # views
function cuda.array_split(a, parts, options) end

---Divides an array among devices as `array_split` does. Each part is copied by the stream of its
---device, after earlier work on `a` and before later work on the part. With streams of their own
---the copies overlap with kernels that use other arrays.
---
---Raises `memory`.
---@param a luacuda.Array
---@param devices luacuda.Device[] one for each part
---@param options? luacuda.options.array_split_to
---@return luacuda.Array[] # a new one on each device
function cuda.split_to(a, devices, options) end

---Moves elements along axes; those that leave at one end come in at the other. With several axes
---each has its own shift, or all have the same. An axis named twice moves by the sum.
---@param a luacuda.Array
---@param shift integer|integer[] places that elements move towards the end
---@param options? luacuda.options.array_roll
---@return luacuda.Array # of the shape of `a`
function cuda.roll(a, shift, options) end

---Repeats an array as a whole. The shorter of `a.shape` and `reps` is extended with ones in front.
---@param a luacuda.Array
---@param reps integer|integer[] copies along each axis
---@param options? luacuda.options.array_tile
---@return luacuda.Array
function cuda.tile(a, reps, options) end

---Repeats each element; NumPy's `repeat`, which is a keyword of Lua. If the numbers are an array,
---the call waits for their sum.
---
---Raises a string for negative numbers.
---@param a luacuda.Array
---@param repeats integer|integer[]|luacuda.Array how often: for all elements, or integers for each one along the axis
---@param options? luacuda.options.array_rep
---@return luacuda.Array
function cuda.rep(a, repeats, options) end

---Adds elements before and after those of each axis.
---
---- `"constant"`: a value. At corners it is that of the last axis.
---
---- `"edge"`: the nearest element.
---
---- `"reflect"`: the elements in reverse, without the one at the edge: 3 2 | 1 2 3 | 2 1.
---
---- `"symmetric"`: the elements in reverse: 2 1 | 1 2 3 | 3 2.
---
---- `"wrap"`: the elements from the other end: 2 3 | 1 2 3 | 1 2.
---
---All modes but `"constant"` repeat the array as often as the width needs, in one launch.
---
---Raises a string for an empty axis that is to be extended by a mode other than constant.
---@param a luacuda.Array
---@param pad_width integer|table<any, any> elements to add: on all sides; as {before, after} for all axes; or as {{before, after}, ...} for each axis
---@param mode? "constant"|"edge"|"reflect"|"symmetric"|"wrap" what they are (default "constant")
---@param options? luacuda.options.array_pad
---@return luacuda.Array
---@overload fun(a: luacuda.Array, pad_width: integer|table<any, any>, options: luacuda.options.array_pad): luacuda.Array
function cuda.pad(a, pad_width, mode, options) end

---Returns the elements of a diagonal. In the result one axis, the last, takes the place of the two.
---
---Raises a string if the array has fewer than two axes.
---@param a luacuda.Array
---@param offset? integer of the diagonal; above 0 to the right of the main one (default 0)
---@param options? luacuda.options.array_diagonal
---@return luacuda.Array # a view
---@overload fun(a: luacuda.Array, options: luacuda.options.array_diagonal): luacuda.Array
function cuda.diagonal(a, offset, options) end

---Returns a diagonal of a matrix, or a matrix of zeros with a vector on a diagonal.
---
---Raises a string if the array does not have one or two axes.
---@param a luacuda.Array
---@param k? integer the diagonal; above 0 to the right of the main one (default 0)
---@param options? luacuda.options.array_diag
---@return luacuda.Array # of a matrix a view of its diagonal
---@overload fun(a: luacuda.Array, options: luacuda.options.array_diag): luacuda.Array
function cuda.diag(a, k, options) end

---Returns the elements on and below a diagonal of each matrix (the last two axes), and 0 above it.
---A vector is the rows of a matrix.
---
---Raises a string for structs and for arrays without axes.
---@param a luacuda.Array
---@param k? integer the diagonal; above 0 to the right of the main one (default 0)
---@param options? luacuda.options.array_tril
---@return luacuda.Array
---@overload fun(a: luacuda.Array, options: luacuda.options.array_tril): luacuda.Array
function cuda.tril(a, k, options) end

---Likewise the elements on and above a diagonal, and 0 below it.
---
---Raises a string for structs and for arrays without axes.
---@param a luacuda.Array
---@param k? integer the diagonal; above 0 to the right of the main one (default 0)
---@param options? luacuda.options.array_tril
---@return luacuda.Array
---@overload fun(a: luacuda.Array, options: luacuda.options.array_tril): luacuda.Array
function cuda.triu(a, k, options) end

---Returns the difference of each element and the one before along an axis; for booleans whether
---they differ. Integers wrap around. A Lua number takes the dtype of the array, or the next that
---holds numbers of its kind.
---
---Raises a string for arrays without axes and of structs.
---@param a luacuda.Array
---@param n? integer how often (default 1)
---@param options? luacuda.options.array_diff
---@return luacuda.Array # with `n` elements less along the axis; `a` itself if `n` is 0
---@overload fun(a: luacuda.Array, options: luacuda.options.array_diff): luacuda.Array
function cuda.diff(a, n, options) end

---Returns the coordinates of all points of a grid. The options are
---
---- `indexing`: `"xy"` (the default), with which the first array goes along the second axis and the
---  second along the first, or `"ij"`;
---
---- `sparse` (false): arrays of one element along all other axes;
---
---- `copy` (true): false gives views that repeat the elements, where that is possible;
---
---- `stream`: stream of the work.
---@param ... luacuda.Array|table<any, any> the coordinates along each axis, in C order; after them a table of options may follow
---@return luacuda.Array ... # one for each array
function cuda.meshgrid(...) end

---Returns the indices, from 1, of all elements of an array: `r[d]` has those of axis d.
---@param dimensions integer|integer[] the shape of the grid
---@param dtype? luacuda.Dtype element type (default int64)
---@param options? luacuda.options.indices
---@return luacuda.Array # of shape {number of axes, dimensions...}
---@return luacuda.Array ... # with `sparse`
---@overload fun(dimensions: integer|integer[], options: luacuda.options.indices): luacuda.Array, ...: luacuda.Array
function cuda.indices(dimensions, dtype, options) end

---Allocates page-locked host memory. Copies between it and a GPU run at full speed beside kernels.
---
---Raises `memory` if the allocation fails.
---@param shape integer|integer[] elements per axis
---@param dtype? luacuda.Dtype element type (default float32)
---@param options? luacuda.options.pinned
---@return luacuda.Array # on the CPU device
---@overload fun(shape: integer|integer[], options: luacuda.options.pinned): luacuda.Array
function cuda.pinned(shape, dtype, options) end

---Allocates memory that the GPU and the host can both access.
---
---Raises `memory` if the allocation fails.
---@param shape integer|integer[] elements per axis
---@param dtype? luacuda.Dtype element type (default float32)
---@param options? luacuda.options.managed
---@return luacuda.Array # on the CPU device
---@overload fun(shape: integer|integer[], options: luacuda.options.managed): luacuda.Array
function cuda.managed(shape, dtype, options) end

---Allocates plain host memory.
---
---Raises `memory` if the allocation fails.
---@param shape integer|integer[] elements per axis
---@param dtype? luacuda.Dtype element type (default float32)
---@param options? luacuda.options.host
---@return luacuda.Array # on the CPU device
---@overload fun(shape: integer|integer[], options: luacuda.options.host): luacuda.Array
function cuda.host(shape, dtype, options) end

---As `cuda.pinned`, with the shape of an array.
---
---Raises `memory` if the allocation fails.
---@param a luacuda.Array
---@param dtype? luacuda.Dtype default: that of a
---@param options? luacuda.options.pinned
---@return luacuda.Array # on the CPU device
---@overload fun(a: luacuda.Array, options: luacuda.options.pinned): luacuda.Array
function cuda.pinned_like(a, dtype, options) end

---As `cuda.managed`, with the shape of an array.
---
---Raises `memory` if the allocation fails.
---@param a luacuda.Array
---@param dtype? luacuda.Dtype default: that of a
---@param options? luacuda.options.managed
---@return luacuda.Array # on the CPU device
---@overload fun(a: luacuda.Array, options: luacuda.options.managed): luacuda.Array
function cuda.managed_like(a, dtype, options) end

---As `cuda.host`, with the shape of an array.
---
---Raises `memory` if the allocation fails.
---@param a luacuda.Array
---@param dtype? luacuda.Dtype default: that of a
---@param options? luacuda.options.host
---@return luacuda.Array # on the CPU device
---@overload fun(a: luacuda.Array, options: luacuda.options.host): luacuda.Array
function cuda.host_like(a, dtype, options) end

---Asks the driver what an address is. On the CPU device, memory of `cuda.host` is pinned.
---@param address integer|luacuda.Pointer|luacuda.Array
---@return table? # `memory` ("device", "pinned", "registered", "managed", "array"), `device`, `address`, `base` and `size` of the allocation, `offset` from its base, and the booleans `managed`, `host` (the host can use the address), `read_only`, `pooled`; nil for an address that is no memory of a device in use
function cuda.pointer_info(address) end

---Page-locks memory for as long as the new array lives, for all GPUs. The array that is passed in
---stays valid. Each of the two arrays waits only for work on itself: read through the one that was
---used last, or synchronize first.
---
---Raises a string if the memory is registered already.
---@param a luacuda.Array contiguous host memory that is not page-locked: of `cuda.host`, of the CPU device, or of other code (`cuda.wrap` with `memory = "host"`)
---@param options? luacuda.options.register
---@return luacuda.Array # on the CPU device, over the same memory
function cuda.register(a, options) end

---Makes an array over memory that other code allocated. Memory of a device must be known to its
---driver. Otherwise the address is not checked: it must be valid for the whole shape and as long as
---the array lives.
---
---An object of another library can describe its memory itself. Its metamethod `__cuda`, or field
---`__cuda` if it is a table, is a function of the object that returns a table: the options above
---and `pointer`, `shape` and `dtype`. Such an object is accepted in place of an array: by kernels
---and kernel builders, operators, reductions, and the other functions, also as option `out` and in
---lists of arrays. `cuda.array` copies it. To index with it, or for views, textures and
---`cuda.register`, wrap it first. It lives as long as the array. Every use makes a new array; to
---have work on several streams ordered, wrap the object once.
---@param address integer|luacuda.Pointer|lightuserdata of the first element
---@param shape integer|integer[] elements per axis
---@param dtype? luacuda.Dtype element type (default float32)
---@param options? luacuda.options.wrap
---@return luacuda.Array
---@overload fun(address: integer|luacuda.Pointer|lightuserdata, shape: integer|integer[], options: luacuda.options.wrap): luacuda.Array
---@overload fun(object: any): luacuda.Array
---@overload fun(object: any, options: luacuda.options.wrap): luacuda.Array
function cuda.wrap(address, shape, dtype, options) end

---Allocates bytes with undefined contents. A kernel takes them for a pointer parameter of any type.
---
---Raises `memory` if the allocation fails.
---@param bytes integer
---@param options? luacuda.options.alloc
---@return luacuda.Array # uint8 of one axis
function cuda.alloc(bytes, options) end

---Allocates a matrix of bytes whose rows are aligned for the device. A kernel takes it for a
---pointer parameter of any type, and needs the pitch as another argument.
---
---Raises `memory` if the allocation fails.
---@param options luacuda.options.alloc_pitch
---@return luacuda.Array # uint8 of shape {height, width}
---@return integer # pitch: bytes from row to row
function cuda.alloc_pitch(options) end

---Copies all elements between arrays of the same dtype and size, on any devices. A string has the
---bytes of the elements in C order. `dst:set(src)` also converts. A CUDA array has the shape of its
---texels, and its channels as last axis if there are several.
---
---Raises a string if the dtypes, the sizes or, for views with gaps or in another order, the shapes
---differ.
---@param dst luacuda.Array|luacuda.CuArray
---@param src luacuda.Array|luacuda.CuArray|string
---@param options? luacuda.options.array_set
---@return luacuda.Array|luacuda.CuArray # dst
function cuda.copy(dst, src, options) end

---Copies a rectangle of bytes. Without `width` and `height` it is what the CUDA array has from x
---and y on.
---@param options luacuda.options.copy2d
function cuda.copy2d(options) end

---Copies a box of bytes between any memory: of one device, of several, of the host, and of CUDA
---arrays, where x counts bytes as well. Pitches and heights of memory are those of the array if it
---has rows and slices without gaps.
---@param options luacuda.options.copy3d
function cuda.copy3d(options) end

---Fills memory with a word.
---@param a luacuda.Array
---@param value integer
---@param count? integer words (default as many as there are after `offset`)
---@param options? luacuda.options.memset
---@return luacuda.Array # a
---@overload fun(a: luacuda.Array, value: integer, options: luacuda.options.memset): luacuda.Array
function cuda.memset(a, value, count, options) end

---Fills a rectangle with a word.
---@param a luacuda.Array
---@param value integer
---@param options luacuda.options.memset2d
---@return luacuda.Array # a
function cuda.memset2d(a, value, options) end

---Returns the memory pool of a device.
---@param device? luacuda.Device|integer|string default: the current device
---@return luacuda.Pool
function cuda.pool(device) end

---The bytes of a `CUtensorMap`, for kernels that copy boxes of the array to and from shared memory
---(`cp.async.bulk.tensor`). A kernel takes it as `const __grid_constant__ CUtensorMap`, or as a
---struct of 128 bytes, aligned to 128. Lists are in the order of the array's axes; the coordinates
---in the kernel begin with the last one. That one, times the size of an element, must be a multiple
---of 16 bytes: a copy from another place is a fault (on a GPU, an illegal instruction).
---
---In im2col mode a copy has pixels one after the other, from the coordinates that it gives: along
---the last spatial axis, then the one before, within `low` and `high`, then of the next image.
---`steps` are between pixels. The copy adds its offsets to all of them.
---
---Copies from shared memory write whole units of 16 bytes: where a row of the array ends within
---one, the gap after it is overwritten up to the unit's end. They may not begin at a negative
---coordinate, and in im2col mode not have `low` below 0 or `high` above 0: that is a fault, too (on
---a GPU, an illegal instruction).
---
---The string is an address, not a reference: keep the array, and pass it to the kernel, too, or
---synchronize, where several streams use it.
---
---Raises `unsupported` below compute capability 9.0; `driver` for strides that are not multiples of
---16 bytes.
---@param array luacuda.Array of one to five axes, the last without gaps
---@param options luacuda.options.tensor_map
---@return string
function cuda.tensor_map(array, options) end

---Allocates a CUDA array with undefined contents, or one with the contents of an array. The shape
---is that of an array in C order: {width}, {height, width} or {depth, height, width}, with layers
---{layers, width} or {layers, height, width}. Channels are not part of it; an array to copy has
---them as its last axis if `channels` is given.
---
---The dtype is any but a struct. The hardware has no elements of 64 bits: it stores float64, int64
---and uint64 as two channels of 32 bits, complex128 as four, complex64 as two of float32, and
---bfloat16 as uint16. `#include <luacuda/texture.h>` gives kernels `luacuda::tex2D<double>(t, x,
---y)`, `luacuda::surf2Dwrite(v, s, x, y)` and the like for `double`, `long long`, `unsigned long
---long` and vectors of two of them, with CUDA's names and arguments: with a level (`tex2DLod`),
---layers, cubemaps and boundary modes.
---
---Raises `memory` if the allocation fails; a string for extents beyond the limits of the device.
---@param shape integer|integer[]|luacuda.Array texels per axis, or an array to copy
---@param dtype? string element type (default float32, or that of the array)
---@param options? luacuda.options.cuda_array
---@return luacuda.CuArray
---@overload fun(shape: integer|integer[]|luacuda.Array, options: luacuda.options.cuda_array): luacuda.CuArray
function cuda.cuda_array(shape, dtype, options) end

---Makes a texture over a CUDA array, over a contiguous array of one axis, which kernels read by
---index (`tex1Dfetch`), or over an array of two axes, whose rows have to be a multiple of
---`texture_pitch_alignment` bytes apart, as those of `cuda.alloc_pitch` are. The memory is not
---copied: later writes to it are visible. Closing the array or CUDA array leaves the memory to the
---texture.
---@param source luacuda.CuArray|luacuda.Array
---@param options? luacuda.options.texture
---@return luacuda.Texture
function cuda.texture(source, options) end

---Makes a surface, through which kernels read and write texels without filtering. The x coordinate
---of `surf2Dwrite` and the like counts bytes.
---@param cuda_array luacuda.CuArray made with `surface = true`
---@return luacuda.Surface
function cuda.surface(cuda_array) end

---The sum; for booleans `or`.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.add(x, y, options) end

---The difference.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.subtract(x, y, options) end

---The product; for booleans `and`.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.multiply(x, y, options) end

---The quotient; float64 for integers.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.divide(x, y, options) end

---The quotient rounded down.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.floor_divide(x, y, options) end

---The remainder with the sign of `y`.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.mod(x, y, options) end

---`x` to the power of `y`. Integers raise for a negative Lua integer `y`; negative elements of `y`
---give 0, or 1 and -1 for the bases 1 and -1. The Lua numbers 2, 3, 0.5 and -1 as `y` multiply,
---take the root or divide.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.power(x, y, options) end

---The negative; booleans raise.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.negative(x, options) end

---The greater of two; NaN if one is NaN. 0.0 is greater than -0.0.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.maximum(x, y, options) end

---The lesser of two; NaN if one is NaN. -0.0 is less than 0.0.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.minimum(x, y, options) end

---The greater of two; of a number and NaN the number.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.fmax(x, y, options) end

---The lesser of two; of a number and NaN the number.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.fmin(x, y, options) end

---`x`, limited to the range from `lo` to `hi`; either may be nil or an option. NaN stays, and so
---does a zero that equals a bound.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param lo? luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param hi? luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
---@overload fun(x: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar, options: luacuda.options.add): luacuda.Array
---@overload fun(x: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar, lo: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar, options: luacuda.options.add): luacuda.Array
function cuda.clip(x, lo, hi, options) end

---`x * x`.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.square(x, options) end

---`1 / x`; truncated for integers.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.reciprocal(x, options) end

---The absolute value; real for complex numbers. The least integer stays.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.abs(x, options) end

----1, 0 or 1; NaN stays; `z / abs(z)` for complex numbers.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.sign(x, options) end

---And, of integers or booleans.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.bitwise_and(x, y, options) end

---Or, of integers or booleans.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.bitwise_or(x, y, options) end

---Exclusive or, of integers or booleans.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.bitwise_xor(x, y, options) end

---Complement, of integers or booleans.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.bitwise_not(x, options) end

---Shift to the left, of integers; 0 if `y` is negative or not less than the number of bits.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.left_shift(x, y, options) end

---Arithmetic shift to the right, of integers; 0, or -1 for negative `x`, if `y` is negative or not
---less than the number of bits.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.right_shift(x, y, options) end

---Equal.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.eq(x, y, options) end

---Not equal; true for NaN.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.ne(x, y, options) end

---Less than.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.lt(x, y, options) end

---Less than or equal.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.le(x, y, options) end

---Greater than.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.gt(x, y, options) end

---Greater than or equal.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.ge(x, y, options) end

---Both are not zero.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.logical_and(x, y, options) end

---At least one is not zero.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.logical_or(x, y, options) end

---Exactly one is not zero.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.logical_xor(x, y, options) end

---Zero.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.logical_not(x, options) end

---NaN; for complex numbers in either part.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.isnan(x, options) end

---Infinite; for complex numbers in either part.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.isinf(x, options) end

---Neither infinite nor NaN.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.isfinite(x, options) end

---The sign bit is set, as in -0.0; complex numbers raise.
---
---The results are bool arrays. Lua's operators `==`, `<` and `<=` give one boolean and cannot
---compare elements. Integers of any dtype are compared exactly with integers, floats and Lua
---numbers: every element of a uint64 array is greater than -1, and `cuda.uint64(-1)` is the
---greatest uint64. Complex numbers are ordered by their real, then their imaginary parts;
---comparisons with NaN are false.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.signbit(x, options) end

---`x` where the condition is not zero, else `y`. An array alone gives the indices of its elements
---that are not zero, as `nonzero` does.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param condition luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param x? luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y? luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
---@overload fun(condition: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar, options: luacuda.options.add): luacuda.Array
---@overload fun(condition: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar, x: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar, options: luacuda.options.add): luacuda.Array
function cuda.where(condition, x, y, options) end

---`sqrt(x * x + y * y)` without overflow in between.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.hypot(x, y, options) end

---The angle of the point (`x`, `y`) in radians, from -pi to pi.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.atan2(y, x, options) end

---`x` with the sign of `y`.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.copysign(x, y, options) end

---The remainder with the sign of `x`, as in C.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.fmod(x, y, options) end

---The square root.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.sqrt(x, options) end

---The cube root; complex numbers raise.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.cbrt(x, options) end

---e to the power of `x`.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.exp(x, options) end

---2 to the power of `x`.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.exp2(x, options) end

---`exp(x) - 1`, accurate near 0.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.expm1(x, options) end

---The natural logarithm.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.log(x, options) end

---The logarithm to base 2.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.log2(x, options) end

---The logarithm to base 10.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.log10(x, options) end

---`log(1 + x)`, accurate near 0.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.log1p(x, options) end

---The sine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.sin(x, options) end

---The cosine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.cos(x, options) end

---The tangent.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.tan(x, options) end

---The inverse sine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.asin(x, options) end

---The inverse cosine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.acos(x, options) end

---The inverse tangent.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.atan(x, options) end

---The hyperbolic sine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.sinh(x, options) end

---The hyperbolic cosine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.cosh(x, options) end

---The hyperbolic tangent.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.tanh(x, options) end

---The inverse hyperbolic sine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.asinh(x, options) end

---The inverse hyperbolic cosine.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.acosh(x, options) end

---The inverse hyperbolic tangent.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.atanh(x, options) end

---Degrees converted to radians.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.deg2rad(x, options) end

---Radians converted to degrees.
---
---Angles are in radians.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.rad2deg(x, options) end

---Rounded down; integers stay.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.floor(x, options) end

---Rounded up; integers stay.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.ceil(x, options) end

---Rounded towards zero; integers stay.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.trunc(x, options) end

---Rounded to the nearest integer, halves to the even one; integers become floats.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.rint(x, options) end

---Rounded to so many decimals, halves to the even digit. Integers stay; -1 rounds them to tens, -2
---to hundreds. `decimals` may be an option.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param decimals? integer from -18 to 18 (default 0)
---@param options? luacuda.options.add
---@return luacuda.Array
---@overload fun(x: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar, options: luacuda.options.add): luacuda.Array
function cuda.round(x, decimals, options) end

---The real part; real arrays stay.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.real(x, options) end

---The imaginary part; 0 for real arrays.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.imag(x, options) end

---The complex conjugate; real arrays stay.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.conj(x, options) end

---The angle in radians, from -pi to pi.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.angle(x, options) end

---The error function.
---
---Complex numbers raise.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.erf(x, options) end

---`1 - erf(x)`, accurate for large `x`.
---
---Complex numbers raise.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.erfc(x, options) end

---The gamma function.
---
---Complex numbers raise.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.tgamma(x, options) end

---`log(abs(tgamma(x)))`.
---
---Complex numbers raise.
---
---Raises a string if the shapes do not broadcast, the dtype does not have the function, or the
---dtype cannot hold a Lua number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? luacuda.options.add
---@return luacuda.Array
function cuda.lgamma(x, options) end

---The sum; 0 for no elements.
---
---Booleans and integers give int64 (uint64 for unsigned ones) in `sum` and `prod` and float64 in
---`mean`, unless `dtype` is given. float16 and bfloat16 are computed in float32. A sum is a tree of
---partial sums, so rounding errors grow more slowly than in a plain loop.
---
---Raises a string for an axis that does not exist.
---@param a luacuda.Array
---@param options luacuda.options.array_sum
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.sum(a, options) end

---The product; 1 for no elements.
---
---Booleans and integers give int64 (uint64 for unsigned ones) in `sum` and `prod` and float64 in
---`mean`, unless `dtype` is given. float16 and bfloat16 are computed in float32. A sum is a tree of
---partial sums, so rounding errors grow more slowly than in a plain loop.
---
---Raises a string for an axis that does not exist.
---@param a luacuda.Array
---@param options luacuda.options.array_sum
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.prod(a, options) end

---The sum divided by the number of elements; NaN for no elements.
---
---Booleans and integers give int64 (uint64 for unsigned ones) in `sum` and `prod` and float64 in
---`mean`, unless `dtype` is given. float16 and bfloat16 are computed in float32. A sum is a tree of
---partial sums, so rounding errors grow more slowly than in a plain loop.
---
---Raises a string for an axis that does not exist.
---@param a luacuda.Array
---@param options luacuda.options.array_sum
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.mean(a, options) end

---The mean of the squared distances from the mean.
---
---The elements are read once. Parts of the elements are merged with their numbers, means and sums
---of squared distances, relative to an element of the part, so that an offset that is large against
---the spread costs no digits (Chan, Golub and LeVeque, 1979 and 1983). Booleans and integers give
---float64 unless `dtype` is given; complex numbers give a real result.
---
---Raises a string for an axis that does not exist.
---@param a luacuda.Array
---@param options luacuda.options.array_var
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.var(a, options) end

---The square root of `var`.
---
---The elements are read once. Parts of the elements are merged with their numbers, means and sums
---of squared distances, relative to an element of the part, so that an offset that is large against
---the spread costs no digits (Chan, Golub and LeVeque, 1979 and 1983). Booleans and integers give
---float64 unless `dtype` is given; complex numbers give a real result.
---
---Raises a string for an axis that does not exist.
---@param a luacuda.Array
---@param options luacuda.options.array_var
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.std(a, options) end

---The least element.
---
---NaN counts as the extreme where there is one. `min` and `max` rank -0.0 below 0.0; `argmin` and
---`argmax` treat the two as equal. Complex numbers are ordered by their real, then their imaginary
---parts. `argmin` and `argmax` give int64 indices from 1 along the reduced axes in C order, of the
---first element among equal ones.
---
---Raises a string for an axis that does not exist and for a reduction of no elements.
---@param a luacuda.Array
---@param options luacuda.options.array_min
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.min(a, options) end

---The greatest element.
---
---NaN counts as the extreme where there is one. `min` and `max` rank -0.0 below 0.0; `argmin` and
---`argmax` treat the two as equal. Complex numbers are ordered by their real, then their imaginary
---parts. `argmin` and `argmax` give int64 indices from 1 along the reduced axes in C order, of the
---first element among equal ones.
---
---Raises a string for an axis that does not exist and for a reduction of no elements.
---@param a luacuda.Array
---@param options luacuda.options.array_min
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.max(a, options) end

---The index of the least element.
---
---NaN counts as the extreme where there is one. `min` and `max` rank -0.0 below 0.0; `argmin` and
---`argmax` treat the two as equal. Complex numbers are ordered by their real, then their imaginary
---parts. `argmin` and `argmax` give int64 indices from 1 along the reduced axes in C order, of the
---first element among equal ones.
---
---Raises a string for an axis that does not exist and for a reduction of no elements.
---@param a luacuda.Array
---@param options luacuda.options.array_min
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.argmin(a, options) end

---The index of the greatest element.
---
---NaN counts as the extreme where there is one. `min` and `max` rank -0.0 below 0.0; `argmin` and
---`argmax` treat the two as equal. Complex numbers are ordered by their real, then their imaginary
---parts. `argmin` and `argmax` give int64 indices from 1 along the reduced axes in C order, of the
---first element among equal ones.
---
---Raises a string for an axis that does not exist and for a reduction of no elements.
---@param a luacuda.Array
---@param options luacuda.options.array_min
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.argmax(a, options) end

---Whether any element is not zero; false for no elements.
---
---NaN counts as not zero.
---
---Raises a string for an axis that does not exist.
---@param a luacuda.Array
---@param options luacuda.options.array_min
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.any(a, options) end

---Whether all elements are not zero; true for no elements.
---
---NaN counts as not zero.
---
---Raises a string for an axis that does not exist.
---@param a luacuda.Array
---@param options luacuda.options.array_min
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.all(a, options) end

---The number of elements that are not zero (int64).
---
---NaN counts as not zero.
---
---Raises a string for an axis that does not exist.
---@param a luacuda.Array
---@param options luacuda.options.array_min
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.count_nonzero(a, options) end

---The sum of each element and all before it.
---
---Booleans and integers give int64 (uint64 for unsigned ones) unless `dtype` is given. float16 and
---bfloat16 are computed in float32. With `include_initial`, `counts:cumsum` gives the offsets of
---segments of these sizes, as option `segments` of [sum](#cudasum) takes them.
---
---Raises a string for complex numbers with a real `dtype`.
---@param a luacuda.Array
---@param options? luacuda.options.array_cumsum
---@return luacuda.Array # of the shape of `a`, or of one axis if `axis` is not given
function cuda.cumsum(a, options) end

---The product of each element and all before it.
---
---Booleans and integers give int64 (uint64 for unsigned ones) unless `dtype` is given. float16 and
---bfloat16 are computed in float32. With `include_initial`, `counts:cumsum` gives the offsets of
---segments of these sizes, as option `segments` of [sum](#cudasum) takes them.
---
---Raises a string for complex numbers with a real `dtype`.
---@param a luacuda.Array
---@param options? luacuda.options.array_cumsum
---@return luacuda.Array # of the shape of `a`, or of one axis if `axis` is not given
function cuda.cumprod(a, options) end

---The greatest element so far.
---
---From the first NaN on, every result is NaN. -0.0 is less than 0.0.
---
---Raises a string for complex numbers.
---@param a luacuda.Array
---@param options? luacuda.options.array_cummax
---@return luacuda.Array # of the shape of `a`, or of one axis if `axis` is not given
function cuda.cummax(a, options) end

---The least element so far.
---
---From the first NaN on, every result is NaN. -0.0 is less than 0.0.
---
---Raises a string for complex numbers.
---@param a luacuda.Array
---@param options? luacuda.options.array_cummax
---@return luacuda.Array # of the shape of `a`, or of one axis if `axis` is not given
function cuda.cummin(a, options) end

---Sorts a copy along an axis; [array:sort](#arraysort) works in place. NaN counts as greater than
---every number; complex numbers are ordered by their real, then their imaginary parts. -0.0 comes
---before 0.0.
---
---The CPU device sorts in host memory, on all its threads. On GPUs, rows of up to 4096 elements are
---sorted in one launch without scratch memory (a bitonic network); longer ones by a radix sort
---(Onesweep; Adinets and Merrill, 2022), which reads them once and then reads and writes them at
---most once per byte of the dtype, with scratch memory for a copy. Other axes than the last, and
---arrays with gaps, are copied first.
---
---Raises a string for structs.
---@param a luacuda.Array
---@param options? luacuda.options.array_argsort
---@return luacuda.Array # a sorted copy
function cuda.sort(a, options) end

---Returns the indices that sort an array along an axis. The sort is stable, also when descending:
---equal elements keep their order, as do -0.0 and 0.0, and NaNs. NaN counts as greater than every
---number; complex numbers are ordered by their real, then their imaginary parts.
---
---The CPU device sorts in host memory, on all its threads. On GPUs, rows of up to 4096 elements are
---sorted in one launch without scratch memory (a bitonic network); longer ones by a radix sort
---(Onesweep; Adinets and Merrill, 2022), which reads them once and then reads and writes them at
---most once per byte of the dtype, with scratch memory for the keys and their 32-bit indices (two
---copies of each for dtypes of 4 and 8 bytes).
---
---Raises a string for structs.
---@param a luacuda.Array
---@param options? luacuda.options.array_argsort
---@return luacuda.Array # int64 indices from 1, of the shape of `a`
function cuda.argsort(a, options) end

---Returns the distinct values in ascending order. Indices start at 1 and count in C order. -0.0 and
---0.0 are one value, and so are all NaNs. Waits for the number of values.
---
---Raises a string for structs.
---@param a luacuda.Array
---@param options? luacuda.options.array_unique
---@return luacuda.Array # the values, of one axis
---@return luacuda.Array ... # int64: the index, the inverse and the counts, as requested
function cuda.unique(a, options) end

---Returns the elements where the mask is true, in C order; a mask of fewer axes than the array
---selects rows. `a[mask]` does the same. Reads the mask once, waits for the number of elements,
---then reads and writes only what is selected.
---
---Raises a string if the mask's shape does not fit.
---@param a luacuda.Array
---@param mask luacuda.Array bool, of the shape of the array's first axes
---@param options? luacuda.options.array_compress
---@return luacuda.Array
function cuda.compress(a, mask, options) end

---Returns where elements are not zero, in C order. Waits for their number. The results share one
---block of memory.
---
---Raises a string for an array without axes.
---@param a luacuda.Array
---@param options? luacuda.options.array_set
---@return luacuda.Array # int64 indices from 1, along the first axis
---@return luacuda.Array ... # the same for each further axis
function cuda.nonzero(a, options) end

---Writes where the mask is true: one value, or the element at the same place of an array of the
---same shape. NumPy's `putmask` repeats a shorter array; this one raises an error.
---
---Raises a string if the mask's shape does not fit.
---@param a luacuda.Array
---@param mask luacuda.Array bool, of the shape of the array's first axes
---@param values luacuda.Array|table<any, any>|number|boolean|luacuda.Complex|luacuda.Scalar converted to the array's dtype
---@param options? luacuda.options.array_set
---@return luacuda.Array # the array that was written
function cuda.putmask(a, mask, values, options) end

---Writes where the mask is true: one value, or one value for each selected element, in C order.
---Unless there is one value, the call waits for the number of selected elements. `a[mask] = values`
---does the same, and takes an array of the same shape as [putmask](#cudaputmask) does.
---
---Raises a string if the mask's shape does not fit, or the number of values.
---@param a luacuda.Array
---@param mask luacuda.Array bool, of the shape of the array's first axes
---@param values luacuda.Array|table<any, any>|number|boolean|luacuda.Complex|luacuda.Scalar converted to the array's dtype
---@param options? luacuda.options.array_set
---@return luacuda.Array # the array that was written
function cuda.place(a, mask, values, options) end

---Returns elements by index along an axis. `a[indices]` takes along the first axis.
---
---Raises a string for an index outside, with `mode = "raise"`.
---@param a luacuda.Array
---@param indices luacuda.Array|integer|table<any, any> integers of any shape, from 1 or negative from the end
---@param options? luacuda.options.array_take
---@return luacuda.Array # of the shape of `a` with the axis replaced by the shape of `indices`; an integer drops the axis
function cuda.take(a, indices, options) end

---Writes elements by index, in C order as one axis: one value, one for each index, or values whose
---shape broadcasts to that of the indices. Any other number of values is an error. If an index
---occurs twice, it is undefined which of its values stays. With `mode = "raise"` all indices are
---checked before anything is written.
---
---Raises a string for an index outside, with `mode = "raise"`.
---@param a luacuda.Array
---@param indices luacuda.Array|integer|table<any, any> integers of any shape, from 1 or negative from the end
---@param values luacuda.Array|table<any, any>|number|boolean|luacuda.Complex|luacuda.Scalar converted to the array's dtype
---@param options? luacuda.options.array_put
---@return luacuda.Array # the array that was written
function cuda.put(a, indices, values, options) end

---Joins arrays along an axis.
---
---Raises a string if the shapes differ in another axis.
---@param arrays luacuda.Array[] at least one
---@param options? luacuda.options.concatenate
---@return luacuda.Array
function cuda.concatenate(arrays, options) end

---Joins arrays along a new axis.
---
---Raises a string if the shapes differ.
---@param arrays luacuda.Array[] at least one, of one shape
---@param options? luacuda.options.concatenate
---@return luacuda.Array
function cuda.stack(arrays, options) end

---Joins arrays along an axis, wherever they are: the reverse of [cuda.split_to](#cudasplit_to).
---
---Raises a string if the dtypes differ, or the shapes otherwise.
---@param parts luacuda.Array[] at least one, of one dtype, on any devices
---@param options? luacuda.options.gather
---@return luacuda.Array
function cuda.gather(parts, options) end

---Returns where two values are equal or close: where `|a - b| <= atol + rtol * |b|`. Integers are
---compared as float64; float16 and bfloat16 are computed in float32. An infinity is close to itself
---only.
---
---Raises a string for shapes that do not fit.
---@param a luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar one of them an array
---@param b luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar broadcast against `a`
---@param options? luacuda.options.array_isclose
---@return luacuda.Array # bool
function cuda.isclose(a, b, options) end

---Returns whether all elements are close, as [cuda.isclose](#cudaisclose) defines it; true for no
---elements. Reads both arrays once, and waits.
---
---Raises a string for shapes that do not fit.
---@param a luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar one of them an array
---@param b luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar broadcast against `a`
---@param options? luacuda.options.array_allclose
---@return boolean
function cuda.allclose(a, b, options) end

---Returns whether two arrays have the same shape and equal elements. The dtypes may differ;
---integers are compared exactly. The elements are compared on the device, which the call waits for;
---[array:equals](#arrayequals) compares them on the host.
---@param a luacuda.Array
---@param b luacuda.Array
---@param options? luacuda.options.array_equal
---@return boolean
function cuda.array_equal(a, b, options) end

---Returns the array with numbers in place of NaN and infinity. The parts of complex numbers are
---replaced separately; booleans and integers stay as they are.
---@param a luacuda.Array
---@param options? luacuda.options.array_nan_to_num
---@return luacuda.Array # of the shape and dtype of `a`
function cuda.nan_to_num(a, options) end

---Returns the sum of the products with the weights, divided by the sum of the weights; without
---weights the mean. The dtype is the common one, for booleans and integers joined with float64.
---Reads the elements once. Weights that add up to 0 give NaN or an infinity.
---
---Raises a string for weights whose shape does not fit.
---@param a luacuda.Array
---@param options? luacuda.options.array_average
---@return any # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@return any # the sum of the weights, if `returned`
function cuda.average(a, options) end

---Returns the greatest element less the least ("peak to peak"), in a's dtype, in which integers
---wrap around; NaN where an element is NaN.
---
---Raises a string for a reduction of no elements, for booleans and for complex numbers.
---@param a luacuda.Array
---@param options? luacuda.options.array_ptp
---@return any # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
function cuda.ptp(a, options) end

---Returns the covariances of all pairs of variables. The divisor is that of NumPy. Weights are not
---checked for negative ones.
---
---Raises a string for numbers of observations that differ.
---@param m luacuda.Array a variable in each row and an observation in each column, or one variable
---@param y? luacuda.Array more variables of the same observations
---@param options? luacuda.options.cov
---@return luacuda.Array # of the shape {variables, variables}; without axes for one variable
---@overload fun(m: luacuda.Array, options: luacuda.options.cov): luacuda.Array
function cuda.cov(m, y, options) end

---Returns the correlation of all pairs of variables: the covariance over both standard deviations,
---from -1 to 1; NaN for a variable that does not vary.
---
---Raises a string for numbers of observations that differ.
---@param m luacuda.Array a variable in each row and an observation in each column, or one variable
---@param y? luacuda.Array more variables of the same observations
---@param options? luacuda.options.corrcoef
---@return luacuda.Array # of the shape {variables, variables}; without axes for one variable
---@overload fun(m: luacuda.Array, options: luacuda.options.corrcoef): luacuda.Array
function cuda.corrcoef(m, y, options) end

---Returns the middle element in ascending order, or the mean of the two in the middle; NaN where an
---element is NaN or there are none. Booleans and integers give float64. The elements are sorted in
---a copy.
---
---Raises a string for an axis that does not exist.
---@param a luacuda.Array
---@param options? luacuda.options.array_ptp
---@return any # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
function cuda.median(a, options) end

---Returns the elements at fractions of the way from the least to the greatest. The shape is that of
---`q`, then that of the reduction. Interpolated values have a's float dtype, or float64, joined
---with the dtype of `q` if it is an Array; the others a's own. NaN where an element is NaN. The
---elements are sorted in a copy. An Array `q` is read, for which the call waits.
---
---Raises a string for no elements, for complex numbers and for a `q` outside.
---@param a luacuda.Array
---@param q number|number[]|luacuda.Array from 0 to 1
---@param options? luacuda.options.array_quantile
---@return any # an array if `axis`, `out`, `keepdims` or several quantiles are given, else a Lua value, for which the call waits
function cuda.quantile(a, q, options) end

---Returns the elements at fractions of the way from the least to the greatest. The shape is that of
---`q`, then that of the reduction. Interpolated values have a's float dtype, or float64, joined
---with the dtype of `q` if it is an Array; the others a's own. NaN where an element is NaN. The
---elements are sorted in a copy. An Array `q` is read, for which the call waits.
---
---Raises a string for no elements, for complex numbers and for a `q` outside.
---@param a luacuda.Array
---@param q number|number[]|luacuda.Array from 0 to 100
---@param options? luacuda.options.array_quantile
---@return any # an array if `axis`, `out`, `keepdims` or several percentiles are given, else a Lua value, for which the call waits
function cuda.percentile(a, q, options) end

---Returns a copy in which the element at each place of `kth` is the one that is there in ascending
---order, no element before it is greater, and none after it is less. NaN counts as greater than
---every number. The copy is sorted completely, as by [cuda.sort](#cudasort);
---[array:partition](#arraypartition) works in place.
---
---Raises a string for a place outside of the axis.
---@param a luacuda.Array
---@param kth integer|integer[] places from 1 or negative from the end
---@param options? luacuda.options.array_argpartition
---@return luacuda.Array
function cuda.partition(a, kth, options) end

---Returns the indices that partition an array as [cuda.partition](#cudapartition) does. They are
---those of [cuda.argsort](#cudaargsort).
---
---Raises a string for a place outside of the axis.
---@param a luacuda.Array
---@param kth integer|integer[] places from 1 or negative from the end
---@param options? luacuda.options.array_argpartition
---@return luacuda.Array # int64 indices from 1, of the shape of `a`
function cuda.argpartition(a, kth, options) end

---Returns the `k` greatest elements along an axis, the greatest first, and where they are; or the
---least ones, the least first. Equal elements keep their order. NaN counts as greater than every
---number. Sorts indices with [cuda.argsort](#cudaargsort).
---
---Raises a string for a `k` outside.
---@param a luacuda.Array
---@param k integer from 0 to the elements of the axis
---@param options? luacuda.options.array_topk
---@return luacuda.Array # of the shape of `a` with `k` elements along the axis
---@return luacuda.Array # int64 indices from 1, of the same shape
function cuda.topk(a, k, options) end

---Returns where values belong in a sorted array: the index, from 1 to `#a + 1`, of the element
---before which a value is inserted so that the order stays. NumPy's place counts from 0: it is one
---less. With side "left" the elements before the place are less than the value, with "right" they
---are not greater. NaN comes after all numbers. Integers of any two dtypes are compared exactly,
---other values in the common dtype, a Lua float as float64. Does not check that `a` is sorted. Runs
---a binary search for each value.
---
---Raises a string for an array that has not one axis.
---@param a luacuda.Array of one axis, in ascending order
---@param v luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar values to find
---@param side? "left"|"right" the place before or after the elements that are equal (default "left")
---@param options? luacuda.options.array_searchsorted
---@return luacuda.Array|integer # int64 places from 1; for a number a Lua integer, for which the call waits
---@overload fun(a: luacuda.Array, v: luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar, options: luacuda.options.array_searchsorted): luacuda.Array|integer
function cuda.searchsorted(a, v, side, options) end

---Returns the bin of each value: 1 before the first edge, `k + 1` after edge `k`, up to `#bins + 1`
---after the last edge. NumPy's number of a bin counts from 0: it is one less.
---
---Raises a string for complex numbers.
---@param x luacuda.Array|number|boolean|luacuda.Scalar values
---@param bins luacuda.Array|number[] edges that ascend or descend, where NaN is the greatest; only a list is checked
---@param options? luacuda.options.digitize
---@return luacuda.Array|integer # int64 places from 1; for a number a Lua integer, for which the call waits
function cuda.digitize(x, bins, options) end

---Returns how often each integer occurs: element `k` of the result counts the elements that are
---`k`. `cuda.bincount(x + 1)` counts integers from 0 as NumPy's bincount does. Waits for the
---greatest element, which is the number of bins. Sums of weights may differ in the last bits from
---call to call.
---
---Raises a string for an element below 1.
---@param x luacuda.Array integers from 1, of one axis
---@param options? luacuda.options.bincount
---@return luacuda.Array # of one axis: int64 counts, or float64 sums of weights
function cuda.bincount(x, options) end

---Counts the elements in bins. A bin contains its left edge and not its right one, the last bin
---both. NaN and elements outside are left out. Edges computed here have a's float dtype, or
---float64. With a number of bins and no `range` the call waits for the least and the greatest
---element. The order of edges in an array is not checked. Sums of weights are added in float64 and
---may differ in the last bits from call to call.
---
---Raises a string for complex numbers, for a range that is not finite, and for bins of equal width
---so narrow that edges coincide.
---@param a luacuda.Array
---@param bins? integer|number[]|luacuda.Array number of bins of equal width, or the edges in ascending order (default 10)
---@param options? luacuda.options.histogram
---@return luacuda.Array # of one axis: int64 counts, or sums of weights in their dtype
---@return luacuda.Array # the edges, one more than there are bins
---@overload fun(a: luacuda.Array, options: luacuda.options.histogram): luacuda.Array, luacuda.Array
function cuda.histogram(a, bins, options) end

---The sum; 0 where all elements are NaN.
---
---These leave NaN out. A complex number is NaN if one of its parts is. Dtypes are those of
---[cuda.sum](#cudasum) and [cuda.mean](#cudamean).
---
---Raises a string for an axis that does not exist.
---@param a luacuda.Array
---@param options luacuda.options.array_nansum
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.nansum(a, options) end

---The product; 1 where all elements are NaN.
---
---These leave NaN out. A complex number is NaN if one of its parts is. Dtypes are those of
---[cuda.sum](#cudasum) and [cuda.mean](#cudamean).
---
---Raises a string for an axis that does not exist.
---@param a luacuda.Array
---@param options luacuda.options.array_nansum
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.nanprod(a, options) end

---The mean; NaN where all elements are NaN.
---
---These leave NaN out. A complex number is NaN if one of its parts is. Dtypes are those of
---[cuda.sum](#cudasum) and [cuda.mean](#cudamean).
---
---Raises a string for an axis that does not exist.
---@param a luacuda.Array
---@param options luacuda.options.array_nansum
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.nanmean(a, options) end

---The mean of the squared distances from the mean.
---
---Computed as [cuda.var](#cudavar) is. For floats and complex numbers the result is NaN where
---`ddof` or fewer elements are no NaN.
---
---Raises a string for an axis that does not exist.
---@param a luacuda.Array
---@param options luacuda.options.array_var
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.nanvar(a, options) end

---The square root of `nanvar`.
---
---Computed as [cuda.var](#cudavar) is. For floats and complex numbers the result is NaN where
---`ddof` or fewer elements are no NaN.
---
---Raises a string for an axis that does not exist.
---@param a luacuda.Array
---@param options luacuda.options.array_var
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.nanstd(a, options) end

---The least element; NaN where all elements are NaN.
---
---Complex numbers are ordered by their real, then their imaginary parts. Indices are int64 and
---start at 1, along the reduced axes in C order; among equal elements the first counts.
---
---Raises a string for an axis that does not exist and for a reduction of no elements; `nanargmin`
---and `nanargmax` over all axes also where all elements are NaN.
---@param a luacuda.Array
---@param options luacuda.options.array_ptp
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.nanmin(a, options) end

---The greatest element; NaN where all elements are NaN.
---
---Complex numbers are ordered by their real, then their imaginary parts. Indices are int64 and
---start at 1, along the reduced axes in C order; among equal elements the first counts.
---
---Raises a string for an axis that does not exist and for a reduction of no elements; `nanargmin`
---and `nanargmax` over all axes also where all elements are NaN.
---@param a luacuda.Array
---@param options luacuda.options.array_ptp
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.nanmax(a, options) end

---The index of the least element; 0 where all elements are NaN.
---
---Complex numbers are ordered by their real, then their imaginary parts. Indices are int64 and
---start at 1, along the reduced axes in C order; among equal elements the first counts.
---
---Raises a string for an axis that does not exist and for a reduction of no elements; `nanargmin`
---and `nanargmax` over all axes also where all elements are NaN.
---@param a luacuda.Array
---@param options luacuda.options.array_ptp
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.nanargmin(a, options) end

---The index of the greatest element; 0 where all elements are NaN.
---
---Complex numbers are ordered by their real, then their imaginary parts. Indices are int64 and
---start at 1, along the reduced axes in C order; among equal elements the first counts.
---
---Raises a string for an axis that does not exist and for a reduction of no elements; `nanargmin`
---and `nanargmax` over all axes also where all elements are NaN.
---@param a luacuda.Array
---@param options luacuda.options.array_ptp
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a Lua value, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.nanargmax(a, options) end

---Returns `exp(a)` divided by its sum, computed from the distances to the greatest element, so that
---nothing overflows. float16 and bfloat16 are computed in float32. The greatest element and the sum
---come from one pass (Milakov and Gimelshein, 2018), the result from a second one. Along axes with
---a NaN or +inf, or with -inf only, it is NaN.
---
---Raises a string for complex numbers.
---@param a luacuda.Array
---@param options? luacuda.options.array_softmax
---@return luacuda.Array # of the shape of `a`
function cuda.softmax(a, options) end

---Returns the logarithm of [softmax](#cudasoftmax), without the underflow of small probabilities.
---
---Raises a string for complex numbers.
---@param a luacuda.Array
---@param options? luacuda.options.array_softmax
---@return luacuda.Array # of the shape of `a`
function cuda.log_softmax(a, options) end

---Returns `log(sum(exp(a)))` in one pass without overflow; -inf for no elements.
---
---Raises a string for complex numbers.
---@param a luacuda.Array
---@param options luacuda.options.array_ptp
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given, else a number, for which the call waits
---@overload fun(a: luacuda.Array): any
function cuda.logsumexp(a, options) end

---Adds values to the elements at the indices; where an index repeats, all its values count. An
---integer wraps around; for booleans it is `or`. Threads add in no fixed order, so the last bits of
---float sums may change from call to call; sums of integers and results of `scatter_max` and
---`scatter_min` do not. With mode "raise" the call waits for the check of the indices, with the
---others it does not.
---
---Raises a string for wrong indices, before anything is written.
---@param a luacuda.Array
---@param indices luacuda.Array|table<any, any> integers, from 1 or negative from the end
---@param values luacuda.Array|table<any, any>|number|boolean one value, one for each index (both in C order), or values whose shape broadcasts to that of the indices; any other number of values is an error
---@param options? luacuda.options.array_scatter_add
---@return luacuda.Array # `a` itself
function cuda.scatter_add(a, indices, values, options) end

---Replaces the elements at the indices by the greatest of them and their values; NaN counts as the
---greatest. Complex numbers raise.
---
---Raises a string for wrong indices, before anything is written.
---@param a luacuda.Array
---@param indices luacuda.Array|table<any, any> integers, from 1 or negative from the end
---@param values luacuda.Array|table<any, any>|number|boolean one value, one for each index (both in C order), or values whose shape broadcasts to that of the indices; any other number of values is an error
---@param options? luacuda.options.array_scatter_add
---@return luacuda.Array # `a` itself
function cuda.scatter_max(a, indices, values, options) end

---Replaces the elements at the indices by the least of them and their values; NaN counts as the
---least. Complex numbers raise.
---
---Raises a string for wrong indices, before anything is written.
---@param a luacuda.Array
---@param indices luacuda.Array|table<any, any> integers, from 1 or negative from the end
---@param values luacuda.Array|table<any, any>|number|boolean one value, one for each index (both in C order), or values whose shape broadcasts to that of the indices; any other number of values is an error
---@param options? luacuda.options.array_scatter_add
---@return luacuda.Array # `a` itself
function cuda.scatter_min(a, indices, values, options) end

---Returns the values at `x` of straight lines between the samples, each found by binary search. NaN
---gives NaN. Samples that are not in ascending order give values without meaning.
---
---Raises a string if `xp` and `fp` differ in size or are empty.
---@param x luacuda.Array real numbers
---@param xp luacuda.Array|table<any, any> coordinates of the samples, ascending unless `period` is given
---@param fp luacuda.Array|table<any, any> the samples
---@param options? luacuda.options.interp
---@return luacuda.Array # float64 or complex128, of the shape of `x`
function cuda.interp(x, xp, fp, options) end

---Returns derivatives: from the neighbours on both sides, of second order for any spacing
---(Fornberg, 1988), and at the ends from one side. Differences of coordinates are computed in
---float64, and float16 and bfloat16 in float32.
---
---Raises a string for an axis of `edge_order` elements or fewer.
---@param a luacuda.Array
---@param options? luacuda.options.array_gradient
---@return luacuda.Array # the derivative along the first axis, of the shape of `a`
---@return luacuda.Array ... # those along the other axes
function cuda.gradient(a, options) end

---Returns the integral by the trapezoidal rule, in one pass; 0 for one sample.
---
---Raises a string for an array without axes.
---@param a luacuda.Array
---@param options? luacuda.options.array_trapezoid
---@return any # a Lua value if the result has no axes and `out` is not given
function cuda.trapezoid(a, options) end

---Returns the discrete convolution of two sequences, `sum(a[j] * v[k - j])` for every shift k: for
---mode "full" all shifts at which they overlap, for "valid" those at which they overlap completely,
---for "same" the middle ones, as many as the longer sequence has elements. Each place is a sum of
---min(n, m) products; no Fourier transform is used.
---
---Raises a string for arrays of more axes or without elements.
---@param a luacuda.Array of one axis
---@param v luacuda.Array of one axis, on the same device
---@param mode? "full"|"same"|"valid" the shifts (default "full")
---@param options? luacuda.options.convolve
---@return luacuda.Array
---@overload fun(a: luacuda.Array, v: luacuda.Array, options: luacuda.options.convolve): luacuda.Array
function cuda.convolve(a, v, mode, options) end

---Returns the cross-correlation `sum(a[j + k] * conj(v[j]))` for the shifts k that `mode` names, as
---[convolve](#cudaconvolve).
---
---Raises a string for arrays of more axes or without elements.
---@param a luacuda.Array of one axis
---@param v luacuda.Array of one axis, on the same device
---@param mode? "full"|"same"|"valid" the shifts (default "valid")
---@param options? luacuda.options.convolve
---@return luacuda.Array
---@overload fun(a: luacuda.Array, v: luacuda.Array, options: luacuda.options.convolve): luacuda.Array
function cuda.correlate(a, v, mode, options) end

---Returns the matrix product: {..., m, k} by {..., k, n} gives {..., m, n}. The axes before the
---last two broadcast. A vector is a row on the left and a column on the right, and its axis is not
---in the result.
---
---Raises a string with both shapes if they do not fit.
---@param a luacuda.Array
---@param b luacuda.Array on the same device
---@param options? luacuda.options.array_matmul
---@return any # a Lua value if the result has no axes and `out` is not given
function cuda.matmul(a, b, options) end

---Returns the sum of products over the last axis of `a` and the last but one of `b` (its only axis
---if it has one): the scalar product of vectors, the matrix product of matrices. If one of the two
---has no axes, the result is `a * b`.
---
---Raises a string with both shapes if they do not fit.
---@param a luacuda.Array
---@param b luacuda.Array on the same device
---@param options? luacuda.options.array_matmul
---@return any # a Lua value if the result has no axes and `out` is not given
function cuda.dot(a, b, options) end

---Returns the sum of products over the last axes of both.
---
---Raises a string with both shapes if they do not fit.
---@param a luacuda.Array
---@param b luacuda.Array on the same device
---@param options? luacuda.options.array_matmul
---@return any # a Lua value if the result has no axes and `out` is not given
function cuda.inner(a, b, options) end

---Returns the products of all elements of `a` with all elements of `b`.
---@param a luacuda.Array
---@param b luacuda.Array on the same device
---@param options? luacuda.options.array_matmul
---@return luacuda.Array # of shape {a.size, b.size}
function cuda.outer(a, b, options) end

---Returns the sum of `conj(a) * b` over all elements in C order.
---
---Raises a string if the sizes differ.
---@param a luacuda.Array
---@param b luacuda.Array on the same device
---@param options? luacuda.options.array_matmul
---@return any # a Lua value if the result has no axes and `out` is not given
function cuda.vdot(a, b, options) end

---Returns the sum of products over pairs of axes. The result has the other axes of `a`, then those
---of `b`. It is one product of matrices.
---
---Raises a string with both shapes if they do not fit.
---@param a luacuda.Array
---@param b luacuda.Array on the same device
---@param axes? integer|table<any, any> how many of the last axes of `a` and the first of `b` to sum over, or a list of axes of each: `{ { 2, 1 }, { 1, 2 } }` (default 2)
---@param options? luacuda.options.tensordot
---@return any # a Lua value if the result has no axes and `out` is not given
---@overload fun(a: luacuda.Array, b: luacuda.Array, options: luacuda.options.tensordot): any
function cuda.tensordot(a, b, axes, options) end

---Returns the Kronecker product: `b` times each element of `a`, as blocks. Each extent of the
---result is the product of theirs; missing axes in front have one element.
---@param a luacuda.Array
---@param b luacuda.Array on the same device
---@param options? luacuda.options.kron
---@return any # a Lua value if the result has no axes and `out` is not given
function cuda.kron(a, b, options) end

---Returns the sum of products over all letters that the result lacks: `cuda.einsum("bij,bjk->bik",
---a, b)` multiplies batches of matrices. `...` stands for any further axes, which broadcast, as
---axes of one element do. A letter twice in one operand takes its diagonal. Without `->` the result
---has the axes of `...` and then the letters that occur once, in alphabetical order.
---
---Operands are contracted two at a time, the pair with the smallest result first. A pair becomes a
---product of matrices, a reduction or a product of elements. One operand that is only transposed,
---or whose diagonal is taken, gives a view where its strides allow it.
---
---Raises a string for subscripts that do not fit the operands.
---@param subscripts string a letter for each axis of each operand, with commas between operands, and optionally `->` with the letters of the result
---@param ... luacuda.Array|table<any, any> the operands, then optionally a table of the options `out`, `stream`, `backend` and `tf32`
---@return any # a Lua value if the result has no axes and `out` is not given
function cuda.einsum(subscripts, ...) end

---Returns the sum of the diagonal.
---
---Raises a string if `a` is not a matrix.
---@param a luacuda.Array a matrix
---@param options luacuda.options.array_trace
---@return luacuda.Array # a Lua value if `out` is not given
---@overload fun(a: luacuda.Array): any
function cuda.trace(a, options) end

---Returns norms. Without `axis` and `ord` it is the root of the sum of all squares.
---
---- For vectors `ord` is 2, 1, `math.huge` (the largest absolute value), `-math.huge` (the
---  smallest), 0 (the number of elements that are not zero) or any other p.
---
---- For matrices it is `"fro"`, 1 or -1 (the largest or smallest sum of a column), `math.huge` or
---  `-math.huge` (of a row), of absolute values.
---
---The result has the float dtype of `a` (float64 for integers, the real dtype for complex numbers);
---16-bit dtypes are computed in float32.
---
---Raises a string if `ord` is not a norm of vectors or matrices.
---@param a luacuda.Array
---@param ord? number|string the norm (default 2, for matrices "fro")
---@param options luacuda.options.array_norm
---@return luacuda.Array # an array if `axis`, `out` or `keepdims` is given
---@overload fun(a: luacuda.Array, ord?: number|string): any
---@overload fun(a: luacuda.Array, options: luacuda.options.array_norm): any
function cuda.norm(a, ord, options) end

---Makes an array of a tensor and takes the tensor over. Its deleter is called when the array and
---all its views are gone and no queued work uses the memory, on whichever thread notices. Memory of
---the host (also page-locked and managed memory) becomes an array of the CPU device, and GPUs that
---can reach the memory may use it.
---
---A tensor that an array of LuaCUDA was made into gives back the same memory, so that work on both
---arrays is ordered.
---
---An object of another library has a metamethod `__dlpack`, or a field if it is a table: a function
---of the object and of a table with `max_version`, a list of two integers, and `stream`, the handle
---of the stream on which the memory will be used, as a light userdata. It returns a capsule, or a
---pointer and its name.
---
---Raises a string if the tensor cannot be an array: a type without a dtype, a device that does not
---exist, more than 16 axes; the tensor is not consumed then.
---@param tensor luacuda.Capsule|lightuserdata|any a tensor: a capsule, a pointer, or an object with `__dlpack`
---@param name? "dltensor_versioned"|"dltensor" what a pointer points to: a DLManagedTensorVersioned of version 1.x, or a DLManagedTensor
---@param options? luacuda.options.from_dlpack
---@return luacuda.Array # over the tensor's memory
---@overload fun(tensor: luacuda.Capsule|lightuserdata|any, options: luacuda.options.from_dlpack): luacuda.Array
function cuda.from_dlpack(tensor, name, options) end

---Opens an array or an event of another process: both processes use the same memory. The array has
---the shape, strides and dtype of the one that the handle was made of. A second array over the same
---memory has the same address, and work on both is ordered. In the process that made the array, the
---result is one more array over its memory. An event cannot be opened in the process that made it.
---
---The memory is closed with the last array over it, after the work that uses it. Work of other
---processes is not ordered automatically: use an event of both.
---
---Raises a string for a string that is not a whole handle; `runtime` if this process does not see
---the device, or if the process that made the handle has ended or has freed the memory; `logic` for
---an array that this process has closed itself.
---@param handle string of `array:ipc_handle` or `event:ipc_handle`
---@param options? luacuda.options.open_ipc
---@return luacuda.Array|luacuda.Event
function cuda.open_ipc(handle, options) end

---Runs the functions of `stream:call` that are ready. For programs with a loop of their own.
---@return integer # the number of functions that ran
function cuda.poll() end

---Wraps a host value for one launch, which copies it to the device. Tables and bytes get the
---parameter's dtype.
---@param value table<any, any>|string|luacuda.Array
---@return luacuda.Argument
function cuda.input(value) end

---Wraps a host value for one launch, which fills it with what the kernel wrote. The launch returns
---when the table or the array in host memory is complete. An array in device memory is passed as it
---is, and the launch does not wait.
---@param value table<any, any>|luacuda.Array
---@return luacuda.Argument
function cuda.output(value) end

---Wraps a host value for one launch as both `cuda.input` and `cuda.output` do.
---@param value table<any, any>|luacuda.Array
---@return luacuda.Argument
function cuda.inout(value) end

---Passes the address of a view's first element, whatever its strides.
---@param a luacuda.Array
---@return luacuda.Argument
function cuda.raw(a) end

---Makes an address that can be an argument. It is not checked.
---@param address integer
---@return luacuda.Pointer
function cuda.ptr(address) end

---Makes a kernel from source.
---
---Raises `runtime` if the file at `path` cannot be read; `compile` at the first use.
---@param source string|luacuda.Source CUDA C++ (PTX and machine code are recognized)
---@param name? string kernel to return (default the only kernel)
---@param options? luacuda.options.kernel
---@return luacuda.Kernel
---@overload fun(source: string|luacuda.Source, options: luacuda.options.kernel): luacuda.Kernel
---@overload fun(everything: luacuda.options.kernel): luacuda.Kernel
function cuda.kernel(source, name, options) end

---Makes a module: the kernels and variables of one source, or of several sources and compiled code
---that are linked.
---
---Raises `runtime` if the file at `path` cannot be read; `compile` at the first use.
---@param source string|luacuda.Source CUDA C++ (PTX and machine code are recognized)
---@param options? luacuda.options.module
---@return luacuda.Module
---@overload fun(everything: luacuda.options.module): luacuda.Module
function cuda.module(source, options) end

---Makes a linker, which collects code one by one.
---@param options? luacuda.options.linker
---@return luacuda.Linker
function cuda.linker(options) end

---Compiles source without loading it.
---
---Raises `compile`; `runtime` if the file at `path` cannot be read.
---@param source string|luacuda.Source CUDA C++ (PTX and machine code are recognized)
---@param options? luacuda.options.compile
---@return string # the compiled code
---@return string # the compiler's log
---@overload fun(everything: luacuda.options.compile): string, string
function cuda.compile(source, options) end

---Returns the source as it is after the preprocessor, with nvcc, which has to be installed: NVRTC
---does not show this text.
---
---Raises `compile`; `runtime` if the file at `path` cannot be read.
---@param source string|luacuda.Source CUDA C++ (PTX and machine code are recognized)
---@param options? luacuda.options.preprocess
---@return string # the text
---@return string # the compiler's log
---@overload fun(everything: luacuda.options.preprocess): string, string
function cuda.preprocess(source, options) end

---Lists the compute capabilities that the compiler has targets for: `"sm_75"` and `"compute_75"`
---for 75, and so on.
---
---Raises `compile` if there is no such compiler.
---@param options? luacuda.options.architectures
---@return integer[] # such as `{ 75, 80, 90 }`
function cuda.architectures(options) end

---Sets flags for every source that this Lua state compiles from then on. They come after those of
---`LUACUDA_FLAGS` and before the option `flags`.
---@param flags? string|string[] new flags (default unchanged)
---@return string[] # the previous flags
function cuda.default_flags(flags) end

---Returns the version of nvcc.
---@param path? string the program (default found)
---@return integer? # major version, or nil where there is no nvcc
---@return integer|string # minor version, or the reason
---@return string? # what `nvcc --version` prints
function cuda.nvcc_version(path) end

---Makes a template of kernel source. `$(expression)` inserts a value; a line whose first character
---other than a space is `@` is a line of Lua; `$$(` and `@@` stand for themselves. The Lua code
---sees the names that the template is called with and `assert`, `error`, `ipairs`, `math`, `next`,
---`pairs`, `select`, `string`, `table`, `tonumber`, `tostring`, `type`, `utf8`.
---
---Raises a string with the template's line for Lua that does not compile.
---@param text string source with $(expression) and lines that begin with @
---@return luacuda.Template
function cuda.template(text) end

---Makes a kernel that computes element by element. In the body every parameter that is not raw is
---one element, `i` its index in C order from 0 and `n` (or `_ind.size()`) the number of elements;
---`_ind.get()[d]` is its index along axis `d` (from 0) of `_ind.ndim` axes. `return`, or `continue`
---outside of the body's own loops, ends this element. An empty body leaves the outputs as they are.
---Numbers alone give an array without axes. The strings of CuPy's `ElementwiseKernel` work
---unchanged.
---
---Raises a string for wrong declarations; at the first call with its types `compile`, or a string
---for a Lua function that cannot run on a device, with the file and line.
---@param inputs string parameters
---@param outputs string parameters that the body assigns
---@param body string|function computes one element
---@param name? string name of the kernel (default "elementwise")
---@param options? luacuda.options.elementwise
---@return luacuda.Elementwise
---@overload fun(everything: luacuda.options.elementwise_table): luacuda.Elementwise
function cuda.elementwise(inputs, outputs, body, name, options) end

---Makes a kernel that reduces axes of arrays. `map` sees the inputs, `i` (the index in C order in
---the common shape of the inputs), `_j` (the index in C order along the reduced axes) and `n` (the
---number of elements reduced to each result); all count from 0. `post` sees `a`, the outputs, `n`,
---raw inputs and inputs for which a call gives a number. No parameter may be called `a` or `b`.
---Without an identity a reduction of no elements raises.
---
---Raises a string for wrong declarations; at the first call with its types `compile`, or a string
---for a Lua function that cannot run on a device, with the file and line.
---@param inputs string parameters
---@param outputs string parameters, not raw
---@param map string|function expression of the inputs: the value of an element
---@param reduce string|function associative and commutative expression that combines the values `a` and `b`
---@param post string|function assigns the outputs from `a`, the combined value
---@param identity? string|number|boolean|table<any, any> expression: the value of no elements
---@param name? string name of the kernel (default "reduction")
---@param options? luacuda.options.reduction
---@return luacuda.Reduction
---@overload fun(everything: luacuda.options.reduction_table): luacuda.Reduction
function cuda.reduction(inputs, outputs, map, reduce, post, identity, name, options) end

---Makes a kernel that combines each element with all those before it: prefix sums with any
---associative operator, commutative or not. `map` sees the inputs, `i` (the index in C order from
---0) and `n` (the number of elements); `post` sees `a`, the outputs, raw parameters, `i` and `n`,
---and may write raw outputs anywhere (`if (keep[i]) y[a - 1] = v[i]`). No parameter may be called
---`a` or `b`.
---
---Raises a string for wrong declarations; at the first call with its types `compile`, or a string
---for a Lua function that cannot run on a device, with the file and line.
---@param inputs string parameters, at least one of them not raw
---@param outputs string parameters
---@param map string|function expression of the inputs: the value of an element
---@param scan string|function associative expression that combines the values `a` and `b`, `a` before `b`
---@param identity? string|number|boolean|table<any, any> expression: the value before the first element
---@param name? string name of the kernel (default "scan")
---@param options? luacuda.options.scan
---@return luacuda.Scan
---@overload fun(everything: luacuda.options.scan_table): luacuda.Scan
function cuda.scan(inputs, outputs, map, scan, identity, name, options) end

---Makes one kernel of a Lua function, for each combination of argument kinds.
---
---- It may use operators, the functions and methods that compute element by element, `astype`,
---  `where`, `clip` and `isclose`. Every intermediate value has the dtype that the operator gives
---  outside, and is rounded to it.
---
---- Comparisons, `if`, `and`, `or`, `not` and loops decide for each element. The text of the
---  function and of those that it calls is read for that, and compiled as by `cuda.jit`; all that
---  its functions may use is allowed then, but for arrays among upvalues. A number as a condition
---  is true. A variable that is assigned in branches or loops has one type, as in kernels.
---
---- It may use reductions, each a kernel of its own, and go on with what they give: `sum`, `prod`,
---  `min`, `max`, `ptp`, `mean`, `var`, `std`, `any`, `all`, `argmin`, `argmax`, `count_nonzero`,
---  and those that leave out NaN. In a function that decides by elements they stand in its own
---  statements, outside of branches and loops.
---
---- Numbers passed as arguments, `#x`, `x.size`, `x.ndim` and `x.shape[k]` are parameters of the
---  kernel. Booleans passed as arguments, upvalues, globals and fields of tables are constants; for
---  another value another kernel is made.
---
---- A function that decides nothing by elements runs once on values that stand for its arguments;
---  what it does to them is recorded and compiled. So does a function whose text is not known:
---  `source` then begins with a comment that says why. Such a trace does not notice changes of
---  fields and globals. In it, `if x` and `x and y` treat an array as true, and `x == 0` is false;
---  `<`, `<=` and `==` between traced values raise.
---
---- Indexing, functions of whole arrays and `tostring` raise.
---@param fn function of arrays and numbers
---@param options? luacuda.options.fuse
---@return luacuda.Fused
function cuda.fuse(fn, options) end

---Makes a kernel of a Lua function. Nothing is compiled before it is called.
---
---Raises a string if the function's text cannot be found.
---@param fn function|string of arrays and numbers, or its text
---@param options? luacuda.options.jit
---@return luacuda.Jit
function cuda.jit(fn, options) end

---Makes a function of arrays that runs a Lua function for each element. Nothing is compiled before
---it is called. The rules are those of kernels; arrays among its upvalues are read whole, by index.
---An element of an array of structs is a reference with fields, `p.mass`, which the function only
---reads.
---
---Raises a string if the function's text cannot be found, or if it has no parameters.
---@param fn function|string of numbers, the elements of its arguments, or its text
---@param options? luacuda.options.vectorize
---@return luacuda.Vectorized
function cuda.vectorize(fn, options) end

---Takes a function in CUDA C++ for kernels written in Lua, for `cuda.vectorize`, and for all other
---functions in Lua that run on a device. Its types are those of its declaration. A parameter is a
---number, a boolean, or a pointer to numbers, which takes a contiguous array, a row, or an array of
---the block or of the thread. Arguments are converted as elements are that are stored. The result
---is a number, a boolean or nothing; a function returns more through pointers. The compiler sees
---the whole source in each kernel that calls the function, so sources that one kernel uses together
---must not define the same name. C++ types of dtypes (`float32`, `complex64`) are known.
---
---Raises a string if the source has no such function marked `__device__`, or an overloaded one.
---@param source? string CUDA C++, or the text that a template makes; nil with `path`
---@param name? string the function meant; an instance of a template is named like "f<float>" (default the only function)
---@param options? luacuda.options.device_function
---@return luacuda.DeviceFunction
---@overload fun(options: luacuda.options.device_function): luacuda.DeviceFunction
---@overload fun(source: string, options: luacuda.options.device_function): luacuda.DeviceFunction
---@overload fun(everything: luacuda.options.device_function_table): luacuda.DeviceFunction
function cuda.device_function(source, name, options) end

---Waits for the current device, calls `fn()`, and waits for its work. Returns the timeline of the
---kernels, copies, fills, waits, compilations and [ranges](#range) of this thread. Work captured
---into a graph and work that other libraries queue is not part of it. `fn` cannot yield.
---
---Raises the errors of `fn`, and of the work that it queues.
---@param fn function
---@param options? luacuda.options.profile
---@return luacuda.Profile
function cuda.profile(fn, options) end

---Times calls of `fn(...)`. A table of named values at the end is taken for the options: if the
---last argument of `fn` is such a table, put `{}` after it. The clock runs from the call until the
---device is idle, the events from the first work of the call to its last on the stream. `fn` cannot
---yield. `kernel:benchmark` times one kernel without the cost of calling it.
---
---Raises the errors of `fn`.
---@param fn function
---@param ... any arguments of `fn`, then optionally a table of the options `runs` (20), the number of timed calls, `warmup` (3), the number of calls before them, and `stream` (the current one), current during the calls
---@return table # `min_ms`, `median_ms`, `mean_ms` and `spread_ms` (the distance between the quartiles) by the clock, `runs`, and `gpu`, a table of the same by events on the stream
function cuda.benchmark(fn, ...) end

---Names a part of the program, for `cuda.profile` and for profilers that understand NVTX, such as
---nsys. `local r <close> = cuda.range(name)` ends with the block, `cuda.range(name, fn, ...)` with
---the call of `fn`. Calls nest; range objects may overlap, and nsys shows them as ranges of the
---process. The profiler's library is the one that `NVTX_INJECTION64_PATH` names, which nsys sets.
---`fn` cannot yield.
---
---Raises the errors of `fn`.
---@param name string
---@param fn? function
---@param ... any arguments of `fn`
---@return luacuda.Range|any # an open range; with `fn` all results of `fn`
function cuda.range(name, fn, ...) end

---Searches a space of parameters for the fastest candidate. Times are taken by events on the
---stream, as in `cuda.benchmark`. Candidates that cannot be made or run, or whose results are
---wrong, are rows with the reason. A measurement whose runs vary by more than a fifth of their
---median is repeated up to twice. A candidate more than four times as slow as the best one is run
---twice. Those within a tenth of the best, at most three, are measured again with more runs. Waits
---for the device, and shows at a terminal how far it is.
---
---`"all"` measures every point. `"halving"` (successive halving, Jamieson and Talwalkar 2016) looks
---at random points, measures the best third of them again, and goes from the best ones to neighbors
---as long as these are faster. `"random"` measures random points.
---
---What is kept belongs to the device, driver, compiler and version of the library, and to the name,
---key, space and code of `make` and `where`. It is measured again if the sources of the kernels
---that `make` makes have changed. Rows are kept while the search runs, so that one that was
---interrupted goes on where it ended; so does one with a larger `budget_ms` or more `candidates`.
---
---On a GPU a fault in a kernel ends CUDA for the process, and so the search: `stopped` says so, and
---the next process continues after that candidate.
---
---Raises `runtime` if no candidate could be measured, with the reasons; the errors of `where`,
---`reset`, `metrics` and `observe`.
---@param options luacuda.options.tune
---@return luacuda.Tuning
function cuda.tune(options) end

---Calls `fn(stream)` and records the work that it queues on the current device. The stream is
---current during the call and stands for the null stream, and the program's other streams may be
---used too. Work that runs on them meanwhile is not touched. `fn` cannot yield.
---
---Random numbers that are drawn inside are the same at every launch. An event recorded inside is
---recorded at every launch; one that was recorded outside is waited for at every launch, as
---recorded last at that time. Other threads must not wait for the whole device while a graph is
---recorded.
---
---Raises the errors of `fn`; `logic` from any call inside that would wait for a device, that
---launches a graph or records another one. The recording is then thrown away.
---@param fn function called with a Stream
---@return luacuda.Graph
---@return any # all results of `fn`
function cuda.graph(fn) end

---Returns whether the value is an error of this library, of that kind. With `cuda.debug{ errors =
---"string" }` this also recognizes the texts of the latest sixteen errors, with or without a
---position in front.
---@param value any
---@param kind? "compile"|"memory"|"launch"|"logic"|"communication"|"runtime" default: any
---@return boolean
function cuda.is_error(value, kind) end

---Returns the object of an error that was raised as its text.
---@param error? any an error as caught (default the latest error of this Lua state)
---@return luacuda.Error? # nil for other values and for texts that are too old
function cuda.last_error(error) end

return cuda
