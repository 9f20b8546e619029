/* cpu_tensormap.c: the entry point that describes a tensor for copies of its boxes. */
#include <string.h>

#include "cpu_config.h"
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "ptx_tensormap.h"

static const char call[] = "cuTensorMapEncodeTiled";

enum { MAX_BOX = 256, MAX_STEP = 8, UNIT = 16 };
static const uint64_t MAX_EXTENT = (uint64_t)1 << 32, MAX_STRIDE = (uint64_t)1 << 40;

/* Arrays with a value per dimension, innermost first; strides from the second on. */
typedef struct tensor_shape {
  const uint64_t *extents, *strides;
  const unsigned *box, *steps;
} tensor_shape;

static const uint8_t element_bytes[PTX_TENSORMAP_TYPES] = {
  [PTX_TENSORMAP_U8] = 1,  [PTX_TENSORMAP_U16] = 2, [PTX_TENSORMAP_U32] = 4,
  [PTX_TENSORMAP_S32] = 4, [PTX_TENSORMAP_U64] = 8, [PTX_TENSORMAP_S64] = 8,
  [PTX_TENSORMAP_F16] = 2, [PTX_TENSORMAP_F32] = 4, [PTX_TENSORMAP_F64] = 8,
  [PTX_TENSORMAP_BF16] = 2
};

static bool is_float (int type) {
  return type == PTX_TENSORMAP_F16 || type == PTX_TENSORMAP_BF16 || type == PTX_TENSORMAP_F32 ||
         type == PTX_TENSORMAP_F64;
}

static cu_result refuse (const char *what, uint64_t value, const char *need) {
  return lcu_driver_detail(call, CU_ERR_INVALID_VALUE, "%s is %llu; it must be %s", what,
                           (unsigned long long)value, need);
}

static cu_result add_axis (ptx_tensormap *t, uint32_t k, const tensor_shape *s) {
  bool inner = k == 0;
  if (s->extents[k] == 0 || s->extents[k] > MAX_EXTENT)
    return refuse("an extent", s->extents[k], "1 to 2^32");
  if (s->box[k] == 0 || s->box[k] > MAX_BOX)
    return refuse("an extent of the box", s->box[k], "1 to 256");
  if (s->steps[k] == 0 || s->steps[k] > MAX_STEP) return refuse("a step", s->steps[k], "1 to 8");
  t->last[k] = (uint32_t)(s->extents[k] - 1);
  t->step[k] = inner ? 1 : (uint8_t)s->steps[k];
  t->box[k] = (uint16_t)((s->box[k] + t->step[k] - 1u) / t->step[k]);
  if (inner) return 0;
  uint64_t stride = t->stride[k] = s->strides[k - 1];
  if (stride % UNIT != 0 || stride >= MAX_STRIDE)
    return refuse("a stride", stride, "a multiple of 16 below 2^40");
  return 0;
}

/* A box narrower than the swizzle leaves gaps that CUDA does not document. */
static cu_result add_swizzle (ptx_tensormap *t, int swizzle) {
  uint32_t inner = (uint32_t)t->box[0] * t->element_bytes, span = (uint32_t)UNIT << swizzle;
  if (inner % UNIT != 0) return refuse("the bytes of a row of the box", inner, "a multiple of 16");
  t->swizzle_bits = (uint8_t)swizzle;
  if (swizzle == 0 || inner == span) return 0;
  if (inner > span) return refuse("the bytes of a row of the box", inner, "at most the swizzle's");
  return lcu_driver_detail(call, CU_ERR_NOT_SUPPORTED,
                           "a row of the box has %u bytes; with this swizzle the CPU device needs "
                           "rows of %u",
                           inner, span);
}

cu_result cpu_cuTensorMapEncodeTiled (cu_tensormap *map, int type, unsigned rank, void *address,
                                      const uint64_t *extents, const uint64_t *strides,
                                      const unsigned *box, const unsigned *steps, int interleave,
                                      int swizzle, int promotion, int fill) {
  ptx_tensormap t = { .magic = PTX_TENSORMAP_MAGIC, .address = (uint64_t)(uintptr_t)address };
  tensor_shape s = { extents, strides, box, steps };
  cu_result r = cpu_enter();
  (void)promotion;
  if (r != 0) return r;
  if (cpu_configuration.cc < 90) return CU_ERR_NOT_SUPPORTED;
  if (map == NULL || extents == NULL || box == NULL || steps == NULL || type < 0 || fill < 0 ||
      fill > 1 || swizzle < 0 || (rank > 1 && strides == NULL))
    return CU_ERR_INVALID_VALUE;
  if (rank == 0 || rank > PTX_TENSORMAP_RANK) return refuse("the rank", rank, "1 to 5");
  if (type >= PTX_TENSORMAP_TYPES || interleave != 0 || swizzle > 3) return CU_ERR_NOT_SUPPORTED;
  if (t.address % UNIT != 0) return refuse("the address", t.address, "a multiple of 16");
  if (fill && !is_float(type)) return refuse("the fill", 1, "0 for integers");
  t.type = (uint8_t)type;
  t.rank = (uint8_t)rank;
  t.fill_nan = (uint8_t)fill;
  t.element_bytes = element_bytes[type];
  for (uint32_t k = 0; k < rank && r == 0; k++) r = add_axis(&t, k, &s);
  if (r == 0) r = add_swizzle(&t, swizzle);
  if (r != 0) return r;
  memset(map, 0, sizeof *map);
  memcpy(map, &t, sizeof t);
  return 0;
}
