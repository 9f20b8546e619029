-- The listing of a profile: its text, rebuilt from the costs and from the source as it is on disk.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- Lines far from each other and near, tabs, and ends of lines as on Windows.
local SOURCE = table.concat({
  "// the first line", "__global__ void k(float *out, const float *in, int n) {",
  "\t__shared__ float s[64];", "\tint i = threadIdx.x;", "\ts[i * 2 % 64] = in[i];",
  "\t__syncthreads();", "", "\t// a comment", "\tvolatile float local[40];   \r",
  "\tfor (int j = 0; j < n + i % 2; j++)",
  "\t\tlocal[j % 40] = s[(i + j) * 4 % 64] + (j > 3 ? local[j - 3] : 0);",
  ("\n"):rep(20), "\tif (i % 3 == 0) out[i] = local[n % 40];",
  "\telse out[i * 9 % 64] = s[i];", "}",
}, "\n")

-- Cells of a line of costs, without those that are empty.
local function cells_of(c)
  local list = { ("%.0f %%"):format(100 * c.share), tostring(c.instructions),
    ("%.0f %%"):format(100 * c.thread_instructions / (32 * c.instructions)) }
  if c.global_accesses > 0 then
    list[#list + 1] = ("%.1f"):format(c.global_sectors / c.global_accesses)
    list[#list + 1] = ("%.1f"):format(c.global_sectors_least / c.global_accesses)
  end
  if c.shared_accesses > 0 then list[#list + 1] = tostring(c.bank_conflicts) end
  if c.branches > 0 then
    list[#list + 1] = ("%d/%d"):format(c.divergent_branches, c.branches)
  end
  return list
end

-- { cells, line or "...", text } of what a listing of one file shows.
local function rows_of(costs, source)
  local rows, last = {}, nil
  for _, c in ipairs(costs) do
    if last and c.line - last - 1 > 12 then rows[#rows + 1] = { {}, "...", "" }
    elseif last then
      for n = last + 1, c.line - 1 do rows[#rows + 1] = { {}, tostring(n), source[n] } end
    end
    rows[#rows + 1] = { cells_of(c), tostring(c.line), source[c.line] }
    last = c.line
  end
  return rows
end

local function lines_of(text)
  local list = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do list[#list + 1] = line end
  return list
end

local function trimmed(text) return (text:gsub("%s+$", "")) end

-- Rows of a listing against those wanted; the numbers of lines end below each other.
local function check_rows(lines, first, want)
  local stop
  for i, row in ipairs(want) do
    local line = lines[first + i - 1]
    local cells = table.concat(row[1], " ")
    local left = line:match("^(.-%S*) *$")
    local text = trimmed(row[3]:gsub("\t", "  "))
    local words = trimmed(cells .. (cells == "" and "" or " ") .. row[2] .. " " .. text)
    assert.equal((words:gsub("%s+", " ")), (left:gsub("^%s+", ""):gsub("%s+", " ")))
    local at = #line - (text == "" and 0 or #text + 2)
    stop = stop or at
    assert.equal(stop, at)
    if text ~= "" then assert.equal("  " .. text, line:sub(at + 1)) end
  end
end

local function plural(n, one, more) return ("%d %s"):format(n, n == 1 and one or more) end

local function check_summary(lines, p)
  local k, t = p.kernels[1], p.totals
  local want = { ("k: %s, grid %s, block %s, %s of shared memory"):format(
    plural(k.launches, "launch", "launches"), k.grid[2] > 1 and "3 x 2" or "1",
    "16 x 2 x 2", plural(k.shared_bytes, "byte", "bytes")) }
  want[2] = ("  %s, %.0f %% of the lanes on"):format(
    plural(t.instructions, "warp instruction", "warp instructions"), 100 * t.lane_use)
  want[3] = ("  global memory: %s, %s, at least %d needed"):format(
    plural(t.global_accesses, "access", "accesses"), plural(t.global_sectors, "sector", "sectors"),
    t.global_sectors_least)
  want[4] = ("  shared memory: %s, %s"):format(plural(t.shared_accesses, "access", "accesses"),
    plural(t.bank_conflicts, "bank conflict", "bank conflicts"))
  want[5] = ("  local memory: %s, %s"):format(plural(t.local_accesses, "access", "accesses"),
    plural(t.local_sectors, "sector", "sectors"))
  want[6] = ("  branches: %d, %d of them diverged"):format(t.branches, t.divergent_branches)
  assert.same(want, table.move(lines, 1, 6, 1, {}))
end

describe("the listing of a profile", function()
  local before
  setup(function() before = cuda.use "cpu" end)
  teardown(function() cuda.use(before) end)

  it("has the source of a file with the costs of its lines", function()
    local path = helper.tmpdir() .. "/k.cu"
    helper.write_file(path, SOURCE)
    local source = {}
    for line in (SOURCE .. "\n"):gmatch "(.-)\n" do source[#source + 1] = line end
    local k <close> = cuda.kernel { path = path }
    for _, grid in ipairs { { 1 }, { 3, 2 } } do
      local p = k:profile({ grid = grid, block = { 16, 2, 2 } }, cuda.zeros(64), cuda.ones(64), 8)
      local lines = lines_of(tostring(p))
      check_summary(lines, p)
      assert.same({ "", path }, { lines[7], lines[8] })
      assert.equal("cost instructions lanes sectors least conflicts diverged line",
        (lines[9]:gsub("^%s+", ""):gsub("%s+", " ")))
      local want = rows_of(p.lines, source)
      check_rows(lines, 10, want)
      assert.equal(9 + #want, #lines)
      for _, name in ipairs { "bank_conflicts", "divergent_branches", "local_accesses" } do
        assert.is_true(p.totals[name] > 0, name)
      end
    end
  end)

  it("has what the library generates as one row", function()
    local double = cuda.elementwise("T x", "T y", "y = x * 2", "doubled")
    local lines = lines_of(tostring(double:profile(cuda.ones(100))))
    local at
    for i, line in ipairs(lines) do
      if line == "code that the library generates" then at = i end
    end
    assert.equal("", lines[at - 1])
    assert.equal(at + 2, #lines)
    assert.matches("^ *%d+ %%  +%d+  +%d+ %%", lines[at + 2])
  end)
end)
