-- Elements of arrays of structs: b[i] refers to the element in place, and writing its fields writes
-- to the array.
local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse

helper.for_each_device(function()
  describe("records", function()
    local Point, Body

    before_each(function()
      Point = cuda.struct("RecordPoint", { { "x", "float32" }, { "y", "int16" } })
      Body = cuda.struct("RecordBody", {
        { "id", "int32" }, { "at", Point }, { "m", "float64", { 3, 2 } }, { "v", "float4" },
        { "trail", Point, { 2 } }, { "next", "pointer" }, { "flag", "bool" }, { "z", "complex64" },
        { "big", "uint8", { 100 } },
      })
    end)

    it("write their fields to the array, including nested ones and lists", function()
      local b = cuda.zeros(4, Body)
      b[1].id = 5
      b[2].at.x = 1.5
      b[2].at.y = -3
      b[3].m[2] = { 7, 8 }
      b[3].m[3][1] = 9
      b[4].v = { 1, 2, 3, 4 }
      b[4].v[2] = 20
      b[-1].trail[2].y = 6
      b[1].next = cuda.ptr(64)
      b[1].flag = true
      b[1].z = cuda.complex(1, 2)
      b[2].big[100] = 200
      local t = b:totable()
      assert.equal(5, t[1].id)
      assert.equal(64, t[1].next.address)
      assert.is_true(t[1].flag)
      assert.is_true(t[1].z == cuda.complex(1, 2))
      assert.same({ x = 1.5, y = -3 }, t[2].at)
      assert.equal(200, t[2].big[100])
      assert.same({ { 0, 0 }, { 7, 8 }, { 9, 0 } }, t[3].m)
      assert.same({ 1, 20, 3, 4 }, t[4].v)
      assert.same({ { x = 0, y = 0 }, { x = 0, y = 6 } }, t[4].trail)
      local rest = b:totable()[3]
      assert.equal(0, rest.id)
    end)

    it("agree with a model in Lua after random writes", function()
      local b, model = cuda.zeros({ 3, 2 }, Body), {}
      for i = 1, 6 do
        model[i] = { id = 0, at = { x = 0, y = 0 }, m = { { 0, 0 }, { 0, 0 }, { 0, 0 } },
          trail = { { x = 0, y = 0 }, { x = 0, y = 0 } } }
      end
      local views = { b, b:transpose() }
      for step = 1, 300 do
        local i, j, value = math.random(3), math.random(2), math.random(-99, 99)
        local element, want = (step % 2 == 0) and views[1][i][j] or views[2][j][i],
          model[(i - 1) * 2 + j]
        local k, l = math.random(3), math.random(2)
        local kind = math.random(6)
        if kind == 1 then element.id, want.id = value, value
        elseif kind == 2 then element.at.x, want.at.x = value, value
        elseif kind == 3 then element.m[k][l], want.m[k][l] = value, value
        elseif kind == 4 then element.trail[l].y, want.trail[l].y = value, value
        elseif kind == 5 then element.at, want.at = { value, 1 }, { x = value, y = 1 }
        else element.m[k], want.m[k] = { value, -value }, { value, -value } end
        assert.equal(want.id, element.id)
        assert.equal(want.m[k][l], element.m[k][l])
        assert.equal(want.at.x, element.at.x)
        assert.equal(want.trail[l].y, element.trail[l].y)
      end
      for n, row in ipairs(b:totable()) do
        for m, got in ipairs(row) do
          local want = model[(n - 1) * 2 + m]
          for key, value in pairs(want) do assert.same(value, got[key]) end
        end
      end
    end)

    it("follow the array; item and totable are copies", function()
      local b = cuda.zeros(2, Point)
      local first, copy, all = b[1], b:item(1), b:totable()
      b:setitem({ 4, 5 }, 1)
      assert.equal(4, first.x)
      assert.same({ x = 0, y = 0 }, copy)
      assert.same({ x = 0, y = 0 }, all[1])
      copy.x = 9
      assert.equal(4, b[1].x)
      assert.equal("table", type(copy))
      b:free()
      first.x = 7                                   -- keeps the memory, like views
      assert.equal(7, first.x)
    end)

    it("are accepted as values of the struct", function()
      local b = cuda.zeros(3, Body)
      b[1].id, b[1].at = 8, { 1, 2 }
      b[2] = b[1]
      b[3].at = b[1].at
      assert.equal(8, b[2].id)
      assert.same({ x = 1, y = 2 }, b:totable()[3].at)
      local again = cuda.array({ b[1], b[3] }, Body)
      assert.equal(8, again[1].id)
      assert.equal(2, again[2].at.y)
      assert.equal(8, cuda.zeros(2, Body):fill(b[1])[2].id)
      assert.equal(Body:pack(b:item(1)), Body:pack(b[1]))
      local k = cuda.kernel [[struct RecordPoint { float x; short y; };
        __global__ void take(RecordPoint p, float *out) { out[0] = p.x; out[1] = p.y; }]]
      local out = cuda.zeros(2)
      k({ grid = 1, block = 1 }, b[1].at, out)
      assert.same({ 1, 2 }, out:totable())
      assert.matches("got Record", misuse(k, { grid = 1, block = 1 }, b[1], out))
      assert.matches("expected a table or bytes %(RecordBody%), got Record",
        misuse(function() b[1] = b[1].at end))
    end)

    it("compare, print and iterate", function()
      local b = cuda.zeros(2, Point)
      assert.is_true(b[1] == b[2])
      b[1].y = 3
      assert.is_false(b[1] == b[2])
      assert.is_false(b[1] == cuda.zeros(1, Body)[1])
      assert.equal("luacuda.Record RecordPoint {x = 0.0, y = 3}", tostring(b[1]))
      assert.equal("record", cuda.type(b[1]))
      local seen = {}
      for name, value in pairs(b[1]) do seen[name] = value end
      assert.same({ x = 0, y = 3 }, seen)
    end)

    it("refuse unknown fields and invalid values", function()
      local b = cuda.zeros(2, Point)
      assert.equal("a[i]: RecordPoint has no field 'xx'; did you mean 'x'?",
        misuse(function() return b[1].xx end))
      assert.matches("has no field 'size'", misuse(function() b[1].size = 1 end))
      assert.matches("have names, got integer", misuse(function() return b[1][1] end))
      assert.matches("a%[i%]: field 'y': .*40000", misuse(function() b[1].y = 40000 end))
      assert.matches("field 'y': ", misuse(function() b[1].y = nil end))
      assert.same({ x = 0, y = 0 }, b:item(1))
      local m = cuda.zeros(1, Body)
      assert.matches("field 'm': expected a list of 3 values", misuse(function() m[1].m = 5 end))
    end)
  end)

  describe("fields of arrays", function()
    local Point, Body

    before_each(function()
      Point = cuda.struct("FieldPoint", { { "x", "float32" }, { "y", "int16" } })
      Body = cuda.struct("FieldBody", {
        { "id", "int32" }, { "at", Point }, { "m", "float64", { 3, 2 } }, { "v", "float4" },
        { "trail", Point, { 2 } }, { "next", "pointer" }, { "flag", "bool" }, { "z", "complex64" },
      })
    end)

    local function random_bodies(shape, seed)
      local rng, list = helper.random(seed), {}
      local function point() return { x = rng(1000) / 8, y = rng(60000) - 30000 } end
      for i = 1, helper.size_of(shape) do
        local m, v = {}, {}
        for r = 1, 3 do m[r] = { rng(1000) / 4, rng(1000) / 4 } end
        for k = 1, 4 do v[k] = rng(1000) / 2 end
        list[i] = { id = rng(1 << 20), at = point(), m = m, v = v, trail = { point(), point() },
          next = cuda.ptr(rng(1 << 20)), flag = rng(2) == 1, z = cuda.complex(rng(9), rng(9)) }
      end
      return cuda.array(list, Body):reshape(shape)
    end

    -- The field of every element of a nested list of structs.
    local function each(t, ndim, name)
      if ndim == 0 then return t[name] end
      local list = {}
      for i, item in ipairs(t) do list[i] = each(item, ndim - 1, name) end
      return list
    end

    it("are views with the elements' values", function()
      for seed, shape in ipairs { { 7 }, { 3, 4 }, { 1 }, {} } do
        local a = random_bodies(shape, seed)
        for _, view in ipairs { a, a:transpose(), #shape > 0 and a:slice { -1, 1, -2 } or a } do
          local want = #shape > 0 and view:totable() or view:item()
          for _, name in ipairs { "id", "m", "flag" } do
            local got = view:field(name)
            local values = got.ndim > 0 and got:totable() or got:item()
            assert.same(each(want, view.ndim, name), values, name)
          end
          local y = view:field("at"):field("y")
          assert.equal("int16", y.dtype)
          assert.same(each(each(want, view.ndim, "at"), view.ndim, "y"),
            y.ndim > 0 and y:totable() or y:item())
          assert.equal(view.ndim + 1, view:field("v").ndim)
          assert.equal("uint64", view:field("next").dtype)
          assert.equal("complex64", view:field("z").dtype)
          assert.equal(Point, view:field("trail").dtype)
          assert.equal(2, view:field("trail").shape[view.ndim + 1])
        end
      end
    end)

    it("are computed with, and written through", function()
      local a = random_bodies({ 50 }, 9)
      local before = a:totable()
      local x, total = a:field("at"):field("x"), 0
      for i = 1, 50 do total = total + before[i].at.x end
      assert.equal(total, x:sum())
      cuda.add(x, 1, { out = x })
      a:field("m"):fill(3)
      a:field("v"):slice({}, 2):fill(8)
      a:free()
      assert.equal(total + 50, x:sum())
      local b = random_bodies({ 50 }, 9)
      b:field("v"):slice({}, 2):fill(8)
      b:field("id"):set(cuda.arange(50, "int32"))
      local after = b:totable()
      for i = 1, 50 do
        assert.equal(i - 1, after[i].id)
        assert.equal(8, after[i].v.y or after[i].v[2])
        assert.equal(before[i].at.y, after[i].at.y)
        assert.equal(before[i].v.x or before[i].v[1], after[i].v.x or after[i].v[1])
      end
    end)

    it("keep the type of a struct alive", function()
      local at = cuda.zeros(3, cuda.struct { { "in_here", cuda.struct { { "k", "int8" } } } })
        :field "in_here"
      collectgarbage()
      collectgarbage()
      assert.equal(0, at:field("k"):sum())
      assert.same({ k = 0 }, at:item(2))
    end)

    it("are refused by name", function()
      local a = cuda.zeros({ 2, 2 }, Point)
      assert.equal("field: FieldPoint has no field 'xx'; did you mean 'x'?",
        misuse(a.field, a, "xx"))
      assert.equal("field: expected an array of structs, got one of float32",
        misuse(function() a:field("x"):field "x" end))
      assert.equal("field: argument 1: expected a string, got integer", misuse(a.field, a, 1))
      local deep = cuda.zeros({ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, Body)
      assert.equal("field: the view would have 17 axes, more than 16",
        misuse(deep.field, deep, "m"))
      a:close()
      assert.matches("closed", misuse(a.field, a, "x"))
    end)

    it("names the elements of vectors x, y, z and w", function()
      local fields, names = {}, { "x", "y", "z", "w" }
      local types = { char = "int8", ushort = "uint16", int = "int32", longlong = "int64",
        float = "float32", double = "float64" }
      for base in pairs(types) do
        for n = 2, 4 do
          fields[#fields + 1] = { base .. n, base .. n }
          fields[#fields + 1] = { "many_" .. base .. n, base .. n, { 2, 3 } }
        end
      end
      fields[#fields + 1] = { "list", "float32", 3 }
      local a = cuda.zeros(2, cuda.struct("Vectors", fields))
      for k = 1, #fields - 1, 2 do
        local name, n = fields[k][1], tonumber(fields[k][1]:sub(-1))
        for at = 1, n do
          a[2][name][names[at]] = at
          assert.equal(at, a[2][name][at])
          a[2]["many_" .. name][2][3][at] = 10 * at
          assert.equal(10 * at, a[2]["many_" .. name][2][3][names[at]])
          assert.equal(at, a:field(name)[2][names[at]])
        end
        assert.equal(0, a[1][name].x)
        for at = n + 1, 4 do
          assert.matches("has no field or method",
            misuse(function() return a[2][name][names[at]] end))
          assert.matches("has no settable field",
            misuse(function() a[2][name][names[at]] = 1 end))
        end
        local function named(first, count)
          local value = {}
          for at = 1, count do value[names[at]] = first + at end
          return value
        end
        a:field(name)[1] = named(0, n)
        a[2][name]:set(named(4, n))
        for at = 1, n do assert.same({ at, at + 4 }, { a[1][name][at], a[2][name][at] }) end
        local none, few = names[n + 1] or "v", ("component %s is missing"):format(names[n])
        local extra = ("a vector of %d .- has no component '%s'"):format(n, none)
        local both = "names or positions as keys, not both"
        assert.matches(few, misuse(function() a[1][name] = named(0, n - 1) end))
        local more = named(0, n)
        more[none] = 9
        assert.matches(extra, misuse(function() a:field(name)[1] = more end))
        assert.matches(extra, misuse(function() a[2][name]:set(more) end))
        assert.matches(extra, misuse(function() a[2][name] = more end))
        more = { table.unpack({ 1, 2, 3, 4 }, 1, n) }
        more.x = 5
        assert.matches(both, misuse(function() a[2][name] = more end))
      end
      for _, other in ipairs{ a[1].list, a:field "float3", a[1].float3:slice{ 2, 3 },
        a[1].many_float3, a[1].float3:copy() } do
        assert.matches("has no field or method 'x'", misuse(function() return other.x end))
      end
      assert.matches("set: argument 1: component z is missing",
        misuse(function() a[1].float3:set{ x = 1, y = 2 } end))
    end)
  end)
end)
