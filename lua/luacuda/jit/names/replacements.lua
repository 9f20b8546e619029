-- replacements.lua: what to write in a kernel in place of names of other languages and of functions
-- that need Lua.

local core = require "luacuda.core"
local rows = require "luacuda.jit.typed.rows"

local M = {}

-- The names of other libraries are loaded for messages only.
function M.sentence(...) return require("luacuda.base.foreign").sentence(...) end

-- Names of C, Python and other libraries ----------------------------------------------------------

-- A function of math or of this library, in C also as sqrtf, fabs or __sinf.
local function known_function(name)
  for _, one in ipairs { name, name:match "^_*(.-)f?$", name:match "^_*f?(.-)f?$" } do
    if type(math[one]) == "function" then return "math." .. one end
    if rows.find(one) then return "cuda." .. one end
  end
end

-- hints.name(name) -> what to write in place of a name that a kernel does not know, or nil
function M.name(name)
  local words = M.sentence("kernel", name)
  if words then return words end
  local found = known_function(name)
  return found and ("write %s(...)"):format(found)
end

-- hints.array(name) -> the same for fields and methods of arrays
function M.array(name) return M.sentence("kernel array", name) end

-- Functions that need Lua -------------------------------------------------------------------------

local TEXT = "text cannot be made on a device: give print several arguments"
local HOST = "do it outside of the kernel"
local LOOP = "write for i = 1, #x"

local LIBRARIES = {
  string = TEXT, utf8 = TEXT, table = "kernels have no tables",
  io = "print(a, b) is what a kernel can write", os = HOST, debug = HOST, package = HOST,
  coroutine = "the threads of a kernel wait with syncthreads()",
}

local FUNCTIONS = {
  pairs = LOOP, ipairs = LOOP, next = LOOP,
  type = "types are known: math.type(x) and x.dtype tell them",
  tostring = "give print several arguments", tonumber = "convert with float32(x) or int32(x)",
  pcall = "a kernel cannot catch errors", xpcall = "a kernel cannot catch errors",
  select = "name the parameters", setmetatable = "kernels have no tables",
  getmetatable = "kernels have no tables", rawget = "write x[i]", rawset = "write x[i] = v",
  rawlen = "write #x", rawequal = "write a == b", require = HOST, dofile = HOST, load = HOST,
  loadfile = HOST, collectgarbage = HOST,
}

local words_for = {}      -- function of Lua -> { name =, words = }

for name, words in pairs(FUNCTIONS) do words_for[_G[name]] = { name = name, words = words } end

for name, words in pairs(LIBRARIES) do
  for key, fn in pairs(_G[name] or {}) do
    if type(fn) == "function" then
      words_for[fn] = { name = ("%s.%s"):format(name, key), words = words }
    end
  end
end

M.TEXT = TEXT

-- hints.lua_function(fn) -> { name =, words = } for a function of Lua that no kernel can call
function M.lua_function(fn) return words_for[fn] end

-- Functions of this library -----------------------------------------------------------------------

local FOLDER = debug.getinfo(1, "S").source:match "^(@.*)jit[/\\]names[/\\]replacements%.lua$"

-- Is it a function of this library, written in Lua or in C?
function M.is_own(fn)
  local source = debug.getinfo(fn, "S").source
  if FOLDER and source:sub(1, #FOLDER) == FOLDER then return true end
  for _, value in pairs(core) do
    if value == fn then return true end
  end
  return false
end

return M
