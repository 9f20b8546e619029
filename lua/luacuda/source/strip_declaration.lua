-- strip_declaration.lua: reads one declaration of CUDA C++ from tokens (strip_tokens.lua): where it
-- ends, what it declares, and how it is marked. It knows no types, and takes what it cannot read as
-- something without a name.
--
-- Declaration: { first =, last = indices of tokens, names = list,
--   marks = the words before the body (__device__, const, typedef, ...) -> their token,
--   fn = index of the "(" of a function's parameters, body = index of the "{" of its body,
--   qualified = does the function's name follow a "::"?, operator = is it one?,
--   typed = does a word precede its name?, special = token after the "=" of a function,
--   guide = is it a deduction guide?, pointer = has the declaration a "*" or "&"?,
--   key = "struct", "class", "union" or "enum", tag = its name, open = index of its "{",
--   specialized = do template arguments follow the tag?,
--   template = is it one?, own = set of the names in template<...>,
--   explicit = is it an explicit instantiation? }

local tokenizer = require "luacuda.source.tokens"
local types = require "luacuda.source.strip_types"

local is_word = tokenizer.is_word
local after_group, after_angles = types.after_group, types.after_angles

local WITH_ARGUMENTS = { decltype = true, noexcept = true, requires = true, explicit = true,
  typeof = true, __typeof__ = true, throw = true, sizeof = true }
-- Words that may follow the parameters of a function.
local AFTER_PARAMETERS = { const = true, volatile = true, noexcept = true, override = true,
  final = true, try = true, throw = true, requires = true, mutable = true, __attribute__ = true }

local TYPE_WORDS = {}
for word in ([[void bool char short int long float double signed unsigned half auto size_t
  wchar_t]]):gmatch "%S+" do TYPE_WORDS[word] = true end

local function note_names(d, tokens, first, last)
  for i = first, last do
    if is_word(tokens.text[i]) then d.own[tokens.text[i]] = true end
  end
end

