-- Arguments are checked and converted against the kernel's declared parameters before anything is
-- launched.
local helper = require "spec.helper"
local cuda = require "luacuda"

local SOURCE = [==[
  #include <cuda_fp16.h>
  #include <cuda_bf16.h>
  #include <cuda/std/complex>
  enum Mode { A, B = 7 };
  enum class Small : unsigned char { X = 3 };
  struct Inner { short a; float b; };
  struct P {
    char tag; double d; float3 pos; int idx[2][3]; Inner v; const float *data; Mode mode;
  };
  __global__ void saxpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
  }
  __global__ void ints(signed char a, unsigned char b, short c, unsigned short d, int e,
                       unsigned f, long g, unsigned long h, char i, long long *out) {
    out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e;
    out[5] = f; out[6] = g; out[7] = h; out[8] = i;
  }
  __global__ void floats(float a, double b, __half c, __nv_bfloat16 d, bool e, double *out) {
    out[0] = a; out[1] = b; out[2] = (double)__half2float(c);
    out[3] = (double)__bfloat162float(d); out[4] = e ? 1 : 0;
  }
  __global__ void values(float2 a, float4 b, int3 c, cuda::std::complex<float> d, __half2 e,
                         Mode f, Small g, double *out) {
    out[0] = a.x; out[1] = a.y; out[2] = b.w; out[3] = c.z; out[4] = d.real(); out[5] = d.imag();
    out[6] = (double)__high2float(e); out[7] = f; out[8] = (int)g;
  }
  __global__ void rows(float4 *a, float2 *b, cuda::std::complex<float> *c, float *out) {
    out[0] = a[1].w + b[1].x + c[0].imag();
  }
  __global__ void texts(char *a, const void *b, long *c, unsigned char *d, bool *e) {
    a[0] = 1; c[0] = -1; d[0] = 255; e[0] = true;
  }
  __global__ void addresses(float **list, float *out) { out[0] = list[1][2]; }
  __global__ void record(P p, double *out) {
    out[0] = p.tag; out[1] = p.d; out[2] = p.pos.z; out[3] = p.idx[1][2]; out[4] = p.v.b;
    out[5] = p.data ? p.data[1] : -1; out[6] = p.mode;
  }
  __global__ void inners(const Inner *list, float *out, int n) {
    for (int i = 0; i < n; i++) out[i] = list[i].a + list[i].b;
  }
  __global__ void modes(const Mode *list, int *out) { out[0] = list[1]; }
]==]

local ENUMS = [==[
  enum Mode { A, B = 7 };
  enum class Small : unsigned char { X = 3 };
  namespace far {
    enum class Near : short;
    struct In { enum struct Wide : unsigned { X }; };
    enum Odd : signed char { LOW = -128 };
  }
  struct Enums { Small s; far::In::Wide w[2]; Mode m; };
  __global__ void enums(Small a, far::Near b, far::In::Wide c, far::Odd d, Mode e, Enums f,
                        long long *out) {
    out[0] = (long long)a; out[1] = (long long)b; out[2] = (long long)c; out[3] = d;
    out[4] = (int)e; out[5] = (long long)f.s; out[6] = (long long)f.w[1]; out[7] = (int)f.m;
  }
  __global__ void enum_lists(const Small *a, const far::Near *b, long long *out) {
    out[0] = (long long)a[1]; out[1] = (long long)b[1];
  }
]==]

local ONE = { grid = 1, block = 1 }

