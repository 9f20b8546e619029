-- Planted faults of asynchronous operations (spec/support/async.lua). The correct sibling of each
-- fault must run right, without a report, on every device that can run it. Each case says whether
-- the CPU device reports its fault; the spec fails if that is not true (any more).
--
--   LUACUDA_DEVICES=gpu0 LUACUDA_REPEATS=1000 tools/test async/     correct kernels on a GPU
local async = require "spec.support.async"
local helper = require "spec.helper"

-- The scenarios run in processes of their own, which the stressed collector does not reach.
if os.getenv "LUACUDA_TEST_GC" == "1" then return end

local ON_CPU = { LUACUDA_CPU_ARCH = "90", LUACUDA_CPU_LIVELOCK_MS = "300" }

local function environment(more)
  local env = {}
  for name, value in pairs(ON_CPU) do env[name] = value end
  for name, value in pairs(more) do env[name] = value end
  return env
end

local function in_a_process(action, subject, label, env)
  local code = ([[
    local cuda = require "luacuda"
    cuda.use(tonumber(arg[1]:match "%%d+") or arg[1])
    require "spec.support.async".%s(arg[2])]]):format(action)
  local ok, out = helper.lua(code, { args = { label, subject }, env = env, timeout = 600 })
  assert.is_true(ok, out)
  local lines = {}
  for line in out:gmatch "[^\n]+" do lines[#lines + 1] = line end
  return lines
end

local function run_right(subject, label, env)
  local cases, lines = async.load(subject), in_a_process("run_correct", subject, label, env)
  assert.equal(#cases, #lines)
  local wrong = {}
  for _, line in ipairs(lines) do
    if not line:find "%] ok$" then wrong[#wrong + 1] = line end
  end
  assert.same({}, wrong)
end

describe("Correct asynchronous operations", function()
  helper.for_each_device(function(device, label)
    if label ~= "cpu" and (device.cc ~= 90 or helper.fake_gpu) then return end
    for _, subject in ipairs(async.subjects()) do
      if label ~= "cpu" then
        it("run right: " .. subject, function() run_right(subject, label, {}) end)
      else
        for _, check in ipairs { "default", "all" } do
          it(("run right: %s, checks: %s"):format(subject, check), function()
            run_right(subject, label, environment { LUACUDA_CPU_CHECK = check })
          end)
        end
      end
    end
  end)
end)

local function check_case(case, got)
  local reported = async.is_reported(case, got)
  assert(reported == case.reported, ("reported should be %s; what was said: %s"):format(reported,
    got.said))
  if reported then assert.equal(case.tells, async.told(case, got), got.said) end
  if case.says then assert(async.says(case, got), got.said) end
end

describe("The CPU device reports faults of asynchronous operations:", function()
  for _, subject in ipairs(async.subjects()) do
    local said
    local function all_said()
      said = said or in_a_process("run_faulty", subject, "cpu",
        -- one worker: what is reported of two blocks does not depend on who is faster
        environment { LUACUDA_DEVICE = "cpu", LUACUDA_CPU_CHECK = "all",
          LUACUDA_CPU_THREADS = "1" })
      return said
    end
    for i, case in ipairs(async.load(subject)) do
      it(("%s: %s"):format(subject, case.name), function()
        check_case(case, assert(load("return " .. all_said()[i]))())
      end)
    end
  end
end)
