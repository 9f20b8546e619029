/* ptx_jit_control.c: branches as ptx_isa_control.c has them, and ways out of the code. */
#include <stddef.h>
#include <stdio.h>

#include "ptx_ids.h"
#include "ptx_jit_emit.h"

static bool is_end (ptx_event event) { return event == PTX_EV_RET || event == PTX_EV_EXIT; }

/* w->at is not set for warps that end: nothing reads it then. */
static void set_event (ptx_jit_emitter *E, ptx_event event, uint32_t at) {
  char value[32];
  uint32_t p = ptx_jit_number(E);
  snprintf(value, sizeof value, "%d", (int)event);
  ptx_jit_set_field(E, offsetof(ptx_warp, event), "i32", value);
  if (is_end(event)) return;
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%uops, i64 %zu\n", p,
               at * sizeof(ptx_uop));
  snprintf(value, sizeof value, "%%t%u", p);
  ptx_jit_set_field(E, offsetof(ptx_warp, at), "ptr", value);
}

/* Leaves with an event at a micro-operation; the variables are stored at label `out`. */
static void leave (ptx_jit_emitter *E, ptx_event event, uint32_t at, uint32_t out) {
  set_event(E, event, at);
  lcu_buf_addf(&E->out, "  br label %%X%u\n", out);
}

/* Branches to a basic block, or leaves if other lanes wait at it or at a later one. With all lanes
 * on, none can. */
static void to_block (ptx_jit_emitter *E, uint32_t i, uint32_t out) {
  if (E->full) {
    lcu_buf_addf(&E->out, "  br label %%L%u\n", i);
    return;
  }
  uint32_t n = E->next;
  E->next += 2;
  lcu_buf_addf(&E->out, "  %%t%u = icmp ule i32 %%limit, %u\n", n, E->f->code->uops[i].bb);
  lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%L%u, !prof !1\nX%u:\n", n, n + 1, i,
               n + 1);
  leave(E, PTX_EV_BB_LIMIT, i, out);
}

/* To the target of a branch that all lanes take. */
static void go (ptx_jit_emitter *E, uint32_t i, uint32_t out) {
  const ptx_uop *I = &E->f->code->uops[i];
  uint32_t n = E->next, target = ptx_jit_index(E->f->code, I->target);
  E->next += 6;
  if (I->target_bb <= I->bb) {
    lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%w, i64 %zu\n", n,
                 offsetof(ptx_warp, budget));
    lcu_buf_addf(&E->out, "  %%t%u = load i32, ptr %%t%u" PTX_JIT_WARP "\n", n + 1, n);
    lcu_buf_addf(&E->out, "  %%t%u = icmp ule i32 %%t%u, 1\n", n + 2, n + 1);
    lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%X%u, !prof !1\nX%u:\n", n + 2, n + 3,
                 n + 4, n + 3);
    leave(E, PTX_EV_YIELD, target, out);
    lcu_buf_addf(&E->out,
                 "X%u:\n  %%t%u = sub i32 %%t%u, 1\n  store i32 %%t%u, ptr %%t%u" PTX_JIT_WARP "\n",
                 n + 4, n + 5, n + 1, n + 5, n);
  }
  to_block(E, target, out);
}

/* To the block that follows a branch that no lane takes, at label `here`. */
static void fall (ptx_jit_emitter *E, uint32_t i, uint32_t here, uint32_t out) {
  const ptx_uop *I = &E->f->code->uops[i], *next = I + 1;
  lcu_buf_addf(&E->out, "X%u:\n", here);
  if (next->bb != I->bb) to_block(E, i + 1, out);
  else lcu_buf_addf(&E->out, "  br label %%L%u\n", i + 1);
}

/* Lanes part, and wait for others, more often than a warp's budget ends. */
static void finish (ptx_jit_emitter *E, uint32_t i, uint32_t out, bool rare) {
  uint32_t to[2], n = ptx_jit_successors(E->f->code, i, to);
  lcu_buf_addf(&E->out, "X%u:\n", out);
  if (rare) ptx_jit_exit_live(E, i, to, n);
  else ptx_jit_store_live(E, i, to, n);
  lcu_buf_addf(&E->out, "  ret ptr null\n");
}

