-- tile_layout.lua: k:layout: which thread holds which elements of the variables of a kernel.

local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"
local lists = require "luacuda.base.lists"
local places = require "luacuda.tiles.layout_places"
local text = require "luacuda.tiles.layout_text"
local tiled = require "luacuda.tiles.tiled"
local visit = require "luacuda.tiles.visit"
local layouts = require "luacuda.tiles.thread_layout"
local types = require "luacuda.jit.typed.value_types"

local fail = arguments.fail

-- The object --------------------------------------------------------------------------------------

local methods = {}
local TileLayout = class.new("TileLayout", methods, { "name", "dtype", "shape", "warps",
  "registers", "copies", "place", "holder", "text", "svg", "save" })

local of = setmetatable({}, { __mode = "k" }) -- TileLayout -> layout of thread_layout.lua

local function new(slot)
  local l = slot.layout
  local own = setmetatable({ name = slot.var.name, dtype = slot.type.dtype,
    shape = lists.copy(l.shape), warps = l.warps, registers = l.registers,
    copies = places.copies(l) }, TileLayout)
  of[own] = l
  return own
end

local function check(own, method)
  return of[own] or fail(method, "expected TileLayout before the ':', got %s",
    arguments.describe(own))
end

local function check_number(method, k, name, v, first, last)
  local n = math.type(v) and math.tointeger(v)
  if n and n >= first and n <= last then return n end
  fail(method, "argument %d '%s': expected an integer from %d to %d, got %s", k, name, first, last,
    arguments.describe(v))
end

-- layout:place(thread, register) -> the row and the column of the element that it holds
function methods:place(thread, register)
  local l = check(self, "place")
  return places.place(l,
    check_number("place", 1, "thread", thread, 0, l.warps * layouts.LANES - 1),
    check_number("place", 2, "register", register, 0, l.registers - 1))
end

-- layout:holder(row, column) -> the first thread that holds the element, and the register
function methods:holder(row, column)
  local l = check(self, "holder")
  return places.holder(l, check_number("holder", 1, "row", row, 1, l.shape[1]),
    check_number("holder", 2, "column", column, 1, l.shape[2]))
end

-- The rows and columns that are to be shown.
local function part_of(method, l, given)
  local opts = arguments.options(method, given, { "rows", "columns" })
  for axis, name in ipairs{ "rows", "columns" } do
    local v, most = opts[name], l.shape[axis]
    local a, b = (type(v) == "table" and v or {})[1], (type(v) == "table" and v or {})[2]
    local fine = v == nil or math.type(a) == "integer" and math.type(b) == "integer" and a >= 1
      and a <= b and b <= most
    if not fine then
      fail(method, "option '%s': expected { first, last } from 1 to %d", name, most)
    end
  end
  return opts
end

-- layout:text{ rows =, columns = } -> its factors, and the threads of some elements
function methods:text(opts)
  local l = check(self, "text")
  return text.text(self.name, self.dtype, l, part_of("text", l, opts))
end

function TileLayout.__tostring(own) return text.text(own.name, own.dtype, of[own], {}) end

-- layout:svg{ rows =, columns = } -> a picture
function methods:svg(opts)
  local l = check(self, "svg")
  local picture = require "luacuda.tiles.layout_picture"
  return picture.svg(self.name, self.dtype, l, part_of("svg", l, opts))
end

local FORMATS = { svg = methods.svg,
  txt = function(own, opts) return methods.text(own, opts) .. "\n" end }

-- layout:save(path [, { rows =, columns = }]) writes the picture or the text, by the ending of the
-- file's name; returns the layout.
function methods:save(path, opts)
  check(self, "save")
  local file = require "luacuda.files.file"
  file.check_path("save", path)
  local format = FORMATS[path:match "%.(%a+)$"]
  if not format then
    fail("save", "argument 1 'path': '%s' ends in none of .svg and .txt", path)
  end
  local bytes = format(self, opts)
  file.replace("save", path, function(handle) file.put("save", path, handle, bytes) end)
  return self
end

-- Those of a kernel -------------------------------------------------------------------------------

local Layouts = {} -- metatable of a list of them by name

function Layouts.__tostring(list)
  local order, names = {}, lists.sorted_keys(list)
  for k, name in ipairs(names) do order[k] = tostring(list[name]) end
  return table.concat(order, "\n\n")
end

-- The variables of a function that hold tiles, by name; of those with one name the last one counts.
local function slots_of(ctx)
  local slots = {}
  visit.statements(ctx.body, function(s)
    if s.op == "declare" and types.is_tile(s.slot.type) then slots[s.slot.var.name] = s.slot end
  end)
  return slots
end

local function one(state, name, slots)
  local slot = slots[name]
  if not slot then
    local names = lists.sorted_keys(slots)
    fail(state.what, "layout: no variable '%s' of the kernel is a tile: %s", name,
      #names > 0 and "there are " .. table.concat(names, ", ") or "there is none")
  end
  if slot.copied then
    fail(state.what, "layout: '%s' is copied to shared memory, where no thread holds it", name)
  end
  return new(slot)
end

local function slots_for(k, ...) return slots_of(tiled.chosen(k, "layout", ...).context) end

-- k:layout(name, ...) -> TileLayout of a variable, for these arguments or the latest call;
-- k:layout(...) -> those of all variables, by name
local function layout(k, ...)
  local state = tiled.state_of(k, "layout")
  local name = ...
  if type(name) == "string" then return one(state, name, slots_for(k, select(2, ...))) end
  local all = setmetatable({}, Layouts)
  for own, slot in pairs(slots_for(k, ...)) do
    if not slot.copied then all[own] = new(slot) end
  end
  return all
end

return { layout = layout }
