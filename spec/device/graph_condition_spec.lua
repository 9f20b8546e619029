-- stream:when, stream:loop, stream:switch, stream:condition: work of a graph under a condition.
local helper = require "spec.helper"
local cuda = require "luacuda"
local core = require "luacuda.core"

local SOURCE = [[
extern "C" __global__ void add(int *x, int k) { *x += k; }
extern "C" __global__ void twice(int *x) { *x *= 2; }
]]
local SETTERS = [[
extern "C" __device__ void cudaGraphSetConditional(unsigned long long, unsigned);
extern "C" __global__ void down(int *n, unsigned long long condition) {
  cudaGraphSetConditional(condition, --*n);
}
extern "C" __global__ void choose(const int *i, unsigned long long condition) {
  cudaGraphSetConditional(condition, *i);
}
]]
local ONE = { grid = 1, block = 1 }

local function kinds(g)
  local list = {}
  for i, node in ipairs(g.nodes) do
    list[i] = ("%s %s %s"):format(node.condition or node.name or node.kind, node.within or "-",
      node.body or "-")
  end
  return list
end

local function is_usable(device)
  assert.same({ 2, 2 }, cuda.ones(2):set(2):totable())
  assert.is_true(device.stream.is_null)
  local x = cuda.zeros(1, "int32")
  local g <close> = cuda.graph(function(s) s:when(x, function() x:fill(5) end) end)
  g:launch()
  assert.equal(0, x:item(1))
end

