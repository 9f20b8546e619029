-- chunks.lua: the text of the chunk that a function was compiled with, and the functions in it.

local core = require "luacuda.core"
local constants = require "luacuda.jit.read.constants"
local parser = require "luacuda.jit.read.parser"

local M = {}

local parsed = setmetatable({}, { __mode = "v" }) -- text -> functions
local latest -- luacheck: ignore 231 (keeps the functions found last: a file may have many)

-- A file as Lua compiles it: without a mark of its encoding and a first line that begins with "#".
-- Spaces stand for them, so that lines and bytes keep their numbers.
local function without_head(text)
  local bom = text:match "^\xEF\xBB\xBF" or ""
  local first = text:match("^#[^\n]*", #bom + 1) or ""
  local count = #bom + #first
  return (" "):rep(count) .. text:sub(count + 1)
end

-- Is the source of a chunk its text rather than a name that the program gave it?
local function is_text(source) return source:find "[\n ({]" ~= nil end

-- chunks.of(info) -> { text =, path = file or nil, name = as messages show it } for what
-- debug.getinfo(fn, "S") says; or nil and why there is none
function M.of(info)
  local source = info.source
  if source:sub(1, 1) == "@" then
    local path = source:sub(2)
    local bytes, why = core.file_read(path)
    if not bytes then return nil, why end
    return { text = without_head(bytes), path = path, name = path }
  end
  if source:sub(1, 1) == "=" or not is_text(source) then
    return nil, ("its chunk is called '%s', which is not a file"):format(source:gsub("^=", ""), nil)
  end
  return { text = source, name = info.short_src }
end

-- What finding a function needs of its node; the tree itself is not kept.
local function record_of(node)
  local outer = {}
  for name, use in pairs(node.free) do
    if use.var then
      local known, value = constants.of(use.var)
      outer[name] = { attrib = use.var.attrib, is_constant = known, value = value }
    end
  end
  return { first = node.first, last = node.last, params = #node.params, vararg = node.vararg,
    is_method = node.is_method, open = node.open, open_line = node.open_line, to = node.to,
    name = node.name, outer = outer }
end

local function parse(chunk)
  local _, nodes = parser.chunk(chunk.text, chunk.name)
  local list = {}
  for i, node in ipairs(nodes) do list[i] = record_of(node) end
  return list
end

-- chunks.functions(chunk) -> list of the functions in a chunk, in the order of their "("; or nil
-- and the syntax error. Each is { first =, last = (lines that Lua reports), params = how many,
-- vararg =, is_method =, name =, open = index of the "(", open_line = its line, to = index of the
-- last byte, outer = name -> { attrib =, is_constant =, value = } for the variables outside the
-- function that it uses }.
function M.functions(chunk)
  local list = parsed[chunk.text]
  if not list then
    local ok, result = pcall(parse, chunk)
    if not ok then return nil, result end
    list = result
    parsed[chunk.text] = list
  end
  latest = list
  return list
end

return M
