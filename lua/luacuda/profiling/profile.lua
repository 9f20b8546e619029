-- profile.lua: cuda.profile, cuda.benchmark and cuda.profiler. A profile is a timeline of kernels,
-- copies, fills, waits, compilations and ranges.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"
local columns = require "luacuda.base.columns"
local is_options = require("luacuda.base.either").is_options
local chrome = require "luacuda.profiling.chrome"

local fail = arguments.fail

local methods = {}
local Profile = class.new("Profile", methods, { "entries", "totals", "length_ms", "wait_ms",
  "dropped", "chrome", "save" })

local LIMIT = 1000000 -- entries that a profile keeps, unless the option says otherwise

-- Entries -----------------------------------------------------------------------------------------

-- "copy host to gpu0", "copy gpu0", "fill"
local function name_of(entry)
  if entry.kind ~= "copy" or not entry.from then return entry.kind end
  if entry.from == entry.to then return "copy " .. entry.from end
  return ("copy %s to %s"):format(entry.from, entry.to)
end

local function complete(entry)
  entry.name = entry.name or name_of(entry)
  entry.from, entry.to = nil, nil
  if entry.bytes and entry.duration_ms > 0 then
    entry.gb_per_s = entry.bytes / entry.duration_ms / 1e6
  end
end

-- Total of one name ->  { name, kind, device, count, total_ms, mean_ms, min_ms, max_ms, bytes,
-- gb_per_s }
local function add_to(total, entry)
  local ms = entry.duration_ms
  total.count = total.count + 1
  total.total_ms = total.total_ms + ms
  total.mean_ms = total.total_ms / total.count
  total.min_ms, total.max_ms = math.min(total.min_ms, ms), math.max(total.max_ms, ms)
  if entry.bytes then
    total.bytes = (total.bytes or 0) + entry.bytes
    total.gb_per_s = total.total_ms > 0 and total.bytes / total.total_ms / 1e6 or nil
  end
end

local function new_total(entry)
  return { name = entry.name, kind = entry.kind, device = entry.device, count = 0, total_ms = 0,
    min_ms = math.huge, max_ms = 0 }
end

