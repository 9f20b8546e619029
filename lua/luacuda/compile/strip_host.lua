-- strip_host.lua: the option host = "strip": a source and the user's headers without host code, and
-- without the headers that only host code needs.

local core = require "luacuda.core"
local sorted_keys = require("luacuda.base.lists").sorted_keys
local followed = require "luacuda.compile.included"
local headers = require "luacuda.compile.headers"
local toolchain = require "luacuda.compile.toolchain"
local gnu = require "luacuda.source.gnu"
local implied = require "luacuda.source.implied"
local strip = require "luacuda.source.strip"

-- Headers of the CUDA toolkit for programs on the host.
local HOST = { "^cublas", "^cufft", "^curand%.h$", "^curand_mtgp32_host%.h$", "^cusparse",
  "^cusolver", "^cudnn", "^cudla", "^cufile", "^cupti", "^nccl", "^npp", "^nvjpeg", "^nvml",
  "^nvrtc", "^nvvm%.h$", "^nvJitLink", "^nvPTX", "^nvblas", "^nvgraph", "^nvtx3", "^nvToolsExt",
  "^cuda%u", "^cudalibxt", "^cuda_runtime%.h$", "^cuda_runtime_api%.h$", "^cuda_occupancy%.h$",
  "^cuda_gl_interop", "^cuda_egl_interop", "^cuda_vdpau", "^cuda_d3d", "^cuda_profiler_api",
  "^driver_functions%.h$", "^device_launch_parameters%.h$", "^cub/util_allocator%.cuh$",
  "^cub/util_device%.cuh$" }

-- Headers of Thrust for device code; the others have functions of the host.
local THRUST = { "^thrust/iterator/", "^thrust/detail/", "^thrust/type_traits/",
  "^thrust/addressof%.h", "^thrust/advance%.h", "^thrust/complex%.h", "^thrust/distance%.h",
  "^thrust/functional%.h", "^thrust/optional%.h", "^thrust/pair%.h", "^thrust/swap%.h",
  "^thrust/tuple%.h", "^thrust/version%.h", "^thrust/zip_function%.h" }

-- Headers of C++ whose names are all in std.
local IN_STD = {}
for name in ([[algorithm array atomic barrier bit bitset chrono complex concepts expected functional
  initializer_list inplace_vector iterator latch limits mdspan memory numbers numeric optional
  ranges ratio semaphore source_location span tuple type_traits utility variant
  version]]):gmatch "%S+" do
  IN_STD[name] = true
end

-- Headers for programs on the host that have types of device code as well.
local COMPLEX = "#pragma once\n#include <cuComplex.h>\n"
local TYPES = { ["cublas_v2.h"] = COMPLEX, ["cublas.h"] = COMPLEX,
  ["cufft.h"] = COMPLEX .. [[
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
]] }
TYPES["cufftXt.h"] = "#pragma once\n#include <cufft.h>\n"
for letter, kind in pairs { C = "Complex", Z = "DoubleComplex", R = "Real", D = "DoubleReal" } do
  TYPES["cufftXt.h"] = TYPES["cufftXt.h"] .. ([[
typedef cufftT (*cufftCallbackLoadX)(void *, size_t, void *, void *);
typedef void (*cufftCallbackStoreX)(void *, size_t, cufftT, void *, void *);
typedef cufftT (*cufftJITCallbackLoadX)(void *, unsigned long long, void *, void *);
typedef void (*cufftJITCallbackStoreX)(void *, unsigned long long, cufftT, void *, void *);
]]):gsub("cufftT", "cufft" .. kind):gsub("X%)", letter .. ")")
end

-- Names of CUDA's runtime that are built into NVRTC.
local OBJECTS = {}
for name in ([[cudaTextureObject_t cudaSurfaceObject_t cudaBoundaryModeTrap cudaBoundaryModeClamp
  cudaBoundaryModeZero cudaReadModeElementType cudaReadModeNormalizedFloat]]):gmatch "%S+" do
  OBJECTS[name] = true
