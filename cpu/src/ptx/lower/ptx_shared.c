/* ptx_shared.c: offsets in shared memory.
 *
 * A kernel pays only for the variables it reaches, yet a variable has one offset for all kernels
 * that reach it: so each goes to the lowest place that is free in every one of them. */
#include "ptx_module.h"
#include "ptx_refs.h"

#include <stdlib.h>
#include <string.h>

typedef struct kernel_vars {
  ptx_function *entry;
  ptx_variable **variables;
  uint32_t num; /* static .shared variables that it reaches */
  /* extern variables named outside the entry's own code */
  ptx_variable **dynamic;
  uint32_t num_dynamic;
  bool uses_dynamic;
  uint32_t align; /* of the dynamic variables */
} kernel_vars;

typedef struct shared_layout {
  kernel_vars *kernels;
  uint32_t num;
} shared_layout;

static bool is_dynamic (const ptx_variable *v) {
  return v->space == PTX_SHARED && (v->is_extern || v->size == 0);
}

/* ---- the variables of each kernel */

typedef struct gatherer {
  kernel_vars *kernel;
  uint32_t stamp; /* variables that have it are listed already */
  lcu_buf fixed, dynamic;
} gatherer;

static void add_fixed (gatherer *g, ptx_variable *v) {
  if (v->stamp == g->stamp) return;
  v->stamp = g->stamp;
  lcu_buf_add(&g->fixed, &v, sizeof v);
}

static void add_dynamic (gatherer *g, const ptx_function *f, ptx_variable *v) {
  g->kernel->uses_dynamic = true;
  if (v->align > g->kernel->align) g->kernel->align = v->align;
  if (f != g->kernel->entry) lcu_buf_add(&g->dynamic, &v, sizeof v);
}

static void gather_function (gatherer *g, const ptx_function *f) {
  for (uint32_t n = 0; n < f->refs->num_variables; n++) {
    ptx_variable *v = f->refs->variables[n];
    if (v->space != PTX_SHARED) continue;
    if (is_dynamic(v)) add_dynamic(g, f, v);
    else add_fixed(g, v);
  }
}

static lcu_status gather_kernel (ptx_module *m, kernel_vars *k, uint32_t stamp) {
  gatherer g = { .kernel = k, .stamp = stamp };
  ptx_function **list;
  uint32_t direct, num;
  k->align = 16;
  LCU_TRY(ptx_refs_reach(m, k->entry, &list, &direct, &num));
  for (uint32_t n = 0; n < num; n++) gather_function(&g, list[n]);
  lcu_free(list);
  k->variables = (ptx_variable **)(void *)g.fixed.data;
  k->num = (uint32_t)(g.fixed.len / sizeof(void *));
  k->dynamic = (ptx_variable **)(void *)g.dynamic.data;
  k->num_dynamic = (uint32_t)(g.dynamic.len / sizeof(void *));
  return g.fixed.failed || g.dynamic.failed ? lcu_no_memory("a PTX module") : LCU_OK;
}

/* ---- places */

typedef struct taken {
  uint64_t start, end;
} taken;

static int by_offset (const void *a, const void *b) {
  const taken *x = a, *y = b;
  return x->start < y->start ? -1 : x->start > y->start;
}

static bool kernel_has (const kernel_vars *k, const ptx_variable *v) {
  for (uint32_t n = 0; n < k->num; n++)
    if (k->variables[n] == v) return true;
  return false;
}

/* Stamp of a variable that has its offset. */
static const uint32_t PLACED = UINT32_MAX;

/* Collects the placed variables that share a kernel with v. */
static void gather_taken (const shared_layout *l, const ptx_variable *v, lcu_buf *out) {
  for (uint32_t k = 0; k < l->num; k++) {
    if (!kernel_has(&l->kernels[k], v)) continue;
    for (uint32_t n = 0; n < l->kernels[k].num; n++) {
      const ptx_variable *other = l->kernels[k].variables[n];
      taken t = { other->offset, other->offset + other->size };
      if (other->stamp == PLACED) lcu_buf_add(out, &t, sizeof t);
    }
  }
}

