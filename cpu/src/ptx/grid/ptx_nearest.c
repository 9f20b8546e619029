/* ptx_nearest.c: the allocation that an access to device memory is about. An access that is outside
 * of all is about
 * - that of the parameter or variable from which its address was computed, if that is known;
 * - or the nearest one that the launch got as an argument, if it is no farther away than its size;
 * - or the nearest of all, if that is no farther away than its size or NEAR_BYTES. */

#include <string.h>

#include "ptx_grid.h"
#include "ptx_module.h"
#include "ptx_fault.h"

enum { NEAR_BYTES = 1 << 20 };

static uint64_t distance (const ptx_range *r, uint64_t address) {
  return address < r->base             ? r->base - address
         : address - r->base < r->size ? 0
                                       : address - r->base - r->size;
}

static bool holds (const ptx_range *r, uint64_t address) { return address - r->base < r->size; }

/* The live allocation that contains the address. */
static bool find_live (const ptx_grid *g, uint64_t address, ptx_range *out) {
  return address != 0 && g->host->find(g->host->ud, address, out) && out->live &&
         holds(out, address);
}

static uint64_t parameter (const ptx_grid *g, uint32_t offset) {
  uint64_t value = 0;
  const uint8_t *params = g->launch->params;
  if (params != NULL && offset + sizeof value <= g->launch->kernel->info.param_bytes)
    memcpy(&value, params + offset, sizeof value);
  return value;
}

static bool find_root (const ptx_xwarp *x, const ptx_frame *frame, ptx_range *out) {
  const ptx_grid *g = x->cta->grid;
  if (frame == NULL || x->w.at == NULL) return false;
  ptx_root r = ptx_root_of(x, frame, x->w.at);
  if (r.kind == PTX_ROOT_PARAM) return find_live(g, parameter(g, r.param), out);
  return r.kind == PTX_ROOT_VARIABLE && find_live(g, r.variable->address, out);
}

static bool find_argument (const ptx_grid *g, uint64_t address, ptx_range *out) {
  ptx_range r;
  bool found = false;
  for (uint32_t k = 0; k + 8 <= g->launch->kernel->info.param_bytes; k += 8) {
    if (!find_live(g, parameter(g, k), &r) || distance(&r, address) > r.size) continue;
    if (found && distance(&r, address) >= distance(out, address)) continue;
    *out = r;
    found = true;
  }
  return found;
}

static bool is_near (const ptx_range *r, uint64_t address) {
  return distance(r, address) <= (r->size > NEAR_BYTES ? r->size : NEAR_BYTES);
}

void ptx_nearest_find (const ptx_xwarp *x, const ptx_frame *frame, ptx_fault *f) {
  const ptx_grid *g = x->cta->grid;
  ptx_range nearest, other;
  bool global = ptx_words_global(f) && f->kind != PTX_FAULT_NULL_POINTER;
  if (!global || g->host->find == NULL || !g->host->find(g->host->ud, f->address, &nearest)) return;
  bool outside = !holds(&nearest, f->address) || f->kind == PTX_FAULT_OVERFLOW;
  if (outside && (find_root(x, frame, &other) || find_argument(g, f->address, &other)))
    f->nearest = other;
  else if (is_near(&nearest, f->address)) f->nearest = nearest;
}
