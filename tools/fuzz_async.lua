-- tools/fuzz_async.lua [SECONDS [SEED [DEVICE [COUNT [KERNEL]]]]]: changes the synchronization of
-- the kernels spec/corpus/wgmma_*.lua (spec/support/async_fuzz) and prints what the CPU device says
-- of it: each mutant runs with all checks on, and with the default ones. Each round has the next
-- seed and COUNT mutants of one kernel; SECONDS 0 is one round. A mutant is
--
--   reported  a fault is reported with all checks on
--   right     its result is right, and nothing is reported
--   silent    its result is wrong in one of the modes, and nothing is reported with all checks on
--   refused   the compiler does not take it
--   ended     it ends the process
--
-- Mutants that are silent or ended are printed, and every mutant is a line of Lua in the file that
-- LUACUDA_FUZZ_LOG names. Run it from the root of the repository; the status is 1 if a mutant was
-- printed. A mutant may be silent without a fault: it stores before it has computed, for example.
local mutations = require "spec.support.async_fuzz.mutations"
local products = require "spec.support.products"
local random = require("spec.support.data").random
local without_comments = require("spec.support.async_fuzz.statements").without_comments

-- m, n and k: several rounds of a ring, and several tiles where a block has several.
local SIZES = { fp8 = { 128, 64, 640 }, multicast = { 256, 64, 320 }, persistent = { 512, 64, 256 },
  plain = { 128, 64, 192 }, ring = { 128, 64, 448 }, roles = { 128, 64, 448 },
  split_k = { 128, 64, 576 } }
local KERNELS = { "attention", "fp8", "multicast", "persistent", "plain", "ring", "roles",
  "split_k" }
local CLASSES = { "reported", "right", "silent", "refused", "error", "ended" }
local ENVIRONMENT = "LUACUDA_DEVICE=cpu LUACUDA_CPU_ARCH=90 LUACUDA_CPU_JIT=off "
  .. "LUACUDA_CPU_LIVELOCK_MS=300 LUACUDA_CPU_TIMEOUT_MS=20000 LUACUDA_CPU_CHECK=%s timeout 300 "

local function load_program(name)
  local program = products.program
  function products.program(p)
    p.sizes = { SIZES[name] }
    return program(p)
  end
  local loaded = dofile("spec/corpus/wgmma_" .. name .. ".lua")
  products.program = program
  return loaded
end

local function make(name, seed, count)
  local program, mutants, rng = load_program(name), {}, random(seed)
  for i = 1, count do
    local source, kind = mutations.mutate(program.source, rng)
    mutants[i] = { source = source, kind = kind }
  end
  return program, mutants
end

-- ---- a process that runs mutants: --run KERNEL SEED COUNT FIRST

