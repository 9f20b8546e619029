-- Sorts against references in Lua: the order of values, the order of equal values, and no value
-- lost or invented.
local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse
local NAN, INF = 0 / 0, math.huge

-- Values of a dtype, drawn from a small set so that many are equal, including its limits.
local function value_of(row, next_number)
  if row.kind == "bool" then return next_number(2) == 1 end
  local n = next_number(400)
  if row.kind == "int" or row.kind == "uint" then
    local bits = row.size * 8
    if n < 3 then
      return row.kind == "uint" and -1 >> (64 - bits) or math.maxinteger >> (64 - bits)
    end
    if n < 6 then return row.kind == "uint" and 0 or ~(math.maxinteger >> (64 - bits)) end
    if n < 200 then return row.kind == "uint" and n or n - 120 end
    local wide = next_number(1 << 31) << 33 ~ next_number(1 << 31) << 10
    return wide >> (64 - bits)
  end
  if row.kind == "complex" then
    local function part()
      local k = next_number(60)
      if k == 0 then return NAN end
      return k == 1 and -0.0 or k == 2 and INF or k == 3 and -INF or k - 30.0
    end
    return cuda.complex(part(), part())
  end
  if n == 0 then
    return NAN
  elseif n == 1 then
    return -NAN
  elseif n == 2 then
    return INF
  elseif n == 3 then
    return -INF
  end
  if n == 4 then return -0.0 elseif n == 5 then return 0.0 end
  return (n - 200) / 4
end

local function fit(row, v)             -- signed integers: into the range of the dtype
  if row.kind ~= "int" or row.size == 8 then return v end
  local half = 1 << (row.size * 8 - 1)
  return (v + half) % (2 * half) - half
end

local function make_values(row, n, seed)
  local next_number, t = helper.random(seed), {}
  for i = 1, n do t[i] = fit(row, value_of(row, next_number)) end
  return t
end

-- Is x before y in ascending order? NaN comes last; complex numbers with a NaN come after those
-- without.
local function nan_last(x, y)
  if x ~= x or y ~= y then return x == x end
  return x < y
end

local function complex_class(z)
  local re, im = z.re ~= z.re, z.im ~= z.im
  return re and im and 3 or re and 2 or im and 1 or 0
end

local function complex_before(x, y)
  local a, b = complex_class(x), complex_class(y)
  if a ~= b then return a < b end
  if a == 1 then return x.re < y.re end
  if a == 2 then return x.im < y.im end
  if a == 3 then return false end
  if x.re ~= y.re then return x.re < y.re end
  return x.im < y.im
end

local function before_of(row)
  if row.kind == "bool" then return function(x, y) return not x and y end end
  if row.kind == "complex" then return complex_before end
  if row.name == "uint64" then return math.ult end
  return nan_last
end

-- The stable order of a list as indices from 1.
local function reference(values, before, descending)
  local order = {}
  for i = 1, #values do order[i] = i end
  table.sort(order, function(i, j)
    local x, y = values[i], values[j]
    if descending then x, y = y, x end
    if before(x, y) then return true end
    if before(y, x) then return false end
    return i < j
  end)
  return order
end

