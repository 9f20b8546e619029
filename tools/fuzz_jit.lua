-- tools/fuzz_jit.lua [SECONDS [SEED [DEVICE [COUNT [FAMILY]]]]]: runs random functions in plain Lua
-- and as kernels on a device, and compares. Each round has the next seed, one kernel of COUNT
-- functions, and a program with mistakes, which must be refused properly; SECONDS 0 is one round.
-- About every fourth round also runs `run_in_lua`. The families of programs take turns: `grid` (a
-- loop over a grid), `blocks` (threads that exchange values) and `elements` (cuda.vectorize). A
-- fault is reported with its seed and the smallest program that shows it. Run it from the root of
-- the repository; the status is 1 if anything was found.
local cuda = require "luacuda"
local families = require "spec.support.jit_fuzz.families"
local mistakes = require "spec.support.jit_fuzz.mistakes"
local random = require("spec.support.data").random
local run = require "spec.support.jit_fuzz.run"
local shrink = require "spec.support.jit_fuzz.shrink"

local seconds = tonumber(arg[1] or 5)
local first = math.tointeger(tonumber(arg[2] or os.time() % 1000000))
local device, count = arg[3] or "cpu", math.tointeger(tonumber(arg[4] or 10))
local device_used = cuda.device(tonumber(device:match "^gpu(%d+)$") or device)
local only = arg[5] and assert(families[arg[5]], "no such family")

-- One kernel: what is wrong with it, or nil.
local function fault_of(family, text, data, in_lua)
  local fine, want = pcall(family.plain, text, data)
  if not fine then return nil, "plain Lua: " .. tostring(want) end
  local went, got = pcall(family.compiled, text, data, in_lua)
  if not went then return "error: " .. tostring(got) end
  return run.difference(want, got)
end

-- What two faults of one cause have in common.
local function kind_of(fault)
  if not fault or not fault:find "^error" then return fault and "difference" end
  return (fault:gsub("^.*:%d+: ", ""):gsub("[%w_]*%d[%w_]*", ""))
end

-- Is the program valid, so that the CPU device has no fault? It finds what a smaller program may
-- do wrong, such as reading shared memory before it is written, if LUACUDA_CPU_CHECK is "all".
local function valid(family, text, data)
  if device == "cpu" then return true end
  cuda.use(cuda.device "cpu")
  local fault = fault_of(family, text, data)
  cuda.use(device_used)
  return not fault
end

local function report(seed, family, text, data, fault, in_lua)
  local title = ("seed %d, %s%s: "):format(seed, family.name, in_lua and ", run_in_lua" or "")
  print(title .. fault .. ", looking for a smaller program")
  local small = shrink(text, function(part)
    return kind_of(fault_of(family, part, data, in_lua)) == kind_of(fault)
      and valid(family, part, data)
  end)
  print(("\n%s%s\n%s\n"):format(title, fault_of(family, small, data, in_lua), small))
end

local made = 0

local function round(seed)
  local rng = random(seed)
  local narrow = rng(2) == 0
  local family = only or families.list[seed % #families.list + 1]
  local text, data, functions = family.make(rng, count, narrow)
  made = made + functions
  local found = 0
  for _, in_lua in ipairs{ false, family.in_lua and not narrow and seed % 2 == 0 or nil } do
    local fault, unusable = fault_of(family, text, data, in_lua)
    if unusable then error(("seed %d: %s\n%s"):format(seed, unusable, text), 0) end
    if fault then
      found = found + 1
      report(seed, family, text, data, fault, in_lua)
    end
  end
  return found
end

-- One program with mistakes; returns the number of faults.
local function mistake(seed)
  local rng = random(seed)
  local narrow = rng(2) == 0
  local text, data = mistakes.make(rng, narrow), run.data(rng, 1, narrow)
  local fault = mistakes.fault(text, data)
  if not fault then return 0 end
  print(("\nseed %d, mistakes: %s\n%s\n"):format(seed, fault, text))
  return 1
end

io.stdout:setvbuf "line" -- a process that is killed has told what it found
cuda.default_flags{ "--fmad=false" } -- plain Lua rounds every product
cuda.use(device_used)
local seed, found, started = first, 0, os.time()
repeat
  found = found + round(seed) + mistake(seed)
  seed = seed + 1
until os.time() - started >= seconds
print(("jit fuzz: seeds %d to %d on %s, %d functions, %d faults"):format(first, seed - 1,
  device, made, found))
os.exit(found == 0, true)
