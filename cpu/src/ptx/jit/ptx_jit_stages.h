/* ptx_jit_stages.h: half a kernel on its way to compiled code. */
#ifndef PTX_JIT_STAGES_H
#define PTX_JIT_STAGES_H

#include "ptx_jit_cache.h"
#include "ptx_jit_emit.h"
#include "ptx_jit_object.h"
#include "ptx_jit_queue.h"

typedef struct ptx_jit_making {
  const ptx_jit_job *job;
  ptx_jit_state state; /* what the half is when it goes no further */
  bool looks_only;     /* for an object on the disk */
  bool found;          /* `object` is from there */
  bool refused;        /* there it says that the interpreter is faster */
  lcu_arena arena;     /* of the facts */
  ptx_jit_facts facts;
  ptx_jit_emitter emitter; /* its text is the module */
  bool *entry;             /* ptx_jit.entry */
  uint32_t num_entries;    /* micro-operations */
  uint8_t key[PTX_JIT_KEY_BYTES];
  lcu_buf object;
  ptx_jit_code code;
} ptx_jit_making;

/* Takes the half of the job through all stages, as far as it goes. */
void ptx_jit_stages_run (ptx_jit_making *m, const ptx_jit_job *job);
/* Through those that need no more than an object on the disk. It never starts LLVM's process. */
void ptx_jit_stages_look (ptx_jit_making *m, const ptx_jit_job *job);
/* Has later ones find, in place of the object, that the interpreter is faster. */
void ptx_jit_stages_refuse (const ptx_jit_job *job);
/* Frees what is left of it. */
void ptx_jit_stages_end (ptx_jit_making *m);

#endif
