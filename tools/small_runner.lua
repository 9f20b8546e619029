-- small_runner.lua SPEC: runs a spec file without busted, which loads only where its C modules do.
-- It has what the specs use of busted, and takes luassert from LUA_PATH. Writes failures, and
-- "PASSED FAILED" as the last line. The exit status is 0 if no test failed.
local luassert = require "luassert"
_G.assert = luassert

local passed, failed, skipped = 0, 0, 0
local current = { tests = {} }                -- the block that is being described
local running                                 -- the test that runs: { name =, finally = }
local PENDING = {}                            -- raised by pending inside a test

local function fail(name, message)
  failed = failed + 1
  print(("FAILED %s\n  %s"):format(name, (tostring(message):gsub("\n", "\n  "))))
end

-- busted ------------------------------------------------------------------------------------------

local subscribers = {}                        -- "test start" -> list of functions

local busted = { assert = luassert }
package.loaded.busted = busted

function busted.subscribe(event, fn)
  local key = table.concat(event, " ")
  subscribers[key] = subscribers[key] or {}
  table.insert(subscribers[key], fn)
end

function busted.publish(event, element, _, message)
  if event[1] == "error" then fail(element.name, message) end
  for _, fn in ipairs(subscribers[table.concat(event, " ")] or {}) do fn(element) end
end

local function collect(list)
  return function(fn)
    current[list] = current[list] or {}
    table.insert(current[list], fn)
  end
end

function busted.describe(name, body)
  local block = { name = name, parent = current, tests = {} }
  table.insert(current.tests, block)
  current = block
  body()
  current = block.parent
end

function busted.it(name, run) table.insert(current.tests, { name = name, run = run }) end

function busted.pending(reason)
  if running then error(PENDING, 0) end
  skipped = skipped + 1
  print("pending: " .. reason)
end

function busted.finally(fn) running.finally = fn end

busted.before_each, busted.after_each = collect "before_each", collect "after_each"
busted.setup, busted.teardown = collect "setup", collect "teardown"
for _, name in ipairs { "describe", "it", "pending", "finally", "before_each", "after_each",
  "setup", "teardown" } do _G[name] = busted[name] end

-- Running -----------------------------------------------------------------------------------------

local function all(list) for _, fn in ipairs(list or {}) do fn() end end

-- The hooks of a block and those around it, from the outermost in.
local function before_each(block)
  if block.parent then before_each(block.parent) end
  all(block.before_each)
end

local function after_each(block)
  all(block.after_each)
  if block.parent then after_each(block.parent) end
end

local function traced(message)
  if type(message) == "string" then return debug.traceback(message, 2) end
  return message
end

local function run_test(block, test, name)
  local element = { name = name, run = test.run }
  running = element
  local ok, message = xpcall(function()
    before_each(block)
    busted.publish({ "test", "start" }, element)
    element.run()
  end, traced)
  local cleaned, why = pcall(function()
    if element.finally then element.finally() end
    after_each(block)
  end)
  running = nil
  if message == PENDING then skipped = skipped + 1
  elseif not ok or not cleaned then fail(name, ok and why or message)
  else passed = passed + 1 end
  busted.publish({ "test", "end" }, element)
end

local function run_block(block, prefix)
  all(block.setup)
  for _, test in ipairs(block.tests) do
    local name = prefix .. test.name
    if test.tests then run_block(test, name .. " ") else run_test(block, test, name) end
  end
  all(block.teardown)
end

local spec = ...
require "spec.helper"
local body = assert(loadfile(spec))
local ok, message = xpcall(function()
  body()
  run_block(current, "")
  busted.publish({ "file", "end" }, { name = spec })
end, traced)
if not ok then fail(spec, message) end
print(("%d %d"):format(passed, failed))
os.exit(failed == 0, true)
