/* cpu_device.h: what the files of the CPU device share. The device is a CUDA driver in every
 * respect: its table (cpu_driver.c) has libcuda's entry points with libcuda's semantics, and each
 * entry point is cpu_<name>.
 *
 * Locks, none held while taking another: the queue's (cpu_queue.c), the allocation map's
 * (cpu_memory.c), the faults' (cpu_fault.c), the modules' (cpu_module.c), the events'
 * (cpu_event.c), the print buffer's (cpu_host.c); and the team's, held while a grid runs on it
 * (cpu_launch.c). */
#ifndef CPU_DEVICE_H
#define CPU_DEVICE_H

#include <stdatomic.h>

#include "cu_driver.h"
#include "lcu_room.h"
#include "ptx.h"

typedef struct cu_stream_ cpu_stream;
typedef struct cu_event_ cpu_event;
typedef struct cu_module_ cpu_module;
typedef struct cu_function_ cpu_function;
typedef struct cu_mempool_ cpu_pool;
typedef struct cpu_block cpu_block;
typedef struct cpu_op cpu_op;

/* Declares cpu_cuXxx for every row that the CPU device has. */
#define CPU_DECLARE_CPU(name, params) cu_result cpu_##name params;
#define CPU_DECLARE_NOCPU(name, params)
#define LCU_DRV(need, cpu, since, name, symbol, params, args) CPU_DECLARE_##cpu(name, params)
#include "driver.def"
#undef LCU_DRV

/* ---- cpu_device.c: initialisation, configuration */

typedef struct cpu_config {
  int cc; /* 75, 80, 90: LUACUDA_CPU_ARCH */
  /* LUACUDA_CPU_THREADS, else the cores of this process; the SM count */
  int threads;
  ptx_check check; /* LUACUDA_CPU_CHECK */
  /* LUACUDA_CPU_MEMORY, else what the machine or the container has */
  size_t memory;
  double livelock_ms; /* LUACUDA_CPU_LIVELOCK_MS */
  double timeout_ms;  /* LUACUDA_CPU_TIMEOUT_MS; 0: none */
  char name[128];
} cpu_config;
extern cpu_config cpu_configuration;

typedef enum cpu_state { CPU_DOWN, CPU_UP, CPU_FORKED } cpu_state;
cpu_state cpu_device_state (void);

enum {
  CPU_MAX_THREADS = 1024,
  CPU_WARP = 32,
  CPU_SM_THREADS = 2048,
  CPU_SM_BLOCKS = 32,
  CPU_SM_REGISTERS = 65536,
  CPU_SHARED_DEFAULT = 48 * 1024,
  CPU_SHARED_OPTIN = 163 * 1024,
  CPU_SHARED_SM = 164 * 1024,
  CPU_SHARED_RESERVED = PTX_SHARED_RESERVED,
  CPU_MAX_GRID_X = 0x7fffffff,
  CPU_MAX_GRID_YZ = 65535,
  CPU_MAX_BLOCK_Z = 64,
  CPU_PARAM_BYTES = 32764,
  CPU_NEWEST_ARCH = 90
};

/* ---- cpu_context.c */

/* To be called first by every entry point that needs a context: 0, or why it cannot go on. */
cu_result cpu_enter (void);
size_t cpu_limit (int limit);
cu_context cpu_primary (void);
/* After shutdown: no thread's context is current any more. */
void cpu_context_forget (void);

/* ---- cpu_memory.c: the allocation map */

typedef enum cpu_kind {
  CPU_MEM_DEVICE,
  CPU_MEM_PINNED,
  CPU_MEM_MANAGED,
  CPU_MEM_REGISTERED,
  CPU_MEM_VARIABLE,
  CPU_MEM_HEAP
} cpu_kind;
/* FREEING: the free is queued */
typedef enum cpu_life { CPU_LIVE, CPU_FREEING, CPU_DEAD } cpu_life;

struct cpu_block {
  cpu_block *left, *right;
  uint32_t rank; /* the map: a treap by base */
  uint64_t base;
  size_t size, capacity; /* asked for; usable behind base */
  void *raw;             /* what to give back; NULL for registered memory */
  cpu_kind kind;
  cpu_life life;
  cpu_pool *pool;
  cpu_block *next; /* in quarantine, or in the pool's cache */
  char *name;      /* of a module variable */
};

