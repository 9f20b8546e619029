-- Applies a mutant in the scratch copy, builds, runs specs until one fails, and restores the file.
local libraries = require("specs").targets

local M = {}

local build = assert(os.getenv "LUACUDA_BUILD")
local scratch = assert(os.getenv "LUACUDA_MUTATE_SCRATCH")
local has_build = io.open "CMakeLists.txt" ~= nil
-- writes the file "counts"
local OPTIONS = "--no-keep-going"
  .. (io.open "tools/busted_output.lua" and " --output=tools/busted_output.lua" or "")

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

-- Runs a command so that tools/mutate can stop it; returns its status. `timeout` has a process
-- group of its own: what is left of that is stopped, since a mutant may be an endless loop in a
-- child.
local function run(command, log)
  local _, how, status = os.execute(("exec >'%s' 2>&1; %s & echo $! >'%s/pid'; wait $!; s=$?; "
    .. "kill -KILL -$! 2>/dev/null; exit $s"):format(log, command, scratch))
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

-- Of "gpu:NAME": NAME
local function on_gpu(name) return name:match "^gpu:(.*)" end

local function program(name) return build .. "/spec/test_" .. name:match "^c:(.*)" end

-- Builds what a spec needs besides the module: its own program, and libraries.
local function build_for(name)
  local own = name:match "^c:(.*)"
  local targets = (own and "test_" .. own .. " " or "") .. (on_gpu(name) and libraries.gpu or "")
    .. " " .. (libraries[on_gpu(name) or name] or "")
  if has_build and targets:find "%S" then must_compile(targets) end
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

-- As tools/test --fake-gpu runs specs.
local FAKE_GPU = ("env LUACUDA_LIBCUDA='%s/spec/libcuda.so' LUACUDA_LIBCUBLAS=off "
  .. "LUACUDA_DEVICES=gpu0 LUACUDA_TEST_FAKE_GPU=1 LUACUDA_CPU_GPUS=2 "):format(build)

local function command_of(name)
  if name:find "^c:" then return program(name) end
  return ("%sbusted %s spec/%s_spec.lua"):format(on_gpu(name) and FAKE_GPU or "", OPTIONS,
    on_gpu(name) or name)
end

-- Did all tests of a spec pass?
local function passes(name, limit)
  local log, place = scratch .. "/spec.log", scratch .. "/run"
  os.execute(("rm -rf '%s' '%s/counts' && mkdir -p '%s/tmp'"):format(place, scratch, place))
  os.execute((cold and "mkdir '%s/cache'" or "cp -al '%s/cache' '%s/cache'")
    :format(cold and place or scratch, place))
  local status = run(("TMPDIR='%s/tmp' LUACUDA_CACHE_DIR='%s/cache' "
    .. "LUACUDA_TEST_COUNTS='%s/counts' timeout --kill-after=5 %d %s"):format(
    place, place, scratch, limit, command_of(name)), log)
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

local function open_spec(name)
  local test = name:match "^c:(.*)"
  if not test then return io.open("spec/" .. (on_gpu(name) or name) .. "_spec.lua") end
  for _, folder in ipairs { "spec/c", "shared/test", "cpu/test" } do
    local file = io.open(("%s/test_%s.c"):format(folder, test))
    if file then return file end
  end
end

-- The seconds that a spec takes, estimated from its size until it has run.
local function expected(name)
  if base[name] then return base[name] end
  local file = open_spec(name)
  if not file then return 0 end
  local size = file:seek "end"
  file:close()
  return size // 3000
end

-- Sorts quick ones first, among the first `special` ones and among the others.
local function sort(names, special)
  local place, seconds = {}, {}
  for i, name in ipairs(names) do
    place[name], seconds[name] = i <= special and 1 or 2, expected(name)
  end
  table.sort(names, function(a, b)
    if place[a] ~= place[b] then return place[a] < place[b] end
    if seconds[a] ~= seconds[b] then return seconds[a] < seconds[b] end
    return a < b
  end)
end

local function checksum()
  local pipe = assert(io.popen(("cksum '%s/luacuda/'*"):format(build)))
  local sum = pipe:read "a"
  pipe:close()
  return sum
end

-- Writes a text to a file and builds the module; false: it does not compile.
local function put(file, text)
  write(file, text)
  return file:find "%.lua$" ~= nil or compile "luacuda_module"
end

-- Runs a spec against the current mutant. Times the spec only now, because most mutants die before
-- the last spec.
local function judge(name, mutant, original, text)
  if not base[name] then
    put(mutant.file, original)
    build_for(name)
    time(name)
    put(mutant.file, text)
  end
  build_for(name)
  cold = is_cached(mutant.file)
  local ok, late = passes(name, cold and 900 or 3 * base[name] + 15)
  cold = false
  if not ok then return "killed", name .. (late and ", time limit" or "") end
end

-- Is there a mutant to judge? Otherwise the outcome.
local function begin(mutant, text)
  if mutant.file:find "%.lua$" then
    if not load(text, "=mutant", "t", {}) then return "not built" end
    if has_build then must_compile "luacuda_module" end
    write(mutant.file, text)
    return
  end
  must_compile "luacuda_module"
  local before = checksum()
  if not put(mutant.file, text) then return "not built" end
  if checksum() == before then return "equivalent", "the same machine code" end
end

local function outcome_of(mutant, original, text, names, special)
  local outcome, note = begin(mutant, text)
  if outcome then return outcome, note end
  sort(names, special)
  for _, name in ipairs(names) do
    outcome, note = judge(name, mutant, original, text)
    if outcome then return outcome, note end
  end
  return "survived"
end

-- Runs the specs `names`, of which `special` ones come first, until one fails. Returns "killed" and
-- the spec, "survived", "not built", or "equivalent" and the reason.
function M.try(mutant, names, special)
  local original = read(mutant.file)
  local text = original:sub(1, mutant.at - 1) .. mutant.new .. original:sub(mutant.stop + 1)
  local outcome, note = outcome_of(mutant, original, text, names, special)
  write(mutant.file, original)
  return outcome, note
end

return M
