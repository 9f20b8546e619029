-- Fails tests that leave live objects, a current context, or a failure that no call reported.
local busted = require "busted"

-- Caches keep these on purpose (compiled helpers of operators, device handles), so their number may
-- grow in a test.
local CACHED = { device = true, context = true, module = true, kernel = true,
  ["function"] = true, pool = true }

local core -- the last one loaded: busted unloads modules between files, their objects may live on

-- What the library keeps for later calls is freed first.
local function live_counts()
  core = package.loaded["luacuda.core"] or core
  local notes = package.loaded["luacuda.base.notes"]
  if notes then notes.forget() end
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
