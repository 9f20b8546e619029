-- Files, and folders that are removed when the test ends.
local busted = require "busted"

local M = {}

local function shell_quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end
M.shell_quote = shell_quote

function M.write_file(path, bytes)
  local file = assert(io.open(path, "wb"))
  assert(file:write(bytes))
  assert(file:close())
end

function M.read_file(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "a"
  file:close()
  return bytes
end

local doomed = {} -- folders to remove at the end of the test

function M.tmpdir()
  local pipe = assert(io.popen "mktemp -d")
  local path = pipe:read "l"
  pipe:close()
  doomed[#doomed + 1] = path
  return path
end

busted.subscribe({ "test", "end" }, function()
  for i = #doomed, 1, -1 do
    os.execute("chmod -R u+rwx " .. shell_quote(doomed[i]) .. " 2>/dev/null; rm -rf "
      .. shell_quote(doomed[i]))
    doomed[i] = nil
  end
  return nil, true
end)

return M
