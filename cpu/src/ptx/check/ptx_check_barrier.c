/* ptx_check_barrier.c: with all checks on, threads that wait at one barrier at different
 * instructions.
 *
 * `bar.sync`, the instruction of __syncthreads(), may be in conditional code only if the condition
 * is the same for the whole block (CUDA C++ Programming Guide; for the threads of a warp PTX ISA
 * 9.7.13.1). So this is reported although such code may run, here and on GPUs. `barrier` without
 * `.aligned` is executed by each thread individually. Barriers with a thread count are for some
 * warps only, so just the threads of one warp are compared.
 *
 * A thread that goes past a barrier to the end of the kernel is not reported. Barriers do not wait
 * for threads that have ended (PTX ISA, `exit`), so returning early is correct. Optimizers may
 * merge what a thread does before it returns with what the others do after the barrier. */
#include "ptx_check.h"
#include "ptx_fault.h"

#include <string.h>

#include "ptx_ids.h"
#include "ptx_match.h"

static bool is_aligned (const ptx_uop *I) {
  const ptx_inst *inst = I->extra->inst;
  return strcmp(inst->parts[0], "bar") == 0 || (inst->match.mods & PTX_M_ALIGNED) != 0;
}

static bool waits_aligned (const ptx_fragment *f) {
  return f->wait == PTX_AT_BARRIER && is_aligned(f->pc);
}

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
