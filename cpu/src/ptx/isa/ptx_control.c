/* ptx_control.c: operations that the executor carries out: these handlers leave the inner loop with
 * the event (9.7.12, 9.7.13). */
#include <stdatomic.h>

#include "ptx_exchange.h"
#include "ptx_handlers.h"
#include "ptx_match.h"

#define LEAVES(name, event) \
  const ptx_uop *ptx_handle_##name(const ptx_uop *I, uint8_t *rf, ptx_warp *w) { \
    (void)rf; \
    return ptx_leave(w, event, I); \
  }

/* Carried out here when all members are in the running fragment. */
#define EXCHANGES(name) \
  const ptx_uop *ptx_handle_##name(const ptx_uop *I, uint8_t *rf, ptx_warp *w) { \
    return ptx_exchange_any(I, rf, w); \
  }

LEAVES(ret, PTX_EV_RET)
LEAVES(exit, PTX_EV_EXIT)
LEAVES(call, PTX_EV_CALL)
LEAVES(bar_sync, PTX_EV_BARRIER)
LEAVES(bar_arrive, PTX_EV_BARRIER)
LEAVES(bar_red_popc, PTX_EV_BARRIER)
LEAVES(bar_red_and, PTX_EV_BARRIER)
LEAVES(bar_red_or, PTX_EV_BARRIER)
LEAVES(cluster_arrive, PTX_EV_BARRIER)
LEAVES(cluster_wait, PTX_EV_BARRIER)
EXCHANGES(bar_warp_sync)
EXCHANGES(match_all_b32)
EXCHANGES(match_all_b64)
EXCHANGES(redux_add)
EXCHANGES(redux_min_s32)
EXCHANGES(redux_max_s32)
EXCHANGES(redux_min_u32)
EXCHANGES(redux_max_u32)
EXCHANGES(redux_min_f32)
EXCHANGES(redux_max_f32)
EXCHANGES(redux_min_f32_nan)
EXCHANGES(redux_max_f32_nan)
EXCHANGES(redux_and)
EXCHANGES(redux_or)
EXCHANGES(redux_xor)
EXCHANGES(elect)

const ptx_uop *ptx_handle_nop (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  (void)rf;
  (void)w;
  return I + 1;
}

const ptx_uop *ptx_handle_nanosleep (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  (void)rf;
  return ptx_leave(w, PTX_EV_YIELD, I + 1);
}

const ptx_uop *ptx_handle_trap (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  (void)rf;
  w->fault = (ptx_warp_fault){ .kind = PTX_FAULT_TRAP, .lane = (uint32_t)__builtin_ctz(w->mask) };
  return ptx_leave(w, PTX_EV_FAULT, I);
}

/* imm: PTX_M_ACQUIRE, PTX_M_RELEASE, or both for a full fence. */
const ptx_uop *ptx_handle_fence (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  (void)rf;
  (void)w;
  switch (I->imm) {
    case PTX_M_ACQUIRE: atomic_thread_fence(memory_order_acquire); break;
    case PTX_M_RELEASE: atomic_thread_fence(memory_order_release); break;
    default: atomic_thread_fence(memory_order_seq_cst); break;
  }
  return I + 1;
}