helper.for_each_device(function(device)
  describe("work of a graph under a condition", function()
    local m, k, x
    before_each(function()
      m = cuda.module { source = SOURCE }
      k = m.kernels
      x = cuda.zeros(1, "int32")
    end)
    after_each(function()
      if m then m:close() end
      m, k, x = nil, nil, nil
    end)
    local function set(a) return function() x:fill(a) end end

    it("runs when an element is not 0", function()
      for _, dtype in ipairs { "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32",
        "int64", "uint64" } do
        local flag = cuda.zeros(1, dtype)
        local g <close> = cuda.graph(function(s) s:when(flag, set(3)) end)
        x:fill(1)
        g:launch()
        assert.equal(1, x:item(1))
        flag:fill(dtype == "bool" or dtype:sub(-1) == "8" and 127 or 256)
        g:launch()
        assert.equal(3, x:item(1))
      end
    end)

    it("runs one of two functions", function()
      local flags = cuda.array({ 0, 1, 0 }, "int32")
      local g <close> = cuda.graph(function(s)
        for i = 1, 3 do
          assert.equal(s, s:when(flags:slice { i, i },
            function() k.add(ONE, x, 10 ^ i) end, function() k.add(ONE, x, 2 * 10 ^ i) end))
        end
      end)
      g:launch()
      assert.equal(2120, x:item(1))
      flags:set { 1, 0, -1 }
      x:fill(0)
      g:launch()
      assert.equal(1210, x:item(1))
    end)

    it("repeats as long as an element is not 0", function()
      local n, start = cuda.zeros(1, "int32"), cuda.array({ 5 }, "int32")
      local g <close> = cuda.graph(function(s)
        x:fill(1)
        cuda.copy(n, start)
        s:loop(n, function()
          k.twice(ONE, x)
          k.add(ONE, n, -1)
        end)
        k.add(ONE, x, 1)
      end)
      for _, rounds in ipairs { 5, 0, 1, 13 } do
        start:fill(rounds)
        g:launch():launch()
        assert.equal(2 ^ rounds + 1, x:item(1))
      end
    end)

    it("runs one of several functions, counted from 1", function()
      for _, dtype in ipairs { "int8", "uint8", "int32", "int64", "uint64" } do
        local index = cuda.zeros(1, dtype)
        local g <close> = cuda.graph(function(s) s:switch(index, { set(10), set(20), set(30) }) end)
        for i = dtype:sub(1, 1) == "i" and -1 or 0, 5 do
          index:fill(i)
          x:fill(0)
          g:launch()
          assert.equal(i >= 1 and i <= 3 and 10 * i or 0, x:item(1))
        end
        if dtype == "int64" then
          for _, i in ipairs { math.mininteger, math.maxinteger, 1 << 32, (1 << 32) + 1 } do
            index:fill(i)
            x:fill(0)
            g:launch()
            assert.equal(0, x:item(1))
          end
        end
      end
    end)

    it("takes conditions that kernels set", function()
      local n = cuda.zeros(1, "int32")
      local own <close> = cuda.module { source = SETTERS }
      local g <close> = cuda.graph(function(s)
        x:fill(1)
        n:fill(6)
        local c = s:condition(1)
        s:loop(c, function()
          k.twice(ONE, x)
          own.kernels.down(ONE, n, c)
        end)
        local d = s:condition()
        own.kernels.choose(ONE, n, d)
        s:switch(d, { function() k.add(ONE, x, 100) end, function() k.add(ONE, x, 200) end })
        s:when(s:condition(), set(7), function() k.add(ONE, x, 1000) end)
      end)
      g:launch():launch()
      assert.equal(64 + 100 + 1000, x:item(1))
    end)

    -- A program is a list of steps over the cells 1 to 3; each loop has a counter of its own.
    local function random_program(rng, depth, counters)
      local program = {}
      for i = 1, rng(3) + 1 do
        local what, cell = depth > 0 and rng(5) or 0, rng(3) + 1
        if what < 2 then program[i] = { "add", cell, rng(7) - 3 }
        elseif what == 2 then
          program[i] = { "when", cell, random_program(rng, depth - 1, counters),
            rng(2) == 1 and random_program(rng, depth - 1, counters) or nil }
        elseif what == 3 then
          program[i] = { "switch", cell, random_program(rng, depth - 1, counters),
            random_program(rng, depth - 1, counters) }
        else
          counters[#counters + 1] = cuda.zeros(1, "int32")
          program[i] = { "loop", counters[#counters], rng(3),
            random_program(rng, depth - 1, counters) }
        end
      end
      return program
    end

    local function run(program, cells)
      for _, step in ipairs(program) do
        local what, at = step[1], step[2]
        if what == "add" then cells[at] = cells[at] + step[3]
        elseif what == "when" then
          local chosen = cells[at] ~= 0 and step[3] or cells[at] == 0 and step[4]
          if chosen then run(chosen, cells) end
        elseif what == "switch" then
          local chosen = (cells[at] == 1 or cells[at] == 2) and step[2 + cells[at]]
          if chosen then run(chosen, cells) end
        else
          for _ = 1, step[3] do run(step[4], cells) end
        end
      end
    end

    local function record(s, program, cells)
      local function body(steps) return function(inner) record(inner, steps, cells) end end
      for _, step in ipairs(program) do
        local what, cell = step[1], cells[step[2]]
        if what == "add" then k.add(ONE, cell, step[3])
        elseif what == "when" then s:when(cell, body(step[3]), step[4] and body(step[4]))
        elseif what == "switch" then s:switch(cell, { body(step[3]), body(step[4]) })
        else
          local counter = step[2]
          counter:fill(step[3])
          s:loop(counter, function(inner)
            k.add(ONE, counter, -1)
            record(inner, step[4], cells)
          end)
        end
      end
    end

    it("nests", function()
      local rng = helper.random(11)
      for _ = 1, 8 do
        local cells, want, counters = {}, { 1, 2, 0 }, {}
        for i = 1, 3 do cells[i] = cuda.full(1, want[i], "int32") end
        local program = random_program(rng, 3, counters)
        local g <close> = cuda.graph(function(s) record(s, program, cells) end)
        for _ = 1, 2 do
          g:launch()
          run(program, want)
        end
        assert.same(want, { cells[1]:item(1), cells[2]:item(1), cells[3]:item(1) })
      end
    end)

    it("has several streams, and allocates", function()
      local side <close> = cuda.stream()
      local flag = cuda.ones(1, "int32")
      local y = cuda.full(100, 3, "float32")
      local g <close>, total = cuda.graph(function(s)
        local out
        k.add({ grid = 1, block = 1, stream = side }, x, 1)
        s:when(flag, function(inner)
          assert.equal(s, inner)
          assert.equal(s, device.stream)
          local twice = y * 2
          k.add({ grid = 1, block = 1, stream = side }, x, 10)
          k.add({ grid = 1, block = 1, stream = inner }, x, 100)
          side:wait(s)
          out = twice:sum { axis = 1 }
          side:use()
        end)
        assert.equal(s, device.stream)
        k.add({ grid = 1, block = 1, stream = side }, x, 1000)
        return out
      end)
      g:launch()
      assert.same({ 1111, 600 }, { x:item(1), total:item() })
    end)

    it("is ordered with what comes before and after on all streams", function()
      local n = cuda.zeros(1, "int32")
      local streams = {}
      for i = 1, 3 do streams[i] = cuda.stream() end
      local list = {}
      for i = 1, 6 do list[i] = cuda.zeros(1, "int32") end
      local g <close> = cuda.graph(function(s)
        n:fill(3)
        for i = 1, 6 do k.add({ grid = 1, block = 1, stream = streams[i % 3 + 1] }, list[i], i) end
        s:loop(n, function()
          for i = 1, 6 do k.twice({ grid = 1, block = 1, stream = streams[i % 2 + 1] }, list[i]) end
          k.add({ grid = 1, block = 1, stream = streams[3] }, n, -1)
        end)
        for i = 1, 6 do
          k.add({ grid = 1, block = 1, stream = streams[(i + 1) % 3 + 1] }, list[i], 1)
        end
      end)
      for _ = 1, 2 do g:launch() end
      for i = 1, 6 do assert.equal(((0 + i) * 8 + 1 + i) * 8 + 1, list[i]:item(1)) end
    end)

    it("keeps what it uses alive", function()
      local y = cuda.zeros(100, "int32")
      local g
      do
        local flag, z = cuda.ones(1, "int32"), cuda.full(100, 4, "int32")
        local own = cuda.module { source = SOURCE }
        g = cuda.graph(function(s)
          s:when(flag, function()
            cuda.copy(y, z)
            own.kernels.add(ONE, y, 1)
            x:set { 9 }
          end)
        end)
        flag:free()
        z:free()
        own:close()
      end
      collectgarbage()
      collectgarbage()
      for _ = 1, 20 do cuda.ones(100, "int32"):fill(-1):free() end
      g:launch()
      assert.same({ 5, 4, 9 }, { y:item(1), y:item(100), x:item(1) })
      g:launch():close()
      assert.equal(5, y:item(1))
    end)

    it("is ordered with other work on what it uses", function()
      local flag, y = cuda.zeros(1, "int32"), cuda.zeros(1, "int32")
      local side <close> = cuda.stream()
      local g <close> = cuda.graph(function(s)
        s:when(flag, function() k.add(ONE, y, 1) end, function() k.add(ONE, y, 100) end)
      end)
      local want = 0
      for i = 1, 20 do
        cuda.with_stream(side, function() flag:fill(i % 2) end)
        g:launch()
        y:add(1, { out = y, stream = side })
        want = want + (i % 2 == 1 and 1 or 100) + 1
      end
      assert.equal(want, y:item(1))
    end)

    it("is listed, described, and takes other arguments", function()
      local flag, y = cuda.ones(1, "int32"), cuda.zeros(1, "int32")
      local g <close> = cuda.graph(function(s)
        k.add(ONE, x, 1)
        s:when(flag, function() k.add(ONE, x, 10) end,
          function(inner) inner:when(flag, function() x:fill(7) end) end)
        k.twice(ONE, x)
      end)
      assert.same({ "add - -", "condition - -", "when - -", "add 3 1", "condition 3 2", "when 3 2",
        "fill 6 1", "twice - -" }, kinds(g))
      for i, node in ipairs(g.nodes) do assert.equal(i, node.index) end
      assert.equal("condition", g.nodes[3].kind)
      assert.is_false(g.nodes[2].settable)
      assert.matches("^digraph", g:dot())
      g:launch()
      assert.equal(22, x:item(1))
      g:set(4, y, 5)
      x:fill(0)
      g:launch()
      assert.same({ 2, 5 }, { x:item(1), y:item(1) })
      g:set(g.nodes[8], y)
      y:free()
      collectgarbage()
      x:fill(0)
      g:launch()
      assert.equal(1, x:item(1))
      helper.contains(helper.misuse(g.set, g, 3, x), "is no kernel")
    end)

    it("keeps an array that one of its kernels no longer takes, and another does", function()
      local y, z = cuda.zeros(1, "int32"), cuda.zeros(1, "int32")
      local g <close> = cuda.graph(function(s)
        s:when(x, function()
          k.add(ONE, y, 1)
          k.add(ONE, y, 10)
        end)
      end)
      local function live()
        cuda.synchronize()
        for _ = 1, 2 do collectgarbage() end
        return core._live().block
      end
      local before = live()
      g:set(3, z, 1)
      y = nil
      assert.equal(before, live())
      x:fill(1)
      g:launch()
      assert.equal(1, z:item(1))
      g:set(4, z, 10)
      assert.equal(before - 1, live())
    end)

    it("is updated, also to another form", function()
      local n = cuda.zeros(1, "int32")
      local function work(rounds, by)
        return function(s)
          n:fill(rounds)
          s:loop(n, function()
            k.add(ONE, x, by)
            k.add(ONE, n, -1)
          end)
        end
      end
      local g <close> = cuda.graph(work(3, 5))
      g:launch()
      assert.equal(15, x:item(1))
      assert.equal(g, g:update(work(4, 100)))
      g:launch()
      assert.equal(415, x:item(1))
      assert.is_false(pcall(g.update, g, function(s) s:when(n, error) end))
      g:launch()
      assert.equal(815, x:item(1))
      g:set(4, x, 1)
      g:launch()
      assert.equal(819, x:item(1))
      g:update(function() k.add(ONE, x, 1) end)
      g:launch():launch()
      assert.equal(821, x:item(1))
      g:update(work(2, 10))
      g:launch()
      assert.equal(841, x:item(1))
    end)

    it("cannot be cloned", function()
      local g <close> = cuda.graph(function(s) s:when(x, set(5)) end)
      helper.contains(helper.error_of(g.clone, g), "cannot be cloned")
      g:launch()
      assert.equal(0, x:item(1))
    end)

    it("refuses what waits or cannot be in it", function()
      local flag, e = cuda.ones(1, "int32"), cuda.event()
      local c, image = cuda.cuda_array { 1, 4 }, cuda.zeros { 1, 4 }
      for words, fn in pairs {
        ["item waits for the device"] = function() return x:item(1) end,
        ["stream:synchronize"] = function(s) s:synchronize() end,
        ["graph cannot be recorded in a graph"] = function() cuda.graph(function() end) end,
        ["stream:call cannot be recorded"] = function(s) s:call(print) end,
        ["event:record cannot be recorded under"] = function(s) e:record(s) end,
        ["waiting for an event cannot be recorded under"] = function(s) s:wait(e) end,
        ["copy of a CUDA array cannot be recorded under"] = function() cuda.copy(c, image) end,
      } do
        local err = helper.error_of(cuda.graph, function(s) s:when(flag, fn) end)
        helper.contains(err, words)
        assert.is_true(cuda.is_error(err, "logic"), words)
        is_usable(device)
      end
    end)

    it("may wait for what the graph has recorded before", function()
      local flag, e = cuda.ones(1, "int32"), cuda.event()
      local side <close> = cuda.stream()
      local g <close> = cuda.graph(function(s)
        k.add({ grid = 1, block = 1, stream = side }, x, 1)
        e:record(side)
        s:when(flag, function()
          s:wait(e):wait(side)
          k.twice({ grid = 1, block = 1, ordered = false }, x)
          s:when(flag, function() s:wait(e) k.twice(ONE, x) end)
        end)
      end)
      g:launch()
      assert.equal(4, x:item(1))
    end)

    it("may catch a refusal inside, but not lose its function's error", function()
      local flag = cuda.ones(1, "int32")
      local g <close> = cuda.graph(function(s)
        s:when(flag, function()
          assert.is_false(pcall(x.item, x, 1))
          x:fill(4)
        end)
      end)
      g:launch()
      assert.equal(4, x:item(1))
      for _, name in ipairs { "when", "loop" } do
        local thrown = {}
        local err = helper.error_of(cuda.graph, function(s)
          local ok, why = pcall(s[name], s, flag, function() x:fill(6) error(thrown) end)
          assert.is_false(ok)
          assert.equal(thrown, why)
          x:fill(8)
        end)
        helper.contains(err, "under a condition was not recorded to its end")
        is_usable(device)
      end
      local co = coroutine.wrap(function()
        cuda.graph(function(s) s:when(flag, function() coroutine.yield() end) end)
      end)
      assert.is_false(pcall(co))
      is_usable(device)
      assert.equal(4, x:item(1))
    end)

    it("may be thrown away while several streams take part", function()
      local flag, other <close> = cuda.ones(1, "int32"), cuda.stream()
      local function spread() x:add(1, { out = x, stream = other }) end
      for _ = 1, 30 do
        local err = helper.error_of(cuda.graph, function(s)
          s:when(flag, function(inner)
            spread()
            inner:loop(flag, function() spread() error "no more" end)
          end)
        end)
        helper.contains(err, "no more")
        device:synchronize()
      end
      is_usable(device)
    end)

    it("refuses wrong conditions", function()
      local flag = cuda.ones(1, "int32")
      local function why(fn) return tostring(helper.error_of(cuda.graph, fn)) end
      local function none() end
      for _, name in ipairs { "when", "loop" } do
        for _, value in ipairs { "x", 2.5, {}, cuda.ones(2, "int32"), cuda.ones(1),
          cuda.zeros(0, "int32") } do
          helper.contains(why(function(s) s[name](s, value, none) end), name .. ": argument 1: "
            .. "expected an array with one integer or boolean element")
        end
        helper.contains(why(function(s) s[name](s, flag) end), name .. ": expected a function")
        helper.contains(why(function(s) s[name](s, 77, none) end), "stream:condition")
      end
      helper.contains(why(function(s) s:when(flag, none, 5) end), "when: expected a function")
      helper.contains(why(function(s) s:switch(flag, none) end), "a list of 1 to 64 functions")
      helper.contains(why(function(s) s:switch(flag, {}) end), "a list of 1 to 64 functions")
      helper.contains(why(function(s) s:switch(flag, { none, 5 }) end), "expected a function")
      helper.contains(why(function(s) s:condition(-1) end), "from 0 to 2^32 - 1")
      helper.contains(why(function(s) s:condition() end), "was not given to")
      helper.contains(why(function(s)
        local c = s:condition()
        s:when(c, none)
        s:when(c, none)
      end), "has been used")
      helper.contains(why(function(s)
        local c = s:condition()
        s:when(flag, function(inner) inner:when(c, none) end)
      end), "in the same function")
      local closed = cuda.ones(1, "int32")
      closed:free()
      helper.contains(why(function(s) s:when(closed, none) end), "closed Array")
      is_usable(device)
    end)

    it("belongs to a graph", function()
      local s <close> = cuda.stream()
      for _, name in ipairs { "when", "loop", "switch", "condition" } do
        local err = helper.error_of(s[name], s, x, function() end)
        assert.is_true(cuda.is_error(err, "logic"))
        helper.contains(err, ("stream:%s belongs to the work of a graph"):format(name))
      end
    end)

    it("leaves nothing behind", function()
      collectgarbage()
      collectgarbage()
      device:synchronize()
      local live = core._live()
      local flag = cuda.ones(1, "int32")
      for i = 1, 10 do
        pcall(cuda.graph, function(s)
          s:when(flag, function() cuda.ones(10):fill(3) if i % 2 == 0 then error "x" end end)
        end)
      end
      flag:free()
      collectgarbage()
      collectgarbage()
      device:synchronize()
      local after = core._live()
      for _, kind in ipairs { "block", "stream", "event", "graph", "module", "function" } do
        assert.equal(live[kind], after[kind], kind)
      end
    end)
  end)
end)

-- On a GPU such a loop ends with the context, or never.
describe("a loop of a graph on the CPU device", function()
  local function run(code, env)
    local ok, out = helper.lua([[
      local cuda = require "luacuda"
      cuda.use "cpu"
      local flag, x = cuda.ones(1, "int32"), cuda.zeros(1, "int32")
    ]] .. code, { env = env, timeout = 120 })
    assert.is_true(ok, out)
    return out
  end

  it("ends when one of its kernels faults", function()
    local out = run [[
      local far = cuda.kernel "__global__ void far(int *x, int *go) { x[1 << 30] = 1; *go = 0; }"
      local g = cuda.graph(function(s)
        s:loop(flag, function(inner)
          inner:when(flag, function() far({ grid = 1, block = 1 }, x, flag) end)
          x:add(1, { out = x })
        end)
        x:add(100, { out = x })
      end)
      print(pcall(function() g:launch() cuda.synchronize() end))
      print(x:item(1), flag:item(1))
    ]]
    helper.contains(out, "out of bounds")
    assert.matches("101\t1\n$", out)
  end)

  it("ends after LUACUDA_CPU_TIMEOUT_MS", function()
    local out = run([[
      local g = cuda.graph(function(s)
        s:loop(flag, function() x:add(1, { out = x }) end)
        x:fill(-5)
      end)
      print(pcall(function() g:launch() cuda.synchronize() end))
      print(x:item(1))
    ]], { LUACUDA_CPU_TIMEOUT_MS = "200" })
    helper.contains(out, "a loop of a graph was not done after 200 ms")
    assert.matches("%-5\n$", out)
  end)
end)
