-- strip_tokens.lua: a file of a CUDA program as tokens with their places, for taking host code out
-- of it. Tokens of branches that the compiler certainly skips are left out, macros without
-- parameters are replaced, and brackets are matched across the branches of an #if.

local tokenizer = require "luacuda.source.tokens"

local is_word = tokenizer.is_word

local M = {}

-- Conditions --------------------------------------------------------------------------------------

-- Macros that are certainly defined (the first by strip.PRELUDE), or certainly not.
local DEFINED = { __cplusplus = true, __CUDACC__ = true, __NVCC__ = true, __CUDACC_RTC__ = true,
  __CUDA_ARCH__ = true, __linux__ = true }
for name in ([[_WIN32 WIN32 _WIN64 WIN64 _MSC_VER __APPLE__ MACOSX __MACOSX __QNX__
  __MINGW32__ __CYGWIN__ __ANDROID__]]):gmatch "%S+" do DEFINED[name] = false end

local function negated(value)
  if value == nil then return nil end
  return not value
end

-- The value of one term of a condition: true, false, or nil if it is uncertain.
local function term(word, rest)
  local name = rest:match "^[%a_][%w_]*"
  if word == "ifdef" or word == "elifdef" then return DEFINED[name] end
  if word == "ifndef" or word == "elifndef" then return negated(DEFINED[name]) end
  local text = rest:gsub("%s", "")
  if text == "0" or text == "false" then return false end
  if text == "1" or text == "true" then return true end
  local no, asked = text:match "^(!*)defined%(([%a_][%w_]*)%)$"
  if not asked then no, asked = rest:match "^(!*)%s*defined%s+([%a_][%w_]*)$" end
  if not asked then return nil end
  if #no % 2 == 1 then return negated(DEFINED[asked]) end
  return DEFINED[asked]
end

local function is_balanced(text) return not text:gsub("%b()", ""):find "[()]" end

-- The value of a condition, which may be terms in a row with || or with && between them.
local function condition(word, rest)
  rest = rest:match "^%s*(.-)%s*$"
  while rest:find "^%b()$" do rest = rest:sub(2, -2):match "^%s*(.-)%s*$" end
  local any, all = rest:find("||", 1, true), rest:find("&&", 1, true)
  if (any == nil) == (all == nil) then return term(word, rest) end
  local wins = any ~= nil                       -- the value of a term that decides
  local value = not wins
  for part in rest:gsub(any and "||" or "&&", "\n"):gmatch "[^\n]+" do
    if not is_balanced(part) then return nil end
    local one = term(word, part:match "^%s*(.-)%s*$")
    if one == nil then value = nil end
    if one == wins then return wins end
  end
  return value
end

-- A frame for each open #if: whether the code around it is live, whether some branch was certainly
-- taken, and the brackets that were open before it.
local conditions = {}

local function begin(lexer, word, rest)
  local value = condition(word, rest)
  -- a name that nothing defines, as in an include guard
  local guards = word == "ifndef" or rest:find "^!%s*defined"
  lexer.frame = { outer = lexer.frame, around = lexer.live, taken = value == true,
    open = lexer.open, certain = value == true or value == nil and guards }
  lexer.live = lexer.live and value ~= false
end

conditions["if"], conditions.ifdef, conditions.ifndef = begin, begin, begin

local function next_branch(lexer, word, rest)
  local frame = lexer.frame
  if not frame then return end
  local value = true
  if word ~= "else" then value = condition(word, rest) end
  lexer.live = frame.around and not frame.taken and value ~= false
  frame.certain = false
  frame.taken = frame.taken or value == true
  -- a branch begins with the brackets that were open before the #if
  if lexer.live then lexer.open = frame.open end
end

for _, word in ipairs { "elif", "else", "elifdef", "elifndef" } do
  conditions[word] = next_branch
end

conditions["endif"] = function(lexer)
  local frame = lexer.frame
  if frame then lexer.frame, lexer.live = frame.outer, frame.around end
end

-- Macros ------------------------------------------------------------------------------------------

local function plain_tokens(text) return tokenizer.split(tokenizer.blank(text)) end

local MOST_TOKENS, MOST_BRACES = 400, 9 -- of a macro that is replaced

