-- Code that was cut off, padded or changed is refused where it is given, with the reason.
local helper = require "spec.helper"
local cuda = require "luacuda"

local SOURCE = [[
__device__ int table[40] = { 1, 2, 3 };
extern "C" __global__ void f(int *p, float x) { p[0] = table[threadIdx.x] + (int)sinf(x); }
extern "C" __global__ void g(double *p) { *p = sqrt(*p); }
]]
local WAYS = { plain = {}, lines = { lineinfo = true }, debug = { debug = true },
  relocatable = { rdc = true } }
local LAST_HEADER = 64

local function cubin(options)
  local given = { target = "cubin" }
  for key, value in pairs(options) do given[key] = value end
  return (cuda.compile(SOURCE, given))
end

local function padded(code, n) return code:sub(1, n) .. ("\0"):rep(#code - n) end

-- Every way to give code.
local function takers(code)
  return { function() return cuda.module { binary = code } end,
    function() return cuda.kernel { binary = code, name = "f" } end,
    function() return cuda.module(code) end,
    function() return cuda.module { binaries = { code } } end,
    function() return cuda.linker():add(code) end }
end

local function refuse(code, reason)
  for _, take in ipairs(takers(code)) do assert.matches(reason, helper.misuse(take), 1, true) end
end

local function with_number(code, at, format, value)
  return code:sub(1, at) .. format:pack(value) .. code:sub(at + format:packsize() + 1)
end

helper.for_each_device(function()
  describe("PTX", function()
    it("may end with one zero byte, as in C", function()
      local ptx = cuda.compile(SOURCE)
      for _, take in ipairs(takers(ptx .. "\0")) do take() end
      local k, y = cuda.kernel { binary = ptx .. "\0", name = "g" }, cuda.full(1, 9, "float64")
      k({ threads = 1 }, y)
      assert.equal(3, y[1])
    end)

    it("has no zero byte before its end", function()
      local ptx = cuda.compile(SOURCE)
      local rng = helper.random(5)
      for _ = 1, 40 do
        local n = #ptx - rng(#ptx - 120) - 2
        refuse(padded(ptx, n), "the PTX has a zero byte before its end")
        refuse(ptx:sub(1, n) .. "\0" .. ptx:sub(n + 1), "the PTX has a zero byte before its end")
      end
      refuse(ptx .. "\0\0", "the PTX has a zero byte before its end")
    end)
  end)

  describe("machine code", function()
    for way, options in pairs(WAYS) do
      it("is refused where it is cut off, with and without zeros: " .. way, function()
        local code, rng = cubin(options), helper.random(#way)
        cuda.module { binary = code }
        cuda.linker():add(code)
        for k = 1, 80 do
          local n = k <= 20 and 4 + 3 * k or 4 + rng(#code - 4 - LAST_HEADER)
          refuse(code:sub(1, n), "damaged machine code")
          refuse(padded(code, n), "damaged machine code")
        end
      end)
    end

    it("is not taken for the name of a file", function()
      refuse("\127ELF\2\1\1" .. ("\0"):rep(50) .. "text.f", "damaged machine code")
    end)

    it("has its tables, sections and segments inside", function()
      local code = cubin {}
      local sections = ("<I8"):unpack(code, 41)
      local segments = ("<I8"):unpack(code, 33)
      for _, change in ipairs {
        { 32, "<I8", #code }, { 40, "<I8", #code - 8 }, { 56, "<I2", 65535 }, { 60, "<I2", 65535 },
        { 32, "<I8", math.mininteger }, { 40, "<I8", -1 },
        { segments + 56 + 8, "<I8", #code }, { segments + 56 + 32, "<I8", #code },
        { segments + 56 + 32, "<I8", -1 },
        { sections + 64 + 24, "<I8", #code }, { sections + 64 + 32, "<I8", #code },
      } do
        refuse(with_number(code, table.unpack(change)), "shorter than its headers state")
      end
      refuse(with_number(code, segments, "<I4", 0), "a segment has no type")
      refuse(with_number(code, sections + 64 + 4, "<I4", 0), "a section has no type")
      refuse(with_number(code, 58, "<I2", 8), "invalid section table")
      refuse(with_number(code, 54, "<I2", 8), "invalid segment table")
    end)
  end)
end)
