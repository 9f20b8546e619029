-- Permutations: the network of random_permutation_source.lua written in Lua, and
-- statistics that uniformly random permutations have. The seeds are fixed: a test that passes once
-- passes always.
local cuda = require "luacuda"
local helper = require "spec.helper"

local FEW = 4096

local function rounds_of(n) return n <= FEW and 32 or 16 end

local function hash(x, key, limit)
  local h = (x ~ key) * 0x85ebca6b & 0xffffffff
  h = (h ~ h >> 15) * 0xc2b2ae35 & 0xffffffff
  return h * limit >> 32
end

-- Even digits' limits whose product is at least n.
local function sides(n)
  local a = math.ceil(math.sqrt(n))
  if a % 2 == 1 then a = a + 1 end
  local b = (n + a - 1) // a
  if b % 2 == 1 then b = b + 1 end
  return a, b
end

-- Where the network takes element x of 0 .. n - 1.
local function place(x, n, keys)
  local a, b = sides(n)
  repeat
    local left, right = x // b, x % b
    for r = 1, #keys, 2 do
      left = (left + hash(right, keys[r], a)) % a
      right = (right + hash(left, keys[r + 1], b)) % b
    end
    x = left * b + right
  until x < n
  return x
end

-- The permutation of a seed, and the keys that follow it.
local function expected(seed, n, count)
  local keys = cuda.random.generator(seed):bits(rounds_of(n)):totable()
  local list = {}
  for i = 1, count do list[i] = place(i - 1, n, keys) + 1 end
  return list
end

-- Pearson's statistic for equally likely values, in units of its deviation above its mean.
local function excess(counts, bins, total)
  local sum = 0
  for k = 1, bins do sum = sum + ((counts[k] or 0) - total / bins) ^ 2 / (total / bins) end
  return (sum - (bins - 1)) / math.sqrt(2 * (bins - 1))
end

describe("permutations", function()
  helper.for_each_device(function()
    it("are those of the network", function()
      for _, n in ipairs { 1, 2, 3, 4, 5, 16, 52, 1000, FEW - 1, FEW, FEW + 1, FEW + 2, 4225, 5000,
        65 * 64, 10007 } do
        assert.same(expected(n, n, n), cuda.random.generator(n):permutation(n):totable())
      end
    end)

    it("contain each element once", function()
      local g = cuda.random.generator(31)
      for _, n in ipairs { 2, 3, 100, FEW, FEW + 1, 4999, 1 << 16, (1 << 16) + 1, 300007 } do
        local p = g:permutation(n)
        assert.equal("int64", p.dtype)
        assert.is_true(cuda.sort(p):equals(cuda.arange(1, n + 1, "int64")), n)
        assert.is_true(n < 100 or not p:equals(g:permutation(n)))
      end
    end)

    it("continue the sequence of a generator", function()
      local g, other = cuda.random.generator(5), cuda.random.generator(5)
      for _, n in ipairs { 1, FEW, FEW + 1 } do
        g:permutation(n)
        other:bits(rounds_of(n))
      end
      assert.same(other:bits(9):totable(), g:bits(9):totable())
    end)

    it("of any size begin as choice without replacement does", function()
      for _, n in ipairs { 10, FEW, FEW + 1, 100000 } do
        for _, count in ipairs { 0, 1, 7, 10 } do
          local drawn = cuda.random.generator(n):choice(n, count, { replace = false })
          local all = cuda.random.generator(n):permutation(n):totable()
          assert.same(table.move(all, 1, count, 1, {}), drawn:totable())
        end
      end
      -- places above 2^31 and above 2^32, of which a few are drawn
      for _, n in ipairs { (1 << 31) + 5, (1 << 32) - 1, (1 << 40) + 12345, 1 << 62 } do
        assert.same(expected(7, n, 300),
          cuda.random.generator(7):choice(n, 300, { replace = false }):totable())
      end
    end)

    it("put rows in order", function()
      local n = FEW + 900
      local rows = cuda.arange(2 * n):reshape { n, 2 }
      local order = cuda.random.generator(3):permutation(n)
      local want = rows:take(order, { axis = 1 })
      assert.is_true(want:equals(cuda.random.generator(3):permutation(rows)))
      local view = cuda.zeros({ 2, n }):transpose()
      view:set(rows)
      assert.equal(view, cuda.random.generator(3):shuffle(view))
      assert.is_true(want:equals(view))
    end)
  end)

  it("of few elements are equally likely", function()
    for n, orders in pairs { [2] = 2, [3] = 6, [4] = 24, [5] = 120 } do
      local keys, counts, runs = cuda.random.generator(n), {}, 40 * orders
      local found = 0
      for _ = 1, runs do
        local name = table.concat(keys:permutation(n):totable(), " ")
        if not counts[name] then
          found = found + 1
          counts[name] = found
          counts[found] = 0
        end
        counts[counts[name]] = counts[counts[name]] + 1
      end
      assert.equal(orders, found)
      assert.is_true(math.abs(excess(counts, orders, runs)) < 4)
    end
  end)

  it("put every element at every place", function()
    local g, n, runs, bins = cuda.random.generator(17), FEW + 4, 60, 41
    local places, distances, fixed, descents = {}, {}, 0, 0
    for _ = 1, runs do
      local list = g:permutation(n):totable()
      for i = 1, n do
        local from, to = (i - 1) * bins // n, (list[i] - 1) * bins // n
        places[from * bins + to + 1] = (places[from * bins + to + 1] or 0) + 1
        if list[i] == i then fixed = fixed + 1 end
        if i < n then
          local distance = (list[i + 1] - list[i]) % n
          local bin = (distance - 1) * 45 // (n - 1) + 1
          distances[bin] = (distances[bin] or 0) + 1
          if distance ~= list[i + 1] - list[i] then descents = descents + 1 end
        end
      end
    end
    assert.is_true(math.abs(excess(places, bins * bins, runs * n)) < 4)
    assert.is_true(math.abs(excess(distances, 45, runs * (n - 1))) < 4)
    -- mean and variance are 1 per permutation; (n - 1) / 2 and (n + 1) / 12
    assert.near(runs, fixed, 4 * math.sqrt(runs))
    assert.near(runs * (n - 1) / 2, descents, 4 * math.sqrt(runs * (n + 1) / 12))
  end)

  it("are even as often as odd, and have as many cycles as random ones", function()
    local g, n, runs = cuda.random.generator(18), 64 * 65, 60
    local odd, cycles = 0, 0
    for _ = 1, runs do
      local list, seen, found = g:permutation(n):totable(), {}, 0
      for i = 1, n do
        if not seen[i] then
          found = found + 1
          local at = i
          while not seen[at] do seen[at], at = true, list[at] end
        end
      end
      odd, cycles = odd + (n - found) % 2, cycles + found
    end
    local mean, variance = 0, 0
    for i = 1, n do mean, variance = mean + 1 / i, variance + 1 / i - 1 / i ^ 2 end
    assert.near(runs / 2, odd, 4 * math.sqrt(runs) / 2)
    assert.near(runs * mean, cycles, 4 * math.sqrt(runs * variance))
  end)
end)
