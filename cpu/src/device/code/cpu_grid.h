/* cpu_grid.h: running grids. */
#ifndef CPU_GRID_H
#define CPU_GRID_H

#include "cpu_op.h"
#include "lcu_thread.h"
#include "ptx.h"

/* Executes a CPU_OP_KERNEL operation. */
void cpu_grid_run (cpu_stream *s, cpu_op *op);
/* The number of blocks of this grid that fit on the device at the same time. */
uint64_t cpu_grid_resident (const cpu_grid *g);
static inline uint64_t cpu_grid_volume (const uint32_t d[3]) {
  return (uint64_t)d[0] * d[1] * d[2];
}

/* Should the grid (a cpu_grid) end? If the calling thread waits for the grid and that wait is to
 * end, the other threads of the team also end. */
bool cpu_grid_stops (void *grid);

/* The team, for one grid at a time. A small grid does not wait for it: NULL, to run on the calling
 * thread alone. */
lcu_team *cpu_team_borrow (bool small);
void cpu_team_return (lcu_team *team); /* may be NULL */

/* The threads that grids run on. */
cu_result cpu_team_start (int threads);
void cpu_team_stop (void);

/* ---- cpu_profile.c: counting what the kernels of an owner (a Lua state) cost */

/* The profile that a grid queued by this owner adds to, or NULL. Until cpu_profile_leave no other
 * grid has it and it does not end. */
ptx_profile *cpu_profile_enter (uint64_t owner);
void cpu_profile_leave (ptx_profile *p); /* may be NULL */

#endif
