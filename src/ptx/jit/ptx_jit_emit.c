/* ptx_jit_emit.c: variables and calls of handlers. */
#include "ptx_jit_emit.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

void ptx_jit_type (char out[32], const char *type, bool one) {
  snprintf(out, 32, one ? "%s" : "<32 x %s>", type);
}

uint32_t ptx_jit_number (ptx_jit_emitter *E) { return E->next++; }

static const char *int_type (uint32_t bytes) { return bytes == 8 ? "i64" : "i32"; }

/* ---- constants ---- */

static uint64_t constant_bits (const ptx_code *code, int32_t slot, uint32_t bytes) {
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

static uint32_t constant (ptx_jit_emitter *E, int32_t slot, uint32_t bytes, bool one) {
  uint64_t bits = constant_bits(E->f->code, slot, bytes);
  const char *type = int_type(bytes);
  long long value = bytes == 8 ? (long long)bits : (long long)(int32_t)(uint32_t)bits;
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = add %s %lld, 0\n", t, type, value);
  return one ? t : ptx_jit_splat(E, t, type);
}

/* ---- variables ---- */

uint32_t ptx_jit_splat (ptx_jit_emitter *E, uint32_t value, const char *type) {
  uint32_t a = ptx_jit_number(E), t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = insertelement <32 x %s> poison, %s %%t%u, i32 0\n", a, type,
               type, value);
  lcu_buf_addf(&E->out,
               "  %%t%u = shufflevector <32 x %s> %%t%u, <32 x %s> poison, <32 x i32> "
               "zeroinitializer\n",
               t, type, a, type);
  return t;
}

bool ptx_jit_one (const ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes) {
  if (ptx_jit_is_constant(E->f->code, slot)) return true;
  int32_t v = ptx_jit_find(E->f, slot, bytes);
  return v >= 0 && !E->f->vars[v].resident && ptx_jit_has(&E->f->same, i, (uint32_t)v);
}

static uint32_t slot_pointer (ptx_jit_emitter *E, int32_t slot) {
  uint32_t p = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%rf, i64 %d\n", p, slot);
  return p;
}

static uint32_t load_slot (ptx_jit_emitter *E, int32_t slot, uint32_t bytes) {
  uint32_t p = slot_pointer(E, slot), t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = load <32 x %s>, ptr %%t%u, align 64\n", t, int_type(bytes), p);
  return t;
}

static void store_slot (ptx_jit_emitter *E, int32_t slot, uint32_t bytes, uint32_t value) {
  uint32_t p = slot_pointer(E, slot);
  const char *type = int_type(bytes);
  if (E->full)
    lcu_buf_addf(&E->out, "  store <32 x %s> %%t%u, ptr %%t%u, align 64\n", type, value, p);
  else
    lcu_buf_addf(&E->out,
                 "  call void @llvm.masked.store.v32%s.p0(<32 x %s> %%t%u, ptr %%t%u, i32 64, "
                 "<32 x i1> %%mask)\n",
                 type, type, value, p);
}

uint32_t ptx_jit_get (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes, bool one) {
  if (ptx_jit_is_constant(E->f->code, slot)) return constant(E, slot, bytes, one);
  int32_t v = ptx_jit_find(E->f, slot, bytes);
  if (v < 0 || E->f->vars[v].resident) return load_slot(E, slot, bytes);
  uint32_t t = ptx_jit_number(E);
  if (ptx_jit_has(&E->f->same, i, (uint32_t)v)) {
    lcu_buf_addf(&E->out, "  %%t%u = load %s, ptr %%s%d\n", t, int_type(bytes), v);
    return one ? t : ptx_jit_splat(E, t, int_type(bytes));
  }
  lcu_buf_addf(&E->out, "  %%t%u = load <32 x %s>, ptr %%v%d\n", t, int_type(bytes), v);
  return t;
}

void ptx_jit_set (ptx_jit_emitter *E, int32_t slot, uint32_t bytes, uint32_t value, bool one) {
  int32_t v = ptx_jit_find(E->f, slot, bytes);
  uint32_t all = one ? ptx_jit_splat(E, value, int_type(bytes)) : value;
  if (v < 0 || E->f->vars[v].resident) {
    store_slot(E, slot, bytes, all);
    return;
  }
  lcu_buf_addf(&E->out, "  store <32 x %s> %%t%u, ptr %%v%d\n", int_type(bytes), all, v);
  if (one) lcu_buf_addf(&E->out, "  store %s %%t%u, ptr %%s%d\n", int_type(bytes), value, v);
}

void ptx_jit_store (ptx_jit_emitter *E, uint32_t i, uint32_t var) {
  const ptx_jit_var *v = &E->f->vars[var];
  if (!v->resident) store_slot(E, v->slot, v->bytes, ptx_jit_get(E, i, v->slot, v->bytes, false));
}

