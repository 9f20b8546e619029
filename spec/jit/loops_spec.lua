-- Loops over the grid and unroll(...) in kernels, and the options of cuda.jit that the compiler
-- gets. The oracle is plain Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- Runs the kernel's function compiled and in Lua on copies of x; returns both and the source.
local function both(fn, x, ...)
  local k, a, b = cuda.jit(fn), x:copy(), x:copy()
  k({ threads = #x }, a, ...)
  k:run_in_lua({ threads = #x }, b, ...)
  assert.is.same(b:totable(), a:totable())
  return a:totable(), k:source()
end

helper.for_each_device(function()
  describe("grid", function()
    local KERNELS = {
      cuda.jit(function(x, s) for i in grid(#s) do x[i][1][1] = x[i][1][1] + i end end),
      cuda.jit(function(x, s)
        for i, j in grid(#s, s.shape[2]) do x[i][j][1] = x[i][j][1] + 100 * i + j end
      end),
      cuda.jit(function(x, s)
        for i, j, l in grid(s.shape) do
          if l > 1 then x[i][j][l] = x[i][j][l] + 100 * i + j
          else x[i][j][l] = x[i][j][l] + l end
        end
      end),
    }
    local WANT = {
      function(i) return i end, function(i, j) return 100 * i + j end,
      function(i, j, l) return l > 1 and 100 * i + j or l end,
    }

    -- The extents, of which those that the kernel does not have are 1.
    local function extents_of(rng, axes)
      local n = { 1, 1, 1 }
      for axis = 1, axes do n[axis] = rng(4) == 0 and 0 or rng(9) + 1 end
      return n
    end

    it("gives each index to one thread, whatever the launch", function()
      local rng = helper.random(11)
      for round = 1, 90 do
        local axes = round % 3 + 1
        local n, x = extents_of(rng, axes), cuda.zeros({ 10, 10, 10 }, "int32")
        local launch = { grid = { rng(3) + 1, rng(3) + 1, rng(2) + 1 },
          block = { rng(6) + 1, rng(5) + 1, rng(3) + 1 } }
        -- threads of axes that the kernel does not use would repeat its work
        for axis = axes + 1, 3 do launch.grid[axis], launch.block[axis] = 1, 1 end
        KERNELS[axes](launch, x, cuda.zeros{ table.unpack(n, 1, axes) })
        local got = x:totable()
        for i = 1, 10 do
          for j = 1, 10 do
            for l = 1, 10 do
              local inside = i <= n[1] and j <= n[2] and l <= n[3]
              assert.is.equal(inside and WANT[axes](i, j, l) or 0, got[i][j][l])
            end
          end
        end
      end
    end)
  end)

  describe("unroll", function()
    it("runs a numeric loop, and tells the compiler to write it out", function()
      local rng = helper.random(5)
      for _ = 1, 12 do
        local first, last, step = rng(9) - 4, rng(30) - 10, rng(5) + 1
        if rng(2) == 0 then first, last, step = last, first, -step end
        local x, want = {}, {}
        for i = 1, 20 do
          x[i] = rng(100)
          local sum = x[i]
          for k = first, last, step do sum = 3 * sum + k % 5 * i end
          want[i] = sum
        end
        local got, source = both(function(y)
          for i in grid(#y) do
            local sum = y[i]
            for k in unroll(first, last, step) do sum = 3 * sum + k % 5 * i end
            y[i] = sum
          end
        end, cuda.array(x, "int64"))
        assert.is.same(want, got)
        assert.matches("#pragma unroll\n%s*for %(", source)
      end
    end)

    it("takes bounds that only the device knows with a factor", function()
      local got, source = both(function(y, n)
        for i in grid(#y) do
          for k in unroll(1, n + i, 2, 4) do
            if k > 9 then break end
            y[i] = y[i] + k
          end
        end
      end, cuda.zeros(6, "int32"), 3)
      assert.is.same({ 4, 9, 9, 16, 16, 25 }, got)
      assert.matches("#pragma unroll 4\n%s*for %(", source)
    end)

    it("leaves no loop in the code", function()
      local k = cuda.jit(function(y)
        for i in unroll(1, 6) do
          local t = array("float32", 6)
          t[i] = y[i]
          y[i] = 2 * t[i]
        end
      end)
      local y = cuda.ones(6)
      k({ threads = 1 }, y)
      assert.is.same({ 2, 2, 2, 2, 2, 2 }, y:totable())
      assert.is_nil(k:ptx():find("bra[^\n]*BB0"))
    end)

    it("writes out at most 1024 rounds", function()
      for _, bounds in ipairs{ { "1, %d", 1 }, { "%d, 1, -1", 1 }, { "-4, %d, 3", 3, -5 },
        { "1, 5, 1, %d", 1 } } do
        local function run(rounds)
          local x = cuda.zeros(1, "int64")
          local range = bounds[1]:format(bounds[2] * rounds + (bounds[3] or 0))
          cuda.jit("function(x) for i in unroll(" .. range .. ") do x[1] = x[1] + i end end")(
            { threads = 1 }, x)
          local want = 0
          local first, last, step = load("return " .. range)()
          for i = first, last, step or 1 do want = want + i end
          assert.equals(want, x[1])
        end
        run(1023)
        run(1024)
        helper.contains(helper.misuse(run, 1025), "1024")
      end
    end)

    it("refuses what cannot be written out", function()
      local function message(body)
        return helper.misuse(function()
          cuda.jit("function(x) " .. body .. " end")({ threads = 1 }, cuda.zeros(3))
        end)
      end
      helper.contains(message "for i in unroll(1, #x) do x[i] = 1 end",
        "the bounds are known when the kernel is made, or a factor is given, as in unroll(1, n, 1, "
        .. "4)")
      helper.contains(message "for i in unroll(1, 5000) do x[1] = i end",
        "the loop has 5000 rounds, and at most 1024 are written out")
      helper.contains(message "for i in unroll(1, 5, 0) do x[1] = i end",
        "the step of a for loop is 0")
      helper.contains(message "for i in unroll(1, #x, 1, x[1]) do x[1] = i end",
        "unroll: argument 4: expected how many rounds to write out, 1 to 1024")
      helper.contains(message "for i, j in unroll(1, 2) do x[1] = i end",
        "unroll gives one index, and 2 variables are given")
      helper.contains(message "local t = unroll(1, 2)",
        "a variable cannot be unroll(...), which stands in a loop: for i in unroll(1, n)")
      helper.contains(message "for i in unroll(1, 2.5) do x[1] = i end",
        "unroll: argument 2: expected an integer")
    end)
  end)

  describe("cuda.jit passes on", function()
    local function fill(y) for i in grid(#y) do y[i] = i / 3 end end

    it("a limit of registers and flags of the compiler", function()
      local k, y = cuda.jit(fill, { max_registers = 32, flags = "-DUNUSED=1" }), cuda.zeros(8)
      k({ threads = 8 }, y)
      local flags = table.concat(k:kernel().options.flags, " ")
      helper.contains(flags, "--maxrregcount=32")
      helper.contains(flags, "-DUNUSED=1")
      assert.is.near(8 / 3, y:item(8), 1e-6)
    end)

    it("launch bounds and fast math", function()
      local k, y = cuda.jit(fill, { max_threads = 128, min_blocks = 2, fast_math = true }),
        cuda.zeros(8)
      k({ threads = 8 }, y)
      helper.contains(k:source(), "__launch_bounds__(128, 2)")
      assert.is_true(k:kernel().options.fast_math)
    end)

    it("no options that contradict each other", function()
      helper.contains(helper.misuse(cuda.jit, fill, { max_registers = 8 }),
        "option 'max_registers': 8 is outside 16 to 255")
      helper.contains(helper.misuse(cuda.jit, fill, { max_registers = 64, max_threads = 128 }),
        "option 'max_registers': the compiler ignores it if max_threads is given")
      helper.contains(helper.misuse(cuda.jit, fill, { flag = "-DX" }), "did you mean 'flags'?")
    end)
  end)
end)
