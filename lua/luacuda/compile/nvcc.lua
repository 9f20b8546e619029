-- nvcc.lua: compiling with nvcc, in the form of compiler.lua: text, flags and name expressions in;
-- code, log and lowered names out.
--
-- nvcc has no name expressions. Each becomes the initial value of a variable on a line of its own
-- after the source, and the PTX names the symbol: ".global .u64 luacuda_name_1 = _Z1fIfEvPT_;".
-- These lines are then removed from the PTX. An error in one is reported under NVRTC's name for
-- such lines.

local core = require "luacuda.core"
local sorted_keys = require("luacuda.base.lists").sorted_keys
local nvcc_tool = require "luacuda.compile.nvcc_tool"

-- Files -------------------------------------------------------------------------------------------

local function write(path, bytes)
  local ok, why = core.file_replace(path, bytes)
  if ok then return end
  error(core.error{ kind = "runtime", name = "LUACUDA_ERROR_IO", message = "nvcc: " .. why }, 0)
end

-- Writes the headers that are given as text below `folder`, and the library's own. The names of
-- C++'s headers are the host compiler's. Returns the flags that find them.
local function write_headers(folder, spec)
  local own = require "luacuda.compile.headers"
  for _, name in ipairs { "luacuda/complex.h", "luacuda/texture.h", "luacuda/vector.h",
    "cupy/complex.cuh", "pycuda-complex.hpp" } do
    write(folder .. "/library/" .. name, own[name])
  end
  for _, name in ipairs(sorted_keys(spec.headers)) do
    if name:find("^/") or ("/" .. name .. "/"):find("/../", 1, true) then
      core.misuse(("option 'headers': '%s' leaves the folder of the headers: with backend = 'nvcc' "
        .. "give a relative name without '..'"):format(name))
    end
    write(folder .. "/given/" .. name, spec.headers[name])
  end
  return { "-I" .. folder .. "/given", "-I" .. folder .. "/library" }
end

-- The lines that ask for names. A linked module has such lines from each of its sources, so the
-- names of the variables contain the source's.
local function questions(spec, expressions)
  local stem = "luacuda_name_" .. (spec.origin.token:match "(%x+)%.cu$" or "") .. "_"
  local lines = { '\n#line 1 "__nv_name_map"\n' }
  for i, expression in ipairs(expressions) do
    lines[i + 1] = ("__device__ auto %s%d = %s;\n"):format(stem, i, expression)
  end
  return #expressions > 0 and table.concat(lines) or "", stem
end

-- Logs --------------------------------------------------------------------------------------------

-- The host compiler reports missing headers in a form of its own: "file:3:10: fatal error: text".
local function common_form(line)
  local file, at, severity, text = line:match "^(.-):(%d+):%d+: ([%l ]*): (.*)$"
  if not file or not (severity:find "error" or severity:find "warning") then return line end
  return ("%s(%s): %s: %s"):format(file, at, severity, text)
end

