-- Planted faults of asynchronous operations: spec/async/faults/SUBJECT.lua returns a list of cases.
-- A case is a table:
--
--   name      what is wrong
--   from      a public report of the fault; nil: a mutant of spec/corpus/wgmma_*.lua has it
--   source    CUDA C++ for sm_90a, which includes hopper.h (spec/support/hopper.lua) or small.h
--             (below) and uses the macro FAULT: 1 plants the fault, 0 is the nearest correct kernel
--   columns   numbers of columns of products of hopper.h (8)
--   run       function(kernels, t): launches and compares; t as in spec/support/corpus.lua, and
--             t.poisoned(shape, dtype), an array of bytes 0xFF
--   report    what must be said of the fault:
--     kind    the kind of fault, or a list: any of these. "layout" is none of the CPU device's yet:
--             a matrix is read in another layout than it was written in
--     agents  who accesses, and whose operation conflicts: "thread", "copy engine", "tensor core",
--             "generic proxy", "async proxy"
--     object  what is waited for or used wrongly: "mbarrier", "group", "barrier", "proxy fence",
--             "registers", "cluster", "tensor map", "descriptor", "grid"
--             The line is that of the comment `HERE` of the source, one of them if there are
--             several. The line of the other operation is that of `THERE`, if there is one.
--   reported  does LUACUDA_CPU_CHECK=all report the kind at this line?
--   tells     if so, which of "other" (its line), "agents" and "object" the report names
--   says      a part of the message; ADDRESS stands for an address in global memory
--   unsure    why the PTX ISA may be read such that this is no fault
local corpus = require "spec.support.corpus"
local hopper = require "spec.support.hopper"

local M = {}

local FOLDER = "spec/async/faults/"

-- Kinds of a wait that nothing ends.
M.HANG = { "deadlock", "livelock" }

-- Small tiles of f16 for products, not swizzled: a is 64 x 16, and b follows it with 8 x 16.
local SMALL = [==[
#include "hopper.h"
enum { TILE = 2304 };
INLINE u64 a_of(const byte *s) { return matrix(at(s), 0, 256, 128); }
INLINE u64 b_of(const byte *s) { return matrix(at(s + 2048), 0, 256, 128); }
// Copies a tile; all threads of a warp group do so.
INLINE void bring(byte *to, const void *from) {
  for (int i = threadIdx.x % 128; i < TILE / 16; i += 128)
    ((int4 *)to)[i] = ((const int4 *)from)[i];
}
// Writes the sums, 64 x 8 floats.
INLINE void put(float *out, float (&d)[4]) {
  float *to = out + sum_row() * 8 + sum_column();
  to[0] = d[0];
  to[1] = d[1];
  to[64] = d[2];
  to[65] = d[3];
}
]==]