local function note_name(d)
  if d.word and not d.fn then d.names[#d.names + 1] = d.word end
  d.word = nil
end

-- Does a token begin a value in parentheses, as in "const float a(2.0f)", and no parameter?
local function begins_value(t) return t ~= nil and (t == "-" or t:find "^%d" ~= nil) end

local OPERATORS = {}
for mark in ("+ - / % | ^ . ?"):gmatch "%S+" do OPERATORS[mark] = true end

-- Are the parentheses at token i the value of a constant, as in "constexpr int a(b / 2);"? The
-- parameters of a function have no operators but in default values, and a body follows.
local function holds_value(d, tokens, i)
  local text, close = tokens.text, tokens.match[i]
  if not (close and d.typed and (d.marks.constexpr or d.marks.const)) then
    return false
  end
  if begins_value(text[i + 1]) then return true end
  if text[close + 1] ~= ";" and text[close + 1] ~= "," then return false end
  for k = i + 1, close - 1 do
    if text[k] == "=" or text[k] == "<" then return false end
    if OPERATORS[text[k]] then return true end
  end
  -- of a word or a product of words
  for k = i + 1, close - 1 do
    if TYPE_WORDS[text[k]] or (text[k] == "*") ~= ((k - i) % 2 == 0) then return false end
  end
  return d.marks.constexpr and is_word(text[close - 1])
end

-- Is the "(" at token i that of a macro that stands for a type, as in "typedef VEC(float, 4) T;"?
local function is_type_macro(d, tokens, i)
  local macro = tokens.macros[tokens.text[i - 1]]
  return macro and macro.call and d.marks.typedef and is_word(tokens.text[after_group(tokens, i)])
end

-- Takes the "(" at token i. Returns the index to go on from.
local function read_parenthesis(d, tokens, i)
  local before = tokens.text[i - 1]
  if d.fn or d.assigned then return after_group(tokens, i) end
  if is_type_macro(d, tokens, i) then return after_group(tokens, i) end
  if holds_value(d, tokens, i) then
    note_name(d)
    return after_group(tokens, i)
  end
  local pointer = not d.operator and types.pointer_name(tokens, i)
  if pointer then
    d.word, d.pointer = pointer, true
    return after_group(tokens, i)
  end
  if d.operator or d.word and (before == d.word or before == ">") then
    d.names[#d.names + 1] = d.word
    d.fn, d.qualified = i, before == d.word and tokens.text[i - 2] == "::"
  end
  return after_group(tokens, i)
end

-- The index of the last token of a function whose body begins at token i, with handlers of its try.
local function body_end(tokens, i, stop)
  local text, last = tokens.text, tokens.match[i]
  while last + 2 < stop and text[last + 1] == "catch" and text[last + 2] == "(" do
    local open = after_group(tokens, last + 2)
    if text[open] ~= "{" or not tokens.match[open] then break end
    last = tokens.match[open]
  end
  return last
end

-- Readers by token: each gets the declaration, the tokens, the index of the token and where to
-- stop, and returns the index to go on from, or nil at the declaration's end.
local readers = {}

readers[";"] = function(d, _, i)
  note_name(d)
  d.last = i
end

readers["}"] = function(d, _, i) d.last = math.max(i - 1, d.first) end

readers["("] = read_parenthesis

readers["["] = function(d, tokens, i)
  if tokens.text[i + 1] ~= "[" then note_name(d) end
  return after_group(tokens, i)
end

readers["{"] = function(d, tokens, i, stop)
  local close = tokens.match[i]
  if not close then return i + 1 end
  if d.fn and not d.assigned then
    d.body, d.last = i, body_end(tokens, i, stop)
    return nil
  end
  if not d.assigned and not d.word and not d.open then
    d.last = close
    return nil
  end
  note_name(d)
  return close + 1
end

readers["="] = function(d, tokens, i)
  if d.fn then d.special = tokens.text[i + 1]
  else
    note_name(d)
    d.assigned = true
  end
  return i + 1
end

readers[","] = function(d, _, i)
  if d.marks.using and d.assigned then return i + 1 end
  note_name(d)
  d.assigned = false
  return i + 1
end

readers[":"] = function(d, tokens, i, stop)
  if d.fn then return types.after_initializers(tokens, i, stop) end
  note_name(d)                                                        -- a bit field
  return i + 1
end

-- Foo(T) -> Foo<T>;
readers["-"] = function(d, tokens, i)
  d.guide = d.fn and not d.typed and tokens.text[i + 1] == ">" or nil
  return i + 1
end

readers["<"] = function(d, tokens, i, stop)
  if d.assigned or not is_word(tokens.text[i - 1]) then return i + 1 end
  return after_angles(tokens, i, stop)
end

readers["*"] = function(d, _, i)
  d.pointer = d.pointer or not d.assigned
  return i + 1
end
readers["&"] = readers["*"]

readers["template"] = function(d, tokens, i, stop)
  if tokens.text[i + 1] ~= "<" then
    d.explicit = true
    return i + 1
  end
  local after = after_angles(tokens, i + 1, stop)
  d.template = true
  note_names(d, tokens, i + 2, after - 2)
  return after
end

readers["operator"] = function(d, tokens, i, stop)
  local k = i + 1
  if tokens.text[k] == "(" then k = after_group(tokens, k) end          -- operator()
  while k < stop and tokens.text[k] ~= "(" and tokens.text[k] ~= ";" do k = k + 1 end
  d.operator, d.word = true, "operator"
  return k
end

-- Takes a word that no reader takes. Returns the index to go on from.
local function read_word(d, tokens, i, stop)
  local t, next_token = tokens.text[i], tokens.text[i + 1]
  if WITH_ARGUMENTS[t] or tokenizer.is_attribute(tokens.text, i) then
    d.marks[t] = true
    return next_token == "(" and after_group(tokens, i + 1) or i + 1
  end
  if types.KEYS[t] and not d.fn and not d.assigned then return types.read(d, tokens, i, stop) end
  if d.assigned then return i + 1 end
  d.typed = d.typed or d.word ~= nil and not d.fn and tokens.text[i - 1] ~= "::"
  d.marks[t] = d.marks[t] or i
  if not d.fn then d.word = t end
  return i + 1
end

-- Did a macro that stands for declarations end before token i, without a ";"?
local function is_call(d, tokens, i)
  local t = tokens.text[i]
  return d.fn and not d.typed and not d.operator and tokens.match[d.fn] == i - 1
    and is_word(t) and not AFTER_PARAMETERS[t]
end

-- read(tokens, i, stop) -> the declaration that begins at token i, before token `stop`
return function(tokens, i, stop)
  local d = { first = i, names = {}, marks = {}, own = {} }
  local start = i
  while i and i < stop do
    local t = tokens.text[i]
    local reader = readers[t]
    if is_call(d, tokens, i) then
      d.last, i = i - 1, nil
    elseif reader then i = reader(d, tokens, i, stop)
    elseif is_word(t) then i = read_word(d, tokens, i, stop)
    else i = i + 1 end
  end
  d.last = math.min(d.last or stop - 1, stop - 1)
  if d.last < start then d.last = start end
  return d
end