static bool place_shared (const shared_layout *l, ptx_variable *v) {
  lcu_buf list = { 0 };
  uint64_t at = 0;
  gather_taken(l, v, &list);
  const taken *t = (const taken *)(void *)list.data;
  size_t num = list.len / sizeof *t;
  if (num != 0) qsort(list.data, num, sizeof *t, by_offset);
  for (size_t k = 0; k < num && t[k].start < at + v->size; k++)
    if (t[k].end > at) at = (t[k].end + v->align - 1) / v->align * v->align;
  v->offset = at;
  v->stamp = PLACED;
  lcu_buf_free(&list);
  return !list.failed;
}

static lcu_status measure_variables (const kernel_vars *k) {
  uint64_t end = 0;
  for (uint32_t n = 0; n < k->num; n++)
    if (k->variables[n]->offset + k->variables[n]->size > end)
      end = k->variables[n]->offset + k->variables[n]->size;
  if (k->uses_dynamic) end = (end + k->align - 1) / k->align * k->align;
  if (end > UINT32_MAX / 2)
    return lcu_fail(LCU_E_SYNTAX, "shared memory of kernel '%s' is too large", k->entry->name);
  k->entry->shared_bytes = (uint32_t)end;
  return LCU_OK;
}

/* A dynamic array named by a function that several kernels call has one offset, so the static parts
 * of these kernels are made equal. */
static void align_dynamic (const shared_layout *l) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t k = 0; k < l->num; k++)
      for (uint32_t n = 0; n < l->kernels[k].num_dynamic; n++) {
        ptx_variable *v = l->kernels[k].dynamic[n];
        uint32_t *bytes = &l->kernels[k].entry->shared_bytes;
        if (v->offset == *bytes) continue;
        if (v->offset > *bytes) *bytes = (uint32_t)v->offset;
        else v->offset = *bytes;
        changed = true;
      }
  }
}

static lcu_status lay_out (const shared_layout *l) {
  for (uint32_t k = 0; k < l->num; k++)
    for (uint32_t n = 0; n < l->kernels[k].num; n++) {
      ptx_variable *v = l->kernels[k].variables[n];
      if (v->stamp != PLACED && !place_shared(l, v)) return lcu_no_memory("a PTX module");
    }
  for (uint32_t k = 0; k < l->num; k++) LCU_TRY(measure_variables(&l->kernels[k]));
  align_dynamic(l);
  return LCU_OK;
}

static bool has_shared (const ptx_module *m) {
  for (const ptx_function *f = m->ast.functions; f != NULL; f = f->next)
    for (uint32_t n = 0; n < f->refs->num_variables; n++)
      if (f->refs->variables[n]->space == PTX_SHARED) return true;
  return false;
}

lcu_status ptx_shared_place (ptx_module *m) {
  shared_layout l = { .num = m->num_kernels };
  lcu_status status = LCU_OK;
  if (!has_shared(m)) return LCU_OK;
  l.kernels = lcu_calloc(l.num, sizeof *l.kernels);
  if (l.kernels == NULL) return lcu_no_memory("a PTX module");
  for (uint32_t k = 0; k < l.num && status == LCU_OK; k++) {
    l.kernels[k].entry = m->kernels[k].function;
    status = gather_kernel(m, &l.kernels[k], UINT32_MAX - 1 - k);
  }
  if (status == LCU_OK) status = lay_out(&l);
  for (uint32_t k = 0; k < l.num; k++) {
    lcu_free(l.kernels[k].variables);
    lcu_free(l.kernels[k].dynamic);
  }
  lcu_free(l.kernels);
  return status;
}

void ptx_shared_place_dynamic (const ptx_function *entry) {
  for (uint32_t n = 0; n < entry->refs->num_variables; n++)
    if (is_dynamic(entry->refs->variables[n]))
      entry->refs->variables[n]->offset = entry->shared_bytes;
}