-- Totals by kind, name and device, the longest first.
local function totals_of(entries)
  local list, by_name = {}, {}
  for _, entry in ipairs(entries) do
    local key = ("%s\0%s\0%s"):format(entry.kind, entry.name, entry.device)
    if not by_name[key] then
      by_name[key] = new_total(entry)
      list[#list + 1] = by_name[key]
    end
    add_to(by_name[key], entry)
  end
  table.sort(list, function(a, b)
    if a.total_ms ~= b.total_ms then return a.total_ms > b.total_ms end
    return a.name < b.name
  end)
  return list
end

local function wait_time(entries)
  local ms = 0.0
  for _, entry in ipairs(entries) do
    if entry.kind == "wait" then ms = ms + entry.duration_ms end
  end
  return ms
end

local function new_profile(entries, length, dropped)
  for i, entry in ipairs(entries) do
    complete(entry)
    entry.order = i
  end
  table.sort(entries, function(a, b)
    if a.start_ms ~= b.start_ms then return a.start_ms < b.start_ms end
    return a.order < b.order
  end)
  for _, entry in ipairs(entries) do entry.order = nil end
  return setmetatable({ entries = entries, totals = totals_of(entries), length_ms = length,
    wait_ms = wait_time(entries), dropped = dropped }, Profile)
end

-- Text --------------------------------------------------------------------------------------------

local ROWS = 30 -- of totals in the text

local function number(format, value) return value and format:format(value) or "" end

local function row_of(total)
  return { total.kind, total.name, total.device, tostring(total.count),
    number("%.3f", total.total_ms), number("%.4f", total.mean_ms), number("%.4f", total.min_ms),
    number("%.4f", total.max_ms), number("%.1f", total.bytes and total.bytes / 1e6),
    number("%.1f", total.gb_per_s) }
end

local HEAD = { "kind", "name", "device", "count", "total ms", "mean ms", "min ms", "max ms", "MB",
  "GB/s" }
local LEFT = 3 -- columns that are text

-- A name may be longer than a line: its end is cut.
local function cut(text) return #text > 48 and text:sub(1, 45) .. "..." or text end

function Profile:__tostring()
  local rows = { HEAD }
  for i = 1, math.min(#self.totals, ROWS) do
    rows[#rows + 1] = row_of(self.totals[i])
    rows[#rows][2] = cut(rows[#rows][2])
  end
  local lines = columns.lines(rows, LEFT)
  if #self.totals > ROWS then lines[#lines + 1] = ("and %d more"):format(#self.totals - ROWS) end
  lines[#lines + 1] = ("%.3f ms in all, %.3f ms of waiting, %d entries"):format(self.length_ms,
    self.wait_ms, #self.entries)
  if self.dropped > 0 then
    lines[#lines + 1] = ("%d more entries were not recorded: option 'limit'"):format(self.dropped)
  end
  return table.concat(lines, "\n")
end

-- Methods -----------------------------------------------------------------------------------------

local function check(profile, method, ...)
  if getmetatable(profile) ~= Profile then
    fail(method, "expected Profile before the ':', got %s", arguments.describe(profile))
  end
  if select("#", ...) > 0 then fail(method, "too many arguments") end
end

-- profile:chrome() -> the timeline as JSON for Perfetto and chrome://tracing
function methods:chrome(...)
  check(self, "chrome")
  if select("#", ...) > 0 then fail("chrome", "too many arguments; :save(path) writes a file") end
  return chrome.text(self.entries)
end

-- profile:save(path) writes profile:chrome() to a file; returns the profile.
function methods:save(path, ...)
  check(self, "save", ...)
  local file = require "luacuda.files.file"
  file.check_path("save", path)
  local text = chrome.text(self.entries)
  file.replace("save", path, function(handle) file.put("save", path, handle, text) end)
  return self
end

-- Functions ---------------------------------------------------------------------------------------

local MOST = { runs = 1000000, warmup = 1000000, limit = 100000000 }

-- An option that is a number of things.
local function count(what, opts, name, default, least)
  return arguments.count(what, opts, name, least, MOST[name]) or default
end

-- cuda.profile(fn [, { limit = }]) -> Profile of what fn() does
local function profile(fn, opts, ...)
  if select("#", ...) > 0 then fail("profile", "too many arguments") end
  local limit = count("profile", arguments.options("profile", opts, { "limit" }), "limit", LIMIT, 1)
  return new_profile(core._profile(limit, fn))
end

-- fn, or a function that calls it with the arguments; and the options, which come last.
local function call_of(fn, ...)
  local args = table.pack(...)
  local opts = args[args.n]
  if opts == nil or is_options(opts) then args.n = args.n - 1 else opts = nil end
  if args.n <= 0 then return fn, opts end
  return function() return fn(table.unpack(args, 1, args.n)) end, opts
end

-- cuda.benchmark(fn [, arguments] [, { runs =, warmup =, stream = }]) -> the times of fn(...)
local function benchmark(fn, ...)
  core._check_callable(fn, "benchmark")
  local opts
  fn, opts = call_of(fn, ...)
  opts = arguments.options("benchmark", opts, { "runs", "warmup", "stream" })
  local runs = count("benchmark", opts, "runs", 20, 1)
  local warmup = count("benchmark", opts, "warmup", 3, 0)
  local device = core.device()
  local stream = opts.stream or device.stream
  if stream.device ~= device then
    fail("benchmark", "option 'stream': the stream belongs to %s, the work to %s",
      stream.device.label, device.label)
  end
  return core.with_stream(stream, core._benchmark, fn, runs, warmup, stream)
end

-- cuda.profiler.start() and stop() tell an attached profiler such as nsys or ncu where to look.
local profiler = {}
for name, on in pairs { start = true, stop = false } do
  profiler[name] = function(...)
    if select("#", ...) > 0 then fail("profiler." .. name, "too many arguments") end
    core._profiler(on)
  end
end

return { profile = profile, benchmark = benchmark, profiler = profiler }
