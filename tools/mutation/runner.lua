-- Puts a mutant in its place in the scratch copy, builds, runs specs until one fails, and puts the file back.
local libraries = require("specs").targets

local M = {}

local build = assert(os.getenv "LUACUDA_BUILD")
local scratch = assert(os.getenv "LUACUDA_MUTATE_SCRATCH")
local has_build = io.open "CMakeLists.txt" ~= nil
local OUTPUT = io.open "tools/busted_output.lua" and "--output=tools/busted_output.lua" or "" -- writes the file "counts"

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

-- Runs a command where tools/mutate can end it; returns its status.
local function run(command, log)
  local _, how, status = os.execute(("exec >'%s' 2>&1; %s & echo $! >'%s/pid'; wait $!"):format(log, command, scratch))
  if how == "signal" then os.exit(130) end
  return status
end

-- A compiler error is no kill. Arguments of a wrong type are errors, so that calls with swapped ones are not built.
local function compile(targets)
  return run(("cmake --build '%s' --parallel %s --target %s"):format(build, os.getenv "LUACUDA_MUTATE_JOBS" or "1", targets),
    scratch .. "/build.log") == 0
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

-- What these files make is kept in the cache of compiled kernels, whose keys do not cover them: with a warm cache their
-- mutants would hardly run.
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
  os.execute((cold and "mkdir '%s/cache'" or "cp -al '%s/cache' '%s/cache'"):format(cold and place or scratch, place))
  local command = name:find "^c:" and program(name) or ("busted %s spec/%s_spec.lua"):format(OUTPUT, name)
  local status = run(("TMPDIR='%s/tmp' LUACUDA_CACHE_DIR='%s/cache' LUACUDA_TEST_COUNTS='%s/counts' timeout --kill-after=5 %d %s"):format(
    place, place, scratch, limit, command), log)
  if status ~= 0 then return false, status == 124 end
  return not read(scratch .. "/counts") or read(scratch .. "/counts"):match " (%d+)\n$" == "0", false
end

local TIMES = scratch .. "/times" -- kept from call to call; tools/mutate takes out what has changed since
local base = {} -- spec -> seconds it takes without a mutant

for seconds, name in (read(TIMES) or ""):gmatch "(%d+) (%S+)\n" do base[name] = math.tointeger(seconds) end

local function keep_times()
  local lines = {}
  for name, seconds in pairs(base) do lines[#lines + 1] = ("%d %s\n"):format(seconds, name) end
  write(TIMES, table.concat(lines))
end

-- Runs a spec that has not been run without a mutant; what it compiles is kept for the runs with mutants.
local function time(name)
  if base[name] then return end
  local started = os.time()
  if not passes(name, 900) then
    io.stderr:write(("tools/mutate: %s fails without a mutant:\n%s\n"):format(name, read(scratch .. "/spec.log")))
    os.exit(2)
  end
  os.execute(("rm -rf '%s/cache' && mv '%s/run/cache' '%s/cache'"):format(scratch, scratch, scratch))
  base[name] = os.time() - started
  keep_times()
end

-- Times all, and puts quick ones first.
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

-- Runs the specs against the mutant that is in place now.
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
  local before = objects(names) -- in the order that stays
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

-- "killed", by which spec; "survived"; "not built"; or "equivalent", why.
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
