/* cpu_driver_launch.h: tests of modules, functions and launches. */
#ifndef CPU_DRIVER_LAUNCH_H
#define CPU_DRIVER_LAUNCH_H

#include "cpu_driver_check.h"

static void test_module_errors (void) {
  static const char broken[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n  mov.u32 %r1 5;\n}\n";
  static const char later[] =
    ".version 9.0\n.target sm_120\n.address_size 64\n.visible .entry k() { ret; }\n";
  static const unsigned char elf[64] = { 0x7f, 'E', 'L', 'F' };
  char log[300];
  int options[] = { CU_JIT_ERROR_LOG_BUFFER_, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES_,
                    CU_JIT_OPTIMIZATION_LEVEL_ };
  void *values[] = { log, (void *)sizeof log, (void *)3 };
  cu_module m = NULL;
  ON_CPU(RESULT(NO_BINARY_FOR_GPU, d->cuModuleLoadDataEx(&m, elf, 0, NULL, NULL)));
  RESULT(INVALID_IMAGE, d->cuModuleLoadDataEx(&m, "", 0, NULL, NULL));
  RESULT(INVALID_IMAGE, d->cuModuleLoadDataEx(&m, "hello", 0, NULL, NULL));
  RESULT(INVALID_VALUE, d->cuModuleLoadDataEx(&m, NULL, 0, NULL, NULL));
  log[0] = '\0';
  RESULT(INVALID_PTX, d->cuModuleLoadDataEx(&m, broken, 3, options, values));
  CHECK(log[0] != '\0');
  ON_CPU(CHECK(strstr(log, "application ptx input, line 6; error   : ") != NULL));
  ON_CPU(CHECK((size_t)values[1] == strlen(log) + 1));
  RESULT(INVALID_PTX, d->cuModuleLoadDataEx(&m, broken, 0, NULL, NULL));
  ON_CPU(CHECK(strstr(words("cuModuleLoadDataEx", CU_ERR_INVALID_PTX), "line 6: ") != NULL));
  values[1] = (void *)sizeof log;
  RESULT(INVALID_PTX, d->cuModuleLoadDataEx(&m, later, 3, options, values));
  ON_CPU(CHECK(strstr(log, "sm_120") != NULL && strstr(log, "8.0") != NULL));
  values[1] = (void *)8;
  RESULT(INVALID_PTX, d->cuModuleLoadDataEx(&m, broken, 3, options, values));
  CHECK(strlen(log) == 7 && (size_t)values[1] == 8);
  RESULT(INVALID_HANDLE, d->cuModuleUnload(NULL));
}

/* Only the program's buffer limits what its log says, even with the longest names. */
static void test_long_complaint (void) {
  static char text[4096], name[1900], log[4096];
  int options[] = { CU_JIT_ERROR_LOG_BUFFER_, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES_ };
  void *values[] = { log, (void *)sizeof log };
  cu_module m = NULL;
  memset(name, 'n', sizeof name - 1);
  snprintf(text, sizeof text,
           ".version 7.0\n.target sm_80\n.address_size 64\n.func %s();\n"
           ".visible .entry k() { call %s, (); ret; }\n",
           name, name);
  RESULT(INVALID_PTX, d->cuModuleLoadDataEx(&m, text, 2, options, values));
  CHECK(strlen(log) > sizeof name && (size_t)values[1] == strlen(log) + 1);
  CHECK(strstr(log, "line 4; error   : ") != NULL && strstr(log, name) != NULL, "%s", log);
  CHECK(strcmp(log + strlen(log) - 11, "not defined") == 0, "%s", log);
}

#define LINK_HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"

static cu_result link_text (cu_link l, const char *text, const char *name) {
  return d->cuLinkAddData(l, CU_JIT_INPUT_PTX_, (void *)(uintptr_t)text, strlen(text) + 1, name, 0,
                          NULL, NULL);
}

