/* ptx_jit_emit.c: operands: variables by their claims, and the register file. */
#include "ptx_jit_emit.h"

#include <stddef.h>
#include <string.h>

#include "ptx_jit_key.h"

static uint32_t slot_pointer (ptx_jit_emitter *E, int32_t slot) {
  uint32_t p = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%rf, i64 %d\n", p, slot);
  return p;
}

/* The register file has them, too. */
static uint32_t address_constant (ptx_jit_emitter *E, int32_t slot) {
  uint32_t p = slot_pointer(E, slot), t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = load i64, ptr %%t%u\n", t, p);
  return t;
}

static uint32_t constant (ptx_jit_emitter *E, int32_t slot, uint32_t bytes) {
  uint64_t bits = ptx_jit_constant(E->f->code, slot, bytes);
  if (bytes == 8 && ptx_jit_is_address(bits)) return address_constant(E, slot);
  long long value = bytes == 8 ? (long long)bits : (long long)(int32_t)(uint32_t)bits;
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = add %s %lld, 0\n", t, ptx_jit_int(bytes), value);
  return t;
}

/* ---- bases ---- */

/* The offsets of lanes, as a constant vector. */
static void add_some_offsets (ptx_jit_emitter *E, const ptx_value *v, uint32_t bytes, uint64_t plus,
                              uint32_t from, uint32_t lanes) {
  for (uint32_t l = from; l < from + lanes; l++) {
    uint64_t at = (v->offsets != NULL ? v->offsets[l] : 0) + plus;
    lcu_buf_addf(&E->out, "%s%s %lld", l == from ? "<" : ", ", ptx_jit_int(bytes),
                 bytes == 8 ? (long long)at : (long long)(int32_t)(uint32_t)at);
  }
  lcu_buf_adds(&E->out, ">");
}

static void add_offsets (ptx_jit_emitter *E, const ptx_value *v, uint32_t bytes, uint64_t plus) {
  add_some_offsets(E, v, bytes, plus, 0, PTX_LANES);
}

static uint32_t with_offsets (ptx_jit_emitter *E, const ptx_value *v, uint32_t bytes,
                              uint32_t bases) {
  if (v->offsets == NULL) return bases;
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = add <32 x %s> %%t%u, ", t, ptx_jit_int(bytes), bases);
  add_offsets(E, v, bytes, 0);
  lcu_buf_adds(&E->out, "\n");
  return t;
}

static uint32_t load_base (ptx_jit_emitter *E, int32_t var, uint32_t bytes, uint32_t row) {
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = load %s, ptr %%%c%d\n", t, ptx_jit_int(bytes), row ? 'r' : 's',
               var);
  return t;
}

uint32_t ptx_jit_load_base (ptx_jit_emitter *E, uint32_t var, uint32_t row) {
  return load_base(E, (int32_t)var, E->f->vars[var].bytes, row);
}

/* Lanes from the bases of a variable. */
static uint32_t expand (ptx_jit_emitter *E, const ptx_value *v, int32_t var, uint32_t bytes) {
  const char *type = ptx_jit_int(bytes);
  if (v->base == PTX_BASE_CONST) {
    uint32_t t = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = or <32 x %s> zeroinitializer, ", t, type);
    add_offsets(E, v, bytes, v->constant);
    lcu_buf_adds(&E->out, "\n");
    return t;
  }
  uint32_t all = ptx_jit_splat(E, load_base(E, var, bytes, 0), type);
  if (v->base == PTX_BASE_ROW) {
    uint32_t upper = ptx_jit_splat(E, load_base(E, var, bytes, 1), type), t = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = shufflevector <32 x %s> %%t%u, <32 x %s> %%t%u, <32 x i32> <",
                 t, type, all, type, upper);
    for (uint32_t l = 0; l < PTX_LANES; l++)
      lcu_buf_addf(&E->out, "%si32 %u", l == 0 ? "" : ", ", l < 16 ? l : l + PTX_LANES);
    lcu_buf_adds(&E->out, ">\n");
    all = t;
  }
  return with_offsets(E, v, bytes, all);
}

/* The base from the value of lane %where. */
static uint32_t without_offset (ptx_jit_emitter *E, const ptx_value *v, uint32_t bytes,
                                uint32_t value, uint32_t where) {
  if (v->offsets == NULL || (E->full && E->predicate == 0)) return value;
  uint32_t n = E->next;
  E->next += 2;
  lcu_buf_addf(&E->out, "  %%t%u = extractelement <32 x %s> ", n, ptx_jit_int(bytes));
  add_offsets(E, v, bytes, 0);
  lcu_buf_addf(&E->out, ", i32 %%t%u\n  %%t%u = sub %s %%t%u, %%t%u\n", where, n + 1,
               ptx_jit_int(bytes), value, n);
  return n + 1;
}

