/* cpu_op.c: what each kind of operation does when its turn comes. */
#include "cpu_device.h"

#include <string.h>

void cpu_op_run (cpu_stream *s, cpu_op *op) {
  switch (op->kind) {
    case CPU_OP_KERNEL: cpu_grid_run(s, op); break;
    case CPU_OP_COPY: memmove(op->copy.dst, op->copy.src, op->copy.n); break;
    case CPU_OP_RECT: cpu_rect_run(&op->rect); break;
    case CPU_OP_FILL: cpu_fill_run(&op->fill); break;
    case CPU_OP_FREE: cpu_block_free(op->block); break;
    case CPU_OP_RECORD: cpu_event_reach(op->event, op->seq); break;
    case CPU_OP_HOST: op->host.fn(op->host.ud); break;
    case CPU_OP_WAIT: cpu_fault_inherit(op->wait.stream, op->wait.seq, s); break;
    case CPU_OP_MARK: break;
  }
}

void cpu_op_drop (cpu_op *op) {
  if (op->kind == CPU_OP_KERNEL) lcu_free(op->grid.large);
  else if (op->kind == CPU_OP_COPY) lcu_free(op->copy.staged);
}
