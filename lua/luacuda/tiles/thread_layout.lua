-- thread_layout.lua: which thread of a block holds which elements of a tile.
--
-- A layout is a product of factors. Each takes a digit of the number of a register, of a lane or of
-- a warp, and moves along one axis:
--   owner   "reg", "lane" or "warp"
--   axis    1 or 2; 0: the owners of all digits hold the same elements
--   size    the digit is (number // weight) % size
--   stride  the elements between two digits
--   weight  the product of the sizes of the owner's factors before this one
-- The sizes of factors of lanes and warps are powers of two, but for the three groups of 12 warps:
-- in `grouped` they have rows of their own, elsewhere they are copies.
--
-- Equal layouts are one table:
--   { shape =, warps =, factors =, registers = elements of a thread, rank =, key = }
-- rank: where two layouts meet, the elements of the lower rank move.

local M = {}

local LANES = 32
M.LANES = LANES

-- The ranks of layouts: of loads and stores, of products by multiplications, of tensor cores.
M.PLAIN, M.MULTIPLIED, M.TENSOR = 1, 2, 3

local made = {}

local function key_of(shape, warps, rank, factors)
  local parts = { table.concat(shape, "x"), warps, rank }
  for _, f in ipairs(factors) do
    parts[#parts + 1] = ("%s%d:%d*%d"):format(f.owner:sub(1, 1), f.axis, f.size, f.stride)
  end
  return table.concat(parts, " ")
end

-- Fills the lanes and warps that are left with copies.
local function completed(list, warps)
  local own, count = {}, { reg = 1, lane = 1, warp = 1 }
  local function add(owner, axis, size, stride)
    if size == 1 then return end
    own[#own + 1] = { owner = owner, axis = axis, size = size, stride = stride,
      weight = count[owner] }
    count[owner] = count[owner] * size
  end
  for _, f in ipairs(list) do
    add(f.owner or f[1], f.axis or f[2], f.size or f[3], f.stride or f[4])
  end
  add("lane", 0, LANES // count.lane, 0)
  add("warp", 0, warps // count.warp, 0)
  return own, count.reg
end

-- new(shape, warps, rank, list) -> layout; `list`: factors as { owner, axis, size, stride }
local function new(shape, warps, rank, list)
  local factors, registers = completed(list, warps)
  local key = key_of(shape, warps, rank, factors)
  made[key] = made[key] or { shape = shape, warps = warps, rank = rank, factors = factors,
    registers = registers, key = key }
  return made[key]
end

-- The largest power of two that divides n, at most `most`.
local function power(n, most)
  local p = 1
  while 2 * p <= most and n % (2 * p) == 0 do p = 2 * p end
  return p
end

-- Rows of vectors: threads side by side hold what lies side by side.
local function rows_of(shape, warps, rank, vector, most_lanes)
  local rows, columns = shape[1], shape[2] // vector
  local across = power(columns, most_lanes)
  local down = power(rows, LANES // across)
  local most = power(warps, warps)
  local warps_down = power(rows // down, most)
  local warps_across = power(columns // across, most // warps_down)
  local width, height = vector * across, down * warps_down
  return new(shape, warps, rank, {
    { "reg", 2, vector, 1 }, { "lane", 2, across, vector }, { "lane", 1, down, 1 },
    { "warp", 1, warps_down, down }, { "warp", 2, warps_across, width },
    { "reg", 2, columns // (across * warps_across), width * warps_across },
    { "reg", 1, rows // height, height },
  })
end

-- plain(shape, bytes, warps) -> the layout of a tile with elements of so many bytes, for loads and
-- stores of 16 bytes
function M.plain(shape, bytes, warps)
  return rows_of(shape, warps, M.PLAIN, power(shape[2], 16 // bytes), LANES)
end

-- lanes(shape) -> that of a row whose elements are side by side in the threads of one warp
function M.lanes(shape)
  return new(shape, 1, M.PLAIN, { { "lane", 2, LANES, 1 }, { "reg", 2, shape[2] // LANES, LANES } })
end

-- multiplied(shape, warps) -> that of a sum of products: about square parts for each thread
function M.multiplied(shape, warps)
  return rows_of(shape, warps, M.MULTIPLIED, power(shape[2], 4), 8)
end

-- tensor(shape, warps) -> that of the sums of mma.m16n8, with rows in multiples of 16
function M.tensor(shape, warps)
  local most = power(warps, warps)
  local down = power(shape[1] // 16, most)
  local across = power(shape[2] // 8, most // down)
  local rows, columns = shape[1] // 16 // down, shape[2] // 8 // across
  return new(shape, warps, M.TENSOR, {
    { "reg", 2, 2, 1 }, { "reg", 1, 2, 8 }, { "reg", 2, columns, 8 }, { "reg", 1, rows, 16 },
    { "lane", 2, 4, 2 }, { "lane", 1, 8, 1 },
    { "warp", 1, down, 16 * rows }, { "warp", 2, across, 8 * columns },
  })
end

-- grouped(shape, warps) -> that of the sums of wgmma.m64: four warps have 16 rows each
function M.grouped(shape, warps)
  local groups = warps // 4
  local pieces, columns = shape[1] // 64 // groups, shape[2] // 8
  return new(shape, warps, M.TENSOR, {
    { "reg", 2, 2, 1 }, { "reg", 1, 2, 8 }, { "reg", 2, columns, 8 }, { "reg", 1, pieces, 64 },
    { "lane", 2, 4, 2 }, { "lane", 1, 8, 1 },
    { "warp", 1, 4, 16 }, { "warp", 1, groups, 64 * pieces },
  })
end

-- sliced(l, axis) -> the layout of a tile with one element along the axis, for whatever is the same
-- in all of them
function M.sliced(l, axis)
  local list, shape = {}, { l.shape[1], l.shape[2] }
  shape[axis] = 1
  for _, f in ipairs(l.factors) do
    if f.axis ~= axis then list[#list + 1] = f
    elseif f.owner ~= "reg" then list[#list + 1] = { f.owner, 0, f.size, 0 } end
  end
  return new(shape, l.warps, l.rank, list)
end

-- broadcast(l, shape) -> the layout of a tile of this shape that is spread over one of layout l
function M.broadcast(l, shape)
  for axis = 1, 2 do
    if shape[axis] == 1 and l.shape[axis] ~= 1 then l = M.sliced(l, axis) end
  end
  return l
end

-- swapped(l) -> that of the transposed tile in the same registers
function M.swapped(l)
  local list = {}
  for k, f in ipairs(l.factors) do
    list[k] = { f.owner, f.axis == 0 and 0 or 3 - f.axis, f.size, f.stride }
  end
  return new({ l.shape[2], l.shape[1] }, l.warps, l.rank, list)
end

-- Elements side by side that a thread holds in registers side by side.
function M.vector(l)
  local f = l.factors[1]
  if f and f.owner == "reg" and f.axis == 2 and f.stride == 1 then return f.size end
  return 1
end

-- each(l, owner, axis) -> the factors of an owner (nil: of any) along an axis
function M.each(l, owner, axis)
  local list = {}
  for _, f in ipairs(l.factors) do
    if (owner == nil or f.owner == owner) and f.axis == axis then list[#list + 1] = f end
  end
  return list
end

-- C++ ---------------------------------------------------------------------------------------------

local function digit(number, f, total)
  local text = number
  if f.weight > 1 then text = ("%s / %d"):format(text, f.weight) end
  if f.weight * f.size < total then text = ("%s %% %d"):format(text, f.size) end
  return text
end

local function total(l, owner)
  if owner == "reg" then return l.registers end
  return owner == "lane" and LANES or l.warps
end

local function sum_of(l, owners, axis)
  local terms = {}
  for _, f in ipairs(l.factors) do
    local number = f.axis == axis and owners[f.owner]
    if number then
      local text = digit(number, f, total(l, f.owner))
      terms[#terms + 1] = f.stride == 1 and ("(%s)"):format(text)
        or ("(%s) * %d"):format(text, f.stride)
    end
  end
  return #terms > 0 and table.concat(terms, " + ") or "0"
end

-- base(l, axis) -> the text of the place of register 0 of a thread
function M.base(l, axis) return sum_of(l, { lane = "_lane", warp = "_warp" }, axis) end

-- offset(l, axis, r) -> that of register `r` from there
function M.offset(l, axis, r) return sum_of(l, { reg = r }, axis) end

-- index(l, part, r) -> the text of the register of `part`, a broadcast of l, that belongs to
-- register `r` of l
function M.index(l, part, r)
  if l == part then return r end
  local terms, weight = {}, 1
  for _, f in ipairs(l.factors) do
    if f.owner == "reg" and part.shape[f.axis] ~= 1 then
      terms[#terms + 1] = ("(%s) * %d"):format(digit(r, f, l.registers), weight)
      weight = weight * f.size
    end
  end
  return #terms > 0 and table.concat(terms, " + ") or "0"
end

-- first_copy(l) -> a condition that holds in one of the threads that hold the same elements; nil:
-- in all
function M.first_copy(l)
  local terms = {}
  for _, f in ipairs(M.each(l, nil, 0)) do
    local number = f.owner == "lane" and "_lane" or "_warp"
    terms[#terms + 1] = ("(%s) == 0"):format(digit(number, f, total(l, f.owner)))
  end
  return terms[1] and table.concat(terms, " && ")
end

return M
