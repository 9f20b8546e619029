-- naming.lua: names of kernels as users write them.

-- "fx3< float >" and "fx3<float>" are one name: spaces stay only between two words.
local function normalize(name)
  name = name:gsub("^%s+", ""):gsub("%s+$", ""):gsub("%s+", " ")
  name = name:gsub("([^%w_]) ", "%1"):gsub(" ([^%w_])", "%1")
  return name
end

-- Does a text contain the last plain name of "ns::f<int>" or "(cast)&f"? If not, only a header can
-- bring it.
local function is_mentioned(text, name)
  local plain = name:match "&[%w_:]-([%a_][%w_]*)$" or name:gsub("<.*$", ""):match "([%a_][%w_]*)$"
  if not plain then return true end
  return text:find("%f[%w_]" .. plain .. "%f[^%w_]") ~= nil
end

local names = {} -- lowered name -> the user's name

-- naming.note(lowered, name) keeps the user's name of a kernel for messages.
local function note(lowered, name) names[lowered] = name end

local function given(lowered) return names[lowered] end

return { normalize = normalize, is_mentioned = is_mentioned, note = note, given = given }
