-- compile.lua: from a description of source and options (options.lua) to an artifact: code, names and signatures, taken
-- from memory, from disk, or made by the compiler.

local core = require "luacuda.core"
local cache = require "luacuda.compile.cache"
local options = require "luacuda.source.options"
local outline = require "luacuda.source.outline"
local sorted_keys = require("luacuda.base.lists").sorted_keys
local source = require "luacuda.source.origin"
local toolchain = require "luacuda.compile.toolchain"

local FORMAT = "artifact 7"
local SIGNATURE_PREFIX = "_Z11luacuda_sigI"
local SIGNATURE_TEXT = '\n#line 1 "luacuda"\ntemplate<class luacuda_T> __global__ void luacuda_sig() {}\n'
  .. "template<class luacuda_T> struct luacuda_value;\n"
  .. "template<class luacuda_T> struct luacuda_value<luacuda_T &> { using type = luacuda_T; };\n"
-- A kernel template takes no type without a name: in fields of such types luacuda_inner stands for it.
local LAYOUT_TEXT = [[

#line 1 "luacuda"
template<class T, unsigned long... N> __global__ void luacuda_lay() {}
struct luacuda_inner;
template<class T> struct luacuda_unnamed { typedef T type; typedef luacuda_inner shape; };
template<class T, unsigned long N> struct luacuda_unnamed<T[N]> {
  typedef typename luacuda_unnamed<T>::type type; typedef typename luacuda_unnamed<T>::shape shape[N];
};
]]

-- Flags -----------------------------------------------------------------------------------------------------------

