/* lcu_block_list.c: the lists of live blocks, and their total size. */
#include "lcu_block.h"

#include "lcu_pool.h"
#include "lcu_stream.h"

/* of pinned, managed and plain memory; pools count device memory */
static atomic_size_t host_bytes;

static bool add_used (lcu_device *d, void *ud) {
  *(size_t *)ud += lcu_pool_used(d);
  return true;
}

size_t lcu_block_live_bytes (void) {
  size_t n = atomic_load_explicit(&host_bytes, memory_order_relaxed);
  lcu_process_each(add_used, &n);
  return n;
}

static bool is_owned (const lcu_block *b) {
  return b->memory != LCU_MEM_FOREIGN && b->memory != LCU_MEM_MODULE &&
         b->memory != LCU_MEM_REGISTERED;
}

void lcu_block_count_host (const lcu_block *b, bool born) {
  if (!is_owned(b) || b->memory == LCU_MEM_DEVICE) return;
  if (born) atomic_fetch_add_explicit(&host_bytes, b->size, memory_order_relaxed);
  else atomic_fetch_sub_explicit(&host_bytes, b->size, memory_order_relaxed);
}

static void push_list (lcu_block **head, lcu_block *b) {
  b->prev = NULL;
  b->next = *head;
  if (*head != NULL) (*head)->prev = b;
  *head = b;
}

static void take_list (lcu_block **head, lcu_block *b) {
  if (b->prev != NULL) b->prev->next = b->next;
  else *head = b->next;
  if (b->next != NULL) b->next->prev = b->prev;
  b->next = b->prev = NULL;
}

void lcu_block_enlist (lcu_block *b) {
  pthread_mutex_lock(&b->device->lock);
  if (b->ordered) b->marks[0].used = b->marks[0].wrote = lcu_stream_count_locked(b->home);
  push_list(&b->device->heap.blocks, b);
  if (b->pooled) lcu_pool_count_locked(b->device, true);
  b->listed = true;
  pthread_mutex_unlock(&b->device->lock);
}

bool lcu_block_delist (lcu_block *b) {
  lcu_device *d = b->device;
  if (!b->listed) return true;
  pthread_mutex_lock(&d->lock);
  bool revived = b->ipc != NULL && lcu_object_revived(&b->base);
  if (!revived) {
    take_list(&d->heap.blocks, b);
    if (b->pooled) lcu_pool_count_locked(d, false);
    b->listed = false;
  }
  pthread_mutex_unlock(&d->lock);
  return !revived;
}
