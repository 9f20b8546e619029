-- collectives.lua: the methods of communicators. Ranks count from 0. The first axis of an array is
-- what ranks divide among them.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local checks = require "luacuda.nccl.check"
local operations = require "luacuda.nccl.operations"

local fail, run, groups = arguments.fail, operations.run, operations.groups
local comm_sum, type = core.comm_sum, type
local OPS = { sum = true, prod = true, min = true, max = true, avg = true }


-- ---- arguments ----

local NAMES = { -- of options
  all_reduce = { "op", "out", "stream", "check" },
  reduce = { "op", "out", "root", "stream", "check" },
  broadcast = { "out", "root", "stream", "check" },
  reduce_scatter = { "op", "out", "stream", "check" },
  all_gather = { "out", "counts", "stream", "check" },
  gather = { "out", "root", "counts", "stream", "check" },
  scatter = { "out", "root", "counts", "stream", "check" },
  all_to_all = { "out", "counts", "from", "stream", "check" },
  send = { "stream" }, recv = { "stream" },
}

local function options(what, given)
  local opts = arguments.options(what, given, NAMES[what])
  arguments.boolean(what, opts, "check")
  return opts
end

local function op_of(what, opts)
  local op = opts.op
  if op == nil then return "sum" end
  if not OPS[op] then
    fail(what, "option 'op': expected 'sum', 'prod', 'min', 'max' or 'avg', got %s",
      type(op) == "string" and "'" .. op .. "'" or arguments.describe(op))
  end
  return op
end

local function rank_of(what, label, value, comm)
  local rank = math.type(value) and math.tointeger(value)
  if not rank then fail(what, "%s: expected a rank, got %s", label, arguments.describe(value)) end
  if rank < 0 or rank >= comm.size then
    fail(what, "%s: %d is not a rank: they are 0 to %d", label, rank, comm.size - 1)
  end
  return rank
end

local function root_of(what, opts, comm)
  return rank_of(what, "option 'root'", opts.root or 0, comm)
end

local function check_array(what, label, comm, a)
  if a.device ~= comm.device then
    fail(what, "%s is on %s, the communicator on %s; copy it with :to()", label, a.device.label,
      comm.device.label)
  end
  if not a.is_contiguous then
    fail(what, "%s is not contiguous; use :contiguous()", label)
  end
  return a
end

local function input(what, comm, value)
  if core.comm_fits(comm, value) then return value end
  return check_array(what, "argument 1 'x'", comm, arguments.array(what, 1, "x", value))
end

local function same_shape(a, shape)
  if a.ndim ~= #shape then return false end
  for i = 1, #shape do
    if a.shape[i] ~= shape[i] then return false end
  end
  return true
end

local function shape_of(a)
  local shape = {}
  for i = 1, a.ndim do shape[i] = a.shape[i] end
  return shape
end

local function shape_text(shape) return "{" .. table.concat(shape, ", ") .. "}" end

-- Option `out`, or a new array.
local function output(what, comm, opts, shape, dtype)
  local out = opts.out
  if out == nil then return core.empty(shape, dtype, { device = comm.device }) end
  if arguments.open_type(out) ~= "array" then
    fail(what, "option 'out': expected an Array, got %s", arguments.describe(out))
  end
  if out.dtype ~= dtype or not same_shape(out, shape) then
    fail(what, "option 'out': expected %s %s, got %s %s", tostring(dtype), shape_text(shape),
      tostring(out.dtype), shape_text(shape_of(out)))
  end
  return check_array(what, "option 'out'", comm, out)
end

-- The same for a result like x, which may be x itself.
local function output_like(what, comm, opts, x)
  if opts.out == x then return x end
  return output(what, comm, opts, shape_of(x), x.dtype)
end

-- The shape with another first extent; an array without axes counts as one row.
local function with_rows(a, rows)
  local shape = shape_of(a)
  shape[1] = rows
  return shape
end

local function rows_of(a) return a.ndim == 0 and 1 or a.shape[1] end

