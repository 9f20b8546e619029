-- What all specs share. Busted loads this file first (`.busted`); a spec starts with
-- `local helper = require "spec.helper"`.
--
--   helper.for_each_device(fn)       a describe block per device: fn(device, name); the device is
--                                    current inside its tests
--   helper.for_all_dtypes(fn, opts)  fn(dtype_name, row) per element type; opts.kind = "float", or
--                                    a list of kinds
--   helper.close(a, b, dtype)        are two numbers equal within the dtype's precision?
--   helper.assert_close(want, got, opts)   the same for nested tables; opts.dtype, opts.rtol,
--                                    opts.atol
--   helper.random(seed)              a function: rng(n) is a number from 0 to n - 1, the same in
--                                    every run
--   helper.size_of(shape)            the number of elements
--   helper.lua(code, opts)           runs code in a fresh lua5.4: ok, output, exit code
--   helper.run_host(mode, script, device)   runs a script in spec/c/state_host.c: its output
--   helper.error_of(fn, ...)         the error that fn(...) raises: an object or a string
--   helper.contains(text, part)      fails unless the text of an error, or a string, contains part
--   helper.assert_raises(fn, pattern)  fn raises a message that matches, position included
--   helper.misuse(fn, ...)           fn(...) raises a string at the caller's position: the text
--                                    after the position
--   helper.this_file()               path of the spec
--   helper.line_of(mark)             number of the spec's first line that contains the mark
--   helper.tmpdir()                  a new folder, removed when the test ends
--   helper.fake_gpu                  is gpu0 the CPU device under spec/c/fake_libcuda.c, which runs
--                                    no machine code?
--   helper.sanitized                 is this a build with a sanitizer? The CPU device is many times
--                                    slower there
--
-- A test also fails if it leaves live objects (core._live()), a context current on the thread, or a
-- failure that none of its calls reported: after each test the helper synchronizes all devices in
-- use.
--
-- Environment:
--   LUACUDA_DEVICES          devices to test on, "cpu gpu0" (default: cpu, and gpu0 if present)
--   LUACUDA_TEST_GC          1: the collector runs at every step
--   LUACUDA_TEST_FAKE_GPU    1: gpu0 is not a real GPU
--   LUACUDA_TEST_SANITIZER   name of the sanitizer, or nothing
local busted = require "busted"

local M = {}

-- assert.same({ 2, 3 }, a.shape): luassert looks into tables only.
local same = require("luassert.namespaces").assertion.same
local compare = same.callback
function same.callback(state, arguments, level)
  for k = 1, 2 do
    if require("luacuda.core").type(arguments[k]) == "shape" then
      arguments[k] = { table.unpack(arguments[k]) }
    end
  end
  return compare(state, arguments, level)
end

M.fake_gpu = (os.getenv "LUACUDA_TEST_FAKE_GPU" or "") ~= ""
M.sanitized = (os.getenv "LUACUDA_TEST_SANITIZER" or "") ~= ""

-- Devices -----------------------------------------------------------------------------------------

local function find_device(cuda, name)
  local ordinal = name:match "^gpu(%d+)$"
  if not ordinal then return cuda.device(name) end
  return cuda.device(tonumber(ordinal))
end