end

local function is_one_of(name, patterns)
  for _, pattern in ipairs(patterns) do
    if name:find(pattern) then return true end
  end
  return false
end

local function is_host_header(name)
  return is_one_of(name, HOST) or name:find "^thrust/" and not is_one_of(name, THRUST)
end

-- What an #include names: the name and whether it is in quotes; nil where a macro gives it.
local function named(directive)
  local quoted = directive.name:match '^"([^"]+)"'
  if quoted then return quoted, true end
  return directive.name:match "^<([^>]+)>", false
end

-- Is a header CUDA's own?
local function is_toolkit(tools, name)
  for _, dir in ipairs { tools.include_dir, tools.cccl_dir } do
    if dir ~= "" and core.file_stat(dir .. "/" .. name) then return true end
  end
  return false
end

-- The user's file or text that an #include names: its key and text. "" as the key: CUDA's own.
local function find(program, name, from)
  local spec = program.spec
  if spec.headers[name] then return name, spec.headers[name] end
  for _, dir in ipairs(followed.search_dirs(spec, from)) do
    local path = dir .. "/" .. name
    local bytes = core.file_read(path)
    if bytes and followed.toolkit_mark(dir) then return "" end
    if bytes then return path, bytes end
  end
end

-- The name under which the compiler gets a file: its path, which messages then have.
local function header_name(path)
  return path:find '["\n\\]' and "luacuda/" .. core.sha256(path):sub(1, 16) .. ".h" or path
end

local read_file

-- Follows an #include of the file that `from` is the folder of.
local function follow(program, directive, from)
  local name, quoted = named(directive)
  if not name then return end
  local key, text = find(program, name, quoted and from)
  directive.key = key
  if key and key ~= "" and not program.files[key] then
    local folder = program.spec.headers[key] ~= text and key:match "^(.*)/[^/]*$"
    read_file(program, key, text, folder, directive)
  end
end

function read_file(program, key, text, from, by)
  program.files[key] = true                                             -- it may include itself
  program.files[key] = strip.add(program.unit, text, function(directive)
    directive.inside = directive.inside or by.inside
    directive.extern_c = directive.extern_c or by.extern_c
    follow(program, directive, from)
  end, by.inside)
end

-- Does what stays need a header that is not the user's?
local function is_needed(program, name, quoted)
  if TYPES[name] then return true end
  if is_host_header(name) then return false end
  if IN_STD[name] then return program.words.std end
  local library = name:match "^(thrust)/" or name:match "^(cub)/"
  if library and not program.words[library] then return false end
  if headers[name] or is_toolkit(program.tools, name) then return true end
  return quoted and name:find "%.cuh?$" ~= nil       -- the compiler says that it is missing
end

-- The text of an #include of a header that is not the user's, or nil. These have templates: inside
-- extern "C" they move before the first line. Headers of CUB for the host become cub.cuh, which has
-- the functions of blocks and warps.
local function library_include(program, directive, name, quoted)
  if not is_needed(program, name, quoted) then return nil end
  local of_host = name:find "^cub/device/"
  if of_host then name = "cub/cub.cuh" end
  if directive.extern_c then
    program.moved[name] = true
    return nil
  end
  return of_host and "#include <cub/cub.cuh>" or program.source_of(directive)
end

-- Moves the #includes of CUDA's and C++'s headers out of a file that does not stay.
local function move_includes(program, file)
  for _, directive in ipairs(file.directives) do
    local name = directive.name and (not directive.key or directive.key == "") and named(directive)
    local known = name and (headers[name] or is_toolkit(program.tools, name))
    if known and directive.certain and is_needed(program, name) then program.moved[name] = true end
  end
end

