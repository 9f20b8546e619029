/* ptx_jit_wrap.c: with all checks on, integer arithmetic that wraps around and may become an
 * address (ptx_check_wrap.c). Compiled code keeps no marks. It looks for the first operation that
 * would set one, of those whose marks can reach an address, and gives it to the interpreter, which
 * then follows the marks to the end of the block. */
#include "ptx_jit_wrap.h"

#include <string.h>

#include "ptx_ids.h"
#include "ptx_jit_text.h"

/* ---- which kernels ---- */

/* Operations whose checks need a record of every instruction, or of asynchronous operations. */
static bool needs_interpreter (const ptx_uop *I) {
  switch (I->id) {
    case PTX_ID_call:
    case PTX_ID_alloca:
    case PTX_ID_cp_async:
    case PTX_ID_async_group:
    case PTX_ID_wgmma:
    case PTX_ID_wgmma_load:
    case PTX_ID_mapa:
    case PTX_ID_getctarank:
    case PTX_ID_cluster_arrive:
    case PTX_ID_cluster_wait: return true;
    case PTX_ID_nop: return I->imm != 0;
    default: return ptx_id_access[I->id] >= PTX_ACCESS_SYNC || I->space == PTX_CLUSTER;
  }
}

bool ptx_jit_can_check (const ptx_code *code) {
  for (uint32_t i = 0; i < code->num_uops; i++)
    if (needs_interpreter(&code->uops[i])) return false;
  return !code->calls && !code->multiplies;
}

/* ---- which results ---- */

typedef struct mark_sources {
  int32_t slots[3];
  uint32_t bytes[3], num;
} mark_sources;

static void add_mark_source (mark_sources *s, int32_t slot, uint32_t bytes) {
  s->slots[s->num] = slot;
  s->bytes[s->num++] = bytes;
}

/* The sources whose marks the result takes over, as ptx_check_wrap.c has them. */
static mark_sources sources_of_marks (const ptx_uop *I) {
  mark_sources s = { .num = 0 };
  switch (I->id) {
    case PTX_ID_mad_lo_b32: add_mark_source(&s, I->c, 4); /* fall through */
    case PTX_ID_add_b32:
    case PTX_ID_mul_lo_b32:
    case PTX_ID_mul_wide_s32:
    case PTX_ID_mul_wide_u32: add_mark_source(&s, I->b, 4); /* fall through */
    case PTX_ID_shl_b32:
    case PTX_ID_mov_b32:
    case PTX_ID_cvt_u64_s32:
    case PTX_ID_cvt_u64_u32: add_mark_source(&s, I->a, 4); break;
    case PTX_ID_mad_wide_s32:
    case PTX_ID_mad_wide_u32:
      add_mark_source(&s, I->a, 4);
      add_mark_source(&s, I->b, 4);
      add_mark_source(&s, I->c, 8);
      break;
    case PTX_ID_mad_lo_b64: add_mark_source(&s, I->c, 8); /* fall through */
    case PTX_ID_add_b64:
    case PTX_ID_mul_lo_b64: add_mark_source(&s, I->b, 8); /* fall through */
    case PTX_ID_shl_b64:
    case PTX_ID_mov_b64: add_mark_source(&s, I->a, 8); break;
    case PTX_ID_sub_b64: add_mark_source(&s, I->b, 8); break;
    default: break;
  }
  return s;
}

static bool sets_marks (const ptx_uop *I) {
  switch (I->id) {
    case PTX_ID_add_b32:
    case PTX_ID_mul_lo_b32:
    case PTX_ID_mad_lo_b32:
    case PTX_ID_shl_b32:
    case PTX_ID_mul_lo_b64:
    case PTX_ID_mad_lo_b64:
    case PTX_ID_shl_b64: return true;
    default: return false;
  }
}

typedef struct marking {
  ptx_jit_facts *f;
  uint64_t *set;
} marking;

static void put_mark (const marking *m, int32_t slot, uint32_t bytes, bool in) {
  int32_t v = ptx_jit_find(m->f, slot, bytes);
  if (v < 0) return;
  uint64_t bit = (uint64_t)1 << (v % 64);
  if (in) m->set[v / 64] |= bit;
  else m->set[v / 64] &= ~bit;
}

static bool has_mark (const marking *m, int32_t slot, uint32_t bytes) {
  int32_t v = ptx_jit_find(m->f, slot, bytes);
  return v >= 0 && (m->set[v / 64] >> (v % 64) & 1u) != 0;
}

static uint32_t result_bytes (const ptx_uop *I) {
  const ptx_loop_row *r = ptx_loop_row_of(I);
  return r != NULL ? ptx_lane_slot_bytes(r->d) : 4;
}

static bool is_access (const ptx_uop *I) {
  return I->size != 0 && ptx_id_access[I->id] != PTX_ACCESS_NONE && (I->flags & PTX_F_DIRECT) == 0;
}

