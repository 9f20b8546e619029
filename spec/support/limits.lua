-- Time limits that end what hangs. Other work on the machine makes them longer, so that a loaded
-- machine is not a failure. Only a hang reaches a limit, so they may be generous.
--
--   limits.seconds(n)   n: a generous number of seconds for an idle machine
local M = {}

local GENEROUS = 4

local function first_line(path)
  local file <close> = io.open(path)
  return file and file:read "l" or ""
end

local function processors()
  local pipe = io.popen "nproc 2>/dev/null"
  local n = pipe and pipe:read "n"
  if pipe then pipe:close() end
  return n or 1
end

local cores

-- Threads that run or wait for a processor, per processor; 1 at least.
local function load()
  cores = cores or processors()
  local average, running = first_line "/proc/loadavg":match "^([%d.]+) %S+ %S+ (%d+)/"
  return math.max(1, (tonumber(average) or 0) / cores, (tonumber(running) or 0) / cores)
end

function M.seconds(n) return math.ceil(n * GENEROUS * load()) end

return M
