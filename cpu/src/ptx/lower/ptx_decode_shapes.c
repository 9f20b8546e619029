/* ptx_decode_shapes.c: accesses of a basic block whose addresses are in the same register, not
 * written since an earlier access. The shape that the first one found is kept in w->shapes.
 * Instructions that may leave the inner loop forget all shapes: other lanes and instructions may
 * have changed them when it is entered again. */
#include "ptx_decode.h"

#include <string.h>

#include "ptx_operands.h"

enum { SPARE = PTX_SHAPES - 1 };

void ptx_shapes_forget (ptx_decoder *D) { memset(D->shapes, 0, sizeof D->shapes); }

static void note_written (void *ud, ptx_reg *reg, int role) {
  ptx_decoder *D = ud;
  int32_t from = reg->slot, to = from + (int32_t)ptx_type_slot_bytes(reg->type);
  if (!(role & PTX_WRITE) || from < 0) return;
  for (int i = 0; i < SPARE; i++)
    if (D->shapes[i].used && D->shapes[i].from < to && from < D->shapes[i].to)
      D->shapes[i].used = false;
}

void ptx_shapes_pass (ptx_decoder *D) {
  if (D->inst->match.flags & PTX_F_CONTROL) ptx_shapes_forget(D);
  else ptx_inst_visit_regs(D->inst, note_written, D);
}

static bool is_temporary (int32_t slot) { return slot >= PTX_TEMPS_AT && slot < PTX_CONSTANTS_AT; }

void ptx_shapes_assign (ptx_decoder *D, ptx_uop *I) {
  uint32_t stride = (uint32_t)I->size * I->vector;
  bool narrow = (I->flags & PTX_F_ADDRESS32) != 0;
  I->c = SPARE;
  if ((I->flags & PTX_F_DIRECT) || is_temporary(I->a)) return;
  for (int i = 0; i < SPARE; i++) {
    const ptx_shape_note *n = &D->shapes[i];
    if (!n->used || n->from != I->a || n->stride != stride || n->narrow != narrow) continue;
    I->c = i;
    I->flags |= PTX_F_KNOWN;
    return;
  }
  if (D->inst->guarded) return; /* may run for some lanes, or not at all */
  I->c = (int32_t)(D->next_shape++ % SPARE);
  D->shapes[I->c] = (ptx_shape_note){ .from = I->a,
                                      .to = I->a + (narrow ? 4 : 8) * PTX_LANES,
                                      .stride = stride,
                                      .narrow = narrow,
                                      .used = true };
}
