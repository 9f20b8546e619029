-- k:layout, compared with what threads say: a kernel stores the number of the thread that has each
-- element. Registers are compared with the fragments of the PTX ISA.
local cuda = require "luacuda"
local helper = require "spec.helper"

local HEAD = [[
local cuda = require "luacuda"
cuda.use(arg[1] == "cpu" and "cpu" or tonumber(arg[1]))
]]

-- check_all(options, dtype, x_dtype) compares all layouts of a kernel with these options.
local CODE = [[
local who = cuda.device_function("__device__ int who(float v) { return threadIdx.x; }")

local function kernel(options)
  return cuda.tiled(function(o_total, o_turned, o_top, o_plain, a, b, x)
    local total = zeros("float32", M, N)
    for k = 1, tiles(a, 2, K) do
      total = dot(load(a, { 1, k }, { M, K }), load(b, { k, 1 }, { K, N }), total)
    end
    local turned, top = transpose(total), max(total, 2)
    local plain = load(x, { 1, 1 }, { M, N }) * 2
    store(o_total, { 1, 1 }, who(total))
    store(o_turned, { 1, 1 }, who(turned))
    store(o_top, { 1, 1 }, who(top))
    store(o_plain, { 1, 1 }, who(plain))
    store(x, { 1, 1 }, plain)
  end, options)
end

-- The layouts of a kernel, and for each variable the threads that stored its elements.
local function observed(options, dtype, x_dtype)
  local M, N, K = options.M, options.N, options.K
  local k = kernel(options)
  local outs = { total = cuda.zeros({ M, N }, "int32"), turned = cuda.zeros({ N, M }, "int32"),
    top = cuda.zeros({ M, 1 }, "int32"), plain = cuda.zeros({ M, N }, "int32") }
  k({ programs = 1 }, outs.total, outs.turned, outs.top, outs.plain,
    cuda.zeros({ M, 2 * K }, dtype), cuda.zeros({ 2 * K, N }, dtype), cuda.zeros({ M, N }, x_dtype))
  local threads = {}
  for name, out in pairs(outs) do threads[name] = out:totable() end
  return k, threads
end

local function fail_at(layout, ...)
  error(("%s: %s"):format(layout, table.concat({ ... }, " ")), 0)
end

-- The formulas of the text, as a function.
local function formulas(text)
  local row, column = text:match "row    = ([^\n]*)\n  column = ([^\n]*)"
  return load(("local thread, register = ... local lane, warp = thread %% 32, thread // 32 "
    .. "return %s, %s"):format(row, column))
end

local function check(layout, threads)
  local shape = layout.shape
  local formula = formulas(tostring(layout))
  for row = 1, shape[1] do
    for column = 1, shape[2] do
      local thread, register = layout:holder(row, column)
      if thread ~= threads[row][column] then fail_at(layout, row, column, thread) end
      local r, c = layout:place(thread, register)
      local fr, fc = formula(thread, register)
      if r ~= row or c ~= column or fr ~= row or fc ~= column then
        fail_at(layout, row, column, r, c, fr, fc)
      end
    end
  end
  assert(layout.registers * layout.warps * 32 == layout.copies * shape[1] * shape[2])
end

-- The cells and the warps that the text shows.
local function check_text(layout, threads, rows, columns)
  local text = layout:text{ rows = rows, columns = columns }
  local body = text:match "warp/lane:registers[^\n]*\n(.*)$"
  local starts, row, shown = {}, nil, 0
  for start in body:match "^[^\n]*":gmatch "(%d+)%-?%d*" do starts[#starts + 1] = start + 0 end
  for line in body:gmatch "\n([^\n]*)" do
    row = line:match "row (%d+)" + 0
    local k = 0
    for warp, lane in line:gmatch "(%d+)/(%d+):" do
      k = k + 1
      assert(threads[row][starts[k] ] == warp * 32 + lane, text)
      shown = shown + 1
    end
    assert(k == #starts and k > 0, text)
  end
  assert(row == (rows and rows[2] or math.min(layout.shape[1], 16)), text)
  local height, width = text:match "warps, of (%d+) x (%d+) elements each"
  if height then
    for at, line in text:match "warps, of[^\n]*\n(.*)  warp/lane":gmatch "row (%d+) ([^\n]*)" do
      local column = 1
      for warp in line:gmatch "%d+" do
        for r = at, at + height - 1 do
          for c = column, column + width - 1 do assert(threads[r][c] // 32 == warp + 0, text) end
        end
        column = column + width
      end
    end
  end
  for line in text:gmatch "[^\n]+" do assert(#line <= 100, line) end
end

-- The boxes of the picture, each with its words.
local function check_svg(layout, threads)
  local shape = layout.shape
  local picture = layout:svg{ rows = { 1, shape[1] }, columns = { 1, shape[2] } }
  local seen = 0
  for row, columns, warp, lane in picture:gmatch
    "<title>row (%d+), columns? ([%d to]+): warp (%d+), lane (%d+), registers? [%d to]+</title>" do
    local first, last = columns:match "^(%d+) to (%d+)$"
    for column = first or columns, last or columns do
      assert(threads[row + 0][column + 0] == warp * 32 + lane)
      seen = seen + 1
    end
  end
  assert(seen == shape[1] * shape[2], seen)
  local open, close = 0, 0
  for tag in picture:gmatch "<[^>]*>" do
    if tag:find "^</" then close = close + 1 elseif not tag:find "/>$" then open = open + 1 end
  end
  assert(open == close and picture:find "^<svg" and picture:find "</svg>\n$")
end

local function check_all(options, dtype, x_dtype)
  local k, threads = observed(options, dtype, x_dtype)
  local all = k:layout()
  for name, own in pairs(threads) do
    local layout = all[name]
    assert(layout.name == name and layout.warps == options.warps)
    check(layout, own)
    check_text(layout, own)
    check_text(layout, own, { 1, layout.shape[1] }, { 1, math.min(8, layout.shape[2]) })
    check_svg(layout, own)
    assert(tostring(all):find(tostring(layout), 1, true))
    assert(tostring(k:layout(name)) == tostring(layout))
  end
  return k
end
]]

local AHEAD = [[
for _, warps in ipairs{ 4, 8, 12 } do
  local options = { M = 64 * (warps // 4), N = 72, K = 64, warps = warps }
  local k = check_all(options, "float16", "float32")
  -- no copies ahead: 72 columns
  assert(k:pipeline().reason)
  options.N = 128
  k = check_all(options, "float16", "float32")
  assert(k:pipeline().reason == nil, k:pipeline().reason)
  -- PTX ISA, the accumulators of wgmma.m64nNk16
  local layout = k:layout "total"
  for thread = 0, 32 * warps - 1 do
    local warp, lane = thread // 32, thread % 32
    for i = 0, layout.registers - 1 do
      local row, column = layout:place(thread, i)
      assert(row - 1 == warp // 4 * 64 + warp % 4 * 16 + lane // 4 + i // 2 % 2 * 8)
      assert(column - 1 == i // 4 * 8 + lane % 4 * 2 + i % 2)
    end
  end
end

-- A variable in shared memory.
local product = cuda.tiled(function(c, a, b)
  local total = zeros("float32", 64, 64)
  for k = 1, tiles(a, 2, 64) do
    local left = load(a, { 1, k }, { 64, 64 })
    total = dot(left, load(b, { k, 1 }, { 64, 64 }), total)
  end
  store(c, { 1, 1 }, total)
end)
local half = cuda.zeros({ 64, 64 }, "float16")
assert(product:layout(cuda.zeros{ 64, 64 }, half, half).left == nil)
local ok, why = pcall(product.layout, product, "left")
assert(not ok and why:find("layout: 'left' is copied to shared memory, where no thread holds it", 1,
  true), why)
print "done"
]]

local in_process = assert(load("local cuda = ... " .. CODE .. " return check_all"))(cuda)

helper.for_each_device(function(device)
  describe("the layout of a tile", function()
    it("is what threads store", function()
      local rng = helper.random(11)
      local DTYPES, WARPS = { "float16", "float32" }, { 1, 2, 4, 8, 12, 16 }
      for round = 1, helper.sanitized and 3 or 8 do
        local dtype = DTYPES[1 + round % 2]
        local options = { M = 16 * (1 + rng(4)), N = 8 * (1 + rng(8)), K = 16,
          warps = WARPS[1 + rng(6)] }
        local k = in_process(options, dtype, DTYPES[1 + rng(2)])
        local layout = k:layout "total"
        assert.same({ options.M, options.N }, layout.shape)
        assert.equal("float32", layout.dtype)
        if dtype == "float16" and device.cc >= 80 then
          -- PTX ISA, the accumulators of mma.m16n8k16
          for _ = 1, 100 do
            local thread, i = rng(32 * layout.warps), rng(layout.registers)
            local row, column = layout:place(thread, i)
            local lane = thread % 32
            assert.equal(lane // 4 + i // 2 % 2 * 8, (row - 1) % 16)
            assert.equal(lane % 4 * 2 + i % 2, (column - 1) % 8)
          end
        end
      end
    end)

    if device.kind == "cpu" or device.cc == 90 then
      it("is that of wgmma where copies run ahead", function()
        local ok, out = helper.lua(HEAD .. CODE .. AHEAD, { env = { LUACUDA_CPU_ARCH = "90" },
          timeout = 300, args = { device.kind == "cpu" and "cpu" or tostring(device.ordinal) } })
        assert.is_true(ok, out)
      end)
    end

    local function example()
      local k = cuda.tiled(function(y, x)
        local v = load(x, { 1, 1 }, { 8, 16 })
        store(y, { 1, 1 }, v + 1)
      end, { warps = 1 })
      local x = cuda.zeros{ 8, 16 }
      return k, cuda.zeros{ 8, 16 }, x
    end

    it("is text with its factors", function()
      local k, y, x = example()
      assert.matches("nothing is compiled", helper.misuse(function() k:layout() end))
      assert.equal(table.concat({
        "v: float32 8 x 16, 4 elements in each of 1 x 32 threads",
        "           lanes   registers  warps",
        "  rows     8 by 1  -          -",
        "  columns  4 by 4  4 by 1     -",
        "  row    = 1 + lane // 4",
        "  column = 1 + lane % 4 * 4 + register",
        "  warp/lane:registers of rows 2-3 and columns 5-16:",
        "             5-8     9-12    13-16",
        "  row 2  0/5:0-3  0/6:0-3  0/7:0-3",
        "  row 3  0/9:0-3  0/10:0-3  0/11:0-3" }, "\n"):gsub(" +", " "),
        (k:layout("v", y, x):text{ rows = { 2, 3 }, columns = { 5, 16 } }:gsub(" +", " ")))
    end)

    it("is saved as text and as a picture", function()
      local k, y, x = example()
      local layout, dir = k:layout("v", y, x), helper.tmpdir()
      assert.equal(layout, layout:save(dir .. "/v.svg", { rows = { 1, 2 } }))
      layout:save(dir .. "/v.txt")
      assert.equal(layout:svg{ rows = { 1, 2 } }, helper.read_file(dir .. "/v.svg"))
      assert.equal(tostring(layout) .. "\n", helper.read_file(dir .. "/v.txt"))
    end)

    it("is refused for what is no tile, and outside of the tile", function()
      local k, y, x = example()
      local v = k:layout("v", y, x)
      local function message(fn, ...) return helper.misuse(fn, ...) end
      assert.equal("tiled: layout: no variable 'w' of the kernel is a tile: there are v",
        message(function() k:layout "w" end))
      assert.equal("place: argument 1 'thread': expected an integer from 0 to 31, got 32",
        message(function() v:place(32, 0) end))
      assert.equal("place: argument 2 'register': expected an integer from 0 to 3, got nil",
        message(function() v:place(0) end))
      assert.equal("holder: argument 1 'row': expected an integer from 1 to 8, got 0",
        message(function() v:holder(0, 1) end))
      for _, rows in ipairs{ { 0, 1 }, { 3, 2 }, { 1, 9 }, { 1 }, 3 } do
        assert.equal("text: option 'rows': expected { first, last } from 1 to 8",
          message(function() v:text{ rows = rows } end))
      end
      assert.matches("'v.png' ends in none of .svg and .txt",
        message(function() v:save "v.png" end))
      assert.matches("expected TileLayout before the ':'",
        message(function() v.place(k, 0, 0) end))
      assert.matches("TileLayout has no field or method 'rows'",
        message(function() return v.rows end))
    end)
  end)
end)
