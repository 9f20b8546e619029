/* cpu_box.c: two- and three-dimensional copies. Host memory is treated as in cpu_copy.c. */
#include "cpu_copy.h"

#include <string.h>

#include "cpu_array.h"
#include "cpu_capture.h"
#include "cpu_driver.h"
#include "cpu_map.h"

/* One side of a 2D or 3D copy, as the caller describes it. */
typedef struct place {
  int type; /* CU_MEMTYPE_... */
  const void *host;
  cu_deviceptr device;
  cu_array array;
  size_t x, y, z, pitch, height;
} place;

/* The memory of one side: `bytes` from the first byte to the last. */
typedef struct side {
  uint64_t start;
  size_t pitch, slice, bytes;
  bool device, known; /* device: to be checked against the map; known: in the map */
} side;

static place source_of (const cu_copy3d *c) {
  return (place){
    .type = c->src_type,
    .host = c->src_host,
    .device = c->src_device,
    .array = c->src_array,
    .x = c->src_x,
    .y = c->src_y,
    .z = c->src_z,
    .pitch = c->src_pitch,
    .height = c->src_height,
  };
}

static place destination_of (const cu_copy3d *c) {
  return (place){
    .type = c->dst_type,
    .host = c->dst_host,
    .device = c->dst_device,
    .array = c->dst_array,
    .x = c->dst_x,
    .y = c->dst_y,
    .z = c->dst_z,
    .pitch = c->dst_pitch,
    .height = c->dst_height,
  };
}

/* x + y * pitch + z * slice. */
static bool offset_of (const side *s, size_t x, size_t y, size_t z, size_t *out) {
  return cpu_multiply_add(y, s->pitch, x, out) && cpu_multiply_add(z, s->slice, *out, out);
}

/* Do the rows and slices of the box fit into the pitch and height of the place? */
static bool fits (const place *p, const cu_copy3d *c, size_t rows) {
  bool many_rows = c->height > 1 || c->depth > 1 || p->y > 0 || p->z > 0,
       many_slices = c->depth > 1 || p->z > 0;
  if (many_rows && (p->pitch < c->width || p->pitch - c->width < p->x)) return false;
  return !many_slices || (rows >= c->height && rows - c->height >= p->y);
}

/* A box of an array. Layers and faces follow each other as slices do. */
static cu_result array_side (side *s, const place *p, const cu_copy3d *c) {
  const cpu_array_view *v = cpu_array_view_of(p->array);
  if (v == NULL) return p->array == NULL ? CU_ERR_INVALID_VALUE : CU_ERR_INVALID_HANDLE;
  const ptx_image *m = &v->levels[0];
  size_t slices = (size_t)m->extent[2] * v->layers;
  if (p->x + c->width > m->pitch || p->y + c->height > m->extent[1] || p->z + c->depth > slices ||
      p->x % v->texel_bytes != 0 || c->width % v->texel_bytes != 0)
    return CU_ERR_INVALID_VALUE;
  s->pitch = m->pitch;
  s->slice = m->slice;
  s->start = (uintptr_t)m->texels + p->x + p->y * m->pitch + p->z * m->slice;
  s->bytes = (c->depth - 1) * m->slice + (c->height - 1) * m->pitch + c->width;
  s->device = s->known = true;
  return 0;
}

static cu_result side_init (side *s, place p, const cu_copy3d *c, bool later) {
  size_t first, last;
  ptx_range r;
  if (p.type == CU_MEMTYPE_ARRAY) return array_side(s, &p, c);
  if (p.type != CU_MEMTYPE_HOST && p.type != CU_MEMTYPE_DEVICE && p.type != CU_MEMTYPE_UNIFIED)
    return CU_ERR_INVALID_VALUE;
  uint64_t base = p.type == CU_MEMTYPE_HOST ? (uintptr_t)p.host : p.device;
  if (base == 0) return CU_ERR_INVALID_VALUE;
  /* The height may be left out when one slice is copied. */
  size_t rows = p.height != 0 ? p.height : p.y + c->height;
  s->pitch = p.pitch;
  if (!fits(&p, c, rows) || !cpu_multiply_add(p.pitch, rows, 0, &s->slice) ||
      !offset_of(s, p.x, p.y, p.z, &first) ||
      !offset_of(s, p.x + c->width, p.y + c->height - 1, p.z + c->depth - 1, &last))
    return CU_ERR_INVALID_VALUE;
  s->start = base + first;
  s->bytes = last - first;
  s->known = cpu_block_holds(s->start, s->bytes, later);
  s->device =
    p.type == CU_MEMTYPE_DEVICE ||
    (p.type == CU_MEMTYPE_UNIFIED && cpu_block_find(s->start, &r) && s->start - r.base < r.size);
  return 0;
}

