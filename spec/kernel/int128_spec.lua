-- 128-bit integers in kernels, against the same arithmetic written out bit by bit.
local helper = require "spec.helper"

local COUNT = 400
local OPERATIONS = { "add", "sub", "mul", "div", "rem", "shl", "shr", "less", "equal",
  "from_double", "wide" }

-- A number is a pair of a lower and an upper half.
local SOURCE = [[
template <typename T> static __device__ void all (long long *to, T a, T b, double d) {
  T r[] = { a + b, a - b, a * b, a / b, a % b, a << (int)(b & 127), a >> (int)(b & 127),
            (T)(a < b), (T)(a == b), (T)d, (T)((long long)a) * (long long)b };
  for (int k = 0; k < sizeof r / sizeof r[0]; k++) {
    to[2 * k] = (long long)r[k];
    to[2 * k + 1] = (long long)(r[k] >> 64);
  }
}

static __device__ unsigned __int128 value (const long long *x) {
  return (unsigned __int128)(unsigned long long)x[1] << 64 | (unsigned long long)x[0];
}

__global__ void as_signed (long long *to, const long long *a, const long long *b,
                           const double *d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) all<__int128>(to + 22 * i, value(a + 2 * i), value(b + 2 * i), d[i]);
}

__global__ void as_unsigned (long long *to, const long long *a, const long long *b,
                             const double *d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) all<unsigned __int128>(to + 22 * i, value(a + 2 * i), value(b + 2 * i), d[i]);
}
]]

-- The oracle --------------------------------------------------------------------------------------

local function add(a, b)
  local lo = a[1] + b[1]
  return { lo, a[2] + b[2] + (math.ult(lo, a[1]) and 1 or 0) }
end

local function negate(a) return add({ ~a[1], ~a[2] }, { 1, 0 }) end

local function less(a, b)
  if a[2] ~= b[2] then return math.ult(a[2], b[2]) end
  return math.ult(a[1], b[1])
end

local function shift_left(a, n)
  if n == 0 then return a end
  if n >= 64 then return { 0, a[1] << (n - 64) } end
  return { a[1] << n, a[2] << n | a[1] >> (64 - n) }
end

local function shift_right(a, n, fill)
  if n == 0 then return a end
  local upper = a[2] >> n | fill << (64 - n)
  if n >= 64 then return { n == 64 and a[2] or a[2] >> (n - 64) | fill << (128 - n), fill } end
  return { a[1] >> n | a[2] << (64 - n), upper }
end

local function bit(a, k)
  if k >= 64 then return a[2] >> (k - 64) & 1 end
  return a[1] >> k & 1
end

local function multiply(a, b)
  local sum = { 0, 0 }
  for k = 0, 127 do
    if bit(b, k) == 1 then sum = add(sum, shift_left(a, k)) end
  end
  return sum
end

local function divide(a, b)
  local quotient, rest = { 0, 0 }, { 0, 0 }
  for k = 127, 0, -1 do
    local over = bit(rest, 127) == 1 -- the bit about to be shifted out is set
    rest = shift_left(rest, 1)
    rest[1] = rest[1] | bit(a, k)
    quotient = shift_left(quotient, 1)
    if over or not less(rest, b) then
      rest = add(rest, negate(b))
      quotient[1] = quotient[1] | 1
    end
  end
  return quotient, rest
end

local function magnitude(a) return a[2] < 0 and negate(a) or a end

local function divide_signed(a, b)
  local quotient, rest = divide(magnitude(a), magnitude(b))
  if (a[2] < 0) ~= (b[2] < 0) then quotient = negate(quotient) end
  return quotient, a[2] < 0 and negate(rest) or rest
end

-- The whole part of 0 <= d < 2^127.
local function from_double(d)
  local upper = d // 0x1p64
  local lower = math.floor(d - upper * 0x1p64)
  return { lower < 0x1p63 and math.tointeger(lower)
    or math.tointeger(lower - 0x1p63) | math.mininteger, math.tointeger(upper) }
end

local function extend(a) return { a[1], a[1] < 0 and -1 or 0 } end

local function truth(value) return { value and 1 or 0, 0 } end

local function expected(a, b, d, signed)
  local count = b[1] & 127
  local quotient, rest = (signed and divide_signed or divide)(a, b)
  local is_less = less(a, b)
  if signed and (a[2] < 0) ~= (b[2] < 0) then is_less = a[2] < 0 end
  return { add(a, b), add(a, negate(b)), multiply(a, b), quotient, rest, shift_left(a, count),
    shift_right(a, count, signed and a[2] < 0 and -1 or 0), truth(is_less),
    truth(a[1] == b[1] and a[2] == b[2]), from_double(d), multiply(extend(a), extend(b)) }
end

-- Input -------------------------------------------------------------------------------------------

local EDGES = { 0, 1, 2, 3, -1, -2, math.mininteger, math.maxinteger, 1 << 32, (1 << 32) - 1,
  0xFFFFFFFF00000000, 100, 7, 1 << 31 }

local function any_half()
  local kind = math.random(4)
  if kind == 1 then return EDGES[math.random(#EDGES)] end
  return math.random(0) >> (kind == 2 and math.random(0, 63) or 0)
end

-- Numbers of all sizes, half of them with equal upper halves. No divisor is 0 or -1, which would
-- overflow.
local function any_pair()
  local a = { any_half(), math.random(3) > 1 and any_half() or 0 }
  local b = { any_half(), math.random(3) > 1 and any_half() or math.random(2) == 1 and a[2] or 0 }
  if b[1] == 0 and b[2] == 0 or b[1] == -1 and b[2] == -1 then b = { 7, 0 } end
  return a, b
end

local function make_input(count)
  local a, b, d, pairs_of = { 100, 0 }, { 7, 0 }, { 1e30 }, { { { 100, 0 }, { 7, 0 } } }
  for i = 2, count do
    local x, y = any_pair()
    pairs_of[i] = { x, y }
    a[2 * i - 1], a[2 * i], b[2 * i - 1], b[2 * i] = x[1], x[2], y[1], y[2]
    d[i] = math.floor(math.random() * 2.0 ^ math.random(1, 126))
  end
  return a, b, d, pairs_of
end

local function text(v) return ("0x%016x%016x"):format(v[2], v[1]) end

helper.for_each_device(function()
  local cuda = require "luacuda"

  for _, kind in ipairs { "signed", "unsigned" } do
    it(kind .. " arithmetic is exact", function()
      local seed = os.time()
      math.randomseed(seed)
      local m = cuda.module { source = SOURCE, flags = { "-device-int128" } }
      local a, b, d, pairs_of = make_input(COUNT)
      local got = cuda.zeros(22 * COUNT, "int64")
      m:kernel("as_" .. kind)({ threads = COUNT }, got, cuda.array(a, "int64"),
        cuda.array(b, "int64"), cuda.array(d, "float64"), COUNT)
      got = got:totable()
      for i, pair in ipairs(pairs_of) do
        for k, want in ipairs(expected(pair[1], pair[2], d[i], kind == "signed")) do
          local at = 22 * (i - 1) + 2 * k
          local what = ("%s of %s and %s, %s (seed %d)"):format(OPERATIONS[k], text(pair[1]),
            text(pair[2]), d[i], seed)
          assert.equal(text(want), text { got[at - 1], got[at] }, what)
        end
      end
    end)
  end
end)
