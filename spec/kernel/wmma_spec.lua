-- Products of matrices by a warp in C++ (mma.h): every shape, type and layout.
local cuda = require "luacuda"
local helper = require "spec.helper"
local tensor = require "spec.support.tensor"

local SOURCE = [[
#include <mma.h>
using namespace nvcuda;
__global__ void product(const unsigned *a, int lda, const unsigned *b, int ldb,
                        const unsigned *c, unsigned *d, int ldc) {
  wmma::fragment<wmma::matrix_a, M, N, K, A, wmma::LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, B, wmma::LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> fc;
  wmma::fragment<wmma::accumulator, M, N, K, D> fd;
  wmma::load_matrix_sync(fa, (SA *)a, lda);
  wmma::load_matrix_sync(fb, (SB *)b, ldb);
  wmma::load_matrix_sync(fc, (C *)c, ldc, wmma::LC);
  wmma::PRODUCT;
  wmma::store_matrix_sync((D *)d, fd, ldc, wmma::LC);
}]]

local NAMES = {
  f16 = "__half", f32 = "float", f64 = "double", bf16 = "__nv_bfloat16", s8 = "signed char",
  u8 = "unsigned char", s32 = "int", tf32 = "wmma::precision::tf32",
  s4 = "wmma::experimental::precision::s4", u4 = "wmma::experimental::precision::u4",
  b1 = "wmma::experimental::precision::b1",
}
local STORED = { tf32 = "float", s4 = "void", u4 = "void", b1 = "void" }
local BIG = { { 16, 16, 16 }, { 32, 8, 16 }, { 8, 32, 16 } }

-- shapes, the types of a and b, those of c and d, the lowest compute capability
local ROWS = {
  { BIG, { "f16" }, { { "f32", "f32" }, { "f16", "f16" }, { "f16", "f32" }, { "f32", "f16" } },
    70 },
  { BIG, { "bf16" }, { { "f32", "f32" } }, 80 },
  { { { 16, 16, 8 } }, { "tf32" }, { { "f32", "f32" } }, 80 },
  { { { 8, 8, 4 } }, { "f64" }, { { "f64", "f64" } }, 80 },
  { BIG, { "s8", "u8" }, { { "s32", "s32" } }, 75 },
  { { { 8, 8, 32 } }, { "s4", "u4" }, { { "s32", "s32" } }, 75 },
  { { { 8, 8, 128 } }, { "b1" }, { { "s32", "s32" } }, 80 },
}
local LAYOUTS = { "row_major", "col_major" }

-- A matrix in memory: lines a stride apart, the stride in elements.
local function in_memory(m, type_, row, padding)
  local bits, lines, length = tensor.types[type_].bits, row and #m or #m[1], row and #m[1] or #m
  -- Lines are a multiple of 16 bytes apart, in c and d of any types.
  local stride = (length * bits + 127) // 128 * 128 // bits + padding * math.max(8, 128 // bits)
  local words = tensor.words(lines * stride * bits // 32)
  for r = 1, #m do
    for c = 1, #m[1] do
      local line, at = row and r - 1 or c - 1, row and c - 1 or r - 1
      tensor.put(words, bits, line * stride + at, m[r][c])
    end
  end
  return words, stride
end

local function source_of(case)
  local product = ("%s(fd, fa, fb, fc%s)"):format(case.op and "bmma_sync" or "mma_sync",
    case.op and (", wmma::experimental::bmmaBitOp%s"):format(case.op)
      or case.satfinite and ", true" or "")
  local words = { M = case.m, N = case.n, K = case.k, A = NAMES[case.a], B = NAMES[case.b],
    C = NAMES[case.c], D = NAMES[case.d], LA = LAYOUTS[case.la], LB = LAYOUTS[case.lb],
    LC = "mem_" .. LAYOUTS[case.lc], SA = STORED[case.a] or NAMES[case.a],
    SB = STORED[case.b] or NAMES[case.b], PRODUCT = product }
  return (SOURCE:gsub("%f[%w_]%u+%f[^%w_]", words))
end

helper.for_each_device(function(device)
  local function array(words) return cuda.array(words, "uint32") end

  local function check(case)
    local a = tensor.random(case.m, case.k, case.a)
    local b = tensor.random(case.k, case.n, case.b)
    local c = tensor.random(case.m, case.n, case.c)
    local pa, sa = in_memory(a, case.a, case.la == 1, case.padding)
    local pb, sb = in_memory(b, case.b, case.lb == 1, case.padding)
    local pc, sc = in_memory(c, case.c, case.lc == 1, case.padding)
    -- c and d have one stride, in elements.
    local bits = tensor.types[case.d].bits
    local d = cuda.zeros(#tensor.words((case.lc == 1 and case.m or case.n) * sc * bits // 32),
      "uint32")
    cuda.kernel(source_of(case))({ grid = 1, block = 32 }, array(pa), sa, array(pb), sb, array(pc),
      d, sc)
    local got = d:totable()
    local sums, sizes = tensor.product(a, b, c, case, case.op == "XOR" and "xor" or nil)
    for r = 1, case.m do
      for col = 1, case.n do
        local at = case.lc == 1 and (r - 1) * sc + col - 1 or (col - 1) * sc + r - 1
        local v = tensor.get(got, bits, at)
        if not tensor.is_sum(v, case.d, sums[r][col], sizes[r][col], case.satfinite) then
          error(("m%dn%dk%d %s %s %s, layouts %d %d %d, [%d, %d]: %s, expected %s"):format(case.m,
            case.n, case.k, case.a, case.c, case.d, case.la, case.lb, case.lc, r, col,
            tensor.types[case.d].value(v), sums[r][col]))
        end
      end
    end
  end

  local function new_case(shape, type_, sums, layouts, padding)
    return { m = shape[1], n = shape[2], k = shape[3], a = type_, b = type_, c = sums[1],
      d = sums[2], la = layouts & 1, lb = layouts >> 1 & 1, lc = layouts >> 2 & 1,
      padding = padding }
  end

  describe("wmma", function()
    before_each(function() math.randomseed(12) end)

    for _, row in ipairs(ROWS) do
      local shapes, types, sums, cc = table.unpack(row)
      for _, type_ in ipairs(types) do
        it("multiplies matrices of " .. type_ .. " in all shapes and layouts", function()
          if device.kind ~= "cpu" and device.cc < cc then return end
          local small = tensor.types[type_].bits < 8
          for i, shape in ipairs(shapes) do
            for j, pair in ipairs(sums) do
              for layouts = 0, 7 do
                local case = new_case(shape, type_, pair, layouts, (i + j + layouts) % 2)
                if small then case.la, case.lb = 0, 1 end
                case.la, case.lb, case.lc = case.la + 1, case.lb + 1, case.lc + 1
                -- a compile each: not every layout with every accumulator
                if type_ == "b1" then case.op = layouts % 2 == 0 and "XOR" or "AND" end
                if (not small or layouts < 2 or layouts >= 6) and (j == 1 or layouts % 3 == 0) then
                  check(case)
                end
              end
            end
          end
        end)
      end
    end

    it("saturates sums of integers", function()
      for _, satfinite in ipairs { true, false } do
        check { m = 16, n = 16, k = 16, a = "u8", b = "u8", c = "s32", d = "s32", la = 1, lb = 2,
          lc = 1, padding = 0, satfinite = satfinite }
      end
    end)
  end)
end)
