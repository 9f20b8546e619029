/* ptx_shape_value.c: arithmetic on claims about values. */
#include "ptx_shape_value.h"

#include <string.h>

enum { ALIGN_MOST = 63 };

static uint64_t mask_of_bits (uint32_t bits) { return bits == 64 ? UINT64_MAX : UINT32_MAX; }

static uint8_t align_of (uint64_t c) { return c == 0 ? ALIGN_MOST : (uint8_t)__builtin_ctzll(c); }

static uint8_t lower (uint8_t a, uint8_t b) { return a < b ? a : b; }

static uint64_t offset_at (const ptx_value *v, uint32_t lane) {
  return v->offsets == NULL ? 0 : v->offsets[lane];
}

ptx_value ptx_value_constant (uint64_t c) {
  return (ptx_value){ .base = PTX_BASE_CONST, .constant = c, .align = align_of(c) };
}

ptx_value ptx_value_of_warp (uint32_t align) {
  return (ptx_value){ .base = PTX_BASE_WARP,
                      .align = (uint8_t)(align < ALIGN_MOST ? align : ALIGN_MOST) };
}

/* base + by */
static ptx_value move_base (ptx_value base, uint64_t by, uint32_t bits) {
  if (base.base == PTX_BASE_CONST) {
    base.constant = (base.constant + by) & mask_of_bits(bits);
    base.align = align_of(base.constant);
  } else {
    base.align = lower(base.align, align_of(by));
  }
  return base;
}

static bool all_zero (const uint64_t *offsets) {
  uint64_t any = 0;
  for (int l = 0; l < PTX_LANES; l++) any |= offsets[l];
  return any == 0;
}

ptx_value ptx_value_make (lcu_arena *arena, ptx_value base, const uint64_t *offsets,
                          uint32_t bits) {
  if (base.base >= PTX_BASE_LANE) return ptx_value_unknown();
  uint64_t to[PTX_LANES], mask = mask_of_bits(bits);
  bool rows = base.base == PTX_BASE_ROW;
  for (uint32_t l = 0; l < PTX_LANES; l++)
    to[l] = (offsets[l] - offsets[rows ? l / PTX_ROW_LANES * PTX_ROW_LANES : 0]) & mask;
  uint8_t upper = lower(base.align, align_of(offsets[PTX_ROW_LANES]));
  base = move_base(base, offsets[0] & mask, bits);
  if (rows) base.align = lower(base.align, upper);
  base.offsets = NULL;
  if (all_zero(to)) return base;
  uint64_t *kept = lcu_arena_alloc(arena, sizeof to);
  if (kept == NULL) return ptx_value_unknown();
  memcpy(kept, to, sizeof to);
  base.offsets = kept;
  return base;
}

bool ptx_value_same (const ptx_value *a, const ptx_value *b) {
  if (a->base != b->base || a->align != b->align || a->widened != b->widened) return false;
  if (a->base == PTX_BASE_CONST && a->constant != b->constant) return false;
  if (a->offsets == b->offsets) return true;
  return a->offsets != NULL && b->offsets != NULL &&
         memcmp(a->offsets, b->offsets, PTX_LANES * sizeof *a->offsets) == 0;
}

static bool same_offsets (const ptx_value *a, const ptx_value *b) {
  for (uint32_t l = 0; l < PTX_LANES; l++)
    if (offset_at(a, l) != offset_at(b, l)) return false;
  return true;
}

ptx_value ptx_value_rows (lcu_arena *arena, ptx_value v, uint32_t bits) {
  if (v.base >= PTX_BASE_ROW || v.base == PTX_BASE_NONE) return v;
  uint64_t offsets[PTX_LANES];
  for (uint32_t l = 0; l < PTX_LANES; l++) offsets[l] = offset_at(&v, l);
  v.base = PTX_BASE_ROW;
  return ptx_value_make(arena, v, offsets, bits);
}

