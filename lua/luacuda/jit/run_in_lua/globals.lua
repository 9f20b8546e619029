-- globals.lua: the names of the kernel's language for a run in Lua: places of threads, grid
-- loops, shared memory, conversions, and the library's functions for one element.
-- exchange.lua has barriers, exchanges and atomic operations.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"
local exchange = require "luacuda.jit.run_in_lua.exchange"
local random = require("luacuda.jit.run_in_lua.generator").random
local tile = require "luacuda.jit.run_in_lua.tile"
local rows = require "luacuda.jit.typed.rows"

local M = {}

-- Places ------------------------------------------------------------------------------------------

-- A table whose fields are read when they are used.
local function reader(read)
  return setmetatable({}, { __index = function(_, axis) return read()[axis] end })
end

local function places(run)
  return {
    threadIdx = reader(function() return run.thread.index end),
    blockIdx = reader(function() return run.block.index end),
    blockDim = run.shape.block, gridDim = run.shape.grid, warpSize = 32,
  }
end

-- The indices 1 ... n that the thread takes along an axis: its first one and the step.
local function of_axis(run, axis)
  local width = run.shape.block[axis]
  local first = run.block.index[axis] * width + run.thread.index[axis] + 1
  return first, run.shape.grid[axis] * width
end

local AXES = { "x", "y", "z" }

-- grid(n), grid(n, m), grid(n, m, k) and grid(x.shape): the last extent is along x.
local function grid(run)
  return function(...)
    local extents, firsts, steps, at = { ... }, {}, {}, {}
    if core.type(extents[1]) == "shape" then extents = { table.unpack(extents[1]) } end
    local n = #extents
    for k = 1, n do firsts[k], steps[k] = of_axis(run, AXES[n - k + 1]) end
    table.move(firsts, 1, n, 1, at)
    at[n] = at[n] - steps[n]
    return function()
      local k = n
      at[k] = at[k] + steps[k]
      while at[k] > extents[k] do
        if k == 1 then return nil end
        at[k] = firsts[k]
        k = k - 1
        at[k] = at[k] + steps[k]
      end
      for axis = 1, n do
        if at[axis] > extents[axis] then return nil end
      end
      return table.unpack(at)
    end
  end
end

-- unroll(first, last [, step]) is a numeric loop.
local function unroll(first, last, step)
  step = step or 1
  local at = first - step
  return function()
    at = at + step
    if step > 0 and at <= last or step < 0 and at >= last then return at end
  end
end

-- Memory ------------------------------------------------------------------------------------------

-- Extents, or a table of them.
local function shape_of(first, ...)
  return type(first) == "table" and first or { first, ... }
end

local function dtype_of(given) return type(given) == "table" and given.dtype or given end

-- The arrays of a block, by the order in which each thread asks for them.
local function shared(run)
  return function(dtype, ...)
    local thread, all = run.thread, run.block.shared
    thread.shared = thread.shared + 1
    all[thread.shared] = all[thread.shared] or core.host(shape_of(...), dtype_of(dtype))
    return all[thread.shared]
  end
end

