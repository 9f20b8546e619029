-- stops.lua: the stops of kernel:step, as the CPU device packs them (lcu_trace.h) and as users see
-- them.

local class = require "luacuda.base.class"
local faults = require "luacuda.source.faults"
local dwarf = require "luacuda.profiling.dwarf"
local lua_names = require "luacuda.profiling.lua_names"
local scopes = require "luacuda.profiling.scopes"
local sources = require "luacuda.profiling.sources"

local FIELDS = { "file", "line", "text", "fn", "depth", "block", "thread", "variables",
  "registers" }

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

-- Packed stops ------------------------------------------------------------------------------------

local function unpack_registers(data, at, n)
  local list = {}
  for _ = 1, n do
    local name, bytes, bits
    name, bytes, bits, at = ("<s1 B i8"):unpack(data, at)
    list[name] = bytes > 0 and bits or nil
  end
  return list, at
end

-- The stop at an offset of packed ones, and the offset of the next. Its values are left to
-- `complete`.
local function unpack_stop(data, at)
  local raw = { data = data }
  raw.size, raw.line, raw.text_line, raw.depth, raw.inlined, raw.file, raw.fn, raw.inner,
    raw.values = ("<I4 I4 I4 I4 I4 s4 s4 s4"):unpack(data, at)
  return raw, at + 4 + raw.size
end

local function complete(raw)
  if raw.registers then return end
  local n, at = ("<I4"):unpack(raw.data, raw.values)
  raw.registers, at = unpack_registers(raw.data, at, n)
  raw.memory, raw.param_bytes = ("<s4 s4"):unpack(raw.data, at)
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

-- Stops -------------------------------------------------------------------------------------------

-- reader(text) -> what the functions below take, for code with that PTX
local function reader(text)
  return { place = sources.reader(), debug = dwarf.read(text), params = parameters(text) }
end

-- Name of the innermost function, inlined or not, and the calls that lead there
local function position(r, raw)
  local frame = r.debug and scopes.frame(r.debug, raw.text_line)
  local name = raw.inner ~= "" and raw.inner or raw.fn
  local found = frame and frame.name or faults.readable_name(name) or name
  return lua_names.fn(raw.file, found), raw.depth + (frame and frame.depth or raw.inlined)
end

-- continues(reader, raw) -> whether the thread still carries out the line of the stop before: a
-- line of Lua is several of CUDA C++, and parts of it may be inlined. A jump back begins it anew.
-- Code without debug information is in no such order.
local function continues(r, raw)
  local frame, before = r.debug and scopes.frame(r.debug, raw.text_line), r.before
  local file, line = r.place(raw.file, raw.line)
  if not frame or not file then return false end
  r.before = { call = frame[1], depth = raw.depth, file = file, line = line, at = raw.text_line }
  return before ~= nil and before.call == frame[1] and before.depth == raw.depth
    and before.file == file and before.line == line and before.at < raw.text_line
end

-- variables(reader, raw) -> name to value
local function variables(r, raw)
  local frame = r.debug and scopes.frame(r.debug, raw.text_line)
  if not frame then return {} end
  complete(raw)
  raw.params = r.params[raw.fn] or {}
  return lua_names.variables(raw.file, scopes.variables(r.debug, frame, raw))
end

-- stop(reader, raw, block, thread) -> Stop
local function stop(r, raw, block, thread)
  local file, line, text = r.place(raw.file, raw.line)
  local fn, depth = position(r, raw)
  complete(raw)
  return setmetatable({ file = file, line = line, text = text and text(line), fn = fn,
    depth = depth, block = block, thread = thread, variables = variables(r, raw),
    registers = raw.registers }, Stop)
end

return { unpack = unpack_stop, reader = reader, continues = continues, variables = variables,
  stop = stop }