-- How many more "{" than "}" a macro has, within bounds.
local function braces_of(body)
  local n = 0
  for _, t in ipairs(body) do n = n + (t == "{" and 1 or t == "}" and -1 or 0) end
  return math.max(-MOST_BRACES, math.min(n, MOST_BRACES))
end

local function is_for_device(body)
  for _, t in ipairs(body) do
    if t == "__device__" or t == "__global__" then return true end
  end
  return false
end

-- Which of two definitions of a macro counts if an uncertain condition selects one: the one for the
-- device, else the later one. `others` has the words of those that do not count.
local function chosen(before, macro)
  if not before then return macro end
  if before.text == macro.text then
    before.ended = nil
    return before
  end
  local is_better = is_for_device(before.body) and not is_for_device(macro.body)
  local keeps = not before.ended and (is_better or #macro.body == 0)
  local winner, loser = macro, before
  if keeps then winner, loser = before, macro end
  local files = table.move(before.files, 1, #before.files, 1, {})
  winner.files = table.move(macro.files, 1, #macro.files, #files + 1, files)
  local others = table.move(before.others, 1, #before.others, 1, {})
  winner.ended = nil
  winner.others = table.move(loser.body, 1, #loser.body, #others + 1, others)
  return winner
end

-- strip_tokens.define(macros, text [, file]): "NAME body" or "NAME(parameters) body", as after
-- #define in a file
function M.define(macros, text, file)
  local name, rest = text:match "^([%a_][%w_]*)(.*)$"
  if not name then return end
  local parameters = rest:match "^%b()"
  local body = plain_tokens((rest:sub(#(parameters or "") + 1):gsub("\\\r?\n", " ")))
  macros[name] = chosen(macros[name], { body = body, call = parameters ~= nil, text = rest,
    parameters = parameters, braces = braces_of(body), others = {}, files = { file } })
end

-- Appends the replacement of a macro without parameters, and to `used` the macros in it; false
-- where it is too long.
local function replacement(macros, name, out, hidden, used)
  hidden[name] = true
  used[#used + 1] = name
  for _, t in ipairs(macros[name].body) do
    local inner = is_word(t) and not hidden[t] and macros[t]
    if #out > MOST_TOKENS then return false end
    if inner and not inner.call then
      if not replacement(macros, t, out, hidden, used) then return false end
    else
      out[#out + 1] = t
    end
  end
  hidden[name] = nil
  return true
end

-- Tokens ------------------------------------------------------------------------------------------

local OPENING = { [")"] = "(", ["]"] = "[", ["}"] = "{" }

-- Notes the bracket at token `i` and, where it closes one, which.
local function note_bracket(lexer, i, t)
  local open = lexer.open
  if tokenizer.CLOSING[t] then
    lexer.open = { at = i, mark = t, outer = open }
    return
  end
  local mark = OPENING[t]
  -- a brace closes what is open inside it
  while mark == "{" and open and open.mark ~= "{" do open = open.outer end
  if open and open.mark == mark then
    lexer.match[open.at] = i
    lexer.open = open.outer
  end
end

local function add(lexer, t, first, last)
  local i = #lexer.text + 1
  lexer.text[i], lexer.first[i], lexer.last[i] = t, first, last
  if t == "(" or t == "[" or t == "{" or OPENING[t] then note_bracket(lexer, i, t) end
end

local function add_token(lexer, t, first, last)
  local macro = lexer.macros[t]
  local out, used = {}, {}
  if macro and #macro.others > 0 then lexer.others[#lexer.text + 1] = macro.others end
  if macro and not macro.call and not macro.ended
    and replacement(lexer.macros, t, out, {}, used) then
    lexer.used[#lexer.text + 1] = used
    for _, item in ipairs(out) do add(lexer, item, first, last) end
  else
    -- a macro with parameters stays; the braces that it leaves open or closes count
    local n = macro and macro.call and macro.braces or 0
    for _ = 1, math.abs(n) do add(lexer, n > 0 and "{" or "}", first, last) end
    add(lexer, t, first, last)
  end
end

-- Reads the tokens of text[at] to text[stop], where no directive is.
local function read_code(lexer, text, at, stop)
  at = text:find("%S", at)
  while at and at <= stop do
    local _, last = text:find("^[%a_][%w_]*", at)
    if not last then _, last = text:find("^%d[%w_%.']*", at) end
    if not last then _, last = text:find("^::", at) end
    local literal = not last and text:find("^[\"']", at)
    if literal then
      local _, close = text:find(text:sub(at, at), at + 1, true)
      last = close and close <= stop and close or at
    end
    last = last or at
    add_token(lexer, literal and '"' or text:sub(at, last), at, last)
    at = text:find("%S", last + 1)
  end
end

local function opens_extern_c(text, i) return text[i - 1] == '"' and text[i - 2] == "extern" end

-- Does the "{" at token i open a namespace or extern "C"?
local function opens_scope(text, i)
  if opens_extern_c(text, i) then return true end
  local k = i - 1
  while text[k] == "::" or text[k] == "]" or text[k] == "["
    or is_word(text[k]) and text[k] ~= "namespace" do k = k - 1 end
  return text[k] == "namespace"
end

-- Is the token read last inside certain conditions and include guards only?
local function is_certain(lexer)
  local frame = lexer.frame
  while frame and frame.certain do frame = frame.outer end
  return frame == nil
end

-- Is the end of what was read inside a declaration? Is it inside extern "C"?
local function surroundings(lexer)
  local open, inside, extern_c = lexer.open, false, false
  while open do
    extern_c = extern_c or opens_extern_c(lexer.text, open.at)
    inside = inside or open.mark ~= "{" or not opens_scope(lexer.text, open.at)
    open = open.outer
  end
  return inside, extern_c
end

local function read_directive(lexer, first, last)
  local body = lexer.blanked:sub(first, last)
  local word, at = body:match "^#%s*(%a[%w_]*)()"
  local directive = { first = first, last = last, word = word or "", live = lexer.live }
  lexer.directives[#lexer.directives + 1] = directive
  if not word then return end
  local rest = body:sub(at):gsub("^%s+", "")
  if conditions[word] then conditions[word](lexer, word, rest)
  elseif lexer.live and word == "undef" then
    local macro = lexer.macros[rest:match "^[%a_][%w_]*"]
    if macro then macro.ended = true end       -- its calls are read later
  elseif lexer.live and word == "define" then
    M.define(lexer.macros, lexer.source:sub(first, last):match "^#%s*define%s+(.*)$" or "", lexer)
  elseif lexer.live and (word == "include" or word == "include_next") then
    local name = lexer.source:sub(first, last):match "^#%s*[%a_]+%s*(.-)%s*$"
    local macro = lexer.macros[name:match "^[%a_][%w_]*"]
    directive.name = macro and macro.text:match "^%s*(.-)%s*$" or name
    directive.inside, directive.extern_c = surroundings(lexer)
    directive.certain = is_certain(lexer)
    lexer.include(directive)
  end
end

-- strip_tokens.read(source, macros, include, files) -> { source =,
--   text =, first =, last = lists by token,
--   match = index of a bracket -> index of the one that closes it, directives = list,
--   others = index -> words that other definitions of a macro may have put there,
--   used = index -> names of the macros that the token comes from, macros = macros }
-- Calls include(directive) at each live #include; `macros` and `files` are extended.
function M.read(source, macros, include, files)
  local blanked = tokenizer.blank(source)
  local lexer = { source = source, blanked = blanked, text = {}, first = {}, last = {}, match = {},
    others = {}, used = {}, directives = {}, macros = macros, include = include, live = true }
  files[#files + 1] = lexer
  local at = 1
  while at <= #blanked do
    local line, first = at, nil
    while line <= #blanked and not first do      -- the next line that begins with "#"
      first = blanked:match("^[ \t\r\f\v]*()#", line)
      local feed = not first and blanked:find("\n", line, true)
      line = feed and feed + 1 or #blanked + 1
    end
    if lexer.live then read_code(lexer, blanked, at, (first or #blanked + 1) - 1) end
    if not first then break end
    local last = tokenizer.line_last(blanked, first)
    read_directive(lexer, first, last)
    at = last + 1
  end
  return lexer
end

return M
