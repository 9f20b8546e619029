-- launch.lua: what the program's launcher says about its processes: their number, and the place of
-- this one. Ranks count from 0, as launchers count them.

local core = require "luacuda.core"

-- One row for each launcher: the variables with the rank, the number of ranks, and the rank among
-- those of the same machine. Slurm comes last: the others may run within one of its jobs, where
-- its variables describe the job of one task that started them.
local LAUNCHERS = {
  { name = "torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK" },
  { name = "Open MPI", mpi = true,
    "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK" },
  { name = "MPICH", mpi = true, "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID" },
  { name = "Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID" },
}

local function number_in(variable, getenv)
  local text = getenv(variable)
  if text == nil or text == "" then return nil end
  local n = math.tointeger(tonumber(text))
  if not n or n < 0 then
    core.misuse(("nccl.init: %s is '%s', not a number"):format(variable, text))
  end
  return n
end

local SLURM = LAUNCHERS[#LAUNCHERS]

-- With --mpi=pmi2 srun also sets MPICH's variables, but not the one of the local rank.
local function is_slurm(row, rank, size, getenv)
  return row.mpi and number_in(row[3], getenv) == nil and number_in(SLURM[1], getenv) == rank
    and number_in(SLURM[2], getenv) == size
end

-- { launcher, mpi, rank, size, local_rank } as the first launcher found says; one rank without any.
-- getenv: os.getenv, or another function for tests.
local function read(getenv)
  getenv = getenv or os.getenv
  for _, row in ipairs(LAUNCHERS) do
    local rank, size = number_in(row[1], getenv), number_in(row[2], getenv)
    if rank and size then
      if rank >= size then
        core.misuse(("nccl.init: %s is %d, but %s is %d"):format(row[1], rank, row[2], size))
      end
      local mpi = row.mpi or false
      if is_slurm(row, rank, size, getenv) then row = SLURM end
      return { launcher = row.name, mpi = mpi, rank = rank, size = size,
        local_rank = number_in(row[3], getenv) or rank }
    end
  end
  return { launcher = "none", mpi = false, rank = 0, size = 1, local_rank = 0 }
end

return { read = read, LAUNCHERS = LAUNCHERS }
