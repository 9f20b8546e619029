-- Kernels written in Lua: structs, constant tables, halves, complex numbers, messages, arrays that
-- overlap, and the methods of the object.
local cuda = require "luacuda"
local helper = require "spec.helper"

helper.for_each_device(function()
  describe("a kernel written in Lua", function()
    it("reads and writes fields of structs by reference, as Records do", function()
      local V = cuda.struct("V2", { { "x", "float32" }, { "y", "float32" } })
      local P = cuda.struct("Body", { { "n", "int32" }, { "pos", V }, { "v", "float4" },
        { "m", "int16", { 2, 2 } }, { "k", "float64" } })
      local k = cuda.jit(function(a, b)
        local function move(p, by) p.pos.x = p.pos.x + by end
        for i in grid(#a) do
          local p = a[i]
          p.n = p.n + i
          p.pos.y = i / 2
          p.v.x, p.v[2] = 1, 2
          for r = 1, #p.m do p.m[r][2] = r * i end
          p.k = p.v.y + p.pos.y
          move(p, 10)
          move(a[i], 10)
          b[i] = p
          b[i].n = -a[i].n
        end
      end)
      local a, b = cuda.zeros(3, P), cuda.zeros(3, P)
      k({ threads = 3 }, a, b)
      for i, row in ipairs(b:totable()) do
        assert.same({ n = -i, pos = { x = 20.0, y = i / 2 }, v = { 1.0, 2.0, 0.0, 0.0 },
          m = { { 0, i }, { 0, 2 * i } }, k = 2 + i / 2 }, row)
        assert.equals(i, a[i].n)
      end
    end)

    it("refuses unknown fields and values that are not structs", function()
      local V = cuda.struct({ { "x", "float32" } })
      local P = cuda.struct({ { "pos", V } })
      local a = cuda.zeros(2, P)
      local function refused(text)
        return (helper.misuse(function() cuda.jit(text)({ threads = 1 }, a) end)
          :gsub("^jit: .-:1: ", ""))
      end
      assert.equals("the struct 'struct' has no field 'po'; did you mean 'pos'?",
        refused "function(a) a[1].po = 1 end")
      assert.equals("a Lua integer cannot be an element of a struct 'struct'",
        refused "function(a) a[1] = 1 end")
    end)

    it("has tables of numbers as constants, and notices changes", function()
      local taps, order = { 0.25, 0.5, 0.25 }, { 3, 1, 2 }
      local k = cuda.jit(function(y, x)
        for i in grid(#x) do
          local s = 0.0
          for j = 1, #taps do s = s + taps[j] * x[order[j]] end
          y[i] = s
        end
      end)
      local x, y = cuda.array{ 1, 2, 4 }, cuda.zeros(3)
      k({ threads = 3 }, y, x)
      assert.same({ 2.0, 2.0, 2.0 }, y:totable())
      taps[2], taps[4], order[4] = 1, 1.0, 3
      k({ threads = 3 }, y, x)
      assert.same({ 6.5, 6.5, 6.5 }, y:totable())
      taps[1] = "a"
      local message = helper.misuse(function() k({ threads = 3 }, y, x) end)
      assert.matches("item 1 of 'taps' is a string: with an index that is known only on the "
        .. "device, a table is a list of numbers", message)
    end)

    it("computes halves and complex numbers as operators of arrays do", function()
      local k = cuda.jit(function(y, x) for i in grid(#x) do y[i] = x[i] * x[i] + x[i] / 3 end end)
      for _, dtype in ipairs{ "float16", "bfloat16", "complex64", "complex128" } do
        local x = cuda.array({ 1.5, -2.25, 3.75 }, dtype)
        local y = cuda.zeros(3, dtype)
        k({ threads = 3 }, y, x)
        helper.assert_close((x * x + x / 3):totable(), y:totable(), { dtype = dtype })
      end
      local parts = cuda.jit(function(r, z)
        for i in grid(#z) do
          z[i] = complex64(cuda.imag(z[i]), cuda.real(z[i]))
          r[i] = cuda.abs(z[i])
        end
      end)
      local z, r = cuda.array({ cuda.complex(3, 4) }, "complex64"), cuda.zeros(1)
      parts({ threads = 1 }, r, z)
      assert.equals(cuda.complex(4, 3), z:item(1))
      assert.equals(5.0, r:item(1))
    end)

    it("has arrays of the thread, which begin with zeros", function()
      local k = cuda.jit(function(y)
        for i in grid(#y) do
          local w = array(float64, 2, 3)
          for r = 1, #w do for c = 1, w.shape[2] do w[r][c] = w[r][c] + r * c * i end end
          local row = w[2]
          y[i] = row[1] + row[-1] + w.size
        end
      end)
      local y = cuda.zeros(3, "float64")
      k({ threads = 1 }, y)
      assert.same({ 14.0, 22.0, 30.0 }, y:totable())
    end)

    it("sees what it has written where arrays overlap", function()
      local k = cuda.jit(function(y, x) for i = 1, #x do y[i] = x[i] + 1 end end)
      local v = cuda.zeros(6)
      k({ threads = 1 }, v:slice({ 2, 6 }), v:slice({ 1, 5 }))
      assert.same({ 0.0, 1.0, 2.0, 3.0, 4.0, 5.0 }, v:totable())
      assert.is_nil(k:source():find "__restrict__")
      k({ threads = 1 }, cuda.zeros(6), v)
      assert.is_truthy(k:source():find "float32 %*__restrict__ y_")
    end)

    it("sees what it has written where a choice is between loads", function()
      -- with __restrict__, the compiler may load from both arrays through the read-only cache
      local function loads(text)
        local y, x = cuda.array({ 1, 2, 3, 4 }), cuda.array({ 10, 20, 30, 40 })
        local k = cuda.jit(text)
        k({ threads = 4 }, y, x)
        return k:ptx():find("ld.global.nc", 1, true) ~= nil, y:totable(),
          k:source():find("__restrict__", 1, true) ~= nil
      end
      local function both(body) return loads("function(y, x) for i in grid(#y) do " .. body
        .. " end end") end
      local cached, result = both "y[i] = (i > 2 and y[i] or x[i]) + 1"
      assert.same({ false, { 11.0, 21.0, 4.0, 5.0 } }, { cached, result })
      cached, result = both [[if i > 2 then y[i] = x[i] end
        local v = y[i]
        if v > 5 then v = x[5 - i] end
        y[i] = v]]
      assert.same({ false, { 1.0, 2.0, 20.0, 10.0 } }, { cached, result })
      cached, result = both [[local function at(a) return a[i] end
        if i > 2 then y[i] = at(y) else y[i] = at(x) end]]
      assert.same({ false, { 10.0, 20.0, 3.0, 4.0 } }, { cached, result })
      assert.is_true((select(3, both "y[i] = y[i] + x[i]")))
      assert.is_true((select(3, both "if x[i] > 10 then y[i] = x[i] end")))
      assert.is_true((select(3, both [[local s = shared('float32', 4)
        s[i] = x[i]
        if s[i] > 10 then y[i] = s[i] end]])))
    end)

    it("ends with a fault where assert or error says so", function()
      if cuda.device().kind ~= "cpu" then return end            -- a GPU does not recover
      for _, text in ipairs{ "function(x) assert(x[1] > 0) end",
        "function(x) if not (x[1] > 0) then error 'negative' end end" } do
        local k = cuda.jit(text)
        k({ threads = 1 }, cuda.ones(1))
        cuda.synchronize()
        local ok = pcall(function()
          k({ threads = 1 }, cuda.zeros(1))
          cuda.synchronize()
        end)
        assert.is_false(ok)
        cuda.device():reset()
      end
    end)

    it("passes Lua floats as float32 where nothing else is needed", function()
      local k = cuda.jit(function(y, a, n) y[1] = a * y[1] y[2] = int32(n) end)
      local y = cuda.ones(2)
      k({ threads = 1 }, y, 2.5, 1.75)
      assert.same({ 2.5, 1.0 }, y:totable())
      assert.matches("float32 a_, float64 n_", k:source())
    end)

    it("finds the names of its language in cuda.gpu, too", function()
      local gpu, grid = cuda.gpu, cuda.gpu.grid
      local k = cuda.jit(function(y)
        local t = gpu.shared("int32", 4)
        if gpu.threadIdx.x < 4 then t[gpu.threadIdx.x + 1] = gpu.laneid end
        gpu.syncthreads()
        for i in grid(#y) do y[i] = t[i] end
      end)
      local y = cuda.zeros(4)
      k({ threads = 4 }, y)
      assert.same({ 0.0, 1.0, 2.0, 3.0 }, y:totable())
      y:fill(0)
      k:run_in_lua({ threads = 4 }, y)
      assert.same({ 0.0, 1.0, 2.0, 3.0 }, y:totable())
      assert.equals("gpu.syncthreads: has a meaning only in kernels written in Lua (cuda.jit)",
        helper.misuse(gpu.syncthreads))
      assert.matches("^gpu has no 'syncthread'; did you mean 'syncthreads'",
        helper.misuse(function() return gpu.syncthread end))
    end)

    it("counts constant negative indices of atomic operations from the end", function()
      local x, m = cuda.zeros(4, "int32"), cuda.zeros({ 2, 3 }, "int32")
      cuda.jit(function(p, q)
        atomic_add(p, -1, 5)
        atomic_max(q, -1, -2, 8)
        atomic_add(q[1], -3, 2)
      end)({ threads = 1 }, x, m)
      assert.is.same({ 0, 0, 0, 5 }, x:totable())
      assert.is.same({ { 2, 0, 0 }, { 0, 8, 0 } }, m:totable())
    end)

    it("has the name of its variable in chunks without a file, too", function()
      local k = load([[
        local cuda = require "luacuda"
        local triple = cuda.jit(function(y) for i in grid(#y) do y[i] = 3 * y[i] end end)
        return triple]])()
      assert.matches("%f[%w_]triple_kernel%f[^%w_]", k:source(cuda.ones(3)))
    end)

    it("shows its stages and can be prepared", function()
      local function scale(y, a) for i in grid(#y) do y[i] = a * y[i] end end
      local k = cuda.jit(scale, { name = "scale", max_threads = 128, min_blocks = 2 })
      assert.matches("^luacuda.Jit scale", tostring(k))
      assert.matches("^jit: source: nothing is compiled yet: pass the arguments of a call",
        helper.misuse(function() k:source() end))
      local y = cuda.ones(3)
      assert.matches("__launch_bounds__%(128, 2%) scale_kernel", k:source(y, 2))
      assert.is_nil(k:source():find "#line")
      assert.is_truthy(k:kernel():source():find "#line")
      assert.matches("%.entry scale_kernel", k:ptx())
      assert.same({ y = "float32[]", a = "int!", i = "int" }, k:types())
      local run = k:prepare({ threads = 3 }, y, 2)
      run()
      run()
      assert.same({ 4.0, 4.0, 4.0 }, y:totable())
      -- The kernel has more parameters than the function: messages do not count them.
      for _, given in ipairs { { y }, { y, 2 }, { y, 3, 2 }, { y, 3, 2, 4 } } do
        for what, call in pairs { [""] = run, ["keep: "] = run.keep } do
          local args = what == "" and given or { run, table.unpack(given) }
          assert.equal(("scale: %sexpected no arguments, because prepare already has them, "
            .. "got %d; to change them, prepare another launch"):format(what, #given),
            helper.misuse(call, table.unpack(args)))
        end
      end
      helper.contains(helper.misuse(run.set, run, 2, 5), "prepare already has them")
      local wide = run:with { threads = 3, block = 64 }
      helper.contains(helper.misuse(wide, y), "prepare already has them")
      wide()
      assert.same({ 8.0, 8.0, 8.0 }, y:totable())
      y:fill(4)
      assert.is_true(k:time_ms({ threads = 3 }, y, 2) >= 0)
      assert.is_true(k:benchmark({ threads = 3, runs = 2 }, y, 1).min_ms >= 0)
      assert.equals("jit: option 'min_blocks': needs 'max_threads'",
        helper.misuse(function() cuda.jit(scale, { min_blocks = 2 }) end))
    end)

    it("has a kernel for each set of argument types", function()
      local k = cuda.jit(function(y, x) for i in grid(#x) do y[i] = x[i] end end)
      for _, dtype in ipairs{ "float32", "float64", "int32" } do
        local y = cuda.zeros(2, "float64")
        k({ threads = 2 }, y, cuda.array({ 1, 2 }, dtype))
        assert.same({ 1.0, 2.0 }, y:totable())
        assert.equals(dtype .. "[]", k:types().x)
      end
      local wide = cuda.zeros({ 2, 2 }, "float64")
      wide[2]:set{ 5, 6 }
      local y = cuda.zeros(2, "float64")
      k({ threads = 2 }, y, wide:transpose()[1])
      assert.same({ 0.0, 5.0 }, y:totable())
      assert.equals("float64[] strided", k:types().x)
    end)

    it("takes logarithms to the bases 2 and 10 with dedicated functions", function()
      local power = cuda.array({ 1 << 29, 1 << 31, 1 << 58 }, "float64")
      assert.same({ 29.0, 31.0, 58.0 },
        cuda.vectorize(function(x) return math.log(x, 2) end)(power):totable())
      local tens = cuda.array({ 1e3, 1e6, 1e9, 1e13 }, "float64")
      assert.same({ 3.0, 6.0, 9.0, 13.0 },
        cuda.vectorize(function(x) return math.log(x, 10) end)(tens):totable())
    end)
  end)
end)
