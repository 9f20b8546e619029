/* ptx.h: the public face of the PTX machine: load a module's text, look up its kernels and
 * variables, run a grid. It uses no CUDA types: the CPU device (cpu/src/device) adds those.
 *
 * Several threads may use a module at the same time. It does not change after loading, except that
 * kernels are prepared and variables placed when they are first needed, under a lock. "Block" in
 * this header means thread block. */
#ifndef PTX_H
#define PTX_H

#include "lcu_status.h"
#include "lcu_thread.h"
#include "ptx_profile.h"
#include "ptx_texture.h"

typedef struct ptx_module ptx_module;
typedef struct ptx_kernel ptx_kernel;

/* One allocation, for the memory checks. */
typedef struct ptx_range {
  uint64_t base, size;
  bool live; /* false: freed, still in quarantine */
  /* per byte, whether anything has written it: kernels set it with all checks on. NULL: all
   * count as written */
  uint8_t *written;
  bool compared; /* with all checks on, by the machine: the grid may change it */
} ptx_range;

typedef enum ptx_question {
  PTX_ASK_ATTRIBUTE, /* of the device; the id is a CUdevice_attribute */
  PTX_ASK_LIMIT,     /* the id is a CUlimit */
  PTX_ASK_VERSION    /* of CUDA, as 13000 */
} ptx_question;

/* What the machine needs from its host. All functions may be called by several threads at the same
 * time. */
typedef struct ptx_host {
  void *ud;
  /* The allocation, live or quarantined, that contains `address`, otherwise the nearest one; false
   * when there are no allocations. A worker may keep the range for the rest of a run. */
  bool (*find)(void *ud, uint64_t address, ptx_range *out);
  /* Zeroed storage of a module variable called `name`; freed with the module. */
  void *(*variable_alloc)(void *ud, const char *name, uint64_t size, uint64_t align, bool managed);
  void (*variable_free)(void *ud, void *p);
  /* malloc and free of kernels. free returns false for an address that malloc did not return. */
  void *(*heap_alloc)(void *ud, uint64_t size);
  bool (*heap_free)(void *ud, uint64_t address);
  /* The texture or surface of a handle. NULL: *why says why there is none. A worker may keep it for
   * the rest of a run. */
  const ptx_texture *(*texture)(void *ud, uint64_t handle, bool surface, const char **why);
  /* Output of printf, in complete pieces. */
  void (*print)(void *ud, const char *text, size_t len);
  /* cudaGraphSetConditional: false for a handle that is none. */
  bool (*set_condition)(void *ud, uint64_t handle, uint32_t value);
  /* A number that kernels may ask for; false for an unknown one. May be NULL. */
  bool (*ask)(void *ud, ptx_question question, int id, uint64_t *out);
  /* How many blocks of this many threads and bytes of dynamic shared memory fit on a
   * multiprocessor. May be NULL. */
  int (*occupancy)(void *ud, const ptx_kernel *k, uint64_t threads, uint64_t dynamic_shared);
} ptx_host;

typedef enum ptx_check { PTX_CHECK_OFF, PTX_CHECK_DEFAULT, PTX_CHECK_ALL } ptx_check;

/* Parses and lays out a module. Syntax errors and memory over the limits are reported here
 * (LCU_E_SYNTAX), with their line; LCU_E_UNSUPPORTED: an unknown version of PTX. `host` must
 * outlive the module. */
lcu_status ptx_module_load (const char *text, size_t len, const ptx_host *host, ptx_module **out);
/* Fails (LCU_E_SYNTAX) if no device can run what was loaded: functions that are not defined,
 * instructions that PTX does not have. Checks operands of instructions in modules of one kernel or
 * of moderate size. In others, ptx_kernel_prepare finds wrong operands, as it finds instructions
 * that PTX has and this machine lacks. */
lcu_status ptx_module_check (ptx_module *m);
void ptx_module_free (ptx_module *m);

/* .target as a number: 80 for sm_80. */
int ptx_module_target (const ptx_module *m);
/* 'a' for sm_90a, 'f' for sm_100f, or 0. */
char ptx_module_variant (const ptx_module *m);

/* A text may hold several modules, each from its .version on: they are linked. These are the names
 * that a text defines for others, and those that it needs from them: a needed one may be reported
 * several times. */
