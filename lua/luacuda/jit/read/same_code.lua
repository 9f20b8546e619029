-- same_code.lua: whether a text compiles to the code of a function. The text is compiled alone,
-- after declarations of the variables outside it that the function uses, and the dumps are
-- compared: code, constants, lines and names. They may differ only in where the outer variables
-- are.

local M = {}

M.MOST_UPVALUES = 190                 -- of the 200 variables that a function of Lua may have

-- Names of the upvalues of a function, in order.
local function upvalues_of(fn)
  local names = {}
  repeat
    local name = debug.getupvalue(fn, #names + 1)
    names[#names + 1] = name
  until not name
  return names
end
M.upvalues_of = upvalues_of

local function literal(value)
  if value == math.huge then return "1e999" elseif value == -math.huge then return "-1e999" end
  return ("%q"):format(value)
end

-- Declarations of the constants that the text uses, which are no upvalues.
local function constant_declarations(outer, upvalues, out)
  local is_upvalue = {}
  for _, name in ipairs(upvalues) do is_upvalue[name] = true end
  for name, var in pairs(outer) do
    if var.is_constant and not is_upvalue[name] then
      out[#out + 1] = ("local %s <const> = %s "):format(name, literal(var.value))
    end
  end
end

-- Declarations of the upvalues; `pad` more variables come first, which moves all of them.
local function upvalue_declarations(outer, upvalues, pad, out)
  for _ = 1, pad do out[#out + 1] = ("local %s "):format(upvalues[1]) end
  for _, name in ipairs(upvalues) do
    local attrib = outer[name] and outer[name].attrib
    attrib = attrib and (" <%s>"):format(attrib) or ""
    out[#out + 1] = ("local %s%s = ... "):format(name, attrib)
  end
end

-- code.after_open(text, one) -> the text of a function after its "(", with the parameter that a
-- method has
function M.after_open(text, one)
  local self = not one.is_method and "" or one.params > 1 and "self, " or "self"
  return self .. text:sub(one.open + 1, one.to)
end

local function unused_name(text)
  local name = "f"
  while text:find(name, 1, true) do name = name .. "_" end
  return name
end

-- A program that returns one of the functions in `text`, on the lines where it was.
local function program(text, one, upvalues, pad)
  local out = { ("\n"):rep(one.first - 1) }
  constant_declarations(one.outer, upvalues, out)
  upvalue_declarations(one.outer, upvalues, pad, out)
  local name = unused_name(text)
  out[#out + 1] = ("local %s function %s%s("):format(name, name,
    ("\n"):rep(one.open_line - one.first))
  out[#out + 1] = M.after_open(text, one)
  out[#out + 1] = " return " .. name
  return table.concat(out)
end

local function compile(text, one, upvalues, pad, source)
  local chunk = load(program(text, one, upvalues, pad), source, "t", {})
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

-- code.is_of(fn, text, one, source): does one of the functions in `text`, a chunk called `source`,
-- have the code of `fn`?
function M.is_of(fn, text, one, source)
  local upvalues = upvalues_of(fn)
  if #upvalues > M.MOST_UPVALUES then return false end
  local want, got = string.dump(fn), compile(text, one, upvalues, 0, source)
  if not got or #got ~= #want then return false end
  if #upvalues == 0 then return got == want end
  local moved = compile(text, one, upvalues, 1, source)
  if not moved or #moved ~= #got then return false end
  got, want = masked(got, want, moved)
  return got == want
end

return M