-- The text of an #include that stays, or nil.
local function included(program, directive)
  if not directive.key then
    local name, quoted = named(directive)
    if name and directive.live then return library_include(program, directive, name, quoted) end
  elseif directive.key == "" then
    return library_include(program, directive, (named(directive)))
  elseif directive.file and not strip.stays(program.unit, directive.file) then return nil
  elseif not program.spec.headers[directive.key] then
    return ('#include "%s"'):format(header_name(directive.key))
  end
  return program.source_of(directive)
end

-- Does what stays call CUDA's functions, as kernels that launch kernels do?
local function calls_runtime(program)
  for word in pairs(program.words) do
    if word:find "^cuda%u" and not OBJECTS[word] and not program.declared[word] then return true end
  end
  return false
end

-- Does the program itself declare a name?
local function is_own(program, word) return program.declared[word] or program.unit.macros[word] end

-- The headers of the names that nothing declares, as a set.
local function implied_headers(program)
  local found = {}
  for word in pairs(program.words) do
    local name = not is_own(program, word) and implied.header(word)
    if name then found[name] = true end
  end
  return found
end

-- The value of the version macros in CUDA's headers for the host.
local VERSION = "(__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)"

-- The lines that nvcc puts before the first one, as far as the texts that stay use them.
local function prelude(program, texts)
  local lines = { "#ifndef __linux__", "#define __linux__ 1", "#endif" }
  local function add(...) lines[#lines + 1] = (...):format(select(2, ...)) end
  for _, name in ipairs { "CUDART_VERSION", "CUDA_VERSION" } do
    if gnu.has_word(texts, name) then add("#define %s %s", name, VERSION) end
  end
  gnu.prelude(texts, function(line) lines[#lines + 1] = line end)
  if calls_runtime(program) then add "#include <cuda_device_runtime_api.h>" end
  for _, name in ipairs(sorted_keys(implied_headers(program))) do add("#include <%s>", name) end
  for _, name in ipairs(sorted_keys(program.moved)) do add("#include <%s>", name) end
  -- "using namespace cub" may stay when the header goes
  for _, name in ipairs { "cub", "thrust" } do
    if program.words[name] then add("namespace %s { }", name) end
  end
  for _, name in ipairs(sorted_keys(implied.TYPES)) do
    if program.words[name] and not is_own(program, name) then
      add("typedef %s %s;", implied.TYPES[name], name)
    end
  end
  return table.concat(lines, "\n")
end

local function text_of(program, file)
  return gnu.literals(strip.text(program.unit, file, function(directive)
    program.source_of = function(it) return file.source:sub(it.first, it.last) end
    return included(program, directive)
  end))
end

-- The words of the names that the user asks for.
local function asked_words(spec)
  local words = {}
  for _, name in ipairs(spec.instances) do
    for word in name:gmatch "[%a_][%w_]*" do words[#words + 1] = word end
  end
  return words
end

-- strip(spec) -> the source without host code, headers by name in place of those of the
-- description, and the names that it removed
return function(spec)
  local program = { spec = spec, unit = strip.new(spec.defines, spec.rdc), files = {},
    moved = {}, tools = toolchain.open(spec) }
  local main = strip.add(program.unit, spec.text, function(directive)
    follow(program, directive, nil)
  end)
  for _, file in ipairs(program.unit.files) do
    for _, directive in ipairs(file.directives) do
      directive.file = program.files[directive.key]
    end
  end
  program.words, program.declared = strip.decide(program.unit, asked_words(spec))
  local texts, own = {}, { text_of(program, main) }
  for name, text in pairs(TYPES) do texts[name] = text end
  for name, text in pairs(spec.headers) do texts[name] = text end
  for key, file in pairs(program.files) do
    if strip.stays(program.unit, file) then
      local name = spec.headers[key] and key or header_name(key)
      texts[name] = text_of(program, file)
      own[#own + 1] = texts[name]
    else move_includes(program, file) end
  end
  local text = ('%s\n#line 1 "%s"\n%s'):format(prelude(program, own), spec.origin.token, own[1])
  return text, texts, strip.removed(program.unit)
end
