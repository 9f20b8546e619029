-- help.lua: cuda.help: entries of the manual, by name or by object; cuda.has: whether there is one.
local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local manual = require "luacuda.manual.help_texts"

local fail, describe = arguments.fail, arguments.describe

local function key_of(subject)
  if type(subject) == "string" then return subject end
  if core.is_error(subject) then return "Error" end
  local metatable = getmetatable(subject)
  local class = type(metatable) == "table" and metatable.__name
  if class == "luacuda" then return class end
  return type(class) == "string" and class:match "^luacuda%.(.*)$" or nil
end

local function capital(name) return (name:gsub("^%l", string.upper)) end

-- Without "cuda.", and with a dot before a method.
local function bare(key)
  return (key:gsub("^luacuda%.", ""):gsub("^cuda%.", ""):gsub(":", "."))
end

-- Names as the manual writes them and as objects give theirs: "cuda.zeros", "array:slice".
local function entry_of(key)
  local name = bare(key)
  return manual.text(key) or manual.text(name) or manual.text(capital(name))
    or not name:find(".", 1, true) and manual.text(name:lower())
end

-- All entries of that name, of any class: "slice", "a:slice", "cuda.random.uniform". A function
-- that is also a method has one text.
local function named(key)
  local last, found, seen = key:match "[%w_]+$", {}, {}
  if not last then return nil end
  local function add(text)
    if text and not seen[text] then found[#found + 1], seen[text] = text, true end
  end
  if last ~= key then add(manual.text(last)) end
  for _, name in ipairs(manual.names) do
    if name:match "%.(.*)$" == last then add(manual.text(name)) end
  end
  return #found > 0 and table.concat(found, "\n\n") or nil
end

-- What to use instead of a name from another library, whatever module it is in there:
-- "cupy.linalg.svd", "Array.get", "a:get".
local function foreign_sentence(key)
  local class, sign, name = ("." .. key):match "([%w_]*)([.:])([%w_]+)$"
  if not name then return nil end
  local sentence = require("luacuda.base.foreign").sentence
  return sentence(capital(class), name) or sentence(class, name) or sentence("cuda", name)
    or sign == ":" and sentence("Array", name)
end

local function hint(key)
  local sentence = foreign_sentence(key)
  return sentence and ": " .. sentence or core.near(key, manual.names)
end

local M = {}

-- help([name or object]) -> text. Names are "array", "Array", "Array.slice"; "slice" alone finds
-- methods as well.
function M.help(subject)
  if subject == nil then return manual.text "luacuda" end
  local key = key_of(subject)
  if not key then
    core.misuse("help: expected a name or an object of this library, got " .. type(subject))
  end
  local text = entry_of(key) or named(key) or named(key:lower())
  if text then return text end
  core.misuse(("help: there is nothing on '%s'%s"):format(key, hint(key)))
end

-- has(name) -> true if `cuda.name` can be read, or the class has the field or method:
-- "zeros", "random.uniform", "Array.slice"
function M.has(name)
  if type(name) ~= "string" then
    fail("has", "argument 1 'name': expected a string, got %s", describe(name))
  end
  name = bare(name)
  if name:find "^[%w_]+%.[%a_][%w_]*$" then return manual.text(capital(name)) ~= nil end
  local signature = name:find "^[%w_]+$" and manual.signatures(name)[1]
  return signature ~= nil and signature:find "^cuda%." ~= nil
end

return M
