/* ptx_jit_exit.c: rare ways out of the code. Variables are put down as they are, and ptx_jit_keep
 * writes them to the register file. */
#include <stddef.h>
#include <string.h>

#include "ptx_jit_emit.h"
#include "ptx_jit_kept.h"

/* ---- the module's table */

enum { OFFSETS_BYTES = PTX_LANES * sizeof(uint64_t) };

/* Where the table has the offsets of a claim. */
static uint32_t find_offsets (ptx_jit_emitter *E, const uint64_t *offsets) {
  lcu_buf *table = &E->table;
  uint32_t at;
  for (size_t k = 0; k < E->offsets.len; k += sizeof at) {
    memcpy(&at, E->offsets.data + k, sizeof at);
    if (memcmp(table->data + at, offsets, OFFSETS_BYTES) == 0) return at;
  }
  if (table->len == 0) lcu_buf_add(table, &(uint64_t){ 0 }, sizeof(uint64_t));
  at = (uint32_t)table->len;
  lcu_buf_add(table, offsets, OFFSETS_BYTES);
  if (!table->failed) lcu_buf_add(&E->offsets, &at, sizeof at);
  return at;
}

void ptx_jit_exit_table (ptx_jit_emitter *E) {
  if (E->table.len == 0) return;
  lcu_buf_adds(&E->out, "declare void @ptx_jit_keep(ptr, ptr, ptr, ptr, i32) #1\n"
                        "attributes #1 = { cold nounwind }\n");
  lcu_buf_addf(&E->out, "@kept = internal constant [%zu x i64] [", E->table.len / sizeof(uint64_t));
  for (size_t at = 0; at < E->table.len; at += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, E->table.data + at, sizeof word);
    lcu_buf_addf(&E->out, "%si64 %lld", at == 0 ? "" : ", ", (long long)word);
  }
  lcu_buf_adds(&E->out, "]\n");
}

/* ---- one exit */

/* Where variables are put down: in the register file if all lanes are on, else in the frame. */
static const char *place_of (const ptx_jit_emitter *E) { return E->full ? "%rf" : "%kept"; }

static uint32_t pointer_to (ptx_jit_emitter *E, uint32_t at) {
  uint32_t p = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %s, i64 %u\n", p, place_of(E), at);
  return p;
}

static void put_parts (ptx_jit_emitter *E, uint32_t var, uint32_t at) {
  uint32_t bytes = E->f->vars[var].bytes, part = PTX_JIT_PART_LANES * bytes;
  for (uint32_t p = 0; p < PTX_JIT_PARTS; p++) {
    uint32_t to = pointer_to(E, at + p * part), value = ptx_jit_part(E, var, p);
    lcu_buf_addf(&E->out, "  store <%u x %s> %%t%u, ptr %%t%u, align %u\n",
                 (uint32_t)PTX_JIT_PART_LANES, ptx_jit_int(bytes), value, to, part);
  }
}

static void put_lanes (ptx_jit_emitter *E, uint32_t var, uint32_t at) {
  const char *type = ptx_jit_int(E->f->vars[var].bytes);
  uint32_t to = pointer_to(E, at), value = ptx_jit_load_variable(E, var);
  lcu_buf_addf(&E->out, "  store <32 x %s> %%t%u, ptr %%t%u, align 64\n", type, value, to);
}

static void put_bases (ptx_jit_emitter *E, const ptx_value *v, uint32_t var, uint32_t at) {
  uint32_t bytes = E->f->vars[var].bytes;
  for (uint32_t row = 0; row < (v->base == PTX_BASE_ROW ? 2u : 1u); row++) {
    uint32_t to = pointer_to(E, at + row * PTX_JIT_HALF * bytes),
             value = ptx_jit_load_base(E, var, row);
    lcu_buf_addf(&E->out, "  store %s %%t%u, ptr %%t%u\n", ptx_jit_int(bytes), value, to);
  }
}

static void add_to_list (ptx_jit_emitter *E, const ptx_value *v, uint32_t var, uint32_t from) {
  ptx_jit_kept k = { .slot = (uint32_t)E->f->vars[var].slot,
                     .from = from,
                     .bytes = (uint16_t)E->f->vars[var].bytes,
                     .base = PTX_BASE_LANE };
  if (v != NULL) {
    k.base = v->base;
    k.constant = v->constant;
    k.offsets = v->offsets != NULL ? find_offsets(E, v->offsets) : 0;
  }
  lcu_buf_add(&E->list, &k, sizeof k);
}

void ptx_jit_exit_variable (ptx_jit_emitter *E, uint32_t i, uint32_t var) {
  const ptx_jit_var *x = &E->f->vars[var];
  const ptx_value *v = ptx_jit_var_value(E->f, i, var);
  uint32_t at = E->full ? (uint32_t)x->slot : E->put;
  if (x->resident) return;
  if (v != NULL && v->base != PTX_BASE_CONST) put_bases(E, v, var, at);
  else if (v == NULL && E->split[var]) put_parts(E, var, at);
  else if (v == NULL) put_lanes(E, var, at);
  if (v == NULL && E->full) return;
  add_to_list(E, v, var, at);
  E->put += x->bytes * PTX_LANES;
}

void ptx_jit_exit_end (ptx_jit_emitter *E) {
  const ptx_jit_kept end = { 0 };
  uint32_t p = ptx_jit_number(E);
  if (E->list.len == 0) return;
  lcu_buf_add(&E->list, &end, sizeof end);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%w, i64 %zu\n", p,
               offsetof(ptx_warp, lanes));
  lcu_buf_addf(&E->out, "  call void @ptx_jit_keep(ptr %%rf, ptr ");
  if (E->full) lcu_buf_adds(&E->out, "null");
  else lcu_buf_addf(&E->out, "%%t%u", p);
  lcu_buf_addf(&E->out, ", ptr %s, ptr @kept, i32 %zu)\n", place_of(E), E->table.len);
  lcu_buf_add(&E->table, E->list.data, E->list.len);
  E->list.len = 0;
  E->put = 0;
}

void ptx_jit_exit_live (ptx_jit_emitter *E, uint32_t i, const uint32_t *next, uint32_t num) {
  for (uint32_t v = 0; v < E->f->num_vars; v++) {
    bool live = false;
    for (uint32_t k = 0; k < num; k++) live |= ptx_jit_has(&E->f->live, next[k], v);
    if (live && ptx_jit_has(&E->f->dirty, i, v)) ptx_jit_exit_variable(E, i, v);
  }
  ptx_jit_exit_end(E);
}

/* ---- the frame */

void ptx_jit_exit_frame (ptx_jit_emitter *E) {
  const ptx_jit_facts *f = E->f;
  uint32_t most = 0;
  for (uint32_t i = 0; !E->full && i < f->code->num_uops; i++) {
    uint32_t bytes = 0;
    for (uint32_t v = 0; v < f->num_vars; v++)
      if (!f->vars[v].resident && ptx_jit_has(&f->dirty, i, v)) bytes += f->vars[v].bytes;
    if (bytes > most) most = bytes;
  }
  if (most != 0) lcu_buf_addf(&E->out, "  %%kept = alloca [%u x i8], align 64\n", most * PTX_LANES);
}
