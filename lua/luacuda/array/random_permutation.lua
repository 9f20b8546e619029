-- random_permutation.lua: methods of generators that put things in random order: permutation and
-- shuffle.

local core = require "luacuda.core"
local parts = require "luacuda.array.random_parts"
local source = require "luacuda.array.random_permutation_source"
local arguments = require "luacuda.base.arguments"
local kernels = require "luacuda.kernel.kernel"

local fail = arguments.fail

local methods = {}

-- Orders ------------------------------------------------------------------------------------------

-- The even limits of the digits: a * b is n or a little more.
local function sides(n)
  local a = math.ceil(math.sqrt(n))
  a = a + a % 2
  local b = (n + a - 1) // a
  return a, b + b % 2
end

local made = {} -- rounds, negative for indices of 64 bits -> kernel

local function kernel_for(n, rounds)
  local narrow = n <= 1 << 31
  local key = narrow and rounds or -rounds
  if not made[key] then
    local text, name = source.text(narrow and "unsigned" or "unsigned long long", rounds)
    made[key] = kernels.own { source = text, name = name }
  end
  return made[key]
end

-- The first `count` elements of a permutation of 1 .. n, as int64; opts: stream, device.
local function order_of(self, n, count, opts)
  local order = core.empty(count, "int64", { device = opts.device, stream = opts.stream })
  local rounds, offset = source.rounds(n), self.offset
  self.offset = offset + rounds // 4
  if count == 0 then return order end
  local a, b = sides(n)
  local each = source.BLOCK * source.EACH
  kernel_for(n, rounds)({ grid = (count + each - 1) // each, block = source.BLOCK,
    stream = opts.stream }, order, count, n, a, b, offset, self.seed_low, self.seed_high)
  return order
end

-- Methods -----------------------------------------------------------------------------------------

-- g:permutation(n or array, { stream =, device = }): the integers 1 .. n in random order as int64,
-- or the rows of the array in random order
function methods:permutation(what, opts)
  opts = arguments.options("permutation", opts, { "stream", "device" })
  local array, n = parts.rows_of("permutation", "what", what)
  if n < 0 then fail("permutation", "argument 1 'what': expected 0 or more, got %d", n) end
  local order = order_of(self, n, n,
    { stream = opts.stream, device = array and array.device or opts.device })
  if not array then return order end
  return require("luacuda.array.take").take(array, order, { axis = 1, stream = opts.stream })
end

-- g:shuffle(array, { stream = }): puts its rows in random order, in place
function methods:shuffle(array, opts)
  array = arguments.array("shuffle", 1, "array", array)
  opts = arguments.options("shuffle", opts, { "stream" })
  parts.rows_of("shuffle", "array", array)
  for d, stride in ipairs(array.size > 0 and array.strides or {}) do
    if stride == 0 and array.shape[d] > 1 then
      fail("shuffle", "argument 1 'array': a broadcast view cannot be written")
    end
  end
  local order = order_of(self, #array, #array, { stream = opts.stream, device = array.device })
  local rows = require("luacuda.array.take").take(array, order,
    { axis = 1, mode = "clip", stream = opts.stream })
  array:set(rows, { stream = opts.stream })
  order:free()
  rows:free()
  return array
end

return { methods = methods, order_of = order_of }
