/* ptx_check_barrier.c: with all checks on, barriers that not all threads of a CTA reach alike.
 *
 * `bar.sync`, the instruction of __syncthreads(), may be in conditional code only if the condition
 * is the same for the whole block (CUDA C++ Programming Guide; for the threads of a warp PTX ISA
 * 9.7.13.1). These mistakes are reported although such code may run, here and on GPUs:
 *
 * - threads that wait at the same barrier at different instructions;
 * - a thread that has passed a barrier where others wait: it is in code that they will reach too,
 *   and from which no path leads back to the barrier.
 *
 * Barriers do not wait for threads that have ended (PTX ISA, `exit`), so returning early is not a
 * mistake; nor is `barrier` without `.aligned`, which each thread executes individually. Barriers
 * with a thread count are for some warps only, so just the threads of one warp are compared. */
#include "ptx_check.h"
#include "ptx_fault.h"

#include <string.h>

#include "ptx_cfg.h"
#include "ptx_ids.h"
#include "ptx_match.h"

static bool is_aligned (const ptx_uop *I) {
  const ptx_inst *inst = I->extra->inst;
  return strcmp(inst->parts[0], "bar") == 0 || (inst->match.mods & PTX_M_ALIGNED) != 0;
}

static bool waits_aligned (const ptx_fragment *f) {
  return f->wait == PTX_AT_BARRIER && is_aligned(f->pc);
}

/* ---- different places */

/* The first thread of a fragment that waits. */
static ptx_meeting meeting_with (const ptx_xwarp *x, const ptx_fragment *f) {
  return (ptx_meeting){ .access = "barrier",
                        .cta = x->cta->linear,
                        .thread = x->w.warpid * PTX_LANES + ptx_first_lane(f->mask),
                        .loc = f->pc->loc };
}

static bool report_places (ptx_xwarp *x, const ptx_fragment *f, const ptx_xwarp *of,
                           const ptx_fragment *other, uint32_t index, const char *whose) {
  char where[300];
  ptx_fault_place(other->frame, other->pc, where, sizeof where);
  ptx_fault_set(x, ptx_first_lane(f->mask), PTX_FAULT_BARRIER,
                "threads of one %s reach barrier %u at different places: others at %s, this one",
                whose, index, where);
  x->w.fault.other = meeting_with(of, other);
  return false;
}

static bool check_places (ptx_xwarp *x, const ptx_fragment *f, const ptx_xwarp *of, uint32_t index,
                          const char *whose) {
  for (uint32_t k = 0; k < of->num; k++) {
    const ptx_fragment *other = &of->frags[k];
    if (waits_aligned(other) && other->key == index && other->pc != f->pc)
      return report_places(x, f, of, other, index, whose);
  }
  return true;
}

bool ptx_check_arrival (ptx_xwarp *x, const ptx_fragment *f, uint32_t index, uint32_t count) {
  const ptx_cta *c = x->cta;
  if (x->w.check != PTX_CHECK_ALL || !is_aligned(f->pc)) return true;
  if (!check_places(x, f, x, index, "warp")) return false;
  if (count != 0 || c->barriers[index].expected != 0) return true;
  for (uint32_t k = 0; k < c->num_warps; k++)
    if (&c->warps[k] != x && !check_places(x, f, &c->warps[k], index, "block")) return false;
  return true;
}

/* ---- gone past */

typedef struct walk {
  const ptx_basic_block *bbs;
  uint8_t *seen;
  uint32_t *list, num;
} walk;

static void visit_block (walk *v, int32_t block) {
  if (block < 0 || v->seen[block]) return;
  v->seen[block] = 1;
  v->list[v->num++] = (uint32_t)block;
}

static bool is_trap (const ptx_basic_block *b) {
  return b->last != NULL && strcmp(b->last->parts[0], "trap") == 0;
}

/* Walks from `from`, but not past `end`. Returns whether a path leads out of the function, except
 * by a trap. */
static bool leads_out (walk *v, uint32_t from, uint32_t end) {
  bool out = false;
  visit_block(v, (int32_t)from);
  for (uint32_t i = 0; i < v->num; i++) {
    const ptx_basic_block *b = &v->bbs[v->list[i]];
    if (v->list[i] == end && end != from) continue;
    out |= ptx_basic_block_successor(b, 0) < 0 && !is_trap(b);
    int32_t successor;
    for (uint32_t k = 0; (successor = ptx_basic_block_successor(b, k)) >= 0; k++)
      visit_block(v, successor);
  }
  return out;
}

