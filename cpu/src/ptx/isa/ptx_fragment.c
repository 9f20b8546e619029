/* ptx_fragment.c: the lines of a matrix in memory, and the checks on them. */
#include "ptx_fragment.h"

#include <stdio.h>
#include <string.h>

#include "ptx_lanes.h"

/* Lines start at multiples of 16 bytes, or of their length if it is less. */
static uint32_t alignment (const ptx_move *v) {
  uint32_t bytes = ptx_line_bytes(v);
  return bytes < 16 ? bytes : 16;
}

typedef struct fragment_place {
  ptx_move v;
  uint64_t base, stride; /* bytes */
} fragment_place;

static fragment_place place_of (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w) {
  fragment_place p = { .v = ptx_move_in(I) };
  p.base = ptx_lane_address(I, rf, w, 0);
  p.stride = (uint64_t)PTX_SLOT(u32, rf, I->b)[0] * p.v.bits / 8;
  return p;
}

/* The lane that holds the first element of a line. */
static uint32_t lane_of_line (const ptx_move *v, uint32_t line) {
  uint32_t per_word = v->pairs ? 2 : v->bits == 64 ? 1 : 32u / v->bits;
  return v->along ? line % 8 * 4 : line / per_word % 4;
}

uint32_t ptx_fragment_spans (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w,
                             ptx_span spans[PTX_LANES]) {
  fragment_place p = place_of(I, rf, w);
  for (uint32_t i = 0; i < p.v.lines; i++)
    spans[i] = (ptx_span){ .address = p.base + i * p.stride,
                           .lane = lane_of_line(&p.v, i),
                           .bytes = ptx_line_bytes(&p.v) };
  return p.v.lines;
}

/* ---- one address and stride for the warp */

static uint64_t differing (const ptx_uop *I, const uint8_t *rf) {
  uint64_t differ = 0;
  const S_u32 *stride = PTX_SLOT(u32, rf, I->b);
  PTX_EACH_LANE(l) differ |= stride[l] ^ stride[0];
  if (I->flags & PTX_F_DIRECT) return differ;
  if (I->flags & PTX_F_ADDRESS32) {
    const S_u32 *a = PTX_SLOT(u32, rf, I->a);
    PTX_EACH_LANE(l) differ |= a[l] ^ a[0];
    return differ;
  }
  const S_u64 *a = PTX_SLOT(u64, rf, I->a);
  PTX_EACH_LANE(l) differ |= a[l] ^ a[0];
  return differ;
}

static bool fragment_lanes_agree (const ptx_uop *I, const uint8_t *rf, ptx_warp *w,
                                  const fragment_place *p, bool write) {
  if (lcu_likely(differing(I, rf) == 0)) return true;
  return ptx_memory_fault(w, I->space, 0, p->base, ptx_line_bytes(&p->v), write, PTX_FAULT_BARRIER,
                          "the threads of the warp name different matrices");
}

/* ---- storage */

/* That of the whole matrix if it is in one allocation, NULL otherwise. */
static uint8_t *whole (const ptx_uop *I, ptx_warp *w, const fragment_place *p) {
  uint64_t bytes = (p->v.lines - 1u) * p->stride + ptx_line_bytes(&p->v), at = p->base;
  uint8_t space = I->space;
  if (((at | p->stride) % alignment(&p->v)) != 0) return NULL;
  if (space == PTX_GENERIC && ptx_in_window(at, ptx_window_shared)) {
    space = PTX_SHARED;
    at -= ptx_window_shared;
  }
  if (space == PTX_SHARED) return at <= UINT32_MAX ? ptx_shared_at(w, at, bytes) : NULL;
  return ptx_memory_reachable(w, (uint32_t)I->c, at, bytes) ? (uint8_t *)(uintptr_t)at : NULL;
}

/* One line, or its first element that cannot be accessed. */
static bool line_slowly (const ptx_uop *I, ptx_warp *w, const fragment_place *p, uint32_t line,
                         uint8_t *tile, bool write) {
  uint32_t lane = lane_of_line(&p->v, line), bytes = p->v.bits < 8 ? 4 : p->v.bits / 8u;
  uint64_t at = p->base + line * p->stride;
  if (!ptx_memory_aligned(w, I->space, lane, at, alignment(&p->v), write)) return false;
  for (uint32_t k = 0; k < ptx_line_bytes(&p->v); k += bytes) {
    bool done = write ? ptx_memory_write(w, I->space, lane, at + k, tile + k, bytes)
                      : ptx_memory_read(w, I->space, lane, at + k, tile + k, bytes);
    if (!done) return false;
  }
  return true;
}

/* ---- both ways */

static PTX_INLINE void copy_lines (const fragment_place *p, uint8_t *memory, uint8_t *tile,
                                   uint32_t bytes, bool write) {
  for (uint32_t i = 0; i < p->v.lines; i++) {
    if (write) memcpy(memory + i * p->stride, tile + i * bytes, bytes);
    else memcpy(tile + i * bytes, memory + i * p->stride, bytes);
  }
}

static bool transfer_fragment (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint8_t *tile,
                               bool write) {
  fragment_place p = place_of(I, rf, w);
  uint32_t bytes = ptx_line_bytes(&p.v);
  if (!fragment_lanes_agree(I, rf, w, &p, write)) return false;
  uint8_t *memory = whole(I, w, &p);
  if (lcu_likely(memory != NULL)) {
    switch (bytes) { /* a loop per usual length */
      case 16: copy_lines(&p, memory, tile, 16, write); return true;
      case 32: copy_lines(&p, memory, tile, 32, write); return true;
      case 64: copy_lines(&p, memory, tile, 64, write); return true;
      default: copy_lines(&p, memory, tile, bytes, write); return true;
    }
  }
  for (uint32_t i = 0; i < p.v.lines; i++)
    if (!line_slowly(I, w, &p, i, tile + i * bytes, write)) return false;
  return true;
}

bool ptx_fragment_read (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint8_t *tile) {
  return transfer_fragment(I, rf, w, tile, false);
}

bool ptx_fragment_write (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, const uint8_t *tile) {
  if (!transfer_fragment(I, rf, w, (uint8_t *)(uintptr_t)tile, true)) return false;
  w->stored = 1;
  return true;
}
