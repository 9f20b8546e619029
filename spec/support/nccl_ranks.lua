-- Run by every rank of spec/device/nccl_spec.lua: every operation, compared with plain Lua. A rank
-- knows the data of all others: they are made from their rank's number. Prints "rank R: N cases".
local cuda = require "luacuda"

local comm = cuda.nccl.init { timeout_ms = 600000 }
local me, size = comm.rank, comm.size
local cases = 0

local function fail(text, ...) error(text:format(...), 2) end

local INTEGERS = { "int8", "uint8", "int32", "uint32", "int64", "uint64" }
local FLOATS = { "float16", "bfloat16", "float32", "float64" }
local COMPLEX = { "complex64", "complex128" }
local MOVED = { "int16", "uint16" }

local function is_among(list, value)
  for _, item in ipairs(list) do
    if item == value then return true end
  end
  return false
end

-- The n elements of a rank: the same in every process. Small, so that no result is rounded, and 0
-- and 1 for bools.
local function data(rank, n, dtype, salt)
  local list, state = {}, (rank + 1) * 7919 + (salt or 0) * 104729 + n
  for i = 1, n do
    state = (state * 1103515245 + 12345) % 2147483648
    local v = state // 65536 % 5
    if dtype:find "^uint" then v = v % 4
    elseif dtype == "bool" then v = v % 2 == 1
    else v = v - 2 end
    list[i] = v
  end
  return list
end

local function array(list, dtype, shape)
  if dtype:find "complex" then
    local parts = {}
    for i, v in ipairs(list) do parts[i] = cuda.complex(v, -2 * v) end
    list = parts
  end
  if #list == 0 then return cuda.zeros(shape or { 0 }, dtype) end
  local a = cuda.array(list, dtype)
  return shape and a:reshape(shape) or a
end

-- The elements as numbers; of complex ones the real part, after a look at the other one.
local function elements(a)
  local list = a.size > 0 and a:ravel():totable() or {}
  for i, v in ipairs(list) do
    if a.dtype:find "complex" then
      if v.im ~= -2 * v.re then fail("element %d: %s", i, tostring(v)) end
      list[i] = v.re
    end
  end
  return list
end

local function expect(what, want, a)
  local got = elements(a)
  if #got ~= #want then fail("%s: %d elements, expected %d", what, #got, #want) end
  for i = 1, #want do
    if got[i] ~= want[i] then
      fail("%s: element %d is %s, expected %s", what, i, tostring(got[i]), tostring(want[i]))
    end
  end
  cases = cases + 1
end

local COMBINE = {
  sum = function(a, b) return a + b end,
  prod = function(a, b) return a * b end,
  min = math.min,
  max = math.max,
}
local BOOLS = {
  min = function(a, b) return a and b end,
  prod = function(a, b) return a and b end,
  max = function(a, b) return a or b end,
}

local function combined(n, dtype, op, salt)
  local fn = (dtype == "bool" and BOOLS or COMBINE)[op == "avg" and "sum" or op]
  local result = data(0, n, dtype, salt)
  for r = 1, size - 1 do
    for i, v in ipairs(data(r, n, dtype, salt)) do result[i] = fn(result[i], v) end
  end
  if op == "avg" then
    for i = 1, n do result[i] = result[i] / size end
  end
  return result
end

