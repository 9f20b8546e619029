-- random(seed, sequence) in kernels: compiled, in Lua, and against other sources of the same words.
local cuda = require "luacuda"
local helper = require "spec.helper"

local N, DRAWS = 24, 30

-- Runs a kernel of (out, seed) compiled and in Lua and compares all bits; returns the result.
local function both(fn, dtype, seed)
  local k = cuda.jit(fn)
  local compiled, in_lua = cuda.zeros({ N, DRAWS }, dtype), cuda.zeros({ N, DRAWS }, dtype)
  k({ threads = N }, compiled, seed)
  k:run_in_lua({ threads = N }, in_lua, seed)
  local a, b = compiled:totable(), in_lua:totable()
  for i = 1, N do
    for j = 1, DRAWS do
      if a[i][j] ~= b[i][j] then
        error(("draw %d of %d, seed %d: %s, in Lua %s"):format(j, i, seed, a[i][j], b[i][j]), 0)
      end
    end
  end
  return compiled, a
end

local SEEDS = { 0, -1, 0x123456789abcdef }

-- Box and Muller, by Lua's functions, of the words of a sequence.
local function normals(words)
  local list = {}
  for k = 1, #words - 1, 2 do
    local u = ((words[k] >> 8) + 1) * 2.0 ^ -24
    local angle = words[k + 1]
    if angle >= 1 << 31 then angle = angle - (1 << 32) end
    local r = math.sqrt(-2 * math.log(u))
    list[k], list[k + 1] = r * math.cos(angle * math.pi / 2 ^ 31),
      r * math.sin(angle * math.pi / 2 ^ 31)
  end
  return list
end

