-- Communicators: what launchers say, and ranks that mpirun starts (spec/support/nccl_ranks.lua).
local helper = require "spec.helper"
require "luacuda"
local launch = require "luacuda.nccl.launch"
local support = require "spec.support.ranks" (function(reason) pending(reason) end)

local ranks, fake_gpus = support.run, support.fake_gpus

local function reader(variables) return function(name) return variables[name] end end

describe("the launcher's environment", function()
  local function read(variables) return launch.read(reader(variables)) end

  it("is that of torchrun, Open MPI, MPICH or Slurm", function()
    assert.same({ launcher = "torchrun", mpi = false, rank = 3, size = 8, local_rank = 1 },
      read { RANK = "3", WORLD_SIZE = "8", LOCAL_RANK = "1" })
    assert.same({ launcher = "Open MPI", mpi = true, rank = 1, size = 2, local_rank = 0 },
      read { OMPI_COMM_WORLD_RANK = "1", OMPI_COMM_WORLD_SIZE = "2",
        OMPI_COMM_WORLD_LOCAL_RANK = "0", SLURM_PROCID = "0", SLURM_NTASKS = "1" })
    assert.same({ launcher = "MPICH", mpi = true, rank = 0, size = 4, local_rank = 0 },
      read { PMI_RANK = "0", PMI_SIZE = "4" })
    assert.same({ launcher = "Slurm", mpi = false, rank = 5, size = 16, local_rank = 1 },
      read { SLURM_PROCID = "5", SLURM_NTASKS = "16", SLURM_LOCALID = "1" })
    assert.same({ launcher = "Slurm", mpi = true, rank = 5, size = 16, local_rank = 1 },
      read { PMI_RANK = "5", PMI_SIZE = "16", SLURM_PROCID = "5", SLURM_NTASKS = "16",
        SLURM_LOCALID = "1" })
    assert.same({ launcher = "MPICH", mpi = true, rank = 1, size = 4, local_rank = 0 },
      read { PMI_RANK = "1", PMI_SIZE = "4", MPI_LOCALRANKID = "0", SLURM_PROCID = "0",
        SLURM_NTASKS = "1" })
  end)

  it("is one rank without a launcher", function()
    assert.same({ launcher = "none", mpi = false, rank = 0, size = 1, local_rank = 0 }, read {})
    assert.equal("none", read { RANK = "1" }.launcher) -- a size is needed, too
  end)

  it("is checked", function()
    assert.matches("RANK is 'two', not a number",
      helper.misuse(read, { RANK = "two", WORLD_SIZE = "2" }))
    assert.matches("RANK is 2, but WORLD_SIZE is 2",
      helper.misuse(read, { RANK = "2", WORLD_SIZE = "2" }))
  end)
end)

-- A graph keeps the communicator, but does not use it after its end.
local CLOSED = [[
  local cuda = require "luacuda"
  local comm = cuda.nccl.init()
  local x = cuda.ones(3)
  local g = cuda.graph(function() comm:all_reduce(x, { out = x }) end)
  local copy = g:clone()
  copy:launch()
  comm:close()
  for _, graph in ipairs { g, copy } do
    local ok, e = pcall(graph.launch, graph)
    assert(not ok and e.kind == "communication" and e.message:find "communicator was closed", e)
  end
  assert(x:sum() == 3)
]]

