-- Every ```lua block of the README, the guide and the page on Triton, and the examples of the
-- reference, run on every device, and every kernel in them is compiled, also where the block does
-- not launch it. Blocks share nothing except the module, as `cuda`. A block whose first line is
-- `-- error: PATTERN` must raise a message that matches the pattern.
local helper = require "spec.helper"
local cuda = require "luacuda"
local compiled = require "spec.support.compiled"

-- How many sources are compiled at least. Raise a number when a page gets more kernels. The count
-- may be higher: it includes kernels that the library makes when a function is first used, on
-- whichever page that is.
local LEAST = { ["README.md"] = 7, ["docs/guide.md"] = 50, ["docs/reference/builders.md"] = 1 }

local PAGES = { "README.md", "docs/guide.md", "docs/coming-from-triton.md" }
for _, subject in ipairs(dofile "docs/api/index.lua") do
  PAGES[#PAGES + 1] = ("docs/reference/%s.md"):format(subject)
end

local function in_reference(path) return path:find "^docs/reference/" ~= nil end

-- { line =, text = } of each block; `line` is that of its first line in the file. In the reference,
-- the block below a heading is not code: it shows the forms of a call.
local function blocks_of(path)
  local blocks, open, number, before = {}, nil, 0, ""
  for line in io.lines(path) do
    number = number + 1
    if open and line:find "^```" then
      open.text = table.concat(open, "\n")
      blocks[#blocks + 1] = not open.forms and open or nil
      open = nil
    elseif open then open[#open + 1] = line
    elseif line == "```lua" then
      open = { line = number + 1, forms = in_reference(path) and before:find "^#" }
    end
    if line ~= "" then before = line end
  end
  assert(not open, path .. ": a block is not closed")
  return blocks
end

-- Names that blocks of the reference may use without making them.
local function given(path)
  if not in_reference(path) then return {} end
  return { x = cuda.arange(8, "float32"), y = cuda.ones(8, "float32") }
end

-- Does the block make a kernel of a Lua function?
local function has_kernel_in_lua(text)
  for name in ("jit tiled vectorize fuse"):gmatch "%S+" do
    if text:find("cuda%." .. name) then return true end
  end
  if not text:find "function%(" then return false end
  return text:find "cuda%.elementwise" or text:find "cuda%.reduction" or text:find "cuda%.scan"
end

-- A chunk with the file's line numbers, its own environment, and no output. Kernels in Lua need the
-- text of their chunk, which is then its name.
local function compile(path, block)
  local environment = given(path)
  environment.cuda = cuda
  function environment.print(...)
    for i = 1, select("#", ...) do tostring((select(i, ...))) end
  end
  setmetatable(environment, { __index = _G })
  local code = ("\n"):rep(block.line - 1) .. block.text
  local name = has_kernel_in_lua(block.text) and code or "@" .. path
  return assert(load(code, name, "t", environment))
end

local function run(path, block)
  local pattern = block.text:match "^%-%- error: ([^\n]*)"
  local chunk = compile(path, block)
  if pattern then
    helper.assert_raises(chunk, pattern)
    return 0
  end
  local count = compiled.run(chunk)
  cuda.synchronize()
  return count
end

describe("blocks", function()
  it("are found", function()
    assert.is_true(#blocks_of "README.md" >= 1)
    assert.is_true(#blocks_of "docs/guide.md" >= 90)
    local count = 0
    for _, path in ipairs(PAGES) do
      if in_reference(path) then count = count + #blocks_of(path) end
    end
    assert.is_true(count >= 3)
  end)
end)

helper.for_each_device(function(_, device)
  for _, path in ipairs(PAGES) do
    local least, count = LEAST[path], 0
    for _, block in ipairs(blocks_of(path)) do
      it(("%s:%d runs"):format(path, block.line), function() count = count + run(path, block) end)
    end

    -- Elsewhere some code is left out.
    local counted = device == "cpu" and least and it or function() end
    counted(("%s has as many kernels as ever"):format(path), function()
      assert.is_true(count >= least, ("%d sources were compiled, not %d"):format(count, least))
    end)
  end
end)
