-- Quotes the words of commands and reads the "name value" lines that they print.
local M = {}

function M.quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- The "name value" lines that a command prints, and its exit status.
function M.measure(command)
  local values, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do
    local name, value = line:match "^([%w_]+) ([%d.e+-]+)$"
    if name then values[name] = tonumber(value) end
  end
  local _, _, status = pipe:close()
  return values, status
end

return M
