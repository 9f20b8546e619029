/* cpu_driver_memory.h: tests of the device, contexts, allocations, pools, copies and fills. */
#ifndef CPU_DRIVER_MEMORY_H
#define CPU_DRIVER_MEMORY_H

#include "cpu_driver_check.h"

static void test_before_init (void) {
  int n;
  cu_context c;
  cu_deviceptr p;
  live_at_start = lcu_mem_live();
  RESULT(NOT_INITIALIZED, d->cuDeviceGetCount(&n));
  RESULT(NOT_INITIALIZED, d->cuDevicePrimaryCtxRetain(&c, 0));
  RESULT(NOT_INITIALIZED, d->cuMemAlloc(&p, 4));
  RESULT(NOT_INITIALIZED, d->cuCtxSynchronize());
  OK(d->cuDriverGetVersion(&n));
  CHECK(n >= 12000);
  OK(d->cuxShutdown());
  RESULT(NOT_INITIALIZED, d->cuProfilerStart());
  CHECK(strcmp(d->kind, "cpu") == 0);
}

static void refused (const char *variable, const char *value) {
  setenv(variable, value, 1);
  cu_result r = d->cuInit(0);
  CHECK(r == CU_ERR_INVALID_VALUE);
  CHECK(strstr(words("cuInit", r), variable) != NULL);
  unsetenv(variable);
}

static void test_settings (void) {
  refused("LUACUDA_CPU_ARCH", "70");
  refused("LUACUDA_CPU_THREADS", "none");
  refused("LUACUDA_CPU_CHECK", "some");
  refused("LUACUDA_CPU_MEMORY", "12Q");
  refused("LUACUDA_CPU_MEMORY", "-1");
  start("LUACUDA_CPU_ARCH", "90");
  int v = 0;
  OK(d->cuDeviceGetAttribute(&v, CU_ATTR_compute_capability_major, 0));
  CHECK(v == 9);
  stop();
  start("LUACUDA_CPU_THREADS", "3");
  OK(d->cuDeviceGetAttribute(&v, CU_ATTR_multiprocessor_count, 0));
  CHECK(v == 3);
  stop();
}

static int attribute (int attr) {
  int v = -1;
  OK(d->cuDeviceGetAttribute(&v, attr, 0));
  return v;
}

static void test_device (void) {
  int n = 0, v;
  cu_device dev = -1;
  char text[128];
  size_t total = 0;
  cu_uuid uuid;
  OK(d->cuDeviceGetCount(&n));
  OK(d->cuDeviceGet(&dev, 0));
  CHECK(n >= 1 && dev == 0);
  RESULT(INVALID_DEVICE, d->cuDeviceGet(&dev, n));
  OK(d->cuDeviceGetName(text, sizeof text, 0));
  ON_CPU(CHECK(strncmp(text, "CPU", 3) == 0));
  OK(d->cuDeviceGetName(text, 4, 0));
  CHECK(strlen(text) == 3);
  OK(d->cuDeviceGetUuid(&uuid, 0));
  OK(d->cuDeviceTotalMem(&total, 0));
  CHECK(total > 1 << 20);
  OK(d->cuDeviceGetPCIBusId(text, sizeof text, 0));
  OK(d->cuDeviceGetByPCIBusId(&dev, text));
  RESULT(INVALID_DEVICE, d->cuDeviceGetByPCIBusId(&dev, "00f0:01:00.0"));
  CHECK(attribute(CU_ATTR_warp_size) == 32 && attribute(CU_ATTR_max_threads_per_block) == 1024);
  CHECK(attribute(CU_ATTR_max_shared_memory_per_block) == 49152 &&
        attribute(CU_ATTR_memory_pools_supported) == 1);
  ON_CPU(CHECK(attribute(CU_ATTR_compute_capability_major) == 8 &&
               attribute(CU_ATTR_compute_capability_minor) == 0));
  ON_CPU(CHECK(attribute(CU_ATTR_max_shared_memory_per_block_optin) == 163 * 1024 &&
               attribute(CU_ATTR_ecc_enabled) == 0));
  for (size_t i = 0; lcu_attr_at(i, &n) != NULL; i++) OK(d->cuDeviceGetAttribute(&v, n, 0));
  RESULT(INVALID_VALUE, d->cuDeviceGetAttribute(&v, 0, 0));
  RESULT(INVALID_VALUE, d->cuDeviceGetAttribute(&v, 100000, 0));
  RESULT(INVALID_VALUE, d->cuDeviceGetAttribute(&v, -1, 0));
}