/* Backwards over micro-operation i: which registers' marks may reach an address. */
static void step_back (marking *m, uint32_t i) {
  const ptx_uop *I = &m->f->code->uops[i];
  mark_sources s = sources_of_marks(I);
  bool wanted = s.num != 0 && has_mark(m, I->d, result_bytes(I));
  if (wanted && sets_marks(I)) m->f->wraps[i] = true;
  if (wanted && !m->f->guarded[i]) put_mark(m, I->d, result_bytes(I), false);
  for (uint32_t k = 0; wanted && k < s.num; k++) put_mark(m, s.slots[k], s.bytes[k], true);
  if (is_access(I)) put_mark(m, I->a, (I->flags & PTX_F_ADDRESS32) != 0 ? 4 : 8, true);
}

static bool pass_back (ptx_jit_facts *f, uint64_t *sets, uint64_t *set, uint32_t set_words) {
  bool changed = false;
  marking m = { f, set };
  for (uint32_t i = f->code->num_uops; i-- > 0;) {
    uint32_t to[2], n = ptx_jit_successors(f->code, i, to);
    uint64_t *at = sets + (size_t)i * set_words;
    memset(set, 0, set_words * 8);
    for (uint32_t k = 0; k < n; k++)
      for (uint32_t w = 0; w < set_words; w++) set[w] |= sets[(size_t)to[k] * set_words + w];
    step_back(&m, i);
    changed |= memcmp(set, at, set_words * 8) != 0;
    memcpy(at, set, set_words * 8);
  }
  return changed;
}

/* A product with a negative constant, as ptx_check_wrap.c has it: what it is added to is a
 * subtraction. */
static bool is_negative_product (const ptx_code *code, const ptx_uop *I) {
  const int32_t slots[2] = { I->a, I->b };
  bool wide = I->id == PTX_ID_mul_lo_b64 || I->id == PTX_ID_mad_lo_b64;
  if (!wide && I->id != PTX_ID_mul_lo_b32 && I->id != PTX_ID_mad_lo_b32) return false;
  for (int k = 0; k < 2; k++) {
    if (!ptx_jit_is_constant(code, slots[k])) continue;
    uint64_t c = ptx_jit_constant(code, slots[k], wide ? 8 : 4);
    if (wide ? (int64_t)c < 0 : (int32_t)(uint32_t)c < 0) return true;
  }
  return false;
}

/* The sum of such a product never has marks. The product alone would be known to the interpreter
 * by a mark of its own, which is not kept here: false, the kernel stays with it. */
static bool sort_out_products (ptx_jit_facts *f) {
  for (uint32_t i = 0; i < f->code->num_uops; i++) {
    const ptx_uop *I = &f->code->uops[i];
    if (!f->wraps[i] || !is_negative_product(f->code, I)) continue;
    if (I->id == PTX_ID_mul_lo_b32 || I->id == PTX_ID_mul_lo_b64) return false;
    f->wraps[i] = false;
  }
  return true;
}

bool ptx_jit_find_wraps (ptx_jit_facts *f, lcu_arena *arena) {
  uint32_t set_words = f->num_vars / 64 + 1;
  f->wraps = lcu_arena_alloc(arena, f->code->num_uops + 1);
  if (f->wraps == NULL || !f->checked) return f->wraps != NULL;
  uint64_t *sets = lcu_arena_alloc(arena, ((size_t)f->code->num_uops + 1) * set_words * 8);
  uint64_t *set = lcu_arena_alloc(arena, set_words * 8);
  if (sets == NULL || set == NULL) return false;
  while (pass_back(f, sets, set, set_words));
  return sort_out_products(f);
}

/* ---- their code ---- */

static uint32_t lanes_of (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes) {
  return ptx_jit_lanes(E, i, slot, bytes);
}

static uint32_t apply_wrap (ptx_jit_emitter *E, const char *text, uint32_t a, uint32_t b,
                            uint32_t c) {
  return ptx_jit_apply(E, text, (ptx_jit_filling){ .lanes = PTX_LANES, .values = { a, b, c } });
}

/* Lanes whose sum does not fit: negative numbers. Of two registers, not if it carries. */
#define SUM_OVER "$0 = add $i32 $a, $b\n$1 = xor $i32 $a, $0\n$2 = xor $i32 $b, $0\n"
static uint32_t sum_over (ptx_jit_emitter *E, uint32_t a, uint32_t b, bool constant) {
  return apply_wrap(E,
                    constant ? SUM_OVER "$d = and $i32 $1, $2"
                             : SUM_OVER "$3 = and $i32 $1, $2\n$4 = icmp uge $i32 $0, $a\n"
                                        "$5 = sext $i1 $4 to $i32\n$d = and $i32 $3, $5",
                    a, b, 0);
}

