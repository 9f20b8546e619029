-- random_choice.lua: the method of generators that draws from arrays: choice.

local core = require "luacuda.core"
local parts = require "luacuda.array.random_parts"
local order_of = require("luacuda.array.random_permutation").order_of
local arguments = require "luacuda.base.arguments"
local lists = require "luacuda.base.lists"
local operands = require "luacuda.base.operands"

local fail = arguments.fail

local methods = {}

-- Weights -----------------------------------------------------------------------------------------

-- Option p: n weights as float64, and their cumulative sums. Waits.
local function weights(p, n, device, stream)
  local by = { stream = stream }
  if type(p) == "table" and core.foreign(p) == nil then
    local ok, made = pcall(core.array, p, "float64", { device = device, stream = stream })
    if not ok then fail("choice", "option 'p': %s", operands.reason(made)) end
    p = made
  end
  p = core.type(p) == "array" and p or core.foreign(p)
    or fail("choice", "option 'p': expected an Array, got %s", arguments.describe(p))
  if type(p.dtype) ~= "string" or p.dtype:find "complex" then
    fail("choice", "option 'p': expected real numbers, got %s", tostring(p.dtype))
  end
  if p.ndim ~= 1 or p.size ~= n then
    fail("choice", "option 'p': expected %d weights, got shape %s", n, lists.shape_text(p.shape))
  end
  if p.device ~= device then
    arguments.apart("choice", "option 'p': it is", p.device, "the work", device)
  end
  p = p:astype("float64", by)
  local sums = p:cumsum(by)
  local total, least = sums:item(n), p:min(by)
  if not (least >= 0 and total > 0 and total < math.huge) then
    fail("choice", "option 'p': expected weights of 0 or more with a sum above 0; the least is %s, "
      .. "the sum %s", tostring(least), tostring(total))
  end
  return p, sums, total
end

local search

-- The index of the first cumulative sum above u times the total.
local function find_in(sums, total, u, stream)
  search = search or require("luacuda.builder.elementwise").elementwise {
    name = "luacuda_choice", inputs = "float64 u, raw float64 sums, float64 total",
    outputs = "int64 y", body = [[
const double at = u * total;
long long low = 0, high = sums.size() - 1;
while (low < high) {
  const long long middle = low + (high - low) / 2;
  if (sums[middle] > at) high = middle; else low = middle + 1;
}
// at the end, where rounding of u * total may lead, back to an element with a weight
while (low > 0 && sums[low] == sums[low - 1]) low--;
y = low + 1;]] }
  return search(u, sums, total, { stream = stream })
end

local keys_of

-- Without replacement: the greatest u^(1 / w) are drawn (Efraimidis and Spirakis, "Weighted random
-- sampling with a reservoir", 2006), here as the least of -log(u) / w.
local function weighted_order(self, p, stream)
  keys_of = keys_of or require("luacuda.builder.elementwise").elementwise {
    name = "luacuda_choice_keys", inputs = "float64 e, float64 p", outputs = "float64 y",
    body = "y = p > 0 ? e / p : __longlong_as_double(0x7ff0000000000000ll)" }
  local drawn = self:exponential(p.size, { dtype = "float64", stream = stream, device = p.device })
  return require("luacuda.array.sort").argsort(keys_of(drawn, p, { stream = stream }),
    { stream = stream })
end

-- choice ------------------------------------------------------------------------------------------

local MOST_ORDERED = 1 << 62    -- so that two digits of the network add up to 32 bits

-- Indices from 1 to n, of that shape; as int32, which take reads faster, if nobody sees them.
local function draw(self, n, shape, opts, device, seen)
  local by = { stream = opts.stream, device = device }
  local count = lists.product(shape, 1, #shape)
  if opts.replace ~= false and opts.p == nil then
    if not seen and n < 1 << 31 then by.dtype = "int32" end
    return self:integers(1, n, shape, by)
  end
  if opts.replace ~= false then
    local _, sums, total = weights(opts.p, n, device, opts.stream)
    local u = self:uniform(shape, { dtype = "float64", stream = opts.stream, device = device })
    return find_in(sums, total, u, opts.stream)
  end
  if count > n then
    fail("choice", "%d elements cannot be drawn from %d without replacement", count, n)
  end
  if opts.p == nil then
    if n > MOST_ORDERED then
      fail("choice", "argument 1 'from': expected at most 2^62 without replacement, got %d", n)
    end
    return order_of(self, n, count, by):reshape(shape)
  end
  local p = weights(opts.p, n, device, opts.stream)
  local positive = p:count_nonzero { stream = opts.stream }
  if positive < count then
    fail("choice", "%d elements cannot be drawn: only %d have a weight above 0", count, positive)
  end
  local order = weighted_order(self, p, opts.stream)
  return order:slice({ 1, count }):copy({ stream = opts.stream }):reshape(shape)
end

local OPTIONS = { "replace", "p", "stream", "device" }

-- g:choice(n or array, shape, { replace = true, p =, stream =, device = })
function methods:choice(from, shape, opts)
  opts = parts.options("choice", 3, opts, OPTIONS)
  arguments.boolean("choice", opts, "replace")
  shape = core.shape_list(shape, "choice", 2)
  local array, n = parts.rows_of("choice", "from", from)
  local count = lists.product(shape, 1, #shape)
  if n < 0 or (n == 0 and count > 0) then
    fail("choice", "argument 1 'from': there is nothing to draw from")
  end
  local device = array and array.device or core.device(opts.device)
  local indices = count == 0 and core.empty(shape, "int64", { device = device,
    stream = opts.stream }) or draw(self, n, shape, opts, device, not array)
  if not array then return indices end
  return require("luacuda.array.take").take(array, indices,
    { axis = 1, mode = "clip", stream = opts.stream })
end

return methods
