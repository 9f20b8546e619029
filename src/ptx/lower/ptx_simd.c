/* ptx_simd.c: video operations on two halves or four bytes at a time (9.7.18). Rare, so lane by
 * lane. imm holds what to do: see ptx_decode_simd. */
#include "ptx_decode.h"
#include "ptx_handlers.h"
#include "ptx_lanes.h"

#include <string.h>

enum { SIMD_ADD, SIMD_SUB, SIMD_AVRG, SIMD_ABSDIFF, SIMD_MIN, SIMD_MAX };

typedef struct simd {
  uint32_t op, bits;
  bool d_signed, a_signed, b_signed, sat, accumulate;
} simd;

static simd unpack (int64_t imm) {
  return (simd){ .op = imm & 15,
                 .bits = imm & 16 ? 8 : 16,
                 .d_signed = imm & 32,
                 .a_signed = imm & 64,
                 .b_signed = imm & 128,
                 .sat = imm & 256,
                 .accumulate = imm & 512 };
}

static int32_t element (uint32_t v, uint32_t at, const simd *x, bool is_signed) {
  uint32_t part = (v >> at) & ((1u << x->bits) - 1u);
  return is_signed && (part >> (x->bits - 1)) ? (int32_t)part - (1 << x->bits) : (int32_t)part;
}

static int32_t combine (const simd *x, int32_t a, int32_t b) {
  switch (x->op) {
    case SIMD_ADD: return a + b;
    case SIMD_SUB: return a - b;
    /* rounds half away from zero */
    case SIMD_AVRG: return (a + b + (a + b >= 0)) >> 1;
    case SIMD_ABSDIFF: return a > b ? a - b : b - a;
    case SIMD_MIN: return a < b ? a : b;
    default: return a > b ? a : b;
  }
}

static int32_t saturate (const simd *x, int32_t v) {
  int32_t low = x->d_signed ? -(1 << (x->bits - 1)) : 0,
          high = (1 << (x->d_signed ? x->bits - 1 : x->bits)) - 1;
  return !x->sat ? v : v < low ? low : v > high ? high : v;
}

/* All elements of one lane: side by side, or added up onto c. */
static uint32_t simd_lane (const simd *x, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t packed = 0, keep = (1u << x->bits) - 1u;
  for (uint32_t at = 0; at < 32; at += x->bits) {
    int32_t v =
      saturate(x, combine(x, element(a, at, x, x->a_signed), element(b, at, x, x->b_signed)));
    packed |= ((uint32_t)v & keep) << at;
    c += (uint32_t)element((uint32_t)v, 0, x, x->d_signed);
  }
  return x->accumulate ? c : packed;
}

const ptx_uop *ptx_handle_simd (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  simd x = unpack(I->imm);
  S_u32 *d = PTX_SLOT(u32, rf, I->d);
  const S_u32 *a = PTX_SLOT(u32, rf, I->a), *b = PTX_SLOT(u32, rf, I->b),
              *c = PTX_SLOT(u32, rf, I->c);
  PTX_EACH_ACTIVE(l, w->mask) d[l] = simd_lane(&x, a[l], b[l], c[l]);
  return I + 1;
}

/* "vabsdiff4" -> SIMD_ABSDIFF */
static uint32_t op_of (const char *opcode) {
  static const char *const names[] = { "vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax" };
  size_t n = strlen(opcode) - 1;
  for (uint32_t i = 0; i < lcu_arraylen(names); ++i)
    if (strlen(names[i]) == n && strncmp(names[i], opcode, n) == 0) return i;
  return 0;
}

lcu_status ptx_decode_simd (ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  const ptx_operand *o = D->inst->operands;
  const char *opcode = m->op->opcode;
  int32_t s[4];
  if (m->num_types != 3 || (m->mode != PTX_MODE_none && m->mode != PTX_MODE_add))
    return ptx_decode_fail(D, "this form");
  for (int i = 0; i < 4; ++i) {
    if (m->types[i % 3] != PTX_U32 && m->types[i % 3] != PTX_S32)
      return ptx_decode_fail(D, "this type");
    if (o[i].kind == PTX_O_REG && o[i].name) return ptx_decode_fail(D, "selection of parts");
    if (i > 0) LCU_TRY(ptx_source(D, &o[i], PTX_U32, &s[i]));
  }
  LCU_TRY(ptx_dest(D, &o[0], PTX_U32, &s[0]));
  LCU_TRY(ptx_emit_dabc(D, PTX_ID_simd, s[0], s[1], s[2], s[3]));
  D->uops[D->num - 1].imm =
    (int64_t)(op_of(opcode) | (opcode[strlen(opcode) - 1] == '4' ? 16u : 0) |
              (m->types[0] == PTX_S32 ? 32u : 0) | (m->types[1] == PTX_S32 ? 64u : 0) |
              (m->types[2] == PTX_S32 ? 128u : 0) | (m->mods & PTX_M_SAT ? 256u : 0) |
              (m->mode == PTX_MODE_add ? 512u : 0));
  return LCU_OK;
}
