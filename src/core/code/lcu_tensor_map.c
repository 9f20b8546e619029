/* lcu_tensor_map.c: tensor maps, made by the driver. */
#include "lcu_tensor_map.h"

#include "cu_dtype.h"
#include "lcu_device_failure.h"
#include "lcu_scope.h"

bool lcu_tensor_type_known (const lcu_dtype *t) { return lcu_codes[t->id].tensor_map >= 0; }

static lcu_status encode (lcu_device *d, const lcu_tensor_box *b, cu_tensormap *out) {
  void *address = (void *)(uintptr_t)b->address;
  enum { TFLOAT32 = 11 };
  int type = b->tf32 ? TFLOAT32 : lcu_codes[b->dtype->id].tensor_map;
  if (b->channels != 0)
    return LCU_CALL(d->drv, cuTensorMapEncodeIm2col,
                    (out, type, b->rank, address, b->extents, b->strides, b->low, b->high,
                     b->channels, b->pixels, b->steps, 0, b->swizzle, 0, b->nan));
  return LCU_CALL(d->drv, cuTensorMapEncodeTiled,
                  (out, type, b->rank, address, b->extents, b->strides, b->box, b->steps, 0,
                   b->swizzle, 0, b->nan));
}

lcu_status lcu_tensor_map (lcu_device *d, const lcu_tensor_box *b, cu_tensormap *out) {
  lcu_scope scope;
  if (d->limits.cc < 90 || d->drv->cuTensorMapEncodeTiled == NULL)
    return lcu_fail(LCU_E_UNSUPPORTED,
                    "%s has no tensor maps: they need compute capability 9.0 and CUDA 12.0",
                    d->label);
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status s = encode(d, b, out);
  lcu_device_leave(&scope);
  return s == LCU_OK ? LCU_OK : lcu_device_status(d, s);
}
