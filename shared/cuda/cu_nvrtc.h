/* cu_nvrtc.h: NVRTC, opened at run time. */
#ifndef CU_NVRTC_H
#define CU_NVRTC_H

#include "cu_abi.h"
#include "lcu_mem.h"
#include "lcu_status.h"

typedef struct lcu_nvrtc {
#define LCU_RTC(need, result, name, params, args) result(*name) params;
#include "nvrtc.def"
#undef LCU_RTC
  int major, minor;
  int archs[64], num_archs; /* 75, 80, ...; ascending */
  char path[512];           /* the file that was opened */
  char include_dir[512];    /* CUDA's headers, "" when not found */
  /* CCCL's headers (cuda/std), "" when inside include_dir or not found */
  char cccl_dir[512];
} lcu_nvrtc;

/* Opens NVRTC: only LUACUDA_NVRTC where that is set; otherwise the first found in the roots
 * LUACUDA_CUDA_HOME, CUDA_HOME and CUDA_PATH (a toolkit or a pip folder), by the sonames .13 .12
 * .11.2, in /usr/local/cuda, and in pip layouts under the folders of LUACUDA_SITE_PACKAGES
 * (separated by colons) and of Python environments (cu_search.h). Headers are searched near the
 * library found, then in the same roots.
 * `report` (may be NULL) gets one line per path tried. The library stays open until exit. */
lcu_status lcu_nvrtc_open (lcu_nvrtc *out, lcu_buf *report);

/* Converts an nvrtcResult to a status, and records the call. */
lcu_status lcu_nvrtc_status (const lcu_nvrtc *n, const char *call, int r);

#endif
