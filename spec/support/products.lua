-- Products of matrices c = a * b', whose kernels are those of spec/corpus/wgmma_*.lua: a is {m, k},
-- b {n, k}, both f16 or 8-bit floats (e4m3, as uint8), c {m, n}.
local hopper = require "spec.support.hopper"

local M = {}

-- The whole numbers that small problems consist of: their sums are exact.
local WHOLE = { -2, -1, 0, 1, 2 }
local E4M3 = { 0xC0, 0xB8, 0x00, 0x38, 0x40 }

-- A random matrix, and the list of its rows.
local function whole_matrix(t, rows, columns, fp8)
  local values, stored = {}, {}
  for r = 1, rows do
    values[r], stored[r] = {}, {}
    for c = 1, columns do
      local i = t.random(#WHOLE) + 1
      values[r][c], stored[r][c] = WHOLE[i], fp8 and E4M3[i] or WHOLE[i]
    end
  end
  return t.cuda.array(stored, fp8 and "uint8" or "float16"), values
end

-- Random numbers, and the same as f16.
local function large_matrix(cuda, rows, columns, fp8)
  if not fp8 then
    local a = cuda.random.normal({ rows, columns }):astype "float16"
    return a, a
  end
  local draw = cuda.random.generator(rows + columns)
  local eighths = draw:integers(0, 7, { rows, columns }, { dtype = "int32" })
  local minus = draw:integers(0, 1, { rows, columns }, { dtype = "int32" })
  local stored = (eighths + minus * 128 + 0x38):astype "uint8"
  return stored, ((eighths:astype "float32" / 8 + 1) * (1 - 2 * minus)):astype "float16"
end

local function sums(a, b)
  local c = {}
  for i = 1, #a do
    local row, sum_row = a[i], {}
    for j = 1, #b do
      local column, sum = b[j], 0
      for k = 1, #row do sum = sum + row[k] * column[k] end
      sum_row[j] = sum
    end
    c[i] = sum_row
  end
  return c
end

-- What a launch needs. map(array, rows): a tensor map of boxes of `rows` rows of 128 bytes.
local function problem(p, cuda, config, a, b, size)
  local x = { cuda = cuda, a = a, b = b, config = config, m = size[1], n = size[2], k = size[3] }
  x.c = cuda.zeros({ x.m, x.n }, p.result or "float16")
  function x.map(array, rows)
    return cuda.tensor_map(array, { box = { rows, p.fp8 and 128 or 64 }, swizzle = 128 })
  end
  return x
end

-- Makes a program of the corpus:
--   source        kernels that use hopper.h and the macros of a configuration
--   small, large  configurations: BM and BN, rows and columns of a block, and others
--   sizes         m, n and k of small problems
--   fp8           true: a and b are 8-bit floats
--   result        dtype of c (float16)
--   launch        function(kernels, x): launches; x as above
-- `measure` of the program serves bench/hopper.lua.
function M.program(p)
  local program = { arch = 90, exactly = true, source = p.source,
    options = hopper.options(p.small, { p.small.BN }),
    large = hopper.options(p.large, { p.large.BN }) }
  function program.run(kernels, t)
    for _, size in ipairs(p.sizes) do
      local a, va = whole_matrix(t, size[1], size[3], p.fp8)
      local b, vb = whole_matrix(t, size[2], size[3], p.fp8)
      local x = problem(p, t.cuda, p.small, a, b, size)
      hopper.run({ out = x.c, launch = function() p.launch(kernels, x) end,
        want = function() return sums(va, vb) end }, t.same)
    end
  end
  -- Returns a launch, the product that it should be equal to, and the sums of one launch.
  function program.measure(kernels, cuda, config, size)
    local a, a16 = large_matrix(cuda, size[1], size[3], p.fp8)
    local b, b16 = large_matrix(cuda, size[2], size[3], p.fp8)
    local x = problem(p, cuda, config == "small" and p.small or p.large, a, b, size)
    local bt, right = b16:transpose(), cuda.empty({ x.m, x.n }, "float16")
    return { launch = function() p.launch(kernels, x) end, out = x.c, right = right,
      vendor = function() cuda.matmul(a16, bt, { out = right }) end,
      operations = 2 * x.m * x.n * x.k }
  end
  return program
end

-- Blocks of a persistent kernel.
function M.resident(x, tiles)
  local device = x.cuda.device()
  return math.min(device.kind == "cpu" and 3 or device.multiprocessor_count, tiles)
end

return M
