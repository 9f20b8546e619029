/* ptx_refs.c: what the code of a function names, and what a kernel can reach. */
#include "ptx_refs.h"

#include "ptx_module.h"
#include "ptx_sreg.h"

#include <stdlib.h>
#include <string.h>


/* References. The stamp of a function or variable shows that it is listed already. */

typedef struct collector {
  lcu_buf functions, variables;
  uint32_t stamp;
  bool indirect, reserved, workspace;
} collector;

static void collect_function (collector *c, ptx_function *f) {
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
  if (o->kind == PTX_O_FUNCTION) collect_function(c, o->function);
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

/* A function has all shared memory that it declares, even if its code does not name it. */
static void add_shared (collector *c, const ptx_function *f) {
  for (ptx_variable *v = f->locals; v != NULL; v = v->next)
    if (v->space == PTX_SHARED && !v->is_extern) add_variable(c, v);
}

static lcu_status collect (ptx_module *m, ptx_function *f, collector *c) {
  add_shared(c, f);
  for (const ptx_inst *inst = f->body; inst != NULL; inst = inst->next) add_inst(c, inst);
  ptx_refs *r = lcu_arena_alloc(&m->ast.arena, sizeof *r);
  char *lists = lcu_arena_alloc(&m->ast.arena, c->functions.len + c->variables.len + 1);
  if (r == NULL || lists == NULL || c->functions.failed || c->variables.failed)
    return lcu_no_memory("a PTX module");
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

static int by_address (const void *a, const void *b) {
  uintptr_t x = (uintptr_t)*(ptx_function *const *)a, y = (uintptr_t)*(ptx_function *const *)b;
  return x < y ? -1 : x > y;
}

static lcu_status list_taken (ptx_module *m) {
  uint32_t n = 0;
  for (const ptx_function *f = m->ast.functions; f != NULL; f = f->next) n += f->address_taken;
  m->taken = lcu_arena_alloc(&m->ast.arena, n * sizeof *m->taken);
  if (m->taken == NULL) return lcu_no_memory("a PTX module");
  for (ptx_function *f = m->ast.functions; f != NULL; f = f->next)
    if (f->address_taken) m->taken[m->num_taken++] = f;
  if (n != 0) qsort(m->taken, n, sizeof *m->taken, by_address);
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
  return status == LCU_OK ? list_taken(m) : status;
}

ptx_function *ptx_refs_function_at (const ptx_module *m, uint64_t address) {
  ptx_function *key = (ptx_function *)(uintptr_t)address;
  ptx_function **found =
    m->num_taken != 0 ? bsearch(&key, m->taken, m->num_taken, sizeof key, by_address) : NULL;
  return found != NULL ? *found : NULL;
}


/* Reachability: the work list becomes the result. */

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

static bool follow_calls (lcu_buf *list, uint32_t from) {
  bool indirect = false;
  for (uint32_t k = from; k < count(list); k++) {
    const ptx_refs *r = reached_at(list, k)->refs;
    /* a kernel is not called but launched: what names it does not run its code */
    for (uint32_t n = 0; n < r->num_functions; n++)
      if (!r->functions[n]->is_entry) indirect |= add_reached(list, r->functions[n]);
  }
  return indirect;
}

lcu_status ptx_refs_reach (ptx_module *m, ptx_function *entry, ptx_function ***out,
                           uint32_t *num_direct, uint32_t *num) {
  lcu_buf list = { 0 };
  bool indirect = add_reached(&list, entry);
  indirect |= follow_calls(&list, 0);
  *num_direct = count(&list);
  if (indirect)
    for (uint32_t k = 0; k < m->num_taken; k++)
      if (!m->taken[k]->is_entry) add_reached(&list, m->taken[k]);
  follow_calls(&list, *num_direct);
  *num = count(&list);
  for (uint32_t k = 0; k < *num; k++) reached_at(&list, k)->stamp = 0;
  if (list.failed) {
    for (ptx_function *f = m->ast.functions; f != NULL; f = f->next) f->stamp = 0;
    lcu_buf_free(&list);
    return lcu_no_memory("a PTX module");
  }
  *out = (ptx_function **)(void *)list.data;
  return LCU_OK;
}
