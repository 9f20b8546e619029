-- faults.lua: faults inside kernels, reported at the user's lines and with the user's names of
-- kernels.

local core = require "luacuda.core"
local naming = require "luacuda.source.naming"
local positions = require "luacuda.source.positions"

local function is_own(lowered) return lowered:find "^luacuda_" ~= nil end

-- The user's name of a kernel; else the name that the lowered name of a function contains, or that
-- of the library.
local function readable_name(lowered)
  return naming.given(lowered) or lowered:find("^_Z") and core.kernel_name(lowered)
    or is_own(lowered) and lowered or nil
end

local function quoted_name(lowered)
  local name = readable_name(lowered)
  return name and "'" .. name .. "'"
end

local function is_generated_file(file) return file and file:match "[^/]*$" == "luacuda" end

-- Lines of generated text mean nothing to a user: the error gives the kernel's name instead.
local function is_generated(e)
  return is_generated_file(e.file) or e.kernel ~= nil and is_own(e.kernel)
end

local function without_place(e)
  if not e.file then return end
  local place = (" at %s:%d"):format(e.file, e.line or 0)
  local at, stop = e.message:find(place, 1, true)
  while at do
    local rest = e.message:sub(stop + 1):gsub("^ %(called from .-%)", "")
    if rest:find "^ in kernel '" then
      e.message = e.message:sub(1, at - 1) .. rest
      break
    end
    at, stop = e.message:find(place, stop + 1, true)
  end
  e.file, e.line = nil, nil
end

-- Adds the place of the call: for kernels of builders and of the library it is all that the user
-- wrote.
local function with_call(e)
  e.message = e.message:gsub("( in kernel '[^']*')", function(text) return text .. ", called at "
    .. e.called_at end, 1)
end

-- Where the array of a report was made, if that is traced (cuda.debug{ allocations = true }).
local function made_at(address)
  for array, where in pairs(core._traced_arrays() or {}) do
    local _, _, at = core._block(array)
    if at == address and where ~= "" then return (where:gsub(": $", "")) end
  end
end

-- The same of an array that is gone.
local function was_made_at(address)
  local where = core._made_at(address)
  return where and where ~= "" and where:gsub(": $", "") or nil
end

-- Adds words at the end of the message's first line: others may count later launches.
local function add_words(e, words)
  e.message = e.message:gsub("^[^\n]*", function(first) return first .. words end, 1)
end

local function with_maker(e, array)
  array.made_at = made_at(array.address)
  if e.fault == "use after free" and not array.made_at then
    array.made_at = was_made_at(array.address)
    if array.made_at then add_words(e, "; the freed array was made at " .. array.made_at) end
  end
  if not array.made_at or not array.label then return end
  local at, stop = e.message:find("array " .. array.label, 1, true)
  if at then
    e.message = e.message:sub(1, stop) .. ", made at " .. array.made_at .. e.message:sub(stop + 1)
  end
end

-- Also of the other place. The compiler moves arithmetic of an address to generated lines: it
-- belongs to the line of the access.
local function without_generated_other(e, other)
  if not other or not is_generated_file(other.file) then return end
  local at, stop = e.message:find((" at %s:%d"):format(other.file, other.line), 1, true)
  other.file, other.line = nil, nil
  if e.fault == "overflow" then other.file, other.line = e.file, e.line end
  if not at then return end
  local place = other.file and (" at %s:%d"):format(other.file, other.line) or ""
  e.message = e.message:sub(1, at - 1) .. place .. e.message:sub(stop + 1)
end

-- The user's file and line in what has such fields.
local function map_place(place)
  if not place or not place.file then return end
  local file, line = positions.map(place.file, place.line or 1)
  if file then place.file, place.line = file, line end
end

-- The fields of the error as they are shown, and the user's names of the rest.
local function complete(report, e)
  report.kernel, report.called_at, report.file, report.line = e.kernel, e.called_at, e.file, e.line
  map_place(report.other)
  without_generated_other(e, report.other)
  for _, caller in ipairs(report.callers or {}) do map_place(caller) end
  for _, threads in ipairs(report.waiting or {}) do map_place(threads) end
  if report.array then with_maker(e, report.array) end
end

-- The name of a variable in the user's Lua function.
local function quoted_variable(name)
  local own = naming.in_lua(name)
  return own and "`" .. own .. "`"
end

-- Changes the fields of an error before it is raised.
local function filter(e)
  e.message = positions.map_message(e.message)
  if e.kernel and naming.is_of_lua(e.kernel) then
    e.message = e.message:gsub("`([%w_]+)`", quoted_variable)
    local variable = e.report and e.report.variable
    if variable then e.report.variable = naming.in_lua(variable) or variable end
  end
  e.message = e.message:gsub("[`']([%w_$]+)[`']", quoted_name)
  if e.kernel then e.kernel = readable_name(e.kernel) or e.kernel end
  local file, line = positions.map(e.file or "", e.line or 1)
  if file then e.file, e.line = file, e.line and line end
  if is_generated(e) then without_place(e) end
  if e.called_at then with_call(e) end
  if e.report then complete(e.report, e) end
end

return { filter = filter, readable_name = readable_name }
