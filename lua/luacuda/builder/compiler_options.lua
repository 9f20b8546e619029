-- compiler_options.lua: the compiler options and macros of the kernel builders.

local fail = require("luacuda.base.arguments").fail
local macros = require "luacuda.builder.macros"

-- The options of cuda.kernel that the builders pass on.
local NAMES = { "flags", "defines", "include_dirs", "headers", "std", "debug", "lineinfo",
  "fast_math", "backend", "cache" }

local function copy(t)
  local own = {}
  for key, value in pairs(t) do own[key] = value end
  return own
end

-- All texts that the user wrote, including the user's files that these texts include.
local function all_texts(spec, texts)
  local list = table.move(texts, 1, #texts, 1, {})
  for _, text in pairs(spec.headers) do list[#list + 1] = text end
  spec.text = table.concat(texts, "\n")
  if spec.text:find "#%s*include" then
    for _, text in pairs((require("luacuda.compile.dependencies").of(spec))) do
      list[#list + 1] = text
    end
  end
  return list
end

-- CuPy's name for flags.
local function rename_options(what, given)
  if given.options == nil then return end
  if given.flags ~= nil then fail(what, "options 'options' and 'flags' mean the same: give one") end
  given.flags, given.options = given.options, nil
end

-- read(what, given, keys) -> the compiler options among `given`, copied once so that all kernels
-- use the same ones even if the caller changes the tables; the macros (macros.lua) that the options
-- and the C++ texts given[key] define; and the texts: { all = given[key], headers and included
-- files, defining = those of them that may define types: the preamble, headers and files }. Raises
-- for wrong options. Renames given.options.
local function read(what, given, keys)
  local options, texts = {}, {}
  rename_options(what, given)
  for _, key in ipairs(NAMES) do
    local value = given[key]
    options[key] = type(value) == "table" and copy(value) or value
  end
  local spec = require("luacuda.source.options").read(what, "void f();", options)
  for _, key in ipairs(keys) do
    texts[#texts + 1] = given[key] ~= nil and tostring(given[key]) or nil
  end
  local defined = table.move(spec.flags, 1, #spec.flags, #spec.defines + 1,
    table.move(spec.defines, 1, #spec.defines, 1, {}))
  options.defines = nil
  local all = all_texts(spec, texts)
  local found, rest = macros.read(defined, all)
  options.flags = rest
  local defining = table.move(all, #texts + 1, #all, 2, { tostring(given.preamble or "") })
  return options, found, { all = all, defining = defining }
end

-- known(...) -> a list of these names and of the compiler options
local function known(...)
  local list = { "options", ... }
  return table.move(NAMES, 1, #NAMES, #list + 1, list)
end

return { read = read, known = known }
