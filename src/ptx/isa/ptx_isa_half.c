/* ptx_isa_half.c: lane loops of f16 and bf16. */
#include "ptx_isa.h"

#include "ptx_half.def"
