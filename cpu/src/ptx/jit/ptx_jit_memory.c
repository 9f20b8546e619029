/* ptx_jit_memory.c: loads and stores of global and shared memory. How the addresses of the lanes
 * lie to each other is known from the claim about their register; where nothing is known, they are
 * taken one by one. Where the check fails, the handler is called, which reports faults. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ptx_ids.h"
#include "ptx_jit_checked.h"

bool ptx_jit_can_access (const ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  const char *name = ptx_id_names[I->id] + 3;
  if (!ptx_jit_is_load(I->id) && !ptx_jit_is_store(I->id)) return false;
  if (I->size > 8 || (I->flags & PTX_F_VOLATILE) != 0) return false;
  if (E->f->checked && (I->flags & PTX_F_GUESS) != 0) return false;
  if (ptx_jit_is_load(I->id) && I->used_bytes != 0) return false;
  if (I->space == PTX_LOCAL) return true;
  if ((I->flags & PTX_F_DIRECT) != 0) return false;
  return strncmp(name, "global", 6) == 0 || strncmp(name, "generic", 7) == 0 ||
         strncmp(name, "shared", 6) == 0;
}

/* ---- shapes ---- */

static void find_range (ptx_jit_transfer *x) {
  uint32_t a, b;
  ptx_value_ends(x->a, x->width * 8, &a, &b);
  x->least = ptx_jit_offset(x->a, a, x->width);
  x->most = ptx_jit_offset(x->a, b, x->width);
}

static bool on_elements (const ptx_jit_transfer *x) {
  for (uint32_t l = 0; l < PTX_LANES; l++)
    if (ptx_jit_offset(x->a, l, x->width) % (int64_t)x->stride != 0) return false;
  return true;
}

/* With a predicate, what is moved for all lanes is blended. Loads also read what lanes that are off
 * would load, if it is there. */
static ptx_jit_shape shape_of (const ptx_jit_emitter *E, ptx_jit_transfer *x) {
  int64_t step;
  bool some = E->predicate != 0;
  uint32_t bits = x->width * 8;
  if (x->a == NULL) return PTX_JIT_ANY;
  if (ptx_value_uniform(x->a)) return some && !x->load ? PTX_JIT_ANY : PTX_JIT_ONE;
  if (some && !E->full) return PTX_JIT_ANY;
  if (ptx_value_stride(x->a, bits, PTX_LANES, &step) && step == x->stride &&
      (x->load || (E->full && !some) || ptx_jit_has_masks(x)))
    return PTX_JIT_RUN;
  if (!E->full && !x->load) return PTX_JIT_ANY;
  if ((x->load || !some) && ptx_value_stride(x->a, bits, PTX_JIT_ROW, &step) &&
      (step == x->stride || (step == 0 && x->load))) {
    x->step = step;
    return PTX_JIT_ROWS;
  }
  find_range(x);
  if (x->a->base == PTX_BASE_ROW || !on_elements(x) || x->most - x->least > 1 << 20)
    return PTX_JIT_ANY;
  int64_t most = x->load ? PTX_JIT_WINDOW_LOADS : x->shared ? PTX_JIT_WINDOW_STORES : 0;
  bool near = (x->most - x->least) / x->stride < most && x->I->vector == 1;
  return near ? PTX_JIT_WINDOW : PTX_JIT_FIXED;
}

void ptx_jit_transfer_shape (const ptx_jit_emitter *E, ptx_jit_transfer *x) {
  x->shape = shape_of(E, x);
}

/* ---- all of it ---- */

ptx_jit_transfer ptx_jit_transfer_of (const ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  ptx_jit_transfer x = { .I = I, .i = i, .load = ptx_jit_is_load(I->id) };
  x.slot_bytes = I->size == 8 ? 8 : 4;
  x.width = I->flags & PTX_F_ADDRESS32 ? 4 : 8;
  x.stride = (uint32_t)I->size * I->vector;
  x.range = ptx_id_access[I->id] == PTX_ACCESS_ATOMIC ? PTX_SHAPES - 1 : (uint32_t)I->c;
  x.shared = I->space == PTX_SHARED;
  if ((I->flags & PTX_F_DIRECT) == 0) x.a = ptx_jit_value(E->f, i, I->a, x.width);
  snprintf(x.memory, sizeof x.memory, "i%u", I->size * 8u);
  return x;
}

