/* ptx_check_wrap.c: with all checks on, addresses made by integer arithmetic that wrapped around:
 * `p[i * n]` with int i, n and a product that needs more than 32 bits.
 *
 * Contract: only certain mistakes are reported. Hash functions and random generators wrap around on
 * purpose, so a register is marked when a sum, product or left shift does not fit, the marks follow
 * through sums, products, left shifts, copies and extensions to 64 bits, and an access through a
 * marked register is reported. Every other operation (remainder, mask, right shift, comparison,
 * memory) gives a register without marks. So do subtractions, and sums of registers with a carry:
 * both may be the end of a remainder by a constant, or take back an offset that was negative.
 *
 * PTX does not say whether a register is signed; what extends it to 64 bits does. */
#include "ptx_check.h"
#include "ptx_check_marks.h"
#include "ptx_fault.h"
#include "ptx_memory.h"
#include "ptx_operands.h"

typedef ptx_marks marks;

/* ---- one instruction */

typedef struct step {
  ptx_xwarp *x;
  const ptx_uop *I;
  const ptx_frame *f;
  ptx_mark_origin origin; /* of an operand's marks; name NULL: no operand has any */
} step;

static const uint32_t *words (const step *s, int32_t slot) {
  return (const uint32_t *)(const void *)(s->f->rf + slot);
}
static const uint64_t *longs (const step *s, int32_t slot) {
  return (const uint64_t *)(const void *)(s->f->rf + slot);
}

static bool is_constant (const step *s, int32_t slot) {
  return (uint32_t)slot >= s->f->code->constants_at;
}

/* Constants, parameters and temporaries have no marks; another function whose registers were in the
 * same memory may have left some there. A temporary is read by the same instruction only. */
static bool may_be_marked (const step *s, int32_t slot) {
  return (uint32_t)slot < s->f->code->params_at;
}

static const ptx_marked *find (const step *s, int32_t slot) {
  return may_be_marked(s, slot) ? ptx_marks_find(s->x, s->f->rf, slot) : NULL;
}

static marks marks_of (step *s, int32_t slot) {
  const ptx_marked *e = find(s, slot);
  if (e == NULL) return (marks){ 0 };
  if (((e->m.as_signed | e->m.as_any) & s->x->w.mask) != 0) s->origin = e->origin;
  return e->m;
}

static marks either (marks a, marks b) {
  return (marks){ { a.as_signed | b.as_signed }, { a.as_any | b.as_any }, 0 };
}

static void set_marks (step *s, int32_t slot, marks m, const char *name) {
  uint32_t mask = s->x->w.mask;
  if (!may_be_marked(s, slot)) return;
  m = (marks){ { m.as_signed & mask }, { m.as_any & mask }, m.minus & mask };
  ptx_mark_origin own = { .name = name, .loc = s->I->loc };
  ptx_marks_set(s->x, s->f->rf, slot, m, s->origin.name != NULL ? s->origin : own);
}

/* ---- 32 bits */

/* The marks of a sum whose operands have the marks m. */
static marks sum32 (const uint32_t *a, const uint32_t *b, uint32_t mask, bool constant, marks m) {
  uint32_t over = 0, carry = 0;
  for (uint32_t l = 0; l < PTX_LANES; l++) {
    uint32_t r = a[l] + b[l];
    over |= (((a[l] ^ r) & (b[l] ^ r)) >> 31) << l;
    carry |= (uint32_t)(r < a[l]) << l;
  }
  m.as_signed |= over & mask;
  if (constant) return m;
  uint32_t keep = ~(carry | m.minus);
  return (marks){ { m.as_signed & keep }, { m.as_any & keep }, 0 };
}

static marks product32 (const uint32_t *a, const uint32_t *b, uint32_t mask) {
  marks m = { 0 };
  for (uint32_t l = 0; l < PTX_LANES; l++) {
    int64_t p = (int64_t)(int32_t)a[l] * (int32_t)b[l];
    uint32_t over = p < INT32_MIN || p > INT32_MAX;
    uint32_t both = over & ((uint64_t)a[l] * b[l] > UINT32_MAX);
    m.as_signed |= over << l;
    m.as_any |= both << l;
  }
  return (marks){ { m.as_signed & mask }, { m.as_any & mask }, 0 };
}

