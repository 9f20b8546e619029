-- listing.lua: a kernel's profile as text: the source, each line next to its cost.

local columns = require "luacuda.base.columns"

local M = {}

M.generated = "code that the library generates"

local function percent(x) return ("%.0f %%"):format(100 * x) end

local function some(format, n, of)
  return of > 0 and format:format(n) or ""
end

-- The columns: heading, what it means, text of a line's cost.
M.columns = {
  { "cost", "share of the clocks that all lines take", function(c) return percent(c.share) end },
  { "instructions", "PTX instructions, each counted once for a warp",
    function(c) return tostring(c.instructions) end },
  { "lanes", "lanes of a warp that were on, on average",
    function(c) return percent(c.lane_use) end },
  { "sectors", "sectors of 32 bytes for one access to global memory, on average",
    function(c) return some("%.1f", c.sectors_per_access, c.global_accesses) end },
  { "least", "sectors that would hold the same bytes side by side",
    function(c)
      return some("%.1f", c.global_sectors_least / math.max(c.global_accesses, 1),
        c.global_accesses)
    end },
  { "conflicts", "passes over the banks of shared memory beyond the first of each access",
    function(c) return some("%d", c.bank_conflicts, c.shared_accesses) end },
  { "diverged", "branches at which the lanes of a warp parted, of all",
    function(c)
      return c.branches > 0 and ("%d/%d"):format(c.divergent_branches, c.branches) or ""
    end },
}

-- "1 access", "2 accesses"
local function counted(n, what, plural)
  return ("%d %s%s"):format(n, what, n == 1 and "" or plural)
end

-- Lines about a kernel.
function M.heading(kernel)
  local function dims(d)
    return d[3] > 1 and ("%d x %d x %d"):format(table.unpack(d))
      or d[2] > 1 and ("%d x %d"):format(d[1], d[2]) or tostring(d[1])
  end
  return ("%s: %s, grid %s, block %s, %s of shared memory"):format(kernel.name,
    counted(kernel.launches, "launch", "es"), dims(kernel.grid), dims(kernel.block),
    counted(kernel.shared_bytes, "byte", "s"))
end

-- Sentences about all lines.
function M.summary(t)
  local list = { ("%s, %s of the lanes on"):format(
    counted(t.instructions, "warp instruction", "s"), percent(t.lane_use)) }
  if t.global_accesses > 0 then
    list[#list + 1] = ("global memory: %s, %s, at least %d needed"):format(
      counted(t.global_accesses, "access", "es"), counted(t.global_sectors, "sector", "s"),
      t.global_sectors_least)
  end
  if t.shared_accesses > 0 then
    list[#list + 1] = ("shared memory: %s, %s"):format(
      counted(t.shared_accesses, "access", "es"), counted(t.bank_conflicts, "bank conflict", "s"))
  end
  if t.local_accesses > 0 then
    list[#list + 1] = ("local memory: %s, %s"):format(
      counted(t.local_accesses, "access", "es"), counted(t.local_sectors, "sector", "s"))
  end
  if t.branches > 0 then
    list[#list + 1] = ("branches: %d, %d of them diverged"):format(t.branches,
      t.divergent_branches)
  end
  return list
end

local COUNT = #M.columns

local function row_of(row)
  local cells = {}
  for i = 1, COUNT do cells[i] = row.cost and M.columns[i][3](row.cost) or "" end
  cells[COUNT + 1] = row.line and tostring(row.line) or "..."
  return cells
end

local function head()
  local cells = {}
  for i = 1, COUNT do cells[i] = M.columns[i][1] end
  cells[COUNT + 1] = "line"
  return cells
end

local function add_file(list, file)
  local rows = { head() }
  for _, row in ipairs(file.rows) do rows[#rows + 1] = row_of(row) end
  if not file.file then rows[2][COUNT + 1] = "" end
  local texts = columns.lines(rows, 0)
  list[#list + 1] = ""
  list[#list + 1] = file.file or M.generated
  list[#list + 1] = texts[1]
  for i, row in ipairs(file.rows) do
    local text = (row.text or ""):gsub("\t", "  ")
    list[#list + 1] = (texts[i + 1] .. (file.file and row.line and "  " .. text or "")):gsub(
      "%s+$", "")
  end
end

-- listing.text(profile) -> the whole profile as text
function M.text(profile)
  local list = {}
  for _, kernel in ipairs(profile.kernels) do list[#list + 1] = M.heading(kernel) end
  for _, sentence in ipairs(M.summary(profile.totals)) do list[#list + 1] = "  " .. sentence end
  for _, file in ipairs(profile.files) do add_file(list, file) end
  return table.concat(list, "\n")
end

return M
