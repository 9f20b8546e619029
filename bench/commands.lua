-- Commands that measure: quoting their words and reading the "name value" lines they print.
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
