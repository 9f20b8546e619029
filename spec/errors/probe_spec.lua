-- Queries while a fault is pending: no query raises or clears it, and the next call that waits
-- raises it.
local helper = require "spec.helper"
local cuda = require "luacuda"
local core = require "luacuda.core"

local OVERRUN = "__global__ void overrun(float *x) { if (x) *(float *)8 = 1; }"

-- One object of every class, made before any fault, by name.
local function objects(device)
  local array = cuda.zeros(4)
  local point = cuda.struct { { "x", "float32" }, { "n", "int32", 3 } }
  local kernel = cuda.kernel(OVERRUN):compile()
  local module = cuda.module("__device__ int counter; __global__ void f(int *p) { *p = counter; }")
    :compile()
  local stream = cuda.stream()
  local cuarray = cuda.cuda_array({ 4, 4 }, { surface = true })
  local function twice(x) return x * 2 end
  local made = {
    Capsule = array:dlpack(), Linker = cuda.linker(), Device = device,
    Partition = device:partition({ sms = 1 })[1], Stream = stream,
    Event = cuda.event():record(stream), Array = array,
    Graph = (cuda.graph(function() array:fill(1) end)),
    Module = module, Kernel = kernel,
    Prepared = kernel:prepare { grid = 1, block = 1 }, Scalar = cuda.float32(1),
    Pointer = cuda.ptr(16),
    Argument = cuda.input { 1, 2 }, Struct = point, Complex = cuda.complex(1, 2),
    Elementwise = cuda.elementwise("T x", "T y", "y = x", "same"), Reduction = cuda.reduction("T x",
      "T y", "x", "a + b", "y = a", 0, "r"),
    Fused = cuda.fuse(twice), Range = cuda.range "probe", Shape = array.shape,
    Record = cuda.empty(3, point)[1],
    CuArray = cuarray, Texture = cuda.texture(cuarray), Surface = cuda.surface(cuarray),
  }
  local others = {
    Scan = cuda.scan("T x", "T y", "x", "a + b", 0, "running"), Pool = cuda.pool(),
    Generator = cuda.random.generator(1),
    Template = cuda.template "__global__ void k(float *p) {}",
    Source = cuda.template("__global__ void k(float *p) {}") {},
    host = cuda.pinned(3), managed = cuda.managed(3), view = array:slice { 1, 2 },
    error = select(2, pcall(cuda.compile, "broken")), global = module:global "counter",
    kernels = module.kernels,
  }
  return made, others
end

-- Objects that are closed while the fault is pending.
local function doom(others)
  others.doomed_array, others.doomed_host = cuda.ones(4), cuda.pinned(2)
  others.doomed_stream, others.doomed_event = cuda.stream(), cuda.event():record()
  others.doomed_module = cuda.module(OVERRUN):compile()
  others.doomed_graph = cuda.graph(function() others.doomed_array:fill(1) end)
  others.doomed_cuarray = cuda.cuda_array(4)
  others.doomed_texture = cuda.texture(others.doomed_cuarray)
end

