-- What cuda.tiled refuses, with the message and the line.
local cuda = require "luacuda"
local helper = require "spec.helper"

local T = "local t = load(x, { 1, 1 }, { 16, 16 }) "

local CASES = {
  { T .. "local u = t + load(x, { 1, 1 }, { 8, 16 })", "axis 1 has 16 elements in one tile and 8 "
    .. "in the other: tiles have equal extents, or 1, which is spread" },
  { "local t = load(x, { 1, 1 }, { 12, 16 })", "load: an extent of a tile is a multiple of 8 or a "
    .. "power of two, and this is 12" },
  { "local t = zeros('float32', x.shape[1], 8)", "zeros: an extent of a tile is known when the "
    .. "kernel is made: a number, a local outside of the function, or an option" },
  { "local t = zeros('float32', 1024, 1024)", "a tile of 1024 x 1024 elements is too large: 65536 "
    .. "is the most" },
  { "local t = iota(512) + transpose(iota(512))", "a tile of 512 x 512 elements is too large: "
    .. "65536 is the most" },
  { T .. "dot(t, load(x, { 1, 1 }, { 8, 16 }))", "dot: the first tile has 16 columns and the "
    .. "second 8 rows" },
  { T .. "dot(t, float16(t))", "dot: expected tiles of one dtype of float8_e4m3fn, float8_e5m2, "
    .. "float16, bfloat16, float32, float64, int8 and uint8, got a tile (float32, 16 x 16) and "
    .. "a tile (float16, 16 x 16)" },
  { T .. "dot(t, t, 'tf23')", "dot: unknown precision 'tf23': expected \"tf32\" or \"tf32x3\"" },
  { T .. "dot(float16(t), float16(t), 'tf32')", "dot: 'tf32' is a precision of float32 products, "
    .. "and the tiles are float16" },
  { T .. "dot(t, t, zeros('float32', 8, 8))", "dot: the products are a tile (float32, 16 x 16), "
    .. "and argument 3 is a tile (float32, 8 x 8)" },
  { T .. "store(o, { 1 }, t)", "store: the array has 2 axes, and 1 places are given" },
  { T .. "store(o, 1, t)", "store: expected the numbers of the tile along each axis in a table, as "
    .. "in { 1, 2 }" },
  { T .. "store(o, t)", "store takes 3 to 4 arguments, and got 2" },
  { T .. "store(o, { 1, 1 }, x)", "store: argument 3: expected a tile, got an array (float32, 2 "
    .. "axes)" },
  { T .. "store(o, { 1, 1 }, t > 0)", "a tile of booleans cannot be elements of float32: write "
    .. "where(t, 1, 0)" },
  { T .. "store(o, { 1, 1 }, t, t)", "store: argument 4: expected booleans, got a tile (float32, "
    .. "16 x 16)" },
  { T .. "atomic_add(o, { 1, 1 }, t, iota(8) > 0)", "atomic_add: axis 2 has 16 elements in the "
    .. "tile, and 8 in the mask" },
  { T .. "store(o, { 1, 1 }, sum(t, 3))", "sum: argument 2: expected an axis, 1 or 2" },
  { T .. "local s = any(t)", "any and all take a tile of booleans, and this is a tile (float32, "
    .. "16 x 16)" },
  { "local i = threadIdx.x", "'threadIdx' is about threads, and a kernel over tiles has programs: "
    .. "write a kernel of threads with cuda.jit" },
  { "local p = program(4)", "program: argument 1: expected an axis, 1 to 3" },
  { "local n = tiles(x, 3, 8)", "tiles: argument 2: expected an axis, 1 to 2" },
  { T .. "if t > 0 then end", "a condition is a boolean, and this is a tile (bool, 16 x 16): write "
    .. "any(t) or all(t), or where(t, a, b)" },
  { T .. "local y = t > 0 or t", "'and' and 'or' take tiles of booleans, and this is a tile "
    .. "(float32, 16 x 16): compare it, as in t ~= 0, or write where(c, a, b)" },
  { T .. "local y = t and t > 0", "'and' and 'or' take tiles of booleans, and this is a tile "
    .. "(float32, 16 x 16): compare it, as in t ~= 0, or write where(c, a, b)" },
  { T .. "local y = t > 0 and t or -t", "a selection of tiles takes each element of one of them: "
    .. "write where(c, a, b) in place of c and a or b" },
  { T .. "load(x, { 1, 1 }, { 8, 8 })", "this call gives a tile (float32, 8 x 8), which is "
    .. "not used" },
  { T .. "local y = t[1][1]", "a tile (float32, 16 x 16) has no fields, and its elements are "
    .. "spread over threads: write sum, max or where" },
  { T .. "local y = t.shape", "a tile (float32, 16 x 16) has no fields, and its elements are "
    .. "spread over threads: write sum, max or where" },
  { T .. "local y = t:reduce(1)", "method 'reduce' cannot be called on a device: a kernel computes "
    .. "element by element" },
  { "o[1][1] = 1", "a program has many threads, which would all write this element: write "
    .. "store(x, { i }, v)" },
  { "o[1][iota(8)] = 1", "a tile of elements can be read, and not assigned: store and atomic_add "
    .. "write elements side by side" },
  { T .. "local u = load(x[iota(8)], { 1 }, { 8 })",
    "x[t] with a tile of indices is not a row: write "
    .. "all indices, as in x[t][j]" },
  { "local r = x[iota(8)]", "x[t] with a tile of indices is not a row: write all indices, as in "
    .. "x[t][j]" },
  { T .. "local n = #t", "'#' takes an array, and this is a tile (float32, 16 x 16): its extents "
    .. "are the constants that it was made with" },
  { T .. "local u = not t", "'not' takes a tile of booleans, and this is a tile (float32, "
    .. "16 x 16): compare it, as in t == 0" },
  { T .. "local i = at(t)", "at: argument 1: expected an integer, got a tile (float32, 16 x 16)" },
  { "local i = at(3)", "a variable cannot be at(i), which stands in a list of places: load(x, { "
    .. "at(i), j }, { M, N })" },
  { "local t = zeros('float23', 8)", "zeros: there is no dtype 'float23'; did you mean 'float32', "
    .. "'float16' or 'float64'?" },
  { T .. "print(t)", "this call takes numbers and no tiles: reduce a tile before, as in sum(t), "
    .. "max(t) or all(t)" },
  { T .. "assert(t > 0)", "this call takes numbers and no tiles: reduce a tile before, as in "
    .. "sum(t), max(t) or all(t)" },
  { T .. "local u = { t, t }", "a table cannot be made on a device: places and extents stand in "
    .. "the call, as in load(x, { i, j }, { M, N })" },
  { "local n = atomic_add(o, { 1, 1 }, iota(8))", "this call returns no value" },
  { T .. "local u = max(t, t)", "max reduces a tile along a constant axis, 1 or 2: write "
    .. "math.max(a, b) for one of two values" },
  { "local u = min(1, 2)", "min reduces a tile along a constant axis, 1 or 2: write "
    .. "math.min(a, b) for one of two values" },
  { T .. "return t", "a kernel returns nothing: write results to arrays" },
  { T .. "local y = where(t, t, t)", "where: argument 1: expected booleans, got float32" },
}

