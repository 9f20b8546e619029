/* cpu_map.h: the allocation map: every block of memory by its address.
 *
 * The map contains device memory, managed memory, pinned and registered host memory, memory of
 * other processes, module variables, CUDA arrays and what kernels allocated with malloc. All
 * addresses are host addresses. Copies, fills and frees are checked against the map when they are
 * queued, and the PTX machine looks addresses up in it (cpu_host.c). A block in the map is
 * - CPU_LIVE from its allocation on,
 * - CPU_FREEING once a call has claimed it in order to free it: no other call may use or free it,
 *   but queued work still may,
 * - CPU_DEAD when it was freed and is in quarantine (cpu_pool.c): late accesses find it here and
 *   are reported as use after free, and its address is not given out again.
 * Memory of a graph (cpu_plan.h) is CPU_PLANNED at first, and again after it was freed.
 * Blocks in the map never overlap.
 *
 * Registered host memory belongs to the program, which may free it without unregistering it. When
 * the system hands out the same addresses again, the stale entry is removed (cpu_memory.c). */
#ifndef CPU_MAP_H
#define CPU_MAP_H

#include "cpu_driver.h"
#include "ptx.h"

typedef enum cpu_kind {
  CPU_MEM_DEVICE,
  CPU_MEM_PINNED,
  CPU_MEM_MANAGED,
  CPU_MEM_REGISTERED,
  CPU_MEM_VARIABLE,
  CPU_MEM_HEAP,
  CPU_MEM_ARRAY,
  CPU_MEM_SHARED, /* other processes may open it */
  CPU_MEM_OPENED, /* of another process */
  CPU_MEM_MAPPED  /* a reserved range: `capacity` bytes, of which the first `size` have memory */
} cpu_kind;
typedef enum cpu_life { CPU_LIVE, CPU_FREEING, CPU_DEAD, CPU_PLANNED } cpu_life;

typedef struct cpu_share cpu_share; /* cpu_share.c */

typedef struct cpu_block {
  struct cpu_block *left, *right; /* the map is a treap by base */
  uint32_t rank;
  uint64_t base, id;     /* no other block has had the id */
  bool sync;             /* CU_POINTER_SYNC_MEMOPS, which can only be read back */
  size_t size, capacity; /* bytes requested; bytes usable from base on */
  void *raw;             /* the pointer to free; NULL for registered memory */
  cpu_kind kind;
  cpu_life life;
  cpu_pool *pool;
  cu_context context;     /* that it ends with, or NULL */
  struct cpu_block *next; /* in the quarantine or in the pool's cache */
  char *name;             /* of a module variable, or NULL */
  unsigned flags;         /* of pinned memory: CU_HOSTALLOC_ */
  /* What else is to be done when it is freed, with the map's lock; and to give back what is not
   * `raw`, when it is discarded. NULL: nothing. */
  void (*close)(struct cpu_block *b);
  void (*end)(struct cpu_block *b);
  struct cpu_plan *plan;  /* of memory of a graph (cpu_plan.h); NULL: other memory */
  struct cpu_part *parts; /* of a reserved range, the last one first */
  cpu_share *share;       /* of memory that processes share */
  uint8_t *written;       /* per byte, whether anything has written it; NULL: not kept */
} cpu_block;

/* The lock for changes to the map, to the pools and to the quarantine (cpu_pool.h). */
void cpu_map_lock (void);
void cpu_map_unlock (void);
/* The next four need the lock. */
void cpu_map_insert (cpu_block *b);
void cpu_map_remove (cpu_block *b);
/* A block that overlaps [address, address + n), or NULL. */
cpu_block *cpu_map_overlap (uint64_t address, size_t n);
/* Removes all blocks and calls `discard` for each. */
void cpu_map_clear (void (*discard)(cpu_block *b));

/* Is all of [address, address + n) in one live block? `later`: or in one that a graph allocates,
 * because a node is going to use it. */
bool cpu_block_holds (uint64_t address, size_t n, bool later);
/* Fails unless cpu_block_holds; the message says what is at the address. */
cu_result cpu_check_use (const char *call, uint64_t address, size_t n, bool later);
static inline cu_result cpu_check_range (const char *call, uint64_t address, size_t n) {
  return cpu_check_use(call, address, n, false);
}
/* Bytes of one block now have values: they were written, or copied with what is known about the
 * source. Only with all checks on. */
void cpu_block_write (const void *p, size_t n);
void cpu_block_copy (const void *dst, const void *src, size_t n);
/* Where that is kept for the bytes of the block from the address on, one each; NULL: nowhere. */
uint8_t *cpu_block_marks (uint64_t address);
/* The block that contains the address, or the nearest; false when the map is empty. */
bool cpu_block_find (uint64_t address, ptx_range *out);
/* The name of the module variable that contains the address, or "". */
void cpu_block_name (uint64_t address, char *out, size_t size);
void cpu_block_set_name (cpu_block *b, char *name); /* the block owns `name` from now on */
/* Makes the live block that starts at the address CPU_FREEING, or CPU_PLANNED again. `kinds` has a
 * bit for each cpu_kind that `call` may free. */
cu_result cpu_block_claim (const char *call, uint64_t address, unsigned kinds, cpu_block **out);
typedef struct cpu_facts {
  uint64_t base, id;
  bool sync;
  size_t size;
  cpu_kind kind;
  unsigned flags;
  cu_context context; /* that allocated it; the primary one for memory of pools */
  cu_mempool pool;    /* that it was allocated from by name, or NULL */
  bool open;          /* the node of a graph that allocates it names devices with access */
} cpu_facts;
/* Makes the live blocks of the context CPU_FREEING; returns their list (`next`). */
cpu_block *cpu_blocks_claim (cu_context ctx);
/* The block whose base is the greatest up to the address, or NULL. Needs the lock. */
cpu_block *cpu_map_floor (uint64_t address);

/* Describes the live block that contains the address; false when no such block exists. */
bool cpu_block_facts (uint64_t address, cpu_facts *out);

#endif
