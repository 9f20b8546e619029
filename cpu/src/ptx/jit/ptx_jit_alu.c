/* ptx_jit_alu.c: lane loops, by the texts of ptx_jit_ops.def, and values of the warp. */
#include "ptx_jit_emit.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ptx_ids.h"
#include "ptx_jit_access.h"
#include "ptx_jit_text.h"
#include "ptx_jit_wrap.h"

enum { LOP3_TEXT = 2048 };

/* ---- steps of f32 ---- */

static uint32_t apply_step (ptx_jit_emitter *E, const char *text, uint32_t value, uint32_t lanes) {
  return ptx_jit_apply(E, text, (ptx_jit_filling){ .lanes = lanes, .values = { value } });
}

#define FLUSH \
  "$0 = bitcast $float $a to $i32\n$1 = and $i32 $0, [i32 2139095040]\n" \
  "$2 = icmp eq $i32 $1, [i32 0]\n$3 = and $i32 $0, [i32 -2147483648]\n" \
  "$4 = select $i1 $2, $i32 $3, $i32 $0\n$d = bitcast $i32 $4 to $float"
#define CLAMP \
  "$0 = fcmp ogt $float $a, [float 0.0]\n$1 = select $i1 $0, $float $a, $float [float 0.0]\n" \
  "$2 = fcmp olt $float $1, [float 1.0]\n$d = select $i1 $2, $float $1, $float [float 1.0]"

/* ---- one operation ---- */

typedef struct loop {
  ptx_jit_emitter *E;
  uint32_t i;
  const ptx_uop *I;
  const ptx_loop_row *r;
  const char *text;
  int flags;
} loop;

/* The result, from sources in the slots' types. */
static uint32_t compute (const loop *x, const uint32_t *sources, uint32_t lanes) {
  ptx_jit_emitter *E = x->E;
  ptx_jit_filling fill = { .lanes = lanes, .imm = x->I->imm };
  for (uint32_t k = 0; k < x->r->sources; k++) {
    uint32_t v = ptx_jit_convert(E, sources[k], x->r->s[k], lanes, false);
    fill.values[k] =
      (x->flags & PTX_JIT_OP_IN) && x->r->s[k] == PTX_LANE_f32 ? apply_step(E, FLUSH, v, lanes) : v;
  }
  uint32_t d = ptx_jit_apply(E, x->text, fill);
  if (x->flags & PTX_JIT_OP_OUT) d = apply_step(E, FLUSH, d, lanes);
  if (x->flags & PTX_JIT_OP_SAT) d = apply_step(E, CLAMP, d, lanes);
  return ptx_jit_convert(E, d, x->r->d, lanes, true);
}

static const ptx_value *source_value (const ptx_jit_facts *f, uint32_t i, uint32_t k) {
  const ptx_uop *I = &f->code->uops[i];
  return ptx_jit_value(f, i, ptx_loop_source(I, k), ptx_lane_slot_bytes(ptx_loop_row_of(I)->s[k]));
}

static bool has_bases (const ptx_jit_facts *f, uint32_t i) {
  for (uint32_t k = 0; k < ptx_loop_row_of(&f->code->uops[i])->sources; k++)
    if (source_value(f, i, k) == NULL) return false;
  return true;
}

/* A test of one bit of 64, as LLVM does not see it: it would make it a conversion to narrow lanes,
 * which takes more instructions than the test. */
static bool is_bit (const loop *x) {
  if (x->I->id != PTX_ID_and_b64 || !ptx_jit_is_constant(x->E->f->code, x->I->b)) return false;
  uint64_t bits = ptx_jit_constant(x->E->f->code, x->I->b, 8);
  return bits != 0 && (bits & (bits - 1)) == 0;
}

static uint32_t hidden_bit (const loop *x, uint32_t lanes) {
  uint32_t t = ptx_jit_number(x->E);
  lcu_buf_addf(&x->E->out, "  %%t%u = call i64 asm \"\", \"=r,0\"(i64 %lld)\n", t,
               (long long)ptx_jit_constant(x->E->f->code, x->I->b, 8));
  return ptx_jit_spread(x->E, t, "i64", lanes);
}

static uint32_t compute_lanes (const loop *x) {
  uint32_t sources[4];
  for (uint32_t k = 0; k < x->r->sources; k++)
    sources[k] =
      ptx_jit_lanes(x->E, x->i, ptx_loop_source(x->I, k), ptx_lane_slot_bytes(x->r->s[k]));
  if (is_bit(x)) sources[1] = hidden_bit(x, PTX_LANES);
  return compute(x, sources, PTX_LANES);
}

