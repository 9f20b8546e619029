/* ptx_round.h: how a directed rounding is packed into ptx_uop.imm. */
#ifndef PTX_ROUND_H
#define PTX_ROUND_H

#include "ptx_match.h"

/* rounding | ftz << 8 | sat << 9 | destination type << 16 | source type << 24; the types for
 * conversions only */
static inline int64_t ptx_round_pack (uint8_t round, uint32_t mods, ptx_type d, ptx_type s) {
  return (int64_t)((uint32_t)round | (mods & PTX_M_FTZ ? 1u << 8 : 0) |
                   (mods & PTX_M_SAT ? 1u << 9 : 0) | (uint32_t)d << 16 | (uint32_t)s << 24);
}

#endif