local function flags_for(spec, target, n)
  local flags = { "--gpu-architecture=" .. (target.kind == "cubin" and "sm_" or "compute_") .. target.arch }
  local function add(...) for _, f in ipairs { ... } do flags[#flags + 1] = f end end
  if spec.std then add("-std=" .. spec.std) end
  if spec.debug then add("--device-debug") elseif spec.lineinfo then add("--generate-line-info") end
  if spec.fast_math then add("--use_fast_math") end
  if spec.rdc then add("--relocatable-device-code=true") end
  add(table.unpack(spec.defines))
  if spec.path then add("-I" .. (spec.path:match("^(.*)/[^/]*$") or ".")) end
  for _, dir in ipairs(spec.include_dirs) do add("-I" .. dir) end
  if n.include_dir ~= "" then add("-I" .. n.include_dir) end
  if n.cccl_dir ~= "" then add("-I" .. n.cccl_dir) end
  add(table.unpack(spec.flags))
  return flags
end

-- "90a" for the option arch = "sm_90a" or "compute_90a"; nil where it is left to the device.
local function arch_number(spec)
  return spec and spec.arch and spec.arch:match "^%l+_(%d+%l?)$"
end

-- Raises for an architecture that NVRTC has no code for: its own words are about the flag that we make of it.
local function check_arch(spec)
  local number, archs = arch_number(spec), toolchain.known().archs
  if not number or #archs == 0 then return end
  for _, known in ipairs(archs) do
    if known == tonumber(number:match "%d+") then return end
  end
  error(core.error{ kind = "compile", name = "LUACUDA_ERROR_UNSUPPORTED",
    message = ("arch '%s': this NVRTC makes no code for it (it knows %s)"):format(spec.arch, table.concat(archs, " ")) }, 0)
end

-- Does machine code for `arch` ("sm_86"; anything else is none) run on a device of compute capability `cc`? That of the same
-- major and no later minor version does, "sm_90a" on 9.0 alone.
local function runs_machine_code(cc, arch)
  local number, only = (arch or ""):match "^sm_(%d+)(a?)"
  number = tonumber(number)
  if not number then return true end
  return number == cc or (only == "" and number // 10 == cc // 10 and number < cc)
end

-- What a device needs: its own machine code where NVRTC can make it, else PTX for the newest architecture below it. Relocatable
-- machine code would have to be linked; relocatable PTX the driver links when it translates it.
local function target(device, spec)
  check_arch(spec)
  local machine_code = device.kind ~= "cpu" and not (spec and spec.rdc)
  local number = arch_number(spec)
  if number then return { kind = machine_code and spec.arch:find "^sm_" and "cubin" or "ptx", arch = number } end
  local cc, best = device.cc, nil
  local archs = toolchain.known().archs
  for _, known in ipairs(archs) do
    if known == cc and machine_code then return { kind = "cubin", arch = tostring(cc) } end
    if known <= cc then best = known end
  end
  if not best then
    error(core.error{ kind = "compile", name = "LUACUDA_ERROR_UNSUPPORTED",
      message = ("this NVRTC makes no code for compute capability %d.%d (it knows %s)"):format(cc // 10, cc % 10,
        table.concat(archs, " ")) }, 0)
  end
  return { kind = "ptx", arch = tostring(best) }
end

-- Keys ------------------------------------------------------------------------------------------------------------

-- The folders that the user's own flags add, and whether a flag includes a file by itself.
local function flag_dirs(flags)
  local dirs, includes = {}, false
  for i, flag in ipairs(flags) do
    local dir = flag:match("^%-I(.+)$") or flag:match("^%-%-?include%-path=(.+)$")
      or (flag == "-I" or flag:find("^%-%-?include%-path$")) and flags[i + 1]
    if dir then dirs[#dirs + 1] = dir end
    includes = includes or flag:find("^%-%-?pre%-include") ~= nil or flag:find("^%-%-?include$") ~= nil
      or flag:find("^%-%-?include=") ~= nil
  end
  return dirs, includes
end

local function search_dirs(spec, quoted_from)
  local dirs = {}
  if quoted_from then dirs[1] = quoted_from end
  if spec.path then dirs[#dirs + 1] = spec.path:match("^(.*)/[^/]*$") or "." end
  for _, dir in ipairs(spec.include_dirs) do dirs[#dirs + 1] = dir end
  return table.move(flag_dirs(spec.flags), 1, #spec.flags, #dirs + 1, dirs)
end

-- CUDA's own headers and CCCL's change only with their version, and are many: place, size and time of one file stand for a
-- folder of theirs. Returns that file and its stamp, or nil for any other folder.
local function toolkit_mark(dir)
  for _, name in ipairs { "cuda_fp16.h", "cuda/std/type_traits" } do
    local size, modified = core.file_stat(dir .. "/" .. name)
    if size then return dir .. "/" .. name, ("%d %.9f"):format(size, modified) end
  end
end

local follow

-- Takes one included file from `dir`: nil when it is not there, else whether something in it cannot be followed.
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
  return follow(spec, bytes, path:match("^(.*)/[^/]*$"), seen)
end

-- Follows the includes of `text` through the user's own directories. Fills seen[path] = bytes; returns true when something
-- cannot be followed.
function follow(spec, text, from, seen)
  local list, open = outline.includes(text)
  for _, include in ipairs(list) do
    local body = spec.headers[include.name]
    if body then
      if not seen["<" .. include.name .. ">"] then
        seen["<" .. include.name .. ">"] = body
        open = follow(spec, body, nil, seen) or open
      end
    else
      for _, dir in ipairs(search_dirs(spec, include.quoted and from)) do
        local left_open = take(spec, dir, include.name, seen)
        if left_open ~= nil then
          open = open or left_open
          break
        end
      end
    end
  end
  return open
end

-- The user's files this source includes (path -> bytes), and whether all of them could be told.
local function dependencies(spec)
  local seen = {}
  local open = follow(spec, spec.text, nil, seen)
  local _, by_flag = flag_dirs(spec.flags)
  return seen, not (open or by_flag)
end

-- compile.included(spec) -> the texts of the user's own files that spec.text includes, by path.
local function included(spec) return (dependencies(spec)) end

-- What the source and the user's own headers declare.
local function declared(spec, deps)
  local found = outline.declarations(spec.text)
  for _, path in ipairs(sorted_keys(deps)) do outline.declarations(deps[path], found) end
  return found
end

local function key_for(spec, flags, expressions, n, deps)
  local parts = { FORMAT, core.version or "", ("%d.%d"):format(n.major, n.minor), n.path_stamp, n.headers_stamp,
    spec.origin.token, spec.text, table.concat(flags, "\0"), table.concat(expressions, "\0") }
  for _, name in ipairs(sorted_keys(spec.headers)) do
    parts[#parts + 1] = name
    parts[#parts + 1] = spec.headers[name]
  end
  for _, path in ipairs(sorted_keys(deps)) do
    parts[#parts + 1] = path
    parts[#parts + 1] = deps[path]
  end
  return core.sha256(table.unpack(parts))
end

-- Compiling -------------------------------------------------------------------------------------------------------

local function header_lists(spec)
  local names, texts = {}, {}
  local function add(name, text)
    names[#names + 1], texts[#texts + 1] = name, text
  end
  for _, name in ipairs(sorted_keys(spec.headers)) do add(name, spec.headers[name]) end
  for name, text in pairs(require "luacuda.compile.headers") do
    if not spec.headers[name] then add(name, text) end
  end
  return names, texts
end

local function run_compiler(spec, flags, expressions, text, want)
  local names, texts = header_lists(spec)
  return core.compile{ source = text, name = spec.origin.token, options = flags, header_names = names, header_texts = texts,
    expressions = expressions, ptx = true, [want] = true }
end

local function raise_compile_error(spec, flags, log)
  local readable = source.readable_log(log)
  if #source.diagnostics(log) == 0 then readable = readable .. "\nthe options were: " .. table.concat(flags, " ") end
  error(core.error{ kind = "compile", name = "NVRTC_ERROR_COMPILATION", call = "nvrtcCompileProgram", message = readable,
    log = source.map_message(log), source = spec.text, flags = flags }, 0)
end

-- The name of a variable that PTX declares and does not define, or nil.
local function undefined_variable(ptx)
  for _, space in ipairs { "global", "const" } do
    local name = ptx:match("\n%s*%.extern%s+%." .. space .. "%s[^;]-([%w_$]+)[%d%[%]]*;")
    if name then return name end
  end
end

-- Modules are loaded without a linker. Drivers accept a variable that is only declared; a kernel would use a wild address.
local function check_defined(spec, flags, ptx)
  local name = undefined_variable(ptx)
  if not name then return end
  local message = ("the code uses the variable '%s', which is declared and not defined"):format(core.kernel_name(name))
  error(core.error{ kind = "compile", name = "NVRTC_ERROR_COMPILATION", message = message, log = message, source = spec.text,
    flags = flags }, 0)
end

-- Name expressions that the compiler could not resolve (each with the first reason it gave), and whether there are other errors.
local function bad_expressions(log)
  local bad, count, others = {}, 0, false
  for _, d in ipairs(source.diagnostics(log)) do
    if d.severity:find("error") then
      local expression = d.file == "__nv_name_map" and (d.excerpt[1] or ""):match("nv_mangled_name%s+(.*)$")
      if expression then
        if not bad[expression] then
          bad[expression] = d.text
          count = count + 1
        end
      else others = true end
    end
  end
  return bad, count, others
end

-- The entries asked about: { name =, expression =, kernel = bool, signature = expression or nil, asked = bool }.
local function plan(spec, found, want_signatures)
  local list, seen = {}, {}
  local function add(name, entry)
    if seen[name] then
      seen[name].asked = seen[name].asked or entry.asked
      return
    end
    seen[name] = entry
    entry.name = name
    list[#list + 1] = entry
  end
  for _, k in ipairs(found.kernels) do
    if not k.template and (k.definitions <= 1 or found.conditional) then
      local certain = k.definitions <= 1        -- an expression takes any of several overloads, its type is refused
      add(k.name, { expression = k.name, kernel = true, param_names = k.param_names, certain = certain,
        signature = (want_signatures or not certain) and ("luacuda_sig<decltype(&%s)>"):format(k.name) or nil })
    end
  end
  for _, name in ipairs(spec.instances) do
    local plain = name:match("^([%w_:]+)<") or name:match("&([%w_:]+)$") or name
    local scanned = found.by_name[plain]
    add(name, { expression = name, kernel = true, asked = true, param_names = scanned and scanned.param_names,
      signature = ("luacuda_sig<decltype(%s%s)>"):format(name:find("^%(") and "" or "&", name) })
  end
  for _, name in ipairs(found.variables) do
    if found.by_variable[name] == "plain" then
      add(name, { expression = "&" .. name, signature = ("luacuda_sig<decltype(%s)>"):format(name) })
    end
  end
  return list
end

local function lowered_of(entry, result) return entry.lowered or result.lowered[entry.expression] end

local function expressions_of(entries)
  local list = {}
  for _, e in ipairs(entries) do
    if e.expression then list[#list + 1] = e.expression end
    if e.signature then list[#list + 1] = e.signature end
  end
  return list
end

-- What every name that cannot be resolved gets as its last message.
local function says_nothing(reason) return not reason or reason:lower():find("name expression", 1, true) end

-- Drops what cannot be named; an entry the user asked for by name is kept out of the list and reported: its name and why.
local function drop_bad(entries, bad)
  local kept, missing, why = {}, nil, nil
  for _, e in ipairs(entries) do
    if e.expression and bad[e.expression] or (e.certain == false and bad[e.signature]) then
      if e.asked and not missing then
        missing, why = e.name, says_nothing(bad[e.signature]) and bad[e.expression] or bad[e.signature]
      end
    else
      if e.signature and bad[e.signature] then e.signature = nil end
      kept[#kept + 1] = e
    end
  end
  return kept, missing, why
end

-- Signatures and types are kept as the whole names of what carries them: the carrier's own name is the first thing that the
-- abbreviations in them ("S_", "S0_") count.
-- The kernels that have a body: lowered name -> true. What is declared alone has a name, too.
local function defined_kernels(result)
  local set = {}
  for _, lowered in ipairs(core.entry_names(result.ptx)) do set[lowered] = true end
  return set
end

local function artifact_of(goal, entries, result, found, flags)
  local defined = defined_kernels(result)
  local a = { kind = goal.kind, arch = tonumber(tostring(goal.arch):match("%d+")), code = result[goal.kind], log = result.log,
    flags = flags, has_variables = found.device_variables, kernels = {}, variables = {}, overloaded = {} }
  for _, k in ipairs(found.kernels) do a.overloaded[k.name] = k.definitions > 1 and not k.template or nil end
  for _, e in ipairs(entries) do
    local lowered = lowered_of(e, result)
    local type_ = e.signature and result.lowered[e.signature]
    if lowered and e.kernel and defined[lowered] then
      a.kernels[#a.kernels + 1] = { name = e.name, lowered = lowered, signature = type_, param_names = e.param_names }
    elseif lowered and not e.kernel then
      a.variables[#a.variables + 1] = { name = e.name, lowered = lowered, type = type_ }
    end
  end
  return a
end

-- Kernels in the code that no entry stands for: made by a macro, instantiated by the source itself, declared in a way that the
-- scan does not know. name -> lowered name; overloads share a name and are left out, a cast names them.
local function unlisted(entries, result)
  local known, names, twice = {}, {}, {}
  for _, e in ipairs(entries) do
    local lowered = lowered_of(e, result) or ""
    known[lowered], twice[e.name], twice[options.normalise_name(core.kernel_name(lowered))] = true, true, true
  end
  for _, lowered in ipairs(core.entry_names(result.ptx)) do
    if not known[lowered] and lowered:sub(1, #SIGNATURE_PREFIX) ~= SIGNATURE_PREFIX then
      local name = options.normalise_name(core.kernel_name(lowered))
      if names[name] then twice[name] = true end
      names[name] = lowered
    end
  end
  for name in pairs(twice) do names[name] = nil end
  return names
end

-- Adds entries for what is unlisted. Returns true when one has to be asked for, its name saying nothing of its types.
local function add_unlisted(artifact, entries, result)
  local names = unlisted(entries, result)
  local plain = false
  for _, name in ipairs(sorted_keys(names)) do
    local lowered = names[name]
    if lowered == name then
      plain = true
      entries[#entries + 1] = { name = name, expression = name, kernel = true, signature = ("luacuda_sig<decltype(&%s)>"):format(name) }
    else
      artifact.kernels[#artifact.kernels + 1] = { name = name, lowered = lowered }
    end
  end
  return plain
end

-- The lowered names of the variables that the code has in global and constant memory.
local function variables_in(ptx)
  local list = {}
  for line in ptx:gmatch "[^\n]+" do
    local marks, name = line:match "^%s*(%.[%w%.%s(),]-)([%w_$]+)%s*[%[;=]"
    if marks and (marks:find "%.global%f[%s]" or marks:find "%.const%f[%s]") then list[#list + 1] = name end
  end
  return list
end

-- NVRTC takes no name expression for a managed variable, and instances of a variable template nobody lists: what the code has of
-- both is found by name, and the type asked for. Adds entries; returns true when there is one to ask for.
local function add_variables(entries, result, found)
  local known, before = {}, #entries
  for _, e in ipairs(entries) do known[lowered_of(e, result) or ""] = true end
  for _, lowered in ipairs(found.unnamed and variables_in(result.ptx) or {}) do
    local name = options.normalise_name(core.kernel_name(lowered):gsub("%(anonymous namespace%)::", ""))
    local kind = found.by_variable[name:gsub("<.*$", "")]
    if kind and kind ~= "plain" and not known[lowered] then
      entries[#entries + 1] = { name = name, lowered = lowered,
        signature = ("luacuda_sig<luacuda_value<decltype((%s))>::type>"):format(name) }
    end
  end
  return #entries > before
end

-- An extern "C" kernel says nothing of its types: its signature has to be asked for.
local function lacks_signature(entries, result)
  for _, e in ipairs(entries) do
    local lowered = e.kernel and not e.signature and result.lowered[e.expression]
    if lowered and lowered:sub(1, 2) ~= "_Z" then return true end
  end
  return false
end

-- A name of a template that is no instance of it. Has a name of its own: "not found" lets a module look elsewhere.
local function instance_error(spec, name, plain, why)
  local message = ("'%s' is a template: name an instance of it, such as '%s<float>'"):format(plain, plain)
  if name ~= plain then
    message = ("the template '%s' has no instance '%s'%s"):format(plain, name, says_nothing(why) and "" or ": " .. why)
  end
  error(core.error{ kind = "compile", name = "LUACUDA_ERROR_INSTANCE", source = spec.text, message = message }, 0)
end

local function missing_error(spec, name, found, why)
  local plain = name:match "^[%w_:]+"
  if plain and found.by_name[plain] and found.by_name[plain].template then instance_error(spec, name, plain, why) end
  local names = {}
  for _, k in ipairs(found.kernels) do
    if k.definitions > 0 then names[#names + 1] = k.name end
  end
  local near = found.by_name[name] and ", it only declares it" or core.near(name, names)
  error(core.error{ kind = "compile", name = "LUACUDA_ERROR_NOT_FOUND", source = spec.text,
    message = ("the source has no kernel '%s'%s (it has: %s)"):format(name, near,
      #names > 0 and table.concat(names, ", ") or "none that a scan of it finds") }, 0)
end

local function compile_source(spec, goal, flags, entries, found)
  local text = spec.text .. SIGNATURE_TEXT
  for _ = 1, 6 do
    local expressions = expressions_of(entries)
    local result = run_compiler(spec, flags, expressions, text, goal.kind)
    if result.ok then
      if lacks_signature(entries, result) then
        entries = plan(spec, found, true)
      elseif not add_variables(entries, result, found) then
        local artifact = artifact_of(goal, entries, result, found, flags)
        if not add_unlisted(artifact, entries, result) then
          check_defined(spec, flags, result.ptx)
          return artifact
        end
      end
    else
      local bad, count, others = bad_expressions(result.log)
      if others or count == 0 then raise_compile_error(spec, flags, result.log) end
      local missing, why
      entries, missing, why = drop_bad(entries, bad)
      if missing then missing_error(spec, missing, found, why) end
    end
  end
  error(core.error{ kind = "compile", name = "LUACUDA_ERROR_COMPILE", source = spec.text,
    message = "the names in this source could not be resolved" }, 0)
end

local function binary_artifact(spec)
  local a = { kind = spec.binary_kind, code = spec.binary, log = "", flags = {}, has_variables = true, kernels = {}, variables = {},
    binary = true }
  if spec.binary_kind == "ptx" then
    for _, name in ipairs(core.entry_names(spec.binary)) do
      if name:sub(1, #SIGNATURE_PREFIX) ~= SIGNATURE_PREFIX then
        a.kernels[#a.kernels + 1] = { name = name, lowered = name }
      end
    end
  end
  return a
end

-- What the user asked for by name has to be there: what is only declared has a name and no code.
local function check_asked(spec, entries, artifact, found)
  local made = {}
  for _, kernel in ipairs(artifact.kernels) do made[kernel.name] = true end
  for _, e in ipairs(entries) do
    if e.asked and not made[e.name] then missing_error(spec, e.name, found) end
  end
end

-- What a description comes down to with a toolchain: flags, and the cache key.
local function resolve(spec, goal, entries, deps, n)
  local flags = flags_for(spec, goal, n)
  return flags, key_for(spec, flags, expressions_of(entries), n, deps)
end

-- compile.build(spec, target) -> artifact (see the head of this file). `target` is { kind = "ptx"|"cubin", arch = "80" }.
-- Raises compile errors. Equal descriptions give the same artifact without compiling again.
local function build(spec, goal)
  if spec.binary then return binary_artifact(spec) end
  source.speak_of(spec.origin, spec.callers)
  local deps, complete = dependencies(spec)
  local found = declared(spec, deps)
  local entries = plan(spec, found, found.extern_c)
  local keep = spec.cache and complete
  local n = toolchain.known()
  local flags, key = resolve(spec, goal, entries, deps, n)
  local artifact = keep and cache.get(key, true)
  if not artifact then
    local stored = key
    flags, key = resolve(spec, goal, entries, deps, toolchain.open())
    if key ~= stored then artifact = keep and cache.get(key, true) end
  end
  if not artifact then
    artifact = compile_source(spec, goal, flags, entries, found)
    artifact.dependencies = sorted_keys(deps)
    if keep then cache.put(key, artifact, true) end
  end
  check_asked(spec, entries, artifact, found)
  artifact.source = spec.text
  for _, kernel in ipairs(artifact.kernels) do source.name_kernel(kernel.lowered, kernel.name) end
  return artifact
end

-- The description with one more template instance (or other name) to ask the compiler about.
local function with_instance(spec, name)
  local copy = {}
  for k, v in pairs(spec) do copy[k] = v end
  copy.instances = table.move(spec.instances, 1, #spec.instances, 1, {})
  copy.instances[#copy.instances + 1] = options.normalise_name(name)
  return copy
end

-- Fields of a struct as the source or one of the user's headers declares it.
local function field_names(spec, deps, class)
  local names = outline.fields(spec.text, class)
  if names then return names end
  for _, path in ipairs(sorted_keys(deps)) do
    names = outline.fields(deps[path], class)
    if names then return names end
  end
end

-- compile.reflect(spec, class [, names]) -> { size, align, fields = { { name, type (name of its carrier), offset, size } } } for a plain
-- struct of the source, as the compiler lays it out; nil when it is no plain struct or cannot be found. The names of its fields are
-- looked for in the source unless given; a field whose struct has no name has, as `inner`, that struct's class (an expression)
-- and names.
local function reflect(spec, class, names)
  if not spec.text then return nil end
  local deps = dependencies(spec)
  names = names or field_names(spec, deps, class)
  if not names or #names == 0 then return nil end
  local n = toolchain.known()
  local flags = flags_for(spec, { kind = "ptx", arch = tostring(n.archs[1]) }, n)
  local expressions = { ("luacuda_lay<void,sizeof(%s),alignof(%s)>"):format(class, class) }
  for i, field in ipairs(names) do
    local form = names.inner[field] and "luacuda_unnamed<decltype($C::$F)>::shape" or "decltype($C::$F)"
    expressions[i + 1] = ("luacuda_lay<" .. form .. ",__INTADDR__(&(($C*)0)->$F),sizeof((($C*)0)->$F)>")
      :gsub("%$C", class):gsub("%$F", field)
  end
  local key = key_for(spec, flags, expressions, n, deps)
  local layout = spec.cache and cache.get(key, true)
  if layout then return layout end
  local result = run_compiler(spec, flags, expressions, spec.text .. LAYOUT_TEXT, "ptx")
  if not result.ok then return nil end
  local function numbers(expression)
    local a, b = (result.lowered[expression] or ""):match("JLm(%d+)ELm(%d+)EEEvv$")
    return math.tointeger(tonumber(a)), math.tointeger(tonumber(b))
  end
  local size, align = numbers(expressions[1])
  if not size then return nil end
  layout = { size = size, align = align, fields = {} }
  for i, field in ipairs(names) do
    local offset, bytes = numbers(expressions[i + 1])
    if not offset then return nil end
    local inner = names.inner[field] and { class = ("luacuda_unnamed<decltype(%s::%s)>::type"):format(class, field),
      names = names.inner[field] }
    layout.fields[i] = { name = field, type = result.lowered[expressions[i + 1]], offset = offset, size = bytes, inner = inner }
  end
  if spec.cache then cache.put(key, layout, true) end
  return layout
end

-- compile.variable(spec, name) -> the lowered name of an instance of a variable template, however it is spelled; nil for others.
local function variable(spec, name)
  if not spec.text or not name:find("<", 1, true) then return nil end
  local deps, complete = dependencies(spec)
  local n, expressions = toolchain.known(), { "&" .. name }
  local flags = flags_for(spec, { kind = "ptx", arch = tostring(n.archs[1]) }, n)
  local key = key_for(spec, flags, expressions, n, deps)
  local keep = spec.cache and complete
  local found = keep and cache.get(key, true)
  if not found then
    local result = run_compiler(spec, flags, expressions, spec.text, "ptx")
    found = { lowered = result.ok and result.lowered[expressions[1]] or nil }
    if keep then cache.put(key, found, true) end
  end
  return found.lowered
end

local TARGETS = { ptx = true, cubin = true, ltoir = true }

-- cuda.compile(source, { target = "ptx"|"cubin"|"ltoir", ... }) -> bytes, log. Compiles without loading, for `arch` or else
-- for the current device. Raises compile errors.
local function compile(...)
  local spec = options.read("compile", ...)
  local kind = spec.target or "ptx"
  if not TARGETS[kind] then core.misuse(("compile: option 'target': expected 'ptx', 'cubin' or 'ltoir', got '%s'"):format(kind)) end
  if spec.binary then core.misuse("compile: expected source, got a compiled module") end
  local n = toolchain.open()
  check_arch(spec)
  local arch = arch_number(spec) or target(core.device(), nil).arch
  local flags = flags_for(spec, { kind = kind == "cubin" and "cubin" or "ptx", arch = arch }, n)
  if kind == "ltoir" then flags[#flags + 1] = "-dlto" end
  source.speak_of(spec.origin, spec.callers)
  local result = run_compiler(spec, flags, spec.instances, spec.text, kind)
  if not result.ok then raise_compile_error(spec, flags, result.log) end
  return result[kind], source.readable_log(result.log)
end

return {
  options = options.read,
  build = build,
  target = target,
  arch_number = arch_number,
  runs_machine_code = runs_machine_code,
  with_instance = with_instance,
  reflect = reflect,
  included = included,
  variable = variable,
  readable_log = source.readable_log,
  compile = compile,
}
