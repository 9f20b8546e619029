-- NumPy as the reference of specs, in one process for many results (evaluate.lua runs Python).
--
--   numpy.found()              does Python have NumPy?
--   numpy.new()                -> an oracle
--   oracle:expect(code, inputs, got [, options])
--                              `got` is what the Python expression `code` gives for the arrays of
--                              the table `inputs` (name -> Array): an Array, or a list of them.
--                              options.view: with the same strides; options.rtol: almost
--   numpy.each_case(shapes, new, dtype)
--                              iterates over the arrays new(shape, dtype), and over views of them
--                              with gaps, in reverse and broadcast: array, its text in Python, and
--                              the table of inputs for that text
--   numpy.expecting(oracle, text, inputs)
--                              -> a function (code, got, options): expect, with `text` for A in
--                              the code
--   oracle:check()             runs the expressions; fails with a list of what differs
local cuda = require "luacuda"
local evaluate = require "spec.support.evaluate"
local files = require "spec.support.files"

local M = { found = evaluate.available }

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
  local _, output = evaluate.python(dir .. "/check.py", dir)
  if output ~= ("failed 0 of %d\n"):format(#self.cases) then error(output, 0) end
end

function M.each_case(shapes, new, dtype)
  local cases, at = {}, 0
  for i, shape in ipairs(shapes) do cases[i] = { new(shape, dtype), "a" } end
  local a, row = new({ 4, 6, 5 }, dtype), new({ 3 }, dtype)
  cases[#cases + 1] = { a:slice({ 4, 1, -2 }, { 2, -1, 2 }):transpose(3, 1, 2),
    "a[3::-2, 1::2].transpose(2, 0, 1)", a }
  cases[#cases + 1] = { a:slice({}, {}, { -1, 1, -1 }), "a[:, :, ::-1]", a }
  cases[#cases + 1] = { row:broadcast_to { 2, 3 }, "np.broadcast_to(a, (2, 3))", row }
  return function()
    at = at + 1
    local case = cases[at]
    if case then return case[1], case[2], { a = case[3] or case[1] } end
  end
end

function M.expecting(oracle, text, inputs)
  return function(code, got, options)
    oracle:expect(code:gsub("%f[%w]A%f[%W]", text), inputs, got, options)
  end
end

return M
