-- includes.lua: finds the includes of CUDA C++ text without compiling it.

-- includes(text) -> list of { name =, quoted = }; true where the text alone does not determine the
-- file of some include or __has_include
local function includes(text)
  local list, open = {}, false
  if not text:find("#", 1, true) then return list, open end
  for line in (text:gsub("\\\r?\n", " ") .. "\n"):gmatch "(.-)\r?\n" do
    local rest = line:match "^%s*#%s*include%s*(.*)$" or line:match "^%s*#%s*include_next%s*(.*)$"
    local quoted, angled
    if rest then quoted, angled = rest:match '^"([^"]+)"', rest:match "^<([^>]+)>" end
    if quoted or angled then
      list[#list + 1] = { name = quoted or angled, quoted = quoted ~= nil }
    elseif rest or line:find("__has_include", 1, true) or line:match "^%s*#%s*embed" then
      open = true
    end
  end
  return list, open
end

return includes
