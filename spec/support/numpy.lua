-- NumPy as the reference of specs, in one process for many results. LUACUDA_PYTHON: another command
-- than python3.
--
--   numpy.found()              does Python have NumPy?
--   numpy.new()                -> an oracle
--   oracle:expect(code, inputs, got [, options])
--                              `got` is what the Python expression `code` gives for the arrays of
--                              the table `inputs` (name -> Array): an Array, or a list of them.
--                              options.view: with the same strides; options.rtol: almost
--   oracle:check()             runs the expressions; fails with a list of what differs
local cuda = require "luacuda"
local files = require "spec.support.files"

local M = {}

local PYTHON = os.getenv "LUACUDA_PYTHON" or "python3"

function M.found()
  return os.execute(PYTHON .. " -c 'import numpy' >/dev/null 2>&1") == true
end

local PROGRAM = [==[
import sys
import warnings
import numpy as np
warnings.simplefilter('ignore')
d = sys.argv[1]
files = np.load(d + '/all.npz')
def difference(want, got, strides, rtol):
    want = np.asarray(want)
    if want.dtype != got.dtype: return f'dtype {got.dtype}, not {want.dtype}'
    if want.shape != got.shape: return f'shape {got.shape}, not {want.shape}'
    if strides is not None:
        for n, x, y in zip(want.shape, want.strides, strides):
            if n > 1 and x != y: return f'strides {strides}, not {want.strides}'
    near = rtol and np.allclose(want, got, rtol, 0, equal_nan=True)
    inexact = want.dtype.kind in 'fc'
    if not near and not np.array_equal(want, got, equal_nan=inexact):
        return f'\n{got}\nnot\n{want}'
def check(i, code, names, strides, many, rtol):
    inputs = {name: files[f'{i}_{name}'] for name in names}
    want = eval(code, {'np': np, **inputs})
    want = list(want) if many else [want]
    if len(want) != len(strides): return f'{len(strides)} results, not {len(want)}'
    for k, w in enumerate(want):
        why = difference(w, files[f'{i}.{k + 1}'], strides[k], rtol)
        if why: return f'result {k + 1}: {why}'
failed = 0
for i, case in enumerate(CASES):
    why = check(i + 1, *case)
    if why:
        failed += 1
        shapes = [files[f'{i + 1}_{name}'].shape for name in case[1]]
        if failed <= 5: print(f'{case[0]} of {shapes}: {why}')
print('failed', failed, 'of', len(CASES))
]==]

local Oracle = {}
Oracle.__index = Oracle

function M.new() return setmetatable({ arrays = {}, cases = {} }, Oracle) end

local function strides_text(a, wanted)
  if not wanted or a.size == 0 then return "None" end
  return "(" .. table.concat({ table.unpack(a.strides) }, ", ") .. (a.ndim > 0 and ",)" or ")")
end

function Oracle:expect(code, inputs, got, options)
  options = options or {}
  local i, names, strides = #self.cases + 1, {}, {}
  for name, a in pairs(inputs) do
    names[#names + 1] = ("'%s'"):format(name)
    self.arrays[i .. "_" .. name] = a
  end
  local many = cuda.type(got) ~= "array"
  for k, a in ipairs(many and got or { got }) do
    strides[k] = strides_text(a, options.view)
    self.arrays[i .. "." .. k] = a
  end
  self.cases[i] = ("  (%q, [%s], [%s], %s, %s),"):format(code, table.concat(names, ", "),
    table.concat(strides, ", "), many and "True" or "False", options.rtol or "None")
end

function Oracle:check()
  local dir = files.tmpdir()
  cuda.save_npz(dir .. "/all.npz", self.arrays)
  files.write_file(dir .. "/check.py", "CASES = [\n" .. table.concat(self.cases, "\n") .. "\n]\n"
    .. PROGRAM)
  local pipe = assert(io.popen(("%s %s/check.py %s 2>&1"):format(PYTHON, dir, dir)))
  local output = pipe:read "a"
  pipe:close()
  if output ~= ("failed 0 of %d\n"):format(#self.cases) then error(output, 0) end
end

return M