-- The rows of one rank, of an array that has those of all.
local function divided(what, comm, a)
  local rows = a.ndim > 0 and a.shape[1] or 0
  if a.ndim == 0 or rows % comm.size ~= 0 then
    fail(what, "argument 1 'x': the first axis of %s does not divide among %d ranks",
      shape_text(shape_of(a)), comm.size)
  end
  return rows // comm.size
end

-- Option `check`, which most calls do without.
local function checked(comm, kind, op, root, dtype, count)
  if operations.is_grouping(comm) then
    fail(kind, "option 'check' cannot be used in a group, which exchanges nothing before its end")
  end
  checks.check(comm, kind, op, root, dtype, count, comm.device)
end


-- ---- numbers ----

-- fn(array) -> an array, for a number: its result as a number.
local function of_number(what, comm, value, fn)
  if operations.is_grouping(comm) then
    fail(what, "argument 1 'x': a number needs an answer at once, which a group does not give")
  end
  local dtype = math.type(value) == "integer" and "int64" or "float64"
  local result = fn(core.full({}, value, dtype, { device = comm.device }))
  return result and result:item()
end

-- A method whose argument may be a number, without `out`.
local function numeric(what, method)
  return function(comm, x, given)
    if math.type(x) == nil then return method(comm, x, given) end
    if given ~= nil and type(given) == "table" and given.out ~= nil then
      fail(what, "option 'out': a number has none")
    end
    return of_number(what, comm, x, function(a) return method(comm, a, given) end)
  end
end


-- ---- reductions and broadcasts ----

-- A method of one operation, with options `op` and `root` where it has them.
-- output_of(what, comm, opts, x, root) -> what it writes, or nil
local function whole(what, has_op, has_root, output_of)
  return function(comm, x, given)
    local opts = options(what, given)
    local op = has_op and op_of(what, opts) or nil
    local root = has_root and root_of(what, opts, comm) or nil
    x = input(what, comm, x)
    local out = output_of(what, comm, opts, x, root)
    if opts.check then checked(comm, what, op, root, x.dtype, x.size) end
    run(comm, opts.stream, what, op, root, x, out)
    return out
  end
end

local all_reduce = whole("all_reduce", true, false, output_like)

local any_all_reduce = numeric("all_reduce", all_reduce)

local function quick_all_reduce(comm, x, given)
  if not groups[comm] and comm_sum(comm, x, given) then return x end
  return any_all_reduce(comm, x, given)
end

local reduce = whole("reduce", true, true, function(what, comm, opts, x, root)
  return root == comm.rank and output_like(what, comm, opts, x) or nil
end)

-- In place, unless `out` is given.
local broadcast = whole("broadcast", false, true, function(what, comm, opts, x)
  return opts.out and output_like(what, comm, opts, x) or x
end)

local reduce_scatter = whole("reduce_scatter", true, false, function(what, comm, opts, x)
  return output(what, comm, opts, with_rows(x, divided(what, comm, x)), x.dtype)
end)


-- ---- rows of every rank ----

-- Option `counts`, the rows of each rank -> the list and their sum; nil without it.
local function counts_of(what, comm, opts, name)
  local list, sum = opts[name], 0
  if list == nil then return nil end
  if type(list) ~= "table" or #list ~= comm.size then
    fail(what, "option '%s': expected a list of %d numbers, one for each rank", name, comm.size)
  end
  for i = 1, comm.size do
    local n = math.type(list[i]) and math.tointeger(list[i])
    if not n or n < 0 then
      fail(what, "option '%s': item %d: expected a number of rows, got %s", name, i,
        arguments.describe(list[i]))
    end
    sum = sum + n
  end
  return list, sum
end

local function check_rows(what, a, name, rows)
  if a.ndim == 0 or a.shape[1] ~= rows then
    fail(what, "argument 1 'x': option '%s' says %d rows, the shape is %s", name, rows,
      shape_text(shape_of(a)))
  end
end

-- The parts of an array with so many rows each, in the order of ranks.
local function parts_of(a, counts)
  local parts, first = {}, 1
  for i, n in ipairs(counts) do
    parts[i] = a:slice{ first, first + n - 1 }
    first = first + n
  end
  return parts
