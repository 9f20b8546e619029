-- step.lua: kernel:step: runs a launch on the CPU device, which records what one thread does, line
-- by line, and gives the stops one after the other.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"
local faults = require "luacuda.source.faults"
local dwarf = require "luacuda.profiling.dwarf"
local sources = require "luacuda.profiling.sources"

local fail = arguments.fail

local FIELDS = { "file", "line", "text", "fn", "depth", "block", "thread", "variables",
  "registers" }
local LIMIT, MOST = 10000, 0x7fffffff

local methods = {}
local Stop = class.new("Stop", methods, FIELDS)

-- Text --------------------------------------------------------------------------------------------

local function show(v)
  if type(v) ~= "table" then return tostring(v) end
  local out = {}
  if #v > 0 then
    for i = 1, math.min(#v, 8) do out[i] = show(v[i]) end
    if #v > 8 then out[9] = "..." end
    return "{" .. table.concat(out, ", ") .. "}"
  end
  for name, one in pairs(v) do out[#out + 1] = name .. " = " .. show(one) end
  table.sort(out)
  return "{" .. table.concat(out, ", ") .. "}"
end

function Stop:__tostring()
  local names, b, t = {}, self.block, self.thread
  for name in pairs(self.variables) do names[#names + 1] = name end
  table.sort(names)
  local out = { ("%s:%d: %s, block (%d,%d,%d), thread (%d,%d,%d)"):format(self.file, self.line,
    self.fn, b[1], b[2], b[3], t[1], t[2], t[3]) }
  if self.text then out[2] = "  " .. self.text:match "^%s*(.-)%s*$" end
  for _, name in ipairs(names) do
    out[#out + 1] = ("    %s = %s"):format(name, show(self.variables[name]))
  end
  return table.concat(out, "\n")
end

-- Stops -------------------------------------------------------------------------------------------

local function unpack_registers(data, at, n)
  local list = {}
  for _ = 1, n do
    local name, bytes, bits
    name, bytes, bits, at = ("<s1 B i8"):unpack(data, at)
    list[name] = bytes > 0 and bits or nil
  end
  return list, at
end

-- What lcu_trace.h describes.
local function unpack_stop(data, at)
  local raw = {}
  local n
  raw.line, raw.text_line, raw.depth, raw.file, raw.fn, n, at =
    ("<I4 I4 I4 s4 s4 I4"):unpack(data, at + 4)
  raw.registers, at = unpack_registers(data, at, n)
  raw.memory, raw.param_bytes, at = ("<s4 s4"):unpack(data, at)
  return raw, at
end

-- Kernel -> parameter -> its offset, from the PTX text
local function parameters(text)
  local WIDTH = { ["8"] = 1, ["16"] = 2, ["32"] = 4, ["64"] = 8 }
  local of = {}
  for name, list in text:gmatch "%.entry%s+([%w_$]+)%s*(%b())" do
    local at, offsets = 0, {}
    for one in list:sub(2, -2):gmatch "[^,]+" do
      local width, param, count = one:match "%.[usfb](%d+)%s+([%w_$]+)%[?(%d*)"
      if not param then width, param = one:match "%.[usfb](%d+).-([%w_$]+)%s*$" end
      if param then
        local size = WIDTH[width]
        local align = not one:match "%.ptr" and tonumber(one:match "%.align%s+(%d+)") or size
        at = (at + align - 1) // align * align
        offsets[param] = at
        at = at + size * (tonumber(count) or 1)
      end
    end
    of[name] = offsets
  end
  return of
end

local function stop_of(raw, watch, debug, params, place)
  local file, line, text = place(raw.file, raw.line)
  if not file or watch.line and line ~= watch.line then return nil end
  raw.params = params[raw.fn] or {}
  local variables, name = {}, nil
  if debug then variables, name = dwarf.variables(debug, raw) end
  if watch.when and not watch.when(variables) then return nil end
  return setmetatable({ file = file, line = line, text = text and text(line),
    fn = name or faults.readable_name(raw.fn) or raw.fn, depth = raw.depth, block = watch.block,
    thread = watch.thread, variables = variables, registers = raw.registers }, Stop)
end

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

-- After the last stop: raises what went wrong.
local function finish(run, watch)
  local problem = run.problem
  run.problem = nil
  if problem then error(problem[1], 0) end
  if not run.seen then
    fail("step", "no launch has thread (%d,%d,%d) in block (%d,%d,%d)", watch.thread[1],
      watch.thread[2], watch.thread[3], watch.block[1], watch.block[2], watch.block[3])
  end
  if run.cut then
    fail("step", "the thread stopped more than %d times: give `line`, or a larger `limit`",
      watch.limit)
  end
end

-- What a call did. A loop closes it at its end: one that is left before the last stop raises the
-- error of the call, unless it is left by an error of its own.
local Run = {}

function Run:__close(e)
  local problem = self.problem
  self.problem = nil
  if problem and e == nil then error(problem[1], 0) end
end

-- object:step(watch, ...) -> iterator over the stops of one thread of what object(...) launches
local function step(object, given, ...)
  local watch, args = watch_of(given), table.pack(...)
  local place = sources.reader()
  local read, text = pcall(text_of, object, ...)
  text = read and text or ""
  local debug, params = dwarf.read(text), parameters(text)
  local lines = watch.line and lines_with_code(text, place)
  check_watch(watch, text, lines, debug)
  local ok, problem = true, nil
  local data, cut, seen = core._trace("step", function()
    ok, problem = pcall(function()
      object(table.unpack(args, 1, args.n))
      core._synchronize()
    end)
  end, { block = watch.block, thread = watch.thread, limit = watch.limit,
    line = lines and lines[watch.line] or 0 })
  local run = { data = data, cut = cut, seen = seen, problem = not ok and { problem } or nil }
  local at = 1
  return function()
    while at <= #data do
      local raw
      raw, at = unpack_stop(data, at)
      local stop = stop_of(raw, watch, debug, params, place)
      if stop then return stop end
    end
    finish(run, watch)
  end, nil, nil, setmetatable(run, Run)
end

return { step = step }
