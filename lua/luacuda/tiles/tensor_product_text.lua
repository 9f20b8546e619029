-- tensor_product_text.lua: C++ for products on tensor cores by mma.sync, from shared memory. The
-- right factor is there by columns of k, unless its elements have 16 bits and ldmatrix transposes
-- them.

local layout = require "luacuda.tiles.thread_layout"
local kinds = require "luacuda.tiles.tensor_kinds"
local registers = require "luacuda.tiles.registers_text"

local M = {}

-- Instructions ------------------------------------------------------------------------------------

-- Matrices of 8 rows of 16 bytes, or of 8 x 8 elements of 16 bits that are transposed.
local LOADS = [[
__device__ __forceinline__ void _lcu_ldmatrix(unsigned &a, unsigned &b, const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
    : "=r"(a), "=r"(b) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}
__device__ __forceinline__ void _lcu_ldmatrix(unsigned &a, unsigned &b, unsigned &c, unsigned &d,
                                              const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
    : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}
__device__ __forceinline__ void _lcu_ldmatrix_trans(unsigned &a, unsigned &b, const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
    : "=r"(a), "=r"(b) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}
__device__ __forceinline__ void _lcu_ldmatrix_trans(unsigned &a, unsigned &b, unsigned &c,
                                                    unsigned &d, const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
    : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}
]]

local PRODUCT = [[
__device__ __forceinline__ void _lcu_mma_KIND(TYPE *c, const unsigned (&a)[LEFT],
                                              const unsigned (&b)[RIGHT]) {
BODY}
]]

local ONE = [[
  asm("mma.sync.aligned.m16n8kDEPTH.row.ORDER.SUM.KIND.KIND.SUM {%0, %1, %2, %3}, {AS}, {BS}, "
    "{%0, %1, %2, %3};"
    : "+C"(c[0]), "+C"(c[1]), "+C"(c[2]), "+C"(c[3])
    : WORDS);
]]

-- Where there is no such instruction: in float16, which holds all floats of 8 bits. Each half of a
-- word gives two elements, in both factors the same ones along k.
local IN_HALVES = [[
#if __CUDA_ARCH__ >= 890 && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1204
ONE#else
  #pragma unroll
  for (int half = 0; half < 2; half++) {
    const unsigned x[4] = { _lcu_halves_KIND(a[0], half), _lcu_halves_KIND(a[1], half),
      _lcu_halves_KIND(a[2], half), _lcu_halves_KIND(a[3], half) };
    const unsigned y[2] = { _lcu_halves_KIND(b[0], half), _lcu_halves_KIND(b[1], half) };
    _lcu_mma_f16(c, x, y);
  }
#endif
]]

local HALVES = {
  e5m2 = [[
__device__ __forceinline__ unsigned _lcu_halves_e5m2(unsigned v, int half) {
  return __byte_perm(v, 0, half ? 0x3424 : 0x1404);
}
]],
  -- an e4m3 after the sign of a float16 is its 256th part
  e4m3 = [[
__device__ __forceinline__ unsigned _lcu_halves_e4m3(unsigned v, int half) {
  v = __byte_perm(v, 0, half ? 0x3424 : 0x1404);
  const unsigned size = v & 0x7f007f00u, nan = (size + 0x01000100u & 0x80008000u) >> 15;
  unsigned h = v & 0x80008000u | size >> 1;
  asm("mul.rn.f16x2 %0, %0, %1;" : "+r"(h) : "r"(0x5c005c00));
  return h | nan * 0x7e00;
}
]],
}

-- The first 11 bits of numbers, rounded; the bits that follow.
local TF32 = [[
template <int N> __device__ __forceinline__ void _lcu_tf32(unsigned (&f)[N]) {
  #pragma unroll
  for (int k = 0; k < N; k++)
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(f[k]) : "f"(__uint_as_float(f[k])));
}
template <int N> __device__ __forceinline__ void _lcu_tf32(unsigned (&f)[N], unsigned (&rest)[N]) {
  #pragma unroll
  for (int k = 0; k < N; k++) rest[k] = f[k];
  _lcu_tf32(f);
  #pragma unroll
  for (int k = 0; k < N; k++)
    rest[k] = __float_as_uint(__uint_as_float(rest[k]) - __uint_as_float(f[k]));
  _lcu_tf32(rest);
}
]]

-- Texts of n numbers from `first` on, in a list.
local function listed(format, first, n)
  local list = {}
  for k = 1, n do list[k] = format:format(first + k - 1) end
  return table.concat(list, ", ")
end

-- order: of the elements of b, "row" or "col"
local function product_source(kind, order)
  local is_float = kind.sum == "f32"
  local function text(body, words)
    return (PRODUCT:gsub("%u%u+", { BODY = body }):gsub("%f[%u]%u+%f[^%u]", words))
  end
  local words = { KIND = kind.name, DEPTH = tostring(kind.depth), SUM = kind.sum,
    TYPE = is_float and "float" or "int", C = is_float and "f" or "r", ORDER = order,
    LEFT = tostring(kind.left), RIGHT = tostring(kind.right),
    AS = listed("%%%d", 4, kind.left), BS = listed("%%%d", 4 + kind.left, kind.right),
    WORDS = listed('"r"(a[%d])', 0, kind.left) .. ", " .. listed('"r"(b[%d])', 0, kind.right) }
  if not HALVES[kind.name] then return { text(ONE, words) } end
  local half = product_source(kinds.of{ left = { type = { dtype = "float16" } } }, order)
  return { half[1], HALVES[kind.name], text(IN_HALVES:gsub("ONE", { ONE = ONE }), words) }
end

-- The product -------------------------------------------------------------------------------------

