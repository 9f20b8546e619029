-- dependencies.lua: what a result of the compiler depends on: the user's own files that a source
-- includes, and the key under which compiled code is kept.

local core = require "luacuda.core"
local later = require "luacuda.base.later"
local lists = later "luacuda.base.lists"
local included = later "luacuda.compile.included"

local FORMAT = "artifact 10" -- increase the number when the fields of cached values change

-- dependencies.of(spec) -> the user's files that the source includes (path -> bytes), and whether
-- they are certainly all
local function of(spec)
  if #spec.flags == 0 and not spec.text:find("#", 1, true) then return {}, true end
  return included.of(spec)
end

local function add_texts(parts, texts)
  if next(texts) == nil then return end
  for _, name in ipairs(lists.sorted_keys(texts)) do
    parts[#parts + 1] = name
    parts[#parts + 1] = texts[name]
  end
end

-- dependencies.key(spec, flags, names, tools, deps) -> the key of a result of the compiler; names:
-- what it was asked about
local function key(spec, flags, names, tools, deps)
  local parts = { FORMAT, core.version or "", ("%d.%d"):format(tools.major, tools.minor),
    tools.path_stamp, tools.headers_stamp, spec.origin.token,
    spec.extern_c and 'extern "C"' or "",
    spec.host and require "luacuda.compile.strip_stamp"() or "", spec.text,
    table.concat(flags, "\0"), table.concat(names, "\0") }
  add_texts(parts, spec.headers)
  add_texts(parts, deps)
  return core.sha256(table.unpack(parts))
end

return { of = of, key = key }