describe("ranks on the CPU device", function()
  local script = helper.read_file "spec/support/nccl_ranks.lua"

  for _, n in ipairs { 2, 4 } do
    it(("exchange what plain Lua computes, %d of them"):format(n), function()
      local ok, output = ranks(n, script)
      assert.is_true(ok, output)
      for r = 0, n - 1 do assert.matches(("rank %d: %%d%%d%%d+ cases"):format(r), output) end
    end)
  end

  it("exchange the same over MPICH", function()
    local ok, output = ranks(2, script, nil, "mpiexec.mpich")
    assert.is_true(ok, output)
    for r = 0, 1 do assert.matches(("rank %d: %%d%%d%%d+ cases"):format(r), output) end
  end)

  it("raise when one of them does not come, within the time limit", function()
    local ok, output = ranks(2, [[
      local cuda = require "luacuda"
      local comm = cuda.nccl.init { timeout_ms = 1500 }
      if comm.rank == 1 then os.exit(0, true) end
      local started = os.time()
      comm:all_reduce(cuda.ones(3))
      local ok, e = pcall(cuda.synchronize)
      local limit = require("spec.support.limits").seconds(10)
      assert(not ok and e.kind == "communication" and os.time() - started < limit, e)
      io.stderr:write(tostring(e), "\n")
      ok, e = pcall(comm.all_reduce, comm, 1)
      io.stderr:write(tostring(e), "\n")
      comm:close()
    ]])
    assert.is_false(ok) -- a rank that failed lets mpirun end the job
    assert.matches("all_reduce: not done after 1500 ms: a rank has not called it", output)
    assert.matches("an earlier operation of a communicator failed in this process", output)
  end)

  it("are one where nothing starts more, without MPI", function()
    local ok, output = helper.lua([[
      local cuda = require "luacuda"
      local comm = cuda.nccl.init()
      assert(comm.size == 1 and comm.rank == 0 and cuda.nccl.init() == comm)
      local x = cuda.arange(4)
      assert(comm:all_reduce(x):equals(x) and comm:all_gather(x):equals(x))
      assert(comm:all_reduce(2.5) == 2.5 and comm:broadcast(x) == x and comm:scatter(x):equals(x))
      local y = cuda.zeros(4, "int64")
      comm:group(function() comm:send(x, 0) comm:recv(y, 0) end)
      assert(y:equals(x))
      local part = comm:split(3)
      assert(part.size == 1 and comm:split() == nil)
      comm:close()
      comm:close()
      assert(part:all_to_all(x):equals(x) and not pcall(comm.all_reduce, comm, x))
      assert(tostring(comm) == "luacuda.Communicator (closed)")
      local again <close> = cuda.nccl.init()
      assert(again:reduce(1) == 1)
    ]], { env = { LUACUDA_DEVICE = "cpu", LUACUDA_LIBMPI = "off" } })
    assert.is_true(ok, output)
  end)

  it("of one do not receive what was not sent like that", function()
    local ok, output = helper.lua([[
      local cuda = require "luacuda"
      local comm = cuda.nccl.init()
      local x = cuda.arange(2, "float64")
      local function fails(message, fn)
        fn()
        local ok, e = pcall(cuda.synchronize)
        assert(not ok and e.kind == "communication" and e.message:find(message, 1, true), e)
      end
      local function exchanged(out)
        return function() comm:group(function() comm:send(x, 0) comm:recv(out, 0) end) end
      end
      fails("recv: 8 elements of float64 were expected, and 2 of float64 came",
        exchanged(cuda.zeros(8, "float64")))
      fails("recv: 2 elements of int64 were expected, and 2 of float64 came",
        exchanged(cuda.zeros(2, "int64")))
      fails("recv: the only rank sends nothing", function() comm:recv(x, 0) end)
      fails("send: the only rank receives nothing", function() comm:send(x, 0) end)
      assert(x:equals(cuda.arange(2)))
    ]], { env = { LUACUDA_DEVICE = "cpu", LUACUDA_LIBMPI = "off" } })
    assert.is_true(ok, output)
  end)

  it("are not used by graphs after the communicator was closed", function()
    for _, env in ipairs { { LUACUDA_DEVICE = "cpu", LUACUDA_LIBMPI = "off" }, fake_gpus() } do
      local ok, output = helper.lua(CLOSED, { env = env })
      assert.is_true(ok, output)
    end
  end)

  for what, case in pairs {
    ["another number of elements"] = { "cuda.zeros(8)",
      "recv: 8 elements were expected, and 2 came" },
    ["another dtype"] = { "cuda.zeros(2, 'int32')", "recv: not done after 1500 ms" },
  } do
    it("do not receive " .. what .. " than was sent", function()
      local _, output = ranks(2, ([[
        local cuda = require "luacuda"
        local comm = cuda.nccl.init { timeout_ms = 1500 }
        if comm.rank == 0 then comm:send(cuda.ones(2), 1)
        else comm:recv(%s, 0) end
        local ok, e = pcall(cuda.synchronize)
        if comm.rank == 1 then io.stderr:write(ok and "received" or e.message, "\n") end
      ]]):format(case[1]))
      assert.matches(case[2], output, 1, true)
    end)
  end

  it("say that MPI is missing, or that it is not what started them", function()
    local code = [[print(pcall(require("luacuda").nccl.init, { timeout_ms = 3000 }))]]
    local env = { LUACUDA_DEVICE = "cpu", RANK = 0, WORLD_SIZE = 2, LUACUDA_LIBMPI = "off" }
    local _, output = helper.lua(code, { env = env })
    assert.matches("LUACUDA_LIBMPI forbids MPI", output)
    env.LUACUDA_LIBMPI = "/nowhere/libmpi.so"
    _, output = helper.lua(code, { env = env })
    assert.matches("LUACUDA_LIBMPI names /nowhere/libmpi.so, which cannot be opened", output)
    env.LUACUDA_LIBMPI = "libm.so.6"
    _, output = helper.lua(code, { env = env })
    assert.matches("the MPI in libm.so.6 cannot be used: it has no MPI_Get_library_version", output)
  end)
end)

