/* lcu_copy_box.c: copies of rows and slices with cuMemcpy3D. */
#include "lcu_copy_box.h"

#include "lcu_capture.h"
#include "lcu_device_failure.h"
#include "lcu_wait.h"

lcu_device *lcu_box_device (const lcu_box *c) {
  if (c->dst.array != NULL || (c->src.array == NULL && !c->dst.block->device->host_memory))
    return c->dst.block->device;
  return c->src.block->device;
}

/* Memory of the device; CUDA arrays belong to their context. */
static bool is_own (const lcu_box_side *side, lcu_device *d) {
  return side->block->device == d ||
         (side->array == NULL && lcu_device_same_memory(side->block->device, d));
}

/* Memory of the device itself, or host memory. */
static bool in_reach (const lcu_box_side *side, lcu_device *d) {
  return is_own(side, d) || (side->array == NULL && side->block->host != NULL);
}

bool lcu_box_is_direct (const lcu_box *c) {
  lcu_device *d = lcu_box_device(c);
  return in_reach(&c->dst, d) && in_reach(&c->src, d);
}

/* Host memory that the driver knows is used when the copy is executed. */
static bool is_known (const lcu_box_side *side, lcu_device *d) {
  const lcu_block *b = side->block;
  return is_own(side, d) || (b->pinned_for != NULL && b->pinned_for->drv == d->drv);
}

bool lcu_box_waits (const lcu_box *c) {
  lcu_device *d = lcu_box_device(c);
  return !is_known(&c->dst, d) || !is_known(&c->src, d);
}

static void put_src (cu_copy3d *c, const lcu_box_side *side, lcu_device *d) {
  c->src_array = side->array;
  c->src_x = side->x;
  c->src_y = side->y;
  c->src_z = side->z;
  c->src_pitch = side->pitch;
  c->src_height = side->height;
  if (side->array != NULL) c->src_type = CU_MEMTYPE_ARRAY;
  else if (is_own(side, d)) {
    c->src_type = CU_MEMTYPE_DEVICE;
    c->src_device = side->block->address + side->offset;
  } else {
    c->src_type = CU_MEMTYPE_HOST;
    c->src_host = (const char *)side->block->host + side->offset;
  }
}

static void put_dst (cu_copy3d *c, const lcu_box_side *side, lcu_device *d) {
  c->dst_array = side->array;
  c->dst_x = side->x;
  c->dst_y = side->y;
  c->dst_z = side->z;
  c->dst_pitch = side->pitch;
  c->dst_height = side->height;
  if (side->array != NULL) c->dst_type = CU_MEMTYPE_ARRAY;
  else if (is_own(side, d)) {
    c->dst_type = CU_MEMTYPE_DEVICE;
    c->dst_device = side->block->address + side->offset;
  } else {
    c->dst_type = CU_MEMTYPE_HOST;
    c->dst_host = (char *)side->block->host + side->offset;
  }
}

/* The driver copies no CUDA arrays in the body of a conditional node. */
static lcu_status check_recorded (const lcu_box *c, const lcu_stream *s) {
  if (s->capture == NULL || !lcu_capture_is_body(s->capture)) return LCU_OK;
  if (c->src.array == NULL && c->dst.array == NULL) return LCU_OK;
  return lcu_fail(LCU_E_STATE,
                  "a copy of a CUDA array cannot be recorded under a condition; kernels "
                  "can use it as a texture or surface there");
}

static lcu_status queue_box (const lcu_box *c, lcu_stream *s, const lcu_use *uses, size_t n) {
  lcu_device *d = s->device;
  cu_copy3d job = { .width = c->width, .height = c->height, .depth = c->depth };
  lcu_scope scope;
  LCU_TRY(check_recorded(c, s));
  put_src(&job, &c->src, d);
  put_dst(&job, &c->dst, d);
  LCU_TRY(lcu_copy_begin(s, &scope, uses, n));
  lcu_status st = LCU_CALL(d->drv, cuMemcpy3DAsync, (&job, s->handle));
  return lcu_copy_end(s, &scope, uses, n, lcu_device_status(s->device, st));
}

lcu_status lcu_copy_box (const lcu_box *c, lcu_stream *s) {
  bool known_dst = is_known(&c->dst, s->device), known_src = is_known(&c->src, s->device);
  lcu_use uses[2];
  size_t n = 0;
  if (c->width == 0 || c->height == 0 || c->depth == 0) return lcu_process_check();
  if (known_dst) uses[n++] = (lcu_use){ c->dst.block, true };
  else LCU_TRY(lcu_block_wait(c->dst.block, lcu_copy_stream(c->dst.block, s), true));
  if (known_src) uses[n++] = (lcu_use){ c->src.block, false };
  else LCU_TRY(lcu_block_wait(c->src.block, lcu_copy_stream(c->src.block, s), false));
  LCU_TRY(queue_box(c, s, uses, n));
  return known_dst && known_src ? LCU_OK : lcu_stream_synchronize(s);
}
