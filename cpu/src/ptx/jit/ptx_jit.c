/* ptx_jit.c: compiled code of kernels: asked for, made in a thread (ptx_jit_stages.c), and
 * published. */
#include "ptx_jit.h"

#include <string.h>

#include "ptx_jit_flow.h"
#include "ptx_jit_llvm.h"
#include "ptx_jit_stages.h"

enum { MOST_UOPS = 3000 };

typedef struct compiled {
  ptx_jit jit; /* first */
  ptx_jit_code halves[PTX_JIT_HALVES];
} compiled;

/* Loops that wait for other threads stay with the interpreter. */
static bool is_fit (const ptx_code *code, int form) {
  if (code->num_uops > MOST_UOPS || ptx_jit_llvm_is_missing()) return false;
  for (uint32_t k = 0; k < code->num_bbs; k++)
    if (code->bbs[k].spin) return false;
  return form < PTX_BLOCK_CLASSES || ptx_jit_can_check(code);
}

/* ---- in the thread */

static compiled *compiled_in (const ptx_jit_slot *slot) {
  return (compiled *)(uintptr_t)atomic_load(&slot->code);
}

static compiled *new_compiled (ptx_jit_making *m) {
  compiled *c = lcu_calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  c->jit.entry = m->entry;
  m->entry = NULL;
  return c;
}

/* Adds a half to the slot, which owns its code then. False: out of memory. */
static bool add_half (ptx_jit_slot *slot, int half, ptx_jit_making *m) {
  compiled *c = compiled_in(slot);
  bool first = c == NULL;
  if (first) c = new_compiled(m);
  if (c == NULL) return false;
  ptx_jit_run run;
  memcpy(&run, &m->code.entry, sizeof run);
  c->halves[half] = m->code;
  m->code = (ptx_jit_code){ 0 };
  atomic_store_explicit(&c->jit.run[half], run, memory_order_release);
  if (first) atomic_store_explicit(&slot->code, &c->jit, memory_order_release);
  return true;
}

static void publish (ptx_jit_job *j, void *ud) {
  ptx_jit_making *m = ud;
  if (j->code == NULL) return;
  ptx_jit_slot *slot = &j->code->jit[j->form];
  if (m->state == PTX_JIT_READY && !add_half(slot, j->half, m)) m->state = PTX_JIT_REFUSED;
  if (m->found) atomic_store(&slot->found, true);
  atomic_store(&slot->text_bytes[j->half], m->emitter.out.len);
  atomic_store(&slot->state[j->half], m->state);
}

static void compile_job (ptx_jit_job *j) {
  ptx_jit_making m;
  ptx_jit_stages_run(&m, j);
  ptx_jit_queue_finish(j, publish, &m);
  ptx_jit_stages_end(&m);
}

/* ---- asking */

static void fill_job (ptx_jit_job *j, ptx_code *code, int form, int half,
                      const ptx_jit_folder *folder) {
  *j = (ptx_jit_job){ .code = code, .form = form, .half = half };
  if (folder != NULL) j->folder = *folder;
}

static bool add_job (ptx_code *code, int form, int half, const ptx_jit_folder *folder) {
  ptx_jit_job *j = is_fit(code, form) ? lcu_alloc(sizeof *j) : NULL;
  if (j == NULL) return false;
  fill_job(j, code, form, half, folder);
  return ptx_jit_queue_add(j, compile_job);
}

void ptx_jit_ask (ptx_code *code, int form, int half, const ptx_jit_folder *folder) {
  atomic_int *state = &code->jit[form].state[half];
  int now = atomic_load(state);
  if ((now != PTX_JIT_NEW && now != PTX_JIT_MISSED) ||
      !atomic_compare_exchange_strong(state, &now, PTX_JIT_COMPILING))
    return;
  if (!add_job(code, form, half, folder)) atomic_store(state, PTX_JIT_REFUSED);
}

static void look_job (ptx_jit_job *j) {
  ptx_jit_making m;
  ptx_jit_stages_look(&m, j);
  ptx_jit_queue_finish(j, publish, &m);
  ptx_jit_stages_end(&m);
}

void ptx_jit_look (ptx_code *code, int form, int half, const ptx_jit_folder *folder) {
  atomic_int *state = &code->jit[form].state[half];
  int now = atomic_load_explicit(state, memory_order_relaxed);
  ptx_jit_job j;
  if (now != PTX_JIT_NEW || !atomic_compare_exchange_strong(state, &now, PTX_JIT_LOOKING)) return;
  if (!is_fit(code, form) || !ptx_jit_queue_begin()) {
    atomic_store(state, PTX_JIT_REFUSED);
  } else if (folder == NULL || folder->path[0] == '\0') {
    atomic_store(state, PTX_JIT_MISSED);
  } else {
    fill_job(&j, code, form, half, folder);
    look_job(&j);
  }
}

void ptx_jit_refuse (ptx_code *code, int form, int half, const ptx_jit_folder *folder) {
  ptx_jit_job j;
  if (!ptx_jit_queue_begin()) return;
  fill_job(&j, code, form, half, folder);
  ptx_jit_stages_refuse(&j);
}

void ptx_jit_force (ptx_code *code, int form, int half, const ptx_jit_folder *folder) {
  const atomic_int *state = &code->jit[form].state[half];
  if (atomic_load(state) >= PTX_JIT_READY) return;
  ptx_jit_ask(code, form, half, folder);
  ptx_jit_queue_wait(state);
}

void ptx_jit_rest (void) { ptx_jit_queue_rest(); }

bool ptx_jit_is_open (void) { return ptx_jit_llvm_library() != NULL; }

lcu_status ptx_jit_library_open (ptx_jit_library *out) {
  LCU_TRY(ptx_jit_llvm_open());
  *out = *ptx_jit_llvm_library();
  return LCU_OK;
}

void ptx_jit_free (ptx_code *code) {
  if (code == NULL) return;
  ptx_jit_queue_forget(code);
  for (int k = 0; k < PTX_JIT_FORMS; k++) {
    compiled *c = compiled_in(&code->jit[k]);
    atomic_store(&code->jit[k].code, NULL);
    for (int half = 0; c != NULL && half < PTX_JIT_HALVES; half++)
      ptx_jit_object_free(&c->halves[half]);
    if (c != NULL) lcu_free(c->jit.entry);
    lcu_free(c);
  }
}