ptx_value ptx_value_join (lcu_arena *arena, ptx_value a, ptx_value b, uint32_t bits) {
  if (a.base == PTX_BASE_NONE) return b;
  if (b.base == PTX_BASE_NONE) return a;
  if (a.base == PTX_BASE_LANE || b.base == PTX_BASE_LANE) return ptx_value_unknown();
  if (a.base == PTX_BASE_ROW || b.base == PTX_BASE_ROW) {
    a = ptx_value_rows(arena, a, bits);
    b = ptx_value_rows(arena, b, bits);
  }
  if (a.base == PTX_BASE_LANE || b.base == PTX_BASE_LANE || !same_offsets(&a, &b))
    return ptx_value_unknown();
  ptx_value v = a.base > b.base ? a : b;
  bool differ = a.base == PTX_BASE_CONST && b.base == PTX_BASE_CONST && a.constant != b.constant;
  if (differ) v.base = PTX_BASE_WARP;
  v.align = lower(a.align, b.align);
  v.widened = a.widened || b.widened;
  return v;
}

ptx_value ptx_value_pure (lcu_arena *arena, const ptx_value *v, uint32_t num) {
  uint8_t most = PTX_BASE_WARP;
  bool widened = false;
  for (uint32_t k = 0; k < num; k++) {
    if (v[k].base == PTX_BASE_NONE) return v[k];
    if (!ptx_value_uniform(&v[k])) most = PTX_BASE_ROW;
    widened |= v[k].widened;
  }
  for (uint32_t k = 0; k < num && most == PTX_BASE_ROW; k++) {
    ptx_value rows = ptx_value_rows(arena, v[k], 64);
    if (!ptx_value_row_uniform(&rows)) return ptx_value_unknown();
  }
  return (ptx_value){ .base = most, .widened = widened };
}

static uint64_t compute (ptx_value_op op, uint64_t a, uint64_t b, uint32_t bits) {
  switch (op) {
    case PTX_VALUE_ADD: return a + b;
    case PTX_VALUE_SUB: return a - b;
    case PTX_VALUE_MUL: return a * b;
    case PTX_VALUE_AND: return a & b;
    case PTX_VALUE_OR: return a | b;
    case PTX_VALUE_XOR: return a ^ b;
    case PTX_VALUE_SHL: return b >= bits ? 0 : a << b;
    case PTX_VALUE_SHR_U: return b >= bits ? 0 : a >> b;
    case PTX_VALUE_SHR_S: break;
  }
  int64_t wide = bits == 64 ? (int64_t)a : (int32_t)(uint32_t)a;
  return (uint64_t)(wide >> (b >= bits ? bits - 1 : b));
}

/* Both are constants of each lane. */
static ptx_value compute_lanes (lcu_arena *arena, ptx_value_op op, const ptx_value *a,
                                const ptx_value *b, uint32_t bits) {
  uint64_t lanes[PTX_LANES], mask = mask_of_bits(bits);
  for (uint32_t l = 0; l < PTX_LANES; l++)
    lanes[l] = compute(op, (a->constant + offset_at(a, l)) & mask,
                       (b->constant + offset_at(b, l)) & mask, bits);
  return ptx_value_make(arena, ptx_value_constant(0), lanes, bits);
}

/* a + sign * b */
static ptx_value add (lcu_arena *arena, ptx_value a, ptx_value b, uint64_t sign, uint32_t bits) {
  if (a.base == PTX_BASE_ROW || b.base == PTX_BASE_ROW) {
    a = ptx_value_rows(arena, a, bits);
    b = ptx_value_rows(arena, b, bits);
  }
  if (a.base == PTX_BASE_LANE || b.base == PTX_BASE_LANE) return ptx_value_unknown();
  uint64_t offsets[PTX_LANES];
  for (uint32_t l = 0; l < PTX_LANES; l++) offsets[l] = offset_at(&a, l) + sign * offset_at(&b, l);
  ptx_value base = { .base = a.base > b.base ? a.base : b.base, .align = lower(a.align, b.align) };
  return ptx_value_make(arena, base, offsets, bits);
}