/* Lanes whose product does not fit in 32 bits as a signed number: not 0. */
static uint32_t product_over (ptx_jit_emitter *E, uint32_t a, uint32_t b) {
  return apply_wrap(E,
                    "$0 = sext $i32 $a to $i64\n$1 = sext $i32 $b to $i64\n$2 = mul $i64 $0, $1\n"
                    "$3 = trunc $i64 $2 to $i32\n$4 = sext $i32 $3 to $i64\n"
                    "$5 = icmp ne $i64 $2, $4\n$d = sext $i1 $5 to $i32",
                    a, b, 0);
}

static uint32_t mad_over (ptx_jit_emitter *E, uint32_t a, uint32_t b, uint32_t c, bool constant) {
  uint32_t low = apply_wrap(E, "$d = mul $i32 $a, $b", a, b, 0);
  return apply_wrap(E, "$d = or $i32 $a, $b", product_over(E, a, b), sum_over(E, low, c, constant),
                    0);
}

static uint32_t shift_over (ptx_jit_emitter *E, uint32_t a, uint32_t by) {
  return apply_wrap(E,
                    "$0 = icmp ult $i32 $b, [i32 32]\n$1 = select $i1 $0, $i32 $b, $i32 [i32 0]\n"
                    "$2 = shl $i32 $a, $1\n$3 = ashr $i32 $2, $1\n$4 = icmp ne $i32 $3, $a\n"
                    "$d = sext $i1 $4 to $i32",
                    a, by, 0);
}

/* 64 bits: perhaps. Numbers below 2^31 have products that fit. */
static uint32_t wide_over (ptx_jit_emitter *E, uint32_t a, uint32_t b) {
  return apply_wrap(E,
                    "$0 = add $i64 $a, [i64 2147483648]\n$1 = add $i64 $b, [i64 2147483648]\n"
                    "$2 = or $i64 $0, $1\n$3 = icmp ugt $i64 $2, [i64 4294967295]\n"
                    "$d = sext $i1 $3 to $i32",
                    a, b, 0);
}

static uint32_t wide_shift_over (ptx_jit_emitter *E, uint32_t a, uint32_t by) {
  return apply_wrap(E,
                    "$0 = icmp ult $i32 $b, [i32 64]\n$1 = select $i1 $0, $i32 $b, $i32 [i32 0]\n"
                    "$2 = zext $i32 $1 to $i64\n$3 = shl $i64 $a, $2\n$4 = ashr $i64 $3, $2\n"
                    "$5 = lshr $i64 $3, $2\n$6 = icmp ne $i64 $4, $a\n$7 = icmp ne $i64 $5, $a\n"
                    "$8 = and $i1 $6, $7\n$d = sext $i1 $8 to $i32",
                    a, by, 0);
}

/* <32 x i32>: negative in lanes whose result may get a mark. */
static uint32_t marked_lanes (ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  const ptx_code *code = E->f->code;
  bool wide = I->id == PTX_ID_mul_lo_b64 || I->id == PTX_ID_mad_lo_b64 || I->id == PTX_ID_shl_b64;
  bool shift = I->id == PTX_ID_shl_b32 || I->id == PTX_ID_shl_b64;
  bool constants = ptx_jit_is_constant(code, I->a) || ptx_jit_is_constant(code, I->b);
  uint32_t a = lanes_of(E, i, I->a, wide ? 8 : 4), b = lanes_of(E, i, I->b, wide && !shift ? 8 : 4);
  switch (I->id) {
    case PTX_ID_add_b32: return sum_over(E, a, b, constants);
    case PTX_ID_mul_lo_b32: return product_over(E, a, b);
    case PTX_ID_mad_lo_b32:
      return mad_over(E, a, b, lanes_of(E, i, I->c, 4), ptx_jit_is_constant(code, I->c));
    case PTX_ID_shl_b32: return shift_over(E, a, b);
    case PTX_ID_shl_b64: return wide_shift_over(E, a, b);
    default: return wide_over(E, a, b);
  }
}

void ptx_jit_wrap (ptx_jit_emitter *E, uint32_t i) {
  if (!E->f->checked || !E->f->wraps[i]) return;
  uint32_t marked = marked_lanes(E, i), n = E->next;
  E->next += 6;
  lcu_buf_addf(&E->out,
               "  %%t%u = icmp slt <32 x i32> %%t%u, zeroinitializer\n"
               "  %%t%u = bitcast <32 x i1> %%t%u to i32\n  %%t%u = and i32 %%t%u, %%t%u\n"
               "  %%t%u = icmp eq i32 %%t%u, 0\n",
               n, marked, n + 1, n, n + 2, n + 1, E->bits, n + 3, n + 2);
  ptx_jit_likely(E, n + 3, n + 4, n + 5);
  lcu_buf_addf(&E->out, "X%u:\n", n + 5);
  ptx_jit_give_up(E, i);
  lcu_buf_addf(&E->out, "X%u:\n", n + 4);
}
