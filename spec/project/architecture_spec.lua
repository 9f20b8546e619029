-- The tables of folders in docs/design/architecture.md say what CMake does: which layers there are,
-- and which others each may use. CMake writes its own list when it configures a build.
local helper = require "spec.helper"

local BUILD = os.getenv "LUACUDA_BUILD" or "build/release"

local function sorted(set)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list)
  return table.concat(list, " ")
end

-- "cpu/src/ptx/isa: shared/base cpu/src/ptx" -> folder -> set of folders, without itself
local function layers_of_cmake()
  local layers = {}
  for folder, uses in helper.read_file(BUILD .. "/layers.txt"):gmatch "([^:\n]+):([^\n]*)" do
    layers[folder] = {}
    for used in uses:gmatch "%S+" do
      if used ~= folder then layers[folder][used] = true end
    end
  end
  return layers
end

-- The rows of the tables, in order: { folder, words of the last column }.
local function rows()
  local list, text = {}, helper.read_file "docs/design/architecture.md"
  for line in text:gmatch "[^\n]+" do
    local folder, uses = line:match "^| `([%w/]+)` | `[^|]*|[^|]*|([^|]*)|$"
    if folder then list[#list + 1] = { folder = folder, uses = uses } end
  end
  return list
end

-- The project of a folder: "cpu/src/ptx/isa" -> "cpu/src/"
local function project_of(folder)
  return folder:match "^cpu/src/" or folder:match "^src/" or folder:match "^shared/"
end

-- The folder of a layer that a row of this project names.
local function folder_of(layers, project, name)
  for _, root in ipairs { project, "shared/" } do
    if layers[root .. name] then return root .. name end
  end
  error(("%s names the layer %s, which is unknown"):format(project, name))
end

-- Adds the rooms of a layer among the rows before number n.
local function add_rooms(set, list, n, layer)
  for i = 1, n - 1 do
    if list[i].folder:sub(1, #layer + 1) == layer .. "/" then set[list[i].folder] = true end
  end
end

local function layers_of_page(known)
  local layers, list = {}, rows()
  for n, row in ipairs(list) do
    local set, project = {}, project_of(row.folder)
    for word in row.uses:gmatch "[^%s,]+" do
      local rooms = word:match "^(.*)/%*$"
      if rooms then add_rooms(set, list, n, project .. rooms)
      else set[folder_of(known, project, word)] = true end
    end
    layers[row.folder] = set
  end
  return layers
end

describe("the page on the architecture", function()
  local cmake = layers_of_cmake()

  it("lists all layers, and what each uses", function()
    local page = layers_of_page(cmake)
    assert.equal(sorted(cmake), sorted(page))
    for folder, uses in pairs(cmake) do
      assert.equal(folder .. ": " .. sorted(uses), folder .. ": " .. sorted(page[folder]))
    end
  end)

  it("finds no layer of one product in the other", function()
    for folder, uses in pairs(cmake) do
      for used in pairs(uses) do
        local project = project_of(used)
        assert.is_true(project == "shared/" or project == project_of(folder), folder .. " " .. used)
      end
    end
  end)

  it("finds a layer for every folder with C files", function()
    local pipe = assert(io.popen "find shared cpu/src src -name '*.c' -not -path 'shared/test/*'")
    for path in pipe:lines() do
      local folder = path:match "^(.*)/"
      assert.is_not_nil(cmake[folder], path)
    end
    pipe:close()
  end)
end)