static uint32_t lane_of_base (const ptx_jit_emitter *E, const ptx_value *v, uint32_t row) {
  return E->first[v->base == PTX_BASE_ROW ? 1 + row : 0];
}

static void set_base (ptx_jit_emitter *E, int32_t var, uint32_t bytes, uint32_t value,
                      uint32_t row) {
  lcu_buf_addf(&E->out, "  store %s %%t%u, ptr %%%c%d\n", ptx_jit_int(bytes), value,
               row ? 'r' : 's', var);
}

/* Sets the bases of a variable from lanes. */
static void collapse (ptx_jit_emitter *E, const ptx_value *v, int32_t var, uint32_t bytes,
                      uint32_t lanes) {
  if (v->base == PTX_BASE_CONST) return;
  for (uint32_t row = 0; row < (v->base == PTX_BASE_ROW ? 2u : 1u); row++) {
    uint32_t where = lane_of_base(E, v, row), t = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = extractelement <32 x %s> %%t%u, i32 %%t%u\n", t,
                 ptx_jit_int(bytes), lanes, where);
    set_base(E, var, bytes, without_offset(E, v, bytes, t, where), row);
  }
}

/* ---- the register file ---- */

static uint32_t load_slot (ptx_jit_emitter *E, int32_t slot, uint32_t bytes) {
  uint32_t p = slot_pointer(E, slot), t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = load <32 x %s>, ptr %%t%u, align 64\n", t, ptx_jit_int(bytes),
               p);
  return t;
}

/* Masked stores of some processors take longer than reading what is there. */
static void store_slot (ptx_jit_emitter *E, int32_t slot, uint32_t bytes, uint32_t value) {
  uint32_t p = slot_pointer(E, slot);
  const char *type = ptx_jit_int(bytes);
  if (!E->full) {
    uint32_t n = E->next;
    E->next += 2;
    lcu_buf_addf(&E->out, "  %%t%u = load <32 x %s>, ptr %%t%u, align 64\n", n, type, p);
    lcu_buf_addf(&E->out, "  %%t%u = select <32 x i1> %%mask, <32 x %s> %%t%u, <32 x %s> %%t%u\n",
                 n + 1, type, value, type, n);
    value = n + 1;
  }
  lcu_buf_addf(&E->out, "  store <32 x %s> %%t%u, ptr %%t%u, align 64\n", type, value, p);
}

static void load_bases (ptx_jit_emitter *E, const ptx_value *v, uint32_t var) {
  const ptx_jit_var *x = &E->f->vars[var];
  if (v->base == PTX_BASE_CONST) return;
  for (uint32_t row = 0; row < (v->base == PTX_BASE_ROW ? 2u : 1u); row++) {
    const char *type = ptx_jit_int(x->bytes);
    uint32_t where = lane_of_base(E, v, row), p = slot_pointer(E, x->slot), n = E->next;
    E->next += 2;
    lcu_buf_addf(&E->out, "  %%t%u = getelementptr %s, ptr %%t%u, i32 %%t%u\n", n, type, p, where);
    lcu_buf_addf(&E->out, "  %%t%u = load %s, ptr %%t%u\n", n + 1, type, n);
    set_base(E, (int32_t)var, x->bytes, without_offset(E, v, x->bytes, n + 1, where), row);
  }
}

/* ---- operands ---- */

static int32_t find (const ptx_jit_emitter *E, int32_t slot, uint32_t bytes) {
  int32_t v = ptx_jit_find(E->f, slot, bytes);
  return v < 0 || E->f->vars[v].resident ? -1 : v;
}

uint32_t ptx_jit_lanes (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes) {
  if (ptx_jit_is_constant(E->f->code, slot))
    return ptx_jit_splat(E, constant(E, slot, bytes), ptx_jit_int(bytes));
  int32_t var = find(E, slot, bytes);
  if (var < 0) return load_slot(E, slot, bytes);
  const ptx_value *v = ptx_jit_var_value(E->f, i, (uint32_t)var);
  return v != NULL ? expand(E, v, var, bytes) : ptx_jit_load_variable(E, (uint32_t)var);
}

/* ---- operands of some lanes ---- */

static uint32_t known_base (ptx_jit_emitter *E, const ptx_value *v, uint32_t bytes) {
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = add %s %lld, 0\n", t, ptx_jit_int(bytes),
               bytes == 8 ? (long long)v->constant : (long long)(int32_t)(uint32_t)v->constant);
  return t;
}

/* Offsets of a claim that are in an array of the frame. */
typedef struct stored {
  const uint64_t *offsets;
  uint32_t bytes, array;
} stored;

