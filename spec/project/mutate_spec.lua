-- tools/mutate on small source trees.
local helper = require "spec.helper"

local WEAK = [[
local tiny = require "tiny"
it("knows what is over", function()
  assert.is_true(tiny.over(5, 3))
  assert.is_false(tiny.over(1, 3))
end)
]]
local STRONG = WEAK .. 'it("knows the bound", function() assert.is_false(tiny.over(3, 3)) end)\n'

local LUA = [[
local M = {}

-- x > most in a comment and "a < b" in a string stay unchanged
function M.over(x, most)
  return x > most
end

return M
]]

local C = [[
#include "tiny.h"
int over (int x, int most) {
  const char *text = "1 < 2"; /* 1 < 2 */
  text = "";
  if (x > most) return 1;
  return 0;
}
]]
local C_TEST = [[
#include "tiny.h"
int main (void) { return over(5, 3) == 1 && over(1, 3) == 0 %s ? 0 : 1; }
]]
local CMAKE = [[
cmake_minimum_required(VERSION 3.20)
project(tiny LANGUAGES C)
include_directories(src/base)
add_library(luacuda_module MODULE src/base/tiny.c)
set_target_properties(luacuda_module PROPERTIES PREFIX "" OUTPUT_NAME core
  LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/luacuda")
add_executable(test_tiny spec/c/test_tiny.c src/base/tiny.c)
set_target_properties(test_tiny PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/spec")
]]
local PRESETS = [[{ "version": 3, "configurePresets": [ {
  "name": "release", "binaryDir": "${sourceDir}/build/release",
  "generator": "Unix Makefiles", "cacheVariables": { "CMAKE_BUILD_TYPE": "Release" }
} ] }]]

local function tree(files)
  local root = helper.tmpdir()
  files[".busted"] =
    'return { default = { ROOT = { "spec" }, pattern = "_spec", lpath = "lua/?.lua" } }\n'
  for path, text in pairs(files) do
    local file = root .. "/" .. path
    assert(os.execute("mkdir -p " .. file:match "^(.*)/"))
    helper.write_file(file, text)
  end
  return root
end

local function mutate(root, options, before)
  local pipe = assert(io.popen(
    ("%s tools/mutate --root %s %s 2>&1; echo \"status $?\""):format(before or "", root, options)))
  local out = pipe:read "a"
  pipe:close()
  return out
end

describe("tools/mutate", function()
  -- it runs no code of the library
  if helper.sanitized or os.getenv "LUACUDA_TEST_GC" == "1" then return end
  it("reports mutants that survive a weak spec, and counts those a strong one kills", function()
    local root = tree { ["lua/tiny.lua"] = LUA, ["spec/tiny_spec.lua"] = WEAK }
    local out = mutate(root, "--all --seed 7 lua")
    assert.matches("survivors:\nlua/tiny.lua:5  > → >=\n", out, 1, true)
    assert.matches("seed 7: 0 of 1 killed (0 %), 0 not built, 0 equivalent\nstatus 0\n", out, 1,
      true)
    assert.equal(LUA, helper.read_file(root .. "/lua/tiny.lua"))
    helper.write_file(root .. "/spec/tiny_spec.lua", STRONG)
    out = mutate(root, "--all --seed 7 lua")
    assert.matches("killed (tiny)  lua/tiny.lua:5  > → >=\n", out, 1, true)
    assert.matches("1 of 1 killed (100 %)", out, 1, true)
    assert.is_nil(out:find "survivors")
  end)

  it("stops at a spec that fails without a mutant", function()
    local root = tree { ["lua/tiny.lua"] = LUA:gsub(">", ">=", 2), ["spec/tiny_spec.lua"] = STRONG }
    assert.matches("tiny fails without a mutant:.*knows the bound.*status 2\n$",
      mutate(root, "--all lua"))
  end)

  it("lists mutants, draws them by seed, and accepts a line", function()
    local list = mutate(".", "--list --count 5 --seed 3 src/base")
    assert.equal(list, mutate(".", "--list --count 5 --seed 3 src/base"))
    assert.are_not.equal(list, mutate(".", "--list --count 5 --seed 4 src/base"))
    assert.equal(6, select(2, list:gsub("\n", "")))
    local root = tree { ["lua/tiny.lua"] = LUA }
    assert.equal("lua/tiny.lua:5  > → >=\nstatus 0\n", mutate(root, "--list --all lua/tiny.lua:5"))
    assert.equal("status 0\n", mutate(root, "--list --all lua/tiny.lua:3"))
    assert.matches("no C or Lua file: nothing\nstatus 2", mutate(root, "--list nothing"))
  end)

  it("builds C, and excludes mutants that do not compile or change nothing", function()
    local root = tree { ["CMakeLists.txt"] = CMAKE, ["CMakePresets.json"] = PRESETS,
      ["src/base/tiny.c"] = C, ["src/base/tiny.h"] = "int over (int x, int most);\n",
      ["spec/c/test_tiny.c"] = C_TEST:format "" }
    local out = mutate(root, "--all src")
    assert.matches("survivors:\nsrc/base/tiny.c:5  > → >=\n\n", out, 1, true)
    assert.matches("equivalent %(the same machine code%)  src/base/tiny.c:4", out)
    assert.matches("killed %(c:tiny%)  src/base/tiny.c:6  0 → 1", out)
    helper.write_file(root .. "/spec/c/test_tiny.c", C_TEST:format "&& over(3, 3) == 0")
    assert.is_nil(mutate(root, "--all src/base/tiny.c:5"):find "survivors")
  end)

  it("leaves no files when interrupted", function()
    local slow = WEAK
      .. 'it("waits", function() if tiny.over(3, 3) then os.execute "sleep 50" end end)\n'
    local root = tree { ["lua/tiny.lua"] = LUA, ["spec/tiny_spec.lua"] = slow }
    assert.matches("status 130\n$",
      mutate(root, "--all lua", "timeout --foreground -s INT --preserve-status 4"))
    assert.equal(LUA, helper.read_file(root .. "/lua/tiny.lua"))
    helper.write_file(root .. "/spec/tiny_spec.lua", STRONG)
    assert.matches("1 of 1 killed", mutate(root, "--all lua"), 1, true)
  end)
end)
