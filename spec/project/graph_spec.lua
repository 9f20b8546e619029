-- The rooms of lua/luacuda: each folder requires only folders below it, and no file requires itself
-- through others. Requires inside functions count as well. The rooms inside of jit are in layers,
-- too.
local lists = require "luacuda.base.lists"

local ROOT = "lua/luacuda"

-- From the bottom up. The files at the root ("") are the public face and may require all others.
local ROOMS = {
  "manual", "base", "source", "compile", "kernel", "builder", "array", "files", "jit", "tiles",
  "linalg", "fuse", "nccl", "profiling", "tuning", "",
}

-- The rooms of jit, likewise. Its own files ("") are the public face.
local JIT_ROOMS = { "cpp", "read", "typed", "emit", "names", "infer", "run_in_lua", "" }

-- Files that are loaded for what they do to others: the operators make rows that a text of isclose
-- needs, elementwise kernels have the hook that resolves the types of reductions, jit.lua has the
-- one that makes kernels, and product_text.lua adds products to the tiles that have text.
local FOR_EFFECT = {
  ["luacuda.array.close"] = { "luacuda.array.operators" },
  ["luacuda.builder.reduction"] = { "luacuda.builder.elementwise" },
  ["luacuda.tiles.tile_settings"] = { "luacuda.tiles.product_text" },
  ["luacuda.tiles.tiled"] = { "luacuda.jit.jit" },
}

local function levels(rooms)
  local level = {}
  for k, room in ipairs(rooms) do level[room] = k end
  return level
end

local LEVEL, JIT_LEVEL = levels(ROOMS), levels(JIT_ROOMS)

