-- Lua code and hosts in child processes.
local busted = require "busted"
local files = require "spec.support.files"
local limits = require "spec.support.limits"

local M = {}
local shell_quote = files.shell_quote

local function environment_words(env)
  local words = {
    "LUA_PATH=" .. shell_quote(package.path),
    "LUA_CPATH=" .. shell_quote(package.cpath),
  }
  for name, value in pairs(env or {}) do
    words[#words + 1] = name .. "=" .. shell_quote(tostring(value))
  end
  return "env " .. table.concat(words, " ")
end

-- Runs Lua code in a fresh process with the same module paths. opts.env: more environment;
-- opts.args: strings; opts.timeout: seconds on an idle machine (60; spec/support/limits.lua);
-- opts.before: shell words before lua5.4.
-- Returns ok, stdout and stderr together, exit code (128 + n for signal n, 124 for a timeout).
function M.lua(code, opts)
  opts = opts or {}
  local script = os.tmpname()
  files.write_file(script, code)
  local words = { environment_words(opts.env), "timeout", limits.seconds(opts.timeout or 60),
    opts.before or "", os.getenv "LUACUDA_LUA" or "/usr/bin/lua5.4", script }
  for _, word in ipairs(opts.args or {}) do words[#words + 1] = shell_quote(word) end
  local pipe = assert(io.popen(table.concat(words, " ") .. " 2>&1; echo \"status $?\""))
  local output = pipe:read "a"
  pipe:close()
  os.remove(script)
  local status = tonumber(output:match "status (%d+)\n$")
  return status == 0, (output:gsub("status %d+\n$", "")), status
end

-- Code with the device's label as argument runs to its end in a fresh process in which glibc
-- overwrites freed memory, so that its use shows.
function M.goes_well(code, device)
  local ok, out = M.lua(code .. "\nprint 'went well'",
    { args = { device.label }, env = { MALLOC_PERTURB_ = 165 }, timeout = 300 })
  assert(ok and out:find("went well", 1, true), out)
end

-- Starts Lua code in a fresh process that runs beside this one, until peer:close(). The code has
-- functions `ask()`, the next line from peer:tell(line), or nil at the end, and `answer(line)`, the
-- next line of peer:hear(). opts.env, opts.args: as above. peer:close() fails if the code did.
function M.peer(code, opts)
  opts = opts or {}
  local folder = files.tmpdir()
  local answers, script = folder .. "/answers", folder .. "/script.lua"
  assert(os.execute("mkfifo " .. answers))
  files.write_file(script, [[
    local to = assert(io.open(arg[#arg], "w"))
    to:setvbuf "line"
    function ask() return io.read() end
    function answer(line) to:write(line, "\n") end
  ]] .. code)
  local words = { environment_words(opts.env), "timeout", limits.seconds(opts.timeout or 200),
    os.getenv "LUACUDA_LUA" or "/usr/bin/lua5.4", script }
  for _, word in ipairs(opts.args or {}) do words[#words + 1] = shell_quote(word) end
  words[#words + 1] = answers
  local peer = { pipe = assert(io.popen(table.concat(words, " ") .. " 2>&1", "w")) }
  peer.pipe:setvbuf "line"
  local from = assert(io.open(answers))
  local told = ""
  function peer.tell(_, line)
    told = line
    peer.pipe:write(line, "\n")
  end
  function peer.hear()
    local answer = from:read()
    if not answer then error("the peer has ended. It was told: " .. told, 2) end
    return answer
  end
  function peer.close()
    from:close()
    assert(peer.pipe:close(), "the peer failed")
  end
  return peer
end

-- Runs a script in the host program of spec/c/state_host.c, which must succeed, and returns its
-- output. mode: "threads 4 10", "errors".
local host -- path of the program, or false if it cannot be built

local function build_host()
  if host ~= nil then return host end
  host = os.tmpname()
  local built = os.execute(("cc -O1 %s -I/usr/include/lua5.4 -o %s spec/c/state_host.c -llua5.4 "
    .. "-lpthread -lm -ldl 2>/dev/null"):format(
    os.getenv "LUACUDA_PRESET" == "tsan" and "-fsanitize=thread" or "", host))
  if not built then host = false end
  return host
end

function M.run_host(mode, script, device, env)
  if not build_host() then busted.pending "no C compiler or no liblua" end
  local path = files.tmpdir() .. "/script.lua"
  files.write_file(path, script)
  local pipe = assert(io.popen(("%s timeout %d %s %s %s %s 2>&1; echo \"status $?\""):format(
    environment_words(env), limits.seconds(200), host, mode, path, device)))
  local out = pipe:read "a"
  pipe:close()
  busted.assert.equal("0", out:match "status (%d+)\n$", out)
  return (out:gsub("status %d+\n$", ""))
end

-- Builds NAME.c of spec/c, or of the folder in its name, as a Lua module and returns its path, or
-- marks the test as pending.
local modules = {} -- name -> path

function M.build_module(name)
  if not modules[name] then
    local path = os.tmpname()
    local source = name:find "/" and name or "spec/c/" .. name
    local command = ("cc -O1 -g -Wall -shared -fPIC -Iinclude -Ishared/base -I/usr/include/lua5.4 "
      .. "-o %s %s.c -lpthread"):format(path, source)
    if not os.execute(command) then busted.pending "no C compiler" end
    modules[name] = path
  end
  return modules[name]
end

-- The same, loaded.
function M.c_module(name)
  return assert(package.loadlib(M.build_module(name), "luaopen_" .. name:match "[^/]*$"))()
end

-- Called when the specs that used them are done.
function M.forget_host()
  if host then os.remove(host) end
  host = nil
  for name, path in pairs(modules) do
    os.remove(path)
    modules[name] = nil
  end
end

-- Lua code that closes an event whose destruction fails, so that a failure waits to be reported. It
-- needs LUACUDA_SHIM=1.
M.FAILING_CLOSE = [[
  for i = 1, 4 do
    local e = require("luacuda").event()
    require("luacuda.core")._fail_at(i, "NOT_PERMITTED")
    e:close()
    local _, failed = require("luacuda.core")._calls()
    require("luacuda.core")._fail_at(0)
    if failed == "cuEventDestroy" then break end
    pcall(require("luacuda").synchronize) -- another call's failure was recorded
  end
]]

return M
