-- Diagonals, triangles, differences and coordinates, against NumPy.
local helper = require "spec.helper"
local numpy = require "spec.support.numpy"
local cuda = require "luacuda"

local misuse = helper.misuse

local SHAPES = { { 5 }, { 1 }, { 0 }, { 3, 4 }, { 4, 3 }, { 5, 5 }, { 1, 4 }, { 0, 3 }, { 4, 0, 2 },
  { 2, 3, 4 }, { 3, 4, 2, 5 } }

local function new(shape, dtype)
  local a = cuda.arange(helper.size_of(shape), "int32"):mod(23):add(1)
  return a:astype(dtype or "int32"):reshape(shape)
end

local function each_case(dtype) return numpy.each_case(SHAPES, new, dtype) end
local expecting = numpy.expecting

local OFFSETS = { -5, -2, -1, 0, 1, 3, 6 }
local VIEW = { view = true }

local function diagonals(o, dtype)
  for a, text, inputs in each_case(dtype) do
    local expect = expecting(o, text, inputs)
    for _, k in ipairs(OFFSETS) do
      if a.ndim >= 2 then expect(("np.diagonal(A, %d)"):format(k), a:diagonal(k), VIEW) end
      if a.ndim <= 2 then expect(("np.diag(A, %d)"):format(k), cuda.diag(a, k)) end
    end
    for row = 1, a.ndim do
      for column = -a.ndim, -1 do
        if row ~= column + a.ndim + 1 then
          expect(("np.diagonal(A, 1, %d, %d)"):format(row - 1, column),
            cuda.diagonal(a, 1, { axis1 = row, axis2 = column }), VIEW)
        end
      end
    end
  end
end

local function triangles(o, dtype)
  for a, text, inputs in each_case(dtype) do
    local expect = expecting(o, text, inputs)
    expect("np.tril(A)", a:tril())
    for _, k in ipairs(OFFSETS) do
      expect(("np.tril(A, %d)"):format(k), a:tril(k))
      expect(("np.triu(A, %d)"):format(k), cuda.triu(a, k))
    end
  end
end

local function differences(o, dtype)
  for a, text, inputs in each_case(dtype) do
    local expect = expecting(o, text, inputs)
    expect("np.diff(A)", a:diff())
    for d = 1, a.ndim do
      for _, n in ipairs { 0, 1, 2, 7 } do
        expect(("np.diff(A, %d, %d)"):format(n, d - 1), cuda.diff(a, n, { axis = d }))
      end
      expect(("np.diff(A, 2, %d, prepend=A, append=A)"):format(d - 1),
        a:diff(2, { axis = d, prepend = a, append = a }))
      local one = cuda.array(a:item(table.unpack(a.shape)), dtype)
      expect(("np.diff(A, axis=%d, append=A[(-1,) * A.ndim])"):format(d - 1),
        a:diff { axis = d, append = one })
    end
  end
end

-- Without the arrays that have no last element.
local function filled(add)
  return function(o, dtype)
    local kept = SHAPES
    SHAPES = { { 5 }, { 1 }, { 3, 4 }, { 1, 4 }, { 2, 3, 4 } }
    add(o, dtype)
    SHAPES = kept
  end
end

local function empty_differences(o)
  for _, shape in ipairs { { 0 }, { 0, 3 }, { 4, 0, 2 } } do
    local a = new(shape)
    for d = 1, a.ndim do
      for n = 1, 3 do
        o:expect(("np.diff(a, %d, %d)"):format(n, d - 1), { a = a }, a:diff(n, { axis = d }))
      end
      o:expect(("np.diff(a, axis=%d, prepend=np.int32(3))"):format(d - 1), { a = a },
        a:diff { axis = d, prepend = 3 })
    end
  end
end

