-- step.lua: kernel:step: runs a launch on the CPU device, which records what one thread does, line
-- by line, and gives the stops one after the other.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local stops = require "luacuda.profiling.stops"

local fail = arguments.fail

local LIMIT, MOST = 10000, 0x7fffffff

-- Arguments ---------------------------------------------------------------------------------------

local function place_of(name, given)
  if given == nil then return { 0, 0, 0 } end
  local list = type(given) == "table" and given or { given }
  if #list > 3 then
    fail("step", "option '%s': expected up to three integers from 0, got %d", name, #list)
  end
  local out = {}
  for i = 1, 3 do
    local n = list[i] == nil and 0 or math.tointeger(list[i])
    if not n or n < 0 or n > 0x7fffffff then
      fail("step", "option '%s': expected up to three integers from 0, got %s", name,
        arguments.describe(list[i]))
    end
    out[i] = n
  end
  return out
end

local function watch_of(given)
  local opts = arguments.options("step", given, { "block", "thread", "line", "when", "limit" })
  if opts.when ~= nil and type(opts.when) ~= "function" then
    fail("step", "option 'when': expected a function, got %s", arguments.describe(opts.when))
  end
  return { block = place_of("block", opts.block), thread = place_of("thread", opts.thread),
    line = arguments.count("step", opts, "line", 1, MOST), when = opts.when,
    limit = arguments.count("step", opts, "limit", 1, MOST) or LIMIT }
end

-- The user's lines that have code -> the line of the compiled text, or 0 if there is more than one
local function lines_with_code(text, place)
  local files, lines = {}, {}
  for index, name in text:gmatch '%.file%s+(%d+)%s+"([^"]*)"' do files[index] = name end
  for index, raw in text:gmatch "%.loc%s+(%d+)%s+(%d+)" do
    raw = tonumber(raw)
    if files[index] and raw > 0 then
      local file, line = place(files[index], raw)
      if file then lines[line] = (lines[line] or raw) == raw and raw or 0 end
    end
  end
  return lines
end

-- Fails unless the line has code; names the nearest lines that do.
local function check_line(lines, line)
  if lines[line] or not next(lines) then return end
  local before, after
  for one in pairs(lines) do
    if one < line then before = math.max(before or one, one) end
    if one > line then after = math.min(after or one, one) end
  end
  fail("step", "option 'line': line %d has no code; the nearest that has is %s", line,
    before and after and ("%d before and %d after it"):format(before, after) or before or after)
end

local function check_watch(watch, text, lines, debug)
  if watch.line then check_line(lines, watch.line) end
  if watch.when and text ~= "" and not debug then
    fail("step", "option 'when': the kernel has no variables: compile it with debug = true")
  end
end

local function text_of(object, ...)
  if core.type(object) == "kernel" then return object:ptx() end
  return object:ptx(select(2, ...))
end

-- Runs -------------------------------------------------------------------------------------------

-- What a call did: the stops that it keeps, packed. A loop closes it at its end: one that is left
-- before the last stop raises the error of the call, unless it is left by an error of its own.
local Run = {}

function Run:__close(e)
  local problem = self.problem
  self.problem = nil
  if problem and e == nil then error(problem[1], 0) end
end

local function accepts(run, raw)
  local watch, r = run.watch, run.reader
  local file, line = r.place(raw.file, raw.line)
  if not file or stops.continues(r, raw) or watch.line and line ~= watch.line then return false end
  return not watch.when or watch.when((stops.variables(r, raw)))
end

-- Adds those of the packed stops that are accepted. False: no more are of use.
local function take(run, data)
  local at = 1
  while at <= #data do
    local raw, next = stops.unpack(data, at)
    if accepts(run, raw) then
      if #run == run.watch.limit then
        run.full = true
        return false
      end
      run[#run + 1] = data:sub(at, next - 1)
    end
    at = next
  end
  return true
end

-- Launches, and takes the stops while the kernel runs. It waits for that whenever there are many,
-- so those that are not accepted need no memory.
local function follow(run, trace, launch)
  local ok, e = pcall(launch)
  local records = true
  repeat
    local data, more = core._trace_next(trace, records)
    if records then
      local taken, result = pcall(take, run, data)
      records = taken and result
      if not taken then run.failure = { result } end
    end
  until not more
  if ok then ok, e = pcall(core._synchronize) end
  if not ok then run.problem = { e } end
end

-- After the last stop: raises what went wrong.
local function finish(run)
  local watch, problem = run.watch, run.failure or run.problem
  run.failure, run.problem = nil, nil
  if problem then error(problem[1], 0) end
  if not run.seen then
    fail("step", "no launch has thread (%d,%d,%d) in block (%d,%d,%d)", watch.thread[1],
      watch.thread[2], watch.thread[3], watch.block[1], watch.block[2], watch.block[3])
  end
  if run.full then
    fail("step", "the thread stopped more than %d times: give `line` or `when`, or a larger "
      .. "`limit`", watch.limit)
  end
  if run.lost then
    fail("step", "the thread stopped too often while the call waited for its kernel: give `line`")
  end
end

-- object:step(watch, ...) -> iterator over the stops of one thread of what object(...) launches
local function step(object, given, ...)
  local watch, args = watch_of(given), table.pack(...)
  local read, text = pcall(text_of, object, ...)
  text = read and text or ""
  local run = { watch = watch, reader = stops.reader(text) }
  local lines = watch.line and lines_with_code(text, run.reader.place)
  check_watch(watch, text, lines, run.reader.debug)
  run.seen, run.lost = core._trace("step", function(trace)
    follow(run, trace, function() object(table.unpack(args, 1, args.n)) end)
  end, { block = watch.block, thread = watch.thread, line = lines and lines[watch.line] or 0 })
  local i = 0
  return function()
    i = i + 1
    if not run[i] then return finish(run) end
    return stops.stop(run.reader, (stops.unpack(run[i], 1)), watch.block, watch.thread)
  end, nil, nil, setmetatable(run, Run)
end

return { step = step }
