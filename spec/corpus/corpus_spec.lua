-- Runs the programs of this folder (spec/support/corpus.lua).
--
--   LUACUDA_CORPUS=all tools/test corpus                each program in each combination
--   LUACUDA_CORPUS="90 debug all" tools/test corpus     in combinations with these words
--   ... tools/test corpus -- --filter=radix_sort        one program
--
-- Without the variable each program runs plainly on every device that can run it. Every second one,
-- others each day, also runs on the CPU device in one of ROTATION, another one each time; so do all
-- that need more than compute capability 8.0, since they do not run plainly there.
local helper = require "spec.helper"
local corpus = require "spec.support.corpus"

local WANTED = os.getenv "LUACUDA_CORPUS" or ""
local PLAIN = "80 plain off"
local ROTATION = {
  "80 plain all", "80 plain force", "75 plain force", "90 plain all", "80 debug off",
  "80 fast force", "90 debug all", "80 plain checked",
}

-- Passes that take many times longer run every eighth program, and no other combination.
local reduced = helper.sanitized or helper.fake_gpu or os.getenv "LUACUDA_TEST_GC" == "1"

local function in_a_process(combination, names)
  local code = ("require 'spec.support.corpus'.main(%q, arg)"):format(
    combination:match "%S+ (%S+)")
  local _, output, status = helper.lua(code, { env = corpus.environment(combination),
    args = names, timeout = 600 })
  return output, status
end

local function must_go_well(combination, names)
  local output, status = in_a_process(combination, names)
  for _, name in ipairs(names) do
    local said = output:match("%[" .. name:gsub("%p", "%%%0") .. "%] (%l+)")
    if said ~= "ok" and said ~= "skipped" then
      error(("in the combination \"%s\" (status %d):\n%s"):format(combination, status, output), 0)
    end
  end
end

local function matches(combination)
  for word in WANTED:gmatch "%S+" do
    if word ~= "any" and not (" " .. combination .. " "):find(" " .. word .. " ", 1, true) then
      return false
    end
  end
  return true
end

local function suits(name, combination)
  return corpus.suits(name, tonumber(combination:match "%d+"))
end

local function whole_matrix()
  if WANTED == "all" then WANTED = "any" end
  for _, combination in ipairs(corpus.combinations()) do
    if matches(combination) then
      describe(combination, function()
        for _, name in ipairs(corpus.names()) do
          if suits(name, combination) then
            it(name, function() must_go_well(combination, { name }) end)
          end
        end
      end)
    end
  end
end

-- Those of the rotation that a program may run in. One that takes long to compile, for the CPU
-- device's compiler too, is interpreted from what is compiled anyway.
local function candidates(name)
  local program, list = corpus.load(name), {}
  local compiled = ("^%d plain all"):format(math.max(program.arch or 0, 80))
  for _, combination in ipairs(ROTATION) do
    if suits(name, combination) and (not program.heavy or combination:find(compiled)) then
      list[#list + 1] = combination
    end
  end
  return list
end

-- The programs of each combination of the rotation today.
local function rotation()
  local today, groups = os.time() // 86400, {}
  for i, name in ipairs(corpus.names()) do
    if (i + today) % 2 == 0 or not suits(name, PLAIN) then
      local list = candidates(name)
      local combination = list[(i + today // 2) % #list + 1]
      groups[combination] = groups[combination] or {}
      table.insert(groups[combination], name)
    end
  end
  return groups
end

local function plainly()
  helper.for_each_device(function(device)
    for i, name in ipairs(corpus.names()) do
      if (not reduced or i % 8 == 1) and corpus.suits(name, device.cc) then
        it(name, function()
          local reason = corpus.run(name, PLAIN:match "%S+ (%S+)")
          if reason then pending(reason) end
        end)
      end
    end
  end)
end

describe("the corpus", function()
  if WANTED ~= "" then return whole_matrix() end
  plainly()
  if reduced then return end
  for combination, names in pairs(rotation()) do
    it("runs in the combination " .. combination, function() must_go_well(combination, names) end)
  end
end)
