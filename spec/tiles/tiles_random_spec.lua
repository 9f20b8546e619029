-- Random kernels over tiles (spec/support/tile_programs.lua), compared with what plain Lua computes
-- (spec/support/tiles_in_lua.lua).
--
--   LUACUDA_TILE_PROGRAMS=N       so many of them on each device
--   LUACUDA_TILE_PROGRAMS=N+M     those with the seeds N to N + M - 1
local cuda = require "luacuda"
local helper = require "spec.helper"
local programs = require "spec.support.tile_programs"
local in_lua = require "spec.support.tiles_in_lua"

local first, count = (os.getenv "LUACUDA_TILE_PROGRAMS" or ""):match "^(%d+)%+(%d+)$"
first = tonumber(first) or 1
count = tonumber(count) or tonumber(os.getenv "LUACUDA_TILE_PROGRAMS" or "")
  or helper.sanitized and 10 or 40

local IS_FLOAT = { float8_e4m3fn = true, float8_e5m2 = true, float16 = true, bfloat16 = true,
  float32 = true, float64 = true }

local function value(rng, dtype)
  if IS_FLOAT[dtype] then return (rng(33) - 16) / 8 end
  return dtype == "uint8" and rng(16) or rng(17) - 8
end

local function values(rng, shape, dtype, axis)
  local list = {}
  for k = 1, shape[axis] do
    list[k] = axis == #shape and value(rng, dtype) or values(rng, shape, dtype, axis + 1)
  end
  return list
end

-- An array of the shape; `way` says where its elements are.
local function place(dtype, shape, way)
  local n = #shape
  if way == 2 and n == 2 then return cuda.zeros({ shape[2], shape[1] }, dtype):transpose() end
  local whole, ranges = { table.unpack(shape) }, {}
  for axis = 1, n do ranges[axis] = {} end
  if way == 3 then
    whole[n], ranges[n] = 2 * shape[n], { 1, 2 * shape[n] - 1, 2 }
  elseif way == 4 then
    whole[n], ranges[n] = shape[n] + 1, { 2, shape[n] + 1 }
  else return cuda.zeros(shape, dtype) end
  return cuda.zeros(whole, dtype):slice(table.unpack(ranges))
end

local function arrays_of(rng, list, fills)
  local made = {}
  for k, a in ipairs(list) do
    made[k] = place(a.dtype, a.shape, a.way)
    if fills then made[k]:set(cuda.array(values(rng, a.shape, a.dtype, 1), a.dtype)) end
  end
  return made
end

-- A function of elements that the programs call.
local ENVIRONMENT = { cuda = cuda, math = math, twice = function(x) return x + x end }

local function kernel_of(program, seed)
  local text = "return " .. program.text
  local fn = assert(load(text, text, "t", setmetatable({}, { __index = ENVIRONMENT })))()
  return cuda.tiled(fn, { warps = program.warps, name = "program" .. seed })
end

-- run(seed) -> the share of the elements that are known, or nil: a branch depends on rounding
local function run(seed)
  local rng = helper.random(seed)
  for _ = 1, 5 do rng(2) end -- seeds side by side begin alike
  local program = programs.make(rng)
  local function fail(...)
    error(("seed %d, %d warps: %s\n%s"):format(seed, program.warps, string.format(...),
      program.text), 0)
  end
  local arrays = arrays_of(rng, program.outputs, false)
  table.move(arrays_of(rng, program.inputs, true), 1, #program.inputs, #arrays + 1, arrays)
  local mirrors = {}
  for k, a in ipairs(arrays) do mirrors[k] = in_lua.array(a) end
  local count_of, s = { 2, 2 }, (rng(9) - 4) / 4
  arrays[#arrays + 1], mirrors[#mirrors + 1] = s, s
  local own = in_lua.kernel(program.text, { twice = ENVIRONMENT.twice })
  local ok, message = pcall(in_lua.launch, own, count_of, table.unpack(mirrors))
  if message == in_lua.UNCERTAIN then return nil end
  if not ok then fail("in Lua: %s", message) end
  local k = kernel_of(program, seed)
  ok, message = pcall(k, { programs = count_of }, table.unpack(arrays))
  if not ok then fail("%s", message) end
  local known, all = 0, 0
  for n, out in ipairs(program.outputs) do
    local difference, certain, size = in_lua.difference(mirrors[n], arrays[n])
    if difference then fail("%s: %s", out.name, difference) end
    known, all = known + certain, all + size
  end
  return known / all
end

helper.for_each_device(function()
  describe("random kernels over tiles", function()
    it("compute as plain Lua does", function()
      local ran, known, faults = 0, 0, {}
      for seed = first, first + count - 1 do
        local ok, share = pcall(run, seed)
        if not ok then faults[#faults + 1] = share
        elseif share then ran, known = ran + 1, known + share end
      end
      if #faults > 0 then
        error(("%d of %d programs:\n%s"):format(#faults, count, table.concat(faults, "\n")), 0)
      end
      assert(ran > 0.7 * count and known > 0.7 * ran, ("%d ran, %.2f known"):format(ran, known))
    end)
  end)
end)
