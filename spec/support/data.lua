-- Numbers and shapes for test data.
local M = {}

-- A function: rng(n) is a number from 0 to n - 1, the same sequence in every run.
function M.random(seed)
  local state = seed
  return function(n)
    state = state * 6364136223846793005 + 1442695040888963407
    return (state >> 33) % n
  end
end

function M.size_of(shape)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return n
end

return M
