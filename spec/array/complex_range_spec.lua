-- Powers and functions of complex numbers whose values are near the ends of the range, where a
-- value on the way may overflow or lose bits, against NumPy in a wider type: complex128 for
-- complex64, long double for complex128.
local helper = require "spec.helper"
local evaluate = require "spec.support.evaluate"
local cuda = require "luacuda"

local EPSILON = { complex64 = 2.0 ^ -23, complex128 = 2.0 ^ -52 }
local LEAST = { complex64 = 2.0 ^ -149, complex128 = 2.0 ^ -1074 }
local WHOLE = { 1, 2, 3, 5, 17, 64, 70, 100, -1, -2, -3, -5, -40, -100 }
local FRACTIONS = { 0.5, 1.5, -0.75, 7.25 }
local TRANSCENDENT = { "exp", "sinh", "cosh", "sin", "cos" }

-- r_NAME: arguments; r_NAME_re, r_NAME_im: the parts of the results.
local ORACLE = [==[
single = DTYPE == 'complex64'
wide, part = (np.complex128, np.float64) if single else (np.clongdouble, np.longdouble)
top, rng, count = (128 if single else 1024), np.random.default_rng(7), 400
np.seterr(all='ignore')
results = {}
def keep(name, z, of):
    z = z.astype(DTYPE)
    w = of(z.astype(wide))
    results['r_' + name] = z
    results['r_' + name + '_re'] = w.real.astype(np.float64)
    results['r_' + name + '_im'] = w.imag.astype(np.float64)
def polar(exponent):                   # 2^exponent in all directions
    phi = rng.uniform(-np.pi, np.pi, count)
    return np.exp2(np.clip(exponent, -top, top - 1).astype(part)) * np.exp(1j * phi.astype(part))
def near_ends(p):                      # the power p is near the ends of the range
    ends = np.where(rng.random(count) < 0.5, rng.uniform(top - 3, top + 0.3, count),
                    rng.uniform(-top - 10, -top + 6, count))
    return polar(ends / p)
for n in WHOLE: keep('whole%d' % n, near_ends(n), lambda z: z ** n)
for k, p in enumerate(FRACTIONS): keep('fraction%d' % k, near_ends(p), lambda z: z ** part(p))
x = rng.uniform(0.95, 1.15, count) * np.log(2.0) * top * rng.choice([-1, 1], count)
y = rng.choice([1, 1e-3, 1e-20, 1e-30], count) * rng.uniform(-4, 4, count)
for name in 'exp', 'sinh', 'cosh': keep(name, x + 1j * y, getattr(np, name))
for name in 'sin', 'cos': keep(name, y + 1j * x, getattr(np, name))
globals().update(results)
wider = np.finfo(part).max > np.finfo(DTYPE).max
r_wider = np.array([wider])
]==]

local function list_text(list) return "[" .. table.concat(list, ", ") .. "]" end

local cached = {}

-- Lists by name; nil where NumPy has no wider type.
local function oracle(dtype)
  if not cached[dtype] then
    local made = evaluate.run({}, ("DTYPE, WHOLE, FRACTIONS = '%s', %s, %s\n"):format(dtype,
      list_text(WHOLE), list_text(FRACTIONS)) .. ORACLE)
    cached[dtype] = {}
    for name, a in pairs(made) do cached[dtype][name] = a:totable() end
  end
  return cached[dtype].wider[1] and cached[dtype] or nil
end

-- Raises unless each part of each result is within `ulps` units in the last place of the greater
-- part. Parts that are close to the largest number may be infinite: those greater than `share` of
-- it.
local function check(name, dtype, of, ulps, share)
  local all = oracle(dtype)
  if not all then return end
  local arguments, re, im, wrong = all[name], all[name .. "_re"], all[name .. "_im"], {}
  local largest = dtype == "complex64" and 3.4028234e38 or 1.7976931348623157e308
  for k, v in ipairs(of(cuda.array(arguments, dtype)):totable()) do
    local size = math.min(math.max(math.abs(re[k]), math.abs(im[k])), largest)
    local most = ulps * EPSILON[dtype] * size
      + 2 * LEAST[dtype]
    for _, pair in ipairs { { v.re, re[k] }, { v.im, im[k] } } do
      local have, want = table.unpack(pair)
      local is_close = math.abs(have - want) <= most       -- false for NaN
      if math.abs(want) <= largest * (share or 0.9999) and not is_close then
        wrong[#wrong + 1] = ("%s(%s): %s, expected %.9g %+.9gi"):format(name,
          tostring(arguments[k]), tostring(v), re[k], im[k])
      end
    end
  end
  assert.equal("", table.concat(wrong, "\n", 1, math.min(#wrong, 9)))
end

-- exp(w log(z)) has the rounding error of its argument, which is log(2^128) or log(2^1024) here.
local POWER_ULPS = { complex64 = 100, complex128 = 720 }

describe("complex numbers near the ends of the range", function()
  helper.for_each_device(function()
    local by_python = evaluate.available() and it or pending
    for dtype in pairs(EPSILON) do
      by_python("have whole powers without overflow on the way: " .. dtype, function()
        for _, n in ipairs(WHOLE) do
          -- as in NumPy, a part of a product is the difference of two products
          local most, share = 4 + math.abs(n), math.abs(n) > 2 and 0.7 or nil
          check("whole" .. n, dtype, function(z) return z ^ n end, most, share)
          check("whole" .. n, dtype, function(z) return z ^ cuda.full(z.size, n, dtype) end, most,
            share)
          if n == 2 then check("whole2", dtype, cuda.square, 2) end
        end
      end)

      by_python("have other powers without overflow on the way: " .. dtype, function()
        for k, p in ipairs(FRACTIONS) do
          local most = p == 0.5 and 4 or POWER_ULPS[dtype]
          check("fraction" .. k - 1, dtype, function(z) return z ^ p end, most)
        end
      end)

      for _, name in ipairs(TRANSCENDENT) do
        by_python(("have %s without overflow on the way: %s"):format(name, dtype), function()
          check(name, dtype, cuda[name], 16)
        end)
      end

      it("are one to the power of 0, whatever they are: " .. dtype, function()
        local parts, list = { 0.0, -0.0, 1.5, -3, 1e30, math.huge, -math.huge, 0 / 0 }, {}
        for _, x in ipairs(parts) do
          for _, y in ipairs(parts) do list[#list + 1] = cuda.complex(x, y) end
        end
        local z = cuda.array(list, dtype)
        local ones = cuda.ones(z.size, dtype)
        assert.is_true(cuda.array_equal(z ^ 0, ones))
        assert.is_true(cuda.array_equal(z ^ cuda.zeros(z.size, dtype), ones))
      end)

      it("keep a part that is infinite in the first powers: " .. dtype, function()
        local z = cuda.array({ cuda.complex(math.huge, 1), cuda.complex(1, -math.huge) }, dtype)
        assert.equal(tostring(z), tostring(z ^ 1))
        assert.equal(tostring(z * z), tostring(z ^ 2))
        assert.equal(tostring(cuda.sqrt(z)), tostring(z ^ 0.5))
      end)
    end
  end)
end)
