-- Scans (cuda.scan, cumsum and others) over sizes, axes, layouts and operators, against references
-- computed in Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"
local scan_plan = require "luacuda.builder.scan_plan"

-- Small numbers without a visible order.
local function numbers(n, seed)
  local list = {}
  for k = 1, n do list[k] = (k * 7919 + (seed or 0) * 104729) % 1009 % 19 - 9 end
  return list
end

local function filled(shape, dtype, seed)
  local n = helper.size_of(shape)
  return cuda.array(n > 0 and numbers(n, seed) or {}, dtype or "int32"):reshape(shape)
end

-- The elements of a scan along an axis, as a flat list in C order. options: start (a function of
-- the flat index: does a segment start there?), exclusive, identity.
local function reference(list, shape, axis, op, options)
  options = options or {}
  local step, out, inclusive = 1, {}, {}
  for d = #shape, axis + 1, -1 do step = step * shape[d] end
  for i = 1, #list do
    local first = (i - 1) // step % shape[axis] == 0 or options.start and options.start(i)
    if first then inclusive[i] = list[i] else inclusive[i] = op(inclusive[i - step], list[i]) end
    if not options.exclusive then out[i] = inclusive[i]
    elseif first then out[i] = options.identity
    else out[i] = inclusive[i - step] end
  end
  return out
end

local function add(a, b) return a + b end

local function flat(array) return array:reshape{ array.size }:totable() end

