-- Kernels run as ordinary Lua against the compiled kernels, on random arrays.
local helper = require "spec.helper"
local cuda = require "luacuda"

-- luacheck: read globals grid threadIdx blockIdx blockDim gridDim laneid warpSize shared array
-- luacheck: read globals syncthreads syncthreads_count syncthreads_and syncthreads_or syncwarp
-- luacheck: read globals shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync ballot_sync any_sync
-- luacheck: read globals all_sync match_any_sync popc clz atomic_add atomic_max atomic_cas
-- luacheck: read globals atomic_exch atomic_xor int8 uint8 float32 int32 match_all_sync

local FULL = 0xffffffff

-- Runs the function both ways on copies of the arrays, and compares all of them.
local function compare(fn, launch, ...)
  local k = cuda.jit(fn)
  local compiled, in_lua = { ... }, { ... }
  for i, v in ipairs(compiled) do
    if cuda.type(v) == "array" then compiled[i], in_lua[i] = v:copy(), v:copy() end
  end
  k(launch, table.unpack(compiled))
  k:run_in_lua(launch, table.unpack(in_lua))
  for i, v in ipairs(compiled) do
    if cuda.type(v) == "array" then
      local same = v:equals(in_lua[i]) or cuda.allclose(v, in_lua[i], { rtol = 1e-5 })
      assert.is_true(same, ("argument %d: %s compiled, %s in Lua"):format(i, v, in_lua[i]))
    end
  end
  return table.unpack(in_lua)
end

local function scaled(v) return 2 * v + 1 end

