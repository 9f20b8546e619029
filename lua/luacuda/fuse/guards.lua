-- guards.lua: what a fused function depends on: upvalues, globals and fields of tables, of the
-- function and of the functions that it can call. C compares their values at each call.

local core = require "luacuda.core"
local tree = require "luacuda.fuse.tree"

local M = {}

local MOST_FIELDS = 1000                -- fields of tables that are watched as a whole

-- Keys of values ----------------------------------------------------------------------------------

local identities, last_identity = setmetatable({}, { __mode = "k" }), 0

local function identity(v)
  if identities[v] == nil then
    last_identity = last_identity + 1
    identities[v] = last_identity
  end
  return ("%s %d"):format(type(v), identities[v])
end

local function key_of(v)
  if math.type(v) == "float" then return string.pack("<zd", "float", v) end
  if v == nil or type(v) == "boolean" or type(v) == "number" then return tostring(v) end
  return type(v) == "string" and string.pack("<zs8", "string", v) or identity(v)
end

-- Functions of the library ------------------------------------------------------------------------

local HOME = debug.getinfo(1, "S").source:match "^(@.*[/\\])fuse[/\\]"

-- is_open(fn): can the upvalues of a function change what it does? Those of C functions and of this
-- library cannot.
function M.is_open(fn)
  local info = debug.getinfo(fn, "S")
  return info.what ~= "C" and not (HOME and info.source:sub(1, #HOME) == HOME)
end

local LIBRARIES = {}
for _, name in ipairs{ "_G", "string", "table", "math", "os", "io", "utf8", "coroutine", "debug",
  "package" } do
  if package.loaded[name] then LIBRARIES[package.loaded[name]] = true end
end

local function is_library(value)
  local mt = getmetatable(value)
  return LIBRARIES[value] or type(mt) == "table" and mt.__name == "luacuda"
end

local function is_plain(value)
  return type(value) == "table" and core.type(value) == nil and not is_library(value)
end

-- The list ----------------------------------------------------------------------------------------

local look_at

-- Notes a value: of the upvalue or field `number` or `key` of `owner`.
local function note(seen, key, owner, number, field, value)
  local at = seen.count + 1
  seen.count = at
  seen.owners[at], seen.numbers[at], seen.keys[at], seen.values[at] = owner, number, field, value
  if type(value) == "function" then look_at(value, seen, key)
  else key[#key + 1] = key_of(value) end
end

local function note_field(seen, key, owner, name)
  seen.fields[owner] = seen.fields[owner] or {}
  if seen.fields[owner][name] or seen.contents[owner] then return end
  seen.fields[owner][name] = true
  key[#key + 1] = key_of(name)
  note(seen, key, owner, 0, name, tree.field(owner, name))
end

-- Notes all fields of a table and of the tables in it.
local function note_contents(seen, key, value, label)
  if not is_plain(value) or seen.contents[value] then return end
  seen.contents[value] = true
  local copy, words = {}, {}
  for k, v in next, value do
    copy[k] = v
    seen.entries = seen.entries + 1
    if seen.entries > MOST_FIELDS then
      seen.unwatched = label
      return
    end
  end
  for k, v in next, copy do
    local own = {}
    if type(v) == "function" then look_at(v, seen, own) else own[1] = key_of(v) end
    words[#words + 1] = key_of(k) .. "=" .. table.concat(own, "\1")
    if type(v) == "table" then note_contents(seen, key, v, label) end
  end
  table.sort(words)
  key[#key + 1] = table.concat(words, "\1")
  local at = seen.count + 1
  seen.count = at
  seen.owners[at], seen.numbers[at], seen.keys[at], seen.values[at] = value, 0, value, copy
end

-- Uses of names -----------------------------------------------------------------------------------

local function root_of(node)
  while node.kind == "index" or node.kind == "paren" do node = node.object or node.inner end
  return node.kind == "free" and node.name or nil
end

-- The free names that a function assigns, or whose fields it does: it does not depend on these
-- values, but makes them.
local function written_names(node, list)
  if node.kind == "assign" then
    for _, target in ipairs(node.targets) do
      local name = root_of(target)
      if name then list[name] = true end
    end
  end
  tree.each(node, function(child) written_names(child, list) end)
  return list
end

local function known_path(ctx, node)
  if node.kind == "free" then
    local value, is_global = tree.free(ctx.source, node.name)
    if is_global and not ctx.written[node.name] then
      note_field(ctx.seen, ctx.key, tree.environment(ctx.source), node.name)
    end
    return value, node.name
  end
  if node.kind ~= "index" then return nil end
  local from, name = known_path(ctx, node.object)
  local key = tree.constant_key(node)
  if type(from) ~= "table" or core.type(from) ~= nil then return nil end
  if key == nil then
    if not ctx.written[name] then note_contents(ctx.seen, ctx.key, from, name) end
    return nil
  end
  if not is_library(from) and not ctx.written[name] then
    note_field(ctx.seen, ctx.key, from, key)
  end
  return tree.field(from, key), name
end

local visit

local function visit_key(ctx, node)
  while node.kind == "index" do
    visit(ctx, node.key)
    node = node.object
  end
  if node.kind ~= "free" then visit(ctx, node) end
end

-- A value that is used as a whole: what is in a table may count.
local function visit_path(ctx, node)
  local value, name = known_path(ctx, node)
  if not ctx.written[name] then note_contents(ctx.seen, ctx.key, value, name) end
  visit_key(ctx, node)
end

-- A method of an object may come from its metatable.
local function note_method(ctx, node)
  local value, name = known_path(ctx, node.object)
  if is_plain(value) and not ctx.written[name] then
    note_field(ctx.seen, ctx.key, value, node.name)
  end
end

function visit(ctx, node)
  if node.kind == "free" or node.kind == "index" then return visit_path(ctx, node) end
  if node.kind == "method" then note_method(ctx, node) end
  tree.each(node, function(child) visit(ctx, child) end)
end

local function look_at_names(fn, seen, key)
  local source = tree.source_of(fn)
  if not source then return end
  local written = written_names(source.node, {})
  visit({ source = source, seen = seen, key = key, written = written }, source.node.body)
end

-- Functions ---------------------------------------------------------------------------------------

function look_at(fn, seen, key)
  if seen[fn] then
    key[#key + 1] = "function again " .. seen[fn]
    return
  end
  seen.functions = seen.functions + 1
  seen[fn] = seen.functions
  if not M.is_open(fn) then
    key[#key + 1] = identity(fn)
    return
  end
  key[#key + 1] = string.pack("<s8", string.dump(fn, true))
  for k = 1, 255 do
    local name, value = debug.getupvalue(fn, k)
    if not name then break end
    note(seen, key, fn, k, false, value)
  end
  look_at_names(fn, seen, key)
end

-- of(fn, name) -> seen: { owners = functions and tables, numbers = of upvalues, 0 for fields, keys
-- = of fields (the table itself: all its fields), values =, unwatched = name of a table that is too
-- large }, and a text that is equal for functions with the same code that depend on equal values
function M.of(fn, name)
  local seen = { functions = 0, count = 0, entries = 0, owners = {}, numbers = {}, keys = {},
    values = {}, fields = {}, contents = {} }
  local key = { name }
  look_at(fn, seen, key)
  return seen, table.concat(key, "\0"), key[2]
end

return M
