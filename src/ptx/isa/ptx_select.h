/* ptx_select.h: the instruction sets of the host that the lane loops are compiled for. */
#ifndef PTX_SELECT_H
#define PTX_SELECT_H

#include "ptx_uop.h"

/* The handlers of one instruction set, by ptx_id. */
typedef struct ptx_isa {
  const char *name;
  const ptx_handler (*handlers)[2];
} ptx_isa;

#if defined(__x86_64__)
#define PTX_ISA_PREFIX "x86-64-"
extern const ptx_isa ptx_isa_v2, ptx_isa_v3, ptx_isa_v4;
#else
#define PTX_ISA_PREFIX ""
extern const ptx_isa ptx_isa_base;
#endif

/* The one in use, chosen once per process. */
const ptx_isa *ptx_isa_select (void);

/* Whether one instruction loads 32-bit words from anywhere faster than loads one by one. */
bool ptx_isa_gathers (void);

/* The index-th set that this processor can run, the best first; NULL past the last one. For tests
 * that compare them. */
const ptx_isa *ptx_isa_at (uint32_t index);

#endif
