/* lcu_block_find.c: which live block contains an address, and its label; which memory is
 * registered. */
#include <stdio.h>

#include "lcu_block.h"

/* The distance of an address from a block; 0: inside. */
static uint64_t gap (const lcu_block *b, cu_deviceptr address) {
  if (b->address == 0 || b->size == 0) return UINT64_MAX;
  if (address < b->address) return b->address - address;
  return address - b->address < b->size ? 0 : address - b->address - b->size + 1;
}

static void label_text (const lcu_block_label *l, char *out, size_t size) {
  int at = snprintf(out, size, "%s%s", l->type, l->ndim > 0 ? " {" : "");
  for (int i = 0; i < l->ndim && i < LCU_LABEL_DIMS && at > 0 && (size_t)at < size; i++)
    at += snprintf(out + at, size - (size_t)at, "%s%lld", i > 0 ? ", " : "", (long long)l->dims[i]);
  if (l->ndim > 0 && at > 0 && (size_t)at < size)
    snprintf(out + at, size - (size_t)at, "%s}", l->ndim > LCU_LABEL_DIMS ? ", ..." : "");
}

bool lcu_block_find (lcu_device *d, cu_deviceptr address, char *label, size_t label_size,
                     cu_deviceptr *base, size_t *size) {
  bool found = false;
  pthread_mutex_lock(&d->lock);
  for (const lcu_block *b = d->heap.blocks; b != NULL && !found; b = b->next) {
    if (gap(b, address) != 0) continue;
    if (atomic_load_explicit(&b->labeled, memory_order_acquire))
      label_text(&b->label, label, label_size);
    else label[0] = '\0';
    *base = b->address;
    *size = b->size;
    found = true;
  }
  pthread_mutex_unlock(&d->lock);
  return found;
}

static bool is_registered_for (const lcu_block *b, const lcu_device *d) {
  const lcu_device *by = b->pinned_for != NULL ? b->pinned_for : b->device;
  return b->memory == LCU_MEM_REGISTERED && by->drv == d->drv;
}

bool lcu_block_is_registered (const void *p, size_t size, const lcu_device *d) {
  lcu_device *cpu = lcu_process_cpu();
  cu_deviceptr first = (cu_deviceptr)(uintptr_t)p;
  bool found = false;
  if (cpu == NULL) return false;
  pthread_mutex_lock(&cpu->lock);
  for (const lcu_block *b = cpu->heap.blocks; b != NULL && !found; b = b->next)
    found = is_registered_for(b, d) && first < b->address + b->size && b->address < first + size;
  pthread_mutex_unlock(&cpu->lock);
  return found;
}