enum { CPU_CLASSES = 160 };
struct cu_mempool_ {
  uint32_t magic;
  int reuse[3];
  uint64_t threshold; /* bytes that may be held although nobody uses them */
  uint64_t used, used_high, reserved, reserved_high;
  cpu_block *cache[CPU_CLASSES];
  cpu_pool *next_all;
  bool destroyed; /* goes when its last block does */
};

/* The map's own part: these take a root and no lock. */
cpu_block *cpu_map_insert (cpu_block *root, cpu_block *b);
cpu_block *cpu_map_remove (cpu_block *root, cpu_block *b);
/* greatest base <= address */
cpu_block *cpu_map_floor (cpu_block *root, uint64_t address);
cpu_block *cpu_map_above (cpu_block *root, uint64_t address); /* least base > address */

/* n bytes on a multiple of 256 (or `align`); NULL pool: the device's own. Waits for queued frees
 * when memory is short. */
cu_result cpu_block_alloc (const char *call, size_t n, size_t align, cpu_kind kind, cpu_pool *pool,
                           cpu_block **out);
/* Into quarantine; other memory that has been there long enough is given back. */
void cpu_block_free (cpu_block *b);
/* True when a live block holds all of [address, address + n). */
bool cpu_block_holds (uint64_t address, size_t n);
/* Fails unless [address, address + n) lies in a live block: the message says what is there. */
cu_result cpu_check_range (const char *call, uint64_t address, size_t n);
bool cpu_block_find (uint64_t address, ptx_range *out);
/* Name of the module variable around an address, "" when it is none. */
void cpu_block_name (uint64_t address, char *out, size_t size);
void cpu_block_set_name (cpu_block *b, char *name); /* takes over `name` */
/* Marks the block that starts there as being freed. `kinds`: bit per cpu_kind that the caller may
 * free. */
cu_result cpu_block_claim (const char *call, uint64_t address, unsigned kinds, cpu_block **out);
void cpu_memory_free_all (void);

/* ---- cpu_queue.c: streams as queues, executed by workers and by threads that wait */

/* What the queue has to distinguish: a kernel can be stopped, a wait depends on another stream,
 * and a host function runs on a worker. */
typedef enum cpu_op_kind { CPU_OP_PLAIN, CPU_OP_KERNEL, CPU_OP_WAIT, CPU_OP_HOST } cpu_op_kind;

typedef struct cpu_rect {
  uint8_t *dst;
  const uint8_t *src;
  size_t dst_pitch, dst_slice, src_pitch, src_slice, width, height, depth;
} cpu_rect;
typedef struct cpu_fill {
  uint8_t *dst;
  uint32_t value;
  uint32_t bytes;
  size_t count, height, pitch;
} cpu_fill;
enum { CPU_INLINE_PARAMS = 256 };
typedef struct cpu_grid {
  cpu_function *function;
  uint32_t grid[3], block[3], shared;
  bool cooperative;
  atomic_bool stop; /* whoever waited for it gave up */
  void *params;     /* inline_params, or the memory that the operation owns */
  char caller[LCU_CALLER_SIZE];
  _Alignas(16) uint8_t inline_params[CPU_INLINE_PARAMS];
} cpu_grid;

/* Executes an operation, without any lock. */
typedef void cpu_op_fn (cpu_stream *s, cpu_op *op);

struct cpu_op {
  cpu_op *next;
  uint64_t seq, owner; /* owner: whose call queued it (lcu_status.h) */
  cpu_op_kind kind;
  cpu_op_fn *run;
  void *memory; /* freed with the operation; or NULL */
  union {
    cpu_grid grid;
    struct {
      void *dst;
      const void *src;
      size_t n;
    } copy;
    cpu_rect rect;
    cpu_fill fill;
    cpu_block *block;
    cpu_event *event;
    struct {
      cpu_stream *stream;
      uint64_t seq;
    } wait;
    struct {
      cu_host_fn fn;
      void *ud;
    } host;
  };
};

