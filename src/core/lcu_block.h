/* lcu_block.h: memory with an owner. A block is one allocation (or foreign memory with a release
 * function); arrays and views hold references to it. It knows which streams use it, so it is freed
 * or reused only behind them. */
#ifndef LCU_BLOCK_H
#define LCU_BLOCK_H

#include "lcu_stream.h"

typedef enum lcu_memory {
  LCU_MEM_DEVICE,
  LCU_MEM_PINNED,
  LCU_MEM_MANAGED,
  LCU_MEM_HOST,
  LCU_MEM_REGISTERED,
  LCU_MEM_FOREIGN,
  LCU_MEM_MODULE
} lcu_memory;
const char *lcu_memory_name (lcu_memory m); /* "device" "pinned" ... */

/* What one stream does with a block: its counts at its last use and at its last write (0: none). */
typedef struct lcu_mark {
  lcu_stream *stream;
  uint64_t used, wrote;
} lcu_mark;
enum { LCU_MARKS = 5 };

/* What people call a block: an array's element type and shape, or a variable's name (ndim 0). Kept
 * as numbers, because it is set for every allocation and read only when something went wrong. */
enum { LCU_LABEL_DIMS = 4 };
typedef struct lcu_block_label {
  char type[16];
  int ndim;
  int64_t dims[LCU_LABEL_DIMS];
} lcu_block_label;
/* "float32 {1000}" */
void lcu_block_label_text (const lcu_block_label *l, char *out, size_t size);

typedef struct lcu_block {
  lcu_object base;
  lcu_memory memory;
  /* from the pool; in the list; known to the CPU device by registration */
  bool pooled, listed, registered;
  bool ordered;           /* allocated and freed in the order of `home` */
  lcu_device *device;     /* where operations on it run: the CPU device for host memory */
  cu_deviceptr address;   /* as `device` sees it */
  size_t size;            /* bytes asked for */
  void *host;             /* host address, NULL when the host cannot read it in place */
  lcu_device *pinned_for; /* driver that pinned/registered/manages it, else NULL */
  lcu_stream *home;       /* allocated and freed in this stream's order */
  /* one for each stream, oldest first; lcu_order.c has their contract */
  lcu_mark marks[LCU_MARKS];
  int num_marks;
  /* the stream of the only mark; NULL: none, or several. Written under the lock */
  _Atomic(lcu_stream *) sole;
  void (*release)(void *ud);
  void *release_ud; /* foreign and module memory */
  /* for fault reports, which may be another thread's: valid once `labelled` */
  lcu_block_label label;
  atomic_bool labelled;
  struct lcu_block *next, *prev; /* in the device's list of live blocks, or in its limbo */
} lcu_block;

/* Device memory in the order of `home` (NULL: the null stream). Size 0 gives a block without memory
 * (address 0). Out of memory: reclaim hooks, trim, synchronise, retry once, then an error with the
 * numbers. */
lcu_status lcu_block_alloc (lcu_device *d, size_t size, lcu_stream *home, lcu_block **out);
/* Host memory operated on by the CPU device. `pin_for`: device whose driver pins or manages it
 * (NULL: plain host memory, `align` bytes aligned). */
lcu_status lcu_block_alloc_host (lcu_memory kind, lcu_device *pin_for, size_t size, size_t align,
                                 unsigned flags, lcu_block **out);
lcu_status lcu_block_register (void *p, size_t size, lcu_device *pin_for, unsigned flags,
                               lcu_block **out);
/* Memory of somebody else; release(ud) is called when the last reference is gone and no stream uses
 * it. */
lcu_status lcu_block_wrap (lcu_device *d, lcu_memory kind, cu_deviceptr p, void *host, size_t size,
                           void (*release)(void *ud), void *ud, lcu_block **out);

/* The address a kernel or copy of device `d` may use, or LCU_E_ARGUMENT when `d` cannot reach
 * it. */
