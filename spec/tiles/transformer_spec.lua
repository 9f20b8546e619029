-- examples/tiles/transformer.lua learns its text, by the right gradients.
local helper = require "spec.helper"

-- All checks of the CPU device take 30 times as long.
local CHECKED <const> = os.getenv "LUACUDA_CPU_CHECK" == "all"

-- The least mean loss of a model that sees only one letter before the next one.
local function loss_of_pairs(text)
  local pairs_of, letters, loss = {}, {}, 0
  for i = 1, #text do
    local pair = (text .. text):sub(i, i + 1)
    local a = pair:sub(1, 1)
    pairs_of[pair], letters[a] = (pairs_of[pair] or 0) + 1, (letters[a] or 0) + 1
  end
  for pair, n in pairs(pairs_of) do loss = loss - n * math.log(n / letters[pair:sub(1, 1)]) end
  return loss / #text
end

local function example(steps)
  local env = setmetatable({ print = function() end }, { __index = _G })
  return assert(loadfile("examples/tiles/transformer.lua", "t", env))(steps)
end

-- How many letters of the second string differ from the endless text.
local function wrong_letters(text, written)
  local wrong = 0
  for i = 1, #written do
    local k = (i - 1) % #text + 1
    if written:sub(i, i) ~= text:sub(k, k) then wrong = wrong + 1 end
  end
  return wrong
end

helper.for_each_device(function()
  describe("a transformer of kernels over tiles", function()
    it("has the gradients of its loss, and learns", function()
      local worst, losses, written, text = example(CHECKED and 5 or 150)
      assert(worst < 1e-2, worst)
      assert(losses[#losses] < losses[1], losses[#losses])
      if CHECKED then return end
      local last = 0
      for i = #losses - 9, #losses do last = last + losses[i] / 10 end
      assert(last < loss_of_pairs(text) / 3, last)
      local wrong = wrong_letters(text, written)
      assert(#written > #text and wrong < #written / 20, written)
    end)
  end)
end)
