/* ptx_jit_checked.c: with all checks on, what compiled code asks (ptx_checks). */
#include "ptx_jit_checked.h"

#include <stddef.h>
#include <stdio.h>

#include "ptx_ids.h"
#include "ptx_jit_words.h"
/* ---- calls ---- */

/* Calls a function of ptx_checks, whose operands are a text. Returns its result, an i1. */
static uint32_t ask (ptx_jit_emitter *E, size_t function, uint32_t i, const char *operands) {
  uint32_t n = E->next;
  E->next += 4;
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%checks, i64 %zu\n", n, function);
  lcu_buf_addf(&E->out, "  %%t%u = load ptr, ptr %%t%u" PTX_JIT_WARP "\n", n + 1, n);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%uops, i64 %zu\n", n + 2,
               i * sizeof(ptx_uop));
  lcu_buf_addf(&E->out, "  %%t%u = call zeroext i1 %%t%u(ptr %%t%u, %s)\n", n + 3, n + 1, n + 2,
               operands);
  return n + 3;
}

/* ---- accesses ---- */

/* As ptx_root_of has it. */
const ptx_variable *ptx_jit_shared_variable (const ptx_jit_emitter *E, uint32_t i) {
  const ptx_inst *inst = E->f->code->insts[i];
  const ptx_operand *o = NULL;
  for (uint32_t k = 0; E->f->checked && inst != NULL && k < inst->num_operands && o == NULL; k++)
    if (inst->operands[k].kind == PTX_O_ADDRESS) o = &inst->operands[k];
  if (o == NULL || o->reg == NULL || E->f->claims->irreducible) return NULL;
  const ptx_variable *v = E->f->claims->roots[o->reg->id].variable;
  return v != NULL && v->space == PTX_SHARED ? v : NULL;
}

static uint32_t narrow_address (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t at) {
  uint32_t t = ptx_jit_number(E);
  if (!x->shared) return at;
  lcu_buf_addf(&E->out, "  %%t%u = trunc i64 %%t%u to i32\n", t, at);
  return t;
}

static uint32_t ask_one (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t at) {
  char text[96];
  if (x->shared)
    snprintf(text, sizeof text, "ptr %%w, i32 %%t%u, i32 %%t%u", E->bits, narrow_address(E, x, at));
  else snprintf(text, sizeof text, "ptr %%w, i64 %%t%u", at);
  return ask(E, x->shared ? offsetof(ptx_checks, shared_one) : offsetof(ptx_checks, global_one),
             x->i, text);
}

/* Where lanes 16 to 31 begin. */
static uint32_t second_row (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *t) {
  uint32_t high = t->at[1];
  if (x->shape == PTX_JIT_ROWS) return high;
  high = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = add i64 %%t%u, %u\n", high, t->at[0], PTX_JIT_ROW * x->stride);
  return high;
}

static uint32_t ask_rows (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *t) {
  char text[128];
  const char *type = x->shared ? "i32" : "i64";
  uint32_t low = narrow_address(E, x, t->at[0]), high = narrow_address(E, x, second_row(E, x, t));
  snprintf(text, sizeof text, "ptr %%w, i32 %%t%u, %s %%t%u, %s %%t%u, i32 %u", E->bits, type, low,
           type, high, x->shape == PTX_JIT_ROWS ? (uint32_t)x->step : x->stride);
  return ask(E, x->shared ? offsetof(ptx_checks, shared_rows) : offsetof(ptx_checks, global_rows),
             x->i, text);
}

/* The offsets of the lanes, in %buffer. */
static void store_offsets (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *t) {
  if (x->shape == PTX_JIT_ANY) {
    lcu_buf_addf(&E->out, "  store <32 x i32> %%t%u, ptr %%buffer, align 64\n", t->offsets);
    return;
  }
  lcu_buf_adds(&E->out, "  store <32 x i32> <");
  for (uint32_t l = 0; l < PTX_LANES; l++)
    lcu_buf_addf(&E->out, "%si32 %lld", l == 0 ? "" : ", ",
                 (long long)(ptx_jit_offset(x->a, l, x->width) - x->least));
  lcu_buf_adds(&E->out, ">, ptr %buffer, align 64\n");
}

static uint32_t ask_lanes (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *t) {
  char text[128];
  store_offsets(E, x, t);
  snprintf(text, sizeof text, "ptr %%w, i32 %%t%u, %s %%t%u, ptr %%buffer", E->bits,
           x->shared ? "i32" : "i64", narrow_address(E, x, t->at[0]));
  return ask(E, x->shared ? offsetof(ptx_checks, shared) : offsetof(ptx_checks, global), x->i,
             text);
}

static uint32_t ask_store (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *t) {
  char text[128];
  uint32_t values = ptx_jit_move_interleaved(E, x), high = second_row(E, x, t);
  lcu_buf_addf(&E->out, "  store <%u x %s> %%t%u, ptr %%buffer, align 64\n",
               PTX_LANES * x->I->vector, x->memory, values);
  snprintf(text, sizeof text, "ptr %%w, i32 %%t%u, i64 %%t%u, i64 %%t%u, ptr %%buffer", E->bits,
           t->at[0], high);
  return ask(E, offsetof(ptx_checks, store_rows), x->i, text);
}

