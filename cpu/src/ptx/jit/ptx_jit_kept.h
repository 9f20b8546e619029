/* ptx_jit_kept.h: variables on their way from compiled code to the register file. At an exit, the
 * code puts down each one as it has it, all lanes or only the bases of its claim (ptx_shape.h), and
 * calls ptx_jit_keep, which makes the lanes. Made by the code itself, they were half of its
 * instructions in some kernels. */
#ifndef PTX_JIT_KEPT_H
#define PTX_JIT_KEPT_H

#include <stdint.h>

/* One variable. A table has lists of them, each ended by one of 0 bytes. */
typedef struct ptx_jit_kept {
  uint32_t slot;    /* of the register file, in bytes */
  uint32_t from;    /* where it was put down, as in a slot: bases in lanes 0 and 16 */
  uint16_t bytes;   /* of a lane: 4 or 8 */
  uint16_t base;    /* ptx_base; PTX_BASE_LANE: all lanes were put down */
  uint32_t offsets; /* of lanes, which are added to the bases: bytes from the start of the table to
                       32 numbers of 64 bits; 0: none */
  uint64_t constant;
} ptx_jit_kept;

/* Writes the list at table + at to the register file: the lanes whose word in `lanes` is -1, or all
 * (NULL). `from` may be the register file. */
void ptx_jit_keep (uint8_t *rf, const int32_t *lanes, const uint8_t *from, const uint8_t *table,
                   uint32_t at);

#endif
