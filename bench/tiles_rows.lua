-- tiles_rows.lua: softmax, layer norm and rms norm of rows, beside a copy of as many bytes and
-- beside torch. A row is one tile, or of long rows a program reads tiles twice.
local cuda = require "luacuda"
local measure = require "tiles_measure"

local ELEMENTS = measure.small and 1 << 17 or 1 << 28
local LOG2E, EPSILON = 1 / math.log(2), 1e-5

-- Kernels for M whole rows of N columns -----------------------------------------------------------

local whole = {}

function whole.softmax(M, N, warps)
  return cuda.tiled(function(y, x)
    local i = program(1)
    local rows = load(x, { i, 1 }, { M, N })
    local top = float32(max(rows, 2)) * LOG2E
    local e = cuda.exp2(float32(rows) * LOG2E - top)
    store(y, { i, 1 }, e * (1 / sum(e, 2)))
  end, { warps = warps, name = "softmax" })
end

whole["layer norm"] = function(M, N, warps)
  return cuda.tiled(function(y, x, weight, bias)
    local i = program(1)
    local rows = load(x, { i, 1 }, { M, N })
    local mean = sum(rows, 2) * (1 / N)
    local d = float32(rows) - mean
    local scale = rsqrt(sum(d * d, 2) * (1 / N) + EPSILON)
    store(y, { i, 1 }, d * scale * load(weight, { 1 }, { N }) + load(bias, { 1 }, { N }))
  end, { warps = warps, name = "layer_norm" })
end

whole["rms norm"] = function(M, N, warps)
  return cuda.tiled(function(y, x, weight)
    local i = program(1)
    local rows = load(x, { i, 1 }, { M, N })
    local wide = float32(rows)
    local scale = rsqrt(sum(wide * wide, 2) * (1 / N) + EPSILON)
    store(y, { i, 1 }, float32(rows) * scale * load(weight, { 1 }, { N }))
  end, { warps = warps, name = "rms_norm" })
end

-- Kernels for one row in tiles of N columns -------------------------------------------------------

local looped = {}

function looped.softmax(_, N, warps)
  return cuda.tiled(function(y, x)
    local i = program(1)
    local top, total = full("float32", -math.huge, 1, 1), zeros("float32", 1, 1)
    for j = 1, tiles(x, 2, N) do
      local part = load(x, { i, j }, { 1, N })
      local highest = math.max(top, float32(max(part, 2)) * LOG2E)
      total = total * cuda.exp2(top - highest) + sum(cuda.exp2(float32(part) * LOG2E - highest), 2)
      top = highest
    end
    local scale = 1 / total
    for j = 1, tiles(x, 2, N) do
      local part = load(x, { i, j }, { 1, N })
      store(y, { i, j }, cuda.exp2(float32(part) * LOG2E - top) * scale)
    end
  end, { warps = warps, name = "softmax" })
end

-- The sums are those of differences from the row's first element: their squares cancel little.
looped["layer norm"] = function(_, N, warps)
  return cuda.tiled(function(y, x, weight, bias)
    local i, n = program(1), float32(x.shape[2])
    local first = float32(x[i][1])
    local sums, squares = zeros("float32", 1, N), zeros("float32", 1, N)
    for j = 1, tiles(x, 2, N) do
      local d = float32(load(x, { i, j }, { 1, N })) - first
      sums, squares = sums + d, squares + d * d
    end
    local shift = sum(sums, 2) / n
    local mean, scale = first + shift, rsqrt(sum(squares, 2) / n - shift * shift + EPSILON)
    for j = 1, tiles(x, 2, N) do
      local d = float32(load(x, { i, j }, { 1, N })) - mean
      store(y, { i, j }, d * scale * load(weight, { j }, { N }) + load(bias, { j }, { N }))
    end
  end, { warps = warps, name = "layer_norm" })
end

looped["rms norm"] = function(_, N, warps)
  return cuda.tiled(function(y, x, weight)
    local i, n = program(1), float32(x.shape[2])
    local squares = zeros("float32", 1, N)
    for j = 1, tiles(x, 2, N) do
      local part = float32(load(x, { i, j }, { 1, N }))
      squares = squares + part * part
    end
    local scale = rsqrt(sum(squares, 2) / n + EPSILON)
    for j = 1, tiles(x, 2, N) do
      local part = float32(load(x, { i, j }, { 1, N }))
      store(y, { i, j }, part * scale * load(weight, { j }, { N }))
    end
  end, { warps = warps, name = "rms_norm" })