local function default_names(cuda)
  local names = { "cpu" }
  for _, device in ipairs(cuda.devices()) do
    if device.kind ~= "cpu" and device.ordinal == 0 then names[#names + 1] = "gpu0" end
  end
  return names
end

-- Names of the devices the suite runs on.
function M.device_names()
  local cuda = require "luacuda"
  local given = os.getenv "LUACUDA_DEVICES"
  if not given or given == "" then return default_names(cuda) end
  local names = {}
  for name in given:gmatch "[^%s,]+" do names[#names + 1] = name end
  return names
end

function M.for_each_device(fn)
  local cuda = require "luacuda"
  for _, name in ipairs(M.device_names()) do
    local device = find_device(cuda, name)
    busted.describe("on " .. name, function()
      local previous
      busted.before_each(function() previous = cuda.use(device) end)
      busted.after_each(function() cuda.use(previous) end)
      fn(device, name)
    end)
  end
end

-- Element types -----------------------------------------------------------------------------------

local function kind_wanted(kind, wanted)
  if wanted == nil then return true end
  if type(wanted) == "string" then return kind == wanted end
  for _, one in ipairs(wanted) do
    if one == kind then return true end
  end
  return false
end

function M.for_all_dtypes(fn, opts)
  local rows = require("luacuda.core").dtypes()
  for _, row in ipairs(rows) do
    if kind_wanted(row.kind, opts and opts.kind) then fn(row.name, row) end
  end
end

-- Relative tolerance by dtype: a few units in the last place; 0 compares exactly.
local PRECISION = {
  float16 = 2e-3, bfloat16 = 1.6e-2, float32 = 1e-6, float64 = 1e-14, complex64 = 1e-6,
  complex128 = 1e-14,
}

local function number_close(a, b, rtol, atol)
  if a == b then return true end
  if a ~= a and b ~= b then return true end -- both NaN
  if rtol == 0 and atol == 0 then return false end
  return math.abs(a - b) <= atol + rtol * math.max(math.abs(a), math.abs(b))
end

local function is_complex(v)
  return type(v) ~= "number" and type(v) ~= "boolean" and type(v) ~= "string" and v.re ~= nil
end

local function value_close(a, b, rtol, atol)
  if type(a) == "number" and type(b) == "number" then return number_close(a, b, rtol, atol) end
  if type(a) == "boolean" or type(b) == "boolean" or a == nil or b == nil then return a == b end
  if is_complex(a) or is_complex(b) then
    local ar, ai = is_complex(a) and a.re or a, is_complex(a) and a.im or 0
    local br, bi = is_complex(b) and b.re or b, is_complex(b) and b.im or 0
    return number_close(ar, br, rtol, atol) and number_close(ai, bi, rtol, atol)
  end
  return a == b
end

function M.close(a, b, dtype)
  local rtol = PRECISION[dtype] or 0
  return value_close(a, b, rtol, rtol)
end

-- The path of the first difference between two nested tables, or nil.
local function first_difference(want, got, rtol, atol, path)
  if type(want) == "table" and not is_complex(want) then
    if type(got) ~= "table" then return path, want, got end
    if #want ~= #got then return path .. " (length)", #want, #got end
    for i = 1, #want do
      local at, w, g = first_difference(want[i], got[i], rtol, atol, path .. "[" .. i .. "]")
      if at then return at, w, g end
    end
    return nil
  end
  if not value_close(want, got, rtol, atol) then
    return path == "" and "value" or path, want, got
  end
end

function M.assert_close(want, got, opts)
  opts = opts or {}
  local precision = opts.dtype and (PRECISION[opts.dtype] or 0) or 1e-6
  local rtol, atol = opts.rtol or precision, opts.atol or precision
  if type(got) == "userdata" then got = got:totable() end
  local at, w, g = first_difference(want, got, rtol, atol, "")
  if at then
    error(("%s: expected %s, got %s (rtol %g, atol %g)"):format(at, tostring(w),
      tostring(g), rtol, atol), 2)
  end
end

-- Data --------------------------------------------------------------------------------------------

function M.random(seed)
  local state = seed
  return function(n)
    state = state * 6364136223846793005 + 1442695040888963407
    return (state >> 33) % n
  end
end

function M.size_of(shape)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return n
end

-- Child processes and files -----------------------------------------------------------------------

local function shell_quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end
M.shell_quote = shell_quote

local function write_file(path, bytes)
  local file = assert(io.open(path, "wb"))
  assert(file:write(bytes))
  assert(file:close())
end
M.write_file = write_file

function M.read_file(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "a"
  file:close()
  return bytes
end

local doomed = {} -- folders to remove at the end of the test

function M.tmpdir()
  local pipe = assert(io.popen "mktemp -d")
  local path = pipe:read "l"
  pipe:close()
  doomed[#doomed + 1] = path
  return path
end

local function remove_doomed()
  for i = #doomed, 1, -1 do
    os.execute("chmod -R u+rwx " .. shell_quote(doomed[i]) .. " 2>/dev/null; rm -rf "
      .. shell_quote(doomed[i]))
    doomed[i] = nil
  end
end

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
-- opts.args: strings; opts.timeout: seconds (default 60); opts.before: shell words before lua5.4.
-- Returns ok, stdout and stderr together, exit code (128 + n for signal n, 124 for a timeout).
function M.lua(code, opts)
  opts = opts or {}
  local script = os.tmpname()
  write_file(script, code)
  local words = { environment_words(opts.env), "timeout", tostring(opts.timeout or 60),
    opts.before or "", os.getenv "LUACUDA_LUA" or "/usr/bin/lua5.4", script }
  for _, word in ipairs(opts.args or {}) do words[#words + 1] = shell_quote(word) end
  local pipe = assert(io.popen(table.concat(words, " ") .. " 2>&1; echo \"status $?\""))
  local output = pipe:read "a"
  pipe:close()
  os.remove(script)
  local status = tonumber(output:match "status (%d+)\n$")
  return status == 0, (output:gsub("status %d+\n$", "")), status
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
  local path = M.tmpdir() .. "/script.lua"
  write_file(path, script)
  local pipe = assert(io.popen(("%s timeout 200 %s %s %s %s 2>&1; echo \"status $?\""):format(
    environment_words(env), host, mode, path, device)))
  local out = pipe:read "a"
  pipe:close()
  busted.assert.equal("0", out:match "status (%d+)\n$", out)
  return (out:gsub("status %d+\n$", ""))
end

-- Called when the specs that used it are done.
function M.forget_host()
  if host then os.remove(host) end
  host = nil
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

-- Messages ----------------------------------------------------------------------------------------

function M.error_of(fn, ...)
  local ok, e = pcall(fn, ...)
  busted.assert.is_false(ok, "nothing was raised")
  return e
end

function M.contains(text, part)
  text = tostring(text)
  busted.assert.is_truthy(text:find(part, 1, true), ("expected '%s' in '%s'"):format(part, text))
end

-- Fails unless fn raises a message that matches the pattern, position included
-- (assert.error_matches strips the position).
function M.assert_raises(fn, pattern)
  local ok, message = pcall(fn)
  busted.assert.is_false(ok, "nothing was raised")
  busted.assert.truthy(tostring(message):find(pattern), tostring(message))
end

local HERE = debug.getinfo(1, "S").short_src

-- Calls fn, which must raise a string, and returns the string without its position. The position
-- must be the spec's, or this file's if fn is a C function.
function M.misuse(fn, ...)
  local caller = debug.getinfo(2, "S").short_src
  local ok, message = pcall(fn, ...)
  busted.assert.is_false(ok, "nothing was raised")
  busted.assert.is_string(message)
  local file, text = message:match "^(.-):%d+: (.*)$"
  busted.assert.is_true(file == caller or file == HERE, message)
  return text
end

-- The path of the calling spec.
function M.this_file() return debug.getinfo(2, "S").source:sub(2) end

-- Number of the first line of the calling spec that contains `mark`.
function M.line_of(mark)
  local number = 0
  for line in io.lines(debug.getinfo(2, "S").source:sub(2)) do
    number = number + 1
    if line:find(mark, 1, true) then return number end
  end
end

-- Live objects ------------------------------------------------------------------------------------

-- Caches keep these on purpose (compiled helpers of operators, device handles), so their number may
-- grow in a test.
local CACHED = { device = true, context = true, module = true, kernel = true,
  ["function"] = true, pool = true }

local core -- the last one loaded: busted unloads modules between files, their objects may live on

local function live_counts()
  core = package.loaded["luacuda.core"] or core
  return core and core._live and core._live() or {}
end

local function grown(before, after)
  for kind, count in pairs(after) do
    if type(count) == "number" and not CACHED[kind] and count > (before[kind] or 0) then
      return ("%d live %s object(s) left over (%d before)"):format(count - (before[kind] or 0),
        kind, before[kind] or 0)
    end
  end
end

-- Unreported failures -----------------------------------------------------------------------------

local lost = {} -- errors of lost devices (GPUs after a fault), each reported once

-- The failure of work that no call waited for, or nil. Afterwards the CPU device is usable again,
-- so the next test starts clean.
local function unreported_failure()
  core = package.loaded["luacuda.core"] or core
  local first
  for _ = 1, core and 1000 or 0 do
    local ok, failure = pcall(core._synchronize) -- reports one at a time
    if ok or lost[tostring(failure)] then break end
    first = first or failure
    lost[tostring(failure)] = tostring(failure):find("cannot be used any more", 1, true)
  end
  return first
end

local function assert_none_unreported()
  local failure = unreported_failure()
  if failure then error("no call reported this failure:\n" .. tostring(failure), 0) end
end

-- Every call restores the context that was current on the thread: here none.
local function assert_no_context()
  local left = core and core._contexts() or 0
  if left > 0 then error(("%d context(s) left current on this thread"):format(left), 0) end
end

-- Two collections: the second finds what the finalizers of the first release.
local function assert_nothing_left(before)
  if not grown(before, live_counts()) then return end
  collectgarbage()
  collectgarbage()
  local leak = grown(before, live_counts())
  if leak then error(leak, 0) end
end

-- 'test start' comes after every before_each, so objects made there count as existing before the
-- test.
busted.subscribe({ "test", "start" }, function(element)
  local run = element.run
  element.run = function(...)
    assert_none_unreported() -- by before_each, or after the previous test
    local before = live_counts()
    run(...)
    assert_none_unreported()
    assert_no_context()
    assert_nothing_left(before)
  end
  return nil, true
end)

busted.subscribe({ "test", "end" }, function()
  unreported_failure() -- left by a test that failed on its own
  if core then core._contexts() end
  remove_doomed()
  return nil, true
end)

-- Failures in after_each and teardown must be reported too.
busted.subscribe({ "file", "end" }, function(element)
  local failure = unreported_failure()
  if failure then
    busted.publish({ "error", "file" }, element, nil, "no call reported this failure:\n"
      .. tostring(failure), { short_src = element.name, currentline = 0, traceback = "" })
  end
  return nil, true
end)

if os.getenv "LUACUDA_TEST_GC" == "1" then
  -- A cycle starts as soon as the last one ended, and each step is as small as possible.
  -- ("incremental" takes 0 as "unchanged", hence the separate call for the pause.)
  collectgarbage("incremental", 0, 1000, 1)
  collectgarbage("setpause", 0)
end

return M
