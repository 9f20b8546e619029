-- tools/docgen.lua [--check]: makes docs/api.md, types/luacuda.lua and lua/luacuda/manual.lua from
-- docs/api/*.lua, and docs/ptx-coverage.md from the tables in src/ptx. With --check it writes
-- nothing and exits with 1 when one of them is out of date.
local root = (arg and arg[0] or ""):match "^(.*)tools/[^/]*$" or ""
package.path = (root == "" and "./" or root) .. "?.lua;" .. package.path

local FILES = {
  ["docs/api.md"] = require "tools.docgen.markdown",
  ["types/luacuda.lua"] = require "tools.docgen.types",
  ["lua/luacuda/manual.lua"] = require "tools.docgen.manual",
  ["docs/ptx-coverage.md"] = require "tools.docgen.coverage",
}

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

local check = arg and arg[1] == "--check"
local subjects, classes, dtypes = require "tools.docgen.read".read(root)
local stale = false
for path, make in pairs(FILES) do
  local text = make(subjects, classes, dtypes, root)
  if read_file(root .. path) ~= text then
    stale = true
    if check then
      io.stderr:write(path, " is out of date: run lua5.4 tools/docgen.lua\n")
    else
      write_file(root .. path, text)
    end
  end
end
if check and stale then os.exit(1) end
