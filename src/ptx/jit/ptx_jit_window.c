/* ptx_jit_window.c: accesses whose lanes are at known places within 64 elements: vectors, and
 * shuffles with constant indices. */
#include "ptx_jit_access.h"

typedef struct window {
  uint32_t num, second; /* elements; where the second vector of 32 begins, 0: there is none */
  uint32_t places[2], vectors[2];
} window;

static window open_window (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t from) {
  window w = { .num = (uint32_t)((x->most - x->least) / x->stride) + 1 };
  if (w.num > PTX_LANES) w.second = w.num - PTX_LANES;
  uint32_t part = w.second != 0 ? PTX_LANES : w.num;
  w.places[0] = from;
  w.places[1] = ptx_jit_move_beyond(E, from, (int64_t)w.second * x->stride);
  w.vectors[0] = ptx_jit_move_load(E, x, from, part);
  w.vectors[1] = w.second != 0 ? ptx_jit_move_load(E, x, w.places[1], part) : w.vectors[0];
  return w;
}

static uint32_t element_of_lane (const ptx_jit_transfer *x, uint32_t l) {
  return (uint32_t)((ptx_jit_offset(x->a, l, x->width) - x->least) / x->stride);
}

/* The lanes' elements. */
static uint32_t pick_window (ptx_jit_emitter *E, const ptx_jit_transfer *x, const window *w) {
  uint32_t picks[PTX_LANES], part = w->second != 0 ? PTX_LANES : w->num;
  for (uint32_t l = 0; l < PTX_LANES; l++) {
    uint32_t k = element_of_lane(x, l);
    picks[l] = k < part ? k : k - w->second + part;
  }
  return ptx_jit_move_shuffle(E, x, w->vectors[0], w->vectors[1], part, picks, PTX_LANES);
}

void ptx_jit_window_take (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t from) {
  window w = open_window(E, x, from);
  ptx_jit_move_set(E, x, 0, pick_window(E, x, &w));
}

void ptx_jit_window_give (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t to) {
  window w = open_window(E, x, to);
  uint32_t value = ptx_jit_move_narrowed(E, x, ptx_jit_move_element(E, x, 0)),
           part = w.second != 0 ? PTX_LANES : w.num;
  if (E->predicate != 0) {
    uint32_t old = pick_window(E, x, &w), t = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = select <32 x i1> %%t%u, <32 x %s> %%t%u, <32 x %s> %%t%u\n", t,
                 E->predicate, x->memory, value, x->memory, old);
    value = t;
  }
  for (uint32_t half = 0; half < (w.second != 0 ? 2u : 1u); half++) {
    uint32_t picks[PTX_LANES], first = half == 0 ? 0 : w.second, old = w.vectors[half];
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
    ptx_jit_move_store(E, x, w.places[half], now, part);
  }
}
