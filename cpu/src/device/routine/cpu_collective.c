/* cpu_collective.c: operations of a communicator, in the order of a stream. Whoever queues them
 * brings the function that carries them out. */
#include "cu_collective.h"
#include "cpu_routine.h"

static int list_exchanged (const void *job, int from, cpu_operand out[CPU_MOST_OPERANDS]) {
  const cux_collective_job *x = job;
  if (from / 2 >= x->n) return 0;
  const lcu_collective *op = &x->ops[from / 2];
  const lcu_dtype *t = &lcu_dtypes[op->dtype];
  out[0] =
    (cpu_operand){ op->in,       lcu_collective_bytes(op, x->size, false), t->size, t->align, false,
                   CPU_USES_NONE };
  out[1] =
    (cpu_operand){ op->out,      lcu_collective_bytes(op, x->size, true), t->size, t->align, true,
                   CPU_USES_NONE };
  return 2;
}

/* It waits for other processes: never on the thread that queues it. */
static bool is_small_collective (const void *job) {
  (void)job;
  return false;
}

static size_t size_of (const void *job) {
  return cux_collective_bytes(((const cux_collective_job *)job)->n);
}

static lcu_status compute_collective (const void *job, lcu_team *team, cpu_watch *watch) {
  const cux_collective_job *x = job;
  (void)team;
  char why[CUX_WHY_SIZE] = "";
  lcu_status s = x->run(x, cpu_watch_stops, watch, why);
  return s == LCU_OK ? LCU_OK : lcu_fail(s, "%s", why);
}

static void skip (const void *job) {
  const cux_collective_job *x = job;
  x->skip(x);
}

#define ROUTINE(ID, name, in, out) \
  { name, 0, list_exchanged, compute_collective, is_small_collective, size_of, true, skip },

/* A fault names the operation, the first of a group. */
cu_result cpu_cuxCollective (const cux_collective_job *job, cu_stream handle) {
  static const cpu_routine routines[LCU_COLLECTIVE_COUNT] = {
#define LCU_COLLECTIVE ROUTINE
#include "collectives.def"
#undef LCU_COLLECTIVE
  };
  return cpu_routine_queue(&routines[job->ops[0].kind], job, handle);
}
