/* cpu_tensormap.c: the entry points that describe a tensor for copies of its boxes, or of its
 * pixels (im2col). */
#include <string.h>

#include "cpu_config.h"
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_words.h"
#include "ptx_tensormap.h"

enum { MAX_BOX = 256, MAX_STEP = 8, MAX_PIXELS = 1024, UNIT = 16 };
static const uint64_t MAX_EXTENT = (uint64_t)1 << 32, MAX_STRIDE = (uint64_t)1 << 40;

/* What a map is made of. Arrays have a value per dimension, innermost first; strides from the
 * second on. */
typedef struct request {
  const char *call;
  int type;
  unsigned rank;
  uint64_t address;
  const uint64_t *extents, *strides;
  const unsigned *box, *steps;
  int interleave, swizzle, fill;
} request;

static const uint8_t element_bytes[PTX_TENSORMAP_TYPES] = {
  [PTX_TENSORMAP_U8] = 1,   [PTX_TENSORMAP_U16] = 2, [PTX_TENSORMAP_U32] = 4,
  [PTX_TENSORMAP_S32] = 4,  [PTX_TENSORMAP_U64] = 8, [PTX_TENSORMAP_S64] = 8,
  [PTX_TENSORMAP_F16] = 2,  [PTX_TENSORMAP_F32] = 4, [PTX_TENSORMAP_F64] = 8,
  [PTX_TENSORMAP_BF16] = 2, [PTX_TENSORMAP_TF32] = 4
};

static bool is_float (int type) {
  return type == PTX_TENSORMAP_F16 || type == PTX_TENSORMAP_BF16 || type == PTX_TENSORMAP_F32 ||
         type == PTX_TENSORMAP_F64 || type == PTX_TENSORMAP_TF32;
}

static cu_result refuse (const request *q, const char *what, int64_t value, const char *need) {
  return cpu_fail(q->call, CU_ERR_INVALID_VALUE, "%s is %lld; it must be %s", what,
                  (long long)value, need);
}

static cu_result add_axis (ptx_tensormap *t, uint32_t k, const request *q) {
  bool inner = k == 0;
  if (q->extents[k] == 0 || q->extents[k] > MAX_EXTENT)
    return refuse(q, "an extent", (int64_t)q->extents[k], "1 to 2^32");
  if (q->steps[k] == 0 || q->steps[k] > MAX_STEP) return refuse(q, "a step", q->steps[k], "1 to 8");
  t->last[k] = (uint32_t)(q->extents[k] - 1);
  t->step[k] = inner ? 1 : (uint8_t)q->steps[k];
  if (inner) return 0;
  uint64_t stride = t->stride[k] = q->strides[k - 1];
  if (stride % UNIT != 0 || stride >= MAX_STRIDE)
    return refuse(q, "a stride", (int64_t)stride, "a multiple of 16 below 2^40");
  return 0;
}

static cu_result add_box (ptx_tensormap *t, const request *q) {
  for (uint32_t k = 0; k < t->rank; k++) {
    if (q->box[k] == 0 || q->box[k] > MAX_BOX)
      return refuse(q, "an extent of the box", q->box[k], "1 to 256");
    t->box[k] = (uint16_t)q->box[k];
  }
  return 0;
}

/* A box narrower than the swizzle leaves gaps that CUDA does not document. */
static cu_result add_swizzle (ptx_tensormap *t, const request *q) {
  uint32_t inner = (uint32_t)t->box[0] * t->element_bytes, span = (uint32_t)UNIT << q->swizzle;
  if (inner % UNIT != 0)
    return refuse(q, "the bytes of a row of the box", inner, "a multiple of 16");
  t->swizzle_bits = (uint8_t)q->swizzle;
  if (q->swizzle == 0 || inner == span) return 0;
  if (inner > span)
    return refuse(q, "the bytes of a row of the box", inner, "at most the swizzle's");
  return cpu_fail(q->call, CU_ERR_NOT_SUPPORTED,
                  "a row of the box has %u bytes; with this swizzle the CPU device needs "
                  "rows of %u",
                  inner, span);
}