/* Links two texts; the image is loaded and has both kernels. */
static void test_link (void) {
  static const char one[] =
    LINK_HEAD ".extern .global .u32 v;\n.visible .entry a(.param .u64 p) {\n"
              " .reg .b32 r; .reg .b64 q; ld.param.u64 q, [p];\n"
              " ld.global.u32 r, [v]; st.global.u32 [q], r; ret; }\n",
                    two[] =
                      LINK_HEAD ".visible .global .u32 v = 6;\n.visible .entry b() { ret; }\n";
  cu_link l = NULL;
  cu_module m = NULL;
  cu_function f;
  void *image = NULL;
  size_t size = 0;
  OK(d->cuLinkCreate(0, NULL, NULL, &l));
  OK(link_text(l, one, "one"));
  OK(link_text(l, two, "two"));
  OK(d->cuLinkComplete(l, &image, &size));
  CHECK(image != NULL && size > 0);
  OK(d->cuModuleLoadDataEx(&m, image, 0, NULL, NULL));
  OK(d->cuLinkDestroy(l));
  OK(d->cuModuleGetFunction(&f, m, "a"));
  OK(d->cuModuleGetFunction(&f, m, "b"));
  OK(d->cuModuleUnload(m));
}

static void test_link_errors (void) {
  static const char needs[] =
    LINK_HEAD ".extern .func f();\n.visible .entry a() { call f; ret; }\n",
                    broken[] = LINK_HEAD ".visible .entry k()\n{\n  mov.u32 %r1 5;\n}\n";
  static const unsigned char elf[64] = { 0x7f, 'E', 'L', 'F' };
  char log[300] = "";
  int options[] = { CU_JIT_ERROR_LOG_BUFFER_, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES_ };
  void *values[] = { log, (void *)sizeof log }, *image;
  cu_link l = NULL;
  OK(d->cuLinkCreate(2, options, values, &l));
  ON_CPU(RESULT(INVALID_PTX, link_text(l, broken, "broken")));
  ON_CPU(CHECK(strstr(log, "broken, line 6; error   : ") != NULL));
  ON_CPU(RESULT(NO_BINARY_FOR_GPU, d->cuLinkAddData(l, CU_JIT_INPUT_CUBIN_, (void *)(uintptr_t)elf,
                                                    sizeof elf, "elf", 0, NULL, NULL)));
  RESULT(INVALID_VALUE, d->cuLinkAddData(l, CU_JIT_INPUT_PTX_, NULL, 1, "none", 0, NULL, NULL));
  OK(d->cuLinkDestroy(l));
  values[1] = (void *)sizeof log;
  OK(d->cuLinkCreate(2, options, values, &l));
  OK(link_text(l, needs, "needs"));
  CHECK(d->cuLinkComplete(l, &image, NULL) != 0);
  CHECK(strstr(log, "ndefined reference to 'f' in 'needs'") != NULL);
  OK(d->cuLinkDestroy(l));
  ON_CPU(RESULT(INVALID_HANDLE, d->cuLinkDestroy(NULL)));
}

static void test_module (void) {
  cu_module m = stored_module();
  cu_function f, list[64];
  cu_deviceptr p = 0;
  size_t n = 0;
  unsigned count = 0;
  const char *name = NULL;
  int seven = 0;
  RESULT(NOT_FOUND, d->cuModuleGetFunction(&f, m, "nothing"));
  RESULT(NOT_FOUND, d->cuModuleGetGlobal(&p, &n, m, "nothing"));
  OK(d->cuModuleGetGlobal(&p, &n, m, "tally"));
  CHECK(n == 4);
  OK(d->cuMemcpyDtoHAsync(&seven, p, 4, NULL));
  CHECK(seven == 7);
  OK(d->cuModuleGetGlobal(&p, &n, m, "table"));
  CHECK(n == 64);
  OK(d->cuModuleGetFunctionCount(&count, m));
  CHECK(count >= 15 && count < 64);
  OK(d->cuModuleEnumerateFunctions(list, count, m));
  OK(d->cuFuncGetName(&name, list[0]));
  CHECK(strcmp(name, "add") == 0);
  OK(d->cuModuleUnload(m));
}

