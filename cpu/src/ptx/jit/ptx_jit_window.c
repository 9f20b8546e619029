/* ptx_jit_window.c: accesses whose lanes are at known places near each other: vectors, and shuffles
 * with constant indices. */
#include "ptx_jit_access.h"

enum { PARTS = PTX_JIT_WINDOW_LOADS / PTX_LANES };

/* Vectors of `part` elements. The last one ends with the window, and may overlap the one before. */
typedef struct window {
  uint32_t part, parts;
  uint32_t from[PARTS], places[PARTS], vectors[PARTS];
} window;

static window open_window (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t place) {
  uint32_t num = (uint32_t)((x->most - x->least) / x->stride) + 1;
  window w = { .part = num < PTX_LANES ? num : PTX_LANES };
  w.parts = (num + w.part - 1) / w.part;
  for (uint32_t p = 0; p < w.parts; p++) {
    w.from[p] = p + 1 < w.parts ? p * w.part : num - w.part;
    w.places[p] = p == 0 ? place : ptx_jit_move_beyond(E, place, (int64_t)w.from[p] * x->stride);
    w.vectors[p] = ptx_jit_move_load(E, x, w.places[p], w.part);
  }
  return w;
}

static uint32_t element_of_lane (const ptx_jit_transfer *x, uint32_t l) {
  return (uint32_t)((ptx_jit_offset(x->a, l, x->width) - x->least) / x->stride);
}

/* The lanes' elements that are in vectors p and p + 1. */
static uint32_t pick_two (ptx_jit_emitter *E, const ptx_jit_transfer *x, const window *w,
                          uint32_t p) {
  uint32_t picks[PTX_LANES], second = p + 1 < w->parts ? w->vectors[p + 1] : w->vectors[p];
  for (uint32_t l = 0; l < PTX_LANES; l++) {
    uint32_t k = element_of_lane(x, l), q = k / w->part;
    picks[l] = q / 2 == p / 2 ? k - w->from[q] + (q - p) * w->part : 0;
  }
  return ptx_jit_move_shuffle(E, x, w->vectors[p], second, w->part, picks, PTX_LANES);
}

/* The lanes' elements. */
static uint32_t pick_window (ptx_jit_emitter *E, const ptx_jit_transfer *x, const window *w) {
  uint32_t picks[PTX_LANES], low = pick_two(E, x, w, 0);
  if (w->parts <= 2) return low;
  uint32_t high = pick_two(E, x, w, 2);
  for (uint32_t l = 0; l < PTX_LANES; l++)
    picks[l] = element_of_lane(x, l) / w->part < 2 ? l : PTX_LANES + l;
  return ptx_jit_move_shuffle(E, x, low, high, PTX_LANES, picks, PTX_LANES);
}

void ptx_jit_window_take (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t from) {
  window w = open_window(E, x, from);
  ptx_jit_move_set(E, x, 0, pick_window(E, x, &w));
}

void ptx_jit_window_give (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t to) {
  window w = open_window(E, x, to);
  uint32_t value = ptx_jit_move_narrowed(E, x, ptx_jit_move_element(E, x, 0)), part = w.part;
  if (E->predicate != 0) {
    uint32_t old = pick_window(E, x, &w), t = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = select <32 x i1> %%t%u, <32 x %s> %%t%u, <32 x %s> %%t%u\n", t,
                 E->predicate, x->memory, value, x->memory, old);
    value = t;
  }
  for (uint32_t p = 0; p < w.parts; p++) {
    uint32_t picks[PTX_LANES], first = w.from[p], old = w.vectors[p];
    if (part < PTX_LANES) {
      for (uint32_t k = 0; k < PTX_LANES; k++) picks[k] = k < part ? k : 0;
      old = ptx_jit_move_shuffle(E, x, old, old, part, picks, PTX_LANES);
    }
    for (uint32_t k = 0; k < PTX_LANES; k++) picks[k] = k;
    for (uint32_t l = 0; l < PTX_LANES; l++) {
      uint32_t k = element_of_lane(x, l);
      if (k >= first && k < first + part) picks[k - first] = PTX_LANES + l;
    }
    uint32_t now = ptx_jit_move_shuffle(E, x, old, value, PTX_LANES, picks, part);
    ptx_jit_move_store(E, x, w.places[p], now, part);
  }
}
