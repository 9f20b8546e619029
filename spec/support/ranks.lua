-- Programs of several ranks: mpirun starts them on this machine.
local helper = require "spec.helper"

local built = package.searchpath("luacuda.core", package.cpath):gsub("luacuda/core%.so$", "spec/")

-- The environment for GPUs that are the CPU device, with an NCCL over MPI.
local function fake_gpus(skip, more)
  local file = io.open(built .. "fake_nccl.so")
  if not file then skip "no fake NCCL: built without the C tests" end
  file:close()
  local env = { LUACUDA_DEVICE = "", LUACUDA_LIBCUDA = built .. "libcuda.so",
    LUACUDA_CPU_GPUS = os.getenv "LUACUDA_CPU_GPUS" or 1,
    LUACUDA_LIBNCCL = built .. "fake_nccl.so", LUACUDA_LIBCUBLAS = "off" }
  for name, value in pairs(more or {}) do env[name] = value end
  return env
end

-- AddressSanitizer is for the ranks, not for their launcher.
local function launcher(words)
  local library = os.getenv "LD_PRELOAD"
  if not library or library == "" then return words end
  return ("env -u LD_PRELOAD %s env LD_PRELOAD=%s"):format(words, helper.shell_quote(library))
end

local function why_not(program)
  if helper.fake_gpu then return "ranks of the CPU device: the same as without the fake GPU" end
  if os.getenv "LUACUDA_TEST_SANITIZER" == "tsan" then
    return "MPI is not built for ThreadSanitizer"
  end
  if not os.execute(("command -v %s >/dev/null 2>&1"):format(program)) then
    return "no " .. program
  end
end

local MPIRUN = "mpirun --allow-run-as-root --oversubscribe -q"

-- Runs a script as n ranks, without `env` on the CPU device; `words`: the launcher, mpirun if none
-- is given. Returns ok, output, exit code.
local function run(skip, n, script, env, words)
  words = words or MPIRUN
  local reason = why_not(words:match "^%S+")
  if reason then skip(reason) end
  env = env or { LUACUDA_DEVICE = "cpu" }
  env.LUACUDA_CPU_THREADS = 2
  return helper.lua(script, { env = env, timeout = 60,
    before = launcher(("%s -n %d"):format(words, n)) })
end

-- The two functions for a spec file; skip(reason) is its `pending`.
return function(skip)
  return {
    run = function(...) return run(skip, ...) end,
    fake_gpus = function(more) return fake_gpus(skip, more) end,
  }
end
