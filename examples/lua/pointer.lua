-- A kernel over memory of another library, of which only the address is known.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 10)

local add_one = cuda.jit(function(x)
  for i in grid(#x) do x[i] = x[i] + 1 end
end)

-- Stands for the other library: it owns the memory and gives an address and a number of elements.
local theirs = cuda.arange(n, "uint8")
local address, count = theirs.pointer, #theirs

-- An address says nothing of type and extent, so they are written here. The owner is kept alive.
local x = cuda.wrap(address, { count }, "uint8", { owner = theirs })
add_one({ threads = count }, x)
print(theirs)
assert(cuda.array_equal(theirs, cuda.arange(1, n + 1, "uint8")))

return theirs
