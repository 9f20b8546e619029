/* cpu_copy.c: copies and fills. Every address of the device is checked against the allocation map
 * before anything is queued. Host memory that the driver does not know (neither pinned nor
 * registered) is never touched after the call returns: what is read is staged or waited for, what
 * is written is waited for, as libcuda does it. */
#include "cpu_device.h"

#include <string.h>

enum { STAGE_BYTES = 64 * 1024, QUICK_BYTES = 64 * 1024 };

static cpu_how how_for (size_t bytes) { return bytes <= QUICK_BYTES ? CPU_QUICK : CPU_ASYNC; }

static cu_result begin (cu_stream handle, cpu_stream **s) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  *s = cpu_stream_of(handle);
  return *s != NULL ? 0 : CU_ERR_INVALID_HANDLE;
}

/* Waits for what was just queued; faults before it are reported, since this is where a program
 * would notice. */
static cu_result finish (cpu_stream *s, uint64_t seq) {
  cpu_wait(s, seq);
  cpu_print_flush();
  return cpu_fault_take(s, seq);
}


/* ---- one dimension ---- */

/* What the host side of a copy is like. */
typedef enum host_side { HOST_NONE, HOST_KNOWN, HOST_READ, HOST_WRITTEN } host_side;

static void run_copy (cpu_stream *s, cpu_op *op) {
  (void)s;
  memmove(op->copy.dst, op->copy.src, op->copy.n);
}

static cu_result queue_copy (cpu_stream *s, void *dst, const void *src, size_t n, host_side host) {
  cpu_op *op = cpu_op_new(CPU_OP_PLAIN, run_copy);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  op->copy.dst = dst;
  op->copy.src = src;
  op->copy.n = n;
  /* will be copied right now */
  bool idle = host == HOST_READ && n <= QUICK_BYTES && cpu_stream_idle(s);
  if (host == HOST_READ && !idle && n <= STAGE_BYTES && (op->memory = lcu_alloc(n)) != NULL) {
    op->copy.src = memcpy(op->memory, src, n);
    cpu_submit(s, op, CPU_QUICK);
    return 0;
  }
  if (host == HOST_NONE || host == HOST_KNOWN) {
    cpu_submit(s, op, how_for(n));
    return 0;
  }
  uint64_t seq = cpu_submit(s, op, CPU_SYNC);
  if (host == HOST_WRITTEN) return finish(s, seq);
  cpu_wait(s, seq);
  return 0;
}

static host_side side_of (const void *host, size_t n, host_side if_unknown) {
  return cpu_block_holds((uintptr_t)host, n) ? HOST_KNOWN : if_unknown;
}

cu_result cpu_cuMemcpyHtoDAsync (cu_deviceptr dst, const void *src, size_t n, cu_stream handle) {
  cpu_stream *s;
  cu_result r = begin(handle, &s);
  if (r != 0 || n == 0) return r;
  if (src == NULL) return CU_ERR_INVALID_VALUE;
  r = cpu_check_range("cuMemcpyHtoDAsync", dst, n);
  if (r != 0) return r;
  return queue_copy(s, (void *)(uintptr_t)dst, src, n, side_of(src, n, HOST_READ));
}

cu_result cpu_cuMemcpyDtoHAsync (void *dst, cu_deviceptr src, size_t n, cu_stream handle) {
  cpu_stream *s;
  cu_result r = begin(handle, &s);
  if (r != 0 || n == 0) return r;
  if (dst == NULL) return CU_ERR_INVALID_VALUE;
  r = cpu_check_range("cuMemcpyDtoHAsync", src, n);
  if (r != 0) return r;
  return queue_copy(s, dst, (const void *)(uintptr_t)src, n, side_of(dst, n, HOST_WRITTEN));
}

static cu_result device_copy (const char *call, cu_deviceptr dst, cu_deviceptr src, size_t n,
                              cu_stream handle) {
  cpu_stream *s;
  cu_result r = begin(handle, &s);
  if (r != 0 || n == 0) return r;
  r = cpu_check_range(call, dst, n);
  if (r == 0) r = cpu_check_range(call, src, n);
  if (r != 0) return r;
  return queue_copy(s, (void *)(uintptr_t)dst, (const void *)(uintptr_t)src, n, HOST_NONE);
}

cu_result cpu_cuMemcpyDtoDAsync (cu_deviceptr dst, cu_deviceptr src, size_t n, cu_stream s) {
  return device_copy("cuMemcpyDtoDAsync", dst, src, n, s);
}

cu_result cpu_cuMemcpyPeerAsync (cu_deviceptr dst, cu_context dst_ctx, cu_deviceptr src,
                                 cu_context src_ctx, size_t n, cu_stream s) {
  if (dst_ctx != cpu_primary() || src_ctx != cpu_primary()) return CU_ERR_INVALID_CONTEXT;
  return device_copy("cuMemcpyPeerAsync", dst, src, n, s);
}

/* Either side may be any memory: an address in the map is the device's, another one plain host
 * memory. */
