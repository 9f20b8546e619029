-- Arrays of structs in kernels written in Lua: every kind of field, held in every way, read,
-- written and copied. The oracle is plain Lua on the tables that the arrays are made of.
local cuda = require "luacuda"
local helper = require "spec.helper"

local DTYPES = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
  "float16", "bfloat16", "float32", "float64", "complex64", "complex128" }

-- Values that every dtype can hold.
local function value_of(rng, dtype)
  if dtype == "bool" then return rng(2) == 1 end
  if dtype:find "complex" then return cuda.complex(rng(100), rng(100)) end
  return dtype:find "float" and rng(100) / 2 or rng(100)
end

local function list_of(n, make)
  local list = {}
  for k = 1, n do list[k] = make() end
  return list
end

-- A struct with fields of every kind, and a function that makes random values of it.
local function everything()
  local Inner = cuda.struct("Inner", { { "x", "float32" }, { "f", "double2" }, { "k", "int8" } })
  local fields = { { "v", "float4" }, { "c", "uchar3" }, { "h", "float16", 3 },
    { "m", "int16", { 2, 3 } }, { "vs", "float2", 2 }, { "q", Inner }, { "qs", Inner, 3 },
    { "flags", "bool", 2 }, { "z", "complex64", 2 }, { "p", "float *" } }
  for _, dtype in ipairs(DTYPES) do fields[#fields + 1] = { "s_" .. dtype, dtype } end
  local function inner(rng)
    return { x = value_of(rng, "float32"), k = value_of(rng, "int8"),
      f = list_of(2, function() return value_of(rng, "float64") end) }
  end
  return cuda.struct("Everything", fields), function(rng)
    local function list(n, dtype)
      return list_of(n, function() return value_of(rng, dtype) end)
    end
    local one = { v = list(4, "float32"), c = list(3, "uint8"), h = list(3, "float16"),
      m = list_of(2, function() return list(3, "int16") end),
      vs = list_of(2, function() return list(2, "float32") end), q = inner(rng),
      qs = list_of(3, function() return inner(rng) end), flags = list(2, "bool"),
      z = list(2, "complex64"), p = cuda.null }
    for _, dtype in ipairs(DTYPES) do one["s_" .. dtype] = value_of(rng, dtype) end
    return one
  end
end

-- A part of a struct: the field, what follows it in a kernel, and the same as keys.
local PARTS = { { "v", ".x", 1 }, { "v", ".w", 4 }, { "v", "[2]", 2 }, { "v", "" },
  { "c", ".z", 3 }, { "c", "" },
  { "h", "[3]", 3 }, { "h", "" }, { "m", "[2][3]", 2, 3 }, { "m", "[1]", 1 },
  { "m", "" }, { "vs", "[2].y", 2, 2 }, { "vs", "[1]", 1 }, { "q", ".x", "x" },
  { "q", ".f.y", "f", 2 }, { "q", ".f", "f" }, { "q", "" }, { "qs", "[3].k", 3, "k" },
  { "qs", "[2].f[1]", 2, "f", 1 }, { "qs", "[1]", 1 }, { "qs", "" }, { "flags", "[2]", 2 },
  { "z", "[1]", 1 } }
for _, dtype in ipairs(DTYPES) do PARTS[#PARTS + 1] = { "s_" .. dtype, "" } end

local function is_scalar(part) return part[1]:find "^s_" ~= nil end

local function copy(v)
  if type(v) ~= "table" then return v end
  local own = {}
  for key, item in pairs(v) do own[key] = copy(item) end
  return own
end

-- Assigns a part of one struct to the same part of another.
local function assign(to, from, part)
  local key = part[1]
  for k = 3, #part do
    to, from = to[key], from[key]
    key = part[k]
  end
  to[key] = copy(from[key])
end

-- How a kernel may hold a struct or a field of it: the code before, and the expression that then
-- gives the struct ("%s": the field) at index i of `a`.
local HOLDERS = {
  element = { "", "a[i].%s" },
  ["a variable for the struct"] = { "local r = a[i]", "r.%s" },
  ["a variable for the field"] = { "local f = a[i].%s", "f" },
  ["a parameter for the struct"] = { "local function id(r) return r end", "id(a[i]).%s" },
  ["a parameter for the field"] = { "local function id(f) return f end", "id(a[i].%s)" },
  ["a result that is a struct"] = { "local function at(k) return a[k] end", "at(i).%s" },
  ["a result that is a field"] = { "local function at(k) return a[k].%s end", "at(i)" },
  ["one of several results"] = { [[local function at(k) return k, a[k].%s end
    local _, f = at(i)]], "f" },
  ["a variable that a loop assigns"] = { [[local f = a[1].%s
    for k = 2, i do f = a[k].%s end]], "f" },
  ["a variable that branches assign"] = { [[local f
    if i % 2 == 0 then f = a[i].%s else local r = a[i] f = r.%s end]], "f" },
  ["a selection of structs"] = { "local r = i % 2 == 0 and a[i] or a[i]", "r.%s" },
  ["a selection of fields"] = { "", "(i % 2 == 0 and a[i].%s or a[i].%s)" },
}

local function with_field(text, field) return (text:gsub("%%s", field)) end

-- Is the struct held, or its field? A number or boolean field cannot be held.
local function holds_struct(holder) return holder[2]:find "%.%%s$" ~= nil end
local function can_hold(holder, part) return holds_struct(holder) or not is_scalar(part) end

-- A field that is held as a whole is not a place: an assignment would give the variable another
-- value.
local function can_write(holder, part) return holds_struct(holder) or part[2] ~= "" end

-- The text of a kernel that reads each part of `a` into `c`, and writes that of `b`.
local function kernel_text(holder)
  local lines = { "function(a, b, c) for i in grid(#a) do" }
  local function add(part, text, ...)
    lines[#lines + 1] = with_field(holder[1], part[1]) .. " " .. text:format(...)
  end
  for _, part in ipairs(PARTS) do
    local at, held = part[1] .. part[2], with_field(holder[2], part[1]) .. part[2]
    if can_hold(holder, part) then
      lines[#lines + 1] = "do"
      add(part, "c[i].%s = %s", at, held)
      if can_write(holder, part) then lines[#lines + 1] = ("; %s = b[i].%s"):format(held, at) end
      lines[#lines + 1] = "end"
    end
  end
  return table.concat(lines, "\n") .. "\nend end"
end

-- What the kernel does to the structs of one index.
local function expect(holder, a, b, c)
  for _, part in ipairs(PARTS) do
    if can_hold(holder, part) then
      assign(c, a, part)
      if can_write(holder, part) then assign(a, b, part) end
    end
  end
end

helper.for_each_device(function()
  describe("structs in kernels written in Lua", function()
    local Everything, random_value = everything()

    local function random_rows(rng, n)
      return list_of(n, function() return random_value(rng) end)
    end

    for name, holder in pairs(HOLDERS) do
      for _, layout in ipairs{ "contiguous", "strided" } do
        it(("are read, written and copied by %s (%s)"):format(name, layout), function()
          local rng = helper.random(#name)
          local step = layout == "strided" and 2 or 1
          local rows = { random_rows(rng, 5), random_rows(rng, 5), random_rows(rng, 5) }
          local arrays, args = {}, {}
          for k = 1, 3 do
            arrays[k] = cuda.array(rows[k], Everything)
            args[k] = arrays[k]:slice{ 1, 5, step }
          end
          local run, launch = cuda.jit(kernel_text(holder)), { threads = #args[1] }
          local in_lua = {}
          for j = 1, 3 do in_lua[j] = args[j]:copy() end
          run:run_in_lua(launch, table.unpack(in_lua))
          run(launch, table.unpack(args))
          for j = 1, 3 do assert.same(args[j]:totable(), in_lua[j]:totable()) end
          for i = 1, 5 do
            if (i - 1) % step == 0 then expect(holder, rows[1][i], rows[2][i], rows[3][i]) end
          end
          for k = 1, 3 do
            assert.same(cuda.array(rows[k], Everything):totable(), arrays[k]:totable())
          end
        end)
      end
    end

    it("are exchanged by an assignment of several values", function()
      local rng = helper.random(3)
      local rows = random_rows(rng, 2)
      local a = cuda.array(rows, Everything)
      cuda.jit(function(s)
        s[1].v, s[2].v, s[1].q, s[2].q = s[2].v, s[1].v, s[2].q, s[1].q
        s[1].m[1], s[1].m[2] = s[1].m[2], s[1].m[1]
        s[1].qs[1], s[2].qs[3] = s[2].qs[3], s[1].qs[1]
      end)({ grid = 1, block = 1 }, a)
      local x, y = rows[1], rows[2]
      x.v, y.v, x.q, y.q = y.v, x.v, y.q, x.q
      x.m[1], x.m[2] = x.m[2], x.m[1]
      x.qs[1], y.qs[3] = y.qs[3], x.qs[1]
      assert.same(cuda.array(rows, Everything):totable(), a:totable())
    end)

    it("take copies from memory of the block and the thread, whose values are converted", function()
      local a = cuda.zeros(3, Everything)
      cuda.jit(function(s)
        local w, t = array(int32, 4), shared(float64, 2, 3)
        for k = 1, 4 do w[k] = 10 * k end
        for r = 1, 2 do for c = 1, 3 do t[r][c] = r + c / 2 end end
        for i in grid(#s) do
          s[i].v = w
          s[i].h = t[2]
          t[1] = s[i].h
          s[i].z = t[1].ndim == 1 and s[i].vs[1] or s[i].vs[2]
        end
      end)({ grid = 1, block = 1 }, a)
      for i = 1, 3 do
        assert.same({ 10.0, 20.0, 30.0, 40.0 }, a[i].v:totable())
        assert.same({ 2.5, 3.0, 3.5 }, a[i].h:totable())
      end
    end)

    it("are results of functions without effects between their calls", function()
      local a = cuda.array(random_rows(helper.random(4), 3), Everything)
      local b, want = cuda.zeros(3, Everything), a:totable()
      cuda.jit(function(from, to)
        local function part(s, i) return s[i].q end
        for i in grid(#from) do
          part(to, i).x = part(from, i).x
          to[i].q.f = part(from, i).f
          local calls = 0
          local function count() calls = calls + 1 return from[i] end
          to[i].s_int32 = count().s_int32 + count().s_int32
          to[i].s_int64 = calls
        end
      end)({ threads = 3 }, a, b)
      for i = 1, 3 do
        assert.same({ want[i].q.x, want[i].q.f }, { b[i].q.x, b[i].q.f:totable() })
        assert.same({ 2 * want[i].s_int32, 2 }, { b[i].s_int32, b[i].s_int64 })
      end
      assert.same(want, a:totable())
    end)

    it("are selected by the indices before the value is computed", function()
      local a = cuda.zeros(3, Everything)
      cuda.jit(function(s)
        local k = 1
        local function following() k = k + 1 return k end
        s[k].q.x = following()
        s[k].qs[k].f.y = following()
        s[k].vs[1].x = following()
      end)({ grid = 1, block = 1 }, a)
      assert.same({ 2.0, 3.0, 4.0 }, { a[1].q.x, a[2].qs[2].f.y, a[3].vs[1].x })
    end)

    it("that are only read stay constant", function()
      local k = cuda.jit(function(a, y)
        local function at(i) return a[i].v end
        for i in grid(#y) do
          local v = at(i)
          y[i] = v.x
        end
      end)
      k({ threads = 2 }, cuda.zeros(2, Everything), cuda.zeros(2))
      assert.matches("const Everything %*a_", k:source())
    end)

    it("refuse what has no meaning", function()
      local a = cuda.zeros(2, Everything)
      local function refused(text, want)
        helper.contains(helper.misuse(function()
          cuda.jit("function(a, y) " .. text .. " end")({ threads = 1 }, a, cuda.zeros(4))
        end), want)
      end
      refused("a[1].v = 1", "a Lua integer cannot be an array (float32, one axis): assign its "
        .. "elements, with one more index")
      refused("a[1].v = a[1].h", "an array (float16, one axis) of 3 elements cannot be copied to "
        .. "one of 4 elements")
      refused("a[1].v = y", "an array (float32, one axis) of unknown extents cannot be copied to "
        .. "one of 4 elements")
      refused("a[1].m[1] = a[1].h", "float16 cannot be an element of int16")
      refused("a[1].q = a[1]", "a struct 'Everything' cannot be an element of a struct 'Inner'")
      refused("y[1] = a[1].h.x", "arrays have no field 'x' in kernels")
      refused("y[1] = a[1].c.w", "arrays have no field 'w' in kernels")
      refused("a[1].p = a[1].p", "'p' is a pointer, which kernels in Lua cannot follow")
      local ends = "an array that the function makes ends with it and cannot be a result"
      refused("local function f() local w = array(float32, 4) return w end y[1] = f()[1]", ends)
      refused([[local function id(w) return w end
        local function f() local w = array(float32, 4) return id(w) end y[1] = f()[1] ]], ends)
      refused("local function f() return y end y[1] = f()[1]",
        "an array (float32, one axis) cannot be a result")
    end)

    it("are handed back by functions that take memory of the thread", function()
      local y = cuda.zeros(3)
      cuda.jit(function(out)
        local function id(w) return w end
        for i in grid(#out) do
          local w = array(float32, 2)
          id(w)[2] = i
          out[i] = w[2] + id(w)[1]
        end
      end)({ threads = 3 }, y)
      assert.same({ 1.0, 2.0, 3.0 }, y:totable())
    end)

    it("by value are arguments: tables by name, by position, bytes and Records", function()
      local rng = helper.random(11)
      local P = cuda.struct("Params", { { "dt", "float32" }, { "v", "float3" }, { "n", "int64" },
        { "h", "float16", 2 }, { "on", "bool" } })
      local k = cuda.jit(function(out, p, by)
        local v = p.v
        local function scaled(s, i) return s.v.z * i + s.h[2] end
        for i in grid(#out) do
          out[i] = p.dt * by + v.x + v[2] + scaled(p, i) + p.n + (p.on and 1 or 0)
        end
      end)
      local function want(p)
        local list = {}
        for i = 1, 4 do
          list[i] = p.dt * 2 + p.v[1] + p.v[2] + p.v[3] * i + p.h[2] + p.n + (p.on and 1 or 0)
        end
        return list
      end
      local y, kept = cuda.zeros(4), P{ dt = 0, v = { 0, 0, 0 }, n = 0, h = { 0, 0 }, on = false }
      for _ = 1, 5 do
        local p = { dt = value_of(rng, "float32"), n = rng(100), on = rng(2) == 1,
          v = list_of(3, function() return value_of(rng, "float32") end),
          h = list_of(2, function() return value_of(rng, "float16") end) }
        local array = cuda.array({ p, p }, P)
        for name, item in pairs(p) do kept[name] = item end
        for _, given in ipairs{ P(p), P{ p.dt, p.v, p.n, p.h, p.on }, P(P:pack(p)), array[2],
          P(array[1]), kept } do
          y:fill(-1)
          k({ threads = 4 }, y, given, 2)
          assert.same(want(p), y:totable())
          local in_lua = cuda.zeros(4)
          k:run_in_lua({ threads = 4 }, in_lua, given, 2)
          assert.same(want(p), in_lua:totable())
        end
      end
    end)

    it("by value may be upvalues, and of other types in other calls", function()
      local A = cuda.struct("A", { { "x", "float32" } })
      local B = cuda.struct("A", { { "k", "int64" }, { "x", "float64" } })
      local scale, y = A{ x = 3 }, cuda.zeros(2)
      local k = cuda.jit(function(out, p) for i in grid(#out) do out[i] = p.x * scale.x end end)
      k({ threads = 2 }, y, A{ x = 2 })
      assert.same({ 6.0, 6.0 }, y:totable())
      k({ threads = 2 }, y, B{ k = 1, x = 5 })
      assert.same({ 15.0, 15.0 }, y:totable())
      scale.x = 4
      k({ threads = 2 }, y, A{ x = 2 })
      assert.same({ 8.0, 8.0 }, y:totable())
      scale = B{ k = 1, x = 10 }
      k({ threads = 2 }, y, A{ x = 2 })
      assert.same({ 20.0, 20.0 }, y:totable())
      k({ threads = 2 }, y, cuda.array({ { 7 }, { 9 } }, A)[2])
      assert.same({ 90.0, 90.0 }, y:totable())
      local prepared = k:prepare({ threads = 2 }, y, A{ x = 1 })
      prepared()
      assert.same({ 10.0, 10.0 }, y:totable())
    end)

    it("by value are not written", function()
      local P, y = cuda.struct("P", { { "x", "float32" }, { "v", "float2" } }), cuda.zeros(1)
      local p = P{ x = 1, v = { 1, 2 } }
      for _, text in ipairs{ "p.x = 1", "local q = p.v q.y = 1",
        "local function f(s) s.x = 1 end f(p)" } do
        helper.contains(helper.misuse(function()
          cuda.jit("function(y, p) " .. text .. " end")({ threads = 1 }, y, p)
        end), "the kernel writes to 'p', which is a struct by value: pass an array of one struct")
      end
      helper.contains(helper.misuse(function()
        cuda.jit("function(y, p) y[1] = p.x end")({ threads = 1 }, y, { x = 1 })
      end), "argument 2 'p': expected an array, a number, a boolean or a struct, got a table: pass "
        .. "an array, made by cuda.array, or a struct, made by S{...}")
      helper.contains(helper.misuse(function() P({ x = 1, v = { 1, 2 } }, 2) end),
        "P: expected one value, a table or bytes")
      helper.contains(helper.misuse(function() P{ x = 1 } end), "P: field 'v': is missing (P)")
      helper.contains(helper.misuse(function() P "abc" end), "P: ")
    end)

    -- The fields of Inner are aligned in it, but it is not in Packed.
    local PACKED = [[
      struct Inner { char k; double x; float2 v; };
      struct __attribute__((packed)) Packed { char a; Inner b; double c[2]; short d; float2 v;
        Inner l[2]; };
      __device__ Packed packed[4];]]

    local function packed_rows(rng)
      local function inner() return { k = rng(9), x = rng(99) / 2, v = { rng(9), rng(9) } } end
      return list_of(4, function()
        return { a = rng(99), b = inner(), c = { rng(99) / 4, rng(99) / 4 }, d = rng(999),
          v = { rng(9), rng(9) }, l = { inner(), inner() } }
      end)
    end

    it("may be packed", function()
      local rng = helper.random(11)
      local Packed = cuda.module(PACKED):global "packed".dtype
      local rows = packed_rows(rng)
      local k = cuda.jit(function(p, q)
        for i in grid(#p) do
          local j = i % 2 + 1
          p[i].a, p[i].d = q[i].d % 100, q[i].a
          p[i].c[1], p[i].c[2] = q[i].c[2], p[i].c[j] + q[i].v.y
          p[i].v.x = q[i].b.x + q[i].l[2].v.y
          p[i].b = q[i].l[j]
          p[i].l[1].x, p[i].l[2] = q[i].b.x * 2, q[i].b
          if i == 3 then p[i] = q[i] end
        end
      end)
      local p, q = cuda.array(packed_rows(rng), Packed), cuda.array(rows, Packed)
      local in_lua = p:copy()
      k({ threads = 4 }, p, q)
      k:run_in_lua({ threads = 4 }, in_lua, q)
      assert.same(in_lua:totable(), p:totable())
      assert.same(rows[3], p:totable()[3])
      assert.same(rows[2].b, p:totable()[2].l[2])
    end)

    it("give only elements of a list that is not aligned", function()
      local Packed = cuda.module(PACKED):global "packed".dtype
      local p, q = cuda.zeros(4, Packed), cuda.zeros(4, Packed)
      for field, statement in pairs { c = "p[1].c = q[1].c", v = "p[1].v = q[1].v",
        ["v "] = "p[1].l[2].v = q[1].b.v", ["c "] = "local t = p[1].c p[1].a = f(t)" } do
        local text = "function(p, q) local function f(x) return x[1] > 0 and 1 or 0 end "
          .. statement .. " end"
        helper.contains(helper.error_of(cuda.jit(text), { threads = 1 }, p, q),
          ("'%s' of a packed struct is not aligned for its type"):format(field:sub(1, 1)))
      end
    end)
  end)
end)
