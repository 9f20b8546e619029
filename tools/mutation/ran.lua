-- Which tests run a line, by the record that tools/test --record wrote.
local M = {}

-- At most this many tests judge a mutant, besides those that are special to its file: those that
-- run most of the file's functions.
local MOST = 16

-- Names by number, the set of them, and file -> list of
-- { first = LINE, last = LINE, tests = set of names }.
local names, known, functions

local function add(file, first, last, ids)
  local tests = {}
  for id in ids:gmatch "%d+" do tests[names[math.tointeger(id)]] = true end
  functions[file] = functions[file] or {}
  table.insert(functions[file],
    { first = math.tointeger(first), last = math.tointeger(last), tests = tests })
end

-- Reads a record; without one, `tests_of` knows nothing.
function M.read(path)
  names, known, functions = {}, {}, {}
  local file = io.open(path)
  if not file then return end
  for name in file:read "l":gmatch "%S+" do
    names[#names + 1], known[name] = name, true
  end
  for line in file:lines() do add(line:match "^(%S+) (%d+) (%d+) (.*)$") end
  file:close()
end

-- The innermost function of a file that holds a line.
local function function_at(list, line)
  local found
  for _, f in ipairs(list) do
    if f.first <= line and line <= f.last and (not found or f.first >= found.first) then
      found = f
    end
  end
  return found
end

-- Test -> how many of the functions it runs.
local function shares(list)
  local count = {}
  for _, f in ipairs(list) do
    for name in pairs(f.tests) do count[name] = (count[name] or 0) + 1 end
  end
  return count
end

-- Appends the tests to the list that are not in it, at most `most` of them.
local function append(list, tests, most)
  local seen = {}
  for _, name in ipairs(list) do seen[name] = true end
  for _, name in ipairs(tests) do
    if not seen[name] and most > 0 then
      list[#list + 1] = name
      most = most - 1
    end
  end
  return list
end

-- The tests that run the function around a line of a file, or, for lines outside of functions, any
-- function of the file. First those that are special to the file, including such that the record
-- does not know; then those that run most of the file. nil where there is no record of the file.
function M.tests_of(path, line, special)
  local list = functions and functions[path]
  if not list then return end
  local count, first, found = shares(list), {}, {}
  local f = function_at(list, line)
  local ran = f and f.tests or count
  for _, name in ipairs(special) do
    if ran[name] or not known[name] then first[#first + 1] = name end
  end
  for name in pairs(ran) do found[#found + 1] = name end
  table.sort(found, function(a, b)
    if count[a] ~= count[b] then return count[a] > count[b] end
    return a < b
  end)
  return append(first, found, MOST)
end

return M
