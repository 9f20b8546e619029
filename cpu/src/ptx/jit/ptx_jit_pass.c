/* ptx_jit_pass.c: with all checks on, where threads may be that have gone past a barrier at which
 * others wait (ptx_check_barrier.c): in basic blocks that follow the barrier, and from which no
 * path leads back to it. */
#include "ptx_jit_pass.h"

#include <stddef.h>

#include "ptx_ids.h"

static bool is_barrier (const ptx_uop *I) {
  switch (I->id) {
    case PTX_ID_bar_sync:
    case PTX_ID_bar_arrive:
    case PTX_ID_bar_red_popc:
    case PTX_ID_bar_red_and:
    case PTX_ID_bar_red_or: return true;
    default: return false;
  }
}

/* Sets `leads` for the micro-operations from which a path leads to `to`. */
static void find_ways (const ptx_code *code, uint32_t to, bool *leads) {
  for (uint32_t i = 0; i < code->num_uops; i++) leads[i] = i == to;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = code->num_uops; i-- > 0;) {
      uint32_t next[2], n = ptx_jit_successors(code, i, next);
      for (uint32_t k = 0; k < n && !leads[i]; k++) changed |= leads[i] = leads[next[k]];
    }
  }
}

bool ptx_jit_find_passes (ptx_jit_facts *f, lcu_arena *arena) {
  const ptx_code *code = f->code;
  f->passes = lcu_arena_alloc(arena, code->num_uops + 1);
  bool *leads = lcu_arena_alloc(arena, code->num_uops + 1);
  if (f->passes == NULL || leads == NULL) return false;
  for (uint32_t b = 0; f->checked && b < code->num_uops; b++) {
    if (!is_barrier(&code->uops[b])) continue;
    find_ways(code, b, leads);
    for (uint32_t i = b + 1; i < code->num_uops; i++)
      f->passes[i] |= code->uops[i].bb > code->uops[b].bb && !leads[i];
  }
  return true;
}

/* ---- its code */

static bool is_flow (const ptx_uop *I) {
  ptx_jit_flow flow = ptx_jit_flow_of(I);
  return flow == PTX_JIT_JUMP || flow == PTX_JIT_BRANCH || I->id == PTX_ID_ret ||
         I->id == PTX_ID_exit || I->id == PTX_ID_nop;
}

/* The first one in its basic block that is not only flow; UINT32_MAX: none. */
static uint32_t first_work (const ptx_code *code, uint32_t i) {
  for (uint32_t at = i; at < code->num_uops && code->uops[at].bb == code->uops[i].bb; at++)
    if (!is_flow(&code->uops[at])) return at;
  return UINT32_MAX;
}

/* Nobody waits: goes on at the label. */
static uint32_t test_waiting (ptx_jit_emitter *E) {
  uint32_t waiting = ptx_jit_field(E, offsetof(ptx_warp, waiting), "ptr"), n = E->next;
  E->next += 4;
  lcu_buf_addf(&E->out,
               "  %%t%u = load i32, ptr %%t%u" PTX_JIT_WARP "\n  %%t%u = icmp eq i32 %%t%u, 0\n", n,
               waiting, n + 1, n);
  ptx_jit_likely(E, n + 1, n + 2, n + 3);
  lcu_buf_addf(&E->out, "X%u:\n", n + 3);
  return n + 2;
}

/* The interpreter goes on at uop i, to the next event. */
static void leave_to_interpreter (ptx_jit_emitter *E, uint32_t i) {
  ptx_jit_store_live(E, i, &i, 1);
  uint32_t p = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%uops, i64 %zu\n  ret ptr %%t%u\n", p,
               i * sizeof(ptx_uop), p);
}

void ptx_jit_pass_skipped (ptx_jit_emitter *E, uint32_t branch) {
  if (!E->f->passes[branch + 1]) return;
  uint32_t nobody = test_waiting(E);
  leave_to_interpreter(E, branch);
  lcu_buf_addf(&E->out, "X%u:\n", nobody);
}

void ptx_jit_pass (ptx_jit_emitter *E, uint32_t i) {
  const ptx_code *code = E->f->code;
  bool starts = i == 0 || code->uops[i - 1].bb != code->uops[i].bb;
  uint32_t at = starts && E->f->passes[i] ? first_work(code, i) : UINT32_MAX;
  if (at == UINT32_MAX) return;
  uint32_t nobody = test_waiting(E), n = E->next;
  E->next += 5;
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%checks, i64 %zu\n", n,
               offsetof(ptx_checks, passes));
  lcu_buf_addf(&E->out, "  %%t%u = load ptr, ptr %%t%u" PTX_JIT_WARP "\n", n + 1, n);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%uops, i64 %zu\n", n + 2,
               at * sizeof(ptx_uop));
  lcu_buf_addf(&E->out, "  %%t%u = call zeroext i1 %%t%u(ptr %%t%u, ptr %%rf, ptr %%w)\n", n + 3,
               n + 1, n + 2);
  ptx_jit_likely(E, n + 3, nobody, n + 4);
  lcu_buf_addf(&E->out, "X%u:\n", n + 4);
  leave_to_interpreter(E, i);
  lcu_buf_addf(&E->out, "X%u:\n", nobody);
}
