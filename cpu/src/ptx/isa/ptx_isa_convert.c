/* ptx_isa_convert.c: the lane loops of conversions and of arithmetic of halves, which take many
 * instructions of the host for a lane. */
#define PTX_LOOPS PTX_ONE_LOOP
#include "ptx_isa.h"
#include "ptx_memory.h"

#include "ptx_cvt.def"
#include "ptx_half.def"