static void *without_context (void *ud) {
  cu_deviceptr p;
  cu_context c = context;
  (void)ud;
  OK(d->cuCtxGetCurrent(&c));
  CHECK(c == NULL);
  RESULT(INVALID_CONTEXT, d->cuMemAlloc(&p, 16));
  RESULT(INVALID_CONTEXT, d->cuCtxPopCurrent(&c));
  return NULL;
}

static void test_contexts (void) {
  cu_context c = NULL;
  unsigned flags = 9;
  int active = 0, config = -1;
  unsigned version = 0;
  pthread_t t;
  size_t limit = 0;
  pthread_create(&t, NULL, without_context, NULL);
  pthread_join(t, NULL);
  OK(d->cuCtxPushCurrent(context));
  OK(d->cuCtxPopCurrent(&c));
  CHECK(c == context);
  OK(d->cuCtxGetCurrent(&c));
  CHECK(c == context);
  OK(d->cuCtxSetCurrent(NULL));
  OK(d->cuCtxGetCurrent(&c));
  CHECK(c == NULL);
  OK(d->cuCtxSetCurrent(context));
  ON_CPU(RESULT(INVALID_CONTEXT, d->cuCtxPushCurrent((cu_context)&flags)));
  OK(d->cuDevicePrimaryCtxGetState(0, &flags, &active));
  CHECK(active == 1);
  OK(d->cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE_));
  CHECK(limit == 8 << 20);
  OK(d->cuCtxSetLimit(CU_LIMIT_STACK_SIZE_, 4096));
  OK(d->cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE_));
  CHECK(limit >= 4096);
  OK(d->cuCtxSetLimit(CU_LIMIT_STACK_SIZE_, 8192));
  RESULT(INVALID_VALUE, d->cuCtxGetLimit(&limit, 77));
  OK(d->cuCtxSetCacheConfig(CU_CACHE_PREFER_L1_));
  OK(d->cuCtxGetCacheConfig(&config));
  CHECK(config == CU_CACHE_PREFER_L1_);
  OK(d->cuCtxSetCacheConfig(CU_CACHE_PREFER_NONE_));
  RESULT(INVALID_VALUE, d->cuCtxSetCacheConfig(CU_CACHE_CONFIGS_));
  OK(d->cuCtxGetApiVersion(context, &version));
  CHECK(version == 3020);
  RESULT(PEER_ACCESS_NOT_ENABLED, d->cuCtxDisablePeerAccess(context));
}

static void test_alloc (void) {
  cu_deviceptr p, q, base = 0;
  size_t size = 0, before, after, total;
  RESULT(INVALID_VALUE, d->cuMemAlloc(&p, 0));
  RESULT(OUT_OF_MEMORY, d->cuMemAlloc(&p, (size_t)1 << 60));
  OK(d->cuMemGetInfo(&before, &total));
  p = device_alloc(1000);
  q = device_alloc(1 << 20);
  OK(d->cuMemGetInfo(&after, &total));
  CHECK(p % 256 == 0 && q % 256 == 0 && p != q);
  ON_CPU(CHECK(before - after >= 1000 + (1 << 20)));
  CHECK(after < total);
  OK(d->cuPointerGetAttribute(&base, CU_POINTER_RANGE_START_ADDR, p + 999));
  OK(d->cuPointerGetAttribute(&size, CU_POINTER_RANGE_SIZE, p + 999));
  CHECK(base == p && size == 1000);
  ON_CPU(
    RESULT(INVALID_VALUE, d->cuPointerGetAttribute(&base, CU_POINTER_RANGE_START_ADDR, p + 1000)));
  RESULT(INVALID_VALUE, d->cuMemFree(p + 8));
  OK(d->cuMemFree(p));
  RESULT(INVALID_VALUE, d->cuMemFree(p));
  ON_CPU(CHECK(strstr(words("cuMemFree", d->cuMemFree(p)), "already freed") != NULL));
  RESULT(INVALID_VALUE, d->cuPointerGetAttribute(&base, CU_POINTER_RANGE_START_ADDR, p));
  OK(d->cuMemFree(q));
  OK(d->cuMemFree(0));
  OK(d->cuMemGetInfo(&after, &total));
  CHECK(after == before);
}

