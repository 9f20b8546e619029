-- Reductions against NumPy, at sizes where a second pass joins partial results. These sizes depend
-- on the dtype. A run takes half of the functions for each dtype, others every time.
--
-- LUACUDA_REDUCTIONS=K/N tests all functions, at the sizes where the planner (lcu_reduce.c) changes
-- what a kernel does: rows of one thread, of half a warp and of a warp, columns of fewer threads
-- than a warp, rows divided into segments, narrow columns read as wider ones; along every axis, and
-- of views. It takes every Nth of these cases from number K (0 to N - 1). All of them (0/1) compile
-- so many kernels that they take an hour and 5 GB of memory.

-- Values do not depend on the collector; other specs of reductions run with it.
if os.getenv "LUACUDA_TEST_GC" == "1" then return end

local helper = require "spec.helper"
local evaluate = require "spec.support.evaluate"
local files = require "spec.support.files"
local cuda = require "luacuda"

helper.compile_quickly()

local PART, PARTS = (os.getenv "LUACUDA_REDUCTIONS" or ""):match "^(%d+)/(%d+)$"
PART, PARTS = math.tointeger(PART), math.tointeger(PARTS)
local MINUS = { int8 = -128, int16 = -32768, int32 = -2147483648, int64 = math.mininteger }

local PLAIN = "sum prod mean var std min max argmin argmax any all count_nonzero"
local NAN = "nansum nanprod nanmean nanvar nanstd nanmin nanmax nanargmin nanargmax"
local OTHERS = "median norm logsumexp ptp average"

-- Dtypes whose kernels resemble those of another dtype.
local LIKE_OTHERS = { int16 = true, uint8 = true, uint16 = true, uint32 = true }

-- What NumPy lacks or refuses.
local REFUSED = { bool = " ptp ", complex = " logsumexp ptp " }
-- Functions that treat NaN specially in NumPy.
local OF_NAN = " min max argmin argmax any all count_nonzero "

-- Shapes and axes ---------------------------------------------------------------------------------

