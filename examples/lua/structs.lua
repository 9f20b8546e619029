-- An array of structs: bodies that fall and bounce.   Arguments: [BODIES [STEPS]]
local cuda = require "luacuda"

local n, steps = ...
n, steps = math.tointeger(tonumber(n) or 500), math.tointeger(tonumber(steps) or 100)
local DT, GRAVITY, LOSS = 0.01, -9.81, 0.8

local Body = cuda.struct("Body", { { "height", "float32" }, { "speed", "float32" },
  { "bounces", "int32" } })

-- An element of the array is a reference: `body.speed = v` changes the array.
local step = cuda.jit(function(bodies, rounds)
  for i in grid(#bodies) do
    local body = bodies[i]
    for _ = 1, rounds do
      body.speed = body.speed + GRAVITY * DT
      body.height = body.height + body.speed * DT
      if body.height < 0 then
        body.height, body.speed = -body.height, -body.speed * LOSS
        body.bounces = body.bounces + 1
      end
    end
  end
end)

local list = {}
for i = 1, n do list[i] = { height = 1 + 9 * i / n, speed = 0, bounces = 0 } end
local bodies = cuda.array(list, Body)
step({ threads = n }, bodies, steps)

local highest, bounces = 0, 0
for i = 1, n do
  highest, bounces = math.max(highest, bodies[i].height), bounces + bodies[i].bounces
end
assert(highest < 10) -- none gains energy
print(("%d bodies on %s after %d steps: %d bounces, the highest at %.3f"):format(n,
  bodies.device.name, steps, bounces, highest))

return bodies, steps