if arg[1] == "--run" then
  local run = require "spec.support.async_fuzz.run"
  io.stdout:setvbuf "line" -- a process that ends has told where it was
  local first = math.tointeger(arg[5])
  local program, mutants = make(arg[2], math.tointeger(arg[3]), math.tointeger(arg[4]))
  run.run(program, table.move(mutants, first, #mutants, 1, {}), function(i, o)
    o = o or { kind = "ended" }
    print(("{ at = %d, kind = %q, fault = %q, line = %s, said = %q }"):format(i + first - 1, o.kind,
      o.fault, o.line, o.said))
  end)
  os.exit(0, true)
end

-- ---- rounds

local seconds = tonumber(arg[1] or 5)
local first_seed = math.tointeger(tonumber(arg[2] or os.time() % 1000000))
local device, count = arg[3] or "cpu", math.tointeger(tonumber(arg[4] or 16))
local only = arg[5]
assert(device == "cpu", "faulty kernels run on the CPU device only")

-- Runs the mutants from `first` on into the list; returns the first that has not run, and what else
-- the process said if it failed.
local function run_from(first, list, name, seed, check)
  local program = ENVIRONMENT .. "lua5.4 tools/fuzz_async.lua --run %s %d %d %d 2>&1"
  local command = program:format(check, name, seed, count, first)
  local pipe, said = assert(io.popen(command)), ""
  for line in pipe:lines() do
    local o = line:find "^{ at" and load("return " .. line)
    if o then
      o = o()
      list[o.at], first = o, o.at + 1
    else said = said .. line end
  end
  return first, not pipe:close() and said or nil
end

-- The outcomes of the mutants of a round.
local function outcomes(name, seed, check)
  local list, first = {}, 1
  while first <= count do
    local after, failed = run_from(first, list, name, seed, check)
    local last = list[after - 1]
    if failed and last and last.kind == "ended" then last.said = failed
    elseif failed or after <= count then
      error(("%s, seed %d: %s"):format(name, seed, failed), 0)
    end
    first = after
  end
  return list
end

local function lines_of(text)
  local list = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do list[#list + 1] = line:gsub("%s+$", "") end
  return list
end

-- How many lines the rests of two lists have in common, in order.
local function common_lines(a, b)
  local most = {}
  for i = #a + 1, 1, -1 do
    most[i] = {}
    for j = #b + 1, 1, -1 do
      if i > #a or j > #b then most[i][j] = 0
      elseif a[i] == b[j] then most[i][j] = most[i + 1][j + 1] + 1
      else most[i][j] = math.max(most[i + 1][j], most[i][j + 1]) end
    end
  end
  return most
end

-- The lines that differ, with their numbers.
local function difference(name, source)
  local a = lines_of(without_comments(load_program(name).source))
  local b = lines_of(without_comments(source))
  local most, i, j, out = common_lines(a, b), 1, 1, {}
  while i <= #a or j <= #b do
    if a[i] == b[j] then i, j = i + 1, j + 1
    elseif j > #b or (i <= #a and most[i + 1][j] >= most[i][j + 1]) then
      out[#out + 1] = (" - %d: %s"):format(i, a[i])
      i = i + 1
    else
      out[#out + 1] = (" + %d: %s"):format(j, b[j])
      j = j + 1
    end
  end
  return table.concat(out, "\n")
end

local log_name = os.getenv "LUACUDA_FUZZ_LOG"
local log = log_name and assert(io.open(log_name, "a"))

local function write_log(entry)
  local fields = {}
  for key, value in pairs(entry) do fields[#fields + 1] = ("%s = %q"):format(key, value) end
  table.sort(fields)
  log:write("{ ", (table.concat(fields, ", "):gsub("\\\n", "\\n")), " },\n")
  log:flush()
end

local function class_of(all, default)
  if all.kind == "ended" or default.kind == "ended" then return "ended" end
  if all.kind == "wrong" or (all.kind == "right" and default.kind == "wrong") then
    return "silent"
  end
  return all.kind
end

local totals, found = {}, 0

local function tally(name, class)
  totals[name] = totals[name] or { mutants = 0 }
  totals[name][class] = (totals[name][class] or 0) + 1
  totals[name].mutants = totals[name].mutants + 1
end

local function judge(name, seed, i, mutant, all, default)
  local class, changed = class_of(all, default), difference(name, mutant.source)
  tally(name, class)
  if class == "silent" or class == "ended" then
    found = found + 1
    print(("\n%s, seed %d, mutant %d (%s): %s"):format(name, seed, i, mutant.kind, class))
    print(("all: %s %s\ndefault: %s %s\n%s"):format(all.kind, all.said, default.kind, default.said,
      changed))
  end
  if log then
    write_log{ kernel = name, seed = seed, at = i, mutation = mutant.kind, class = class,
      all = all.kind, fault = all.fault, line = all.line, said = all.said, default = default.kind,
      default_said = default.said, changed = changed }
  end
end

local function round(seed)
  local name = only or KERNELS[seed % #KERNELS + 1]
  if name == "attention" and not only and seed // #KERNELS % 3 > 0 then return end -- it is slow
  local _, mutants = make(name, seed, count)
  local all, default = outcomes(name, seed, "all"), outcomes(name, seed, "default")
  for i, mutant in ipairs(mutants) do judge(name, seed, i, mutant, all[i], default[i]) end
end

local function summary(name)
  local t, words = totals[name], {}
  for i, class in ipairs(CLASSES) do words[i] = ("%d %s"):format(t[class] or 0, class) end
  print(("%-10s %4d mutants: %s"):format(name, t.mutants, table.concat(words, ", ")))
end

io.stdout:setvbuf "line"
local seed, started = first_seed, os.time()
repeat
  round(seed)
  seed = seed + 1
until os.time() - started >= seconds
print ""
for _, name in ipairs(KERNELS) do
  if totals[name] then summary(name) end
end
print(("async fuzz: seeds %d to %d, %d found"):format(first_seed, seed - 1, found))
os.exit(found == 0, true)