local function concatenated(counts, dtype, salt)
  local list = {}
  for r = 0, size - 1 do
    for _, v in ipairs(data(r, counts[r + 1], dtype, salt)) do list[#list + 1] = v end
  end
  return list
end

local function equal_counts(n)
  local counts = {}
  for r = 1, size do counts[r] = n end
  return counts
end

local function slice(list, first, n) return table.move(list, first, first + n - 1, 1, {}) end

local function ops_of(dtype)
  if dtype == "bool" then return { "min", "max", "prod" } end
  if is_among(COMPLEX, dtype) then return { "sum" } end
  return { "sum", "prod", "min", "max" }
end

local function check_reductions(dtype, n)
  for salt, op in ipairs(ops_of(dtype)) do
    local what = ("%s %s %d"):format(dtype, op, n)
    local x = array(data(me, n, dtype, salt), dtype)
    local want = combined(n, dtype, op, salt)
    expect("all_reduce " .. what, want, comm:all_reduce(x, { op = op }))
    expect("its input", data(me, n, dtype, salt), x)
    local root = salt % size
    local out = comm:reduce(x, { op = op, root = root })
    if (out ~= nil) ~= (me == root) then fail("reduce %s: a result on the wrong rank", what) end
    if out then expect("reduce " .. what, want, out) end
    local all = array(data(me, n * size, dtype, salt), dtype)
    expect("reduce_scatter " .. what, slice(combined(n * size, dtype, op, salt), me * n + 1, n),
      comm:reduce_scatter(all, { op = op }))
    local other = array(data(me, n, dtype, salt), dtype)
    assert(comm:all_reduce(x, { op = op, out = other }) == other)
    expect("all_reduce into another " .. what, want, other)
    expect("its input", data(me, n, dtype, salt), x)
    local only = op == "sum" and { out = x } or { op = op, out = x }
    assert(comm:all_reduce(x, only) == x)
    expect("all_reduce in place " .. what, want, x)
    if me == root then comm:reduce(x, { op = op, root = root, out = x })
    else comm:reduce(x, { op = op, root = root }) end
  end
end

local function check_moves(dtype, n)
  local what = ("%s %d"):format(dtype, n)
  for root = 0, size - 1 do
    local x = array(data(me, n, dtype), dtype)
    local out = comm:broadcast(x, { root = root, out = cuda.zeros({ n }, dtype) })
    expect("broadcast out " .. what, data(root, n, dtype), out)
    expect("its input", data(me, n, dtype), x)
    local all = comm:gather(x, { root = root })
    if all then expect("gather " .. what, concatenated(equal_counts(n), dtype), all) end
    assert((all ~= nil) == (me == root))
    local whole = me == root and array(data(root, n * size, dtype), dtype) or nil
    local part = comm:scatter(whole, { root = root, out = cuda.zeros({ n }, dtype) })
    expect("scatter " .. what, slice(data(root, n * size, dtype), me * n + 1, n), part)
    assert(comm:broadcast(x, { root = root }) == x)
    expect("broadcast " .. what, data(root, n, dtype), x)
  end
  local x = array(data(me, n, dtype), dtype)
  expect("all_gather " .. what, concatenated(equal_counts(n), dtype), comm:all_gather(x))
  local whole, want = array(data(me, n * size, dtype), dtype), {}
  for r = 0, size - 1 do
    for _, v in ipairs(slice(data(r, n * size, dtype), me * n + 1, n)) do want[#want + 1] = v end
  end
  expect("all_to_all " .. what, want, comm:all_to_all(whole))
end

local function check_uneven(dtype)
  local counts, sum = {}, 0
  for r = 1, size do
    counts[r] = (r * 3 + 1) % 5 -- 4, 2, 0, 3
    sum = sum + counts[r]
  end
  local n = counts[me + 1]
  local x, want = array(data(me, n, dtype), dtype), concatenated(counts, dtype)
  expect("all_gather of parts", want, comm:all_gather(x, { counts = counts }))
  for root = 0, size - 1 do
    local all = comm:gather(x, { counts = counts, root = root })
    if all then expect("gather of parts", want, all) end
    local part = comm:scatter(me == root and array(want, dtype) or nil,
      { counts = counts, root = root, out = cuda.zeros({ n }, dtype) })
    expect("scatter of parts", data(me, n, dtype), part)
  end
  -- rank r sends (r + q) % 3 rows to rank q
  local to, from, source, wanted = {}, {}, {}, {}
  for q = 0, size - 1 do
    to[q + 1], from[q + 1] = (me + q) % 3, (q + me) % 3
    for i = 1, to[q + 1] do source[#source + 1] = me * 16 + q * 4 + i end
    for i = 1, from[q + 1] do wanted[#wanted + 1] = q * 16 + me * 4 + i end
  end
  expect("all_to_all of parts", wanted,
    comm:all_to_all(array(source, "int32"), { counts = to, from = from }))
end

local function check_avg()
  for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64", "complex128" } do
    -- the number of ranks is a power of two: exact
    expect("avg " .. dtype, combined(5, dtype, "avg"),
      comm:all_reduce(array(data(me, 5, dtype), dtype), { op = "avg" }))
  end
end

local function check_wide()
  local big = comm:all_reduce(cuda.array({ 2147483647 - me, math.mininteger // 4096 }, "int64"))
  local small = comm:all_reduce(cuda.array({ 2147483647 - me }, "int32"))
  local sum = 0
  for r = 0, size - 1 do sum = sum + 2147483647 - r end
  expect("int64", { sum, size * (math.mininteger // 4096) }, big)
  expect("int32 wraps", { (sum + 2147483648) % 4294967296 - 2147483648 }, small)
  local nan = comm:all_reduce(cuda.array({ me == 1 and 0 / 0 or me }, "float32"), { op = "max" })
  assert(cuda.device().kind ~= "cpu" or nan:item() ~= nan:item(), "a NaN stays") -- NCCL drops it
  local long = comm:all_reduce(cuda.full({ 300000 }, me + 1, "float32"))
  assert(long:min() == size * (size + 1) / 2 and long:max() == long:min())
  cases = cases + 2
end

local function check_pairs()
  local right, left = (me + 1) % size, (me - 1) % size
  local x, got = array(data(me, 9, "float32"), "float32"), cuda.zeros({ 9 }, "float32")
  comm:group(function()
    comm:send(x, right)
    comm:recv(got, left)
  end)
  expect("ring", data(left, 9, "float32"), got)
  if me == 0 then comm:send(x, 1)
  elseif me == 1 then expect("send", data(0, 9, "float32"), comm:recv(got, 0)) end
  -- a group of several operations, and nothing of one that raises
  local a, b = cuda.full({ 3 }, me, "int32"), cuda.full({ 2 }, 1, "int64")
  local sums, ones = comm:group(function() return comm:all_reduce(a), comm:all_reduce(b) end)
  expect("group", { size * (size - 1) // 2, size * (size - 1) // 2, size * (size - 1) // 2 }, sums)
  expect("group", { size, size }, ones)
  assert(not pcall(comm.group, comm, function()
    comm:all_reduce(a, { out = a })
    error "no"
  end))
  expect("a group that raises", { me, me, me }, a)
end

local function check_numbers()
  assert(comm:all_reduce(me + 1) == size * (size + 1) // 2)
  assert(math.type(comm:all_reduce(me)) == "integer")
  assert(comm:all_reduce(me + 0.5, { op = "max" }) == size - 0.5)
  assert(comm:broadcast(me * 10, { root = size - 1 }) == (size - 1) * 10)
  assert(comm:reduce(1, { root = 1 }) == (me == 1 and size or nil))
  cases = cases + 5
end

local function check_order()
  local s <close> = cuda.stream()
  local x = cuda.zeros({ 1000 }, "float32")
  for i = 1, 20 do -- each round follows the one before, whichever stream it is on
    x:fill(me + i)
    local y = comm:all_reduce(x, { stream = i % 2 == 0 and s or nil })
    x:fill(-1)
    assert(y[1] == size * i + size * (size - 1) / 2, "round " .. i)
    assert(y[1000] == size * i + size * (size - 1) / 2, "round " .. i)
  end
  cases = cases + 1
end

local function check_group_of_sums()
  local x, y = cuda.full({ 2 }, me, "int32"), cuda.full({ 3 }, 2, "int32")
  comm:group(function()
    comm:all_reduce(x, { out = x })
    comm:all_reduce(y, { out = y })
    assert(x[1] == me and y[1] == 2) -- nothing is queued yet
  end)
  local total = size * (size - 1) // 2
  expect("a group of sums in place", { total, total }, x)
  expect("a group of sums in place", { 2 * size, 2 * size, 2 * size }, y)
end

local function check_graph()
  local x = cuda.full({ 4 }, me + 1, "int32")
  local g <close> = cuda.graph(function() comm:all_reduce(x, { out = x }) end)
  g:launch()
  g:launch()
  local total = size * (size + 1) // 2 * size
  expect("graph", { total, total, total, total }, x)
end

local function check_split()
  local part = comm:split(me % 2, { key = -me })
  local ranks = comm:split(nil)
  assert(ranks == nil)
  assert(part.size == (size + 1 - me % 2) // 2 and part.rank == (part.size - 1) - me // 2)
  assert(comm:all_reduce(1) == size and part:all_reduce(1) == part.size)
  local x = part:all_reduce(cuda.full({ 3 }, 1, "int32"))
  part:close()                        -- with work in the queue
  expect("split", { (size + 1 - me % 2) // 2, (size + 1 - me % 2) // 2, (size + 1 - me % 2) // 2 },
    x)
  assert(not pcall(part.all_reduce, part, 1))
end

local function raises(pattern, fn, ...)
  local ok, message = pcall(fn, ...)
  if ok or not tostring(message):find(pattern) then
    fail("expected an error with %s, got %s", pattern, tostring(message))
  end
  cases = cases + 1
  return message
end

-- Every rank raises, and goes on.
local function check_differences()
  local x = cuda.zeros({ me == 1 and 4 or 3 }, "float32")
  raises("the ranks differ: rank 0 calls all_reduce of float32, 3 elements, op sum; rank 1 calls "
    .. "all_reduce of float32, 4 elements", comm.all_reduce, comm, x, { check = true })
  if comm.device.kind ~= "cpu" then return end -- without `check` these wait for the time limit
  local e = raises("rank 0 calls all_reduce of 3 float32 elements, op sum, root 0; rank 1",
    function()
      comm:all_reduce(x)
      cuda.synchronize()
    end)
  assert(e.kind == "communication" and e.name == "LUACUDA_ERROR_COMMUNICATION", e.kind)
  raises("differ", function()
    if me == 0 then comm:broadcast(x) else comm:all_reduce(x) end
    cuda.synchronize()
  end)
  raises("differ", function()
    comm:broadcast(cuda.zeros({ 2 }, me == 0 and "int32" or "float32"))
    cuda.synchronize()
  end)
  assert(comm:all_reduce(1) == size)
end

local function check_misuse()
  local x = cuda.zeros({ size * 2, 3 }, "float32")
  raises("is not contiguous", comm.all_reduce, comm, x:slice({}, { 1, 3, 2 }))
  raises("the output overlaps the input", comm.reduce_scatter, comm, x, { out = x:slice { 1, 2 } })
  raises("'root': 9 is not a rank: they are 0 to", comm.broadcast, comm, x, { root = 9 })
  raises("expected 'sum', 'prod', 'min', 'max' or 'avg', got 'mean'", comm.all_reduce, comm, x,
    { op = "mean" })
  raises("prod of complex64: complex numbers have only sum and avg", comm.all_reduce, comm,
    cuda.zeros({ 2 }, "complex64"), { op = "prod" })
  raises("NCCL has no integers of 16 bits", comm.all_reduce, comm, cuda.zeros({ 2 }, "int16"))
  raises("integers have no avg", comm.all_reduce, comm, cuda.zeros({ 2 }, "int32"), { op = "avg" })
  raises("does not divide among", comm.all_to_all, comm, cuda.zeros { size * 2 + 1 })
  raises("expected float32 {%d+, 3}, got float32 {1}", comm.all_reduce, comm, x,
    { out = cuda.zeros { 1 } })
  raises("expected float32 {%d+, 3}, got int32", comm.all_gather, comm, x,
    { out = cuda.zeros({ size * size * 2, 3 }, "int32") })
  raises("unknown option 'oot'", comm.all_reduce, comm, x, { oot = 1 })
  raises("a list of %d numbers", comm.all_gather, comm, x, { counts = { 1 } })
  local twos = {}
  for i = 1, size do twos[i] = 2 end
  raises("'from' .* belong together", comm.all_to_all, comm, x, { counts = twos })
  local point = cuda.struct("Point", { { "x", "float32" }, { "n", "int32" } })
  local p = comm:broadcast(cuda.array({ { x = me + 0.5, n = me } }, point), { root = 1 })
  assert(p[1].x == 1.5 and p[1].n == 1)
end

for _, dtype in ipairs(INTEGERS) do check_reductions(dtype, 7) end
for _, dtype in ipairs(FLOATS) do check_reductions(dtype, 7) end
for _, dtype in ipairs(COMPLEX) do check_reductions(dtype, 3) end
check_reductions("bool", 6)
check_reductions("float32", 0)
for _, list in ipairs { INTEGERS, FLOATS, COMPLEX, MOVED, { "bool" } } do
  for _, dtype in ipairs(list) do check_moves(dtype, 3) end
end
check_moves("float64", 0)
check_uneven "float32"
check_uneven "complex64"
check_avg()
check_wide()
check_pairs()
check_numbers()
check_order()
check_group_of_sums()
check_graph()
check_split()
check_differences()
check_misuse()
comm:barrier()
comm:close()
assert(not pcall(comm.barrier, comm))
print(("rank %d: %d cases"):format(me, cases))
