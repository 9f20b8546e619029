-- outline.lua: finds the kernels, device variables and includes of CUDA C++ text without compiling it. It looks only for
-- what the compiler must be asked about by name; what it misses can still be asked for by name.

-- Is there nothing but blanks before text[at] in its line?
local function first_of_line(text, at)
  repeat at = at - 1 until at == 0 or not text:find("^[ \t\r\f\v]", at)
  return at == 0 or text:sub(at, at) == "\n"
end

-- The text with comments, string contents and (if asked) directives blanked out, same length and lines.
local function blank(text, directives)
  local function spaces(s) return (s:gsub("[^\n]", " ")) end
  local out, at = {}, 1
  while true do
    local first = text:find('[/"\'#]', at)
    if not first then break end
    out[#out + 1] = text:sub(at, first - 1)
    local c, two = text:sub(first, first), text:sub(first, first + 1)
    local stop
    if two == "//" then
      stop = text:find("\n", first, true) or #text + 1
      stop = stop - 1
    elseif two == "/*" then
      local _, last = text:find("*/", first + 2, true)
      stop = last or #text
    elseif c == '"' and text:sub(math.max(first - 1, 1), first - 1) == "R" then
      local mark = text:match('^"([^%(%s]*)%(', first)
      local _, last = text:find(")" .. (mark or "") .. '"', first, true)
      stop = last or #text
    elseif c == '"' or (c == "'" and not text:sub(first - 1, first - 1):find("%x")) then
      stop = first + 1
      while stop <= #text and text:sub(stop, stop) ~= c and text:sub(stop, stop) ~= "\n" do
        stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1)
      end
      out[#out + 1] = c .. spaces(text:sub(first + 1, stop - 1)) .. c
      at = stop + 1
      goto continue
    elseif c == "#" and directives and first_of_line(text, first) then
      stop = first
      repeat
        local line_end = text:find("\n", stop, true) or #text + 1
        local more = text:sub(line_end - 1, line_end - 1) == "\\"
        stop = more and line_end + 1 or line_end - 1
      until not more or stop > #text
      stop = math.min(stop, #text)
    else
      out[#out + 1] = c
      at = first + 1
      goto continue
    end
    out[#out + 1] = spaces(text:sub(first, stop))
    at = stop + 1
    ::continue::
  end
  out[#out + 1] = text:sub(at)
  return table.concat(out)
end

local MARKS = { "__global__", "__constant__", "__device__", "__managed__" }

local function declares_nothing(text)
  for _, mark in ipairs(MARKS) do
    if text:find(mark, 1, true) then return false end
  end
  return true
end

-- Tokens: identifiers, numbers, "::", single marks. With `brief`, braces that nothing is declared in are taken as empty: the
-- bodies of functions are most of a text.
local function tokenize(text, brief)
  local tokens, n, at = {}, 0, text:find("%S")
  while at do
    local _, last = text:find("^[%a_][%w_]*", at)
    if not last then _, last = text:find("^%d[%w_%.]*", at) end
    if not last then _, last = text:find("^::", at) end
    local body = brief and not last and text:match("^%b{}", at)
    if body and declares_nothing(body) then
      tokens[n + 1], tokens[n + 2] = "{", "}"
      n, last = n + 2, at + #body - 1
    else
      last = last or at
      n = n + 1
      tokens[n] = text:sub(at, last)
    end
    at = text:find("%S", last + 1)
  end
  return tokens
end

local CLOSING = { ["("] = ")", ["{"] = "}", ["["] = "]" }

-- Index behind the bracket that closes tokens[i].
local function skip_group(tokens, i)
  local open, close, depth = tokens[i], CLOSING[tokens[i]], 0
  while tokens[i] do
    if tokens[i] == open then depth = depth + 1
    elseif tokens[i] == close then
      depth = depth - 1
      if depth == 0 then return i + 1 end
    end
    i = i + 1
  end
  return i
end

-- Index behind the ">" that closes the "<" at i (brackets inside are skipped whole).
local function skip_angles(tokens, i)
  local depth = 0
  while tokens[i] do
    local t = tokens[i]
    if t == "<" then depth = depth + 1
    elseif t == ">" then
      depth = depth - 1
      if depth == 0 then return i + 1 end
    elseif CLOSING[t] then i = skip_group(tokens, i) - 1
    elseif t == ";" then return i end
    i = i + 1
  end
  return i
end

local TYPE_WORDS = {}
for word in ([[void bool char short int long float double signed unsigned const volatile auto size_t
  int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t]]):gmatch("%S+") do TYPE_WORDS[word] = true end

-- Names of the parameters between tokens[first] = "(" and its end: the last identifier of each, "" for an unnamed one.
local function parameter_names(tokens, first)
  local names, last, depth, count = {}, nil, 0, 0
  local stop = skip_group(tokens, first) - 1
  local frozen, any, only_void = false, false, false
  for i = first + 1, stop do
    local t = tokens[i]
    if (t == "," and depth == 0) or i == stop then
      if any then
        count = count + 1
        names[count] = last and not TYPE_WORDS[last] and last or ""
        only_void = count == 1 and last == "void"
      end
      last, frozen, any = nil, false, false
    else
      any = true
      if t == "<" or CLOSING[t] then depth = depth + 1
      elseif t == ">" or t == ")" or t == "}" or t == "]" then depth = depth - 1
      elseif t == "=" and depth == 0 then frozen = true end
      if t == "[" and depth == 1 then frozen = true end
      if not frozen and depth == 0 and t:find("^[%a_]") then last = t end
      if t == "*" and depth == 1 and tokens[i - 1] == "(" and tokens[i + 1] and tokens[i + 1]:find("^[%a_]") then
        last, frozen = tokens[i + 1], true       -- float (*name)(int)
      end
    end
  end
  return only_void and {} or names
end

local ATTRIBUTES = { __launch_bounds__ = true, __cluster_dims__ = true, __block_size__ = true, __maxnreg__ = true,
                     __attribute__ = true, __align__ = true, alignas = true, __declspec = true }

-- The name in a declarator such as "(*name)(int)", "(*name[2])[3]" or "(Class::*name)()" that begins with the "(" at i; nil
-- where it is something else.
local function pointer_name(tokens, i)
  local stop, star, name = skip_group(tokens, i) - 1, nil, nil
  for k = i + 1, stop - 1 do
    local t = tokens[k]
    if t == "*" then star = true
    elseif CLOSING[t] or t == "," then return star and name
    elseif t:find "^[%a_]" then
      if not star and tokens[k + 1] ~= "::" then return nil end
      name = t
    end
  end
  return star and name
end

-- From tokens[i], a qualifier of a declaration: kind "function" or "variable", its name, index of its "(" or behind its name.
local function declaration(tokens, i)
  local name
  while tokens[i] do
    local t = tokens[i]
    if ATTRIBUTES[t] and tokens[i + 1] == "(" then
      i = skip_group(tokens, i + 1)
    elseif t == "(" then
      local pointer = pointer_name(tokens, i)
      if pointer then return "variable", pointer, skip_group(tokens, i) end
      return name and "function", name, i
    elseif t == ";" or t == "=" or t == "[" or t == "{" or t == "," then
      return name and "variable", name, i
    elseif t == "<" then
      i = skip_angles(tokens, i)
      if tokens[i] == "(" then return nil, nil, i end        -- an explicit specialisation: k<int>(...)
    else
      if t:find("^[%a_]") then name = t end
      i = i + 1
    end
  end
end

local function qualified(scopes, name)
  local parts = {}
  for _, s in ipairs(scopes) do
    if s.namespace and s.namespace ~= "" then parts[#parts + 1] = s.namespace end
  end
  parts[#parts + 1] = name
  return table.concat(parts, "::")
end

-- What the "{" at tokens[i] opens: a namespace ("" for an unnamed one and extern "C"), or something to skip.
local function scope_of(tokens, i)
  if tokens[i - 1] == '"' and tokens[i - 2] == '"' and tokens[i - 3] == "extern" then return { namespace = "" } end
  local j, parts = i - 1, {}
  while tokens[j] and (tokens[j]:find("^[%a_]") or tokens[j] == "::") and tokens[j] ~= "namespace" do
    table.insert(parts, 1, tokens[j])
    j = j - 1
  end
  if tokens[j] ~= "namespace" then return nil end
  local name = table.concat(parts):gsub("^inline", "")
  return { namespace = name }
end

local function add_function(found, scopes, name, tokens, paren, template)
  local after = skip_group(tokens, paren)
  local full = qualified(scopes, name)
  local entry = found.by_name[full]
  local defined = tokens[after] ~= ";"
  if not entry then
    entry = { name = full, definitions = 0, template = template }
    found.by_name[full] = entry
    found.kernels[#found.kernels + 1] = entry
  end
  local names = parameter_names(tokens, paren)
  if entry.definitions == 0 then entry.param_names = names
  elseif defined and table.concat(names, ",") ~= table.concat(entry.param_names or {}, ",") then entry.param_names = nil end
  if defined then entry.definitions = entry.definitions + 1 end
end

local function add_variable(found, scopes, name, kind)
  local full = qualified(scopes, name)
  if found.by_variable[full] then return end
  found.by_variable[full] = kind
  found.unnamed = found.unnamed or kind ~= "plain"
  found.variables[#found.variables + 1] = full
end

-- Adds the variables of a declaration from tokens[first] on, of which the first is `name`, its place ending before tokens[i].
-- Returns the index of the ";".
local function add_variables(found, scopes, name, tokens, first, i, kind)
  for j = first, i - 1 do
    if tokens[j] == "__managed__" and kind == "plain" then kind = "managed" end
  end
  local open = false                                     -- between a "," and the end of the next name
  add_variable(found, scopes, name, kind)
  while tokens[i] and tokens[i] ~= ";" do
    local t, step = tokens[i], i + 1
    if open and t:find "^[=%[{(]" or t == "," then
      if open and name then add_variable(found, scopes, name, kind) end
      name, open = nil, t == ","
    elseif open and t:find "^[%a_]" then name = t end
    if CLOSING[t] then step = skip_group(tokens, i) end
    i = step
  end
  if open and name then add_variable(found, scopes, name, kind) end
  return i
end

-- scan.declarations(text [, found]) -> { kernels = { { name, template, definitions, param_names } }, variables = { name },
--                              by_variable = { name = "plain", "managed" or "template" }, unnamed = are there any not plain?
--                              extern_c = bool, device_variables = bool, conditional = bool }
-- Names carry their namespaces. Templates are listed with template = true. What has definitions > 1 is overloaded, or
-- (when conditional, there being an #if) has one definition per branch. What `found` holds already stays.
local function declarations(text, found)
  found = found or { kernels = {}, variables = {}, by_name = {}, by_variable = {}, extern_c = false, device_variables = false,
    conditional = false }
  if declares_nothing(text) then return found end
  found.conditional = found.conditional or text:find("#%s*if") ~= nil
  local tokens = tokenize(blank(text, true), true)
  local scopes, i, template, external = {}, 1, false, false
  while tokens[i] do
    local t, step = tokens[i], i + 1
    if t == "template" and tokens[i + 1] == "<" then
      template, step = true, skip_angles(tokens, i + 1)
    elseif t == "extern" then
      external = tokens[i + 1] ~= '"'
      if not external then found.extern_c = true end
    elseif t == "__global__" then
      local kind, name, at = declaration(tokens, i + 1)
      if kind == "function" then
        add_function(found, scopes, name, tokens, at, template)
        step = skip_group(tokens, at)
        template = false
      end
    elseif t == "__constant__" or t == "__device__" or t == "__managed__" then
      local kind, name, at = declaration(tokens, i + 1)
      if kind == "variable" and not external then
        found.device_variables = true
        step = add_variables(found, scopes, name, tokens, i, at, template and "template" or "plain")
      elseif at then
        step = at
      end
    elseif t == "{" then
      local scope = scope_of(tokens, i)
      if scope then scopes[#scopes + 1] = scope
      else
        for j = i, skip_group(tokens, i) - 1 do
          if tokens[j] == "__constant__" or tokens[j] == "__managed__"
            or tokens[j] == "__device__" and declaration(tokens, j + 1) == "variable" then found.device_variables = true end
        end
        step = skip_group(tokens, i)
      end
      template, external = false, false
    elseif t == "}" then
      scopes[#scopes] = nil
      template, external = false, false
    elseif t == ";" then
      template, external = false, false
    end
    i = step
  end
  return found
end

-- Fields of structs ---------------------------------------------------------------------------------------------------

local NO_FIELD = { static = true, using = true, typedef = true, friend = true, template = true }
local NOT_PLAIN = { virtual = true, private = true, protected = true }
local TYPE_KEYS = { struct = true, class = true, union = true, enum = true }

-- Index behind the member at tokens[i] that takes no room: up to its ";", or behind the body of a function.
local function skip_member(tokens, i, stop)
  while i < stop and tokens[i] ~= ";" do
    if tokens[i] == "{" then
      i = skip_group(tokens, i)
      return tokens[i] == ";" and i + 1 or i
    end
    i = CLOSING[tokens[i]] and skip_group(tokens, i) or i + 1
  end
  return i + 1
end

-- What the "struct", "class", "union" or "enum" at tokens[i] begins: its key, name or nil, index of the "{" of its definition
-- (nil where it only names a type), index behind its name or attributes, and whether it has bases.
local function type_head(tokens, i)
  local key, name = tokens[i], nil
  i = i + 1
  if key == "enum" and TYPE_KEYS[tokens[i]] then i = i + 1 end
  while ATTRIBUTES[tokens[i]] and tokens[i + 1] == "(" do i = skip_group(tokens, i + 1) end
  if tokens[i] and tokens[i]:find "^[%a_]" then name, i = tokens[i], i + 1 end
  local open = i
  if tokens[open] == "final" then open = open + 1 end
  if tokens[open] == ":" then
    repeat open = open + 1 until not tokens[open] or tokens[open] == "{" or tokens[open] == ";"
  end
  return key, name, tokens[open] == "{" and open or nil, i, open > i and tokens[open - 1] ~= "final"
end

local field_names

-- A type in front of members, at tokens[i]: index behind it; the fields of a struct that is defined there and cannot be named,
-- being without a name or, `hidden`, inside one without; whether it is a union without a name.
local function member_type(tokens, i, hidden)
  local key, name, open, behind, has_bases = type_head(tokens, i)
  if not open then return behind end
  local fields
  if (key == "struct" or key == "class") and (hidden or not name) then
    fields = not has_bases and field_names(tokens, open, true) or { inner = {} }
  end
  return skip_group(tokens, open), fields, not name and key ~= "enum", not name and key == "union"
end

-- The declarators of the member at tokens[i]: list of names, index behind its ";"; "function" for a member function; nil when
-- it is something whose fields cannot be told. `inner` gets the fields of structs that cannot be named, by what is declared with them.
local function member_names(tokens, i, stop, inner, hidden)
  local names, name, frozen, fields, joins, in_union = {}, nil, false, nil, false, false
  while tokens[i] ~= ";" do
    local t, step = tokens[i], i + 1
    if i >= stop or t == ":" or NOT_PLAIN[t] then return nil end    -- a bit field
    if ATTRIBUTES[t] and tokens[i + 1] == "(" then step = skip_group(tokens, i + 1)
    elseif TYPE_KEYS[t] and not frozen then step, fields, joins, in_union = member_type(tokens, i, hidden)
    elseif t == "operator" then return "function"
    elseif t == "(" then
      local pointer = not frozen and pointer_name(tokens, i)
      if not frozen and not pointer then return name and tokens[i + 1] ~= "*" and "function" or nil end
      name, frozen, step = pointer or name, true, skip_group(tokens, i)
    elseif t == "{" or t == "[" then step = skip_group(tokens, i)
    elseif t == "<" and not frozen then step = skip_angles(tokens, i)
    elseif t == "=" then frozen = true
    elseif t == "," then
      names[#names + 1] = name
      name, frozen = nil, false
    elseif not frozen and t:find("^[%a_]") then name = t end
    i = step
  end
  names[#names + 1] = name
  if #names == 0 and in_union then return nil end                  -- its members are members here, one over the other
  if #names == 0 and joins then return #fields > 0 and fields or nil, i + 1 end       -- its fields are fields here
  for _, field in ipairs(names) do inner[field] = fields end
  return names, i + 1
end

-- Names declared between tokens[i] = "{" and its end as fields; nil when something else than plain fields and functions
-- stands there.
function field_names(tokens, i, hidden)
  local names, stop = { inner = {} }, skip_group(tokens, i) - 1
  i = i + 1
  while i < stop do
    if tokens[i] == "public" and tokens[i + 1] == ":" then i = i + 2
    elseif NO_FIELD[tokens[i]] then i = skip_member(tokens, i, stop)
    else
      local member, after = member_names(tokens, i, stop, names.inner, hidden)
      if not member then return nil end
      if member == "function" then i = skip_member(tokens, i, stop)
      else
        table.move(member, 1, #member, #names + 1, names)
        for field, fields in pairs(member.inner or {}) do names.inner[field] = fields end
        i = after
      end
    end
  end
  return names
end

-- Calls found(name, i) for each struct and class that is defined from tokens[first] to tokens[last], with the scopes around
-- it in its name; tokens[i] is its "{".
local function each_struct(tokens, first, last, scope, found)
  local i = first
  while i <= last and tokens[i] do
    local t, step = tokens[i], i + 1
    if t == "struct" or t == "class" then
      local _, name, open, behind, has_bases = type_head(tokens, i)
      step = behind
      if open then
        step = skip_group(tokens, open)
        local last_name = tokens[step] and tokens[step]:match "^[%a_].*"                -- typedef struct { ... } Name;
        local full = scope .. (name or last_name or "")
        if not has_bases then found(full, open) end
        each_struct(tokens, open + 1, step - 2, full .. "::", found)
      end
    elseif t == "{" then
      local opened, behind = scope_of(tokens, i), skip_group(tokens, i)
      local inside = opened and opened.namespace ~= "" and opened.namespace .. "::" or ""
      each_struct(tokens, i + 1, behind - 2, scope .. inside, found)
      step = behind
    end
    i = step
  end
end

-- scan.fields(text, class) -> names of the fields of a struct, in order, and in `inner` the same lists for fields whose
-- structs cannot be named; nil when it is not found or is no plain aggregate. A struct with the whole name is taken before one
-- with the same last name.
local function fields(text, class)
  local tokens = tokenize(blank(text, true))
  local whole = class:gsub("%b<>", "")
  local plain, best = whole:match("([%w_]+)$"), nil
  if not plain then return nil end
  each_struct(tokens, 1, #tokens, "", function(name, open)
    if name == whole then best = best and best.whole and best or { open = open, whole = true }
    elseif name:match("([%w_]+)$") == plain then best = best or { open = open } end
  end)
  return best and field_names(tokens, best.open)
end

-- scan.includes(text) -> list of { name =, quoted = } and true when some include or __has_include cannot be told from the text.
local function includes(text)
  local list, open = {}, false
  for line in (text:gsub("\\\r?\n", " ") .. "\n"):gmatch("(.-)\r?\n") do
    local rest = line:match("^%s*#%s*include%s*(.*)$") or line:match("^%s*#%s*include_next%s*(.*)$")
    if rest then
      local quoted, angled = rest:match('^"([^"]+)"'), rest:match("^<([^>]+)>")
      if quoted or angled then list[#list + 1] = { name = quoted or angled, quoted = quoted ~= nil } else open = true end
    elseif line:find("__has_include", 1, true) or line:match("^%s*#%s*embed") then
      open = true
    end
  end
  return list, open
end

return { declarations = declarations, includes = includes, fields = fields }
