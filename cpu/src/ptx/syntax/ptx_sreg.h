/* ptx_sreg.h: special registers, read from ptx_sregs.def. */
#ifndef PTX_SREG_H
#define PTX_SREG_H

#include "ptx_op.h"

typedef enum ptx_sreg {
#define PTX_SREG(ID, name, type) PTX_SREG_##ID,
#include "ptx_sregs.def"
#undef PTX_SREG
  PTX_SREG_COUNT
} ptx_sreg;

typedef struct ptx_sreg_info {
  const char *name;
  ptx_type type;
} ptx_sreg_info;
extern const ptx_sreg_info ptx_sregs[PTX_SREG_COUNT];

/* "tid.x" -> PTX_SREG_TID_X; -1 when there is no such register. */
int ptx_sreg_find (const char *name, size_t len);

#endif
