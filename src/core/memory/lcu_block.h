/* lcu_block.h: memory with an owner. A block is one allocation, or foreign memory with a release
 * function; arrays and views hold references to it. Its marks record which streams use it, so that
 * it is freed or reused only after their work.
 *
 * Invariants, which hold except inside the lock of the block's device; that lock guards all of it:
 *
 * - Uses. Every use of a block that is not known to be complete is covered by a mark: the stream of
 *   the mark follows the use from its count `used` on and, if the use wrote, from its count `wrote`
 *   on. So whoever waits for `wrote` of every mark follows all writes, and whoever waits for `used`
 *   of every mark follows all uses: a stream, the host, the free, the next owner of the memory. The
 *   uses need not be ordered among themselves. lcu_work.c has the rules that keep this.
 * - Marks. There are at most LCU_MARKS, each of another stream, the oldest first, and each holds a
 *   reference to its stream. `home` holds one more. Memory of the pool has a mark of `home` from
 *   its allocation on, which counts as a write there. `sole` is the stream of the only mark, and
 *   NULL where there are none or several.
 * - Life. A complete block is in the list of its device (`listed`) until its last reference is
 *   dropped; who finds it there without references leaves it or revives it (lcu_object_revived).
 *   Then its memory is released, or the block goes to the limbo.
 * - Limbo. Memory is released only after every use that a mark covers. Ordered memory is freed on
 *   `home`, which is first made to wait for all other users, so that the free is queued at once.
 *   Memory without such an order waits for its users in the limbo of its device, a list of blocks
 *   without references. Waits and queries that complete some work look through it; a device that is
 *   closed or reset empties it. On a dead device no work uses memory any more, and in a forked
 *   child only the records are freed.
 * - The end of a context. An `ended` block has lost its memory, and every use of it fails. */
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

/* What one stream has done with a block: the stream's counts at its last use and at its last write
 * (0: none). */
typedef struct lcu_mark {
  lcu_stream *stream;
  uint64_t used, wrote;
} lcu_mark;
enum { LCU_MARKS = 5 };
/* The count of the mark's stream that a later use must follow: a write follows every use, a read
 * follows the last write. */
static inline uint64_t lcu_mark_before (const lcu_mark *m, bool write) {
  return write ? m->used : m->wrote;
}

/* The name of a block in messages: an array's element type and shape, or a variable's name (ndim
 * 0). Stored as numbers, because it is set for every allocation but read only after a failure. */
enum { LCU_LABEL_DIMS = 4 };
typedef struct lcu_block_label {
  char type[16];
  int ndim;
  int64_t dims[LCU_LABEL_DIMS];
} lcu_block_label;

typedef struct lcu_growth lcu_growth; /* lcu_growth.h */
typedef struct lcu_ipc lcu_ipc;       /* lcu_ipc.h */

typedef struct lcu_block {
  lcu_object base;
  lcu_memory memory;
  /* from the pool; in the device's list; registered with the CPU device */
  bool pooled, listed, registered;
  bool ordered;           /* allocated and freed in the order of `home` */
  bool ended;             /* its memory ended with its context (lcu_context.h) */
  bool readonly;          /* foreign memory that may not be written; set before the first use */
  bool untyped;           /* plain bytes, for a pointer parameter of any type */
  bool managed;           /* foreign memory with one address for the host and the GPUs */
  lcu_device *device;     /* runs operations on it: the CPU device for host memory */
  cu_deviceptr address;   /* as `device` sees it */
  size_t size;            /* bytes requested */
  void *host;             /* host address; NULL: the host cannot access it in place */
  lcu_device *pinned_for; /* the device whose driver pins, registers or manages it, else NULL */
  lcu_stream *home;       /* allocated and freed in this stream's order */
  /* managed memory: who may use it (CU_MEM_ATTACH_), and the stream of CU_MEM_ATTACH_SINGLE_ with a
   * reference */
  unsigned attach;
  lcu_stream *attached;
  void (*end)(struct lcu_block *b); /* ends the next two; NULL: there is nothing to end */
  lcu_growth *growth;               /* of a block that grows in place, else NULL */
  lcu_ipc *ipc;                     /* of a block that several processes use, else NULL */
  /* see above */
  lcu_mark marks[LCU_MARKS];
  int num_marks;
  /* the stream of the only mark; NULL: none, or several. Written under the lock */
  _Atomic(lcu_stream *) sole;
  void (*release)(void *ud);
  void *release_ud; /* foreign and module memory */
  /* for fault reports, also of other threads: valid once `labeled` */
  lcu_block_label label;
  atomic_bool labeled;
  struct lcu_block *next, *prev; /* in the device's list of live blocks, or in its limbo */
} lcu_block;

