-- Runs the programs of spec/corpus, each a CUDA program and the computation in plain Lua that its
-- result must agree with. A program is a Lua file that returns a table:
--
--   source    CUDA C++, or
--   sources   function(): the source
--   options   of its module, such as { rdc = true }
--   arch      the lowest compute capability that it runs on (default: 75)
--   exactly   true: it runs on no other compute capability
--   heavy     true: it takes seconds to compile, so the suite compiles it once only
--   needs     a header that not every toolkit has
--   run       function(kernels, t): launches kernels and compares; raises what differs
--
-- run gets a table t:
--
--   t.cuda, t.module          the library; the module of the program
--   t.random(n)               a number from 0 to n - 1
--   t.integers(n, below)      a list of such numbers
--   t.floats(n)               a list of multiples of 1/256 from -8 to 8
--   t.list(n, of)             { of(1), ..., of(n) }
--   t.same(want, got, what)   fails unless numbers or lists are equal
--   t.close(want, got, rtol, fast, what)   with a tolerance relative to |want|, at least 1; `fast`
--                             is that of fast math (default: 1e-3)
--   t.skip(reason)            ends the program
--
-- A combination is a text of words: an arch, "plain", "debug" or "fast", and "off" or "force" (the
-- compiler of the CPU device), "all" (its checks, interpreted) or "checked" (both).
local M = {}

local folder = "spec/corpus/"

function M.names()
  local names, pipe = {}, assert(io.popen("ls " .. folder))
  for file in pipe:lines() do
    local name = file:match "^(.*)%.lua$"
    if name and not name:find "_spec$" then names[#names + 1] = name end
  end
  pipe:close()
  return names
end

function M.load(name) return dofile(folder .. name .. ".lua") end

-- Can the program run on a device of this compute capability?
function M.suits(name, cc)
  local program = M.load(name)
  local lowest = program.arch or 75
  return cc == lowest or cc > lowest and not program.exactly
end

-- All combinations.
function M.combinations()
  local list = {}
  for _, arch in ipairs { "75", "80", "90" } do
    for _, build in ipairs { "plain", "debug", "fast" } do
      for _, way in ipairs { "off", "force", "all", "checked" } do
        list[#list + 1] = ("%s %s %s"):format(arch, build, way)
      end
    end
  end
  return list
end

-- The environment of a combination's process.
function M.environment(combination)
  local arch, _, way = combination:match "(%S+) (%S+) (%S+)"
  return {
    LUACUDA_DEVICE = "cpu", LUACUDA_CPU_ARCH = arch,
    LUACUDA_CPU_JIT = (way == "force" or way == "checked") and "force" or "off",
    LUACUDA_CPU_CHECK = (way == "all" or way == "checked") and "all" or "default",
  }
end

local function show(v) return type(v) == "number" and ("%.17g"):format(v) or tostring(v) end

-- Raises the first difference between numbers or (nested) lists.
local function compare(want, got, equal, what)
  if type(got) == "userdata" then got = got:totable() end
  if type(want) ~= "table" then
    if not equal(want, got) then
      error(("%s: expected %s, got %s"):format(what, show(want), show(got)), 0)
    end
    return
  end
  if #want ~= #got then
    error(("%s: expected %d elements, got %d"):format(what, #want, #got), 0)
  end
  for i = 1, #want do compare(want[i], got[i], equal, ("%s[%d]"):format(what, i)) end
end

local function generator()
  local state = 20240229
  return function(n)
    state = state * 6364136223846793005 + 1442695040888963407
    return (state >> 33) % n
  end
end

local SKIPPED = {} -- the error of t.skip

-- The table t of a program's `run`.
function M.tools(cuda, module, fast_math)
  local t = { cuda = cuda, module = module, random = generator() }
  function t.list(n, of)
    local list = {}
    for i = 1, n do list[i] = of(i) end
    return list
  end
  function t.integers(n, below) return t.list(n, function() return t.random(below) end) end
  function t.floats(n) return t.list(n, function() return (t.random(4097) - 2048) / 256 end) end
  function t.same(want, got, what)
    compare(want, got, function(a, b) return a == b end, what or "result")
  end
  function t.close(want, got, rtol, fast, what)
    local tolerance = fast_math and (fast or math.max(rtol, 1e-3)) or rtol
    compare(want, got, function(a, b)
      return a == b
        or math.abs(a) ~= math.huge and math.abs(a - b) <= tolerance * math.max(math.abs(a), 1)
    end, what or "result")
  end
  function t.skip(reason) error(setmetatable({ reason = reason }, SKIPPED), 0) end
  return t
end

local function options_of(program, build)
  local options = { source = program.source or program.sources() }
  for key, value in pairs(program.options or {}) do options[key] = value end
  options.debug = build == "debug" or nil
  options.fast_math = build == "fast" or nil
  return options
end

-- Why the program cannot run here, from the error of its compilation, or nil.
local function lacking(program, message)
  if message:find("libcudadevrt", 1, true) then return "no cudadevrt" end
  if program.needs and message:find("could not open source file \"" .. program.needs, 1, true) then
    return "no " .. program.needs
  end
end

local function run_module(program, module, build, cuda)
  local ok, e = pcall(module.compile, module)
  if not ok then return lacking(program, tostring(e)) or error(e, 0) end
  ok, e = pcall(program.run, module.kernels, M.tools(cuda, module, build == "fast"))
  if not ok and getmetatable(e) == SKIPPED then return e.reason end
  if not ok then error(e, 0) end
end

-- Runs the program on the current device. Returns nothing, or the reason why it cannot run here.
function M.run(name, build)
  local cuda, program = require "luacuda", M.load(name)
  local module = cuda.module(options_of(program, build))
  local results = table.pack(pcall(run_module, program, module, build, cuda))
  module:close()
  if not results[1] then error(results[2], 0) end
  return results[2]
end

-- Runs programs in this process and prints a line for each.
function M.main(build, names)
  for _, name in ipairs(names) do
    io.write("[", name, "] ")
    io.flush()
    local ok, result = pcall(M.run, name, build)
    print(ok and (result and "skipped: " .. result or "ok") or "failed: " .. tostring(result))
  end
end

return M
