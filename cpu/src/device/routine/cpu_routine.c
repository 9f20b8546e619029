/* cpu_routine.c: see cpu_routine.h. */
#include "cpu_caller.h"
#include "cpu_routine.h"

#include <stdio.h>
#include <string.h>

#include "cpu_capture.h"
#include "cpu_config.h"
#include "cpu_fault.h"
#include "cpu_grid.h"
#include "cpu_map.h"
#include "cpu_worker.h"

/* The memory of an operation. */
typedef struct work {
  const cpu_routine *routine;
  _Alignas(16) uint8_t job[];
} work;


/* ---- checks, when the routine is about to run ---- */

static ptx_fault fault_new (const cpu_routine *r, ptx_fault_kind kind) {
  ptx_fault f = { .kind = kind };
  snprintf(f.kernel, sizeof f.kernel, "%s", r->name);
  return f;
}

/* With all checks on: whether the elements that the routine computes with were written. */
static bool check_written (const cpu_routine *routine, const cpu_operand *x, const ptx_range *r,
                           ptx_fault *f) {
  uint64_t n = x->bytes / x->size, step = x->uses == CPU_USES_ENDS && n > 2 ? n - 1 : 1;
  if (x->uses == CPU_USES_NONE || r->written == NULL) return true;
  const uint8_t *written = r->written + (x->address - r->base);
  for (uint64_t i = 0; i < n; i += step) {
    if (memchr(written + i * x->size, 1, x->size) != NULL) continue;
    *f = fault_new(routine, PTX_FAULT_UNINITIALIZED);
    f->address = x->address + i * x->size;
    f->bytes = x->size;
    memcpy(f->space, "global", sizeof "global");
    f->nearest = *r;
    ptx_fault_describe(f, "which nothing has written");
    return false;
  }
  return true;
}

/* False: the operand cannot be accessed, and *f says why. */
static bool check_operand (const cpu_routine *routine, const cpu_operand *x, ptx_fault *f) {
  ptx_range r = { 0 };
  if (x->bytes == 0) return true;
  bool found = cpu_block_find(x->address, &r), inside = found && x->address - r.base < r.size;
  bool aligned = x->address % x->align == 0;
  if (inside && r.live && x->bytes <= r.size - (x->address - r.base) && aligned)
    return check_written(routine, x, &r, f);
  *f = fault_new(routine, inside && !r.live ? PTX_FAULT_USE_AFTER_FREE : PTX_FAULT_OUT_OF_BOUNDS);
  f->address = x->address;
  if (inside && r.live && !aligned) f->kind = PTX_FAULT_MISALIGNED;
  else if (inside && r.live) f->address = r.base + r.size;
  f->bytes = x->size;
  f->write = x->write;
  memcpy(f->space, "global", sizeof "global");
  if (found) f->nearest = r;
  ptx_fault_describe(f, "");
  return false;
}

static bool check (const work *w, ptx_fault *f) {
  cpu_operand operands[CPU_MOST_OPERANDS];
  if (cpu_configuration.check == PTX_CHECK_OFF) return true;
  for (int from = 0, n; (n = w->routine->operands(w->job, from, operands)) > 0; from += n)
    for (int i = 0; i < n; i++)
      if (!check_operand(w->routine, &operands[i], f)) return false;
  return true;
}


static void note_writes (const work *w) {
  cpu_operand operands[CPU_MOST_OPERANDS];
  for (int from = 0, n; (n = w->routine->operands(w->job, from, operands)) > 0; from += n)
    for (int i = 0; i < n; i++)
      if (operands[i].write)
        cpu_block_write((const void *)(uintptr_t)operands[i].address, (size_t)operands[i].bytes);
}


/* ---- running ---- */

struct cpu_watch {
  cpu_grid *grid;
  double deadline; /* 0: none */
  atomic_bool late;
};

bool cpu_watch_stops (void *watch) {
  cpu_watch *w = watch;
  if (cpu_grid_stops(w->grid) || atomic_load_explicit(&w->late, memory_order_relaxed)) return true;
  if (w->deadline == 0 || lcu_now_ms() < w->deadline) return false;
  atomic_store(&w->late, true);
  return true;
}

static lcu_status compute_work (const work *w, cpu_watch *watch) {
  bool alone = w->routine->solo || w->routine->is_small(w->job);
  lcu_team *team = alone ? NULL : cpu_team_borrow(false);
  lcu_status st = w->routine->compute(w->job, team, watch);
  cpu_team_return(team);
  return st;
}

static bool was_stopped (const cpu_routine *r, cpu_watch *w, ptx_fault *f) {
  char words[64] = "the program was interrupted";
  bool late = atomic_load(&w->late);
  if (!late && !atomic_load(w->grid->stop)) return false;
  if (late) snprintf(words, sizeof words, "not done after %.0f ms", cpu_configuration.timeout_ms);
  *f = fault_new(r, late ? PTX_FAULT_TIMEOUT : PTX_FAULT_INTERRUPTED);
  ptx_fault_describe(f, words);
  return true;
}

static void run_routine (cpu_stream *s, cpu_op *op) {
  const work *w = op->grid.params;
  double limit = cpu_configuration.timeout_ms;
  cpu_watch watch = { .grid = &op->grid, .deadline = limit > 0 ? lcu_now_ms() + limit : 0 };
  ptx_fault fault;
  lcu_status st = LCU_E_FAULT;
  if (check(w, &fault)) {
    note_writes(w);
    st = compute_work(w, &watch);
  } else if (w->routine->skip != NULL) w->routine->skip(w->job);
  if (st == LCU_OK && was_stopped(w->routine, &watch, &fault)) st = LCU_E_FAULT;
  op->grid.failed = st != LCU_OK;
  if (lcu_unlikely(st != LCU_OK)) cpu_fault_add(s, op, st, w->routine->name, &fault);
}


/* ---- queueing ---- */

static cpu_op *fill (cpu_op *op, const cpu_routine *r, const void *job, const char *caller) {
  size_t size = r->size != 0 ? r->size : r->size_of(job);
  work *w = op->memory = lcu_alloc(sizeof *w + size);
  if (w == NULL) {
    cpu_op_discard(op);
    return NULL;
  }
  w->routine = r;
  memcpy(w->job, job, size);
  op->grid.function = NULL;
  op->grid.stop = &op->stop;
  op->grid.params = w;
  memcpy(op->grid.caller, caller, sizeof op->grid.caller);
  return op;
}

/* Of a routine: cpu_op_copy_fn. */
static cpu_op *copy_routine (cpu_op *to, const cpu_op *from) {
  const work *w = from->grid.params;
  return fill(to, w->routine, w->job, from->grid.caller);
}

cu_result cpu_routine_queue (const cpu_routine *r, const void *job, cu_stream handle) {
  cpu_stream *s;
  cu_result result = cpu_stream_enter(handle, &s);
  if (result != 0) return result;
  cpu_op *op = cpu_op_new(CPU_OP_ROUTINE, run_routine);
  if (op != NULL) op = fill(op, r, job, cpu_caller()->place);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  op->copy_of = copy_routine;
  if (cpu_capturing(s)) return cpu_capture_op(s, CU_NODE_KERNEL, op, NULL);
  cpu_submit(s, op, r->is_small(job) ? CPU_QUICK : CPU_ASYNC);
  return 0;
}