static uint32_t compute_base (const loop *x, uint32_t row) {
  uint32_t sources[4];
  for (uint32_t k = 0; k < x->r->sources; k++)
    sources[k] =
      ptx_jit_base(x->E, x->i, ptx_loop_source(x->I, k), ptx_lane_slot_bytes(x->r->s[k]), row);
  return compute(x, sources, 1);
}

/* ---- conversions to 64 bits, of a base that must not wrap around with an offset ---- */

/* Whether the extended ends differ by their offsets: i1. */
static uint32_t ends_fit (ptx_jit_emitter *E, uint32_t base, const ptx_value *v, bool is_signed) {
  uint32_t a, b, n = E->next;
  const char *ext = is_signed ? "sext" : "zext";
  ptx_value_ends(v, 32, &a, &b);
  long long low = ptx_jit_offset(v, a, 4), high = ptx_jit_offset(v, b, 4);
  E->next += 6;
  lcu_buf_addf(&E->out, "  %%t%u = add i32 %%t%u, %lld\n  %%t%u = add i32 %%t%u, %lld\n", n, base,
               low, n + 1, base, high);
  lcu_buf_addf(&E->out, "  %%t%u = %s i32 %%t%u to i64\n  %%t%u = %s i32 %%t%u to i64\n", n + 2,
               ext, n, n + 3, ext, n + 1);
  lcu_buf_addf(&E->out, "  %%t%u = sub i64 %%t%u, %%t%u\n  %%t%u = icmp eq i64 %%t%u, %lld\n",
               n + 4, n + 3, n + 2, n + 5, n + 4, high - low);
  return n + 5;
}

static void give_up_here (ptx_jit_emitter *E, uint32_t i) {
  ptx_jit_give_up(E, i);
  lcu_buf_addf(&E->out, "X%u:\n", ptx_jit_number(E));
}

static void check_ends (const loop *x) {
  ptx_jit_emitter *E = x->E;
  for (uint32_t k = 0; k < x->r->sources; k++) {
    const ptx_value *v = source_value(E->f, x->i, k);
    bool narrow = x->r->s[k] == PTX_LANE_u32 || x->r->s[k] == PTX_LANE_s32;
    if (!narrow) continue;
    if (v == NULL) give_up_here(E, x->i);
    if (v == NULL || v->offsets == NULL || v->base == PTX_BASE_CONST) continue;
    for (uint32_t row = 0; row < (v->base == PTX_BASE_ROW ? 2u : 1u); row++) {
      uint32_t base = ptx_jit_base(E, x->i, ptx_loop_source(x->I, k), 4, row);
      uint32_t fits = ends_fit(E, base, v, x->r->s[k] == PTX_LANE_s32);
      uint32_t yes = ptx_jit_number(E), no = ptx_jit_number(E);
      ptx_jit_likely(E, fits, yes, no);
      lcu_buf_addf(&E->out, "X%u:\n", no);
      ptx_jit_give_up(E, x->i);
      lcu_buf_addf(&E->out, "X%u:\n", yes);
    }
  }
}

static void lane_loop (ptx_jit_emitter *E, uint32_t i, const char *text, int flags) {
  const ptx_uop *I = &E->f->code->uops[i];
  loop x = { E, i, I, ptx_loop_row_of(I), text, flags };
  uint32_t bytes = ptx_lane_slot_bytes(x.r->d);
  const ptx_value *d = ptx_jit_result(E->f, i, I->d, bytes);
  if (ptx_jit_widens(E->f, i)) check_ends(&x);
  if (d != NULL && d->base == PTX_BASE_CONST) return;
  if (d == NULL || !has_bases(E->f, i)) {
    ptx_jit_set_lanes(E, i, I->d, bytes, compute_lanes(&x));
    return;
  }
  bool rows = d->base == PTX_BASE_ROW;
  uint32_t bases[2] = { compute_base(&x, 0), 0 };
  if (rows) bases[1] = compute_base(&x, 1);
  ptx_jit_set_bases(E, I->d, bytes, bases, rows);
}

