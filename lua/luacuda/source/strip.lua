-- strip.lua: takes host code out of CUDA programs: a program is a source with the files that it
-- includes. What is taken out becomes spaces, so lines keep their numbers.

local gnu = require "luacuda.source.gnu"
local chunks = require "luacuda.source.strip_chunks"
local constructors = require "luacuda.source.strip_constructors"
local constants = require "luacuda.source.strip_constants"
local needed = require "luacuda.source.strip_needed"
local tokens = require "luacuda.source.strip_tokens"

local M = {}

local function spaces(text) return (text:gsub("[^\n]", " ")) end

-- strip.new(defines, whole) -> a program without files. `defines` are flags such as "-DN=3"; with
-- `whole` all device functions are kept, because other sources may call them.
function M.new(defines, whole)
  local unit = { chunks = {}, files = {}, macros = {}, namespaces = {}, device = {}, whole = whole,
    touched = {}, staying = {} }
  for word, meaning in pairs(gnu.WORDS) do tokens.define(unit.macros, word .. " " .. meaning) end
  for _, flag in ipairs(defines) do
    local name, value = flag:match "^%-D%s*([%w_]+)=?(.*)$"
    if name then tokens.define(unit.macros, name .. " " .. value) end
  end
  return unit
end

-- strip.add(unit, text, include [, inside]) -> a file of the program, read. Calls
-- include(directive) at each #include that counts; directive.name is what it names, and
-- directive.inside tells that it is inside a declaration, directive.extern_c that it is inside
-- extern "C" { }. directive.file has to be the file that it names before strip.decide. The first
-- file is the main one. With `inside` the file is included in a declaration: it has none of its
-- own, and stays as it is.
function M.add(unit, text, include, inside)
  local file = tokens.read(text, unit.macros, include, unit.files)
  if inside then chunks.add_whole(unit, file) else chunks.add(unit, file) end
  unit.touched[unit.files[1]] = true
  return file
end

-- strip.removed(unit) -> the names of functions and variables that do not stay, as a set
function M.removed(unit)
  local names = {}
  for _, chunk in ipairs(unit.chunks) do
    for _, name in ipairs(chunk.rule == "never" and chunk.names or {}) do
      names[name] = true
    end
  end
  return names
end

-- strip.stays(unit, file): does device code reach anything in a file or in what it includes?
function M.stays(unit, file) return unit.staying[file] == true end

-- strip.decide(unit, words) -> the words that the code which stays mentions, and the names that it
-- declares, as sets. `words` are further words that it has to declare.
function M.decide(unit, words)
  local mentioned, declared = needed(unit, words)
  constants(unit)
  return mentioned, declared
end

-- Directives that code after a function also sees.
local OF_ALL = { define = true, undef = true, line = true, ["if"] = true, ifdef = true,
  ifndef = true, elif = true, elifdef = true, elifndef = true, ["else"] = true, endif = true }
local CONDITIONS = { ["if"] = true, ifdef = true, ifndef = true, elif = true, elifdef = true,
  elifndef = true }

-- The text of a directive that stays. It tests __CUDACC__, which both compilers define, instead of
-- nvcc's __NVCC__: defining that would make CUDA's headers take NVRTC for nvcc.
local function directive_text(directive, text)
  if not CONDITIONS[directive.word] then return text end
  return (text:gsub("%f[%w_]__NVCC__%f[^%w_]", "__CUDACC__"))
end

-- What changes in a file: { first, last, text in place of it or nil for spaces }, in order.
local function edits_of(unit, file)
  local list = {}
  for _, chunk in ipairs(unit.chunks) do
    local inside = chunk.parent and not chunk.parent.kept
    local d = chunk.declaration
    if chunk.tokens == file and not inside then
      local mark = chunk.kept and d.annotated
      local const = chunk.folded and d.marks.const
      if const and file.source:sub(file.first[const], file.last[const]) == "const" then
        list[#list + 1] = { file.first[const], file.last[const], "constexpr" }
      elseif chunk.rule == "declared" and chunk.kept then
        constructors.edits(chunk, function(first, last, text)
          list[#list + 1] = { file.first[first], file.last[last], text }
        end)
      elseif mark then
        local first, last = file.first[mark], file.last[mark]
        list[#list + 1] = { first, last, "__host__ __device__ " .. file.source:sub(first, last) }
      elseif not chunk.kept then
        list[#list + 1] = { file.first[d.first], file.last[d.last] }
      end
    end
  end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  return list
end

-- strip.text(unit, file, included) -> its text without host code. included(directive) gives the
-- text of an #include that stays, or nil for one that does not.
function M.text(unit, file, included)
  local source, out, at = file.source, {}, 1
  local list, k = edits_of(unit, file), 1
  -- copies source up to `stop`, with the edits
  local function copy(stop)
    while at <= stop do
      while list[k] and list[k][2] < at do k = k + 1 end
      local range = list[k]
      local first, last = range and range[1] or stop + 1, range and range[2] or stop
      if first > at then
        last = math.min(first - 1, stop)
        out[#out + 1] = source:sub(at, last)
      else
        last = math.min(last, stop)
        out[#out + 1] = range[3] or spaces(source:sub(at, last))
      end
      at = last + 1
    end
  end
  for _, directive in ipairs(file.directives) do
    copy(directive.first - 1)
    local text = source:sub(directive.first, directive.last)
    while list[k] and list[k][2] < directive.first do k = k + 1 end
    local inside = list[k] and list[k][1] <= directive.first
    if inside and not OF_ALL[directive.word] then text = spaces(text)
    elseif directive.name then
      local stays = included(directive)
      text = stays and stays .. text:gsub("[^\n]", "") or spaces(text)
    else text = directive_text(directive, text)
    end
    out[#out + 1] = text
    at = directive.last + 1
  end
  copy(#source)
  return table.concat(out)
end

return M