/* a * c */
static ptx_value scale (lcu_arena *arena, ptx_value a, uint64_t c, uint32_t bits) {
  uint64_t offsets[PTX_LANES];
  if (c == 0) return ptx_value_constant(0);
  uint32_t align = (uint32_t)a.align + align_of(c);
  for (uint32_t l = 0; l < PTX_LANES; l++) offsets[l] = offset_at(&a, l) * c;
  a.align = (uint8_t)(align < ALIGN_MOST ? align : ALIGN_MOST);
  return ptx_value_make(arena, a, offsets, bits);
}

/* Whether base and offsets have no bit in common: the base's bits are at align and above, the
 * offsets' below. */
static bool is_split (const ptx_value *v) {
  uint64_t all = 0;
  for (uint32_t l = 0; l < PTX_LANES; l++) all |= offset_at(v, l);
  return (all >> v->align) == 0;
}

/* A logic operation of a split value with a constant: on the base and on the offsets by itself. */
static ptx_value logic (lcu_arena *arena, ptx_value_op op, ptx_value a, uint64_t c, uint32_t bits) {
  uint64_t offsets[PTX_LANES], low = ((uint64_t)1 << a.align) - 1;
  for (uint32_t l = 0; l < PTX_LANES; l++)
    offsets[l] = compute(op, offset_at(&a, l), c & low, bits);
  if (op == PTX_VALUE_AND) {
    uint64_t high = c & ~low & mask_of_bits(bits);
    if (high == 0) a = ptx_value_constant(0);
    else a.align = align_of(high);
  }
  return ptx_value_make(arena, a, offsets, bits);
}

/* A split value shifted to the right: nothing is carried from the offsets into the base. */
static ptx_value shift_right (lcu_arena *arena, ptx_value a, uint64_t by) {
  uint64_t offsets[PTX_LANES];
  for (uint32_t l = 0; l < PTX_LANES; l++) offsets[l] = offset_at(&a, l) >> by;
  a.align = by < a.align ? (uint8_t)(a.align - by) : 0;
  return ptx_value_make(arena, a, offsets, 64);
}

static bool is_constant_value (const ptx_value *v) {
  return v->base == PTX_BASE_CONST && v->offsets == NULL;
}

static ptx_value by_constant (lcu_arena *arena, ptx_value_op op, ptx_value a, uint64_t c,
                              uint32_t bits) {
  switch (op) {
    case PTX_VALUE_MUL: return scale(arena, a, c, bits);
    case PTX_VALUE_SHL: return scale(arena, a, c < bits ? (uint64_t)1 << c : 0, bits);
    case PTX_VALUE_AND:
    case PTX_VALUE_OR:
    case PTX_VALUE_XOR:
      if (is_split(&a)) return logic(arena, op, a, c, bits);
      break;
    case PTX_VALUE_SHR_U:
    case PTX_VALUE_SHR_S:
      if (c < bits && is_split(&a)) return shift_right(arena, a, c);
      break;
    default: break;
  }
  return ptx_value_pure(arena, &a, 1);
}

static bool commutes (ptx_value_op op) { return op >= PTX_VALUE_MUL && op <= PTX_VALUE_XOR; }

