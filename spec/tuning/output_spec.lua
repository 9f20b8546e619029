-- The text, the JSON and the picture of a search, read back.
local helper = require "spec.helper"
local cuda = require "luacuda"
local svg = require "spec.support.svg"
local tuning = require "spec.support.tuning"

local misuse = helper.misuse

local search = tuning.search

-- One of two axes, with a candidate that fails, one that is wrong and one that is skipped.
local function example()
  return search({ name = 'a <"name"> & more', key = { 3, "x" },
    space = { BLOCK = { 64, 8, 256 }, KIND = { "plain", "fast <1>" },
      SHAPE = { { 16, 8 }, { 8, 8 } } },
    make = function(candidate)
      return function(p)
        if p.BLOCK == 256 and p.KIND == "plain" then return nil, "too large" end
        if p.BLOCK == 8 and p.KIND == "plain" then error("broken\nsecond line", 0) end
        return candidate(p)
      end
    end,
    metrics = function(_, ms) return { rate = 100 / ms } end,
  }, function(p)
    return (p.KIND == "plain" and 2 or 1) * (p.BLOCK == 8 and 3 or 5) + (p.SHAPE[1] == 8 and 1 or 0)
  end)
end

describe("the result of a search", function()
  local result
  setup(function()
    cuda.use "cpu"
    result = example()
  end)

  it("as text has a line for each candidate, the best first", function()
    local lines = {}
    for line in (tostring(result) .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
    assert.equal(tostring(result), result:text())
    assert.equal('a <"name"> & more on cpu: BLOCK=8 KIND=fast <1> SHAPE={16, 8} takes 3 ms',
      lines[1])
    assert.same({ "BLOCK", "KIND", "SHAPE", "ms", "min", "ms", "spread", "ms", "runs", "x", "best",
      "rate" }, (function()
        local words = {}
        for word in lines[2]:gmatch "%S+" do words[#words + 1] = word end
        return words
      end)())
    local times, rates = {}, {}
    for i = 3, 10 do
      times[i - 2], rates[i - 2] = lines[i]:match "}%s+([%d.]+).-([%d.]+)$"
    end
    assert.same({ "3", "4", "5", "5", "6", "6", "10", "11" }, times)
    assert.same({ "33.33", "25", "20", "20", "16.67", "16.67", "10", "9.091" }, rates)
    assert.equal("BLOCK=8 KIND=plain SHAPE={16, 8}: failed: broken", lines[11])
    assert.matches("^BLOCK=256 KIND=plain SHAPE={%d+, 8}: skipped: too large$", lines[13])
    assert.matches("^8 of 12 points measured in 0.%d s$", lines[15])
    assert.equal(15, #lines)
  end)

  it("as text is bounded, and has columns under each other", function()
    local values = {}
    for i = 1, 100 do values[i] = i end
    local r = search({ space = { A = values }, make = function(candidate)
      return function(p)
        if p.A % 2 == 0 then error(("x"):rep(1000), 0) end
        return candidate(p)
      end
    end }, function(p) return 100 + p.A end)
    local lines = {}
    for line in (r:text() .. "\n"):gmatch "(.-)\n" do
      lines[#lines + 1] = line
      assert.is_true(#line < 200)
    end
    assert.equal(1 + 1 + 30 + 1 + 10 + 1 + 1, #lines)
    for i = 3, 32 do assert.equal(#lines[2], #lines[i]) end
    helper.contains(r:text(), "and 20 more")
    helper.contains(r:text(), "and 40 more")
  end)

  it("as JSON has everything", function()
    local value = helper.read_json(result:json())
    assert.equal('a <\\"name\\"> & more', value.name)
    assert.equal('{3, x}', value.key)
    assert.equal("cpu", value.device)
    assert.equal(result.ms, value.ms)
    assert.is_false(value.cached)
    assert.equal(12, value.size)
    assert.is_nil(value.stopped)
    assert.same(result.best, value.best)
    assert.equal(12, #value.rows)
    for i, row in ipairs(result.rows) do
      local got = value.rows[i]
      assert.same(row.parameters, got.parameters)
      for _, name in ipairs { "ms", "min_ms", "spread_ms", "runs", "state" } do
        assert.equal(row[name], got[name])
      end
      assert.same(row.metrics, got.metrics)
      assert.equal(row.reason and row.reason:gsub("\n", "\\n"), got.reason)
    end
  end)

  it("as a picture has a dot for each time over each parameter", function()
    local list = svg.elements(result:svg())
    assert.equal("svg", list[1].name)
    local width, height = tonumber(list[1].attributes.width), tonumber(list[1].attributes.height)
    local circles = svg.all(list, "circle")
    assert.equal(3 * 8, #circles)
    assert.equal(3, #svg.all(list, "polyline"))
    -- of one panel: the shorter the time the lower the dot, and equal values are above each other
    local by_time, by_title = {}, {}
    for _, title in ipairs(svg.all(list, "title")) do by_title[#by_title + 1] = title.text end
    for i = 1, 8 do
      local at = circles[i].attributes
      assert.is_true(tonumber(at.cx) > 0 and tonumber(at.cx) < width)
      assert.is_true(tonumber(at.cy) > 0 and tonumber(at.cy) < height)
      local ms = tonumber(by_title[i]:match "([%d.]+) ms$")
      by_time[i] = { ms = ms, y = tonumber(at.cy), x = at.cx,
        block = by_title[i]:match "BLOCK=(%d+)" }
    end
    for _, a in ipairs(by_time) do
      for _, b in ipairs(by_time) do
        assert.equal(a.ms < b.ms, a.y > b.y)
        assert.equal(a.block == b.block, a.x == b.x)
        if tonumber(a.block) < tonumber(b.block) then
          assert.is_true(tonumber(a.x) < tonumber(b.x))
        end
      end
    end
    -- the best one comes last in each panel, in a color of its own
    local best = circles[8].attributes
    assert.equal("3 ms", by_title[8]:match "[%d.]+ ms$")
    for i = 1, 7 do assert.not_equal(best.fill, circles[i].attributes.fill) end
    -- the line goes through the lowest dots
    local lowest = {}
    for _, it in ipairs(by_time) do
      lowest[it.x] = math.max(lowest[it.x] or 0, it.y)
    end
    local through = 0
    for x, y in svg.all(list, "polyline")[1].attributes.points:gmatch "([%d.]+),([%d.]+)" do
      assert.equal(lowest[x], tonumber(y))
      through = through + 1
    end
    assert.equal(3, through)
    local texts = {}
    for _, it in ipairs(svg.all(list, "text")) do texts[it.text] = true end
    assert.is_true(texts["BLOCK"] and texts["KIND"] and texts["SHAPE"] and texts["256"])
    assert.is_true(texts["fast &lt;1&gt;"] and texts["{16, 8}"])
    assert.is_true(texts["a &lt;&quot;name&quot;&gt; &amp; more on cpu: 3 ms"])
  end)

  it("as a picture has a logarithmic scale for times that are far apart", function()
    local function picture(most)
      return search({ space = { A = { 1, 2, 3 } } }, function(p)
        return p.A == 3 and most or p.A
      end):svg()
    end
    assert.is_nil(picture(10):find "logarithmic")
    local list = svg.elements(picture(1000))
    local y = {}
    for i, circle in ipairs(svg.all(list, "circle")) do y[i] = tonumber(circle.attributes.cy) end
    -- 1000, 2 and 1 ms, the best one last
    assert.is_true(math.abs((y[3] - y[2]) / (y[3] - y[1]) - math.log(2, 1000)) < 0.01)
    helper.contains(picture(1000), "logarithmic")
  end)

  it("as a picture shows one candidate, and times of nothing", function()
    for _, ms in ipairs { 0, 1 } do
      local list = svg.elements(search({ space = { A = { "x" } } }, function() return ms end):svg())
      assert.equal(1, #svg.all(list, "circle"))
    end
  end)

  it("is written to files by their endings", function()
    local dir = helper.tmpdir()
    for ending, text in pairs { svg = result:svg(), json = result:json(),
      txt = result:text() .. "\n" } do
      local path = dir .. "/times." .. ending
      assert.equal(result, result:save(path))
      assert.equal(text, helper.read_file(path))
    end
    assert.equal("save: argument 1 'path': 'a.gif' ends in none of .svg, .json and .txt",
      misuse(result.save, result, "a.gif"))
    assert.equal("save: argument 1 'path': expected a string, got nil", misuse(result.save, result))
    local ok, e = pcall(result.save, result, "/no/such/folder/x.svg")
    assert.is_false(ok)
    assert.equal("runtime", e.kind)
  end)

  it("has no other fields", function()
    assert.matches("^Tuning has no field or method 'bests'; did you mean 'best'",
      misuse(function() return result.bests end))
    assert.equal("json: expected Tuning before the ':', got 3", misuse(result.json, 3))
  end)
end)
