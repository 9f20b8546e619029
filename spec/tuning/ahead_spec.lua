-- Candidates that nvcc compiles are compiled at the same time. Where there
-- is no GPU, nvcc is a stand-in (spec/support/fake_nvcc.lua).
local helper = require "spec.helper"
local cuda = require "luacuda"
local nvcc_tool = require "luacuda.compile.nvcc_tool"

local function program(dir, body)
  local path = dir .. "/nvcc"
  helper.write_file(path, "#!/bin/sh\n" .. body .. "\n")
  assert(os.execute("chmod +x " .. helper.shell_quote(path)))
  return path
end

-- A program that notes each of its runs in a file. A GPU wants machine code of nvcc itself.
local function noting_nvcc(dir, runs)
  if cuda.device().kind ~= "cpu" and not helper.fake_gpu then
    local ok, tools = pcall(nvcc_tool.open, {})
    if not ok then return pending "no nvcc" end
    return program(dir, ('echo "$@" >>%s\nexec %s "$@"'):format(helper.shell_quote(runs),
      helper.shell_quote(tools.path)))
  end
  local words = {}
  for name, value in pairs { LUA_PATH = package.path, LUA_CPATH = package.cpath,
    FAKE_NVCC_RUNS = runs, LUACUDA_TEST_GC = "" } do
    words[#words + 1] = name .. "=" .. helper.shell_quote(value)
  end
  return program(dir, ("exec env %s %s spec/support/fake_nvcc.lua \"$@\""):format(
    table.concat(words, " "), os.getenv "LUACUDA_LUA" or "/usr/bin/lua5.4"))
end

-- Compilations among these runs.
local function count_runs(path)
  local count = 0
  local file = io.open(path)
  for line in file and file:lines() or function() end do
    if line:find(" -o ", 1, true) then count = count + 1 end
  end
  if file then file:close() end
  return count
end

-- Searches kernels of which one does not compile; returns the result, and the runs of nvcc before
-- each candidate was done.
local function search(options)
  local dir = helper.tmpdir()
  local runs = dir .. "/runs"
  local nvcc, counts, made = options.nvcc and noting_nvcc(dir, runs), {}, 0
  local x = cuda.zeros(1, "int32")
  local values = {}
  for i = 1, 10 do values[i] = i end
  local result = cuda.tune{ name = "ahead", cache = false, space = { A = values }, runs = 1,
    warmup = 0,
    make = function(p)
      made = made + 1
      local spec = { source = p.A == 6 and "__global__ void k(int *x) { wrong; }"
        or "__global__ void k(int *x) { *x = A; }", defines = { A = p.A }, cache = false }
      if options.nvcc then spec.backend, spec.nvcc = "nvcc", nvcc end
      local k = cuda.kernel(spec)
      return function() k({ grid = 1, block = 1 }, x) end
    end,
    check = function(p) return x:item(1) == p.A end,
    observe = function() counts[#counts + 1] = count_runs(runs) end }
  return result, counts, made
end

helper.for_each_device(function()
  it("the next candidates are compiled together", function()
    local result, counts, made = search { nvcc = true }
    assert.equal(10, #result.rows)
    for i = 1, 10 do
      local row = result.rows[i]
      assert.equal(row.parameters.A == 6 and "failed" or "ok", row.state, row.reason)
    end
    helper.contains(result.rows[10].reason, "wrong")
    -- the first candidate by itself, then eight at once, then the last one
    local each = counts[1]
    assert.is_true(each >= 1)
    -- (machine code takes nvcc a second run, which the one that does not compile has not)
    for i = 2, 9 do assert.is_true(counts[i] >= 8 * each + 1, i .. ": " .. counts[i]) end
    assert.is_true(counts[9] < counts[10])
    -- each once; again for those that are measured with care, and for the winner
    assert.is_true(made >= 10 and made <= 14)
  end)

  it("the kernels of NVRTC are made one by one", function()
    local _, counts, made = search {}
    assert.equal(0, counts[10])
    assert.is_true(made <= 14)
  end)
end)
