-- A program with nvcc's command line that compiles with NVRTC, for machines without nvcc. It makes
-- PTX; its machine code is a mark followed by the input. FAKE_NVCC_RUNS: a file that gets a line
-- for each run.
local core = require "luacuda.core"

local arguments = { table.unpack(arg) }
local runs = os.getenv "FAKE_NVCC_RUNS"
if runs then
  local file = assert(io.open(runs, "a"))
  file:write(table.concat(arguments, " "), "\n")
  file:close()
end

if arguments[1] == "--version" then
  print "nvcc: a stand-in\nCuda compilation tools, release 12.9, V12.9.1"
  os.exit(0)
elseif arguments[1] == "--list-gpu-arch" then
  print "compute_75\ncompute_80\ncompute_86\ncompute_90\ncompute_120"
  os.exit(0)
end

local KINDS = { ["--ptx"] = "ptx", ["--cubin"] = "cubin", ["--fatbin"] = "fatbin",
  ["--preprocess"] = "text" }
local ONLY_NVCC = { ["--objdir-as-tempdir"] = true, ["--expt-relaxed-constexpr"] = true }
local kind, output, input
local flags = {}
local i = 1
while i <= #arguments do
  local word = arguments[i]
  if KINDS[word] then kind = KINDS[word]
  elseif word == "-o" then
    i = i + 1
    output = arguments[i]
  elseif i == #arguments then input = word
  elseif not ONLY_NVCC[word] then flags[#flags + 1] = word end
  i = i + 1
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "a"
  file:close()
  return bytes
end

local function write(bytes)
  local file = assert(io.open(output, "wb"))
  file:write(bytes)
  file:close()
end

local text = read(input)
if kind ~= "ptx" then
  write(kind == "text" and text or "\127ELF" .. text)
  os.exit(0)
end
local tools = core.nvrtc()
local names, texts = {}, {}
for name, body in pairs(require "luacuda.compile.headers") do
  names[#names + 1], texts[#texts + 1] = name, body
end
flags[#flags + 1] = "-I" .. tools.include_dir
flags[#flags + 1] = "-I" .. tools.cccl_dir
local result = core.compile{ source = text, name = "source.cu", title = "", options = flags,
  header_names = names, header_texts = texts, expressions = {}, ptx = true }
io.stderr:write(result.log)
if not result.ok then os.exit(2) end
write(result.ptx)
