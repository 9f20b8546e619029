/* ptx_jit_call.c: calls of handlers, around which variables are in the register file. */
#include <stddef.h>

#include "ptx_ids.h"
#include "ptx_jit_emit.h"
#include "ptx_tensor.h"

typedef struct reload {
  ptx_jit_emitter *E;
  uint32_t i;
  int role;
} reload;

static void store_operand (void *ud, int32_t slot, uint32_t bytes, int role) {
  reload *r = ud;
  const ptx_jit_emitter *E = r->E;
  int32_t v = ptx_jit_find(E->f, slot, bytes);
  bool kept = (role & PTX_JIT_READS) || E->predicate == 0 || ptx_jit_blends(E, v);
  if ((role & r->role) && kept && v >= 0 && ptx_jit_has(&E->f->dirty, r->i, (uint32_t)v))
    ptx_jit_store(r->E, r->i, (uint32_t)v);
}

static void load_operand (void *ud, int32_t slot, uint32_t bytes, int role) {
  reload *r = ud;
  int32_t v = ptx_jit_find(r->E->f, slot, bytes);
  if (!(role & PTX_JIT_WRITES) || v < 0) return;
  ptx_jit_load(r->E, r->i + 1, (uint32_t)v);
}

typedef struct writing {
  const ptx_jit_facts *f;
  int32_t var;
  bool found;
} writing;

static void find_written_slot (void *ud, int32_t slot, uint32_t bytes, int role) {
  writing *x = ud;
  x->found |= (role & PTX_JIT_WRITES) && ptx_jit_find(x->f, slot, bytes) == x->var;
}

/* For the exit where the handler of uop i leaves: stores the variables that are live after it, but
 * not its results. */
static void store_others (ptx_jit_emitter *E, uint32_t i, uint32_t next) {
  for (uint32_t v = 0; v < E->f->num_vars; v++) {
    writing x = { E->f, (int32_t)v, false };
    ptx_jit_operands(&E->f->code->uops[i], find_written_slot, &x);
    if (!x.found && ptx_jit_has(&E->f->live, next, v) && ptx_jit_has(&E->f->dirty, i, v))
      ptx_jit_exit_variable(E, i, v);
  }
  ptx_jit_exit_end(E);
}

void ptx_jit_store_read (ptx_jit_emitter *E, uint32_t i) {
  reload r = { E, i, PTX_JIT_READS };
  ptx_jit_operands(&E->f->code->uops[i], store_operand, &r);
}

/* The operations of a guard, or the one. */
static uint32_t end_of (const ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  return i + 1 + (ptx_jit_flow_of(I) == PTX_JIT_GUARD ? (uint32_t)I->imm : 0);
}

/* A shape that is KNOWN was not kept here; the masked variant does not look for it. */
static uint32_t call_handler (ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  bool access = ptx_jit_is_load(I->id) || ptx_jit_is_store(I->id);
  bool full = E->full && E->predicate == 0 && !(access && (I->flags & PTX_F_KNOWN));
  uint32_t n = E->next;
  E->next += 4;
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%uops, i64 %zu\n", n,
               i * sizeof(ptx_uop));
  if (E->predicate != 0) {
    E->narrows = true;
    lcu_buf_addf(&E->out,
                 "  %%t%u = call ptr @narrowed(ptr %%t%u, ptr %%rf, ptr %%w, i32 %%t%u, "
                 "<32 x i1> %%t%u)\n",
                 n + 3, n, E->bits, E->predicate);
    return n + 3;
  }
  if (E->f->checked) {
    lcu_buf_addf(&E->out, "  %%t%u = load ptr, ptr %%checks" PTX_JIT_WARP "\n", n + 2);
  } else {
    lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %zu\n", n + 1, n,
                 offsetof(ptx_uop, fn) + (full ? sizeof(ptx_handler) : 0));
    lcu_buf_addf(&E->out, "  %%t%u = load ptr, ptr %%t%u\n", n + 2, n + 1);
  }
  lcu_buf_addf(&E->out, "  %%t%u = call ptr %%t%u(ptr %%t%u, ptr %%rf, ptr %%w)\n", n + 3, n + 2,
               n);
  return n + 3;
}

/* Products wait for lanes that are off, and do nothing else that the executor has to know. */
static bool may_leave (const ptx_jit_emitter *E, const ptx_uop *I) {
  switch (I->id) {
    case PTX_ID_mma_f32:
    case PTX_ID_mma_f64:
    case PTX_ID_mma_b1:
    case PTX_ID_mma_quad:
    case PTX_ID_movmatrix: return !E->full || E->predicate != 0;
    default: return ptx_jit_flow_of(I) == PTX_JIT_MAY;
  }
}

/* Has the call for an earlier product of the run carried it out? */
static bool is_in_run (const ptx_jit_emitter *E, const ptx_uop *I) {
  return I->id == PTX_ID_mma_f32 && E->full && E->predicate == 0 && !E->f->checked &&
         !ptx_product_run_of(I).first;
}

void ptx_jit_call (ptx_jit_emitter *E, uint32_t i) {
  const ptx_code *code = E->f->code;
  if (is_in_run(E, &code->uops[i])) return;
  uint32_t end = end_of(E, i);
  bool guard = end > i + 1;
  for (uint32_t k = i; k < end; k++) {
    bool blends = guard || E->predicate != 0;
    reload r = { E, i, blends ? PTX_JIT_READS | PTX_JIT_WRITES : PTX_JIT_READS };
    ptx_jit_operands(&code->uops[k], store_operand, &r);
  }
  uint32_t result = call_handler(E, i);
  if (may_leave(E, &code->uops[i]) || guard || E->f->checked) {
    uint32_t n = E->next;
    E->next += 3;
    lcu_buf_addf(&E->out, "  %%t%u = icmp eq ptr %%t%u, null\n", n, result);
    lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%X%u, !prof !1\nX%u:\n", n, n + 1,
                 n + 2, n + 1);
    if (!guard) store_others(E, i, end);
    lcu_buf_addf(&E->out, "  ret ptr null\nX%u:\n", n + 2);
  }
  if (guard && !E->f->checked) {
    uint32_t n = E->next;
    E->next += 4;
    lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%uops, i64 %zu\n", n,
                 (i + 1) * sizeof(ptx_uop));
    lcu_buf_addf(&E->out, "  %%t%u = icmp eq ptr %%t%u, %%t%u\n", n + 1, result, n);
    lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%L%u, label %%X%u\nX%u:\n", n + 1, i + 1, n + 2,
                 n + 2);
  }
  for (uint32_t k = i; k < end; k++) {
    reload r = { E, guard ? end - 1 : i, 0 };
    ptx_jit_operands(&code->uops[k], load_operand, &r);
  }
}
