/* cpu_grid.h: running grids. */
#ifndef CPU_GRID_H
#define CPU_GRID_H

#include "cpu_op.h"

/* Executes a CPU_OP_KERNEL operation. */
void cpu_grid_run (cpu_stream *s, cpu_op *op);
/* The number of blocks of this grid that fit on the device at the same time. */
uint64_t cpu_grid_resident (const cpu_grid *g);
static inline uint64_t cpu_grid_volume (const uint32_t d[3]) {
  return (uint64_t)d[0] * d[1] * d[2];
}

/* The threads that grids run on. */
cu_result cpu_team_start (int threads);
void cpu_team_stop (void);

#endif