describe("ranks on GPUs", function()
  it("exchange what plain Lua computes", function()
    local ok, output = ranks(2, helper.read_file "spec/support/nccl_ranks.lua", fake_gpus())
    assert.is_true(ok, output)
    for r = 0, 1 do assert.matches(("rank %d: %%d%%d%%d+ cases"):format(r), output) end
  end)

  it("meet through a file, which is gone afterwards", function()
    local path = helper.tmpdir() .. "/meeting"
    local ok, output = ranks(2, ([[
      local cuda = require "luacuda"
      local comm <close> = cuda.nccl.init { file = %q }
      assert(comm:all_reduce(1) == 2 and comm.device.kind == "gpu")
      assert(os.getenv "NCCL_COMM_ID" == nil)
      comm:barrier()
    ]]):format(path), fake_gpus())
    assert.is_true(ok, output)
    assert.is_nil(io.open(path))
  end)

  it("raise when one of them does not come, and leave no wait behind", function()
    local ok, output = ranks(2, [[
      local cuda = require "luacuda"
      local comm = cuda.nccl.init { timeout_ms = 500 }
      if comm.rank == 1 then os.exit(0, true) end
      local x, started = cuda.ones(3), os.time()
      local y = comm:all_reduce(x)
      local ok, e = pcall(y.totable, y)
      local limit = require("spec.support.limits").seconds(10)
      assert(not ok and e.kind == "communication" and os.time() - started < limit, e)
      io.stderr:write(tostring(e), "\n")
      ok, e = pcall(comm.all_reduce, comm, x)
      io.stderr:write(tostring(e), "\n")
      comm:close()
      os.exit(1)
    ]], fake_gpus { FAKE_NCCL_TIMEOUT_MS = 2000 })
    assert.is_false(ok)
    assert.matches("is not done after 500 ms: a rank has not called it", output)
    assert.matches("an earlier operation of the communicator failed; close it", output)
  end)

  -- The driver waits for the device in these calls, and would do so for ever.
  it("raise where the driver would wait for an operation that hangs", function()
    local _, output = ranks(2, [[
      local cuda = require "luacuda"
      local comm = cuda.nccl.init { timeout_ms = 500 }
      local x = cuda.ones(3)
      x:add(1, { out = x })
      local calls = {
        { "load", function() cuda.kernel("__global__ void k() {}", "k"):compile() end },
        { "pin", function() cuda.pinned(9) end },
        { "graph", function() cuda.graph(function() x:add(1, { out = x }) end) end },
        { "trim", function() cuda.pool():trim() end },
      }
      local parts = {}
      for i = 1, #calls do parts[i] = comm:split(0) end
      cuda.synchronize()
      if comm.rank == 1 then os.exit(0, true) end
      for i, call in ipairs(calls) do
        parts[i]:all_reduce(cuda.ones(3), { stream = cuda.stream() })
        local ok, e = pcall(call[2])
        assert(not ok and e.kind == "communication", call[1])
        io.stderr:write(call[1], ": ", tostring(e), "\n")
      end
      os.exit(1)
    ]], fake_gpus { FAKE_NCCL_TIMEOUT_MS = 3000 })
    for _, call in ipairs { "load", "pin", "graph", "trim" } do
      assert.matches(call .. ": [^\n]*an operation of a communicator is not done after 500 ms",
        output)
    end
  end)

  it("leave the variables of the environment as they were", function()
    local code = [[
      local cuda = require "luacuda"
      local before = os.getenv "NCCL_COMM_ID"
      local comm <close> = cuda.nccl.init()
      assert(comm:all_reduce(1) == 2 and os.getenv "NCCL_COMM_ID" == before)
      assert(before == %s)
    ]]
    local ok, output = ranks(2, code:format "nil", fake_gpus())
    assert.is_true(ok, output)
    ok, output = ranks(2, code:format "'here:1234'", fake_gpus { NCCL_COMM_ID = "here:1234" })
    assert.is_true(ok, output)
  end)

  it("raise when a graph waits for a rank that does not come", function()
    local _, output = ranks(2, [[
      local cuda = require "luacuda"
      local comm = cuda.nccl.init { timeout_ms = 500 }
      local x, started = cuda.ones(3), os.time()
      local g = cuda.graph(function() comm:all_reduce(x, { out = x }) end)
      if comm.rank == 1 then os.exit(0, true) end
      g:launch()
      local ok, e = pcall(cuda.synchronize)
      local limit = require("spec.support.limits").seconds(10)
      assert(not ok and e.kind == "communication" and os.time() - started < limit, e)
      io.stderr:write(tostring(e), "\n")
      ok, e = pcall(g.launch, g)
      io.stderr:write(tostring(e), "\n")
      os.exit(1)
    ]], fake_gpus { FAKE_NCCL_TIMEOUT_MS = 2000 })
    assert.matches("is not done after 500 ms: a rank has not called it", output)
    assert.matches("an earlier operation of the communicator failed; close it", output)
  end)

  it("do not count the work before an operation against its time limit", function()
    local ok, output = ranks(2, [==[
      local cuda = require "luacuda"
      local comm <close> = cuda.nccl.init { timeout_ms = 900 }
      local slow = cuda.kernel([[
        __global__ void spin(unsigned long long ns, int *done) {
          unsigned long long now, begin;
          asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
          do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
          while (now - begin < ns);
          *done = 1;
        }]])
      local done = cuda.zeros(1, "int32")
      local g = cuda.graph(function() comm:all_reduce(done, { out = done }) end)
      comm:barrier()
      slow({ grid = 1, block = 1 }, 1200000000, done)
      assert(comm:all_reduce(done):item() == 2)
      slow({ grid = 1, block = 1 }, 1200000000, done)
      g:launch()
      assert(done:item() == 2)
    ]==], fake_gpus())
    assert.is_true(ok, output)
  end)

  it("are interrupted by a signal, which ends their operations", function()
    local _, output = ranks(2, [[
      local cuda = require "luacuda"
      local comm = cuda.nccl.init { timeout_ms = 30000 }
      if comm.rank == 1 then
        os.execute "sleep 1"
        os.exit(0, true)
      end
      local pid = io.open "/proc/self/stat":read "n"
      local function interrupted(fn, ...)
        local started = os.time()
        os.execute(("(sleep 0.3; kill -INT %d) &"):format(pid))
        local ok, e = pcall(fn, ...)
        assert(not ok and os.time() - started < require("spec.support.limits").seconds(5), e)
        io.stderr:write(tostring(e), "\n")
      end
      interrupted(cuda.synchronize, comm:all_reduce(cuda.ones(3)) and nil)
      local ok, e = pcall(comm.all_reduce, comm, cuda.ones(3))
      io.stderr:write(tostring(e), "\n")
      os.exit(1)
    ]], fake_gpus { FAKE_NCCL_TIMEOUT_MS = 1000 })
    assert.matches("interrupted!", output)
    assert.matches("an earlier operation of the communicator failed; close it", output)
  end)

  it("of one process are computed in a group", function()
    local ok, output = helper.lua([[
      local cuda = require "luacuda"
      local gpus, comms, x = {}, nil, {}
      for _, d in ipairs(cuda.devices()) do if d.kind == "gpu" then gpus[#gpus + 1] = d end end
      assert(#gpus == 3)
      comms = cuda.nccl.init_all(gpus)
      local function all(fn)
        return cuda.nccl.group(comms, function()
          local list = {}
          for i, comm in ipairs(comms) do list[i] = fn(comm, x[i], i) or false end
          return list
        end)
      end
      for i, d in ipairs(gpus) do
        assert(comms[i].rank == i - 1 and comms[i].size == 3 and comms[i].device == d)
        x[i] = cuda.array({ i, 10 * i, 100 * i }, "float32", { device = d })
      end
      for _, y in ipairs(all(function(c, a) return c:all_reduce(a) end)) do
        assert(table.concat(y:totable(), " ") == "6.0 60.0 600.0")
      end
      for _, y in ipairs(all(function(c, a) return c:all_reduce(a, { op = "max" }) end)) do
        assert(table.concat(y:totable(), " ") == "3.0 30.0 300.0")
      end
      for i, y in ipairs(all(function(c, a) return c:reduce_scatter(a) end)) do
        assert(y:item() == 6 * 10 ^ (i - 1))
      end
      for _, y in ipairs(all(function(c, a) return c:all_gather(a) end)) do
        assert(table.concat(y:totable(), " ") == "1.0 10.0 100.0 2.0 20.0 200.0 3.0 30.0 300.0")
      end
      for i, y in ipairs(all(function(c, a) return c:all_to_all(a) end)) do
        local k = 10 ^ (i - 1)
        assert(y[1] == k and y[2] == 2 * k and y[3] == 3 * k)
      end
      local parts = all(function(c, a) return c:gather(a, { root = 1 }) end)
      assert(not parts[1] and not parts[3] and parts[2].size == 9 and parts[2][9] == 300)
      all(function(c, a) c:broadcast(a, { root = 2 }) end)
      for i = 1, 3 do assert(x[i][1] == 3 and x[i][3] == 300) end
      local ok = pcall(cuda.nccl.group, comms, function() comms[1]:all_reduce(x[1], { op = 1 }) end)
      assert(not ok)
      local streams = {}
      for i, d in ipairs(gpus) do streams[i] = cuda.stream { device = d } end
      local sums = cuda.nccl.group(comms, function()
        local list = {}
        for i, comm in ipairs(comms) do list[i] = comm:all_reduce(x[i]) end
        return list
      end, { streams = streams })
      assert(sums[2][1] == 9 and not pcall(cuda.nccl.group, comms, print, { streams = {} }))
      local _, e = pcall(cuda.nccl.group, comms, print,
        { streams = { streams[2], streams[1], streams[3] } })
      assert(e:find "option 'streams': item 1: expected a Stream of gpu0", e)
      for i = 3, 1, -1 do comms[i]:close() end
      for _, bad in ipairs { 3, {}, { "gpu0" }, { gpus[1], gpus[1] } } do
        assert(not pcall(cuda.nccl.init_all, bad))
      end
    ]], { env = fake_gpus { LUACUDA_CPU_GPUS = 3 } })
    assert.is_true(ok, output)
  end)

  it("queue operations without NCCL's threads, unless NCCL is to connect late", function()
    local code = [[
      local cuda = require "luacuda"
      local comm <close> = cuda.nccl.init()
      local ok, e = pcall(function()
        local x = cuda.ones(3)
        for _, op in ipairs { "all_reduce", "reduce", "broadcast", "all_gather", "reduce_scatter" }
        do comm[op](comm, x) end
        return x:sum()
      end)
      print(ok, e)
    ]]
    -- operations of the first communicator are queued in groups
    local env = fake_gpus { FAKE_NCCL_FAIL = "ncclGroupStart 5" }
    local _, text = helper.lua(code, { env = env })
    assert.matches("^true\t3", text)
    env.NCCL_RUNTIME_CONNECT = 1
    _, text = helper.lua(code, { env = env })
    assert.matches("^false\t.*ncclGroupStart failed", text)
  end)

  it("keep operations of both communicators of NCCL in order, on two streams", function()
    local ok, output = helper.lua([[
      local cuda = require "luacuda"
      local comm <close> = cuda.nccl.init()
      local a, b = cuda.stream(), cuda.stream()
      local x, y, z = cuda.zeros(1), cuda.ones(1), cuda.zeros(1)
      local function exchange(stream)
        comm:group(function() comm:send(y, 0) comm:recv(z, 0) end, { stream = stream })
      end
      exchange(b) -- from here on the arrays are used on one stream each
      cuda.synchronize()
      comm:all_reduce(x, { out = x, stream = a })
      io.stderr:write "to send and receive\n"
      exchange(b)
      io.stderr:write "the same again\n"
      exchange(b)
      io.stderr:write "to all_reduce\n"
      comm:all_reduce(x, { out = x, stream = a })
      io.stderr:write "end\n"
    ]], { env = fake_gpus { LUACUDA_DEBUG = "api" } })
    assert.is_true(ok, output)
    local function waits(from, to)
      return output:match(from .. "\n(.*)\n" .. to):find "cuStreamWaitEvent" ~= nil
    end
    assert.is_true(waits("to send and receive", "the same again"))
    assert.is_false(waits("the same again", "to all_reduce"))
    assert.is_true(waits("to all_reduce", "end"))
  end)

  it("do not fill the driver's queue", function()
    local ok, output = helper.lua([[
      local cuda = require "luacuda"
      local comm <close> = cuda.nccl.init()
      local x = cuda.zeros(1)
      for _ = 1, 1000 do
        comm:all_reduce(x, { out = x })
        x:add(1, { out = x })
      end
      assert(x:item() == 1000)
    ]], { env = fake_gpus { LUACUDA_DEBUG = "api" } })
    assert.is_true(ok, output)
    local waits = 0
    for _ in output:gmatch "api cuStreamSynchronize" do waits = waits + 1 end
    assert.is_true(waits >= 3 and waits <= 6, waits)
  end)

  it("say which call of NCCL failed, and why it cannot be used", function()
    local code = [[
      local cuda = require "luacuda"
      local ok, e = pcall(function()
        local comm = cuda.nccl.init { timeout_ms = 1000 }
        local x, y = cuda.ones(1), cuda.ones(1)
        comm:group(function() comm:all_reduce(x) comm:all_reduce(y) end)
        return comm:all_reduce(1)
      end)
      print(ok, e, cuda.is_error(e) and e.kind)
    ]]
    local function output(more)
      local _, text = helper.lua(code, { env = fake_gpus(more) })
      return text
    end
    assert.matches("^true\t1\t", output())
    local calls = { ncclCommInitRankConfig = 3, ncclCommSplit = 3, ncclAllReduce = 2,
      ncclGroupEnd = 5 }
    for call, at in pairs(calls) do
      assert.matches(call .. " failed: nccl%u%a+ %(.*communication",
        output { FAKE_NCCL_FAIL = call .. " " .. at })
    end
    assert.matches("LUACUDA_LIBNCCL forbids NCCL", output { LUACUDA_LIBNCCL = "off" })
    assert.matches("LUACUDA_LIBNCCL names /nowhere, which cannot be opened",
      output { LUACUDA_LIBNCCL = "/nowhere" })
    assert.matches("libm.so.6 cannot be used: it has no nccl",
      output { LUACUDA_LIBNCCL = "libm.so.6" })
    assert.matches("torchrun does not say where 2 ranks meet: set MASTER_ADDR",
      output { RANK = 0, WORLD_SIZE = 2 })
    assert.matches("local rank 5 has no GPU: this process sees 2",
      output { RANK = 5, WORLD_SIZE = 8, LUACUDA_CPU_GPUS = 2 })
  end)

  it("meet where the launcher says", function()
    local rendezvous = require "luacuda.nccl.rendezvous"
    local function address(variables, launcher)
      return rendezvous.address({ launcher = launcher or "torchrun", size = 2 }, reader(variables))
    end
    assert.equal("node1:29500", address { MASTER_ADDR = "node1", MASTER_PORT = "29500" })
    assert.equal("node1:29501", address { MASTER_ADDR = "node1", MASTER_PORT = "29500",
      TORCHELASTIC_USE_AGENT_STORE = "True" })
    assert.equal("here:1", address { NCCL_COMM_ID = "here:1", MASTER_ADDR = "node1",
      MASTER_PORT = "29500" })
    local slurm = { SLURM_STEP_NODELIST = "gpu[07-09,12],big1", SLURM_JOB_ID = "42",
      SLURM_STEP_ID = "0" }
    local at = address(slurm, "Slurm")
    assert.matches("^gpu07:2%d%d%d%d$", at:gsub(":3", ":2"))
    slurm.SLURM_STEP_ID = "1"
    assert.not_equal(at, address(slurm, "Slurm"))
    assert.equal("big1", rendezvous.first_host "big1,big2")
    assert.matches("^127%.0%.0%.1:%d+$",
      address({ PMIX_NAMESPACE = "1234", OMPI_COMM_WORLD_LOCAL_SIZE = "2" }, "Open MPI"))
    assert.is_nil(address({ PMIX_NAMESPACE = "1", OMPI_COMM_WORLD_LOCAL_SIZE = "1" }, "Open MPI"))
    assert.is_nil(address {})
  end)
end)
