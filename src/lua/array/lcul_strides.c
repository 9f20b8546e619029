/* lcul_strides.c: where the elements of an array are. */
#include "lcul_strides.h"

#include "lcul_array.h"

int64_t lcul_strides_rows (const lcu_dtype *t, int ndim, const int64_t *shape, int64_t *strides) {
  int64_t stride = t->size, size = 1;
  for (int i = ndim - 1; i >= 0; i--) {
    strides[i] = stride;
    stride *= shape[i] > 0 ? shape[i] : 1;
    size *= shape[i];
  }
  return size;
}

void lcul_array_set_rows (lcul_array *a) {
  a->size = lcul_strides_rows(a->dtype, a->ndim, a->shape, a->strides);
  a->contiguous = true;
}

void lcul_array_measure (lcul_array *a) {
  int64_t expected = a->dtype->size, size = 1;
  bool contiguous = true;
  for (int i = a->ndim - 1; i >= 0; i--) {
    if (a->shape[i] != 1 && a->strides[i] != expected) contiguous = false;
    expected *= a->shape[i] > 0 ? a->shape[i] : 1;
    size *= a->shape[i];
  }
  a->size = size;
  a->contiguous = contiguous || size == 0;
}

void lcul_array_extent (const lcul_array *a, int64_t *first, int64_t *last) {
  *first = *last = 0;
  if (a->size == 0) return;
  int64_t low = a->offset, high = a->offset + a->dtype->size;
  for (int i = 0; i < a->ndim; i++) {
    int64_t reach = (a->shape[i] - 1) * a->strides[i];
    if (reach < 0) low += reach;
    else high += reach;
  }
  *first = low;
  *last = high;
}

bool lcul_array_is_broadcast (const lcul_array *a) {
  if (a->size == 0) return false;
  for (int i = 0; i < a->ndim; i++)
    if (a->strides[i] == 0 && a->shape[i] > 1) return true;
  return false;
}

bool lcul_array_broadcast_strides (const lcul_array *a, int ndim, const int64_t *shape,
                                   int64_t *strides) {
  int more = ndim - a->ndim;
  if (more < 0) return false;
  for (int i = 0; i < more; i++) strides[i] = 0;
  for (int i = 0; i < a->ndim; i++) {
    if (a->shape[i] == shape[i + more]) strides[i + more] = a->strides[i];
    else if (a->shape[i] == 1) strides[i + more] = 0;
    else return false;
  }
  return true;
}
