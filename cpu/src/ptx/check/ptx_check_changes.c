/* ptx_check_changes.c: with all checks on, the allocations that a grid may change: those that its
 * stores and atomics name (ptx_root). Blocks that run compiled code need not compare reads of
 * others. A store that goes beyond its allocation into another one goes unnoticed there. */
#include "ptx_check.h"
#include "ptx_fault.h"
#include "ptx_grid.h"
#include "ptx_module.h"

#include <string.h>

static void add_allocation (ptx_grid *g, uint64_t address) {
  ptx_changes *c = &g->changes;
  ptx_range r;
  if (!g->host->find(g->host->ud, address, &r)) return;
  for (uint32_t k = 0; k < c->num; k++)
    if (c->bases[k] == r.base) return;
  if (c->num == PTX_MOST_CHANGES) c->all = true;
  else c->bases[c->num++] = r.base;
}

static uint64_t parameter_at (const ptx_grid *g, uint32_t offset) {
  uint64_t value = 0;
  if (offset + sizeof value <= g->launch->kernel->info.param_bytes)
    memcpy(&value, (const uint8_t *)g->launch->params + offset, sizeof value);
  return value;
}

/* What a store or atomic changes. */
static void add_root (ptx_grid *g, ptx_root r) {
  bool global = r.kind == PTX_ROOT_VARIABLE &&
                (r.variable->space == PTX_GLOBAL || r.variable->space == PTX_CONST);
  if (r.kind == PTX_ROOT_PARAM) add_allocation(g, parameter_at(g, r.param));
  else if (global) add_allocation(g, r.variable->address);
  else if (r.kind != PTX_ROOT_VARIABLE) g->changes.all = true;
}

static bool may_change_global (const ptx_uop *I) {
  ptx_access access = (ptx_access)ptx_id_access[I->id];
  return access != PTX_ACCESS_NONE && access != PTX_ACCESS_LOAD &&
         (I->space == PTX_GLOBAL || I->space == PTX_GENERIC);
}

void ptx_find_changes (ptx_grid *g) {
  const ptx_code *code = g->code;
  g->changes = (ptx_changes){ .all = code->calls || g->host->find == NULL };
  for (uint32_t i = 0; i < code->num_uops && !g->changes.all; i++)
    if (may_change_global(&code->uops[i]))
      add_root(g, ptx_root_at(code, g->blocks, &code->uops[i]));
}
