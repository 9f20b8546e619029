-- What a texture reads, in plain Lua: CUDA's rules for addresses and filters (CUDA C++ programming
-- guide, "Texture Fetching").
--
--   sampling.fetch(texels, at, opts)   the value at a place: texels are nested tables of numbers,
--                                      at = { x }, { x, y } or { x, y, z }; opts.filter, address
--                                      (one word), normalized, border
local M = {}

-- The texel that index i stands for in an axis of n texels; nil where the border is read.
local ADDRESS = {}

function ADDRESS.clamp(i, n) return math.max(0, math.min(n - 1, i)) end
function ADDRESS.border(i, n) return i >= 0 and i < n and i or nil end
function ADDRESS.wrap(i, n) return i % n end

function ADDRESS.mirror(i, n)
  local k = i % (2 * n)
  return k < n and k or 2 * n - 1 - k
end

-- The texel at integer places {x, y, z}.
local function texel(texels, at, sizes, opts)
  local value = texels
  for axis = #at, 1, -1 do
    local i = ADDRESS[opts.address or "clamp"](at[axis], sizes[axis])
    if not i then return opts.border or 0 end
    value = value[i + 1]
  end
  return value
end

local function sizes_of(texels, n)
  local sizes = {}
  for axis = n, 1, -1 do
    sizes[axis] = #texels
    texels = texels[1]
  end
  return sizes
end

-- Fractions have 8 bits.
local function rounded(fraction) return math.floor(fraction * 256 + 0.5) / 256 end

-- The mean of the texels around, one axis after the other.
local function filtered(texels, places, sizes, opts, axis, at)
  if axis == 0 then return texel(texels, at, sizes, opts) end
  local from = math.floor(places[axis] - 0.5)
  local fraction = rounded(places[axis] - 0.5 - from)
  at[axis] = from
  local low = filtered(texels, places, sizes, opts, axis - 1, at)
  at[axis] = from + 1
  local high = filtered(texels, places, sizes, opts, axis - 1, at)
  return low * (1 - fraction) + high * fraction
end

function M.fetch(texels, at, opts)
  local sizes, places = sizes_of(texels, #at), {}
  for axis, x in ipairs(at) do places[axis] = opts.normalized and x * sizes[axis] or x end
  if opts.filter == "linear" then return filtered(texels, places, sizes, opts, #at, {}) end
  for axis, x in ipairs(places) do places[axis] = math.floor(x) end
  return texel(texels, places, sizes, opts)
end

return M