static marks shift32 (const uint32_t *a, const uint32_t *by, uint32_t mask) {
  marks m = { 0 };
  for (uint32_t l = 0; l < PTX_LANES; l++) {
    if (by[l] >= 32) continue;
    uint64_t wide = (uint64_t)a[l] << by[l];
    int64_t number = (int64_t)((uint64_t)(int64_t)(int32_t)a[l] << by[l]);
    uint32_t over = number < INT32_MIN || number > INT32_MAX;
    uint32_t both = over & (wide > UINT32_MAX);
    m.as_signed |= over << l;
    m.as_any |= both << l;
  }
  return (marks){ { m.as_signed & mask }, { m.as_any & mask }, 0 };
}

static bool is_negative32 (const step *s, int32_t slot) {
  return is_constant(s, slot) && (int32_t)words(s, slot)[0] < 0;
}

static marks minus (const step *s) { return (marks){ .minus = s->x->w.mask }; }

static marks visit_sum32 (step *s) {
  const ptx_uop *I = s->I;
  marks a = marks_of(s, I->a), b = marks_of(s, I->b), m = either(a, b);
  m.minus = a.minus | b.minus;
  return sum32(words(s, I->a), words(s, I->b), s->x->w.mask,
               is_constant(s, I->a) || is_constant(s, I->b), m);
}

static marks visit_product32 (step *s) {
  const ptx_uop *I = s->I;
  if (is_negative32(s, I->a) || is_negative32(s, I->b)) return minus(s);
  return either(either(marks_of(s, I->a), marks_of(s, I->b)),
                product32(words(s, I->a), words(s, I->b), s->x->w.mask));
}

/* A product with a negative constant is subtracted. */
static marks visit_mad32 (step *s) {
  const ptx_uop *I = s->I;
  uint32_t low[PTX_LANES];
  marks product = visit_product32(s), m = either(product, marks_of(s, I->c));
  for (uint32_t l = 0; l < PTX_LANES; l++) low[l] = words(s, I->a)[l] * words(s, I->b)[l];
  m.minus = product.minus;
  return sum32(low, words(s, I->c), s->x->w.mask, is_constant(s, I->c) && m.minus == 0, m);
}

static marks visit_shift32 (step *s) {
  const ptx_uop *I = s->I;
  return either(marks_of(s, I->a), shift32(words(s, I->a), words(s, I->b), s->x->w.mask));
}

/* ---- to 64 bits */

static marks extended (step *s, int32_t slot, bool is_signed) {
  marks m = marks_of(s, slot);
  return (marks){ .extended = is_signed ? m.as_signed : m.as_any };
}

static marks visit_wide (step *s, bool is_signed, bool add) {
  const ptx_uop *I = s->I;
  marks m = either(extended(s, I->a, is_signed), extended(s, I->b, is_signed));
  return add ? either(m, marks_of(s, I->c)) : m;
}

/* ---- 64 bits */

/* A marked number from which another one is subtracted is marked no more; a marked negative one
 * that is added to an address still is. */
static marks sum64 (const step *s, const uint64_t *x, const uint64_t *y, marks a, marks b) {
  marks m = { 0 };
  for (uint32_t l = 0; l < PTX_LANES; l++) {
    uint32_t bit = UINT32_C(1) << l;
    bool carry = x[l] + y[l] < x[l], a_left = (int64_t)y[l] < 0, b_left = (int64_t)x[l] < 0;
    if (!(carry && a_left)) m.extended |= a.extended & bit;
    if (!(carry && b_left)) m.extended |= b.extended & bit;
    if (!carry) m.own |= (a.own | b.own) & bit;
  }
  uint32_t keep = ~(a.minus | b.minus) & s->x->w.mask;
  return (marks){ { m.extended & keep }, { m.own & keep }, 0 };
}

static uint32_t too_large64 (uint64_t a, uint64_t b) {
  uint64_t u;
  int64_t i;
  return (uint32_t)(__builtin_mul_overflow(a, b, &u) &&
                    __builtin_mul_overflow((int64_t)a, (int64_t)b, &i));
}

static marks visit_product64 (step *s) {
  const ptx_uop *I = s->I;
  const uint64_t *a = longs(s, I->a), *b = longs(s, I->b);
  if ((is_constant(s, I->a) && (int64_t)a[0] < 0) || (is_constant(s, I->b) && (int64_t)b[0] < 0))
    return minus(s);
  marks m = either(marks_of(s, I->a), marks_of(s, I->b));
  for (uint32_t l = 0; l < PTX_LANES; l++) m.own |= too_large64(a[l], b[l]) << l;
  return m;
}

static marks visit_mad64 (step *s) {
  const ptx_uop *I = s->I;
  uint64_t low[PTX_LANES];
  marks product = visit_product64(s);
  for (uint32_t l = 0; l < PTX_LANES; l++) low[l] = longs(s, I->a)[l] * longs(s, I->b)[l];
  return sum64(s, low, longs(s, I->c), product, marks_of(s, I->c));
}

