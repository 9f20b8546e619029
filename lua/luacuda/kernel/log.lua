-- log.lua: the logs of modules (loading.lua).

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local loading = require "luacuda.kernel.loading"
local logs = require "luacuda.source.logs"

-- log.of(state, device) -> warnings of the compiler and messages of the driver
local function log_of(state, device)
  local text = logs.readable(loading.artifact(state, device).log)
  local report = state.reports[device]
  local driver = report and report.info_log or ""
  return text .. (text ~= "" and driver ~= "" and "\n" or "") .. driver
end

-- log.writer(what, options) -> function of a module's state that gives its log to the
-- option log, a function or a file. Raises for wrong options.
local function log_writer(what, opts)
  if opts ~= nil and type(opts) ~= "table" then
    arguments.fail(what, "expected options (a table), got %s", type(opts))
  end
  arguments.check_names(what, opts or {}, { "log" })
  local log = opts and opts.log
  if log == nil then return function() end end
  if type(log) == "function" then
    return function(state) log(log_of(state, core.device())) end
  end
  if io.type(log) ~= "file" then
    arguments.fail(what, "option 'log': expected a function or an open file, got %s", type(log))
  end
  return function(state) log:write(log_of(state, core.device())) end
end

return { of = log_of, writer = log_writer }
