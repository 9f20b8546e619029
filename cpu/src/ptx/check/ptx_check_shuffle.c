/* ptx_check_shuffle.c: with all checks on, shuffles that read from a lane which does not take
 * part: one that the member mask leaves out, that has ended, or that the block does not have. The
 * value is undefined (PTX ISA 9.7.9.6); what the program does with it is not examined. A lane that
 * ends while others already wait for it is not noticed. */
#include "ptx_check.h"
#include "ptx_exchange.h"
#include "ptx_fault.h"

enum { SHFL_B = 3, SHFL_C = 4, SHFL_MEMBERS = 5 };

static uint32_t operand (const ptx_uop *I, const uint8_t *rf, int index, uint32_t lane) {
  return ((const uint32_t *)(const void *)(rf + I->extra->slots[index]))[lane];
}

static bool report_shuffle (ptx_xwarp *x, uint32_t lane, uint32_t source, uint32_t members) {
  bool named = ((members >> source) & 1) != 0;
  if (!named)
    return ptx_fault_set(x, lane, PTX_FAULT_SHUFFLE,
                         "lane %u reads from lane %u, which the member mask 0x%08x leaves out,",
                         lane, source, members);
  return ptx_fault_set(x, lane, PTX_FAULT_SHUFFLE, "lane %u reads from lane %u, which %s,", lane,
                       source,
                       ((x->valid >> source) & 1) != 0 ? "has ended" : "the block does not have");
}

bool ptx_check_shuffle (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf) {
  if (I->id < PTX_ID_shfl_up || I->id > PTX_ID_shfl_idx) return true;
  for (uint32_t m = x->w.mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m), members = operand(I, rf, SHFL_MEMBERS, lane), source;
    if (!ptx_shfl_source(I->id, lane, operand(I, rf, SHFL_B, lane), operand(I, rf, SHFL_C, lane),
                         &source))
      continue;
    if (((members & x->w.alive) >> (source & 31) & 1) == 0)
      return report_shuffle(x, lane, source & 31, members);
  }
  return true;
}