void ptx_jit_transfer_begin (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t labels[2]) {
  uint32_t fast = ptx_jit_number(E);
  labels[0] = ptx_jit_number(E);
  labels[1] = ptx_jit_number(E);
  ptx_jit_likely(E, x->ok, fast, labels[0]);
  lcu_buf_addf(&E->out, "X%u:\n", fast);
}

/* Only loops that wait read it. They are not compiled, but called functions may contain some. */
static void note_store (ptx_jit_emitter *E, const ptx_jit_transfer *x) {
  if (E->f->code->calls && ptx_jit_is_store(x->I->id) && x->I->space != PTX_LOCAL)
    ptx_jit_set_field(E, offsetof(ptx_warp, stored), "i32", "1");
}

/* The handler made the first access of a group, and may have found another allocation: if the check
 * of all of them holds now, compiled code makes the others. */
static void check_again (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t done) {
  ptx_jit_transfer again = *x;
  uint32_t no = ptx_jit_number(E);
  again.ok = 0;
  (void)ptx_jit_check(E, &again);
  ptx_jit_likely(E, again.ok, done, no);
  lcu_buf_addf(&E->out, "X%u:\n", no);
  ptx_jit_give_up(E, x->i + 1);
}

void ptx_jit_transfer_end (ptx_jit_emitter *E, const ptx_jit_transfer *x,
                           const uint32_t labels[2]) {
  note_store(E, x);
  lcu_buf_addf(&E->out, "  br label %%X%u\nX%u:\n", labels[1], labels[0]);
  ptx_jit_call(E, x->i);
  if (x->group.more != 0) check_again(E, x, labels[1]);
  else lcu_buf_addf(&E->out, "  br label %%X%u\n", labels[1]);
  lcu_buf_addf(&E->out, "X%u:\n", labels[1]);
}

/* ---- addresses that turn out to be consecutive ---- */

/* What lane 0 has, or would have before the first lane that is on. */
static uint32_t start_of_run (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t addresses) {
  const char *type = ptx_jit_int(x->width);
  uint32_t n = E->next;
  E->next += 4;
  if (E->full) {
    lcu_buf_addf(&E->out, "  %%t%u = extractelement <32 x %s> %%t%u, i32 0\n", n, type, addresses);
    return n;
  }
  lcu_buf_addf(&E->out, "  %%t%u = extractelement <32 x %s> %%t%u, i32 %%t%u\n", n, type, addresses,
               E->first[0]);
  lcu_buf_addf(&E->out, "  %%t%u = mul i32 %%t%u, %u\n", n + 1, E->first[0], x->stride);
  lcu_buf_addf(&E->out,
               x->width == 8 ? "  %%t%u = zext i32 %%t%u to i64\n" : "  %%t%u = add i32 %%t%u, 0\n",
               n + 2, n + 1);
  lcu_buf_addf(&E->out, "  %%t%u = sub %s %%t%u, %%t%u\n", n + 3, type, n, n + 2);
  return n + 3;
}

/* The start; `run`: whether the addresses of all lanes that are on follow from it. */
static uint32_t first_of_run (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t *run) {
  const char *type = ptx_jit_int(x->width);
  uint32_t a = ptx_jit_lanes(E, x->i, x->I->a, x->width), base = start_of_run(E, x, a),
           all = ptx_jit_splat(E, base, type), n = E->next;
  E->next += 5;
  lcu_buf_addf(&E->out, "  %%t%u = sub <32 x %s> %%t%u, %%t%u\n", n, type, a, all);
  lcu_buf_addf(&E->out, "  %%t%u = icmp eq <32 x %s> %%t%u, <", n + 1, type, n);
  for (uint32_t l = 0; l < PTX_LANES; l++)
    lcu_buf_addf(&E->out, "%s%s %u", l == 0 ? "" : ", ", type, l * x->stride);
  lcu_buf_addf(&E->out,
               ">\n  %%t%u = bitcast <32 x i1> %%t%u to i32\n  %%t%u = and i32 %%t%u, %%t%u\n"
               "  %%t%u = icmp eq i32 %%t%u, %%t%u\n",
               n + 2, n + 1, n + 3, n + 2, E->bits, n + 4, n + 3, E->bits);
  *run = n + 4;
  return base;
}

