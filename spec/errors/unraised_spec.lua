-- Failures that no call raised are written to stderr once, when the Lua state closes; raised
-- failures are not.
local helper = require "spec.helper"

local MARK = "luacuda: an error that no call raised: "

local PRELUDE = [[
local cuda = require "luacuda"
local bad = cuda.kernel "__global__ void bad(float *x) { if (x) *(float *)8 = 1; }"
local x = cuda.zeros(4)
]]

-- The output of a script, errors included, and a list of the failures written at its end.
local function run(device, script, opts)
  opts = opts or {}
  local env = { LUACUDA_DEVICE = device:gsub("^gpu", "") }
  for name, value in pairs(opts.env or {}) do env[name] = value end
  local ok, out = helper.lua(PRELUDE .. script, { env = env })
  assert.equal(not opts.fails, ok, out)
  local said = {}
  local rest = ("\n" .. out):gsub("\n" .. MARK:gsub("%p", "%%%0")
    .. "([^\n]*)", function(text) said[#said + 1] = text return "" end)
  return said, rest:sub(2)
end

for _, device in ipairs(helper.device_names()) do
  local is_cpu = device == "cpu"

  local function says_it(script, opts)
    local said, out = run(device, script, opts)
    assert.equal(1, #said, out)
    if is_cpu then
      assert.matches("write of 4 bytes at 0x8, ", said[1], 1, true)
      assert.matches(" at /[^ ]*:2 in kernel 'bad', block %(0,0,0%), thread %(0,0,0%)", said[1])
    else
      assert.matches("CUDA_ERROR_ILLEGAL_ADDRESS", said[1], 1, true)
      assert.matches("kernels not known to be complete, latest first: .*bad", said[1])
    end
    return out
  end

  local function says_nothing(script, opts)
    local said, out = run(device, script, opts)
    assert.same({}, said)
    return out
  end

  describe("an error that no call raised, on " .. device .. ",", function()
    it("is written when the script ends", function()
      assert.equal("end\n", says_it [[bad({ grid = 1, block = 8 }, x) print "end"]])
    end)

    it("is written when os.exit closes the state", function()
      says_it [[bad({ grid = 1, block = 8 }, x) os.exit(true, true)]]
    end)

    it("is written even if another error ended the script", function()
      local out = says_it([[bad({ grid = 1, block = 8 }, x) error "something else"]],
        { fails = true })
      assert.matches("something else", out, 1, true)
    end)

    it("may be of a kernel that was collected, or on a stream that was closed", function()
      says_it [[bad({ grid = 1, block = 8 }, x) bad = nil collectgarbage() collectgarbage()]]
      says_it [[do local s <close> = cuda.stream() bad({ grid = 1, block = 8, stream = s }, x) end]]
    end)

    it("may have been found by queries that raise nothing", function()
      says_it [[
        bad({ grid = 1, block = 8 }, x)
        local _ = tostring(x), cuda.device().null_stream:is_done(), tostring(cuda.pool())
        x:free()
      ]]
    end)

    it("is not written if a call raised it, caught or not", function()
      says_nothing [[bad({ grid = 1, block = 8 }, x) assert(not pcall(cuda.synchronize))]]
      says_nothing [[bad({ grid = 1, block = 8 }, x) assert(not pcall(x.totable, x)) print(x)]]
      local out = says_nothing([[bad({ grid = 1, block = 8 }, x) cuda.synchronize()]],
        { fails = true })
      assert.matches("bad", out, 1, true)
    end)

    it("is not written if nothing failed", function()
      assert.equal("end\n", says_nothing [[x:fill(2) print "end"]])
      assert.equal("", says_nothing "cuda = nil")
    end)

    if is_cpu then
      it("may occur several times, on several streams", function()
        local said = run(device, [[
          local streams = {}
          for i = 1, 3 do
            streams[i] = cuda.stream()
            bad({ grid = 1, block = 1, stream = streams[i] }, x)
          end
          assert(not pcall(streams[2].synchronize, streams[2]))
        ]])
        assert.equal(2, #said)
      end)

      it("is left to the kernel's stream and those that waited for it", function()
        local said = run(device, [[
          local s, t, u, y = cuda.stream(), cuda.stream(), cuda.stream(), cuda.zeros(4)
          local function fault()
            bad({ grid = 1, block = 1, stream = s, ordered = false }, x)
            local event, stop = cuda.event():record(s), os.clock() + 0.1
            repeat until os.clock() > stop
            cuda.with_stream(t, function() y:fill(1) end)
            t:synchronize()
            return event
          end
          fault()
          assert(not pcall(s.synchronize, s))
          u:wait(fault())
          assert(not pcall(u.synchronize, u))
          s:synchronize()
        ]])
        assert.same({}, said)
      end)

      it("may come from a finalizer", function()
        local said = run(device, helper.FAILING_CLOSE, { env = { LUACUDA_SHIM = 1 } })
        assert.equal(1, #said)
        assert.matches("cuEventDestroy", said[1])
        assert.matches("%(this happened earlier, where it could not be reported%)$", said[1])
      end)

      it("is written by the interpreter that owns it, not by a child of fork", function()
        local said = run(device, [[
          bad({ grid = 1, block = 8 }, x)
          os.execute "true"
          assert(io.popen("true"):close())
        ]])
        assert.equal(1, #said)
      end)
    end
  end)
end
