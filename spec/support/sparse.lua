-- What specs of products with sparse matrices share: matrices of which half the elements are
-- stored, and their metadata (mma.sp: 9.7.14.6, wgmma.mma_async.sp: 9.7.15.6).
local tensor = require "spec.support.tensor"

local M = {}

-- Chooses the elements that are stored: whole[row][column] with zeros, stored[row][i], and the two
-- bits of every index.
function M.matrix(case, type_)
  local zero, whole, stored, indices = 0, {}, {}, {}
  local unit = type_ == "tf32" and 1 or case.bits == 4 and 2 or 1
  for r = 1, case.m do
    whole[r], stored[r], indices[r] = {}, {}, {}
    for k = 1, case.k do whole[r][k] = zero end
    local chunk = type_ == "tf32" and 2 or 4 * unit
    for first = 0, case.k - 1, chunk do
      local low = math.random(0, 2)
      local high = math.random(low + 1, 3)
      if type_ == "tf32" then
        low = math.random(0, 1) * 2
        high = low + 1
      end
      for n, index in ipairs(type_ == "tf32" and { low } or { low, high }) do
        for u = 0, unit - 1 do
          local at = type_ == "tf32" and first + index // 2 or first + index * unit + u
          whole[r][at + 1] = tensor.types[type_].random()
          stored[r][#stored[r] + 1] = whole[r][at + 1]
        end
        indices[r][#indices[r] + 1] = index
        if type_ == "tf32" and n == 1 then indices[r][#indices[r] + 1] = high end
      end
    end
  end
  return whole, stored, indices
end

-- The words of the lanes, for the first 16 rows of `indices`; those that do not matter are random.
function M.metadata(case, indices, selector)
  local words = {}
  for lane = 1, 32 do words[lane] = math.random(0, 0xffffffff) end
  for r = 0, 15 do
    for i, index in ipairs(indices[r + 1]) do
      local bit, group = (i - 1) * 2, r % 8 * 4
      local lane, shift
      if case.bits >= 16 then -- both rows of a group share words, 16 bits each
        lane, shift = group + selector * (#indices[1] // 8) + bit // 16, r // 8 * 16 + bit % 16
      elseif #indices[1] == 16 then -- a word per row, of two lanes
        lane, shift = group + selector * 2 + r // 8, bit
      else
        lane, shift = group + bit // 32 * 2 + r // 8, bit % 32
      end
      words[lane + 1] = words[lane + 1] & ~(3 << shift) | index << shift
    end
  end
  return words
end

return M
