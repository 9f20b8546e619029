/* ptx_jit_text.c: texts of LLVM's assembly language with operands, types and numbers filled in. */
#include "ptx_jit_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const declarations[] = {
  "declare $float @fma.f32($float, $float, $float)",
  "declare $double @fma.f64($double, $double, $double)",
  "declare $float @sqrt.f32($float)",
  "declare $double @sqrt.f64($double)",
  "declare $float @nearbyint.f32($float)",
  "declare $double @nearbyint.f64($double)",
  "declare $float @trunc.f32($float)",
  "declare $double @trunc.f64($double)",
  "declare $float @floor.f32($float)",
  "declare $double @floor.f64($double)",
  "declare $float @ceil.f32($float)",
  "declare $double @ceil.f64($double)",
  "declare $i8 @fptosi.sat.i8.f32($float)",
  "declare $i8 @fptoui.sat.i8.f32($float)",
  "declare $i16 @fptosi.sat.i16.f32($float)",
  "declare $i16 @fptoui.sat.i16.f32($float)",
  "declare $i32 @fptosi.sat.i32.f32($float)",
  "declare $i32 @fptoui.sat.i32.f32($float)",
  "declare $i32 @fptosi.sat.i32.f64($double)",
  "declare $i32 @fptoui.sat.i32.f64($double)",
  "declare $i32 @fshl.i32($i32, $i32, $i32)",
  "declare $i32 @fshr.i32($i32, $i32, $i32)",
  "declare $i32 @ctpop.i32($i32)",
  "declare $i32 @ctlz.i32($i32, i1)",
  "declare $i32 @bitreverse.i32($i32)",
  "declare $i64 @ctpop.i64($i64)",
  "declare $i64 @ctlz.i64($i64, i1)",
  "declare $i64 @bitreverse.i64($i64)",
};

static const char *add_type (ptx_jit_emitter *E, const char *p, uint32_t lanes) {
  char word[16] = "";
  size_t n = 0;
  while (isalnum((unsigned char)*p) && n < sizeof word - 1) word[n++] = *p++;
  if (lanes == 1) lcu_buf_adds(&E->out, word);
  else lcu_buf_addf(&E->out, "<%u x %s>", lanes, word);
  return p;
}

static const char *add_operand (ptx_jit_emitter *E, const char *p, const ptx_jit_filling *x) {
  const char *letters = "abced", *at = strchr(letters, *p);
  if (isdigit((unsigned char)*p)) {
    char *end;
    lcu_buf_addf(&E->out, "%%t%u", x->base + (uint32_t)strtoul(p, &end, 10));
    return end;
  }
  if (at != NULL && !isalpha((unsigned char)p[1])) {
    lcu_buf_addf(&E->out, "%%t%u", x->values[at - letters]);
    return p + 1;
  }
  return add_type(E, p, x->lanes);
}

/* [i32 5], [i64 #] */
static const char *add_constant (ptx_jit_emitter *E, const char *p, const ptx_jit_filling *x) {
  char type[16], value[32];
  int len = 0;
  if (sscanf(p, "%15s %31[^]]]%n", type, value, &len) != 2) return p + strlen(p);
  if (value[0] == '#') snprintf(value, sizeof value, "%lld", (long long)x->imm);
  if (x->lanes == 1) lcu_buf_adds(&E->out, value);
  for (uint32_t l = 0; x->lanes != 1 && l < x->lanes; l++)
    lcu_buf_addf(&E->out, "%s%s %s%s", l == 0 ? "<" : "", type, value,
                 l == x->lanes - 1 ? ">" : ", ");
  return p + len;
}

/* @fma.f32 -> @llvm.fma.v32f32 */
static const char *add_intrinsic (ptx_jit_emitter *E, const char *p, const ptx_jit_filling *x) {
  lcu_buf_adds(&E->out, "@llvm");
  while (isalnum((unsigned char)*p) || *p == '.') {
    size_t n = strcspn(p, ".(");
    bool type = (p[0] == 'f' || p[0] == 'i') && isdigit((unsigned char)p[1]);
    lcu_buf_adds(&E->out, ".");
    if (type && x->lanes != 1) lcu_buf_addf(&E->out, "v%u", x->lanes);
    lcu_buf_add(&E->out, p, n);
    p += n + (p[n] == '.');
  }
  return p;
}

void ptx_jit_expand (ptx_jit_emitter *E, const char *p, const ptx_jit_filling *x) {
  while (*p != '\0') {
    char c = *p++;
    if (c == '$') p = add_operand(E, p, x);
    else if (c == '[') p = add_constant(E, p, x);
    else if (c == '@') p = add_intrinsic(E, p, x);
    else lcu_buf_add(&E->out, &c, 1);
  }
  lcu_buf_adds(&E->out, "\n");
}

uint32_t ptx_jit_apply (ptx_jit_emitter *E, const char *text, ptx_jit_filling x) {
  x.base = E->next;
  x.values[4] = E->next + PTX_JIT_TEXT_VALUES;
  E->next += PTX_JIT_TEXT_VALUES + 1;
  ptx_jit_expand(E, text, &x);
  return x.values[4];
}

void ptx_jit_declare (ptx_jit_emitter *E) {
  const uint32_t lanes[] = { 1, PTX_LANES / PTX_JIT_PARTS, PTX_LANES };
  for (size_t k = 0; k < lcu_arraylen(declarations); k++)
    for (size_t n = 0; n < lcu_arraylen(lanes); n++)
      ptx_jit_expand(E, declarations[k], &(ptx_jit_filling){ .lanes = lanes[n] });
}

/* ---- lane types ---- */

static const char *const lane_types[] = { "",    "i8",  "i8",  "i16", "i16",   "i32",    "i32",
                                          "i64", "i64", "i32", "i32", "float", "double", "i1" };

const char *ptx_jit_lane_type (ptx_lane t) { return lane_types[t]; }

uint32_t ptx_jit_convert (ptx_jit_emitter *E, uint32_t value, ptx_lane t, uint32_t lanes,
                          bool back) {
  const char *slot = ptx_lane_slot_bytes(t) == 8 ? "i64" : "i32", *lane = lane_types[t];
  char from[32], to[32];
  if (strcmp(slot, lane) == 0) return value;
  ptx_jit_type(from, back ? lane : slot, lanes);
  ptx_jit_type(to, back ? slot : lane, lanes);
  uint32_t n = ptx_jit_number(E);
  if (t == PTX_LANE_pred && !back)
    lcu_buf_addf(&E->out, "  %%t%u = icmp ne %s %%t%u, %s\n", n, from, value,
                 lanes == 1 ? "0" : "zeroinitializer");
  else {
    const char *how = t == PTX_LANE_f32 || t == PTX_LANE_f64 ? "bitcast"
                      : t == PTX_LANE_pred                   ? "sext"
                      : back                                 ? "zext"
                                                             : "trunc";
    lcu_buf_addf(&E->out, "  %%t%u = %s %s %%t%u to %s\n", n, how, from, value, to);
  }
  return n;
}
