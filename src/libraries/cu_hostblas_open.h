/* cu_hostblas_open.h: OpenBLAS, MKL, BLIS, FlexiBLAS or Accelerate among the system's libraries and
 * in Python environments, or the OpenBLAS in a NumPy from pip. */
#ifndef CU_HOSTBLAS_OPEN_H
#define CU_HOSTBLAS_OPEN_H

#include "cu_hostblas.h"
#include "cu_library.h"

extern const lcu_library lcu_hostblas_library;

#endif
