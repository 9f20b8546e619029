/* ptx_jit_bits.c: comparisons as bits.
 *
 * Without AVX-512, the bits of a vector register's signs are one instruction. LLVM packs 32 results
 * into bytes first, which takes many. */

#include <string.h>

#include "ptx_jit_emit.h"
#include "ptx_jit_text.h"

static uint32_t register_bytes (void) {
  return strcmp(ptx_isa_name(), "x86-64-v3") == 0   ? 32
         : strcmp(ptx_isa_name(), "x86-64-v2") == 0 ? 16
                                                    : 0;
}

/* The bits of lanes from `from` on, in their places. */
static uint32_t bits_of_part (ptx_jit_emitter *E, const char *text, const char *type,
                              const uint32_t values[2], uint32_t from, uint32_t lanes) {
  ptx_jit_filling fill = { .lanes = lanes };
  for (uint32_t k = 0; k < 2; k++)
    fill.values[k] = ptx_jit_lanes_from(E, type, values[k], from, lanes);
  uint32_t signs = ptx_jit_apply(E, text, fill), n = E->next;
  E->next += 3;
  lcu_buf_addf(&E->out, "  %%t%u = bitcast <%u x i1> %%t%u to i%u\n", n, lanes, signs, lanes);
  lcu_buf_addf(&E->out, "  %%t%u = zext i%u %%t%u to i32\n  %%t%u = shl i32 %%t%u, %u\n", n + 1,
               lanes, n, n + 2, n + 1, from);
  return n + 2;
}

uint32_t ptx_jit_bits (ptx_jit_emitter *E, uint32_t i, uint32_t at) {
  const ptx_uop *I = &E->f->code->uops[at];
  const ptx_loop_row *r = ptx_loop_row_of(I);
  const char *text = ptx_jit_alu_text(I);
  uint32_t bytes = ptx_lane_slot_bytes(r->s[0]), lanes = register_bytes() / bytes, values[2];
  const char *type = ptx_jit_lane_type(r->s[0]);
  bool whole = bytes == 8 || strcmp(type, "i32") == 0 || strcmp(type, "float") == 0;
  if (lanes == 0 || text == NULL || !whole || r->s[1] != r->s[0]) return 0;
  for (uint32_t k = 0; k < 2; k++)
    values[k] = ptx_jit_convert(E, ptx_jit_lanes(E, i, ptx_loop_source(I, k), bytes), r->s[k],
                                PTX_LANES, false);
  uint32_t all = bits_of_part(E, text, type, values, 0, lanes);
  for (uint32_t from = lanes; from < PTX_LANES; from += lanes) {
    uint32_t more = bits_of_part(E, text, type, values, from, lanes), t = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = or i32 %%t%u, %%t%u\n", t, all, more);
    all = t;
  }
  return all;
}
