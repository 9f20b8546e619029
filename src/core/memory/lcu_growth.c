/* lcu_growth.c: blocks that grow and shrink in place. */
#include "lcu_growth.h"

#include "lcu_device_failure.h"
#include "lcu_block.h"
#include "lcu_pool.h"
#include "lcu_scope.h"
#include "lcu_wait.h"

/* One mapped piece of memory. */
typedef struct part {
  cu_mem_handle handle;
  size_t size;
} part;

struct lcu_growth {
  size_t unit; /* pieces and the reservation are multiples of this */
  size_t wanted, reserved, mapped;
  part *parts; /* in the order of their addresses */
  size_t num, room;
  uint64_t peers; /* a bit for the index of each device; contexts count as theirs */
};

static cu_mem_prop properties (const lcu_device *d) {
  return (cu_mem_prop){ .type = CU_MEM_PINNED, .location = { CU_LOCATION_DEVICE, d->handle } };
}

size_t lcu_growth_reserved (const lcu_block *b) {
  return b->growth != NULL ? b->growth->wanted : 0;
}

static size_t round_up (size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }


/* ---- access ---- */

static lcu_status allow (const lcu_block *b, cu_deviceptr p, size_t n, const lcu_device *who) {
  const cu_pool_access access = { { CU_LOCATION_DEVICE, who->handle }, CU_ACCESS_BOTH };
  return LCU_CALL(b->device->drv, cuMemSetAccess, (p, n, &access, 1));
}

static lcu_status allow_all (const lcu_block *b, cu_deviceptr p, size_t n) {
  LCU_TRY(allow(b, p, n, b->device));
  for (size_t i = 0; i < LCU_MAX_DEVICES && b->growth->peers >> i != 0; i++)
    if ((b->growth->peers >> i & 1) != 0) LCU_TRY(allow(b, p, n, lcu_process_device(i)));
  return LCU_OK;
}

lcu_status lcu_growth_share (lcu_block *b, lcu_device *peer) {
  lcu_growth *g = b->growth;
  lcu_scope scope;
  uint64_t bit = (uint64_t)1 << lcu_device_root(peer)->index;
  if ((g->peers & bit) != 0) return LCU_OK;
  LCU_TRY(lcu_device_enter(b->device, &scope));
  lcu_status st = g->mapped > 0 ? allow(b, b->address, g->mapped, peer) : LCU_OK;
  lcu_device_leave(&scope);
  if (st == LCU_OK) g->peers |= bit;
  return lcu_device_status(b->device, st);
}


/* ---- pieces; the device is entered ---- */

static bool grow_list (lcu_growth *g) {
  if (g->num < g->room) return true;
  size_t room = 2 * g->room + 8;
  part *p = lcu_realloc(g->parts, room * sizeof *p);
  if (p == NULL) return false;
  g->parts = p;
  g->room = room;
  return true;
}

static lcu_status map_part (lcu_block *b, cu_mem_handle h, size_t n) {
  const lcu_driver *drv = b->device->drv;
  cu_deviceptr at = b->address + b->growth->mapped;
  LCU_TRY(LCU_CALL(drv, cuMemMap, (at, n, 0, h, 0)));
  lcu_status st = allow_all(b, at, n);
  if (st != LCU_OK) (void)drv->cuMemUnmap(at, n);
  return st;
}

/* *full: there is no memory. */
static lcu_status add_part (lcu_block *b, size_t n, bool *full) {
  lcu_growth *g = b->growth;
  const lcu_driver *drv = b->device->drv;
  const cu_mem_prop prop = properties(b->device);
  cu_mem_handle h = 0;
  if (!grow_list(g)) return lcu_no_memory("the parts of an array");
  lcu_status st = LCU_CALL(drv, cuMemCreate, (&h, n, &prop, 0));
  *full = st == CU_ERR_OUT_OF_MEMORY;
  if (st != LCU_OK) return st;
  st = map_part(b, h, n);
  if (st != LCU_OK) {
    (void)drv->cuMemRelease(h);
    return st;
  }
  g->parts[g->num++] = (part){ h, n };
  g->mapped += n;
  return LCU_OK;
}

