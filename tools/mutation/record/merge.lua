-- merge.lua ROOT OUTPUT: makes a list of functions, and of the tests that run them, of the raw
-- records below the current folder: "of-spec.array.sort_spec.lua" is a folder with the files "lua"
-- and "c.PROGRAM", "ctest" one with "c.test_NAME". The first line of the output has the names of
-- tests, the others "FILE FIRST LAST", the lines of a function, and the numbers of tests.
local root, output = ...

local function lines_of(command)
  local pipe, list = assert(io.popen(command)), {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

-- The offsets of an object -> file in ROOT and line where the function begins, or false.
local function places(object, offsets)
  local input = os.tmpname()
  local file = assert(io.open(input, "w"))
  file:write(table.concat(offsets, "\n"), "\n")
  file:close()
  local found = lines_of(("addr2line -e '%s' <'%s'"):format(object, input))
  os.remove(input)
  for i, place in ipairs(found) do
    local path, line = place:match "^(.*):(%d+)"
    while path and path:find "/[^/.]+/%.%./" do path = path:gsub("/[^/.]+/%.%./", "/", 1) end
    path = path and path:sub(1, #root + 1) == root .. "/" and path:sub(#root + 2)
    found[i] = path and { path = path, line = math.tointeger(line) } or false
  end
  return found
end

local names, tests = {}, {} -- "FILE FIRST LAST" -> set of numbers of tests
local objects = {} -- object -> offset -> set

local function add(sets, key, test)
  sets[key] = sets[key] or {}
  sets[key][test] = true
end

local function number(name)
  if not names[name] then
    names[#names + 1] = name
    names[name] = #names
  end
  return names[name]
end

for _, path in ipairs(lines_of "find . -path './*/lua' -o -path './*/c.*'") do
  local test = path:match "/of%-spec%.(.*)_spec%.lua/"
  local name = test and test:gsub("%.", "/") or "c:" .. (path:match "/c%.test_(.*)$" or "")
  local id = number(name)
  for line in io.lines(path) do
    local object, offset = line:match "^(.*) (0x%x+)$"
    if object then
      objects[object] = objects[object] or {}
      add(objects[object], offset, id)
    else
      add(tests, line, id)
    end
  end
end

-- A C function ends before the next one of its file.
local starts = {} -- file -> line -> set
for object, sets in pairs(objects) do
  local offsets = {}
  for offset in pairs(sets) do offsets[#offsets + 1] = offset end
  for i, place in ipairs(places(object, offsets)) do
    if place then
      starts[place.path] = starts[place.path] or {}
      for id in pairs(sets[offsets[i]]) do add(starts[place.path], place.line, id) end
    end
  end
end
for path, sets in pairs(starts) do
  local lines = {}
  for line in pairs(sets) do lines[#lines + 1] = line end
  table.sort(lines)
  for i, line in ipairs(lines) do
    tests[("%s %d %d"):format(path, line, (lines[i + 1] or 1000000) - 1)] = sets[line]
  end
end

local file = assert(io.open(output, "w"))
file:write(table.concat(names, " "), "\n")
local keys = {}
for key in pairs(tests) do keys[#keys + 1] = key end
table.sort(keys)
for _, key in ipairs(keys) do
  local ids = {}
  for id in pairs(tests[key]) do ids[#ids + 1] = id end
  table.sort(ids)
  file:write(key, " ", table.concat(ids, " "), "\n")
end
file:close()
