-- Notes which functions of the library a process runs. Loaded by LUA_INIT into each interpreter of
-- tools/test --record; appends lines "FILE FIRST LAST", the lines of functions, to the file "lua"
-- in the folder $LUACUDA_RECORD.
-- luacheck: globals coroutine os
local getinfo, sethook = debug.getinfo, debug.sethook
local seen, found = setmetatable({}, { __mode = "k" }), {}

local function note()
  local f = getinfo(2, "f").func
  if seen[f] then return end
  seen[f] = true
  local i = getinfo(2, "S")
  local file = i.source:match "^@.*(lua/luacuda/.*%.lua)$"
  if file then found[("%s %d %d"):format(file, i.linedefined, i.lastlinedefined)] = true end
end

-- A hook belongs to a coroutine.
local function with_note(f)
  return function(...)
    sethook(note, "c")
    return f(...)
  end
end

for _, name in ipairs { "create", "wrap" } do
  local make = coroutine[name]
  coroutine[name] = function(f)
    return make(type(f) == "function" and with_note(f) or f)
  end
end

local function write()
  local lines = {}
  for line in pairs(found) do lines[#lines + 1] = line .. "\n" end
  found = {}
  local file = assert(io.open(os.getenv "LUACUDA_RECORD" .. "/lua", "a"))
  file:write(table.concat(lines))
  file:close()
end

-- Not every exit closes the state.
local exit = os.exit
function os.exit(...)
  write()
  exit(...)
end
debug.getregistry()[note] = setmetatable({}, { __gc = write })
sethook(note, "c")
