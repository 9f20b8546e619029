-- entries.lua: the kernels and variables of a source, by the names that the compiler is asked
-- about. NVRTC resolves a name expression ("&f<float>") to a lowered name ("_Z1fIfEvPT_"). It does
-- not report types: these are read from the lowered name of a carrier, an instance of the empty
-- template luacuda_sig with that type.
--
-- Entry: { name =, expression = name expression,
--   signature = expression for the carrier of its type, kernel = is it a kernel?,
--   asked = did the user name it?, param_names =, param_kinds =,
--   lowered = its lowered name where known in advance, certain = false where it may be overloaded }

local core = require "luacuda.core"
local later = require "luacuda.base.later"
local sorted_keys = require("luacuda.base.lists").sorted_keys
local logs = later "luacuda.source.logs"
local naming = require "luacuda.source.naming"

local M = {}

local PREFIX = "_Z11luacuda_sigI"

-- The text to add to the source.
M.TEXT = '\n#line 1 "luacuda"\ntemplate<class luacuda_T> __global__ void luacuda_sig() {}\n'
  .. "template<class luacuda_T> struct luacuda_value;\n"
  .. "template<class luacuda_T> struct luacuda_value<luacuda_T &> { using type = luacuda_T; };\n"

-- Is it the lowered name of an instance of luacuda_sig?
function M.is_carrier(lowered) return lowered:sub(1, #PREFIX) == PREFIX end

local function carrier(text, ...) return ("luacuda_sig<" .. text .. ">"):format(...) end

-- Planning ----------------------------------------------------------------------------------------

-- The entry of a kernel that a scan of the source found. The compiler accepts an overloaded name as
-- an expression and refuses it where its type is asked for.
local function scanned_entry(kernel, want_signatures)
  local certain = kernel.definitions <= 1
  local signature
  if want_signatures or not certain then signature = carrier("decltype(&%s)", kernel.name) end
  return { name = kernel.name, expression = kernel.name, kernel = true, certain = certain,
    param_names = kernel.param_names, param_kinds = kernel.param_kinds, signature = signature }
end

-- The entry of a kernel that the user named.
local function asked_entry(name, found)
  local plain = name:match "^([%w_:]+)<" or name:match "&([%w_:]+)$" or name
  local scanned = found.by_name[plain]
  return { name = name, expression = name, kernel = true, asked = true,
    param_names = scanned and scanned.param_names,
    param_kinds = scanned and scanned.param_kinds,
    signature = carrier("decltype(%s%s)", name:find "^%(" and "" or "&", name) }
end

-- Some compilers refuse types without a name where types are asked for.
local function variable_entry(name, typeless)
  return { name = name, expression = "&" .. name,
    signature = not typeless and carrier("decltype(%s)", name) or nil }
end

-- entries.plan(spec, found, want_signatures) -> the entries of a source; `found`: what
-- outline.declarations gives.
function M.plan(spec, found, want_signatures)
  local list, seen = {}, {}
  local function add(entry)
    local earlier = seen[entry.name]
    if earlier then
      earlier.asked = earlier.asked or entry.asked
      return
    end
    seen[entry.name] = entry
    list[#list + 1] = entry
  end
  for _, kernel in ipairs(found.kernels) do
    local usable = kernel.definitions <= 1 or found.conditional
    if not kernel.template and usable then add(scanned_entry(kernel, want_signatures)) end
  end
  for _, name in ipairs(spec.instances) do add(asked_entry(name, found)) end
  for _, name in ipairs(found.variables) do
    if found.by_variable[name] == "plain" then add(variable_entry(name, found.typeless[name])) end
  end
  return list
end

-- entries.expressions(list) -> the name expressions for the compiler
function M.expressions(list)
  local expressions = {}
  for _, entry in ipairs(list) do
    if entry.expression then expressions[#expressions + 1] = entry.expression end
    if entry.signature then expressions[#expressions + 1] = entry.signature end
  end
  return expressions
end

-- Names that cannot be resolved -------------------------------------------------------------------

-- Compilers write an expression with spaces of their own.
local function squeezed(expression) return (expression:gsub("%s+", "")) end

-- The expression that a diagnostic is about: in the source line, or in the last message about it
-- where the compiler prints no source lines (NVRTC 12.0).
local function expression_of(d)
  return (d.excerpt[1] or ""):match "nv_mangled_name%s+(.*)$"
    or d.text:match "[Ii]nput name expression was:%s*\"(.*)\"%s*$"
end

-- Line of the name map -> squeezed expression.
local function expressions_by_line(diagnostics)
  local by_line = {}
  for _, d in ipairs(diagnostics) do
    local expression = d.file == "__nv_name_map" and expression_of(d)
    if expression then by_line[d.line] = squeezed(expression) end
  end
  return by_line
end

-- entries.unresolved(text) -> name expressions that the compiler could not resolve (squeezed ->
-- the first reason it gave), and whether the log has other errors
function M.unresolved(text)
  local bad, others = {}, false
  local diagnostics = logs.diagnostics(text)
  local by_line = expressions_by_line(diagnostics)
  for _, d in ipairs(diagnostics) do
    if d.severity:find "error" then
      local expression = d.file == "__nv_name_map" and by_line[d.line]
      if expression then bad[expression] = bad[expression] or d.text
      else others = true end
    end
  end
  return bad, others
end

-- Is a reason only the general message that every unresolved name gets?
local function is_empty_reason(reason)
  return not reason or reason:lower():find("name expression", 1, true) ~= nil
end

-- entries.resolvable(list, bad) -> the entries that can be resolved; the name of one that the user
-- asked for and that cannot be resolved, and why
function M.resolvable(list, bad)
  local kept, missing, why = {}, nil, nil
  for _, entry in ipairs(list) do
    local unnamed = entry.expression and bad[squeezed(entry.expression)]
    local untyped = entry.signature and bad[squeezed(entry.signature)]
    if not unnamed and not (entry.certain == false and untyped) then
      if untyped then entry.signature = nil end
      kept[#kept + 1] = entry
    elseif entry.asked and not missing then
      missing, why = entry.name, is_empty_reason(untyped) and unnamed or untyped
    end
  end
  return kept, missing, why
end

-- Raises for a template that is named without arguments or has no such instance. This error has a
-- name of its own, because after "not found" a module searches elsewhere.
local function fail_instance(spec, name, plain, why)
  local message = ("'%s' is a template: name an instance of it, such as '%s<float>'"):format(plain,
    plain)
  if name ~= plain then
    message = ("the template '%s' has no instance '%s'%s"):format(plain, name,
      is_empty_reason(why) and "" or ": " .. why)
  end
  error(core.error{ kind = "compile", name = "LUACUDA_ERROR_INSTANCE", source = spec.text,
    message = message }, 0)
end

-- entries.fail_missing(spec, name, found [, why]) raises for a kernel that the source does not
-- have.
function M.fail_missing(spec, name, found, why)
  local plain = name:match "^[%w_:]+"
  local scanned = plain and found.by_name[plain]
  if scanned and scanned.template then fail_instance(spec, name, plain, why) end
  local defined = {}
  for _, kernel in ipairs(found.kernels) do
    if kernel.definitions > 0 then defined[#defined + 1] = kernel.name end
  end
  local hint = found.by_name[name] and ", it only declares it" or core.near(name, defined)
  local all = #defined > 0 and table.concat(defined, ", ") or "none that a scan of it finds"
  error(core.error{ kind = "compile", name = "LUACUDA_ERROR_NOT_FOUND", source = spec.text,
    message = ("the source has no kernel '%s'%s (it has: %s)"):format(name, hint, all) }, 0)
end

-- After compiling ---------------------------------------------------------------------------------

-- entries.lowered(entry, result) -> its lowered name, or nil
local function lowered_of(entry, result)
  return entry.lowered or result.lowered[entry.expression]
end
M.lowered = lowered_of

-- entries.lacks_signature(list, result): is the type of an extern "C" kernel missing? Its lowered
-- name does not contain it.
function M.lacks_signature(list, result)
  for _, entry in ipairs(list) do
    local lowered = entry.kernel and not entry.signature and result.lowered[entry.expression]
    if lowered and lowered:sub(1, 2) ~= "_Z" then return true end
  end
  return false
end

-- The lowered names of the variables that the code has in global and constant memory.
local function variables_in(ptx)
  local list = {}
  for line in ptx:gmatch "[^\n]+" do
    local marks, name = line:match "^%s*(%.[%w%.%s(),]-)([%w_$]+)%s*[%[;=]"
    if marks and (marks:find "%.global%f[%s]" or marks:find "%.const%f[%s]") then
      list[#list + 1] = name
    end
  end
  return list
end

-- entries.add_variables(list, result, found): adds entries for managed variables, for which NVRTC
-- takes no name expression, and for instances of variable templates, which no list names. Their
-- names are in the code; their types still have to be requested. Returns true when it added any.
function M.add_variables(list, result, found)
  local known, before = {}, #list
  for _, entry in ipairs(list) do known[lowered_of(entry, result) or ""] = true end
  for _, lowered in ipairs(found.unnamed and variables_in(result.ptx) or {}) do
    local name = naming.normalize(core.kernel_name(lowered):gsub("%(anonymous namespace%)::", ""))
    local kind = found.by_variable[name:gsub("<.*$", "")]
    if kind and kind ~= "plain" and not known[lowered] then
      list[#list + 1] = { name = name, lowered = lowered,
        signature = carrier("luacuda_value<decltype((%s))>::type", name) }
    end
  end
  return #list > before
end

-- Is it a kernel of CUB or Thrust? Their headers have some for host programs, and with nvcc these
-- are in the code of every source that includes them.
local function is_foreign(lowered)
  return lowered:find "^_ZN3cub" ~= nil or lowered:find "^_ZN6thrust" ~= nil
end

-- Kernels in the code that have no entry: defined by a macro, instantiated by the source itself, or
-- declared in a way that the scan does not recognize. name -> lowered name. Overloads share a name
-- and are left out; users select one by a cast.
local function unlisted(list, result)
  local known, kernels, twice = {}, {}, {}
  for _, entry in ipairs(list) do
    local lowered = lowered_of(entry, result) or ""
    known[lowered], twice[entry.name] = true, true
    twice[naming.normalize(core.kernel_name(lowered))] = true
  end
  for _, lowered in ipairs(core.entry_names(result.ptx)) do
    if not known[lowered] and not M.is_carrier(lowered) and not is_foreign(lowered) then
      local name = naming.normalize(core.kernel_name(lowered))
      if kernels[name] then twice[name] = true end
      kernels[name] = lowered
    end
  end
  for name in pairs(twice) do kernels[name] = nil end
  return kernels
end

-- entries.add_unlisted(artifact, list, result): adds kernels that have no entry to the artifact.
-- Where the lowered name does not contain the types, it adds an entry instead and returns true.
function M.add_unlisted(artifact, list, result)
  local kernels, plain = unlisted(list, result), false
  for _, name in ipairs(sorted_keys(kernels)) do
    local lowered = kernels[name]
    if lowered == name then
      plain = true
      list[#list + 1] = { name = name, expression = name, kernel = true,
        signature = carrier("decltype(&%s)", name) }
    else
      artifact.kernels[#artifact.kernels + 1] = { name = name, lowered = lowered }
    end
  end
  return plain
end

return M