/* Moves row by row. If the boxes overlap, the result is undefined, as with libcuda, but nothing
 * else is damaged. */
static void run_box (cpu_stream *s, cpu_op *op) {
  const cpu_box *r = &op->box;
  (void)s;
  for (size_t z = 0; z < r->depth; z++)
    for (size_t y = 0; y < r->height; y++) {
      uint8_t *dst = r->dst + z * r->dst_slice + y * r->dst_pitch;
      const uint8_t *src = r->src + z * r->src_slice + y * r->src_pitch;
      cpu_block_copy(dst, src, r->width);
      memmove(dst, src, r->width);
    }
}

static void fill_box (cpu_op *op, const side *dst, const side *src, const cu_copy3d *c) {
  op->run = run_box;
  op->box = (cpu_box){
    .dst = (uint8_t *)(uintptr_t)dst->start,
    .src = (const uint8_t *)(uintptr_t)src->start,
    .dst_pitch = dst->pitch,
    .dst_slice = dst->slice,
    .src_pitch = src->pitch,
    .src_slice = src->slice,
    .width = c->width,
    .height = c->height,
    .depth = c->depth,
  };
  op->used[0] = (cpu_span){ dst->start, dst->known ? dst->bytes : 0 };
  op->used[1] = (cpu_span){ src->start, src->known ? src->bytes : 0 };
}

cu_result cpu_copy_describe (const char *call, const cu_copy3d *c, bool later, cpu_op *op) {
  side dst, src;
  if (c->src_x > SIZE_MAX - c->width || c->dst_x > SIZE_MAX - c->width ||
      c->src_y > SIZE_MAX - c->height || c->dst_y > SIZE_MAX - c->height ||
      c->src_z > SIZE_MAX - c->depth || c->dst_z > SIZE_MAX - c->depth)
    return CU_ERR_INVALID_VALUE;
  cu_result r = side_init(&dst, destination_of(c), c, later);
  if (r == 0) r = side_init(&src, source_of(c), c, later);
  if (r == 0 && dst.device) r = cpu_check_use(call, dst.start, dst.bytes, later);
  if (r == 0 && src.device) r = cpu_check_use(call, src.start, src.bytes, later);
  if (r == 0) fill_box(op, &dst, &src, c);
  return r;
}

/* Waits for the copy unless the map has both sides. */
static cu_result queue_box (cpu_stream *s, cpu_op *op) {
  bool known_dst = op->used[0].bytes != 0, known_src = op->used[1].bytes != 0;
  if (known_dst && known_src) {
    cpu_submit(s, op, cpu_copy_how(op->used[0].bytes));
    return 0;
  }
  uint64_t seq = cpu_submit(s, op, CPU_SYNC);
  if (!known_dst) return cpu_copy_finish(s, seq);
  cpu_wait(s, seq);
  return 0;
}

static cu_result copy_box (const char *call, const cu_copy3d *c, cu_stream handle) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0 || c->width == 0 || c->height == 0 || c->depth == 0) return r;
  cpu_op *op = cpu_op_new(CPU_OP_PLAIN, run_box);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  r = cpu_copy_describe(call, c, cpu_capturing(s), op);
  if (r != 0) cpu_op_discard(op);
  else if (cpu_capturing(s)) r = cpu_capture_op(s, CU_NODE_MEMCPY, op, c);
  else r = queue_box(s, op);
  return r;
}

cu_result cpu_cuMemcpy2DAsync (const cu_copy2d *c, cu_stream s) {
  if (c == NULL) return CU_ERR_INVALID_VALUE;
  cu_copy3d d = {
    .src_x = c->src_x,
    .src_y = c->src_y,
    .src_type = c->src_type,
    .src_host = c->src_host,
    .src_device = c->src_device,
    .src_array = c->src_array,
    .src_pitch = c->src_pitch,
    .dst_x = c->dst_x,
    .dst_y = c->dst_y,
    .dst_type = c->dst_type,
    .dst_host = c->dst_host,
    .dst_device = c->dst_device,
    .dst_array = c->dst_array,
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
