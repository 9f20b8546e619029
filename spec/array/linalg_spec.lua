-- Products of arrays and norms, against loops in Lua. On a GPU everything runs with cuBLAS (if
-- available) and with the library's own kernel.
local cuda = require "luacuda"
local core = require "luacuda.core"
local dtypes = require "luacuda.base.dtypes"
local helper = require "spec.helper"

-- Values ------------------------------------------------------------------------------------------

local state = 7
local function random(n)
  state = (state * 1103515245 + 12345) & 0x7fffffff
  return (state >> 8) % n
end

-- Nested tables of small integers (pairs of them, booleans), which every dtype can hold.
local function values(shape, kind, at)
  at = at or 1
  if at > #shape then
    if kind == "bool" then return random(3) == 0 end
    if kind == "uint" then return random(4) end
    if kind == "complex" then return cuda.complex(random(5) - 2, random(5) - 2) end
    return random(7) - 3
  end
  local list = {}
  for i = 1, shape[at] do list[i] = values(shape, kind, at + 1) end
  return list
end

local function make(shape, dtype)
  dtype = dtype or "float32"
  if #shape == 0 then return cuda.full({}, values(shape, dtypes.of(dtype).kind), dtype) end
  local array = cuda.empty(shape, dtype)
  if array.size > 0 then array:set(values(shape, dtypes.of(dtype).kind)) end
  return array
end

-- References: sums of products in the arithmetic of a kind of dtype -------------------------------

local REAL = { zero = function() return 0 end, add = function(s, x, y) return s + x * y end }
local ARITHMETIC = {
  bool = { zero = function() return false end, add = function(s, x, y) return s or (x and y) end },
  int = REAL, uint = REAL, float = REAL,
  complex = {
    zero = function() return cuda.complex(0, 0) end,
    add = function(s, x, y)
      return cuda.complex(s.re + x.re * y.re - x.im * y.im, s.im + x.re * y.im + x.im * y.re)
    end,
  },
}

-- An integer as an element of the dtype stores it.
local function wrapped(value, dtype)
  local row = dtypes.of(dtype)
  if row.size == 8 or (row.kind ~= "int" and row.kind ~= "uint") then return value end
  local bits = value & ((1 << 8 * row.size) - 1)
  local sign = 1 << (8 * row.size - 1)
  return row.kind == "int" and bits >= sign and bits - 2 * sign or bits
end

local function product2(a, b, n, do_)
  local out = {}
  for i = 1, #a do
    out[i] = {}
    for j = 1, n do
      local sum = do_.zero()
      for k = 1, #b do sum = do_.add(sum, a[i][k], b[k][j]) end
      out[i][j] = sum
    end
  end
  return out
end

local function product_of(a, da, b, db, n, do_)
  if da == 2 and db == 2 then return product2(a, b, n, do_) end
  local out = {}
  local la, lb = da >= db and #a or 1, db >= da and #b or 1
  for i = 1, math.max(la, lb) do
    local x, y = a, b
    if da >= db then x = a[la == 1 and 1 or i] end
    if db >= da then y = b[lb == 1 and 1 or i] end
    out[i] = product_of(x, da >= db and da - 1 or da, y, db >= da and db - 1 or db, n, do_)
  end
  return out
end

-- a @ b of arrays of two axes or more
local function reference(a, b)
  return product_of(a:totable(), a.ndim, b:totable(), b.ndim, b.shape[b.ndim],
    ARITHMETIC[dtypes.of(a.dtype).kind])
end

local function check(want, got, dtype)
  assert.equal(dtype or "float32", got.dtype)
  helper.assert_close(want, got, { dtype = got.dtype })
end

local function same_shape(want, array) assert.same(want, array.shape) end

-- The sets of options to test: on a GPU, everything runs twice.
local function each_backend(device, fn)
  fn(nil)
  if device.kind ~= "cpu" then fn "kernel" end
end