-- by_columns(w, e) -> is the right factor in shared memory by columns?
function M.by_columns(w, e)
  local kind = kinds.of_warps(w, e)
  return kind.size ~= 2 and kind.name ~= "f32" or e.right.op == "swap"
end

-- The start of the warp's part along an axis.
local function warp_start(l, axis)
  local terms = {}
  for _, f in ipairs(layout.each(l, "warp", axis)) do
    terms[#terms + 1] = ("_warp / %d %% %d * %d"):format(f.weight, f.size, f.stride)
  end
  return #terms > 0 and table.concat(terms, " + ") or "0"
end

local function parts(l, axis, stride)
  for _, f in ipairs(layout.each(l, "reg", axis)) do
    if f.stride == stride then return f.size end
  end
  return 1
end

-- The arrays of fragments: `name`, and for the second parts of elements `name` with "_rest".
local function load_fragments(em, kind, name, count, n, load)
  em:line(("unsigned %s[%d][%d];"):format(name, count, n))
  if kind.parts == 2 then em:line(("unsigned %s_rest[%d][%d];"):format(name, count, n)) end
  load()
  if kind.name ~= "tf32" then return end
  registers.each(em, count, function(k)
    if kind.parts == 2 then
      em:line(("_lcu_tf32(%s[%s], %s_rest[%s]);"):format(name, k, name, k))
    else em:line(("_lcu_tf32(%s[%s]);"):format(name, k)) end
  end)
end

local function load_left(em, kind, rows, a, row)
  local line = 16 // kind.size
  registers.each(em, rows, function(m)
    for k = 0, kind.left - 1, 4 do
      em:line(("_lcu_ldmatrix(%s, &%s[(%s + %s * 16 + _lane %% 16) * %d + _k + %d + _lane / 16 * %d]);")
        :format(listed("_fa[" .. m .. "][%d]", k, 4), a.name, row, m, a.width, k // 2 * line, line))
    end
  end)
end

-- The columns of a block that is `first` columns from the warp's start, `next` of them from a lane's
-- own place on; matrices follow each other along k first.
local function place_by_columns(b, column, line, first, next, chunk)
  return ("&%s[(%s + %s + %s + _lane %% 8) * %d + _k + %s * %d]"):format(b.name, column, first, next,
    b.width, chunk, line)
end

local function place_by_rows(b, column, first, next)
  return ("&%s[(_k + _lane %% 16) * %d + %s + %s + %s]"):format(b.name, b.width, column, first, next)
end

-- All words of a block by one instruction.
local function load_wide_right(em, kind, columns, b, column, by_columns)
  local line = 16 // kind.size
  registers.each(em, columns, function(n)
    local first = n .. " * 8"
    em:line(("_lcu_ldmatrix(%s, %s);"):format(listed("_fb[" .. n .. "][%d]", 0, 4),
      by_columns and place_by_columns(b, column, line, first, "0", "_lane / 8")
        or place_by_rows(b, column, first, "_lane / 16 * " .. line)))
  end)
end

-- Two blocks at a time, and a last one.
local function load_right(em, kind, columns, b, column, by_columns)
  if kind.right == 4 then return load_wide_right(em, kind, columns, b, column, by_columns) end
  local way = by_columns and "_lcu_ldmatrix" or "_lcu_ldmatrix_trans"
  local function place(first, next)
    if not by_columns then return place_by_rows(b, column, first, next) end
    return place_by_columns(b, column, 16 // kind.size, first, next, "_lane / 8 % 2")
  end
  registers.each(em, columns // 2, function(n)
    em:line(("%s(%s, %s, %s);"):format(way, listed("_fb[2 * " .. n .. "][%d]", 0, 2),
      listed("_fb[2 * " .. n .. " + 1][%d]", 0, 2), place(n .. " * 16", "_lane / 16 * 8")))
  end)
  if columns % 2 == 0 then return end
  em:line(("%s(%s, %s);"):format(way, listed("_fb[" .. columns - 1 .. "][%d]", 0, 2),
    place((columns - 1) * 8, "0")))
end

-- Pairs of arrays that are multiplied, the smallest products first.
local PAIRS = {
  { { "_fa", "_fb" } },
  { { "_fa_rest", "_fb" }, { "_fa", "_fb_rest" }, { "_fa", "_fb" } },
}

-- multiply(em, e, l, sum, a, b): a, b: the factors in shared memory, { name =, width = elements
-- from one row to the next }
function M.multiply(em, e, l, sum, a, b)
  local w = em.unit.of_tiles
  local kind = kinds.of_warps(w, e)
  em.unit:need{ LOADS }
  if kind.name == "tf32" then em.unit:need{ TF32 } end
  local by_columns = M.by_columns(w, e)
  em.unit:need(product_source(kind, kind.name == "f32" and not by_columns and "row" or "col"))
  local rows, columns, depth = parts(l, 1, 16), parts(l, 2, 8), e.left.type.shape[2]
  local row, column = em:temporary("int", warp_start(l, 1)), em:temporary("int", warp_start(l, 2))
  em:line "#pragma unroll"
  em:open(("for (int _k = 0; _k < %d; _k += %d) {"):format(depth, kind.depth))
  load_fragments(em, kind, "_fa", rows, kind.left, function()
    load_left(em, kind, rows, a, row)
  end)
  load_fragments(em, kind, "_fb", columns, kind.right, function()
    load_right(em, kind, columns, b, column, by_columns)
  end)
  registers.each(em, rows, function(m)
    registers.each(em, columns, function(n)
      for _, pair in ipairs(PAIRS[kind.parts]) do
        em:line(("_lcu_mma_%s(&%s[(%s * %d + %s) * 4], %s[%s], %s[%s]);"):format(kind.name, sum, m,
          columns, n, pair[1], m, pair[2], n))
      end
    end)
  end)
  em:close "}"
end

return M
