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

-- A list of n elements, each the result of of(rng).
function M.random_list(rng, n, of)
  local list = {}
  for i = 1, n do list[i] = of(rng) end
  return list
end

-- From -100 to 100.
function M.random_integer(rng) return rng(201) - 100 end

-- A multiple of 1/64 between -157 and 157: sums and products of a few are exact.
function M.random_float(rng) return (rng(20001) - 10000) / 64 end

function M.size_of(shape)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return n
end

return M
