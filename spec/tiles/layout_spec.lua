-- The layouts of tiles (lua/luacuda/tiles/thread_layout.lua): their C++ texts are computed here,
-- for each register of each thread.
local helper = require "spec.helper"
local layout = require "luacuda.tiles.thread_layout"

local WARPS, BYTES = { 1, 2, 4, 8, 12, 16 }, { 1, 2, 4, 8, 16 }
local ROUNDS = helper.sanitized and 4 or 10

-- The text as a function of lane, warp and register. C++ divides integers as // does.
local function compiled(text)
  text = text:gsub("/", "//"):gsub("&&", "and")
  return assert(load(("local _lane, _warp, r = ... return %s"):format(text)))
end

-- each(l, fn) calls fn(lane, warp, register, row, column, is it the first copy?).
local function each(l, fn)
  local base = { compiled(layout.base(l, 1)), compiled(layout.base(l, 2)) }
  local offset = { compiled(layout.offset(l, 1, "r")), compiled(layout.offset(l, 2, "r")) }
  local first = compiled(layout.first_copy(l) or "true")
  for warp = 0, l.warps - 1 do
    for lane = 0, layout.LANES - 1 do
      local row, column, own = base[1](lane, warp), base[2](lane, warp), first(lane, warp)
      for r = 0, l.registers - 1 do
        fn(lane, warp, r, row + offset[1](lane, warp, r), column + offset[2](lane, warp, r), own)
      end
    end
  end
end

local function check(holds, l, ...)
  if not holds then error(("%s: %s"):format(l.key, table.concat({ ... }, " ")), 0) end
end