/* Compares the allocation map with a plain list. */
static void test_map (void) {
  enum { N = 600 };
  static cu_deviceptr base[N];
  static size_t size[N];
  unsigned seed = 12345, bad = 0;
  memset(base, 0, sizeof base);
  for (int round = 0; round < 6000; round++) {
    seed = seed * 1664525u + 1013904223u;
    unsigned i = (seed >> 8) % N;
    if (base[i] != 0) {
      cu_deviceptr at = 0;
      size_t n = 0, inside = (seed >> 4) % size[i];
      bad += d->cuPointerGetAttribute(&at, CU_POINTER_RANGE_START_ADDR, base[i] + inside) != 0 ||
             at != base[i];
      bad +=
        d->cuPointerGetAttribute(&n, CU_POINTER_RANGE_SIZE, base[i] + inside) != 0 || n != size[i];
      bad += on_cpu && d->cuPointerGetAttribute(&at, CU_POINTER_RANGE_START_ADDR,
                                                base[i] + size[i]) != CU_ERR_INVALID_VALUE;
      bad += d->cuMemFree(base[i]) != 0;
      base[i] = 0;
    } else {
      size[i] = 1 + (seed >> 3) % 5000;
      bad += d->cuMemAlloc(&base[i], size[i]) != 0;
      if (on_cpu) memset((void *)(uintptr_t)base[i], (int)i, size[i]);
    }
  }
  for (unsigned i = 0; i < N; i++) {
    if (base[i] == 0) continue;
    const unsigned char *p = (const unsigned char *)(uintptr_t)base[i];
    bad += on_cpu && (p[0] != (unsigned char)i || p[size[i] - 1] != (unsigned char)i);
    bad += d->cuMemFree(base[i]) != 0;
  }
  CHECK(bad == 0);
}

static void test_host_memory (void) {
  void *p = NULL;
  cu_deviceptr m = 0, dp = 0;
  unsigned type = 0;
  static char mine[4096];
  OK(d->cuMemHostAlloc(&p, 4096, 0));
  OK(d->cuMemHostGetDevicePointer(&dp, p, 0));
  CHECK(dp == (uintptr_t)p);
  OK(d->cuPointerGetAttribute(&type, CU_POINTER_MEMORY_TYPE, dp));
  CHECK(type == CU_MEMTYPE_HOST);
  RESULT(INVALID_VALUE, d->cuMemFree(dp));
  OK(d->cuMemFreeHost(p));
  RESULT(INVALID_VALUE, d->cuMemFreeHost(p));
  OK(d->cuMemAllocManaged(&m, 64, CU_MEM_ATTACH_GLOBAL_));
  OK(d->cuPointerGetAttribute(&type, CU_POINTER_IS_MANAGED, m));
  CHECK(type == 1);
  OK(d->cuMemFree(m));
  RESULT(HOST_MEMORY_NOT_REGISTERED, d->cuMemHostUnregister(mine));
  OK(d->cuMemHostRegister(mine, sizeof mine, 0));
  RESULT(HOST_MEMORY_ALREADY_REGISTERED, d->cuMemHostRegister(mine + 8, 8, 0));
  OK(d->cuMemHostGetDevicePointer(&dp, mine + 100, 0));
  CHECK(dp == (uintptr_t)mine + 100);
  OK(d->cuMemHostUnregister(mine));
  RESULT(INVALID_VALUE, d->cuMemHostGetDevicePointer(&dp, mine, 0));
}