void ptx_jit_jump (ptx_jit_emitter *E, uint32_t i) {
  uint32_t out = ptx_jit_number(E);
  go(E, i, out);
  finish(E, i, out, E->full);
}

/* Lanes part. */
static void part (ptx_jit_emitter *E, uint32_t i, uint32_t taken, uint32_t out) {
  char value[32];
  snprintf(value, sizeof value, "%%t%u", taken);
  ptx_jit_set_field(E, offsetof(ptx_warp, taken), "i32", value);
  leave(E, PTX_EV_DIVERGE, i, out);
}

/* The lanes that do not take the branch run the block that it skips; then all go on behind it,
 * unless others wait there. */
static void skip (ptx_jit_emitter *E, uint32_t i, uint32_t end, uint32_t taken) {
  uint32_t n = E->next;
  E->next += 3;
  lcu_buf_addf(&E->out, "  %%t%u = xor <32 x i1> %%t%u, ", n, taken);
  for (uint32_t l = 0; l < PTX_LANES; l++) lcu_buf_addf(&E->out, "%si1 true", l == 0 ? "<" : ", ");
  lcu_buf_adds(&E->out, ">\n");
  ptx_jit_predicated(E, n, i + 1, end, n + 1);
  lcu_buf_addf(&E->out, "X%u:\n", n + 1);
  to_block(E, end, n + 2);
  if (E->full) return;
  lcu_buf_addf(&E->out, "X%u:\n", n + 2);
  ptx_jit_store_live(E, end, &end, 1);
  lcu_buf_adds(&E->out, "  ret ptr null\n");
}

/* The lanes that take a branch, as bits; `taken`: as <32 x i1>. */
static uint32_t bits_of (ptx_jit_emitter *E, uint32_t i, bool negated, uint32_t taken) {
  uint32_t at, t = 0;
  if (ptx_jit_find_comparison(E->f, i, &at)) t = ptx_jit_bits(E, i, at);
  uint32_t n = ptx_jit_number(E);
  if (t == 0) lcu_buf_addf(&E->out, "  %%t%u = bitcast <32 x i1> %%t%u to i32\n", n, taken);
  else lcu_buf_addf(&E->out, "  %%t%u = xor i32 %%t%u, %d\n", n, t, negated ? -1 : 0);
  return n;
}

void ptx_jit_branch (ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  bool negated = I->id == PTX_ID_bra_not, one = ptx_jit_one(E, i, I->a, 4);
  uint32_t out = ptx_jit_number(E), n = E->next;
  E->next += 10;
  if (!one) ptx_jit_branch_ends(E, i, negated, n + 7, n + 1);
  uint32_t p = one ? ptx_jit_base(E, i, I->a, 4, 0) : ptx_jit_lanes(E, i, I->a, 4);
  if (one) {
    lcu_buf_addf(&E->out, "  %%t%u = icmp %s i32 %%t%u, 0\n", n, negated ? "eq" : "ne", p);
    lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%X%u\n", n, n + 7, n + 1);
  } else {
    lcu_buf_addf(&E->out, "  %%t%u = icmp %s <32 x i32> %%t%u, zeroinitializer\n", n,
                 negated ? "eq" : "ne", p);
    lcu_buf_addf(&E->out, "  %%t%u = and i32 %%t%u, %%t%u\n", n + 2, bits_of(E, i, negated, n),
                 E->bits);
    lcu_buf_addf(&E->out, "  %%t%u = icmp eq i32 %%t%u, %%t%u\n", n + 3, n + 2, E->bits);
    lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%X%u\n", n + 3, n + 7, n + 8);
    lcu_buf_addf(&E->out, "X%u:\n  %%t%u = icmp eq i32 %%t%u, 0\n", n + 8, n + 4, n + 2);
    lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%X%u\nX%u:\n", n + 4, n + 1, n + 9,
                 n + 9);
    uint32_t end = ptx_jit_skipped(E, i);
    if (end != 0) skip(E, i, end, n);
    else part(E, i, n + 2, out);
  }
  fall(E, i, n + 1, out);
  lcu_buf_addf(&E->out, "X%u:\n", n + 7);
  go(E, i, out);
  finish(E, i, out, E->full && one);
}

