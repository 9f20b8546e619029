-- Random functions and random mistakes (spec/support/jit_fuzz), and what tools/fuzz_jit.lua found.
local cuda = require "luacuda"
local helper = require "spec.helper"
local families = require "spec.support.jit_fuzz.families"
local mistakes = require "spec.support.jit_fuzz.mistakes"
local oracle = require "spec.support.jit_fuzz.oracle"
local run = require "spec.support.jit_fuzz.run"

local ROUNDS, COUNT = helper.sanitized and 1 or 3, 6

helper.for_each_device(function()
  describe("random functions", function()
    before_each(function() cuda.default_flags{ "--fmad=false" } end)
    after_each(function() cuda.default_flags{} end)

    local function round(family, seed, narrow, in_lua)
      local text, data = family.make(helper.random(seed), COUNT, narrow)
      local difference = run.difference(family.plain(text, data),
        family.compiled(text, data, in_lua))
      if difference then
        error(("%s, seed %d: %s\n%s"):format(family.name, seed, difference, text), 0)
      end
    end

    for _, family in ipairs(families.list) do
      it("compute as plain Lua does: " .. family.name, function()
        for seed = 1, ROUNDS do round(family, seed, false) end
      end)

      it("compute with narrow elements as plain Lua does that rounds and wraps: " .. family.name,
        function()
          for seed = 1, ROUNDS do round(family, seed, true) end
        end)

      if family.in_lua then
        it("compute the same in run_in_lua: " .. family.name, function()
          for seed = 1, ROUNDS do round(family, seed, false, true) end
        end)
      end
    end

    it("are refused with a line, or compiled, when they have mistakes", function()
      local refused = 0
      for seed = 1, 10 * ROUNDS do
        local rng = helper.random(seed)
        local text, data = mistakes.make(rng, seed % 2 == 0), run.data(rng, 1, seed % 2 == 0)
        local fault, was_refused = mistakes.fault(text, data)
        if fault then error(("seed %d: %s\n%s"):format(seed, fault, text), 0) end
        if was_refused then refused = refused + 1 end
      end
      assert(refused >= 5 * ROUNDS, refused)
    end)
  end)

  describe("a kernel written in Lua", function()
    -- What the kernel stores in out[1] to out[4].
    local function results(fn, ...)
      local out = cuda.zeros(4, "float64")
      fn({ threads = 1 }, out, ...)
      return out:totable()
    end

    it("takes the first value of a call in parentheses or within another function", function()
      local function two(x) return x, 100 end
      assert.same({ 5.0, 100.0, 7.0, 8.0 }, results(cuda.jit(function(out)
        out[1], out[2] = math.max(1, (two(5))), math.max(1, two(5))
        out[3] = math.max(1, math.tointeger((two(7))))
        out[4] = math.max(1, true and two(8))
      end)))
    end)

    it("keeps the sign of zero in constants", function()
      local zero, list = -0.0, { 1.0, -0.0 }
      local got = results(cuda.jit(function(out, p)
        local chosen = p > 0 and -0.0 or 1.0
        out[1], out[2], out[3] = 1 / chosen, p / zero, p / list[p + 1]
        out[4] = float64(float32(p) / float32(p > 0 and -0.0 or 1.0))
      end), 1)
      assert.same({ -math.huge, -math.huge, -math.huge, -math.huge }, got)
    end)

    it("is made again for 0.0 after -0.0, and once for NaN", function()
      local zero, list = 0.0, { 0.0 }
      local k = cuda.jit(function(out, p) out[1], out[2] = 1 / zero, 1 / list[p] end)
      assert.same({ math.huge, math.huge, 0.0, 0.0 }, results(k, 1))
      zero = -0.0
      assert.same({ -math.huge, math.huge, 0.0, 0.0 }, results(k, 1))
      list[1] = -0.0
      assert.same({ -math.huge, -math.huge, 0.0, 0.0 }, results(k, 1))
      zero, list[1] = 0 / 0, 0 / 0
      local out = cuda.zeros(4, "float64")
      assert.equals(k:kernel(out, 1), k:kernel(out, 1))
    end)

    it("names the line of a constant that a function of math refuses", function()
      local out = cuda.zeros(1, "int64")
      local function refused(expression)
        return helper.misuse(function()
          cuda.jit("function(out)\nout[1] = " .. expression .. " end")({ threads = 1 }, out)
        end)
      end
      helper.contains(refused "math.fmod(5, 0)", ":2: math.fmod: argument 2 (zero)")
      helper.contains(refused "math.ult(1, 1.5) and 1 or 2",
        ":2: math.ult: argument 2 (number has no integer representation)")
      helper.contains(refused "1 << 0.5", ":2: number has no integer representation")
    end)
  end)
end)

describe("the oracle of random functions", function()
  it("rounds to halves as the library does", function()
    local rng, list, want = helper.random(3), {}, {}
    for k = 1, 2000 do
      local exact = (rng(1 << 24) - (1 << 23)) * 2.0 ^ (rng(32) - 40)
      list[k], want[k] = exact, oracle.conversions.float16(exact)
    end
    assert.same(want, cuda.array(list, "float16", { device = "cpu" }):totable())
  end)

  it("wraps around at the bounds of integers", function()
    local to = oracle.conversions
    assert.same({ -128, 127, 255, 0, -1 }, { to.int8(128), to.int8(-129), to.uint8(-1),
      to.uint32(1 << 32), to.int32(0xffffffff) })
  end)
end)
