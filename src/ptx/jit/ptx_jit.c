/* ptx_jit.c: from a kernel to compiled code: written as text, looked up on the disk, else compiled
 * by libLLVM, loaded. */
#include "ptx_jit.h"

#include <string.h>

#include "ptx_jit_cache.h"
#include "ptx_jit_emit.h"
#include "ptx_jit_exit.h"
#include "ptx_jit_llvm.h"
#include "ptx_jit_object.h"
#include "ptx_jit_queue.h"

enum { MOST_UOPS = 3000 };

typedef struct compiled {
  ptx_jit jit; /* first */
  ptx_jit_code code;
} compiled;

/* A kernel on its way. */
typedef struct making {
  lcu_buf text, object;
  compiled *made;      /* NULL: there is none */
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

static bool write_text (const ptx_code *code, ptx_block_class blocks, making *m) {
  lcu_arena arena = { 0 };
  ptx_jit_facts facts;
  const ptx_claims *claims = ptx_function_claims(code->function, blocks);
  m->made = lcu_calloc(1, sizeof *m->made + code->num_uops);
  bool ok = claims != NULL && m->made != NULL && ptx_jit_facts_make(code, claims, &arena, &facts) &&
            ptx_jit_module(&facts, &m->text);
  if (ok) {
    m->made->jit.entry = (bool *)(m->made + 1);
    memcpy(m->made->jit.entry, facts.entry, code->num_uops);
  }
  lcu_arena_free(&arena);
  return ok;
}

static bool load (making *m) {
  static const char *const names[2] = { "ptx_masked", "ptx_full" };
  compiled *c = m->made;
  if (ptx_jit_object_load(m->object.data, m->object.len, names, &c->code) != LCU_OK) return false;
  memcpy(c->jit.run, c->code.entries, sizeof c->jit.run);
  return true;
}

static bool compile (making *m) {
  if (ptx_jit_llvm_open() != LCU_OK) return false;
  ptx_jit_exit_guard();
  bool ok = ptx_jit_llvm_compile(&m->text, ptx_jit_queue_pause, &m->object) == LCU_OK;
  ptx_jit_exit_guard();
  return ok;
}

/* The state that the kernel is in then. */
static ptx_jit_state make (const ptx_jit_job *j, making *m) {
  uint8_t key[PTX_JIT_KEY_BYTES];
  if (!ptx_jit_cache_key(&j->folder, &m->text, key)) return PTX_JIT_REFUSED;
  if (ptx_jit_cache_read(&j->folder, key, &m->object))
    return load(m) ? PTX_JIT_READY : PTX_JIT_REFUSED;
  if (!j->compile) return PTX_JIT_MISSED;
  if (!compile(m) || !load(m)) return PTX_JIT_REFUSED;
  ptx_jit_cache_write(&j->folder, key, &m->object);
  return PTX_JIT_READY;
}

static void discard (compiled *c) {
  if (c == NULL) return;
  ptx_jit_object_free(&c->code);
  lcu_free(c);
}

static void publish (ptx_jit_job *j, void *ud) {
  making *m = ud;
  bool use = m->state == PTX_JIT_READY && j->code != NULL;
  if (!use) discard(m->made);
  if (j->code == NULL) return;
  ptx_jit_slot *slot = &j->code->jit[j->blocks];
  if (use) atomic_store_explicit(&slot->code, &m->made->jit, memory_order_release);
  atomic_store(&slot->text_bytes, m->text.len);
  atomic_store(&slot->state, m->state);
}

static void work (ptx_jit_job *j) {
  making m = { .state = PTX_JIT_REFUSED };
  bool written = j->code != NULL && write_text(j->code, j->blocks, &m);
  ptx_jit_queue_release();
  if (written) m.state = make(j, &m);
  ptx_jit_queue_finish(j, publish, &m);
  lcu_buf_free(&m.text);
  lcu_buf_free(&m.object);
}

/* ---- asking */

static bool add_job (ptx_code *code, ptx_block_class blocks, const ptx_jit_folder *folder,
                     bool compile_it) {
  ptx_jit_job *j = is_fit(code) ? lcu_calloc(1, sizeof *j) : NULL;
  if (j == NULL) return false;
  j->code = code;
  j->blocks = blocks;
  j->compile = compile_it;
  if (folder != NULL) j->folder = *folder;
  return ptx_jit_queue_add(j, work);
}

void ptx_jit_ask (ptx_code *code, ptx_block_class blocks, const ptx_jit_folder *folder,
                  bool compile_it) {
  ptx_jit_slot *slot = &code->jit[blocks];
  int state = atomic_load(&slot->state);
  if (state != PTX_JIT_NEW && (state != PTX_JIT_MISSED || !compile_it)) return;
  if (!atomic_compare_exchange_strong(&slot->state, &state,
                                      compile_it ? PTX_JIT_COMPILING : PTX_JIT_LOOKING))
    return;
  if (!add_job(code, blocks, folder, compile_it)) atomic_store(&slot->state, PTX_JIT_REFUSED);
}

void ptx_jit_force (ptx_code *code, ptx_block_class blocks, const ptx_jit_folder *folder) {
  ptx_jit_slot *slot = &code->jit[blocks];
  if (atomic_load(&slot->state) >= PTX_JIT_READY) return;
  ptx_jit_ask(code, blocks, folder, true);
  ptx_jit_queue_wait(slot);
}

void ptx_jit_rest (void) { ptx_jit_queue_rest(); }

void ptx_jit_free (ptx_code *code) {
  if (code == NULL) return;
  ptx_jit_queue_forget(code);
  for (int k = 0; k < PTX_BLOCK_CLASSES; k++)
    discard((compiled *)(uintptr_t)atomic_exchange(&code->jit[k].code, NULL));
}
