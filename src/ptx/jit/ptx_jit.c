/* ptx_jit.c: when functions are compiled, and what becomes of it. */
#include "ptx_jit.h"

#include <pthread.h>
#include <string.h>

#include "ptx_jit_emit.h"
#include "ptx_jit_llvm.h"

enum { MOST_UOPS = 1500 };

typedef struct compiled {
  ptx_jit jit; /* first */
  ptx_jit_code code;
} compiled;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Loops that wait for other threads stay with the interpreter. */
static bool is_fit (const ptx_code *code) {
  if (code->num_uops > MOST_UOPS) return false;
  for (uint32_t k = 0; k < code->num_bbs; k++)
    if (code->bbs[k].spin) return false;
  return true;
}

static lcu_status make (const ptx_code *code, ptx_block_class blocks, compiled *c) {
  static const char *const names[2] = { "ptx_masked", "ptx_full" };
  lcu_arena arena = { 0 };
  lcu_buf text = { 0 };
  ptx_jit_facts facts;
  const ptx_claims *claims = ptx_function_claims(code->function, blocks);
  bool ok = claims != NULL && ptx_jit_facts_make(code, claims, &arena, &facts) &&
            ptx_jit_module(&facts, &text);
  lcu_status status = LCU_E_NOMEM;
  if (ok) {
    memcpy(c->jit.entry, facts.entry, code->num_uops);
    status = ptx_jit_llvm_compile(&text, names, &c->code);
  }
  lcu_buf_free(&text);
  lcu_arena_free(&arena);
  return status;
}

static void compile (ptx_code *code, ptx_block_class blocks) {
  code->jit_tried[blocks] = true;
  if (!is_fit(code) || ptx_jit_llvm_open() != LCU_OK) return;
  compiled *c = lcu_calloc(1, sizeof *c + code->num_uops);
  if (c == NULL) return;
  c->jit.entry = (bool *)(c + 1);
  if (make(code, blocks, c) != LCU_OK) {
    lcu_free(c);
    return;
  }
  memcpy(c->jit.run, c->code.entries, sizeof c->jit.run);
  code->jit[blocks] = &c->jit;
}

void ptx_jit_prepare (ptx_code *code, ptx_block_class blocks) {
  pthread_mutex_lock(&lock);
  if (!code->jit_tried[blocks]) compile(code, blocks);
  pthread_mutex_unlock(&lock);
}

void ptx_jit_free (ptx_code *code) {
  for (int k = 0; code != NULL && k < PTX_BLOCK_CLASSES; k++) {
    compiled *c = (compiled *)(uintptr_t)code->jit[k];
    if (c == NULL) continue;
    ptx_jit_llvm_free(&c->code);
    lcu_free(c);
    code->jit[k] = NULL;
  }
}
