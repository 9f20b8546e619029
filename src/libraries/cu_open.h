/* cu_open.h: the two drivers: libcuda, and the library of the CPU device. */
#ifndef CU_OPEN_H
#define CU_OPEN_H

#include "cu_driver.h"

/* Opens libcuda (only LUACUDA_LIBCUDA where that is set, else the usual places) and fills *out.
 * `report` (may be NULL) gets one line per path tried. The caller
 * calls cuInit. The library stays open until exit. */
lcu_status lcu_driver_open (lcu_driver *out, lcu_buf *report);
/* Opens the CPU device's library, and fills *out: the one that LUACUDA_LIBCPU names, else
 * CU_CPU_LIBRARY in the folder of this code. LCU_E_NOT_FOUND: it is not there. Otherwise as
 * above. */
lcu_status lcu_driver_open_cpu (lcu_driver *out, lcu_buf *report);

#endif
