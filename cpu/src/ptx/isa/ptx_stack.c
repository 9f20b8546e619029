/* ptx_stack.c: memory that a thread takes from its stack (9.7.17). The frames of calls grow up from
 * the start of its local memory, what alloca gives grows down from the end: see ptx_warp. */
#include <stdio.h>

#include "ptx_handlers.h"
#include "ptx_lanes.h"

static uint64_t value_of (const ptx_uop *I, const uint8_t *rf, uint32_t lane) {
  return I->size == 8 ? PTX_SLOT(u64, rf, I->a)[lane] : PTX_SLOT(u32, rf, I->a)[lane];
}

static void give_lane (const ptx_uop *I, uint8_t *rf, const ptx_warp *w, uint32_t lane) {
  if (I->size == 8) PTX_SLOT(u64, rf, I->d)[lane] = w->stack[lane];
  else PTX_SLOT(u32, rf, I->d)[lane] = w->stack[lane];
}

static bool full (ptx_warp *w, uint32_t lane, uint64_t bytes) {
  w->fault = (ptx_warp_fault){ .kind = PTX_FAULT_STACK_OVERFLOW, .lane = lane };
  snprintf(w->fault.detail, sizeof w->fault.detail,
           "alloca of %llu bytes: the stack of %u bytes per thread is full",
           (unsigned long long)bytes, w->local_bytes);
  return false;
}

/* imm: the alignment, and above it where the frame of the function ends. */
static bool take_lane (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane) {
  uint64_t bytes = value_of(I, rf, lane), align = (uint64_t)I->imm & UINT32_MAX;
  uint64_t floor = w->local_base + ((uint64_t)I->imm >> 32), top = w->stack[lane];
  if (bytes > top || ((top - bytes) & ~(align - 1)) < floor) return full(w, lane, bytes);
  w->stack[lane] = (uint32_t)((top - bytes) & ~(align - 1));
  if (w->stack[lane] < w->stack_low) w->stack_low = w->stack[lane];
  return true;
}

const ptx_uop *ptx_handle_alloca (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask) {
    if (!take_lane(I, rf, w, l)) return ptx_leave(w, PTX_EV_FAULT, I);
    give_lane(I, rf, w, l);
  }
  return I + 1;
}

const ptx_uop *ptx_handle_stacksave (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask) give_lane(I, rf, w, l);
  return I + 1;
}

const ptx_uop *ptx_handle_stackrestore (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask) {
    uint64_t to = value_of(I, rf, l);
    if (to < w->stack[l] || to > w->local_bytes) {
      w->fault = (ptx_warp_fault){ .kind = PTX_FAULT_TRAP, .lane = l };
      snprintf(w->fault.detail, sizeof w->fault.detail,
               "stackrestore of 0x%llx, which stacksave cannot have given", (unsigned long long)to);
      return ptx_leave(w, PTX_EV_FAULT, I);
    }
    w->stack[l] = (uint32_t)to;
  }
  ptx_stack_measure(w);
  return I + 1;
}