lcu_status lcu_block_address (lcu_block *b, lcu_device *d, cu_deviceptr *out);

/* Around every piece of queued work: begin makes `s` wait for what must come before, end records
 * the use. Both are called with the device entered; `n` may be 0. Nothing happens for a block only
 * ever used on one stream. */
typedef struct lcu_use {
  lcu_block *block;
  bool write;
} lcu_use;
/* begin, where somebody may be waited for */
lcu_status lcu_work_wait (lcu_stream *s, const lcu_use *uses, size_t n, bool ordered);
/* Blocks that only this stream uses: nothing to wait for, and nothing that needs a lock. */
static inline bool lcu_work_is_own (const lcu_stream *s, const lcu_use *uses, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (uses[i].block != NULL &&
        atomic_load_explicit(&uses[i].block->sole, memory_order_acquire) != s)
      return false;
  return true;
}
static inline lcu_status lcu_work_begin (lcu_stream *s, const lcu_use *uses, size_t n) {
  return lcu_likely(lcu_work_is_own(s, uses, n)) ? LCU_OK : lcu_work_wait(s, uses, n, true);
}
void lcu_work_end (lcu_stream *s, const lcu_use *uses, size_t n);

/* Waits on the host until the memory may be read (write = false) or written in place. */
lcu_status lcu_block_wait (lcu_block *b, bool write);
/* Waits for all of it on behalf of nobody: what it finds waits to be raised (lcu_pending.h). */
void lcu_block_settle (lcu_block *b);

/* Reclaim: hooks that give memory back when a device runs out (the Lua layer registers a full
 * collection). */
/* What a Lua state does for the core; called only on the thread that registered it. */
typedef struct lcu_state_hooks {
  void (*reclaim)(void *ud); /* gives memory back */
  /* is a wait that began with `begin` to end? Allocates nothing */
  bool (*stop)(void *ud, bool begin);
} lcu_state_hooks;
lcu_status lcu_state_hooks_add (const lcu_state_hooks *hooks, void *ud);
void lcu_state_hooks_remove (const void *ud);

/* The device's pool (lcu_pool.c). */
typedef struct lcu_pool_stats {
  size_t used, reserved, used_high, reserved_high, limit;
  uint64_t allocations, frees;
} lcu_pool_stats;
lcu_status lcu_pool_create (lcu_device *d, lcu_pool **out);
void lcu_pool_destroy (lcu_device *d, lcu_pool *p);
lcu_status lcu_pool_stat (lcu_device *d, lcu_pool_stats *out);
lcu_status lcu_pool_trim (lcu_device *d, size_t keep);
void lcu_pool_limit (lcu_device *d, size_t bytes); /* 0: none */

/* The live block of device `d` that contains the address, for fault reports: copies its label and
 * base; false when none. */
bool lcu_block_find (lcu_device *d, cu_deviceptr address, char *label, size_t label_size,
                     cu_deviceptr *base, size_t *size);

/* Bytes in all live device blocks of the process. */
size_t lcu_block_live_bytes (void);

/* Copies (lcu_copy.c). Sizes are checked by the caller. Host memory not owned by a block:
 * `lcu_copy_in` reads it before returning (staged), `lcu_copy_out` waits until it is filled. */
lcu_status lcu_copy_in (lcu_block *dst, size_t offset, const void *src, size_t n, lcu_stream *s);
lcu_status lcu_copy_out (void *dst, lcu_block *src, size_t offset, size_t n, lcu_stream *s);
/* Block to block, any devices and memories; asynchronous where the hardware allows. */
lcu_status lcu_copy (lcu_block *dst, size_t dst_offset, lcu_block *src, size_t src_offset, size_t n,
                     lcu_stream *s);
/* Fills n elements of `width` 1, 2, 4, 8 or 16 bytes. */
lcu_status lcu_fill (lcu_block *dst, size_t offset, const void *value, size_t width, size_t n,
                     lcu_stream *s);

#endif
