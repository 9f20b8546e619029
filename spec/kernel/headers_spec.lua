-- Headers of CUDA and of the library in kernels.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- A kernel over vectors a, b and a number s for each expression; V and S are types.
local function source(kind, prefix, n, expressions)
  local text = { "#include <luacuda/vector.h>\n__global__ void k(V *to, const V *a, const V *b, "
    .. "S s, int n) {\n  int i = threadIdx.x;\n  V *out = to + i * COUNT;\n"
    .. "  if (i >= n) return;\n" }
  for j, expression in ipairs(expressions) do
    text[#text + 1] = ("  { V r; %s; out[%d] = r; }\n"):format(
      expression:gsub("%f[%w]([ab])%f[%W]", "%1[i]"), j - 1)
  end
  return (table.concat(text) .. "}\n"):gsub("%f[%w]V%f[%W]", prefix .. n)
    :gsub("%f[%w]S%f[%W]", kind):gsub("COUNT", #expressions)
end

-- Expressions and what they give for tables of elements.
local function each(fn)
  return function(a, b, s)
    local r = {}
    for d = 1, #a do r[d] = fn(a[d], b[d], s) end
    return r
  end
end
local function dot(a, b)
  local sum = 0
  for d = 1, #a do sum = sum + a[d] * b[d] end
  return sum
end
local function filled(fn)
  return function(a, b, s)
    local value, r = fn(a, b, s), {}
    for d = 1, #a do r[d] = value end
    return r
  end
end

-- The macros of C's headers that count: all except those of POSIX, of `long double`, which kernels
-- do not have, and of types whose width each compiler chooses.
local MACROS = {
  ["float.h"] = { "^FLT_", "^DBL_" },
  ["limits.h"] = { "^CHAR_", "^[SU]CHAR_M", "^U?SHRT_M", "^U?INT_M", "^U?LONG_M[AI]",
    "^U?LLONG_M" },
  ["stdint.h"] = { "^U?INT%d+_M", "^U?INT_LEAST%d+_M", "^U?INTMAX_M", "^U?INTPTR_M", "^SIZE_MAX",
    "^PTRDIFF_M" },
}

-- The macros of a header and their values, according to the host's compiler.
local function host_macros(name)
  local pipe = assert(io.popen(("echo '#include <%s>' | cc -x c++ -dM -E -"):format(name)))
  local names, lines = {}, { ("#include <stdio.h>\n#include <%s>\nint main() {"):format(name) }
  for line in pipe:lines() do
    local macro, counts = line:match "^#define (%u[%w_]*) %S", false
    for _, pattern in ipairs(MACROS[name]) do
      counts = counts or macro and macro:find(pattern) and not macro:find "_WIDTH$"
    end
    if counts then
      names[#names + 1] = macro
      lines[#lines + 1] = ('printf("%%.17g\\n", (double)(%s));'):format(macro)
    end
  end
  pipe:close()
  local file, values = helper.tmpdir() .. "/macros", {}
  helper.write_file(file .. ".cpp", table.concat(lines, "\n") .. "}\n")
  assert(os.execute(("cc -w -o %s %s.cpp"):format(file, file)))
  local run = assert(io.popen(file))
  for line in run:lines() do values[#values + 1] = assert(tonumber(line)) end
  run:close()
  return names, values
end

local function cases(divide)
  return {
    { "r = a + b", each(function(x, y) return x + y end) },
    { "r = a - b", each(function(x, y) return x - y end) },
    { "r = a * b", each(function(x, y) return x * y end) },
    { "r = a / b", each(divide) },
    { "r = a + s", each(function(x, _, s) return x + s end) },
    { "r = a - s", each(function(x, _, s) return x - s end) },
    { "r = a * s", each(function(x, _, s) return x * s end) },
    { "r = a / s", each(function(x, _, s) return divide(x, s) end) },
    { "r = s + a", each(function(x, _, s) return s + x end) },
    { "r = (s + 20) - a", each(function(x, _, s) return s + 20 - x end) },
    { "r = s * a", each(function(x, _, s) return s * x end) },
    { "r = s / b", each(function(_, y, s) return divide(s, y) end) },
    { "r = a; r += b", each(function(x, y) return x + y end) },
    { "r = a; r -= s", each(function(x, _, s) return x - s end) },
    { "r = a; (r *= s) -= b", each(function(x, y, s) return x * s - y end) },
    { "r = a; r /= b", each(divide) },
    { "r = a * 2 - 1", each(function(x) return x * 2 - 1 end) },
    { "r = min(a, b)", each(function(x, y) return math.min(x, y) end) },
    { "r = max(a, b)", each(function(x, y) return math.max(x, y) end) },
    { "r = min(a, s)", each(function(x, _, s) return math.min(x, s) end) },
    { "r = max(a, s)", each(function(x, _, s) return math.max(x, s) end) },
    { "r = clamp(a, s, 4)", each(function(x, _, s) return math.max(math.min(x, 4), s) end) },
    { "r = clamp(a, min(a, b), b)", each(function(x, y) return math.min(x, y) end) },
    { "r = a - a + clamp(s, (S)1, (S)2)", each(function(_, _, s)
      return math.max(math.min(s, 2), 1) end) },
    { "r = a - a + dot(a, b)", filled(dot) },
  }
end

local function real_cases()
  local list = cases(function(x, y) return x / y end)
  local function add(...) list[#list + 1] = { ... } end
  add("r = -a", each(function(x) return -x end))
  add("r = lerp(a, b, s)", each(function(x, y, s) return x + s * (y - x) end))
  add("r = a - a + lerp(s, (S)3, (S)0.5)", each(function(_, _, s) return s + (3 - s) / 2 end))
  add("r = a - a + length(a)", filled(function(a) return dot(a, a) ^ 0.5 end))
  add("r = normalize(a)", function(a, _, _)
    local r = {}
    for d = 1, #a do r[d] = a[d] / dot(a, a) ^ 0.5 end
    return r
  end)
  return list
end

local CROSS = { "r = cross(a, b)", function(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end }

local KINDS = {
  { "float", "float", "float32", real_cases }, { "double", "double", "float64", real_cases },
  { "int", "int", "int32", function() return cases(function(x, y) return x // y end) end },
  { "unsigned", "uint", "uint32", function() return cases(function(x, y) return x // y end) end },
}

helper.for_each_device(function()
  describe("<luacuda/vector.h>", function()
    local function check(kind, n, backend)
      local name, prefix, dtype, make = table.unpack(kind)
      local list, rng = make(), helper.random(n)
      if n == 3 and dtype:find "float" then list[#list + 1] = CROSS end
      local expressions, count = {}, 5
      for j, case in ipairs(list) do expressions[j] = case[1] end
      local a, b, s = {}, {}, 3
      for i = 1, count do -- no difference is negative, for unsigned numbers
        a[i], b[i] = {}, {}
        for d = 1, n do a[i][d], b[i][d] = 10 + rng(6), 1 + rng(8) end
      end
      local k = cuda.kernel{ source = source(name, prefix, n, expressions), backend = backend }
      local to = cuda.zeros({ count * #list, n }, dtype)
      k({ grid = 1, block = count }, to, cuda.array(a, dtype), cuda.array(b, dtype), s, count)
      local got = to:totable()
      for i = 1, count do
        for j, case in ipairs(list) do
          helper.assert_close(case[2](a[i], b[i], s), got[(i - 1) * #list + j], { dtype = dtype })
        end
      end
    end

    for _, kind in ipairs(KINDS) do
      for n = 2, 4 do
        it("computes with " .. kind[2] .. n, function() check(kind, n) end)
      end
    end

    it("works with nvcc", function()
      if not cuda.nvcc_version() then
        pending "there is no nvcc"
        return
      end
      check(KINDS[1], 4, "nvcc")
    end)

    it("lets a NaN lose in min and max, as fmin does", function()
      local k = cuda.kernel [[
        #include <luacuda/vector.h>
        __global__ void k(float2 *a) { a[0] = min(a[0], a[1]); a[1] = max(a[1], 2); }]]
      local a = cuda.array{ { 0 / 0, 1 }, { 5, 0 / 0 } }
      k({ grid = 1, block = 1 }, a)
      assert.same({ { 5.0, 1.0 }, { 5.0, 2.0 } }, a:totable())
    end)
  end)

  describe("CUDA's headers", function()
    it("<cub/cub.cuh> has the parts for blocks, warps and threads", function()
      local k = cuda.kernel [[
        #include <cub/cub.cuh>
        __global__ void k(int *sums, int *sorted, const int *x) {
          typedef cub::BlockReduce<int, 64> Reduce;
          typedef cub::WarpScan<int> Scan;
          typedef cub::BlockRadixSort<int, 64, 1> Sort;
          __shared__ union {
            typename Reduce::TempStorage reduce;
            typename Scan::TempStorage scan[2];
            typename Sort::TempStorage sort;
          } room;
          int v[1] = { x[threadIdx.x] };
          int total = Reduce(room.reduce).Sum(v[0]);
          if (threadIdx.x == 0) sums[64] = total;
          __syncthreads();
          Scan(room.scan[threadIdx.x / 32]).InclusiveSum(v[0], sums[threadIdx.x]);
          __syncthreads();
          Sort(room.sort).Sort(v);
          sorted[threadIdx.x] = v[0];
        }]]
      local rng, x = helper.random(3), {}
      for i = 1, 64 do x[i] = rng(1000) end
      local sums, sorted = cuda.zeros(65, "int32"), cuda.zeros(64, "int32")
      k({ grid = 1, block = 64 }, sums, sorted, cuda.array(x, "int32"))
      local want, run, total = {}, 0, 0
      for i, v in ipairs(x) do
        run, total = (i == 33 and 0 or run) + v, total + v
        want[i] = run
      end
      want[65] = total
      assert.same(want, sums:totable())
      table.sort(x)
      assert.same(x, sorted:totable())
    end)

    it("of C have the macros that the host's compiler has, with their values", function()
      for _, name in ipairs { "float.h", "limits.h", "stdint.h" } do
        local names, values = host_macros(name)
        assert(#names > 15, name)
        for _, header in ipairs { name, "c" .. name:gsub("%.h$", "") } do
          local body = {}
          for i, macro in ipairs(names) do
            body[i] = ("  out[%d] = (double)(%s);"):format(i - 1, macro)
          end
          local k = cuda.kernel(("#include <%s>\n__global__ void k(double *out) {\n%s\n}"):format(
            header, table.concat(body, "\n")))
          local out = cuda.zeros(#names, "float64")
          k({ grid = 1, block = 1 }, out)
          for i, value in ipairs(out:totable()) do
            assert(value == values[i], ("<%s> %s: %s"):format(header, names[i], value))
          end
        end
      end
    end)

    it("<cuda_runtime.h> has the names of fixed width, and CUDA's own", function()
      local k = cuda.kernel [[
        #include <cuda_runtime.h>
        __global__ void k(int64_t *a, uint8_t b, int32_t c) {
          float2 v = make_float2(1, 2);
          a[0] = (uint16_t)-1 + b + c + (int64_t)v.y + CUDA_R_32F + sizeof(uint64_t);
        }]]
      local a = cuda.zeros(1, "int64")
      k({ grid = 1, block = 1 }, a, 1, -2)
      assert.equals(65535 + 1 - 2 + 2 + 8, a:item(1))
    end)

    it("__int128 needs no flag", function()
      local text = [[__global__ void k(long long *a) {
        __int128 p = (__int128)a[0] * a[1];
        a[0] = (long long)(p >> 64);
      }]]
      for _, flags in ipairs { {}, "--device-int128", "-device-int128" } do
        local k = cuda.kernel(text, { flags = flags })
        local a = cuda.array({ 1 << 62, 12 }, "int64")
        k({ grid = 1, block = 1 }, a)
        assert.equals(3, a:item(1))
      end
      local k = cuda.kernel{ source = '#include "wide.h"\n__global__ void k(int *a) '
        .. '{ *a = sizeof(wide); }', headers = { ["wide.h"] = "typedef __int128 wide;" } }
      local a = cuda.zeros(1, "int32")
      k({ grid = 1, block = 1 }, a)
      assert.equals(16, a:item(1))
    end)
  end)
end)
