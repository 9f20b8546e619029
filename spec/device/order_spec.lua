-- The automatic order between streams. No test depends on timing: kernels that spin until a word in
-- pinned memory is set hold streams back. They read the word through its address, so it takes no
-- part in the order.
--
-- spec/support/array_uses.lua gives the expected result of a sequence of uses of an array. A use
-- that runs too early is detected, because everything that can run does so (`settle`) before a gate
-- opens.
local helper = require "spec.helper"
local limits = require "spec.support.limits"
local model = require "spec.support.array_uses"
local cuda = require "luacuda"

local N, USES, HOST_USES, named = model.N, model.USES, model.HOST_USES, model.named
-- A forgotten gate opens, and the test fails.
local LIMIT_NS = limits.seconds(10) * 1000000000

-- The uses of host memory, which belongs to the CPU device, that also run on other devices.
local ANYWHERE = named("kernel that reads", "kernel that writes", "kernel that updates",
  "copy in", "copy out")
local FROM_THE_HOST = named("totable", "item", "set", "set from bytes", "elements written")

local READ, WRITE, TOTABLE = table.unpack(
  named("kernel that reads", "kernel that writes", "totable"))

local MEMORY = {
  device = function() return cuda.empty(N, "int32") end,
  pinned = function() return cuda.pinned(N, "int32") end,
  managed = function() return cuda.managed(N, "int32") end,
  registered = function() return cuda.register(cuda.host(N, "int32")) end,
}

