-- Arrays that several processes use.
local helper = require "spec.helper"
local handles = require "spec.support.handles"
local cuda = require "luacuda"

-- Runs code in a child with the handles as `given`, on the device of that name.
local function child(name, code, ...)
  local args = {}
  for i, handle in ipairs { ... } do args[i] = handles.hex(handle) end
  local ok, out = helper.lua(handles.PRELUDE .. code,
    { args = args, env = { LUACUDA_DEVICE = (name:gsub("^gpu", "")) } })
  assert.is_true(ok, out)
  return out
end

local rng = helper.random(7919)

-- Random bytes as elements of any dtype, and as a list of integers.
local function random_ints(n)
  local list = {}
  for i = 1, n do list[i] = rng(2000) - 1000 end
  return list
end

helper.for_each_device(function(device, name)
  describe("memory of several processes", function()
    teardown(helper.forget_host)

    it("is read and written by both", function()
      for _, n in ipairs { 1, 7, 1000, 70000 } do
        local data = random_ints(n)
        local a <close> = cuda.array(data, "int32", { ipc = true })
        local out = child(name, [[
          local a = cuda.open_ipc(given[1])
          assert(a.device.kind == cuda.device().kind and a.memory == "device")
          assert(a.dtype == "int32" and a.ndim == 1)
          print(a:sum())
          cuda.add(cuda.multiply(a, 3), 1, { out = a })
          a:close()
        ]], a:ipc_handle())
        local sum = 0
        for i, v in ipairs(data) do
          sum = sum + v
          data[i] = 3 * v + 1
        end
        assert.equal(sum .. "\n", out)
        assert.same(data, a:totable())
      end
    end)

    it("keeps shape, strides, offset and dtype", function()
      local whole <close> = cuda.array(random_ints(4 * 6 * 5), "int32", { ipc = true })
      local cube = whole:reshape { 4, 6, 5 }
      local views = {
        cube, cube:transpose(), cube:slice({ 2, 4, 2 }, 3), cube:slice(1, { 6, 1, -2 }, {}),
        cube:slice(2, 3, 4), cube:slice({}, {}, { 3, 2 }), cube:slice(1):view "uint8",
        cube:slice(1, 1, 1):reshape {}:broadcast_to { 2, 3 },
      }
      local given, want = {}, {}
      for i, view in ipairs(views) do
        given[i] = view:ipc_handle()
        want[i] = ("%s %s %s %s"):format(view.dtype, tostring(view.shape),
          tostring(view.strides), handles.hex(view:tobytes()))
      end
      local out = child(name, [[
        for i = 1, #given do
          local v = cuda.open_ipc(given[i])
          print(("%s %s %s %s"):format(v.dtype, tostring(v.shape), tostring(v.strides),
            (v:tobytes():gsub(".", function(c) return ("%02x"):format(c:byte()) end))))
        end
      ]], table.unpack(given))
      assert.equal(table.concat(want, "\n") .. "\n", out)
      assert.equal(whole:tobytes(), cube:tobytes())
      cube:close()
      for _, view in ipairs(views) do view:close() end
    end)

    it("has every dtype, also a struct that both declare", function()
      helper.for_all_dtypes(function(dtype)
        local a <close> = cuda.ones({ 2, 3 }, dtype, { ipc = true })
        local again <close> = cuda.open_ipc(a:ipc_handle())
        assert.equal(dtype, again.dtype)
        assert.is_true(again:equals(a))
      end)
      local code = [[
        local particle = cuda.struct("particle", { { "x", "float32" }, { "n", "int32" } })
      ]]
      local particle = cuda.struct("particle", { { "x", "float32" }, { "n", "int32" } })
      local a <close> = cuda.zeros(3, particle, { ipc = true })
      a[2] = { x = 1.5, n = 7 }
      local out = child(name, code .. [[
        raises("the elements are structs 'particle' of 8 bytes: declare the struct with "
          .. "cuda.struct and give it as option 'dtype'", cuda.open_ipc, given[1])
        local other = cuda.struct("particle", { { "x", "float32" } })
        raises("the elements are particle of 8 bytes, not particle of 4", cuda.open_ipc, given[1],
          { dtype = other })
        local p = cuda.open_ipc(given[1], { dtype = particle })
        print(p[2].x, p[2].n)
        p[3] = { x = 2, n = 9 }
      ]], a:ipc_handle())
      assert.equal("1.5\t7\n", out)
      assert.equal(9, a[3].n)
    end)

    it("may be empty", function()
      local a <close> = cuda.zeros({ 3, 0 }, "float64", { ipc = true })
      child(name, [[
        local a = cuda.open_ipc(given[1])
        assert(a.size == 0 and a.shape[1] == 3 and a.dtype == "float64")
        assert(#a:totable() == 3)
      ]], a:ipc_handle())
    end)

    it("is made by every function that makes arrays", function()
      local like <close> = cuda.arange(4, "int16")
      local made = {
        cuda.empty(3, { ipc = true }), cuda.zeros(3, "int8", { ipc = true }),
        cuda.ones({ 2, 2 }, { ipc = true }), cuda.full(2, 5, { ipc = true }),
        cuda.arange(5, { ipc = true }), cuda.linspace(0, 1, 5, "float64", { ipc = true }),
        cuda.eye(3, { ipc = true }), cuda.array({ { 1, 2 }, { 3, 4 } }, { ipc = true }),
        cuda.array("abcd", "int16", { ipc = true }), cuda.array(like, { ipc = true }),
        cuda.array(3, { ipc = true }), cuda.empty_like(like, { ipc = true }),
        cuda.zeros_like(like, { ipc = true }), cuda.ones_like(like, { ipc = true }),
        cuda.full_like(like, 3, { ipc = true }),
      }
      for i, a in ipairs(made) do
        local again <close> = cuda.open_ipc(a:ipc_handle())
        assert.equal(a.pointer, again.pointer, i)
        assert.equal(device, a.device)
        a:close()
      end
    end)

    it("is found, not opened, in the process that made it", function()
      local a = cuda.arange(6, "int32", { ipc = true })
      local handle = a:slice({ 2, 5 }):ipc_handle()
      collectgarbage()
      collectgarbage()
      local b = cuda.open_ipc(handle)
      a:close()
      b:fill(4)
      assert.same({ 4, 4, 4, 4 }, b:totable())
      local c = cuda.open_ipc(handle)
      assert.equal(b.pointer, c.pointer)
      b:close()
      c:close()
      local e = helper.error_of(cuda.open_ipc, handle)
      assert.equal("logic", e.kind)
      helper.contains(e, "this process made the handle, and has closed its array")
    end)

    it("is one more array for another Lua state of the process", function()
      local path = helper.tmpdir() .. "/handle"
      local out = helper.run_host("turns", ([[
        local cuda = require "luacuda"
        cuda.use(arg[1])
        local me, path, a = arg.thread, %q, nil
        function turn(n)
          if me == 1 and n == 1 then
            a = cuda.arange(1000, "int32", { ipc = true })
            assert(assert(io.open(path, "wb")):write(a:ipc_handle())):close()
          elseif me == 2 and n == 1 then
            a = cuda.open_ipc(assert(io.open(path, "rb")):read "a")
            local s <close> = cuda.stream()
            cuda.with_stream(s, function() cuda.add(a, 1, { out = a }) end)
          elseif me == 1 and n == 2 then
            assert(a:item(1000) == 1000)
            a:fill(5):close()
          elseif me == 2 and n == 3 then
            assert(a:sum() == 5000)
          end
          return n < 3
        end
      ]]):format(path), name)
      assert.equal("state 1 closed\nstate 2 closed\n", out)
    end)

    it("is one block for threads that open it at the same moment", function()
      local path = helper.tmpdir() .. "/handle"
      local a <close> = cuda.arange(1000, "int32", { ipc = true })
      helper.write_file(path, a:ipc_handle())
      local out = helper.run_host("threads 4 3", ([[
        local cuda = require "luacuda"
        cuda.use(arg[1])
        local handle = assert(io.open(%q, "rb")):read "a"
        local core = require "luacuda.core"
        for _ = 1, 500 do
          local a <close>, b = cuda.open_ipc(handle), cuda.open_ipc(handle)
          assert(core._block(a) == core._block(b))
          b:close()
          assert(a:item(1000) == 999)
        end
      ]]):format(path), name)
      assert.equal("", out)
    end)

    it("has one address, however often it is opened and closed", function()
      local a <close> = cuda.arange(1000, "int32", { ipc = true })
      child(name, [[
        local core = require "luacuda.core"
        local first = cuda.open_ipc(given[1])
        local open = { first }
        for i = 2, 6 do
          open[i] = cuda.open_ipc(given[i % 2 + 1])
          assert(open[i].pointer - open[1].pointer == (i % 2) * 40, i)
        end
        local s <close> = cuda.stream()
        for _, i in ipairs { 3, 1, 6, 2, 4 } do -- work queued on each comes before the close
          cuda.with_stream(s, function() open[i]:fill(i) end)
          open[i]:close()
        end
        assert(open[5]:item(5) == 4)
        open[5]:close()
        local again = cuda.open_ipc(given[1])
        assert(again:item(5) == 4)
        again:free()
        again:free()
        s:close()
        collectgarbage()
        collectgarbage()
        cuda.synchronize()
        collectgarbage()
        assert(core._live().block == 0, core._live().block)
      ]], a:ipc_handle(), a:slice({ 11, 1000 }):ipc_handle())
      assert.equal(4, a:item(1))
    end)

    it("goes on to a third process under its own handle", function()
      local a <close> = cuda.zeros(5, "int32", { ipc = true })
      local out = child(name, [[
        local b = cuda.open_ipc(given[1]):slice { 2, 3 }
        io.write(b:ipc_handle())
      ]], a:ipc_handle())
      child(name, "cuda.open_ipc(given[1]):fill(8)", out)
      assert.same({ 0, 8, 8, 0, 0 }, a:totable())
    end)

    it("orders work of this process on several streams", function()
      local n = 1 << 14
      local a <close> = cuda.zeros(n, "int32", { ipc = true })
      child(name, ([[
        local n = %d
        local x, y = cuda.open_ipc(given[1]), cuda.open_ipc(given[1])
        local s <close> = cuda.stream()
        local t <close> = cuda.stream()
        for i = 1, 20 do
          cuda.with_stream(s, function() cuda.add(x, 1, { out = x }) end)
          cuda.with_stream(t, function() cuda.multiply(y, 2, { out = y }) end)
        end
        assert(x:item(n) == 2 * ((1 << 20) - 1), x:item(n))
        x:close()
        y:close()
      ]]):format(n), a:ipc_handle())
      assert.equal(2 * ((1 << 20) - 1), a:item(1))
    end)

    it("cannot be opened when its process has ended, or has freed it", function()
      local out = child(name, [[
        io.write(cuda.zeros(5, "int32", { ipc = true }):ipc_handle())
        os.exit(true, false)
      ]])
      local e = helper.error_of(cuda.open_ipc, out)
      assert.is_true(cuda.is_error(e), tostring(e))
      assert.equal("cuIpcOpenMemHandle", e.call)
      helper.contains(e, ", which made the handle, ")
      local a = cuda.zeros(5, { ipc = true })
      local handle = a:ipc_handle()
      a:close()
      cuda.synchronize()
      if name == "cpu" or helper.fake_gpu then -- undefined on a GPU
        child(name, [[
          raises(", which made the handle, ", cuda.open_ipc, given[1])
        ]], handle)
      end
    end)

    it("keeps what a process wrote that has ended", function()
      local a <close> = cuda.zeros(5, "int32", { ipc = true })
      child(name, [[
        cuda.open_ipc(given[1]):fill(3)
        cuda.synchronize()
        os.exit(true, false)
      ]], a:ipc_handle())
      assert.same({ 3, 3, 3, 3, 3 }, a:totable())
    end)
  end)

  describe("handles of arrays", function()
    local a, handle
    before_each(function()
      a = cuda.arange(12, "int32", { ipc = true })
      handle = a:ipc_handle()
    end)
    after_each(function()
      a:close()
      a = nil
    end)

    local function refused(text, ...)
      assert.equal("open_ipc: argument 1 'handle': " .. text,
        helper.misuse(cuda.open_ipc, ...))
    end

    it("are refused if they are not whole", function()
      local foreign = "the string is not a handle of array:ipc_handle or event:ipc_handle"
      refused(foreign, "")
      refused(foreign, "LCUIP")
      refused(foreign, ("x"):rep(200))
      for _, n in ipairs { 6, 8, 15, 16, 115, 116, 140, #handle - 1 } do
        refused(("the handle is incomplete: it has %d bytes"):format(n), handle:sub(1, n))
      end
      refused(("the handle is incomplete: it has %d bytes"):format(#handle + 1), handle .. "x")
      refused("the handle has version 2, this LuaCUDA reads version 1",
        handle:sub(1, 6) .. "\2" .. handle:sub(8))
      refused("expected a string from array:ipc_handle or event:ipc_handle, got integer", 12)
      refused("expected a string from array:ipc_handle or event:ipc_handle, got Array int32 {12}",
        a)
    end)

    it("are refused for every byte that is changed", function()
      for i = 13, #handle do
        local byte = string.char(handle:byte(i) ~ (1 + rng(255)))
        refused("the handle is damaged: its checksum is wrong",
          handle:sub(1, i - 1) .. byte .. handle:sub(i + 1))
      end
    end)

    it("are refused for elements outside the memory", function()
      local outside = "its elements lie outside its memory"
      local function number(v) return ("<i8"):pack(v) end
      for _, patch in ipairs {
        { 124, 4 }, { 124, -4 }, { 124, 2 }, { 124, math.maxinteger - 3 }, { 140, 13 },
        { 140, -1 }, { 140, math.maxinteger }, { 148, 8 }, { 148, -4 }, { 148, 3 },
        { 148, math.mininteger }, { 116, 40 }, { 116, -1 },
      } do
        refused(outside, handles.patched(handle, patch[1], number(patch[2])))
      end
      refused("the elements are int32 of 8 bytes, not int32 of 4",
        handles.patched(handle, 132, "\8"))
      refused("the handle is damaged: its checksum is wrong", handles.patched(handle, 136, "\17"))
      refused("the handle is damaged: its checksum is wrong", handles.patched(handle, 7, "\3"))
      local big = handles.patched(handles.patched(handle, 116, number(1 << 40)), 140,
        number(1 << 38))
      refused(outside, big)
    end)

    it("are refused by a process that has no such device", function()
      local e = helper.error_of(cuda.open_ipc,
        handles.patched(handle, 36, ("\xab\xcd"):rep(8)))
      assert.equal("LUACUDA_ERROR_NOT_FOUND", e.name)
      helper.contains(e, "the handle is of device "
        .. "GPU-abcdabcd-abcd-abcd-abcd-abcdabcdabcd, which this process does not see")
    end)

    it("raise nothing but errors for users, whatever the bytes", function()
      for _ = 1, 400 do
        local text = handle
        for _ = 1, 1 + rng(4) do
          text = handles.patched(text, 16 + rng(#text - 16), string.char(rng(256)))
        end
        local ok, found = pcall(cuda.open_ipc, text)
        if ok then
          assert.is_true(found.nbytes > 1e6 or #found:tobytes() == found.nbytes)
          found:close()
        else
          assert.is_true(cuda.is_error(found) or found:find("open_ipc", 1, true) ~= nil,
            tostring(found))
        end
      end
    end)

    it("exist only of memory outside the pool", function()
      local text = "array:ipc_handle: other processes can open only arrays made with { ipc = true }"
        .. ", outside the pool; copy this one: cuda.array(a, { ipc = true })"
      assert.equal(text, helper.misuse(function() return cuda.zeros(3):ipc_handle() end))
      assert.equal(text, helper.misuse(function() return cuda.host(3):ipc_handle() end))
      assert.equal(text, helper.misuse(function() return cuda.pinned(3):ipc_handle() end))
      local copy <close> = cuda.array(cuda.arange(3, "int16"), { ipc = true })
      assert.equal("int16", copy.dtype)
      assert.is_string(copy:ipc_handle())
    end)

    it("need options that fit", function()
      helper.contains(helper.misuse(cuda.open_ipc, handle, { dtypes = 1 }), "did you mean 'dtype'")
      helper.contains(helper.misuse(cuda.open_ipc, handle, {}, 3), "too many arguments")
      refused("the elements are int32 of 4 bytes, not float32 of 4", handle,
        { dtype = "float32" })
      assert.equal("zeros: options 'ipc' and 'out' exclude each other",
        helper.misuse(cuda.zeros, 12, { ipc = true, out = a }))
      assert.equal("empty: options 'reserve' and 'ipc' exclude each other",
        helper.misuse(cuda.empty, 12, { ipc = true, reserve = 20 }))
      helper.contains(helper.misuse(cuda.zeros, 3, { ipc = 1 }), "option 'ipc'")
    end)

    it("and memory for others are not made in a graph", function()
      cuda.graph(function()
        local e = helper.error_of(cuda.zeros, 3, { ipc = true })
        helper.contains(e, "option 'ipc'")
        helper.contains(helper.error_of(cuda.open_ipc, handle), "open_ipc")
      end):close()
    end)
  end)
end)
