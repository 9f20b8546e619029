-- Errors raised as their text (cuda.debug{ errors = "string" }, LUACUDA_ERRORS): for hosts that
-- call lua_tostring on them.
local helper = require "spec.helper"
local cuda = require "luacuda"
local core = require "luacuda.core"

-- Addresses, their neighbors and the free memory differ from run to run.
local function plain(text)
  text = tostring(text):gsub("0x%x+", "0x"):gsub(" in global memory.- at (%S+%.lua:)", " at %1")
  return (text:gsub("; [^;]* array [^;]*$", ""):gsub("[%d.]+ GB of", "GB of"))
end

local FIELDS = { "kind", "name", "code", "call", "device", "message", "where", "log", "source",
  "fault", "kernel", "called_at", "file", "line" }

describe("errors as text", function()
  local previous, before

  before_each(function()
    previous = cuda.use "cpu"
    before = cuda.debug { errors = "string" }
  end)

  after_each(function()
    cuda.debug(before)
    cuda.use(previous)
  end)

  local function no_io() return "/nonexistent/folder/x.npy" end

  -- Failing calls: description, kind of the error (nil: a wrong argument, always a string),
  -- function.
  local FAILURES = {
    { "a compile error", "compile",
      function() cuda.compile "__global__ void k(float *x) { x = y; }" end },
    { "a syntax error of a kernel", "compile",
      function() cuda.kernel("__global__ void k() { z; }"):compile() end },
    { "machine code on the CPU device", "compile", function()
      local code = cuda.compile("__global__ void k() {}", { target = "cubin", arch = "sm_80" })
      cuda.module(code):compile()
    end },
    { "PTX that the driver refuses", "compile", function()
      cuda.module(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n  "
        .. "frobnicate;\n  ret;\n}\n"):kernel "k":compile()
    end },
    { "memory", "memory", function() cuda.empty(1 << 50) end },
    { "a fault", "launch", function()
      cuda.kernel "__global__ void bad(float *x) { if (x) *(float *)8 = 1; }"(
        { grid = 1, block = 1 }, cuda.zeros(4))
      cuda.synchronize()
    end },
    { "a fault met by a read", "launch", function()
      local x = cuda.zeros(4)
      cuda.kernel "__global__ void bad(float *x) { if (x) *(float *)8 = 1; }"(
        { grid = 1, block = 1 }, x)
      x:totable()
    end },
    { "a fault of a builder", "launch", function()
      cuda.elementwise("raw T x", "T y", "y = x[i - (1 << 29)]",
        "astray")(cuda.zeros(4), cuda.zeros(4))
      cuda.synchronize()
    end },
    { "a forbidden wait", "logic", function() cuda.no_sync(cuda.synchronize) end },
    { "a device that is not there", "runtime", function() cuda.use(999) end },
    { "a file", "runtime", function() cuda.load_npy(no_io()) end },
    { "a file to write", "runtime", function() cuda.zeros(3):save_npy(no_io()) end },
    -- the library's own code catches an error and continues
    { "a kernel's name", nil,
      function() cuda.module("__global__ void f(int *p) {}"):compile():kernel "g" end },
    { "a kernel named before it is built", nil,
      function() cuda.module("__global__ void f(int *p) {}"):kernel("fgh"):compile() end },
    { "an instance", "compile", function()
      cuda.module("template<class T> __global__ void f(T *p) {}"):compile():kernel "f<nonsense>"
    end },
    { "an instance of a module with variables", nil, function()
      cuda.module("__device__ int v; template<class T> __global__ void f(T *p) { v = 1; }")
        :compile():kernel "g<int>"
    end },
    { "a variable", nil, function() cuda.module("__global__ void f(int *p) {}"):global "v" end },
    { "elements of an argument", nil, function() cuda.zeros(3):put({ 1, "x" }, 2) end },
    { "indices", nil, function() cuda.zeros(3):take { 1, "x" } end },
    { "a table for a kernel", nil, function()
      cuda.kernel "__global__ void f(const float *p) {}"({ grid = 1, block = 1 },
        cuda.input { 1, "x" })
    end },
    { "an expression", "compile",
      function() cuda.elementwise("T x", "T y", "y = nonsense", "broken")(cuda.zeros(3)) end },
    { "an argument", nil, function() cuda.zeros "three" end },
  }

  local function failure_of(fn)
    local ok, e = pcall(fn)
    assert.is_false(ok)
    pcall(cuda.synchronize) -- drains what the failure left queued
    return e
  end

  for _, row in ipairs(FAILURES) do
    local name, kind, fn = row[1], row[2], row[3]
    it("match the text of objects: " .. name, function()
      local text = failure_of(fn)
      assert.is_string(text)
      assert.equal(kind ~= nil, cuda.is_error(text))
      local object = cuda.last_error(text)
      cuda.debug { errors = "object" }
      local e = failure_of(fn)
      assert.equal(plain(e), plain(text))
      assert.equal(kind, cuda.is_error(e) and e.kind or nil)
      assert.equal(kind, object and object.kind)
      if not kind then return end
      for _, other in ipairs { "compile", "memory", "launch", "logic", "runtime" } do
        assert.equal(other == kind, cuda.is_error(text, other))
      end
      for _, field in ipairs(FIELDS) do
        assert.equal(plain(e[field]), plain(object[field]), field)
      end
    end)
  end

  local function compile_error() return failure_of(FAILURES[1][3]) end

  it("are strings in every respect", function()
    local text = compile_error()
    assert.matches("failed: .*identifier", "failed: " .. text)
    assert.equal(text, tostring(text))
    assert.is_nil(text.kind)
  end)

  it("are recognized when raised again, with or without a position", function()
    local text = compile_error()
    local _, again = pcall(error, text, 0)
    assert.is_true(cuda.is_error(again, "compile"))
    _, again = pcall(function() error(text) end)
    assert.not_equal(text, again)
    assert.is_true(cuda.is_error(again, "compile"))
    assert.equal(cuda.last_error(text), cuda.last_error(again))
    assert.is_false(cuda.is_error(text .. "!"))
    assert.is_false(cuda.is_error "")
  end)

  it("are remembered for the latest sixteen errors", function()
    local first = failure_of(function()
      error(core.error { kind = "memory", message = "number 0" }, 0)
    end)
    for i = 1, 15 do pcall(core.error, { kind = "logic", message = ("number %d"):format(i) }) end
    assert.is_true(cuda.is_error(first, "memory"))
    local last = core.error { kind = "logic", message = "number 16" }
    assert.is_false(cuda.is_error(first))
    assert.is_true(cuda.is_error(last))
    assert.equal("number 16", cuda.last_error().message)
    assert.equal(cuda.last_error(), cuda.last_error(last))
  end)

  it("are returned by last_error in both modes; other values give nil", function()
    cuda.debug { errors = "object" }
    local e = compile_error()
    assert.equal(e, cuda.last_error())
    assert.equal(e, cuda.last_error(e))
    assert.is_nil(cuda.last_error(tostring(e)))
    assert.is_false(cuda.is_error(tostring(e)))
    for _, other in ipairs { false, 1, "text", {}, print } do
      assert.is_nil(cuda.last_error(other))
    end
    assert.is_nil(cuda.last_error(nil))
  end)

  it("are enabled by debug, which returns the previous setting", function()
    assert.equal("string", cuda.debug({}).errors)
    assert.equal("string", cuda.debug({ sync = false }).errors)
    assert.equal("string", cuda.debug({ errors = "object" }).errors)
    assert.equal("object", cuda.debug({}).errors)
  end)

  it("are enabled by the environment for all states of a process", function()
    local script = [[
      local cuda = require "luacuda"
      assert(cuda.last_error() == nil)
      local ok, e = pcall(cuda.use, 999)
      print(type(e), cuda.is_error(e, "runtime"), cuda.debug({}).errors)
    ]]
    for value, expected in pairs {
      string = "string\ttrue\tstring\n", object = "table\ttrue\tobject\n",
      [""] = "table\ttrue\tobject\n",
    } do
      local ok, out = helper.lua(script, { env = { LUACUDA_ERRORS = value } })
      assert.is_true(ok, out)
      assert.equal(expected, out)
    end
    local ok, out = helper.lua(script, { env = { LUACUDA_ERRORS = "table" } })
    assert.is_false(ok)
    assert.matches("LUACUDA_ERRORS: expected 'object' or 'string', got 'table'", out, 1, true)
  end)
end)

