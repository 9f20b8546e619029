-- Reads annotations for the Lua language server (described in its wiki, "Annotations"):
-- faults(text) -> a list of "line: what is wrong". It reads the part of the grammar that
-- tools/docgen/types.lua writes and refuses the rest.

local BUILTIN = {}
for name in ([[ any boolean function integer lightuserdata nil number string table true false
  unknown userdata thread ]]):gmatch "%S+" do BUILTIN[name] = true end

local OPERATORS = {}
for name in ([[ add sub mul div idiv mod pow unm concat len band bor bxor bnot shl shr call ]])
  :gmatch "%S+" do OPERATORS[name] = true end

-- Types -----------------------------------------------------------------------------------------

-- A reader of one annotation: `at` is the place in `text`, `use(name)` records a type's name.
local Reader = {}
Reader.__index = Reader

function Reader:skip() self.at = self.text:match("^%s*()", self.at) end

-- The text that fits the pattern here, if it does; spaces before it are skipped.
function Reader:take(pattern)
  local found, after = self.text:match("^%s*(" .. pattern .. ")()", self.at)
  if found then self.at = after end
  return found
end

function Reader:expect(pattern, what)
  local found = self:take(pattern)
  if not found then error(("expected %s at '%s'"):format(what, self.text:sub(self.at)), 0) end
  return found
end

-- "name?: type" with commas between, to the closing mark.
function Reader:arguments()
  if self:take "%)" then return end
  repeat
    if not self:take "%.%.%." then
      self:expect("[%a_][%w_]*", "a name")
      self:take "%?"
    end
    if self:take ":" then self:type() end
  until not self:take ","
  self:expect("%)", "')'")
end

-- A type, or "...: type" for any number of results.
function Reader:results()
  repeat
    if self:take "%.%.%." then self:expect(":", "':'") end
    self:type()
  until not self:take ","
end

function Reader:fun()
  self:expect("%(", "'('")
  self:arguments()
  if self:take ":" then self:results() end
end

function Reader:unit()
  if self:take '"[^"]*"' or self:take "%-?%d+" then return end
  if self:take "fun%f[%W]" then return self:fun() end
  if self:take "%(" then
    self:type()
    return self:expect("%)", "')'")
  end
  self.use(self:expect("[%a_][%w_%.]*", "a type"))
  if self:take "<" then
    repeat self:type() until not self:take ","
    self:expect(">", "'>'")
  end
end

function Reader:type()
  repeat
    self:unit()
    while self.text:find("^%[%]", self.at) or self.text:find("^%?", self.at) do
      self.at = self.at + (self.text:sub(self.at, self.at) == "?" and 1 or 2)
    end
  until not self:take "|"
end

-- The rest has to be words, not the remainder of a type.
function Reader:words()
  local rest = self.text:sub(self.at)
  if rest ~= "" and not rest:find "^ " then error(("'%s' after a type"):format(rest), 0) end
end

function Reader:finish()
  self:skip()
  if self.at <= #self.text then error(("'%s' after a type"):format(self.text:sub(self.at)), 0) end
end

-- Annotations -------------------------------------------------------------------------------------

-- What has been read of the file: classes, names used with their lines, the class that is open, and
-- the parameters of the function to come.
local TAGS = {}

function TAGS.meta() end

function TAGS.class(r, file)
  local name = r:expect("[%a_][%w_%.]*", "the name of a class")
  if file.types[name] then error("class " .. name .. " is defined twice", 0) end
  file.types[name], file.fields = true, {}
  if r:take ":" then r:type() end
  r:finish()
end

function TAGS.alias(r, file)
  file.types[r:expect("[%a_][%w_%.]*", "the name of an alias")] = true
  r:finish()
end

function TAGS.field(r, file)
  if not file.fields then error("a field without a class", 0) end
  local name = r:take "[%a_][%w_]*%??"
  if not name then
    r:expect("%[", "the name of a field")
    local from = r.at
    r:type()
    name = "[" .. r.text:sub(from, r.at - 1) .. "]"
    r:expect("%]", "']'")
  end
  name = name:gsub("%?$", "")
  if file.fields[name] then error("field " .. name .. " is defined twice", 0) end
  file.fields[name] = true
  r:type()
  r:words()
end

function TAGS.operator(r)
  local name = r:expect("%a+", "an operator")
  if not OPERATORS[name] then error("there is no operator " .. name, 0) end
  if r:take "%(" then
    r:type()
    r:expect("%)", "')'")
  end
  r:expect(":", "':'")
  r:type()
  r:finish()
end

function TAGS.overload(r)
  r:expect("fun%f[%W]", "'fun'")
  r:fun()
  r:finish()
end

function TAGS.param(r, file)
  file.params[#file.params + 1] = (r:take "%.%.%." or r:expect("[%a_][%w_]*", "a name"))
  r:take "%?"
  r:type()
  r:words()
end

TAGS["return"] = function(r)
  r:type()
  r:take "%.%.%."
  r:words()
end

-- The parameters of a function are those that its annotations list, in their order.
local function check_function(line, file)
  local names = line:match "^function [%w_%.:]+%((.-)%) end$"
  if not names then error("expected a function, a class's variable or an annotation", 0) end
  local listed = table.concat(file.params, ", ")
  if names ~= listed then error(("parameters (%s), annotations (%s)"):format(names, listed), 0) end
  file.params = {}
end

local function read_line(line, file, use)
  local tag, text = line:match "^%-%-%-@(%a+) ?(.*)$"
  local alias = line:match "^%-%-%-|%s*(.*)$"
  if tag or alias then
    local reader = setmetatable({ text = text or alias, at = 1, use = use }, Reader)
    if alias then return reader:type() end
    if not TAGS[tag] then error("unknown annotation @" .. tag, 0) end
    return TAGS[tag](reader, file)
  end
  if line:find "^function" then return check_function(line, file) end
  if line:find "^local [%a_]+ = {}$" then file.fields = nil return end
  if line ~= "" and not line:find "^%-%-" and not line:find "^return [%a_]+$" then
    error("neither an annotation nor a declaration", 0)
  end
end

local function faults(text)
  local file, uses, found, number = { types = {}, params = {} }, {}, {}, 0
  for line in text:gmatch "([^\n]*)\n" do
    number = number + 1
    local function use(name) uses[#uses + 1] = { name = name, line = number } end
    local ok, why = pcall(read_line, line, file, use)
    if not ok then found[#found + 1] = ("%d: %s"):format(number, why) end
  end
  for _, one in ipairs(uses) do
    if not BUILTIN[one.name] and not file.types[one.name] then
      found[#found + 1] = ("%d: there is no type %s"):format(one.line, one.name)
    end
  end
  return found
end

return { faults = faults }
