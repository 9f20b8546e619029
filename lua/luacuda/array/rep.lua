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
    with_extent(shape, axis, axes.times("rep", LABEL, shape[axis], count)), a.dtype, a.device)
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
  local places = operands.empty(ends, total, "int64", stream)
  if total > 0 then
    local run = find_kernel("luacuda_rep_places", "", function() return PLACES end)
    local blocks = math.min((total + 255) // 256, 32 * ends.device.multiprocessor_count)
    run({ grid = blocks, block = 256, stream = stream }, ends, places, total, ends.size)
  end
  return places
end

-- Elements up to and with each one, as an int64 array, and their total; waits for it.
local function ends_of(counts, stream)
  local n = counts.size
  local plain = counts:astype("int64", { stream = stream })
  local least, ends = plain:min { axis = 1, stream = stream }, scans.cumsum(plain,
    { stream = stream })
  plain:free()
  local low, total = least:item(), ends:item(n)
  least:free()
  if low < 0 then fail("rep", "%s: %d is negative", LABEL, low) end
  return ends, total
end

-- The numbers as an integer array of one axis.
local function counts_of(a, given, stream)
  if type(given) == "table" and core.type(given) == nil then
    core.list_check(given, "rep: " .. LABEL, "rep")
    local ok, made = pcall(core.array, given, "int64", { device = a.device, stream = stream })
    if not ok then
      if type(made) ~= "string" or core.is_error(made) then error(made, 0) end
      fail("rep", "%s: expected integers: %s", LABEL, operands.reason(made))
    end
    given = made
  end
  given = core.foreign(given) or given
  if arguments.open_type(given) ~= "array" then
    fail("rep", "%s: expected an integer or integers, got %s", LABEL, arguments.describe(given))
  end
  local kind = type(given.dtype) == "string" and dtypes.of(given.dtype).kind
  if kind ~= "int" and kind ~= "uint" then
    fail("rep", "%s: expected integers, got an array of %s", LABEL, tostring(given.dtype))
  end
  if given.device ~= a.device then
    fail("rep", "%s: they are on %s, the array on %s", LABEL, tostring(given.device),
      tostring(a.device))
  end
  return given
end

local function rep_each(a, axis, counts, opts)
  local n = a.shape[axis]
  if counts.ndim > 1 or counts.size ~= n and counts.size ~= 1 then
    fail("rep", "%s: %s of them for an axis of %d elements", LABEL, lists.shape_text(counts.shape),
      n)
  end
  if counts.size == 1 then return rep_all(a, axis, counts:item(), opts) end
  if n == 0 then return rep_all(a, axis, 1, opts) end
  local ends, total = ends_of(counts, opts.stream)
  local places = places_of(ends, total, opts.stream)
  ends:free()
  local out = take.along("rep", a, places, axis, "wrap", opts)
  places:free()
  return out
end

-- cuda.rep(a, repeats [, options]), a:rep(repeats [, options])
local function rep(a, repeats, given)
  a = arguments.array("rep", 1, "a", a)
  local opts = arguments.options("rep", given, { "axis", "out", "stream" })
  local axis, src = 1, a
  if opts.axis ~= nil then axis = arguments.axis("rep", opts.axis, a.ndim)
  else src = a:contiguous({ stream = opts.stream }):reshape(a.size) end
  local count = type(repeats) == "number" and math.tointeger(repeats)
  if count then return rep_all(src, axis, count, opts) end
  return rep_each(src, axis, counts_of(a, repeats, opts.stream), opts)
end

return { rep = rep }
