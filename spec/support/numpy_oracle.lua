-- NumPy as an oracle: the values of Python expressions, computed from arrays of LuaCUDA in one run
-- of python3 (LUACUDA_PYTHON: another command).
local compare = require "spec.support.compare"
local files = require "spec.support.files"
local cuda = require "luacuda"

local PYTHON = os.getenv "LUACUDA_PYTHON" or "python3"

local M = { found = os.execute("(" .. PYTHON .. " -c 'import numpy') >/dev/null 2>&1") == true }

local HEAD = [[
import sys
import numpy as np
np.seterr(all='ignore')
import warnings
warnings.simplefilter('ignore')
place = sys.argv[1] + '/'
globals().update(np.load(place + 'in.npz'))
out = {}
def note(k, fn):
    try: out['r%d' % k] = np.asarray(fn())
    except (ValueError, TypeError, IndexError): out['e%d' % k] = np.zeros(0)
]]

-- evaluate(arrays, expressions): the values as arrays of the current device, false where Python
-- raised an error. `arrays`: name -> Array.
local function evaluate(arrays, expressions)
  local dir = files.tmpdir()
  cuda.save_npz(dir .. "/in.npz", arrays)
  local lines = { HEAD }
  for k, text in ipairs(expressions) do
    lines[#lines + 1] = ("note(%d, lambda: %s)"):format(k, text)
  end
  lines[#lines + 1] = "np.savez(place + 'out.npz', **out)\n"
  files.write_file(dir .. "/run.py", table.concat(lines, "\n"))
  local pipe = assert(io.popen(("%s %s/run.py %s 2>&1"):format(PYTHON, dir, dir)))
  local output = pipe:read "a"
  if not pipe:close() then error("Python: " .. output, 0) end
  local made, values = cuda.load_npz(dir .. "/out.npz"), {}
  for k in ipairs(expressions) do values[k] = made["r" .. k] or false end
  return values
end

local function dtype_of(value, want)
  return cuda.type(value) == "array" and value.dtype or want
end

-- Compares one value, an Array or a Lua value, with NumPy's.
local function check_one(text, want, got, options)
  if dtype_of(got, want.dtype) ~= want.dtype then
    error(("%s: dtype %s, expected %s"):format(text, got.dtype, want.dtype), 0)
  end
  local shape = cuda.type(got) == "array" and table.concat(got.shape, " ") or ""
  if shape ~= table.concat(want.shape, " ") then
    error(("%s: shape {%s}, expected {%s}"):format(text, shape, table.concat(want.shape, " ")), 0)
  end
  if cuda.type(got) == "array" then got = got:totable() end
  local ok, why = pcall(compare.assert_close, { want:totable() }, { got },
    { dtype = want.dtype, rtol = options.rtol, atol = options.atol })
  if not ok then error(text .. ": " .. tostring(why), 0) end
end

-- check(arrays, cases): each case is { expression, fn, rtol =, atol =, raises = } where fn() must
-- give the expression's value and dtype; with `raises` both must raise an error.
function M.check(arrays, cases)
  local expressions = {}
  for k, case in ipairs(cases) do expressions[k] = case[1] end
  local values = evaluate(arrays, expressions)
  for k, case in ipairs(cases) do
    local ok, got = pcall(case[2])
    if (not values[k]) ~= (case.raises or false) then
      error(("%s: NumPy %s"):format(case[1], values[k] and "gave a value" or "raised an error"), 0)
    end
    if case.raises then
      if ok then error(case[1] .. ": expected an error", 0) end
    elseif not ok then error(("%s: %s"):format(case[1], tostring(got)), 0)
    else check_one(case[1], values[k], got, case) end
  end
end

return M
