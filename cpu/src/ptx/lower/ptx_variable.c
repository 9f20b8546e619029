/* ptx_variable.c: storage of .global and .const variables. They get it when they are first needed,
 * since modules declare thousands that no kernel names. */
#include "ptx_module.h"

#include <string.h>

static lcu_status give_storage (ptx_module *m, ptx_variable *v) {
  if (v->address != 0) return LCU_OK;
  if (v->is_extern)
    return lcu_fail(LCU_E_NOT_FOUND, "extern variable '%s' is not defined in its module", v->name);
  if (m->num_placed == m->cap_placed) {
    uint32_t cap = m->cap_placed == 0 ? 16 : m->cap_placed * 2;
    ptx_variable **grown = lcu_realloc(m->placed, cap * sizeof *grown);
    if (grown == NULL) return lcu_no_memory("variable '%s'", v->name);
    m->placed = grown;
    m->cap_placed = cap;
  }
  void *p =
    m->host->variable_alloc(m->host->ud, v->name, v->size != 0 ? v->size : 1, v->align, v->managed);
  if (p == NULL)
    return lcu_no_memory("variable '%s' of %llu bytes", v->name, (unsigned long long)v->size);
  v->address = (uint64_t)(uintptr_t)p;
  m->placed[m->num_placed++] = v;
  return LCU_OK;
}

/* The address that `init` stands for. */
static lcu_status target_address (ptx_module *m, const ptx_init *init, uint64_t *out) {
  if (init->kind == PTX_INIT_FUNCTION) {
    *out = (uint64_t)(uintptr_t)init->function + init->bits;
    return LCU_OK;
  }
  ptx_variable *v = init->variable;
  bool stored = v->space == PTX_GLOBAL || v->space == PTX_CONST;
  if (stored) LCU_TRY(give_storage(m, v));
  *out = (stored ? v->address : v->offset) + init->bits;
  return LCU_OK;
}

static lcu_status write_values (ptx_module *m, const ptx_variable *v) {
  uint8_t *to = (uint8_t *)(uintptr_t)v->address;
  for (const ptx_init *i = v->init; i != NULL; i = i->next) {
    uint64_t address;
    if (i->kind == PTX_INIT_BITS) {
      memcpy(to, i->data, i->size);
      continue;
    }
    LCU_TRY(target_address(m, i, &address));
    address = i->shift < 64 ? address >> i->shift : 0;
    for (uint32_t k = 0; k < i->size && k < 8; k++)
      to[i->offset + k] = (uint8_t)(address >> (8 * k));
  }
  return LCU_OK;
}

static void take_back (ptx_module *m, uint32_t from) {
  while (m->num_placed > from) {
    ptx_variable *v = m->placed[--m->num_placed];
    m->host->variable_free(m->host->ud, (void *)(uintptr_t)v->address);
    v->address = 0;
  }
}

/* Initializing one variable may give storage to others, which follow it in `placed` and are
 * initialized next. */
lcu_status ptx_variable_place (ptx_module *m, ptx_variable *v) {
  uint32_t from = m->num_placed;
  lcu_status status = give_storage(m, v);
  for (uint32_t k = from; k < m->num_placed && status == LCU_OK; k++)
    status = write_values(m, m->placed[k]);
  if (status != LCU_OK) take_back(m, from);
  return status;
}

void ptx_variables_free (ptx_module *m) {
  take_back(m, 0);
  lcu_free(m->placed);
  m->placed = NULL;
  m->cap_placed = 0;
}
