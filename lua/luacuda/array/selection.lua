-- selection.lua: masks packed to bits, with the positions of the elements that they select, and the
-- kernels that use them. See select_source.lua.

local core = require "luacuda.core"
local source = require "luacuda.array.select_source"
local notes = require "luacuda.base.notes"
local find_kernel = require("luacuda.kernel.kernel").find

local empty = core.new

local function plain(text) return text end

local COUNTING = "counting the elements of the result"

-- A selection of n elements, not 0, by the bits and the counts per tile that pack(launch, bits,
-- counts) writes with one block of 256 threads per tile: `total` of `n` elements. Waits for the
-- total. Its arrays are on the device of `like`.
local function packed(n, like, stream, pack)
  local tiles = (n + source.TILE - 1) // source.TILE
  local counts = empty(like, tiles, "uint32", stream)
  local self = { n = n, tiles = tiles, stream = stream,
    bits = empty(like, tiles * source.TILE // 32, "uint32", stream),
    places = empty(like, tiles, "int64", stream) }
  local scan = find_kernel("luacuda_select_scan", "", plain, source.SCAN)
  pack({ grid = tiles, block = 256, stream = stream }, self.bits, counts)
  local total = notes.new(like.device, 0, COUNTING)
  scan({ grid = 1, block = source.SCAN_THREADS, stream = stream }, counts, self.places, total,
    tiles)
  counts:free()
  self.total = notes.read(total, like.device)
  return self
end

-- A selection by a contiguous bool array that is not empty.
local function new(mask, stream)
  local pack = find_kernel("luacuda_select_pack", "", plain, source.PACK)
  return packed(mask.size, mask, stream, function(launch, bits, counts)
    pack(launch, mask, bits, counts, mask.size)
  end)
end

local function free(self)
  self.bits:free()
  self.places:free()
end

-- Does `write` support elements of that many bytes?
local function can_write(size) return source.WRITE_WARPS[size] ~= nil end

-- Writes the selected elements of a contiguous array, or with src nil their positions (int64, from
-- 1), to dst.
local function write(self, src, dst)
  local size = src and src.nbytes // src.size
  local run = find_kernel("luacuda_select_write", size or "places", source.write, size)
  local threads = 32 * source.WRITE_WARPS[size or 8]
  run({ grid = self.tiles, block = threads, stream = self.stream }, src or core.null, self.bits,
    self.places, dst, self.n)
end

local SMALL_ROOM = 8192         -- bytes that a result of few elements may keep without using them

-- Are so many elements few?
local function is_few(n) return n > 0 and n <= source.FEW end

-- The elements of a contiguous array that a contiguous mask of few elements selects, or with src
-- nil their positions: a new array of one axis. One launch and a wait.
local function few(src, mask, stream)
  local n, size = mask.size, src and src.nbytes // src.size
  local room = empty(mask, n, src and src.dtype or "int64", stream)
  local room_bytes = room.nbytes
  local total = notes.new(mask.device, 0, COUNTING)
  local run = find_kernel("luacuda_select_few", size or "places", source.few, size)
  run({ grid = 1, block = 1024, stream = stream }, src or core.null, mask, room, total, n)
  local count = notes.read(total, mask.device)
  local part = room:slice { 1, count }
  room:free()
  if room_bytes <= SMALL_ROOM or count >= n // 2 then return part end
  local out = part:copy { stream = stream }
  part:free()
  return out
end

-- dst[i] = k-th of src where i is the k-th selected element
local function place(self, src, dst)
  local size = dst.nbytes // dst.size
  local run = find_kernel("luacuda_select_ranked", size, source.place, size)
  run({ grid = self.tiles, block = 256, stream = self.stream }, self.bits, self.places, src, dst,
    self.n)
end

-- dst[order[i]] = number of selected elements up to i
local function number(self, order, dst)
  local run = find_kernel("luacuda_select_ranked", "number", plain, source.NUMBER)
  run({ grid = self.tiles, block = 256, stream = self.stream }, self.bits, self.places, order, dst,
    self.n)
end

return { TILE = source.TILE, new = new, packed = packed, free = free, is_few = is_few, few = few,
  can_write = can_write, write = write, place = place, number = number }
