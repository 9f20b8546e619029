/* ptx_select.h: the instruction sets of the host that the lane loops are compiled for. */
#ifndef PTX_SELECT_H
#define PTX_SELECT_H

#include "lcu_isa.h"
#include "ptx_words.h"

/* The handlers of one instruction set, by ptx_id. */
typedef struct ptx_isa {
  const char *name;
  const ptx_handler (*handlers)[2];
  const ptx_word_loops *words;
} ptx_isa;

#define PTX_ISA_DECLARE(level) extern const ptx_isa ptx_isa_##level;
LCU_ISA_LEVELS(PTX_ISA_DECLARE)

/* The one in use, chosen once per process. NULL where ptx_isa_name is. */
const ptx_isa *ptx_isa_select (void);

/* Whether one instruction loads 32-bit words from anywhere faster than loads one by one. */
bool ptx_isa_gathers (void);

/* The index-th set that this processor can run, the best first; NULL past the last one. For tests
 * that compare them. */
const ptx_isa *ptx_isa_at (uint32_t index);

#endif
