local helper = require "spec.helper"
local cuda = require "luacuda"
local core = require "luacuda.core"

local misuse = helper.misuse

-- Converts an element to another dtype, by the rules of NumPy's astype, in Lua.
local function truncated(v, row)
  if v ~= v then return 0 end
  local bits = row.size * 8
  local low = row.kind == "uint" and 0.0 or -(2.0 ^ (bits - 1))
  local high = row.kind == "uint" and 2.0 ^ bits or 2.0 ^ (bits - 1)
  if v <= low then
    return bits == 64 and row.kind == "int" and math.mininteger or math.tointeger(low)
  end
  if v >= high then
    return bits == 64 and (row.kind == "uint" and -1 or math.maxinteger) or math.tointeger(high) - 1
  end
  v = v < 0 and math.ceil(v) or math.floor(v)
  return math.tointeger(v) or math.tointeger(v - 2.0 ^ 64) -- the bits of uint64
end

local function wrapped(i, row)
  local bits = row.size * 8
  if bits == 64 then return i end
  i = i & ((1 << bits) - 1)
  if row.kind == "int" and i >= 1 << (bits - 1) then i = i - (1 << bits) end
  return i
end

local function converted(v, from, to)
  if from.kind == "complex" then
    if to.kind == "complex" then return v end
    if to.kind == "bool" then return v.re ~= 0 or v.im ~= 0 end
    v = v.re
  elseif from.kind == "bool" then v = v and 1 or 0 end
  if to.kind == "bool" then return v ~= 0 end
  if to.kind == "int" or to.kind == "uint" then
    return math.type(v) == "integer" and wrapped(v, to) or truncated(v, to)
  end
  if to.kind == "complex" then return cuda.complex(v + 0.0, 0) end
  return to.size == 1 and core[to.name](v + 0.0).value or v + 0.0 -- float8_spec.lua tests these
end

-- Small enough to be exact in every float dtype they can reach.
local VALUES = {
  bool = { true, false },
  int = { 0, 1, -1, 100, -128, 127 },
  uint = { 0, 1, 100, 128, 255 },
  float = { 0.0, 1.0, -1.0, 2.75, -2.75, 100.5, 250.0, 0 / 0, 1 / 0, -1 / 0 },
  complex = { cuda.complex(0, 0), cuda.complex(2.5, -1), cuda.complex(0, 3) },
}

local same_value
function same_value(a, b)
  if type(a) == "userdata" then return same_value(a.re, b.re) and same_value(a.im, b.im) end
  if a == 0.0 and b == 0.0 and math.type(b) == "float" then return 1 / a == 1 / b end
  return a == b or (a ~= a and b ~= b)
end