-- The dynamic shared memory of the block from a byte on.
local function dynamic_shared(run)
  return function(dtype, offset)
    local all, bytes, first = run.block.shared, run.shape.shared, offset or 0
    local name = dtype_of(dtype)
    local size = dtypes.of(name).size
    if first % size ~= 0 or first < 0 then
      fail("dynamic_shared", "argument 2: %s is no multiple of the %d bytes of a %s",
        tostring(first), size, name)
    end
    if bytes - first < size then return core.host(0, name) end
    all.dynamic = all.dynamic or core.host(bytes, "uint8")
    return all.dynamic:slice{ first + 1, first + (bytes - first) // size * size }:view(name)
  end
end

-- An array of a thread begins with zeros.
local function array(dtype, ...)
  return core.host(shape_of(...), dtype_of(dtype), { zeros = true })
end

-- Conversions -------------------------------------------------------------------------------------

-- The nearest integer towards zero; what does not fit is the nearest limit, NaN is 0.
local function truncated(v)
  if math.type(v) == "integer" then return v end
  if v ~= v then return 0 end
  v = v < 0 and math.ceil(v) or math.floor(v)
  return math.tointeger(v) or v < 0 and math.mininteger or math.maxinteger
end

local function to_integer(row)
  local bits, signed = 8 * row.size, row.kind == "int"
  return function(v)
    v = truncated(v)
    if bits == 64 then return v end
    v = v & (1 << bits) - 1
    return signed and v >> (bits - 1) ~= 0 and v - (1 << bits) or v
  end
end

local function converter(row)
  if row.kind == "int" or row.kind == "uint" then return to_integer(row) end
  if row.kind == "bool" then return function(v) return v ~= 0 and v ~= false end end
  local make = core[row.name]
  return function(...) return make(...).value end
end

-- float32(v), and float32 as the dtype of shared and per-thread arrays
local conversions = {}

for _, row in ipairs(dtypes.list) do
  local convert = converter(row)
  conversions[row.name] = setmetatable({ dtype = row.name },
    { __call = function(_, ...) return convert(...) end })
end

-- Functions of the library ------------------------------------------------------------------------

-- The functions of arrays that were used so far; others nobody can have in an upvalue.
local function public()
  local known = {}
  for _, list in ipairs(rows.exports) do
    for _, fn in pairs(list) do
      if type(fn) == "function" then known[fn] = true end
    end
  end
  return known
end

local DTYPES = { integer = "int64", float = "float64" }

-- A number as an array of one element.
local function element(v)
  local dtype = DTYPES[math.type(v)] or type(v) == "boolean" and "bool" or "complex128"
  return core.full({}, v, dtype, { device = "cpu" })
end

-- The function of arrays for numbers.
local function of_numbers(fn)
  return function(...)
    local args = table.pack(...)
    for k = 1, args.n do args[k] = element(args[k]) end
    return fn(table.unpack(args, 1, args.n)):item()
  end
end

local function is_library(value)
  local mt = getmetatable(value)
  return type(mt) == "table" and mt.__name == "luacuda"
end

-- The library with the functions that kernels can call.
local function library(run, from)
  return setmetatable({}, { __index = function(own, key)
    local found = from[key]
    run.public = public()
    local value = conversions[key] or M.host_of(run, found)
    rawset(own, key, value)
    return value
  end })
end

-- names.host_of(run, value) -> what an upvalue stands for in this run
function M.host_of(run, value)
  local vectorized = type(value) == "table" and core.vectorize_state(value)
  if vectorized then return vectorized.source.fn end
  if run.known[value] then return run.known[value] end
  local made = value
  if type(value) == "function" and run.public[value] then made = of_numbers(value)
  elseif type(value) == "table" and is_library(value) then made = library(run, value) end
  if made ~= value then run.known[value] = made end
  return made
end

-- Globals -----------------------------------------------------------------------------------------

-- names.prepare(run) gives the run `globals(env)`: the names of the kernel's language over those of
-- `env`.
function M.prepare(run)
  run.known, run.public = {}, public()
  local names = places(run)
  names.grid, names.shared, names.array = grid(run), shared(run), array
  names.dynamic_shared = dynamic_shared(run)
  names.random, names.unroll = random, unroll
  for name, convert in pairs(conversions) do names[name] = convert end
  exchange.add(run, names)
  tile.add(run, names)
  require("luacuda.jit.run_in_lua.functions").add(names)
  require("luacuda.jit.run_in_lua.texels").add(names)
  local function own_name(_, key)
    if key == "laneid" then return run.thread.lane end
    return names[key]
  end
  local gpu = require("luacuda.jit.names.markers").gpu        -- cuda.gpu and its fields
  for name, marker in next, gpu do run.known[marker] = names[name] end
  run.known[gpu] = setmetatable({}, { __index = own_name })
  function run.globals(env)
    return setmetatable({}, {
      __index = function(_, key)
        local own = own_name(_, key)
        if own ~= nil then return own end
        return M.host_of(run, env[key])
      end,
      __newindex = function(_, key)
        fail(run.what, "'%s' is a global: a kernel cannot assign globals", tostring(key))
      end,
    })
  end
end

return M