local function grids(o)
  local x, y, z = new({ 3 }, "float32"), new({ 2, 2 }, "int16"), new({ 1 }, "float64")
  for _, indexing in ipairs { "xy", "ij" } do
    for _, sparse in ipairs { false, true } do
      for _, copy in ipairs { false, true } do
        local options = { indexing = indexing, sparse = sparse, copy = copy }
        local words = ("indexing='%s', sparse=%s, copy=%s"):format(indexing,
          sparse and "True" or "False", copy and "True" or "False")
        o:expect("np.meshgrid(x, y, z, " .. words .. ")", { x = x, y = y, z = z },
          { cuda.meshgrid(x, y, z, options) }, VIEW)
        o:expect("np.meshgrid(x, y, " .. words .. ")", { x = x, y = y },
          { cuda.meshgrid(x, y, options) }, VIEW)
        o:expect("np.meshgrid(x, " .. words .. ")", { x = x }, { cuda.meshgrid(x, options) })
      end
    end
  end
  o:expect("np.meshgrid(x, x[:0])", { x = x }, { cuda.meshgrid(x, x:slice { 1, 0 }) })
end

local function indices(o)
  for text, shape in pairs { ["(4,)"] = 4, ["()"] = {}, ["(2, 3)"] = { 2, 3 },
    ["(2, 0, 3)"] = { 2, 0, 3 }, ["(2, 1, 3)"] = { 2, 1, 3 } } do
    if text ~= "()" then
      o:expect(("np.indices(%s) + 1"):format(text), {}, cuda.indices(shape))
      o:expect(("[i + 1 for i in np.indices(%s, 'f4', True)]"):format(text), {},
        { cuda.indices(shape, "float32", { sparse = true }) })
    else
      o:expect("np.indices(())", {}, cuda.indices(shape))
    end
  end
  o:expect("np.indices((3, 255), 'u1') + np.uint8(1)", {}, cuda.indices({ 3, 255 }, "uint8"))
end

local function powers(o)
  local near = { rtol = 1e-13 }
  o:expect("np.logspace(0, 3)", {}, cuda.logspace(0, 3, nil, "float64"), near)
  o:expect("np.logspace(-2.5, 3, 17, False, 2.5)", {},
    cuda.logspace(-2.5, 3, 17, "float64", { endpoint = false, base = 2.5 }), near)
  o:expect("np.logspace(0, 3, 0)", {}, cuda.logspace(0, 3, 0, "float64"))
  o:expect("np.logspace(1, 10, 10, base=2, dtype='i4')", {},
    cuda.logspace(1, 10, 10, { base = 2, dtype = "int32" }))
  o:expect("np.logspace(-1, 2, 4, base=-2, dtype='i4')", {},
    cuda.logspace(-1, 2, 4, "int32", { base = -2 }))
  o:expect("np.logspace(-1, 2, 7, dtype='f4')", {}, cuda.logspace(-1, 2, 7), { rtol = 1e-6 })
end

describe("matrices and grids agree with NumPy:", function()
  if not numpy.found() then
    pending "Python has no NumPy"
    return
  end

  helper.for_each_device(function()
    for name, add in pairs { diagonals = diagonals, triangles = triangles,
      differences = filled(differences) } do
      for _, dtype in ipairs { "bool", "uint8", "float16", "complex128" } do
        it(name .. " of " .. dtype, function()
          local o = numpy.new()
          add(o, dtype)
          o:check()
        end)
      end
    end

    for name, add in pairs { ["differences of nothing"] = empty_differences, meshgrid = grids,
      indices = indices, logspace = powers } do
      it(name, function()
        local o = numpy.new()
        add(o)
        o:check()
      end)
    end
  end)
end)

