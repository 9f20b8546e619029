-- Complex functions at zeros, infinities and NaN return the values of C's Annex G, as NumPy's do.
local helper = require "spec.helper"
local evaluate = require "spec.support.evaluate"
local cuda = require "luacuda"

local NAMES = { "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos",
  "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "abs", "angle" }
local EDGES = { 0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, math.huge, -math.huge, 0 / 0 }
local RTOL = { complex64 = 2e-6, complex128 = 4e-15 }

-- FREE: where Annex G leaves the signs of the real and of the imaginary part open, for the parts x
-- and y of the argument. The circular functions are the hyperbolic ones of i z, with parts swapped.
local ORACLE = [==[
from numpy import inf, isfinite, isinf, isnan

HYPERBOLIC = {
    'sinh': lambda x, y: ((x == 0 or isinf(x)) and not isfinite(y), False),
    'cosh': lambda x, y: (isinf(x) and isinf(y),
                          x == 0 and not isfinite(y) or isnan(x) and y == 0),
    'tanh': lambda x, y: (False, isinf(x) and not isfinite(y)),
    'asinh': lambda x, y: (isnan(x) and isinf(y), False),
    'atanh': lambda x, y: (isnan(x) and isinf(y), False),
}
FREE = {
    'exp': lambda x, y: (isinf(x) and not isfinite(y), x == -inf and not isfinite(y)),
    'expm1': lambda x, y: (x == inf and not isfinite(y), x == -inf and not isfinite(y)),
    'acos': lambda x, y: (False, isinf(x) and isnan(y)),
    'acosh': lambda x, y: (False, x == 0 and isnan(y)),
    'sqrt': lambda x, y: (False, x == -inf and isnan(y)),
    **HYPERBOLIC,
}
FREE['exp2'] = FREE['exp']
for name in 'sin', 'tan', 'asin', 'atan':
    FREE[name] = lambda x, y, of=HYPERBOLIC[name + 'h']: of(y, x)[::-1]
FREE['cos'] = lambda x, y: HYPERBOLIC['cosh'](y, x)

def standard(name):
    return getattr(np, {'asin': 'arcsin', 'acos': 'arccos', 'atan': 'arctan', 'asinh': 'arcsinh',
                        'acosh': 'arccosh', 'atanh': 'arctanh'}.get(name, name))
def expm1(z):  # NumPy's own is NaN where exp overflows
    if isfinite(np.exp(z.real)) and isfinite(z.imag): return np.expm1(z)
    w = np.exp(z)
    return complex(w.real - 1, w.imag)
OTHERS = {'expm1': expm1, 'abs': lambda z: complex(np.abs(z)),
          'angle': lambda z: complex(np.angle(z))}
np.seterr(all='ignore')
for name in NAMES:
    of = OTHERS.get(name) or standard(name)
    want = np.array([of(z) for z in grid])
    free = [FREE.get(name, lambda x, y: (False, False))(z.real, z.imag) for z in grid]
    globals()['r_' + name] = np.column_stack([want.real, want.imag])
    globals()['r_' + name + '_free'] = np.array(free)
]==]

local function grid(dtype)
  local values = {}
  for _, x in ipairs(EDGES) do
    for _, y in ipairs(EDGES) do values[#values + 1] = cuda.complex(x, y) end
  end
  return cuda.array(values, dtype)
end

local cached

local function wanted(name)
  if not cached then
    local made = evaluate.run({ grid = grid "complex128" },
      ("NAMES = '%s'.split()\n"):format(table.concat(NAMES, " ")) .. ORACLE)
    cached = {}
    for _, key in ipairs(NAMES) do
      cached[key] = { parts = made[key]:totable(), free = made[key .. "_free"]:totable() }
    end
  end
  return cached[name].parts, cached[name].free
end

local function same_part(want, got, free, rtol)
  if want ~= want or got ~= got then return want ~= want and got ~= got end
  if free then want, got = math.abs(want), math.abs(got) end
  if want == got then return want ~= 0 or 1 / want == 1 / got end
  return math.abs(want - got) <= rtol * math.abs(want) and math.abs(want) < math.huge
end

local function parts(v)
  if type(v) == "number" then return v, 0.0 end
  return v.re, v.im
end

local function differences(name, dtype)
  local want, free = wanted(name)
  local inputs, got = grid(dtype):totable(), cuda[name](grid(dtype)):totable()
  local wrong = {}
  for k, w in ipairs(want) do
    local re, im = parts(got[k])
    if not (same_part(w[1], re, free[k][1], RTOL[dtype])
        and same_part(w[2], im, free[k][2], RTOL[dtype])) then
      wrong[#wrong + 1] = ("%s(%g %+gi): %.9g %+.9gi, expected %.9g %+.9gi"):format(name,
        inputs[k].re, inputs[k].im, re, im, w[1], w[2])
    end
  end
  return wrong
end

-- Near the ends of the range ----------------------------------------------------------------------

-- Numbers whose squares, sums or halves do not exist in the dtype.
local FAR = { complex64 = { 1e-45, 3e-42, 1.5e-38, 1.0, 1e30, -3.3e38 },
  complex128 = { 5e-324, 3e-320, 3e-308, 1.0, 1e300, -1.7e308 } }
local ROOTS = { "sqrt", "log", "log2", "log10", "asin", "acos", "atan", "asinh", "acosh", "atanh" }

-- NumPy computes complex64 in double precision.
local function assert_far(name, dtype)
  local values, out = {}, {}
  for _, x in ipairs(FAR[dtype]) do
    for _, y in ipairs(FAR[dtype]) do values[#values + 1] = cuda.complex(x, y) end
  end
  local z = cuda.array(values, dtype)
  local want = evaluate.run({ z = z:astype "complex128" }, ("w = np.%s(z)\n"):format(
    name:gsub("^a", "arc")) .. "r_all = np.column_stack([w.real, w.imag])").all:totable()
  for k, w in ipairs(cuda[name](z):totable()) do
    for j, got in ipairs { w.re, w.im } do
      local least = dtype == "complex64" and 1.5e-45 or 5e-324
      if math.abs(got - want[k][j]) > 2 * RTOL[dtype] * math.abs(want[k][j]) + 2 * least then
        out[#out + 1] = ("%s(%g %+gi): part %d: %.9g, expected %.9g"):format(name, values[k].re,
          values[k].im, j, got, want[k][j])
      end
    end
  end
  assert.equal("", table.concat(out, "\n"))
end

describe("complex functions at zeros, infinities and NaN", function()
  helper.for_each_device(function()
    local by_python = evaluate.available() and it or pending
    for _, dtype in ipairs { "complex64", "complex128" } do
      for _, name in ipairs(NAMES) do
        by_python(("have the values of Annex G: %s of %s"):format(name, dtype), function()
          assert.equal("", table.concat(differences(name, dtype), "\n"))
        end)
      end
      for _, name in ipairs(ROOTS) do
        by_python(("are right near the ends of the range: %s of %s"):format(name, dtype), function()
          assert_far(name, dtype)
        end)
      end
    end
  end)
end)
