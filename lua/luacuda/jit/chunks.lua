-- chunks.lua: the text of the chunk that a function was compiled with, and the functions in it.

local core = require "luacuda.core"
local parser = require "luacuda.jit.parser"

local M = {}

local parsed = setmetatable({}, { __mode = "v" }) -- text -> functions, while something uses them

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

-- chunks.functions(chunk) -> the function nodes in a chunk, in the order of their "("; or nil and
-- the syntax error
function M.functions(chunk)
  local functions = parsed[chunk.text]
  if functions then return functions end
  local ok, _, list = pcall(parser.chunk, chunk.text, chunk.name)
  if not ok then return nil, _ end
  parsed[chunk.text] = list
  return list
end

return M