static uint32_t store_array (ptx_jit_emitter *E, uint32_t bytes, uint32_t lanes) {
  uint32_t a = ptx_jit_array(E, bytes);
  lcu_buf_addf(&E->out, "  store <32 x %s> %%t%u, ptr %%a%u, align 64\n", ptx_jit_int(bytes), lanes,
               a);
  return a;
}

static uint32_t array_of_offsets (ptx_jit_emitter *E, const ptx_value *v, uint32_t bytes) {
  const ptx_value only = { .base = PTX_BASE_CONST, .offsets = v->offsets };
  stored s;
  for (size_t at = 0; at < E->stored.len; at += sizeof s) {
    memcpy(&s, E->stored.data + at, sizeof s);
    if (s.bytes == bytes && memcmp(s.offsets, v->offsets, PTX_LANES * sizeof *s.offsets) == 0)
      return s.array;
  }
  s = (stored){ v->offsets, bytes, store_array(E, bytes, expand(E, &only, -1, bytes)) };
  lcu_buf_add(&E->stored, &s, sizeof s);
  return s.array;
}

/* For a loop over parts: the base, and an array of offsets; or an array of the lanes, and 0. */
static void note_offsets (ptx_jit_emitter *E, const ptx_value *v, int32_t var, uint32_t bytes,
                          uint32_t out[2]) {
  out[1] = 0;
  if (v->base == PTX_BASE_ROW) {
    out[0] = store_array(E, bytes, expand(E, v, var, bytes));
    return;
  }
  uint32_t base = v->base == PTX_BASE_CONST ? known_base(E, v, bytes) : load_base(E, var, bytes, 0);
  out[0] = ptx_jit_spread(E, base, ptx_jit_int(bytes), PTX_JIT_PART_LANES);
  out[1] = array_of_offsets(E, v, bytes);
}

void ptx_jit_note_source (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes,
                          uint32_t out[2]) {
  const char *type = ptx_jit_int(bytes);
  if (ptx_jit_is_constant(E->f->code, slot)) {
    out[0] = ptx_jit_spread(E, constant(E, slot, bytes), type, PTX_JIT_PART_LANES);
    return;
  }
  int32_t var = find(E, slot, bytes);
  const ptx_value *v = ptx_jit_var_value(E->f, i, (uint32_t)var);
  if (E->lane != 0 && v != NULL && !ptx_value_uniform(v)) {
    note_offsets(E, v, var, bytes, out);
    return;
  }
  for (uint32_t row = 0; v != NULL && v->base != PTX_BASE_CONST && row < 2; row++)
    if (row == 0 || v->base == PTX_BASE_ROW)
      out[row] = ptx_jit_spread(E, load_base(E, var, bytes, row), type, PTX_JIT_PART_LANES);
}

static uint32_t load_part (ptx_jit_emitter *E, uint32_t array, uint32_t bytes) {
  uint32_t p = ptx_jit_array_part(E, array, bytes), t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = load <%u x %s>, ptr %%t%u\n", t, PTX_JIT_PART_LANES,
               ptx_jit_int(bytes), p);
  return t;
}

static uint32_t looped_source (ptx_jit_emitter *E, uint32_t bytes, const uint32_t noted[2]) {
  uint32_t part = load_part(E, noted[1] != 0 ? noted[1] : noted[0], bytes);
  if (noted[1] == 0) return part;
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = add <%u x %s> %%t%u, %%t%u\n", t, (uint32_t)PTX_JIT_PART_LANES,
               ptx_jit_int(bytes), noted[0], part);
  return t;
}

uint32_t ptx_jit_part_source (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes,
                              const uint32_t noted[2], uint32_t p) {
  uint32_t from = p * PTX_JIT_PART_LANES;
  if (ptx_jit_is_constant(E->f->code, slot)) return noted[0];
  uint32_t var = (uint32_t)find(E, slot, bytes);
  const ptx_value *v = ptx_jit_var_value(E->f, i, var);
  if (v == NULL) return ptx_jit_part(E, var, p);
  if (E->lane != 0 && !ptx_value_uniform(v)) return looped_source(E, bytes, noted);
  bool fixed = v->base == PTX_BASE_CONST;
  uint32_t base = noted[v->base == PTX_BASE_ROW ? from / PTX_JIT_HALF : 0];
  if (!fixed && v->offsets == NULL) return base;
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = add <%u x %s> ", t, PTX_JIT_PART_LANES, ptx_jit_int(bytes));
  if (fixed) lcu_buf_adds(&E->out, "zeroinitializer, ");
  else lcu_buf_addf(&E->out, "%%t%u, ", base);
  add_some_offsets(E, v, bytes, fixed ? v->constant : 0, from, PTX_JIT_PART_LANES);
  lcu_buf_adds(&E->out, "\n");
  return t;
}

