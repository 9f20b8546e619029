/* cu_jitlink.h: nvJitLink, the linker of a toolkit, opened at run time. Unlike the driver's it
 * optimizes across sources. */
#ifndef CU_JITLINK_H
#define CU_JITLINK_H

#include "cu_abi.h"
#include "cu_library.h"
#include "lcu_status.h"

typedef struct cu_jitlink_ *cu_jitlink; /* nvJitLinkHandle */

typedef struct lcu_jitlink {
#define LCU_JITLINK(name, params) int(*name) params;
#include "jitlink.def"
#undef LCU_JITLINK
  char path[512];        /* the file that was opened */
  unsigned major, minor; /* 0 where it does not tell */
} lcu_jitlink;

extern const lcu_library lcu_jitlink_library;

#endif
