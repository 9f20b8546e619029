-- cuda.elementwise: declarations, types of a call, raw parameters, options, errors and
-- introspection. elementwise_layout_spec.lua tests array layouts, elementwise_params_spec.lua the
-- parameter language.
local cuda = require "luacuda"
local helper = require "spec.helper"

local misuse = helper.misuse

local function declare(...) return misuse(cuda.elementwise, ...) end

describe("declarations of elementwise kernels", function()
  it("are refused before anything is compiled", function()
    assert.equals("elementwise: expected a body (a string), got nil", declare("T x", "T y"))
    assert.equals("elementwise: kernel name 'double' is a keyword of C++",
      declare("T x", "T y", "y = x", "double"))
    assert.equals("elementwise: expected a kernel name (string), got table",
      declare("T x", "T y", "y = x", {}))
    assert.equals("elementwise", cuda.elementwise("T x", "T y", "y = x").name)
    assert.equals(
      "elementwise: parameter 'i' has a name that bodies use for something else (the index)",
      declare("T i", "T y", "y = i", "k"))
    assert.equals("elementwise: there are no output parameters", declare("T x", "", "x", "k"))
    assert.equals("elementwise: expected input parameters (a string), got nil",
      declare(nil, "T y", "y = 1", "k"))
    assert.equals("elementwise: expected options (a table), got string",
      declare("T x", "T y", "y = x", "k", "fast"))
    assert.matches("^elementwise: unknown option 'preambel'; did you mean 'preamble'",
      declare("T x", "T y", "y = x", "k", { preambel = "" }))
    assert.matches("^elementwise: unknown option 'output'; did you mean 'outputs'",
      declare{ inputs = "T x", output = "T y" })
    assert.equals("elementwise: with everything in one table there is no second argument",
      declare({ inputs = "T x" }, "T y"))
    assert.equals("elementwise: option 'fast_math': expected boolean, got number",
      declare("T x", "T y", "y = x", "k", { fast_math = 1 }))
    assert.equals("elementwise: option 'preamble' holds a zero byte",
      declare("T x", "T y", "y = x", "k", { preamble = "\0" }))
    assert.equals("elementwise: too many arguments", declare("T x", "T y", "y = x", "k", {}, 1))
    local names = {}
    for k = 1, 24 do names[k] = "a" .. k end
    assert.equals("elementwise: 25 parameters are more than the 24 that a kernel takes",
      declare("T " .. table.concat(names, ", "), "T y", "y = a1", "k"))
  end)
end)

