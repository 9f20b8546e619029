/* ptx_layout.c: who names what: references of functions, reachability, places in shared memory. */
#include "ptx_module.h"
#include "ptx_sreg.h"

#include <stdlib.h>
#include <string.h>

static lcu_status no_memory (void) {
  return lcu_fail(LCU_E_NOMEM, "no memory to lay out a PTX module");
}


/* References. A stamp on functions and variables says that they were listed already. */

typedef struct collector {
  lcu_buf functions, variables;
  uint32_t stamp;
  bool indirect, reserved, workspace;
} collector;

static void add_function (collector *c, ptx_function *f) {
  if (f == NULL || f->stamp == c->stamp) return;
  f->stamp = c->stamp;
  lcu_buf_add(&c->functions, &f, sizeof f);
}

static void add_variable (collector *c, ptx_variable *v) {
  if (v == NULL || v->stamp == c->stamp ||
      (v->space != PTX_GLOBAL && v->space != PTX_CONST && v->space != PTX_SHARED))
    return;
  v->stamp = c->stamp;
  lcu_buf_add(&c->variables, &v, sizeof v);
}

static bool is_reserved (int sreg) {
  return sreg >= PTX_SREG_RESERVED_SMEM_BEGIN && sreg <= PTX_SREG_RESERVED_SMEM_1;
}

static bool is_workspace (int sreg) { return sreg == PTX_SREG_ENVREG1 || sreg == PTX_SREG_ENVREG2; }

static void add_operand (collector *c, const ptx_operand *o) {
  if (o->kind == PTX_O_FUNCTION) add_function(c, o->function);
  if (o->kind == PTX_O_VARIABLE || o->kind == PTX_O_ADDRESS) add_variable(c, o->variable);
  if (o->kind == PTX_O_SREG)
    c->reserved |= is_reserved(o->sreg), c->workspace |= is_workspace(o->sreg);
  for (uint32_t k = 0; k < o->num_items; k++) add_operand(c, &o->items[k]);
}

static void add_inst (collector *c, const ptx_inst *inst) {
  for (uint32_t k = 0; k < inst->num_operands; k++) add_operand(c, &inst->operands[k]);
  if (strcmp(inst->parts[0], "call") == 0 && inst->operands[1].kind == PTX_O_REG)
    c->indirect = true;
}

static lcu_status collect (ptx_module *m, ptx_function *f, collector *c) {
  for (const ptx_inst *inst = f->body; inst != NULL; inst = inst->next) add_inst(c, inst);
  ptx_refs *r = lcu_arena_alloc(&m->ast.arena, sizeof *r);
  char *lists = lcu_arena_alloc(&m->ast.arena, c->functions.len + c->variables.len + 1);
  if (r == NULL || lists == NULL || c->functions.failed || c->variables.failed) return no_memory();
  if (c->functions.len != 0) memcpy(lists, c->functions.data, c->functions.len);
  if (c->variables.len != 0) memcpy(lists + c->functions.len, c->variables.data, c->variables.len);
  *r = (ptx_refs){ .functions = (ptx_function **)(void *)lists,
                   .num_functions = (uint32_t)(c->functions.len / sizeof(void *)),
                   .variables = (ptx_variable **)(void *)(lists + c->functions.len),
                   .num_variables = (uint32_t)(c->variables.len / sizeof(void *)),
                   .indirect = c->indirect,
                   .reserved = c->reserved,
                   .workspace = c->workspace };
  f->refs = r;
  return LCU_OK;
}

lcu_status ptx_refs_collect (ptx_module *m) {
  collector c = { 0 };
  lcu_status status = LCU_OK;
  for (ptx_function *f = m->ast.functions; f != NULL && status == LCU_OK; f = f->next) {
    c.functions.len = c.variables.len = 0;
    c.indirect = c.reserved = c.workspace = false;
    c.stamp++;
    status = collect(m, f, &c);
  }
  for (ptx_function *f = m->ast.functions; f != NULL; f = f->next) f->stamp = 0;
  lcu_buf_free(&c.functions);
  lcu_buf_free(&c.variables);
  return status;
}


/* Reachability: a work list that is its own result. */

static bool add_reached (lcu_buf *list, ptx_function *f) {
  if (f->stamp != 0) return false;
  f->stamp = 1;
  lcu_buf_add(list, &f, sizeof f);
  return f->refs->indirect;
}

static ptx_function *reached_at (const lcu_buf *list, uint32_t k) {
  ptx_function *f;
  memcpy(&f, list->data + k * sizeof f, sizeof f);
  return f;
}

static uint32_t count (const lcu_buf *list) {
  return (uint32_t)(list->len / sizeof(ptx_function *));
}

