-- Every public name is documented, every documented name exists, and the pages of the reference are
-- up to date.
local cuda = require "luacuda"
local helper = require "spec.helper"
local core = require "luacuda.core"
local read = require("luacuda.manual.subjects").read

-- The names and texts of the pages of docs/reference, those of the subjects only.
local function pages()
  local list = {}
  for _, name in ipairs(dofile "docs/api/index.lua") do
    local path = ("docs/reference/%s.md"):format(name)
    list[#list + 1] = { path = path, text = helper.read_file(path) }
  end
  return list
end

local function all_pages()
  local texts = {}
  for i, page in ipairs(pages()) do texts[i] = page.text end
  return table.concat(texts, "\n")
end

-- Class -> name -> entry.
local function documented()
  local classes = {}
  for _, class in ipairs((select(2, read()))) do
    local names = {}
    for _, entry in ipairs(class.entries) do
      assert(not names[entry.name], class.name .. " documents " .. entry.name .. " twice")
      names[entry.name] = entry
    end
    classes[class.name] = names
  end
  return classes
end

-- Loads every file, so that methods written in Lua exist.
local function public_names()
  local names = {}
  for name in pairs(cuda) do
    names[name] = true
    local _ = cuda[name]
  end
  return names
end

local function class_names(class)
  local names = {}
  local methods, fields, metatable = core.class(class)
  for name in pairs(methods) do names[name] = true end
  for name in pairs(fields) do names[name] = true end
  if metatable.__call then names.__call = true end
  return names
end

local CLASSES = { "Device", "Stream", "Event", "Graph", "Array", "Module", "Kernel", "Prepared",
  "Struct", "Complex", "Scalar", "Pointer", "Argument", "Elementwise", "Fused", "Range" }

describe("the reference", function()
  local classes, public = documented(), public_names()

  local function compare(there, listed, what)
    for name in pairs(there) do
      assert(listed[name], ("%s.%s is not documented (docs/api)"):format(what, name))
    end
    for name, entry in pairs(listed) do
      assert(there[name] or entry.kind == "index",
        ("%s.%s is documented, but does not exist"):format(what, name))
    end
  end

  it("lists the names of the module, and no others", function()
    compare(public, classes.luacuda, "luacuda")
  end)

  for _, class in ipairs(CLASSES) do
    it("lists the names of class " .. class .. ", and no others", function()
      assert.is_table(classes[class])
      compare(class_names(class), classes[class], class)
    end)
  end

  it("lists every method of pools", function()
    local methods = { device = true }
    for name in pairs(getmetatable(cuda.pool()).__index) do methods[name] = true end
    compare(methods, classes.Pool, "Pool")
  end)

  it("lists every method of scans", function()
    local scan = cuda.scan("T x", "T y", "x", "a + b", nil, "s")
    local names = { __call = true, name = scan.name }
    for name in pairs(getmetatable(scan).__index) do names[name] = true end
    compare(names, classes.Scan, "Scan")
  end)

  it("lists every method of kernels written in Lua", function()
    local names = { __call = true }
    local metatable = getmetatable(cuda.jit(function() end))
    for _, name in ipairs(metatable.__complete()) do names[name] = true end
    compare(names, classes.Jit, "Jit")
    for name, method in pairs(metatable.__index) do
      assert(names[name] and type(method) == "function", name)
    end
  end)

  it("lists every method of kernels over tiles", function()
    local names = { __call = true }
    for _, name in ipairs(getmetatable(cuda.tiled(function() end)).__complete()) do
      names[name] = true
    end
    compare(names, classes.Tiled, "Tiled")
  end)

  it("lists the names of the language of tiles, and no others", function()
    compare(require "luacuda.tiles.names", classes.Tile, "Tile")
  end)

  it("lists every method of random generators and every function of cuda.random", function()
    local names, functions = {}, {}
    for _, name in ipairs(getmetatable(cuda.random.generator(1)).__complete()) do
      names[name] = true
    end
    compare(names, classes.Generator, "Generator")
    for name in pairs(cuda.random) do functions[name] = true end
    compare(functions, classes.Random, "Random")
  end)

  it("lists the names of the kernel's language, and no others", function()
    local names = {}
    for name in next, cuda.gpu do names[name] = true end
    compare(names, classes.Gpu, "Gpu")
  end)

  it("has every function of cuda.cache", function() compare(cuda.cache, classes.Cache, "Cache") end)

  it("has every function of cuda.profiler", function()
    compare(cuda.profiler, classes.Profiler, "Profiler")
  end)

  it("lists every field and method of profiles", function()
    local names, profile = {}, cuda.profile(function() end)
    for _, name in ipairs(getmetatable(profile).__complete()) do names[name] = true end
    compare(names, classes.Profile, "Profile")
  end)

  it("lists every field and method of profiles of kernels", function()
    local before = cuda.use "cpu"
    local names, x = {}, cuda.zeros(4)
    local profile = cuda.elementwise("T x", "T y", "y = x", "copied"):profile(x)
    cuda.use(before)
    for _, name in ipairs(getmetatable(profile).__complete()) do names[name] = true end
    compare(names, classes.LineProfile, "LineProfile")
    names = {}
    local estimate = profile:estimate("sm_90", { registers = 9 })
    for _, name in ipairs(getmetatable(estimate).__complete()) do names[name] = true end
    compare(names, classes.Estimate, "Estimate")
    names = {}
    for name in pairs(profile.lines[1]) do names[name] = true end
    for name in pairs(names) do assert(classes.Costs[name], name) end
    for _, name in ipairs(core._cost_names()) do assert(classes.Costs[name], name) end
  end)

  it("lists every field and method of searches", function()
    local tuning = cuda.tune{ name = "api", cache = false, space = { A = { 1 } },
      make = function() return function() end end }
    local names = {}
    for _, name in ipairs(getmetatable(tuning).__complete()) do names[name] = true end
    compare(names, classes.Tuning, "Tuning")
  end)

  it("has every environment variable", function()
    local listed = {}
    for _, row in ipairs(dofile("docs/api/environment.lua").table) do listed[row[1]] = true end
    listed.LUACUDA_SHIM = true                               -- for the fault tests
    local pipe = assert(io.popen [[grep -rhoE '"LUACUDA_[A-Z_]+"' src shared cpu/src lua]])
    for line in pipe:lines() do
      local name = line:sub(2, -2)
      assert(listed[name] or name:find "^LUACUDA_ERROR_", name .. " is not documented")
    end
    pipe:close()
  end)

  it("has the name of every error of the library, and no others", function()
    local listed, found = {}, {}
    for k, row in ipairs(dofile("docs/api/error_names.lua").table) do
      if k > 1 then listed[#listed + 1] = row[1] end
    end
    local pipe = assert(io.popen [[
      grep -rhoE '"LUACUDA_ERROR_[A-Z_]+"' src shared cpu/src lua | sort -u]])
    for line in pipe:lines() do found[#found + 1] = line:sub(2, -2) end
    pipe:close()
    assert.is_true(#found > 10)
    table.sort(listed)
    assert.same(found, listed)
  end)

  it("shows the arguments and results of entries that a table lists", function()
    local text = all_pages()
    for _, words in ipairs { "`...` (integer): the indices, one for each axis, then the value",
      "- returns (number): the old value",
      "`...` (integer): the indices, then the expected value and the new one",
      "- `lane` (integer): lane, distance or bits", "Does c hold in a lane? Returns boolean.",
      "The lanes where c holds, as bits. Returns integer." } do
      assert(text:find(words, 1, true), words)
    end
  end)

  it("has all its code between fences", function()
    -- a row of a table is a paragraph
    local text = all_pages():gsub("\n```lua\n.-\n```\n", "\n\n")
    text = text:gsub("|\n", "\n\n")
    local count = 0
    for paragraph in text:gmatch "(.-)\n\n+" do
      local prose = paragraph:gsub("``.-``", ""):gsub("`[^`]*`", ""):gsub("%]%b()", "")
      for _, code in ipairs { "%f[%w_]local%s+[%a_][%w_]*%s*=", "%f[%w_]function%s*%(", "%)%s+end",
        "%f[%w_]end%)", "%f[%w_]cuda%.[%w_]+%s*[%({\"]", "[%w%)]:[%a_]+%(", "```" } do
        assert(not prose:find(code), paragraph)
      end
      count = count + 1
    end
    assert.is_true(count > 1500, count)
  end)

  local function each_entry(check)
    for class, entries in pairs(classes) do
      for name, entry in pairs(entries) do check(entry, class .. "." .. name) end
    end
  end

  it("has words for every entry", function()
    each_entry(function(entry, where) assert(#entry.text > 3, where .. " has no text") end)
  end)

  it("lists every option and parameter of an entry once", function()
    each_entry(function(entry, where)
      for _, list in ipairs{ entry.options, entry.params } do
        local seen = {}
        for _, item in ipairs(list) do
          assert(item.name, where .. " has an item without a name")
          assert(not seen[item.name], where .. " lists " .. item.name .. " twice")
          seen[item.name] = true
        end
      end
    end)
  end)

  it("matches its pages", function()
    local ok = os.execute "lua5.4 tools/docgen.lua --check 2>/dev/null"
    assert.is_true(ok, "run lua5.4 tools/docgen.lua")
  end)

  it("has pages that are not too long to read, and an index of them", function()
    local index = helper.read_file "docs/reference/README.md"
    assert.is_true(#index < 60000)
    for _, page in ipairs(pages()) do
      assert.is_true(#page.text < 60000, page.path)
      helper.contains(index, "](" .. page.path:match "[^/]*$" .. "#")
    end
  end)

  it("is generated once", function()
    local pipe = assert(io.popen "grep -rl 'Made by tools/docgen' docs lua types 2>/dev/null")
    for path in pipe:lines() do assert.matches("^docs/reference/[%a_]+%.md$", path) end
    pipe:close()
  end)
end)

describe("cuda.has", function()
  it("is true for every name that can be read", function()
    for name in pairs(public_names()) do
      assert.is_true(cuda.has(name), name)
      assert.is_true(cuda.has("cuda." .. name), name)
    end
    for _, class in ipairs(CLASSES) do
      for name in pairs(class_names(class)) do
        assert.is_true(cuda.has(class .. "." .. name), class .. "." .. name)
        assert.is_true(cuda.has(class:lower() .. ":" .. name) or class:find "^%u.*%u" ~= nil, name)
      end
    end
    for family in ("random cache profiler nccl"):gmatch "%a+" do
      for name, value in pairs(cuda[family]) do
        if type(value) == "function" then assert.is_true(cuda.has(family .. "." .. name), name) end
      end
    end
  end)

  it("is false for all others", function()
    for _, row in ipairs(require("luacuda.base.foreign").rows) do
      for name in row[1] == "cuda" and row[2]:gmatch "%S+" or function() end do
        assert.is_false(cuda.has(name), name)
      end
    end
    for _, name in ipairs { "", "cuda", "luacuda", "cuda.", "Array", "Stream", "Launch", "zeross",
      "linalg", "linalg.solve", "linalg.norm", "fft.fft", "random.beta", "Array.get", "a.b.c",
      "zeros.x", ".zeros", "zeros.", "Array.", "Array.[i]", "cuda.cuda.zeros", "zeros\0", "__index",
      "Environment", "sum(" } do
      assert.is_false(cuda.has(name), name)
    end
  end)

  it("takes one string", function()
    local misuse = require("spec.helper").misuse
    assert.equal("has: argument 1 'name': expected a string, got 3", misuse(cuda.has, 3))
    assert.equal("has: argument 1 'name': expected a string, got nil", misuse(cuda.has))
    assert.equal("has: argument 1 'name': expected a string, got array",
      misuse(cuda.has, cuda.zeros(1)))
    assert.matches("^has: too many arguments", misuse(cuda.has, "zeros", 1))
  end)
end)

describe("cuda.help", function()
  it("describes names, methods and objects", function()
    assert.matches("cuda.zeros%(shape", cuda.help "zeros")
    assert.matches("array:slice", cuda.help "slice", 1, true)
    assert.matches("array:slice", cuda.help "Array.slice", 1, true)
    -- as written in the reference
    for _, name in ipairs{
      "cuda.zeros", "array:slice", "array.shape", "generator:uniform", "error.kind",
    } do
      assert.equal(1, (cuda.help(name):find(name, 1, true)), name)
    end
    assert.matches("^generator:uniform", cuda.help "cuda.random.uniform")
    assert.matches("^Template: ", cuda.help(cuda.template "x"))
    assert.matches("%f[%l]module.kernels", cuda.help(cuda.module("").kernels))
    assert.matches("^Stream: ", cuda.help(cuda.device().null_stream))
    assert.matches("^The module: ", cuda.help())
    assert.matches("^The module: ", cuda.help(cuda))
  end)

  it("reads docs/api when it is first called", function()
    local ok, out = helper.lua([[
      local cuda = require "luacuda"
      local function is_loaded() return package.loaded["luacuda.manual.subjects"] ~= nil end
      cuda.zeros(3)
      assert(not is_loaded())
      io, os, debug = nil, nil, nil
      print(cuda.help "zeros")
      assert(is_loaded())
    ]], { env = { LUACUDA_DEVICE = "cpu" } })
    assert.is_true(ok, out)
    assert.equal(cuda.help "zeros" .. "\n", out)
  end)

  it("suggests similar entries", function()
    for _, nothing in ipairs{ "", ":", "Array.", "cuda.zeross", "foo.bar" } do
      assert.error_matches(function() cuda.help(nothing) end, "there is nothing on '" .. nothing)
    end
    assert.error_matches(function() cuda.help "zeross" end, "did you mean 'zeros'")
    assert.error_matches(function() cuda.help(12) end, "expected a name or an object")
  end)
end)
