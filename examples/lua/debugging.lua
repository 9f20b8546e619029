-- Looks into a thread: the same kernel as ordinary Lua, where everything of Lua works.
--   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 100)
local watch = false

-- Needs Lua: text and a table. A debugger could stop here.
local seen = {}
local function look(name, value)
  seen[#seen + 1] = ("%s = %g"):format(name, value)
end

-- While `watch` is false, the compiled kernel does not contain what stands inside.
local add = cuda.jit(function(out, a, b)
  local i = blockIdx.x * blockDim.x + threadIdx.x + 1
  if watch and blockIdx.x == 3 and threadIdx.x == 1 then
    look("i", i)
    look("a[i]", a[i])
    look("b[i]", b[i])
  end
  if i <= #out then out[i] = a[i] + b[i] end
end)

local a, b = cuda.arange(n, "float32"), cuda.arange(n, "float32") / 4
local out, again = cuda.empty_like(a), cuda.empty_like(a)
local launch = { grid = n // 16 + 1, block = 16 }
add(launch, out, a, b)
watch = true
add:run_in_lua(launch, again, a, b)

assert(cuda.array_equal(out, again))
assert(#seen == 3 and seen[1] == "i = 50")
print(table.concat(seen, ", "))

return out, a, b