describe("matrices and grids", function()
  helper.for_each_device(function()
    helper.for_all_dtypes(function(name, row)
      it("of " .. name, function()
        local a = new({ 2, 2 }, name)
        local x, y, z, w = a:item(1, 1), a:item(1, 2), a:item(2, 1), a:item(2, 2)
        local none = cuda.zeros(1, name):item()
        assert.same({ { x, none }, { z, w } }, a:tril():totable())
        assert.same({ { none, y }, { none, none } }, a:triu(1):totable())
        assert.same({ { none, x }, { none, none } }, a:slice(1):slice({ 1, 1 }):diag(1):totable())
        assert.same({ x, w }, a:diag():totable())
        assert.equal(name, a:diff().dtype)
        if row.kind ~= "bool" then
          assert.is_true((a:slice({}, { 2 }) - a:slice({}, { 1, 1 })):equals(a:diff()))
        end
      end)
    end)

    it("diagonals are views", function()
      local a = cuda.zeros({ 3, 3 }, "int32")
      a:diagonal():set { 1, 2, 3 }
      a:diag(-1):fill(7)
      assert.same({ { 1, 0, 0 }, { 7, 2, 0 }, { 0, 7, 3 } }, a:totable())
      local Pair = cuda.struct("Pair", { { "x", "float32" }, { "y", "int32" } })
      local p, zero = { x = 1, y = 2 }, { x = 0, y = 0 }
      local s = cuda.array({ p }, Pair)
      assert.same({ { zero, p }, { zero, zero } }, s:diag(1):totable())
      assert.same({ p }, s:diag(1):diagonal(1):totable())
    end)

    it("differences of Lua numbers and arrays", function()
      local a = cuda.array({ 1, 4, 9 }, "int16")
      assert.same({ 1, 3, 5, -9 }, a:diff({ prepend = 0, append = 0 }):totable())
      assert.equal("int16", a:diff({ prepend = 0 }).dtype)
      assert.equal("float32", a:astype("float32"):diff({ prepend = 0 }).dtype)
      local half = a:diff { prepend = 0.5 }
      assert.same({ 0.5, 3, 5 }, half:totable())
      assert.same({ 3, 5 }, cuda.array({ 1, 4, 9 }, "uint8"):diff():totable())
      assert.same({ 253 }, cuda.array({ 4, 1 }, "uint8"):diff():totable())
      assert.same({ true, false }, cuda.array({ true, false, false }):diff():totable())
    end)

    it("are written to out, which may have gaps or be the array itself", function()
      local a, stream = cuda.ones({ 3, 3 }, "int16"), cuda.stream()
      assert.equal(a, a:tril(0, { out = a, stream = stream }))
      assert.same({ { 1, 0, 0 }, { 1, 1, 0 }, { 1, 1, 1 } }, a:totable())
      local t = a:transpose()
      assert.equal(t, cuda.arange(9, "int16"):reshape({ 3, 3 }):triu({ out = t }))
      assert.same({ { 0, 0, 0 }, { 1, 4, 0 }, { 2, 5, 8 } }, a:totable())
      a:tril({ out = t })
      assert.same({ { 0, 1, 2 }, { 0, 4, 5 }, { 0, 0, 8 } }, a:totable())
      local v = cuda.array({ 1, 4, 9, 16 }, "int16")
      local out = v:slice { 2, 4 }
      assert.equal(out, v:diff { out = out, stream = stream })
      assert.same({ 1, 3, 5, 7 }, v:totable())
      v:slice({ 1, 3 }):diag { out = a }
      assert.same({ { 1, 0, 0 }, { 0, 3, 0 }, { 0, 0, 5 } }, a:totable())
      local none = cuda.zeros({ 0 }, "int16")
      assert.equal(none, v:diff(9, { out = none }))
    end)

    it("of host memory, and captured in graphs", function()
      local h = cuda.host({ 2, 2 }, "float32"):set { { 1, 2 }, { 3, 5 } }
      assert.same({ { 1 }, { 2 } }, h:diff():totable())
      assert.same({ { 1, 2 }, { 0, 5 } }, h:triu():totable())
      assert.same({ 1, 5 }, h:diagonal():totable())
      local a, made = cuda.zeros({ 2, 2 }), {}
      local graph = cuda.graph(function()
        made = { a:tril(), a:diff(), a:diagonal():diag(), cuda.meshgrid(a:diagonal(), a:ravel()) }
      end)
      a:set { { 1, 2 }, { 3, 5 } }
      graph:launch()
      assert.same({ { 1, 0 }, { 3, 5 } }, made[1]:totable())
      assert.same({ { 1 }, { 2 } }, made[2]:totable())
      assert.same({ { 1, 0 }, { 0, 5 } }, made[3]:totable())
      assert.same({ { 1, 5 }, { 1, 5 }, { 1, 5 }, { 1, 5 } }, made[4]:totable())
      assert.same({ { 1, 1 }, { 2, 2 }, { 3, 3 }, { 5, 5 } }, made[5]:totable())
    end)

    it("refuse what does not fit", function()
      local a, v = cuda.zeros { 2, 3 }, cuda.zeros(3)
      local Pair = cuda.struct("Pair", { { "x", "float32" } })
      for text, call in pairs {
        ["diagonal: an array of 1 axes has no diagonal; cuda.diag makes a matrix"] = function()
          v:diagonal()
        end,
        ["diagonal: options 'axis1' and 'axis2' name the same axis"] = function()
          a:diagonal { axis1 = -1 }
        end,
        ["diagonal: option 'axis2': 3 is not an axis of an array of 2 axes"] = function()
          a:diagonal { axis2 = 3 }
        end,
        ["diagonal: argument 2 'offset': expected an integer, got 0.5"] = function()
          a:diagonal(0.5)
        end,
        ["diag: argument 1 'a': expected one axis or two, got shape {}; cuda.diagonal takes more"] =
          function() cuda.zeros({}):diag() end,
        ["diag: argument 2 'k': the matrix for 1099511627776 is more than any memory holds"] =
          function() v:diag(1 << 40) end,
        ["diag: argument 2 'k': the matrix for -9223372036854775808 is more than any memory "
          .. "holds"] = function() v:diag(math.mininteger) end,
        ["diag: unknown option 'out'"] = function() a:diag { out = v } end,
        ["tril: an array without axes has no triangle"] = function() cuda.zeros({}):tril() end,
        ["triu: elements of luacuda.Struct Pair {float32 x} have no zero"] = function()
          cuda.zeros(2, Pair):triu()
        end,
        ["tril: option 'out': expected float32 array of shape {3, 3}, got float32 of shape "
          .. "{3}"] = function() v:tril { out = v } end,
        ["diff: argument 2 'n': -1 is negative"] = function() a:diff(-1) end,
        ["diff: an array without axes has no neighbours"] = function() cuda.zeros({}):diff() end,
        ["diff: elements of luacuda.Struct Pair {float32 x} have no difference"] = function()
          cuda.zeros(2, Pair):diff()
        end,
        ["diff: option 'append': an array of shape {3} does not fit one of shape {2, 3} along "
          .. "axis 2"] = function() a:diff { append = v } end,
        ["meshgrid: argument 2 'arrays': expected an Array, got 3"] = function()
          cuda.meshgrid(v, 3, v)
        end,
        ["meshgrid: option 'indexing': expected 'xy' or 'ij', got 'yx'"] = function()
          cuda.meshgrid(v, { indexing = "yx" })
        end,
        ["indices: argument 1 'dimensions': -1 is negative"] = function()
          cuda.indices { 2, -1 }
        end,
        ["indices: argument 1 'dimensions': 1099511627776 is more than any memory holds"] =
          function() cuda.indices { 1 << 40, 1 << 40 } end,
        ["indices: argument 2 'dtype': int8 does not hold 128"] = function()
          cuda.indices({ 2, 128 }, "int8")
        end,
        ["logspace: argument 2 'last': expected a number, got nothing"] = function()
          cuda.logspace(1)
        end,
        ["logspace: argument 3 'n': expected 0 or more, got -1"] = function()
          cuda.logspace(1, 2, -1)
        end,
      } do assert.equal(text, misuse(call)) end
    end)
  end)
end)
