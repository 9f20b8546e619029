/* cpu_fill.c: entry points that fill memory with a value. */
#include "cpu_copy.h"

#include <string.h>

#include "cpu_capture.h"
#include "cpu_driver.h"
#include "cpu_map.h"

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
  for (size_t y = 0; y < f->height; y++) {
    cpu_block_write(f->dst + y * f->pitch, f->bytes * f->count);
    fill_row(f->dst + y * f->pitch, f->value, f->bytes, f->count);
  }
}

cu_result cpu_fill_describe (const char *call, const cu_memset_node *m, bool later, cpu_op *op) {
  size_t row, all;
  uint32_t bytes = m->element_size;
  if (bytes != 1 && bytes != 2 && bytes != 4) return CU_ERR_INVALID_VALUE;
  if (m->dst % bytes != 0 || !cpu_multiply_add(m->width, bytes, 0, &row))
    return CU_ERR_INVALID_VALUE;
  if (m->height > 1 && (m->pitch < row || m->pitch % bytes != 0)) return CU_ERR_INVALID_VALUE;
  if (!cpu_multiply_add(m->height - 1, m->pitch, row, &all)) return CU_ERR_INVALID_VALUE;
  cu_result r = cpu_check_use(call, m->dst, all, later);
  if (r != 0) return r;
  op->run = run_fill;
  op->fill =
    (cpu_fill){ (uint8_t *)(uintptr_t)m->dst, m->value, bytes, m->width, m->height, m->pitch };
  op->used[0] = (cpu_span){ m->dst, all };
  op->used[1] = (cpu_span){ 0 };
  return 0;
}

/* `count` elements of `bytes` bytes in each of `height` rows. */
static cu_result fill (const char *call, cu_deviceptr p, size_t pitch, uint32_t value,
                       uint32_t bytes, size_t count, size_t height, cu_stream handle) {
  cpu_stream *s;
  cu_memset_node m = { p, pitch, value, bytes, count, height };
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0 || count == 0 || height == 0) return r;
  cpu_op *op = cpu_op_new(CPU_OP_PLAIN, run_fill);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  r = cpu_fill_describe(call, &m, cpu_capturing(s), op);
  if (r != 0) cpu_op_discard(op);
  else if (cpu_capturing(s)) r = cpu_capture_op(s, CU_NODE_MEMSET, op, NULL);
  else cpu_submit(s, op, cpu_copy_how(op->used[0].bytes));
  return r;
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