helper.for_each_device(function(device, label)
  local m, k

  setup(function()
    m = cuda.module(SOURCE)
    k = m.kernels
  end)
  teardown(function() m:free() end)

  local function fails(text, kernel, ...)
    helper.contains(helper.error_of(kernel, ONE, ...), text)
  end

  describe("count and nil", function()
    it("counts the arguments after the launch table", function()
      local y = cuda.zeros(4)
      fails("saxpy: expected 4 arguments after the launch table, got 3", k.saxpy, 1, y, y)
      fails("saxpy: expected 4 arguments after the launch table, got 5", k.saxpy, 1, y, y, 4, nil)
      fails("saxpy: expected 4 arguments after the launch table, got 0", k.saxpy)
    end)

    it("names the position in the script", function()
      local _, e = pcall(k.saxpy, ONE)
      assert.matches("launch_args_spec.lua:%d+: saxpy: expected 4 arguments", e)
    end)

    it("never takes nil", function()
      local y = cuda.zeros(4)
      fails("saxpy: argument 2 'x': expected float32 array (const float *), got nil (NULL is "
        .. "cuda.null)", k.saxpy, 1, nil, y, 4)
      fails("saxpy: argument 1 'a': expected float, got nil", k.saxpy, nil, y, y, 4)
      fails("record: argument 1 'p': expected P, got nil", k.record, nil, y)
    end)

    it("takes cuda.null and cuda.ptr for pointers", function()
      local y = cuda.zeros(4)
      k.saxpy({ threads = 4 }, 1, cuda.null, y, 0)
      local x = cuda.ones(4)
      k.saxpy({ threads = 4 }, 2, cuda.ptr(x.pointer), cuda.ptr(y.pointer), 4)
      assert.are.same({ 2.0, 2.0, 2.0, 2.0 }, y:totable())
      cuda.synchronize()
      fails("got integer (an address is cuda.ptr(n))", k.saxpy, 1, 4096, y, 4)
    end)
  end)

  describe("integers", function()
    local out

    before_each(function() out = cuda.zeros(9, "int64") end)

    it("arrive unchanged, up to their limits", function()
      k.ints(ONE, -128, 255, -32768, 65535, -2147483648, 4294967295, math.mininteger, -1, 127, out)
      assert.are.same({ -128, 255, -32768, 65535, -2147483648, 4294967295, math.mininteger, -1,
        127 }, out:totable())
      k.ints(ONE, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, out)
      assert.are.same({ 1, 2, 3, 4, 5, 6, 7, 8, 9 }, out:totable())
    end)

    it("refuse fractions, values out of range, and other types", function()
      local good = { 1, 2, 3, 4, 5, 6, 7, 8, 9, out }
      local bad = {
        { 1, -129, "argument 1 'a': -129 is out of range for int8 (-128 to 127)" },
        { 2, 256, "argument 2 'b': 256 is out of range for uint8 (0 to 255)" },
        { 2, -1, "argument 2 'b': -1 is out of range for uint8" },
        { 3, 32768, "argument 3 'c': 32768 is out of range for int16" },
        { 4, 65536, "argument 4 'd': 65536 is out of range for uint16" },
        { 5, 1 << 31, "argument 5 'e': 2147483648 is out of range for int32" },
        { 6, -1, "argument 6 'f': -1 is out of range for uint32" },
        { 6, 1 << 32, "argument 6 'f': 4294967296 is out of range for uint32" },
        { 7, 0x1p63, "argument 7 'g'" },
        { 5, 2.5, "argument 5 'e': expected an integer (int32), got 2.5" },
        { 5, 0 / 0, "argument 5 'e': expected an integer (int32)" },
        { 5, math.huge, "argument 5 'e': expected an integer (int32)" },
        { 5, "5", "argument 5 'e': expected" },
        { 5, true, "argument 5 'e': expected" },
        { 5, {}, "argument 5 'e': expected" },
        { 5, out, "argument 5 'e': expected" },
        { 2, cuda.int32(300), "argument 2 'b': int32(300) is out of range for uint8 (0 to 255)" },
        { 5, cuda.int64(1 << 40), "int64(1099511627776) is out of range for int32" },
        { 8, cuda.complex(1, 2), "argument 8 'h': expected an integer (uint64), got 1+2i" },
        { 5, cuda.float32(2.5), "expected an integer (int32), got float32(2.5)" },
        { 5, cuda.bool(true), "argument 5 'e': expected an integer (int32), got bool(true)" },
      }
      for _, row in ipairs(bad) do
        local args = table.move(good, 1, 10, 1, {})
        args[row[1]] = row[2]
        fails(row[3], k.ints, table.unpack(args))
      end
    end)

    it("take typed scalars as their number", function()
      k.ints(ONE, cuda.int64(5), cuda.float32(6), 3, 4, 5, 6, 7, 8, 9, out)
      assert.are.equal(5, out:item(1))
      assert.are.equal(6, out:item(2))
    end)
  end)

  describe("floats and booleans", function()
    local out

    before_each(function() out = cuda.zeros(5, "float64") end)

    it("round to nearest", function()
      k.floats(ONE, 1 / 3, 1 / 3, 1 / 3, 1 / 3, true, out)
      local got = out:totable()
      assert.are.equal(("f"):unpack(("f"):pack(1 / 3)), got[1])
      assert.are.equal(1 / 3, got[2])
      assert.are.equal(0.333251953125, got[3])
      assert.are.equal(0.333984375, got[4])
      assert.are.equal(1.0, got[5])
    end)

    it("take integers, infinities and NaN", function()
      k.floats(ONE, (1 << 53) + 1, math.huge, -math.huge, 0 / 0, false, out)
      local got = out:totable()
      assert.are.equal(0x1p53, got[1])
      assert.are.equal(math.huge, got[2])
      assert.are.equal(-math.huge, got[3])
      assert.is_true(got[4] ~= got[4])
      assert.are.equal(0.0, got[5])
    end)

    it("keep the subnormals of float16", function()
      k.floats(ONE, 0x1p-149, 0x1p-1074, 0x1p-24, 0x1p-133, false, out)
      assert.are.same({ 0x1p-149, 0x1p-1074, 0x1p-24, 0x1p-133, 0.0 }, out:totable())
    end)

    it("refuse only a finite value that would become infinite", function()
      fails("floats: argument 1 'a': 1e+39 is out of range for float32", k.floats, 1e39,
        0, 0, 0, false, out)
      fails("floats: argument 3 'c': 65520 is out of range for float16", k.floats, 0, 0,
        65520.0, 0, false, out)
      k.floats(ONE, 3.4028235e38, 1e308, 65519.9, 3.38e38, false, out)
      assert.are.equal(65504.0, out:item(3))
    end)

    it("refuse values that are not numbers, and numbers for bool", function()
      fails("floats: argument 1 'a': expected a number (float32), got string", k.floats, "1",
        0, 0, 0, true, out)
      fails("floats: argument 2 'b'", k.floats, 1, true, 0, 0, true, out)
      fails("floats: argument 5 'e'", k.floats, 1, 1, 0, 0, 1, out)
      fails("floats: argument 5 'e'", k.floats, 1, 1, 0, 0, nil, out)
    end)
  end)

  describe("arrays", function()
    it("match the pointee", function()
      local y = cuda.zeros(4)
      for _, dtype in ipairs { "float64", "int32", "float16", "uint8", "bool", "complex64" } do
        fails(("saxpy: argument 2 'x': expected float32 array (const float *), got %s array")
          :format(dtype), k.saxpy, 1, cuda.zeros(4, dtype), y, 4)
      end
      fails("saxpy: argument 3 'y': expected float32 array (float *), got string (wrap bytes: "
        .. "cuda.input)", k.saxpy, 1, y, "abc", 4)
      fails("got table (wrap it: cuda.input, cuda.output, cuda.inout, or make a cuda.array)",
        k.saxpy, 1, y, { 1 }, 4)
      fails("saxpy: argument 3 'y': expected float32 array (float *), got Stream", k.saxpy, 1, y,
        device.null_stream, 4)
    end)

    it("of characters, longs and bytes", function()
      local b, c, d, e = cuda.zeros(3, "complex128"), cuda.zeros(1, "int64"),
        cuda.zeros(1, "uint8"), cuda.zeros(1, "bool")
      k.texts(ONE, cuda.zeros(2, "int8"), b, c, d, e)
      k.texts(ONE, cuda.zeros(2, "uint8"), cuda.null, c, d, e)
      assert.are.same({ -1, 255, true }, { c:item(1), d:item(1), e:item(1) })
      fails("argument 1 'a': expected int8 or uint8 array (char *), got bool array",
        k.texts, e, b, c, d, e)
      fails("argument 3 'c': expected int64 array (long *), got uint64 array", k.texts, d, b,
        cuda.zeros(1, "uint64"), d, e)
      fails("argument 4 'd': expected uint8 array (unsigned char *), got int8 array", k.texts, d, b,
        c, cuda.zeros(1, "int8"), e)
      fails("argument 5 'e': expected bool array (bool *), got uint8 array", k.texts, d, b, c, d, d)
    end)

    it("of vectors and complex numbers", function()
      local out = cuda.zeros(1)
      local a, b, c = cuda.arange(8, "float32"), cuda.arange(4, "float32"),
        cuda.array({ cuda.complex(1, 10) }, "complex64")
      k.rows(ONE, a, b, c, out)
      assert.are.equal(19.0, out:item(1))
      k.rows(ONE, a:reshape { 2, 4 },
        cuda.array({ cuda.complex(0, 0), cuda.complex(5, 0) }, "complex64"), c, out)
      assert.are.equal(22.0, out:item(1))
      fails(
        "argument 1 'a': expected float32 array (float4 *) with a last axis divisible by 4, got 6",
        k.rows, cuda.zeros(6), b, c, out)
      fails("with a last axis divisible by 4, got 2", k.rows, cuda.zeros { 4, 2 }, b, c, out)
      fails("argument 1 'a': expected float32 array (float4 *), got complex64 array",
        k.rows, c, b, c, out)
      fails("argument 3 'c': expected complex64 array (cuda::std::complex<float> *), got float32 "
        .. "array", k.rows, a, b, b, out)
      fails("the array's first element is aligned to 4 bytes, float4 * needs 16", k.rows,
        cuda.arange(9, "float32"):slice({ 2, 9 }), b, c, out)
    end)

    it("of addresses", function()
      local x, y, out = cuda.zeros(3), cuda.array({ 1, 2, 3 }, "float32"), cuda.zeros(1)
      k.addresses(ONE, cuda.array({ x.pointer, y.pointer }, "uint64"), out)
      assert.are.equal(3.0, out:item(1))
      fails("argument 1 'list': expected uint64 array (float **), got float32 array",
        k.addresses, x, out)
    end)

    it("are contiguous, or wrapped in cuda.raw", function()
      local x, y = cuda.arange(8, "float32"), cuda.zeros(4)
      local every_other = x:slice({ 1, 8, 2 })
      fails("saxpy: argument 2 'x': the array is not contiguous; pass its :contiguous() copy, or "
        .. "cuda.raw(array)", k.saxpy, 1, every_other, y, 4)
      k.saxpy({ threads = 4 }, 1, every_other:contiguous(), y, 4)
      assert.are.same({ 0.0, 2.0, 4.0, 6.0 }, y:totable())
      k.saxpy({ threads = 4 }, 1, cuda.raw(every_other), cuda.raw(y), 4)
      assert.are.same({ 0.0, 3.0, 6.0, 9.0 }, y:totable())
      fails("expected float32 array (const float *), got float64 array", k.saxpy, 1,
        cuda.raw(cuda.zeros(4, "float64")), y, 4)
      k.saxpy({ threads = 2 }, 1, x:slice({ 3, 4 }), y, 2)
      assert.are.equal(2.0, y:item(1))
    end)

    it("of cuda.alloc fit any pointer", function()
      local bytes = cuda.alloc(64)
      cuda.copy(bytes, string.pack("ffff", 1, 2, 3, 4) .. ("\0"):rep(48))
      local y = cuda.zeros(4)
      k.saxpy({ threads = 4 }, 2, bytes, y, 4)
      assert.are.same({ 2.0, 4.0, 6.0, 8.0 }, y:totable())
      k.saxpy({ threads = 2 }, 1, bytes:slice { 9, 16 }, y, 2)
      assert.are.same({ 5.0, 8.0, 6.0, 8.0 }, y:totable())
      k.saxpy({ threads = 4 }, 1, y, bytes, 4)
      assert.are.same({ 6.0, 10.0, 9.0, 12.0 }, bytes:slice({ 1, 16 }):view("float32"):totable())
      k.texts(ONE, bytes, bytes, bytes, bytes, bytes)
      k.inners(ONE, bytes, cuda.zeros(1), 0)
      fails("argument 2 'x': the array's first element is aligned to 1 bytes, const float * "
        .. "needs 4", k.saxpy, 1, bytes:slice { 2, 9 }, y, 1)
      fails("the array is not contiguous", k.saxpy, 1, bytes:slice { 1, 64, 2 }, y, 1)
      fails("expected float32 array (const float *), got int32 array", k.saxpy, 1,
        bytes:view "int32", y, 1)
      fails("expected float32 array (const float *), got uint8 array", k.saxpy, 1,
        bytes:copy(), y, 1)
    end)

    it("of cuda.alloc_pitch fit any pointer and keep their pitch", function()
      local rows, pitch = cuda.alloc_pitch { width = 16, height = 3 }
      rows:set(string.pack("ffffffffffff", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
      local y = cuda.zeros(4)
      k.saxpy({ threads = 4 }, 1, rows, y, 4)
      assert.are.same({ 1.0, 2.0, 3.0, 4.0 }, y:totable())
      k.saxpy({ threads = 4 }, 1, rows[3], y, 4)
      assert.are.same({ 10.0, 12.0, 14.0, 16.0 }, y:totable())
      local third = cuda.kernel [[__global__ void third(const char *rows, long pitch, float *out) {
        for (int i = 0; i < 3; i++) out[i] = ((const float *)(rows + i * pitch))[2]; }]]
      third(ONE, rows, pitch, y)
      assert.are.same({ 3.0, 7.0, 11.0, 16.0 }, y:totable())
    end)

    it("must be open", function()
      local x, y = cuda.zeros(4), cuda.zeros(4)
      x:free()
      fails("saxpy: argument 2 'x': attempt to use a closed Array", k.saxpy, 1, x, y, 4)
    end)

    it("may have no elements", function()
      k.saxpy({ threads = 1 }, 1, cuda.zeros(0), cuda.zeros(0), 0)
      local y = cuda.full(3, 7)
      k.saxpy({ threads = 3 }, 1, cuda.zeros(0), y, 0)
      assert.are.same({ 7.0, 7.0, 7.0 }, y:totable())
    end)
  end)

  describe("cuda.input, output and inout", function()
    it("take tables for one launch", function()
      local y = { 1, 1, 1, 1 }
      k.saxpy({ threads = 4 }, 2, cuda.input { 1, 2, 3, 4 }, cuda.inout(y), 4)
      assert.are.same({ 3.0, 5.0, 7.0, 9.0 }, y)
    end)

    it("take bytes and arrays", function()
      local y = cuda.ones(2)
      k.saxpy({ threads = 2 }, 2, cuda.input(("ff"):pack(3, 4)), cuda.inout(y), 2)
      assert.are.same({ 7.0, 9.0 }, y:totable())
      local host = cuda.host(2, "float32")
      host:fill(1)
      k.saxpy({ threads = 2 }, 2, cuda.input(host), cuda.output(host), 2)
      assert.are.same({ 3.0, 3.0 }, host:totable())
    end)

    -- The kernel takes 10 ms, so a launch that does not wait returns before its end.
    it("of results wait for the kernel, whatever memory holds them", function()
      local slow = cuda.kernel [[__global__ void slow(const int *x, int *y) {
        long long start, t;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
        do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); while (t - start < 10000000);
        y[0] = x[0] + 1;
      }]]
      slow({ grid = 1, block = 1 }, cuda.zeros(1, "int32"), cuda.zeros(1, "int32"))
      local s, made = cuda.stream(), {
        device = cuda.zeros(1, "int32"), pinned = cuda.pinned(1, "int32"),
        host = cuda.host(1, "int32"), managed = cuda.managed(1, "int32"),
        registered = cuda.register(cuda.host(1, "int32")),
        view = cuda.host({ 2, 2 }, "int32"):slice({ 2, 2 }, 1), table = { 0 } }
      device:synchronize()
      for name, y in pairs(made) do
        for _, stream in ipairs { device.null_stream, s } do
          for _, wrap in ipairs { "output", "inout" } do
            slow({ grid = 1, block = 1, stream = stream }, cuda.input { 6 }, cuda[wrap](y))
            assert.is_true(name == "device" or stream:is_done(), wrap .. " of " .. name)
            assert.equal(7, y[1])
          end
        end
      end
    end)

    it("report errors", function()
      fails("saxpy: argument 2 'x': the table is empty", k.saxpy, 1,
        cuda.input {}, cuda.zeros(1), 1)
      fails("saxpy: argument 2 'x': ", k.saxpy, 1, cuda.input { 1, "x" }, cuda.zeros(1), 1)
      fails("saxpy: argument 1 'a': expected", k.saxpy, cuda.input { 1 },
        cuda.zeros(1), cuda.zeros(1), 1)
      assert.has_error(function() cuda.output "bytes" end)
      assert.has_error(function() cuda.input(5) end)
      assert.has_error(function() cuda.raw {} end)
    end)
  end)

  describe("values of several numbers", function()
    local out

    before_each(function() out = cuda.zeros(9, "float64") end)

    it("come from tables, complex values and bytes", function()
      k.values(ONE, { 1, 2 }, { x = 1, y = 2, z = 3, w = 4 }, { 1, 2, 3 }, cuda.complex(5, 6),
        { 7, 8 }, 7, 3, out)
      assert.are.same({ 1, 2, 4, 3, 5, 6, 8, 7, 3 }, out:totable())
      k.values(ONE, cuda.complex(8, 9), ("ffff"):pack(1, 2, 3, 4), ("i4i4i4"):pack(1, 2, 5), 5,
        { 7, 8 }, 0, 255, out)
      assert.are.same({ 8, 9, 4, 5, 5, 0, 8, 0, 255 }, out:totable())
    end)

    it("name the wrong component", function()
      local b, c, e = { 1, 2, 3, 4 }, { 1, 2, 3 }, { 0, 0 }
      fails("values: argument 1 'a': expected 2 values (float2), got 3", k.values, { 1, 2, 3 }, b,
        c, 1, e, 0, 0, out)
      fails("values: argument 2 'b': component w is missing (float4)", k.values, { 1, 2 },
        { x = 1, y = 2, z = 3 }, c, 1, e, 0, 0, out)
      fails("values: argument 3 'c': component y: expected an integer (int32), got 2.5", k.values,
        { 1, 2 }, b, { 1, 2.5, 3 }, 1, e, 0, 0, out)
      fails("values: argument 2 'b': expected 16 bytes (float4), got 3", k.values, { 1, 2 }, "abc",
        c, 1, e, 0, 0, out)
      fails("values: argument 1 'a': expected a table of 2 values (float2), got integer", k.values,
        1, b, c, 1, e, 0, 0, out)
      fails("values: argument 4 'd'", k.values, { 1, 2 }, b, c, "x", e, 0, 0, out)
    end)

    it("are integers for enumerations", function()
      local b, c, e = { 1, 2, 3, 4 }, { 1, 2, 3 }, { 0, 0 }
      fails("values: argument 6 'f': expected an integer (Mode), got 1.5", k.values, { 1, 2 }, b,
        c, 1, e, 1.5, 0, out)
      fails("values: argument 7 'g': 256 is out of range for uint8 (0 to 255) (Small)", k.values,
        { 1, 2 }, b, c, 1, e, 1, 256, out)
    end)

    it("refuse components that the vector does not have", function()
      local b, c, e = { 1, 2, 3, 4 }, { 1, 2, 3 }, { 0, 0 }
      fails("values: argument 1 'a': float2 has no component 'z'", k.values,
        { x = 1, y = 2, z = 3 }, b, c, 1, e, 0, 0, out)
      fails("values: argument 1 'a': a table for float2 has names or positions as keys, not both",
        k.values, { 1, 2, x = 3 }, b, c, 1, e, 0, 0, out)
      fails("values: argument 1 'a': component y is missing (float2)", k.values, { x = 1 }, b, c, 1,
        e, 0, 0, out)
    end)
  end)

  describe("enumerations", function()
    -- the limits of the types: what is inside arrives, what is outside is refused
    local LIMITS = { { "Small", "uint8", 0, 255 }, { "far::Near", "int16", -32768, 32767 },
      { "far::In::Wide", "uint32", 0, 4294967295 }, { "far::Odd", "int8", -128, 127 } }
    local FIELDS = { s = 1, m = 2, w = { 3, 4 } }
    local enums, enum_lists

    setup(function()
      local kernels = cuda.module(ENUMS).kernels
      enums, enum_lists = kernels.enums, kernels.enum_lists
    end)

    it("take the values of the type that the source gives them", function()
      local out = cuda.zeros(8, "int64")
      for at, row in ipairs(LIMITS) do
        for _, value in ipairs { row[3], row[4], row[3] - 1, row[4] + 1 } do
          local values = { 1, 1, 1, 1 }
          values[at] = value
          if value >= row[3] and value <= row[4] then
            enums(ONE, values[1], values[2], values[3], values[4], -1, FIELDS, out)
            assert.are.equal(value, out[at])
          else
            helper.contains(helper.error_of(enums, ONE, values[1], values[2], values[3],
              values[4], -1, FIELDS, out), ("%d is out of range for %s (%d to %d) (%s)"):format(
              value, row[2], row[3], row[4], row[1]))
          end
        end
      end
      assert.are.equal(-1, out[5])                         -- Mode has no such type
    end)

    it("have that type in fields", function()
      local out = cuda.zeros(8, "int64")
      enums(ONE, 1, 1, 1, 1, 1, { s = 255, w = { 0, 4294967295 }, m = -1 }, out)
      assert.are.same({ 255, 4294967295, -1 }, { out[6], out[7], out[8] })
      fails("field 's': -1 is out of range for uint8", enums, 1, 1, 1, 1, 1,
        { s = -1, w = { 0, 1 }, m = 1 }, out)
    end)

    it("are read from arrays of integers of their size", function()
      local out, small, near = cuda.zeros(2, "int64"), cuda.full(2, 200, "uint8"),
        cuda.full(2, -5, "int16")
      enum_lists(ONE, small, near, out)
      assert.are.same({ 200, -5 }, out:totable())
      enum_lists(ONE, small:view "int8", near:view "uint16", out)
      assert.are.same({ 200, -5 }, out:totable())
      fails("argument 1 'a': expected uint8 array (const Small *), got int16 array", enum_lists,
        near, near, out)
      fails("argument 2 'b': expected int16 array (const far::Near *), got int64 array",
        enum_lists, small, out, out)
    end)
  end)

  describe("structs", function()
    local out
    local function fields()
      return { tag = 65, d = 2.5, pos = { 1, 2, 3 }, idx = { { 1, 2, 3 }, { 4, 5, 6 } },
        v = { a = 1, b = 0.5 }, data = cuda.null, mode = 7 }
    end

    before_each(function() out = cuda.zeros(7, "float64") end)

    it("come from tables by field name", function()
      local p = fields()
      p.data = cuda.array({ 1, 42 }, "float32")
      k.record(ONE, p, out)
      assert.are.same({ 65, 2.5, 3, 6, 0.5, 42, 7 }, out:totable())
    end)

    it("come from tables by position", function()
      k.record(ONE, { 66, 1.5, { x = 4, y = 5, z = 6 }, { { 1, 2, 3 }, { 4, 5, 9 } }, { 2, 8 },
        cuda.null, 0 }, out)
      assert.are.same({ 66, 1.5, 6, 9, 8, -1, 0 }, out:totable())
    end)

    it("come from bytes of the right size", function()
      local bytes = ("!8bdfffi4i4i4i4i4i4hfTi4!8Xd"):pack(67, 3, 1, 2, 3, 1, 2, 3,
        4, 5, 6, 7, 8, 0, 1)
      k.record(ONE, bytes, out)
      assert.are.same({ 67, 3, 3, 6, 8, -1, 1 }, out:totable())
      fails(("record: argument 1 'p': expected %d bytes (P), got 3"):format(#bytes),
        k.record, "abc", out)
    end)

    it("also go into prepared launches", function()
      local f = k.record:prepare(ONE)
      f({ 68, 1.5, { 1, 2, 3 }, { { 1, 2, 3 }, { 4, 5, 6 } }, { 1, 2 }, cuda.null, 5 }, out)
      assert.are.equal(68.0, out:item(1))
      local stop = setmetatable({}, { __index = function() error "stop" end })
      assert.has_error(function() f(stop, out) end)
    end)

    it("may free the kernel while they are read", function()
      local module = cuda.module(SOURCE)
      local own = module:kernel "saxpy"
      local y = setmetatable({}, {
        __len = function() return 2 end,
        __index = function()
          own:free()
          return 1
        end,
      })
      rawset(y, 1, 1) -- a table without elements has no size
      own({ threads = 2 }, 1, cuda.input { 1, 2 }, cuda.inout(y), 2)
      assert.are.same({ 2.0, 3.0 }, { rawget(y, 1), rawget(y, 2) })
      assert.are.equal("closed kernel", cuda.type(own))
      module:free()
    end)

    it("name the wrong field", function()
      local function with(name, value)
        local p = fields()
        p[name] = value
        return p
      end
      fails("record: argument 1 'p': field 'd': expected", k.record, with("d", "x"), out)
      fails("record: argument 1 'p': field 'tag': 200 is out of range for int8", k.record,
        with("tag", 200), out)
      fails("record: argument 1 'p': field 'idx': expected a list of 2 values, got 1", k.record,
        with("idx", { { 1, 2, 3 } }), out)
      fails("record: argument 1 'p': field 'idx'[2][3]: expected an integer (int32), got 1.5",
        k.record, with("idx", { { 1, 2, 3 }, { 4, 5, 1.5 } }), out)
      fails("record: argument 1 'p': field 'v': field 'b': is missing (Inner)", k.record,
        with("v", { a = 1 }), out)
      fails("record: argument 1 'p': field 'data': expected an array or cuda.ptr, got string",
        k.record, with("data", "x"), out)
      fails("record: argument 1 'p': field 'data': expected float32 array, got float64 array",
        k.record, with("data", out), out)
      fails("record: argument 1 'p': P has no field 'tagg'; did you mean 'tag'?", k.record,
        with("tagg", 1), out)
      fails("record: argument 1 'p': field 'mode': is missing (P)", k.record,
        with("mode", nil), out)
      fails("record: argument 1 'p': expected 7 values by position (P), got 2",
        k.record, { 1, 2 }, out)
      fails("record: argument 1 'p': field 'v': a table for Inner has field names or positions as "
        .. "keys, not both", k.record, with("v", { 1, 2, b = 3 }), out)
      for _, pos in ipairs { { 1, 2, 3, 4 }, { 1, 2 } } do
        fails(("field 'pos': expected 3 values (a vector of 3 float32), got %d"):format(#pos),
          k.record, with("pos", pos), out)
      end
      fails("field 'pos': a vector of 3 float32 has no component 'w'", k.record,
        with("pos", { x = 1, y = 2, z = 3, w = 4 }), out)
      fails("record: argument 1 'p': expected a table or bytes (P), got integer", k.record, 5, out)
    end)
  end)

  it("checks struct and enum pointers", function()
    local out = cuda.zeros(2)
    local Inner = cuda.struct("Inner", { { "a", "int16" }, { "b", "float32" } })
    local list = cuda.zeros(2, Inner)
    list:set { { 1, 2 }, { a = 3, b = 4 } }
    k.inners(ONE, list, out, 2)
    assert.are.same({ 3.0, 7.0 }, out:totable())
    k.inners(ONE, list:view "uint8", out, 2)
    fails("expected whole elements of 8 bytes (const Inner *), got 9 bytes", k.inners,
      cuda.zeros(9, "uint8"), out, 1)
    fails("inners: argument 1 'list': expected struct or uint8 array (const Inner *), got float32 "
      .. "array", k.inners, out, out, 1)
    local answer = cuda.zeros(1, "int32")
    k.modes(ONE, cuda.array({ 0, 7 }, "int32"), answer)
    assert.are.equal(7, answer:item(1))
  end)

  it("runs on the device of its arrays, which must be on one device", function()
    local other
    for _, d in ipairs(cuda.devices()) do
      if d ~= device then other = d end
    end
    local x, y = cuda.ones(4), cuda.zeros(4)
    if not other then pending "no second device" end
    local far = cuda.zeros(4, { device = other })
    local ok, e = pcall(k.saxpy, ONE, 1, x, far, 4)
    assert.is_false(ok)
    assert.is_truthy(e:find(("saxpy: argument 2 is on %s, argument 3 on"):format(label), 1, true),
      e)
    local previous = cuda.use(other)
    k.saxpy({ threads = 4 }, 1, x, y, 4)
    cuda.use(previous)
    assert.are.same({ 1.0, 1.0, 1.0, 1.0 }, y:totable())
  end)
end)
