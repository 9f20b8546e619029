/* cu_nvrtc.h: NVRTC, opened at run time. */
#ifndef CU_NVRTC_H
#define CU_NVRTC_H

#include "cu_abi.h"
#include "cu_library.h"
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

/* Headers are searched for near the library found, then in the roots of cu_search.h. */
extern const lcu_library lcu_nvrtc_library;

/* Converts an nvrtcResult to a status, and records the call. */
lcu_status lcu_nvrtc_status (const lcu_nvrtc *n, const char *call, int r);

#endif
