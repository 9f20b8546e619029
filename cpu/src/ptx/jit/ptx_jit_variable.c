/* ptx_jit_variable.c: vectors of lanes, and where those of a variable are kept: as one vector, or
 * in parts that stretches use one by one (ptx_jit_parts.c). */
#include "ptx_jit_emit.h"

/* ---- vectors ---- */

uint32_t ptx_jit_spread (ptx_jit_emitter *E, uint32_t value, const char *type, uint32_t lanes) {
  uint32_t a = ptx_jit_number(E), t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = insertelement <%u x %s> poison, %s %%t%u, i32 0\n", a, lanes,
               type, type, value);
  lcu_buf_addf(&E->out,
               "  %%t%u = shufflevector <%u x %s> %%t%u, <%u x %s> poison, <%u x i32> "
               "zeroinitializer\n",
               t, lanes, type, a, lanes, type, lanes);
  return t;
}

uint32_t ptx_jit_splat (ptx_jit_emitter *E, uint32_t value, const char *type) {
  return ptx_jit_spread(E, value, type, PTX_LANES);
}

uint32_t ptx_jit_lanes_from (ptx_jit_emitter *E, const char *type, uint32_t value, uint32_t from,
                             uint32_t lanes) {
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = shufflevector <32 x %s> %%t%u, <32 x %s> poison, <%u x i32> <",
               t, type, value, type, lanes);
  for (uint32_t l = 0; l < lanes; l++)
    lcu_buf_addf(&E->out, "%si32 %u", l == 0 ? "" : ", ", from + l);
  lcu_buf_adds(&E->out, ">\n");
  return t;
}

static uint32_t join_values (ptx_jit_emitter *E, const char *type, uint32_t a, uint32_t b,
                             uint32_t lanes) {
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = shufflevector <%u x %s> %%t%u, <%u x %s> %%t%u, <%u x i32> <", t,
               lanes, type, a, lanes, type, b, 2 * lanes);
  for (uint32_t l = 0; l < 2 * lanes; l++) lcu_buf_addf(&E->out, "%si32 %u", l == 0 ? "" : ", ", l);
  lcu_buf_adds(&E->out, ">\n");
  return t;
}

/* ---- places ---- */

void ptx_jit_declare_variable (ptx_jit_emitter *E, uint32_t var) {
  uint32_t bits = E->f->vars[var].bytes * 8;
  if (E->f->vars[var].resident) return;
  lcu_buf_addf(&E->out, "  %%s%u = alloca i%u\n  %%r%u = alloca i%u\n", var, bits, var, bits);
  if (!E->split[var]) lcu_buf_addf(&E->out, "  %%v%u = alloca <32 x i%u>\n", var, bits);
  for (uint32_t p = 0; E->split[var] && p < PTX_JIT_PARTS; p++)
    lcu_buf_addf(&E->out, "  %%v%u.%u = alloca <%u x i%u>\n", var, p, PTX_JIT_PART_LANES, bits);
}

void ptx_jit_forget_variable (ptx_jit_emitter *E, uint32_t var) {
  uint32_t bits = E->f->vars[var].bytes * 8;
  if (E->f->vars[var].resident) return;
  lcu_buf_addf(&E->out, "  store i%u undef, ptr %%s%u\n  store i%u undef, ptr %%r%u\n", bits, var,
               bits, var);
  if (!E->split[var]) lcu_buf_addf(&E->out, "  store <32 x i%u> undef, ptr %%v%u\n", bits, var);
  for (uint32_t p = 0; E->split[var] && p < PTX_JIT_PARTS; p++)
    lcu_buf_addf(&E->out, "  store <%u x i%u> undef, ptr %%v%u.%u\n", PTX_JIT_PART_LANES, bits, var,
                 p);
}

/* In a loop over parts, all are in the place of the first one. */
static uint32_t place_of_part (const ptx_jit_emitter *E, uint32_t p) {
  return E->lane != 0 ? 0 : p;
}

uint32_t ptx_jit_part (ptx_jit_emitter *E, uint32_t var, uint32_t p) {
  uint32_t t = ptx_jit_number(E);
  p = place_of_part(E, p);
  lcu_buf_addf(&E->out, "  %%t%u = load <%u x %s>, ptr %%v%u.%u\n", t, PTX_JIT_PART_LANES,
               ptx_jit_int(E->f->vars[var].bytes), var, p);
  return t;
}

void ptx_jit_set_part (ptx_jit_emitter *E, uint32_t var, uint32_t p, uint32_t value) {
  p = place_of_part(E, p);
  lcu_buf_addf(&E->out, "  store <%u x %s> %%t%u, ptr %%v%u.%u\n", PTX_JIT_PART_LANES,
               ptx_jit_int(E->f->vars[var].bytes), value, var, p);
}

uint32_t ptx_jit_load_variable (ptx_jit_emitter *E, uint32_t var) {
  const char *type = ptx_jit_int(E->f->vars[var].bytes);
  uint32_t v[PTX_JIT_PARTS];
  if (!E->split[var]) {
    v[0] = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = load <32 x %s>, ptr %%v%u\n", v[0], type, var);
    return v[0];
  }
  for (uint32_t p = 0; p < PTX_JIT_PARTS; p++) v[p] = ptx_jit_part(E, var, p);
  for (uint32_t n = PTX_JIT_PARTS, lanes = PTX_JIT_PART_LANES; n > 1; n /= 2, lanes *= 2)
    for (uint32_t p = 0; p < n; p += 2) v[p / 2] = join_values(E, type, v[p], v[p + 1], lanes);
  return v[0];
}

void ptx_jit_store_variable (ptx_jit_emitter *E, uint32_t var, uint32_t value) {
  const char *type = ptx_jit_int(E->f->vars[var].bytes);
  if (!E->split[var])
    lcu_buf_addf(&E->out, "  store <32 x %s> %%t%u, ptr %%v%u\n", type, value, var);
  for (uint32_t p = 0; E->split[var] && p < PTX_JIT_PARTS; p++)
    ptx_jit_set_part(
      E, var, p, ptx_jit_lanes_from(E, type, value, p * PTX_JIT_PART_LANES, PTX_JIT_PART_LANES));
}

/* ---- arrays ---- */

uint32_t ptx_jit_array (ptx_jit_emitter *E, uint32_t bytes) {
  uint32_t a = ptx_jit_number(E);
  lcu_buf_addf(&E->frame, "  %%a%u = alloca [%u x i8], align 64\n", a, bytes * PTX_LANES);
  return a;
}

uint32_t ptx_jit_array_part (ptx_jit_emitter *E, uint32_t array, uint32_t bytes) {
  uint32_t p = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr %s, ptr %%a%u, i64 %%t%u\n", p, ptx_jit_int(bytes),
               array, E->lane);
  return p;
}