local function lines_of(command)
  local list, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do list[#list + 1] = line end
  assert(pipe:close())
  return list
end

local function text_of(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

-- The modules of the library that a text names outside comments and long strings: those in calls of
-- require, and those in strings, which a table may pass to require.
local function required(text)
  local set = {}
  local code = text:gsub("%-%-[^\n]*", ""):gsub("%[(=*)%[.-%]%1%]", "")
  for name in code:gmatch "require%s*%(?%s*[\"'](luacuda[%w_.]*)[\"']" do set[name] = true end
  for name in code:gmatch "[\"'](luacuda%.%l[%l%d_]*%.%l[%l%d_.]*)[\"']" do set[name] = true end
  for name in code:gmatch "%[[\"'](luacuda%.%l[%l%d_]*)[\"']%]" do set[name] = true end
  set["luacuda.core"] = nil -- the C module
  return set
end

-- Module -> the modules that it requires.
local function read_graph()
  local graph = {}
  for _, path in ipairs(lines_of(("find %s -name '*.lua' | sort"):format(ROOT))) do
    local name = path:match "^lua/(.*)%.lua$":gsub("/init$", ""):gsub("/", ".")
    graph[name] = required(text_of(path))
  end
  return graph
end

local function room_of(name) return name:match "^luacuda%.([^.]+)%." or "" end

-- The room of a module of jit; nil for others.
local function jit_room_of(name)
  local path = name:match "^luacuda%.jit%.(.+)"
  return path and (path:match "^(.-)%." or "")
end

-- The requires of a text whose value nothing uses: lines that hold nothing else.
local function without_value(text)
  local list = {}
  for line in (text:gsub("%-%-[^\n]*", "") .. "\n"):gmatch "([^\n]*)\n" do
    local name = line:match "^%s*require%s*%(?%s*[\"']([%w_.]+)[\"']%s*%)?%s*$"
    if name then list[#list + 1] = name end
  end
  return list
end

-- The modules that the C sources load by name: module -> a file that does.
local function loaded_by_c()
  local found = {}
  for _, path in ipairs(lines_of "grep -rl lcul_push_library src/lua --include='*.c'") do
    for name in text_of(path):gmatch "lcul_push_library%s*%(L, \"([^\"]+)\"%)" do
      found[name] = path
    end
  end
  return found
end

-- The names of files that several modules have, in order.
local function names_of_several(graph)
  local count, several = {}, {}
  for name in pairs(graph) do
    local last = name:match "[^.]+$"
    count[last] = (count[last] or 0) + 1
    if count[last] == 2 then several[#several + 1] = last end
  end
  table.sort(several)
  return several
end

-- The edges that `test` refuses, as lines.
local function wrong_edges(graph, test)
  local list = {}
  for name, targets in pairs(graph) do
    for target in pairs(targets) do
      if not test(name, target) then list[#list + 1] = name .. " requires " .. target end
    end
  end
  table.sort(list)
  return list
end

-- A path of modules, each of which requires the next, that returns to its start; nil if there is
-- none.
local function find_cycle(graph)
  local state, path = {}, {}
  local function visit(name)
    if state[name] == "done" then return nil end
    path[#path + 1] = name
    if state[name] == "open" then return table.concat(path, " > ") end
    state[name] = "open"
    for target in pairs(graph[name] or {}) do
      local cycle = visit(target)
      if cycle then return cycle end
    end
    path[#path], state[name] = nil, "done"
  end
  for name in pairs(graph) do
    local cycle = visit(name)
    if cycle then return cycle end
  end
end

describe("the files of lua/luacuda", function()
  local graph = read_graph()

  it("are in the listed rooms, none of which is empty", function()
    local found = {}
    for name in pairs(graph) do found[room_of(name)] = true end
    for room in pairs(found) do assert.is_truthy(LEVEL[room], "no level for " .. room) end
    for _, room in ipairs(ROOMS) do assert.is_true(found[room], room .. " is empty") end
  end)

  it("require only modules that exist", function()
    assert.same({}, wrong_edges(graph, function(_, target) return graph[target] ~= nil end))
  end)

  it("require only their own room and those below it", function()
    assert.same({}, wrong_edges(graph, function(name, target)
      return (LEVEL[room_of(target)] or math.huge) <= LEVEL[room_of(name)]
    end))
  end)

  it("never require each other in a circle", function() assert.is_nil(find_cycle(graph)) end)

  it("include those that the C sources load by name", function()
    local count = 0
    for name, path in pairs(loaded_by_c()) do
      assert.is_truthy(graph[name], ("%s loads %s"):format(path, name))
      count = count + 1
    end
    assert.is_true(count > 0)
  end)

  it("are all loaded by another file", function()
    local used = loaded_by_c()
    for _, targets in pairs(graph) do
      for target in pairs(targets) do used[target] = true end
    end
    for name in pairs(graph) do
      assert.is_truthy(used[name] or name == "luacuda", name .. " is loaded by nothing")
    end
  end)

  it("require no file for what it does when it is loaded", function()
    local found = {}
    for name in pairs(graph) do
      if name ~= "luacuda" then
        local list = without_value(text_of("lua/" .. name:gsub("%.", "/") .. ".lua"))
        if #list > 0 then found[name] = list end
      end
    end
    assert.same(FOR_EFFECT, found)
  end)

  it("have names that tell rooms apart", function()
    assert.same({}, names_of_several(graph))
  end)
end)

describe("the files of lua/luacuda/jit", function()
  local graph = {}
  for name, targets in pairs(read_graph()) do
    if jit_room_of(name) then graph[name] = targets end
  end

  it("are in the listed rooms, none of which is empty", function()
    local found = {}
    for name in pairs(graph) do found[jit_room_of(name)] = true end
    for room in pairs(found) do assert.is_truthy(JIT_LEVEL[room], "no level for " .. room) end
    for _, room in ipairs(JIT_ROOMS) do assert.is_true(found[room], room .. " is empty") end
  end)

  it("require only their own room and those below it", function()
    assert.same({}, wrong_edges(graph, function(name, target)
      local room = jit_room_of(target)
      return not room or JIT_LEVEL[room] <= JIT_LEVEL[jit_room_of(name)]
    end))
  end)

  it("are put together by lists in which a name stands once", function()
    local rows = { exp = 1 }
    lists.unite(rows, { log = 2 }, "names")
    lists.unite(rows, nil, "names")
    assert.same({ exp = 1, log = 2 }, rows)
    assert.has_error(function() lists.unite(rows, { log = 3 }, "names") end,
      "two names are called 'log'")
  end)
end)

describe("the reader of requires", function()
  it("finds them at the top, in functions and in tables of names", function()
    local text = [==[
      local core = require "luacuda.core"            -- require "luacuda.comment.none"
      local function later() return require("luacuda.a.b").c end
      local FILES = { ["luacuda.help"] = "help", flat = "luacuda.builder.scan_flat" }
      local class = { __name = "luacuda.Pool" }
    ]==]
    local want = { ["luacuda.a.b"] = true, ["luacuda.help"] = true,
      ["luacuda.builder.scan_flat"] = true }
    assert.same(want, required(text))
  end)

  it("finds those whose value nothing uses", function()
    local text = [==[
      require "luacuda.a.b"         -- says why
      require("luacuda.a.c")
      require "luacuda.a.d"(list)
      require("luacuda.a.e").f()
      local x = require "luacuda.a.f"
      -- require "luacuda.a.g"
    ]==]
    assert.same({ "luacuda.a.b", "luacuda.a.c" }, without_value(text))
  end)

  it("finds names that several modules have", function()
    assert.same({ "x", "z" }, names_of_several { ["luacuda.a.x"] = {}, ["luacuda.b.x"] = {},
      ["luacuda.b.y"] = {}, ["luacuda.b.z"] = {}, ["luacuda.z"] = {} })
  end)

  it("finds a circle", function()
    assert.is_truthy(find_cycle { a = { b = true }, b = { c = true }, c = { a = true } })
    assert.is_nil(find_cycle { a = { b = true, c = true }, b = { c = true }, c = {} })
  end)
end)
