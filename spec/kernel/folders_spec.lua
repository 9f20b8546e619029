-- Folders and flags of compilations: keep, cache_dir, LUACUDA_FLAGS.
local helper = require "spec.helper"
local cuda = require "luacuda"

local ONE = { grid = 1, block = 1 }

-- A source that no run has compiled before.
local function unique()
  return ("__global__ void k(int *x) { *x = %d; }"):format(math.random(1 << 30))
end

local function files_in(dir)
  local list = {}
  for name in io.popen(("find %s -type f | sort"):format(dir)):lines() do list[#list + 1] = name end
  return list
end

helper.for_each_device(function(device)
  describe("the option keep", function()
    it("writes source, code and log, also of code from the cache", function()
      local text = unique()
      for _ = 1, 2 do
        local dir = helper.tmpdir()
        cuda.kernel(text, { keep = dir .. "/kept" }):compile()
        local list = files_in(dir .. "/kept")
        assert.are.equal(3, #list)
        local stem = list[1]:match "^(.*)%.%w+$"
        assert.are.equal(text, helper.read_file(stem .. ".cu"))
        assert.are.equal("", helper.read_file(stem .. ".log"))
        if device.kind == "cpu" then
          assert.truthy(helper.read_file(stem .. ".ptx"):find(".visible .entry", 1, true))
        end
      end
    end)

    it("names the files of a linked module after its sources", function()
      local dir = helper.tmpdir()
      helper.write_file(dir .. "/part.cu", "__device__ int v = 3;")
      cuda.module { keep = dir .. "/kept", sources = { dir .. "/part.cu", unique() } }:compile()
      assert.are.equal(6, #files_in(dir .. "/kept"))
      assert.are.equal("__device__ int v = 3;", helper.read_file(dir .. "/kept/part.cu"))
    end)

    it("says why it cannot write", function()
      local ok, e = pcall(function()
        cuda.kernel(unique(), { keep = "/proc/nowhere" }):compile()
      end)
      assert.is_false(ok)
      assert.is_true(cuda.is_error(e, "runtime"), tostring(e))
      assert.truthy(tostring(e):find("keep: ", 1, true))
      assert.truthy(helper.misuse(cuda.kernel, unique(), { keep = 3 }):find("expected string", 1,
        true))
    end)
  end)

  describe("the option cache_dir", function()
    it("keeps compiled code there", function()
      local dir, text = helper.tmpdir(), unique()
      cuda.kernel(text, { cache_dir = dir }):compile()
      assert.are.equal(1, #files_in(dir))
      local before = cuda.cache.stats()
      local x = cuda.zeros(1, "int32")
      cuda.kernel(text, { cache_dir = dir })(ONE, x)
      assert.are.equal(before.misses, cuda.cache.stats().misses)
      assert.are.equal(tonumber(text:match "= (%d+)"), x[1])
    end)
  end)

  describe("LUACUDA_FLAGS", function()
    it("adds flags to every compilation, before those of the call", function()
      local ok, out = helper.lua(([[
        local cuda = require "luacuda"
        cuda.use(%s)
        local x = cuda.zeros(1, "int32")
        cuda.kernel("__global__ void k(int *x) { *x = A + B; }", { flags = "-DB=2" })(
          { grid = 1, block = 1 }, x)
        print(x[1])
      ]]):format(device.kind == "cpu" and "'cpu'" or device.ordinal),
        { env = { LUACUDA_FLAGS = "-DA=40 -w" } })
      assert.is_true(ok, out)
      assert.are.equal("42", (out:gsub("%s+$", "")))
    end)
  end)
end)
