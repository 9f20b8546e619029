/* lcu_compile.h: compiles CUDA C++ to PTX or machine code with NVRTC. The Lua layer handles files
 * and the cache. */
#ifndef LCU_COMPILE_H
#define LCU_COMPILE_H

#include "lcu_process.h"

typedef struct lcu_compile_job {
  const char *source, *name; /* name: of the text in messages */
  const char *const *options;
  size_t num_options;
  const char *const *header_names, *const *header_texts;
  size_t num_headers;
  const char *const *expressions;
  size_t num_expressions; /* name expressions */
  bool want_ptx, want_cubin, want_ltoir;
  void (*idle)(void *ud); /* called every few milliseconds meanwhile; may be NULL */
  void *ud;
} lcu_compile_job;

typedef struct lcu_compile_result {
  lcu_buf ptx, cubin, ltoir, log;
  char **lowered; /* per expression; NULL where the compiler gave none */
  size_t num_lowered;
} lcu_compile_result;

/* LCU_E_COMPILE: the result's log has the reason. The caller frees the result in every case. */
lcu_status lcu_compile (const lcu_compile_job *job, lcu_compile_result *out);
void lcu_compile_result_free (lcu_compile_result *r);

#endif
