/* lcul_texture_border.c: what a texture reads outside, with address "border". The driver takes four
 * words of 32 bits, one per channel of the hardware. They are floats for texels that are read as
 * floats; otherwise the words themselves are what kernels read. */
#include "lcul_texture_source.h"

#include <string.h>

#include "lcul_check.h"
#include "lcul_list.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_scalar.h"

enum { WORDS = 4, WORD = 4 };

/* The dtype of the option's values: that of the texels, or a float where kernels read floats. */
static const lcu_dtype *type_of (const lcul_texture_source *s, bool normalized) {
  bool reads_float = normalized || s->texel.format == CU_FORMAT_F16;
  return reads_float ? &lcu_dtypes[LCU_FLOAT32] : s->dtype;
}

static uint32_t extended (int format, const unsigned char *p) {
  uint32_t word = 0;
  int8_t s8;
  int16_t s16;
  switch (format) {
    case CU_FORMAT_S8: memcpy(&s8, p, sizeof s8); return (uint32_t)s8;
    case CU_FORMAT_S16: memcpy(&s16, p, sizeof s16); return (uint32_t)s16;
    case CU_FORMAT_U8: memcpy(&word, p, 1); return word;
    case CU_FORMAT_U16: memcpy(&word, p, 2); return word;
    default: memcpy(&word, p, WORD); return word;
  }
}

/* The value at the top of the stack as the words of one element. Returns their number. */
static unsigned store (lua_State *L, const lcu_dtype *t, int format, float *out) {
  lcu_scalar value;
  char why[224];
  unsigned char bytes[WORDS * WORD];
  unsigned words = t->size < WORD ? 1 : t->size / WORD;
  lcul_fit fit = lcul_scalar_get(L, -1, t, &value);
  if (fit != LCUL_FITS)
    lcul_misuse(L, "texture: option 'border': %s", lcul_scalar_why(L, -1, t, fit, why, sizeof why));
  lcu_dtype_store(t, bytes, &value);
  for (unsigned i = 0; i < words; i++) {
    uint32_t word = extended(t->size < WORD ? format : CU_FORMAT_U32, bytes + i * WORD);
    memcpy(&out[i], &word, WORD);
  }
  return words;
}

void lcul_texture_border_read (lua_State *L, int opts, const lcul_texture_source *s,
                               bool normalized, float border[4]) {
  if (!opts || !lcul_opt_push(L, opts, "border")) return;
  const lcu_dtype *t = type_of(s, normalized);
  int most = t->size < WORD ? WORDS : WORDS * WORD / (int)t->size;
  bool list = lua_istable(L, -1);
  lua_Integer n = list ? lcul_list_raw_length(L, -1) : most;
  if (n > most)
    lcul_misuse(L, "texture: option 'border': expected at most %d numbers, got %d", most, (int)n);
  for (int i = 0; i < n; i++) {
    if (list) lua_rawgeti(L, -1, i + 1);
    else lua_pushvalue(L, -1);
    border += store(L, t, s->texel.format, border);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}
