-- JSON for specs.
local M = {}

local WORDS = {
  ["true"] = function() return true end, ["false"] = function() return false end,
  null = function() return nil end,
}

-- Reads JSON; refuses what the standard does not allow in texts of the library. null is nil.
function M.read_json(text)
  local at = 1
  local value
  local function skip() at = text:find("[^ \n\t\r]", at) or #text + 1 end
  local function take(pattern)
    local found = text:match("^" .. pattern, at)
    assert(found, "JSON: expected " .. pattern .. " at: " .. text:sub(at, at + 30))
    at = at + #found
    skip()
    return found
  end
  local function next_is(c) return text:sub(at, at) == c end
  local function string()
    local raw = take '"[^"\\%c]*'
    while next_is "\\" do
      raw = raw .. take "\\[\"\\/bfnrtu]" .. (text:match('^[^"\\%c]*', at))
      at = at + #text:match('^[^"\\%c]*', at)
    end
    take '"'
    return raw:sub(2)
  end
  local function list(close, item)
    take "."
    local out = {}
    while not next_is(close) do
      item(out)
      if not next_is(close) then take "," end
    end
    take("%" .. close)
    return out
  end
  function value()
    if next_is "{" then
      return list("}", function(out)
        local key = string()
        take ":"
        out[key] = value()
      end)
    end
    if next_is "[" then return list("]", function(out) out[#out + 1] = value() end) end
    if next_is '"' then return string() end
    local word = text:match("^%l+", at)
    if word then
      take(word)
      return assert(WORDS[word], "JSON: unknown word " .. word)()
    end
    return tonumber(take "%-?%d+%.?%d*[eE]?[+-]?%d*")
  end
  skip()
  local result = value()
  assert(at == #text + 1, "JSON: more text after the value")
  return result
end

return M
