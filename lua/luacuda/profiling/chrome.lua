-- chrome.lua: timelines in the trace event format, which Perfetto and chrome://tracing read. A
-- device is a process of the trace, a stream a thread of it; times are microseconds.

local quote = require("luacuda.base.json").quote

-- A number of JSON; `%.17g` would use the decimal point of the locale.
local function microseconds(ms)
  local thousandths = math.floor(ms * 1e6 + 0.5)
  return ("%d.%03d"):format(thousandths // 1000, thousandths % 1000)
end

local function list(numbers) return "[" .. table.concat(numbers, ",") .. "]" end

local function arguments_of(entry)
  local parts = {}
  if entry.bytes then parts[#parts + 1] = '"bytes":' .. entry.bytes end
  if entry.gb_per_s then
    parts[#parts + 1] = '"MB/s":' .. math.floor(entry.gb_per_s * 1000 + 0.5)
  end
  if entry.grid then parts[#parts + 1] = '"grid":' .. list(entry.grid) end
  if entry.block then parts[#parts + 1] = '"block":' .. list(entry.block) end
  return "{" .. table.concat(parts, ",") .. "}"
end

-- The host's rows: ranges, then everything else.
local function row_of(entry)
  if entry.device ~= "host" then return entry.stream end
  return entry.kind == "range" and 0 or 1
end

local function row_name(entry)
  if entry.device == "host" then
    return entry.kind == "range" and "ranges" or "waits, copies and compilation"
  end
  return entry.stream == 0 and "null stream" or "stream " .. entry.stream
end

local function event_of(entry, pid)
  return ('{"ph":"X","name":%s,"cat":%s,"pid":%d,"tid":%d,"ts":%s,"dur":%s,"args":%s}'):format(
    quote(entry.name), quote(entry.kind), pid, row_of(entry),
    microseconds(math.max(entry.start_ms, 0)), microseconds(math.max(entry.duration_ms, 0)),
    arguments_of(entry))
end

local function label(what, pid, tid, name)
  return ('{"ph":"M","name":%s,"pid":%d,"tid":%d,"args":{"name":%s}}'):format(quote(what), pid, tid,
    quote(name))
end

-- chrome.text(entries) -> JSON
local function text(entries)
  local lines, pids, rows, processes = {}, {}, {}, 0
  for _, entry in ipairs(entries) do
    local device = entry.device
    if not pids[device] then
      processes = processes + 1
      pids[device] = processes
      lines[#lines + 1] = label("process_name", processes, 0, device)
    end
    local pid, tid = pids[device], row_of(entry)
    if not rows[pid .. " " .. tid] then
      rows[pid .. " " .. tid] = true
      lines[#lines + 1] = label("thread_name", pid, tid, row_name(entry))
    end
    lines[#lines + 1] = event_of(entry, pid)
  end
  return '{"displayTimeUnit":"ms","traceEvents":[\n' .. table.concat(lines, ",\n") .. "\n]}\n"
end

return { text = text }