local function probes(made, others)
  local list = {}
  local function add(name, fn) list[#list + 1] = { name = name, fn = fn } end
  local function add_text(name, object)
    add("tostring of " .. name, function() assert(type(tostring(object)) == "string") end)
  end
  for class, object in pairs(made) do
    add_text(class, object)
    add("type of " .. class, function() assert(core.type(object)) end)
    local _, getters, meta = core.class(class)
    for name in pairs(getters) do add(class .. "." .. name, function() return object[name] end) end
    if meta.__len then add("# of " .. class, function() return #object end) end
    if meta.__eq then
      add("== of " .. class, function() return object == object end) -- luacheck: ignore
    end
    if meta.__complete then
      add("completion of " .. class, function() return meta.__complete(object) end)
    end
  end
  for name, object in pairs(others) do add_text(name, object) end
  local device, stream, event, kernel = made.Device, made.Stream, made.Event, made.Kernel
  local function questions(prefix, fns)
    for name, fn in pairs(fns) do add(prefix .. name, fn) end
  end
  questions("", {
    ["stream:is_done"] = function() stream:is_done() end,
    ["null stream:is_done"] = function() device.null_stream:is_done() end,
    ["event:is_done"] = function() event:is_done() end,
    ["device:memory_info"] = function() device:memory_info() end,
    ["device:attributes"] = function() device:attributes() end,
    ["device:attribute"] = function() device:attribute "warp_size" end,
    ["device:supports"] = function() device:supports "cooperative_launch" end,
    ["device:limit"] = function() device:limit "stack_size" end,
    ["device:can_access_peer"] = function() device:can_access_peer(device) end,
    ["mem_info"] = function() cuda.mem_info() end,
    ["pool:stats"] = function() cuda.pool():stats() end,
    ["pool:limit"] = function() cuda.pool():limit() end,
    ["diagnose"] = function() cuda.diagnose() end,
    ["devices"] = function() cuda.devices() end,
    ["versions"] = function() cuda.versions() end,
    ["available"] = function() cuda.available() end,
    ["use"] = function() cuda.use(device) end,
    ["is_error"] = function() cuda.is_error(others.error) end,
    ["help"] = function() cuda.help(made.Array) end,
    ["kernel:occupancy"] = function() kernel:occupancy(32) end,
    ["module:kernels"] = function() made.Module:kernels() end,
    ["_live"] = function() core._live() end,
    ["collection"] = function() collectgarbage() end,
    ["freed array"] = function() others.doomed_array:free() end,
    ["freed pinned array"] = function() others.doomed_host:free() end,
    ["closed stream"] = function() others.doomed_stream:close() end,
    ["closed event"] = function() others.doomed_event:close() end,
    ["closed CUDA array"] = function() others.doomed_cuarray:close() end,
    ["closed texture"] = function() others.doomed_texture:close() end,
    ["closed graph"] = function() others.doomed_graph:close() end,
    ["closed module"] = function() others.doomed_module:close() end,
  })
  return list
end

-- Only on the CPU device: a GPU is unusable after a fault.
describe("while a fault is pending, no query on the CPU device raises or clears it:", function()
  local previous, made, others

  setup(function()
    previous = cuda.use "cpu"
    made, others = objects(cuda.device())
  end)

  teardown(function()
    cuda.use(previous)
    made, others = nil, nil
    collectgarbage()
  end)

  local function end_doomed()
    for name, object in pairs(others) do
      if name:find "^doomed_" then object:free() end
    end
  end

  local function raise_it()
    end_doomed()
    local ok, e = pcall(cuda.synchronize)
    assert.is_false(ok)
    assert.equal("overrun", e.kernel)
    assert.equal("null pointer", e.fault)
    assert.same({ 0, 0, 0 }, e.thread)
    assert.is_nil(e.message:find("happened earlier", 1, true))
    cuda.synchronize()
  end

  -- Still in the driver, or already found and recorded by a query.
  local function fault(found)
    doom(others)
    made.Kernel({ grid = 1, block = 1 }, made.Array)
    made.Event:record(made.Device.null_stream)
    repeat until not found or made.Device.null_stream:is_done()
  end

  it("one by one", function()
    for _, probe in ipairs(probes(made, others)) do
      for _, found in ipairs { false, true } do
        fault(found)
        local ok, e = pcall(probe.fn)
        assert.is_true(ok, probe.name .. ": " .. tostring(e))
        local raised, why = pcall(raise_it)
        assert.is_true(raised, ("after %s (found %s): %s"):format(probe.name, found, tostring(why)))
      end
    end
  end)

  it("all together", function()
    fault(false)
    for _, probe in ipairs(probes(made, others)) do
      local ok, e = pcall(probe.fn)
      assert.is_true(ok, probe.name .. ": " .. tostring(e))
    end
    raise_it()
  end)

  -- A communicator needs Open MPI.
  it("and every class with a text is among them", function()
    for class in pairs(debug.getregistry()["luacuda.classes"]) do
      assert.is_true(made[class] ~= nil or class == "Communicator", class)
    end
  end)

  it("work that ended in a fault counts as done", function()
    fault(false)
    while not made.Event:is_done() do end -- luacheck: ignore 542
    assert.is_true(made.Event:is_done() and made.Device.null_stream:is_done())
    local ok, e = pcall(made.Event.synchronize, made.Event)
    assert.is_true(not ok and e.kernel == "overrun")
    cuda.synchronize()
    end_doomed()
  end)

  it("is raised once by the next call that does work, complete", function()
    fault(true)
    local ok, e = pcall(cuda.zeros, 3)
    assert.is_false(ok)
    assert.equal("overrun", e.kernel)
    assert.equal(helper.line_of("local OVERRUN"), e.line)
    assert.matches("probe_spec.lua$", e.file)
    cuda.synchronize()
    end_doomed()
  end)
end)
