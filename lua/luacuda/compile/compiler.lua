-- compiler.lua: one run of NVRTC or nvcc on a text, and the errors that it reports.

local core = require "luacuda.core"
local sorted_keys = require("luacuda.base.lists").sorted_keys
local linkage = require "luacuda.source.linkage"
local logs = require "luacuda.source.logs"
local positions = require "luacuda.source.positions"

-- Names and texts of all headers in memory: the user's own come first and replace those of the
-- library.
local function header_lists(spec)
  local names, texts = {}, {}
  local headers = spec.stripped or spec.headers
  for _, name in ipairs(sorted_keys(headers)) do
    names[#names + 1], texts[#texts + 1] = name, headers[name]
  end
  for name, text in pairs(require "luacuda.compile.headers") do
    if not headers[name] then names[#names + 1], texts[#texts + 1] = name, text end
  end
  return names, texts
end

-- compiler.text_of(spec) -> the source, without host code where the option host says so, and with C
-- linkage where the option extern_c asks for it
local function text_of(spec)
  local text = spec.text
  if spec.host then
    text, spec.stripped, spec.removed = require "luacuda.compile.strip_host"(spec)
  end
  return spec.extern_c and linkage.wrapped(text, spec.origin.token) or text
end

-- Everything about a run but its source's description.
local function mark_of(flags, expressions, text, kind)
  return table.concat({ kind, text, table.concat(flags, "\0"), table.concat(expressions, "\0") },
    "\0\0")
end

local function run_nvcc(spec, flags, expressions, text, kind)
  local mark = spec.ready and mark_of(flags, expressions, text, kind)
  local result = mark and spec.ready[mark]
  if not result then
    return require("luacuda.compile.nvcc").run(spec, flags, expressions, text, kind)
  end
  spec.ready[mark] = nil
  return result
end

-- What is compiled, for people: the first kernel of a text, or its place.
local function title_of(spec, text)
  local code = text:gsub("__launch_bounds__%s*%b()", "")
  return code:match "__global__%s[^;{}()#]-([%a_][%w_]*)%s*%(" or spec.path
    or positions.map_message(spec.origin.token)
end

-- compiler.run(spec, flags, expressions, text, kind) -> result of core.compile, with PTX and `kind`
local function run(spec, flags, expressions, text, kind)
  if spec.backend == "nvcc" then return run_nvcc(spec, flags, expressions, text, kind) end
  local names, texts = header_lists(spec)
  return core.compile{ source = text, name = spec.origin.token,
    title = title_of(spec, text), options = flags,
    header_names = names, header_texts = texts, expressions = expressions, ptx = true,
    [kind] = true }
end

-- compiler.run_ahead(runs) makes several runs of nvcc at the same time, each a list of the
-- arguments of `run`, which then has their results.
local function run_ahead(runs)
  local results = require("luacuda.compile.nvcc").run_all(runs)
  for i, it in ipairs(runs) do
    local spec = it[1]
    spec.ready = { [mark_of(table.unpack(it, 2))] = results[i] }
  end
end

-- The name of an error of the compiler, and the call that found it.
local function failure_of(spec)
  if spec.backend == "nvcc" then return "LUACUDA_ERROR_COMPILE", "nvcc" end
  return "NVRTC_ERROR_COMPILATION", "nvrtcCompileProgram"
end

-- What the headers of cuda::ptx tell by the name of a function that they only declare: an
-- instruction that the target lacks. Otherwise nil.
local function missing_instruction(name)
  local what, targets = name:match "^__cuda_ptx_(.*)_is_not_supported_before_(SM_.-)__$"
  if not what then return nil end
  targets = targets:lower():gsub("_sm", ", sm")
  local special = targets:match "%d+a"
  if not special then
    return ("the code uses '%s' of cuda::ptx, which is there from %s on; the CPU device compiles "
      .. "for LUACUDA_CPU_ARCH"):format(what, targets)
  end
  return ("the code uses a form of '%s' of cuda::ptx that only %s have: choose one with the option "
    .. "arch, as in arch = \"compute_%s\""):format(what, targets, special)
end

-- The advice on a constructor or assignment of the host that device code uses
-- (strip_constructors.lua); nil for other functions.
local function host_constructor(spec, lowered)
  local class = lowered:match "^_ZN.-%d+([%a_][%w_]-)I.*EC[12]E"
    or lowered:match "^_ZN.-%d+([%a_][%w_]-)C[12]E" or lowered:match "^_ZN.-%d+([%a_][%w_]-)aSE"
  if not spec.host or not class then return nil end
  return ("the code uses a constructor or an assignment of '%s' that is for the host: mark it "
    .. "__host__ __device__"):format(class)
end

-- Raises for a function or variable that code which is not linked only declares.
local function fail_undefined(spec, flags, kind, lowered, log)
  local name = core.kernel_name(lowered)
  local message = missing_instruction(name) or host_constructor(spec, lowered)
    or ("the code uses the %s '%s', which is declared and not defined: give the source "
      .. "that defines it in the option sources"):format(kind, name)
  error(core.error{ kind = "compile", name = failure_of(spec), message = message,
    log = log or message, source = spec.text, flags = flags }, 0)
end

-- compiler.fail(spec, flags, text) raises the errors of a log.
local function fail(spec, flags, text)
  -- what its PTX compiler says where the target is machine code
  local lowered = text:match "Unresolved extern function '([^']+)'"
  if lowered then fail_undefined(spec, flags, "function", lowered, text) end
  local readable = logs.readable(text)
  if #logs.diagnostics(text) == 0 then
    readable = readable .. "\nthe options were: " .. table.concat(flags, " ")
  end
  readable = readable .. require("luacuda.source.hints").of(spec, text)
  local name, call = failure_of(spec)
  error(core.error{ kind = "compile", name = name, call = call, message = readable,
    log = positions.map_message(text),
    source = spec.text, flags = flags }, 0)
end

-- The name of a variable that PTX declares and does not define, or nil.
local function undefined_variable(ptx)
  for _, space in ipairs { "global", "const" } do
    local name = ptx:match("\n%s*%.extern%s+%." .. space .. "%s[^;]-([%w_$]+)[%d%[%]]*;")
    if name then return name end
  end
end

-- Functions that drivers define.
local DRIVER = { vprintf = true, malloc = true, free = true, memcpy = true, memmove = true,
  memset = true, __assertfail = true, cudaGraphSetConditional = true }

-- The name of a function that PTX declares and does not define, or nil.
local function undefined_function(ptx)
  for declaration in ptx:gmatch "\n%s*%.extern%s+%.func%s+([^;{]+)" do
    local name = declaration:gsub("^%b()%s*", ""):match "^[%w_$]+"
    if name and not DRIVER[name] then return name end
  end
end

-- compiler.check_defined(spec, flags, ptx) raises for a variable or function that is only declared.
-- Such a module is loaded without a linker. Drivers accept such a variable, and a kernel would use
-- a wild address.
local function check_defined(spec, flags, ptx)
  local variable = undefined_variable(ptx)
  if variable then fail_undefined(spec, flags, "variable", variable) end
  local fn = undefined_function(ptx)
  if fn then fail_undefined(spec, flags, "function", fn) end
end

return {
  text_of = text_of, run = run, run_ahead = run_ahead, fail = fail, check_defined = check_defined,
}