typedef enum ptx_symbol_kind {
  PTX_SYMBOL_DEFINED,
  PTX_SYMBOL_WEAK, /* another definition may take its place */
  PTX_SYMBOL_NEEDED
} ptx_symbol_kind;
typedef struct ptx_symbol {
  const char *name;
  ptx_symbol_kind kind;
  const char *space; /* of a variable, such as "global"; NULL: a function */
  uint64_t size;     /* of a variable; 0: not declared */
} ptx_symbol;
typedef void (*ptx_symbol_fn)(void *ud, const ptx_symbol *s);
void ptx_module_symbols (const ptx_module *m, ptx_symbol_fn each, void *ud);
/* Is it a function that every module has without defining it (vprintf, malloc and others)? */
bool ptx_runtime_has (const char *name);

/* Kernels in source order, and by name; NULL past the last one and for an unknown name. */
ptx_kernel *ptx_module_kernel_at (ptx_module *m, size_t index);
ptx_kernel *ptx_module_kernel (ptx_module *m, const char *name);

/* Address and size of a .global or .const variable, which is placed and initialized if needed. */
lcu_status ptx_module_variable (ptx_module *m, const char *name, uint64_t *address, uint64_t *size);
/* Has the module a variable of that name in managed memory? */
bool ptx_module_managed (const ptx_module *m, const char *name);

/* Shared memory of every block below the kernel's own, for the toolkit's runtime
 * (%reserved_smem_offset_*). Sizes of a kernel's shared memory do not include it. */
#define PTX_SHARED_RESERVED 1024u
/* The most static shared memory of a kernel, and the most constant memory of a module. */
#define PTX_SHARED_MAX 49152u
#define PTX_CONST_MAX 65536u
/* The unit in which blocks get shared memory. */
#define PTX_SHARED_UNIT 128u

typedef struct ptx_param {
  uint32_t offset, size, align; /* bytes in the parameter block */
} ptx_param;

typedef struct ptx_kernel_info {
  const char *name;
  const ptx_param *params;
  uint32_t num_params, param_bytes;
  uint32_t shared_bytes; /* static */
  uint32_t local_bytes;  /* per thread, this kernel's own frame */
  uint32_t const_bytes;
  /* 32-bit registers per thread after allocation; 0 until prepared */
  uint32_t registers;
  uint32_t max_threads;  /* .maxntid/.reqntid product, or 1024 */
  uint32_t req_block[3]; /* .reqntid, or zeros */
  /* .reqnctapercluster, or zeros; whether launches must have a cluster */
  uint32_t req_cluster[3];
  bool explicit_cluster;
} ptx_kernel_info;
const ptx_kernel_info *ptx_kernel_get_info (const ptx_kernel *k);

/* Decodes the kernel, allocates registers and places its variables, once. ptx_run does it if
 * needed. */
lcu_status ptx_kernel_prepare (ptx_kernel *k);

/* Blocks of a cluster, at most. */
#define PTX_MAX_CLUSTER 16u

typedef enum ptx_fault_kind {
#define PTX_FAULT(id, name) PTX_FAULT_##id,
#include "ptx_faults.def"
#undef PTX_FAULT
  PTX_FAULT_KIND_COUNT
} ptx_fault_kind;

/* "out of bounds" and so on. */
const char *ptx_fault_kind_name (ptx_fault_kind kind);

/* The access of another thread that a fault is about, or the arithmetic of the thread itself. */
typedef struct ptx_other {
  /* "read" "write" "atomic" "copy" "init" "barrier" "sum" "product" "shift"; "": there is none */
  char access[8];
  const char *between; /* the words of a message about it; NULL: the usual ones */
  bool before;         /* it is of the grid before */
  uint32_t block[3], thread[3];
  char file[256];
  int line; /* 0: unknown */
} ptx_other;

/* A call that led to the place of a fault. */
typedef struct ptx_caller {
  char file[256];
  int line; /* 0: there are no more */
} ptx_caller;

enum { PTX_CALLERS = 4, PTX_WAITING = 8 };

/* Threads of a block that hang in the same way. */
typedef struct ptx_waiting {
  uint32_t block[3], count; /* 0: there are no more */
  char threads[64];         /* "0-31, 64" */
  char state[96];           /* "wait at barrier 1", "loop", "ended" */
  char file[256];
  int line; /* 0: unknown */
} ptx_waiting;

