-- Every public name is documented, every documented name exists, and the generated files are up to
-- date.
local cuda = require "luacuda"
local core = require "luacuda.core"

local function documented()
  local classes = {}
  for _, file in ipairs(dofile "docs/api/index.lua") do
    local data = dofile("docs/api/" .. file .. ".lua")
    for _, class in ipairs(data.name and { data } or data) do
      local names = classes[class.name] or {}
      for _, entry in ipairs(class.entries) do
        assert(not names[entry[1]], class.name .. " documents " .. entry[1] .. " twice")
        names[entry[1]] = entry
      end
      classes[class.name] = names
    end
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

local CLASSES = { "Device", "Stream", "Event", "Array", "Module", "Kernel", "Prepared", "Struct",
  "Complex", "Scalar", "Pointer", "Argument", "Elementwise", "Fused" }

describe("the reference", function()
  local classes, public = documented(), public_names()

  local function compare(there, listed, what)
    for name in pairs(there) do
      assert(listed[name], ("%s.%s is not documented (docs/api)"):format(what, name))
    end
    for name in pairs(listed) do
      assert(there[name], ("%s.%s is documented, but not there"):format(what, name))
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

  it("lists every method of random generators, which are also functions of cuda.random", function()
    local names, functions = {}, {}
    for _, name in ipairs(getmetatable(cuda.random.generator(1)).__complete()) do
      names[name] = true
    end
    compare(names, classes.Generator, "Generator")
    for name in pairs(cuda.random) do functions[name] = true end
    names.generator = true
    assert.same(names, functions)
  end)

  it("has a text for every entry", function()
    for class, entries in pairs(classes) do
      for name, entry in pairs(entries) do
        assert(type(entry.text) == "string" and #entry.text > 3,
          class .. "." .. name .. " has no text")
        if entry.kind == "field" or entry.kind == "value" then
          assert(entry.returns, class .. "." .. name .. " has no type")
        end
      end
    end
  end)

  it("lists every option of an entry once", function()
    for class, entries in pairs(classes) do
      for name, entry in pairs(entries) do
        local seen = {}
        for _, option in ipairs(entry.options or {}) do
          local key = option:match "^[^?:]+"
          assert(not seen[key], class .. "." .. name .. " lists " .. key .. " twice")
          seen[key] = true
        end
      end
    end
  end)

  it("matches its generated files", function()
    local ok = os.execute "lua5.4 tools/docgen.lua --check 2>/dev/null"
    assert.is_true(ok, "run lua5.4 tools/docgen.lua")
  end)

  it("has types that parse", function()
    assert.is_function(loadfile "types/luacuda.lua")
  end)
end)

describe("cuda.help", function()
  it("describes names, methods and objects", function()
    assert.matches("cuda.zeros%(shape", cuda.help "zeros")
    assert.matches("array:slice", cuda.help "slice", 1, true)
    assert.matches("array:slice", cuda.help "Array.slice", 1, true)
    -- as written in the manual
    for _, name in ipairs{
      "cuda.zeros", "array:slice", "array.shape", "generator:uniform", "error.kind",
    } do
      assert.equal(1, (cuda.help(name):find(name, 1, true)), name)
    end
    assert.matches("^generator:uniform", cuda.help "cuda.random.uniform")
    assert.matches("^cuda.template", cuda.help(cuda.template "x"))
    assert.matches("^module.kernels", cuda.help(cuda.module("").kernels))
    assert.matches("^Streams: ", cuda.help(cuda.device().null_stream))
    assert.matches("^The module: ", cuda.help())
    assert.matches("^The module: ", cuda.help(cuda))
  end)

  it("suggests similar entries", function()
    for _, nothing in ipairs{ "", ":", "Array.", "cuda.zeross", "foo.bar" } do
      assert.error_matches(function() cuda.help(nothing) end, "there is nothing on '" .. nothing)
    end
    assert.error_matches(function() cuda.help "zeross" end, "did you mean 'zeros'")
    assert.error_matches(function() cuda.help(12) end, "expected a name or an object")
  end)
end)
