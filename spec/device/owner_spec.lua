-- Several Lua states use one device: each gets its own failures, and no others.
local helper = require "spec.helper"

-- Only on the CPU device: a fault on a GPU affects all states.
describe("a fault in a process with several states", function()
  teardown(helper.forget_host)

  local PRELUDE = [[
    local cuda = require "luacuda"
    cuda.use(arg[1])
    local me = arg.thread
    local x = cuda.zeros(4)
    local name = "bad" .. me
    local bad = cuda.kernel("__global__ void " .. name .. "(float *x) { if (x) *(float *)8 = 1; }")
    bad:compile()
    local function hears(what, f, ...)
      local ok, e = pcall(f, ...)
      assert(not ok and e.kernel == name, what .. ": " .. tostring(e))
    end
  ]]

  local function turns(script)
    local out = helper.run_host("turns", PRELUDE .. script, "cpu")
    return out
  end

  it("reaches the state that launched the kernel, on a shared stream", function()
    local out = turns [[
      function turn(n)
        if me == 1 and n == 1 then bad({ grid = 1, block = 1 }, x) end
        if me == 2 and n == 1 then
          cuda.synchronize()
          cuda.device().null_stream:synchronize()
          assert(x:totable()[1] == 0 and tostring(x):find("0 0 0 0")
            and cuda.device().null_stream:is_done())
          collectgarbage()
        end
        if me == 1 and n == 2 then
          hears("later", cuda.synchronize)
          cuda.synchronize()
        end
        return n < 2
      end
    ]]
    assert.equal("state 1 closed\nstate 2 closed\n", out)
  end)

  it("reaches both states if each has one", function()
    local out = turns [[
      function turn(n)
        if n == 1 then bad({ grid = 1, block = 1 }, x) end
        if n == 2 and me == 2 then tostring(x) end
        if n == 3 then hears("mine", x.totable, x) end
        if n == 4 then cuda.synchronize() end
        return n < 4
      end
    ]]
    assert.equal("state 1 closed\nstate 2 closed\n", out)
  end)

  it("is recorded for its owner if a finalizer finds it", function()
    local out = turns [[
      function turn(n)
        if me == 1 and n == 1 then bad({ grid = 1, block = 1 }, x) end
        if n == 2 then
          local h = cuda.pinned(4)
          h = nil
          collectgarbage()
        end
        if me == 2 then cuda.synchronize() end
        if me == 1 and n == 3 then hears("later", cuda.synchronize) end
        return n < 3
      end
    ]]
    assert.equal("state 1 closed\nstate 2 closed\n", out)
  end)

  it("is written when its owner closes, whichever state closes first", function()
    for owner = 1, 2 do
      local out = turns(([[
        function turn(n)
          if me == %d then bad({ grid = 1, block = 1 }, x) end
        end
      ]]):format(owner))
      local said = "luacuda: an error that no call raised: [^\n]* in kernel 'bad"
        .. owner .. "'[^\n]*\n"
      if owner == 1 then assert.matches("^" .. said .. "state 1 closed\nstate 2 closed\n$", out)
      else assert.matches("^state 1 closed\n" .. said .. "state 2 closed\n$", out) end
    end
  end)

  it("includes failures of finalizers", function()
    local out = helper.run_host("turns", PRELUDE .. [[
      function turn(n)
        if me == 1 and n == 1 then
          ]] .. helper.FAILING_CLOSE .. [[
        end
        if me == 2 then cuda.zeros(3):fill(1) cuda.synchronize() end
        if me == 1 and n == 2 then
          local ok, e = pcall(cuda.zeros, 3)
          assert(not ok and e.call == "cuEventDestroy", tostring(e))
          cuda.zeros(3)
        end
        return n < 2
      end
    ]], "cpu", { LUACUDA_SHIM = 1 })
    assert.equal("state 1 closed\nstate 2 closed\n", out)
  end)
end)
