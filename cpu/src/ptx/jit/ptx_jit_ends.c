/* ptx_jit_ends.c: comparisons of a value whose lanes differ by constants with one that is the same
 * in all lanes, as indices are compared with a number of elements. If the least and the greatest
 * lane agree, so do all, and a branch needs no vectors. */
#include <stddef.h>

#include "ptx_ids.h"
#include "ptx_jit_emit.h"

typedef struct comparison {
  const char *test, *ordered; /* LLVM's names: of the test; of "not less" with the same sign */
  int32_t slots[2];
  uint32_t varying;       /* which operand differs */
  uint32_t least, extent; /* of its lanes: the least offset, and how much more the greatest is */
} comparison;

static bool name_test (comparison *c, uint16_t id) {
  switch (id) {
    case PTX_ID_setp_eq_b32: c->test = "eq", c->ordered = NULL; return true;
    case PTX_ID_setp_ne_b32: c->test = "ne", c->ordered = NULL; return true;
    case PTX_ID_setp_lt_s32: c->test = "slt", c->ordered = "sge"; return true;
    case PTX_ID_setp_le_s32: c->test = "sle", c->ordered = "sge"; return true;
    case PTX_ID_setp_lt_u32: c->test = "ult", c->ordered = "uge"; return true;
    case PTX_ID_setp_le_u32: c->test = "ule", c->ordered = "uge"; return true;
    default: return false;
  }
}

typedef struct overlap {
  const ptx_uop *of; /* NULL: of `slot` */
  int32_t slot;
  bool found;
} overlap;

static void note_overlap (void *ud, int32_t slot, uint32_t bytes, int role) {
  overlap *o = ud;
  int32_t end = slot + (int32_t)bytes * PTX_LANES;
  const ptx_loop_row *r = o->of != NULL ? ptx_loop_row_of(o->of) : NULL;
  if (role == PTX_JIT_READS) return;
  if (r == NULL) o->found |= slot < o->slot + 4 * PTX_LANES && o->slot < end;
  for (uint32_t k = 0; r != NULL && k < r->sources; k++) {
    int32_t from = ptx_loop_source(o->of, k);
    int32_t bytes_of = (int32_t)ptx_lane_slot_bytes(r->s[k]) * PTX_LANES;
    o->found |= slot < from + bytes_of && from < end;
  }
}

static bool writes_slot (const ptx_uop *I, int32_t slot) {
  overlap o = { NULL, slot, false };
  ptx_jit_operands(I, note_overlap, &o);
  return o.found;
}

static bool writes_sources (const ptx_code *code, uint32_t from, uint32_t to, const ptx_uop *of) {
  overlap o = { of, 0, false };
  for (uint32_t k = from; k < to; k++) ptx_jit_operands(&code->uops[k], note_overlap, &o);
  return o.found;
}

bool ptx_jit_find_comparison (const ptx_jit_facts *f, uint32_t i, uint32_t *at) {
  const ptx_code *code = f->code;
  int32_t p = code->uops[i].a;
  for (uint32_t k = i; k > 0 && !f->leader[k];) {
    const ptx_uop *I = &code->uops[--k];
    const ptx_loop_row *r = ptx_loop_row_of(I);
    if (!writes_slot(I, p)) continue;
    *at = k;
    return I->d == p && !f->guarded[k] && r != NULL && r->d == PTX_LANE_pred && r->sources == 2 &&
           !writes_sources(code, k, i, I);
  }
  return false;
}

/* Sets which operand differs, and how. */
static bool find_ends (const ptx_jit_facts *f, uint32_t i, comparison *c) {
  const ptx_value *v[2] = { ptx_jit_value(f, i, c->slots[0], 4),
                            ptx_jit_value(f, i, c->slots[1], 4) };
  uint32_t a, b;
  if (v[0] == NULL || v[1] == NULL) return false;
  c->varying = v[0]->offsets != NULL ? 0 : 1;
  const ptx_value *one = v[1 - c->varying], *many = v[c->varying];
  if (!ptx_value_uniform(one) || many->offsets == NULL || many->base == PTX_BASE_ROW) return false;
  ptx_value_ends(many, 32, &a, &b);
  c->least = (uint32_t)many->offsets[a];
  c->extent = (uint32_t)many->offsets[b] - c->least;
  return c->extent != 0 && c->extent < 1u << 20;
}

/* Of an end with the other operand. */
static void compare (ptx_jit_emitter *E, const comparison *c, uint32_t to, uint32_t end,
                     uint32_t one) {
  lcu_buf_addf(&E->out, "  %%t%u = icmp %s i32 %%t%u, %%t%u\n", to, c->test,
               c->varying == 0 ? end : one, c->varying == 0 ? one : end);
}

/* i1 values: whether all lanes agree; what they say then. */
static void test_ends (ptx_jit_emitter *E, uint32_t i, const comparison *c, uint32_t out[2]) {
  uint32_t base = ptx_jit_base(E, i, c->slots[c->varying], 4, 0),
           one = ptx_jit_base(E, i, c->slots[1 - c->varying], 4, 0), n = E->next;
  E->next += 7;
  lcu_buf_addf(&E->out, "  %%t%u = add i32 %%t%u, %d\n  %%t%u = add i32 %%t%u, %u\n", n, base,
               (int32_t)c->least, n + 1, n, c->extent);
  compare(E, c, n + 2, n, one);
  out[1] = n + 2;
  if (c->ordered == NULL) { /* outside of the range, no lane is equal */
    lcu_buf_addf(&E->out, "  %%t%u = sub i32 %%t%u, %%t%u\n  %%t%u = icmp ugt i32 %%t%u, %u\n",
                 n + 3, one, n, n + 4, n + 3, c->extent);
    out[0] = n + 4;
    return;
  }
  compare(E, c, n + 3, n + 1, one);
  lcu_buf_addf(&E->out, "  %%t%u = icmp %s i32 %%t%u, %%t%u\n", n + 4, c->ordered, n + 1, n);
  lcu_buf_addf(&E->out, "  %%t%u = icmp eq i1 %%t%u, %%t%u\n  %%t%u = and i1 %%t%u, %%t%u\n", n + 5,
               n + 2, n + 3, n + 6, n + 4, n + 5);
  out[0] = n + 6;
}

void ptx_jit_branch_ends (ptx_jit_emitter *E, uint32_t i, bool negated, uint32_t taken,
                          uint32_t not_taken) {
  comparison c;
  uint32_t says[2], at;
  if (!ptx_jit_find_comparison(E->f, i, &at)) return;
  const ptx_uop *I = &E->f->code->uops[at];
  c = (comparison){ .slots = { I->a, I->b } };
  if (!name_test(&c, I->id) || !find_ends(E->f, i, &c)) return;
  test_ends(E, i, &c, says);
  uint32_t n = E->next;
  E->next += 2;
  lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%X%u\nX%u:\n", says[0], n, n + 1, n);
  lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%X%u\n", says[1],
               negated ? not_taken : taken, negated ? taken : not_taken);
  lcu_buf_addf(&E->out, "X%u:\n", n + 1);
}
