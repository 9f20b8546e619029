-- Which elements LUACUDA_CPU_CHECK=all takes for written, after random ways to write random views:
-- compared with a model that has one flag per element.
local helper = require "spec.helper"

-- Prints what differs. A kernel reads the first and the last byte of each element, which is a fault
-- where nothing has written it.
local PROGRAM = [==[
local cuda = require "luacuda"
math.randomseed(SEED)
local ROWS, COLUMNS, ROUNDS = 5, 7, 40
local DTYPES = { "float32", "float64", "int16", "uint8" }
local m = cuda.module [[
  __global__ void read(const unsigned char *p, int at, unsigned char *o) { *o = p[at]; }
  __global__ void write(unsigned char *p, int at, int n) { for (; n > 0; n--) p[at++] = 1; }
]]
local read, write, out = m:kernel "read", m:kernel "write", cuda.zeros(1, "uint8")
local ONE = { grid = 1, block = 1 }
local random = math.random

-- { array =, bytes = the same as bytes, written = flags of its elements }
local function new()
  local a = cuda.empty({ ROWS, COLUMNS }, DTYPES[random(#DTYPES)])
  local written = {}
  for i = 1, a.size do written[i] = false end
  return { array = a, bytes = a:view "uint8":reshape(-1), width = a.nbytes // a.size,
    written = written }
end

local function range(n)
  local first, last = random(n), random(n)
  local step = random(2)
  if first > last then step = -step end
  local list = {}
  for i = first, last, step do list[#list + 1] = i end
  return { first, last, step }, list
end

-- A view and the numbers of its elements, row by row.
local function view_of(x)
  local r, rows = range(ROWS)
  local c, columns = range(COLUMNS)
  local a, turned, at = x.array:slice(r, c), random(2) == 1, {}
  local outer, inner = rows, columns
  if turned then a, outer, inner = a:transpose(), columns, rows end
  for _, i in ipairs(outer) do
    for _, k in ipairs(inner) do
      at[#at + 1] = turned and (k - 1) * COLUMNS + i or (i - 1) * COLUMNS + k
    end
  end
  return { array = a, at = at, rows = #outer, columns = #inner, of = x }
end

local function all_written(v) for _, i in ipairs(v.at) do v.of.written[i] = true end end

local function nested(rows, columns)
  local t = {}
  for i = 1, rows do
    t[i] = {}
    for k = 1, columns do t[i][k] = i + k end
  end
  return t
end

-- A view of the same shape of another array, or of another part of the same one.
local function fitting(v)
  for _ = 1, 200 do
    local source = view_of(random(3) == 1 and v.of or v.partner)
    if source.rows == v.rows and source.columns == v.columns then return source end
  end
end

local ways = {}
function ways.fill(v) v.array:fill(3) all_written(v) end
function ways.number(v) v.array:set(4) all_written(v) end
function ways.table(v) v.array:set(nested(v.rows, v.columns)) all_written(v) end
function ways.bytes(v) v.array:set(("\1"):rep(v.array.nbytes)) all_written(v) end

function ways.item(v)
  local i, k = random(v.rows), random(v.columns)
  v.array:setitem(5, i, k)
  v.of.written[v.at[(i - 1) * v.columns + k]] = true
end

function ways.array(v)
  local source = fitting(v)
  if not source then return end
  local known = {}
  for n, i in ipairs(source.at) do known[n] = source.of.written[i] end
  v.array:set(source.array)
  for n, i in ipairs(v.at) do v.of.written[i] = known[n] end
end

function ways.copy_of_row(v) -- broadcast
  local source = v.partner
  local i, first = random(ROWS), random(COLUMNS - v.columns + 1)
  v.array:set(source.array:slice(i, { first, first + v.columns - 1 }))
  for n, at in ipairs(v.at) do
    v.of.written[at] = source.written[(i - 1) * COLUMNS + first + (n - 1) % v.columns]
  end
end

function ways.kernel(v)
  local i = v.at[random(#v.at)]
  write(ONE, v.of.bytes, (i - 1) * v.of.width, v.of.width)
  v.of.written[i] = true
end

function ways.words(v)
  local x, first = v.of, random(#v.of.written)
  local n = random(0, #x.written - first + 1)
  cuda.memset(x.array, 1, n, { offset = (first - 1) * x.width, width = x.width })
  for i = first, first + n - 1 do x.written[i] = true end
end

function ways.rows_of_words(v)
  local x, columns, height = v.of, random(COLUMNS), random(ROWS)
  cuda.memset2d(x.array, 1, { columns = columns, height = height, width = x.width,
    pitch = COLUMNS * x.width })
  for i = 1, height do
    for k = 1, columns do x.written[(i - 1) * COLUMNS + k] = true end
  end
end

-- A rectangle of elements of the same width.
function ways.rectangle(v)
  local x, y = v.of, v.partner
  if x.width ~= y.width then return end
  local width, height = random(COLUMNS), random(ROWS)
  local from = { random(0, COLUMNS - width), random(0, ROWS - height) }
  local to = { random(0, COLUMNS - width), random(0, ROWS - height) }
  cuda.copy2d { dst = x.array, src = y.array, width = width * x.width, height = height,
    src_x = from[1] * x.width, src_y = from[2], dst_x = to[1] * x.width, dst_y = to[2] }
  for i = 0, height - 1 do
    for k = 1, width do
      x.written[(to[2] + i) * COLUMNS + to[1] + k] =
        y.written[(from[2] + i) * COLUMNS + from[1] + k]
    end
  end
end

-- Elements without gaps, as one copy of bytes.
function ways.run(v)
  local x, y = v.of, v.partner
  if x.array.dtype ~= y.array.dtype then return end
  local n = random(#x.written)
  local from, to = random(0, #x.written - n), random(0, #x.written - n)
  cuda.copy(x.array:reshape(-1):slice { to + 1, to + n },
    y.array:reshape(-1):slice { from + 1, from + n })
  table.move(y.written, from + 1, from + n, to + 1, x.written)
end

local names = {}
for name in pairs(ways) do names[#names + 1] = name end
table.sort(names)

local function is_written(x, at)
  local ok, e = pcall(function()
    read(ONE, x.bytes, at, out)
    cuda.synchronize()
  end)
  if not ok and e.fault ~= "uninitialized" then error(e) end
  return ok
end

local counts = { [true] = 0, [false] = 0 }
local function compare(x, story)
  for i, want in ipairs(x.written) do
    counts[want] = counts[want] + 1
    local first = (i - 1) * x.width
    if is_written(x, first) ~= want or is_written(x, first + x.width - 1) ~= want then
      print(("element %d of %s: written should be %s, after %s"):format(i, tostring(x.array.dtype),
        want, table.concat(story, ", ")))
      os.exit(1)
    end
  end
end

for _ = 1, ROUNDS do
  local x, y, story = new(), new(), {}
  for n = 1, random(6) do
    local v = view_of(n == 1 and y or x)
    v.partner = y
    story[n] = names[random(#names)]
    ways[story[n]](v)
  end
  compare(x, story)
  compare(y, story)
end
assert(counts[true] > 300 and counts[false] > 300)
print "same"
]==]

describe("all checks of the CPU device", function()
  it("count exactly the elements as written that something wrote", function()
    for seed = 1, 2 do
      local ok, text = helper.lua(PROGRAM:gsub("SEED", seed),
        { env = { LUACUDA_DEVICE = "cpu", LUACUDA_CPU_CHECK = "all" } })
      assert.is_true(ok, text)
      assert.equal("same", text:gsub("%s+$", ""))
    end
  end)
end)
