-- k:pipeline, which says what the plan of a kernel over tiles decided, or why it has none; and the
-- options `stages` and `persistent`, which change the plan. The plans are those of sm_90a.
local cuda = require "luacuda"
local helper = require "spec.helper"
local sm90 = require "spec.support.sm90"

local HEAD = [[
local function halves(...) return cuda.random.normal({ ... }):astype "float16" end
local TEXT = "function(c, a, b)\n"
  .. "  local i, j = program(1), program(2)\n"
  .. "  local total = zeros('float32', M, N)\n"
  .. "  for k = 1, tiles(a, 2, K) do\n"
  .. "    local x = load(a, { i, k }, { M, K })\n"
  .. "    total = dot(x, load(b, { k, j }, { K, N }), total)\n"
  .. "  end\n"
  .. "  store(c, { i, j }, total)\n"
  .. "end"
]]

local function run(device, code) assert.matches("done", sm90.run(device, HEAD .. code)) end

-- What the report says, and what the text of the kernel and its launch have.
local PLANS = [[
local cases = { {}, { stages = 2 }, { stages = 3, persistent = false }, { stages = 16 },
  { persistent = true, warps = 8 } }
for _, options in ipairs(cases) do
  local given = { M = options.warps and 128 or 64, N = 128, K = 64 }
  for name, v in pairs(options) do given[name] = v end
  local kernel = cuda.tiled(TEXT, given)
  local a, b, c = halves(136, 200), halves(200, 136), cuda.empty({ 136, 136 }, "float16")
  kernel({ tiles = c }, c, a, b)
  local off = cuda.abs(wide(c) - cuda.matmul(wide(a), wide(b))):max()
  assert(off < 0.1, off)
  local r, source = kernel:pipeline(), kernel:source()
  assert(r.reason == nil and r.name == "lua", r.reason)
  -- 227 KiB without 2 for barriers and alignment, and without two parts for each store
  local room = 225 * 1024 - r.warps // 4 * 2 * 64 * 64 * 2
  assert(r.stages == math.min(options.stages or 6, room // r.stage_bytes), r.stages)
  assert(r.barriers == 2 * r.stages and r.overlap)
  assert(source:find(("_full[%d], _empty[%d]"):format(r.stages, r.stages), 1, true))
  assert(r.stage_bytes == (given.M * 64 + 64 * 128) * 2)
  assert(source:find(("_lcu_barrier_expect%%(&_full[^\n]*, %d%%)"):format(r.stage_bytes)))
  assert(r.ring_bytes == r.stages * r.stage_bytes and r.shared_bytes > r.ring_bytes)
  assert(r.persistent == (options.persistent ~= false))
  local programs = (136 + given.M - 1) // given.M * 2
  local launch = kernel:prepare({ tiles = c }, c, a, b)
  assert(launch.grid[1] == (r.persistent
    and math.min(programs, cuda.device().multiprocessor_count) or programs), launch.grid[1])
  assert(launch.block[1] == r.threads and r.threads == 32 * (r.warps + r.copy_warps))
  -- one product that is only accumulated, and programs of one length: two groups of four warps
  assert(r.in_turn == (r.persistent and not options.warps))
  assert(r.warps == ((options.warps or r.in_turn) and 8 or 4))
  local least = source:match "setmaxnreg.dec.sync.aligned.u32 (%d+)"
  local most = source:match "setmaxnreg.inc.sync.aligned.u32 (%d+)"
  assert(r.copy_registers == math.tointeger(least) and r.product_registers == math.tointeger(most))
  local shapes = {}
  for _, copy in ipairs(r.copies) do
    assert(copy.ring == 1)
    shapes[copy.array] = table.concat(copy.shape, "x")
  end
  assert(#r.copies == 2 and shapes.a == given.M .. "x64" and shapes.b == "64x128")
  assert(r.registers == kernel:kernel().num_regs and r.blocks_per_multiprocessor >= 1)
  local text = tostring(r)
  assert(text:find("lua on " .. cuda.device().label .. ": copies run ahead\n", 1, true), text)
  assert(text:find(("%d of %d bytes"):format(r.stages, r.stage_bytes), 1, true), text)
  assert(text:find("persistent", 1, true) ~= nil == r.persistent, text)
  assert(text:find("two groups of warps in turn", 1, true) ~= nil == r.in_turn, text)
end
print "done"
]]

-- Two rings, and a tile that is copied once.
local RINGS = [[
local attention = cuda.tiled(function(o, q, k, v)
  local i = program(1)
  local query, total = load(q, { i, 1 }, { 64, 64 }), zeros("float32", 64, 64)
  for j = 1, tiles(k, 1, 64) do
    local s = dot(query, transpose(load(k, { j, 1 }, { 64, 64 })))
    total = dot(float16(s), load(v, { j, 1 }, { 64, 64 }), total)
  end
  store(o, { i, 1 }, total)
end, { persistent = PERSISTENT })
local q, k, v = halves(100, 64), halves(200, 64), halves(200, 64)
local o = cuda.empty({ 100, 64 }, "float32")
attention({ programs = 2 }, o, q, k, v)
local s = cuda.matmul(wide(q), wide(k):transpose()):astype "float16"
local off = cuda.abs(wide(o) - cuda.matmul(wide(s), wide(v))):max()
assert(off < 1, off)
local r = attention:pipeline()
assert(r.persistent == (PERSISTENT ~= false) and r.barriers == 4 * r.stages + 2)
local rings = {}
for _, copy in ipairs(r.copies) do rings[copy.array] = copy.ring or "before" end
assert(rings.q == "before" and rings.k == 1 and rings.v == 2)
assert(tostring(r):find("before the loop +q"))

-- A kernel whose loop is in a block has a block for each program.
local function kernel(persistent)
  return cuda.tiled(TEXT:gsub("local total", "local y = load(b, { 1, 1 }, { K, N })\n%0")
    :gsub("load%(b, { k, j }, { K, N }%)", "y"):gsub("  for k", "  do\n%0"):gsub("  end", "%0 end"),
    { M = 64, N = 64, K = 64, persistent = persistent })
end
r = kernel(nil):pipeline(o, q, v)
assert(r.reason == nil and r.persistent == false, r.reason)
assert(r.blocks_per_multiprocessor >= 1)
local ok, why = pcall(kernel(true), { programs = 1 }, o, q, v)
assert(not ok and why:find("option 'persistent': a block runs several programs only if their loop "
  .. "is in no other statement", 1, true) and why:find(":6: ", 1, true), why)

-- So does one whose programs have different numbers of rounds, unless the option asks for more.
for _, persistent in ipairs{ "default", true, false } do
  local own = persistent
  if own == "default" then own = nil end
  local triangle = cuda.tiled(TEXT:gsub("tiles%(a, 2, K%)", "i"),
    { M = 64, N = 64, K = 64, persistent = own })
  local a, b, c = halves(304, 304), halves(304, 64), cuda.empty({ 304, 64 }, "float32")
  triangle({ tiles = c }, c, a, b)
  r = triangle:pipeline()
  assert(r.reason == nil and r.persistent == (persistent == true) and not r.in_turn, r.reason)
  local mask = (cuda.arange(304):reshape(304, 1) // 64):ge(cuda.arange(304) // 64)
  off = cuda.abs(wide(c) - cuda.matmul(wide(a) * mask:astype "float64", wide(b))):max()
  assert(off < 1e-3, off)
end
print "done"
]]

-- What is changed in TEXT, or in its options, and the reason.
local REASONS = [[
local function replace(text, from, to)
  local i, j = text:find(from, 1, true)
  assert(i, from)
  return text:sub(1, i - 1) .. to .. text:sub(j + 1)
end
local DOT, STORE = "total = dot(x, load(b, { k, j }, { K, N }), total)", "store(c, { i, j }, total)"
local LEFT = "load(a, { i, k }, { M, K })"
local list = {
  { "", "", nil },
  { DOT, "total = total + 1", "the kernel has no product" },
  { DOT, "total = total + 1 end total = dot(load(a, { i, j }, { M, K }), "
    .. "load(b, { i, j }, { K, N })) do local x = 1",
    "line 6: the product is in no numeric 'for'" },
  { DOT, "total = dot(x, transpose(load(b, { j, k }, { N, K }) * 2), total)",
    "line 6: the right tile of the product is computed and transposed" },
  { DOT, "total = dot(x, load(b, { k, j }, { K, N }) * 2, total)",
    "line 6: the right tile of the product is computed" },
  { DOT, "total = dot(float32(x), float32(load(b, { k, j }, { K, N })), total)",
    "line 6: the product is of float32 tiles" },
  { DOT, DOT .. " do local z = k end", "line 6: the loop with products has a block in it" },
  { DOT, "if k > 1 then " .. DOT .. " end", "line 6: the product is in an 'if'" },
  { DOT, DOT .. " end for k = 1, tiles(a, 2, K) do\n local x = " .. LEFT .. "\n" .. DOT,
    "line 6: a second loop has products" },
  { STORE, STORE .. "\n store(c, { i, j }, total / sum(total))",
    "line 9: a number is computed from a tile" },
  { STORE, STORE .. "\n while #a > #a + 1 do i = i + 1 end",
    "line 9: the kernel has a statement of the kind 'while'" },
  { LEFT, "load(a, { i, k }, { M, K }, 1)",
    "line 6: the left tile of the product is not 0 outside of its array" },
  { DOT, "total = dot(x, load(b, { k, j }, { K, N }, 1), total)",
    "line 6: the right tile of the product is not 0 outside of its array" },
  { DOT, "local y = load(b, { k, j }, { K, N }) total = dot(x, y, total) store(c, { 1, 1 }, y)",
    "line 6: the right tile of the product is used by more than products" },
  { STORE, STORE .. " store(b, { 1, 1 }, total)",
    "line 6: the right tile of the product is loaded from an array that the kernel writes to" },
  { "local total", "local y = load(b, { 1, 1 }, { K, N }) local total",
    "line 6: the products use no tile that is loaded in the loop",
    LEFT, "load(a, { i, 1 }, { M, K })", DOT, "total = dot(z, y, total)",
    "for k", "local z = load(a, { i, 1 }, { M, K }) for k", line = 4 },
  { STORE, "total = total + c[1][1] " .. STORE,
    "line 8: an element is read from an array that the kernel writes to" },
  { DOT, "total = dot(x, load(b, { k, j }, { K, N }), total, 'tf32x3')",
    "line 6: the product has the precision 'tf32x3'", dtype = "float32" },
  { "", "", "line 6: the right tile of the product, of int8, is not transposed", dtype = "int8",
    options = { K = 128, N = 128 }, "zeros('float32'", "zeros('int32'" },
  { DOT, "total = dot(transpose(x), transpose(load(b, { k, j }, { K, N })), total)",
    "line 6: the left tile of the product, of uint8, is transposed", dtype = "uint8",
    options = { M = 128, K = 128, N = 128 }, "zeros('float32'", "zeros('int32'" },
  { "", "", "line 6: the product has 40 columns, which is no multiple of 16 up to 256",
    dtype = "int8", options = { N = 40 }, "zeros('float32'", "zeros('int32'" },
  { "", "", "line 6: the product sums 48 elements, no multiple of 32", dtype = "float8_e5m2",
    options = { K = 48 } },
  { "", "", "line 6: the right tile of the product has 64 columns, which is no multiple of 128",
    dtype = "float8_e4m3fn" },
  { DOT, "total = dot(x, transpose(load(b, { j, k }, { N, K })), total)", nil,
    dtype = "float8_e4m3fn", options = { K = 128 } },
  { "", "", "the kernel has 2 warps, no multiple of 4", options = { warps = 2 } },
  { "", "", "line 6: the product has 64 rows, and 8 warps compute multiples of 128",
    options = { warps = 8 } },
  { "", "", "line 6: the right tile of the product has 72 columns, which is no multiple of 64",
    options = { N = 72 } },
  { "", "", "line 6: the product has 256 columns, which is no multiple of 8 up to 200",
    options = { M = 192, N = 256, warps = 12 } },
  { "", "", nil, options = { M = 192, N = 192, warps = 12 } },
  { "", "", "line 6: the product has 192 columns, which is no multiple of 8 up to 136",
    options = { M = 256, N = 192, warps = 16 } },
  { "", "", "line 6: the right tile of the product is not loaded from a contiguous array among the "
    .. "arguments", turned = true },
  { "", "", "line 6: the right tile of the product is loaded from an array whose rows do not begin "
    .. "at multiples of 16 bytes", columns = 65 },
}
for _, case in ipairs(list) do
  local text = replace(TEXT, case[1], case[2])
  for k = 4, #case, 2 do text = replace(text, case[k], case[k + 1]) end
  local options = { M = 64, N = 64, K = 64 }
  for name, v in pairs(case.options or {}) do options[name] = v end
  local kernel = cuda.tiled(text, options)
  local dtype = case.dtype or "float16"
  local a = halves(64, 128):astype(dtype)
  local b = halves(128, case.columns or 128):astype(dtype)
  if case.turned then b = b:transpose() end
  local c = cuda.empty({ 64, 128 }, text:find "int32" and "int32" or "float16")
  local r = kernel:pipeline(c, a, b)
  local expected = case[3]
  if case.line then expected = expected:gsub("%d+", case.line, 1) end
  assert(r.reason == expected, ("%s: %s"):format(case[2], r.reason))
  assert(r.stages == nil and r.copy_warps == 0 and r.threads == 32 * r.warps or not expected)
  assert(not expected or tostring(r):find("no copies run ahead: " .. expected, 1, true))
end

-- Functions of elements may be called that read no array that is written to. Those with effects may
-- not compute a number, which the copying warp would compute again.
local function twice(v) return 2 * v end
local function noisy(v) print(1) return v end
local function first(v, array) return v + array[1][1] end
local function reason(fn)
  return cuda.tiled(fn):pipeline(cuda.empty({ 64, 64 }, "float16"), halves(64, 64), halves(64, 64))
    .reason
end
local why = reason(function(c, a, b)
  local total = zeros("float32", 64, 64)
  for k = 1, tiles(a, 2, 64) do
    total = dot(load(a, { 1, k }, { 64, 64 }), load(b, { k, 1 }, { 64, 64 }), total)
  end
  store(c, { 1, 1 }, first(twice(total), a))
end)
assert(why == nil, why)
why = reason(function(c, a, b)
  local total = zeros("float32", 64, 64)
  for k = 1, tiles(a, 2, 64) do
    total = dot(load(a, { 1, k }, { 64, 64 }), load(b, { k, 1 }, { 64, 64 }), total)
  end
  store(c, { 1, 1 }, noisy(total))
end)
assert(why == nil, why)
why = reason(function(c, a, b)
  local total = zeros("float32", 64, 64)
  for k = 1, tiles(a, 2, 64) do
    total = dot(load(a, { 1, k }, { 64, 64 }), load(b, { k, 1 }, { 64, 64 }), total)
  end
  store(c, { 1, 1 }, total * noisy(2.5))
end)
assert(why:find "^line %d+: the function 'noisy' has effects$", why)
why = reason(function(c, a, b)
  local total = zeros("float32", 64, 64)
  for k = 1, tiles(a, 2, 64) do
    total = dot(load(a, { 1, k }, { 64, 64 }), load(b, { k, 1 }, { 64, 64 }), total)
  end
  store(c, { 1, 1 }, first(total, c))
end)
assert(why:find "^line %d+: the function 'first' reads an array that the kernel writes to$", why)
print "done"
]]

helper.for_each_device(function(device)
  describe("what copies run ahead", function()
    if device.kind == "cpu" or device.cc == 90 then
      it("is known, and follows the options", function() run(device, PLANS) end)
      it("has a ring for each product", function()
        run(device, (RINGS:gsub("PERSISTENT", "nil")))
        run(device, (RINGS:gsub("PERSISTENT", "false")))
      end)
      it("is known not to, with the reason and its line", function() run(device, REASONS) end)
    end

    it("is none where the device has no wgmma", function()
      if device.cc == 90 then return end
      local ones = cuda.tiled(function(y) store(y, { program() }, full("float32", 1, 8)) end)
      assert.matches("pipeline: nothing is compiled", helper.misuse(function()
        ones:pipeline()
      end))
      local y = cuda.empty(8)
      ones({ tiles = y }, y)
      local r = ones:pipeline()
      assert.matches("^%w+ has compute capability %d+%.%d, and copies run ahead on 9%.0$", r.reason)
      assert.matches("^ones on %w+: no copies run ahead: .*\n  warps +4\n  registers", tostring(r))
    end)

    it("has options that are checked", function()
      local function message(options)
        return helper.misuse(function() cuda.tiled("function() end", options) end)
      end
      assert.equal("tiled: option 'stages': expected an integer from 2 to 16, got 1",
        message{ stages = 1 })
      assert.equal("tiled: option 'persistent': expected a boolean, got 1",
        message{ persistent = 1 })
      assert.equal("tiled: option 'cluster': expected 1 or 2, got 4", message{ cluster = 4 })
      assert.equal("tiled: option 'warps': expected 1, 2, 4, 8, 12 or 16, got 3",
        message{ warps = 3 })
      assert.equal("tiled: unknown option 'stage': there are name, warps, stages, persistent, "
        .. "cluster, and constants in capitals", message{ stage = 3 })
    end)
  end)
end)
