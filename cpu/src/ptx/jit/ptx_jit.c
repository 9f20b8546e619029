/* ptx_jit.c: from a kernel to compiled code: written as text, looked up on the disk, else compiled
 * by libLLVM, loaded. */
#include "ptx_jit.h"

#include <string.h>

#include "ptx_jit_cache.h"
#include "ptx_jit_emit.h"
#include "ptx_jit_llvm.h"
#include "ptx_jit_object.h"
#include "ptx_jit_queue.h"

enum { MOST_UOPS = 3000 };

typedef struct compiled {
  ptx_jit jit; /* first */
  ptx_jit_code halves[PTX_JIT_HALVES];
} compiled;

/* Half a kernel on its way. */
typedef struct making {
  lcu_buf text, object;
  ptx_jit_code code;
  compiled *whole;     /* for the code, if this half is the first; NULL: there is none */
  ptx_jit_state state; /* the next one */
} making;

/* Loops that wait for other threads stay with the interpreter. */
static bool is_fit (const ptx_code *code) {
  if (code->num_uops > MOST_UOPS || ptx_jit_llvm_is_missing()) return false;
  for (uint32_t k = 0; k < code->num_bbs; k++)
    if (code->bbs[k].spin) return false;
  return true;
}

/* ---- in the thread */

static bool write_text (const ptx_jit_job *j, making *m) {
  const ptx_code *code = j->code;
  lcu_arena arena = { 0 };
  ptx_jit_facts facts;
  const ptx_claims *claims = ptx_function_claims(code->function, j->blocks);
  m->whole = lcu_calloc(1, sizeof *m->whole + code->num_uops);
  bool ok = claims != NULL && m->whole != NULL &&
            ptx_jit_facts_make(code, claims, &arena, &facts) &&
            ptx_jit_module(&facts, j->half == PTX_JIT_FULL, &m->text);
  if (ok) {
    m->whole->jit.entry = (bool *)(m->whole + 1);
    memcpy(m->whole->jit.entry, facts.entry, code->num_uops);
  }
  lcu_arena_free(&arena);
  return ok;
}

static bool load (making *m, int half) {
  const char *name = half == PTX_JIT_FULL ? "ptx_full" : "ptx_masked";
  return ptx_jit_object_load(m->object.data, m->object.len, name, &m->code) == LCU_OK;
}

/* The state that the half is in then. */
static ptx_jit_state make (const ptx_jit_job *j, making *m) {
  uint8_t key[PTX_JIT_KEY_BYTES];
  if (!ptx_jit_cache_key(&j->folder, &m->text, key)) return PTX_JIT_REFUSED;
  if (ptx_jit_cache_read(&j->folder, key, &m->object))
    return load(m, j->half) ? PTX_JIT_READY : PTX_JIT_REFUSED;
  if (!j->compile) return PTX_JIT_MISSED;
  if (ptx_jit_llvm_compile(&m->text, &m->object) != LCU_OK || !load(m, j->half))
    return PTX_JIT_REFUSED;
  ptx_jit_cache_write(&j->folder, key, &m->object);
  return PTX_JIT_READY;
}

static compiled *compiled_in (const ptx_jit_slot *slot) {
  return (compiled *)(uintptr_t)atomic_load(&slot->code);
}

/* Adds a half to the slot, which owns its code then. */
static void add (ptx_jit_slot *slot, int half, making *m) {
  compiled *c = compiled_in(slot);
  bool first = c == NULL;
  if (first) {
    c = m->whole;
    m->whole = NULL;
  }
  ptx_jit_run run;
  memcpy(&run, &m->code.entry, sizeof run);
  c->halves[half] = m->code;
  m->code = (ptx_jit_code){ 0 };
  atomic_store_explicit(&c->jit.run[half], run, memory_order_release);
  if (first) atomic_store_explicit(&slot->code, &c->jit, memory_order_release);
}

static void publish (ptx_jit_job *j, void *ud) {
  making *m = ud;
  if (j->code == NULL) return;
  ptx_jit_slot *slot = &j->code->jit[j->blocks];
  if (m->state == PTX_JIT_READY) add(slot, j->half, m);
  atomic_store(&slot->text_bytes[j->half], m->text.len);
  atomic_store(&slot->state[j->half], m->state);
}

static void work (ptx_jit_job *j) {
  making m = { .state = PTX_JIT_REFUSED };
  bool written = j->code != NULL && !ptx_jit_queue_is_resting() && write_text(j, &m);
  ptx_jit_queue_release();
  if (written) m.state = make(j, &m);
  ptx_jit_queue_finish(j, publish, &m);
  ptx_jit_object_free(&m.code);
  lcu_free(m.whole);
  lcu_buf_free(&m.text);
  lcu_buf_free(&m.object);
}

/* ---- asking */

static bool add_job (ptx_code *code, ptx_block_class blocks, int half, const ptx_jit_folder *folder,
                     bool compile_it) {
  ptx_jit_job *j = is_fit(code) ? lcu_calloc(1, sizeof *j) : NULL;
  if (j == NULL) return false;
  j->code = code;
  j->blocks = blocks;
  j->half = half;
  j->compile = compile_it;
  if (folder != NULL) j->folder = *folder;
  return ptx_jit_queue_add(j, work);
}

void ptx_jit_ask (ptx_code *code, ptx_block_class blocks, int half, const ptx_jit_folder *folder,
                  bool compile_it) {
  atomic_int *state = &code->jit[blocks].state[half];
  int now = atomic_load(state);
  if (now != PTX_JIT_NEW && (now != PTX_JIT_MISSED || !compile_it)) return;
  if (!atomic_compare_exchange_strong(state, &now,
                                      compile_it ? PTX_JIT_COMPILING : PTX_JIT_LOOKING))
    return;
  if (!add_job(code, blocks, half, folder, compile_it)) atomic_store(state, PTX_JIT_REFUSED);
}

void ptx_jit_force (ptx_code *code, ptx_block_class blocks, int half,
                    const ptx_jit_folder *folder) {
  const atomic_int *state = &code->jit[blocks].state[half];
  if (atomic_load(state) >= PTX_JIT_READY) return;
  ptx_jit_ask(code, blocks, half, folder, true);
  ptx_jit_queue_wait(state);
}

void ptx_jit_rest (void) { ptx_jit_queue_rest(); }

lcu_status ptx_jit_library_open (ptx_jit_library *out) {
  LCU_TRY(ptx_jit_llvm_open());
  *out = *ptx_jit_llvm_library();
  return LCU_OK;
}

void ptx_jit_free (ptx_code *code) {
  if (code == NULL) return;
  ptx_jit_queue_forget(code);
  for (int k = 0; k < PTX_BLOCK_CLASSES; k++) {
    compiled *c = compiled_in(&code->jit[k]);
    atomic_store(&code->jit[k].code, NULL);
    for (int half = 0; c != NULL && half < PTX_JIT_HALVES; half++)
      ptx_jit_object_free(&c->halves[half]);
    lcu_free(c);
  }
}