helper.for_each_device(function(device)
  describe("an elementwise kernel", function()
    it("computes and returns its output", function()
      local f = cuda.elementwise("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)",
        "squared_difference")
      local z = f(cuda.array{ 1, 2, 3 }, cuda.array{ 4, 4, 4 })
      assert.same({ 9.0, 4.0, 1.0 }, z:totable())
      assert.equals(device, z.device)
      assert.equals("float32", z.dtype)
    end)

    it("takes everything in one table", function()
      local f = cuda.elementwise{ inputs = "T x", outputs = "T y", body = "y = twice(x);",
        name = "double_it", preamble = "__device__ T twice(T v) { return v * FACTOR; }",
        defines = { FACTOR = 2 } }
      assert.same({ 2, 4 }, f(cuda.array({ 1, 2 }, "int32")):totable())
      assert.same({ 2.5 }, f(cuda.array{ 1.25 }):totable())
    end)

    it("returns several outputs as several values", function()
      local f = cuda.elementwise("T x, T y", "T q, T r", "q = x / y; r = x % y", "divmod")
      local q, r, none = f(cuda.array({ 17, 25 }, "int32"), 5)
      assert.same({ 3, 5 }, q:totable())
      assert.same({ 2, 0 }, r:totable())
      assert.is_nil(none)
    end)

    it("writes given outputs and returns them", function()
      local f = cuda.elementwise("T x", "T y, T z", "y = x; z = -x", "both")
      local x, y, z = cuda.array{ 1, 2 }, cuda.zeros(2), cuda.zeros(2)
      local a, b = f(x, y, z)
      assert.equals(y, a)
      assert.equals(z, b)
      assert.same({ -1.0, -2.0 }, z:totable())
      local c, d = f(x, nil, z)
      assert.same({ 1.0, 2.0 }, c:totable())
      assert.equals(z, d)
      local e = f(x, { out = { y, z } })
      assert.equals(y, e)
    end)

    it("lets return skip one element", function()
      local f = cuda.elementwise("T x", "T y", "if (x < 0) return; y = x", "positive")
      local y = cuda.full(2000, 7)
      local x = cuda.elementwise("", "float32 v", "v = i % 2 ? 1 : -1", "signs")(cuda.empty(2000))
      f(x, y)
      local list = y:totable()
      for k = 1, 2000 do assert.equals(k % 2 == 1 and 7.0 or 1.0, list[k]) end
    end)

    it("lets continue end an element outside of loops", function()
      local function check(want, body, options)
        local f = cuda.elementwise("T x", "T y", body, nil, options)
        assert.same(want, f(cuda.array{ -1, 2, -3, 4 }, cuda.full(4, 9)):totable())
      end
      check({ 9.0, 2.0, 9.0, 4.0 }, "if (x < 0) continue; y = x // the rest")
      check({ 9.0, 2.0, 9.0, 4.0 }, "if (x < 0) SKIP; y = x; return;",
        { defines = { SKIP = "continue" } })
      check({ -3.0, 6.0, -9.0, 12.0 },
        "y = 0; for (int k = 0; k < 4; k++) { if (k == 2) continue; y += x; }")
    end)

    it("has a body of several lines with comments at its end", function()
      local f = cuda.elementwise("T x", "T y",
        "T s = 0;\nfor (int k = 0; k < 3; k++) s += x;\ny = s // the sum", "sum3")
      assert.same({ 6.0 }, f(cuda.array{ 2 }):totable())
    end)

    it("converts Lua numbers to the arrays' type", function()
      local f = cuda.elementwise("T x, T y", "T z", "z = x + y", "add")
      assert.equals("float16", f(cuda.ones(3, "float16"), 2).dtype)
      assert.same({ 3, 3 }, f(2, cuda.ones(2, "uint8")):totable())
      assert.equals("add: argument 2 'y': expected an integer (int32), got 2.5",
        misuse(f, cuda.ones(2, "int32"), 2.5))
      assert.matches("^add: argument 2 'y': .*300", misuse(f, cuda.ones(2, "uint8"), 300))
      assert.equals("add: argument 2 'y': expected a boolean (bool), got 1",
        misuse(f, cuda.ones(2, "bool"), 1))
      assert.equals("add: argument 1 'x': expected a boolean (bool), got 2.5",
        misuse(f, 2.5, cuda.ones(2, "bool")))
      assert.equals("int64", cuda.elementwise("T x", "T y", "y = x", "same")(4, { size = 2 }).dtype)
      assert.same({ 5.0, 5.0 }, f(2.5, 2.5, { size = 2 }):totable())
      assert.equals("uint8", f(cuda.uint8(3), 4, { size = 1 }).dtype)
      assert.same({ 4.5 }, f(cuda.ones(1), cuda.float64(3.5)):totable())
    end)

    it("binds a placeholder to a bool array, but to no Lua boolean beside an array", function()
      local f = cuda.elementwise("T x, T y", "T z", "z = x & y", "both")
      local flags = cuda.array { true, false }
      assert.same({ true, false }, f(flags, true):totable())
      assert.equals("both: argument 2 'y': expected a boolean (bool), got 2", misuse(f, flags, 2))
      assert.equals(
        "both: argument 2 'y': expected bool array (T y, T as in argument 1 'x'), got int8 array",
        misuse(f, flags, cuda.ones(2, "int8")))
      assert.equals("both: argument 2 'y': expected an integer (int8), got boolean",
        misuse(f, cuda.ones(2, "int8"), true))
    end)

    it("has all dtypes by name in its body", function()
      local body = "float16 h = x; bfloat16 b = x; complex64 z(x, 1); y = float(h) + 10 * "
        .. "float(b) + 100 * z.imag()"
      assert.equals(0.5 + 5 + 100, cuda.elementwise("float64 x", "float64 y", body,
        "named")(cuda.full(1, 0.5, "float64")):item(1))
    end)

    it("takes scalars of every dtype", function()
      local f = cuda.elementwise("bool a, int8 b, uint16 c, int64 d, float32 e, complex128 f, "
        .. "float16 g, bfloat16 h, float64 k", "float64 o",
        "o = k + (a ? 1 : 0) + b + c + d + e + f.real() + f.imag() + g + h", "many")
      assert.same({ 1 - 5 + 60000 + 2.0 ^ 40 + 0.5 + 3 - 1 + 1.5 - 2.5 + 0.125 }, f(true, -5, 60000,
        1 << 40, 0.5, cuda.complex(3, -1), 1.5, -2.5, 0.125, { size = 1 }):totable())
    end)

    it("refuses invalid arguments and names the parameter", function()
      local f = cuda.elementwise("float32 x, T y", "T z", "z = x + y", "mix")
      local x, i = cuda.ones(3), cuda.ones(3, "int32")
      assert.equals("mix: argument 1 'x': expected float32 array (float32 x), got int32 array",
        misuse(f, i, x))
      assert.equals("mix: argument 2 'y': expected float32 array (T y, T as in argument 3 'z'), "
        .. "got int32 array", misuse(f, x, i, x))
      assert.equals("mix: argument 2 'y': shape {4} does not broadcast with {3}",
        misuse(f, x, cuda.ones(4)))
      assert.equals("mix: argument 3 'z': an output has shape {3}, the result {2, 3}",
        misuse(f, x, cuda.ones{ 2, 3 }, x))
      assert.equals("mix: expected 2 inputs, got 1", misuse(f, x))
      assert.matches("^mix: argument 1 'x': expected an array or a number, got string",
        misuse(f, "x", x))
      assert.matches("^mix: unknown option 'sise'; did you mean 'size'",
        misuse(f, x, x, { sise = 3 }))
      local open = cuda.elementwise("float32 x", "T y", "y = x", "open")
      assert.equals(
        "open: type T of 'y' is not determined by the arguments: give an array for output 'y'",
        misuse(open, x))
      assert.equals("int16", open(x, cuda.zeros(3, "int16")).dtype)
    end)

    it("points at the body and the preamble when they do not compile", function()
      local f = cuda.elementwise("T x", "T y", [[
        T two = 2;
        y = x * tow;                                               // MARK 1
      ]], "wrong", { preamble = [[
        __device__ int helper() { return 1; }
      ]] })
      local ok, e = pcall(f, cuda.ones(3))
      assert.is_false(ok)
      assert.is_true(cuda.is_error(e, "compile"))
      local line = helper.line_of("// MARK 1")
      assert.matches(("elementwise_spec.lua:%d: error: identifier \"tow\" is undefined")
        :format(line), tostring(e))
      assert.is_false((pcall(f, cuda.ones(3))))
      assert.equals(0, #f:cached())
      assert.matches("y = x * tow;", f:source(), 1, true)
      local g = cuda.elementwise("T x", "T y", "y = helper(x)", "wrong_too", { preamble = [[
        __device__ float helper(float v) { return w; }             // MARK 2
      ]] })
      ok, e = pcall(g, cuda.ones(3))
      assert.is_false(ok)
      line = helper.line_of("// MARK 2")
      assert.matches(("elementwise_spec.lua:%d: error: identifier \"w\" is undefined"):format(line),
        tostring(e))
    end)

    it("may have a name that CUDA also uses", function()
      assert.same({ 2.0 },
        cuda.elementwise("T x", "T y", "y = abs(x)", "abs")(cuda.array{ -2 }):totable())
      assert.same({ 3.0 }, cuda.elementwise("T x", "T y", "y = x", "x")(cuda.array{ 3 }):totable())
    end)

    it("runs on the given stream", function()
      local s = cuda.stream()
      local f = cuda.elementwise("T x", "T y", "y = x + 1", "increment")
      local x = cuda.zeros(100)
      for _ = 1, 5 do f(x, x, { stream = s }) end
      assert.equals(5.0, x:item(100))
      s:close()
    end)

    it("fills arrays of structs through raw parameters", function()
      local Point = cuda.struct("Point", { { "x", "float32" }, { "id", "int32" } })
      local f = cuda.elementwise("raw struct Point p", "float32 y, raw struct Point q",
        "y = p[i].x; q[i].id = p[i].id * 2; q[i].x = 0", "points",
        { preamble = "struct Point { float x; int id; };" })
      local p, q = cuda.array({ { 1.5, 7 }, { 2.5, 8 } }, Point), cuda.zeros(2, Point)
      local y = f(p, cuda.zeros(2), q)
      assert.same({ 1.5, 2.5 }, y:totable())
      assert.equals(16, q:item(2).id)
      local g = cuda.elementwise("raw S p", "float32 y", "S s = p[i]; y = s.x + s.id", "generic",
        { preamble = "struct Point { float x; int id; };" })
      assert.same({ 8.5, 10.5 }, g(p, cuda.zeros(2)):totable())
      assert.matches("arrays of Point can only be passed to raw parameters", misuse(cuda.abs, p))
    end)
  end)

  describe("raw parameters", function()
    it("are indexed through any strides", function()
      local f = cuda.elementwise("raw T x", "T y", "y = x[n - 1 - i]", "reverse")
      local a = cuda.arange(24, "int32"):reshape{ 2, 3, 4 }
      for _, view in ipairs {
        a, a:transpose(), a:slice({ -1, 1, -1 }, {}, { 1, -1, 2 }), a:slice({}, 2),
        a:transpose(2, 3, 1), a:slice{ 2, 2 },
      } do
        local flat, want = view:contiguous():reshape{ -1 }:totable(), {}
        for k, v in ipairs(flat) do want[#flat + 1 - k] = v end
        assert.same(want, f(view, { size = view.size }):totable())
      end
    end)

    it("report their size and shape, contiguous or not", function()
      local f = cuda.elementwise("raw T x", "int64 s, int64 a, int64 b",
        "s = x.size(); a = x.shape(0); b = x.shape(1)", "sizes")
      local x = cuda.zeros{ 3, 5 }
      local function sizes(v)
        local s, a, b = f(v, { size = 1 })
        return s:item(1), a:item(1), b:item(1)
      end
      assert.same({ 15, 3, 5 }, { sizes(x) })
      assert.same({ 15, 5, 3 }, { sizes(x:transpose()) })
      assert.same({ 4, 2, 2 }, { sizes(x:slice({ 1, 2 }, { 2, 3 })) })
    end)

    it("serve as pointers when contiguous", function()
      local f = cuda.elementwise("raw float32 x", "float32 y, raw int32 count", [[
        const float *p = x + i;
        y = *p + (&x[0])[0] + first(x);
        atomicAdd(&count[0], 1);
      ]], "pointers", { preamble = "__device__ float first(const float *p) { return p[0]; }" })
      local count = cuda.zeros(1, "int32")
      local y = f(cuda.array{ 10, 20, 30 }, cuda.zeros(3), count)
      assert.same({ 30.0, 40.0, 50.0 }, y:totable())
      assert.equals(3, count:item(1))
    end)

    it("support atomicAdd, also of int64 and half types", function()
      local x = cuda.arange(300, "int32"):mod(3)
      for _, dtype in ipairs{
        "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64",
      } do
        local f = cuda.elementwise("int32 x", "raw T sums, T old",
          "old = atomicAdd(&sums[x], T(x == 1 ? 2 : 1))", "count")
        local sums = cuda.zeros({ 3, 2 }, dtype):slice({}, 2)
        local _, old = f(x, sums)
        assert.same({ 100, 200, 100 }, sums:astype "int64":totable(), dtype)
        -- 4950 each for 0 and 2, twice that for 1
        assert.equals(19800.0, old:sum{ dtype = "float64" }, dtype)
      end
      local own =
        [[__device__ long long atomicAdd(long long *at, long long v) { *at += 5 * v; return 0; }]]
      local sum = cuda.zeros(1, "int64")
      cuda.elementwise("int32 x", "raw T sum", "atomicAdd(&sum[0], x)", "own",
        { preamble = own })(cuda.ones(1, "int32"), sum)
      assert.equals(5, sum:item(1))
    end)

    if device.kind == "cpu" then
      it("report an access out of bounds with the line of the body", function()
        local f = cuda.elementwise("raw T x", "T y", [[
          y = x[i + 5];                                            // MARK 3
        ]], "beyond")
        local ok, e = pcall(function()
          f(cuda.zeros(4), { size = 4 })
          cuda.synchronize()
        end)
        assert.is_false(ok)
        assert.equals("beyond", e.kernel)
        assert.equals(helper.line_of("// MARK 3"), e.line)
      end)
    end

    it("take any integer as index", function()
      local f = cuda.elementwise("raw T x", "T y", [[
        unsigned a = 0; size_t b = 1; long c = 2; short d = 0; int e = 1;
        long long g = 2; unsigned char h = 1;
        y = x[a] + x[b] + x[c] + x[d] + x[e] + x[g] + x[h] + x[n];
      ]], "indices")
      local x = cuda.array{ 1, 10, 100 }
      assert.same({ 1.0 + 10 + 100 + 1 + 10 + 100 + 10 + 10 }, f(x, { size = 1 }):totable())
      assert.same({ 1.0 + 10 + 100 + 1 + 10 + 100 + 10 + 10 },
        f(cuda.array{ 1, 0, 10, 0, 100 }:slice{ 1, -1, 2 }, { size = 1 }):totable())
    end)

    it("combine with other parameters, which determine the shape", function()
      local f = cuda.elementwise("T x, raw T table, int32 m", "T y",
        "y = table[(int)x % m] + i * 100 + n * 1000 + _ind.size()", "lookup")
      local x = cuda.array{ { 0, 1, 2 }, { 3, 4, 5 } }
      local y = f(x, cuda.array{ 7, 8, 9, 10 }, 4)
      assert.same({ { 6013.0, 6114.0, 6215.0 }, { 6316.0, 6413.0, 6514.0 } }, y:totable())
      assert.same(y:totable(),
        f(x:transpose():contiguous():transpose(), cuda.array{ 7, 8, 9, 10 }, 4):totable())
    end)

    it("make an array without axes of numbers alone", function()
      local f = cuda.elementwise("T x, T y", "T z", "z = x + y", "f")
      for _, case in ipairs { { 3, 4, "int64", 7 }, { 3, 4.5, "float32", 7.5 },
        { cuda.float64(3), 4, "float64", 7.0 }, { cuda.complex(1, 2), 1, "complex128",
          cuda.complex(2, 2) } } do
        local z = f(case[1], case[2])
        assert.same({}, z.shape)
        assert.equals(case[3], z.dtype)
        assert.equals(case[4], z:item())
        assert.equals(device, z.device)
      end
      assert.equals(3.0, cuda.sqrt(9):item())
      assert.same({ 3.0, 3.0 }, cuda.sqrt(9, { size = 2 }):totable())
      assert.same({ 3.0, 3.0 }, cuda.sqrt(9, { out = cuda.zeros(2) }):totable())
      local out = cuda.zeros {}
      assert.equals(out, cuda.sqrt(9, { out = out }))
      assert.equals(3.0, out:item())
      assert.same({ 4.0, 4.0 }, (cuda.add(1, 2) + cuda.ones(2)):totable())
      assert.matches("^tex: there is no array to take the shape from: pass one that is not raw",
        misuse(cuda.elementwise("cudaTextureObject_t t", "float32 y", "y = tex1Dfetch<float>(t, 0)",
          "tex"), cuda.texture(cuda.zeros(4))))
    end)

    it("require `size` if all parameters are raw, and only then", function()
      local f = cuda.elementwise("raw T x", "T y", "y = x[i]", "f")
      local x = cuda.arange(4, "float32")
      assert.matches("^f: there is no array to take the shape from: .* { size = n }$", misuse(f, x))
      assert.equals("f: size is only allowed where every array argument is raw",
        misuse(f, x, cuda.zeros(4), { size = 4 }))
      assert.same({ 0.0, 1.0 }, f(x, { size = 2 }):totable())
      assert.same({ 0 }, f(x, { size = 0 }).shape)
      local g = cuda.elementwise("", "raw T y", "y[n - 1 - i] = i", "g")
      assert.equals(
        "g: there is no array to take the shape from: pass one that is not raw, or { size = n }",
        misuse(g, x))
      local h = cuda.elementwise("", "int64 y", "y = i", "h")
      assert.equals(
        "h: there is no array to take the shape from: pass one that is not raw, or { size = n }",
        misuse(h))
      assert.same({ 0, 1 }, h({ size = 2 }):totable())
      local y = cuda.zeros(5, "int32")
      assert.equals(y, g(y, { size = 5 }))
      assert.same({ 4, 3, 2, 1, 0 }, y:totable())
      assert.equals("g: argument 1 'y': a raw output must be given, or { size = n } where every "
        .. "array is raw", misuse(g))
      assert.equals(
        "g: type T of 'y' is not determined by the arguments: give an array for output 'y'",
        misuse(g, { size = 5 }))
      assert.matches("expected an array or a number, got string", misuse(f, "5", { size = 5 }))
    end)

    it("are outputs of `size` elements if not given", function()
      local f = cuda.elementwise("raw T x, int32 k", "raw T y, raw int32 z",
        "y[n - 1 - i] = x[i] * k; z[i] = i", "backwards")
      local y, z = f(cuda.array{ 1, 2, 3 }, 10, { size = 3 })
      assert.same({ 30.0, 20.0, 10.0 }, y:totable())
      assert.same({ 0, 1, 2 }, z:totable())
      assert.same({ 0 }, f(cuda.ones(3), 1, { size = 0 }).shape)
      local g = cuda.elementwise("T x", "raw T y", "y[i] = x", "mixed")
      assert.matches("a raw output must be given", misuse(g, cuda.ones(3)))
      assert.matches("size is only allowed", misuse(g, cuda.ones(3), { size = 3 }))
      local h = cuda.elementwise("raw int32 p", "raw struct Pair q", "", "copied",
        { preamble = "struct Pair { float x, y; };" })
      assert.equals("copied: argument 2 'q': an output of structs (Pair) must be given",
        misuse(h, cuda.zeros(2, "int32"), { size = 2 }))
    end)

    it("have the index in C order whatever the outputs' strides", function()
      local f = cuda.elementwise("", "int32 y", "y = i", "index")
      assert.same({ { 0, 1, 2 }, { 3, 4, 5 } },
        f(cuda.zeros({ 3, 2 }, "int32"):transpose()):totable())
      local y = cuda.zeros({ 70, 80 }, "int32"):transpose()
      f(y)
      for _, at in ipairs { { 1, 1 }, { 1, 70 }, { 80, 1 }, { 33, 44 } } do
        assert.equals((at[1] - 1) * 70 + at[2] - 1, y:item(at[1], at[2]))
      end
    end)

    it("see i in macros of the preamble", function()
      local f = cuda.elementwise("", "int32 y", "y = INDEX", "macro",
        { preamble = "#define INDEX \\\n  ((int)i)" })
      assert.same({ { 0, 1 }, { 2, 3 } }, f(cuda.zeros({ 2, 2 }, "int32"):transpose()):totable())
    end)

    it("see i wherever it comes from", function()
      local function check(body, options)
        local f = cuda.elementwise("", "int32 y", body, "sought", options)
        assert.same({ { 0, 1 }, { 2, 3 } }, f(cuda.zeros({ 2, 2 }, "int32"):transpose()):totable())
      end
      check 'const char *s = "//"; y = s[1] == \'/\' ? i : -1;'
      check 'const char *s = R"x(")//)x"; y = s[0] == \'"\' ? i : -1;'
      check "y = -1; // /* not one\ny = i; /* the end */"
      check "y = '\"' + 0*1'000; y = y == 34 ? i : 0; // \""
      check("y = INDEX", { defines = { INDEX = "((int)i)" } })
      check("y = INDEX", { flags = { "-DINDEX=i" } })
      check("y = INDEX", { flags = "-DINDEX=i" })
      check("y = INDEX",
        { headers = { ["index.h"] = "#define INDEX (i)" }, preamble = '#include "index.h"' })
    end)

    it("do not compile if i was not detected: the axes then have no order", function()
      local folder = helper.tmpdir()
      helper.write_file(folder .. "/index.h", "#define INDEX i")
      local f = cuda.elementwise("", "int32 y", "y = INDEX", "unseen",
        { preamble = '#include "index.h"', include_dirs = { folder } })
      local ok, e = pcall(f, cuda.zeros({ 2, 2 }, "int32"):transpose())
      assert.is_false(ok)
      assert.matches('identifier "i" is undefined', tostring(e), 1, true)
    end)

    it("name the kernel if an option is wrong", function()
      local f = cuda.elementwise("raw T x", "T y", "y = x[0]", "first")
      local r = cuda.reduction("T x", "T y", "x", "a + b", "y = a", 0, "total")
      local x = cuda.ones(3)
      assert.equals("first: option 'size': expected an integer, 0 or more, got -1",
        misuse(f, x, { size = -1 }))
      assert.equals("first: option 'size': expected an integer, 0 or more, got 2.5",
        misuse(f, x, { size = 2.5 }))
      assert.equals("first: option 'size': expected an integer, 0 or more, got boolean",
        misuse(f, x, { size = true }))
      assert.equals("first: option 'stream': expected a Stream, got integer",
        misuse(f, x, { size = 1, stream = 3 }))
      assert.equals("total: option 'keepdims': expected a boolean, got integer",
        misuse(r, x, { keepdims = 1 }))
      assert.equals("total: option 'size': expected an integer, 0 or more, got -1",
        misuse(r, x, { size = -1 }))
    end)

    it("give their shape to functions of the preamble", function()
      local preamble = "template <class R> __device__ int rows(const R &r) { return r.shape(0); }"
      local f = cuda.elementwise("raw T x", "int32 y", "y = rows(x)", "asked",
        { preamble = preamble })
      assert.equals(3, f(cuda.ones { 3, 4 }, { size = 1 }):item(1))
    end)

    it("may have no axes; their extent is 1", function()
      local f = cuda.elementwise("float32 x, raw float32 y", "float32 z",
        "z = x + y[0] * y.shape(0)", "scaled")
      assert.same({ 6, 7 }, f(cuda.array { 1, 2 }, cuda.full({}, 5)):totable())
      assert.same({ 16, 17 }, f(cuda.array { 1, 2 }, cuda.full(3, 5)):totable())
      local r = cuda.reduction("float32 x, raw float32 y", "float32 z", "x * y[0] * y.shape(0)",
        "a + b", "z = a", 0, "total")
      assert.equals(15.0, r(cuda.array { 1, 2 }, cuda.full({}, 5)):item())
    end)
  end)

  describe("an elementwise kernel reports", function()
    it("its name, source and PTX", function()
      local f = cuda.elementwise("T x", "T y", "y = x + 1", "increment")
      assert.equals("increment", f.name)
      assert.equals("luacuda.Elementwise increment", tostring(f))
      assert.equals("elementwise", cuda.type(f))
      assert.equals("increment: source: nothing is compiled yet: pass the arguments of a call",
        misuse(function() f:source() end))
      assert.matches("typedef int T;", f:source(cuda.ones(3, "int32")), 1, true)
      assert.matches("_lcu_pack<int, 4>", f:source(), 1, true)
      f(cuda.ones{ 3, 3 }:slice({}, 2))
      assert.matches("typedef float T;", f:source(), 1, true)
      assert.matches(".entry", f:ptx(), 1, true)
      assert.matches("f64", f:ptx(cuda.ones(3, "float64")), 1, true)
      local fixed = cuda.elementwise("float32 x, raw int32 k", "float64 y", "y = x", "fixed")
      assert.matches("_p0", fixed:source(), 1, true)
      assert.equals(0, #fixed:cached())
      assert.equals("fixed: ptx: nothing is compiled yet: pass the arguments of a call",
        misuse(function() fixed:ptx() end))
    end)

    it("what it compiled: one kernel per types and layout", function()
      local f = cuda.elementwise("T x", "T y", "y = x + 1", "increment")
      assert.same({}, f:cached())
      for n = 1000, 1100, 10 do f(cuda.ones(n)) end
      local list = f:cached()
      assert.equals(1, #list)
      assert.same({ "float32", "float32" }, list[1].types)
      assert.equals("flat", list[1].mode)
      assert.equals(4, list[1].vector)
      assert.equals(device, list[1].device)
      f(cuda.ones(8, "int8"))
      f(cuda.ones{ 64, 64 }:transpose(), cuda.zeros{ 64, 64 })
      f(cuda.ones{ 4, 4, 4 }:slice({}, 2))
      list = f:cached()
      assert.equals(4, #list)
      assert.equals("tile", list[3].mode)
      assert.equals("strided", list[4].mode)
      assert.equals(2, list[4].ndim)
    end)
  end)
end)