/* The bytes of `written` for `num` elements from an address on: i1, whether each element has
 * one. */
static uint32_t test_written (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t written,
                              uint32_t at, uint32_t num) {
  uint32_t n = E->next;
  E->next += 6;
  lcu_buf_addf(&E->out, "  %%t%u = sub i64 %%t%u, %%t%u\n", n, at, x->from);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %%t%u\n", n + 1, written, n);
  lcu_buf_addf(&E->out, "  %%t%u = load <%u x %s>, ptr %%t%u, align 1\n", n + 2, num, x->memory,
               n + 1);
  lcu_buf_addf(&E->out, "  %%t%u = icmp eq <%u x %s> %%t%u, zeroinitializer\n", n + 3, num,
               x->memory, n + 2);
  lcu_buf_addf(&E->out, "  %%t%u = bitcast <%u x i1> %%t%u to i%u\n", n + 4, num, n + 3, num);
  lcu_buf_addf(&E->out, "  %%t%u = icmp eq i%u %%t%u, 0\n", n + 5, num, n + 4);
  return n + 5;
}

/* Loads of memory that the grid does not change need only have been written. Goes on at X`done` if
 * they are, else behind. */
static void test_constant (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *t,
                           uint32_t done) {
  size_t at = offsetof(ptx_warp, last) + x->range * sizeof(ptx_range);
  bool one = x->shape == PTX_JIT_ONE || (x->shape == PTX_JIT_ROWS && x->step == 0);
  uint32_t lanes = one ? 1u : x->shape == PTX_JIT_RUN ? (uint32_t)PTX_LANES : (uint32_t)PTX_JIT_ROW;
  uint32_t compared = ptx_jit_field(E, at + offsetof(ptx_range, compared), "i8"),
           written = ptx_jit_field(E, at + offsetof(ptx_range, written), "ptr"), n = E->next;
  E->next += 6;
  lcu_buf_addf(&E->out,
               "  %%t%u = icmp eq i8 %%t%u, 0\n  %%t%u = icmp ne ptr %%t%u, null\n"
               "  %%t%u = and i1 %%t%u, %%t%u\n",
               n, compared, n + 1, written, n + 2, n, n + 1);
  ptx_jit_likely(E, n + 2, n + 3, n + 4);
  lcu_buf_addf(&E->out, "X%u:\n", n + 3);
  uint32_t fine = test_written(E, x, written, t->at[0], lanes * x->I->vector);
  if (x->shape == PTX_JIT_ROWS) {
    uint32_t high = test_written(E, x, written, t->at[1], lanes * x->I->vector);
    lcu_buf_addf(&E->out, "  %%t%u = and i1 %%t%u, %%t%u\n", n + 5, fine, high);
    fine = n + 5;
  }
  ptx_jit_likely(E, fine, done, n + 4);
  lcu_buf_addf(&E->out, "X%u:\n", n + 4);
}

/* All lanes that are checked load. */
static bool can_test (const ptx_jit_emitter *E, const ptx_jit_transfer *x) {
  bool known = x->shape == PTX_JIT_ONE || x->shape == PTX_JIT_RUN || x->shape == PTX_JIT_ROWS;
  return !x->shared && x->load && known && !(x->shape == PTX_JIT_RUN && ptx_jit_check_masked(E, x));
}

static bool is_rows (const ptx_jit_transfer *x) {
  return x->shape == PTX_JIT_RUN || x->shape == PTX_JIT_ROWS;
}

static bool is_store (const ptx_jit_transfer *x) { return ptx_jit_is_store(x->I->id); }

/* 0: it cannot be asked. */
static uint32_t ask_access (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *t) {
  bool store = is_store(x);
  if (!x->shared && store) return is_rows(x) ? ask_store(E, x, t) : 0;
  if (x->shape == PTX_JIT_ONE) return store ? 0 : ask_one(E, x, t->at[0]);
  return is_rows(x) ? ask_rows(E, x, t) : ask_lanes(E, x, t);
}

bool ptx_jit_note (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *t,
                   uint32_t slow) {
  if (!E->f->checked || x->I->space == PTX_LOCAL) return false;
  uint32_t go_on = ptx_jit_number(E);
  if (can_test(E, x)) test_constant(E, x, t, go_on);
  ptx_jit_words(E, x, t->at, go_on);
  uint32_t fine = ask_access(E, x, t);
  if (fine == 0) {
    lcu_buf_addf(&E->out, "  br label %%X%u\nX%u:\n", slow, go_on);
    return false;
  }
  ptx_jit_likely(E, fine, go_on, slow);
  lcu_buf_addf(&E->out, "X%u:\n", go_on);
  return !x->shared && is_store(x);
}
