-- included.lua: the user's own files that a source includes, found without the compiler.

local core = require "luacuda.core"
local folder_of = require("luacuda.compile.target").folder_of
local includes_of = require "luacuda.source.includes"

-- Does a flag include a file, without an #include in the text?
local function includes_file(flag)
  return flag:find "^%-%-?pre%-include" ~= nil or flag:find "^%-%-?include$" ~= nil
    or flag:find "^%-%-?include=" ~= nil
end

-- The folders that the user's own flags add.
local function flag_dirs(flags)
  local dirs = {}
  for i, flag in ipairs(flags) do
    local separate = flag == "-I" or flag:find "^%-%-?include%-path$"
    dirs[#dirs + 1] = flag:match "^%-I(.+)$" or flag:match "^%-%-?include%-path=(.+)$"
      or separate and flags[i + 1] or nil
  end
  return dirs
end

local function search_dirs(spec, quoted_from)
  local dirs = { quoted_from or nil }
  if spec.path then dirs[#dirs + 1] = folder_of(spec.path) end
  for _, dir in ipairs(spec.include_dirs) do dirs[#dirs + 1] = dir end
  for _, dir in ipairs(flag_dirs(spec.flags)) do dirs[#dirs + 1] = dir end
  return dirs
end

-- The headers of CUDA and of CCCL are many and change only with their version: path, size and time
-- of one file stand for a whole folder of them. Returns that file and its stamp; nil for any other
-- folder.
local function toolkit_mark(dir)
  for _, name in ipairs { "cuda_fp16.h", "cuda/std/type_traits" } do
    local size, modified = core.file_stat(dir .. "/" .. name)
    if size then return dir .. "/" .. name, ("%d %.9f"):format(size, modified) end
  end
end

local follow

-- Takes one included file from `dir`. Returns nil where it is not there, else whether something in
-- it cannot be followed.
local function take(spec, dir, name, seen)
  local path = dir .. "/" .. name
  if seen[path] then return false end
  local mark, stamp = toolkit_mark(dir)
  if mark then
    if not core.file_stat(path) then return nil end
    seen[mark] = stamp
    return false
  end
  local bytes = core.file_read(path)
  if not bytes then return nil end
  seen[path] = bytes
  return follow(spec, bytes, path:match "^(.*)/[^/]*$", seen)
end

-- Takes a header that the option `headers` gives as text.
local function take_text(spec, name, seen)
  local key, body = "<" .. name .. ">", spec.headers[name]
  if seen[key] then return false end
  seen[key] = body
  return follow(spec, body, nil, seen)
end

-- Takes an included file from the first folder that has it. A file that no folder has does not
-- belong to the user.
local function take_first(spec, include, from, seen)
  for _, dir in ipairs(search_dirs(spec, include.quoted and from)) do
    local open = take(spec, dir, include.name, seen)
    if open ~= nil then return open end
  end
  return false
end

-- Follows the includes of `text` through the user's own folders. Fills seen[path] = bytes; returns
-- true when something cannot be followed.
function follow(spec, text, from, seen)
  local list, open = includes_of(text)
  for _, include in ipairs(list) do
    local left_open
    if spec.headers[include.name] then left_open = take_text(spec, include.name, seen)
    else left_open = take_first(spec, include, from, seen) end
    open = open or left_open
  end
  return open
end

-- included.of(spec) -> the user's files that the source includes (path -> bytes), and whether
-- they are certainly all
local function of(spec)
  local seen = {}
  local open = follow(spec, spec.text, nil, seen)
  for _, flag in ipairs(spec.flags) do open = open or includes_file(flag) end
  return seen, not open
end

return { of = of, search_dirs = search_dirs, toolkit_mark = toolkit_mark }