end

-- A part that stays on its rank is a send to itself: a group has both ends of it.
local function send_to(comm, stream, part, rank)
  if part.size > 0 then run(comm, stream, "send", nil, rank, part) end
end

local function receive_from(comm, stream, part, rank)
  if part.size > 0 then run(comm, stream, "recv", nil, rank, nil, part) end
end

local function together(comm, opts, fn)
  local stream = opts.stream
  if operations.is_grouping(comm) then return fn(stream) end
  operations.group(comm, stream, fn)
end

local function all_gather_uneven(comm, x, opts, counts, sum)
  check_rows("all_gather", x, "counts", counts[comm.rank + 1])
  local out = output("all_gather", comm, opts, with_rows(x, sum), x.dtype)
  local parts = parts_of(out, counts)
  together(comm, opts, function(stream)
    for r = 0, comm.size - 1 do
      if counts[r + 1] > 0 then
        local part = parts[r + 1]
        run(comm, stream, "broadcast", nil, r, r == comm.rank and x or part, part)
      end
    end
  end)
  return out
end

local function all_gather(comm, x, given)
  local opts = options("all_gather", given)
  x = input("all_gather", comm, x)
  local counts, sum = counts_of("all_gather", comm, opts, "counts")
  if opts.check then checked(comm, "all_gather", nil, nil, x.dtype, counts and sum or x.size) end
  if counts then return all_gather_uneven(comm, x, opts, counts, sum) end
  local out = output("all_gather", comm, opts, with_rows(x, rows_of(x) * comm.size), x.dtype)
  run(comm, opts.stream, "all_gather", nil, nil, x, out)
  return out
end

local function gather_uneven(comm, x, opts, root, counts, sum)
  check_rows("gather", x, "counts", counts[comm.rank + 1])
  local out = root == comm.rank and output("gather", comm, opts, with_rows(x, sum), x.dtype)
  together(comm, opts, function(stream)
    send_to(comm, stream, x, root)
    local parts = out and parts_of(out, counts) or {}
    for r, part in ipairs(parts) do receive_from(comm, stream, part, r - 1) end
  end)
  return out or nil
end

local function gather(comm, x, given)
  local opts = options("gather", given)
  local root = root_of("gather", opts, comm)
  x = input("gather", comm, x)
  local counts, sum = counts_of("gather", comm, opts, "counts")
  if opts.check then checked(comm, "gather", nil, root, x.dtype, counts and sum or x.size) end
  if counts then return gather_uneven(comm, x, opts, root, counts, sum) end
  local shape = with_rows(x, rows_of(x) * comm.size)
  local out = root == comm.rank and output("gather", comm, opts, shape, x.dtype) or nil
  run(comm, opts.stream, "gather", nil, root, x, out)
  return out
end

-- What a rank that is not the root receives into.
local function scatter_output(comm, opts)
  if opts.out == nil then
    fail("scatter", "option 'out' is needed on all ranks but the root, which knows the shape")
  end
  return check_array("scatter", "option 'out'", comm,
    arguments.array("scatter", 2, "out", opts.out))
end

local function scatter_source(comm, x, counts, sum)
  x = input("scatter", comm, x)
  if counts then check_rows("scatter", x, "counts", sum) end
  return x, counts and counts[comm.rank + 1] or divided("scatter", comm, x)
end

local function scatter_uneven(comm, x, out, opts, root, counts)
  together(comm, opts, function(stream)
    for r, part in ipairs(x and parts_of(x, counts) or {}) do
      send_to(comm, stream, part, r - 1)
    end
    receive_from(comm, stream, out, root)
  end)
  return out
end