-- A case: shape, list of axes; `view`: a function and the same in Python.
local function cases_for(size)
  local vector = 16 // size
  local split, short = 4096 * vector, 512 // size
  if not PART then return { { { split + 1 }, { false } } } end
  local cases = {
    { { split + 1 }, { false } },
    { { 3, split }, { 2 } },
    { { 4097, 3 }, { 1 } },
    { { 40, short + 1 }, { 1, 2 } },
    { { 33, short }, { 2 } },
    { { 9, 32 * vector, 5 }, { 1, 2, 3, { 1, 3 } } },
    { { 70, 66 }, { 1, { 1, 2 } }, function(a) return a:transpose() end, "a.T" },
    { { 9, 70, 10 }, { 1, 2, 3, { 2, 3 } }, function(a) return a:slice({ -1, 1, -2 }, {},
      { 2, -1, 2 }) end, "a[::-2, :, 1::2]" },
  }
  for _, n in ipairs { 1, 2, 31, 32, 33, 1000, split - 1, split, 2 * split + vector - 1 } do
    cases[#cases + 1] = { { n }, { false, 1 } }
    cases[#cases + 1] = { { n, 2 }, { 1, 2, { 1, 2 } } }
    cases[#cases + 1] = { { 2, n }, { 1, 2, { 1, 2 } } }
    cases[#cases + 1] = { { n }, { 1 }, function(a) return a:slice { 1, -1, 2 } end, "a[::2]" }
    cases[#cases + 1] = { { n }, { 1, 2, false }, function(a) return a:broadcast_to { 3, n } end,
      ("np.broadcast_to(a, (3, %d))"):format(n) }
  end
  for _, n in ipairs { 31, 32, 63, 64, 65, 128, 1030 } do
    for _, m in ipairs { short - 1, short, short + 1, 16 * 4096 // n } do
      cases[#cases + 1] = { { n, m }, { 1, 2 } }
      cases[#cases + 1] = { { m, n }, { 1, 2 } }
    end
    cases[#cases + 1] = { { 3, n, 40 }, { 1, 2, 3, { 1, 2 }, { 2, 3 }, { 1, 3 } } }
  end
  return cases
end

-- Values ------------------------------------------------------------------------------------------

local function as(x, dtype)
  if dtype == "bool" then return x:gt(0) end
  if not dtype:find "complex" then return x:astype(dtype) end
  return (x + cuda.complex(0, 1) * cuda.flip(x)):astype(dtype)
end

-- Small integers, so that sums are exact in any order, and a few of the least integer.
local function numbers(generator, shape, dtype)
  local x = as(generator:integers(-9, 9, shape, { dtype = "int32" }), dtype)
  if not MINUS[dtype] then return x end
  return cuda.where(generator:uniform(shape):lt(0.01), MINUS[dtype], x):astype(dtype)
end

-- Mostly 1 and -1, and i and -i for complex numbers, with so few others that products of floats are
-- finite in any order.
local function factors(generator, shape, dtype)
  local u, inexact = generator:uniform(shape), dtype:find "float" or dtype:find "complex"
  local others = inexact and math.min(0.02, 4 / helper.size_of(shape)) or 0.02
  local x = cuda.where(u:lt(0.5), -1.0, 1.0)
  x = cuda.where(u:lt(others), 2.0, x)
  x = cuda.where(u:gt(1 - others), inexact and 0.5 or 3.0, x)
  if not dtype:find "complex" then return as(x, dtype) end
  return cuda.where(generator:uniform(shape):lt(0.5), x, x * cuda.complex(0, 1)):astype(dtype)
end

-- With NaN; the first elements of each axis are all NaN.
local function special(generator, shape, dtype)
  local x = numbers(generator, shape, dtype)
  x = cuda.where(generator:uniform(shape):lt(0.05), 0 / 0, x):astype(dtype)
  if #shape > 1 then
    for d = 1, #shape do
      local ranges = {}
      for k in ipairs(shape) do ranges[k] = k == d and {} or { 1, 1 } end
      x:slice(table.unpack(ranges)):fill(0 / 0)
    end
  end
  return x
end

-- The cases of a dtype ----------------------------------------------------------------------------

local function axis_text(axis)
  if not axis then return "None" end
  if type(axis) == "number" then return tostring(axis - 1) end
  local list = {}
  for k, d in ipairs(axis) do list[k] = d - 1 end
  return "(" .. table.concat(list, ", ") .. ")"
end

local Sweep = {}
Sweep.__index = Sweep

function Sweep.new(dtype, row)
  local precision = dtype == "bfloat16" and "8e-3" or "None"
  return setmetatable({ arrays = {}, lines = {}, dtype = dtype, precision = precision,
    kind = row.kind, inexact = row.kind == "float" or row.kind == "complex" }, Sweep)
end

-- NumPy has no bfloat16.
function Sweep:keep(name, a)
  if cuda.type(a) ~= "array" then a = cuda.array(a) end
  self.arrays[name] = a.dtype == "bfloat16" and a:astype "float32" or a
end

local function array_of(value, name, dtype)
  if cuda.type(value) == "array" then return value end
  local a = cuda[name](cuda.zeros(1, dtype), { keepdims = true })
  return cuda.full({}, value, a.dtype)
end

function Sweep:add(name, key, a, text, axis, keepdims)
  local options = { axis = axis or nil, keepdims = keepdims or nil }
  local ok, y = pcall(cuda[name], a, options)
  if not ok then
    error(("%s of %s {%s}, axis %s: %s"):format(name, self.dtype, table.concat(a.shape, " "),
      axis_text(axis), y), 0)
  end
  if name == "average" and not axis then y = cuda.average(a) end
  self:keep("g" .. #self.lines + 1, array_of(y, name, a.dtype))
  self.lines[#self.lines + 1] = table.concat({ name, key, text, axis_text(axis),
    tostring(keepdims or false), self.precision }, "\t")
end

-- All in a sweep over sizes.
local function drawn() return PART or math.random(2) == 1 end

function Sweep:add_all(names, key, x, case, only)
  local view, text = case[3] or function(a) return a end, case[4] or "a"
  self:keep(key, x)
  local a = view(x)
  for name in names:gmatch "%S+" do
    local word, refused = " " .. name .. " ", REFUSED[self.kind] or ""
    if not refused:find(word, 1, true) and (not only or only:find(word, 1, true)) and drawn() then
      for k, axis in ipairs(case[2]) do
        self:add(name, key, a, text, axis, axis and k % 2 == 0 and name ~= "median")
      end
    end
  end
end

function Sweep:add_case(case, generator)
  local shape = case[1]
  local x, p = numbers(generator, shape, self.dtype), factors(generator, shape, self.dtype)
  self:add_all(PLAIN:gsub("prod", "") .. " " .. OTHERS, "x", x, case)
  self:add_all("prod", "p", p, case)
  if not self.inexact then return end -- the others are the plain ones: nan_reductions_spec.lua
  local n = special(generator, shape, self.dtype)
  self:add_all(NAN:gsub("nanprod", ""), "n", n, case)
  self:add_all(PLAIN, "n", n, case, OF_NAN)
  self:add_all("nanprod", "q", cuda.where(n:isnan(), n, p):astype(self.dtype), case)
end

function Sweep:check()
  local folder = files.tmpdir()
  cuda.save_npz(folder .. "/all.npz", self.arrays)
  files.write_file(folder .. "/cases.txt", table.concat(self.lines, "\n") .. "\n")
  local _, output = evaluate.python("spec/support/reductions_peer.py", folder)
  assert.equal("failed 0\n", output)
end

local count -- of the cases of a device so far

-- Those of the part that is asked for.
local function part_of(cases)
  if not PART then return cases end
  local list = {}
  for _, case in ipairs(cases) do
    if count % PARTS == PART then list[#list + 1] = case end
    count = count + 1
  end
  return list
end

describe("Reductions against NumPy", function()
  if not evaluate.available() then
    pending "Python has no NumPy"
    return
  end

  helper.for_each_device(function()
    count = 0
    helper.for_all_dtypes(function(dtype, row)
      if not PART and LIKE_OTHERS[dtype] then return end
      for _, case in ipairs(part_of(cases_for(row.size))) do
        it(("of %s {%s}%s"):format(dtype, table.concat(case[1], " "), case[4] or ""), function()
          local sweep = Sweep.new(dtype, row)
          sweep:add_case(case, cuda.random.generator(row.size))
          sweep:check()
        end)
      end
    end)
  end)
end)
