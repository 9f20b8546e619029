-- Selection by masks and indices, and joining, against loops in Lua.
local helper = require "spec.helper"
local numpy = require "spec.support.numpy_oracle"
local cuda = require "luacuda"

local misuse = helper.misuse

-- n bytes of ones and zeros, one in `one_in` set (0: none), and the positions set.
local function random_mask(n, one_in, seed)
  local next_number, flags, places = helper.random(seed), {}, {}
  for i = 1, n do
    flags[i] = one_in > 0 and next_number(one_in) == 0
    if flags[i] then places[#places + 1] = i end
  end
  return cuda.array(flags, "bool", { shape = n }), places
end

local function counting(n, dtype)
  if dtype == "bool" then return cuda.arange(n, "int32"):astype "bool" end
  return cuda.arange(n, "int32"):astype(dtype)
end

local function pick(t, places)
  local out = {}
  for i, at in ipairs(places) do out[i] = t[at] end
  return out
end

local SIZES = { 1, 2, 15, 31, 32, 33, 255, 1023, 1024, 1025, 4097, 8191, 8192, 8193, 20000 }

describe("masks", function()
  helper.for_each_device(function()
    helper.for_all_dtypes(function(name)
      it("select from " .. name, function()
        for _, n in ipairs { 1, 33, 1024, 9001 } do
          local a, mask, places = counting(n, name), random_mask(n, 2, n)
          assert.same(pick(a:totable(), places), cuda.compress(a, mask):totable())
        end
      end)

      it("write into " .. name, function()
        local a, mask, places = counting(3000, name), random_mask(3000, 3, 7)
        local want, b, c, d = a:totable(), a:copy(), a:copy(), a:copy()
        local one = cuda.array(name == "bool" and true or 5, name):item()
        local values = counting(#places, name):slice { -1, 1, -1 }
        local all = counting(3000, name):slice({ -1, 1, -1 }):contiguous()
        local ones, ordered, same_place = {}, {}, {}
        for i = 1, 3000 do ones[i], ordered[i], same_place[i] = want[i], want[i], want[i] end
        for k, at in ipairs(places) do
          ones[at], ordered[at], same_place[at] = one, values:item(k), all:item(at)
        end
        assert.equal(b, b:putmask(mask, one))
        assert.same(ones, b:totable())
        assert.same(ordered, c:place(mask, values):totable())
        assert.same(same_place, d:putmask(mask, all):totable())
      end)
    end)

    it("of all sizes and densities", function()
      for _, n in ipairs(SIZES) do
        for _, one_in in ipairs { 0, 1, 2, 50 } do
          local a, mask, places = cuda.arange(n, "float32"), random_mask(n, one_in, n)
          local what = n .. " of which one in " .. one_in
          assert.same(pick(a:totable(), places), a:compress(mask):totable(), what)
          assert.same(places, mask:nonzero():totable(), what)
          local wide = cuda.arange(n, "int64")
          assert.same(pick(wide:totable(), places), wide:compress(mask):totable(), what)
        end
      end
    end)

    it("that begin anywhere, with any nonzero byte", function()
      local bytes, want = {}, {}
      for i = 1, 9100 do bytes[i] = i % 3 == 0 and i % 255 + 1 or 0 end
      local whole = cuda.array(bytes, "uint8"):view "bool"
      for first = 1, 17 do
        want = {}
        for i = first, first + 9000 do
          if bytes[i] ~= 0 then want[#want + 1] = i - first + 1 end
        end
        assert.same(want, whole:slice({ first, first + 9000 }):nonzero():totable())
      end
    end)

    it("select elements and rows of several axes, also of views", function()
      local a = cuda.arange(60, "int16"):reshape { 3, 4, 5 }
      local v = a:transpose(3, 1, 2)
      local t, want, mask = v:totable(), {}, {}
      local rows, row_mask = {}, {}
      for i = 1, 5 do
        mask[i], row_mask[i] = {}, {}
        for j = 1, 3 do
          mask[i][j], row_mask[i][j] = {}, (i + j) % 3 == 0
          if row_mask[i][j] then rows[#rows + 1] = t[i][j] end
          for k = 1, 4 do
            mask[i][j][k] = (i * j + k) % 2 == 0
            if mask[i][j][k] then want[#want + 1] = t[i][j][k] end
          end
        end
      end
      assert.same(want, v:compress(cuda.array(mask)):totable())
      assert.same(rows, v:compress(cuda.array(row_mask)):totable())
      assert.same({ t[2], t[5] },
        v:compress(cuda.array { false, true, false, false, true }):totable())
      local along = v:compress(cuda.array { true, false, true }, { axis = 2 })
      assert.same({ 5, 2, 4 }, along.shape)
      assert.same({ t[4][1], t[4][3] }, along:totable()[4])
      assert.same(along:totable(),
        v:compress(cuda.array { true, false, true }, { axis = -2 }):totable())
    end)

    it("write rows, and write into views", function()
      local a = cuda.zeros({ 4, 6 }, "int32")
      local v = a:slice({}, { 1, -1, 2 })
      v:putmask(cuda.array { true, false, false, true }, 7)
      assert.same({ { 7, 0, 7, 0, 7, 0 }, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 },
        { 7, 0, 7, 0, 7, 0 } }, a:totable())
      v:place(v:astype "bool", cuda.arange(6, "float64"))
      assert.same({ 0, 0, 1, 0, 2, 0 }, a:slice(1):totable())
      assert.same({ 3, 0, 4, 0, 5, 0 }, a:slice(4):totable())
      v:putmask(cuda.ones({ 4, 3 }, "bool"), { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 }, { 1, 2, 3 } })
      assert.same({ 4, 0, 5, 0, 6, 0 }, a:slice(2):totable())
      local b = cuda.arange(5, "int32")
      b:place(cuda.array { true, true, false, true, true }, b:slice { 2, 5 })
      assert.same({ 1, 2, 2, 3, 4 }, b:totable())
    end)

    -- arrays without gaps and of the dtype of the array are used as they are
    it("write as many values as are selected, from arrays without gaps", function()
      local mask = cuda.array { { true, false, true }, { false, true, false } }
      local a, values = cuda.zeros({ 2, 3 }, "int32"), cuda.array({ 7, 8, 9 }, "int32")
      a[mask] = values
      assert.same({ { 7, 0, 8 }, { 0, 9, 0 } }, a:totable())
      a:place(cuda.array { false, true }, values)
      assert.same({ { 7, 0, 8 }, { 7, 8, 9 } }, a:totable())
      a[~mask] = 5 * cuda.ones({ 1, 1, 1 }, "int32")
      assert.same({ { 7, 5, 8 }, { 5, 8, 5 } }, a:totable())
      for _, n in ipairs { 0, 2, 4, 6 } do
        local v, before = cuda.ones(n, "int32"), a:copy()
        assert.matches(("place: argument 3 'values': %d values for 3 selected elements; expected "
          .. "one value or one for each element; .*see putmask"):format(n),
          misuse(a.place, a, mask, v))
        assert.matches(("putmask: argument 3 'values': shape {%d} for an array of shape {2, 3}; "
          .. "expected that shape or one value; .*see place"):format(n),
          misuse(a.putmask, a, mask, v))
        assert.is_false(pcall(function() a[mask] = v end))
        assert.is_true(a:equals(before))
      end
      assert.matches("place: .* 6 values for 3", misuse(a.place, a, mask, a))
      a[mask] = -a
      assert.same({ { -7, 5, -8 }, { 5, -8, 5 } }, a:totable())
    end)

    it("select structs that begin between multiples of their size", function()
      local pair = cuda.struct { { "x", "int64" }, { "y", "int64" } }
      local a = cuda.arange(4003, "int64"):slice({ 2, 4003 }):view(pair)
      local mask, places = random_mask(2001, 2, 4)
      local got = a:compress(mask)
      assert.equal(#places, #got)
      for i = 1, #places, 50 do assert.equal(2 * places[i] - 1, got:item(i).x) end
      a:place(mask, a:slice { 1, #places })
      assert.equal(1, a:item(places[1]).x)
      assert.equal(2 * 3, a:item(places[3]).y)
    end)

    it("write into out", function()
      local a, mask, places = cuda.arange(3000, "float32"), random_mask(3000, 2, 1)
      local want = pick(a:totable(), places)
      local out = cuda.empty(#places, "float32")
      assert.equal(out, a:compress(mask, { out = out }))
      assert.same(want, out:totable())
      local gaps = cuda.zeros(2 * #places, "float32"):slice { 1, -1, 2 }
      a:compress(mask, { out = gaps })
      assert.same(want, gaps:totable())
      a:compress(mask, { out = a:slice { 1, #places } })
      assert.same(want, a:slice({ 1, #places }):totable())
    end)

    it("select structs of any size", function()
      local triple = cuda.struct { { "x", "int32" }, { "y", "int32" }, { "z", "int32" } }
      local a = cuda.array({ { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }, triple)
      local got = a:compress(cuda.array { true, false, true })
      assert.equal(1, got:item(1).x)
      assert.equal(9, got:item(2).z)
      assert.matches("putmask: elements of 12 bytes",
        misuse(a.putmask, a, cuda.array { true, false, true }, a))
    end)

    it("without elements", function()
      local none = cuda.empty({ 0, 3 }, "float32")
      assert.same({ 0 }, none:compress(cuda.empty({ 0, 3 }, "bool")).shape)
      assert.same({ 0, 3 }, none:compress(cuda.empty(0, "bool")).shape)
      assert.same({ 0, 3 }, cuda.ones({ 2, 3 }):compress(cuda.zeros(2, "bool")).shape)
      assert.same({ 0 }, cuda.ones({ 2, 3 }):compress(cuda.zeros({ 2, 3 }, "bool")).shape)
      assert.same({ 0 }, select(2, none:nonzero()).shape)
      none:putmask(cuda.empty({ 0, 3 }, "bool"), 1)
    end)

    it("are refused if they do not fit", function()
      local a = cuda.zeros { 2, 3 }
      assert.matches("compress: argument 2 'mask': expected a bool array, got int32",
        misuse(a.compress, a, a:astype "int32"))
      assert.matches("argument 2 'mask': expected an Array, got nil", misuse(a.compress, a))
      assert.matches("shape {3} does not fit the first axes of an array of shape {2, 3}",
        misuse(a.compress, a, cuda.zeros(3, "bool")))
      assert.matches("expected shape {3} for axis 2, got {2}",
        misuse(a.compress, a, cuda.zeros(2, "bool"), { axis = 2 }))
      assert.matches("putmask: argument 2 'mask': shape {3}",
        misuse(a.putmask, a, cuda.zeros(3, "bool"), 1))
      assert.matches("putmask: argument 3 'values': shape {2} for an array of shape {2, 3}",
        misuse(a.putmask, a, cuda.ones({ 2, 3 }, "bool"), { 1, 2 }))
      assert.matches("putmask: argument 3 'values': .*string",
        misuse(a.putmask, a, cuda.ones({ 2, 3 }, "bool"), "x"))
      local bytes = cuda.zeros(3, "uint8")
      assert.matches("putmask: argument 3 'values': 300 is out of range for uint8",
        misuse(bytes.putmask, bytes, cuda.ones(3, "bool"), 300))
      assert.matches("nonzero: an array without axes", misuse(cuda.nonzero, cuda.array(1)))
    end)
  end)
end)

local by_numpy = numpy.found and describe or pending
by_numpy("putmask and place", function()
  helper.for_each_device(function()
    it("write what NumPy writes", function()
      for seed = 1, 4 do
        local mask, places = random_mask(60, 2, seed)
        local a = cuda.arange(60, "float32"):reshape { 12, 5 }
        local m = mask:reshape { 12, 5 }
        local v, chosen = -a - 1, cuda.arange(#places, "float32") + 100
        local function written(method, values)
          return function() return a:copy()[method](a:copy(), m, values) end
        end
        local function code(name, values)
          return ("(lambda b: (np.%s(b, m, %s), b)[1])(a.copy())"):format(name, values)
        end
        numpy.check({ a = a, m = m, v = v, c = chosen }, {
          { code("putmask", "v"), written("putmask", v) },
          { code("putmask", "7"), written("putmask", 7) },
          { code("place", "c"), written("place", chosen) },
          { code("place", "[7]"), written("place", { 7 }) },
          { "(lambda b: (b.__setitem__(m, c), b)[1])(a.copy())", function()
            local b = a:copy()
            b[m] = chosen
            return b
          end },
        })
      end
    end)
  end)
end)

describe("nonzero", function()
  helper.for_each_device(function()
    it("gives one list of indices per axis", function()
      local next_number, t, want = helper.random(9), {}, { {}, {}, {} }
      for i = 1, 7 do
        t[i] = {}
        for j = 1, 11 do
          t[i][j] = {}
          for k = 1, 13 do
            t[i][j][k] = next_number(3)
            if t[i][j][k] ~= 0 then
              table.insert(want[1], i)
              table.insert(want[2], j)
              table.insert(want[3], k)
            end
          end
        end
      end
      local a = cuda.array(t, "float32")
      for d, got in ipairs { a:nonzero() } do assert.same(want[d], got:totable()) end
      local i, j, k = cuda.nonzero(a:transpose())
      assert.equal(3, select("#", a:nonzero()))
      assert.equal(#want[1], #i)
      for at = 1, #i, 97 do assert.is_true(t[k[at]][j[at]][i[at]] ~= 0) end
      assert.same({ 2, 3 }, cuda.array({ 0, 0 / 0, -1, -0.0 }, "float64"):nonzero():totable())
    end)
  end)
end)

describe("take", function()
  helper.for_each_device(function()
    helper.for_all_dtypes(function(name)
      it("picks elements of " .. name, function()
        local a, next_number = counting(777, name), helper.random(2)
        local places = {}
        for i = 1, 1000 do places[i] = next_number(777) + 1 end
        local want = pick(a:totable(), places)
        assert.same(want, a:take(places):totable())
        assert.same(want, a:take(cuda.array(places, "int32")):totable())
        local b = cuda.zeros(777, name)
        local at, values = cuda.arange(1, 778, "int64"), a:slice { -1, 1, -1 }
        assert.equal(b, b:put(at, values))
        assert.same(values:totable(), b:totable())
      end)
    end)

    it("takes indices of any dtype and shape", function()
      local a = cuda.array({ 10, 20, 30 }, "int32")
      for _, dtype in ipairs {
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
      } do
        assert.same({ { 30, 10 }, { 20, 30 } },
          a:take(cuda.array({ { 3, 1 }, { 2, 3 } }, dtype)):totable())
      end
      assert.same({ 30, 20, 10 }, a:take({ -1, -2, -3 }):totable())
      assert.same({}, a:take(2).shape)
      assert.equal(20, a:take(2):item())
      assert.same({ 0 }, a:take({}).shape)
      assert.same({ { 30, 20 }, { 10, 30 } },
        a:take(cuda.array({ { 3, 1 }, { 2, 3 } }, "int64"):transpose()):totable())
    end)

    it("works along axes", function()
      for _, dtype in ipairs { "int8", "float32", "complex128" } do
        local a = counting(60, dtype):reshape { 3, 4, 5 }
        local t = a:totable()
        assert.same({ t[3], t[1] }, a:take({ 3, 1 }, { axis = 1 }):totable())
        local middle, last = a:take({ 4, 4, 1 }, { axis = 2 }):totable(),
          a:take({ 5, 1 }, { axis = -1 }):totable()
        for i = 1, 3 do
          assert.same({ t[i][4], t[i][4], t[i][1] }, middle[i])
          for j = 1, 4 do assert.same({ t[i][j][5], t[i][j][1] }, last[i][j]) end
        end
        assert.same(a:slice({}, 2):totable(), a:take(2, { axis = 2 }):totable())
        assert.same({ 3, 2, 2, 5 }, a:take({ { 1, 2 }, { 3, 4 } }, { axis = 2 }).shape)
        assert.same({ t[1][1][3], t[3][4][5] }, a:take({ 3, 60 }):totable())
        local v = a:transpose()
        assert.same(v:slice(2):totable(), v:take(2, { axis = 1 }):totable())
        assert.same({ t[1][1][1], t[2][1][1] }, v:take({ 1, 2 }):totable())
      end
      local odd = cuda.arange(21, "uint8"):reshape { 3, 7 }:slice({}, { 2, 6 })
      assert.same({ { 15, 16, 17, 18, 19 }, { 1, 2, 3, 4, 5 } },
        odd:take({ 3, 1 }, { axis = 1 }):totable())
    end)

    it("uses 64-bit indices where needed", function()
      local source = require "luacuda.array.take_source"
      local was = source.NARROW
      source.NARROW = 0
      local a = cuda.arange(24, "int16"):reshape { 4, 6 }
      local ok, got = pcall(a.take, a, { 4, 1 }, { axis = 1 })
      local done, problem = pcall(a.put, a, { 1, 24 }, { 7, 8 })
      source.NARROW = was
      assert.is_true(ok and done, tostring(problem))
      assert.same({ { 18, 19, 20, 21, 22, 23 }, { 0, 1, 2, 3, 4, 5 } }, got:totable())
      assert.equal(15, a[1][1] + a[4][6])
    end)

    it("treats indices out of range as `mode` says", function()
      local a = cuda.array({ 10, 20, 30 }, "int32")
      local at = { -7, -1, 0, 1, 3, 4, 8 }
      assert.same({ 10, 10, 10, 10, 30, 30, 30 }, a:take(at, { mode = "clip" }):totable())
      assert.same({ 20, 20, 30, 10, 30, 10, 20 }, a:take(at, { mode = "wrap" }):totable())
      for _, i in ipairs { 0, 4, -4, math.maxinteger, math.mininteger } do
        local says = ("argument 2 'indices': %d (element 2) is outside an axis of 3 elements")
          :format(i)
        assert.equal(1, misuse(a.take, a, { 1, i }):find("take: " .. says, 1, true))
        assert.equal(1, misuse(a.put, a, { 1, i }, 0):find("put: " .. says, 1, true))
      end
      assert.same({ 10, 20, 30 }, a:totable())
      assert.same({ 1, 20, 2 }, a:copy():put({ -3, 9 }, { 1, 2 }, { mode = "clip" }):totable())
      assert.same({ 1, 20, 2 }, a:copy():put({ 4, 0 }, { 1, 2 }, { mode = "wrap" }):totable())
    end)

    it("treats uint64 indices of 2^63 and more as unsigned", function()
      local a = cuda.array({ 10, 20, 30, 40, 50 }, "int32")
      local at = cuda.array({ 2, -1, math.mininteger, 0 }, "uint64")    -- 2^64 - 1 and 2^63
      assert.same({ 20, 50, 50, 10 }, a:take(at, { mode = "clip" }):totable())
      assert.same({ 20, 50, 30, 50 }, a:take(at, { mode = "wrap" }):totable())
      at = at:slice { 1, 2 }
      assert.matches("%(element 2%) is outside an axis of 5 elements", misuse(a.take, a, at))
      assert.matches("%(element 2%) is outside an axis of 5 elements", misuse(a.put, a, at, 0))
    end)

    it("selects little without keeping room for all", function()
      local a, kept = cuda.arange(16384, "float32"), {}
      local mask = a:lt(5)
      collectgarbage()
      local before = cuda.pool():stats().used
      for k = 1, 20 do kept[k] = a[mask] end
      cuda.synchronize()
      assert.is_true(cuda.pool():stats().used - before < a.nbytes)
      assert.same({ 0, 1, 2, 3, 4 }, kept[20]:totable())
      assert.is_true(kept[20].is_contiguous)
    end)

    it("checks indices of results without elements", function()
      local a = cuda.zeros { 7, 0 }
      local says = "indices': 8 %(element 2%) is outside an axis of 7 elements"
      assert.matches(says, misuse(a.take, a, { 1, 8 }, { axis = 1 }))
      assert.matches(says, misuse(a.scatter_max, a, { 1, 8 }, 1, { axis = 1 }))
      assert.same({ 2, 0 }, a:take({ 1, 8 }, { axis = 1, mode = "clip" }).shape)
      assert.same({ 0, 0 }, a:take(cuda.zeros(0, "int64"), { axis = 1 }).shape)
    end)

    it("puts values, also into views", function()
      local a = cuda.zeros({ 3, 4 }, "int32")
      a:put({ 1, 5, 9, 12, -2 }, { 1, 2, 1, 2, 1 })
      assert.same({ { 1, 0, 0, 0 }, { 2, 0, 0, 0 }, { 1, 0, 1, 2 } }, a:totable())
      local v = a:transpose()
      v:put(2, 8)
      assert.equal(8, a[2][1])
      v:put(cuda.array({ 12, 3 }, "int32"), cuda.array { 5.75, -1 })
      assert.equal(5, a[3][4])
      assert.equal(-1, a[3][1])
      a:put({}, 3)
      local b = cuda.array({ 1, 2, 3, 4 }, "int32")
      b:put({ 4, 3, 2, 1 }, b)
      assert.same({ 4, 3, 2, 1 }, b:totable())
      local c = cuda.arange(20000, "int64")
      c[1] = 1
      c:put(c, 7)
      assert.same({ 7, 7, 7, 19999 }, { c[1], c[2], c[19999], c[20000] })
      local flags = cuda.ones(20001, "bool")
      flags:slice({ 2, 20001 }):putmask(flags:slice { 1, 20000 }, false)
      assert.same({ true, false, false }, { flags[1], flags[2], flags[20001] })
    end)

    it("writes into out, even if it overlaps", function()
      local a = cuda.arange(8, "float32")
      local out = cuda.empty({ 2, 2 }, "float32")
      assert.equal(out, a:take({ { 1, 2 }, { 8, 7 } }, { out = out }))
      assert.same({ { 0, 1 }, { 7, 6 } }, out:totable())
      a:take({ 8, 7, 6, 5, 4, 3, 2, 1 }, { out = a })
      assert.same({ 7, 6, 5, 4, 3, 2, 1, 0 }, a:totable())
    end)

    it("refuses wrong arguments", function()
      local a = cuda.arange(8)
      assert.matches("take: argument 2 'indices': expected integers, got an array of float32",
        misuse(a.take, a, cuda.zeros(3)))
      assert.matches("take: argument 2 'indices': expected integers, got nil", misuse(a.take, a))
      assert.matches("take: argument 2 'indices': expected integers", misuse(a.take, a, { 1.5 }))
      assert.matches("option 'mode': expected 'raise', 'clip' or 'wrap', got 'no'",
        misuse(a.take, a, { 1 }, { mode = "no" }))
      assert.matches("option 'axis': 2 is not an axis", misuse(a.take, a, { 1 }, { axis = 2 }))
      assert.matches("the axis is empty",
        misuse(cuda.take, cuda.empty(0), { 1 }, { mode = "clip" }))
      assert.matches("put: argument 3 'values': 0 values of shape {0} for 1 indices",
        misuse(a.put, a, { 1 }, {}))
      assert.matches("put: argument 3 'values': 0 values of shape {0} for 1 indices",
        misuse(a.put, a, { 1 }, cuda.empty(0, a.dtype)))
      assert.same({ 0 }, cuda.empty(0):take({}).shape)
    end)
  end)
end)

describe("arrays as keys", function()
  helper.for_each_device(function()
    it("read what a mask selects, or rows by indices", function()
      local a = cuda.array({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, "int32")
      assert.same({ 2, 4, 5 },
        a[cuda.array { { false, true }, { false, true }, { true, false } }]:totable())
      assert.same({ { 1, 2 }, { 5, 6 } }, a[cuda.array { true, false, true }]:totable())
      assert.same({ { 5, 6 }, { 1, 2 }, { 5, 6 } }, a[cuda.array({ 3, 1, -1 }, "int16")]:totable())
      assert.same({ { 4, 2 }, { 2, 6 } },
        a:slice({}, 2)[cuda.array({ { 2, 1 }, { 1, 3 } }, "int64")]:totable())
    end)

    it("write", function()
      local a = cuda.array({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, "int32")
      a[cuda.array { { false, true }, { false, true }, { true, false } }] = { 7, 8, 9 }
      assert.same({ { 1, 7 }, { 3, 8 }, { 9, 6 } }, a:totable())
      a[cuda.array { true, false, true }] = 0
      assert.same({ { 0, 0 }, { 3, 8 }, { 0, 0 } }, a:totable())
      local column = a:slice({}, 1)
      column[cuda.array({ 1, -1 }, "int32")] = { 5, 6 }
      assert.same({ { 5, 0 }, { 3, 8 }, { 6, 0 } }, a:totable())
    end)

    it("are refused if they do not fit", function()
      local a = cuda.zeros { 2, 3 }
      assert.matches("mask': shape {3} does not fit",
        misuse(function() return a[cuda.zeros(3, "bool")] end))
      assert.matches("take: argument 2 'indices': 3 %(element 1%) is outside",
        misuse(function() return a[cuda.array({ 3 }, "int8")] end))
      assert.matches("expected integers, got an array of float32",
        misuse(function() return a[cuda.zeros(3)] end))
      assert.matches("a%[indices%] = v: the array has 2 axes; a:put",
        misuse(function() a[cuda.array({ 1 }, "int8")] = 1 end))
      local closed = cuda.zeros(2, "bool")
      closed:free()
      assert.matches("closed Array", misuse(function() return a[closed] end))
    end)
  end)
end)

describe("joining", function()
  helper.for_each_device(function()
    it("concatenates along any axis", function()
      local a, b = cuda.arange(6, "int32"):reshape { 2, 3 },
        cuda.arange(6, 12, "int32"):reshape { 2, 3 }
      assert.same({ { 0, 1, 2 }, { 3, 4, 5 }, { 6, 7, 8 }, { 9, 10, 11 } },
        cuda.concatenate({ a, b }):totable())
      assert.same({ { 0, 1, 2, 6, 7, 8 }, { 3, 4, 5, 9, 10, 11 } },
        cuda.concatenate({ a, b }, { axis = -1 }):totable())
      assert.same({ { 0, 3 }, { 1, 4 }, { 2, 5 }, { 6, 9 }, { 7, 10 }, { 8, 11 } },
        cuda.concatenate({ a:transpose(), b:transpose() }):totable())
      local none = cuda.empty({ 2, 0 }, "int32")
      assert.same({ { 0, 1, 2, 6, 7, 8 }, { 3, 4, 5, 9, 10, 11 } },
        cuda.concatenate({ none, a, none, b }, { axis = 2 }):totable())
      assert.same({ 2, 0 }, cuda.concatenate({ none, none }, { axis = 2 }).shape)
      assert.same(a:totable(), cuda.concatenate({ a }):totable())
    end)

    it("stacks along a new axis", function()
      local a, b = cuda.array({ 1, 2, 3 }, "int32"), cuda.array({ 4, 5, 6 }, "int32")
      assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, cuda.stack({ a, b }):totable())
      assert.same({ { 1, 4 }, { 2, 5 }, { 3, 6 } }, cuda.stack({ a, b }, { axis = 2 }):totable())
      assert.same({ { 1, 4 }, { 2, 5 }, { 3, 6 } }, cuda.stack({ a, b }, { axis = -1 }):totable())
      assert.same({ 7, 8 },
        cuda.stack({ cuda.array(7, "int32"), cuda.array(8, "int32") }):totable())
      local cube = cuda.arange(8, "int32"):reshape { 2, 2, 2 }
      assert.same({ 2, 2, 3, 2 }, cuda.stack({ cube, cube, cube }, { axis = 3 }).shape)
    end)

    it("promotes dtypes, or takes the given one", function()
      local i, f, b = cuda.array({ 1, 2 }, "int32"), cuda.array({ 0.5 }, "float32"),
        cuda.array { true }
      local all = cuda.concatenate { i, f, b }
      assert.equal("float64", all.dtype)
      assert.same({ 1, 2, 0.5, 1 }, all:totable())
      assert.equal("int32", cuda.concatenate({ i, b }).dtype)
      local asked = cuda.concatenate({ i, f }, { dtype = "i8" })
      assert.equal("int8", asked.dtype)
      assert.same({ 1, 2, 0 }, asked:totable())
      local pair = cuda.struct { { "x", "int32" }, { "y", "int32" } }
      local s = cuda.array({ { 1, 2 } }, pair)
      assert.equal(2, cuda.concatenate({ s, s }):item(2).y)
      assert.matches("concatenate: argument 1 'arrays': item 2", misuse(cuda.concatenate, { s, i }))
    end)

    it("writes into out, even if it overlaps", function()
      local a = cuda.arange(4, "int32")
      local out = cuda.empty(8, "int32")
      assert.equal(out, cuda.concatenate({ a, a }, { out = out }))
      assert.same({ 0, 1, 2, 3, 0, 1, 2, 3 }, out:totable())
      cuda.concatenate({ a:slice { 3, 4 }, a:slice { 1, 2 } }, { out = a })
      assert.same({ 2, 3, 0, 1 }, a:totable())
    end)

    it("refuses arrays that do not fit", function()
      local a = cuda.zeros { 2, 3 }
      assert.matches("concatenate: argument 1 'arrays': the list is empty",
        misuse(cuda.concatenate, {}))
      assert.matches("expected a list of Arrays, got array", misuse(cuda.concatenate, a))
      assert.matches("item 2: expected an Array, got 1", misuse(cuda.concatenate, { a, 1 }))
      assert.matches("item 2 of shape {3} does not fit item 1 of shape {2, 3}",
        misuse(cuda.concatenate, { a, cuda.zeros(3) }))
      assert.matches("stack: argument 1 'arrays': item 2 of shape {3, 3}",
        misuse(cuda.stack, { a, cuda.zeros { 3, 3 } }))
      assert.matches("option 'axis': 3 is not an axis",
        misuse(cuda.concatenate, { a, a }, { axis = 3 }))
      assert.matches("without axes cannot be joined", misuse(cuda.concatenate, { cuda.array(1) }))
      assert.matches("option 'dtype': unknown dtype 'flat32'",
        misuse(cuda.concatenate, { a }, { dtype = "flat32" }))
    end)
  end)
end)
