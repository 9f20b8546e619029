/* ptx_jit_predicate.c: guarded operations, and blocks of a few operations that a branch skips,
 * computed in all lanes. Results of lanes that do not take part are dropped, and their memory is
 * not touched. So lanes need not part and meet again, which costs more than such a block. */
#include "ptx_jit_emit.h"

enum { MOST_OPERATIONS = 24 };

static bool can_blend (const ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  if (ptx_jit_flow_of(I) == PTX_JIT_GUARD || ptx_jit_widens(E->f, i) || E->f->wraps[i])
    return false;
  return ptx_jit_alu_knows(I) || ptx_jit_can_access(E, i);
}

typedef struct results {
  const ptx_jit_facts *f;
  uint32_t i;
  int32_t slot; /* -1: look at all */
  uint32_t to;
  bool lanes, bases;
} results;

static void note_result (void *ud, int32_t slot, uint32_t bytes, int role) {
  results *r = ud;
  if (!(role & PTX_JIT_WRITES) || slot != r->slot) return;
  bool known = ptx_jit_result(r->f, r->i, slot, bytes) != NULL;
  r->bases |= known;
  r->lanes |= !known;
}

/* A slot that is written both ways: then lanes that do not take part may need what the slot held
 * before, and it could not be told. */
static void check_result (void *ud, int32_t slot, uint32_t bytes, int role) {
  results *r = ud, one = { r->f, 0, slot, r->to, false, false };
  (void)bytes;
  if (!(role & PTX_JIT_WRITES)) return;
  for (one.i = r->i; one.i < r->to; one.i++)
    ptx_jit_operands(&r->f->code->uops[one.i], note_result, &one);
  r->lanes |= one.lanes && one.bases;
}

bool ptx_jit_can_predicate (const ptx_jit_emitter *E, uint32_t from, uint32_t to) {
  results r = { E->f, from, -1, to, false, false };
  for (; r.i < to; r.i++) {
    if (!can_blend(E, r.i)) return false;
    ptx_jit_operands(&E->f->code->uops[r.i], check_result, &r);
  }
  return !r.lanes;
}

/* Does anything but the branch lead into from..to - 1? */
static bool is_entered (const ptx_jit_facts *f, uint32_t branch, uint32_t to) {
  for (uint32_t k = 0; k < f->code->num_uops; k++) {
    uint32_t next[2], n = ptx_jit_successors(f->code, k, next);
    for (uint32_t j = 0; j < n; j++)
      if (next[j] > branch && next[j] < to && (k < branch || k >= to)) return true;
  }
  return false;
}

uint32_t ptx_jit_skipped (const ptx_jit_emitter *E, uint32_t branch) {
  const ptx_code *code = E->f->code;
  const ptx_uop *I = &code->uops[branch];
  uint32_t to = ptx_jit_index(code, I->target), end = to;
  if (I->imm < 0 || to <= branch + 1 || to - branch > MOST_OPERATIONS) return 0;
  const ptx_uop *last = &code->uops[to - 1];
  if (ptx_jit_flow_of(last) == PTX_JIT_JUMP && last->target == I->target) end--;
  bool one_block = code->uops[branch + 1].bb == code->uops[to - 1].bb;
  return one_block && ptx_jit_can_predicate(E, branch + 1, end) && !is_entered(E->f, branch, to)
           ? to
           : 0;
}

static void find_first (ptx_jit_emitter *E, uint32_t bits) {
  static const char *const parts[3] = { "-1", "65535", "-65536" }, *const least[3] = {
    "-2147483648", "32768", "-2147483648"
  };
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t n = E->next;
    E->next += 3;
    lcu_buf_addf(&E->out, "  %%t%u = and i32 %%t%u, %s\n  %%t%u = or i32 %%t%u, %s\n", n, bits,
                 parts[k], n + 1, n, least[k]);
    lcu_buf_addf(&E->out, "  %%t%u = call i32 @llvm.cttz.i32(i32 %%t%u, i1 false)\n", n + 2, n + 1);
    E->first[k] = n + 2;
  }
}

static void narrow (ptx_jit_emitter *E, uint32_t lanes) {
  if (!E->full) {
    uint32_t t = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = and <32 x i1> %%t%u, %%mask\n", t, lanes);
    lanes = t;
  }
  E->predicate = lanes;
  E->bits = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = bitcast <32 x i1> %%t%u to i32\n", E->bits, lanes);
}

void ptx_jit_predicated (ptx_jit_emitter *E, uint32_t lanes, uint32_t from, uint32_t to,
                         uint32_t done) {
  uint32_t bits = E->bits, first[3] = { E->first[0], E->first[1], E->first[2] }, n = E->next;
  E->next += 2;
  narrow(E, lanes);
  E->until = to;
  lcu_buf_addf(&E->out, "  %%t%u = icmp eq i32 %%t%u, 0\n", n, E->bits);
  lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%X%u\nX%u:\n", n, done, n + 1, n + 1);
  find_first(E, E->bits);
  for (uint32_t k = from; k < to; k++) {
    if (ptx_jit_flow_of(&E->f->code->uops[k]) == PTX_JIT_JUMP) break;
    if (ptx_jit_alu_knows(&E->f->code->uops[k])) ptx_jit_alu(E, k);
    else if (!ptx_jit_access(E, k)) ptx_jit_call(E, k);
  }
  lcu_buf_addf(&E->out, "  br label %%X%u\n", done);
  E->predicate = 0;
  E->bits = bits;
  for (uint32_t k = 0; k < 3; k++) E->first[k] = first[k];
}
