-- The types for editors contain annotations that the Lua language server can read, and CMake
-- installs them. `.ci/run types` runs that server where it is installed; this spec reads them by
-- their grammar.
local cuda = require "luacuda"
local helper = require "spec.helper"
local annotations = require "spec.support.annotations"

local function run(...)
  local pipe = assert(io.popen(("%s 2>&1"):format(string.format(...))))
  local out = pipe:read "a"
  return pipe:close() == true, out
end

-- The text of the types.
local function made()
  local path = helper.tmpdir() .. "/luacuda.lua"
  assert(run("lua5.4 tools/docgen.lua --types %s", path))
  return helper.read_file(path)
end

describe("the types", function()
  local text = made()

  it("are Lua", function() assert.is_function(load(text)) end)

  it("are only valid annotations, of types that are defined", function()
    assert.equal("", table.concat(annotations.faults(text), "\n"))
  end)

  it("name the module that they describe", function()
    assert.equal("---@meta luacuda", text:match "^[^\n]*")
  end)
end)

-- The project's CMake code for docs/api, without the C code.
local PROJECT = [[
cmake_minimum_required(VERSION 3.20)
project(reference LANGUAGES NONE)
set(LUA_VERSION_SHORT 5.4)
set(INSTALL_LUADIR share/lua/5.4)
set(INSTALL_DATADIR share/luacuda)
include(%s/cmake/LuaCudaReference.cmake)
]]

-- Configures, builds and installs that: the folder of the installation, and what CMake said.
local function install(options)
  local folder = helper.tmpdir()
  local root = select(2, run "pwd"):match "[^\n]*"
  helper.write_file(folder .. "/CMakeLists.txt", PROJECT:format(root))
  helper.write_file(folder .. "/lua5.3", "#!/bin/sh\nprintf 'Lua 5.3'\n")
  assert(run("chmod +x %s/lua5.3", folder))
  local ok, said = run("cd %s && cmake -S . -B build %s && cmake --build build"
    .. " && cmake --install build --prefix %s/tree", folder, options or "", folder)
  assert.is_true(ok, said)
  return folder .. "/tree", said
end

local function exists(path)
  local file = io.open(path)
  return file ~= nil and file:close()
end

describe("CMake", function()
  it("installs the types, and a .luarc.json that names their folder", function()
    local tree = install()
    local settings = helper.read_json(helper.read_file(tree .. "/share/luacuda/luarc.json"))
    assert.same({ tree .. "/share/luacuda/types" }, settings["workspace.library"])
    assert.equal(made(), helper.read_file(settings["workspace.library"][1] .. "/luacuda.lua"))
  end)

  it("installs what cuda.help reads", function()
    local tree = install()
    local path = ("%s/share/lua/5.4/?.lua;%s/share/lua/5.4/?/init.lua"):format(tree, tree)
    assert(run("cp -R lua/luacuda/. %s/share/lua/5.4/luacuda", tree))
    local ok, out = helper.lua([[
      local cuda = require "luacuda"
      assert(package.searchpath("luacuda.api.index", package.path))
      local names = require("luacuda.manual.help_texts").names
      for _, name in ipairs(names) do print(cuda.help(name)) end
    ]], { env = { LUA_PATH = path } })
    assert.is_true(ok, out)
    local texts = {}
    for i, name in ipairs(require "luacuda.manual.help_texts".names) do
      texts[i] = cuda.help(name)
    end
    assert.is_true(#texts > 900)
    assert.equal(table.concat(texts, "\n") .. "\n", out)
  end)

  for what, program in pairs { ["no Lua"] = "/nowhere/lua", ["an older Lua"] = "$PWD/lua5.3" } do
    it(("with %s installs all else, and says what is missing"):format(what), function()
      local tree, said = install("-DLUA_PROGRAM=" .. program)
      assert.matches("LUA_PROGRAM is '[^']*', not a program of Lua 5.4 or later: "
        .. "the types for editors are left out", said)
      assert.is_true(exists(tree .. "/share/lua/5.4/luacuda/api/index.lua"))
      assert.is_false(exists(tree .. "/share/luacuda"))
    end)
  end
end)

describe("the reader of annotations", function()
  local WRONG = {
    ["there is no type luacuda.Nope"] = "---@class A: luacuda.Nope\nlocal A = {}\n",
    ["expected a type"] = "---@param a\nfunction f(a) end\n",
    ["'%) words' after a type"] = "---@return string) words\nfunction f() end\n",
    ["after a type"] = "---@param a Array,integer\nfunction f(a) end\n",
    ["defined twice"] = "---@class A\n---@field x integer\n---@field x? string\nlocal A = {}\n",
    ["class A is defined twice"] = "---@class A\nlocal A = {}\n---@class A\nlocal B = {}\n",
    ["parameters %(a, b%), annotations %(b, a%)"] =
      "---@param b integer\n---@param a integer\nfunction f(a, b) end\n",
    ["parameters %(a%), annotations %(%)"] = "function f(a) end\n",
    ["expected '%)'"] = "---@overload fun(a: integer b: integer): nil\nfunction f() end\n",
    ["unknown annotation @parm"] = "---@parm a integer\n",
    ["no operator plus"] = "---@class A\n---@operator plus(any): A\nlocal A = {}\n",
    ["a field without a class"] = "---@field x integer\n",
    ["expected ':'"] = "---@overload fun(): integer, ... integer\nfunction f() end\n",
  }

  for message, text in pairs(WRONG) do
    it("finds: " .. message, function()
      assert.matches(message, table.concat(annotations.faults(text), "\n"))
    end)
  end

  it("accepts valid annotations", function()
    assert.same({}, annotations.faults [[
---@class m.A: integer[]
---@field [integer] any
---@field x? "a"|"b"? words
---@operator add(any): m.A
---@overload fun(a: integer, ...: any): m.A, ...: m.A
local A = {}
---@param a? table<any, any>|m.A[] words, and more: (of them)
---@param ... any
---@return m.A? ... # words
---@overload fun(f: fun(x?: integer): (m.A)): nil
function A:f(a, ...) end
]])
  end)
end)