static uint64_t pool_number (cu_mempool pool, int attr) {
  uint64_t v = 0;
  OK(d->cuMemPoolGetAttribute(pool, attr, &v));
  return v;
}

static void test_managed (void) {
  unsigned flags = 0;
  void *h = NULL;
  cu_deviceptr m = 0;
  cu_stream s = new_stream(0);
  OK(d->cuMemHostAlloc(&h, 64, CU_HOSTALLOC_PORTABLE));
  OK(d->cuMemHostGetFlags(&flags, h));
  CHECK((flags & CU_HOSTALLOC_PORTABLE) != 0 && (flags & CU_HOSTALLOC_WRITECOMBINED) == 0);
  RESULT(INVALID_VALUE, d->cuMemHostGetFlags(&flags, NULL));
  OK(d->cuMemAllocManaged(&m, 4096, CU_MEM_ATTACH_GLOBAL_));
  for (int advice = CU_ADVISE_READ_MOSTLY; advice <= CU_ADVISE_UNSET_ACCESSED_BY; advice++)
    OK(d->cuMemAdvise(m, 4096, advice, 0));
  OK(d->cuMemAdvise(m, 4096, CU_ADVISE_PREFERRED_LOCATION, CU_DEVICE_HOST));
  RESULT(INVALID_VALUE, d->cuMemAdvise(m, 4096, 99, 0));
  RESULT(INVALID_DEVICE, d->cuMemAdvise(m, 4096, CU_ADVISE_ACCESSED_BY, 77));
  OK(d->cuMemPrefetchAsync(m, 4096, 0, s));
  OK(d->cuMemPrefetchAsync(m, 4096, CU_DEVICE_HOST, NULL));
  RESULT(INVALID_DEVICE, d->cuMemPrefetchAsync(m, 4096, 77, s));
  OK(d->cuStreamAttachMemAsync(s, m, 0, CU_MEM_ATTACH_SINGLE_));
  OK(d->cuStreamAttachMemAsync(s, m, 0, CU_MEM_ATTACH_GLOBAL_));
  RESULT(INVALID_VALUE, d->cuStreamAttachMemAsync(s, m, 0, 3));
  ON_CPU(RESULT(INVALID_VALUE, d->cuStreamAttachMemAsync(NULL, m, 0, CU_MEM_ATTACH_SINGLE_)));
  ON_CPU(RESULT(INVALID_VALUE, d->cuStreamAttachMemAsync(s, m, 64, CU_MEM_ATTACH_HOST_)));
  OK(d->cuStreamSynchronize(s));
  OK(d->cuMemFree(m));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemPrefetchAsync(m, 4096, 0, s)));
  OK(d->cuMemFreeHost(h));
  OK(d->cuStreamDestroy(s));
}

static void test_virtual_memory (void) {
  cu_mem_prop prop = { .type = CU_MEM_PINNED, .location = { CU_LOCATION_DEVICE, 0 } };
  cu_pool_access access = { { CU_LOCATION_DEVICE, 0 }, CU_ACCESS_BOTH };
  size_t unit = 0;
  cu_deviceptr p = 0;
  cu_mem_handle a = 0, b = 0;
  int v = 5;
  OK(d->cuMemGetAllocationGranularity(&unit, &prop, CU_GRANULARITY_MINIMUM));
  size_t n = (1000 + unit - 1) / unit * unit;
  OK(d->cuMemAddressReserve(&p, 10 * n, 0, 0, 0));
  OK(d->cuMemCreate(&a, n, &prop, 0));
  OK(d->cuMemCreate(&b, 2 * n, &prop, 0));
  RESULT(INVALID_VALUE, d->cuMemCreate(&b, 0, &prop, 0));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemcpyHtoDAsync(p, &v, 4, NULL)));
  OK(d->cuMemMap(p, n, 0, a, 0));
  OK(d->cuMemSetAccess(p, n, &access, 1));
  OK(d->cuMemcpyHtoDAsync(p, &v, 4, NULL));
  ON_CPU(RESULT(NOT_SUPPORTED, d->cuMemMap(p + 2 * n, 2 * n, 0, b, 0)));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemMap(p + n, n, 0, b, 0)));
  OK(d->cuMemMap(p + n, 2 * n, 0, b, 0));
  OK(d->cuMemRelease(b)); /* stays until it is unmapped */
  OK(d->cuMemSetAccess(p + n, 2 * n, &access, 1));
  OK(d->cuMemsetD8Async(p + n, 1, 2 * n, NULL));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemsetD8Async(p, 1, 3 * n + 1, NULL)));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemFree(p)));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemAddressFree(p, 10 * n)));
  v = 0;
  OK(d->cuMemcpyDtoHAsync(&v, p, 4, NULL));
  CHECK(v == 5);
  OK(d->cuCtxSynchronize());
  OK(d->cuMemUnmap(p + n, 2 * n));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemcpyDtoHAsync(&v, p + n, 4, NULL)));
  OK(d->cuMemUnmap(p, n));
  OK(d->cuMemRelease(a));
  OK(d->cuMemAddressFree(p, 10 * n));
}

