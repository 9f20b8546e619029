/* ptx_jit_stages.c: the compiler, stage by stage: the table at the end lists them in order. */
#include "ptx_jit_stages.h"

#include <string.h>

#include "ptx_jit_llvm.h"
#include "ptx_jit_wrap.h"

/* ---- what must be known about the code */

static bool claims (ptx_jit_making *m) {
  ptx_code *code = m->job->code;
  if (code == NULL || ptx_jit_queue_is_resting()) return false;
  m->facts.code = code;
  m->facts.checked = m->job->form >= PTX_BLOCK_CLASSES;
  m->facts.claims = ptx_function_claims(code->function, m->job->form % PTX_BLOCK_CLASSES);
  return m->facts.claims != NULL;
}

static bool find_variables (ptx_jit_making *m) {
  return ptx_jit_find_variables(&m->facts, &m->arena);
}
static bool flow (ptx_jit_making *m) { return ptx_jit_mark_flow(&m->facts, &m->arena); }
static bool live (ptx_jit_making *m) { return ptx_jit_find_live(&m->facts, &m->arena); }
static bool dirty (ptx_jit_making *m) { return ptx_jit_find_dirty(&m->facts, &m->arena); }
static bool passes (ptx_jit_making *m) { return ptx_jit_find_passes(&m->facts, &m->arena); }
static bool wraps (ptx_jit_making *m) { return ptx_jit_find_wraps(&m->facts, &m->arena); }
static bool values (ptx_jit_making *m) { return ptx_jit_find_values(&m->facts, &m->arena); }

/* ---- its text */

static bool emitter (ptx_jit_making *m) {
  return ptx_jit_emitter_begin(&m->emitter, &m->facts, m->job->half == PTX_JIT_FULL);
}

static bool groups (ptx_jit_making *m) {
  ptx_jit_groups(&m->emitter);
  return true;
}

static bool stretches (ptx_jit_making *m) {
  ptx_jit_find_stretches(&m->emitter);
  return true;
}

static bool text (ptx_jit_making *m) { return ptx_jit_module(&m->emitter); }

static bool take_entries (ptx_jit_making *m) {
  uint32_t num = m->facts.code->num_uops;
  m->entry = lcu_alloc(num);
  if (m->entry != NULL) memcpy(m->entry, m->facts.entry, num);
  return m->entry != NULL;
}

/* ---- its object; the code may have gone */

static bool key (ptx_jit_making *m) {
  return ptx_jit_cache_key(&m->job->folder, &m->emitter.out, m->key);
}

static bool look_up (ptx_jit_making *m) {
  m->found = ptx_jit_cache_read(&m->job->folder, m->key, &m->object);
  if (m->found || m->job->compile) return true;
  m->state = PTX_JIT_MISSED;
  return false;
}

static bool make_object (ptx_jit_making *m) {
  return m->found || ptx_jit_llvm_compile(&m->emitter.out, &m->object) == LCU_OK;
}

static bool load_object (ptx_jit_making *m) {
  const char *name = m->job->half == PTX_JIT_FULL ? "ptx_full" : "ptx_masked";
  return ptx_jit_object_load(m->object.data, m->object.len, name, &m->code) == LCU_OK;
}

static bool keep (ptx_jit_making *m) {
  if (!m->found) ptx_jit_cache_write(&m->job->folder, m->key, &m->object);
  return true;
}

/* ---- the list */

typedef bool stage (ptx_jit_making *m); /* false: the half goes no further */

/* While these run, the code stays. */
static stage *const of_code[] = {
  claims,         /* ptx_shape.c: what each register holds, as far as that can be known */
  find_variables, /* ptx_jit_flow.c: slots of the register file that become LLVM's values */
  flow,           /* ptx_jit_flow.c: what leads where, where the executor enters, guards, loops */
  live,           /* ptx_jit_flow.c: which variables a later operation needs */
  dirty,
  /* ptx_jit_flow.c: which differ from the register file */
  passes,       /* ptx_jit_pass.c: with all checks, what comes after barriers */
  wraps,        /* ptx_jit_wrap.c: with all checks, which results must not wrap around */
  values,       /* ptx_jit_value.c: which register each variable holds, and so which claim */
  emitter,      /* ptx_jit_function.c: the tables that the next two fill */
  groups,       /* ptx_jit_group.c: accesses that one check serves */
  stretches,    /* ptx_jit_parts.c: operations that are computed in parts of the lanes */
  text,         /* ptx_jit_function.c: one function as a module for LLVM */
  take_entries, /* what the executor reads of it */
};
static stage *const of_text[] = {
  key,         /* ptx_jit_cache.c: the digest of the text, the processor and libLLVM */
  look_up,     /* ptx_jit_cache.c: an object on the disk */
  make_object, /* ptx_jit_llvm.c: else LLVM, in a process of its own */
  load_object, /* ptx_jit_object.c, ptx_jit_relocate.c: machine code in memory */
  keep,        /* ptx_jit_cache.c: what was compiled, on the disk */
};

static bool run (ptx_jit_making *m, stage *const *list, size_t num) {
  bool ok = true;
  for (size_t k = 0; k < num && ok; k++) ok = list[k](m);
  return ok;
}

void ptx_jit_stages_run (ptx_jit_making *m, const ptx_jit_job *job) {
  *m = (ptx_jit_making){ .job = job, .state = PTX_JIT_REFUSED };
  bool ok = run(m, of_code, lcu_arraylen(of_code));
  ptx_jit_queue_release();
  ptx_jit_emitter_end(&m->emitter);
  lcu_arena_free(&m->arena);
  if (ok && run(m, of_text, lcu_arraylen(of_text))) m->state = PTX_JIT_READY;
}

void ptx_jit_stages_end (ptx_jit_making *m) {
  ptx_jit_object_free(&m->code);
  lcu_free(m->entry);
  lcu_buf_free(&m->emitter.out);
  lcu_buf_free(&m->object);
}
