/* ptx_window.c: reserving the windows. No real allocation can be inside them, and a stray access by
 * the machine itself would crash. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#endif
#include <pthread.h>
#include <sys/mman.h>

#include "ptx_window.h"

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

uint64_t ptx_window_shared, ptx_window_local, ptx_window_param;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The same place in each process, if it is free: addresses in the windows are constants of compiled
 * code, which later processes use. */
static const uintptr_t place = (uintptr_t)0x300000000000;

static void reserve (void) {
  void *p = mmap((void *)place, (size_t)(3 * PTX_WINDOW_SIZE), PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return;
  ptx_window_shared = (uint64_t)(uintptr_t)p;
  ptx_window_local = ptx_window_shared + PTX_WINDOW_SIZE;
  ptx_window_param = ptx_window_local + PTX_WINDOW_SIZE;
}

lcu_status ptx_window_reserve (void) {
  pthread_once(&once, reserve);
  if (ptx_window_shared != 0) return LCU_OK;
  return lcu_fail(LCU_E_NOMEM,
                  "not enough address space: the memory windows of kernels need 12 GiB");
}