uint32_t ptx_jit_base (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes, uint32_t row) {
  if (ptx_jit_is_constant(E->f->code, slot)) return constant(E, slot, bytes);
  int32_t var = find(E, slot, bytes);
  const ptx_value *v = ptx_jit_var_value(E->f, i, (uint32_t)var);
  if (v->base == PTX_BASE_ROW) return load_base(E, var, bytes, row);
  uint32_t base = v->base == PTX_BASE_CONST ? known_base(E, v, bytes) : load_base(E, var, bytes, 0);
  long long more = row == 1 ? ptx_jit_offset(v, 16, bytes) : 0;
  if (more == 0) return base;
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = add %s %%t%u, %lld\n", t, ptx_jit_int(bytes), base, more);
  return t;
}

bool ptx_jit_one (const ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes) {
  const ptx_value *v = ptx_jit_value(E->f, i, slot, bytes);
  return v != NULL && ptx_value_uniform(v);
}

bool ptx_jit_blends (const ptx_jit_emitter *E, int32_t var) {
  if (E->predicate == 0) return false;
  return var < 0 || E->until >= E->f->code->num_uops ||
         ptx_jit_has(&E->f->live, E->until, (uint32_t)var);
}

/* Lanes that the predicate leaves out keep what the slot holds. */
static uint32_t blended (ptx_jit_emitter *E, int32_t slot, uint32_t bytes, int32_t var,
                         uint32_t lanes) {
  uint32_t old = var < 0 ? load_slot(E, slot, bytes) : ptx_jit_load_variable(E, (uint32_t)var),
           t = ptx_jit_number(E);
  const char *type = ptx_jit_int(bytes);
  lcu_buf_addf(&E->out, "  %%t%u = select <32 x i1> %%t%u, <32 x %s> %%t%u, <32 x %s> %%t%u\n", t,
               E->predicate, type, lanes, type, old);
  return t;
}

void ptx_jit_set_lanes (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes,
                        uint32_t lanes) {
  int32_t var = find(E, slot, bytes);
  const ptx_value *v = ptx_jit_result(E->f, i, slot, bytes);
  if (v == NULL && ptx_jit_blends(E, var)) lanes = blended(E, slot, bytes, var, lanes);
  if (var < 0) store_slot(E, slot, bytes, lanes);
  else if (v != NULL) collapse(E, v, var, bytes, lanes);
  else ptx_jit_store_variable(E, (uint32_t)var, lanes);
}

void ptx_jit_set_bases (ptx_jit_emitter *E, int32_t slot, uint32_t bytes, const uint32_t bases[2],
                        bool rows) {
  int32_t var = find(E, slot, bytes);
  set_base(E, var, bytes, bases[0], 0);
  if (rows) set_base(E, var, bytes, bases[1], 1);
}

void ptx_jit_set_one (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes,
                      uint32_t value) {
  const ptx_value *v = ptx_jit_result(E->f, i, slot, bytes);
  if (v != NULL && v->offsets == NULL)
    ptx_jit_set_bases(E, slot, bytes, (uint32_t[]){ value, value }, v->base == PTX_BASE_ROW);
  else ptx_jit_set_lanes(E, i, slot, bytes, ptx_jit_splat(E, value, ptx_jit_int(bytes)));
}

void ptx_jit_store (ptx_jit_emitter *E, uint32_t i, uint32_t var) {
  const ptx_jit_var *v = &E->f->vars[var];
  if (!v->resident) store_slot(E, v->slot, v->bytes, ptx_jit_lanes(E, i, v->slot, v->bytes));
}

void ptx_jit_load (ptx_jit_emitter *E, uint32_t i, uint32_t var) {
  const ptx_jit_var *x = &E->f->vars[var];
  const ptx_value *v = ptx_jit_var_value(E->f, i, var);
  if (x->resident) return;
  if (v != NULL) {
    load_bases(E, v, var);
    return;
  }
  ptx_jit_store_variable(E, var, load_slot(E, x->slot, x->bytes));
}

void ptx_jit_store_live (ptx_jit_emitter *E, uint32_t i, const uint32_t *next, uint32_t num) {
  for (uint32_t v = 0; v < E->f->num_vars; v++) {
    bool live = false;
    for (uint32_t k = 0; k < num; k++) live |= ptx_jit_has(&E->f->live, next[k], v);
    if (live && ptx_jit_has(&E->f->dirty, i, v)) ptx_jit_store(E, i, v);
  }
}

void ptx_jit_give_up (ptx_jit_emitter *E, uint32_t i) {
  uint32_t n = ptx_jit_number(E);
  ptx_jit_exit_live(E, i, &i, 1);
  ptx_jit_set_field(E, offsetof(ptx_warp, in_step), "i8", "0");
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%uops, i64 %zu\n  ret ptr %%t%u\n", n,
               i * sizeof(ptx_uop), n);
}
