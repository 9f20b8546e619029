-- event:fd: descriptors that poll(2) waits for (spec/c/poll_peer.c). A kernel that spins until a
-- word in pinned memory is set holds streams back, so that no test depends on timing.
local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse
local LONG = 20000 -- milliseconds; an event that is not reached by then fails the test

local SOURCE = [==[
extern "C" __global__ void gate(volatile int *word, long long limit) {
  long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (*word == 0 && now - start < limit);
}]==]

helper.for_each_device(function(_, name)
  local peer

  setup(function() peer = helper.c_module "poll_peer" end)
  teardown(helper.forget_host)

  local function is_readable(e) return peer.poll(0, e:fd()) ~= nil end
  local function wait(e) return peer.poll(LONG, e:fd()) == e:fd() end

  -- Holds stream s back: returns the function that lets it go on, which keeps the kernel. A running
  -- kernel that is collected waits for its end.
  local function hold(s)
    local word, gate = cuda.pinned(1, "int32"):fill(0), cuda.kernel(SOURCE, "gate")
    gate({ grid = 1, block = 1, stream = s }, cuda.ptr(word.pointer), 1e10)
    return function()
      assert(gate)
      word:fill(1)
      return word
    end
  end

  describe("event:fd", function()
    it("becomes readable when the event is reached", function()
      local s, e = cuda.stream(), cuda.event()
      local open = hold(s)
      local fd = e:record(s):fd()
      assert.equal("integer", math.type(fd))
      assert.equal(fd, e:fd())
      assert.same({ true, true }, { peer.flags(fd) })
      assert.is_nil(peer.poll(30, fd))
      local word = open()
      assert.equal(fd, peer.poll(LONG, fd))
      assert.is_true(e:is_done())
      assert.equal(fd, peer.poll(0, e:fd())) -- and stays so
      s:synchronize()
      word:free()
      e:close()
      assert.is_nil(peer.flags(fd))
      s:close()
    end)

    it("waits for the last record alone", function()
      local s, t, e = cuda.stream(), cuda.stream(), cuda.event()
      assert.is_true(wait(e:record(s)))
      local open = hold(s)
      e:record(s)
      assert.is_false(is_readable(e))
      local open_t = hold(t)
      e:record(t)
      open()
      s:synchronize()
      cuda.event():record(s):synchronize()
      assert.is_nil(peer.poll(30, e:fd()))
      open_t()
      assert.is_true(wait(e))
      for _ = 1, 20 do
        assert.is_true(wait(e:record(s)))
        assert.is_true(peer.drain(e:fd()))
        assert.is_false(is_readable(e))
      end
      t:synchronize()
      e:close()
    end)

    it("does not make one event wait for another, nor the stream for the host", function()
      local s, t = cuda.stream(), cuda.stream()
      local open = hold(s)
      local slow, quick = cuda.event():record(s), cuda.event():record(t)
      assert.is_false(is_readable(slow))
      assert.is_true(wait(quick))
      assert.is_true(t:is_done())
      assert.equal(quick:fd(), peer.poll(LONG, slow:fd(), quick:fd()))
      open()
      assert.is_true(wait(slow))
      s:synchronize()
    end)

    it("tells a loop to run the functions of stream:call", function()
      local s, e, ran = cuda.stream(), cuda.event(), 0
      for _ = 1, 3 do s:call(function() ran = ran + 1 end) end
      assert.is_true(wait(e:record(s)))
      assert.equal(3, cuda.poll())
      assert.equal(3, ran)
    end)

    it("is closed with the event, also before the event is reached", function()
      local s = cuda.stream()
      for _ = 1, 50 do
        local e = cuda.event():record(s)
        local fd = e:fd()
        e:close()
        assert.is_nil(peer.flags(fd))
      end
      local fd
      do
        local e = cuda.event():record(s)
        fd = e:fd()
      end
      for _ = 1, 3 do collectgarbage() end
      assert.is_nil(peer.flags(fd))
      s:close()
    end)

    it("raises for an event that was never recorded, or is closed", function()
      local e = cuda.event()
      helper.contains(helper.error_of(e.fd, e), "fd: the event was never recorded: call record")
      assert.is_true(cuda.is_error(helper.error_of(e.fd, e), "logic"))
      assert.is_true(wait(e:record()))
      e:close()
      assert.matches("closed Event", misuse(e.fd, e))
      assert.matches("expected Event before the", misuse(e.fd, 5))
    end)

    it("leaves a state that closes in peace", function()
      local ok, out = helper.lua([[
        local cuda = require "luacuda"
        cuda.use(...)
        local s, a, events = cuda.stream(), cuda.zeros(1 << 20), {}
        for i = 1, 20 do
          a:fill(i, { stream = s })
          events[i] = cuda.event():record(s)
          events[i]:fd()
        end
        print "done"
      ]], { args = { name } })
      assert.is_true(ok, out)
      assert.equal("done\n", out)
    end)
  end)
end)