/* The sum of the minterms that the table has. */
static void lop3_text (uint32_t table, char text[LOP3_TEXT]) {
  size_t n = (size_t)snprintf(text, LOP3_TEXT,
                              "$0 = xor $i32 $a, [i32 -1]\n$1 = xor $i32 $b, [i32 -1]\n"
                              "$2 = xor $i32 $c, [i32 -1]\n$3 = and $i32 $a, [i32 0]\n");
  uint32_t sum = 3;
  for (uint32_t k = 0; k < 8; k++) {
    uint32_t ab = 10 + k, abc = 20 + k, more = 30 + k;
    if ((table >> k & 1u) == 0) continue;
    n += (size_t)snprintf(text + n, LOP3_TEXT - n,
                          "$%u = and $i32 %s, %s\n$%u = and $i32 $%u, %s\n"
                          "$%u = or $i32 $%u, $%u\n",
                          ab, k & 4u ? "$a" : "$0", k & 2u ? "$b" : "$1", abc, ab,
                          k & 1u ? "$c" : "$2", more, sum, abc);
    sum = more;
  }
  snprintf(text + n, LOP3_TEXT - n, "$d = or $i32 $%u, [i32 0]", sum);
}

static void lop3 (ptx_jit_emitter *E, uint32_t i) {
  char text[LOP3_TEXT];
  lop3_text((uint32_t)E->f->code->uops[i].imm, text);
  lane_loop(E, i, text, 0);
}

/* Byte k of the result. With the usual constant selector, LLVM leaves a shift or two. */
#define BYTE(at, more, k, shift) \
  at "0 = lshr $i32 $c, [i32 " k "]\n" at "1 = and $i32 " at "0, [i32 4]\n" at \
     "2 = icmp eq $i32 " at "1, [i32 0]\n" at "3 = select $i1 " at "2, $i32 $a, $i32 $b\n" at \
     "4 = and $i32 " at "0, [i32 3]\n" at "5 = shl $i32 " at "4, [i32 3]\n" at "6 = lshr $i32 " at \
     "3, " at "5\n" at "7 = and $i32 " at "6, [i32 255]\n" at "8 = shl $i32 " at \
     "7, [i32 24]\n" at "9 = ashr $i32 " at "8, [i32 31]\n" more "0 = and $i32 " at \
     "0, [i32 8]\n" more "1 = icmp eq $i32 " more "0, [i32 0]\n" more "2 = and $i32 " at \
     "9, [i32 255]\n" more "3 = select $i1 " more "1, $i32 " at "7, $i32 " more "2\n" more \
     "4 = shl $i32 " more "3, [i32 " shift "]\n"

static void prmt (ptx_jit_emitter *E, uint32_t i) {
  static const char text[] =
    BYTE("$1", "$2", "0", "0") BYTE("$3", "$4", "4", "8") BYTE("$5", "$6", "8", "16")
      BYTE("$7", "$8", "12",
           "24") "$90 = or $i32 $24, $44\n$91 = or $i32 $64, $84\n$d = or $i32 $90, $91";
  const ptx_uop *I = &E->f->code->uops[i];
  ptx_jit_filling x = { .lanes = PTX_LANES,
                        .values = { ptx_jit_lanes(E, i, I->a, 4), ptx_jit_lanes(E, i, I->b, 4),
                                    ptx_jit_lanes(E, i, I->c, 4) } };
  ptx_jit_set_lanes(E, i, I->d, 4, ptx_jit_apply(E, text, x));
}
#undef BYTE

/* A word of the place, or of the parameters, which all lanes share. */
static void shared_word (ptx_jit_emitter *E, uint32_t i, const char *base, uint32_t bytes) {
  const ptx_uop *I = &E->f->code->uops[i];
  uint32_t p = ptx_jit_number(E), t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %s, i64 %lld\n", p, base,
               (long long)I->imm);
  lcu_buf_addf(&E->out, "  %%t%u = load i%u, ptr %%t%u, align 1" PTX_JIT_WARP "\n", t, bytes * 8,
               p);
  ptx_jit_set_one(E, i, I->d, bytes, t);
}

static uint32_t thread_number (ptx_jit_emitter *E, size_t axis, uint32_t lane, uint32_t lanes) {
  char from[32], to[32];
  uint32_t n = E->next;
  E->next += 3;
  ptx_jit_type(from, "i16", lanes);
  ptx_jit_type(to, "i32", lanes);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%w, i64 %zu\n", n,
               offsetof(ptx_warp, tid) + (axis * PTX_LANES + lane) * sizeof(uint16_t));
  lcu_buf_addf(&E->out, "  %%t%u = load %s, ptr %%t%u, align 2" PTX_JIT_WARP "\n", n + 1, from, n);
  lcu_buf_addf(&E->out, "  %%t%u = zext %s %%t%u to %s\n", n + 2, from, n + 1, to);
  return n + 2;
}