struct cu_stream_ {
  uint32_t magic;
  /* with the null stream; read of streams that end and begin anew meanwhile */
  atomic_bool blocking;
  int priority;
  cpu_op *head, *tail;       /* the head stays until it is complete */
  bool running;              /* a thread executes the head */
  atomic_uint_fast64_t last; /* number of the latest operation queued */
  atomic_uint_fast64_t done; /* all up to this one are complete */
  cpu_stream *next_active, *prev_active;
  cpu_stream *next_free, *next_all;
};

/* How the submitter goes on. QUICK: may be executed here and now when nothing is before it; SYNC:
 * the caller waits for it next, so nobody has to be woken. */
typedef enum cpu_how { CPU_ASYNC, CPU_QUICK, CPU_SYNC } cpu_how;

/* Handle to stream; NULL when it is not one. */
cpu_stream *cpu_stream_of (cu_stream s);
/* looks it up without touching it */
bool cpu_stream_known (cu_stream s);
cpu_stream *cpu_stream_null (void);
cpu_stream *cpu_stream_new (bool blocking, int priority); /* NULL: no memory */
void cpu_stream_retire (cpu_stream *s);                   /* its work is complete */
cpu_op *cpu_op_new (cpu_op_kind kind, cpu_op_fn *run);    /* NULL: no memory */
/* one that was not submitted */
void cpu_op_discard (cpu_op *op);
/* Queues; returns its number. */
uint64_t cpu_submit (cpu_stream *s, cpu_op *op, cpu_how how);
/* Waits for the operation of that number, executing what stands before it where no worker does so
 * already. */
void cpu_wait (cpu_stream *s, uint64_t seq);
void cpu_wait_all (void);
/* All that was queued so far in the stream (in all blocking ones for the null stream) is
 * complete. */
bool cpu_stream_idle (cpu_stream *s);
static inline bool cpu_is_done (cpu_stream *s, uint64_t seq) {
  return atomic_load_explicit(&s->done, memory_order_acquire) >= seq;
}
/* Completes all work, joins the workers and frees streams and operations. */
void cpu_queue_stop (void);
/* Forgets all streams but the null stream; all work is complete. */
void cpu_queue_reset (void);
/* True on a worker while it calls a host function: no driver call is allowed then. */
bool cpu_in_host_function (void);

/* ---- cpu_interrupt.c: threads that wait and may give up */

/* Around a wait; true for the outermost, whose end is to be told. */
bool cpu_wait_begin (void);
void cpu_wait_end (bool began);
/* Is this thread in a wait that is to end soon? */
bool cpu_wait_stops (void);

/* ---- cpu_event.c */
void cpu_events_free (void);

/* ---- cpu_fault.c */

/* Keeps the fault of an operation until a synchronising call of its owner on a stream that comes
 * after it. */
void cpu_fault_add (cpu_stream *s, const cpu_op *op, lcu_status status, const char *kernel,
                    const ptx_fault *fault);
/* `to` has waited for operations of `from` before `seq`. */
void cpu_fault_inherit (cpu_stream *from, uint64_t seq, cpu_stream *to);
/* A fault before `seq` that the stream (NULL: any) may report to this thread's owner: takes it,
 * makes it this thread's, returns its code. 0: none. */
cu_result cpu_fault_take (cpu_stream *s, uint64_t seq);
void cpu_fault_orphan (cpu_stream *s); /* the stream ends: anybody may report */
void cpu_faults_free (void);

/* ---- cpu_module.c, cpu_function.c */

struct cu_function_ {
  cpu_module *module;
  ptx_kernel *kernel;
  atomic_int max_dynamic, carveout;
};
cpu_function *cpu_function_of (cu_function f);
/* Makes the kernel ready to run, with words for `call` where that fails. */
cu_result cpu_function_prepare (const char *call, cpu_function *f);
/* Blocks of so many threads and so much dynamic shared memory that an SM holds at once. */
int cpu_function_blocks (const cpu_function *f, uint64_t threads, uint64_t dynamic_shared);
bool cpu_module_is (cu_module m);
int cpu_module_target (const cpu_module *m);
cu_result cpu_status_result (lcu_status s); /* of what src/ptx returns */
void cpu_modules_free (void);

/* ---- cpu_host.c */
extern const ptx_host cpu_ptx_host;
void cpu_print_flush (void);
void cpu_heap_reset (void);

/* ---- cpu_launch.c */
cu_result cpu_team_start (int threads);
void cpu_team_stop (void);

#endif
