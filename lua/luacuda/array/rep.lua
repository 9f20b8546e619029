-- rep.lua: rep (NumPy's repeat): each element several times.

local axes = require "luacuda.array.axes"
local core = require "luacuda.core"
local scans = require "luacuda.array.scans"
local take = require "luacuda.array.take"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"
local find_kernel = require("luacuda.kernel.kernel").find

local fail = arguments.fail

local LABEL = "argument 2 'repeats'"

local function with_extent(shape, axis, n)
  local out = lists.copy(shape)
  out[axis] = n
  return out
end

-- The same number for all -------------------------------------------------------------------------

-- A copy of a broadcast view in which the elements of an axis, with all that follow, are repeated.
local function rep_all(a, axis, count, opts)
  if count < 0 then fail("rep", "%s: %d is negative", LABEL, count) end
  local shape = a.shape
  local out = operands.result("rep", opts,
    with_extent(shape, axis, axes.times("rep", LABEL, shape[axis], count)), a.dtype, a)
  if out.size == 0 then return out end
  local rows, inner = lists.product(shape, 1, axis), lists.product(shape, axis + 1, #shape)
  local src = a:contiguous { stream = opts.stream }
  local wide = src:reshape({ rows, 1, inner }):broadcast_to { rows, count, inner }
  operands.into(out, { src }, opts.stream, function(dst)
    local place = dst:reshape { rows, count, inner }
    place:set(wide, { stream = opts.stream })
    place:free()
  end)
  wide:free()
  if not rawequal(src, a) then src:free() end
  return out
end

-- A number for each -------------------------------------------------------------------------------

-- places[k] (from 1) = the first j of which ends[j] > k (from 0)
local PLACES = [==[
extern "C" __global__ void luacuda_rep_places(const void *ends_, void *places, long long total,
    long long n) {
  const long long *ends = (const long long *)ends_;
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < total; k += step) {
    long long low = 0, high = n - 1;
    while (low < high) {
      const long long middle = (low + high) / 2;
      if (ends[middle] > k) high = middle;
      else low = middle + 1;
    }
    ((long long *)places)[k] = low + 1;
  }
}
]==]

local function places_of(ends, total, stream)
  local places = core.new(ends, total, "int64", stream)
  if total > 0 then
    local run = find_kernel("luacuda_rep_places", "", function() return PLACES end)
    local blocks = math.min((total + 255) // 256, 32 * ends.device.multiprocessor_count)
    run({ grid = blocks, block = 256, stream = stream }, ends, places, total, ends.size)
  end
  return places
end

local function fail_negative(n) fail("rep", "%s: %d is negative", LABEL, n) end

-- Elements up to and with each one, as an int64 array, and their total.
local function ends_of_list(a, counts, stream)
  local ends, total = {}, 0
  for i, n in ipairs(counts) do
    if n < 0 then fail_negative(n) end
    axes.times("rep", LABEL, 2, math.max(n, total))
    total = total + n
    ends[i] = total
  end
  return core.array(ends, "int64", { device = a.device, stream = stream }), total
end

-- The same for an array; waits.
local function ends_of_array(counts, stream)
  local plain = counts:astype("int64", { stream = stream })
  local least = plain:min { axis = 1, stream = stream }
  local ends = scans.cumsum(plain, { stream = stream })
  plain:free()
  local low, total = least:item(), ends:item(counts.size)
  least:free()
  if low < 0 then fail_negative(low) end
  return ends, total
end

local function check_array(a, counts)
  if arguments.open_type(counts) ~= "array" then
    fail("rep", "%s: expected an integer or integers, got %s", LABEL, arguments.describe(counts))
  end
  local kind = type(counts.dtype) == "string" and dtypes.of(counts.dtype).kind
  if kind ~= "int" and kind ~= "uint" then
    fail("rep", "%s: expected integers, got an array of %s", LABEL, tostring(counts.dtype))
  end
  if counts.device ~= a.device then
    arguments.apart("rep", LABEL .. ": they are", counts.device, "the array", a.device)
  end
  if counts.ndim > 1 then
    fail("rep", "%s: expected one axis, got shape %s", LABEL, lists.shape_text(counts.shape))
  end
end

-- Raises unless there is one for each of n elements, or one for all.
local function check_number(given, n)
  if given ~= n and given ~= 1 then
    fail("rep", "%s: %d of them for an axis of %d elements", LABEL, given, n)
  end
end

-- The result for the ends that `ends_of` gives for the counts, of an array that is not empty.
local function rep_each(a, axis, counts, opts, ends_of)
  local ends, total = ends_of(counts)
  local places = places_of(ends, total, opts.stream)
  ends:free()
  local out = take.along("rep", a, places, axis, "wrap", opts)
  places:free()
  return out
end

local function rep_list(a, axis, given, opts)
  local counts, n = axes.integers("rep", LABEL, given), a.shape[axis]
  check_number(#counts, n)
  if #counts == 1 or n == 0 then return rep_all(a, axis, counts[1] or 1, opts) end
  return rep_each(a, axis, counts, opts,
    function(list) return ends_of_list(a, list, opts.stream) end)
end

local function rep_array(a, axis, counts, opts)
  check_array(a, counts)
  local n = a.shape[axis]
  check_number(counts.size, n)
  if counts.size == 1 then return rep_all(a, axis, counts:item(), opts) end
  if n == 0 then return rep_all(a, axis, 1, opts) end
  return rep_each(a, axis, counts, opts,
    function(array) return ends_of_array(array, opts.stream) end)
end

-- cuda.rep(a, repeats [, options]), a:rep(repeats [, options])
local function rep(a, repeats, given)
  a = arguments.array("rep", 1, "a", a)
  local opts = arguments.options("rep", given, { "axis", "out", "stream" })
  local axis, src = 1, a
  if opts.axis ~= nil then axis = arguments.axis("rep", opts.axis, a.ndim)
  else src = a:contiguous({ stream = opts.stream }):reshape(a.size) end
  local array = core.foreign(repeats) or repeats
  if type(array) == "number" then
    return rep_all(src, axis, axes.integer("rep", LABEL, array), opts)
  end
  local many = (type(array) == "table" or core.type(array) == "shape") and rep_list or rep_array
  return many(src, axis, array, opts)
end

return { rep = rep }
