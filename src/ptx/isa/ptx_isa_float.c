/* ptx_isa_float.c: lane loops of f32 and f64 arithmetic. */
#include "ptx_isa.h"

#include "ptx_fp.def"
