-- The line on stderr while one compilation or a search takes long: at a terminal (a pseudoterminal
-- that Python makes), and nothing anywhere else.
local helper = require "spec.helper"

-- It waits for the compiler, in processes of its own.
if helper.sanitized or os.getenv "LUACUDA_TEST_GC" == "1" then return end

local PYTHON = os.getenv "LUACUDA_PYTHON" or "python3"

-- Takes NVRTC several seconds.
local SLOW = [==[
local cuda = require "luacuda"
cuda.compile([[
template <int N> __device__ float f(float x) { return f<N - 1>(x * N) + sinf(x + N); }
template <> __device__ float f<0>(float x) { return x; }
__global__ void __launch_bounds__(256) slow_one(float *x) { *x = f<160>(*x); }]],
  { cache = false })
pcall(cuda.compile, "__global__ void k() { wrong; }", { cache = false })
]==]

-- Runs a script with Lua three times at the same time: stderr is a terminal, a terminal with
-- LUACUDA_PROGRESS=off, and a pipe. Prints what each writes to stderr.
local RUNS = [==[
import os, pty, subprocess, sys
def start(terminal, **more):
    ours, theirs = pty.openpty() if terminal else os.pipe()
    process = subprocess.Popen(sys.argv[1:], stderr=theirs, stdout=subprocess.DEVNULL,
                               env={**os.environ, **more})
    os.close(theirs)
    return process, ours
def all_of(process, fd):
    text = b''
    while True:
        try: part = os.read(fd, 4096)
        except OSError: break  # the end of a terminal
        if not part: break
        text += part
    assert process.wait() == 0
    return text
for run in [start(True), start(True, LUACUDA_PROGRESS='off'), start(False)]:
    print(repr(all_of(*run)))
]==]

local SEARCH = [==[
local cuda = require "luacuda"
cuda.use "cpu"
local values = {}
for i = 1, 60 do values[i] = i end
cuda.tune{ name = "bell\a", cache = false, space = { A = values }, runs = 1, warmup = 0,
  make = function() return function()
    local till = os.clock() + 0.01
    repeat until os.clock() > till
  end end }
]==]

-- What a script writes to a terminal, as Python shows it. Elsewhere it must write nothing.
local function shown_by(script)
  local dir = helper.tmpdir()
  helper.write_file(dir .. "/script.lua", script)
  helper.write_file(dir .. "/runs.py", RUNS)
  local pipe = assert(io.popen(("%s %s/runs.py %s %s/script.lua 2>&1"):format(PYTHON, dir,
    os.getenv "LUACUDA_LUA" or "lua5.4", dir)))
  local shown, off, piped = pipe:read("l", "l", "l")
  pipe:close()
  assert.equal("b''", off)
  assert.equal("b''", piped)
  return shown
end

describe("progress", function()
  it("is shown at a terminal while cuda.tune searches", function()
    local shown = shown_by(SEARCH)
    local begin = "^b'\\rluacuda: tuning bell : %d+ of 60, best [%d.e-]+ ms %(A=%d+%)\\x1b%[K"
    assert.matches(begin, shown)
    assert.matches("\\r\\x1b%[K'$", shown)
    local last = 0
    for done in shown:gmatch " (%d+) of 60" do
      assert.is_true(tonumber(done) >= last)
      last = tonumber(done)
    end
    assert.is_true(last > 10)
  end)

  it("is shown at a terminal while one source compiles", function()
    local shown = shown_by(SLOW)
    assert.matches("^b'\\rluacuda: compiling slow_one %.%.%. 2 s", shown)
    assert.matches("%d s\\r\\x1b%[K'$", shown)
    local last = 1
    for seconds in shown:gmatch "slow_one %.%.%. (%d+) s" do
      assert.is_true(tonumber(seconds) > last)
      last = tonumber(seconds)
    end
  end)
end)
