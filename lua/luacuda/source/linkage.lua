-- linkage.lua: the option extern_c: source with C linkage, as PyCUDA's SourceModule gives it.

-- A line without comments and literals, and whether a comment is still open at its end.
local function bare(line, in_comment)
  if in_comment then
    local stop = select(2, line:find("*/", 1, true))
    if not stop then return "", true end
    line = line:sub(stop + 1)
  end
  line = line:gsub("\\.", ""):gsub('"[^"]*"', ""):gsub("'[^']*'", "")
  line = line:gsub("/%*.-%*/", " "):gsub("//.*$", "")
  local open = line:find("/*", 1, true)
  return open and line:sub(1, open - 1) or line, open ~= nil
end

local function count(line, mark) return select(2, line:gsub(mark, "")) end

-- linkage.wrapped(text, token) -> the text inside `extern "C" { }`, with marks that keep its lines.
-- Headers may hold templates, which have no C linkage, so the block is left for an #include that is
-- in no other braces.
local function wrapped(text, token)
  local file, number, depth, in_comment = token, 1, 0, false
  local lines = { 'extern "C" {', ('#line 1 "%s"'):format(token) }
  local function add(...) for _, line in ipairs { ... } do lines[#lines + 1] = line end end
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local mark = ('#line %d "%s"'):format(number, file)
    local include = not in_comment and line:find "^%s*#%s*include"
    if include and depth == 0 then
      add("}", mark, line, 'extern "C" {', ('#line %d "%s"'):format(number + 1, file))
    else
      add(line)
    end
    local code
    code, in_comment = bare(line, in_comment)
    if not include then depth = depth + count(code, "{") - count(code, "}") end
    local at, name = line:match '^%s*#%s*line%s+(%d+)%s*"?([^"]*)"?'
    number = at and math.tointeger(tonumber(at)) or number + 1
    file = name and name ~= "" and name or file
  end
  add "}"
  return table.concat(lines, "\n") .. "\n"
end

return { wrapped = wrapped }