describe("linalg", function()
  helper.for_each_device(function(device)
    describe("matmul", function()
      it("multiplies matrices of any size", function()
        local sizes = { { 1, 1, 1 }, { 1, 31, 7 }, { 31, 1, 7 }, { 7, 31, 1 }, { 63, 64, 65 },
          { 65, 63, 64 }, { 64, 65, 63 }, { 13, 17, 19 }, { 2, 3, 129 }, { 127, 5, 3 },
          { 5, 127, 3 }, { 128, 128, 8 }, { 37, 130, 2 } }
        each_backend(device, function(backend)
          for _, size in ipairs(sizes) do
            local a, b = make{ size[1], size[3] }, make{ size[3], size[2] }
            check(reference(a, b), cuda.matmul(a, b, { backend = backend }))
          end
        end)
      end)

      it("has every dtype", function()
        each_backend(device, function(backend)
          helper.for_all_dtypes(function(name)
            local a, b = make({ 9, 21 }, name), make({ 21, 70 }, name)
            check(reference(a, b), a:matmul(b, { backend = backend }), name)
          end)
        end)
      end)

      it("uses tiles of three sizes", function()
        local processors = device.multiprocessor_count
        local n = 128 * math.ceil(math.sqrt(processors)) + 5
        -- sizes for which small and large tiles are chosen
        for _, size in ipairs{ { 60, 64 * processors + 5 }, { n, n } } do
          local rows, columns = size[1], size[2]
          for _, name in ipairs {
            "bool", "int16", "bfloat16", "float32", "uint64", "complex64", "complex128",
          } do
            local x, y = make({ rows, 11 }, name), make({ 11, columns }, name)
            local z = x:matmul(y, { backend = "kernel" })
            for _, i in ipairs { 1, rows // 2, rows } do
              check(reference(x:slice({ i, i }, {}), y), z:slice({ i, i }, {}), name)
            end
            for _, j in ipairs { 1, columns // 2, columns } do
              check(reference(x, y:slice({}, { j, j })), z:slice({}, { j, j }), name)
            end
          end
        end
      end)

      it("wraps integers", function()
        for _, name in ipairs { "int8", "uint8", "int16", "int32", "int64" } do
          local a = cuda.full({ 3, 5 }, dtypes.max(name), name)
          local want = wrapped(5 * dtypes.max(name) * dtypes.max(name), name)
          assert.equal(want, a:matmul(a:transpose()):item(2, 3), name)
          assert.equal(want, a:slice(1):dot(a:slice(2)), name)
        end
      end)

      it("adds half floats as float32", function()
        for _, name in ipairs { "float16", "bfloat16" } do
          each_backend(device, function(backend)
            local a, b = cuda.ones({ 3, 4096 }, name), cuda.ones({ 4096, 3 }, name)
            assert.equal(4096, a:matmul(b, { backend = backend }):item(1, 2))
            assert.equal(4096,
              a:slice(1):dot(b:slice({}, 1), { backend = backend ~= "kernel" and backend or nil }))
          end)
        end
      end)

      it("is as accurate as float64 allows", function()
        local a, b = cuda.empty({ 20, 33 }, "float64"), cuda.empty({ 33, 10 }, "float64")
        local x, y = {}, {}
        for i = 1, 20 do x[i] = {} for k = 1, 33 do x[i][k] = random(1000) / 997 - 0.5 end end
        for k = 1, 33 do y[k] = {} for j = 1, 10 do y[k][j] = random(1000) / 991 - 0.5 end end
        a:set(x)
        b:set(y)
        helper.assert_close(reference(a, b), cuda.matmul(a, b), { rtol = 1e-13, atol = 1e-13 })
        helper.assert_close(reference(a, b), cuda.matmul(a:astype "float32", b:astype "float32"),
          { rtol = 2e-6, atol = 2e-6 })
      end)

      it("takes views without copying", function()
        each_backend(device, function(backend)
          local options = { backend = backend }
          for _, m in ipairs { 5, 70 } do
            local a, b = make{ m, 13 }, make{ 13, 9 }
            local at, bt = make{ 13, m }:transpose(), make{ 9, 13 }:transpose()
            for _, pair in ipairs { { a, bt }, { at, b }, { at, bt } } do
              check(reference(pair[1], pair[2]), cuda.matmul(pair[1], pair[2], options))
            end
            local wide, deep = make{ m, 40 }, make{ 40, 20 }
            local spaced, back = wide:slice({}, { 2, 40, 3 }),
              deep:slice({ 14, 2, -1 }, { 20, 4, -2 })
            check(reference(spaced, back), cuda.matmul(spaced, back, options))
            check(reference(wide:slice({}, { 3, 15 }), b),
              cuda.matmul(wide:slice({}, { 3, 15 }), b, options))
            local row = make{ 1, 13 }:broadcast_to{ m, 13 }
            check(reference(row, b), cuda.matmul(row, b, options))
          end
        end)
      end)

      it("multiplies batches and broadcasts them", function()
        local shapes = {
          { { 4, 3, 5 }, { 4, 5, 2 } }, { { 4, 3, 5 }, { 5, 2 } }, { { 3, 5 }, { 4, 5, 2 } },
          { { 1, 3, 5 }, { 4, 5, 2 } },
          { { 2, 1, 3, 5 }, { 3, 5, 4 } }, { { 2, 3, 1, 2 }, { 2, 1, 2, 3 } },
          { { 7, 1, 5 }, { 1, 5, 6 } }, { { 2, 1, 5 }, { 2, 5, 1 } },
          { { 5, 1, 4 }, { 4, 3 } }, { { 2, 1, 1, 3, 2 }, { 3, 1, 2, 2 } },
        }
        each_backend(device, function(backend)
          for _, pair in ipairs(shapes) do
            local a, b = make(pair[1]), make(pair[2])
            check(reference(a, b), cuda.matmul(a, b, { backend = backend }))
          end
          -- {2, 3, 4, 5}, {3, 5, 6}
          local a, b = make{ 3, 5, 2, 4 }:transpose(3, 1, 4, 2), make{ 3, 6, 5 }:transpose(1, 3, 2)
          check(reference(a, b), cuda.matmul(a, b, { backend = backend }))
        end)
      end)

      it("takes a vector as a row on the left and as a column on the right", function()
        each_backend(device, function(backend)
          local options = { backend = backend }
          local v, w, m, batch = make{ 5 }, make{ 4 }, make{ 5, 4 }, make{ 3, 5, 4 }
          local row, column = v:reshape{ 1, 5 }, w:reshape{ 4, 1 }
          local y = cuda.matmul(v, m, options)
          same_shape({ 4 }, y)
          check(reference(row, m)[1], y)
          y = cuda.matmul(m, w, options)
          same_shape({ 5 }, y)
          check(reference(m, column), y:reshape{ 5, 1 })
          y = cuda.matmul(v, batch, options)
          same_shape({ 3, 4 }, y)
          check(reference(row, batch), y:reshape{ 3, 1, 4 })
          y = cuda.matmul(batch, w, options)
          same_shape({ 3, 5 }, y)
          check(reference(batch, column), y:reshape{ 3, 5, 1 })
        end)
        local v = make{ 5 }
        local value = cuda.matmul(v, v)
        assert.equal("float", math.type(value))
        assert.equal(reference(v:reshape{ 1, 5 }, v:reshape{ 5, 1 })[1][1], value)
        local spaced = make{ 10 }:slice{ 10, 2, -2 }
        assert.equal(reference(v:reshape{ 1, 5 }, spaced:contiguous():reshape{ 5, 1 })[1][1],
          cuda.matmul(v, spaced))
      end)

      it("promotes dtypes", function()
        local cases = {
          { "int8", "uint8", "int16" }, { "int32", "float32", "float64" },
          { "float16", "float32", "float32" },
          { "bool", "int64", "int64" }, { "float32", "complex64", "complex64" },
          { "float64", "complex64", "complex128" }, { "float16", "bfloat16", "float32" },
        }
        for _, case in ipairs(cases) do
          local a, b = make({ 4, 6 }, case[1]), make({ 6, 3 }, case[2])
          check(reference(a:astype(case[3]), b:astype(case[3])), cuda.matmul(a, b), case[3])
          local v, w = a:slice(1), b:slice({}, 2)
          local want = reference(a:slice({ 1, 1 }, {}):astype(case[3]),
            b:slice({}, { 2, 2 }):astype(case[3]))[1][1]
          assert.is_true(helper.close(want, cuda.dot(v, w), case[3]))
        end
      end)

      it("of empty arrays is zeros or empty", function()
        each_backend(device, function(backend)
          local options = { backend = backend }
          local y = cuda.matmul(make{ 3, 0 }, make{ 0, 2 }, options)
          check({ { 0, 0 }, { 0, 0 }, { 0, 0 } }, y)
          same_shape({ 0, 2 }, cuda.matmul(make{ 0, 3 }, make{ 3, 2 }, options))
          same_shape({ 3, 0 }, cuda.matmul(make{ 3, 2 }, make{ 2, 0 }, options))
          same_shape({ 0, 3, 2 }, cuda.matmul(make{ 0, 3, 4 }, make{ 4, 2 }, options))
          same_shape({ 0 }, cuda.matmul(make{ 0, 3 }, make{ 3 }, options))
        end)
        assert.equal(0, cuda.matmul(make{ 0 }, make{ 0 }))
        assert.is_false(cuda.matmul(make({ 0 }, "bool"), make({ 0 }, "bool")))
        check({ { false } }, cuda.matmul(make({ 1, 0 }, "bool"), make({ 0, 1 }, "bool")), "bool")
      end)

      it("writes into out", function()
        each_backend(device, function(backend)
          local a, b = make{ 6, 5 }, make{ 5, 7 }
          local want = reference(a, b)
          local out = cuda.zeros{ 6, 7 }
          assert.equal(out, cuda.matmul(a, b, { out = out, backend = backend }))
          check(want, out)
          local turned = cuda.zeros{ 7, 6 }
          cuda.matmul(a, b, { out = turned:transpose(), backend = backend })
          check(want, turned:transpose())
          local room = cuda.zeros{ 12, 21 }
          cuda.matmul(a, b, { out = room:slice({ 1, 12, 2 }, { 3, 21, 3 }), backend = backend })
          check(want, room:slice({ 1, 12, 2 }, { 3, 21, 3 }))
          assert.equal(0, room:slice({ 2, 12, 2 }, {}):sum() + room:slice({}, { 1, 21, 3 }):sum())
          local v = cuda.zeros{ 6 }
          check(reference(a, b:slice({}, { 2, 2 })),
            cuda.matmul(a, b:slice({}, 2), { out = v, backend = backend }):reshape{ 6, 1 })
        end)
        local scalar = cuda.zeros{}
        assert.equal(scalar, cuda.matmul(make{ 3 }, make{ 3 }, { out = scalar }))
      end)

      it("may overwrite its operands", function()
        each_backend(device, function(backend)
          local a, b = make{ 5, 5 }, make{ 5, 5 }
          local want = reference(a, b)
          cuda.matmul(a, b, { out = b, backend = backend })
          check(want, b)
          want = reference(a, a)
          cuda.matmul(a, a, { out = a:transpose(), backend = backend })
          check(want, a:transpose())
        end)
      end)

      it("runs on the given stream", function()
        local s = cuda.stream{}
        local a, b = make{ 30, 40 }, make{ 40, 20 }
        local y = cuda.matmul(a, b, { stream = s })
        s:synchronize()
        check(reference(a, b), y)
      end)

      it("says what is wrong with arguments", function()
        local a, b = make{ 2, 3 }, make{ 4, 5 }
        assert.equal("matmul: shapes {2, 3} and {4, 5} do not fit: 3 elements against 4",
          helper.misuse(cuda.matmul, a, b))
        assert.equal("matmul: shapes {2, 2, 3} and {3, 3, 5} do not fit: the axes before the "
          .. "matrices do not broadcast",
          helper.misuse(cuda.matmul, make{ 2, 2, 3 }, make{ 3, 3, 5 }))
        assert.matches("matmul: shapes {} and {2, 3} do not fit",
          helper.misuse(cuda.matmul, make{}, a), 1, true)
        assert.equal("matmul: argument 2 'b': expected an Array, got 5",
          helper.misuse(cuda.matmul, a, 5))
        assert.equal("matmul: argument 1 'a': expected an Array, got nil",
          helper.misuse(cuda.matmul))
        assert.matches("unknown option 'ouch'; did you mean 'out'",
          helper.misuse(cuda.matmul, a, a, { ouch = a }))
        assert.matches("option 'backend': expected 'cublas' or 'kernel'",
          helper.misuse(cuda.matmul, a, a, { backend = "magic" }))
        assert.matches("option 'stream': expected a Stream, got 1",
          helper.misuse(cuda.matmul, a, a, { stream = 1 }))
        assert.matches(
          "option 'out': expected float32 array of shape {2, 2}, got float32 of shape {2, 3}",
          helper.misuse(cuda.matmul, a, make{ 3, 2 }, { out = a }))
        assert.matches("option 'out': expected float32",
          helper.misuse(cuda.matmul, a, make{ 3, 2 }, { out = make({ 2, 2 }, "float64") }))
        assert.matches("broadcast view",
          helper.misuse(cuda.matmul, a, make{ 3, 2 }, { out = make{ 2 }:broadcast_to{ 2, 2 } }))
        local closed = make{ 2, 2 }
        closed:free()
        assert.equal("attempt to use a closed Array", helper.misuse(cuda.matmul, closed, a))
      end)
    end)

    describe("dot, inner and outer", function()
      it("follow matmul for vectors and matrices", function()
        local a, b, v, w = make{ 4, 6 }, make{ 6, 3 }, make{ 6 }, make{ 6 }
        check(reference(a, b), a:dot(b))
        check(reference(a, b), cuda.inner(a, b:transpose()))
        local value = reference(v:reshape{ 1, 6 }, w:reshape{ 6, 1 })[1][1]
        assert.equal(value, v:dot(w))
        assert.equal(value, cuda.inner(v, w))
        check(reference(a, v:reshape{ 6, 1 }), cuda.dot(a, v):reshape{ 4, 1 })
        check(reference(v:reshape{ 1, 6 }, b)[1], cuda.dot(v, b))
        check(reference(a, v:reshape{ 6, 1 }), cuda.inner(a, v):reshape{ 4, 1 })
        check(reference(v:reshape{ 1, 6 }, a:transpose())[1], cuda.inner(v, a))
      end)

      it("sum over one axis of several", function()
        local a, b = make{ 2, 3, 4 }, make{ 5, 4, 2 }
        local y, x, z = a:dot(b), a:totable(), b:totable()
        same_shape({ 2, 3, 5, 2 }, y)
        local want = {}
        for i = 1, 2 do want[i] = {}
        for j = 1, 3 do want[i][j] = {}
        for p = 1, 5 do want[i][j][p] = {}
        for q = 1, 2 do
          local sum = 0
          for k = 1, 4 do sum = sum + x[i][j][k] * z[p][k][q] end
          want[i][j][p][q] = sum
        end end end end
        check(want, y)
        check(want, cuda.inner(a, b:transpose(1, 3, 2)))
        same_shape({ 2, 3 }, cuda.dot(a, make{ 4 }))
        same_shape({ 5, 2 }, cuda.dot(make{ 4 }, b))
        local out = cuda.zeros{ 2, 5, 3, 2 }:transpose(1, 3, 2, 4)
        check(want, cuda.dot(a, b, { out = out }))
        assert.equal("dot: shapes {2, 3, 4} and {5, 3, 2} do not fit: 4 elements against 3",
          helper.misuse(cuda.dot, a, make{ 5, 3, 2 }))
      end)

      it("multiply by an array of no axes", function()
        local a, two = make{ 3, 4 }, cuda.full({}, 2, "float32")
        local want = a:totable()
        for _, row in ipairs(want) do for j = 1, 4 do row[j] = 2 * row[j] end end
        check(want, cuda.dot(a, two))
        check(want, cuda.inner(two, a:transpose():contiguous():transpose()))
        assert.equal(4, cuda.dot(two, two))
      end)

      it("outer multiplies all pairs", function()
        local a, b = make({ 2, 3 }, "int32"), make({ 5 }, "int32")
        check(reference(a:reshape{ 6, 1 }, b:reshape{ 1, 5 }), cuda.outer(a, b), "int32")
        same_shape({ 0, 5 }, cuda.outer(make{ 0 }, make{ 5 }))
      end)

      it("have every dtype for vectors", function()
        helper.for_all_dtypes(function(name)
          for _, n in ipairs { 1, 31, 257 } do
            local v, w = make({ n }, name), make({ n }, name)
            local want = reference(v:reshape{ 1, n }, w:reshape{ n, 1 })[1][1]
            assert.is_true(helper.close(wrapped(want, name), v:dot(w), name), name)
          end
        end)
      end)
    end)

    describe("vdot and trace", function()
      it("vdot conjugates the first operand", function()
        local a = cuda.array({ cuda.complex(1, 2), cuda.complex(3, -1) }, "complex64")
        local b = cuda.array({ cuda.complex(2, 1), cuda.complex(0, 4) }, "complex64")
        local value = cuda.vdot(a, b)      -- (1-2i)(2+i) + (3+i)(4i)
        assert.same({ 4 - 4, -3 + 12 }, { value.re, value.im })
        value = cuda.dot(a, b)             -- (1+2i)(2+i) + (3-i)(4i)
        assert.same({ 0 + 4, 5 + 12 }, { value.re, value.im })
      end)

      it("vdot goes over all elements of any shape", function()
        local a, b = make{ 2, 6 }, make{ 3, 4 }
        assert.equal(reference(a:reshape{ 1, 12 }, b:reshape{ 12, 1 })[1][1], cuda.vdot(a, b))
        assert.matches("12 elements against 5", helper.misuse(cuda.vdot, a, make{ 5 }))
      end)

      it("trace adds up the diagonal", function()
        for _, shape in ipairs { { 4, 4 }, { 3, 5 }, { 5, 3 }, { 1, 1 }, { 0, 3 } } do
          local a = make(shape)
          local x, want = a:totable(), 0
          for i = 1, math.min(shape[1], shape[2]) do want = want + x[i][i] end
          assert.equal(want, cuda.trace(a))
          assert.equal(want, cuda.trace(a:transpose()))
        end
        local a = make{ 8, 9 }:slice({ 1, 8, 2 }, { 2, 9, 2 })
        local x = a:totable()
        assert.equal(x[1][1] + x[2][2] + x[3][3] + x[4][4], a:trace())
        assert.matches("expected a matrix, got an array of shape {3}",
          helper.misuse(cuda.trace, make{ 3 }))
        assert.matches("^trace: option 'out': expected an Array",
          helper.misuse(cuda.trace, a, { out = true }))
        assert.matches("^trace: option 'out': expected float32 array of shape {}",
          helper.misuse(cuda.trace, a, { out = make{ 2 } }))
        assert.matches("^trace: option 'dtype': unknown dtype",
          helper.misuse(cuda.trace, a, { dtype = "float31" }))
        assert.equal(a:trace(),
          a:trace{ out = cuda.zeros({}, "float64"), dtype = "float64" }:item())
      end)
    end)

    describe("norm", function()
      local function close(want, got)
        helper.assert_close(want, got, { rtol = 1e-6, atol = 1e-6 })
      end

      it("of vectors", function()
        local v = cuda.array({ 3, -4, 0, 12 }, "float32")
        local p3 = (27 + 64 + 1728) ^ (1 / 3)
        close(13, cuda.norm(v))
        close(13, v:norm{ ord = 2 })
        close(19, v:norm{ ord = 1 })
        close(12, v:norm{ ord = math.huge })
        close(0, v:norm{ ord = -math.huge })
        close(3, v:norm{ ord = 0 })
        close(p3, v:norm{ ord = 3 })
        close((1 / 3 + 1 / 4 + 1 / 12) ^ -1, cuda.array({ 3, 4, 12 }, "float64"):norm{ ord = -1 })
        close(0, cuda.norm(cuda.zeros { 0 }))
      end)

      it("of matrices", function()
        local m = cuda.array({ { 1, -2, 3 }, { -4, 5, -6 } }, "float32")
        close(math.sqrt(91), m:norm())
        close(math.sqrt(91), m:norm{ ord = "fro" })
        close(9, m:norm{ ord = 1 })
        close(5, m:norm{ ord = -1 })
        close(15, m:norm{ ord = math.huge })
        close(6, m:norm{ ord = -math.huge })
      end)

      it("along axes", function()
        local m = cuda.array({ { 3, 4 }, { 6, 8 }, { 5, 12 } }, "float32")
        close({ 5, 10, 13 }, m:norm{ axis = 2 })
        close({ 14, 24 }, m:norm{ axis = 1, ord = 1 })
        close({ { 5 }, { 10 }, { 13 } }, m:norm{ axis = -1, keepdims = true })
        same_shape({ 1, 1 }, m:norm{ keepdims = true })
        local x = make{ 2, 3, 4 }
        for _, ord in ipairs { 1, -1, math.huge, -math.huge, "fro" } do
          local y = x:norm{ ord = ord, axis = { 1, 3 } }
          same_shape({ 3 }, y)
          for j = 1, 3 do close(x:slice({}, j, {}):norm{ ord = ord }, y:item(j)) end
          same_shape({ 1, 3, 1 }, x:norm{ ord = ord, axis = { 1, 3 }, keepdims = true })
          close(x:slice(1):norm{ ord = ord },
            x:slice(1):transpose():norm{ ord = ord, axis = { 2, 1 } })
        end
        local out = cuda.zeros{ 3 }
        assert.equal(out, m:norm{ axis = 2, out = out })
        close({ 5, 10, 13 }, out)
      end)

      it("has every dtype", function()
        local types = { float16 = "float16", bfloat16 = "bfloat16", float32 = "float32",
          complex64 = "float32" }
        helper.for_all_dtypes(function(name, row)
          local one = row.kind ~= "bool" and 1 or true
          local v = cuda.full({ 16 }, one, name)
          local y = v:norm{ keepdims = true }
          assert.equal(types[name] or "float64", y.dtype)
          close(4, y:item(1))
        end)
        for _, name in ipairs { "bool", "int8", "float16", "complex64" } do
          local v = cuda.full({ 16 }, name == "bool" or 1, name)
          close(16, v:norm{ ord = 1 })
          close(1, v:norm{ ord = math.huge })
          close(2, v:norm{ ord = 4 })
        end
        close(5, cuda.array({ cuda.complex(3, 4) }, "complex128"):norm{ ord = 1 })
      end)

      it("keeps NaN", function()
        local v = cuda.array({ 1, 0 / 0, 3 }, "float32")
        for _, ord in ipairs { 1, 2, math.huge, -math.huge } do
          local y = v:norm{ ord = ord }
          assert.is_true(y ~= y)
        end
      end)

      it("says what is wrong with arguments", function()
        local v, m, x = make{ 3 }, make{ 3, 3 }, make{ 2, 2, 2 }
        assert.matches("option 'ord': fro is not a norm of vectors",
          helper.misuse(cuda.norm, v, { ord = "fro" }))
        assert.matches("option 'ord': 2 is not a norm of matrices",
          helper.misuse(cuda.norm, m, { ord = 2 }))
        assert.matches("name one axis or two in 'axis'", helper.misuse(cuda.norm, x, { ord = 1 }))
        assert.matches("option 'axis': 3 is not an axis", helper.misuse(cuda.norm, m, { axis = 3 }))
        assert.matches("option 'axis': axis 1 is named twice",
          helper.misuse(cuda.norm, m, { axis = { 1, -2 } }))
        assert.matches("expected one axis or two, got 3",
          helper.misuse(cuda.norm, x, { axis = { 1, 2, 3 } }))
        assert.matches("without elements",
          helper.misuse(cuda.norm, make{ 0 }, { ord = -math.huge }))
        assert.equal(0, cuda.norm(make{ 0 }, { ord = math.huge }))
        assert.same({ 0, 0 }, cuda.norm(make{ 2, 0 }, { ord = math.huge, axis = 2 }):totable())
        assert.equal(0, cuda.norm(make{ 0, 3 }, { ord = math.huge }))
        assert.matches("unknown option 'order'", helper.misuse(cuda.norm, v, { order = 1 }))
        assert.matches("argument 1 'a': expected an Array", helper.misuse(cuda.norm, 3))
      end)
    end)
  end)

  -- core.matmul does the usual products at once; the others take the way through Lua.
  describe("usual products", function()
    local function is_usual(...)
      cuda.matmul(cuda.ones{ 2, 2 }, cuda.ones{ 2, 2 }) -- finds cuBLAS where there is one
      return core.matmul(...) ~= nil
    end
    local function has_library()
      return cuda.device().kind == "cpu" or core.cublas(cuda.device()) ~= nil
    end

    it("are those of one dtype on one device without `backend`", function()
      local a, b, c = make{ 2, 3 }, make{ 3, 4 }, cuda.zeros{ 2, 4 }
      local s = cuda.stream()
      for _, options in ipairs{ {}, { out = c }, { stream = s }, { tf32 = true },
        { out = c, stream = s, tf32 = false } } do
        assert.equal(has_library(), is_usual(a, b, options))
        assert.is_true(cuda.matmul(a, b, options):equals(cuda.matmul(a, b)))
      end
      cuda.synchronize()
    end)

    it("are not those that need copies, conversions or an error", function()
      local a, b, v = make{ 2, 3 }, make{ 3, 4 }, make{ 3 }
      local square, plain = make{ 3, 3 }, make{ 4, 3 }
      local readonly = cuda.wrap(plain.pointer, { 4, 3 }, "float32",
        { owner = plain, readonly = true })
      for _, given in ipairs{ { a, make({ 3, 4 }, "float64") }, { a, make{ 2, 3 } }, { a, 3 },
        { a, cuda.zeros{ 3, 0 } }, { cuda.zeros{ 0, 3 }, b }, { a, make({}) },
        { make{ 2, 2, 3 }, make{ 3, 3, 2 } },
        { a, b, 5 }, { a, b, { backend = "kernel" } }, { a, b, { axes = 1 } }, { a, b, { 1 } },
        { a, b, { out = cuda.zeros{ 4, 2 } } }, { a, b, { out = cuda.zeros({ 2, 4 }, "int32") } },
        { a, b, { out = 1 } }, { a, b, { tf32 = 1 } }, { a, b, { stream = 1 } },
        { a, b, setmetatable({}, {}) }, { make{ 4, 3 }, square, { out = readonly } },
        { square, make{ 3, 3 }, { out = square } },
        { square, make{ 3, 3 }, { out = cuda.ones{ 1, 3 }:broadcast_to{ 3, 3 } } },
        { make{ 2, 2, 3 }, b, nil, "dot" }, { a, b, nil, "inner" }, { v, make{ 4 } } } do
        assert.is_false(is_usual(table.unpack(given, 1, 4)), tostring(given[3]))
      end
    end)

    it("agree with the others for every pair of axes", function()
      local shapes = { { 3 }, { 2, 3 }, { 2, 2, 3 }, { 4, 1, 2, 3 } }
      for i, left in ipairs(shapes) do
        for k, right in ipairs(shapes) do
          local turned = table.move(right, 1, #right, 1, {})
          if k > 1 then turned[k - 1], turned[k] = turned[k], turned[k - 1] end
          local a, b = make(left), make(turned)
          local want, got = cuda.matmul(a, b, { backend = "kernel" }), cuda.matmul(a, b)
          if i == 1 and k == 1 then assert.equal(want, got)
          else assert.is_true(got:equals(want), i .. " " .. k) end
        end
      end
    end)
  end)

  describe("cuBLAS", function()
    local function fake_library()
      local library = package.searchpath("luacuda.core", package.cpath):gsub("luacuda/core%.so$",
        "spec/fake_cublas.so")
      local file = io.open(library)
      if not file then pending "no fake cuBLAS: built without the C tests" end
      file:close()
      return library
    end

    it("is reported, or why it is missing", function()
      local found, why = core.cublas()
      assert.is_true(found ~= nil or type(why) == "string")
      assert.same(found and { found.version[1], found.version[2] },
        cuda.versions().cublas or (found and {} or nil))
      assert.matches("matrix products %(cuBLAS%): %S+", cuda.diagnose())
    end)

    it("can be disabled", function()
      local ok, output = helper.lua([[
        local cuda = require "luacuda"
        local found, why = require("luacuda.core").cublas()
        assert(found == nil and why:find "LUACUDA_LIBCUBLAS")
        assert(cuda.versions().cublas == nil and cuda.diagnose():find "LUACUDA_LIBCUBLAS is off")
        local a = cuda.array{ { 1, 2 }, { 3, 4 } }
        assert(a:matmul(a):item(2, 1) == 15)
      ]], { env = { LUACUDA_LIBCUBLAS = "off" } })
      assert.is_true(ok, output)
    end)

    it("gets operands in a layout that it supports", function()
      local library = fake_library()
      local ok, output = helper.lua([[
        local cuda, core, gemm = require "luacuda", require "luacuda.core",
          require "luacuda.linalg.gemm"
        cuda.use "cpu"
        local real, calls = core.gemm, 0
        function core.gemm(...)           -- the replacement for cuBLAS has no streams
          cuda.synchronize()
          calls = calls + 1
          return real(...)
        end
        local function numbers(shape, dtype)
          local n = 1
          for _, d in ipairs(shape) do n = n * d end
          return cuda.arange(n):reshape(shape):astype(dtype or "float32")
        end
        local function check(want_calls, a, b, batch, out)
          local want = cuda.matmul(a, b)
          local c = out or cuda.zeros(want.shape, a.dtype)
          calls = 0
          assert(gemm.by_cublas{
            a = a, b = b, c = c, batch = batch, stream = cuda.device().stream,
          })
          assert(calls == want_calls, calls)
          assert(c:equals(want), tostring(c) .. tostring(want))
        end
        local a, b = numbers{ 4, 6 }, numbers{ 6, 5 }
        check(1, a, b, {})
        check(1, numbers{ 6, 4 }:transpose(), numbers{ 5, 6 }:transpose(), {})
        check(1, a, b, {}, cuda.zeros{ 5, 4 }:transpose())
        check(2, numbers{ 4, 12 }:slice({}, { 1, 12, 2 }), b, {})
        check(2, a, numbers{ 1, 5 }:broadcast_to{ 6, 5 }, {})
        check(3, a:slice({}, { 6, 1, -1 }), b:slice({}, { 5, 1, -1 }), {})
        check(2, a, b, {}, cuda.zeros{ 4, 10 }:slice({}, { 1, 10, 2 }))
        check(4, a:slice({}, { 6, 1, -1 }), b:slice({}, { 5, 1, -1 }), {},
          cuda.zeros{ 8, 10 }:slice({ 1, 8, 2 }, { 1, 10, 2 }))
        check(1, numbers{ 3, 4, 6 }, b, { 3 })
        check(1, a, numbers{ 3, 6, 5 }, { 3 })
        check(2, numbers{ 2, 1, 4, 12 }:slice({}, {}, {}, { 1, 12, 2 }),
          numbers{ 3, 6, 5 }, { 2, 3 })
        check(1, numbers({ 2, 3, 2 }, "complex64"), numbers({ 2, 2, 3 }, "complex64"), { 2 })
      ]], { env = { LUACUDA_LIBCUBLAS = library } })
      assert.is_true(ok, output)
    end)

    it("that cannot be initialized causes one warning; products then work without it", function()
      local library = fake_library()
      local ok, output = helper.lua([[
        warn "@on"
        local cuda, core = require "luacuda", require "luacuda.core"
        local found, why = core.cublas(cuda.device())
        assert(found == nil and why:find "CUBLAS_STATUS_NOT_INITIALIZED", why)
        local gpu = cuda.device().kind == "gpu"
        local a = cuda.array{ { 1, 2 }, { 3, 4 } }
        for _ = 1, 2 do assert(a:matmul(a):item(2, 1) == 15) end
        local ok, message = pcall(cuda.matmul, a, a, { backend = "cublas" })
        assert(not ok and (not gpu or message:find "option 'backend': cublasCreate failed on gpu0"),
          message)
        print(gpu and "a GPU" or "no GPU")
      ]], { env = { LUACUDA_LIBCUBLAS = library, FAKE_CUBLAS_FAIL = "cublasCreate_v2 1 9" } })
      assert.is_true(ok, output)
      local _, warnings = output:gsub("matrix products do without cuBLAS: cublasCreate failed", "")
      assert.equal(output:find "a GPU" and 1 or 0, warnings, output)
    end)

    it("is refused on the CPU device", function()
      local previous = cuda.use "cpu"
      local a = make{ 2, 2 }
      assert.matches("option 'backend': cuBLAS is for GPUs, the arrays are on cpu",
        helper.misuse(cuda.matmul, a, a, { backend = "cublas" }))
      cuda.use(previous)
    end)
  end)
end)
