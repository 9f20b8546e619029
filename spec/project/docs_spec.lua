-- Paths, file names and identifiers in the documents exist. The glossary is in order, prose is at
-- most 100 columns wide, and the plot shows its results. Links are checked by links_spec.lua.
local helper = require "spec.helper"

local WIDTH = 100
local ROOTS = { ["src"] = true, ["cpu"] = true, ["shared"] = true, ["lua"] = true, ["spec"] = true,
  ["docs"] = true, ["tools"] = true, ["bench"] = true, ["examples"] = true, ["cmake"] = true,
  [".ci"] = true }

local function lines_of(command)
  local pipe, out = assert(io.popen(command)), {}
  for line in pipe:lines() do out[#out + 1] = line end
  pipe:close()
  return out
end

-- Every path of the tree, files and folders, and every file by its name.
local paths, names = {}, {}
for _, path in ipairs(lines_of "find . -name .git -prune -o -path ./build -prune -o -print") do
  path = path:gsub("^%./", "")
  paths[path] = true
  names[path:match "[^/]*$"] = path
end

local function in_folder(folder, pattern)
  local out = {}
  for path in pairs(paths) do
    if path:sub(1, #folder) == folder and path:find(pattern) then out[#out + 1] = path end
  end
  table.sort(out)
  return out
end

local DOCUMENTS = { "README.md", "CONTRIBUTING.md", "cpu/README.md" }
for _, path in ipairs(in_folder("cpu/docs/", "%.md$")) do DOCUMENTS[#DOCUMENTS + 1] = path end
for _, path in ipairs(in_folder("docs/", "%.md$")) do
  if not path:find "^docs/reference/" then DOCUMENTS[#DOCUMENTS + 1] = path end -- generated
end

-- The lines of a document outside its code blocks (with `code`: inside them), with their numbers.
local function lines(path, code)
  local number, inside = 0, false
  local next_line = io.lines(path)
  return function()
    for line in next_line do
      number = number + 1
      if line:find "^%s*```" then inside = not inside
      elseif inside == (code or false) then return number, line end
    end
  end
end

local function report(found) assert(#found == 0, "\n" .. table.concat(found, "\n")) end

-- "a_{b,c}.lua" -> "a_b.lua", "a_c.lua"
local function alternatives(word)
  local before, list, after = word:match "^(.-)(%b{})(.*)$"
  if not before then return { word } end
  local out = {}
  for part in list:sub(2, -2):gmatch "[^,]+" do
    for _, rest in ipairs(alternatives(before .. part .. after)) do out[#out + 1] = rest end
  end
  return out
end

-- Does the path exist? "*" matches any characters but a slash; a final slash is ignored.
local function there(path)
  path = path:gsub("/$", "")
  if paths[path] then return true end
  if not path:find("*", 1, true) then return false end
  local pattern = "^" .. path:gsub("[%-%.%+%[%]%(%)%$%^%%%?]", "%%%0"):gsub("%*", "[^/]*") .. "$"
  for known in pairs(paths) do
    if known:find(pattern) then return true end
  end
  return false
end

local LUA_OF_USERS = { ["README.md"] = true, ["docs/guide.md"] = true }
local PLACES = { "", "src/*/", "src/*/*/", "cpu/src/*/", "cpu/src/*/*/", "cpu/test/", "shared/*/",
  "lua/luacuda/", "lua/luacuda/*/", "spec/*/" }

-- Is a word in backticks a path of the tree, or a file without its folder?
local function is_path(word, document)
  if word:find "[%s<>]" then return false end
  if ROOTS[word:match "^([%w_.]+)/" or ""] then return not word:find "%u%u+" end
  local prefix = word:match "^(%l+)_[%w_*]+%.[ch]$"
  if prefix then return prefix ~= "cuda" end
  if word:find "^[%w_/*]+%.lua$" then return not LUA_OF_USERS[document] end
  return word:find "^[%w_*]+%.def$"
end

local function known(word)
  if names[word] then return true end
  for _, folder in ipairs(PLACES) do
    if there(folder .. word) then return true end
  end
  return false
end

-- Is the word, from the text `span` in backticks, meant as an identifier of the C sources?
local OURS = { lcu = true, lcul = true, ptx = true, cpu = true }
local function is_identifier(word, span)
  return OURS[word:match "^(%l+)_"] and span:find "^[%w_>.%-]+$" and not span:find "%.%l+$"
    and not word:find "^ptx_full_" -- a macro makes these
end

describe("documents", function()
  for _, document in ipairs(DOCUMENTS) do
    it("name paths that exist: " .. document, function()
      local found = {}
      for number, line in lines(document) do
        for word in line:gmatch "`([^`]+)`" do
          for _, path in ipairs(alternatives(word)) do
            if is_path(path, document) and not known(path) then
              found[#found + 1] = ("%s:%d: %s"):format(document, number, path)
            end
          end
        end
      end
      report(found)
    end)
  end

  it("name C identifiers that exist", function()
    local words, found = {}, {}
    for _, root in ipairs { "src/", "cpu/src/", "shared/" } do
      for _, path in ipairs(in_folder(root, "%.[chd]")) do
        for word in helper.read_file(path):gmatch "[%a_][%w_]*" do words[word] = true end
      end
    end
    for _, document in ipairs(DOCUMENTS) do
      for number, line in lines(document) do
        for span in line:gmatch "`([^`]+)`" do
          for word in span:gmatch "%f[%w_]%l+_[%w_]+%f[^%w_]" do
            if is_identifier(word, span) and not words[word] then
              found[#found + 1] = ("%s:%d: %s"):format(document, number, word)
            end
          end
        end
      end
    end
    report(found)
  end)

  it(("are at most %d columns wide"):format(WIDTH), function()
    local found = {}
    for _, document in ipairs(DOCUMENTS) do
      for _, code in ipairs { false, true } do
        for number, line in lines(document, code) do
          local breakable = code or not line:find "^|" and not line:find "^!%["
          if breakable and (utf8.len(line) or #line) > WIDTH then
            found[#found + 1] = ("%s:%d"):format(document, number)
          end
        end
      end
    end
    report(found)
  end)
end)

describe("comments", function()
  it("name documents that exist", function()
    local found = {}
    for folder in pairs(ROOTS) do
      for _, path in ipairs(in_folder(folder .. "/", "%.%l+$")) do
        if not path:find "%.p" and path ~= "spec/project/docs_spec.lua" then
          for word in helper.read_file(path):gmatch "[%w_/.-]*docs/[%w_/.-]*%.md" do
            local is_link = path:find "%.md$" -- links_spec.lua checks those
            if not paths[word] and not is_link then found[#found + 1] = path .. ": " .. word end
          end
        end
      end
    end
    report(found)
  end)
end)

describe("the glossary", function()
  it("is in alphabetical order", function()
    local last = ""
    for number, line in lines "docs/glossary.md" do
      local term = line:match "^%* %*%*(.-)%*%*"
      if term then
        term = term:lower()
        assert(last < term, ("line %d: '%s' after '%s'"):format(number, term, last))
        last = term
      end
    end
  end)
end)

describe("the plot", function()
  local results = "bench/results/arrays-h100.txt"

  it("is that of its results", function()
    local path = helper.tmpdir() .. "/speed.svg"
    assert(os.execute(("lua5.4 bench/plot.lua %s %s"):format(results, path)))
    assert.are.equal(helper.read_file "docs/img/speed.svg", helper.read_file(path))
  end)

  -- A row of the README has the three figures of a line of the results, rounded.
  it("shows the figures of the README", function()
    local shown = 0
    local function agrees(cell, figure)
      if cell == "" or figure == "-" then return cell == "" and figure == "-" end
      local digits = #(cell:match "%.(%d+)$" or "")
      return math.abs(tonumber(cell) - tonumber(figure)) <= 0.5001 * 10 ^ -digits
    end
    local function find(cells)
      for line in io.lines(results) do
        local figures = { line:match "^[%w_]+ +([%d.-]+) +([%d.-]+) +([%d.-]+) +[%d.-]+ [<>]=" }
        local good = #figures == 3
        for k, figure in ipairs(figures) do good = good and agrees(cells[k], figure) end
        if good then return true end
      end
    end
    for _, line in lines "README.md" do
      local cells = { line:match "^|.*| ([%d.]*) | ([%d.]*) | ([%d.]*) |$" }
      if #cells == 3 then
        shown = shown + 1
        assert.is_truthy(find(cells), line)
      end
    end
    assert.is_true(shown > 40)
  end)
end)
