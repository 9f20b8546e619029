-- Events that several processes use, and the order of their work.
local helper = require "spec.helper"
local handles = require "spec.support.handles"
local cuda = require "luacuda"

-- A process that runs code sent to it. Its kernel `hold` runs until the array `gate` is not 0. No
-- collector runs by itself: memory and modules that it frees wait for all work of the process, and
-- so would wait for `gate`.
local PEER = [==[
  collectgarbage "stop"
  local cuda = require "luacuda"
  hex = require("spec.support.handles").hex
  local hold = cuda.kernel "__global__ void hold(volatile int *gate) { while (*gate == 0) {} }"
  env = setmetatable({ cuda = cuda, hold = hold, hex = hex }, { __index = _G })
  function open(text)
    return cuda.open_ipc((text:gsub("%x%x", function(c) return string.char(tonumber(c, 16)) end)))
  end
  for line in ask do
    local ok, result = pcall(function() return assert(load(line, "=line", "t", env))() end)
    answer(((ok and "" or "error: ") .. tostring(result)):gsub("\n", " "))
  end
]==]

local function start(name)
  local peer = helper.peer(PEER, { env = {
    LUACUDA_DEVICE = name:match "%d+$" or name, LUACUDA_CPU_LIVELOCK_MS = 1000000,
  } })
  -- Runs code and returns its result as text; %s in it are the other arguments.
  return function(code, ...)
    if code == nil then return peer:close() end
    peer:tell((code:format(...):gsub("\n", " ")))
    local result = peer:hear()
    assert(not result:find "^error: ", result)
    return result
  end
end

