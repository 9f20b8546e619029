-- Every public name of CuPy and PyCUDA is in LuaCUDA, raises an error that says what to use
-- instead, or is listed with a reason. spec/support/cupy_names.txt and pycuda_names.txt list the
-- names, one per line. They leave out members of enumerations and of families of SciPy that are
-- listed as a whole: the name of the family or enumeration already raises the error.
local cuda = require "luacuda"
local helper = require "spec.helper"
local UNMAPPED = require "spec.support.unmapped_names"

local SOURCE = "__global__ void k(float *x) { x[0] = 1; }"

-- Class or module -> the object of LuaCUDA where its names are looked up first.
local function counterparts()
  local array, device, generator = cuda.zeros(1), cuda.device "cpu", cuda.random.generator(1)
  local kernel, module = cuda.kernel(SOURCE), cuda.module(SOURCE)
  local stream, event, pool = cuda.stream(), cuda.event(), cuda.pool()
  local _, failure = pcall(function() cuda.kernel("syntax"):compile() end)
  return {
    ["cupy.ndarray"] = array, ["pycuda.gpuarray.GPUArray"] = array,
    ["pycuda.driver.DeviceAllocation"] = array, ["pycuda.driver.ManagedAllocation"] = array,
    ["pycuda.driver.PagelockedHostAllocation"] = array,
    ["pycuda.driver.RegisteredHostMemory"] = array,
    ["cupy.cuda.Device"] = device, ["pycuda.driver.Device"] = device,
    ["pycuda.driver.Context"] = device,
    ["cupy.cuda.Stream"] = stream, ["pycuda.driver.Stream"] = stream,
    ["cupy.cuda.Event"] = event, ["pycuda.driver.Event"] = event,
    ["cupy.RawKernel"] = kernel, ["pycuda.driver.Function"] = kernel,
    ["cupy.RawModule"] = module, ["pycuda.driver.Module"] = module,
    ["cupy.cuda.Graph"] = (cuda.graph(function() end)),
    ["pycuda.driver.Array"] = cuda.cuda_array(1),
    ["cupy.cuda.MemoryPool"] = pool, ["pycuda.tools.DeviceMemoryPool"] = pool,
    ["cupy.random"] = cuda.random, ["cupy.random.RandomState"] = generator,
    ["cupy.random.Generator"] = generator,
    ["pycuda.curandom.XORWOWRandomNumberGenerator"] = generator,
    ["cupy.cuda.profiler"] = cuda.profiler,
    ["pycuda.driver.CompileError"] = failure,
  }
end

-- The effect of reading the name: "there", "answered" (an error that names it) or "silent".
local function answer(object, name)
  local ok, value = pcall(function() return object[name] end)
  if ok then return value ~= nil and "there" or "silent" end
  return tostring(value):find("'" .. name .. "': ", 1, true) and "answered" or "silent"
end

-- The same for the whole path of a name. A member of a class is judged by the class.
local function answer_of(path, objects)
  local parent, name = path:match "^(.*)%.([^.]+)$"
  local behind = parent:match "[^.]+$"
  if objects[parent] then return answer(objects[parent], name) end
  if behind:find "^%u" then return answer(cuda, behind) end
  return answer(cuda, name)
end

local function names_of(library)
  local list = {}
  for name in io.lines(("spec/support/%s_names.txt"):format(library)) do list[#list + 1] = name end
  return list
end

local function reasons()
  local list = {}
  for reason, names in pairs(UNMAPPED) do
    for name in names:gmatch "%S+" do
      assert(not list[name], name .. " is listed twice")
      list[name] = reason
    end
  end
  return list
end

describe("the names of other libraries", function()
  before_each(function() cuda.use "cpu" end)

  for library, fewest in pairs { cupy = 1100, pycuda = 350 } do
    it(("of %s are there, answered, or listed with a reason"):format(library), function()
      local objects, listed, missing, stale = counterparts(), reasons(), {}, {}
      local names = names_of(library)
      assert.is_true(#names >= fewest, #names)
      for _, name in ipairs(names) do
        local silent = answer_of(name, objects) == "silent"
        if silent and not listed[name] then missing[#missing + 1] = name end
        if not silent and listed[name] then stale[#stale + 1] = name end
      end
      assert.equal("", table.concat(missing, " "), "neither there nor answered")
      assert.equal("", table.concat(stale, " "), "listed, but there or answered")
    end)
  end

  it("are listed once and in order, and only listed names have reasons", function()
    local known = {}
    for _, library in ipairs { "cupy", "pycuda" } do
      local before = ""
      for _, name in ipairs(names_of(library)) do
        assert(name > before and name:find("^" .. library .. "x?%."), name)
        before, known[name] = name, true
      end
    end
    for name in pairs(reasons()) do assert(known[name], name .. " is in no list") end
  end)

  it("of missing families get the same sentence when read and from cuda.help", function()
    for name, words in pairs {
      fft = "no Fourier transforms", inv = "does not factor matrices or solve equations",
      svd = "does not factor matrices or solve equations",
      solve = "does not factor matrices or solve equations", sparse = "no sparse matrices",
      bessel = "no Bessel functions", plot = "draws no plots", group_by = "no tables",
    } do
      local tail = ("'%s': LuaCUDA "):format(name)
      local read = helper.misuse(function() return cuda[name] end)
      assert.matches("^luacuda has no " .. tail, read)
      helper.contains(read, words)
      assert.not_matches("did you mean", read)
      for _, asked in ipairs { name, "cuda." .. name, "cuda.linalg." .. name, "cupy." .. name } do
        local text = helper.misuse(cuda.help, asked)
        helper.contains(text, ("help: there is nothing on '%s': LuaCUDA "):format(asked))
        helper.contains(text, words)
      end
    end
    for asked, words in pairs { ["Array.get"] = "array:totable()", ["a:get"] = "array:totable()",
      ["cp.linalg.svd"] = "does not factor", ["pycuda.driver.mem_alloc"] = "cuda.alloc(bytes)",
      ["Stream.query"] = "stream:is_done()", ["random.rand"] = "cuda.random.uniform",
      SourceModule = "cuda.module(source)" } do
      helper.contains(helper.misuse(cuda.help, asked), words)
    end
    assert.matches("^help: there is nothing on 'zeroes'; did you mean 'zeros'",
      helper.misuse(cuda.help, "zeroes"))
  end)
end)