/* What a piece of work does with a block; the block may be NULL. */
typedef struct lcu_use {
  lcu_block *block;
  bool write;
} lcu_use;

/* Device memory in the order of `home` (NULL, or a stream of a capture: the null stream). Size 0
 * gives a block without memory (address 0). If out of memory: calls the reclaim hooks, trims the
 * pool, synchronizes and retries once, then fails with the numbers. */
lcu_status lcu_block_alloc (lcu_device *d, size_t size, lcu_stream *home, lcu_block **out);
/* Host memory; the CPU device runs operations on it. `pin_for`: the device whose driver pins or
 * manages it (NULL: plain host memory, aligned to `align` bytes). */
lcu_status lcu_block_alloc_host (lcu_memory kind, lcu_device *pin_for, size_t size, size_t align,
                                 unsigned flags, lcu_block **out);
lcu_status lcu_block_register (void *p, size_t size, lcu_device *pin_for, unsigned flags,
                               lcu_block **out);
/* Foreign memory. release(ud) is called after the last reference is dropped and no stream uses the
 * memory. */
lcu_status lcu_block_wrap (lcu_device *d, lcu_memory kind, cu_deviceptr p, void *host, size_t size,
                           void (*release)(void *ud), void *ud, lcu_block **out);

/* The failure of a use of memory that ended with its context. */
lcu_status lcu_block_fail_ended (const lcu_block *b);
/* That, or LCU_E_ARGUMENT for a write to memory that may not be written. */
static inline lcu_status lcu_block_allows (const lcu_block *b, bool write) {
  if (lcu_unlikely(b->ended)) return lcu_block_fail_ended(b);
  if (lcu_likely(!write || !b->readonly)) return LCU_OK;
  return lcu_fail(LCU_E_ARGUMENT, "the array is read-only");
}

/* Is memory of [p, p + size) page-locked by a block that lcu_block_register made for the driver of
 * device `d`? */
bool lcu_block_is_registered (const void *p, size_t size, const lcu_device *d);

/* The address for kernels and copies of device `d`; LCU_E_ARGUMENT where `d` cannot reach the
 * memory. */
lcu_status lcu_block_address (lcu_block *b, lcu_device *d, cu_deviceptr *out);

/* Is it device memory that the host accesses in place? */
static inline bool lcu_block_in_place (const lcu_block *b) {
  return b->device->host_memory && (b->memory == LCU_MEM_DEVICE || b->memory == LCU_MEM_MODULE ||
                                    (b->memory == LCU_MEM_FOREIGN && b->host == NULL));
}

/* Waits for all uses and reports nothing: a failure stays pending (lcu_pending.h). */
void lcu_block_wait_quiet (lcu_block *b);

/* Finds the live block of device `d` that contains the address, for fault reports: copies its
 * label, base and size. False: none. */
bool lcu_block_find (lcu_device *d, cu_deviceptr address, char *label, size_t label_size,
                     cu_deviceptr *base, size_t *size);

/* The bytes of all live blocks of the process. */
size_t lcu_block_live_bytes (void);


/* ---- for the files that implement blocks ---- */

/* Adds a complete block to its device's list of live blocks. Ordered memory is available from the
 * present point of `home` on: other streams must follow that point, as they follow a write. */
void lcu_block_enlist (lcu_block *b);
/* Takes it out again; false: another thread has found it there meanwhile and uses it. */
bool lcu_block_delist (lcu_block *b);
/* Counts the bytes of a block of host memory that begins or ends. */
void lcu_block_count_host (const lcu_block *b, bool born);
lcu_block *lcu_block_new (lcu_device *d, lcu_memory memory, size_t size);
/* True when no queued work uses the block. Queries the driver, never waits. */
bool lcu_block_idle (lcu_block *b, bool write);

/* Work that has to complete first: that of a stream up to a count. */
typedef struct lcu_point {
  lcu_stream *stream;
  uint64_t seq;
} lcu_point;
/* The points that a read or write has to wait for and that are not known to be reached, with
 * references to their streams. Returns how many. */
int lcu_block_open_points (lcu_block *b, bool write, lcu_point out[LCU_MARKS]);
void lcu_points_drop (const lcu_point *points, int n);
static inline bool lcu_point_reached (const lcu_point *p) {
  return lcu_stream_reached(p->stream, p->seq);
}

/* ---- lcu_limbo.c: the end of blocks */

/* Ends a block that has no references left. */
void lcu_block_destroy (lcu_object *o);
void lcu_limbo_poll (lcu_device *d);  /* ends the blocks whose uses are over */
void lcu_limbo_drain (lcu_device *d); /* all of them: the device is idle */

#endif
