-- Names of other libraries and names that CUDA no longer has: every row of foreign.lua is raised by
-- the lookup of its place, and its sentence names something that exists.
local cuda = require "luacuda"
local core = require "luacuda.core"
local foreign = require "luacuda.base.foreign"
local helper = require "spec.helper"
local read = require("luacuda.manual.subjects").read

local misuse = helper.misuse

local KERNEL = "__global__ void k(float *x) { x[0] = 1; }"

-- CUDA C++ that does not compile, for names of the place "source" that are not headers.
local SOURCES = {
  texture = "texture<float, 2> t; __global__ void k(float *x) { x[0] = tex2D(t, 0.f, 0.f); }",
  surface = "surface<void, 2> s; __global__ void k(float *x) { x[0] = 1; }",
  ["cub/device"] = "#include <cub/device/device_reduce.cuh>\n__global__ void k(float *x) {}",
  ["<<<>>>"] = "__global__ void g() {} __global__ void k() { g<<<1, 1>>>(); }",
  cudaDeviceSynchronize = "__global__ void k() { cudaDeviceSynchronize(); }",
  cudaGridDependencySynchronize = "__global__ void k() { cudaGridDependencySynchronize(); }",
  cudaTriggerProgrammaticLaunchCompletion =
    "__global__ void k() { cudaTriggerProgrammaticLaunchCompletion(); }",
  cudaGraphSetConditional = "__global__ void k() { cudaGraphSetConditional(0, 1); }",
  __cluster_dims__ = "__global__ void __cluster_dims__(2) k() {}",
  this_cluster = "#include <cooperative_groups.h>\n"
    .. "__global__ void k() { cooperative_groups::this_cluster().sync(); }",
  ["${name}"] = "__global__ void k(${name} *x) { x[0] = 1; }",
  extern_c = "#include \"own.h\"\n__device__ int one() { return 1; }",
}

-- Options that such a source is compiled with.
local OPTIONS = {
  extern_c = { extern_c = true, headers = { ["own.h"] = "__device__ int one();" } },
}

-- The message for such a source.
local function refused(name)
  local source = SOURCES[name] or ("#include <%s>\n%s"):format(name, KERNEL)
  local ok, e = pcall(cuda.compile, source, OPTIONS[name])
  assert.is_false(ok, name)
  assert.is_true(cuda.is_error(e, "compile"))
  return tostring(e)
end

-- The message for a kernel with the name in its text.
local function refused_in_kernel(text, of_tiles)
  return function(name)
    local code = ("local cuda = ... return function(x) %s end"):format(text:format(name))
    local k = (of_tiles and cuda.tiled or cuda.jit)(load(code)(cuda))
    local launch = of_tiles and { programs = 1 } or { threads = 1 }
    local message = misuse(function() k(launch, cuda.zeros(1)) end)
    return (message:gsub("^.-method '([^']*)' cannot be called on a device: ", "'%1': ")
      :gsub("^.-arrays have no field '([^']*)' in kernels: ", "'%1': "))
  end
end

-- What the lookup of each place says about a name.
local function lookups()
  local kernel = cuda.kernel(KERNEL)
  local function field_of(object)
    return function(name) return misuse(function() return object[name] end) end
  end
  return {
    cuda = { field_of(cuda) },
    random = { field_of(cuda.random) },
    Generator = { field_of(cuda.random.generator(1)) },
    Pool = { field_of(cuda.pool()) },
    Module = { field_of(cuda.module(KERNEL)) },
    Kernel = { field_of(kernel) },
    Jit = { field_of(cuda.jit "function(x) x[1] = 0 end") },
    Tiled = { field_of(cuda.tiled "function(x) store(x, { 1 }, iota(8)) end") },
    Prepared = { field_of(kernel:prepare { grid = 1, block = 1 }) },
    Device = { field_of(cuda.device()) },
    Stream = { field_of(cuda.device().null_stream) },
    Event = { field_of(cuda.event()) },
    Graph = { field_of((cuda.graph(function() end))) },
    Array = { field_of(cuda.zeros(1)) },
    CuArray = { field_of(cuda.cuda_array(1)) },
    launch = { function(name)
      return misuse(kernel, { grid = 1, block = 1, [name] = 1 }, cuda.zeros(1))
    end },
    dtype = {
      function(name) return misuse(cuda.zeros, 1, name) end,
      function(name) return misuse(cuda.zeros(1).sum, cuda.zeros(1), { dtype = name }) end,
    },
    source = { refused },
    kernel = { refused_in_kernel "x[1] = %s" },
    ["kernel tiles"] = { refused_in_kernel("local y = %s(x)", true) },
    ["kernel array"] = { refused_in_kernel "x[1] = x.%s", refused_in_kernel "x[1] = x:%s(1)" },
    options = {
      function(name) return misuse(cuda.event, { [name] = 1 }) end,
      function(name) return misuse(cuda.kernel, KERNEL, { [name] = 1 }) end,
      function(name) return misuse(cuda.debug, { [name] = true }) end,
    },
  }
