-- Programs in C: the functions of include/luacuda.h (spec/c/host_peer.c), and the example that
-- embeds Lua (examples/host).
local helper = require "spec.helper"
local cuda = require "luacuda"

local CPU = -1

-- Runs a shell command: its output, and whether it succeeded.
local function shell(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local output = pipe:read "a"
  return output, (pipe:close())
end

helper.for_each_device(function(device)
  local peer
  local number = device.kind == "cpu" and CPU or device.ordinal

  setup(function() peer = helper.c_module "host_peer" end)
  teardown(helper.forget_host)

  -- fn must call exactly n release functions, at the latest when its garbage is collected.
  local function releases(n, fn)
    local before = peer.released()
    fn()
    for _ = 1, 3 do collectgarbage() end
    assert.equal(n, peer.released() - before)
  end

  describe("luacuda.h", function()
    it("describes arrays", function()
      local a = cuda.zeros({ 3, 4 }, "int16")
      local host = device.kind == "cpu" and a.pointer or 0
      assert.same({ a.pointer, "int16", number, 12, 2, 3, 8, true, false, host },
        { peer.check(a) })
      local v = a:transpose()[2]
      assert.same({ v.pointer, "int16", number, 3, 1, 3, 8, false, false },
        { table.unpack({ peer.check(v) }, 1, 9) })
      assert.same({ CPU }, { (select(3, peer.check(cuda.pinned(3)))) })
      a:free()
      for _, wrong in ipairs { a, {}, 5, cuda.ptr(5) } do
        helper.contains(helper.error_of(peer.check, wrong), "luacuda.Array expected")
      end
    end)

    it("wraps memory of the program", function()
      local base = cuda.arange(12, "float32")
      releases(2, function()
        local a = peer.push { pointer = base.pointer, dtype = "float32", device = number,
          shape = { 3, 4 } }
        assert.equal(device, a.device)
        assert.equal(66.0, a:sum())
        local t = peer.push { pointer = base.pointer + 4, dtype = "float32", device = number,
          shape = { 4, 2 }, strides = { 4, 16 }, readonly = 1 }
        assert.is_true(t.is_readonly)
        assert.same({ { 1, 5 }, { 2, 6 }, { 3, 7 }, { 4, 8 } }, t:totable())
        local v = a:slice(2)
        a:free()
        collectgarbage()
        v:fill(1)
        assert.equal(1.0, base:item(8))
      end)
    end)

    it("releases memory that cannot be an array", function()
      local function refused(fields, words)
        releases(1, function() helper.contains(helper.error_of(peer.push, fields), words) end)
      end
      local base = cuda.zeros(4)
      refused({ pointer = base.pointer, dtype = "float33", shape = { 4 } }, "no dtype 'float33'")
      refused({ pointer = base.pointer, shape = { 4 } }, "no dtype 'NULL'")
      refused({ pointer = base.pointer, dtype = "float32", shape = {}, ndim = 17 }, "17 axes")
      refused({ pointer = base.pointer, dtype = "float32", shape = { 4 }, strides = { 3 } },
        "stride of 3 bytes")
      refused({ pointer = 0, dtype = "float32", shape = { 4 } }, "no memory")
      refused({ pointer = base.pointer, dtype = "float32", shape = { 4 }, device = 63 }, "GPU 63")
    end)

    it("keeps an array by a handle, for other states and after its own", function()
      for _, thread in ipairs { false, true } do
        local a = cuda.arange(10, "int32")
        local h = peer.retain(a:slice { 3, 6 })
        local pointer = a.pointer
        a:free()
        collectgarbage()
        local b, c = peer.push_handle(h), peer.push_handle(h)
        assert.equal(pointer + 8, b.pointer)
        local s = cuda.stream()
        for i = 1, 20 do b:fill(i, { stream = s }) end
        assert.same({ 20, 20, 20, 20 }, (c + 0):totable()) -- ordered after the other's work
        s:close()
        b:free()
        peer.release(h, thread)
        assert.equal(20, c:item(1))
      end
      local owner = { cuda.ones(3) }
      local watch = setmetatable({ owner }, { __mode = "v" })
      local h = peer.retain(cuda.wrap(owner[1].pointer, 3, { owner = owner }))
      owner = nil
      collectgarbage()
      collectgarbage()
      assert.is_table(watch[1] or owner)
      local a = peer.push_handle(h)
      peer.release(h)
      collectgarbage()
      assert.is_table(watch[1])
      assert.equal(3.0, a:sum())
      a:free()
      collectgarbage()
      collectgarbage()
      assert.is_nil(watch[1])
      helper.contains(helper.error_of(peer.retain, 5), "expected an Array")
      local P = cuda.struct("P", { { "x", "float32" } })
      helper.contains(helper.error_of(peer.retain, cuda.zeros(3, P)), "no structs")
    end)

    it("knows streams, and makes one current", function()
      local s = cuda.stream()
      local handle, d = peer.stream(s)
      assert.equal(number, d)
      assert.equal(s.pointer, peer.push_stream(handle, d).pointer)
      assert.is_true(peer.push_stream(nil, number).is_null)
      helper.contains(helper.error_of(peer.stream, cuda.zeros(1)), "luacuda.Stream expected")
      local before = cuda.use "cpu"
      peer.use(number, handle)
      assert.equal(device, cuda.device())
      assert.equal(s.pointer, device.stream.pointer)
      assert.equal(3.0, cuda.ones(3):sum())
      peer.use(number, nil)
      assert.is_true(device.stream.is_null)
      cuda.use(before)
      s:close()
      helper.contains(helper.error_of(peer.use, 63, nil), "63")
    end)

    it("waits, and passes DLPack tensors", function()
      local h = cuda.host(1000, "int32"):fill(3)
      peer.wait(h, true)
      for _, versioned in ipairs { true, false } do
        local a = peer.dlpack(h, versioned)
        assert.equal(h.pointer, a.pointer)
        assert.equal(3, a[1000])
      end
      helper.contains(helper.error_of(peer.wait, 5), "expected Array")
      helper.contains(helper.error_of(peer.dlpack, 5, true), "expected an Array")
      if device.kind == "cpu" then
        helper.contains(helper.error_of(cuda.no_sync, peer.wait, h), "no_sync")
      end
    end)
  end)

  if device.kind == "gpu" then
    it("leaves the context of the program current, whichever it is", function()
      local code = ([[
        local cuda = require "luacuda"
        local peer = assert(package.loadlib(%q, "luaopen_host_peer"))()
        local count = #cuda.devices() - 1
        local k = cuda.kernel "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }"
        local function work()
          for i = 0, count - 1 do
            cuda.use(i)
            local a = cuda.ones(100)
            for _ = 1, 100 do k({ grid = 1, block = 100, ordered = true }, a) a:fill(1) end
            k({ grid = 1, block = 100 }, a)
            assert(a:item(100) == 2 and a:sum() == 200)
            assert(not pcall(a.reshape, a, 7))
            assert(not pcall(cuda.wrap, 8, 4, "float32"))
            local s <close> = cuda.stream()
            cuda.graph(function() a:fill(3) end):launch(s):close()
            cuda.event():record(s):synchronize():close()
            cuda.zeros(10, { ipc = true }):ipc_handle()
          end
          collectgarbage()
          cuda.synchronize()
        end
        for dev = 0, count - 1 do
          for i = 1, 4 do assert(peer.with_context(dev, i > 2, work), dev) end
        end
        work()
        assert(peer.with_context(count - 1, false, function() end))
      ]]):format(helper.build_module "host_peer")
      for _, gpus in ipairs { 1, 2 } do
        local ok, out = helper.lua(code, { env = { LUACUDA_CPU_GPUS = gpus } })
        assert.is_true(ok, out)
      end
    end)
  end

  describe("the example of a host program", function()
    it("shares arrays with two Lua states and shows errors", function()
      local sanitizer = helper.sanitized and os.getenv "LUACUDA_TEST_SANITIZER" or ""
      local flags = sanitizer == "asan" and "-fsanitize=address,undefined" or ""
      local path = helper.tmpdir() .. "/host"
      local out, built = shell(("cc -std=c11 -Wall -Wextra -Werror %s -Iinclude "
        .. "-I/usr/include/lua5.4 -o %s examples/host/host.c -llua5.4"):format(flags, path))
      if not built then pending("no C compiler or no liblua: " .. out) end
      local printed, ok = shell(("LUA_PATH='%s' LUA_CPATH='%s' %s %s"):format(package.path,
        package.cpath, path, device.kind == "cpu" and "cpu" or "gpu"))
      assert.is_true(ok, printed)
      local lines = {}
      for line in printed:gmatch "[^\n]+" do lines[#lines + 1] = line end
      assert.equal("float32: 1 3 5 7 9", lines[1], printed)
      assert.matches("^error: .*reshape", lines[2])
      assert.equal("the buffer is free again", lines[3])
      assert.equal("float32: 1 3 5 7 9", lines[4])
      assert.equal("error: and this is an error of the program", lines[5])
      assert.is_nil(lines[6], printed)
    end)
  end)
end)

describe("luacuda.h", function()
  it("can be included in C++", function()
    if not shell "command -v c++":find "c++" then pending "no C++ compiler" end
    local source = helper.tmpdir() .. "/host.cpp"
    helper.write_file(source, "#include <luacuda.h>\n"
      .. "int main () { return luacuda_open(nullptr)->abi == LUACUDA_ABI; }\n")
    local out, ok = shell("c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -Iinclude "
      .. "-I/usr/include/lua5.4 " .. source)
    assert.is_true(ok, out)
  end)
end)