static marks visit_shift64 (step *s) {
  const ptx_uop *I = s->I;
  const uint64_t *a = longs(s, I->a);
  const uint32_t *by = words(s, I->b);
  marks m = either(marks_of(s, I->a), (marks){ 0 });
  for (uint32_t l = 0; l < PTX_LANES; l++)
    if (by[l] < 64) m.own |= too_large64(a[l], UINT64_C(1) << by[l]) << l;
  return m;
}

/* ---- */

static void forget (void *ud, ptx_reg *reg, int role) {
  step *s = ud;
  if ((role & PTX_WRITE) != 0 && reg->slot >= 0) set_marks(s, reg->slot, (marks){ 0 }, "");
}

static void forget_written (step *s) {
  const ptx_inst *inst = s->f->code->insts[s->I - s->f->code->uops];
  if (inst != NULL && ptx_marks_exist(s->x)) ptx_inst_visit_regs(inst, forget, s);
}

static void visit_step (step *s) {
  const ptx_uop *I = s->I;
#define MARK(name, expression) set_marks(s, I->d, expression, name)
  switch (I->id) {
    case PTX_ID_add_b32: MARK("sum", visit_sum32(s)); break;
    case PTX_ID_mul_lo_b32: MARK("product", visit_product32(s)); break;
    case PTX_ID_mad_lo_b32: MARK("product", visit_mad32(s)); break;
    case PTX_ID_shl_b32: MARK("shift", visit_shift32(s)); break;
    case PTX_ID_mov_b32:
    case PTX_ID_mov_b64: MARK("", marks_of(s, I->a)); break;
    case PTX_ID_cvt_u64_s32: MARK("", extended(s, I->a, true)); break;
    case PTX_ID_cvt_u64_u32: MARK("", extended(s, I->a, false)); break;
    case PTX_ID_mul_wide_s32: MARK("", visit_wide(s, true, false)); break;
    case PTX_ID_mul_wide_u32: MARK("", visit_wide(s, false, false)); break;
    case PTX_ID_mad_wide_s32: MARK("", visit_wide(s, true, true)); break;
    case PTX_ID_mad_wide_u32: MARK("", visit_wide(s, false, true)); break;
    case PTX_ID_add_b64:
      MARK("", sum64(s, longs(s, I->a), longs(s, I->b), marks_of(s, I->a), marks_of(s, I->b)));
      break;
    case PTX_ID_sub_b64: MARK("", (marks){ .extended = marks_of(s, I->b).extended }); break;
    case PTX_ID_mul_lo_b64: MARK("product", visit_product64(s)); break;
    case PTX_ID_mad_lo_b64: MARK("product", visit_mad64(s)); break;
    case PTX_ID_shl_b64: MARK("shift", visit_shift64(s)); break;
    default: forget_written(s); break;
  }
#undef MARK
}

static bool report_wrap (step *s, uint32_t lane, const ptx_marked *e) {
  const ptx_uop *I = s->I;
  ptx_fault_set(s->x, lane, PTX_FAULT_OVERFLOW, "%s", "");
  ptx_warp_fault *f = &s->x->w.fault;
  f->address = ptx_lane_address(I, s->f->rf, &s->x->w, lane);
  f->bytes = (uint32_t)I->size * (I->vector == 0 ? 1u : I->vector);
  f->space = I->space;
  f->write = ptx_id_access[I->id] != PTX_ACCESS_LOAD;
  f->other = (ptx_meeting){ .access = e->origin.name,
                            .cta = s->x->cta->linear,
                            .thread = (uint16_t)(s->x->w.warpid * PTX_LANES + lane),
                            .loc = e->origin.loc };
  return false;
}

static bool check_address (step *s) {
  const ptx_uop *I = s->I;
  if (I->size == 0 || ptx_id_access[I->id] == PTX_ACCESS_NONE || (I->flags & PTX_F_DIRECT) != 0)
    return true;
  const ptx_marked *e = find(s, I->a);
  if (e == NULL) return true;
  bool narrow = (I->flags & PTX_F_ADDRESS32) != 0;
  uint32_t wrong = (narrow ? e->m.as_any : e->m.extended | e->m.own) & s->x->w.mask;
  return wrong == 0 || report_wrap(s, ptx_first_lane(wrong), e);
}

bool ptx_check_wrapped (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f) {
  step s = { .x = x, .I = I, .f = f };
  if (!check_address(&s)) return false;
  visit_step(&s);
  return true;
}
