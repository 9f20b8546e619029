-- space.lua: the space of a search: axes with a list of values each, without the points that the
-- option where refuses. A point is a list of positions, one in the values of each axis.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local lists = require "luacuda.base.lists"

local fail = arguments.fail

-- Points that are listed; of larger spaces points are drawn.
local MOST_LISTED = 100000

-- Values ------------------------------------------------------------------------------------------

-- "64", "fast", "{16, 8}": equal values have equal texts, others do not, within an axis
local function text_of(v)
  if type(v) == "table" then
    local items = {}
    for i, item in ipairs(v) do items[i] = text_of(item) end
    return lists.shape_text(items)
  end
  return math.type(v) == "float" and ("%.14g"):format(v) or tostring(v)
end

local function is_plain(v)
  return type(v) == "string" or type(v) == "boolean" or math.type(v) ~= nil and v == v
end

local function check_list(label, v)
  core.list_check(v, label)
  if #v == 0 then fail(label, "the list is empty") end
  for i, item in ipairs(v) do
    if not is_plain(item) then
      fail(label, "item %d: expected a number, a string or a boolean, got %s", i,
        arguments.describe(item))
    end
  end
end

local function check_value(label, i, v)
  if type(v) == "table" then check_list(("%s: value %d"):format(label, i), v)
  elseif not is_plain(v) then
    fail(label, "value %d: expected a number, a string, a boolean or a list of them, got %s", i,
      arguments.describe(v))
  end
end

-- A value of its own for each candidate, which may change it.
local function copy_of(v) return type(v) == "table" and lists.copy(v) or v end

local function read_axis(what, name, values)
  if type(name) ~= "string" or not name:find "^[%a_][%w_]*$" then
    fail(what, "option 'space': '%s' is not a name", tostring(name))
  end
  local label = ("%s: option 'space': '%s'"):format(what, name)
  if type(values) ~= "table" then
    fail(label, "expected a list of values, got %s: { %s } has one value",
      arguments.describe(values), tostring(values))
  end
  core.list_check(values, label)
  if #values == 0 then fail(label, "the list is empty") end
  local seen, copy = {}, {}
  for i, v in ipairs(values) do
    check_value(label, i, v)
    local text = text_of(v)
    if seen[text] then fail(label, "%s is there twice", text) end
    seen[text], copy[i] = true, copy_of(v)
  end
  return copy
end

-- Points ------------------------------------------------------------------------------------------

local methods = {}
methods.__index = methods

-- space:parameters(point) -> values by name
function methods:parameters(point)
  local p = {}
  for i, name in ipairs(self.names) do p[name] = copy_of(self.values[i][point[i]]) end
  return p
end

-- space:copy(parameters) -> the same values, for a function that may change them
function methods:copy(p)
  local copy = {}
  for _, name in ipairs(self.names) do copy[name] = copy_of(p[name]) end
  return copy
end

local function id_of(point) return table.concat(point, ",") end

-- "BLOCK=64 TILE=2"
function methods:text(p)
  local words = {}
  for i, name in ipairs(self.names) do words[i] = name .. "=" .. text_of(p[name]) end
  return table.concat(words, " ")
end

function methods:allows(point)
  return self.where == nil or not not self.where(self:parameters(point))
end

-- The next point in order, the last axis first; nil after the last one.
local function after(self, point)
  local next_one = lists.copy(point)
  for i = #next_one, 1, -1 do
    next_one[i] = next_one[i] % #self.values[i] + 1
    if next_one[i] > 1 then return next_one end
  end
end

local function first_of(self)
  local point = {}
  for i = 1, #self.names do point[i] = 1 end
  return point
end

-- space:list() -> all points in order; nil if there are too many
function methods:list()
  if self.size > MOST_LISTED then return nil end
  if self.points then return self.points end
  local list, point = {}, first_of(self)
  while point do
    if self:allows(point) then list[#list + 1] = point end
    point = after(self, point)
  end
  self.points = list
  return list
end

local TRIES = 10000 -- draws in a row that `where` may refuse

local function draw(self, random)
  local point = {}
  for i, values in ipairs(self.values) do point[i] = random(#values) end
  return point
end

local function sample_large(self, count, random)
  local list, seen, misses = {}, {}, 0
  while #list < count and misses < TRIES do
    local point = draw(self, random)
    local id = id_of(point)
    if not seen[id] and self:allows(point) then
      seen[id], misses, list[#list + 1] = true, 0, point
    else
      misses = misses + 1
    end
  end
  return list
end

-- space:sample(count, random) -> up to so many different points, drawn at random; random(n): 1 to n
function methods:sample(count, random)
  local all = self:list()
  if not all then return sample_large(self, count, random) end
  local list = lists.copy(all)
  count = math.min(count, #list)
  for i = 1, count do
    local j = i + random(#list - i + 1) - 1
    list[i], list[j] = list[j], list[i]
  end
  return table.move(list, 1, count, 1, {})
end

-- space:neighbors(point, reach) -> the points that differ in one axis, by `reach` positions
function methods:neighbors(point, reach)
  local list = {}
  for i, values in ipairs(self.values) do
    for _, at in ipairs { point[i] - reach, point[i] + reach } do
      if at >= 1 and at <= #values then
        local other = lists.copy(point)
        other[i] = at
        if self:allows(other) then list[#list + 1] = other end
      end
    end
  end
  return list
end

-- space.read(what, axes, where) -> space: names, values (a list for each name), size (points,
-- without regard to `where`), widest (values of the longest axis)
local function read(what, axes, where)
  if type(axes) ~= "table" then
    fail(what, "option 'space': expected a table such as { BLOCK = { 64, 128 } }, got %s",
      arguments.describe(axes))
  end
  local space = setmetatable({ names = lists.sorted_keys(axes), values = {}, where = where,
    size = 1, widest = 1 }, methods)
  if #space.names == 0 then fail(what, "option 'space': the table is empty") end
  for i, name in ipairs(space.names) do
    space.values[i] = read_axis(what, name, axes[name])
    space.size = space.size * #space.values[i]
    space.widest = math.max(space.widest, #space.values[i])
  end
  return space
end

return { read = read, id_of = id_of, text_of = text_of }