local function assert_order(want, got, what)
  assert(#want == #got, what)
  for i = 1, #want do
    if want[i] ~= got[i] then
      error(("%s: place %d: expected index %d, got %d"):format(what, i, want[i], got[i]))
    end
  end
end

-- Checks that a list is sorted and has the values that `order` selects. Equal values may be
-- swapped.
local function assert_sorted(values, order, got, before, what)
  assert(#order == #got, what)
  for i, at in ipairs(order) do
    local x, y = values[at], got[i]
    if before(x, y) or before(y, x) then
      error(("%s: place %d: expected %s, got %s"):format(what, i, tostring(x), tostring(y)))
    end
  end
end

local function check(row, values, what)
  local before = before_of(row)
  local a = cuda.array(values, row.name)
  local held = a:totable()             -- rounded to the dtype
  for _, descending in ipairs { false, true } do
    local order = reference(held, before, descending)
    local options = { descending = descending }
    assert_order(order, cuda.argsort(a, options):totable(), what)
    assert_sorted(held, order, cuda.sort(a, options):totable(), before, what)
    local copy = a:copy()
    assert.equal(copy, copy:sort(options))
    assert_sorted(held, order, copy:totable(), before, what .. " in place")
  end
  assert(a:tobytes() == cuda.array(values, row.name):tobytes(),
    what .. ": the argument has changed")
end

local SIZES = { 1, 2, 31, 33, 127, 1000, 4096, 4097, 8065 }

describe("sort", function()
  helper.for_each_device(function()
    helper.for_all_dtypes(function(name, row)
      it("orders " .. name, function()
        for _, n in ipairs(SIZES) do check(row, make_values(row, n, n), name .. " of " .. n) end
        assert.same({}, cuda.sort(cuda.empty(0, name)):totable())
        assert.same({}, cuda.argsort(cuda.empty(0, name)):totable())
      end)
    end, { coarse = true })

    describe("long rows", function()
      local function check_list(dtype, values, what)
        check({ name = dtype, kind = "int", size = 4 }, values, what)
      end

      it("of random keys, which need all passes", function()
        local next_number, t = helper.random(5), {}
        for i = 1, 70001 do t[i] = next_number(1 << 32) - (1 << 31) end
        check_list("int32", t, "random")
        for i = 1, 30000 do t[i] = next_number(1 << 31) * 1e-3 end
        check({ name = "float64", kind = "float", size = 8 },
          table.move(t, 1, 30000, 1, {}), "random doubles")
      end)

      it("in order, in reverse, all equal, of two values", function()
        local up, down, same, two = {}, {}, {}, {}
        for i = 1, 20000 do
          up[i], down[i], same[i], two[i] = i - 5000, 15000 - i, 7, i % 3 == 0 and 70000 or 7
        end
        check_list("int32", up, "up")
        check_list("int32", down, "down")
        check_list("int32", same, "all equal")
        check_list("int32", two, "two values")
      end)

      -- Passes in which all keys share the digit are skipped: any number of passes may remain, also
      -- in place.
      it("of keys that differ in some bytes only", function()
        for bytes = 1, 15 do
          local next_number, t = helper.random(bytes), {}
          local mask = 0
          for b = 0, 3 do
            if bytes >> b & 1 == 1 then mask = mask | 255 << 8 * b end
          end
          for i = 1, 5000 do t[i] = (next_number(1 << 32) & mask) - (1 << 31) end
          check_list("int32", t, "bytes " .. bytes)
        end
      end)

      it("that begin anywhere", function()
        local next_number, t = helper.random(3), {}
        for i = 1, 9000 do t[i] = next_number(200) end
        for first = 1, 5 do
          local a = cuda.array(t, "uint8")
          local part = a:slice { first, 8000 + first }
          local want = part:totable()
          table.sort(want)
          assert.same(want, cuda.sort(part):totable())
          part:sort()
          assert.same(want, part:totable())
          assert.same({ table.unpack(t, 8002 + first, 8100) },
            a:slice({ 8002 + first, 8100 }):totable())
        end
      end)
    end)

    describe("with", function()
      local source = require "luacuda.array.sort_source"

      -- Runs fn with another value of a tuning parameter.
      local function with(name, value, fn)
        local was = source[name]
        source[name] = value
        local ok, problem = pcall(fn)
        source[name] = was
        if not ok then error(problem, 0) end
      end

      it("64-bit counts and indices", function()
        with("WIDE", 0, function()
          for _, name in ipairs { "uint8", "uint16", "float32", "int64" } do
            local row = { name = name, kind = name:match "^%l+", size = 8 }
            if name == "uint16" then row.size = 2 elseif name == "uint8" then row.size = 1 end
            check(row, make_values(row, 9000, 1), name)
          end
        end)
      end)

      it("digits matched in both ways", function()
        for _, way in ipairs { "match", "ballot" } do
          with("MATCH", { cpu = way, gpu = way }, function()
            local row = { name = "int32", kind = "int", size = 4 }
            check(row, make_values(row, 9000, 2), way)
          end)
        end
      end)

      it("more long rows than fit in one launch", function()
        with("BATCH", 2, function()
          local a = cuda.arange(5 * 4100, "int32"):reshape { 5, 4100 }
          local t = a:totable()
          local turned = a:slice({}, { -1, 1, -1 })
          assert.same(t, cuda.sort(turned):totable())
          local order = turned:argsort():totable()
          for r = 1, 5 do assert(order[r][1] == 4100 and order[r][4100] == 1) end
        end)
      end)
    end)

    describe("zeros and NaN", function()
      it("are equal for argsort, whatever their signs", function()
        local a = cuda.array({ 0.0, -0.0, NAN, 1, -NAN, -0.0, INF, -1, NAN }, "float32")
        assert.same({ 8, 1, 2, 6, 4, 7, 3, 5, 9 }, a:argsort():totable())
        assert.same({ 3, 5, 9, 7, 4, 1, 2, 6, 8 }, a:argsort({ descending = true }):totable())
      end)

      it("keep their bits", function()
        for _, n in ipairs { 5, 5000 } do
          local bits = cuda.zeros(n, "uint32")
          bits[1], bits[2], bits[3], bits[4] = 0x80000000, 0x7fc12345, 0xffc54321, 0xff800000
          local sorted = cuda.sort(bits:view "float32"):view "uint32"
          assert.same({ 0xff800000, 0x80000000, 0, 0x7fc12345, 0xffc54321 },
            { sorted[1], sorted[2], sorted[3], sorted[-2], sorted[-1] })
        end
      end)
    end)

    describe("axes", function()
      local function cube(shape, dtype)
        local next_number, n = helper.random(11), shape[1] * shape[2] * shape[3]
        local t = {}
        for i = 1, n do t[i] = next_number(50) end
        return cuda.array(t, dtype):reshape(shape)
      end

      -- Sorts every line along the axis in Lua.
      local function sorted_lines(a, axis, order)
        local shape, want = a.shape, a:totable()
        local t = a:totable()
        local others = {}
        for d = 1, 3 do
          if d ~= axis then others[#others + 1] = d end
        end
        local function at(nested, index) return nested[index[1]][index[2]], index[3] end
        for i = 1, shape[others[1]] do
          for j = 1, shape[others[2]] do
            local line, index = {}, {}
            index[others[1]], index[others[2]] = i, j
            for k = 1, shape[axis] do
              index[axis] = k
              local row, column = at(t, index)
              line[k] = row[column]
            end
            local picked = reference(line, nan_last)
            for k = 1, shape[axis] do
              index[axis] = k
              local row, column = at(want, index)
              row[column] = order and picked[k] or line[picked[k]]
            end
          end
        end
        return want
      end

      it("of three", function()
        local a = cube({ 5, 7, 6 }, "int16")
        for axis = 1, 3 do
          local want = sorted_lines(a, axis)
          assert.same(want, cuda.sort(a, { axis = axis }):totable())
          assert.same(want, cuda.sort(a, { axis = axis - 4 }):totable())
          assert.same(sorted_lines(a, axis, true), a:argsort({ axis = axis }):totable())
          local copy = a:copy()
          copy:sort { axis = axis }
          assert.same(want, copy:totable())
        end
        assert.same(sorted_lines(a, 3), cuda.sort(a):totable())
      end)

      it("of views", function()
        local a = cube({ 6, 7, 5 }, "float64")
        local v = a:transpose(3, 1, 2):slice({}, { 6, 1, -2 }, { 2, 6 })
        for axis = 1, 3 do
          assert.same(sorted_lines(v, axis), cuda.sort(v, { axis = axis }):totable())
          assert.same(sorted_lines(v, axis, true), cuda.argsort(v, { axis = axis }):totable())
        end
        local want = sorted_lines(v, 2)
        v:sort { axis = 2 }
        assert.same(want, v:totable())
      end)

      it("with many short rows and with several long ones", function()
        local a = cube({ 3, 400, 3 }, "int32")
        assert.same(sorted_lines(a, 3), cuda.sort(a):totable())
        for _, dtype in ipairs { "int32", "complex64", "complex128", "uint8" } do
          local b = cube({ 1, 3, 4500 }, dtype)
          local row = { name = dtype, kind = dtype:match "^%l+", size = 4 }
          local before = before_of(row)
          local t, sorted, places = b:totable()[1], cuda.sort(b):totable()[1],
            cuda.argsort(b):totable()[1]
          local copy = b:copy():sort():totable()[1]
          for r = 1, 3 do
            local order = reference(t[r], before)
            assert_order(order, places[r], dtype)
            assert_sorted(t[r], order, sorted[r], before, dtype)
            assert_sorted(t[r], order, copy[r], before, dtype)
          end
        end
      end)

      it("without elements, and of arrays without axes", function()
        assert.same({ 3, 0 }, cuda.sort(cuda.empty({ 3, 0 }, "int32")).shape)
        assert.same({ 0, 3 }, cuda.argsort(cuda.empty({ 0, 3 }, "int32"), { axis = 1 }).shape)
        assert.equal(5, cuda.sort(cuda.array(5, "int32")):item())
        assert.equal(1, cuda.argsort(cuda.array(5, "int32")):item())
        assert.equal(5, cuda.array(5, "int32"):sort():item())
      end)
    end)

    it("writes into out, also where it overlaps", function()
      for _, n in ipairs { 10, 5000 } do
        local next_number, t = helper.random(n), {}
        for i = 1, n + 1 do t[i] = next_number(1000) end
        local a = cuda.array(t, "int64")
        local want, order = a:slice({ 1, n }):totable(),
          reference({ table.unpack(t, 1, n) }, nan_last)
        table.sort(want)
        local out = cuda.empty(n, "int64")
        assert.equal(out, cuda.sort(a:slice { 1, n }, { out = out }))
        assert.same(want, out:totable())
        local gaps = cuda.zeros(2 * n, "int64"):slice { 1, -1, 2 }
        cuda.sort(a:slice { 1, n }, { out = gaps })
        assert.same(want, gaps:totable())
        local b = a:copy()
        cuda.argsort(b:slice { 1, n }, { out = b:slice { 1, n } })
        assert_order(order, b:slice({ 1, n }):totable(), "argsort over its argument")
        cuda.sort(a:slice { 1, n }, { out = a:slice { 2, n + 1 } })
        assert.same(want, a:slice({ 2, n + 1 }):totable())
      end
    end)

    it("runs on a stream", function()
      local s = cuda.stream {}
      local a = cuda.array({ 3, 1, 2 }, "int32")
      assert.same({ 1, 2, 3 }, cuda.sort(a, { stream = s }):totable())
      assert.same({ 2, 3, 1 }, a:argsort({ stream = s }):totable())
      assert.same({ 1, 2, 3 }, a:sort({ stream = s }):totable())
    end)

    it("refuses wrong arguments", function()
      local a = cuda.zeros({ 2, 3 }, "int32")
      assert.matches("sort: argument 1 'a': expected an Array, got table", misuse(cuda.sort, {}))
      assert.matches("sort: expected Array before the ':', got 5", misuse(a.sort, 5))
      assert.matches("sort: option 'axis': 3 is not an axis of an array of 2 axes",
        misuse(cuda.sort, a, { axis = 3 }))
      assert.matches("argsort: option 'axis': 0 is not", misuse(cuda.argsort, a, { axis = 0 }))
      assert.matches("sort: unknown option 'axes'.*axis", misuse(cuda.sort, a, { axes = 1 }))
      assert.matches("sort: unknown option 'out'", misuse(a.sort, a, { out = a }))
      assert.matches("option 'descending': expected a boolean, got 1",
        misuse(cuda.sort, a, { descending = 1 }))
      local wrong = cuda.zeros({ 2, 3 }, "int64")
      assert.matches("option 'out': expected int32 array of shape {2, 3}, got int64",
        misuse(cuda.sort, a, { out = wrong }))
      local broadcast = cuda.zeros({ 1, 3 }, "int32"):broadcast_to { 2, 3 }
      assert.equals("sort: option 'out': a broadcast view cannot be written",
        misuse(cuda.sort, a, { out = broadcast }))
      assert.matches("^sort: a broadcast view cannot be written", misuse(a.sort, broadcast))
      for _, name in ipairs { "sort", "argsort" } do
        assert.equals(name .. ": option 'axis': 1 is not an axis of an array of 0 axes",
          misuse(cuda[name], cuda.array(3), { axis = 1 }))
      end
      assert.equals("sort: option 'stream': expected a Stream, got 1",
        misuse(function() return cuda.sort(a, { stream = 1 }) end))
      assert.matches("attempt to use a closed Array",
        misuse(cuda.sort, (function() local c = a:copy() c:free() return c end)()))
      local pair = cuda.struct { { "a", "int32" }, { "b", "int32" } }
      assert.matches("have no order", misuse(cuda.sort, cuda.zeros(3, pair)))
    end)
  end)
end)

describe("unique", function()
  local function check_unique(row, values)
    local before, held = before_of(row), cuda.array(values, row.name)
    local t = held:totable()
    local order = reference(t, before)
    local function same(x, y)
      if row.kind == "complex" then
        local nan_x, nan_y = complex_class(x) > 0, complex_class(y) > 0
        if nan_x or nan_y then return nan_x and nan_y end
      end
      return not before(x, y) and not before(y, x)
    end
    local want, first, counts, inverse = {}, {}, {}, {}
    for i, at in ipairs(order) do
      if i == 1 or not same(t[order[i - 1]], t[at]) then
        want[#want + 1], first[#first + 1], counts[#counts + 1] = t[at], at, 0
      end
      counts[#counts] = counts[#counts] + 1
      inverse[at] = #want
    end
    local got, index, back, count = cuda.unique(held,
      { return_index = true, return_inverse = true, return_counts = true })
    assert.same(first, index:totable())
    assert.same(inverse, back:totable())
    assert.same(counts, count:totable())
    assert.equal(row.name, got.dtype)
    for _, list in ipairs { got:totable(), cuda.unique(held):totable() } do
      assert.equal(#want, #list)
      for i = 1, #want do assert(same(want[i], list[i]), row.name .. " " .. i) end
    end
    local _, only = cuda.unique(held, { return_counts = true })
    assert.same(counts, only:totable())
  end

  helper.for_each_device(function()
    helper.for_all_dtypes(function(name, row)
      it("finds the values of " .. name, function()
        for _, n in ipairs { 1, 2, 33, 1000, 9000 } do check_unique(row, make_values(row, n, n)) end
      end)
    end, { coarse = true })

    it("takes any shape and layout", function()
      local a = cuda.array({ { 3, 1, 3 }, { 2, 1, 3 } }, "int32"):transpose()
      local values, index, inverse = cuda.unique(a, { return_index = true, return_inverse = true })
      assert.same({ 1, 2, 3 }, values:totable())
      assert.same({ 3, 2, 1 }, index:totable())
      assert.same({ { 3, 2 }, { 1, 1 }, { 3, 3 } }, inverse:totable())
      assert.same({}, cuda.unique(cuda.empty({ 0, 2 }, "int32")):totable())
      local none, no_index, no_inverse = cuda.unique(cuda.empty({ 0, 2 }, "bool"),
        { return_index = true, return_inverse = true })
      assert.same({ 0 }, none.shape)
      assert.same({ 0 }, no_index.shape)
      assert.same({ 0, 2 }, no_inverse.shape)
      assert.same({ 4 }, cuda.unique(cuda.array(4, "int8")):totable())
    end)

    it("refuses wrong options", function()
      local a = cuda.zeros(3)
      assert.matches("unique: option 'return_index': expected a boolean",
        misuse(cuda.unique, a, { return_index = 1 }))
      assert.matches("unique: unknown option 'axis'", misuse(cuda.unique, a, { axis = 1 }))
    end)
  end)
end)