/* Several attributes at once are zero where they do not apply. */
static void test_pointer_attributes (void) {
  unsigned type = 7;
  int managed = 7;
  size_t size = 7;
  int attrs[] = { CU_POINTER_MEMORY_TYPE, CU_POINTER_IS_MANAGED, CU_POINTER_RANGE_SIZE };
  void *data[] = { &type, &managed, &size };
  cu_deviceptr p = device_alloc(1000);
  OK(d->cuPointerGetAttributes(3, attrs, data, p + 10));
  CHECK(type == CU_MEMTYPE_DEVICE && managed == 0 && size == 1000);
  OK(d->cuPointerGetAttributes(3, attrs, data, 16));
  CHECK(type == 0 && managed == 0 && size == 0);
  attrs[0] = 999;
  RESULT(INVALID_VALUE, d->cuPointerGetAttributes(3, attrs, data, p));
  OK(d->cuMemFree(p));
}

static void test_pool (void) {
  cu_pool_props props = { .alloc_type = 1, .location = { 1, 0 } };
  cu_mempool pool = NULL;
  cu_deviceptr p = 0, q = 0;
  uint64_t all = UINT64_MAX, none = 0;
  OK(d->cuMemPoolCreate(&pool, &props));
  OK(d->cuMemPoolSetAttribute(pool, CU_POOL_RELEASE_THRESHOLD, &all));
  OK(d->cuMemAllocFromPoolAsync(&p, 1 << 20, pool, NULL));
  OK(d->cuMemAllocFromPoolAsync(&q, 5000, pool, NULL));
  CHECK(pool_number(pool, CU_POOL_USED_CURRENT) >= (1 << 20) + 5000);
  OK(d->cuMemFreeAsync(p, NULL));
  RESULT(INVALID_VALUE, d->cuMemFreeAsync(p, NULL));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemsetD8Async(p, 1, 16, NULL)));
  OK(d->cuStreamSynchronize(NULL));
  CHECK(pool_number(pool, CU_POOL_USED_CURRENT) < 1 << 20);
  CHECK(pool_number(pool, CU_POOL_USED_HIGH) >= 1 << 20);
  CHECK(pool_number(pool, CU_POOL_RESERVED_CURRENT) >= 1 << 20);
  OK(d->cuMemPoolTrimTo(pool, 0));
  ON_CPU(CHECK(pool_number(pool, CU_POOL_RESERVED_CURRENT) < 1 << 20));
  OK(d->cuMemPoolSetAttribute(pool, CU_POOL_USED_HIGH, &none));
  CHECK(pool_number(pool, CU_POOL_USED_HIGH) == pool_number(pool, CU_POOL_USED_CURRENT));
  OK(d->cuMemPoolDestroy(pool));
  RESULT(INVALID_VALUE, d->cuMemPoolCreate(&pool, &(cu_pool_props){ 0 }));
  OK(d->cuMemsetD8Async(q, 3, 5000, NULL)); /* the block outlives its pool */
  OK(d->cuMemFreeAsync(q, NULL));
  OK(d->cuCtxSynchronize());
}

