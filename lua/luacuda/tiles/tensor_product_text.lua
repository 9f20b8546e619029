-- tensor_product_text.lua: C++ for products on tensor cores by mma.sync, from shared memory. The
-- right factor is there by columns of k, unless its elements have 16 bits and ldmatrix transposes
-- them.

local layout = require "luacuda.tiles.thread_layout"
local kinds = require "luacuda.tiles.tensor_kinds"
local registers = require "luacuda.tiles.registers_text"

local M = {}

-- Instructions ------------------------------------------------------------------------------------

-- a: 16 rows of 32 bytes; b: 8 columns of 32 bytes, or 16 rows of 8 elements of 16 bits; or twice
-- as many columns, in two fragments
local LOADS = [[
__device__ __forceinline__ void _lcu_fragment_a(unsigned (&f)[4], const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
    : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}
__device__ __forceinline__ void _lcu_fragment_b(unsigned (&f)[2], const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
    : "=r"(f[0]), "=r"(f[1]) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}
__device__ __forceinline__ void _lcu_fragments_b(unsigned (&f)[2], unsigned (&g)[2],
                                                 const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(f[0]), "=r"(f[1]), "=r"(g[0]), "=r"(g[1])
    : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}
__device__ __forceinline__ void _lcu_fragment_b_rows(unsigned (&f)[2], const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
    : "=r"(f[0]), "=r"(f[1]) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}
__device__ __forceinline__ void _lcu_fragments_b_rows(unsigned (&f)[2], unsigned (&g)[2],
                                                      const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(f[0]), "=r"(f[1]), "=r"(g[0]), "=r"(g[1])
    : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}
]]

local PRODUCT = [[
__device__ __forceinline__ void _lcu_mma_KIND(TYPE *c, const unsigned (&a)[4],
                                              const unsigned (&b)[2]) {
BODY}
]]

local ONE = [[
  asm("mma.sync.aligned.m16n8kDEPTH.row.col.SUM.KIND.KIND.SUM {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
    "{%8, %9}, {%0, %1, %2, %3};"
    : "+C"(c[0]), "+C"(c[1]), "+C"(c[2]), "+C"(c[3])
    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
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

local function product_source(kind)
  local is_float = kind.sum == "f32"
  local function text(body, words)
    return (PRODUCT:gsub("%u%u+", { BODY = body }):gsub("%f[%u]%u+%f[^%u]", words))
  end
  local words = { KIND = kind.name, DEPTH = tostring(kind.depth), SUM = kind.sum,
    TYPE = is_float and "float" or "int", C = is_float and "f" or "r" }
  if not HALVES[kind.name] then return { text(ONE, words) } end
  local half = product_source(kinds.of{ left = { type = { dtype = "float16" } } })
  return { half[1], HALVES[kind.name], text(IN_HALVES:gsub("ONE", { ONE = ONE }), words) }
end

-- The product -------------------------------------------------------------------------------------

-- by_columns(w, e) -> is the right factor in shared memory by columns?
function M.by_columns(w, e) return kinds.of_warps(w, e).size ~= 2 or e.right.op == "swap" end

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

local function load_left(em, rows, a, row, line)
  registers.each(em, rows, function(m)
    em:line(("_lcu_fragment_a(_fa[%s], &%s[(%s + %s * 16 + _lane %% 16) * %d + _k "
      .. "+ _lane / 16 * %d]);"):format(m, a.name, row, m, a.width, line))
  end)
end

-- Two blocks of columns at a time, and a last one.
local function load_right(em, columns, b, column, line, by_columns)
  local way = by_columns and "" or "_rows"
  local function place(first, next)
    if not by_columns then
      return ("&%s[(_k + _lane %% 16) * %d + %s + %s + %s]"):format(b.name, b.width, column, first,
        next)
    end
    return ("&%s[(%s + %s + %s + _lane %% 8) * %d + _k + _lane / 8 %% 2 * %d]"):format(b.name,
      column, first, next, b.width, line)
  end
  registers.each(em, columns // 2, function(n)
    em:line(("_lcu_fragments_b%s(_fb[2 * %s], _fb[2 * %s + 1], %s);"):format(way, n, n,
      place(n .. " * 16", "_lane / 16 * 8")))
  end)
  if columns % 2 == 0 then return end
  em:line(("_lcu_fragment_b%s(_fb[%d], %s);"):format(way, columns - 1,
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
  em.unit:need(product_source(kind))
  local rows, columns, depth = parts(l, 1, 16), parts(l, 2, 8), e.left.type.shape[2]
  local row, column = em:temporary("int", warp_start(l, 1)), em:temporary("int", warp_start(l, 2))
  local line = 16 // kind.size
  em:line "#pragma unroll"
  em:open(("for (int _k = 0; _k < %d; _k += %d) {"):format(depth, kind.depth))
  load_fragments(em, kind, "_fa", rows, 4, function() load_left(em, rows, a, row, line) end)
  load_fragments(em, kind, "_fb", columns, 2, function()
    load_right(em, columns, b, column, line, M.by_columns(w, e))
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
