---@meta luacuda
-- luacheck: ignore
-- Made by tools/docgen.lua from docs/api/*.lua: change those.

---One handle per device, so `==` and table keys work. Every attribute of the driver is a field too, by its name in lower case (`device.warp_size`); one that the driver lacks reads nil.
---@class luacuda.Device
---@field name string As the driver calls it.
---@field label string What messages call it.
---@field kind string What it is.
---@field ordinal integer Its number, as in nvidia-smi.
---@field arch string What to compile for.
---@field cc integer Compute capability as one number.
---@field compute_capability integer[] Compute capability.
---@field total_memory integer Its memory.
---@field pci_bus_id string? Where it sits; nil on the CPU device.
---@field uuid string? Its unique name.
---@field stream luacuda.Stream The device's current stream in this Lua state.
---@field null_stream luacuda.Stream The default stream.
local Device = {}

---One attribute.
---@param name string in any case, with or without CU_DEVICE_ATTRIBUTE_
---@return integer? # nil where the driver lacks it
function Device:attribute(name) end

---All attributes that the driver knows.
---@return table # name to integer
function Device:attributes() end

---Is the attribute there and not 0?
---@param name string an attribute; "_supported" may be left out
---@return boolean
function Device:supports(name) end

---Memory now.
---@return integer # free bytes
---@return integer # total bytes
function Device:memory_info() end

---Waits for all its work.
---@return luacuda.Device # itself
function Device:synchronize() end

---Makes it current.
---@return luacuda.Device # the one current before
function Device:use() end

---Gives everything the driver holds for it back; the next use starts afresh. Kernels of operators, functions of arrays and builders are unloaded, and loaded again when they are used.
---@param options? { force?: boolean }
function Device:reset(options) end

---Reads or sets a limit.
---@param name string stack_size, printf_fifo_size, malloc_heap_size, dev_runtime_sync_depth, dev_runtime_pending_launch_count, max_l2_fetch_granularity or persisting_l2_cache_size
---@param value? integer bytes or count
---@return integer # as the driver rounded it
function Device:limit(name, value) end

---Could it use the other's memory directly?
---@param other luacuda.Device|integer|string
---@return boolean
function Device:can_access_peer(other) end

---Lets its kernels use the other's memory. The first copy between two GPUs, and the first launch with an array of another GPU, do that themselves where it is possible. Twice is harmless.
---@param other luacuda.Device|integer|string
---@return luacuda.Device # itself
function Device:enable_peer(other) end

---Ends that; nothing but `enable_peer` turns it on again. Copies take another way.
---@param other luacuda.Device|integer|string
---@return luacuda.Device # itself
function Device:disable_peer(other) end

---Work on a stream runs in order. Work on one array from two streams is ordered automatically: the later waits for what the earlier had queued.
---@class luacuda.Stream
---@field device luacuda.Device Where it runs.
---@field priority integer As the driver clamped it; lower runs first.
---@field blocking boolean Does it wait for the null stream?
---@field is_null boolean Is it the device's default stream?
---@field pointer integer The driver's handle.
local Stream = {}

---Waits for all its work.
---@return luacuda.Stream # itself
function Stream:synchronize() end

---Has all queued work ended? A fault is left to the calls that wait.
---@return boolean
function Stream:is_done() end

---What is queued from now on comes after the event, or after all the other stream has queued.
---@param what luacuda.Event|luacuda.Stream
---@return luacuda.Stream # itself
function Stream:wait(what) end

---Makes it current on its device.
---@return luacuda.Stream # the one current before
function Stream:use() end

---Ends the handle; queued work goes on. Twice is harmless.
function Stream:close() end

---The same as close.
function Stream:free() end

---Marks in streams. An event that was never recorded counts as complete.
---@class luacuda.Event
---@field device luacuda.Device Where it belongs.
---@field timing boolean Does it take times?
---@field blocking boolean Does waiting for it sleep rather than spin?
---@field interprocess boolean May other processes open it?
---@field recorded boolean Was it ever recorded?
---@field pointer integer The driver's handle.
local Event = {}

---Marks what the stream has queued so far.
---@param stream? luacuda.Stream the device's current one
---@return luacuda.Event # itself
function Event:record(stream) end

---Waits until it is reached.
---@return luacuda.Event # itself
function Event:synchronize() end

---Is it reached? A fault is left to the calls that wait.
---@return boolean
function Event:is_done() end

---Time from `start` to this event; waits for both.
---@param start luacuda.Event
---@return number # milliseconds
function Event:elapsed_ms(start) end

---Ends the event. Twice is harmless.
function Event:close() end

---The same as close.
function Event:free() end

---One class for memory of GPUs, of the CPU device and of the host. `a[i]` reads an element or a row, `a[i] = v` writes one (an element of structs is a `Record`, which writes through), `a[mask]` and `a[indices]` select (see `compress`, `take`); indices start at 1, -1 is the last, `#a` is `a.shape[1]`.
---@class luacuda.Array
---@field shape luacuda.Shape Elements per axis: a list of integers that cannot be written.
---@field strides luacuda.Shape From element to element along each axis.
---@field dtype string|luacuda.Struct The element type.
---@field size integer Number of elements.
---@field nbytes integer Bytes of all elements.
---@field ndim integer Number of axes.
---@field device luacuda.Device Where work on it runs.
---@field memory string The kind of memory.
---@field pointer integer The address of the first element; outside automatic ordering.
---@field is_contiguous boolean Is it in C order without gaps?
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
local Array = {}

---Are the shapes equal?
---@param other luacuda.Array
---@return boolean
function Array:same_shape(other) end

---All elements; waits for work on the array.
---@param reuse? table filled instead of a new one
---@return table # nested
function Array:totable(reuse) end

---All elements as bytes; waits.
---@return string
function Array:tobytes() end

---One element; waits.
---@param ... integer one index per axis; none where there is only one element
---@return number|boolean|luacuda.Complex|table
function Array:item(...) end

---Writes one element.
---@param value any
---@param ... integer one index per axis
---@return luacuda.Array # itself
function Array:setitem(value, ...) end

---Writes all elements, converting.
---@param data table|string|number|boolean|luacuda.Complex|luacuda.Array of that shape or broadcast; bytes of that size; one value for all
---@param options? { stream?: luacuda.Stream }
---@return luacuda.Array # itself
function Array:set(data, options) end

---Writes one value everywhere.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar|table a table being a struct
---@param options? { stream?: luacuda.Stream }
---@return luacuda.Array # itself
function Array:fill(value, options) end

---Same shape and elements, whatever the dtypes? NaN equals nothing. Waits.
---@param other luacuda.Array
---@return boolean
function Array:equals(other) end

---A part; both ends are included, axes not named are whole.
---@param ... integer|table per axis {first, last, step}, {} for all, an integer drops the axis
---@return luacuda.Array # a view
function Array:slice(...) end

---Swaps axes.
---@param ... integer|integer[] all axes in their new order (reversed)
---@return luacuda.Array # a view
function Array:transpose(...) end

---Repeats without copying.
---@param shape integer|integer[]
---@return luacuda.Array # a view
function Array:broadcast_to(shape) end

---Other axes over the same elements.
---@param shape integer|integer[] one extent may be -1
---@return luacuda.Array # a view
function Array:reshape(shape) end

---The same bytes as another type; where its size differs, the last axis changes.
---@param dtype string|luacuda.Struct
---@return luacuda.Array # a view
function Array:view(dtype) end

---A contiguous copy.
---@param options? { stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function Array:copy(options) end

---In C order without gaps.
---@param options? { stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array # itself when it is so already
function Array:contiguous(options) end

---On another device.
---@param device luacuda.Device|integer|string
---@param options? { stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array # itself when it is there already
function Array:to(device, options) end

---Converted elements.
---@param dtype string
---@param options? { stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function Array:astype(dtype, options) end

---Writes a NumPy file (.npy). The old file is replaced when the new one is complete.
---@param path string
---@return luacuda.Array # itself
function Array:save_npy(path) end

---Ends this handle; memory returns when its last view goes. Twice is harmless.
function Array:close() end

---The same as close.
function Array:free() end

---`x + y`: the sum; or, of booleans. Shapes broadcast, dtypes are joined as in NumPy 2 (docs/design/promotion.md), integers wrap around.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:add(y, options) end

---`x - y`: the difference.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:subtract(y, options) end

---`x * y`: the product; and, of booleans.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:multiply(y, options) end

---`x / y`: the quotient; float64 for integers.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:divide(y, options) end

---`x // y`: the quotient rounded down; 0 for integers divided by zero.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:floor_divide(y, options) end

---`x % y`: the remainder, with the sign of y; 0 for integers divided by zero.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:mod(y, options) end

---`x ^ y`: x to the power of y. Integers to a negative Lua integer raise; to negative elements they give 0 (1 and -1 for the bases 1 and -1).
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:power(y, options) end

---`-x`.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:negative(options) end

---The greater of two; NaN where there is one.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:maximum(y, options) end

---The lesser of two; NaN where there is one.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:minimum(y, options) end

---The greater of two; of a number and NaN the number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:fmax(y, options) end

---The lesser of two; of a number and NaN the number.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:fmin(y, options) end

---x, but not less than lo and not more than hi; either may be nil. NaN stays.
---@param lo luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar|nil
---@param hi luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar|nil
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:clip(lo, hi, options) end

---`x & y`, of integers or booleans.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:bitwise_and(y, options) end

---`x | y`, of integers or booleans.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:bitwise_or(y, options) end

---`x ~ y`, of integers or booleans.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:bitwise_xor(y, options) end

---`~x`, of integers or booleans.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:bitwise_not(options) end

---`x << y`, of integers; 0 when y is the width of the type or more, or negative.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:left_shift(y, options) end

---`x >> y`, of integers, with their sign; 0 or -1 when y is the width of the type or more, or negative.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:right_shift(y, options) end

---x == y for each element, a bool array. (The operators ==, < and <= cannot: Lua makes one boolean of them.)
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:eq(y, options) end

---x ~= y for each element, a bool array.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:ne(y, options) end

---x < y for each element, a bool array. Integers are compared exactly, complex numbers by real, then imaginary parts.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:lt(y, options) end

---x <= y for each element, a bool array.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:le(y, options) end

---x > y for each element, a bool array.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:gt(y, options) end

---x >= y for each element, a bool array.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:ge(y, options) end

---Are both not zero? A bool array.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:logical_and(y, options) end

---Is one not zero? A bool array.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:logical_or(y, options) end

---Is exactly one not zero? A bool array.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:logical_xor(y, options) end

---Is it zero? A bool array.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:logical_not(options) end

---The square root.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:sqrt(options) end

---The cube root.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:cbrt(options) end

---x * x.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:square(options) end

---1 / x; of integers truncated, 0 for 0.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:reciprocal(options) end

---e to the power of x.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:exp(options) end

---2 to the power of x.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:exp2(options) end

---exp(x) - 1, accurate near 0.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:expm1(options) end

---The natural logarithm.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:log(options) end

---The logarithm to base 2.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:log2(options) end

---The logarithm to base 10.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:log10(options) end

---log(1 + x), accurate near 0.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:log1p(options) end

---The sine.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:sin(options) end

---The cosine.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:cos(options) end

---The tangent.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:tan(options) end

---The inverse sine.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:asin(options) end

---The inverse cosine.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:acos(options) end

---The inverse tangent.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:atan(options) end

---The hyperbolic sine.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:sinh(options) end

---The hyperbolic cosine.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:cosh(options) end

---The hyperbolic tangent.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:tanh(options) end

---The inverse hyperbolic sine.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:asinh(options) end

---The inverse hyperbolic cosine.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:acosh(options) end

---The inverse hyperbolic tangent.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:atanh(options) end

---Degrees as radians.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:deg2rad(options) end

---Radians as degrees.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:rad2deg(options) end

---Rounded down; integers stay.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:floor(options) end

---Rounded up; integers stay.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:ceil(options) end

---Rounded towards zero; integers stay.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:trunc(options) end

---Rounded to the nearest integer, halves to the even one; integers become floats.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:rint(options) end

---The absolute value; real for complex numbers. The least integer stays.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:abs(options) end

----1, 0 or 1; NaN stays; z / abs(z) for complex numbers.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:sign(options) end

---The real parts.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:real(options) end

---The imaginary parts.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:imag(options) end

---The complex conjugates.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:conj(options) end

---The angles of complex numbers, in radians.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:angle(options) end

---Is it NaN? A bool array.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:isnan(options) end

---Is it infinite? A bool array.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:isinf(options) end

---Is it neither infinite nor NaN? A bool array.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:isfinite(options) end

---Is the sign bit set (-0 too)? A bool array.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:signbit(options) end

---The error function.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:erf(options) end

---1 - erf(x), accurate for large x.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:erfc(options) end

---The gamma function.
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:tgamma(options) end

---log(abs(tgamma(x))).
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:lgamma(options) end

---Rounded to so many decimals, halves to the even one; integers stay, or are rounded to tens, hundreds with -1, -2.
---@param decimals? integer -18 to 18 (0)
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function Array:round(decimals, options) end

---The matrix product. The last two axes are the matrices, the axes before them broadcast; a vector is a row on the left and a column on the right, and its axis is not in the result. A result without axes is a Lua value (and is waited for), or with `out` an array. Views are taken as they lie wherever that is possible, transposed ones always. Dtypes: dtypes are promoted as by `a * b`; float16 and bfloat16 are summed in float32, integers wrap in their own dtype, of booleans it is the or of ands. On GPUs float and complex products use cuBLAS where it is found; other dtypes, the CPU device and GPUs without it (or with `LUACUDA_LIBCUBLAS=off`) use LuaCUDA's own kernel, which is compiled at the first use for a dtype.
---@param b luacuda.Array on the same device
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, backend?: string, tf32?: boolean }
---@return luacuda.Array|number|boolean|luacuda.Complex
function Array:matmul(b, options) end

---The sum of products over the last axis of a and the last but one of b (its only one, if it has one): for vectors the scalar product, for matrices what matmul gives. A result without axes is a Lua value (and is waited for), or with `out` an array. With an array of no axes: a * b.
---@param b luacuda.Array on the same device
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, backend?: string, tf32?: boolean }
---@return luacuda.Array|number|boolean|luacuda.Complex
function Array:dot(b, options) end

---The sum of the diagonal of a matrix.
---@param options? { out?: luacuda.Array, dtype?: string, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex
function Array:trace(options) end

---Norms, computed in float32 for 16-bit types, with a result of a's float type (float64 for integers). Without `axis` and `ord`: the root of the sum of all squares. For vectors (one axis) `ord` is 2, 1, math.huge (the largest absolute value, 0 without elements), -math.huge (the smallest), 0 (how many are not zero) or any p; for matrices (two axes) "fro", 1, -1 (the largest, smallest sum of a column), math.huge or -math.huge (of a row). Over everything without `out`, `axis` or `keepdims`: a Lua number (waits).
---@param options? { ord?: number|string, axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number
function Array:norm(options) end

---Elements added. Booleans and integers make int64 or uint64 unless `dtype` is given; half types are computed in float. No elements make 0.
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, dtype?: string, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function Array:sum(options) end

---Elements multiplied. Booleans and integers make int64 or uint64 unless `dtype` is given; half types are computed in float. No elements make 1.
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, dtype?: string, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function Array:prod(options) end

---The sum divided by the number of elements. Booleans and integers make float64 unless `dtype` is given; half types are computed in float. No elements make NaN.
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, dtype?: string, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function Array:mean(options) end

---The mean of the squared distances from the mean, which is found first (two passes: Chan, Golub and LeVeque 1983). Booleans and integers make float64 unless `dtype` is given; half types are computed in float. Of complex numbers it is real.
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, dtype?: string, ddof?: number, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function Array:var(options) end

---The square root of `var`.
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, dtype?: string, ddof?: number, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function Array:std(options) end

---The smallest element. NaN wins. Complex numbers compare by real, then by imaginary part.
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function Array:min(options) end

---The largest element. NaN wins. Complex numbers compare by real, then by imaginary part.
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function Array:max(options) end

---Where the smallest element is: int64, from 1 along the reduced axes in C order, the first of equal ones. NaN wins. Complex numbers compare by real, then by imaginary part.
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function Array:argmin(options) end

---Where the largest element is: int64, from 1 along the reduced axes in C order, the first of equal ones. NaN wins. Complex numbers compare by real, then by imaginary part.
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function Array:argmax(options) end

---Is some element not zero? NaN is not. No elements make false.
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function Array:any(options) end

---Is every element not zero? No elements make true.
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function Array:all(options) end

---How many elements are not zero: int64.
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function Array:count_nonzero(options) end

---Every element with all before it added. Integers and booleans make int64 or uint64 unless `dtype` is given; half types are computed in float. The same array gives the same bits each time.
---@param options? { axis?: integer, dtype?: string, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array
function Array:cumsum(options) end

---Every element with all before it multiplied. Integers and booleans make int64 or uint64 unless `dtype` is given; half types are computed in float. The same array gives the same bits each time.
---@param options? { axis?: integer, dtype?: string, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array
function Array:cumprod(options) end

---The largest element so far. NaN stays once it is there. Complex numbers raise.
---@param options? { axis?: integer, dtype?: string, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array
function Array:cummax(options) end

---The smallest element so far. NaN stays once it is there. Complex numbers raise.
---@param options? { axis?: integer, dtype?: string, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array
function Array:cummin(options) end

---Sorts along an axis. NaN counts as greater than everything; complex numbers go by real, then imaginary part. -0.0 comes before 0.0. Rows of up to 4096 elements are sorted in one launch without memory of their own; longer ones by a radix sort, one read and one write per byte of an element after one more read, with memory for a copy. Axes other than the last and arrays with gaps are copied first. In place; `cuda.sort(a)` gives a copy.
---@param options? { axis?: integer, descending?: boolean, stream?: luacuda.Stream }
---@return luacuda.Array # itself
function Array:sort(options) end

---Indices, from 1, that sort along an axis; elements that are equal (as are -0.0 and 0.0, and NaNs) keep their order, also when descending. NaN counts as greater than everything; complex numbers go by real, then imaginary part. Rows of up to 4096 elements are sorted in one launch without memory of their own; longer ones by a radix sort, one read and one write per byte of an element after one more read, with memory for a copy of keys and of 32-bit indices (two of each for 4 and 8 bytes).
---@param options? { axis?: integer, descending?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array # int64
function Array:argsort(options) end

---Elements where the mask is set, in C order; a mask of fewer axes selects rows, `axis` along another axis. `a[mask]` is the same. Reads the mask once, waits for the number of elements, then reads and writes what is selected; rows are taken by indices.
---@param mask luacuda.Array bool, of the shape of a's first axes
---@param options? { axis?: integer, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array
function Array:compress(mask, options) end

---Where elements are not zero: indices from 1, in C order. Waits for their number. The arrays share memory.
---@param options? { stream?: luacuda.Stream }
---@return luacuda.Array # int64, one for each axis
function Array:nonzero(options) end

---Writes where the mask is set: one value, or from an array of a's shape the element of the same place, or else values in order, as many as are selected (waits for their number). `a[mask] = values` is the same. An array with gaps is copied and written back.
---@param mask luacuda.Array bool, of the shape of a's first axes
---@param values luacuda.Array|table|number|boolean|luacuda.Complex|luacuda.Scalar converted to a's dtype
---@param options? { stream?: luacuda.Stream }
---@return luacuda.Array # itself
function Array:putmask(mask, values, options) end

---Elements by index along an axis, without `axis` of a seen as one row; the indices' shape takes the axis's place. An integer drops the axis. `a[indices]` takes along the first axis. Mode "raise" waits; "clip" and "wrap" do not, and wrap takes (i - 1) % n + 1, so that 0 is the last.
---@param indices luacuda.Array|integer|table of integers from 1, or negative from the end; any shape
---@param options? { axis?: integer, out?: luacuda.Array, mode?: string, stream?: luacuda.Stream }
---@return luacuda.Array
function Array:take(indices, options) end

---Writes elements by index of a seen as one row; values are repeated as often as needed. Which of several values for one element stays is not defined. Mode "raise" checks all indices first and waits.
---@param indices luacuda.Array|integer|table of integers from 1, or negative from the end; any shape
---@param values luacuda.Array|table|number|boolean|luacuda.Complex|luacuda.Scalar converted to a's dtype
---@param options? { mode?: string, stream?: luacuda.Stream }
---@return luacuda.Array # itself
function Array:put(indices, values, options) end

---Compiled at first use for the device then in use, and again for each other one.
---@class luacuda.Module
---@field kernels table Kernels by name: `module.kernels.saxpy`; called, as in `module:kernels()`, the list of names. `pairs` goes over names and kernels.
---@field log string The compiler's warnings.
local Module = {}

---One of its kernels, compiled with the module or added.
---@param name string plain, with namespaces, or a template instance
---@return luacuda.Kernel
function Module:kernel(name) end

---A `__device__`, `__constant__` or `__managed__` variable, or an instance of a variable template that a kernel of the module uses (`"table<float>"`).
---@param name string
---@param options? { dtype?: string|luacuda.Struct }
---@return luacuda.Array # over the variable
function Module:global(name, options) end

---Compiles and loads the module and all its kernels now.
---@return luacuda.Module # itself
function Module:compile() end

---What was given to the compiler.
---@return string
function Module:source() end

---Ends the handle; code is unloaded with the last kernel.
function Module:close() end

---The same as close.
function Module:free() end

---Called with a launch table and the arguments, which are checked and converted before anything is launched. Numbers of the driver are fields of the current device; those it lets one set are set by assignment, for every device.
---@class luacuda.Kernel
---@overload fun(...): any
---@field name string Its name.
---@field signature table[] What it takes. `known` is false where a loaded binary does not say what the parameter's type is: PTX gives the size of a parameter of an `extern "C"` kernel, but not to what type a pointer points, so an array of any dtype is taken there.
---@field max_threads_per_block integer The largest block it can have.
---@field num_regs integer Registers per thread.
---@field shared_size_bytes integer Static shared memory.
---@field const_size_bytes integer Constant memory.
---@field local_size_bytes integer Local memory per thread.
---@field ptx_version integer PTX version, 80 for 8.0.
---@field binary_version integer Architecture of the machine code.
---@field cache_mode_ca integer Caching mode.
---@field max_dynamic_shared_size_bytes integer Largest dynamic shared memory (settable).
---@field preferred_shared_memory_carveout integer Percent of L1 kept for shared memory (settable).
---@field cluster_size_must_be_set integer Does a launch need a cluster size?
---@field required_cluster_width integer Cluster size it was compiled for, x.
---@field required_cluster_height integer The same, y.
---@field required_cluster_depth integer The same, z.
---@field non_portable_cluster_size_allowed integer Are clusters of 16 allowed (settable)?
---@field cluster_scheduling_policy_preference integer How clusters are spread (settable).
local Kernel = {}

---Checks the launch once; the table is copied, the device fixed.
---@param launch table { grid =, block = } or { threads = }, and shared =, stream =, cooperative =, cluster =, ordered =
---@return luacuda.Prepared # call it with the arguments
function Kernel:prepare(launch) end

---Launches, waits, and tells how long it took on the device.
---@param launch table { grid =, block = } or { threads = }, and shared =, stream =, cooperative =, cluster =, ordered =
---@param ... any arguments
---@return number # milliseconds
function Kernel:time_ms(launch, ...) end

---Launches many times and waits.
---@param launch table { grid =, block = } or { threads = }, and shared =, stream =, cooperative =, cluster =, ordered =, runs =, warmup = (20 and 3)
---@param ... any arguments
---@return table # min_ms, median_ms, mean_ms, runs
function Kernel:benchmark(launch, ...) end

---How full a multiprocessor gets.
---@param block integer|integer[]
---@param shared? integer bytes of dynamic shared memory (0)
---@return integer # blocks per multiprocessor
---@return number # share of the threads it can hold, 0 to 1
function Kernel:occupancy(block, shared) end

---All the driver's numbers.
---@return table # name to integer
function Kernel:attributes() end

---What was given to the compiler.
---@return string
function Kernel:source() end

---PTX of its module for the current device.
---@return string
function Kernel:ptx() end

---Compiles and loads now.
---@return luacuda.Kernel # itself
function Kernel:compile() end

---Ends the handle.
function Kernel:close() end

---The same as close.
function Kernel:free() end

---What `cuda.elementwise` gives. One kernel is compiled for each combination of dtypes and each way in which the arrays lie, when it is first needed, and kept.
---@class luacuda.Elementwise
---@overload fun(...): any
---@field name string Its name.
local Elementwise = {}

---CUDA text of the kernel that a call with these arguments runs, which is compiled but not launched; without arguments of the kernel made last, or of one for contiguous arrays.
---@param ... any arguments as in a call
---@return string
function Elementwise:source(...) end

---PTX of that kernel.
---@param ... any arguments as in a call
---@return string
function Elementwise:ptx(...) end

---What was made so far.
---@return table[] # per kernel: types (of the parameters), mode ("flat", "strided", "tile"), vector (elements per access), ndim, wide (64-bit indices), device
function Elementwise:cached() end

---What `cuda.fuse` gives. Functions with the same code and equal upvalues share their kernels.
---@class luacuda.Fused
---@overload fun(...): any
---@field name string Its name.
local Fused = {}

---CUDA text of the kernels that a call with these arguments runs, which are not launched; without arguments of those traced last.
---@param ... any arguments as in a call
---@return string
function Fused:source(...) end

---PTX of these kernels.
---@param ... any arguments as in a call
---@return string
function Fused:ptx(...) end

---What was traced for the function with its upvalues as they are.
---@return table[] # per trace: arguments (kinds: a dtype, "=dtype" for a typed scalar, "int", "float", "complex", "false", "true"), results (dtypes), kernels (as `cached` of the builders lists them)
function Fused:cached() end

---What `cuda.reduction` gives. One kernel is compiled for each combination of dtypes and each way in which the arrays lie, when it is first needed, and kept.
---@class luacuda.Reduction
---@overload fun(...): any
---@field name string Its name.
local Reduction = {}

---CUDA text of the kernels, one or two, that a call with these arguments runs, which are compiled but not launched; without arguments of the kernel made last.
---@param ... any arguments as in a call
---@return string
function Reduction:source(...) end

---PTX of these kernels.
---@param ... any arguments as in a call
---@return string
function Reduction:ptx(...) end

---What was made so far.
---@return table[] # per kernel: types (of the parameters), mode ("rows", "columns"), pass ("whole", or "partial" and "final"), vector (elements per access), kept and inner (numbers of axes), wide (64-bit indices), device
function Reduction:cached() end

---What `cuda.scan` gives. One kernel is compiled for each combination of dtypes and each way in which the arrays lie, when it is first needed, and kept.
---@class luacuda.Scan
---@overload fun(...): any
---@field name string Its name.
local Scan = {}

---CUDA text of the kernel that a call with these arguments runs, which is compiled but not launched; without arguments of the kernel made last.
---@param ... any arguments as in a call
---@return string
function Scan:source(...) end

---PTX of that kernel for the current device.
---@param ... any arguments as in a call
---@return string
function Scan:ptx(...) end

---What was made so far.
---@return table[] # per kernel: types (of the parameters), mode ("flat", "columns"), vector (elements per access), exclusive, segments (dtype), device
function Scan:cached() end

---What `cuda.random.generator` gives: a seed and a position in its sequence, which is Philox4x32-10's. A draw depends on the seed and on the draws before it (how many, of which sizes), not on the device, the stream or the launch: all devices give the same bits, but for `normal`. It runs one kernel, which computes and writes each element once, and does not wait. Kernels are compiled at the first use for a dtype.
---@class luacuda.Generator
local Generator = {}

---Numbers from `low` up to, not with, `high`, at equal distances: 2^24 of them for float32, 2^53 for float64, 2^11 for float16, 2^8 for bfloat16. Where `low` and `high` are not 0 and 1, low + (high - low) * u is rounded, which may give `high`.
---@param shape? integer|integer[] of the result; that of `out`, where it is left out
---@param options? { low?: number, high?: number, dtype?: string, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device|integer|string }
---@return luacuda.Array
function Generator:uniform(shape, options) end

---Numbers of the normal distribution, by Box and Muller's method, at most 5.8 standard deviations from the mean (float64: 8.6). All but float64 are computed with the device's approximations of logarithm, sine and cosine, so that the last bits may differ between devices.
---@param shape? integer|integer[] of the result; that of `out`, where it is left out
---@param options? { mean?: number, std?: number, dtype?: string, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device|integer|string }
---@return luacuda.Array
function Generator:normal(shape, options) end

---Integers from `low` to `high`, both included, as Lua's math.random has them; all are equally likely.
---@param low integer
---@param high integer
---@param shape? integer|integer[] of the result; that of `out`, where it is left out
---@param options? { dtype?: string, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device|integer|string }
---@return luacuda.Array
function Generator:integers(low, high, shape, options) end

---The generator's words in their order; two make a uint64, the lower first.
---@param shape? integer|integer[] of the result; that of `out`, where it is left out
---@param options? { dtype?: string, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device|integer|string }
---@return luacuda.Array
function Generator:bits(shape, options) end

---The integers from 1 to n in random order as int64, or an array's rows (along its first axis) in random order, as a copy. Costs a sort of n random 64-bit keys with their indices, and for an array the copy.
---@param what integer|luacuda.Array n or an array with at least one axis
---@param options? { stream?: luacuda.Stream, device?: luacuda.Device|integer|string }
---@return luacuda.Array
function Generator:permutation(what, options) end

---Starts again, as a new generator of that seed does. (`cuda.random.seed` returns nothing.)
---@param seed integer all 64 bits count
---@return luacuda.Generator # itself
function Generator:seed(seed) end

---What `kernel:prepare` gives.
---@class luacuda.Prepared
---@overload fun(...): any
---@field kernel luacuda.Kernel Of which kernel.
---@field device luacuda.Device On which device.
---@field grid integer[] Blocks, x y z.
---@field block integer[] Threads of a block, x y z.
local Prepared = {}

---Ends the handle.
function Prepared:close() end

---The same as close.
function Prepared:free() end

---Laid out as C does; also an element type.
---@class luacuda.Struct
---@field name string Its name.
---@field size integer sizeof.
---@field align integer alignof.
---@field fields table[] In C's order.
local Struct = {}

---Bytes as C lays them out.
---@param value table by name or position
---@return string
function Struct:pack(value) end

---The other way.
---@param bytes string
---@param position? integer 1
---@return table
---@return integer # position behind it
function Struct:unpack(bytes, position) end

---Immutable, with + - * / and ==.
---@class luacuda.Complex
---@field re number Real part.
---@field im number Imaginary part.
local Complex = {}

---Absolute value.
---@return number
function Complex:abs() end

---Conjugate.
---@return luacuda.Complex
function Complex:conj() end

---What `cuda.float32(2)` and the like give.
---@class luacuda.Scalar
---@field dtype string Its type.
---@field value number|boolean|luacuda.Complex Its value.
local Scalar = {}

---What `cuda.ptr` gives; `cuda.null` is one.
---@class luacuda.Pointer
---@field address integer The address.
local Pointer = {}

---What `b[i]` gives where the elements of `b` are structs: the element where it is, not a copy. `b[i].id` reads a field and `b[i].id = 5` writes it into the array; a field that is a struct is a Record again, one of several elements an Array over them (`b[i].pos.x = 3`, `b[i].m[2][1] = 1`). On a GPU each field is a copy of its own: `b:totable()` and `b:set(data)` move all at once. `b:item(i)` and `b:totable()` give plain tables, which are copies. Every name is a field; `pairs` goes through copies of all, `==` compares bytes, and what takes a value of the struct takes a Record.
---@class luacuda.Record
local Record = {}

---What `a.shape` and `a.strides` give: a list of integers that cannot be written. `shape[i]`, `#shape`, `ipairs`, `pairs`, `table.unpack` and `table.concat` read it as a table, `==` compares extents, and what takes a list of integers takes a Shape. `{ table.unpack(a.shape) }` is a table to change; code that reads tables raw (`next`, `assert.same` of luassert, JSON libraries) needs that, too.
---@class luacuda.Shape: integer[]
local Shape = {}

---What `cuda.raw`, `cuda.input`, `cuda.output` and `cuda.inout` give, for one launch.
---@class luacuda.Argument
local Argument = {}

---Each device has a pool of its own; freed memory stays with it until it is trimmed.
---@class luacuda.Pool
---@field device luacuda.Device Whose pool it is.
local Pool = {}

---The numbers now.
---@return table # bytes: used, reserved, used_high, reserved_high, limit; counts: allocations, frees
function Pool:stats() end

---Gives memory that nothing uses back to the system.
---@param keep? integer bytes (0)
---@return luacuda.Pool # itself
function Pool:trim(keep) end

---Reads or sets how much arrays may use together.
---@param bytes? integer 0 for none
---@return integer # the limit now
function Pool:limit(bytes) end

---What fails in the driver, the compiler or memory raises one of these; wrong arguments raise strings. `tostring(e)` and `..` give the position and the message. What no call raised is written to stderr when the Lua state closes. `cuda.debug{ errors = "string" }` raises the text alone.
---@class luacuda.Error
---@field kind string What sort of failure.
---@field message string Words for people.
---@field name string? A stable name for programs.
---@field code integer? The driver's number.
---@field call string? The call that failed.
---@field device string? Where.
---@field where string The position in the user's code.
---@field traceback string The Lua stack when it was made.
---@field log string? What the compiler, or the driver's compiler of PTX, said (compile).
---@field source string? What was compiled (compile).
---@field flags string[]? How it was compiled (compile).
---@field fault string? What a kernel on the CPU device did; with it come kernel, called_at, file, line, block, thread, array and address.
---@field kernel string? The kernel at fault.
---@field called_at string? Where your code called for the kernel, if that is one of a builder or of the library.
---@field file string? Its source file.
---@field line integer? The line.
---@field block integer[]? blockIdx.
---@field thread integer[]? threadIdx.
---@field array string? The array that was met or missed.
---@field address integer? The address.
local Error = {}

---@class luacuda.Template
---@overload fun(names: table): string

---`local cuda = require "luacuda"` makes no CUDA call and needs no GPU, driver or toolkit.
---@class luacuda
---@field VERSION string The version of the library.
---@field null luacuda.Pointer The NULL pointer as a kernel argument.
---@field cache table The disk cache of compiled code.
---@field random table Random numbers made on the device. `cuda.random.generator(seed)` makes a Generator, `cuda.random.uniform(shape, options)` and so on draw from the default one, `cuda.random.seed(n)` sets that one's seed.
local cuda = {}

---Lists all devices.
---@return luacuda.Device[] # GPUs by ordinal, then the CPU device
function cuda.devices() end

---The device named, or the current one. Unless `use` said otherwise that is what LUACUDA_DEVICE names, else GPU 0, else the CPU device.
---@param selector? integer|string|luacuda.Device ordinal (also as a string), "cpu", "gpu", "gpu0" or a PCI bus id
---@return luacuda.Device
function cuda.device(selector) end

---Makes a device current in this Lua state.
---@param selector integer|string|luacuda.Device as in device
---@return luacuda.Device # the one current before
function cuda.use(selector) end

---Is there a GPU that can be used? Never raises.
---@return boolean
---@return string? # why there is no GPU
function cuda.available() end

---Reports versions, devices and every path tried for the driver and the compiler; in a child made by fork after CUDA was used, what still works there.
---@return string # several lines
function cuda.diagnose() end

---Versions of what was found.
---@return table # luacuda (string), driver, nvrtc and cublas ({ major, minor }) where found
function cuda.versions() end

---Waits for all work of a device.
---@param device? luacuda.Device|integer|string the current one
function cuda.synchronize(device) end

---The device's memory.
---@param device? luacuda.Device|integer|string the current one
---@return integer # free bytes
---@return integer # total bytes
function cuda.mem_info(device) end

---The device's memory pool.
---@param device? luacuda.Device|integer|string the current one
---@return luacuda.Pool
function cuda.pool(device) end

---Makes a stream.
---@param options? { priority?: integer, blocking?: boolean, device?: luacuda.Device|integer|string, pointer?: luacuda.Pointer|lightuserdata }
---@return luacuda.Stream
function cuda.stream(options) end

---Makes an event.
---@param options? { timing?: boolean, blocking?: boolean, interprocess?: boolean, device?: luacuda.Device|integer|string }
---@return luacuda.Event
function cuda.event(options) end

---Calls `fn` with the stream current on its device. What was current before is put back, also on error; no yield passes.
---@param stream luacuda.Stream current inside
---@param fn function
---@param ... any arguments of fn
---@return any # what fn returns
function cuda.with_stream(stream, fn, ...) end

---Calls `fn` and forbids hidden waits inside.
---@param fn function
---@param ... any arguments of fn
---@return any # what fn returns
function cuda.no_sync(fn, ...) end

---Is the value an error of this library (of that kind)? Under `cuda.debug{ errors = "string" }` a text that ends with that of one of the latest sixteen errors is one, too.
---@param value any
---@param kind? string compile, memory, launch, logic or runtime
---@return boolean
function cuda.is_error(value, kind) end

---The object of an error that was raised as its text (or of an object: itself); without argument that of the state's latest error.
---@param error? any an error as it was caught
---@return luacuda.Error? # the object; nil for what is not one or too old
function cuda.last_error(error) end

---What a value is, as io.type answers.
---@param value any
---@return string? # "array", "stream", "closed array", ...; nil for what is not ours
function cuda.type(value) end

---Sets debugging aids.
---@param options? { sync?: boolean, errors?: string }
---@return table # the settings before
function cuda.debug(options) end

---The manual's entry.
---@param name? any a public name ("array", "Array.slice"), or an object
---@return string
function cuda.help(name) end

---The element types.
---@return table[] # one per element type: name, short, kind, size and align (bytes), cuda, header, pack, ptx
function cuda.dtypes() end

---An array from data. Booleans make `bool`; numbers float32 unless a dtype is given.
---@param data table|string|luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar nested tables, bytes (which need a dtype), an array or one value
---@param dtype? string|luacuda.Struct element type (that of out, else float32)
---@param options? { shape?: integer|integer[], dtype?: string|luacuda.Struct, device?: luacuda.Device|integer|string, stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function cuda.array(data, dtype, options) end

---An array whose contents are not defined.
---@param shape integer|integer[] elements per axis
---@param dtype? string|luacuda.Struct element type (that of out, else float32)
---@param options? { dtype?: string|luacuda.Struct, device?: luacuda.Device|integer|string, stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function cuda.empty(shape, dtype, options) end

---An array of zeros.
---@param shape integer|integer[] elements per axis
---@param dtype? string|luacuda.Struct element type (that of out, else float32)
---@param options? { dtype?: string|luacuda.Struct, device?: luacuda.Device|integer|string, stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function cuda.zeros(shape, dtype, options) end

---An array of ones.
---@param shape integer|integer[] elements per axis
---@param dtype? string|luacuda.Struct element type (that of out, else float32)
---@param options? { dtype?: string|luacuda.Struct, device?: luacuda.Device|integer|string, stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function cuda.ones(shape, dtype, options) end

---An array filled with one value.
---@param shape integer|integer[] elements per axis
---@param value number|boolean|luacuda.Complex|luacuda.Scalar|table a table being a struct
---@param dtype? string|luacuda.Struct element type (float32; bool and complex64 for such values, a scalar's own)
---@param options? { dtype?: string|luacuda.Struct, device?: luacuda.Device|integer|string, stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function cuda.full(shape, value, dtype, options) end

---Like `empty`, shape and dtype of `a`.
---@param a luacuda.Array
---@param dtype? string|luacuda.Struct element type (that of a)
---@param options? { dtype?: string|luacuda.Struct, device?: luacuda.Device|integer|string, stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function cuda.empty_like(a, dtype, options) end

---Like `zeros`, shape and dtype of `a`.
---@param a luacuda.Array
---@param dtype? string|luacuda.Struct element type (that of a)
---@param options? { dtype?: string|luacuda.Struct, device?: luacuda.Device|integer|string, stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function cuda.zeros_like(a, dtype, options) end

---Like `ones`, shape and dtype of `a`.
---@param a luacuda.Array
---@param dtype? string|luacuda.Struct element type (that of a)
---@param options? { dtype?: string|luacuda.Struct, device?: luacuda.Device|integer|string, stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function cuda.ones_like(a, dtype, options) end

---Like `full`, shape and dtype of `a`.
---@param a luacuda.Array
---@param value number|boolean|luacuda.Complex|luacuda.Scalar|table a table being a struct
---@param dtype? string|luacuda.Struct element type (that of a)
---@param options? { dtype?: string|luacuda.Struct, device?: luacuda.Device|integer|string, stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function cuda.full_like(a, value, dtype, options) end

---Numbers from `first` up to, not with, `stop`.
---@param first? number 0
---@param stop number excluded
---@param step? number 1
---@param dtype? string element type (int64 where all are integers, else float32)
---@param options? { dtype?: string|luacuda.Struct, device?: luacuda.Device|integer|string, stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function cuda.arange(first, stop, step, dtype, options) end

---n numbers at equal distances.
---@param first number
---@param last number
---@param n? integer 50
---@param dtype? string|luacuda.Struct element type (that of out, else float32)
---@param options? { endpoint?: boolean, dtype?: string|luacuda.Struct, device?: luacuda.Device|integer|string, stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function cuda.linspace(first, last, n, dtype, options) end

---Ones on a diagonal, zeros elsewhere.
---@param n integer rows
---@param dtype? string|luacuda.Struct element type (that of out, else float32)
---@param options? { columns?: integer, offset?: integer, dtype?: string|luacuda.Struct, device?: luacuda.Device|integer|string, stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function cuda.eye(n, dtype, options) end

---An array from a NumPy file (.npy).
---@param path string
---@param options? { device?: luacuda.Device|integer|string, stream?: luacuda.Stream, out?: luacuda.Array }
---@return luacuda.Array
function cuda.load_npy(path, options) end

---The arrays of a NumPy archive (.npz) as numpy.savez writes them. Those of numpy.savez_compressed cannot be read.
---@param path string
---@param options? { names?: string[], device?: luacuda.Device|integer|string, stream?: luacuda.Stream }
---@return table # name to Array
function cuda.load_npz(path, options) end

---Writes a NumPy archive, not compressed. Equal arrays make equal files. The old file is replaced when the new one is complete.
---@param path string
---@param arrays table name to Array
function cuda.save_npz(path, arrays) end

---Page-locked host memory: copies to and from a GPU at full speed and without waiting. No `out` and no `stream`: what is made is the memory itself, new and, with `zeros`, cleared when the call returns; to fill one that is there: `a:fill`, `a:set`.
---@param shape integer|integer[] elements per axis
---@param dtype? string|luacuda.Struct element type (float32)
---@param options? { dtype?: string|luacuda.Struct, zeros?: boolean, write_combined?: boolean, device?: luacuda.Device }
---@return luacuda.Array # on the CPU device
function cuda.pinned(shape, dtype, options) end

---Memory that the GPU and the host both reach. No `out` and no `stream`: what is made is the memory itself, new and, with `zeros`, cleared when the call returns; to fill one that is there: `a:fill`, `a:set`.
---@param shape integer|integer[] elements per axis
---@param dtype? string|luacuda.Struct element type (float32)
---@param options? { dtype?: string|luacuda.Struct, zeros?: boolean, attach?: string, device?: luacuda.Device }
---@return luacuda.Array # on the CPU device
function cuda.managed(shape, dtype, options) end

---Plain host memory. No `out` and no `stream`: what is made is the memory itself, new and, with `zeros`, cleared when the call returns; to fill one that is there: `a:fill`, `a:set`.
---@param shape integer|integer[] elements per axis
---@param dtype? string|luacuda.Struct element type (float32)
---@param options? { dtype?: string|luacuda.Struct, zeros?: boolean, align?: integer }
---@return luacuda.Array # on the CPU device
function cuda.host(shape, dtype, options) end

---Page-locks memory while the new array lives. Each of the two arrays waits for its own work alone: read through the one that was used last, or synchronize first.
---@param a luacuda.Array contiguous memory of cuda.host
---@param options? { device?: luacuda.Device }
---@return luacuda.Array # the same memory
function cuda.register(a, options) end

---An array over memory of somebody else.
---@param address integer|luacuda.Pointer
---@param shape integer|integer[] elements per axis
---@param dtype? string|luacuda.Struct element type (float32)
---@param options? { dtype?: string|luacuda.Struct, owner?: any, device?: luacuda.Device, memory?: string }
---@return luacuda.Array
function cuda.wrap(address, shape, dtype, options) end

---Raw memory.
---@param bytes integer
---@param options? { device?: luacuda.Device, stream?: luacuda.Stream }
---@return luacuda.Array # uint8
function cuda.alloc(bytes, options) end

---Memory with aligned rows.
---@param options { width: integer, height?: integer, device?: luacuda.Device, stream?: luacuda.Stream }
---@return luacuda.Array # { height, width } of uint8
---@return integer # pitch: bytes from row to row
function cuda.alloc_pitch(options) end

---Copies between arrays of the same dtype and size, on any devices. Views with gaps, or in another order, must have the same shape, too.
---@param dst luacuda.Array
---@param src luacuda.Array
---@param options? { stream?: luacuda.Stream }
---@return luacuda.Array # dst
function cuda.copy(dst, src, options) end

---Copies a rectangle of bytes.
---@param options { dst: luacuda.Array, src: luacuda.Array, width: integer, height: integer, dst_pitch?: integer, src_pitch?: integer, dst_x?: integer, dst_y?: integer, src_x?: integer, src_y?: integer, stream?: luacuda.Stream }
function cuda.copy2d(options) end

---Fills memory with a word.
---@param a luacuda.Array
---@param value integer
---@param count? integer words (all behind the offset)
---@param options? { width?: integer, offset?: integer, stream?: luacuda.Stream }
---@return luacuda.Array # a
function cuda.memset(a, value, count, options) end

---Fills a rectangle with a word.
---@param a luacuda.Array
---@param value integer
---@param options { columns: integer, height: integer, pitch?: integer, width?: integer, offset?: integer, stream?: luacuda.Stream }
---@return luacuda.Array # a
function cuda.memset2d(a, value, options) end

---A kernel, compiled at its first use.
---@param source string|table CUDA C++ (or one table with everything)
---@param name? string which kernel; not needed when there is one
---@param options? { source?: string, path?: string, binary?: string, name?: string, flags?: string|string[], defines?: table, include_dirs?: string|string[], headers?: table, std?: string, arch?: string, instances?: string|string[], backend?: string, debug?: boolean, lineinfo?: boolean, fast_math?: boolean, rdc?: boolean, cache?: boolean }
---@return luacuda.Kernel
function cuda.kernel(source, name, options) end

---Several kernels and variables of one source.
---@param source string|table as in kernel
---@param options? {  }
---@return luacuda.Module
function cuda.module(source, options) end

---Compiles to bytes without loading them.
---@param source string|table as in kernel
---@param options? { target?: string, arch?: string }
---@return string # bytes
---@return string # the compiler's log
function cuda.compile(source, options) end

---A template of kernel source. Its Lua sees the given names and assert, error, ipairs, math, next, pairs, select, string, table, tonumber, tostring, type, utf8.
---@param text string with $(expression) and lines that begin with @
---@return luacuda.Template # call it with a table of names
function cuda.template(text) end

---A struct type, laid out as C does.
---@param name? string that of the kernel's type
---@param fields table in C's order: { name, type [, extents] } each
---@return luacuda.Struct
function cuda.struct(name, fields) end

---Copies a host value to the device for one launch. Bytes and tables get the parameter's dtype.
---@param value table|string|luacuda.Array
---@return luacuda.Argument
function cuda.input(value) end

---Copies what a launch wrote back into a host value.
---@param value table|luacuda.Array
---@return luacuda.Argument
function cuda.output(value) end

---Both of `input` and `output`.
---@param value table|luacuda.Array
---@return luacuda.Argument
function cuda.inout(value) end

---Passes a view's first address, whatever its strides.
---@param a luacuda.Array
---@return luacuda.Argument
function cuda.raw(a) end

---An address as a kernel argument.
---@param address integer
---@return luacuda.Pointer
function cuda.ptr(address) end

---A complex number.
---@param re number
---@param im? number 0
---@return luacuda.Complex
function cuda.complex(re, im) end

---A typed scalar: true or false.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.bool(value) end

---A typed scalar: 8-bit integer.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.int8(value) end

---A typed scalar: 16-bit integer.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.int16(value) end

---A typed scalar: 32-bit integer.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.int32(value) end

---A typed scalar: 64-bit integer.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.int64(value) end

---A typed scalar: 8-bit unsigned.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.uint8(value) end

---A typed scalar: 16-bit unsigned.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.uint16(value) end

---A typed scalar: 32-bit unsigned.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.uint32(value) end

---A typed scalar: 64-bit unsigned; takes any Lua integer as its bits.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.uint64(value) end

---A typed scalar: half precision.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.float16(value) end

---A typed scalar: bfloat16.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.bfloat16(value) end

---A typed scalar: single precision.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.float32(value) end

---A typed scalar: double precision.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.float64(value) end

---A typed scalar: complex of float32.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.complex64(value) end

---A typed scalar: complex of float64.
---@param value number|boolean|luacuda.Complex|luacuda.Scalar the value
---@return luacuda.Scalar # immutable
function cuda.complex128(value) end

---`x + y`: the sum; or, of booleans. Shapes broadcast, dtypes are joined as in NumPy 2 (docs/design/promotion.md), integers wrap around.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.add(x, y, options) end

---`x - y`: the difference.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.subtract(x, y, options) end

---`x * y`: the product; and, of booleans.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.multiply(x, y, options) end

---`x / y`: the quotient; float64 for integers.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.divide(x, y, options) end

---`x // y`: the quotient rounded down; 0 for integers divided by zero.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.floor_divide(x, y, options) end

---`x % y`: the remainder, with the sign of y; 0 for integers divided by zero.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.mod(x, y, options) end

---`x ^ y`: x to the power of y. Integers to a negative Lua integer raise; to negative elements they give 0 (1 and -1 for the bases 1 and -1).
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.power(x, y, options) end

---`-x`.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.negative(x, options) end

---The greater of two; NaN where there is one.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.maximum(x, y, options) end

---The lesser of two; NaN where there is one.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.minimum(x, y, options) end

---The greater of two; of a number and NaN the number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.fmax(x, y, options) end

---The lesser of two; of a number and NaN the number.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.fmin(x, y, options) end

---x, but not less than lo and not more than hi; either may be nil. NaN stays.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param lo luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar|nil
---@param hi luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar|nil
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.clip(x, lo, hi, options) end

---`x & y`, of integers or booleans.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.bitwise_and(x, y, options) end

---`x | y`, of integers or booleans.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.bitwise_or(x, y, options) end

---`x ~ y`, of integers or booleans.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.bitwise_xor(x, y, options) end

---`~x`, of integers or booleans.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.bitwise_not(x, options) end

---`x << y`, of integers; 0 when y is the width of the type or more, or negative.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.left_shift(x, y, options) end

---`x >> y`, of integers, with their sign; 0 or -1 when y is the width of the type or more, or negative.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.right_shift(x, y, options) end

---x == y for each element, a bool array. (The operators ==, < and <= cannot: Lua makes one boolean of them.)
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.eq(x, y, options) end

---x ~= y for each element, a bool array.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.ne(x, y, options) end

---x < y for each element, a bool array. Integers are compared exactly, complex numbers by real, then imaginary parts.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.lt(x, y, options) end

---x <= y for each element, a bool array.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.le(x, y, options) end

---x > y for each element, a bool array.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.gt(x, y, options) end

---x >= y for each element, a bool array.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.ge(x, y, options) end

---Are both not zero? A bool array.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.logical_and(x, y, options) end

---Is one not zero? A bool array.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.logical_or(x, y, options) end

---Is exactly one not zero? A bool array.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.logical_xor(x, y, options) end

---Is it zero? A bool array.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.logical_not(x, options) end

---x where the condition is not zero, else y.
---@param condition luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.where(condition, x, y, options) end

---The square root.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.sqrt(x, options) end

---The cube root.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.cbrt(x, options) end

---x * x.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.square(x, options) end

---1 / x; of integers truncated, 0 for 0.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.reciprocal(x, options) end

---e to the power of x.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.exp(x, options) end

---2 to the power of x.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.exp2(x, options) end

---exp(x) - 1, accurate near 0.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.expm1(x, options) end

---The natural logarithm.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.log(x, options) end

---The logarithm to base 2.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.log2(x, options) end

---The logarithm to base 10.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.log10(x, options) end

---log(1 + x), accurate near 0.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.log1p(x, options) end

---The sine.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.sin(x, options) end

---The cosine.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.cos(x, options) end

---The tangent.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.tan(x, options) end

---The inverse sine.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.asin(x, options) end

---The inverse cosine.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.acos(x, options) end

---The inverse tangent.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.atan(x, options) end

---The hyperbolic sine.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.sinh(x, options) end

---The hyperbolic cosine.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.cosh(x, options) end

---The hyperbolic tangent.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.tanh(x, options) end

---The inverse hyperbolic sine.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.asinh(x, options) end

---The inverse hyperbolic cosine.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.acosh(x, options) end

---The inverse hyperbolic tangent.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.atanh(x, options) end

---Degrees as radians.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.deg2rad(x, options) end

---Radians as degrees.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.rad2deg(x, options) end

---Rounded down; integers stay.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.floor(x, options) end

---Rounded up; integers stay.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.ceil(x, options) end

---Rounded towards zero; integers stay.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.trunc(x, options) end

---Rounded to the nearest integer, halves to the even one; integers become floats.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.rint(x, options) end

---The absolute value; real for complex numbers. The least integer stays.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.abs(x, options) end

----1, 0 or 1; NaN stays; z / abs(z) for complex numbers.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.sign(x, options) end

---The real parts.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.real(x, options) end

---The imaginary parts.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.imag(x, options) end

---The complex conjugates.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.conj(x, options) end

---The angles of complex numbers, in radians.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.angle(x, options) end

---Is it NaN? A bool array.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.isnan(x, options) end

---Is it infinite? A bool array.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.isinf(x, options) end

---Is it neither infinite nor NaN? A bool array.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.isfinite(x, options) end

---Is the sign bit set (-0 too)? A bool array.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.signbit(x, options) end

---The error function.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.erf(x, options) end

---1 - erf(x), accurate for large x.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.erfc(x, options) end

---The gamma function.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.tgamma(x, options) end

---log(abs(tgamma(x))).
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.lgamma(x, options) end

---Rounded to so many decimals, halves to the even one; integers stay, or are rounded to tens, hundreds with -1, -2.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param decimals? integer -18 to 18 (0)
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.round(x, decimals, options) end

---sqrt(x * x + y * y), without overflow between.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.hypot(x, y, options) end

---The angle of the point (x, y) seen from the origin.
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.atan2(y, x, options) end

---x with the sign of y.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.copysign(x, y, options) end

---The remainder with the sign of x, as in C; 0 for integers divided by zero.
---@param x luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param y luacuda.Array|number|boolean|luacuda.Complex|luacuda.Scalar
---@param options? { size?: integer, out?: luacuda.Array, stream?: luacuda.Stream, device?: luacuda.Device }
---@return luacuda.Array
function cuda.fmod(x, y, options) end

---The matrix product. The last two axes are the matrices, the axes before them broadcast; a vector is a row on the left and a column on the right, and its axis is not in the result. A result without axes is a Lua value (and is waited for), or with `out` an array. Views are taken as they lie wherever that is possible, transposed ones always. Dtypes: dtypes are promoted as by `a * b`; float16 and bfloat16 are summed in float32, integers wrap in their own dtype, of booleans it is the or of ands. On GPUs float and complex products use cuBLAS where it is found; other dtypes, the CPU device and GPUs without it (or with `LUACUDA_LIBCUBLAS=off`) use LuaCUDA's own kernel, which is compiled at the first use for a dtype.
---@param a luacuda.Array
---@param b luacuda.Array on the same device
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, backend?: string, tf32?: boolean }
---@return luacuda.Array|number|boolean|luacuda.Complex
function cuda.matmul(a, b, options) end

---The sum of products over the last axis of a and the last but one of b (its only one, if it has one): for vectors the scalar product, for matrices what matmul gives. A result without axes is a Lua value (and is waited for), or with `out` an array. With an array of no axes: a * b.
---@param a luacuda.Array
---@param b luacuda.Array on the same device
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, backend?: string, tf32?: boolean }
---@return luacuda.Array|number|boolean|luacuda.Complex
function cuda.dot(a, b, options) end

---The sum of products over the last axes of both. A result without axes is a Lua value (and is waited for), or with `out` an array.
---@param a luacuda.Array
---@param b luacuda.Array on the same device
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, backend?: string, tf32?: boolean }
---@return luacuda.Array|number|boolean|luacuda.Complex
function cuda.inner(a, b, options) end

---All elements of a times all elements of b.
---@param a luacuda.Array
---@param b luacuda.Array on the same device
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, backend?: string, tf32?: boolean }
---@return luacuda.Array # {a.size, b.size}
function cuda.outer(a, b, options) end

---The sum of products over all elements of both in C order, a conjugated. A result without axes is a Lua value (and is waited for), or with `out` an array.
---@param a luacuda.Array
---@param b luacuda.Array on the same device
---@param options? { out?: luacuda.Array, stream?: luacuda.Stream, backend?: string, tf32?: boolean }
---@return luacuda.Array|number|boolean|luacuda.Complex
function cuda.vdot(a, b, options) end

---The sum of the diagonal of a matrix.
---@param a luacuda.Array
---@param options? { out?: luacuda.Array, dtype?: string, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex
function cuda.trace(a, options) end

---Norms, computed in float32 for 16-bit types, with a result of a's float type (float64 for integers). Without `axis` and `ord`: the root of the sum of all squares. For vectors (one axis) `ord` is 2, 1, math.huge (the largest absolute value, 0 without elements), -math.huge (the smallest), 0 (how many are not zero) or any p; for matrices (two axes) "fro", 1, -1 (the largest, smallest sum of a column), math.huge or -math.huge (of a row). Over everything without `out`, `axis` or `keepdims`: a Lua number (waits).
---@param a luacuda.Array
---@param options? { ord?: number|string, axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number
function cuda.norm(a, options) end

---Makes a kernel that computes element by element, with broadcasting, for any strides. A parameter is `[raw] [const] type name`; types are dtypes (`float32`, `f32`), C's names (`float`, `unsigned char`), `struct Name` (raw only) or placeholders (a capital, as `T`), which the arrays of a call bind and which the body may use as types. In the body every parameter is one element, `i` its index in C order, `n` the number of elements, and `return`, or `continue` outside of its own loops, ends this element. A `raw` parameter is the whole array: `x[k]` by index in C order, `x.size()`, `x.shape(d)` (d from 0), and where it is contiguous a pointer. Half types compute in float (`T(0)` beside them in `?:`), complex ones have the functions of C++'s complex; `atomicAdd` takes int64 and half types, too.
---@param inputs string|table parameters such as "float32 x, T y, raw T z"; or one table of inputs, outputs, body, name and the options
---@param outputs? string parameters that the body assigns
---@param body? string CUDA C++ for one element
---@param name? string of the kernel ("elementwise")
---@param options? { preamble?: string, flags?: string|string[], defines?: table, include_dirs?: string|string[], headers?: table, std?: string, debug?: boolean, lineinfo?: boolean, fast_math?: boolean, backend?: string, cache?: boolean }
---@return luacuda.Elementwise
function cuda.elementwise(inputs, outputs, body, name, options) end

---Makes one kernel of a Lua function: the function runs once on values that stand for its arguments, what it does to them is recorded, and later calls with arguments of the same kinds run the kernel alone. It may use operators, the functions and methods that work element by element, `astype`, `where` and `clip`; results may be several, and a result may be a reduction (`sum`, `prod`, `min`, `max`, `mean`, `any`, `all`, `argmin`, `argmax`, `count_nonzero`), which is a kernel of its own. Every intermediate value has the dtype that the operator gives outside, and is rounded to it. Numbers passed as arguments are parameters. Booleans passed as arguments, numbers in the function, and numbers, booleans and strings among its upvalues are constants: for another boolean, and when an upvalue changes (also one of a Lua function among the upvalues), the function is traced again. Not seen: fields of tables and globals, once traced; that `if x` and `x and y` take every array and number that is an argument as true; and that `x == 0` is false. `<`, `<=`, `==` between traced values, `#`, indexing and text of them raise.
---@param fn function of arrays and numbers
---@param options? { name?: string }
---@return luacuda.Fused
function cuda.fuse(fn, options) end

---Makes a kernel that reduces axes of arrays. `map` sees the inputs, `i` (index in C order in the common shape of the inputs), `_j` (index in C order along the reduced axes, from 0) and `n` (number of elements reduced to each result); `post` sees `a`, the outputs, `n`, raw inputs and those for which a call gives a number. No parameter may be called a or b.
---@param inputs string|table parameters as of `cuda.elementwise`; or one table of inputs, outputs, map, reduce, post, identity, name and the options
---@param outputs? string parameters, not raw
---@param map? string C++ expression of the inputs: an element's value
---@param reduce? string C++ expression of `a` and `b`: two values as one; associative and commutative
---@param post? string CUDA C++ that assigns the outputs from `a`, the value of all elements
---@param identity? string|number|boolean C++ expression that changes nothing: the value of no elements (nil: no elements raise)
---@param name? string of the kernel ("reduction")
---@param options? { reduce_type?: string, preamble?: string, flags?: string|string[], defines?: table, include_dirs?: string|string[], headers?: table, std?: string, debug?: boolean, lineinfo?: boolean, fast_math?: boolean, backend?: string, cache?: boolean }
---@return luacuda.Reduction
function cuda.reduction(inputs, outputs, map, reduce, post, identity, name, options) end

---Elements added. Booleans and integers make int64 or uint64 unless `dtype` is given; half types are computed in float. No elements make 0.
---@param a luacuda.Array
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, dtype?: string, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function cuda.sum(a, options) end

---Elements multiplied. Booleans and integers make int64 or uint64 unless `dtype` is given; half types are computed in float. No elements make 1.
---@param a luacuda.Array
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, dtype?: string, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function cuda.prod(a, options) end

---The sum divided by the number of elements. Booleans and integers make float64 unless `dtype` is given; half types are computed in float. No elements make NaN.
---@param a luacuda.Array
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, dtype?: string, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function cuda.mean(a, options) end

---The mean of the squared distances from the mean, which is found first (two passes: Chan, Golub and LeVeque 1983). Booleans and integers make float64 unless `dtype` is given; half types are computed in float. Of complex numbers it is real.
---@param a luacuda.Array
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, dtype?: string, ddof?: number, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function cuda.var(a, options) end

---The square root of `var`.
---@param a luacuda.Array
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, dtype?: string, ddof?: number, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function cuda.std(a, options) end

---The smallest element. NaN wins. Complex numbers compare by real, then by imaginary part.
---@param a luacuda.Array
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function cuda.min(a, options) end

---The largest element. NaN wins. Complex numbers compare by real, then by imaginary part.
---@param a luacuda.Array
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function cuda.max(a, options) end

---Where the smallest element is: int64, from 1 along the reduced axes in C order, the first of equal ones. NaN wins. Complex numbers compare by real, then by imaginary part.
---@param a luacuda.Array
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function cuda.argmin(a, options) end

---Where the largest element is: int64, from 1 along the reduced axes in C order, the first of equal ones. NaN wins. Complex numbers compare by real, then by imaginary part.
---@param a luacuda.Array
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function cuda.argmax(a, options) end

---Is some element not zero? NaN is not. No elements make false.
---@param a luacuda.Array
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function cuda.any(a, options) end

---Is every element not zero? No elements make true.
---@param a luacuda.Array
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function cuda.all(a, options) end

---How many elements are not zero: int64.
---@param a luacuda.Array
---@param options? { axis?: integer|integer[], keepdims?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array|number|boolean|luacuda.Complex # an array where `axis`, `out` or `keepdims` is given, else a value, for which the call waits
function cuda.count_nonzero(a, options) end

---Makes a kernel that gives every element what it and all before it come to: prefix sums with any associative operator, commutative or not. `map` sees the inputs, `i` (index in C order) and `n` (number of elements); `post` sees `a`, the outputs, raw parameters, `i` and `n`, so that raw outputs can be written anywhere (`if (keep[i]) y[a - 1] = v[i]`). No parameter may be called a or b.
---@param inputs string|table parameters as of `cuda.elementwise`, one of them not raw; or one table of inputs, outputs, map, scan, identity, name and the options
---@param outputs? string parameters
---@param map? string C++ expression of the inputs: an element's value
---@param scan? string associative C++ expression of `a` and `b`: two neighbours as one, a before b
---@param identity? string|number|boolean C++ expression: what is before the first element; needed by exclusive scans alone
---@param name? string of the kernel ("scan")
---@param options? { post?: string, exclusive?: boolean, scan_type?: string, preamble?: string, flags?: string|string[], defines?: table, include_dirs?: string|string[], headers?: table, std?: string, debug?: boolean, lineinfo?: boolean, fast_math?: boolean, backend?: string, cache?: boolean }
---@return luacuda.Scan
function cuda.scan(inputs, outputs, map, scan, identity, name, options) end

---Every element with all before it added. Integers and booleans make int64 or uint64 unless `dtype` is given; half types are computed in float. The same array gives the same bits each time.
---@param a luacuda.Array
---@param options? { axis?: integer, dtype?: string, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array
function cuda.cumsum(a, options) end

---Every element with all before it multiplied. Integers and booleans make int64 or uint64 unless `dtype` is given; half types are computed in float. The same array gives the same bits each time.
---@param a luacuda.Array
---@param options? { axis?: integer, dtype?: string, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array
function cuda.cumprod(a, options) end

---The largest element so far. NaN stays once it is there. Complex numbers raise.
---@param a luacuda.Array
---@param options? { axis?: integer, dtype?: string, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array
function cuda.cummax(a, options) end

---The smallest element so far. NaN stays once it is there. Complex numbers raise.
---@param a luacuda.Array
---@param options? { axis?: integer, dtype?: string, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array
function cuda.cummin(a, options) end

---Sorts along an axis. NaN counts as greater than everything; complex numbers go by real, then imaginary part. -0.0 comes before 0.0. Rows of up to 4096 elements are sorted in one launch without memory of their own; longer ones by a radix sort, one read and one write per byte of an element after one more read, with memory for a copy. Axes other than the last and arrays with gaps are copied first. `a:sort()` works in place.
---@param a luacuda.Array
---@param options? { axis?: integer, descending?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array # a sorted copy
function cuda.sort(a, options) end

---Indices, from 1, that sort along an axis; elements that are equal (as are -0.0 and 0.0, and NaNs) keep their order, also when descending. NaN counts as greater than everything; complex numbers go by real, then imaginary part. Rows of up to 4096 elements are sorted in one launch without memory of their own; longer ones by a radix sort, one read and one write per byte of an element after one more read, with memory for a copy of keys and of 32-bit indices (two of each for 4 and 8 bytes).
---@param a luacuda.Array
---@param options? { axis?: integer, descending?: boolean, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array # int64
function cuda.argsort(a, options) end

---The values, each once, in order; indices start at 1. -0.0 and 0.0 are one value, and so are NaNs. A sort (with index or inverse an argsort), a mask, a selection; waits for the number of values.
---@param a luacuda.Array
---@param options? { return_index?: boolean, return_inverse?: boolean, return_counts?: boolean, stream?: luacuda.Stream }
---@return luacuda.Array # the values
---@return luacuda.Array? # int64 each: index, inverse, counts, as asked for
function cuda.unique(a, options) end

---Elements where the mask is set, in C order; a mask of fewer axes selects rows, `axis` along another axis. `a[mask]` is the same. Reads the mask once, waits for the number of elements, then reads and writes what is selected; rows are taken by indices.
---@param a luacuda.Array
---@param mask luacuda.Array bool, of the shape of a's first axes
---@param options? { axis?: integer, out?: luacuda.Array, stream?: luacuda.Stream }
---@return luacuda.Array
function cuda.compress(a, mask, options) end

---Where elements are not zero: indices from 1, in C order. Waits for their number. The arrays share memory.
---@param a luacuda.Array
---@param options? { stream?: luacuda.Stream }
---@return luacuda.Array # int64, one for each axis
function cuda.nonzero(a, options) end

---Writes where the mask is set: one value, or from an array of a's shape the element of the same place, or else values in order, as many as are selected (waits for their number). `a[mask] = values` is the same. An array with gaps is copied and written back.
---@param a luacuda.Array
---@param mask luacuda.Array bool, of the shape of a's first axes
---@param values luacuda.Array|table|number|boolean|luacuda.Complex|luacuda.Scalar converted to a's dtype
---@param options? { stream?: luacuda.Stream }
---@return luacuda.Array # a
function cuda.putmask(a, mask, values, options) end

---Elements by index along an axis, without `axis` of a seen as one row; the indices' shape takes the axis's place. An integer drops the axis. `a[indices]` takes along the first axis. Mode "raise" waits; "clip" and "wrap" do not, and wrap takes (i - 1) % n + 1, so that 0 is the last.
---@param a luacuda.Array
---@param indices luacuda.Array|integer|table of integers from 1, or negative from the end; any shape
---@param options? { axis?: integer, out?: luacuda.Array, mode?: string, stream?: luacuda.Stream }
---@return luacuda.Array
function cuda.take(a, indices, options) end

---Writes elements by index of a seen as one row; values are repeated as often as needed. Which of several values for one element stays is not defined. Mode "raise" checks all indices first and waits.
---@param a luacuda.Array
---@param indices luacuda.Array|integer|table of integers from 1, or negative from the end; any shape
---@param values luacuda.Array|table|number|boolean|luacuda.Complex|luacuda.Scalar converted to a's dtype
---@param options? { mode?: string, stream?: luacuda.Stream }
---@return luacuda.Array # a
function cuda.put(a, indices, values, options) end

---Joins along an axis: one copy per array.
---@param arrays luacuda.Array[] at least one
---@param options? { axis?: integer, out?: luacuda.Array, dtype?: string, stream?: luacuda.Stream }
---@return luacuda.Array
function cuda.concatenate(arrays, options) end

---Joins along a new axis: one copy per array.
---@param arrays luacuda.Array[] at least one, of one shape
---@param options? { axis?: integer, out?: luacuda.Array, dtype?: string, stream?: luacuda.Stream }
---@return luacuda.Array
function cuda.stack(arrays, options) end

return cuda
