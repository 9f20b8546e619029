/* cpu_grid.h: grids are run here. */
#ifndef CPU_GRID_H
#define CPU_GRID_H

#include "cpu_op.h"

/* Executes an operation of the kind CPU_OP_KERNEL. */
void cpu_grid_run (cpu_stream *s, cpu_op *op);
/* Blocks of the grid that can be on the device at once. */
uint64_t cpu_grid_resident (const cpu_grid *g);
static inline uint64_t cpu_grid_volume (const uint32_t d[3]) {
  return (uint64_t)d[0] * d[1] * d[2];
}

/* The threads that grids run on. */
cu_result cpu_team_start (int threads);
void cpu_team_stop (void);

#endif
