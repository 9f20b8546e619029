-- Unity builds: which files of a layer CMake compiles together.
local helper = require "spec.helper"

local ROOT = os.getenv "PWD"

local PROJECT = [[
cmake_minimum_required(VERSION 3.20)
project(example LANGUAGES C)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)
set(LUACUDA_ROOT "%s")
set(LUACUDA_SOURCES "${CMAKE_SOURCE_DIR}/src")
set(LUACUDA_LAYERS "${CMAKE_BINARY_DIR}/layers.txt")
find_package(Threads REQUIRED)
add_library(luacuda_flags INTERFACE)
include("${LUACUDA_ROOT}/cmake/LuaCudaLayer.cmake")
luacuda_add_layer(room USES room)
set_source_files_properties(src/room/flags.c PROPERTIES COMPILE_OPTIONS -frounding-math)
_luacuda_add_objects(luacuda_loops "src/loops/one.c;src/loops/two.c" "")
]]

local SOURCES = {
  ["room/first"] = "int first (void);\nint first (void) { return 1; }\n",
  ["room/second"] = "/* _GNU_SOURCE */\nint second (void);\nint second (void) { return 2; }\n",
  ["room/flags"] = "int flags (void);\nint flags (void) { return 3; }\n",
  ["room/gnu"] = "/* gnu.c */\n#define _GNU_SOURCE\n#include <stdio.h>\nint gnu;\n",
  ["room/guarded"] = "#ifdef __APPLE__\n#define _DARWIN_C_SOURCE\n#endif\nint guarded;\n",
  ["loops/one"] = "int one;\n",
  ["loops/two"] = "int two;\n",
}

-- Writes the project into the folder, configures and builds it, and returns the names of the files
-- that the compiler was given.
local function compiled(folder, unity)
  os.execute(("mkdir -p '%s/src/room' '%s/src/loops'"):format(folder, folder))
  helper.write_file(folder .. "/CMakeLists.txt", PROJECT:format(ROOT))
  for name, text in pairs(SOURCES) do
    helper.write_file(("%s/src/%s.c"):format(folder, name), text)
  end
  local pipe = assert(io.popen(("cd '%s' && env -u CMAKE_C_COMPILER_LAUNCHER cmake -S . -B build "
    .. "-DLUACUDA_UNITY=%s 2>&1 && cmake --build build 2>&1"):format(folder, unity)))
  local said = pipe:read "a"
  assert.is_true(pipe:close(), said)
  local names = {}
  local commands = helper.read_file(folder .. "/build/compile_commands.json")
  for name in commands:gmatch '"file": "[^"]*/([%w_]+)%.c"' do names[#names + 1] = name end
  table.sort(names)
  return table.concat(names, " ")
end

describe("a unity build", function()
  it("puts files of a layer together, but not those that change what headers declare", function()
    local folder = helper.tmpdir()
    assert.equal("flags gnu guarded one two unity_0_c", compiled(folder, "ON"))
    local text = helper.read_file(folder .. "/build/CMakeFiles/luacuda_room.dir/Unity/unity_0_c.c")
    local names = {}
    for name in text:gmatch '#include "[^"]*/([%w_]+)%.c"' do names[#names + 1] = name end
    table.sort(names)
    assert.equal("first second", table.concat(names, " "))
  end)

  it("is not made without LUACUDA_UNITY", function()
    assert.equal("first flags gnu guarded one second two", compiled(helper.tmpdir(), "OFF"))
  end)
end)
