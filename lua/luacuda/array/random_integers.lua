-- random_integers.lua: the method of generators that draws integers.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local parts = require "luacuda.array.random_parts"
local dtypes = require "luacuda.base.dtypes"
local numbers = require "luacuda.base.number"

local methods = {}

local WORD = 1 << 32
local MOST_REFUSED = 1 << 20    -- of 2^32 words, where one word is enough; more cost too much time

-- The kernel for a range (unsigned; 0 means 2^64) of a dtype, and its arguments.
local function plan(range, dtype)
  if range > 0 and range <= 256 and dtypes.of(dtype).size == 1 then
    return "integers_half", range, WORD % (range * range)
  end
  if range > 0 and range <= WORD and WORD % range <= MOST_REFUSED then
    return "integers", range & WORD - 1, WORD % range
  end
  return "integers_wide", range, range == 0 and 0 or numbers.unsigned_mod(-range, range)
end

local LOW, HIGH = "argument 1 'low'", "argument 2 'high'"
local OPTIONS = { "dtype", "out", "stream", "device" }

-- An integer as the dtype holds it: those of uint64 are Lua integers of the same bits.
local function text_of(n, dtype) return tostring(core[dtype](n)):match "%((.*)%)" end

local function is_below(a, b, dtype)
  if dtype == "uint64" then return math.ult(a, b) end
  return a < b
end

local function check_range(low, high, dtype)
  parts.check_fits("integers", LOW, low, dtype)
  parts.check_fits("integers", HIGH, high, dtype)
  if is_below(high, low, dtype) then
    fail("integers", "%s: %s is more than 'high', %s", LOW, text_of(low, dtype),
      text_of(high, dtype))
  end
end

-- g:integers(low, high, shape, { dtype = "int64", out =, stream =, device = }): from low to high,
-- both included
function methods:integers(low, high, shape, opts)
  opts = parts.options("integers", 4, opts, OPTIONS)
  low = parts.integer("integers", LOW, low)
  high = parts.integer("integers", HIGH, high)
  local out = parts.target("integers", 3, shape, opts, "int64", parts.INTEGERS)
  check_range(low, high, out.dtype)
  local kind, range, refused = plan(high - low + 1, out.dtype)
  return parts.into(out, opts.stream, function(array)
    parts.fill(self, kind, array, opts.stream, low, range, refused)
  end)
end

return methods
