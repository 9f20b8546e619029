/* ptx_isa_cvt.c: lane loops of conversions. */
#include "ptx_isa.h"

#include "ptx_cvt.def"