function M.subjects()
  local names, pipe = {}, assert(io.popen("ls " .. FOLDER))
  for file in pipe:lines() do names[#names + 1] = file:match "^(.*)%.lua$" end
  pipe:close()
  return names
end

function M.load(subject) return dofile(FOLDER .. subject .. ".lua") end

-- ---- small products

-- A random tile as small.h has it, as a list of f16, and its matrices a and b.
function M.tile(t)
  local function matrix(rows)
    return t.list(rows, function()
      return t.list(16, function() return t.random(5) - 2 end)
    end)
  end
  local a, b, list = matrix(64), matrix(8), {}
  local function place(m, from)
    for r = 0, #m - 1 do
      for c = 0, 15 do
        list[from + r // 8 * 128 + c // 8 * 64 + r % 8 * 8 + c % 8 + 1] = m[r + 1][c + 1]
      end
    end
  end
  place(a, 0)
  place(b, 1024)
  return list, a, b
end

-- Adds a * b' to the list of sums, 64 x 8.
function M.add_product(sums, a, b)
  for r = 1, 64 do
    for c = 1, 8 do
      local sum = sums[(r - 1) * 8 + c] or 0
      for k = 1, 16 do sum = sum + a[r][k] * b[c][k] end
      sums[(r - 1) * 8 + c] = sum
    end
  end
  return sums
end

-- ---- running

local function module_of(cuda, case, fault)
  local options = hopper.options({ FAULT = fault }, case.columns or { 8 })
  options.headers["small.h"] = SMALL
  options.source = case.source
  return cuda.module(options)
end

local function run(cuda, case, fault, times)
  local module <close> = module_of(cuda, case, fault)
  local t = corpus.tools(cuda, module)
  function t.poisoned(shape, dtype)
    local array = cuda.zeros(shape, dtype)
    hopper.poison(array)
    return array
  end
  for _ = 1, times do
    case.run(module.kernels, t)
    cuda.synchronize()
  end
end

local function one_line(v) return (tostring(v):gsub("%s+", " ")) end

-- Runs the correct kernels of a subject, each LUACUDA_REPEATS times, and prints a line for each.
function M.run_correct(subject)
  local cuda = require "luacuda"
  for _, case in ipairs(M.load(subject)) do
    local ok, e = pcall(run, cuda, case, 0, hopper.repeats())
    print(("[%s] %s"):format(case.name, ok and "ok" or "failed: " .. one_line(e)))
  end
end

local function text_of(v)
  if type(v) ~= "table" then return tostring(v) end
  local parts = {}
  for key, value in pairs(v) do parts[#parts + 1] = key .. "=" .. text_of(value) end
  return "{" .. table.concat(parts, " ") .. "}"
end

-- Runs the faulty kernels of a subject and prints what is said of each as Lua text. They could end
-- CUDA for the process or hang on a GPU, so they run on the CPU device only.
function M.run_faulty(subject)
  local cuda = require "luacuda"
  assert(cuda.device().kind == "cpu", "faulty kernels run on the CPU device only")
  for _, case in ipairs(M.load(subject)) do
    local ok, e = pcall(run, cuda, case, 1, 1)
    local report = not ok and type(e) == "table" and e.report
    if not report then
      print(("{said=%q}"):format(ok and "nothing" or one_line(e)))
    else
      local other = report.other and report.other.line
      print(("{kind=%q, line=%s, other=%s, said=%q}"):format(e.fault, e.line, other,
        one_line(e) .. " " .. one_line(text_of(report))))
    end
  end
end

-- ---- comparing

local WORDS = {
  ["copy engine"] = { "copy engine", "bulk copy" },
  mbarrier = { "mbarrier", "barrier object" },
  group = { "group" },
  ["proxy fence"] = { "fence.proxy", "proxy fence" },
}

local function says(text, word)
  for _, one in ipairs(WORDS[word] or { word }) do
    if text:lower():find(one, 1, true) then return true end
  end
  return false
end

-- The numbers of the lines that contain the mark.
local function lines_of(source, mark)
  local lines, n = {}, 0
  for line in (source .. "\n"):gmatch "(.-)\n" do
    n = n + 1
    if line:find("// " .. mark, 1, true) then lines[n] = true end
  end
  return lines
end

-- Does what was printed have the kind and the line?
function M.is_reported(case, got)
  local kinds = case.report.kind
  if type(kinds) == "string" then kinds = { kinds } end
  for _, kind in ipairs(kinds) do
    if got.kind == kind then return lines_of(case.source, "HERE")[got.line] == true end
  end
  return false
end

-- Is `says` in what was printed?
function M.says(case, got)
  return got.said:gsub("0x%x%x%x%x%x%x%x+", "ADDRESS"):find(case.says, 1, true) ~= nil
end

-- What else a report tells: a text of the words "other", "agents" and "object".
function M.told(case, got)
  local told, there = {}, lines_of(case.source, "THERE")
  if got.other and (there[got.other] or lines_of(case.source, "HERE")[got.other]) then
    told[1] = "other"
  end
  local named = true
  for _, agent in ipairs(case.report.agents) do named = named and says(got.said, agent) end
  if named then told[#told + 1] = "agents" end
  if says(got.said, case.report.object) then told[#told + 1] = "object" end
  return table.concat(told, " ")
end

return M
