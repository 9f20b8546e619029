/* ptx_xwarp.c: the set of fragments of a warp. */
#include "ptx_xwarp.h"

static bool same_place (const ptx_fragment *f, const ptx_uop *pc, const ptx_frame *frame) {
  return f->pc == pc && f->frame == frame && f->wait == PTX_READY;
}

void ptx_fragment_add (ptx_xwarp *x, uint32_t mask, const ptx_uop *pc, ptx_frame *frame,
                       bool yielded) {
  for (uint32_t i = 0; i < x->num; i++) {
    ptx_fragment *f = &x->frags[i];
    if (!same_place(f, pc, frame)) continue;
    f->mask |= mask;
    f->yielded = f->yielded && yielded;
    return;
  }
  x->frags[x->num++] =
    (ptx_fragment){ .mask = mask, .wait = PTX_READY, .pc = pc, .frame = frame, .yielded = yielded };
}

void ptx_fragment_remove (ptx_xwarp *x, uint32_t i) { x->frags[i] = x->frags[--x->num]; }

void ptx_fragment_move (ptx_xwarp *x, uint32_t i, const ptx_uop *pc) {
  ptx_fragment f = x->frags[i];
  if (x->num == 1) {
    x->frags[i].wait = PTX_READY;
    x->frags[i].pc = pc;
    return;
  }
  ptx_fragment_remove(x, i);
  ptx_fragment_add(x, f.mask, pc, f.frame, f.yielded);
}

void ptx_fragment_split (ptx_xwarp *x, uint32_t i, uint32_t keep) {
  ptx_fragment *f = &x->frags[i], *rest = &x->frags[x->num++];
  *rest = *f;
  rest->mask = f->mask & ~keep;
  f->mask &= keep;
}

void ptx_lanes_expand (ptx_xwarp *x, uint32_t mask) {
  static const uint32_t bit[PTX_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31
  };
  for (int l = 0; l < PTX_LANES; l++) x->w.lanes[l] = (mask & bit[l]) == bit[l] ? -1 : 0;
  x->lanes_of = mask;
}
