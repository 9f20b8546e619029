-- Spaces and strategies, with costs that are known: no device takes part.
local helper = require "spec.helper"
require "luacuda"
local search = require "luacuda.tuning.search"
local spaces = require "luacuda.tuning.space"

local function range(n)
  local list = {}
  for i = 1, n do list[i] = i end
  return list
end

-- Every point of the axes that `where` allows, by nested loops over sorted names.
local function every_point(axes, where)
  local names = {}
  for name in pairs(axes) do names[#names + 1] = name end
  table.sort(names)
  local list = { {} }
  for _, name in ipairs(names) do
    local longer = {}
    for _, p in ipairs(list) do
      for _, v in ipairs(axes[name]) do
        local q = { [name] = v }
        for key, value in pairs(p) do q[key] = value end
        longer[#longer + 1] = q
      end
    end
    list = longer
  end
  local allowed = {}
  for _, p in ipairs(list) do
    if not where or where(p) then allowed[#allowed + 1] = p end
  end
  return allowed
end

-- Searches with cost(p) as score; returns the best parameters and what was asked: a list of { p =,
-- text =, effort = }, and the number of different points among them.
local function run(axes, cost, options)
  local space = spaces.read("tune", axes, options.where)
  local asked, different, seen = {}, 0, {}
  local best = search.run(space, options.strategy, {
    candidates = options.candidates or math.maxinteger, seed = options.seed or 1,
    limited = options.limited,
    over = function() return options.over ~= nil and options.over(#asked) end,
    evaluate = function(points, effort)
      local scores = {}
      for i, point in ipairs(points) do
        if options.over and options.over(#asked) then break end
        local p = space:parameters(point)
        local text = space:text(p)
        if not seen[text] then seen[text], different = true, different + 1 end
        asked[#asked + 1] = { p = p, text = text, effort = effort }
        scores[i] = cost(p, effort) or false
      end
      return scores
    end })
  return best and space:parameters(best), asked, different
end

local AXES = { A = range(12), B = range(9), C = { 1, 2, 4, 8 } }
local function bowl(p) return 5 + (p.A - 7) ^ 2 + 3 * (p.B - 2) ^ 2 + (p.C - 4) ^ 2 end

describe("a space", function()
  it("has the points that nested loops give, in their order", function()
    local function where(p) return (p.A + p.B) % 3 ~= 0 and p.C ~= 2 end
    local space, list = spaces.read("tune", AXES, where), {}
    for i, point in ipairs(space:list()) do list[i] = space:parameters(point) end
    assert.same(every_point(AXES, where), list)
    assert.equal(12 * 9 * 4, space.size)
  end)

  it("draws points without repetition, and all if that many are wanted", function()
    local space = spaces.read("tune", AXES, function(p) return p.A > p.B end)
    local count = #space:list()
    for _, wanted in ipairs { 1, 7, count, count + 5 } do
      local seen = {}
      local list = space:sample(wanted, search.generator(3))
      assert.equal(math.min(wanted, count), #list)
      for _, point in ipairs(list) do
        local text = space:text(space:parameters(point))
        assert.is_nil(seen[text])
        assert.is_true(point[1] > point[2])
        seen[text] = true
      end
    end
  end)

  it("draws from more points than can be listed", function()
    local axes = {}
    for i = 1, 20 do axes["P" .. i] = range(10) end
    local space = spaces.read("tune", axes, function(p) return p.P1 % 2 == 0 end)
    assert.is_nil(space:list())
    local list = space:sample(50, search.generator(1))
    assert.equal(50, #list)
    for _, point in ipairs(list) do assert.equal(0, space:parameters(point).P1 % 2) end
    local few = spaces.read("tune", { A = range(400), B = range(400) },
      function(p) return p.A <= 20 and p.B <= 20 end)
    local seen, found = {}, few:sample(1000, search.generator(1))
    assert.is_true(#found > 300 and #found <= 400)
    for _, point in ipairs(found) do
      assert.is_nil(seen[few:text(few:parameters(point))])
      seen[few:text(few:parameters(point))] = true
    end
    local none = spaces.read("tune", axes, function() return false end)
    assert.equal(0, #none:sample(5, search.generator(1)))
  end)

  it("has neighbors along one axis", function()
    local space = spaces.read("tune", AXES, function(p) return p.B ~= 3 end)
    local list = {}
    for i, point in ipairs(space:neighbors({ 1, 2, 3 }, 1)) do
      list[i] = table.concat(point, " ")
    end
    assert.same({ "2 2 3", "1 1 3", "1 2 2", "1 2 4" }, list)
  end)

  it("gives every candidate values of its own", function()
    local given = { { 16, 8 }, { 8, 8 } }
    local space = spaces.read("tune", { block = given })
    local p = space:parameters { 1 }
    p.block[1] = 99
    assert.same({ 16, 8 }, space:parameters { 1 }.block)
    assert.same({ { 16, 8 }, { 8, 8 } }, given)
    assert.equal("block={16, 8}", space:text(space:parameters { 1 }))
  end)
end)

describe("random numbers", function()
  it("are the same for a seed, and spread over their range", function()
    local a, b, c = search.generator(5), search.generator(5), search.generator(6)
    local counts, same = { 0, 0, 0, 0, 0 }, 0
    for _ = 1, 5000 do
      local x = a(5)
      assert.equal(x, b(5))
      if x == c(5) then same = same + 1 end
      counts[x] = counts[x] + 1
    end
    for i = 1, 5 do assert.is_true(math.abs(counts[i] - 1000) < 150) end
    assert.is_true(same < 1200)
  end)
end)

describe("the search of all points", function()
  it("asks for each once, then again for those that are nearly the best", function()
    local best, asked, different = run(AXES, bowl, { strategy = "all" })
    assert.same({ A = 7, B = 2, C = 4 }, best)
    assert.equal(12 * 9 * 4, different)
    assert.equal(different, #asked)                      -- no other point is within a tenth of 5
    local _, twice = run(AXES, function(p) return 100 + bowl(p) end, { strategy = "all" })
    assert.equal(different + 3, #twice)
    for i = 1, 3 do assert.equal(3, twice[different + i].effort) end
  end)

  it("takes the careful measurements for the final ones", function()
    local best = run({ A = range(5) }, function(p, effort)
      if effort == 3 and p.A == 2 then return 20 end
      return 10 + p.A / 100
    end, { strategy = "all" })
    -- 1, 2 and 3 are measured again, and 1 stays ahead of them
    assert.same({ A = 1 }, best)
    best = run({ A = range(5) }, function(p, effort)
      if effort == 3 and p.A == 1 then return 20 end
      return 10 + p.A / 100
    end, { strategy = "all" })
    assert.same({ A = 2 }, best)
  end)

  it("goes in the order of the space, or in any order if it may be stopped", function()
    local function texts(options)
      local _, asked = run({ A = range(30) }, function(p) return 1 + p.A end, options)
      local list = {}
      for i = 1, 30 do list[i] = asked[i].p.A end
      return list
    end
    assert.same(range(30), texts { strategy = "all" })
    local shuffled = texts { strategy = "all", limited = true }
    assert.not_same(range(30), shuffled)
    table.sort(shuffled)
    assert.same(range(30), shuffled)
  end)

  it("leaves points without a score out", function()
    local best = run(AXES, function(p) return p.A ~= 7 and bowl(p) or nil end, { strategy = "all" })
    assert.is_true(best.A == 6 or best.A == 8)
    assert.is_nil(run(AXES, function() return nil end, { strategy = "all" }))
  end)
end)

describe("halving", function()
  local LARGE = { A = range(40), B = range(30), C = range(20), D = { 1, 2, 4, 8, 16, 32 } }
  local function far_bowl(p)
    return 10 + (p.A - 33) ^ 2 + 2 * (p.B - 4) ^ 2 + (p.C - 11) ^ 2
      + 5 * math.abs(math.log(p.D / 8, 2))
  end

  it("finds the best of a space of 144000 points with 200 candidates", function()
    for seed = 1, 10 do
      local best, _, different = run(LARGE, far_bowl,
        { strategy = "halving", candidates = 200, seed = seed })
      assert.same({ A = 33, B = 4, C = 11, D = 8 }, best, "seed " .. seed)
      assert.is_true(different <= 200)
    end
  end)

  it("is better than as many random points", function()
    local function hilly(p)
      return far_bowl(p) + 30 * (math.sin(p.A) + math.sin(2 * p.B) + math.sin(3 * p.C))
    end
    local won = 0
    for seed = 1, 20 do
      local ours = run(LARGE, hilly, { strategy = "halving", candidates = 150, seed = seed })
      local theirs = run(LARGE, hilly, { strategy = "random", candidates = 150, seed = seed })
      if hilly(ours) < hilly(theirs) then won = won + 1 end
    end
    assert.is_true(won >= 18, won .. " of 20")
  end)

  it("never asks for more candidates than it may", function()
    for _, candidates in ipairs { 1, 2, 3, 10, 77 } do
      local _, _, different = run(LARGE, far_bowl,
        { strategy = "halving", candidates = candidates })
      assert.is_true(different <= candidates, candidates .. " " .. different)
      assert.is_true(different >= candidates * 2 // 3)
    end
  end)

  it("looks at all first and measures a third again", function()
    local _, asked = run(LARGE, far_bowl, { strategy = "halving", candidates = 90 })
    local looked = 0
    while asked[looked + 1].effort == 1 do looked = looked + 1 end
    assert.equal(60, looked)
    local costs = {}
    for i = 1, looked do costs[i] = far_bowl(asked[i].p) end
    table.sort(costs)
    for i = 1, 20 do
      assert.equal(2, asked[looked + i].effort)
      assert.equal(costs[i], far_bowl(asked[looked + i].p))
    end
  end)

  it("does not let a lucky look win", function()
    local best = run(LARGE, function(p, effort)
      if effort == 1 and p.A % 2 == 0 then return 0.001 end
      return far_bowl(p)
    end, { strategy = "halving", candidates = 100 })
    assert.is_true(far_bowl(best) > 1)
  end)

  it("steps over points that are not allowed", function()
    local best = run(LARGE, far_bowl, { strategy = "halving", candidates = 200,
      where = function(p) return p.A % 3 == 0 and p.B % 2 == 0 and p.C % 4 == 3 end })
    assert.same({ A = 33, B = 4, C = 11, D = 8 }, best)
  end)

  it("forgets a point that fails when it is measured again", function()
    local best = run({ A = range(60) }, function(p, effort)
      if effort > 1 and p.A < 10 then return nil end
      return p.A
    end, { strategy = "halving", candidates = 60 })
    assert.same({ A = 10 }, best)
  end)

  it("asks for the same points with the same seed", function()
    local function texts(seed)
      local _, asked = run(LARGE, far_bowl,
        { strategy = "halving", candidates = 60, seed = seed })
      local list = {}
      for i, it in ipairs(asked) do list[i] = it.text .. " " .. it.effort end
      return list
    end
    assert.same(texts(4), texts(4))
    assert.not_same(texts(4), texts(5))
  end)

  it("keeps to the points that are allowed", function()
    local function where(p) return p.A * p.D <= 200 end
    local best, asked = run(LARGE, far_bowl,
      { strategy = "halving", candidates = 300, where = where })
    for _, it in ipairs(asked) do assert.is_true(where(it.p)) end
    local want
    for _, p in ipairs(every_point(LARGE, where)) do
      if not want or far_bowl(p) < far_bowl(want) then want = p end
    end
    assert.equal(far_bowl(want), far_bowl(best))
  end)

  it("ends when the time is used up", function()
    for _, most in ipairs { 25, 140, 185 } do
      local best, asked = run(LARGE, far_bowl, { strategy = "halving", candidates = 200,
        over = function(count) return count >= most end })
      assert.equal(most, #asked)
      assert.is_table(best)
    end
  end)

  it("measures a small space as a whole", function()
    local best, _, different = run({ A = range(5), B = range(4) },
      function(p) return (p.A * 7 + p.B * 3) % 11 + 1 end,
      { strategy = "halving", candidates = 100 })
    assert.equal(20, different)
    assert.equal(0, (best.A * 7 + best.B * 3) % 11)
  end)
end)

describe("axes that are wrong", function()
  local function says(text, axes)
    assert.equal(text, helper.misuse(spaces.read, "tune", axes))
  end

  it("are refused", function()
    says("tune: option 'space': expected a table such as { BLOCK = { 64, 128 } }, got 3", 3)
    says("tune: option 'space': the table is empty", {})
    says("tune: option 'space': '1' is not a name", { { 1, 2 } })
    says("tune: option 'space': 'a b' is not a name", { ["a b"] = { 1 } })
    says("tune: option 'space': 'A': expected a list of values, got 64: { 64 } has one value",
      { A = 64 })
    says("tune: option 'space': 'A': the list is empty", { A = {} })
    says("tune: option 'space': 'A': 2 is there twice", { A = { 2, 1, 2 } })
    says("tune: option 'space': 'A': {1, 2} is there twice", { A = { { 1, 2 }, { 1, 2 } } })
    says("tune: option 'space': 'A': value 2: expected a number, a string, a boolean or a list of "
      .. "them, got function", { A = { 1, print } })
    says("tune: option 'space': 'A': value 1: item 2: expected a number, a string or a boolean, "
      .. "got table", { A = { { 1, {} } } })
    says("tune: option 'space': 'A': value 1: the list is empty", { A = { {} } })
    assert.is_string(helper.misuse(spaces.read, "tune", { A = { 1, nil, 3 } }))
    assert.is_string(helper.misuse(spaces.read, "tune", { A = { 0 / 0 } }))
  end)
end)
