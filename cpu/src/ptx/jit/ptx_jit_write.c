/* ptx_jit_write.c: parts of many texts. */
#include "ptx_jit_emit.h"

#include <stdio.h>
#include <string.h>

void ptx_jit_type (char out[32], const char *type, uint32_t lanes) {
  if (lanes == 1) snprintf(out, 32, "%s", type);
  else snprintf(out, 32, "<%u x %s>", lanes, type);
}

uint32_t ptx_jit_number (ptx_jit_emitter *E) { return E->next++; }

const char *ptx_jit_int (uint32_t bytes) { return bytes == 8 ? "i64" : "i32"; }

uint64_t ptx_jit_constant (const ptx_code *code, int32_t slot, uint32_t bytes) {
  uint64_t wide = 0;
  uint32_t low;
  const uint8_t *p = code->constants + (uint32_t)slot - code->constants_at;
  if (bytes == 8) memcpy(&wide, p, 8);
  else {
    memcpy(&low, p, 4);
    wide = low;
  }
  return wide;
}

uint32_t ptx_jit_field (ptx_jit_emitter *E, size_t offset, const char *type) {
  uint32_t p = ptx_jit_number(E), t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%w, i64 %zu\n", p, offset);
  lcu_buf_addf(&E->out, "  %%t%u = load %s, ptr %%t%u" PTX_JIT_WARP "\n", t, type, p);
  return t;
}

void ptx_jit_set_field (ptx_jit_emitter *E, size_t offset, const char *type, const char *value) {
  uint32_t p = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%w, i64 %zu\n", p, offset);
  lcu_buf_addf(&E->out, "  store %s %s, ptr %%t%u" PTX_JIT_WARP "\n", type, value, p);
}

void ptx_jit_likely (ptx_jit_emitter *E, uint32_t condition, uint32_t yes, uint32_t no) {
  lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%X%u, !prof !0\n", condition, yes, no);
}

long long ptx_jit_offset (const ptx_value *v, uint32_t lane, uint32_t bytes) {
  uint64_t at = v->offsets != NULL ? v->offsets[lane] : 0;
  return bytes == 8 ? (long long)at : (long long)(int32_t)(uint32_t)at;
}
