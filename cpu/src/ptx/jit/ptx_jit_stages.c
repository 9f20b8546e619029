/* ptx_jit_stages.c: the compiler, stage by stage: the table at the end lists them in order. */
#include "ptx_jit_stages.h"

#include <string.h>

#include "ptx_jit_key.h"
#include "ptx_jit_llvm.h"
#include "ptx_jit_wrap.h"

/* ---- what is on the disk */

static bool key (ptx_jit_making *m) {
  const ptx_jit_job *j = m->job;
  lcu_buf what = { 0 };
  if (j->code == NULL || ptx_jit_queue_is_resting()) return false;
  m->num_entries = j->code->num_uops;
  bool ok = ptx_jit_describe(j->code, j->form, j->half, &what) &&
            ptx_jit_cache_key(&j->folder, &what, m->looks_only, m->key);
  lcu_buf_free(&what);
  return ok;
}

/* Splits what was read into the object and the entries that follow it. */
static bool take_found (ptx_jit_making *m) {
  uint32_t num = m->num_entries;
  m->entry = lcu_alloc(num);
  if (m->entry == NULL) return false;
  m->object.len -= num;
  memcpy(m->entry, m->object.data + m->object.len, num);
  return true;
}

/* Entries without an object say that the interpreter was faster. */
static bool look_up (ptx_jit_making *m) {
  bool read = ptx_jit_cache_read(&m->job->folder, m->key, &m->object);
  m->refused = read && m->object.len == m->num_entries;
  m->found = read && m->object.len > m->num_entries && take_found(m);
  if (!m->found) m->object.len = 0;
  return true;
}

/* ---- what must be known about the code */

static bool claims (ptx_jit_making *m) {
  ptx_code *code = m->job->code;
  m->facts.code = code;
  m->facts.checked = m->job->form >= PTX_BLOCK_CLASSES;
  m->facts.claims =
    ptx_function_claims(code->function, (ptx_block_class)(m->job->form % PTX_BLOCK_CLASSES));
  return m->facts.claims != NULL;
}

static bool find_variables (ptx_jit_making *m) {
  return ptx_jit_find_variables(&m->facts, &m->arena);
}
static bool flow (ptx_jit_making *m) { return ptx_jit_mark_flow(&m->facts, &m->arena); }
static bool live (ptx_jit_making *m) { return ptx_jit_find_live(&m->facts, &m->arena); }
static bool dirty (ptx_jit_making *m) { return ptx_jit_find_dirty(&m->facts, &m->arena); }
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
  m->entry = lcu_alloc(m->num_entries);
  if (m->entry != NULL) memcpy(m->entry, m->facts.entry, m->num_entries);
  return m->entry != NULL;
}

/* ---- its object; the code may have gone */

static bool make_object (ptx_jit_making *m) {
  return ptx_jit_llvm_compile(&m->emitter.out, &m->object) == LCU_OK;
}

static bool load_object (ptx_jit_making *m) {
  const char *name = m->job->half == PTX_JIT_FULL ? "ptx_full" : "ptx_masked";
  return ptx_jit_object_load(m->object.data, m->object.len, name, &m->code) == LCU_OK;
}

/* Writes the object, followed by the entries. */
static bool keep (ptx_jit_making *m) {
  lcu_buf_add(&m->object, m->entry, m->num_entries);
  ptx_jit_cache_write(&m->job->folder, m->key, &m->object);
  return true;
}

/* ---- the list */

typedef bool stage (ptx_jit_making *m); /* false: the half goes no further */

/* While these run, the code stays. */
static stage *const of_disk[] = {
  key,     /* ptx_jit_key.c, ptx_jit_cache.c: the digest of what decides about the object */
  look_up, /* ptx_jit_cache.c: an object on the disk, which needs none of the next stages */
};
static stage *const of_code[] = {
  claims,         /* ptx_shape.c: what each register holds, as far as that can be known */
  find_variables, /* ptx_jit_flow.c: slots of the register file that become LLVM's values */
  flow,           /* ptx_jit_flow.c: what leads where, where the executor enters, guards, loops */
  live,           /* ptx_jit_flow.c: which variables a later operation needs */
  dirty,          /* ptx_jit_flow.c: which differ from the register file */
  wraps,          /* ptx_jit_wrap.c: with all checks, which results must not wrap around */
  values,         /* ptx_jit_value.c: which register each variable holds, and so which claim */
  emitter,        /* ptx_jit_function.c: the tables that the next two fill */
  groups,         /* ptx_jit_group.c: accesses that one check serves */
  stretches,      /* ptx_jit_parts.c: operations that are computed in parts of the lanes */
  text,           /* ptx_jit_function.c: one function as a module for LLVM */
  take_entries,   /* what the executor reads of it */
};
static stage *const of_text[] = {
  make_object, /* ptx_jit_llvm.c: LLVM, in a process of its own */
  load_object, /* ptx_jit_object.c, ptx_jit_relocate.c: machine code in memory */
  keep,        /* ptx_jit_cache.c: what was compiled, on the disk */
};

static bool run (ptx_jit_making *m, stage *const *list, size_t num) {
  bool ok = true;
  for (size_t k = 0; k < num && ok; k++) ok = list[k](m);
  return ok;
}

static bool compile (ptx_jit_making *m) {
  bool ok = run(m, of_code, lcu_arraylen(of_code));
  ptx_jit_queue_release();
  ptx_jit_emitter_end(&m->emitter);
  lcu_arena_free(&m->arena);
  return ok && run(m, of_text, lcu_arraylen(of_text));
}

void ptx_jit_stages_run (ptx_jit_making *m, const ptx_jit_job *job) {
  *m = (ptx_jit_making){ .job = job, .state = PTX_JIT_REFUSED };
  if (run(m, of_disk, lcu_arraylen(of_disk)) && (m->found ? load_object(m) : compile(m)))
    m->state = PTX_JIT_READY;
}

void ptx_jit_stages_look (ptx_jit_making *m, const ptx_jit_job *job) {
  *m = (ptx_jit_making){ .job = job, .looks_only = true };
  (void)run(m, of_disk, lcu_arraylen(of_disk));
  m->state = m->refused       ? PTX_JIT_REFUSED
             : !m->found      ? PTX_JIT_MISSED
             : load_object(m) ? PTX_JIT_READY
                              : PTX_JIT_REFUSED;
}

void ptx_jit_stages_refuse (const ptx_jit_job *job) {
  ptx_jit_making m = { .job = job, .looks_only = true };
  if (key(&m) && (m.entry = lcu_calloc(m.num_entries, 1)) != NULL) {
    lcu_buf_add(&m.object, m.entry, m.num_entries);
    ptx_jit_cache_write(&job->folder, m.key, &m.object);
  }
  ptx_jit_stages_end(&m);
}

void ptx_jit_stages_end (ptx_jit_making *m) {
  ptx_jit_object_free(&m->code);
  lcu_free(m->entry);
  lcu_buf_free(&m->emitter.out);
  lcu_buf_free(&m->object);
}
