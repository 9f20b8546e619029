-- Elements that are structs: parameters of cuda.elementwise and its kin that are not raw, and
-- cuda.vectorize. The oracle is plain Lua on the tables that the arrays are made of.
local cuda = require "luacuda"
local helper = require "spec.helper"
local scan_plan = require "luacuda.builder.scan_plan"
local structs = require "spec.support.structs"

local misuse, flatten = helper.misuse, structs.flatten

-- A sum of all numbers of an element, each with its own weight, as C++ and as Lua.
local function sum_text(made, x)
  local terms = {}
  for k, leaf in ipairs(made.leaves) do terms[k] = ("%d * (double)%s%s"):format(k, x, leaf.text) end
  return table.concat(terms, " + ")
end

local function sum_of(made, row)
  local sum = 0.0
  for k, v in ipairs(structs.numbers(made, row)) do sum = sum + k * v end
  return sum
end

local function random_shape(rng)
  local shape = {}
  for d = 1, rng(4) do shape[d] = 1 + rng(6) end
  return shape
end

local function map(list, fn)
  local out = {}
  for k, item in ipairs(list) do out[k] = fn(item, k) end
  return out
end

-- A struct of this size and alignment.
local function sized(size, align)
  local dtype = ("int%d"):format(8 * align)
  return cuda.struct(("Sized%d_%d"):format(size, align), { { "x", dtype, { size // align } } })
end

helper.for_each_device(function()
  describe("structs as elements", function()
    it("of random structs, shapes, strides and broadcasts are read and written", function()
      local rng = helper.random(31)
      for round = 1, 8 do
        local one = structs.random(rng, { depth = 1, named = round % 2 == 0 })
        local two = structs.random(rng, { most = 2 })
        local shape = random_shape(rng)
        local p, rows = structs.view(rng, one, shape, round % 2 == 0)
        local q, others = structs.view(rng, two, shape, round % 2 == 1)
        local made, given = structs.view(rng, one, shape), round % 3 == 0
        local f = cuda.elementwise("T p, U q", "float64 y, T r",
          ("y = %s + %s; r = p;"):format(sum_text(one, "p"), sum_text(two, "q")), "f")
        local y, out = f(p, q, cuda.empty(shape, "float64"), given and made or nil)
        assert.equals(given and made or one.struct, given and out or out.dtype)
        local function sum(row, k) return sum_of(one, row) + sum_of(two, others[k]) end
        assert.same(map(rows, sum), flatten({ y:totable() }, {}))
        for k, row in ipairs(out:copy():reshape{ out.size }:totable()) do
          assert.same(structs.numbers(one, rows[k]), structs.numbers(one, row))
        end
      end
    end)
    -- Sizes that are no power of two, alignments below the size, and tiles of transposed arrays.
    it("of every size and alignment are loaded whole", function()
      for _, pair in ipairs { { 3, 1 }, { 12, 4 }, { 16, 1 }, { 40, 8 } } do
        local size, align = table.unpack(pair)
        local rows, n, m = {}, 17 + size % 3, 33
        for k = 1, n * m do rows[k] = (k * 13 + size) % 127 end
        local numbers = cuda.array(rows, "int64")
        local f = cuda.elementwise("T p", "int64 y, T q",
          ("y = 0; for (int k = 0; k < %d; k++) y += p.x[k]; q = p;"):format(size // align), "f")
        -- the second element is not aligned to 16 bytes
        local list = cuda.zeros(n * m + 1, sized(size, align)):slice{ 2, -1 }
        list:field("x"):set(numbers:reshape{ n * m, 1 })
        local function check(view)
          local p = view(list)
          local y, q = f(p)
          assert.same((view(numbers) * (size // align)):totable(), y:totable())
          assert.is_true(cuda.array_equal(p:field "x", q:field "x"))
        end
        check(function(a) return a end)
        check(function(a) return a:reshape{ n, m }:transpose() end)
        check(function(a) return a:reshape{ n, m }:slice({}, { 2, -1, 2 }) end)
      end
    end)

    it("may overlap, and keep what a body does not assign", function()
      local P = cuda.struct("Overlap", { { "x", "float32" }, { "k", "int16", 5 } })
      local rows = {}
      for k = 1, 9 do rows[k] = { x = k, k = { k, k, k, k, k } } end
      local a = cuda.array(rows, P)
      cuda.elementwise("T p", "T q", "q.x = p.x * 10; q.k[4] = p.k[0]", "f")(a:slice{ 1, 8 },
        a:slice{ 2, 9 })
      assert.same({ x = 80.0, k = { 9, 9, 9, 9, 8 } }, a:item(9))
      assert.same({ x = 10.0, k = { 2, 2, 2, 2, 1 } }, a:item(2))
    end)

    it("take outputs of an input's struct", function()
      local P = cuda.struct("Given", { { "x", "float32" }, { "k", "int8" } })
      local a = cuda.array({ { 1, 2 }, { 3, 4 } }, P)
      for _, name in ipairs { "T", "struct Given" } do
        local q = cuda.elementwise(name .. " p", name .. " q", "q = p; q.x = 5", "f")(a)
        assert.equals(P, q.dtype)
        assert.same({ { x = 5.0, k = 2 }, { x = 5.0, k = 4 } }, q:totable())
      end
      assert.same({ 6.0, 14.0 }, cuda.elementwise("struct Given p, raw T q", "float32 y",
        "Given s = q[i]; y = p.x + s.x + s.k + p.k", "f")(a, a):totable())
    end)

    it("are refused where the arguments have none", function()
      local P = cuda.struct("Right", { { "x", "float32" } })
      local Q = cuda.struct("Wrong", { { "x", "float32" } })
      local p, f = cuda.zeros(2, P), cuda.elementwise("struct Right p, T q, T r", "float32 y",
        "y = p.x", "f")
      assert.equals("f: argument 1 'p': expected an array of the struct Right (struct Right p), "
        .. "got a Lua number", misuse(f, 1, p, p))
      assert.equals("f: argument 3 'r': expected an array of the struct Right (T r), got a Lua "
        .. "number", misuse(f, p, p, 2))
      assert.equals("f: argument 3 'r': expected Right array (T r, T as in argument 2 'q'), got "
        .. "Wrong array", misuse(f, p, p, cuda.zeros(2, Q)))
      assert.equals("f: argument 1 'p': expected Right array (struct Right p), got float32 array",
        misuse(f, cuda.zeros(2), p, p))
      assert.equals("f: source: nothing is compiled yet: pass the arguments of a call",
        misuse(cuda.elementwise("struct Right p", "float32 y", "y = p.x", "f").source,
          cuda.elementwise("struct Right p", "float32 y", "y = p.x", "f")))
      assert.matches("arrays of Right can only be passed to raw parameters", misuse(cuda.abs, p))
    end)

    -- The sums of the numbers of rows along an axis, or of all.
    local function sums_along(made, rows, shape, axis, others)
      local inner, sums, order = 1, {}, {}
      for d = #shape, axis + 1, -1 do inner = inner * shape[d] end
      for k, row in ipairs(rows) do
        local at = (k - 1) // (inner * shape[axis]) * inner + (k - 1) % inner
        if not sums[at] then order[#order + 1] = at end
        sums[at] = (sums[at] or 0) + sum_of(made, row) * others[k]
      end
      table.sort(order)
      return map(order, function(at) return sums[at] end)
    end

    it("of random structs, shapes and strides are reduced along axes", function()
      local rng = helper.random(77)
      for round = 1, 3 do
        local made = structs.random(rng, { depth = 1, named = round % 2 == 0 })
        local shape = random_shape(rng)
        shape[#shape + 1], shape[#shape + 2] = 1 + rng(40), 1 + rng(9)
        local p, rows = structs.view(rng, made, shape, false)
        local w, weights = cuda.empty(shape, "int32"), {}
        for k = 1, #rows do weights[k] = rng(5) end
        w:set(cuda.array(weights, "int32"):reshape(shape))
        local f = cuda.reduction("T p, int32 w", "float64 y", ("(%s) * w"):format(sum_text(made,
          "p")), "a + b", "y = a", round % 3 > 0 and "0" or nil, "f")
        for axis = #shape - 1, #shape do
          assert.same(sums_along(made, rows, shape, axis, weights),
            flatten({ f(p, w, { axis = axis }):totable() }, {}))
        end
      end
    end)

    it("of every size and alignment are reduced and scanned", function()
      for _, pair in ipairs { { 3, 1 }, { 40, 8 } } do
        local size, align = table.unpack(pair)
        local n, m = 300, 40
        local numbers = cuda.arange(0, n * m) % 101
        local list = cuda.zeros(n * m + 1, sized(size, align)):slice{ 2, -1 }
        list:field("x"):set(numbers:reshape{ n * m, 1 })
        local last = ("p.x[%d]"):format(size // align - 1)
        local f = cuda.reduction("T p", "int64 y", last, "a + b", "y = a", "0", "f")
        local g = cuda.scan("T p", "int64 y", last, "a + b", "0", "f")
        local table_of, table_numbers = list:reshape{ n, m }, numbers:reshape{ n, m }
        assert.equals(numbers:sum(), f(list):item())
        assert.same(numbers:cumsum():totable(), g(list):totable())
        for axis = 1, 2 do
          assert.same(table_numbers:sum{ axis = axis }:totable(),
            f(table_of, { axis = axis }):totable())
          assert.same(table_numbers:cumsum{ axis = axis }:totable(),
            g(table_of, { axis = axis }):totable())
        end
      end
    end)

    it("of 6 bytes are scanned one by one", function()
      local function array(size)
        return { lay = { outer = 0, axis = size, inner = 0 }, size = size, pointer = 4096 }
      end
      for size, class in pairs { [1] = "flat", [6] = "strided", [8] = "flat", [12] = "strided" } do
        local list = { array(size), array(1) }
        local p = scan_plan.make(list, { outer = 1, len = 100, inner = 1 }, 1)
        assert.same({ class, "flat" }, { list[1].class, list[2].class })
        assert.equals(0, p.vector & (p.vector - 1))
      end
      local numbers, p = cuda.arange(0, 700):astype("int8") % 61, cuda.zeros(700, sized(6, 2))
      p:field("x"):set(numbers:reshape{ 700, 1 })
      local last = cuda.scan("T p", "int8 y", "p.x[2]", "b", "0", "last")
      assert.same(numbers:totable(), last(p):totable())
    end)

    it("of many bytes are combined along columns", function()
      local P = cuda.struct("Many46", { { "x", "int32", 46 } })
      local numbers = (cuda.arange(0, 9 * 70):astype("int32") % 61):reshape{ 1, 9, 70 }
      local p = cuda.zeros({ 1, 9, 70 }, P)
      p:field("x"):set(numbers:reshape{ 1, 9, 70, 1 })
      local far = cuda.scan("T p", "T best", "p", "b.x[1] > a.x[1] ? b : a", nil, "far")
      assert.is_true(cuda.array_equal(numbers:cummax{ axis = 2 },
        far(p, { axis = 2 }):field("x"):slice({}, {}, {}, 46)))
      local most = cuda.reduction("T p", "T best", "p", "b.x[1] > a.x[1] ? b : a", "best = a",
        nil, "most")
      assert.is_true(cuda.array_equal(numbers:max{ axis = 2 },
        most(p, { axis = 2 }):field("x"):slice({}, {}, 46)))
      local Larger = cuda.struct("Many47", { { "x", "int32", 47 } })
      assert.equals("far: values of 188 bytes are too large to be combined along this axis: at "
        .. "most 184", misuse(far, cuda.zeros({ 3, 3 }, Larger), { axis = 1 }))
    end)

    it("are combined as structs", function()
      local rng = helper.random(9)
      for _, fields in ipairs { { { "x", "int32" }, { "tag", "int8", 3 } },
        { { "x", "float16" } } } do
        local P, n = cuda.struct("Combined", fields), 700
        local rows, best, running = {}, nil, {}
        for k = 1, n do
          local all = { x = rng(500), tag = { k % 100, rng(9), rng(9) } }
          rows[k] = {}
          for _, field in ipairs(fields) do rows[k][field[1]] = all[field[1]] end
          if not best or rows[k].x > best.x then best = rows[k] end
          running[k] = best.x
        end
        local p = cuda.array(rows, P)
        local most = cuda.reduction{ inputs = "T p", outputs = "T best", map = "p", name = "most",
          reduce = "b.x > a.x ? b : a", post = "best = a" }
        local far = cuda.scan{ inputs = "T p", outputs = "T best", map = "p", name = "far",
          scan = "b.x > a.x ? b : a" }
        for _ = 1, 2 do
          local one, all = most(p), far(p)
          assert.equals(P, one.dtype)
          assert.equals(P, all.dtype)
          assert.equals(best.x + 0.0, one:field "x":item() + 0.0)
          assert.same(map(running, function(x) return x + 0.0 end),
            all:field("x"):astype("float64"):totable())
        end
        assert.same({ 5, 2 }, most(p:reshape{ 5, 2, 70 }, { axis = 3 }).shape)
        local given = cuda.zeros(n, P)
        assert.equals(given, far(p, { out = given }))
        assert.same(far(p):field("x"):totable(), given:field("x"):totable())
      end
    end)

    describe("of functions in Lua", function()
      local Inner = cuda.struct("InnerOfLua", { { "k", "int8", 3 } })
      local P = cuda.struct("OfLua", { { "x", "float64" }, { "v", "float3" },
        { "m", "int16", { 2, 2 } }, { "inner", Inner } })
      local weight = 3

      local function compute(e, s)
        local v, inner = e.v, e.inner
        if e.m[1][2] > 2 then return e.x + v[3] * weight, inner.k[2] + 0.0 end
        return e.x + s, e.m[2][1] + 0.0
      end

      it("are read", function()
        local rows, want = {}, { {}, {} }
        for k = 1, 4 do
          rows[k] = { x = k / 2, v = { k, 2 * k, 3 * k }, m = { { 1, k }, { 30 + k, 4 } },
            inner = { k = { 1, 7 * k, 3 } } }
        end
        for k, at in ipairs { 1, 3, 2, 4 } do want[1][k], want[2][k] = compute(rows[at], 7) end
        local list = cuda.array(rows, P)
        local a = list:reshape{ 2, 2 }:transpose()
        for _, f in ipairs { cuda.vectorize(compute),
          cuda.elementwise("T e, float64 s", "float64 y, float64 z", compute, "f"),
          cuda.elementwise("struct OfLua e, float64 s", "float64 y, float64 z", compute, "f",
            { preamble = P:source() }) } do
          local y, z = f(a, 7)
          assert.same(want, { flatten(y:totable(), {}), flatten(z:totable(), {}) })
        end
        local function add(x, y) return x + y end
        local function part(e) return e.x + e.v[2] end
        assert.equals(25.0, cuda.reduction("T e", "float64 y", part, add, function(x)
          return x
        end, 0)(list):item())
        assert.same({ 2.5, 7.5, 15.0, 25.0 }, cuda.scan("T e", "float64 y", part, add, 0)(
          list):totable())
        local v = cuda.vectorize(compute)
        assert.equals(8.0, (v(list:slice{ 1, 1 }:reshape{}, 7.5)):item())
        assert.same({ 1.0 }, cuda.vectorize(function(e) return e.x end)(
          cuda.array({ { x = 1 } }, cuda.struct("OfLua", { { "x", "float32" } }))):totable())
      end)

      it("are not written, and no results", function()
        local a, y = cuda.zeros(2, P), cuda.zeros(2, P)
        assert.matches("vectorize: .*: the function writes to 'e', which is an element of an "
          .. "argument: return the new values", misuse(cuda.vectorize(function(e)
            local v = e.v
            v[1] = 5
            return e.x
          end), a))
        assert.matches("be an element of a result: return numbers or booleans",
          misuse(cuda.vectorize(function(e) return e.inner end), a))
        assert.matches("the function writes to 'e': it is an input; declare a raw output for it",
          misuse(cuda.elementwise("T e", "float64 y", function(e)
            e.x = 1
            return 2
          end), a))
        assert.matches("body: output 'y' is a struct: declare it raw and write to its fields",
          misuse(cuda.elementwise("T e", "T y", function(e) return e.x end), a, y))
      end)
    end)
  end)
end)
