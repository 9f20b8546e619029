-- shrink(text, fails) -> a text of fewer lines for which fails(text) still holds. It takes away
-- the functions f1, f2 ..., then runs of lines, long ones first; a text that is not Lua any more
-- does not count.
local function without(lines, first, last)
  local rest = table.move(lines, 1, first - 1, 1, {})
  return table.move(lines, last + 1, #lines, first, rest)
end

local function text_of(lines) return table.concat(lines, "\n") end

-- One pass with runs of this length.
local function pass(lines, length, fails)
  local first = 1
  while first + length - 1 <= #lines do
    local rest = without(lines, first, first + length - 1)
    if load(text_of(rest), "=t", "t") and fails(text_of(rest)) then lines = rest
    else first = first + math.max(1, length // 2) end
  end
  return lines
end

-- The first line of the last function f1, f2 ... before `limit`, and its last line.
local function last_function(lines, limit)
  for first = limit, 1, -1 do
    if lines[first]:find "^local function f%d+%(%)$" then
      local last = first
      while last < #lines and not lines[last]:find "^oi%[i%]" do last = last + 1 end
      return first, last
    end
  end
end

local function without_functions(lines, fails)
  local first, last = last_function(lines, #lines)
  while first do
    local rest = without(lines, first, last)
    if load(text_of(rest), "=t", "t") and fails(text_of(rest)) then lines = rest end
    first, last = last_function(lines, first - 1)
  end
  return lines
end

return function(text, fails)
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  lines = without_functions(lines, fails)
  repeat
    local count, length = #lines, #lines // 2
    while length >= 1 do
      lines = pass(lines, length, fails)
      length = math.min(#lines, length) // 2
    end
  until #lines == count
  return text_of(lines)
end