static void restart (walk *v, uint32_t num_bbs) {
  memset(v->seen, 0, num_bbs);
  v->num = 0;
}

static bool is_after_with (walk *v, uint32_t num_bbs, uint32_t block, uint32_t barrier) {
  if (leads_out(v, barrier, block) || !v->seen[block]) return false;
  restart(v, num_bbs);
  leads_out(v, block, UINT32_MAX);
  return !v->seen[barrier];
}

/* Whether every path from the barrier's basic block leads through `block`, and none back. Then it
 * also has the greater number. Out of memory: no. */
static bool is_after (const ptx_code *code, uint32_t block, uint32_t barrier) {
  if (block <= barrier) return false;
  uint8_t *memory = lcu_calloc(code->num_bbs, 1 + sizeof(uint32_t));
  if (memory == NULL) return false;
  walk v = { .bbs = code->bbs,
             .seen = memory + code->num_bbs * sizeof(uint32_t),
             .list = (uint32_t *)(void *)memory };
  bool after = is_after_with(&v, code->num_bbs, block, barrier);
  lcu_free(memory);
  return after;
}

/* Where a fragment is in the frame whose registers are rf: its instruction or a call; NULL: not in
 * that frame. */
static const ptx_uop *place_in (const ptx_fragment *f, const uint8_t *rf) {
  const ptx_uop *at = f->pc;
  for (const ptx_frame *frame = f->frame; frame != NULL; at = frame->site, frame = frame->parent)
    if (frame->rf == rf) return at;
  return NULL;
}

static bool report_passed (ptx_xwarp *x, const ptx_xwarp *of, const ptx_fragment *waits) {
  char where[300];
  ptx_fault_place(waits->frame, waits->pc, where, sizeof where);
  ptx_fault_set(
    x, ptx_first_lane(x->w.mask), PTX_FAULT_BARRIER,
    "this thread has gone past barrier %u (%s), at which other threads of its %s wait: it is",
    waits->key, where, of == x ? "warp" : "block");
  x->w.fault.other = meeting_with(of, waits);
  return false;
}

static bool check_passed (ptx_xwarp *x, const ptx_uop *I, const ptx_xwarp *of, const ptx_code *code,
                          const uint8_t *rf) {
  for (uint32_t k = 0; k < of->num; k++) {
    const ptx_fragment *f = &of->frags[k];
    if (!waits_aligned(f) || (of != x && x->cta->barriers[f->key].expected != 0)) continue;
    const ptx_uop *at = place_in(f, rf);
    if (at != NULL && is_after(code, I->bb, at->bb)) return report_passed(x, of, f);
  }
  return true;
}

static const ptx_frame *frame_of (const ptx_xwarp *x, const uint8_t *rf) {
  for (uint32_t k = 0; k < x->num; k++)
    for (const ptx_frame *frame = x->frags[k].frame; frame != NULL; frame = frame->parent)
      if (frame->rf == rf) return frame;
  return &x->root;
}

/* Instructions that end or move lanes do not prove that these passed a barrier: threads that return
 * early reach the end of the kernel too. */
static bool is_flow (const ptx_uop *I) {
  switch (I->id) {
    case PTX_ID_ret:
    case PTX_ID_exit:
    case PTX_ID_bra:
    case PTX_ID_bra_not:
    case PTX_ID_jump:
    case PTX_ID_nop: return true;
    default: return false;
  }
}

bool ptx_check_passing (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf) {
  const ptx_cta *c = x->cta;
  if (c->barriers_used == 0 || x->seen_bb == I->bb || is_flow(I)) return true;
  x->seen_bb = I->bb;
  const ptx_code *code = frame_of(x, rf)->code;
  if (!check_passed(x, I, x, code, rf)) return false;
  /* only the kernel's frame corresponds to one of other warps */
  if (rf != x->root.rf) return true;
  for (uint32_t k = 0; k < c->num_warps; k++)
    if (&c->warps[k] != x && !check_passed(x, I, &c->warps[k], code, c->warps[k].root.rf))
      return false;
  return true;
}
