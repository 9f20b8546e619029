-- nccl.lua: cuda.nccl: communicators between the processes of a program, each with a device of its
-- own.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local launch = require "luacuda.nccl.launch"
local operations = require "luacuda.nccl.operations"
local rendezvous = require "luacuda.nccl.rendezvous"

local TIMEOUT_MS = 600000 -- ten minutes

local function gpus()
  local list = {}
  for _, device in ipairs(core.devices()) do
    if device.kind == "gpu" then list[#list + 1] = device end
  end
  return list
end

-- Each process of a machine takes the GPU of its local rank. A process that sees one GPU takes
-- that: its launcher has chosen.
local function choose_device(here)
  local given = os.getenv "LUACUDA_DEVICE"
  local list = gpus()
  if (given and given ~= "") or #list == 0 then return end
  local at = #list == 1 and 0 or here.local_rank
  if at >= #list then
    arguments.fail("nccl.init", "local rank %d has no GPU: this process sees %d; start at most one "
      .. "process a GPU", here.local_rank, #list)
  end
  core.use(list[at + 1])
end

local function timeout_of(what, opts)
  local value = opts.timeout_ms
  if value == nil then return TIMEOUT_MS end
  if type(value) ~= "number" or value ~= value or value < 0 or value == math.huge then
    arguments.fail(what, "option 'timeout_ms': expected milliseconds, or 0 for no limit, got %s",
      arguments.describe(value))
  end
  return value
end

-- MPI counts the processes itself: a program that it did not start is alone.
local function check_size(comm, here)
  if comm.size == here.size then return comm end
  local size = comm.size
  comm:close()
  arguments.fail("nccl.init", "%s started %d processes, but MPI knows of %d, and ranks on the CPU "
    .. "device exchange data over MPI: start the program with mpirun, or with srun --mpi=pmix "
    .. "(Open MPI) or --mpi=pmi2 (MPICH)",
    here.launcher, here.size, size)
end

-- GPUs exchange data by NCCL, the CPU device by MPI.
local function join(device, here, file, timeout)
  if device.kind == "cpu" then
    return check_size(core.comm_join(device, here.size == 1, timeout), here)
  end
  local comm = rendezvous.meet(device, here, file, timeout)
  if file and here.rank == 0 then os.remove(file) end
  return comm
end

local world -- the communicator of all processes, made once

local function file_of(opts)
  local file = opts.file
  if file ~= nil and type(file) ~= "string" then
    arguments.fail("nccl.init", "option 'file': expected a path, got %s", arguments.describe(file))
  end
  return file
end

local function init(given)
  local opts = arguments.options("nccl.init", given, { "file", "timeout_ms" })
  local timeout = timeout_of("nccl.init", opts)
  if core.type(world) == "communicator" then return world end
  local here = launch.read()
  choose_device(here)
  world = join(core.device(), here, file_of(opts), timeout)
  return world
end

-- One communicator for each GPU of this process, without a launcher.
local function init_all(devices, given)
  local opts = arguments.options("nccl.init_all", given, { "timeout_ms" })
  local timeout, seen = timeout_of("nccl.init_all", opts), {}
  if type(devices) ~= "table" or #devices == 0 then
    arguments.fail("nccl.init_all", "argument 1 'devices': expected a list of Devices, got %s",
      arguments.describe(devices))
  end
  for i, device in ipairs(devices) do
    if core.type(device) ~= "device" or device.kind ~= "gpu" or seen[device] then
      arguments.fail("nccl.init_all", "argument 1 'devices': item %d: expected a GPU that is in "
        .. "the list once, got %s", i,
        core.type(device) == "device" and device.label or arguments.describe(device))
    end
    seen[device] = true
  end
  return core.comm_meet_all(timeout, table.unpack(devices))
end

local function streams_of(comms, given)
  local streams = arguments.options("nccl.group", given, { "streams" }).streams
  if streams == nil then return {} end
  if type(streams) ~= "table" or #streams ~= #comms then
    arguments.fail("nccl.group", "option 'streams': expected a list of %d Streams, one for each "
      .. "Communicator, got %s", #comms, arguments.describe(streams))
  end
  for i, comm in ipairs(comms) do
    if core.type(streams[i]) ~= "stream" or streams[i].device ~= comm.device then
      arguments.fail("nccl.group", "option 'streams': item %d: expected a Stream of %s, got %s", i,
        comm.device.label, arguments.describe(streams[i]))
    end
  end
  return streams
end

local function group(comms, fn, given)
  if type(comms) ~= "table" or type(fn) ~= "function" then
    arguments.fail("nccl.group", "expected a list of Communicators and a function")
  end
  for i, comm in ipairs(comms) do
    if core.type(comm) ~= "communicator" then
      arguments.fail("nccl.group", "item %d: expected a Communicator, got %s", i,
        arguments.describe(comm))
    end
  end
  return operations.group_all(comms, streams_of(comms, given), fn)
end

local function environment() return launch.read() end

return { nccl = { init = init, init_all = init_all, group = group, environment = environment } }
