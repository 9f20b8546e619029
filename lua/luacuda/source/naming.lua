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
local shown = {} -- the same of kernels that the library writes for a Lua function
local variables = {} -- name in the C++ of Lua functions -> name in Lua

-- naming.note(lowered, name) keeps the user's name of a kernel for messages.
local function note(lowered, name) names[lowered], shown[lowered] = name, nil end

-- naming.note_shown(lowered, name) does the same for a kernel that is written for a Lua function.
local function note_shown(lowered, name) shown[lowered] = name end

local function given(lowered) return shown[lowered] or names[lowered] end

-- Is the kernel written for a Lua function?
local function is_of_lua(lowered) return shown[lowered] ~= nil end

-- naming.note_variable(cpp, name) keeps the name in Lua of a variable or function in C++.
local function note_variable(cpp, name) variables[cpp] = name end

-- naming.in_lua(cpp) -> the name in Lua, or nil for what the library makes for itself
local function in_lua(cpp) return variables[cpp] end

return { normalize = normalize, is_mentioned = is_mentioned, note = note, note_shown = note_shown,
  given = given, is_of_lua = is_of_lua, note_variable = note_variable, in_lua = in_lua }
