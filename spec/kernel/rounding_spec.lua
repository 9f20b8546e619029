-- Conversions to float32 and float64 with a directed rounding, on random numbers. The oracle
-- compares exactly: Lua compares integers with floats by value.
local cuda = require "luacuda"
local helper = require "spec.helper"

local MODES = { "rn", "rz", "rd", "ru" }
local N = 4096

-- One conversion in each mode, side by side. Odd threads are off in the second half.
local SOURCE = [[
extern "C" __global__ void convert(const FROM *in, TO *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || (i > n / 2 && i % 2 != 0)) return;
  out[4 * i] = NAME_rn(in[i]);
  out[4 * i + 1] = NAME_rz(in[i]);
  out[4 * i + 2] = NAME_rd(in[i]);
  out[4 * i + 3] = NAME_ru(in[i]);
}]]

local FORMATS = { float32 = { "<f", "<i4" }, float64 = { "<d", "<i8" } }

-- The number after x in that format, towards larger numbers (by = 1) or smaller ones (-1).
local function neighbor(x, dtype, by)
  local float, int = FORMATS[dtype][1], FORMATS[dtype][2]
  local bits = int:unpack(float:pack(x))
  if x == 0 then return (float:unpack(int:pack(1))) * by end
  return (float:unpack(int:pack(bits + (x > 0 and by or -by))))
end

-- Whether `got` is x rounded in that mode.
local function is_rounded(x, got, dtype, mode)
  if got == x then return true end
  if mode == "rz" then mode = x > 0 and "rd" or "ru" end
  if mode == "rd" then return got < x and neighbor(got, dtype, 1) > x end
  if mode == "ru" then return got > x and neighbor(got, dtype, -1) < x end
  return got < x and neighbor(got, dtype, 1) > x or got > x and neighbor(got, dtype, -1) < x
end

local function integer(bits)
  return function() return math.random(0) >> math.random(64 - bits, 63) end
end
local function signed(bits)
  local number = integer(bits)
  return function() return number() * (math.random(2) == 1 and 1 or -1) end
end
local function double() return (math.random() - 0.5) * 2.0 ^ math.random(-140, 120) end

local CASES = {
  { "__double2float", "double", "float64", "float32", double },
  { "__int2float", "int", "int32", "float32", signed(31) },
  { "__uint2float", "unsigned", "uint32", "float32", integer(32) },
  { "__ll2float", "long long", "int64", "float32", signed(62) },
  { "__ull2float", "unsigned long long", "uint64", "float32", integer(63) },
  { "__ll2double", "long long", "int64", "float64", signed(62) },
  { "__ull2double", "unsigned long long", "uint64", "float64", integer(63) },
}

describe("conversions with a directed rounding", function()
  helper.for_each_device(function()
    for _, case in ipairs(CASES) do
      local name, from, dtype, to, number = table.unpack(case)
      it(name .. " rounds exactly", function()
        local c_type = to == "float32" and "float" or "double"
        local source = SOURCE:gsub("NAME", name):gsub("FROM", from):gsub("TO", c_type)
        local numbers = {}
        for i = 1, N do numbers[i] = number() end
        local out = cuda.zeros(4 * N, to)
        cuda.kernel(source)({ threads = N }, cuda.array(numbers, dtype), out, N)
        local results, inexact = out:totable(), 0
        for i = 1, N do
          local off = i - 1 > N // 2 and (i - 1) % 2 ~= 0
          for k, mode in ipairs(MODES) do
            local got = results[4 * i - 4 + k]
            if off then
              assert.equal(0, got)
            elseif not is_rounded(numbers[i], got, to, mode) then
              error(("%s_%s(%s) = %.17g"):format(name, mode, numbers[i], got))
            end
            if got ~= numbers[i] then inexact = inexact + 1 end
          end
        end
        assert.is_true(inexact > N)
      end)
    end
  end)
end)
