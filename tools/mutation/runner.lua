-- Applies a mutant in the scratch copy, builds, runs specs until one fails, and restores the file.
local libraries = require("specs").targets

local M = {}

local build = assert(os.getenv "LUACUDA_BUILD")
local scratch = assert(os.getenv "LUACUDA_MUTATE_SCRATCH")
local has_build = io.open "CMakeLists.txt" ~= nil
-- writes the file "counts"
local OUTPUT = io.open "tools/busted_output.lua" and "--output=tools/busted_output.lua" or ""

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  file:close()
end

local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read "a"
  if file then file:close() end
  return text
end

-- Runs a command so that tools/mutate can stop it; returns its status.
local function run(command, log)
  local _, how, status = os.execute(
    ("exec >'%s' 2>&1; %s & echo $! >'%s/pid'; wait $!"):format(log, command, scratch))
  if how == "signal" then os.exit(130) end
  return status
end

-- A compile error does not count as a kill. Arguments of a wrong type are errors, so calls with
-- swapped arguments do not build.
local function compile(targets)
  return run(("cmake --build '%s' --parallel %s --target %s")
    :format(build, os.getenv "LUACUDA_MUTATE_JOBS" or "1", targets), scratch .. "/build.log") == 0
end

local function must_compile(targets)
  if not compile(targets) then error("the tree does not build: " .. scratch .. "/build.log", 0) end
end

local function program(name) return build .. "/spec/test_" .. name:match "^c:(.*)" end

local function targets_of(names)
  local targets = { "luacuda_module" }
  for _, name in ipairs(names) do
    if name:find "^c:" then targets[#targets + 1] = "test_" .. name:match "^c:(.*)" end
    targets[#targets + 1] = libraries[name]
  end
  return table.concat(targets, " ")
end

-- The cache of compiled kernels keeps the output of these files, and its keys do not cover them:
-- with a warm cache their mutants would hardly run.
local CACHED = { "compile/build", "compile/compiler", "compile/entries", "compile/reflect",
  "compile/target", "compile/headers", "source/outline", "source/options" }
local cold = false

local function is_cached(file)
  for _, name in ipairs(CACHED) do
    if file == "lua/luacuda/" .. name .. ".lua" then return true end
  end
  return false
end

-- Did all tests of a spec pass?
local function passes(name, limit)
  local log, place = scratch .. "/spec.log", scratch .. "/run"
  os.execute(("rm -rf '%s' '%s/counts' && mkdir -p '%s/tmp'"):format(place, scratch, place))
  os.execute((cold and "mkdir '%s/cache'" or "cp -al '%s/cache' '%s/cache'")
    :format(cold and place or scratch, place))
  local command = name:find "^c:" and program(name)
    or ("busted %s \"$(find spec -name %s_spec.lua)\""):format(OUTPUT, name)
  local status = run(("TMPDIR='%s/tmp' LUACUDA_CACHE_DIR='%s/cache' "
    .. "LUACUDA_TEST_COUNTS='%s/counts' timeout --kill-after=5 %d %s"):format(
    place, place, scratch, limit, command), log)
  if status ~= 0 then return false, status == 124 end
  return not read(scratch .. "/counts")
    or read(scratch .. "/counts"):match " (%d+)\n$" == "0", false
end

-- kept between calls; tools/mutate removes outdated entries
local TIMES = scratch .. "/times"
local base = {} -- spec -> its seconds without a mutant

for seconds, name in (read(TIMES) or ""):gmatch "(%d+) (%S+)\n" do
  base[name] = math.tointeger(seconds)
end

local function keep_times()
  local lines = {}
  for name, seconds in pairs(base) do lines[#lines + 1] = ("%d %s\n"):format(seconds, name) end
  write(TIMES, table.concat(lines))
end

-- Runs a spec for the first time, without a mutant; its compiled kernels are kept for the runs with
-- mutants.
local function time(name)
  if base[name] then return end
  local started = os.time()
  if not passes(name, 900) then
    io.stderr:write(
      ("tools/mutate: %s fails without a mutant:\n%s\n"):format(name, read(scratch .. "/spec.log")))
    os.exit(2)
  end
  os.execute(
    ("rm -rf '%s/cache' && mv '%s/run/cache' '%s/cache'"):format(scratch, scratch, scratch))
  base[name] = os.time() - started
  keep_times()
end

-- Times all specs, and puts quick ones first.
local function prepare(names)
  for _, name in ipairs(names) do time(name) end
  table.sort(names, function(a, b)
    if base[a] ~= base[b] then return base[a] < base[b] end
    return a < b
  end)
end

local function objects(names)
  local paths = { build .. "/luacuda/core.so" }
  for _, name in ipairs(names) do
    if name:find "^c:" then paths[#paths + 1] = program(name) end
  end
  local pipe = assert(io.popen("cat '" .. table.concat(paths, "' '") .. "' | cksum"))
  local sum = pipe:read "a"
  pipe:close()
  return sum
end

-- Runs the specs against the current mutant.
local function judge(names)
  for _, name in ipairs(names) do
    local ok, late = passes(name, cold and 900 or 3 * base[name] + 15)
    if not ok then return "killed", name .. (late and ", time limit" or "") end
  end
  return "survived"
end

local function judge_c(mutant, text, names)
  local targets = targets_of(names)
  must_compile(targets)
  prepare(names)
  local before = objects(names) -- `names` has its final order now
  write(mutant.file, text)
  if not compile(targets) then return "not built" end
  if objects(names) == before then return "equivalent", "the same machine code" end
  return judge(names)
end

local function judge_lua(mutant, text, names)
  if not load(text, "=mutant", "t", {}) then return "not built" end
  if has_build then must_compile(targets_of(names)) end
  prepare(names)
  write(mutant.file, text)
  cold = is_cached(mutant.file)
  local outcome, note = judge(names)
  cold = false
  return outcome, note
end

-- Returns "killed" and the spec, "survived", "not built", or "equivalent" and the reason.
function M.try(mutant, names)
  local original = read(mutant.file)
  local text = original:sub(1, mutant.at - 1) .. mutant.new .. original:sub(mutant.stop + 1)
  local outcome, note
  if mutant.file:find "%.c$" then outcome, note = judge_c(mutant, text, names)
  else outcome, note = judge_lua(mutant, text, names) end
  write(mutant.file, original)
  return outcome, note
end

return M
