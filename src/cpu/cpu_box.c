/* cpu_box.c: copies of two and three dimensions. */
#include "cpu_copy.h"

#include <string.h>

#include "cpu_driver.h"
#include "cpu_map.h"

/* One side of a 2D or 3D copy: where it starts and how far it reaches. */
typedef struct side {
  uint64_t start;
  size_t pitch, slice, bytes;
  bool device, known;
} side;

/* x + y * pitch + z * slice. */
static bool offset_of (const side *s, size_t x, size_t y, size_t z, size_t *out) {
  return cpu_multiply_add(y, s->pitch, x, out) && cpu_multiply_add(z, s->slice, *out, out);
}

static cu_result side_init (side *s, int type, const void *host, cu_deviceptr device,
                            const cu_copy3d *c, bool is_dst) {
  size_t x = is_dst ? c->dst_x : c->src_x, y = is_dst ? c->dst_y : c->src_y,
         z = is_dst ? c->dst_z : c->src_z;
  size_t rows = is_dst ? c->dst_height : c->src_height, first, last;
  s->pitch = is_dst ? c->dst_pitch : c->src_pitch;
  if (type != CU_MEMTYPE_HOST && type != CU_MEMTYPE_DEVICE && type != CU_MEMTYPE_UNIFIED)
    return CU_ERR_INVALID_VALUE;
  uint64_t base = type == CU_MEMTYPE_HOST ? (uintptr_t)host : device;
  if (base == 0) return CU_ERR_INVALID_VALUE;
  /* allowed where one slice is copied */
  if (rows == 0) rows = y + c->height;
  bool many_rows = c->height > 1 || c->depth > 1 || y > 0 || z > 0;
  if (many_rows && (s->pitch < c->width || s->pitch - c->width < x)) return CU_ERR_INVALID_VALUE;
  if ((c->depth > 1 || z > 0) && (rows < c->height || rows - c->height < y))
    return CU_ERR_INVALID_VALUE;
  if (!cpu_multiply_add(s->pitch, rows, 0, &s->slice)) return CU_ERR_INVALID_VALUE;
  if (!offset_of(s, x, y, z, &first) ||
      !offset_of(s, x + c->width, y + c->height - 1, z + c->depth - 1, &last))
    return CU_ERR_INVALID_VALUE;
  s->start = base + first;
  s->bytes = last - first;
  s->device = type == CU_MEMTYPE_DEVICE;
  s->known = cpu_block_holds(s->start, s->bytes);
  if (type != CU_MEMTYPE_UNIFIED) return 0;
  ptx_range r;
  s->device = cpu_block_find(s->start, &r) && s->start - r.base < r.size;
  return 0;
}

/* Rows of overlapping boxes are moved one by one: as with libcuda the result is then not defined,
 * but nothing else breaks. */
static void run_rect (cpu_stream *s, cpu_op *op) {
  const cpu_rect *r = &op->rect;
  (void)s;
  for (size_t z = 0; z < r->depth; z++)
    for (size_t y = 0; y < r->height; y++)
      memmove(r->dst + z * r->dst_slice + y * r->dst_pitch,
              r->src + z * r->src_slice + y * r->src_pitch, r->width);
}

static cu_result queue_rect (const char *call, cpu_stream *s, const side *dst, const side *src,
                             const cu_copy3d *c) {
  cu_result r = dst->device ? cpu_check_range(call, dst->start, dst->bytes) : 0;
  if (r == 0 && src->device) r = cpu_check_range(call, src->start, src->bytes);
  if (r != 0) return r;
  cpu_op *op = cpu_op_new(CPU_OP_PLAIN, run_rect);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  op->rect = (cpu_rect){ (uint8_t *)(uintptr_t)dst->start,
                         (const uint8_t *)(uintptr_t)src->start,
                         dst->pitch,
                         dst->slice,
                         src->pitch,
                         src->slice,
                         c->width,
                         c->height,
                         c->depth };
  if (dst->known && src->known) {
    cpu_submit(s, op, cpu_copy_how(dst->bytes));
    return 0;
  }
  uint64_t seq = cpu_submit(s, op, CPU_SYNC);
  if (!dst->known) return cpu_copy_finish(s, seq);
  cpu_wait(s, seq);
  return 0;
}

static cu_result copy_box (const char *call, const cu_copy3d *c, cu_stream handle) {
  side dst, src;
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0 || c->width == 0 || c->height == 0 || c->depth == 0) return r;
  if (c->src_x > SIZE_MAX - c->width || c->dst_x > SIZE_MAX - c->width ||
      c->src_y > SIZE_MAX - c->height || c->dst_y > SIZE_MAX - c->height ||
      c->src_z > SIZE_MAX - c->depth || c->dst_z > SIZE_MAX - c->depth)
    return CU_ERR_INVALID_VALUE;
  r = side_init(&dst, c->dst_type, c->dst_host, c->dst_device, c, true);
  if (r == 0) r = side_init(&src, c->src_type, c->src_host, c->src_device, c, false);
  return r != 0 ? r : queue_rect(call, s, &dst, &src, c);
}

cu_result cpu_cuMemcpy2DAsync (const cu_copy2d *c, cu_stream s) {
  if (c == NULL) return CU_ERR_INVALID_VALUE;
  cu_copy3d d = {
    .src_x = c->src_x,
    .src_y = c->src_y,
    .src_type = c->src_type,
    .src_host = c->src_host,
    .src_device = c->src_device,
    .src_pitch = c->src_pitch,
    .dst_x = c->dst_x,
    .dst_y = c->dst_y,
    .dst_type = c->dst_type,
    .dst_host = c->dst_host,
    .dst_device = c->dst_device,
    .dst_pitch = c->dst_pitch,
    .width = c->width,
    .height = c->height,
    .depth = 1,
  };
  return copy_box("cuMemcpy2DAsync", &d, s);
}

cu_result cpu_cuMemcpy3DAsync (const cu_copy3d *c, cu_stream s) {
  if (c == NULL || c->src_lod != 0 || c->dst_lod != 0) return CU_ERR_INVALID_VALUE;
  return copy_box("cuMemcpy3DAsync", c, s);
}