static void test_copies (void) {
  char out[64] = { 0 };
  cu_deviceptr p = device_alloc(64), q = device_alloc(64);
  OK(d->cuMemcpyHtoDAsync(p, "abcdefghijklmnopqrstuvwxyz", 26, NULL));
  OK(d->cuMemcpyDtoDAsync(q + 2, p, 26, NULL));
  OK(d->cuMemcpyDtoHAsync(out, q + 2, 26, NULL));
  CHECK(memcmp(out, "abcdefghijklmnopqrstuvwxyz", 26) == 0);
  OK(d->cuMemcpyDtoDAsync(p + 1, p, 25, NULL)); /* overlapping */
  OK(d->cuMemcpyAsync((uintptr_t)out, p, 26, NULL));
  CHECK(memcmp(out, "aabcdef", 7) == 0);
  OK(d->cuMemcpyAsync(p, (uintptr_t)"xyz", 3, NULL));
  OK(d->cuMemcpyPeerAsync(q, context, p, context, 3, NULL));
  OK(d->cuMemcpyDtoHAsync(out, q, 3, NULL));
  CHECK(memcmp(out, "xyz", 3) == 0);
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemcpyHtoDAsync(p + 60, "12345", 5, NULL)));
  ON_CPU(CHECK(strstr(words("cuMemcpyHtoDAsync", CU_ERR_INVALID_VALUE), "past the end") != NULL));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemcpyDtoHAsync(out, p + 64, 1, NULL)));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemcpyDtoDAsync(p, q, 65, NULL)));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemcpyDtoHAsync(out, 4096, 4, NULL)));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemcpyHtoDAsync(p, NULL, 4, NULL)));
  OK(d->cuMemcpyHtoDAsync(p, NULL, 0, NULL));
  OK(d->cuMemFree(p));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemcpyDtoHAsync(out, p, 4, NULL)));
  OK(d->cuMemFree(q));
}

/* The program may change its own host memory as soon as the call has returned, even if the stream
 * is still busy. */
static void test_staging (void) {
  enum { BIG = 300000 };
  gate g = { 0 };
  static char big[BIG];
  char small[32] = "first";
  cu_deviceptr p = device_alloc(32), q = device_alloc(BIG);
  OK(d->cuLaunchHostFunc(NULL, gate_wait, &g));
  OK(d->cuMemcpyHtoDAsync(p, small, sizeof small, NULL));
  strcpy(small, "second");
  RESULT(NOT_READY, d->cuStreamQuery(NULL));
  g.open = true;
  memset(big, 7, BIG);
  OK(d->cuMemcpyHtoDAsync(q, big, BIG, NULL));
  memset(big, 8, BIG);
  OK(d->cuMemcpyDtoHAsync(small, p, sizeof small, NULL));
  OK(d->cuMemcpyDtoHAsync(big, q, BIG, NULL));
  CHECK(strcmp(small, "first") == 0 && big[0] == 7 && big[BIG - 1] == 7);
  OK(d->cuMemFree(p));
  OK(d->cuMemFree(q));
}

