/* cpu_face.c: entry points made of others. */
#include "cpu_face.h"

#include "gpus.h"
#include "lcu_file.h"

cu_result face_wait (cu_result queued) {
  return queued != 0 ? queued : face.cuStreamSynchronize(NULL);
}

cu_result face_no_table (const void **table, const cu_uuid *id) {
  if (table == NULL || id == NULL) return CU_ERR_INVALID_VALUE;
  *table = NULL;
  return CU_ERR_NOT_FOUND;
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

cu_result face_attach (cu_context *ctx) {
  if (ctx == NULL) return CU_ERR_INVALID_VALUE;
  cu_result r = face.cuCtxGetCurrent(ctx);
  if (r != 0 || *ctx == NULL) return r != 0 ? r : CU_ERR_INVALID_CONTEXT;
  atomic_fetch_add(&(*ctx)->attached, 1);
  return 0;
}

cu_result face_detach (cu_context ctx) {
  if (!cpu_context_is(ctx)) return CU_ERR_INVALID_CONTEXT;
  if (atomic_load(&ctx->attached) == 0) return face.cuCtxDestroy(ctx);
  atomic_fetch_sub(&ctx->attached, 1);
  return 0;
}

cu_result face_block_shape (cu_function f, int x, int y, int z) {
  int most;
  cu_result r = face.cuFuncGetAttribute(&most, CU_FUNC_MAX_THREADS_PER_BLOCK, f);
  if (r != 0) return r;
  bool ok = x > 0 && y > 0 && z > 0 && (int64_t)x * y <= most && (int64_t)x * y * z <= most;
  return ok ? 0 : CU_ERR_INVALID_VALUE;
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
  enum { DEVICE = 1, HOST, HOST_NODE, HOST_NODE_HERE, NONE = -1000 };
  if (at.type == DEVICE) return at.id;
  bool host = at.type == HOST || (at.type == HOST_NODE && at.id == 0) || at.type == HOST_NODE_HERE;
  return host ? CU_DEVICE_HOST : NONE; /* the host's memory is one node */
}

static cu_result check_device (cu_device dev) {
  int unused;
  return face.cuDeviceGetAttribute(&unused, CU_ATTR_warp_size, dev);
}

cu_result face_capability (int *major, int *minor, cu_device dev) {
  cu_result r = face.cuDeviceGetAttribute(major, CU_ATTR_compute_capability_major, dev);
  return r == 0 ? face.cuDeviceGetAttribute(minor, CU_ATTR_compute_capability_minor, dev) : r;
}

cu_result face_peer_attribute (int *value, int attr, cu_device dev, cu_device peer) {
  enum { RANK = 1, ACCESS, ATOMICS, ARRAYS };
  if (value == NULL || attr < RANK || attr > ARRAYS || dev == peer) return CU_ERR_INVALID_VALUE;
  cu_result r = face.cuDeviceCanAccessPeer(value, dev, peer);
  if (attr != ACCESS && attr != ATOMICS) *value = 0;
  return r;
}

cu_result face_stream_context (cu_stream s, cu_context *ctx, cu_green_ctx *green) {
  cu_result r = cpu_cuStreamGetCtx(s, ctx);
  if (r == 0 && green != NULL) *green = NULL;
  return r;
}

cu_result face_stream_device (cu_stream s, cu_device *dev) {
  cu_context ctx;
  cu_result r = cpu_cuStreamGetCtx(s, &ctx);
  return r == 0 ? face_device_of(dev, ctx) : r;
}


/* ---- callbacks ---- */

typedef struct callback {
  cu_stream stream;
  cu_stream_callback fn;
  void *ud;
} callback;

static void call_back (void *ud) {
  callback *c = ud;
  c->fn(c->stream, 0, c->ud);
  lcu_free(c);
}

/* A graph would call it more than once. */
cu_result face_add_callback (cu_stream s, cu_stream_callback fn, void *ud) {
  int status;
  cu_result r = face.cuStreamIsCapturing(s, &status);
  if (r == 0 && fn == NULL) r = CU_ERR_INVALID_VALUE;
  if (r == 0 && status != CU_CAPTURE_NONE) r = CU_ERR_STREAM_CAPTURE_UNSUPPORTED;
  callback *c = r == 0 ? lcu_alloc(sizeof *c) : NULL;
  if (c == NULL) return r != 0 ? r : CU_ERR_OUT_OF_MEMORY;
  *c = (callback){ s, fn, ud };
  r = face.cuLaunchHostFunc(s, call_back, c);
  if (r != 0) lcu_free(c);
  return r;
}


/* ---- pools and memory ---- */

cu_result face_pool (cu_mempool *pool, cu_device dev, cpu_pool *(*of)(cu_device dev)) {
  cu_result r = check_device(dev);
  return r == 0 ? cpu_device_pool(pool, dev, of) : r;
}

cu_result face_set_pool (cu_device dev, cu_mempool pool) {
  cu_result r = check_device(dev);
  return r == 0 ? cpu_device_set_pool(dev, pool) : r;
}

cu_result face_pool_place (const cu_mem_location *at, int type) {
  if (at == NULL) return CU_ERR_INVALID_VALUE;
  return at->type == 1 && type == 1 ? 0 : CU_ERR_NOT_SUPPORTED;
}

cu_result face_pool_access (int *flags, cu_mempool pool, const cu_mem_location *at) {
  cu_result r = face.cuMemPoolTrimTo(pool, SIZE_MAX); /* is it a pool? */
  if (r == 0 && (flags == NULL || at == NULL || at->type != 1)) r = CU_ERR_INVALID_VALUE;
  if (r == 0) r = check_device(at->id);
  if (r != 0) return r;
  cu_device owner = cpu_pool_device(pool);
  bool may = at->id == owner || gpus_reach_pools(at->id, owner);
  *flags = may ? CU_ACCESS_BOTH : 0;
  return 0;
}

cu_result face_alloc_async (cu_deviceptr *p, size_t n, cu_stream s) {
  cu_device dev = 0;
  cu_mempool pool = NULL;
  cu_result r = face_current_device(&dev);
  if (r == 0) r = face_pool(&pool, dev, cpu_pool_current);
  return r == 0 ? face.cuMemAllocFromPoolAsync(p, n, pool, s) : r;
}

cu_result face_create_array (cu_array *a, const cu_array_desc2 *d) {
  if (d == NULL) return CU_ERR_INVALID_VALUE;
  return face.cuArray3DCreate(
    a, &(cu_array_desc){
         .width = d->width, .height = d->height, .format = d->format, .channels = d->channels });
}

cu_result face_describe_array (cu_array_desc2 *d, cu_array a) {
  cu_array_desc all;
  if (d == NULL) return CU_ERR_INVALID_VALUE;
  cu_result r = face.cuArray3DGetDescriptor(&all, a);
  if (r == 0) *d = (cu_array_desc2){ all.width, all.height, all.format, all.channels };
  return r;
}

/* The places of the contexts are reserved in other copies. All memory can be reached. */
cu_result face_copy_peer (const cu_copy3d_peer *c, cu_stream s) {
  if (c == NULL) return CU_ERR_INVALID_VALUE;
  cu_copy3d plain = *c;
  plain.reserved0 = plain.reserved1 = NULL;
  return face.cuMemcpy3DAsync(&plain, s);
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


/* ---- code ---- */

cu_result face_kernel (cu_kernel k, cu_device dev) {
  cu_library l;
  cu_result r = cpu_cuKernelGetLibrary(&l, k);
  return r == 0 ? check_device(dev) : r;
}

/* A kernel is translated when it is looked up. */
cu_result face_loading_mode (int *mode) {
  enum { LAZY = 2 };
  if (mode == NULL) return CU_ERR_INVALID_VALUE;
  *mode = LAZY;
  return cpu_enter_driver();
}

/* The file, and the zero byte that ends a text. */
static cu_result read_file (const char *path, lcu_buf *text) {
  if (path == NULL) return CU_ERR_INVALID_VALUE;
  lcu_status s = lcu_file_read(path, LCU_FILE_ANY, text);
  if (s != LCU_OK) return s == LCU_E_NOT_FOUND ? CU_ERR_FILE_NOT_FOUND : CU_ERR_INVALID_VALUE;
  lcu_buf_add(text, "", 1);
  return text->failed ? CU_ERR_OUT_OF_MEMORY : 0;
}

cu_result face_load_file (cu_module *m, const char *path) {
  lcu_buf text = { 0 };
  cu_result r = read_file(path, &text);
  if (r == 0) r = face.cuModuleLoadDataEx(m, text.data, 0, NULL, NULL);
  lcu_buf_free(&text);
  return r;
}

cu_result face_library_file (cu_library *l, const char *path, int *jit_options, void **jit_values,
                             unsigned jit_n, int *options, void **values, unsigned n) {
  lcu_buf text = { 0 };
  cu_result r = read_file(path, &text);
  if (r == 0)
    r = cpu_cuLibraryLoadData(l, text.data, jit_options, jit_values, jit_n, options, values, n);
  lcu_buf_free(&text);
  return r;
}

cu_result face_link_file (cu_link l, int kind, const char *path, unsigned n, int *options,
                          void **values) {
  lcu_buf text = { 0 };
  cu_result r = read_file(path, &text);
  if (r == 0) r = face.cuLinkAddData(l, kind, text.data, text.len, path, n, options, values);
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