/* Makes the access if they are, and it is good; then control goes on at X`done`, else behind. */
static void try_run (ptx_jit_emitter *E, const ptx_jit_transfer *of, uint32_t done) {
  ptx_jit_transfer x = *of;
  uint32_t run, checked = ptx_jit_number(E), fast = ptx_jit_number(E), other = ptx_jit_number(E);
  x.shape = PTX_JIT_RUN;
  x.base = first_of_run(E, &x, &run);
  lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%X%u\nX%u:\n", run, checked, other,
               checked);
  ptx_jit_spot t = ptx_jit_check(E, &x);
  ptx_jit_likely(E, x.ok, fast, other);
  lcu_buf_addf(&E->out, "X%u:\n", fast);
  if (!ptx_jit_note(E, &x, &t, other)) ptx_jit_move(E, &x, &t);
  note_store(E, &x);
  lcu_buf_addf(&E->out, "  br label %%X%u\nX%u:\n", done, other);
}

/* ---- what other warps will access ---- */

/* Prefetches for later warps. Outside loops, the next warps of a block, and then the next block,
 * usually access the elements that follow. The hardware prefetcher is too late, because the few
 * accesses of a warp are far apart in the code. */
static void fetch_ahead (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *t) {
  enum { BYTES = 2048, LINE = 64 };
  if (x->shape != PTX_JIT_RUN || x->shared || !E->full || E->predicate != 0 || E->f->looped[x->i])
    return;
  for (uint32_t k = 0; k < x->stride * PTX_LANES; k += LINE) {
    uint32_t n = E->next;
    E->next += 2;
    lcu_buf_addf(&E->out, "  %%t%u = add i64 %%t%u, %u\n  %%t%u = inttoptr i64 %%t%u to ptr\n", n,
                 t->at[0], BYTES + k, n + 1, n);
    lcu_buf_addf(&E->out, "  call void @llvm.prefetch.p0(ptr %%t%u, i32 0, i32 3, i32 1)\n", n + 1);
  }
}

/* ---- */

static void follow (ptx_jit_emitter *E, ptx_jit_transfer *x) {
  ptx_jit_spot t = ptx_jit_checked(E, x);
  uint32_t labels[2] = { ptx_jit_number(E), ptx_jit_number(E) };
  if (!ptx_jit_note(E, x, &t, labels[0])) ptx_jit_move(E, x, &t);
  if (E->f->checked) ptx_jit_transfer_end(E, x, labels);
  else note_store(E, x);
}

bool ptx_jit_access (ptx_jit_emitter *E, uint32_t i) {
  uint32_t labels[2];
  if (!ptx_jit_can_access(E, i)) return false;
  if (E->f->code->uops[i].space == PTX_LOCAL) {
    ptx_jit_local(E, i);
    return true;
  }
  ptx_jit_transfer x = ptx_jit_transfer_of(E, i);
  ptx_jit_transfer_shape(E, &x);
  if (x.shape == PTX_JIT_ONE && !x.load) return false;
  if (E->predicate == 0) x.group = E->groups[i];
  if (x.group.follows) {
    follow(E, &x);
    return true;
  }
  bool may_run =
    x.shape == PTX_JIT_ANY && E->predicate == 0 && (E->full || x.load || ptx_jit_has_masks(&x));
  uint32_t done = ptx_jit_number(E);
  if (may_run) try_run(E, &x, done);
  ptx_jit_spot t = ptx_jit_check(E, &x);
  ptx_jit_transfer_begin(E, &x, labels);
  fetch_ahead(E, &x, &t);
  if (!ptx_jit_note(E, &x, &t, labels[0])) ptx_jit_move(E, &x, &t);
  ptx_jit_transfer_end(E, &x, labels);
  if (may_run) lcu_buf_addf(&E->out, "  br label %%X%u\nX%u:\n", done, done);
  return true;
}