static int function_attribute (cu_function f, int attr) {
  int v = -7;
  OK(d->cuFuncGetAttribute(&v, attr, f));
  return v;
}

static void test_function (cu_module m) {
  cu_function f = function(m, "params"), few = function(m, "few");
  size_t offset = 0, size = 0;
  int v, grid = 0, block = 0;
  OK(d->cuFuncGetParamInfo(f, 2, &offset, &size));
  CHECK(offset == 16 && size == 16);
  RESULT(INVALID_VALUE, d->cuFuncGetParamInfo(f, 5, &offset, &size));
  CHECK(function_attribute(f, CU_FUNC_MAX_THREADS_PER_BLOCK) == 1024 &&
        function_attribute(few, CU_FUNC_MAX_THREADS_PER_BLOCK) == 64);
  CHECK(function_attribute(f, CU_FUNC_PTX_VERSION) == 80 &&
        function_attribute(f, CU_FUNC_NUM_REGS) > 0);
  CHECK(function_attribute(f, CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES) == 49152);
  RESULT(INVALID_VALUE, d->cuFuncGetAttribute(&v, 99, f));
  RESULT(INVALID_VALUE, d->cuFuncSetAttribute(f, CU_FUNC_NUM_REGS, 4));
  RESULT(INVALID_VALUE, d->cuFuncSetAttribute(f, CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 240000));
  OK(d->cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, f, 256, 0));
  CHECK(v == 8);
  OK(d->cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, f, 256, 40000));
  CHECK(v >= 4 && v < 8);
  OK(d->cuFuncSetAttribute(f, CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
  CHECK(function_attribute(f, CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT) == 50);
  OK(d->cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
  CHECK(block == 1024 && grid == 2 * attribute(CU_ATTR_multiprocessor_count));
  OK(d->cuOccupancyMaxPotentialBlockSize(&grid, &block, few, NULL, 0, 0));
  CHECK(block == 64);
}

static void test_add (cu_module m) {
  enum { N = 10000 };
  static int a[N], b[N], out[N];
  cu_function add = function(m, "add");
  cu_deviceptr pa = device_alloc(sizeof a), pb = device_alloc(sizeof b),
               pc = device_alloc(sizeof out);
  int n = N;
  bool right = true;
  for (int i = 0; i < N; i++) a[i] = i, b[i] = 3 * i;
  OK(d->cuMemcpyHtoDAsync(pa, a, sizeof a, NULL));
  OK(d->cuMemcpyHtoDAsync(pb, b, sizeof b, NULL));
  OK(launch1(add, (N + 127) / 128, 128, NULL, (void *[]){ &pa, &pb, &pc, &n }));
  pa = pb = 0; /* the launch has copied its parameters */
  OK(d->cuMemcpyDtoHAsync(out, pc, sizeof out, NULL));
  for (int i = 0; i < N; i++) right = right && out[i] == 4 * i;
  CHECK(right);
  OK(d->cuMemFree(pc));
}

static void test_parameters (cu_module m) {
  struct mixed {
    char tag;
    double value;
  } mixed = { 2, 0.5 };
  signed char c = -3;
  short s = -500;
  float f = 1.25f;
  double out[4];
  unsigned char block[64] = { 0 };
  size_t size = 40;
  cu_function params = function(m, "params"), sum = function(m, "sum_large");
  cu_deviceptr p = device_alloc(64);
  OK(launch1(params, 1, 1, NULL, (void *[]){ &p, &c, &mixed, &s, &f }));
  OK(d->cuMemcpyDtoHAsync(out, p, sizeof out, NULL));
  CHECK(out[0] == -3 && out[1] == 2.5 && out[2] == -500 && out[3] == 1.25);
  memcpy(block, &p, 8);
  block[8] = 9;
  memcpy(block + 16, &mixed, sizeof mixed);
  memcpy(block + 32, &s, 2);
  memcpy(block + 36, &f, 4);
  void *extra[] = { (void *)1, block, (void *)2, &size, NULL };
  OK(d->cuLaunchKernel(params, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
  OK(d->cuMemcpyDtoHAsync(out, p, sizeof out, NULL));
  CHECK(out[0] == 9 && out[1] == 2.5 && out[3] == 1.25);
  size = 39;
  ON_CPU(RESULT(INVALID_VALUE, d->cuLaunchKernel(params, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra)));
  RESULT(INVALID_VALUE, launch1(params, 1, 1, NULL, NULL));
  ON_CPU(RESULT(INVALID_VALUE, launch1(params, 1, 1, NULL, (void *[]){ &p, &c, NULL, &s, &f })));
  int cells[200], total = 0;
  for (int i = 0; i < 200; i++) cells[i] = i;
  OK(launch1(sum, 1, 1, NULL, (void *[]){ &p, cells }));
  OK(d->cuMemcpyDtoHAsync(&total, p, 4, NULL));
  CHECK(total == 199 * 100);
  OK(d->cuMemFree(p));
}

/* Parameters as one buffer: a list of keys and values up to a key 0, in any order. */
static void test_extra (void) {
  enum { BAD = CU_ERR_INVALID_VALUE };
  cu_module m = stored_module();
  cu_deviceptr p = device_alloc(4);
  size_t exact = sizeof p, more = 99, less = sizeof p - 1, zero = 0;
  void *const buffer = (void *)1, *const size = (void *)2;
  cu_function few = function(m, "few"), none = function(m, "count_up");
  struct row {
    cu_function f;
    cu_result want;
    void *extra[7];
  } rows[] = {
    { few, 0, { buffer, &p, size, &exact } },
    { few, 0, { size, &exact, buffer, &p } },
    { few, 0, { size, &less, buffer, &p, size, &more } }, /* the last one counts */
    { few, BAD, { size, &exact } },
    { few, BAD, { size, &exact, buffer, NULL } },
    { few, BAD, { buffer, &p } },
    { few, BAD, { buffer, &p, size, NULL } },
    { few, BAD, { buffer, &p, size, &less } },
    { few, BAD, { size, &exact, (void *)3, &p, buffer, &p } },
    { few, BAD, { NULL } },
    { none, 0, { size, &zero } },
    { none, 0, { buffer, &p } },
    { none, 0, { size, &exact, buffer, &p } },
    { none, 0, { NULL } },
    { none, BAD, { (void *)3, &p } },
  };
  for (size_t i = 0; i < lcu_arraylen(rows); i++) {
    int seen = 0;
    OK(d->cuMemsetD8Async(p, 0, 4, NULL));
    cu_result r = d->cuLaunchKernel(rows[i].f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, rows[i].extra);
    CHECK(r == rows[i].want, "row %zu: %s", i, lcu_status_name(r));
    OK(d->cuMemcpyDtoHAsync(&seen, p, 4, NULL));
    CHECK(seen == (r == 0 && rows[i].f == few), "row %zu", i);
  }
  OK(d->cuMemFree(p));
  OK(d->cuModuleUnload(m));
}

/* What a refused launch says. */
static void test_launch_messages (cu_module m) {
  static const struct {
    unsigned grid[3], block[3], shared;
    const char *want;
  } rows[] = {
    { { 0, 1, 1 }, { 1, 1, 1 }, 0, "grid x is 0; it must be 1 to 2147483647" },
    { { 1, 65536, 1 }, { 1, 1, 1 }, 0, "grid y is 65536; it must be 1 to 65535" },
    { { 1, 1, 0 }, { 1, 1, 1 }, 0, "grid z is 0; it must be 1 to 65535" },
    { { 1, 1, 1 }, { 1025, 1, 1 }, 0, "block x is 1025; it must be 1 to 1024" },
    { { 1, 1, 1 }, { 1, 0, 1 }, 0, "block y is 0; it must be 1 to 1024" },
    { { 1, 1, 1 }, { 1, 1, 65 }, 0, "block z is 65; it must be 1 to 64" },
    { { 1, 1, 1 }, { 32, 32, 2 }, 0, "a block of 2048 threads; the maximum is 1024" },
    { { 1, 1, 1 },
      { 65, 1, 1 },
      0,
      "a block of 65 threads; kernel `few` was compiled for up to 64" },
    { { 1, 1, 1 },
      { 1, 1, 1 },
      49153,
      "49153 bytes of dynamic shared memory; kernel `few` may use up to 49152" },
  };
  cu_deviceptr p = device_alloc(4);
  for (size_t i = 0; i < lcu_arraylen(rows); i++) {
    const unsigned *g = rows[i].grid, *b = rows[i].block;
    cu_result r = d->cuLaunchKernel(function(m, "few"), g[0], g[1], g[2], b[0], b[1], b[2],
                                    rows[i].shared, NULL, (void *[]){ &p }, NULL);
    const char *said = words("cuLaunchKernel", r);
    CHECK(r == CU_ERR_INVALID_VALUE && strcmp(said, rows[i].want) == 0, "%s", said);
  }
  OK(d->cuMemFree(p));
}

static void test_limits (cu_module m) {
  cu_function say = function(m, "say"), few = function(m, "few"), spend = function(m, "spend");
  cu_deviceptr p = device_alloc(1 << 16);
  int n = 1;
  size_t size = 4;
  unsigned rounds = 1, sms = (unsigned)attribute(CU_ATTR_multiprocessor_count);
  void *args[] = { &n }, *few_args[] = { &p }, *spend_args[] = { &p, &rounds };
  RESULT(INVALID_VALUE, launch1(say, 0, 1, NULL, args));
  RESULT(INVALID_VALUE, launch1(say, 1, 0, NULL, args));
  RESULT(INVALID_VALUE, launch1(say, 1, 1025, NULL, args));
  RESULT(INVALID_VALUE, d->cuLaunchKernel(say, 1, 65536, 1, 1, 1, 1, 0, NULL, args, NULL));
  RESULT(INVALID_VALUE, d->cuLaunchKernel(say, 1, 1, 1, 1, 1, 65, 0, NULL, args, NULL));
  RESULT(INVALID_VALUE, d->cuLaunchKernel(say, 1, 1, 1, 32, 32, 2, 0, NULL, args, NULL));
  RESULT(INVALID_VALUE, d->cuLaunchKernel(say, 1, 1, 1, 1, 1, 1, 50000, NULL, args, NULL));
  ON_CPU(CHECK(strstr(words("cuLaunchKernel", CU_ERR_INVALID_VALUE), "50000 bytes") != NULL));
  RESULT(INVALID_VALUE, launch1(few, 1, 65, NULL, few_args));
  RESULT(INVALID_HANDLE, launch1(NULL, 1, 1, NULL, args));
  RESULT(INVALID_VALUE, d->cuLaunchKernel(say, 1, 1, 1, 1, 1, 1, 0, NULL, args,
                                          (void *[]){ (void *)1, &n, (void *)2, &size, NULL }));
  RESULT(COOPERATIVE_LAUNCH_TOO_LARGE,
         d->cuLaunchCooperativeKernel(spend, sms * 2 + 1, 1, 1, 1024, 1, 1, 0, NULL, spend_args));
  OK(d->cuLaunchCooperativeKernel(spend, sms * 2, 1, 1, 1024, 1, 1, 0, NULL, spend_args));
  OK(launch1(few, 1, 64, NULL, few_args));
  OK(d->cuCtxSynchronize());
  OK(d->cuMemFree(p));
}

/* Attributes that change no result are accepted, clusters and unknown ones are not. */
static void test_launch_attributes (cu_module m) {
  cu_function f = function(m, "shared_sum");
  cu_deviceptr p = device_alloc(64);
  void *args[] = { &p };
  int out = 0;
  cu_launch_attr a[] = { { .id = CU_LAUNCH_ATTR_IGNORE },
                         { .id = CU_LAUNCH_ATTR_PRIORITY, .value.priority = -1 },
                         { .id = CU_LAUNCH_ATTR_CLUSTER, .value.cluster = { 1, 1, 1 } },
                         { .id = CU_LAUNCH_ATTR_PROGRAMMATIC, .value.programmatic = 1 } };
  cu_launch_config c = { 1, 1, 1, 32, 1, 1, 128, NULL, a, 4 };
  OK(d->cuLaunchKernelEx(&c, f, args, NULL));
  OK(d->cuMemcpyDtoHAsync(&out, p, 4, NULL));
  CHECK(out == 496);
  ON_CPU(a[2].value.cluster.x = 2; RESULT(NOT_SUPPORTED, d->cuLaunchKernelEx(&c, f, args, NULL)));
  ON_CPU(RESULT(NOT_SUPPORTED, d->cuOccupancyMaxActiveClusters(&out, f, &c)));
  ON_CPU(RESULT(NOT_SUPPORTED, d->cuOccupancyMaxPotentialClusterSize(&out, f, &c)));
  ON_CPU(a[2].id = 99; RESULT(NOT_SUPPORTED, d->cuLaunchKernelEx(&c, f, args, NULL)));
  a[2].id = CU_LAUNCH_ATTR_COOPERATIVE;
  a[2].value.cooperative = 1;
  c.grid_x = 1 << 20;
  RESULT(COOPERATIVE_LAUNCH_TOO_LARGE, d->cuLaunchKernelEx(&c, f, args, NULL));
  RESULT(INVALID_VALUE, d->cuLaunchKernelEx(NULL, f, args, NULL));
  OK(d->cuFuncSetCacheConfig(f, CU_CACHE_L1));
  ON_CPU(RESULT(INVALID_VALUE, d->cuFuncSetCacheConfig(f, 4)));
  OK(d->cuMemFree(p));
}

static void test_shared (cu_module m) {
  cu_function f = function(m, "shared_sum");
  cu_deviceptr p = device_alloc(64);
  int out[2] = { 0 };
  OK(d->cuLaunchKernel(f, 2, 1, 1, 100, 1, 1, 400, NULL, (void *[]){ &p }, NULL));
  OK(d->cuMemcpyDtoHAsync(out, p, 8, NULL));
  CHECK(out[0] == 4950 && out[1] == 4950);
  RESULT(INVALID_VALUE,
         d->cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 100000, NULL, (void *[]){ &p }, NULL));
  OK(d->cuFuncSetAttribute(f, CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
  OK(d->cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 100000, NULL, (void *[]){ &p }, NULL));
  OK(d->cuMemcpyDtoHAsync(out, p, 4, NULL));
  CHECK(out[0] == 496);
  OK(d->cuMemFree(p));
}

static void test_variables (cu_module m) {
  float values[16], back[16] = { 0 };
  int tally = 0;
  size_t n;
  cu_deviceptr table = 0, at = 0, p = device_alloc(64);
  for (int i = 0; i < 16; i++) values[i] = (float)i / 4;
  OK(d->cuModuleGetGlobal(&table, &n, m, "table"));
  OK(d->cuMemcpyHtoDAsync(table, values, sizeof values, NULL));
  OK(launch1(function(m, "look_up"), 1, 16, NULL, (void *[]){ &p }));
  OK(d->cuMemcpyDtoHAsync(back, p, sizeof back, NULL));
  CHECK(memcmp(back, values, sizeof back) == 0);
  OK(d->cuModuleGetGlobal(&at, NULL, m, "tally"));
  OK(launch1(function(m, "count_up"), 10, 100, NULL, NULL));
  OK(d->cuMemcpyDtoHAsync(&tally, at, 4, NULL));
  CHECK(tally == 1007);
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemcpyHtoDAsync(at, values, 8, NULL)));
  OK(launch1(function(m, "from_heap"), 1, 16, NULL, (void *[]){ &p }));
  OK(d->cuMemcpyDtoHAsync(back, p, 64, NULL));
  memcpy(&tally, &back[15], 4);
  CHECK(tally == 5);
  OK(d->cuMemFree(p));
}

/* Small kernels in several streams, ordered by events. */
static void test_chain (cu_module m) {
  enum { N = 256 };
  int ones[N], n = N, by = 3;
  cu_function scale = function(m, "scale");
  cu_deviceptr p = device_alloc(sizeof ones);
  cu_stream s[4];
  cu_event e[4];
  for (int i = 0; i < N; i++) ones[i] = i;
  for (int i = 0; i < 4; i++) s[i] = new_stream(CU_STREAM_NON_BLOCKING_), e[i] = new_event();
  OK(d->cuMemcpyHtoDAsync(p, ones, sizeof ones, s[0]));
  for (int round = 0; round < 12; round++) {
    int here = round % 4, next = (round + 1) % 4;
    OK(launch1(scale, 2, 128, s[here], (void *[]){ &p, &n, &by }));
    OK(d->cuEventRecord(e[here], s[here]));
    OK(d->cuStreamWaitEvent(s[next], e[here], 0));
  }
  OK(d->cuMemcpyDtoHAsync(ones, p, sizeof ones, s[0]));
  CHECK(ones[1] == 531441 && ones[255] == 255 * 531441);
  for (int i = 0; i < 4; i++) {
    OK(d->cuEventDestroy(e[i]));
    OK(d->cuStreamDestroy(s[i]));
  }
  OK(d->cuMemFree(p));
}

static void spend_in (cu_module m, cu_deviceptr p) {
  unsigned rounds = 100;
  OK(launch1(function(m, "spend"), 2, 64, NULL, (void *[]){ &p, &rounds }));
  OK(d->cuCtxSynchronize());
}

static void test_counters (cu_module m) {
  cux_counters c = { 0 }, twice = { 0 }, off = { 0 }, again = { 1, 1 };
  cu_deviceptr p = device_alloc(64);
  OK(d->cuxCounters(NULL, 1));
  spend_in(m, p);
  OK(d->cuxCounters(&c, -1));
  CHECK(c.warp_instructions >= 4 * 100 && c.thread_instructions >= 32 * 400);
  CHECK(c.thread_instructions <= 32 * c.warp_instructions);
  spend_in(m, p);
  OK(d->cuxCounters(&twice, 0));
  CHECK(twice.warp_instructions == 2 * c.warp_instructions);
  CHECK(twice.thread_instructions == 2 * c.thread_instructions);
  spend_in(m, p);
  OK(d->cuxCounters(&off, 1));
  CHECK(memcmp(&off, &twice, sizeof off) == 0);
  OK(d->cuxCounters(&again, 0));
  CHECK(again.warp_instructions == 0 && again.thread_instructions == 0);
  OK(d->cuMemFree(p));
}

/* Streams, modules and memory are freed while work that uses them is in flight. */
static void test_ends_in_flight (void) {
  cu_module m = stored_module();
  cu_function spend = function(m, "spend");
  cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_);
  cu_deviceptr p = device_alloc(1 << 12);
  unsigned rounds = 20000, out = 0;
  void *args[] = { &p, &rounds };
  OK(launch1(spend, 16, 64, s, args));
  OK(d->cuStreamDestroy(s)); /* completes the kernel */
  OK(d->cuMemcpyDtoHAsync(&out, p + 60, 4, NULL));
  CHECK(out != 0);
  OK(launch1(spend, 16, 64, NULL, args));
  OK(d->cuModuleUnload(m));
  RESULT(INVALID_HANDLE, d->cuModuleUnload(NULL));
  m = stored_module();
  spend = function(m, "spend");
  OK(launch1(spend, 16, 64, NULL, args));
  OK(d->cuMemFree(p)); /* completes the kernel too */
  OK(d->cuModuleUnload(m));
}

static void test_launch_parts (void) {
  test_module_errors();
  if (on_cpu) test_long_complaint();
  test_link();
  test_link_errors();
  test_module();
  cu_module m = stored_module();
  test_function(m);
  test_add(m);
  test_parameters(m);
  if (on_cpu) test_extra();
  if (on_cpu) test_launch_messages(m);
  test_limits(m);
  test_launch_attributes(m);
  test_shared(m);
  test_variables(m);
  test_chain(m);
  if (on_cpu) test_counters(m);
  OK(d->cuModuleUnload(m));
  test_ends_in_flight();
}

#endif
