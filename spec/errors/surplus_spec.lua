-- Calls that look right and are not: surplus arguments, which a call must not ignore when they ask
-- for something, and wrong arguments, which a message must count and name right.
local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse

helper.for_each_device(function(device)
  local function nothing() end

  it("surplus arguments are refused", function()
    local x, s = cuda.zeros(4), cuda.stream()
    local c, p = cuda.cuda_array { 4, 4 }, cuda.profile(nothing)
    local g <close> = cuda.graph(nothing)
    local capsule = x:dlpack()
    for name, call in pairs {
      graph = { cuda.graph, nothing, { stream = s } },
      launch = { g.launch, g, s, 2 },
      update = { g.update, g, nothing, s },
      clone = { g.clone, g, s },
      dot = { g.dot, g, "graph.dot" },
      call = { s.call, s, nothing, 5 },
      dlpack = { x.dlpack, x, {}, s },
      from_dlpack = { cuda.from_dlpack, capsule, {}, s },
      register = { cuda.register, cuda.host(4), {}, 1 },
      partition = { device.partition, device, {}, 2 },
      level = { c.level, c, 1, 2 },
      array = { c.array, c, {}, s },
      set = { c.set, c, 1, {}, s },
      complex64 = { cuda.complex64, 1, 2, 3 },
      sum = { x.sum, x, {}, 3 },
      where = { cuda.where, x, nil, nil, 3 },
      alloc_pitch = { cuda.alloc_pitch, { width = 4 }, 8 },
      copy2d = { cuda.copy2d, {}, s },
      copy3d = { cuda.copy3d, {}, s },
      save = { p.save, p, "p.json", true },
      ["profiler.start"] = { cuda.profiler.start, 1 },
      ["profiler.stop"] = { cuda.profiler.stop, 1 },
    } do
      assert.equal(name .. ": too many arguments",
        misuse(table.unpack(call)):match "^[%w_.]+: too many arguments")
    end
    assert.equal("chrome: too many arguments; :save(path) writes a file",
      misuse(p.chrome, p, "p.json"))
    capsule:close()
    s:close()
  end)

  it("wrong arguments of methods are counted without the object", function()
    local a = cuda.empty(4, "float32", { reserve = 8 })
    local prefix = "resize: argument 1: expected an integer, the extent of the first axis, got "
    assert.equal(prefix .. "table", misuse(a.resize, a, { 5 }))
    assert.equal(prefix .. "nothing", misuse(a.resize, a))
    local k = cuda.kernel "__global__ void k(float *x, int n) { x[0] = n; }"
    local p = k:prepare { threads = 1 }
    assert.equal("set: argument 1: expected the number of an argument, got string",
      misuse(p.set, p, "x", 1))
    local m = cuda.managed(4, "float32")
    assert.equal("prefetch: argument 1: expected a device, got table",
      misuse(m.prefetch, m, {}, device))
    local g <close> = cuda.graph(function() k({ threads = 1 }, a, 4) end)
    assert.equal("k: expected 2 arguments, got 1", misuse(g.set, g, 1, a))
  end)

  it("what a block or a launch cannot have is named", function()
    local x, k = cuda.zeros(4), cuda.kernel "__global__ void k(float *x) { x[0] = 1; }"
    assert.equal("suggested_block: argument 1 'shared': -1 is outside 0 to 2147483647 bytes",
      misuse(k.suggested_block, k, -1))
    assert.equal("suggested_block: argument 1 'shared': expected an integer, got string",
      misuse(k.suggested_block, k, "16"))
    assert.equal("occupancy: argument 2 'shared': -1 is outside 0 to 2147483647 bytes",
      misuse(k.occupancy, k, 32, -1))
    assert.equal("k: launch: 'sync_domain': expected 'default' or 'remote', got 'far'",
      misuse(k, { threads = 1, sync_domain = "far" }, x))
  end)

  it("a CUDA array says how it becomes an array", function()
    local c = cuda.cuda_array { 2, 2 }
    helper.contains(misuse(cuda.array, c), "got CuArray float32 {2, 2}; its :array() is an Array")
  end)

  it("box copies name themselves where the array is read-only", function()
    local x = cuda.zeros(8)
    local fixed = cuda.wrap(x.pointer, 8, "float32", { owner = x, readonly = true })
    for name, copy in pairs { copy2d = cuda.copy2d, copy3d = cuda.copy3d } do
      assert.equal(name .. ": the array is read-only; a:copy() makes one that can be written",
        misuse(copy, { dst = fixed, src = x, width = 8, height = 1 }))
    end
  end)

  it("what pointer_info says of host memory", function()
    local info = cuda.pointer_info(cuda.host(4))
    assert.is_true(info == nil or info.memory == "pinned" and info.device.kind == "cpu")
  end)
end)
