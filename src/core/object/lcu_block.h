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
/* The count of the mark's stream that a later use has to come after: a write after every use, a
 * read after the last write. */
static inline uint64_t lcu_mark_before (const lcu_mark *m, bool write) {
  return write ? m->used : m->wrote;
}

/* What people call a block: an array's element type and shape, or a variable's name (ndim 0). Kept
 * as numbers, because it is set for every allocation and read only when something went wrong. */
enum { LCU_LABEL_DIMS = 4 };
typedef struct lcu_block_label {
  char type[16];
  int ndim;
  int64_t dims[LCU_LABEL_DIMS];
} lcu_block_label;

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
  /* one for each stream, oldest first; lcu_work.c has their contract */
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

/* Waits for all of it on behalf of nobody: what it finds waits to be raised (lcu_pending.h). */
void lcu_block_wait_quiet (lcu_block *b);

/* The live block of device `d` that contains the address, for fault reports: copies its label and
 * base; false when none. */
bool lcu_block_find (lcu_device *d, cu_deviceptr address, char *label, size_t label_size,
                     cu_deviceptr *base, size_t *size);

/* Bytes in all live device blocks of the process. */
size_t lcu_block_live_bytes (void);


/* ---- between the files of a block ---- */

/* Puts a block that is complete into its device's list of live blocks. Memory with an order belongs
 * to us from `home`'s now on: another stream has to come after that, as after a write. */
void lcu_block_enlist (lcu_block *b);
void lcu_block_delist (lcu_block *b);
/* Counts the bytes of a block of host memory that came to be or ends. */
void lcu_block_count_host (const lcu_block *b, bool born);
lcu_block *lcu_block_new (lcu_device *d, lcu_memory memory, size_t size);
/* True when nothing queued uses the block (asks the driver, never waits). */
bool lcu_block_idle (lcu_block *b, bool write);

/* Work that has to be over first: a stream up to a count. */
typedef struct lcu_point {
  lcu_stream *stream;
  uint64_t seq;
} lcu_point;
/* What reading or writing has to wait for and is not known to be over, with references. */
int lcu_block_open_points (lcu_block *b, bool write, lcu_point out[LCU_MARKS]);
void lcu_points_drop (const lcu_point *points, int n);
static inline bool lcu_point_reached (const lcu_point *p) {
  return lcu_stream_reached(p->stream, p->seq);
}

#endif
