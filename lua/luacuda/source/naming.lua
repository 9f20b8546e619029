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

return { normalize = normalize, is_mentioned = is_mentioned }
