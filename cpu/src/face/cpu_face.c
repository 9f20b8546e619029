/* cpu_face.c: entry points made of others. */
#include "cpu_face.h"

#include "lcu_file.h"

cu_result face_wait (cu_result queued) {
  return queued != 0 ? queued : face.cuStreamSynchronize(NULL);
}

cu_result face_device_of (cu_device *dev, cu_context ctx) {
  if (dev == NULL) return CU_ERR_INVALID_VALUE;
  return cpu_context_is(ctx) ? face.cuDeviceGet(dev, ctx->device) : CU_ERR_INVALID_CONTEXT;
}

cu_result face_current_device (cu_device *dev) {
  cu_context current = NULL;
  if (dev == NULL) return CU_ERR_INVALID_VALUE;
  cu_result r = face.cuCtxGetCurrent(&current);
  return r == 0 ? face_device_of(dev, current) : r;
}

cu_result face_synchronize (cu_context ctx) {
  cu_context same;
  if (ctx == NULL) return face.cuCtxSynchronize();
  cu_result r = face.cuCtxPushCurrent(ctx);
  if (r != 0) return r;
  r = face.cuCtxSynchronize();
  face.cuCtxPopCurrent(&same);
  return r;
}

cu_device face_device_at (cu_mem_location at) {
  enum { DEVICE = 1, HOST = 2, NONE = -1000 };
  return at.type == DEVICE ? at.id : at.type == HOST ? CU_DEVICE_HOST : NONE;
}

cu_result face_alloc_async (cu_deviceptr *p, size_t n, cu_stream s) {
  int priority;
  cu_result r = face.cuStreamGetPriority(s, &priority); /* is it a stream? */
  return r == 0 ? face.cuMemAlloc(p, n) : r;
}

cu_result face_alloc_rows (cu_deviceptr *p, size_t *pitch, size_t width, size_t height,
                           unsigned element) {
  enum { UNIT = 512 };
  if (pitch == NULL || width == 0 || height == 0) return CU_ERR_INVALID_VALUE;
  if (element != 4 && element != 8 && element != 16) return CU_ERR_INVALID_VALUE;
  if (width > SIZE_MAX - UNIT) return CU_ERR_INVALID_VALUE;
  size_t bytes = (width + UNIT - 1) / UNIT * UNIT;
  if (bytes > SIZE_MAX / height) return CU_ERR_OUT_OF_MEMORY;
  cu_result r = face.cuMemAlloc(p, bytes * height);
  if (r == 0) *pitch = bytes;
  return r;
}

/* The text gets the zero byte that ends it. */
static cu_result load (cu_module *m, lcu_buf *text) {
  lcu_buf_add(text, "", 1);
  return text->failed ? CU_ERR_OUT_OF_MEMORY
                      : face.cuModuleLoadDataEx(m, text->data, 0, NULL, NULL);
}

cu_result face_load_file (cu_module *m, const char *path) {
  lcu_buf text = { 0 };
  if (m == NULL || path == NULL) return CU_ERR_INVALID_VALUE;
  lcu_status s = lcu_file_read(path, LCU_FILE_ANY, &text);
  cu_result r = s == LCU_OK            ? load(m, &text)
                : s == LCU_E_NOT_FOUND ? CU_ERR_FILE_NOT_FOUND
                                       : CU_ERR_INVALID_VALUE;
  lcu_buf_free(&text);
  return r;
}

cu_result face_capture_info (cu_stream s, int *status, uint64_t *id, cu_graph *g,
                             const cu_graph_node **deps, const cu_edge_data **data, size_t *n) {
  static const cu_edge_data plain[8192];
  size_t count = 0;
  cu_result r = face.cuStreamGetCaptureInfo(s, status, id, g, deps, &count);
  if (r == 0 && data != NULL && count > lcu_arraylen(plain)) r = CU_ERR_NOT_SUPPORTED;
  if (r == 0 && data != NULL) *data = plain;
  if (r == 0 && n != NULL) *n = count;
  return r;
}

cu_result face_range_of (cu_deviceptr *base, size_t *size, cu_deviceptr p) {
  cu_deviceptr first = 0;
  size_t bytes = 0;
  cu_result r = face.cuPointerGetAttribute(&first, CU_POINTER_RANGE_START_ADDR, p);
  if (r == 0) r = face.cuPointerGetAttribute(&bytes, CU_POINTER_RANGE_SIZE, p);
  if (r != 0) return r == CU_ERR_INVALID_VALUE ? CU_ERR_NOT_FOUND : r;
  if (base != NULL) *base = first;
  if (size != NULL) *size = bytes;
  return 0;
}