helper.for_each_device(function(device)
  local c, gates, streams

  local function wait_for_all()
    for _, s in ipairs(streams) do s:synchronize() end
    device.null_stream:synchronize()
  end

  -- Made once per test, with everything run once, because loading code and allocating memory may
  -- wait for the device.
  local module
  local function make(x)
    module = module or cuda.module(model.SOURCE)
    c = { k = {}, x = x, one = cuda.array({ 1 }, "int64"), outs = {}, srcs = {} }
    for _, name in ipairs { "gate", "spin", "read", "write", "update", "part", "peek" } do
      c.k[name] = module:kernel(name)
    end
    streams, gates = {}, {}
    for i = 1, 8 do streams[i] = i == 5 and device.null_stream or cuda.stream() end
    c.canary = cuda.stream()
    for i = 1, 8 do
      c.outs[i], c.srcs[i] = cuda.full(N, -7, "int32"), cuda.full(N, 100 + i, "int32")
      gates[i] = cuda.pinned(2, "int32"):fill(0)
    end
    c.x:fill(1)
    wait_for_all()
  end

  local function close_gate(i)
    c.k.gate({ grid = 1, block = 1, stream = streams[i] }, cuda.ptr(gates[i].pointer), LIMIT_NS)
  end

  local function open_gate(i) gates[i][1] = 1 end

  -- Returns when everything that can run has run: the device receives work in order, and 1 ms of
  -- work queued last is done. Streams may share a hardware queue, in which work stands after the
  -- wait of another stream; then another stream becomes the canary.
  local function settle()
    for _ = 1, 3 do
      c.k.spin({ grid = 1, block = 1, stream = c.canary }, cuda.null, 1000000)
      local limit = os.time() + 2
      while os.time() < limit do
        if c.canary:is_done() then return end
      end
      c.canary = cuda.stream()
    end
    c.k.spin({ grid = 1, block = 1, stream = c.canary }, cuda.null, 1000000)
    c.canary:synchronize()
  end

  -- Opens a gate after a delay, for uses that wait before they return.
  local function open_gate_later(i)
    settle()
    c.k.spin({ grid = 1, block = 1, stream = c.canary }, cuda.ptr(gates[i].pointer), 20000000)
  end

  local function assert_gates_held()
    for i = 1, #gates do
      assert.equal(0, gates[i][2], "a call waited for work that was held back")
    end
  end

  local function warm_up()
    local all = c.x.device == device
    for i, use in ipairs(all and USES or ANYWHERE) do
      use.run(c, streams[1], i, c.outs[1], c.srcs[1])
    end
    for _, use in ipairs(all and HOST_USES or FROM_THE_HOST) do
      use.run(c, streams[1], 1, c.outs[1])
    end
    c.k.part({ grid = 1, block = 32, stream = streams[1] }, c.x, 1, 0, N)
    c.k.peek({ grid = 1, block = 32, stream = streams[1] }, c.x, c.outs[1], 0, N)
    settle()
    c.outs[1]:fill(-7)
    c.x:fill(1)
    wait_for_all()
  end

  local function start(x)
    make(x)
    warm_up()
    collectgarbage()
    collectgarbage "stop" -- destroying a stream waits for its work
  end

  local function finish()
    wait_for_all()
    c.canary:synchronize()
    assert_gates_held()
    c, gates, streams = nil, nil, nil
    collectgarbage "restart"
  end

  -- Cleans up after a failed test.
  local function abandon()
    if not c then return end
    for i = 1, #gates do open_gate(i) end
    pcall(wait_for_all)
    c, gates, streams = nil, nil, nil
    collectgarbage "restart"
  end

  after_each(abandon)

  local function assert_all(want, array, what)
    array = array:reshape { array.size }
    assert.same({ want, want }, { array:min(), array:max() }, what)
  end

  local function assert_read(use, want, out, what)
    if use.small then assert.equal(want, out:item(1), what)
    elseif use.reads then assert_all(want, out, what) end
  end

  local function value_after(use, old, v) return use.value and use.value(old, v) or old end

  -- `first` is held back on a stream, `second` follows on another. The values must be as if they
  -- ran in this order.
  local function pair(first, second, kind)
    start(MEMORY[kind]())
    local v, w = 11, 23
    c.srcs[1]:fill(v)
    c.srcs[2]:fill(w)
    wait_for_all()
    close_gate(1)
    first.run(c, streams[1], v, c.outs[1], c.srcs[1])
    if second.host then open_gate_later(1) end
    second.run(c, streams[2], w, c.outs[2], c.srcs[2])
    settle()
    local waits = first.writes or second.writes
    if not second.host then
      if not waits then streams[2]:synchronize() end -- or the gate's limit passes
      assert.equal(not waits, streams[2]:is_done())
      assert.is_false(streams[1]:is_done())
    end
    open_gate(1)
    local between = value_after(first, 1, v)
    assert_read(first, 1, c.outs[1], "first")
    assert_read(second, between, c.outs[2], "second")
    assert_all(value_after(second, between, w), c.x, "at last")
    finish()
  end

  for _, first in ipairs(USES) do
    for _, list in ipairs { USES, HOST_USES } do
      for _, second in ipairs(list) do
        it(("%s, then on another stream %s"):format(first.name, second.name), function()
          pair(first, second, "device")
        end)
      end
    end
  end

  -- Memory of the host belongs to the CPU device. libcuda copies managed memory as it copies
  -- pageable memory: the call waits for its stream, so it cannot be queued after a closed gate.
  local function copies_wait(kind)
    return kind == "managed" and device.kind == "gpu" and not helper.fake_gpu
  end
  local function queued_uses(kind)
    return copies_wait(kind) and named("kernel that reads", "kernel that writes",
      "kernel that updates") or ANYWHERE
  end

  for _, kind in ipairs { "pinned", "managed", "registered" } do
    for _, first in ipairs(queued_uses(kind)) do
      for _, list in ipairs { queued_uses(kind), FROM_THE_HOST } do
        for _, second in ipairs(list) do
          it(("%s memory: %s, then %s"):format(kind, first.name, second.name), function()
            pair(first, second, kind)
          end)
        end
      end
    end
  end

  -- Random sequences over 2 to 8 streams, more than a block has marks for. Unordered work comes
  -- first: each write has its own part, and reads use unwritten parts. Then ordered uses follow,
  -- each of the whole array. Gates close anywhere and open in any order.
  local PARTS, STEPS = 8, 6
  local SIZE = N // PARTS

  local function assert_parts(want, array, what)
    for i = 1, PARTS do
      local first, last = array:item((i - 1) * SIZE + 1), array:item(i * SIZE)
      assert.same({ want[i], want[i] }, { first, last }, what .. ", part " .. i)
    end
  end

  local function assert_read_parts(use, want, out, what)
    if use.name == "reduction" then assert.equal(math.max(table.unpack(want)), out:item(1), what)
    elseif use.small then assert.equal(want[1], out:item(1), what)
    elseif use.reads then assert_parts(want, out, what) end
  end

  -- Streams that are held back from some point on.
  local function stream_picker(random, num_streams)
    local closed = {}
    return function()
      local i = random(num_streams)
      if not closed[i] and random(3) == 1 then
        closed[i] = true
        close_gate(i)
      end
      return streams[i]
    end, closed
  end

  local function queue_parts(random, pick, parts)
    local written = random(0, PARTS)
    for i = 1, PARTS do
      local launch, first = { grid = 1, block = 32, stream = pick(),
        ordered = false }, (i - 1) * SIZE
      if i <= written then
        parts[i] = 1000 + i
        c.k.part(launch, c.x, parts[i], first, SIZE)
      else
        c.k.peek(launch, c.x, c.views[i], first, SIZE)
      end
    end
    return written
  end

  local function queue_uses(random, pick, parts, log)
    for i = 1, STEPS do
      local use, v = USES[random(#USES)], 100 + i
      local out = c.outs[i]
      use.run(c, pick(), v, out, c.srcs[i])
      log[i] = { use = use, out = out, before = table.move(parts, 1, PARTS, 1, {}) }
      for j = 1, PARTS do parts[j] = value_after(use, parts[j], v) end
    end
  end

  local function open_in_any_order(random, closed)
    local order = {}
    for i in pairs(closed) do table.insert(order, random(#order + 1), i) end
    for _, i in ipairs(order) do
      settle()
      open_gate(i)
    end
  end

  local function random_sequence(seed, kind)
    math.randomseed(seed)
    local random, parts, log = math.random, {}, {}
    start(MEMORY[kind]())
    c.views = {}
    for i = 1, PARTS do
      parts[i] = 1
      c.views[i] = cuda.full(SIZE, -7, "int32")
    end
    wait_for_all()
    local pick, closed = stream_picker(random, random(2, 8))
    local written = queue_parts(random, pick, parts)
    queue_uses(random, pick, parts, log)
    open_in_any_order(random, closed)
    for i = written + 1, PARTS do assert_all(1, c.views[i], "unordered read of part " .. i) end
    for i, step in ipairs(log) do
      assert_read_parts(step.use, step.before, step.out,
        ("seed %d, step %d, %s"):format(seed, i, step.use.name))
    end
    assert_parts(parts, c.x, ("seed %d, at last"):format(seed))
    finish()
  end

  it("random sequences give the results of a single stream", function()
    for seed = 1, 60 do random_sequence(seed, "device") end
  end)

  it("random sequences on pinned memory give the results of a single stream", function()
    if device.kind ~= "cpu" then return end -- the CPU device runs operators on it
    for seed = 1, 20 do random_sequence(seed, "pinned") end
  end)

  local function part(i, s, ordered)
    c.k.part({ grid = 1, block = 32, stream = streams[s], ordered = ordered }, c.x, 1000 + i,
      (i - 1) * SIZE, SIZE)
  end

  local function parts_written(n)
    local parts = {}
    for i = 1, PARTS do parts[i] = i <= n and 1000 + i or 1 end
    return parts
  end

  local function assert_host_read(use, parts, out)
    if use.name == "item" then return assert_all(parts[PARTS], out) end
    if use.name ~= "sum" then return assert_read_parts(use, parts, out, use.name) end
    local sum = 0
    for i = 1, PARTS do sum = sum + parts[i] * SIZE end
    assert_all(sum // N, out)
  end

  -- `writers` streams write a part each, one of them held back; `use` on one more stream comes
  -- after all.
  local function after_unordered(writers, held, use)
    start(MEMORY.device())
    c.srcs[8]:fill(77):item(1)
    close_gate(held)
    for i = 1, writers do part(i, i, false) end
    if use.host then open_gate_later(held) end
    use.run(c, streams[8], 77, c.outs[8], c.srcs[8])
    settle()
    if not use.host then assert.is_false(streams[8]:is_done()) end
    open_gate(held)
    local parts = parts_written(writers)
    assert_host_read(use, parts, c.outs[8])
    for i = 1, PARTS do parts[i] = value_after(use, parts[i], 77) end
    assert_parts(parts, c.x, "at last")
    finish()
  end

  describe("unordered work", function()
    for _, list in ipairs { USES, HOST_USES } do
      for _, use in ipairs(list) do
        if use.name ~= "equals" then
          it("of two streams comes before " .. use.name, function()
            after_unordered(2, 1, use)
            after_unordered(2, 2, use)
          end)
        end
      end
    end

    it("of more streams than a block has marks comes before a read", function()
      for writers = 3, 7 do
        for held = 1, writers do
          after_unordered(writers, held, READ)
        end
        after_unordered(writers, 1, TOTABLE)
      end
    end)

    it("does not wait, but others wait for it", function()
      for _, first in ipairs(named("kernel that reads", "kernel that writes", "fill", "copy in",
        "copy out", "operator into it")) do
        for _, second in ipairs { "part", "peek" } do
          start(MEMORY.device())
          close_gate(1)
          close_gate(3)
          first.run(c, streams[1], 101, c.outs[1], c.srcs[1])
          local view = c.outs[2]:slice { 1, SIZE }
          c.k[second]({ grid = 1, block = 32, stream = streams[2], ordered = false },
            c.x, table.unpack(second == "part" and { 1005, 0, SIZE } or { view, 0, SIZE }))
          streams[2]:synchronize()
          assert_gates_held()
          assert.is_false(streams[1]:is_done())
          local after = cuda.stream()
          c.k.update({ grid = 1, block = 32, stream = after }, c.x, 1, N)
          settle()
          assert.is_false(after:is_done())
          open_gate(1)
          after:synchronize()
          assert.is_false(streams[3]:is_done()) -- no wait for unrelated work
          open_gate(3)
          assert_all(value_after(first, 1, 101) * 3 + 1, c.x:slice { SIZE + 1, N })
          finish()
        end
      end
    end)

    -- The mark of a stream that only reads replaces a writer's mark and must represent it: for
    -- other readers, with a mark (4) or without (8), and for the host.
    it("is not lost when its mark is replaced", function()
      local function peek(stream, out)
        c.k.peek({ grid = 1, block = 32, stream = streams[stream], ordered = false }, c.x,
          c.outs[out], 7 * SIZE, SIZE)
      end
      for peeks, held in ipairs { 5, 1, 2 } do -- the null stream, 5, has the oldest mark
        for _, reader in ipairs { 4, 8, 0 } do
          start(MEMORY.device())
          close_gate(held)
          for i = 1, 5 do part(i, i, false) end
          for i = 6, 5 + peeks do peek(i, i) end
          if reader == 0 then
            open_gate_later(held)
            assert_parts(parts_written(5), cuda.array(c.x:totable(), "int32"), "read by the host")
          else
            READ.run(c, streams[reader], nil, c.outs[1])
            settle()
            assert.is_false(streams[reader]:is_done())
            open_gate(held)
            assert_parts(parts_written(5), c.outs[1], "read")
          end
          finish()
        end
      end
    end)

    it("of the next reader's stream comes first, and so does another stream's", function()
      start(MEMORY.device())
      close_gate(1)
      part(1, 1, false)
      part(2, 2, false)
      READ.run(c, streams[2], nil, c.outs[1]) -- renews its own mark
      READ.run(c, streams[3], nil, c.outs[2])
      settle()
      assert.is_false(streams[2]:is_done())
      assert.is_false(streams[3]:is_done())
      open_gate(1)
      assert_parts(parts_written(2), c.outs[1], "its own")
      assert_parts(parts_written(2), c.outs[2], "a third")
      finish()
    end)
  end)

  describe("a wait", function()
    it("covers the work queued by then, and no more", function()
      start(MEMORY.device())
      WRITE.run(c, streams[1], 5)
      READ.run(c, streams[2], nil, c.outs[1])
      close_gate(1)
      streams[2]:synchronize()
      assert_gates_held()
      assert_all(5, c.outs[1])
      -- the write has been waited for; the gate after it does not matter
      READ.run(c, streams[2], nil, c.outs[2])
      streams[2]:synchronize()
      assert_gates_held()
      assert.is_false(streams[1]:is_done())
      open_gate(1)
      finish()
    end)

    it("is repeated for later work", function()
      for _, write in ipairs(USES) do
        if write.writes then
          start(MEMORY.device())
          write.run(c, streams[1], 101, nil, c.srcs[1])
          READ.run(c, streams[2], nil, c.outs[1])
          close_gate(1)
          write.run(c, streams[1], 102, nil, c.srcs[2])
          READ.run(c, streams[2], nil, c.outs[2])
          settle()
          assert.is_false(streams[2]:is_done())
          open_gate(1)
          local once = value_after(write, 1, 101)
          assert_all(once, c.outs[1])
          assert_all(value_after(write, once, 102), c.outs[2])
          finish()
        end
      end
    end)

    it("covers a stream's last use of the arrays of a launch", function()
      start(MEMORY.device())
      WRITE.run(c, streams[1], 5)
      READ.run(c, streams[2], nil, c.outs[2]) -- from now on that write is known to precede
      close_gate(1)
      c.outs[1]:fill(9, { stream = streams[1] })
      READ.run(c, streams[2], nil, c.outs[1])
      settle()
      assert.is_false(streams[2]:is_done())
      open_gate(1)
      assert_all(5, c.outs[1])
      finish()
    end)

    it("covers all arrays of a launch, from any number of streams", function()
      start(MEMORY.device())
      local xs, most = {}, 12
      local gather = cuda.kernel(([[
        __global__ void gather(%s, int *sum) { *sum = %s; }
      ]]):format(("const int *x"):rep(most, ", "):gsub("x", function()
        most = most - 1
        return "x" .. most
      end), "x0[0] + x1[0] + x2[0] + x3[0] + x4[0] + x5[0] + x6[0] + x7[0] + x8[0] + x9[0]"
        .. " + x10[0] + x11[0]"))
      local more = {}
      for i = 1, 12 do
        xs[i], more[i] = cuda.full(N, 1, "int32"), cuda.stream()
      end
      local sum = cuda.zeros(N, "int32")
      gather({ grid = 1, block = 1, stream = streams[2] }, xs[1], xs[2], xs[3], xs[4], xs[5], xs[6],
        xs[7], xs[8], xs[9], xs[10], xs[11], xs[12], sum)
      wait_for_all()
      for held = 1, 12 do
        gates[1][1], gates[1][2] = 0, 0
        for i = 1, 12 do
          if i == held then
            c.k.gate({ grid = 1, block = 1, stream = more[i] },
              cuda.ptr(gates[1].pointer), LIMIT_NS)
          end
          xs[i]:fill(held * i, { stream = more[i] })
        end
        gather({ grid = 1, block = 1, stream = streams[2] }, xs[1], xs[2], xs[3], xs[4], xs[5],
          xs[6], xs[7], xs[8], xs[9], xs[10], xs[11], xs[12], sum)
        settle()
        assert.is_false(streams[2]:is_done())
        open_gate(1)
        assert.equal(78 * held, sum:item(1))
      end
      finish()
    end)
  end)

  describe("the null stream", function()
    it("is ordered like other streams", function()
      for _, first in ipairs(named("kernel that reads", "kernel that writes")) do
        for _, second in ipairs(
          named("kernel that writes", "kernel that updates", "fill", "copy in")) do
          for null = 1, 2 do
            start(MEMORY.device())
            streams[null] = device.null_stream
            c.srcs[2]:fill(23):item(1)
            close_gate(1)
            first.run(c, streams[1], 11, c.outs[1])
            second.run(c, streams[2], 23, c.outs[2], c.srcs[2])
            settle()
            assert.is_false(streams[2]:is_done())
            open_gate(1)
            assert_read(first, 1, c.outs[1])
            assert_all(value_after(second, value_after(first, 1, 11), 23), c.x)
            finish()
          end
        end
      end
    end)
  end)

  describe("an event", function()
    local function raw(name, s, ...) c.k[name]({ grid = 1, block = 32, stream = s }, ...) end

    -- Work on raw addresses is not ordered automatically: only the event makes the reader wait.
    -- order() returns that event.
    local function by_event(order)
      start(MEMORY.device())
      close_gate(1)
      raw("write", streams[1], cuda.ptr(c.x.pointer), 9, N)
      local event = order()
      raw("read", streams[2], cuda.ptr(c.x.pointer), c.outs[1], N)
      if not event then streams[2]:synchronize() end
      settle()
      assert.equal(not event, streams[2]:is_done())
      open_gate(1)
      streams[2]:synchronize()
      -- it may hold the last reference to a stream, and destroying that waits for its work
      if event then event:close() end
      assert_all(event and 9 or 1, c.outs[1])
      finish()
    end

    it("orders work unknown to the library", function()
      by_event(function() end)
      by_event(function()
        local e = cuda.event():record(streams[1])
        streams[2]:wait(e)
        return e
      end)
      by_event(function()
        streams[2]:wait(streams[1])
        return cuda.event()
      end)
      by_event(function()
        streams[2]:wait(cuda.event():record(streams[3]))
        streams[2]:wait(streams[3])
      end)
    end)

    it("outlives its stream", function()
      by_event(function()
        local s = cuda.stream()
        s:wait(streams[1])
        local e = cuda.event():record(s)
        s:close()
        assert.is_false(e:is_done())
        streams[2]:wait(e)
        return e
      end)
    end)

    it("refers to its last recording", function()
      by_event(function()
        local e = cuda.event():record(streams[1]):record(streams[3])
        assert.is_true(e:synchronize():is_done())
        streams[2]:wait(e)
      end)
    end)

    it("can be waited for by the host", function()
      start(MEMORY.device())
      close_gate(1)
      raw("write", streams[1], cuda.ptr(c.x.pointer), 9, N)
      local e = cuda.event():record(streams[1])
      open_gate_later(1)
      assert.is_false(e:is_done())
      e:synchronize()
      assert.equal(1, gates[1][1])
      assert_all(9, c.x)
      finish()
    end)

    -- A stream need not wait again for work that it already waited for through an event. It must
    -- wait for work queued after the event, even if that is the next work item. (The gate is on
    -- another stream, so that the library counts nothing in between.)
    it("counts as a wait for the work before it", function()
      start(MEMORY.device())
      WRITE.run(c, streams[1], 5)
      local e = cuda.event():record(streams[1])
      close_gate(3)
      streams[1]:wait(streams[3])
      streams[2]:wait(e)
      READ.run(c, streams[2], nil, c.outs[1])
      streams[2]:synchronize()
      assert_gates_held()
      WRITE.run(c, streams[1], 6)
      streams[2]:wait(e)
      READ.run(c, streams[2], nil, c.outs[2])
      settle()
      assert.is_false(streams[2]:is_done())
      open_gate(3)
      assert_all(5, c.outs[1])
      assert_all(6, c.outs[2])
      finish()
    end)
  end)

  -- The host program may destroy its stream as soon as the handle on it is closed.
  describe("work on a destroyed stream of the host program", function()
    it("is waited for by other streams, by the host and by free", function()
      start(MEMORY.device())
      local owner = cuda.stream()
      local s = cuda.stream { pointer = cuda.ptr(owner.pointer) }
      local y, z = cuda.full(N, 1, "int32"), cuda.full(N, 1, "int32")
      wait_for_all()
      for _, x in ipairs { c.x, y, z } do x:fill(6, { stream = s }) end
      s:close()
      owner:close() -- on the CPU device this waits for the work, which the marks do not record
      READ.run(c, streams[2], nil, c.outs[1])
      y:free()
      assert.equal(6, z:item(N))
      z:free()
      assert_all(6, c.outs[1])
      finish()
      cuda.synchronize()
    end)

    it("may leave arrays allocated on it", function()
      start(MEMORY.device())
      local owner = cuda.stream()
      local s = cuda.stream { pointer = cuda.ptr(owner.pointer) }
      local x = cuda.with_stream(s, function() return cuda.full(N, 5, "int32") end)
      s:close()
      owner:close()
      close_gate(1)
      READ.run({ k = c.k, x = x }, streams[1], nil, c.outs[1])
      x:free() -- on the null stream
      local other = cuda.full(N, -1, "int32")
      settle()
      assert.is_false(device.null_stream:is_done())
      open_gate(1)
      assert_all(5, c.outs[1])
      assert_all(-1, other)
      finish()
    end)
  end)

  describe("memory", function()
    -- An array is freed while a held-back stream uses it, and the next array of its size is written
    -- immediately, on the stream that owns the memory or on a third one.
    local function free_and_reuse(home, third, use)
      start(MEMORY.device())
      local s = home == 0 and device.null_stream or streams[home]
      local x = cuda.with_stream(s, function() return cuda.full(N, 5, "int32") end)
      s:synchronize()
      local place = x.pointer
      close_gate(1)
      use(x)
      x:free()
      local other = cuda.with_stream(s, function() return cuda.empty(N, "int32") end)
      local writer = third and streams[8] or s
      other:fill(-1, { stream = writer })
      settle()
      if other.pointer == place then assert.is_false(writer:is_done()) end
      open_gate(1)
      streams[1]:synchronize()
      assert_all(-1, other)
      assert_all(5, c.outs[1])
      other:free()
      finish()
    end

    local function both_homes(use)
      for _, home in ipairs { 0, 2 } do
        for _, third in ipairs { false, true } do free_and_reuse(home, third, use) end
      end
    end

    it("freed while another stream reads it is reused only after that", function()
      both_homes(function(x)
        c.k.read({ grid = 1, block = 32, stream = streams[1] }, x, c.outs[1], N)
      end)
      both_homes(function(x) cuda.copy(c.outs[1], x, { stream = streams[1] }) end)
      both_homes(function(x) cuda.add(x, 0, { out = c.outs[1], stream = streams[1] }) end)
    end)

    it("freed while another stream writes it is reused only after that", function()
      both_homes(function(x)
        c.k.update({ grid = 1, block = 32, stream = streams[1] }, x, -10, N)
        c.k.read({ grid = 1, block = 32, stream = streams[1] }, x, c.outs[1], N)
      end)
    end)

    it("freed while unordered work uses it is reused only after that", function()
      both_homes(function(x)
        c.k.read({ grid = 1, block = 32, stream = streams[1], ordered = false }, x, c.outs[1], N)
        c.k.read({ grid = 1, block = 32, stream = streams[3], ordered = false }, x, c.outs[3], N)
      end)
      both_homes(function(x) -- the last mark is that of the stream held back
        for _, s in ipairs { 4, 6, 7, 1 } do
          c.k.read({ grid = 1, block = 32, stream = streams[s], ordered = false }, x, c.outs[s], N)
        end
      end)
      both_homes(function(x)
        c.k.update({ grid = 1, block = 32, stream = streams[1], ordered = false }, x, -10, N)
        c.k.read({ grid = 1, block = 32, stream = streams[1], ordered = false }, x, c.outs[1], N)
        c.k.part({ grid = 1, block = 32, stream = streams[3], ordered = false }, x, 5, 0, 1)
      end)
    end)

    it("of another stream is used after its allocation there", function()
      start(MEMORY.device())
      close_gate(1)
      local x = cuda.with_stream(streams[1], function() return cuda.empty(N, "int32") end)
      c.k.write({ grid = 1, block = 32, stream = streams[2] }, x, 4, 1)
      settle()
      assert.is_false(streams[2]:is_done())
      open_gate(1)
      assert.equal(4, x:item(1))
      finish()
    end)

    it("of the host is kept after a free until its users are done", function()
      for _, kind in ipairs { "pinned", "managed" } do
        for _, ordered in ipairs { true, false } do
          start(MEMORY.device())
          local p = MEMORY[kind]():fill(6)
          p:item(1)
          local place = cuda.ptr(p.pointer)
          close_gate(1)
          if ordered and not copies_wait(kind) then
            cuda.copy(c.outs[1], p, { stream = streams[1] })
          else
            local launch = { grid = 1, block = 32, stream = streams[1], ordered = false }
            c.k.read(launch, p, c.outs[1], N)
          end
          p:free()
          local q = MEMORY[kind]()
          assert.not_equal(place, cuda.ptr(q.pointer))
          for i = 1, N do q[i] = -1 end
          settle()
          open_gate(1)
          assert_all(6, c.outs[1])
          finish()
        end
      end
    end)

    -- The ring of pinned memory has eight buffers of 1 MB: the ninth copy must wait for the first.
    it("that stages copies is not refilled before it has been read", function()
      start(MEMORY.device())
      local n, arrays = 1 << 18, {}
      for i = 1, 20 do arrays[i] = cuda.zeros(n, "int32") end
      local data = {}
      for i = 1, 20 do data[i] = string.pack("<i4", i):rep(n) end
      wait_for_all()
      for round = 1, 2 do
        gates[1][1], gates[1][2] = 0, 0
        close_gate(1)
        open_gate_later(1)
        for i = 1, 20 do
          arrays[i]:set(data[21 - i], { stream = streams[round == 1 and 1 or 1 + i % 2] })
        end
        for i = 1, 20 do assert_all(21 - i, arrays[i]) end
        assert_gates_held()
        c.canary:synchronize()
      end
      finish()
    end)
  end)

  it("a host write waits for a held-back reader", function()
    for _, kind in ipairs { "device", "pinned", "registered" } do
      for _, write in ipairs {
        function(x) x[N] = 8 end, function(x) x:set(8) end, function(x) x:setitem(8, N) end,
      } do
        start(MEMORY[kind]())
        close_gate(1)
        c.k.read({ grid = 1, block = 32, stream = streams[1] }, c.x, c.outs[1], N)
        open_gate_later(1)
        write(c.x)
        assert_all(1, c.outs[1])
        assert.equal(8, c.x:item(N))
        finish()
      end
    end
  end)
end)
