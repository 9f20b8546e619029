/* ptx_check_bounds.c: with all checks on, accesses to shared memory through the address of one
 * variable that miss this variable. All variables of a block lie side by side, so the usual check
 * cannot see that. Only addresses that the code computes from the address of a single variable are
 * judged (ptx_root). */
#include <stdio.h>

#include "ptx_check.h"
#include "ptx_exchange.h"
#include "ptx_fault.h"
#include "ptx_grid.h"
#include "ptx_memory.h"

/* Shared addresses. */
typedef struct bounds {
  uint64_t from, to;
  const ptx_variable *variable; /* NULL: dynamic shared memory */
} bounds;

static bool is_dynamic (const ptx_variable *v) { return v->is_extern || v->size == 0; }

static bounds bounds_of (const ptx_xwarp *x, const ptx_variable *v) {
  uint64_t total = x->w.total_shared, fixed = total - x->w.dynamic_shared;
  if (is_dynamic(v))
    return (bounds){ .from = PTX_SHARED_RESERVED + fixed, .to = PTX_SHARED_RESERVED + total };
  uint64_t from = PTX_SHARED_RESERVED + v->offset;
  return (bounds){ .from = from, .to = from + v->size, .variable = v };
}

/* ---- one instruction */

/* "just past the end of `x`, which has 128 bytes from 0x400 on" */
static void describe (char *out, size_t size, const bounds *b, uint64_t address) {
  char distance[48] = "just", name[200] = "the dynamic part";
  bool before = address < b->from;
  uint64_t n = before ? b->from - address : address - b->to;
  if (address < b->to && !before) snprintf(distance, sizeof distance, "partly");
  else if (n != 0) snprintf(distance, sizeof distance, "%llu bytes", (unsigned long long)n);
  if (b->variable != NULL) ptx_variable_quote(b->variable, name, sizeof name);
  snprintf(out, size, "%s %s %s, which has %llu bytes from 0x%llx on,", distance,
           before ? "before" : "past the end of", name, (unsigned long long)(b->to - b->from),
           (unsigned long long)b->from);
}

static bool report_bounds (ptx_xwarp *x, const ptx_uop *I, uint32_t lane, uint64_t address,
                           uint32_t bytes, const bounds *b) {
  char text[400];
  describe(text, sizeof text, b, address);
  ptx_fault_set(x, lane, PTX_FAULT_OUT_OF_BOUNDS, "%s", text);
  ptx_warp_fault *f = &x->w.fault;
  f->address = address;
  f->bytes = bytes;
  f->space = PTX_SHARED;
  f->variable = b->variable;
  f->write = ptx_id_access[I->id] != PTX_ACCESS_LOAD;
  return false;
}

static bool may_be_shared (const ptx_uop *I) {
  ptx_access access = (ptx_access)ptx_id_access[I->id];
  bool plain =
    access == PTX_ACCESS_LOAD || access == PTX_ACCESS_STORE || access == PTX_ACCESS_ATOMIC;
  return plain && I->size != 0 && !ptx_id_whole_warp(I->id) &&
         (I->space == PTX_SHARED || I->space == PTX_GENERIC);
}

bool ptx_check_bounds (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f) {
  if (!may_be_shared(I)) return true;
  const ptx_variable *v = ptx_root_of(x, f, I).variable;
  if (v == NULL || v->space != PTX_SHARED) return true;
  bounds b = bounds_of(x, v);
  uint32_t bytes = (uint32_t)I->size * (I->vector == 0 ? 1u : I->vector);
  uint32_t needed = (I->flags & PTX_F_WORD) != 0 ? 1 : bytes;
  for (uint32_t m = x->w.mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m);
    uint64_t at = ptx_lane_address(I, f->rf, &x->w, lane);
    if (I->space == PTX_GENERIC) at -= ptx_window_shared;
    if (at >= b.from && at + needed <= b.to) continue;
    if (at < PTX_PEER_BYTES) return report_bounds(x, I, lane, at, bytes, &b);
  }
  return true;
}
