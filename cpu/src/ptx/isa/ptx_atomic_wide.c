/* ptx_atomic_wide.c: atom.exch.b128 and atom.cas.b128 (9.7.13.5), lane by lane. Memory of all kinds
 * is changed in the same way, but local memory, which is interleaved. */
#include "ptx_atomic_wide.h"

#include "ptx_handlers.h"
#include "ptx_lanes.h"
#include "ptx_match.h"
#include "ptx_memory.h"

enum { BYTES = 16 };

/* Registers of 128 bits: the lower halves of all lanes, then the upper ones. */
static ptx_wide wide_of (const uint8_t *rf, int32_t slot, uint32_t lane) {
  const S_u64 *words = PTX_SLOT(u64, rf, slot);
  return (ptx_wide){ words[lane], words[PTX_LANES + lane] };
}
static void wide_put (uint8_t *rf, int32_t slot, uint32_t lane, ptx_wide v) {
  S_u64 *words = PTX_SLOT(u64, rf, slot);
  words[lane] = v.low;
  words[PTX_LANES + lane] = v.high;
}

/* b: the new value of exch, the expected one of cas, whose new value is c. Returns the old one. */
static ptx_wide change_wide (uint8_t *p, bool cas, ptx_wide b, ptx_wide c) {
  ptx_wide old = cas ? b : (ptx_wide){ 0, 0 };
  if (cas) {
    (void)ptx_wide_swap(p, &old, c);
    return old;
  }
  while (!ptx_wide_swap(p, &old, b)) continue;
  return old;
}

/* Through a copy. */
static bool change_local (const ptx_uop *I, ptx_warp *w, uint32_t lane, uint64_t address, bool cas,
                          ptx_wide b, ptx_wide c, ptx_wide *old) {
  _Alignas(16) uint8_t copy[BYTES];
  if (!ptx_memory_read(w, I->space, lane, address, copy, BYTES)) return false;
  *old = change_wide(copy, cas, b, c);
  return ptx_memory_write(w, I->space, lane, address, copy, BYTES);
}

static bool wide_atom_lane (const ptx_uop *I, uint8_t *rf, ptx_warp *w, uint32_t lane) {
  bool cas = (I->used_bytes & 255u) == PTX_MODE_cas;
  uint64_t address = ptx_lane_address(I, rf, w, lane);
  ptx_wide old, b = wide_of(rf, I->b, lane), c = cas ? wide_of(rf, I->c, lane) : b;
  uint8_t *p = ptx_memory_at(w, I->space, lane, address, BYTES, true);
  if (p == NULL) return false;
  if (I->space != PTX_GENERIC || !ptx_in_window(address, ptx_window_local))
    old = change_wide(p, cas, b, c);
  else if (!change_local(I, w, lane, address, cas, b, c, &old)) return false;
  w->stored = 1;
  if (I->d >= 0) wide_put(rf, I->d, lane, old);
  return true;
}

const ptx_uop *ptx_handle_atom_b128 (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask)
  if (!wide_atom_lane(I, rf, w, l)) return ptx_leave(w, PTX_EV_FAULT, I);
  return I + 1;
}
