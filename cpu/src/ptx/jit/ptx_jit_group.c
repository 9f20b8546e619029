/* ptx_jit_group.c: accesses of a basic block by one address register, and what they access
 * together. If that is not all in one allocation, the interpreter takes over after the first one,
 * and reports a fault where it happens. */
#include "ptx_ids.h"
#include "ptx_jit_access.h"

enum { MOST_OPEN = 16, MOST_APART = 1 << 20 };

/* A group that may still grow. */
typedef struct open_group {
  bool open;
  ptx_jit_transfer x;  /* the first one */
  int64_t least, most; /* of imm */
} open_group;

typedef struct search {
  ptx_jit_emitter *E;
  open_group open[MOST_OPEN];
  uint32_t next; /* the one to be given up when all are in use */
} search;

static void close_all (search *s) {
  for (uint32_t k = 0; k < MOST_OPEN; k++) s->open[k].open = false;
}

static void close_written (void *ud, int32_t slot, uint32_t bytes, int role) {
  search *s = ud;
  int32_t end = slot + (int32_t)bytes * PTX_LANES;
  if (role == PTX_JIT_READS) return;
  for (uint32_t k = 0; k < MOST_OPEN; k++) {
    const ptx_jit_transfer *x = &s->open[k].x;
    if (s->open[k].open && x->I->a < end && slot < x->I->a + (int32_t)x->width * PTX_LANES)
      s->open[k].open = false;
  }
}

static bool can_group (const ptx_jit_emitter *E, const ptx_jit_transfer *x) {
  bool known = x->I->space == PTX_SHARED || x->I->space == PTX_GLOBAL;
  return known && x->a != NULL && x->shape != PTX_JIT_ANY && !E->f->guarded[x->i] &&
         (x->shape != PTX_JIT_ONE || x->load);
}

static bool belongs_to_group (const open_group *g, const ptx_jit_transfer *x) {
  const ptx_jit_transfer *y = &g->x;
  if (!g->open) return false;
  int64_t apart = x->I->imm - y->I->imm;
  return x->I->a == y->I->a && x->width == y->width && x->shared == y->shared &&
         (x->shared || x->range == y->range) && x->shape == y->shape && x->step == y->step &&
         x->stride == y->stride && apart % (int64_t)x->stride == 0 && apart < MOST_APART &&
         apart > -MOST_APART;
}

static void join_group (search *s, open_group *g, const ptx_jit_transfer *x) {
  ptx_jit_group *first = &s->E->groups[g->x.i];
  if (x->I->imm < g->least) g->least = x->I->imm;
  if (x->I->imm > g->most) g->most = x->I->imm;
  first->first = g->least - g->x.I->imm;
  first->more = (uint64_t)(g->most - g->least);
  s->E->groups[x->i].follows = true;
}

static void look_at_access (search *s, uint32_t i) {
  ptx_jit_transfer x = ptx_jit_transfer_of(s->E, i);
  ptx_jit_transfer_shape(s->E, &x);
  if (!can_group(s->E, &x)) return;
  for (uint32_t k = 0; k < MOST_OPEN; k++)
    if (belongs_to_group(&s->open[k], &x)) {
      join_group(s, &s->open[k], &x);
      return;
    }
  s->open[s->next++ % MOST_OPEN] = (open_group){ true, x, x.I->imm, x.I->imm };
}

void ptx_jit_groups (ptx_jit_emitter *E) {
  search s = { .E = E };
  const ptx_code *code = E->f->code;
  for (uint32_t i = 0; i < code->num_uops; i++) {
    ptx_jit_flow flow = ptx_jit_flow_of(&code->uops[i]);
    E->groups[i] = (ptx_jit_group){ 0 };
    if (E->f->leader[i]) close_all(&s);
    if (ptx_jit_can_access(E, i) && code->uops[i].space != PTX_LOCAL) look_at_access(&s, i);
    ptx_jit_operands(&code->uops[i], close_written, &s);
    if (flow != PTX_JIT_PLAIN && flow != PTX_JIT_MAY) close_all(&s);
  }
}