-- The log as NVRTC would write it: an error in a question is followed by its expression.
local function normalized(output, expressions)
  local lines = {}
  for given in output:gmatch "[^\r\n]*" do
    local line = common_form(given)
    lines[#lines + 1] = line
    local at = line:match "^__nv_name_map%((%d+)%): %l*%s?error"
    if at then
      lines[#lines + 1] = "nv_mangled_name " .. (expressions[math.tointeger(tonumber(at))] or "")
    end
  end
  return (table.concat(lines, "\n"):gsub("%s+$", ""))
end

-- Names -------------------------------------------------------------------------------------------

-- The PTX without the declarations of kernels that only the answers mentioned.
local function without_declared(ptx)
  return (ptx:gsub("\n%.extern %.entry ([%w_$]+)%s*%b()%s*;", function(name)
    local rest = name:gsub("%$", "%%$")
    local _, mentions = ptx:gsub("%f[%w_$]" .. rest .. "%f[^%w_$]", "")
    return mentions == 1 and "" or nil
  end))
end

-- The PTX without the answers, and expression -> lowered name. The names of static variables hold a
-- checksum of the whole text, which must not depend on the questions. In the information for
-- debuggers the answers leave a zero.
local function take_names(ptx, stem, expressions)
  local lowered = {}
  local token = (stem:match "_(%x+)_$" or "0"):rep(8):sub(1, 8)
  ptx = ptx:gsub("_%x%x%x%x%x%x%x%x_9_source_cu_", "_" .. token .. "_9_source_cu_")
  local pattern = "\n[^\n]-%.global[^\n]-" .. stem .. "(%d+)%s*=%s*([^\n;]+);"
  ptx = ptx:gsub(pattern, function(i, value)
    lowered[expressions[math.tointeger(tonumber(i))]] = value:match "generic%(([%w_$]+)"
      or value:match "[%a_$][%w_$]*"
    return ""
  end)
  ptx = ptx:gsub("(%.b64 )" .. stem .. "%d+", "%10")
  return without_declared(ptx), lowered
end

-- Runs --------------------------------------------------------------------------------------------

local OUTPUT = { ptx = "--ptx", cubin = "--cubin", fatbin = "--fatbin", ltoir = "--ltoir",
  text = "--preprocess" }

local function output_of(folder, kind) return ("%s/out.%s"):format(folder, kind) end

-- The arguments that compile `input`, a name in the folder, to `kind`. For the PTX that has the
-- names nvcc refuses the flag for LTO-IR.
local function arguments_for(folder, input, kind, flags)
  local arguments = { OUTPUT[kind], "--objdir-as-tempdir", "-o", output_of(folder, kind) }
  for _, flag in ipairs(flags) do
    if flag ~= "-dlto" or kind == "ltoir" then arguments[#arguments + 1] = flag end
  end
  arguments[#arguments + 1] = folder .. "/" .. input
  return arguments
end

-- The bytes that a run wrote, or nil; and the run.
local function taken(run, folder, kind)
  if not run.ok then return nil, run end
  local bytes = core.file_read(output_of(folder, kind))
  if not bytes then run.ending = "nvcc wrote no output file" end
  return bytes, run
end

local function compile(tools, folder, input, kind, flags)
  local run = nvcc_tool.run(tools.path, arguments_for(folder, input, kind, flags))
  return taken(run, folder, kind)
end

-- A run that ended without a message, or by a signal, says how it ended.
local function log_of(run, folder, expressions)
  local log = normalized(run.output:gsub(folder:gsub("%p", "%%%0") .. "/", ""), expressions)
  if run.ending and (log == "" or not run.ending:find "exit code") then
    log = log .. (log ~= "" and "\n" or "") .. run.ending
  end
  return log
end

-- A fat binary has code for several architectures, so it is not made from one PTX.
local function fatbin_of(tools, folder, flags)
  local code, only = compile(tools, folder, "source.cu", "fatbin", flags)
  return { ok = code ~= nil, fatbin = code, log = log_of(only, folder, {}), lowered = {} }
end

-- Writes the source with its questions and its headers; returns the flags that find these.
local function prepare(folder, spec, text, asked)
  write(folder .. "/source.cu", ('#line 1 "%s"\n%s%s'):format(spec.origin.token, text, asked))
  return write_headers(folder, spec)
end

-- A folder for a run: { box =, path =, flags =, stem =, expressions = }. Closing the box removes
-- it.
local function folder_for(spec, flags, expressions, text)
  local box, path = core.temporary_folder()
  local asked, stem = questions(spec, expressions)
  local all = prepare(path, spec, text, asked)
  table.move(flags, 1, #flags, #all + 1, all)
  return { box = box, path = path, flags = all, stem = stem, expressions = expressions }
end

-- The result with PTX, from the bytes and the run that made them.
local function named_result(at, ptx, first)
  local result = { ok = ptx ~= nil, log = log_of(first, at.path, at.expressions), lowered = {} }
  if ptx then result.ptx, result.lowered = take_names(ptx, at.stem, at.expressions) end
  return result
end

-- The input, a name in the folder, of the run that makes code: the PTX that has the names,
-- or for LTO-IR the source.
local function second_input(at, result, kind)
  if kind ~= "cubin" then return "source.cu" end
  write(at.path .. "/named.ptx", result.ptx)
  return "named.ptx"
end

-- Adds the code that the second run made to the result with PTX.
local function add_code(at, result, kind, code, second)
  result.ok, result[kind] = code ~= nil, code
  if not code or result.log == "" then result.log = log_of(second, at.path, at.expressions) end
end

-- nvcc.run(spec, flags, expressions, text, kind) -> { ok =, log =, ptx =, [kind] =, lowered = }
local function run(spec, flags, expressions, text, kind)
  local tools = nvcc_tool.open(spec)
  local at = folder_for(spec, flags, expressions, text)
  local _ <close> = at.box
  if kind == "fatbin" then return fatbin_of(tools, at.path, at.flags) end
  local result = named_result(at, compile(tools, at.path, "source.cu", "ptx", at.flags))
  if result.ok and kind ~= "ptx" then
    local input = second_input(at, result, kind)
    add_code(at, result, kind, compile(tools, at.path, input, kind, at.flags))
  end
  return result
end

local function remove_all(folders)
  for _, at in ipairs(folders) do
    local _ <close> = at.box
  end
end

-- Runs nvcc with each of the lists of arguments at the same time.
local function run_together(tools, argvs)
  if #argvs == 0 then return {} end
  return { nvcc_tool.run(tools.path, table.unpack(argvs)) }
end

-- Adds machine code to those results that want it.
local function add_codes(tools, runs, folders, results)
  local argvs, wanted = {}, {}
  for i, at in ipairs(folders) do
    local kind = runs[i][5]
    if results[i].ok and kind ~= "ptx" then
      wanted[#wanted + 1] = i
      argvs[#wanted] = arguments_for(at.path, second_input(at, results[i], kind), kind, at.flags)
    end
  end
  local seconds = run_together(tools, argvs)
  for n, i in ipairs(wanted) do
    local at, kind = folders[i], runs[i][5]
    add_code(at, results[i], kind, taken(seconds[n], at.path, kind))
  end
end

-- nvcc.run_all(runs) -> the results of several runs of the same nvcc at the same time, each a list
-- of the arguments of `run`, whose kind is not "fatbin"
local function run_all(runs)
  local folders <close>, argvs = setmetatable({}, { __close = remove_all }), {}
  for i, it in ipairs(runs) do
    folders[i] = folder_for(table.unpack(it, 1, 4))
    argvs[i] = arguments_for(folders[i].path, "source.cu", "ptx", folders[i].flags)
  end
  local tools = nvcc_tool.open(runs[1][1])
  local results = run_together(tools, argvs)
  for i, at in ipairs(folders) do
    results[i] = named_result(at, taken(results[i], at.path, "ptx"))
  end
  add_codes(tools, runs, folders, results)
  return results
end

-- nvcc.preprocess(spec, source, flags) -> { ok =, log =, text = }
local function preprocess(spec, source, flags)
  local tools = nvcc_tool.open(spec)
  local _ <close>, folder = core.temporary_folder()
  local all = prepare(folder, spec, source, "")
  table.move(flags, 1, #flags, #all + 1, all)
  local text, only = compile(tools, folder, "source.cu", "text", all)
  return { ok = text ~= nil, log = log_of(only, folder, {}),
    text = text and text:gsub('"' .. folder:gsub("%p", "%%%0") .. "/", '"') }
end

return { run = run, run_all = run_all, preprocess = preprocess }