-- Each element has one first copy, and each thread has the elements of its registers once.
local function check_owners(l)
  local rows, columns = l.shape[1], l.shape[2]
  local owned, threads = {}, {}
  each(l, function(lane, warp, r, row, column, own)
    check(row >= 0 and row < rows and column >= 0 and column < columns, l, lane, warp, r,
      "is outside:", row, column)
    local element = row * columns + column
    local place = (warp * layout.LANES + lane) * rows * columns + element
    check(not threads[place], l, lane, warp, "has", row, column, "twice")
    threads[place] = true
    if own then
      check(not owned[element], l, row, column, "has two first copies")
      owned[element] = true
    end
  end)
  for element = 0, rows * columns - 1 do
    check(owned[element], l, "nobody has", element // columns, element % columns)
  end
end

-- The threads of one digit that is no axis' hold the same elements: those with the other digits
-- equal are copies of the first.
local function check_copies(l)
  local held, first = {}, compiled(layout.first_copy(l) or "true")
  each(l, function(lane, warp, r, row, column)
    local thread = warp * layout.LANES + lane
    held[thread] = (held[thread] or "") .. (" %d,%d,%d"):format(r, row, column)
  end)
  local sets = {}
  for thread, text in pairs(held) do
    if first(thread % layout.LANES, thread // layout.LANES) then
      check(not sets[text], l, "two first copies hold", text)
      sets[text] = true
    end
  end
  for _, text in pairs(held) do check(sets[text], l, "no first copy holds", text) end
end

-- index(l, part) of each register of l is a register of part with the same place, as far as part
-- has it.
local function check_index(l, part)
  local index, places = compiled(layout.index(l, part, "r")), {}
  each(part, function(lane, warp, r, row, column)
    places[(warp * layout.LANES + lane) * part.registers + r] = { row, column }
  end)
  each(l, function(lane, warp, r, row, column)
    local k = index(lane, warp, r)
    check(k >= 0 and k < part.registers, l, "register", r, "has index", k)
    local place = places[(warp * layout.LANES + lane) * part.registers + k]
    check((part.shape[1] == 1 or place[1] == row) and (part.shape[2] == 1 or place[2] == column), l,
      part.key, "register", r, "at", row, column, "has index", k, "at", place[1], place[2])
  end)
end

-- Extents that tiles may have: multiples of 8 and powers of two.
local function extent(rng, most)
  if rng(2) == 0 then return math.min(1 << rng(8), most) end
  return 8 * (1 + rng(most // 8))
end

local function random_shape(rng)
  local rows = extent(rng, 96)
  return { rows, extent(rng, rows > 32 and 32 or 96) }
end

local makers = {
  plain = function(rng)
    return layout.plain(random_shape(rng), BYTES[1 + rng(5)], WARPS[1 + rng(5)])
  end,
  multiplied = function(rng) return layout.multiplied(random_shape(rng), WARPS[1 + rng(5)]) end,
  tensor = function(rng)
    local shape = { 16 * (1 + rng(5)), 8 * (1 + rng(6)) }
    return layout.tensor(shape, WARPS[1 + rng(5)])
  end,
}

describe("a layout of tiles", function()
  for name, make in pairs(makers) do
    it("gives each element one owner: " .. name, function()
      local rng = helper.random(#name)
      for _ = 1, ROUNDS do
        local l = make(rng)
        check_owners(l)
        check_copies(l)
      end
    end)

    it("has slices, broadcasts and transposes that do: " .. name, function()
      local rng = helper.random(#name + 50)
      for _ = 1, ROUNDS do
        local l = make(rng)
        if rng(2) == 0 then l = layout.swapped(l) end
        for axis = 1, 2 do
          local part = layout.sliced(l, axis)
          assert.equal(1, part.shape[axis])
          assert.equal(l.shape[3 - axis], part.shape[3 - axis])
          check_owners(part)
          check_copies(part)
          check_index(l, part)
          local both = layout.sliced(part, 3 - axis)
          check_copies(both)
          check_index(part, both)
        end
        check_index(l, layout.broadcast(l, { 1, 1 }))
      end
    end)

    it("is the same after two transposes: " .. name, function()
      local rng = helper.random(#name + 99)
      for _ = 1, ROUNDS do
        local l = make(rng)
        local turned, rows, columns = layout.swapped(l), {}, {}
        assert.equal(l, layout.swapped(turned))
        each(l, function(_, _, _, row, column)
          rows[#rows + 1], columns[#columns + 1] = row, column
        end)
        local n = 0
        each(turned, function(_, _, _, row, column)
          n = n + 1
          check(row == columns[n] and column == rows[n], turned, row, column)
        end)
        assert.equal(l, layout.broadcast(l, l.shape))
      end
    end)
  end

  -- PTX ISA, the accumulators of mma.m16n8k16: c0 and c1 are in row lane / 4, c2 and c3 eight rows
  -- below; the column is 2 * (lane % 4), and one more for c1 and c3.
  it("has the fragments of mma.m16n8 as the PTX ISA has them", function()
    local rng = helper.random(7)
    for _ = 1, ROUNDS do
      local l = makers.tensor(rng)
      local start
      each(l, function(lane, warp, r, row, column)
        if r % 4 == 0 then start = { row - lane // 4, column - lane % 4 * 2 } end
        check(start[1] % 16 == 0 and start[2] % 8 == 0, l, lane, warp, r, row, column)
        check(start[1] + lane // 4 + (r % 4 >= 2 and 8 or 0) == row, l, lane, warp, r, row, column)
        check(start[2] + lane % 4 * 2 + r % 2 == column, l, lane, warp, r, row, column)
      end)
    end
  end)

  it("takes elements side by side in vectors of at most 16 bytes", function()
    local rng = helper.random(8)
    for _ = 1, ROUNDS do
      local shape, bytes = random_shape(rng), BYTES[1 + rng(5)]
      local l = layout.plain(shape, bytes, WARPS[1 + rng(5)])
      local n, start = layout.vector(l), {}
      assert(n * bytes <= 16)
      each(l, function(_, _, r, row, column)
        if r % n == 0 then start = { row, column } end
        check(row == start[1] and column == start[2] + r % n and start[2] % n == 0, l, row, column)
      end)
    end
  end)
end)
