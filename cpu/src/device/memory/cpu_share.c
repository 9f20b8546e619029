/* cpu_share.c: memory that several processes share. A block of this process that
 * others may open has the kind CPU_MEM_SHARED, one of another process CPU_MEM_OPENED. Opened once
 * more, a block has the same address; it is closed as often as it was opened. */
#include "cpu_share.h"

#include <string.h>

#include "cpu_enter.h"
#include "cpu_memfile.h"
#include "cpu_memory.h"
#include "cpu_pool.h"
#include "lcu_room.h"

struct cpu_share {
  cpu_memfile file;
  unsigned opens; /* of a block of another process */
  cpu_block *block;
  cpu_share *next; /* in the list of blocks of other processes */
};

static cpu_share *opened; /* guarded by the map's lock */

/* Other processes cannot open it any more. Those that have it open keep its memory. */
static void share_close (cpu_block *b) {
  cpu_memfile_close(&b->share->file);
  cpu_memfile_cover((void *)(uintptr_t)b->base, b->size);
}

static void share_end (cpu_block *b) {
  cpu_share **at = &opened;
  while (*at != NULL && *at != b->share) at = &(*at)->next;
  if (*at != NULL) *at = b->share->next;
  cpu_memfile_close(&b->share->file);
  cpu_memfile_unmap((void *)(uintptr_t)b->base, b->size);
  if (b->kind == CPU_MEM_SHARED) lcu_room_give(b->capacity);
  lcu_free(b->share);
}

/* A block over a file, which it takes over. */
static cpu_block *new_block (cpu_kind kind, const cpu_memfile *f) {
  void *p = cpu_memfile_map(f);
  cpu_block *b = p != NULL ? lcu_calloc(1, sizeof *b) : NULL;
  cpu_share *s = b != NULL ? lcu_calloc(1, sizeof *s) : NULL;
  if (s == NULL) {
    if (p != NULL) cpu_memfile_unmap(p, f->size);
    lcu_free(b);
    return NULL;
  }
  *s = (cpu_share){ .file = *f, .opens = 1, .block = b };
  *b = (cpu_block){ .base = (uintptr_t)p,
                    .size = (size_t)f->size,
                    .capacity = (size_t)f->size,
                    .kind = kind,
                    .pool = cpu_pool_default(),
                    .close = kind == CPU_MEM_SHARED ? share_close : NULL,
                    .end = share_end,
                    .share = s };
  return b;
}

/* ---- memory for other processes ---- */

cu_result cpu_share_make (const char *call, size_t n, cpu_block **out) {
  cpu_memfile f;
  cu_result r = cpu_memfile_make(call, CPU_MEMFILE_MEMORY, n, &f);
  if (r != 0) return r;
  *out = new_block(CPU_MEM_SHARED, &f);
  if (*out != NULL) return 0;
  cpu_memfile_close(&f);
  return CU_ERR_OUT_OF_MEMORY;
}

/* Only cuxMemAllocShared makes memory that other processes can open. */
cu_result cpu_cuIpcGetMemHandle (cu_ipc_memory *h, cu_deviceptr p) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (h == NULL) return CU_ERR_INVALID_VALUE;
  cpu_map_lock();
  const cpu_block *b = cpu_map_floor(p);
  bool ok = b != NULL && b->base == p && b->kind == CPU_MEM_SHARED && b->life == CPU_LIVE;
  if (ok) cpu_memfile_name(&b->share->file, h->bytes);
  cpu_map_unlock();
  return ok ? 0 : CU_ERR_INVALID_VALUE;
}


/* ---- memory of other processes ---- */

/* The share that is open already, with one opening more, or NULL. Needs the map's lock. */
static cpu_share *again (const cpu_memfile *f) {
  for (cpu_share *s = opened; s != NULL; s = s->next) {
    if (memcmp(s->file.id, f->id, sizeof f->id) != 0 || s->opens == 0) continue;
    s->opens++;
    return s;
  }
  return NULL;
}

static void add_opened (cpu_block *b) {
  b->share->next = opened;
  opened = b->share;
  cpu_block_enter(b);
}

cu_result cpu_cuIpcOpenMemHandle (cu_deviceptr *p, cu_ipc_memory h, unsigned flags) {
  cpu_memfile f;
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (p == NULL || flags != CU_IPC_LAZY_PEER_ACCESS_) return CU_ERR_INVALID_VALUE;
  r = cpu_memfile_open("cuIpcOpenMemHandle", CPU_MEMFILE_MEMORY, h.bytes, &f);
  if (r != 0) return r;
  cpu_map_lock();
  cpu_share *s = again(&f);
  cpu_block *b = s == NULL ? new_block(CPU_MEM_OPENED, &f) : NULL;
  if (b != NULL) {
    add_opened(b);
    s = b->share;
  }
  if (s != NULL) *p = s->block->base;
  cpu_map_unlock();
  if (b == NULL) cpu_memfile_close(&f);
  return s != NULL ? 0 : CU_ERR_OUT_OF_MEMORY;
}

cu_result cpu_share_close (cu_deviceptr p, bool *last) {
  cpu_map_lock();
  const cpu_block *b = cpu_map_floor(p);
  bool ok = b != NULL && b->base == p && b->kind == CPU_MEM_OPENED && b->life == CPU_LIVE;
  *last = ok && --b->share->opens == 0;
  cpu_map_unlock();
  return ok ? 0 : CU_ERR_INVALID_VALUE;
}
