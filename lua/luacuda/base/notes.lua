-- notes.lua: a number that a kernel leaves for the host, in pinned memory, so that waiting for the
-- kernel is all it takes to read it. Allocating such memory is slow, so each device keeps a note
-- for the next call.

local core = require "luacuda.core"

local kept = setmetatable({}, { __mode = "k" }) -- device -> note

-- A note for kernels on a device, with a value: an int64 array of one element. It is the caller's
-- alone: a finalizer that runs in between gets another one. Raises where nothing may wait: `what`
-- does.
local function new(device, value, what)
  core.check_wait(what)
  local note = kept[device] or core.pinned(1, "int64", { device = device })
  kept[device] = nil
  note[1] = value
  return note
end

-- Waits for the kernels that write the note; returns its value. The note is not the caller's any
-- more.
local function read(note, device)
  local value = note:item(1)
  kept[device] = note
  return value
end

-- Frees what devices keep.
local function forget()
  for device, note in pairs(kept) do
    note:free()
    kept[device] = nil
  end
end

return { new = new, read = read, forget = forget }
