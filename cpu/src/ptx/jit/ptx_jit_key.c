/* ptx_jit_key.c: what decides which machine code half a kernel becomes: the build that compiles it,
 * the PTX, the block shape, and what the decoder made of the PTX in this process. Constants contain
 * addresses of variables, which can differ in the next process. */
#include "ptx_jit_key.h"

#include <stddef.h>
#include <string.h>

#include "ptx_module.h"

/* All but pointers. */
static void add_uop (const ptx_uop *I, lcu_buf *out) {
  enum {
    FROM = offsetof(ptx_uop, d),
    POINTER = offsetof(ptx_uop, target),
    AFTER = offsetof(ptx_uop, bb),
    END = offsetof(ptx_uop, used_bytes) + sizeof I->used_bytes
  };
  const char *bytes = (const char *)I;
  lcu_buf_add(out, bytes + FROM, POINTER - FROM);
  lcu_buf_add(out, bytes + AFTER, END - AFTER);
}

bool ptx_jit_describe (const ptx_code *code, ptx_block_class blocks, int half, lcu_buf *out) {
  const ptx_function *f = code->function;
  lcu_buf_addf(out, "%s\n%s %d %d %u\n", ptx_jit_self(), f->name, (int)blocks, half,
               (unsigned)code->num_uops);
  lcu_buf_add(out, f->module->text_digest, sizeof f->module->text_digest);
  lcu_buf_add(out, code->constants, code->constants_bytes);
  for (uint32_t k = 0; k < code->num_uops; k++) add_uop(&code->uops[k], out);
  return ptx_jit_self()[0] != '\0' && !out->failed;
}
