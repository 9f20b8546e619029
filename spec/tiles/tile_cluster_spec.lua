-- Blocks of a cluster that share tiles (`cluster = 2`): right for both axes, for odd numbers of
-- programs, and refused where they cannot be. The plans are those of sm_90a.
local sm90 = require "spec.support.sm90"

local HEAD = [[
local RIGHT = { nn = "load(b, { k, j }, { 64, N })",
  nt = "transpose(load(b, { j, k }, { N, 64 }))" }
local function text(layout, after)
  return ("function(c, a, b)\n"
    .. "  local i, j = program(1), program(2)\n"
    .. "  local total = zeros('float32', M, N)\n"
    .. "  for k = 1, tiles(a, 2, 64) do\n"
    .. "    total = dot(load(a, { i, k }, { M, 64 }), %s, total)\n"
    .. "  end\n"
    .. "  %s\n"
    .. "  store(c, { i, j }, total)\n"
    .. "end"):format(RIGHT[layout], after or "")
end
local function halves(...) return cuda.random.normal({ ... }):astype "float16" end
-- Multiplies random matrices; the report.
local function multiply(kernel, layout, m, n, k)
  local a, b = halves(m, k), layout == "nn" and halves(k, n) or halves(n, k)
  local c = cuda.full({ m + 3, n }, 777, "float32")
  local own = c:slice{ 1, m }
  kernel({ tiles = own }, own, a, b)
  local right = layout == "nn" and wide(b) or wide(b):transpose()
  assert(cuda.abs(wide(own) - cuda.matmul(wide(a), right)):max() < 1e-3)
  assert(c:slice{ m + 1, m + 3 }:eq(777):all())
  return kernel:pipeline(), kernel:prepare({ tiles = own }, own, a, b).grid[1]
end
]]

local function run(device, code, env) return sm90.run(device, HEAD .. code, env) end

sm90.for_each_device(function(device)
  describe("a cluster", function()
    it("multiplies right whatever it shares", function()
      run(device, [[
        -- the larger tile is shared: b by programs of one column, a by those of one row
        for k, e in ipairs{ { 64, 128, 4, "b" }, { 128, 64, 4, "a" }, { 128, 192, 8, "b" } } do
          for layout in pairs(RIGHT) do
            local kernel = cuda.tiled(text(layout), { M = e[1], N = e[2], warps = e[3],
              cluster = 2 })
            local m, n = math.random(1, 400), 8 * math.random(1, 50)
            local r, grid = multiply(kernel, layout, m, n, 8 * math.random(1, 50))
            assert(r.cluster == 2 and r.persistent and grid % 2 == 0, r.reason)
            assert(r.in_turn == (e[3] == 4))
            for _, copy in ipairs(r.copies) do assert(copy.shared == (copy.array == e[4])) end
            assert(tostring(r):find("clusters of 2", 1, true)
              and tostring(r):find(" bytes, shared)", 1, true))
          end
        end
      ]])
    end)

    it("runs each program once where their number is odd", function()
      local out = run(device, [[
        local kernel = cuda.tiled(text("nn", "print('program', i, j)"), { M = 64, N = 64,
          cluster = 2 })
        multiply(kernel, "nn", 300, 72, 72)
      ]], { LUACUDA_CPU_CHECK = "" })
      local seen, count = {}, 0
      for line in out:gmatch "program\t[^\n]*" do
        assert.is_nil(seen[line])
        seen[line], count = true, count + 1
      end
      assert.equal(10, count)
    end)

    it("shares no tile whose place depends on a variable that changes", function()
      run(device, [[
        local own = text "nn":gsub("for k", "local at = 1\n%0")
          :gsub("{ k, j }, { 64", "{ at, j }, { 64")
          :gsub("total%)\n  end", "total)\n at = at + 1 end")
        local r = multiply(cuda.tiled(own, { M = 64, N = 64, cluster = 2 }), "nn", 200, 80, 136)
        for _, copy in ipairs(r.copies) do assert(copy.shared == (copy.array == "a")) end
      ]])
    end)

    it("shares no tile whose place is computed by a function that knows the program", function()
      run(device, [[
        local own = text "nn":gsub("local total", "local function row(k) return i + 0 * k end\n%0")
          :gsub("{ i, k }", "{ row(k), k }")
        local r = multiply(cuda.tiled(own, { M = 64, N = 64, cluster = 2 }), "nn", 200, 80, 136)
        for _, copy in ipairs(r.copies) do assert(copy.shared == (copy.array == "b")) end
      ]])
    end)

    it("is refused where blocks cannot share tiles", function()
      run(device, [[
        local function refused(own, options, why)
          options.M, options.N, options.cluster = 64, 64, 2
          local kernel = cuda.tiled(own, options)
          local ok, said = pcall(multiply, kernel, "nn", 64, 64, 64)
          assert(not ok and said:find("option 'cluster': " .. why, 1, true), said)
        end
        refused(text "nn", { persistent = false }, "each block runs one program")
        refused(text "nn":gsub("total%)\n", "%0 store(c, { i, j }, total)\n"), {},
          "the kernel stores before the end of its loop")
        refused(text "nn":gsub("local total", "store(c, { i, j }, zeros('float32', M, N))\n%0"), {},
          "the kernel stores before the end of its loop")
        for _, place in ipairs{ "local total", "total = dot" } do -- before the loop, in it
          local stored = "if j > 0 then store(c, { i, j }, zeros('float32', M, N)) end\n%0"
          refused(text "nn":gsub(place, stored), {}, "the kernel stores before the end of its loop")
        end
        refused(text "nn":gsub("{ i, k }", "{ i * j, k }")
          :gsub("{ k, j }, { 64", "{ k, j + i }, { 64"), {},
          "no program loads the same tiles in the loop as its neighbour")
      ]])
    end)
  end)
end)
