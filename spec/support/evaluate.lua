-- NumPy as an oracle, if python3 has it (LUACUDA_PYTHON: another command).
--
--   evaluate.available()            has Python NumPy?
--   evaluate.python(path, ...)      runs a file with arguments: ok, output
--   evaluate.run(inputs, code)      runs Python code in which every input (name -> array) is a
--                                   NumPy array, and every variable that begins with `r_` is a
--                                   result: a table of host arrays by these names, without `r_`
local cuda = require "luacuda"
local files = require "spec.support.files"

local PYTHON = os.getenv "LUACUDA_PYTHON" or "python3"

local M = {}

function M.python(...)
  local words = { PYTHON }
  for i = 1, select("#", ...) do words[i + 1] = files.shell_quote((select(i, ...))) end
  local pipe = assert(io.popen(table.concat(words, " ") .. " 2>&1"))
  local output = pipe:read "a"
  return pipe:close() == true, output
end

function M.available()
  local path = files.tmpdir() .. "/probe.py"
  files.write_file(path, "import numpy")
  return (M.python(path))
end

local FRAME = [[
import warnings
import numpy as np
warnings.simplefilter("ignore")
globals().update(np.load("%s/in.npz"))
%s
np.savez("%s/out.npz", **{k[2:]: v for k, v in list(globals().items()) if k.startswith("r_")})
]]

function M.run(inputs, code)
  local folder = files.tmpdir()
  cuda.save_npz(folder .. "/in.npz", inputs)
  files.write_file(folder .. "/run.py", FRAME:format(folder, code, folder))
  local ok, output = M.python(folder .. "/run.py")
  if not ok then error(output, 2) end
  return cuda.load_npz(folder .. "/out.npz", { device = "cpu" })
end

return M