end

-- The names of all options, and class -> name -> true in small letters, as sentences spell them.
local function documented()
  local options, classes = {}, {}
  for _, class in ipairs((select(2, read()))) do
    local names = {}
    for _, entry in ipairs(class.entries) do
      names[entry.name] = true
      if class.name == "Launch" then options[entry.name] = true end
      for _, option in ipairs(entry.options or {}) do options[option.name] = true end
    end
    classes[class.name:lower()] = names
  end
  classes.cuda = classes.luacuda
  return options, classes
end

local options, classes = documented()

-- Calls check(kind, name) for everything that a sentence refers to.
local function each_reference(sentence, check)
  for class, name in sentence:gmatch "%f[%w](%l+)[.:]([%a_][%w_]*)" do check(class, name) end
  if sentence:find("jit({", 1, true) then check("jit", "__call") end
  if sentence:find("tiled({", 1, true) then check("tiled", "__call") end
  if sentence:find("kernel(launch", 1, true) then check("kernel", "__call") end
  for name in sentence:gmatch "option '([%w_]+)'" do check("option", name) end
  for name in sentence:gmatch "cuda%u%a+Object_t" do check("type", name) end
  for name in sentence:gmatch '"(%l+%d[%w_]*)"' do
    if name ~= "gpu0" then check("dtype", name) end
  end
  if sentence:find('"bool"', 1, true) then check("dtype", "bool") end
end

local function assert_exists(kind, name)
  if kind == "option" then
    assert(options[name], "there is no option " .. name)
  elseif kind == "type" then
    assert.is_truthy(cuda.compile(("__global__ void k(%s x) {}"):format(name)))
  elseif kind == "dtype" then
    assert.equals(name, cuda.zeros(1, name).dtype)
  elseif kind == "math" or kind == "string" then
    assert.is_truthy(_G[kind][name])
  elseif kind == "x" then
    assert(({ shape = true, size = true })[name], "arrays have no field " .. name)
  elseif kind ~= "stop" and kind ~= "api" then -- .h
    assert(classes[kind], "there is no class " .. kind)
    assert(classes[kind][name], ("there is no %s.%s"):format(kind, name))
  end
end