void ptx_jit_load (ptx_jit_emitter *E, uint32_t var, bool same) {
  const ptx_jit_var *v = &E->f->vars[var];
  if (v->resident) return;
  uint32_t t = load_slot(E, v->slot, v->bytes);
  lcu_buf_addf(&E->out, "  store <32 x %s> %%t%u, ptr %%v%u\n", int_type(v->bytes), t, var);
  if (!same) return;
  uint32_t s = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = extractelement <32 x %s> %%t%u, i32 %%first\n", s,
               int_type(v->bytes), t);
  lcu_buf_addf(&E->out, "  store %s %%t%u, ptr %%s%u\n", int_type(v->bytes), s, var);
}

void ptx_jit_store_live (ptx_jit_emitter *E, uint32_t i, const uint32_t *next, uint32_t num) {
  for (uint32_t v = 0; v < E->f->num_vars; v++) {
    bool live = false;
    for (uint32_t k = 0; k < num; k++) live |= ptx_jit_has(&E->f->live, next[k], v);
    if (live && ptx_jit_has(&E->f->dirty, i, v)) ptx_jit_store(E, i, v);
  }
}

/* ---- handlers ---- */

typedef struct reload {
  ptx_jit_emitter *E;
  uint32_t i;
  int role;
} reload;

static void store_operand (void *ud, int32_t slot, uint32_t bytes, int role) {
  reload *r = ud;
  int32_t v = ptx_jit_find(r->E->f, slot, bytes);
  if ((role & r->role) && v >= 0 && ptx_jit_has(&r->E->f->dirty, r->i, (uint32_t)v))
    ptx_jit_store(r->E, r->i, (uint32_t)v);
}

static void load_operand (void *ud, int32_t slot, uint32_t bytes, int role) {
  reload *r = ud;
  int32_t v = ptx_jit_find(r->E->f, slot, bytes);
  if (!(role & PTX_JIT_WRITES) || v < 0) return;
  ptx_jit_load(r->E, (uint32_t)v, ptx_jit_has(&r->E->f->same, r->i + 1, (uint32_t)v));
}

/* The operations of a guard, or the one. */
static uint32_t end_of (const ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  return i + 1 + (ptx_jit_flow_of(I) == PTX_JIT_GUARD ? (uint32_t)I->imm : 0);
}

/* A shape that is KNOWN was not kept here; the masked variant does not look for it. */
static uint32_t call_handler (ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  bool access = ptx_jit_is_load(I->id) || ptx_jit_is_store(I->id);
  size_t which = E->full && !(access && (I->flags & PTX_F_KNOWN)) ? sizeof(ptx_handler) : 0;
  uint32_t n = E->next;
  E->next += 4;
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%uops, i64 %zu\n", n,
               i * sizeof(ptx_uop));
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %zu\n", n + 1, n,
               offsetof(ptx_uop, fn) + which);
  lcu_buf_addf(&E->out, "  %%t%u = load ptr, ptr %%t%u\n", n + 2, n + 1);
  lcu_buf_addf(&E->out, "  %%t%u = call ptr %%t%u(ptr %%t%u, ptr %%rf, ptr %%w)\n", n + 3, n + 2,
               n);
  return n + 3;
}

void ptx_jit_call (ptx_jit_emitter *E, uint32_t i) {
  const ptx_code *code = E->f->code;
  uint32_t end = end_of(E, i);
  bool guard = end > i + 1;
  ptx_jit_flow flow = ptx_jit_flow_of(&code->uops[i]);
  for (uint32_t k = i; k < end; k++) {
    reload r = { E, i, guard ? PTX_JIT_READS | PTX_JIT_WRITES : PTX_JIT_READS };
    ptx_jit_operands(&code->uops[k], store_operand, &r);
  }
  uint32_t result = call_handler(E, i);
  if (flow == PTX_JIT_MAY || guard) {
    uint32_t n = E->next;
    E->next += 3;
    lcu_buf_addf(&E->out, "  %%t%u = icmp eq ptr %%t%u, null\n", n, result);
    lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%X%u\nX%u:\n", n, n + 1, n + 2,
                 n + 1);
    if (!guard) ptx_jit_store_live(E, i, &end, 1);
    lcu_buf_addf(&E->out, "  ret ptr null\nX%u:\n", n + 2);
  }
  if (guard) {
    uint32_t n = E->next;
    E->next += 4;
    lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%uops, i64 %zu\n", n,
                 (i + 1) * sizeof(ptx_uop));
    lcu_buf_addf(&E->out, "  %%t%u = icmp eq ptr %%t%u, %%t%u\n", n + 1, result, n);
    lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%L%u, label %%X%u\nX%u:\n", n + 1, i + 1, n + 2,
                 n + 2);
  }
  for (uint32_t k = i; k < end; k++) {
    reload r = { E, guard ? end - 1 : i, 0 };
    ptx_jit_operands(&code->uops[k], load_operand, &r);
  }
}
