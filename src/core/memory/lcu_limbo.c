/* lcu_limbo.c: the end of blocks: their memory is released after the work that uses it. */
#include "lcu_block.h"

#include "lcu_comm_guard.h"
#include "lcu_pool.h"
#include "lcu_room.h"
#include "lcu_scope.h"
#include "lcu_stream.h"

/* Drops the references to home and to the streams of all marks; usually home has the only mark. */
static void drop_streams (lcu_block *b) {
  if (b->num_marks == 1 && b->marks[0].stream == b->home) lcu_object_unref_many(&b->home->base, 2);
  else {
    for (int i = 0; i < b->num_marks; i++) lcu_unref(b->marks[i].stream);
    lcu_unref(b->home);
  }
}

static void free_struct (lcu_block *b) {
  lcu_block_count_host(b, false);
  drop_streams(b);
  lcu_unref(b->attached);
  lcu_unref(b->pinned_for);
  lcu_unref(b->device);
  lcu_free(b);
}

static void unregister_cpu (lcu_block *b) {
  lcu_scope scope;
  if (!b->registered || !lcu_device_enter_release(b->device, &scope)) return;
  lcu_device_defer(b->device, LCU_CALL(b->device->drv, cuMemHostUnregister, (b->host)));
  lcu_device_leave(&scope);
}

/* Returns pinned, managed or registered memory to its driver. */
static void release_pinned (lcu_block *b) {
  lcu_scope scope;
  lcu_device *d = b->pinned_for;
  if (b->host == NULL || d == NULL || !lcu_device_enter_release(d, &scope)) return;
  lcu_status st = LCU_OK;
  lcu_device_defer(d, lcu_comm_guard_device(d));
  if (b->memory == LCU_MEM_PINNED) st = LCU_CALL(d->drv, cuMemFreeHost, (b->host));
  else if (b->memory == LCU_MEM_MANAGED)
    st = LCU_CALL(d->drv, cuMemFree, ((cu_deviceptr)(uintptr_t)b->host));
  else if (b->memory == LCU_MEM_REGISTERED) st = LCU_CALL(d->drv, cuMemHostUnregister, (b->host));
  lcu_device_defer(d, st);
  lcu_device_leave(&scope);
}

static void free_plain (lcu_block *b) {
  if (b->host != NULL) lcu_room_give(b->size);
  lcu_free(b->host);
}

/* No work uses the memory any more, or (ordered memory) all work that does precedes the free in the
 * home stream. */
static void release_memory (lcu_block *b) {
  lcu_scope scope;
  unregister_cpu(b);
  if (b->pooled) {
    if (!b->home->gone && lcu_device_enter_quiet(b->device, &scope)) {
      lcu_pool_free(b->device, b->address, b->size, b->home, b->ordered);
      lcu_device_leave(&scope);
    }
  } else release_pinned(b);
  if (b->end != NULL) b->end(b);
  if (b->memory == LCU_MEM_HOST) free_plain(b);
  if (b->release != NULL) b->release(b->release_ud);
  free_struct(b);
}

/* Orders the stream in which the memory is freed after all uses: the home stream, or the null
 * stream where home is retired. False: that failed. */
static bool order_free (lcu_block *b) {
  lcu_point points[LCU_MARKS];
  lcu_status st = LCU_OK;
  lcu_stream *last = b->home->retired ? b->device->null_stream : b->home;
  if (last == NULL) return lcu_block_idle(b, true);
  int n = lcu_block_open_points(b, true, points);
  for (int i = 0; i < n && st == LCU_OK; i++) st = lcu_order_after(last, points[i].stream);
  lcu_points_drop(points, n);
  lcu_device_defer(b->device, st);
  return st == LCU_OK;
}

/* May the memory be released now? */
static bool may_release (lcu_block *b) {
  if (b->num_marks == 0) return true;
  if (b->ordered && atomic_load_explicit(&b->sole, memory_order_relaxed) == b->home &&
      !b->home->retired)
    return true;
  if (atomic_load(&b->device->dead)) return true;
  if (b->ordered) return order_free(b);
  return lcu_block_idle(b, true);
}

static void to_limbo (lcu_block *b) {
  pthread_mutex_lock(&b->device->lock);
  b->next = b->device->heap.limbo;
  b->device->heap.limbo = b;
  pthread_mutex_unlock(&b->device->lock);
}

void lcu_block_destroy (lcu_object *o) {
  lcu_block *b = (lcu_block *)(void *)o;
  if (lcu_process_forked()) {
    if (b->end != NULL) b->end(b);
    if (b->release != NULL) b->release(b->release_ud);
    free_struct(b);
    return;
  }
  if (!lcu_block_delist(b)) return;
  if (may_release(b)) release_memory(b);
  else to_limbo(b);
}


/* ---- the limbo ---- */

/* Takes the blocks that can end out of the limbo. Does not hold the lock during driver calls. */
static lcu_block *take_ended (lcu_device *d, bool all) {
  lcu_block *list, *found = NULL, *next;
  pthread_mutex_lock(&d->lock);
  list = d->heap.limbo;
  d->heap.limbo = NULL;
  pthread_mutex_unlock(&d->lock);
  for (lcu_block *b = list; b != NULL; b = next) {
    next = b->next;
    b->next = NULL;
    if (all) lcu_block_wait_quiet(b);
    if (all || lcu_block_idle(b, true)) {
      b->next = found;
      found = b;
    } else to_limbo(b);
  }
  return found;
}

static void end_limbo (lcu_device *d, bool all) {
  lcu_block *b = take_ended(d, all), *next;
  for (; b != NULL; b = next) {
    next = b->next;
    b->next = NULL;
    release_memory(b);
  }
}

/* Blocks of pinned memory belong to the CPU device, even if another device used them last. */
void lcu_limbo_poll (lcu_device *d) {
  lcu_device *cpu = lcu_process_cpu();
  if (lcu_process_forked()) return;
  if (d->heap.limbo != NULL) end_limbo(d, false);
  if (cpu != NULL && cpu != d && cpu->heap.limbo != NULL) end_limbo(cpu, false);
}

/* The device is idle or lost, but other devices may still use the memory: waits for them. */
void lcu_limbo_drain (lcu_device *d) { end_limbo(d, true); }