describe("jit: run_in_lua", function()
  helper.for_each_device(function(device)
    local rng = cuda.random.generator(5)

    it("runs grid loops of one, two and three extents", function()
      local x, y = rng:uniform(1000), rng:uniform(1000)
      local out = compare(function(a, p, q) for i in grid(#p) do q[i] = a * p[i] + q[i] end end,
        { threads = 300 }, 2, x, y)
      assert.is.equal(2, out)
      compare(function(m)
        for i, j in grid(m.shape[1], m.shape[2]) do m[i][j] = m[i][j] + 10 * i + j end
      end, { threads = { 7, 5 } }, rng:uniform { 9, 13 })
      compare(function(m)
        for i, j, k in grid(m.shape[1], m.shape[2], m.shape[3]) do
          m[i][j][k] = m[i][j][k] - i * j * k
        end
      end, { grid = { 1, 2 }, block = { 2, 2, 2 } }, rng:uniform { 3, 5, 7 })
    end)

    it("reads and writes strided views", function()
      local m = rng:uniform { 6, 8 }
      compare(function(t) for i, j in grid(#t, t.shape[2]) do t[i][j] = t[i][j] * i end end,
        { threads = { 6, 8 } }, m:transpose())
    end)

    it("matches floats by their bits", function()
      local values = { 0.0, -0.0, 0 / 0, 1.5, 0.0, 0 / 0, -0.0, 1.5 }
      for _, dtype in ipairs{ "float32", "float64" } do
        local p, q = cuda.array(values, dtype), cuda.full(8, 0 / 0, dtype)
        local out = compare(function(o)
          local i = laneid + 1
          o[i][1] = match_any_sync(FULL, p[i])
          o[i][2] = match_all_sync(FULL, q[i])
          o[i][3] = match_all_sync(FULL, p[i])
        end, { block = 8 }, cuda.zeros({ 8, 3 }, "uint32"))
        assert.is.same({ 0x11, 0x42, 0x24, 0x88, 0x11, 0x24, 0x42, 0x88 },
          out:transpose()[1]:totable())
      end
    end)

    it("waits at barriers and shares memory", function()
      local x = rng:uniform(700)
      local _, sums = compare(function(p, out)
        local s = shared(float32, 64)
        local t, v = threadIdx.x + 1, float32(0)
        for i in grid(#p) do v = v + p[i] end
        s[t] = v
        syncthreads()
        local step = blockDim.x // 2
        while step > 0 do
          if t <= step then s[t] = s[t] + s[t + step] end
          syncthreads()
          step = step // 2
        end
        if t == 1 then out[blockIdx.x + 1] = s[1] end
      end, { grid = 3, block = 64 }, x, cuda.zeros(3))
      assert.is.near(x:sum(), sums:sum(), 1e-2)
    end)

    it("exchanges values within warps", function()
      compare(function(p, q)
        local i = blockIdx.x * blockDim.x + threadIdx.x + 1
        local v = p[i]
        q[i][1] = shfl_sync(FULL, v, 3)
        q[i][2] = shfl_up_sync(FULL, v, 2)
        q[i][3] = shfl_down_sync(FULL, v, 5)
        q[i][4] = shfl_xor_sync(FULL, v, 9)
        q[i][5] = shfl_sync(FULL, v, 1, 8)
        q[i][6] = shfl_down_sync(FULL, v, 3, 16)
        syncwarp()
      end, { grid = 2, block = 64 }, rng:uniform(128), cuda.zeros { 128, 6 })
    end)

    it("votes", function()
      compare(function(p, q)
        local i = threadIdx.x + 1
        local yes = p[i] > 0.5
        q[i][1] = ballot_sync(FULL, yes)
        q[i][2] = any_sync(FULL, yes) and 1 or 0
        q[i][3] = all_sync(FULL, yes) and 1 or 0
        q[i][4] = match_any_sync(FULL, int32(p[i] * 4))
        q[i][5] = syncthreads_count(yes)
        q[i][6] = syncthreads_and(yes) and 1 or 0
        q[i][7] = syncthreads_or(yes) and 1 or 0
        q[i][8] = popc(i) + clz(i) + laneid + warpSize
      end, { grid = 1, block = 96 }, rng:uniform(96), cuda.zeros({ 96, 8 }, "int64"))
    end)

    it("does atomic operations on elements of any array", function()
      compare(function(p, bins, most)
        for i in grid(#p) do
          local b = int32(p[i] * 4) + 1
          atomic_add(bins, b, 1, 1)
          atomic_xor(bins, b, 2, i)
          atomic_max(most, 1, int32(p[i] * 1000))
          atomic_cas(most, 2, 0, 7)
        end
      end, { threads = 500 }, rng:uniform(500), cuda.zeros({ 4, 2 }, "int32"),
        cuda.zeros(2, "int32"))
    end)

    it("converts, and calls functions of Lua and of the library", function()
      compare(function(p, q)
        for i in grid(#p) do
          q[i][1] = int8(300 * p[i]) + uint8(300 * p[i])
          q[i][2] = scaled(p[i]) + math.floor(10 * p[i])
          q[i][3] = cuda.exp(p[i]) + cuda.erf(p[i])
        end
      end, { threads = 40 }, rng:uniform(40), cuda.zeros { 40, 3 })
    end)

    it("names the thread of an error", function()
      local k = cuda.jit(function(x) for i in grid(#x) do x[i + 8] = 1 end end)
      local message = helper.error_of(k.run_in_lua, k, { grid = 2, block = 8 }, cuda.zeros(16))
      helper.contains(message, "index 17 is outside an axis of 16 elements")
      helper.contains(message, "(block (1,0,0), thread (0,0,0))")
    end)

    it("reports threads that wait for each other", function()
      local k = cuda.jit(function(x)
        if threadIdx.x == 0 then syncthreads() else syncwarp() end
        x[1] = 1
      end)
      local message = helper.error_of(k.run_in_lua, k, { grid = 1, block = 2 }, cuda.zeros(1))
      helper.contains(message, "deadlock in block (0,0,0): thread (0,0,0) waits at syncthreads")
    end)

    it("gives each block shared memory of its own, and threads arrays of theirs", function()
      compare(function(out)
        local s, own = shared("int32", 2, 2), array("int32", 3)
        own[1] = threadIdx.x
        if threadIdx.x == 0 then s[1][2] = blockIdx.x end
        syncthreads()
        out[blockIdx.x + 1][threadIdx.x + 1] = s[1][2] * 100 + own[1]
      end, { grid = 3, block = 4 }, cuda.zeros({ 3, 4 }, "int32"))
    end)

    it("leaves arrays where they are", function()
      local x = cuda.zeros(4)
      cuda.jit(function(p) for i in grid(#p) do p[i] = i end end):run_in_lua({ threads = 4 }, x)
      assert.is.equal(device, x.device)
      assert.is.same({ 1, 2, 3, 4 }, x:totable())
    end)

    it("refuses launches and arguments that kernels refuse", function()
      local k = cuda.jit(function(x) x[1] = 1 end)
      local x = cuda.zeros(1)
      helper.contains(helper.error_of(k.run_in_lua, k, 5, x), "expected a launch table")
      helper.contains(helper.error_of(k.run_in_lua, k, { grid = 1 }, x), "expected threads")
      helper.contains(helper.error_of(k.run_in_lua, k, { grid = 0, block = 1 }, x),
        "'grid': expected integers of 1 or more, got 0")
      helper.contains(helper.error_of(k.run_in_lua, k, { grid = 1, block = 2000 }, x),
        "2000 threads")
      helper.contains(helper.error_of(k.run_in_lua, k, { threads = 1 }, "x"), "argument 1")
      helper.contains(helper.error_of(k.run_in_lua, k, { threads = { 1, 2, 3, 4 } }, x),
        "'threads': expected 1 to 3 integers, got 4")
      helper.contains(helper.error_of(k.run_in_lua, k, { threads = 1 }),
        "the function takes 1 arguments, and 0 are given after the launch table")
      helper.contains(helper.error_of(k.run_in_lua, k, { threads = 1 }, x, x), "and 2 are given")
      for _, shared in ipairs{ -1, 1.5, "8" } do
        helper.contains(helper.error_of(k.run_in_lua, k, { threads = 1, shared = shared }, x),
          "'shared': expected an integer of 0 or more, got " .. shared)
      end
    end)

    it("refuses globals that are assigned and places between elements", function()
      local x = cuda.zeros(1)
      local k = cuda.jit(function() a_global = 1 end)         -- luacheck: ignore 111
      helper.contains(helper.error_of(k.run_in_lua, k, { threads = 1 }),
        "'a_global' is a global: a kernel cannot assign globals")
      k = cuda.jit(function(p) p[1] = #dynamic_shared("int64", 3) end)   -- luacheck: ignore 113
      helper.contains(helper.error_of(k.run_in_lua, k, { threads = 1 }, x),
        "dynamic_shared: argument 2: 3 is no multiple of the 8 bytes of a int64")
    end)
  end)
end)