describe("a host in C", function()
  teardown(helper.forget_host)

  local SCRIPT = [[
    local cuda = require "luacuda"
    cuda.use(arg[1])
    cuda.no_sync(cuda.synchronize)
  ]]
  local TEXT = "[^\n]*script.lua:3: synchronize waits for the device, which cuda.no_sync forbids\n"

  it("gets NULL for an object from lua_tostring, and its text from luaL_tolstring", function()
    assert.matches("^lua_tostring: NULL\nluaL_tolstring: " .. TEXT .. "$",
      helper.run_host("errors", SCRIPT, "cpu"))
  end)

  it("gets the text of a string from both", function()
    local want = "^lua_tostring: " .. TEXT .. "luaL_tolstring: " .. TEXT .. "$"
    assert.matches(want, helper.run_host("errors", SCRIPT, "cpu", { LUACUDA_ERRORS = "string" }))
    local set = SCRIPT:gsub("\n", [[ cuda.debug { errors = "string" }]] .. "\n", 1)
    assert.matches(want, helper.run_host("errors", set, "cpu"))
  end)

  -- The reason for the switch: lua_tostring converts strings and numbers only, whatever the
  -- metatable.
  it("gets NULL for any object, whatever its metatable", function()
    for _, value in ipairs {
      "setmetatable({}, { __tostring = function() return 'text' end, __name = 'text', __concat = "
        .. "function() return 'text' end })",
      "io.stdout",
    } do
      assert.matches("^lua_tostring: NULL\nluaL_tolstring: ",
        helper.run_host("errors", "error(" .. value .. ")", "cpu"))
    end
  end)
end)
