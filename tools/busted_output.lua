-- Busted output for tools/test: a line per spec file, failures in full, pending tests with their
-- reasons, and the counts ("passed failed") in the file named by LUACUDA_TEST_COUNTS. A pending
-- test that spec/support/pending.lua does not allow fails.
local busted = require "busted"
local allowed = dofile "spec/support/pending.lua"

return function(options)
  local handler = require "busted.outputHandlers.base" ()
  local passed, failed = 0, 0
  local file = { passed = 0, failed = 0, pending = 0 }

  local function write(...)
    io.stdout:write(...)
    io.stdout:flush()
  end

  local function place(element, trace)
    local at = element.trace or trace
    return at and at.short_src and (at.short_src .. ":" .. at.currentline) or "?"
  end

  local function fail(element, message, trace)
    failed, file.failed = failed + 1, file.failed + 1
    write("\nFAILED ", handler.getFullName(element), "  (", place(element, trace), ")\n")
    write("  ", (tostring(message):gsub("\n", "\n  ")), "\n")
  end

  local function report(element, _, message, trace)
    fail(element, message, trace)
    if options.verbose and trace and trace.traceback then write(trace.traceback, "\n") end
    return nil, true
  end

  local reasons = {} -- of the tests that were left with pending(reason)

  function handler.pending(element, _, message)
    reasons[element] = tostring(message):gsub("^[^\n]-:%d+: ", "")
    return nil, true
  end

  -- A test can also be registered as pending: `pending "reason"` in place of `it`.
  local function report_pending(element)
    local reason = reasons[element] or element.name or "no reason"
    file.pending = file.pending + 1
    if not allowed[reason] then
      fail(element, ("pending: '%s' is not a reason of spec/support/pending.lua"):format(reason))
    elseif not allowed[reason]() then
      fail(element,
        ("pending: '%s', which is not true here (spec/support/pending.lua)"):format(reason))
    else
      write("PENDING ", handler.getFullName(element), ": ", reason, "\n")
    end
  end

  function handler.testEnd(element, _, status)
    if status == "success" then
      passed, file.passed = passed + 1, file.passed + 1
    elseif status == "pending" then
      report_pending(element)
    end
    return nil, true
  end

  function handler.fileStart()
    file = { passed = 0, failed = 0, pending = 0 }
    return nil, true
  end

  function handler.fileEnd(element)
    local line = ("%-44s %5d passed"):format(element.name, file.passed)
    if file.failed > 0 then line = line .. (", %d failed"):format(file.failed) end
    if file.pending > 0 then line = line .. (", %d pending"):format(file.pending) end
    if element.duration then line = line .. ("  %7.2f s"):format(element.duration) end
    write(line, "\n")
    return nil, true
  end

  function handler.suiteEnd()
    local path = os.getenv "LUACUDA_TEST_COUNTS"
    if path and path ~= "" then
      local out = assert(io.open(path, "w"))
      out:write(passed, " ", failed, "\n")
      out:close()
    end
    return nil, true
  end

  busted.subscribe({ "test", "end" }, handler.testEnd)
  busted.subscribe({ "pending" }, handler.pending)
  busted.subscribe({ "file", "start" }, handler.fileStart)
  busted.subscribe({ "file", "end" }, handler.fileEnd)
  busted.subscribe({ "suite", "end" }, handler.suiteEnd)
  busted.subscribe({ "failure" }, report)
  busted.subscribe({ "error" }, report)
  return handler
end
