/* ptx_jit_kept.c: a function of the host that compiled code calls at exits. */
#include "ptx_jit_kept.h"

#include <string.h>

#include "ptx_shape.h"
#include "ptx_uop.h"

enum { LANES_OF_ROW = PTX_LANES / 2 };

/* The lanes of one variable, then those that are on to its slot. */
#define KEEP(name, word) \
  static void name##_lanes(const ptx_jit_kept *k, const uint8_t *from, const uint8_t *table, \
                           word out[PTX_LANES]) { \
    uint64_t offsets[PTX_LANES] = { 0 }; \
    word base[2] = { (word)k->constant, (word)k->constant }; \
    if (k->base == PTX_BASE_LANE) { \
      memcpy(out, from, PTX_LANES * sizeof *out); \
      return; \
    } \
    if (k->base != PTX_BASE_CONST) { \
      memcpy(&base[0], from, sizeof(word)); \
      memcpy(&base[1], k->base == PTX_BASE_ROW ? from + LANES_OF_ROW * sizeof(word) : from, \
             sizeof(word)); \
    } \
    if (k->offsets != 0) memcpy(offsets, table + k->offsets, sizeof offsets); \
    for (int l = 0; l < LANES_OF_ROW; l++) out[l] = base[0] + (word)offsets[l]; \
    for (int l = LANES_OF_ROW; l < PTX_LANES; l++) out[l] = base[1] + (word)offsets[l]; \
  } \
  static void name(const ptx_jit_kept *k, const int32_t *lanes, const uint8_t *from, \
                   const uint8_t *table, uint8_t *slot) { \
    word all[PTX_LANES], old[PTX_LANES]; \
    name##_lanes(k, from, table, all); \
    if (lanes != NULL) { \
      memcpy(old, slot, sizeof old); \
      for (int l = 0; l < PTX_LANES; l++) all[l] = lanes[l] != 0 ? all[l] : old[l]; \
    } \
    memcpy(slot, all, sizeof all); \
  }

KEEP(keep_32, uint32_t)
KEEP(keep_64, uint64_t)

void ptx_jit_keep (uint8_t *rf, const int32_t *lanes, const uint8_t *from, const uint8_t *table,
                   uint32_t at) {
  ptx_jit_kept k;
  for (;; at += sizeof k) {
    memcpy(&k, table + at, sizeof k);
    if (k.bytes == 0) return;
    if (k.bytes == 4) keep_32(&k, lanes, from + k.from, table, rf + k.slot);
    else keep_64(&k, lanes, from + k.from, table, rf + k.slot);
  }
}