cu_result cpu_cuMemcpyAsync (cu_deviceptr dst, cu_deviceptr src, size_t n, cu_stream handle) {
  ptx_range d, f;
  cpu_stream *s;
  cu_result r = begin(handle, &s);
  if (r != 0 || n == 0) return r;
  if (dst == 0 || src == 0) return CU_ERR_INVALID_VALUE;
  bool known_dst = cpu_block_find(dst, &d) && dst - d.base < d.size,
       known_src = cpu_block_find(src, &f) && src - f.base < f.size;
  if (known_dst) r = cpu_check_range("cuMemcpyAsync", dst, n);
  if (r == 0 && known_src) r = cpu_check_range("cuMemcpyAsync", src, n);
  if (r != 0) return r;
  return queue_copy(s, (void *)(uintptr_t)dst, (const void *)(uintptr_t)src, n,
                    !known_dst   ? HOST_WRITTEN
                    : !known_src ? HOST_READ
                                 : HOST_NONE);
}


/* ---- boxes ---- */

/* One side of a 2D or 3D copy: where it starts and how far it reaches. */
typedef struct side {
  uint64_t start;
  size_t pitch, slice, bytes;
  bool device, known;
} side;

static bool multiply_add (size_t a, size_t b, size_t c, size_t *out) {
  size_t m;
  return !__builtin_mul_overflow(a, b, &m) && !__builtin_add_overflow(m, c, out);
}

/* x + y * pitch + z * slice. */
static bool offset_of (const side *s, size_t x, size_t y, size_t z, size_t *out) {
  return multiply_add(y, s->pitch, x, out) && multiply_add(z, s->slice, *out, out);
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
  if (!multiply_add(s->pitch, rows, 0, &s->slice)) return CU_ERR_INVALID_VALUE;
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
    cpu_submit(s, op, how_for(dst->bytes));
    return 0;
  }
  uint64_t seq = cpu_submit(s, op, CPU_SYNC);
  if (!dst->known) return finish(s, seq);
  cpu_wait(s, seq);
  return 0;
}

static cu_result copy_box (const char *call, const cu_copy3d *c, cu_stream handle) {
  side dst, src;
  cpu_stream *s;
  cu_result r = begin(handle, &s);
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


/* ---- fills ---- */

static void fill_row (uint8_t *p, uint32_t value, uint32_t bytes, size_t count) {
  if (bytes == 1) memset(p, (int)(value & 0xff), count);
  else if (bytes == 2) {
    uint16_t v = (uint16_t)value;
    for (size_t i = 0; i < count; i++) memcpy(p + 2 * i, &v, 2);
  } else {
    for (size_t i = 0; i < count; i++) memcpy(p + 4 * i, &value, 4);
  }
}

static void run_fill (cpu_stream *s, cpu_op *op) {
  const cpu_fill *f = &op->fill;
  (void)s;
  for (size_t y = 0; y < f->height; y++)
    fill_row(f->dst + y * f->pitch, f->value, f->bytes, f->count);
}

/* `count` elements of `bytes` bytes in each of `height` rows. */
static cu_result fill (const char *call, cu_deviceptr p, size_t pitch, uint32_t value,
                       uint32_t bytes, size_t count, size_t height, cu_stream handle) {
  cpu_stream *s;
  size_t row, all;
  cu_result r = begin(handle, &s);
  if (r != 0 || count == 0 || height == 0) return r;
  if (p % bytes != 0 || !multiply_add(count, bytes, 0, &row)) return CU_ERR_INVALID_VALUE;
  if (height > 1 && (pitch < row || pitch % bytes != 0)) return CU_ERR_INVALID_VALUE;
  if (!multiply_add(height - 1, pitch, row, &all)) return CU_ERR_INVALID_VALUE;
  r = cpu_check_range(call, p, all);
  if (r != 0) return r;
  cpu_op *op = cpu_op_new(CPU_OP_PLAIN, run_fill);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  op->fill = (cpu_fill){ (uint8_t *)(uintptr_t)p, value, bytes, count, height, pitch };
  cpu_submit(s, op, how_for(all));
  return 0;
}

cu_result cpu_cuMemsetD8Async (cu_deviceptr p, unsigned char v, size_t count, cu_stream s) {
  return fill("cuMemsetD8Async", p, 0, v, 1, count, 1, s);
}

cu_result cpu_cuMemsetD16Async (cu_deviceptr p, unsigned short v, size_t count, cu_stream s) {
  return fill("cuMemsetD16Async", p, 0, v, 2, count, 1, s);
}

cu_result cpu_cuMemsetD32Async (cu_deviceptr p, unsigned v, size_t count, cu_stream s) {
  return fill("cuMemsetD32Async", p, 0, v, 4, count, 1, s);
}

cu_result cpu_cuMemsetD2D8Async (cu_deviceptr p, size_t pitch, unsigned char v, size_t width,
                                 size_t height, cu_stream s) {
  return fill("cuMemsetD2D8Async", p, pitch, v, 1, width, height, s);
}

cu_result cpu_cuMemsetD2D16Async (cu_deviceptr p, size_t pitch, unsigned short v, size_t width,
                                  size_t height, cu_stream s) {
  return fill("cuMemsetD2D16Async", p, pitch, v, 2, width, height, s);
}

cu_result cpu_cuMemsetD2D32Async (cu_deviceptr p, size_t pitch, unsigned v, size_t width,
                                  size_t height, cu_stream s) {
  return fill("cuMemsetD2D32Async", p, pitch, v, 4, width, height, s);
}
