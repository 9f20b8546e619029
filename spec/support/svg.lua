-- Pictures in SVG, read back.
local M = {}

-- Texts of XML as they were before.
local ENTITIES = { amp = "&", lt = "<", gt = ">", quot = '"' }

-- Calls take(name, attributes) for each start of an element in a text, and take(nil) for each end,
-- with the text after it. The text has to be well formed.
local function each_tag(text, take)
  local open = {}
  local tag = "<(/?)([%a]+)([^<>]-)(/?)>([^<>]*)"
  local rest = text:gsub(tag, function(close, name, raw, ends, after)
    if close == "/" then
      assert(name == table.remove(open), name)
      take(nil)
      return ""
    end
    local attributes = {}
    local left = raw:gsub('%s+([%w-:]+)="([^"]*)"', function(key, value)
      assert(attributes[key] == nil, key)
      attributes[key] = value
      return ""
    end)
    assert(not left:find "%S", left)
    take(name, attributes, after)
    if ends == "" then open[#open + 1] = name
    else take(nil) end
    return ""
  end)
  assert(not rest:find "%S", rest)
  assert(#open == 0, open[1])
end

local function check_entities(text)
  for entity in text:gmatch "&[^%s]*" do
    assert(ENTITIES[entity:match "^&(%a+);"], entity)
  end
end

-- A list of { name =, attributes =, text =, parent = } of all elements of a picture, which must be
-- well formed.
function M.elements(text)
  local list, open = {}, {}
  each_tag(text, function(name, attributes, after)
    if not name then
      open[#open] = nil
      return
    end
    local it = { name = name, attributes = attributes, text = after, parent = open[#open] }
    list[#list + 1], open[#open + 1] = it, it
  end)
  check_entities(text)
  return list
end

-- The elements of that name in a list; only those in the element `parent`, if it is given.
function M.all(list, name, parent)
  local found = {}
  for _, it in ipairs(list) do
    if it.name == name and (not parent or it.parent == parent) then found[#found + 1] = it end
  end
  return found
end

-- A text as it was before it was escaped.
function M.plain(text) return (text:gsub("&(%a+);", ENTITIES)) end

return M
