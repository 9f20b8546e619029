-- Complex numbers in plain Lua for jit_fuzz: a real operand is a complex number whose imaginary
-- part is 0.0, and quotients are computed as kernels compute them (builder/prelude.lua).
local Complex = {}
Complex.__index = Complex

local function new(re, im) return setmetatable({ re = re * 1.0, im = (im or 0) * 1.0 }, Complex) end

local function complex(v) return type(v) == "table" and v or new(v) end

local function operator(fn)
  return function(x, y)
    x, y = complex(x), complex(y)
    return new(fn(x.re, x.im, y.re, y.im))
  end
end

-- The part that is larger divides the other one, so that squares do not overflow.
local function quotient(a, b, x, y)
  if x == 0 and y == 0 then return a / 0.0, b / 0.0 end
  if math.abs(x) >= math.abs(y) then
    local r = y / x
    local d = x + y * r
    return (a + b * r) / d, (b - a * r) / d
  end
  local r = x / y
  local d = x * r + y
  return (a * r + b) / d, (b * r - a) / d
end

Complex.__add = operator(function(a, b, x, y) return a + x, b + y end)
Complex.__sub = operator(function(a, b, x, y) return a - x, b - y end)
Complex.__mul = operator(function(a, b, x, y) return a * x - b * y, a * y + b * x end)
Complex.__div = operator(quotient)
function Complex.__unm(z) return new(-z.re, -z.im) end
function Complex.__eq(z, w) return z.re == w.re and z.im == w.im end

return {
  new = new,
  library = {
    real = function(z) return z.re end,
    imag = function(z) return z.im end,
    conj = function(z) return new(z.re, -z.im) end,
  },
}
