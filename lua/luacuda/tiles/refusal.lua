-- refusal.lua: why a kernel has no plan (pipeline.lua).

local M = {}

local Refusal = {}

-- no(at, text, ...) ends the search for a plan. at: the statement that prevents it, or nil.
function M.no(at, text, ...)
  local words = text:format(...)
  if at then words = ("line %d: %s"):format(at.line, words) end
  error(setmetatable({ words = words }, Refusal), 0)
end

-- try(fn, ...) -> the result of fn(...); if it ends by `no`, nil and the words
function M.try(fn, ...)
  local ok, result = pcall(fn, ...)
  if ok then return result end
  if getmetatable(result) == Refusal then return nil, result.words end
  error(result, 0)
end

return M