end

-- What is tried for rows of so many columns: rows and columns of a tile, warps.
local EXTENTS = {
  [128] = { { 16, 128, 4 }, { 32, 128, 4 }, { 64, 128, 8 } },
  [1024] = { { 4, 1024, 4 }, { 2, 1024, 4 }, { 8, 1024, 8 } },
  [4096] = { { 1, 4096, 4 }, { 1, 4096, 8 }, { 2, 4096, 8 } },
  [16384] = { { 1, 16384, 8 }, { 1, 16384, 16 }, { 1, 4096, 8 } },
  [65536] = { { 1, 4096, 8 }, { 1, 8192, 8 }, { 1, 8192, 16 }, { 1, 16384, 16 },
    { 1, 65536, 16 } },
}
local COLUMNS = { 128, 1024, 4096, 16384, 65536 }

local function kernel_of(name, columns, e)
  return (e[2] == columns and whole or looped)[name](table.unpack(e))
end

local function expected_of(name, x, weight, bias)
  local wide = x:astype "float64"
  if name == "softmax" then return cuda.softmax(wide, { axis = 2 }) end
  if name == "layer norm" then wide = wide - wide:mean{ axis = 2, keepdims = true } end
  local scale = cuda.sqrt((wide * wide):mean{ axis = 2, keepdims = true } + EPSILON)
  local scaled = wide / scale * weight
  return name == "layer norm" and scaled + bias or scaled
end

local function calls_of(name, y, x, weight, bias)
  local rows, columns = table.unpack(x.shape)
  local calls = {}
  for k, e in ipairs(EXTENTS[columns]) do
    local kernel, launch = kernel_of(name, columns, e), { programs = { rows // e[1] } }
    calls[k] = function()
      if name == "softmax" then kernel(launch, y, x)
      elseif name == "rms norm" then kernel(launch, y, x, weight)
      else kernel(launch, y, x, weight, bias) end
    end
  end
  return calls
end

local function check(name, dtype, calls, y, expected)
  for k, call in ipairs(calls) do
    y:fill(0)
    call()
    local e = EXTENTS[y.shape[2]][k]
    print(("%-10s %-8s %5d columns, %d x %d, %d warps: error %.2g"):format(name, dtype, y.shape[2],
      e[1], e[2], e[3], measure.off(y, expected)))
  end
end

local function row(peers, name, dtype, columns)
  local x = cuda.random.normal({ ELEMENTS // columns, columns }):astype(dtype)
  local weight, bias = cuda.random.normal(columns):astype(dtype), cuda.random.normal(columns)
  bias = bias:astype(dtype)
  local y = cuda.empty_like(x)
  local calls = calls_of(name, y, x, weight, bias)
  if measure.small then
    return check(name, dtype, calls, y, expected_of(name, x, weight, bias))
  end
  calls[#calls + 1] = function() x:copy{ out = y } end
  local times = measure.medians(calls)
  local function rate(ms) return 2 * x.nbytes / ms * 1e-6 end
  local ms, which = measure.least(times, 1, #calls - 1)
  local e, own = EXTENTS[columns][which], rate(ms)
  print(("%-10s %-8s %5d columns  ours %5.0f  %s  %s  (%d x %d, %d warps)"):format(name, dtype,
    columns, own, measure.beside("copy", rate(times[#times]), own),
    measure.beside("torch", peers[("%s %s %d"):format(name, dtype, columns)], own),
    table.unpack(e)))
end

local function run(name)
  local peers = measure.peers("peer_tiles.py", "'" .. name .. "'")
  for _, dtype in ipairs{ "bfloat16", "float32" } do
    for _, columns in ipairs(COLUMNS) do
      row(peers, name, dtype, columns)
      collectgarbage()
    end
  end
end

local groups = {}
for k, name in ipairs{ "softmax", "layer norm", "rms norm" } do
  groups[k] = { name = name, run = function() run(name) end }
end
return groups
