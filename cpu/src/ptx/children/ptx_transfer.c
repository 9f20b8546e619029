/* ptx_transfer.c: copies and fills that a kernel launches. */
#include <stdio.h>
#include <string.h>

#include "ptx_children.h"
#include "ptx_memory.h"
#include "ptx_module.h"

static uint64_t row_of (const ptx_bytes *b, uint64_t y, uint64_t z) {
  return b->address + y * b->pitch + z * b->slice;
}

/* Reports the first byte that is not in the allocation of the row's first one. */
static bool check_row (ptx_xwarp *x, uint32_t lane, uint64_t address, uint64_t bytes, bool write) {
  ptx_range r;
  if (ptx_memory_reachable(&x->w, PTX_SHAPES - 1, address, bytes)) return true;
  if (ptx_memory_at(&x->w, PTX_GLOBAL, lane, address, 1, write) == NULL) return false;
  if (!x->w.host->find(x->w.host->ud, address, &r)) return false;
  return ptx_memory_at(&x->w, PTX_GLOBAL, lane, r.base + r.size, 1, write) != NULL;
}

static bool check_bytes (ptx_xwarp *x, uint32_t lane, const ptx_transfer *t, const ptx_bytes *b,
                         bool write) {
  for (uint64_t z = 0; z < t->depth; z++)
    for (uint64_t y = 0; y < t->height; y++)
      if (!check_row(x, lane, row_of(b, y, z), t->width, write)) return false;
  return true;
}

bool ptx_transfer_check (ptx_xwarp *x, uint32_t lane, const ptx_transfer *t) {
  return t->width == 0 || ((t->fills || check_bytes(x, lane, t, &t->from, false)) &&
                           check_bytes(x, lane, t, &t->to, true));
}

/* A grid that ran before may have freed it. */
static lcu_status check_again (const ptx_kernel *by, uint64_t address, uint64_t bytes, bool write,
                               ptx_fault *fault) {
  const ptx_host *host = by->module->host;
  ptx_range r = { 0 };
  if (host->find(host->ud, address, &r) && r.live && ptx_range_holds(&r, address, bytes))
    return LCU_OK;
  *fault = (ptx_fault){ .kind = PTX_FAULT_USE_AFTER_FREE,
                        .address = address,
                        .bytes = (uint32_t)bytes,
                        .write = write,
                        .space = "global",
                        .nearest = r };
  snprintf(fault->kernel, sizeof fault->kernel, "%s", by->info.name);
  ptx_fault_describe(fault, "by a copy or fill that the kernel launched");
  return lcu_fail(LCU_E_FAULT, "%s", fault->message);
}

static lcu_status run_row (const ptx_transfer *t, uint64_t y, uint64_t z, const ptx_kernel *by,
                           ptx_fault *fault) {
  uint64_t to = row_of(&t->to, y, z), from = row_of(&t->from, y, z);
  LCU_TRY(check_again(by, to, t->width, true, fault));
  if (t->fills) {
    memset((void *)(uintptr_t)to, t->value, t->width);
    return LCU_OK;
  }
  LCU_TRY(check_again(by, from, t->width, false, fault));
  memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, t->width);
  return LCU_OK;
}

lcu_status ptx_transfer_run (const ptx_transfer *t, const ptx_kernel *by, ptx_fault *fault) {
  for (uint64_t z = 0; z < t->depth && t->width != 0; z++)
    for (uint64_t y = 0; y < t->height; y++) LCU_TRY(run_row(t, y, z, by, fault));
  return LCU_OK;
}
