/* ptx_trace.c: records what one thread does, line by line, with the values of its registers and of
 * its local memory. The debug information that gives them names is read elsewhere. */
#include <string.h>

#include "ptx_count.h"
#include "ptx_grid.h"
#include "ptx_memory.h"
#include "ptx_module.h"
#include "ptx_xwarp.h"

/* ---- packing */

static void add_number (lcu_buf *b, uint64_t n, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    uint8_t byte = (uint8_t)(n >> (8 * i));
    lcu_buf_add(b, &byte, 1);
  }
}

static void add_text (lcu_buf *b, const char *text, size_t bytes_of_size) {
  size_t n = strlen(text);
  if (bytes_of_size == 1 && n > UINT8_MAX) n = UINT8_MAX;
  add_number(b, n, bytes_of_size);
  lcu_buf_add(b, text, n);
}

static uint64_t value_of (const ptx_reg *r, const uint8_t *rf, uint32_t lane, uint32_t bytes) {
  uint64_t bits = 0;
  memcpy(&bits, rf + r->slot + (size_t)lane * bytes, bytes < sizeof bits ? bytes : sizeof bits);
  return bits;
}

static uint32_t add_registers (lcu_buf *b, const ptx_frame *f, uint32_t lane) {
  const ptx_function *fn = f->code->function;
  uint32_t n = 0;
  for (uint32_t i = 0; i < fn->num_regs; i++) {
    const ptx_reg *r = fn->regs[i];
    uint32_t bytes = ptx_type_slot_bytes(r->type) / PTX_LANES;
    if (r->slot < 0) continue;
    add_text(b, r->name, 1);
    add_number(b, bytes, 1);
    add_number(b, value_of(r, f->rf, lane, bytes), 8);
    n++;
  }
  return n;
}

static void add_local (lcu_buf *b, const ptx_warp *w, const ptx_frame *f, uint32_t lane) {
  uint32_t n = f->code->function->local_bytes;
  add_number(b, n, 4);
  for (uint32_t i = 0; i < n; i++) lcu_buf_add(b, ptx_local_word(w, lane, f->local_base + i), 1);
}

/* ---- stops */

static void add_place (lcu_buf *b, const lcu_trace *t, const ptx_frame *f, const ptx_uop *I) {
  const ptx_function *fn = f->code->function;
  uint32_t inlined;
  const char *inner = ptx_loc_inlined(&fn->module->ast, I->loc, &inlined);
  add_number(b, t->last_line, 4);
  add_number(b, f->code->insts[I - f->code->uops]->text_line, 4);
  add_number(b, f->depth, 4);
  add_number(b, inlined, 4);
  add_text(b, t->last_file, 4);
  add_text(b, fn->name, 4);
  add_text(b, inner != NULL ? inner : "", 4);
}

static void add_stop (lcu_trace *t, const ptx_warp *w, const ptx_frame *f, uint32_t lane,
                      const ptx_uop *I) {
  lcu_buf b = { 0 }, registers = { 0 };
  uint32_t n = add_registers(&registers, f, lane);
  add_place(&b, t, f, I);
  add_number(&b, n, 4);
  lcu_buf_add(&b, registers.data, registers.len);
  add_local(&b, w, f, lane);
  add_number(&b, w->param_bytes, 4);
  lcu_buf_add(&b, w->params, w->param_bytes);
  add_number(&t->stops, b.len, 4);
  lcu_buf_add(&t->stops, b.data, b.len);
  t->stops.failed |= b.failed || registers.failed;
  lcu_buf_free(&registers);
  lcu_buf_free(&b);
}

/* The time that the host takes is not the kernel's. */
static void hand_over (lcu_trace *t, const ptx_warp *w) {
  ptx_worker *wk = ((const ptx_xwarp *)w)->cta->worker;
  double began = lcu_now_ms();
  t->full(t);
  wk->waited_ms += lcu_now_ms() - began;
}

/* The lane of the thread in this fragment, or PTX_LANES. */
static uint32_t lane_of (const lcu_trace *t, const ptx_warp *w) {
  uint32_t n = t->thread[0] + w->place->ntid[0] * (t->thread[1] + w->place->ntid[1] * t->thread[2]);
  if (memcmp(t->block, w->place->ctaid, sizeof t->block) != 0 || n / PTX_LANES != w->warpid)
    return PTX_LANES;
  return (w->mask >> (n % PTX_LANES)) & 1 ? n % PTX_LANES : PTX_LANES;
}

static void stop (lcu_trace *t, const ptx_warp *w, const ptx_uop *I, const ptx_frame *f,
                  uint32_t lane) {
  if (t->line != 0 && t->line != t->last_line) return;
  if (t->stops.len >= LCU_TRACE_BATCH) hand_over(t, w);
  if (atomic_load(&t->ends)) return;
  if (t->stops.len >= LCU_TRACE_MOST) t->cut = true;
  else add_stop(t, w, f, lane, I);
}

/* Code that fetches parameters has the line of the function and no column. */
static bool is_prologue (const struct ptx_module_ast *ast, uint32_t loc) {
  return loc < ast->num_locs && ast->locs[loc].column == 0;
}

/* A stop at the line of a function is made when its parameters have been fetched. */
void ptx_trace_step (const ptx_profile *p, const ptx_warp *w, const ptx_uop *I,
                     const ptx_frame *f) {
  lcu_trace *t = p->costs->trace;
  const struct ptx_module_ast *ast = &f->code->function->module->ast;
  const char *file = NULL;
  uint32_t line = 0, lane = lane_of(t, w);
  if (lane == PTX_LANES) return;
  t->seen = true;
  if (!ptx_loc_user(ast, I->loc, &file, &line)) return;
  bool enters = is_prologue(ast, I->loc);
  bool same = t->last_line == line && t->last_frame == f;
  if (t->enters && t->last_frame == f && !(enters && same)) stop(t, w, I, f, lane);
  t->enters = enters && (t->enters || !same);
  t->last_file = file;
  t->last_line = line;
  t->last_frame = f;
  if (!same && !enters) stop(t, w, I, f, lane);
}
