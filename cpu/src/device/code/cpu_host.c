/* cpu_host.c: memory, address lookup and printf for the PTX machine. */
#include "cpu_module.h"

#include <stdatomic.h>
#include <string.h>

#include "cpu_condition.h"
#include "cpu_driver.h"
#include "cpu_launch.h"
#include "cpu_limit.h"
#include "cpu_map.h"
#include "cpu_memory.h"
#include "cpu_print.h"
#include "cpu_texture.h"

static bool host_find (void *ud, uint64_t address, ptx_range *out) {
  (void)ud;
  return cpu_block_find(address, out);
}

static void *host_variable_alloc (void *ud, const char *name, uint64_t size, uint64_t align,
                                  bool managed) {
  cpu_block *b;
  char *copy = lcu_strdup(name);
  (void)ud, (void)managed;
  if (copy == NULL) return NULL;
  if (cpu_block_alloc("cuModuleLoadDataEx", size != 0 ? (size_t)size : 1, (size_t)align,
                      CPU_MEM_VARIABLE, NULL, &b) != 0) {
    lcu_free(copy);
    return NULL;
  }
  cpu_block_set_name(b, copy);
  return memset((void *)(uintptr_t)b->base, 0, b->size);
}

static void host_variable_free (void *ud, void *p) {
  cpu_block *b;
  (void)ud;
  if (p != NULL && cpu_block_claim("cuModuleUnload", (uintptr_t)p, 1u << CPU_MEM_VARIABLE, &b) == 0)
    cpu_block_free(b);
}


/* ---- malloc and free in kernels ---- */

static atomic_size_t heap_used;

static bool heap_take (size_t n) {
  size_t limit = cpu_limit(cpu_primary(), CU_LIMIT_MALLOC_HEAP_SIZE_);
  size_t used = atomic_load(&heap_used);
  do {
    if (n > limit || used > limit - n) return false;
  } while (!atomic_compare_exchange_weak(&heap_used, &used, used + n));
  return true;
}

static void *host_heap_alloc (void *ud, uint64_t size) {
  cpu_block *b;
  size_t n = size != 0 ? (size_t)size : 1;
  (void)ud;
  if (!heap_take(n)) return NULL;
  if (cpu_block_alloc("malloc", n, 0, CPU_MEM_HEAP, NULL, &b) != 0) {
    atomic_fetch_sub(&heap_used, n);
    return NULL;
  }
  return (void *)(uintptr_t)b->base;
}

static bool host_heap_free (void *ud, uint64_t address) {
  cpu_block *b;
  (void)ud;
  if (cpu_block_claim("free", address, 1u << CPU_MEM_HEAP, &b) != 0) return false;
  atomic_fetch_sub(&heap_used, b->size);
  cpu_block_free(b);
  return true;
}

void cpu_heap_reset (void) { atomic_store(&heap_used, 0); }


/* ---- the table ---- */

static bool host_set_condition (void *ud, uint64_t handle, uint32_t value) {
  (void)ud;
  return cpu_condition_set(handle, value);
}

static void host_print (void *ud, const char *text, size_t len) {
  (void)ud;
  cpu_print_add(text, len);
}

/* Kernels ask while their context is in use, so its state need not be checked. */
static bool host_ask (void *ud, ptx_question question, int id, uint64_t *out) {
  int value = 0;
  (void)ud;
  if (question == PTX_ASK_LIMIT) {
    if (id < 0 || id >= CPU_LIMITS) return false;
    *out = cpu_limit(cpu_primary(), id);
    return true;
  }
  if ((question == PTX_ASK_VERSION ? cpu_cuDriverGetVersion(&value)
                                   : cpu_cuDeviceGetAttribute(&value, id, 0)) != 0)
    return false;
  *out = (uint64_t)(int64_t)value;
  return true;
}

static int host_occupancy (void *ud, const ptx_kernel *k, uint64_t threads,
                           uint64_t dynamic_shared) {
  (void)ud;
  return cpu_kernel_blocks(k, 0, threads, dynamic_shared);
}

const ptx_host cpu_ptx_host = {
  .find = host_find,
  .variable_alloc = host_variable_alloc,
  .variable_free = host_variable_free,
  .heap_alloc = host_heap_alloc,
  .heap_free = host_heap_free,
  .texture = cpu_texture_find,
  .print = host_print,
  .set_condition = host_set_condition,
  .ask = host_ask,
  .occupancy = host_occupancy,
};
