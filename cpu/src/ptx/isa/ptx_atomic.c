/* ptx_atomic.c: atom and red (9.7.13.5, 9.7.13.7), lane by lane. Global memory is shared with other
 * workers and changed by sequentially consistent compare-and-swap; shared and local memory belong
 * to one worker. */
#include "ptx_atomic.h"

#include "ptx_atomic_value.h"
#include "ptx_handlers.h"
#include "ptx_lanes.h"
#include "ptx_memory.h"

bool ptx_atomic_known (ptx_mode mode, ptx_type t, bool red) {
  bool bits = t == PTX_B32 || t == PTX_B64,
       whole = t == PTX_U32 || t == PTX_S32 || t == PTX_U64 || t == PTX_S64;
  switch (mode) {
    case PTX_MODE_add: return whole || (t >= PTX_F16 && t <= PTX_F64);
    case PTX_MODE_min:
    case PTX_MODE_max: return whole;
    case PTX_MODE_inc:
    case PTX_MODE_dec: return t == PTX_U32;
    case PTX_MODE_exch:
      return !red && (bits || t == PTX_B128 || t == PTX_U32 || t == PTX_U64 || t == PTX_F32 ||
                      t == PTX_S32);
    case PTX_MODE_cas:
      return !red && (bits || t == PTX_B128 || t == PTX_B16 || t == PTX_U32 || t == PTX_U64 ||
                      t == PTX_S32);
    case PTX_MODE_and:
    case PTX_MODE_or:
    case PTX_MODE_xor: return bits || t == PTX_U32 || t == PTX_S32 || t == PTX_U64;
    default: return false;
  }
}

bool ptx_atomic_known_vector (ptx_mode mode, ptx_type t) {
  bool half = t == PTX_F16 || t == PTX_F16X2 || t == PTX_BF16 || t == PTX_BF16X2;
  return mode == PTX_MODE_add ? half || t == PTX_F32
                              : half && (mode == PTX_MODE_min || mode == PTX_MODE_max);
}

/* ---- storage ---- */

#define SWAP(BITS) \
  static uint64_t swap_##BITS(uint8_t *p, ptx_mode mode, ptx_type t, uint64_t b, uint64_t c) { \
    S_atomic_##BITS *at = (S_atomic_##BITS *)(void *)p, \
                    old = __atomic_load_n(at, __ATOMIC_RELAXED), now; \
    do now = (uint##BITS##_t)ptx_atomic_value(mode, t, old, b, c); \
    while ( \
      !__atomic_compare_exchange_n(at, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
    return old; \
  }
typedef uint16_t PTX_ALIAS S_atomic_16;
typedef uint32_t PTX_ALIAS S_atomic_32;
typedef uint64_t PTX_ALIAS S_atomic_64;
SWAP(16)
SWAP(32)
SWAP(64)

static uint64_t swap_global (uint8_t *p, uint32_t size, ptx_mode mode, ptx_type t, uint64_t b,
                             uint64_t c) {
  switch (size) {
    case 2: return swap_16(p, mode, t, b, c);
    case 4: return swap_32(p, mode, t, b, c);
    default: return swap_64(p, mode, t, b, c);
  }
}

/* Shared memory of a cluster: one worker runs all its warps. */
static uint64_t swap_shared (uint8_t *p, uint32_t size, ptx_mode mode, ptx_type t, uint64_t b,
                             uint64_t c) {
  uint64_t old, now;
  switch (size) {
    case 2:
      old = *(S_atomic_16 *)(void *)p;
      now = ptx_atomic_value(mode, t, old, b, c);
      *(S_atomic_16 *)(void *)p = (uint16_t)now;
      break;
    case 4:
      old = *(S_atomic_32 *)(void *)p;
      now = ptx_atomic_value(mode, t, old, b, c);
      *(S_atomic_32 *)(void *)p = (uint32_t)now;
      break;
    default:
      old = *(S_atomic_64 *)(void *)p;
      now = ptx_atomic_value(mode, t, old, b, c);
      *(S_atomic_64 *)(void *)p = now;
      break;
  }
  return old;
}

void ptx_atomic_change (uint8_t *p, bool shared, uint32_t size, ptx_mode mode, ptx_type type,
                        uint64_t value) {
  if (shared) swap_shared(p, size, mode, type, value, 0);
  else swap_global(p, size, mode, type, value, 0);
}

/* Local memory is interleaved by words. */
static bool swap_local (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, uint32_t size,
                        ptx_mode mode, ptx_type t, uint64_t b, uint64_t c, uint64_t *old) {
  *old = 0;
  if (!ptx_memory_read(w, space, lane, address, old, size)) return false;
  uint64_t now = ptx_atomic_value(mode, t, *old, b, c);
  return ptx_memory_write(w, space, lane, address, &now, size);
}

/* ---- the instruction ---- */

static uint64_t atomic_operand (const uint8_t *rf, int32_t slot, uint32_t lane, uint32_t size) {
  if (size == 8) return PTX_SLOT(u64, rf, slot)[lane];
  uint32_t v = PTX_SLOT(u32, rf, slot)[lane];
  return size == 2 ? (uint16_t)v : v;
}

static uint8_t space_of (uint8_t space, uint64_t address) {
  if (space == PTX_CLUSTER) return PTX_SHARED;
  if (space != PTX_GENERIC) return space;
  return ptx_in_window(address, ptx_window_shared)  ? PTX_SHARED
         : ptx_in_window(address, ptx_window_local) ? PTX_LOCAL
                                                    : PTX_GLOBAL;
}

static bool atom_lane (const ptx_uop *I, uint8_t *rf, ptx_warp *w, uint32_t lane) {
  ptx_mode mode = (ptx_mode)(I->used_bytes & 255u);
  ptx_type type = (ptx_type)(I->used_bytes >> 8);
  uint64_t address = ptx_lane_address(I, rf, w, lane), old;
  uint64_t b = atomic_operand(rf, I->b, lane, I->size), c = atomic_operand(rf, I->c, lane, I->size);
  uint8_t *p = ptx_memory_atomic(w, I, lane, address);
  if (p == NULL) return false;
  uint8_t space = space_of(I->space, address);
  if (space == PTX_SHARED) old = swap_shared(p, I->size, mode, type, b, c);
  else if (space == PTX_GLOBAL) old = swap_global(p, I->size, mode, type, b, c);
  else if (!swap_local(w, I->space, lane, address, I->size, mode, type, b, c, &old)) return false;
  if (ptx_atomic_value(mode, type, old, b, c) != old) w->stored = 1;
  if (I->d < 0) return true;
  if (I->size == 8) PTX_SLOT(u64, rf, I->d)[lane] = old;
  else PTX_SLOT(u32, rf, I->d)[lane] = (uint32_t)old;
  return true;
}

const ptx_uop *ptx_handle_atom (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask)
  if (!atom_lane(I, rf, w, l)) return ptx_leave(w, PTX_EV_FAULT, I);
  return I + 1;
}