-- x is needed on the root, `out` on the others.
local function scatter(comm, x, given)
  local opts = options("scatter", given)
  local root = root_of("scatter", opts, comm)
  local counts, sum = counts_of("scatter", comm, opts, "counts")
  local out
  if root == comm.rank then
    local rows
    x, rows = scatter_source(comm, x, counts, sum)
    out = output("scatter", comm, opts, with_rows(x, rows), x.dtype)
  else
    x, out = nil, scatter_output(comm, opts)
    if counts then check_rows("scatter", out, "counts", counts[comm.rank + 1]) end
  end
  if opts.check then checked(comm, "scatter", nil, root, out.dtype, counts and sum or out.size) end
  if counts then return scatter_uneven(comm, x, out, opts, root, counts) end
  run(comm, opts.stream, "scatter", nil, root, x, out)
  return out
end

local function all_to_all_uneven(comm, x, opts, sends, sent, receives, received)
  check_rows("all_to_all", x, "counts", sent)
  local out = output("all_to_all", comm, opts, with_rows(x, received), x.dtype)
  together(comm, opts, function(stream)
    local to, from = parts_of(x, sends), parts_of(out, receives)
    for r = 1, comm.size do
      send_to(comm, stream, to[r], r - 1)
      receive_from(comm, stream, from[r], r - 1)
    end
  end)
  return out
end

local function all_to_all(comm, x, given)
  local opts = options("all_to_all", given)
  x = input("all_to_all", comm, x)
  local sends, sent = counts_of("all_to_all", comm, opts, "counts")
  local receives, received = counts_of("all_to_all", comm, opts, "from")
  if (sends == nil) ~= (receives == nil) then
    fail("all_to_all", "options 'counts' (rows to each rank) and 'from' (rows from each rank) "
      .. "belong together")
  end
  if opts.check then checked(comm, "all_to_all", nil, nil, x.dtype, sends and 0 or x.size) end
  if sends then return all_to_all_uneven(comm, x, opts, sends, sent, receives, received) end
  divided("all_to_all", comm, x)
  local out = output("all_to_all", comm, opts, shape_of(x), x.dtype)
  run(comm, opts.stream, "all_to_all", nil, nil, x, out)
  return out
end


-- ---- two ranks ----

local function send(comm, x, to, given)
  local opts = options("send", given)
  to = rank_of("send", "argument 2 'to'", to, comm)
  x = input("send", comm, x)
  run(comm, opts.stream, "send", nil, to, x)
  return x
end

local function recv(comm, x, from, given)
  local opts = options("recv", given)
  from = rank_of("recv", "argument 2 'from'", from, comm)
  x = input("recv", comm, x)
  run(comm, opts.stream, "recv", nil, from, nil, x)
  return x
end


-- ---- the whole ----

local function barrier(comm)
  if operations.is_grouping(comm) then fail("barrier", "a group cannot wait") end
  of_number("barrier", comm, 0, function(a)
    core.comm_run(comm, nil, "all_reduce", "max", nil, a, a)
    return a
  end)
end

local function color_of(given)
  local color = given == nil and -1 or given
  local n = math.type(color) and math.tointeger(color)
  if not n or n > 0x7fffffff or (given ~= nil and n < 0) then
    fail("split", "argument 1 'color': expected a number from 0, or nil for no part, got %s",
      arguments.describe(given))
  end
  return n
end

local function split(comm, color, given)
  local opts = arguments.options("split", given, { "key" })
  local key = arguments.count("split", opts, "key", -0x7fffffff, 0x7fffffff) or comm.rank
  if operations.is_grouping(comm) then fail("split", "a group cannot split a communicator") end
  return core.comm_split(comm, color_of(color), key)
end

local function group(comm, fn, given)
  local opts = arguments.options("group", given, { "stream" })
  if type(fn) ~= "function" then
    fail("group", "argument 1: expected a function, got %s", arguments.describe(fn))
  end
  return operations.group(comm, opts.stream, fn)
end

return {
  all_reduce = quick_all_reduce, reduce = numeric("reduce", reduce),
  broadcast = numeric("broadcast", broadcast), reduce_scatter = reduce_scatter,
  all_gather = all_gather, gather = gather, scatter = scatter, all_to_all = all_to_all,
  send = send, recv = recv, barrier = barrier, split = split, group = group,
}