static bool follow (lcu_buf *list, uint32_t from) {
  bool indirect = false;
  for (uint32_t k = from; k < count(list); k++) {
    const ptx_refs *r = reached_at(list, k)->refs;
    for (uint32_t n = 0; n < r->num_functions; n++) indirect |= add_reached(list, r->functions[n]);
  }
  return indirect;
}

lcu_status ptx_refs_reach (ptx_module *m, ptx_function *entry, ptx_function ***out,
                           uint32_t *num_direct, uint32_t *num) {
  lcu_buf list = { 0 };
  bool indirect = add_reached(&list, entry);
  indirect |= follow(&list, 0);
  *num_direct = count(&list);
  if (indirect)
    for (uint32_t k = 0; k < m->num_taken; k++) add_reached(&list, m->taken[k]);
  follow(&list, *num_direct);
  *num = count(&list);
  for (uint32_t k = 0; k < *num; k++) reached_at(&list, k)->stamp = 0;
  if (list.failed) {
    for (ptx_function *f = m->ast.functions; f != NULL; f = f->next) f->stamp = 0;
    lcu_buf_free(&list);
    return no_memory();
  }
  *out = (ptx_function **)(void *)list.data;
  return LCU_OK;
}


/* Shared memory. A kernel pays for the variables it reaches only, yet a variable has one offset for
 * all kernels that reach it: so each goes to the lowest place that is free in every one of them. */

typedef struct kernel_vars {
  ptx_function *entry;
  ptx_variable **variables;
  uint32_t num; /* .shared ones it reaches */
  /* extern ones named outside the entry's own code */
  ptx_variable **dynamic;
  uint32_t num_dynamic;
  bool uses_dynamic;
  uint32_t align; /* of the dynamic ones */
} kernel_vars;

typedef struct shared_layout {
  kernel_vars *kernels;
  uint32_t num;
} shared_layout;

static bool is_dynamic (const ptx_variable *v) {
  return v->space == PTX_SHARED && (v->is_extern || v->size == 0);
}

static void add_shared (kernel_vars *k, collector *c, const ptx_function *f, lcu_buf *dynamic) {
  for (uint32_t n = 0; n < f->refs->num_variables; n++) {
    ptx_variable *v = f->refs->variables[n];
    if (v->space != PTX_SHARED) continue;
    if (!is_dynamic(v)) {
      add_variable(c, v);
      continue;
    }
    k->uses_dynamic = true;
    if (v->align > k->align) k->align = v->align;
    if (f != k->entry) lcu_buf_add(dynamic, &v, sizeof v);
  }
}

static lcu_status gather_kernel (ptx_module *m, kernel_vars *k, uint32_t stamp) {
  collector c = { .stamp = stamp };
  lcu_buf dynamic = { 0 };
  ptx_function **list;
  uint32_t direct, num;
  k->align = 16;
  LCU_TRY(ptx_refs_reach(m, k->entry, &list, &direct, &num));
  for (uint32_t n = 0; n < num; n++) add_shared(k, &c, list[n], &dynamic);
  lcu_free(list);
  k->variables = (ptx_variable **)(void *)c.variables.data;
  k->num = (uint32_t)(c.variables.len / sizeof(void *));
  k->dynamic = (ptx_variable **)(void *)dynamic.data;
  k->num_dynamic = (uint32_t)(dynamic.len / sizeof(void *));
  return c.variables.failed || dynamic.failed ? no_memory() : LCU_OK;
}

typedef struct taken {
  uint64_t start, end;
} taken;

static int by_start (const void *a, const void *b) {
  const taken *x = a, *y = b;
  return x->start < y->start ? -1 : x->start > y->start;
}

static bool kernel_has (const kernel_vars *k, const ptx_variable *v) {
  for (uint32_t n = 0; n < k->num; n++)
    if (k->variables[n] == v) return true;
  return false;
}

static const uint32_t PLACED = UINT32_MAX; /* stamp of a variable that has its offset */

/* Everything that is in one kernel with v and has its place. */
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
  if (num != 0) qsort(list.data, num, sizeof *t, by_start);
  for (size_t k = 0; k < num && t[k].start < at + v->size; k++)
    if (t[k].end > at) at = (t[k].end + v->align - 1) / v->align * v->align;
  v->offset = at;
  v->stamp = PLACED;
  lcu_buf_free(&list);
  return !list.failed;
}

static lcu_status measure (const kernel_vars *k) {
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

/* A dynamic array named by a function that several kernels call has one offset: their static parts
 * are made equal. */
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
      if (v->stamp != PLACED && !place_shared(l, v)) return no_memory();
    }
  for (uint32_t k = 0; k < l->num; k++) LCU_TRY(measure(&l->kernels[k]));
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
  if (l.kernels == NULL) return no_memory();
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