local UNTYPED = { ["warps = 3"] = { warps = 3 }, ["wraps = 4"] = { wraps = 4 },
  ["m = 3"] = { m = 3 } }

helper.for_each_device(function()
  describe("a kernel over tiles", function()
    local function kernel(body, options)
      local text = "return function(o, x) " .. body .. " end"
      return cuda.tiled(assert(load(text, text))(), options)
    end

    local function refused(body)
      local k = kernel(body)
      local message = helper.misuse(function()
        k({ programs = { 1 } }, cuda.zeros{ 16, 16 }, cuda.zeros{ 16, 16 })
      end)
      local head = '^tiled: %[string "return function%(o, x%) .-"%.?%.?%.?%]:1: '
      assert.matches(head, message)
      return (message:gsub(head, ""))
    end

    for _, case in ipairs(CASES) do
      it("is refused: " .. case[1], function() assert.equal(case[2], refused(case[1])) end)
    end

    it("is refused when a variable changes its shape, with both lines", function()
      assert.matches("^'t' becomes a tile %(float32, 8 x 16%) here, and is a tile %(float32, "
        .. "16 x 16%) at .*:1: a variable has one type; use another variable$",
        refused(T .. "t = load(x, { 1, 1 }, { 8, 16 })"))
    end)

    it("is refused when a number becomes a tile, with what to begin with", function()
      assert.matches("^'n' becomes a tile %(float32, 16 x 16%) here, and is a Lua integer at .*:1: "
        .. "a variable has one type; begin with zeros%(\"float32\", 16, 16%)$",
        refused(T .. "local n = 0 for k = 1, 2 do n = n + t end"))
    end)

    it("is refused if it calls Lua's own load", function()
      local another = load
      local k = cuda.tiled(function(y) store(y, { 1 }, another(y, { 1 }, { 8 })) end)
      assert.matches("'another' is Lua's own load: the load of tiles has no other name",
        helper.misuse(function() k({ programs = 1 }, cuda.zeros(8)) end))
    end)

    it("is refused with options that it does not know", function()
      for text, options in pairs(UNTYPED) do
        assert.matches("option", helper.misuse(function() kernel("", options) end), text)
      end
    end)

    it("is refused without programs", function()
      local k = kernel "store(o, { 1, 1 }, load(x, { 1, 1 }, { 16, 16 }))"
      local a = cuda.zeros{ 16, 16 }
      for _, launch in ipairs{ {}, { tiles = 1 }, { tiles = cuda.zeros(3) } } do
        assert.matches("^tiled: ", helper.misuse(function() k(launch, a, a) end))
      end
    end)
  end)
end)
