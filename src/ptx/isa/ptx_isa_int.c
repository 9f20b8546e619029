/* ptx_isa_int.c: lane loops of integer, logic, bit and packing operations. */
#include "ptx_isa.h"

#include "ptx_int.def"
