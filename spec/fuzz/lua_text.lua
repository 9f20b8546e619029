-- Lua text: the parser of kernels in Lua accepts what Lua accepts, and reports a line for the rest.
local parser = require "luacuda.jit.read.parser"

local M = { seeds = {
  "local a <const>, b = 0x1p4, [==[\n]]]==] for i = 1, #a do goto l ::l:: end return -2 ^ 2 // 1",
  "local function f(x, ...) while x do if x then break elseif ... then return f(x) end end end",
  "function a.b:c(d) repeat local e = { [1] = d, f = 2; 3 } until e:g '\\z  \\x41\\u{48}\\065' end",
  "--[[ x ]] for k, v in next, t do t[k] = not v and ~k << 3 .. '' or ({ f { }, f '' }).x end --",
} }

-- Lua's limits, which the parser does not have or counts in another way.
local LIMITS = { "limit is", "overflow", "too long", "too many", "too complex" }

local function is_limit(message)
  for _, part in ipairs(LIMITS) do
    if message:find(part, 1, true) then return true end
  end
end

function M.read(text)
  local compiled, why = load(text, "=t", "t")
  local ok, result = pcall(parser.chunk, text, "t")
  if not ok then assert(result:find "^t:%d+: ", result) end
  if not compiled and is_limit(why) or not ok and is_limit(result) then return end
  assert((compiled ~= nil) == ok, ("Lua: %s, the parser: %s"):format(why, result))
  if not ok then pcall(parser.fn, text, "t") end
end

return M