/* Lanes 0 and 16 have a number even where there is no such thread. */
static void thread_index (ptx_jit_emitter *E, uint32_t i, size_t axis) {
  int32_t slot = E->f->code->uops[i].d;
  const ptx_value *d = ptx_jit_result(E->f, i, slot, 4);
  if (d == NULL) {
    ptx_jit_set_lanes(E, i, slot, 4, thread_number(E, axis, 0, PTX_LANES));
    return;
  }
  if (d->base == PTX_BASE_CONST) return;
  uint32_t bases[2] = { thread_number(E, axis, 0, 1), thread_number(E, axis, 16, 1) };
  ptx_jit_set_bases(E, slot, 4, bases, d->base == PTX_BASE_ROW);
}

void ptx_jit_alu (ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  ptx_jit_wrap(E, i);
  switch (I->id) {
    case PTX_ID_ld_param_32: shared_word(E, i, "%params", 4); return;
    case PTX_ID_ld_param_64: shared_word(E, i, "%params", 8); return;
    case PTX_ID_place_word_b32: shared_word(E, i, "%place", 4); return;
    case PTX_ID_mov_local_b32: ptx_jit_local_address(E, i, 4); return;
    case PTX_ID_mov_local_b64: ptx_jit_local_address(E, i, 8); return;
    case PTX_ID_sreg_tid_x: thread_index(E, i, 0); return;
    case PTX_ID_sreg_tid_y: thread_index(E, i, 1); return;
    case PTX_ID_sreg_tid_z: thread_index(E, i, 2); return;
    case PTX_ID_prmt_b32: prmt(E, i); return;
    case PTX_ID_lop3_b32: lop3(E, i); return;
    default: lane_loop(E, i, ptx_jit_op_text(I), ptx_jit_op_flags(I)); return;
  }
}

/* ---- in parts */

bool ptx_jit_alu_by_lanes (const ptx_jit_facts *f, uint32_t i) {
  const ptx_uop *I = &f->code->uops[i];
  const ptx_loop_row *r = ptx_loop_row_of(I);
  if (r == NULL || r->carry || (I->id != PTX_ID_lop3_b32 && ptx_jit_op_text(I) == NULL))
    return false;
  return !ptx_jit_widens(f, i) && !f->wraps[i] &&
         ptx_jit_result(f, i, I->d, ptx_lane_slot_bytes(r->d)) == NULL;
}

static bool sets_base (const ptx_jit_facts *f, uint32_t i, uint32_t bytes) {
  const ptx_value *d = ptx_jit_result(f, i, f->code->uops[i].d, bytes);
  return d != NULL && d->offsets == NULL;
}

bool ptx_jit_alu_by_bases (const ptx_jit_facts *f, uint32_t i) {
  const ptx_uop *I = &f->code->uops[i];
  const ptx_loop_row *r = ptx_loop_row_of(I);
  if (I->id == PTX_ID_ld_param_64) return sets_base(f, i, 8);
  if (I->id == PTX_ID_ld_param_32 || I->id == PTX_ID_place_word_b32) return sets_base(f, i, 4);
  if (r == NULL || r->carry || !ptx_jit_alu_knows(I) || ptx_jit_widens(f, i) || f->wraps[i])
    return false;
  const ptx_value *d = ptx_jit_result(f, i, I->d, ptx_lane_slot_bytes(r->d));
  return d != NULL && (d->base == PTX_BASE_CONST || has_bases(f, i));
}

void ptx_jit_alu_note (ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  loop x = { E, i, I, ptx_loop_row_of(I), NULL, 0 };
  for (uint32_t k = 0; k < x.r->sources; k++)
    ptx_jit_note_source(E, i, ptx_loop_source(I, k), ptx_lane_slot_bytes(x.r->s[k]),
                        E->sources[i][k]);
  if (is_bit(&x)) E->sources[i][1][0] = hidden_bit(&x, PTX_JIT_PART_LANES);
}

void ptx_jit_alu_part (ptx_jit_emitter *E, uint32_t i, uint32_t p) {
  const ptx_uop *I = &E->f->code->uops[i];
  char text[LOP3_TEXT];
  loop x = { E, i, I, ptx_loop_row_of(I), ptx_jit_op_text(I), ptx_jit_op_flags(I) };
  uint32_t sources[4];
  for (uint32_t k = 0; k < x.r->sources; k++)
    sources[k] = ptx_jit_part_source(E, i, ptx_loop_source(I, k), ptx_lane_slot_bytes(x.r->s[k]),
                                     E->sources[i][k], p);
  if (I->id == PTX_ID_lop3_b32) {
    lop3_text((uint32_t)I->imm, text);
    x.text = text;
  }
  int32_t var = ptx_jit_find(E->f, I->d, ptx_lane_slot_bytes(x.r->d));
  ptx_jit_set_part(E, (uint32_t)var, p, compute(&x, sources, PTX_JIT_PART_LANES));
}