local function fill_bits(out, seed)
  for i in grid(#out) do
    local r = random(seed, i, i - 1)
    for j = 1, out.shape[2] do out[i][j] = r:bits() end
  end
end

local CURAND = [[
#include <curand_kernel.h>
extern "C" __global__ void words(unsigned *out, int n, int m, unsigned long long seed) {
  for (int i = 0; i < n; i++) {
    curandStatePhilox4_32_10_t s;
    curand_init(seed, i + 1, i, &s);
    for (int j = 0; j < m; j++) out[i * m + j] = curand(&s);
  }
}]]

helper.for_each_device(function()
  describe("random in kernels", function()
    it("gives the words of cuda.random for sequence 0", function()
      for _, seed in ipairs(SEEDS) do
        local out = both(function(o, s)
          for i in grid(#o) do
            local r = random(s, 0, (i - 1) * o.shape[2])
            for j = 1, o.shape[2] do o[i][j] = r:bits() end
          end
        end, "uint32", seed)
        local want = cuda.random.generator(seed):bits { N, DRAWS }
        assert.is_true(cuda.array_equal(want, out))
      end
    end)

    it("gives CURAND's words for a seed, a sequence and an offset", function()
      local ok, words = pcall(cuda.kernel, CURAND, "words")
      ok = ok and pcall(words.compile, words)
      if not ok then pending "no curand_kernel.h" return end
      for _, seed in ipairs(SEEDS) do
        local out = both(fill_bits, "uint32", seed)
        local want = cuda.zeros({ N, DRAWS }, "uint32")
        words({ grid = 1, block = 1 }, want, N, DRAWS, seed)
        assert.is_true(cuda.array_equal(want, out))
      end
    end)

    it("draws uniform numbers of 24 and of 53 bits", function()
      for _, seed in ipairs(SEEDS) do
        local _, words = both(fill_bits, "uint32", seed)
        local _, u = both(function(o, s)
          for i in grid(#o) do
            local r = random(s, i, i - 1)
            for j = 1, o.shape[2] do o[i][j] = r:uniform() end
          end
        end, "float32", seed)
        local _, wide = both(function(o, s)
          for i in grid(#o) do
            local r = random(s, i, i - 1)
            for j = 1, o.shape[2] do o[i][j] = r:uniform "float64" end
          end
        end, "float64", seed)
        for i = 1, N do
          for j = 1, DRAWS do assert.is.equal((words[i][j] >> 8) * 2.0 ^ -24, u[i][j]) end
          for j = 1, DRAWS // 2 do
            local pair = words[i][2 * j] << 32 | words[i][2 * j - 1]
            assert.is.equal((pair >> 11) * 2.0 ^ -53, wide[i][j])
          end
        end
      end
    end)

    it("draws uniform float32 numbers that have no more bits in a float64", function()
      for _, seed in ipairs(SEEDS) do
        local _, words = both(fill_bits, "uint32", seed)
        local _, u = both(function(o, s)
          for i in grid(#o) do
            local r = random(s, i, i - 1)
            for j = 1, o.shape[2] do o[i][j] = r:uniform "float32" end
          end
        end, "float64", seed)
        for i = 1, N do
          for j = 1, DRAWS do assert.is.equal((words[i][j] >> 8) * 2.0 ^ -24, u[i][j]) end
        end
      end
    end)

    it("draws normal numbers, two at a time", function()
      for _, seed in ipairs(SEEDS) do
        local _, words = both(fill_bits, "uint32", seed)
        local _, x = both(function(o, s)
          for i in grid(#o) do
            local r = random(s, i, i - 1)
            for j = 1, o.shape[2] do o[i][j] = r:normal() end
          end
        end, "float32", seed)
        for i = 1, N do
          local want = normals(words[i])
          for j = 1, DRAWS do assert.is.near(want[j], x[i][j], 1e-6 * (1 + math.abs(want[j]))) end
        end
      end
    end)

    it("draws normal float64 numbers with their moments", function()
      local out = both(function(o, s)
        for i in grid(#o) do
          local r = random(s, i)
          for j = 1, o.shape[2] do o[i][j] = r:normal(float64) end
        end
      end, "float64", 5)
      assert.is.near(0, out:mean(), 0.1)
      assert.is.near(1, out:std(), 0.1)
      local most = 0
      for _ in pairs(out:unique():totable()) do most = most + 1 end
      assert.is.equal(N * DRAWS, most)
    end)

    it("draws integers of any range, all equally likely", function()
      local _, dice = both(function(o, s)
        for i in grid(#o) do
          local r = random(s, i)
          for j = 1, o.shape[2] do o[i][j] = r:integer(-2, 3) end
        end
      end, "int64", 8)
      local counts = {}
      for i = 1, N do
        for j = 1, DRAWS do counts[dice[i][j]] = (counts[dice[i][j]] or 0) + 1 end
      end
      for v = -2, 3 do assert.is.near(120, counts[v], 45) end
      both(function(o, s)
        for i in grid(#o) do
          local r = random(s, i)
          for j = 1, o.shape[2], 5 do
            o[i][j] = r:integer(math.mininteger, math.maxinteger)
            o[i][j + 1] = r:integer(i << 33, (i << 40) * j)
            o[i][j + 2] = r:integer(-(3 << 61), 3 << 61)
            o[i][j + 3] = r:integer(7, 7)
            o[i][j + 4] = r:integer(1, 3 << 30)
          end
        end
      end, "int64", 9)
    end)

    it("keeps its place between functions and distributions", function()
      local function step(r) return r:uniform() end
      both(function(o, s)
        for i in grid(#o) do
          local r = random(s, i)
          local same = r
          for j = 1, o.shape[2], 3 do
            o[i][j] = r:normal()
            o[i][j + 1] = step(same)
            if j % 2 == 0 then o[i][j + 2] = r:uniform "float64" end
          end
        end
      end, "float64", 11)
    end)

    it("runs in vectorize and with fast_math alike", function()
      local noise = cuda.vectorize(function(i) return random(3, i):normal() end,
        { fast_math = true })
      local got, want = noise(cuda.arange(1, 41, 1, "int64")), cuda.zeros(40)
      local k = cuda.jit(function(o) for i in grid(#o) do o[i] = random(3, i):normal() end end)
      k({ threads = 40 }, want)
      assert.is_true(cuda.array_equal(want, got))
    end)

    it("is a variable of its own wherever it is made, with goto too", function()
      both(function(o, s)
        for i in grid(#o) do
          local sum, j = 0.0, 1
          ::again::
          local r = random(s, i, j)
          o[i][j] = r:uniform(float64) + random(s, j):uniform()
          j = j + 1
          if j <= #o[i] then goto again end
        end
      end, "float64", 2)
    end)

    it("refuses what it cannot draw", function()
      local function message(body)
        return helper.misuse(function()
          cuda.jit("function(x) " .. body .. " end")({ threads = 1 }, cuda.zeros(1))
        end)
      end
      helper.contains(message "local r = random(1) x[1] = 1",
        "random takes 2 to 3 arguments, and got 1")
      helper.contains(message "local r = random(0.5, 1)", "random: argument 1: expected an integer")
      helper.contains(message "x[1] = random(1, 1):gauss()",
        "a generator of random numbers has no method 'gauss'")
      helper.contains(message "x[1] = random(1, 1):normals()", "did you mean 'normal'?")
      helper.contains(message "x[1] = random(1, 1).seed",
        "a generator of random numbers has no field 'seed': call a method (bits, integer, normal")
      helper.contains(message "x[1] = random(1, 1)", "a generator is the value of one variable")
      helper.contains(message "local r = random(1, 1) r = random(1, 2)",
        "'r' is assigned more than once, and a generator is the value of one variable")
      helper.contains(message "x[1] = random(1, 1):uniform 'int32'",
        "uniform: argument 1: expected float32 or float64")
      helper.contains(message "x[1] = random(1, 1):integer(3, 2)",
        "integer: there is no integer from 3 to 2")
      helper.contains(message "x[1] = math.random()", "r:uniform() draws")
    end)
  end)
end)
