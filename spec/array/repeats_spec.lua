-- roll, tile, rep and pad against NumPy.
local helper = require "spec.helper"
local numpy = require "spec.support.numpy"
local cuda = require "luacuda"

local misuse = helper.misuse

local SHAPES = { {}, { 5 }, { 1 }, { 0 }, { 64 }, { 3, 4 }, { 1, 4 }, { 4, 0, 2 }, { 2, 1, 3, 1 },
  { 2, 3, 4, 5 }, { 7, 16 } }

local function new(shape, dtype)
  return cuda.arange(helper.size_of(shape), "int32"):astype(dtype or "int32"):reshape(shape)
end

local function tuple(list)
  if type(list) ~= "table" then return tostring(list) end
  local words = {}
  for i, item in ipairs(list) do words[i] = tuple(item) end
  return "(" .. table.concat(words, ", ") .. (#words > 0 and ",)" or ")")
end

local function each_case(dtype) return numpy.each_case(SHAPES, new, dtype) end
local expecting = numpy.expecting

local function rolls(o, dtype)
  for a, text, inputs in each_case(dtype) do
    local expect = expecting(o, text, inputs)
    for _, shift in ipairs { 0, 1, -1, 3, -100 } do
      expect(("np.roll(A, %d)"):format(shift), a:roll(shift))
      for d = 1, a.ndim do
        expect(("np.roll(A, %d, %d)"):format(shift, d - 1), cuda.roll(a, shift, { axis = d }))
      end
    end
    expect("np.roll(A, (1, 2))", a:roll { 1, 2 })
    if a.ndim >= 2 then
      expect("np.roll(A, (1, -2), (0, -1))", a:roll({ 1, -2 }, { axis = { 1, -1 } }))
      expect("np.roll(A, 1, (0, 1, 0))", a:roll(1, { axis = { 1, 2, 1 } }))
      expect("np.roll(A, (1, 2), 1)", a:roll({ 1, 2 }, { axis = 2 }))
    end
  end
end

local function tiles(o, dtype)
  for a, text, inputs in each_case(dtype) do
    local expect = expecting(o, text, inputs)
    for _, reps in ipairs { 0, 1, 3, {}, { 2, 3 }, { 2, 1, 3 }, { 1, 2, 0, 1, 2 },
      { 3, 1, 1, 1, 1 } } do
      expect(("np.tile(A, %s)"):format(tuple(reps)), a:tile(reps))
    end
  end
end

local function reps(o, dtype)
  local next_number = helper.random(3)
  for a, text, inputs in each_case(dtype) do
    local expect = expecting(o, text, inputs)
    for _, count in ipairs { 0, 1, 2, 5 } do
      expect(("np.repeat(A, %d)"):format(count), a:rep(count))
      expect(("np.repeat(A, [%d])"):format(count), a:rep { count })
      for d = 1, a.ndim do
        expect(("np.repeat(A, %d, %d)"):format(count, d - 1), cuda.rep(a, count, { axis = d }))
      end
    end
    for d = 0, a.ndim do
      local counts = {}
      for i = 1, d == 0 and a.size or a.shape[d] do counts[i] = next_number(4) end
      local code = ("np.repeat(A, np.array(%s, 'i8'), %s)"):format(tuple(counts),
        d > 0 and d - 1 or "None")
      local axis = { axis = d > 0 and d or nil }
      expect(code, a:rep(counts, axis))
      if #counts > 0 then
        expect(code, a:rep(cuda.array(counts, "uint8"), axis))
        expect(code, a:rep(cuda.array(counts, "int64"):flip():flip(), axis))
      end
    end
  end
end

local WIDTHS = { 0, 1, 9, { 2 }, { 1, 3 }, { { 0, 2 } }, { { 20, 37 } } }

local function widths_for(a)
  local list = table.move(WIDTHS, 1, #WIDTHS, 1, {})
  local each = {}
  for d = 1, a.ndim do each[d] = { d - 1, 3 * d % 5 } end
  if a.ndim > 1 then list[#list + 1] = each end
  return list
end

local function pads(o, dtype)
  for a, text, inputs in each_case(dtype) do
    local expect = expecting(o, text, inputs)
    for _, width in ipairs(widths_for(a)) do
      local small = type(width) == "table" and type(width[1]) == "table" and width[1][1] < 20
      if a.ndim < 3 or small then
        local start = ("np.pad(A, %s"):format(tuple(width))
        expect(start .. ")", a:pad(width))
        expect(start .. ", constant_values=1)",
          cuda.pad(a, width, { constant_values = dtype == "bool" or 1 }))
        for _, mode in ipairs { "edge", "reflect", "symmetric", "wrap" } do
          if a.size > 0 then
            expect(("%s, '%s')"):format(start, mode), a:pad(width, mode))
          end
        end
      end
    end
  end
end

describe("repeated elements agree with NumPy:", function()
  if not numpy.found() then
    pending "Python has no NumPy"
    return
  end

  helper.for_each_device(function()
    for name, add in pairs { roll = rolls, tile = tiles, rep = reps, pad = pads } do
      for _, dtype in ipairs { "bool", "uint8", "int16", "float32", "complex64", "complex128" } do
        it(name .. " of " .. dtype, function()
          local o = numpy.new()
          add(o, dtype)
          o:check()
        end)
      end
    end

    it("counted with 64 bits", function()
      local source = require "luacuda.array.window_source"
      local narrow, o = source.NARROW, numpy.new()
      source.NARROW = 1
      local ok, why = pcall(function()
        rolls(o, "int16")
        pads(o, "float32")
      end)
      source.NARROW = narrow
      assert.is_true(ok, why)
      o:check()
    end)

    it("pad with values for each side", function()
      local o, a = numpy.new(), new({ 2, 3, 2 }, "float32")
      for _, values in ipairs { { 5, 6 }, { { 5, 6 } }, { { 1, 2 }, { 3, 4 }, { 5, 6 } },
        { { 1 }, { 2 }, { 3 } } } do
        o:expect(("np.pad(a, ((1, 2), (3, 1), (0, 2)), constant_values=%s)"):format(tuple(values)),
          { a = a }, a:pad({ { 1, 2 }, { 3, 1 }, { 0, 2 } }, { constant_values = values }))
      end
      o:check()
    end)
  end)
end)

describe("repeated elements", function()
  helper.for_each_device(function()
    helper.for_all_dtypes(function(name)
      it("are those of the array: " .. name, function()
        local a = new({ 2, 3 }, name)
        local x, y, z = a:item(1, 1), a:item(1, 2), a:item(1, 3)
        local u, v, w = a:item(2, 1), a:item(2, 2), a:item(2, 3)
        assert.same({ { w, x, y }, { z, u, v } }, a:roll(1):totable())
        assert.same({ { x, y, z, x, y, z }, { u, v, w, u, v, w } }, a:tile { 1, 2 }:totable())
        assert.same({ { x, y, z }, { u, v, w }, { u, v, w } },
          a:rep({ 1, 2 }, { axis = 1 }):totable())
        assert.same({ { v, u, v, w, v }, { v, u, v, w, v } },
          a:slice({ 2 }):pad({ { 1, 0 }, { 1, 1 } }, "reflect"):totable())
        local none = cuda.zeros(1, name):item()
        assert.same({ { none, x, y, z }, { none, u, v, w } },
          a:pad({ { 0, 0 }, { 1, 0 } }):totable())
        assert.equal(name, a:pad(1).dtype)
      end)
    end, { coarse = true })

    it("may be structs", function()
      local Odd = cuda.struct("Odd", { { "x", "float32" }, { "y", "int32" }, { "z", "int32" } })
      local p, q = { x = 1, y = 2, z = 3 }, { x = 4, y = 5, z = 6 }
      local a, zero = cuda.array({ p, q }, Odd), { x = 0, y = 0, z = 0 }
      assert.same({ q, p }, a:roll(1):totable())
      assert.same({ p, q, p, q, p, q }, a:tile(3):totable())
      assert.same({ p, p, q, q }, a:rep(2):totable())
      assert.same({ q }, a:rep({ 0, 1 }):totable())
      assert.same({ q, p, q, p }, a:pad(1, "wrap"):totable())
      assert.same({ zero, p, q }, a:pad({ 1, 0 }):totable())
      assert.same({ q, p, q }, a:pad({ 1, 0 }, { constant_values = q }):totable())
    end)

    it("of host memory", function()
      local h = cuda.host({ 2, 2 }, "float32"):set { { 1, 2 }, { 3, 4 } }
      assert.same({ { 4, 1 }, { 2, 3 } }, h:roll(1):totable())
      assert.same({ 1, 1, 2, 2, 3, 3, 4, 4 }, h:rep(2):totable())
      assert.same({ 1, 3, 4 }, h:rep({ 1, 0, 1, 1 }):totable())
      assert.same({ { 0, 1, 2 }, { 0, 3, 4 } }, h:pad({ { 0, 0 }, { 1, 0 } }):totable())
    end)

    it("are written to out, which may have gaps or be the array itself", function()
      local a, stream = cuda.arange(6, "int16"), cuda.stream()
      assert.equal(a, a:roll(2, { out = a, stream = stream }))
      assert.same({ 4, 5, 0, 1, 2, 3 }, a:totable())
      local whole = cuda.zeros({ 6, 2 }, "int16")
      local column = whole:slice({}, 2)
      assert.equal(column, a:slice({ 1, 2 }):tile(3, { out = column }))
      assert.same({ 4, 5, 4, 5, 4, 5 }, column:totable())
      assert.same({ 4, 4, 4, 5, 5, 5 }, a:slice({ 1, 2 }):rep(3, { out = column }):totable())
      assert.same({ 4, 5, 0, 0, 1, 1 }, a:rep({ 1, 1, 2, 2, 0, 0 }, { out = a }):totable())
      assert.same({ 4, 5, 5 }, a:slice({ 1, 2 }):rep(cuda.zeros({ 1, 2 }).shape):totable())
      assert.same({ 0, 5, 0, 0, 1, 0 },
        a:slice({ 2, 5 }):pad(1, { out = a, stream = stream }):totable())
      assert.same({ 0, 0, 0, 0, 0, 0 }, whole:slice({}, 1):totable())
    end)

    it("are captured in graphs", function()
      local a, made = cuda.arange(4, "float32"), {}
      local graph = cuda.graph(function()
        made = { a:roll(1), a:tile(2), a:rep(2), a:pad(1, "edge"),
          a:pad(1, { constant_values = { 8, 9 } }), cuda.no_sync(a.rep, a, { 0, 1, 2, 0 }) }
      end)
      a:set { 5, 6, 7, 8 }
      graph:launch()
      assert.same({ 8, 5, 6, 7 }, made[1]:totable())
      assert.same({ 5, 6, 7, 8, 5, 6, 7, 8 }, made[2]:totable())
      assert.same({ 5, 5, 6, 6, 7, 7, 8, 8 }, made[3]:totable())
      assert.same({ 5, 5, 6, 7, 8, 8 }, made[4]:totable())
      assert.same({ 8, 5, 6, 7, 8, 9 }, made[5]:totable())
      assert.same({ 6, 7, 7 }, made[6]:totable())
    end)

    it("of large results", function()
      local a = cuda.arange(1 << 20, "float32"):reshape { 1024, 1024 }
      for _, value in ipairs { 0, 2 } do
        local b = a:pad({ { 1, 2 }, { 3, 4 } }, { constant_values = value ~= 0 and value or nil })
        local want = cuda.full({ 1027, 1031 }, value)
        want:slice({ 2, 1025 }, { 4, 1027 }):set(a)
        assert.is_true(want:equals(b))
      end
      local all = cuda.ones({ 3, 1500, 1000 }, "bool"):pad(1)
      assert.equal(3 * 1500 * 1000, all:count_nonzero())
      assert.equal(0, all:slice({}, {}, 1002):count_nonzero())
    end)

    it("refuse what does not fit", function()
      local a = cuda.zeros { 2, 3 }
      for text, call in pairs {
        ["roll: argument 2 'shift': expected an integer or a list of integers, got nil"] =
          function() a:roll() end,
        ["roll: 2 shifts do not go with 3 axes"] = function()
          a:roll({ 1, 2 }, { axis = { 1, 2, 1 } })
        end,
        ["roll: option 'axis': 3 is not an axis of an array of 2 axes"] = function()
          a:roll(1, { axis = 3 })
        end,
        ["roll: option 'out': expected float32 array of shape {2, 3}, got float32 of shape "
          .. "{3}"] = function() a:roll(1, { out = cuda.zeros(3) }) end,
        ["tile: argument 2 'reps': -1 is negative"] = function() a:tile { 2, -1 } end,
        ["tile: argument 2 'reps': 4611686018427387904 is more than any memory holds"] =
          function() a:tile(1 << 62) end,
        ["tile: 17 axes are too many (at most 16)"] = function()
          a:tile { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }
        end,
        ["rep: argument 2 'repeats': 4611686018427387904 is more than any memory holds"] =
          function() a:slice(1):rep { 1 << 62, 1 << 62, 1 << 62 } end,
        ["rep: argument 2 'repeats': -2 is negative"] = function() a:rep(-2) end,
        ["rep: argument 2 'repeats': -1 is negative"] = function()
          a:rep({ 3, -1 }, { axis = 1 })
        end,
        ["rep: argument 2 'repeats': 2 of them for an axis of 6 elements"] = function()
          a:rep { 1, 2 }
        end,
        ["rep: argument 2 'repeats': expected integers, got an array of float32"] = function()
          a:rep(cuda.ones(6))
        end,
        ["rep: argument 2 'repeats': expected an integer, got 1.5"] = function() a:rep(1.5) end,
        ["rep: argument 2 'repeats': item 2: expected an integer, got 1.5"] = function()
          a:rep { 1, 1.5 }
        end,
        ["rep: argument 2 'repeats': expected an integer or integers, got string"] = function()
          a:rep "2"
        end,
        ["rep: argument 2 'repeats': expected one axis, got shape {2, 3}"] = function()
          a:rep(cuda.ones({ 2, 3 }, "int8"))
        end,
        ["rep: argument 2 'repeats': -3 is negative"] = function()
          a:rep(cuda.array({ 1, -3 }, "int8"), { axis = 1 })
        end,
        ["pad: argument 2 'pad_width': -1 is negative"] = function() a:pad { 1, -1 } end,
        ["pad: argument 2 'pad_width': expected {before, after}, got 3 items"] = function()
          a:pad { 1, 2, 3 }
        end,
        ["pad: argument 2 'pad_width': 3 pairs for an array of 2 axes"] = function()
          a:pad { { 1 }, { 2 }, { 3 } }
        end,
        ["pad: argument 2 'pad_width': expected an integer, got nil"] = function() a:pad() end,
        ["pad: argument 3 'mode': expected 'constant', 'edge', 'reflect', 'symmetric' or 'wrap', "
          .. "got 'mean'"] = function() a:pad(1, "mean") end,
        ["pad: option 'constant_values' is for mode 'constant', not 'edge'"] = function()
          a:pad(1, "edge", { constant_values = 1 })
        end,
        ["pad: axis 1 is empty: only mode 'constant' can extend it"] = function()
          cuda.zeros { 0, 3 }:pad(1, "wrap")
        end,
      } do assert.equal(text, misuse(call)) end
      assert.matches("^pad: option 'constant_values': .*300", misuse(function()
        a:astype("uint8"):pad(1, { constant_values = 300 })
      end))
    end)
  end)
end)
