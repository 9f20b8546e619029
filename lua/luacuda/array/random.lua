-- random.lua: cuda.random: random numbers made on the device, the same on every device for a seed.
-- random_source.lua has the kernels.

local core = require "luacuda.core"
local choices = require "luacuda.array.random_choice"
local integers = require "luacuda.array.random_integers"
local parts = require "luacuda.array.random_parts"
local permutations = require("luacuda.array.random_permutation").methods
local variates = require "luacuda.array.random_variates"
local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"
local lists = require "luacuda.base.lists"

local fail, fill, options = arguments.fail, parts.fill, parts.options
local number, integer, target, into = parts.number, parts.integer, parts.target, parts.into
local FLOATS = parts.FLOATS

local Generator = {}

local function check_self(self, what)
  if getmetatable(self) ~= Generator then
    fail(what, "expected Generator before the ':', got %s", arguments.describe(self))
  end
end

-- Distributions -----------------------------------------------------------------------------------

local methods = {}
for _, more in ipairs { choices, integers, permutations, variates } do
  for name, method in pairs(more) do methods[name] = method end
end

local UNIFORM = { "low", "high", "dtype", "out", "stream", "device" }
local NORMAL = { "mean", "std", "dtype", "out", "stream", "device" }
local BITS = { "dtype", "out", "stream", "device" }

local function check_range(low, high, dtype)
  parts.check_fits("uniform", "option 'low'", low, dtype)
  parts.check_fits("uniform", "option 'high'", high, dtype)
  if high < low then
    fail("uniform", "option 'high': expected %s or more, got %s", tostring(low), tostring(high))
  end
  local width = high - low
  if width == math.huge or core.misfit(width, parts.wide(dtype)) then
    fail("uniform", "option 'high': %.14g is too far from 'low', %.14g", high, low)
  end
end

-- g:uniform(shape, { low = 0, high = 1, dtype = "float32", out =, stream =, device = }): numbers in
-- [low, high)
function methods:uniform(shape, opts)
  opts = options("uniform", 2, opts, UNIFORM)
  local low = number("uniform", "option 'low'", opts.low, 0)
  local high = number("uniform", "option 'high'", opts.high, 1)
  local out = target("uniform", 1, shape, opts, "float32", FLOATS)
  check_range(low, high, out.dtype)
  return into(out, opts.stream, function(array)
    fill(self, "uniform", array, opts.stream, low, high - low)
  end)
end

-- g:normal(shape, { mean = 0, std = 1, dtype = "float32", out =, stream =, device = })
function methods:normal(shape, opts)
  opts = options("normal", 2, opts, NORMAL)
  local mean = number("normal", "option 'mean'", opts.mean, 0)
  local std = parts.positive("normal", "option 'std'", opts.std, 1)
  local out = target("normal", 1, shape, opts, "float32", FLOATS)
  parts.check_fits("normal", "option 'mean'", mean, out.dtype)
  parts.check_fits("normal", "option 'std'", std, out.dtype)
  return into(out, opts.stream, function(array)
    fill(self, "normal", array, opts.stream, mean, std)
  end)
end

-- g:bits(shape, { dtype = "uint32" or "uint64", ... }): the words of Philox4x32-10 in order
function methods:bits(shape, opts)
  opts = options("bits", 2, opts, BITS)
  local out = target("bits", 1, shape, opts, "uint32", { "uint32", "uint64" })
  return into(out, opts.stream, function(array) fill(self, "bits", array, opts.stream) end)
end

local function seeded(self, n)
  self.offset, self.seed_low, self.seed_high = 0, n & 0xffffffff, n >> 32
  return self
end

-- g:seed(n) restarts the generator with that seed; returns g.
function methods:seed(n)
  return seeded(self, integer("seed", "argument 1 'seed'", n))
end

-- The number of arguments of each method; more are refused.
local COUNTS = { uniform = 2, normal = 2, integers = 4, bits = 2, permutation = 2, seed = 1,
  exponential = 2, gamma = 3, poisson = 3, binomial = 4, choice = 3, shuffle = 2 }

for name, method in pairs(methods) do
  methods[name] = function(self, ...)
    check_self(self, name)
    local given = select("#", ...)
    if given > COUNTS[name] then fail(name, "too many arguments (%d)", given) end
    return method(self, ...)
  end
end

-- Generators --------------------------------------------------------------------------------------

local NAMES = lists.sorted_keys(methods)

Generator.__name = "luacuda.Generator"

Generator.__index = setmetatable(methods,
  { __index = class.unknown("Generator", "field or method", NAMES) })

function Generator.__tostring(self)
  return ("luacuda.Generator philox4x32-10, seed %d"):format(self.seed_high << 32 | self.seed_low)
end

Generator.__complete = function() return { table.unpack(NAMES) } end

-- A seed that is unlikely to be the same in another process.
local function fresh_seed()
  -- a host program may have removed io
  local file = io and io.open("/dev/urandom", "rb")
  local bytes = file and file:read(8)
  if file then file:close() end
  if bytes and #bytes == 8 then return (("<i8"):unpack(bytes)) end
  local address = tonumber(tostring({}):match "0x(%x+)" or "0", 16) or 0
  -- Lua seeds its own generator by time and address
  return math.random(0) ~ address
end

-- cuda.random.generator([seed]) -> Generator; without a seed it starts with a random one
local function generator(seed, ...)
  if select("#", ...) > 0 then
    fail("generator", "too many arguments (%d)", select("#", ...) + 1)
  end
  if seed == nil then seed = fresh_seed() end
  seed = integer("generator", "argument 1 'seed'", seed)
  return seeded(setmetatable({ offset = 0, seed_low = 0, seed_high = 0 }, Generator), seed)
end

-- cuda.random: the functions of a default generator -----------------------------------------------

local default

local random = { generator = generator }
for name, method in pairs(methods) do
  random[name] = function(...)
    default = default or generator()
    local result = method(default, ...)
    if result ~= default then return result end
  end
end

setmetatable(random, {
  __name = "luacuda.random",
  __index = function(_, key)
    local names = { "generator", table.unpack(NAMES) }
    core.misuse(("cuda.random has no '%s'%s"):format(tostring(key),
      core.near(tostring(key), names, "random")))
  end,
})

return { random = random }