/* All but the box. */
static cu_result begin (ptx_tensormap *t, const request *q) {
  cu_result r = cpu_enter();
  *t = (ptx_tensormap){ .magic = PTX_TENSORMAP_MAGIC, .address = q->address };
  if (r != 0) return r;
  if (cpu_configuration.cc < 90) return CU_ERR_NOT_SUPPORTED;
  if (q->extents == NULL || q->steps == NULL || q->type < 0 || q->fill < 0 || q->fill > 1 ||
      q->swizzle < 0 || (q->rank > 1 && q->strides == NULL))
    return CU_ERR_INVALID_VALUE;
  if (q->rank == 0 || q->rank > PTX_TENSORMAP_RANK) return refuse(q, "the rank", q->rank, "1 to 5");
  if (q->type >= PTX_TENSORMAP_TYPES || element_bytes[q->type] == 0 || q->interleave != 0 ||
      q->swizzle > 3)
    return CU_ERR_NOT_SUPPORTED;
  if (q->address % UNIT != 0)
    return refuse(q, "the address", (int64_t)q->address, "a multiple of 16");
  if (q->fill && !is_float(q->type)) return refuse(q, "the fill", 1, "0 for integers");
  t->type = (uint8_t)q->type;
  t->rank = (uint8_t)q->rank;
  t->fill_nan = (uint8_t)q->fill;
  t->element_bytes = element_bytes[q->type];
  for (uint32_t k = 0; k < q->rank && r == 0; k++) r = add_axis(t, k, q);
  return r;
}

static cu_result finish (ptx_tensormap *t, const request *q, cu_tensormap *map) {
  cu_result r = add_swizzle(t, q);
  if (r != 0) return r;
  memset(map, 0, sizeof *map);
  memcpy(map, t, sizeof *t);
  return 0;
}

cu_result cpu_cuTensorMapEncodeTiled (cu_tensormap *map, int type, unsigned rank, void *address,
                                      const uint64_t *extents, const uint64_t *strides,
                                      const unsigned *box, const unsigned *steps, int interleave,
                                      int swizzle, int promotion, int fill) {
  request q = { "cuTensorMapEncodeTiled",
                type,
                rank,
                (uint64_t)(uintptr_t)address,
                extents,
                strides,
                box,
                steps,
                interleave,
                swizzle,
                fill };
  ptx_tensormap t;
  (void)promotion;
  cu_result r = begin(&t, &q);
  if (r == 0 && (map == NULL || box == NULL)) r = CU_ERR_INVALID_VALUE;
  if (r == 0) r = add_box(&t, &q);
  return r == 0 ? finish(&t, &q, map) : r;
}

/* ---- im2col */

/* The corners of the area of pixels: fewer bits where there are more dimensions. */
static cu_result add_corners (ptx_tensormap *t, const request *q, const int *low, const int *high) {
  int most = 1 << (16 / (t->rank - 2) - 1);
  for (uint32_t k = 0; k + 2 < t->rank; k++) {
    if (low[k] < -most || low[k] >= most || high[k] < -most || high[k] >= most)
      return refuse(q, "a corner", low[k] < -most || low[k] >= most ? low[k] : high[k],
                    t->rank == 3   ? "-2^15 to 2^15 - 1"
                    : t->rank == 4 ? "-128 to 127"
                                   : "-16 to 15");
    t->low[k] = (int16_t)low[k];
    t->high[k] = (int16_t)high[k];
  }
  return 0;
}

static cu_result add_pixels (ptx_tensormap *t, const request *q, unsigned channels,
                             unsigned pixels) {
  if (channels == 0 || channels > MAX_BOX)
    return refuse(q, "the number of channels", channels, "1 to 256");
  if (pixels == 0 || pixels > MAX_PIXELS)
    return refuse(q, "the number of pixels", pixels, "1 to 1024");
  for (uint32_t k = 0; k < t->rank; k++) t->box[k] = 1;
  t->box[0] = (uint16_t)channels;
  t->box[1] = (uint16_t)pixels;
  t->im2col = 1;
  return 0;
}

cu_result cpu_cuTensorMapEncodeIm2col (cu_tensormap *map, int type, unsigned rank, void *address,
                                       const uint64_t *extents, const uint64_t *strides,
                                       const int *low, const int *high, unsigned channels,
                                       unsigned pixels, const unsigned *steps, int interleave,
                                       int swizzle, int promotion, int fill) {
  request q = { "cuTensorMapEncodeIm2col",
                type,
                rank,
                (uint64_t)(uintptr_t)address,
                extents,
                strides,
                NULL,
                steps,
                interleave,
                swizzle,
                fill };
  ptx_tensormap t;
  (void)promotion;
  cu_result r = begin(&t, &q);
  if (r == 0 && (map == NULL || low == NULL || high == NULL)) r = CU_ERR_INVALID_VALUE;
  if (r == 0 && rank < 3) r = refuse(&q, "the rank", rank, "3 to 5");
  if (r == 0) r = add_corners(&t, &q, low, high);
  if (r == 0) r = add_pixels(&t, &q, channels, pixels);
  return r == 0 ? finish(&t, &q, map) : r;
}
