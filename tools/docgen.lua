-- tools/docgen.lua [--check | --types FILE]: makes docs/reference/*.md from docs/api/*.lua, and
-- docs/ptx-coverage.md from the tables in cpu/src/ptx. With --check it writes nothing, and exits
-- with 1 when one of them is out of date. With --types it makes only FILE, the types for the Lua
-- language server.
local root = (arg[0] or ""):match "^(.*)tools/[^/]*$" or ""
local base = root == "" and "./" or root
package.path = base .. "?.lua;" .. base .. "lua/?.lua;" .. package.path

local subjects = require "luacuda.manual.subjects"

local function read_file(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return text
end

local function write_file(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

-- Path -> text of what belongs into git.
local function committed()
  local files = { ["docs/ptx-coverage.md"] = require "tools.docgen.coverage"(root) }
  for name, text in pairs(require "tools.docgen.pages"((subjects.read()))) do
    files["docs/reference/" .. name] = text
  end
  return files
end

-- Paths that are out of date -> the right text; false for the page of a subject that is gone.
local function stale()
  local files, wrong = committed(), {}
  for path, text in pairs(files) do
    if read_file(root .. path) ~= text then wrong[path] = text end
  end
  local names = assert(io.popen(("ls '%sdocs/reference'"):format(base)))
  for name in names:lines() do
    if not files["docs/reference/" .. name] then wrong["docs/reference/" .. name] = false end
  end
  names:close()
  return wrong
end

local function check()
  local wrong = stale()
  for path in pairs(wrong) do
    io.stderr:write(path, " is out of date: run lua5.4 tools/docgen.lua\n")
  end
  os.exit(next(wrong) == nil)
end

local function update()
  for path, text in pairs(stale()) do
    if text then write_file(root .. path, text) else assert(os.remove(root .. path)) end
  end
end

if arg[1] == "--types" then
  local _, classes, dtypes = subjects.read()
  write_file(assert(arg[2], "--types needs a file"), require "tools.docgen.types"(classes, dtypes))
elseif arg[1] == "--check" then
  check()
else
  update()
end
