-- What a texture reads, in plain Lua: CUDA's rules for addresses and filters (CUDA C++ programming
-- guide, "Texture Fetching").
--
--   sampling.tolerance(device, texels, opts)   options of helper.assert_close for such values
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

-- Axes in the order in which a filter weighs them.
local ORDERS = { { 1 }, { 1, 2 }, { 3, 1, 2 } }

-- The weighted texels around, all together of `weight`. Weights are multiples of 1/256: each axis
-- divides them, the texel after the place has the rounded part and the one before it the rest.
-- A tie goes up on x; on y only for the texel after the place on x (`after`); never on z.
local function filtered(texels, places, sizes, opts, rank, at, weight, after)
  if weight == 0 then return 0 end
  local axis = ORDERS[#places][rank]
  if not axis then return weight / 256 * texel(texels, at, sizes, opts) end
  local fixed = math.floor((places[axis] - 0.5) * 256 + 0.5)
  local up = axis == 1 or axis == 2 and after
  local part = (weight * (fixed % 256) + (up and 128 or 127)) // 256
  at[axis] = fixed // 256
  local low = filtered(texels, places, sizes, opts, rank + 1, at, weight - part, false)
  at[axis] = fixed // 256 + 1
  return low + filtered(texels, places, sizes, opts, rank + 1, at, part, true)
end

function M.fetch(texels, at, opts)
  local sizes, places = sizes_of(texels, #at), {}
  for axis, x in ipairs(at) do places[axis] = opts.normalized and x * sizes[axis] or x end
  if opts.filter == "linear" then return filtered(texels, places, sizes, opts, 1, {}, 256) end
  for axis, x in ipairs(places) do places[axis] = math.floor(x) end
  return texel(texels, places, sizes, opts)
end

-- Smallest and largest of nested tables of numbers, and those given.
local function range(t, low, high)
  if type(t) == "number" then return math.min(t, low), math.max(t, high) end
  for _, v in ipairs(t) do low, high = range(v, low, high) end
  return low, high
end

-- How closely a device agrees with fetch: exactly without a filter. CUDA gives filters 8 bits for
-- a fraction: a GPU may be wrong by 1/256 of the range for each axis. The CPU device computes as
-- fetch does, and rounds only the coordinates and the result.
function M.tolerance(device, texels, opts)
  if opts.filter ~= "linear" then return { rtol = 0 } end
  if device.kind == "cpu" then return { rtol = 1e-6 } end
  local border, axes, t = opts.border or 0, 0, texels
  while type(t) == "table" do axes, t = axes + 1, t[1] end
  local low, high = range(texels, border, border)
  return { rtol = 0, atol = axes * (high - low) / 256 }
end

return M
