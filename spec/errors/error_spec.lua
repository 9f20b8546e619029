local helper = require "spec.helper"
local cuda = require "luacuda"
local core = require "luacuda.core"

describe("error objects", function()
  local function raised(fields)
    local ok, e = pcall(function() error(core.error(fields)) end)
    assert.is_false(ok)
    return e
  end

  it("have a kind, a message, a position and a traceback", function()
    local e = raised { kind = "compile", message = "no such thing", log = "line 3" }
    assert.equal("compile", e.kind)
    assert.equal("line 3", e.log)
    assert.matches("error_spec.lua:%d+: no such thing$", tostring(e))
    assert.matches("stack traceback:", e.traceback, 1, true)
    assert.equal("runtime", raised({ message = "x" }).kind)
  end)

  it("concatenate", function()
    local e = raised { message = "broken" }
    assert.matches("failed: .*broken", "failed: " .. e)
    assert.matches("broken!$", e .. "!")
    assert.matches("broken1$", e .. 1)
    assert.matches("broken.*broken", e .. e)
  end)

  it("are distinguished from other values, also by kind", function()
    local e = raised { kind = "memory", message = "full" }
    assert.is_true(cuda.is_error(e))
    assert.is_true(cuda.is_error(e, "memory"))
    assert.is_false(cuda.is_error(e, "compile"))
    assert.is_false(cuda.is_error("memory"))
    assert.is_false(cuda.is_error(nil))
    assert.is_false(cuda.is_error({ kind = "memory" }, "memory"))
    assert.error_matches(function() cuda.is_error(e, "memmory") end, "unknown kind 'memmory'")
  end)

  it("never raise in tostring, whatever their fields contain", function()
    local e = raised { message = "x" }
    e.message, e.where = {}, print
    assert.is_string(tostring(e))
  end)

  it("keep their position when raised again", function()
    local first = raised { message = "x" }
    local ok, second = pcall(error, first)
    assert.is_false(ok)
    assert.equal(first, second)
  end)

  it("have name, code, call and device if the driver failed", function()
    local ok, out = helper.lua([[
      local cuda, core = require "luacuda", require "luacuda.core"
      cuda.use "cpu"
      core._fail_at(1, "LAUNCH_TIMEOUT" and "INVALID_VALUE")
      local ok, e
      for n = 1, 10 do
        core._fail_at(n, "NOT_PERMITTED")
        ok, e = pcall(cuda.stream)
        if not ok and e.call == "cuStreamCreateWithPriority" then break end
      end
      core._fail_at(0)
      print(e.kind, e.name, e.code, e.call, e.device)
      print(e.message)
    ]], { env = { LUACUDA_SHIM = 1 } })
    assert.is_true(ok, out)
    assert.equal("runtime\tCUDA_ERROR_NOT_PERMITTED\t800\tcuStreamCreateWithPriority\tcpu\n"
      .. "cuStreamCreateWithPriority failed on cpu: CUDA_ERROR_NOT_PERMITTED (that is not "
      .. "permitted)\n", out)
  end)

  it("are strings with the caller's position for wrong arguments", function()
    local ok, e = pcall(function() cuda.stream { wrong = 1 } end)
    assert.is_false(ok)
    assert.is_string(e)
    assert.matches("error_spec.lua:%d+: stream: unknown option 'wrong'", e)
    ok, e = pcall(function() return cuda.nothing_of_the_kind end)
    assert.is_false(ok)
    assert.matches("^[^:]*error_spec.lua:%d+: luacuda has no 'nothing_of_the_kind'", e)
  end)
end)

describe("the module table", function()
  it("lists its names, loaded or not", function()
    local names = {}
    for name, value in pairs(cuda) do
      names[name] = true
      assert.is_not_nil(value)
    end
    assert.is_true(names.stream and names.pool and names.VERSION)
  end)

  it("answers type like io.type", function()
    assert.equal("device", cuda.type(cuda.device "cpu"))
    assert.is_nil(cuda.type(io.stdout))
    assert.is_nil(cuda.type {})
    assert.is_nil(cuda.type(nil))
    assert.error(function() cuda.type() end)
  end)

  it("refuses unknown debug options", function()
    assert.error_matches(function() cuda.debug { snyc = true } end, "did you mean 'sync'")
    assert.error_matches(function() cuda.debug(true) end, "expected a table of options")
    local before = cuda.debug { sync = true }
    assert.is_false(before.sync)
    before.sync = true
    assert.same(before, cuda.debug { sync = false })
    assert.error_matches(function() cuda.debug { errors = "table" } end,
      "option 'errors': expected 'object' or 'string', got 'table'")
  end)
end)

describe("a preview", function()
  local previous
  before_each(function() previous = cuda.use "cpu" end)
  after_each(function() cuda.use(previous) end)

  -- On the CPU device only: a GPU is unusable after a fault.
  it("says in the user's names why it has no text, and leaves the failure to be raised", function()
    local k = cuda.kernel "__global__ void overrun(float *x) { x[100] = 1; }"
    local a = cuda.zeros(4)
    k({ grid = 1, block = 1 }, a)
    local text = tostring(a)
    assert.matches("contents cannot be read: out of bounds", text, 1, true)
    assert.matches("in kernel 'overrun'", text, 1, true)
    assert.is_nil(text:find("_Z", 1, true))
    assert.matches("contents not read: an earlier failure has not been raised yet", tostring(a), 1,
      true)
    local ok, e = pcall(cuda.synchronize)
    assert.is_false(ok)
    assert.equal("launch", e.kind)
    assert.equal("overrun", e.kernel)
    assert.equal("float32 {4}", e.array)
    assert.equal("luacuda.Array float32 {4} on cpu: 0 0 0 0", tostring(a))
    cuda.synchronize()
  end)
end)

describe("warn", function()
  it("may be missing", function()
    local ok, out = helper.lua [[
      warn = nil
      local cuda = require "luacuda"
      cuda.use "cpu"
      cuda.module("__global__ void k(float *x) { int unused; x[0] = 1; }"):compile()
      print "fine"
    ]]
    assert.is_true(ok, out)
    assert.equal("fine\n", out)
  end)
end)

describe("a compile error", function()
  it("does not show the lines the library adds", function()
    local ok, e = pcall(cuda.compile, "__global__ void broken( {}\n")
    assert.is_false(ok)
    assert.is_nil(tostring(e):find("luacuda_", 1, true), tostring(e))
    assert.is_nil(tostring(e):find("__nv_name_map", 1, true), tostring(e))
    assert.matches("broken%( {}\n", tostring(e))
  end)

  it("names the line of its own text where equal texts end and begin on one line", function()
    local path = os.tmpname()
    local file <close> = assert(io.open(path, "w"))
    file:write("local compile, messages = ...\nlocal function note(text)\n"
      .. "  messages[#messages + 1] = tostring(select(2, pcall(compile, text)))\nend\n",
      ("note[[\n\nextern \"C\" __global__ void k() { absent(); }\n]] "):rep(3))
    file:close()
    local messages = {}
    assert(loadfile(path))(cuda.compile, messages)
    os.remove(path)
    for k, line in ipairs{ 7, 10, 13 } do
      assert.matches(("%s:%d"):format(path, line), messages[k], 1, true)
    end
  end)
end)
