-- rendezvous.lua: how the ranks of communicators of GPUs meet: at an address that all of them know,
-- or through a file that rank 0 writes.

local core = require "luacuda.core"

local FIRST_PORT, PORTS = 20000, 20000

local function hash(text)
  local h = 0
  for i = 1, #text do h = (h * 31 + text:byte(i)) % 1000003 end
  return h
end

local function port_of(job) return FIRST_PORT + hash(job) % PORTS end

-- "node[03-05,7],other" -> "node03"
local function first_host(list)
  local prefix, first = list:match "^([^,%[]+)%[([^%],%-]+)"
  return prefix and prefix .. first or list:match "^[^,]+"
end

-- torchrun listens on MASTER_PORT itself.
local function of_master(getenv)
  local host, port = getenv "MASTER_ADDR", math.tointeger(tonumber(getenv "MASTER_PORT"))
  if not host or not port then return nil end
  local taken = getenv "TORCHELASTIC_USE_AGENT_STORE" == "True"
  return ("%s:%d"):format(host, taken and port + 1 or port)
end

local function of_slurm(getenv)
  local nodes = getenv "SLURM_STEP_NODELIST" or getenv "SLURM_JOB_NODELIST"
  local job = getenv "SLURM_JOB_ID"
  if not nodes or not job then return nil end
  return ("%s:%d"):format(first_host(nodes), port_of(job .. "." .. (getenv "SLURM_STEP_ID" or "")))
end

-- All ranks on one machine: the name of the job makes the port.
local function of_machine(here, getenv)
  local job = getenv "PMIX_NAMESPACE"
  local near = tonumber(getenv "OMPI_COMM_WORLD_LOCAL_SIZE" or getenv "MPI_LOCALNRANKS")
  if not job or near ~= here.size then return nil end
  return ("127.0.0.1:%d"):format(port_of(job))
end

-- "host:port", or nil and why there is none.
local function address(here, getenv)
  getenv = getenv or os.getenv
  local given = getenv "NCCL_COMM_ID"
  if given and given ~= "" then return given end
  return of_master(getenv) or (here.launcher == "Slurm" and of_slurm(getenv) or nil)
    or of_machine(here, getenv)
end

local function read_file(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return #text == 128 and text or nil
end

-- Rank 0 writes to another name first, so that no one reads a part.
local function write_file(path, text)
  local file = assert(io.open(path .. ".part", "wb"))
  file:write(text)
  file:close()
  assert(os.rename(path .. ".part", path))
end

local function wait_for_file(path, timeout_ms)
  local deadline = os.time() + math.ceil((timeout_ms > 0 and timeout_ms or 86400000) / 1000)
  repeat
    local text = read_file(path)
    if text then return text end
    core.comm_pause(20)
  until os.time() > deadline
  core.misuse(("nccl.init: rank 0 has not written %s within %.0f ms"):format(path, timeout_ms))
end

local function name_of_file(here, file, timeout_ms)
  if here.rank > 0 then return wait_for_file(file, timeout_ms) end
  local made = core.comm_meeting()
  write_file(file, made)
  return made
end

-- The communicator of all ranks. `file`: a path that all ranks see and that does not exist yet.
local function meet(device, here, file, timeout_ms)
  local rank, size = here.rank, here.size
  if size == 1 then return core.comm_meet(device, core.comm_meeting(), 0, 1, timeout_ms) end
  if file then
    local name = name_of_file(here, file, timeout_ms)
    return core.comm_meet(device, name, rank, size, timeout_ms)
  end
  local at = address(here)
  if at then return core.comm_meet_at(device, at, rank, size, timeout_ms) end
  core.misuse(("nccl.init: %s does not say where %d ranks meet: set MASTER_ADDR and MASTER_PORT, "
    .. "or the option 'file'"):format(here.launcher, size))
end

return { meet = meet, address = address, first_host = first_host }
