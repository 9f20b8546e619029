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
__device__ __forceinline__ unsigned _lcu_shared(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void _lcu_ldmatrix(unsigned &a, unsigned &b, unsigned p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
    : "=r"(a), "=r"(b) : "r"(p) : "memory");
}
__device__ __forceinline__ void _lcu_ldmatrix(unsigned &a, unsigned &b, unsigned &c, unsigned &d,
                                              unsigned p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(p) : "memory");
}
__device__ __forceinline__ void _lcu_ldmatrix_trans(unsigned &a, unsigned &b, unsigned p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
    : "=r"(a), "=r"(b) : "r"(p) : "memory");
}
__device__ __forceinline__ void _lcu_ldmatrix_trans(unsigned &a, unsigned &b, unsigned &c,
                                                    unsigned &d, unsigned p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(p) : "memory");
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

-- The lanes' own addresses in a factor, in `name`; what is added to them is the same in all lanes.
local function note_places(em, name, factor, text)
  em:line(("const unsigned %s = _lcu_shared(&%s[%s]);"):format(name, factor.name, text))
end

local function note_left(em, kind, a, row)
  note_places(em, "_pa", a, ("(%s + _lane %% 16) * %d + _lane / 16 * %d"):format(row, a.width,
    16 // kind.size))
end

local function load_left(em, kind, rows, a)
  registers.each(em, rows, function(m)
    for k = 0, kind.left - 1, 4 do
      em:line(("_lcu_ldmatrix(%s, _pa + (%s * %d + _k + %d) * %d);"):format(
        listed("_fa[" .. m .. "][%d]", k, 4), m, 16 * a.width, k // 2 * 16 // kind.size, kind.size))
    end
  end)
end

-- Matrices follow each other along k first. One instruction loads all words of a block of columns,
-- or those of two blocks.
local function note_right(em, kind, b, column, by_columns)
  local line, wide = 16 // kind.size, kind.right == 4
  if by_columns then
    note_places(em, "_pb", b, ("(%s + %s + _lane %% 8) * %d + %s * %d"):format(column,
      wide and "0" or "_lane / 16 * 8", b.width, wide and "_lane / 8" or "_lane / 8 % 2", line))
  else
    note_places(em, "_pb", b, ("_lane %% 16 * %d + %s + _lane / 16 * %d"):format(b.width, column,
      line))
  end
end

local function load_right(em, kind, columns, b, by_columns)
  local way = not by_columns and kind.size == 2 and "_lcu_ldmatrix_trans" or "_lcu_ldmatrix"
  local blocks = kind.right == 4 and 1 or 2 -- of an instruction
  local function load(n, words)
    local place = by_columns and ("%s * %d + _k"):format(n, 8 * b.width)
      or ("_k * %d + %s * 8"):format(b.width, n)
    em:line(("%s(%s, _pb + (%s) * %d);"):format(way, words, place, kind.size))
  end
  registers.each(em, columns // blocks, function(n)
    local words = {}
    for k = 0, blocks - 1 do
      words[k + 1] = listed(("_fb[%s * %d + %d][%%d]"):format(n, blocks, k), 0, kind.right)
    end
    load(("%s * %d"):format(n, blocks), table.concat(words, ", "))
  end)
  if columns % blocks ~= 0 then
    load(columns - 1, listed(("_fb[%d][%%d]"):format(columns - 1), 0, kind.right))
  end
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
  note_left(em, kind, a, row)
  note_right(em, kind, b, column, by_columns)
  em:line "#pragma unroll"
  em:open(("for (int _k = 0; _k < %d; _k += %d) {"):format(depth, kind.depth))
  load_fragments(em, kind, "_fa", rows, kind.left, function()
    load_left(em, kind, rows, a)
  end)
  load_fragments(em, kind, "_fb", columns, kind.right, function()
    load_right(em, kind, columns, b, by_columns)
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
