-- Runs the measurements of array_rows.lua and of its peers in separate processes and prints them
-- side by side; with --cpu those of cpu_rows.lua and NumPy. Started by bench/arrays.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local on_cpu = arg[1] == "--cpu"
if on_cpu then table.remove(arg, 1) end -- what remains are names of rows, which `report` reads
local commands = require "commands"
local report = require "report"
local quote, measure = commands.quote, commands.measure

local names = table.concat(arg, " ")

-- What a script of this folder prints where Python has the module, else nothing.
local function peer(script, module, environment)
  local find = 'import sys, importlib.util as u; sys.exit(not u.find_spec("' .. module .. '"))'
  if not os.execute("python3 -c " .. quote(find) .. " 2>/dev/null") then return {} end
  return (measure(("env %s python3 %s %s"):format(environment or "", quote(here .. script), names)))
end

local function lua(script, environment)
  return (measure(("env %s lua5.4 %s %s"):format(environment, quote(here .. script), names)))
end

if on_cpu then
  local threads = "OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1"
  report.cpu(lua("cpu_rows.lua", "LUACUDA_DEVICE=cpu LUACUDA_CPU_THREADS=1"),
    peer("peer_numpy.py", "numpy", threads))
elseif os.execute [[lua5.4 -e 'os.exit(require("luacuda").available())']] then
  report.gpu(lua("array_rows.lua", "LUACUDA_DEVICE=0"), peer("peer_arrays.py", "cupy"),
    peer("peer_torch.py", "torch"))
else
  print "no NVIDIA driver or GPU: nothing to measure (--cpu: the CPU device)"
end
