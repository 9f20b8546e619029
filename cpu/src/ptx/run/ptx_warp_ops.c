/* ptx_warp_ops.c: warp operations whose members are in several fragments.
 *
 * An operation whose fragment has all members that have not ended is carried out immediately.
 * Otherwise the lanes of the fragment wait until every member waits in the same kind of operation
 * with the same membermask. Each lane then reads and writes by its own instruction and frame. */
#include "ptx_warp_run.h"

#include "ptx_check.h"
#include "ptx_exchange.h"
#include "ptx_fault.h"

static bool waits_in (const ptx_fragment *f, uint16_t id, uint32_t key) {
  return f->wait == PTX_AT_WARP_OP && f->key == key && f->pc->id == id;
}

static uint32_t lanes_waiting (const ptx_xwarp *x, uint16_t id, uint32_t key) {
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < x->num; i++)
    if (waits_in(&x->frags[i], id, key)) lanes |= x->frags[i].mask;
  return lanes;
}

static void run_together (ptx_xwarp *x, uint16_t id, uint32_t key) {
  const ptx_exchange_kind *y = ptx_exchange_kind_of(id);
  ptx_fragment list[PTX_LANES];
  uint32_t n = 0;
  ptx_exchange e;
  e.members = 0;
  for (uint32_t i = 0; i < x->num;) {
    if (!waits_in(&x->frags[i], id, key)) {
      i++;
      continue;
    }
    const ptx_fragment *f = &list[n++];
    list[n - 1] = x->frags[i];
    ptx_exchange_gather(&e, y, f->pc, f->frame->rf, f->mask);
    ptx_fragment_remove(x, i);
  }
  ptx_exchange_apply(&e, y, id);
  ptx_check_synced(x, e.members);
  for (uint32_t i = 0; i < n; i++) {
    ptx_exchange_scatter(&e, y, list[i].pc, list[i].frame->rf, list[i].mask);
    ptx_fragment_add(x, list[i].mask, list[i].pc + 1, list[i].frame, false);
  }
}

/* ---- operations of whole warps, at one instruction */

/* Whether the lanes of all fragments wait at the instruction of this one; they then continue there
 * as one fragment. */
static bool meet (ptx_xwarp *x, const ptx_uop *pc, ptx_frame *frame) {
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < x->num; i++)
    if (x->frags[i].pc == pc && x->frags[i].frame == frame) lanes |= x->frags[i].mask;
  if (lanes != x->w.alive) return false;
  x->num = 0;
  ptx_fragment_add(x, lanes, pc, frame, false);
  return true;
}

static bool whole_warp_op (ptx_xwarp *x, uint32_t i) {
  ptx_fragment *f = &x->frags[i];
  f->wait = PTX_AT_WARP_OP;
  f->key = UINT32_MAX;
  meet(x, f->pc, f->frame);
  return true;
}

/* ---- */

static bool run_if_complete (ptx_xwarp *x, uint16_t id, uint32_t key) {
  if ((key & x->w.alive & ~lanes_waiting(x, id, key)) != 0) return false;
  run_together(x, id, key);
  return true;
}

void ptx_warp_recheck (ptx_xwarp *x) {
  for (uint32_t i = 0; i < x->num;) {
    const ptx_fragment *f = &x->frags[i];
    /* the set has changed */
    if (f->wait != PTX_AT_WARP_OP) i++;
    else if (ptx_id_whole_warp(f->pc->id)) {
      if (meet(x, f->pc, f->frame)) return;
      i++;
    } else if (run_if_complete(x, f->pc->id, f->key)) i = 0;
    else i++;
  }
}

bool ptx_warp_op (ptx_xwarp *x, uint32_t i) {
  ptx_fragment *f = &x->frags[i];
  const ptx_exchange_kind *y = ptx_exchange_kind_of(f->pc->id);
  uint32_t key, same;
  if (ptx_id_whole_warp(f->pc->id)) return whole_warp_op(x, i);
  if (y == NULL)
    return ptx_fault_set(x, ptx_first_lane(f->mask), PTX_FAULT_UNSUPPORTED,
                         "this operation of a warp cannot be carried out");
  same = ptx_exchange_group(&x->w, y, f->pc, f->frame->rf, f->mask, &key);
  /* Members may differ between the lanes of a fragment (groups made by match, say): one group now,
   * the rest after. */
  if (same != f->mask) ptx_fragment_split(x, i, same);
  if ((f->mask & ~key) != 0)
    return ptx_fault_set(
      x, ptx_first_lane(f->mask & ~key), PTX_FAULT_BARRIER,
      "a thread takes part in an operation of its warp whose member mask 0x%08x leaves it out",
      key);
  if ((key & x->w.alive & ~f->mask) == 0) {
    ptx_exchange_run(y, f->pc, f->frame->rf, f->mask);
    ptx_check_synced(x, f->mask);
    ptx_fragment_move(x, i, f->pc + 1);
    return true;
  }
  f->wait = PTX_AT_WARP_OP;
  f->key = key;
  run_if_complete(x, f->pc->id, key);
  return true;
}
