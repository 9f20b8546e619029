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
include_directories(shared/base)
add_library(luacuda_module MODULE shared/base/tiny.c)
set_target_properties(luacuda_module PROPERTIES PREFIX "" OUTPUT_NAME core
  LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/luacuda")
add_executable(test_tiny spec/c/test_tiny.c shared/base/tiny.c)
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

-- tools/mutation/NAME.lua
local function part(name) return dofile("tools/mutation/" .. name .. ".lua") end

describe("the table of specs", function()
  local specs = part "specs"
  local names = specs.names "."

  it("selects a spec that exists with every word, and one spec with a name", function()
    local lists = { specs.general }
    for _, rows in ipairs { specs.rows, specs.layers } do
      for _, row in ipairs(rows) do lists[#lists + 1] = row[2] end
    end
    for word in table.concat(lists, " "):gmatch "%S+" do
      local count = #specs.expand(names, word)
      assert.is_true(count == 1 or (count > 1 and word:find "%*$" ~= nil),
        ("%s selects %d specs"):format(word, count))
    end
  end)

  it("has a spec of its own for every source", function()
    local count, folders = 0, "shared/base shared/cuda cpu/src src lua"
    for path in io.popen("find " .. folders .. " -name '*.c' -o -name '*.lua'"):lines() do
      count = count + 1
      assert.is_true(#specs.special(names, path) > 0, path .. " has no spec of its own")
    end
    assert.is_true(count > 800)
  end)
end)

-- A line of each room, and a spec that detects an error in it.
local ROOMS = {
  { "shared/base/lcu_team.c", "t->width = n;", "c:base" },
  { "shared/cuda/cu_names.c", "if (rows[i].code == code) return &rows[i];", "c:cuda" },
  { "src/types/lcu_parser.c", "if (t != NULL) t->inner = inner;", "c:signature" },
  { "src/plan/lcu_layout.c", "l->ndim = n;", "c:layout" },
  { "cpu/src/ptx/syntax/ptx_lex.c", "t->kind = PTX_T_FLOAT;", "c:ptx_front" },
  { "cpu/src/ptx/isa/ptx_match.c", "*used = n;", "c:ptx_front" },
  { "cpu/src/ptx/lower/ptx_decode_mov.c", "part_bytes == 4   ? PTX_ID_pack_b32_b64", "c:ptx_ops" },
  { "cpu/src/ptx/run/ptx_barrier.c", "uint32_t n = 0;", "c:ptx_barriers" },
  { "cpu/src/sort/sort_code.c", "k.flipped = most;", "c:sort" },
  { "cpu/src/device/order/cpu_event.c", "if (ms == NULL) return CU_ERR_INVALID_VALUE;",
    "c:cpu_driver" },
  { "src/core/stream/lcu_order.c", "if (s == other) return lcu_process_check();", "c:order" },
  { "src/core/work/lcu_work.c", "if (lcu_likely(w.n == 0))", "c:order" },
  { "src/lua/state/lcul_near.c", "return d <= 1 + n / 3 ? d : SIZE_MAX;", "errors/names" },
  { "src/lua/value/lcul_dims.c", "i += d->n + 1", "array/lists" },
  { "src/lua/device/lcul_event.c", "if (!e->interprocess)", "device/ipc_event" },
  { "src/lua/array/lcul_array_copy.c", "if (!lcul_array_same_type(d, a))", "array/array_copy" },
  { "src/lua/texture/lcul_cuda_array.c", "a->block = NULL;", "array/cuda_array" },
  { "src/lua/host/lcul_dlpack.c", "keep.ud = lcul_mail_new(L);", "array/dlpack" },
  { "src/lua/kernel/lcul_occupancy.c", "return out[0] != 0;", "kernel/kernel" },
  { "src/lua/builder/lcul_elementwise.c", "if (lcu_likely(flat))", "builder/elementwise" },
  { "lua/luacuda/array/average.lua", "total = nil", "array/average" },
  { "lua/luacuda/base/number.lua", 'return text:find "[.e]" and text', "kernel/template" },
  { "lua/luacuda/builder/macros.lua", "return kind, list[k + 1], k + 2",
    "builder/builder_macros" },
  { "lua/luacuda/compile/arch.lua", "if not number then return true end", "kernel/compile" },
  { "lua/luacuda/files/npy_format.lua", "source.left = source.left - n", "files/npy" },
  { "lua/luacuda/fuse/tree.lua", "if child.kind then visit(child)", "builder/fuse_statistics" },
  { "lua/luacuda/jit/read/literals.lua", "if find(contents,", "jit/lexer" },
  { "lua/luacuda/kernel/struct.lua", "dims[i] = math.type(n)", "kernel/struct" },
  { "lua/luacuda/linalg/einsum.lua", "if x.shape[first] ~= n then", "array/einsum" },
  { "lua/luacuda/profiling/dwarf.lua", "number = number + 1", "device/step" },
  { "lua/luacuda/source/settings.lua", 'if type(v) == "number"', "kernel/cache" },
  { "lua/luacuda/tuning/session.lua", "tostring(name), arguments", "tuning/tune" },
}

-- FILE:LINE of the line of a row
local function line_of(row)
  local number = 0
  for line in io.lines(row[1]) do
    number = number + 1
    if line:find(row[2], 1, true) then return row[1] .. ":" .. number end
  end
  error(("%s has no line '%s'"):format(row[1], row[2]))
end

describe("tools/mutate", function()
  -- it runs no code of the library
  if helper.sanitized or helper.fake_gpu or os.getenv "LUACUDA_TEST_GC" == "1" then return end
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

  it("runs the specs that ran the line, where that was recorded", function()
    local root = tree { ["lua/tiny.lua"] = LUA, ["spec/tiny_spec.lua"] = WEAK,
      ["spec/other_spec.lua"] = STRONG, ["build/mutate/ran"] = "tiny other\nlua/tiny.lua 4 6 2\n" }
    assert.matches("killed (other)  lua/tiny.lua:5  > → >=\n", mutate(root, "--all lua"), 1, true)
    helper.write_file(root .. "/build/mutate/ran",
      "tiny other\nlua/tiny.lua 1 3 2\nlua/tiny.lua 4 6 1\n")
    assert.matches("survivors:\nlua/tiny.lua:5  > → >=\n", mutate(root, "--all lua"), 1, true)
  end)

  it("runs the file's own specs before others that ran the line, and those without a record",
    function()
      local files = { ["lua/tiny.lua"] = LUA, ["spec/tiny_spec.lua"] = STRONG }
      local names, ids = {}, {}
      for i = 1, 17 do
        names[i], ids[i] = ("a%02d"):format(i), tostring(i)
        files["spec/" .. names[i] .. "_spec.lua"] = WEAK
      end
      local others, all = table.concat(names, " "), table.concat(ids, " ")
      files["build/mutate/ran"] = ("%s tiny\nlua/tiny.lua 4 6 %s 18\n"):format(others, all)
      local root = tree(files)
      assert.matches("killed (tiny)", mutate(root, "--all lua"), 1, true)
      helper.write_file(root .. "/build/mutate/ran",
        ("%s\nlua/tiny.lua 4 6 %s\n"):format(others, all))
      assert.matches("killed (tiny)", mutate(root, "--all lua"), 1, true)
    end)

  it("records the functions that a process runs, in coroutines as well", function()
    local folder, output = helper.tmpdir(), helper.tmpdir() .. "/ran"
    local raw = folder .. "/of-spec.base.number_spec.lua"
    assert(os.execute("mkdir " .. raw))
    assert.is_true(helper.lua([[
      local number = require "luacuda.base.number"
      local lists = coroutine.wrap(function() return require "luacuda.base.lists" end)()
      coroutine.resume(coroutine.create(function()
        for _, f in pairs(lists) do pcall(f, {}, {}) end
      end))
      os.exit(number ~= nil)
    ]], { env = { LUA_INIT = "@tools/mutation/record/record.lua", LUACUDA_RECORD = raw } }))
    assert(os.execute(("cd '%s' && lua5.4 '%s/tools/mutation/record/merge.lua' . '%s'"):format(
      folder, os.getenv "PWD", output)))
    local ran = helper.read_file(output)
    assert.matches("^base/number\n", ran)
    assert.matches("\nlua/luacuda/base/number.lua 0 0 1\n", ran, 1, true)
    assert.matches("\nlua/luacuda/base/lists.lua 0 0 1\nlua/luacuda/base/lists.lua %d+ %d+ 1\n",
      ran)
  end)

  it("stops at a spec that fails without a mutant", function()
    local root = tree { ["lua/tiny.lua"] = LUA:gsub(">", ">=", 2), ["spec/tiny_spec.lua"] = STRONG }
    assert.matches("tiny fails without a mutant:.*knows the bound.*status 2\n$",
      mutate(root, "--all lua"))
  end)

  it("lists mutants, draws them by seed, and accepts a line", function()
    local list = mutate(".", "--list --count 5 --seed 3 shared/base")
    assert.equal(list, mutate(".", "--list --count 5 --seed 3 shared/base"))
    assert.are_not.equal(list, mutate(".", "--list --count 5 --seed 4 shared/base"))
    assert.equal(6, select(2, list:gsub("\n", "")))
    local root = tree { ["lua/tiny.lua"] = LUA }
    assert.equal("lua/tiny.lua:5  > → >=\nstatus 0\n", mutate(root, "--list --all lua/tiny.lua:5"))
    assert.equal("status 0\n", mutate(root, "--list --all lua/tiny.lua:3"))
    assert.matches("no C or Lua file: nothing\nstatus 2", mutate(root, "--list nothing"))
  end)

  it("accepts a range of lines", function()
    local root = tree { ["lua/tiny.lua"] = LUA:gsub("return x > most", "local y = 1\n  %0 + y") }
    assert.equal("lua/tiny.lua:5  1 → 0\nlua/tiny.lua:5  1 → 2\nlua/tiny.lua:6  > → >=\n"
      .. "lua/tiny.lua:6  + → -\nstatus 0\n", mutate(root, "--list --all lua/tiny.lua:5-6"))
    assert.equal("status 0\n", mutate(root, "--list --all lua/tiny.lua:1-4"))
  end)

  it("takes the lines that differ from a revision", function()
    local root = tree { ["lua/tiny.lua"] = LUA, ["lua/other.lua"] = "return 1 < 2\n",
      ["lua/gone.lua"] = "return 1\n" }
    assert(os.execute(("cd %s && git init --quiet && git add . &&"
      .. " git -c user.name=a -c user.email=b commit --quiet --message=first"):format(root)))
    assert.equal("no C or Lua line differs from HEAD\nstatus 0\n",
      mutate(root, "--list --since HEAD"))
    helper.write_file(root .. "/lua/tiny.lua", (LUA:gsub("return x > most", "return x > most + 1")))
    helper.write_file(root .. "/lua/new.lua", "return 3 == 4\n")
    os.remove(root .. "/lua/gone.lua")
    assert.equal("lua/tiny.lua:5  > → >=\nlua/tiny.lua:5  + → -\nlua/tiny.lua:5  1 → 0\n"
      .. "lua/tiny.lua:5  1 → 2\nlua/new.lua:1  3 → 2\nlua/new.lua:1  3 → 4\n"
      .. "lua/new.lua:1  == → ~=\nlua/new.lua:1  4 → 3\nlua/new.lua:1  4 → 5\nstatus 0\n",
      mutate(root, "--list --all --since HEAD"))
    assert.matches("^lua/new.lua:1", mutate(root, "--list --all --since HEAD lua/new.lua"))
    assert.equal("tools/mutate: --since: no revision nowhere\nstatus 2\n",
      mutate(root, "--list --since nowhere"))
  end)

  it("runs the spec of the source's room where several rooms have one of that name", function()
    local root = tree { ["lua/near/tiny.lua"] = LUA,
      ["spec/far/tiny_spec.lua"] = "error 'far'\n",
      ["spec/near/tiny_spec.lua"] = STRONG:gsub('"tiny"', '"near.tiny"') }
    assert.matches("killed (near/tiny)  lua/near/tiny.lua:5", mutate(root, "--all lua"), 1, true)
    assert.matches("no spec nothing\nstatus 2", mutate(root, "--all --specs nothing lua"))
    assert.matches("far/tiny fails without a mutant", mutate(root, "--all --specs far/tiny lua"))
  end)

  it("builds C, and excludes mutants that do not compile or change nothing", function()
    local root = tree { ["CMakeLists.txt"] = CMAKE, ["CMakePresets.json"] = PRESETS,
      ["shared/base/tiny.c"] = C, ["shared/base/tiny.h"] = "int over (int x, int most);\n",
      ["spec/c/test_tiny.c"] = C_TEST:format "" }
    local out = mutate(root, "--all shared")
    assert.matches("survivors:\nshared/base/tiny.c:5  > → >=\n\n", out, 1, true)
    assert.matches("equivalent %(the same machine code%)  shared/base/tiny.c:4", out)
    assert.matches("killed %(c:tiny%)  shared/base/tiny.c:6  0 → 1", out)
    helper.write_file(root .. "/spec/c/test_tiny.c", C_TEST:format "&& over(3, 3) == 0")
    assert.is_nil(mutate(root, "--all shared/base/tiny.c:5"):find "survivors")
  end)

  it("builds the copy again where the tree was copied with its build folder", function()
    local root = tree { ["CMakeLists.txt"] = CMAKE, ["CMakePresets.json"] = PRESETS,
      ["shared/base/tiny.c"] = C, ["shared/base/tiny.h"] = "int over (int x, int most);\n",
      ["spec/c/test_tiny.c"] = C_TEST:format "" }
    local killed = "killed (c:tiny)  shared/base/tiny.c:6  0 → 1"
    assert.matches(killed, mutate(root, "--all shared/base/tiny.c:6"), 1, true)
    assert(os.execute(("cp -a %s %s-copy"):format(root, root)))
    assert.matches(killed, mutate(root .. "-copy", "--all shared/base/tiny.c:6"), 1, true)
    os.execute(("rm -rf %s-copy"):format(root))
  end)

  it("leaves no process of a spec behind", function()
    local root = tree { ["lua/tiny.lua"] = LUA, ["spec/tiny_spec.lua"] = STRONG
      .. 'os.execute "sleep 50 & echo $! >>../../../pids"\n' }
    assert.matches("killed", mutate(root, "--all lua"))
    local count = 0
    for pid in io.lines(root .. "/pids") do
      count = count + 1
      local ps = io.popen("ps -o stat= -p " .. pid)
      local state = ps:read "a"
      ps:close()
      assert.is_true(state == "" or state:find "^Z" ~= nil, state) -- Z: nobody waited for it
    end
    assert.is_true(count > 1)
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

  it("has a line of each room to change", function()
    for _, row in ipairs(ROOMS) do assert.matches(":%d+$", line_of(row)) end
  end)

  -- One room each day: an error in C needs a build, with the preset of this one, so that ccache
  -- knows most of its files. A copy of the tree does not copy itself.
  if os.getenv "LUACUDA_MUTATE_SCRATCH" then return end
  local row, preset = ROOMS[os.time() // 86400 % #ROOMS + 1], os.getenv "LUACUDA_PRESET"
  it("has an error detected in " .. row[1], function()
    local out = mutate(".", ("--preset %s --count 1 --seed 1 --specs %s %s"):format(
      preset or "release", row[3], line_of(row)))
    assert.matches("seed 1: 1 of 1 killed (100 %), 0 not built, 0 equivalent\nstatus 0\n", out, 1,
      true)
  end)
end)
