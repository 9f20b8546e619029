/* ptx_isa_compare.c: lane loops of comparison and selection. */
#include "ptx_isa.h"

#include "ptx_compare.def"