static ptx_value combine (lcu_arena *arena, ptx_value_op op, ptx_value a, ptx_value b,
                          uint32_t bits) {
  if (ptx_value_known(&a) && ptx_value_known(&b)) return compute_lanes(arena, op, &a, &b, bits);
  if (op == PTX_VALUE_ADD) return add(arena, a, b, 1, bits);
  if (op == PTX_VALUE_SUB) return add(arena, a, b, UINT64_MAX, bits);
  if (is_constant_value(&b) && a.base < PTX_BASE_LANE)
    return by_constant(arena, op, a, b.constant & mask_of_bits(bits), bits);
  if (commutes(op) && is_constant_value(&a) && b.base < PTX_BASE_LANE)
    return by_constant(arena, op, b, a.constant & mask_of_bits(bits), bits);
  ptx_value v = ptx_value_pure(arena, (ptx_value[2]){ a, b }, 2);
  uint32_t align = (uint32_t)a.align + b.align;
  if (op == PTX_VALUE_MUL && v.base < PTX_BASE_LANE)
    v.align = (uint8_t)(align < ALIGN_MOST ? align : ALIGN_MOST);
  return v;
}

ptx_value ptx_value_compute (lcu_arena *arena, ptx_value_op op, ptx_value a, ptx_value b,
                             uint32_t bits) {
  if (a.base == PTX_BASE_NONE || b.base == PTX_BASE_NONE) return (ptx_value){ 0 };
  ptx_value v = combine(arena, op, a, b, bits);
  v.widened = v.base < PTX_BASE_LANE && (a.widened || b.widened);
  return v;
}

static uint64_t extend (uint64_t v, bool is_signed) {
  return is_signed ? (uint64_t)(int64_t)(int32_t)(uint32_t)v : (uint32_t)v;
}

ptx_value ptx_value_widen (lcu_arena *arena, ptx_value v, bool is_signed) {
  uint64_t lanes[PTX_LANES];
  if (v.base == PTX_BASE_NONE || v.base == PTX_BASE_LANE) return v;
  if (v.base == PTX_BASE_CONST) {
    for (uint32_t l = 0; l < PTX_LANES; l++)
      lanes[l] = extend(v.constant + offset_at(&v, l), is_signed);
    ptx_value known = ptx_value_make(arena, ptx_value_constant(0), lanes, 64);
    known.widened = v.widened;
    return known;
  }
  if (v.offsets == NULL) return v;
  bool wraps = !is_split(&v);
  for (uint32_t l = 0; l < PTX_LANES; l++) lanes[l] = extend(offset_at(&v, l), wraps);
  ptx_value wide = ptx_value_make(arena, v, lanes, 64);
  wide.widened = v.widened || wraps;
  return wide;
}

ptx_value ptx_value_narrow (lcu_arena *arena, ptx_value v) {
  uint64_t lanes[PTX_LANES];
  if (v.base == PTX_BASE_NONE || v.base == PTX_BASE_LANE) return v;
  for (uint32_t l = 0; l < PTX_LANES; l++) lanes[l] = offset_at(&v, l);
  return ptx_value_make(arena, v, lanes, 32);
}

static int64_t signed_offset (const ptx_value *v, uint32_t bits, uint32_t lane) {
  uint64_t at = offset_at(v, lane);
  return bits == 64 ? (int64_t)at : (int32_t)(uint32_t)at;
}

bool ptx_value_stride (const ptx_value *v, uint32_t bits, uint32_t width, int64_t *stride) {
  if (v->base == PTX_BASE_NONE || v->base == PTX_BASE_LANE) return false;
  if (v->base == PTX_BASE_ROW && width > PTX_ROW_LANES) return false;
  uint64_t step = offset_at(v, 1), mask = mask_of_bits(bits);
  *stride = signed_offset(v, bits, 1);
  for (uint32_t l = 0; l < PTX_LANES; l++) {
    uint64_t from = offset_at(v, l / width * width);
    if (((offset_at(v, l) - from - step * (l % width)) & mask) != 0) return false;
  }
  return true;
}

void ptx_value_ends (const ptx_value *v, uint32_t bits, uint32_t *least, uint32_t *greatest) {
  *least = *greatest = 0;
  for (uint32_t l = 1; l < PTX_LANES; l++) {
    if (signed_offset(v, bits, l) < signed_offset(v, bits, *least)) *least = l;
    if (signed_offset(v, bits, l) > signed_offset(v, bits, *greatest)) *greatest = l;
  }
}