helper.for_each_device(function(_, name)
  describe("events of several processes", function()
    local one, two
    before_each(function()
      one, two = start(name), start(name)
    end)
    after_each(function()
      -- Lets a kernel go that a failed test left. Work on the null stream would wait for it.
      pcall(two, "local t = cuda.stream() cuda.with_stream(t, function() gate:fill(1) end) "
        .. "t:synchronize() cuda.synchronize()")
      two()
      one()
    end)

    -- Both have the arrays and the event `e` of process `one`, and the event `f` of `two`.
    local function share()
      local event = one [[
        a, gate = cuda.zeros(1000, "int32", { ipc = true }), cuda.zeros(1, "int32", { ipc = true })
        e, s = cuda.event { interprocess = true }, cuda.stream()
        return hex(e:ipc_handle())
      ]]
      two([[ e, s = open "%s", cuda.stream() ]], event)
      one([[ f = open "%s" ]], two [[ f = cuda.event { interprocess = true }
        return hex(f:ipc_handle()) ]])
      two([[ a = open "%s" ]], one "return hex(a:ipc_handle())")
      two([[ gate = open "%s" ]], one "return hex(gate:ipc_handle())")
      -- A driver may load a kernel only when all earlier work is done: each runs once before one is
      -- held back.
      for _, peer in ipairs { one, two } do
        peer [[
          local b = cuda.zeros(1000, "int32")
          b:fill(1)
          cuda.copy(cuda.add(b, 1, { out = b }), (b + 1):copy())
          assert(b:sum() == 3000)
          gate:fill(1)
          hold({ grid = 1, block = 1 }, gate)
          cuda.synchronize()
          gate:fill(0)
          cuda.synchronize()
        ]]
      end
    end

    it("order the work of one after that of the other", function()
      share()
      assert.equal("true true",
        two "return tostring(e.interprocess) .. ' ' .. tostring(e:is_done())")
      one [[
        cuda.with_stream(s, function()
          hold({ grid = 1, block = 1, ordered = false }, gate)
          a:fill(5)
        end)
        e:record(s)
      ]]
      assert.equal("false false", one "return tostring(e:is_done()) .. ' ' .. tostring(e.timing)")
      assert.equal("false false", two [[
        local b = cuda.zeros(1000, "int32")
        s:wait(e)
        cuda.with_stream(s, function() sum = a + 1 end)
        return tostring(e:is_done()) .. " " .. tostring(s:is_done())
      ]])
      -- what comes after in the first process must wait for the second
      two [[
        cuda.with_stream(s, function() a:fill(8) end)
        f:record(s)
      ]]
      assert.equal("false false",
        two "return tostring(f:is_done()) .. ' ' .. tostring(s:is_done())")
      one [[
        t = cuda.stream()
        t:wait(f)
        cuda.with_stream(t, function() last = a:copy() end, { ordered = false })
      ]]
      assert.equal("false", one "return f:is_done()")
      two [[ local t = cuda.stream()
        cuda.with_stream(t, function() gate:fill(1) end)
        t:synchronize()
      ]]
      assert.equal("6 6000", two "return sum:item(7) .. ' ' .. sum:sum()")
      assert.equal("true", one "f:synchronize() return f:is_done() and e:is_done()")
      assert.equal("8 8000", one "return last:item(7) .. ' ' .. last:sum()")
      assert.equal("true", two "e:synchronize() return e:is_done()")
    end)

    it("may be recorded many times, in turns", function()
      share()
      for i = 1, 20 do
        local this, other, own, theirs = one, two, "e", "f"
        if i % 2 == 0 then this, other, own, theirs = two, one, "f", "e" end
        this("s:wait(%s) cuda.with_stream(s, function() cuda.add(a, %d, { out = a }) end) "
          .. "%s:record(s)", theirs, i, own)
        if i % 3 == 0 then other("%s:synchronize() assert(%s:is_done())", own, own) end
      end
      two "s:synchronize()"
      assert.equal("210", one "return a:item(3)")
      assert.equal("210000", two "return a:sum()")
    end)

    if name == "cpu" or helper.fake_gpu then -- not defined on a GPU
      it("may be recorded by both", function()
        share()
        for i = 1, 20 do
          local this, other = one, two
          if i % 2 == 0 then this, other = two, one end
          this("s:wait(e) cuda.with_stream(s, function() cuda.add(a, %d, { out = a }) end) "
            .. "e:record(s)", i)
          if i % 3 == 0 then other "e:synchronize() assert(e:is_done())" end
        end
        assert.equal("210000", two "return a:sum()")
      end)

      it("stand for the last record, also if it is reached before earlier ones", function()
        share()
        one "cuda.with_stream(s, function() hold({ grid = 1, block = 1 }, gate) end) e:record(s)"
        two "s:wait(e) t = cuda.stream() e:record(t)"
        local state = "return tostring(e:is_done()) .. ' ' .. tostring(s:is_done())"
        assert.equal("true false", two(state))
        assert.equal("true false", one(state))
        one "e:synchronize()"
        two "gate:fill(1) s:synchronize()"
        one "s:synchronize()"
      end)

      it("outlive the handles and the arrays, closed in any order", function()
        share()
        one [[ cuda.with_stream(s, function()
            hold({ grid = 1, block = 1 }, gate) a:fill(3) end)
          e:record(s) ]]
        two "s:wait(e) e:close() cuda.with_stream(s, function() b = a:copy() end) a:close()"
        one "e:close() a:close()"
        two "gate:fill(1) assert(b:item(9) == 3) b:close() gate:close() s:close() f:close()"
        one "s:synchronize() s:close() gate:close() f:close()"
        for _, peer in ipairs { one, two } do
          assert.equal("0 0", peer [[ collectgarbage() collectgarbage() cuda.synchronize()
            collectgarbage()
            local live = require("luacuda.core")._live()
            return live.block .. " " .. live.event ]])
        end
      end)

      it("count as reached when the process that recorded them has ended", function()
        share()
        local third = start(name)
        third([[ e, gate = open "%s", open "%s" ]], one "return hex(e:ipc_handle())",
          one "return hex(gate:ipc_handle())")
        third [[ hold({ grid = 1, block = 1, ordered = false }, gate) e:record() ]]
        assert.equal("false", two "return e:is_done()")
        pcall(third, "os.exit(true, false)")
        pcall(third)
        two "e:synchronize() s:wait(e) s:synchronize() assert(e:is_done())"
        two "gate:fill(1)"
      end)
    end
  end)

  describe("handles of events", function()
    it("are of events of several processes", function()
      local e <close> = cuda.event()
      assert.equal("event:ipc_handle: other processes cannot open this event: make it with "
        .. "cuda.event{ interprocess = true }", helper.misuse(function() e:ipc_handle() end))
      local f <close> = cuda.event { interprocess = true }
      local handle = f:ipc_handle()
      assert.equal("open_ipc: argument 1 'handle': this process made the event: use the event "
        .. "itself", helper.misuse(cuda.open_ipc, handle))
      assert.equal("open_ipc: argument 1 'handle': the handle is incomplete: it has 115 bytes",
        helper.misuse(cuda.open_ipc, handle:sub(1, -2)))
      assert.equal("open_ipc: argument 1 'handle': the handle is damaged: its checksum is wrong",
        helper.misuse(cuda.open_ipc, handles.patched(handle, 7, "\1")))
    end)

    if name == "cpu" or helper.fake_gpu then
      it("cannot be opened when their process has ended", function()
        local ok, out = helper.lua([[
          io.write(require("luacuda").event({ interprocess = true }):ipc_handle())
          os.exit(true, false)
        ]], { env = { LUACUDA_DEVICE = name:match "%d+$" or name } })
        assert.is_true(ok, out)
        local e = helper.error_of(cuda.open_ipc, out)
        assert.is_true(cuda.is_error(e), tostring(e))
        assert.equal("cuIpcOpenEventHandle", e.call)
      end)
    end

    it("are used by one process as any other event", function()
      local e <close>, a = cuda.event { interprocess = true }, cuda.zeros(10)
      assert.is_true(e:is_done())
      local s <close> = cuda.stream()
      local t = cuda.stream()
      cuda.with_stream(s, function() a:fill(3) end)
      e:record(s)
      t:wait(e)
      assert.is_true(e:synchronize():is_done())
      t:close()
      assert.equal("an event of several processes cannot be part of a graph: record it and wait "
        .. "for it outside", tostring(helper.error_of(cuda.graph, function(stream)
          e:record(stream)
        end)):match "an event.*")
      assert.matches("an event of several processes cannot be part of a graph", tostring(
        helper.error_of(cuda.graph, function(stream) stream:wait(e) end)), 1, true)
    end)
  end)
end)
