-- product_text.lua: C++ for dot: the tiles go to shared memory, from which tensor cores or threads
-- take what they multiply.

local exchange = require "luacuda.tiles.exchange_text"
local layout = require "luacuda.tiles.thread_layout"
local place = require "luacuda.tiles.place"
local registers = require "luacuda.tiles.registers_text"

-- Tensor cores ------------------------------------------------------------------------------------

local KINDS = { float16 = "f16", bfloat16 = "bf16" }

-- The instructions of one kind. a: 16 rows of 16 elements; b: 16 rows of 8.
local function tensor_source(kind)
  return ([[
__device__ __forceinline__ void _lcu_fragment_a(unsigned (&f)[4], const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
    : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}
__device__ __forceinline__ void _lcu_fragment_b(unsigned (&f)[2], const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
    : "=r"(f[0]), "=r"(f[1]) : "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}
]]), ([[
__device__ __forceinline__ void _lcu_mma_KIND(float *c, const unsigned (&a)[4],
                                              const unsigned (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.KIND.KIND.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
    "{%8, %9}, {%0, %1, %2, %3};"
    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
]]):gsub("KIND", kind)
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

local function by_tensor_cores(em, e, l, sum, a, b)
  local kind = KINDS[e.left.type.dtype]
  local loads, product = tensor_source(kind)
  em.unit:need{ loads, product }
  local rows, columns, depth = parts(l, 1, 16), parts(l, 2, 8), e.left.type.shape[2]
  local row, column = em:temporary("int", warp_start(l, 1)), em:temporary("int", warp_start(l, 2))
  em:line "#pragma unroll"
  em:open(("for (int _k = 0; _k < %d; _k += 16) {"):format(depth))
  em:line(("unsigned _fa[%d][4], _fb[%d][2];"):format(rows, columns))
  registers.each(em, rows, function(m)
    local at = ("(%s + %s * 16 + _lane %% 16) * %d + _k + _lane / 16 * 8"):format(row, m, a.width)
    em:line(("_lcu_fragment_a(_fa[%s], &%s[%s]);"):format(m, a.name, at))
  end)
  registers.each(em, columns, function(n)
    em:line(("_lcu_fragment_b(_fb[%s], &%s[(_k + _lane %% 16) * %d + %s + %s * 8]);")
      :format(n, b.name, b.width, column, n))
  end)
  registers.each(em, rows, function(m)
    registers.each(em, columns, function(n)
      em:line(("_lcu_mma_%s(&%s[(%s * %d + %s) * 4], _fa[%s], _fb[%s]);"):format(kind, sum, m,
        columns, n, m, n))
    end)
  end)
  em:close "}"
end

-- Multiplications ---------------------------------------------------------------------------------

local function by_multiplication(em, e, l, sum, a, b)
  local w = em.unit.of_tiles
  local ctype = em:type_name(e.type.dtype)
  local down, across = layout.sliced(l, 2), layout.sliced(l, 1)
  em:open(("for (int _k = 0; _k < %d; _k++) {"):format(e.left.type.shape[2]))
  em:line(("%s _a[%d], _b[%d];"):format(ctype, down.registers, across.registers))
  registers.each(em, down.registers, function(r)
    em:line(("_a[%s] = %s(%s[(%s + %s) * %d + _k]);"):format(r, ctype, a.name, w.place_of(em, l, 1),
      layout.offset(down, 1, r), a.width))
  end)
  registers.each(em, across.registers, function(r)
    em:line(("_b[%s] = %s(%s[_k * %d + %s + %s]);"):format(r, ctype, b.name, b.width,
      w.place_of(em, l, 2), layout.offset(across, 2, r)))
  end)
  registers.each(em, l.registers, function(r)
    em:line(("%s[%s] += _a[%s] * _b[%s];"):format(sum, r, layout.index(l, down, r),
      layout.index(l, across, r)))
  end)
  em:close "}"
end

-- dot ---------------------------------------------------------------------------------------------

-- The operand in shared memory: { name =, width =, bytes = }.
local function staged(em, name, l, t, at)
  local width, bytes = exchange.width(t.shape, t.dtype)
  local own = { width = width, bytes = bytes, name = exchange.place(em, t.dtype, at) }
  exchange.put(em, name, t.dtype, l, own.name, width)
  return own
end

-- What the products are added to.
local function start(em, e, l, sum)
  if e.sum and e.sum.op == "var" and e.sum.slot.name == sum then return end
  if not e.sum then
    registers.each(em, l.registers, function(r) em:line(("%s[%s] = 0;"):format(sum, r)) end)
    return
  end
  local get = registers.element(em, e.sum, l)
  registers.each(em, l.registers, function(r) em:line(("%s[%s] = %s;"):format(sum, r, get(r))) end)
end

-- multiply(em, e, l, sum): the array `sum` becomes the product; it may be what is added.
function registers.multiply(em, e, l, sum)
  local w = em.unit.of_tiles
  local function begin() start(em, e, l, sum) end
  if w.plan then return w.plan.multiply(em, e, sum, begin) end
  begin()
  local left, left_layout = registers.natural(em, e.left)
  local right, right_layout = registers.natural(em, e.right)
  em:open "{"
  em:line(w.sync)
  local a = staged(em, left, left_layout, e.left.type, 0)
  local b = staged(em, right, right_layout, e.right.type, a.bytes)
  exchange.reserve(em, a.bytes + b.bytes)
  em:line(w.sync)
  local multiply = place.on_tensor_cores(w, e) and by_tensor_cores or by_multiplication
  multiply(em, e, l, sum, a, b)
  em:close "}"
end

function registers.makers.dot(em, e, l)
  local sum = registers.array(em, e.type.dtype, l.registers)
  registers.multiply(em, e, l, sum)
  return sum
end
