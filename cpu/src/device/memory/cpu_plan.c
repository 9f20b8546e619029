/* cpu_plan.c: memory that graphs allocate. */
#include "cpu_plan.h"

#include <string.h>

#include "cpu_memory.h"
#include "cpu_pool.h"

/* The block is discarded. */
static void end_plan (cpu_block *b) {
  lcu_free(b->plan->access);
  lcu_free(b->plan);
}

/* The block may have served a graph before. */
static bool give_plan (cpu_block *b) {
  if (b->plan == NULL) b->plan = lcu_calloc(1, sizeof *b->plan);
  if (b->plan == NULL) return false;
  lcu_free(b->plan->access);
  *b->plan = (cpu_plan){ .refs = 1 };
  b->end = end_plan;
  b->life = CPU_PLANNED;
  return true;
}

cu_result cpu_plan_new (const char *call, size_t n, cpu_kind kind, cu_device dev, cpu_block **out) {
  cpu_map_lock();
  cpu_pool *pool = cpu_pool_of_graphs(dev);
  cpu_map_unlock();
  cu_result r = cpu_block_alloc(call, n, 0, kind, pool, out);
  if (r != 0) return r;
  cpu_map_lock();
  bool ok = give_plan(*out);
  if (!ok) cpu_block_give(*out);
  cpu_map_unlock();
  return ok ? 0 : CU_ERR_OUT_OF_MEMORY;
}

cpu_block *cpu_plan_find (uint64_t address) {
  cpu_map_lock();
  cpu_block *b = cpu_map_floor(address);
  bool ok = b != NULL && b->base == address && b->plan != NULL && b->life != CPU_DEAD;
  if (ok) b->plan->refs++;
  cpu_map_unlock();
  return ok ? b : NULL;
}

void cpu_plan_keep (cpu_block *b) {
  cpu_map_lock();
  b->plan->refs++;
  cpu_map_unlock();
}

static void drop (cpu_block *b) {
  if (--b->plan->refs > 0 || b->life != CPU_PLANNED) return;
  b->plan->alive = false;
  cpu_block_give(b);
}

void cpu_plan_drop (cpu_block *b) {
  cpu_map_lock();
  drop(b);
  cpu_map_unlock();
}

bool cpu_plan_set_live (cpu_block *b, bool live) {
  cpu_map_lock();
  bool was = b->life == CPU_LIVE;
  b->life = live ? CPU_LIVE : CPU_PLANNED;
  cpu_map_unlock();
  return was != live;
}

void cpu_plan_claim (cpu_block *b) {
  b->life = CPU_PLANNED;
  b->plan->refs++;
}

void cpu_plan_set_alive (cpu_block *b, bool alive) {
  cpu_map_lock();
  b->plan->alive = alive;
  if (alive && b->written != NULL) memset(b->written, 0, b->size);
  cpu_map_unlock();
}

void cpu_plan_free (cpu_block *b) {
  cpu_map_lock();
  b->plan->alive = false;
  drop(b);
  cpu_map_unlock();
}
