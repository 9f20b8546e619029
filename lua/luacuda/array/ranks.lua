-- ranks.lua: the elements at given places in the order of each row, found without sorting. See
-- ranks_source.lua.

local core = require "luacuda.core"
local collecting = require "luacuda.array.first_source"
local source = require "luacuda.array.ranks_source"
local sorting = require "luacuda.array.sort_rows"
local sort_source = require "luacuda.array.sort_source"
local dtypes = require "luacuda.base.dtypes"

local function blocks_for(src, rows, m)
  if m <= source.ALONE then return 1 end
  local most = source.BLOCKS_PER_SM * src.device.multiprocessor_count
  local per_block = source.THREADS * 16
  return math.min((m + per_block - 1) // per_block, (most + rows - 1) // rows)
end

-- Are `count` places in each row of m elements of an array found faster than by sorting? Not where
-- the device sorts without kernels.
local function pays(a, m, count)
  return count <= source.MOST and m > sort_source.ROW_LIMIT and a.size // m <= sort_source.BATCH
    and dtypes.of(a.dtype).kind ~= "complex" and not core.host_sort_scratch(a, m, true)
end

-- Runs the passes for places in rows of m elements; writes the elements to `out` unless it is null.
-- Returns the state.
local function find(src, rows, m, places, out, ties, mask, stream)
  local row = dtypes.of(src.dtype)
  local state = core.new(src, rows * source.state_words(#places), "uint64", stream)
  state:fill(0, { stream = stream })
  local wanted = ("i8"):rep(#places):pack(table.unpack(places))
    .. ("\0"):rep(8 * (source.MOST - #places))
  local run = sorting.find_kernel("luacuda_ranks_pass", sorting.row_key(row, ties), source.pass,
    row, ties)
  local blocks = blocks_for(src, rows, m)
  local launch = { grid = { blocks, rows }, block = source.THREADS, stream = stream }
  for pass = 0, blocks == 1 and 0 or row.size - 1 do
    run(launch, src, state, out, m, #places, pass, mask, wanted)
  end
  return state
end

-- A new array {rows, #places}: for each row of m elements of the contiguous array src those that
-- have the places (integers from 0, ascending) in the order of cuda.sort.
local function take(src, rows, m, places, stream)
  local out = core.new(src, { rows, #places }, src.dtype, stream)
  find(src, rows, m, places, out, false, 0, stream):free()
  return out
end

-- The first k elements (1 at least) of each row in the order of cuda.argsort, but in the order of
-- their indices: -> values, indices (from 1), both {rows, k}
local function first(src, rows, m, k, descending, stream)
  local row = dtypes.of(src.dtype)
  local mask = descending and -1 >> (64 - row.size * 8) or 0
  local state = find(src, rows, m, { k - 1 }, core.null, true, mask, stream)
  local blocks = blocks_for(src, rows, m)
  local step = collecting.THREADS * collecting.PER_THREAD
  local chunk = ((m + blocks - 1) // blocks + step - 1) // step * step
  blocks = (m + chunk - 1) // chunk
  local values, indices = core.new(src, { rows, k }, src.dtype, stream),
    core.new(src, { rows, k }, "int64", stream)
  local tallies = core.new(src, rows * blocks * 2, "uint64", stream)
  local launch = { grid = { blocks, rows }, block = collecting.THREADS, stream = stream }
  local key = sorting.row_key(row, true)
  if blocks > 1 then
    sorting.find_kernel("luacuda_first_tally", key, collecting.tally, row)(launch, src, state,
      tallies, m, chunk, mask)
  end
  sorting.find_kernel("luacuda_first_collect", key, collecting.collect, row)(launch, src, state,
    tallies, values, indices, m, chunk, k, mask)
  state:free()
  tallies:free()
  return values, indices
end

return { pays = pays, take = take, first = first }
