-- next_candidates.lua: compiles the next candidates at the same time, where the compiler can: nvcc
-- runs as several processes. NVRTC lets one thread compile, so its kernels are compiled one by one.

local ahead = require "luacuda.compile.ahead"
local attempt = require "luacuda.tuning.attempt"
local code = require "luacuda.tuning.digests"

local BATCH = 8 -- candidates that are made in advance, with what they allocate

-- The descriptions of sources that nvcc compiles, and that nothing else is linked with.
local function units_of(states, units)
  for _, state in ipairs(states) do
    if state.spec.backend == "nvcc" and state.spec.text and not state.spec.link then
      units[#units + 1] = state.spec
    end
  end
  return units
end

-- ahead.can(states): is there something in the states of modules that can be compiled ahead?
local function can(states) return #units_of(states, {}) > 0 end

-- ahead.prepare(job, rows) makes the functions of rows that have none, and compiles what they need.
-- A failure is reported when the row is measured.
local function prepare(job, rows)
  local units = {}
  for _, row in ipairs(rows) do
    local ok, digest, fn, _, states = attempt.call(code.digest_of, job.make,
      job.space:copy(row.parameters))
    if ok and type(fn) == "function" then
      row.made, row.code = fn, digest
      units_of(states, units)
    end
  end
  if #units > 1 then attempt.call(ahead.compile, units, job.device) end
end

return { prepare = prepare, can = can, BATCH = BATCH }
