-- The headers of complex numbers of CuPy and PyCUDA, in kernels and in the builders.
local helper = require "spec.helper"
local cuda = require "luacuda"

local function exp(z)
  local e = math.exp(z.re)
  return { e * math.cos(z.im), e * math.sin(z.im) }
end

-- C++ of z and w, and the same in Lua.
local CASES = {
  { "z * w", function(z, w) return { z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re } end },
  { "z + w * T(2)", function(z, w) return { z.re + 2 * w.re, z.im + 2 * w.im } end },
  { "T(1) - z", function(z) return { 1 - z.re, -z.im } end },
  { "conj(z) / T(4)", function(z) return { z.re / 4, -z.im / 4 } end },
  { "exp(z)", exp },
  { "NAME::exp(z)", exp },
  { "C(abs(z), arg(z))", function(z) return { (z.re ^ 2 + z.im ^ 2) ^ 0.5, math.atan(z.im, z.re) }
    end },
  { "C(z.real(), w.imag())", function(z, w) return { z.re, w.im } end },
  { "NAME::complex<T>(real(z), norm(w))", function(z, w) return { z.re, w.re ^ 2 + w.im ^ 2 } end },
}

-- Header, namespace of its functions, and how kernels call the type.
local HEADERS = {
  { "<cupy/complex.cuh>", "thrust", "complex" },
  { '"cupy/complex.cuh"', "thrust", "complex" },
  { "<pycuda-complex.hpp>", "pycuda", "pycuda::complex" },
}
local TYPES = { { "float", "float32", "complex64" }, { "double", "float64", "complex128" } }

helper.for_each_device(function()
  for _, row in ipairs(HEADERS) do
    local header, namespace, type_name = table.unpack(row)

    local function text(case, scalar)
      return (case[1]:gsub("NAME", namespace):gsub("%f[%w]T%f[%W]", scalar)
        :gsub("%f[%w]C%f[%W]", type_name .. "<" .. scalar .. ">"))
    end

    local function numbers(seed, dtype)
      local random, list = helper.random(seed), {}
      for i = 1, 8 do
        list[i] = cuda.complex(random(1000) / 250 - 2, random(1000) / 250 - 2)
      end
      return list, cuda.array(list, dtype)
    end

    local function check(case, z, w, out, dtype)
      local got = out:totable()
      for i = 1, #z do
        helper.assert_close(case[2](z[i], w[i]), { got[i].re, got[i].im }, { dtype = dtype })
      end
    end

    for _, t in ipairs(TYPES) do
      local scalar, real, dtype = table.unpack(t)
      local title = ("#include %s with %s"):format(header, scalar)

      it(title .. " works in kernels", function()
        local lines = {}
        for k, case in ipairs(CASES) do
          lines[k] = ("__global__ void k%d(const C *zs, const C *ws, C *out) { C z = "
            .. "zs[threadIdx.x], w = ws[threadIdx.x]; out[threadIdx.x] = %s; }"):format(k,
            text(case, scalar))
        end
        local m = cuda.module(("#include %s\ntypedef %s<%s> C;\n%s"):format(header, type_name,
          scalar, table.concat(lines, "\n")))
        local z, zs = numbers(1, dtype)
        local w, ws = numbers(2, dtype)
        for k, case in ipairs(CASES) do
          local out = cuda.zeros(#z, dtype)
          m:kernel("k" .. k)({ threads = #z, block = #z }, zs, ws, out)
          check(case, z, w, out, real)
        end
      end)

      it(title .. " works in elementwise kernels", function()
        local z, zs = numbers(3, dtype)
        local w, ws = numbers(4, dtype)
        local outputs, body = {}, {}
        for k, case in ipairs(CASES) do
          outputs[k] = ("%s o%d"):format(dtype, k)
          body[k] = ("o%d = %s;"):format(k, text(case, scalar))
        end
        local f = cuda.elementwise(("%s z, %s w"):format(dtype, dtype), table.concat(outputs, ", "),
          table.concat(body, "\n"), "f", { preamble = "#include " .. header })
        for k, out in ipairs { f(zs, ws) } do check(CASES[k], z, w, out, real) end
      end)
    end

    it(("#include %s works in other builders"):format(header), function()
      local one = type_name .. "<float>"
      local options = { preamble = ("#include %s\n__device__ %s times_i(%s z) "
        .. "{ return z * %s(0, 1); }"):format(header, one, one, one) }
      local x = cuda.array({ cuda.complex(1, 2), cuda.complex(3, 4) }, "complex64")
      local sum = cuda.reduction("complex64 x", "complex64 y", "times_i(x)", "a + b", "y = a", "0",
        "sum_i", options)(x)
      sum = cuda.type(sum) == "array" and sum:item() or sum
      assert.same({ -6.0, 4.0 }, { sum.re, sum.im })
      local running = cuda.scan("complex64 x", "complex64 y", "times_i(x)", "a + b", "0", "scan_i",
        options)(x):item(2)
      assert.same({ -6.0, 4.0 }, { running.re, running.im })
      -- also where nothing else is complex
      local f = cuda.elementwise("float32 x", "float32 y", "y = abs(" .. one .. "(x, 4))", "size",
        options)
      assert.same({ 5.0 }, f(cuda.full(1, 3)):totable())
    end)
  end
end)
