/* cu_failure.h: failures as sentences. A failure travels as a record (lcu_status.h) until it is
 * shown; the sentence is made here. */
#ifndef CU_FAILURE_H
#define CU_FAILURE_H

#include "lcu_status.h"

/* "cuMemAlloc failed on gpu0: CUDA_ERROR_OUT_OF_MEMORY (not enough memory)". Returns out. */
const char *lcu_failure_text (const lcu_failure *f, char out[LCU_MESSAGE_SIZE]);
/* "CUDA_ERROR_OUT_OF_MEMORY": the name of its code. */
const char *lcu_failure_name (const lcu_failure *f);

#endif
