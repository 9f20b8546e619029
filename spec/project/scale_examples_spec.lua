-- The examples that several ranks share, in small sizes. Each compares its result with that of one
-- rank; here it is compared with plain Lua too. On a machine with several GPUs all of them take
-- part, and ranks that mpirun starts do on the CPU device.
local helper = require "spec.helper"
local cuda = require "luacuda"
local examples = require "spec.support.examples"
local ranks = require "spec.support.ranks" (function(reason) pending(reason) end)

local ARGUMENTS = {
  regression = { 203, 5, 60 }, kmeans = { 301, 4, 5, 4 }, heat = { 19, 23 },
  monte_carlo = { 1003, 3 }, matmul = { 9, 13, 11 },
}

-- k-means of rows of numbers, from these centers.
local function kmeans(points, centers, steps)
  for _ = 1, steps do
    local sums = {}
    for c = 1, #centers do sums[c] = { n = 0 } end
    for _, x in ipairs(points) do
      local best, least = nil, math.huge
      for c, y in ipairs(centers) do
        local d = 0
        for j = 1, #x do d = d + (x[j] - y[j]) ^ 2 end
        if d < least then best, least = c, d end
      end
      local s = sums[best]
      s.n = s.n + 1
      for j = 1, #x do s[j] = (s[j] or 0) + x[j] end
    end
    for c, s in ipairs(sums) do
      for j = 1, s.n > 0 and #s or 0 do centers[c][j] = s[j] / s.n end
    end
  end
  return centers
end

local function heat(n, steps)
  local u = {}
  for i = 1, n do
    u[i] = {}
    for j = 1, n do u[i][j] = i == 1 and 100.0 or 0.0 end
  end
  for _ = 1, steps do
    local later = { u[1], [n] = u[n] }
    for i = 2, n - 1 do
      later[i] = { u[i][1], [n] = u[i][n] }
      for j = 2, n - 1 do
        later[i][j] = u[i][j]
          + 0.2 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j])
      end
    end
    u = later
  end
  return u
end

-- The points of each piece, as the example makes them, that lie in the ball.
local function hits(points, dimensions)
  local count, pieces = 0, 32
  for number = 1, pieces do
    local n = points * number // pieces - points * (number - 1) // pieces
    local random, squares = cuda.random.generator(number), {}
    for i = 1, n do squares[i] = 0 end
    for _ = 1, dimensions do
      for i, x in ipairs(random:uniform(n):totable()) do squares[i] = squares[i] + x * x end
    end
    for _, s in ipairs(squares) do count = count + (s < 1 and 1 or 0) end
  end
  return count
end

local function product(a, b)
  local c = {}
  for i = 1, #a do
    c[i] = {}
    for j = 1, #b[1] do
      local sum = 0.0
      for l = 1, #b do sum = sum + a[i][l] * b[l][j] end
      c[i][j] = sum
    end
  end
  return c
end

local CHECKS = {
  regression = function(weights)
    helper.assert_close({ 0.2, 0.4, 0.6, 0.8, 1 }, weights:totable(), { rtol = 1e-4, atol = 0 })
  end,
  kmeans = function(all, one)
    local points = one.points:totable()
    local want = kmeans(points, one.points:slice({ 1, 5 }):totable(), 4)
    helper.assert_close(want, all.centers:totable(), { rtol = 1e-5, atol = 0 })
  end,
  heat = function(all)
    helper.assert_close(heat(19, 23), all:totable(), { rtol = 1e-5, atol = 1e-4 })
  end,
  -- a point on the rim may be rounded to either side
  monte_carlo = function(all) assert.is_true(math.abs(all - hits(1003, 3)) <= 1) end,
  matmul = function(all)
    assert.same(product(all.a:totable(), all.b:totable()), all.c:totable())
  end,
}

helper.for_each_device(function(device)
  describe("scaling example", function()
    for name, check in pairs(CHECKS) do
      it(name, function()
        if device.kind == "gpu" and not cuda.versions().nccl then pending "no NCCL" end
        local results = examples.run("scale/" .. name, table.unpack(ARGUMENTS[name]))
        local report = results[1]
        check(report.all, report.one)
        assert.matches("^ranks: %d+, [%d.]+ ms, one alone [%d.]+ ms, speed%-up [%d.]+\n",
          results.printed)
        if helper.fake_gpu then assert.equal(2, report.ranks) end
      end)
    end
  end)
end)

describe("scaling examples of several ranks", function()
  -- All in one program, which costs the start of one.
  local function script()
    local lines = {}
    for name, arguments in pairs(ARGUMENTS) do
      lines[#lines + 1] = ("run(%q, %s)"):format(name, table.concat(arguments, ", "))
    end
    table.sort(lines)
    return ([[
      local cuda = require "luacuda"
      local rank = cuda.nccl.environment().rank
      function run(name, ...)
        local report = assert(loadfile("examples/scale/" .. name .. ".lua"))(...)
        assert((report.one ~= nil) == (rank == 0))
      end
    ]]) .. table.concat(lines, "\n")
  end

  for _, n in ipairs { 2, 3 } do
    it(("compute the same, %d of them"):format(n), function()
      local ok, output = ranks.run(n, script())
      assert.is_true(ok, output)
      local _, count = output:gsub(("ranks: %d, "):format(n), "")
      assert.equal(5, count, output)
    end)
  end

  it("compute the same on GPUs", function()
    local ok, output = ranks.run(2, script(), ranks.fake_gpus { LUACUDA_CPU_GPUS = 2 })
    assert.is_true(ok, output)
    local _, count = output:gsub("ranks: 2, ", "")
    assert.equal(5, count, output)
  end)
end)
