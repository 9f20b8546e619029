-- The disk cache: warm starts, keys, damage, read-only folders, and concurrent processes.
local helper = require "spec.helper"

local SOURCE = [[
  local cuda = require "luacuda"
  local k = cuda.kernel([==[
    __global__ void twice(float *x, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) x[i] *= 2;
    }]==], OPTIONS)
  local x = cuda.ones(100)
  k({ threads = 100 }, x, 100)
  assert(x[100] == 2, "wrong result")
  local s = cuda.cache.stats()
  io.write(("hits=%d written=%d damaged=%d failed=%d files=%d")
    :format(s.hits, s.written, s.damaged, s.failed, s.files))
]]

-- Runs the program with the cache in `dir` and returns its counts. What the CPU device compiles has
-- files of its own there.
local function run(dir, options, env)
  local ok, out = helper.lua("OPTIONS = " .. (options or "nil") .. "\n" .. SOURCE, { env = {
    LUACUDA_CACHE_DIR = dir, LUACUDA_DISABLE_CACHE = env and env.disable or "",
    LUACUDA_DEVICE = "cpu", LUACUDA_CPU_JIT = "off",
  } })
  assert.is_true(ok, out)
  local counts = {}
  for name, value in out:gmatch("(%l+)=(%d+)") do counts[name] = tonumber(value) end
  return counts
end

