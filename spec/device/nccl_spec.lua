-- Communicators: what launchers say, and ranks that mpirun starts (spec/support/nccl_ranks.lua).
local helper = require "spec.helper"
require "luacuda"
local launch = require "luacuda.nccl.launch"

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

local function has_mpirun() return os.execute "command -v mpirun >/dev/null 2>&1" end

-- Runs a script as n ranks on the CPU device. Returns ok, output, exit code.
local function ranks(n, script)
  if helper.fake_gpu then pending "ranks of the CPU device: the same as without the fake GPU" end
  if helper.sanitized then pending "Open MPI itself is not clean under sanitizers" end
  if not has_mpirun() then pending "no mpirun" end
  return helper.lua(script, { env = { LUACUDA_DEVICE = "cpu", LUACUDA_CPU_THREADS = 2 },
    timeout = 60, before = ("mpirun --allow-run-as-root --oversubscribe -q -n %d"):format(n) })
end

describe("ranks on the CPU device", function()
  local script = helper.read_file "spec/support/nccl_ranks.lua"

  for _, n in ipairs { 2, 4 } do
    it(("exchange what plain Lua computes, %d of them"):format(n), function()
      local ok, output = ranks(n, script)
      assert.is_true(ok, output)
      for r = 0, n - 1 do assert.matches(("rank %d: %%d%%d%%d+ cases"):format(r), output) end
    end)
  end

  it("raise when one of them does not come, within the time limit", function()
    local ok, output = ranks(2, [[
      local cuda = require "luacuda"
      local comm = cuda.nccl.init { timeout_ms = 300 }
      if comm.rank == 1 then os.execute "sleep 1" os.exit(0, true) end
      local started = os.time()
      comm:all_reduce(cuda.ones(3))
      local ok, e = pcall(cuda.synchronize)
      assert(not ok and e.kind == "communication" and os.time() - started < 10, e)
      io.stderr:write(tostring(e), "\n")
      ok, e = pcall(comm.all_reduce, comm, 1)
      io.stderr:write(tostring(e), "\n")
      comm:close()
      os.execute "sleep 2"
    ]])
    assert.is_false(ok) -- a rank that failed lets mpirun end the job
    assert.matches("all_reduce: not done after 300 ms: a rank has not called it", output)
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
    assert.matches("libm.so.6 is not Open MPI", output)
  end)
end)
