-- Draws of exponential, gamma, poisson, binomial, choice and shuffle against the exact
-- distributions. The seeds are fixed: a test that passes once passes always.
local cuda = require "luacuda"
local helper = require "spec.helper"

local N = 20000

-- log(gamma(x)): Stirling's series after shifting x up.
local function log_gamma(x)
  local shift = 0
  while x < 12 do x, shift = x + 1, shift + math.log(x) end
  return (x - 0.5) * math.log(x) - x + 0.5 * math.log(2 * math.pi) + 1 / (12 * x)
    - 1 / (360 * x ^ 3) + 1 / (1260 * x ^ 5) - shift
end

-- The distribution function of gamma(k), as a series.
local function gamma_below(k, x)
  if x <= 0 then return 0 end
  local term = math.exp(k * math.log(x) - x - log_gamma(k + 1))
  local sum, n = 0, k
  while term > 1e-17 * sum or n < x do sum, n, term = sum + term, n + 1, term * x / (n + 1) end
  return sum
end

-- The largest distance of the empirical distribution function from the exact one (Kolmogorov and
-- Smirnov), times the root of the number of draws: above 1.95 in one of 1000 tests.
local function distance(list, below)
  table.sort(list)
  local most = 0
  for i, x in ipairs(list) do
    local p = below(x)
    most = math.max(most, p - (i - 1) / #list, i / #list - p)
  end
  return most * math.sqrt(#list)
end

-- Pearson's statistic for integers against the probabilities of 0, 1, ..., last; the tails are
-- joined until 20 draws are expected. In units of its deviation above its mean.
local function excess(list, probability, last)
  local counts = {}
  for _, k in ipairs(list) do
    assert(k >= 0 and k <= last, k)
    counts[k] = (counts[k] or 0) + 1
  end
  local sum, bins, seen, expected = 0, -1, 0, 0
  local left = #list
  for k = 0, last do
    seen, expected = seen + (counts[k] or 0), expected + #list * probability(k)
    if expected >= 20 and left - expected >= 20 or k == last and expected > 0.5 then
      sum, bins = sum + (seen - expected) ^ 2 / expected, bins + 1
      left, seen, expected = left - expected, 0, 0
    end
  end
  return (sum - bins) / math.sqrt(2 * math.max(bins, 1))
end

local function counts_of(list)
  local counts = {}
  for _, k in ipairs(list) do counts[k] = (counts[k] or 0) + 1 end
  return counts
end

describe("random variates", function()
  helper.for_each_device(function()
    for _, dtype in ipairs { "float32", "float64" } do
      it("draws exponential " .. dtype, function()
        local g = cuda.random.generator(11)
        for _, scale in ipairs { 1, 2.5 } do
          local y = g:exponential(N, { scale = scale, dtype = dtype })
          assert.equal(dtype, y.dtype)
          assert.is_true(distance(y:totable(), function(x) return 1 - math.exp(-x / scale) end)
            < 1.95)
        end
      end)

      it("draws gamma " .. dtype, function()
        local g = cuda.random.generator(12)
        for _, k in ipairs { 0.05, 0.5, 1, 1.5, 8, 60 } do
          local y = g:gamma(k, { 100, N // 100 }, { dtype = dtype, scale = 3 })
          assert.same({ 100, N // 100 }, y.shape)
          local d = distance(y:reshape(-1):totable(),
            function(x) return gamma_below(k, x / 3) end)
          assert.is_true(d < 1.95, ("k = %g: %g"):format(k, d))
        end
      end)
    end

    it("draws exponential float32 to the last place", function()
      local words = cuda.random.generator(9):bits(N):totable()
      local drawn = cuda.random.generator(9):exponential(N):totable()
      for i, word in ipairs(words) do
        local u = ("f"):unpack(("f"):pack(("f"):unpack(("f"):pack(word)) * 0x1p-32 + 0x1p-33))
        local want = -math.log(u)
        assert.is_true(math.abs(drawn[i] - want) <= 2.0 ^ -23 * want, u)
      end
    end)

    it("draws poisson", function()
      local g = cuda.random.generator(13)
      for _, mean in ipairs { 0.01, 0.9, 4, 9.99, 10, 25.5, 400 } do
        local list = g:poisson(mean, N):totable()
        local e = excess(list, function(k)
          return math.exp(k * math.log(mean) - mean - log_gamma(k + 1))
        end, math.floor(mean + 12 * math.sqrt(mean) + 12))
        assert.is_true(e < 4, ("mean %g: %g"):format(mean, e))
      end
      assert.same({ 0, 0, 0 }, g:poisson(0, 3):totable())
    end)

    it("draws poisson of large means", function()
      local mean = 1e10
      local y = cuda.random.generator(14):poisson(mean, N):astype "float64"
      local z = ((y - mean) / math.sqrt(mean))
      assert.near(0, z:mean(), 0.03)
      assert.near(1, z:var(), 0.04)
      -- a dtype that is too small gives its largest value
      local bytes = cuda.random.generator(14):poisson(1000, 100, { dtype = "uint8" })
      assert.equal(255, bytes:min())
      assert.equal(127, cuda.random.generator(14):poisson(1000, 100, { dtype = "int8" }):min())
    end)

    it("draws binomial", function()
      local g = cuda.random.generator(15)
      for _, row in ipairs { { 1, 0.5 }, { 10, 0.3 }, { 10, 0.95 }, { 40, 0.25 }, { 100, 0.5 },
        { 1000, 0.9 }, { 1000, 0.009 }, { 100000, 0.001 }, { 100000, 1e-5 }, { 50, 0.75 } } do
        local n, p = table.unpack(row)
        local e = excess(g:binomial(n, p, N):totable(), function(k)
          return math.exp(log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1)
            + k * math.log(p) + (n - k) * math.log(1 - p))
        end, n)
        assert.is_true(e < 4, ("n = %d, p = %g: %g"):format(n, p, e))
      end
      assert.same({ 0, 0 }, g:binomial(7, 0, 2):totable())
      assert.same({ 7, 7 }, g:binomial(7, 1, 2, { dtype = "uint8" }):totable())
      assert.same({ 0, 0 }, g:binomial(0, 0.5, 2):totable())
    end)

    it("keeps mean and variance over many draws", function()
      local g, n = cuda.random.generator(22), 400000
      -- draws, mean, variance, fourth central moment over the variance's square
      local rows = { { g:exponential(n), 1, 1, 9 }, { g:gamma(0.5, n), 0.5, 0.5, 15 },
        { g:gamma(8, n, { dtype = "float64" }), 8, 8, 3.75 } }
      for _, mean in ipairs { 3, 10, 12, 80 } do
        rows[#rows + 1] = { g:poisson(mean, n), mean, mean, 3 + 1 / mean }
      end
      for _, row in ipairs { { 20, 0.3 }, { 30, 0.4 }, { 25, 0.5 }, { 1000, 0.98 } } do
        local variance = row[1] * row[2] * (1 - row[2])
        rows[#rows + 1] = { g:binomial(row[1], row[2], n), row[1] * row[2], variance,
          3 + (1 - 6 * row[2] * (1 - row[2])) / variance }
      end
      for k, row in ipairs(rows) do
        local y, mean, variance, kurtosis = row[1]:astype "float64", table.unpack(row, 2)
        -- four standard errors
        assert.near(mean, y:mean(), 4 * math.sqrt(variance / n), k)
        assert.near(variance, y:var(), 4 * variance * math.sqrt((kurtosis - 1) / n), k)
      end
    end)

    it("chooses with equal weights", function()
      local g = cuda.random.generator(16)
      local e = excess(g:choice(37, N):totable(), function(k) return k > 0 and 1 / 37 or 0 end, 37)
      assert.is_true(e < 4)
      local rows = cuda.array { { 1, 2 }, { 3, 4 }, { 5, 6 } }
      local drawn = g:choice(rows, { 40, 5 })
      assert.same({ 40, 5, 2 }, drawn.shape)
      for _, row in ipairs(drawn:reshape({ 200, 2 }):totable()) do
        assert.equal(row[1] + 1, row[2])
        assert.equal(1, row[1] % 2)
      end
    end)

    it("chooses with weights", function()
      local g = cuda.random.generator(17)
      local p = { 0, 3, 0, 1, 2, 4, 0 }
      for _, given in ipairs { p, cuda.array(p, "float32") } do
        local e = excess(g:choice(7, N, { p = given }):totable(),
          function(k) return (p[k] or 0) / 10 end, 7)
        assert.is_true(e < 4)
      end
      local counts = counts_of(g:choice(7, N, { p = p }):totable())
      assert.is_nil(counts[1] or counts[3] or counts[7])
    end)

    it("chooses without replacement", function()
      local g = cuda.random.generator(18)
      local weighted = { replace = false, p = { 1, 2, 3, 4, 5, 6 } }
      for _, opts in ipairs { { replace = false }, weighted } do
        local seen = counts_of(g:choice(6, { 2, 3 }, opts):reshape(-1):totable())
        for i = 1, 6 do assert.equal(1, seen[i]) end
      end
      -- the first of two is drawn by its weight, the second by the weights of the others
      local counts = {}
      for _ = 1, 2000 do
        local two = g:choice(3, 2, { replace = false, p = { 1, 2, 5 } }):totable()
        counts[two[1] * 10 + two[2]] = (counts[two[1] * 10 + two[2]] or 0) + 1
      end
      local w, sum = { 1, 2, 5 }, 0
      for i = 1, 3 do
        for j = 1, 3 do
          if i ~= j then
            local expected = 2000 * w[i] / 8 * w[j] / (8 - w[i])
            sum = sum + ((counts[i * 10 + j] or 0) - expected) ^ 2 / expected
          end
        end
      end
      assert.is_true(sum < 20.5, sum)          -- five degrees of freedom, one in 1000
      assert.equal(0, g:choice(3, 0, { replace = false }).size)
    end)

    it("shuffles rows in place", function()
      local g = cuda.random.generator(19)
      local a = cuda.arange(600):reshape { 200, 3 }
      local before = a:totable()
      assert.equal(a, g:shuffle(a))
      local after = a:totable()
      assert.not_same(before, after)
      table.sort(after, function(x, y) return x[1] < y[1] end)
      assert.same(before, after)
      local view = cuda.arange(40):reshape({ 4, 10 }):slice({}, { 10, 1, -2 }):transpose()
      local rows = view:totable()
      g:shuffle(view)
      local shuffled = view:totable()
      assert.not_same(rows, shuffled)
      table.sort(shuffled, function(x, y) return x[1] > y[1] end)
      assert.same(rows, shuffled)
      -- every order of three elements is as likely
      local counts = {}
      for _ = 1, 1200 do
        local text = table.concat(g:shuffle(cuda.arange(3)):totable())
        counts[text] = (counts[text] or 0) + 1
      end
      local sum = 0
      for _, text in ipairs { "012", "021", "102", "120", "201", "210" } do
        sum = sum + (counts[text] - 200) ^ 2 / 200
      end
      assert.is_true(sum < 20.5, sum)
      assert.equal(0, g:shuffle(cuda.empty(0)).size)
    end)

    it("repeats for a seed, and continues", function()
      local calls = {
        function(g) return g:exponential(101) end, function(g) return g:gamma(0.5, 101) end,
        function(g) return g:poisson(3, 101) end, function(g) return g:poisson(30, 101) end,
        function(g) return g:binomial(5, 0.5, 101) end,
        function(g) return g:binomial(500, 0.5, 101) end,
        function(g) return g:choice(1000, 101) end,
        function(g) return g:choice(101, 101, { replace = false }) end,
        function(g) return g:shuffle(cuda.arange(101)) end,
      }
      for k, call in ipairs(calls) do
        local g = cuda.random.generator(k)
        local first, second = call(g):totable(), call(g):totable()
        assert.not_same(first, second)
        g:seed(k)
        assert.same(first, call(g):totable())
        assert.same(second, call(g):totable())
      end
    end)

    it("fills arrays and takes other dtypes", function()
      local view = cuda.zeros({ 5, 6 }, "float16"):slice({}, { 1, 6, 2 })
      assert.equal(view, cuda.random.exponential(nil, { out = view }))
      assert.is_true(view:min() > 0)
      local counts = cuda.empty({ 3, 4 }, "int16")
      assert.equal(counts, cuda.random.binomial(9, 0.5, nil, { out = counts }))
      assert.is_true(counts:max() <= 9)
      assert.equal("bfloat16", cuda.random.gamma(2, 3, { dtype = "bfloat16" }).dtype)
      assert.equal(0, cuda.random.poisson(3, { 0, 4 }).size)
      assert.same({ 0, 0 }, cuda.random.gamma(0, 2):totable())
      assert.equal("int64", cuda.random.choice(4, { 2, 2 }).dtype)
    end)

    it("refuses what it cannot take", function()
      local g, r = cuda.random.generator(1), cuda.random
      helper.contains(helper.misuse(g.exponential, g, 3, { scale = -1 }),
        "exponential: option 'scale': expected 0 or more, got -1")
      helper.contains(helper.misuse(g.gamma, g, nil, 3),
        "gamma: argument 1 'k': expected a number")
      helper.contains(helper.misuse(g.gamma, g, -1, 3), "'k': expected 0 or more")
      helper.contains(helper.misuse(g.poisson, g, -0.5, 3), "'mean': expected 0 or more")
      helper.contains(helper.misuse(g.poisson, g, 1e19, 3), "at most 2^62")
      helper.contains(helper.misuse(g.poisson, g, 3, 3, { dtype = "float32" }), "option 'dtype'")
      helper.contains(helper.misuse(g.binomial, g, -1, 0.5, 3), "argument 1 'n': expected 0 to")
      helper.contains(helper.misuse(g.binomial, g, 3, 1.5, 3), "argument 2 'p': expected a ")
      helper.contains(helper.misuse(g.binomial, g, 300, 0.5, 3, { dtype = "int8" }),
        "argument 1 'n': 300 is out of range")
      helper.contains(helper.misuse(r.choice, "abc", 4),
        "choice: argument 1 'from': expected an integer or an Array, got string")
      helper.contains(helper.misuse(r.choice, 3, 4, { replace = false }),
        "4 elements cannot be drawn from 3 without replacement")
      helper.contains(helper.misuse(r.choice, (1 << 62) + 1, 4, { replace = false }),
        "expected at most 2^62 without replacement")
      helper.contains(helper.misuse(r.choice, 3, 2, { replace = false, p = { 1, 0, 0 } }),
        "only 1 have a weight above 0")
      helper.contains(helper.misuse(r.choice, 3, 2, { p = { 1, 0 } }), "expected 3 weights")
      helper.contains(helper.misuse(r.choice, 2, 2, { p = { -1, 2 } }), "weights of 0 or more")
      helper.contains(helper.misuse(r.choice, 2, 2, { p = { 0, 0 } }), "weights of 0 or more")
      helper.contains(helper.misuse(r.choice, 2, 2, { p = 0.5 }), "option 'p': expected an Array")
      helper.contains(helper.misuse(r.choice, 2, 2, { replace = 1 }), "option 'replace'")
      helper.contains(helper.misuse(r.choice, 0, 2), "nothing to draw from")
      helper.contains(helper.misuse(r.choice, cuda.array(1, "int8"), 2), "has no rows")
      helper.contains(helper.misuse(r.shuffle, 3), "expected an Array")
      helper.contains(helper.misuse(r.shuffle, cuda.ones(3):broadcast_to { 4, 3 }),
        "shuffle: argument 1 'array': a broadcast view cannot be written")
      helper.contains(helper.misuse(r.shuffle, cuda.array(3, "int8")), "has no rows")
    end)

    it("can be captured where it does not wait", function()
      local y = cuda.empty(10)
      local g = cuda.random.generator(5)
      local graph = cuda.graph(function()
        y:set(g:exponential(10) + g:gamma(2, 10) + g:poisson(30, 10) + g:choice(9, 10))
      end)
      graph:launch()
      assert.is_true(y:min() > 1)
    end)
  end)
end)