void ptx_jit_guard (ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  uint32_t end = i + 1 + (uint32_t)I->imm, n = E->next;
  const char *how = I->negate ? "eq" : "ne";
  if (!ptx_jit_can_predicate(E, i + 1, end)) {
    ptx_jit_call(E, i);
    lcu_buf_addf(&E->out, "  br label %%L%u\n", end);
    return;
  }
  E->next += 2;
  if (ptx_jit_one(E, i, I->a, 4)) {
    uint32_t p = ptx_jit_base(E, i, I->a, 4, 0);
    lcu_buf_addf(&E->out, "  %%t%u = icmp %s i32 %%t%u, 0\n", n, how, p);
    lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%L%u, label %%L%u\n", n, i + 1, end);
    return;
  }
  uint32_t p = ptx_jit_lanes(E, i, I->a, 4);
  lcu_buf_addf(&E->out, "  %%t%u = icmp %s <32 x i32> %%t%u, zeroinitializer\n", n, how, p);
  ptx_jit_predicated(E, n, i + 1, end, n + 1);
  lcu_buf_addf(&E->out, "X%u:\n  br label %%L%u\n", n + 1, end);
}

/* Of an operation whose handler only leaves; NONE: it does more. */
static ptx_event event_of (const ptx_uop *I) {
  switch (I->id) {
    case PTX_ID_ret: return PTX_EV_RET;
    case PTX_ID_exit: return PTX_EV_EXIT;
    case PTX_ID_call: return PTX_EV_CALL;
    case PTX_ID_bar_sync:
    case PTX_ID_bar_arrive:
    case PTX_ID_bar_red_popc:
    case PTX_ID_bar_red_and:
    case PTX_ID_bar_red_or:
    case PTX_ID_cluster_arrive:
    case PTX_ID_cluster_wait: return PTX_EV_BARRIER;
    default: return PTX_EV_NONE;
  }
}

/* Whether other warps may run before the executor handles the event. */
static bool goes_on (const ptx_uop *I, ptx_event event) {
  bool plain = I->id == PTX_ID_bar_sync && (I->flags & PTX_F_DIRECT);
  return plain || is_end(event);
}

/* The warp is done with its turn: branches to the code that starts the next warp, if this one did
 * what the previous ones did. */
static void to_next (ptx_jit_emitter *E, uint32_t i, ptx_event event) {
  uint32_t n = ptx_jit_number(E);
  bool stops = event == PTX_EV_BARRIER;
  set_event(E, event, i);
  E->stops |= stops;
  lcu_buf_addf(&E->out, "  br label %%X%u\nX%u:\n  br label %%next\n", n, n);
  lcu_buf_addf(&E->ways, "%s[ %d, %%X%u ]", E->ways.len == 0 ? "" : ", ", stops ? (int)i : -1, n);
}

void ptx_jit_leave (ptx_jit_emitter *E, uint32_t i) {
  uint32_t to[2], n = ptx_jit_successors(E->f->code, i, to);
  ptx_event event = event_of(&E->f->code->uops[i]);
  ptx_jit_store_live(E, i, to, n);
  if (E->rows && goes_on(&E->f->code->uops[i], event)) {
    to_next(E, i, event);
    return;
  }
  if (event == PTX_EV_NONE) ptx_jit_call(E, i);
  else {
    ptx_jit_store_read(E, i);
    set_event(E, event, i);
  }
  lcu_buf_addf(&E->out, "  ret ptr null\n");
}
