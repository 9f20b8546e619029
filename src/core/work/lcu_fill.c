/* lcu_fill.c: fills blocks with one value. */
#include <string.h>

#include "lcu_copy.h"
#include "lcu_device_failure.h"
#include "lcu_timeline.h"
#include "lcu_work.h"

/* The smallest width whose repetition gives the value. */
static size_t narrow (const void *value, size_t width) {
  const char *v = value;
  while (width > 1 && memcmp(v, v + width / 2, width / 2) == 0) width /= 2;
  return width;
}

static lcu_status queue_set (lcu_stream *s, cu_deviceptr p, const void *value, size_t width,
                             size_t n) {
  const lcu_driver *drv = s->device->drv;
  uint32_t v4;
  uint16_t v2;
  if (width == 1)
    return LCU_CALL(drv, cuMemsetD8Async, (p, *(const unsigned char *)value, n, s->handle));
  if (width == 2) {
    memcpy(&v2, value, 2);
    return LCU_CALL(drv, cuMemsetD16Async, (p, v2, n, s->handle));
  }
  memcpy(&v4, value, 4);
  return LCU_CALL(drv, cuMemsetD32Async, (p, v4, n, s->handle));
}

/* The driver has no call for wider values: the host writes a first piece, and copies double it. */
static lcu_status queue_doubling (lcu_stream *s, cu_deviceptr p, size_t done, size_t bytes) {
  while (done < bytes) {
    size_t piece = done < bytes - done ? done : bytes - done;
    LCU_TRY(LCU_CALL(s->device->drv, cuMemcpyDtoDAsync, (p + done, p, piece, s->handle)));
    done += piece;
  }
  return LCU_OK;
}

static lcu_status fill_wide (lcu_block *dst, size_t offset, const void *value, size_t width,
                             size_t n, lcu_stream *s) {
  char first[4096];
  const lcu_use use = { dst, true };
  lcu_scope scope;
  size_t bytes = n * width, piece = bytes < sizeof first ? bytes : sizeof first;
  for (size_t i = 0; i < piece; i += width) memcpy(first + i, value, width);
  LCU_TRY(lcu_copy_in(dst, offset, first, piece, s));
  if (piece == bytes) return LCU_OK;
  LCU_TRY(lcu_copy_begin(s, &scope, &use, 1));
  if (lcu_timeline_on()) lcu_timeline_fill(bytes);
  lcu_status st = queue_doubling(s, dst->address + offset, piece, bytes);
  return lcu_copy_end(s, &scope, &use, 1, lcu_device_status(s->device, st));
}

lcu_status lcu_fill (lcu_block *dst, size_t offset, const void *value, size_t width, size_t n,
                     lcu_stream *s) {
  const lcu_use use = { dst, true };
  lcu_scope scope;
  if (n == 0 || width == 0) return lcu_process_check();
  s = lcu_copy_stream(dst, s);
  size_t unit = narrow(value, width);
  if (unit > 4) return fill_wide(dst, offset, value, width, n, s);
  LCU_TRY(lcu_copy_begin(s, &scope, &use, 1));
  if (lcu_timeline_on()) lcu_timeline_fill(n * width);
  lcu_status st = queue_set(s, dst->address + offset, value, unit, n * (width / unit));
  return lcu_copy_end(s, &scope, &use, 1, lcu_device_status(dst->device, st));
}
