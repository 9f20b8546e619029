-- strip_needed.lua: which declarations of a program device code needs. Device code is kept, and
-- whatever it mentions, and whatever that mentions, over all files of the program.

local dtypes = require "luacuda.base.dtypes"
local constructors = require "luacuda.source.strip_constructors"
local reach = require "luacuda.source.strip_reach"
local tokenizer = require "luacuda.source.tokens"

local is_word = tokenizer.is_word

local KNOWN = {}
for word in ([[alignas alignof auto bool char class const constexpr consteval decltype default
  delete double enum explicit extern false final float for friend if inline int long mutable
  namespace noexcept nullptr NULL operator private protected public return short signed sizeof
  static static_assert struct template this true typedef typename union unsigned using virtual void
  volatile wchar_t char8_t char16_t char32_t size_t ptrdiff_t intptr_t uintptr_t __restrict__
  __align__ __host__ __device__ __inline__ __forceinline__ __int128 half __half2 half2
  nv_bfloat16 dim3 uint ushort ulong cudaTextureObject_t cudaSurfaceObject_t
  cooperative_groups nvcuda]]):gmatch "%S+" do KNOWN[word] = true end
for _, base in ipairs { "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
  "longlong", "ulonglong", "float", "double" } do
  for n = 1, 4 do KNOWN[base .. n] = true end
end
for _, bits in ipairs { 8, 16, 32, 64 } do
  KNOWN["int" .. bits .. "_t"], KNOWN["uint" .. bits .. "_t"] = true, true
end

for _, row in ipairs(dtypes.list) do KNOWN[row.cuda] = true end

local LIBRARIES = { std = true, thrust = true }

-- The name "std::word" at token i, in std or thrust; nil for anything else.
local function library_name(text, i)
  if not LIBRARIES[text[i]] or text[i + 1] ~= "::" or not is_word(text[i + 2]) then return nil end
  return text[i] .. "::" .. text[i + 2]
end

-- Calls found(word, is_member, is_macro) for each word of a chunk that is not in its children, for
-- names in std and thrust as a whole, and for macros that were replaced; is_member: of an object,
-- as in "a.word".
local function each_word(chunk, found)
  local text, d = chunk.tokens.text, chunk.declaration
  local i, next_child = d.first, 1
  while i <= d.last do
    local child = chunk.children[next_child]
    if child and i >= child.declaration.first then
      i, next_child = math.max(i, child.declaration.last + 1), next_child + 1
    else
      local t, before = text[i], text[i - 1]
      if is_word(t) then found(t, before == "." or before == ">" and text[i - 2] == "-") end
      local whole = library_name(text, i)
      if whole then found(whole) end
      for _, word in ipairs(chunk.tokens.others[i] or {}) do
        if is_word(word) then found(word) end
      end
      for _, name in ipairs(chunk.tokens.used[i] or {}) do found(name, false, true) end
      i = i + 1
    end
  end
end

-- The state of a search: chunks by name, words mentioned, chunks still to be read.
local function new_search(unit)
  local search = { unit = unit, by_name = {}, mentioned = {}, of_members = {}, names = {},
    queue = {}, changes = 0 }
  for _, chunk in ipairs(unit.chunks) do
    for _, name in ipairs(chunk.rule ~= "never" and chunk.names or {}) do
      search.by_name[name] = search.by_name[name] or {}
      table.insert(search.by_name[name], chunk)
    end
  end
  return search
end

local mention

