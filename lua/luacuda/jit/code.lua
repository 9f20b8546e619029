-- code.lua: whether a text compiles to the code of a function. The text is compiled alone, after
-- declarations of the variables outside it that the function uses, and the dumps are compared:
-- code, constants, lines and names. They may differ only in where the outer variables are.

local constants = require "luacuda.jit.constants"

local M = {}

M.MOST_UPVALUES = 190                 -- of the 200 variables that a function of Lua may have

-- Names of the upvalues of a function, in order.
local function upvalues_of(fn)
  local names = {}
  for i = 1, 255 do
    local name = debug.getupvalue(fn, i)
    if not name then break end
    names[i] = name
  end
  return names
end
M.upvalues_of = upvalues_of

local function literal(value)
  if value == math.huge then return "1e999" elseif value == -math.huge then return "-1e999" end
  return ("%q"):format(value)
end

-- Declarations of the constants that the text uses, which are no upvalues.
local function constant_declarations(node, upvalues, out)
  local is_upvalue = {}
  for _, name in ipairs(upvalues) do is_upvalue[name] = true end
  for name, use in pairs(node.free) do
    if use.var and not is_upvalue[name] then
      local known, value = constants.of(use.var)
      if known then out[#out + 1] = ("local %s <const> = %s "):format(name, literal(value)) end
    end
  end
end

-- Declarations of the upvalues; `pad` more variables come first, which moves all of them.
local function upvalue_declarations(node, upvalues, pad, out)
  for _ = 1, pad do out[#out + 1] = ("local %s "):format(upvalues[1]) end
  for _, name in ipairs(upvalues) do
    local var = node.free[name] and node.free[name].var
    local attrib = var and var.attrib and (" <%s>"):format(var.attrib) or ""
    out[#out + 1] = ("local %s%s = ... "):format(name, attrib)
  end
end

local function unused_name(text)
  local name = "f"
  while text:find(name, 1, true) do name = name .. "_" end
  return name
end

-- A program that returns the function of a node in `text`, on the lines where it was.
local function program(text, node, upvalues, pad)
  local out = { ("\n"):rep(node.first - 1) }
  constant_declarations(node, upvalues, out)
  upvalue_declarations(node, upvalues, pad, out)
  local name = unused_name(text)
  out[#out + 1] = ("local %s function %s%s("):format(name, name,
    ("\n"):rep(node.open_line - node.first))
  if node.is_method then out[#out + 1] = #node.params > 1 and "self, " or "self " end
  out[#out + 1] = text:sub(node.open + 1, node.to)
  out[#out + 1] = " return " .. name
  return table.concat(out)
end

local function compile(text, node, upvalues, pad, source)
  local chunk = load(program(text, node, upvalues, pad), source, "t", {})
  return chunk and string.dump(chunk())
end

local MASK = ("\0"):rep(3)

-- The dumps `a` and `b` with zeros where they tell about upvalues: for each upvalue whether it is
-- in the enclosing function, the index there, and its kind. `moved` is `a` compiled with all
-- upvalues moved: it differs from `a` in the indices only.
local function masked(a, b, moved)
  local at = 1
  local parts_a, parts_b = {}, {}
  for i = 1, #a do
    if a:byte(i) ~= moved:byte(i) then
      parts_a[#parts_a + 1], parts_b[#parts_b + 1] = a:sub(at, i - 2), b:sub(at, i - 2)
      parts_a[#parts_a + 1], parts_b[#parts_b + 1] = MASK, MASK
      at = i + 2
    end
  end
  return table.concat(parts_a) .. a:sub(at), table.concat(parts_b) .. b:sub(at)
end

-- code.is_of(fn, text, node, source): does the function of a node in `text`, a chunk called
-- `source`, have the code of `fn`?
function M.is_of(fn, text, node, source)
  local upvalues = upvalues_of(fn)
  if #upvalues > M.MOST_UPVALUES then return false end
  local want, got = string.dump(fn), compile(text, node, upvalues, 0, source)
  if not got or #got ~= #want then return false end
  if #upvalues == 0 then return got == want end
  local moved = compile(text, node, upvalues, 1, source)
  if not moved or #moved ~= #got then return false end
  got, want = masked(got, want, moved)
  return got == want
end

return M
