/* cpu_plan.h: memory that graphs allocate.
 *
 * The block of an allocation is made with its node, so its address is the same in all launches.
 * Whether it is allocated is kept twice:
 * - in the order of calls, which are checked against it: the block is CPU_LIVE from a launch that
 *   allocates it until a launch or another call that frees it, and CPU_PLANNED otherwise,
 * - in the order of execution (`alive`), for the PTX machine, to which memory that is not allocated
 *   is freed memory.
 * The block itself is freed when it is not CPU_LIVE and nothing refers to it any more: no node, no
 * step of an executable graph, no queued free. */
#ifndef CPU_PLAN_H
#define CPU_PLAN_H

#include "cpu_map.h"

/* Where an allocation has nodes that free it: one place excludes the other. */
typedef enum cpu_plan_end { CPU_END_OPEN, CPU_END_IN_GRAPH, CPU_END_ELSEWHERE } cpu_plan_end;

typedef struct cpu_plan {
  unsigned refs;
  bool alive;
  cpu_plan_end end;       /* guarded by the lock of graphs */
  cu_pool_access *access; /* what the node names, only to be read back */
  size_t num_access;
} cpu_plan;

/* Makes a block on the device with one reference. */
cu_result cpu_plan_new (const char *call, size_t n, cpu_kind kind, cu_device dev, cpu_block **out);
/* The memory of a graph that starts at the address, with one more reference; or NULL. */
cpu_block *cpu_plan_find (uint64_t address);
void cpu_plan_keep (cpu_block *b); /* one more reference */
void cpu_plan_drop (cpu_block *b); /* one less */
/* In the order of calls: allocated from now on, or not. False: it was so before. */
bool cpu_plan_set_live (cpu_block *b, bool live);
/* The same for a call that frees it: one more reference, until cpu_plan_free. Needs the map's
 * lock. */
void cpu_plan_claim (cpu_block *b);
/* In the order of execution. The contents are lost. */
void cpu_plan_set_alive (cpu_block *b, bool alive);
/* Carries out the free that claimed it. */
void cpu_plan_free (cpu_block *b);

#endif
