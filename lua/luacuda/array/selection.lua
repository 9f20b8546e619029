-- selection.lua: masks packed to bits, with the positions of the elements that they select, and the
-- kernels that use them. See select_source.lua.

local core = require "luacuda.core"
local source = require "luacuda.array.select_source"
local empty = require("luacuda.base.operands").empty
local find_kernel = require("luacuda.kernel.kernel").find

local function plain(text) return text end

-- A selection by a contiguous bool array that is not empty: `total` of `n` elements. Waits for the
-- total.
local function new(mask, stream)
  local n = mask.size
  local tiles = (n + source.TILE - 1) // source.TILE
  local counts = empty(mask, tiles, "uint32", stream)
  local self = { n = n, tiles = tiles, stream = stream,
    bits = empty(mask, tiles * source.TILE // 32, "uint32", stream),
    places = empty(mask, tiles + 1, "int64", stream) }
  local pack = find_kernel("luacuda_select_pack", "", plain, source.PACK)
  local scan = find_kernel("luacuda_select_scan", "", plain, source.SCAN)
  pack({ grid = tiles, block = 256, stream = stream }, mask, self.bits, counts, n)
  scan({ grid = 1, block = source.SCAN_THREADS, stream = stream }, counts, self.places, tiles)
  counts:free()
  self.total = self.places:item(tiles + 1)
  return self
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

return { new = new, free = free, can_write = can_write, write = write, place = place,
  number = number }
