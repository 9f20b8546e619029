-- Every ```lua block of the README and the guide runs on every device. Blocks share nothing except
-- the module, as `cuda`. A block whose first line is `-- error: PATTERN` must raise a message that
-- matches the pattern.
local helper = require "spec.helper"
local cuda = require "luacuda"

-- { line =, text = } of each block; `line` is that of its first line in the file.
local function blocks_of(path)
  local blocks, open, number = {}, nil, 0
  for line in io.lines(path) do
    number = number + 1
    if open and line:find "^```" then
      open.text = table.concat(open, "\n")
      blocks[#blocks + 1], open = open, nil
    elseif open then open[#open + 1] = line
    elseif line == "```lua" then open = { line = number + 1 } end
  end
  assert(not open, path .. ": a block is not closed")
  return blocks
end

-- Does the block make a kernel of a Lua function?
local function has_kernel_in_lua(text)
  for name in ("jit vectorize fuse"):gmatch "%S+" do
    if text:find("cuda%." .. name) then return true end
  end
  if not text:find "function%(" then return false end
  return text:find "cuda%.elementwise" or text:find "cuda%.reduction" or text:find "cuda%.scan"
end

-- A chunk with the file's line numbers, its own environment, and no output. Kernels in Lua need the
-- text of their chunk, which is then its name.
local function compile(path, block)
  local environment = setmetatable({ cuda = cuda, print = function(...)
    for i = 1, select("#", ...) do tostring((select(i, ...))) end
  end }, { __index = _G })
  local code = ("\n"):rep(block.line - 1) .. block.text
  local name = has_kernel_in_lua(block.text) and code or "@" .. path
  return assert(load(code, name, "t", environment))
end

local function run(path, block)
  local pattern = block.text:match "^%-%- error: ([^\n]*)"
  local chunk = compile(path, block)
  if not pattern then
    chunk()
    cuda.synchronize()
  else
    helper.assert_raises(chunk, pattern)
  end
end

describe("blocks", function()
  it("are found", function()
    assert.is_true(#blocks_of "README.md" >= 1)
    assert.is_true(#blocks_of "docs/guide.md" >= 20)
  end)
end)

helper.for_each_device(function()
  for _, path in ipairs { "README.md", "docs/guide.md" } do
    for _, block in ipairs(blocks_of(path)) do
      it(("%s:%d runs"):format(path, block.line), function() run(path, block) end)
    end
  end
end)
