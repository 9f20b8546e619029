-- The host reads and writes arrays that a kernel reaches without receiving them as arguments: by an
-- address in memory, in a struct or in a variable. Such a kernel leaves no mark on the array, so
-- the host has to wait for its stream, as a copy from or to a GPU does.
--
-- The kernel waits for 10 ms, copies the array to y, and then writes to the array. The host must
-- neither read too early nor write before the kernel has read.
local helper = require "spec.helper"
local cuda = require "luacuda"

local N, OLD, NEW, MINE = 64, 5, 7, 9
local NS = 10000000

local SOURCE = [==[
__device__ int *held;
struct Node { int before; int *p; };

__device__ static long long now() {
  long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
__device__ static void exchange(int *p, int *y, int v, int n, long long ns) {
  long long start = now();
  while (now() - start < ns) ;
  for (int i = 0; i < n; i++) { y[i] = p[i]; p[i] = v; }
}
extern "C" {
__global__ void by_address(int *p, int *y, int v, int n, long long ns) {
  exchange(p, y, v, n, ns);
}
__global__ void by_list(const unsigned long long *list, int *y, int v, int n, long long ns) {
  exchange((int *)list[1], y, v, n, ns);
}
__global__ void by_node(const Node *nodes, int *y, int v, int n, long long ns) {
  exchange(nodes[1].p, y, v, n, ns);
}
__global__ void by_struct(Node node, int *y, int v, int n, long long ns) {
  exchange(node.p, y, v, n, ns);
}
__global__ void by_variable(int *y, int v, int n, long long ns) { exchange(held, y, v, n, ns); }
__global__ void hold(int *p) { held = p; }
}]==]

local Node = cuda.struct("Node", { { "before", "int32" }, { "p", "pointer" } })
local ONE = { grid = 1, block = 1 }

-- How the kernel reaches the memory of x. run(m, x, y, keep) launches it on the current stream;
-- `keep` keeps what must live until it has run.
local WAYS = {
  { name = "an address", run = function(m, x, y)
    m:kernel "by_address"(ONE, cuda.ptr(x.pointer), y, NEW, N, NS)
  end },
  { name = "an array of pointers", run = function(m, x, y, keep)
    keep.list = cuda.array({ 0, x.pointer }, "uint64")
    m:kernel "by_list"(ONE, keep.list, y, NEW, N, NS)
  end },
  { name = "structs in memory", run = function(m, x, y, keep)
    local first, second = { before = 0, p = cuda.null }, { before = 0, p = cuda.ptr(x.pointer) }
    keep.nodes = cuda.array({ first, second }, Node)
    m:kernel "by_node"(ONE, keep.nodes, y, NEW, N, NS)
  end },
  { name = "a struct argument", run = function(m, x, y)
    m:kernel "by_struct"(ONE, { before = 0, p = cuda.ptr(x.pointer) }, y, NEW, N, NS)
  end },
  { name = "a variable", global = "held", run = function(m, x, y)
    m:global("held"):fill(x.pointer)
    m:kernel "by_variable"(ONE, y, NEW, N, NS)
  end },
  { name = "what an earlier kernel has stored", run = function(m, x, y)
    m:kernel "hold"(ONE, x)
    m:kernel "by_variable"(ONE, y, NEW, N, NS)
  end },
  { name = "another array over the memory", run = function(m, x, y, keep)
    keep.other = cuda.wrap(x.pointer, N, "int32", { owner = x })
    m:kernel "by_address"(ONE, keep.other, y, NEW, N, NS)
  end },
  { name = "a graph", run = function(m, x, y, keep)
    keep.list = cuda.array({ 0, x.pointer }, "uint64")
    keep.graph = cuda.graph(function()
      m:kernel "by_list"(ONE, keep.list, y, NEW, N, NS)
    end)
    keep.graph:launch()
  end },
}

local function all_equal(list, want)
  for i = 1, N do
    if list[i] ~= want then return false, ("[%d] is %s, not %s"):format(i, list[i], want) end
  end
  return #list == N
end

local function repeated(v)
  local list = {}
  for i = 1, N do list[i] = v end
  return list
end

local function unpacked(bytes)
  local list = { string.unpack(("i4"):rep(N), bytes) }
  list[N + 1] = nil -- the position after them
  return list
end

local function saved(name, save, load)
  return { name = name, read = function(x)
    local path = helper.tmpdir() .. "/file"
    save(x, path)
    return load(path):totable()
  end }
end

-- read(x) returns all elements.
local READS = {
  { name = "a[i]", read = function(x)
    local list = {}
    for i = N, 1, -1 do list[i] = x[i] end
    return list
  end },
  { name = "item", read = function(x)
    local list = {}
    for i = 1, N do list[i] = x:item(i) end
    return list
  end },
  { name = "ipairs", read = function(x)
    local list = {}
    for i, v in ipairs(x) do list[i] = v end
    return list
  end },
  { name = "a[i][j]", read = function(x)
    local list, rows = {}, x:reshape { N // 8, 8 }
    for i = 0, N - 1 do list[i + 1] = rows[i // 8 + 1][i % 8 + 1] end
    return list
  end },
  { name = "totable", read = function(x) return x:totable() end },
  { name = "totable of a view with gaps", read = function(x)
    local odd, even = x:slice({ 1, -1, 2 }):totable(), x:slice({ 2, -1, 2 }):totable()
    return table.move(even, 1, #even, #odd + 1, odd)
  end },
  { name = "tobytes", read = function(x) return unpacked(x:tobytes()) end },
  { name = "tostring", read = function(x)
    local list = {}
    for v in tostring(x):match(": (.*)$"):gmatch "%-?%d+" do list[#list + 1] = tonumber(v) end
    assert.is_true(#list > 2)
    for i = 2, N do list[i] = list[#list < i and 1 or i] end
    return list
  end },
  { name = "equals", read = function(x)
    return repeated(x:equals(cuda.full(N, NEW, "int32")) and NEW or OLD)
  end },
  { name = "astype", read = function(x) return x:astype("int64"):totable() end },
  { name = "a copy with another layout", read = function(x)
    return x:reshape({ 8, N // 8 }):transpose():contiguous():reshape({ N }):totable()
  end },
  { name = "copy to host memory", read = function(x)
    return cuda.copy(cuda.host(N, "int32"), x):totable()
  end },
  { name = "set of host memory", read = function(x)
    return cuda.host(N, "float64"):set(x):totable()
  end },
  { name = "dlpack", read = function(x) return cuda.from_dlpack(x:dlpack()):totable() end },
  { name = "cuda.array", read = function(x) return cuda.array(x, "int16"):totable() end },
  saved("save_npy", function(x, path) x:save_npy(path) end, cuda.load_npy),
  saved("save_npz", function(x, path) cuda.save_npz(path, { a = x }) end,
    function(path) return cuda.load_npz(path).a end),
  saved("savetxt", function(x, path) x:save_csv(path) end,
    function(path) return cuda.load_csv(path, { dtype = "int32" }):reshape { N } end),
}

-- write(x, v) writes v to all elements.
local WRITES = {
  { name = "a[i] = v", write = function(x, v) for i = 1, N do x[i] = v end end },
  { name = "setitem", write = function(x, v) for i = 1, N do x:setitem(v, i) end end },
  { name = "a[i] = list", write = function(x, v)
    local rows = x:reshape { 2, N // 2 }
    for i = 1, 2 do rows[i] = table.move(repeated(v), 1, N // 2, 1, {}) end
  end },
  { name = "set with a number", write = function(x, v) x:set(v) end },
  { name = "set with a table", write = function(x, v) x:set(repeated(v)) end },
  { name = "set with bytes", write = function(x, v) x:set(string.pack("i4", v):rep(N)) end },
  { name = "set with an array of another dtype", write = function(x, v)
    x:set(cuda.full(N, v, "float64"))
  end },
  { name = "set with host memory", write = function(x, v)
    x:set(cuda.host(N, "float32"):fill(v))
  end },
  { name = "fill", write = function(x, v) x:fill(v) end },
  { name = "fill of views with gaps", write = function(x, v)
    x:slice({ 1, -1, 2 }):fill(v)
    x:slice({ 2, -1, 2 }):fill(v)
  end },
  { name = "copy from host memory", write = function(x, v)
    cuda.copy(x, cuda.host(N, "int32"):fill(v))
  end },
  { name = "out", write = function(x, v) cuda.array(repeated(v), "int32", { out = x }) end },
}

helper.for_each_device(function(device)
  local m
  helper.each_module(SOURCE, function(module) m = module end)

  -- Two arrays, and no work on the device.
  local function start()
    local x, y = cuda.full(N, OLD, "int32"), cuda.zeros(N, "int32")
    device:synchronize()
    return x, y
  end

  local function check_read(access, x, y)
    local list = access.read(x)
    assert.is_true(all_equal(list, NEW))
    assert.is_true(all_equal(y:totable(), OLD))
  end

  local function check_write(access, x, y)
    access.write(x, MINE)
    assert.is_true(all_equal(x:totable(), MINE))
    assert.is_true(all_equal(y:totable(), OLD))
  end

  local function each_access(fn)
    for _, access in ipairs(READS) do fn(access, check_read) end
    for _, access in ipairs(WRITES) do fn(access, check_write) end
  end

  for _, way in ipairs(WAYS) do
    describe(way.name .. " reaches memory that the host uses with", function()
      before_each(function()
        if way.global then m:global(way.global) end -- it lives as long as the module
      end)
      each_access(function(access, check)
        it(access.name, function()
          local x, y = start()
          local keep = {}
          way.run(m, x, y, keep)
          check(access, x, y)
        end)
      end)
    end)
  end

  -- Other streams than the null stream, and streams that follow each other.
  local function on(stream, fn, ...) return cuda.with_stream(stream, fn, ...) end

  local ORDERS = {
    { name = "the current stream", run = function(launch, use)
      on(cuda.stream(), function()
        launch()
        use()
      end)
    end },
    { name = "a stream that the current one waits for", run = function(launch, use)
      local s, t = cuda.stream(), cuda.stream()
      on(s, launch)
      t:wait(s)
      on(t, use)
    end },
    { name = "an event that the current one waits for", run = function(launch, use)
      local s, t, e = cuda.stream(), cuda.stream(), cuda.event()
      on(s, launch)
      e:record(s)
      t:wait(e)
      on(t, use)
    end },
    { name = "a blocking stream, before the null stream", run = function(launch, use)
      on(cuda.stream { blocking = true }, launch)
      use()
    end },
    { name = "the null stream, before a blocking stream", run = function(launch, use)
      local s = cuda.stream { blocking = true }
      launch()
      on(s, use)
    end },
  }

  for _, order in ipairs(ORDERS) do
    describe(("after a kernel on %s, the host waits with"):format(order.name), function()
      each_access(function(access, check)
        it(access.name, function()
          local x, y = start()
          local list = cuda.array({ 0, x.pointer }, "uint64")
          device:synchronize()
          order.run(function()
            m:kernel "by_list"(ONE, list, y, NEW, N, NS)
          end, function() check(access, x, y) end)
        end)
      end)
    end)
  end

  it("fields of structs in memory are read and written after the kernel", function()
    local nodes, y = cuda.zeros(N // 4, Node), cuda.zeros(N, "int32")
    device:synchronize()
    m:kernel "by_address"(ONE, cuda.ptr(nodes.pointer), y, NEW, N, NS)
    assert.equal(NEW, nodes[2].before)
    m:kernel "by_address"(ONE, cuda.ptr(nodes.pointer), y, OLD, N, NS)
    nodes[2].before = MINE
    assert.equal(MINE, nodes[2].before)
    assert.equal(OLD, nodes[1].before)
    assert.is_true(all_equal(y:totable(), NEW))
    m:kernel "by_address"(ONE, cuda.ptr(nodes.pointer), y, NEW, N, NS)
    assert.equal(NEW, nodes:item(3).before)
  end)

  it("an element of a variable is read after a kernel that has its address", function()
    local module <close> = cuda.module(SOURCE)
    local held = module:global("held", { dtype = "uint32" })
    held:fill(OLD)
    local y = cuda.zeros(N, "int32")
    device:synchronize()
    m:kernel "by_address"(ONE, cuda.ptr(held.pointer), y, NEW, 2, NS)
    assert.same({ NEW, NEW }, held:totable())
    assert.equal(OLD, y[1])
  end)

  it("a fault of the kernel is raised by the read", function()
    if device.kind ~= "cpu" then return end -- a GPU does not survive it
    for _ = 1, 20 do
      local x, y = start()
      m:kernel "by_address"(ONE, cuda.null, y, NEW, N, 0)
      m:kernel "by_address"(ONE, cuda.ptr(x.pointer), y, NEW, N, 0)
      local ok, e = pcall(function() return x[1] end)
      assert.is_false(ok)
      assert.equal("launch", e.kind)
      assert.equal(NEW, x[1])
    end
  end)

  it("host memory waits only for work that it was given to", function()
    if device.kind ~= "cpu" then return end
    local stop = cuda.pinned(2, "int32", { zeros = true })
    local poll = cuda.kernel [[__global__ void poll(volatile int *word, long long ns) {
      long long start, t;
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
      do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
        if (t - start > ns) { word[1] = 1; return; }
      } while (word[0] == 0);
    }]]
    poll(ONE, cuda.ptr(stop.pointer), 20000000000)
    stop[1] = 1 -- the kernel on the current stream runs until then
    cuda.synchronize()
    assert.equal(0, stop[2])
  end)
end)

-- Copies between the CPU device and a GPU that the host carries out.
describe("memory of the CPU device that a kernel has the address of", function()
  local gpu
  for _, device in ipairs(cuda.devices()) do gpu = gpu or device.kind == "gpu" and device end
  local previous
  before_each(function() previous = cuda.use "cpu" end)
  after_each(function() cuda.use(previous) end)

  local function after_kernel(check)
    if not gpu then return end
    local m <close> = cuda.module(SOURCE)
    for _, stream in ipairs { cuda.stream(), cuda.device "cpu".null_stream } do
      local x, y = cuda.full(N, OLD, "int32"), cuda.zeros(N, "int32")
      cuda.synchronize()
      cuda.with_stream(stream, function()
        m:kernel "by_address"(ONE, cuda.ptr(x.pointer), y, NEW, N, NS)
        check(x)
      end)
      assert.is_true(all_equal(y:totable(), OLD))
    end
  end

  it("is copied to a GPU afterwards", function()
    after_kernel(function(x) assert.is_true(all_equal(x:to(gpu):totable(), NEW)) end)
  end)

  it("is written from a GPU afterwards", function()
    after_kernel(function(x)
      local mine = cuda.full(N, MINE, "int32", { device = gpu })
      cuda.copy(x, mine)
      assert.is_true(all_equal(x:totable(), MINE))
    end)
  end)

  it("is copied to an array with pitch on a GPU afterwards", function()
    after_kernel(function(x)
      local rows = cuda.alloc_pitch { width = N * 4 // 8, height = 8, device = gpu }
      cuda.copy2d { dst = rows, src = x:view "uint8", width = N * 4 // 8, height = 8,
        src_pitch = N * 4 // 8 }
      assert.is_true(all_equal(unpacked(rows:tobytes()), NEW))
    end)
  end)
end)
