/* lcu_tensor_map.h: tensor maps, which describe a tensor and a box of it to the copy engine of a
 * multiprocessor. */
#ifndef LCU_TENSOR_MAP_H
#define LCU_TENSOR_MAP_H

#include "lcu_device.h"
#include "lcu_dtype.h"

enum { LCU_TENSOR_RANK = 5 };

/* Innermost axis first. */
typedef struct lcu_tensor_box {
  const lcu_dtype *dtype;
  cu_deviceptr address;
  unsigned rank;
  uint64_t extents[LCU_TENSOR_RANK];
  uint64_t strides[LCU_TENSOR_RANK]; /* bytes, from the second axis on */
  unsigned box[LCU_TENSOR_RANK];     /* elements */
  /* im2col mode, if channels is not 0: `box` is not used. `low` and `high` are of the dimensions
   * between the first and the last. */
  unsigned channels, pixels;
  int low[LCU_TENSOR_RANK], high[LCU_TENSOR_RANK];
  unsigned steps[LCU_TENSOR_RANK];
  int swizzle; /* CUtensorMapSwizzle */
  bool nan;    /* elements outside the tensor are NaN, not 0 */
  bool tf32;   /* float32 is rounded to TF32 in shared memory */
} lcu_tensor_box;

/* Does the hardware have elements of this type? */
bool lcu_tensor_type_known (const lcu_dtype *t);

/* Fills *out, which kernels take by value. */
lcu_status lcu_tensor_map (lcu_device *d, const lcu_tensor_box *b, cu_tensormap *out);

#endif
