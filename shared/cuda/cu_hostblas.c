/* cu_hostblas.c: the functions of a BLAS, and its threads. */
#include "cu_hostblas.h"

#include <stdatomic.h>

const lcu_hostblas_set *lcu_hostblas_for (const lcu_hostblas *lib, lcu_dtype_id dtype) {
  switch (dtype) {
    case LCU_FLOAT32: return &lib->sets[0];
    case LCU_FLOAT64: return &lib->sets[1];
    case LCU_COMPLEX64: return &lib->sets[2];
    case LCU_COMPLEX128: return &lib->sets[3];
    default: return NULL;
  }
}

void lcu_hostblas_use_threads (const lcu_hostblas *lib, int n) {
  static atomic_int current;
  if (lib->set_threads != NULL && atomic_exchange(&current, n) != n) lib->set_threads(n);
}
