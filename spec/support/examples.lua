-- Runs the programs in examples/.
local helper = require "spec.helper"

local M = {}

-- The results of examples/NAME.lua, and what it printed as `printed`.
function M.run(name, ...)
  local path, printed = package.path, {}
  local env = setmetatable({}, { __index = _G })
  env.print = function(...)
    local words = table.pack(...)
    for i = 1, words.n do words[i] = tostring(words[i]) end
    printed[#printed + 1] = table.concat(words, "\t")
  end
  local results = table.pack(assert(loadfile("examples/" .. name .. ".lua", "t", env))(...))
  package.path = path
  results.printed = table.concat(printed, "\n")
  return results
end

-- Size and signature of a PNG file.
function M.png_size(path)
  local bytes = helper.read_file(path)
  assert(bytes:sub(1, 8) == "\x89PNG\r\n\x1a\n", path .. " is no PNG file")
  local width, height = (">I4I4"):unpack(bytes, 17)
  return width, height
end

return M