describe("copies of arrays", function()
  helper.for_each_device(function(device)
    helper.for_all_dtypes(function(from_name, from)
      it("convert " .. from_name .. " to every dtype", function()
        local a = cuda.array(VALUES[from.kind], from_name)
        for _, to in ipairs(core.dtypes()) do
          local b = a:astype(to.name)
          assert.equal(to.name, b.dtype)
          for i, v in ipairs(a:totable()) do
            local want, got = converted(v, from, to), b[i]
            assert.is_true(same_value(want, got),
              ("%s -> %s: %s gives %s, not %s"):format(from_name, to.name, v, got, want))
          end
        end
      end)

      it("of " .. from_name .. " follow strides", function()
        local values, n = VALUES[from.kind], 24
        local flat = {}
        for i = 1, n do flat[i] = values[i % #values + 1] end
        local a = cuda.array(flat, from_name):reshape { 2, 3, 4 }
        local v = a:transpose(3, 1, 2):slice({ 4, 1, -2 }, {}, { 2, 3 })
        local c = v:copy()
        assert.is_true(c.is_contiguous)
        assert.same({ 2, 2, 2 }, c.shape)
        for i = 1, 2 do
          for j = 1, 2 do
            for k = 1, 2 do
              assert.is_true(same_value(a:item(j, k + 1, 6 - 2 * i), c:item(i, j, k)))
            end
          end
        end
      end)
    end, { coarse = true })

    it("saturate and round", function()
      local a = cuda.array({ 1e10, -1e10, 3e38, 70000, -0.9 }, "float32")
      assert.same({ 2147483647, -2147483648, 2147483647, 70000, 0 }, a:astype("int32"):totable())
      assert.same({ 65535, 0, 65535, 65535, 0 }, a:astype("uint16"):totable())
      assert.same({ 1 / 0, -1 / 0, 1 / 0, 1 / 0, -0.89990234375 }, a:astype("float16"):totable())
      local i = cuda.array({ (1 << 60) + (1 << 36) + 1, 300, -1 }, "int64")
      assert.equal(2.0 ^ 60 + 2.0 ^ 37, i:astype("float32")[1])
      assert.same({ 1, 44, 255 }, i:astype("uint8"):totable())
    end)

    it("by kernel match copies by loop", function()
      local convert = require "luacuda.array.convert"
      local values = { 0, 1, -1, 2.75, 127.5, -129, 65519, 1e10, -1e20, 0 / 0, 1 / 0, 0.1 }
      for _, pair in ipairs {
        { "float64", "int8" }, { "float64", "float16" }, { "float32", "bfloat16" },
        { "int64", "float32" }, { "float16", "complex64" },
        { "complex128", "bool" }, { "bool", "bool" }, { "complex128", "complex128" },
        { "float32", "uint64" }, { "int64", "float16" },
        { "uint64", "bfloat16" }, { "complex64", "int16" }, { "complex128", "complex64" },
      } do
        local src = cuda.array(values, "float64"):astype(pair[1]):reshape({ 3, 4 }):transpose()
        local got = cuda.zeros({ 4, 6 }, pair[2]):slice({}, { 1, 6, 2 })
        convert(got, src, device.stream)
        local want = src:astype(pair[2])
        for i = 1, 4 do
          for j = 1, 3 do
            assert.is_true(same_value(want:item(i, j), got:item(i, j)),
              pair[1] .. " -> " .. pair[2])
          end
        end
      end
    end)

    it("by kernel copy structs as words", function()
      local pair = cuda.struct { { "x", "float32" }, { "n", "int16" } }
      local data = {}
      for i = 1, 24 do data[i] = { x = i * 0.5, n = i } end
      local src, dst = cuda.array(data, pair):reshape { 4, 6 }, cuda.empty({ 6, 4 }, pair)
      require "luacuda.array.convert"(dst, src:transpose(), device.stream)
      for i = 1, 6 do
        for j = 1, 4 do assert.same(src:item(j, i), dst:item(i, j)) end
      end
    end)

    it("of structs keep their bytes", function()
      local pair = cuda.struct { { "x", "float32" }, { "n", "int32" }, { "z", "int32" } }
      local a = cuda.array({ { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }, pair)
      assert.same({ 3 }, a.shape)
      assert.equal(pair, a.dtype)
      assert.same({ x = 4.0, n = 5, z = 6 }, a:item(2))
      local b = a:slice({ 3, 1, -2 }):copy()
      assert.same({ { x = 7.0, n = 8, z = 9 }, { x = 1.0, n = 2, z = 3 } }, b:totable())
      b:fill { x = 0.5, n = 1, z = 2 }
      assert.same({ x = 0.5, n = 1, z = 2 }, b:item(2))
      a:slice({ 1, 3, 2 }):fill { 0, 0, 0 }
      assert.same({ x = 4.0, n = 5, z = 6 }, a:item(2))
      assert.same({ x = 0.0, n = 0, z = 0 }, a:item(3))
      a[1] = { x = 9, n = 9, z = 9 }
      assert.equal(9, a[1].z)
      assert.equal(("\0"):rep(24), cuda.zeros(2, pair):tobytes())
      assert.matches("do not convert", misuse(a.astype, a, "int32"))
    end)

    it("return the array itself if nothing changes", function()
      local a = cuda.zeros { 2, 3 }
      assert.equal(a, a:contiguous())
      assert.equal(a, a:to(device))
      assert.are_not.equal(a, a:copy())
      local t = a:transpose()
      assert.are_not.equal(t, t:contiguous())
      assert.are_not.equal(a, a:astype "float32")
    end)

    it("go to other devices and back", function()
      local a = cuda.arange(12):reshape { 3, 4 }
      for _, other in ipairs(cuda.devices()) do
        local b = a:transpose():to(other)
        assert.equal(other, b.device)
        assert.is_true(b:equals(a:transpose()))
        assert.is_true(b:to(device):equals(a:transpose()))
        local c = cuda.zeros({ 4, 3 }, "float32", { device = other })
        c:set(a:transpose())
        assert.is_true(c:equals(b))
      end
    end)

    it("between arrays and host memory", function()
      local a = cuda.arange(1000, "float32")
      local h = cuda.host(1000, "float32")
      assert.equal(h, cuda.copy(h, a))
      assert.equal(999.0, h[1000])
      h[1] = -1
      cuda.copy(a, h)
      assert.equal(-1.0, a[1])
      local p = cuda.pinned({ 10, 100 }, "float32")
      local s = cuda.stream {}
      cuda.copy(p, a, { stream = a.device == s.device and s or nil })
      assert.equal(999.0, p[10][100])
      assert.matches("the dtypes differ.*dst:set%(src%) converts",
        misuse(cuda.copy, a, cuda.zeros(1000, "int32")))
      assert.matches("the sizes differ", misuse(cuda.copy, a, cuda.zeros(999)))
      assert.matches("the shapes of views differ",
        misuse(cuda.copy, cuda.zeros({ 2, 3 }):transpose(), cuda.zeros { 2, 3 }))
      assert.matches("expected Array, got table", misuse(cuda.copy, a, {}))
    end)

    it("take the bytes of a string", function()
      local text = string.pack("ffffff", 1, 2, 3, 4, 5, 6)
      local a, m = cuda.zeros { 2, 3 }, cuda.alloc(24)
      assert.equal(a, cuda.copy(a, text))
      assert.same({ { 1.0, 2.0, 3.0 }, { 4.0, 5.0, 6.0 } }, a:totable())
      cuda.copy(m, text, { stream = cuda.stream() })
      assert.equal(text, m:tobytes())
      cuda.copy(a:transpose(), text)
      assert.same({ { 1.0, 3.0, 5.0 }, { 2.0, 4.0, 6.0 } }, a:totable())
      local h = cuda.host(3, "uint8")
      assert.equal("abc", cuda.copy(h, "abc"):tobytes())
      cuda.copy(cuda.zeros(0), "")
      local c = cuda.cuda_array({ 2, 3 }, "float32")
      assert.equal(c, cuda.copy(c, text))
      assert.equal(6.0, c:array()[2][3])
      assert.equal("copy: argument 2 'src': 3 bytes do not fill an array of 24 bytes",
        misuse(cuda.copy, a, "abc"))
      assert.matches("copy: argument 1: expected Array, got string", misuse(cuda.copy, "abc", h))
      assert.matches("unknown option 'steam'", misuse(cuda.copy, h, "abc", { steam = 1 }))
    end)

    it("write into out", function()
      local a, out = cuda.array { 1.5, 2.5 }, cuda.zeros(2, "int32")
      assert.equal(out, a:astype("int32", { out = out }))
      assert.same({ 1, 2 }, out:totable())
      assert.matches("option 'out': expected Array int8 {2}, got Array int32 {2}",
        misuse(a.astype, a, "int8", { out = out }))
    end)

    it("onto themselves", function()
      local a = cuda.arange(6)
      a:slice({ 2, 6 }):set(a:slice({ 1, 5 }))
      assert.same({ 0, 0, 1, 2, 3, 4 }, a:totable())
      a:set(a:slice({ 6, 1, -1 }))
      assert.same({ 4, 3, 2, 1, 0, 0 }, a:totable())
      local m = cuda.array({ { 1, 2 }, { 3, 4 } }, "int32")
      m:set(m:transpose())
      assert.same({ { 1, 3 }, { 2, 4 } }, m:totable())
      m:set(m)
      assert.same({ { 1, 3 }, { 2, 4 } }, m:totable())
    end)

    it("of empty arrays", function()
      local a = cuda.zeros { 0, 3 }
      assert.same({ 3, 0 }, a:transpose():copy().shape)
      assert.equal("", a:tobytes())
      assert.same({}, a:totable())
      a:fill(1)
      a:set(cuda.zeros(3))
      cuda.copy(a, cuda.zeros(0))
      assert.equal("int8", a:astype("int8").dtype)
      assert.equal(0, a:view("float32").size)
    end)

    it("wait for kernels", function()
      local slow = cuda.kernel [[
        __global__ void slow(int *x, int rounds) {
          int v = 1;
          for (int i = 0; i < rounds; i++) v = v * 1664525 + 1013904223;
          x[threadIdx.x] = v != 0 ? 7 : 8;
        }]]
      local x = cuda.zeros(32, "int32")
      slow({ grid = 1, block = 32 }, x, 20000)
      assert.equal(7, x[32])
      slow({ grid = 1, block = 32, stream = cuda.stream {} }, x, 20000)
      x:fill(5)
      assert.equal(5, x[1])
      local y = x:copy()
      slow({ grid = 1, block = 32 }, x, 1000)
      assert.equal(5, y[32])
      assert.equal(7, x:astype("float64")[32])
    end)

    it("are refused inside no_sync where they would wait", function()
      local a = cuda.zeros(3)
      local ok, e = pcall(cuda.no_sync, function() return a[1] end)
      assert.is_false(ok)
      assert.is_true(cuda.is_error(e, "logic"))
      assert.matches("^luacuda.Array float32 {3} on ",
        cuda.no_sync(function() return tostring(a) end))
      assert.equal(0.0, a[1])
    end)
  end)
end)
