-- Divides the clicks of users into sessions: one ends after an hour without a click.
--   Arguments: [CLICKS]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 5000)
local PAUSE = 3600

-- A click begins a session if it is the first one of its user or comes late. Such a click is marked
-- with its own index, all others with 0.
local mark = cuda.jit(function(session, user, seconds)
  for i in grid(#user) do
    local begins = true
    if i > 1 then
      begins = user[i] ~= user[i - 1] or seconds[i] - seconds[i - 1] > PAUSE
    end
    session[i] = begins and i or 0
  end
end)

-- The thread of each first click walks on to the next one. No two threads write the same element,
-- and none writes what others read.
local spread = cuda.jit(function(session, first)
  for i in grid(#session) do
    if first[i] == i then
      local k = i + 1
      while k <= #session and first[k] == 0 do
        session[k] = i
        k = k + 1
      end
    end
  end
end)

-- Clicks by user and time: some seconds apart, now and then hours.
local users, times, user, time, seed = {}, {}, 1, 0, 1
for i = 1, n do
  seed = (seed * 1103515245 + 12345) & 0x7fffffff
  local chance = seed >> 16
  if chance % 11 == 0 then user, time = user + 1, 0 end
  time = time + (chance % 7 == 0 and 4000 + chance % 5000 or chance % 90)
  users[i], times[i] = user, time
end

local session = cuda.empty(n, "int64")
local by, at = cuda.array(users, "int32"), cuda.array(times, "int64")
mark({ threads = n }, session, by, at)
local begins = session:copy()
-- The second launch begins when the first one has ended, so it sees all marks.
spread({ threads = n }, session, begins)

assert(cuda.array_equal(session, begins:cummax()))
print(("%d clicks of %d users on %s: %d sessions"):format(n, user, session.device.name,
  begins:count_nonzero()))

return by, at, session
