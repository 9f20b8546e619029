-- cpu_common.lua: what the programs of bench/cpu share: cases, command lines and figures.
local quote = require "commands".quote
local built = assert(os.getenv "LUACUDA_BENCH", "run bench/cpu")

local M = {}

-- Do the arguments name it?
function M.wanted(name)
  if #arg == 0 then return true end
  for _, pattern in ipairs(arg) do if name:find(pattern) then return true end end
  return false
end

local function write_file(path, bytes)
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
end

-- The words of runner.h's command line after the number of rounds. Arrays go to files.
function M.command_line(case)
  local _, kernel, grid, block, result, _, args = table.unpack(case)
  local words = { kernel, grid[1], grid[2], block[1], block[2], result - 1,
    quote(built .. "/result") }
  for k, value in ipairs(args) do
    if type(value) == "table" then
      local path = ("%s/argument%d.%s"):format(built, k, value.dtype)
      write_file(path, value.bytes)
      value = quote("b" .. path)
    end
    words[#words + 1] = value
  end
  return table.concat(words, " ")
end

function M.wanted_cases()
  local cases = {}
  for _, case in ipairs(require "cases") do
    if M.wanted(case[1]) then cases[#cases + 1] = case end
  end
  return cases
end

function M.cell(value)
  return type(value) == "number" and ("%10.3f"):format(value) or ("%10s"):format(value or "-")
end

function M.ratio(a, b)
  local both = type(a) == "number" and type(b) == "number"
  return both and ("%10.2f"):format(a / b) or ("%10s"):format "-"
end

-- The geometric mean of ratios: add(a, b) for each, then value().
function M.mean()
  local logs, n = 0, 0
  return {
    add = function(a, b)
      if type(a) == "number" and type(b) == "number" then
        logs, n = logs + math.log(a / b), n + 1
      end
    end,
    value = function() return n > 0 and math.exp(logs / n) or nil end,
  }
end

return M
