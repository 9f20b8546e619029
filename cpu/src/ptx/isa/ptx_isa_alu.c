/* ptx_isa_alu.c: the lane loops of arithmetic and comparisons. */
#include "ptx_isa.h"
#include "ptx_memory.h"

#include "ptx_compare.def"
#include "ptx_float.def"
#include "ptx_int.def"
