/* ptx_jit_key.c: what decides which machine code half a kernel becomes: the build that compiles it,
 * the PTX, the block shape, and what the decoder made of the PTX in this process. */
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

/* Without addresses. Two constants of 32 bits may look like one: the PTX says what they are. */
static void add_constants (const ptx_code *code, lcu_buf *out) {
  for (uint32_t at = 0; at < code->constants_bytes; at += 4 * PTX_LANES) {
    uint64_t bits;
    memcpy(&bits, code->constants + at, sizeof bits);
    if (ptx_jit_is_address(bits)) bits = 0;
    lcu_buf_add(out, &bits, sizeof bits);
  }
}

bool ptx_jit_describe (const ptx_code *code, int form, int half, lcu_buf *out) {
  const ptx_function *f = code->function;
  lcu_buf_addf(out, "%s\n%s %d %d %u\n", ptx_jit_self(), f->name, form, half,
               (unsigned)code->num_uops);
  lcu_buf_add(out, f->module->text_digest, sizeof f->module->text_digest);
  add_constants(code, out);
  for (uint32_t k = 0; k < code->num_uops; k++) add_uop(&code->uops[k], out);
  return ptx_jit_self()[0] != '\0' && !out->failed;
}