-- Entries only: the record of the toolchain is in the folder itself.
local function files_of(dir)
  local list = {}
  local p = assert(io.popen("find '" .. dir .. "' -mindepth 2 -type f"))
  for line in p:lines() do list[#list + 1] = line end
  p:close()
  return list
end

describe("disk cache", function()
  it("is written once and read by the next process", function()
    local dir = helper.tmpdir()
    assert.equal(1, run(dir).written)
    local second = run(dir)
    assert.equal(0, second.written)
    assert.equal(1, second.hits)
    assert.equal(1, second.files)
  end)

  it("is not used when disabled", function()
    local dir = helper.tmpdir()
    assert.equal(0, run(dir, nil, { disable = "1" }).written)
    assert.equal(0, run(dir, "{ cache = false }").written)
    assert.same({}, files_of(dir))
  end)

  it("has a key that covers the options", function()
    local dir = helper.tmpdir()
    run(dir)
    assert.equal(1, run(dir, "{ defines = { N = 1 } }").written)
    assert.equal(1, run(dir, "{ defines = { N = 2 } }").written)
    assert.equal(1, run(dir, "{ fast_math = true }").written)
    assert.equal(0, run(dir, "{ defines = { N = 2 } }").written)
  end)

  it("notices a changed header, also one included by a header", function()
    local dir, inc = helper.tmpdir(), helper.tmpdir()
    helper.write_file(inc .. "/outer.h", '#include "inner.h"\n')
    helper.write_file(inc .. "/inner.h", "#define FACTOR 2\n")
    local code = [[
      local cuda = require "luacuda"
      local k = cuda.kernel('#include "outer.h"\n__global__ void k(int *p) { *p = FACTOR; }',
        { include_dirs = { "%s" } })
      local p = cuda.zeros(1, "int32")
      k({ grid = 1, block = 1 }, p)
      io.write(p[1], " ", cuda.cache.stats().written)
    ]]
    local function go()
      local ok, out = helper.lua(code:format(inc),
        { env = { LUACUDA_CACHE_DIR = dir, LUACUDA_DEVICE = "cpu" } })
      assert.is_true(ok, out)
      return out
    end
    assert.equal("2 1", go())
    assert.equal("2 0", go())
    helper.write_file(inc .. "/inner.h", "#define FACTOR 5\n")
    assert.equal("5 1", go())
  end)

  it("does not read CUDA's own headers when their folder is given", function()
    local ok, out = helper.lua([[
      local cuda, core = require "luacuda", require "luacuda.core"
      local folder, reads, read = core.nvrtc().include_dir, 0, core.file_read
      core.file_read = function(path)
        if path:sub(1, #folder) == folder then reads = reads + 1 end
        return read(path)
      end
      local k = cuda.kernel("#include <cuda_fp16.h>\n__global__ void k(__half *p) { *p = 1; }",
        { include_dirs = { folder } })
      k:compile()
      io.write(reads, " ", cuda.cache.stats().written)
    ]], { env = {
      LUACUDA_CACHE_DIR = helper.tmpdir(), LUACUDA_DISABLE_CACHE = "", LUACUDA_DEVICE = "cpu",
    } })
    assert.is_true(ok, out)
    assert.equal("0 1", out)
  end)

  it("survives any damage and rebuilds the entry", function()
    local dir = helper.tmpdir()
    run(dir)
    local path = files_of(dir)[1]
    local good = helper.read_file(path)
    local flipped = good:sub(1, 200) .. string.char(good:byte(201) ~ 1) .. good:sub(202)
    for what, bytes in pairs{
      empty = "", truncated = good:sub(1, #good // 2), short = good:sub(1, 20),
      foreign = "not ours\n" .. good, flipped = flipped, longer = good .. "x",
      header = good:sub(1, 81),
    } do
      helper.write_file(path, bytes)
      local counts = run(dir)
      assert.equal(1, counts.damaged, what)
      assert.equal(1, counts.written, what)
      assert.equal(good, helper.read_file(path), what)
    end
  end)

  it("removes a file with any byte changed, and warns once", function()
    local ok, out = helper.lua([[
      warn "@on"
      local cache = require "luacuda.compile.cache"
      local key = ("01"):rep(32)
      local path = arg[1] .. "/01/" .. key:sub(3)
      local size = math.huge
      for at = 0, 10000 do
        if at >= size then break end
        cache.write(key, { 1 }, arg[1])
        assert(cache.read(key, arg[1])[1] == 1)
        local file = io.open(path, "r+b")
        size = file:seek "end"
        file:seek("set", at)
        local byte = file:read(1):byte()
        file:seek("set", at)
        file:write(string.char(byte ~ 1))
        file:close()
        assert(cache.has(key, arg[1]) and cache.read(key, arg[1]) == nil, at)
        assert(not cache.has(key, arg[1]) and not io.open(path))
      end
      assert(size > 100 and cache.stats.damaged == size)
    ]], { args = { helper.tmpdir() }, env = { LUACUDA_DISABLE_CACHE = "" } })
    assert.is_true(ok, out)
    assert.matches("^Lua warning: luacuda: a damaged cache file was removed: /%S+/01/0101%x+\n$",
      out)
  end)

  it("does not confuse entries", function()
    local dir = helper.tmpdir()
    run(dir)
    local one = files_of(dir)[1]
    run(dir, "{ fast_math = true }")
    local other
    for _, path in ipairs(files_of(dir)) do if path ~= one then other = path end end
    helper.write_file(other, helper.read_file(one))
    assert.equal(1, run(dir, "{ fast_math = true }").damaged)
  end)

  it("never breaks a launch if nothing can be written", function()
    local file = helper.tmpdir() .. "/a_file"
    helper.write_file(file, "")
    for _, dir in ipairs{ "/proc/luacuda", file .. "/below", "/dev/null/x" } do
      local counts = run(dir)
      assert.equal(0, counts.written)
      assert.equal(1, counts.failed)
    end
  end)

  it("is safe for 20 processes that start with one empty cache", function()
    local dir = helper.tmpdir()
    local script = helper.tmpdir() .. "/job.lua"
    helper.write_file(script, "OPTIONS = nil\n" .. SOURCE)
    local ok, out = helper.lua(([[
      local words = "for i in $(seq 20); do %s & done; wait"
      local p = assert(
        io.popen(words:format((os.getenv "LUACUDA_LUA" or arg[-1]) .. " " .. arg[1]) .. " 2>&1"))
      io.write(p:read("a"))
    ]]):format("%s"), { args = { script }, timeout = 120,
      env = { LUACUDA_CACHE_DIR = dir, LUACUDA_DEVICE = "cpu", LUACUDA_DISABLE_CACHE = "",
        LUACUDA_CPU_JIT = "off" } })
    assert.is_true(ok, out)
    local _, count = out:gsub("hits=", "")
    assert.equal(20, count, out)
    assert.equal(1, #files_of(dir))
    assert.equal(1, run(dir).hits)
  end)

  it("notices that the compiler was replaced", function()
    local dir, home = helper.tmpdir(), helper.tmpdir()
    local library = require("luacuda.core").nvrtc().path
    local code = [[
      local toolchain = require "luacuda.compile.toolchain"
      local core = require "luacuda.core"
      local opens, real = 0, core.nvrtc
      core.nvrtc = function() opens = opens + 1 return real() end
      toolchain.known()
      io.write(opens)
    ]]
    local link = home .. "/libnvrtc.so.13"
    os.execute(("ln -s '%s' '%s'"):format(library, link))
    local env = { LUACUDA_CACHE_DIR = dir, LUACUDA_NVRTC = link, LUACUDA_DISABLE_CACHE = "" }
    local function opens()
      local ok, out = helper.lua(code, { env = env })
      assert.is_true(ok, out)
      return out
    end
    assert.equal("1", opens())
    assert.equal("0", opens())
    env.LUACUDA_SITE_PACKAGES = "/elsewhere"
    assert.equal("1", opens())
    local record = dir .. "/toolchain"
    helper.write_file(record, helper.read_file(record):sub(1, -2))
    assert.equal("1", opens())
    assert.equal("0", opens())
  end)

  it("is cleared and counted by cuda.cache", function()
    local ok, out = helper.lua([[
      local cuda = require "luacuda"
      local function make() cuda.kernel("__global__ void k(int *p) { *p = 1; }"):compile() end
      make()
      assert(cuda.cache.stats().files == 1 and cuda.cache.stats().bytes > 100)
      assert(cuda.cache.clear() > 100)
      assert(cuda.cache.stats().files == 0)
      make()
      assert(cuda.cache.stats().files == 1)
      io.write(cuda.cache.dir())
    ]], { env = {
      LUACUDA_CACHE_DIR = helper.tmpdir(), LUACUDA_DEVICE = "cpu", LUACUDA_DISABLE_CACHE = "",
    } })
    assert.is_true(ok, out)
    assert.truthy(out:find("^/"))
  end)
end)

-- Files in the cache that this user did not write: the library neither waits for them nor trusts
-- them.
describe("a cache entry", function()
  -- Runs the program, runs `spoil` on the entry's path, runs it again: the counts of the second
  -- run, and the entry's path.
  local function spoiled(spoil)
    local dir = helper.tmpdir()
    run(dir)
    local path = files_of(dir)[1]
    spoil(helper.shell_quote(path), path, dir)
    return run(dir), path, dir
  end

  local function sh(command, ...) assert(os.execute(command:format(...))) end

  local function mode(path)
    local p = assert(io.popen("stat -c %a " .. helper.shell_quote(path)))
    local text = p:read "l"
    p:close()
    return text
  end

  local cases = {
    { "a pipe", function(q) sh("rm %s; mkfifo %s", q, q) end },
    { "a file of 8 GB", function(q) sh("truncate -s 8G %s", q) end },
    { "a link to a device", function(q) sh("rm %s; ln -s /dev/zero %s", q, q) end },
    { "a link to a good entry", function(q) sh("mv %s %s.good; ln -s %s.good %s", q, q, q, q) end },
    { "a file that others may write", function(q) sh("chmod 0622 %s", q) end },
  }
  for _, case in ipairs(cases) do
    it("that is " .. case[1] .. " is rebuilt", function()
      local counts, path, dir = spoiled(case[2])
      assert.equal(0, counts.hits)
      assert.equal(1, counts.written)
      assert.equal("600", mode(path))
      assert.equal(1, run(dir).hits)
    end)
  end

  it("of another user is rebuilt", function()
    if not os.execute "test $(id -u) = 0" then return pending "needs root" end
    local counts = spoiled(function(q) sh("chown 12345 %s", q) end)
    assert.same({ 0, 1 }, { counts.hits, counts.written })
  end)

  it("and its folders are accessible to this user alone", function()
    local dir = helper.tmpdir() .. "/new/deeper"
    run(dir)
    local path = files_of(dir)[1]
    assert.equal("600", mode(path))
    assert.equal("600", mode(dir .. "/toolchain"))
    assert.equal("700", mode(path:match "^(.*)/"))
    assert.equal("700", mode(dir))
    assert.equal("700", mode(dir:match "^(.*)/"))
  end)

  it("with the name of the toolchain's record may be anything", function()
    for _, spoil in ipairs {
      "rm %s; mkfifo %s", "truncate -s 8G %s; : %s", "rm %s; ln -s /dev/zero %s",
    } do
      local dir = helper.tmpdir()
      run(dir)
      local record = helper.shell_quote(dir .. "/toolchain")
      sh(spoil, record, record)
      assert.equal(1, run(dir).hits)
    end
  end)
end)

describe("a start with a warm cache", function()
  -- Reading the files of the library is most of what a short process takes.
  it("loads nothing that only compiling or a message needs", function()
    local dir = helper.tmpdir()
    run(dir)
    local ok, out = helper.lua("OPTIONS = nil\n" .. SOURCE .. [[
      for name in pairs(package.loaded) do io.write("\n", name) end
    ]], { env = { LUACUDA_CACHE_DIR = dir, LUACUDA_DEVICE = "cpu", LUACUDA_DISABLE_CACHE = "" } })
    assert.is_true(ok, out)
    assert.match("hits=1", out)
    for _, name in ipairs { "base.arguments", "base.class", "base.lists", "base.notes",
      "compile.arch", "compile.binary", "compile.compiler", "compile.encode", "compile.entries",
      "compile.included", "compile.keep", "compile.make", "kernel.code", "kernel.log",
      "kernel.lookup", "kernel.methods", "kernel.ptx_error", "kernel.refusals", "kernel.staging",
      "methods", "source.faults", "source.linking", "source.options", "source.outline",
      "source.positions", "source.settings", "source.template", "source.tokens" } do
      assert.is_nil(out:find("\nluacuda." .. name .. "%f[\n\0]"), name)
    end
  end)
end)

describe("the key of a cache entry", function()
  -- The number of entries, as text, that a process with a toolchain modified by `change` writes.
  local function written(dir, change)
    local ok, out = helper.lua([[
      local toolchain = require "luacuda.compile.toolchain"
      local known, open = toolchain.known, toolchain.open
      local function changed(n)
        local copy = {}
        for k, v in pairs(n) do copy[k] = v end
        ]] .. change .. [[

        return copy
      end
      toolchain.known = function() return changed(known()) end
      toolchain.open = function() return changed(open()) end
      local cuda = require "luacuda"
      local k = cuda.kernel "#include <cuda_fp16.h>\n__global__ void k(__half *p) { *p = 1; }"
      k({ grid = 1, block = 1 }, cuda.zeros(1, "float16"))
      io.write(cuda.cache.stats().written)
    ]], { env = { LUACUDA_CACHE_DIR = dir, LUACUDA_DISABLE_CACHE = "", LUACUDA_DEVICE = "cpu" } })
    assert.is_true(ok, out)
    return out
  end

  it("covers the compiler's version and file, and the headers' timestamps", function()
    local dir = helper.tmpdir()
    assert.equal("1", written(dir, ""))
    assert.equal("0", written(dir, ""))
    for _, field in ipairs { "minor", "path_stamp", "headers_stamp" } do
      local change = ("copy.%s = copy.%s .. '7'"):format(field, field)
      assert.equal("1", written(dir, change), change)
      assert.equal("0", written(dir, change), change)
    end
  end)
end)