local function assert_list(want, got, label)
  if #want ~= #got then
    error(("%s: expected %d elements, got %d"):format(label, #want, #got), 2)
  end
  for k = 1, #want do
    if want[k] ~= got[k] then
      error(("%s: element %d: expected %s, got %s"):format(label, k, tostring(want[k]),
        tostring(got[k])), 2)
    end
  end
end

local function sum_scan(options)
  return cuda.scan("T x", "T y", "x", "a + b", "0", "prefix_sum", options)
end

local SIZES = { 0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 4095, 4096,
  4097, 12289, 40009 }
local SHAPES = { { 3, 5, 7 }, { 2, 70, 33 }, { 1, 300, 1 }, { 9000, 2, 1 }, { 2, 3, 9001 },
  { 5, 1100, 40 }, { 300, 3, 130 }, { 1, 17, 2000 } }

helper.for_each_device(function(device)
  describe("an identity", function()
    it("is C++ text, a number or a boolean", function()
      local x = cuda.array({ 3, -1 }, "float64")
      local cases = { ["-1.0 / 4"] = -0.25, [0.5] = 0.5, [-math.huge] = -math.huge,
        [math.mininteger] = -0x1p63, [true] = 1 }
      for identity, want in pairs(cases) do
        local most = cuda.scan("T x", "T y", "x", "max(a, b)", identity, "most",
          { exclusive = true })
        assert.same({ want, 3.0 }, most(x):totable())
      end
    end)
  end)

  describe("prefix sums", function()
    it("are correct for every size", function()
      local s = sum_scan()
      for _, n in ipairs(SIZES) do
        local list = numbers(n)
        local x = filled({ n }, "int32")
        assert_list(reference(list, { n }, 1, add), s(x):totable(), n .. " elements")
        assert_list(reference(list, { n }, 1, add, { exclusive = true, identity = 0 }),
          s(x, { exclusive = true }):totable(), n .. " elements, exclusive")
      end
    end)

    it("are correct along every axis", function()
      local s = sum_scan()
      for _, shape in ipairs(SHAPES) do
        local list = numbers(helper.size_of(shape))
        local x = filled(shape, "float32")
        for axis = 1, 3 do
          for _, exclusive in ipairs{ false, true } do
            local got = s(x, { axis = axis, exclusive = exclusive })
            assert.same(shape, got.shape)
            assert_list(reference(list, shape, axis, add, { exclusive = exclusive, identity = 0 }),
              flat(got), ("%s, axis %d, %s"):format(table.concat(shape, " "), axis, exclusive))
          end
        end
      end
    end)

    it("take 1-byte, 8-byte and 16-byte elements along each kind of axis", function()
      local s = sum_scan()
      for _, dtype in ipairs{ "int8", "int64", "float64", "complex128" } do
        for _, shape in ipairs{ { 9001 }, { 3, 5000 }, { 5000, 3 }, { 700, 70 } } do
          local list, x = numbers(helper.size_of(shape)), filled(shape, dtype)
          for axis = 1, #shape do
            local want, got = reference(list, shape, axis, add), flat(s(x, { axis = axis }))
            if dtype == "int8" then
              for k, v in ipairs(want) do want[k] = (v + 128) % 256 - 128 end
            elseif dtype == "complex128" then
              for k, v in ipairs(got) do got[k] = v.re end
            end
            assert_list(want, got, ("%s %s axis %d"):format(dtype, table.concat(shape, " "), axis))
          end
        end
      end
    end)

    it("are correct over many tiles and over many groups of tiles", function()
      local s = sum_scan()
      for _, n in ipairs{ 131071, 131072, 131073, 9000001 } do
        local got = s(cuda.ones(n, "int32"), { exclusive = true })
        assert.is_true(got:equals(cuda.arange(n, "int32")), n .. " elements")
      end
      for _, columns in ipairs{ 2, 3, 40 } do
        local n = 1800001 // columns
        local got = s(cuda.ones({ n, columns }, "int32"), { axis = 1, exclusive = true })
        assert.is_true(got:equals(cuda.arange(n, "int32"):reshape{ n, 1 }:broadcast_to{ n,
          columns }), columns .. " columns")
      end
      local flags = cuda.zeros(2000000, "bool")
      flags:slice{ 1, -1, 500000 }:fill(true)
      local got = s(cuda.ones(2000000, "int32"), { segments = flags, exclusive = true })
      assert.is_true(got:equals(cuda.arange(500000, "int32"):broadcast_to{ 4,
        500000 }:copy():reshape{ 2000000 }), "segments")
    end)

    it("are the same each time", function()
      local n = 400021
      local list = {}
      for k = 1, n do list[k] = 1 / (1 + k * 7919 % 1009) end
      local x = cuda.array(list)
      local first = x:cumsum():tobytes()
      for _ = 1, 5 do assert.equal(first, x:cumsum():tobytes()) end
      local columns = x:slice{ 1, 400000 }:reshape{ 200000, 2 }
      first = columns:cumsum{ axis = 1 }:tobytes()
      for _ = 1, 3 do assert.equal(first, columns:cumsum{ axis = 1 }:tobytes()) end
    end)
  end)

  describe("layouts", function()
    it("may be transposed, stepped, reversed and broadcast", function()
      local s = sum_scan()
      local base = filled({ 90, 80, 3 }, "int32")
      local views = {
        transposed = base:transpose(), rotated = base:transpose(2, 3, 1),
        stepped = base:slice({ 1, -1, 3 }, { 2, -2, 2 }, {}),
        backwards = base:slice({ -1, 1, -1 }, {}, { -1, 1, -1 }),
        part = base:slice({}, { 5, 77 }, { 1, 2 }),
        broadcast = base:slice({}, { 1, 1 }, {}):broadcast_to{ 90, 4000, 3 },
      }
      for name, view in pairs(views) do
        local list = flat(view:copy())
        for axis = 1, 3 do
          assert_list(reference(list, view.shape, axis, add), flat(s(view, { axis = axis })),
            name .. " axis " .. axis)
        end
        assert_list(reference(list, { #list }, 1, add), s(view):totable(), name)
      end
      local line = filled({ 20001 }, "int32")
      for _, view in ipairs{
        line:slice{ 2, -1 }, line:slice{ 1, -1, 2 }, line:slice{ -1, 1, -1 },
      } do
        assert_list(reference(view:totable(), view.shape, 1, add), s(view):totable(), "line")
      end
    end)

    it("of several axes are merged wherever one stride reaches all their elements", function()
      local rng = helper.random(31)
      local merges = 0
      -- The byte offset of each element of the axes first to last, in C order.
      local function offsets(view, first, last)
        local list = { 0 }
        for d = first, last do
          local longer = {}
          for _, at in ipairs(list) do
            for k = 0, view.shape[d] - 1 do longer[#longer + 1] = at + k * view.strides[d] end
          end
          list = longer
        end
        return list
      end
      local function stride_of(list)
        local stride = (list[2] or 0) - list[1]
        for k, at in ipairs(list) do
          if at ~= (k - 1) * stride then return nil end
        end
        return stride
      end
      local s = sum_scan()
      for case = 1, 150 do
        local shape, ranges = {}, {}
        for d = 1, 5 do
          shape[d] = 1 + rng(3)
          ranges[d] = rng(8) == 0 and { -1, 1, -1 } or rng(8) == 0 and { 1, -1, 2 } or {}
        end
        local view = filled(shape, "int32", case):slice(table.unpack(ranges))
        if rng(4) == 0 then view = view:transpose(1, 2, 3, 5, 4) end
        if rng(4) == 0 then view = view:transpose(2, 1, 3, 4, 5) end
        local axis = rng(5) + 1
        local outer, inner = stride_of(offsets(view, 1, axis - 1)),
          stride_of(offsets(view, axis + 1, 5))
        local lay = scan_plan.layout(view, axis, scan_plan.extents(view.shape, axis))
        local label = ("case %d, axis %d"):format(case, axis)
        if outer and inner then
          merges = merges + 1
          assert.same({ outer, inner }, { lay.outer, lay.inner }, label)
        else
          assert.is_nil(lay, label)
        end
        assert_list(reference(flat(view:copy()), view.shape, axis, add),
          flat(s(view, { axis = axis })), label)
      end
      assert.is_true(merges > 30 and merges < 140)
    end)

    it("without an axis are treated as one line", function()
      local x = filled({ 40, 50 }, "int32")
      local got = x:transpose():cumsum()
      assert.same({ 2000 }, got.shape)
      assert_list(reference(flat(x:transpose():copy()), { 2000 }, 1, add),
        got:totable(), "transposed")
    end)

    it("may have no elements, or no axes", function()
      assert.same({ 0 }, cuda.zeros({ 3, 0 }):cumsum().shape)
      assert.same({ 0, 3 }, cuda.zeros({ 0, 3 }):cumsum{ axis = 1 }.shape)
      assert.same({ 5 }, cuda.full({}, 5):cumsum():totable())
    end)

    it("of results are taken from `out`", function()
      local x = filled({ 300, 70 }, "int64")
      local list = numbers(300 * 70)
      for axis = 1, 2 do
        local want = reference(list, { 300, 70 }, axis, add)
        local turned = cuda.zeros({ 70, 300 }, "int64"):transpose()
        assert.equal(turned, x:cumsum{ axis = axis, out = turned })
        assert_list(want, flat(turned:copy()), "transposed out")
        local wide = cuda.zeros({ 300, 3, 70 }, "int64")
        x:cumsum{ axis = axis, out = wide:slice({}, 2, {}) }
        assert_list(want, flat(wide:slice({}, 2, {}):copy()), "every third row")
        assert.is_true(wide:slice({}, { 1, 3, 2 }, {}):equals(cuda.zeros({ 300, 2, 70 }, "int64")))
      end
      local odd = cuda.zeros({ 2, 3, 4, 5 }, "int64"):transpose(3, 1, 4, 2)
      local y = filled({ 4, 2, 5, 3 }, "int64")
      y:cumsum{ axis = 3, out = odd }
      assert_list(reference(numbers(120), { 4, 2, 5, 3 }, 3, add), flat(odd:copy()), "no order")
    end)

    it("may be the input's own memory", function()
      local list = numbers(20000)
      for _, shape in ipairs{ { 20000 }, { 4, 5000 }, { 5000, 4 }, { 200, 100 } } do
        for axis = 1, #shape do
          local x = filled(shape, "float32")
          x:cumsum{ axis = axis, out = x }
          assert_list(reference(list, shape, axis, add), flat(x), table.concat(shape, " "))
        end
      end
      local x = filled({ 20001 }, "float32")
      x:slice{ 1, 20000 }:cumsum{ out = x:slice{ 2, 20001 } } -- shifted: the input is copied first
      assert_list(reference(list, { 20000 }, 1, add), x:slice{ 2, 20001 }:totable(), "shifted")
    end)

    it("in host memory run on the CPU device", function()
      local x = cuda.host(5000, "float64")
      x:set(numbers(5000))
      assert_list(reference(numbers(5000), { 5000 }, 1, add), x:cumsum():totable(), "host")
    end)
  end)

  describe("operators", function()
    it("may be any associative operator", function()
      local x = filled({ 37, 900 }, "int32", 3)
      local list = numbers(37 * 900, 3)
      local largest = cuda.scan("T x", "T y", "x", "max(a, b)", nil, "running_max")
      local least = cuda.scan("T x", "T y", "x", "min(a, b)", "2147483647", "running_min",
        { exclusive = true })
      for axis = 1, 2 do
        assert_list(reference(list, { 37, 900 }, axis, math.max),
          flat(largest(x, { axis = axis })), "max")
        assert_list(reference(list, { 37, 900 }, axis, math.min,
          { exclusive = true, identity = 2147483647 }), flat(least(x, { axis = axis })), "min")
      end
    end)

    -- x -> c x + v is not commutative, so the order of elements matters.
    it("keep the order of elements: a linear recurrence", function()
      local recurrence = cuda.scan{
        inputs = "float64 c, float64 x", outputs = "float64 y", scan_type = "line",
        name = "recurrence",
        preamble = "struct line { double slope, at; };",
        map = "line{c, x}", scan = "line{a.slope * b.slope, a.at * b.slope + b.at}",
        post = "y = a.at",
      }
      for _, shape in ipairs{
        { 33 }, { 200003 }, { 3, 5000 }, { 60000, 2 }, { 9000, 3 }, { 40, 120, 9 }, { 700, 130 },
      } do
        local n = helper.size_of(shape)
        local c, x = {}, {}
        for k = 1, n do c[k], x[k] = (k * 31 % 7) % 3 - 1, k * 7919 % 11 - 5 end
        for axis = 1, #shape do
          local step, want = 1, {}
          for d = #shape, axis + 1, -1 do step = step * shape[d] end
          for k = 1, n do
            want[k] = (k - 1) // step % shape[axis] == 0 and x[k] or want[k - step] * c[k] + x[k]
          end
          local got = recurrence(cuda.array(c, "float64"):reshape(shape),
            cuda.array(x, "float64"):reshape(shape), { axis = axis })
          assert_list(want, flat(got), table.concat(shape, " "))
        end
      end
    end)

    it("keep the order of elements: products of matrices", function()
      local product = cuda.scan{
        inputs = "uint32 x", outputs = "uint32 p, uint32 q", scan_type = "matrix",
        identity = "matrix{1, 0, 0, 1}", name = "matrices",
        preamble = [[
          struct matrix { unsigned a, b, c, d; };
          __device__ matrix times(const matrix &l, const matrix &r) {
            return matrix{l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
              l.c * r.b + l.d * r.d};
          }]],
        map = "matrix{x, 1, 1, 0}", scan = "times(a, b)", post = "p = a.b; q = a.d",
      }
      for _, n in ipairs{ 1, 100, 5003, 20011 } do
        local list = {}
        for k = 1, n do list[k] = k * 7919 % 1009 end
        local a, b, c, d = 1, 0, 0, 1
        local p, q, before = {}, {}, {}
        for k, x in ipairs(list) do
          before[k] = b
          a, b, c, d = (a * x + b) & 0xffffffff, a, (c * x + d) & 0xffffffff, c
          p[k], q[k] = b, d
        end
        local x = cuda.array(list, "uint32")
        local got_p, got_q = product(x)
        assert_list(p, got_p:totable(), "p of " .. n)
        assert_list(q, got_q:totable(), "q of " .. n)
        assert_list(before, product(x, { exclusive = true }):totable(), "exclusive, " .. n)
      end
    end)
  end)

  describe("segments", function()
    local function starts(n)
      local list = {}
      for k = 1, n do list[k] = k * 7919 % 1009 % 300 == 0 and 2 or 0 end
      return list
    end

    it("restart where flags are set", function()
      local s = sum_scan()
      for _, shape in ipairs{
        { 30 }, { 20011 }, { 3, 5000 }, { 5000, 3 }, { 9, 800, 7 }, { 600, 70 },
      } do
        local n = helper.size_of(shape)
        local list, marks = numbers(n), starts(n)
        local x, flags = filled(shape, "int32"), cuda.array(marks, "uint8"):reshape(shape)
        local function start(i) return marks[i] ~= 0 end
        for axis = 1, #shape do
          for _, exclusive in ipairs{ false, true } do
            local got = s(x, { axis = axis, segments = flags, exclusive = exclusive })
            assert_list(reference(list, shape, axis, add, {
              start = start, exclusive = exclusive, identity = 0,
            }), flat(got), ("%s axis %d %s"):format(table.concat(shape, " "), axis, exclusive))
          end
        end
      end
    end)

    it("may be few, all, or none, of bool or any integer type", function()
      local s, x = sum_scan(), filled({ 30000 }, "int32")
      local list = numbers(30000)
      assert_list(list, s(x, { segments = cuda.ones(30000, "bool") }):totable(), "all")
      assert_list(reference(list, { 30000 }, 1, add),
        s(x, { segments = cuda.zeros(30000, "int64") }):totable(), "none")
      local flags = cuda.zeros(30000, "int16")
      flags[20000] = -1
      local want = reference(list, { 30000 }, 1, add, { start = function(i) return i == 20000 end })
      assert_list(want, s(x, { segments = flags }):totable(), "one")
      flags = cuda.zeros(1, "bool"):broadcast_to{ 30000 }
      assert_list(reference(list, { 30000 }, 1, add),
        s(x, { segments = flags }):totable(), "broadcast")
    end)
  end)

  describe("cumulative functions", function()
    helper.for_all_dtypes(function(dtype, row)
      it("add " .. dtype, function()
        for _, n in ipairs{ 1, 31, 257, 9001 } do
          local list, values = {}, {}
          for k = 1, n do
            list[k] = row.kind == "uint" and k % 5 or k % 5 - 2
            if row.kind == "bool" then list[k] = k % 3 == 0 and 1 or 0 end
            values[k] = row.kind == "bool" and list[k] == 1 or row.kind ~= "bool" and list[k]
          end
          local got = cuda.array(values, dtype):cumsum()
          local wide = row.kind == "uint" and "uint64" or (row.kind == "int" or row.kind == "bool")
            and "int64" or dtype
          assert.equal(wide, got.dtype)
          helper.assert_close(reference(list, { n }, 1, add), got, { rtol = 0, atol = 0 })
        end
      end)
    end)

    it("multiply", function()
      local x = cuda.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "int8")
      assert.same({ 1, 2, 6, 24, 120, 720 }, x:cumprod():totable())
      assert.same({ { 1, 2, 3 }, { 4, 10, 18 } }, cuda.cumprod(x, { axis = -2 }):totable())
      local z = cuda.array({ cuda.complex(0, 1), cuda.complex(0, 1), cuda.complex(2, 0) },
        "complex64"):cumprod()
      assert.is_true(z[2] == cuda.complex(-1, 0) and z[3] == cuda.complex(-2, 0))
    end)

    it("take the dtype of the result", function()
      local x = cuda.array({ 1.75, 2.5, -1 }, "float32")
      assert.same({ 1, 3, 2 }, x:cumsum{ dtype = "int32" }:totable())
      assert.same({ 1.75, 4.25, 3.25 }, x:cumsum{ dtype = "f64" }:totable())
      assert.equal("complex128", x:cumsum{ dtype = "complex128" }.dtype)
      assert.equal("uint8", cuda.array({ 200, 100 }, "uint8"):cumsum{ dtype = "uint8" }.dtype)
    end)

    it("add half precision in float", function()
      for _, dtype in ipairs{ "float16", "bfloat16" } do
        local got = cuda.full(4097, 1, dtype):cumsum()
        assert.equal(4096, got[4096])                    -- 16-bit sums would stop at 2048, or 256
      end
    end)

    it("find the running maximum and minimum", function()
      local x = cuda.array({ 3, 1, 4, 1, 5, 9, 2, 6 }, "int16")
      assert.same({ 3, 3, 4, 4, 5, 9, 9, 9 }, x:cummax():totable())
      assert.same({ 3, 1, 1, 1, 1, 1, 1, 1 }, cuda.cummin(x):totable())
      local nan = cuda.array{ 1, 0 / 0, 2 }
      helper.assert_close({ 1, 0 / 0, 0 / 0 }, nan:cummax())
      helper.assert_close({ 1, 0 / 0, 0 / 0 }, nan:cummin())
      assert.same({ 7, 7, 9 }, cuda.array({ 7, 2, 9 }, "bfloat16"):cummax():totable())
    end)
  end)

  describe("parameters", function()
    it("are arrays that broadcast, numbers, typed scalars and raw arrays", function()
      local dot = cuda.scan("T x, T z", "T y", "x * z", "a + b", "0", "running_dot")
      local x = cuda.array{ { 1, 2, 3 }, { 4, 5, 6 } }
      assert.same({ { 1, 1, 4 }, { 4, 4, 10 } },
        dot(x, cuda.array{ 1, 0, 1 }, { axis = 2 }):totable())
      assert.same({ 0.5, 1.5, 3, 5, 7.5, 10.5 }, dot(x, 0.5):totable())
      assert.equal(cuda.complex(1, 3), dot(cuda.ones(2, "complex64"), cuda.complex(0.5, 1.5))[2])
      assert.equal(6.0, dot(cuda.ones(3, "float16"), cuda.float16(2))[3])
      local compact = cuda.scan{ inputs = "raw float32 v, float32 x", outputs = "raw float32 y",
        map = "x > 0 ? 1 : 0", scan = "a + b", scan_type = "int32",
        post = "if (v[i] > 0) y[a - 1] = v[i]", name = "compact" }
      local v, y = cuda.array{ 3, -1, 4, -1, 5, -9 }, cuda.zeros(3)
      assert.equal(y, compact(v, v, y))
      assert.same({ 3, 4, 5 }, y:totable())
      local turned = cuda.array{ { 1, 2 }, { 3, 4 } }:transpose()
      local pick = cuda.scan{ inputs = "raw T v, int32 x", outputs = "raw T y", map = "x",
        scan = "a + b", scan_type = "int32",
        post = "y[a] = v[i] * v.shape(0) * v.size()", name = "pick" }
      local odd = cuda.zeros(10):slice{ 1, -1, 2 }
      pick(turned, cuda.array({ 1, 1, 1, 1 }, "int32"), odd)
      assert.same({ 0, 8, 24, 16, 32 }, odd:totable())
      local place = cuda.scan("raw int64 x, bool m", "int64 y", "m ? x[n - 1 - i] : i",
        "a + b", 0, "places")
      assert.same({ 30, 31, 41 },
        place(cuda.array({ 10, 20, 30 }, "int64"), cuda.array{ true, false, true }):totable())
    end)

    it("compile a kernel for each kind of call, once", function()
      local s = sum_scan()
      assert.equal(0, #s:cached())
      for _, n in ipairs{ 10, 10000, 300 } do s(cuda.ones(n)) end
      local list = s:cached()
      assert.equal(1, #list)
      assert.same({ "float32", "float32" }, list[1].types)
      assert.equal("flat", list[1].mode)
      s(cuda.ones{ 3, 4 }, { axis = 1 })
      assert.equal(2, #s:cached())
      assert.is_truthy(s:source():find("prefix_sum", 1, true))
      assert.is_truthy(s:ptx():find("%.entry [%w_]*prefix_sum"))
      assert.equal("prefix_sum", s.name)
      assert.equal("luacuda.Scan prefix_sum", tostring(s))
      assert.equal("scan", cuda.scan("T x", "T y", "x", "a + b").name)
    end)

    it("take numbers and booleans as identity", function()
      local function exclusive(inputs, operator, identity, list)
        local s = cuda.scan(inputs .. " x", inputs .. " y", "x", operator, identity, "first",
          { exclusive = true })
        return s(cuda.array(list, inputs)):totable()
      end
      assert.same({ -math.huge, 3, 3 },
        exclusive("float64", "a > b ? a : b", -math.huge, { 3, 1, 5 }))
      assert.same({ 1, 3, 6 }, exclusive("float32", "a * b", 1.0, { 3, 2, 5 }))
      assert.same({ math.mininteger, 3, 3 },
        exclusive("int64", "a > b ? a : b", math.mininteger, { 3, 1, 5 }))
      assert.same({ false, false, true },
        exclusive("bool", "a || b", false, { false, true, false }))
    end)

    it("show the kernel without a call", function()
      local s = sum_scan()
      assert.matches("nothing is compiled yet", helper.misuse(s.ptx, s))
      local x, out = cuda.ones{ 3, 4 }, cuda.zeros{ 3, 4 }
      assert.is_truthy(s:source(x, { axis = 1, out = out }):find("prefix_sum", 1, true))
      assert.equal(0.0, out:sum())
      assert.equal("columns", s:cached()[1].mode)
      assert.equal(cuda.device(), s:cached()[1].device)
      assert.is_truthy(s:ptx(x):find("%.entry [%w_]*prefix_sum"))
      assert.equal("flat", s:cached()[2].mode)
      assert.matches("^prefix_sum: ptx: such a call launches nothing",
        helper.misuse(s.ptx, s, cuda.ones(0)))
    end)

    it("are ordered on streams", function()
      local stream = cuda.stream{}
      local x = cuda.zeros(20000, "float32", { stream = stream })
      x:fill(1)
      local y = sum_scan()(x, { stream = stream })
      assert.equal(20000, y[20000])
      stream:close()
    end)
  end)

  if device.kind ~= "cpu" then
    it("index more than 2^31 elements", function()
      local n = (1 << 31) + 12345
      local count = cuda.scan{ inputs = "uint8 x", outputs = "raw int64 y", map = "x",
        scan = "a + b", scan_type = "int64", post = "if (i == n - 1) y[0] = a", name = "far" }
      local y = cuda.zeros(1, "int64")
      count(cuda.ones(1, "uint8"):broadcast_to{ n }, y)
      assert.equal(n, y[1])
    end)
  end
end)

describe("mistakes", function()
  local x

  local previous
  before_each(function()
    previous = cuda.use "cpu"
    x = cuda.ones{ 2, 3 }
  end)
  after_each(function() cuda.use(previous) end)

  local function scan(options) return cuda.scan("T x", "T y", "x", "a + b", nil, "s", options) end

  it("in declarations are reported", function()
    local function declared(text, ...)
      assert.equal(text, helper.misuse(cuda.scan, ...))
    end
    declared("scan: 'map': expected a string, got nil", "T x", "T y", nil, "a + b", nil, "s")
    declared("scan: 'scan' is empty", "T x", "T y", "x", " ", nil, "s")
    declared("scan: unknown option 'exclusiv'; did you mean 'exclusive'?", "T x", "T y", "x", "a",
      nil, "s", { exclusiv = true })
    declared("scan: an exclusive scan needs an identity: the first element has none before it",
      "T x", "T y", "x", "a", nil, "s", { exclusive = true })
    declared("scan: parameter 'a' has a name that bodies use for something else (the value so far)",
      "T a", "T y", "a", "a", nil, "s")
    declared("scan: without 'post' a scan writes a single output that is not raw", "T x",
      "T y, T z", "x", "a", nil, "s")
    declared("scan: no input is taken element by element", "raw T x", "T y",
      "x[i]", "a", nil, "s")
    declared("scan: output 'y' is raw: 'scan_type' has to give the type of the values",
      { inputs = "T x", outputs = "raw T y", map = "x", scan = "a", post = "y[i] = a", name = "s" })
    declared("scan: kernel name 'for' is a keyword of C++", "T x", "T y", "x", "a", nil, "for")
    declared("scan: 'scan_type': expected a string, got number", "T x", "T y", "x", "a", nil, "s",
      { scan_type = 64 })
  end)

  it("in calls are reported", function()
    local function called(text, ...) assert.equal(text, helper.misuse(...)) end
    called("s: expected 1 argument (with outputs 2) and a table of options, got 0 arguments",
      scan())
    called("s: argument 1 'x': expected an Array or a number, got string", scan(), "2")
    called("s: all inputs are numbers: at least one must be an Array", scan(), 2)
    local product = cuda.scan("T x, T y", "T z", "x * y", "a + b", 0, "p")
    called("p: argument 2 'y': expected a boolean (bool), got 2", product,
      cuda.array { true, false }, 2)
    called("s: option 'axis': 3 is not an axis of an array of 2 axes", scan(), x, { axis = 3 })
    called("s: an exclusive scan needs an identity, which it was made without", scan(), x,
      { exclusive = true })
    called("s: output 'y': expected shape {6}, got {2, 3}", scan(), x, { out = cuda.ones{ 2, 3 } })
    called("s: output 'y': a broadcast view cannot be written", scan(), x,
      { axis = 1, out = cuda.ones(3):broadcast_to{ 2, 3 } })
    called("s: option 'segments': expected shape {2, 3}, got {3}", scan(), x,
      { axis = 1, segments = cuda.ones(3, "bool") })
    called("s: option 'segments': expected an Array of bool or integers, got float32 array", scan(),
      x, { axis = 1, segments = x })
    called("cumsum: float32 does not take complex numbers: give the result's dtype complex64 or "
      .. "complex128", cuda.cumsum, cuda.ones(2, "complex64"), { dtype = "float32" })
    called("cumsum: option 'out': expected float32 array, got int32", cuda.cumsum, x,
      { out = { cuda.ones(6, "int32") } })
    called("cummax: complex numbers have no order", cuda.cummax, cuda.ones(2, "complex64"))
    called("cumsum: unknown option 'axes'; did you mean 'axis'?", cuda.cumsum, x, { axes = 1 })
  end)

  it("of the operator are reported at the user's line", function()
    local ok, e = pcall(cuda.scan("T x", "T y", "x", "a + bb", nil, "s"), x)
    assert.is_false(ok)
    assert.is_true(cuda.is_error(e, "compile"))
    assert.is_truthy(tostring(e):find("scan_spec.lua", 1, true)
      or tostring(e):find("scan of s", 1, true), tostring(e))
  end)

  it("do not depend on the number of threads that run blocks", function()
    local code = [[
      local cuda = require "luacuda"
      local y = cuda.full(100000, 1, "float32"):cumsum()
      local z = cuda.full({ 50000, 2 }, 1, "int32"):cumsum{ axis = 1 }
      assert(y[100000] == 100000 and z[50000][2] == 50000 and y[5000] == 5000)
    ]]
    for _, threads in ipairs{ 1, 3 } do
      local ok, output = helper.lua(code,
        { env = { LUACUDA_DEVICE = "cpu", LUACUDA_CPU_THREADS = threads } })
      assert.is_true(ok, output)
    end
    local ok, output = helper.lua(code:gsub("00000", "0000"),
      { env = { LUACUDA_DEVICE = "cpu", LUACUDA_CPU_CHECK = "all" } })
    assert.is_true(ok, output)
  end)
end)
