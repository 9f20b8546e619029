local helper = require "spec.helper"

-- fork() needs a few lines of C: a module with fork, wait and _exit.
local FORK_C = [[
#include <lauxlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int l_fork (lua_State *L) { lua_pushinteger(L, fork()); return 1; }
static int l_wait (lua_State *L) {
  int status = 0;
  waitpid((pid_t)luaL_checkinteger(L, 1), &status, 0);
  lua_pushinteger(L, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  return 1;
}
int luaopen_forker (lua_State *L);
int luaopen_forker (lua_State *L) {
  lua_newtable(L);
  lua_pushcfunction(L, l_fork); lua_setfield(L, -2, "fork");
  lua_pushcfunction(L, l_wait); lua_setfield(L, -2, "wait");
  return 1;
}
]]

local function forker()
  local dir = helper.tmpdir()
  helper.write_file(dir .. "/forker.c", FORK_C)
  local built = os.execute(
    ("cc -shared -fPIC -I/usr/include/lua5.4 -o %s/forker.so %s/forker.c 2>/dev/null")
    :format(dir, dir))
  return built and ("package.cpath = %q .. package.cpath\nlocal forker = require 'forker'\n")
    :format(dir .. "/?.so;")
end

local function run(code, opts)
  local prefix = forker()
  if not prefix then pending "no C compiler or no Lua headers" end
  local ok, out, status = helper.lua(prefix .. code, opts)
  assert.is_true(ok, ("status %d\n%s"):format(status, out))
  return out
end

for _, name in ipairs(helper.device_names()) do
  local env = { LUACUDA_DEVICE = name:gsub("^gpu", "") }

  describe("fork on " .. name, function()
    it("leaves the parent working and gives the child the same clear error everywhere", function()
      local out = run([[
        local cuda = require "luacuda"
        local a, s, e = cuda.full(1000, 7, "int32"), cuda.stream(), cuda.event():record()
        assert(e:fd() >= 0)
        local pid = forker.fork()
        if pid == 0 then
          local function refuses(f, ...)
            local ok, err = pcall(f, ...)
            assert(not ok and cuda.is_error(err, "logic"), tostring(err))
            assert(tostring(err):find("CUDA was initialized before fork()", 1, true), tostring(err))
          end
          refuses(cuda.zeros, 10)
          refuses(cuda.stream)
          refuses(cuda.event)
          refuses(cuda.synchronize)
          refuses(cuda.mem_info)
          refuses(a.totable, a)
          refuses(a.fill, a, 1)
          refuses(s.synchronize, s)
          refuses(e.synchronize, e)
          refuses(e.record, e)
          refuses(e.fd, e)
          refuses(cuda.devices)
          assert(type(tostring(a)) == "string")
          a:free()
          s:close()
          a, s, e = nil, nil, nil
          collectgarbage()
          os.exit(true, true)
        end
        print("child", forker.wait(pid))
        a:fill(9)
        print("parent", a:item(1000))
      ]], { env = env })
      assert.equal("child\t0\nparent\t9\n", out)
    end)

    it("is reported by diagnose in the child, with what works there", function()
      local out = run([[
        local cuda = require "luacuda"
        local a, s, e = cuda.zeros(3), cuda.stream(), cuda.event()
        local pid = forker.fork()
        if pid == 0 then
          local report = cuda.diagnose()
          assert(report:find("luacuda " .. cuda.VERSION, 1, true), report)
          assert(report:find("created by fork() after its parent initialized CUDA", 1, true),
            report)
          assert(report:find(
            "closing arrays, streams and all other handles, tostring, templates, cuda.help", 1,
            true), report)
          assert(report:find("places tried by the parent:\n  [^\n]*libcuda"), report)
          for _, object in ipairs { a, s, e } do
            assert(tostring(object):find "^luacuda%.")
            object:close()
          end
          local template = cuda.template "$(T) x;"
          assert(tostring(template { T = "int" }):find "int x;")
          assert(cuda.help "zeros":find "cuda.zeros")
          os.exit(true, true)
        end
        print("child", forker.wait(pid))
        assert(not cuda.diagnose():find "fork")
      ]], { env = env })
      assert.equal("child\t0\n", out)
    end)

    it("before CUDA is used lets both processes use it", function()
      local out = run([[
        local cuda = require "luacuda"
        local pid = forker.fork()
        local value = cuda.full(10, 3, "int32"):item(10)
        if pid == 0 then os.exit(value == 3, true) end
        print(value, forker.wait(pid))
      ]], { env = env })
      assert.equal("3\t0\n", out)
    end)

    it("children that exit without closing the state succeed", function()
      local out = run([[
        local cuda = require "luacuda"
        local a = cuda.full(10, 3, "int32")
        local pid = forker.fork()
        if pid == 0 then os.exit(0) end
        print(forker.wait(pid), a:item(1))
      ]], { env = env })
      assert.equal("0\t3\n", out)
    end)

    it("children that close the state with work in flight succeed", function()
      local out = run([[
        local cuda = require "luacuda"
        local a, s = cuda.zeros(1 << 20, "int32"), cuda.stream()
        cuda.with_stream(s, function() for i = 1, 50 do a:fill(i) end end)
        local pid = forker.fork()
        if pid == 0 then return end
        print(forker.wait(pid), a:item(1 << 20))
      ]], { env = env })
      assert.equal("0\t50\n", out)
    end)
  end)

  describe("other processes on " .. name, function()
    it("may be started between pieces of work", function()
      local ok, out = helper.lua([[
        local cuda = require "luacuda"
        local a, s = cuda.zeros(1 << 18, "int32"), cuda.stream()
        for i = 1, 10 do
          cuda.with_stream(s, function() a:fill(i) end)
          assert(os.execute "true")
          local pipe = assert(io.popen "echo hello")
          assert(pipe:read "l" == "hello")
          assert(pipe:close())
          assert(a:item(1 << 18) == i)
        end
        print "ok"
      ]], { env = env })
      assert.is_true(ok, out)
      assert.equal("ok\n", out)
    end)
  end)
end
