-- strip_reach.lua: the files and namespaces of a program that device code reaches. A header that it
-- does not reach is removed as a whole: libraries for the host are too intricate to be read without
-- a compiler.
--
-- A file is touched if something in it is kept because device code needs it, or if kept code uses a
-- macro of it. It stays if it is touched or includes a file that stays.

local M = {}

-- strip_reach.touch(unit, file): notes that device code reaches a file.
function M.touch(unit, file) unit.touched[file] = true end

local WORD = "[%a_][%w_]*"
local TESTS = { ["if"] = true, ifdef = true, ifndef = true, elif = true, elifdef = true,
  elifndef = true }

-- strip_reach.touch_macro(unit, name): notes the files that define a macro which kept code uses.
function M.touch_macro(unit, name)
  local macro = unit.macros[name]
  for _, file in ipairs(macro and macro.files or {}) do unit.touched[file] = true end
end

-- Notes the files of the macros that the conditions of a file test. An include guard is its own.
local function touch_tested(unit, file)
  for _, directive in ipairs(file.directives) do
    if TESTS[directive.word] then
      for name in file.source:sub(directive.first, directive.last):gmatch(WORD) do
        M.touch_macro(unit, name)
      end
    end
  end
end

local function includes_one_that_stays(unit, file)
  for _, directive in ipairs(file.directives) do
    if directive.file and unit.staying[directive.file] then return true end
  end
  return false
end

-- One round; returns whether something was added.
local function add_files(unit)
  local added = false
  for _, file in ipairs(unit.files) do
    local stays = unit.touched[file] or includes_one_that_stays(unit, file)
    if stays and not unit.staying[file] then
      unit.staying[file], added = true, true
      touch_tested(unit, file)
    end
  end
  return added
end

-- strip_reach.add_staying(unit): adds the files that stay, as far as known, to unit.staying.
function M.add_staying(unit)
  while add_files(unit) do end
end

-- strip_reach.is_open(chunk, mentioned): can code that mentions these words name what is in
-- the namespaces around a chunk?
function M.is_open(chunk, mentioned)
  for _, name in ipairs(chunk.scope) do
    if not mentioned[name] then return false end
  end
  return true
end

-- strip_reach.has_namespace(unit, names): is each of the namespaces opened in a file that stays?
function M.has_namespace(unit, names)
  for _, name in ipairs(names) do
    local found = false
    for file in pairs(unit.namespaces[name] or {}) do found = found or unit.staying[file] end
    if not found then return false end
  end
  return #names > 0
end

return M