static lcu_status drop_part (lcu_block *b) {
  lcu_growth *g = b->growth;
  part p = g->parts[--g->num];
  g->mapped -= p.size;
  lcu_status st = LCU_CALL(b->device->drv, cuMemUnmap, (b->address + g->mapped, p.size));
  lcu_status released = LCU_CALL(b->device->drv, cuMemRelease, (p.handle));
  return st != LCU_OK ? st : released;
}

/* Whole pieces above the new size go back. */
static lcu_status fit (lcu_block *b, size_t size, bool *full) {
  lcu_growth *g = b->growth;
  size_t need = round_up(size, g->unit);
  if (need > g->mapped) return add_part(b, need - g->mapped, full);
  while (g->num > 0 && g->mapped - g->parts[g->num - 1].size >= need) LCU_TRY(drop_part(b));
  return LCU_OK;
}


/* ---- sizes ---- */

static lcu_status try_fit (lcu_block *b, size_t size, bool *full) {
  lcu_scope scope;
  *full = false;
  LCU_TRY(lcu_device_enter(b->device, &scope));
  lcu_status st = fit(b, size, full);
  lcu_device_leave(&scope);
  return st;
}

/* The finder of faults reads size and label under the lock. */
static void set_size (lcu_block *b, size_t size) {
  pthread_mutex_lock(&b->device->lock);
  b->size = size;
  pthread_mutex_unlock(&b->device->lock);
}

lcu_status lcu_growth_resize (lcu_block *b, size_t size) {
  bool full;
  lcu_status st = try_fit(b, size, &full);
  if (full) {
    LCU_TRY(lcu_device_make_room(b->device, true));
    st = try_fit(b, size, &full);
  }
  if (st != LCU_OK) return lcu_device_status(b->device, st);
  set_size(b, size);
  return LCU_OK;
}


/* ---- begin and end ---- */

static lcu_status reserve (lcu_block *b, size_t bytes) {
  const lcu_driver *drv = b->device->drv;
  const cu_mem_prop prop = properties(b->device);
  lcu_growth *g = b->growth;
  LCU_TRY(LCU_CALL(drv, cuMemGetAllocationGranularity, (&g->unit, &prop, CU_GRANULARITY_MINIMUM)));
  g->wanted = bytes;
  size_t whole = round_up(bytes, g->unit);
  LCU_TRY(LCU_CALL(drv, cuMemAddressReserve, (&b->address, whole, 0, 0, 0)));
  g->reserved = whole;
  return LCU_OK;
}

static lcu_status reserve_entered (lcu_block *b, size_t bytes) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(b->device, &scope));
  lcu_status st = lcu_device_status(b->device, reserve(b, bytes));
  lcu_device_leave(&scope);
  return st;
}

lcu_status lcu_growth_alloc (lcu_device *d, size_t size, size_t bytes, lcu_block **out) {
  *out = NULL;
  LCU_TRY(lcu_device_open(d));
  lcu_limbo_poll(d);
  lcu_block *b = lcu_block_new(d, LCU_MEM_DEVICE, size);
  if (b == NULL) return LCU_E_NOMEM;
  b->growth = lcu_calloc(1, sizeof *b->growth);
  b->end = lcu_growth_free;
  lcu_status st = b->growth != NULL ? reserve_entered(b, bytes) : lcu_no_memory("an array");
  if (st == LCU_OK) st = lcu_growth_resize(b, size);
  if (st != LCU_OK) {
    lcu_unref(b);
    return st;
  }
  if (d->host_memory) b->host = (void *)(uintptr_t)b->address;
  lcu_block_enlist(b);
  *out = b;
  return LCU_OK;
}

static void free_entered (lcu_block *b) {
  const lcu_driver *drv = b->device->drv;
  lcu_status st = LCU_OK;
  while (b->growth->num > 0) {
    lcu_status dropped = drop_part(b);
    if (st == LCU_OK) st = dropped;
  }
  if (b->growth->reserved > 0) {
    lcu_status freed = LCU_CALL(drv, cuMemAddressFree, (b->address, b->growth->reserved));
    if (st == LCU_OK) st = freed;
  }
  lcu_device_defer(b->device, st);
}

void lcu_growth_free (lcu_block *b) {
  lcu_scope scope;
  if (b->growth == NULL) return;
  if (!lcu_process_forked() && lcu_device_enter_quiet(b->device, &scope)) {
    free_entered(b);
    lcu_device_leave(&scope);
  }
  lcu_free(b->growth->parts);
  lcu_free(b->growth);
  b->growth = NULL;
}