describe("foreign names", function()
  before_each(function() cuda.use "cpu" end)

  it("are raised by the lookup of their place, with their sentence", function()
    local ask = lookups()
    for _, row in ipairs(foreign.rows) do
      local place, names, sentence = table.unpack(row)
      for name in names:gmatch "%S+" do
        for _, lookup in ipairs(assert(ask[place], place)) do
          helper.contains(lookup(name), ("'%s': %s"):format(name, sentence))
        end
      end
    end
  end)

  it("are listed once for each place", function()
    local seen = {}
    for _, row in ipairs(foreign.rows) do
      for name in row[2]:gmatch "%S+" do
        local key = row[1] .. " " .. name
        assert(not seen[key], key)
        seen[key] = true
      end
    end
  end)

  it("have a sentence whose references exist", function()
    for _, row in ipairs(foreign.rows) do
      local sentence, count = row[3], 0
      each_reference(sentence, function(kind, name)
        assert_exists(kind, name)
        count = count + 1
      end)
      assert(count > 0 or row[1]:find "^kernel" or sentence:find("nothing to set", 1, true),
        sentence)
      assert(#sentence <= 200 and not sentence:find "[.%s]$", sentence)
    end
  end)

  it("of kernels have a sentence whose functions exist", function()
    for _, row in ipairs(foreign.rows) do
      for name in (row[1] == "kernel" and row[3] or ""):gmatch "%f[%w_.:]([%a_][%w_]*)%(" do
        local known = pcall(function() return cuda.gpu[name] end) or _G[name] or cuda[name]
        assert(known, name .. ": " .. row[3])
      end
    end
  end)

  it("cost nothing before a lookup fails", function()
    local ok, output = helper.lua [[
      local cuda = require "luacuda"
      cuda.use "cpu"
      local a = cuda.zeros(3) + 1
      print(a:sum(), package.loaded["luacuda.base.foreign"])
      pcall(function() return cuda.mem_alloc end)
      print(package.loaded["luacuda.base.foreign"] ~= nil)
    ]]
    assert.is_true(ok, output)
    assert.equals("3.0\tnil\ntrue\n", output)
  end)

  it("give way to near names elsewhere", function()
    assert.matches("^luacuda has no 'zeroes'; did you mean 'zeros'",
      misuse(function() return cuda.zeroes end))
    assert.matches("^Event has no field or method 'recrod'; did you mean 'record'",
      misuse(function() return cuda.event().recrod end))
    assert.equals("; did you mean 'sum'?", core.near("sume", { "sum" }))
  end)

  it("answer a function, a shape or a name of a dtype in the wrong place", function()
    local a = cuda.zeros(6)
    local pattern = 'expected the string "%s", got function$'
    for _, row in ipairs(cuda.dtypes()) do
      local expected, make = pattern:format(row.name), cuda[row.name]
      assert.matches(expected, misuse(cuda.array, { 1 }, make))
      assert.matches(expected, misuse(cuda.zeros, 1, { dtype = make }))
      assert.matches(expected, misuse(a.astype, a, make))
      assert.matches(expected, misuse(a.sum, a, { dtype = make }))
    end
    assert.equals("array: argument 2 'dtype': expected a dtype or a table of options, got function",
      misuse(cuda.array, { 1 }, print))
    assert.equals("sum: option 'dtype': expected the name of a dtype, got function",
      misuse(a.sum, a, { dtype = print }))
    local view = "view: argument 1: expected a dtype (a:reshape(shape) changes the axes), got "
    assert.equals(view .. "table", misuse(a.view, a, { 3, 2 }))
    assert.equals(view .. "integer", misuse(a.view, a, 3, 2))
    local ok, e = pcall(a.to, a, "float64")
    assert.is_false(ok)
    assert.matches("there is no device 'float64': it is a dtype, to which a:astype converts$",
      tostring(e))
  end)

  it("of sources come after the compiler's errors, and only with them", function()
    assert.matches("^[^\n]*error: texture is not a template\n.*\n'texture': texture and surface "
      .. "references are gone[^\n]*$", refused "texture")
    local template = cuda.template "__global__ void k($(T) *x, ${n}) { x[0] = 1; }"
    local ok, e = pcall(cuda.compile, template { T = "float" })
    assert.is_false(ok)
    assert.matches("'${name}': cuda.template", tostring(e))
    assert.is_truthy(cuda.compile [[
      #include <cub/block/block_reduce.cuh>
      #include <cub/warp/warp_reduce.cuh>
      __global__ void k(char *text) { const char *s = "${name} texture<float>"; text[0] = s[0]; }]])
    local clusters = tostring(select(2, pcall(cuda.compile, [[
      #include <cooperative_groups.h>
      __global__ void __cluster_dims__(2) k() { cooperative_groups::this_cluster().sync(); }]])))
    assert.equals(1, select(2, clusters:gsub("clusters came with", "")))
    local other = select(2, pcall(cuda.compile, [[
      __global__ void k(char *text) { const char *s = "${name}"; text[0] = missing; }]]))
    assert.matches('identifier "missing" is undefined', tostring(other))
    assert.not_matches("template", tostring(other))
  end)

  it("are readable where the mistake is made", function()
    assert.equals("luacuda has no 'mem_alloc': cuda.alloc(bytes) gives raw device memory, "
      .. "cuda.empty(shape, dtype) an array", misuse(function() return cuda.mem_alloc end))
    assert.equals("k: launch: unknown key 'shared_mem': the option 'shared' is the dynamic shared "
      .. "memory in bytes",
      misuse(cuda.kernel(KERNEL, "k"), { grid = 1, block = 1, shared_mem = 4 }, cuda.zeros(1)))
  end)
end)