-- Keeps a chunk. `reached`: device code needs it.
local function keep(search, chunk, reached)
  if chunk.kept or chunk.rule == "never" then return end
  chunk.kept, search.changes = true, search.changes + 1
  search.queue[#search.queue + 1] = chunk
  if reached then reach.touch(search.unit, chunk.tokens) end
  for _, name in ipairs(chunk.scope) do mention(search, name) end
end

local function by_mention(chunk) return chunk.rule == "named" or chunk.rule == "plain" end

-- The template parameters and names of the classes around a chunk, as a set.
local function names_around(chunk)
  local names, above = {}, chunk.parent
  while above do
    for _, name in ipairs(above.names) do names[name] = true end
    for name in pairs(above.declaration.own) do names[name] = true end
    above = above.parent
  end
  return names
end

-- Can a constructor be declared? Its words must be known, or declared in device code.
local function is_declarable(search, chunk)
  local around = names_around(chunk)
  return constructors.is_declarable(chunk, function(word)
    return KNOWN[word] or around[word] or search.names[word]
  end)
end

-- Is a chunk kept whose parent is?
local function is_kept_inside(search, chunk)
  if chunk.rule == "always" then return true end
  if chunk.rule == "declared" then return is_declarable(search, chunk) end
  if not by_mention(chunk) then return false end
  for _, name in ipairs(chunk.names) do
    if search.mentioned[name] or search.of_members[name] then return true end
  end
  return false
end

-- The words of a macro with parameters stand for its calls.
local function mention_macro(search, word)
  local macro = search.unit.macros[word]
  local body = macro and macro.call and macro.body or {}
  for i, t in ipairs(body) do
    if is_word(t) then mention(search, t) end
    local whole = library_name(body, i)
    if whole then mention(search, whole) end
  end
end

function mention(search, word, of_member)
  local set = of_member and search.of_members or search.mentioned
  if set[word] then return end
  set[word], search.changes = true, search.changes + 1
  for _, chunk in ipairs(search.by_name[word] or {}) do
    local reachable = not of_member or chunk.declaration.qualified
    if chunk.parent then reachable = chunk.parent.kept
    else reachable = reachable and reach.is_open(chunk, search.mentioned) end
    if by_mention(chunk) and reachable then keep(search, chunk, true) end
  end
  reach.touch_macro(search.unit, word)
  mention_macro(search, word)
end

-- Keeps chunks that were mentioned before their namespaces were.
local function keep_opened(search)
  for _, chunk in ipairs(search.unit.chunks) do
    if not chunk.kept and not chunk.parent and #chunk.scope > 0 and by_mention(chunk)
      and reach.is_open(chunk, search.mentioned) then
      for _, name in ipairs(chunk.names) do
        if search.mentioned[name] then keep(search, chunk, true) end
      end
    end
  end
end

-- Using directives in files that device code reaches open their namespaces, and stay where
-- something of these does.
local function keep_using(search)
  local unit = search.unit
  for _, chunk in ipairs(unit.chunks) do
    if chunk.rule == "using" and not chunk.kept and unit.staying[chunk.tokens] then
      if chunk.is_library or reach.has_namespace(unit, chunk.directs) then keep(search, chunk)
      elseif unit.namespaces[chunk.directs[1]] then
        for _, name in ipairs(chunk.directs) do mention(search, name) end
      end
    end
  end
end

local function follow(search)
  while #search.queue > 0 do
    local chunk = table.remove(search.queue)
    for _, name in ipairs(chunk.names) do search.names[name] = true end
    local own = {}
    for _, name in ipairs(chunk.names) do own[name] = true end
    if chunk.rule ~= "declared" then
      each_word(chunk, function(word, of_member)
        if not own[word] then mention(search, word, of_member) end
      end)
    end
    for _, child in ipairs(chunk.children) do
      if is_kept_inside(search, child) then keep(search, child) end
    end
  end
end

-- Plain chunks ------------------------------------------------------------------------------------

-- Are all words of a chunk and of what is kept in it known?
local function is_clean(search, chunk)
  if chunk.has_code then return false end
  local own, clean = {}, true
  for _, name in ipairs(chunk.names) do own[name] = true end
  for name in pairs(chunk.declaration.own or {}) do own[name] = true end
  for above, _ in pairs(chunk.around or {}) do own[above] = true end
  -- a specialization needs the template
  if chunk.declaration.specialized and not search.names[chunk.declaration.tag] then return false end
  each_word(chunk, function(word, _, is_macro)
    clean = clean and (is_macro or own[word] or KNOWN[word] or search.names[word]) ~= nil
  end)
  for _, child in ipairs(chunk.children) do
    if clean and child.rule ~= "never" and child.rule ~= "declared" then
      child.around = own
      clean = is_clean(search, child)
    end
  end
  return clean
end

local function keep_clean(search)
  for _, chunk in ipairs(search.unit.chunks) do
    local parent = chunk.parent
    local open = chunk.rule == "plain" and not chunk.kept and (not parent or parent.kept)
      and search.unit.touched[chunk.tokens]
    if open and is_clean(search, chunk) then keep(search, chunk) end
  end
end

-- An explicit instantiation is kept where the template is.
local function keep_explicit(search)
  for _, chunk in ipairs(search.unit.chunks) do
    if chunk.rule == "explicit" and not chunk.kept then
      for _, name in ipairs(chunk.names) do
        if search.names[name] then keep(search, chunk) end
      end
    end
  end
end

local MOST_ROUNDS = 50

-- strip_needed(unit, words): sets chunk.kept in unit.chunks; `words`: further words that are
-- mentioned. Returns two sets: the words that kept code mentions, and the names that it declares.
return function(unit, words)
  local search = new_search(unit)
  for _, chunk in ipairs(unit.chunks) do
    if chunk.rule == "always" and not chunk.parent then keep(search, chunk, true) end
  end
  for _, word in ipairs(words) do mention(search, word) end
  for _ = 1, MOST_ROUNDS do
    local before = search.changes
    follow(search)
    reach.add_staying(unit)
    keep_using(search)
    keep_opened(search)
    follow(search)
    keep_clean(search)
    keep_explicit(search)
    if search.changes == before then break end
  end
  return search.mentioned, search.names
end
