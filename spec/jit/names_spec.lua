-- Names of the kernel's language beside those of arrays: math functions, bits, matches, time. The
-- oracle is Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- Runs f, of one or three numbers, over random numbers of a dtype, compiled and in Lua.
local function compare(name, f, dtype, rtol)
  local rng, x, want = helper.random(#name), {}, {}
  local text = f.count == 3 and "y[i] = %s(x[i], x[i] - 1, 3)" or "y[i] = %s(x[i])"
  for i = 1, 64 do
    x[i] = f.integer and rng(1 << 31) >> rng(31) or (rng(f.to * 64) + 1) / 64
    if i % 8 == 0 and f.signed then x[i] = -x[i] end
    want[i] = f.count == 3 and f.of(x[i], x[i] - 1, 3) or f.of(x[i])
  end
  local k = cuda.jit(("function(x, y) for i in grid(#x) do " .. text .. " end end"):format(name))
  local a, b, c = cuda.array(x, dtype), cuda.zeros(64, f.integer and "int64" or "float64"),
    cuda.zeros(64, f.integer and "int64" or "float64")
  k({ threads = 64 }, a, b)
  k:run_in_lua({ threads = 64 }, a, c)
  for i = 1, 64 do
    local near = rtol * math.max(1, math.abs(want[i]))
    assert.is.near(want[i], b:item(i), near, name)
    assert.is.near(want[i], c:item(i), near, name)
  end
end

local FLOATS = {
  fma = { count = 3, to = 8, signed = true, of = function(x, y, z) return x * y + z end },
  rsqrt = { to = 90, of = function(x) return 1 / math.sqrt(x) end },
  exp10 = { to = 3, signed = true, of = function(x) return 10.0 ^ x end },
  sinpi = { to = 4, signed = true, of = function(x) return math.sin(math.pi * x) end },
  cospi = { to = 4, signed = true, of = function(x) return math.cos(math.pi * x) end },
}

local function ffs(v)
  local n = 0
  while v ~= 0 and v % 2 == 0 do v, n = v // 2, n + 1 end
  return v == 0 and 0 or n + 1
end

helper.for_each_device(function()
  describe("kernels have", function()
    for name, f in pairs(FLOATS) do
      it(("%s of float32, float64 and integers"):format(name), function()
        compare(name, f, "float32", 2e-6)
        compare(name, f, "float64", 1e-14)
      end)
    end

    it("math functions of Lua numbers and of halves", function()
      local k = cuda.jit(function(y, h)
        for _ in grid(1) do
          y[1], y[2], y[3] = rsqrt(16), sinpi(1), cospi(0.5)
          y[4] = fma(h[1], h[1], 1)
        end
      end)
      for _, run in ipairs{ k, function(...) k:run_in_lua(...) end } do
        local y = cuda.zeros(4, "float64")
        run({ threads = 1 }, y, cuda.full(1, 3, "float16"))
        assert.is.same({ 0.25, 0, 0, 10 }, y:totable())
      end
    end)

    it("ffs of integers", function()
      for _, dtype in ipairs{ "int32", "int64", "uint32" } do
        compare("ffs", { integer = true, signed = dtype ~= "uint32", of = ffs }, dtype, 0)
      end
      assert.is.equal(0, (function()
        local y = cuda.ones(1, "int32")
        cuda.jit(function(p) p[1] = ffs(p[1] - 1) end)({ threads = 1 }, y)
        return y:item(1)
      end)())
    end)

    it("matches of all lanes", function()
      local k = cuda.jit(function(x, y)
        local i = threadIdx.x + 1
        y[i][1] = match_all_sync(0xffffffff, x[i] // 100)
        y[i][2] = match_all_sync(0xffffffff, x[i])
      end)
      local x = cuda.arange(1, 33, 1, "int32")
      for _, run in ipairs{ k, function(...) k:run_in_lua(...) end } do
        local y = cuda.zeros({ 32, 2 }, "int64")
        run({ grid = 1, block = 32 }, x, y)
        for i = 1, 32 do assert.is.same({ 0xffffffff, 0 }, y[i]:totable()) end
      end
    end)

    it("a clock that goes on", function()
      local k = cuda.jit(function(y)
        local first = clock()
        nanosleep(1000)
        y[1] = clock() - first
      end)
      for _, run in ipairs{ k, function(...) k:run_in_lua(...) end } do
        local y = cuda.full(1, -1, "int64")
        run({ threads = 1 }, y)
        assert.is_true(y:item(1) >= 0)
      end
    end)

    -- The least and the most arguments of the functions that the documents list with parameters.
    local function documented_counts()
      local counts = {}
      for _, part in ipairs(dofile "docs/api/gpu.lua".parts) do
        for _, e in ipairs(part.class == "Gpu" and part.entries or {}) do
          local least, most = 0, 0
          for _, param in ipairs(e.params or part.params or {}) do
            local mark = param:match "^[%a.]+(%??):"
            if param:find "^%.%.%." then most = math.huge end
            most, least = most + 1, least + (mark == "" and 1 or 0)
          end
          if e.kind ~= "field" and most < math.huge then counts[e[1]] = { least, most } end
        end
      end
      counts.grid, counts.unroll = nil, nil -- only in loops
      return counts
    end

    -- The message of a call with n arguments, whose text is format:format(its name and arguments).
    local function count_message(format, name, n)
      local call = format:format(("%s(%s)"):format(name, ("1, "):rep(n):sub(1, -3)))
      local ok, e = pcall(cuda.jit("function(x)\n" .. call .. "\nend"), { threads = 1 },
        cuda.zeros(1))
      assert.is_false(ok, call)
      return tostring(e):match ":2: ([^\n]*)$"
    end

    local function check_counts(format, name, least, most)
      local wanted = least == most and tostring(least) or ("%d to %d"):format(least, most)
      for _, n in ipairs { least - 1, most + 1, most + 3 } do
        if n >= 0 then
          assert.equal(("%s takes %s %s, and got %d"):format(name, wanted,
            wanted == "1" and "argument" or "arguments", n), count_message(format, name, n))
        end
      end
    end

    it("messages for too few and too many arguments", function()
      local names = 0
      for name, n in pairs(documented_counts()) do
        check_counts("%s", name, table.unpack(n))
        names = names + 1
      end
      assert.is_true(names > 30)
      for name, n in pairs { sqrt = { 1, 1 }, atan = { 1, 2 }, log = { 1, 2 }, fmod = { 2, 2 },
        ult = { 2, 2 }, floor = { 1, 1 }, tointeger = { 1, 1 }, abs = { 1, 1 }, exp = { 1, 1 },
        type = { 1, 1 } } do
        check_counts("%s", "math." .. name, table.unpack(n))
      end
      for name, n in pairs { size = { 0, 0 }, thread_rank = { 0, 0 }, meta_group_rank = { 0, 0 },
        meta_group_size = { 0, 0 }, sync = { 0, 0 }, shfl = { 2, 2 }, shfl_up = { 2, 2 },
        shfl_down = { 2, 2 }, shfl_xor = { 2, 2 }, any = { 1, 1 }, all = { 1, 1 },
        ballot = { 1, 1 }, match_any = { 1, 1 }, reduce = { 1, 2 }, inclusive_scan = { 1, 2 } } do
        check_counts("tile(32):%s", name, table.unpack(n))
      end
      check_counts("random(1, 2):%s", "bits", 0, 0)
      check_counts("random(1, 2):%s", "integer", 2, 2)
      check_counts("random(1, 2):%s", "uniform", 0, 1)
      check_counts("random(1, 2):%s", "normal", 0, 1)
      check_counts("for i in %s do end", "grid", 1, 3)
      check_counts("for i in %s do end", "unroll", 2, 4)
      check_counts("%s", "assert", 1, 2)
      check_counts("%s", "error", 1, 2)
    end)

    it("messages for wrong arguments", function()
      local function message(body)
        return helper.misuse(function()
          cuda.jit("function(x) " .. body .. " end")({ threads = 1 }, cuda.zeros(1))
        end)
      end
      helper.contains(message "x[1] = rsqrt(x)", "rsqrt: argument 1: expected a real number")
      helper.contains(message "x[1] = fma(1, 2)", "fma takes 3 arguments, and got 2")
      helper.contains(message "x[1] = ffs(0.5)", "ffs: argument 1: expected an integer")
      helper.contains(message "nanosleep(0.5)", "nanosleep: argument 1: expected an integer")
      helper.contains(message "x[1] = clock(1)", "clock takes 0 arguments, and got 1")
    end)
  end)
end)
