/* cu_driver.h: a driver is a table of entry points. libcuda fills one, the CPU device's library
 * another; the layers above do not distinguish them. */
#ifndef CU_DRIVER_H
#define CU_DRIVER_H

#include "cu_abi.h"
#include "lcu_mem.h"
#include "lcu_status.h"

typedef struct lcu_driver {
  const char *kind; /* "gpu" or "cpu": for messages and names */
#define LCU_DRV(need, since, name, symbol, params, args) cu_result(*name) params;
#include "driver.def"
#undef LCU_DRV
} lcu_driver;

/* What the CPU device's library has beyond CUDA. Its cuGetProcAddress finds a function by the name
 * CUX_TABLE. The function returns the table, or NULL for a version that the library does not
 * have. */
enum { CUX_VERSION = 1 };
#define CUX_TABLE "cuxGetTable"
typedef struct cux_table {
  size_t size; /* of the table */
#define LCU_DRV(need, since, name, symbol, params, args) cu_result(*name) params;
#include "extensions.def"
#undef LCU_DRV
} cux_table;
typedef const cux_table *(*cux_get_table)(unsigned version);

#define CU_CPU_LIBRARY "libluacuda_cpu.so"

/* Calls an entry point: LCU_CALL(drv, cuMemAlloc, (&p, n)) -> lcu_status. A failure is recorded
 * with the call. A missing entry point is not called: it fails with LCU_E_UNSUPPORTED. */
#define LCU_CALL(drv, name, args) \
  ((drv)->name != NULL ? lcu_driver_status((drv), #name, (drv)->name args) \
                       : lcu_driver_missing((drv), #name))
lcu_status lcu_driver_fail (const lcu_driver *d, const char *call, cu_result r);
lcu_status lcu_driver_missing (const lcu_driver *d, const char *call);
static inline lcu_status lcu_driver_status (const lcu_driver *d, const char *call, cu_result r) {
  return lcu_likely(r == 0) ? LCU_OK : lcu_driver_fail(d, call, r);
}

/* "CUDA_ERROR_OUT_OF_MEMORY", "NVRTC_ERROR_COMPILATION", "LUACUDA_ERROR_FORK". Every code has a
 * name. */
const char *lcu_status_name (lcu_status code);
/* The meaning of the code, never NULL. */
const char *lcu_status_text (lcu_status code);
/* True for a CUresult after which the process cannot use CUDA any more (illegal address, trap,
 * ...). */
bool lcu_status_is_fatal (lcu_status code);

/* The number of a device attribute (cu_attrs.def, aliases included), or 0 where no attribute has
 * that name. */
int lcu_attr_find (const char *name, size_t len);
/* The lower-case name and number of the i-th attribute (0-based); NULL after the last. Aliases are
 * left out. */
const char *lcu_attr_at (size_t i, int *number);

#endif
