-- functions.lua: the names of math_functions.lua and time.lua for a run in Lua.

local M = {}

-- A multiple of pi, exact at multiples of a half.
local function turn(x)
  local part = math.fmod(x, 2)
  return part * math.pi
end

local names = {
  fma = function(x, y, z) return x * y + z + 0.0 end,
  rsqrt = function(x) return 1 / math.sqrt(x) end,
  exp10 = function(x) return 10.0 ^ x end,
  sinpi = function(x) return x % 1 == 0 and 0.0 or math.sin(turn(x)) end,
  cospi = function(x) return x % 1 == 0.5 and 0.0 or math.cos(turn(x)) end,
  ffs = function(v)
    for n = 1, 64 do
      if v >> n - 1 & 1 ~= 0 then return n end
    end
    return 0
  end,
  clock = function() return math.floor(os.clock() * 1e9) end,
  nanosleep = function() end,
}

-- add(list) adds the functions by their names in kernels.
function M.add(list)
  for name, fn in pairs(names) do list[name] = fn end
end

return M
