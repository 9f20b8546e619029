-- faults.lua: faults inside kernels, reported at the user's lines and with the user's names of
-- kernels.

local core = require "luacuda.core"
local origins = require "luacuda.source.origins"

local kernel_names = {}        -- lowered name -> the user's name

local function name_kernel(lowered, name)
  kernel_names[lowered] = name
end

local function is_own(lowered) return lowered:find "^luacuda_" ~= nil end

-- The user's name of a kernel; else the name that the lowered name of a function contains, or that
-- of the library.
local function readable_name(lowered)
  return kernel_names[lowered] or lowered:find("^_Z") and core.kernel_name(lowered)
    or is_own(lowered) and lowered or nil
end

local function quoted_name(lowered)
  local name = readable_name(lowered)
  return name and "'" .. name .. "'"
end

-- Lines of generated text mean nothing to a user: the error gives the kernel's name instead.
local function is_generated(e)
  return e.file == "luacuda" or e.kernel ~= nil and is_own(e.kernel)
end

local function without_place(e)
  if not e.file then return end
  local place = (" at %s:%d in kernel '"):format(e.file, e.line or 0)
  local at, stop = e.message:find(place, 1, true)
  if at then e.message = e.message:sub(1, at - 1) .. " in kernel '" .. e.message:sub(stop + 1) end
  e.file, e.line = nil, nil
end

-- Adds the place of the call: for kernels of builders and of the library it is all that the user
-- wrote.
local function with_call(e)
  e.message = e.message:gsub("( in kernel '[^']*')", function(text) return text .. ", called at "
    .. e.called_at end, 1)
end

core.fault_filter(function(e)
  e.message = origins.map_message(e.message):gsub("[`']([%w_$]+)[`']", quoted_name)
  if e.kernel then e.kernel = readable_name(e.kernel) or e.kernel end
  local file, line = origins.map(e.file or "", e.line or 1)
  if file then e.file, e.line = file, e.line and line end
  if is_generated(e) then without_place(e) end
  if e.called_at then with_call(e) end
end)

return { name_kernel = name_kernel }
