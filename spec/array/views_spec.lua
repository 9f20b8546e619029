-- Views of other shapes and orders of axes, against NumPy: elements, shapes and strides.
local helper = require "spec.helper"
local numpy = require "spec.support.numpy"
local cuda = require "luacuda"

local misuse = helper.misuse

local SHAPES = { {}, { 5 }, { 1 }, { 0 }, { 3, 4 }, { 1, 4 }, { 4, 0, 2 }, { 2, 1, 3, 1 },
  { 2, 3, 4, 5 } }

local function new(shape, dtype)
  return cuda.arange(helper.size_of(shape), "int32"):astype(dtype or "int32"):reshape(shape)
end

-- A list as a Python tuple of the numbers, less one if they are positive.
local function axes_text(list)
  local words = {}
  for i, axis in ipairs(list) do words[i] = axis > 0 and axis - 1 or axis end
  return "(" .. table.concat(words, ", ") .. ",)"
end

-- All axes of an array, from the front and from the back.
local function each_axis(a)
  local list = {}
  for d = 1, a.ndim do
    list[#list + 1] = d
    list[#list + 1] = -d
  end
  return ipairs(list)
end

local VIEW = { view = true }

local function flips(o, a)
  o:expect("np.flip(a)", { a = a }, a:flip(), VIEW)
  for _, d in each_axis(a) do
    o:expect(("np.flip(a, %s)"):format(axes_text { d }), { a = a }, a:flip { axis = d }, VIEW)
  end
  if a.ndim < 2 then return end
  o:expect("np.flip(a, (0, -1))", { a = a }, cuda.flip(a, { axis = { 1, -1 } }), VIEW)
  o:expect("np.rot90(a)", { a = a }, a:rot90(), VIEW)
  for k = -3, 5 do
    o:expect(("np.rot90(a, %d)"):format(k), { a = a }, a:rot90(k), VIEW)
    o:expect(("np.rot90(a, %d, (-1, 0))"):format(k), { a = a },
      cuda.rot90(a, k, { axes = { -1, 1 } }), VIEW)
  end
  o:expect("np.rot90(a, axes=(1, 0))", { a = a }, a:rot90 { axes = { 2, 1 } }, VIEW)
end

local function single_axes(o, a)
  o:expect("np.squeeze(a)", { a = a }, a:squeeze(), VIEW)
  for _, d in each_axis(a) do
    if a.shape[d < 0 and d + a.ndim + 1 or d] == 1 then
      o:expect(("np.squeeze(a, %s)"):format(axes_text { d }), { a = a }, a:squeeze { axis = d },
        VIEW)
    end
  end
  for d = 1, a.ndim + 1 do
    for _, at in ipairs { d, -d } do
      o:expect(("np.expand_dims(a, %s)"):format(axes_text { at }), { a = a }, a:expand_dims(at),
        VIEW)
    end
  end
  o:expect("np.expand_dims(a, (0, -1))", { a = a }, cuda.expand_dims(a, { 1, -1 }), VIEW)
end

local function orders(o, a)
  for _, d in each_axis(a) do
    o:expect(("np.swapaxes(a, %d, -1)"):format(d > 0 and d - 1 or d), { a = a }, a:swapaxes(d, -1),
      VIEW)
    for _, e in each_axis(a) do
      o:expect(("np.moveaxis(a, %s, %s)"):format(axes_text { d }, axes_text { e }), { a = a },
        a:moveaxis(d, e), VIEW)
    end
  end
  if a.ndim >= 3 then
    o:expect("np.moveaxis(a, (0, 2), (-1, 0))", { a = a }, cuda.moveaxis(a, { 1, 3 }, { -1, 1 }),
      VIEW)
    o:expect("np.moveaxis(a, (2, 0), (0, 1))", { a = a }, cuda.moveaxis(a, { 3, 1 }, { 1, 2 }),
      VIEW)
  end
end

local function splits(o, a)
  for d = 1, a.ndim do
    local n, axis = a.shape[d], { axis = d }
    for _, count in ipairs { 1, 2, 3, 7 } do
      if n % count == 0 then
        o:expect(("np.split(a, %d, %d)"):format(count, d - 1), { a = a }, a:split(count, axis),
          VIEW)
      end
      o:expect(("np.array_split(a, %d, %d)"):format(count, d - 1), { a = a },
        cuda.array_split(a, count, axis), VIEW)
    end
    for _, begins in ipairs { {}, { 2 }, { 1, 3 }, { 3, 2 }, { -2 }, { 2, -1, 9 }, { -9, 4 } } do
      local text = ("(a, %s, %d)"):format(#begins > 0 and axes_text(begins) or "()", d - 1)
      o:expect("np.split" .. text, { a = a }, cuda.split(a, begins, axis), VIEW)
      o:expect("np.array_split" .. text, { a = a }, a:array_split(begins, axis), VIEW)
    end
  end
end

describe("views of other shapes agree with NumPy:", function()
  if not numpy.found() then
    pending "Python has no NumPy"
    return
  end

  helper.for_each_device(function()
    for name, add in pairs { flips = flips, ["axes of one element"] = single_axes, orders = orders,
      splits = splits } do
      it(name, function()
        local o = numpy.new()
        for _, shape in ipairs(SHAPES) do add(o, new(shape)) end
        o:check()
      end)
    end

    it("of views", function()
      local o, a = numpy.new(), new { 4, 6, 2 }
      local v = a:slice({ 4, 1, -2 }, { 2, -1, 2 }):transpose(3, 1, 2)
      local text = "a[3::-2, 1::2].transpose(2, 0, 1)"
      o:expect(("np.flip(%s, 1)"):format(text), { a = a }, v:flip { axis = 2 }, VIEW)
      o:expect(("np.expand_dims(%s, 1)"):format(text), { a = a }, v:expand_dims(2), VIEW)
      o:expect(("np.split(%s, 2, 1)"):format(text), { a = a }, v:split(2, { axis = 2 }), VIEW)
      o:expect(("%s.ravel()"):format(text), { a = a }, v:ravel(), VIEW)
      o:expect(("%s.flatten()"):format(text), { a = a }, v:flatten(), VIEW)
      o:check()
    end)
  end)
end)

describe("views of other shapes", function()
  helper.for_each_device(function()
    it("share memory", function()
      local a = cuda.zeros({ 2, 3 }, "int16")
      a:flip():set { { 1, 2, 3 }, { 4, 5, 6 } }
      assert.same({ { 6, 5, 4 }, { 3, 2, 1 } }, a:totable())
      a:rot90():fill(0)
      a:expand_dims(2):squeeze():swapaxes(1, 2):moveaxis(1, 2):ravel():set { 1, 2, 3, 4, 5, 6 }
      a:split(3, { axis = 2 })[2]:fill(9)
      assert.same({ { 1, 9, 3 }, { 4, 9, 6 } }, a:totable())
      a:flatten():fill(0)
      assert.same({ { 1, 9, 3 }, { 4, 9, 6 } }, a:totable())
    end)

    helper.for_all_dtypes(function(name)
      it("take " .. name .. " and host memory", function()
        local h = cuda.host({ 2, 3 }, name)
        h:set(new({ 2, 3 }, name):to(h.device))
        local want = h:transpose():copy()
        assert.is_true(want:equals(h:rot90():flip { axis = 1 }))
        assert.is_true(want:ravel():equals(h:transpose():ravel()))
      end)
    end, { coarse = true })

    it("take arrays of structs", function()
      local Pair = cuda.struct("Pair", { { "x", "float32" }, { "y", "int32" } })
      local a = cuda.array({ { x = 1, y = 2 }, { x = 3, y = 4 } }, Pair)
      assert.same({ { x = 3, y = 4 }, { x = 1, y = 2 } }, a:flip():ravel():totable())
    end)

    it("ravel and flatten follow a stream and are captured", function()
      local a, stream = new({ 3, 4 }, "float32"), cuda.stream()
      assert.same(a:transpose():copy():totable(),
        a:transpose():ravel({ stream = stream }):reshape({ 4, 3 }):totable())
      local kept = {}
      local graph = cuda.graph(function() kept[1] = a:transpose():flatten() end)
      a:fill(7)
      graph:launch()
      assert.same({ 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 }, kept[1]:totable())
    end)

    it("refuse what does not fit", function()
      local a = cuda.zeros { 2, 3, 1 }
      for text, call in pairs {
        ["flip: argument 1 'a': expected an Array, got 3"] = function() cuda.flip(3) end,
        ["flip: option 'axis': 4 is not an axis of an array of 3 axes"] = function()
          a:flip { axis = 4 }
        end,
        ["flip: option 'axis': axis 1 is named twice"] = function() a:flip { axis = { 1, -3 } } end,
        ["flip: option 'axis': item 2: expected an integer, got 1.5"] = function()
          a:flip { axis = { 1, 1.5 } }
        end,
        ["flip: option 'axis': expected an integer or a list of integers, got string"] = function()
          a:flip { axis = "1" }
        end,
        ["flip: expected a table of options such as { axis = ... }, got 1"] =
          function() a:flip(1) end,
        ["flip: unknown option 'axes'; did you mean 'axis'?"] = function() a:flip { axes = 1 } end,
        ["rot90: an array of 1 axes cannot be rotated"] = function() cuda.zeros(3):rot90() end,
        ["rot90: argument 2 'k': expected an integer, got 0.5"] = function() a:rot90(0.5) end,
        ["rot90: option 'axes': expected two axes, got 3"] = function()
          a:rot90(1, { axes = { 1, 2, 3 } })
        end,
        ["squeeze: option 'axis': axis 2 has 3 elements, not 1"] = function()
          a:squeeze { axis = { 3, 2 } }
        end,
        ["expand_dims: argument 2 'axis': expected an integer or a list of integers, got nil"] =
          function() a:expand_dims() end,
        ["expand_dims: argument 2 'axis': 5 is not an axis of an array of 4 axes"] = function()
          a:expand_dims(5)
        end,
        ["expand_dims: 17 axes are too many (at most 16)"] = function()
          a:expand_dims { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 }
        end,
        ["swapaxes: argument 3 'axis2': 0 is not an axis of an array of 3 axes"] = function()
          a:swapaxes(1, 0)
        end,
        ["moveaxis: 2 axes cannot move to 1 places"] = function() a:moveaxis({ 1, 2 }, 3) end,
        ["moveaxis: argument 3 'destination': axis 3 is named twice"] = function()
          a:moveaxis({ 1, 2 }, { 3, -1 })
        end,
        ["split: argument 2 'parts': 3 elements do not divide into 2 equal parts; see "
          .. "array_split"] = function() a:split(2, { axis = 2 }) end,
        ["array_split: argument 2 'parts': 4611686018427387904 parts of 2 elements are too "
          .. "many"] = function()
          a:array_split(1 << 62)
        end,
        ["array_split: argument 2 'parts': expected at least 1, got 0"] = function()
          a:array_split(0)
        end,
        ["split: argument 2 'parts': item 1: indices count from 1"] = function() a:split { 0 } end,
        ["split: an array without axes cannot be split"] = function() cuda.zeros({}):split(1) end,
        ["split: option 'axis': 4 is not an axis of an array of 3 axes"] = function()
          a:split(1, { axis = 4 })
        end,
      } do assert.equal(text, misuse(call)) end
      a:close()
      assert.matches("closed", misuse(function() cuda.flip(a) end))
    end)
  end)
end)