/* What went wrong inside a kernel. `message` alone reads well; the rest is for programs. */
typedef struct ptx_fault {
  ptx_fault_kind kind;
  char kernel[256], file[512];
  int line; /* 0: unknown */
  uint32_t block[3], thread[3];
  uint64_t address; /* 0: not about memory */
  uint32_t bytes;
  bool write, atomic;
  char space[8];      /* "global" "shared" "local" "const" "param" */
  char variable[128]; /* of shared memory; "": not known */
  ptx_range nearest;  /* size 0: none */
  ptx_other other;
  ptx_caller callers[PTX_CALLERS]; /* the innermost first */
  ptx_waiting waiting[PTX_WAITING];
  char message[1536];
} ptx_fault;

typedef struct ptx_counters {
  uint64_t warp_instructions, thread_instructions;
} ptx_counters;

/* When a kernel is compiled, if libLLVM is found. FORCE: before its first launch; ON: in the
 * background once it has run for some 20 ms, unless an earlier process did that, and used if it is
 * faster. */
typedef enum ptx_jit_mode { PTX_JIT_OFF, PTX_JIT_FORCE, PTX_JIT_ON } ptx_jit_mode;

/* Where compiled code is kept. */
typedef struct ptx_jit_folder {
  char path[1024]; /* "": nowhere */
  bool named;      /* by the user: files of root are trusted, too */
} ptx_jit_folder;

/* What a grid that let the next one begin did to global memory, with all checks on. */
typedef struct ptx_trace ptx_trace;
void ptx_trace_free (ptx_trace *t);

typedef struct ptx_launch {
  ptx_kernel *kernel;
  uint32_t grid[3], block[3];
  uint32_t cluster[3];     /* blocks; zeros: as the kernel asks for */
  uint32_t dynamic_shared; /* bytes */
  const void *params;      /* param_bytes, laid out as in ptx_kernel_info */
  bool cooperative;
  ptx_check check;
  ptx_jit_mode compile;
  const ptx_jit_folder *folder; /* NULL: none */
  lcu_team *team;
  uint32_t max_resident_blocks; /* blocks that may be in flight at the same time */
  uint32_t stack_bytes;         /* per thread: local memory of all active calls */
  /* how long all threads may only spin, without a store, until it is a livelock */
  double livelock_ms;
  double timeout_ms; /* how long the grid may run; 0: no limit */
  /* Whether to stop the grid. Every worker calls it now and then, and the caller while it waits for
   * them. May be NULL. */
  bool (*stop)(void *ud);
  void *stop_ud;
  uint32_t sm_count; /* what %nsmid reports */
  /* how many launches by kernels may be incomplete, and how many are when this grid starts */
  uint32_t max_children, pending;
  /* Of the grid before, if this one need not wait for its end, or NULL; where to put the trace of
   * this one, if it lets the next one begin: may be NULL. */
  const ptx_trace *prior;
  ptx_trace **trace;
  ptx_profile *profile; /* NULL: none. Otherwise one thread runs the grid */
} ptx_launch;

/* Runs a grid to its end, and all grids that it launches. LCU_E_FAULT: the grid was stopped and
 * *fault says why. `fault` and `counters` may be NULL. */
lcu_status ptx_run (const ptx_launch *launch, ptx_fault *fault, ptx_counters *counters);

/* Stops compiling in the background until a launch asks for it again. */
void ptx_jit_rest (void);

/* The libLLVM that compiles. */
typedef struct ptx_jit_library {
  char file[1024], version[64]; /* "19.1.7"; the file may be "" */
} ptx_jit_library;

/* Opens it, unless it is open. LCU_E_NOT_FOUND or LCU_E_UNSUPPORTED: why there is none. */
lcu_status ptx_jit_library_open (ptx_jit_library *out);

/* Fills `message` from the other fields and `detail` (may be ""): for faults of work that stands in
 * for a kernel. */
void ptx_fault_describe (ptx_fault *f, const char *detail);

/* The instruction set of the host that is in use: "x86-64-v4" and so on. NULL: this build has none
 * that this processor runs, and nothing else of the machine may be called. */
const char *ptx_isa_name (void);
/* Those that this build has, such as " v4 v3 v2". */
const char *ptx_isa_levels (void);

#endif