static void test_boxes (void) {
  unsigned char host[6 * 5 * 4], back[4 * 3 * 2] = { 0 };
  for (size_t i = 0; i < sizeof host; i++) host[i] = (unsigned char)i;
  cu_deviceptr p = device_alloc(8 * 5 * 4);
  cu_copy3d in = { .src_type = CU_MEMTYPE_HOST,
                   .src_host = host,
                   .src_pitch = 6,
                   .src_height = 5,
                   .dst_type = CU_MEMTYPE_DEVICE,
                   .dst_device = p,
                   .dst_pitch = 8,
                   .dst_height = 5,
                   .width = 6,
                   .height = 5,
                   .depth = 4 };
  OK(d->cuMemcpy3DAsync(&in, NULL));
  cu_copy3d out = { .src_type = CU_MEMTYPE_DEVICE,
                    .src_device = p,
                    .src_pitch = 8,
                    .src_height = 5,
                    .src_x = 1,
                    .src_y = 2,
                    .src_z = 1,
                    .dst_type = CU_MEMTYPE_HOST,
                    .dst_host = back,
                    .dst_pitch = 4,
                    .dst_height = 3,
                    .width = 4,
                    .height = 3,
                    .depth = 2 };
  OK(d->cuMemcpy3DAsync(&out, NULL));
  bool same = true;
  for (size_t z = 0; z < 2; z++)
    for (size_t y = 0; y < 3; y++)
      for (size_t x = 0; x < 4; x++)
        same = same && back[(z * 3 + y) * 4 + x] == host[((z + 1) * 5 + y + 2) * 6 + x + 1];
  CHECK(same);
  out.src_z = 3;
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemcpy3DAsync(&out, NULL)));
  out.src_z = 1;
  out.src_y = SIZE_MAX - 1;
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemcpy3DAsync(&out, NULL)));
  cu_copy2d two = { .src_type = CU_MEMTYPE_DEVICE,
                    .src_device = p,
                    .src_pitch = 8,
                    .src_x = 2,
                    .src_y = 1,
                    .dst_type = CU_MEMTYPE_HOST,
                    .dst_host = back,
                    .dst_pitch = 3,
                    .width = 3,
                    .height = 4 };
  OK(d->cuMemcpy2DAsync(&two, NULL));
  CHECK(back[0] == host[6 + 2] && back[9 + 2] == host[4 * 6 + 4]);
  two.src_pitch = 4;
  RESULT(INVALID_VALUE, d->cuMemcpy2DAsync(&two, NULL));
  two.src_pitch = 8;
  two.src_type = CU_MEMTYPE_ARRAY;
  RESULT(INVALID_VALUE, d->cuMemcpy2DAsync(&two, NULL));
  RESULT(INVALID_VALUE, d->cuMemcpy2DAsync(NULL, NULL));
  OK(d->cuMemFree(p));
}

static void test_fills (void) {
  unsigned words_out[16];
  unsigned short shorts[16];
  unsigned char bytes[32];
  cu_deviceptr p = device_alloc(64);
  OK(d->cuMemsetD32Async(p, 0x01020304, 16, NULL));
  OK(d->cuMemcpyDtoHAsync(words_out, p, 64, NULL));
  CHECK(words_out[0] == 0x01020304 && words_out[15] == 0x01020304);
  OK(d->cuMemsetD16Async(p + 2, 0xabcd, 3, NULL));
  OK(d->cuMemcpyDtoHAsync(shorts, p, 32, NULL));
  CHECK(shorts[0] == 0x0304 && shorts[1] == 0xabcd && shorts[3] == 0xabcd && shorts[4] == 0x0304);
  OK(d->cuMemsetD8Async(p, 0, 64, NULL));
  OK(d->cuMemsetD2D8Async(p + 1, 8, 5, 3, 4, NULL));
  OK(d->cuMemcpyDtoHAsync(bytes, p, 32, NULL));
  CHECK(bytes[0] == 0 && bytes[1] == 5 && bytes[3] == 5 && bytes[4] == 0 && bytes[9] == 5 &&
        bytes[25] == 5);
  OK(d->cuMemsetD2D16Async(p, 8, 0x0101, 2, 2, NULL));
  OK(d->cuMemsetD2D32Async(p, 16, 9, 2, 2, NULL));
  RESULT(INVALID_VALUE, d->cuMemsetD32Async(p + 2, 0, 1, NULL));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemsetD32Async(p, 0, 17, NULL)));
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemsetD32Async(p, 0, SIZE_MAX / 2, NULL)));
  RESULT(INVALID_VALUE, d->cuMemsetD2D8Async(p, 2, 0, 3, 2, NULL));
  RESULT(INVALID_VALUE, d->cuMemsetD2D8Async(p, 32, 0, 33, 2, NULL));
  OK(d->cuMemFree(p));
}

static void test_memory_parts (void) {
  test_alloc();
  test_map();
  test_host_memory();
  test_managed();
  test_pointer_attributes();
  test_virtual_memory();
  test_pool();
  test_copies();
  test_staging();
  test_boxes();
  test_fills();
}

#endif
