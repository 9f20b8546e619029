/* cu_jitlink.h: nvJitLink, the linker of a toolkit, opened at run time. Unlike the driver's it
 * optimizes across sources. */
#ifndef CU_JITLINK_H
#define CU_JITLINK_H

#include "cu_abi.h"
#include "lcu_mem.h"
#include "lcu_status.h"

typedef struct cu_jitlink_ *cu_jitlink; /* nvJitLinkHandle */

typedef struct lcu_jitlink {
#define LCU_JITLINK(name, params) int(*name) params;
#include "jitlink.def"
#undef LCU_JITLINK
  char path[512];        /* the file that was opened */
  unsigned major, minor; /* 0 where it does not tell */
} lcu_jitlink;

/* Opens nvJitLink: only LUACUDA_NVJITLINK where that is set; otherwise in the places searched for
 * NVRTC (cu_nvrtc.h) and the folders of its own Python package. `report` (may be NULL) gets one
 * line per path tried. The library stays open until exit. */
lcu_status lcu_jitlink_open (lcu_jitlink *out, lcu_buf *report);

#endif
